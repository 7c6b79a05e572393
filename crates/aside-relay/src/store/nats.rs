//! All state in NATS JetStream, so that relays are stateless and several copies share it: entries in a key-value bucket, queues as work
//! queue streams (one durable consumer for each machine), the audit log as a stream, notes as plain messages.

use std::fmt::Write;
use std::time::Duration;

use anyhow::{Context as _, bail};
use async_nats::jetstream::consumer::{AckPolicy, Consumer, pull};
use async_nats::jetstream::kv::{self, CreateErrorKind, Operation, UpdateErrorKind};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{self, ConsumerErrorKind, DiscardPolicy, RetentionPolicy, StorageType};
use async_nats::jetstream::{self, Context, ErrorCode};
use async_nats::{Client, RequestErrorKind};
use futures_util::StreamExt;
use serde::Deserialize;
use tokio::sync::mpsc;

use crate::key;
use crate::store::{
    AUDIT_LIFE, Bucket, DUPLICATES, Entry, Item, LEASE, MAX_AUDIT, MAX_IN_HAND, MAX_REPLIES_WAITING,
    MAX_SHARED_REPLIES_IN_HAND, MAX_WAITING_OF_USER, Note, PutOutcome, Queue, REPLY_LIFE, Store, Stored,
};

const BUCKET: &str = "aside";
const MESSAGES: &str = "ASIDE_REQUESTS";
const REPLIES: &str = "ASIDE_REPLIES";
const AUDIT: &str = "ASIDE_AUDIT";
const NOTES: &str = "aside.notes";
const REPLY_SUBJECT: &str = "aside.replies";
const AUDIT_SUBJECT: &str = "aside.audit";

/// Until the server has answered.
const ANSWER: Duration = Duration::from_secs(5);
const CONNECT: Duration = Duration::from_secs(10);
/// A pull that brings nothing is asked for again.
const PULL: Duration = Duration::from_secs(30);
const HEARTBEAT: Duration = Duration::from_secs(5);
const RETRY: Duration = Duration::from_millis(500);
/// The server keeps messages this much longer than they are good, so that a relay finds the expired ones and tells their users.
const EXPIRED_LIFE: Duration = Duration::from_secs(7 * 24 * 3600);
/// Before the sequence number of a message that is removed from its stream, in place of a subject to acknowledge on.
const DELETE: &str = "delete ";
const MAX_NOTES: usize = 1024;
/// Of the server, for what `MAX_WAITING_OF_USER` means: each user has a subject for each machine.
const TOO_MANY: &str = "maximum messages per subject exceeded";

pub struct Nats {
    client: Client,
    context: Context,
    entries: kv::Store,
}

impl Nats {
    /// The streams are made, or brought up to date. Messages that no machine has taken are expired after `message_life`.
    pub async fn connect(address: &str, replicas: usize, message_life: Duration) -> anyhow::Result<Self> {
        let options = async_nats::ConnectOptions::new()
            .name("aside relay")
            .connection_timeout(CONNECT)
            .request_timeout(Some(ANSWER))
            // Back within moments: the server may be restarting.
            .reconnect_delay_callback(|tries| Duration::from_millis(100 * tries.min(20) as u64));
        let servers: Vec<&str> = address.split(',').collect();
        let client = options.connect(servers).await.with_context(|| "could not connect to nats.url".to_owned())?;
        let mut context = jetstream::new(client.clone());
        context.set_timeout(ANSWER);
        let work = |name: &str, subject: &str, life: Duration, waiting: usize| stream::Config {
            name: name.to_owned(),
            subjects: vec![subject.to_owned()],
            retention: RetentionPolicy::WorkQueue,
            discard: DiscardPolicy::New,
            discard_new_per_subject: true,
            max_messages_per_subject: i64::try_from(waiting).unwrap_or(i64::MAX),
            max_age: life,
            duplicate_window: DUPLICATES.min(life),
            storage: StorageType::File,
            num_replicas: replicas,
            ..stream::Config::default()
        };
        let audit = stream::Config {
            name: AUDIT.to_owned(),
            subjects: vec![AUDIT_SUBJECT.to_owned()],
            max_messages: i64::try_from(MAX_AUDIT).unwrap_or(i64::MAX),
            max_age: AUDIT_LIFE,
            storage: StorageType::File,
            num_replicas: replicas,
            ..stream::Config::default()
        };
        for config in [
            work(MESSAGES, "aside.requests.*.*", message_life + EXPIRED_LIFE, MAX_WAITING_OF_USER),
            work(REPLIES, REPLY_SUBJECT, REPLY_LIFE, MAX_REPLIES_WAITING),
            audit,
        ] {
            let name = config.name.clone();
            context.create_or_update_stream(config).await.with_context(|| format!("could not make stream {name}"))?;
        }
        let bucket = kv::Config {
            bucket: BUCKET.to_owned(),
            history: 1,
            storage: StorageType::File,
            num_replicas: replicas,
            ..kv::Config::default()
        };
        let entries = context.create_or_update_key_value(bucket).await.context("could not make the bucket")?;
        Ok(Self { client, context, entries })
    }
}

