//! Decides which tasks belong to one conversation, and which of them a task may know of. Core reads their content.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use aside_task::event::TaskId;
use aside_task::proposal::UserRequest;
use aside_task::run::conversation::{EarlierTask, WITHIN};

use crate::daemon::state::State;
use crate::daemon::tasks::summary::TaskSummary;
use crate::daemon::tasks::{Inner, Tasks, actor, locked};

/// Cap on the earlier tasks whose logs are read.
const MAX_EARLIER: usize = 8;

impl Tasks {
    /// The last conversation of a shell in a workspace, if it is recent.
    pub async fn thread_of(&self, state: &Arc<State>, session: &str, workspace: &str) -> Option<String> {
        if session.is_empty() {
            return None;
        }
        self.ready(state).await;
        self.look_back().await;
        let now = actor::now();
        let inner = locked(&self.inner);
        let theirs = inner.known.values().filter(|known| {
            known.session == session
                && known.brief.workspace == workspace
                && known.brief.source == "local_ui"
                && is_recent(known.brief.at, now)
        });
        theirs.max_by_key(|known| known.brief.since).map(|known| known.brief.thread_id.clone())
    }

    /// The earlier requests of a task's conversation, oldest first. Only those of the same user, the same source and the same workspace;
    /// private ones only for a private request.
    pub async fn earlier(&self, id: &TaskId, request: &UserRequest) -> Vec<EarlierTask> {
        self.look_back().await;
        let mut found = self.before(id, request);
        found.sort();
        let skip = found.len().saturating_sub(MAX_EARLIER);
        let events = self.events.clone();
        let read = tokio::task::spawn_blocking(move || {
            let logs = found.iter().skip(skip).filter_map(|(_, id)| events.read(id).ok());
            logs.filter_map(|log| EarlierTask::of(&log)).collect()
        });
        read.await.unwrap_or_default()
    }

    fn before(&self, id: &TaskId, request: &UserRequest) -> Vec<(u64, TaskId)> {
        let inner = locked(&self.inner);
        let Some(own) = inner.known.get(id).map(|known| known.brief.since) else { return Vec::new() };
        let counts = |known: &&TaskSummary| {
            known.brief.task_id != id.as_str()
                && known.brief.thread_id == request.thread_id
                && known.brief.since <= own
                && known.brief.at >= own.saturating_sub(WITHIN)
                && is_of(known, request)
        };
        let counting = inner.known.values().filter(counts);
        counting.filter_map(|known| Some((known.brief.since, TaskId::of(&known.brief.task_id)?))).collect()
    }

    /// The last task in the workspace, of any conversation, whose change can be undone.
    pub async fn changed_last(&self, request: &UserRequest) -> Option<EarlierTask> {
        self.load().await;
        let can = |known: &&TaskSummary| known.brief.undo && is_of(known, request);
        let newest = |inner: &Inner| {
            // By the number of the change, which grows whatever the clock does.
            let last =
                inner.known.values().filter(can).max_by_key(|known| known.wrote.as_ref().map(|wrote| wrote.id))?;
            TaskId::of(&last.brief.task_id)
        };
        let id = newest(&locked(&self.inner))?;
        let events = self.events.clone();
        let read = tokio::task::spawn_blocking(move || EarlierTask::of(&events.read(&id).ok()?));
        read.await.ok().flatten()
    }

    /// Which of these can be undone.
    pub fn can_be_undone<'a>(&self, earlier: &'a [EarlierTask]) -> Vec<&'a str> {
        let inner = locked(&self.inner);
        let can = |earlier: &&EarlierTask| inner.known.get(&earlier.id).is_some_and(|known| known.brief.undo);
        earlier.iter().filter(can).map(|earlier| earlier.id.as_str()).collect()
    }

    /// Reads what an earlier daemon logged in the last half hour, once. Everything later is in memory.
    async fn look_back(&self) {
        let look = async || {
            let events = self.events.clone();
            let read = tokio::task::spawn_blocking(move || {
                let since =
                    SystemTime::now().checked_sub(Duration::from_millis(WITHIN)).unwrap_or(SystemTime::UNIX_EPOCH);
                let kept = events.kept().unwrap_or_default().into_iter().filter(|kept| kept.changed >= since);
                kept.filter_map(|kept| Some((kept.id.clone(), TaskSummary::of(&events.read(&kept.id).ok()?))))
                    .collect::<Vec<(TaskId, TaskSummary)>>()
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

/// After the clock was set back, what is in the future may be days old.
fn is_recent(at: u64, now: u64) -> bool {
    at.abs_diff(now) <= WITHIN
}

/// Whether a request may know of a task: remote users and the local user do not see each other's tasks.
fn is_of(known: &TaskSummary, request: &UserRequest) -> bool {
    known.brief.source == request.source.name()
        && known.brief.from_user == request.from_user.as_deref().unwrap_or_default()
        && known.brief.workspace == request.meta.workspace
        && (!known.private || request.meta.private)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_jumps_ends_a_conversation_and_prolongs_none() {
        let (now, day) = (1_800_000_000_000, 24 * 60 * 60 * 1000);
        let recent = [now, now - WITHIN, now + WITHIN].map(|at| is_recent(at, now));
        let others =
            [now - WITHIN - 1, now + WITHIN + 1, now - day, now + day, 0, u64::MAX].map(|at| is_recent(at, now));
        assert_eq!((recent, others), ([true; 3], [false; 6]));
    }
}
