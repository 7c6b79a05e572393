//! Reads TOML lists: tables with strings and lists of strings. Skips what it cannot read; tests check that nothing is skipped.

use toml_edit::{Document, Table};

pub fn tables<T>(text: &'static str, name: &str, read: impl Fn(&Table) -> Option<T>) -> Vec<T> {
    let Ok(document) = Document::parse(text) else { return Vec::new() };
    let tables = document.get(name).and_then(|tables| tables.as_array_of_tables());
    tables.into_iter().flatten().filter_map(read).collect()
}

pub fn text(table: &Table, key: &str) -> Option<String> {
    table.get(key)?.as_str().map(str::to_owned)
}

pub fn texts(table: &Table, key: &str) -> Vec<String> {
    let items = table.get(key).and_then(|list| list.as_array()).into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}
