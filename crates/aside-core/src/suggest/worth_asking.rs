//! Pre-filter: whether a command's output is worth a closer look, before anything slower, such as a model, is asked.
//! Favours recall. Its signs and lists are in `data/suggest/filter.txt`, each sign with hits and misses.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use crate::suggest::parsed_run::SimpleCommand;

const FILTER: &str = include_str!("../../data/suggest/filter.txt");

/// Lines at the end of an output that are read.
pub const LINES: usize = 50;
/// Bytes of each line.
pub const MAX_LINE: usize = 400;

pub struct OutputFilter {
    signs: Option<RegexSet>,
    /// Prefixes of commands whose output is content and not written by the tool.
    content: Vec<Vec<Box<str>>>,
    /// Programs that take over the terminal.
    interactive: Vec<&'static str>,
    /// Commands that say nothing about what the user is doing.
    idle: Vec<&'static str>,
    hostile: Vec<String>,
    ignored: Vec<&'static str>,
    pub words: Vec<&'static str>,
    #[cfg(test)]
    pub examples: Vec<(&'static str, &'static str, &'static str)>,
}

pub fn filter() -> &'static OutputFilter {
    static ALL: LazyLock<OutputFilter> = LazyLock::new(OutputFilter::read);
    &ALL
}

/// Whether the end of a command calls for another one. `name` is the command without its arguments.
pub fn is_worth(name: &str, exit: i32, output: &str) -> bool {
    if filter().interactive.contains(&name) {
        return false;
    }
    exit != 0 || tail(output).any(|line| filter().has_sign(line))
}

/// The last lines, each truncated to `MAX_LINE`.
pub fn tail(output: &str) -> impl Iterator<Item = &str> {
    let lines: Vec<&str> = output.lines().rev().take(LINES).collect();
    lines.into_iter().rev().map(|line| line.get(..line.floor_char_boundary(MAX_LINE)).unwrap_or(line))
}

impl OutputFilter {
    pub fn has_sign(&self, line: &str) -> bool {
        self.signs.as_ref().is_some_and(|signs| signs.is_match(line))
    }

    /// Whether it shows files, logs or remote content: nothing in there is the tool speaking to the user.
    pub fn is_content(&self, step: &SimpleCommand) -> bool {
        self.content.iter().any(|prefix| step.after(prefix).is_some())
            || step
                .words
                .iter()
                .skip(1)
                .any(|word| matches!(word.value.as_str(), "--help" | "-h" | "help" | "--version"))
    }

    /// Whether the output contains a prompt injection.
    pub fn is_hostile(&self, lower: &str) -> bool {
        self.hostile.iter().any(|phrase| lower.contains(phrase.as_str()))
    }

    /// Whether any command may follow it.
    pub fn is_idle(&self, name: &str) -> bool {
        self.idle.contains(&name)
    }

    /// Printed each time, and never useful.
    pub fn is_ignored(&self, command: &str) -> bool {
        self.ignored.iter().any(|begin| command == *begin || command.starts_with(&format!("{begin} ")))
    }

    fn read() -> Self {
        let mut filter = OutputFilter {
            signs: None,
            content: Vec::new(),
            interactive: Vec::new(),
            idle: Vec::new(),
            hostile: Vec::new(),
            ignored: Vec::new(),
            words: Vec::new(),
            #[cfg(test)]
            examples: Vec::new(),
        };
        let mut signs: Vec<&'static str> = Vec::new();
        for row in FILTER.lines().filter(|row| !row.is_empty() && !row.starts_with('#')) {
            let Some((word, rest)) = row.trim_start().split_once(' ') else { continue };
            // Examples keep their leading blanks.
            let rest = if row.starts_with(' ') { rest.strip_prefix(' ').unwrap_or(rest) } else { rest.trim() };
            match word {
                "sign" => signs.push(rest),
                "content" => {
                    let begins = rest.split(", ").map(|begin| begin.split(' ').map(Box::from).collect());
                    filter.content.extend(begins);
                }
                "interactive" => filter.interactive.extend(rest.split(' ')),
                "idle" => filter.idle.extend(rest.split(' ')),
                "hostile" => filter.hostile.push(rest.to_lowercase()),
                "ignored" => filter.ignored.push(rest),
                "words" => filter.words.extend(rest.split(' ')),
                #[cfg(test)]
                "hit" | "miss" => filter.examples.push((signs.last().copied().unwrap_or_default(), word, rest)),
                _ => {}
            }
        }
        filter.signs = RegexSet::new(signs.iter().filter(|sign| Regex::new(sign).is_ok())).ok();
        filter
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sign_has_its_hits_and_misses() {
        let mut wrong = Vec::new();
        for (sign, word, line) in &filter().examples {
            let is_match = Regex::new(sign).unwrap_or_else(|error| panic!("{sign}: {error}")).is_match(line);
            if is_match != (*word == "hit") {
                wrong.push(format!("{sign}: {word} {line}"));
            }
        }
        assert_eq!(wrong, Vec::<String>::new());
        assert!(filter().examples.len() >= 24, "{}", filter().examples.len());
    }

    #[test]
    fn routine_output_is_worth_nothing_and_a_failure_always_something() {
        assert!(!is_worth("ls", 0, "README.md\nsrc\ntests\n"));
        assert!(!is_worth("make", 0, "cc -o main main.c\nBUILD SUCCESSFUL\n"));
        assert!(is_worth("ls", 2, ""));
        assert!(is_worth("npm", 0, "3 vulnerabilities\n\nrun `npm audit fix` to fix them\n"));
        assert!(!is_worth("vim", 1, "run `npm audit fix`"), "it had the whole screen");
        let long = format!("run `make`\n{}", "x\n".repeat(60));
        assert!(!is_worth("foo", 0, &long), "only the end is looked at");
    }
}
