//! Decodes keys from a terminal's bytes. An escape sequence may arrive in pieces, as over a slow line: keeps its beginning until the rest
//! is there, or until `rest` says that none will come. Has no clock and no screen.

use std::time::Duration;

/// Cap on an unterminated escape sequence. No terminal sends one as long as this.
const MAX_SEQUENCE: usize = 64;
/// Cap on a paste.
const MAX_PASTE: usize = 64 * 1024;
/// Timeout between the pieces of a sequence, and for the end of a paste.
const PIECES: Duration = Duration::from_millis(50);
const LOST: Duration = Duration::from_secs(2);
const PASTE: &[u8] = b"\x1b[200~";
const PASTED: &[u8] = b"\x1b[201~";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    Char(char),
    Enter,
    /// Alt-Enter, or Ctrl-J.
    Newline,
    Tab,
    BackTab,
    Esc,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    WordLeft,
    WordRight,
    Home,
    End,
    PageUp,
    PageDown,
    F1,
    Ctrl(char),
    Alt(char),
    Paste(String),
}

#[derive(Default)]
pub struct Decoder {
    bytes: Vec<u8>,
    /// The paste so far, while its end has not arrived.
    paste: Option<Vec<u8>>,
}

/// What the buffer begins with.
enum Found {
    /// This many bytes are a key, or an unknown sequence.
    Key(usize, Option<Key>),
    Paste,
    Incomplete,
}

impl Decoder {
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Key> {
        self.bytes.extend_from_slice(bytes);
        let mut keys = Vec::new();
        while !self.bytes.is_empty() {
            if self.paste.is_some() {
                match self.pasted() {
                    Some(key) => keys.push(key),
                    None => break,
                }
                continue;
            }
            match found(&self.bytes) {
                Found::Key(length, key) => {
                    self.bytes.drain(..length.min(self.bytes.len()));
                    keys.extend(key);
                }
                Found::Paste => {
                    self.bytes.drain(..PASTE.len());
                    self.paste = Some(Vec::new());
                }
                Found::Incomplete if self.bytes.len() > MAX_SEQUENCE => self.bytes.clear(),
                Found::Incomplete => break,
            }
        }
        keys
    }

    /// How long to wait for the rest of a sequence or paste, if there is one.
    pub fn patience(&self) -> Option<Duration> {
        match (&self.paste, self.bytes.is_empty()) {
            (Some(_), _) => Some(LOST),
            (None, false) => Some(PIECES),
            (None, true) => None,
        }
    }

    /// After the timeout: an incomplete sequence is the Esc key, or nothing.
    pub fn rest(&mut self) -> Option<Key> {
        let bytes = std::mem::take(&mut self.bytes);
        if let Some(paste) = self.paste.take() {
            return Some(Key::Paste(text(&[paste, bytes].concat())));
        }
        (bytes == b"\x1b").then_some(Key::Esc)
    }

    fn pasted(&mut self) -> Option<Key> {
        let paste = self.paste.as_mut()?;
        let end = self.bytes.windows(PASTED.len()).position(|window| window == PASTED);
        // The last bytes may begin the end marker.
        let length = end.unwrap_or(self.bytes.len().saturating_sub(PASTED.len() - 1));
        let room = MAX_PASTE.saturating_sub(paste.len());
        paste.extend(self.bytes.drain(..length).take(room));
        end?;
        self.bytes.drain(..PASTED.len());
        Some(Key::Paste(text(&self.paste.take()?)))
    }
}

fn text(pasted: &[u8]) -> String {
    String::from_utf8_lossy(pasted).replace("\r\n", "\n").replace('\r', "\n")
}

