//! The web page's server: on loopback, for the browser of the user who asked for it. It is a client of the daemon's socket and decides
//! nothing about tasks; what it does decide is which requests come from the user. `docs/web.md` explains the security model.

mod daemon_reply;
mod event_stream;
pub mod peer;
pub mod persistence;
mod request_checks;
mod routes;
pub mod session;
mod sock_diag;
mod static_files;
mod write_timeout;

#[cfg(test)]
mod adversarial;
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
use tokio::sync::{Semaphore, watch};
use tokio::task::{JoinHandle, JoinSet};

use crate::bridge;
use crate::connections::{ConnectionSlot as Room, Connections};
use crate::exec::taint::Caller;
use crate::paths;
use persistence::PersistedState;
use session::{KeyUse, PageContext, Sessions, TokenGenerator};
use write_timeout::WriteTimeout;

/// Cap on concurrent connections: a browser opens six. A new connection above it closes the one that was idle longest.
const MAX_CONNECTIONS: usize = 64;
/// Cap on concurrent streams. Below the connection cap, so that plain requests still get through.
const MAX_STREAMS: usize = 32;
/// Cap on requests that wait for the daemon's reply.
const MAX_ASKING: usize = 16;
const MAX_HEADERS: usize = 64;
const MAX_HEAD: usize = 16 * 1024;
const MAX_BUFFER: usize = 64 * 1024;
/// Ports to try until one is free on both loopbacks.
const TRIES: usize = 16;
/// Start of the port range: below the default ephemeral range, so outgoing connections do not take the port in between.
const FIRST_PORT: u16 = 20_000;
const PORTS: u16 = 12_000;
/// Whether browsers resolve `NAME.localhost`. Safari asks the system resolver, which does not know it on macOS.
const IS_NAMED: bool = cfg!(not(target_os = "macos"));

/// Timeouts for each part of an exchange.
#[derive(Clone, Copy)]
struct Limits {
    /// Until the head of a request is complete; also how long an idle connection waits for its next request.
    head: Duration,
    body: Duration,
    /// Until the daemon replies.
    daemon: Duration,
    /// Write timeout: until the browser reads on.
    stall: Duration,
    /// Interval of keep-alive comments in a stream.
    beat: Duration,
}

const LIMITS: Limits = Limits {
    head: Duration::from_secs(20),
    body: Duration::from_secs(20),
    daemon: Duration::from_secs(30),
    stall: Duration::from_secs(60),
    beat: Duration::from_secs(15),
};

/// Serves the page until it is dropped.
pub struct Web {
    shared: Arc<Shared>,
    serving: JoinHandle<()>,
}

struct Shared {
    /// The daemon's socket.
    socket: PathBuf,
    port: u16,
    /// This daemon's random host name, with the port. No other server can have served a page under it before, and it is never reused.
    host: String,
    cookie: String,
    /// Whether the kernel reports the owner of a connection.
    is_told: bool,
    limits: Limits,
    sessions: Mutex<Sessions>,
    kept: Mutex<PersistedState>,
    /// Counts sign-outs.
    ended: watch::Sender<u64>,
    streams: Arc<Semaphore>,
    asking: Semaphore,
    /// Held while looking for a running command, so that only one scan runs at a time.
    looking: tokio::sync::Mutex<()>,
}

impl Web {
    /// Listens on a loopback port, on the caller's runtime: the port it had before if that is free, or else another. `file` holds what the
    /// next daemon has to know.
    pub fn start(socket: PathBuf, file: PathBuf) -> anyhow::Result<Self> {
        let kept = PersistedState::read(file, bridge::seconds())?;
        let bound = bind(kept.port().filter(|_| IS_NAMED)).context("could not open a port for the page")?;
        Self::serve(socket, kept, bound, LIMITS)
    }

    /// The same, but only if a tab may still be open, and only on the port that it knows.
    pub fn resume(socket: PathBuf, file: PathBuf) -> anyhow::Result<Option<Self>> {
        let kept = PersistedState::read(file, bridge::seconds())?;
        let Some(port) = kept.port().filter(|_| IS_NAMED && kept.has_tabs()) else { return Ok(None) };
        match listen(port) {
            Ok(Some(bound)) => Self::serve(socket, kept, bound, LIMITS).map(Some),
            Ok(None) | Err(_) => Ok(None),
        }
    }

    fn serve(
        socket: PathBuf,
        mut kept: PersistedState,
        (port, listeners): (u16, Vec<TcpListener>),
        limits: Limits,
    ) -> anyhow::Result<Self> {
        let name = if IS_NAMED {
            format!("{}.localhost", session::random_host(&mut TokenGenerator::new()?))
        } else {
            "127.0.0.1".into()
        };
        let opened = kept.opened();
        kept.remember(port, opened);
        let shared = Arc::new(Shared {
            socket,
            port,
            host: format!("{name}:{port}"),
            cookie: request_checks::cookie_name(port),
            is_told: peer::kernel_reports_owners(port),
            limits,
            sessions: Mutex::new(Sessions::new(opened)?),
            kept: Mutex::new(kept),
            ended: watch::Sender::new(0),
            streams: Arc::new(Semaphore::new(MAX_STREAMS)),
            asking: Semaphore::new(MAX_ASKING),
            looking: tokio::sync::Mutex::default(),
        });
        tracing::info!(port, is_told = shared.is_told, "the page is served");
        let serving = tokio::spawn(take(Arc::clone(&shared), listeners));
        Ok(Self { shared, serving })
    }

