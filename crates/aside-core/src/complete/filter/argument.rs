//! Decides whether an argument or the value of a flag is of a kind that its slot takes, and names something that
//! exists.

use aside_commands::spec::format::Flag;
use aside_commands::spec::kind::{ArgKind, FreeText};
use aside_commands::world::{self, Fact, LiveKind};
use shell_line::Word;

use crate::complete::candidate::{CandidateKind as Adds, CandidateSource};
use crate::complete::command_names;
use crate::complete::context::CompletionContext;
use crate::complete::filter::{Proof, Slot, git, is_hash, is_missing, python_module};
use crate::complete::resolve_path;
use crate::complete::spec::resolve::{self, ResolvedCommand};

impl Slot<'_, '_> {
    pub fn admits_value(
        &self,
        context: &CompletionContext<'_>,
        reached: &ResolvedCommand<'_>,
        flag: &Flag,
        skip: usize,
        word: &Word,
    ) -> bool {
        let value = word.value.get(skip..).unwrap_or_default();
        let path = if word.fixed { None } else { resolve_path::absolute(context, value, false) };
        let value = path.as_deref().unwrap_or(value);
        // A message is written for one occasion; one that ran repeatedly is offered once it is begun.
        let is_sentence = is_message(flag);
        let is_old = self.candidate.source == CandidateSource::History;
        let is_habit = || self.candidate.facts.past.is_some_and(|past| past.runs >= OFTEN) && self.is_begun(word, skip);
        if is_sentence && is_old && !is_habit() {
            return false;
        }
        if runs_module(reached, flag)
            && self.proof != Proof::RanHere
            && !python_module::is_there(context, context.cwd, value)
        {
            return false;
        }
        let kinds = flag.takes.as_ref().map_or(&[][..], |takes| &takes.kinds);
        self.takes(context, reached, kinds, value)
    }

    /// Whether a letter of the value is typed; `skip` bytes of the word are not part of it.
    fn is_begun(&self, word: &Word, skip: usize) -> bool {
        let typed = self.context.left.get(word.span.start + skip..).unwrap_or_default();
        typed.contains(char::is_alphanumeric)
    }

    /// Whether one of the kinds accepts the value.
    pub fn takes(
        &self,
        context: &CompletionContext<'_>,
        reached: &ResolvedCommand<'_>,
        kinds: &[ArgKind],
        value: &str,
    ) -> bool {
        if kinds.is_empty() {
            return self.is_of_the_line();
        }
        if kinds.contains(&ArgKind::Live(LiveKind::GitCommit)) && !git::reaches(context, reached, value) {
            return false;
        }
        kinds.iter().any(|kind| self.is_one(context, reached, kind, value, kinds))
    }

