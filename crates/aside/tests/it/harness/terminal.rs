//! A program in a real PTY and the terminal that draws what it writes. A thread reads and answers as a terminal does, whatever the
//! test is busy with. Knows nothing about shells.

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use rustix::termios::Termios;
use vt100::Color;

use crate::harness::home;
use crate::harness::keys::{self, Arrows, Key};
use crate::harness::patience;
use crate::harness::pty;
use crate::harness::report::{Exchanges, Report, Side};
use crate::harness::screen::Screen;
use crate::harness::shell::{Settling, Signs};
use crate::harness::terminal_replies::TerminalReplies;

/// Lines kept above the screen; `transcript` cannot see further back.
const SCROLLBACK: usize = 2000;

/// Longer than a question is on the screen, and nothing is typed, before a key answers it.
const READ: Duration = Duration::from_millis(600);

/// How long a key waits for a program that never becomes idle.
const LONGEST_BUSY: Duration = Duration::from_millis(200);

pub struct Terminal {
    shared: Arc<Shared>,
    master: File,
    child: Child,
    ghost: Color,
    daemon_log: PathBuf,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    parser: vt100::Parser<TerminalReplies>,
    exchanges: Exchanges,
    /// How many times the program has written something.
    writes: usize,
    lines: LinesBegun,
    ended: bool,
}

impl Terminal {
    /// Starts `command` as the leader of a session that this terminal controls.
    pub fn start(mut command: Command, (rows, columns): (u16, u16), ghost: Color, daemon_log: PathBuf) -> Self {
        let (master, slave) = pty::open();
        pty::set_size(&master, rows, columns);
        command.stdin(slave.try_clone().unwrap()).stdout(slave.try_clone().unwrap()).stderr(slave.try_clone().unwrap());
        pty::lead_a_session(&mut command, slave.try_clone().unwrap());
        let child = command.spawn().unwrap_or_else(|error| panic!("could not start {command:?}: {error}"));
        // The command keeps copies of the slave end; while one is open, the program's end is not seen here.
        drop((command, slave));
        let parser =
            vt100::Parser::new_with_callbacks(some(rows), some(columns), SCROLLBACK, TerminalReplies::default());
        let state =
            State { parser, exchanges: Exchanges::new(), writes: 0, lines: LinesBegun::default(), ended: false };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let terminal = Self { shared, master: File::from(master), child, ghost, daemon_log };
        let (shared, master) = (Arc::clone(&terminal.shared), terminal.master.try_clone().unwrap());
        std::thread::spawn(move || shared.draw(master));
        terminal
    }

    pub fn screen(&self) -> Screen {
        Screen::of(self.shared.lock().parser.screen())
    }

    /// The terminal's input and output modes.
    pub fn modes(&self) -> Termios {
        rustix::termios::tcgetattr(&self.master).unwrap()
    }

    /// The marks around commands so far, each with the cursor position.
    pub fn command_marks(&self) -> Vec<(String, (u16, u16))> {
        self.shared.lock().parser.callbacks().commands.clone()
    }

    /// Waits until the screen satisfies `condition` and returns that screen. `what` completes "waited for …".
    #[track_caller]
    pub fn wait_for(&self, what: &str, condition: impl Fn(&Screen) -> bool) -> Screen {
        self.wait_until(what, |state| {
            // A shell that hides the cursor draws a command and still discards keys.
            let is_final = state.parser.screen().alternate_screen() || !state.parser.screen().hide_cursor();
            let screen = Screen::of(state.parser.screen());
            (is_final && condition(&screen)).then_some(screen)
        })
    }

    /// Fails as soon as the screen does not satisfy `condition`; returns once nothing was written for `quiet`.
    #[track_caller]
    pub fn wait_while_quiet(&self, what: &str, quiet: Duration, condition: impl Fn(&Screen) -> bool) {
        let mut state = self.shared.lock();
        let deadline = Instant::now() + patience();
        loop {
            if !condition(&Screen::of(state.parser.screen())) {
                self.fail(state, &format!("did not stay: {what}"));
            }
            if Instant::now() > deadline {
                self.fail(state, &format!("the screen never came to rest: {what}"));
            }
            let writes = state.writes;
            let (next, waited) = self
                .shared
                .changed
                .wait_timeout_while(state, quiet, |state| state.writes == writes && !state.ended)
                .unwrap_or_else(|poisoned| poisoned.into_inner());
            state = next;
            if waited.timed_out() || state.ended {
                return;
            }
        }
    }

