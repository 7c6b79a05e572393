//! An app of WeCom that is called back: WeCom calls (through a proxy with TLS), and the answers go to its API. A callback is answered at
//! once, whatever becomes of it, since WeCom waits a few seconds and then calls again.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use aside_wecom::callback::{Message, encrypted};
use aside_wecom::crypto::{Crypto, Signed};
use reqwest::{Client, Url};
use serde::Deserialize;
use serde_json::json;

use crate::chat::{Call, ChatMessage, Received, WINDOW};
use crate::outbound_http::{self, DeliveryOutcome};

const API: &str = "https://qyapi.weixin.qq.com";
/// Before a token expires it is fetched anew.
const MARGIN: Duration = Duration::from_secs(300);
const MIN_LIFE: Duration = Duration::from_secs(30);
const MAX_QUERY: usize = 8 * 1024;
/// The token is no longer good, whatever its time says.
const STALE_TOKEN: [i64; 3] = [40_014, 42_001, 40_001];
const LIMITED: [i64; 2] = [45_009, 45_033];

/// Which app, and what it shares with WeCom.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct App {
    pub corp_id: String,
    pub agent_id: u64,
    /// What callbacks are signed and encrypted with.
    pub token: String,
    pub aes_key: String,
    /// What fetches tokens of the API.
    pub secret: String,
    /// Empty for WeCom's own.
    pub api: String,
}

pub struct Receiver {
    crypto: Crypto,
    corp_id: String,
    agent_id: u64,
}

impl Receiver {
    pub fn new(app: &App) -> anyhow::Result<Self> {
        ensure!(!app.corp_id.is_empty() && !app.token.is_empty(), "the app has no corp id or no token");
        let crypto = Crypto::new(&app.token, &app.aes_key, &app.corp_id).ok();
        let crypto = crypto.context("the EncodingAESKey must have 43 characters")?;
        Ok(Self { crypto, corp_id: app.corp_id.clone(), agent_id: app.agent_id })
    }

    pub fn receive(&self, call: Call<'_>, now: u64) -> Received {
        let refused = |why: &str| Received::Refused(why.to_owned());
        let query = Query::of(call.query);
        let ciphertext = match (call.is_post, std::str::from_utf8(call.body)) {
            (false, _) => Some(query.echostr.clone()),
            (true, Ok(body)) => encrypted(body),
            (true, Err(_)) => None,
        };
        let Some(ciphertext) = ciphertext.filter(|ciphertext| !ciphertext.is_empty()) else {
            return refused("it has no text");
        };
        let signed = Signed { signature: &query.signature, timestamp: &query.timestamp, nonce: &query.nonce };
        let text = match self.crypto.open(signed, &ciphertext) {
            Ok(text) => text,
            Err(refusal) => return Received::Refused(format!("{refusal:?}")),
        };
        if !query.timestamp.parse::<u64>().is_ok_and(|signed| signed.abs_diff(now) <= WINDOW) {
            return refused("its time is not ours; if this goes on, set the clock");
        }
        if !call.is_post {
            return Received::Echo(text);
        }
        let Some(message) = Message::of_xml(&text) else { return refused("it is no message") };
        let is_ours = message.to == self.corp_id && (self.agent_id == 0 || message.agent == self.agent_id.to_string());
        if !is_ours {
            return refused("it is for another corp or app");
        }
        if message.kind != "text" {
            return Received::Nothing;
        }
        let (id, user) = (message.key(), message.user);
        Received::Message(ChatMessage { id, chat: user.clone(), user, text: message.text })
    }
}

#[derive(Default)]
struct Query {
    signature: String,
    timestamp: String,
    nonce: String,
    echostr: String,
}

impl Query {
    fn of(query: &str) -> Self {
        let mut found = Self::default();
        if query.len() > MAX_QUERY {
            return found;
        }
        let Ok(url) = Url::parse(&format!("http://localhost/?{query}")) else { return found };
        for (name, value) in url.query_pairs() {
            match &*name {
                "msg_signature" => found.signature = value.into_owned(),
                "timestamp" => found.timestamp = value.into_owned(),
                "nonce" => found.nonce = value.into_owned(),
                // A plus that was not escaped was read as a blank, which no ciphertext has.
                "echostr" => found.echostr = value.replace(' ', "+"),
                _ => {}
            }
        }
        found
    }
}

