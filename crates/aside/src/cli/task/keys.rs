//! Reads single keys: terminal modes and key decoding. Only from a terminal that is both our input and our output; there is no other way to
//! approve anything.

use std::io::{IsTerminal, Stdin, Write, stdin, stdout};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::termios::{self, LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios};

/// Timeout for the rest of an escape sequence, also over a slow line, before it counts as the Escape key.
const REST: Duration = Duration::from_millis(80);
const PASTE: &[u8] = b"\x1b[200~";
const PASTED: &[u8] = b"\x1b[201~";

pub struct Keys {
    input: Stdin,
    saved: Termios,
    kind: Kind,
    entered: bool,
    pasting: bool,
}

/// What the terminal can do besides showing letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Able,
    /// Perhaps line by line only, as in an editor's shell.
    Dumb,
}

/// Whether anything was typed since the last check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PendingInput {
    Something,
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPress {
    Letter(char),
    Escape,
    Enter,
    /// Ctrl-D, or the terminal is gone.
    End,
    /// More than one key in one read: the user cannot have looked between them.
    Several,
    Other,
}

impl Keys {
    /// `None` unless input and output are the same terminal.
    pub fn open(kind: Kind) -> Option<Self> {
        let (input, output) = (stdin(), stdout());
        if !input.is_terminal() || !output.is_terminal() {
            return None;
        }
        let session = termios::tcgetsid(&input).ok()?;
        let device = |fd: BorrowedFd<'_>| rustix::fs::fstat(fd).ok().map(|stat| stat.st_rdev);
        let same = device(input.as_fd())? == device(output.as_fd())?;
        if !same || rustix::process::getsid(None).ok()? != session {
            return None;
        }
        let saved = termios::tcgetattr(&input).ok()?;
        Some(Self { input, saved, kind, entered: false, pasting: false })
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Readable when a key was pressed.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.input.as_fd()
    }

    /// Single keys, without echo. Ctrl-C and Ctrl-Z still send signals.
    pub fn enter(&mut self) {
        let mut modes = self.saved.clone();
        modes.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        // Otherwise Ctrl-C would make the terminal discard pending output, perhaps including our own response to it.
        modes.local_modes.insert(LocalModes::NOFLSH);
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        // Keeps pending input: if nothing is asked, it is for the shell.
        self.entered = termios::tcsetattr(&self.input, OptionalActions::Now, &modes).is_ok();
        self.brackets("h");
    }

    pub fn leave(&mut self) {
        if std::mem::take(&mut self.entered) {
            self.brackets("l");
            let _ = termios::tcsetattr(&self.input, OptionalActions::Drain, &self.saved);
        }
    }

    /// Discards pending input, and says whether there was any: it cannot be an answer to what is shown only now. A closed terminal counts
    /// as nothing typed; the next read reports it.
    pub fn forgets(&self) -> PendingInput {
        let mut polled = [PollFd::new(&self.input, PollFlags::IN)];
        let _ = rustix::event::poll(&mut polled, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
        let typed = if polled[0].revents() == PollFlags::IN { PendingInput::Something } else { PendingInput::Nothing };
        let _ = termios::tcflush(&self.input, QueueSelector::IFlush);
        typed
    }

    /// Bracketed paste, to tell a paste from keys.
    fn brackets(&self, switch: &str) {
        if self.kind == Kind::Able {
            let _ = write!(stdout(), "\x1b[?2004{switch}");
            let _ = stdout().flush();
        }
    }

    pub fn read(&mut self) -> KeyPress {
        let mut bytes = self.bytes();
        if bytes == b"\x1b" && self.has_more() {
            bytes.extend(self.bytes());
        }
        let (pressed, pasting) = understood(&bytes, self.pasting, self.kind);
        self.pasting = pasting;
        pressed
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; 4096];
        // Reads the descriptor directly, past the standard library's buffer.
        let length = rustix::io::read(&self.input, &mut bytes).unwrap_or(0);
        bytes.truncate(length);
        bytes
    }

    fn has_more(&self) -> bool {
        let mut polled = [PollFd::new(&self.input, PollFlags::IN)];
        let rest = Timespec::try_from(REST).ok();
        rustix::event::poll(&mut polled, rest.as_ref()).is_ok_and(|ready| ready > 0)
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Decodes one read, and says whether a paste continues behind it.
fn understood(bytes: &[u8], pasting: bool, kind: Kind) -> (KeyPress, bool) {
    let place = |of: &[u8]| bytes.windows(of.len()).rposition(|window| window == of);
    if pasting || place(PASTE).is_some() {
        let goes_on = match (place(PASTE), place(PASTED)) {
            (_, None) => true,
            (Some(begin), Some(end)) => begin > end,
            (None, Some(_)) => false,
        };
        return (KeyPress::Several, goes_on);
    }
    let bytes = match (kind, bytes) {
        (Kind::Dumb, [key @ .., b'\n' | b'\r']) if !key.is_empty() => key,
        _ => bytes,
    };
    let pressed = match bytes {
        [] | [4] => KeyPress::End,
        [0x1b] => KeyPress::Escape,
        b"\n" | b"\r" => KeyPress::Enter,
        [0x1b, ..] => KeyPress::Other,
        _ => match std::str::from_utf8(bytes).map(|text| text.chars().collect::<Vec<char>>()).as_deref() {
            Ok([letter]) if !letter.is_control() => KeyPress::Letter(*letter),
            Ok([_]) | Err(_) => KeyPress::Other,
            Ok(_) => KeyPress::Several,
        },
    };
    (pressed, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_one_that_came_alone() {
        for (bytes, pressed) in [
            (&b"y"[..], KeyPress::Letter('y')),
            ("д".as_bytes(), KeyPress::Letter('д')),
            (b"\x1b", KeyPress::Escape),
            (b"\x1b[A", KeyPress::Other),
            (b"\x1by", KeyPress::Other),
            (b"\r", KeyPress::Enter),
            (b"\x04", KeyPress::End),
            (b"", KeyPress::End),
            (b"yes", KeyPress::Several),
            (b"y\r", KeyPress::Several),
            (b"\xff", KeyPress::Other),
        ] {
            assert_eq!(understood(bytes, false, Kind::Able), (pressed, false), "{bytes:?}");
        }
        assert_eq!(understood(b"y\n", false, Kind::Dumb), (KeyPress::Letter('y'), false));
    }

    #[test]
    fn what_is_pasted_is_no_key_however_it_is_cut() {
        let able = |bytes, pasting| understood(bytes, pasting, Kind::Able);
        assert_eq!(able(b"\x1b[200~y\x1b[201~", false), (KeyPress::Several, false));
        assert_eq!(able(b"\x1b[200~", false), (KeyPress::Several, true));
        assert_eq!(able(b"y", true), (KeyPress::Several, true));
        assert_eq!(able(b"y\x1b[201~", true), (KeyPress::Several, false));
        assert_eq!(able(b"\x1b[201~\x1b[200~y", true), (KeyPress::Several, true));
    }
}
