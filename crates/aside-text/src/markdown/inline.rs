//! The text of a block during parsing: its characters, the style of each, and the addresses of links.

use std::ops::Range;

use crate::markdown::sanitize::shown;
use crate::markdown::streaming_prose::Prose;
use crate::markdown::style::{self, TextStyle};
use crate::markdown::wrap::{self, Cell};

pub struct Text {
    pub kind: TextKind,
    pub start: usize,
    pub end: usize,
    pub cells: Vec<Cell>,
    /// Number of cells when a line of the source ended in a soft break.
    soft: Option<usize>,
    looks: Vec<TextStyle>,
    links: Vec<Link>,
    pub prose: Prose,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    Paragraph,
    /// A heading known as one only from the line below it. Its text has been shown by then, so it is a paragraph with a rule.
    Underlined,
    Heading,
    Html,
    TableCell,
}

struct Link {
    address: String,
    /// Index of its first cell.
    from: usize,
}

impl Text {
    pub fn new(kind: TextKind, start: usize) -> Self {
        Self {
            kind,
            start,
            end: start,
            cells: Vec::new(),
            soft: None,
            looks: if kind == TextKind::Heading { vec![TextStyle::of(style::HEADING)] } else { Vec::new() },
            links: Vec::new(),
            prose: Prose::default(),
        }
    }

    pub fn opens(&mut self, mark: char, range: &Range<usize>) {
        let outer = self.look();
        self.looks.push(outer | TextStyle::of(mark));
        self.prose.opens(range);
        self.end = self.end.max(range.end);
    }

    pub fn opens_link(&mut self, address: String, range: &Range<usize>) {
        self.links.push(Link { address, from: self.cells.len() });
        self.opens(style::LINK, range);
    }

    pub fn closes(&mut self, end: usize) {
        self.looks.pop();
        self.prose.closes();
        self.end = self.end.max(end);
    }

    /// Appends the address of a link, unless its text already shows it.
    pub fn closes_link(&mut self, end: usize) {
        self.closes(end);
        let Some(Link { address, from }) = self.links.pop() else { return };
        let said: String = self.cells.iter().skip(from).map(|cell| cell.letter).collect();
        if address.is_empty() || is_same(&said, &shown(&address)) {
            return;
        }
        let looks = self.look() | TextStyle::of(style::DIM);
        if said.trim().is_empty() {
            self.add(&address, end, looks);
        } else {
            self.add(&format!(" ({address})"), end, looks);
        }
    }

    fn look(&self) -> TextStyle {
        self.looks.last().copied().unwrap_or_default()
    }

    /// Text from the source, or what an entity there stands for.
    pub fn push(&mut self, text: &str, range: &Range<usize>, looks: TextStyle) {
        self.end = self.end.max(range.end);
        let looks = self.look() | looks;
        if text.len() != range.len() {
            return self.add(text, range.end, looks);
        }
        let all_shown = shown(text).len() == text.len();
        for (place, letter) in text.char_indices() {
            if all_shown || !shown(letter.encode_utf8(&mut [0; 4])).is_empty() {
                self.add_letter(letter, range.start + place + letter.len_utf8(), looks);
            }
        }
    }

    fn add(&mut self, text: &str, end: usize, looks: TextStyle) {
        for letter in shown(text).chars() {
            self.add_letter(letter, end, looks);
        }
    }

    fn add_letter(&mut self, letter: char, end: usize, looks: TextStyle) {
        let cell = Cell::new(if letter.is_ascii_whitespace() { ' ' } else { letter }, looks, end);
        let is_second = cell.letter == ' ' && self.cells.last().is_some_and(|last| last.letter == ' ');
        // In code every blank counts.
        if !is_second || looks != self.look() {
            self.joins(&cell);
            self.cells.push(cell);
        }
    }

    pub fn soft_break(&mut self, end: usize) {
        self.end = self.end.max(end);
        self.add(" ", end, self.look());
        self.soft = Some(self.cells.len());
    }

    /// A soft break between two Chinese characters becomes no blank.
    fn joins(&mut self, next: &Cell) {
        if self.soft.take() == Some(self.cells.len())
            && let [.., before, _] = &self.cells[..]
            && wrap::is_unspaced(before)
            && wrap::is_unspaced(next)
        {
            self.cells.pop();
        }
    }

    pub fn breaks(&mut self, end: usize) {
        self.end = self.end.max(end);
        self.cells.push(Cell::new('\n', self.look(), end));
    }
}

/// Whether a link's text already shows its address.
fn is_same(said: &str, address: &str) -> bool {
    let bare = |text: &str| {
        let text = text.trim().trim_end_matches('/');
        let schemes = ["https://", "http://", "mailto:"];
        schemes.iter().find_map(|scheme| text.strip_prefix(scheme)).unwrap_or(text).to_owned()
    };
    bare(said) == bare(address)
}
