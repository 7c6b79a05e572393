//! Tracks whether the screen is blank from the cursor on, which is all that has to be known before a prompt. Plain text costs nothing while
//! it is.

use memchr::memchr_iter;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlankTracker {
    rows: usize,
    /// Rows that have to begin until the cursor's row is new, with nothing below it; zero when it is.
    needed: usize,
    /// The cursor is in the first column.
    first: bool,
    /// Nothing was written in the row.
    empty: bool,
    /// The last byte, to recognise a CR LF that is split over two slices.
    last: u8,
    /// The state of the main screen, while the alternate one is shown.
    usual: Option<(usize, bool, bool)>,
    /// Only a part of the screen scrolls, or characters beyond the last column stay there.
    odd: bool,
}

impl BlankTracker {
    pub fn new(rows: usize) -> Self {
        Self { rows, needed: 0, first: true, empty: true, last: 0, usual: None, odd: false }
    }

    /// Nothing is known about the screen.
    pub fn unknown(rows: usize) -> Self {
        Self { needed: rows, first: false, empty: false, ..Self::new(rows) }
    }

    /// The cursor is somewhere in the last row with text.
    pub fn behind_text(rows: usize) -> Self {
        Self { needed: 1, first: false, empty: false, ..Self::new(rows) }
    }

    /// Nothing is below the row of the cursor.
    pub fn is_last(&self) -> bool {
        self.needed <= 1 && self.usual.is_none() && !self.odd
    }

    /// Marks the row as not empty, wherever the cursor is.
    pub fn paint(&mut self) {
        self.empty = false;
    }

    /// The row is empty, the cursor is at its beginning and nothing is below.
    pub fn is_empty(&self) -> bool {
        self.needed == 0 && self.first && self.empty && self.usual.is_none() && !self.odd
    }

    pub fn lose(&mut self) {
        self.needed = self.rows;
        (self.first, self.empty) = (false, false);
    }

    /// A new row was begun below all others.
    pub fn begin_row(&mut self, first: bool) {
        (self.needed, self.first, self.empty, self.last) = (0, first, true, b'\n');
    }

    pub fn plain(&mut self, bytes: &[u8]) {
        let Some(last) = bytes.last() else { return };
        if self.needed > 0 {
            self.needed = self.needed.saturating_sub(memchr_iter(b'\n', bytes).count());
        }
        let returns = bytes.iter().rev().take_while(|byte| **byte == b'\r').count();
        let text = &bytes[..bytes.len() - returns];
        if text.is_empty() {
            self.first = true;
        } else {
            let before = if text.len() > 1 { text[text.len() - 2] } else { self.last };
            self.empty = text.ends_with(b"\n") && before == b'\r';
            self.first = self.empty || returns > 0;
        }
        self.last = *last;
    }

    pub fn command(&mut self, kind: u8, numbers: &[usize], action: u8) {
        let number = numbers.first().copied().unwrap_or(0);
        match (kind, action) {
            (b'?', b'h' | b'l') => numbers.iter().for_each(|mode| self.mode(*mode, action == b'h')),
            // Queries, keyboard modes, the cursor's shape.
            (b'<'..=b'?' | b' ', _) | (0, b'n' | b'c' | b't' | b'q' | b'h' | b'l') => {}
            (0, b'A' | b'F') => {
                self.needed = (self.needed + number.max(1) + usize::from(self.needed == 0)).min(self.rows);
                (self.first, self.empty) = (false, false);
            }
            (0, b'B' | b'E' | b'C' | b'D' | b'G' | b'`' | b'a' | b'e' | b'I' | b'Z') => self.first = false,
            (0, b'K' | b'P' | b'X' | b'@') => {}
            (0, b'H' | b'f') => {
                self.lose();
                let column = numbers.get(1).copied().unwrap_or(0);
                self.first = column <= 1;
            }
            (0, b'J') => match number {
                0 if self.first => (self.needed, self.empty) = (0, true),
                0 => self.needed = self.needed.min(1),
                2 => (self.needed, self.empty) = (0, true),
                _ => {}
            },
            (0, b'r') => {
                let bottom = numbers.get(1).copied().unwrap_or(0);
                self.odd = number > 1 || (bottom > 0 && bottom < self.rows);
                self.lose();
            }
            _ => self.lose(),
        }
    }

    fn mode(&mut self, mode: usize, on: bool) {
        match (mode, on) {
            (1049, true) if self.usual.is_none() => self.usual = Some((self.needed, self.first, self.empty)),
            (1049, false) => match self.usual.take() {
                Some((needed, first, empty)) => {
                    (self.needed, self.first, self.empty) = (needed, first, empty);
                }
                None => self.lose(),
            },
            (47 | 1047, true) => {
                self.usual = Some((self.rows, false, false));
            }
            (47 | 1047, false) => {
                self.usual = None;
                self.lose();
            }
            // Auto-wrap; origin mode; margins.
            (7, _) => self.odd = !on,
            (6 | 69, _) => self.odd = on,
            (3 | 1048, _) => self.lose(),
            _ => {}
        }
    }
}
