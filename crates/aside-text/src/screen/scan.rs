//! Separates what a terminal's stream prints from strings that show nothing, and from switches to the other screen. Does not interpret the
//! rest: colours and movements are passed on to the sink as printed.

use memchr::{memchr, memchr3};

use super::Screen;

const BEL: u8 = 0x07;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;
const ESC: u8 = 0x1b;

/// Bytes in which the next escape often is.
const NEAR: usize = 12;
/// Bytes of a string that are kept: the maximum length of our markers.
const MAX_NOTE: usize = 160;
/// Bytes of a sequence that may switch screens. Longer ones do not.
const MAX_SEQUENCE: usize = 48;
/// Bytes of a string, which may be an image, before it counts as unterminated. Any other sequence ends it too, so that a marker is never
/// missed.
const MAX_STRING: usize = 32 * 1024 * 1024;
/// The same for a window title of screen and tmux.
const MAX_TITLE: usize = 1024;

/// Receives the parts of the stream.
pub trait Sink {
    /// Bytes that a terminal acts upon, in order; split sequences arrive whole, or in consecutive pieces.
    fn printed(&mut self, bytes: &[u8]);
    fn switched(&mut self, screen: Screen);
    /// The text of an operating system command that is short and properly terminated.
    fn commanded(&mut self, text: &[u8]);
}

#[derive(Default)]
pub struct Scan {
    state: State,
    /// A sequence whose end is still to come.
    held: Vec<u8>,
    /// The beginning of the current string, and its length so far.
    note: Vec<u8>,
    length: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Ground,
    /// In the held sequence.
    Sequence,
    Inside(Kind),
    /// In a string, after an ESC.
    Ending(Kind),
}

/// Strings that show nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// An operating system command: it may end with BEL.
    Command,
    /// A device control string, such as sixel images; an application program command, such as kitty's; two that are not used.
    Other,
    /// `ESC k`: only of screen and tmux, but not used for anything else.
    Title,
}

/// What begins with an ESC.
#[derive(Debug, PartialEq, Eq)]
enum Sequence {
    /// Not relevant here. Its last byte may begin another one.
    Plain,
    /// More bytes are needed.
    Short,
    Opens(Kind),
    Switches(Screen, usize),
    /// `ESC c`, which restores the main screen.
    Resets,
}

impl Scan {
    pub fn see(&mut self, bytes: &[u8], sink: &mut impl Sink) {
        let mut rest = bytes;
        while !rest.is_empty() {
            rest = match self.state {
                State::Ground => self.ground(rest, sink),
                State::Sequence => self.sequence(rest, sink),
                State::Inside(kind) => self.inside(kind, rest, sink),
                State::Ending(kind) => self.ending(kind, rest, sink),
            };
        }
    }

