//! Whether a command can run at all, as far as its spec and the machine tell. Careful: what is not certain is not
//! impossible. Does not say whether it should run.

use crate::complete::ask::Ask;
use crate::complete::resolve;
use crate::complete::spec::reach::{self, Reach, Reached};
use crate::line::{Command, Dialect, Join};
use crate::spec::kind::Kind;
use crate::spec::walk::{End, Piece, Step};
use crate::world::{self, Known, Live};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Every word is one that the spec knows.
    Possible,
    Impossible(Reason),
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The number of the word that is wrong; none when an alias brought it.
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

/// A word that is not one of the names known to be possible there: likely a slip.
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
    // What ran before it on the line may have made the file, or moved elsewhere.
    let alone = matches!(command.join, Join::First);
    let arguments = reached.walk.steps.iter().filter(|step| matches!(step, Step::Argument(..))).count();
    let mut seen = 0;
    let mut after_unknown = false;
    for (step, piece) in reached.walk.steps.iter().zip(&reached.pieces[1..]) {
        // A flag that is not known may have taken the word as its value.
        let value_perhaps = std::mem::replace(&mut after_unknown, matches!(step, Step::Unknown));
        let (value, kinds) = match step {
            Step::Subcommand | Step::Flag | Step::Dashes => continue,
            // A flag may name what the command will make, and a list need not be complete.
            Step::Value | Step::AfterDashes | Step::Unknown => {
                judgement = Judgement::Unknown;
                continue;
            }
            Step::Argument(spec, number) => (&*piece.value, spec.args.at(*number)),
        };
        seen += 1;
        // Of several paths, the last one is often where the others go to.
        let target = arguments > 1 && seen == arguments;
        match verdict(ask, &reached, piece, value, kinds) {
            Known::No if alone && !target && !value_perhaps => return impossible(piece, wrong(kinds)),
            Known::Yes(()) => {}
            Known::No | Known::NotYet => judgement = Judgement::Unknown,
        }
    }
    judgement
}

/// The first word that should be a subcommand or a flag of the command and is none.
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

/// Whether the word can be one of the kinds: certain only when all of them are.
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
            // A program may be on PATH, a list need not be complete, and the rest may be anything.
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
    // `host:path`, `-` for the standard input or the last directory, `+1` for one on a stack, `./...` for all packages.
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
        // A path or an address is a remote too.
        Live::GitRemote => simple,
        Live::GitBranch | Live::GitTag => is_plain_branch(value) && knows_remote_branches(ask, &directory),
        // Of these the world tells only some.
        Live::GitCommit => is_plain_branch(value),
        Live::GitChanged | Live::GitStaged | Live::GitStash | Live::GitState => false,
        Live::MakeTarget | Live::JustRecipe => false,
        Live::CargoPackage | Live::CargoBin | Live::CargoExample | Live::CargoTest | Live::CargoFeature => false,
        Live::Host | Live::DockerContainer | Live::DockerImage | Live::SystemdUnit | Live::TmuxSession => false,
        Live::Process | Live::ProcessName | Live::User | Live::Group | Live::Package => false,
    };
    if certain { Known::No } else { Known::NotYet }
}

/// Whether it can only be the name of a branch or a tag: no number of a commit, no `HEAD~2`, no `@{u}`.
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

/// `git checkout topic` makes a branch of what a remote has; so a remote whose branches are not known may have it.
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
