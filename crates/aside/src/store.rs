//! The history on disk: one SQLite file that the daemon and `aside history` may use at once. Stores what it is given:
//! `aside_core::history::filter` decides which commands may be stored.
//!
//! An append is in the file before it returns, so killing the daemon loses nothing that it acknowledged (a power loss may, since there is
//! no fsync). A damaged file is set aside wherever the damage shows, and the call is repeated on a new one: hence `&mut self` throughout.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use aside_core::history::HistoryEntry;
use aside_core::history::filter::MAX_COMMAND;
use rusqlite::{Connection, Statement, ToSql, params};
use serde::Serialize;

use database::{Database, NewIds};
use search::{Search, Stats};

pub mod agent_threads;
mod atuin;
pub mod clean;
mod corruption;
mod database;
pub mod history_files;
mod import;
pub mod interactions;
pub mod journal;
pub mod jsonl;
pub mod marked_commands;
pub mod reroutes;
mod salvage;
pub mod search;
pub mod task_logs;

/// About a gigabyte. The oldest rows are pruned first.
const MAX_ROWS: i64 = 5_000_000;

/// Appends between two checks of the row count.
const APPENDS_BETWEEN_PRUNES: usize = 1000;

/// A longer directory, session, host or shell name is left out of its row. This is the longest possible path.
const MAX_FIELD: usize = 4096;

pub struct History {
    path: PathBuf,
    access: Access,
    /// `None` after the file was lost and no new one could be created; every call tries again.
    database: Option<Database>,
    notice: Option<Notice>,
    appends: usize,
    max_rows: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Write,
    /// Creates, repairs and renames nothing.
    Read,
}

/// Something to tell the user, in whole sentences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice(pub String);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    New(i64),
    /// The shell has sent this record before.
    Known,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Imported {
    pub added: usize,
    pub already_there: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    pub id: i64,
    #[serde(flatten)]
    pub entry: HistoryEntry,
}

/// A row during iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowRef<'row> {
    pub id: i64,
    pub command: &'row str,
    pub cwd: Option<&'row str>,
    pub exit: Option<i32>,
    pub start_ms: Option<i64>,
    pub session: Option<&'row str>,
    /// Whether it ran in a private shell.
    pub private: bool,
}

impl History {
    /// Creates the file and its directory if needed, readable by this user only.
    pub fn open(path: &Path) -> anyhow::Result<(Self, Option<Notice>)> {
        let (database, notice) = Database::open(path, NewIds::FromOne)?;
        let mut history = Self {
            path: path.to_owned(),
            access: Access::Write,
            database: Some(database),
            notice: notice.clone(),
            appends: 0,
            max_rows: MAX_ROWS,
        };
        history.prune()?;
        let notice = history.notice.clone();
        Ok((history, notice))
    }

    /// Returns `None` if there is no history yet.
    pub fn open_to_read(path: &Path) -> anyhow::Result<Option<Self>> {
        let Some(database) = Database::open_to_read(path)? else { return Ok(None) };
        Ok(Some(Self {
            path: path.to_owned(),
            access: Access::Read,
            database: Some(database),
            notice: None,
            appends: 0,
            max_rows: MAX_ROWS,
        }))
    }

    /// Takes the notice for the user about what happened to the file since the last call.
    pub fn take_notice(&mut self) -> Option<Notice> {
        self.notice.take()
    }

    /// The last notice for the user about the file, since it was opened.
    pub fn notice(&self) -> Option<&Notice> {
        self.notice.as_ref()
    }

    /// `seq` numbers the records of a session, so that a record that is sent twice is stored once.
    pub fn append(&mut self, entry: &HistoryEntry, seq: Option<i64>) -> anyhow::Result<Appended> {
        if entry.command.len() > MAX_COMMAND {
            bail!("could not keep a command of {} bytes: the limit is {MAX_COMMAND}", entry.command.len());
        }
        let appended = self.with(|connection| {
            let new = insert(&mut *connection.prepare_cached(INSERT)?, entry, seq, None)?;
            Ok(if new { Appended::New(connection.last_insert_rowid()) } else { Appended::Known })
        })?;
        self.appends += 1;
        if self.appends.is_multiple_of(APPENDS_BETWEEN_PRUNES) {
            self.prune()?;
        }
        Ok(appended)
    }

    /// Adds the entries that are not stored yet, in order, all or none. `progress` receives the number of processed entries.
    pub fn import(&mut self, entries: &[HistoryEntry], progress: &mut dyn FnMut(usize)) -> anyhow::Result<Imported> {
        let imported = self.with(|connection| import::import(connection, entries, progress))?;
        self.prune()?;
        Ok(imported)
    }

