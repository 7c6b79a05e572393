//! The events of a task, as they go over the wire and into the log; docs/task.md describes each of them. Does not decide when an event is
//! emitted.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::proposal::{TaskResult, UserRequest};
use crate::route::TaskScope;
use crate::route::intent::Intent;
use crate::state::StateName;

/// Version of the events, and so of the log, which consists of them. The reader refuses a newer one.
pub const VERSION: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    #[serde(flatten)]
    pub what: EventKind,
    pub thread_id: String,
    pub task_id: TaskId,
    /// Counts from 1; each retry is a new attempt.
    pub attempt: u32,
    /// Number of the event in its task, from 1, without gaps.
    pub seq: u64,
    /// Milliseconds since 1970, from the caller's clock. Clocks can be set back: only `seq` gives the order.
    pub at: u64,
    /// The input that caused the step. Only the first event of a step has it; the others follow from the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<TransitionCause>,
    pub v: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum EventKind {
    TaskStart { intent: Intent, scope: TaskScope },
    TaskState(Box<StateChange>),
    TaskStreamChunk { message_id: String, channel: OutputChannel, chunk: String },
    TaskProposal(Box<OfferedProposal>),
    TaskEnd { status: EndStatus },
}

/// The new state. The first event of a step also carries the data from which a replay rebuilds that state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StateChange {
    pub state: StateName,
    /// Human-readable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<UserRequest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<GatheredFiles>,
    /// Number of the proposal that waits or runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<ApprovalDigest>,
    /// Who approved, rejected or undid it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ActOutcome>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OfferedProposal {
    pub result: TaskResult,
    pub step: u32,
    /// Present if the proposal acts: the digest that an approval has to carry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<ApprovalDigest>,
}

/// Which text a chunk belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputChannel {
    /// Text of the model or agent that proposes.
    Answer,
    /// Output of the command that runs.
    Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndStatus {
    Ok,
    Error,
    Rejected,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TransitionCause {
    Received,
    Routed,
    Collected,
    Proposed,
    Approved,
    Rejected,
    Edited,
    Finished,
    Failed,
    Cancelled,
    Retried,
    Undone,
    Restarted,
}

/// What was collected for the prompt. The contents are not here; if they left the machine, the privacy journal has them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GatheredFiles {
    pub files: Vec<String>,
    pub bytes: usize,
}

/// The result of carrying out a proposal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ActOutcome {
    pub summary: String,
    /// Exit status, for a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// Identifies the saved state that undo restores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
    /// The task in which the agent continues with this outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<TaskId>,
}

/// A local user's request to carry out exactly this proposal. It proves nothing by itself: the gate decides what may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    pub task_id: TaskId,
    pub step: u32,
    pub digest: ApprovalDigest,
    /// Who approved and from where, for readers of the log.
    pub by: String,
}

/// Names a task and its log file: 1 to 64 characters of `a-z`, `0-9`, `-`, `_`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TaskId(String);

/// SHA-256 of everything that an approval covers, as 64 hexadecimal digits. The caller computes it, since only it can read the workspace.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ApprovalDigest(String);

impl TaskId {
    pub fn of(id: &str) -> Option<Self> {
        let is_plain = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
        // `aside task show` would take a leading dash for a flag.
        let is_id = (1..=64).contains(&id.len()) && id.bytes().all(is_plain) && !id.starts_with('-');
        is_id.then(|| Self(id.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ApprovalDigest {
    pub fn of_hex(hex: &str) -> Option<Self> {
        // Lower case only, so that equal digests are equal strings.
        let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        (hex.len() == 64 && hex.bytes().all(is_digit)).then(|| Self(hex.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl StateChange {
    pub fn to(state: StateName) -> Self {
        Self { state, message: None, request: None, context: None, step: None, digest: None, by: None, outcome: None }
    }
}

impl TryFrom<String> for TaskId {
    type Error = &'static str;

    fn try_from(id: String) -> Result<Self, Self::Error> {
        Self::of(&id).ok_or("not the name of a task")
    }
}

impl TryFrom<String> for ApprovalDigest {
    type Error = &'static str;

    fn try_from(hex: String) -> Result<Self, Self::Error> {
        Self::of_hex(&hex).ok_or("not a digest of 64 hexadecimal digits")
    }
}

impl From<TaskId> for String {
    fn from(id: TaskId) -> Self {
        id.0
    }
}

impl From<ApprovalDigest> for String {
    fn from(digest: ApprovalDigest) -> Self {
        digest.0
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl fmt::Display for ApprovalDigest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Where an answer came from, in words: the log has `pts/3`, `page 2`, or the name of an editor.
pub fn answered_from(by: &str) -> String {
    let is_page = by.strip_prefix("page ").is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    match by {
        "" => "here".to_owned(),
        _ if is_page => "in the browser".to_owned(),
        _ if by.starts_with("pts/") || by.starts_with("tty") => format!("at the terminal {by}"),
        _ => format!("in {by}"),
    }
}
