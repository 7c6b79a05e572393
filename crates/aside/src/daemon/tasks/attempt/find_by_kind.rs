//! Searches by what things are: looks up files, commits and definitions for core's `find`. Changes nothing.

use std::sync::atomic::AtomicBool;

use aside_task::proposal::{Proposal, SearchResult};
use aside_task::run::context::Ignored;
use aside_task::run::find::{self, Find, Than};
use aside_task::run::{ModelNeed, RunnerOutcome, code, short};

use crate::daemon::tasks::attempt::fact_answers::{Commit, History, history, listed, told};
use crate::daemon::tasks::attempt::{Attempt, blocking};
use crate::workspace::Workspace;
use crate::workspace::masked::Secrets;

/// Caps on commits that are looked through, and on rows of a list.
const MAX_COMMITS: usize = 1_000;
const MAX_ROWS: usize = 30;
/// Definitions that are listed.
const MAX_DEFINITIONS: usize = 100;

impl Attempt {
    /// The result of a search by kind; `None` if the request asks for a text or a name.
    pub(super) async fn found_by_kind(&self) -> Result<Option<RunnerOutcome>, String> {
        let Some(find) = find::read(self.words()) else { return Ok(None) };
        let (workspace, secrets) = (self.workspace.clone(), self.secrets());
        blocking(move |cancelled| looked_up(&workspace, &find, secrets, cancelled)).await
    }
}

fn looked_up(workspace: &Workspace, find: &Find, secrets: Secrets, cancelled: &AtomicBool) -> Option<RunnerOutcome> {
    match find {
        Find::Commits { about } => {
            let all = history(workspace, &History { many: MAX_COMMITS, ..History::default() })?;
            let lower = about.to_lowercase();
            let words: Vec<&str> = lower.split_whitespace().collect();
            let fits = |commit: &&Commit| {
                let subject = commit.subject.to_lowercase();
                words.iter().all(|word| subject.contains(word))
            };
            let rows: Vec<String> = all.iter().filter(fits).take(MAX_ROWS).map(Commit::row).collect();
            Some(match rows.is_empty() {
                true => {
                    told(format!("No commit of the last {} mentions {} in its first line.", all.len(), code(about)))
                }
                false => told(rows.concat()),
            })
        }
        Find::CommitsBy(name) => {
            let all = history(workspace, &History { many: MAX_ROWS, author: name, ..History::default() })?;
            Some(match all.is_empty() {
                true => told(format!("There is no commit by {}.", code(name))),
                false => told(all.iter().map(Commit::row).collect()),
            })
        }
        Find::FilesBy(name) => {
            let commits = history(workspace, &History { many: MAX_COMMITS, author: name, ..History::default() })?;
            let mut items: Vec<SearchResult> = Vec::new();
            for commit in &commits {
                for path in &commit.files {
                    if !items.iter().any(|item| item.path == *path) {
                        let preview = Some(format!("{} {}", commit.date, commit.subject));
                        items.push(SearchResult { path: path.clone(), preview });
                    }
                }
            }
            Some(listed(items, &format!("files in commits of {name}")))
        }
        Find::Added(words) => {
            let tree = workspace.tree(&[], cancelled).ok()?;
            let listed = tree.listed();
            let fits = |path: &str| {
                let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
                let stem = name.split('.').next().unwrap_or_default();
                let parts: Vec<&str> = stem.split(['-', '_']).collect();
                words.iter().all(|word| parts.contains(&word.as_str()))
            };
            let mut found = listed.iter().filter(|listed| listed.ignored == Ignored::No && fits(listed.path));
            match (found.next(), found.next()) {
                (Some(only), None) => added(workspace, only.path),
                _ => None,
            }
        }
        Find::Files { kind, under } => {
            let tree = workspace.tree(&[], cancelled).ok()?;
            let listing = tree.listed();
            let files = listing.iter().filter(|listed| listed.ignored == Ignored::No && kind.has(listed.path));
            let files = files.filter(|listed| is_under(listed.path, under.as_deref()));
            let items = files.map(|listed| SearchResult { path: listed.path.to_owned(), preview: None }).collect();
            Some(super::fact_answers::listed(items, kind.name()))
        }
        Find::Lines { than, lines } => {
            let mut items: Vec<(usize, String)> = Vec::new();
            workspace.each_text(secrets, cancelled, |path, text| {
                let count = text.lines().count();
                let fits = match than {
                    Than::More => count > *lines,
                    Than::Fewer => count < *lines,
                };
                if fits {
                    items.push((count, path.to_owned()));
                }
            })?;
            items.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
            let item = |(count, path): (usize, String)| SearchResult { path, preview: Some(format!("{count} lines")) };
            Some(listed(items.into_iter().map(item).collect(), "files"))
        }
        Find::Definitions { sort, scope, under } => {
            let mut items: Vec<SearchResult> = Vec::new();
            let mut all = 0;
            workspace.each_text(secrets, cancelled, |path, text| {
                if !is_under(path, under.as_deref()) {
                    return;
                }
                for (line, row) in find::defined(path, text, *sort, *scope) {
                    all += 1;
                    if items.len() < MAX_DEFINITIONS {
                        let preview = Some(short(&aside_redact::redact(&row), 160));
                        items.push(SearchResult { path: format!("{path}:{line}"), preview });
                    }
                }
            })?;
            if items.is_empty() {
                return Some(told(format!("No {} of that sort are defined here.", sort.name())));
            }
            let more = all - items.len();
            let details = if more > 0 { format!("{more} more are not shown.\n") } else { String::new() };
            let summary = format!("{all} {}", sort.name());
            Some(RunnerOutcome {
                proposal: Proposal::SearchResults { items },
                summary,
                details,
                model: ModelNeed::Unneeded,
            })
        }
    }
}

fn is_under(path: &str, under: Option<&str>) -> bool {
    under.is_none_or(|under| {
        path == under
            || path.ends_with(&format!("/{under}"))
            || path.starts_with(&format!("{under}/"))
            || path.contains(&format!("/{under}/"))
    })
}

/// The first commit of a file, and the later ones.
fn added(workspace: &Workspace, path: &str) -> Option<RunnerOutcome> {
    let commits = history(workspace, &History { many: MAX_COMMITS, path, ..History::default() })?;
    let Some(first) = commits.last() else {
        return Some(told(format!("No commit has {}.", code(path))));
    };
    let rows: String = commits.iter().take(10).map(Commit::row).collect();
    Some(told(format!("{} was added by {} on {}.\n\n{rows}", code(path), first.author, first.date)))
}
