//! What a message from a chat does, whichever chat it is: who may ask, what is asked of the daemon, and what goes back while the task goes
//! on. Everything it says to the daemon carries a remote source and the user's name; it can ask, look, cancel and retry.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use aside_proto::Reply;
use aside_proto::task::{TaskBrief, TaskList, TaskOp, TaskParams};
use aside_relay::milliseconds;
use aside_task::event::{Event, EventKind};
use aside_task::remote::command::ChatCommand;
use aside_task::remote::meant::{Circumstances, Meant, Verb, has_ended, meant};
use aside_task::remote::report::{self, ChatReport, Machine};
use aside_task::route::intent::ApprovalRequirement;
use aside_task::route::{RouteOptions, Routed, route};
use aside_wecom::seen::Seen as Recent;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::bridge::daemon_client::DaemonClient;
use crate::bridge::remote::dedup::{SeenMessages, SeenState};
use crate::bridge::remote::pairing::{Claim, Pairing};
use crate::bridge::remote::status::Health;
use crate::bridge::remote::{Incoming, Outgoing, Setup};

/// Until the daemon has answered.
const DAEMON: Duration = Duration::from_secs(30);
/// Bytes of a request.
const MAX_TEXT: usize = 8 * 1024;
/// Bytes of a name that a chat gives.
const MAX_NAME: usize = 128;
/// Tasks of one user that have not ended, in all chats together.
const MAX_OPEN: usize = 8;
/// Above these, those that need no approval.
const MAX_READS: usize = 4;
/// How long a request waits for tasks before it that are about to end, and how often it is looked.
const PACED: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(100);
/// The same for all users together: half of what the daemon keeps, so that there is room for the user at this machine. Each user has an
/// equal share of it.
const MAX_OPEN_OF_ALL: usize = 256;
/// Messages of one user that wait for their turn. More than a relay hands out at once, which would have to hand them out again.
const MAX_PENDING: usize = 32;
/// Tasks that are told about at once. They may wait for approval for days, so they have places of their own; beyond them a task goes on
/// without a word.
const MAX_WATCHED: usize = 1024;
/// Tasks of a user that are looked at.
const MAX_COUNTED: u32 = 1000;
/// Chats whose last request was refused, and tasks that are being stopped, before the first ones are forgotten.
const MAX_REMEMBERED: usize = 1024;

pub struct Chat {
    inner: Arc<Inner>,
    /// Each user's messages are acted upon one after the other: none overtakes another of the same chat, and no user holds up another.
    lanes: Mutex<HashMap<String, mpsc::Sender<Pending>>>,
    /// One task for each lane, given up with the chat.
    work: Mutex<JoinSet<()>>,
    /// The same.
    watching: Arc<Mutex<JoinSet<()>>>,
    /// Messages of users that are not allowed: they must not push out what is remembered of the others.
    strangers: Mutex<Recent>,
}

struct Inner {
    socket: PathBuf,
    users: Vec<String>,
    workspaces: Vec<PathBuf>,
    prefix: String,
    machine: Machine,
    source: &'static str,
    outbox: mpsc::Sender<Outgoing>,
    health: Arc<Health>,
    pairing: Arc<Pairing>,
    seen: SeenMessages,
    /// Conversations in which the last request was refused: a word alone is not about the task before it.
    refused: Mutex<HashSet<String>>,
    /// Tasks that are being stopped, and have not ended yet.
    stopping: Mutex<HashSet<String>>,
}

/// A message that waits for its turn.
struct Pending {
    key: String,
    sender: Sender,
    text: String,
    /// When an earlier process began with it.
    since: Option<u64>,
    reply_to: Option<String>,
    /// Other machines of the user that it may be about.
    others: Vec<String>,
    after_refusal: bool,
    taken: Box<dyn FnOnce() + Send>,
}

/// What a message says, beside who says it.
struct Words<'a> {
    text: &'a str,
    since: Option<u64>,
    others: &'a [String],
}

/// Who asks, and where the answers go.
#[derive(Clone)]
struct Sender {
    user: String,
    chat: String,
    thread: String,
}

