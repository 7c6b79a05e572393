//! Lays out tables: columns side by side if there is room for them, and stacked if not.

use pulldown_cmark::Alignment;

use crate::markdown::style::{self, TextStyle};
use crate::markdown::wrap::{self, Cell};

/// Columns between two columns.
const GAP: usize = 2;
/// Minimum width of a column.
const NARROWEST: usize = 8;

pub struct Table {
    pub alignments: Vec<Alignment>,
    /// The head comes first.
    pub rows: Vec<Vec<Vec<Cell>>>,
}

impl Table {
    pub fn rows(mut self, room: usize) -> Vec<Vec<Cell>> {
        let bold = TextStyle::of(style::HEADING);
        for cell in self.rows.first_mut().into_iter().flatten().flatten() {
            cell.looks = cell.looks | bold;
        }
        match self.widths(room) {
            Some(widths) => self.side_by_side(&widths),
            None => self.stacked(room),
        }
    }

    /// The width of each column; `None` when they do not fit side by side.
    fn widths(&self, room: usize) -> Option<Vec<usize>> {
        let count = self.rows.first()?.len();
        let room = room.checked_sub(GAP * count.saturating_sub(1)).filter(|room| *room >= count)?;
        let mut natural = vec![1; count];
        for row in &self.rows {
            for (width, cell) in natural.iter_mut().zip(row) {
                let lines = cell.split(|cell| cell.letter == '\n');
                *width = lines.map(wrap::width).max().unwrap_or(0).max(*width);
            }
        }
        // Narrow columns keep their width, and the wide ones share what is left.
        let mut order: Vec<usize> = natural.clone();
        order.sort_unstable();
        let (mut left, mut sharing) = (room, count);
        for width in order {
            if width > left / sharing {
                break;
            }
            left -= width;
            sharing -= 1;
        }
        if sharing == 0 {
            return Some(natural);
        }
        let share = left / sharing;
        let mut spare = left % sharing;
        if share < NARROWEST {
            return None;
        }
        for width in &mut natural {
            if *width > share {
                let extra = usize::from(spare > 0).min(*width - share);
                *width = share + extra;
                spare -= extra;
            }
        }
        Some(natural)
    }

    fn side_by_side(&self, widths: &[usize]) -> Vec<Vec<Cell>> {
        let mut rows = Vec::new();
        for (place, row) in self.rows.iter().enumerate() {
            let columns: Vec<Vec<&[Cell]>> = row.iter().zip(widths).map(|(cell, width)| lines(cell, *width)).collect();
            let height = columns.iter().map(Vec::len).max().unwrap_or(0).max(1);
            for line in 0..height {
                let mut cells = Vec::new();
                for (column, (lines, width)) in columns.iter().zip(widths).enumerate() {
                    if column > 0 {
                        cells.extend(blanks(GAP));
                    }
                    let text = lines.get(line).copied().unwrap_or_default();
                    let free = width.saturating_sub(wrap::width(text));
                    let before = match self.alignments.get(column) {
                        Some(Alignment::Right) => free,
                        Some(Alignment::Center) => free / 2,
                        Some(Alignment::Left | Alignment::None) | None => 0,
                    };
                    cells.extend(blanks(before));
                    cells.extend_from_slice(text);
                    cells.extend(blanks(free - before));
                }
                rows.push(cells);
            }
            if place == 0 {
                rows.push(underline(widths));
            }
        }
        rows
    }

    /// `name: value` lines, one row of the table after the other.
    fn stacked(&self, room: usize) -> Vec<Vec<Cell>> {
        let Some((head, body)) = self.rows.split_first() else { return Vec::new() };
        let mut rows: Vec<Vec<Cell>> = Vec::new();
        for row in body {
            if !rows.is_empty() {
                rows.push(Vec::new());
            }
            for (name, value) in head.iter().zip(row).filter(|(_, value)| !value.is_empty()) {
                let mut cells = name.clone();
                if !cells.is_empty() {
                    cells.extend(letters(": ", TextStyle::PLAIN));
                }
                cells.extend_from_slice(value);
                rows.extend(lines(&cells, room).into_iter().map(<[Cell]>::to_vec));
            }
        }
        if rows.is_empty() {
            // Only a head so far.
            let cells: Vec<Cell> = head.join(&letters(", ", TextStyle::PLAIN)[..]);
            rows.extend(lines(&cells, room).into_iter().map(<[Cell]>::to_vec));
        }
        rows
    }
}

fn lines(cells: &[Cell], room: usize) -> Vec<&[Cell]> {
    wrap::wrap(cells, room).into_iter().filter_map(|line| cells.get(line.cells)).collect()
}

fn underline(widths: &[usize]) -> Vec<Cell> {
    let looks = TextStyle::of(style::DIM);
    let mut cells = Vec::new();
    for (column, width) in widths.iter().enumerate() {
        if column > 0 {
            cells.extend(blanks(GAP));
        }
        cells.extend((0..*width).map(|_| Cell::new('─', looks, 0)));
    }
    cells
}

fn blanks(count: usize) -> impl Iterator<Item = Cell> {
    (0..count).map(|_| Cell::new(' ', TextStyle::PLAIN, 0))
}

fn letters(text: &str, looks: TextStyle) -> Vec<Cell> {
    text.chars().map(|letter| Cell::new(letter, looks, 0)).collect()
}
