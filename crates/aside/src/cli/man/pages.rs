//! Generates docs/reference.md and docs/cli.md from the settings, the facts and the one definition of the command line.

use std::fmt::Write as _;

use clap::{Command, CommandFactory};

use crate::cli::Cli;
use crate::cli::man::facts::{ENVIRONMENT, EXITS, files};
use crate::config::schema::{Rule, Setting, schema};

const WRITTEN: &str = "<!-- Written by `make reference`; a test fails when it is stale. -->";
const COLUMNS: usize = 100;

/// File names and texts, below docs/.
pub fn all() -> [(&'static str, String); 2] {
    [("reference.md", reference()), ("cli.md", command_line())]
}

fn reference() -> String {
    let mut page = format!("# Reference\n\n{WRITTEN}\n");
    page.push_str("\n```console\n$ aside config set complete.right_arrow word\n$ aside config get complete.right_arrow\nword\n$ aside config unset complete.right_arrow\n```\n");
    page.push_str(
        "\n[Settings](#settings) · [Environment](#environment) · [Files](#files) · [Exit codes](#exit-codes) · ",
    );
    page.push_str("[Command line](cli.md)\n\n## Settings\n\nIn `~/.config/aside/config.toml`. A change is in force within a second; ");
    page.push_str(
        "a mistake is named with its line, and the last good settings stay.\n`aside config list` shows yours.\n",
    );
    let mut section = "";
    for setting in schema() {
        if setting.section != section {
            section = &setting.section;
            let _ = write!(page, "\n### [{section}]\n\n| key | default | |\n|---|---|---|\n");
        }
        let _ =
            writeln!(page, "| `{}` | `{}` | {} |", setting.name, cell(&setting.default.to_string()), about(setting));
    }
    table(&mut page, "Environment", ENVIRONMENT.iter().map(|(name, about)| (each(name), *about)));
    let rows = files().into_iter().map(|(name, about)| (format!("`{name}`"), about));
    table(&mut page, "Files", rows);
    page.push_str(
        "\nThe directories are those of XDG; `ASIDE_HOME` puts all into one. All are readable by you alone.\n",
    );
    page.push_str("\n## Exit codes\n\nBesides these, every command ends with 2 when its arguments make no sense.\n\n");
    page.push_str("| command | code | |\n|---|---|---|\n");
    for (command, codes) in EXITS {
        for (code, about) in *codes {
            let _ = writeln!(page, "| `{command}` | {code} | {about} |");
        }
    }
    page
}

fn table(page: &mut String, title: &str, rows: impl Iterator<Item = (String, &'static str)>) {
    let _ = write!(page, "\n## {title}\n\n| | |\n|---|---|\n");
    for (name, about) in rows {
        let _ = writeln!(page, "| {name} | {about} |");
    }
}

fn each(names: &str) -> String {
    names.split(", ").map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn about(setting: &Setting) -> String {
    let bound = match setting.rule {
        Rule::Any => String::new(),
        Rule::OneOf(_) | Rule::Between(..) | Rule::Highlight | Rule::Patterns | Rule::Form(_) => {
            let expected = setting.expected();
            format!(" ({})", expected.split_once(" must be ").map_or(expected.as_str(), |(_, bound)| bound))
        }
    };
    cell(&format!("{}{bound}", setting.why))
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn command_line() -> String {
    let mut command = Cli::command().term_width(COLUMNS);
    command.build();
    let mut page = format!("# Command line\n\n{WRITTEN}\n\n");
    page.push_str("```console\n$ aside translate find files larger than 100MB\nfind . -type f -size +100M\n```\n\n");
    page.push_str("`--json` wherever the output is data, plain text when piped, `NO_COLOR` honoured. ");
    page.push_str("[Exit codes](reference.md#exit-codes). The man pages (`man aside`) have the same.\n");
    for subcommand in shown(&command) {
        section(&mut page, subcommand, "aside", 2);
    }
    page
}

fn section(page: &mut String, command: &Command, above: &str, depth: usize) {
    let name = format!("{above} {}", command.get_name());
    let help = command.clone().term_width(COLUMNS).render_long_help().to_string();
    let help: Vec<&str> = help.lines().map(str::trim_end).collect();
    let _ = write!(page, "\n{} {name}\n\n```\n{}\n```\n", "#".repeat(depth), help.join("\n").trim_end());
    for subcommand in shown(command) {
        section(page, subcommand, &name, depth + 1);
    }
}

fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_are_what_the_program_says() {
        for (name, text) in all() {
            let file = format!("{}/../../docs/{name}", env!("CARGO_MANIFEST_DIR"));
            let written = std::fs::read_to_string(&file).unwrap_or_default();
            assert!(written == text, "docs/{name} is stale; run `make reference`");
        }
    }

    #[test]
    fn every_command_says_how_it_ends() {
        let command = Cli::command();
        let commands: std::collections::BTreeSet<&str> = shown(&command).map(Command::get_name).collect();
        assert_eq!(EXITS.iter().map(|(command, _)| *command).collect::<std::collections::BTreeSet<_>>(), commands);
    }
}
