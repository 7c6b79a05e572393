//! Translates a query in plain words into a command to review. Asks no model and runs nothing: `embedded` answers
//! without a model, `prompt` builds a model's prompt, `check` decides what may be shown, `arbiter` ranks engine and model
//! answers together.

pub mod arbiter;
pub mod check;
pub mod embedded;
pub mod explain;
pub mod facts;
mod find_expression;
pub mod offer;
pub mod placeholders;
pub mod prompt;
pub mod read_only;
pub mod reader;
pub mod selection;
pub mod tools;

use aside_commands::shell_names::ShellNames;
use aside_commands::spec::Specs;
use aside_commands::world::World;
use shell_line::Dialect;

/// A query, and the place it is for.
pub struct TranslateQuery<'a> {
    /// Without the prefix that marked it as a query.
    pub words: &'a str,
    pub place: TranslateContext<'a>,
    /// Maximum number of answers, the best first.
    pub limit: usize,
}

/// The place a command would run at.
#[derive(Clone, Copy)]
pub struct TranslateContext<'a> {
    pub cwd: &'a str,
    pub dialect: Dialect,
    pub system: ToolFlavor,
    pub world: &'a dyn World,
    /// Aliases and functions that the shell reported; empty when no shell asks.
    pub names: &'a ShellNames,
    pub specs: &'a Specs,
}

/// Which tools are installed: the same query needs other flags elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolFlavor {
    #[default]
    Gnu,
    Bsd,
    Busybox,
}

/// A command that has not run: the user reviews it first.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    pub command: String,
    pub source: ProposalSource,
    /// Probability that it is what was meant, 0 to 1.
    pub confidence: f32,
    /// One line: what it does. Empty when unknown.
    pub about: String,
    pub nearness: Completeness,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProposalSource {
    Embedded,
    /// The language model that travels with us.
    Reader,
    Llm,
}

impl ProposalSource {
    pub fn name(self) -> &'static str {
        match self {
            ProposalSource::Embedded => "embedded",
            ProposalSource::Reader => "reader",
            ProposalSource::Llm => "llm",
        }
    }
}

/// Whether a proposal covers the whole query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    Answer,
    /// Does not cover some of the words: the closest command that is known, and shown as such.
    Closest,
}
