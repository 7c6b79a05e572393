//! Replies on their way to chats. One copy of the relay sends at a time (a lease says which), so that the rate limits of a chat hold for
//! all copies together. A reply is settled once its chat has taken it, so after a crash it may be sent twice, and is never lost.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use aside_wecom::pace::{Pace, Placed, Slot};
use aside_wecom::seen::Seen;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::chat::{webhook, wecom};
use crate::key;
use crate::notice::{Notice, notice};
use crate::outbound_http::DeliveryOutcome;
use crate::relay::{LEFT_OUT, REFUSED, Relay, Reply};
use crate::store::{Bucket, Item, Queue};

/// Replies of different chats that are sent at once. Those of one chat keep their order.
const LANES: usize = 8;
const MAX_LANE: usize = 64;
/// The lease is renewed (and expired messages are looked for) so often; one that was not renewed for so long is free to take.
const RENEW: Duration = Duration::from_secs(2);
const LEASE: Duration = Duration::from_secs(8);
const SENDER: &str = "sender";
const FIRST_DELAY: Duration = Duration::from_secs(1);
const LAST_DELAY: Duration = Duration::from_secs(60);
/// How often a reply is tried before others have their turn.
const TRIES: u32 = 5;
const IDLE: Duration = Duration::from_secs(3600);

/// Sends for as long as this copy has the lease, and waits for it otherwise.
pub async fn run(relay: Arc<Relay>) {
    loop {
        match lease(&relay).await {
            Ok(revision) => {
                tokio::select! {
                    () = keep(&relay, revision) => {}
                    () = expire(&relay) => {}
                    sent = send(&relay) => if let Err(error) = sent {
                        tracing::warn!("replies cannot be sent now: {error:#}");
                    },
                }
            }
            Err(error) => tracing::warn!("whose turn it is to send replies cannot be found out: {error:#}"),
        }
        sleep(RENEW).await;
    }
}

/// Drops what has waited too long, and says so. Never ends.
async fn expire(relay: &Relay) {
    loop {
        if let Err(error) = relay.expire().await {
            tracing::warn!("expired messages cannot be looked for now: {error:#}");
        }
        sleep(RENEW).await;
    }
}

/// Waits until the lease is this copy's. Time is measured here alone: the clocks of copies may differ.
async fn lease(relay: &Relay) -> anyhow::Result<u64> {
    let mut seen = (0, Instant::now());
    loop {
        let entry = relay.store.get(Bucket::Leases, SENDER).await?;
        let revision = entry.as_ref().map_or(0, |entry| entry.revision);
        if revision != seen.0 {
            seen = (revision, Instant::now());
        }
        let is_mine = entry.as_ref().is_some_and(|entry| entry.value == relay.copy.as_bytes());
        if (entry.is_none() || is_mine || seen.1.elapsed() > LEASE)
            && let Some(revision) =
                relay.store.put(Bucket::Leases, SENDER, relay.copy.clone().into_bytes(), revision).await?
        {
            return Ok(revision);
        }
        sleep(RENEW).await;
    }
}

/// Until the lease is lost.
async fn keep(relay: &Relay, mut revision: u64) {
    let mut renewed = Instant::now();
    while renewed.elapsed() < LEASE {
        sleep(RENEW).await;
        match relay.store.put(Bucket::Leases, SENDER, relay.copy.clone().into_bytes(), revision).await {
            Ok(Some(next)) => (revision, renewed) = (next, Instant::now()),
            Ok(None) => return,
            Err(error) => tracing::debug!("the lease cannot be renewed now: {error:#}"),
        }
    }
}

async fn send(relay: &Arc<Relay>) -> anyhow::Result<()> {
    let mut items = relay.store.open(Queue::Replies).await?;
    let mut lanes = Vec::new();
    let mut work = JoinSet::new();
    for _ in 0..LANES {
        let (lane, replies) = mpsc::channel(MAX_LANE);
        lanes.push(lane);
        let senders = Senders::new(relay)?;
        work.spawn(Lane::new(Arc::clone(relay), senders, key::random()?).run(replies));
    }
    while let Some(item) = items.recv().await {
        let Ok(reply) = serde_json::from_slice::<Reply>(&item.body) else {
            tracing::error!("a reply in the queue cannot be read");
            relay.store.settle(&item.token).await?;
            continue;
        };
        let mut hasher = DefaultHasher::new();
        (&reply.source, &reply.chat).hash(&mut hasher);
        let lane = usize::try_from(hasher.finish() % LANES as u64).unwrap_or(0);
        lanes[lane].send((item, reply)).await.ok().context("a lane has ended")?;
    }
    Ok(())
}

