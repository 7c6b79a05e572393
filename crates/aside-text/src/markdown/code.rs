//! The lines of a code block. Does not colour them, and does not name the language.

use std::ops::Range;

use crate::markdown::sanitize::shown;
use crate::markdown::style::{self, TextStyle};
use crate::markdown::wrap::{self, Cell};

const INDENT: usize = 2;
const TAB: usize = 4;

pub struct Code {
    pub start: usize,
    /// Each line, and where it ends in the source.
    lines: Vec<(String, usize)>,
    /// Whether the last line is incomplete.
    open: bool,
}

impl Code {
    pub fn new(start: usize) -> Self {
        Self { start, lines: Vec::new(), open: false }
    }

    pub fn reads(&mut self, text: &str, range: &Range<usize>) {
        let mut end = range.start;
        for piece in text.split_inclusive('\n') {
            end = if text.len() == range.len() { end + piece.len() } else { range.end };
            if !self.open {
                self.lines.push((String::new(), end));
            }
            if let Some((line, line_end)) = self.lines.last_mut() {
                line.push_str(piece.trim_end_matches('\n'));
                *line_end = end;
            }
            self.open = !piece.ends_with('\n');
        }
    }

    /// Folds lines that do not fit instead of wrapping them, since whitespace is significant. Drops trailing blank lines.
    pub fn rows(&self, room: usize) -> Vec<(Vec<Cell>, usize)> {
        let looks = TextStyle::of(style::CODE);
        let blank = |_| Cell::new(' ', TextStyle::PLAIN, 0);
        let mut rows = Vec::new();
        let mut blank_lines = 0;
        for (line, end) in &self.lines {
            let line = without_tabs(&shown(line));
            let line = line.trim_end();
            if line.is_empty() {
                blank_lines += 1;
                continue;
            }
            if !rows.is_empty() {
                rows.extend((0..blank_lines).map(|_| (Vec::new(), *end)));
            }
            blank_lines = 0;
            for folded in wrap::fold(line, room.saturating_sub(INDENT)) {
                let letters = folded.chars().map(|letter| Cell::new(letter, looks, *end));
                rows.push(((0..INDENT).map(blank).chain(letters).collect(), *end));
            }
        }
        rows
    }
}

fn without_tabs(line: &str) -> String {
    let (mut text, mut column) = (String::with_capacity(line.len()), 0);
    for letter in line.chars().filter(|letter| *letter != '\n') {
        if letter == '\t' {
            let blanks = TAB - column % TAB;
            text.extend((0..blanks).map(|_| ' '));
            column += blanks;
        } else {
            text.push(letter);
            column += 1;
        }
    }
    text
}