    /// Waits until the program has signalled that it is idle.
    #[track_caller]
    pub fn settle(&self, settling: Settling) {
        let marks = self.shared.lock().parser.callbacks().marks;
        self.send(settling.keys.as_bytes());
        self.wait_until("the shell to come to rest", |state| {
            let answers = state.parser.callbacks();
            let rung = match settling.signs {
                Signs::Mark => true,
                Signs::MarkThenBell => answers.bells_since_mark > 0,
            };
            (answers.marks > marks && rung).then_some(())
        });
    }

    /// Sends one key to an idle program and waits until it has written something.
    #[track_caller]
    pub fn type_letter(&self, letter: char) {
        self.wait_for_idleness();
        let before = self.shared.lock().writes;
        self.send(letter.to_string().as_bytes());
        self.wait_until(&format!("an answer to the key {letter:?}"), |state| (state.writes > before).then_some(()));
    }

    /// Sends a key once the foreground program is idle, as it is for a user. An interrupt in the middle of a redraw is lost: both
    /// zsh and fish check for it only while they wait.
    #[track_caller]
    pub fn press(&self, key: Key) {
        self.wait_until_asleep(if key == Key::CtrlC { 20 } else { 2 });
        let application = self.shared.lock().parser.screen().application_cursor();
        self.send(&keys::bytes(key, if application { Arrows::Application } else { Arrows::Normal }));
    }

    /// Sends a bracketed paste, newlines as returns. Waits until the program has enabled bracketed paste.
    #[track_caller]
    pub fn paste(&self, text: &str) {
        self.wait_until("bracketed paste to be on", |state| state.parser.screen().bracketed_paste().then_some(()));
        self.send(format!("\x1b[200~{}\x1b[201~", text.replace('\n', "\r")).as_bytes());
    }

    /// Whether the program has enabled bracketed paste.
    pub fn takes_pastes(&self) -> bool {
        self.shared.lock().parser.screen().bracketed_paste()
    }

    /// How many lines the program has begun to read: at each it enables bracketed paste.
    pub fn lines_begun(&self) -> usize {
        self.shared.lock().lines.count
    }

    /// How many marks have arrived so far.
    pub fn marks(&self) -> usize {
        self.shared.lock().parser.callbacks().marks
    }

    /// Whether more marks than `before` arrive within `limit`.
    pub fn comes_to_mark(&self, before: usize, limit: Duration) -> bool {
        let is_waiting = |state: &mut State| state.parser.callbacks().marks <= before && !state.ended;
        let (state, _) = self
            .shared
            .changed
            .wait_timeout_while(self.shared.lock(), limit, is_waiting)
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        state.parser.callbacks().marks > before
    }

