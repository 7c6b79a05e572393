//! A snapshot of a terminal: text, colours, cursor. Knows nothing about shells and waits for nothing.

use vt100::Color;

/// The colour of ghost text unless a test says otherwise.
pub const GHOST: Color = Color::Idx(8);

/// How the cursor is drawn in a rendered screen, and in an expected line that contains a pipe.
pub const CURSOR: char = '▮';

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Screen {
    pub(super) rows: Vec<Row>,
    /// Row and column, from zero. The column equals the width when the next letter will wrap.
    pub cursor: (usize, usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) cells: Vec<Cell>,
    /// The terminal, not the program, began the next row: both rows are one line.
    pub(super) wrapped: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    /// Empty where nothing was written, and in the second half of a wide letter.
    pub(super) text: String,
    pub(super) half: Half,
    style: Style,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    /// A letter as wide as its cell, or the left half of a wide one.
    First,
    Second,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    pub fg: Color,
    pub bold: bool,
    pub dim: bool,
    pub inverse: bool,
    pub underline: bool,
}

/// Adjacent cells of one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub text: String,
    pub style: Style,
}

impl Screen {
    pub fn of(screen: &vt100::Screen) -> Self {
        let (rows, columns) = screen.size();
        let cell = |row, column| screen.cell(row, column).map_or_else(Cell::blank, Cell::of);
        let rows = (0..rows.get()).map(|row| Row {
            cells: (0..columns.get()).map(|column| cell(row, column)).collect(),
            wrapped: screen.row_wrapped(row) || wide_letter_went_on(screen, row),
        });
        let (row, column) = screen.cursor_position();
        Self { rows: rows.collect(), cursor: (usize::from(row), usize::from(column)) }
    }

    /// Rows and columns.
    pub fn size(&self) -> (usize, usize) {
        (self.rows.len(), self.rows.first().map_or(0, |row| row.cells.len()))
    }

    /// The text of a row without trailing blanks; empty beyond the last one.
    pub fn row(&self, row: usize) -> String {
        self.rows.get(row).map(Row::text).unwrap_or_default()
    }

    /// All rows, without the empty ones at the end.
    pub fn text(&self) -> String {
        let rows: Vec<String> = self.rows.iter().map(Row::text).collect();
        rows.join("\n").trim_end_matches('\n').to_owned()
    }

    pub fn contains(&self, text: &str) -> bool {
        self.text().contains(text)
    }

    pub fn has_ghost(&self, row: usize, ghost: Color) -> bool {
        self.rows.get(row).is_some_and(|row| row.ghost_follows(0, ghost))
    }

    /// The text of `row`, split where the style changes. Unwritten cells at the end are left out.
    pub fn spans(&self, row: usize) -> Vec<Span> {
        let Some(row) = self.rows.get(row) else { return Vec::new() };
        let written = row.cells.iter().rposition(|cell| !cell.is_blank()).map_or(0, |last| last + 1);
        let mut spans: Vec<Span> = Vec::new();
        for cell in row.cells[..written].iter().filter(|cell| cell.half == Half::First) {
            match spans.last_mut().filter(|span| span.style == cell.style) {
                Some(span) => span.text.push_str(cell.shown()),
                None => spans.push(Span { text: cell.shown().to_owned(), style: cell.style }),
            }
        }
        spans
    }

    /// The rows in the notation of the tests: `‹ghost›` between brackets, the cursor as `▮`, empty rows at the end left out.
    pub fn rendered(&self, ghost: Color) -> Vec<String> {
        let mut rows: Vec<String> =
            self.rows.iter().enumerate().map(|(number, row)| self.rendered_row(number, row, ghost)).collect();
        while rows.last().is_some_and(String::is_empty) {
            rows.pop();
        }
        rows
    }

    fn rendered_row(&self, number: usize, row: &Row, ghost: Color) -> String {
        let mut text = String::new();
        let mut inside = false;
        let cursor = (self.cursor.0 == number).then_some(self.cursor.1);
        for (column, cell) in row.cells.iter().enumerate().filter(|(_, cell)| cell.half == Half::First) {
            // A blank between two ghost words belongs to the ghost text; one after the last word does not.
            let is_ghost = cell.is_ghost(ghost) || inside && cell.is_blank() && row.ghost_follows(column, ghost);
            if inside && !is_ghost {
                text.push('›');
            }
            if cursor == Some(column) {
                text.push(CURSOR);
            }
            if !inside && is_ghost {
                text.push('‹');
            }
            inside = is_ghost;
            text.push_str(cell.shown());
        }
        if inside {
            text.push('›');
        }
        if cursor.is_some_and(|column| column >= row.cells.len()) {
            text.push(CURSOR);
        }
        text.trim_end().to_owned()
    }
}

impl Row {
    fn text(&self) -> String {
        let letters = self.cells.iter().filter(|cell| cell.half == Half::First).map(Cell::shown);
        letters.collect::<String>().trim_end().to_owned()
    }

    fn ghost_follows(&self, column: usize, ghost: Color) -> bool {
        self.cells[column..].iter().any(|cell| cell.is_ghost(ghost))
    }
}

impl Cell {
    fn of(cell: &vt100::Cell) -> Self {
        Self {
            text: cell.contents().to_owned(),
            half: if cell.is_wide_continuation() { Half::Second } else { Half::First },
            style: Style {
                fg: cell.fgcolor(),
                bold: cell.bold(),
                dim: cell.dim(),
                inverse: cell.inverse(),
                underline: cell.underline(),
            },
        }
    }

    fn blank() -> Self {
        let style = Style { fg: Color::Default, bold: false, dim: false, inverse: false, underline: false };
        Self { text: String::new(), half: Half::First, style }
    }

    pub(super) fn shown(&self) -> &str {
        if self.text.is_empty() { " " } else { &self.text }
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty() && !self.style.inverse
    }

    pub(super) fn is_ghost(&self, ghost: Color) -> bool {
        self.style.fg == ghost && !self.is_blank()
    }
}

/// A wide letter that does not fit leaves the last cell unwritten and moves to the next row. vt100 does not mark that row as wrapped.
fn wide_letter_went_on(screen: &vt100::Screen, row: u16) -> bool {
    let columns = screen.size().1.get();
    let written = |column| screen.cell(row, column).is_some_and(vt100::Cell::has_contents);
    let continued = screen.cell(row + 1, 0).is_some_and(vt100::Cell::is_wide);
    columns > 2 && continued && !written(columns - 1) && written(columns - 2)
}
