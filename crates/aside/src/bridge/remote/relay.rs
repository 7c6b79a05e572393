//! The chats of a team, through its relay: this machine opens the connection and proves by its key which one it is. A message is taken
//! once it was acted upon; a reply is kept until the relay has stored it. Reconnects by itself.

use std::collections::VecDeque;
use std::time::Duration;

use aside_relay::address::is_machine;
use aside_relay::key::MachineKey;
use aside_relay::protocol::{MACHINE_PATH, MAX_FRAME, MAX_OTHERS, Message, ToMachine, ToRelay};
use aside_relay::settings;
use futures_util::{SinkExt, StreamExt};
use ring::rand::{SecureRandom, SystemRandom};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message as Frame;

use crate::bridge::remote::chat::Chat;
use crate::bridge::remote::secrets::Secrets;
use crate::bridge::remote::status::Condition;
use crate::bridge::remote::websocket::{self, Backoff, End, WebSocket};
use crate::bridge::remote::{Incoming, Outgoing, Setup};

/// The relay pings every `settings::PING`: without a frame for so long the connection is half-open, and is opened anew.
const SILENCE: Duration = settings::SILENCE;
const HELLO: Duration = Duration::from_secs(10);
const SEND: Duration = Duration::from_secs(10);
/// Replies that the relay has not stored yet; the next ones wait.
const MAX_UNSTORED: usize = 256;

struct Link<'a> {
    setup: &'a Setup,
    chat: &'a Chat,
    machine: &'a str,
    key: MachineKey,
    outgoing: mpsc::Receiver<Outgoing>,
    /// The oldest first, each with its id: they are sent again over the next connection.
    unstored: VecDeque<(String, Outgoing)>,
    taken: (mpsc::UnboundedSender<String>, mpsc::UnboundedReceiver<String>),
    /// Begins every reply of this process.
    name: String,
    number: u64,
}

pub async fn run(
    setup: &Setup,
    chat: &Chat,
    secrets: &Secrets,
    outgoing: mpsc::Receiver<Outgoing>,
) -> anyhow::Result<()> {
    let key = MachineKey::of(&secrets.relay_key).filter(|_| !secrets.relay_machine.is_empty());
    let Some(key) = key else {
        anyhow::bail!("this machine is not enrolled; run `aside remote setup --chat relay` with a new code");
    };
    let mut random = [0; 8];
    let _ = SystemRandom::new().fill(&mut random);
    let name = format!("{:016x}", u64::from_le_bytes(random));
    let (machine, taken) = (secrets.relay_machine.as_str(), mpsc::unbounded_channel());
    let unstored = VecDeque::new();
    let mut link = Link { setup, chat, machine, key, outgoing, unstored, taken, name, number: 0 };
    let mut backoff = Backoff::new();
    loop {
        let end = link.session().await;
        backoff.rest(setup, end).await;
    }
}

