//! Messages about prose: whether a line is prose, and the answer to it.

use serde::{Deserialize, Serialize};

use crate::query::ReplyStage;

/// A line that is about to run, or has just failed: asks whether it is meant for the shell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DetectParams {
    #[serde(rename = "session_id")]
    pub session: String,
    pub cwd: String,
    pub line: String,
    /// The shell's language, used when the session is not known: `zsh`, `bash` or `fish`.
    pub shell: String,
    pub phase: DetectPhase,
    /// Its exit status; zero before it ran.
    #[serde(rename = "exit_status")]
    pub exit: i32,
    /// What the shell says its first word is: `alias`, `function`, `builtin`, `reserved`, `program`, `directory`, `none`; empty when the
    /// shell was not asked.
    pub first: String,
    /// The shell could not parse it as a command at all.
    pub unreadable: bool,
    /// Its output, when known.
    pub output: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DetectPhase {
    #[default]
    Before,
    After,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DetectResult {
    /// Before: `shell`, `agent` or `unsure`. After: `agent` or `nothing`.
    pub verdict: String,
    /// The reason, in one line for the user.
    pub reason: String,
}

/// The last rerouted line was no prose. It is not rerouted again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WrongParams {
    #[serde(rename = "session_id")]
    pub session: String,
    /// Empty for the last one of the session, or of all when there is no session.
    pub line: String,
}

/// Prose to answer. When empty, cancels the answer in progress for the session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AskParams {
    #[serde(rename = "session_id")]
    pub session: String,
    pub cwd: String,
    pub query: String,
    pub shell: String,
    /// The client's own number for the question. The same number again, on a new connection, resumes the answer.
    pub number: u64,
    /// Columns of the terminal.
    pub width: u32,
    /// The client reads a single reply, so it gets the last.
    pub wait: bool,
    /// Uses no remote provider for this question.
    #[serde(deserialize_with = "crate::privacy::read")]
    pub private: bool,
    /// Exit status, if the question is a line that was run; zero when it was not run.
    #[serde(rename = "exit_status")]
    pub exit: i32,
    /// Its output, when known.
    pub output: String,
    /// Why it was rerouted, for the log of such lines.
    pub reason: String,
}

/// The answer so far. Each message repeats all of it, since a slow client gets only the newest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskResult {
    pub state: ReplyStage,
    /// One short line for the user: which provider answers instead, or how to get an answer.
    pub note: String,
    /// A command that is ready to be accepted; never run by itself.
    pub proposal: String,
    /// What it may destroy; empty when nothing.
    pub warning: String,
    /// Final rows, as wide as the terminal. `markdown::mark` defines their style marks.
    pub rows: Vec<String>,
    /// Rows that may still change.
    pub tail: Vec<String>,
}

impl DetectPhase {
    pub fn name(self) -> &'static str {
        match self {
            DetectPhase::Before => "before",
            DetectPhase::After => "after",
        }
    }

    pub fn of(name: &str) -> Option<Self> {
        match name {
            "" | "before" => Some(DetectPhase::Before),
            "after" => Some(DetectPhase::After),
            _ => None,
        }
    }
}
