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
}

/// From where. What is local was typed by the person at this machine; nothing else can approve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    #[default]
    LocalUi,
    Wecom,
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
    },
    Answer {
        text: String,
    },
    SearchResults {
        items: Vec<Found>,
    },
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
            Self::Command { cmd, cwd, reason } => cmd.len() + optional(cwd) + optional(reason),
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
