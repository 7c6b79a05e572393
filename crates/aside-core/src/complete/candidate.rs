//! A candidate: the line as it would become, where it comes from and what is known about it. Carries facts, no scores.

/// Where a candidate comes from, named in every answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    History,
    Spec,
    Filesystem,
    Environment,
    Correction,
    Llm,
}

impl Source {
    pub fn name(self) -> &'static str {
        match self {
            Source::History => "history",
            Source::Spec => "spec",
            Source::Filesystem => "filesystem",
            Source::Environment => "environment",
            Source::Correction => "correction",
            Source::Llm => "llm",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The whole line, replacing what was typed.
    pub text: String,
    /// Where the cursor goes, in bytes of `text`; the end when absent.
    pub cursor: Option<usize>,
    pub source: Source,
    pub facts: Facts,
    /// One line about it for a person: what a flag does, which branch this is.
    pub about: String,
}

/// What the ranking may look at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    pub kind: Kind,
    pub fit: Fit,
    /// How many candidates of its source fit the line as well as this one, itself included.
    pub rivals: u16,
    /// Its place in the order of its source, from 0: the usual subcommands first, the newest branch first.
    pub place: u16,
    /// Of a flag: one of those that are used most with its command.
    pub usual: bool,
    /// Characters typed already: of the line for a line, otherwise of the word at the cursor.
    pub typed: u16,
    /// Characters that it adds.
    pub adds: u16,
    /// What is known of the whole line from history, when it ran before.
    pub past: Option<Past>,
    /// How often, by what history knows, a word like this comes here: 0 to 1.
    pub habit: Option<f32>,
}

/// What it adds to the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// All of the rest.
    Line,
    /// Words that often come here.
    Words,
    /// The name of a command.
    Command,
    Subcommand,
    Flag,
    /// A value out of a fixed list.
    Value,
    /// A name that changes: a branch, a target, a host.
    Name,
    Path,
    Variable,
    /// What a model thinks.
    Idea,
}

/// How it relates to what is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// What is typed stays, and more comes at the cursor.
    Extends,
    /// The letters typed are all in it, in this order, with others between.
    Contains,
    /// Something typed is changed: so many letters are different.
    Mends { edits: u8 },
}

/// A line that ran before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past {
    pub place: Place,
    /// It ran in this shell.
    pub session: bool,
    pub outcome: Outcome,
    /// How often it ran.
    pub runs: u32,
    /// How many commands ran since it last did.
    pub age: u32,
    /// How often it came right after the command that ran last,
    pub after_last: u16,
    /// right after the last two,
    pub after_both: u16,
    /// right after a command that begins as the last one does.
    pub after_alike: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Elsewhere,
    /// In another directory of this repository.
    Repository,
    Here,
}

/// How it ended the last time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Unknown,
    Failed,
    Succeeded,
}