impl Chat {
    /// `machine` is what the replies call this machine.
    pub fn new(setup: &Setup, machine: Machine, seen: SeenMessages, outbox: mpsc::Sender<Outgoing>) -> Self {
        let inner = Inner {
            socket: setup.socket.clone(),
            users: setup.settings.users.clone(),
            workspaces: setup.settings.workspaces.iter().map(|path| expanded(path)).collect(),
            prefix: setup.prefix.clone(),
            machine,
            source: setup.source(),
            outbox,
            health: Arc::clone(&setup.health),
            pairing: Arc::clone(&setup.pairing),
            seen,
            refused: Mutex::default(),
            stopping: Mutex::default(),
        };
        let (lanes, work, watching, strangers) = (Mutex::default(), Mutex::default(), Arc::default(), Mutex::default());
        Self { inner: Arc::new(inner), lanes, work, watching, strangers }
    }

    /// Takes a message. Never waits: what it takes happens behind it.
    pub fn hear(&self, incoming: Incoming) {
        self.hear_then(incoming, || ());
    }

    /// The same; `taken` is called once the message was acted upon, or need not be. Until then it may be delivered again.
    pub fn hear_then(&self, incoming: Incoming, taken: impl FnOnce() + Send + 'static) {
        let Incoming { id, user, chat, text, reply_to, others, after_refusal } = incoming;
        let is_named = !user.is_empty() && user.len() <= MAX_NAME && chat.len() <= MAX_NAME;
        if !is_named || id.is_empty() {
            tracing::warn!(
                "a message is not acted upon: it has no id, or its user or chat is not 1 to {MAX_NAME} bytes"
            );
            return taken();
        }
        let inner = &self.inner;
        // An id is the chat's for one user: another user's message with the same id is another message.
        let key = key(&[inner.source, &user, &id]);
        if !inner.users.contains(&user) {
            if locked(&self.strangers).is_first(&key) {
                inner.turn_away(user, chat, &text, reply_to);
            }
            return taken();
        }
        let since = match inner.seen.look(&key) {
            SeenState::Done => return taken(),
            SeenState::AtWork => return,
            SeenState::Interrupted(since) => Some(since),
            SeenState::New => None,
        };
        inner.health.received();
        let thread = thread(inner.source, &user, &chat);
        let sender = Sender { user, chat, thread };
        let lane = self.lane(&sender.user);
        let Ok(place) = lane.try_reserve() else {
            tracing::warn!("a message of {:?} is not acted upon: {MAX_PENDING} of this user wait", sender.user);
            inner.remember_refusal(&sender);
            let outgoing = Outgoing {
                chat: sender.chat,
                topic: String::new(),
                text: report::too_fast(MAX_PENDING, &text),
                reply_to,
            };
            if inner.outbox.try_send(outgoing).is_err() {
                tracing::warn!(
                    "{:?} is not told that a message was not acted upon: too many wait to leave",
                    sender.user
                );
            }
            return;
        };
        inner.seen.claim(&key, milliseconds());
        place.send(Pending { key, sender, text, since, reply_to, others, after_refusal, taken: Box::new(taken) });
    }

    /// The lane of an allowed user.
    fn lane(&self, user: &str) -> mpsc::Sender<Pending> {
        let mut lanes = locked(&self.lanes);
        if let Some(lane) = lanes.get(user) {
            return lane.clone();
        }
        let (lane, mut pending) = mpsc::channel::<Pending>(MAX_PENDING);
        lanes.insert(user.to_owned(), lane.clone());
        let (inner, watching) = (Arc::clone(&self.inner), Arc::clone(&self.watching));
        locked(&self.work).spawn(async move {
            while let Some(next) = pending.recv().await {
                inner.act(next, &watching).await;
            }
        });
        lane
    }

    /// Says to a user who was just let in that this is so. Goes on telling about tasks that an earlier daemon was asked for.
    pub async fn resume(&self) {
        if let Some(Claim { user, chat, words }) = self.inner.pairing.admitted(&self.inner.users) {
            let text = report::admitted(&self.inner.machine, &words);
            if self.inner.outbox.try_send(Outgoing { chat, text, ..Outgoing::default() }).is_err() {
                tracing::warn!("{user:?} is not told that they may ask: too many messages wait to leave");
            }
        }
        for user in &self.inner.users {
            let open = match self.inner.open(user, "").await {
                Ok(open) => open,
                Err(why) => {
                    tracing::warn!("the chat is not told about open tasks of {user:?}: {why}");
                    continue;
                }
            };
            for brief in open {
                let chat = chat_of(self.inner.source, &brief).to_owned();
                let sender = Sender { user: brief.from_user.clone(), chat, thread: brief.thread_id.clone() };
                watch(&self.watching, &self.inner, sender, brief);
            }
        }
    }
}

