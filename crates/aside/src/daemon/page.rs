//! The page in a browser: served from when somebody first asks where it is, until the daemon ends.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::bridge::web::Web;
use crate::bridge::web::session::Place;

#[derive(Default)]
pub struct Page {
    web: Mutex<Option<Web>>,
}

impl Page {
    /// An address that opens it once, for somebody at this place.
    pub fn link(&self, socket: &Path, place: Place) -> anyhow::Result<String> {
        let mut web = self.web.lock().unwrap_or_else(PoisonError::into_inner);
        let web = match web.take() {
            Some(serving) => web.insert(serving),
            None => web.insert(Web::start(socket.to_owned())?),
        };
        Ok(web.link(place))
    }

    /// Its browsers are clients of ours: they would keep us from ending.
    pub fn close(&self) {
        self.web.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}
