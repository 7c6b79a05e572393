//! The per-user daemon: starts, serves requests, and exits when idle. `connection` serves connections, `dispatch` routes requests, `handlers/`
//! handles them, `history_writer` writes the history.

mod blocking_io;
mod candidate_wire;
mod capture_registry;
mod complete_model;
mod connection;
pub mod control;
mod conversations;
mod dispatch;
mod handlers;
mod handover;
mod history_writer;
mod idle;
mod inbox;
mod last_shown;
mod listen;
mod log;
mod model;
mod pending_queries;
mod pending_suggestions;
pub mod reader;
mod recent_commands;
mod remote;
mod reroute_log;
pub mod routing_overrides;
mod state;
mod suggest_model;
pub mod tasks;
mod tmux_pipes;
mod ttl_cache;
mod updates;
pub mod user_specs;
pub mod web_page;

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::signal::unix::{SignalKind, signal};

use crate::exec;
use crate::exec::taint::TrustLevel;
use crate::paths::{self, Paths};
use history_writer::CloseOutcome;
use listen::{Deletions, ListenSocket, Restored};
use state::{ShutdownReason, State};

/// How long requests in progress may take once the daemon has to end.
const DRAIN: Duration = Duration::from_secs(3);
/// How long a daemon goes on that no client can reach, since its socket is gone and cannot be made again.
const UNREACHABLE: Duration = Duration::from_secs(10);
/// How often to look whether the socket is there, where no event tells that it was deleted or while it cannot be made again.
const LOOK: Duration = Duration::from_secs(2);
/// How often to look all the same: no event tells of a directory that is mounted over.
const LOOK_ALL_THE_SAME: Duration = Duration::from_secs(60);
/// File descriptors that the daemon may have at least, if the system allows it.
const MIN_DESCRIPTORS: u64 = 1024;

/// The result of `aside daemon run`.
pub enum Outcome {
    Ended,
    /// Another daemon serves this socket.
    AlreadyRunning,
}

/// Serves until stopped, idle for long enough, or replaced.
pub fn run(paths: Paths) -> anyhow::Result<Outcome> {
    paths::leave_to_its_owner(&paths.data_dir)?;
    control::refuse_commands()?;
    raise_descriptor_limit();
    idle::keep_memory_together();
    let Some(mut listening) = listen::listen(&paths)? else { return Ok(Outcome::AlreadyRunning) };
    // Before any subprocess is started: the daemon's subprocesses must not count as the user.
    TrustLevel::Daemon.take()?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("could not start the runtime")?;
    let ending = runtime.block_on(serve(&paths, &mut listening))?;
    runtime.shutdown_timeout(Duration::from_secs(1));
    match ending {
        // The new program inherits the socket and the lock; this returns only on failure.
        ShutdownReason::Replaced(executable) => {
            let error = exec::become_daemon(&executable, &listening.inheritable()?);
            listening.close();
            Err(error).context("could not start the new version; run `aside daemon start`")
        }
        ShutdownReason::Stopped => {
            listening.close();
            Ok(Outcome::Ended)
        }
    }
}

/// The daemon inherits the limit of the shell that starts it and serves all shells, each of which has a connection. Below the usual limit
/// it would soon accept none.
fn raise_descriptor_limit() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(MIN_DESCRIPTORS, |maximum| maximum.min(MIN_DESCRIPTORS));
    if current.is_some_and(|current| current < wanted) {
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
    }
}

