//! A shell on a terminal, driven and watched by a single thread: the tests' harness passes the screen between threads, which costs
//! as much as what is measured here.

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};

use crate::harness::pty;
use crate::harness::screen::GHOST;

/// Wide enough for every typed line: wrapping is not measured.
const SIZE: (u16, u16) = (24, 250);

/// The timeout for anything.
pub const PATIENCE: Duration = Duration::from_secs(5);

pub struct Typist {
    master: File,
    child: Child,
    parser: vt100::Parser,
    /// The number of the current prompt.
    at: usize,
}

impl Typist {
    /// Starts `shell` and returns the time from just before the start to its first prompt.
    pub fn start(mut shell: Command) -> (Self, Duration) {
        let (rows, columns) = SIZE;
        let (master, slave) = pty::open();
        pty::set_size(&master, rows, columns);
        shell.stdin(slave.try_clone().unwrap()).stdout(slave.try_clone().unwrap()).stderr(slave.try_clone().unwrap());
        pty::lead_a_session(&mut shell, slave.try_clone().unwrap());
        let [rows, columns] = [rows, columns].map(|count| NonZeroU16::new(count).unwrap());
        let parser = vt100::Parser::new(rows, columns, 0);
        let started = Instant::now();
        let child = shell.spawn().unwrap_or_else(|error| panic!("could not start {shell:?}: {error}"));
        drop((shell, slave));
        let mut typist = Self { master: File::from(master), child, parser, at: 0 };
        let prompt = typist.next_prompt();
        (typist, prompt.duration_since(started))
    }

    /// When the next prompt appeared.
    pub fn next_prompt(&mut self) -> Instant {
        self.at += 1;
        let when = self.until(|line| line.typed.is_empty());
        when.unwrap_or_else(|| panic!("prompt {} did not come:\n{}", self.at, self.parser.screen().contents()))
    }

    /// When a key that was sent ahead was echoed after the next prompt.
    pub fn next_prompt_and(&mut self, key: &str) -> Instant {
        self.at += 1;
        let when = self.until(|line| line.typed == key);
        when.unwrap_or_else(|| panic!("{key:?} was not echoed:\n{}", self.parser.screen().contents()))
    }

    /// Sends the keys and returns when.
    pub fn press(&mut self, keys: &str) -> Instant {
        let now = Instant::now();
        self.master.write_all(keys.as_bytes()).expect("the shell reads its terminal");
        now
    }

    /// When the shell first wrote something.
    pub fn first_echo(&mut self) -> Option<Instant> {
        self.read(Instant::now() + PATIENCE)
    }

    /// When the line after the current prompt satisfied `wanted`; `None` on timeout.
    pub fn until(&mut self, wanted: impl Fn(&Line) -> bool) -> Option<Instant> {
        self.within(PATIENCE, wanted)
    }

    /// The same with another timeout.
    pub fn within(&mut self, patience: Duration, wanted: impl Fn(&Line) -> bool) -> Option<Instant> {
        let deadline = Instant::now() + patience;
        let mut when = Instant::now();
        loop {
            if self.line().is_some_and(|line| wanted(&line)) {
                return Some(when);
            }
            when = self.read(deadline)?;
        }
    }

    /// Reads until nothing has arrived for `quiet`.
    pub fn rest(&mut self, quiet: Duration) {
        while self.read(Instant::now() + quiet).is_some() {}
    }

    /// Empties the line.
    pub fn clears(&mut self) {
        self.press("\x15");
        let empty = self.until(|line| line.typed.is_empty() && line.ghost.is_empty());
        assert!(empty.is_some(), "the line was not emptied:\n{}", self.parser.screen().contents());
    }

    /// The line after the current prompt, once the cursor has passed the prompt.
    pub fn line(&self) -> Option<Line> {
        let screen = self.parser.screen();
        let (row, cursor) = screen.cursor_position();
        let prompt = format!("{}> ", self.at);
        let text = screen.contents_between(row, 0, row, SIZE.1);
        let text = text.strip_prefix(prompt.trim_end())?;
        let text = text.strip_prefix(' ').unwrap_or(text);
        let typed = usize::from(cursor).checked_sub(prompt.len())?;
        // Of the blanks at the end only those before the cursor were typed.
        let text = format!("{:typed$}", text.trim_end());
        let (typed, after) = text.split_at(typed);
        let is_grey = |column: usize| screen.cell(row, column as u16).is_some_and(|cell| cell.fgcolor() == GHOST);
        let (first, last) = (usize::from(cursor), usize::from(cursor) + after.len().saturating_sub(1));
        let ghost = if is_grey(first) && is_grey(last) { after } else { "" };
        Some(Line { typed: typed.to_owned(), ghost: ghost.to_owned() })
    }

    /// Feeds the screen with the next bytes and returns when they arrived; `None` at the deadline.
    fn read(&mut self, deadline: Instant) -> Option<Instant> {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
        let mut ready = [PollFd::new(&self.master, PollFlags::IN)];
        if rustix::event::poll(&mut ready, Some(&timeout)).expect("poll") == 0 {
            return None;
        }
        let mut bytes = [0; 16 * 1024];
        let count = self.master.read(&mut bytes).expect("the shell is there");
        let now = Instant::now();
        self.parser.process(&bytes[..count]);
        Some(now)
    }
}

impl Drop for Typist {
    /// SIGKILL: on SIGHUP a shell would write its history again, and the next run must find the old one.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The line being typed, with the cursor at its end.
pub struct Line {
    pub typed: String,
    pub ghost: String,
}
