//! The chat from which tasks can be asked for: reached for as long as the settings say so, and anew when they or the secrets change.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use aside_core::proto::RemoteStatus;
use tokio::task::JoinHandle;

use crate::bridge::remote::pairing::Pairing;
use crate::bridge::remote::status::Health;
use crate::bridge::remote::{self, Setup};
use crate::config::Config;
use crate::config::Remote as Settings;
use crate::daemon::state::State;

#[derive(Default)]
pub struct Remote {
    running: Mutex<Option<Running>>,
    pairing: Arc<Pairing>,
}

struct Running {
    settings: Settings,
    prefix: String,
    /// When the secrets were written last.
    stamp: Option<SystemTime>,
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
        self.lock().as_ref().map(|running| running.health.status())
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

    fn keep_to(&self, state: &Arc<State>, stamp: Option<SystemTime>) {
        let config = state.config();
        let settings = &config.remote;
        let mut running = self.lock();
        if !settings.enabled || !config.task.enabled {
            drop(running.take());
            return;
        }
        let is_same = |running: &Running| {
            running.settings == *settings && running.prefix == config.task.prefix && running.stamp == stamp
        };
        if running.as_ref().is_some_and(is_same) {
            return;
        }
        drop(running.take());
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
        *running = Some(Running {
            settings: settings.clone(),
            prefix: config.task.prefix.clone(),
            stamp,
            health,
            reaching: tokio::spawn(remote::reach(setup)),
        });
    }
}

/// Called once a second. The disk is looked at on another thread.
pub fn refresh(state: &Arc<State>) {
    if !state.config().remote.enabled && !state.remote().is_on() {
        return;
    }
    let state = Arc::clone(state);
    tokio::spawn(async move {
        let secrets = state.paths().remote_secrets();
        let stamp = tokio::task::spawn_blocking(move || secrets.metadata().and_then(|meta| meta.modified()).ok());
        let stamp = stamp.await.ok().flatten();
        state.remote().keep_to(&state, stamp);
    });
}
