//! Starts the page in the browser: on the first request for its address, or at the daemon's start if tabs of an earlier daemon may still be
//! open. Serves it until the daemon ends.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError, TryLockError};

use crate::bridge;
use crate::bridge::web::Web;
use crate::bridge::web::persistence::PersistedState;
use crate::bridge::web::session::PageContext;
use crate::paths::Paths;

pub struct WebPage {
    web: Mutex<Option<Web>>,
    socket: PathBuf,
    file: PathBuf,
}

impl WebPage {
    pub fn new(paths: &Paths) -> Self {
        Self { web: Mutex::default(), socket: paths.socket.clone(), file: paths.page_state() }
    }

    /// Serves the tabs that are still open from an earlier daemon.
    pub fn resume(&self) {
        let mut web = self.web.lock().unwrap_or_else(PoisonError::into_inner);
        if web.is_some() {
            return;
        }
        match Web::resume(self.socket.clone(), self.file.clone()) {
            Ok(resumed) => *web = resumed,
            Err(error) => tracing::warn!("the page could not be resumed: {error:#}"),
        }
    }

    /// A link that opens the page once, from this place.
    pub fn link(&self, place: PageContext) -> anyhow::Result<String> {
        let mut web = self.web.lock().unwrap_or_else(PoisonError::into_inner);
        let web = match web.take() {
            Some(serving) => web.insert(serving),
            None => web.insert(Web::start(self.socket.clone(), self.file.clone())?),
        };
        Ok(web.link(place))
    }

    /// Ends every session. Returns how many browsers that were.
    pub fn sign_out(&self) -> anyhow::Result<usize> {
        match &*self.web.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(web) => Ok(web.sign_out()),
            None => drop_saved_tabs(self.file.clone()),
        }
    }

    /// Closes the page: its browsers are clients and would keep the daemon from ending.
    pub fn close(&self) {
        // The lock is held by a request whose disk hangs: that page ends with the process.
        match self.web.try_lock() {
            Ok(mut web) => drop(web.take()),
            Err(TryLockError::Poisoned(web)) => drop(web.into_inner().take()),
            Err(TryLockError::WouldBlock) => {}
        }
    }
}

/// Forgets all tabs while no daemon runs, so that a waiting tab does not get a session from the next one.
pub fn drop_saved_tabs(file: PathBuf) -> anyhow::Result<usize> {
    if !file.exists() {
        return Ok(0);
    }
    Ok(PersistedState::read(file, bridge::seconds())?.drop_tabs(|_| true))
}
