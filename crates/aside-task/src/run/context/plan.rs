//! Picks the files worth reading for a request: those that it or an error names, those that are open, and those whose names resemble its
//! words.

use crate::denied_files::denied;
use crate::diff::path::RelativePath;
use crate::run::context::index::Role;
use crate::run::context::{ContextRequest, Ignored, ListedFile, MAX_FILES, PickReason, PickedFile};
use crate::run::facts;

/// Files of the tree that are compared with the words.
const MAX_TREE: usize = 50_000;
/// Files picked for their names alone, and for having changed.
const MAX_WORDS: usize = 4;
const MAX_CHANGED: usize = 4;
/// Files picked for being open, besides the active one.
const MAX_OPEN: usize = 4;
/// Files that say what a project is.
const MAX_PROJECT: usize = 3;
/// Letters of the shortest word that is compared: shorter ones are in too many names.
const SHORTEST: usize = 4;

/// What to read, the most important first, and what was left out, for the user.
pub fn plan(request: &ContextRequest<'_>) -> (Vec<PickedFile>, Vec<String>) {
    let mut picks: Vec<PickedFile> = Vec::new();
    let mut notes = Vec::new();
    for file in request.files {
        match found(file, request) {
            Ok(path) => take(&mut picks, path, PickReason::Named, 0),
            Err(note) => notes.push(note),
        }
    }
    for (file, line) in request.places {
        // An error names files of libraries as well: skips those outside the workspace.
        if let Ok(path) = found(file, request) {
            take(&mut picks, path, PickReason::Error, *line);
        }
    }
    if let Some((path, line)) = request.active {
        match denied(path) {
            Some(what) => notes.push(left_out(path, what)),
            None if is_ignored(path, request) || RelativePath::new(path).is_err() => {}
            None => take(&mut picks, path.to_owned(), PickReason::Active, line),
        }
    }
    for hit in request.hits {
        let reason = match hit.role {
            Role::Defines => PickReason::Defines,
            Role::Tests => PickReason::Tests,
            Role::Uses => PickReason::Uses,
        };
        if denied(&hit.path).is_none() {
            take(&mut picks, hit.path.clone(), reason, hit.line);
            if let Some(pick) = picks.iter_mut().find(|pick| pick.path == hit.path && pick.reason == reason) {
                pick.name.clone_from(&hit.name);
            }
        }
    }
    for path in like_words(request) {
        take(&mut picks, path.to_owned(), PickReason::Words, 0);
    }
    let may_show =
        |path: &&String| denied(path).is_none() && RelativePath::new(path).is_ok() && !is_ignored(path, request);
    for path in request.open.iter().filter(may_show).take(MAX_OPEN) {
        take(&mut picks, path.clone(), PickReason::Open, 0);
    }
    let about_project = facts::parse_question(request.words, None).is_some_and(|ask| ask.is_about_project());
    if about_project || picks.is_empty() {
        for path in request.project.iter().filter(|path| denied(path).is_none()).take(MAX_PROJECT) {
            take(&mut picks, path.clone(), PickReason::Project, 0);
        }
    }
    if !picks.is_empty() && !speaks_of_changes(request.words) {
        return bounded(picks, notes);
    }
    for path in request.changed.iter().filter(may_show).take(MAX_CHANGED) {
        take(&mut picks, path.clone(), PickReason::Changed, 0);
    }
    bounded(picks, notes)
}

fn bounded(mut picks: Vec<PickedFile>, mut notes: Vec<String>) -> (Vec<PickedFile>, Vec<String>) {
    picks.sort_by_key(|pick| pick.reason);
    for pick in picks.iter().skip(MAX_FILES).filter(|pick| pick.reason == PickReason::Named) {
        notes.push(format!("{} is left out: at most {MAX_FILES} files are shown", pick.path));
    }
    picks.truncate(MAX_FILES);
    (picks, notes)
}