    /// Whether the foreground program is waiting at this moment.
    pub fn is_asleep(&self) -> bool {
        rustix::termios::tcgetpgrp(&self.master).is_ok_and(home::is_asleep)
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Whether the program and all that it started are waiting at this moment, and all that they wrote is drawn.
    pub fn is_idle(&self) -> bool {
        let is_drawn = rustix::io::ioctl_fionread(&self.master).is_ok_and(|unread| unread == 0);
        is_drawn && Pid::from_raw(self.child.id().cast_signed()).is_none_or(home::is_tree_idle)
    }

    #[track_caller]
    pub fn send(&self, bytes: &[u8]) {
        self.shared.lock().exchanges.add(Side::Sent, bytes);
        if let Err(error) = (&self.master).write_all(bytes) {
            self.fail(self.shared.lock(), &format!("could not send {bytes:?}: {error}"));
        }
    }

    /// Answers the question on the screen like a user who has read it: a key that answers has to stand alone.
    #[track_caller]
    pub fn answer(&self, bytes: &[u8]) {
        self.wait_while_quiet("a screen to read", READ, |_| true);
        self.send(bytes);
    }

    pub fn resize(&self, rows: u16, columns: u16) {
        self.shared.lock().parser.set_size(some(rows), some(columns));
        // Last, because the kernel notifies the program, which then draws for the new size.
        pty::set_size(&self.master, rows, columns);
    }

    /// Every line since the start, wrapped rows joined, as far as the scrollback reaches.
    pub fn transcript(&self) -> Vec<String> {
        let mut state = self.shared.lock();
        let screen = state.parser.screen_mut();
        let mut rows = Vec::new();
        for above in (1..=screen.scrollback_len()).rev() {
            screen.set_scrollback(above);
            rows.push((first_row(screen, 0), screen.row_wrapped(0)));
        }
        screen.set_scrollback(0);
        for row in 0..screen.size().0.get() {
            rows.push((first_row(screen, row), screen.row_wrapped(row)));
        }
        join_wrapped(rows)
    }

    /// Waits for the program's end: its exit code, or 128 + the signal.
    #[track_caller]
    pub fn wait_for_end(&mut self) -> i32 {
        self.wait_until_ended();
        let deadline = Instant::now() + patience();
        loop {
            match self.child.try_wait().unwrap() {
                Some(status) => return home::code(status),
                None if Instant::now() > deadline => self.fail(self.shared.lock(), "it left the terminal but runs on"),
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    /// Waits briefly until the foreground program sleeps; a busy one gets its key all the same.
    fn wait_for_idleness(&self) {
        self.wait_until_asleep(2);
    }

    /// Requires that many observations of sleep in a row: a single one may only be a wait for the terminal to take the output.
    fn wait_until_asleep(&self, times: usize) {
        let deadline = Instant::now() + LONGEST_BUSY;
        let mut seen_asleep = 0;
        while seen_asleep < times && Instant::now() < deadline {
            seen_asleep = if self.is_asleep() { seen_asleep + 1 } else { 0 };
            std::thread::sleep(Duration::from_micros(300));
        }
    }

    #[track_caller]
    fn wait_until_ended(&self) {
        let deadline = Instant::now() + patience();
        let mut state = self.shared.lock();
        while !state.ended {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                self.fail(state, "waited for the program to end");
            }
            state = self.shared.wait(state, left);
        }
    }

    #[track_caller]
    fn wait_until<T>(&self, what: &str, condition: impl Fn(&State) -> Option<T>) -> T {
        let deadline = Instant::now() + patience();
        let mut state = self.shared.lock();
        loop {
            if let Some(value) = condition(&state) {
                return value;
            }
            if state.ended {
                self.fail(state, &format!("the program ended; waited for {what}"));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                self.fail(state, &format!("waited {} s for {what}", patience().as_secs()));
            }
            state = self.shared.wait(state, left);
        }
    }

    #[track_caller]
    fn fail(&self, state: MutexGuard<'_, State>, what: &str) -> ! {
        let screen = Screen::of(state.parser.screen());
        let report = Report {
            what,
            screen: &screen,
            ghost: self.ghost,
            exchanges: &state.exchanges,
            daemon_log: &self.daemon_log,
        };
        let text = report.to_string();
        drop(state);
        panic!("{text}");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let leader = Pid::from_child(&self.child);
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            // SIGHUP makes the shell end its jobs too; SIGKILL would leave them behind.
            _ = rustix::process::kill_process_group(leader, Signal::HUP);
            _ = rustix::process::kill_process_group(leader, Signal::CONT);
            let deadline = Instant::now() + Duration::from_millis(500);
            while self.child.try_wait().is_ok_and(|ended| ended.is_none()) && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(1));
            }
            if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
                _ = rustix::process::kill_process_group(leader, Signal::KILL);
            }
            _ = self.child.wait();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>, limit: Duration) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, limit).unwrap_or_else(|poisoned| poisoned.into_inner()).0
    }

    fn draw(&self, mut master: File) {
        let mut bytes = [0; 8192];
        // Linux returns EIO, not end of file, once the slave end is closed everywhere.
        while let Ok(count @ 1..) = master.read(&mut bytes) {
            let mut state = self.lock();
            state.exchanges.add(Side::Received, &bytes[..count]);
            state.parser.process(&bytes[..count]);
            state.writes += 1;
            state.lines.hear(&bytes[..count]);
            let unsent = std::mem::take(&mut state.parser.callbacks_mut().unsent);
            if !unsent.is_empty() {
                state.exchanges.add(Side::Sent, &unsent);
            }
            drop(state);
            self.changed.notify_all();
            // Writes without the lock: a program that does not read may block this thread, but must not block the test.
            _ = master.write_all(&unsent);
        }
        self.lock().ended = true;
        self.changed.notify_all();
    }
}

/// Counts how often bracketed paste was enabled. The sequence may arrive split across reads.
#[derive(Default)]
struct LinesBegun {
    count: usize,
    matched: usize,
}

impl LinesBegun {
    fn hear(&mut self, bytes: &[u8]) {
        const SIGN: &[u8] = b"\x1b[?2004h";
        for byte in bytes {
            // The sequence's first byte occurs nowhere else in it.
            let matched = if *byte == SIGN[self.matched] { self.matched + 1 } else { usize::from(*byte == SIGN[0]) };
            self.count += matched / SIGN.len();
            self.matched = matched % SIGN.len();
        }
    }
}

fn some(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).expect("a terminal has rows and columns")
}

fn first_row(screen: &vt100::Screen, row: u16) -> String {
    screen.rows(0, screen.size().1.get()).nth(usize::from(row)).unwrap_or_default()
}

fn join_wrapped(rows: Vec<(String, bool)>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut continues = false;
    for (text, wrapped) in rows {
        match lines.last_mut().filter(|_| continues) {
            Some(line) => line.push_str(&text),
            None => lines.push(text),
        }
        continues = wrapped;
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}
