//! Signals for a full-screen program, read in its event loop.

use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use anyhow::Context;
use rustix::process::{self, Pid, Signal};
use signal_hook::consts::signal as names;
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::SignalOnly;

const HEARD: [i32; 7] =
    [names::SIGWINCH, names::SIGCONT, names::SIGTSTP, names::SIGTERM, names::SIGHUP, names::SIGINT, names::SIGQUIT];

pub struct Signals(SignalDelivery<UnixStream, SignalOnly>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalEvent {
    Resized,
    /// Continued after SIGSTOP, which cannot be caught: another program may have changed the screen.
    Continued,
    Suspend,
    Interrupt,
    End(i32),
}

impl Signals {
    pub fn listen() -> anyhow::Result<Self> {
        let (reads, writes) = UnixStream::pair().context("could not make a pipe for signals")?;
        let delivery = SignalDelivery::with_pipe(reads, writes, SignalOnly, HEARD);
        Ok(Self(delivery.context("could not listen to signals")?))
    }

    /// Readable when a signal is pending.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.0.get_read().as_fd()
    }

    pub fn pending(&mut self) -> Vec<SignalEvent> {
        let meaning = |signal| match signal {
            names::SIGWINCH => SignalEvent::Resized,
            names::SIGCONT => SignalEvent::Continued,
            names::SIGTSTP => SignalEvent::Suspend,
            names::SIGINT => SignalEvent::Interrupt,
            other => SignalEvent::End(other),
        };
        self.0.pending().map(meaning).collect()
    }
}

/// Whether a parent shell would take over and can continue us. Without one a stopped process stays stopped.
pub fn can_suspend() -> bool {
    let Some(parent) = process::getppid() else { return false };
    let session = |pid: Option<Pid>| process::getsid(pid).ok();
    let group = |pid: Option<Pid>| process::getpgid(pid).ok();
    session(Some(parent)).is_some() && session(Some(parent)) == session(None) && group(Some(parent)) != group(None)
}

/// Stops this process and its group until SIGCONT.
pub fn suspend() {
    let _ = process::kill_current_process_group(Signal::TSTP);
    // Our handler swallows SIGTSTP, so SIGSTOP stops this process itself.
    let _ = process::kill_process(process::getpid(), Signal::STOP);
}

/// Ends by the signal's default action, so that the parent sees the right wait status.
pub fn end_by(signal: i32) {
    let _ = signal_hook::low_level::emulate_default_handler(signal);
}