    /// The rows that were stored last, newest first, with ids below `before`.
    pub fn newest(&mut self, limit: usize, before: Option<i64>) -> anyhow::Result<Vec<Row>> {
        self.with(|connection| {
            let private = database::private_column(connection)?;
            let sql =
                format!("SELECT {COLUMNS}, {private} AS private FROM history WHERE id < ? ORDER BY id DESC LIMIT ?");
            let mut rows = connection.prepare_cached(&sql)?;
            let mut rows = rows.query(params![before.unwrap_or(i64::MAX), limit as i64])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.extend(read(row)?);
            }
            Ok(found)
        })
    }

    /// Every row with a greater id, ordered by id. A file that replaces a damaged one continues with greater ids, so this finds what was
    /// added whatever happened in between.
    pub fn each_since(&mut self, after_id: i64, mut visit: impl FnMut(RowRef<'_>)) -> anyhow::Result<()> {
        // After damage, what could be saved is read again from where it stopped.
        let mut after = after_id;
        self.with(|connection| {
            let from = after;
            each(connection, "WHERE id > ? ORDER BY id", &[from], &mut |row| {
                after = row.id;
                visit(row);
            })
        })
    }

    /// Every row, oldest first; rows without a time come first. If damage shows on the way, `visit` sees what
    /// could be saved, and a notice is set.
    pub fn each_in_time_order(&mut self, mut visit: impl FnMut(RowRef<'_>)) -> anyhow::Result<()> {
        let mut last = None;
        self.with(|connection| {
            let from = last;
            each(connection, "ORDER BY start, id", &[], &mut |row| {
                let place = Some((row.start_ms, row.id));
                // After damage, what could be saved is read again.
                if place > from {
                    last = place;
                    visit(row);
                }
            })
        })
    }

    pub fn count(&mut self) -> anyhow::Result<usize> {
        self.with(|connection| Ok(count(connection)? as usize))
    }

    pub fn is_empty(&mut self) -> anyhow::Result<bool> {
        self.with(|connection| {
            let any: bool = connection.query_row("SELECT EXISTS (SELECT 1 FROM history)", [], |row| row.get(0))?;
            Ok(!any)
        })
    }

    /// The newest matching rows, oldest of them first.
    pub fn search(&mut self, search: &Search) -> anyhow::Result<Vec<Row>> {
        self.with(|connection| search.run(connection))
    }

    pub fn stats(&mut self) -> anyhow::Result<Stats> {
        self.with(|connection| Stats::gather(connection))
    }

    fn prune(&mut self) -> anyhow::Result<()> {
        let max_rows = self.max_rows;
        self.with(|connection| {
            // Ids are never reused, so their span bounds the number of rows; counting would read them all. (Two subqueries: SQLite finds
            // one end of the table at once, but for both together it reads everything.)
            let span = "SELECT coalesce((SELECT max(id) FROM history) - (SELECT min(id) FROM history) + 1, 0)";
            if connection.query_row(span, [], |row| row.get::<_, i64>(0))? <= max_rows {
                return Ok(());
            }
            let excess = count(connection)? - max_rows;
            if excess > 0 {
                let oldest = "DELETE FROM history WHERE id IN (SELECT id FROM history ORDER BY start, id LIMIT ?)";
                connection.execute(oldest, [excess])?;
            }
            Ok(())
        })
    }

    /// Every use of the file goes through here.
    fn with<T>(&mut self, mut act: impl FnMut(&mut Connection) -> anyhow::Result<T>) -> anyhow::Result<T> {
        let path = self.path.display().to_string();
        self.follow_the_file()?;
        let Some(database) = &mut self.database else { bail!("could not open {path}") };
        let error = match act(&mut database.connection) {
            Err(error) if corruption::is_corruption(&error) => error,
            // SQLite opens a file that cannot be written at that moment for reading, and the connection stays so. It has to be closed first:
            // connections of one process share what SQLite knows of the file.
            Err(error) if self.access == Access::Write && database::is_read_only(&error) => {
                if let Some(database) = self.database.take() {
                    database.abandon();
                }
                self.follow_the_file()?;
                let Some(database) = &mut self.database else { return Err(error) };
                return act(&mut database.connection).with_context(|| format!("could not use {path}"));
            }
            outcome => return outcome.with_context(|| format!("could not use {path}")),
        };
        if self.access == Access::Read {
            return Err(error.context(format!(
                "{path} is damaged; `aside history import` or the daemon will set it aside and begin a new one"
            )));
        }
        let Some(damaged) = self.database.take() else { bail!("could not open {path}") };
        let (database, notice) = damaged.begin_anew(&self.path)?;
        self.notice = notice.or(self.notice.take());
        let database = self.database.insert(database);
        act(&mut database.connection).with_context(|| format!("could not use {path}"))
    }

    /// Another process may have set the file aside, or the user removed it: a record written to the old one would be lost, so this checks
    /// before each use. It costs two microseconds.
    fn follow_the_file(&mut self) -> anyhow::Result<()> {
        let current = self.database.as_ref().is_some_and(|database| database.is_still_at(&self.path));
        if self.access == Access::Read || current {
            return Ok(());
        }
        if let Some(database) = self.database.take() {
            database.abandon();
        }
        let (database, notice) = Database::open(&self.path, NewIds::Unseen)?;
        self.database = Some(database);
        self.notice = notice.or(self.notice.take());
        Ok(())
    }
}

/// In the order in which `read` takes them.
const COLUMNS: &str = "id, command, cwd, exit, start, duration, session, shell, host";

const INSERT: &str = "INSERT INTO history (command, cwd, exit, start, duration, session, shell, host, seq, private) \
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (session, seq) WHERE seq IS NOT NULL DO NOTHING";

/// With the id that the row had in another file.
const INSERT_KNOWN: &str = "INSERT OR IGNORE INTO history (command, cwd, exit, start, duration, session, shell, host, seq, private, id) \
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/// Returns `false` if the record is stored already. The id is for `INSERT_KNOWN`.
fn insert(
    statement: &mut Statement<'_>,
    entry: &HistoryEntry,
    seq: Option<i64>,
    id: Option<i64>,
) -> rusqlite::Result<bool> {
    let values: [&dyn ToSql; 10] = [
        &entry.command,
        &short(&entry.cwd),
        &entry.exit,
        &entry.start_ms,
        &entry.duration_ms,
        &short(&entry.session),
        &Some(entry.shell.as_str()).filter(|shell| shell.len() <= MAX_FIELD).unwrap_or_default(),
        &short(&entry.host),
        &seq,
        // NULL if it is not private, as in a file of an older version.
        &entry.private.then_some(1),
    ];
    let values = values.into_iter().chain(id.as_ref().map(|id| id as &dyn ToSql));
    // Not RETURNING: a statement that is dropped after its first row commits without reporting errors, and this one is an acknowledgement.
    Ok(statement.execute(rusqlite::params_from_iter(values))? > 0)
}

fn short(field: &Option<String>) -> Option<&str> {
    field.as_deref().filter(|field| field.len() <= MAX_FIELD)
}

fn count(connection: &Connection) -> anyhow::Result<i64> {
    Ok(connection.query_row("SELECT count(*) FROM history", [], |row| row.get(0))?)
}

fn each(connection: &Connection, which: &str, params: &[i64], visit: &mut dyn FnMut(RowRef<'_>)) -> anyhow::Result<()> {
    let private = database::private_column(connection)?;
    let sql = format!("SELECT id, command, cwd, exit, start, session, {private} FROM history {which}");
    let mut rows = connection.prepare(&sql)?;
    let mut rows = rows.query(rusqlite::params_from_iter(params))?;
    while let Some(row) = rows.next()? {
        // Skips a row that damage made unreadable without SQLite noticing.
        let Ok(command) = row.get_ref(1)?.as_str() else { continue };
        visit(RowRef {
            id: row.get(0)?,
            command,
            cwd: row.get_ref(2)?.as_str().ok(),
            exit: row.get_ref(3)?.as_i64().ok().and_then(|exit| exit.try_into().ok()),
            start_ms: row.get_ref(4)?.as_i64().ok(),
            session: row.get_ref(5)?.as_str().ok(),
            private: is_private(row.get_ref(6)?),
        });
    }
    Ok(())
}

/// NULL in rows of an older version. A damaged value still counts as private.
fn is_private(value: rusqlite::types::ValueRef<'_>) -> bool {
    !matches!(value, rusqlite::types::ValueRef::Null | rusqlite::types::ValueRef::Integer(0))
}

/// Returns `None` for a row that damage made unreadable without SQLite noticing.
fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Option<Row>> {
    let text = |index| -> rusqlite::Result<Option<String>> { Ok(row.get_ref(index)?.as_str().ok().map(str::to_owned)) };
    let number = |index| -> rusqlite::Result<Option<i64>> { Ok(row.get_ref(index)?.as_i64().ok()) };
    let (Some(command), Some(shell)) = (text(1)?, text(7)?) else { return Ok(None) };
    let entry = HistoryEntry {
        command,
        cwd: text(2)?,
        exit: number(3)?.and_then(|exit| exit.try_into().ok()),
        start_ms: number(4)?,
        duration_ms: number(5)?,
        session: text(6)?,
        shell,
        host: text(8)?,
        // Not every query selects it.
        private: row.get_ref("private").is_ok_and(is_private),
    };
    Ok(Some(Row { id: row.get(0)?, entry }))
}

#[cfg(test)]
mod tests;
