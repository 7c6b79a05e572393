//! Answers questions about the repository from git's own records. Core reads the question; this file asks git and words the answer.

mod overview;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use aside_core::agent::language::Language;
use aside_task::run::context::Ignored;
use aside_task::run::directory;
use aside_task::run::repository::{CommitFilter, RepositoryQuestion};
use aside_task::run::{RunnerOutcome, code, short};

use crate::daemon::tasks::attempt::fact_answers::{Commit, History, bytes, history, told};
use crate::daemon::tasks::attempt::find_by_kind::{day_before, today};
use crate::daemon::tasks::attempt::remote_branch;
use crate::exec::git::Question;
use crate::exec::{Probe, probe};
use crate::workspace::Workspace;

/// Caps on commits that are looked through, on rows of a list, and on files of the git directory that are measured.
const MAX_COMMITS: usize = 2_000;
const MAX_ROWS: usize = 30;
const MAX_MEASURED: usize = 20_000;
/// Commits that the status names.
const LAST: usize = 2;
/// Files of a commit that are named.
const MAX_FILES: usize = 8;
/// Usual names of the main branch.
const MAIN: [&str; 5] = ["main", "master", "trunk", "develop", "dev"];

/// The first and the last day of a time, both in days before today.
type DaysBack = (u64, u64);

pub(super) fn answer(
    workspace: &Workspace,
    question: &RepositoryQuestion,
    language: Language,
    cancelled: &AtomicBool,
) -> Option<RunnerOutcome> {
    if !workspace.has_repository() && *question != RepositoryQuestion::Size {
        return Some(told(language.pick("This is no git repository.", "这里不是 git 仓库。").to_owned()));
    }
    if *question == RepositoryQuestion::Remote {
        return Some(remote_branch::compared(workspace, &workspace.git().text, language));
    }
    let today = today()?;
    Some(told(match question {
        RepositoryQuestion::Commits(filter) => {
            let when = filter.when.map(|when| when.on(today));
            commits(workspace, filter, when, language, cancelled)?
        }
        RepositoryQuestion::Committers(when) => committers(workspace, when.on(today), language)?,
        RepositoryQuestion::Branches => branches(workspace, language)?,
        RepositoryQuestion::CurrentBranch => current(workspace, language),
        RepositoryQuestion::Tags => refs(workspace, "refs/tags/").map(|tags| match tags.is_empty() {
            true => language.pick("There are no tags.", "没有标签。").to_owned(),
            false => rows(&tags.iter().map(|tag| code(tag)).collect::<Vec<_>>(), language),
        })?,
        RepositoryQuestion::LastRelease => last_release(workspace, language)?,
        RepositoryQuestion::Stashes => stashes(workspace, language)?,
        RepositoryQuestion::Untracked => {
            let none = language.pick("No file is untracked; what git ignores does not count.", "没有未跟踪的文件。");
            of_status(workspace, |letters| letters == "??", none, language)
        }
        RepositoryQuestion::Staged => {
            let none = language.pick("Nothing is staged.", "没有暂存任何内容。");
            of_status(workspace, |letters| !letters.starts_with([' ', '?']), none, language)
        }
        RepositoryQuestion::Unstaged => {
            let none = language.pick("No change is unstaged.", "没有未暂存的改动。");
            of_status(workspace, |letters| letters != "??" && !letters.ends_with(' '), none, language)
        }
        RepositoryQuestion::Clean => clean(workspace, language),
        RepositoryQuestion::Size => size(workspace, language, cancelled)?,
        RepositoryQuestion::Compare(of, to) => compared(workspace, of, to, language)?,
        RepositoryQuestion::InProgress => in_progress(workspace, language),
        RepositoryQuestion::Conflicts => {
            let none = language.pick("No file has a conflict.", "没有冲突的文件。");
            let files = of_status(workspace, is_conflict, none, language);
            match unfinished(workspace, language) {
                Some(begun) => format!("{begun}\n\n{files}"),
                None => files,
            }
        }
        RepositoryQuestion::ChangedLines => overview::changed_lines(workspace, language)?,
        RepositoryQuestion::SinceRelease => overview::since_release(workspace, language)?,
        RepositoryQuestion::Remote | RepositoryQuestion::Overview => overview::overview(workspace, language)?,
        RepositoryQuestion::Contributors => overview::contributors(workspace, language)?,
        RepositoryQuestion::FirstCommit => overview::first_commit(workspace, language)?,
        RepositoryQuestion::LastMerge => overview::last_merge(workspace, language)?,
        RepositoryQuestion::BranchesByAge => overview::by_age(workspace, language)?,
        RepositoryQuestion::MostChanged => overview::most_changed(workspace, language)?,
        RepositoryQuestion::OfFile(file) => overview::of_file(workspace, file, language, cancelled)?,
    }))
}

