//! Which tasks belong together: those of one conversation, as far as one of them may know of the others. What they say is core's to read.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use aside_core::task::event::Id;
use aside_core::task::proposal::UserRequest;
use aside_core::task::run::thread::{Earlier, WITHIN};

use crate::daemon::state::State;
use crate::daemon::tasks::known::Known;
use crate::daemon::tasks::{Inner, Tasks, actor, locked};

/// Tasks of a conversation whose logs are read.
const MAX_EARLIER: usize = 8;

impl Tasks {
    /// The conversation that a shell had last in a workspace, if that was not long ago.
    pub async fn thread_of(&self, state: &Arc<State>, session: &str, workspace: &str) -> Option<String> {
        if session.is_empty() {
            return None;
        }
        self.ready(state).await;
        self.look_back().await;
        let since = actor::now().saturating_sub(WITHIN);
        let inner = locked(&self.inner);
        let theirs = inner.known.values().filter(|known| {
            known.session == session
                && known.brief.workspace == workspace
                && known.brief.source == "local_ui"
                && known.brief.at >= since
        });
        theirs.max_by_key(|known| known.brief.since).map(|known| known.brief.thread_id.clone())
    }

    /// What was asked before in the conversation of a task, the oldest first. Only what the same person asked from the same side and
    /// about the same files; what was private is for what is private.
    pub async fn earlier(&self, id: &Id, request: &UserRequest) -> Vec<Earlier> {
        self.look_back().await;
        let mut found = self.before(id, request);
        found.sort();
        let skip = found.len().saturating_sub(MAX_EARLIER);
        let events = self.events.clone();
        let read = tokio::task::spawn_blocking(move || {
            let logs = found.iter().skip(skip).filter_map(|(_, id)| events.read(id).ok());
            logs.filter_map(|log| Earlier::of(&log)).collect()
        });
        read.await.unwrap_or_default()
    }

    fn before(&self, id: &Id, request: &UserRequest) -> Vec<(u64, Id)> {
        let inner = locked(&self.inner);
        let Some(own) = inner.known.get(id).map(|known| known.brief.since) else { return Vec::new() };
        let counts = |known: &&Known| {
            known.brief.task_id != id.as_str()
                && known.brief.thread_id == request.thread_id
                && known.brief.since <= own
                && known.brief.at >= own.saturating_sub(WITHIN)
                && is_of(known, request)
        };
        let counting = inner.known.values().filter(counts);
        counting.filter_map(|known| Some((known.brief.since, Id::of(&known.brief.task_id)?))).collect()
    }

    /// The last task in the workspace, of any conversation, whose change can be taken back.
    pub async fn changed_last(&self, request: &UserRequest) -> Option<Earlier> {
        self.load().await;
        let can = |known: &&Known| known.brief.undo && is_of(known, request);
        let newest = |inner: &Inner| {
            let last = inner.known.values().filter(can).max_by_key(|known| known.brief.at)?;
            Id::of(&last.brief.task_id)
        };
        let id = newest(&locked(&self.inner))?;
        let events = self.events.clone();
        let read = tokio::task::spawn_blocking(move || Earlier::of(&events.read(&id).ok()?));
        read.await.ok().flatten()
    }

    /// Which of these can be taken back.
    pub fn can_be_undone<'a>(&self, earlier: &'a [Earlier]) -> Vec<&'a str> {
        let inner = locked(&self.inner);
        let can = |earlier: &&Earlier| inner.known.get(&earlier.id).is_some_and(|known| known.brief.undo);
        earlier.iter().filter(can).map(|earlier| earlier.id.as_str()).collect()
    }

    /// Reads what the daemon before this one left of the last half hour, once. What came since is known.
    async fn look_back(&self) {
        let look = async || {
            let events = self.events.clone();
            let read = tokio::task::spawn_blocking(move || {
                let since =
                    SystemTime::now().checked_sub(Duration::from_millis(WITHIN)).unwrap_or(SystemTime::UNIX_EPOCH);
                let kept = events.kept().unwrap_or_default().into_iter().filter(|kept| kept.changed >= since);
                kept.filter_map(|kept| Some((kept.id.clone(), Known::of(&events.read(&kept.id).ok()?))))
                    .collect::<Vec<(Id, Known)>>()
            });
            let known = read.await.unwrap_or_default();
            let mut inner = locked(&self.inner);
            for (id, known) in known {
                inner.known.entry(id).or_insert(known);
            }
        };
        self.looked_back.get_or_init(look).await;
    }
}

/// Whether one may know of the other: what somebody asked from afar is nothing to those here, nor the other way around.
fn is_of(known: &Known, request: &UserRequest) -> bool {
    known.brief.source == request.source.name()
        && known.brief.from_user == request.from_user.as_deref().unwrap_or_default()
        && known.brief.workspace == request.meta.workspace
        && (!known.private || request.meta.private)
}
