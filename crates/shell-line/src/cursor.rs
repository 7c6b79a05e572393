//! What is at the cursor: what the line up to there ends in.

use crate::scan::{self, Last};
use crate::{CursorRole, CursorSpot, Line, Quote};

pub(super) fn at<'l>(line: &'l Line<'_>, cursor: usize) -> CursorSpot<'l> {
    let cursor = line.text.floor_char_boundary(cursor);
    let read = scan::read(line.text, cursor, line.dialect);
    let nothing = || Last {
        command: None,
        role: CursorRole::Other,
        start: cursor,
        typed: String::new(),
        fixed: true,
        quote: Quote::None,
    };
    let Last { command, role, start, typed, fixed, quote } = read.last.unwrap_or_else(nothing);
    // The command that the text before the cursor ends in; else one that begins right at the cursor.
    let begins = match command.and_then(|index| read.commands.get(index)) {
        Some(command) => command.span.start,
        None => cursor,
    };
    let place = line.commands.binary_search_by_key(&begins, |command| command.span.start).ok();
    CursorSpot { command: place.and_then(|place| line.commands.get(place)), role, start, typed, fixed, quote }
}
