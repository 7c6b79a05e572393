//! Reads atuin's database, strictly read-only: repairing a damaged one is up to atuin.

use std::path::Path;

use anyhow::{Context, bail};
use aside_core::history::HistoryEntry;
use aside_core::history::import::ParsedHistory;
use rusqlite::{Connection, OpenFlags, Row};

/// The shell of rows without one: older versions of atuin did not record it.
const UNKNOWN_SHELL: &str = "atuin";

const NEEDED: [&str; 2] = ["command", "timestamp"];
const WELCOME: [&str; 7] = ["duration", "exit", "cwd", "session", "hostname", "shell", "deleted_at"];

pub fn read(path: &Path) -> anyhow::Result<ParsedHistory> {
    read_history(path).with_context(|| format!("could not read {} as atuin's database", path.display()))
}

fn read_history(path: &Path) -> anyhow::Result<ParsedHistory> {
    let connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    let there = columns(&connection)?;
    if there.is_empty() {
        bail!("it has no table `history`; give atuin's own file, usually ~/.local/share/atuin/history.db");
    }
    if let Some(missing) = NEEDED.iter().find(|name| !there.iter().any(|column| column == *name)) {
        bail!("its table `history` has no column `{missing}`; this version of atuin is unknown to Aside");
    }
    // The columns differ between atuin's versions.
    let value =
        |name: &&str| if there.iter().any(|column| column == name) { (*name).to_owned() } else { "NULL".to_owned() };
    let [duration, exit, cwd, session, hostname, shell, deleted_at] = WELCOME.each_ref().map(value);
    // Some versions declare the times as text, which SQLite then stores as text.
    let sql = format!(
        "SELECT command, CAST(timestamp AS INTEGER), CAST({duration} AS INTEGER), {exit}, {cwd}, {session}, {hostname}, \
         {shell} FROM history WHERE {deleted_at} IS NULL ORDER BY 2"
    );
    let mut rows = connection.prepare(&sql)?;
    let mut rows = rows.query([])?;
    let mut parsed = ParsedHistory::default();
    while let Some(row) = rows.next()? {
        match entry(row)? {
            Some(entry) => parsed.entries.push(entry),
            None => parsed.skipped += 1,
        }
    }
    Ok(parsed)
}

fn columns(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut names = connection.prepare("SELECT name FROM pragma_table_info('history')")?;
    let names = names.query_map([], |row| row.get(0))?;
    names.collect()
}

/// atuin writes -1 for an unknown exit code or duration, and `unknown` for a directory.
fn entry(row: &Row<'_>) -> rusqlite::Result<Option<HistoryEntry>> {
    let text = |index| -> rusqlite::Result<Option<&str>> { Ok(row.get_ref(index)?.as_str().ok()) };
    let number = |index| -> rusqlite::Result<Option<i64>> { Ok(row.get_ref(index)?.as_i64().ok()) };
    let milliseconds = |nanoseconds: i64| nanoseconds / 1_000_000;
    let Some(command) = text(0)?.filter(|command| !command.contains('\0')) else { return Ok(None) };
    let owned = |text: &str| text.to_owned();
    Ok(Some(HistoryEntry {
        command: command.to_owned(),
        cwd: text(4)?.filter(|cwd| cwd.starts_with('/')).map(owned),
        exit: number(3)?.filter(|exit| *exit >= 0).and_then(|exit| exit.try_into().ok()),
        start_ms: number(1)?.filter(|start| *start > 0).map(milliseconds),
        duration_ms: number(2)?.filter(|duration| *duration >= 0).map(milliseconds),
        session: text(5)?.map(owned),
        shell: text(7)?.filter(|shell| !shell.is_empty()).unwrap_or(UNKNOWN_SHELL).to_owned(),
        // `host:user`.
        host: text(6)?.map(|name| name.split(':').next().unwrap_or(name)).filter(|host| !host.is_empty()).map(owned),
        private: false,
    }))
}
