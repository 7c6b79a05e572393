//! Messages about translation: a query and its replies, an explanation, and what the user did with an offer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TranslateParams {
    #[serde(rename = "session_id")]
    pub session: String,
    pub cwd: String,
    /// The query, without its prefix.
    pub query: String,
    /// The language of the command when the session is not known: `zsh`, `bash` or `fish`.
    pub shell: String,
    /// The client reads a single reply, so it gets the last.
    pub wait: bool,
    /// The user has finished typing: skips the debounce.
    pub now: bool,
    /// Uses no remote provider for this query.
    #[serde(deserialize_with = "crate::privacy::read")]
    pub private: bool,
    /// The provider to ask; empty for the configured one.
    pub provider: String,
    /// Number of commands wanted; zero for as many as a shell shows.
    pub limit: u32,
    /// Commands that are already shown, one a line, when others are wanted.
    pub besides: String,
    /// Earlier commands, oldest first, from a client that knows better than our history.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recent_commands: Vec<String>,
    /// Variables of the client's shell: its PATH, and what is activated in it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env_hints: BTreeMap<String, String>,
    /// Sent under the name that other programs use for it. They read descriptions and no warnings.
    #[serde(skip)]
    pub is_foreign: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExplainParams {
    #[serde(rename = "session_id")]
    pub session: String,
    pub cwd: String,
    pub command: String,
    pub shell: String,
    pub wait: bool,
    #[serde(deserialize_with = "crate::privacy::read")]
    pub private: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OutcomeParams {
    #[serde(rename = "session_id")]
    pub session: String,
    /// `accept`, `edit`, `dismiss` or `run`.
    pub action: String,
    /// The query, or the text to complete.
    pub query: String,
    /// What was offered.
    pub suggestion: String,
    pub source: String,
    pub confidence: f32,
    pub cwd: String,
    /// The line as it ran.
    pub r#final: String,
}

/// The stage of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyStage {
    /// The user may still be typing.
    Waiting,
    /// A model is being asked.
    Thinking,
    /// More will come.
    Partial,
    /// The last.
    Done,
}

/// The commands for a query, best first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Spoken", into = "Spoken")]
pub struct TranslateResult {
    pub state: ReplyStage,
    /// One short line for the user: why there is nothing, or which provider answered instead.
    pub note: String,
    pub proposals: Vec<WireProposal>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WireProposal {
    pub text: String,
    /// `embedded`, `reader` or `llm`.
    pub source: String,
    /// Probability that it is what the user meant, 0 to 1.
    pub confidence: f32,
    /// One line: what it does.
    pub description: String,
    /// What it may destroy; empty when nothing.
    pub warning: String,
    pub nearness: WireNearness,
}

/// Whether it covers the whole query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WireNearness {
    #[default]
    Answer,
    Closest,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExplainResult {
    pub state: ReplyStage,
    /// `embedded` or `llm`.
    pub source: String,
    /// Plain text, short enough for the room under a prompt.
    pub lines: Vec<String>,
}

impl TranslateResult {
    /// No commands, and why.
    pub fn none(note: impl Into<String>) -> Self {
        Self { state: ReplyStage::Done, note: note.into(), proposals: Vec::new() }
    }

    /// An empty reply that shows progress.
    pub fn sign(state: ReplyStage) -> Self {
        Self { state, note: String::new(), proposals: Vec::new() }
    }
}

impl ReplyStage {
    pub fn name(self) -> &'static str {
        match self {
            ReplyStage::Waiting => "waiting",
            ReplyStage::Thinking => "thinking",
            ReplyStage::Partial => "partial",
            ReplyStage::Done => "done",
        }
    }
}

impl WireNearness {
    pub fn name(self) -> &'static str {
        match self {
            WireNearness::Answer => "answer",
            WireNearness::Closest => "closest",
        }
    }
}

/// In JSON the best is the reply and the others stand beside it, as in the systems we replace.
#[derive(Serialize, Deserialize)]
struct Spoken {
    #[serde(flatten)]
    best: WireProposal,
    state: ReplyStage,
    #[serde(default)]
    note: String,
    #[serde(default)]
    alternatives: Vec<WireProposal>,
}

impl From<TranslateResult> for Spoken {
    fn from(TranslateResult { state, note, proposals }: TranslateResult) -> Self {
        let mut proposals = proposals.into_iter();
        Self { best: proposals.next().unwrap_or_default(), state, note, alternatives: proposals.collect() }
    }
}

impl From<Spoken> for TranslateResult {
    fn from(Spoken { best, state, note, alternatives }: Spoken) -> Self {
        let best = Some(best).filter(|best| !best.text.is_empty());
        Self { state, note, proposals: best.into_iter().chain(alternatives).collect() }
    }
}
