//! How much of the text one scanner sees. Whatever a scanner does within its window, and however long the text is, all
//! windows together are at most a fixed number of times as long as the text, so the time is linear in it.
//!
//! A window ends after a few more places that may begin a secret, so windows are short where triggers are dense. What
//! needs more, such as a table or a key of many lines, gets a wide window as long as the text's credit lasts.

use std::ops::Range;

/// Places with a trigger word that a near window holds on either side.
const NEAR: usize = 16;

/// Bytes of a near window on either side, even if there are fewer places.
const MAX_NEAR: usize = 8 * 1024;

/// Bytes of a text that is one window for every scanner, as long as the credit lasts.
const SMALL: usize = 2 * 1024;

/// The sum of all wide windows: for each byte of the text, and for any text.
const CREDIT_OF_BYTE: usize = 24;
const CREDIT: usize = 256 * 1024;

/// A part of the text, and its offset.
#[derive(Clone, Copy)]
pub struct Window<'t> {
    pub text: &'t str,
    pub base: usize,
}

impl Window<'_> {
    pub fn end(self) -> usize {
        self.base + self.text.len()
    }

    /// A range of the whole text as one of this part.
    pub fn inside(self, range: &Range<usize>) -> Range<usize> {
        range.start - self.base..range.end - self.base
    }
}

/// The windows of one text, by the places of its trigger words.
pub struct Windows<'t> {
    text: &'t str,
    /// Where trigger words end, each place once, ascending; and the first byte of a word that ends there.
    places: Vec<Range<usize>>,
    /// The place of the last word that was asked for.
    at: usize,
    credit: usize,
    /// The end of the last run of letters that a secret was continued to.
    continued: usize,
}

impl<'t> Windows<'t> {
    /// `words` in the order of their ends.
    pub fn of(text: &'t str, words: impl Iterator<Item = Range<usize>>) -> Self {
        let mut places: Vec<Range<usize>> = Vec::new();
        for word in words {
            match places.last_mut() {
                Some(last) if last.end == word.end => last.start = last.start.min(word.start),
                _ => places.push(word),
            }
        }
        Self { text, places, at: 0, credit: CREDIT + CREDIT_OF_BYTE * text.len(), continued: 0 }
    }

    /// The window of a word, which does not come before the last one.
    pub fn near(&mut self, word: &Range<usize>) -> Window<'t> {
        while self.places.get(self.at).is_some_and(|place| place.end < word.end) {
            self.at += 1;
        }
        if self.text.len() <= SMALL && self.pay(self.text.len()) {
            return Window { text: self.text, base: 0 };
        }
        let first = self.at.checked_sub(NEAR).and_then(|first| self.places.get(first)).map_or(0, |place| place.start);
        let last = self.places.get(self.at + NEAR).map_or(self.text.len(), |place| place.end);
        let from = first.max(word.start.saturating_sub(MAX_NEAR)).min(word.start);
        self.window(from..last.min(word.end.saturating_add(MAX_NEAR)).max(word.end))
    }

    /// The text up to `reach` bytes around a word, if that can be paid for.
    pub fn wide(&mut self, word: &Range<usize>, reach: usize) -> Option<Window<'t>> {
        let window = self.window(word.start.saturating_sub(reach)..word.end.saturating_add(reach));
        self.pay(window.text.len()).then_some(window)
    }

    /// The end of the word that a window may have cut in two at `end`: no rest of a secret may stay.
    pub fn continued(&mut self, end: usize) -> usize {
        if end >= self.continued {
            let rest = self.text.get(end..).unwrap_or_default();
            let stops = |letter: char| letter.is_whitespace() || "\"'`<>,;&".contains(letter);
            self.continued = end + rest.find(stops).unwrap_or(rest.len());
        }
        self.continued
    }

    fn pay(&mut self, bytes: usize) -> bool {
        let left = self.credit.checked_sub(bytes);
        self.credit = left.unwrap_or(self.credit);
        left.is_some()
    }

    fn window(&self, range: Range<usize>) -> Window<'t> {
        let base = self.text.ceil_char_boundary(range.start.min(self.text.len()));
        let end = self.text.floor_char_boundary(range.end.min(self.text.len()));
        Window { text: self.text.get(base..end).unwrap_or_default(), base }
    }
}
