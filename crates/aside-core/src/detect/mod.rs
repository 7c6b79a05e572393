//! Classifier: whether a line is meant for the shell or is prose for the agent, before it runs and after it has failed.
//! Knows neither how prose is answered nor which client asks.
//!
//! Precision matters more than recall: missed prose costs an error message, a command taken away from the shell costs
//! the user's trust. So every rule that says `Agent` needs words that do not occur in commands, and one sign of a
//! command outweighs them.

mod after;
mod before;
mod evidence;
mod found;
mod here;
pub mod lists;
mod meaning;
mod missing;
mod phrase;
mod reading;
pub mod tongue;

#[cfg(test)]
mod tests;

pub use after::after;
pub use before::{before, forced};

use crate::line::Dialect;
use crate::names::Names;
use crate::spec::Specs;
use crate::world::World;

/// What is known about the place where the line was typed.
#[derive(Clone, Copy)]
pub struct Facts<'a> {
    pub cwd: &'a str,
    pub dialect: Dialect,
    /// What the shell reports about the first word.
    pub first: First,
    pub world: &'a dyn World,
    pub names: &'a Names,
    pub specs: &'a Specs,
    /// Prefix that, followed by a blank, marks any line as prose; empty for none.
    pub agent_prefix: &'a str,
}

/// What a shell finds when it looks up the first word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum First {
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
pub enum Before {
    Shell,
    Agent,
    /// It may be prose. It runs, and its result decides.
    Unsure,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    Agent,
    Nothing,
}

/// A verdict, with the reason for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling<V> {
    pub verdict: V,
    pub reason: String,
}

impl Ruling<Before> {
    fn shell(reason: impl Into<String>) -> Self {
        Self { verdict: Before::Shell, reason: reason.into() }
    }

    fn agent(reason: impl Into<String>) -> Self {
        Self { verdict: Before::Agent, reason: reason.into() }
    }

    fn unsure(reason: impl Into<String>) -> Self {
        Self { verdict: Before::Unsure, reason: reason.into() }
    }
}

impl Ruling<After> {
    fn reroute(reason: impl Into<String>) -> Self {
        Self { verdict: After::Agent, reason: reason.into() }
    }

    fn nothing(reason: impl Into<String>) -> Self {
        Self { verdict: After::Nothing, reason: reason.into() }
    }
}

/// How a line ended.
pub struct End<'a> {
    pub exit: i32,
    /// The shell could not parse it at all.
    pub unreadable: bool,
    /// Its output; `None` when it was not captured.
    pub output: Option<&'a str>,
}

impl First {
    pub fn of(name: &str) -> Self {
        match name {
            "alias" => First::Alias,
            "function" => First::Function,
            "builtin" => First::Builtin,
            "reserved" => First::Reserved,
            "program" => First::Program,
            "directory" => First::Directory,
            "none" => First::Nothing,
            _ => First::Unasked,
        }
    }
}

impl Before {
    pub fn name(self) -> &'static str {
        match self {
            Before::Shell => "shell",
            Before::Agent => "agent",
            Before::Unsure => "unsure",
        }
    }
}

impl After {
    pub fn name(self) -> &'static str {
        match self {
            After::Agent => "agent",
            After::Nothing => "nothing",
        }
    }
}
