//! All state in one SQLite file, for one relay process. One thread writes: what was asked of it meanwhile goes into one transaction, so
//! that under load many answers share one fsync, and no answer is given before its commit. Another thread reads, and waits for no commit.
//! Which items are handed out is in memory alone: after a restart none is.

use std::collections::HashMap;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc as blocking};
use std::time::Duration;

use anyhow::{Context, anyhow};
use rusqlite::{Connection, OptionalExtension, params};
use tokio::sync::{Notify, mpsc, oneshot};

use crate::milliseconds;
use crate::store::{
    AUDIT_LIFE, Bucket, DUPLICATES, Entry, Item, LEASE, MAX_AUDIT, MAX_IN_HAND, MAX_REPLIES_IN_HAND,
    MAX_REPLIES_WAITING, MAX_WAITING, MAX_WAITING_OF_USER, Note, PutOutcome, Queue, REPLY_LIFE, Store, Stored,
};

/// Jobs in one transaction.
const MAX_BATCH: usize = 256;
/// Between two looks for items that were handed out too long ago, and for what is too old to keep.
const LOOK: Duration = Duration::from_secs(5);
const MAX_NOTES: usize = 1024;
/// Items that are handed out, of all queues, before it is looked which still are.
const MAX_LEASES: usize = 10_000;
const REPLIES: &str = "replies";
/// Expired messages that are given at once.
const MAX_EXPIRED: usize = 64;

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS entry (bucket TEXT, key TEXT, value BLOB NOT NULL, revision INTEGER NOT NULL,
        PRIMARY KEY (bucket, key)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS counter (one INTEGER PRIMARY KEY CHECK (one = 1), revision INTEGER NOT NULL);
    INSERT OR IGNORE INTO counter VALUES (1, 0);
    CREATE TABLE IF NOT EXISTS item (seq INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT NOT NULL, body BLOB NOT NULL,
        expires INTEGER NOT NULL, user TEXT NOT NULL DEFAULT '');
    CREATE INDEX IF NOT EXISTS item_queue ON item (queue, seq);
    CREATE TABLE IF NOT EXISTS seen (id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS seen_at ON seen (at);
    CREATE TABLE IF NOT EXISTS audit (seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, line TEXT NOT NULL);
";

type Finish = Box<dyn FnOnce(Result<(), String>) + Send>;
type Job = Box<dyn FnOnce(&Connection) -> Finish + Send>;
type Look = Box<dyn FnOnce(&Connection) + Send>;

pub struct Sqlite {
    inner: Arc<Inner>,
    message_life: Duration,
}

struct Inner {
    jobs: blocking::Sender<Job>,
    looks: blocking::Sender<Look>,
    handed: Mutex<Handed>,
    /// Woken when there is something new in a queue.
    wakes: Mutex<HashMap<String, Arc<Notify>>>,
    listeners: Mutex<Vec<mpsc::Sender<Note>>>,
}

/// What is handed out, and to which receiver.
#[derive(Default)]
struct Handed {
    leases: HashMap<i64, Lease>,
    /// The receiver of each queue.
    receivers: HashMap<String, u64>,
    /// The number of the last receiver.
    last: u64,
}

struct Lease {
    /// In milliseconds since 1970.
    until: i64,
    /// Nothing where no receiver gets the item: it is settled, or expired.
    receiver: Option<u64>,
}

impl Handed {
    /// Whether the item was free, or another receiver's, which has lost the queue. Then it is this one's.
    fn lease(&mut self, seq: i64, receiver: Option<u64>, now: i64) -> bool {
        let is_free = self.leases.get(&seq).is_none_or(|lease| {
            lease.until <= now || (receiver.is_some() && lease.receiver.is_some() && lease.receiver != receiver)
        });
        if is_free {
            self.leases.insert(seq, Lease { until: now + span(LEASE), receiver });
        }
        is_free
    }
}

impl Sqlite {
    /// Messages that no machine has taken are expired after `message_life`.
    pub fn open(path: &Path, message_life: Duration) -> anyhow::Result<Self> {
        // 0600 before SQLite writes anything.
        std::fs::OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
        let open = || {
            let connection = Connection::open(path).with_context(|| format!("could not open {}", path.display()))?;
            connection.busy_timeout(Duration::from_secs(5))?;
            anyhow::Ok(connection)
        };
        let connection = open()?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.execute_batch(SCHEMA)?;
        // A database of an earlier version; the error says that the column is there.
        let _ = connection.execute_batch("ALTER TABLE item ADD COLUMN user TEXT NOT NULL DEFAULT ''");
        connection.execute_batch("CREATE INDEX IF NOT EXISTS item_user ON item (queue, user, seq)")?;
        let (jobs, received) = blocking::channel();
        std::thread::Builder::new().name("relay-write".to_owned()).spawn(move || write(&connection, &received))?;
        let connection = open()?;
        let (looks, received) = blocking::channel::<Look>();
        std::thread::Builder::new().name("relay-read".to_owned()).spawn(move || {
            while let Ok(look) = received.recv() {
                look(&connection);
            }
        })?;
        let (handed, wakes, listeners) = (Mutex::default(), Mutex::default(), Mutex::default());
        let inner = Inner { jobs, looks, handed, wakes, listeners };
        Ok(Self { inner: Arc::new(inner), message_life })
    }
}

/// Until the last handle is dropped.
fn write(connection: &Connection, jobs: &blocking::Receiver<Job>) {
    while let Ok(first) = jobs.recv() {
        let begun = connection.execute_batch("BEGIN IMMEDIATE");
        let mut finished = vec![first(connection)];
        while finished.len() < MAX_BATCH
            && let Ok(job) = jobs.try_recv()
        {
            finished.push(job(connection));
        }
        let committed = begun.and_then(|()| connection.execute_batch("COMMIT"));
        let committed = committed.map_err(|error| {
            let _ = connection.execute_batch("ROLLBACK");
            format!("the relay's database cannot be written: {error}")
        });
        finished.into_iter().for_each(|finish| finish(committed.clone()));
    }
}

impl Inner {
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> anyhow::Result<T> {
        let (tell, told) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            let done = work(connection);
            Box::new(move |committed| {
                let done = committed.map_err(|error| anyhow!(error)).and_then(|()| Ok(done?));
                let _ = tell.send(done);
            })
        });
        self.jobs.send(job).map_err(|_| anyhow!("the relay's database is closed"))?;
        told.await.context("the relay's database is closed")?
    }

    /// What was committed, without waiting for what is not yet.
    async fn look<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> anyhow::Result<T> {
        let (tell, told) = oneshot::channel();
        let look: Look = Box::new(move |connection| drop(tell.send(work(connection))));
        self.looks.send(look).map_err(|_| anyhow!("the relay's database is closed"))?;
        Ok(told.await.context("the relay's database is closed")??)
    }

    /// Written with the next transaction, and not waited for. `then` is told whether it was.
    fn queue(
        self: &Arc<Self>,
        what: &'static str,
        work: impl FnOnce(&Connection) -> rusqlite::Result<()> + Send + 'static,
        then: impl FnOnce(bool) + Send + 'static,
    ) {
        let job: Job = Box::new(move |connection| {
            let done = work(connection);
            Box::new(move |committed| {
                let written = committed.and_then(|()| done.map_err(|error| error.to_string()));
                if let Err(error) = &written {
                    tracing::error!("{what} cannot be written: {error}");
                }
                then(written.is_ok());
            })
        });
        let _ = self.jobs.send(job);
    }

    /// Items of a queue that its receiver does not have yet; it has them now. Nothing if it is no longer the receiver.
    async fn lease(&self, queue: &str, receiver: u64) -> anyhow::Result<Option<Vec<(i64, Vec<u8>)>>> {
        let name = queue.to_owned();
        let found = self.look(move |connection| match name.as_str() {
            REPLIES => oldest_of_each(connection, MAX_REPLIES_IN_HAND),
            _ => oldest(connection, &name, MAX_IN_HAND),
        });
        let found = found.await?;
        let now = clock();
        let mut handed = self.handed();
        if handed.receivers.get(queue) != Some(&receiver) {
            return Ok(None);
        }
        // Of items that were settled, or expired.
        if handed.leases.len() > MAX_LEASES {
            handed.leases.retain(|_, lease| lease.until > now);
        }
        Ok(Some(found.into_iter().filter(|(seq, _)| handed.lease(*seq, Some(receiver), now)).collect()))
    }

    /// A new receiver of a queue.
    fn receiver(&self, queue: &str) -> u64 {
        let mut handed = self.handed();
        handed.last += 1;
        let receiver = handed.last;
        handed.receivers.insert(queue.to_owned(), receiver);
        receiver
    }

    fn hold(&self, seq: i64) {
        let lease = Lease { until: clock() + span(LEASE), receiver: None };
        self.handed().leases.insert(seq, lease);
    }

    fn release(&self, seq: i64) {
        self.handed().leases.remove(&seq);
    }

    fn handed(&self) -> MutexGuard<'_, Handed> {
        self.handed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self, queue: &str) -> Arc<Notify> {
        let mut wakes = self.wakes.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(wakes.entry(queue.to_owned()).or_default())
    }

    /// Hands items of a queue to its receiver until that is dropped, or another one has taken over.
    async fn feed(self: Arc<Self>, queue: String, receiver: u64, items: mpsc::Sender<Item>) {
        let wake = self.wake(&queue);
        while !items.is_closed() {
            let leased = match self.lease(&queue, receiver).await {
                Ok(Some(leased)) => leased,
                Ok(None) => break,
                Err(error) => {
                    tracing::error!("a queue cannot be read: {error:#}");
                    Vec::new()
                }
            };
            let is_idle = leased.is_empty();
            for (seq, body) in leased {
                let token = format!("{seq} {queue}");
                if items.send(Item { body, token }).await.is_err() {
                    break;
                }
            }
            if is_idle {
                tokio::select! {
                    () = items.closed() => break,
                    () = wake.notified() => {}
                    () = tokio::time::sleep(LOOK) => {}
                }
            }
        }
        self.handed().leases.retain(|_, lease| lease.receiver != Some(receiver));
        // What has woken this one may be for the next.
        wake.notify_one();
    }
}