/// Of a message in the stream.
#[derive(Deserialize)]
struct Expires {
    expires: u64,
}

/// A consumer of its own for each receiver of a queue. The server counts what a consumer was handed as on its way, and would hand out newer
/// messages first; a new consumer begins with the oldest that is not settled.
struct Receiver {
    context: Context,
    stream: &'static str,
    /// Of the queue. Its consumers have this name, a low line, and letters of their own; no machine's name has a low line.
    queue: String,
    config: pull::Config,
}

impl Receiver {
    /// The queue is this receiver's: a stream of this kind has one consumer for each subject, so those before are removed.
    async fn take_over(&self) -> anyhow::Result<Consumer<pull::Config>> {
        let stream = self.context.get_stream_no_info(self.stream).await?;
        if let Ok(consumer) = stream.create_consumer_strict(self.config.clone()).await {
            return Ok(consumer);
        }
        let mut names = stream.consumer_names();
        while let Some(name) = names.next().await.transpose()? {
            let own = name.strip_prefix(&self.queue);
            if own.is_some_and(|own| own.is_empty() || own.starts_with('_')) {
                self.remove(&name).await?;
            }
        }
        Ok(stream.create_consumer_strict(self.config.clone()).await?)
    }

    /// Whether the queue was still this receiver's; then it is no longer.
    async fn leave(&self) -> anyhow::Result<bool> {
        self.remove(self.config.durable_name.as_deref().unwrap_or_default()).await
    }

    async fn remove(&self, consumer: &str) -> anyhow::Result<bool> {
        let stream = self.context.get_stream_no_info(self.stream).await?;
        let Err(error) = stream.delete_consumer(consumer).await else { return Ok(true) };
        match error.kind() {
            ConsumerErrorKind::JetStream(why) if why.error_code() == ErrorCode::CONSUMER_NOT_FOUND => Ok(false),
            _ => Err(error.into()),
        }
    }

    /// Hands out what the stream has, until `items` is closed or another receiver has taken over; the server may go away and come back
    /// meanwhile.
    async fn feed(self, items: mpsc::Sender<Item>) {
        let in_hand = usize::try_from(self.config.max_ack_pending).unwrap_or(MAX_IN_HAND);
        let mut has_queue = false;
        while !items.is_closed() {
            let opened = async {
                // What the server has sent may be lost on the way: all begins anew.
                if has_queue && !self.leave().await? {
                    return Ok(None);
                }
                has_queue = false;
                let consumer = self.take_over().await?;
                has_queue = true;
                let messages = consumer.stream().max_messages_per_batch(in_hand).expires(PULL).heartbeat(HEARTBEAT);
                anyhow::Ok(Some(messages.messages().await?))
            };
            match opened.await {
                Ok(Some(messages)) => pass_on(messages, &items).await,
                Ok(None) => return,
                Err(error) => tracing::warn!("a queue cannot be read, and is tried again: {error:#}"),
            }
            tokio::select! {
                () = items.closed() => {}
                () = tokio::time::sleep(RETRY) => {}
            }
        }
        if has_queue && let Err(error) = self.leave().await {
            tracing::debug!("the next receiver removes a consumer: {error:#}");
        }
    }
}

/// Until `items` is closed, or the server or the consumer has gone.
async fn pass_on(mut messages: pull::Stream, items: &mpsc::Sender<Item>) {
    loop {
        let message = tokio::select! {
            () = items.closed() => return,
            message = messages.next() => message,
        };
        let Some(Ok(message)) = message else { return };
        let Some(token) = message.reply.as_ref().map(ToString::to_string) else { continue };
        if items.send(Item { body: message.payload.to_vec(), token }).await.is_err() {
            return;
        }
    }
}