    /// A link that opens the page once, at this place.
    pub fn link(&self, place: PageContext) -> String {
        self.shared.link(place, KeyUse::Anew)
    }

    /// Ends every session. Returns how many browsers were signed out.
    pub fn sign_out(&self) -> usize {
        self.shared.sign_all_out()
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        // Aborting the accept loop also ends its connections and their streams.
        self.serving.abort();
        let _ = std::fs::remove_file(paths::page_file(&self.shared.socket));
    }
}

impl Shared {
    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept(&self) -> MutexGuard<'_, PersistedState> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn link(&self, place: PageContext, comes: KeyUse) -> String {
        let key = self.sessions().key(place, comes, Instant::now());
        format!("http://{}/?key={key}", self.host)
    }

    fn sign_all_out(&self) -> usize {
        let ended = self.sessions().end_all();
        self.kept().drop_tabs(|_| true);
        self.ended.send_modify(|ended| *ended += 1);
        ended
    }
}

/// Binds the same port on both loopbacks: a browser may resolve `localhost` to either, and would mistake another user's server on the free
/// one for ours.
fn bind(before: Option<u16>) -> anyhow::Result<(u16, Vec<TcpListener>)> {
    let random = session::from_base64url(&TokenGenerator::new()?.make()).unwrap_or_default();
    let tried = random.chunks_exact(2).map(|two| FIRST_PORT + u16::from_le_bytes([two[0], two[1]]) % PORTS);
    for port in before.into_iter().chain(tried.take(TRIES)).chain([0]) {
        if let Some(bound) = listen(port)? {
            return Ok(bound);
        }
    }
    bail!("no port is free on both 127.0.0.1 and ::1")
}

/// `None` when the port is taken.
fn listen(port: u16) -> anyhow::Result<Option<(u16, Vec<TcpListener>)>> {
    let is_taken = |error: &std::io::Error| error.kind() == ErrorKind::AddrInUse;
    let four = match std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
        Err(error) if is_taken(&error) => return Ok(None),
        bound => bound?,
    };
    let port = four.local_addr()?.port();
    let six = match std::net::TcpListener::bind((Ipv6Addr::LOCALHOST, port)) {
        Ok(six) => Some(six),
        Err(error) if is_taken(&error) => return Ok(None),
        // This machine has no IPv6 loopback.
        Err(_) => None,
    };
    let mut listeners = Vec::new();
    for listener in [Some(four), six].into_iter().flatten() {
        listener.set_nonblocking(true)?;
        listeners.push(TcpListener::from_std(listener)?);
    }
    Ok(Some((port, listeners)))
}

async fn take(shared: Arc<Shared>, listeners: Vec<TcpListener>) {
    let open = Connections::new(MAX_CONNECTIONS, MAX_CONNECTIONS);
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listeners) => accepted,
            Some(_) = connections.join_next(), if !connections.is_empty() => continue,
        };
        match accepted {
            Ok((stream, from)) => {
                let Ok(ours) = stream.local_addr() else { continue };
                // Connections of other users never take up room. Where the kernel does not report the owner, key and session are the only
                // checks.
                if shared.is_told && !peer::is_of_user(from, ours) {
                    continue;
                }
                let Some(room) = open.admit(None, Caller::User) else { continue };
                connections.spawn(converse(Arc::clone(&shared), stream, Arc::new(room)));
            }
            // Most likely out of file descriptors: waits for other connections to end.
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

async fn converse(shared: Arc<Shared>, stream: TcpStream, room: Arc<Room>) {
    // Replies are small; Nagle's algorithm would delay them.
    let _ = stream.set_nodelay(true);
    tokio::select! {
        () = serve(shared, stream, Arc::clone(&room)) => {}
        () = room.evicted() => {}
    }
}

async fn serve(shared: Arc<Shared>, stream: TcpStream, room: Arc<Room>) {
    let limits = shared.limits;
    let service = service_fn(move |request| {
        let shared = Arc::clone(&shared);
        async move { Ok::<_, Infallible>(routes::respond(shared, request).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_headers(MAX_HEADERS)
        .max_header_size(MAX_HEAD)
        .max_buf_size(MAX_BUFFER)
        .serve_connection(TokioIo::new(WriteTimeout::new(stream, limits.stall, room)), service)
        .await;
    if let Err(error) = served {
        tracing::debug!("a connection to the page ended: {error}");
    }
}
