//! `aside complete`: prints the candidates for a line, for scripts and the curious. `why` explains the last suggestion, and `line` serves
//! the keys of bash and fish.

mod candidates;
pub mod line;
pub mod why;

use std::io::IsTerminal;

use aside_proto::{CompleteParams, Reply, Request, WireCandidate};
use serde::Serialize;

use crate::cli::{Exit, current_dir, paint, print};
use crate::client::{self, ClientError};
use crate::paths::Paths;

/// Print the candidates for a command line
#[derive(clap::Args)]
#[command(
    after_help = "In a pipe the columns are separated by tabs: candidate, score, source, facts, description.\nWith nothing to offer it prints nothing, and the exit code is 1."
)]
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
    /// The shell whose language the line is in
    #[arg(long, value_name = "SHELL", value_parser = ["zsh", "bash", "fish"])]
    shell: Option<String>,
    /// The line
    #[arg(last = true, required = true)]
    line: Vec<String>,
}

/// The question, and the candidates as on the wire.
#[derive(Serialize)]
struct Found<'a> {
    line: &'a str,
    /// In characters.
    cursor: usize,
    candidates: &'a [WireCandidate],
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let paths = Paths::from_env()?;
    let line = args.line.join(" ");
    let letters = line.chars().count();
    if let Some(cursor) = args.cursor.filter(|cursor| *cursor > letters) {
        complain!("aside: the line has {letters} characters, so the cursor cannot be at {cursor}");
        return Ok(Exit::Usage);
    }
    let split = args.cursor.and_then(|cursor| line.char_indices().nth(cursor)).map_or(line.len(), |(byte, _)| byte);
    let (left, right) = line.split_at(split);
    let cwd = match args.cwd {
        Some(cwd) => std::path::absolute(cwd)?.display().to_string(),
        None => current_dir()?,
    };
    let asked = CompleteParams {
        session: String::new(),
        cwd,
        left: left.to_owned(),
        right: right.to_owned(),
        shell: args.shell.unwrap_or_default(),
        wait: true,
        ..CompleteParams::default()
    };
    match client::ask(&paths.socket, Request::Complete(asked)) {
        Ok(Reply::Complete(found)) => {
            let found = &found.candidates;
            print(&if args.json {
                let cursor = left.chars().count();
                crate::cli::json_lines(&Found { line: &line, cursor, candidates: found })?
            } else if std::io::stdout().is_terminal() {
                candidates::aligned(found, paint())
            } else {
                candidates::tabbed(found)
            })?;
            Ok(if found.is_empty() { Exit::Failed } else { Exit::Done })
        }
        Ok(other) => Err(ClientError::Garbled(format!("{other:?}")).into()),
        Err(error @ (ClientError::Absent | ClientError::Silent | ClientError::Foreign | ClientError::Impostor)) => {
            complain!("aside: {error}");
            Ok(Exit::Unreachable)
        }
        Err(error @ ClientError::Garbled(_)) => Err(error.into()),
    }
}
