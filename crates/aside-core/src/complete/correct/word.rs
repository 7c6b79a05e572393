//! Typos in names: of commands, subcommands, flags, branches, hosts.

use std::collections::HashMap;

use aside_commands::shell_names::builtins;
use aside_commands::world::{self, Fact, LiveItem, LiveKind};
use aside_text::edit_distance::{self, MaxDistance, NearWord};
use shell_line::{Command, Word, quote};

use crate::complete::candidate::CandidateKind;
use crate::complete::command_names::{self, beginning};
use crate::complete::context::CompletionContext;
use crate::complete::correct::{Fix, Scene, path};
use crate::complete::resolve_path;
use crate::complete::spec::check::{self, InvalidReason, Validity};
use crate::complete::spec::expected;
use crate::complete::spec::resolve;
use crate::history::word_stats::{self, Stdin, WordPosition};

/// Names from history that are considered.
const MAX_USED: usize = 256;
/// Candidates that cost this much more than the best are dropped.
const NEARLY: f32 = 0.5;
/// With more equally good candidates, none is offered.
const MAX_EQUAL: usize = 3;
/// Length of a word in which one letter makes a large difference.
const SHORT: usize = 4;
/// Words from which a line counts as prose for a model.
const SENTENCE: usize = 4;

/// Corrects the name of an unknown command.
pub fn name(scene: &Scene<'_>, command: &Command, number: usize, word: &Word) -> Vec<Fix> {
    let context = scene.context;
    let typed = &*word.value;
    let plain = typed.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.' | '+'));
    // A name with a spec is right; it is only not installed.
    let is_name = context.specs.has(typed);
    if !plain || typed.starts_with('-') || !scene.is_plain(word) || is_name || scene.ran(command, word) {
        return Vec::new();
    }
    let Fact::Yes(programs) = context.world.programs() else { return Vec::new() };
    if !scene.is_finished(&word.span) {
        let typing = scene.cursor != word.span.end || typed.chars().count() < 3 || is_begun(context, &programs, typed);
        if typing {
            return Vec::new();
        }
    }
    // In zsh and fish a directory's name changes to it.
    let here = format!("{}/{typed}", context.cwd.trim_end_matches('/'));
    if resolve_path::kind(context, &here) == Fact::Yes(world::FileKind::Directory) {
        return Vec::new();
    }
    let used = used(context);
    let programs = programs.iter().map(|name| &**name);
    let mut all: Vec<&str> = programs.collect();
    if number == 0 {
        all.extend(own(context));
    }
    let found = edit_distance::near_words(typed, all.into_iter(), MaxDistance::Usual);
    let sentence = command.words.len() >= SENTENCE && command.words.iter().all(|word| is_prose(&word.value));
    let cost = |near: &NearWord<'_>| {
        let mut cost = near.cost() - 0.6 * used.get(near.word).copied().unwrap_or(0.0).sqrt();
        if context.specs.has(near.word) || (number == 0 && command_names::is_of_shell(context, near.word)) {
            cost -= 0.4;
        }
        cost
    };
    // In a short word another first letter makes another word.
    let is_clear =
        |near: &NearWord<'_>| near.swapped || near.begins || near.edits == 1 && typed.chars().count() > SHORT;
    let found = found.into_iter().filter(|near| is_clear(near) && (!sentence || near.swapped));
    let fixes = best(found.map(|near| (cost(&near), near)).collect());
    let fix = |near: NearWord<'_>| Fix {
        span: word.span.clone(),
        text: quote::word(near.word, context.dialect),
        edits: near.edits,
        kind: CandidateKind::Command,
    };
    fixes.into_iter().map(fix).collect()
}

/// Whether an existing name begins like this: then it is still being typed.
fn is_begun(context: &CompletionContext<'_>, programs: &[Box<str>], typed: &str) -> bool {
    !beginning(programs, typed, |name| name).is_empty()
        || own(context).any(|name| name.starts_with(typed))
        || !context.history.starting_with(typed, context.cwd, 1).is_empty()
}

