//! Adding many entries at once. Which of them are new is decided in `aside_core::history::merge`.

use aside_core::history::HistoryEntry;
use aside_core::history::merge::{self, Run};
use rusqlite::{Connection, TransactionBehavior};

use crate::store::{INSERT, Imported, insert};

const ENTRIES_BETWEEN_REPORTS: usize = 1000;

pub fn import(
    connection: &mut Connection,
    entries: &[HistoryEntry],
    progress: &mut dyn FnMut(usize),
) -> anyhow::Result<Imported> {
    // The lock is taken before the comparison, or two imports at once would both find everything new.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let incoming: Vec<Run> =
        entries.iter().map(|entry| Run::new(&entry.command, entry.start_ms, &entry.shell)).collect();
    let new = merge::new_runs(known(&transaction)?, &incoming);
    drop(incoming);
    let already_there = entries.len() - new.len();
    let mut statement = transaction.prepare(INSERT)?;
    for (done, &index) in new.iter().enumerate() {
        if done.is_multiple_of(ENTRIES_BETWEEN_REPORTS) {
            progress(already_there + done);
        }
        insert(&mut statement, &entries[index], None, None)?;
    }
    drop(statement);
    transaction.commit()?;
    progress(entries.len());
    Ok(Imported { added: new.len(), already_there })
}

fn known(connection: &Connection) -> anyhow::Result<Vec<Run>> {
    let mut rows = connection.prepare("SELECT command, start, shell FROM history")?;
    let mut rows = rows.query([])?;
    let mut known = Vec::new();
    while let Some(row) = rows.next()? {
        let (command, shell) = (row.get_ref(0)?, row.get_ref(2)?);
        if let (Ok(command), Ok(shell)) = (command.as_str(), shell.as_str()) {
            known.push(Run::new(command, row.get_ref(1)?.as_i64().ok(), shell));
        }
    }
    Ok(known)
}
