//! Typos in names: of commands, subcommands, flags, branches, hosts.

use std::collections::HashMap;

use crate::complete::ask::Ask;
use crate::complete::candidate::Kind;
use crate::complete::commands::{self, beginning};
use crate::complete::correct::{Fix, Scene, path};
use crate::complete::resolve;
use crate::complete::spec::expect;
use crate::complete::spec::judge::{self, Judgement, Wrong};
use crate::complete::spec::reach;
use crate::history::words::{self, At, Stdin};
use crate::line::{Command, Word, quote};
use crate::names::shell;
use crate::text::near::{self, Near, Reach};
use crate::world::{self, Item, Known, Live};

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
    let ask = scene.ask;
    let typed = &*word.value;
    let plain = typed.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.' | '+'));
    // A name with a spec is right; it is only not installed.
    let is_name = ask.specs.has(typed);
    if !plain || typed.starts_with('-') || !scene.is_plain(word) || is_name || scene.ran(command, word) {
        return Vec::new();
    }
    let Known::Yes(programs) = ask.world.programs() else { return Vec::new() };
    if !scene.is_finished(&word.span) {
        let typing = scene.cursor != word.span.end || typed.chars().count() < 3 || is_begun(ask, &programs, typed);
        if typing {
            return Vec::new();
        }
    }
    // In zsh and fish a directory's name changes to it.
    let here = format!("{}/{typed}", ask.cwd.trim_end_matches('/'));
    if resolve::kind(ask, &here) == Known::Yes(world::Kind::Directory) {
        return Vec::new();
    }
    let used = used(ask);
    let programs = programs.iter().map(|name| &**name);
    let mut all: Vec<&str> = programs.collect();
    if number == 0 {
        all.extend(own(ask));
    }
    let found = near::near(typed, all.into_iter(), Reach::Usual);
    let sentence = command.words.len() >= SENTENCE && command.words.iter().all(|word| is_prose(&word.value));
    let cost = |near: &Near<'_>| {
        let mut cost = near.cost() - 0.6 * used.get(near.word).copied().unwrap_or(0.0).sqrt();
        if ask.specs.has(near.word) || (number == 0 && commands::is_of_shell(ask, near.word)) {
            cost -= 0.4;
        }
        cost
    };
    // In a short word another first letter makes another word.
    let is_clear = |near: &Near<'_>| near.swapped || near.begins || near.edits == 1 && typed.chars().count() > SHORT;
    let found = found.into_iter().filter(|near| is_clear(near) && (!sentence || near.swapped));
    let fixes = best(found.map(|near| (cost(&near), near)).collect());
    let fix = |near: Near<'_>| Fix {
        span: word.span.clone(),
        text: quote::word(near.word, ask.dialect),
        edits: near.edits,
        kind: Kind::Command,
    };
    fixes.into_iter().map(fix).collect()
}

/// Whether an existing name begins like this: then it is still being typed.
fn is_begun(ask: &Ask<'_>, programs: &[Box<str>], typed: &str) -> bool {
    !beginning(programs, typed, |name| name).is_empty()
        || own(ask).any(|name| name.starts_with(typed))
        || !ask.history.starting_with(typed, ask.cwd, 1).is_empty()
}

/// The shell's own names, except private ones.
fn own<'a>(ask: &'a Ask<'_>) -> impl Iterator<Item = &'a str> {
    let aliases = ask.names.aliases.iter().map(|(name, _)| &**name);
    let others = ask.names.functions.iter().chain(&ask.names.builtins).map(|name| &**name);
    let usual = shell::builtins(ask.dialect).iter().chain(shell::reserved(ask.dialect)).copied();
    aliases.chain(others).chain(usual).filter(|name| !name.starts_with('_'))
}

/// How much each command was used, 0 to 1.
fn used<'a>(ask: &Ask<'a>) -> HashMap<&'a str, f32> {
    let at = At { before: &[], after: "", typed: "", reach: words::Reach::Slot, stdin: Stdin::Inherited };
    ask.history.words().next(at, MAX_USED).into_iter().map(|guess| (guess.word, guess.chance)).collect()
}

/// Whether it could be an ordinary word: no flag, no path, no number.
fn is_prose(word: &str) -> bool {
    word.chars().all(|letter| letter.is_alphabetic() || matches!(letter, '\'' | ',' | '?'))
}