async fn serve(paths: &Paths, listening: &mut ListenSocket) -> anyhow::Result<ShutdownReason> {
    let state = State::new(paths.clone());
    let _log = log::start(paths, state.config().daemon.log);
    tracing::info!(version = env!("CARGO_PKG_VERSION"), pid = std::process::id(), "started");
    let mut listener = listening.listener()?;
    let mut reachable = Reachable::new(listening);
    let history_writer = history_writer::start(Arc::clone(&state));
    tokio::task::spawn_blocking(|| {
        routing_overrides::prepare();
        handlers::suggest::prepare();
    });
    tokio::spawn({
        let state = Arc::clone(&state);
        async move { state.tasks().ready(&state).await }
    });
    if state.config().task.enabled {
        state.page().resume();
    }
    let inbox = inbox::start(&state);
    let mut terminate = signal(SignalKind::terminate()).context("could not watch for SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("could not watch for SIGINT")?;
    // A closed terminal must not end the daemon.
    let mut hangup = signal(SignalKind::hangup()).context("could not watch for SIGHUP")?;
    let mut next_round = tokio::time::Instant::now();

    let ending = loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => connection::accept(Arc::clone(&state), stream),
                Err(error) => {
                    // Most likely out of file descriptors: gives other connections time to end.
                    state.notice(format!("could not accept a connection: {error}"));
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
            _ = terminate.recv() => break ShutdownReason::Stopped,
            _ = interrupt.recv() => break ShutdownReason::Stopped,
            _ = hangup.recv() => {}
            ending = state.ending() => break ending,
            () = reachable.doubted() => match reachable.check(listening) {
                Ok(Some(restored)) => listener = restored,
                Ok(None) => {}
                Err(ending) => break ending,
            },
            () = state.rest().ended() => next_round = tokio::time::Instant::now(),
            () = tokio::time::sleep_until(next_round) => {
                state.refresh_later();
                remote::refresh(&state);
                model::stop_unused_servers(&state);
                if state.is_idle(Instant::now()) {
                    // A shell may have connected at this very moment.
                    match listening.waiting() {
                        Some(stream) => connection::accept(Arc::clone(&state), stream),
                        None => {
                            tracing::info!("idle, going");
                            break ShutdownReason::Stopped;
                        }
                    }
                }
                next_round = tokio::time::Instant::now() + state.rest().until_next_round(&state);
            },
        }
    };
    drop(listener);
    inbox.close();
    state.page().close();
    state.remote().close();
    state.tasks().end().await;
    if tokio::time::timeout(DRAIN, state.drained()).await.is_err() {
        tracing::warn!("some requests did not end in time");
    }
    state.models().stop();
    if history_writer.close() == CloseOutcome::Busy {
        tracing::warn!("the history is busy, going all the same");
    }
    tracing::info!("ended");
    state.reader().end();
    Ok(ending)
}

/// Whether clients can reach this daemon: its files may be deleted, by the user or by what cleans temporary directories.
struct Reachable {
    deletions: Option<Deletions>,
    next_look: tokio::time::Instant,
    lost: Option<Instant>,
}

impl Reachable {
    fn new(listening: &ListenSocket) -> Self {
        Self { deletions: listening.deletions(), next_look: tokio::time::Instant::now(), lost: None }
    }

    /// Waits until a file beside the socket is gone, or it is time to look.
    async fn doubted(&self) {
        match &self.deletions {
            Some(deletions) => {
                tokio::select! {
                    () = deletions.next() => {}
                    () = tokio::time::sleep_until(self.next_look) => {}
                }
            }
            None => tokio::time::sleep_until(self.next_look).await,
        }
    }

    fn check(&mut self, listening: &mut ListenSocket) -> Result<Option<tokio::net::UnixListener>, ShutdownReason> {
        let checked = self.restored(listening);
        let pause = if self.deletions.is_some() && self.lost.is_none() { LOOK_ALL_THE_SAME } else { LOOK };
        self.next_look = tokio::time::Instant::now() + pause;
        checked
    }

    /// Makes deleted files again, and returns the new listener. Ends a daemon that stays unreachable: no shell would ever use it.
    fn restored(&mut self, listening: &mut ListenSocket) -> Result<Option<tokio::net::UnixListener>, ShutdownReason> {
        let restored = listening.restore().and_then(|restored| {
            let listener = (restored == Restored::Socket).then(|| listening.listener()).transpose()?;
            Ok((restored, listener))
        });
        match restored {
            Ok((Restored::Superseded, _)) => {
                tracing::info!("another daemon has taken over, going");
                return Err(ShutdownReason::Stopped);
            }
            Ok((_, listener)) => {
                self.lost = None;
                if listener.is_some() {
                    tracing::info!("the socket was deleted and is made again");
                    // The directory may be a new one.
                    self.deletions = listening.deletions();
                }
                return Ok(listener);
            }
            Err(error) => {
                let since = *self.lost.get_or_insert_with(|| {
                    tracing::warn!("no client can reach the daemon: {error:#}");
                    Instant::now()
                });
                if since.elapsed() < UNREACHABLE {
                    return Ok(None);
                }
            }
        }
        tracing::info!("no client can reach the daemon, going");
        Err(ShutdownReason::Stopped)
    }
}
