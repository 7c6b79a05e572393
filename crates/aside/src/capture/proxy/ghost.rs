//! The ghost in bash, which cannot draw it itself: grey text behind the typed line, with the daemon's completion. Draws only where the
//! screen's state is certain (`aside_text::screen::prompt`) and the shell itself reads a line, and erases it before anything that the shell
//! writes. → and similar keys accept it at the end of the line; every other key passes untouched.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use aside_text::screen::prompt::{ERASE, ERASE_WRAPPED, Prompt, TypedLine};
use rustix::process::Pid;
use rustix::termios::{self, LocalModes, Winsize};

use crate::capture::proxy::completion_client::{CompletionClient, GhostSettings};

/// The shell has finished drawing after a key when it sleeps and has written nothing for so long.
const SETTLED: Duration = Duration::from_millis(10);

/// Input longer than this in one read is a paste, not keys.
const MAX_KEYS: usize = 64;

/// Keys that accept all of it: →, End and Ctrl-E, as terminals send them; and those that accept a word: Alt-→, Ctrl-→ and Alt-F.
const RIGHT: [&[u8]; 2] = [b"\x1b[C", b"\x1bOC"];
const END: [&[u8]; 6] = [b"\x1b[F", b"\x1bOF", b"\x1b[4~", b"\x1b[8~", b"\x05", b"\x1b[1;1F"];
const WORD: [&[u8]; 4] = [b"\x1b[1;3C", b"\x1b[1;5C", b"\x1bf", b"\x1b\x1b[C"];

/// `eyes` is `None` where no ghost is possible, or after a panic.
pub struct Ghost {
    eyes: Option<Eyes>,
}

struct Eyes {
    shell: Pid,
    prompt: Prompt,
    asker: CompletionClient,
    /// The line of the last question.
    asked: String,
    /// The completion of that line.
    rest: Option<Rest>,
    /// The part of it that is on the screen.
    drawn: Option<String>,
    /// The line once the keys that were sent are drawn, where that is known.
    typed: Typed,
    last_key: Instant,
    last_output: Instant,
}

struct Rest {
    line: String,
    text: String,
}

impl Rest {
    /// What is left of it after a part has been typed.
    fn behind(&self, line: &str) -> Option<String> {
        let typed = line.strip_prefix(&self.line)?;
        self.text.strip_prefix(typed).filter(|left| !left.is_empty()).map(str::to_owned)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Typed {
    /// No key is in flight.
    Nothing,
    /// Only printable letters are in flight.
    Line(String),
    Unknown,
}

/// What to do with the user's keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyAction {
    Pass,
    /// Replaces the first bytes with letters.
    Become {
        letters: String,
        instead_of: usize,
    },
}

impl Ghost {
    /// Starts for a terminal's size, its shell and that shell's prompt mark, and asks the daemon at `socket`.
    pub fn start(mark: &str, size: Option<Winsize>, shell: Pid, socket: PathBuf) -> Self {
        let (columns, rows) = size.map_or((0, 0), |size| (size.ws_col, size.ws_row));
        let now = Instant::now();
        let eyes = CompletionClient::start(socket).map(|asker| Eyes {
            shell,
            prompt: Prompt::new(mark, columns, rows),
            asker,
            asked: String::new(),
            rest: None,
            drawn: None,
            typed: Typed::Nothing,
            last_key: now,
            last_output: now,
        });
        Self { eyes }
    }

    pub fn off() -> Self {
        Self { eyes: None }
    }

    /// Readable when the daemon has replied.
    pub fn readable_fd(&self) -> Option<BorrowedFd<'_>> {
        self.eyes.as_ref().map(|eyes| eyes.asker.readable_fd())
    }

