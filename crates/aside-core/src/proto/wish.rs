//! The messages about wishes: a wish and its answers, an explanation, and what became of what was offered.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Translate {
    #[serde(rename = "session_id")]
    pub session: String,
    pub cwd: String,
    /// The wish, without the prefix that made it one.
    pub query: String,
    /// Whose language the command is to be in when the session is not known: `zsh`, `bash` or `fish`.
    pub shell: String,
    /// The client reads one answer and no more, so it gets the last.
    pub wait: bool,
    /// Whoever wishes has said that this is all: no pause is made.
    pub now: bool,
    /// Nothing remote for this wish.
    #[serde(deserialize_with = "crate::proto::privacy::read")]
    pub private: bool,
    /// Who is asked; empty for whom the settings name.
    pub provider: String,
    /// Commands that are wanted; zero for as many as a shell shows.
    pub limit: u32,
    /// Commands that are shown already, one a line, where others are wanted.
    pub besides: String,
    /// What ran before, oldest first, from a client that knows better than our history.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recent_commands: Vec<String>,
    /// Variables of the client's shell: its PATH, and what is activated in it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env_hints: BTreeMap<String, String>,
    /// Asked by the name that other programs have for it. They read descriptions and know of no warnings.
    #[serde(skip)]
    pub is_foreign: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Explain {
    #[serde(rename = "session_id")]
    pub session: String,
    pub cwd: String,
    pub command: String,
    pub shell: String,
    pub wait: bool,
    #[serde(deserialize_with = "crate::proto::privacy::read")]
    pub private: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Outcome {
    #[serde(rename = "session_id")]
    pub session: String,
    /// `accept`, `edit`, `dismiss` or `run`.
    pub action: String,
    /// The wish, or the text that was to be completed.
    pub query: String,
    /// What was offered.
    pub suggestion: String,
    pub source: String,
    pub confidence: f32,
    pub cwd: String,
    /// The line as it ran.
    pub r#final: String,
}

/// Where an answer stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Whoever wishes may still be writing.
    Waiting,
    /// A model is being asked.
    Thinking,
    /// More will come.
    Partial,
    /// The last.
    Done,
}

/// The commands for a wish, best first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Spoken", into = "Spoken")]
pub struct Suggestion {
    pub state: Stage,
    /// One short line for the person: why there is nothing, or who answered instead.
    pub note: String,
    pub proposals: Vec<Proposal>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Proposal {
    pub text: String,
    /// `embedded` or `llm`.
    pub source: String,
    /// How likely it is what was meant, 0 to 1.
    pub confidence: f32,
    /// One line: what it does.
    pub description: String,
    /// What it may destroy; empty when nothing.
    pub warning: String,
    pub nearness: Nearness,
}

/// Whether it answers all that was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Nearness {
    #[default]
    Answer,
    Closest,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explanation {
    pub state: Stage,
    /// `embedded` or `llm`.
    pub source: String,
    /// Plain text, short enough for the room under a prompt.
    pub lines: Vec<String>,
}

impl Suggestion {
    /// Nothing, and why.
    pub fn none(note: impl Into<String>) -> Self {
        Self { state: Stage::Done, note: note.into(), proposals: Vec::new() }
    }

    /// A sign of life.
    pub fn sign(state: Stage) -> Self {
        Self { state, note: String::new(), proposals: Vec::new() }
    }
}

impl Stage {
    pub fn name(self) -> &'static str {
        match self {
            Stage::Waiting => "waiting",
            Stage::Thinking => "thinking",
            Stage::Partial => "partial",
            Stage::Done => "done",
        }
    }
}

impl Nearness {
    pub fn name(self) -> &'static str {
        match self {
            Nearness::Answer => "answer",
            Nearness::Closest => "closest",
        }
    }
}

/// In JSON the best is the answer and the others stand beside it, as the systems we replace have it.
#[derive(Serialize, Deserialize)]
struct Spoken {
    #[serde(flatten)]
    best: Proposal,
    state: Stage,
    #[serde(default)]
    note: String,
    #[serde(default)]
    alternatives: Vec<Proposal>,
}

impl From<Suggestion> for Spoken {
    fn from(Suggestion { state, note, proposals }: Suggestion) -> Self {
        let mut proposals = proposals.into_iter();
        Self { best: proposals.next().unwrap_or_default(), state, note, alternatives: proposals.collect() }
    }
}

impl From<Spoken> for Suggestion {
    fn from(Spoken { best, state, note, alternatives }: Spoken) -> Self {
        let best = Some(best).filter(|best| !best.text.is_empty());
        Self { state, note, proposals: best.into_iter().chain(alternatives).collect() }
    }
}
