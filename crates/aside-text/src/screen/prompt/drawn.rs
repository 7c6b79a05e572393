//! What was drawn since a prompt began. Rows are counted from there, since the screen may scroll meanwhile.

use unicode_width::UnicodeWidthChar;

use crate::screen::row::Row;

/// Where the cursor went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CursorMove {
    Within,
    /// To a new row below the line: it has ended.
    Below {
        column: usize,
    },
    /// Nothing is certain any more.
    Lost,
}

pub struct DrawnRows {
    columns: usize,
    /// Rows of the screen: a longer page has scrolled out of it.
    most: usize,
    rows: Vec<Row>,
    row: usize,
    /// One beyond the last column means that the next character begins a new row.
    column: usize,
    saved: Option<(usize, usize)>,
    /// Where the prompt ends, and the text of its last row.
    start: Option<(usize, usize, String)>,
}

impl DrawnRows {
    pub fn new(columns: usize, most: usize) -> Self {
        Self { columns, most, rows: vec![Row::default()], row: 0, column: 0, saved: None, start: None }
    }

    /// Nothing is after the cursor.
    pub fn is_last(&self) -> bool {
        let is_empty = |row: &Row| row.len() == 0;
        self.rows[self.row].len() <= self.column && self.rows[self.row + 1..].iter().all(is_empty)
    }

    /// Whether this character goes to another row.
    pub fn begins_row(&self, letter: char) -> bool {
        letter == '\n' || self.column + letter.width().unwrap_or(0) > self.columns
    }

    pub fn begin_prompt(&mut self) {
        self.start = None;
    }

    pub fn end_prompt(&mut self) {
        self.start = Some((self.row, self.column, self.rows[self.row].part(0..self.column)));
    }

    pub fn save(&mut self) {
        self.saved = Some((self.row, self.column));
    }

    pub fn restore(&mut self) -> CursorMove {
        let Some((row, column)) = self.saved else { return CursorMove::Lost };
        (self.row, self.column) = (row, column);
        CursorMove::Within
    }

    /// The line, and how many columns are free after it.
    pub fn line(&self) -> Option<(String, usize)> {
        let (first, from, prompt) = self.start.as_ref()?;
        let is_behind = (self.row, self.column) >= (*first, *from);
        let stands = self.rows[*first].part(0..*from) == *prompt;
        // At the beginning of a row readline draws a blank, so that the terminal wraps.
        let row = &self.rows[self.row];
        let is_blank = row.len() == 1 && row.part(0..1) == " " && self.column == 0 && self.row > *first;
        let is_end =
            (row.len() <= self.column || is_blank) && self.rows[self.row + 1..].iter().all(|row| row.len() == 0);
        if !is_behind || !stands || !is_end {
            return None;
        }
        // Where terminals may disagree about the width of a character, they may disagree about the next row.
        let above = &self.rows[..self.row];
        let are_certain =
            above.iter().filter(|row| row.len() == self.columns).all(|row| row.part(0..row.len()).is_ascii());
        let are_full = above.iter().skip(*first).all(|row| row.len() == self.columns);
        if !are_certain || !are_full {
            return None;
        }
        let mut text = String::new();
        for number in *first..=self.row {
            let begin = if number == *first { *from } else { 0 };
            let end = if number == self.row { self.column } else { self.columns };
            text.push_str(&self.rows[number].part(begin..end));
        }
        let wide = row.part(0..self.column).chars().filter(|letter| !letter.is_ascii()).count();
        Some((text, self.columns.saturating_sub(1 + self.column + wide)))
    }

    pub fn write(&mut self, letter: char) -> CursorMove {
        match letter {
            '\x07' | '\0' => return CursorMove::Within,
            '\r' => {
                self.column = 0;
                return CursorMove::Within;
            }
            '\n' => return self.down(),
            // Beyond the last column terminals differ.
            '\x08' if self.column > 0 && self.column < self.columns => {
                self.column -= 1;
                return CursorMove::Within;
            }
            _ => {}
        }
        let Some(width @ 1..=2) = letter.width().filter(|width| *width <= self.columns) else {
            return CursorMove::Lost;
        };
        if self.column + width > self.columns {
            (self.row, self.column) = (self.row + 1, 0);
            if self.row == self.rows.len() {
                self.rows.push(Row::default());
            }
        }
        self.rows[self.row].write(self.column, letter, width);
        self.column += width;
        if self.rows.len() > self.most { CursorMove::Lost } else { CursorMove::Within }
    }

    fn down(&mut self) -> CursorMove {
        if self.column == self.columns {
            return CursorMove::Lost;
        }
        if self.row + 1 < self.rows.len() {
            self.row += 1;
            return CursorMove::Within;
        }
        if self.start.is_some() {
            return CursorMove::Below { column: self.column };
        }
        self.rows.push(Row::default());
        self.row += 1;
        if self.rows.len() > self.most { CursorMove::Lost } else { CursorMove::Within }
    }

    pub fn command(&mut self, kind: u8, numbers: &[usize], action: u8) -> CursorMove {
        let number = numbers.first().copied().unwrap_or(0);
        let count = number.max(1);
        match (kind, action) {
            (b'?', b'h' | b'l') => {
                let is_harmless = |mode: &usize| matches!(mode, 1 | 12 | 25 | 1000..=1016 | 1034 | 2004 | 2026 | 2031);
                return if numbers.iter().all(is_harmless) { CursorMove::Within } else { CursorMove::Lost };
            }
            // Queries, keyboard modes, the cursor's shape.
            (b'>' | b'<' | b'=', b'u' | b'm' | b'c' | b'q') | (b'?', b'u' | b'm' | b'n') => return CursorMove::Within,
            (b' ', b'q') | (0, b'n' | b'c') => return CursorMove::Within,
            _ if kind != 0 => return CursorMove::Lost,
            _ => {}
        }
        // Beyond the last column terminals differ.
        if self.column == self.columns && action != b'A' {
            return CursorMove::Lost;
        }
        let (column, columns, rows) = (self.column, self.columns, self.rows.len());
        let row = &mut self.rows[self.row];
        match action {
            b'A' if count <= self.row && self.column < columns => self.row -= count,
            b'B' if self.row + count < rows => self.row += count,
            b'C' => self.column = (column + count).min(columns - 1),
            b'D' => self.column = column.saturating_sub(count),
            b'G' => self.column = (count - 1).min(columns - 1),
            b'K' => match number {
                0 => row.erase(column..columns),
                1 => row.erase(0..column + 1),
                2 => row.clear(),
                _ => return CursorMove::Lost,
            },
            b'J' if number == 0 => {
                row.erase(column..columns);
                self.rows[self.row + 1..].iter_mut().for_each(Row::clear);
            }
            b'P' => row.remove(column..column + count),
            b'X' => row.erase(column..(column + count).min(columns)),
            b'@' => row.insert(column, count, columns),
            _ => return CursorMove::Lost,
        }
        CursorMove::Within
    }
}
