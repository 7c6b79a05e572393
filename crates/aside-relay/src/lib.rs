//! The relay: one public endpoint for the chats of a team, and many machines behind it, each connected outbound with a key of its own.
//! It carries requests, cancels and short replies; nothing that it can send approves anything. `chat` reads what chats call and calls
//! them back, `relay` routes and enrols, `machine` is one connection, `reply_sender` sends replies, `store` keeps all state: SQLite for one
//! process, NATS JetStream for several copies. `http`, `settings`, `admin` and `metrics` are what a server needs around that.

pub mod address;
pub mod admin;
pub mod chat;
pub mod http;
pub mod key;
pub mod machine;
pub mod metrics;
pub mod notice;
pub mod outbound_http;
pub mod protocol;
pub mod relay;
pub mod reply_sender;
pub mod serve;
pub mod settings;
pub mod store;

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970.
pub fn milliseconds() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
}

/// Since 1970.
pub fn seconds() -> u64 {
    milliseconds() / 1000
}
