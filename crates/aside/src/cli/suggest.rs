//! `aside suggest`: the next command, from how the last one ended, for scripts and the curious. Needs no daemon and asks no model: looks up
//! this machine's state itself. `fix` does the same for users.

pub mod fix;

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use aside_core::history::index::{HistoryIndex, HistoryIndexBuilder};
use aside_core::history::run_record::RunRecord;
use aside_core::suggest::{EarlierRun, EndedRun, Follower, SuggestContext, Suggestion, suggest};
use aside_text::screen::CommandOutput;
use aside_translate::check::blocked;
use serde::{Deserialize, Serialize};

use crate::cli::{Exit, current_dir, own_shell, print};
use crate::config::Config;
use crate::daemon::user_specs::UserSpecs;
use crate::paths::Paths;
use crate::store::{History, Row};
use crate::world::Environment;
use crate::world::one_shot::OneShot;

/// Cap on the output file, in bytes.
const MAX_FILE: u64 = 64 * 1024 * 1024;
/// How many earlier commands are considered.
const MAX_PAST: usize = 20;
/// How many commands of the history are searched for habits.
const MAX_ROWS: usize = 20_000;

/// Print the next command, from how the last one ended
///
/// Nothing is run, and no model is asked. Prints nothing when there is nothing to suggest.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  git push 2>&1 | tee out.txt; aside suggest --exit 128 --output-file out.txt -- git push
  aside suggest --json --exit 127 -- gti status

The file of --session-file has a JSON object for each command before the last one, the oldest first:
  {\"command\": \"git status\", \"exit\": 0, \"output\": \"both modified: a.txt\"}")]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// The status that the command ended with
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(0..))]
    exit: i32,
    /// A file with what it printed; - for standard input
    #[arg(long, value_name = "F")]
    output_file: Option<PathBuf>,
    /// A file with the commands before it, and what they printed
    #[arg(long, value_name = "S")]
    session_file: Option<PathBuf>,
    #[command(flatten)]
    place: Where,
    /// The command that has ended
    #[arg(required = true, trailing_var_arg = true, value_name = "LAST_COMMAND")]
    command: Vec<String>,
}

#[derive(clap::Args)]
struct Where {
    /// The shell that it was typed in; yours when absent
    #[arg(long, value_name = "SHELL", value_parser = ["zsh", "bash", "fish"])]
    shell: Option<String>,
    /// The directory it ran in; this one when absent
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
}

#[derive(Serialize)]
struct Told<'a> {
    suggestion: &'a str,
    source: &'a str,
    reason: &'a str,
    confidence: f32,
}

/// One line of a session file.
#[derive(Deserialize)]
struct Earlier {
    command: String,
    exit: Option<i32>,
    output: Option<String>,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let Args { json, exit, output_file, session_file, place, command } = args;
    let command = command.join(" ");
    let output = output_file.as_deref().map(output).transpose()?;
    let session_bytes = session_file.as_deref().map(read).transpose()?.unwrap_or_default();
    let past = match session(session_file.as_deref().unwrap_or(Path::new("-")), &session_bytes) {
        Ok(past) => past,
        Err(error) => {
            complain!("aside: {error:#}");
            return Ok(Exit::Usage);
        }
    };
    let question = FinishedCommand { command: &command, exit, output: output.as_deref(), past: &past };
    let answer = question.answer(&Paths::from_env()?, &place)?;
    let text = match (json, answer) {
        (true, answer) => told(answer.as_ref())?,
        (false, Some(answer)) => format!("{}\n", answer.command),
        (false, None) => String::new(),
    };
    print(&text)?;
    Ok(Exit::Done)
}

fn told(answer: Option<&Suggestion>) -> anyhow::Result<String> {
    let told = match answer {
        Some(answer) => Told {
            suggestion: &answer.command,
            source: answer.source.name(),
            reason: &answer.reason,
            confidence: answer.confidence,
        },
        None => Told { suggestion: "", source: "", reason: "", confidence: 0.0 },
    };
    crate::cli::json_line(&told)
}

/// A finished command, and what is known about it.
struct FinishedCommand<'a> {
    command: &'a str,
    exit: i32,
    output: Option<&'a str>,
    past: &'a [Earlier],
}

