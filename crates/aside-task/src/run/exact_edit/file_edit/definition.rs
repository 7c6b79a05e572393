//! Takes a definition out with all of its lines: its decorators and its comment above, its body below. Says where it is still used.

use std::collections::BTreeMap;

use aside_text::lazy_regex::Regex;

use super::ending;
use crate::run::code;
use crate::run::exact_edit::EditResult;
use crate::run::review::file_kind;
use crate::run::search::{definitions, lists};

const MAX_PLACES: usize = 5;

/// Whether a word may be the name of a definition, and not one that only describes it.
pub fn may_be(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "a", "an", "the", "this", "that", "all", "unused", "dead", "old", "every", "any", "failing", "broken", "flaky",
        "first", "last", "new", "helper", "main", "empty", "unit", "other", "its", "my", "our", "same", "whole",
    ];
    !WORDS.contains(&name)
}

/// `old_load` of `LinkStore.old_load`.
pub fn last(name: &str) -> &str {
    name.rsplit(['.', ':']).next().unwrap_or(name)
}

pub fn remove(name: &str, file: Option<&str>, files: &BTreeMap<String, String>) -> EditResult {
    let short = last(name);
    let is_code = |path: &str| file_kind::of(path) == file_kind::CODE || file_kind::of(path) == "tests";
    // The declaration of a header and the body are one definition in two files, and what is asked for is not clear.
    let mut found: Vec<(&String, &String, usize)> = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| is_code(path)) {
        let lines = text.lines().enumerate();
        let defining = lines.filter(|(_, line)| {
            definitions::defines(line, short) && (lists::defined_by_keyword(line) || !line.starts_with([' ', '\t']))
        });
        found.extend(defining.map(|(at, _)| (path, text, at)));
    }
    if let Some(file) = file {
        found.retain(|(path, ..)| path.as_str() == file || path.ends_with(&format!("/{file}")));
    }
    let (path, text, at) = match found.as_slice() {
        [] => return EditResult::Nothing(String::new()),
        [only] => *only,
        several => {
            let rows: Vec<String> = several
                .iter()
                .take(MAX_PLACES)
                .map(|(path, text, at)| {
                    format!("- `{path}:{}` {}", at + 1, code(text.lines().nth(*at).unwrap_or("").trim()))
                })
                .collect();
            return EditResult::Nothing(format!(
                "{} is defined at {} places; say the file, as in: remove the function {short} from FILE.\n\n{}",
                code(short),
                several.len(),
                rows.join("\n")
            ));
        }
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let Some((first, end)) = extent(path, &lines, at) else {
        return EditResult::Nothing(format!(
            "Where {} ends in `{path}:{}` cannot be told without a model.",
            code(short),
            at + 1
        ));
    };
    let made = without(&lines, first, end);
    let uses = uses(short, files, path, first, end);
    let note = match uses.is_empty() {
        true => String::new(),
        false => format!("{} is still named at {}.", code(short), uses.join(", ")),
    };
    let summary = format!("Remove {} from {}, {} lines", code(short), code(path), end - first);
    EditResult::Texts { files: BTreeMap::from([(path.clone(), made)]), summary, note }
}

/// The lines from the first to the one behind the last.
fn extent(path: &str, lines: &[&str], at: usize) -> Option<(usize, usize)> {
    let end = match ending(path) {
        "py" => python_end(lines, at)?,
        "rb" | "ex" | "exs" | "lua" | "sh" => return None,
        _ => braces_end(lines, at)?,
    };
    let mut first = at;
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = indent(lines.get(at)?);
    // What is written directly above belongs to it.
    while let Some(above) = first.checked_sub(1).and_then(|above| lines.get(above)) {
        let trimmed = above.trim();
        let belongs = !trimmed.is_empty()
            && indent(above) == own
            && (trimmed.starts_with('@') || trimmed.starts_with("#[") || lists::is_comment(above));
        if !belongs {
            break;
        }
        first -= 1;
    }
    Some((first, end))
}

