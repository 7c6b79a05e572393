//! Replaces one word by another in one file, as a whole word. A scheme is replaced in addresses only.

use std::collections::BTreeMap;

use regex::Regex;

use super::{FileEdit, ending};
use crate::run::code;
use crate::run::exact_edit::{EditResult, text};

/// Words that stand for signs, and words of prose: what is to be written for them cannot be told.
const NO_TEXTS: &[&str] = &[
    "tabs",
    "tab",
    "spaces",
    "space",
    "newlines",
    "commas",
    "semicolons",
    "quotes",
    "it",
    "this",
    "that",
    "them",
    "the",
    "everything",
    "all",
    "code",
    "comments",
    "names",
    "types",
    "a",
    "an",
    "something",
    "logging",
    "logger",
    "callbacks",
    "promises",
    "async",
    "loops",
    "strings",
    "lists",
    "constants",
    "hardcoded",
    "magic",
    "f-strings",
    "enum",
    "enums",
    "classes",
    "functions",
    "hooks",
];
const SCHEMES: &[&str] = &["http", "https", "ws", "wss", "ftp", "git", "ssh"];

pub fn read(from: &str, to: &str, file: String) -> Option<FileEdit> {
    let is_text = |word: &str| !NO_TEXTS.contains(&word.to_lowercase().as_str());
    (from != to && is_text(from) && is_text(to)).then(|| FileEdit::Word {
        from: from.to_owned(),
        to: to.to_owned(),
        file,
    })
}

pub fn replace(from: &str, to: &str, files: &BTreeMap<String, String>) -> EditResult {
    let Some((path, old)) = files.first_key_value() else { return EditResult::Nothing(String::new()) };
    if SCHEMES.contains(&from) && SCHEMES.contains(&to) {
        return scheme(from, to, path, old);
    }
    // In prose and styles a hyphen joins words, in code it is an operator; the signs of `g++` belong to it.
    let joins = matches!(ending(path), "md" | "txt" | "css" | "scss" | "html" | "yml" | "yaml" | "json" | "toml" | "");
    let signs =
        format!("{}{}", if from.contains('+') { "+" } else { "" }, if joins || from.contains('-') { "-" } else { "" });
    let pattern = format!(r"(?:^|[^\w${signs}])(?P<word>{})(?:$|[^\w${signs}])", regex::escape(from));
    let Ok(word) = Regex::new(&pattern) else { return EditResult::Nothing(String::new()) };
    // Neighbours share the sign between them, so one pass may leave some.
    let mut made = old.clone();
    let mut count = 0;
    let mut at = 0;
    while let Some(found) = word.captures_at(&made, at).and_then(|found| found.name("word")) {
        let range = found.range();
        at = range.start + to.len();
        made.replace_range(range, to);
        count += 1;
    }
    if count == 0 {
        return EditResult::Nothing(format!(
            "{} does not have the word {}, so nothing is changed.",
            code(path),
            code(from)
        ));
    }
    let summary = format!("Replace {} with {}, {} in {}", code(from), code(to), text::times(count), code(path));
    super::one(path, made, summary)
}

/// Addresses of this machine keep their scheme: nothing there answers to another one.
fn scheme(from: &str, to: &str, path: &str, old: &str) -> EditResult {
    let Ok(address) = Regex::new(&format!(r"\b{from}://(?P<host>[^/\s:]*)")) else {
        return EditResult::Nothing(String::new());
    };
    let is_own = |host: &str| ["localhost", "127.0.0.1", "0.0.0.0", "[::1]"].contains(&host);
    let (mut count, mut kept) = (0, 0);
    let made = address.replace_all(old, |found: &regex::Captures<'_>| {
        let host = &found["host"];
        if is_own(host) {
            kept += 1;
            return found[0].to_owned();
        }
        count += 1;
        format!("{to}://{host}")
    });
    let made = made.into_owned();
    if count == 0 {
        return EditResult::Nothing(format!(
            "{} has no address with {} that another machine serves.",
            code(path),
            code(&format!("{from}://"))
        ));
    }
    let note = if kept > 0 { "Addresses of this machine stay as they are.".to_owned() } else { String::new() };
    let summary = format!(
        "Replace {} with {}, {} in {}",
        code(&format!("{from}://")),
        code(&format!("{to}://")),
        text::times(count),
        code(path)
    );
    EditResult::Texts { files: BTreeMap::from([(path.to_owned(), made)]), summary, note }
}