pub struct Sender {
    client: Client,
    api: Url,
    corp_id: String,
    agent_id: u64,
    secret: String,
    token: Option<(String, Instant)>,
}

#[derive(Deserialize)]
struct Told {
    errcode: i64,
    #[serde(default)]
    errmsg: String,
    #[serde(default)]
    access_token: String,
    #[serde(default)]
    expires_in: u64,
}

impl Sender {
    /// `name` is that of the setting with the API's address.
    pub fn new(app: &App, name: &str) -> anyhow::Result<Self> {
        let api = outbound_http::address(if app.api.is_empty() { API } else { &app.api }, name)?;
        let client = outbound_http::client(&api)?;
        let (corp_id, agent_id, secret) = (app.corp_id.clone(), app.agent_id, app.secret.clone());
        Ok(Self { client, api, corp_id, agent_id, secret, token: None })
    }

    pub fn address(&self) -> &str {
        self.api.as_str()
    }

    pub async fn deliver(&mut self, chat: &str, text: &str) -> DeliveryOutcome {
        let body = json!({ "touser": chat, "msgtype": "text", "agentid": self.agent_id,
            "text": { "content": text }, "safe": 0, "enable_duplicate_check": 0 });
        // A token may be taken back before its time: then once more with another.
        for _ in 0..2 {
            let token = match self.token().await {
                Ok(token) => token,
                Err(delivered) => return delivered,
            };
            let mut address = self.at("/cgi-bin/message/send");
            address.query_pairs_mut().append_pair("access_token", &token);
            match told(outbound_http::post(&self.client, address.as_str(), body.to_string())).await {
                Ok(Told { errcode: 0, .. }) => return DeliveryOutcome::Yes,
                Ok(Told { errcode, .. }) if STALE_TOKEN.contains(&errcode) => self.token = None,
                Ok(Told { errcode, .. }) if LIMITED.contains(&errcode) => {
                    return DeliveryOutcome::Later("WeCom's rate limit was reached; it goes on by itself".to_owned());
                }
                Ok(Told { errcode, errmsg, .. }) => return DeliveryOutcome::No(refusal(errcode, &errmsg)),
                Err(why) => return DeliveryOutcome::Later(why),
            }
        }
        DeliveryOutcome::Later("WeCom takes none of its tokens; it is tried again".to_owned())
    }

    async fn token(&mut self) -> Result<String, DeliveryOutcome> {
        if let Some((token, until)) = &self.token
            && *until > Instant::now()
        {
            return Ok(token.clone());
        }
        let mut address = self.at("/cgi-bin/gettoken");
        address.query_pairs_mut().append_pair("corpid", &self.corp_id).append_pair("corpsecret", &self.secret);
        match told(self.client.get(address)).await {
            Ok(Told { errcode: 0, access_token, expires_in, .. }) => {
                let life = Duration::from_secs(expires_in).saturating_sub(MARGIN).max(MIN_LIFE);
                self.token = Some((access_token.clone(), Instant::now() + life));
                Ok(access_token)
            }
            Ok(Told { errcode, errmsg, .. }) => Err(DeliveryOutcome::No(refusal(errcode, &errmsg))),
            Err(why) => Err(DeliveryOutcome::Later(why)),
        }
    }

    fn at(&self, path: &str) -> Url {
        let mut address = self.api.clone();
        address.set_path(path);
        address
    }
}

async fn told(request: reqwest::RequestBuilder) -> Result<Told, String> {
    let (status, body) = outbound_http::exchange(request)
        .await
        .map_err(|why| format!("WeCom cannot be reached: {why}; check the network"))?;
    serde_json::from_slice(&body).map_err(|_| format!("WeCom answered {status} and no JSON; check the API's address"))
}

