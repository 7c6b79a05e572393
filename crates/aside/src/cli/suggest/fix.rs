//! `aside fix`: says what to do about a command that failed, and why. Runs nothing.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use aside_commands::shell_names::{ShellNames, builtins};
use aside_core::suggest::Suggestion;
use aside_proto::command_ended::{RecallParams, RecalledCommand, SuggestParams};
use aside_proto::{Reply, Request};
use shell_line::{self as line, Dialect, Syntax};

use crate::cli::suggest::{FinishedCommand, Where, output};
use crate::cli::{Exit, from_home, home, one_line, own_shell, print, terminal};
use crate::client;
use crate::exec;
use crate::paths::Paths;
use crate::store::search::{Outcome, Search};
use crate::store::{History, Row};

/// How many recent commands are searched for the last one that is not ours.
const MAX_LATELY: usize = 20;
/// The status of a shell when there is no such command.
const NOT_FOUND: i32 = 127;
/// Exit status after Ctrl-C, which is no failure.
const INTERRUPTED: i32 = 130;
/// Exit status of a line that bash could not parse; our plugin for fish reports the same.
const UNPARSED: i32 = 2;
/// Timeout for the daemon, which may ask a model.
const PATIENCE: Duration = Duration::from_secs(10);

/// Say what to do about a command that failed
///
/// The command to run is printed, and why. Nothing is run. Without a command, it is the last one of this shell, or of your history.
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
        // Asks the daemon first: it knows this shell's commands, and may have captured the output.
        match of_this_shell(&paths.socket) {
            Some(Last::Unparsed(line)) => {
                complain!("aside: {} did not parse, so nothing of it ran", one_line(&line));
                return Ok(Exit::Failed);
            }
            Some(Last::Failed { failed, fix, shell }) => {
                say_what(&failed.command, failed.exit, Some(&failed.cwd));
                let output = if failed.output.is_some() { Output::Known } else { Output::Unknown };
                return say(fix.as_ref(), output, &shell);
            }
            Some(Last::Well(command)) => return Ok(went_well(&command)),
            None => {}
        }
    }
    let mut shell = place.shell.clone().unwrap_or_else(own_shell);
    let (command, exit) = if command.is_empty() {
        let Some(row) = last(&paths)? else {
            complain!("aside: there is no history yet; say which command failed: aside fix -- make test");
            return Ok(Exit::Failed);
        };
        if exit.is_none() && !row.entry.exit.is_some_and(is_failure) {
            return Ok(went_well(&row.entry.command));
        }
        let code = exit.or(row.entry.exit).unwrap_or(1);
        if place.shell.is_none() {
            shell.clone_from(&row.entry.shell);
        }
        if place.cwd.is_none() {
            place.cwd = row.entry.cwd.map(PathBuf::from);
        }
        say_what(&row.entry.command, code, place.cwd.as_ref().map(|cwd| cwd.display().to_string()).as_deref());
        (row.entry.command, code)
    } else {
        let unsaid = || if is_unknown(&command, &place) { NOT_FOUND } else { 1 };
        let exit = exit.unwrap_or_else(unsaid);
        (command.join(" "), exit)
    };
    let question = FinishedCommand { command: &command, exit, output: output.as_deref(), past: &[] };
    let answer = question.answer(&paths, &place)?.map(|Suggestion { command, reason, .. }| Fix { command, reason });
    say(answer.as_ref(), if output.is_some() { Output::Known } else { Output::Unknown }, &shell)
}

/// The command to run, and the reason.
/// Whether neither PATH nor the shell knows the command's name.
fn is_unknown(command: &[String], place: &Where) -> bool {
    let Some(name) = command.first().and_then(|word| word.split_whitespace().next()) else { return false };
    let shell = place.shell.clone().unwrap_or_else(own_shell);
    let is_plain = name.chars().all(|letter| letter.is_alphanumeric() || "-_.+".contains(letter));
    is_plain && exec::find(name).is_none() && !builtins::has(&ShellNames::default(), Dialect::of(&shell), name)
}

