//! `aside privacy clean`: removes secrets from what Aside has stored. A running daemon cleans the task logs itself and reads the history
//! again, so that its memory and the files agree.

use std::time::Duration;

use anyhow::Context;
use aside_core::history::filter::SecretPolicy;
use aside_proto::task::{TaskOp, TaskParams};
use aside_proto::{Reply, Request};
use aside_text as text;

use crate::cli::privacy::many;
use crate::cli::{Exit, print};
use crate::client;
use crate::config::Config;
use crate::paths::{self, Paths};
use crate::store::clean::{self, Deadline, SecretRow, SecretsFound};
use crate::store::task_logs::{self, TaskLogs};
use crate::store::{History, Notice};

/// Commands that `--dry-run` shows, redacted, and letters of each.
const MAX_SHOWN: usize = 10;
const MAX_LETTERS: usize = 60;
/// Timeout for the daemon to clean the task logs.
const PATIENCE: Duration = Duration::from_secs(120);

const NOTHING: &str = "no secret found in what is stored\n";
const KEEPS: &str = "commands are left as they are: history.secrets is keep\n";

pub fn run(paths: &Paths, dry_run: bool) -> anyhow::Result<Exit> {
    let config = match Config::load(&paths.config_file) {
        Ok(config) => config,
        Err(problems) => {
            complain!("{problems}");
            return Ok(Exit::Usage);
        }
    };
    let keeps: SecretPolicy = config.history.secrets.into();
    if keeps == SecretPolicy::Keep {
        print(KEEPS)?;
    }
    if dry_run {
        let found = clean::look(paths, keeps, Deadline(None))?;
        print(&told(&found, keeps))?;
        return Ok(Exit::Done);
    }
    paths::leave_to_its_owner(&paths.data_dir)?;
    let commands = history(paths, keeps)?;
    let lines = clean::lines(paths).context("could not clean the logs")?;
    let tasks = match tasks(paths)? {
        Ok(tasks) => tasks,
        Err(exit) => return Ok(exit),
    };
    let mut said = Vec::new();
    if commands > 0 {
        let done = if keeps == SecretPolicy::Redact { "redacted" } else { "removed" };
        said.push(format!("{} of the history {done}", many(commands, "command")));
    }
    if lines > 0 {
        said.push(format!("{}: secrets taken out", many(lines, "other line")));
    }
    said.extend(tasks);
    print(&if said.is_empty() { NOTHING.to_owned() } else { said.join("\n") + "\n" })?;
    Ok(Exit::Done)
}

fn history(paths: &Paths, keeps: SecretPolicy) -> anyhow::Result<usize> {
    if keeps == SecretPolicy::Keep || History::open_to_read(&paths.history_db())?.is_none() {
        return Ok(0);
    }
    let (mut history, notice) = History::open(&paths.history_db())?;
    let cleaned = history.clean(keeps)?;
    if let Some(Notice(text)) = history.notice().cloned().or(notice) {
        complain!("aside: {text}");
    }
    if cleaned > 0 {
        // Tells a running daemon to read the history again; another reads it at its start.
        let _ = client::ask(&paths.socket, Request::Reload);
    }
    Ok(cleaned)
}

/// What was done about the task logs; the inner error when a running daemon failed to do it.
fn tasks(paths: &Paths) -> anyhow::Result<Result<Vec<String>, Exit>> {
    if !client::is_listening(&paths.socket) {
        let events = TaskLogs::new(task_logs::dir(&paths.state_dir));
        return Ok(Ok(task_logs::clean(&events, &[]).context("could not clean the logs of tasks")?.told()));
    }
    let asked = TaskParams { op: TaskOp::Clean, ..TaskParams::default() };
    match client::ask_with_timeout(&paths.socket, Request::Task(Box::new(asked)), PATIENCE) {
        Ok(Reply::Task(tasks)) => Ok(Ok(tasks.lines)),
        Ok(Reply::Error(failure)) => {
            complain!("aside: {}", failure.error.message);
            Ok(Err(Exit::Failed))
        }
        Ok(_) => anyhow::bail!("the daemon does not know how to clean its logs; restart it: aside daemon stop"),
        Err(error) => {
            complain!("aside: {error}");
            Ok(Err(Exit::Unreachable))
        }
    }
}

/// What would be done, with the redacted commands.
fn told(found: &SecretsFound, keeps: SecretPolicy) -> String {
    let SecretsFound { commands, lines, logs, is_part: _ } = found;
    if found.is_empty() {
        return NOTHING.to_owned();
    }
    let mut said = String::new();
    if !commands.is_empty() {
        let done = if keeps == SecretPolicy::Redact { "be redacted" } else { "be removed" };
        said.push_str(&format!("{} of the history would {done}\n", many(commands.len(), "command")));
        for SecretRow { redacted, .. } in commands.iter().take(MAX_SHOWN) {
            said.push_str(&format!("  {}\n", shortened(redacted)));
        }
        if commands.len() > MAX_SHOWN {
            said.push_str(&format!("  and {} more\n", commands.len() - MAX_SHOWN));
        }
    }
    if *lines > 0 {
        said.push_str(&format!("{} would be redacted\n", many(*lines, "other line")));
    }
    if *logs > 0 {
        said.push_str(&format!("{} would be redacted\n", many(*logs, "task log")));
    }
    said
}

fn shortened(redacted: &str) -> String {
    let line = text::clean(redacted.lines().next().unwrap_or_default()).into_owned();
    match line.char_indices().nth(MAX_LETTERS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
