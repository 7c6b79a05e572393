//! Signals for the proxy, queued and read from the relay's loop.

use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use anyhow::Context;
use signal_hook::consts::signal as names;
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::SignalOnly;

/// The first ones concern the terminal and the child; the others were meant for the shell, whose place we take, and are passed on.
const HEARD: [i32; 9] = [
    names::SIGWINCH,
    names::SIGCHLD,
    names::SIGCONT,
    names::SIGTERM,
    names::SIGHUP,
    names::SIGINT,
    names::SIGQUIT,
    names::SIGUSR1,
    names::SIGUSR2,
];

pub struct Signals(SignalDelivery<UnixStream, SignalOnly>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalEvent {
    Resized,
    Child,
    Continued,
    /// For the shell.
    PassOn(i32),
}

impl Signals {
    /// Does all that can fail, before anything has changed.
    pub fn prepare() -> anyhow::Result<Self> {
        let (reads, writes) = UnixStream::pair().context("could not make a pipe for signals")?;
        let none: [i32; 0] = [];
        Ok(Self(SignalDelivery::with_pipe(reads, writes, SignalOnly, none).context("could not listen to signals")?))
    }

    pub fn listen(&self) {
        for signal in HEARD {
            let _ = self.0.handle().add_signal(signal);
        }
    }

    /// Readable when a signal is pending.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.0.get_read().as_fd()
    }

    pub fn pending(&mut self) -> Vec<SignalEvent> {
        let meaning = |signal| match signal {
            names::SIGWINCH => SignalEvent::Resized,
            names::SIGCHLD => SignalEvent::Child,
            names::SIGCONT => SignalEvent::Continued,
            other => SignalEvent::PassOn(other),
        };
        self.0.pending().map(meaning).collect()
    }
}
