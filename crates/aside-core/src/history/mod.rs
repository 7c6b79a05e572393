//! The commands somebody ran: what one is, which of them may be kept, and how other shells wrote theirs down.
//! Stores nothing and reads no file.

use serde::Serialize;

pub mod filter;
pub mod import;
pub mod index;
mod log;
pub mod merge;
mod sorted;
pub mod words;

pub(crate) use log::is_failure;

/// One run of one command. What a history file does not say stays empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Entry {
    pub command: String,
    pub cwd: Option<String>,
    pub exit: Option<i32>,
    /// Milliseconds since 1970.
    pub start_ms: Option<i64>,
    pub duration_ms: Option<i64>,
    pub session: Option<String>,
    pub shell: String,
    pub host: Option<String>,
    /// It ran in a private shell.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
}

/// Of a text, the same in every run. Two texts seldom share one, and nothing is lost when they do.
fn hash(text: &str) -> u32 {
    let mut hash: u32 = 0x811c_9dc5;
    for byte in text.bytes() {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    hash
}
