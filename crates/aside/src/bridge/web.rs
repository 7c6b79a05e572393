//! The page: served on loopback, to the browser of the person who asked for it. Another client of the daemon's socket, which
//! decides nothing about tasks; what it does decide is who may speak for the person. `docs/web.md` says what that rests on.

mod admit;
mod answer;
mod flow;
pub mod keep;
mod page;
mod patient;
pub mod peer;
pub mod session;
mod sock_diag;

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
use tokio::sync::{Semaphore, watch};
use tokio::task::{JoinHandle, JoinSet};

use crate::bridge;
use crate::connections::{Connections, Place as Room};
use crate::exec::taint::Caller;
use crate::paths;
use keep::Kept;
use patient::Patient;
use session::{Comes, Mint, Place, Sessions};

/// Connections at once: a browser opens six. The next one closes the one that was idle longest.
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
/// The first port is one that connections going out do not take in between, on a system that is set up as usual.
const FIRST_PORT: u16 = 20_000;
const PORTS: u16 = 12_000;
/// Whether browsers find `NAME.localhost`. Safari asks the system, which does not know it on a Mac.
const IS_NAMED: bool = cfg!(not(target_os = "macos"));

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
    /// The name that this daemon has, and the port. Nobody else can have served a page under it before, nor will we again.
    host: String,
    cookie: String,
    /// Whether the kernel says whose a connection is.
    is_told: bool,
    limits: Limits,
    sessions: Mutex<Sessions>,
    kept: Mutex<Kept>,
    /// How often somebody has signed out.
    ended: watch::Sender<u64>,
    streams: Arc<Semaphore>,
    asking: Semaphore,
    /// Held while looking for a running command: one look at a time.
    looking: tokio::sync::Mutex<()>,
}

impl Web {
    /// Listens on a port of this machine alone, on the runtime of whoever calls: the one that it had before, or else another. What is to
    /// be known of it later is in `file`.
    pub fn start(socket: PathBuf, file: PathBuf) -> anyhow::Result<Self> {
        let kept = Kept::read(file, bridge::seconds())?;
        let bound = bind(kept.port().filter(|_| IS_NAMED)).context("could not open a port for the page")?;
        Self::serve(socket, kept, bound, LIMITS)
    }

    /// The same, if a tab may be open for which it is worth it: it waits where the page was, and nowhere else.
    pub fn resume(socket: PathBuf, file: PathBuf) -> anyhow::Result<Option<Self>> {
        let kept = Kept::read(file, bridge::seconds())?;
        let Some(port) = kept.port().filter(|_| IS_NAMED && kept.has_tabs()) else { return Ok(None) };
        match listen(port) {
            Ok(Some(bound)) => Self::serve(socket, kept, bound, LIMITS).map(Some),
            Ok(None) | Err(_) => Ok(None),
        }
    }

    fn serve(
        socket: PathBuf,
        mut kept: Kept,
        (port, listeners): (u16, Vec<TcpListener>),
        limits: Limits,
    ) -> anyhow::Result<Self> {
        let name =
            if IS_NAMED { format!("{}.localhost", session::name(&mut Mint::new()?)) } else { "127.0.0.1".into() };
        let opened = kept.opened();
        kept.remember(port, opened);
        let shared = Arc::new(Shared {
            socket,
            port,
            host: format!("{name}:{port}"),
            cookie: admit::cookie_name(port),
            is_told: peer::is_told(port),
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

    /// An address that opens the page once, for somebody at this place.
    pub fn link(&self, place: Place) -> String {
        self.shared.link(place, Comes::Anew)
    }

    /// Ends every session. How many browsers that were.
    pub fn sign_out(&self) -> usize {
        self.shared.sign_all_out()
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

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn link(&self, place: Place, comes: Comes) -> String {
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

/// The same port on both loopbacks: a browser may take `localhost` for either, and what another user served on the one that we left
/// free would be taken for us.
fn bind(before: Option<u16>) -> anyhow::Result<(u16, Vec<TcpListener>)> {
    let random = session::unspelled(&Mint::new()?.make()).unwrap_or_default();
    let tried = random.chunks_exact(2).map(|two| FIRST_PORT + u16::from_le_bytes([two[0], two[1]]) % PORTS);
    for port in before.into_iter().chain(tried.take(TRIES)).chain([0]) {
        if let Some(bound) = listen(port)? {
            return Ok(bound);
        }
    }
    bail!("no port is free on both 127.0.0.1 and ::1")
}

/// Nothing, when somebody has it.
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
        // There is no such loopback here.
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
                // Another user's never holds a place. Where the system does not tell, key and session have to do.
                if shared.is_told && !peer::is_of_user(from, ours) {
                    continue;
                }
                let Some(room) = open.admit(None, Caller::User) else { continue };
                connections.spawn(converse(Arc::clone(&shared), stream, Arc::new(room)));
            }
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

async fn converse(shared: Arc<Shared>, stream: TcpStream, room: Arc<Room>) {
    // Small answers, one after the other: they are not to wait for more to send.
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
        async move { Ok::<_, Infallible>(answer::answer(shared, request).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_headers(MAX_HEADERS)
        .max_header_size(MAX_HEAD)
        .max_buf_size(MAX_BUFFER)
        .serve_connection(TokioIo::new(Patient::new(stream, limits.stall, room)), service)
        .await;
    if let Err(error) = served {
        tracing::debug!("a connection to the page ended: {error}");
    }
}
