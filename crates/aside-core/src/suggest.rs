//! Suggests the next command from how the last one ended: what its output names, what its error means, what this user
//! did next before. Asks no model, runs nothing, and stays silent where it is not sure. `prompt` and `model_reply` serve
//! callers that ask a model in that case.
//!
//! Output is untrusted: only hints in known shapes are read, nothing destructive is taken from them, and every
//! suggestion is parsed and looked up first.

mod carry_flags;
mod check;
mod command_not_found;
mod did_you_mean;
mod habits;
mod listed_choices;
pub mod model_reply;
mod never_suggested;
mod output_hints;
mod packages;
mod parsed_run;
mod placeholder;
pub mod prompt;
pub mod resolved;
mod rules;
mod template;
mod tool_did_you_mean;
mod trust;
mod unknown_subcommand;
pub mod worth_asking;

#[cfg(test)]
mod tests;

use aside_commands::safety::nested_commands::NestedCommands;
use aside_commands::shell_names::ShellNames;
use aside_commands::spec::Specs;
use aside_commands::world::World;
use shell_line::{self as line, Dialect};

use crate::suggest::parsed_run::ParsedRun;

/// A command that has ended.
#[derive(Clone, Copy)]
pub struct EndedRun<'a> {
    pub command: &'a str,
    pub exit: i32,
    /// As it was on the screen; `None` when it was not captured.
    pub output: Option<&'a str>,
    /// Earlier commands of the session, the oldest first.
    pub previous: &'a [EarlierRun<'a>],
    /// What this user ran right after the same command with the same exit status.
    pub next: &'a [Follower<'a>],
}

/// A command that ended before the last one.
#[derive(Clone, Copy, Debug)]
pub struct EarlierRun<'a> {
    pub command: &'a str,
    pub exit: Option<i32>,
    pub output: Option<&'a str>,
}

/// A command that followed, with counts.
#[derive(Clone, Copy, Debug)]
pub struct Follower<'a> {
    pub command: &'a str,
    /// In the directory of the last command.
    pub here: u32,
    /// In any directory, including this one.
    pub anywhere: u32,
}

/// The place the next command would run at.
#[derive(Clone, Copy)]
pub struct SuggestContext<'a> {
    pub cwd: &'a str,
    pub dialect: Dialect,
    pub world: &'a dyn World,
    /// Aliases and functions that the shell reported; empty when no shell asks.
    pub names: &'a ShellNames,
    pub specs: &'a Specs,
}

/// A command to review.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    pub command: String,
    pub source: SuggestionSource,
    /// One line that tells the user why.
    pub reason: String,
    /// Probability that it comes next, 0 to 1.
    pub confidence: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuggestionSource {
    /// The output names it.
    Output,
    /// A rule derives it from the error.
    Rule,
    /// It followed before.
    History,
    /// A model suggests it.
    Model,
}

impl SuggestionSource {
    pub fn name(self) -> &'static str {
        match self {
            SuggestionSource::Output => "output",
            SuggestionSource::Rule => "rule",
            SuggestionSource::History => "history",
            SuggestionSource::Model => "llm",
        }
    }
}

/// Programs that take over the terminal: always, or when they have no arguments.
#[derive(Clone, Copy)]
pub struct InteractivePrograms<'a> {
    pub always: &'a [String],
    pub bare: &'a [String],
}

impl InteractivePrograms<'_> {
    /// Whether one of them is in a line, also behind wrappers and aliases.
    pub fn takes_over(&self, line: &str, dialect: Dialect, names: &ShellNames) -> bool {
        let parsed = line::parse(line, dialect);
        let mut steps = parsed.commands.iter().filter_map(|command| parsed_run::step(command, names));
        steps.any(|step| {
            let named = |list: &[String]| list.iter().any(|name| name == step.name());
            named(self.always) || named(self.bare) && step.words.len() == 1
        })
    }
}