struct Fix {
    command: String,
    reason: String,
}

/// Whether the command's output is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Output {
    Known,
    Unknown,
}

fn say_what(command: &str, exit: i32, cwd: Option<&str>) {
    let place = cwd.map(|cwd| format!(" in {}", one_line(&from_home(cwd, home().as_deref())))).unwrap_or_default();
    complain!("aside: {} ended with {exit}{place}", one_line(command));
}

fn say(fix: Option<&Fix>, output: Output, shell: &str) -> anyhow::Result<Exit> {
    match fix {
        Some(fix) => {
            print(&format!("{}\n", fix.command))?;
            complain!("aside: {}", one_line(&fix.reason));
        }
        None => complain!("aside: no idea what to do about it"),
    }
    // A fix derived from the command line alone needs no output.
    if output == Output::Unknown && fix.is_none() {
        complain!("aside: I did not see what it printed; {}", how_to_see(shell));
    }
    Ok(if fix.is_some() { Exit::Done } else { Exit::Failed })
}

/// What to do so that outputs can be captured.
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

/// How the last command of a shell ended.
enum Last {
    /// With the daemon's suggestion, and the name of the shell: it need not be the login shell.
    Failed { failed: RecalledCommand, fix: Option<Fix>, shell: String },
    /// A line that the shell could not parse.
    Unparsed(String),
    /// Also after Ctrl-C. Empty when the command is not stored.
    Well(String),
}

fn is_failure(exit: i32) -> bool {
    exit != 0 && exit != INTERRUPTED
}

/// Reports success, and does not go back to an older failure.
fn went_well(command: &str) -> Exit {
    match command {
        "" => {
            complain!("aside: the last command is not kept, so I know nothing about it; say it: aside fix -- make test")
        }
        command => complain!("aside: {} did not fail; say which did: aside fix -- make test", one_line(command)),
    }
    Exit::Failed
}

/// The last command of the shell on this terminal. `None` without a daemon, or when it remembers none.
fn of_this_shell(socket: &Path) -> Option<Last> {
    let tty = terminal()?;
    let Reply::Recall(recalled) =
        client::ask(socket, Request::Recall(RecallParams { tty, ..RecallParams::default() })).ok()?
    else {
        return None;
    };
    let failed = recalled.commands.into_iter().rfind(|past| !is_ours(&past.command))?;
    if !is_failure(failed.exit) || failed.command.is_empty() {
        return Some(Last::Well(failed.command));
    }
    let shell = recalled.session.split('-').next().unwrap_or_default().to_owned();
    let dialect = Dialect::of(&shell);
    if failed.exit == UNPARSED && line::syntax(&failed.command, dialect) != Syntax::Whole {
        return Some(Last::Unparsed(failed.command));
    }
    let question = SuggestParams {
        session: recalled.session,
        cwd: failed.cwd.clone(),
        command: failed.command.clone(),
        exit: failed.exit,
        seq: failed.seq,
        wait: true,
        ..SuggestParams::default()
    };
    let fix = match client::ask_with_timeout(socket, Request::Suggest(question), PATIENCE).ok()? {
        Reply::Suggest(found) if !found.command.is_empty() => {
            Some(Fix { command: found.command, reason: found.reason })
        }
        _ => None,
    };
    Some(Last::Failed { failed, fix, shell })
}

/// Ignores our own commands.
fn is_ours(command: &str) -> bool {
    command.trim() == "aside" || command.trim().starts_with("aside ")
}

fn last(paths: &Paths) -> anyhow::Result<Option<Row>> {
    let history = History::open_to_read(&paths.history_db()).context("could not read the history")?;
    let Some(mut history) = history else { return Ok(None) };
    let search = Search { words: Vec::new(), directories: Vec::new(), outcome: Outcome::Any, limit: MAX_LATELY };
    Ok(history.search(&search)?.into_iter().rev().find(|row| !is_ours(&row.entry.command)))
}
