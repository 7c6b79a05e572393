//! `aside suggest`: the next command, from how the last one ended, for scripts and the curious. Needs no daemon and asks no
//! model: what is on this machine is looked up here. `fix` beside it is the same for a person.

pub mod fix;

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use aside_core::suggest::next::Followed;
use aside_core::suggest::{Ended, Past, Place, Suggestion, suggest};
use serde::{Deserialize, Serialize};

use crate::cli::{Exit, current_dir, own_shell, print};
use crate::daemon::specs::Specs;
use crate::paths::Paths;
use crate::store::{History, Row};
use crate::world::Environment;
use crate::world::here::Here;

/// Bytes of an output that are looked at, at its beginning and at its end.
const MAX_OUTPUT: usize = 256 * 1024;
/// Bytes of a file that is read for it.
const MAX_FILE: u64 = 64 * 1024 * 1024;
/// Commands before the last one that are looked at.
const MAX_PAST: usize = 20;
/// Commands of the history in which habits are looked for.
const MAX_ROWS: usize = 20_000;

/// Print the next command, from how the last one ended
///
/// Nothing is run and nobody is asked. Prints nothing when there is nothing to suggest.
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
    let past = match session_file.as_deref().map(session).transpose() {
        Ok(past) => past.unwrap_or_default(),
        Err(error) => {
            eprintln!("aside: {error:#}");
            return Ok(Exit::Usage);
        }
    };
    let question = Question { command: &command, exit, output: output.as_deref(), past: &past };
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
    Ok(serde_json::to_string(&told)? + "\n")
}

/// A command that ended, and what is known about it.
struct Question<'a> {
    command: &'a str,
    exit: i32,
    output: Option<&'a str>,
    past: &'a [Earlier],
}

impl Question<'_> {
    fn answer(&self, paths: &Paths, place: &Where) -> anyhow::Result<Option<Suggestion>> {
        let cwd = match &place.cwd {
            Some(cwd) => std::path::absolute(cwd)?.display().to_string(),
            None => current_dir()?,
        };
        let shell = place.shell.clone().unwrap_or_else(own_shell);
        let here = Here::new(&cwd, &shell, Environment::own(), Specs::new(paths.specs_dir()).current());
        let mut followed = Followed::new(self.command, self.exit, &cwd);
        for row in rows(paths).iter().rev() {
            let session = row.entry.session.as_deref().unwrap_or_default();
            followed.see(session, row.entry.cwd.as_deref(), &row.entry.command, row.entry.exit);
        }
        let next = followed.next();
        let past: Vec<Past<'_>> = self
            .past
            .iter()
            .rev()
            .take(MAX_PAST)
            .rev()
            .map(|past| Past { command: &past.command, exit: past.exit, output: past.output.as_deref() })
            .collect();
        let ended = Ended { command: self.command, exit: self.exit, output: self.output, previous: &past, next: &next };
        let found = here.place();
        let place = Place {
            cwd: found.cwd,
            dialect: found.dialect,
            world: found.world,
            names: found.names,
            specs: found.specs,
        };
        Ok(suggest(&ended, &place))
    }
}

/// The newest first. A history that cannot be read has no habits in it, and is nobody's business here.
fn rows(paths: &Paths) -> Vec<Row> {
    let Ok(Some(mut history)) = History::open_to_read(&paths.history_db()) else { return Vec::new() };
    history.newest(MAX_ROWS, None).unwrap_or_default()
}

fn session(file: &Path) -> anyhow::Result<Vec<Earlier>> {
    let text = read(file)?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            serde_json::from_str(line).with_context(|| {
                format!("{} wants a JSON object with a command on each line, not {line}", file.display())
            })
        })
        .collect()
}

/// The ends of what was printed, as a terminal would show them.
fn output(file: &Path) -> anyhow::Result<String> {
    let text = read(file)?;
    if text.len() <= 2 * MAX_OUTPUT {
        return Ok(shown(&text));
    }
    let head = &text[..text.floor_char_boundary(MAX_OUTPUT)];
    let tail = &text[text.ceil_char_boundary(text.len() - MAX_OUTPUT)..];
    Ok(format!("{}\n{}", shown(head), shown(tail)))
}

fn read(file: &Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let name = || format!("could not read {}", file.display());
    if file == Path::new("-") {
        std::io::stdin().lock().take(MAX_FILE).read_to_end(&mut bytes).with_context(name)?;
    } else {
        std::fs::File::open(file).and_then(|file| file.take(MAX_FILE).read_to_end(&mut bytes)).with_context(name)?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Without escape sequences, and with what overwrote a line instead of what it overwrote. Programs that move the cursor
/// up are beyond this.
fn shown(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\u{1b}' {
            plain.push(letter);
            continue;
        }
        match letters.next() {
            Some('[') => drop(letters.by_ref().find(|letter| ('@'..='~').contains(letter))),
            Some(']') => {
                while let Some(letter) = letters.next() {
                    if letter == '\u{7}' || letter == '\u{1b}' && letters.next_if_eq(&'\\').is_some() {
                        break;
                    }
                }
            }
            Some(_) | None => {}
        }
    }
    let lines = plain.split('\n').map(|line| {
        let line = line.trim_end_matches('\r');
        line.rsplit('\r').next().unwrap_or(line)
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_looked_at_is_what_a_terminal_shows() {
        assert_eq!(shown("\u{1b}[31mred\u{1b}[0m\r\nplain"), "red\nplain");
        assert_eq!(shown("10 %\r50 %\rdone\n"), "done\n");
        assert_eq!(shown("\u{1b}]0;title\u{7}x\u{1b}]8;;http://y\u{1b}\\link"), "xlink");
        assert_eq!(shown("\u{1b}"), "");
        assert_eq!(shown("\u{1b}]0;never ends"), "");
    }
}
