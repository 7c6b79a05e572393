//! `aside sink`: reads a tmux pane's pipe, and tells the daemon what commands print there. tmux starts it, and it ends with the pipe.

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
    // A session of its own: signals of the terminal from which tmux was started must not reach it.
    let _ = rustix::process::setsid();
    // Otherwise the directory that tmux was started from could not be unmounted.
    let _ = std::env::set_current_dir("/");
    sink::run(&args.tty, args.socket)?;
    Ok(Exit::Done)
}
