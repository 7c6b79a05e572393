//! What is open in a repository, and answers that sum up its history: changed lines, the state of the whole, who works on it, which files
//! change most. The question comes first, at most about ten rows behind it.

use std::sync::atomic::AtomicBool;

use aside_core::agent::language::Language;
use aside_task::run::review::target::ReviewTarget;
use aside_task::run::review::{self, ReviewedFile};
use aside_task::run::{code, short};

use super::{located, refs, rows, unfinished};
use crate::daemon::tasks::attempt::fact_answers::{self, Commit, History, history};
use crate::daemon::tasks::attempt::remote_branch::lacking;
use crate::exec::git::{Question, Revision};
use crate::exec::{Probe, probe};
use crate::workspace::Workspace;

/// Rows of a list in an overview, and files that are named in one row.
const MAX_ROWS: usize = 10;
const MAX_NAMED: usize = 5;
/// Commits that are looked through, and branches that are compared.
const MAX_COMMITS: usize = 2_000;
const MAX_BRANCHES: usize = 12;

/// How many lines of each file differ from the last commit.
pub(super) fn changed_lines(workspace: &Workspace, language: Language) -> Option<String> {
    let change = workspace.change(&ReviewTarget::Now, &[]).ok()?;
    let all = review::summarize(&change.diff).files;
    let state = workspace.git().text;
    let is_new = |file: &&ReviewedFile| state.lines().any(|line| line.strip_prefix("?? ") == Some(&file.path));
    let (new, tracked): (Vec<&ReviewedFile>, Vec<&ReviewedFile>) = all.iter().partition(is_new);
    let sum = |files: &[&ReviewedFile]| {
        files.iter().fold((0, 0), |(added, removed), file| (added + file.added, removed + file.removed))
    };
    let ((added, removed), (fresh, _)) = (sum(&tracked), sum(&new));
    let head = match (tracked.len(), language) {
        (0, language) => language
            .pick("No tracked file differs from the last commit", "已跟踪的文件与最近一次提交没有差别")
            .to_owned(),
        (1, Language::English) => {
            format!("1 file differs from the last commit: {added} lines added, {removed} removed")
        }
        (many, Language::English) => {
            format!("{many} files differ from the last commit: {added} lines added, {removed} removed")
        }
        (many, Language::Chinese) => format!("{many} 个文件与最近一次提交不同：增加 {added} 行，删除 {removed} 行"),
    };
    let more = match (new.len(), language) {
        (0, language) => language.pick(".", "。").to_owned(),
        (many, Language::English) => format!("; and {many} untracked, +{fresh}."),
        (many, Language::Chinese) => format!("；另有 {many} 个未跟踪的文件，{fresh} 行。"),
    };
    let row = |file: &&ReviewedFile| format!("{} +{} −{}", code(&file.path), file.added, file.removed);
    let list: Vec<String> = tracked.iter().chain(&new).map(row).collect();
    Some(format!("{head}{more}\n\n{}", rows(&list, language)))
}

/// The newest tag, with the day and the first line of its commit.
pub(super) fn newest_tag(workspace: &Workspace) -> Option<Option<(String, Commit)>> {
    let tags = refs(workspace, "refs/tags/")?;
    let Some(newest) = tags.first() else { return Some(None) };
    Some(Some((newest.clone(), newest_commit(workspace, newest)?)))
}

fn newest_commit(workspace: &Workspace, name: &str) -> Option<Commit> {
    let revision = Revision::new(name)?;
    let question = Question::History { since: None, of: &revision, many: 1, path: "", author: "" };
    fact_answers::commits(&probe(&Probe::Git { root: workspace.root(), question })?).into_iter().next()
}

/// The commits since the newest tag.
pub(super) fn since_release(workspace: &Workspace, language: Language) -> Option<String> {
    let Some((tag, _)) = newest_tag(workspace)? else {
        return Some(
            language.pick("There are no tags, so no release is known.", "没有标签，不知道有没有发布。").to_owned(),
        );
    };
    let since = lacking(workspace, "HEAD", &tag)?;
    let tag = code(&tag);
    Some(match (since.len(), language) {
        (0, Language::English) => format!("No commit since {tag}, the newest tag."),
        (0, Language::Chinese) => format!("最新的标签 {tag} 之后没有提交。"),
        (1, Language::English) => format!("1 commit since {tag}, the newest tag:\n\n{}", rows(&since, language)),
        (many, Language::English) => {
            format!("{many} commits since {tag}, the newest tag:\n\n{}", rows(&since, language))
        }
        (many, Language::Chinese) => format!("最新的标签 {tag} 之后有 {many} 次提交：\n\n{}", rows(&since, language)),
    })
}

