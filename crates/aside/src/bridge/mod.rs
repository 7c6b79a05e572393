//! Ways to the daemon for clients that cannot open its socket. Each is a client of that socket itself, and decides nothing.

pub mod remote;
pub mod web;

mod wire;

use std::time::{SystemTime, UNIX_EPOCH};

/// Since 1970: what is on disk, or comes from another machine, has no other clock.
pub fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