/// Tells about a task until it ends.
fn watch(watching: &Mutex<JoinSet<()>>, inner: &Arc<Inner>, sender: Sender, brief: TaskBrief) {
    let mut watching = locked(watching);
    while watching.try_join_next().is_some() {}
    if watching.len() >= MAX_WATCHED {
        return tracing::warn!("the chat is not told about {}: too many tasks are open", brief.task_id);
    }
    let inner = Arc::clone(inner);
    watching.spawn(async move { inner.watch(&sender, brief).await });
}

impl Inner {
    /// A user that is not allowed gets no answer, but for one who brings the code that is shown at this machine.
    fn turn_away(&self, user: String, chat: String, text: &str, reply_to: Option<String>) {
        if let ChatCommand::Pair(code) = ChatCommand::of(text, &self.prefix)
            && self.pairing.claim(code, Claim { user: user.clone(), chat: chat.clone(), words: text.to_owned() })
        {
            tracing::warn!("{user:?} has brought the code of `aside remote pair`");
            let text = report::paired(&self.machine, text);
            let outgoing = Outgoing { chat, topic: String::new(), text, reply_to };
            if self.outbox.try_send(outgoing).is_err() {
                tracing::warn!("{user:?} is not told that the code is right: too many messages wait to leave");
            }
            return;
        }
        if self.health.refused(&user) {
            tracing::warn!("{user:?} is not among remote.users and gets no answer");
        }
    }

    async fn act(self: &Arc<Self>, pending: Pending, watching: &Mutex<JoinSet<()>>) {
        let Pending { key, sender, text, since, reply_to, others, after_refusal, taken } = pending;
        if !self.writes_down(&key, SeenMessages::begin).await {
            self.remember_refusal(&sender);
            self.tell(&sender, "", report::not_noted(&text), reply_to).await;
            // It is not delivered again: its user has been told to send it again.
            return taken();
        }
        if after_refusal {
            self.remember_refusal(&sender);
        }
        let words = Words { text: &text, since, others: &others };
        let watched = self.answer(&sender, &words, reply_to).await;
        self.writes_down(&key, SeenMessages::done).await;
        taken();
        if let Some(brief) = watched {
            watch(watching, self, sender, brief);
        }
    }

    async fn writes_down(self: &Arc<Self>, key: &str, how: fn(&SeenMessages, &str) -> anyhow::Result<()>) -> bool {
        let (inner, key) = (Arc::clone(self), key.to_owned());
        match tokio::task::spawn_blocking(move || how(&inner.seen, &key)).await {
            Ok(Ok(())) => true,
            Ok(Err(error)) => {
                tracing::warn!("a message cannot be written down: {error:#}");
                false
            }
            Err(_) => false,
        }
    }

