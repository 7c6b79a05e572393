//! Where a relay keeps its state: entries that are replaced by compare-and-swap, queues that deliver at least once and drop what is put
//! in twice, an audit log, and short notes to the other copies. Two implementations: `sqlite` for one process, `nats` for several.

#[cfg(feature = "nats")]
pub mod nats;
pub mod sqlite;

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

pub type Stored<'a, T> = Pin<Box<dyn Future<Output = anyhow::Result<T>> + Send + 'a>>;

/// An item that was handed out and not settled comes again after this.
pub const LEASE: Duration = Duration::from_secs(20);
/// Items of one machine's queue that are handed out at once.
pub const MAX_IN_HAND: usize = 16;
/// The same of the replies. Chats have equal shares of it, and each of them at least one, so that no chat that waits for its rate limit
/// holds back another.
pub const MAX_REPLIES_IN_HAND: usize = 512;
/// With NATS, which knows no shares: more than the sender keeps for a hundred chats at their limit.
pub const MAX_SHARED_REPLIES_IN_HAND: usize = 16_384;
/// Items that wait in one queue for a machine, and in that for replies.
pub const MAX_WAITING: usize = 1000;
/// Of these, the messages of one user, so that no user fills the queue for all others. With NATS this is the only limit.
pub const MAX_WAITING_OF_USER: usize = 100;
pub const MAX_REPLIES_WAITING: usize = 100_000;
/// An item with an id that was put in so long ago is the same one.
pub const DUPLICATES: Duration = Duration::from_secs(3600);
/// Replies that could not be sent for so long are dropped.
pub const REPLY_LIFE: Duration = Duration::from_secs(24 * 3600);
/// Of the audit log.
pub const MAX_AUDIT: usize = 1_000_000;
pub const AUDIT_LIFE: Duration = Duration::from_secs(90 * 24 * 3600);

/// Kinds of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bucket {
    /// One-time codes, by their digest.
    Codes,
    Machines,
    /// To which machines a user's requests go.
    Routes,
    /// Which machines are connected, and to which copy.
    Presence,
    /// Which chats have written to a machine, so that it may reply to them.
    Contacts,
    /// In which chats the last message was refused.
    Refusals,
    /// What only one copy does at a time.
    Leases,
}

impl Bucket {
    pub fn name(self) -> &'static str {
        match self {
            Bucket::Codes => "codes",
            Bucket::Machines => "machines",
            Bucket::Routes => "routes",
            Bucket::Presence => "presence",
            Bucket::Contacts => "contacts",
            Bucket::Refusals => "refusals",
            Bucket::Leases => "leases",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Queue<'a> {
    /// Messages for a machine, by its name.
    Machine(&'a str),
    /// Replies to chats.
    Replies,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub value: Vec<u8>,
    /// Never 0.
    pub revision: u64,
}

/// Out of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    pub body: Vec<u8>,
    /// What settles it.
    pub token: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutOutcome {
    New,
    /// An item with this id is or was there.
    Duplicate,
    /// Too many wait.
    Full,
    /// Too many of this user wait.
    FullForUser,
}

/// To every copy, this one included. May be lost: each copy looks for itself now and then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Note {
    /// This connection is the machine's, and no other.
    Connected { machine: String, connection: String },
    /// Its key has changed or is no longer good.
    Changed { machine: String },
}

pub trait Store: Send + Sync {
    /// Whether other copies of the relay use it at the same time.
    fn is_shared(&self) -> bool;
    fn get<'a>(&'a self, bucket: Bucket, key: &'a str) -> Stored<'a, Option<Entry>>;
    fn list(&self, bucket: Bucket) -> Stored<'_, Vec<(String, Vec<u8>)>>;
    /// Writes if the entry is still at this revision; 0 is for none at all. Gives the new revision, or nothing if it was not.
    fn put<'a>(&'a self, bucket: Bucket, key: &'a str, value: Vec<u8>, revision: u64) -> Stored<'a, Option<u64>>;
    /// Whether it was still there at this revision; then it is not any more.
    fn remove<'a>(&'a self, bucket: Bucket, key: &'a str, revision: u64) -> Stored<'a, bool>;
    /// Once this gives `New`, the item is on disk. `user` is who it counts for. In `Queue::Replies` it is the chat, and nothing is counted.
    fn publish<'a>(&'a self, queue: Queue<'a>, user: &'a str, id: &'a str, body: Vec<u8>) -> Stored<'a, PutOutcome>;
    /// Hands out what is not settled, the oldest first (of the replies: the oldest of each chat first), until the receiver is dropped. A queue has one receiver: a new one takes over all
    /// that the one before was handed, whether or not that has ended, so that nothing newer comes before it. The one before gets no more.
    fn open<'a>(&'a self, queue: Queue<'a>) -> Stored<'a, mpsc::Receiver<Item>>;
    /// The item does not come again.
    fn settle<'a>(&'a self, token: &'a str) -> Stored<'a, ()>;
    /// Some of the messages that no machine has taken in time. Each is handed out, and comes again after `LEASE` unless it is settled.
    fn expired(&self) -> Stored<'_, Vec<Item>>;
    fn audit(&self, line: String) -> Stored<'_, ()>;
    /// The last lines, the oldest first.
    fn audited(&self, count: usize) -> Stored<'_, Vec<String>>;
    fn tell(&self, note: Note) -> Stored<'_, ()>;
    fn notes(&self) -> Stored<'_, mpsc::Receiver<Note>>;
    /// Messages and replies that wait.
    fn waiting(&self) -> Stored<'_, (u64, u64)>;
}
