//! Captures what was on the screen: cuts the output of a command out of the terminal's stream by the markers that our plugins write around
//! it, and renders it with a small terminal emulator as the user saw it. Only observes; changes nothing.

mod head_and_tail;
pub mod prompt;
mod rendered;
mod row;
mod scan;
mod terminal;
#[cfg(test)]
mod tests;

use head_and_tail::HeadAndTail;
use scan::{Scan, Sink};

/// Bytes that are kept of an output: of its beginning, and of its end.
pub const MAX_HEAD: usize = 16 * 1024;
pub const MAX_TAIL: usize = 64 * 1024;
/// Characters of the secret in a shell's markers.
const MAX_MARK: usize = 64;

/// Sees everything that is printed on a terminal, in slices of any size.
#[derive(Default)]
pub struct OutputWatcher {
    scan: Scan,
    open: Option<Open>,
}

/// The output of one command, as bytes. Excludes strings that show nothing (titles, images, the clipboard) and what was drawn on the
/// alternate screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandOutput {
    /// The secret of the shell's markers, and the number of the command.
    pub mark: String,
    pub seq: i64,
    /// The size of the screen when it began.
    pub columns: u16,
    pub rows: u16,
    pub head: Vec<u8>,
    /// The end; empty when all of it is in the head.
    pub tail: Vec<u8>,
    /// Total bytes that were printed, apart from those that are never kept.
    pub bytes: u64,
}

impl OutputWatcher {
    /// Calls back for each output that ends in these bytes. Outside of markers it costs a search for one byte.
    pub fn see(&mut self, bytes: &[u8], ended: &mut dyn FnMut(CommandOutput)) {
        let Self { scan, open } = self;
        scan.see(bytes, &mut Watching { open, ended });
    }
}

impl CommandOutput {
    /// The contents of a file that a program's output was redirected to, as if printed on a large enough screen. Lines need no carriage
    /// return, and markers are ignored.
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

    /// The lines that the user saw, with wrapped ones joined, without blank lines at the end.
    pub fn shown(&self) -> String {
        rendered::rendered_lines(self)
    }
}

/// An output that has begun.
#[derive(Default)]
struct Open {
    mark: String,
    seq: i64,
    columns: u16,
    rows: u16,
    ends: HeadAndTail,
    screen: Screen,
}

/// Which of the two screens a terminal shows. A command begins on the visible one, even if a crashed program has left the alternate screen
/// on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Screen {
    #[default]
    Usual,
    Alternate,
}

impl Open {
    fn output(self) -> CommandOutput {
        let Self { mark, seq, columns, rows, ends, screen: _ } = self;
        let bytes = ends.bytes();
        let (head, tail) = ends.taken();
        CommandOutput { mark, seq, columns, rows, head, tail, bytes }
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
    ended: &'a mut dyn FnMut(CommandOutput),
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
            // An open one belonged to an outer shell; its output is no longer contiguous.
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

/// A marker of a plugin.
enum Mark<'a> {
    Begin(Open),
    End { mark: &'a str, seq: i64 },
}

impl<'a> Mark<'a> {
    /// `133;C;aside=MARK.SEQ.COLUMNS.ROWS`, or `133;D;EXIT;aside=MARK.SEQ`. Terminals and other plugins use the same number without our
    /// key.
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
