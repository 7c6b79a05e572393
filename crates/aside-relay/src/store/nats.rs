//! All state in NATS JetStream, so that relays are stateless and several copies share it: entries in a key-value bucket, queues as work
//! queue streams (one durable consumer for each machine), the audit log as a stream, notes as plain messages.

use std::fmt::Write;
use std::time::Duration;

use anyhow::{Context as _, bail};
use async_nats::Client;
use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::kv::{self, CreateErrorKind, Operation, UpdateErrorKind};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{self, DiscardPolicy, RetentionPolicy, StorageType};
use async_nats::jetstream::{self, Context};
use futures_util::{FutureExt, StreamExt};
use tokio::sync::mpsc;

use crate::store::{
    AUDIT_LIFE, Bucket, DUPLICATES, Entry, Item, LEASE, MAX_AUDIT, MAX_IN_HAND, MAX_REPLIES_IN_HAND,
    MAX_REPLIES_WAITING, MAX_WAITING, Note, Put, Queue, REPLY_LIFE, Store, Stored,
};

const BUCKET: &str = "aside";
const MESSAGES: &str = "ASIDE_MESSAGES";
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
const MAX_NOTES: usize = 1024;
/// Of the server, for what `MAX_WAITING` means.
const TOO_MANY: &str = "maximum messages per subject exceeded";

pub struct Nats {
    client: Client,
    context: Context,
    entries: kv::Store,
}

impl Nats {
    /// The streams are made, or brought up to date. Messages that no machine has taken are dropped after `message_life`.
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
            work(MESSAGES, "aside.messages.*", message_life, MAX_WAITING),
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

/// Hands out what a stream has for a consumer, until the receiver is dropped; the server may go away and come back meanwhile.
async fn feed(context: Context, stream: &'static str, config: pull::Config, items: mpsc::Sender<Item>) {
    let in_hand = usize::try_from(config.max_ack_pending).unwrap_or(MAX_IN_HAND);
    let name = config.durable_name.clone().unwrap_or_default();
    loop {
        let opened = async {
            let stream = context.get_stream_no_info(stream).await?;
            let consumer = stream.get_or_create_consumer(&name, config.clone()).await?;
            let messages = consumer.stream().max_messages_per_batch(in_hand).expires(PULL).heartbeat(HEARTBEAT);
            anyhow::Ok(messages.messages().await?)
        };
        match opened.await {
            Ok(mut messages) => loop {
                let message = tokio::select! {
                    () = items.closed() => {
                        // What was fetched ahead comes again at once, not after its lease.
                        while let Some(Some(Ok(message))) = messages.next().now_or_never() {
                            let _ = message.ack_with(jetstream::AckKind::Nak(None)).await;
                        }
                        return;
                    }
                    message = messages.next() => message,
                };
                // An error is a server that has gone, or a consumer that has: it is opened anew.
                let Some(Ok(message)) = message else { break };
                let Some(token) = message.reply.as_ref().map(ToString::to_string) else { continue };
                if items.send(Item { body: message.payload.to_vec(), token }).await.is_err() {
                    let _ = message.ack_with(jetstream::AckKind::Nak(None)).await;
                    return;
                }
            },
            Err(error) => tracing::warn!("a queue cannot be read, and is tried again: {error:#}"),
        }
        tokio::select! {
            () = items.closed() => return,
            () = tokio::time::sleep(RETRY) => {}
        }
    }
}

impl Store for Nats {
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

    fn publish<'a>(&'a self, queue: Queue<'a>, id: &'a str, body: Vec<u8>) -> Stored<'a, Put> {
        Box::pin(async move {
            let subject = match queue {
                Queue::Machine(name) => format!("aside.messages.{}", escaped(name)),
                Queue::Replies => REPLY_SUBJECT.to_owned(),
            };
            let message = PublishMessage::build().payload(body.into()).message_id(id);
            let stored = match self.context.send_publish(subject, message).await?.await {
                Ok(stored) => stored,
                Err(error) => {
                    let error = anyhow::Error::from(error);
                    return if format!("{error:#}").contains(TOO_MANY) { Ok(Put::Full) } else { Err(error) };
                }
            };
            Ok(if stored.duplicate { Put::Duplicate } else { Put::New })
        })
    }

    fn open<'a>(&'a self, queue: Queue<'a>) -> Stored<'a, mpsc::Receiver<Item>> {
        let config = |name: String, subject: String, in_hand: usize| pull::Config {
            durable_name: Some(name),
            ack_policy: AckPolicy::Explicit,
            ack_wait: LEASE,
            filter_subject: subject,
            max_ack_pending: i64::try_from(in_hand).unwrap_or(i64::MAX),
            ..pull::Config::default()
        };
        Box::pin(async move {
            let (stream, config) = match queue {
                Queue::Machine(name) => {
                    let name = escaped(name);
                    let subject = format!("aside.messages.{name}");
                    (MESSAGES, config(name, subject, MAX_IN_HAND))
                }
                Queue::Replies => (REPLIES, config("sender".to_owned(), REPLY_SUBJECT.to_owned(), MAX_REPLIES_IN_HAND)),
            };
            let (items, received) = mpsc::channel(1);
            tokio::spawn(feed(self.context.clone(), stream, config, items));
            Ok(received)
        })
    }

    fn settle<'a>(&'a self, token: &'a str) -> Stored<'a, ()> {
        Box::pin(async move { Ok(self.client.publish(token.to_owned(), "+ACK".into()).await?) })
    }

    fn give_back<'a>(&'a self, token: &'a str) -> Stored<'a, ()> {
        Box::pin(async move { Ok(self.client.publish(token.to_owned(), "-NAK".into()).await?) })
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
