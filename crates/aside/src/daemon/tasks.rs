//! The user's tasks: those in progress, and the logs of the others. Routes messages to a task and lists tasks. The task machine decides
//! what happens in a task, and `actor` performs it.

pub mod actor;
pub mod rules;
pub mod summary;

pub mod attempt;

mod execution;
mod offer;
mod thread_history;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use anyhow::Context;
use aside_proto::task::TaskBrief;
use aside_task::event::{Event, TaskId};
use aside_task::gate::approve::ApprovalGate;
use aside_task::input::Input;
use aside_task::machine::Task;
use aside_task::proposal::{RequestSource, UserRequest};
use aside_task::redact_log;
use aside_task::remote::meant::newest_and_open;
use aside_task::state::{OpenState, State as Stage};
use ring::rand::{SecureRandom, SystemRandom};
use tokio::sync::{mpsc, oneshot, watch};

use crate::apply;
use crate::apply::undo_log::UndoLog;
use crate::daemon::state::State;
use crate::paths::{self, Paths};
use crate::store::task_logs::{self, Reader, TaskLogs};
use crate::text_work;
use actor::message::{Message, PendingOffer, UserCommand};
use actor::{AGAIN, Actor};
use summary::{SearchedWords, TaskSummary};

/// Caps on tasks in progress, and on tasks that wait for the user. A user has only a few.
const MAX_BUSY: usize = 64;
/// Of these, the tasks of remote users.
const MAX_BUSY_REMOTE: usize = 32;
const MAX_WAITING: usize = 512;
/// Cap on unredacted requests that are kept for a retry, of at most 64 kB each.
const MAX_REQUESTS: usize = 64;
/// After this many tasks, old logs are deleted.
const TIDY_EVERY: u64 = 50;
/// Length and alphabet of a task's name: no characters that look alike.
const NAME: usize = 6;
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
/// How often a message is sent again to a task whose actor has just ended.
const TRIES: usize = 3;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

pub struct Tasks {
    events: TaskLogs,
    undo_log: Arc<UndoLog>,
    gate: Mutex<ApprovalGate>,
    inner: Mutex<Inner>,
    /// Counts state changes, for clients that follow all tasks.
    moves: watch::Sender<u64>,
    /// Only one log is opened at a time: opening one may repair it.
    opening: tokio::sync::Mutex<()>,
    /// Tasks requested since the daemon started.
    asked: AtomicU64,
    /// Set once the logs of the last half hour were read, to continue conversations.
    looked_back: tokio::sync::OnceCell<()>,
    /// Set once all logs were read.
    loaded: tokio::sync::OnceCell<()>,
    /// Set once the tasks that were open at the daemon's start were handled.
    resumed: tokio::sync::OnceCell<()>,
}

#[derive(Default)]
struct Inner {
    live: HashMap<TaskId, mpsc::Sender<Message>>,
    known: BTreeMap<TaskId, TaskSummary>,
    /// Bytes of the logs of watched tasks.
    ends: HashMap<TaskId, watch::Sender<u64>>,
    /// Requests with a secret in them, unredacted, newest last: a retry needs them, and the logs are redacted.
    requests: VecDeque<(TaskId, UserRequest)>,
}

/// The state of a task, as far as it matters to others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stands {
    Busy,
    Waits,
    Ended,
}

impl Inner {
    fn remember(&mut self, id: &TaskId, request: &UserRequest) {
        self.requests.push_back((id.clone(), request.clone()));
        if self.requests.len() > MAX_REQUESTS {
            self.requests.pop_front();
        }
    }

    fn request_of(&self, id: &TaskId) -> Option<UserRequest> {
        self.requests.iter().find(|(known, _)| known == id).map(|(_, request)| request.clone())
    }

    /// A task that has ended stays in memory for a moment.
    fn stage(&self, id: &TaskId) -> Stands {
        match self.known.get(id).map(|known| known.brief.state.as_str()).unwrap_or_default() {
            "WAITING_APPROVAL" => Stands::Waits,
            "COMPLETED" | "FAILED" | "REJECTED" => Stands::Ended,
            _ => Stands::Busy,
        }
    }
}

/// Why a request about a task failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskError {
    Unknown,
    /// The task rejects the request, or cannot do it.
    Refused(String),
    /// A fault of the machine.
    Broken(String),
}