    fn is_one(
        &self,
        context: &CompletionContext<'_>,
        reached: &ResolvedCommand<'_>,
        kind: &ArgKind,
        value: &str,
        kinds: &[ArgKind],
    ) -> bool {
        match kind {
            ArgKind::File(_) | ArgKind::Directory | ArgKind::Path => {
                if self.is_unchanged(context, reached, value, kinds) || git::is_untracked(context, reached, value) {
                    return false;
                }
                let at = resolve::directory(context, reached);
                let Some(full) = at.and_then(|at| resolve::path(context, &at, value, true)) else {
                    return self.proof.is_used();
                };
                // Does not offer the current directory as a destination.
                let is_here = full.trim_end_matches('/') == context.cwd.trim_end_matches('/');
                if *kind == ArgKind::Directory && is_here && kinds.len() == 1 && !self.goes_on() {
                    return false;
                }
                match resolve_path::kind(context, &full) {
                    Fact::Yes(world::FileKind::File | world::FileKind::Program) => *kind != ArgKind::Directory,
                    Fact::Yes(world::FileKind::Directory) if matches!(kind, ArgKind::File(_)) => {
                        self.may_lead_to_file()
                    }
                    Fact::Yes(world::FileKind::Directory | world::FileKind::Other) => true,
                    // A directory that cannot be listed is on another machine.
                    Fact::No if matches!(context.world.entries(context.cwd), Fact::No) => self.proof.is_used(),
                    // A name to be created, if the user has created such a name here before.
                    Fact::No => {
                        self.proof == Proof::RanHere && may_be_new(kinds) || is_no_path(value) && self.is_of_the_line()
                    }
                    // Not offered until the lookup is done, which takes a moment.
                    Fact::NotYet => false,
                }
            }
            ArgKind::Live(live) => self.is_live(context, reached, *live, value),
            ArgKind::List(choices) => choices.iter().any(|choice| *choice.value == *value) || self.is_of_the_line(),
            // What was created exists by now, unless it is created repeatedly.
            ArgKind::Free(FreeText::New) => {
                self.proof == Proof::RanHere
                    && self.candidate.facts.past.is_some_and(|past| past.runs >= OFTEN)
                    && !self.is_made(context, reached, value)
            }
            // What was installed exists by now. A package that is not installed must be begun: it may be a typo that
            // failed.
            ArgKind::Free(FreeText::Package) => {
                let is_named =
                    self.is_of_the_line() || self.proof.is_used() && !context.left.ends_with(char::is_whitespace);
                match context.world.live(LiveKind::Package, context.cwd) {
                    Fact::Yes(installed) => is_named && !installed.iter().any(|item| *item.name == *value),
                    Fact::No => is_named,
                    Fact::NotYet => false,
                }
            }
            // Beside names that can be looked up, only a value that cannot be one of them.
            ArgKind::Free(free) if kinds.iter().any(is_checked) => self.proof.is_used() && is_other(*free, value),
            ArgKind::Free(_) => self.proof.is_used() || self.candidate.source != CandidateSource::History,
            // A path must be begun or used before: otherwise the first directory would be offered as a command.
            ArgKind::Command | ArgKind::Program => {
                let is_begun = !context.left.ends_with(char::is_whitespace);
                match value.contains('/') {
                    true => (is_begun || self.proof.is_used()) && !is_missing(context, value),
                    false => command_names::known(context, value) != Fact::No,
                }
            }
            ArgKind::Variable | ArgKind::ManPage => true,
        }
    }

    /// Whether a directory may stand where the command takes a file: on the way to one, or because it worked here
    /// before.
    fn may_lead_to_file(&self) -> bool {
        self.candidate.source == CandidateSource::Filesystem || self.goes_on() || self.proof == Proof::RanHere
    }

    /// Whether it is the common prefix of several paths.
    fn goes_on(&self) -> bool {
        let text = &self.candidate.text;
        let goes_on = || self.context.history.starting_with(text, self.context.cwd, 4);
        self.candidate.facts.kind == Adds::Words
            && text.ends_with('/')
            && goes_on().iter().any(|found| found.command.len() > text.len())
    }

    /// Whether the name to be created already exists, or did: a branch, a tag, a file.
    fn is_made(&self, context: &CompletionContext<'_>, reached: &ResolvedCommand<'_>, value: &str) -> bool {
        // A branch that was deleted is not created again.
        if reached.pieces.first().is_some_and(|name| name.value == "git") {
            return true;
        }
        let path = resolve_path::absolute(context, value, true);
        path.is_some_and(|path| matches!(resolve_path::kind(context, &path), Fact::Yes(_)))
    }

    /// Whether the command takes files with changes and this one has none.
    fn is_unchanged(
        &self,
        context: &CompletionContext<'_>,
        reached: &ResolvedCommand<'_>,
        value: &str,
        kinds: &[ArgKind],
    ) -> bool {
        let live = kinds.iter().find(|kind| matches!(kind, ArgKind::Live(LiveKind::GitChanged | LiveKind::GitStaged)));
        let Some(ArgKind::Live(live)) = live.filter(|_| self.candidate.source == CandidateSource::History) else {
            return false;
        };
        !self.is_live(context, reached, *live, value)
    }

