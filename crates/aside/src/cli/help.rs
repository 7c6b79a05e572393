//! The commands of `aside --help` in groups, on one screen, and the pages of `aside help PAGE`.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::IsTerminal;

use aside_text::markdown::{self, TextEnd};
use clap::{Command, CommandFactory};

use crate::cli::{Cli, paint};
use crate::screen::Size;

const GROUPS: [(&str, &[&str]); 4] = [
    ("Begin", &["setup", "tutor", "try", "doctor", "config", "uninstall"]),
    ("Ask", &["translate", "explain", "answer", "fix", "task", "chat", "web", "remote", "relay"]),
    ("Look", &["why", "history", "log", "stats", "privacy", "model", "reader", "agent"]),
    ("For scripts and rc files", &["init", "daemon", "complete", "detect", "suggest", "completions", "proxy", "mcp"]),
];

/// Pages without a command of the same name; messages refer to them.
const PAGES: [(&str, &str); 19] = [
    ("agents", include_str!("../../docs/agents.md")),
    ("capture", include_str!("../../docs/capture.md")),
    ("compat", include_str!("../../docs/compat.md")),
    ("confine", include_str!("../../docs/confine.md")),
    ("elsewhere", include_str!("../../docs/elsewhere.md")),
    ("glossary", include_str!("../../docs/glossary.md")),
    ("install", include_str!("../../docs/install.md")),
    ("keys", include_str!("../../docs/keys.md")),
    ("models", include_str!("../../docs/model.md")),
    ("plugins", include_str!("../../docs/plugins.md")),
    ("rules", include_str!("../../docs/task-rules.md")),
    ("security", include_str!("../../docs/security.md")),
    ("settings", include_str!("../../docs/reference.md")),
    ("shells", include_str!("../../docs/shells.md")),
    ("specs", include_str!("../../docs/specs.md")),
    ("storage", include_str!("../../docs/storage.md")),
    ("task-terminal", include_str!("../../docs/task-terminal.md")),
    ("tour", include_str!("../../docs/tour.md")),
    ("troubleshooting", include_str!("../../docs/troubleshooting.md")),
];

/// Pages for which `aside --help` has no room; an unknown page lists all.
const RARE: [&str; 4] = ["compat", "elsewhere", "install", "task-terminal"];

/// The page that `aside help PAGE` asks for.
pub fn page(words: &[OsString]) -> Option<&'static str> {
    let [_, help, name] = words else { return None };
    let is_asked = |page: &&(&str, &str)| help == "help" && name == page.0;
    PAGES.iter().find(is_asked).map(|(_, text)| *text)
}

/// The error for `aside help NAME` where no page and no command has that name.
pub fn unknown(words: &[OsString]) -> Option<String> {
    let [_, help, name] = words else { return None };
    let name = name.to_str().filter(|name| help == "help" && !name.starts_with('-'))?;
    let is_known = page(words).is_some() || Cli::command().find_subcommand(name).is_some();
    (!is_known).then(|| format!("aside: there is no page and no command {name}\n{}\nCommands: aside --help", pages()))
}

/// All pages, in rows that fit a screen.
fn pages() -> String {
    let names: Vec<&str> = PAGES.iter().map(|(name, _)| *name).collect();
    let (first, rest) = names.split_at(6);
    let (second, third) = rest.split_at(8);
    format!("Pages: {},\n  {},\n  {}", first.join(", "), second.join(", "), third.join(", "))
}

/// Formatted for a terminal; a file or a pipe gets the source.
pub fn for_terminal(page: &str) -> String {
    /// A longer row is hard to read.
    const WIDEST: usize = 100;
    let page = without_comments(page);
    if !std::io::stdout().is_terminal() {
        return page;
    }
    let rendered = markdown::render(&page, Size::here().columns.min(WIDEST), TextEnd::Yes);
    rendered.rows.iter().map(|row| paint().row(row) + "\n").collect()
}

/// Notes to tools, such as `<!-- not run: … -->`, go with their lines.
fn without_comments(page: &str) -> String {
    let mut text = String::new();
    let mut is_inside = false;
    for line in page.split_inclusive('\n') {
        let begins = line.trim_start().starts_with("<!--");
        if !is_inside && !begins {
            text.push_str(line);
        }
        is_inside = (is_inside || begins) && !line.contains("-->");
    }
    text
}

/// The command whose help lists its subcommands in groups.
pub fn grouped(command: Command) -> Command {
    let mut list = String::new();
    for (group, names) in GROUPS {
        let _ = writeln!(list, "{group}:");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
            let _ = writeln!(list, "  {name:<12} {}", about.unwrap_or_default());
        }
    }
    let pages: Vec<&str> = PAGES.iter().map(|(name, _)| *name).filter(|name| !RARE.contains(name)).collect();
    let (first, second) = pages.split_at(7);
    let _ = writeln!(list, "Pages (help PAGE): {},\n  {}", first.join(", "), second.join(", "));
    // `after-help` brings a blank line of its own.
    let list = list.trim_end();
    command.help_template(format!("{{about}}\n\n{{usage-heading}} {{usage}}\n\n{list}{{after-help}}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_no_commands_name() {
        let command = Cli::command();
        for (name, text) in PAGES {
            assert!(command.find_subcommand(name).is_none() && text.starts_with("# "), "{name}");
        }
        assert!(page(&["aside", "help", "keys"].map(OsString::from)).is_some());
        assert_eq!(page(&["aside", "help", "task"].map(OsString::from)), None);
        for (name, text) in PAGES {
            assert!(!without_comments(text).contains("<!--"), "{name}");
        }
        assert_eq!(without_comments("a\n<!-- b\nc -->\n  <!-- d -->\ne\n"), "a\ne\n");
        let unknown = |name: &str| unknown(&["aside", "help", name].map(OsString::from));
        assert_eq!([unknown("task"), unknown("shells"), unknown("--help")], [None, None, None]);
        assert!(unknown("shels").unwrap().contains("settings, shells"));
    }

    #[test]
    fn every_command_is_in_one_group_and_all_fit_one_screen() {
        let command = Cli::command();
        let mut expected: Vec<&str> =
            command.get_subcommands().filter(|sub| !sub.is_hide_set()).map(Command::get_name).collect();
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        expected.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, expected);
        let help = grouped(Cli::command()).render_help().to_string();
        assert!(help.lines().count() <= 44, "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
    }
}
