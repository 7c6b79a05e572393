//! Names in a repository, read from its files: branches, tags, remotes, stashes, commits. Asks git only where references are in reftables,
//! which are binary.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::time::SystemTime;

use aside_commands::world::LiveItem;

use crate::exec::git::Question;
use crate::exec::{Probe, probe};
use crate::world::read::{item, read, read_end};
use crate::world::repository::{Repository, repository};

/// Cap on references.
const MAX_REFS: usize = 20_000;
/// `feature/a/b/c` is a path of directories.
const MAX_DEPTH: usize = 16;
/// Bytes read from the end of a log.
const LOG_BYTES: u64 = 128 * 1024;
const MAX_COMMITS: usize = 100;
/// Letters of an abbreviated commit id: enough in all but the largest repositories.
const SHORT: usize = 8;

/// Branches: the last one visited first, since that is where the user goes back to; then the current one, then the others by when they were
/// last visited or changed. Remote ones come last.
pub fn branches(directory: &Path) -> Option<Vec<LiveItem>> {
    let repository = repository(directory)?;
    let head = head(&repository);
    let mut local = refs(&repository, "refs/heads/");
    let mut order: Vec<String> = visited(&repository);
    order.retain(|name| local.contains_key(name) && Some(name) != head.as_ref());
    // A new repository's branch does not exist before its first commit.
    if let Some(head) = head.clone().filter(|head| local.contains_key(head)) {
        order.insert(order.len().min(1), head);
    }
    for name in &order {
        local.remove(name);
    }
    order.extend(newest_first(local));
    let mut items: Vec<LiveItem> = order
        .into_iter()
        .map(|name| {
            let about = if Some(&name) == head.as_ref() { "current" } else { "" };
            item(name, about)
        })
        .collect();
    let remote = refs(&repository, "refs/remotes/").into_iter().filter(|(name, _)| !name.ends_with("/HEAD"));
    items.extend(newest_first(remote.collect()).into_iter().map(|name| item(name, "remote")));
    Some(items)
}

/// The highest version first.
pub fn tags(directory: &Path) -> Option<Vec<LiveItem>> {
    let repository = repository(directory)?;
    let mut names: Vec<String> = refs(&repository, "refs/tags/").into_keys().collect();
    names.sort_by_cached_key(|name| std::cmp::Reverse(natural(name)));
    Some(names.into_iter().map(|name| item(name, "")).collect())
}

pub fn remotes(directory: &Path) -> Option<Vec<LiveItem>> {
    let repository = repository(directory)?;
    let config = read(&repository.common.join("config"))?;
    let mut remotes: Vec<LiveItem> = Vec::new();
    let mut inside = false;
    for line in config.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let name = section.strip_prefix("remote \"").and_then(|rest| rest.split_once("\"]")).map(|(name, _)| name);
            inside = name.is_some();
            remotes.extend(name.map(|name| item(name, "")));
        } else if let Some((key, value)) = line.split_once('=')
            && inside
            && key.trim().eq_ignore_ascii_case("url")
            && let Some(remote) = remotes.last_mut().filter(|remote| remote.about.is_empty())
        {
            remote.about = without_credentials(value.trim()).into();
        }
    }
    remotes.sort_by_key(|remote| &*remote.name != "origin");
    Some(remotes)
}

pub fn stashes(directory: &Path) -> Option<Vec<LiveItem>> {
    let repository = repository(directory)?;
    let log = read_end(&repository.common.join("logs/refs/stash"), LOG_BYTES).unwrap_or_default();
    let messages = log.lines().rev().filter_map(|line| line.split_once('\t').map(|(_, message)| message));
    Some(messages.enumerate().map(|(number, message)| item(format!("stash@{{{number}}}"), message)).collect())
}

/// Commits that this worktree has been at, newest first, with their subjects where the log has them.
pub fn commits(directory: &Path) -> Option<Vec<LiveItem>> {
    let repository = repository(directory)?;
    let log = read_end(&repository.git.join("logs/HEAD"), LOG_BYTES)?;
    let mut gone = HashSet::new();
    let mut commits: Vec<LiveItem> = Vec::new();
    for line in log.lines().rev() {
        if commits.len() == MAX_COMMITS {
            break;
        }
        let Some((front, message)) = line.split_once('\t') else { continue };
        let mut names = front.split(' ').map(|name| name.get(..SHORT).unwrap_or(""));
        let (Some(old), Some(new)) = (names.next(), names.next()) else { continue };
        let (action, subject) = message.split_once(": ").unwrap_or((message, ""));
        if action == "commit (amend)" {
            gone.insert(old);
        }
        let has_subject = action.starts_with("commit") || matches!(action, "cherry-pick" | "revert" | "rebase (pick)");
        if gone.contains(new) || !new.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            continue;
        }
        match commits.iter_mut().find(|commit| *commit.name == *new) {
            // The newest entry may be a checkout; an older one has the subject.
            Some(commit) if commit.about.is_empty() && has_subject => commit.about = subject.into(),
            Some(_) => {}
            None => commits.push(item(new, if has_subject { subject } else { "" })),
        }
    }
    Some(commits)
}