    /// Does what a message says. Gives the task that is told about from here on. Only what is about a task has a topic: a refusal is told
    /// whatever comes behind it.
    async fn answer(&self, sender: &Sender, words: &Words<'_>, reply_to: Option<String>) -> Option<TaskBrief> {
        let text = words.text;
        let reply = async |topic: &str, text: String| self.tell(sender, topic, text, reply_to.clone()).await;
        if text.len() > MAX_TEXT {
            self.remember_refusal(sender);
            reply("", report::too_long(MAX_TEXT, text)).await;
            return None;
        }
        match ChatCommand::of(text, &self.prefix) {
            ChatCommand::Nothing | ChatCommand::Pair(_) => reply("", report::hint(&self.machine, text)).await,
            ChatCommand::Status => match self.own(sender, text).await {
                Ok(briefs) => reply("status", report::standing(&briefs, &self.machine, text)).await,
                Err(why) => reply("", why).await,
            },
            ChatCommand::Answer(name) => match self.meant(sender, Verb::Answer, name, words).await {
                Ok(brief) => reply("", report::approve_there(&brief.task_id, &self.machine, text)).await,
                Err(why) => reply("", why).await,
            },
            ChatCommand::Reject(name) => match self.meant(sender, Verb::Answer, name, words).await {
                Ok(brief) => reply("", report::reject_there(&brief.task_id, &self.machine, text)).await,
                Err(why) => reply("", why).await,
            },
            ChatCommand::Cancel(name) => match self.cancel(sender, name, words).await {
                // Without a topic: it must not take the place of how the task ended.
                Ok(brief) => reply("", report::stopping(&brief, text)).await,
                Err(why) => reply("", why).await,
            },
            ChatCommand::Retry(name) => match self.retry(sender, name, words).await {
                Ok(brief) => {
                    reply(&brief.task_id, report::received(&brief.task_id, &self.machine, text)).await;
                    return Some(brief);
                }
                Err(why) => reply("", why).await,
            },
            ChatCommand::Ask(request) => match self.ask(sender, request, words.since).await {
                Ok(asked) => {
                    locked(&self.refused).remove(&sender.thread);
                    // `resume` tells about one that was asked for already.
                    let brief = asked?;
                    reply(&brief.task_id, report::received(&brief.task_id, &self.machine, text)).await;
                    return Some(TaskBrief { seq: 0, ..brief });
                }
                Err(why) => {
                    self.remember_refusal(sender);
                    reply("", report::refused(request, &why)).await;
                }
            },
        }
        None
    }

    fn remember_refusal(&self, sender: &Sender) {
        remember(&self.refused, &sender.thread);
    }

    /// Nothing if an earlier process has asked already, before it could write that down.
    async fn ask(&self, sender: &Sender, words: &str, since: Option<u64>) -> Result<Option<TaskBrief>, String> {
        let most = (MAX_OPEN_OF_ALL / self.users.len().max(1)).clamp(1, MAX_OPEN);
        let open = self.open_below(most, &sender.user, words).await?;
        let own = self.own(sender, words).await?;
        let is_full = open.len() >= most + if self.only_reads(words) { MAX_READS } else { 0 };
        if let Some(newest) = open.first().filter(|_| is_full) {
            // One of this chat can be cancelled from it.
            let here = own.iter().find(|brief| !has_ended(brief)).unwrap_or(newest);
            return Err(report::too_many(open.len(), &here.task_id, &self.machine, words));
        }
        let (workspace, words) = self.workspace(words).ok_or_else(|| report::no_workspace(&self.machine, words))?;
        if since.is_some_and(|since| own.iter().any(|brief| brief.since >= since && brief.text == words)) {
            return Ok(None);
        }
        let task = TaskParams {
            op: TaskOp::Ask,
            text: words.to_owned(),
            cwd: workspace.display().to_string(),
            from_user: sender.user.clone(),
            thread: sender.thread.clone(),
            ..TaskParams::default()
        };
        let asked = self.say(task, words).await?.tasks.into_iter().next();
        // Whatever the words are, they show no task of another user.
        let own = asked.filter(|brief| brief.source == self.source && brief.from_user == sender.user);
        own.map(Some).ok_or_else(|| report::no_daemon(words))
    }

