//! `aside drain`: discards keys that were typed before a command was on the screen, so that none of them can approve it. The plugins of
//! bash and fish call it once the command is drawn.

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
pub struct Args {}

/// Fails where keys still arrive: the shell then offers nothing.
pub fn run(_args: Args) -> anyhow::Result<Exit> {
    let input = std::io::stdin();
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
