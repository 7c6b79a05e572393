//! Finds where a model's reply continues the line: it may repeat the line, a part of it or nothing of it, and omit the
//! blank between two words.

use crate::complete::model::open_quote;
use crate::complete::model::word_end::{IsWholeWord, LastWord, WordRole};

/// Longer ghost text is not read.
const MAX_ENDING: usize = 300;

/// Commands whose argument is a command.
const RUNNERS: [&str; 9] = ["sudo", "doas", "env", "time", "nohup", "command", "exec", "watch", "xargs"];

/// What the complete reply adds at the cursor.
pub fn ending(left: &str, right: &str, line: &str, knows: IsWholeWord<'_>) -> Option<String> {
    let added = match repeated(left, line) {
        Some(rest) => rest.to_owned(),
        None if is_another_line(left, line) => return None,
        None => apart(left, line, knows),
    };
    let added = without_right(&added, right);
    let added = trimmed(added);
    // A trailing backslash would join the next line.
    let half = added.ends_with('\\') && !added.ends_with("\\\\");
    let fits = !added.trim().is_empty() && !half && added.chars().count() <= MAX_ENDING;
    fits.then(|| added.to_owned())
}

/// What may be shown of a reply that is still streaming.
pub fn beginning(left: &str, line: &str, knows: IsWholeWord<'_>) -> Option<String> {
    // Still repeats the line, as far as can be told.
    if tails(left).any(|tail| tail.starts_with(line.trim_start()) || tail.starts_with(line)) {
        return None;
    }
    if repeated(left, line).is_none() && is_joint_open(left, line) {
        return None;
    }
    // An escape is shown together with the character it escapes, and a blank together with what follows.
    let end = line.trim_end().trim_end_matches('\\').len();
    ending(left, "", &line[..end], knows)
}

/// Whether the first word must be complete to decide if a blank belongs before it.
fn is_joint_open(left: &str, line: &str) -> bool {
    let meet = !left.ends_with(char::is_whitespace) && !line.starts_with(char::is_whitespace);
    meet && open_quote(left).is_none() && !line.contains(char::is_whitespace)
}

/// Suffixes of the line that begin with a word, the longest first.
fn tails(left: &str) -> impl Iterator<Item = &str> {
    let mut before = ' ';
    let starts = left.char_indices().filter(move |(_, character)| {
        let start = before.is_whitespace() && !character.is_whitespace();
        before = *character;
        start
    });
    starts.map(|(place, _)| &left[place..])
}

/// The reply after the part of the line that it repeats.
fn repeated<'a>(left: &str, line: &'a str) -> Option<&'a str> {
    let line_start = line.trim_start();
    for tail in tails(left) {
        if let Some(rest) = line_start.strip_prefix(tail) {
            return Some(rest);
        }
        // Ignores differences in blanks.
        let word = tail.trim_end();
        if word.len() < tail.len()
            && let Some(rest) = line_start.strip_prefix(word)
            && rest.chars().next().is_none_or(char::is_whitespace)
        {
            return Some(rest.trim_start());
        }
    }
    None
}

/// Whether the reply is another line: it begins with the same command, or with the correction of a misspelled one, and
/// continues differently.
fn is_another_line(left: &str, line: &str) -> bool {
    if open_quote(left).is_some() {
        return false;
    }
    let mut typed = left.split_whitespace();
    let (Some(ours), Some(theirs)) = (typed.next(), line.split_whitespace().next()) else { return false };
    ours == theirs && typed.next().is_some() || ours.len() > 2 && letters(ours) == letters(theirs)
}

fn letters(word: &str) -> Vec<char> {
    let mut letters: Vec<char> = word.chars().collect();
    letters.sort_unstable();
    letters
}

/// The reply, with a blank in front where one is needed.
fn apart(left: &str, line: &str, knows: IsWholeWord<'_>) -> String {
    let start = line.trim_start();
    if open_quote(left).is_some() {
        return line.to_owned();
    }
    if left.is_empty() || left.ends_with(char::is_whitespace) {
        return start.to_owned();
    }
    if start.len() < line.len() || needs_blank(left, start, knows) {
        return format!(" {start}");
    }
    start.to_owned()
}

/// Whether the typed text and the reply are two words. Neither is empty, and there is no blank between them.
fn needs_blank(left: &str, line: &str, knows: IsWholeWord<'_>) -> bool {
    let (Some(before), Some(after)) = (left.chars().next_back(), line.chars().next()) else { return false };
    let start = left.rfind(|end: char| end.is_whitespace() || "|;&(".contains(end)).map_or(0, |place| place + 1);
    let start = (start..=left.len()).find(|place| left.is_char_boundary(*place)).unwrap_or(left.len());
    let typed = &left[start..];
    if typed.is_empty() {
        // Directly after an operator.
        return before != '(' && (after.is_alphanumeric() || matches!(after, '.' | '/' | '~' | '$' | '"' | '\''));
    }
    let rest = line.split(char::is_whitespace).next().unwrap_or(line);
    let place = if is_command_next(&left[..start]) { WordRole::Command } else { WordRole::Argument };
    let joined = format!("{left}{rest}");
    if knows(LastWord { line: &joined, word: &joined[start..], place }) {
        return false;
    }
    let is_whole = || knows(LastWord { line: left, word: typed, place });
    match after {
        '|' | '&' => true,
        '>' | '<' => !typed.bytes().all(|byte| byte.is_ascii_digit()),
        ';' | ')' | '}' | ']' | ',' | ':' | '=' | '@' | '*' | '?' | '%' | '+' => false,
        _ if !before.is_alphanumeric() && !matches!(before, '.' | '"' | '\'' | ')' | '}' | ']') => false,
        '-' => !typed.starts_with('-') || rest.starts_with("--"),
        '"' | '\'' | '$' => is_flag(typed) || is_whole(),
        '.' if rest == "." || rest == ".." || rest.starts_with("./") || rest.starts_with("../") => true,
        // A path or an ending continues the word, but not after a command's name.
        '/' | '.' => place == WordRole::Command && is_whole(),
        _ => !is_flag(typed) && is_whole(),
    }
}

/// Whether the next word names a command: only assignments and commands that run others come before it.
fn is_command_next(before: &str) -> bool {
    let command = before.rsplit(['|', ';', '&', '(']).next().unwrap_or(before);
    command.split_whitespace().all(|word| RUNNERS.contains(&word) || word.contains('=') && !is_flag(word))
}

fn is_flag(word: &str) -> bool {
    word.starts_with('-')
}

/// Drops the end of a reply that repeats the text after the cursor.
fn without_right<'a>(added: &'a str, right: &str) -> &'a str {
    let right = right.trim();
    let trimmed = added.trim_end();
    match trimmed.strip_suffix(right) {
        Some(rest) if !right.is_empty() => rest,
        _ => added,
    }
}

/// Without trailing blanks, except an escaped one.
fn trimmed(added: &str) -> &str {
    let end = added.trim_end();
    let escaped = end.ends_with('\\') && !end.ends_with("\\\\") && added.len() > end.len();
    if escaped { &added[..end.len() + added[end.len()..].chars().next().map_or(0, char::len_utf8)] } else { end }
}
