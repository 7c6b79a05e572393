//! Moves bytes between the outer terminal and the shell's pty, unchanged and in order, on one thread that waits only in `poll`. Buffers are
//! bounded, so backpressure reaches the writer. Adds the ghost's grey text to the output, and erases it before the shell's next byte.

use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::process::{self, Pid, Signal, WaitOptions, WaitStatus};
use rustix::termios;

use crate::capture::proxy::ghost::{Ghost, KeyAction};
use crate::capture::proxy::observe::Observer;
use crate::capture::proxy::signals::{SignalEvent, Signals};
use crate::capture::proxy::terminal_modes::TerminalModes;

/// Buffer size for each direction. A terminal gives 4 KiB at a time and takes 64 KiB.
const MAX_LANE: usize = 64 * 1024;
/// The least room for which a read is worthwhile.
const MIN_ROOM: usize = 4 * 1024;
/// Cap on output read after the shell's end: the kernel buffers no more than this, while a background job may write for ever.
const MAX_LEFT: usize = 256 * 1024;
/// Idle time after which the observer may do its background work.
const QUIET: Duration = Duration::from_millis(200);
/// Poll interval for the pty being opened again, after every process had closed it while the shell lives.
const LOOK: Duration = Duration::from_millis(100);
/// How long after SIGHUP the terminal's end may take to show.
const HANGING_UP: Duration = Duration::from_millis(50);

pub struct Relay<'a> {
    outer: &'a OwnedFd,
    /// Dropped when the outer terminal is gone, which hangs up on the shell.
    inner: Option<OwnedFd>,
    shell: Pid,
    signals: Signals,
    observer: Observer,
    ghost: Ghost,
    modes: &'a mut TerminalModes,
    keys: Lane,
    shown: Lane,
    /// No process has the pty's slave open.
    deserted: bool,
    /// Bytes have moved since the observer last was idle.
    stirred: bool,
    ended: Option<WaitStatus>,
}

/// Poll results.
struct Ready {
    outer: PollFlags,
    inner: PollFlags,
    signals: PollFlags,
    /// From the thread that asks for completions.
    answers: PollFlags,
}

impl<'a> Relay<'a> {
    pub fn new(
        outer: &'a OwnedFd,
        inner: OwnedFd,
        shell: Pid,
        signals: Signals,
        observer: Observer,
        ghost: Ghost,
        modes: &'a mut TerminalModes,
    ) -> Self {
        Self {
            outer,
            inner: Some(inner),
            shell,
            signals,
            observer,
            ghost,
            modes,
            keys: Lane::new(),
            shown: Lane::new(),
            deserted: false,
            stirred: true,
            ended: None,
        }
    }

    /// Runs until the shell has ended, and all that it wrote is shown.
    pub fn run(mut self) -> WaitStatus {
        // Catches up on what happened before the signal handlers were set.
        self.resize();
        self.reap();
        loop {
            if let Some(status) = self.ended {
                self.shown.push(self.ghost.erase());
                self.show_rest();
                return status;
            }
            let ready = self.wait();
            if ready.signals.contains(PollFlags::IN) {
                self.hear();
            }
            self.move_keys(ready.outer, ready.inner);
            self.move_shown(ready.inner, ready.outer);
            if ready.answers.contains(PollFlags::IN) {
                self.draw(Ghost::hear);
            } else if !ready.answers.is_empty() {
                // The asking thread has ended.
                self.shown.push(self.ghost.erase());
                self.ghost = Ghost::off();
            }
        }
    }

    /// Appends the ghost behind what the shell wrote, if there is room for it.
    fn draw(&mut self, drawn: impl FnOnce(&mut Ghost, &OwnedFd) -> Option<String>) {
        let Some(shell) = self.inner.as_ref().filter(|_| self.shown.has_room()) else { return };
        if let Some(drawn) = drawn(&mut self.ghost, shell) {
            self.shown.push(drawn.as_bytes());
            if self.shown.drain(self.outer) == Moved::Gone {
                self.hang_up();
            }
        }
    }

