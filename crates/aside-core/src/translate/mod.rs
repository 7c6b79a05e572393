//! A wish in plain words becomes a command to review. Asks no model itself and runs nothing: `embedded` answers from what
//! is known here, `prompt` says what a model is asked, `check` lets through what may be shown, `judge` says which
//! of two answers stands first.

pub mod check;
pub mod embedded;
pub mod explain;
pub mod facts;
pub mod holes;
pub mod judge;
pub mod offer;
pub mod prompt;
pub mod reads;
pub mod tools;

use crate::line::Dialect;
use crate::names::Names;
use crate::spec::Specs;
use crate::world::World;

/// What somebody wishes, and where.
pub struct Wish<'a> {
    /// Without the prefix that made it a wish.
    pub words: &'a str,
    pub place: Place<'a>,
    /// How many answers are wanted, the best first.
    pub limit: usize,
}

/// Where a command would run.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub cwd: &'a str,
    pub dialect: Dialect,
    pub system: System,
    pub world: &'a dyn World,
    /// What the shell said about itself; nothing when no shell asks.
    pub names: &'a Names,
    pub specs: &'a Specs,
}

/// Whose tools are installed: the same wish has other flags elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum System {
    #[default]
    Gnu,
    Bsd,
    Busybox,
}

/// A command that nobody has run: it waits for a person to read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    pub command: String,
    pub source: Source,
    /// How likely it is what was meant, 0 to 1.
    pub confidence: f32,
    /// One line: what it does. Empty when nobody can say.
    pub about: String,
    pub nearness: Nearness,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Embedded,
    Llm,
}

impl Source {
    pub fn name(self) -> &'static str {
        match self {
            Source::Embedded => "embedded",
            Source::Llm => "llm",
        }
    }
}

/// Whether it answers all that was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nearness {
    Answer,
    /// Some of the words are not in it: the closest that is known, and shown as such.
    Closest,
}
