//! Which files of a workspace can make git run commands later, and which of them a command has changed. Landlock cannot except a directory
//! within a writable one, and git itself has to write there: so the user is told of changes, and nothing is refused.
//!
//! Watches everything in git directories except what git merely stores there, and the files that configuration and hooks refer to. Only
//! inside the workspace, or where a link leads there: the command cannot write elsewhere.

mod git_directory;
mod references;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use aside_text::visible;

/// Cap on files and directories of a snapshot.
const MAX_WATCHED: usize = 10_000;
/// Caps on the search for repositories, besides the workspace's own.
const MAX_DIRECTORIES: usize = 5_000;
const MAX_ENTRIES: usize = 100_000;
const MAX_DEPTH: usize = 6;
/// Skipped: tools write many files there, and users do not work in them.
const PASSED_OVER: [&str; 7] = ["node_modules", "target", ".venv", "venv", ".tox", ".gradle", "__pycache__"];
/// Cap on reported names.
const MAX_TOLD: usize = 5;

/// Identifies a file's state. The kernel sets the change time, which no program can forge.
type State = (u64, u64, i64, i64);

#[derive(Debug)]
struct Watched {
    own: State,
    /// The state of a link's target.
    there: Option<State>,
    /// The file that names it, if it is watched only for that.
    named_by: Option<PathBuf>,
}

#[derive(Debug, Default)]
pub struct Hooks {
    workspace: PathBuf,
    states: BTreeMap<PathBuf, Watched>,
    /// The configuration or hook being read.
    naming: Option<PathBuf>,
    /// Some of it exceeds the caps, or cannot be read.
    is_cut: bool,
}

/// `environment` is the command's: it determines where the user's configuration is.
pub fn hooks(workspace: &Path, environment: &[(OsString, OsString)]) -> Hooks {
    let workspace = workspace.canonicalize().unwrap_or_else(|_| workspace.to_owned());
    let mut hooks = Hooks { workspace: workspace.clone(), ..Hooks::default() };
    let mut owners: Vec<(PathBuf, Option<PathBuf>)> = Vec::new();
    for repository in repositories(&workspace, &mut hooks) {
        let (git, tree) = match repository {
            Found::Entry(entry) => {
                hooks.watch(&entry);
                (git_directory::named_by(&entry), entry.parent().map(Path::to_owned))
            }
            Found::Directory(directory) => (Some(directory), None),
        };
        let Some(git) = git.and_then(|git| git.canonicalize().ok()) else { continue };
        let common = git_directory::common_of(&git).and_then(|common| common.canonicalize().ok());
        owners.extend([Some(git), common].into_iter().flatten().map(|directory| (directory, tree.clone())));
    }
    owners.retain(|(directory, _)| directory.starts_with(&workspace));
    let directories: BTreeSet<PathBuf> = owners.iter().map(|(directory, _)| directory.clone()).collect();
    for directory in &directories {
        git_directory::watch(directory, &mut hooks, &mut owners);
    }
    references::watch(&owners, environment, &mut hooks);
    hooks
}

/// What to report about a command that ran between the two snapshots.
pub fn report(before: &Hooks, after: &Hooks) -> Vec<String> {
    let mut changed: Vec<&PathBuf> = Vec::new();
    for (path, watched) in &after.states {
        // Reports a new directory once, without its content, which follows it in the order.
        let is_told = changed.last().is_some_and(|told| path.starts_with(told));
        // A file that was not referred to before need not be new; the change of the referring file is reported.
        let is_newly_named = !before.states.contains_key(path)
            && watched.named_by.as_ref().is_some_and(|file| !before.has_same(after, file));
        if !is_told && !is_newly_named && !before.has_same(after, path) {
            changed.push(path);
        }
    }
    let name = |path: &&PathBuf| {
        let shown = path.strip_prefix(&after.workspace).unwrap_or(path);
        visible::exact(&shown.to_string_lossy()).replace('\n', " ")
    };
    let told = changed.iter().take(MAX_TOLD).map(name);
    let mut told: Vec<String> =
        told.map(|name| format!("it changed {name}, by which git may run commands later")).collect();
    if changed.len() > MAX_TOLD {
        let others = changed.len() - MAX_TOLD;
        told.push(format!("it changed {others} other files, by which git may run commands later"));
    }
    if before.is_cut || after.is_cut {
        told.push(
            "not all files by which git may run commands later could be looked at; some may have changed".to_owned(),
        );
    }
    told
}

