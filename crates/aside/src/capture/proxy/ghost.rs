//! Grey text behind the line that is typed in bash, which cannot draw it: what the daemon expects the line to become. It is drawn
//! only where the screen is certain (aside_core::screen::prompt), while the shell itself reads a line, and is gone from the screen
//! before anything that the shell writes. → and its like take it, at the end of the line alone; every other key passes untouched.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use aside_core::screen::prompt::{ERASE, ERASE_WRAPPED, Prompt, TypedLine};
use rustix::process::Pid;
use rustix::termios::{self, LocalModes, Winsize};

use crate::capture::proxy::expect::{Asker, Expected};

/// The shell has drawn what it had to draw about a key when it sleeps and has written nothing for so long.
const SETTLED: Duration = Duration::from_millis(10);

/// Bytes that come at once and are still keys.
const MAX_KEYS: usize = 64;

/// Keys that take all of it: →, End and Ctrl-E, as terminals send them; and those that take a word: Alt-→, Ctrl-→ and Alt-F.
const RIGHT: [&[u8]; 2] = [b"\x1b[C", b"\x1bOC"];
const END: [&[u8]; 6] = [b"\x1b[F", b"\x1bOF", b"\x1b[4~", b"\x1b[8~", b"\x05", b"\x1b[1;1F"];
const WORD: [&[u8]; 4] = [b"\x1b[1;3C", b"\x1b[1;5C", b"\x1bf", b"\x1b\x1b[C"];

/// Where nothing of it can be, or after a mistake, there is no `eyes`.
pub struct Ghost {
    eyes: Option<Eyes>,
}

struct Eyes {
    shell: Pid,
    prompt: Prompt,
    asker: Asker,
    /// The line, as it was last asked about.
    asked: String,
    /// What is expected to follow the line that was asked about.
    rest: Option<Rest>,
    /// What of it is on the screen.
    drawn: Option<String>,
    /// What the line will be once the keys that were sent are drawn, where that is known.
    typed: Typed,
    last_key: Instant,
    last_output: Instant,
}

struct Rest {
    line: String,
    text: String,
}

impl Rest {
    /// What is left of it where a part has been typed.
    fn behind(&self, line: &str) -> Option<String> {
        let typed = line.strip_prefix(&self.line)?;
        self.text.strip_prefix(typed).filter(|left| !left.is_empty()).map(str::to_owned)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Typed {
    /// No key is under way.
    Nothing,
    /// Letters alone are.
    Line(String),
    Unknown,
}

/// What becomes of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keys {
    Pass,
    /// Letters are typed in the place of the first bytes.
    Become {
        letters: String,
        instead_of: usize,
    },
}

impl Ghost {
    /// In which terminal, for which shell, by which mark; and which daemon is asked.
    pub fn start(mark: &str, size: Option<Winsize>, shell: Pid, socket: PathBuf) -> Self {
        let (columns, rows) = size.map_or((0, 0), |size| (size.ws_col, size.ws_row));
        let now = Instant::now();
        let eyes = Asker::start(socket, shell).map(|asker| Eyes {
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

    /// Can be read when the daemon has answered.
    pub fn ear(&self) -> Option<BorrowedFd<'_>> {
        self.eyes.as_ref().map(|eyes| eyes.asker.ear())
    }

    /// What has to be written before anything else is.
    pub fn erase(&mut self) -> &'static [u8] {
        let drawn = self.eyes.as_mut().and_then(|eyes| eyes.drawn.take());
        if drawn.is_some() { ERASE } else { b"" }
    }

    /// The same for a terminal that has another size now.
    pub fn resize(&mut self, size: Option<Winsize>) -> &'static [u8] {
        let Some(eyes) = &mut self.eyes else { return b"" };
        let (columns, rows) = size.map_or((0, 0), |size| (size.ws_col, size.ws_row));
        eyes.prompt.resize(columns, rows);
        eyes.rest = None;
        if eyes.drawn.take().is_some() { ERASE_WRAPPED } else { b"" }
    }

    /// The shell has written this. Gives what is to be written behind it.
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

    /// The daemon may have answered. Gives what is to be written.
    pub fn hear(&mut self, terminal: &OwnedFd) -> Option<String> {
        self.guarded(|eyes| {
            let answer = eyes.asker.answer()?;
            let line = eyes.prompt.line().filter(|line| line.text == answer.line)?;
            eyes.rest = (!answer.rest.is_empty()).then_some(Rest { line: answer.line, text: answer.rest });
            eyes.draw(&line, terminal)
        })
    }

    /// Nothing has happened for a while. Gives what is to be written.
    pub fn rest(&mut self, terminal: &OwnedFd) -> Option<String> {
        self.guarded(|eyes| {
            let line = eyes.prompt.line()?;
            eyes.draw(&line, terminal)
        })
    }

