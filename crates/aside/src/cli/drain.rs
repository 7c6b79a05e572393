//! `aside drain`: discards keys that were typed before a command was on the screen, so that none of them can approve it. The plugins of
//! bash and fish call it once the command is drawn. Where a command only waits for Tab, `--keep` tells that keys are waiting: they may be
//! the next lines, so the command is withdrawn and not they.

use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::termios::{self, QueueSelector};

use crate::cli::Exit;

/// The terminal counts as quiet after so long without a key. Longer than the pause between two repeats of a key that is held down, and
/// than a paste or a relay needs for its next bytes.
const QUIET: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
/// Cap on the whole: a terminal that never is quiet must not hold up the shell.
const LONGEST: Duration = Duration::from_secs(2);

/// Discard what was typed too early to mean what is on the screen now; used by the plugins of bash and fish
#[derive(clap::Args)]
#[command(hide = true)]
pub struct Args {
    /// Discard nothing; only fail where something was typed
    #[arg(long)]
    keep: bool,
}

/// Fails where keys still arrive: the shell then offers nothing.
pub fn run(args: Args) -> anyhow::Result<Exit> {
    let input = std::io::stdin();
    if args.keep {
        let mut polled = [PollFd::new(&input, PollFlags::IN)];
        let is_quiet = rustix::event::poll(&mut polled, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) == Ok(0);
        return Ok(if is_quiet { Exit::Done } else { Exit::Failed });
    }
    let deadline = Instant::now() + LONGEST;
    while Instant::now() < deadline {
        // A flush empties one buffer; the rest of a long paste arrives after it.
        if termios::tcflush(&input, QueueSelector::IFlush).is_err() {
            return Ok(Exit::Failed);
        }
        let mut polled = [PollFd::new(&input, PollFlags::IN)];
        if rustix::event::poll(&mut polled, Some(&QUIET)) == Ok(0) {
            return Ok(Exit::Done);
        }
    }
    Ok(Exit::Failed)
}
