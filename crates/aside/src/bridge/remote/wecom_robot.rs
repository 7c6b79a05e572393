//! WeCom's intelligent robot over its long connection: this machine opens it, so it needs no public address. Reconnects by itself, answers
//! within the rate limit, and sends again what was not acknowledged.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use aside_wecom::frame::{self, Incoming as Frame};
use futures_util::{SinkExt, StreamExt};
use ring::rand::{SecureRandom, SystemRandom};
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tokio_tungstenite::tungstenite::Message;

use crate::bridge::remote::chat::Chat;
use crate::bridge::remote::paced_outbox::PacedOutbox;
use crate::bridge::remote::secrets::Secrets;
use crate::bridge::remote::status::Condition;
use crate::bridge::remote::websocket::{self, Backoff, End, WebSocket};
use crate::bridge::remote::{Incoming, Outgoing, Setup};

const PING: Duration = Duration::from_secs(30);
/// Without a frame for so long the connection is taken for dead: two pings were not answered.
const SILENCE: Duration = Duration::from_secs(75);
const SUBSCRIBE: Duration = Duration::from_secs(10);
/// Messages that WeCom has not acknowledged.
const MAX_UNANSWERED: usize = 256;
/// The rate limit was reached all the same: other programs use the same robot.
const HOLD: Duration = Duration::from_secs(60);

/// Codes of WeCom's for which a message can be sent in another way, or later.
const REPLY_EXPIRED: [i64; 2] = [846_605, 846_608];
const LIMITED: [i64; 2] = [45_009, 45_033];

struct Robot<'a> {
    setup: &'a Setup,
    chat: &'a Chat,
    secret: &'a str,
    outgoing: mpsc::Receiver<Outgoing>,
    paced: PacedOutbox,
    /// The oldest first, each with the request that WeCom answers.
    unanswered: VecDeque<(String, Outgoing)>,
    start: Instant,
    held_until: Option<Duration>,
    /// Begins every request of this process.
    name: String,
    number: u64,
}

pub async fn run(setup: &Setup, chat: &Chat, secrets: &Secrets, outgoing: mpsc::Receiver<Outgoing>) {
    let mut random = [0; 4];
    let _ = SystemRandom::new().fill(&mut random);
    let mut robot = Robot {
        setup,
        chat,
        secret: &secrets.robot,
        outgoing,
        paced: PacedOutbox::new(),
        unanswered: VecDeque::new(),
        start: Instant::now(),
        held_until: None,
        name: format!("aside_{:08x}", u32::from_le_bytes(random)),
        number: 0,
    };
    let mut backoff = Backoff::new();
    loop {
        let end = robot.session().await;
        backoff.rest(setup, end).await;
    }
}

