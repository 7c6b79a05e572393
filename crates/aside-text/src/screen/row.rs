//! One row of a screen: characters in columns. A wide character and a tab have several; overwriting a part of one blanks the rest.

use std::ops::Range;

/// In a column that belongs to the character before it.
const BEHIND: char = '\0';
/// Combining characters on one row: more are meant to disfigure text, not to be read.
const MAX_ACCENTS: usize = 1000;

/// Columns after the last character are blank.
#[derive(Clone, Debug, Default)]
pub struct Row {
    letters: Vec<char>,
    /// Combining characters, with the column of their base.
    accents: Vec<(usize, char)>,
    /// The next row continues this one's line.
    pub wrapped: bool,
}

impl Row {
    pub fn clear(&mut self) {
        self.letters.clear();
        self.accents.clear();
        self.wrapped = false;
    }

    pub fn len(&self) -> usize {
        self.letters.len()
    }

    pub fn write(&mut self, at: usize, letter: char, width: usize) {
        if at < self.letters.len() {
            self.blank(at..at + width);
        }
        if self.letters.len() < at + width {
            self.letters.resize(at + width, ' ');
        }
        let columns = &mut self.letters[at..at + width];
        columns.fill(BEHIND);
        if let Some(column) = columns.first_mut() {
            *column = letter;
        }
    }

    /// Adds a combining character to the character before this column.
    pub fn accent(&mut self, column: usize, accent: char) {
        let before = &self.letters[..column.min(self.letters.len())];
        let letter = before.iter().rposition(|letter| *letter != BEHIND);
        if let Some(at) = letter.filter(|_| self.accents.len() < MAX_ACCENTS) {
            self.accents.push((at, accent));
        }
    }

    pub fn erase(&mut self, columns: Range<usize>) {
        let all = columns.end >= self.letters.len();
        self.blank(columns.clone());
        if all {
            self.letters.truncate(columns.start);
            self.wrapped = false;
        }
    }

    /// Inserts blank columns before this one; drops what is pushed beyond the last column.
    pub fn insert(&mut self, at: usize, count: usize, columns: usize) {
        if at >= self.letters.len() {
            return;
        }
        let count = count.min(columns.saturating_sub(at));
        self.blank(at..at);
        self.letters.splice(at..at, std::iter::repeat_n(' ', count));
        for (column, _) in &mut self.accents {
            if *column >= at {
                *column += count;
            }
        }
        if self.letters.len() > columns {
            self.blank(columns..columns);
            self.letters.truncate(columns);
            self.accents.retain(|(column, _)| *column < columns);
        }
    }

    /// Removes these columns; the others move left.
    pub fn remove(&mut self, columns: Range<usize>) {
        let columns = columns.start.min(self.letters.len())..columns.end.min(self.letters.len());
        self.blank(columns.clone());
        for (column, _) in &mut self.accents {
            if *column >= columns.end {
                *column -= columns.len();
            }
        }
        self.letters.drain(columns);
        self.wrapped = false;
    }

    /// The characters of these columns, as far as there are any, without combining ones.
    pub fn part(&self, columns: Range<usize>) -> String {
        let end = columns.end.min(self.letters.len());
        self.letters.get(columns.start..end).unwrap_or_default().iter().filter(|letter| **letter != BEHIND).collect()
    }

    pub fn text(&self, text: &mut String) {
        if self.accents.is_empty() {
            return text.extend(self.letters.iter().filter(|letter| **letter != BEHIND));
        }
        for (column, letter) in self.letters.iter().enumerate().filter(|(_, letter)| **letter != BEHIND) {
            text.push(*letter);
            text.extend(self.accents.iter().filter(|(at, _)| *at == column).map(|(_, accent)| accent));
        }
    }

    /// Blanks the columns, and the rest of characters that extend beyond them. An empty range still splits a character that spans it.
    fn blank(&mut self, columns: Range<usize>) {
        let length = self.letters.len();
        let (mut start, mut end) = (columns.start.min(length), columns.end.min(length));
        let parted = |letters: &[char], at: usize| letters.get(at) == Some(&BEHIND);
        if parted(&self.letters, start) {
            while start > 0 && parted(&self.letters, start) {
                start -= 1;
            }
        }
        while parted(&self.letters, end) {
            end += 1;
        }
        self.letters[start..end].fill(' ');
        if !self.accents.is_empty() {
            self.accents.retain(|(at, _)| !(start..end).contains(at));
        }
    }
}