/// Whether git's two letters for a file mean a conflict.
fn is_conflict(letters: &str) -> bool {
    letters.contains('U') || ["AA", "DD"].contains(&letters)
}

/// A merge, rebase or the like that is not finished, and how to go on.
fn unfinished(workspace: &Workspace, language: Language) -> Option<String> {
    let state = crate::world::git::state(workspace.root())?;
    let begun = state.iter().map(|item| item.name.to_string()).find(|name| name != "commits")?;
    let left = workspace.git().text.lines().skip(1).filter(|line| line.get(..2).is_some_and(is_conflict)).count();
    let next = match begun.as_str() {
        "bisect" => "`git bisect good` or `git bisect bad` goes on, `git bisect reset` ends it".to_owned(),
        "merge" => "`git commit` finishes it, `git merge --abort` gives it up".to_owned(),
        other => format!("`git {other} --continue` finishes it, `git {other} --abort` gives it up"),
    };
    let next_chinese = match begun.as_str() {
        "bisect" => "`git bisect good` 或 `git bisect bad` 继续，`git bisect reset` 结束".to_owned(),
        "merge" => "`git commit` 完成，`git merge --abort` 放弃".to_owned(),
        other => format!("`git {other} --continue` 继续，`git {other} --abort` 放弃"),
    };
    Some(match (left, language) {
        (0, Language::English) => format!("A {begun} is in progress, without conflicts: {next}."),
        (1, Language::English) => {
            format!("A {begun} is in progress, with a conflict in 1 file: resolve and `git add` it, then {next}.")
        }
        (many, Language::English) => {
            format!(
                "A {begun} is in progress, with conflicts in {many} files: resolve and `git add` them, then {next}."
            )
        }
        (0, Language::Chinese) => format!("{begun} 正在进行，没有冲突：{next_chinese}。"),
        (many, Language::Chinese) => {
            format!("{begun} 正在进行，{many} 个文件有冲突：解决并 `git add`，然后 {next_chinese}。")
        }
    })
}

fn in_progress(workspace: &Workspace, language: Language) -> String {
    let none =
        language.pick("No merge, rebase or the like is in progress.", "没有正在进行的 merge、rebase 之类的操作。");
    let Some(begun) = unfinished(workspace, language) else { return none.to_owned() };
    let files = of_status(workspace, is_conflict, "", language);
    if files.is_empty() { begun } else { format!("{begun}\n\n{files}") }
}

/// Rows about the repository for the status: what is unfinished, how the branch stands to the remote one, stashes, the last commits.
pub(super) fn summary(workspace: &Workspace, language: Language) -> Vec<String> {
    let mut rows: Vec<String> = unfinished(workspace, language).into_iter().collect();
    let stashes = probe(&Probe::Git { root: workspace.root(), question: Question::Stashes });
    match (stashes.map_or(0, |printed| printed.lines().count()), language) {
        (0, _) => {}
        (1, Language::English) => rows.push("1 stash: `git stash list`".to_owned()),
        (many, Language::English) => rows.push(format!("{many} stashes: `git stash list`")),
        (many, Language::Chinese) => rows.push(format!("{many} 个 stash：`git stash list`")),
    }
    let last = history(workspace, &History { many: LAST, ..History::default() }).unwrap_or_default();
    for (at, commit) in last.iter().enumerate() {
        let title = if at == 0 {
            language.pick("Last commit: ", "最近的提交：")
        } else {
            language.pick("Before it: ", "之前：")
        };
        rows.push(format!("{title}{}", commit.row().trim_start_matches("- ").trim_end()));
    }
    rows
}

