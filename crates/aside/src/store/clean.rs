//! Finds secrets in Aside's existing files, written by an earlier version or before a rule recognized them. Counts them for `aside doctor`
//! and removes them for `aside privacy clean`. `redact` decides what a secret is.

use std::io;
use std::time::Instant;

use aside_core::history::filter::SecretPolicy;
use aside_redact::{redact, secrets};
use aside_task::redact_log;
use rusqlite::{Connection, TransactionBehavior, params};
use serde_json::Value;

use crate::paths::Paths;
use crate::store::History;
use crate::store::interactions::Interactions;
use crate::store::journal::Journal;
use crate::store::jsonl::{Caps, JsonlFile};
use crate::store::marked_commands::MarkedCommands;
use crate::store::reroutes::Reroutes;
use crate::store::task_logs::{self, TaskLogs};

/// Rows of the history between two checks of the deadline.
const ROWS_BETWEEN_LOOKS: usize = 256;

/// When to stop looking; `None` means never.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(pub Option<Instant>);

impl Deadline {
    fn is_over(self) -> bool {
        self.0.is_some_and(|until| Instant::now() >= until)
    }
}

/// What holds secrets. Never the secrets themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SecretsFound {
    /// Commands in the history, newest first, redacted.
    pub commands: Vec<SecretRow>,
    /// Lines of the other files: requests sent, suggestions, reroutes.
    pub lines: usize,
    /// Logs of tasks.
    pub logs: usize,
    /// The deadline came before everything was searched.
    pub is_part: bool,
}

/// A command of the history that holds a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretRow {
    id: i64,
    pub redacted: String,
}

impl SecretsFound {
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty() && self.lines == 0 && self.logs == 0
    }
}

/// Searches everything, newest commands first, and changes nothing. With `SecretPolicy::Keep` the history may hold secrets and is skipped.
pub fn look(paths: &Paths, keeps: SecretPolicy, deadline: Deadline) -> anyhow::Result<SecretsFound> {
    let mut found = SecretsFound::default();
    if keeps != SecretPolicy::Keep
        && let Some(mut history) = History::open_to_read(&paths.history_db())?
    {
        let (commands, is_part) = history.with_secrets(deadline)?;
        (found.commands, found.is_part) = (commands, is_part);
    }
    for lines in files(paths) {
        for file in lines.files() {
            found.is_part |= deadline.is_over();
            if deadline.is_over() {
                return Ok(found);
            }
            let bytes = match std::fs::read(&file) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                read => read?,
            };
            found.lines += bytes.split(|byte| *byte == b'\n').filter(|line| line_without(line).is_some()).count();
        }
    }
    found.lines += MarkedCommands::new(paths).list()?.iter().filter(|mark| !secrets(&mark.line).is_empty()).count();
    let events = TaskLogs::new(task_logs::dir(&paths.state_dir));
    for kept in events.kept()? {
        found.is_part |= deadline.is_over();
        if deadline.is_over() {
            return Ok(found);
        }
        // A log that was just deleted holds nothing.
        found.logs += usize::from(events.read(&kept.id).ok().and_then(|bytes| redact_log::log(&bytes)).is_some());
    }
    Ok(found)
}

/// The files of JSON lines, and damaged task logs that were set aside. `wrong.jsonl` is rewritten by `MarkedCommands`, which maintains its digests.
fn files(paths: &Paths) -> Vec<JsonlFile> {
    let damaged = TaskLogs::new(task_logs::dir(&paths.state_dir)).damaged().into_iter();
    let damaged = damaged.map(|path| JsonlFile::new(path, Caps { bytes: u64::MAX, files: 1 }));
    let known = [
        Journal::new(paths).lines().clone(),
        Interactions::new(paths).lines().clone(),
        Reroutes::new(paths).lines().clone(),
    ];
    known.into_iter().chain(damaged).collect()
}

/// Redacts everything but the history and the logs of tasks; returns the number of lines. The files are locked, since other processes may
/// append meanwhile.
pub fn lines(paths: &Paths) -> io::Result<usize> {
    let mut cleaned = 0;
    for lines in files(paths) {
        cleaned += lines.rewrite(line_without)?;
    }
    Ok(cleaned + MarkedCommands::new(paths).clean()?)
}

/// A line of JSON without its secrets; `None` if it holds none.
fn line_without(line: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(line);
    let Ok(mut value) = serde_json::from_str::<Value>(&text) else {
        // A line truncated by a crash is never read, but may hold a secret, also in a string without its closing quote.
        let has_secret = [&*text].into_iter().chain(text.split('"')).any(|part| !secrets(part).is_empty());
        return has_secret.then(Vec::new);
    };
    let mut changed = false;
    strings(&mut value, &mut |string| {
        if let std::borrow::Cow::Owned(redacted) = redact(string) {
            *string = redacted;
            changed = true;
        }
    });
    changed.then(|| value.to_string().into_bytes())
}

fn strings(value: &mut Value, each: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(string) => each(string),
        Value::Array(values) => values.iter_mut().for_each(|value| strings(value, each)),
        Value::Object(fields) => fields.iter_mut().for_each(|(_, value)| strings(value, each)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

impl History {
    /// Commands with a secret, newest first, and whether the deadline came before the oldest.
    pub fn with_secrets(&mut self, deadline: Deadline) -> anyhow::Result<(Vec<SecretRow>, bool)> {
        self.with(|connection| {
            let mut rows = connection.prepare("SELECT id, command FROM history ORDER BY id DESC")?;
            let mut rows = rows.query([])?;
            let (mut found, mut seen) = (Vec::new(), 0_usize);
            while let Some(row) = rows.next()? {
                seen += 1;
                if seen.is_multiple_of(ROWS_BETWEEN_LOOKS) && deadline.is_over() {
                    return Ok((found, true));
                }
                let Ok(command) = row.get_ref(1)?.as_str() else { continue };
                if let std::borrow::Cow::Owned(redacted) = redact(command) {
                    found.push(SecretRow { id: row.get(0)?, redacted });
                }
            }
            Ok((found, false))
        })
    }

    /// Deletes or redacts the commands with a secret; returns their number. Also erases the bytes from the file and its WAL, since SQLite
    /// would leave them in free pages.
    pub fn clean(&mut self, keeps: SecretPolicy) -> anyhow::Result<usize> {
        // Searched before the lock is taken, so that the daemon can store commands meanwhile.
        let (found, _) = self.with_secrets(Deadline(None))?;
        if found.is_empty() || keeps == SecretPolicy::Keep {
            return Ok(0);
        }
        self.with(|connection| {
            connection.pragma_update(None, "secure_delete", true)?;
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for SecretRow { id, redacted } in &found {
                match keeps {
                    SecretPolicy::Skip => transaction.execute("DELETE FROM history WHERE id = ?", [id])?,
                    SecretPolicy::Redact => {
                        transaction.execute("UPDATE history SET command = ? WHERE id = ?", params![redacted, id])?
                    }
                    SecretPolicy::Keep => 0,
                };
            }
            transaction.commit()?;
            connection.execute_batch("VACUUM")?;
            empty_log(connection)?;
            Ok(())
        })?;
        Ok(found.len())
    }
}

fn empty_log(connection: &Connection) -> anyhow::Result<()> {
    let busy: i64 = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    anyhow::ensure!(busy == 0, "another process reads it at this moment; run it again");
    Ok(())
}
