//! A candidate: the completed line, its source and the facts about it. Carries facts, no scores.

/// The source of a candidate, named in every reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateSource {
    History,
    Spec,
    Filesystem,
    Environment,
    Correction,
    Llm,
}

impl CandidateSource {
    pub fn name(self) -> &'static str {
        match self {
            CandidateSource::History => "history",
            CandidateSource::Spec => "spec",
            CandidateSource::Filesystem => "filesystem",
            CandidateSource::Environment => "environment",
            CandidateSource::Correction => "correction",
            CandidateSource::Llm => "llm",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The whole line, which replaces what was typed.
    pub text: String,
    /// Cursor position as a byte offset into `text`; the end when absent.
    pub cursor: Option<usize>,
    pub source: CandidateSource,
    pub facts: CandidateFacts,
    /// One line for the user: what a flag does, which branch this is.
    pub about: String,
}

/// The facts that the ranking uses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CandidateFacts {
    pub kind: CandidateKind,
    pub fit: MatchKind,
    /// How many candidates of its source fit the line as well as this one, including itself.
    pub rivals: u16,
    /// Its position in the order of its source, from 0: the usual subcommands first, the newest branch first.
    pub place: u16,
    /// For a flag: one of the most used with its command.
    pub usual: bool,
    /// Characters already typed: of the line for a line, otherwise of the word at the cursor.
    pub typed: u16,
    /// Characters that it adds.
    pub adds: u16,
    /// What history knows of the whole line, if it ran before.
    pub past: Option<PastRuns>,
    /// How often a word like this comes here, according to history: 0 to 1.
    pub habit: Option<f32>,
}

/// What it adds to the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateKind {
    /// The rest of the line.
    Line,
    /// Words that often come here.
    Words,
    /// The name of a command.
    Command,
    Subcommand,
    Flag,
    /// A value from a fixed list.
    Value,
    /// A name that changes over time: a branch, a target, a host.
    Name,
    Path,
    Variable,
    /// A model's suggestion.
    Idea,
}

/// How it relates to what is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchKind {
    /// Keeps what is typed and inserts text at the cursor.
    Extends,
    /// Contains the typed letters in order, with others between.
    Contains,
    /// Changes typed text by this many letters.
    Mends { edits: u8 },
}

/// A line that ran before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PastRuns {
    pub place: Proximity,
    /// It ran in this shell session.
    pub session: bool,
    pub outcome: LastOutcome,
    /// How often it ran.
    pub runs: u32,
    /// How many commands ran since its last run.
    pub age: u32,
    /// How often it followed the last command,
    pub after_last: u16,
    /// the last two commands,
    pub after_both: u16,
    /// or a command that begins like the last one.
    pub after_alike: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Proximity {
    Elsewhere,
    /// In another directory of this repository.
    Repository,
    Here,
}

/// The result of its last run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastOutcome {
    Unknown,
    Failed,
    Succeeded,
}
