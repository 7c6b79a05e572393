//! Calls that go out: short requests with a time limit, whose answers are cut at a bound and whose redirects are not followed.

use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, RequestBuilder, StatusCode, Url, redirect};
use tokio::time::timeout;

const CONNECT: Duration = Duration::from_secs(10);
/// Until the other side has answered.
const ANSWER: Duration = Duration::from_secs(20);
/// Bytes of an answer that are read.
const MAX_ANSWER: usize = 64 * 1024;

/// What became of a message to a chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryOutcome {
    Yes,
    /// Not yet; this is why.
    Later(String),
    /// Never; this is why.
    No(String),
}

/// An address that a secret may be sent to: over TLS, or on this machine.
pub fn address(text: &str, name: &str) -> anyhow::Result<Url> {
    let url: Url = text.parse().map_err(|_| anyhow::anyhow!("{name} is no address"))?;
    anyhow::ensure!(url.scheme() == "https" || is_here(&url), "{name} must begin with https://");
    Ok(url)
}

/// Loopback alone: names are not looked up, but for the one that always means it.
pub fn is_here(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    url.scheme() == "http"
        && (host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback()))
}

pub fn client(address: &Url) -> anyhow::Result<Client> {
    // Fails when another part of the process was here before, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .connect_timeout(CONNECT)
        // A secret goes where it was meant to go.
        .redirect(redirect::Policy::none())
        .user_agent(concat!("aside/", env!("CARGO_PKG_VERSION")));
    if is_here(address) {
        builder = builder.no_proxy();
    }
    Ok(builder.build()?)
}

pub fn post(client: &Client, address: &str, body: String) -> RequestBuilder {
    client.post(address).header(CONTENT_TYPE, "application/json").body(body)
}

/// The answer to a short request, cut at a bound. The error says why there was none.
pub async fn exchange(request: RequestBuilder) -> Result<(StatusCode, Vec<u8>), String> {
    exchange_within(request, MAX_ANSWER).await
}

/// The same with another bound: an answer that may be longer has exactly so many bytes.
pub async fn exchange_within(request: RequestBuilder, most: usize) -> Result<(StatusCode, Vec<u8>), String> {
    let answered = async {
        let mut response = request.send().await?;
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await? {
            body.extend_from_slice(&piece[..piece.len().min(most - body.len())]);
            if body.len() == most {
                break;
            }
        }
        Ok::<_, reqwest::Error>((response.status(), body))
    };
    match timeout(ANSWER, answered).await {
        Ok(answered) => answered.map_err(|error| format!("{:#}", anyhow::Error::from(error.without_url()))),
        Err(_) => Err("it took too long to answer".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_goes_over_tls_or_stays_here() {
        for good in ["https://qyapi.weixin.qq.com", "http://127.0.0.1:1/", "http://localhost:1", "http://[::1]:1"] {
            assert!(address(good, "x").is_ok(), "{good}");
        }
        for bad in ["http://example.org", "ftp://127.0.0.1", "", "http://127.0.0.1.example.org", "http://10.0.0.1"] {
            assert!(address(bad, "x").is_err(), "{bad}");
        }
    }
}
