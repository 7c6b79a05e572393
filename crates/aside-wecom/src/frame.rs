//! The frames of an intelligent robot's long connection: JSON texts over one WebSocket that the robot opens. Says how they are spelled,
//! not when they are due.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Where WeCom listens for robots.
pub const SERVER: &str = "wss://openws.work.weixin.qq.com";
/// Bytes of a text that a robot may send at once.
pub const MAX_CONTENT: usize = 20_480;
/// Bytes of a frame that is read; a message of a user is a few kilobytes.
pub const MAX_FRAME: usize = 1024 * 1024;

/// What the server sends.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    /// A user wrote something.
    Message(Message),
    /// A user opened the chat: a welcome may be sent within 5 s.
    Entered { req_id: String },
    /// An answer to a frame of ours. 0 is good.
    Answer { req_id: String, code: i64, text: String },
    /// Another connection of the same robot has taken over.
    Replaced,
    /// Something that a robot of ours need not know.
    Other,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// Replies carry it.
    pub req_id: String,
    pub id: String,
    pub user: String,
    /// Where a message about it goes later: the chat, or the user of a chat between two.
    pub chat: String,
    pub is_group: bool,
    /// Empty for anything but text.
    pub text: String,
}

#[derive(Deserialize)]
struct Frame {
    #[serde(default)]
    cmd: String,
    #[serde(default)]
    headers: Headers,
    #[serde(default)]
    body: Body,
    errcode: Option<i64>,
    #[serde(default)]
    errmsg: String,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct Headers {
    req_id: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Body {
    msgid: String,
    chatid: String,
    chattype: String,
    from: From,
    msgtype: String,
    text: Text,
    event: Event,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct From {
    userid: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Text {
    content: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Event {
    eventtype: String,
}

impl Incoming {
    /// `None` for what is no frame.
    pub fn of(text: &str) -> Option<Self> {
        let Frame { cmd, headers: Headers { req_id }, body, errcode, errmsg } = serde_json::from_str(text).ok()?;
        Some(match (cmd.as_str(), errcode) {
            ("aibot_msg_callback", _) => {
                let is_text = body.msgtype == "text";
                let is_group = body.chattype == "group";
                let chat = if is_group { body.chatid } else { body.from.userid.clone() };
                Self::Message(Message {
                    req_id,
                    id: body.msgid,
                    user: body.from.userid,
                    chat,
                    is_group,
                    text: if is_text { body.text.content } else { String::new() },
                })
            }
            ("aibot_event_callback", _) => match body.event.eventtype.as_str() {
                "enter_chat" => Self::Entered { req_id },
                "disconnected_event" => Self::Replaced,
                _ => Self::Other,
            },
            (_, Some(code)) => Self::Answer { req_id, code, text: errmsg },
            (_, None) => Self::Other,
        })
    }
}

/// The first frame: who the robot is.
pub fn subscribe(req_id: &str, bot_id: &str, secret: &str) -> String {
    frame("aibot_subscribe", req_id, Some(json!({ "bot_id": bot_id, "secret": secret })))
}

pub fn ping(req_id: &str) -> String {
    frame("ping", req_id, None)
}

/// The answer to a message, whole and at once.
pub fn respond(req_id: &str, stream_id: &str, content: &str) -> String {
    let stream = json!({ "id": stream_id, "finish": true, "content": content });
    frame("aibot_respond_msg", req_id, Some(json!({ "msgtype": "stream", "stream": stream })))
}

/// A message that answers none: how a task goes on.
pub fn send(req_id: &str, chat: &str, content: &str) -> String {
    let body = json!({ "chatid": chat, "msgtype": "markdown", "markdown": { "content": content } });
    frame("aibot_send_msg", req_id, Some(body))
}

fn frame(cmd: &str, req_id: &str, body: Option<Value>) -> String {
    let mut frame = json!({ "cmd": cmd, "headers": { "req_id": req_id } });
    if let Some(body) = body {
        frame["body"] = body;
    }
    frame.to_string()
}

/// What a code of the server means for the user, and what to do about it.
pub fn advice(code: i64) -> Option<&'static str> {
    Some(match code {
        40001 | 40013 | 40014 | 40058 | 600_041 | 846_601..=846_604 => {
            "WeCom does not know this bot id and secret; copy both again from the robot's page, then `aside remote setup`"
        }
        45009 | 45033 => "WeCom's rate limit was reached; it goes on by itself in a minute",
        846_605 | 846_608 => "the message was answered too late",
        846_609 => "the connection was not subscribed",
        _ => return None,
    })
}
