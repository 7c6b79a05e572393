//! Classifier: whether a line is meant for the shell or is prose for the agent, before it runs and after it has failed.
//! Knows neither how prose is answered nor which client asks.
//!
//! Precision matters more than recall: missed prose costs an error message, a command taken away from the shell costs
//! the user's trust. So every rule that says `Agent` needs words that do not occur in commands, and one sign of a
//! command outweighs them.

mod after_failure;
mod arguments;
mod before_run;
mod english;
mod evidence;
mod known_command;
pub mod languages;
mod local_names;
mod phrase;
mod unknown_command;
pub mod word_lists;

#[cfg(test)]
mod tests;

pub use after_failure::after_failure;
pub use before_run::{before_run, has_agent_prefix};

use aside_commands::shell_names::ShellNames;
use aside_commands::spec::Specs;
use aside_commands::world::World;
use shell_line::Dialect;

/// What is known about the place where the line was typed.
#[derive(Clone, Copy)]
pub struct DetectContext<'a> {
    pub cwd: &'a str,
    pub dialect: Dialect,
    /// What the shell reports about the first word.
    pub first: FirstWord,
    pub world: &'a dyn World,
    pub names: &'a ShellNames,
    pub specs: &'a Specs,
    /// Prefix that, followed by a blank, marks any line as prose; empty for none.
    pub agent_prefix: &'a str,
}

/// What a shell finds when it looks up the first word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstWord {
    Alias,
    Function,
    Builtin,
    Reserved,
    Program,
    /// Typed alone, the shell changes to it.
    Directory,
    /// Nothing: the line would fail.
    Nothing,
    /// The shell was not asked.
    #[default]
    Unasked,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreRunVerdict {
    Shell,
    Agent,
    /// It may be prose. It runs, and its result decides.
    Unsure,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureVerdict {
    Agent,
    Nothing,
}

/// A verdict, with the reason for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classification<V> {
    pub verdict: V,
    pub reason: String,
}

impl Classification<PreRunVerdict> {
    fn shell(reason: impl Into<String>) -> Self {
        Self { verdict: PreRunVerdict::Shell, reason: reason.into() }
    }

    fn agent(reason: impl Into<String>) -> Self {
        Self { verdict: PreRunVerdict::Agent, reason: reason.into() }
    }

    fn unsure(reason: impl Into<String>) -> Self {
        Self { verdict: PreRunVerdict::Unsure, reason: reason.into() }
    }
}

impl Classification<FailureVerdict> {
    fn reroute(reason: impl Into<String>) -> Self {
        Self { verdict: FailureVerdict::Agent, reason: reason.into() }
    }

    fn nothing(reason: impl Into<String>) -> Self {
        Self { verdict: FailureVerdict::Nothing, reason: reason.into() }
    }
}

/// How a line ended.
pub struct RunEnd<'a> {
    pub exit: i32,
    /// The shell could not parse it at all.
    pub unreadable: bool,
    /// Its output; `None` when it was not captured.
    pub output: Option<&'a str>,
}

impl FirstWord {
    pub fn of(name: &str) -> Self {
        match name {
            "alias" => FirstWord::Alias,
            "function" => FirstWord::Function,
            "builtin" => FirstWord::Builtin,
            "reserved" => FirstWord::Reserved,
            "program" => FirstWord::Program,
            "directory" => FirstWord::Directory,
            "none" => FirstWord::Nothing,
            _ => FirstWord::Unasked,
        }
    }
}

impl PreRunVerdict {
    pub fn name(self) -> &'static str {
        match self {
            PreRunVerdict::Shell => "shell",
            PreRunVerdict::Agent => "agent",
            PreRunVerdict::Unsure => "unsure",
        }
    }
}

impl FailureVerdict {
    pub fn name(self) -> &'static str {
        match self {
            FailureVerdict::Agent => "agent",
            FailureVerdict::Nothing => "nothing",
        }
    }
}