/// What each of two branches or tags has that the other has not; `None` where one of the names is none of them.
fn compared(workspace: &Workspace, of: &str, to: &str, language: Language) -> Option<String> {
    let known = names(workspace);
    let found = |name: &str| {
        let remote = || known.iter().find(|one| one.strip_prefix("origin/") == Some(name));
        known.iter().find(|one| *one == name).or_else(remote).map(String::as_str)
    };
    let here = workspace.git().branch;
    let of = if of == "HEAD" { here.as_str() } else { found(of)? };
    let main = || MAIN.iter().filter(|name| **name != of).find_map(|name| found(name));
    let to = if to.is_empty() { main()? } else { found(to)? };
    let lacking = |has: &str, lacks: &str| -> Option<(usize, String)> {
        let all = remote_branch::lacking(workspace, has, lacks)?;
        Some((all.len(), rows(&all, language)))
    };
    let (ahead, behind) = (lacking(of, to)?, lacking(to, of)?);
    let commits = |many: usize| match many {
        0 => "no commit".to_owned(),
        1 => "1 commit".to_owned(),
        many => format!("{many} commits"),
    };
    let told = |(many, rows): &(usize, String), has: &str, lacks: &str| match language {
        Language::English if *many == 0 => format!("All of {} is in {}.\n", code(has), code(lacks)),
        Language::English => format!("{} has {} that {} lacks:\n\n{rows}", code(has), commits(*many), code(lacks)),
        Language::Chinese if *many == 0 => format!("{} 的提交都在 {} 里。\n", code(has), code(lacks)),
        Language::Chinese => format!("{} 有 {many} 个提交不在 {} 里：\n\n{rows}", code(has), code(lacks)),
    };
    let next = match language {
        Language::English => format!("`git diff {to}...{of}` shows what {} changes.\n", code(of)),
        Language::Chinese => format!("`git diff {to}...{of}` 显示 {} 的改动。\n", code(of)),
    };
    Some(format!("{}\n{}\n{next}", told(&ahead, of, to), told(&behind, to, of)))
}

/// A list of at most so many rows, and how many more there are.
fn rows(all: &[String], language: Language) -> String {
    let mut text: String = all.iter().take(MAX_ROWS).map(|row| format!("- {row}\n")).collect();
    match (all.len().saturating_sub(MAX_ROWS), language) {
        (0, _) => {}
        (more, Language::English) => text.push_str(&format!("- and {more} more\n")),
        (more, Language::Chinese) => text.push_str(&format!("- 还有 {more} 个\n")),
    }
    text
}

fn of_period(workspace: &Workspace, author: &str, path: &str, when: Option<DaysBack>) -> Option<Vec<Commit>> {
    let all = history(workspace, &History { many: MAX_COMMITS, author, path, ..History::default() })?;
    let Some(when) = when else { return Some(all) };
    let (first, last) = (day_before(when.0)?, day_before(when.1)?);
    Some(all.into_iter().filter(|commit| commit.date >= first && commit.date <= last).collect())
}

/// ` since 2026-11-11`, ` on 2026-11-16`.
fn when_told(when: Option<DaysBack>, language: Language) -> String {
    let day = |back: u64| day_before(back).unwrap_or_default();
    match (when, language) {
        (None, _) => String::new(),
        (Some(when), Language::English) if when.0 == when.1 => format!(" on {}", day(when.0)),
        (Some(when), Language::English) if when.1 > 0 => format!(" from {} to {}", day(when.0), day(when.1)),
        (Some(when), Language::English) => format!(" since {}", day(when.0)),
        (Some(when), Language::Chinese) if when.0 == when.1 => format!("（{}）", day(when.0)),
        (Some(when), Language::Chinese) if when.1 > 0 => format!("（{} 到 {}）", day(when.0), day(when.1)),
        (Some(when), Language::Chinese) => format!("（{} 以来）", day(when.0)),
    }
}

