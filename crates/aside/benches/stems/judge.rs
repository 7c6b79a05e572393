//! Whether a line is one that a sensible user could have meant.

use std::path::Path;

use fancy_regex::Regex;
use serde::Deserialize;
use shell_line::{self as line, Dialect};

use crate::fixture::Size;

#[derive(Deserialize)]
pub struct Stem {
    pub cwd: String,
    history: String,
    pub left: String,
    /// Patterns of whole lines that are sensible; `bad` takes precedence over `good`.
    good: Vec<String>,
    bad: Vec<String>,
    /// Showing nothing is fine.
    pub silence: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Good,
    /// No pattern of the stem decides it.
    Doubtful,
    Nonsense,
}

impl Stem {
    pub fn size(&self) -> Size {
        Size::of(&self.history).unwrap_or_else(|| panic!("{:?} is no size of a history", self.history))
    }

    pub fn verdict(&self, shown: &str) -> Verdict {
        let shown = shown.trim_end();
        let matches = |pattern: &String| {
            let pattern = Regex::new(&format!("^(?:{pattern})$")).unwrap_or_else(|error| panic!("{pattern}: {error}"));
            // With and without the blank that may follow a word.
            [shown.to_owned(), format!("{shown} ")].iter().any(|line| pattern.is_match(line).unwrap_or(false))
        };
        if !is_balanced(shown) && is_balanced(self.left.trim_end()) || self.bad.iter().any(matches) {
            return Verdict::Nonsense;
        }
        if self.good.iter().any(matches) { Verdict::Good } else { Verdict::Doubtful }
    }
}

/// Whether Enter would run it, rather than wait for the rest of a quote or a bracket.
fn is_balanced(line: &str) -> bool {
    let parsed = line::parse(line, Dialect::Zsh);
    parsed.at(line.len()).quote == line::Quote::None
}

/// The sets of a directory, by name.
pub fn sets(directory: &Path) -> Vec<(String, Vec<Stem>)> {
    let entries = std::fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.ends_with(".jsonl") && !name.starts_with("history-")
    });
    files.sort();
    files
        .into_iter()
        .map(|file| {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&file).unwrap();
            let stem =
                |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}: {error}: {line}"));
            (name.clone(), text.lines().map(stem).collect())
        })
        .collect()
}