/// Whether the words are about what has changed since the last commit.
fn speaks_of_changes(words: &str) -> bool {
    const WORDS: [&str; 14] = [
        "change",
        "changes",
        "changed",
        "diff",
        "commit",
        "committed",
        "uncommitted",
        "wip",
        "branch",
        "改动",
        "提交",
        "修改了",
        "regression",
        "broke",
    ];
    let lower = words.to_lowercase();
    lower.split(|letter: char| !letter.is_alphanumeric()).any(|word| WORDS.contains(&word))
        || WORDS.iter().any(|word| !word.is_ascii() && lower.contains(word))
}

/// An earlier pick keeps its reason, but takes over the line.
fn take(picks: &mut Vec<PickedFile>, path: String, reason: PickReason, line: usize) {
    match picks.iter_mut().find(|pick| pick.path == path) {
        Some(pick) if pick.line == 0 => pick.line = line,
        Some(_) => {}
        None => picks.push(PickedFile { path, reason, line, name: String::new() }),
    }
}

fn left_out(path: &str, what: &str) -> String {
    format!("{path} is left out: {what}")
}

fn is_ignored(path: &str, request: &ContextRequest<'_>) -> bool {
    request.tree.iter().any(|listed| listed.path == path && listed.ignored == Ignored::Yes)
}

/// The path that is meant: the exact one, or the only one that ends so.
fn found(file: &str, request: &ContextRequest<'_>) -> Result<String, String> {
    let file = file.trim_start_matches("./");
    if let Some(what) = denied(file) {
        return Err(left_out(file, what));
    }
    if RelativePath::new(file).is_err() {
        return Err(format!("{file} is left out: it is not inside the workspace"));
    }
    if request.tree.iter().any(|listed| listed.path == file) {
        return Ok(file.to_owned());
    }
    let ends = |listed: &&ListedFile<'_>| {
        listed.ignored == Ignored::No && listed.path.strip_suffix(file).is_some_and(|before| before.ends_with('/'))
    };
    let mut meant = request.tree.iter().filter(ends);
    match (meant.next(), meant.next()) {
        (Some(one), None) => match denied(one.path) {
            Some(what) => Err(left_out(one.path, what)),
            None => Ok(one.path.to_owned()),
        },
        (Some(_), Some(_)) => Err(format!("{file} is left out: there are several files of that name; write its path")),
        (None, _) => Err(format!("{file} is not there")),
    }
}

/// Paths whose names have the most words of the request.
fn like_words<'a>(request: &ContextRequest<'a>) -> Vec<&'a str> {
    let lower = request.words.to_lowercase();
    let words: Vec<&str> = lower
        .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .filter(|word| word.len() >= SHORTEST && !COMMON.contains(word))
        .collect();
    if words.is_empty() {
        return Vec::new();
    }
    let listed = request.tree.iter().take(MAX_TREE).filter(|listed| listed.ignored == Ignored::No);
    let mut scored: Vec<(usize, &str)> = listed
        .filter_map(|listed| {
            let name = listed.path.rsplit('/').next()?.to_lowercase();
            let stem = name.split('.').next().unwrap_or_default();
            let score: usize = words
                .iter()
                .map(|word| match () {
                    () if stem == *word || stem == word.trim_end_matches('s') => 4,
                    () if stem.split(['_', '-']).any(|part| part == *word) => 2,
                    () if stem.contains(word) => 1,
                    () => 0,
                })
                .sum();
            (score >= 2 && denied(listed.path).is_none()).then_some((score, listed.path))
        })
        .collect();
    scored.sort_by_key(|(score, path)| (usize::MAX - score, path.len(), *path));
    scored.into_iter().take(MAX_WORDS).map(|(_, path)| path).collect()
}

/// Words of requests that are also common in file names.
const COMMON: &[&str] = &[
    "test", "tests", "file", "files", "code", "function", "method", "class", "error", "errors", "make", "with", "from",
    "that", "this", "main", "index", "util", "utils", "change", "rename", "remove", "delete", "update", "write",
    "into", "module", "when", "should", "have", "please", "does", "what", "where", "which", "there", "line", "lines",
    "every", "using", "like",
];
