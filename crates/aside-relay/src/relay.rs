//! What a relay decides: which machine a user's message goes to, which machines exist, which of them is connected, and which chat a
//! machine may reply to. Knows no chat and no transport.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, ensure};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::mpsc;

use crate::address::{Addressed, MAX_MACHINE, addressed, is_machine};
use crate::chat::ChatMessage;
use crate::key::Invitation;
use crate::metrics::Metrics;
use crate::notice::{Notice, notice};
use crate::protocol::{MAX_ID, MAX_NAME, MAX_OTHERS, MAX_REPLY, MAX_TEXT, Message};
use crate::settings::Settings;
use crate::store::{Bucket, Note, PutOutcome, Queue, Store};
use crate::{key, milliseconds};

/// How long a code is good, unless it is said otherwise.
pub const CODE_LIFE: Duration = Duration::from_secs(15 * 60);
/// The shortest and the longest that a code can be good.
pub const CODE_MINUTES: std::ops::RangeInclusive<u64> = 1..=7 * 24 * 60;
/// A machine that was not heard of for so long is not there. Longer than `settings::SILENCE`, after which its connection is closed.
pub const PRESENT: Duration = Duration::from_secs(30);
/// A queue that gives nothing for so long has nothing.
const NO_MORE: Duration = Duration::from_secs(1);
/// Writers of one entry that get in each other's way.
const TRIES: usize = 16;
/// What a connection has not read yet. More would say the same.
const MAX_SIGNALS: usize = 8;
pub const MAX_USERS: usize = 64;
const MAX_TOPIC: usize = 128;
/// Chats that are remembered in memory; the store has them all.
const MAX_CONTACTS: usize = 10_000;
/// Begins the topic of what says how many replies were left out.
pub const LEFT_OUT: &str = "left out";
/// Begins the topic of a refusal, and of what says that a machine is not connected.
pub const REFUSED: &str = "refused ";
pub const OFFLINE: &str = "offline ";
/// Chats with a message that is being stored, before those without one are forgotten.
const MAX_LANES: usize = 1024;

pub struct Relay {
    pub store: Arc<dyn Store>,
    pub settings: Settings,
    pub metrics: Metrics,
    /// This copy among several.
    pub copy: String,
    open: Mutex<HashMap<String, Open>>,
    contacts: Mutex<HashSet<String>>,
    /// Chats that were told that a machine is not connected, with that machine, until it is.
    told_offline: Mutex<HashSet<(String, String)>>,
    /// Messages of one chat are stored one after the other: their order is that in which they came.
    lanes: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
}

/// A machine that is connected to this copy.
struct Open {
    connection: String,
    signals: mpsc::Sender<Signal>,
}

/// What an open connection has to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The same machine has connected anew: this connection ends.
    Replaced,
    /// Its key may no longer be good.
    Check,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    pub public_key: String,
    pub users: Vec<String>,
    /// Milliseconds since 1970.
    pub enrolled: u64,
    #[serde(default)]
    pub revoked: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Presence {
    pub copy: String,
    pub connection: String,
    pub since: u64,
    pub until: u64,
    /// When it has sent something last.
    #[serde(default)]
    pub heard: u64,
}

/// In a machine's queue.
#[derive(Debug, Serialize, Deserialize)]
pub struct Queued {
    pub machine: String,
    pub message: Message,
    pub at: u64,
    pub expires: u64,
}

/// In the queue of replies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    pub id: String,
    /// Which machine says it; empty for the relay itself.
    #[serde(default)]
    pub machine: String,
    pub source: String,
    pub chat: String,
    pub topic: String,
    pub text: String,
}