/// The name of the command whose output is on the screen after a line: its last, also behind wrappers and aliases.
pub fn name(line: &str, dialect: Dialect, names: &ShellNames) -> String {
    let parsed = line::parse(line, dialect);
    let last = parsed.commands.last().and_then(|command| parsed_run::step(command, names));
    last.map(|step| step.name().to_owned()).unwrap_or_default()
}

/// Whether a line runs Aside itself, however wrapped. Its output quotes others (remote users, models, the history), so no command is
/// ever taken from it.
pub fn runs_aside(line: &str, dialect: Dialect, names: &ShellNames) -> bool {
    let is_ours = |name: &str| name.rsplit('/').next() == Some("aside");
    let parsed = line::parse(line, dialect);
    let mut steps = parsed.commands.iter().filter_map(|command| parsed_run::step(command, names));
    steps.any(|step| is_ours(step.name()))
        || NestedCommands::of(line, dialect).runs.iter().any(|run| is_ours(run.name()))
}

/// The effective exit status. After an assignment that it cannot parse, zsh keeps the status of the previous command.
pub fn status(line: &str, exit: i32, dialect: Dialect) -> i32 {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_assigned = |rest: &[&str]| rest.iter().any(|word| *word == "=" || word.starts_with('=') && word.len() > 1);
    let fails = match words.as_slice() {
        ["export" | "typeset" | "declare" | "local" | "readonly", rest @ ..] => is_assigned(rest),
        _ => false,
    };
    if exit == 0 && fails && dialect == Dialect::Zsh { 1 } else { exit }
}

/// Bytes of a line; longer ones were written by a program.
const MAX_LINE: usize = 4096;

pub fn suggest(ended: &EndedRun<'_>, place: &SuggestContext<'_>) -> Option<Suggestion> {
    let found = calls_for_one(ended).then(|| found(ended, place)).flatten()?;
    if place.world.is_root() { for_root(found, ended) } else { Some(found) }
}

/// Root needs no `sudo`. A habit, or a line that had it, keeps it.
fn for_root(mut found: Suggestion, ended: &EndedRun<'_>) -> Option<Suggestion> {
    if found.source == SuggestionSource::History || ended.command.contains("sudo") {
        return Some(found);
    }
    if let Some(bare) = found.command.strip_prefix("sudo ") {
        found.command = bare.to_owned();
    }
    (found.command != ended.command.trim() && !found.command.starts_with('-')).then_some(found)
}

/// Correction sources, the most reliable first.
const CORRECTIONS: [fn(&ParsedRun<'_>) -> Option<Suggestion>; 9] = [
    command_not_found::pasted,
    command_not_found::slip,
    unknown_subcommand::doubled,
    unknown_subcommand::swapped,
    rules::correction,
    unknown_subcommand::misspelt,
    listed_choices::suggestion,
    command_not_found::package,
    output_hints::named_command,
];

fn found(ended: &EndedRun<'_>, place: &SuggestContext<'_>) -> Option<Suggestion> {
    let parsed_run = ParsedRun::new(ended, *place);
    let makes_sense = |found: &Suggestion| never_suggested::makes_sense(found, ended, place);
    let habit = habits::habit(ended, &parsed_run).filter(makes_sense);
    if ended.exit != 0 {
        // Corrections come before habits.
        return CORRECTIONS.iter().find_map(|source| source(&parsed_run).filter(makes_sense)).or(habit);
    }
    let follow_ups: [fn(&ParsedRun<'_>) -> Option<Suggestion>; 2] = [rules::follow_up, output_hints::named_command];
    let named = follow_ups.iter().find_map(|source| source(&parsed_run).filter(makes_sense));
    match (named, habit) {
        (Some(named), Some(habit)) if habit.confidence > named.confidence => Some(habit),
        (named, habit) => named.or(habit),
    }
}

/// Whether any suggestion is wanted at all.
fn calls_for_one(ended: &EndedRun<'_>) -> bool {
    let line = ended.command.trim();
    // Ctrl-C, Ctrl-Z, Ctrl-\: the user stopped it and knows what comes next.
    !line.is_empty() && line.len() <= MAX_LINE && !matches!(ended.exit, 130 | 131 | 146 | 147 | 148)
}
