//! WeCom's server for intelligent robots, as far as a robot can tell: takes a subscription, hands out messages of users, acknowledges what
//! the robot says. One robot at a time; every frame is kept.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::digest;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::protocol::Role;
use tokio_tungstenite::tungstenite::{Error, Message, WebSocket};

use crate::harness::patience;

const GLANCE: Duration = Duration::from_millis(10);

pub struct Wecom {
    address: String,
    orders: Sender<Order>,
    said: Receiver<SentMessage>,
    number: u64,
}

/// What the robot said to a chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentMessage {
    /// The chat, or the request of the message that is answered.
    pub to: String,
    pub text: String,
}

enum Order {
    Send(Value),
    /// Closes the connection without a word.
    Cut,
    /// Answers what comes next with this code.
    Refuse(i64),
}

impl Wecom {
    pub fn start(bot_id: &str, secret: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("ws://{}/", listener.local_addr().unwrap());
        let ((orders, received), (tell, said)) = (channel(), channel());
        let expected = json!({ "bot_id": bot_id, "secret": secret });
        std::thread::spawn(move || {
            // Ends with the test, which drops the other ends.
            for stream in listener.incoming() {
                if serve(stream.unwrap(), &expected, &received, &tell).is_none() {
                    return;
                }
            }
        });
        Self { address, orders, said, number: 0 }
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    /// A user writes to the robot. Returns the id of the request, by which an answer is known.
    pub fn user_writes(&mut self, user: &str, text: &str) -> String {
        self.number += 1;
        let id = format!("M-{}", self.number);
        self.delivers(&id, user, user, "single", text)
    }

    /// The same, with everything that WeCom would say.
    pub fn delivers(&mut self, id: &str, user: &str, chat: &str, chattype: &str, text: &str) -> String {
        let request = format!("REQ-{id}");
        let body = json!({ "msgid": id, "aibotid": "bot", "chatid": chat, "chattype": chattype,
            "from": { "userid": user }, "create_time": 1_700_000_000, "msgtype": "text", "text": { "content": text } });
        let frame = json!({ "cmd": "aibot_msg_callback", "headers": { "req_id": request }, "body": body });
        self.orders.send(Order::Send(frame)).unwrap();
        request
    }

    pub fn cuts(&self) {
        self.orders.send(Order::Cut).unwrap();
    }

    pub fn refuses_next(&self, code: i64) {
        self.orders.send(Order::Refuse(code)).unwrap();
    }

    /// The next thing that the robot says.
    #[track_caller]
    pub fn hears(&self) -> SentMessage {
        self.said.recv_timeout(patience()).expect("the robot says nothing")
    }

    /// The next that has these words.
    #[track_caller]
    pub fn hears_of(&self, words: &str) -> SentMessage {
        let deadline = Instant::now() + patience();
        let mut heard = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.said.recv_timeout(left) {
                Ok(said) if said.text.contains(words) => return said,
                Ok(said) => heard.push(said),
                Err(_) => panic!("the robot does not say {words:?}: {heard:#?}"),
            }
        }
    }

    /// Everything that the robot has said so far.
    pub fn heard(&self) -> Vec<SentMessage> {
        self.said.try_iter().collect()
    }
}

fn serve(mut stream: TcpStream, expected: &Value, orders: &Receiver<Order>, tell: &Sender<SentMessage>) -> Option<()> {
    if shake_hands(&mut stream).is_none() {
        return Some(());
    }
    stream.set_read_timeout(Some(GLANCE)).unwrap();
    let mut socket = WebSocket::from_raw_socket(stream, Role::Server, None);
    let mut refuse = 0;
    let mut is_subscribed = false;
    loop {
        match socket.read() {
            Ok(Message::Text(text)) => {
                let frame: Value = serde_json::from_str(&text).unwrap();
                let is_robot = frame["cmd"] != "aibot_subscribe" || frame["body"] == *expected;
                is_subscribed |= frame["cmd"] == "aibot_subscribe" && is_robot;
                let code = if is_robot { std::mem::take(&mut refuse) } else { 40_001 };
                let answer = json!({ "headers": frame["headers"], "errcode": code, "errmsg": "as it is" });
                let _ = socket.send(Message::text(answer.to_string()));
                if let Some(said) = said(&frame) {
                    tell.send(said).ok()?;
                }
            }
            Ok(_) => {}
            Err(Error::Io(error)) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(_) => return Some(()),
        }
        match orders.try_recv() {
            Err(std::sync::mpsc::TryRecvError::Disconnected) => return None,
            Err(std::sync::mpsc::TryRecvError::Empty) => {}
            Ok(Order::Refuse(code)) => refuse = code,
            Ok(Order::Cut) => return Some(()),
            Ok(Order::Send(frame)) => {
                assert!(is_subscribed, "the robot has not said who it is");
                let _ = socket.send(Message::text(frame.to_string()));
            }
        }
    }
}

fn said(frame: &Value) -> Option<SentMessage> {
    let (to, text) = match frame["cmd"].as_str()? {
        "aibot_respond_msg" => (&frame["headers"]["req_id"], &frame["body"]["stream"]["content"]),
        "aibot_send_msg" => (&frame["body"]["chatid"], &frame["body"]["markdown"]["content"]),
        _ => return None,
    };
    Some(SentMessage { to: to.as_str()?.to_owned(), text: text.as_str()?.to_owned() })
}

pub fn shake_hands(stream: &mut TcpStream) -> Option<()> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).ok()?;
    let mut fields = head.lines().filter_map(|line| line.split_once(": "));
    let (_, key) = fields.find(|(name, _)| name.eq_ignore_ascii_case("sec-websocket-key"))?;
    let text = format!("{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
    let accept = STANDARD.encode(digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, text.as_bytes()));
    write!(
        stream,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
    )
    .ok()
}