struct Senders {
    wecom: Option<wecom::Sender>,
    webhook: Option<webhook::Sender>,
}

impl Senders {
    fn new(relay: &Relay) -> anyhow::Result<Self> {
        let settings = &relay.settings;
        let wecom = settings.wecom.as_ref().map(|app| wecom::Sender::new(app, "wecom.api")).transpose()?;
        let reply_url = Some(settings.reply_url.as_str()).filter(|address| !address.is_empty());
        let webhook = reply_url
            .map(|address| webhook::Sender::new(address, "webhook.reply_url", &settings.webhook_key))
            .transpose()?;
        Ok(Self { wecom, webhook })
    }

    async fn deliver(&mut self, reply: &Reply) -> DeliveryOutcome {
        match (reply.source.as_str(), &mut self.wecom, &self.webhook) {
            ("wecom", Some(wecom), _) => wecom.deliver(&reply.chat, &reply.text).await,
            ("webhook", _, Some(webhook)) => webhook.deliver(&reply.chat, &reply.topic, &reply.text).await,
            _ => DeliveryOutcome::No("there is no way to this chat; set webhook.reply_url or [wecom]".to_owned()),
        }
    }
}

/// What a reply says of others that were left out.
enum Counted {
    /// Nothing: it is any other reply.
    No,
    Told,
    Now(u64, String),
}

struct Lane {
    relay: Arc<Relay>,
    senders: Senders,
    pace: Pace<Reply>,
    /// What settles each reply that waits here. A reply that the store hands out again is the same one.
    tokens: HashMap<String, String>,
    /// Sent or left out a while ago: the store may have handed them out once more before it heard of that.
    sent: Seen,
    /// Replies that were left out and not told yet, by the topic of what tells it and the chat.
    left_out: HashMap<(String, String), u64>,
    /// Refusals in whose place a later one waits, by its chat and topic.
    merged: HashMap<(String, String), u64>,
    /// Of this lane: what an earlier one has counted is told by its own message.
    name: String,
    start: Instant,
}

impl Lane {
    fn new(relay: Arc<Relay>, senders: Senders, name: String) -> Self {
        let pace = Pace::new(relay.settings.limits);
        Self {
            relay,
            senders,
            pace,
            tokens: HashMap::new(),
            sent: Seen::default(),
            left_out: HashMap::new(),
            merged: HashMap::new(),
            name,
            start: Instant::now(),
        }
    }

    async fn run(mut self, mut replies: mpsc::Receiver<(Item, Reply)>) {
        loop {
            for (_, reply) in self.pace.due(self.start.elapsed()) {
                self.persist(reply).await;
            }
            let now = self.start.elapsed();
            let wait = self.pace.next(now).map_or(IDLE, |next| next.saturating_sub(now));
            tokio::select! {
                reply = replies.recv() => match reply {
                    Some((item, reply)) => self.put(item, reply).await,
                    None => return,
                },
                () = sleep(wait) => {}
            }
        }
    }

    async fn put(&mut self, item: Item, reply: Reply) {
        let is_sent = self.sent.knows(&reply.id);
        if self.tokens.insert(reply.id.clone(), item.token).is_some() && !is_sent {
            return;
        }
        if is_sent {
            return self.settle(&reply.id).await;
        }
        match self.pace.put(slot(&reply.handle(), &reply.clone()), reply) {
            Placed::Waits => {}
            // Only the newest state of a task is told.
            Placed::Replaced(replaced) => self.replaced(&replaced).await,
            Placed::LeftOut(reply) => self.leave_out(reply).await,
        }
    }

    /// Too many replies of a machine wait for its chat. That one is left out is counted, in the audit log, and told in the chat.
    async fn leave_out(&mut self, reply: Reply) {
        let topic = format!("{LEFT_OUT} {} {}", reply.machine, self.name);
        let count = self.left_out.entry((reply.handle(), topic.clone())).or_default();
        *count += 1;
        let told = match self.relay.tell_left_out(&reply, &topic, *count).await {
            Ok(()) => {
                let about = json!({ "source": reply.source, "machine": reply.machine, "reply": reply.id });
                self.relay.audit("reply left out", about).await
            }
            Err(error) => Err(error),
        };
        if let Err(error) = told {
            // Not settled: the store hands it out again.
            self.tokens.remove(&reply.id);
            return tracing::warn!("a reply has to wait: {error:#}");
        }
        tracing::warn!("a reply of {:?} is left out: too many wait for its chat", reply.machine);
        self.relay.metrics.count("replies_total", "left_out");
        self.sent.is_first(&reply.id);
        self.settle(&reply.id).await;
    }

