//! A subcommand that the tool does not have: two words in the wrong order (`systemctl nginx start`), or a typo, however
//! the tool words its complaint.

use aside_commands::spec::format::Spec;
use aside_commands::world::Fact;

use crate::suggest::check::{Trust, passes};
use crate::suggest::did_you_mean::{self, NameKind};
use crate::suggest::parsed_run::{ParsedRun, SimpleCommand, VALUED};
use crate::suggest::tool_did_you_mean::mentions;
use crate::suggest::{Suggestion, SuggestionSource, listed_choices, never_suggested};

/// How tools reject a subcommand that they do not have.
const UNKNOWN: [&str; 20] = [
    "unknown action",
    "unknown task",
    "unknown argument",
    "no such task",
    "no command",
    "not recognized",
    "unknown command",
    "unknown operation",
    "unknown subcommand",
    "unknown verb",
    "invalid operation",
    "invalid command",
    "invalid choice",
    "no such command",
    "no such subcommand",
    "unrecognized service",
    "unrecognized subcommand",
    "unrecognized command",
    "command not found",
    "not found",
];

/// What `service` accepts behind the name of a service.
const ORDERS: [&str; 6] = ["start", "stop", "restart", "reload", "status", "force-reload"];

/// A shorter word may be an alias.
const MIN_SUB: usize = 3;

/// Words that may be doubled.
const MAX_DOUBLED: usize = 3;

fn is_unknown(parsed_run: &ParsedRun<'_>) -> bool {
    UNKNOWN.iter().any(|text| parsed_run.lower.contains(text))
        || parsed_run.lower.contains("is not a") && parsed_run.lower.contains("command")
}

/// The subcommand that is nearest to the rejected word.
pub fn misspelt(parsed_run: &ParsedRun<'_>) -> Option<Suggestion> {
    let [step] = parsed_run.steps.as_slice() else { return None };
    let place = &parsed_run.place;
    let mut spec = place.specs.find(step.name(), place.world)?;
    let mut at = behind_flags(step, 1, &spec);
    while let Some(sub) = step.words.get(at).and_then(|word| spec.sub(&word.value)) {
        spec = sub.spec.clone();
        at = behind_flags(step, at + 1, &spec);
    }
    let typed = step.words.get(at).filter(|_| !spec.subs.is_empty())?;
    let output = parsed_run.output.as_deref();
    let is_said = |output: &str| is_unknown(parsed_run) && mentions(output, &typed.value);
    let is_named =
        output.is_some_and(|output| is_said(output) || listed_choices::complains_about(output, &typed.value));
    // The tool may complain about what follows, print its help, or print nothing that was captured: then the word must
    // be a clear typo.
    let is_blamed =
        || spec.args.is_empty() && !is_plugin(step.name(), &typed.value, parsed_run) && fails_at_words(output);
    let meant = did_you_mean::nearest(NameKind::Sub, &typed.value, step, place)?;
    let is_meant = is_named || is_blamed() && did_you_mean::is_slip(&typed.value, &meant);
    if !is_meant {
        return None;
    }
    let span = typed.span.clone()?;
    let command = [parsed_run.line.get(..span.start)?, &meant, parsed_run.line.get(span.end..)?].concat();
    let fits = passes(&command, Trust::Typed, place) && never_suggested::allows(&command, parsed_run);
    let reason = format!("{} has no command {}", step.name(), typed.value);
    fits.then_some(Suggestion { command, source: SuggestionSource::Rule, reason, confidence: 0.8 })
}

/// Index of the first word from here on that is neither a flag nor a flag's value.
fn behind_flags(step: &SimpleCommand, mut at: usize, spec: &Spec) -> usize {
    while let Some(word) = step.words.get(at).filter(|word| word.value.starts_with('-')) {
        let takes = spec.flag(&word.value).and_then(|flag| flag.takes.as_ref()).is_some_and(|takes| !takes.optional);
        at += if takes || VALUED.contains(&&*word.value) { 2 } else { 1 };
    }
    at
}

/// Whether nothing in the output suggests another cause than the words.
fn fails_at_words(output: Option<&str>) -> bool {
    output.is_none_or(|output| listed_choices::complains(output) || listed_choices::is_help(output))
}

/// `git-foo` and `cargo-foo` on PATH are subcommands that no spec has.
fn is_plugin(program: &str, word: &str, parsed_run: &ParsedRun<'_>) -> bool {
    parsed_run.place.world.has_program(&format!("{program}-{word}")) == Fact::Yes(true)
}

/// Words at the beginning that were typed or pasted twice: `git git push`, `git clone git clone URL`.
pub fn doubled(parsed_run: &ParsedRun<'_>) -> Option<Suggestion> {
    let [step] = parsed_run.steps.as_slice() else { return None };
    let place = &parsed_run.place;
    let has_subs = place.specs.find(step.name(), place.world).is_some_and(|spec| !spec.subs.is_empty());
    let value = |at: usize| step.words.get(at).map(|word| word.value.as_str());
    let repeats = |count: usize| (0..count).all(|at| value(at).is_some() && value(at) == value(at + count));
    let count = (1..=MAX_DOUBLED).find(|count| repeats(*count)).filter(|count| has_subs || *count > 1)?;
    let (from, to) = (step.words.first()?.span.clone()?, step.words.get(count)?.span.clone()?);
    let command = [parsed_run.line.get(..from.start)?, parsed_run.line.get(to.start..)?].concat();
    let fits = !never_suggested::is_incomplete(&command, place)
        && passes(&command, Trust::Typed, place)
        && never_suggested::allows(&command, parsed_run);
    let reason = format!("{} is there twice", parsed_run.line.get(from.start..to.start)?.trim());
    fits.then_some(Suggestion { command, source: SuggestionSource::Rule, reason, confidence: 0.9 })
}

/// Swaps the two words.
pub fn swapped(parsed_run: &ParsedRun<'_>) -> Option<Suggestion> {
    let output = parsed_run.output.as_deref().filter(|_| is_unknown(parsed_run))?;
    let [step] = parsed_run.steps.as_slice() else { return None };
    let first = step.skip_flags(1);
    let (one, other) = (step.words.get(first)?, step.words.get(first + 1)?);
    let place = &parsed_run.place;
    let wrong_way = match step.name() {
        "service" => ORDERS.contains(&one.value.as_str()) && !ORDERS.contains(&other.value.as_str()),
        name => {
            let spec = place.specs.find(name, place.world)?;
            let is_sub = |word: &str| spec.sub(word).is_some_and(|sub| !sub.spec.addon);
            let is_slip = || did_you_mean::nearest(NameKind::Sub, &one.value, step, place).is_some();
            !is_sub(&one.value) && is_sub(&other.value) && other.value.len() >= MIN_SUB && !is_slip()
        }
    };
    let names = mentions(output, &one.value) || output.contains(&format!("{}.service", one.value));
    let (left, right) = (one.span.clone()?, other.span.clone()?);
    let line = parsed_run.line;
    let command = [
        line.get(..left.start)?,
        line.get(right.clone())?,
        line.get(left.end..right.start)?,
        line.get(left)?,
        line.get(right.end..)?,
    ]
    .concat();
    let fits =
        wrong_way && names && passes(&command, Trust::Typed, place) && never_suggested::allows(&command, parsed_run);
    let reason = format!("{} takes {} before {}", step.name(), other.value, one.value);
    fits.then_some(Suggestion { command, source: SuggestionSource::Rule, reason, confidence: 0.9 })
}