    /// What to write before anything else.
    pub fn erase(&mut self) -> &'static [u8] {
        let drawn = self.eyes.as_mut().and_then(|eyes| eyes.drawn.take());
        if drawn.is_some() { ERASE } else { b"" }
    }

    /// The same after a resize.
    pub fn resize(&mut self, size: Option<Winsize>) -> &'static [u8] {
        let Some(eyes) = &mut self.eyes else { return b"" };
        let (columns, rows) = size.map_or((0, 0), |size| (size.ws_col, size.ws_row));
        eyes.prompt.resize(columns, rows);
        eyes.rest = None;
        if eyes.drawn.take().is_some() { ERASE_WRAPPED } else { b"" }
    }

    /// Takes what the shell wrote. Returns what to write after it.
    pub fn see(&mut self, bytes: &[u8], terminal: &OwnedFd) -> Option<String> {
        self.guarded(|eyes| {
            eyes.prompt.see(bytes);
            eyes.last_output = Instant::now();
            let line = eyes.prompt.line();
            eyes.notice(line.as_ref());
            let line = line?;
            eyes.ask(&line);
            eyes.draw(&line, terminal)
        })
    }

    /// Takes the daemon's answer. Returns what to write.
    pub fn hear(&mut self, terminal: &OwnedFd) -> Option<String> {
        self.guarded(|eyes| {
            let answer = eyes.asker.answer()?;
            let line = eyes.prompt.line().filter(|line| line.text == answer.line)?;
            eyes.rest = (!answer.rest.is_empty()).then_some(Rest { line: answer.line, text: answer.rest });
            eyes.draw(&line, terminal)
        })
    }

    /// Called when nothing has happened for a while. Returns what to write.
    pub fn rest(&mut self, terminal: &OwnedFd) -> Option<String> {
        self.guarded(|eyes| {
            let line = eyes.prompt.line()?;
            eyes.draw(&line, terminal)
        })
    }

    /// Takes keys from the user; all earlier keys have reached the shell.
    pub fn press(&mut self, bytes: &[u8], terminal: &OwnedFd) -> KeyAction {
        let taken = self.guarded(|eyes| {
            let line = eyes.prompt.line();
            let taken = line.as_ref().and_then(|line| eyes.taken(bytes, line, terminal));
            let Some((letters, instead_of)) = taken else {
                eyes.type_letters(bytes, line.as_ref());
                return None;
            };
            // On a busy machine more keys may arrive in the same read.
            let behind = bytes.get(instead_of..).unwrap_or_default();
            eyes.type_letters(&[letters.as_bytes(), behind].concat(), line.as_ref());
            Some(KeyAction::Become { letters, instead_of })
        });
        taken.unwrap_or(KeyAction::Pass)
    }

    /// The same while earlier keys have not reached the shell.
    pub fn press_behind_others(&mut self) {
        if let Some(eyes) = &mut self.eyes {
            (eyes.typed, eyes.last_key) = (Typed::Unknown, Instant::now());
        }
    }

    /// A panic disables the ghost, not the shell.
    fn guarded<T>(&mut self, act: impl FnOnce(&mut Eyes) -> Option<T>) -> Option<T> {
        let eyes = self.eyes.as_mut()?;
        match std::panic::catch_unwind(AssertUnwindSafe(|| act(eyes))) {
            Ok(done) => done,
            Err(_) => {
                self.eyes = None;
                None
            }
        }
    }
}

impl Eyes {
    /// Checks whether the keys in flight have been drawn.
    fn notice(&mut self, line: Option<&TypedLine>) {
        match (line, &self.typed) {
            (Some(line), Typed::Line(typed)) if line.text == *typed => self.typed = Typed::Nothing,
            _ => {}
        }
        if self.rest.as_ref().zip(line).is_none_or(|(rest, line)| rest.behind(&line.text).is_none()) {
            self.rest = None;
        }
    }

    fn ask(&mut self, line: &TypedLine) {
        let is_new = line.text != self.asked || self.rest.is_none();
        self.asked.clone_from(&line.text);
        // A request in prose (`?`) is not the beginning of a command.
        let words = line.text.trim_start();
        if is_new && !words.is_empty() && !words.starts_with('?') {
            self.asker.ask(&line.text, &line.session, self.reader(line));
        }
    }

    /// What to write so that the screen shows the right grey text, or none.
    fn draw(&mut self, line: &TypedLine, terminal: &OwnedFd) -> Option<String> {
        let is_time = self.is_settled(line) && self.reads_a_line(line, terminal);
        let text = self.rest.as_ref().filter(|_| is_time).and_then(|rest| rest.behind(&line.text));
        if self.drawn == text {
            return None;
        }
        let erased = self.drawn.take().map(|_| String::from_utf8_lossy(ERASE).into_owned()).unwrap_or_default();
        let drawn = text.as_deref().and_then(|text| line.drawn(text, self.asker.style()));
        self.drawn = text.filter(|_| drawn.is_some());
        Some(erased + &drawn.unwrap_or_default()).filter(|written| !written.is_empty())
    }

