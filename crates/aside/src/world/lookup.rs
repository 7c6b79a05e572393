//! Looks up the answer to a question, on a thread that may block. One match says which module answers, another how long the answer is
//! valid.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use aside_commands::world::{DirEntry, FileKind, LiveItem, LiveKind};
use aside_text::clean;

use crate::world::cache::{Cache, Lifetime, Programs};
use crate::world::directory::{self, Listing, is_presentable};
use crate::world::git_changes::{Changes, changes};
use crate::world::learn::Learner;
use crate::world::pool::{Pool, Question};
use crate::world::{
    accounts, cargo, docker, git, hosts, just, locked, make, manual, npm, packages, processes, repository,
    systemd_units, tmux,
};

/// Cap on live names of one kind in one place.
const MAX_ITEMS: usize = 5_000;
/// Cap on the letters of a description.
const MAX_ABOUT: usize = 80;
/// Cap on the directories of a PATH.
const MAX_PATH_DIRECTORIES: usize = 128;
const MAX_PROGRAMS: usize = 50_000;

pub struct Lookup {
    cache: Mutex<Cache>,
    pub pool: Arc<Pool>,
    pub learner: Learner,
}

impl Lookup {
    pub fn new(learner: Learner) -> Self {
        Self { cache: Mutex::default(), pool: Arc::default(), learner }
    }

    pub fn cache(&self) -> MutexGuard<'_, Cache> {
        locked(&self.cache)
    }

    pub fn ask(self: &Arc<Self>, question: Question) {
        let lookup = Arc::clone(self);
        self.pool.ask(question, move |question| lookup.answer(question));
    }

    fn answer(&self, question: &Question) {
        // Counted before the lookup: a command that ends meanwhile may change what was read.
        let commands = self.cache().commands;
        match question {
            Question::Entries(path) => {
                self.listing(path, commands);
            }
            Question::Programs(path) => {
                let programs = self.programs(path, commands);
                self.cache().programs.put(Arc::clone(path), Some(programs), Instant::now(), commands);
            }
            Question::Repository(directory) => {
                let root = repository::root(Path::new(&**directory));
                let root = root.and_then(|root| root.into_os_string().into_string().ok()).map(Arc::from);
                self.cache().repositories.put(Arc::clone(directory), root, Instant::now(), commands);
            }
            Question::Learnt { command, path, home } => {
                let text = self.learner.learnt(command, path, home);
                let key = (Arc::clone(command), Arc::clone(path));
                self.cache().learnt.put(key, text, Instant::now(), commands);
            }
            Question::Manual { command, path } => {
                let page = manual::page(command, path);
                let key = (Arc::clone(command), Arc::clone(path));
                self.cache().manuals.put(key, page, Instant::now(), commands);
            }
            Question::Live(what, place) => {
                for (what, items) in live(*what, place) {
                    let items = items.map(presentable);
                    self.cache().live.put((what, Arc::clone(place)), items, Instant::now(), commands);
                }
            }
        }
    }

    fn listing(&self, path: &Arc<str>, commands: u64) -> Option<Listing> {
        let last = self.cache().entries.last(path);
        let listing = directory::list(path, last);
        self.cache().entries.put(Arc::clone(path), listing.clone(), Instant::now(), commands);
        listing
    }

    fn programs(&self, path: &Arc<str>, commands: u64) -> Programs {
        // Skips relative directories, which depend on the line.
        let directories = path.split(':').filter_map(crate::world::plain).take(MAX_PATH_DIRECTORIES);
        let from: Vec<Arc<[DirEntry]>> = directories
            .filter_map(|directory| self.listing(&Arc::from(directory), commands))
            .map(|listing| listing.entries)
            .collect();
        let last = self.cache().programs.last(path);
        if let Some(last) = last
            && last.from.len() == from.len()
            && last.from.iter().zip(&from).all(|(one, other)| Arc::ptr_eq(one, other))
        {
            return last;
        }
        Programs { names: programs_in(&from), from: from.into() }
    }
}

fn programs_in(listings: &[Arc<[DirEntry]>]) -> Arc<[Box<str>]> {
    let entries = listings.iter().flat_map(|entries| entries.iter());
    let mut names: Vec<&str> =
        entries.filter(|entry| entry.kind == FileKind::Program).map(|entry| &*entry.name).collect();
    names.sort_unstable();
    names.dedup();
    names.truncate(MAX_PROGRAMS);
    names.into_iter().map(Box::from).collect()
}

/// The programs on a PATH, looked up without the cache.
pub fn programs(path: &str) -> Arc<[Box<str>]> {
    let mut seen = std::collections::HashSet::new();
    let directories = path.split(':').filter_map(crate::world::plain).take(MAX_PATH_DIRECTORIES);
    // `/bin` is `/usr/bin` on many machines, and reading it is most of the work.
    let directories =
        directories.filter(|directory| Path::new(directory).canonicalize().is_ok_and(|it| seen.insert(it)));
    let listings: Vec<Arc<[DirEntry]>> =
        directories.filter_map(|directory| directory::list(directory, None)).map(|listing| listing.entries).collect();
    programs_in(&listings)
}

/// Whether the PATH has a program of this name, without the cache.
pub fn has_program(path: &str, name: &str) -> bool {
    let mut directories = path.split(':').filter_map(crate::world::plain).take(MAX_PATH_DIRECTORIES);
    is_presentable(name) && !name.contains('/') && directories.any(|directory| directory::has_program(directory, name))
}