fn found(bytes: &[u8]) -> Found {
    let key = |length, key| Found::Key(length, Some(key));
    match bytes {
        [0x1b] => Found::Incomplete,
        [0x1b, 0x1b, ..] => key(1, Key::Esc),
        [0x1b, b'[', rest @ ..] => sequence(bytes, rest),
        [0x1b, b'O'] => Found::Incomplete,
        [0x1b, b'O', last, ..] => Found::Key(3, application(*last)),
        [0x1b, b'\r' | b'\n', ..] => key(2, Key::Newline),
        [0x1b, 0x7f | 0x08, ..] => key(2, Key::Ctrl('w')),
        [0x1b, rest @ ..] => match letter(rest) {
            Some((length, Some(letter))) => Found::Key(1 + length, (!letter.is_control()).then_some(Key::Alt(letter))),
            Some((length, None)) => Found::Key(1 + length, None),
            None => Found::Incomplete,
        },
        [b'\r', ..] => key(1, Key::Enter),
        [b'\n', ..] => key(1, Key::Newline),
        [b'\t', ..] => key(1, Key::Tab),
        [0x7f | 0x08, ..] => key(1, Key::Backspace),
        [byte @ 0x01..=0x1a, ..] => key(1, Key::Ctrl(char::from(byte + b'a' - 1))),
        [0x00..=0x1f, ..] => Found::Key(1, None),
        _ => match letter(bytes) {
            Some((length, letter)) => Found::Key(length, letter.filter(|letter| !letter.is_control()).map(Key::Char)),
            None => Found::Incomplete,
        },
    }
}

/// The length and value of the first UTF-8 character; `None` while it is incomplete.
fn letter(bytes: &[u8]) -> Option<(usize, Option<char>)> {
    let length = match bytes.first()? {
        0x00..=0x7f => 1,
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return Some((1, None)),
    };
    let whole = bytes.get(..length)?;
    match std::str::from_utf8(whole) {
        Ok(text) => Some((length, text.chars().next())),
        Err(_) => Some((1, None)),
    }
}

/// `rest` is what follows the bracket.
fn sequence(bytes: &[u8], rest: &[u8]) -> Found {
    // The Linux console sends two brackets for its function keys.
    if let [b'[', behind @ ..] = rest {
        return match behind.first() {
            Some(b'A') => Found::Key(4, Some(Key::F1)),
            Some(_) => Found::Key(4, None),
            None => Found::Incomplete,
        };
    }
    if bytes.starts_with(PASTE) {
        return Found::Paste;
    }
    let Some(end) = rest.iter().position(|byte| !(0x20..=0x3f).contains(byte)) else { return Found::Incomplete };
    let length = 2 + end + 1;
    let parameters = String::from_utf8_lossy(rest.get(..end).unwrap_or_default()).into_owned();
    let last = rest.get(end).copied().unwrap_or_default();
    let mut numbers = parameters.split(';').map(|number| number.parse::<u16>().unwrap_or(1));
    let (first, modifier) = (numbers.next().unwrap_or(1), numbers.next().unwrap_or(1));
    // The parameter is 1 plus Shift 1, Alt 2, Ctrl 4.
    let by_words = modifier.saturating_sub(1) & 0b110 != 0;
    let key = match (last, first) {
        (b'C', _) if by_words => Some(Key::WordRight),
        (b'D', _) if by_words => Some(Key::WordLeft),
        (b'Z', _) => Some(Key::BackTab),
        (b'~', 1 | 7) => Some(Key::Home),
        (b'~', 4 | 8) => Some(Key::End),
        (b'~', 3) => Some(Key::Delete),
        (b'~', 5) => Some(Key::PageUp),
        (b'~', 6) => Some(Key::PageDown),
        (b'~', 11) => Some(Key::F1),
        (b'~', _) => None,
        // Enter from a terminal with extended key reports.
        (b'u', 13) => Some(if modifier > 1 { Key::Newline } else { Key::Enter }),
        (last, _) => application(last),
    };
    // A control character cannot be part of a sequence: it is a key of its own.
    if last < 0x20 || last == 0x7f { Found::Key(length - 1, None) } else { Found::Key(length, key) }
}

