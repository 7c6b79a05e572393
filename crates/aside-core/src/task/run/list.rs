//! Lists of rules in `data/task/*.toml`: tables with texts and lists of texts. What cannot be read is left out; tests see to it
//! that nothing is.

use regex::Regex;
use toml_edit::Table;

use crate::agent::tongue::Both;
pub use crate::project::tables::{tables, text, texts};

/// A text, and what stands beside it as `chinese`.
pub fn both(table: &Table, key: &str) -> Option<Both> {
    Some(Both { english: text(table, key)?, chinese: text(table, "chinese")? })
}

pub fn pattern(table: &Table, key: &str) -> Option<Regex> {
    Regex::new(table.get(key)?.as_str()?).ok()
}

/// Tables in a text, to see that all of them were taken.
#[cfg(test)]
pub fn count(text: &str, name: &str) -> usize {
    text.lines().filter(|line| line.trim() == format!("[[{name}]]")).count()
}