fn commits(
    workspace: &Workspace,
    filter: &CommitFilter,
    when: Option<DaysBack>,
    language: Language,
    cancelled: &AtomicBool,
) -> Option<String> {
    let CommitFilter { by, path, when: _, many, counted, files } = filter;
    let path = match path {
        Some(named) => Some(located(workspace, named, cancelled)?),
        None => None,
    };
    let found = of_period(workspace, by.as_deref().unwrap_or_default(), path.as_deref().unwrap_or_default(), when)?;
    let (at, name) = (when_told(when, language), by.as_deref().map(code));
    let of = match (&name, language) {
        (Some(name), Language::English) => format!(" by {name}"),
        (Some(name), Language::Chinese) => format!("{name} 的"),
        (None, _) => String::new(),
    };
    let of = match (path.as_deref().map(code), language) {
        (Some(path), Language::English) => format!("{of} that changed {path}"),
        (Some(path), Language::Chinese) => format!("{of}改动 {path} 的"),
        (None, _) => of,
    };
    // A name in small letters was only guessed to be one.
    let is_guess = by.as_deref().is_some_and(|name| !name.contains(char::is_uppercase));
    if is_guess && found.is_empty() && of_period(workspace, by.as_deref()?, "", None)?.is_empty() {
        return None;
    }
    if found.is_empty() {
        return Some(match language {
            Language::English => format!("There are no commits{of}{at} on this branch."),
            Language::Chinese => format!("当前分支没有{of}提交{at}。"),
        });
    }
    let count = match (found.len(), language) {
        (1, Language::English) => format!("1 commit{of}{at} on this branch"),
        (many, Language::English) => format!("{many} commits{of}{at} on this branch"),
        (many, Language::Chinese) => format!("当前分支有 {many} 次{of}提交{at}"),
    };
    if *counted {
        return Some(format!("{count}{}", language.pick(".", "。")));
    }
    let shown: Vec<String> = found
        .iter()
        .take(many.unwrap_or(usize::MAX))
        .map(|commit| {
            let row = commit.row().trim_start_matches("- ").trim_end().to_owned();
            if *files { format!("{row}{}", files_of(commit, language)) } else { row }
        })
        .collect();
    let head = if many.is_some() { String::new() } else { format!("{count}{}\n\n", language.pick(":", "：")) };
    Some(format!("{head}{}", rows(&shown, language)))
}

/// The files of a commit, as rows below it.
fn files_of(commit: &Commit, language: Language) -> String {
    let mut text: String = commit.files.iter().take(MAX_FILES).map(|file| format!("\n  - {}", code(file))).collect();
    match (commit.files.len().saturating_sub(MAX_FILES), language) {
        (0, _) => {}
        (more, Language::English) => text.push_str(&format!("\n  - and {more} more")),
        (more, Language::Chinese) => text.push_str(&format!("\n  - 还有 {more} 个")),
    }
    text
}

fn committers(workspace: &Workspace, when: DaysBack, language: Language) -> Option<String> {
    let found = of_period(workspace, "", "", Some(when))?;
    let at = when_told(Some(when), language);
    let mut people: Vec<(&str, usize)> = Vec::new();
    for commit in &found {
        match people.iter_mut().find(|(name, _)| *name == commit.author) {
            Some((_, count)) => *count += 1,
            None => people.push((&commit.author, 1)),
        }
    }
    if people.is_empty() {
        return Some(match language {
            Language::English => format!("There are no commits{at} on this branch."),
            Language::Chinese => format!("当前分支没有提交{at}。"),
        });
    }
    people.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let all: Vec<String> = people.iter().map(|(name, count)| format!("{name}: {count}")).collect();
    Some(match language {
        Language::English => format!("Commits{at} on this branch:\n\n{}", rows(&all, language)),
        Language::Chinese => format!("当前分支的提交{at}：\n\n{}", rows(&all, language)),
    })
}

/// The names of references below a prefix, newest first.
fn refs(workspace: &Workspace, prefix: &str) -> Option<Vec<String>> {
    let printed = probe(&Probe::Git { root: workspace.root(), question: Question::Refs { prefix } })?;
    let name = |line: &str| line.strip_prefix(prefix).map(|name| aside_text::clean(name).into_owned());
    Some(printed.lines().filter_map(name).filter(|name| !name.ends_with("/HEAD")).collect())
}