    /// The open tasks of a user. Where there are too many, and some of them are about to end or to ask, it waits for these: what has waited at
    /// a relay comes all at once, and is asked for one after the other.
    async fn open_below(&self, most: usize, user: &str, words: &str) -> Result<Vec<TaskBrief>, String> {
        let until = Instant::now() + PACED;
        loop {
            let open = self.open(user, words).await?;
            let settled = |brief: &TaskBrief| matches!(brief.state.as_str(), "WAITING_APPROVAL" | "EXECUTING");
            if open.len() < most || open.iter().all(settled) || Instant::now() >= until {
                return Ok(open);
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Whether a request needs no approval, so that tasks which wait for one are no reason to refuse it.
    fn only_reads(&self, words: &str) -> bool {
        let words = self.workspace(words).map_or(words, |(_, words)| words);
        match route(words, &RouteOptions { prefix: &self.prefix, ..RouteOptions::default() }) {
            Routed::Task(route) => route.requires() == ApprovalRequirement::None,
            Routed::Apply { .. } => false,
        }
    }

    /// The directory that is meant, and the request without its name.
    fn workspace<'a>(&'a self, words: &'a str) -> Option<(&'a Path, &'a str)> {
        let named = words.split_once([':', '：']).and_then(|(name, rest)| {
            let is_it = |path: &&PathBuf| path.file_name().is_some_and(|last| last == name.trim());
            self.workspaces.iter().find(is_it).map(|path| (path.as_path(), rest.trim()))
        });
        named.or_else(|| self.workspaces.first().map(|path| (path.as_path(), words)))
    }

    /// Stops the task that a message is about.
    async fn cancel(&self, sender: &Sender, name: &str, words: &Words<'_>) -> Result<TaskBrief, String> {
        let brief = self.meant(sender, Verb::Cancel, name, words).await?;
        match self.say(self.about(sender, TaskOp::Cancel, &brief), words.text).await {
            Ok(list) => {
                let brief = list.tasks.into_iter().next().unwrap_or(brief);
                if !has_ended(&brief) {
                    remember(&self.stopping, &brief.task_id);
                }
                Ok(brief)
            }
            Err(why) => {
                // It may have ended meanwhile.
                let own = self.own(sender, words.text).await?;
                let ended = own.iter().find(|own| own.task_id == brief.task_id && has_ended(own));
                Err(ended.map_or(why, |brief| report::ended(brief, &self.machine, words.text)))
            }
        }
    }

    async fn retry(&self, sender: &Sender, name: &str, words: &Words<'_>) -> Result<TaskBrief, String> {
        let brief = self.meant(sender, Verb::Retry, name, words).await?;
        self.say(self.about(sender, TaskOp::Retry, &brief), words.text).await?;
        locked(&self.stopping).remove(&brief.task_id);
        locked(&self.refused).remove(&sender.thread);
        Ok(brief)
    }

    fn about(&self, sender: &Sender, op: TaskOp, brief: &TaskBrief) -> TaskParams {
        TaskParams { op, task: brief.task_id.clone(), from_user: sender.user.clone(), ..TaskParams::default() }
    }

    /// The task of this user that a message is about; or what they are asked or told instead.
    async fn meant(&self, sender: &Sender, verb: Verb, name: &str, words: &Words<'_>) -> Result<TaskBrief, String> {
        let mut own = self.own(sender, words.text).await?;
        {
            let mut stopping = locked(&self.stopping);
            stopping.retain(|id| !own.iter().any(|brief| brief.task_id == *id && has_ended(brief)));
            // A word alone is not about a task that is being stopped already.
            own.retain(|brief| !name.is_empty() || !stopping.contains(&brief.task_id));
        }
        let about = Circumstances {
            after_refusal: locked(&self.refused).contains(&sender.thread),
            elsewhere: !words.others.is_empty(),
            repeated: words.since.is_some(),
        };
        let (machine, text) = (&self.machine, words.text);
        match meant(verb, name, &own, about) {
            Meant::Task(brief) => Ok(brief.clone()),
            Meant::Ended(brief) => Err(report::ended(brief, machine, text)),
            Meant::Open(brief) => Err(report::still_open(brief, machine, text)),
            Meant::Unknown => Err(report::no_such(name, machine, words.others, text)),
            Meant::Unclear(why, of) => Err(report::which((verb, why), &of, machine, words.others, text)),
        }
    }

    /// The tasks of a user that have not ended, in whichever chat they were asked for, the newest first.
    async fn open(&self, user: &str, words: &str) -> Result<Vec<TaskBrief>, String> {
        let list =
            TaskParams { op: TaskOp::List, from_user: user.to_owned(), limit: MAX_COUNTED, ..TaskParams::default() };
        let mut briefs = self.say(list, words).await?.tasks;
        briefs.retain(|brief| brief.source == self.source && brief.from_user == user && !has_ended(brief));
        Ok(briefs)
    }

    /// Those of this user in this chat, the newest first.
    async fn own(&self, sender: &Sender, words: &str) -> Result<Vec<TaskBrief>, String> {
        let (thread, from_user) = (sender.thread.clone(), sender.user.clone());
        let list = TaskParams { op: TaskOp::List, thread, from_user, limit: MAX_COUNTED, ..TaskParams::default() };
        let mut briefs = self.say(list, words).await?.tasks;
        briefs.retain(|brief| brief.source == self.source && brief.from_user == sender.user);
        Ok(briefs)
    }

    /// Tells what becomes of a task, and of those in which an agent goes on with it, from behind what `brief` knows.
    async fn watch(&self, sender: &Sender, brief: TaskBrief) {
        let mut next = Some((brief.task_id, brief.text, brief.seq));
        while let Some((id, text, known)) = next.take() {
            let (source, from_user) = (self.source.to_owned(), sender.user.clone());
            let watch = TaskParams { op: TaskOp::Watch, task: id, source, from_user, ..TaskParams::default() };
            let Ok(mut wire) = DaemonClient::say(&self.socket, watch).await else { return };
            let mut report = ChatReport::new(&self.machine, &text);
            while let Ok(Some(reply)) = wire.next().await {
                let Reply::TaskEvent(told) = reply else { continue };
                let Ok(event) = serde_json::from_value::<Event>(told.event) else { continue };
                if let Some(message) = report.hear(&event)
                    && event.seq > known
                {
                    self.tell(sender, event.task_id.as_str(), message, None).await;
                }
                if let EventKind::TaskState(change) = &event.what
                    && let Some(goes_on) = change.outcome.as_ref().and_then(|outcome| outcome.next.as_ref())
                {
                    next = Some((goes_on.to_string(), text.clone(), 0));
                }
                if matches!(event.what, EventKind::TaskEnd { .. }) && event.seq > known {
                    break;
                }
            }
        }
    }

    async fn tell(&self, sender: &Sender, topic: &str, text: String, reply_to: Option<String>) {
        let outgoing = Outgoing { chat: sender.chat.clone(), topic: topic.to_owned(), text, reply_to };
        let _ = self.outbox.send(outgoing).await;
    }

    /// Asks the daemon, as a remote user.
    async fn say(&self, task: TaskParams, words: &str) -> Result<TaskList, String> {
        let task = TaskParams { source: self.source.to_owned(), ..task };
        let asked = async {
            let mut wire = DaemonClient::say(&self.socket, task).await?;
            wire.next().await
        };
        match timeout(DAEMON, asked).await {
            Ok(Ok(Some(Reply::Task(tasks)))) => Ok(*tasks),
            Ok(Ok(Some(Reply::Error(failure)))) => Err(report::daemon_said(&failure.error.message, words)),
            Ok(Ok(_) | Err(_)) | Err(_) => Err(report::no_daemon(words)),
        }
    }
}

/// Bounded: what is forgotten is asked for again.
fn remember(known: &Mutex<HashSet<String>>, name: &str) {
    let mut known = locked(known);
    if known.len() >= MAX_REMEMBERED {
        known.clear();
    }
    known.insert(name.to_owned());
}

/// By which a second delivery is known: where one part ends and the next begins counts.
fn key(parts: &[&str]) -> String {
    aside_relay::key::digest(parts)
}

/// One conversation for each user, and for each group in which they ask. The group is found again in it.
fn thread(source: &str, user: &str, chat: &str) -> String {
    if chat == user { format!("{source}:{user}") } else { format!("{source}:{user}:{chat}") }
}

fn chat_of<'a>(source: &str, brief: &'a TaskBrief) -> &'a str {
    let behind = |text: &'a str, before: &str| text.strip_prefix(before)?.strip_prefix(':');
    let chat = behind(&brief.thread_id, source).and_then(|rest| behind(rest, &brief.from_user));
    chat.unwrap_or(&brief.from_user)
}

/// `~/work` is below the user's home.
fn expanded(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_of_a_task_is_found_again() {
        for (user, chat) in [("li", "li"), ("li", "group-7"), ("a:b", "c:d")] {
            let brief =
                TaskBrief { thread_id: thread("wecom", user, chat), from_user: user.into(), ..TaskBrief::default() };
            assert_eq!(chat_of("wecom", &brief), chat);
        }
    }
}
