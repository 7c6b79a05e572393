//! The intent of a request as it goes over the wire, and what approval it requires. Does not read words.

use serde::{Deserialize, Serialize};

/// docs/task-routes.md has the names on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskKind {
    Help,
    Status,
    Explain,
    Change,
    Run,
    Diagnose,
    Search,
    Review,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Intent {
    pub kind: TaskKind,
    /// From 0 to 1.
    pub confidence: f32,
    /// One short line.
    pub summary: String,
    #[serde(default, skip_serializing_if = "IntentParams::is_empty")]
    pub params: IntentParams,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct IntentParams {
    /// Files that the request names, as written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// A command that the request spells out. "Run the tests" has none: the project decides which command that is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cmd: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change_request: Option<String>,
    /// What to search for; for a run without a command, the words that say what to run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// For a run without a command, the text after the verb.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<Box<UnparsedCommand>>,
}

/// An order to run something that is not a command as it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UnparsedCommand {
    /// All text after the verb, unchanged: a command line, if its first word is a program on this machine.
    Rest(String),
    /// A request in which the command cannot be told from the words around it.
    Unclear(String),
    /// The only thing that could be run was piped in.
    Piped,
}

/// What has to happen before a proposal is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "mode", rename_all = "snake_case")]
pub enum ApprovalRequirement {
    None,
    LocalApproval { action: ApprovalAction },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalAction {
    ApplyDiff,
    RunCommand,
}

impl TaskKind {
    pub const ALL: [TaskKind; 8] = [
        TaskKind::Help,
        TaskKind::Status,
        TaskKind::Explain,
        TaskKind::Change,
        TaskKind::Run,
        TaskKind::Diagnose,
        TaskKind::Search,
        TaskKind::Review,
    ];

    pub fn name(self) -> &'static str {
        match self {
            TaskKind::Help => "help",
            TaskKind::Status => "status",
            TaskKind::Explain => "explain",
            TaskKind::Change => "change",
            TaskKind::Run => "run",
            TaskKind::Diagnose => "diagnose",
            TaskKind::Search => "search",
            TaskKind::Review => "review",
        }
    }

    /// As a summary begins.
    pub fn label(self) -> &'static str {
        match self {
            TaskKind::Help => "Help",
            TaskKind::Status => "Status",
            TaskKind::Explain => "Explain",
            TaskKind::Change => "Change",
            TaskKind::Run => "Run",
            TaskKind::Diagnose => "Diagnose",
            TaskKind::Search => "Search",
            TaskKind::Review => "Review",
        }
    }

    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether the request itself asks for an action.
    pub fn acts(self) -> bool {
        match self {
            TaskKind::Change | TaskKind::Run => true,
            TaskKind::Help
            | TaskKind::Status
            | TaskKind::Explain
            | TaskKind::Diagnose
            | TaskKind::Search
            | TaskKind::Review => false,
        }
    }

    /// What a proposal of this kind may lead to. Depends on the kind alone, not on what the request or the model says.
    pub fn requires(self) -> ApprovalRequirement {
        match self {
            TaskKind::Change | TaskKind::Diagnose => {
                ApprovalRequirement::LocalApproval { action: ApprovalAction::ApplyDiff }
            }
            TaskKind::Run => ApprovalRequirement::LocalApproval { action: ApprovalAction::RunCommand },
            TaskKind::Help | TaskKind::Status | TaskKind::Explain | TaskKind::Search | TaskKind::Review => {
                ApprovalRequirement::None
            }
        }
    }
}

impl IntentParams {
    pub fn is_empty(&self) -> bool {
        let Self { files, cmd, question, change_request, query, written } = self;
        files.is_empty()
            && written.is_none()
            && [cmd, question, change_request, query].iter().all(|param| param.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wire_has_the_names_of_the_document() {
        let intent = Intent {
            kind: TaskKind::Change,
            confidence: 0.75,
            summary: "Change: rename it".to_owned(),
            params: IntentParams {
                files: vec!["src/a.rs".to_owned()],
                change_request: Some("rename it".to_owned()),
                ..IntentParams::default()
            },
        };
        let json = serde_json::to_string(&intent).unwrap();
        assert_eq!(
            json,
            r#"{"kind":"change","confidence":0.75,"summary":"Change: rename it","params":{"files":["src/a.rs"],"changeRequest":"rename it"}}"#
        );
        assert_eq!(serde_json::from_str::<Intent>(&json).unwrap(), intent);
        let bare = Intent {
            kind: TaskKind::Help,
            confidence: 1.0,
            summary: "Help".to_owned(),
            params: IntentParams::default(),
        };
        assert_eq!(serde_json::to_string(&bare).unwrap(), r#"{"kind":"help","confidence":1.0,"summary":"Help"}"#);
        let required = TaskKind::Run.requires();
        assert_eq!(serde_json::to_string(&required).unwrap(), r#"{"mode":"local_approval","action":"run_command"}"#);
        assert_eq!(serde_json::to_string(&TaskKind::Help.requires()).unwrap(), r#"{"mode":"none"}"#);
        for kind in TaskKind::ALL {
            assert_eq!(TaskKind::of(kind.name()), Some(kind));
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("{:?}", kind.name()));
        }
    }
}
