//! Opens the database file: permissions, SQLite settings, schema. Knows no rows.

use std::fs::{DirBuilder, File, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, bail};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::store::Notice;
use crate::store::corruption::{self, Identity};
use crate::store::salvage::salvage;

const SCHEMA_VERSION: i64 = 1;

// Times in milliseconds. AUTOINCREMENT, because the id of a pruned row must not be reused.
const SCHEMA: &str = "
    CREATE TABLE history (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        command TEXT NOT NULL,
        cwd TEXT,
        exit INTEGER,
        start INTEGER,
        duration INTEGER,
        session TEXT,
        shell TEXT NOT NULL,
        host TEXT,
        seq INTEGER,
        private INTEGER
    );
    CREATE UNIQUE INDEX history_seq ON history (session, seq) WHERE seq IS NOT NULL;
    CREATE INDEX history_start ON history (start);
";

/// An import of a million commands holds the write lock for seconds; a record that waits for it must not be lost.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

const BUSY_PAUSE: Duration = Duration::from_millis(5);

/// A large import leaves a large WAL behind, which SQLite reuses but would not shrink.
const MAX_LOG: i64 = 16 * 1024 * 1024;

/// A new file may be damaged again, or set aside by another process; this bounds the retries.
const ATTEMPTS: usize = 4;

pub struct Database {
    pub connection: Connection,
    identity: Identity,
}

/// The first id of a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewIds {
    FromOne,
    /// An id that the previous file cannot have reached, since a caller may remember ids of that file.
    Unseen,
}

impl Database {
    pub fn open(path: &Path, mut new_ids: NewIds) -> anyhow::Result<(Self, Option<Notice>)> {
        let mut damaged = None;
        for _ in 0..ATTEMPTS {
            make_private(path)?;
            let Some(identity) = Identity::of(path) else { continue };
            match connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, |connection| set_up(connection, new_ids)) {
                Ok(connection) => {
                    let mut database = Self { connection, identity };
                    let notice = damaged.map(|damaged: PathBuf| database.replaces(path, &damaged)).transpose()?;
                    return Ok((database, notice));
                }
                Err(error) if corruption::is_corruption(&error) => {
                    damaged = corruption::set_aside(path, identity)?.or(damaged);
                    new_ids = NewIds::Unseen;
                }
                Err(error) => return Err(error.context(format!("could not open {}", path.display()))),
            }
        }
        bail!("could not open {}: it was damaged or replaced {ATTEMPTS} times in a row", path.display())
    }

    /// Returns `None` if there is no history yet.
    pub fn open_to_read(path: &Path) -> anyhow::Result<Option<Self>> {
        let Some(identity) = Identity::of(path) else { return Ok(None) };
        let mut version = 0;
        let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY, |connection| {
            version = known_version(connection)?;
            Ok(())
        });
        let connection = connection.with_context(|| format!("could not read {}", path.display()))?;
        Ok((version > 0).then_some(Self { connection, identity }))
    }

    pub fn is_still_at(&self, path: &Path) -> bool {
        Identity::of(path) == Some(self.identity)
    }

    /// Closes without a checkpoint: SQLite would remove the WAL by a name that may by now belong to another file.
    pub fn abandon(self) {
        let _ = self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    }

    /// Sets the file aside and begins a new one with what can be read of it.
    pub fn begin_anew(self, path: &Path) -> anyhow::Result<(Self, Option<Notice>)> {
        let identity = self.identity;
        self.abandon();
        let damaged = corruption::set_aside(path, identity)?;
        let (mut database, notice) = Self::open(path, NewIds::Unseen)?;
        let saved = damaged.map(|damaged| database.replaces(path, &damaged)).transpose()?;
        Ok((database, saved.or(notice)))
    }

    /// Takes over what can be read of the damaged file.
    fn replaces(&mut self, path: &Path, damaged: &Path) -> anyhow::Result<Notice> {
        let saved = salvage(damaged, &mut self.connection).context("could not take over the damaged history")?;
        Ok(corruption::notice(path, damaged, saved))
    }
}

