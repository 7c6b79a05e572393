//! The gate between a proposal and the machine: `judge` decides whether a command may run, needs approval or is denied, `show` renders what
//! the user sees, and `approve` makes the one value that permits an action. Runs nothing, and trusts no description of a command: it parses
//! the line as a shell would.

pub mod approve;
pub mod offer;
pub mod rules;
pub mod show;

mod catalogue;
mod certain;

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::line::Dialect;
use crate::safety::{self, runs::Runs};
use crate::task::gate::rules::{Layer, Rules};
use crate::task::proposal::Source;

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
pub struct Place<'a> {
    pub source: Source,
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
pub struct Verdict {
    decision: Decision,
    rule: Option<Origin>,
    part: String,
    why: String,
}

/// The rule that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    pub layer: Layer,
    /// Line of the rule in its file, from 1.
    pub line: usize,
}

impl Verdict {
    pub fn decision(&self) -> Decision {
        self.decision
    }

    pub fn rule(&self) -> Option<Origin> {
        self.rule
    }

    /// One line: the decision, the part of the command line it is about, and the reason.
    pub fn explain(&self) -> String {
        self.to_string()
    }

    fn ask(part: &str, why: impl Into<String>) -> Self {
        Verdict { decision: Decision::Ask, rule: None, part: part.to_owned(), why: why.into() }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.decision.name())?;
        if !self.part.is_empty() {
            write!(out, " `{}`", show::short(&self.part))?;
        }
        write!(out, ": {}", show::short(&self.why))?;
        match self.rule {
            Some(rule) => write!(out, " ({rule})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.layer {
            Layer::BuiltIn => out.write_str("built in"),
            Layer::Person => write!(out, "your rules, line {}", self.line),
            Layer::Repository => write!(out, "the repository's rules, line {}", self.line),
        }
    }
}

/// Whether the line may run there. Judges every command in it, however deeply wrapped; the strictest decision wins. Ambiguous lines and
/// commands that no rule knows need approval: silence is not consent.
pub fn judge(text: &str, place: &Place<'_>, rules: &Rules) -> Verdict {
    let runs = Runs::at(text, place.dialect, place.cwd);
    let dangers = safety::dangers_at(text, place.dialect, place.cwd);
    if let Some(verdict) = rules.forbidding(text, place.dialect, &runs, &dangers) {
        return verdict;
    }
    if !dangers.is_empty() {
        return Verdict::ask(text, safety::summary(&dangers));
    }
    match confirmed(text, place, rules) {
        Ok(rule) => rule,
        Err(doubt) => doubt,
    }
}

/// Whether the user's rules allow every command of the line without approval.
fn confirmed(text: &str, place: &Place<'_>, rules: &Rules) -> Result<Verdict, Verdict> {
    match place.source {
        Source::LocalUi => {}
        Source::Wecom | Source::Webhook | Source::Relay => return Err(Verdict::ask("", "it was asked for from afar")),
    }
    if place.untrusted {
        return Err(Verdict::ask("", "the editor does not trust this workspace"));
    }
    if rules.is_broken() {
        return Err(Verdict::ask("", "a rules file has errors, so nothing goes unasked"));
    }
    if !certain::is_within(place.cwd, place.workspace) {
        return Err(Verdict::ask(place.cwd, "this directory is outside of the workspace"));
    }
    let mut first = None;
    for command in certain::commands(text, place.dialect)? {
        let entry = catalogue::find(&command).map_err(|why| Verdict::ask(&command.text, why))?;
        entry.check(&command, place).map_err(|why| Verdict::ask(&command.text, why))?;
        let rule = rules.allowing(entry, &command);
        let rule = rule.ok_or_else(|| Verdict::ask(&command.text, "it only reads, but you have not allowed it"))?;
        first.get_or_insert(rule);
    }
    let rule = first.ok_or_else(|| Verdict::ask(text, "there is no command in it"))?;
    let why = "it only reads, and you have chosen not to be asked".to_owned();
    Ok(Verdict { decision: Decision::Allow, rule: Some(rule), part: text.to_owned(), why })
}
