//! Kubernetes `Secret` objects: every value below `data` and `stringData` is secret, whatever its name.

use std::ops::Range;

use crate::placeholder::is_placeholder;
use crate::scan::{self, line_end, line_start, next_line, previous_line};

/// Lines of one object on either side of `kind`, and bytes of one in JSON.
const MAX_LINES: usize = 120;
const MAX_JSON: usize = 16 * 1024;

/// `word` is the span of `kind: Secret`.
pub fn values(text: &str, word: Range<usize>) -> Vec<Range<usize>> {
    let next = text.get(word.end..).and_then(|rest| rest.chars().next());
    if next.is_some_and(|next| next.is_alphanumeric() || next == '/') {
        return Vec::new();
    }
    let json = text.get(word.clone()).is_some_and(|word| word.contains('"'));
    if json { in_json(text, word) } else { in_yaml(text, word) }
}

fn in_yaml(text: &str, word: Range<usize>) -> Vec<Range<usize>> {
    let mut first = line_start(text, word.start)..line_end(text, word.end);
    for _ in 0..MAX_LINES {
        let Some(above) = previous_line(text, first.start) else { break };
        if text.get(above.clone()).is_some_and(|line| line.starts_with("---")) {
            break;
        }
        first = above;
    }
    let mut found = Vec::new();
    let mut outer = None;
    let mut inner = None;
    let mut line = first;
    for _ in 0..2 * MAX_LINES {
        let content = text.get(line.clone()).unwrap_or_default();
        let indent = content.len() - content.trim_start().len();
        let trimmed = content.trim();
        if content.starts_with("---") && line.start > word.start {
            break;
        }
        if matches!(trimmed, "data:" | "stringData:") {
            outer = Some(indent);
            inner = None;
        } else if let Some(depth) = outer.filter(|_| !trimmed.is_empty()) {
            if indent <= depth {
                outer = None;
            } else if *inner.get_or_insert(indent) == indent {
                // Deeper lines belong to a multi-line text.
                found.extend(of_line(text, &line));
            }
        }
        let Some(next) = next_line(text, line.end) else { break };
        line = next;
    }
    found
}

/// The value of `name: value`.
fn of_line(text: &str, line: &Range<usize>) -> Option<Range<usize>> {
    let content = text.get(line.clone())?;
    let colon = content.find(": ")?;
    let name = content.get(..colon)?.trim().trim_matches(['"', '\'']);
    if content.trim_start().starts_with('#') || is_plain(name) {
        return None;
    }
    let value = content.get(colon + 2..)?;
    let end = value.find(" #").unwrap_or(value.len());
    let value = scan::trimmed(text, line.start + colon + 2..line.start + colon + 2 + end);
    let value = scan::quoted(text, value.start).unwrap_or(value);
    let inner = text.get(value.clone())?;
    let one = !inner.contains([' ', '{', '$', '`', '|', '>']);
    (one && inner.len() > 2 && !is_placeholder(inner)).then_some(value)
}

/// Names of values that are stored beside a secret.
fn is_plain(name: &str) -> bool {
    const PLAIN: &[&str] =
        &["username", "user", "host", "port", "database", "name", "type", "url", "expiration", "description"];
    let low = name.to_ascii_lowercase();
    PLAIN.contains(&low.rsplit(['_', '-', '.']).next().unwrap_or_default()) || name.starts_with("usage-")
}

fn in_json(text: &str, word: Range<usize>) -> Vec<Range<usize>> {
    let from = text.ceil_char_boundary(word.start.saturating_sub(MAX_JSON / 4));
    let limit = text.floor_char_boundary(word.end.saturating_add(MAX_JSON));
    let mut found = Vec::new();
    for field in ["\"data\"", "\"stringData\""] {
        let Some(at) = text.get(from..limit).and_then(|all| all.find(field)) else { continue };
        let rest = text.get(from + at + field.len()..limit).unwrap_or_default();
        let Some(open) = rest.find('{').filter(|open| *open < 8) else { continue };
        let mut at = from + at + field.len() + open + 1;
        let mut value = false;
        while let Some(byte) = text.as_bytes().get(at).filter(|byte| **byte != b'}') {
            match byte {
                b'"' => {
                    let Some(range) = scan::quoted(text, at) else { break };
                    at = range.end;
                    let inner = text.get(range.clone()).unwrap_or_default();
                    if value && inner.len() > 2 && !is_placeholder(inner) {
                        found.push(range);
                    }
                    value = false;
                }
                b':' => value = true,
                b',' => value = false,
                _ => {}
            }
            at += 1;
        }
    }
    found
}
