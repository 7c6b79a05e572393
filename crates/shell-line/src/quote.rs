//! Quotes a text so that the shell reads it as one word.

use crate::{Dialect, Quote};

/// What comes after a completed word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordEnd {
    /// The word is finished: closes an open quote.
    End,
    /// More of the same word: a directory, `--flag=`.
    More,
}

/// Quotes a whole word. Leaves a leading `~` or `~/` to be expanded.
pub fn word(value: &str, dialect: Dialect) -> String {
    if value.is_empty() {
        return "''".to_owned();
    }
    let home = match value.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => "~",
        _ => "",
    };
    let rest = value.strip_prefix(home).unwrap_or(value);
    let mut spelled = home.to_owned();
    if home.is_empty() && begins_specially(value, dialect) {
        spelled.push('\\');
    }
    bare(rest, dialect, &mut spelled);
    spelled
}

/// Quotes the rest of a word whose beginning is typed, inside `quote`. For an empty beginning use `word`, which also escapes characters
/// that are special at the start.
pub fn rest(rest: &str, quote: Quote, dialect: Dialect, after: WordEnd) -> String {
    let mut spelled = String::with_capacity(rest.len() + 1);
    match quote {
        Quote::None => bare(rest, dialect, &mut spelled),
        Quote::Single => single(rest, dialect, &mut spelled),
        Quote::Double => double(rest, dialect, &mut spelled),
        Quote::Dollar => dollar(rest, dialect, &mut spelled),
    }
    match (quote, after) {
        (Quote::Single | Quote::Dollar, WordEnd::End) => spelled.push('\''),
        (Quote::Double, WordEnd::End) => spelled.push('"'),
        (Quote::None, WordEnd::End) | (_, WordEnd::More) => {}
    }
    spelled
}

/// Characters that are special only at the start of a word, and not escaped elsewhere.
fn begins_specially(value: &str, dialect: Dialect) -> bool {
    match dialect {
        Dialect::Zsh => value.starts_with(['~', '=']),
        Dialect::Bash | Dialect::Fish => value.starts_with(['~', '#']),
    }
}

/// Unquoted: a backslash before each special character.
fn bare(text: &str, dialect: Dialect, spelled: &mut String) {
    for letter in text.chars() {
        if letter.is_control() {
            control(letter, dialect, spelled);
        } else {
            if is_special(letter, dialect) {
                spelled.push('\\');
            }
            spelled.push(letter);
        }
    }
}

fn is_special(letter: char, dialect: Dialect) -> bool {
    match letter {
        ' ' | '\'' | '"' | '\\' | '$' | '&' | ';' | '|' | '<' | '>' | '(' | ')' | '*' | '?' | '[' | ']' | '{' | '}' => {
            true
        }
        // zsh takes these for globs with `extended_glob`, whose state is unknown here.
        '^' | '#' => dialect == Dialect::Zsh,
        '`' | '!' => dialect != Dialect::Fish,
        _ => false,
    }
}

/// An unquoted control character.
fn control(letter: char, dialect: Dialect, spelled: &mut String) {
    if dialect == Dialect::Fish {
        return fish_control(letter, spelled);
    }
    spelled.push_str("$'");
    dollar_letter(letter, spelled);
    spelled.push('\'');
}

fn fish_control(letter: char, spelled: &mut String) {
    match letter {
        '\n' => spelled.push_str("\\n"),
        '\t' => spelled.push_str("\\t"),
        '\r' => spelled.push_str("\\r"),
        '\x1b' => spelled.push_str("\\e"),
        _ => spelled.push_str(&format!("\\u{:04x}", u32::from(letter))),
    }
}

fn dollar_letter(letter: char, spelled: &mut String) {
    match letter {
        '\n' => spelled.push_str("\\n"),
        '\t' => spelled.push_str("\\t"),
        '\r' => spelled.push_str("\\r"),
        '\x1b' => spelled.push_str("\\e"),
        '\'' => spelled.push_str("\\'"),
        '\\' => spelled.push_str("\\\\"),
        letter if letter.is_ascii_control() => spelled.push_str(&format!("\\{:03o}", u32::from(letter))),
        letter if letter.is_control() => spelled.push_str(&format!("\\u{:04x}", u32::from(letter))),
        letter => spelled.push(letter),
    }
}

fn single(text: &str, dialect: Dialect, spelled: &mut String) {
    for letter in text.chars() {
        match (letter, dialect) {
            ('\'' | '\\', Dialect::Fish) => {
                spelled.push('\\');
                spelled.push(letter);
            }
            ('\'', _) => spelled.push_str("'\\''"),
            _ if letter.is_control() => {
                spelled.push('\'');
                control(letter, dialect, spelled);
                spelled.push('\'');
            }
            _ => spelled.push(letter),
        }
    }
}

fn double(text: &str, dialect: Dialect, spelled: &mut String) {
    for letter in text.chars() {
        match (letter, dialect) {
            ('"' | '\\' | '$', _) | ('`', Dialect::Zsh | Dialect::Bash) => {
                spelled.push('\\');
                spelled.push(letter);
            }
            // Inside double quotes no escape of `!` disappears, so the quotes are closed around it.
            ('!', Dialect::Zsh | Dialect::Bash) => spelled.push_str("\"\\!\""),
            _ if letter.is_control() => {
                spelled.push('"');
                control(letter, dialect, spelled);
                spelled.push('"');
            }
            _ => spelled.push(letter),
        }
    }
}

fn dollar(text: &str, _dialect: Dialect, spelled: &mut String) {
    for letter in text.chars() {
        dollar_letter(letter, spelled);
    }
}