    /// The text that the first key accepts and the length of that key, if the line is still the one that was asked about.
    fn taken(&self, bytes: &[u8], line: &TypedLine, terminal: &OwnedFd) -> Option<(String, usize)> {
        let drawn = self.drawn.as_deref().filter(|_| bytes.len() <= MAX_KEYS)?;
        let GhostSettings { word_on_right, .. } = self.asker.expected();
        let found = |keys: &[&[u8]]| keys.iter().find(|key| bytes.starts_with(key)).map(|key| key.len());
        let (length, takes_word) = match (found(&RIGHT), found(&END), found(&WORD)) {
            (Some(length), _, _) => (length, *word_on_right),
            (None, Some(length), _) => (length, false),
            (None, None, Some(length)) => (length, true),
            (None, None, None) => return None,
        };
        // The line may have changed since the ghost was drawn.
        let is_true = self.rest.as_ref().and_then(|rest| rest.behind(&line.text)).as_deref() == Some(drawn);
        if !is_true || !self.is_settled(line) || !self.reads_a_line(line, terminal) {
            return None;
        }
        // What is beyond the right edge was not seen.
        let shown = line.shown(drawn)?;
        Some((if takes_word { first_word(shown) } else { shown }.to_owned(), length))
    }

    /// Predicts the line from the keys, as far as they are printable letters.
    fn type_letters(&mut self, bytes: &[u8], line: Option<&TypedLine>) {
        let letters = str::from_utf8(bytes).ok().filter(|text| text.bytes().all(|byte| (b' '..=b'~').contains(&byte)));
        let before = match (line, &self.typed) {
            (Some(line), _) if self.is_settled(line) => Some(line.text.clone()),
            (_, Typed::Line(typed)) => Some(typed.clone()),
            (_, Typed::Nothing | Typed::Unknown) => None,
        };
        self.typed = before.zip(letters).map_or(Typed::Unknown, |(before, letters)| Typed::Line(before + letters));
        self.last_key = Instant::now();
    }

    /// Whether the shell has handled every key, so that the line is what the screen shows: either the typed letters are shown, or the shell
    /// has written something and now waits.
    fn is_settled(&self, line: &TypedLine) -> bool {
        match &self.typed {
            Typed::Nothing => true,
            Typed::Line(typed) if line.text == *typed => true,
            Typed::Line(_) | Typed::Unknown => {
                let has_answered = self.last_output > self.last_key && self.last_output.elapsed() >= SETTLED;
                has_answered && is_asleep(self.reader(line))
            }
        }
    }

    /// The shell whose prompt it is: ours, or one that was started inside of it and loads Aside too.
    fn reader(&self, line: &TypedLine) -> Pid {
        shell_of(&line.session).unwrap_or(self.shell)
    }

    /// Whether that shell has the foreground and reads key by key: no other program, and no `read`.
    fn reads_a_line(&self, line: &TypedLine, terminal: &OwnedFd) -> bool {
        let in_front = termios::tcgetpgrp(terminal).is_ok_and(|group| group == self.reader(line));
        let modes = termios::tcgetattr(terminal).map(|modes| modes.local_modes);
        in_front && modes.is_ok_and(|modes| !modes.intersects(LocalModes::ICANON | LocalModes::ECHO))
    }
}

/// The pid in the name of a session, `bash-PID-TIME`.
fn shell_of(session: &str) -> Option<Pid> {
    let pid = session.strip_prefix("bash-")?.split('-').next()?;
    pid.parse().ok().filter(|pid| *pid > 0).and_then(Pid::from_raw)
}

/// Leading blanks and the word behind them.
fn first_word(text: &str) -> &str {
    let begin = text.len() - text.trim_start().len();
    let end = text[begin..].find(' ').map_or(text.len(), |end| begin + end);
    &text[..end]
}

/// Whether the shell waits. True where that cannot be read.
fn is_asleep(shell: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", shell.as_raw_pid())).unwrap_or_default();
    // Behind the command name, which may contain anything.
    stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('S'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_names_its_shell() {
        let found = ["bash-4711-1700000000000", "bash-x-1", "bash--3-1", "bash-0-1", "zsh-4711-1", ""].map(shell_of);
        assert_eq!(found, [Pid::from_raw(4711), None, None, None, None, None]);
    }

    #[test]
    fn a_word_has_the_blanks_before_it() {
        assert_eq!(["atus --short", " --short x", "--all", ""].map(first_word), ["atus", " --short", "--all", ""]);
    }
}