/// The shell's own names, except private ones.
fn own<'a>(context: &'a CompletionContext<'_>) -> impl Iterator<Item = &'a str> {
    let aliases = context.names.aliases.iter().map(|(name, _)| &**name);
    let others = context.names.functions.iter().chain(&context.names.builtins).map(|name| &**name);
    let usual = builtins::builtins(context.dialect).iter().chain(builtins::reserved(context.dialect)).copied();
    aliases.chain(others).chain(usual).filter(|name| !name.starts_with('_'))
}

/// How much each command was used, 0 to 1.
fn used<'a>(context: &CompletionContext<'a>) -> HashMap<&'a str, f32> {
    let at =
        WordPosition { before: &[], after: "", typed: "", reach: word_stats::Locality::Slot, stdin: Stdin::Inherited };
    context.history.words().next(at, MAX_USED).into_iter().map(|guess| (guess.word, guess.chance)).collect()
}

/// Whether it could be an ordinary word: no flag, no path, no number.
fn is_prose(word: &str) -> bool {
    word.chars().all(|letter| letter.is_alphabetic() || matches!(letter, '\'' | ',' | '?'))
}

/// The cheapest, and those that cost nearly as little; none when there are too many to tell apart.
fn best(mut found: Vec<(f32, NearWord<'_>)>) -> Vec<NearWord<'_>> {
    found.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.word.cmp(other.1.word)));
    found.dedup_by(|one, other| one.1.word == other.1.word);
    let Some(least) = found.first().map(|(cost, _)| *cost) else { return Vec::new() };
    let equal = found.iter().filter(|(cost, _)| *cost <= least + f32::EPSILON).count();
    if equal > MAX_EQUAL {
        return Vec::new();
    }
    found.into_iter().take_while(|(cost, _)| *cost <= least + NEARLY).map(|(_, near)| near).collect()
}

/// Whether the word with this number is the name of another command, as after sudo.
pub fn is_name(scene: &Scene<'_>, command: &Command, number: usize) -> bool {
    let Some(word) = command.words.get(number).filter(|word| !word.value.starts_with('-')) else { return false };
    let expected = expected::argument(scene.context, command, number, &word.value);
    expected.command && expected.files.is_none()
}

/// A subcommand or a flag that the command does not have.
pub fn listed(scene: &Scene<'_>, command: &Command) -> Vec<Fix> {
    let Some(slip) = check::likely_typo(scene.context, command) else { return Vec::new() };
    let Some(word) = command.words.get(slip.word) else { return Vec::new() };
    if !scene.is_plain(word) || scene.ran(command, word) {
        return Vec::new();
    }
    if !scene.is_finished(&word.span) && (scene.cursor != word.span.end || may_go_on(scene, command, word, &slip.known))
    {
        return Vec::new();
    }
    let flag = word.value.starts_with('-');
    let (typed, value) = match word.value.split_once('=').filter(|_| flag) {
        Some((name, _)) => word.value.split_at(name.len()),
        None => (&*word.value, ""),
    };
    // Many programs accept a prefix of a long flag. Short flags are all similar to each other.
    let short = flag && (!typed.starts_with("--") || typed.len() < 5);
    if short || (flag && slip.known.iter().any(|known| known.starts_with(typed))) {
        return Vec::new();
    }
    let known = slip.known.iter().map(|known| &**known).filter(|known| known.starts_with("--") == flag);
    let found = best(
        edit_distance::near_words(typed, known, MaxDistance::Usual)
            .into_iter()
            .map(|near| (near.cost(), near))
            .collect(),
    );
    let fix = |near: NearWord<'_>| Fix {
        span: word.span.clone(),
        text: [near.word, value].concat(),
        edits: near.edits,
        kind: if flag { CandidateKind::Flag } else { CandidateKind::Subcommand },
    };
    found.into_iter().map(fix).collect()
}

