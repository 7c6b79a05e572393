//! One machine's connection: who it is, what it is handed, what it has taken, what it replies. A message is handed out again until the
//! machine has taken it; what was not taken when the connection ends is the first that the next one hands out.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Message as Frame};

use crate::protocol::{MAX_FRAME, Message, ToMachine, ToRelay};
use crate::relay::{Machine, Queued, Relay, Signal};
use crate::store::{Item, Queue};
use crate::{key, milliseconds};

type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// Machines that have not said who they are yet, and all of them.
const MAX_STRANGERS: usize = 256;
const MAX_MACHINES: usize = 8192;
/// Until a machine has said who it is.
const HELLO: Duration = Duration::from_secs(10);
const SEND: Duration = Duration::from_secs(10);

/// Places for connections.
pub struct ConnectionSlots {
    strangers: Semaphore,
    machines: Semaphore,
}

impl Default for ConnectionSlots {
    fn default() -> Self {
        Self { strangers: Semaphore::new(MAX_STRANGERS), machines: Semaphore::new(MAX_MACHINES) }
    }
}

/// Why a connection is over.
enum End {
    /// The machine went, or the network did.
    Lost,
    /// It sent nothing for `settings.silence`: a half-open connection.
    Silent,
    Replaced,
    /// It is told, and trying again does not help.
    Refused(&'static str),
    /// Of the store: the machine connects again.
    Failed(anyhow::Error),
}

impl From<anyhow::Error> for End {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}

/// Speaks with a machine until its connection ends.
pub async fn serve(relay: Arc<Relay>, places: Arc<ConnectionSlots>, upgrade: OnUpgrade) {
    let (Ok(stranger), Ok(_machine)) = (places.strangers.try_acquire(), places.machines.try_acquire()) else {
        tracing::warn!("a machine was not let in: there are too many connections");
        return;
    };
    let Ok(Ok(upgraded)) = timeout(HELLO, upgrade).await else { return };
    let limits = WebSocketConfig::default().max_message_size(Some(MAX_FRAME)).max_frame_size(Some(MAX_FRAME));
    let mut socket = WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, Some(limits)).await;
    let (name, machine) = match timeout(HELLO, introduced(&relay, &mut socket)).await {
        Ok(Ok(known)) => known,
        Ok(Err(end)) => return finish(&relay, &mut socket, "", end).await,
        Err(_) => return,
    };
    drop(stranger);
    let end = match Connection::begin(&relay, &name, machine).await {
        Ok(mut connection) => {
            let end = connection.serve(&mut socket).await.err().unwrap_or(End::Lost);
            connection.end(matches!(end, End::Silent)).await;
            end
        }
        Err(error) => End::Failed(error),
    };
    finish(&relay, &mut socket, &name, end).await;
}

async fn finish(relay: &Relay, socket: &mut Socket, name: &str, end: End) {
    match end {
        End::Lost => {}
        End::Silent => tracing::info!("the machine {name:?} has fallen silent; its connection is closed"),
        End::Replaced => relay.metrics.count("machine_connections_total", "replaced"),
        End::Refused(why) => {
            relay.metrics.count("machine_connections_total", "refused");
            tracing::warn!("the machine {name:?} was refused: {why}");
            let _ = relay.audit("refused", json!({ "machine": name, "reason": why })).await;
            let _ = say(socket, &ToMachine::Refused { why: why.to_owned() }).await;
        }
        End::Failed(error) => {
            relay.metrics.count("store_errors_total", "write");
            tracing::error!("the connection of {name:?} ended: {error:#}");
        }
    }
    let _ = timeout(SEND, socket.close(None)).await;
}

/// Which machine this is: it signs a nonce that was never used before.
async fn introduced(relay: &Relay, socket: &mut Socket) -> Result<(String, Machine), End> {
    let nonce = key::random()?;
    say(socket, &ToMachine::Challenge { nonce: nonce.clone() }).await?;
    let frame = loop {
        match socket.next().await {
            Some(Ok(Frame::Text(text))) => break text,
            Some(Ok(Frame::Ping(_) | Frame::Pong(_))) => {}
            _ => return Err(End::Lost),
        }
    };
    let Ok(ToRelay::Hello { machine: name, signature }) = serde_json::from_str(&frame) else {
        return Err(End::Refused("it did not say who it is"));
    };
    // The same answer for a machine that is not known, one that is revoked, and a wrong key.
    let known = relay.machine(&name).await?;
    match known.filter(|known| key::is_signed(&known.public_key, &name, &nonce, &signature)) {
        Some(machine) => Ok((name, machine)),
        None => Err(End::Refused("this machine is not enrolled, or its key was revoked")),
    }
}

struct Connection<'a> {
    relay: &'a Relay,
    name: &'a str,
    machine: Machine,
    id: String,
    since: u64,
    signals: tokio::sync::mpsc::Receiver<Signal>,
    revision: u64,
    items: tokio::sync::mpsc::Receiver<Item>,
    /// Handed out and not taken, by the message's id.
    in_hand: HashMap<String, InHand>,
}

struct InHand {
    /// What settles it.
    token: String,
    message: Message,
    /// When it was accepted.
    at: u64,
}

impl<'a> Connection<'a> {
    async fn begin(relay: &'a Relay, name: &'a str, machine: Machine) -> anyhow::Result<Self> {
        let (id, since) = (key::random()?, milliseconds());
        let (signals, revision) = relay.connected(name, &id).await?;
        relay.metrics.count("machine_connections_total", "welcome");
        let items = match relay.store.open(Queue::Machine(name)).await {
            Ok(items) => items,
            Err(error) => {
                relay.disconnected(name, &id, revision).await;
                return Err(error);
            }
        };
        relay.audit("connected", json!({ "machine": name })).await?;
        Ok(Self { relay, name, machine, id, since, signals, revision, items, in_hand: HashMap::new() })
    }

