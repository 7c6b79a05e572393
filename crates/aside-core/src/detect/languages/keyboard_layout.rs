//! Corrects keys that were pressed in another keyboard layout: Russian and Ukrainian (`пше ыефегы`), Korean (`햣
//! ㄴㅅㅁ셔ㄴ`), and the full-width letters of an input method (`ｌｓ`). Does not know which commands exist.

use super::Script;
use super::european;
use super::keyboard_keys::{keys, latin};
use super::tokens::TokenizedLine;

/// Longer lines are skipped: users do not type that much without looking.
const MAX_LINE: usize = 4096;

pub fn corrected(line: &str, is_command: impl Fn(&str) -> bool) -> Option<String> {
    if line.len() > MAX_LINE {
        return None;
    }
    let first = line.split_whitespace().next()?;
    let meant = latin(first)?;
    // A single letter is a word in Russian (`я`, `в`), and hardly ever meant as a command.
    if meant.chars().count() < 2 || !is_command(&meant) {
        return None;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    if words.iter().any(|word| is_said(word))
        && TokenizedLine::read(&words).is_some_and(|sentence| european::russian(&sentence).is_some())
    {
        return None;
    }
    Some(rewritten(line)).filter(|meant| meant != line)
}

/// Rewrites the words of the line and keeps the blanks; quoted text was typed with the right layout.
fn rewritten(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let is_russian = line.chars().any(|letter| Script::of(letter) == Some(Script::Cyrillic));
    let mut rest = line;
    while let Some(letter) = rest.chars().next() {
        if let Some(quoted) = quoted(rest) {
            text.push_str(quoted);
            rest = rest.get(quoted.len()..).unwrap_or_default();
            continue;
        }
        if letter.is_whitespace() {
            text.push(if letter == '\u{3000}' { ' ' } else { letter });
            rest = rest.get(letter.len_utf8()..).unwrap_or_default();
            continue;
        }
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default();
        rewrite(&mut text, word, is_russian);
        rest = rest.get(end..).unwrap_or_default();
    }
    text
}

fn rewrite(text: &mut String, word: &str, is_russian: bool) {
    // A word with Latin letters was typed with the right layout.
    let is_right = word.contains(|letter: char| letter.is_ascii_alphabetic());
    if is_right && !word.contains(|letter| keys(letter).is_some()) {
        text.push_str(word);
        return;
    }
    for letter in word.chars() {
        match keys(letter) {
            Some(keys) => keys.push_to(text),
            None if is_russian && !is_right => text.push(mark(letter)),
            None => text.push(letter),
        }
    }
}

/// Punctuation that is elsewhere on a Russian keyboard.
fn mark(letter: char) -> char {
    match letter {
        '.' => '/',
        ',' => '?',
        '"' => '@',
        ';' => '$',
        ':' => '^',
        '?' => '&',
        '/' => '|',
        other => other,
    }
}

/// A quoted text at the beginning of the rest, including the quotes.
fn quoted(rest: &str) -> Option<&str> {
    let quote = rest.chars().next().filter(|letter| matches!(letter, '"' | '\''))?;
    let end = rest.get(1..)?.find(quote)?;
    rest.get(..end + 2)
}

/// A Russian word that is spelled like no command.
fn is_said(word: &str) -> bool {
    word.chars().count() > 1 && european::function_word(word).is_some()
}
