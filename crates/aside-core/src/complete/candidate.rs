//! A candidate: the line as it would become, where it comes from and what is known about it. Carries facts, no scores.

/// Where a candidate comes from, named in every answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    History,
}

impl Source {
    pub fn name(self) -> &'static str {
        match self {
            Source::History => "history",
        }
    }
}

/// What the ranking may look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    pub place: Place,
    pub outcome: Outcome,
    /// How often it ran.
    pub runs: u32,
    /// When it last ran: larger is later.
    pub order: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Elsewhere,
    Here,
}

/// How it ended the last time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Unknown,
    Failed,
    Succeeded,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The whole line, replacing what was typed.
    pub text: String,
    pub source: Source,
    pub facts: Facts,
}
