//! `aside complete`: the candidates for a line, for scripts and the curious.

use aside_core::proto::{Candidate, Complete, Reply, Request};

use crate::cli::{Exit, print};
use crate::client::{self, ClientError};
use crate::paths::Paths;

/// Print the candidates for a command line
#[derive(clap::Args)]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// The directory the line is typed in; this one when absent
    #[arg(long, value_name = "DIR")]
    cwd: Option<String>,
    /// Where the cursor is, in characters; the end when absent
    #[arg(long, value_name = "N")]
    cursor: Option<usize>,
    /// The line
    #[arg(last = true, required = true)]
    line: Vec<String>,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let paths = Paths::from_env()?;
    let line = args.line.join(" ");
    let split = args.cursor.and_then(|cursor| line.char_indices().nth(cursor)).map_or(line.len(), |(byte, _)| byte);
    let (left, right) = line.split_at(split);
    let cwd = match args.cwd {
        Some(cwd) => std::path::absolute(cwd)?.display().to_string(),
        None => std::env::current_dir()?.display().to_string(),
    };
    let asked = Complete { session: String::new(), cwd, left: left.to_owned(), right: right.to_owned() };
    match client::ask(&paths.socket, Request::Complete(asked)) {
        Ok(Reply::Complete(found)) => {
            if args.json {
                print(&format!("{}\n", serde_json::to_string_pretty(&found)?))?;
            } else {
                let line = |candidate: &Candidate| {
                    let Candidate { completion, cursor_pos: _, source, facts } = candidate;
                    format!("{completion}\t{source}\t{facts}\n")
                };
                print(&found.candidates.iter().map(line).collect::<String>())?;
            }
            Ok(if found.candidates.is_empty() { Exit::Failed } else { Exit::Done })
        }
        Ok(other) => Err(ClientError::Garbled(format!("{other:?}")).into()),
        Err(error @ (ClientError::Absent | ClientError::Silent | ClientError::Foreign)) => {
            eprintln!("aside: {error}");
            Ok(Exit::Unreachable)
        }
        Err(error @ ClientError::Garbled(_)) => Err(error.into()),
    }
}