    /// A later reply has taken the place of this one. Of refusals it says how many there were.
    async fn replaced(&mut self, reply: &Reply) {
        if is_refusal(reply) {
            *self.merged.entry((reply.handle(), reply.topic.clone())).or_default() += 1;
        }
        self.settle(&reply.id).await;
    }

    async fn persist(&mut self, mut reply: Reply) {
        if self.relay.is_outdated(&reply).await {
            self.sent.is_first(&reply.id);
            return self.settle(&reply.id).await;
        }
        let text = reply.text.clone();
        let merged = self.merged.remove(&(reply.handle(), reply.topic.clone())).unwrap_or(0);
        if merged > 0 {
            reply.text = format!("{text}{}", notice("", &text, Notice::Merged(merged + 1)));
        }
        let counted = match self.counted(&reply) {
            Counted::No => None,
            // A later one has told it.
            Counted::Told => return self.settle(&reply.id).await,
            Counted::Now(count, text) => {
                reply.text = text;
                Some(count)
            }
        };
        let mut delay = FIRST_DELAY;
        for _ in 0..TRIES {
            match self.senders.deliver(&reply).await {
                DeliveryOutcome::Yes => {
                    self.relay.metrics.count("replies_total", "sent");
                    self.sent.is_first(&reply.id);
                    return self.settle(&reply.id).await;
                }
                DeliveryOutcome::No(why) => {
                    tracing::warn!("a reply is given up: {why}");
                    self.relay.metrics.count("replies_total", "given_up");
                    let about = json!({ "source": reply.source, "machine": reply.machine, "reply": reply.id });
                    let _ = self.relay.audit("reply given up", about).await;
                    return self.settle(&reply.id).await;
                }
                DeliveryOutcome::Later(why) => {
                    tracing::warn!("a reply has to wait: {why}");
                    sleep(delay).await;
                    delay = (delay * 2).min(LAST_DELAY);
                }
            }
        }
        if let Some(count) = counted {
            *self.left_out.entry((reply.handle(), reply.topic.clone())).or_default() += count;
        }
        if merged > 0 {
            *self.merged.entry((reply.handle(), reply.topic.clone())).or_default() += merged;
            reply.text = text;
        }
        // Others have their turn, and then this one again, for as long as the store keeps it.
        if let Some(outdated) = self.pace.put_back(slot(&reply.handle(), &reply.clone()), reply) {
            self.replaced(&outdated).await;
        }
    }

    /// For what says how many replies were left out: how many it is now, and its words. They count as told. That of an earlier lane is sent
    /// as it is.
    fn counted(&mut self, reply: &Reply) -> Counted {
        let own = reply.topic.strip_prefix(LEFT_OUT).and_then(|rest| rest.strip_suffix(&self.name));
        let Some(machine) = own.filter(|_| reply.machine.is_empty()) else { return Counted::No };
        match self.left_out.remove(&(reply.handle(), reply.topic.clone())) {
            None => Counted::Told,
            Some(count) => Counted::Now(count, notice(machine.trim(), &reply.text, Notice::LeftOut(count))),
        }
    }

    async fn settle(&mut self, id: &str) {
        let Some(token) = self.tokens.remove(id) else { return };
        if let Err(error) = self.relay.store.settle(&token).await {
            tracing::warn!("a reply that was sent may be sent again: {error:#}");
        }
    }
}

fn is_refusal(reply: &Reply) -> bool {
    reply.machine.is_empty() && reply.topic.starts_with(REFUSED)
}

/// Where a reply waits. What says that others are left out has a place of its own.
fn slot<'a>(receiver: &'a str, reply: &'a Reply) -> Slot<'a> {
    let is_count = reply.machine.is_empty() && reply.topic.starts_with(LEFT_OUT);
    let origin = if is_count { LEFT_OUT } else { reply.machine.as_str() };
    Slot { receiver, origin, topic: &reply.topic }
}
