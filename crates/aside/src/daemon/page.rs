//! The page in a browser: served from when somebody first asks where it is, until the daemon ends; or from the beginning, when a tab of an
//! earlier daemon may still be open.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError, TryLockError};

use crate::bridge;
use crate::bridge::web::Web;
use crate::bridge::web::keep::Kept;
use crate::bridge::web::session::Place;
use crate::paths::Paths;

pub struct Page {
    web: Mutex<Option<Web>>,
    socket: PathBuf,
    file: PathBuf,
}

impl Page {
    pub fn new(paths: &Paths) -> Self {
        Self { web: Mutex::default(), socket: paths.socket.clone(), file: paths.page_state() }
    }

    /// Is there again for the tabs that are open.
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

    /// An address that opens it once, for somebody at this place.
    pub fn link(&self, place: Place) -> anyhow::Result<String> {
        let mut web = self.web.lock().unwrap_or_else(PoisonError::into_inner);
        let web = match web.take() {
            Some(serving) => web.insert(serving),
            None => web.insert(Web::start(self.socket.clone(), self.file.clone())?),
        };
        Ok(web.link(place))
    }

    /// Ends every session. How many browsers that were.
    pub fn sign_out(&self) -> anyhow::Result<usize> {
        match &*self.web.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(web) => Ok(web.sign_out()),
            None => forget_tabs(self.file.clone()),
        }
    }

    /// Its browsers are clients of ours: they would keep us from ending.
    pub fn close(&self) {
        // Held by a request whose disk does not answer: that page goes with the process.
        match self.web.try_lock() {
            Ok(mut web) => drop(web.take()),
            Err(TryLockError::Poisoned(web)) => drop(web.into_inner().take()),
            Err(TryLockError::WouldBlock) => {}
        }
    }
}

/// Without a daemon nobody has a session; a tab that waits for one is not to be let in by it.
pub fn forget_tabs(file: PathBuf) -> anyhow::Result<usize> {
    if !file.exists() {
        return Ok(0);
    }
    Ok(Kept::read(file, bridge::seconds())?.drop_tabs(|_| true))
}
