//! `aside keep`: supervises an approved command, and becomes its shell. The daemon runs commands this way.

use crate::cli::Exit;
use crate::exec::supervisor;

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
            Some(parent) => Err(supervisor::agent::exec_agent(parent, said)),
            None => Ok(match supervisor::agent::supervise(said)? {
                supervisor::agent::Leftover::Nothing => Exit::Done,
                supervisor::agent::Leftover::Something => Exit::Unreachable,
            }),
        };
    }
    let report = std::io::stdout();
    match args.enter {
        Some(parent) => supervisor::exec_shell(parent, report),
        None => supervisor::supervise(report),
    }
    Ok(Exit::Done)
}
