//! Maps conversations to those of an agent, and records which task must be approved before the agent continues. Stored in one small file,
//! so that a conversation outlives the daemon.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::config::atomic_write;
use crate::paths::Paths;
use crate::trusted_file;

/// Cap on remembered conversations; the oldest is evicted.
const MAX_THREADS: usize = 200;
/// Bytes of the file: more than all of them take.
const MAX_FILE: u64 = 1024 * 1024;
/// How often an agent continues by itself before the user has to say something.
pub const MAX_GOES_ON: u32 = 30;

pub struct AgentThreads {
    path: PathBuf,
    /// Read on first use.
    known: Mutex<Option<Known>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Known {
    threads: BTreeMap<String, Thread>,
    /// Counts turns, to find the oldest conversation.
    turns: u64,
}

/// One conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Thread {
    /// As in `task.agent`.
    pub agent: String,
    /// The agent's own id of the conversation.
    pub name: String,
    /// The task that holds the agent's proposal.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub waits_for: String,
    /// How often the agent continued by itself since the user's last message.
    pub went_on: u32,
    last: u64,
}

impl AgentThreads {
    pub fn new(paths: &Paths) -> Self {
        Self { path: paths.agent_threads(), known: Mutex::default() }
    }

    /// The agent's id of a conversation, if that is with this agent.
    pub fn name(&self, ours: &str, agent: &str) -> Option<String> {
        let known = self.lock();
        let thread = known.as_ref()?.threads.get(ours)?;
        (thread.agent == agent).then(|| thread.name.clone())
    }

    /// Whether an agent continues once this task has carried out its proposal.
    pub fn waits_for(&self, ours: &str, agent: &str, task: &str) -> bool {
        let known = self.lock();
        let thread = known.as_ref().and_then(|known| known.threads.get(ours));
        thread.is_some_and(|thread| thread.agent == agent && thread.waits_for == task && thread.went_on < MAX_GOES_ON)
    }

    /// Records the end of an agent's turn; `waits_for` is the task that holds its proposal, if any.
    pub fn ended(
        &self,
        ours: &str,
        agent: &str,
        name: &str,
        waits_for: Option<&str>,
        by_itself: bool,
    ) -> std::io::Result<()> {
        let mut guard = self.lock();
        let known = guard.get_or_insert_default();
        known.turns += 1;
        let went_on = known.threads.get(ours).map_or(0, |thread| thread.went_on);
        let thread = Thread {
            agent: agent.to_owned(),
            name: name.to_owned(),
            waits_for: waits_for.unwrap_or_default().to_owned(),
            went_on: if by_itself { went_on + 1 } else { 0 },
            last: known.turns,
        };
        known.threads.insert(ours.to_owned(), thread);
        if known.threads.len() > MAX_THREADS
            && let Some(oldest) =
                known.threads.iter().min_by_key(|(_, thread)| thread.last).map(|(ours, _)| ours.clone())
        {
            known.threads.remove(&oldest);
        }
        let text = serde_json::to_vec(known)?;
        drop(guard);
        atomic_write::replace(&self.path, &text).map_err(std::io::Error::other)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Known>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_none() {
            let read = trusted_file::read(&self.path, MAX_FILE).ok().flatten();
            let read = read.and_then(|text| serde_json::from_slice(&text).ok());
            *known = Some(read.unwrap_or_default());
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_is_found_again_by_the_next_daemon_and_by_its_agent_alone() {
        let temp = tempfile::tempdir().unwrap();
        let threads = || AgentThreads { path: temp.path().join("threads.json"), known: Mutex::default() };
        threads().ended("ours", "codex", "theirs", Some("abc"), false).unwrap();
        let again = threads();
        assert_eq!(again.name("ours", "codex").as_deref(), Some("theirs"));
        assert_eq!((again.name("ours", "other"), again.name("x", "codex")), (None, None));
        assert!(again.waits_for("ours", "codex", "abc"));
        assert!(!again.waits_for("ours", "codex", "abd") && !again.waits_for("ours", "other", "abc"));
        again.ended("ours", "codex", "theirs", None, true).unwrap();
        assert!(!again.waits_for("ours", "codex", "abc"));
    }

    #[test]
    fn an_agent_does_not_go_on_for_ever_and_not_all_is_remembered() {
        let temp = tempfile::tempdir().unwrap();
        let threads = AgentThreads { path: temp.path().join("threads.json"), known: Mutex::default() };
        for _ in 0..MAX_GOES_ON {
            assert!(threads.waits_for("a", "codex", "t") || threads.name("a", "codex").is_none());
            threads.ended("a", "codex", "n", Some("t"), true).unwrap();
        }
        assert!(!threads.waits_for("a", "codex", "t"));
        threads.ended("a", "codex", "n", Some("t"), false).unwrap();
        assert!(threads.waits_for("a", "codex", "t"), "the user has said something");
        for number in 0..MAX_THREADS {
            threads.ended(&format!("t{number}"), "codex", "n", None, false).unwrap();
        }
        assert_eq!(threads.name("a", "codex"), None);
    }
}
