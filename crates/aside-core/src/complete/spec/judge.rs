//! Decides whether a command can run at all, according to its spec and the machine. Conservative: what is uncertain is
//! not impossible. Does not say whether it should run.

use crate::complete::ask::Ask;
use crate::complete::resolve;
use crate::complete::spec::reach::{self, Reach, Reached};
use crate::line::{Command, Dialect, Join};
use crate::spec::kind::Kind;
use crate::spec::walk::{End, Piece, Step};
use crate::world::{self, Known, Live};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The spec knows every word.
    Possible,
    Impossible(Reason),
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Index of the wrong word; `None` when it comes from an alias.
    pub word: Option<usize>,
    pub wrong: Wrong,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// There is no such subcommand.
    Subcommand,
    /// There is no such file or directory.
    Missing,
    /// There is no such branch, remote or script.
    Name(Live),
}

/// A word that is none of the known names for its place: probably a typo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slip {
    pub word: usize,
    pub known: Vec<Box<str>>,
}

pub fn judge(ask: &Ask<'_>, command: &Command) -> Judgement {
    let Reach::Spec(reached) = reach::reach(ask, command, command.words.len()) else { return Judgement::Unknown };
    let impossible = |piece: &Piece<'_>, wrong| Judgement::Impossible(Reason { word: piece.word, wrong });
    let mut judgement = Judgement::Possible;
    if let End::Lost(at) = reached.walk.end() {
        let piece = &reached.pieces[at];
        return if reached.walk.spec().closed && piece.fixed {
            impossible(piece, Wrong::Subcommand)
        } else {
            Judgement::Unknown
        };
    }
    // An earlier command of the line may have created the file or changed the directory.
    let alone = matches!(command.join, Join::First);
    let arguments = reached.walk.steps.iter().filter(|step| matches!(step, Step::Argument(..))).count();
    let mut seen = 0;
    let mut after_unknown = false;
    for (step, piece) in reached.walk.steps.iter().zip(&reached.pieces[1..]) {
        // An unknown flag may have taken the word as its value.
        let value_perhaps = std::mem::replace(&mut after_unknown, matches!(step, Step::Unknown));
        let (value, kinds) = match step {
            Step::Subcommand | Step::Flag | Step::Dashes => continue,
            // A flag may name what the command will create, and a list need not be complete.
            Step::Value | Step::AfterDashes | Step::Unknown => {
                judgement = Judgement::Unknown;
                continue;
            }
            Step::Argument(spec, number) => (&*piece.value, spec.args.at(*number)),
        };
        seen += 1;
        // The last of several paths is often the destination.
        let target = arguments > 1 && seen == arguments;
        match verdict(ask, &reached, piece, value, kinds) {
            Known::No if alone && !target && !value_perhaps => return impossible(piece, wrong(kinds)),
            Known::Yes(()) => {}
            Known::No | Known::NotYet => judgement = Judgement::Unknown,
        }
    }
    judgement
}

/// The first word that should be a subcommand or a flag of the command and is not.
pub fn slip(ask: &Ask<'_>, command: &Command) -> Option<Slip> {
    let Reach::Spec(reached) = reach::reach(ask, command, command.words.len()) else { return None };
    let steps = reached.walk.steps.iter().zip(&reached.pieces[1..]);
    let mut unknown = steps.filter(|(step, piece)| matches!(step, Step::Unknown) && piece.fixed);
    let (_, piece) = unknown.next()?;
    let known = if piece.value.starts_with('-') {
        let flags = reached.walk.reach().flat_map(|spec| &spec.flags);
        flags.flat_map(|flag| flag.names.iter().cloned()).collect()
    } else {
        let subs = &reached.walk.spec().subs;
        subs.iter().flat_map(|sub| std::iter::once(&sub.name).chain(&sub.spec.aliases).cloned()).collect()
    };
    Some(Slip { word: piece.word?, known })
}

