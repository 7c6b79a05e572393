//! What stands between a proposal and the machine: whether a command may run, has to be asked about or is refused (`judge`), what a person
//! is shown (`show`), and the one value that lets somebody act (`approve`). Runs nothing, and takes nobody's word for what a line does:
//! it is read as a shell would read it.

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

/// The order is the strictness: the strictest wins.
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

/// For whom a command would run, and where.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    pub source: Source,
    /// An editor has the workspace open and does not trust it.
    pub untrusted: bool,
    /// The shell that would read it: one that reads no aliases and keeps no history.
    pub dialect: Dialect,
    /// Both absolute, with links resolved.
    pub cwd: &'a str,
    pub workspace: &'a str,
}

/// What was decided about a command line, and by whom. Only `judge` makes one.
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
    /// Of its file, from 1.
    pub line: usize,
}

impl Verdict {
    pub fn decision(&self) -> Decision {
        self.decision
    }

    pub fn rule(&self) -> Option<Origin> {
        self.rule
    }

    /// In one line: what was decided about which part of the line, and why.
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

/// Whether the line may run there. Every command in it is judged, however deep it is wrapped, and the strictest decides. What is not
/// certain asks, and so does what no rule knows: silence is not consent.
pub fn judge(text: &str, place: &Place<'_>, rules: &Rules) -> Verdict {
    let runs = Runs::at(text, place.dialect, place.cwd);
    let dangers = safety::dangers_at(text, place.dialect, place.cwd);
    if let Some(verdict) = rules.forbidding(text, &runs, &dangers) {
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

/// Whether the person has chosen not to be asked about any command of the line.
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
