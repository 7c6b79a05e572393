//! The year in copyright lines: `update the copyright year to 2026`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;

use crate::run::code;
use crate::run::exact_edit::EditResult;

static LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)(?P<head>copyright\b[^\n]{0,20}?\b(?:(?:19|20)\d\d\s*[-–]\s*)?)(?P<year>20\d\d)\b").ok()
});

pub fn set(year: &str, files: &BTreeMap<String, String>) -> EditResult {
    let Some(line) = LINE.as_ref() else { return EditResult::Nothing(String::new()) };
    let mut made = BTreeMap::new();
    for (path, text) in files {
        let new =
            line.replace_all(text, |found: &regex::Captures<'_>| format!("{}{year}", &found["head"])).into_owned();
        if new != *text {
            made.insert(path.clone(), new);
        }
    }
    if made.is_empty() {
        return EditResult::Nothing(format!("No copyright line here has another year than {}.", code(year)));
    }
    let summary = format!("Set the copyright year to {} in {}", code(year), super::super::text::counted(made.len()));
    EditResult::Texts { files: made, summary, note: String::new() }
}
