//! The messages between a client and the daemon, and the nouns they carry. Two spellings: `record` for shells, `json`
//! for everything else. Says what is spoken, not what is answered. `docs/protocol.md` is the reference.

pub mod json;
pub mod record;
pub mod stream;

use serde::{Deserialize, Serialize};

/// Raised when a message changes its meaning. New fields at the end of a message do not raise it.
pub const PROTOCOL: u32 = 1;

/// A request and the number that its answer echoes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    #[serde(rename = "request_id", default)]
    pub id: u64,
    #[serde(flatten)]
    pub request: Request,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Request {
    /// The first message of a connection.
    Hello(Hello),
    /// The line changed: what could follow?
    Complete(Complete),
    /// A command ended.
    Finished(Finished),
    /// The history was changed by another process: read what is new.
    Reload,
    /// How is the daemon?
    Status,
    /// Finish what is running and exit.
    Stop,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Hello {
    pub protocol: u32,
    /// Of the program that printed the plugin.
    pub version: String,
    /// `zsh`, `bash`, `fish`, or the name of a program.
    pub shell: String,
    pub shell_version: String,
    /// Names one shell for its whole life.
    #[serde(rename = "session_id")]
    pub session: String,
    pub pid: u32,
    /// The shell's own history file, imported once when there is no history yet.
    pub histfile: String,
    /// What the plugin found around it, as `name=value` lines, for `aside doctor`.
    pub facts: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Complete {
    #[serde(rename = "session_id")]
    pub session: String,
    pub cwd: String,
    /// Text before the cursor.
    pub left: String,
    /// Text after the cursor.
    pub right: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Finished {
    #[serde(rename = "session_id")]
    pub session: String,
    /// Counts the commands of the session, so that a message sent twice is stored once.
    pub seq: i64,
    pub cwd: String,
    #[serde(rename = "exit_status")]
    pub exit: i32,
    pub start_ms: i64,
    pub duration_ms: i64,
    pub shell: String,
    pub command: String,
}

/// An answer and the number of the request it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    #[serde(rename = "request_id")]
    pub id: u64,
    #[serde(flatten)]
    pub reply: Reply,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Reply {
    Hello(Welcome),
    Complete(Candidates),
    /// Done: what was to be stored is stored.
    Ok,
    Status(Box<Status>),
    Error(Failure),
}

/// The daemon's side of `hello`: who it is, and the settings that a running shell follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    pub version: String,
    pub pid: u32,
    pub complete: Switch,
    pub ghost_style: String,
    /// `all` or `word`.
    pub right_arrow: String,
    /// `replace` or `yield`.
    pub autosuggestions: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Switch {
    On,
    Off,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidates {
    pub candidates: Vec<Candidate>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// The whole line, replacing what was typed.
    pub completion: String,
    /// Where the cursor goes, in characters; the end when absent.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cursor_pos: Option<u32>,
    pub source: String,
    /// What is known about it, in words.
    #[serde(default)]
    pub facts: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Status {
    pub pid: u32,
    pub version: String,
    pub protocol: u32,
    pub socket: String,
    pub uptime_s: u64,
    pub executable: String,
    pub config: String,
    pub database: String,
    pub history: HistoryStatus,
    pub sessions: Vec<SessionStatus>,
    pub answered: u64,
    pub rss_kb: u64,
    /// What went wrong since the start, newest last.
    pub notices: Vec<Notice>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HistoryStatus {
    /// Distinct commands in memory.
    pub commands: usize,
    /// Records in the store.
    pub records: u64,
    pub loading: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionStatus {
    #[serde(rename = "session_id")]
    pub session: String,
    pub shell: String,
    pub shell_version: String,
    pub plugin_version: String,
    pub pid: u32,
    pub facts: String,
    pub seen_s_ago: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Notice {
    pub s_ago: u64,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub error: FailureDetail,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureDetail {
    pub code: String,
    pub message: String,
}

impl Reply {
    pub fn error(code: &str, message: impl Into<String>) -> Self {
        Reply::Error(Failure { error: FailureDetail { code: code.to_owned(), message: message.into() } })
    }
}
