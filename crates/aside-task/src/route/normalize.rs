//! Normalises a request for the rules: lower case, with objects replaced by markers. Text in backquotes, quotes or fences, names of files
//! and identifiers, and log lines are objects, whatever words they contain. Splits the rest into clauses; does not decide what any of it
//! wants.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use aside_core::detect::word_lists::lists;
use aside_text::{self as text, is_han};

use crate::route::mentions::{self, MentionKind};
use crate::route::word_lists;

const TRADITIONAL: &str = include_str!("../../data/task/traditional.txt");

/// Bytes of a request that are read: its beginning. A longer one has pasted text.
pub const MAX_READ: usize = 16 * 1024;
/// Clauses that are read.
const MAX_CLAUSES: usize = 48;
/// Objects that are kept.
const MAX_OBJECTS: usize = 200;

/// An object as it was written, without its quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    pub sort: MentionKind,
    pub text: String,
    at: usize,
}

/// A part of a sentence that wants or states one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Its range in the normalised text, without the politeness before it.
    pub range: Range<usize>,
    /// Its sentence ends with a question mark.
    pub asked: bool,
    /// Only `and` or `or` separates it from the clause before.
    pub joined: bool,
    /// "I want to": weaker than an order.
    pub wished: bool,
    /// It follows "Would you mind".
    pub minded: bool,
}

pub struct NormalizedRequest {
    /// Sanitized, and cut to `MAX_READ`.
    raw: String,
    normal: String,
    /// For each byte of the normalised text, the range of the original it stands for.
    origin: Vec<(usize, usize)>,
    pub objects: Vec<Object>,
    pub clauses: Vec<Clause>,
}

impl NormalizedRequest {
    pub fn of(request: &str) -> Self {
        let head = request.get(..request.floor_char_boundary(MAX_READ)).unwrap_or_default();
        let raw = text::clean(&head.replace("\r\n", "\n").replace('\r', "\n")).trim().to_owned();
        let mut reading = Self {
            raw: String::new(),
            normal: String::new(),
            origin: Vec::new(),
            objects: Vec::new(),
            clauses: Vec::new(),
        };
        reading.read_lines(&raw);
        reading.raw = raw;
        reading.clauses = clauses(&reading.normal);
        reading
    }

    pub fn text(&self, range: &Range<usize>) -> &str {
        self.normal.get(range.clone()).unwrap_or_default()
    }

    /// The original text of a range of the normalised text.
    pub fn raw(&self, range: &Range<usize>) -> &str {
        let start = self.origin.get(range.start).map(|(start, _)| *start);
        match (start, self.end(range)) {
            (Some(start), Some(end)) if start < end => self.raw.get(start..end).unwrap_or_default(),
            _ => "",
        }
    }

    /// The original text before the range, and from its start to the end of the request.
    pub fn around(&self, range: &Range<usize>) -> (&str, &str) {
        let start = self.origin.get(range.start).map_or(0, |(start, _)| *start);
        self.raw.split_at_checked(start).unwrap_or(("", &self.raw))
    }

    fn end(&self, range: &Range<usize>) -> Option<usize> {
        self.origin.get(range.end.checked_sub(1)?).map(|(_, end)| *end)
    }

    pub fn all(&self) -> &str {
        &self.raw
    }

    pub fn normal(&self) -> &str {
        &self.normal
    }

    pub fn has(&self, sort: MentionKind) -> bool {
        self.objects.iter().any(|object| object.sort == sort)
    }

    /// The objects within a range of the normalised text.
    pub fn objects_in(&self, range: &Range<usize>) -> impl Iterator<Item = &Object> {
        let start = self.origin.get(range.start).map_or(usize::MAX, |(start, _)| *start);
        let end = range.end.checked_sub(1).and_then(|last| self.origin.get(last)).map_or(0, |(_, end)| *end);
        self.objects.iter().filter(move |object| (start..end).contains(&object.at))
    }

