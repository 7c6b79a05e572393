//! An offer: one command or one change that the user is asked to approve, with everything that belongs to it, serialized so that no two
//! offers have the same bytes. The proposer cannot choose what is said about its dangers.

use std::fmt;

use aside_commands::safety;
use aside_commands::world::World;

use crate::executed_files;
use crate::gate::rules::Rules;
use crate::gate::{Decision, GateContext, GateVerdict, judge};
use crate::proposal::{RequestSource, WriteConfinement};

/// Bytes of a command line. A longer one would not be read before it is approved.
pub const MAX_COMMAND: usize = 8 * 1024;
/// Bytes of a reason, a directory, a variable with its value, or a row of a change.
pub const MAX_TEXT: usize = 4 * 1024;
pub const MAX_VARIABLES: usize = 32;
pub const MAX_ROWS: usize = 1000;

/// Where in a task an offer stands. An edited proposal is another step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OfferStep {
    pub task: String,
    pub number: u32,
}

/// Private fields, so that an offer is shown unchanged or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateOffer {
    pub(super) step: OfferStep,
    pub(super) source: RequestSource,
    pub(super) act: OfferedAct,
    /// Where it may write if it is confined, and the user's home, for display.
    pub(super) workspace: String,
    pub(super) home: String,
    pub(super) dangers: Vec<String>,
    /// Which of the changed files others execute.
    pub(super) notes: Vec<String>,
    pub(super) verdict: GateVerdict,
}

/// What would be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OfferedAct {
    Run(OfferedRun),
    Apply(OfferedChange),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfferedRun {
    pub cmd: String,
    /// Absolute, with links resolved.
    pub cwd: String,
    /// Additional environment variables.
    pub environment: Vec<(String, String)>,
    pub reason: Option<String>,
    pub confine: WriteConfinement,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfferedChange {
    /// Digest of all bytes of the settled diff.
    pub digest: [u8; 32],
    /// One row for each file, from `ResolvedChanges::rows`.
    pub rows: Vec<String>,
    /// The paths that exist after it.
    pub names: Vec<String>,
    pub reason: Option<String>,
}

/// Why something cannot be offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotOfferable {
    Empty,
    /// Too long to be read before it is approved.
    TooLong,
    /// The system stops at a NUL, so it would run less than the user reads.
    Nul,
    /// A variable without a name, or with `=` in its name.
    Variable,
}

impl fmt::Display for NotOfferable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            NotOfferable::Empty => "there is nothing in it",
            NotOfferable::TooLong => "it is too long to be read before it is approved",
            NotOfferable::Nul => "it has a NUL in it",
            NotOfferable::Variable => "a variable has no proper name",
        })
    }
}

impl GateOffer {
    /// Judges the command for the place where it would run. The directory is `command.cwd`, not `place.cwd`.
    pub fn run(
        step: OfferStep,
        command: OfferedRun,
        place: &GateContext<'_>,
        rules: &Rules,
        world: &dyn World,
    ) -> Result<GateOffer, NotOfferable> {
        if command.cmd.trim().is_empty() || command.cwd.is_empty() {
            return Err(NotOfferable::Empty);
        }
        let workspace = match command.confine {
            WriteConfinement::No => String::new(),
            WriteConfinement::Workspace => place.workspace.to_owned(),
        };
        let variables = command.environment.iter().flat_map(|(name, value)| [name, value]);
        let texts = [&command.cwd, &step.task, &workspace].into_iter().chain(&command.reason).chain(variables);
        fit(texts, MAX_TEXT)?;
        fit([&command.cmd], MAX_COMMAND)?;
        if command.environment.len() > MAX_VARIABLES {
            return Err(NotOfferable::TooLong);
        }
        if command.environment.iter().any(|(name, _)| name.is_empty() || name.contains('=')) {
            return Err(NotOfferable::Variable);
        }
        let place = GateContext { cwd: &command.cwd, ..*place };
        let mut verdict = judge(&command.cmd, &place, rules);
        if verdict.decision == Decision::Allow && !command.environment.is_empty() {
            verdict = GateVerdict::ask(&command.cmd, "it would get variables that can change what a program does");
        }
        let dangers = safety::dangers_in(&command.cmd, place.dialect, &command.cwd, world);
        // Names the dangerous part of the line as well as what it does.
        let dangers = dangers.iter().map(|danger| {
            let part = command.cmd.get(danger.span.clone()).unwrap_or(&command.cmd);
            format!("{}: {part}", danger.harm.words())
        });
        let mut dangers: Vec<String> = dangers.collect();
        dangers.dedup();
        if verdict.decision == Decision::Allow && !dangers.is_empty() {
            verdict = GateVerdict::ask(&command.cmd, "it may destroy something");
        }
        let (source, home) = (place.source, world.home().to_owned());
        Ok(GateOffer {
            step,
            source,
            act: OfferedAct::Run(command),
            workspace,
            home,
            dangers,
            notes: Vec::new(),
            verdict,
        })
    }