/// Whether the word can be one of the kinds: `No` only when all of them say so.
fn verdict(ask: &Ask<'_>, reached: &Reached<'_>, piece: &Piece<'_>, value: &str, kinds: &[Kind]) -> Known<()> {
    let mut all = Known::No;
    if kinds.is_empty() {
        return Known::NotYet;
    }
    for kind in kinds {
        let one = match kind {
            Kind::File(_) | Kind::Directory | Kind::Path => exists(ask, reached, piece, value, kind),
            Kind::Live(live) => live_exists(ask, reached, piece, value, *live),
            Kind::List(choices) if choices.iter().any(|choice| *choice.value == *value) => Known::Yes(()),
            // A program may be on PATH, a list need not be complete, and the others may be anything.
            Kind::List(_) | Kind::Program | Kind::Free(_) | Kind::Command | Kind::Variable | Kind::ManPage => {
                Known::NotYet
            }
        };
        match one {
            Known::Yes(()) => return Known::Yes(()),
            Known::NotYet => all = Known::NotYet,
            Known::No => {}
        }
    }
    all
}

fn exists(ask: &Ask<'_>, reached: &Reached<'_>, piece: &Piece<'_>, value: &str, kind: &Kind) -> Known<()> {
    // `host:path`, `-` for standard input or the previous directory, `+1` for an entry of the directory stack, `./...`
    // for all Go packages.
    let other = value.is_empty() || value.contains(':') || value.contains("...") || value.starts_with(['-', '+']);
    let elsewhere = *kind == Kind::Directory
        && ask.dialect != Dialect::Zsh
        && ask.names.variables.binary_search_by(|name| (**name).cmp("CDPATH")).is_ok();
    let full = reach::directory(ask, reached).and_then(|directory| reach::path(ask, &directory, value, piece.fixed));
    let Some(full) = full.filter(|_| !other && !elsewhere) else { return Known::NotYet };
    match resolve::kind(ask, &full) {
        Known::Yes(world::Kind::File | world::Kind::Program) if *kind == Kind::Directory => Known::No,
        Known::Yes(_) => Known::Yes(()),
        Known::No => Known::No,
        Known::NotYet => Known::NotYet,
    }
}

fn live_exists(ask: &Ask<'_>, reached: &Reached<'_>, piece: &Piece<'_>, value: &str, live: Live) -> Known<()> {
    let Some(directory) = reach::directory(ask, reached).filter(|_| piece.fixed) else { return Known::NotYet };
    let Known::Yes(items) = ask.world.live(live, &directory) else { return Known::NotYet };
    if items.iter().any(|item| *item.name == *value) {
        return Known::Yes(());
    }
    let simple = value.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'));
    let certain = match live {
        Live::NpmScript => true,
        // A path or an address is also accepted as a remote.
        Live::GitRemote => simple,
        Live::GitBranch | Live::GitTag => is_plain_branch(value) && knows_remote_branches(ask, &directory),
        // The world lists only some of these.
        Live::GitCommit => is_plain_branch(value),
        Live::GitChanged | Live::GitStaged | Live::GitStash | Live::GitState => false,
        Live::MakeTarget | Live::JustRecipe => false,
        Live::CargoPackage | Live::CargoBin | Live::CargoExample | Live::CargoTest | Live::CargoFeature => false,
        Live::Host | Live::DockerContainer | Live::DockerImage | Live::SystemdUnit | Live::TmuxSession => false,
        Live::Process | Live::ProcessName | Live::User | Live::Group | Live::Package => false,
    };
    if certain { Known::No } else { Known::NotYet }
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
fn knows_remote_branches(ask: &Ask<'_>, directory: &str) -> bool {
    let Known::Yes(remotes) = ask.world.live(Live::GitRemote, directory) else { return false };
    let Known::Yes(branches) = ask.world.live(Live::GitBranch, directory) else { return false };
    let is_of = |remote: &world::Item, branch: &world::Item| {
        branch.name.strip_prefix(&*remote.name).is_some_and(|rest| rest.starts_with('/'))
    };
    remotes.iter().all(|remote| branches.iter().any(|branch| is_of(remote, branch)))
}

fn wrong(kinds: &[Kind]) -> Wrong {
    let live = kinds.iter().find_map(|kind| if let Kind::Live(live) = kind { Some(*live) } else { None });
    live.map_or(Wrong::Missing, Wrong::Name)
}