fn python_end(lines: &[&str], at: usize) -> Option<usize> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = indent(lines.get(at)?);
    // The signature may have several lines.
    let mut body = at;
    let mut depth = 0_i32;
    loop {
        let line = lines.get(body)?;
        depth += depth_of(line);
        body += 1;
        if depth <= 0 {
            break;
        }
    }
    let is_block = lines.get(body - 1)?.split('#').next().unwrap_or_default().trim_end().ends_with(':');
    if !is_block {
        return Some(body);
    }
    let mut end = body;
    let mut in_text = false;
    for (number, line) in lines.iter().enumerate().skip(body) {
        let marks = line.matches("\"\"\"").count() + line.matches("'''").count();
        if !in_text && !line.trim().is_empty() && indent(line) <= own {
            break;
        }
        if !line.trim().is_empty() {
            end = number + 1;
        }
        if marks % 2 == 1 {
            in_text = !in_text;
        }
    }
    (!in_text).then_some(end)
}

fn braces_end(lines: &[&str], at: usize) -> Option<usize> {
    let mut depth = 0_i32;
    let mut opened = false;
    for (number, line) in lines.iter().enumerate().skip(at) {
        let depths = depths(line)?;
        opened |= depths.contains(&'{');
        depth += depth_of(line);
        let ends = line.trim_end().ends_with([';', '}', ')', ',']) || opened;
        // Without a brace, the statement ends with its line.
        if depth == 0 && ends {
            return Some(number + 1);
        }
        if depth < 0 {
            return None;
        }
    }
    None
}

fn depth_of(line: &str) -> i32 {
    depths(line).unwrap_or_default().iter().fold(0, |depth, letter| match letter {
        '(' | '[' | '{' => depth + 1,
        _ => depth - 1,
    })
}

/// The brackets of a line outside of its texts and comments; `None` where a text does not end in its line.
fn depths(line: &str) -> Option<Vec<char>> {
    let mut found = Vec::new();
    let mut quote = None;
    let mut letters = line.char_indices();
    while let Some((at, letter)) = letters.next() {
        match (quote, letter) {
            (Some(_), '\\') => {
                letters.next();
            }
            (Some(open), letter) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '"' | '`') => quote = Some(letter),
            // In Rust it also begins a lifetime, so only a short text counts.
            (None, '\'') => {
                let rest = line.get(at + 1..).unwrap_or_default();
                if rest.chars().nth(1) == Some('\'') || rest.starts_with('\\') {
                    quote = Some('\'');
                }
            }
            (None, '/') if line.get(at..).is_some_and(|rest| rest.starts_with("//")) => break,
            (None, '#') if line.get(..at).is_some_and(|before| before.ends_with([' ', '\t'])) => break,
            (None, '(' | ')' | '[' | ']' | '{' | '}') => found.push(letter),
            (None, _) => {}
        }
    }
    quote.is_none().then_some(found)
}

/// Without the lines, and with as many blank lines between the neighbours as one of them had.
fn without(lines: &[&str], first: usize, end: usize) -> String {
    let blank = |line: &&&str| line.trim().is_empty();
    let before = lines.get(..first).unwrap_or_default().iter().rev().take_while(blank).count();
    let after = lines.get(end..).unwrap_or_default().iter().take_while(blank).count();
    let at_end = end + after >= lines.len();
    let at_start = first == before;
    // The smaller gap goes with it: that of a method in its class.
    let (cut_before, cut_after) = match () {
        () if at_end => (before, after),
        () if at_start || after <= before => (0, after),
        () => (before, 0),
    };
    let kept_before = lines.get(..first - cut_before).unwrap_or_default();
    let kept_after = lines.get(end + cut_after..).unwrap_or_default();
    kept_before.iter().chain(kept_after).copied().collect()
}

/// Where the name occurs as a word outside of the lines.
fn uses(name: &str, files: &BTreeMap<String, String>, path: &str, first: usize, end: usize) -> Vec<String> {
    let Ok(word) = Regex::new(&format!(r"\b{}\b", regex::escape(name))) else { return Vec::new() };
    let mut found = Vec::new();
    for (other, text) in files {
        for (at, _) in text.lines().enumerate().filter(|(_, line)| word.is_match(line)) {
            if (other != path || at < first || at >= end) && found.len() < MAX_PLACES {
                found.push(format!("`{other}:{}`", at + 1));
            }
        }
    }
    found
}
