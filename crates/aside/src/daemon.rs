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
mod inbox;
mod last_shown;
mod listen;
mod log;
mod model;
mod pending_queries;
mod pending_suggestions;
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
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::MissedTickBehavior;

use crate::exec;
use crate::exec::taint::TrustLevel;
use crate::paths::{self, Paths};
use history_writer::CloseOutcome;
use listen::ListenSocket;
use state::{ShutdownReason, State};

/// How long requests in progress may take once the daemon has to end.
const DRAIN: Duration = Duration::from_secs(3);

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
    let Some(listening) = listen::listen(&paths)? else { return Ok(Outcome::AlreadyRunning) };
    // Before any subprocess is started: the daemon's subprocesses must not count as the user.
    TrustLevel::Daemon.take()?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("could not start the runtime")?;
    let ending = runtime.block_on(serve(&paths, &listening))?;
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

async fn serve(paths: &Paths, listening: &ListenSocket) -> anyhow::Result<ShutdownReason> {
    let state = State::new(paths.clone());
    let _log = log::start(paths, state.config().daemon.log);
    tracing::info!(version = env!("CARGO_PKG_VERSION"), pid = std::process::id(), "started");
    let listener = listening.listener()?;
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
    let mut housekeeping = tokio::time::interval(Duration::from_secs(1));
    housekeeping.set_missed_tick_behavior(MissedTickBehavior::Delay);

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
            _ = housekeeping.tick() => {
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
    Ok(ending)
}