/// The cheapest, and those that cost nearly as little; none when there are too many to tell apart.
fn best(mut found: Vec<(f32, Near<'_>)>) -> Vec<Near<'_>> {
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
    let expected = expect::argument(scene.ask, command, number, &word.value);
    expected.command && expected.files.is_none()
}

/// A subcommand or a flag that the command does not have.
pub fn listed(scene: &Scene<'_>, command: &Command) -> Vec<Fix> {
    let Some(slip) = judge::slip(scene.ask, command) else { return Vec::new() };
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
    let found = best(near::near(typed, known, Reach::Usual).into_iter().map(|near| (near.cost(), near)).collect());
    let fix = |near: Near<'_>| Fix {
        span: word.span.clone(),
        text: [near.word, value].concat(),
        edits: near.edits,
        kind: if flag { Kind::Flag } else { Kind::Subcommand },
    };
    found.into_iter().map(fix).collect()
}

/// Whether a subcommand that is being typed can still become a known one, or a name that only the user has.
fn may_go_on(scene: &Scene<'_>, command: &Command, word: &Word, known: &[Box<str>]) -> bool {
    let begin = scene.line.text.get(command.span.start..word.span.end).unwrap_or_default();
    word.value.starts_with('-')
        || word.value.chars().count() < 3
        || known.iter().any(|known| known.starts_with(&word.value))
        || !scene.ask.history.starting_with(begin, scene.ask.cwd, 1).is_empty()
}

/// An argument whose possible values are known: live names or files.
pub fn argument(scene: &Scene<'_>, command: &Command, number: usize, word: &Word) -> Vec<Fix> {
    if word.value.starts_with('-') || word.value.is_empty() {
        return Vec::new();
    }
    let expected = expect::argument(scene.ask, command, number, &word.value);
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

fn live(scene: &Scene<'_>, command: &Command, number: usize, word: &Word, kinds: &[Live]) -> Vec<Fix> {
    if kinds.is_empty() || !scene.is_finished(&word.span) || !scene.is_plain(word) {
        return Vec::new();
    }
    let reach::Reach::Spec(reached) = reach::reach(scene.ask, command, number) else { return Vec::new() };
    let Some(directory) = reach::directory(scene.ask, &reached) else { return Vec::new() };
    let lists = kinds.iter().filter_map(|kind| scene.ask.world.live(*kind, &directory).yes().map(|list| (*kind, list)));
    let lists: Vec<(Live, std::sync::Arc<[Item]>)> = lists.collect();
    let items = || lists.iter().flat_map(|(kind, list)| list.iter().map(move |item| (*kind, &*item.name)));
    if items().any(|(_, name)| name == word.value) {
        return Vec::new();
    }
    let certain = match judge::judge(scene.ask, command) {
        Judgement::Impossible(reason) => reason.word == Some(number) && matches!(reason.wrong, Wrong::Name(_)),
        Judgement::Possible | Judgement::Unknown => false,
    };
    let reach = if certain { Reach::Usual } else { Reach::Careful };
    let names = items().filter(|(kind, _)| is_spelled(*kind)).map(|(_, name)| name);
    let found = near::near(&word.value, names, reach).into_iter().map(|near| (near.cost(), near)).collect();
    let fix = |near: Near<'_>| Fix {
        span: word.span.clone(),
        text: quote::word(near.word, scene.ask.dialect),
        edits: near.edits,
        kind: Kind::Name,
    };
    best(found).into_iter().map(fix).collect()
}

/// Whether names of this kind are chosen by people, so that a typo can be told from another name.
fn is_spelled(kind: Live) -> bool {
    match kind {
        Live::GitCommit | Live::GitStash | Live::GitState | Live::Process | Live::Package | Live::DockerImage => false,
        Live::GitBranch | Live::GitRemote | Live::GitTag | Live::GitChanged | Live::GitStaged => true,
        Live::MakeTarget | Live::JustRecipe | Live::NpmScript => true,
        Live::CargoPackage | Live::CargoBin | Live::CargoExample | Live::CargoTest | Live::CargoFeature => true,
        Live::Host | Live::DockerContainer | Live::SystemdUnit | Live::TmuxSession => true,
        Live::ProcessName | Live::User | Live::Group => true,
    }
}
