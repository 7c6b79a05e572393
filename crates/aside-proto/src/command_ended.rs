//! Messages about commands that have ended: their output, and the next command.

use serde::{Deserialize, Serialize};

use crate::query::ReplyStage;

/// Describes where a shell runs, so that the output of its commands can be captured without its help.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CaptureParams {
    #[serde(rename = "session_id")]
    pub session: String,
    /// A secret in the markers that the shell writes around an output, so that no other program can forge them.
    pub mark: String,
    /// Its terminal.
    pub tty: String,
    /// `$TMUX` and `$TMUX_PANE`.
    pub tmux: String,
    pub pane: String,
    /// `$ASIDE_PROXY`, which our own terminal sets.
    pub proxy: String,
}

/// Whether outputs are captured, and which commands the shell leaves unmarked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CaptureTier {
    /// `tmux`, `pty` or `off`.
    pub tier: String,
    /// The reason, in one line.
    pub reason: String,
    /// Programs that take over the terminal, separated by blanks.
    pub skip: String,
    /// Programs that do so when they have no argument.
    pub skip_bare: String,
}

/// Announces that this client captures a terminal, for as long as the connection is open.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WatchParams {
    pub tty: String,
    /// `tmux` or `pty`.
    pub tier: String,
    pub pid: u32,
}

/// The output of a command, as it was on the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CapturedParams {
    pub tty: String,
    /// As in `capture`.
    pub mark: String,
    /// The number of the command in its session, as in `finished`.
    pub seq: i64,
    /// Only its beginning and end, when it was long.
    pub output: String,
    /// Bytes that were printed.
    pub bytes: u64,
}

/// Asks for the next command, after one has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SuggestParams {
    #[serde(rename = "session_id")]
    pub session: String,
    /// Where the next command would run.
    pub cwd: String,
    /// The command that ended.
    pub command: String,
    #[serde(rename = "exit_status")]
    pub exit: i32,
    /// The shell's language, used when the session is not known.
    pub shell: String,
    /// Its output, from a client that captured it itself. Absent where the daemon gets it from a terminal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The number of the command in its session, as in `finished`. The same number again is the same request.
    pub seq: i64,
    /// Uses no remote provider for this request.
    #[serde(deserialize_with = "crate::privacy::read")]
    pub private: bool,
    /// The client reads a single reply, so it gets the last.
    pub wait: bool,
}

/// One command; empty for none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuggestResult {
    pub state: ReplyStage,
    pub command: String,
    /// `output`, `rule`, `history` or `llm`.
    pub source: String,
    /// The reason, in one line for the user.
    pub reason: String,
    /// What it may destroy; empty when nothing.
    pub warning: String,
    pub confidence: f32,
}

/// Asks for the recent commands of a shell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecallParams {
    #[serde(rename = "session_id")]
    pub session: String,
    /// The terminal of the shell, for a client that does not know its session.
    pub tty: String,
    /// Maximum number of commands; 0 for all that are remembered.
    pub limit: u32,
}

/// The last commands of a shell, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecallResult {
    #[serde(rename = "session_id")]
    pub session: String,
    /// As in `capture`.
    pub tier: String,
    pub commands: Vec<RecalledCommand>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecalledCommand {
    pub seq: i64,
    pub command: String,
    pub cwd: String,
    #[serde(rename = "exit_status")]
    pub exit: i32,
    /// The end of its output, with secrets redacted; absent when it was not captured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    pub s_ago: u64,
}

impl SuggestResult {
    pub fn none(state: ReplyStage) -> Self {
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