impl Link<'_> {
    async fn session(&mut self) -> End {
        let address = self.address();
        let mut socket = match websocket::open(&address, "remote.relay", MAX_FRAME).await {
            Ok(socket) => socket,
            Err(error) => {
                return End::Lost(format!(
                    "{address} cannot be used: {error:#}; check the network, HTTPS_PROXY and remote.relay"
                ));
            }
        };
        match timeout(HELLO, self.introduce(&mut socket)).await {
            Ok(Ok(())) => {}
            Ok(Err(end)) => return end,
            Err(_) => return End::Lost("the relay did not answer; it is tried again".to_owned()),
        }
        self.setup.health.is(Condition::Connected);
        tracing::info!("connected to {address}");
        match self.serve(&mut socket).await {
            Ok(never) => match never {},
            Err(end) => end,
        }
    }

    async fn introduce(&self, socket: &mut WebSocket) -> Result<(), End> {
        loop {
            match next(socket).await? {
                None => {}
                Some(ToMachine::Challenge { nonce }) => {
                    let (machine, signature) = (self.machine.to_owned(), self.key.sign(self.machine, &nonce));
                    say(socket, &ToRelay::Hello { machine, signature }).await?;
                }
                Some(ToMachine::Welcome { .. }) => return Ok(()),
                Some(ToMachine::Refused { why }) => return Err(refused(&why)),
                Some(ToMachine::Deliver(_) | ToMachine::Stored { .. } | ToMachine::Rejected { .. }) => {}
            }
        }
    }

    async fn serve(&mut self, socket: &mut WebSocket) -> Result<std::convert::Infallible, End> {
        for (id, outgoing) in &self.unstored {
            say(socket, &reply(id, outgoing)).await?;
        }
        loop {
            tokio::select! {
                frame = timeout(SILENCE, next(socket)) => match frame {
                    Ok(frame) => {
                        if let Some(frame) = frame? {
                            self.take(frame)?;
                        }
                    }
                    Err(_) => {
                        return Err(End::Lost("the relay has fallen silent; the connection is opened again".to_owned()));
                    }
                },
                Some(id) = self.taken.1.recv() => say(socket, &ToRelay::Taken { id }).await?,
                Some(outgoing) = self.outgoing.recv(), if self.unstored.len() < MAX_UNSTORED => {
                    if self.setup.is_noted(&self.setup.settings.relay, &outgoing.text).await {
                        self.number += 1;
                        let id = format!("{}-{}", self.name, self.number);
                        let frame = reply(&id, &outgoing);
                        self.unstored.push_back((id, outgoing));
                        say(socket, &frame).await?;
                    }
                }
            }
        }
    }

    fn take(&mut self, frame: ToMachine) -> Result<(), End> {
        match frame {
            ToMachine::Deliver(Message { id, user, chat, text, others, after_refusal }) => {
                let (taken, known) = (self.taken.0.clone(), id.clone());
                // They are named in replies, so whatever else a relay says is left out.
                let others = others.into_iter().filter(|name| is_machine(name)).take(MAX_OTHERS).collect();
                let incoming = Incoming { id, user, chat, text, reply_to: None, others, after_refusal };
                self.chat.hear_then(incoming, move || {
                    let _ = taken.send(known);
                });
            }
            ToMachine::Stored { id } => {
                self.unstored.retain(|(known, _)| *known != id);
                self.setup.health.sent();
            }
            ToMachine::Rejected { id, why } => {
                self.unstored.retain(|(known, _)| *known != id);
                tracing::warn!("the relay did not take a message: {why}");
            }
            ToMachine::Refused { why } => return Err(refused(&why)),
            ToMachine::Challenge { .. } | ToMachine::Welcome { .. } => {}
        }
        Ok(())
    }

    fn address(&self) -> String {
        format!("{}{MACHINE_PATH}", self.setup.settings.relay.trim_end_matches('/'))
    }
}

fn reply(id: &str, outgoing: &Outgoing) -> ToRelay {
    let Outgoing { chat, topic, text, reply_to: _ } = outgoing.clone();
    ToRelay::Reply { id: id.to_owned(), chat, topic, text }
}

fn refused(why: &str) -> End {
    let why = aside_task::run::short(why, 200);
    End::Refused(format!(
        "the relay refused this machine: {why}; get a new code and run `aside remote setup --chat relay`"
    ))
}

fn lost() -> End {
    End::Lost("the connection to the relay was lost; it is opened again".to_owned())
}

/// The next frame; nothing for one that only says that the relay is there. May be given up and asked again.
async fn next(socket: &mut WebSocket) -> Result<Option<ToMachine>, End> {
    match socket.next().await {
        Some(Ok(Frame::Text(text))) => {
            let frame = serde_json::from_str(&text).ok();
            if frame.is_none() {
                tracing::warn!("the relay sent what is no frame");
            }
            Ok(frame)
        }
        Some(Ok(Frame::Ping(_) | Frame::Pong(_))) => Ok(None),
        Some(Ok(Frame::Binary(_) | Frame::Close(_) | Frame::Frame(_)) | Err(_)) | None => Err(lost()),
    }
}

async fn say(socket: &mut WebSocket, frame: &ToRelay) -> Result<(), End> {
    let text = serde_json::to_string(frame).map_err(|error| End::Lost(error.to_string()))?;
    timeout(SEND, socket.send(Frame::text(text))).await.map_err(|_| lost())?.map_err(|_| lost())
}
