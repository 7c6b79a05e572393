//! Copies what can still be read of a damaged history into the new one, with its ids. Reads the damaged copy in order until a damaged page
//! stops it, then looks for the next id from which it can be read: in growing steps, then by halves, so that a page costs few queries
//! however many ids it has.

use std::path::Path;

use aside_core::history::filter::MAX_COMMAND;
use rusqlite::{Connection, OpenFlags};

use crate::store::{INSERT_KNOWN, insert, read};

/// Queries on the damaged file. A damaged page costs about twenty, and at most 130.
const MAX_QUERIES: usize = 50_000;
/// Rows that are copied; the prune of the new file removes the oldest of too many.
const MAX_SAVED: usize = 5_000_000;

/// How many rows of the damaged file are in the new one now. Damage beyond reading is no error: then there are none.
pub fn salvage(damaged: &Path, new: &mut Connection) -> rusqlite::Result<usize> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let Ok(old) = Connection::open_with_flags(damaged, flags) else { return Ok(0) };
    // Finds damage where it is, before it is read as a row.
    let _ = old.pragma_update(None, "cell_size_check", true);
    let private = crate::store::database::private_column(&old).unwrap_or("NULL");
    let transaction = new.transaction()?;
    let saved = {
        let mut salvage = Salvage { old: &old, new: transaction.prepare(INSERT_KNOWN)?, private, saved: 0, queries: 0 };
        let mut from = 1;
        while let Stop::At(damage) = salvage.copy(from)? {
            let Some(next) = salvage.readable_after(damage) else { break };
            from = next;
        }
        salvage.saved
    };
    transaction.commit()?;
    Ok(saved)
}

struct Salvage<'c> {
    old: &'c Connection,
    new: rusqlite::Statement<'c>,
    private: &'static str,
    saved: usize,
    queries: usize,
}

/// Where a copy ended.
enum Stop {
    End,
    /// The row with this id, or the next one, cannot be read.
    At(i64),
}

impl Salvage<'_> {
    /// Copies the rows from this id on.
    fn copy(&mut self, from: i64) -> rusqlite::Result<Stop> {
        let private = self.private;
        // The indices may be damaged, too.
        let sql = format!(
            "SELECT id, command, cwd, exit, start, duration, session, shell, host, {private} AS private, seq \
             FROM history NOT INDEXED WHERE id >= ? ORDER BY id"
        );
        let mut last = from - 1;
        let Ok(mut rows) = self.old.prepare_cached(&sql) else { return Ok(Stop::End) };
        let Ok(mut rows) = rows.query([from]) else { return Ok(Stop::At(from)) };
        loop {
            let row = match rows.next() {
                Ok(Some(row)) if self.saved < MAX_SAVED => row,
                Ok(_) => return Ok(Stop::End),
                Err(_) => return Ok(Stop::At(last.saturating_add(1))),
            };
            // A damaged page may lead back.
            let Some(id) = row.get(0).ok().filter(|id| *id > last) else {
                return Ok(Stop::At(last.saturating_add(1)));
            };
            last = id;
            let seq = row.get_ref(10).ok().and_then(|seq| seq.as_i64().ok());
            if let Ok(Some(row)) = read(row)
                && row.entry.command.len() <= MAX_COMMAND
            {
                self.saved += usize::from(insert(&mut self.new, &row.entry, seq, Some(id))?);
            }
        }
    }

    /// The first id behind the damage from which rows can be read.
    fn readable_after(&mut self, damage: i64) -> Option<i64> {
        let (mut unreadable, mut step) = (damage, 1_i64);
        let mut readable = loop {
            let probe = damage.checked_add(step)?;
            if self.is_readable(probe)? {
                break probe;
            }
            (unreadable, step) = (probe, step.checked_mul(2)?);
        };
        while readable - unreadable > 1 {
            let middle = unreadable + (readable - unreadable) / 2;
            if self.is_readable(middle)? { readable = middle } else { unreadable = middle }
        }
        Some(readable)
    }

    /// `None` when enough was tried.
    fn is_readable(&mut self, id: i64) -> Option<bool> {
        self.queries += 1;
        let first = "SELECT id FROM history NOT INDEXED WHERE id >= ? ORDER BY id LIMIT 1";
        let mut rows = self.old.prepare_cached(first).ok()?;
        let is_readable = rows.query([id]).is_ok_and(|mut rows| rows.next().is_ok());
        (self.queries <= MAX_QUERIES).then_some(is_readable)
    }
}
