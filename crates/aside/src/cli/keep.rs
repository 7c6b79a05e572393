//! `aside keep`: supervises an approved command, and becomes its shell. The daemon runs commands this way.

use crate::cli::Exit;
use crate::exec::keep;

/// Watch over an approved command; used by the daemon
#[derive(clap::Args)]
#[command(hide = true)]
pub struct Args {
    /// Become the command, as a child of this process
    #[arg(long, value_name = "PID")]
    enter: Option<u32>,
    /// Watch over an agent instead, as this says
    #[arg(long, value_name = "JSON")]
    agent: Option<String>,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    if let Some(said) = &args.agent {
        return match args.enter {
            Some(parent) => Err(keep::agent::enter(parent, said)),
            None => Ok(match keep::agent::keep(said)? {
                keep::agent::Left::Nothing => Exit::Done,
                keep::agent::Left::Something => Exit::Unreachable,
            }),
        };
    }
    let report = std::io::stdout();
    match args.enter {
        Some(parent) => keep::enter(parent, report),
        None => keep::keep(report),
    }
    Ok(Exit::Done)
}
