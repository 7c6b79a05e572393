//! What in a git directory can make git run something: hooks, settings, the steps of a rebase, and everything unknown.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::references::read;
use super::{Hooks, MAX_WATCHED};

/// Cap on nested modules; each name may contain slashes.
const MAX_DEPTH: usize = 32;

/// Git only stores data there, and runs nothing from it. Everything else is watched, known or not.
const STORED_DIRECTORIES: [&str; 11] = [
    "objects",
    "refs",
    "logs",
    "reftable",
    "lfs",
    "annex",
    "svn",
    "rr-cache",
    "lost-found",
    "fsmonitor--daemon",
    "NOTES_MERGE_WORKTREE",
];
const STORED_FILES: [&str; 10] = [
    "HEAD",
    "index",
    "packed-refs",
    "shallow",
    "MERGE_MODE",
    "MERGE_RR",
    "AUTO_MERGE",
    "gc.log",
    "gc.pid",
    "fsmonitor--daemon.ipc",
];
/// `ORIG_HEAD`, `COMMIT_EDITMSG`, `MERGE_MSG`.
const STORED_ENDINGS: [&str; 4] = ["_HEAD", "_EDITMSG", "_MSG", ".lock"];
/// Other forms of the index, and the state of a bisection. Not `BISECT_NAMES`: older versions evaluate it.
const STORED_BEGINNINGS: [&str; 8] = [
    "index.",
    "sharedindex.",
    "BISECT_LOG",
    "BISECT_START",
    "BISECT_TERMS",
    "BISECT_EXPECTED_REV",
    "BISECT_ANCESTORS_OK",
    "BISECT_FIRST_PARENT",
];
const STORED_INFO: [&str; 5] = ["exclude", "refs", "grafts", "sparse-checkout", "commit-graph"];
/// The progress of a rebase. Not the steps to come.
const STORED_REBASE: [&str; 14] = [
    "done",
    "msgnum",
    "end",
    "next",
    "last",
    "message",
    "stopped-sha",
    "amend",
    "orig-head",
    "patch",
    "rewritten-list",
    "rewritten-pending",
    "git-rebase-todo.backup",
    "abort-safety",
];

/// The kind of directory within a git directory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Top,
    Info,
    Rebase,
    /// Contains git directories, or directories that are parts of their names.
    Modules,
    /// Contains git directories.
    Worktrees,
    Other,
}

/// Watches a git directory with all its content. Appends the git directories that it finds, with their working tree if known.
pub fn watch(directory: &Path, hooks: &mut Hooks, found: &mut Vec<(PathBuf, Option<PathBuf>)>) {
    let mut seen = HashSet::from([directory.to_owned()]);
    let mut places = vec![(directory.to_owned(), Place::Top, 0)];
    hooks.watch(directory);
    while let Some((directory, place, depth)) = places.pop() {
        if depth > MAX_DEPTH {
            hooks.is_cut = true;
            continue;
        }
        for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let (is_link, is_directory) = match entry.file_type() {
                Ok(kind) if kind.is_symlink() => (true, path.is_dir()),
                kind => (false, kind.is_ok_and(|kind| kind.is_dir())),
            };
            if is_stored(place, &name.to_string_lossy(), is_directory) {
                continue;
            }
            hooks.watch(&path);
            if hooks.states.len() >= MAX_WATCHED {
                hooks.is_cut = true;
                return;
            }
            if !is_directory {
                continue;
            }
            // A link may lead elsewhere, or in a circle.
            let resolved = if is_link { path.canonicalize().unwrap_or_default() } else { path };
            if !resolved.starts_with(&hooks.workspace) || !seen.insert(resolved.clone()) {
                continue;
            }
            let within = within(place, &name, &resolved);
            if within == Place::Top {
                // The `.git` file of a worktree, which points here.
                let entry = read(&resolved.join("gitdir"), hooks).map(|file| resolved.join(line(&file)));
                entry.iter().for_each(|entry| _ = hooks.watch(entry));
                found.push((resolved.clone(), entry.and_then(|entry| entry.parent()?.canonicalize().ok())));
            }
            places.push((resolved, within, depth + 1));
        }
    }
}

fn is_stored(place: Place, name: &str, is_directory: bool) -> bool {
    match (place, is_directory) {
        (Place::Top, true) => STORED_DIRECTORIES.contains(&name),
        (Place::Top, false) => {
            STORED_FILES.contains(&name)
                || STORED_ENDINGS.iter().any(|ending| name.ends_with(ending))
                || STORED_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        }
        (Place::Info, false) => STORED_INFO.contains(&name) || name.ends_with(".lock"),
        (Place::Rebase, false) => STORED_REBASE.contains(&name),
        _ => false,
    }
}

fn within(place: Place, name: &OsStr, path: &Path) -> Place {
    match (place, name.as_bytes()) {
        (Place::Top, b"info") => Place::Info,
        (Place::Top, b"rebase-merge" | b"rebase-apply" | b"sequencer") => Place::Rebase,
        (Place::Top, b"modules") => Place::Modules,
        (Place::Top, b"worktrees") => Place::Worktrees,
        (Place::Worktrees, _) => Place::Top,
        (Place::Modules, _) if path.join("HEAD").exists() && path.join("objects").exists() => Place::Top,
        (Place::Modules, _) => Place::Modules,
        _ => Place::Other,
    }
}

/// The git directory that `.git` is or names.
pub fn named_by(entry: &Path) -> Option<PathBuf> {
    if entry.is_dir() {
        return Some(entry.to_owned());
    }
    let text = read(entry, &mut Hooks::default())?;
    Some(entry.parent()?.join(line(text.strip_prefix(b"gitdir:")?.trim_ascii_start())))
}

/// The common directory of a worktree.
pub fn common_of(git: &Path) -> Option<PathBuf> {
    Some(git.join(line(&read(&git.join("commondir"), &mut Hooks::default())?)))
}

fn line(text: &[u8]) -> &Path {
    let end = text.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    Path::new(OsStr::from_bytes(&text[..end]))
}
