//! Signals for `aside task`, read in its event loop.

use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use signal_hook::consts::signal as names;
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::SignalOnly;

pub struct Signals {
    delivery: SignalDelivery<UnixStream, SignalOnly>,
    lent: Arc<AtomicBool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalEvent {
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-Z.
    Stop,
    Continued,
    Resized,
    /// A signal to end by.
    End(i32),
}

/// Whether we set the terminal's modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modes {
    Ours,
    Untouched,
}

impl Signals {
    pub fn listen(modes: Modes) -> anyhow::Result<Self> {
        let (reads, writes) = UnixStream::pair().context("could not make a pipe for signals")?;
        let lent = Arc::new(AtomicBool::new(false));
        let heard = match modes {
            Modes::Ours => {
                // While an editor has the terminal, Ctrl-Z stops both, by the default action.
                signal_hook::flag::register_conditional_default(names::SIGTSTP, Arc::clone(&lent))
                    .context("could not listen to signals")?;
                &[names::SIGINT, names::SIGTERM, names::SIGHUP, names::SIGWINCH, names::SIGTSTP, names::SIGCONT][..]
            }
            Modes::Untouched => &[names::SIGINT, names::SIGWINCH][..],
        };
        let delivery =
            SignalDelivery::with_pipe(reads, writes, SignalOnly, heard).context("could not listen to signals")?;
        Ok(Self { delivery, lent })
    }

    /// Readable when a signal is pending.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.delivery.get_read().as_fd()
    }

    pub fn pending(&mut self) -> Vec<SignalEvent> {
        let meaning = |signal| match signal {
            names::SIGINT => SignalEvent::Interrupt,
            names::SIGTSTP => SignalEvent::Stop,
            names::SIGCONT => SignalEvent::Continued,
            names::SIGWINCH => SignalEvent::Resized,
            other => SignalEvent::End(other),
        };
        self.delivery.pending().map(meaning).collect()
    }

    /// Lends the terminal to another program. Of the signals meanwhile, only one that ends us is kept.
    pub fn lend<T>(&mut self, terminal: impl FnOnce() -> T) -> (T, Option<i32>) {
        self.lent.store(true, Ordering::SeqCst);
        let came = terminal();
        self.lent.store(false, Ordering::SeqCst);
        let end = self.pending().into_iter().find_map(|heard| match heard {
            SignalEvent::End(signal) => Some(signal),
            SignalEvent::Interrupt | SignalEvent::Stop | SignalEvent::Continued | SignalEvent::Resized => None,
        });
        (came, end)
    }
}

/// Stops as Ctrl-Z would by default; returns when the shell continues us.
pub fn stop() {
    let _ = signal_hook::low_level::emulate_default_handler(names::SIGTSTP);
}

/// Ends by the signal's default action. Returns only if that fails.
pub fn end(signal: i32) {
    let _ = signal_hook::low_level::emulate_default_handler(signal);
}
