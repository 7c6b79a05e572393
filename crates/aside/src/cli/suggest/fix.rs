//! `aside fix`: what to do about a command that failed, and why. Runs nothing.

use std::path::PathBuf;

use anyhow::Context;

use crate::cli::suggest::{Question, Where, output};
use crate::cli::{Exit, current_dir, from_home, home, one_line, print};
use crate::paths::Paths;
use crate::store::search::{Outcome, Search};
use crate::store::{History, Row};

/// Failures of the history that are looked at.
const MAX_FAILED: usize = 20;

/// Say what to do about a command that failed
///
/// The command to run is printed, and why. Nothing is run. Without a command, it is the last one of your history that
/// failed, here if there is one.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  aside fix
  make 2>&1 | tee out.txt; aside fix --output-file out.txt -- make")]
pub struct Args {
    /// The status that the command ended with
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(0..))]
    exit: Option<i32>,
    /// A file with what it printed; - for standard input
    #[arg(long, value_name = "F")]
    output_file: Option<PathBuf>,
    #[command(flatten)]
    place: Where,
    /// The command that failed
    #[arg(trailing_var_arg = true, value_name = "COMMAND")]
    command: Vec<String>,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let Args { exit, output_file, mut place, command } = args;
    let paths = Paths::from_env()?;
    let output = output_file.as_deref().map(output).transpose()?;
    let (command, exit, from) = if command.is_empty() {
        let Some(row) = last_failed(&paths)? else {
            eprintln!("aside: no command of your history failed; say which: aside fix -- make test");
            return Ok(Exit::Failed);
        };
        let code = exit.or(row.entry.exit).unwrap_or(1);
        if place.cwd.is_none() {
            place.cwd = row.entry.cwd.map(PathBuf::from);
        }
        (row.entry.command, code, From::History)
    } else {
        (command.join(" "), exit.unwrap_or(1), From::Line)
    };
    let question = Question { command: &command, exit, output: output.as_deref(), past: &[] };
    let answer = question.answer(&paths, &place)?;
    if from == From::History {
        let place = place.cwd.as_deref().map(|cwd| from_home(&cwd.display().to_string(), home().as_deref()));
        let place = place.map(|place| format!(" in {}", one_line(&place))).unwrap_or_default();
        eprintln!("aside: {} ended with {exit}{place}", one_line(&command));
    }
    match &answer {
        Some(answer) => {
            print(&format!("{}\n", answer.command))?;
            eprintln!("aside: {}", one_line(&answer.reason));
        }
        None => eprintln!("aside: no idea what to do about it"),
    }
    if output.is_none() {
        eprintln!("aside: what it printed is not known here; with --output-file it is looked at too");
    }
    Ok(if answer.is_some() { Exit::Done } else { Exit::Failed })
}

/// Where the command comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    Line,
    History,
}

fn last_failed(paths: &Paths) -> anyhow::Result<Option<Row>> {
    let history = History::open_to_read(&paths.history_db()).context("could not read the history")?;
    let Some(mut history) = history else { return Ok(None) };
    for directories in [vec![current_dir()?], Vec::new()] {
        let search = Search { words: Vec::new(), directories, outcome: Outcome::Failed, limit: MAX_FAILED };
        let rows = history.search(&search)?;
        // Ctrl-C is no failure, and we are not asked about ourselves.
        let is_one = |row: &Row| row.entry.exit != Some(130) && !row.entry.command.trim().starts_with("aside ");
        if let Some(row) = rows.into_iter().rev().find(is_one) {
            return Ok(Some(row));
        }
    }
    Ok(None)
}
