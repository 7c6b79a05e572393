//! Searches by what things are: looks up files, commits and definitions for core's `find`. Changes nothing.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use aside_core::agent::language::Language;
use aside_task::proposal::{Proposal, SearchResult};
use aside_task::run::context::Ignored;
use aside_task::run::find::in_texts::{self, TextFind, TextSearch};
use aside_task::run::find::select::{self, FileSet, Filter, Selection, Since};
use aside_task::run::find::{self, Find, Order, Than, untested};
use aside_task::run::repository::Today;
use aside_task::run::search::definitions;
use aside_task::run::{ModelNeed, RunnerOutcome, code, short};

use crate::daemon::tasks::attempt::fact_answers::{Commit, History, commits, defined, history, listed, told};
use crate::daemon::tasks::attempt::{Attempt, blocking};
use crate::exec::git::{Question, Revision};
use crate::exec::{Probe, probe};
use crate::workspace::Workspace;
use crate::workspace::masked::Secrets;
use crate::workspace::read::read;
use crate::workspace::rooted_fs::Root;
use crate::workspace::texts::TextFilter;

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
        Find::Commits { about } => commits_about(workspace, about),
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
        Find::Added(words) => added_as(workspace, words, cancelled),
        Find::Files { kind, under } => {
            let tree = workspace.tree(&[], cancelled).ok()?;
            let listing = tree.listed();
            let files = listing.iter().filter(|listed| listed.ignored == Ignored::No && kind.has(listed.path));
            let files = files.filter(|listed| is_under(listed.path, under.as_deref()));
            let items = files.map(|listed| SearchResult { path: listed.path.to_owned(), preview: None }).collect();
            Some(super::fact_answers::listed(items, kind.name()))
        }
        Find::CommitsOf(file) => commits_of(workspace, file, cancelled),
        Find::TestFor(name) => test_for(workspace, name, secrets, cancelled),
        Find::Touching(text) => commits_touching(workspace, text),
        Find::Select(selection) => selected(workspace, selection, secrets, cancelled),
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
        Find::InTexts(search) => lines_of(workspace, search, secrets, cancelled),
        Find::Definition(name) => defined(workspace, name, secrets, Language::English, cancelled).map(told),
        Find::Untested(wanted) => without_tests(workspace, wanted, secrets, cancelled),
        Find::Ordered { what, order, many, under } => {
            let tree = workspace.tree(&[], cancelled).ok()?;
            let listing = tree.listed();
            let files = listing.iter().filter(|listed| listed.ignored == Ignored::No && what.has(listed.path));
            let mut files: Vec<(&str, std::fs::Metadata)> = files
                .filter(|listed| is_under(listed.path, under.as_deref()))
                .filter_map(|listed| {
                    let meta = std::fs::symlink_metadata(workspace.root().join(listed.path)).ok()?;
                    meta.is_file().then_some((listed.path, meta))
                })
                .collect();
            match order {
                Order::Largest => files.sort_by_key(|(_, meta)| std::cmp::Reverse(meta.len())),
                Order::Smallest => files.sort_by_key(|(_, meta)| meta.len()),
                Order::Newest => files.sort_by_key(|(_, meta)| std::cmp::Reverse(meta.modified().ok())),
                Order::Oldest => files.sort_by_key(|(_, meta)| meta.modified().ok()),
            }
            let day = |meta: &std::fs::Metadata| {
                let time = meta.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
                let (year, month, day) = civil(time.as_secs() / 86_400);
                Some(format!("{year:04}-{month:02}-{day:02}"))
            };
            let item = |(path, meta): &(&str, std::fs::Metadata)| SearchResult {
                path: (*path).to_owned(),
                preview: match order {
                    Order::Largest | Order::Smallest => Some(format!("{} bytes", meta.len())),
                    Order::Newest | Order::Oldest => day(meta),
                },
            };
            Some(listed(files.iter().take(*many).map(item).collect(), "files"))
        }
        Find::Definitions { sort, scope, under } => {
            let wanted = |path: &str, text: &str| match is_under(path, under.as_deref()) {
                true => find::defined(path, text, *sort, *scope),
                false => Vec::new(),
            };
            definitions_of(workspace, sort.name(), wanted, secrets, cancelled)
        }
    }
}

