//! A program in a real PTY, with a recording of every byte that it wrote, to compare two of them. Draws nothing and answers nothing.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, Command};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::Pid;
use rustix::termios::{Termios, Winsize};

use crate::harness::{home, patience, pty};

/// The poll interval at which the reader thread checks whether to stop.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };

pub struct PtyRecording {
    shared: Arc<Shared>,
    /// `None` once the terminal was closed.
    master: Option<File>,
    child: Child,
    reader: Option<JoinHandle<()>>,
    /// Where the next wait begins searching.
    heard: usize,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    bytes: Vec<u8>,
    /// The terminal does not read for now.
    paused: bool,
    ended: bool,
}

impl PtyRecording {
    pub fn start(command: Command, rows: u16, columns: u16) -> Self {
        Self::start_sized(command, Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 })
    }

    pub fn start_sized(mut command: Command, size: Winsize) -> Self {
        let (master, slave) = pty::open();
        rustix::termios::tcsetwinsize(&master, size).unwrap();
        command.stdin(slave.try_clone().unwrap()).stdout(slave.try_clone().unwrap()).stderr(slave.try_clone().unwrap());
        pty::lead_a_session(&mut command, slave.try_clone().unwrap());
        let child = command.spawn().unwrap_or_else(|error| panic!("could not start {command:?}: {error}"));
        drop((command, slave));
        let shared = Arc::new(Shared::default());
        let master = File::from(master);
        let (sharing, reader) = (Arc::clone(&shared), master.as_fd().try_clone_to_owned().unwrap());
        let reader = std::thread::spawn(move || sharing.record(File::from(reader)));
        Self { shared, master: Some(master), child, reader: Some(reader), heard: 0 }
    }

    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Waits until `text` was written since the last wait ended.
    #[track_caller]
    pub fn hears(&mut self, text: &str) -> &mut Self {
        let mut from = self.heard;
        let found = |state: &State| {
            let place = find(&state.bytes[from..], text.as_bytes()).map(|place| from + place);
            // Skips what was searched already, except for a possible beginning of `text`.
            from = from.max((state.bytes.len() + 1).saturating_sub(text.len()));
            place
        };
        self.heard = self.wait_until(&format!("{text:?}"), found) + text.len();
        self
    }

    pub fn sends(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        // A program that has exited is noticed by the code that waits for it.
        _ = self.terminal().write_all(bytes.as_ref());
        self
    }

    pub fn written(&self) -> Vec<u8> {
        self.shared.lock().bytes.clone()
    }

    pub fn resizes(&mut self, size: Winsize) -> &mut Self {
        rustix::termios::tcsetwinsize(self.terminal(), size).unwrap();
        self
    }

    /// The terminal's modes.
    pub fn modes(&self) -> Termios {
        rustix::termios::tcgetattr(self.terminal()).unwrap()
    }

    /// Stops reading, as a busy or stopped terminal does; bytes already in flight are still read.
    pub fn pauses(&mut self) {
        self.shared.lock().paused = true;
    }

    pub fn resumes(&mut self) {
        self.shared.lock().paused = false;
        self.shared.changed.notify_all();
    }

    /// Closes the terminal, as closing its window does.
    pub fn closes(&mut self) {
        self.shared.lock().ended = true;
        self.master = None;
        // The reader thread has it open, too.
        self.reader.take().expect("it was open").join().unwrap();
    }

    /// After the program's end, waits until everything that it wrote was read.
    pub fn finishes(&mut self) {
        self.reader.take().expect("it is read").join().unwrap();
    }

    /// Waits for its end: the exit code, or 128 + the signal.
    #[track_caller]
    pub fn ends(&mut self) -> i32 {
        let deadline = Instant::now() + patience();
        loop {
            match self.child.try_wait().unwrap() {
                Some(status) => return home::code(status),
                None if Instant::now() > deadline => self.fail("its end"),
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    fn terminal(&self) -> &File {
        self.master.as_ref().expect("the terminal is open")
    }

    #[track_caller]
    fn wait_until<T>(&self, what: &str, mut condition: impl FnMut(&State) -> Option<T>) -> T {
        let deadline = Instant::now() + patience();
        let mut state = self.shared.lock();
        loop {
            if let Some(value) = condition(&state) {
                return value;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || state.ended {
                drop(state);
                self.fail(what);
            }
            state = self.shared.changed.wait_timeout(state, left).unwrap().0;
        }
    }

    #[track_caller]
    fn fail(&self, what: &str) -> ! {
        let bytes = self.written();
        let end = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(600)..]).into_owned();
        panic!("waited for {what}; {} bytes were written, at last {end:?}", bytes.len());
    }
}

impl Drop for PtyRecording {
    fn drop(&mut self) {
        self.resumes();
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            _ = self.child.kill();
            _ = self.child.wait();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn record(&self, mut master: File) {
        let mut bytes = vec![0; 64 * 1024];
        loop {
            let mut state = self.lock();
            while state.paused {
                state = self.changed.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
            }
            if state.ended {
                return;
            }
            drop(state);
            let mut polled = [PollFd::new(&master, PollFlags::IN)];
            if rustix::event::poll(&mut polled, Some(&LOOK)) == Ok(0) {
                continue;
            }
            let Ok(count @ 1..) = master.read(&mut bytes) else { break };
            self.lock().bytes.extend_from_slice(&bytes[..count]);
            self.changed.notify_all();
        }
        self.lock().ended = true;
        self.changed.notify_all();
    }
}

fn find(bytes: &[u8], text: &[u8]) -> Option<usize> {
    let first = *text.first()?;
    let mut from = 0;
    while let Some(place) = bytes[from..].iter().position(|byte| *byte == first) {
        if bytes[from + place..].starts_with(text) {
            return Some(from + place);
        }
        from += place + 1;
    }
    None
}
