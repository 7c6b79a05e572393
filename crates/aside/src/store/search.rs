//! The queries of `aside history`. They read every row, too slow for a prompt.

use std::collections::HashMap;

use rusqlite::Connection;
use rusqlite::types::Value;
use serde::Serialize;

use crate::store::{COLUMNS, Row, read};

const TOP_COMMANDS: usize = 10;
const TOP_DIRECTORIES: usize = 5;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// All of them occur in the command; the case of ASCII letters does not matter.
    pub words: Vec<String>,
    /// Spellings of one directory; empty means anywhere.
    pub directories: Vec<String>,
    pub outcome: Outcome,
    pub limit: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Any,
    Failed,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    pub total: usize,
    pub distinct: usize,
    pub first_ms: Option<i64>,
    pub last_ms: Option<i64>,
    pub ok: usize,
    pub failed: usize,
    pub commands: Vec<Tally>,
    pub shells: Vec<Tally>,
    pub directories: Vec<Tally>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tally {
    pub name: String,
    pub count: usize,
}

impl Search {
    pub(super) fn run(&self, connection: &Connection) -> anyhow::Result<Vec<Row>> {
        let mut conditions = vec!["1".to_owned()];
        let mut values: Vec<Value> = Vec::new();
        for word in &self.words {
            conditions.push("command LIKE ? ESCAPE '\\'".to_owned());
            values.push(format!("%{}%", escape(word)).into());
        }
        if !self.directories.is_empty() {
            conditions.push(format!("cwd IN ({})", vec!["?"; self.directories.len()].join(", ")));
            values.extend(self.directories.iter().cloned().map(Value::from));
        }
        match self.outcome {
            Outcome::Any => {}
            Outcome::Failed => conditions.push("exit <> 0".to_owned()),
        }
        let sql = format!(
            "SELECT {COLUMNS} FROM history WHERE {} ORDER BY start DESC, id DESC LIMIT {}",
            conditions.join(" AND "),
            i64::try_from(self.limit).unwrap_or(i64::MAX)
        );
        let mut rows = connection.prepare(&sql)?;
        let mut rows = rows.query(rusqlite::params_from_iter(values))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.extend(read(row)?);
        }
        found.reverse();
        Ok(found)
    }
}

/// Escapes the wildcards `%` and `_` of SQL, which the user means literally.
fn escape(word: &str) -> String {
    word.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}

impl Stats {
    /// One pass and a table in memory: SQLite would sort all commands on disk, which takes nearly three times as long.
    pub(super) fn gather(connection: &Connection) -> anyhow::Result<Self> {
        let mut stats = Self::default();
        let (mut commands, mut shells, mut directories) = (Counts::new(), Counts::new(), Counts::new());
        let mut rows = connection.prepare("SELECT command, shell, cwd, exit, start FROM history")?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            stats.total += 1;
            for (column, counts) in [(0, &mut commands), (1, &mut shells), (2, &mut directories)] {
                if let Ok(name) = row.get_ref(column)?.as_str() {
                    count_one(counts, name);
                }
            }
            match row.get_ref(3)?.as_i64() {
                Ok(0) => stats.ok += 1,
                Ok(_) => stats.failed += 1,
                Err(_) => {}
            }
            if let Ok(start) = row.get_ref(4)?.as_i64() {
                stats.first_ms = Some(stats.first_ms.map_or(start, |first| first.min(start)));
                stats.last_ms = Some(stats.last_ms.map_or(start, |last| last.max(start)));
            }
        }
        stats.distinct = commands.len();
        stats.commands = top(commands, TOP_COMMANDS);
        stats.shells = top(shells, usize::MAX);
        stats.directories = top(directories, TOP_DIRECTORIES);
        Ok(stats)
    }
}

type Counts = HashMap<String, usize>;

fn count_one(counts: &mut Counts, name: &str) {
    match counts.get_mut(name) {
        Some(count) => *count += 1,
        None => {
            counts.insert(name.to_owned(), 1);
        }
    }
}

fn top(counts: Counts, limit: usize) -> Vec<Tally> {
    let mut tallies: Vec<Tally> = counts.into_iter().map(|(name, count)| Tally { name, count }).collect();
    tallies.sort_unstable_by(|one, other| other.count.cmp(&one.count).then_with(|| one.name.cmp(&other.name)));
    tallies.truncate(limit);
    tallies
}
