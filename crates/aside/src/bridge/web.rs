//! The page: served on loopback, to the browser of the person who asked for it. Another client of the daemon's socket, which
//! decides nothing about tasks; what it does decide is who may speak for the person. `docs/web.md` says what that rests on.

mod admit;
mod answer;
mod flow;
mod page;
mod patient;
pub mod peer;
pub mod session;
mod wire;

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};

use crate::paths;
use patient::Patient;
use peer::Peer;
use session::{Place, Sessions};

/// Connections at once. A browser opens six.
const MAX_CONNECTIONS: usize = 64;
/// Streams at once: less, so that the others can still ask something.
const MAX_STREAMS: usize = 32;
/// Messages that the daemon has not answered yet.
const MAX_ASKING: usize = 16;
const MAX_HEADERS: usize = 64;
const MAX_HEAD: usize = 16 * 1024;
const MAX_BUFFER: usize = 64 * 1024;
/// Ports that are tried before one is free on both loopbacks.
const TRIES: usize = 16;

/// How long each part of a conversation may take.
#[derive(Clone, Copy)]
struct Limits {
    /// Until the head of a request is there; also how long a connection waits for the next one.
    head: Duration,
    body: Duration,
    /// Until the daemon has answered.
    daemon: Duration,
    /// Until the browser reads on.
    stall: Duration,
    /// Between signs of life of a stream.
    beat: Duration,
}

const LIMITS: Limits = Limits {
    head: Duration::from_secs(20),
    body: Duration::from_secs(20),
    daemon: Duration::from_secs(30),
    stall: Duration::from_secs(60),
    beat: Duration::from_secs(15),
};

/// Serves until it is dropped.
pub struct Web {
    shared: Arc<Shared>,
    serving: JoinHandle<()>,
}

struct Shared {
    /// The daemon's.
    socket: PathBuf,
    port: u16,
    cookie: String,
    /// Whether the kernel says whose a connection is.
    is_told: bool,
    limits: Limits,
    sessions: Mutex<Sessions>,
    streams: Arc<Semaphore>,
    asking: Semaphore,
}

impl Web {
    /// Listens on a port of this machine alone, on the runtime of whoever calls.
    pub fn start(socket: PathBuf) -> anyhow::Result<Self> {
        Self::start_with(socket, LIMITS)
    }

    fn start_with(socket: PathBuf, limits: Limits) -> anyhow::Result<Self> {
        let (port, listeners) = bind().context("could not open a port for the page")?;
        let shared = Arc::new(Shared {
            socket,
            port,
            cookie: admit::cookie_name(port),
            is_told: peer::is_told(port),
            limits,
            sessions: Mutex::new(Sessions::new()?),
            streams: Arc::new(Semaphore::new(MAX_STREAMS)),
            asking: Semaphore::new(MAX_ASKING),
        });
        tracing::info!(port, is_told = shared.is_told, "the page is served");
        let serving = tokio::spawn(serve(Arc::clone(&shared), listeners));
        Ok(Self { shared, serving })
    }

    /// An address that opens the page once, for somebody at this place.
    pub fn link(&self, place: Place) -> String {
        let key = self.shared.sessions().key(place, Instant::now());
        format!("http://127.0.0.1:{}/?key={key}", self.shared.port)
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        // The connections are its children and end with it, their streams with them.
        self.serving.abort();
        let _ = std::fs::remove_file(paths::page_file(&self.shared.socket));
    }
}

impl Shared {
    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The same port on both loopbacks: a browser may take `localhost` for either, and what another user served on the one that we left
/// free would be taken for us.
fn bind() -> anyhow::Result<(u16, Vec<TcpListener>)> {
    for _ in 0..TRIES {
        let four = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = four.local_addr()?.port();
        let six = match std::net::TcpListener::bind((Ipv6Addr::LOCALHOST, port)) {
            Ok(six) => Some(six),
            Err(error) if error.kind() == ErrorKind::AddrInUse => continue,
            // There is no such loopback here.
            Err(_) => None,
        };
        let mut listeners = Vec::new();
        for listener in [Some(four), six].into_iter().flatten() {
            listener.set_nonblocking(true)?;
            listeners.push(TcpListener::from_std(listener)?);
        }
        return Ok((port, listeners));
    }
    bail!("no port is free on both 127.0.0.1 and ::1")
}

async fn serve(shared: Arc<Shared>, listeners: Vec<TcpListener>) {
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listeners) => accepted,
            Some(_) = connections.join_next(), if !connections.is_empty() => continue,
        };
        match accepted {
            Ok((stream, from)) if connections.len() < MAX_CONNECTIONS => {
                connections.spawn(converse(Arc::clone(&shared), stream, from));
            }
            Ok(_) => {}
            // Out of descriptors, most likely: give the others time to end.
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

async fn accept(listeners: &[TcpListener]) -> std::io::Result<(TcpStream, SocketAddr)> {
    std::future::poll_fn(|context| {
        let ready = listeners.iter().map(|listener| listener.poll_accept(context)).find(std::task::Poll::is_ready);
        ready.unwrap_or(std::task::Poll::Pending)
    })
    .await
}

async fn converse(shared: Arc<Shared>, stream: TcpStream, from: SocketAddr) {
    let Ok(ours) = stream.local_addr() else { return };
    // Small answers, one after the other: they are not to wait for more to send.
    let _ = stream.set_nodelay(true);
    let peer = match shared.is_told {
        true => tokio::task::spawn_blocking(move || peer::of(from, ours)).await.unwrap_or(Peer::Stranger),
        false => Peer::Ours,
    };
    let limits = shared.limits;
    let service = service_fn(move |request| {
        let shared = Arc::clone(&shared);
        async move { Ok::<_, Infallible>(answer::answer(shared, peer, request).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_headers(MAX_HEADERS)
        .max_header_size(MAX_HEAD)
        .max_buf_size(MAX_BUFFER)
        .serve_connection(TokioIo::new(Patient::new(stream, limits.stall)), service)
        .await;
    if let Err(error) = served {
        tracing::debug!("a connection to the page ended: {error}");
    }
}