/// Code that no test covers.
fn without_tests(
    workspace: &Workspace,
    wanted: &untested::Untested,
    secrets: Secrets,
    cancelled: &AtomicBool,
) -> Option<RunnerOutcome> {
    let mut texts = BTreeMap::new();
    workspace.each_text(secrets, cancelled, |path, text| {
        texts.insert(path.to_owned(), text.to_owned());
    })?;
    let item = |path: String| match path.split_once(' ') {
        Some((place, name)) => SearchResult { path: place.to_owned(), preview: Some(name.to_owned()) },
        None => SearchResult { path, preview: None },
    };
    let found = untested::untested(wanted, &texts).into_iter().map(item).collect();
    Some(listed(found, &wanted.what.name()))
}

/// Lines of all files by what they are, or their number with the files that have most of them.
fn lines_of(
    workspace: &Workspace,
    search: &TextSearch,
    secrets: Secrets,
    cancelled: &AtomicBool,
) -> Option<RunnerOutcome> {
    let name = search.what.name();
    if let TextFind::Unused(scope) = search.what {
        let mut texts = BTreeMap::new();
        workspace.each_text(secrets, cancelled, |path, text| {
            texts.insert(path.to_owned(), text.to_owned());
        })?;
        let found = in_texts::unused(scope, &texts);
        let items = found.into_iter().filter(|(path, ..)| is_under(path, search.under.as_deref()));
        let item = |(path, line, row): (String, usize, String)| SearchResult {
            path: format!("{path}:{line}"),
            preview: Some(short(&aside_redact::redact(&row), 160)),
        };
        let items: Vec<SearchResult> = items.take(MAX_DEFINITIONS).map(item).collect();
        return Some(match items.is_empty() {
            true => told("Every function is mentioned somewhere else, by its name.".to_owned()),
            false => listed(items, &name),
        });
    }
    if search.counts {
        let mut counts: Vec<(usize, String)> = Vec::new();
        workspace.each_text(secrets, cancelled, |path, text| {
            if is_under(path, search.under.as_deref()) {
                let many = search.what.lines(path, text).len();
                if many > 0 {
                    counts.push((many, path.to_owned()));
                }
            }
        })?;
        counts.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        let all: usize = counts.iter().map(|(many, _)| many).sum();
        let rows: String =
            counts.iter().take(MAX_ROWS).map(|(many, path)| format!("- {}: {many}\n", code(path))).collect();
        let rest = counts.len().saturating_sub(MAX_ROWS);
        let rest = if rest > 0 { format!("- and {rest} more files\n") } else { String::new() };
        return Some(told(format!("{all} {name} in {} files.\n\n{rows}{rest}", counts.len())));
    }
    let wanted = |path: &str, text: &str| match is_under(path, search.under.as_deref()) {
        true => search.what.lines(path, text),
        false => Vec::new(),
    };
    definitions_of(workspace, &name, wanted, secrets, cancelled)
}

/// Commits whose first line has all the words.
fn commits_about(workspace: &Workspace, about: &str) -> Option<RunnerOutcome> {
    let all = history(workspace, &History { many: MAX_COMMITS, ..History::default() })?;
    let lower = about.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let fits = |commit: &&Commit| {
        let subject = commit.subject.to_lowercase();
        words.iter().all(|word| subject.contains(word))
    };
    let rows: Vec<String> = all.iter().filter(fits).take(MAX_ROWS).map(Commit::row).collect();
    Some(match rows.is_empty() {
        true => told(format!("No commit of the last {} mentions {} in its first line.", all.len(), code(about))),
        false => told(rows.concat()),
    })
}

