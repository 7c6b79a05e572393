//! The chat from which tasks can be asked for: reached for as long as the settings say so, and anew when they or the secrets change.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aside_proto::RemoteStatus;
use tokio::task::JoinHandle;

use crate::bridge::remote::pairing::Pairing;
use crate::bridge::remote::status::{Health, digest};
use crate::bridge::remote::{self, Setup};
use crate::config::Config;
use crate::daemon::state::State;

/// Between two looks whether the connection before has ended.
const ENDING: Duration = Duration::from_millis(5);

#[derive(Default)]
pub struct Remote {
    running: Mutex<Option<Running>>,
    /// One change at a time.
    changing: tokio::sync::Mutex<()>,
    pairing: Arc<Pairing>,
}

struct Running {
    /// Of the settings and secrets that it was begun with.
    digest: String,
    health: Arc<Health>,
    reaching: JoinHandle<()>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.reaching.abort();
    }
}

impl Remote {
    pub fn is_on(&self) -> bool {
        self.lock().is_some()
    }

    pub fn status(&self) -> Option<RemoteStatus> {
        let of = |running: &Running| RemoteStatus { settings: running.digest.clone(), ..running.health.status() };
        self.lock().as_ref().map(of)
    }

    /// Its watched tasks are connections of ours: they would keep us from ending.
    pub fn close(&self) {
        drop(self.lock().take());
    }

    /// A new code; or, for a code that was given, the user who brought it.
    pub fn pair(&self, config: &Config, code: &str) -> Result<Vec<String>, String> {
        if !config.remote.enabled {
            return Err("no chat is set up; `aside remote setup` does that".to_owned());
        }
        match code {
            "" => Ok(vec![self.pairing.open()?]),
            code => self.pairing.claimed(code).map(|user| user.into_iter().collect()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends what the settings no longer say, and begins what they do. The status changes after the old connection has ended, so a client
    /// that waits for it knows that no message is acted upon by the settings before.
    async fn keep_to(&self, state: &Arc<State>, wanted: Option<String>, config: &Config) {
        let Ok(_turn) = self.changing.try_lock() else { return };
        let old = match &*self.lock() {
            Some(running) if wanted.as_ref() == Some(&running.digest) => return,
            None if wanted.is_none() => return,
            running => running.as_ref().map(|running| running.reaching.abort_handle()),
        };
        if let Some(old) = old {
            old.abort();
            while !old.is_finished() {
                tokio::time::sleep(ENDING).await;
            }
        }
        let mut running = self.lock();
        drop(running.take());
        let Some(digest) = wanted else { return };
        let settings = &config.remote;
        let health = Arc::new(Health::new(settings.chat.name()));
        let setup = Setup {
            socket: state.paths().socket.clone(),
            secrets: state.paths().remote_secrets(),
            seen: state.paths().remote_seen(),
            settings: settings.clone(),
            prefix: config.task.prefix.clone(),
            journal: Arc::clone(state.journal()),
            health: Arc::clone(&health),
            pairing: Arc::clone(&self.pairing),
        };
        *running = Some(Running { digest, health, reaching: tokio::spawn(remote::connect(setup)) });
    }
}

/// Called once a second. The disk is looked at on another thread.
pub fn refresh(state: &Arc<State>) {
    if !state.config().remote.enabled && !state.remote().is_on() {
        return;
    }
    let state = Arc::clone(state);
    tokio::spawn(async move {
        state.refresh().await;
        let (config, secrets) = (state.config(), state.paths().remote_secrets());
        let read = Arc::clone(&config);
        let Ok(wanted) = tokio::task::spawn_blocking(move || digest(&read, &secrets)).await else { return };
        state.remote().keep_to(&state, wanted, &config).await;
    });
}
