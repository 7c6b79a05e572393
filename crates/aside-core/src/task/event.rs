//! What a task tells those who watch it, as it goes over the wire and into the log. The names are those of the design document;
//! what it does not have (numbers, time, step, digest, cause) is added beside. Decides nothing about when an event is due.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::task::proposal::{TaskResult, UserRequest};
use crate::task::route::Scope;
use crate::task::route::intent::Intent;
use crate::task::state::Name;

/// Of events and of the log, which is made of them. One that is newer is not guessed at.
pub const VERSION: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    #[serde(flatten)]
    pub what: What,
    pub thread_id: String,
    pub task_id: Id,
    /// From 1; a retry is the next one.
    pub attempt: u32,
    /// In its task, from 1, without gaps.
    pub seq: u64,
    /// Milliseconds since 1970, as whoever has a clock said. Clocks are set: only `seq` tells the order.
    pub at: u64,
    /// What made the task move. Only the first event of a move has it; the ones behind follow from the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    pub v: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum What {
    TaskStart { intent: Intent, scope: Scope },
    TaskState(Box<Change>),
    TaskStreamChunk { message_id: String, channel: Channel, chunk: String },
    TaskProposal(Box<Offered>),
    TaskEnd { status: Status },
}

/// A state and, with the first event of a move, what the state after it has to know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    pub state: Name,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<UserRequest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
    /// Which proposal waits or runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// Who approved, or took back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Offered {
    pub result: TaskResult,
    pub step: u32,
    /// Of a proposal that acts: what has to be approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
}

/// What is streamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// Of whoever proposes.
    Answer,
    /// Of the command that runs.
    Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Ok,
    Error,
    Rejected,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
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

/// What was gathered for whoever proposes. The contents are in the privacy journal, if they left the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    pub files: Vec<String>,
    pub bytes: usize,
}

/// What came of carrying a proposal out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Outcome {
    pub summary: String,
    /// Of a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// What takes it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
    /// The task in which an agent goes on, now that it knows this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Id>,
}

/// That a person at this machine wants exactly this proposal to be carried out. A word only: what may run is decided by the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    pub task_id: Id,
    pub step: u32,
    pub digest: Digest,
    /// Who and where, for those who read the log.
    pub by: String,
}

/// Names a task, and the file of its log: 1 to 64 of `a-z`, `0-9`, `-`, `_`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Id(String);

/// SHA-256 of all that an approval is for, in 64 hexadecimal digits. Whoever can see the workspace computes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(String);

impl Id {
    pub fn of(id: &str) -> Option<Self> {
        let is_plain = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
        // What begins with a dash would be a flag of `aside task show`.
        let is_id = (1..=64).contains(&id.len()) && id.bytes().all(is_plain) && !id.starts_with('-');
        is_id.then(|| Self(id.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Digest {
    pub fn of_hex(hex: &str) -> Option<Self> {
        // One spelling only, so that equal digests are equal texts.
        let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        (hex.len() == 64 && hex.bytes().all(is_digit)).then(|| Self(hex.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Change {
    pub fn to(state: Name) -> Self {
        Self { state, message: None, request: None, context: None, step: None, digest: None, by: None, outcome: None }
    }
}

impl TryFrom<String> for Id {
    type Error = &'static str;

    fn try_from(id: String) -> Result<Self, Self::Error> {
        Self::of(&id).ok_or("not the name of a task")
    }
}

impl TryFrom<String> for Digest {
    type Error = &'static str;

    fn try_from(hex: String) -> Result<Self, Self::Error> {
        Self::of_hex(&hex).ok_or("not a digest of 64 hexadecimal digits")
    }
}

impl From<Id> for String {
    fn from(id: Id) -> Self {
        id.0
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Where an answer came from, in words: a log has `pts/3`, `page 2`, or the name of an editor.
pub fn answered_from(by: &str) -> String {
    let is_page = by.strip_prefix("page ").is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    match by {
        "" => "here".to_owned(),
        _ if is_page => "in the browser".to_owned(),
        _ if by.starts_with("pts/") || by.starts_with("tty") => format!("at the terminal {by}"),
        _ => format!("in {by}"),
    }
}
