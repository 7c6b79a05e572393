//! `aside sink`: at the end of a tmux pane's pipe, tells the daemon what commands print there. tmux starts it, and it ends with
//! the pipe.

use std::path::PathBuf;

use crate::capture::sink;
use crate::cli::Exit;

/// Read what a tmux pane prints from standard input, and tell the daemon; used by the daemon
#[derive(clap::Args)]
#[command(hide = true)]
pub struct Args {
    /// The terminal of the pane
    #[arg(long, value_name = "TTY")]
    tty: String,
    /// Where the daemon listens
    #[arg(long, value_name = "SOCKET")]
    socket: PathBuf,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    // A session of our own: what is typed at the terminal from which tmux was started is not for us.
    let _ = rustix::process::setsid();
    // The directory that tmux was started from could otherwise never be unmounted.
    let _ = std::env::set_current_dir("/");
    sink::run(&args.tty, args.socket)?;
    Ok(Exit::Done)
}
