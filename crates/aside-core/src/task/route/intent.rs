//! The intent of a request as it goes over the wire, and what approval it requires. Does not read words.

use serde::{Deserialize, Serialize};

/// docs/task-routes.md has the names on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
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
    pub kind: Kind,
    /// From 0 to 1.
    pub confidence: f32,
    /// One short line.
    pub summary: String,
    #[serde(default, skip_serializing_if = "Params::is_empty")]
    pub params: Params,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Params {
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
    pub written: Option<Box<Written>>,
}

/// An order to run something that is not a command as it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Written {
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
pub enum Requirement {
    None,
    LocalApproval { action: Action },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    ApplyDiff,
    RunCommand,
}

impl Kind {
    pub const ALL: [Kind; 8] =
        [Kind::Help, Kind::Status, Kind::Explain, Kind::Change, Kind::Run, Kind::Diagnose, Kind::Search, Kind::Review];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Help => "help",
            Kind::Status => "status",
            Kind::Explain => "explain",
            Kind::Change => "change",
            Kind::Run => "run",
            Kind::Diagnose => "diagnose",
            Kind::Search => "search",
            Kind::Review => "review",
        }
    }

    /// As a summary begins.
    pub fn label(self) -> &'static str {
        match self {
            Kind::Help => "Help",
            Kind::Status => "Status",
            Kind::Explain => "Explain",
            Kind::Change => "Change",
            Kind::Run => "Run",
            Kind::Diagnose => "Diagnose",
            Kind::Search => "Search",
            Kind::Review => "Review",
        }
    }

    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether the request itself asks for an action.
    pub fn acts(self) -> bool {
        match self {
            Kind::Change | Kind::Run => true,
            Kind::Help | Kind::Status | Kind::Explain | Kind::Diagnose | Kind::Search | Kind::Review => false,
        }
    }

    /// What a proposal of this kind may lead to. Depends on the kind alone, not on what the request or the model says.
    pub fn requires(self) -> Requirement {
        match self {
            Kind::Change | Kind::Diagnose => Requirement::LocalApproval { action: Action::ApplyDiff },
            Kind::Run => Requirement::LocalApproval { action: Action::RunCommand },
            Kind::Help | Kind::Status | Kind::Explain | Kind::Search | Kind::Review => Requirement::None,
        }
    }
}

impl Params {
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
            kind: Kind::Change,
            confidence: 0.75,
            summary: "Change: rename it".to_owned(),
            params: Params {
                files: vec!["src/a.rs".to_owned()],
                change_request: Some("rename it".to_owned()),
                ..Params::default()
            },
        };
        let json = serde_json::to_string(&intent).unwrap();
        assert_eq!(
            json,
            r#"{"kind":"change","confidence":0.75,"summary":"Change: rename it","params":{"files":["src/a.rs"],"changeRequest":"rename it"}}"#
        );
        assert_eq!(serde_json::from_str::<Intent>(&json).unwrap(), intent);
        let bare = Intent { kind: Kind::Help, confidence: 1.0, summary: "Help".to_owned(), params: Params::default() };
        assert_eq!(serde_json::to_string(&bare).unwrap(), r#"{"kind":"help","confidence":1.0,"summary":"Help"}"#);
        let required = Kind::Run.requires();
        assert_eq!(serde_json::to_string(&required).unwrap(), r#"{"mode":"local_approval","action":"run_command"}"#);
        assert_eq!(serde_json::to_string(&Kind::Help.requires()).unwrap(), r#"{"mode":"none"}"#);
        for kind in Kind::ALL {
            assert_eq!(Kind::of(kind.name()), Some(kind));
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("{:?}", kind.name()));
        }
    }
}
