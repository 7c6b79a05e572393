//! The user's command history: what an entry is, which ones may be stored, and the file formats of other shells. Stores
//! nothing and reads no file.

use serde::Serialize;

pub mod filter;
pub mod import;
pub mod index;
pub mod merge;
mod prefix_index;
pub mod run_record;
mod sequence;
pub mod word_stats;

pub(crate) use sequence::is_failure;

/// One run of one command. Fields that a history file does not have stay empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct HistoryEntry {
    pub command: String,
    pub cwd: Option<String>,
    pub exit: Option<i32>,
    /// Milliseconds since 1970.
    pub start_ms: Option<i64>,
    pub duration_ms: Option<i64>,
    pub session: Option<String>,
    pub shell: String,
    pub host: Option<String>,
    /// It ran in a private session.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
}

/// FNV-1a hash, the same in every process. Collisions are rare and harmless.
fn hash(text: &str) -> u32 {
    let mut hash: u32 = 0x811c_9dc5;
    for byte in text.bytes() {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    hash
}