/// Whether a subcommand that is being typed can still become a known one, or a name that only the user has.
fn may_go_on(scene: &Scene<'_>, command: &Command, word: &Word, known: &[Box<str>]) -> bool {
    let begin = scene.line.text.get(command.span.start..word.span.end).unwrap_or_default();
    word.value.starts_with('-')
        || word.value.chars().count() < 3
        || known.iter().any(|known| known.starts_with(&word.value))
        || !scene.context.history.starting_with(begin, scene.context.cwd, 1).is_empty()
}

/// An argument whose possible values are known: live names or files.
pub fn argument(scene: &Scene<'_>, command: &Command, number: usize, word: &Word) -> Vec<Fix> {
    if word.value.starts_with('-') || word.value.is_empty() {
        return Vec::new();
    }
    let expected = expected::argument(scene.context, command, number, &word.value);
    if expected.anything || expected.command || expected.variable || expected.new || expected.skip > 0 {
        return Vec::new();
    }
    let exists = expected.files.is_some() && path::exists(scene, command, number, word);
    if exists || scene.ran(command, word) {
        return Vec::new();
    }
    let names = live(scene, command, number, word, &expected.live);
    if !names.is_empty() {
        return names;
    }
    match &expected.files {
        Some(files) => path::argument(scene, command, number, word, files),
        None => Vec::new(),
    }
}

fn live(scene: &Scene<'_>, command: &Command, number: usize, word: &Word, kinds: &[LiveKind]) -> Vec<Fix> {
    if kinds.is_empty() || !scene.is_finished(&word.span) || !scene.is_plain(word) {
        return Vec::new();
    }
    let resolve::Resolution::Spec(reached) = resolve::resolve(scene.context, command, number) else {
        return Vec::new();
    };
    let Some(directory) = resolve::directory(scene.context, &reached) else { return Vec::new() };
    let lists =
        kinds.iter().filter_map(|kind| scene.context.world.live(*kind, &directory).yes().map(|list| (*kind, list)));
    let lists: Vec<(LiveKind, std::sync::Arc<[LiveItem]>)> = lists.collect();
    let items = || lists.iter().flat_map(|(kind, list)| list.iter().map(move |item| (*kind, &*item.name)));
    if items().any(|(_, name)| name == word.value) {
        return Vec::new();
    }
    let certain = match check::check(scene.context, command) {
        Validity::Impossible(reason) => reason.word == Some(number) && matches!(reason.wrong, InvalidReason::Name(_)),
        Validity::Possible | Validity::Unknown => false,
    };
    let reach = if certain { MaxDistance::Usual } else { MaxDistance::Careful };
    let names = items().filter(|(kind, _)| is_spelled(*kind)).map(|(_, name)| name);
    let found =
        edit_distance::near_words(&word.value, names, reach).into_iter().map(|near| (near.cost(), near)).collect();
    let fix = |near: NearWord<'_>| Fix {
        span: word.span.clone(),
        text: quote::word(near.word, scene.context.dialect),
        edits: near.edits,
        kind: CandidateKind::Name,
    };
    best(found).into_iter().map(fix).collect()
}

/// Whether names of this kind are chosen by people, so that a typo can be told from another name.
fn is_spelled(kind: LiveKind) -> bool {
    match kind {
        LiveKind::GitCommit
        | LiveKind::GitStash
        | LiveKind::GitState
        | LiveKind::Process
        | LiveKind::Package
        | LiveKind::DockerImage => false,
        LiveKind::GitBranch | LiveKind::GitRemote | LiveKind::GitTag | LiveKind::GitChanged | LiveKind::GitStaged => {
            true
        }
        LiveKind::MakeTarget | LiveKind::JustRecipe | LiveKind::NpmScript => true,
        LiveKind::CargoPackage
        | LiveKind::CargoBin
        | LiveKind::CargoExample
        | LiveKind::CargoTest
        | LiveKind::CargoFeature => true,
        LiveKind::Host | LiveKind::DockerContainer | LiveKind::SystemdUnit | LiveKind::TmuxSession => true,
        LiveKind::ProcessName | LiveKind::User | LiveKind::Group => true,
    }
}