fn application(last: u8) -> Option<Key> {
    match last {
        b'A' => Some(Key::Up),
        b'B' => Some(Key::Down),
        b'C' => Some(Key::Right),
        b'D' => Some(Key::Left),
        b'H' => Some(Key::Home),
        b'F' => Some(Key::End),
        b'M' => Some(Key::Enter),
        b'P' => Some(Key::F1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys(pieces: &[&[u8]]) -> Vec<Key> {
        let mut decoder = Decoder::default();
        let mut keys: Vec<Key> = pieces.iter().flat_map(|piece| decoder.feed(piece)).collect();
        keys.extend(decoder.rest());
        keys
    }

    #[test]
    fn bytes_become_keys() {
        use Key::{Alt, Char, Ctrl, Down, Enter, Newline};
        let all: [(&[u8], &[Key]); 14] = [
            (b"ab\r", &[Char('a'), Char('b'), Enter]),
            ("é日🦀".as_bytes(), &[Char('é'), Char('日'), Char('🦀')]),
            (b"\n\x1b\r", &[Newline, Newline]),
            (b"\x1b[B\x1bOB", &[Down, Down]),
            (b"\x1b[1;5C\x1b[1;3D\x1bb", &[Key::WordRight, Key::WordLeft, Alt('b')]),
            (b"\x1b[5~\x1b[6~\x1b[3~", &[Key::PageUp, Key::PageDown, Key::Delete]),
            (b"\x1b[H\x1b[4~\x1b[1~", &[Key::Home, Key::End, Key::Home]),
            (b"\x1bOP\x1b[11~\x1b[[A", &[Key::F1, Key::F1, Key::F1]),
            (b"\t\x1b[Z\x7f\x08", &[Key::Tab, Key::BackTab, Key::Backspace, Key::Backspace]),
            (b"\x03\x0c\x1a", &[Ctrl('c'), Ctrl('l'), Ctrl('z')]),
            (b"\x1b\x7f", &[Ctrl('w')]),
            (b"\x1b", &[Key::Esc]),
            (b"\x1b\x1b", &[Key::Esc, Key::Esc]),
            // Reports, and invalid bytes.
            (b"\x1b[?62;1c\x1b[200;5R\xff\xfe\x00x", &[Char('x')]),
        ];
        for (bytes, expected) in all {
            assert_eq!(keys(&[bytes]), expected, "{bytes:?}");
        }
    }

    #[test]
    fn a_sequence_that_comes_in_pieces_is_one_key() {
        assert_eq!(keys(&[b"\x1b", b"[", b"1;", b"5C", b"\xe6", b"\x97\xa5"]), [Key::WordRight, Key::Char('日')]);
        // An incomplete sequence is not taken for letters.
        assert_eq!(keys(&[b"\x1b["]), []);
    }

    #[test]
    fn what_is_pasted_is_one_text_whatever_is_in_it() {
        let pasted = Key::Paste("y\n\u{1b}[A\nn".to_owned());
        assert_eq!(keys(&[b"\x1b[200~y\r\x1b[A\r\nn\x1b[201~q"]), [pasted.clone(), Key::Char('q')]);
        assert_eq!(keys(&[b"\x1b[20", b"0~y\r\x1b[A\r\n", b"n\x1b[2", b"01~q"]), [pasted, Key::Char('q')]);
        // An unterminated paste does not turn its text into keys.
        assert_eq!(keys(&[b"\x1b[200~y", b"\x1b[2"]), [Key::Paste("y\u{1b}[2".to_owned())]);
    }

    proptest! {
        #[test]
        fn keys_do_not_depend_on_how_bytes_are_cut(bytes in prop::collection::vec(any::<u8>(), 0..60), cut in 0usize..60) {
            let (one, other) = bytes.split_at(cut.min(bytes.len()));
            prop_assert_eq!(keys(&[one, other]), keys(&[&bytes]));
        }
    }
}