    fn wait(&mut self) -> Ready {
        let nothing = PollFlags::empty();
        let when = |condition: bool, flags: PollFlags| if condition { flags } else { nothing };
        let outer = when(self.keys.has_room(), PollFlags::IN) | when(!self.shown.is_empty(), PollFlags::OUT);
        let inner = when(self.shown.has_room(), PollFlags::IN) | when(!self.keys.is_empty(), PollFlags::OUT);
        // `poll` reports a hang-up even when no events are requested, and at once: leaves out a descriptor about which nothing can be done.
        let is_of_use = !self.deserted && !inner.is_empty();
        let asked = [
            Some((self.signals.descriptor(), PollFlags::IN)),
            self.inner.as_ref().map(|_| (self.outer.as_fd(), outer)),
            self.ghost.readable_fd().map(|ear| (ear, PollFlags::IN)),
            self.inner.as_ref().filter(|_| is_of_use).map(|terminal| (terminal.as_fd(), inner)),
        ];
        let asked = asked.map(|asked| asked.unwrap_or((self.signals.descriptor(), nothing)));
        let mut polled = asked.map(|(terminal, flags)| PollFd::from_borrowed_fd(terminal, flags));
        let limit = match (self.deserted, self.stirred) {
            (true, _) => Some(LOOK),
            (false, true) => Some(QUIET),
            (false, false) => None,
        };
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        let count = rustix::event::poll(&mut polled, limit.as_ref());
        let told = |number: usize| polled.get(number).filter(|_| count.is_ok()).map_or(nothing, PollFd::revents);
        let ready = Ready { signals: told(0), outer: told(1), answers: told(2), inner: told(3) };
        if count == Ok(0) {
            (self.stirred, self.deserted) = (false, false);
            self.observer.rest();
            self.draw(Ghost::rest);
        }
        ready
    }

    fn hear(&mut self) {
        for heard in self.signals.pending() {
            match heard {
                SignalEvent::Resized => self.resize(),
                SignalEvent::Child => self.reap(),
                SignalEvent::Continued => {
                    let _ = self.modes.resume(self.outer);
                    self.resize();
                }
                // The shell gets SIGHUP from its own terminal; a second one could end its handler of the first.
                SignalEvent::PassOn(number) if number == Signal::HUP.as_raw() && self.is_hung_up() => self.hang_up(),
                SignalEvent::PassOn(number) => {
                    if let Some(signal) = Signal::from_named_raw(number) {
                        let _ = process::kill_process(self.shell, signal);
                    }
                }
            }
        }
    }

    fn resize(&mut self) {
        let size = termios::tcgetwinsize(self.outer).ok();
        self.shown.push(self.ghost.resize(size));
        // Shows pending output before the shell redraws for the new size.
        let _ = self.shown.drain(self.outer);
        if let Some(inner) = &self.inner {
            copy_size(self.outer, inner);
        }
    }

    /// Also reaps children that were started by the shell that we replaced.
    fn reap(&mut self) {
        while let Ok(Some((pid, status))) = process::wait(WaitOptions::NOHANG | WaitOptions::UNTRACED) {
            match status {
                _ if pid != self.shell => {}
                status if status.stopped() => self.suspend(),
                status => self.ended = Some(status),
            }
        }
    }

    /// The shell stopped itself. Stops the proxy too if a parent shell can continue it; otherwise leaves the shell stopped.
    fn suspend(&mut self) {
        if !is_job() {
            return;
        }
        self.modes.pause(self.outer);
        let _ = process::kill_process(process::getpid(), Signal::STOP);
        let _ = self.modes.resume(self.outer);
        let _ = process::kill_process_group(self.shell, Signal::CONT);
    }

    fn move_keys(&mut self, outer: PollFlags, inner: PollFlags) {
        if outer.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
            return self.hang_up();
        }
        let Some(shell) = &self.inner else { return };
        if outer.contains(PollFlags::IN) {
            self.stirred = true;
            let (before, is_alone) = (self.keys.end, self.keys.is_empty());
            if self.keys.fill(self.outer) == Moved::Gone {
                return self.hang_up();
            }
            if !is_alone {
                self.ghost.press_behind_others();
            } else if let KeyAction::Become { letters, instead_of } = self.ghost.press(self.keys.since(before), shell) {
                let behind = self.keys.since(before + instead_of).to_vec();
                self.keys.end = before;
                self.keys.push(letters.as_bytes());
                self.keys.push(&behind);
            }
        } else if !inner.contains(PollFlags::OUT) {
            return;
        }
        // A failed write is no reason to end: the shell may just be ending.
        let _ = self.keys.drain(shell);
    }

    fn move_shown(&mut self, inner: PollFlags, outer: PollFlags) {
        let Some(shell) = &self.inner else { return };
        if inner.intersects(PollFlags::IN | PollFlags::HUP) {
            self.stirred = true;
            if self.shown.has_room() {
                self.shown.push(self.ghost.erase());
            }
            let before = self.shown.end;
            self.deserted = self.shown.fill(shell) == Moved::Gone;
            let new = self.shown.since(before);
            self.observer.see(new);
            // Draws only while there is room, so that the shell's next output is not held up.
            let drawn = if new.is_empty() { None } else { self.ghost.see(new, shell) };
            if let Some(drawn) = drawn.filter(|_| self.shown.has_room()) {
                self.shown.push(drawn.as_bytes());
            }
        } else if !outer.contains(PollFlags::OUT) {
            return;
        }
        if self.shown.drain(self.outer) == Moved::Gone {
            self.hang_up();
        }
    }

    /// Linux sends SIGHUP before the terminal's end can be polled.
    fn is_hung_up(&self) -> bool {
        let mut polled = [PollFd::new(self.outer, PollFlags::empty())];
        let limit = Timespec::try_from(HANGING_UP).ok();
        rustix::event::poll(&mut polled, limit.as_ref()).is_ok_and(|count| count > 0)
    }

    fn hang_up(&mut self) {
        self.inner = None;
    }

    /// Shows what the shell wrote before its end, while the terminal is read and no signal tells us to stop.
    fn show_rest(&mut self) {
        let mut left = MAX_LEFT;
        while let Some(shell) = &self.inner {
            let before = self.shown.end;
            let more = if left > 0 { self.shown.fill(shell) } else { Moved::Nothing };
            let new = self.shown.since(before);
            self.observer.see(new);
            left = left.saturating_sub(new.len());
            if self.shown.drain(self.outer) == Moved::Gone {
                return;
            }
            if self.shown.is_empty() {
                match more {
                    Moved::Some => continue,
                    Moved::Nothing | Moved::Gone => return,
                }
            }
            let outer = PollFd::new(self.outer, PollFlags::OUT);
            let signals = PollFd::from_borrowed_fd(self.signals.descriptor(), PollFlags::IN);
            let _ = rustix::event::poll(&mut [outer, signals], None);
            if self.signals.pending().iter().any(|heard| matches!(heard, SignalEvent::PassOn(_))) {
                return;
            }
        }
    }
}

