//! `aside sandbox`: executes `PROGRAM --help` after giving up every right to change anything. The daemon reads help texts this way.

use std::path::PathBuf;

use crate::cli::Exit;
use crate::exec;
use crate::world::sandbox;

/// Ask a program for its help where it can change nothing; used by the daemon
#[derive(clap::Args)]
#[command(hide = true)]
pub struct Args {
    /// An absolute path
    program: PathBuf,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    sandbox::restrict()?;
    Err(exec::become_help(&args.program))
}