    fn read_lines(&mut self, raw: &str) {
        let mut lines = mentions::lines(raw).into_iter().peekable();
        while let Some((sort, range)) = lines.next() {
            let line = raw.get(range.clone()).unwrap_or_default();
            match sort {
                Some(sort) => self.put_object(sort, line.trim(), range),
                None => self.read_prose(line, range.start),
            }
            if lines.peek().is_some() {
                let end = self.origin.last().map_or(0, |(_, end)| *end);
                // What follows a colon belongs to the words before it.
                let joins =
                    self.normal.trim_end().ends_with(':') && lines.peek().is_some_and(|(sort, _)| sort.is_some());
                self.put(if joins { ' ' } else { '\n' }, end..end);
            }
        }
    }

    fn read_prose(&mut self, line: &str, offset: usize) {
        let mut at = 0;
        while let Some(letter) = line.get(at..).and_then(|rest| rest.chars().next()) {
            let rest = line.get(at..).unwrap_or_default();
            let before = line.get(..at).and_then(|before| before.chars().next_back());
            if let Some((sort, inner, length)) = mentions::quoted(rest, before) {
                self.put_object(sort, inner, offset + at..offset + at + length);
                at += length;
            } else if mentions::is_word_letter(letter) {
                let length = mentions::word_length(rest);
                let word = rest.get(..length).unwrap_or_default();
                self.put_word(word, offset + at);
                at += length;
            } else {
                let end = at + letter.len_utf8();
                self.put_mark(letter, offset + at..offset + end);
                at = end;
            }
        }
    }

    fn put_word(&mut self, word: &str, at: usize) {
        let (sort, length) = mentions::mention_kind(word);
        let range = at..at + length;
        let kept = word.get(..length).unwrap_or_default();
        match sort {
            Some(sort) => self.put_object(sort, kept, range),
            None => {
                let lower = kept.to_lowercase();
                let meant = meant(&lower).unwrap_or(&lower);
                for letter in meant.chars() {
                    self.put(letter, range.clone());
                }
            }
        }
        for (index, letter) in word.char_indices().skip_while(|(index, _)| *index < length) {
            self.put_mark(letter, at + index..at + index + letter.len_utf8());
        }
    }

    fn put_object(&mut self, sort: MentionKind, text: &str, range: Range<usize>) {
        if self.objects.len() < MAX_OBJECTS {
            self.objects.push(Object { sort, text: text.to_owned(), at: range.start });
        }
        if self.normal.ends_with(|last: char| last.is_ascii_alphanumeric() || last == '>') {
            self.put(' ', range.start..range.start);
        }
        for letter in sort.mark().chars() {
            self.put(letter, range.clone());
        }
    }

    fn put_mark(&mut self, letter: char, range: Range<usize>) {
        let mark = match letter {
            '，' | '、' => ',',
            '。' => '.',
            '？' => '?',
            '！' => '!',
            '：' => ':',
            '；' => ';',
            '’' => '\'',
            ',' | '.' | '?' | '!' | ':' | ';' | '\'' | '\n' => letter,
            letter if letter.is_alphanumeric() => letter.to_lowercase().next().unwrap_or(letter),
            _ => ' ',
        };
        self.put(mark, range);
    }

    /// Collapses blanks, and drops those next to Chinese, which is written with and without them. Converts Chinese to simplified
    /// characters, as the rules have them.
    fn put(&mut self, letter: char, range: Range<usize>) {
        let letter = if is_han(letter) { simplified(letter) } else { letter };
        let last = self.normal.chars().next_back();
        if letter == ' ' && last.is_none_or(|last| last.is_whitespace() || is_han(last)) {
            return;
        }
        if is_han(letter) && last == Some(' ') {
            self.normal.pop();
            self.origin.pop();
        } else if last == Some('>') && letter.is_ascii_alphanumeric() {
            self.put(' ', range.start..range.start);
        }
        self.normal.push(letter);
        for _ in 0..letter.len_utf8() {
            self.origin.push((range.start, range.end));
        }
    }
}

fn simplified(letter: char) -> char {
    static LETTERS: LazyLock<HashMap<char, char>> = LazyLock::new(|| {
        let rows = TRADITIONAL.lines().filter(|row| !row.starts_with('#'));
        let pairs = rows.flat_map(str::split_whitespace).filter_map(|pair| {
            let mut letters = pair.chars();
            Some((letters.next()?, letters.next()?))
        });
        pairs.collect()
    });
    LETTERS.get(&letter).copied().unwrap_or(letter)
}

