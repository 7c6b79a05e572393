//! A headless terminal emulator that turns output into lines. Supports the movements, erasures and scrolling that programs use, and no
//! colours. Each instruction costs at most a screen of work.

use std::collections::VecDeque;

use unicode_width::UnicodeWidthChar;
use vte::{Params, Parser, Perform};

use super::row::Row;

/// The default size of the screen.
const COLUMNS: u16 = 80;
const ROWS: u16 = 24;
/// A larger screen is treated as one of this size.
const MAX_COLUMNS: u16 = 1000;
const MAX_ROWS: u16 = 300;
/// Bytes of the scrollback.
const MAX_ABOVE: usize = 4 * 1024 * 1024;
/// Characters that a program may have repeated for it.
const MAX_REPEATED: usize = 256 * 1024;

const TAB: usize = 8;

/// Box-drawing characters, for the letters from the backquote on.
const DRAWN: [char; 31] = [
    '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺', '⎻', '─', '⎼', '⎽', '├', '┤', '┴',
    '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
];

pub struct Terminal {
    parser: Parser,
    page: Page,
}

/// The initial position of the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    Top,
    /// As after a long output.
    Bottom,
}

impl Terminal {
    pub fn new(columns: u16, rows: u16, begin: Begin) -> Self {
        let size = |size: u16, usual: u16, max: u16| if size == 0 { usual } else { size.min(max) };
        let columns = size(columns, COLUMNS, MAX_COLUMNS);
        let rows = size(rows, ROWS, MAX_ROWS);
        let mut page = Page::new(usize::from(columns), usize::from(rows));
        if begin == Begin::Bottom {
            page.at.row = page.rows - 1;
        }
        Self { parser: Parser::new(), page }
    }

    pub fn print(&mut self, bytes: &[u8]) {
        self.parser.advance(&mut self.page, bytes);
    }

    /// Deletes the last columns before the cursor.
    pub fn take_back(&mut self, columns: usize) {
        for _ in 0..columns.min(self.page.columns) {
            self.page.take_back();
        }
    }

    /// The text of the screen and the scrollback.
    pub fn text(mut self) -> String {
        for row in std::mem::take(&mut self.page.screen) {
            self.page.leave(&row);
        }
        self.page.above
    }
}

struct Page {
    columns: usize,
    rows: usize,
    screen: VecDeque<Row>,
    /// The scrollback, as text.
    above: String,
    at: Place,
    saved: Place,
    /// The scrolling region: its first and last row.
    top: usize,
    bottom: usize,
    modes: Modes,
    /// Which of the two character sets draws boxes, and which is active.
    drawing: [bool; 2],
    set: usize,
    last: Option<char>,
    repeated: usize,
}

/// A column beyond the last one means that the next character goes to a new row.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    row: usize,
    column: usize,
}

#[derive(Clone, Copy, Debug)]
struct Modes {
    wraps: bool,
    inserts: bool,
    /// Rows are counted from the top of the scrolling region.
    origin: bool,
}

impl Page {
    fn new(columns: usize, rows: usize) -> Self {
        Self {
            columns,
            rows,
            screen: std::iter::repeat_n(Row::default(), rows).collect(),
            above: String::new(),
            at: Place::default(),
            saved: Place::default(),
            top: 0,
            bottom: rows - 1,
            modes: Modes { wraps: true, inserts: false, origin: false },
            drawing: [false; 2],
            set: 0,
            last: None,
            repeated: 0,
        }
    }

    fn row(&mut self) -> &mut Row {
        &mut self.screen[self.at.row]
    }

    /// The column of the character that the cursor is on.
    fn column(&self) -> usize {
        self.at.column.min(self.columns - 1)
    }

