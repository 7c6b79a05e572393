//! Explains in a sentence how to fix an error, from `data/task/cures.toml`. Proposes no commands; `suggest` does that.

use std::sync::LazyLock;

use aside_core::agent::language::{Bilingual, Language};
use aside_redact::redact;
use aside_text::lazy_regex::Regex;
use regex::Captures;

use crate::run::{short, toml_lists};

const LIST: &str = include_str!("../../../data/task/cures.toml");

/// Lines of an output that are searched, from its end, and characters that a line contributes to a sentence.
const MAX_LINES: usize = 2000;
const MAX_NAME: usize = 80;

struct Entry {
    #[cfg(test)]
    name: String,
    pattern: Regex,
    /// A command that fails in this way.
    fails: Option<String>,
    says: Bilingual,
}

static ALL: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    toml_lists::tables(LIST, "cure", |table| {
        Some(Entry {
            #[cfg(test)]
            name: toml_lists::text(table, "name")?,
            pattern: toml_lists::pattern(table, "pattern")?,
            fails: toml_lists::text(table, "as"),
            says: toml_lists::both(table, "says")?,
        })
    })
});

/// Libraries by the names that tools have for them, in small letters, and the packages of Debian with their headers.
static LIBRARIES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let row = |table: &toml_edit::Table| Some((toml_lists::text(table, "name")?, toml_lists::text(table, "deb")?));
    toml_lists::tables(LIST, "library", row)
});

/// The package of Debian that has a library; guessed from its name where the list lacks it.
fn package(library: &str) -> Option<String> {
    let lower = library.to_lowercase();
    let known = LIBRARIES.iter().find(|(name, _)| *name == lower).map(|(_, package)| package.clone());
    let is_plain = lower.chars().all(|letter| letter.is_ascii_alphanumeric() || "+.-".contains(letter));
    known.or_else(|| {
        let bare = lower.strip_prefix("lib").unwrap_or(&lower);
        (is_plain && !lower.ends_with(".h")).then(|| format!("lib{bare}-dev"))
    })
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// The entry of the list; two errors may have the same.
    entry: usize,
    says: Bilingual,
    /// The failing command, where nothing else tells it.
    pub command: String,
}

/// The entry of what is said about the project itself.
const OF_PROJECT: usize = usize::MAX;

impl Remedy {
    pub fn of_project(says: Bilingual) -> Self {
        Self { entry: OF_PROJECT, says, command: String::new() }
    }

    /// Changes what it says, in both languages.
    pub fn say(&mut self, change: impl Fn(&str) -> String) {
        self.says = Bilingual::new(change(&self.says.english), change(&self.says.chinese));
    }

    pub fn sentence(&self, language: Language) -> &str {
        self.says.of(language)
    }
}

/// The remedy for the lines that say what is wrong.
pub fn of_cause(lines: &str) -> Option<Remedy> {
    lines.lines().find_map(of_line)
}

/// The remedy for any line of the output.
pub fn of_output(output: &str) -> Option<Remedy> {
    let lines: Vec<&str> = output.lines().rev().take(MAX_LINES).collect();
    let of = |(at, entry): (usize, &Entry)| lines.iter().find_map(|line| entry.remedy(at, line));
    ALL.iter().enumerate().find_map(of)
}

/// Drops remedies that say the same about several errors.
pub fn distinct(remedies: impl Iterator<Item = Remedy>, most: usize) -> Vec<Remedy> {
    let mut all: Vec<Remedy> = Vec::new();
    for remedy in remedies {
        if !all
            .iter()
            .any(|other| other.entry == remedy.entry && (remedy.entry != OF_PROJECT || other.says == remedy.says))
            && all.len() < most
        {
            all.push(remedy);
        }
    }
    all
}

fn of_line(line: &str) -> Option<Remedy> {
    ALL.iter().enumerate().find_map(|(at, entry)| entry.remedy(at, line))
}

impl Entry {
    fn remedy(&self, entry: usize, line: &str) -> Option<Remedy> {
        let found = self.pattern.captures(line)?;
        // A header of the project itself is in no package.
        if let Some(header) = found.name("known") {
            let lower = header.as_str().to_lowercase();
            LIBRARIES.iter().find(|(name, _)| *name == lower)?;
        }
        let Bilingual { english, chinese } = &self.says;
        let says = Bilingual::new(self.filled(english, &found), self.filled(chinese, &found));
        // Text of an output enters a command only as plain words, since the output is untrusted.
        let is_plain = |text: &str| text.chars().all(|letter| letter.is_alphanumeric() || " ._:+/@-".contains(letter));
        let command = self.fails.as_ref().map(|fails| self.filled(fails, &found));
        let command = command.filter(|command| is_plain(command)).unwrap_or_default();
        Some(Remedy { entry, says, command })
    }

    fn filled(&self, sentence: &str, found: &Captures<'_>) -> String {
        let mut filled = sentence.to_owned();
        if sentence.contains("<deb>") {
            let groups = ["lib", "lib2", "lib3", "lib4", "lib5", "known"];
            let library = groups.iter().find_map(|group| found.name(group)).map_or("", |name| name.as_str());
            filled = filled.replace("<deb>", &package(library).unwrap_or_else(|| "lib…-dev".to_owned()));
        }
        for name in self.pattern.capture_names() {
            let value = found.name(&name).map_or("", |value| value.as_str());
            filled = filled.replace(&format!("<{name}>"), &short(&redact(value), MAX_NAME).replace('`', "'"));
        }
        filled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cure_has_its_hits_and_misses() {
        assert_eq!(ALL.len(), toml_lists::count(LIST, "cure"));
        let examples = toml_lists::tables(LIST, "cure", |table| {
            Some((toml_lists::texts(table, "hits"), toml_lists::texts(table, "misses")))
        });
        let mut wrong = Vec::new();
        for (entry, (hits, misses)) in ALL.iter().zip(examples) {
            assert!(!hits.is_empty() && misses.len() >= 2, "{}", entry.name);
            for hit in hits {
                let (line, part) = hit.rsplit_once(" => ").unwrap();
                let told = of_line(line);
                let told = told.as_ref().map_or("", |told| told.sentence(Language::English));
                if !told.contains(part)
                    || entry.pattern.capture_names().iter().any(|name| told.contains(&format!("<{name}>")))
                {
                    wrong.push(format!("{}: {line}: {told}", entry.name));
                }
            }
            let missed = misses.iter().filter(|line| entry.remedy(0, line).is_some());
            wrong.extend(missed.map(|line| format!("{}: miss {line}", entry.name)));
        }
        assert_eq!(wrong, Vec::<String>::new());
    }

    #[test]
    fn nothing_of_an_output_becomes_code_by_its_own() {
        let told = of_output("ModuleNotFoundError: No module named 'a`b'").unwrap();
        assert!(!told.sentence(Language::English).contains("a`b"));
        for line in [
            "bash: ./a;reboot: Permission denied",
            "Error: Cannot find module 'x;reboot'",
            "main.go:4:2: no required module provides package a.b/c$(reboot); to add it:",
            "FAILED a;reboot.py::test_x",
            "make: *** No rule to make target 'x;reboot'.  Stop.",
        ] {
            let told = of_line(line);
            let said = told.as_ref().map_or("", |told| told.sentence(Language::English));
            let runs = said.split('`').skip(1).step_by(2).any(|code| code.contains("reboot") && code.contains(' '));
            assert!(!runs && told.as_ref().is_none_or(|told| !told.command.contains("reboot")), "{line}: {said}");
        }
    }
}
