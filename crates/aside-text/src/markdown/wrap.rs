//! Prose: styled characters, and the rows that they fill. Does not know which block they belong to.

use std::ops::Range;

use unicode_width::UnicodeWidthChar;

use crate::markdown::style::TextStyle;

/// Line-breaking rules: no row begins with a closing mark or ends with an opening one.
const CLOSING: &str = "、。，．：；！？）］｝〉》」』】〕…‥・ー～”’%％";
const OPENING: &str = "（［｛〈《「『【〔“‘";

/// One character. `\n` ends a row, and a blank may.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    pub letter: char,
    pub looks: TextStyle,
    pub width: u8,
    /// Where it ends in the source.
    pub end: usize,
}

impl Cell {
    pub fn new(letter: char, looks: TextStyle, end: usize) -> Self {
        // At most two, by Unicode.
        let width = if letter.is_ascii() { 1 } else { u8::try_from(letter.width().unwrap_or(0)).unwrap_or(2) };
        Self { letter, looks, width, end }
    }
}

pub fn width(cells: &[Cell]) -> usize {
    cells.iter().map(|cell| usize::from(cell.width)).sum()
}

/// The range of cells that fills a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub cells: Range<usize>,
    /// How much of the source decided where it ends; `None` for the last row.
    pub settles: Option<usize>,
}

/// Fits as many words in each row as there is room for.
pub fn wrap(cells: &[Cell], room: usize) -> Vec<Line> {
    let room = room.max(2);
    let mut lines = Vec::new();
    let mut start = skip_blanks(cells, 0);
    while start < cells.len() {
        let (line, next) = first_line(cells, start, room);
        lines.push(line);
        start = skip_blanks(cells, next);
    }
    lines
}

/// The line that begins at `start`, and where the next one begins.
fn first_line(cells: &[Cell], start: usize, room: usize) -> (Line, usize) {
    let mut used = 0;
    // The last possible break: where the row would end, and where the next would begin.
    let mut chance = None;
    for (place, cell) in cells.iter().enumerate().skip(start) {
        match cell.letter {
            '\n' => return (line(cells, start..place, Some(cell.end)), place + 1),
            ' ' => {
                chance = Some((place, place + 1));
                used += 1;
                continue;
            }
            _ if place > start && cells.get(place - 1).is_some_and(|before| may_part(before, cell)) => {
                chance = Some((place, place));
            }
            _ => {}
        }
        if used + usize::from(cell.width) > room {
            let (end, next) = chance.unwrap_or((place, place));
            return (line(cells, start..end, Some(cell.end)), next);
        }
        used += usize::from(cell.width);
    }
    (line(cells, start..cells.len(), None), cells.len())
}

fn line(cells: &[Cell], range: Range<usize>, settles: Option<usize>) -> Line {
    let blanks =
        cells.get(range.clone()).unwrap_or_default().iter().rev().take_while(|cell| cell.letter == ' ').count();
    Line { cells: range.start..range.end - blanks, settles }
}

fn skip_blanks(cells: &[Cell], from: usize) -> usize {
    from + cells.iter().skip(from).take_while(|cell| cell.letter == ' ').count()
}

/// Whether the script has no blanks between words. Korean is wide, but has blanks.
pub fn is_unspaced(cell: &Cell) -> bool {
    cell.width == 2
        && !matches!(cell.letter, '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}')
}

/// In Chinese and Japanese a row may end between any two characters.
fn may_part(before: &Cell, after: &Cell) -> bool {
    (is_unspaced(before) || is_unspaced(after))
        && after.width > 0
        && before.letter != ' '
        && !CLOSING.contains(after.letter)
        && !OPENING.contains(before.letter)
}

/// Rows of exactly this many columns, whatever is in them: for code, where whitespace is significant.
pub fn fold(text: &str, room: usize) -> Vec<&str> {
    let room = room.max(2);
    let (mut rows, mut start, mut used) = (Vec::new(), 0, 0);
    for (place, letter) in text.char_indices() {
        let width = letter.width().unwrap_or(0);
        if used + width > room {
            rows.extend(text.get(start..place));
            (start, used) = (place, 0);
        }
        used += width;
    }
    rows.extend(text.get(start..));
    rows
}