    fn write(&mut self, letter: char) {
        let width = match letter.width() {
            None => return,
            Some(0) => {
                let column = self.at.column;
                return self.row().accent(column, letter);
            }
            Some(width) => width.min(2),
        };
        if width > self.columns {
            return;
        }
        if self.at.column + width > self.columns {
            if self.modes.wraps {
                self.row().wrapped = true;
                self.down();
                self.at.column = 0;
            } else {
                self.at.column = self.columns - width;
            }
        } else if self.at.column == 0 && self.at.row > 0 {
            // A line that begins here does not continue the one above, which was longer before.
            self.screen[self.at.row - 1].wrapped = false;
        }
        let (column, columns, inserts) = (self.at.column, self.columns, self.modes.inserts);
        let row = self.row();
        if inserts {
            row.insert(column, width, columns);
        }
        row.write(column, letter, width);
        self.at.column += width;
        self.last = Some(letter);
    }

    fn tab(&mut self) {
        let column = self.column();
        let stop = ((column / TAB + 1) * TAB).min(self.columns - 1);
        let row = self.row();
        // Kept in the text where it made the blanks; elsewhere it only moves the cursor.
        if column >= row.len() && column < stop {
            row.write(column, '\t', stop - column);
        }
        self.at.column = stop;
    }

    fn down(&mut self) {
        if self.at.row == self.bottom {
            self.scroll_up(1);
        } else {
            self.at.row = (self.at.row + 1).min(self.rows - 1);
        }
    }

    fn up(&mut self) {
        if self.at.row == self.top {
            self.scroll_down(self.top, 1);
        } else {
            self.at.row = self.at.row.saturating_sub(1);
        }
    }

    fn scroll_up(&mut self, count: usize) {
        for _ in 0..count.min(self.bottom + 1 - self.top) {
            let Some(mut row) = self.screen.remove(self.top) else { return };
            if self.top == 0 {
                self.leave(&row);
            }
            row.clear();
            self.screen.insert(self.bottom, row);
        }
    }

    /// Inserts rows here, down to the end of the scrolling region.
    fn scroll_down(&mut self, from: usize, count: usize) {
        for _ in 0..count.min(self.bottom + 1 - from) {
            let Some(mut row) = self.screen.remove(self.bottom) else { return };
            row.clear();
            self.screen.insert(from, row);
        }
    }

    fn delete_rows(&mut self, count: usize) {
        for _ in 0..count.min(self.bottom + 1 - self.at.row) {
            let Some(mut row) = self.screen.remove(self.at.row) else { return };
            row.clear();
            self.screen.insert(self.bottom, row);
        }
    }

    fn leave(&mut self, row: &Row) {
        row.text(&mut self.above);
        if !row.wrapped {
            self.above.push('\n');
        }
        if self.above.len() > MAX_ABOVE {
            self.above.drain(..self.above.floor_char_boundary(MAX_ABOVE / 2));
        }
    }

    fn take_back(&mut self) {
        let Place { row, column } = self.at;
        if column > 0 {
            self.at.column = column - 1;
            self.row().erase(column - 1..column);
        } else if row > 0 && self.screen[row - 1].wrapped {
            self.at = Place { row: row - 1, column: self.columns - 1 };
            let columns = self.columns;
            self.row().erase(columns - 1..columns);
        }
    }

    /// From 0, relative to the program's first row.
    fn go_to_row(&mut self, row: usize) {
        let (first, last) = if self.modes.origin { (self.top, self.bottom) } else { (0, self.rows - 1) };
        self.at.row = (first + row).min(last);
        self.at.column = self.column();
    }

    fn go_to_column(&mut self, column: usize) {
        self.at.column = column.min(self.columns - 1);
    }

    /// Stops at the top of the scrolling region.
    fn move_up(&mut self, count: usize) {
        let first = if self.at.row >= self.top { self.top } else { 0 };
        self.at.row = self.at.row.saturating_sub(count).max(first);
        self.at.column = self.column();
    }

    fn move_down(&mut self, count: usize) {
        let last = if self.at.row <= self.bottom { self.bottom } else { self.rows - 1 };
        self.at.row = (self.at.row + count).min(last);
        self.at.column = self.column();
    }