/// The branches and tags of the repository, by their short names.
pub(super) fn names(workspace: &Workspace) -> Vec<String> {
    ["refs/heads/", "refs/remotes/", "refs/tags/"]
        .iter()
        .flat_map(|prefix| refs(workspace, prefix).unwrap_or_default())
        .collect()
}

/// The path that a question names: itself, or the only file or directory that is called so. Tests, docs and CI are where they usually are.
fn located(workspace: &Workspace, named: &str, cancelled: &AtomicBool) -> Option<String> {
    let usual: &[&str] = match named.to_lowercase().as_str() {
        "docs" | "documentation" => &["docs", "doc", "README.md"],
        "tests" => &["tests", "test", "spec"],
        "ci" => &[".github", ".gitlab-ci.yml", ".circleci"],
        "readme" => &["README.md", "README.rst", "README"],
        "config" | "configuration" => &["config", "conf"],
        _ => &[],
    };
    let path = workspace.named(named);
    let known = std::iter::once(path.as_str()).chain(usual.iter().copied());
    if let Some(found) = known.into_iter().find(|path| workspace.root().join(path).exists()) {
        return Some(found.to_owned());
    }
    let tree = workspace.tree(&[], cancelled).ok()?;
    let listed = tree.listed();
    let ends = |path: &str| path.strip_suffix(named).is_some_and(|before| before.ends_with('/'));
    let mut files = listed.iter().map(|listed| listed.path).filter(|path| ends(path));
    match (files.next(), files.next()) {
        (Some(only), None) => Some(only.to_owned()),
        (Some(_), Some(_)) => None,
        (None, _) => directory::located(named, listed.iter().map(|listed| listed.path)),
    }
}

/// The newest tag, with the day and the first line of its commit, and how many commits came since.
fn last_release(workspace: &Workspace, language: Language) -> Option<String> {
    let Some((newest, commit)) = overview::newest_tag(workspace)? else {
        return Some(
            language.pick("There are no tags, so no release is known.", "没有标签，不知道有没有发布。").to_owned(),
        );
    };
    let since = remote_branch::lacking(workspace, "HEAD", &newest).unwrap_or_default();
    let (tag, id) = (code(&newest), code(&commit.id));
    let head = match language {
        Language::English => format!("The newest tag is {tag}, of {} ({id} {}).", commit.date, commit.subject),
        Language::Chinese => format!("最新的标签是 {tag}，{}（{id} {}）。", commit.date, commit.subject),
    };
    Some(match (since.len(), language) {
        (0, _) => head,
        (1, Language::English) => format!("{head} 1 commit since:\n\n{}", rows(&since, language)),
        (many, Language::English) => format!("{head} {many} commits since:\n\n{}", rows(&since, language)),
        (many, Language::Chinese) => format!("{head}之后有 {many} 次提交：\n\n{}", rows(&since, language)),
    })
}

fn branches(workspace: &Workspace, language: Language) -> Option<String> {
    let (local, remote) = (refs(workspace, "refs/heads/")?, refs(workspace, "refs/remotes/").unwrap_or_default());
    if local.is_empty() && remote.is_empty() {
        return Some(
            language.pick("There is no branch yet: nothing is committed.", "还没有分支：没有任何提交。").to_owned(),
        );
    }
    let here = workspace.git().branch;
    let row = |name: &String| match *name == here {
        true => format!("{}{}", code(name), language.pick(", where you are", "（当前）")),
        false => code(name),
    };
    let mut text = rows(&local.iter().map(row).collect::<Vec<_>>(), language);
    if !remote.is_empty() {
        let all: Vec<String> = remote.iter().map(|name| code(name)).collect();
        text.push_str(&format!(
            "\n{}\n\n{}",
            language.pick("Of remotes, as of the last fetch:", "远程分支（以上次 fetch 为准）："),
            rows(&all, language)
        ));
    }
    Some(text)
}

fn current(workspace: &Workspace, language: Language) -> String {
    let branch = workspace.git().branch;
    match (branch.is_empty(), language) {
        (false, Language::English) => format!("You are on {}.", code(&branch)),
        (false, Language::Chinese) => format!("当前分支是 {}。", code(&branch)),
        (true, language) => language
            .pick(
                "No branch: HEAD is detached. `git switch NAME` goes to one.",
                "不在任何分支上（HEAD 分离）。`git switch NAME` 切换到一个分支。",
            )
            .to_owned(),
    }
}

