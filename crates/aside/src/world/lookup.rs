//! Looks up the answer to a question, on a thread that may block. One match says which module answers, another how long the answer is
//! valid.

use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use aside_commands::world::{DirEntry, FileKind, LiveItem, LiveKind};
use aside_text::clean;
use regex::Regex;

use crate::world::cache::{Cache, Lifetime};
use crate::world::directory::{self, Listing, is_presentable};
use crate::world::git_changes::{Changes, changes};
use crate::world::learn::Learner;
use crate::world::pool::{Pool, Question};
use crate::world::{
    accounts, cargo, docker, git, hosts, just, locked, make, manual, npm, packages, processes, repository,
    systemd_units, tmux,
};

/// Cap on any file, in bytes.
pub const MAX_BYTES: u64 = 1024 * 1024;
/// Cap on live names of one kind in one place.
const MAX_ITEMS: usize = 5_000;
/// Cap on the letters of a description.
const MAX_ABOUT: usize = 80;
/// Cap on the directories of a PATH.
const MAX_PATH_DIRECTORIES: usize = 128;
/// Caps on matching files per file, on patterns, and on directory entries compared with them: a hostile file must not keep a thread busy.
const MAX_MATCHES: usize = 500;
const MAX_PATTERNS: usize = 500;
const MAX_COMPARED: usize = 50_000;
/// The longest possible file name.
const MAX_NAME: usize = 255;
const MAX_PROGRAMS: usize = 50_000;

pub struct Lookup {
    cache: Mutex<Cache>,
    pub pool: Arc<Pool>,
    pub learner: Learner,
}

/// The programs on one PATH.
#[derive(Clone)]
pub struct Programs {
    pub names: Arc<[Box<str>]>,
    /// The listings that they were taken from.
    from: Arc<[Arc<[DirEntry]>]>,
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

/// Whether the lookup reads a few files and asks no other program.
pub fn is_quick(what: LiveKind) -> bool {
    !matches!(
        what,
        LiveKind::GitChanged
            | LiveKind::GitStaged
            | LiveKind::DockerContainer
            | LiveKind::DockerImage
            | LiveKind::TmuxSession
            | LiveKind::Package
    )
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

pub fn item(name: impl Into<Box<str>>, about: impl Into<Box<str>>) -> LiveItem {
    LiveItem { name: name.into(), about: about.into() }
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

/// The beginning of a regular file: opening a FIFO would block.
pub fn read(file: &Path) -> Option<String> {
    let file = open(file)?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The complete lines at the end of a file, within so many bytes.
pub fn read_end(file: &Path, bytes: u64) -> Option<String> {
    use std::io::{Seek, SeekFrom};
    let mut file = open(file)?;
    let length = file.metadata().ok()?.len();
    let skipped = length.saturating_sub(bytes);
    file.seek(SeekFrom::Start(skipped)).ok()?;
    let mut end = Vec::new();
    file.take(bytes).read_to_end(&mut end).ok()?;
    let text = String::from_utf8_lossy(&end).into_owned();
    match text.split_once('\n') {
        Some((_, whole)) if skipped > 0 => Some(whole.to_owned()),
        _ => Some(text),
    }
}

/// The files that match the patterns, sorted by name for each. Only the last component may contain `*` or `?`; as in a shell, it does not
/// match hidden files.
pub fn glob(patterns: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut compared = 0;
    let mut files = Vec::new();
    for pattern in patterns.into_iter().take(MAX_PATTERNS) {
        if files.len() < MAX_MATCHES && compared < MAX_COMPARED {
            files.extend(matches(pattern, &mut compared));
        }
    }
    files.truncate(MAX_MATCHES);
    files
}

fn matches(pattern: PathBuf, compared: &mut usize) -> Vec<PathBuf> {
    let (Some(directory), Some(last)) = (pattern.parent(), pattern.file_name().and_then(|last| last.to_str())) else {
        return Vec::new();
    };
    if last.len() > MAX_NAME {
        return Vec::new();
    }
    if !last.contains(['*', '?']) {
        return vec![pattern];
    }
    let wanted = regex::escape(last).replace(r"\*", ".*").replace(r"\?", ".");
    let Ok(wanted) = Regex::new(&format!("^{wanted}$")) else { return Vec::new() };
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .take(MAX_COMPARED - *compared)
        .inspect(|_| *compared += 1)
        .filter(|entry| entry.file_name().to_str().is_some_and(|name| !name.starts_with('.') && wanted.is_match(name)))
        .map(|entry| entry.path())
        .collect();
    files.sort();
    files
}

/// The same for a file that another file names: reads it only if it is below this directory after resolving links.
pub fn read_below(base: &Path, file: &Path) -> Option<String> {
    read(&resolved_below(base, file)?)
}

/// The path with links resolved, if it is then below this directory.
pub fn resolved_below(base: &Path, path: &Path) -> Option<PathBuf> {
    let (base, path) = (base.canonicalize().ok()?, path.canonicalize().ok()?);
    path.starts_with(&base).then_some(path)
}

/// The limit for files that a file in this directory may name: its repository, or the directory itself.
pub fn base_of(directory: &Path) -> PathBuf {
    repository::root(directory).unwrap_or_else(|| directory.to_owned())
}

fn open(file: &Path) -> Option<std::fs::File> {
    // Opening a device or a FIFO can have side effects.
    if !std::fs::metadata(file).ok()?.is_file() {
        return None;
    }
    let flags = (rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY).bits() as i32;
    let file = std::fs::OpenOptions::new().read(true).custom_flags(flags).open(file).ok()?;
    // It may have been replaced meanwhile.
    file.metadata().ok()?.is_file().then_some(file)
}

/// A fixture: `netrc`, which parses as a makefile and a justfile, beside `repo`, which has a link to it and an empty directory `below`.
#[cfg(test)]
pub fn repository_beside_a_secret() -> tempfile::TempDir {
    let temp = tempfile::tempdir().unwrap();
    let at = |name: &str| temp.path().join(name);
    std::fs::create_dir_all(at("repo/.git")).unwrap();
    std::fs::create_dir_all(at("repo/below")).unwrap();
    std::fs::write(at("netrc"), "machine: \npassword: \n").unwrap();
    std::os::unix::fs::symlink(at("netrc"), at("repo/link")).unwrap();
    temp
}