    /// Rejects a name that does not exist, for kinds of which all names are known.
    fn is_live(
        &self,
        context: &CompletionContext<'_>,
        reached: &ResolvedCommand<'_>,
        live: LiveKind,
        value: &str,
    ) -> bool {
        let Some(directory) = resolve::directory(context, reached) else { return self.proof.is_used() };
        // A path is not a host, with or without a host before it.
        if live == LiveKind::Host && value.split(':').next().is_some_and(|host| host.contains('/')) {
            return false;
        }
        let items = match context.world.live(live, &directory) {
            Fact::Yes(items) => items,
            Fact::NotYet => return false,
            Fact::No if live == LiveKind::GitCommit => return is_revision(value) && self.is_of_the_line(),
            // There is no makefile; a directory that cannot be listed may have one.
            Fact::No if live == LiveKind::MakeTarget => {
                return self.is_of_the_line() && !matches!(context.world.entries(&directory), Fact::Yes(_));
            }
            Fact::No => return !is_complete(live) && self.is_of_the_line(),
        };
        if let Some(item) = items.iter().find(|item| *item.name == *value) {
            let is_here = live == LiveKind::GitBranch && &*item.about == "current";
            let has = |names: &[&str]| reached.pieces.iter().any(|piece| names.contains(&&*piece.value));
            let is_old_push = live == LiveKind::GitBranch
                && !is_here
                && self.candidate.facts.past.is_some()
                && self.context.left.ends_with(char::is_whitespace)
                && has(&["push"]);
            return !(is_here && has(&OTHER_BRANCHES) || is_old_push) && git::takes(reached, live, item);
        }
        match live {
            // `.`, a directory with changes in it, a pattern.
            LiveKind::GitChanged | LiveKind::GitStaged => {
                let inside = format!("{}/", value.trim_end_matches('/'));
                value == "." && !items.is_empty() || items.iter().any(|item| item.name.starts_with(&inside))
            }
            LiveKind::GitBranch | LiveKind::GitTag | LiveKind::GitCommit => is_revision(value) && self.proof.is_used(),
            // `me@web1`, `web1:`
            LiveKind::Host => {
                let host = value.split(':').next().unwrap_or_default().rsplit('@').next().unwrap_or_default();
                items.iter().any(|item| *item.name == *host) || self.is_of_the_line()
            }
            _ => !is_complete(live) && self.is_of_the_line(),
        }
    }
}

/// Whether the world lists all names of this kind that can be used here.
fn is_complete(live: LiveKind) -> bool {
    match live {
        LiveKind::GitBranch
        | LiveKind::GitRemote
        | LiveKind::GitTag
        | LiveKind::GitChanged
        | LiveKind::GitStaged
        | LiveKind::GitStash => true,
        LiveKind::GitState => true,
        LiveKind::NpmScript
        | LiveKind::JustRecipe
        | LiveKind::CargoPackage
        | LiveKind::CargoBin
        | LiveKind::CargoExample => true,
        LiveKind::CargoTest
        | LiveKind::CargoFeature
        | LiveKind::TmuxSession
        | LiveKind::Process
        | LiveKind::User
        | LiveKind::Group => true,
        // Patterns and included files add targets and hosts; of images, units and packages only some are listed.
        LiveKind::GitCommit
        | LiveKind::MakeTarget
        | LiveKind::Host
        | LiveKind::DockerContainer
        | LiveKind::DockerImage => false,
        LiveKind::SystemdUnit | LiveKind::ProcessName | LiveKind::Package => false,
    }
}

/// Whether the world can look up names of this kind.
fn is_checked(kind: &ArgKind) -> bool {
    match kind {
        ArgKind::File(_) | ArgKind::Directory | ArgKind::Path => true,
        ArgKind::Live(live) => is_complete(*live),
        // A value outside a list is a different kind for that reason alone.
        ArgKind::List(_)
        | ArgKind::Program
        | ArgKind::Free(_)
        | ArgKind::Command
        | ArgKind::Variable
        | ArgKind::ManPage => false,
    }
}

/// Whether a word is of this kind and can be nothing else.
fn is_other(free: FreeText, value: &str) -> bool {
    match free {
        FreeText::Text => is_revision(value) || is_no_path(value),
        FreeText::Url => value.contains("://") || value.contains('@') && value.contains(':'),
        FreeText::Pattern => value.contains(['*', '?', '[']) || value.starts_with(':'),
        FreeText::Number | FreeText::Port | FreeText::Date | FreeText::Size | FreeText::Mode => {
            value.starts_with(|first: char| first.is_ascii_digit() || "+-".contains(first))
        }
        FreeText::New | FreeText::Package => false,
    }
}

/// `python -m`
fn runs_module(reached: &ResolvedCommand<'_>, flag: &Flag) -> bool {
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

fn may_be_new(kinds: &[ArgKind]) -> bool {
    kinds.contains(&ArgKind::Free(FreeText::New))
}
