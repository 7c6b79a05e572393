//! Builds a spec from a program's `--help` output. Reads the layouts of getopt, clap, argparse, cobra and handwritten
//! help; returns nothing rather than a guess when the text does not look like help.

mod flag;
mod placeholder;
mod sections;
mod to_toml;

use std::collections::HashSet;

use flag::Flag;
use sections::{Command, Row};

const MAX_FLAGS: usize = 400;
const MAX_COMMANDS: usize = 300;
/// Lines below a flag that still belong to it.
const MAX_MORE: usize = 6;
/// Flags from which a text counts as help without a usage line.
const CLEARLY: usize = 4;

/// What was found in a text.
#[derive(Debug, Default)]
struct Found {
    about: String,
    args: Vec<String>,
    flags: Vec<Flag>,
    commands: Vec<Command>,
}

/// The spec in our format, or `None`.
pub fn spec(help: &str) -> Option<String> {
    let text = sections::plain(help);
    let rows = sections::rows(&text);
    let usage = sections::usage(&rows);
    let mut found = Found { about: sections::about(&rows), ..Found::default() };
    found.read(&rows, usage.takes_command);
    found.tidy();
    if found.commands.is_empty() {
        found.args = placeholder::args(&usage.words);
    }
    let helps = usage.is_there || found.flags.len() >= CLEARLY;
    let enough = found.flags.len() + found.commands.len() >= 2;
    (helps && enough).then(|| to_toml::toml(&found))
}

/// What follows a heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    /// Only flags are read.
    Flags,
    Commands,
    /// Commands, if they look like it.
    Maybe,
    Nothing,
}

impl Found {
    fn read(&mut self, rows: &[Row<'_>], takes_command: bool) {
        let mut section = Section::Flags;
        // The column of command names; deeper lines continue the description above.
        let mut column: Option<usize> = None;
        for (number, row) in rows.iter().enumerate() {
            if let Some(begun) = heading(row) {
                (section, column) = (begun, None);
                continue;
            }
            let below = &rows[number + 1..];
            if row.body.starts_with('-') {
                if section != Section::Nothing && self.flags.len() < MAX_FLAGS {
                    let (first, all) = more(row, below);
                    self.flags.extend(flag::parse(row.body, &first, &all));
                }
                continue;
            }
            if sections::lists(row, below) {
                (section, column) = (Section::Commands, None);
                continue;
            }
            let fits = match section {
                Section::Commands => true,
                Section::Maybe => takes_command,
                Section::Flags | Section::Nothing => false,
            };
            if !fits || row.indent == 0 || column.is_some_and(|column| row.indent > column) {
                continue;
            }
            let new = sections::commands(row, below, section == Section::Commands);
            if !new.is_empty() {
                column = Some(row.indent);
                self.commands.extend(new);
            }
        }
    }

    fn tidy(&mut self) {
        let mut seen = HashSet::new();
        self.flags.retain(|flag| flag.names.iter().all(|name| seen.insert(name.clone())));
        let mut seen = HashSet::new();
        self.commands.retain(|command| seen.insert(command.name.clone()));
        self.commands.truncate(MAX_COMMANDS);
        // A single word with a text is more often something else.
        if self.commands.len() == 1 {
            self.commands.clear();
        }
    }
}

/// A few words that end with a colon, are all capitals, or stand at the margin.
fn heading(row: &Row<'_>) -> Option<Section> {
    let body = row.body;
    if row.indent > 2 || body.starts_with(['-', '{', '[', '<']) {
        return None;
    }
    let lower = body.to_ascii_lowercase();
    if lower.starts_with("usage") {
        return Some(Section::Flags);
    }
    let capitals = body.len() > 3 && body.bytes().all(|byte| byte.is_ascii_uppercase() || b" -/&".contains(&byte));
    let titled = (body.ends_with(':') && !body.contains("  ")) || (capitals && row.indent == 0);
    if !titled {
        return (row.indent == 0).then_some(Section::Maybe);
    }
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    Some(
        if says(&["example", "environment", "variable", "see also", "author", "exit status", "exit code", "learn more"])
        {
            Section::Nothing
        } else if says(&["option", "flag", "argument", "parameter"]) {
            Section::Flags
        } else if says(&["command"]) {
            Section::Commands
        } else {
            Section::Maybe
        },
    )
}

/// The lines below a flag: its first paragraph, and all of them.
fn more(row: &Row<'_>, below: &[Row<'_>]) -> (String, String) {
    let on = |next: &&Row<'_>| next.indent > row.indent + 1 && !next.body.starts_with(['-', '=']);
    let first = below.iter().enumerate().take_while(|(number, next)| on(next) && (*number == 0 || !next.apart));
    let first: Vec<&str> = first.take(MAX_MORE).map(|(_, next)| next.body).collect();
    let all: Vec<&str> = below.iter().take_while(on).take(MAX_MORE).map(|next| next.body).collect();
    let mut all = all.join(" ");
    // clap's long help gives each value its own line.
    let mut listed = below.iter().skip_while(|next| on(next) && next.body != "Possible values:");
    if listed.next().is_some_and(|next| next.body == "Possible values:") {
        let values = listed.map_while(|next| next.body.strip_prefix("- "));
        let names: Vec<&str> = values.filter_map(|value| value.split(':').next()).collect();
        all = format!("[possible values: {}]", names.join(", "));
    }
    (first.join(" "), all)
}

#[cfg(test)]
mod tests;
