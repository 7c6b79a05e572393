//! The nouns of a task as the document spells them in JSON: who asks for what, what is proposed, what that needs.

use serde::{Deserialize, Serialize};

use crate::task::route::intent::{Action, Intent, Requirement};

/// What somebody wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UserRequest {
    pub source: Source,
    pub thread_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_user: Option<String>,
    pub text: String,
    #[serde(skip_serializing_if = "Meta::is_empty")]
    pub meta: Meta,
}

impl UserRequest {
    /// Of all its texts.
    pub fn bytes(&self) -> usize {
        let Self { source: _, thread_id, from_user, text, meta } = self;
        let Meta {
            cwd,
            workspace,
            session,
            shell,
            private: _,
            untrusted: _,
            active,
            active_line: _,
            open,
            selection,
            diagnostics,
            continues,
        } = meta;
        let texts = [thread_id, text, cwd, workspace, session, shell, active, selection, diagnostics, continues];
        texts.into_iter().chain(from_user).chain(open).map(String::len).sum()
    }
}

/// Where somebody was when they asked, and what they had before them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Meta {
    /// Absolute; both with links resolved. Nothing of the task leaves the workspace.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub cwd: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub workspace: String,
    /// The shell that it was asked from, and its language: `zsh`, `bash` or `fish`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub shell: String,
    /// Nothing remote for this task.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// The editor did not trust the workspace: nothing runs there unasked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub untrusted: bool,
    /// The file that was open, relative to the workspace, and the line of the cursor, from 1.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub active: String,
    #[serde(skip_serializing_if = "is_zero")]
    pub active_line: u32,
    /// The other files that were open, relative to the workspace.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub selection: String,
    /// What checkers said in the editor.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub diagnostics: String,
    /// The task after which an agent goes on by itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub continues: String,
}

impl Meta {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// From where. What is local was typed by the person at this machine; nothing else can approve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    #[default]
    LocalUi,
    Wecom,
    /// A chat that no adapter of ours knows.
    Webhook,
    /// A chat of a team, through its relay.
    Relay,
}

impl Source {
    /// As it goes over the wire.
    pub fn name(self) -> &'static str {
        match self {
            Source::LocalUi => "local_ui",
            Source::Wecom => "wecom",
            Source::Webhook => "webhook",
            Source::Relay => "relay",
        }
    }

    pub fn of(name: &str) -> Option<Self> {
        [Source::LocalUi, Source::Wecom, Source::Webhook, Source::Relay]
            .into_iter()
            .find(|source| source.name() == name)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Proposal {
    Plan {
        text: String,
    },
    #[serde(rename_all = "camelCase")]
    Diff {
        diff_id: String,
        unified_diff: String,
        files: Vec<FileSummary>,
    },
    Command {
        cmd: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        cwd: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        #[serde(default, skip_serializing_if = "Confine::is_no")]
        confine: Confine,
    },
    Answer {
        text: String,
    },
    SearchResults {
        items: Vec<Found>,
    },
}

/// Where a command may write. Kept by the kernel, where it can.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confine {
    /// Wherever the person may.
    #[default]
    No,
    /// In the workspace, and in a directory for temporary files that is its own.
    Workspace,
}

impl Confine {
    pub fn name(self) -> &'static str {
        match self {
            Confine::No => "no",
            Confine::Workspace => "workspace",
        }
    }

    pub fn of(name: &str) -> Option<Self> {
        [Confine::No, Confine::Workspace].into_iter().find(|confine| confine.name() == name)
    }

    pub fn is_no(&self) -> bool {
        *self == Confine::No
    }
}

impl Proposal {
    /// What carrying it out would do. Follows from what is proposed alone, whatever a request or a model says about it.
    pub fn action(&self) -> Option<Action> {
        match self {
            Self::Diff { .. } => Some(Action::ApplyDiff),
            Self::Command { .. } => Some(Action::RunCommand),
            Self::Plan { .. } | Self::Answer { .. } | Self::SearchResults { .. } => None,
        }
    }

    /// Of all its texts.
    pub fn bytes(&self) -> usize {
        let optional = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        match self {
            Self::Plan { text } | Self::Answer { text } => text.len(),
            Self::Diff { diff_id, unified_diff, files } => {
                diff_id.len() + unified_diff.len() + files.iter().map(|file| file.path.len()).sum::<usize>()
            }
            Self::Command { cmd, cwd, reason, confine: _ } => cmd.len() + optional(cwd) + optional(reason),
            Self::SearchResults { items } => items.iter().map(|item| item.path.len() + optional(&item.preview)).sum(),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSummary {
    pub path: String,
    pub additions: usize,
    pub deletions: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

/// What a task came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskResult {
    pub task_id: String,
    pub intent: Intent,
    pub proposal: Proposal,
    pub requires: Requirement,
    /// Short, for a message.
    pub summary: String,
    /// Long, for a screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
}