/// Copies rows, columns and pixels. The kernel sends SIGWINCH to the foreground if they changed.
pub fn copy_size(outer: &OwnedFd, inner: &OwnedFd) {
    if let Ok(size) = termios::tcgetwinsize(outer) {
        let _ = termios::tcsetwinsize(inner, size);
    }
}

/// Whether a shell of the same session started us, and can continue a stopped job.
fn is_job() -> bool {
    let Some(parent) = process::getppid() else { return false };
    let same_session = process::getsid(Some(parent)).is_ok_and(|theirs| process::getsid(None) == Ok(theirs));
    same_session && process::getpgid(Some(parent)) != Ok(process::getpgrp())
}

/// A buffer for one direction.
struct Lane {
    bytes: Box<[u8]>,
    begin: usize,
    end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moved {
    Some,
    Nothing,
    /// The far end is closed.
    Gone,
}

impl Lane {
    fn new() -> Self {
        Self { bytes: vec![0; MAX_LANE].into(), begin: 0, end: 0 }
    }

    fn is_empty(&self) -> bool {
        self.begin == self.end
    }

    fn has_room(&self) -> bool {
        self.bytes.len() - self.end >= MIN_ROOM
    }

    fn since(&self, place: usize) -> &[u8] {
        self.bytes.get(place..self.end).unwrap_or_default()
    }

    /// Appends a few bytes of ours; drops them when there is no room.
    fn push(&mut self, bytes: &[u8]) {
        if let Some(room) = self.bytes.get_mut(self.end..self.end + bytes.len()) {
            room.copy_from_slice(bytes);
            self.end += bytes.len();
        }
    }

    /// Reads as much as is there and fits.
    fn fill(&mut self, from: &OwnedFd) -> Moved {
        let mut moved = Moved::Nothing;
        while self.has_room() {
            match rustix::io::read(from, &mut self.bytes[self.end..]) {
                Ok(0) | Err(Errno::AGAIN) => break,
                Ok(count) => {
                    self.end += count;
                    moved = Moved::Some;
                }
                Err(Errno::INTR) => {}
                // Moves what was read first; the next read reports the end again.
                Err(_) if moved == Moved::Some => break,
                Err(_) => return Moved::Gone,
            }
        }
        moved
    }

    fn drain(&mut self, to: &OwnedFd) -> Moved {
        let mut moved = Moved::Nothing;
        while !self.is_empty() {
            match rustix::io::write(to, &self.bytes[self.begin..self.end]) {
                Ok(0) | Err(Errno::AGAIN) => break,
                Ok(count) => {
                    self.begin += count;
                    moved = Moved::Some;
                }
                Err(Errno::INTR) => {}
                Err(_) => {
                    self.begin = self.end;
                    moved = Moved::Gone;
                }
            }
        }
        if self.is_empty() {
            (self.begin, self.end) = (0, 0);
        } else if !self.has_room() && self.begin > 0 {
            self.bytes.copy_within(self.begin..self.end, 0);
            (self.begin, self.end) = (0, self.end - self.begin);
        }
        moved
    }
}
