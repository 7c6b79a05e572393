//! Decides whether an argument or the value of a flag is of a kind that its slot takes, and names something that
//! exists.

use crate::complete::admit::{Proof, Slot, git, is_hash, is_missing, module};
use crate::complete::ask::Ask;
use crate::complete::candidate::{Kind as Adds, Source};
use crate::complete::commands;
use crate::complete::resolve;
use crate::complete::spec::reach::{self, Reached};
use crate::line::Word;
use crate::spec::format::Flag;
use crate::spec::kind::{Free, Kind};
use crate::world::{self, Known, Live};

impl Slot<'_, '_> {
    pub fn admits_value(&self, ask: &Ask<'_>, reached: &Reached<'_>, flag: &Flag, skip: usize, word: &Word) -> bool {
        let value = word.value.get(skip..).unwrap_or_default();
        let path = if word.fixed { None } else { resolve::absolute(ask, value, false) };
        let value = path.as_deref().unwrap_or(value);
        // A message is written for one occasion; one that ran repeatedly is offered once it is begun.
        let is_sentence = is_message(flag);
        let is_old = self.candidate.source == Source::History;
        let is_habit = || self.candidate.facts.past.is_some_and(|past| past.runs >= OFTEN) && self.is_begun(word, skip);
        if is_sentence && is_old && !is_habit() {
            return false;
        }
        if runs_module(reached, flag) && self.proof != Proof::RanHere && !module::is_there(ask, ask.cwd, value) {
            return false;
        }
        let kinds = flag.takes.as_ref().map_or(&[][..], |takes| &takes.kinds);
        self.takes(ask, reached, kinds, value)
    }

    /// Whether a letter of the value is typed; `skip` bytes of the word are not part of it.
    fn is_begun(&self, word: &Word, skip: usize) -> bool {
        let typed = self.ask.left.get(word.span.start + skip..).unwrap_or_default();
        typed.contains(char::is_alphanumeric)
    }

    /// Whether one of the kinds accepts the value.
    pub fn takes(&self, ask: &Ask<'_>, reached: &Reached<'_>, kinds: &[Kind], value: &str) -> bool {
        if kinds.is_empty() {
            return self.is_of_the_line();
        }
        if kinds.contains(&Kind::Live(Live::GitCommit)) && !git::reaches(ask, reached, value) {
            return false;
        }
        kinds.iter().any(|kind| self.is_one(ask, reached, kind, value, kinds))
    }

    fn is_one(&self, ask: &Ask<'_>, reached: &Reached<'_>, kind: &Kind, value: &str, kinds: &[Kind]) -> bool {
        match kind {
            Kind::File(_) | Kind::Directory | Kind::Path => {
                if self.is_unchanged(ask, reached, value, kinds) || git::is_untracked(ask, reached, value) {
                    return false;
                }
                let at = reach::directory(ask, reached);
                let Some(full) = at.and_then(|at| reach::path(ask, &at, value, true)) else {
                    return self.proof.is_used();
                };
                // Does not offer the current directory as a destination.
                let is_here = full.trim_end_matches('/') == ask.cwd.trim_end_matches('/');
                if *kind == Kind::Directory && is_here && kinds.len() == 1 && !self.goes_on() {
                    return false;
                }
                match resolve::kind(ask, &full) {
                    Known::Yes(world::Kind::File | world::Kind::Program) => *kind != Kind::Directory,
                    Known::Yes(world::Kind::Directory) if matches!(kind, Kind::File(_)) => self.may_lead_to_file(),
                    Known::Yes(world::Kind::Directory | world::Kind::Other) => true,
                    // A directory that cannot be listed is on another machine.
                    Known::No if matches!(ask.world.entries(ask.cwd), Known::No) => self.proof.is_used(),
                    // A name to be created, if the user has created such a name here before.
                    Known::No => {
                        self.proof == Proof::RanHere && may_be_new(kinds) || is_no_path(value) && self.is_of_the_line()
                    }
                    // Not offered until the lookup is done, which takes a moment.
                    Known::NotYet => false,
                }
            }
            Kind::Live(live) => self.is_live(ask, reached, *live, value),
            Kind::List(choices) => choices.iter().any(|choice| *choice.value == *value) || self.is_of_the_line(),
            // What was created exists by now, unless it is created repeatedly.
            Kind::Free(Free::New) => {
                self.proof == Proof::RanHere
                    && self.candidate.facts.past.is_some_and(|past| past.runs >= OFTEN)
                    && !self.is_made(ask, reached, value)
            }
            // What was installed exists by now. A package that is not installed must be begun: it may be a typo that
            // failed.
            Kind::Free(Free::Package) => {
                let is_named =
                    self.is_of_the_line() || self.proof.is_used() && !ask.left.ends_with(char::is_whitespace);
                match ask.world.live(Live::Package, ask.cwd) {
                    Known::Yes(installed) => is_named && !installed.iter().any(|item| *item.name == *value),
                    Known::No => is_named,
                    Known::NotYet => false,
                }
            }
            // Beside names that can be looked up, only a value that cannot be one of them.
            Kind::Free(free) if kinds.iter().any(is_checked) => self.proof.is_used() && is_other(*free, value),
            Kind::Free(_) => self.proof.is_used() || self.candidate.source != Source::History,
            // A path must be begun or used before: otherwise the first directory would be offered as a command.
            Kind::Command | Kind::Program => {
                let is_begun = !ask.left.ends_with(char::is_whitespace);
                match value.contains('/') {
                    true => (is_begun || self.proof.is_used()) && !is_missing(ask, value),
                    false => commands::known(ask, value) != Known::No,
                }
            }
            Kind::Variable | Kind::ManPage => true,
        }
    }

