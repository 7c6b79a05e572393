//! What was on the screen: the bytes that a command printed, cut out of the stream of a terminal by the marks that our
//! plugins write around them, and shown by a small terminal of ours as a person saw them. Watches; changes nothing.

mod ends;
pub mod prompt;
mod row;
mod scan;
mod shown;
mod terminal;
#[cfg(test)]
mod tests;

use ends::Ends;
use scan::{Scan, Sink};

/// Bytes that are kept of an output: of its beginning, and of its end.
pub const MAX_HEAD: usize = 16 * 1024;
pub const MAX_TAIL: usize = 64 * 1024;
/// Characters of the name that a shell gives its marks.
const MAX_MARK: usize = 64;

/// Sees all that is printed on a terminal, in slices of any size.
#[derive(Default)]
pub struct Watch {
    scan: Scan,
    open: Option<Open>,
}

/// What one command printed, as bytes. Strings that show nothing (titles, images, the clipboard) and what was drawn on the
/// alternate screen are not among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Which shell's, and which of its commands.
    pub mark: String,
    pub seq: i64,
    /// How large the screen was when it began.
    pub columns: u16,
    pub rows: u16,
    pub head: Vec<u8>,
    /// What came last; empty when all of it is in the head.
    pub tail: Vec<u8>,
    /// Bytes that were printed in all, those aside that are never kept.
    pub bytes: u64,
}

impl Watch {
    /// Calls back for each output that ends in these bytes. What is not between two marks costs a search for one byte.
    pub fn see(&mut self, bytes: &[u8], ended: &mut dyn FnMut(Output)) {
        let Self { scan, open } = self;
        scan.see(bytes, &mut Watching { open, ended });
    }
}

impl Output {
    /// What is in a file that a program was sent to, as if it had been printed on a screen that is large enough. No line
    /// need end in a carriage return, and marks mean nothing.
    pub fn of_file(bytes: &[u8]) -> Self {
        let mut open = Open { columns: u16::MAX, rows: u16::MAX, ..Open::default() };
        let mut scan = Scan::default();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            match line.strip_suffix(b"\n") {
                Some(line) => {
                    scan.see(line, &mut open);
                    scan.see(b"\r\n", &mut open);
                }
                None => scan.see(line, &mut open),
            }
        }
        open.output()
    }

    /// The lines that a person saw, wrapped ones in one piece, without blank lines at the end.
    pub fn shown(&self) -> String {
        shown::shown(self)
    }
}

/// An output that has begun.
#[derive(Default)]
struct Open {
    mark: String,
    seq: i64,
    columns: u16,
    rows: u16,
    ends: Ends,
    screen: Screen,
}

/// Which of the two screens a terminal shows. A command begins on the one that is seen, whichever a program that crashed
/// has left on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Screen {
    #[default]
    Usual,
    Alternate,
}

impl Open {
    fn output(self) -> Output {
        let Self { mark, seq, columns, rows, ends, screen: _ } = self;
        let bytes = ends.bytes();
        let (head, tail) = ends.taken();
        Output { mark, seq, columns, rows, head, tail, bytes }
    }
}

impl Sink for Open {
    fn printed(&mut self, bytes: &[u8]) {
        match self.screen {
            Screen::Usual => self.ends.push(bytes),
            Screen::Alternate => {}
        }
    }

    fn switched(&mut self, screen: Screen) {
        self.screen = screen;
    }

    fn commanded(&mut self, _: &[u8]) {}
}

struct Watching<'a> {
    open: &'a mut Option<Open>,
    ended: &'a mut dyn FnMut(Output),
}

impl Sink for Watching<'_> {
    fn printed(&mut self, bytes: &[u8]) {
        if let Some(open) = self.open {
            open.printed(bytes);
        }
    }

    fn switched(&mut self, screen: Screen) {
        if let Some(open) = self.open {
            open.switched(screen);
        }
    }

    fn commanded(&mut self, text: &[u8]) {
        match Mark::read(text) {
            // One that was open belonged to a shell outside this one; what it printed is not one piece any more.
            Some(Mark::Begin(open)) => *self.open = Some(open),
            Some(Mark::End { mark, seq }) => {
                if let Some(open) = self.open.take_if(|open| open.mark == mark && open.seq == seq) {
                    (self.ended)(open.output());
                }
            }
            None => {}
        }
    }
}

/// What a plugin wrote.
enum Mark<'a> {
    Begin(Open),
    End { mark: &'a str, seq: i64 },
}

impl<'a> Mark<'a> {
    /// `133;C;aside=MARK.SEQ.COLUMNS.ROWS`, or `133;D;EXIT;aside=MARK.SEQ`. Terminals and other plugins use the same number
    /// without our word.
    fn read(text: &'a [u8]) -> Option<Self> {
        let text = text.strip_prefix(b"133;").or_else(|| text.strip_prefix(b"7133;"))?;
        let (kind, parameters) = str::from_utf8(text).ok()?.split_once(';')?;
        let ours = parameters.split(';').find_map(|parameter| parameter.strip_prefix("aside="))?;
        let mut parts = ours.split('.');
        let mark = parts.next().filter(|mark| (1..=MAX_MARK).contains(&mark.len()))?;
        let seq = parts.next()?.parse().ok()?;
        let mut size = || parts.next().and_then(|size| size.parse().ok()).unwrap_or_default();
        match kind {
            "C" => {
                let (columns, rows) = (size(), size());
                Some(Self::Begin(Open { mark: mark.to_owned(), seq, columns, rows, ..Open::default() }))
            }
            "D" => Some(Self::End { mark, seq }),
            _ => None,
        }
    }
}