fn stashes(workspace: &Workspace, language: Language) -> Option<String> {
    let printed = probe(&Probe::Git { root: workspace.root(), question: Question::Stashes })?;
    let row = |line: &str| {
        let (name, message) = line.split_once('\t')?;
        let message = short(&aside_redact::redact(message), 120);
        Some(format!("{} {message}", code(&name.replace("refs/stash", "stash"))))
    };
    let all: Vec<String> = printed.lines().filter_map(row).collect();
    Some(match all.is_empty() {
        true => language.pick("Nothing is stashed.", "没有暂存的工作（stash）。").to_owned(),
        false => format!(
            "{}\n{}",
            rows(&all, language),
            language.pick(
                "`git stash show -p` shows the first, `git stash pop` brings it back.",
                "`git stash show -p` 显示第一个，`git stash pop` 取回。"
            )
        ),
    })
}

/// Files by the two letters that git gives them.
fn of_status(workspace: &Workspace, is_one: impl Fn(&str) -> bool, none: &str, language: Language) -> String {
    let told = workspace.git().text;
    let of = |line: &str| {
        let (letters, path) = (line.get(..2)?, line.get(3..)?);
        (is_one(letters) && !line.starts_with("branch ")).then(|| code(path))
    };
    let all: Vec<String> = told.lines().skip(1).filter_map(of).collect();
    if all.is_empty() { none.to_owned() } else { rows(&all, language) }
}

fn clean(workspace: &Workspace, language: Language) -> String {
    let changed = workspace.git().changed;
    if changed.is_empty() {
        return language
            .pick("Clean: nothing differs from the last commit.", "干净：与最近一次提交没有差别。")
            .to_owned();
    }
    let all: Vec<String> = changed.iter().map(|path| code(path)).collect();
    let head = match (changed.len(), language) {
        (1, Language::English) => "Not clean: 1 file differs from the last commit.".to_owned(),
        (many, Language::English) => format!("Not clean: {many} files differ from the last commit."),
        (many, Language::Chinese) => format!("不干净：{many} 个文件与最近一次提交不同。"),
    };
    format!("{head}\n\n{}", rows(&all, language))
}

fn size(workspace: &Workspace, language: Language, cancelled: &AtomicBool) -> Option<String> {
    let tree = workspace.tree(&[], cancelled).ok()?;
    let of = |path: &str| std::fs::symlink_metadata(workspace.root().join(path)).map_or(0, |meta| meta.len());
    let sizes: Vec<u64> =
        tree.listed().iter().filter(|listed| listed.ignored == Ignored::No).map(|listed| of(listed.path)).collect();
    let (files, all) = (sizes.len(), bytes(sizes.iter().sum()));
    let (git, is_whole) = measured(&workspace.root().join(".git"));
    let least = if is_whole { "" } else { language.pick("more than ", "超过 ") };
    Some(match (git, language) {
        (0, Language::English) => format!("{files} files, {all} in all; what git ignores is not counted."),
        (0, Language::Chinese) => format!("{files} 个文件，共 {all}；git 忽略的不算。"),
        (git, Language::English) => format!(
            "{files} files, {all} in all; what git ignores is not counted. The history in `.git` takes {least}{}.",
            bytes(git)
        ),
        (git, Language::Chinese) => {
            format!("{files} 个文件，共 {all}；git 忽略的不算。`.git` 里的历史占 {least}{}。", bytes(git))
        }
    })
}

/// The bytes of all files below a directory, and whether all were counted.
fn measured(directory: &Path) -> (u64, bool) {
    let (mut sum, mut seen) = (0, 0);
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            seen += 1;
            if seen > MAX_MEASURED {
                return (sum, false);
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(entry.path()),
                Ok(kind) if kind.is_file() => sum += entry.metadata().map_or(0, |meta| meta.len()),
                _ => {}
            }
        }
    }
    (sum, true)
}

#[cfg(test)]
mod tests;
