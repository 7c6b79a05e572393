//! Where an input line begins and ends on a screen, and the notation in which a test writes the expected one: `git st|atus`.

use vt100::Color;

use crate::harness::screen::{CURSOR, Half, Screen};

/// The line being edited, split at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub before: String,
    pub after: String,
    pub ghost: Ghost,
}

/// How much of an input line is painted in the ghost colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ghost {
    Absent,
    /// Everything after the cursor, and nothing else.
    AfterCursor,
    /// Some other part. No test should expect this.
    Elsewhere,
}

/// The row of the numbered prompt, once the cursor has passed it. The lowest one, if it was drawn more than once.
pub fn prompt_row(screen: &Screen, prompt: &str) -> Option<usize> {
    let row = (0..screen.rows.len()).rev().find(|row| screen.row(*row).starts_with(prompt.trim_end()))?;
    let passed = (row, prompt.chars().count()) <= screen.cursor;
    passed.then_some(row)
}

/// The text after `prompt`. Joins wrapped rows and full rows: fish begins the next row itself, which looks the same. `lines` says
/// how many line breaks of the program's own belong to the input, because a screen does not tell a second line from a list below
/// the first.
pub fn read(screen: &Screen, prompt: &str, lines: usize, ghost: Color) -> Option<Line> {
    let mut reading = Reading::default();
    let mut skip = prompt.chars().count();
    let mut left = lines;
    for number in prompt_row(screen, prompt)?..screen.rows.len() {
        reading.row(screen, number, skip, ghost);
        skip = 0;
        let row = &screen.rows[number];
        if row.wrapped || row.cells.last().is_some_and(|cell| !cell.is_blank()) {
            continue;
        }
        reading.drop_trailing_blanks();
        left -= 1;
        if left == 0 {
            break;
        }
        reading.letters.push(Letter { text: "\n".to_owned(), paint: Paint::Blank });
    }
    reading.line()
}

/// Parses `git st|atus`, where `|` is the cursor. A line that contains a pipe writes the cursor as `▮`.
#[track_caller]
pub fn wanted(text: &str, ghost: Ghost) -> Line {
    let mark = if text.contains(CURSOR) { CURSOR } else { '|' };
    let Some((before, after)) = text.split_once(mark).filter(|(_, after)| !after.contains(mark)) else {
        panic!("`{text}` must have one cursor: write `|`, or `{CURSOR}` when the line itself has a pipe");
    };
    Line { before: before.to_owned(), after: after.trim_end_matches(' ').to_owned(), ghost }
}

#[derive(Default)]
struct Reading {
    letters: Vec<Letter>,
    cursor: Option<usize>,
}

struct Letter {
    text: String,
    paint: Paint,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Paint {
    /// The colour of a blank is invisible.
    Blank,
    Typed,
    Ghost,
}

impl Reading {
    fn row(&mut self, screen: &Screen, number: usize, skip: usize, ghost: Color) {
        let row = &screen.rows[number];
        for (column, cell) in row.cells.iter().enumerate().skip(skip) {
            if (number, column) == screen.cursor {
                self.cursor = Some(self.letters.len());
            }
            // A wide letter that does not fit leaves the last cell unwritten and moves to the next row.
            let left_out = row.wrapped && column + 1 == row.cells.len() && cell.text.is_empty();
            if cell.half == Half::Second || left_out {
                continue;
            }
            let paint = match cell {
                cell if cell.is_blank() => Paint::Blank,
                cell if cell.is_ghost(ghost) => Paint::Ghost,
                _ => Paint::Typed,
            };
            self.letters.push(Letter { text: cell.shown().to_owned(), paint });
        }
        if screen.cursor.0 == number && screen.cursor.1 >= row.cells.len() {
            self.cursor = Some(self.letters.len());
        }
    }

    /// Blanks at the end of a line are indistinguishable from an empty screen, unless the cursor is behind them.
    fn drop_trailing_blanks(&mut self) {
        let keep = self.cursor.unwrap_or(0);
        while self.letters.len() > keep && self.letters.last().is_some_and(|letter| letter.text == " ") {
            self.letters.pop();
        }
    }

    fn line(self) -> Option<Line> {
        let (before, after) = self.letters.split_at_checked(self.cursor?)?;
        let has = |letters: &[Letter], paint| letters.iter().any(|letter| letter.paint == paint);
        let ghost = match (has(before, Paint::Ghost), has(after, Paint::Ghost), has(after, Paint::Typed)) {
            (false, false, _) => Ghost::Absent,
            (false, true, false) => Ghost::AfterCursor,
            (true, _, _) | (false, true, true) => Ghost::Elsewhere,
        };
        let text = |letters: &[Letter]| letters.iter().map(|letter| letter.text.as_str()).collect::<String>();
        Some(Line { before: text(before), after: text(after), ghost })
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU16;

    use super::*;
    use crate::harness::screen::GHOST;

    fn screen(rows: u16, columns: u16, bytes: &str) -> Screen {
        let mut parser = vt100::Parser::new(NonZeroU16::new(rows).unwrap(), NonZeroU16::new(columns).unwrap(), 0);
        parser.process(bytes.as_bytes());
        Screen::of(parser.screen())
    }

    fn line(bytes: &str, lines: usize) -> Option<Line> {
        read(&screen(6, 10, bytes), "1> ", lines, GHOST)
    }

    #[test]
    fn the_line_is_cut_at_the_cursor() {
        assert_eq!(line("1> ls -l\x1b[2D", 1), Some(wanted("ls |-l", Ghost::Absent)));
        assert_eq!(line("1> ls  ", 1), Some(wanted("ls  |", Ghost::Absent)));
        assert_eq!(line("1> a | b", 1), Some(wanted("a | b▮", Ghost::Absent)));
    }

    #[test]
    fn rows_that_the_terminal_wrapped_are_one_line() {
        assert_eq!(line("1> 1234567890", 1), Some(wanted("1234567890|", Ghost::Absent)));
        assert_eq!(line("1> 1234567", 1), Some(wanted("1234567|", Ghost::Absent)));
        assert_eq!(line("1> 1234567\r\n89", 1), Some(wanted("123456789|", Ghost::Absent)));
        assert_eq!(line("1> 123456日本", 1), Some(wanted("123456日本|", Ghost::Absent)));
    }

    #[test]
    fn lines_below_count_only_when_the_test_says_so() {
        assert_eq!(line("1> if x\r\n y", 2), Some(wanted("if x\n y|", Ghost::Absent)));
        assert_eq!(line("1> ls\x1b7\r\nlist\x1b8", 1), Some(wanted("ls|", Ghost::Absent)));
    }

    #[test]
    fn ghost_is_what_is_grey_after_the_cursor() {
        assert_eq!(line("1> g\x1b7\x1b[90mit a\x1b8", 1), Some(wanted("g|it a", Ghost::AfterCursor)));
        assert_eq!(line("1> \x1b[90mgi", 1).unwrap().ghost, Ghost::Elsewhere);
        assert_eq!(line("1> g\x1b7\x1b[90mi\x1b[mt\x1b8", 1).unwrap().ghost, Ghost::Elsewhere);
    }

    #[test]
    fn a_prompt_counts_once_the_cursor_is_past_it() {
        assert_eq!(line("1>", 1), None);
        assert_eq!(line("1> ", 1), Some(wanted("|", Ghost::Absent)));
        assert_eq!(line("11> ", 1), None);
    }

    #[test]
    #[should_panic(expected = "must have one cursor")]
    fn two_cursors_are_refused() {
        wanted("a | b|", Ghost::Absent);
    }
}
