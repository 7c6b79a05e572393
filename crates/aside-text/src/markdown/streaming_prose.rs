//! How far prose that still streams is certain: what follows may turn its end into markup or into another block.

use std::ops::Range;

use crate::markdown::sanitize::begins_with_bar;

/// How far it is certain, in prose that still streams, what every character is.
#[derive(Debug, Default)]
pub struct Prose {
    /// Where the first character is that may be half of a construct.
    half: Option<usize>,
    /// The last top-level construct, such as a link or inline code.
    thing: Option<Range<usize>>,
    /// Where the current top-level construct begins.
    outermost: Option<usize>,
    depth: usize,
}

impl Prose {
    pub fn opens(&mut self, range: &Range<usize>) {
        if self.depth == 0 {
            self.outermost = Some(range.start);
            self.thing = Some(range.clone());
        }
        self.depth += 1;
    }

    pub fn closes(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 {
            self.outermost = None;
        }
    }

    /// Text that the parser left as it is.
    pub fn reads(&mut self, source: &str, range: &Range<usize>) {
        if self.half.is_some() {
            return;
        }
        let text = source.get(range.clone()).unwrap_or_default();
        let mut halves = text.match_indices(['*', '_', '`', '[', '<', '&', '\\']).map(|(place, _)| range.start + place);
        if let Some(half) = halves.find(|place| may_begin(source, *place)) {
            let is_image = source.get(..half).is_some_and(|before| before.ends_with('!'));
            self.doubts(half - usize::from(is_image));
        }
    }

    pub fn doubts(&mut self, place: usize) {
        self.half.get_or_insert(self.outermost.unwrap_or(place));
    }

    /// Where certainty ends, in the paragraph that begins at `start` and is the last block of the text.
    pub fn unsure(&self, source: &str, start: usize) -> usize {
        let line = last_line(source);
        let mut unsure = self.half.unwrap_or(source.len());
        // Punctuation at the very end may grow, or turn out to close nothing; a backslash may end a line.
        let text = source.trim_end();
        let end = text.trim_end_matches(|letter: char| letter.is_ascii_punctuation()).len();
        if end < text.len() {
            let inside = self.thing.as_ref().filter(|thing| thing.end > end);
            unsure = unsure.min(inside.map_or(end, |thing| thing.start));
        }
        if start < line {
            // The last line may become another block, and the end of the line before it may vanish.
            unsure = unsure.min(line - 1);
        } else if source.get(start..).is_some_and(|begun| begun.bytes().all(|byte| byte.is_ascii_graphic())) {
            // So may the first word: `1` becomes `1.`.
            unsure = unsure.min(start);
        }
        unsure.min(table(source, start))
    }
}

/// A line that begins with a bar is the head of a table if the next line says so.
fn table(source: &str, start: usize) -> usize {
    let mut begin = start;
    for line in source.get(start..).unwrap_or_default().split_inclusive('\n') {
        let end = begin + line.len();
        let next_is_complete = source.get(end..).is_some_and(|rest| rest.contains('\n'));
        if begins_with_bar(line) && !next_is_complete {
            // The end of the line before it is not certain either.
            return begin.saturating_sub(1).max(start);
        }
        begin = end;
    }
    usize::MAX
}

/// Whether the punctuation at `place`, plain text so far, may become markup.
fn may_begin(source: &str, place: usize) -> bool {
    let (before, after) = source.split_at_checked(place).unwrap_or_default();
    let before = before.chars().next_back();
    let mut after = after.chars();
    let mark = after.next();
    let next = after.clone().next();
    let is_word = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    let is_blank = |letter: Option<char>| letter.is_none_or(char::is_whitespace);
    match mark {
        _ if before == Some('\\') => false,
        Some('*') => !(is_blank(before) && next.is_some_and(char::is_whitespace)),
        Some('_') => !(is_word(before) && is_word(next)),
        Some('<') => next.is_none_or(|letter| letter.is_ascii_alphabetic() || "/!?".contains(letter)),
        Some('\\') => next == Some('\n'),
        Some('&') => after.all(|letter| letter.is_ascii_alphanumeric() || letter == '#'),
        _ => true,
    }
}

/// Where the last line begins, which may be incomplete; the end of the text if it ends with a newline.
pub fn last_line(source: &str) -> usize {
    source.rfind('\n').map_or(0, |newline| newline + 1)
}

/// Whether the gap contains a blank line, apart from its first and last partial lines. The bars of a quotation do not count.
pub fn has_blank_line(source: &str, gap: Range<usize>) -> bool {
    let mut lines = source.get(gap).unwrap_or_default().split('\n').skip(1).peekable();
    while let Some(line) = lines.next() {
        if lines.peek().is_some() && line.chars().all(|letter| " \t>".contains(letter)) {
            return true;
        }
    }
    false
}
