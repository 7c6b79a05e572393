//! The title of the column that a word is in, for tables with any separator.

use crate::scan::{line_end, line_start, previous_line};

/// Rows between a word and its header, and bytes of a row.
const MAX_ROWS: usize = 40;
const MAX_ROW: usize = 400;

/// Possible separators. Two blanks only if there is no other.
const MARKS: [&str; 8] = ["\t", "|", ";", ",", "~", ":", "│", "  "];

/// The column's title and the whole header, if the rows between have as many cells.
pub fn title(text: &str, at: usize) -> Option<(&str, &str)> {
    let row = line_start(text, at)..line_end(text, at);
    if row.start == 0 || row.len() > MAX_ROW {
        return None;
    }
    let line = text.get(row.clone())?;
    MARKS.iter().find_map(|mark| {
        if *mark == "  " {
            return spaced_title(text, row.start, at);
        }
        let marks = line.matches(mark).count();
        // Prose has commas as well.
        if marks == 0 || [",", ":"].contains(mark) && marks < 2 && !line.split(mark).all(|cell| !cell.contains(' ')) {
            return None;
        }
        let column = text.get(row.start..at)?.matches(mark).count();
        let mut head = None;
        let mut above = row.start;
        for _ in 0..MAX_ROWS {
            let Some(line) = previous_line(text, above).filter(|line| line.len() <= MAX_ROW) else { break };
            let content = text.get(line.clone())?;
            let count = content.matches(mark).count();
            if count.abs_diff(marks) > usize::from(marks > 2) && !is_rule(content) || count == 0 && !is_rule(content) {
                break;
            }
            if !is_rule(content) {
                head = Some(line.clone());
            }
            above = line.start;
        }
        let head = text.get(head?)?;
        head.split(mark).nth(column).map(|title| (title.trim(), head))
    })
}

/// The word above this position in the first row of the block.
fn spaced_title(text: &str, start: usize, at: usize) -> Option<(&str, &str)> {
    let line = text.get(start..line_end(text, at))?;
    if !line.trim().contains("  ") {
        return None;
    }
    let offset = at - start;
    let mut head = None;
    let mut above = start;
    for _ in 0..MAX_ROWS {
        let Some(line) = previous_line(text, above).filter(|line| line.len() <= MAX_ROW) else { break };
        let content = text.get(line.clone())?;
        if content.trim().is_empty() || !content.trim().contains("  ") && !is_rule(content) {
            break;
        }
        if !is_rule(content) {
            head = Some(line.clone());
        }
        above = line.start;
    }
    let head = text.get(head?)?;
    let place = head.floor_char_boundary(offset.min(head.len()));
    let begin = head.get(..place)?.rfind("  ").map_or(0, |blank| blank + 2);
    let rest = head.get(begin..)?.trim_start();
    let title = rest.split("  ").next().unwrap_or(rest).trim();
    (!title.is_empty()).then_some((title, head))
}

/// The line between a header and its rows.
fn is_rule(line: &str) -> bool {
    line.contains(['-', '=', '─', '═']) && line.chars().all(|letter| " -=+|:─┼├┤│\t╪═".contains(letter))
}
