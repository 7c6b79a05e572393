//! The request, the proposal and the result of a task, as JSON spells them (docs/task.md).

use serde::{Deserialize, Serialize};

use crate::route::intent::{ApprovalAction, ApprovalRequirement, Intent};

/// A user's request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UserRequest {
    pub source: RequestSource,
    pub thread_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_user: Option<String>,
    pub text: String,
    #[serde(skip_serializing_if = "RequestMeta::is_empty")]
    pub meta: RequestMeta,
}

impl UserRequest {
    /// Bytes of all its texts.
    pub fn bytes(&self) -> usize {
        let Self { source: _, thread_id, from_user, text, meta } = self;
        let RequestMeta {
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

/// Where the user made the request, and what was open in the editor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RequestMeta {
    /// Absolute, with links resolved. The task touches nothing outside the workspace.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub cwd: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub workspace: String,
    /// The shell session that the request came from, and its language: `zsh`, `bash` or `fish`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub shell: String,
    /// This task uses no remote provider.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// The editor does not trust the workspace: nothing runs there without approval.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub untrusted: bool,
    /// The active file, relative to the workspace, and the line of the cursor, from 1.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub active: String,
    #[serde(skip_serializing_if = "is_zero")]
    pub active_line: u32,
    /// The other open files, relative to the workspace.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub selection: String,
    /// The editor's diagnostics.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub diagnostics: String,
    /// The previous task, if an agent continues it by itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub continues: String,
}

impl RequestMeta {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Where a request came from. `LocalUi` is the user at this machine; no other source can approve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestSource {
    #[default]
    LocalUi,
    Wecom,
    /// A chat for which there is no adapter of our own.
    Webhook,
    /// A team's chat, through its relay.
    Relay,
}

impl RequestSource {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            RequestSource::LocalUi => "local_ui",
            RequestSource::Wecom => "wecom",
            RequestSource::Webhook => "webhook",
            RequestSource::Relay => "relay",
        }
    }

    pub fn of(name: &str) -> Option<Self> {
        [RequestSource::LocalUi, RequestSource::Wecom, RequestSource::Webhook, RequestSource::Relay]
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
        #[serde(default, skip_serializing_if = "WriteConfinement::is_no")]
        confine: WriteConfinement,
    },
    Answer {
        text: String,
    },
    SearchResults {
        items: Vec<SearchResult>,
    },
}

/// Where a command may write. The kernel enforces it where it can.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteConfinement {
    /// Wherever the user may write.
    #[default]
    No,
    /// In the workspace, and in a temporary directory of its own.
    Workspace,
}

impl WriteConfinement {
    pub fn name(self) -> &'static str {
        match self {
            WriteConfinement::No => "no",
            WriteConfinement::Workspace => "workspace",
        }
    }

    pub fn of(name: &str) -> Option<Self> {
        [WriteConfinement::No, WriteConfinement::Workspace].into_iter().find(|confine| confine.name() == name)
    }

    pub fn is_no(&self) -> bool {
        *self == WriteConfinement::No
    }
}

impl Proposal {
    /// The action of carrying it out. Depends on the proposal alone, not on what the request or the model says about it.
    pub fn action(&self) -> Option<ApprovalAction> {
        match self {
            Self::Diff { .. } => Some(ApprovalAction::ApplyDiff),
            Self::Command { .. } => Some(ApprovalAction::RunCommand),
            Self::Plan { .. } | Self::Answer { .. } | Self::SearchResults { .. } => None,
        }
    }

    /// Bytes of all its texts.
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
pub struct SearchResult {
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

/// The result of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskResult {
    pub task_id: String,
    pub intent: Intent,
    pub proposal: Proposal,
    pub requires: ApprovalRequirement,
    /// Short, for a notification.
    pub summary: String,
    /// Long, for a full screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
}