impl Store for Nats {
    fn is_shared(&self) -> bool {
        true
    }

    fn get<'a>(&'a self, bucket: Bucket, key: &'a str) -> Stored<'a, Option<Entry>> {
        Box::pin(async move {
            let entry = self.entries.entry(path(bucket, key)).await?;
            let entry = entry.filter(|entry| entry.operation == Operation::Put);
            Ok(entry.map(|entry| Entry { value: entry.value.to_vec(), revision: entry.revision }))
        })
    }

    fn list(&self, bucket: Bucket) -> Stored<'_, Vec<(String, Vec<u8>)>> {
        Box::pin(async move {
            let mut keys = self.entries.keys().await?;
            let mut found = Vec::new();
            while let Some(key) = keys.next().await {
                let key = key?;
                let Some(name) = key.strip_prefix(bucket.name()).and_then(|rest| rest.strip_prefix('.')) else {
                    continue;
                };
                if let (Some(name), Some(value)) = (unescaped(name), self.entries.get(key.clone()).await?) {
                    found.push((name, value.to_vec()));
                }
            }
            found.sort();
            Ok(found)
        })
    }

    fn put<'a>(&'a self, bucket: Bucket, key: &'a str, value: Vec<u8>, revision: u64) -> Stored<'a, Option<u64>> {
        Box::pin(async move {
            let key = path(bucket, key);
            if revision == 0 {
                return match self.entries.create(key, value.into()).await {
                    Ok(revision) => Ok(Some(revision)),
                    Err(error) if error.kind() == CreateErrorKind::AlreadyExists => Ok(None),
                    Err(error) => Err(error.into()),
                };
            }
            match self.entries.update(key, value.into(), revision).await {
                Ok(revision) => Ok(Some(revision)),
                Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => Ok(None),
                Err(error) => Err(error.into()),
            }
        })
    }

    fn remove<'a>(&'a self, bucket: Bucket, key: &'a str, revision: u64) -> Stored<'a, bool> {
        Box::pin(async move {
            match self.entries.delete_expect_revision(path(bucket, key), Some(revision)).await {
                Ok(()) => Ok(true),
                Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => Ok(false),
                Err(error) => Err(error.into()),
            }
        })
    }

    fn publish<'a>(&'a self, queue: Queue<'a>, user: &'a str, id: &'a str, body: Vec<u8>) -> Stored<'a, PutOutcome> {
        Box::pin(async move {
            let (subject, full) = match queue {
                Queue::Machine(name) => {
                    (format!("aside.requests.{}.{}", escaped(name), escaped(user)), PutOutcome::FullForUser)
                }
                Queue::Replies => (REPLY_SUBJECT.to_owned(), PutOutcome::Full),
            };
            let message = PublishMessage::build().payload(body.into()).message_id(id);
            let stored = match self.context.send_publish(subject, message).await?.await {
                Ok(stored) => stored,
                Err(error) => {
                    let error = anyhow::Error::from(error);
                    return if format!("{error:#}").contains(TOO_MANY) { Ok(full) } else { Err(error) };
                }
            };
            Ok(if stored.duplicate { PutOutcome::Duplicate } else { PutOutcome::New })
        })
    }

    fn open<'a>(&'a self, queue: Queue<'a>) -> Stored<'a, mpsc::Receiver<Item>> {
        Box::pin(async move {
            let (stream, queue, subject, in_hand) = match queue {
                Queue::Machine(name) => {
                    let name = escaped(name);
                    let subject = format!("aside.requests.{name}.*");
                    (MESSAGES, name, subject, MAX_IN_HAND)
                }
                Queue::Replies => (REPLIES, "sender".to_owned(), REPLY_SUBJECT.to_owned(), MAX_SHARED_REPLIES_IN_HAND),
            };
            let config = pull::Config {
                durable_name: Some(format!("{queue}_{}", key::random()?)),
                ack_policy: AckPolicy::Explicit,
                ack_wait: LEASE,
                filter_subject: subject,
                max_ack_pending: i64::try_from(in_hand).unwrap_or(i64::MAX),
                ..pull::Config::default()
            };
            let (items, received) = mpsc::channel(1);
            tokio::spawn(Receiver { context: self.context.clone(), stream, queue, config }.feed(items));
            Ok(received)
        })
    }

    fn settle<'a>(&'a self, token: &'a str) -> Stored<'a, ()> {
        Box::pin(async move {
            if let Some(sequence) = token.strip_prefix(DELETE).and_then(|sequence| sequence.parse().ok()) {
                self.context.get_stream(MESSAGES).await?.delete_message(sequence).await?;
                return Ok(());
            }
            // Answered once it is done: the consumer may be removed the next moment.
            match self.client.request(token.to_owned(), "+ACK".into()).await {
                // Another receiver has the queue, and gets the item once more.
                Err(error) if error.kind() == RequestErrorKind::NoResponders => Ok(()),
                acknowledged => Ok(acknowledged.map(drop)?),
            }
        })
    }

    /// The first message of the stream is the oldest one of all machines.
    fn expired(&self) -> Stored<'_, Vec<Item>> {
        Box::pin(async move {
            let mut stream = self.context.get_stream(MESSAGES).await?;
            let state = &stream.info().await?.state;
            let (count, first) = (state.messages, state.first_sequence);
            if count == 0 {
                return Ok(Vec::new());
            }
            let message = stream.get_raw_message(first).await?;
            let is_expired = serde_json::from_slice(&message.payload)
                .map_or(true, |Expires { expires }| expires <= crate::milliseconds());
            let item = Item { body: message.payload.to_vec(), token: format!("{DELETE}{first}") };
            Ok(if is_expired { vec![item] } else { Vec::new() })
        })
    }

    fn audit(&self, line: String) -> Stored<'_, ()> {
        Box::pin(async move {
            self.context.publish(AUDIT_SUBJECT, line.into()).await?.await?;
            Ok(())
        })
    }

    fn audited(&self, count: usize) -> Stored<'_, Vec<String>> {
        Box::pin(async move {
            let mut stream = self.context.get_stream(AUDIT).await?;
            let state = &stream.info().await?.state;
            let last = state.last_sequence;
            let count = u64::try_from(count).unwrap_or(u64::MAX);
            let first = state.first_sequence.max(1).max((last + 1).saturating_sub(count));
            let mut lines = Vec::new();
            for sequence in first..=last {
                let message = stream.get_raw_message(sequence).await?;
                lines.push(String::from_utf8_lossy(&message.payload).into_owned());
            }
            Ok(lines)
        })
    }

    fn tell(&self, note: Note) -> Stored<'_, ()> {
        Box::pin(async move { Ok(self.client.publish(NOTES, serde_json::to_vec(&note)?.into()).await?) })
    }

    fn notes(&self) -> Stored<'_, mpsc::Receiver<Note>> {
        Box::pin(async move {
            let mut messages = self.client.subscribe(NOTES).await?;
            let (tell, told) = mpsc::channel(MAX_NOTES);
            tokio::spawn(async move {
                while let Some(message) = messages.next().await {
                    let Ok(note) = serde_json::from_slice(&message.payload) else { continue };
                    if tell.send(note).await.is_err() {
                        return;
                    }
                }
            });
            Ok(told)
        })
    }

    fn waiting(&self) -> Stored<'_, (u64, u64)> {
        Box::pin(async move {
            let mut waiting = Vec::new();
            for name in [MESSAGES, REPLIES] {
                waiting.push(self.context.get_stream(name).await?.cached_info().state.messages);
            }
            match waiting[..] {
                [messages, replies] => Ok((messages, replies)),
                _ => bail!("the streams are not there"),
            }
        })
    }
}

fn path(bucket: Bucket, key: &str) -> String {
    format!("{}.{}", bucket.name(), escaped(key))
}

/// Letters that a subject and a key may have; the others by their bytes.
fn escaped(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_' {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "={byte:02x}");
        }
    }
    text
}

fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'=' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_is_a_subject_and_comes_back() {
        for name in ["dev-1", "li.wang", "李", "a b*>", "=2e", ""] {
            let text = escaped(name);
            assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_=".contains(&byte)), "{text}");
            assert_eq!(unescaped(&text).as_deref(), Some(name));
        }
        assert_ne!(escaped("a.b"), escaped("a=2eb"));
    }
}