impl Robot<'_> {
    async fn session(&mut self) -> End {
        let bot_id = &self.setup.settings.bot_id;
        if bot_id.is_empty() || self.secret.is_empty() {
            return End::Refused("the robot has no id or no secret; run `aside remote setup`".to_owned());
        }
        let server = self.server().to_owned();
        let mut socket = match websocket::open(&server, "remote.server", frame::MAX_FRAME).await {
            Ok(socket) => socket,
            Err(error) => {
                return End::Lost(format!(
                    "{server} cannot be used: {error:#}; check the network, HTTPS_PROXY and remote.server"
                ));
            }
        };
        let request = self.request();
        if let Err(end) = say(&mut socket, frame::subscribe(&request, bot_id, self.secret)).await {
            return end;
        }
        match timeout(SUBSCRIBE, subscribed(&mut socket, &request)).await {
            Ok(Ok(())) => {}
            Ok(Err(end)) => return end,
            Err(_) => return End::Lost("WeCom did not answer the robot; it is tried again".to_owned()),
        }
        self.setup.health.is(Condition::Connected);
        tracing::info!("connected to {server}");
        // In their order: of two states of a task the newer one counts.
        while let Some((_, outgoing)) = self.unanswered.pop_back() {
            self.paced.put_back(Outgoing { reply_to: None, ..outgoing });
        }
        match self.serve(&mut socket).await {
            Ok(never) => match never {},
            Err(end) => end,
        }
    }

    async fn serve(&mut self, socket: &mut WebSocket) -> Result<std::convert::Infallible, End> {
        let mut pings = interval(PING);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        pings.tick().await;
        let mut heard = Instant::now();
        loop {
            self.send_due(socket).await?;
            let now = self.start.elapsed();
            let wait =
                self.paced.next(now).map(|next| next.max(self.held_until.unwrap_or_default()).saturating_sub(now));
            let wait = wait.filter(|_| self.unanswered.len() < MAX_UNANSWERED);
            let wait = wait.unwrap_or(PING).min(SILENCE.saturating_sub(heard.elapsed()));
            tokio::select! {
                frame = socket.next() => {
                    heard = Instant::now();
                    let Some(Ok(message)) = frame else {
                        return Err(End::Lost("the connection to WeCom was lost; it is opened again".to_owned()));
                    };
                    if let Message::Text(text) = message {
                        self.take(&text)?;
                    }
                }
                Some(outgoing) = self.outgoing.recv() => self.paced.put(outgoing),
                _ = pings.tick() => {
                    let request = self.request();
                    say(socket, frame::ping(&request)).await?;
                }
                () = sleep(wait) => {
                    if heard.elapsed() >= SILENCE {
                        return Err(End::Lost("WeCom has fallen silent; the connection is opened again".to_owned()));
                    }
                }
            }
        }
    }

    fn take(&mut self, text: &str) -> Result<(), End> {
        match Frame::of(text) {
            Some(Frame::Message(frame::Message { req_id, id, user, chat, is_group: _, text })) => {
                self.chat.hear(Incoming { id, user, chat, text, reply_to: Some(req_id), ..Incoming::default() });
            }
            Some(Frame::Answer { req_id, code, text }) => self.answered(&req_id, code, &text),
            Some(Frame::Replaced) => {
                return Err(End::Refused(
                    "another machine has connected as this robot; give each machine a robot of its own".to_owned(),
                ));
            }
            Some(Frame::Entered { .. } | Frame::Other) => {}
            None => tracing::warn!("WeCom sent what is no frame"),
        }
        Ok(())
    }

    fn answered(&mut self, request: &str, code: i64, text: &str) {
        let Some(at) = self.unanswered.iter().position(|(known, _)| known == request) else { return };
        let Some((_, outgoing)) = self.unanswered.remove(at) else { return };
        match code {
            0 => self.setup.health.sent(),
            code if REPLY_EXPIRED.contains(&code) && outgoing.reply_to.is_some() => {
                self.paced.put_back(Outgoing { reply_to: None, ..outgoing });
            }
            code if LIMITED.contains(&code) => {
                self.held_until = Some(self.start.elapsed() + HOLD);
                self.paced.put_back(outgoing);
            }
            code => tracing::warn!("WeCom did not take a message: {code} {text}"),
        }
    }

    async fn send_due(&mut self, socket: &mut WebSocket) -> Result<(), End> {
        let now = self.start.elapsed();
        // What is sent before the answers to so many others are there could be lost with the connection, unnoticed.
        if self.held_until.is_some_and(|until| until > now) || self.unanswered.len() >= MAX_UNANSWERED {
            return Ok(());
        }
        self.held_until = None;
        let mut due = VecDeque::from(self.paced.due(now));
        while let Some(outgoing) = due.pop_front() {
            if !self.setup.is_noted(self.server(), &outgoing.text).await {
                continue;
            }
            let (request, text) = match &outgoing.reply_to {
                Some(request) => (request.clone(), frame::respond(request, &self.request(), &outgoing.text)),
                None => {
                    let request = self.request();
                    let text = frame::send(&request, &outgoing.chat, &outgoing.text);
                    (request, text)
                }
            };
            self.unanswered.push_back((request, outgoing));
            if let Err(end) = say(socket, text).await {
                while let Some(waiting) = due.pop_back() {
                    self.paced.put_back(waiting);
                }
                return Err(end);
            }
        }
        Ok(())
    }

    fn server(&self) -> &str {
        match self.setup.settings.server.as_str() {
            "" => frame::SERVER,
            server => server,
        }
    }

    fn request(&mut self) -> String {
        self.number += 1;
        format!("{}_{}", self.name, self.number)
    }
}

async fn say(socket: &mut WebSocket, text: String) -> Result<(), End> {
    let sent = timeout(SUBSCRIBE, socket.send(Message::text(text))).await;
    let lost = || End::Lost("the connection to WeCom was lost; it is opened again".to_owned());
    sent.map_err(|_| lost())?.map_err(|_| lost())
}

/// Waits for the answer to who we are.
async fn subscribed(socket: &mut WebSocket, request: &str) -> Result<(), End> {
    while let Some(Ok(message)) = socket.next().await {
        let Message::Text(text) = message else { continue };
        match Frame::of(&text) {
            Some(Frame::Answer { req_id, code: 0, .. }) if req_id == request => return Ok(()),
            Some(Frame::Answer { req_id, code, text }) if req_id == request => {
                let told = format!("WeCom refused the robot ({code} {text})");
                return Err(End::Refused(match frame::advice(code) {
                    Some(advice) => format!("{told}: {advice}"),
                    None => format!("{told}; check the bot id and the secret, then `aside remote setup`"),
                }));
            }
            _ => {}
        }
    }
    Err(End::Lost("WeCom hung up before it knew the robot; it is tried again".to_owned()))
}