    /// A change to files always needs approval.
    pub fn apply(step: OfferStep, change: OfferedChange, source: RequestSource) -> Result<GateOffer, NotOfferable> {
        if change.rows.is_empty() {
            return Err(NotOfferable::Empty);
        }
        if change.rows.len() > MAX_ROWS {
            return Err(NotOfferable::TooLong);
        }
        fit(change.rows.iter().chain(&change.names).chain(&change.reason).chain([&step.task]), MAX_TEXT)?;
        let verdict = GateVerdict::ask("", "files would be changed");
        let (workspace, home) = (String::new(), String::new());
        let notes = executed_files::notes(change.names.iter().map(String::as_str));
        let notes = notes.into_iter().map(|note| note.english).collect();
        let (act, dangers) = (OfferedAct::Apply(change), Vec::new());
        Ok(GateOffer { step, source, act, workspace, home, dangers, notes, verdict })
    }

    pub fn step(&self) -> &OfferStep {
        &self.step
    }

    pub fn act(&self) -> &OfferedAct {
        &self.act
    }

    /// What it may destroy.
    pub fn dangers(&self) -> &[String] {
        &self.dangers
    }

    pub fn verdict(&self) -> &GateVerdict {
        &self.verdict
    }

    /// The bytes that the digest covers. Each field is prefixed with its length and each list with its count, so that no content can move
    /// from one field to the next.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Bytes(Vec::new());
        bytes.text("aside offer 3");
        bytes.text(&self.step.task);
        bytes.number(u64::from(self.step.number));
        bytes.text(self.source.name());
        match &self.act {
            OfferedAct::Run(OfferedRun { cmd, cwd, environment, reason, confine }) => {
                bytes.text("run");
                bytes.text(cmd);
                bytes.text(cwd);
                bytes.number(environment.len() as u64);
                for (name, value) in environment {
                    bytes.text(name);
                    bytes.text(value);
                }
                bytes.list(reason.as_slice());
                bytes.text(confine.name());
                match confine {
                    WriteConfinement::No => {}
                    WriteConfinement::Workspace => bytes.text(&self.workspace),
                }
            }
            OfferedAct::Apply(OfferedChange { digest, rows, names, reason }) => {
                bytes.text("apply");
                bytes.field(digest);
                bytes.list(rows);
                bytes.list(names);
                bytes.list(reason.as_slice());
            }
        }
        bytes.list(&self.dangers);
        bytes.list(&self.notes);
        bytes.text(&self.verdict.explain());
        bytes.0
    }
}

fn fit<'t>(texts: impl IntoIterator<Item = &'t String>, most: usize) -> Result<(), NotOfferable> {
    for text in texts {
        if text.len() > most {
            return Err(NotOfferable::TooLong);
        }
        if text.contains('\0') {
            return Err(NotOfferable::Nul);
        }
    }
    Ok(())
}

struct Bytes(Vec<u8>);

impl Bytes {
    fn number(&mut self, number: u64) {
        self.0.extend(number.to_be_bytes());
    }

    fn field(&mut self, field: &[u8]) {
        self.number(field.len() as u64);
        self.0.extend(field);
    }

    fn text(&mut self, text: &str) {
        self.field(text.as_bytes());
    }

    fn list(&mut self, list: &[String]) {
        self.number(list.len() as u64);
        list.iter().for_each(|text| self.text(text));
    }
}