impl Tasks {
    pub fn new(paths: &Paths) -> Self {
        let mut salt = [0; 32];
        // Without a random salt, two daemons in a row would accept the same digest; without randomness no daemon starts.
        SystemRandom::new().fill(&mut salt).unwrap_or_else(|_| panic!("this machine has no random numbers"));
        Self {
            events: TaskLogs::new(task_logs::dir(&paths.state_dir)),
            undo_log: Arc::new(UndoLog::new(paths.state_dir.join("applies"))),
            gate: Mutex::new(ApprovalGate::new(offer::sha256, salt)),
            inner: Mutex::default(),
            moves: watch::Sender::new(0),
            opening: tokio::sync::Mutex::default(),
            asked: AtomicU64::new(0),
            looked_back: tokio::sync::OnceCell::new(),
            loaded: tokio::sync::OnceCell::new(),
            resumed: tokio::sync::OnceCell::new(),
        }
    }

    pub fn gate(&self) -> MutexGuard<'_, ApprovalGate> {
        locked(&self.gate)
    }

    pub fn undo_log(&self) -> Arc<UndoLog> {
        Arc::clone(&self.undo_log)
    }

    /// Creates a task.
    pub async fn ask(&self, state: &Arc<State>, request: UserRequest) -> Result<TaskId, TaskError> {
        self.ask_as(state, name(), request).await
    }

    /// Whether an agent proposed what this task has carried out, and is told the outcome now.
    pub fn agent_goes_on(&self, state: &State, id: &TaskId, request: &UserRequest) -> bool {
        let settings = state.config();
        let is_private = request.meta.private || state.is_private(&request.meta.session);
        crate::agent::setup::named(&settings.task)
            .is_some_and(|agent| !is_private && state.agents().waits_for(&request.thread_id, agent, id.as_str()))
    }

    /// Creates a task with this name.
    pub async fn ask_as(&self, state: &Arc<State>, id: TaskId, request: UserRequest) -> Result<TaskId, TaskError> {
        self.ready(state).await;
        self.room(request.source)?;
        if self.asked.fetch_add(1, Ordering::Relaxed) % TIDY_EVERY == TIDY_EVERY - 1 {
            self.tidy(state).await;
        }
        let request = UserRequest {
            thread_id: if request.thread_id.is_empty() { id.to_string() } else { request.thread_id },
            ..request
        };
        let redacted = redact_log::request(request.clone());
        let is_redacted = redacted != request;
        let received = Task::received(id.clone(), redacted, actor::now());
        let (task, effects) = received.map_err(|refusal| TaskError::Refused(refusal.to_string()))?;
        // The log could be created, and nothing be written to it.
        let state_dir = state.paths().state_dir.clone();
        if blocking(move || Ok(paths::is_full(&state_dir))).await? {
            let place = state.paths().state_dir.display().to_string();
            return Err(TaskError::Refused(format!("the disk with {place} is full; free some space, and ask again")));
        }
        let (events, new) = (self.events.clone(), id.clone());
        let log = blocking(move || events.create(&new)).await?;
        self.watched(&id).send_replace(0);
        if is_redacted {
            locked(&self.inner).remember(&id, &request);
        }
        let (actor, sender) = Actor::new(Arc::clone(state), task, request, log);
        locked(&self.inner).live.insert(id.clone(), sender);
        // The actor logs the request first; from then on a client can find the task.
        let mut written = self.watched(&id).subscribe();
        text_work::spawn(text_work::NO_TEXT, actor.run(effects, None));
        let stored = tokio::time::timeout(Duration::from_secs(30), written.wait_for(|end| *end > 0)).await;
        match stored {
            Ok(Ok(_)) => Ok(id),
            Ok(Err(_)) | Err(_) => Err(TaskError::Broken("the task could not be written down".to_owned())),
        }
    }

    fn room(&self, source: RequestSource) -> Result<(), TaskError> {
        let inner = locked(&self.inner);
        let of = |stage| inner.live.keys().filter(|id| inner.stage(id) == stage).count();
        if of(Stands::Waits) >= MAX_WAITING {
            return Err(TaskError::Refused(format!("{MAX_WAITING} tasks wait for you; `aside task list` shows them")));
        }
        let is_remote = |id: &&TaskId| {
            inner.known.get(*id).is_some_and(|known| known.brief.source != RequestSource::LocalUi.name())
        };
        let remote = inner.live.keys().filter(|id| inner.stage(id) == Stands::Busy).filter(is_remote).count();
        if source != RequestSource::LocalUi && remote >= MAX_BUSY_REMOTE {
            return Err(TaskError::Refused(format!(
                "{MAX_BUSY_REMOTE} tasks of remote users are under way on this machine, and no more can be; ask again in a moment"
            )));
        }
        if of(Stands::Busy) >= MAX_BUSY {
            return Err(TaskError::Refused(format!("{MAX_BUSY} tasks are under way; wait for one, or cancel it")));
        }
        Ok(())
    }

    /// Deletes logs that the settings do not keep.
    async fn tidy(&self, state: &Arc<State>) {
        let (events, settings) = (self.events.clone(), state.config());
        // Excludes tasks in memory, and holds the lock against opening others: one that has ended may be retried at this moment.
        let _opening = self.opening.lock().await;
        let at_hand: Vec<TaskId> = locked(&self.inner).live.keys().cloned().collect();
        let tidied = tokio::task::spawn_blocking(move || {
            let age = DAY * u32::try_from(settings.task.keep_days).unwrap_or(u32::MAX);
            let since = SystemTime::now().checked_sub(age).unwrap_or(SystemTime::UNIX_EPOCH);
            task_logs::tidy(&events, settings.task.keep, since, &at_hand)
        });
        match tidied.await {
            Ok(Ok(gone)) => {
                let mut inner = locked(&self.inner);
                gone.iter().for_each(|id| drop(inner.known.remove(id)));
            }
            Ok(Err(error)) => state.notice(format!("old tasks could not be deleted: {error}")),
            Err(_) => {}
        }
    }

    /// Redacts logs that were written with secrets, and updates the list of those tasks. Returns what was done, in words.
    pub async fn clean(&self) -> Result<Vec<String>, TaskError> {
        let events = self.events.clone();
        // Excludes tasks in memory, as `tidy` does.
        let _opening = self.opening.lock().await;
        let at_hand: Vec<TaskId> = locked(&self.inner).live.keys().cloned().collect();
        let (cleaned, known) = blocking(move || {
            let cleaned = task_logs::clean(&events, &at_hand)?;
            let known =
                cleaned.redacted.iter().filter_map(|id| Some((id.clone(), TaskSummary::of(&events.read(id).ok()?))));
            let known: Vec<(TaskId, TaskSummary)> = known.collect();
            anyhow::Ok((cleaned, known))
        })
        .await?;
        let mut inner = locked(&self.inner);
        cleaned.removed.iter().for_each(|id| drop(inner.known.remove(id)));
        for (id, mut known) in known {
            if let Some(before) = inner.known.get_mut(&id) {
                known.brief.undo = before.brief.undo;
                *before = known;
            }
        }
        drop(inner);
        self.moves.send_modify(|moves| *moves += 1);
        Ok(cleaned.told())
    }

    /// Sends a message to a task; starts its actor from the log if needed.
    pub async fn send(
        &self,
        state: &Arc<State>,
        id: &TaskId,
        word: impl Fn() -> UserCommand,
    ) -> Result<PendingOffer, TaskError> {
        self.ready(state).await;
        for _ in 0..TRIES {
            let sender = self.found(state, id).await?;
            let (reply, told) = oneshot::channel();
            if sender.send(Message::Word { word: word(), reply }).await.is_err() {
                tokio::task::yield_now().await;
                continue;
            }
            match told.await {
                Ok(Err(refusal)) if refusal == AGAIN => continue,
                Ok(told) => return told.map_err(TaskError::Refused),
                Err(_) => continue,
            }
        }
        Err(TaskError::Broken("the task cannot go on; `aside doctor` says more".to_owned()))
    }

    /// Returns the sender of a running actor, or starts the actor from its log.
    async fn found(&self, state: &Arc<State>, id: &TaskId) -> Result<mpsc::Sender<Message>, TaskError> {
        let _opening = self.opening.lock().await;
        if let Some(sender) = locked(&self.inner).live.get(id).filter(|sender| !sender.is_closed()) {
            return Ok(sender.clone());
        }
        let (events, wanted) = (self.events.clone(), id.clone());
        let (log, replayed) = blocking(move || events.open(&wanted)).await?.ok_or(TaskError::Unknown)?;
        let end = log.end();
        let mut inner = locked(&self.inner);
        let request = inner.request_of(id).unwrap_or_else(|| replayed.task.request().clone());
        let (actor, sender) = Actor::new(Arc::clone(state), replayed.task, request, log);
        inner.live.insert(id.clone(), sender.clone());
        inner.ends.entry(id.clone()).or_insert_with(|| watch::Sender::new(end)).send_replace(end);
        drop(inner);
        text_work::spawn(text_work::NO_TEXT, actor.run(Vec::new(), None));
        Ok(sender)
    }

    /// Called when an actor has ended.
    pub fn on_actor_end(&self, id: &TaskId) {
        let mut inner = locked(&self.inner);
        if inner.live.get(id).is_some_and(mpsc::Sender::is_closed) {
            inner.live.remove(id);
        }
        inner.ends.retain(|_, end| end.receiver_count() > 0);
    }

    /// Called when events were written, with the new length of the log.
    pub fn on_events(&self, id: &TaskId, events: &[Event], end: u64) {
        let mut inner = locked(&self.inner);
        let known = inner.known.entry(id.clone()).or_default();
        let before = known.brief.state.clone();
        events.iter().for_each(|event| known.take(event));
        let has_moved = known.brief.state != before || known.brief.seq <= 1;
        if let Some(watched) = inner.ends.get(id) {
            grown(watched, end);
        }
        drop(inner);
        if has_moved {
            self.moves.send_modify(|moves| *moves += 1);
        }
    }

    pub fn moves(&self) -> watch::Receiver<u64> {
        self.moves.subscribe()
    }

    /// Lists tasks, newest first; with words, those whose request, answer or output contains them. Above the limit are open tasks alone:
    /// one that waits is never hidden by newer ones.
    pub async fn list(&self, state: &Arc<State>, words: &SearchedWords, thread: &str, limit: usize) -> Vec<TaskBrief> {
        self.ready(state).await;
        self.load().await;
        let all: Vec<TaskSummary> = locked(&self.inner).known.values().cloned().collect();
        let here = all.into_iter().filter(|known| thread.is_empty() || known.brief.thread_id == thread);
        let (mut found, rest): (Vec<TaskSummary>, Vec<TaskSummary>) = here.partition(|known| known.has(words));
        if !rest.is_empty() {
            let (events, words) = (self.events.clone(), words.clone());
            let said = move |known: &TaskSummary| {
                let log = TaskId::of(&known.brief.task_id).and_then(|id| events.read(&id).ok());
                log.is_some_and(|log| known.has_said(&words, &log))
            };
            let more = tokio::task::spawn_blocking(move || rest.into_iter().filter(said).collect::<Vec<TaskSummary>>());
            found.extend(more.await.unwrap_or_default());
        }
        let mut briefs: Vec<TaskBrief> = found.into_iter().map(|known| known.brief).collect();
        briefs.sort_by_key(|brief| std::cmp::Reverse((brief.since, brief.task_id.clone())));
        newest_and_open(&mut briefs, limit);
        briefs
    }

    /// The summary of one task.
    pub async fn brief(&self, state: &Arc<State>, id: &TaskId) -> Option<TaskBrief> {
        self.ready(state).await;
        if let Some(known) = locked(&self.inner).known.get(id) {
            return Some(known.brief.clone());
        }
        self.load().await;
        locked(&self.inner).known.get(id).map(|known| known.brief.clone())
    }

    /// The only task whose name begins so; the newest if the name is empty.
    pub async fn named(&self, state: &Arc<State>, name: &str) -> Result<TaskId, TaskError> {
        if let Some(id) = TaskId::of(name).filter(|id| locked(&self.inner).known.contains_key(id)) {
            return Ok(id);
        }
        let briefs = self.list(state, &SearchedWords::default(), "", usize::MAX).await;
        if name.is_empty() || name == "last" {
            return briefs.first().and_then(|brief| TaskId::of(&brief.task_id)).ok_or(TaskError::Unknown);
        }
        let begins = briefs.iter().filter(|brief| brief.task_id.starts_with(name));
        let begins: Vec<&str> = begins.map(|brief| brief.task_id.as_str()).collect();
        match begins.as_slice() {
            [only] => TaskId::of(only).ok_or(TaskError::Unknown),
            [] => Err(TaskError::Unknown),
            [newest, next, rest @ ..] => {
                let more = if rest.is_empty() { "" } else { ", …" };
                let which = format!("several tasks begin with {name}: {newest}, {next}{more}; write one more letter");
                Err(TaskError::Refused(which))
            }
        }
    }

    /// The events of a task after this number, and a channel that tells of more.
    pub async fn watch(&self, id: &TaskId, from: u64) -> Result<(Reader, watch::Receiver<u64>), TaskError> {
        // Subscribes before reading, so that nothing written in between is lost.
        let end = self.watched(id);
        let heard = end.subscribe();
        let (events, wanted) = (self.events.clone(), id.clone());
        let opened = blocking(move || {
            let length = events.length(&wanted)?;
            anyhow::Ok((events.reader(&wanted, from)?, length))
        });
        let (reader, length) = opened.await?;
        grown(&end, length);
        Ok((reader, heard))
    }

    /// Undoes the change of a task, and logs who did so.
    pub async fn undo(&self, state: &Arc<State>, id: &TaskId, by: &str) -> Result<String, TaskError> {
        self.ready(state).await;
        self.load().await;
        let known = locked(&self.inner).known.get(id).cloned().ok_or(TaskError::Unknown)?;
        let Some(change) = known.wrote else {
            return Err(TaskError::Refused(
                "this task changed no files that could be undone, and what a command did stays".to_owned(),
            ));
        };
        // The log counts, whatever the record says.
        if !known.brief.undone_by.is_empty() {
            return Err(TaskError::Refused(format!("{id} was undone already")));
        }
        let undo_log = self.undo_log();
        let undone = tokio::task::spawn_blocking(move || apply::undo(&undo_log, &change));
        let undone = undone.await.map_err(|error| TaskError::Broken(error.to_string()))?;
        let record = undone.map_err(|error| TaskError::Refused(format!("{error:#}")))?;
        if let Some(known) = locked(&self.inner).known.get_mut(id) {
            known.brief.undo = false;
        }
        // The files are restored even if logging that fails; the undo log has the record.
        if let Err(trouble) = self.send(state, id, || UserCommand::Undone { by: by.to_owned() }).await {
            tracing::warn!("that {id} was undone could not be written down: {trouble:?}");
        }
        self.moves.send_modify(|moves| *moves += 1);
        let names: Vec<&str> = record.steps.iter().map(|step| step.name.as_str()).collect();
        let are = if names.len() == 1 { "is as it was" } else { "are as they were" };
        Ok(format!("{id} was undone: {} in {} {are} before", names.join(", "), record.root))
    }

    /// Whether a task is in progress. A daemon that should be replaced waits for that.
    pub fn are_busy(&self) -> bool {
        let inner = locked(&self.inner);
        inner.live.keys().any(|id| inner.stage(id) == Stands::Busy)
    }

    /// The daemon is ending: stops running tasks and logs that.
    pub async fn end(&self) {
        let senders: Vec<_> = locked(&self.inner).live.values().cloned().collect();
        for sender in senders {
            let _ = sender.try_send(Message::Ending);
        }
    }

    /// Handles the tasks that were open when the daemon started, once.
    pub async fn ready(&self, state: &Arc<State>) {
        self.resumed.get_or_init(|| self.resume(state)).await;
    }

    async fn resume(&self, state: &Arc<State>) {
        let (events, undo_log) = (self.events.clone(), self.undo_log());
        let found = tokio::task::spawn_blocking(move || {
            let kept = events.kept().unwrap_or_default();
            if kept.is_empty() {
                return (Vec::new(), Vec::new(), None);
            }
            let recovered = apply::recover(&undo_log);
            let records = undo_log.records().unwrap_or_default();
            let open = kept.into_iter().filter(|kept| !events.has_ended(&kept.id).unwrap_or(true)).map(|kept| kept.id);
            let opened: Vec<_> = open
                .map(|id| {
                    let log = events.open(&id);
                    (id, log)
                })
                .collect();
            (opened, records, recovered.err())
        });
        let Ok((opened, records, trouble)) = found.await else { return };
        self.tidy(state).await;
        if let Some(error) = trouble {
            state.notice(format!("what tasks changed could not be looked at: {error:#}"));
        }
        for (id, log) in opened {
            let (log, replayed) = match log {
                Ok(Some(found)) => found,
                // Not even the request was written.
                Ok(None) => {
                    let _ = self.events.remove(&id);
                    continue;
                }
                Err(error) => {
                    let aside = self.events.set_aside(&id).map(|path| path.display().to_string());
                    state.notice(format!("a task was set aside as {}: {error:#}", aside.unwrap_or_default()));
                    continue;
                }
            };
            if let Ok(bytes) = self.events.read(&id) {
                locked(&self.inner).known.insert(id.clone(), TaskSummary::of(&bytes));
            }
            let first = again(&id, &replayed.task, &records);
            let end = log.end();
            let request = replayed.task.request().clone();
            let (actor, sender) = Actor::new(Arc::clone(state), replayed.task, request, log);
            let mut inner = locked(&self.inner);
            inner.live.insert(id.clone(), sender);
            inner.ends.insert(id, watch::Sender::new(end));
            drop(inner);
            text_work::spawn(text_work::NO_TEXT, actor.run(Vec::new(), Some(first)));
        }
    }

    /// Reads the summaries of all tasks, once.
    async fn load(&self) {
        let load = async || {
            let events = self.events.clone();
            let read = tokio::task::spawn_blocking(move || {
                let ids = events.kept().unwrap_or_default().into_iter().map(|kept| kept.id);
                let known = ids.filter_map(|id| Some((id.clone(), TaskSummary::of(&events.read(&id).ok()?))));
                known.collect::<Vec<(TaskId, TaskSummary)>>()
            });
            let known = read.await.unwrap_or_default();
            let undo_log = self.undo_log();
            let kept = tokio::task::spawn_blocking(move || undo_log.records().unwrap_or_default()).await;
            let mut kept = kept.unwrap_or_default();
            kept.retain(|(_, stage)| *stage == apply::undo_log::Stage::Kept);
            let mut inner = locked(&self.inner);
            for (id, mut known) in known {
                known.brief.undo &=
                    known.wrote.as_ref().is_some_and(|wrote| kept.iter().any(|(record, _)| wrote.is_of(record)));
                inner.known.entry(id).or_insert(known);
            }
        };
        self.loaded.get_or_init(load).await;
    }

    fn watched(&self, id: &TaskId) -> watch::Sender<u64> {
        locked(&self.inner).ends.entry(id.clone()).or_insert_with(|| watch::Sender::new(0)).clone()
    }
}