/// Never opens an existing file: closing it would drop the locks that SQLite holds on it in this process.
fn make_private(path: &Path) -> anyhow::Result<()> {
    if let Some(dir) = path.parent() {
        let made = DirBuilder::new().mode(0o700).recursive(true).create(dir);
        made.with_context(|| format!("could not create {}", dir.display()))?;
        restrict(dir, 0o700)?;
    }
    match File::options().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => restrict(path, 0o600),
        made => made.map(drop).with_context(|| format!("could not create {}", path.display())),
    }
}

fn restrict(path: &Path, mode: u32) -> anyhow::Result<()> {
    let meta = match std::fs::metadata(path) {
        // Another process has just set it aside.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        meta => meta.with_context(|| format!("could not look at {}", path.display()))?,
    };
    if meta.permissions().mode() & 0o077 != 0 {
        let restricted = std::fs::set_permissions(path, Permissions::from_mode(mode));
        restricted.with_context(|| format!("could not make {} private", path.display()))?;
    }
    Ok(())
}

fn connect(
    path: &Path,
    access: OpenFlags,
    set_up: impl FnOnce(&mut Connection) -> anyhow::Result<()>,
) -> anyhow::Result<Connection> {
    let mut connection = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    // Changes nothing on disk before the file is known to be valid and Aside's own.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    set_up(&mut connection)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    Ok(connection)
}

fn set_up(connection: &mut Connection, new_ids: NewIds) -> anyhow::Result<()> {
    let version = known_version(connection)?;
    write_ahead(connection)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.query_row(&format!("PRAGMA journal_size_limit = {MAX_LOG}"), [], |_| Ok(()))?;
    if version == 0 {
        create(connection, new_ids)?;
    }
    add_private_column(connection)
}

/// Adds the column to a file of an older version. The schema version stays, since older versions can still use the file.
fn add_private_column(connection: &mut Connection) -> anyhow::Result<()> {
    if private_column(connection)? == PRIVATE {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been first.
    if private_column(&transaction)? != PRIVATE {
        transaction.execute_batch("ALTER TABLE history ADD COLUMN private INTEGER")?;
    }
    Ok(transaction.commit()?)
}

const PRIVATE: &str = "private";

/// The expression that selects whether a command ran in a private shell.
pub fn private_column(connection: &Connection) -> anyhow::Result<&'static str> {
    let there = "SELECT count(*) FROM pragma_table_info('history') WHERE name = 'private'";
    let there: i64 = connection.query_row(there, [], |row| row.get(0))?;
    Ok(if there > 0 { PRIVATE } else { "NULL" })
}

/// Switches to WAL. A file system that does not support it keeps its mode, which works too.
fn write_ahead(connection: &Connection) -> anyhow::Result<()> {
    let asked = Instant::now();
    loop {
        match connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())) {
            // SQLite ignores the busy timeout here when another connection switches the mode as well.
            Err(error) if is_busy(&error) && asked.elapsed() < BUSY_TIMEOUT => std::thread::sleep(BUSY_PAUSE),
            answer => return Ok(answer?),
        }
    }
}

pub fn is_read_only(error: &anyhow::Error) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<rusqlite::Error>());
    causes.any(|cause| cause.sqlite_error_code() == Some(ErrorCode::ReadOnly))
}

fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}

fn known_version(connection: &Connection) -> anyhow::Result<i64> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version > SCHEMA_VERSION {
        bail!("a newer Aside wrote it (version {version}, this one knows {SCHEMA_VERSION}); update Aside");
    }
    Ok(version)
}

fn create(connection: &mut Connection, new_ids: NewIds) -> anyhow::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been first.
    if known_version(&transaction)? > 0 {
        return Ok(());
    }
    let tables: i64 = transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if tables > 0 {
        bail!("it is a database of another program; move it away");
    }
    transaction.execute_batch(SCHEMA)?;
    if new_ids == NewIds::Unseen {
        // No file gains a row every microsecond.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_micros());
        let now = i64::try_from(now).unwrap_or(0);
        transaction.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('history', ?)", [now])?;
    }
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    Ok(transaction.commit()?)
}
