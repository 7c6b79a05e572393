//! An editable text with a cursor. Knows its lines, not their width on a screen.

use unicode_width::UnicodeWidthChar;

use crate::cli::chat::keys::Key;
use crate::cli::chat::rows;

/// Cap on what the user types or pastes.
const MAX_BYTES: usize = 64 * 1024;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    text: String,
    /// In bytes, at a character boundary.
    cursor: usize,
}

/// Whether the text consumed a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consumed {
    Yes,
    No,
}

impl Input {
    pub fn of(text: &str) -> Self {
        let mut input = Self::default();
        input.insert(text);
        input
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The line of the cursor, and the text before the cursor in it.
    pub fn place(&self) -> (usize, &str) {
        let before = self.before();
        (before.matches('\n').count(), before.rsplit('\n').next().unwrap_or_default())
    }

    pub fn insert(&mut self, text: &str) {
        // Invisible characters are not sent: the user would not know that they are there.
        let text = rows::seen(text);
        let room = MAX_BYTES.saturating_sub(self.text.len());
        let end = (0..=text.len().min(room)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        let text = text.get(..end).unwrap_or_default();
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
    }

    /// The usual editing keys of a shell.
    pub fn press(&mut self, key: &Key) -> Consumed {
        match key {
            Key::Char(letter) => self.insert(letter.encode_utf8(&mut [0; 4])),
            Key::Paste(text) => self.insert(text),
            Key::Newline => self.insert("\n"),
            Key::Backspace => self.remove(self.left(), self.cursor),
            Key::Delete => self.remove(self.cursor, self.right()),
            Key::Ctrl('d') if !self.is_empty() => self.remove(self.cursor, self.right()),
            Key::Left | Key::Ctrl('b') => self.cursor = self.left(),
            Key::Right | Key::Ctrl('f') => self.cursor = self.right(),
            Key::WordLeft | Key::Alt('b') => self.cursor = self.word_left(),
            Key::WordRight | Key::Alt('f') => self.cursor = self.word_right(),
            Key::Home | Key::Ctrl('a') => self.cursor = self.line_start(),
            Key::End | Key::Ctrl('e') => self.cursor = self.line_end(),
            Key::Ctrl('w') => self.remove(self.word_left(), self.cursor),
            Key::Alt('d') => self.remove(self.cursor, self.word_right()),
            Key::Ctrl('u') => self.remove(self.line_start(), self.cursor),
            Key::Ctrl('k') => self.remove(self.cursor, self.line_end()),
            Key::Up if self.before().contains('\n') => self.up(),
            Key::Down if self.behind().contains('\n') => self.down(),
            _ => return Consumed::No,
        }
        Consumed::Yes
    }

    fn before(&self) -> &str {
        self.text.get(..self.cursor).unwrap_or_default()
    }

    fn behind(&self) -> &str {
        self.text.get(self.cursor..).unwrap_or_default()
    }

    fn remove(&mut self, from: usize, to: usize) {
        if from < to {
            self.text.replace_range(from..to, "");
            self.cursor = from;
        }
    }

    /// The start of the letter before the cursor, together with its accents.
    fn left(&self) -> usize {
        let mut letters = self.before().char_indices().rev();
        letters.find(|(_, letter)| !is_accent(*letter)).map_or(0, |(at, _)| at)
    }

    fn right(&self) -> usize {
        let mut letters = self.behind().char_indices().skip(1);
        letters.find(|(_, letter)| !is_accent(*letter)).map_or(self.text.len(), |(at, _)| self.cursor + at)
    }

    fn word_left(&self) -> usize {
        let before = self.before().trim_end_matches(|letter: char| !letter.is_alphanumeric());
        before.trim_end_matches(char::is_alphanumeric).len()
    }

    fn word_right(&self) -> usize {
        let behind = self.behind().trim_start_matches(|letter: char| !letter.is_alphanumeric());
        self.text.len() - behind.trim_start_matches(char::is_alphanumeric).len()
    }

    fn line_start(&self) -> usize {
        self.before().rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self) -> usize {
        self.behind().find('\n').map_or(self.text.len(), |at| self.cursor + at)
    }

    fn up(&mut self) {
        let column = self.before().get(self.line_start()..).unwrap_or_default().chars().count();
        self.cursor = self.line_start().saturating_sub(1);
        let start = self.line_start();
        self.go_to(start, column);
    }

    fn down(&mut self) {
        let column = self.before().get(self.line_start()..).unwrap_or_default().chars().count();
        self.cursor = self.line_end() + 1;
        let start = self.cursor;
        self.go_to(start, column);
    }

    fn go_to(&mut self, start: usize, column: usize) {
        let line = self.text.get(start..).unwrap_or_default().split('\n').next().unwrap_or_default();
        self.cursor = start + line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
    }
}

fn is_accent(letter: char) -> bool {
    letter != '\n' && UnicodeWidthChar::width(letter) == Some(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `|` is the cursor, before and after.
    fn pressed(before: &str, keys: &[Key]) -> String {
        let (left, right) = before.split_once('|').unwrap();
        let mut input = Input { text: format!("{left}{right}"), cursor: left.len() };
        for key in keys {
            input.press(key);
        }
        format!("{}|{}", input.before(), input.behind())
    }

    #[test]
    fn keys_edit_as_in_a_shell() {
        let all = [
            ("run|", vec![Key::Char('é'), Key::Char('日')], "runé日|"),
            ("one two|", vec![Key::Ctrl('w')], "one |"),
            ("one two-|three", vec![Key::Ctrl('u')], "|three"),
            ("one| two", vec![Key::Ctrl('k')], "one|"),
            ("a日|b", vec![Key::Left, Key::Delete], "a|b"),
            ("e\u{301}|x", vec![Key::Backspace], "|x"),
            ("e\u{301}|x", vec![Key::Left], "|e\u{301}x"),
            ("ab|", vec![Key::Newline, Key::Char('c'), Key::Up, Key::End, Key::Char('!')], "ab!|\nc"),
            ("abc\nd|", vec![Key::Up], "a|bc\nd"),
            ("ab|c\nd", vec![Key::Down], "abc\nd|"),
            ("one two|", vec![Key::WordLeft, Key::WordLeft, Key::WordRight], "one| two"),
            ("one\ntwo|", vec![Key::Home, Key::Char('>')], "one\n>|two"),
            ("|", vec![Key::Backspace, Key::Left, Key::Up, Key::Ctrl('w'), Key::Delete], "|"),
        ];
        for (before, keys, after) in all {
            assert_eq!(pressed(before, &keys), after, "{before:?} {keys:?}");
        }
    }

    #[test]
    fn what_is_pasted_has_no_hidden_letters_and_an_end() {
        assert_eq!(pressed("|", &[Key::Paste("a\u{202e}b\u{1b}[2J\tc\n".to_owned())]), "ab[2J    c\n|");
        let mut input = Input::default();
        input.insert(&"日".repeat(MAX_BYTES));
        assert!(input.text().len() <= MAX_BYTES && input.text().ends_with('日'));
    }
}
