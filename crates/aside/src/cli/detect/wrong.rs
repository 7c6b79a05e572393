//! `aside detect wrong`: marks a line that was wrongly taken for prose. Goes through the daemon when it runs, since that knows the last
//! line of each shell; otherwise writes the file itself.

use aside_core::detect::has_agent_prefix;
use aside_proto::prose::WrongParams;
use aside_proto::{Reply, Request};
use aside_redact::REDACTED;

use crate::cli::{Exit, local_time, one_line, print, refuse_commands};
use crate::client::{self, ClientError};
use crate::config::Config;
use crate::daemon::control;
use crate::paths::Paths;
use crate::store::marked_commands::{MarkedCommand, MarkedCommands};
use crate::store::reroutes::Reroutes;
use crate::world::ancestors::{Process, ancestors};

/// Say that a line was no sentence: it goes to the shell from now on
///
/// The last line of this shell that was taken for a sentence is meant when none is named.
#[derive(clap::Args)]
pub struct Args {
    /// Take it back: the line may be taken for a sentence again
    #[arg(long, conflicts_with = "list")]
    undo: bool,
    /// List the lines that were marked
    #[arg(long)]
    list: bool,
    /// Print JSON
    #[arg(long, requires = "list")]
    json: bool,
    /// The line, in as many words as you like
    #[arg(trailing_var_arg = true, conflicts_with = "list")]
    line: Vec<String>,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let paths = Paths::from_env()?;
    let marks = MarkedCommands::new(&paths);
    let line = args.line.join(" ").trim().to_owned();
    if !args.line.is_empty() && line.is_empty() {
        complain!("aside: say which line: aside detect wrong -- LINE");
        return Ok(Exit::Usage);
    }
    if !args.list {
        refuse_commands("say which lines are meant for the shell")?;
    }
    match (args.list, args.undo) {
        (true, _) => list(&marks, args.json),
        (false, true) => undo(&marks, &line),
        (false, false) => mark(&paths, &marks, &line),
    }
}

fn mark(paths: &Paths, marks: &MarkedCommands, line: &str) -> anyhow::Result<Exit> {
    let config = Config::load(&paths.config_file).unwrap_or_default();
    if has_agent_prefix(line, &config.detect.agent_prefix) {
        complain!("aside: what begins with {} is always a sentence (detect.agent_prefix)", config.detect.agent_prefix);
        return Ok(Exit::Failed);
    }
    let session = if line.is_empty() { session(paths) } else { String::new() };
    let asked = WrongParams { session: session.clone(), line: line.to_owned() };
    let refused = match client::ask(&paths.socket, Request::Wrong(asked)) {
        Ok(Reply::Ok) => None,
        Ok(Reply::Error(failure)) => Some(failure.error.message),
        // The daemon is absent, of an older version, or hangs: writes the file, which is authoritative.
        Ok(_)
        | Err(
            ClientError::Absent
            | ClientError::Silent
            | ClientError::Foreign
            | ClientError::Impostor
            | ClientError::Garbled(_),
        ) => here(paths, marks, &session, line)?,
    };
    match refused {
        Some(why) => {
            complain!("aside: {why}");
            Ok(Exit::Failed)
        }
        None => {
            // Prints the newest mark, whether the daemon or this process wrote it.
            let line = marks.list()?.pop().map(|mark| mark.line).unwrap_or_default();
            print(&format!(
                "marked: {}\nIt goes to the shell from now on; --undo takes that back.\n",
                one_line(&line)
            ))?;
            Ok(Exit::Done)
        }
    }
}

/// Without a daemon. Returns the reason if nothing could be marked.
fn here(paths: &Paths, marks: &MarkedCommands, session: &str, line: &str) -> anyhow::Result<Option<String>> {
    let last = if line.is_empty() { Reroutes::new(paths).last(session)? } else { Some(line.to_owned()) };
    Ok(match last {
        None => Some("no line was taken for a sentence yet".to_owned()),
        Some(last) if line.is_empty() && last.contains(REDACTED) => {
            Some("the secrets of that line were not kept; say which: aside detect wrong -- LINE".to_owned())
        }
        Some(last) => {
            marks.mark(&last)?;
            None
        }
    })
}

/// A running daemon notices the change of the file.
fn undo(marks: &MarkedCommands, line: &str) -> anyhow::Result<Exit> {
    match marks.unmark(Some(line).filter(|line| !line.is_empty()))? {
        Some(MarkedCommand { line, .. }) => {
            print(&format!("no longer marked: {}\nIt may be taken for a sentence again.\n", one_line(&line)))?;
            Ok(Exit::Done)
        }
        None if line.is_empty() => {
            complain!("aside: no line is marked");
            Ok(Exit::Failed)
        }
        None => {
            complain!("aside: that line is not marked; `aside detect wrong --list` shows those that are");
            Ok(Exit::Failed)
        }
    }
}

fn list(marks: &MarkedCommands, json: bool) -> anyhow::Result<Exit> {
    let all = marks.list()?;
    let mut text = String::new();
    for mark in &all {
        text.push_str(&if json {
            crate::cli::json_line(mark)?
        } else {
            format!("{}  {}\n", local_time(&mark.ts), one_line(&mark.line))
        });
    }
    if all.is_empty() && !json {
        text.push_str("No line is marked.\n");
    }
    print(&text)?;
    Ok(Exit::Done)
}

/// The session of the shell above this process, as the log names it; empty when none is known.
fn session(paths: &Paths) -> String {
    if let Some(named) = std::env::var("ASIDE_SESSION").ok().filter(|named| !named.is_empty()) {
        return named;
    }
    let greeted = control::status(paths).map(|status| status.sessions).unwrap_or_default();
    let noted = Reroutes::new(paths).read().unwrap_or_default();
    let heard = greeted.iter().map(|session| session.session.as_str());
    let heard: Vec<&str> = heard.chain(noted.iter().rev().map(|noted| noted.rerouted.session.as_str())).collect();
    above_us(&ancestors(), &heard).unwrap_or_default().to_owned()
}

/// A session is named after its shell and that shell's pid: `zsh-4711-1760000000`. The nearest ancestor counts.
fn above_us<'a>(ancestors: &[Process], heard: &[&'a str]) -> Option<&'a str> {
    ancestors.iter().find_map(|Process { pid, name }| {
        let name = name.trim_start_matches('-');
        heard.iter().copied().find(|session| {
            let mut parts = session.splitn(3, '-');
            let shell = parts.next().unwrap_or_default();
            parts.next().is_some_and(|number| number.parse() == Ok(*pid)) && (name.is_empty() || name == shell)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_that_of_the_nearest_shell() {
        let process = |pid, name: &str| Process { pid, name: name.to_owned() };
        let ancestors = [process(50, "make"), process(42, "-zsh"), process(7, "bash"), process(1, "init")];
        let above = |heard: &[&'static str]| above_us(&ancestors, heard);
        assert_eq!(above(&["bash-7-1", "zsh-42-2", "zsh-42-1"]), Some("zsh-42-2"));
        assert_eq!(above(&["bash-7-1", "zsh-4-2"]), Some("bash-7-1"));
        assert_eq!(above(&["bash-42-1", "zsh-7-2", "", "make", "fish-1"]), None);
    }
}
