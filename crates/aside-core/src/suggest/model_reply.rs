//! Extracts the next command from a model's reply: one that may be shown, or none. The model has read what programs
//! printed, so it is trusted no more than they are: whatever an output could talk it into must be harmless.

use aside_commands::safety::nested_commands::{self, NestedCommands};
use aside_commands::shell_names::builtins;
use aside_commands::world::Fact;
use aside_model_output as model_output;
use shell_line::Dialect;

use crate::suggest::check::{Trust, interprets, passes};
use crate::suggest::parsed_run::ParsedRun;
use crate::suggest::worth_asking::filter;
use crate::suggest::{
    EndedRun, SuggestContext, Suggestion, SuggestionSource, never_suggested, placeholder, template, trust,
};

/// The model has seen one session, and knows neither the user nor the machine.
const CONFIDENCE: f32 = 0.5;

/// Replies that mean an empty answer.
const NOTHING: [&str; 13] = [
    "nothing",
    "none",
    "empty",
    "null",
    "n/a",
    "nil",
    "no",
    "no command",
    "no suggestion",
    "nothing to suggest",
    "no output",
    "no next command",
    "unknown",
];

/// The suggestion in a reply, after a command.
pub fn suggestion(said: &str, ended: &EndedRun<'_>, place: &SuggestContext<'_>) -> Option<Suggestion> {
    let command = first(said, place.dialect)?;
    let command = command.trim();
    let mut typed_lines: Vec<&str> = typed(ended).collect();
    // A program of the user's own that is in no list may be used; what an output names must be known.
    let program = command.split_whitespace().next().unwrap_or_default();
    if place.world.has_program(program) == Fact::Yes(true) && !trust::lists(program) {
        typed_lines.push(program);
    }
    let is_news = !same(command, ended.command);
    let fits = is_news
        && !is_nothing(command)
        && !placeholder::has_placeholder(command)
        && !filter().is_ignored(command)
        && template::is_plain(command, place.dialect)
        && !interprets(command, place)
        && programs_exist(command, place)
        && passes(command, Trust::Output { typed: &typed_lines }, place)
        && !never_suggested::is_incomplete(command, place)
        && never_suggested::allows(command, &ParsedRun::new(ended, *place));
    let program = ended.command.split_whitespace().next().unwrap_or("the last command");
    let reason = format!("a model expects it after what {program} did");
    fits.then(|| Suggestion {
        command: command.to_owned(),
        source: SuggestionSource::Model,
        reason,
        confidence: CONFIDENCE,
    })
}

/// The first command of a reply. Further lines are alternatives, not steps.
fn first(said: &str, dialect: Dialect) -> Option<String> {
    let spoken = model_output::without_reasoning(said)?;
    let command = model_output::commands(said, dialect).into_iter().next()?;
    let mut end = command.len();
    loop {
        let part = command.get(..end)?;
        if spoken.contains(part) {
            return Some(part.to_owned());
        }
        end = part.rfind(" && ")?;
    }
}

fn is_nothing(command: &str) -> bool {
    let bare = command.trim_matches(|mark: char| mark.is_ascii_punctuation() && mark != '/' || mark.is_whitespace());
    let lower = bare.to_lowercase();
    bare.is_empty() || NOTHING.contains(&lower.as_str())
}

/// Equal except for blanks; the arrow-up key repeats a command.
fn same(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}

/// Whether all programs exist. Without a shell that reports its aliases and functions, only programs count; a model
/// does not know the others either.
fn programs_exist(command: &str, place: &SuggestContext<'_>) -> bool {
    NestedCommands::of(command, place.dialect).runs.iter().all(|run| {
        let name = run.words.first().map(|word| word.value.as_str()).unwrap_or_default();
        let is_elsewhere = run.place == nested_commands::RunsWhere::Elsewhere || name.contains('/');
        is_elsewhere
            || builtins::has(place.names, run.dialect, name)
            || place.world.has_program(name) != Fact::Yes(false)
    })
}

fn typed<'e>(ended: &EndedRun<'e>) -> impl Iterator<Item = &'e str> {
    ended.previous.iter().map(|past| past.command).chain([ended.command])
}
