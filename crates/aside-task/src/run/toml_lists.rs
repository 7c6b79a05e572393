//! Reads rule lists from `data/task/*.toml`: tables with strings and lists of strings. Skips what it cannot read; tests check that nothing
//! is skipped.

pub use aside_commands::project::toml_lists::{tables, text, texts};
use aside_core::agent::language::Bilingual;
use aside_text::lazy_regex::Regex;
use toml_edit::Table;

/// A text, with its translation under the key `chinese`.
pub fn both(table: &Table, key: &str) -> Option<Bilingual> {
    Some(Bilingual { english: text(table, key)?, chinese: text(table, "chinese")? })
}

pub fn pattern(table: &Table, key: &str) -> Option<Regex> {
    Regex::new(table.get(key)?.as_str()?).ok()
}

/// Number of tables in a text, to check that all of them were read.
#[cfg(test)]
pub fn count(text: &str, name: &str) -> usize {
    text.lines().filter(|line| line.trim() == format!("[[{name}]]")).count()
}
