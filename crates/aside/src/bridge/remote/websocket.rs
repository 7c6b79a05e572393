//! A WebSocket that this machine opens: the handshake over the same HTTP client as every other connection that goes out, with its
//! certificates and proxies; the frames are tungstenite's; and how long to wait before the next one. Knows nothing of what is said.

use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use aside_relay::http::accepted;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::header::{
    CONNECTION, DATE, HeaderMap, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use reqwest::{StatusCode, Upgraded, Url};
use ring::rand::{SecureRandom, SystemRandom};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use crate::bridge::remote::Setup;
use crate::provider::http_exchange;

pub type WebSocket = WebSocketStream<Upgraded>;

const CONNECT: Duration = Duration::from_secs(10);
const HANDSHAKE: Duration = Duration::from_secs(20);
/// A clock that is further off fails elsewhere, too.
const MAX_CLOCK: i64 = 300;

const FIRST_DELAY: Duration = Duration::from_secs(1);
const LAST_DELAY: Duration = Duration::from_secs(30);
/// After a refusal: it does not get better by itself.
const REFUSED_DELAY: Duration = Duration::from_secs(60);
/// A connection that lasted so long was a good one.
const GOOD: Duration = Duration::from_secs(60);

/// Why a connection is over.
pub enum End {
    Lost(String),
    Refused(String),
}

/// The pause between two connections, which grows while they fail.
pub struct Backoff {
    delay: Duration,
    began: Instant,
}

impl Backoff {
    /// The first connection begins now.
    pub fn new() -> Self {
        Self { delay: FIRST_DELAY, began: Instant::now() }
    }

    /// Says why the connection is over, and returns when the next one is due.
    pub async fn rest(&mut self, setup: &Setup, end: End) {
        let (what, pause) = match end {
            End::Lost(why) => {
                let pause = if self.began.elapsed() > GOOD { FIRST_DELAY } else { self.delay };
                self.delay = (pause * 2).min(LAST_DELAY);
                (why, pause)
            }
            End::Refused(why) => (why, REFUSED_DELAY),
        };
        setup.trouble(what);
        tokio::time::sleep(pause).await;
        self.began = Instant::now();
    }
}

/// `name` is that of the setting.
pub async fn open(address: &str, name: &str, max_frame: usize) -> anyhow::Result<WebSocket> {
    let url = http(address, name)?;
    let client = http_exchange::client(&url, CONNECT).map_err(|failure| anyhow::anyhow!("{failure}"))?;
    let mut nonce = [0; 16];
    SystemRandom::new().fill(&mut nonce).ok().context("this machine has no random numbers")?;
    let key = STANDARD.encode(nonce);
    let request = client
        .get(url)
        .header(CONNECTION, "Upgrade")
        .header(UPGRADE, "websocket")
        .header(SEC_WEBSOCKET_VERSION, "13")
        .header(SEC_WEBSOCKET_KEY, &key);
    let response = tokio::time::timeout(HANDSHAKE, request.send()).await.context("it took too long to answer")?;
    let response =
        response.map_err(|error| anyhow::anyhow!("{}", http_exchange::innermost_cause(&error.without_url())))?;
    if let Some(minutes) = clock_off(response.headers(), Timestamp::now()) {
        bail!("this machine's clock is {minutes} minutes off; set it");
    }
    ensure!(response.status() == StatusCode::SWITCHING_PROTOCOLS, "it answered {}", response.status());
    let accepts = response
        .headers()
        .get(SEC_WEBSOCKET_ACCEPT)
        .is_some_and(|accept| accept.as_bytes() == accepted(&key).as_bytes());
    ensure!(accepts, "what answered is no WebSocket server");
    let upgraded = response.upgrade().await.context("the connection was closed")?;
    let limits = WebSocketConfig::default().max_message_size(Some(max_frame)).max_frame_size(Some(max_frame));
    Ok(WebSocketStream::from_raw_socket(upgraded, Role::Client, Some(limits)).await)
}

/// A secret goes over TLS, or stays on this machine.
fn http(address: &str, name: &str) -> anyhow::Result<Url> {
    let spelled = match address.split_once("://") {
        Some(("wss", rest)) => format!("https://{rest}"),
        Some(("ws", rest)) => format!("http://{rest}"),
        _ => bail!("{name} must begin with wss://"),
    };
    let url: Url = spelled.parse().with_context(|| format!("{name} is no address"))?;
    ensure!(
        url.scheme() == "https" || http_exchange::is_loopback(&url),
        "{name} must begin with wss://, or it could be read on its way"
    );
    Ok(url)
}

/// By how many minutes, as the server sees it.
fn clock_off(headers: &HeaderMap, now: Timestamp) -> Option<i64> {
    let date = headers.get(DATE)?.to_str().ok()?;
    let theirs = rfc2822::parse(date).ok()?.timestamp();
    let off = (now.as_second() - theirs.as_second()).abs();
    (off > MAX_CLOCK).then_some(off / 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_goes_over_tls_or_stays_here() {
        for good in ["wss://openws.work.weixin.qq.com", "ws://127.0.0.1:1/", "ws://localhost:1", "ws://[::1]:1"] {
            assert!(http(good, "x").is_ok(), "{good}");
        }
        for bad in ["ws://example.org", "http://127.0.0.1", "", "wss://", "ws://127.0.0.1.example.org"] {
            assert!(http(bad, "x").is_err(), "{bad}");
        }
    }

    #[test]
    fn a_clock_that_is_off_is_noticed() {
        let now: Timestamp = "2026-11-17T10:00:00Z".parse().unwrap();
        let off = |date: &str| clock_off(&HeaderMap::from_iter([(DATE, date.parse().unwrap())]), now);
        assert_eq!(off("Tue, 17 Nov 2026 10:04:00 GMT"), None);
        assert_eq!(off("Tue, 17 Nov 2026 11:00:00 GMT"), Some(60));
        assert_eq!(off("yesterday"), None);
        assert_eq!(clock_off(&HeaderMap::new(), now), None);
    }
}
