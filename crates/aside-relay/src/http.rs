//! HTTP/1.1 for a few routes: short heads, bounded bodies, little time for each, a bounded number of connections. Decides nothing about
//! what is asked; TLS is a proxy's in front of it.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    CONNECTION, CONTENT_TYPE, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::upgrade::OnUpgrade;
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use ring::digest;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Connections at once; the next one waits in the kernel.
const MAX_CONNECTIONS: usize = 256;
const MAX_HEADERS: usize = 64;
const MAX_HEAD: usize = 16 * 1024;
const MAX_BUFFER: usize = 64 * 1024;
const MAX_BODY: usize = 256 * 1024;
/// Until the head is there, and the body.
const HEAD: Duration = Duration::from_secs(10);
const BODY: Duration = Duration::from_secs(10);
/// All requests of one connection together.
const LIFE: Duration = Duration::from_secs(300);
/// Of the WebSocket standard: it proves that the other side has read the key.
const GUID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// What was asked, with a body that is whole.
pub struct HttpRequest {
    pub method: Method,
    pub path: String,
    pub query: String,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// For a request that becomes a WebSocket.
    pub upgrade: Option<OnUpgrade>,
}

impl HttpRequest {
    /// Empty when there is none, or none that is text.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The connection as a WebSocket, with the answer that makes it one.
    pub fn into_websocket(self) -> Result<(OnUpgrade, HttpResponse), HttpResponse> {
        let is_one = self.header(UPGRADE.as_str()).eq_ignore_ascii_case("websocket")
            && self.header(SEC_WEBSOCKET_VERSION.as_str()) == "13";
        let key = self.header(SEC_WEBSOCKET_KEY.as_str()).to_owned();
        match self.upgrade {
            Some(upgrade) if is_one && self.method == Method::GET && !key.is_empty() => Ok((
                upgrade,
                HttpResponse { status: StatusCode::SWITCHING_PROTOCOLS, body: accepted(&key), json: false },
            )),
            _ => Err(HttpResponse::of(StatusCode::UPGRADE_REQUIRED, "")),
        }
    }
}

pub struct HttpResponse {
    pub status: StatusCode,
    /// Of a WebSocket: what proves that its key was read.
    pub body: String,
    json: bool,
}

impl HttpResponse {
    pub fn of(status: StatusCode, body: &str) -> Self {
        Self { status, body: body.to_owned(), json: false }
    }

    pub fn json(status: StatusCode, value: &serde_json::Value) -> Self {
        Self { status, body: format!("{value}\n"), json: true }
    }
}

pub async fn bind(address: &str) -> anyhow::Result<TcpListener> {
    let parsed: SocketAddr = address.parse().with_context(|| format!("{address} is not like 127.0.0.1:8018"))?;
    TcpListener::bind(parsed).await.with_context(|| format!("could not listen on {address}"))
}

/// Serves until it is dropped.
pub async fn serve<F, A>(listener: TcpListener, answer: F)
where
    F: Fn(HttpRequest) -> A + Send + Sync + 'static,
    A: Future<Output = HttpResponse> + Send + 'static,
{
    let answer = Arc::new(answer);
    let mut connections = JoinSet::new();
    loop {
        if connections.len() >= MAX_CONNECTIONS {
            connections.join_next().await;
            continue;
        }
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let _ = stream.set_nodelay(true);
                    connections.spawn(timeout(LIFE, converse(stream, Arc::clone(&answer))));
                }
                // Out of descriptors, most likely: give the others time to end.
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            },
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
        }
    }
}

async fn converse<F, A>(stream: TcpStream, answer: Arc<F>)
where
    F: Fn(HttpRequest) -> A + Send + Sync + 'static,
    A: Future<Output = HttpResponse> + Send + 'static,
{
    let service = service_fn(move |request| {
        let answer = Arc::clone(&answer);
        async move {
            let answered = match asked(request).await {
                Ok(asked) => answer(asked).await,
                Err(status) => HttpResponse::of(status, ""),
            };
            Ok::<_, Infallible>(response(answered))
        }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_headers(MAX_HEADERS)
        .max_header_size(MAX_HEAD)
        .max_buf_size(MAX_BUFFER)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await;
    if let Err(error) = served {
        tracing::debug!("a connection ended: {error}");
    }
}

async fn asked(mut request: Request<Incoming>) -> Result<HttpRequest, StatusCode> {
    let is_upgrade = request.headers().contains_key(UPGRADE);
    let upgrade = is_upgrade.then(|| hyper::upgrade::on(&mut request));
    let (parts, body) = request.into_parts();
    let body = match timeout(BODY, Limited::new(body, MAX_BODY).collect()).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(_)) => return Err(StatusCode::PAYLOAD_TOO_LARGE),
        Err(_) => return Err(StatusCode::REQUEST_TIMEOUT),
    };
    let (path, query) = (parts.uri.path().to_owned(), parts.uri.query().unwrap_or_default().to_owned());
    Ok(HttpRequest { method: parts.method, path, query, headers: parts.headers, body, upgrade })
}

fn response(answered: HttpResponse) -> Response<Full<Bytes>> {
    let HttpResponse { status, body, json } = answered;
    if status == StatusCode::SWITCHING_PROTOCOLS {
        let mut response = Response::new(Full::new(Bytes::new()));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        if let Ok(accept) = HeaderValue::from_str(&body) {
            headers.insert(SEC_WEBSOCKET_ACCEPT, accept);
        }
        return response;
    }
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    let kind = if json { "application/json" } else { "text/plain; charset=utf-8" };
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// What a server answers to the key of a WebSocket.
pub fn accepted(key: &str) -> String {
    let digest = digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, format!("{key}{GUID}").as_bytes());
    STANDARD.encode(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standards_own_example_is_accepted() {
        assert_eq!(accepted("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }
}
