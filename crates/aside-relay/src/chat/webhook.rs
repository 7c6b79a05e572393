//! A chat of any kind, through a webhook: messages come signed, and answers go out signed with the same key. HMAC-SHA256 over the time and
//! the body; a small program between a chat and this is all that another chat needs.

use anyhow::ensure;
use reqwest::{Client, StatusCode, Url};
use ring::hmac;
use serde::Deserialize;
use serde_json::json;

use crate::chat::{Call, ChatMessage, Received, WINDOW};
use crate::key::hex;
use crate::outbound_http::{self, DeliveryOutcome};
use crate::seconds;

pub const TIMESTAMP: &str = "x-aside-timestamp";
pub const SIGNATURE: &str = "x-aside-signature";
/// Characters of a key: fewer can be guessed.
pub const MIN_KEY: usize = 32;

pub struct Receiver(hmac::Key);

/// What a program between a chat and this one sends.
#[derive(Deserialize)]
struct Message {
    id: String,
    user: String,
    text: String,
    /// Where the answer goes; the user without it.
    #[serde(default)]
    chat: String,
}

impl Receiver {
    pub fn new(key: &str) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes()))
    }

    pub fn receive(&self, call: Call<'_>, now: u64) -> Received {
        let refused = |why: &str| Received::Refused(why.to_owned());
        let Ok(time) = call.timestamp.parse::<u64>() else { return refused("it has no time") };
        let signed = call.signature.strip_prefix("sha256=").and_then(unhex);
        if signed.is_none_or(|signed| hmac::verify(&self.0, &text(time, call.body), &signed).is_err()) {
            return refused("its signature is wrong");
        }
        if time.abs_diff(now) > WINDOW {
            return refused("its time is not ours; if this goes on, set the clock");
        }
        let Ok(Message { id, user, text, chat }) = serde_json::from_slice(call.body) else {
            return Received::Malformed;
        };
        let chat = if chat.is_empty() { user.clone() } else { chat };
        Received::Message(ChatMessage { id, user, chat, text })
    }
}

pub struct Sender {
    client: Client,
    reply: Url,
    key: hmac::Key,
}

impl Sender {
    /// `name` is that of the setting.
    pub fn new(reply: &str, name: &str, key: &str) -> anyhow::Result<Self> {
        ensure!(key.len() >= MIN_KEY, "the webhook has no key, or a short one");
        let reply = outbound_http::address(reply, name)?;
        Ok(Self {
            client: outbound_http::client(&reply)?,
            reply,
            key: hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes()),
        })
    }

    pub fn address(&self) -> &str {
        self.reply.as_str()
    }

    pub async fn deliver(&self, chat: &str, topic: &str, text: &str) -> DeliveryOutcome {
        let body = json!({ "chat": chat, "task": topic, "text": text }).to_string();
        let (timestamp, signature) = signed(&self.key, seconds(), body.as_bytes());
        let request = outbound_http::post(&self.client, self.reply.as_str(), body)
            .header(TIMESTAMP, timestamp)
            .header(SIGNATURE, signature);
        match outbound_http::exchange(request).await {
            Ok((status, _)) if status.is_success() => DeliveryOutcome::Yes,
            Ok((status, _)) if status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS => {
                DeliveryOutcome::No(format!("the webhook's reply address answered {status}; look at its log"))
            }
            Ok((status, _)) => {
                DeliveryOutcome::Later(format!("the webhook's reply address answered {status}; it is tried again"))
            }
            Err(why) => DeliveryOutcome::Later(format!(
                "the webhook's reply address cannot be reached: {why}; start what listens there"
            )),
        }
    }
}

/// The two headers of a call.
pub fn headers(key: &str, time: u64, body: &str) -> (String, String) {
    signed(&hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes()), time, body.as_bytes())
}

/// The time, and `sha256=` with the HMAC of the time, a full stop and the body.
fn signed(key: &hmac::Key, time: u64, body: &[u8]) -> (String, String) {
    (time.to_string(), format!("sha256={}", hex(hmac::sign(key, &text(time, body)).as_ref())))
}

fn text(time: u64, body: &[u8]) -> Vec<u8> {
    [time.to_string().as_bytes(), b".", body].concat()
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    let is_hex = digits.len().is_multiple_of(2) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| {
        (0..digits.len()).step_by(2).filter_map(|at| u8::from_str_radix(&digits[at..at + 2], 16).ok()).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_signed_and_recent_is_taken() {
        let key = "k".repeat(MIN_KEY);
        let receiver = Receiver::new(&key);
        let body = r#"{"id":"m1","user":"li","text":"run the tests"}"#;
        let now = 1_700_000_000;
        let receive = |time: u64, signature: &str, body: &str| {
            let timestamp = time.to_string();
            let call = Call { is_post: true, query: "", body: body.as_bytes(), timestamp: &timestamp, signature };
            receiver.receive(call, now)
        };
        let signed = |time: u64, body: &str| headers(&key, time, body).1;
        for (time, signature) in [
            (now, signed(now, "other")),
            (now, signed(now + 1, body)),
            (now, signed(now, body).to_uppercase()),
            (now, headers("another key", now, body).1),
            (now, String::new()),
            (now, "sha256=".into()),
            (now - WINDOW - 1, signed(now - WINDOW - 1, body)),
            (now + WINDOW + 1, signed(now + WINDOW + 1, body)),
        ] {
            assert!(matches!(receive(time, &signature, body), Received::Refused(_)), "{time} {signature}");
        }
        assert_eq!(receive(now, &signed(now, "{}"), "{}"), Received::Malformed);
        let heard = ChatMessage { id: "m1".into(), user: "li".into(), chat: "li".into(), text: "run the tests".into() };
        assert_eq!(receive(now, &signed(now, body), body), Received::Message(heard));
    }
}