/// What happened to a task while no daemon ran. A change that is in the undo log was written.
fn again(id: &TaskId, task: &Task, records: &[(apply::undo_log::Record, apply::undo_log::Stage)]) -> Input {
    let Stage::Live(OpenState::Executing(executing)) = task.state() else { return Input::Restarted };
    let label = format!("{id}.{}", executing.acting().step());
    let written =
        records.iter().find(|(record, stage)| *stage == apply::undo_log::Stage::Kept && record.label == label);
    written.map_or(Input::Restarted, |(record, _)| actor::written(&record.receipt()))
}

/// A random name that is not a word.
fn name() -> TaskId {
    static RANDOM: OnceLock<SystemRandom> = OnceLock::new();
    let mut bytes = [0; NAME];
    let _ = RANDOM.get_or_init(SystemRandom::new).fill(&mut bytes);
    let letters: String = bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect();
    TaskId::of(&format!("t{letters}")).unwrap_or_else(|| unreachable!("the letters are those of a name"))
}

/// Publishes the length of a log, which only ever grows.
fn grown(end: &watch::Sender<u64>, length: u64) {
    end.send_if_modified(|end| {
        let grows = length > *end;
        *end = length.max(*end);
        grows
    });
}

async fn blocking<T: Send + 'static>(act: impl FnOnce() -> anyhow::Result<T> + Send + 'static) -> Result<T, TaskError> {
    let done = tokio::task::spawn_blocking(act).await.context("it was given up").and_then(|done| done);
    done.map_err(|error| match error.downcast_ref::<std::io::Error>().map(std::io::Error::kind) {
        Some(std::io::ErrorKind::NotFound) => TaskError::Unknown,
        _ => TaskError::Broken(format!("{error:#}")),
    })
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
