//! Extracts commands from JSON in any shape: an object with a command, a list, a string, a tool call, truncated, or followed by prose.

use serde_json::Value;

/// Nesting of objects.
const MAX_DEPTH: usize = 6;

/// Keys of commands, in order of preference.
const KEYS: [&str; 17] = [
    "commands",
    "command",
    "cmd",
    "shell_command",
    "shell",
    "bash",
    "zsh",
    "candidates",
    "suggestions",
    "suggestion",
    "alternatives",
    "answer",
    "result",
    "response",
    "code",
    "script",
    "text",
];

/// Keys of objects that contain them.
const HOLDERS: [&str; 9] =
    ["arguments", "parameters", "input", "function", "tool_calls", "tool_call", "data", "output", "content"];

/// Whether the text is JSON from its first character.
pub enum Begins {
    Yes,
    /// Too short to tell.
    Maybe,
    No,
}

/// `None` when it is not JSON; an empty list when it is, but has no command.
pub fn commands(spoken: &str) -> Option<Vec<String>> {
    let text = start(spoken)?;
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let mut found = Vec::new();
    match values.next() {
        Some(Ok(value)) => {
            let rest = text.get(values.byte_offset()..).unwrap_or_default().trim();
            match &value {
                // `"my program" x` and `[ -f x ]` are commands.
                Value::String(_) if !rest.is_empty() => return None,
                Value::Array(items) if items.iter().any(|item| !item.is_string() && !item.is_object()) => return None,
                _ => {}
            }
            collect(&value, 0, &mut found);
            // One object per line.
            if matches!(value, Value::Object(_)) {
                for value in values.map_while(Result::ok).take(MAX_DEPTH) {
                    collect(&value, 0, &mut found);
                }
            }
            Some(found)
        }
        _ => is_object(text).then(|| scattered(text)),
    }
}

pub fn begins(spoken: &str) -> Begins {
    let text = spoken.trim_start();
    let Some(rest) = text.strip_prefix(['{', '[']) else {
        return if text.is_empty() || text.starts_with('"') { Begins::Maybe } else { Begins::No };
    };
    match rest.trim_start().chars().next() {
        None => Begins::Maybe,
        Some('"') => Begins::Yes,
        Some('{' | '\n') if text.starts_with('[') => Begins::Yes,
        Some(_) => Begins::No,
    }
}

/// The beginning of the first command of an object that still streams.
pub fn begun(spoken: &str) -> Option<String> {
    let text = spoken.trim_start();
    // A later key may be preferred, so only these are certain when they come first.
    let at = ["\"commands\"", "\"command\""].iter().filter_map(|key| Some((text.find(key)?, key.len()))).min()?;
    let before = text.get(1..at.0)?;
    if before.contains('"') {
        return None;
    }
    let rest = text.get(at.0 + at.1..)?.trim_start().strip_prefix(':')?.trim_start();
    let rest = rest.strip_prefix('[').map_or(rest, str::trim_start).strip_prefix('"')?;
    let (value, closed) = string(rest, '"');
    // The last word may be incomplete, and a fence in a string is removed at its end.
    let sure = if closed { value.as_str() } else { value.get(..value.rfind(' ')?)? };
    let first = sure.chars().next()?;
    let plain = first.is_ascii_lowercase() && !sure.contains(['\n', '`', '#']);
    plain.then(|| sure.trim_end().to_owned())
}

/// Where the JSON begins, if there is any: at the start, or after a sentence.
fn start(spoken: &str) -> Option<&str> {
    let text = spoken.trim();
    if text.starts_with(['{', '[', '"']) {
        return Some(text);
    }
    let at = text.match_indices('{').map(|(at, _)| at).find(|at| text.get(*at..).is_some_and(names_command))?;
    // In the middle of a command it is an argument.
    let before = text.get(..at)?;
    let prose = before.trim_end().ends_with([':', '.', '\n']) || before.ends_with('\n');
    (prose && !before.contains("```")).then(|| text.get(at..)).flatten()
}

