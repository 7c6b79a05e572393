//! The messages about tasks: what somebody asks for, how it goes on, and what a person says to a proposal. What an event holds is in
//! `task::event`, which this knows nothing of: an event goes over the wire as its log has it.

use serde::{Deserialize, Serialize};

/// One message for all that can be done about tasks; `op` says which. Each uses some of the fields.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Task {
    pub op: Op,
    /// Which task. Only `ask`, `list`, `follow`, `rules`, `welcome`, `page`, `sign_out`, `pair` and `clean` have none.
    #[serde(rename = "taskId", skip_serializing_if = "String::is_empty")]
    pub task: String,
    /// The conversation that it belongs to. Empty is one of its own.
    #[serde(rename = "threadId", skip_serializing_if = "String::is_empty")]
    pub thread: String,
    /// `ask`: the words. `edit`: the command or the diff as it is to be. `reject`: why. `list`: words that a task has. `pair`: the code.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// `local_ui`; `wecom`, `webhook` or `relay` for what came from afar. Empty is `local_ui`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    #[serde(rename = "fromUser", skip_serializing_if = "String::is_empty")]
    pub from_user: String,
    /// Who says it, for the log: a terminal, a page.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// `approve`, `reject`, `edit`: what was shown.
    #[serde(skip_serializing_if = "is_zero")]
    pub step: u32,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// `edit`: whether the command may write in the workspace alone: `workspace`, `no`, or empty for as it was.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub confine: String,
    /// `watch`: the number of the last event that is known.
    #[serde(skip_serializing_if = "is_nothing")]
    pub from: u64,
    /// `list`, `follow`: at most so many tasks; 0 for a screen of them.
    #[serde(skip_serializing_if = "is_zero")]
    pub limit: u32,
    /// `ask`, `rules`, `welcome`: where.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub cwd: String,
    /// `ask`: the shell that it is asked from, and its language.
    #[serde(rename = "session_id", skip_serializing_if = "String::is_empty")]
    pub session: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub shell: String,
    /// `ask`: in the conversation that this shell has in this workspace, if it has one and names none.
    #[serde(rename = "goesOn", skip_serializing_if = "std::ops::Not::not")]
    pub goes_on: bool,
    /// `ask`: nothing remote for this task.
    #[serde(deserialize_with = "crate::proto::privacy::read", skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// `ask`: the editor does not trust the workspace, so nothing runs there unasked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub untrusted: bool,
    /// `ask`: the file that is open, and the line of the cursor.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub active: String,
    #[serde(rename = "activeLine", skip_serializing_if = "is_zero")]
    pub active_line: u32,
    /// `ask`: the other files that are open.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub selection: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub diagnostics: String,
    /// `approve`: the variables of the terminal that approves, `NAME=value`, which the command gets. Kept nowhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// A new task.
    #[default]
    Ask,
    /// Its events behind `from`, and then what is told live, as `task_event`.
    Watch,
    /// All tasks, the newest first, and again whenever one has moved.
    Follow,
    List,
    /// One task, and what it proposes if that waits for a person.
    Show,
    Approve,
    Reject,
    Edit,
    Cancel,
    Retry,
    /// Undoes what a task wrote.
    Undo,
    /// What may run unasked, and what never may.
    Rules,
    /// Which model answers in a directory, and what can be asked there.
    Welcome,
    /// Where the page is, with a key that opens it once.
    Page,
    /// Ends every session of the page.
    SignOut,
    /// A code by which a user of a chat is let in; with a code, who has brought it.
    Pair,
    /// Takes secrets out of the logs of tasks that have ended.
    Clean,
}

/// What is known now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tasks {
    pub tasks: Vec<Brief>,
    /// `show`: what waits for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offer: Option<Box<Offer>>,
    /// `welcome`: what is said before anything was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub welcome: Option<Welcome>,
    /// One line for the person, the rules or the address of the page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
}

/// What a first screen says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Welcome {
    /// The name of the model that tasks ask; empty when none is set.
    pub model: String,
    /// The address that opens a file in an editor, with `{path}` and `{line}` in it; empty when none is set.
    pub editor: String,
    /// Requests that mean something in this directory.
    pub examples: Vec<String>,
}

/// A task in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Brief {
    pub task_id: String,
    pub thread_id: String,
    /// `RECEIVED` to `REJECTED`.
    pub state: String,
    pub attempt: u32,
    /// The number of its last event.
    pub seq: u64,
    /// When it was asked for and when it moved last, in milliseconds since 1970.
    pub since: u64,
    pub at: u64,
    /// What was asked.
    pub text: String,
    /// `local_ui`, `wecom`, `webhook` or `relay`.
    pub source: String,
    pub from_user: String,
    /// The workspace.
    pub workspace: String,
    /// Empty until it is known what is wanted.
    pub kind: String,
    /// What is proposed, or why it failed, in one line.
    pub summary: String,
    /// `apply_diff` or `run_command` while somebody has to approve it.
    pub action: String,
    /// It wrote something that can be undone.
    pub undo: bool,
    /// Who undid it; empty when it was not undone.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub undone_by: String,
}

/// What a person is asked to approve, whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Offer {
    pub task_id: String,
    pub step: u32,
    /// What an answer has to carry. Another daemon has another one.
    pub digest: String,
    /// `apply_diff` or `run_command`.
    pub action: String,
    /// What is shown, as `gate::show` says it: control characters are spelled out.
    pub rows: Vec<Row>,
    /// The text that can be edited: the command, or the diff.
    pub text: String,
    /// It may write in the workspace alone: `workspace`, or `no`.
    pub confine: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Row {
    /// `command`, `in`, `with`, `writes`, `file`, `because`, `danger`, `rule`.
    pub label: String,
    pub text: String,
}

/// One event of a task that is watched, as its log has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskEvent {
    pub event: serde_json::Value,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn is_nothing(number: &u64) -> bool {
    *number == 0
}
