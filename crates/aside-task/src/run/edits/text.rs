//! A file as lines that can be replaced. Unchanged lines keep every byte: their ends, their trailing blanks, and the secrets that were
//! redacted for the model.

use std::ops::Range;

use aside_redact::REDACTED;
use aside_text as text;

use crate::diff::compute::changed_ranges;
use crate::diff::locate;
use crate::run::context;

#[derive(Clone, Debug)]
pub struct FileText {
    pub lines: Vec<Line>,
    /// The most common line end.
    end: &'static [u8],
    /// Whether the last line has a newline.
    ended: bool,
}

#[derive(Clone, Debug)]
pub struct Line {
    bytes: Vec<u8>,
    end: &'static [u8],
    /// As the model was shown it.
    pub shown: String,
    /// As it is in the file.
    pub real: String,
}

impl Line {
    fn new(bytes: &[u8], end: &'static [u8]) -> Self {
        let real = String::from_utf8_lossy(bytes).into_owned();
        Self { bytes: bytes.to_vec(), end, shown: real.clone(), real }
    }
}

/// A line that the model wrote: as compared, and as written to the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelLine {
    pub compared: String,
    pub written: String,
}

impl FileText {
    pub fn new(bytes: &[u8]) -> Self {
        let lines: Vec<Line> = locate::lines(bytes)
            .into_iter()
            .map(|line| match line.strip_suffix(b"\n") {
                None => Line::new(line, b""),
                Some(line) => match line.strip_suffix(b"\r") {
                    None => Line::new(line, b"\n"),
                    Some(line) => Line::new(line, b"\r\n"),
                },
            })
            .collect();
        let crlf = lines.iter().filter(|line| line.end == b"\r\n").count();
        let end: &[u8] = if crlf * 2 > lines.len() { b"\r\n" } else { b"\n" };
        let ended = lines.last().is_none_or(|line| !line.end.is_empty());
        Self { lines, end, ended }
    }

    /// Records how the model was shown the lines. Returns false and records nothing when they do not match this file line by line.
    pub fn learn(&mut self, shown: &context::ContextFile) -> bool {
        let (first, last, _) = shown.lines;
        let start = first.saturating_sub(1);
        let texts: Vec<&str> = shown.text.lines().collect();
        let Some(lines) = self.lines.get_mut(start..last.max(start)).filter(|lines| lines.len() == texts.len()) else {
            return false;
        };
        let cleaned = |line: &str| text::escape_chat_turns(text::clean(line).into_owned());
        let same = |(line, text): (&Line, &&str)| {
            line.real == **text || text.contains(REDACTED) || cleaned(&line.real) == **text
        };
        if !lines.iter().zip(&texts).all(same) {
            return false;
        }
        for (line, text) in lines.iter_mut().zip(&texts) {
            (*text).clone_into(&mut line.shown);
        }
        true
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.lines.iter().flat_map(|line| [line.bytes.as_slice(), line.end]).flatten().copied().collect()
    }

    /// Replaces a range of lines, which the model gave as `old`, by `new`. Lines in both keep their bytes from the file.
    pub fn replace(&mut self, at: Range<usize>, old: &[&str], new: &[ModelLine]) {
        let near = at.start.checked_sub(1).map_or(at.start, |before| before);
        let end = self.lines.get(at.start).or_else(|| self.lines.get(near)).map_or(self.end, |line| line.end);
        let end = if end.is_empty() { self.end } else { end };
        let trimmed: Vec<&str> = old.iter().map(|line| line.trim_end()).collect();
        let wanted: Vec<&str> = new.iter().map(|line| line.compared.trim_end()).collect();
        // Trailing blanks count only if nothing else changes; otherwise they are accidental.
        let exactly: Vec<&str> = new.iter().map(|line| line.compared.as_str()).collect();
        let changes = if trimmed == wanted { changed_ranges(old, &exactly) } else { changed_ranges(&trimmed, &wanted) };
        for (gone, come) in changes.into_iter().rev() {
            let lines = new.get(come).unwrap_or_default().iter().map(|line| Line::new(line.written.as_bytes(), end));
            let lines: Vec<Line> = lines.collect();
            let (from, to) = (at.start + gone.start, (at.start + gone.end).min(self.lines.len()));
            if from <= to {
                drop(self.lines.splice(from..to, lines));
            }
        }
        self.mend_ends();
    }

    /// Gives all lines but the last a line end, and restores that of the last.
    fn mend_ends(&mut self) {
        let (end, ended) = (self.end, self.ended);
        if let Some((last, others)) = self.lines.split_last_mut() {
            others.iter_mut().filter(|line| line.end.is_empty()).for_each(|line| line.end = end);
            match (ended, last.end.is_empty()) {
                (true, true) => last.end = end,
                (false, false) => last.end = b"",
                (true, false) | (false, true) => {}
            }
        }
    }

    /// Replaces words within one line.
    pub fn reword(&mut self, at: usize, from: &str, to: &str) {
        if let Some(line) = self.lines.get_mut(at) {
            let real = line.real.replacen(from, to, 1);
            *line = Line::new(real.as_bytes(), line.end);
        }
    }
}
