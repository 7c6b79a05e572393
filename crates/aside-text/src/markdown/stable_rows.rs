//! Decides which rows no further text can change. Errs on the side of waiting, since a settled row has been shown.
//!
//! A block is closed for good when another one began on a complete line, or when a blank line followed. In an open block, lines of code are
//! settled when they are complete, and prose is as far as nothing in it may still become the beginning of something (`Prose`).

use crate::markdown::parse::{Kind, Leaf};
use crate::markdown::streaming_prose::{has_blank_line, last_line};

/// The number of settled rows, from the first.
pub fn rows(source: &str, leaves: &[Leaf]) -> usize {
    let line = last_line(source);
    let mut settled = 0;
    for (place, leaf) in leaves.iter().enumerate() {
        let is_followed = leaves.get(place + 1).is_some_and(|next| next.begins < line);
        if is_followed || is_closed(source, leaf, line) {
            settled += leaf.rows.len();
            continue;
        }
        let sure = match &leaf.kind {
            Kind::Code => line,
            Kind::Prose(prose) | Kind::Underlined(prose) => prose.unsure(source, leaf.start),
            Kind::Line | Kind::Table | Kind::Html | Kind::Item => 0,
        };
        return settled + leaf.rows.iter().take_while(|row| row.settles <= sure).count();
    }
    settled
}

fn is_closed(source: &str, leaf: &Leaf, line: usize) -> bool {
    match &leaf.kind {
        Kind::Prose(_) | Kind::Table => has_blank_line(source, leaf.end..line),
        Kind::Underlined(_) | Kind::Line | Kind::Code => leaf.end < line,
        // A blank line does not end a comment, and an item's text may come below its bullet.
        Kind::Html | Kind::Item => false,
    }
}
