//! Lists of rules in `data/task/*.toml`: tables with texts and lists of texts. What cannot be read is left out; tests see to it
//! that nothing is.

use regex::Regex;
use toml_edit::{Document, Table};

use crate::agent::tongue::Both;

pub fn tables<T>(text: &'static str, name: &str, read: impl Fn(&Table) -> Option<T>) -> Vec<T> {
    let Ok(document) = Document::parse(text) else { return Vec::new() };
    let tables = document.get(name).and_then(|tables| tables.as_array_of_tables());
    tables.into_iter().flatten().filter_map(read).collect()
}

pub fn text(table: &Table, key: &str) -> Option<String> {
    table.get(key)?.as_str().map(str::to_owned)
}

/// A text, and what stands beside it as `chinese`.
pub fn both(table: &Table, key: &str) -> Option<Both> {
    Some(Both { english: text(table, key)?, chinese: text(table, "chinese")? })
}

pub fn texts(table: &Table, key: &str) -> Vec<String> {
    let items = table.get(key).and_then(|list| list.as_array()).into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

pub fn pattern(table: &Table, key: &str) -> Option<Regex> {
    Regex::new(table.get(key)?.as_str()?).ok()
}

/// Tables in a text, to see that all of them were taken.
#[cfg(test)]
pub fn count(text: &str, name: &str) -> usize {
    text.lines().filter(|line| line.trim() == format!("[[{name}]]")).count()
}