impl Reply {
    /// The chat, with where it is.
    pub fn handle(&self) -> String {
        format!("{}/{}", self.source, self.chat)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepted {
    New,
    Duplicate,
    /// No machine is this user's.
    Unrouted,
    /// It names a machine that is not this user's, and was refused.
    Misaddressed,
    /// Too many messages wait for the machine.
    Full,
    /// Too many messages of this user wait for the machine.
    FullForUser,
    /// More than `MAX_TEXT` bytes.
    TooLong,
    /// Names that no chat has.
    Invalid,
}

impl Relay {
    pub fn new(store: Arc<dyn Store>, settings: Settings) -> anyhow::Result<Self> {
        let copy = key::random()?[..8].to_owned();
        let metrics = Metrics::default();
        let (open, contacts, lanes) = (Mutex::default(), Mutex::default(), Mutex::default());
        Ok(Self { store, settings, metrics, copy, open, contacts, told_offline: Mutex::default(), lanes })
    }

    /// Takes a message of a chat. Once this gives `New`, it is stored.
    pub async fn accept(&self, source: &'static str, heard: ChatMessage) -> anyhow::Result<Accepted> {
        let ChatMessage { id, user, chat, text } = heard;
        let handle = format!("{source}/{chat}");
        let is_valid = (1..=MAX_NAME).contains(&user.len())
            && !chat.is_empty()
            && handle.len() <= MAX_NAME
            && (1..=MAX_ID).contains(&id.len());
        if !is_valid {
            self.metrics.count("messages_total", "refused");
            tracing::warn!(
                "a message of {source} is refused: its user or chat has more than {MAX_NAME} bytes, its id more than {MAX_ID}, or one is empty"
            );
            return Ok(Accepted::Invalid);
        }
        let lane = self.lane(&handle);
        let _turn = lane.lock().await;
        // An id is the chat's for one user: another user's message with the same id is another message.
        let id = key::digest(&[source, &user, &id]);
        let machines: Vec<String> = self.read(Bucket::Routes, &user).await?.unwrap_or_default();
        let named = addressed(&machines, &text);
        if text.len() > MAX_TEXT && named != Addressed::Unrouted {
            self.metrics.count("messages_total", "refused");
            tracing::warn!(
                "a message of {source} is refused: it has {} bytes, and at most {MAX_TEXT} are taken",
                text.len()
            );
            self.audit("too long", json!({ "source": source, "user": user, "message": id })).await?;
            let told = notice("", &text, Notice::TooLong);
            self.refuse(("too long", &id), source, &chat, told).await?;
            return Ok(Accepted::TooLong);
        }
        let (machine, text, is_named) = match named {
            Addressed::Machine { machine, text, is_named } => (machine, text, is_named),
            Addressed::Unrouted => {
                self.metrics.count("messages_total", "unrouted");
                self.audit("unrouted", json!({ "source": source, "user": user, "message": id })).await?;
                return Ok(Accepted::Unrouted);
            }
            Addressed::Unknown(name) => {
                self.metrics.count("messages_total", "misaddressed");
                self.audit("misaddressed", json!({ "source": source, "user": user, "message": id })).await?;
                let told = notice(name, &text, Notice::Unknown(&machines));
                self.refuse(("unknown", &id), source, &chat, told).await?;
                return Ok(Accepted::Misaddressed);
            }
        };
        self.remember_contact(machine, &handle).await?;
        let now = milliseconds();
        let expires = now + u64::try_from(self.settings.expire.as_millis()).unwrap_or(u64::MAX);
        let others = machines.iter().filter(|name| !is_named && *name != machine).take(MAX_OTHERS).cloned().collect();
        let refused = self.was_refused(&handle).await?;
        let (to, after_refusal) = (handle.clone(), refused.is_some());
        let message =
            Message { id: id.clone(), user: user.clone(), chat: to, text: text.to_owned(), others, after_refusal };
        let queued = message.clone();
        let body = serde_json::to_vec(&Queued { machine: machine.to_owned(), message: queued, at: now, expires })?;
        match self.store.publish(Queue::Machine(machine), &user, &id, body).await? {
            PutOutcome::New => {}
            PutOutcome::Duplicate => {
                self.metrics.count("messages_total", "duplicate");
                return Ok(Accepted::Duplicate);
            }
            PutOutcome::Full => {
                self.metrics.count("messages_total", "full");
                let told = notice(machine, text, Notice::Full);
                self.refuse((&format!("full {machine}"), &id), source, &chat, told).await?;
                return Ok(Accepted::Full);
            }
            PutOutcome::FullForUser => {
                self.metrics.count("messages_total", "full");
                let told = notice(machine, text, Notice::FullForUser);
                self.refuse((&format!("full {machine}"), &id), source, &chat, told).await?;
                return Ok(Accepted::FullForUser);
            }
        }
        if let Some(revision) = refused {
            self.store.remove(Bucket::Refusals, &handle, revision).await?;
        }
        self.metrics.count("messages_total", "accepted");
        self.audit("accepted", json!({ "source": source, "user": user, "machine": machine, "message": id })).await?;
        if !self.is_present(machine).await? {
            self.tell_offline(machine, &message).await?;
        }
        Ok(Accepted::New)
    }

    fn lane(&self, chat: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        if lanes.len() >= MAX_LANES {
            lanes.retain(|_, lane| Arc::strong_count(lane) > 1);
        }
        Arc::clone(lanes.entry(chat.to_owned()).or_default())
    }

    /// Says that a machine is not connected and that requests wait for it: once in each chat, until the machine is back.
    pub async fn tell_offline(&self, machine: &str, message: &Message) -> anyhow::Result<()> {
        let Some((source, chat)) = message.chat.split_once('/') else { return Ok(()) };
        let about = (machine.to_owned(), message.chat.clone());
        if self.told_offline().contains(&about) {
            return Ok(());
        }
        let told = notice(machine, &message.text, Notice::Offline(self.settings.expire));
        self.say((&format!("{OFFLINE}{machine}"), &message.id), source, chat, told).await?;
        let mut told = self.told_offline();
        if told.len() >= MAX_CONTACTS {
            told.clear();
        }
        told.insert(about);
        Ok(())
    }

    fn told_offline(&self) -> MutexGuard<'_, HashSet<(String, String)>> {
        self.told_offline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a reply says that a machine is not connected, which is connected by now.
    pub async fn is_outdated(&self, reply: &Reply) -> bool {
        match reply.topic.strip_prefix(OFFLINE).filter(|_| reply.machine.is_empty()) {
            Some(machine) => self.is_present(machine).await.unwrap_or(false),
            None => false,
        }
    }

    /// Drops the messages that no machine has taken in time, and tells their users.
    pub async fn expire(&self) -> anyhow::Result<()> {
        loop {
            let items = self.store.expired().await?;
            if items.is_empty() {
                return Ok(());
            }
            for item in items {
                match serde_json::from_slice(&item.body) {
                    Ok(queued) => self.drop_expired(&queued).await?,
                    Err(_) => tracing::error!("an expired message cannot be read, and is dropped"),
                }
                self.store.settle(&item.token).await?;
            }
        }
    }

    /// Tells the user of a message that it was not delivered. Its item is settled by the caller.
    pub async fn drop_expired(&self, queued: &Queued) -> anyhow::Result<()> {
        let Queued { machine, message: Message { id, user, chat: handle, text, .. }, at, expires: _ } = queued;
        let Some((source, chat)) = handle.split_once('/') else { return Ok(()) };
        let waited = Duration::from_millis(milliseconds().saturating_sub(*at));
        let told = notice(machine, text, Notice::Expired(waited));
        self.say((&format!("expired {id}"), id), source, chat, told).await?;
        self.metrics.count("deliveries_total", "expired");
        self.audit("expired", json!({ "source": source, "user": user, "machine": machine, "message": id })).await
    }

    /// Takes a reply of a machine; or why it is not taken.
    pub async fn reply(
        &self,
        machine: &str,
        id: &str,
        chat: &str,
        topic: &str,
        text: String,
    ) -> anyhow::Result<Result<(), &'static str>> {
        let rejected = |why| {
            self.metrics.count("replies_total", "rejected");
            Ok(Err(why))
        };
        if text.len() > MAX_REPLY || topic.len() > MAX_TOPIC || !(1..=MAX_ID).contains(&id.len()) {
            return rejected("it is too long");
        }
        if !self.is_contact(machine, chat).await? {
            self.audit("rejected", json!({ "machine": machine, "reason": "this chat has not written to it" })).await?;
            return rejected("this chat has not written to this machine");
        }
        let Some((source, chat)) = chat.split_once('/') else { return rejected("it names no chat") };
        let id = key::digest(&[machine, id]);
        let (source, chat, topic) = (source.to_owned(), chat.to_owned(), topic.to_owned());
        let put = self.put_reply(Reply { id, machine: machine.to_owned(), source, chat, topic, text }).await?;
        self.metrics.count("replies_total", if put == PutOutcome::Duplicate { "duplicate" } else { "stored" });
        Ok(match put {
            PutOutcome::New | PutOutcome::Duplicate => Ok(()),
            PutOutcome::Full | PutOutcome::FullForUser => Err("too many replies wait"),
        })
    }

    /// The relay's own words to a chat, once for each message. Of those that wait for the rate limit, one of each topic is sent: a user who
    /// writes much to a machine that is away must not fill the queue of replies.
    async fn say(&self, (topic, message): (&str, &str), source: &str, chat: &str, text: String) -> anyhow::Result<()> {
        let id = key::digest(&["relay", topic, message]);
        self.put_own(id, topic, source, chat, text).await
    }

    /// The same about a message that was refused. Of those that wait for the rate limit the last one of each reason is told, with how many
    /// they are. The next message of the chat says that it follows a refusal.
    async fn refuse(&self, (why, message): (&str, &str), source: &str, chat: &str, text: String) -> anyhow::Result<()> {
        self.store.put(Bucket::Refusals, &format!("{source}/{chat}"), Vec::new(), 0).await?;
        self.put_own(key::digest(&["relay", why, message]), &format!("{REFUSED}{why}"), source, chat, text).await
    }

    /// The revision of the entry that says that the last message of this chat was refused.
    async fn was_refused(&self, handle: &str) -> anyhow::Result<Option<u64>> {
        Ok(self.store.get(Bucket::Refusals, handle).await?.map(|entry| entry.revision))
    }

    /// Says in a chat how many replies of a machine were left out so far. The topic is that of all these.
    pub async fn tell_left_out(&self, reply: &Reply, topic: &str, count: u64) -> anyhow::Result<()> {
        let told = notice(&reply.machine, &reply.text, Notice::LeftOut(count));
        let id = key::digest(&["relay", topic, &reply.handle(), &reply.id]);
        self.put_own(id, topic, &reply.source, &reply.chat, told).await
    }

    async fn put_own(&self, id: String, topic: &str, source: &str, chat: &str, text: String) -> anyhow::Result<()> {
        let (source, chat, topic) = (source.to_owned(), chat.to_owned(), topic.to_owned());
        let put = self.put_reply(Reply { id, machine: String::new(), source, chat, topic, text }).await?;
        if matches!(put, PutOutcome::Full | PutOutcome::FullForUser) {
            self.metrics.count("replies_total", "rejected");
            tracing::error!("a user is not told something: too many replies wait");
        }
        Ok(())
    }

    async fn put_reply(&self, reply: Reply) -> anyhow::Result<PutOutcome> {
        let body = serde_json::to_vec(&reply)?;
        self.store.publish(Queue::Replies, &reply.handle(), &reply.id, body).await
    }

    /// A one-time code by which a machine becomes known under this name, for these users. An enrolled machine gets a new key by it.
    pub async fn invite(&self, machine: &str, users: &[String], life: Duration) -> anyhow::Result<String> {
        ensure!(is_machine(machine), "a machine's name has at most {MAX_MACHINE} small letters, digits and hyphens");
        let are_users = users.len() <= MAX_USERS && users.iter().all(|user| (1..=MAX_NAME).contains(&user.len()));
        ensure!(are_users, "at most {MAX_USERS} users, of at most {MAX_NAME} bytes each");
        let known = self.machine(machine).await?.map(|known| known.users).unwrap_or_default();
        let added = users.iter().filter(|user| !known.contains(user)).count();
        ensure!(known.len() + added <= MAX_USERS, "{}", too_many_users(machine));
        let made = milliseconds();
        self.forget_codes(|invitation| !invitation.is_good(made)).await?;
        let code = key::code()?;
        let until = made + u64::try_from(life.as_millis()).unwrap_or(u64::MAX);
        let invitation = Invitation { machine: machine.to_owned(), users: users.to_vec(), made, until };
        let put = self.store.put(Bucket::Codes, &key::code_digest(&code), serde_json::to_vec(&invitation)?, 0).await?;
        put.context("there is such a code already")?;
        self.audit("invited", json!({ "machine": machine, "users": users })).await?;
        Ok(code)
    }

    /// Codes that were not used yet: the machine, its users, and until when each is good.
    pub async fn invited(&self) -> anyhow::Result<Vec<(String, Vec<String>, u64)>> {
        let mut invited = Vec::new();
        for (_, value) in self.store.list(Bucket::Codes).await? {
            let invitation: Invitation = serde_json::from_slice(&value)?;
            if invitation.is_good(milliseconds()) {
                invited.push((invitation.machine, invitation.users, invitation.until));
            }
        }
        invited.sort();
        Ok(invited)
    }

    /// Makes codes void. Says how many.
    async fn forget_codes(&self, is_void: impl Fn(&Invitation) -> bool) -> anyhow::Result<usize> {
        let mut count = 0;
        for (digest, value) in self.store.list(Bucket::Codes).await? {
            if !serde_json::from_slice(&value).is_ok_and(|invitation| is_void(&invitation)) {
                continue;
            }
            if let Some(entry) = self.store.get(Bucket::Codes, &digest).await? {
                count += usize::from(self.store.remove(Bucket::Codes, &digest, entry.revision).await?);
            }
        }
        Ok(count)
    }

    /// A machine brings a code and its public key: its name, if the code is good. A code is good once.
    pub async fn enrol(&self, code: &str, public_key: &str) -> anyhow::Result<Option<String>> {
        let refused = || self.metrics.count("enrolments_total", "refused");
        let digest = key::code_digest(code);
        let Some(entry) = self.store.get(Bucket::Codes, &digest).await? else {
            refused();
            return Ok(None);
        };
        if !key::is_public_key(public_key) {
            refused();
            return Ok(None);
        }
        // Removing the code claims it: of two requests with the same code at once, one succeeds.
        let is_first = self.store.remove(Bucket::Codes, &digest, entry.revision).await?;
        let invitation: Invitation = serde_json::from_slice(&entry.value)?;
        let is_good = is_first && invitation.is_good(milliseconds());
        let Invitation { machine, users, .. } = invitation;
        if !is_good {
            refused();
            self.audit("enrolment refused", json!({ "machine": machine })).await?;
            return Ok(None);
        }
        // A revoked machine of this name was another one: what is left of it is not for this one.
        let before: Option<Machine> = self.read(Bucket::Machines, &machine).await?;
        if before.is_some_and(|before| before.revoked) {
            self.forget_machine(&machine).await?;
        }
        let enrolled = self
            .change(Bucket::Machines, &machine, |known: Option<Machine>| {
                let mut all = known.filter(|known| !known.revoked).unwrap_or_default().users;
                for user in &users {
                    if !all.contains(user) {
                        all.push(user.clone());
                    }
                }
                let (public_key, enrolled) = (public_key.to_owned(), milliseconds());
                Some(Machine { public_key, users: all, enrolled, revoked: false })
            })
            .await?;
        for user in enrolled.map(|machine| machine.users).unwrap_or_default() {
            self.route(&user, &machine, Order::Last).await?;
        }
        // An open connection was opened with the key before.
        self.store.tell(Note::Changed { machine: machine.clone() }).await?;
        self.metrics.count("enrolments_total", "done");
        self.audit("enrolled", json!({ "machine": machine })).await?;
        Ok(Some(machine))
    }

    /// Its key is no longer good, from now on and on an open connection; nor is a code for it that was not used. Nothing if it has neither.
    pub async fn revoke(&self, machine: &str) -> anyhow::Result<Option<Revoked>> {
        let codes = self.forget_codes(|invitation| invitation.machine == machine).await?;
        let mut users = Vec::new();
        let revoked = self
            .change(Bucket::Machines, machine, |known: Option<Machine>| {
                let known = known.filter(|known| !known.revoked)?;
                users.clone_from(&known.users);
                Some(Machine { revoked: true, ..known })
            })
            .await?;
        if revoked.is_none() {
            if codes > 0 {
                self.audit("codes void", json!({ "machine": machine })).await?;
            }
            return Ok((codes > 0).then_some(Revoked { key: false, codes }));
        }
        for user in users {
            self.unroute(&user, machine).await?;
        }
        self.store.tell(Note::Changed { machine: machine.to_owned() }).await?;
        self.signal(machine, None, Signal::Check);
        self.forget_machine(machine).await?;
        self.audit("revoked", json!({ "machine": machine })).await?;
        Ok(Some(Revoked { key: true, codes }))
    }

    /// Drops what waits for a machine, telling the users, and which chats it may reply to.
    async fn forget_machine(&self, machine: &str) -> anyhow::Result<()> {
        let mut items = self.store.open(Queue::Machine(machine)).await?;
        while let Ok(Some(item)) = tokio::time::timeout(NO_MORE, items.recv()).await {
            if let Ok(Queued { message: Message { id, user, chat: handle, text, .. }, .. }) =
                serde_json::from_slice(&item.body)
                && let Some((source, chat)) = handle.split_once('/')
            {
                let told = notice(machine, &text, Notice::Revoked);
                self.say((&format!("revoked {id}"), &id), source, chat, told).await?;
                self.audit("dropped", json!({ "source": source, "user": user, "machine": machine, "message": id }))
                    .await?;
            }
            self.store.settle(&item.token).await?;
        }
        for (contact, value) in self.store.list(Bucket::Contacts).await? {
            if value == machine.as_bytes()
                && let Some(entry) = self.store.get(Bucket::Contacts, &contact).await?
            {
                self.store.remove(Bucket::Contacts, &contact, entry.revision).await?;
            }
        }
        self.forget_contacts();
        Ok(())
    }

    /// Those in memory: the store is asked again.
    fn forget_contacts(&self) {
        self.contacts.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// A user's requests go to this machine: first, or when they name it. False if there is no such machine.
    pub async fn assign(&self, user: &str, machine: &str) -> anyhow::Result<bool> {
        ensure!((1..=MAX_NAME).contains(&user.len()), "a user's name has at most {MAX_NAME} bytes");
        let mut is_full = false;
        let known = self
            .change(Bucket::Machines, machine, |known: Option<Machine>| {
                let mut known = known.filter(|known| !known.revoked)?;
                if !known.users.iter().any(|name| name == user) {
                    is_full = known.users.len() >= MAX_USERS;
                    known.users.push(user.to_owned());
                }
                Some(known).filter(|_| !is_full)
            })
            .await?;
        ensure!(!is_full, "{}", too_many_users(machine));
        if known.is_none() {
            return Ok(false);
        }
        self.route(user, machine, Order::First).await?;
        self.audit("routed", json!({ "user": user, "machine": machine })).await?;
        Ok(true)
    }

    /// A user's requests no longer go to this machine. False if they did not.
    pub async fn unassign(&self, user: &str, machine: &str) -> anyhow::Result<bool> {
        let was_user = self
            .change(Bucket::Machines, machine, |known: Option<Machine>| {
                let mut known = known.filter(|known| known.users.iter().any(|name| name == user))?;
                known.users.retain(|name| name != user);
                Some(known)
            })
            .await?;
        let was_routed = self.unroute(user, machine).await?;
        if was_user.is_none() && !was_routed {
            return Ok(false);
        }
        self.audit("route removed", json!({ "user": user, "machine": machine })).await?;
        Ok(true)
    }

    /// Whether the user had this machine.
    async fn unroute(&self, user: &str, machine: &str) -> anyhow::Result<bool> {
        let changed = self.change(Bucket::Routes, user, |known: Option<Vec<String>>| {
            let mut known = known.filter(|known| known.iter().any(|name| name == machine))?;
            known.retain(|name| name != machine);
            Some(known)
        });
        Ok(changed.await?.is_some())
    }

    async fn route(&self, user: &str, machine: &str, order: Order) -> anyhow::Result<()> {
        let changed = self.change(Bucket::Routes, user, |known: Option<Vec<String>>| {
            let mut known = known.unwrap_or_default();
            match order {
                Order::First => {
                    known.retain(|name| name != machine);
                    known.insert(0, machine.to_owned());
                }
                Order::Last if known.iter().any(|name| name == machine) => {}
                Order::Last => known.push(machine.to_owned()),
            }
            Some(known)
        });
        changed.await.map(drop)
    }

    /// A machine that may connect.
    pub async fn machine(&self, name: &str) -> anyhow::Result<Option<Machine>> {
        let machine: Option<Machine> = self.read(Bucket::Machines, name).await?;
        Ok(machine.filter(|machine| !machine.revoked))
    }

    pub async fn machines(&self) -> anyhow::Result<Vec<(String, Machine, Option<Presence>)>> {
        let mut machines = Vec::new();
        for (name, value) in self.store.list(Bucket::Machines).await? {
            let presence = self.presence(&name).await?;
            machines.push((name, serde_json::from_slice(&value)?, presence));
        }
        Ok(machines)
    }

    async fn is_present(&self, machine: &str) -> anyhow::Result<bool> {
        Ok(self.is_here(machine) || self.presence(machine).await?.is_some())
    }

    async fn presence(&self, machine: &str) -> anyhow::Result<Option<Presence>> {
        let presence: Option<Presence> = self.read(Bucket::Presence, machine).await?;
        // Where there is one copy, what another one has left behind is the state before a restart.
        let is_ours = |presence: &Presence| self.store.is_shared() || presence.copy == self.copy;
        Ok(presence.filter(|presence| presence.until > milliseconds() && is_ours(presence)))
    }

    /// A connection of a machine: every other one of it ends. What comes out of it says when this one has to.
    pub async fn connected(&self, machine: &str, connection: &str) -> anyhow::Result<(mpsc::Receiver<Signal>, u64)> {
        self.told_offline().retain(|(about, _)| about != machine);
        let (signals, received) = mpsc::channel(MAX_SIGNALS);
        let open = Open { connection: connection.to_owned(), signals };
        if let Some(before) = self.locked().insert(machine.to_owned(), open) {
            let _ = before.signals.try_send(Signal::Replaced);
        }
        self.metrics.connected(self.locked().len());
        let now = milliseconds();
        let presence = Presence {
            copy: self.copy.clone(),
            connection: connection.to_owned(),
            since: now,
            until: now + u64::try_from(PRESENT.as_millis()).unwrap_or(u64::MAX),
            heard: now,
        };
        let value = serde_json::to_vec(&presence)?;
        let mut revision = None;
        for _ in 0..TRIES {
            let known = self.store.get(Bucket::Presence, machine).await?.map_or(0, |entry| entry.revision);
            revision = self.store.put(Bucket::Presence, machine, value.clone(), known).await?;
            if revision.is_some() {
                break;
            }
        }
        let note = Note::Connected { machine: machine.to_owned(), connection: connection.to_owned() };
        self.store.tell(note).await?;
        Ok((received, revision.context("the presence of a machine cannot be written")?))
    }

    /// Still there. Nothing if another connection has taken its place.
    pub async fn still_connected(
        &self,
        machine: &str,
        connection: &str,
        (since, heard): (u64, u64),
        revision: u64,
    ) -> anyhow::Result<Option<u64>> {
        let until = heard + u64::try_from(PRESENT.as_millis()).unwrap_or(u64::MAX);
        let (copy, connection) = (self.copy.clone(), connection.to_owned());
        let value = serde_json::to_vec(&Presence { copy, connection, since, until, heard })?;
        self.store.put(Bucket::Presence, machine, value, revision).await
    }

    pub async fn disconnected(&self, machine: &str, connection: &str, revision: u64) {
        {
            let mut open = self.locked();
            if open.get(machine).is_some_and(|open| open.connection == connection) {
                open.remove(machine);
            }
            self.metrics.connected(open.len());
        }
        if let Err(error) = self.store.remove(Bucket::Presence, machine, revision).await {
            tracing::debug!("the presence of {machine} ends by itself: {error:#}");
        }
    }

    pub fn is_here(&self, machine: &str) -> bool {
        self.locked().contains_key(machine)
    }

    /// To what this copy has open for a machine, but for one connection.
    fn signal(&self, machine: &str, but: Option<&str>, signal: Signal) {
        if let Some(open) = self.locked().get(machine).filter(|open| but != Some(open.connection.as_str())) {
            let _ = open.signals.try_send(signal);
        }
    }

    /// Does what the other copies tell, until the store ends.
    pub async fn listen(&self) -> anyhow::Result<()> {
        let mut notes = self.store.notes().await?;
        while let Some(note) = notes.recv().await {
            match note {
                Note::Connected { machine, connection } => {
                    self.told_offline().retain(|(about, _)| *about != machine);
                    self.signal(&machine, Some(&connection), Signal::Replaced);
                }
                Note::Changed { machine } => {
                    self.forget_contacts();
                    self.signal(&machine, None, Signal::Check);
                }
            }
        }
        Ok(())
    }

    async fn remember_contact(&self, machine: &str, handle: &str) -> anyhow::Result<()> {
        let contact = key::digest(&[machine, handle]);
        if !self.knows(&contact) {
            self.store.put(Bucket::Contacts, &contact, machine.as_bytes().to_vec(), 0).await?;
            self.learn(contact);
        }
        Ok(())
    }

    async fn is_contact(&self, machine: &str, handle: &str) -> anyhow::Result<bool> {
        let contact = key::digest(&[machine, handle]);
        let is_known = self.knows(&contact) || self.store.get(Bucket::Contacts, &contact).await?.is_some();
        if is_known {
            self.learn(contact);
        }
        Ok(is_known)
    }

    fn knows(&self, contact: &str) -> bool {
        self.contacts.lock().unwrap_or_else(PoisonError::into_inner).contains(contact)
    }

    fn learn(&self, contact: String) {
        let mut contacts = self.contacts.lock().unwrap_or_else(PoisonError::into_inner);
        if contacts.len() >= MAX_CONTACTS {
            contacts.clear();
        }
        contacts.insert(contact);
    }

    /// Who did what, when. No text of a message is in it.
    pub async fn audit(&self, event: &str, mut about: serde_json::Value) -> anyhow::Result<()> {
        about["at"] = json!(milliseconds());
        about["event"] = json!(event);
        self.store.audit(about.to_string()).await
    }

    async fn read<T: DeserializeOwned>(&self, bucket: Bucket, key: &str) -> anyhow::Result<Option<T>> {
        let entry = self.store.get(bucket, key).await?;
        entry.map(|entry| serde_json::from_slice(&entry.value).context("an entry of the store is damaged")).transpose()
    }

    /// Changes an entry, whatever others do to it meanwhile; `how` may be asked several times. Nothing if it wants no change.
    async fn change<T: DeserializeOwned + Serialize>(
        &self,
        bucket: Bucket,
        key: &str,
        mut how: impl FnMut(Option<T>) -> Option<T>,
    ) -> anyhow::Result<Option<T>> {
        for _ in 0..TRIES {
            let entry = self.store.get(bucket, key).await?;
            let revision = entry.as_ref().map_or(0, |entry| entry.revision);
            let known = entry.map(|entry| serde_json::from_slice(&entry.value)).transpose()?;
            let Some(changed) = how(known) else { return Ok(None) };
            if self.store.put(bucket, key, serde_json::to_vec(&changed)?, revision).await?.is_some() {
                return Ok(Some(changed));
            }
        }
        anyhow::bail!("an entry of the store changes all the time")
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<String, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Order {
    First,
    Last,
}

/// What a revocation has made void.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revoked {
    pub key: bool,
    pub codes: usize,
}

fn too_many_users(machine: &str) -> String {
    format!("{machine} has {MAX_USERS} users, and a machine has no more; enroll another machine for the next one")
}
