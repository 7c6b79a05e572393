//! Adds to the value of a variable or to a list: `add -Wextra to CFLAGS`, `add "api" to ALLOWED_HOSTS`. Only the value is touched.

use std::collections::BTreeMap;

use crate::run::code;
use crate::run::exact_edit::EditResult;
use crate::run::exact_edit::assign::{self, Syntax, Value};
use crate::run::exact_edit::file_edit::cmake;
use crate::run::exact_edit::text::Quotes;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addition {
    /// The variable.
    pub name: String,
    pub value: Value,
    pub file: Option<String>,
}

pub fn add(addition: &Addition, files: &BTreeMap<String, String>) -> EditResult {
    let name = &addition.name;
    let mut found: Vec<(&String, usize, usize, Syntax)> = Vec::new();
    for (path, text) in files {
        if let Some(made) = in_cmake(addition, path, text) {
            return made;
        }
        found.extend(assign::assigned(path, text, name).into_iter().map(|(line, at, syntax)| (path, line, at, syntax)));
    }
    let (path, at, syntax) = match found.as_slice() {
        [] => return EditResult::Nothing(String::new()),
        [(path, _, at, syntax)] => (*path, *at, *syntax),
        several => {
            let rows: Vec<String> =
                several.iter().take(6).map(|(path, line, ..)| format!("- `{path}:{line}`")).collect();
            return EditResult::Nothing(format!(
                "{} is set at {} places. Say which file is meant, as in: add VALUE to {name} in FILE.\n\n{}",
                code(name),
                several.len(),
                rows.join("\n")
            ));
        }
    };
    let text = files.get(path).map_or("", String::as_str);
    let made = match with(text, at, &addition.value, syntax) {
        Ok(made) => made,
        Err(why) => return EditResult::Nothing(format!("{} in {}: {why}.", code(name), code(path))),
    };
    let summary = format!("Add {} to {} in {}", code(&addition.value.text), code(name), code(path));
    EditResult::Texts { files: BTreeMap::from([(path.clone(), made)]), summary, note: String::new() }
}

/// Behind the last value of `set(NAME …)`, or in its text of flags; `None` where the file does not set the variable, or twice.
fn in_cmake(addition: &Addition, path: &str, text: &str) -> Option<EditResult> {
    let Addition { name, value, .. } = addition;
    let lists = if cmake::is_cmake(path) { cmake::assigned(text, name) } else { Vec::new() };
    let [list] = lists.as_slice() else { return None };
    let inner = text.get(list.clone())?;
    let is_there = inner.split(|letter: char| letter.is_whitespace() || letter == '"').any(|word| word == value.text);
    if is_there {
        return Some(EditResult::Nothing(format!("{} has {} already.", code(name), code(&value.text))));
    }
    let mut made = text.to_owned();
    match inner.ends_with('"') {
        true => made.insert_str(list.end - 1, &format!(" {}", value.text)),
        false => {
            let last = inner.lines().last().unwrap_or_default();
            let indent = last.get(..last.len() - last.trim_start().len()).unwrap_or_default();
            let between = if inner.contains('\n') { format!("\n{indent}") } else { " ".to_owned() };
            made.insert_str(list.end, &format!("{between}{}", value.text));
        }
    }
    let summary = format!("Add {} to {} in {}", code(&value.text), code(name), code(path));
    Some(EditResult::Texts { files: BTreeMap::from([(path.to_owned(), made)]), summary, note: String::new() })
}

/// The text with the addition in the value that begins at a place.
fn with(text: &str, at: usize, value: &Value, syntax: Syntax) -> Result<String, String> {
    let new = value.text.as_str();
    let rest = text.get(at..).unwrap_or_default();
    let insert = |place: usize, what: &str| {
        let mut made = text.to_owned();
        made.insert_str(place, what);
        Ok(made)
    };
    if new.contains(['\n', '\\']) {
        return Err("such a text cannot be added without a model".to_owned());
    }
    if let Some(close) = rest.chars().next().and_then(|open| closing(open).map(|_| open)).and_then(|_| end(rest)) {
        let inner = rest.get(1..close).unwrap_or_default();
        let items = inner.trim_end().trim_end_matches(',');
        let is_text = items.trim_start().starts_with(['"', '\'']) || items.trim().is_empty() && !is_plain_value(new);
        let quote = if items.trim_start().starts_with('\'') { '\'' } else { '"' };
        if new.contains(quote) {
            return Err("the new text has quotes of the same sort".to_owned());
        }
        let item = if is_text || value.quoted { format!("{quote}{new}{quote}") } else { new.to_owned() };
        if items.split(',').any(|known| known.trim() == item) {
            return Err(format!("{} is there already", code(new)));
        }
        if items.contains(':') && rest.starts_with('{') {
            return Err("it is a table, and what the new key is to be cannot be told".to_owned());
        }
        let end_of_items = at + 1 + items.len();
        if items.trim().is_empty() {
            return insert(at + 1, &item);
        }
        let comma = inner.trim_end().ends_with(',');
        return match items.contains('\n') {
            true => {
                let last = items.lines().last().unwrap_or_default();
                let indent = last.get(..last.len() - last.trim_start().len()).unwrap_or_default();
                let ends = if comma { "" } else { "," };
                let place = if comma { end_of_items + 1 } else { end_of_items };
                insert(place, &format!("{ends}\n{indent}{item}{}", if comma { "," } else { "" }))
            }
            false => insert(end_of_items, &format!(", {item}")),
        };
    }
    // A value of several lines ends where no backslash goes on.
    let mut length = 0;
    for line in rest.split_inclusive('\n') {
        length += line.trim_end_matches(['\n', '\r']).len();
        if !line.trim_end().ends_with('\\') {
            break;
        }
        length += line.len() - line.trim_end_matches(['\n', '\r']).len();
    }
    let whole = rest.get(..length).unwrap_or_default();
    let old = whole.split(" #").next().unwrap_or(whole).trim_end();
    if old.split_whitespace().any(|word| word.trim_matches(['"', '\'']) == new) {
        return Err(format!("{} is there already", code(new)));
    }
    let quote = old.chars().next().filter(|first| "\"'".contains(*first));
    match quote {
        // A text of flags and words, separated by blanks.
        Some(quote) if old.len() > 1 && old.trim_end_matches([';', ',']).ends_with(quote) && !new.contains(quote) => {
            let inner = old.trim_end_matches([';', ',']).len() - 1;
            let is_flags = new.starts_with('-') || old.contains(' ') || old.len() == 2;
            if !is_flags {
                return Err("it is one text, and how a second one is joined to it cannot be told".to_owned());
            }
            let blank = if inner == 1 { "" } else { " " };
            insert(at + inner, &format!("{blank}{new}"))
        }
        None if syntax == Syntax::Bare => {
            let blank = if old.is_empty() { "" } else { " " };
            insert(at + old.len(), &format!("{blank}{new}"))
        }
        _ => Err("it is no list, so nothing can be added to it".to_owned()),
    }
}

fn is_plain_value(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_digit())
}

fn closing(open: char) -> Option<char> {
    match open {
        '[' => Some(']'),
        '(' => Some(')'),
        '{' => Some('}'),
        _ => None,
    }
}

/// Where the bracket at the beginning of a text is closed.
pub fn end(text: &str) -> Option<usize> {
    let (mut depth, mut quotes) = (0_i32, Quotes::default());
    for (at, letter) in text.char_indices() {
        match letter {
            _ if quotes.hold(letter, "\"'") => {}
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}
