//! `aside fix`: what to do about a command that failed, and why. Runs nothing.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use aside_core::proto::ended::{Past, Recall, Suggest};
use aside_core::proto::{Reply, Request};
use aside_core::suggest::Suggestion;

use crate::cli::suggest::{Question, Where, output};
use crate::cli::{Exit, current_dir, from_home, home, one_line, own_shell, print, terminal};
use crate::client;
use crate::paths::Paths;
use crate::store::search::{Outcome, Search};
use crate::store::{History, Row};

/// Failures of the history that are looked at.
const MAX_FAILED: usize = 20;
/// How Ctrl-C ends a command, which is no failure.
const INTERRUPTED: i32 = 130;
/// How long the daemon may think, with a model perhaps.
const PATIENCE: Duration = Duration::from_secs(10);

/// Say what to do about a command that failed
///
/// The command to run is printed, and why. Nothing is run. Without a command, it is the last one of this shell that failed,
/// or of your history, here if there is one.
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
    if command.is_empty() && output.is_none() && exit.is_none() && place.cwd.is_none() {
        // What this shell ran the daemon knows best: it may have seen what was printed.
        if let Some((failed, found)) = of_this_shell(&paths.socket) {
            say_what(&failed.command, failed.exit, Some(&failed.cwd));
            return say(found.as_ref(), if failed.output.is_some() { Output::Known } else { Output::Unknown });
        }
    }
    let (command, exit) = if command.is_empty() {
        let Some(row) = last_failed(&paths)? else {
            complain!("aside: no command of your history failed; say which: aside fix -- make test");
            return Ok(Exit::Failed);
        };
        let code = exit.or(row.entry.exit).unwrap_or(1);
        if place.cwd.is_none() {
            place.cwd = row.entry.cwd.map(PathBuf::from);
        }
        say_what(&row.entry.command, code, place.cwd.as_ref().map(|cwd| cwd.display().to_string()).as_deref());
        (row.entry.command, code)
    } else {
        (command.join(" "), exit.unwrap_or(1))
    };
    let question = Question { command: &command, exit, output: output.as_deref(), past: &[] };
    let answer = question.answer(&paths, &place)?.map(|Suggestion { command, reason, .. }| Fix { command, reason });
    say(answer.as_ref(), if output.is_some() { Output::Known } else { Output::Unknown })
}

/// What to do, and why.
struct Fix {
    command: String,
    reason: String,
}

/// Whether anybody saw what the command printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Output {
    Known,
    Unknown,
}

fn say_what(command: &str, exit: i32, cwd: Option<&str>) {
    let place = cwd.map(|cwd| format!(" in {}", one_line(&from_home(cwd, home().as_deref())))).unwrap_or_default();
    complain!("aside: {} ended with {exit}{place}", one_line(command));
}

fn say(fix: Option<&Fix>, output: Output) -> anyhow::Result<Exit> {
    match fix {
        Some(fix) => {
            print(&format!("{}\n", fix.command))?;
            complain!("aside: {}", one_line(&fix.reason));
        }
        None => complain!("aside: no idea what to do about it"),
    }
    // What was found from the line alone needs nothing else.
    if output == Output::Unknown && fix.is_none() {
        complain!("aside: I did not see what it printed; {}", how_to_see(&own_shell()));
    }
    Ok(if fix.is_some() { Exit::Done } else { Exit::Failed })
}

/// One thing to do about an output that is not seen.
fn how_to_see(shell: &str) -> String {
    match std::env::var_os("TMUX") {
        Some(_) => "`aside doctor` says why, and --output-file shows it to me".to_owned(),
        None => {
            let line = match shell {
                "fish" => "aside init fish --proxy | source".to_owned(),
                shell => format!("eval \"$(aside init {shell} --proxy)\""),
            };
            format!(
                "in tmux I would, or with `{line}` in your rc file (`aside help capture`); --output-file shows it now"
            )
        }
    }
}

/// The last failure of the shell on this terminal, and what the daemon would do about it. Nothing when there is no daemon, or
/// none that it remembers.
fn of_this_shell(socket: &Path) -> Option<(Past, Option<Fix>)> {
    let tty = terminal()?;
    let Reply::Recall(recalled) = client::ask(socket, Request::Recall(Recall { tty, ..Recall::default() })).ok()?
    else {
        return None;
    };
    let has_failed = |past: &Past| past.exit != 0 && past.exit != INTERRUPTED && !is_ours(&past.command);
    let failed = recalled.commands.into_iter().rfind(has_failed)?;
    let question = Suggest {
        session: recalled.session,
        cwd: failed.cwd.clone(),
        command: failed.command.clone(),
        exit: failed.exit,
        seq: failed.seq,
        wait: true,
        ..Suggest::default()
    };
    let found = match client::ask_patiently(socket, Request::Suggest(question), PATIENCE).ok()? {
        Reply::Suggest(found) if !found.command.is_empty() => {
            Some(Fix { command: found.command, reason: found.reason })
        }
        _ => None,
    };
    Some((failed, found))
}

/// We are not asked about ourselves.
fn is_ours(command: &str) -> bool {
    command.trim() == "aside" || command.trim().starts_with("aside ")
}

fn last_failed(paths: &Paths) -> anyhow::Result<Option<Row>> {
    let history = History::open_to_read(&paths.history_db()).context("could not read the history")?;
    let Some(mut history) = history else { return Ok(None) };
    for directories in [vec![current_dir()?], Vec::new()] {
        let search = Search { words: Vec::new(), directories, outcome: Outcome::Failed, limit: MAX_FAILED };
        let rows = history.search(&search)?;
        let is_one = |row: &Row| row.entry.exit != Some(INTERRUPTED) && !is_ours(&row.entry.command);
        if let Some(row) = rows.into_iter().rev().find(is_one) {
            return Ok(Some(row));
        }
    }
    Ok(None)
}