/// Files that exist during an operation, and the operation's name.
const BEGUN: [(&str, &str); 7] = [
    ("rebase-merge", "rebase"),
    ("rebase-apply/rebasing", "rebase"),
    ("rebase-apply/applying", "am"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
];

/// Unfinished operations, and the number of commits if the log tells it.
pub fn state(directory: &Path) -> Option<Vec<LiveItem>> {
    let repository = repository(directory)?;
    let begun = BEGUN.iter().filter(|(file, _)| repository.git.join(file).exists());
    let mut state: Vec<LiveItem> = begun.map(|(_, what)| item(*what, "")).collect();
    let log = read_end(&repository.git.join("logs/HEAD"), LOG_BYTES).unwrap_or_default();
    state.extend(number_of_commits(&log).map(|number| item("commits", number.to_string())));
    Some(state)
}

/// Counts a log that begins with the first commit and consists of commits only: any other entry may have brought more.
fn number_of_commits(log: &str) -> Option<usize> {
    let mut number = 0;
    for line in log.lines() {
        let (front, message) = line.split_once('\t')?;
        let mut names = front.split(' ');
        let stays = names.next() == names.next();
        match message.split_once(": ")?.0 {
            "commit (initial)" => number = 1,
            "commit" if number > 0 => number += 1,
            "commit (amend)" if number > 0 => {}
            _ if stays && number > 0 => {}
            _ => return None,
        }
    }
    (number > 0).then_some(number)
}

/// The current branch.
fn head(repository: &Repository) -> Option<String> {
    let head = read(&repository.git.join("HEAD"))?;
    head.strip_prefix("ref: refs/heads/").map(|name| name.trim_end().to_owned())
}

/// Branches that were left or entered, newest first.
fn visited(repository: &Repository) -> Vec<String> {
    let log = read_end(&repository.git.join("logs/HEAD"), LOG_BYTES).unwrap_or_default();
    let moves = log.lines().rev().filter_map(|line| line.split_once("\tcheckout: moving from ")?.1.split_once(" to "));
    let mut seen = HashSet::new();
    moves.flat_map(|(from, to)| [to, from]).filter(|name| seen.insert(*name)).map(str::to_owned).collect()
}

type Refs = BTreeMap<String, Option<SystemTime>>;

/// The names below `prefix`, with the mtime of their file where they have one.
fn refs(repository: &Repository, prefix: &str) -> Refs {
    let mut refs = Refs::new();
    if repository.common.join("reftable").is_dir() {
        let names =
            probe(&Probe::Git { root: &repository.root, question: Question::Refs { prefix } }).unwrap_or_default();
        refs.extend(names.lines().filter_map(|name| name.strip_prefix(prefix)).map(|name| (name.to_owned(), None)));
        return refs;
    }
    let packed = read(&repository.common.join("packed-refs")).unwrap_or_default();
    let names = packed.lines().filter_map(|line| line.split_once(' ')?.1.strip_prefix(prefix));
    refs.extend(names.take(MAX_REFS).map(|name| (name.to_owned(), None)));
    loose(&repository.common.join(prefix), "", MAX_DEPTH, &mut refs);
    refs
}

fn loose(directory: &Path, above: &str, depth: usize, refs: &mut Refs) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { continue };
        if refs.len() >= MAX_REFS {
            return;
        }
        if kind.is_dir() && depth > 0 {
            loose(&entry.path(), &format!("{above}{name}/"), depth - 1, refs);
        } else if !kind.is_dir() && !name.ends_with(".lock") {
            refs.insert(format!("{above}{name}"), entry.metadata().and_then(|file| file.modified()).ok());
        }
    }
}

fn newest_first(refs: Refs) -> Vec<String> {
    let mut refs: Vec<_> = refs.into_iter().collect();
    // A stable sort: packed ones stay in order of names.
    refs.sort_by_key(|(_, changed)| std::cmp::Reverse(*changed));
    refs.into_iter().map(|(name, _)| name).collect()
}

/// A sort key with `v1.10` after `v1.9`, and `v2.0-rc1` before `v2.0`.
fn natural(name: &str) -> Vec<(u8, u64, String)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let letters = rest.bytes().take_while(|byte| !byte.is_ascii_digit()).count();
        let (part, after) = rest.split_at(digits.max(letters));
        parts.push(match part.parse() {
            Ok(number) => (2, number, String::new()),
            Err(_) if part.starts_with('-') => (0, 0, part.to_owned()),
            Err(_) => (2, 0, part.to_owned()),
        });
        rest = after;
    }
    // The end sorts after a `-rc1`, and before anything else.
    parts.push((1, 0, String::new()));
    parts
}

/// A URL for display: removes user, password and query, which may contain a token.
fn without_credentials(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or("");
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let end = rest.find('/').unwrap_or(rest.len());
            let (authority, path) = rest.split_at(end);
            let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
            format!("{scheme}://{host}{path}")
        }
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests;