    fn erase_row(&mut self, part: usize) {
        let (column, columns, next) = (self.column(), self.columns, self.at.column);
        let row = self.row();
        match part {
            // Not the last character of a full row, which grep's colours would erase.
            0 => row.erase(next..columns.max(next)),
            1 => row.erase(0..column + 1),
            2 => row.clear(),
            _ => {}
        }
    }

    fn erase_screen(&mut self, part: usize) {
        match part {
            0 => {
                self.erase_row(0);
                self.screen.iter_mut().skip(self.at.row + 1).for_each(Row::clear);
            }
            1 => {
                self.erase_row(1);
                self.screen.iter_mut().take(self.at.row).for_each(Row::clear);
            }
            2 => self.screen.iter_mut().for_each(Row::clear),
            3 => self.above.clear(),
            _ => {}
        }
    }

    fn set_region(&mut self, top: usize, bottom: usize) {
        let bottom = if bottom == 0 { self.rows } else { bottom.min(self.rows) } - 1;
        let top = top.max(1) - 1;
        if top >= bottom {
            return;
        }
        (self.top, self.bottom) = (top, bottom);
        self.go_to_row(0);
        self.at.column = 0;
    }

    fn repeat(&mut self, count: usize) {
        let Some(letter) = self.last else { return };
        let count = count.min(self.columns * self.rows).min(MAX_REPEATED - self.repeated);
        self.repeated += count;
        for _ in 0..count {
            self.write(letter);
        }
    }

    fn set_mode(&mut self, kind: &[u8], mode: u16, on: bool) {
        match (kind, mode) {
            (b"", 4) => self.modes.inserts = on,
            (b"?", 7) => self.modes.wraps = on,
            (b"?", 6) => {
                self.modes.origin = on;
                self.go_to_row(0);
                self.at.column = 0;
            }
            _ => {}
        }
    }

    fn save(&mut self) {
        self.saved = self.at;
    }

    fn restore(&mut self) {
        self.at = self.saved;
    }

    fn reset(&mut self) {
        let repeated = self.repeated;
        *self = Self { repeated, ..Self::new(self.columns, self.rows) };
    }
}

