//! Commands in JSON, in whatever shape: an object with a command, a list, a string, a call of a tool, cut off in the
//! middle, with prose behind it.

use serde_json::Value;

/// Objects in objects that are looked at.
const MAX_DEPTH: usize = 6;

/// Keys of what is wanted, in the order in which they are believed.
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

/// Keys of what holds them.
const HOLDERS: [&str; 9] =
    ["arguments", "parameters", "input", "function", "tool_calls", "tool_call", "data", "output", "content"];

/// Whether the text is JSON from its first letter on.
pub enum Begins {
    Yes,
    /// It is too short to tell.
    Maybe,
    No,
}

/// None when it is not JSON. An empty list when it is, and holds no command.
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

/// What is there of the first command of an object that is still being said.
pub fn begun(spoken: &str) -> Option<String> {
    let text = spoken.trim_start();
    // Which of several keys will be believed is only known for the ones that come first.
    let at = ["\"commands\"", "\"command\""].iter().filter_map(|key| Some((text.find(key)?, key.len()))).min()?;
    let before = text.get(1..at.0)?;
    if before.contains('"') {
        return None;
    }
    let rest = text.get(at.0 + at.1..)?.trim_start().strip_prefix(':')?.trim_start();
    let rest = rest.strip_prefix('[').map_or(rest, str::trim_start).strip_prefix('"')?;
    let (value, closed) = string(rest, '"');
    // The last word may go on, and a fence in a string is taken away at its end.
    let sure = if closed { value.as_str() } else { value.get(..value.rfind(' ')?)? };
    let first = sure.chars().next()?;
    let plain = first.is_ascii_lowercase() && !sure.contains(['\n', '`', '#']);
    plain.then(|| sure.trim_end().to_owned())
}

/// From where the JSON begins, if there is some: at the start, or behind a sentence.
fn start(spoken: &str) -> Option<&str> {
    let text = spoken.trim();
    if text.starts_with(['{', '[', '"']) {
        return Some(text);
    }
    let at = text.match_indices('{').map(|(at, _)| at).find(|at| text.get(*at..).is_some_and(names_command))?;
    // In the middle of a command it is an argument of it.
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

/// One of our keys is the first or a later key of the object.
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
            // JSON in a string, as calls of tools have it.
            Ok(inner @ (Value::Object(_) | Value::Array(_))) => collect(&inner, depth + 1, found),
            _ => found.push(text.clone()),
        },
        Value::Array(items) => items.iter().for_each(|item| collect(item, depth + 1, found)),
        Value::Object(map) => {
            let before = found.len();
            for key in KEYS {
                let value = map.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value);
                // The first that is believed says it, and alternatives may stand beside it.
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

/// Whole strings behind our keys in a text that is not quite JSON: cut off, or in the quotes of another language.
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
                // Half a command is another command.
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

/// The text up to the quote that closes it, and whether it is there.
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

/// Bytes up to and with the quote that closes the text.
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