impl FinishedCommand<'_> {
    fn answer(&self, paths: &Paths, place: &Where) -> anyhow::Result<Option<Suggestion>> {
        let cwd = match &place.cwd {
            Some(cwd) => std::path::absolute(cwd)?.display().to_string(),
            None => current_dir()?,
        };
        let shell = place.shell.clone().unwrap_or_else(own_shell);
        let here = OneShot::new(&cwd, &shell, Environment::own(), UserSpecs::read(paths.specs_dir()).current());
        let habits = habits(paths);
        let next = habits.next(self.command.trim(), self.exit, &cwd).into_iter();
        let next: Vec<Follower<'_>> =
            next.map(|(command, here, anywhere)| Follower { command, here, anywhere }).collect();
        let past: Vec<EarlierRun<'_>> = self
            .past
            .iter()
            .rev()
            .take(MAX_PAST)
            .rev()
            .map(|past| EarlierRun { command: &past.command, exit: past.exit, output: past.output.as_deref() })
            .collect();
        let ended =
            EndedRun { command: self.command, exit: self.exit, output: self.output, previous: &past, next: &next };
        let found = here.place();
        let place = SuggestContext {
            cwd: found.cwd,
            dialect: found.dialect,
            world: found.world,
            names: found.names,
            specs: found.specs,
        };
        // Settings that cannot be read have no blocklist that could be kept; `aside doctor` tells of them.
        let blocklist = Config::load(&paths.config_file).map(|config| config.security.command_blocklist);
        let blocklist = blocklist.unwrap_or_default();
        Ok(suggest(&ended, &place).filter(|found| blocked(&found.command, place.dialect, &blocklist).is_none()))
    }
}

/// Habits from recent commands. Ignores a history that cannot be read.
fn habits(paths: &Paths) -> HistoryIndex {
    let mut builder = HistoryIndexBuilder::default();
    if let Ok(Some(mut history)) = History::open_to_read(&paths.history_db()) {
        for Row { entry, .. } in history.newest(MAX_ROWS, None).unwrap_or_default().iter().rev() {
            let (cwd, session) = (entry.cwd.as_deref(), entry.session.as_deref());
            builder.add(RunRecord { command: &entry.command, cwd, exit: entry.exit, session, private: entry.private });
        }
    }
    builder.finish()
}

fn session(file: &Path, bytes: &[u8]) -> anyhow::Result<Vec<Earlier>> {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            serde_json::from_str(line).with_context(|| {
                format!("{} wants a JSON object with a command on each line, not {line}", file.display())
            })
        })
        .collect()
}

/// Head and tail of the output, as a terminal would show them.
fn output(file: &Path) -> anyhow::Result<String> {
    Ok(CommandOutput::of_file(&read(file)?).shown())
}

fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let name = || format!("could not read {}", file.display());
    if file == Path::new("-") {
        std::io::stdin().lock().take(MAX_FILE).read_to_end(&mut bytes).with_context(name)?;
    } else {
        std::fs::File::open(file).and_then(|file| file.take(MAX_FILE).read_to_end(&mut bytes)).with_context(name)?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn shown(text: &str) -> String {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        output(file.path()).unwrap()
    }

    #[test]
    fn what_is_looked_at_is_what_a_terminal_shows() {
        assert_eq!(shown("\u{1b}[31mred\u{1b}[0m\r\nplain"), "red\nplain");
        assert_eq!(shown("10 %\r50 %\rdone\n"), "done");
        assert_eq!(shown("one\n\ttwo\n"), "one\n\ttwo");
        assert_eq!(shown("pulling\npulling\n\u{1b}[2A\u{1b}[Kpulled\n\u{1b}[Kfailed\n"), "pulled\nfailed");
        assert_eq!(shown("\u{1b}]0;title\u{7}x\u{1b}]8;;http://y\u{1b}\\link"), "xlink");
        assert_eq!(shown("\u{1b}"), "");
        assert_eq!(shown("\u{1b}]0;never ends"), "");
    }

    #[test]
    fn a_long_file_is_looked_at_from_both_ends() {
        let lines: String = (0..1_000_000).map(|number| format!("{number}\n")).collect();
        let shown = shown(&lines);
        assert!(shown.starts_with("0\n1\n") && shown.ends_with("\n999999"), "{shown}");
        assert!(shown.len() < 32 * 1024);
    }
}