    /// Whether a directory may stand where the command takes a file: on the way to one, or because it worked here
    /// before.
    fn may_lead_to_file(&self) -> bool {
        self.candidate.source == Source::Filesystem || self.goes_on() || self.proof == Proof::RanHere
    }

    /// Whether it is the common prefix of several paths.
    fn goes_on(&self) -> bool {
        let text = &self.candidate.text;
        let goes_on = || self.ask.history.starting_with(text, self.ask.cwd, 4);
        self.candidate.facts.kind == Adds::Words
            && text.ends_with('/')
            && goes_on().iter().any(|found| found.command.len() > text.len())
    }

    /// Whether the name to be created already exists, or did: a branch, a tag, a file.
    fn is_made(&self, ask: &Ask<'_>, reached: &Reached<'_>, value: &str) -> bool {
        // A branch that was deleted is not created again.
        if reached.pieces.first().is_some_and(|name| name.value == "git") {
            return true;
        }
        let path = resolve::absolute(ask, value, true);
        path.is_some_and(|path| matches!(resolve::kind(ask, &path), Known::Yes(_)))
    }

    /// Whether the command takes files with changes and this one has none.
    fn is_unchanged(&self, ask: &Ask<'_>, reached: &Reached<'_>, value: &str, kinds: &[Kind]) -> bool {
        let live = kinds.iter().find(|kind| matches!(kind, Kind::Live(Live::GitChanged | Live::GitStaged)));
        let Some(Kind::Live(live)) = live.filter(|_| self.candidate.source == Source::History) else {
            return false;
        };
        !self.is_live(ask, reached, *live, value)
    }

    /// Rejects a name that does not exist, for kinds of which all names are known.
    fn is_live(&self, ask: &Ask<'_>, reached: &Reached<'_>, live: Live, value: &str) -> bool {
        let Some(directory) = reach::directory(ask, reached) else { return self.proof.is_used() };
        // A path is not a host, with or without a host before it.
        if live == Live::Host && value.split(':').next().is_some_and(|host| host.contains('/')) {
            return false;
        }
        let items = match ask.world.live(live, &directory) {
            Known::Yes(items) => items,
            Known::NotYet => return false,
            Known::No if live == Live::GitCommit => return is_revision(value) && self.is_of_the_line(),
            // There is no makefile; a directory that cannot be listed may have one.
            Known::No if live == Live::MakeTarget => {
                return self.is_of_the_line() && !matches!(ask.world.entries(&directory), Known::Yes(_));
            }
            Known::No => return !is_complete(live) && self.is_of_the_line(),
        };
        if let Some(item) = items.iter().find(|item| *item.name == *value) {
            let is_here = live == Live::GitBranch && &*item.about == "current";
            let has = |names: &[&str]| reached.pieces.iter().any(|piece| names.contains(&&*piece.value));
            let is_old_push = live == Live::GitBranch
                && !is_here
                && self.candidate.facts.past.is_some()
                && self.ask.left.ends_with(char::is_whitespace)
                && has(&["push"]);
            return !(is_here && has(&OTHER_BRANCHES) || is_old_push) && git::takes(reached, live, item);
        }
        match live {
            // `.`, a directory with changes in it, a pattern.
            Live::GitChanged | Live::GitStaged => {
                let inside = format!("{}/", value.trim_end_matches('/'));
                value == "." && !items.is_empty() || items.iter().any(|item| item.name.starts_with(&inside))
            }
            Live::GitBranch | Live::GitTag | Live::GitCommit => is_revision(value) && self.proof.is_used(),
            // `me@web1`, `web1:`
            Live::Host => {
                let host = value.split(':').next().unwrap_or_default().rsplit('@').next().unwrap_or_default();
                items.iter().any(|item| *item.name == *host) || self.is_of_the_line()
            }
            _ => !is_complete(live) && self.is_of_the_line(),
        }
    }
}

