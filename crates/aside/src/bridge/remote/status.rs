//! How a chat is: connected or not, what is wrong, who was turned away. For `aside remote status` and the doctor.

use std::collections::VecDeque;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use aside_proto::RemoteStatus;
use aside_task::run::short;

use crate::config::Config;

/// Users that were turned away and are remembered.
const MAX_REFUSED: usize = 20;
/// Letters of a name that a stranger chose.
const MAX_NAME: usize = 64;

/// Of the settings of a chat and the file with its secrets; nothing when no chat is to be reached. The daemon and a client that has
/// changed them come to the same. Looks at the disk.
pub fn digest(config: &Config, secrets: &Path) -> Option<String> {
    if !config.remote.enabled || !config.task.enabled {
        return None;
    }
    let stamp = secrets.metadata().map(|meta| (meta.ino(), meta.mtime(), meta.mtime_nsec())).ok();
    let parts = [format!("{:?}", config.remote), config.task.prefix.clone(), format!("{stamp:?}")];
    Some(aside_relay::key::digest(&parts.each_ref().map(String::as_str)))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    Connecting,
    Connected,
    /// What is wrong, and what to do about it.
    Trouble(String),
}

pub struct Health {
    chat: &'static str,
    inner: Mutex<Inner>,
}

struct Inner {
    condition: Condition,
    since: Instant,
    received: u64,
    sent: u64,
    refused: VecDeque<String>,
}

impl Health {
    pub fn new(chat: &'static str) -> Self {
        let (condition, since) = (Condition::Connecting, Instant::now());
        Self { chat, inner: Mutex::new(Inner { condition, since, received: 0, sent: 0, refused: VecDeque::new() }) }
    }

    /// Whether this is news.
    pub fn is(&self, condition: Condition) -> bool {
        let mut inner = self.lock();
        if inner.condition == condition {
            return false;
        }
        (inner.condition, inner.since) = (condition, Instant::now());
        true
    }

    pub fn received(&self) {
        self.lock().received += 1;
    }

    pub fn sent(&self) {
        self.lock().sent += 1;
    }

    /// Whether this user is turned away for the first time in a while.
    pub fn refused(&self, user: &str) -> bool {
        let user = short(user, MAX_NAME);
        let mut inner = self.lock();
        if inner.refused.contains(&user) {
            return false;
        }
        if inner.refused.len() == MAX_REFUSED {
            inner.refused.pop_front();
        }
        inner.refused.push_back(user);
        true
    }

    pub fn status(&self) -> RemoteStatus {
        let inner = self.lock();
        let (state, trouble) = match &inner.condition {
            Condition::Connecting => ("connecting", ""),
            Condition::Connected => ("connected", ""),
            Condition::Trouble(what) => ("trouble", what.as_str()),
        };
        RemoteStatus {
            chat: self.chat.to_owned(),
            state: state.to_owned(),
            since_s: inner.since.elapsed().as_secs(),
            trouble: trouble.to_owned(),
            received: inner.received,
            sent: inner.sent,
            refused: inner.refused.iter().cloned().collect(),
            settings: String::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