/// Files by git's letters, in one row: `2 modified: a, b`.
fn of_letters(state: &str, is_one: impl Fn(&str) -> bool, what: &str) -> Option<String> {
    let all: Vec<&str> = state
        .lines()
        .skip(1)
        .filter(|line| line.get(..2).is_some_and(&is_one))
        .filter_map(|line| line.get(3..))
        .collect();
    if all.is_empty() {
        return None;
    }
    let named: Vec<String> = all.iter().take(MAX_NAMED).map(|path| code(path)).collect();
    let more = if all.len() > MAX_NAMED { " …" } else { "" };
    Some(format!("{} {what}: {}{more}", all.len(), named.join(", ")))
}

/// What is not committed, pushed, merged or taken out of the stash.
pub(super) fn overview(workspace: &Workspace, language: Language) -> Option<String> {
    let git = workspace.git();
    let mut all: Vec<String> = unfinished(workspace, language).into_iter().collect();
    let remote = aside_task::run::help_and_status::remote(&git.text, language);
    let branch = if git.branch.is_empty() { "HEAD".to_owned() } else { git.branch.clone() };
    let on = match language {
        Language::English => format!("On {}", code(&branch)),
        Language::Chinese => format!("当前分支 {}", code(&branch)),
    };
    all.push(if remote.is_empty() { on } else { format!("{on}, {remote}") });
    let is_tree = |letters: &str| letters != "??" && !letters.ends_with(' ');
    let uncommitted: Vec<String> = [
        of_letters(&git.text, |letters| !letters.starts_with([' ', '?']), language.pick("staged", "个已暂存")),
        of_letters(&git.text, is_tree, language.pick("modified, not staged", "个已修改、未暂存")),
        of_letters(&git.text, |letters| letters == "??", language.pick("untracked", "个未跟踪")),
    ]
    .into_iter()
    .flatten()
    .collect();
    if uncommitted.is_empty() {
        all.push(language.pick("Nothing is uncommitted", "没有未提交的改动").to_owned());
    }
    all.extend(uncommitted);
    let stashes = probe(&Probe::Git { root: workspace.root(), question: Question::Stashes }).unwrap_or_default();
    let stashed = |line: &str| line.split_once('\t').map(|(_, message)| short(&aside_redact::redact(message), 80));
    let stashes: Vec<String> = stashes.lines().filter_map(stashed).collect();
    if let Some(first) = stashes.first() {
        all.push(match (stashes.len(), language) {
            (1, Language::English) => format!("1 stash: {first}"),
            (many, Language::English) => format!("{many} stashes, the newest: {first}"),
            (many, Language::Chinese) => format!("{many} 个 stash：{first}"),
        });
    }
    let others = refs(workspace, "refs/heads/").unwrap_or_default();
    for other in others.iter().filter(|name| **name != branch).take(MAX_BRANCHES) {
        let own = lacking(workspace, other, &branch).unwrap_or_default().len();
        let last = newest_commit(workspace, other).map(|commit| commit.date).unwrap_or_default();
        all.push(match (own, language) {
            (0, Language::English) => format!("Branch {}: all of it is in {} ({last})", code(other), code(&branch)),
            (1, Language::English) => format!("Branch {}: 1 commit that {} lacks ({last})", code(other), code(&branch)),
            (many, Language::English) => {
                format!("Branch {}: {many} commits that {} lacks ({last})", code(other), code(&branch))
            }
            (many, Language::Chinese) => {
                format!("分支 {}：{many} 个提交不在 {} 里（{last}）", code(other), code(&branch))
            }
        });
    }
    if let Some(last) = history(workspace, &History { many: 1, ..History::default() })?.first() {
        let title = language.pick("Last commit: ", "最近的提交：");
        all.push(format!("{title}{}", last.row().trim_start_matches("- ").trim_end()));
    }
    Some(rows(&all, language))
}

/// All authors with their numbers of commits and the day of the last.
pub(super) fn contributors(workspace: &Workspace, language: Language) -> Option<String> {
    let commits = history(workspace, &History { many: MAX_COMMITS, ..History::default() })?;
    let mut people: Vec<(&str, usize, &str)> = Vec::new();
    for commit in &commits {
        match people.iter_mut().find(|(name, ..)| *name == commit.author) {
            Some((_, count, _)) => *count += 1,
            None => people.push((&commit.author, 1, &commit.date)),
        }
    }
    people.sort_by_key(|(_, count, _)| std::cmp::Reverse(*count));
    let row = |(name, count, last): &(&str, usize, &str)| match language {
        Language::English if *count == 1 => format!("{name}: 1 commit, {last}"),
        Language::English => format!("{name}: {count} commits, the last {last}"),
        Language::Chinese => format!("{name}：{count} 次提交，最近 {last}"),
    };
    Some(rows(&people.iter().map(row).collect::<Vec<_>>(), language))
}