impl Perform for Page {
    fn print(&mut self, letter: char) {
        let drawn = match (self.drawing[self.set], letter) {
            (true, '`'..='~') => DRAWN.get(letter as usize - '`' as usize).copied(),
            _ => None,
        };
        self.write(drawn.unwrap_or(letter));
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\r' => self.at.column = 0,
            b'\n' | 0x0b | 0x0c => self.down(),
            b'\t' => self.tab(),
            0x08 => self.at.column = self.column().saturating_sub(1),
            0x0e => self.set = 1,
            0x0f => self.set = 0,
            _ => {}
        }
    }

    fn csi_dispatch(&mut self, params: &Params, kind: &[u8], ignore: bool, action: char) {
        if ignore {
            return;
        }
        if matches!(action, 'h' | 'l') {
            for mode in params.iter().filter_map(|parameter| parameter.first()) {
                self.set_mode(kind, *mode, action == 'h');
            }
            return;
        }
        let numbers = params.iter().filter_map(|parameter| parameter.first());
        let mut numbers = numbers.map(|number| usize::from(*number));
        let (first, second) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        let count = first.max(1);
        let column = self.column();
        match (kind, action) {
            (b"", 'A') => self.move_up(count),
            (b"", 'B' | 'e') => self.move_down(count),
            (b"", 'C' | 'a') => self.go_to_column(column + count),
            (b"", 'D') => self.go_to_column(column.saturating_sub(count)),
            (b"", 'E' | 'F') => {
                if action == 'E' {
                    self.move_down(count)
                } else {
                    self.move_up(count)
                }
                self.at.column = 0;
            }
            (b"", 'G' | '`') => self.go_to_column(count - 1),
            (b"", 'd') => self.go_to_row(count - 1),
            (b"", 'H' | 'f') => {
                self.go_to_row(count - 1);
                self.go_to_column(second.max(1) - 1);
            }
            (b"", 'I') => self.go_to_column((column / TAB + count) * TAB),
            (b"", 'Z') => self.go_to_column((column.div_ceil(TAB).saturating_sub(count)) * TAB),
            (b"" | b"?", 'J') => self.erase_screen(first),
            (b"" | b"?", 'K') => self.erase_row(first),
            (b"", 'L') if (self.top..=self.bottom).contains(&self.at.row) => self.scroll_down(self.at.row, count),
            (b"", 'M') if (self.top..=self.bottom).contains(&self.at.row) => self.delete_rows(count),
            (b"", 'S') => self.scroll_up(count),
            (b"", 'T') => self.scroll_down(self.top, count),
            (b"", '@') => {
                let columns = self.columns;
                self.row().insert(column, count, columns);
            }
            (b"", 'P') => self.row().remove(column..column + count),
            (b"", 'X') => self.row().erase(column..column + count),
            (b"", 'b') => self.repeat(count),
            (b"", 'r') => self.set_region(first, second),
            (b"", 's') => self.save(),
            (b"", 'u') => self.restore(),
            (b"!", 'p') => {
                (self.top, self.bottom) = (0, self.rows - 1);
                self.modes = Modes { wraps: true, inserts: false, origin: false };
                (self.drawing, self.set) = ([false; 2], 0);
            }
            _ => {}
        }
    }

    fn esc_dispatch(&mut self, kind: &[u8], ignore: bool, byte: u8) {
        match (kind, byte) {
            _ if ignore => {}
            (b"", b'7') => self.save(),
            (b"", b'8') => self.restore(),
            (b"", b'D') => self.down(),
            (b"", b'E') => {
                self.at.column = 0;
                self.down();
            }
            (b"", b'M') => self.up(),
            (b"", b'c') => self.reset(),
            (b"(", set) => self.drawing[0] = set == b'0',
            (b")", set) => self.drawing[1] = set == b'0',
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sequence() -> impl Strategy<Value = String> {
        let action = prop::sample::select("ABCDEFGHJKLMPSTX@d".chars().collect::<Vec<_>>());
        // vt100 has bugs with regions that begin further down, and leaves the cursor in them.
        let region = (2..8_u16).prop_map(|bottom| format!("\x1b[1;{bottom}r\x1b[H"));
        prop_oneof![
            // Emulators differ in movements from beyond the last column, so the cursor moves back before it first.
            3 => "[a-z]{1,9}".prop_map(|text| format!("{text}\x1b[C\x1b[D")),
            1 => "[a-z]{15,50}".prop_map(|text| format!("{text}\r")),
            4 => ("[0-9]{0,1}", action.clone()).prop_map(|(number, action)| match (action, number.as_str()) {
                ('J' | 'K', "3" | "4" | "5" | "6" | "7" | "8" | "9") => format!("\x1b[2{action}"),
                _ => format!("\x1b[{number}{action}"),
            }),
            1 => ("[0-9]", "[0-9]{1,2}").prop_map(|(row, column)| format!("\x1b[{row};{column}H")),
            2 => prop::sample::select(vec!["\r\n", "\r", "\n", "\x08", "\x1b7", "\x1b8", "\x1bM", "\x1b[r\x1b[H"]).prop_map(str::to_owned),
            1 => region,
        ]
    }

    proptest! {
        #[test]
        fn the_screen_is_the_one_that_another_emulator_has(pieces in prop::collection::vec(sequence(), 0..40)) {
            let printed = pieces.concat();
            let size = |size| std::num::NonZeroU16::new(size).unwrap();
            let mut other = vt100::Parser::new(size(8), size(20), 0);
            other.process(printed.as_bytes());
            let mut terminal = Terminal::new(20, 8, Begin::Top);
            terminal.print(printed.as_bytes());
            let rows: Vec<String> = terminal.page.screen.iter().map(|row| {
                let mut text = String::new();
                row.text(&mut text);
                text.trim_end().to_owned()
            }).collect();
            let others: Vec<String> = other.screen().rows(0, 20).map(|row| row.trim_end().to_owned()).collect();
            prop_assert_eq!(rows, others, "{:?}", printed);
        }
    }
}