/// The names of a kind, without the cache.
pub fn names(what: LiveKind, place: &str) -> Option<Arc<[LiveItem]>> {
    let found = live(what, place).into_iter().find(|(kind, _)| *kind == what);
    found.and_then(|(_, items)| items).map(presentable)
}

/// What the names of a kind depend on.
pub enum LookupScope {
    Directory,
    Home,
    Anywhere,
}

pub fn scope(what: LiveKind) -> LookupScope {
    match what {
        LiveKind::GitBranch
        | LiveKind::GitRemote
        | LiveKind::GitTag
        | LiveKind::GitChanged
        | LiveKind::GitStaged
        | LiveKind::GitStash
        | LiveKind::GitCommit
        | LiveKind::GitState
        | LiveKind::MakeTarget
        | LiveKind::JustRecipe
        | LiveKind::NpmScript
        | LiveKind::CargoPackage
        | LiveKind::CargoBin
        | LiveKind::CargoExample
        | LiveKind::CargoTest
        | LiveKind::CargoFeature => LookupScope::Directory,
        LiveKind::Host | LiveKind::SystemdUnit => LookupScope::Home,
        LiveKind::DockerContainer
        | LiveKind::DockerImage
        | LiveKind::TmuxSession
        | LiveKind::Process
        | LiveKind::ProcessName
        | LiveKind::User
        | LiveKind::Group
        | LiveKind::Package => LookupScope::Anywhere,
    }
}

pub fn lifetime(what: LiveKind) -> Lifetime {
    match what {
        LiveKind::GitBranch
        | LiveKind::GitRemote
        | LiveKind::GitTag
        | LiveKind::GitStash
        | LiveKind::GitCommit
        | LiveKind::GitState => Lifetime::until_a_command(Duration::from_secs(2)),
        LiveKind::GitChanged | LiveKind::GitStaged => Lifetime::until_a_command(Duration::from_secs(5)),
        LiveKind::MakeTarget
        | LiveKind::JustRecipe
        | LiveKind::NpmScript
        | LiveKind::CargoPackage
        | LiveKind::CargoBin
        | LiveKind::CargoExample
        | LiveKind::CargoTest
        | LiveKind::CargoFeature => Lifetime::until_a_command(Duration::from_secs(2)),
        LiveKind::DockerContainer | LiveKind::DockerImage | LiveKind::TmuxSession => {
            Lifetime::until_a_command(Duration::from_secs(10))
        }
        LiveKind::Process | LiveKind::ProcessName => Lifetime::until_a_command(Duration::from_secs(5)),
        LiveKind::Host => Lifetime::until_a_command(Duration::from_secs(10)),
        LiveKind::SystemdUnit | LiveKind::User | LiveKind::Group | LiveKind::Package => {
            Lifetime::time(Duration::from_secs(30))
        }
    }
}

/// The names of that kind, and of any other that came along.
fn live(what: LiveKind, place: &str) -> Vec<(LiveKind, Option<Vec<LiveItem>>)> {
    let directory = Path::new(place);
    let items = match what {
        // One call of git answers both.
        LiveKind::GitChanged | LiveKind::GitStaged => {
            let (changed, staged) = match changes(directory) {
                Some(Changes { changed, staged }) => (Some(changed), Some(staged)),
                None => (None, None),
            };
            return vec![(LiveKind::GitChanged, changed), (LiveKind::GitStaged, staged)];
        }
        LiveKind::GitBranch => git::branches(directory),
        LiveKind::GitRemote => git::remotes(directory),
        LiveKind::GitTag => git::tags(directory),
        LiveKind::GitStash => git::stashes(directory),
        LiveKind::GitCommit => git::commits(directory),
        LiveKind::GitState => git::state(directory),
        LiveKind::MakeTarget => make::targets(directory),
        LiveKind::JustRecipe => just::recipes(directory),
        LiveKind::NpmScript => npm::scripts(directory),
        LiveKind::CargoPackage => cargo::packages(directory),
        LiveKind::CargoBin => cargo::targets(directory, cargo::Target::Bin),
        LiveKind::CargoExample => cargo::targets(directory, cargo::Target::Example),
        LiveKind::CargoTest => cargo::targets(directory, cargo::Target::Test),
        LiveKind::CargoFeature => cargo::features(directory),
        LiveKind::Host => hosts::hosts(directory),
        LiveKind::DockerContainer => docker::containers(),
        LiveKind::DockerImage => docker::images(),
        LiveKind::SystemdUnit => systemd_units::units(directory),
        LiveKind::TmuxSession => tmux::sessions(),
        LiveKind::Process => processes::numbers(),
        LiveKind::ProcessName => processes::names(),
        LiveKind::User => accounts::users(),
        LiveKind::Group => accounts::groups(),
        LiveKind::Package => packages::packages(),
    };
    vec![(what, items)]
}

/// Removes unpresentable and duplicate names, and applies the cap.
fn presentable(items: Vec<LiveItem>) -> Arc<[LiveItem]> {
    let mut seen = std::collections::HashSet::new();
    let fit = items.into_iter().filter(|item| is_presentable(&item.name) && seen.insert(item.name.clone()));
    fit.take(MAX_ITEMS).map(|item| LiveItem { about: one_line(&item.about), name: item.name }).collect()
}

fn one_line(text: &str) -> Box<str> {
    let text = clean(text.trim().lines().next().unwrap_or("")).replace('\t', " ");
    match text.char_indices().nth(MAX_ABOUT) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()).into(),
        None => text.into(),
    }
}
