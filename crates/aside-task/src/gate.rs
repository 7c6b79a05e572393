//! The gate between a proposal and the machine: `judge` decides whether a command may run, needs approval or is denied, `render` renders what
//! the user sees, and `approve` makes the one value that permits an action. Runs nothing, and trusts no description of a command: it parses
//! the line as a shell would.

pub mod approve;
pub mod offer;
pub mod render;
pub mod rules;

mod excerpt;
mod read_only;
mod unambiguous;

#[cfg(test)]
mod adversarial;
#[cfg(test)]
mod tests;

use std::fmt;

use aside_commands::safety::{self, nested_commands::NestedCommands};
use shell_line::Dialect;

use crate::gate::rules::{RuleLayer, Rules};
use crate::proposal::RequestSource;

/// Ordered by strictness: the strictest wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    Allow,
    Ask,
    Deny,
}

impl Decision {
    pub fn name(self) -> &'static str {
        match self {
            Decision::Allow => "allow",
            Decision::Ask => "ask",
            Decision::Deny => "deny",
        }
    }
}

/// Who requests a command, and where it would run.
#[derive(Clone, Copy, Debug)]
pub struct GateContext<'a> {
    pub source: RequestSource,
    /// The editor does not trust the workspace.
    pub untrusted: bool,
    /// The shell that would run it, started without aliases and without history.
    pub dialect: Dialect,
    /// Both absolute, with links resolved.
    pub cwd: &'a str,
    pub workspace: &'a str,
}

/// The decision about a command line, and the rule that made it. Only `judge` makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateVerdict {
    decision: Decision,
    rule: Option<RuleOrigin>,
    part: String,
    why: String,
}

/// The rule that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleOrigin {
    pub layer: RuleLayer,
    /// Line of the rule in its file, from 1.
    pub line: usize,
}

impl GateVerdict {
    pub fn decision(&self) -> Decision {
        self.decision
    }

    pub fn rule(&self) -> Option<RuleOrigin> {
        self.rule
    }

    /// One line: the decision, the part of the command line it is about, and the reason.
    pub fn explain(&self) -> String {
        self.to_string()
    }

    fn ask(part: &str, why: impl Into<String>) -> Self {
        GateVerdict { decision: Decision::Ask, rule: None, part: part.to_owned(), why: why.into() }
    }
}

impl fmt::Display for GateVerdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.decision.name())?;
        if !self.part.is_empty() {
            write!(out, " `{}`", excerpt::short(&self.part))?;
        }
        write!(out, ": {}", excerpt::short(&self.why))?;
        match self.rule {
            Some(rule) => write!(out, " ({rule})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for RuleOrigin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.layer {
            RuleLayer::BuiltIn => out.write_str("built in"),
            RuleLayer::Person => write!(out, "your rules, line {}", self.line),
            RuleLayer::Repository => write!(out, "the repository's rules, line {}", self.line),
        }
    }
}

/// Whether the line may run there. Judges every command in it, however deeply wrapped; the strictest decision wins. Ambiguous lines and
/// commands that no rule knows need approval: silence is not consent.
pub fn judge(text: &str, place: &GateContext<'_>, rules: &Rules) -> GateVerdict {
    let runs = NestedCommands::at(text, place.dialect, place.cwd);
    let dangers = safety::dangers_at(text, place.dialect, place.cwd);
    if let Some(verdict) = rules.forbidding(text, place.dialect, &runs, &dangers) {
        return verdict;
    }
    if !dangers.is_empty() {
        return GateVerdict::ask(text, safety::summary(&dangers));
    }
    match confirmed(text, place, rules) {
        Ok(rule) => rule,
        Err(doubt) => doubt,
    }
}

/// Whether the user's rules allow every command of the line without approval.
fn confirmed(text: &str, place: &GateContext<'_>, rules: &Rules) -> Result<GateVerdict, GateVerdict> {
    match place.source {
        RequestSource::LocalUi => {}
        RequestSource::Wecom | RequestSource::Webhook | RequestSource::Relay => {
            return Err(GateVerdict::ask("", "it was asked for from afar"));
        }
    }
    if place.untrusted {
        return Err(GateVerdict::ask("", "the editor does not trust this workspace"));
    }
    if rules.is_broken() {
        return Err(GateVerdict::ask("", "a rules file has errors, so nothing goes unasked"));
    }
    if !unambiguous::is_within(place.cwd, place.workspace) {
        return Err(GateVerdict::ask(place.cwd, "this directory is outside of the workspace"));
    }
    let mut first = None;
    for command in unambiguous::commands(text, place.dialect)? {
        let entry = read_only::find(&command).map_err(|why| GateVerdict::ask(&command.text, why))?;
        entry.check(&command, place).map_err(|why| GateVerdict::ask(&command.text, why))?;
        let rule = rules.allowing(entry, &command);
        let rule = rule.ok_or_else(|| GateVerdict::ask(&command.text, "it only reads, but you have not allowed it"))?;
        first.get_or_insert(rule);
    }
    let rule = first.ok_or_else(|| GateVerdict::ask(text, "there is no command in it"))?;
    let why = "it only reads, and you have chosen not to be asked".to_owned();
    Ok(GateVerdict { decision: Decision::Allow, rule: Some(rule), part: text.to_owned(), why })
}