/// The first items of a queue. Those that are in hand are among them, so no more than `limit` ever are.
fn oldest(connection: &Connection, queue: &str, limit: usize) -> rusqlite::Result<Vec<(i64, Vec<u8>)>> {
    let mut select = connection
        .prepare_cached("SELECT seq, body FROM item WHERE queue = ?1 AND expires > ?2 ORDER BY seq LIMIT ?3")?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    select.query_map(params![queue, clock(), limit], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// The first replies of each chat, one of every chat before the second of any. Those that are in hand are among them.
fn oldest_of_each(connection: &Connection, limit: usize) -> rusqlite::Result<Vec<(i64, Vec<u8>)>> {
    // One step in the index for each chat, however many replies wait for it.
    let mut chats = connection.prepare_cached(
        "WITH RECURSIVE chat (name) AS (
            SELECT min(user) FROM item WHERE queue = ?1
            UNION ALL
            SELECT (SELECT min(user) FROM item WHERE queue = ?1 AND user > name) FROM chat WHERE name IS NOT NULL)
        SELECT name FROM chat WHERE name IS NOT NULL",
    )?;
    let chats: Vec<String> = chats.query_map([REPLIES], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let share = i64::try_from((limit / chats.len().max(1)).max(1)).unwrap_or(i64::MAX);
    let mut select = connection.prepare_cached(
        "SELECT seq, body FROM item WHERE queue = ?1 AND user = ?2 AND expires > ?3 ORDER BY seq LIMIT ?4",
    )?;
    let mut found = Vec::new();
    for chat in chats {
        let rows = select.query_map(params![REPLIES, chat, clock(), share], |row| Ok((row.get(0)?, row.get(1)?)))?;
        for (turn, row) in rows.enumerate() {
            let (seq, body): (i64, Vec<u8>) = row?;
            found.push((turn, seq, body));
        }
    }
    found.sort_unstable_by_key(|(turn, seq, _)| (*turn, *seq));
    Ok(found.into_iter().map(|(_, seq, body)| (seq, body)).collect())
}

/// What is put into a queue.
struct New {
    queue: String,
    user: String,
    id: String,
    body: Vec<u8>,
    life: Duration,
}

fn insert(connection: &Connection, new: &New) -> rusqlite::Result<PutOutcome> {
    let New { queue, user, id, body, life } = new;
    let now = clock();
    let known: bool = connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM seen WHERE id = ?1 AND at > ?2)")?
        .query_row(params![id, now - span(DUPLICATES)], |row| row.get(0))?;
    if known {
        return Ok(PutOutcome::Duplicate);
    }
    let waiting: i64 = connection
        .prepare_cached("SELECT count(*) FROM item WHERE queue = ?1 AND expires > ?2")?
        .query_row(params![queue, now], |row| row.get(0))?;
    let limit = if queue == REPLIES { MAX_REPLIES_WAITING } else { MAX_WAITING };
    if waiting >= i64::try_from(limit).unwrap_or(i64::MAX) {
        return Ok(PutOutcome::Full);
    }
    if queue != REPLIES {
        let of_user: i64 = connection
            .prepare_cached("SELECT count(*) FROM item WHERE queue = ?1 AND user = ?2 AND expires > ?3")?
            .query_row(params![queue, user, now], |row| row.get(0))?;
        if of_user >= i64::try_from(MAX_WAITING_OF_USER).unwrap_or(i64::MAX) {
            return Ok(PutOutcome::FullForUser);
        }
    }
    connection
        .prepare_cached("INSERT INTO item (queue, body, expires, user) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![queue, body, now + span(*life), user])?;
    connection.prepare_cached("INSERT OR REPLACE INTO seen (id, at) VALUES (?1, ?2)")?.execute(params![id, now])?;
    Ok(PutOutcome::New)
}

/// Forgets what is too old to matter.
fn sweep(connection: &Connection) -> rusqlite::Result<()> {
    let now = clock();
    // Messages stay until their users were told.
    connection.prepare_cached("DELETE FROM item WHERE queue = ?1 AND expires <= ?2")?.execute(params![REPLIES, now])?;
    connection.prepare_cached("DELETE FROM seen WHERE at <= ?1")?.execute([now - span(DUPLICATES)])?;
    connection.prepare_cached("DELETE FROM audit WHERE at <= ?1")?.execute([now - span(AUDIT_LIFE)])?;
    let kept = i64::try_from(MAX_AUDIT).unwrap_or(i64::MAX);
    connection
        .prepare_cached("DELETE FROM audit WHERE seq <= (SELECT ifnull(max(seq), 0) FROM audit) - ?1")?
        .execute([kept])?;
    Ok(())
}

impl Store for Sqlite {
    fn is_shared(&self) -> bool {
        false
    }

    fn get<'a>(&'a self, bucket: Bucket, key: &'a str) -> Stored<'a, Option<Entry>> {
        let key = key.to_owned();
        Box::pin(self.inner.look(move |connection| entry(connection, bucket, &key)))
    }

    fn list(&self, bucket: Bucket) -> Stored<'_, Vec<(String, Vec<u8>)>> {
        Box::pin(self.inner.look(move |connection| {
            let mut select =
                connection.prepare_cached("SELECT key, value FROM entry WHERE bucket = ?1 ORDER BY key")?;
            select.query_map([bucket.name()], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        }))
    }

    fn put<'a>(&'a self, bucket: Bucket, key: &'a str, value: Vec<u8>, revision: u64) -> Stored<'a, Option<u64>> {
        let key = key.to_owned();
        Box::pin(self.inner.run(move |connection| {
            if entry(connection, bucket, &key)?.map_or(0, |entry| entry.revision) != revision {
                return Ok(None);
            }
            // Never the same twice: an entry that was removed and written anew is another one.
            let next: i64 = connection
                .prepare_cached("UPDATE counter SET revision = revision + 1 RETURNING revision")?
                .query_row([], |row| row.get(0))?;
            connection
                .prepare_cached("INSERT OR REPLACE INTO entry (bucket, key, value, revision) VALUES (?1, ?2, ?3, ?4)")?
                .execute(params![bucket.name(), key, value, next])?;
            Ok(Some(next.cast_unsigned()))
        }))
    }

    fn remove<'a>(&'a self, bucket: Bucket, key: &'a str, revision: u64) -> Stored<'a, bool> {
        let key = key.to_owned();
        Box::pin(self.inner.run(move |connection| {
            let removed = connection
                .prepare_cached("DELETE FROM entry WHERE bucket = ?1 AND key = ?2 AND revision = ?3")?
                .execute(params![bucket.name(), key, revision.cast_signed()])?;
            Ok(removed > 0)
        }))
    }

    fn publish<'a>(&'a self, queue: Queue<'a>, user: &'a str, id: &'a str, body: Vec<u8>) -> Stored<'a, PutOutcome> {
        let (queue, life) = match queue {
            Queue::Machine(name) => (format!("machine {name}"), self.message_life),
            Queue::Replies => (REPLIES.to_owned(), REPLY_LIFE),
        };
        let new = New { queue: queue.clone(), user: user.to_owned(), id: id.to_owned(), body, life };
        Box::pin(async move {
            let put = self.inner.run(move |connection| insert(connection, &new)).await?;
            if put == PutOutcome::New {
                self.inner.wake(&queue).notify_one();
            }
            Ok(put)
        })
    }

    fn open<'a>(&'a self, queue: Queue<'a>) -> Stored<'a, mpsc::Receiver<Item>> {
        let queue = match queue {
            Queue::Machine(name) => format!("machine {name}"),
            Queue::Replies => REPLIES.to_owned(),
        };
        Box::pin(async move {
            self.inner.run(sweep).await?;
            let (items, received) = mpsc::channel(1);
            let receiver = self.inner.receiver(&queue);
            self.inner.wake(&queue).notify_one();
            tokio::spawn(Arc::clone(&self.inner).feed(queue, receiver, items));
            Ok(received)
        })
    }

    fn settle<'a>(&'a self, token: &'a str) -> Stored<'a, ()> {
        Box::pin(async move {
            let Some((seq, queue)) = parted(token) else { return Ok(()) };
            let (inner, queue) = (Arc::clone(&self.inner), queue.to_owned());
            // No receiver gets it until it is gone. If that is lost in a crash, it comes again, and is known.
            self.inner.hold(seq);
            let remove = move |connection: &Connection| {
                connection.prepare_cached("DELETE FROM item WHERE seq = ?1")?.execute([seq]).map(drop)
            };
            self.inner.queue("that an item is settled", remove, move |is_gone| {
                // A reader may have seen it a moment before, and must not hand it out again.
                if is_gone {
                    inner.hold(seq)
                } else {
                    inner.release(seq)
                }
                inner.wake(&queue).notify_one();
            });
            Ok(())
        })
    }

    fn expired(&self) -> Stored<'_, Vec<Item>> {
        Box::pin(async move {
            let found = self.inner.look(|connection| {
                let mut select = connection.prepare_cached(
                    "SELECT seq, queue, body FROM item WHERE queue <> ?1 AND expires <= ?2 ORDER BY seq LIMIT ?3",
                )?;
                let limit = i64::try_from(MAX_EXPIRED).unwrap_or(i64::MAX);
                let rows = select.query_map(params![REPLIES, clock(), limit], |row| {
                    Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get(2)?))
                })?;
                rows.collect::<rusqlite::Result<Vec<(i64, String, Vec<u8>)>>>()
            });
            let found = found.await?;
            let (now, mut handed) = (clock(), self.inner.handed());
            // A machine that was handed a message in time may still take it.
            let free = found.into_iter().filter(|(seq, ..)| handed.lease(*seq, None, now));
            Ok(free.map(|(seq, queue, body)| Item { body, token: format!("{seq} {queue}") }).collect())
        })
    }

    /// The last lines before a power failure may be missing: nothing waits for them.
    fn audit(&self, line: String) -> Stored<'_, ()> {
        let insert = move |connection: &Connection| {
            let now = clock();
            connection.prepare_cached("INSERT INTO audit (at, line) VALUES (?1, ?2)")?.execute(params![now, line])?;
            Ok(())
        };
        self.inner.queue("the audit log", insert, |_| ());
        Box::pin(async { Ok(()) })
    }

    fn audited(&self, count: usize) -> Stored<'_, Vec<String>> {
        Box::pin(self.inner.run(move |connection| {
            let mut select = connection.prepare_cached("SELECT line FROM audit ORDER BY seq DESC LIMIT ?1")?;
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            let mut lines: Vec<String> =
                select.query_map([count], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            lines.reverse();
            Ok(lines)
        }))
    }

    fn tell(&self, note: Note) -> Stored<'_, ()> {
        Box::pin(async move {
            let mut listeners = self.inner.listeners.lock().unwrap_or_else(PoisonError::into_inner);
            listeners.retain(|listener| {
                !matches!(listener.try_send(note.clone()), Err(mpsc::error::TrySendError::Closed(_)))
            });
            Ok(())
        })
    }

    fn notes(&self) -> Stored<'_, mpsc::Receiver<Note>> {
        Box::pin(async move {
            let (tell, told) = mpsc::channel(MAX_NOTES);
            self.inner.listeners.lock().unwrap_or_else(PoisonError::into_inner).push(tell);
            Ok(told)
        })
    }

    fn waiting(&self) -> Stored<'_, (u64, u64)> {
        Box::pin(self.inner.run(move |connection| {
            let count = |condition: &str| -> rusqlite::Result<u64> {
                let query = format!("SELECT count(*) FROM item WHERE expires > ?1 AND queue {condition}");
                connection.prepare_cached(&query)?.query_row([clock()], |row| row.get(0)).map(i64::cast_unsigned)
            };
            sweep(connection)?;
            Ok((count("<> 'replies'")?, count("= 'replies'")?))
        }))
    }
}

fn entry(connection: &Connection, bucket: Bucket, key: &str) -> rusqlite::Result<Option<Entry>> {
    let mut select = connection.prepare_cached("SELECT value, revision FROM entry WHERE bucket = ?1 AND key = ?2")?;
    let found = select.query_row(params![bucket.name(), key], |row| {
        Ok(Entry { value: row.get(0)?, revision: row.get::<_, i64>(1)?.cast_unsigned() })
    });
    found.optional()
}

fn parted(token: &str) -> Option<(i64, &str)> {
    let (seq, queue) = token.split_once(' ')?;
    Some((seq.parse().ok()?, queue))
}

fn clock() -> i64 {
    i64::try_from(milliseconds()).unwrap_or(i64::MAX)
}

fn span(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
