//! Messages about tasks: requests, progress, and the user's answers to proposals. `task::event` defines the events, and this module does
//! not know them: an event goes over the wire as its log has it.

use serde::{Deserialize, Serialize};

/// One message for all task operations; `op` says which. Each uses some of the fields.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskParams {
    pub op: TaskOp,
    /// The task. Only `ask`, `list`, `follow`, `rules`, `welcome`, `page`, `sign_out`, `pair` and `clean` have none.
    #[serde(rename = "taskId", skip_serializing_if = "String::is_empty")]
    pub task: String,
    /// The conversation that it belongs to. Empty starts one of its own.
    #[serde(rename = "threadId", skip_serializing_if = "String::is_empty")]
    pub thread: String,
    /// `ask`: the words. `edit`: the new command or diff. `reject`: the reason. `list`: search words. `pair`: the code.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// `local_ui`; `wecom`, `webhook` or `relay` for remote requests. Empty is `local_ui`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    #[serde(rename = "fromUser", skip_serializing_if = "String::is_empty")]
    pub from_user: String,
    /// Who sends it, for the log: a terminal, a page.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// `approve`, `reject`, `edit`: what was shown.
    #[serde(skip_serializing_if = "is_zero")]
    pub step: u32,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// `edit`: whether the command may write only in the workspace: `workspace`, `no`, or empty for unchanged.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub confine: String,
    /// `watch`: the number of the last event that the client knows.
    #[serde(skip_serializing_if = "is_nothing")]
    pub from: u64,
    /// `list`, `follow`: maximum number of tasks; 0 for a screenful.
    #[serde(skip_serializing_if = "is_zero")]
    pub limit: u32,
    /// `ask`, `rules`, `welcome`: the directory.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub cwd: String,
    /// `ask`: the shell that it comes from, and its language.
    #[serde(rename = "session_id", skip_serializing_if = "String::is_empty")]
    pub session: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub shell: String,
    /// `ask`: continues the conversation that this shell has in this workspace, if any, when `thread` is empty.
    #[serde(rename = "goesOn", skip_serializing_if = "std::ops::Not::not")]
    pub goes_on: bool,
    /// `ask`: uses no remote provider for this task.
    #[serde(deserialize_with = "crate::privacy::read", skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// `ask`: the editor does not trust the workspace, so nothing runs there without approval.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub untrusted: bool,
    /// `ask`: the active file, and the line of the cursor.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub active: String,
    #[serde(rename = "activeLine", skip_serializing_if = "is_zero")]
    pub active_line: u32,
    /// `ask`: the other open files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub selection: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub diagnostics: String,
    /// `approve`: the variables of the approving terminal, `NAME=value`, which the command gets. Never stored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskOp {
    /// A new task.
    #[default]
    Ask,
    /// Its events after `from`, and then live ones, as `task_event`.
    Watch,
    /// All tasks, the newest first, and again whenever one changes.
    Follow,
    List,
    /// One task, and its proposal if that waits for the user.
    Show,
    Approve,
    Reject,
    Edit,
    Cancel,
    Retry,
    /// Undoes what a task wrote.
    Undo,
    /// What may run without approval, and what never may.
    Rules,
    /// Which model answers in a directory, and what can be asked there.
    Welcome,
    /// The address of the page, with a single-use key.
    Page,
    /// Ends every session of the page.
    SignOut,
    /// A pairing code that lets a user of a chat in; with a code, who has used it.
    Pair,
    /// Redacts secrets in the logs of ended tasks.
    Clean,
}

/// The current state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskList {
    pub tasks: Vec<TaskBrief>,
    /// `show`: what waits for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offer: Option<Box<ApprovalOffer>>,
    /// `welcome`: what is shown before the first request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub welcome: Option<TaskWelcome>,
    /// One line for the user, the rules or the address of the page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
}

/// The contents of a first screen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskWelcome {
    /// The name of the model for tasks; empty when none is set.
    pub model: String,
    /// The URL that opens a file in an editor, with `{path}` and `{line}` in it; empty when none is set.
    pub editor: String,
    /// Requests that make sense in this directory.
    pub examples: Vec<String>,
}

/// A task in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskBrief {
    pub task_id: String,
    pub thread_id: String,
    /// `RECEIVED` to `REJECTED`.
    pub state: String,
    pub attempt: u32,
    /// The number of its last event.
    pub seq: u64,
    /// When it was requested and when it last changed, in milliseconds since 1970.
    pub since: u64,
    pub at: u64,
    /// The request.
    pub text: String,
    /// `local_ui`, `wecom`, `webhook` or `relay`.
    pub source: String,
    pub from_user: String,
    /// The workspace.
    pub workspace: String,
    /// Empty until it is routed.
    pub kind: String,
    /// What is proposed, or why it failed, in one line.
    pub summary: String,
    /// `apply_diff` or `run_command` while it waits for approval.
    pub action: String,
    /// It wrote something that can be undone.
    pub undo: bool,
    /// Who undid it; empty when it was not undone.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub undone_by: String,
}

/// What the user is asked to approve, complete.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ApprovalOffer {
    pub task_id: String,
    pub step: u32,
    /// The digest that an answer has to carry. Differs for each daemon.
    pub digest: String,
    /// `apply_diff` or `run_command`.
    pub action: String,
    /// The rows from `gate::show`: control characters are spelled out.
    pub rows: Vec<OfferRow>,
    /// The text that can be edited: the command, or the diff.
    pub text: String,
    /// Whether it may write only in the workspace: `workspace`, or `no`.
    pub confine: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OfferRow {
    /// `from`, `command`, `in`, `with`, `writes`, `file`, `because`, `danger`, `rule`.
    pub label: String,
    pub text: String,
}

/// One event of a watched task, as its log has it.
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
