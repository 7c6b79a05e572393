//! The messages about sentences: whether a line is one, and what is said to whoever wrote it.

use serde::{Deserialize, Serialize};

use crate::proto::wish::Stage;

/// A line that is about to run, or one that has just failed: is it meant for the shell?
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Detect {
    #[serde(rename = "session_id")]
    pub session: String,
    pub cwd: String,
    pub line: String,
    /// How the line is read when the session is not known: `zsh`, `bash` or `fish`.
    pub shell: String,
    pub phase: Phase,
    /// How it ended. Nothing before it ran.
    #[serde(rename = "exit_status")]
    pub exit: i32,
    /// What the shell says its first word is: `alias`, `function`, `builtin`, `reserved`, `program`, `directory`, `none`;
    /// empty when it was not asked.
    pub first: String,
    /// The shell could not read it as a command at all.
    pub unreadable: bool,
    /// What it printed, when that is known.
    pub output: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    #[default]
    Before,
    After,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ruling {
    /// Before: `shell`, `agent` or `unsure`. After: `agent` or `nothing`.
    pub verdict: String,
    /// One line for the person: why.
    pub reason: String,
}

/// The last line that was taken for a sentence was none. It is not taken for one again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Wrong {
    #[serde(rename = "session_id")]
    pub session: String,
    /// Empty for the last one of the session, or of all when there is no session.
    pub line: String,
}

/// A sentence to be answered. Without one, whatever is being said to the session is to stop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ask {
    #[serde(rename = "session_id")]
    pub session: String,
    pub cwd: String,
    pub query: String,
    pub shell: String,
    /// The client's own number for the question. The same number again, on a new connection, goes on listening.
    pub number: u64,
    /// Columns of the terminal.
    pub width: u32,
    /// The client reads one answer and no more, so it gets the last.
    pub wait: bool,
    /// Nothing remote for this question.
    #[serde(deserialize_with = "crate::proto::privacy::read")]
    pub private: bool,
    /// The question is a line that was run, and this is how it ended; zero when it was not run.
    #[serde(rename = "exit_status")]
    pub exit: i32,
    /// What it printed, when that is known.
    pub output: String,
    /// Why it was taken for a sentence, for the record of such lines.
    pub reason: String,
}

/// What is said, so far. Each one tells all of it again, since a client that is slow to read gets the newest alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    pub state: Stage,
    /// One short line for the person: who answers instead of whom, or what to do to be answered.
    pub note: String,
    /// A command that is ready to be taken; never run.
    pub proposal: String,
    /// What that may destroy; empty when nothing.
    pub warning: String,
    /// Rows that stand, as wide as the terminal. Marks for their looks are in `markdown::mark`.
    pub rows: Vec<String>,
    /// Rows that may still become others.
    pub tail: Vec<String>,
}

impl Phase {
    pub fn name(self) -> &'static str {
        match self {
            Phase::Before => "before",
            Phase::After => "after",
        }
    }

    pub fn of(name: &str) -> Option<Self> {
        match name {
            "" | "before" => Some(Phase::Before),
            "after" => Some(Phase::After),
            _ => None,
        }
    }
}
