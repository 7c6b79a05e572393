//! Bridges to the daemon for clients that cannot open its socket. Each bridge is itself a client of that socket, and decides nothing.

pub mod remote;
pub mod web;

mod daemon_client;

use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds since 1970. Times on disk and from other machines need the wall clock.
pub fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
