//! Renders the bytes of an output as the lines that the user saw: both ends through a terminal emulator, without zsh's mark for a partial
//! line, and bounded.

use std::borrow::Cow;

use super::CommandOutput;
use super::terminal::{Begin, Terminal};
use crate::clean;

/// Bytes of the text that are kept of its beginning, and of its end.
const MAX_FIRST: usize = 8 * 1024;
const MAX_LAST: usize = 16 * 1024;
/// Characters of a line.
const MAX_LINE: usize = 2000;
/// Stands for lines that are missing.
const MISSING: &str = "[…]";
/// Below this zsh's fill of the whole width cannot be recognised.
const MIN_COLUMNS: usize = 20;
/// Bytes within which a sequence ends that a tail begins in the middle of.
const MAX_BROKEN: usize = 64;

pub fn rendered_lines(output: &CommandOutput) -> String {
    let CommandOutput { columns, rows, head, tail, bytes, mark: _, seq: _ } = output;
    let kept = head.len() + tail.len();
    let page = |bytes: &[u8], begin: Begin| {
        let (bytes, mark) = without_end_mark(bytes, usize::from(*columns));
        let mut terminal = Terminal::new(*columns, *rows, begin);
        terminal.print(bytes);
        terminal.take_back(mark);
        terminal.text()
    };
    if *bytes <= kept as u64 {
        let all: Cow<'_, [u8]> = if tail.is_empty() { head.into() } else { [head.as_slice(), tail].concat().into() };
        let text = page(&all, Begin::Top);
        let lines = lines(&text);
        if lines.iter().map(|line| line.len() + 1).sum::<usize>() <= MAX_FIRST + MAX_LAST {
            return lines.join("\n");
        }
        return ends(&lines, &lines);
    }
    let first = page(head, Begin::Top);
    let last = page(whole(tail), Begin::Bottom);
    let last = lines(&last);
    let blank = last.iter().take_while(|line| line.is_empty()).count();
    ends(&lines(&first), &last[blank..])
}

/// Sanitized, bounded, without trailing blanks and blank lines.
fn lines(text: &str) -> Vec<Cow<'_, str>> {
    let blank = |letter: char| letter == ' ' || letter == '\t';
    let mut lines: Vec<Cow<'_, str>> = text
        .trim_end()
        .split('\n')
        .map(|line| {
            let line = line.trim_end_matches(blank);
            match line.char_indices().nth(MAX_LINE) {
                Some((end, _)) => format!("{}…", clean(&line[..end])).into(),
                None => clean(line),
            }
        })
        .collect();
    while lines.pop_if(|line| line.is_empty()).is_some() {}
    lines
}

/// The first of some lines, and the last of others.
fn ends(first: &[Cow<'_, str>], last: &[Cow<'_, str>]) -> String {
    let fits = |room: usize| {
        let mut used = 0;
        move |line: &&Cow<'_, str>| {
            used += line.len() + 1;
            used <= room
        }
    };
    let first: Vec<&str> = first.iter().take_while(fits(MAX_FIRST)).map(AsRef::as_ref).collect();
    let mut last: Vec<&str> = last.iter().rev().take_while(fits(MAX_LAST)).map(AsRef::as_ref).collect();
    last.reverse();
    [first.as_slice(), &[MISSING], &last].concat().join("\n")
}

/// From the first complete line; or at least without the rest of a character or a sequence.
fn whole(tail: &[u8]) -> &[u8] {
    if let Some(newline) = memchr::memchr2(b'\n', b'\r', tail) {
        return &tail[newline + 1..];
    }
    let start = &tail[..tail.len().min(MAX_BROKEN)];
    let ends = |byte: &u8| matches!(byte, 0x1b | b'@'..=b'~');
    match start.iter().position(ends) {
        Some(escape) if start[escape] == 0x1b => &tail[escape..],
        Some(last) => &tail[last + 1..],
        None => tail,
    }
}

/// Before a prompt zsh prints a mark, blanks for the rest of a row, a carriage return, as many blanks as the mark is wide, and a carriage
/// return: the mark stays visible after a partial line. Returns the bytes up to the mark's end, and its width.
fn without_end_mark(bytes: &[u8], columns: usize) -> (&[u8], usize) {
    let blanks = |bytes: &[u8]| bytes.iter().rev().take_while(|byte| **byte == b' ').count();
    let found = || {
        let row = bytes.strip_suffix(b"\r")?;
        let width = blanks(row);
        let row = row[..row.len() - width].strip_suffix(b"\r")?;
        let filled = blanks(row);
        let before = &row[..row.len() - filled];
        let all = width + filled;
        // Terminals that wrap at once get one blank less. The screen may have another size by now, or an unknown one: then the end of the
        // mark's colours must be there.
        let fits = columns == all || columns == all + 1 || before.ends_with(b"m") && all >= MIN_COLUMNS;
        (fits && filled > 0).then_some((before, width))
    };
    found().unwrap_or((bytes, 0))
}