/// Whether the world lists all names of this kind that can be used here.
fn is_complete(live: Live) -> bool {
    match live {
        Live::GitBranch | Live::GitRemote | Live::GitTag | Live::GitChanged | Live::GitStaged | Live::GitStash => true,
        Live::GitState => true,
        Live::NpmScript | Live::JustRecipe | Live::CargoPackage | Live::CargoBin | Live::CargoExample => true,
        Live::CargoTest | Live::CargoFeature | Live::TmuxSession | Live::Process | Live::User | Live::Group => true,
        // Patterns and included files add targets and hosts; of images, units and packages only some are listed.
        Live::GitCommit | Live::MakeTarget | Live::Host | Live::DockerContainer | Live::DockerImage => false,
        Live::SystemdUnit | Live::ProcessName | Live::Package => false,
    }
}

/// Whether the world can look up names of this kind.
fn is_checked(kind: &Kind) -> bool {
    match kind {
        Kind::File(_) | Kind::Directory | Kind::Path => true,
        Kind::Live(live) => is_complete(*live),
        // A value outside a list is a different kind for that reason alone.
        Kind::List(_) | Kind::Program | Kind::Free(_) | Kind::Command | Kind::Variable | Kind::ManPage => false,
    }
}

/// Whether a word is of this kind and can be nothing else.
fn is_other(free: Free, value: &str) -> bool {
    match free {
        Free::Text => is_revision(value) || is_no_path(value),
        Free::Url => value.contains("://") || value.contains('@') && value.contains(':'),
        Free::Pattern => value.contains(['*', '?', '[']) || value.starts_with(':'),
        Free::Number | Free::Port | Free::Date | Free::Size | Free::Mode => {
            value.starts_with(|first: char| first.is_ascii_digit() || "+-".contains(first))
        }
        Free::New | Free::Package => false,
    }
}

/// `python -m`
fn runs_module(reached: &Reached<'_>, flag: &Flag) -> bool {
    let name = || reached.pieces.first().map_or("", |name| name.value.rsplit('/').next().unwrap_or_default());
    flag.is("-m") && (name().starts_with("python") || name().starts_with("pypy"))
}

/// Whether the value of a flag is a message for readers.
fn is_message(flag: &Flag) -> bool {
    const NAMES: [&str; 8] =
        ["--message", "--title", "--body", "--description", "--notes", "--comment", "--subject", "--annotation"];
    flag.names.iter().any(|name| NAMES.contains(&&**name))
}

/// Subcommands of git for which the current branch makes no sense as an argument.
const OTHER_BRANCHES: [&str; 7] = ["switch", "checkout", "merge", "rebase", "branch", "cherry-pick", "worktree"];

/// Runs from which a line is a habit.
const OFTEN: u32 = 2;

/// `HEAD~2`, `@{u}`, `main..topic`, a commit hash: nothing that a list of branches contains.
fn is_revision(value: &str) -> bool {
    is_hash(value) || value.contains("HEAD") || value.contains(['~', '^', '@', ':']) || value == "-"
}

/// An address, a numbered item, standard input.
fn is_no_path(value: &str) -> bool {
    value.contains(':') || value.starts_with(['-', '+', '@']) || value.contains("...")
}

fn may_be_new(kinds: &[Kind]) -> bool {
    kinds.contains(&Kind::Free(Free::New))
}