    /// The user has sent these bytes, and everything before them has reached the shell.
    pub fn press(&mut self, bytes: &[u8], terminal: &OwnedFd) -> Keys {
        let taken = self.guarded(|eyes| {
            let line = eyes.prompt.line();
            let taken = line.as_ref().and_then(|line| eyes.taken(bytes, line, terminal));
            let Some((letters, instead_of)) = taken else {
                eyes.type_letters(bytes, line.as_ref());
                return None;
            };
            // On a busy machine more keys may have come with it.
            let behind = bytes.get(instead_of..).unwrap_or_default();
            eyes.type_letters(&[letters.as_bytes(), behind].concat(), line.as_ref());
            Some(Keys::Become { letters, instead_of })
        });
        taken.unwrap_or(Keys::Pass)
    }

    /// The same while earlier ones have not reached the shell.
    pub fn press_behind_others(&mut self) {
        if let Some(eyes) = &mut self.eyes {
            (eyes.typed, eyes.last_key) = (Typed::Unknown, Instant::now());
        }
    }

    /// A mistake ends the drawing, not the shell.
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
    /// Whether the keys that were typed are what is drawn by now.
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
        // A request in words is no beginning of a command.
        let words = line.text.trim_start();
        if is_new && !words.is_empty() && !words.starts_with('?') {
            self.asker.ask(&line.text, &line.session);
        }
    }

    /// What has to be written so that the screen has the grey text that belongs there now, or none.
    fn draw(&mut self, line: &TypedLine, terminal: &OwnedFd) -> Option<String> {
        let is_time = self.is_settled(line) && self.reads_a_line(terminal);
        let text = self.rest.as_ref().filter(|_| is_time).and_then(|rest| rest.behind(&line.text));
        if self.drawn == text {
            return None;
        }
        let erased = self.drawn.take().map(|_| String::from_utf8_lossy(ERASE).into_owned()).unwrap_or_default();
        let drawn = text.as_deref().and_then(|text| line.drawn(text, self.asker.style()));
        self.drawn = text.filter(|_| drawn.is_some());
        Some(erased + &drawn.unwrap_or_default()).filter(|written| !written.is_empty())
    }

    /// What the first key takes and its bytes, if it is one that does and the line is the one that everything was found for.
    fn taken(&self, bytes: &[u8], line: &TypedLine, terminal: &OwnedFd) -> Option<(String, usize)> {
        let drawn = self.drawn.as_deref().filter(|_| bytes.len() <= MAX_KEYS)?;
        let Expected { word_on_right, .. } = self.asker.expected();
        let found = |keys: &[&[u8]]| keys.iter().find(|key| bytes.starts_with(key)).map(|key| key.len());
        let (length, takes_word) = match (found(&RIGHT), found(&END), found(&WORD)) {
            (Some(length), _, _) => (length, *word_on_right),
            (None, Some(length), _) => (length, false),
            (None, None, Some(length)) => (length, true),
            (None, None, None) => return None,
        };
        // The line may have changed since it was drawn, which nothing shows yet.
        let is_true = self.rest.as_ref().and_then(|rest| rest.behind(&line.text)).as_deref() == Some(drawn);
        if !is_true || !self.is_settled(line) || !self.reads_a_line(terminal) {
            return None;
        }
        Some((if takes_word { first_word(drawn) } else { drawn }.to_owned(), length))
    }

    /// What the line will be, as far as letters tell.
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

    /// Whether the shell has dealt with every key, so that the line is what it shows. Letters that were typed and are shown tell, or
    /// else a shell that has written something and now waits.
    fn is_settled(&self, line: &TypedLine) -> bool {
        match &self.typed {
            Typed::Nothing => true,
            Typed::Line(typed) if line.text == *typed => true,
            Typed::Line(_) | Typed::Unknown => {
                let has_answered = self.last_output > self.last_key && self.last_output.elapsed() >= SETTLED;
                has_answered && is_asleep(self.shell)
            }
        }
    }

    /// Whether it is the shell that has the terminal, and it reads key by key: no program of the user's, and no `read`.
    fn reads_a_line(&self, terminal: &OwnedFd) -> bool {
        let in_front = termios::tcgetpgrp(terminal).is_ok_and(|group| group == self.shell);
        let modes = termios::tcgetattr(terminal).map(|modes| modes.local_modes);
        in_front && modes.is_ok_and(|modes| !modes.intersects(LocalModes::ICANON | LocalModes::ECHO))
    }
}

/// Blanks and what follows them up to the next.
fn first_word(text: &str) -> &str {
    let begin = text.len() - text.trim_start().len();
    let end = text[begin..].find(' ').map_or(text.len(), |end| begin + end);
    &text[..end]
}

/// Whether it waits for something. Where that is not told, it does.
fn is_asleep(shell: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", shell.as_raw_pid())).unwrap_or_default();
    // Behind the name, which may have anything in it.
    stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('S'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_the_blanks_before_it() {
        assert_eq!(["atus --short", " --short x", "--all", ""].map(first_word), ["atus", " --short", "--all", ""]);
    }
}