/// The intended word, if this one is an unknown word with a typo.
pub fn meant(word: &str) -> Option<&'static str> {
    let is_plain = word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    if !is_plain || lists().is_word(word) || word_lists::knows(word) || lists().is_command(word) {
        return None;
    }
    word_lists::near(word)
}

fn clauses(normal: &str) -> Vec<Clause> {
    let mut found = Vec::new();
    let mut start = 0;
    while start < normal.len() && found.len() < MAX_CLAUSES {
        let rest = normal.get(start..).unwrap_or_default();
        let length = sentence_length(rest);
        let sentence = start..start + length;
        let asked = normal.get(sentence.clone()).unwrap_or_default().trim_end().ends_with('?');
        let mut joined = false;
        for (range, next) in word_lists::pieces(normal, &sentence) {
            let (range, wished) = word_lists::unwrapped(normal, &range);
            if !range.is_empty() {
                let minded = normal.get(..range.start).is_some_and(|before| before.ends_with(" mind "));
                found.push(Clause { range, asked, joined, wished, minded });
            }
            joined = next;
        }
        start += length.max(1);
    }
    found.truncate(MAX_CLAUSES);
    found
}

/// Length up to and including the punctuation that ends the sentence.
fn sentence_length(text: &str) -> usize {
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let ends = match letter {
            '?' | '!' | ';' | '\n' => true,
            '.' => letters.peek().is_none_or(|(_, next)| next.is_whitespace() || is_han(*next)),
            _ => false,
        };
        // Several marks in a row end one sentence.
        if ends && letters.peek().is_none_or(|(_, next)| !matches!(next, '?' | '!' | '.')) {
            return at + letter.len_utf8();
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(request: &str) -> String {
        let reading = NormalizedRequest::of(request);
        let clauses: Vec<&str> = reading.clauses.iter().map(|clause| reading.text(&clause.range)).collect();
        clauses.join(" | ")
    }

    #[test]
    fn what_is_spoken_of_is_no_word() {
        for (request, expected) in [
            ("what does `rm -rf build` do?", "what does <code> do?"),
            ("Rename getUser to fetch_user in src/api.ts.", "rename <name> to <name> in <file>"),
            ("find \"run the tests\" in docs/", "find <quote> in <file>"),
            ("把 `print` 换成 logging，谢谢", "把<code>换成logging | 谢谢"),
            ("explain this:\n```\nrun all the tests\n```", "explain this: <block>"),
            ("it's broken\nTypeError: x is not a function\n    at a.js:3", "it's broken | <log>"),
            ("an async/await function", "an async await function"),
            ("see Cart.java:42, please", "see <file> | please"),
            ("a <b> `c", "a b c"),
            ("幫我跑測試", "跑测试"),
        ] {
            assert_eq!(read(request), expected, "{request}");
        }
    }

    #[test]
    fn clauses_end_where_another_query_begins() {
        for (request, expected) in [
            ("find where it is defined and rename it", "find where it is defined | rename it"),
            ("Hey, could you please add a note? Thanks!", "hey | add a note? | thanks"),
            ("the docs say yarn, update it", "the docs say yarn | update it"),
            ("the parser and test files are slow", "the parser and test files are slow"),
            ("先别改代码，只解释一下这个循环", "别改代码 | 解释一下这个循环"),
        ] {
            assert_eq!(read(request), expected, "{request}");
        }
    }

    #[test]
    fn the_words_can_be_found_again() {
        let reading = NormalizedRequest::of("Please  search for  Config::LOAD, `now`");
        let clause = reading.clauses.first().unwrap();
        assert_eq!(reading.raw(&clause.range), "search for  Config::LOAD, `now`");
        let texts: Vec<&str> = reading.objects_in(&clause.range).map(|object| object.text.as_str()).collect();
        assert_eq!(texts, ["Config::LOAD", "now"]);
    }
}
