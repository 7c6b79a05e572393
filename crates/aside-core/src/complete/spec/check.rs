//! Decides whether a command can run at all, according to its spec and the machine. Conservative: what is uncertain is
//! not impossible. Does not say whether it should run.

use aside_commands::spec::kind::ArgKind;
use aside_commands::spec::walk::{SpecEnd, SpecWord, WalkStep};
use aside_commands::world::{self, Fact, LiveKind};
use shell_line::{Command, Dialect, Join};

use crate::complete::context::CompletionContext;
use crate::complete::resolve_path;
use crate::complete::spec::resolve::{self, Resolution, ResolvedCommand};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Validity {
    /// The spec knows every word.
    Possible,
    Impossible(InvalidWord),
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidWord {
    /// Index of the wrong word; `None` when it comes from an alias.
    pub word: Option<usize>,
    pub wrong: InvalidReason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidReason {
    /// There is no such subcommand.
    Subcommand,
    /// There is no such file or directory.
    Missing,
    /// There is no such branch, remote or script.
    Name(LiveKind),
}

/// A word that is none of the known names for its place: probably a typo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LikelyTypo {
    pub word: usize,
    pub known: Vec<Box<str>>,
}

pub fn check(context: &CompletionContext<'_>, command: &Command) -> Validity {
    let Resolution::Spec(reached) = resolve::resolve(context, command, command.words.len()) else {
        return Validity::Unknown;
    };
    let impossible = |piece: &SpecWord<'_>, wrong| Validity::Impossible(InvalidWord { word: piece.word, wrong });
    let mut judgement = Validity::Possible;
    if let SpecEnd::Lost(at) = reached.walk.end() {
        let piece = &reached.pieces[at];
        return if reached.walk.spec().closed && piece.fixed {
            impossible(piece, InvalidReason::Subcommand)
        } else {
            Validity::Unknown
        };
    }
    // An earlier command of the line may have created the file or changed the directory.
    let alone = matches!(command.join, Join::First);
    let arguments = reached.walk.steps.iter().filter(|step| matches!(step, WalkStep::Argument(..))).count();
    let mut seen = 0;
    let mut after_unknown = false;
    for (step, piece) in reached.walk.steps.iter().zip(&reached.pieces[1..]) {
        // An unknown flag may have taken the word as its value.
        let value_perhaps = std::mem::replace(&mut after_unknown, matches!(step, WalkStep::Unknown));
        let (value, kinds) = match step {
            WalkStep::Subcommand | WalkStep::Flag | WalkStep::Dashes => continue,
            // A flag may name what the command will create, and a list need not be complete.
            WalkStep::Value | WalkStep::AfterDashes | WalkStep::Unknown => {
                judgement = Validity::Unknown;
                continue;
            }
            WalkStep::Argument(spec, number) => (&*piece.value, spec.args.at(*number)),
        };
        seen += 1;
        // The last of several paths is often the destination.
        let target = arguments > 1 && seen == arguments;
        match verdict(context, &reached, piece, value, kinds) {
            Fact::No if alone && !target && !value_perhaps => return impossible(piece, wrong(kinds)),
            Fact::Yes(()) => {}
            Fact::No | Fact::NotYet => judgement = Validity::Unknown,
        }
    }
    judgement
}

/// The first word that should be a subcommand or a flag of the command and is not.
pub fn likely_typo(context: &CompletionContext<'_>, command: &Command) -> Option<LikelyTypo> {
    let Resolution::Spec(reached) = resolve::resolve(context, command, command.words.len()) else { return None };
    let steps = reached.walk.steps.iter().zip(&reached.pieces[1..]);
    let mut unknown = steps.filter(|(step, piece)| matches!(step, WalkStep::Unknown) && piece.fixed);
    let (_, piece) = unknown.next()?;
    let known = if piece.value.starts_with('-') {
        let flags = reached.walk.reach().flat_map(|spec| &spec.flags);
        flags.flat_map(|flag| flag.names.iter().cloned()).collect()
    } else {
        let subs = &reached.walk.spec().subs;
        subs.iter().flat_map(|sub| std::iter::once(&sub.name).chain(&sub.spec.aliases).cloned()).collect()
    };
    Some(LikelyTypo { word: piece.word?, known })
}

/// Whether the word can be one of the kinds: `No` only when all of them say so.
fn verdict(
    context: &CompletionContext<'_>,
    reached: &ResolvedCommand<'_>,
    piece: &SpecWord<'_>,
    value: &str,
    kinds: &[ArgKind],
) -> Fact<()> {
    let mut all = Fact::No;
    if kinds.is_empty() {
        return Fact::NotYet;
    }
    for kind in kinds {
        let one = match kind {
            ArgKind::File(_) | ArgKind::Directory | ArgKind::Path => exists(context, reached, piece, value, kind),
            ArgKind::Live(live) => live_exists(context, reached, piece, value, *live),
            ArgKind::List(choices) if choices.iter().any(|choice| *choice.value == *value) => Fact::Yes(()),
            // A program may be on PATH, a list need not be complete, and the others may be anything.
            ArgKind::List(_)
            | ArgKind::Program
            | ArgKind::Free(_)
            | ArgKind::Command
            | ArgKind::Variable
            | ArgKind::ManPage => Fact::NotYet,
        };
        match one {
            Fact::Yes(()) => return Fact::Yes(()),
            Fact::NotYet => all = Fact::NotYet,
            Fact::No => {}
        }
    }
    all
}

fn exists(
    context: &CompletionContext<'_>,
    reached: &ResolvedCommand<'_>,
    piece: &SpecWord<'_>,
    value: &str,
    kind: &ArgKind,
) -> Fact<()> {
    // `host:path`, `-` for standard input or the previous directory, `+1` for an entry of the directory stack, `./...`
    // for all Go packages.
    let other = value.is_empty() || value.contains(':') || value.contains("...") || value.starts_with(['-', '+']);
    let elsewhere = *kind == ArgKind::Directory
        && context.dialect != Dialect::Zsh
        && context.names.variables.binary_search_by(|name| (**name).cmp("CDPATH")).is_ok();
    let full = resolve::directory(context, reached)
        .and_then(|directory| resolve::path(context, &directory, value, piece.fixed));
    let Some(full) = full.filter(|_| !other && !elsewhere) else { return Fact::NotYet };
    match resolve_path::kind(context, &full) {
        Fact::Yes(world::FileKind::File | world::FileKind::Program) if *kind == ArgKind::Directory => Fact::No,
        Fact::Yes(_) => Fact::Yes(()),
        Fact::No => Fact::No,
        Fact::NotYet => Fact::NotYet,
    }
}

fn live_exists(
    context: &CompletionContext<'_>,
    reached: &ResolvedCommand<'_>,
    piece: &SpecWord<'_>,
    value: &str,
    live: LiveKind,
) -> Fact<()> {
    let Some(directory) = resolve::directory(context, reached).filter(|_| piece.fixed) else { return Fact::NotYet };
    let Fact::Yes(items) = context.world.live(live, &directory) else { return Fact::NotYet };
    if items.iter().any(|item| *item.name == *value) {
        return Fact::Yes(());
    }
    let simple = value.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'));
    let certain = match live {
        LiveKind::NpmScript => true,
        // A path or an address is also accepted as a remote.
        LiveKind::GitRemote => simple,
        LiveKind::GitBranch | LiveKind::GitTag => is_plain_branch(value) && knows_remote_branches(context, &directory),
        // The world lists only some of these.
        LiveKind::GitCommit => is_plain_branch(value),
        LiveKind::GitChanged | LiveKind::GitStaged | LiveKind::GitStash | LiveKind::GitState => false,
        LiveKind::MakeTarget | LiveKind::JustRecipe => false,
        LiveKind::CargoPackage
        | LiveKind::CargoBin
        | LiveKind::CargoExample
        | LiveKind::CargoTest
        | LiveKind::CargoFeature => false,
        LiveKind::Host
        | LiveKind::DockerContainer
        | LiveKind::DockerImage
        | LiveKind::SystemdUnit
        | LiveKind::TmuxSession => false,
        LiveKind::Process | LiveKind::ProcessName | LiveKind::User | LiveKind::Group | LiveKind::Package => false,
    };
    if certain { Fact::No } else { Fact::NotYet }
}

/// Whether it can only be the name of a branch or a tag: no commit hash, no `HEAD~2`, no `@{u}`.
fn is_plain_branch(value: &str) -> bool {
    let plain = value.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '/' | '.'));
    let hex = value.chars().all(|letter| letter.is_ascii_hexdigit());
    let commit = hex || value == "HEAD" || value.ends_with("_HEAD") || value.contains("-g");
    plain
        && !commit
        && !value.starts_with('-')
        && !value.contains("..")
        && !value.starts_with("refs/")
        && !value.starts_with("remotes/")
}

/// `git checkout topic` creates a branch from a remote one, so a remote whose branches are not known may have it.
fn knows_remote_branches(context: &CompletionContext<'_>, directory: &str) -> bool {
    let Fact::Yes(remotes) = context.world.live(LiveKind::GitRemote, directory) else { return false };
    let Fact::Yes(branches) = context.world.live(LiveKind::GitBranch, directory) else { return false };
    let is_of = |remote: &world::LiveItem, branch: &world::LiveItem| {
        branch.name.strip_prefix(&*remote.name).is_some_and(|rest| rest.starts_with('/'))
    };
    remotes.iter().all(|remote| branches.iter().any(|branch| is_of(remote, branch)))
}

fn wrong(kinds: &[ArgKind]) -> InvalidReason {
    let live = kinds.iter().find_map(|kind| if let ArgKind::Live(live) = kind { Some(*live) } else { None });
    live.map_or(InvalidReason::Missing, InvalidReason::Name)
}