fn refusal(code: i64, text: &str) -> String {
    let advice = match code {
        40_001 => "the app's secret is wrong; copy it again from the app's page",
        40_013 => "the corp id is wrong; copy it again from the company's page",
        60_020 => "this machine's address is not among the app's trusted ones; add it on the app's page",
        81_013 | 60_111 => "this user does not see the app; widen its visibility on the app's page",
        _ => "look the code up in WeCom's documentation",
    };
    let text: String = text.chars().take(120).collect();
    format!("WeCom did not take a message ({code} {text}): {advice}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "6qkdMrq68nTKduznJYO1A37W2oEgpkMUvkttRToqhUt";
    const NOW: u64 = 1_700_000_000;

    fn receiver() -> Receiver {
        let (corp_id, agent_id, token, aes_key) = ("ww1".into(), 7, "token".into(), KEY.into());
        Receiver::new(&App { corp_id, agent_id, token, aes_key, ..App::default() }).unwrap()
    }

    fn xml(to: &str, agent: u64, kind: &str, text: &str) -> String {
        format!(
            "<xml><ToUserName>{to}</ToUserName><FromUserName>li</FromUserName><CreateTime>1</CreateTime>\
             <MsgType>{kind}</MsgType><Content><![CDATA[{text}]]></Content><MsgId>m1</MsgId><AgentID>{agent}</AgentID></xml>"
        )
    }

    /// The query and the body.
    fn signed(receiver: &Receiver, time: u64, text: &str) -> (String, String) {
        let ciphertext = receiver.crypto.encrypt(text, [7; 16]);
        let signature = receiver.crypto.sign(&time.to_string(), "n", &ciphertext);
        let escaped = ciphertext.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
        let query = format!("msg_signature={signature}&timestamp={time}&nonce=n&echostr={escaped}");
        let body = format!("<xml><ToUserName>ww1</ToUserName><Encrypt><![CDATA[{ciphertext}]]></Encrypt></xml>");
        (query, body)
    }

    fn call<'a>(is_post: bool, query: &'a str, body: &'a str) -> Call<'a> {
        Call { is_post, query, body: body.as_bytes(), timestamp: "", signature: "" }
    }

    #[test]
    fn a_url_is_checked_and_a_message_is_taken() {
        let receiver = receiver();
        let (query, body) = signed(&receiver, NOW, "1616140317555161061");
        let echo = Received::Echo("1616140317555161061".to_owned());
        assert_eq!(receiver.receive(call(false, &query, &body), NOW), echo);
        let (query, body) = signed(&receiver, NOW - WINDOW, &xml("ww1", 7, "text", "run the tests"));
        let heard = ChatMessage { id: "m1".into(), user: "li".into(), chat: "li".into(), text: "run the tests".into() };
        assert_eq!(receiver.receive(call(true, &query, &body), NOW), Received::Message(heard));
        let (query, body) = signed(&receiver, NOW, &xml("ww1", 7, "event", ""));
        assert_eq!(receiver.receive(call(true, &query, &body), NOW), Received::Nothing);
    }

    #[test]
    fn what_is_old_for_another_or_no_message_is_refused() {
        let receiver = receiver();
        let refuses =
            |query: &str, body: &str| matches!(receiver.receive(call(true, query, body), NOW), Received::Refused(_));
        let good = xml("ww1", 7, "text", "run the tests");
        for (time, text) in [
            (NOW - WINDOW - 1, good.as_str()),
            (NOW + WINDOW + 1, good.as_str()),
            (NOW, &xml("ww2", 7, "text", "x")),
            (NOW, &xml("ww1", 8, "text", "x")),
            (NOW, "hello"),
        ] {
            let (query, body) = signed(&receiver, time, text);
            assert!(refuses(&query, &body), "{time} {text}");
        }
        let (query, body) = signed(&receiver, NOW, &good);
        for (from, to) in
            [("msg_signature=", "msg_signature=0"), ("timestamp=1", "timestamp=2"), ("nonce=n", "nonce=m")]
        {
            assert!(refuses(&query.replacen(from, to, 1), &body), "{from}");
        }
        for body in ["", "{}", "<xml></xml>", "<xml><Encrypt></Encrypt></xml>"] {
            assert!(refuses(&query, body), "{body}");
        }
    }
}