/// The commit that added the one file whose name has all the words.
fn added_as(workspace: &Workspace, words: &[String], cancelled: &AtomicBool) -> Option<RunnerOutcome> {
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

/// The commits of a file, given by its path or by its name if that is unique.
fn commits_of(workspace: &Workspace, file: &str, cancelled: &AtomicBool) -> Option<RunnerOutcome> {
    let named = workspace.named(file);
    let tree = workspace.tree(&[], cancelled).ok()?;
    let listing = tree.listed();
    let ends = |path: &str| path.strip_suffix(file).is_some_and(|before| before.ends_with('/'));
    let below: Vec<&str> = listing.iter().map(|listed| listed.path).filter(|path| ends(path)).collect();
    let path = match below.as_slice() {
        _ if workspace.root().join(&named).exists() => named,
        [only] => (*only).to_owned(),
        [] => named,
        several => {
            let rows: String = several.iter().take(MAX_ROWS).map(|path| format!("- {}\n", code(path))).collect();
            return Some(told(format!("Several files are called {}; write its path:\n\n{rows}", code(file))));
        }
    };
    let all = history(workspace, &History { many: MAX_ROWS, path: &path, ..History::default() })?;
    Some(match all.is_empty() {
        true => told(format!("No commit has {}.", code(&path))),
        false => told(format!(
            "Commits that changed {}:\n\n{}",
            code(&path),
            all.iter().map(Commit::row).collect::<String>()
        )),
    })
}

/// Whether a test mentions a name, and where.
fn test_for(workspace: &Workspace, name: &str, secrets: Secrets, cancelled: &AtomicBool) -> Option<RunnerOutcome> {
    let last = name.rsplit(['.', ':']).next().unwrap_or(name);
    let is_word = |line: &str| {
        line.match_indices(last).any(|(at, _)| {
            let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
            !line.get(..at).unwrap_or_default().ends_with(is_letter)
                && !line.get(at + last.len()..).unwrap_or_default().starts_with(is_letter)
        })
    };
    let (mut tests, mut defined) = (Vec::new(), None);
    let wanted = TextFilter { text: &|_: &str, text: &str| text.contains(last), ..TextFilter::ALL };
    workspace.each_text_of(&wanted, secrets, cancelled, |path, text| {
        let is_test = find::Kind::Tests.has(path);
        for (at, line) in text.lines().enumerate().filter(|(_, line)| line.contains(last) && is_word(line)) {
            let place = || format!("`{path}:{}` {}", at + 1, code(&short(&aside_redact::redact(line.trim()), 120)));
            if is_test && !definitions::is_import(line) {
                // Only those that are listed are redacted.
                if tests.len() < MAX_ROWS {
                    tests.push(place());
                }
            } else if !is_test && defined.is_none() && definitions::defines(line, last) {
                defined = Some(place());
            }
        }
    })?;
    let name = code(last);
    Some(told(match (tests.is_empty(), defined) {
        (false, _) => {
            let rows: String = tests.iter().take(MAX_ROWS).map(|row| format!("- {row}\n")).collect();
            format!("Yes, tests mention {name}:\n\n{rows}")
        }
        (true, Some(place)) => format!("No: no file of tests mentions {name}. It is defined at {place}."),
        (true, None) => format!("No: no file of tests mentions {name}, and nothing here defines it."),
    }))
}

/// Commits that changed a line with the text.
fn commits_touching(workspace: &Workspace, text: &str) -> Option<RunnerOutcome> {
    if !workspace.has_repository() {
        return None;
    }
    let head = Revision::new("HEAD")?;
    let question = Question::Touching { of: &head, many: MAX_ROWS, text };
    let commits = commits(&probe(&Probe::Git { root: workspace.root(), question })?);
    Some(match commits.is_empty() {
        true => told(format!("No commit changed a line with {}.", code(text))),
        false => told(
            commits
                .iter()
                .map(|commit| {
                    format!(
                        "{}{}",
                        commit.row(),
                        commit.files.iter().take(5).map(|file| format!("  - {}\n", code(file))).collect::<String>()
                    )
                })
                .collect(),
        ),
    })
}

fn definitions_of(
    workspace: &Workspace,
    name: &str,
    wanted: impl Fn(&str, &str) -> Vec<(usize, String)>,
    secrets: Secrets,
    cancelled: &AtomicBool,
) -> Option<RunnerOutcome> {
    let mut items: Vec<SearchResult> = Vec::new();
    let mut all = 0;
    workspace.each_text(secrets, cancelled, |path, text| {
        for (line, row) in wanted(path, text) {
            all += 1;
            if items.len() < MAX_DEFINITIONS {
                let preview = Some(short(&aside_redact::redact(&row), 160));
                items.push(SearchResult { path: format!("{path}:{line}"), preview });
            }
        }
    })?;
    if items.is_empty() {
        return Some(told(format!("There are no {name} here.")));
    }
    let more = all - items.len();
    let details = if more > 0 { format!("{more} more are not shown.\n") } else { String::new() };
    let summary = format!("{all} {}", name);
    Some(RunnerOutcome { proposal: Proposal::SearchResults { items }, summary, details, model: ModelNeed::Unneeded })
}

/// What filters have to know about the history.
#[derive(Default)]
struct Lookups {
    /// Commits since the time that a filter has.
    of_time: Option<Vec<Commit>>,
    /// All commits, for files that were not changed since.
    last: Option<Vec<Commit>>,
    /// Files with changes that are not committed.
    changed: Vec<String>,
    of_author: Option<Vec<Commit>>,
}

impl Lookups {
    fn of(workspace: &Workspace, filters: &[Filter]) -> Option<Self> {
        let mut all = Self::default();
        for filter in filters {
            if let Filter::Since(since) | Filter::Before(since) = filter {
                all.changed = workspace.git().changed;
                let from = since_date(since)?;
                let commits = history(workspace, &History { many: MAX_COMMITS, ..History::default() })?;
                if matches!(filter, Filter::Before(_)) {
                    all.last = Some(commits.clone());
                }
                all.of_time = Some(commits.into_iter().filter(|commit| commit.date >= from).collect());
            }
            if let Filter::By(name) = filter {
                let of_author = History { many: MAX_COMMITS, author: name, ..History::default() };
                all.of_author = Some(history(workspace, &of_author)?);
            }
        }
        Some(all)
    }
}

/// Whether one file was written after another.
fn is_written_after(workspace: &Workspace, one: &str, other: &str) -> bool {
    let time =
        |path: &str| std::fs::symlink_metadata(workspace.root().join(path)).and_then(|meta| meta.modified()).ok();
    matches!((time(one), time(other)), (Some(one), Some(other)) if one > other)
}

/// Files by their kind and by what is said of them; for a noun, definitions that begin with it, else the directory of that name.
fn selected(
    workspace: &Workspace,
    selection: &Selection,
    secrets: Secrets,
    cancelled: &AtomicBool,
) -> Option<RunnerOutcome> {
    let under: Vec<&str> = selection
        .filters
        .iter()
        .filter_map(|filter| if let Filter::Under(name) = filter { Some(name.as_str()) } else { None })
        .collect();
    let is_here = |path: &str| under.iter().all(|under| is_under(path, Some(under)));
    if let FileSet::Noun(noun) = &selection.what
        && select::may_lead(noun)
    {
        let items = led_by(workspace, noun, is_here, secrets, cancelled)?;
        if !items.is_empty() {
            return Some(listed(items, noun));
        }
    }
    let tree = workspace.tree(&[], cancelled).ok()?;
    let mut rows: Vec<(String, String)> = Vec::new();
    let Lookups { of_time, last, changed, of_author } = Lookups::of(workspace, &selection.filters)?;
    for entry in tree
        .listed()
        .iter()
        .filter(|entry| entry.ignored == Ignored::No && selection.what.has(entry.path) && is_here(entry.path))
    {
        let path = entry.path;
        let mut about = Vec::new();
        let meta = std::fs::symlink_metadata(workspace.root().join(path)).ok().filter(|meta| meta.is_file());
        let size = meta.map_or(0, |meta| meta.len());
        let fits = selection.filters.iter().all(|filter| match filter {
            Filter::Larger(bytes) => size > *bytes,
            Filter::Smaller(bytes) => size < *bytes,
            Filter::Empty => size == 0,
            Filter::Since(_) => {
                let commit = of_time.iter().flatten().find(|commit| commit.files.iter().any(|file| file == path));
                about.extend(commit.map(|commit| format!("{} {}", commit.date, commit.subject)));
                let is_changed = changed.iter().any(|file| file == path);
                if is_changed {
                    about.push("not committed yet".to_owned());
                }
                commit.is_some() || is_changed
            }
            Filter::Before(_) => {
                let commit = last.iter().flatten().find(|commit| commit.files.iter().any(|file| file == path));
                about.extend(commit.map(|commit| format!("{} {}", commit.date, commit.subject)));
                // A file that none of the last commits has is older than all of them.
                let is_known = commit.is_some() || last.as_ref().is_some_and(|all| all.len() >= MAX_COMMITS);
                let is_later = of_time.iter().flatten().any(|commit| commit.files.iter().any(|file| file == path));
                is_known && !is_later && !changed.iter().any(|file| file == path)
            }
            Filter::Newer(file) => is_written_after(workspace, path, &workspace.named(file)),
            Filter::Older(file) => is_written_after(workspace, &workspace.named(file), path),
            Filter::By(_) => {
                let commit = of_author.iter().flatten().find(|commit| commit.files.iter().any(|file| file == path));
                about.extend(commit.map(|commit| format!("{} {}", commit.date, commit.subject)));
                commit.is_some()
            }
            Filter::Lines(than, lines) => {
                let count = Root::open(workspace.root())
                    .ok()
                    .and_then(|root| read(&root, path).ok())
                    .map_or(0, |bytes| bytes.iter().filter(|byte| **byte == b'\n').count());
                about.push(format!("{count} lines"));
                match than {
                    Than::More => count > *lines,
                    Than::Fewer => count < *lines,
                }
            }
            Filter::Under(_) => true,
        });
        if fits {
            if selection.filters.iter().any(|filter| matches!(filter, Filter::Larger(_) | Filter::Smaller(_))) {
                about.push(format!("{size} bytes"));
            }
            rows.push((path.to_owned(), about.join(", ")));
        }
    }
    // A noun that names nothing here is a text to search for.
    if rows.is_empty() && matches!(selection.what, FileSet::Noun(_)) {
        return None;
    }
    let items = rows
        .into_iter()
        .map(|(path, about)| SearchResult { path, preview: Some(about).filter(|about| !about.is_empty()) });
    Some(listed(items.collect(), "files"))
}

/// Definitions that begin with the noun.
fn led_by(
    workspace: &Workspace,
    noun: &str,
    is_here: impl Fn(&str) -> bool + Sync,
    secrets: Secrets,
    cancelled: &AtomicBool,
) -> Option<Vec<SearchResult>> {
    let mut items: Vec<SearchResult> = Vec::new();
    let is_prose = |path: &str| [".md", ".rst", ".txt"].iter().any(|ending| path.ends_with(ending));
    let wanted = TextFilter {
        path: &|path: &str| !is_prose(path) && is_here(path),
        text: &|_: &str, text: &str| !select::led_by(noun, text).is_empty(),
    };
    workspace.each_text_of(&wanted, secrets, cancelled, |path, text| {
        for (line, row) in select::led_by(noun, text) {
            // No more than `MAX_ROWS` are shown; the others only count.
            let preview = (items.len() < MAX_ROWS).then(|| short(&aside_redact::redact(&row), 160));
            items.push(SearchResult { path: format!("{path}:{line}"), preview });
        }
    })?;
    Some(items)
}

/// The current day, in UTC.
pub(super) fn today() -> Option<Today> {
    let days = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok()?.as_secs() / 86_400;
    let (.., of_month) = civil(days);
    let (.., last_month) = civil(days.checked_sub(of_month)?);
    Some(Today { days, of_month, last_month })
}

/// A day so many days ago, as git writes it.
pub(super) fn day_before(back: u64) -> Option<String> {
    let (year, month, day) = civil(today()?.days.saturating_sub(back));
    Some(format!("{year:04}-{month:02}-{day:02}"))
}

/// The first day that counts, as git writes it.
fn since_date(since: &Since) -> Option<String> {
    let days = today()?.days;
    let (year, month, _) = civil(days);
    Some(match since {
        Since::Date(date) => date.clone(),
        Since::Days(back) => {
            let (year, month, day) = civil(days.saturating_sub(back.saturating_sub(1)));
            format!("{year:04}-{month:02}-{day:02}")
        }
        Since::Month(wanted) => {
            let year = if u64::from(*wanted) > month { year - 1 } else { year };
            format!("{year:04}-{wanted:02}-01")
        }
    })
}

/// Year, month and day of a day since 1970.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + u64::from(month <= 2), month, day)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(20_774), (2026, 11, 17));
        assert_eq!(civil(19_782), (2024, 2, 29));
        assert_eq!(since_date(&Since::Date("2026-10-01".to_owned())).as_deref(), Some("2026-10-01"));
    }
}