    fn ground<'a>(&mut self, bytes: &'a [u8], sink: &mut impl Sink) -> &'a [u8] {
        let mut from = 0;
        while let Some(found) = next_escape(&bytes[from..]) {
            let (before, behind) = bytes.split_at(from + found);
            match Sequence::read(behind) {
                // Left in place, so that coloured text is passed on in one piece.
                Sequence::Plain => from += found + 1,
                Sequence::Short => {
                    sink.printed(before);
                    self.held.clear();
                    self.held.extend_from_slice(behind);
                    self.state = State::Sequence;
                    return &[];
                }
                sequence => {
                    sink.printed(before);
                    return &behind[self.act(&sequence, sink)..];
                }
            }
        }
        sink.printed(bytes);
        &[]
    }

    fn sequence<'a>(&mut self, bytes: &'a [u8], sink: &mut impl Sink) -> &'a [u8] {
        for (at, byte) in bytes.iter().enumerate() {
            self.held.push(*byte);
            match Sequence::read(&self.held) {
                Sequence::Short => {}
                Sequence::Plain => {
                    self.held.pop();
                    sink.printed(&self.held);
                    self.state = State::Ground;
                    return &bytes[at..];
                }
                sequence => {
                    self.state = State::Ground;
                    self.act(&sequence, sink);
                    return &bytes[at + 1..];
                }
            }
        }
        &[]
    }

    /// Returns the length of the sequence in bytes.
    fn act(&mut self, sequence: &Sequence, sink: &mut impl Sink) -> usize {
        match sequence {
            Sequence::Plain | Sequence::Short => 0,
            Sequence::Opens(kind) => {
                self.note.clear();
                self.length = 0;
                self.state = State::Inside(*kind);
                2
            }
            Sequence::Switches(screen, length) => {
                sink.switched(*screen);
                *length
            }
            Sequence::Resets => {
                sink.switched(Screen::Usual);
                sink.printed(b"\x1bc");
                2
            }
        }
    }

    fn inside<'a>(&mut self, kind: Kind, bytes: &'a [u8], sink: &mut impl Sink) -> &'a [u8] {
        let end = kind.end(bytes);
        let length = end.unwrap_or(bytes.len());
        let room = kind.max() - self.length;
        if length > room {
            self.state = State::Ground;
            return &bytes[room..];
        }
        self.length += length;
        // Keeps one byte more than a marker can have, to recognise longer strings.
        self.note.extend(bytes[..length].iter().take(MAX_NOTE + 1 - self.note.len()));
        let Some(end) = end else { return &[] };
        self.state = match bytes[end] {
            ESC => State::Ending(kind),
            BEL => {
                self.commanded(kind, sink);
                State::Ground
            }
            // It was cancelled.
            _ => State::Ground,
        };
        &bytes[end + 1..]
    }

    fn ending<'a>(&mut self, kind: Kind, bytes: &'a [u8], sink: &mut impl Sink) -> &'a [u8] {
        if let Some(behind) = bytes.strip_prefix(b"\\") {
            self.commanded(kind, sink);
            self.state = State::Ground;
            return behind;
        }
        self.held.clear();
        self.held.push(ESC);
        self.state = State::Sequence;
        bytes
    }

    fn commanded(&self, kind: Kind, sink: &mut impl Sink) {
        if kind == Kind::Command && self.note.len() <= MAX_NOTE {
            sink.commanded(&self.note);
        }
    }
}

/// Escapes come in clusters: checking a few bytes is cheaper than starting a search.
fn next_escape(bytes: &[u8]) -> Option<usize> {
    let (near, far) = bytes.split_at(bytes.len().min(NEAR));
    let found = near.iter().position(|byte| *byte == ESC);
    found.or_else(|| memchr(ESC, far).map(|found| NEAR + found))
}

impl Kind {
    fn max(self) -> usize {
        match self {
            Self::Command | Self::Other => MAX_STRING,
            Self::Title => MAX_TITLE,
        }
    }

    /// Where it ends or is cancelled in these bytes. Terminals ignore other control characters in a string.
    fn end(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::Command => {
                let end = memchr3(BEL, ESC, CAN, bytes);
                memchr(SUB, &bytes[..end.unwrap_or(bytes.len())]).or(end)
            }
            Self::Other | Self::Title => memchr3(ESC, CAN, SUB, bytes),
        }
    }
}

impl Sequence {
    /// Classifies bytes that begin with an ESC.
    fn read(bytes: &[u8]) -> Self {
        match bytes {
            [_] | [_, b'['] => Self::Short,
            [_, b'[', b'?', parameters @ ..] => Self::private(parameters),
            [_, b']', ..] => Self::Opens(Kind::Command),
            [_, b'P' | b'X' | b'^' | b'_', ..] => Self::Opens(Kind::Other),
            [_, b'k', ..] => Self::Opens(Kind::Title),
            [_, b'c', ..] => Self::Resets,
            _ => Self::Plain,
        }
    }

    /// The bytes after `ESC [ ?`, which itself has three.
    fn private(bytes: &[u8]) -> Self {
        let room = &bytes[..bytes.len().min(MAX_SEQUENCE - 3)];
        let is_parameter = |byte: &u8| matches!(byte, b'0'..=b'9' | b';' | b':');
        let Some(end) = room.iter().position(|byte| !is_parameter(byte)) else {
            return if room.len() < MAX_SEQUENCE - 3 { Self::Short } else { Self::Plain };
        };
        let screen = match room[end] {
            b'h' => Screen::Alternate,
            b'l' => Screen::Usual,
            _ => return Self::Plain,
        };
        let modes = room[..end].split(|byte| *byte == b';');
        let switches = modes.into_iter().any(|mode| matches!(mode, b"1049" | b"1047" | b"47"));
        if switches { Self::Switches(screen, 3 + end + 1) } else { Self::Plain }
    }
}