pub(super) fn first_commit(workspace: &Workspace, language: Language) -> Option<String> {
    let commits = history(workspace, &History { many: MAX_COMMITS, ..History::default() })?;
    let first = commits.last()?;
    if commits.len() == MAX_COMMITS {
        let least = language.pick(
            "The history has more than 2000 commits; of these the oldest: ",
            "历史超过 2000 次提交；其中最早的：",
        );
        return Some(format!("{least}{}", first.row().trim_start_matches("- ")));
    }
    let (id, Commit { date, author, subject, .. }) = (code(&first.id), first);
    Some(match language {
        Language::English => {
            format!("It began on {date}, with {id} by {author}: {subject}. {} commits since then.", commits.len() - 1)
        }
        Language::Chinese => format!("始于 {date}，{author} 的 {id}：{subject}。之后有 {} 次提交。", commits.len() - 1),
    })
}

pub(super) fn last_merge(workspace: &Workspace, language: Language) -> Option<String> {
    let commits = history(workspace, &History { many: MAX_COMMITS, ..History::default() })?;
    let merged = commits.iter().find(|commit| commit.subject.starts_with("Merge "));
    let row = |commit: &Commit| commit.row().trim_start_matches("- ").to_owned();
    Some(match (merged, language) {
        (Some(merge), _) => row(merge),
        (None, Language::English) => {
            format!("There is no merge commit on this branch. The last commit: {}", row(commits.first()?))
        }
        (None, Language::Chinese) => format!("当前分支没有合并提交。最近的提交：{}", row(commits.first()?)),
    })
}

/// Branches with their last commits, the newest first.
pub(super) fn by_age(workspace: &Workspace, language: Language) -> Option<String> {
    let here = workspace.git().branch;
    let row = |name: &String| {
        let commit = newest_commit(workspace, name)?;
        let at = if *name == here { language.pick(" (where you are)", "（当前）") } else { "" };
        Some(format!("{}{at}: {}, {}: {}", code(name), commit.date, commit.author, commit.subject))
    };
    let all: Vec<String> = refs(workspace, "refs/heads/")?.iter().take(MAX_BRANCHES).filter_map(row).collect();
    Some(rows(&all, language))
}

/// The files that most commits changed, and that are still there.
pub(super) fn most_changed(workspace: &Workspace, language: Language) -> Option<String> {
    let commits = history(workspace, &History { many: MAX_COMMITS, ..History::default() })?;
    let mut counts: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for path in commits.iter().flat_map(|commit| &commit.files) {
        *counts.entry(path).or_default() += 1;
    }
    let mut all: Vec<(&str, usize)> =
        counts.into_iter().filter(|(path, _)| workspace.root().join(path).is_file()).collect();
    all.sort_by_key(|(path, count)| (std::cmp::Reverse(*count), *path));
    let row = |(path, count): &(&str, usize)| match language {
        Language::English if *count == 1 => format!("{}: 1 commit", code(path)),
        Language::English => format!("{}: {count} commits", code(path)),
        Language::Chinese => format!("{}：{count} 次提交", code(path)),
    };
    Some(rows(&all.iter().take(MAX_ROWS).map(row).collect::<Vec<_>>(), language))
}

/// What is not committed of a file, and its last commits.
pub(super) fn of_file(
    workspace: &Workspace,
    named: &str,
    language: Language,
    cancelled: &AtomicBool,
) -> Option<String> {
    let path = located(workspace, named, cancelled)?;
    let change = workspace.change(&ReviewTarget::Now, std::slice::from_ref(&path)).ok()?;
    let lines = review::summarize(&change.diff)
        .files
        .iter()
        .fold((0, 0), |(added, removed), file| (added + file.added, removed + file.removed));
    let name = code(&path);
    let now = match (lines, language) {
        ((0, 0), Language::English) => format!("{name} has no uncommitted changes."),
        ((0, 0), Language::Chinese) => format!("{name} 没有未提交的修改。"),
        ((added, removed), Language::English) => format!("{name} has uncommitted changes: +{added} −{removed} lines."),
        ((added, removed), Language::Chinese) => format!("{name} 有未提交的修改：+{added} −{removed} 行。"),
    };
    let commits = history(workspace, &History { many: 3, path: &path, ..History::default() })?;
    let title = language.pick("Its last commits:", "最近的提交：");
    let list: String = commits.iter().map(Commit::row).collect();
    Some(if list.is_empty() { now } else { format!("{now} {title}\n\n{list}") })
}