impl Hooks {
    /// Records the state of a path if the command can write it or its target. Returns its metadata.
    fn watch(&mut self, path: &Path) -> Option<Metadata> {
        let path = without_parents(path)?;
        let own = std::fs::symlink_metadata(&path).ok()?;
        if !path.starts_with(&self.workspace) && !self.is_inside(&path) {
            return None;
        }
        if self.states.len() >= MAX_WATCHED {
            self.is_cut = true;
            return None;
        }
        let there = if own.is_symlink() { std::fs::metadata(&path).ok() } else { None };
        let watched = Watched { own: state(&own), there: there.as_ref().map(state), named_by: self.naming.clone() };
        // An entry of its own takes precedence over one by reference.
        self.states.entry(path).or_insert(watched);
        if own.is_symlink() { there } else { Some(own) }
    }

    /// Everything below a directory, without following links.
    fn watch_all(&mut self, directory: &Path) {
        let mut places = vec![directory.to_owned()];
        while let Some(place) = places.pop() {
            for path in entries(&place) {
                let is_directory = self.watch(&path).is_some_and(|file| file.is_dir());
                if is_directory && !path.is_symlink() {
                    places.push(path);
                }
                if self.states.len() >= MAX_WATCHED {
                    self.is_cut = true;
                    return;
                }
            }
        }
    }

    /// Whether a file is the same in both snapshots. A file outside of the workspace counts as unchanged.
    fn has_same(&self, later: &Self, path: &Path) -> bool {
        let state = |hooks: &Self| hooks.states.get(path).map(|watched| (watched.own, watched.there));
        state(self) == state(later)
    }

    fn is_inside(&self, path: &Path) -> bool {
        path.canonicalize().is_ok_and(|resolved| resolved.starts_with(&self.workspace))
    }
}

fn state(file: &Metadata) -> State {
    // For a directory only its identity matters.
    if file.is_dir() {
        return (file.ino(), file.dev(), 0, 0);
    }
    (file.ino(), file.size(), file.ctime(), file.ctime_nsec())
}

fn entries(directory: &Path) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// The path without `..`, which behind a link leads elsewhere than it seems.
fn without_parents(path: &Path) -> Option<PathBuf> {
    if path.components().any(|component| component == Component::ParentDir) {
        return Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    }
    Some(path.to_owned())
}

enum Found {
    /// `.git`, a file or a directory.
    Entry(PathBuf),
    /// A directory that git takes for a repository although it is not called `.git`.
    Directory(PathBuf),
}

/// The repositories in a workspace, breadth first, so that what the caps cut off is far down.
fn repositories(workspace: &Path, hooks: &mut Hooks) -> Vec<Found> {
    let mut found = Vec::new();
    let mut level = vec![workspace.to_owned()];
    let (mut directories, mut count) = (0, 0);
    for depth in 0..=MAX_DEPTH {
        for directory in std::mem::take(&mut level) {
            directories += 1;
            let mut below = Vec::new();
            let (mut has_head, mut has_objects, mut has_refs, mut has_common) = (false, false, false, false);
            for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
                count += 1;
                let name = entry.file_name();
                match name.as_encoded_bytes() {
                    b"HEAD" => has_head = true,
                    b"objects" => has_objects = true,
                    b"refs" => has_refs = true,
                    b"commondir" => has_common = true,
                    name if name.eq_ignore_ascii_case(b".git") => {
                        found.push(Found::Entry(entry.path()));
                        continue;
                    }
                    _ => {}
                }
                let is_passed = PASSED_OVER.iter().any(|passed| name == *passed);
                if !is_passed && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    below.push(entry.path());
                }
            }
            if has_head && (has_common || (has_objects && has_refs)) {
                found.push(Found::Directory(directory));
            } else if depth < MAX_DEPTH {
                level.extend(below);
            }
            if directories >= MAX_DIRECTORIES || count >= MAX_ENTRIES {
                hooks.is_cut = true;
                return found;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
