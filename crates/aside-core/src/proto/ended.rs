//! The messages about commands that have ended: what they printed, and which one could come next.

use serde::{Deserialize, Serialize};

use crate::proto::wish::Stage;

/// Where a shell runs, so that what its commands print can be seen without its help.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Capture {
    #[serde(rename = "session_id")]
    pub session: String,
    /// Stands in the marks that the shell writes around an output, so that nobody else can write them.
    pub mark: String,
    /// Its terminal.
    pub tty: String,
    /// `$TMUX` and `$TMUX_PANE`.
    pub tmux: String,
    pub pane: String,
    /// `$ASIDE_PROXY`, which our own terminal sets.
    pub proxy: String,
}

/// Whether outputs are seen, and which commands the shell leaves unmarked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tier {
    /// `tmux`, `pty` or `off`.
    pub tier: String,
    /// One line: why.
    pub reason: String,
    /// Programs that take over the terminal, with a blank between them.
    pub skip: String,
    /// Programs that do so when they have no argument.
    pub skip_bare: String,
}

/// Somebody watches a terminal, for as long as this connection is open.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Watching {
    pub tty: String,
    /// `tmux` or `pty`.
    pub tier: String,
    pub pid: u32,
}

/// What a command printed, as it was on the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Captured {
    pub tty: String,
    /// As in `capture`.
    pub mark: String,
    /// The number of the command in its session, as in `finished`.
    pub seq: i64,
    /// Its beginning and its end, when it was long.
    pub output: String,
    /// Bytes that were printed.
    pub bytes: u64,
}

/// A command ended: what comes next?
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Suggest {
    #[serde(rename = "session_id")]
    pub session: String,
    /// Where the next command would run.
    pub cwd: String,
    /// The command that ended.
    pub command: String,
    #[serde(rename = "exit_status")]
    pub exit: i32,
    /// How the line is read when the session is not known.
    pub shell: String,
    /// What it printed, from a client that saw it itself. Absent where the daemon is told by a terminal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The number of the command in its session, as in `finished`. The same again is the same question.
    pub seq: i64,
    /// Nothing remote for this question.
    #[serde(deserialize_with = "crate::proto::privacy::read")]
    pub private: bool,
    /// The client reads one answer and no more, so it gets the last.
    pub wait: bool,
}

/// One command, or none: then it is empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suggested {
    pub state: Stage,
    pub command: String,
    /// `output`, `rule`, `history` or `llm`.
    pub source: String,
    /// One line for the person who wonders why.
    pub reason: String,
    /// What it may destroy; empty when nothing.
    pub warning: String,
    pub confidence: f32,
}

/// What ran in a shell lately?
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Recall {
    #[serde(rename = "session_id")]
    pub session: String,
    /// The terminal of the shell that is meant, for whoever does not know its session.
    pub tty: String,
    /// Commands at most; 0 for all that are remembered.
    pub limit: u32,
}

/// The last commands of a shell, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Recalled {
    #[serde(rename = "session_id")]
    pub session: String,
    /// As in `capture`.
    pub tier: String,
    pub commands: Vec<Past>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Past {
    pub seq: i64,
    pub command: String,
    pub cwd: String,
    #[serde(rename = "exit_status")]
    pub exit: i32,
    /// The end of what it printed, without secrets; absent when nobody saw it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    pub s_ago: u64,
}

impl Suggested {
    pub fn none(state: Stage) -> Self {
        Self {
            state,
            command: String::new(),
            source: String::new(),
            reason: String::new(),
            warning: String::new(),
            confidence: 0.0,
        }
    }
}