    async fn serve(&mut self, socket: &mut Socket) -> Result<(), End> {
        say(socket, &ToMachine::Welcome { machine: self.name.to_owned() }).await?;
        let silence = self.relay.settings.silence;
        let mut ticks = interval(self.relay.settings.ping);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        ticks.tick().await;
        let (mut heard, mut heard_at) = (Instant::now(), milliseconds());
        loop {
            tokio::select! {
                frame = socket.next() => {
                    (heard, heard_at) = (Instant::now(), milliseconds());
                    match frame {
                        Some(Ok(Frame::Text(text))) => self.take(socket, &text).await?,
                        Some(Ok(Frame::Ping(_) | Frame::Pong(_))) => {}
                        Some(Ok(Frame::Binary(_) | Frame::Close(_) | Frame::Frame(_)) | Err(_)) | None => {
                            return Err(End::Lost);
                        }
                    }
                }
                item = self.items.recv() => {
                    match item {
                        Some(item) => self.hand_out(socket, item).await?,
                        None => return Err(self.replaced().await),
                    }
                }
                signal = self.signals.recv() => match signal {
                    Some(Signal::Check) => self.check().await?,
                    Some(Signal::Replaced) | None => return Err(self.replaced().await),
                },
                () = sleep(silence.saturating_sub(heard.elapsed())) => return Err(End::Silent),
                _ = ticks.tick() => {
                    let ping = timeout(SEND, socket.send(Frame::Ping(Bytes::new()))).await;
                    ping.map_err(|_| End::Lost)?.map_err(|_| End::Lost)?;
                    // Notes of other copies can be lost.
                    self.check().await?;
                    let times = (self.since, heard_at);
                    let still = self.relay.still_connected(self.name, &self.id, times, self.revision).await?;
                    match still {
                        Some(revision) => self.revision = revision,
                        None => return Err(self.replaced().await),
                    }
                }
            }
        }
    }

    /// Whether the key that this connection was opened with is still the machine's.
    async fn check(&self) -> Result<(), End> {
        let known = self.relay.machine(self.name).await?;
        let is_same = known.is_some_and(|known| known.public_key == self.machine.public_key);
        if is_same { Ok(()) } else { Err(End::Refused("its key was revoked or replaced")) }
    }

    /// Why the queue was taken from this connection: by a newer one, or because the key was revoked, whose signal may come later.
    async fn replaced(&self) -> End {
        self.check().await.err().unwrap_or(End::Replaced)
    }

    async fn hand_out(&mut self, socket: &mut Socket, item: Item) -> Result<(), End> {
        let Ok(queued) = serde_json::from_slice::<Queued>(&item.body) else {
            tracing::error!("a message in the queue of {:?} cannot be read", self.name);
            return Ok(self.relay.store.settle(&item.token).await?);
        };
        if queued.expires <= milliseconds() {
            self.relay.drop_expired(&queued).await?;
            return Ok(self.relay.store.settle(&item.token).await?);
        }
        let Queued { message, at, .. } = queued;
        self.in_hand.insert(message.id.clone(), InHand { token: item.token, message: message.clone(), at });
        self.relay.metrics.count("deliveries_total", "sent");
        say(socket, &ToMachine::Deliver(message)).await
    }

    async fn take(&mut self, socket: &mut Socket, text: &str) -> Result<(), End> {
        match serde_json::from_str(text) {
            Ok(ToRelay::Taken { id }) => {
                let Some(InHand { token, at, .. }) = self.in_hand.remove(&id) else { return Ok(()) };
                self.relay.store.settle(&token).await?;
                self.relay.metrics.count("deliveries_total", "taken");
                self.relay.metrics.delivered(milliseconds().saturating_sub(at));
                Ok(self.relay.audit("taken", json!({ "machine": self.name, "message": id })).await?)
            }
            Ok(ToRelay::Reply { id, chat, topic, text }) => {
                let taken = self.relay.reply(self.name, &id, &chat, &topic, text).await?;
                let told = match taken {
                    Ok(()) => ToMachine::Stored { id },
                    Err(why) => ToMachine::Rejected { id, why: why.to_owned() },
                };
                say(socket, &told).await
            }
            Ok(ToRelay::Hello { .. }) | Err(_) => Err(End::Refused("it sent what is no frame")),
        }
    }

    /// The users of messages that went into a half-open connection have not heard yet that their machine is away.
    async fn tell_offline(&self) {
        for InHand { message, .. } in self.in_hand.values() {
            if let Err(error) = self.relay.tell_offline(self.name, message).await {
                tracing::debug!("a user is not told that a machine is away: {error:#}");
            }
        }
    }

    /// What was not taken is handed out over the next connection: it takes the queue over.
    async fn end(mut self, is_silent: bool) {
        self.items.close();
        self.relay.disconnected(self.name, &self.id, self.revision).await;
        if is_silent {
            self.tell_offline().await;
        }
    }
}

async fn say(socket: &mut Socket, frame: &ToMachine) -> Result<(), End> {
    let text = serde_json::to_string(frame).map_err(|error| End::Failed(error.into()))?;
    let sent = timeout(SEND, socket.send(Frame::text(text))).await;
    sent.map_err(|_| End::Lost)?.map_err(|_| End::Lost)
}
