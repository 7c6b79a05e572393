//! From whoever sees a terminal to the daemon: that it is seen, and what each command printed, as a person saw it. To be used
//! on a thread that may wait, since a daemon that hangs is waited for. Without a daemon everything is dropped.

use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;

use aside_core::proto::ended::{Captured, Watching};
use aside_core::proto::{Call, Request, record};
use aside_core::screen::Output;
use rustix::io::Errno;
use rustix::net::RecvFlags;

use crate::client;

/// Bytes of a text that are told: of its beginning, and of its end. Well below what a message may have.
const MAX_HEAD: usize = 12 * 1024;
const MAX_TAIL: usize = 36 * 1024;
/// What stands for the rest.
const LEFT_OUT: &str = "\n[…]\n";
/// The number of the first message of a connection, and how it is answered by a daemon that does not want to know, or does
/// not any more.
const FIRST: u64 = 1;
const REFUSAL: &[u8] = b"1\x1ferror\x1f";

/// A connection that lives as long as the daemon does, and is made anew for the next one.
pub struct Delivery {
    socket: PathBuf,
    watching: Watching,
    line: Option<Line>,
}

struct Line {
    stream: UnixStream,
    next: u64,
    /// How the answer that is being heard begins, as far as that matters.
    answer: Vec<u8>,
    refused: bool,
}

/// Whether somebody wants to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listener {
    There,
    Refuses,
    Absent,
}

impl Delivery {
    pub fn new(socket: PathBuf, watching: Watching) -> Self {
        Self { socket, watching, line: None }
    }

    /// Sees to it that the daemon knows of us, if there is one. Costs little: to be called whenever something happens.
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

    /// Can be read when there is something to `keep` up with: an answer, or the end of the daemon.
    pub fn ear(&self) -> Option<BorrowedFd<'_>> {
        self.line.as_ref().map(|line| line.stream.as_fd())
    }

    /// The terminal lives on, and somebody took away the sight of it.
    pub fn says_goodbye(&mut self) {
        let goodbye = Watching { tier: String::new(), ..self.watching.clone() };
        if let Some(line) = &mut self.line {
            line.says(Request::Watching(goodbye));
        }
    }

    /// Tells what a command printed, to whoever listens now.
    pub fn deliver(&mut self, output: &Output) {
        let Some(text) = shown(output) else { return };
        let captured = Captured {
            tty: self.watching.tty.clone(),
            mark: output.mark.clone(),
            seq: output.seq,
            output: fitting(&text),
            bytes: output.bytes,
        };
        self.keep();
        let told = self.line.as_mut().is_some_and(|line| line.says(Request::Captured(captured.clone())));
        if !told && self.line.take().is_some() {
            // It went away between two words; there may be another already.
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
    /// Takes the answers out of the way, too. None of them matters but a refusal.
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

    /// Whether it could be said; a daemon that refused us hears nothing, which is as good.
    fn says(&mut self, request: Request) -> bool {
        if self.refused {
            return true;
        }
        let call = Call::new(self.next, request);
        self.next += 1;
        self.stream.write_all(&record::encode_call(&call)).is_ok()
    }
}

/// What was on the screen. A mistake of ours in drawing it loses this one output.
fn shown(output: &Output) -> Option<String> {
    std::panic::catch_unwind(AssertUnwindSafe(|| output.shown())).ok()
}

/// Its beginning and its end when it is long, cut between lines where there are any.
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
