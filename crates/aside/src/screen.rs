//! Output to a scrolling terminal: permanent rows are written once, and below them live rows are redrawn. Decides what to write; does not
//! write, and does not know what the rows mean.

use std::io::stdout;

use unicode_width::UnicodeWidthChar;

const USUAL: Size = Size { columns: 80, rows: 24 };

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// What is written can be erased.
    Terminal,
    Paper,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub columns: usize,
    pub rows: usize,
}

impl Size {
    /// The terminal's current size; elsewhere by COLUMNS.
    pub fn here() -> Self {
        if let Ok(size) = rustix::termios::tcgetwinsize(stdout())
            && size.ws_col > 0
            && size.ws_row > 0
        {
            return Self { columns: size.ws_col.into(), rows: size.ws_row.into() };
        }
        let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        Self { columns: columns.filter(|columns| *columns > 0).unwrap_or(USUAL.columns), ..USUAL }
    }
}

/// The live rows at the end of the screen. They contain no control characters but colours.
pub struct Live {
    surface: Surface,
    rows: Vec<String>,
}

impl Live {
    pub fn new(surface: Surface) -> Self {
        Self { surface, rows: Vec::new() }
    }

    pub fn surface(&self) -> Surface {
        self.surface
    }

    pub fn rows(&self) -> &[String] {
        &self.rows
    }

    /// Prints the permanent rows, and replaces the live ones.
    pub fn draws(&mut self, stand: &[String], live: Vec<String>, size: Size) -> String {
        let mut live = if self.surface == Surface::Terminal { live } else { Vec::new() };
        // Rows that have scrolled off the top cannot be erased.
        let mut height = 0;
        let shown = live.iter().rev().take_while(|row| {
            height += high(row, size);
            height < size.rows
        });
        live.drain(..live.len() - shown.count());
        if stand.is_empty() && live == self.rows {
            return String::new();
        }
        let stand: String = stand.iter().map(|row| format!("{row}\n")).collect();
        let text = self.erases(size) + &stand + &live.join("\n");
        self.rows = live;
        text
    }

    /// Erases the live rows.
    pub fn clears(&mut self, size: Size) -> String {
        let text = self.erases(size);
        self.rows.clear();
        text
    }

    /// The cursor is at the end of the last live row, wherever that is by now.
    fn erases(&self, size: Size) -> String {
        // Erases row by row, from below: if the screen is erased from its top in one go, tmux keeps it in its scrollback.
        match self.rows.iter().map(|row| high(row, size)).sum::<usize>() {
            0 => String::new(),
            rows => format!("\r\x1b[2K{}\x1b[J", "\x1b[A\x1b[2K".repeat(rows - 1)),
        }
    }
}

/// How many terminal rows a row takes at the current width.
pub fn high(row: &str, size: Size) -> usize {
    let columns = size.columns.max(1);
    let (mut rows, mut column) = (1, 0);
    for width in widths(row) {
        // A wide character that does not fit moves to the next row.
        if column + width > columns {
            rows += 1;
            column = 0;
        }
        column += width;
    }
    rows
}

/// Cuts a row to the width, with `…`. For rows without colours.
pub fn fit(row: &str, columns: usize) -> String {
    if widths(row).sum::<usize>() <= columns {
        return row.to_owned();
    }
    let mut left = columns.saturating_sub(1);
    let kept = row.chars().take_while(|letter| {
        let width = letter.width().unwrap_or(0);
        let fits = width <= left;
        left = left.saturating_sub(width);
        fits
    });
    kept.chain((columns > 0).then_some('…')).collect()
}

/// The widths of its characters, without colours.
fn widths(row: &str) -> impl Iterator<Item = usize> {
    let mut coloured = false;
    row.chars().filter_map(move |letter| match (coloured, letter) {
        (false, '\x1b') => {
            coloured = true;
            None
        }
        (false, _) => Some(letter.width().unwrap_or(0)),
        (true, _) => {
            coloured = letter != 'm';
            None
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { columns: 10, rows: 5 };

    fn rows(rows: &[&str]) -> Vec<String> {
        rows.iter().map(|row| (*row).to_owned()).collect()
    }

    #[test]
    fn a_wide_letter_does_not_stand_on_two_rows() {
        for (row, height) in [
            ("", 1),
            ("0123456789", 1),
            ("0123456789x", 2),
            ("日本語日本", 1),
            ("日本語日本語", 2),
            ("x日本語日本", 2),
            ("x日本語日本語日本語", 2),
            ("\x1b[1;31m0123456789\x1b[0m", 1),
        ] {
            assert_eq!(high(row, SIZE), height, "{row}");
        }
    }

    #[test]
    fn a_row_that_is_cut_says_so() {
        for (row, fits) in [("0123456789", "0123456789"), ("0123456789x", "012345678…"), ("日本語日本語", "日本語日…")]
        {
            assert_eq!(fit(row, 10), fits);
        }
        assert_eq!(fit("abc", 0), "");
        assert_eq!(fit("abc", 1), "…");
    }

    #[test]
    fn what_is_live_is_drawn_in_its_own_place() {
        let mut live = Live::new(Surface::Terminal);
        assert_eq!(live.draws(&[], rows(&["one", "0123456789x"]), SIZE), "one\n0123456789x");
        assert_eq!(
            live.draws(&rows(&["stands"]), rows(&["two"]), SIZE),
            "\r\x1b[2K\x1b[A\x1b[2K\x1b[A\x1b[2K\x1b[Jstands\ntwo"
        );
        assert_eq!(live.draws(&[], rows(&["two"]), SIZE), "");
        assert_eq!(live.clears(SIZE), "\r\x1b[2K\x1b[J");
        assert_eq!(live.clears(SIZE), "");
        let mut paper = Live::new(Surface::Paper);
        assert_eq!(paper.draws(&rows(&["stands"]), rows(&["two"]), SIZE), "stands\n");
    }
}
