//! The messages between a client and the daemon, and their types. Two encodings: `record` for shells, `json` for everything else. Defines
//! what is sent, not how it is answered. `docs/protocol.md` is the reference.

pub mod command_ended;
pub mod compat;
pub mod json;
pub mod privacy;
pub mod prose;
pub mod query;
pub mod record;
pub mod stream;
pub mod task;

use serde::{Deserialize, Serialize};

/// Raised when a message changes its meaning. New fields at the end of a message do not raise it.
pub const PROTOCOL: u32 = 1;

/// A request and the number that its reply echoes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    #[serde(rename = "request_id", default)]
    pub id: u64,
    /// Nothing of it may leave this machine. Any message can set this, whatever its kind.
    #[serde(skip)]
    pub private: bool,
    #[serde(flatten)]
    pub request: Request,
}

impl Call {
    pub fn new(id: u64, request: Request) -> Self {
        Self { id, private: request.is_private(), request }
    }

    /// Marks the call and its request as private.
    pub fn make_private(&mut self) {
        self.private = true;
        self.request.make_private();
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Request {
    /// The first message of a connection.
    Hello(Hello),
    /// The line changed: asks for completions.
    Complete(CompleteParams),
    /// A query in plain words: asks for a command.
    #[serde(alias = "natural_language")]
    Translate(query::TranslateParams),
    /// Asks what a command does.
    Explain(query::ExplainParams),
    /// Reports what the user did with an offer.
    Outcome(query::OutcomeParams),
    /// Asks whether a line is a command or prose.
    Detect(prose::DetectParams),
    /// Reports that a line was wrongly taken for prose.
    Wrong(prose::WrongParams),
    /// Prose: asks for an answer.
    Ask(prose::AskParams),
    /// A command ended.
    Finished(Finished),
    /// Says where a shell runs, and asks whether its output is captured.
    Capture(command_ended::CaptureParams),
    /// A client captures a terminal.
    Watching(command_ended::WatchParams),
    /// The output of a command.
    Captured(command_ended::CapturedParams),
    /// A command ended: asks for the next one.
    Suggest(command_ended::SuggestParams),
    /// Asks for the recent commands of a shell.
    Recall(command_ended::RecallParams),
    /// Task requests, and the user's answers to proposals.
    Task(Box<task::TaskParams>),
    /// What only the shell knows: its aliases, functions, variables.
    Names(NamesParams),
    /// Another process changed the history: reads what is new.
    Reload,
    /// Asks what was offered last, and why.
    Why(WhyParams),
    /// Asks for the daemon's status.
    Status,
    /// Finishes what is running and exits.
    Stop,
}

/// The field of a request that marks it private: `private_field!(self)`, or `private_field!(self, mut)`.
macro_rules! private_field {
    ($request:expr $(, $mut:tt)?) => {
        match $request {
            Request::Hello(hello) => Some(&$($mut)? hello.private),
            Request::Translate(asked) => Some(&$($mut)? asked.private),
            Request::Explain(asked) => Some(&$($mut)? asked.private),
            Request::Ask(asked) => Some(&$($mut)? asked.private),
            Request::Suggest(ended) => Some(&$($mut)? ended.private),
            Request::Task(asked) => Some(&$($mut)? asked.private),
            Request::Finished(finished) => Some(&$($mut)? finished.private),
            Request::Complete(_)
            | Request::Outcome(_)
            | Request::Detect(_)
            | Request::Wrong(_)
            | Request::Capture(_)
            | Request::Watching(_)
            | Request::Captured(_)
            | Request::Recall(_)
            | Request::Names(_)
            | Request::Reload
            | Request::Why(_)
            | Request::Status
            | Request::Stop => None,
        }
    };
}

impl Request {
    /// Whether its own field marks it private.
    pub fn is_private(&self) -> bool {
        private_field!(self).is_some_and(|private| *private)
    }

    /// Sets its own private field, if its kind has one.
    pub fn make_private(&mut self) {
        if let Some(private) = private_field!(self, mut) {
            *private = true;
        }
    }

    /// Bytes of user text that have to be processed.
    pub fn length(&self) -> usize {
        match self {
            Request::Complete(asked) => asked.left.len() + asked.right.len(),
            Request::Translate(asked) => asked.query.len(),
            Request::Explain(asked) => asked.command.len(),
            Request::Detect(asked) => asked.line.len(),
            Request::Ask(asked) => asked.query.len(),
            Request::Suggest(ended) => ended.command.len(),
            _ => 0,
        }
    }

    /// The shell session that it names, or an empty string.
    pub fn session(&self) -> &str {
        match self {
            Request::Hello(hello) => &hello.session,
            Request::Complete(asked) => &asked.session,
            Request::Translate(asked) => &asked.session,
            Request::Explain(asked) => &asked.session,
            Request::Outcome(outcome) => &outcome.session,
            Request::Detect(asked) => &asked.session,
            Request::Wrong(wrong) => &wrong.session,
            Request::Ask(asked) => &asked.session,
            Request::Finished(finished) => &finished.session,
            Request::Capture(asked) => &asked.session,
            Request::Suggest(ended) => &ended.session,
            Request::Recall(asked) => &asked.session,
            Request::Names(names) => &names.session,
            Request::Why(asked) => &asked.session,
            Request::Task(asked) => &asked.session,
            Request::Watching(_) | Request::Captured(_) | Request::Reload | Request::Status | Request::Stop => "",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Hello {
    pub protocol: u32,
    /// Version of the program that printed the plugin.
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
    /// The plugin's environment, as `name=value` lines, for `aside doctor`.
    pub facts: String,
    /// Uses no remote provider for this shell. A later hello may reset it.
    #[serde(deserialize_with = "crate::privacy::read")]
    pub private: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CompleteParams {
    #[serde(rename = "session_id")]
    pub session: String,
    pub cwd: String,
    /// Text before the cursor.
    pub left: String,
    /// Text after the cursor.
    pub right: String,
    /// The shell's language, used when the session is not known: `zsh`, `bash` or `fish`.
    pub shell: String,
    /// The client reads one reply and no updates, so the reply waits for slow sources.
    pub wait: bool,
    /// The client reads a description of each candidate in a record; JSON always has it.
    pub describe: bool,
    /// The user asked for a list: more candidates, from all sources.
    pub list: bool,
    /// Maximum number of candidates; 0 for the configured number.
    pub max_candidates: usize,
    /// The client reads whether the first candidate may be shown as ghost text.
    pub ghost: bool,
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
    /// It ran in a private shell: it is stored, but never sent to a model.
    #[serde(deserialize_with = "privacy::read")]
    pub private: bool,
}

/// One part of a list of names. A long list comes in several messages, each small enough not to fill a socket.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NamesParams {
    #[serde(rename = "session_id")]
    pub session: String,
    /// `alias`, `function`, `builtin`, `variable` or `directory`.
    pub kind: String,
    /// Part 0 begins a new list, the others extend it.
    pub part: u32,
    /// Lines of `name`; of `name=value` for aliases and directories.
    pub names: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WhyParams {
    /// The session; when empty, the one that got the last offer.
    #[serde(rename = "session_id")]
    pub session: String,
}

/// A reply and the number of its request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    #[serde(rename = "request_id")]
    pub id: u64,
    #[serde(flatten)]
    pub reply: Reply,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Reply {
    Hello(Box<Welcome>),
    Complete(CompleteResult),
    /// Better candidates for a line that was answered before, from slow sources or a model.
    Update(CompleteResult),
    /// The reply to a query, and each better one after it.
    #[serde(rename = "suggestion")]
    Translate(Box<query::TranslateResult>),
    Explain(query::ExplainResult),
    Detect(prose::DetectResult),
    /// The answer to prose, in full each time that there is more.
    Said(Box<prose::AskResult>),
    Capture(command_ended::CaptureTier),
    /// The next command, and a better one when there is one.
    #[serde(rename = "next")]
    Suggest(Box<command_ended::SuggestResult>),
    Recall(Box<command_ended::RecallResult>),
    Task(Box<task::TaskList>),
    /// One more event of a watched task. None is skipped.
    TaskEvent(Box<task::TaskEvent>),
    /// Done: data to store has been stored.
    Ok,
    Why(Box<WhyResult>),
    Status(Box<Status>),
    Error(Failure),
}

/// The daemon's reply to `hello`: its identity, and the settings that a running shell follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    pub version: String,
    pub pid: u32,
    pub complete: OnOff,
    pub ghost_style: String,
    /// `all` or `word`.
    pub right_arrow: String,
    /// `replace` or `yield`.
    pub autosuggestions: String,
    /// Characters.
    pub min_input: u32,
    /// `auto` or `off`.
    pub bar: String,
    pub bar_style: String,
    pub hint: OnOff,
    pub hint_style: String,
    /// `take` or `leave`.
    pub tab: String,
    pub wish: OnOff,
    /// The prefix, followed by a blank, that marks a line as a query.
    pub wish_prefix: String,
    pub wish_style: String,
    /// Minimum characters of a query before it is sent.
    pub wish_min: u32,
    pub explain_key: String,
    /// Empty for none.
    pub private_key: String,
    /// What happens to prose: `answer`, `offer` or `off`.
    pub reroute: String,
    /// The prefix, followed by a blank, that marks a line as prose whatever it looks like.
    pub agent_prefix: String,
    /// The prefix that marks a line as a command whatever it looks like; empty for none.
    pub shell_prefix: String,
    /// The key that reports that the last line was no prose; empty for none.
    pub wrong_key: String,
    /// Whether the shell asks for the next command.
    pub suggest: OnOff,
    /// `auto`, `tmux`, `pty` or `off`.
    pub capture: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnOff {
    On,
    Off,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CompleteResult {
    pub candidates: Vec<WireCandidate>,
    /// Whether a record includes the descriptions: only for a client that asked for them.
    #[serde(skip)]
    pub described: bool,
    /// Whether a record includes `ghost`: only for a client that asked.
    #[serde(skip)]
    pub asks_ghost: bool,
    /// Whether the first candidate is confident enough for ghost text; the others are for the bar.
    #[serde(default, skip_serializing_if = "Ghost::is_fit")]
    pub ghost: Ghost,
    /// The configured model that is not installed on this machine. Only ashlet's format includes it.
    #[serde(skip)]
    pub missing: Option<MissingModel>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ghost {
    #[default]
    Fit,
    Unsure,
}

impl Ghost {
    fn is_fit(&self) -> bool {
        *self == Ghost::Fit
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingModel {
    pub name: String,
    /// Download size; `None` for an unknown model.
    pub bytes: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WireCandidate {
    /// The whole line, replacing what was typed.
    pub completion: String,
    /// Where the cursor goes, in characters; the end when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor_pos: Option<u32>,
    /// Calibrated probability, 0 to 1, that the intended line begins so.
    pub confidence: f32,
    pub source: String,
    /// One line about it: what a flag does.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What is known about it, in words.
    pub facts: String,
}

/// A line, and what was offered for it. Has no candidates before the first offer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WhyResult {
    #[serde(rename = "session_id")]
    pub session: String,
    pub cwd: String,
    pub left: String,
    pub right: String,
    pub ms_ago: u64,
    pub candidates: Vec<WireCandidate>,
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
    /// Problems since the start, newest last.
    pub notices: Vec<Notice>,
    /// The configured servers.
    pub models: Vec<ModelStatus>,
    /// The chat that can request tasks; `None` while that is turned off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote: Option<RemoteStatus>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RemoteStatus {
    /// The name in the settings.
    pub chat: String,
    /// `connecting`, `connected` or `trouble`.
    pub state: String,
    pub since_s: u64,
    /// What is wrong, and what to do about it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub trouble: String,
    /// Messages accepted, and messages sent.
    pub received: u64,
    pub sent: u64,
    /// Users that wrote without being allowed, the newest last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
    /// Of the settings and secrets that are in force, by which a client knows that a change of them is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub settings: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelStatus {
    pub provider: String,
    pub address: String,
    /// `well`, `resting` (not asked for `rests_s`) or `doubtful` (the next request finds out).
    pub state: String,
    pub rests_s: u64,
    pub uses: Vec<ModelLatency>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelLatency {
    #[serde(rename = "use")]
    pub usage: String,
    pub model: String,
    /// `None` without recent requests.
    pub average_ms: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HistoryStatus {
    /// Distinct commands in memory.
    pub commands: usize,
    /// Records in the store.
    pub records: u64,
    pub loading: bool,
    /// Commands that could not be stored yet.
    pub waiting: usize,
    /// Why, or empty.
    pub problem: String,
    /// Commands that were not stored since the start, because a secret was seen in them.
    pub withheld: u64,
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
    /// Number of names that the shell sent, of each kind that has many.
    pub aliases: usize,
    pub functions: usize,
    pub variables: usize,
    /// As in the reply to `capture`; empty when the shell never asked.
    pub tier: String,
    pub tier_reason: String,
    /// A client captures its terminal at this moment.
    pub watched: bool,
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
