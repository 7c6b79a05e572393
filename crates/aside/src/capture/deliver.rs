//! Tells the daemon that a terminal is watched, and what each command printed, as the user saw it. Runs on a thread that may block, since
//! it waits for a daemon that hangs. Without a daemon everything is dropped.

use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;

use aside_proto::command_ended::{CapturedParams, WatchParams};
use aside_proto::{Call, Request, record};
use aside_text::screen::CommandOutput;
use rustix::io::Errno;
use rustix::net::RecvFlags;

use crate::client;

/// Bytes of an output that are sent: its head and its tail. Well below the cap on a message.
const MAX_HEAD: usize = 12 * 1024;
const MAX_TAIL: usize = 36 * 1024;
/// Stands for the part left out.
const LEFT_OUT: &str = "\n[…]\n";
/// The id of the first message of a connection, and how a reply begins when the daemon does not want the output.
const FIRST: u64 = 1;
const REFUSAL: &[u8] = b"1\x1ferror\x1f";

/// A connection for as long as the daemon lives; reconnects to the next daemon.
pub struct Delivery {
    socket: PathBuf,
    watching: WatchParams,
    line: Option<Line>,
}

struct Line {
    stream: UnixStream,
    next: u64,
    /// The start of the reply being read, as far as it matters.
    answer: Vec<u8>,
    refused: bool,
}

/// Whether a daemon is listening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listener {
    There,
    Refuses,
    Absent,
}

impl Delivery {
    pub fn new(socket: PathBuf, watching: WatchParams) -> Self {
        Self { socket, watching, line: None }
    }

    /// Makes sure that the daemon knows of us, if there is one. Cheap; call it whenever something happens.
    pub fn keep(&mut self) {
        if self.line.as_mut().is_some_and(|line| !line.is_open()) {
            self.line = None;
        }
        if self.line.is_none() {
            self.line = self.connect();
        }
    }

    pub fn listener(&self) -> Listener {
        match &self.line {
            Some(line) if line.refused => Listener::Refuses,
            Some(_) => Listener::There,
            None => Listener::Absent,
        }
    }

    /// Readable when `keep` has something to do: a reply came, or the daemon ended.
    pub fn readable_fd(&self) -> Option<BorrowedFd<'_>> {
        self.line.as_ref().map(|line| line.stream.as_fd())
    }

    /// The terminal goes on, but is no longer watched.
    pub fn says_goodbye(&mut self) {
        let goodbye = WatchParams { tier: String::new(), ..self.watching.clone() };
        if let Some(line) = &mut self.line {
            line.says(Request::Watching(goodbye));
        }
    }

    /// Sends what a command printed.
    pub fn deliver(&mut self, output: &CommandOutput) {
        let Some(text) = shown(output) else { return };
        let captured = CapturedParams {
            tty: self.watching.tty.clone(),
            mark: output.mark.clone(),
            seq: output.seq,
            output: fitting(&text),
            bytes: output.bytes,
        };
        self.keep();
        let told = self.line.as_mut().is_some_and(|line| line.says(Request::Captured(captured.clone())));
        if !told && self.line.take().is_some() {
            // The daemon ended in between; there may be another already.
            self.keep();
            if let Some(line) = &mut self.line {
                line.says(Request::Captured(captured));
            }
        }
    }

    fn connect(&self) -> Option<Line> {
        let stream = client::connect(&self.socket).ok()?;
        let mut line = Line { stream, next: FIRST, answer: Vec::new(), refused: false };
        line.says(Request::Watching(self.watching.clone())).then_some(line)
    }
}

impl Line {
    /// Whether the connection is open. Also drains the replies, of which only a refusal matters.
    fn is_open(&mut self) -> bool {
        let mut bytes = [0; 4096];
        loop {
            match rustix::net::recv(&self.stream, &mut bytes, RecvFlags::DONTWAIT) {
                Ok((0, _)) => return false,
                Ok((count, _)) => {
                    bytes.iter().take(count).for_each(|byte| self.hears(*byte));
                }
                Err(Errno::INTR) => {}
                Err(errno) => return errno == Errno::AGAIN,
            }
        }
    }

    fn hears(&mut self, byte: u8) {
        if byte == 0 {
            self.answer.clear();
        } else if self.answer.len() < REFUSAL.len() {
            self.answer.push(byte);
            self.refused |= self.answer == REFUSAL;
        }
    }

    /// Whether the request could be sent. Sends nothing to a daemon that refused, and counts that as sent.
    fn says(&mut self, request: Request) -> bool {
        if self.refused {
            return true;
        }
        let call = Call::new(self.next, request);
        self.next += 1;
        self.stream.write_all(&record::encode_call(&call)).is_ok()
    }
}

/// The rendered output. A panic of ours while rendering loses only this output.
fn shown(output: &CommandOutput) -> Option<String> {
    std::panic::catch_unwind(AssertUnwindSafe(|| output.shown())).ok()
}

/// Shortens a long text to its head and tail, cut between lines where possible.
fn fitting(text: &str) -> String {
    if text.len() <= MAX_HEAD + MAX_TAIL {
        return text.to_owned();
    }
    let head = &text[..text.floor_char_boundary(MAX_HEAD)];
    let head = head.rfind('\n').map_or(head, |end| &head[..end]);
    let tail = &text[text.ceil_char_boundary(text.len() - MAX_TAIL)..];
    let tail = tail.find('\n').map_or(tail, |end| &tail[end + 1..]);
    [head, LEFT_OUT, tail].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_in_the_middle_between_lines() {
        assert_eq!(fitting("short"), "short");
        let lines: Vec<String> = (0..20_000).map(|number| format!("line {number}")).collect();
        let cut = fitting(&lines.join("\n"));
        assert!(cut.len() <= MAX_HEAD + LEFT_OUT.len() + MAX_TAIL, "{}", cut.len());
        assert!(cut.starts_with("line 0\nline 1\n") && cut.ends_with("\nline 19999"));
        let (head, tail) = cut.split_once(LEFT_OUT).unwrap();
        for part in [head, tail] {
            assert!(part.lines().all(|line| lines.iter().any(|whole| whole == line)));
        }
    }

    #[test]
    fn a_text_without_lines_is_cut_between_letters() {
        let cut = fitting(&"ä".repeat(40_000));
        assert!(cut.len() <= MAX_HEAD + LEFT_OUT.len() + MAX_TAIL && cut.contains(LEFT_OUT));
    }
}