fn is_object(text: &str) -> bool {
    let rest = text.strip_prefix('{').or(text.strip_prefix('[')).map(str::trim_start);
    rest.is_some_and(|rest| {
        rest.starts_with(['"', '\'']) && names_command(text) || rest.starts_with('{') && names_command(rest)
    })
}

/// Whether one of our keys is among the keys of the object.
fn names_command(text: &str) -> bool {
    let Some(rest) = text.strip_prefix(['{', '[']).map(str::trim_start) else { return false };
    if !rest.starts_with(['"', '\'']) {
        return false;
    }
    KEYS.iter().any(|key| ['"', '\''].iter().any(|quote| text.contains(&format!("{quote}{key}{quote}"))))
}

fn collect(value: &Value, depth: usize, found: &mut Vec<String>) {
    if depth > MAX_DEPTH {
        return;
    }
    match value {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            // JSON in a string, as tool calls have it.
            Ok(inner @ (Value::Object(_) | Value::Array(_))) => collect(&inner, depth + 1, found),
            _ => found.push(text.clone()),
        },
        Value::Array(items) => items.iter().for_each(|item| collect(item, depth + 1, found)),
        Value::Object(map) => {
            let before = found.len();
            for key in KEYS {
                let value = map.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value);
                // Only the most preferred key counts, apart from alternatives.
                if let Some(value) = value.filter(|_| found.len() == before || key == "alternatives") {
                    collect(value, depth + 1, found);
                }
            }
            if found.len() == before {
                HOLDERS
                    .iter()
                    .filter_map(|key| map.get(*key))
                    .filter(|held| !held.is_string() || is_json(held))
                    .for_each(|held| collect(held, depth + 1, found));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn is_json(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.trim_start().starts_with(['{', '[']))
}

/// Complete strings after our keys in malformed JSON: truncated, or with other quotes.
fn scattered(text: &str) -> Vec<String> {
    for key in KEYS {
        for quote in ['"', '\''] {
            let Some(at) = text.find(&format!("{quote}{key}{quote}")) else { continue };
            let rest = text.get(at + key.len() + 2..).unwrap_or_default().trim_start();
            let Some(rest) = rest.strip_prefix(':').map(str::trim_start) else { continue };
            let list = rest.strip_prefix('[').map(str::trim_start);
            let mut rest = list.unwrap_or(rest);
            let mut found = Vec::new();
            while let Some(open) = rest.chars().next().filter(|open| matches!(open, '"' | '\'')) {
                let inside = rest.get(1..).unwrap_or_default();
                let (value, closed) = string(inside, open);
                // A truncated command is another command.
                if !closed {
                    break;
                }
                found.push(value);
                let used = length(inside, open);
                rest = inside.get(used..).unwrap_or_default().trim_start();
                match rest.strip_prefix(',').filter(|_| list.is_some()) {
                    Some(next) => rest = next.trim_start(),
                    None => break,
                }
            }
            if !found.is_empty() {
                return found;
            }
        }
    }
    Vec::new()
}

/// The text up to its closing quote, and whether that is present.
fn string(text: &str, close: char) -> (String, bool) {
    let mut value = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n') => value.push('\n'),
                Some('t') => value.push(' '),
                Some('r' | 'b' | 'f') => {}
                Some('u') => {
                    let digits: String = letters.by_ref().take(4).collect();
                    match u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).filter(|_| digits.len() == 4) {
                        Some(letter) if !letter.is_control() => value.push(letter),
                        _ => return (value, false),
                    }
                }
                Some(letter) => value.push(letter),
                None => return (value, false),
            },
            letter if letter == close => return (value, true),
            letter => value.push(letter),
        }
    }
    (value, false)
}

/// Number of bytes including the closing quote.
fn length(text: &str, close: char) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            letter if letter == close => return at + letter.len_utf8(),
            _ => {}
        }
    }
    text.len()
}
