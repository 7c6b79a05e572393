//! Answers about commits, branches and stashes for questions that were read by facet.

use aside_core::agent::language::Language;
use aside_task::proposal::SearchResult;
use aside_task::run::question::stems;
use aside_task::run::repository::RepositoryQuestion;
use aside_task::run::review::target::ReviewTarget;
use aside_task::run::review::{self, ReviewedFile};
use aside_task::run::{RunnerOutcome, code, short};

use super::Inquiry;
use crate::daemon::tasks::attempt::fact_answers::{self, Commit, History, history, listed, told};
use crate::daemon::tasks::attempt::find_by_kind::{day_before, today};
use crate::daemon::tasks::attempt::repository_answers;
use crate::exec::git::{Question, Revision};
use crate::exec::{Probe, probe};

/// Caps on commits that are looked through, on rows, and on lines of a stash.
const MAX_COMMITS: usize = 2_000;
const MAX_ROWS: usize = 30;
const MAX_LINES: usize = 30;
/// Commits of "the last commits", and branches that are compared.
const LAST: usize = 10;
const MAX_BRANCHES: usize = 40;
/// Usual names of the main branch.
const MAIN: [&str; 5] = ["main", "master", "trunk", "develop", "dev"];

impl Inquiry<'_> {
    pub(super) fn commits(&self, how: &str) -> Option<RunnerOutcome> {
        let things = &self.reading.things;
        let author = things.authors.first().map(String::as_str).unwrap_or_default();
        let upstream = self.upstream();
        let newest = || self.refs("refs/tags/").into_iter().next();
        let (since, of) = match how {
            "unpushed" => (upstream.clone()?, String::new()),
            "incoming" => ("HEAD".to_owned(), upstream.clone()?),
            "release" => (newest()?, String::new()),
            // "What landed on main" is about that branch.
            "period" => (String::new(), things.refs.first().cloned().unwrap_or_default()),
            _ => (things.refs.first().cloned().unwrap_or_default(), String::new()),
        };
        let all = history(self.workspace, &History { many: MAX_COMMITS, author, since: &since, of: &of, path: "" })?;
        let all = self.within(all)?;
        let what = match (how, self.language) {
            ("unpushed", Language::English) => format!("that {} lacks", code(&since)),
            ("unpushed", Language::Chinese) => format!("{} 还没有的", code(&since)),
            ("incoming", Language::English) => format!("of {} that you do not have, as of the last fetch", code(&of)),
            ("incoming", Language::Chinese) => format!("{} 有而本地没有的（以上次 fetch 为准）", code(&of)),
            (_, Language::English) if !since.is_empty() => format!("since {} on this branch", code(&since)),
            (_, Language::Chinese) if !since.is_empty() => format!("当前分支 {} 以来的", code(&since)),
            (_, Language::English) => "on this branch".to_owned(),
            (_, Language::Chinese) => "当前分支的".to_owned(),
        };
        let by = match (author.is_empty(), self.language) {
            (true, _) => String::new(),
            (false, Language::English) => format!(" by {author}"),
            (false, Language::Chinese) => format!(" {author} 的"),
        };
        let when = self.when_told();
        let head = |many: usize| match (many, self.language) {
            (0, Language::English) => format!("There are no commits{by} {what}{when}."),
            (1, Language::English) => format!("1 commit{by} {what}{when}:"),
            (many, Language::English) => format!("{many} commits{by} {what}{when}:"),
            (0, Language::Chinese) => format!("没有{what}{by}提交{when}。"),
            (many, Language::Chinese) => format!("{many} 个{what}{by}提交{when}："),
        };
        if how == "authors" {
            let mut people: Vec<(&str, usize)> = Vec::new();
            for commit in &all {
                match people.iter_mut().find(|(name, _)| *name == commit.author) {
                    Some((_, count)) => *count += 1,
                    None => people.push((&commit.author, 1)),
                }
            }
            people.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            let rows: String = people.iter().map(|(name, count)| format!("- {name}: {count}\n")).collect();
            return Some(told(format!("{}\n\n{rows}", head(all.len()))));
        }
        let many = things.numbers.first().copied();
        let is_last = how == "last";
        let limit = many.unwrap_or(if is_last { self.last_many() } else { MAX_ROWS }).min(MAX_ROWS);
        let mut text = if is_last { String::new() } else { format!("{}\n\n", head(all.len())) };
        text.extend(all.iter().take(limit).map(Commit::row));
        if !is_last && all.len() > limit {
            text.push_str(&match self.language {
                Language::English => format!("- and {} more\n", all.len() - limit),
                Language::Chinese => format!("- 还有 {} 个\n", all.len() - limit),
            });
        }
        if how == "author" && many.is_none() {
            text.push_str(&self.on_other_branches(author, &all));
        }
        Some(told(text))
    }

    /// "The last commit" is one, "the last commits" are several.
    fn last_many(&self) -> usize {
        let plural = ["commits", "次提交", "些提交"].iter().any(|word| self.words.contains(word));
        let is_who = self.words.contains("who ") || self.words.contains('谁');
        if plural || !is_who { LAST } else { 1 }
    }

    /// Commits of an author that this branch does not have.
    fn on_other_branches(&self, author: &str, known: &[Commit]) -> String {
        let mut text = String::new();
        for name in self.refs("refs/heads/").into_iter().take(MAX_BRANCHES) {
            let of = History { many: MAX_ROWS, author, since: "HEAD", of: &name, path: "" };
            let all = history(self.workspace, &of).and_then(|all| self.within(all)).unwrap_or_default();
            for commit in all.iter().filter(|commit| !known.iter().any(|one| one.id == commit.id)) {
                text.push_str(&format!("- {} {}", code(&name), commit.row().trim_start_matches("- ")));
            }
        }
        if text.is_empty() {
            return text;
        }
        format!("\n{}\n\n{text}", self.language.pick("On other branches:", "其他分支上："))
    }

    /// Those of the time that the question names.
    fn within(&self, all: Vec<Commit>) -> Option<Vec<Commit>> {
        let Some(period) = self.reading.things.period else { return Some(all) };
        let (from, to) = period.on(today()?);
        let (first, last) = (day_before(from)?, day_before(to)?);
        Some(all.into_iter().filter(|commit| commit.date >= first && commit.date <= last).collect())
    }

    fn when_told(&self) -> String {
        let days = self.reading.things.period.and_then(|period| Some(period.on(today()?)));
        let Some((from, to)) = days else { return String::new() };
        let (from, to) = (day_before(from).unwrap_or_default(), day_before(to).unwrap_or_default());
        match self.language {
            Language::English => format!(", {from} to {to}"),
            Language::Chinese => format!("（{from} 到 {to}）"),
        }
    }

    /// The branch that the current one follows.
    fn upstream(&self) -> Option<String> {
        let told = self.workspace.git().text;
        let head = told.lines().next().unwrap_or_default().trim_start_matches("branch ");
        let names = head.split(" [").next().unwrap_or_default();
        let followed = names.split_once("...").map(|(_, remote)| remote.to_owned());
        followed.or_else(|| self.refs("refs/remotes/").into_iter().find(|name| name.ends_with(&format!("/{names}"))))
    }

    fn refs(&self, prefix: &str) -> Vec<String> {
        let printed = probe(&Probe::Git { root: self.workspace.root(), question: Question::Refs { prefix } });
        let printed = printed.unwrap_or_default();
        let names = printed.lines().filter_map(|line| line.strip_prefix(prefix));
        names.filter(|name| !name.ends_with("/HEAD")).map(|name| aside_text::clean(name).into_owned()).collect()
    }

    /// The main branch, other than a given one.
    fn main(&self, other: &str) -> Option<String> {
        let names = repository_answers::names(self.workspace);
        let has = |name: &&str| *name != other && names.iter().any(|known| known == name);
        MAIN.iter().copied().find(has).map(str::to_owned)
    }

    /// The two sides of a comparison: the current branch stands for the one that is not named.
    fn sides(&self) -> Option<(String, String)> {
        let here = self.workspace.git().branch;
        let here = if here.is_empty() { "HEAD".to_owned() } else { here };
        match self.reading.things.refs.as_slice() {
            [one, other] => Some((one.clone(), other.clone())),
            [one] if *one != here => Some((here, one.clone())),
            [one] => Some((one.clone(), self.main(one)?)),
            _ => None,
        }
    }

    pub(super) fn compared(&self) -> Option<String> {
        let (one, other) = self.sides()?;
        let lacking = |of: &str, since: &str| {
            history(self.workspace, &History { many: MAX_COMMITS, since, of, ..History::default() })
        };
        let (ahead, behind) = (lacking(&one, &other)?, lacking(&other, &one)?);
        let side = |all: &[Commit], of: &str, lacks: &str| -> String {
            let rows: String = all.iter().take(MAX_ROWS).map(Commit::row).collect();
            match (all.len(), self.language) {
                (0, Language::English) => format!("{} has no commit that {} lacks.\n", code(of), code(lacks)),
                (1, Language::English) => format!("{} has 1 commit that {} lacks:\n\n{rows}", code(of), code(lacks)),
                (many, Language::English) => {
                    format!("{} has {many} commits that {} lacks:\n\n{rows}", code(of), code(lacks))
                }
                (0, Language::Chinese) => format!("{} 没有 {} 缺少的提交。\n", code(of), code(lacks)),
                (many, Language::Chinese) => {
                    format!("{} 有 {many} 个 {} 没有的提交：\n\n{rows}", code(of), code(lacks))
                }
            }
        };
        // An older version compared with a newer one: what is new is told first.
        let (first, second) = match ahead.is_empty() && !behind.is_empty() {
            true => (side(&behind, &other, &one), String::new()),
            false => (side(&ahead, &one, &other), side(&behind, &other, &one)),
        };
        let (old, new) = if ahead.is_empty() { (&one, &other) } else { (&other, &one) };
        let files = self.files_told(&self.diff(old, new)?);
        let dirty = match (self.workspace.git().changed.len(), self.language) {
            (0, _) => String::new(),
            (many, Language::English) => format!("\nNot committed, and not counted above: {many} files.\n"),
            (many, Language::Chinese) => format!("\n未提交的 {many} 个文件不计在内。\n"),
        };
        Some(format!("{first}\n{second}{files}{dirty}"))
    }

    /// What a revision changes since it left another one.
    fn diff(&self, old: &str, new: &str) -> Option<Vec<ReviewedFile>> {
        let target = ReviewTarget::Branch { of: Some(new.to_owned()), against: Some(old.to_owned()) };
        Some(review::summarize(&self.workspace.change(&target, &[]).ok()?.diff).files)
    }

    fn files_told(&self, files: &[ReviewedFile]) -> String {
        if files.is_empty() {
            return String::new();
        }
        let row = |file: &ReviewedFile| format!("- {} +{} −{}\n", code(&file.path), file.added, file.removed);
        let rows: String = files.iter().take(MAX_ROWS).map(row).collect();
        format!("\n{}\n\n{rows}", self.language.pick("Files:", "文件："))
    }

    pub(super) fn position(&self) -> Option<String> {
        let overview =
            repository_answers::answer(self.workspace, &RepositoryQuestion::Overview, self.language, self.cancelled)?;
        let mut text = match overview.proposal {
            aside_task::proposal::Proposal::Answer { text } => text,
            _ => return None,
        };
        if let Some(upstream) = self.upstream() {
            let sides = [("HEAD", upstream.as_str(), false), (upstream.as_str(), "HEAD", true)];
            for (of, since, incoming) in sides {
                let all = history(self.workspace, &History { many: LAST, since, of, ..History::default() })?;
                if all.is_empty() {
                    continue;
                }
                let rows: String = all.iter().map(Commit::row).collect();
                let head = match (incoming, self.language) {
                    (false, Language::English) => format!("Only here, not in {}:", code(&upstream)),
                    (true, Language::English) => format!("Only in {}, as of the last fetch:", code(&upstream)),
                    (false, Language::Chinese) => format!("只在本地、不在 {} 的：", code(&upstream)),
                    (true, Language::Chinese) => format!("只在 {} 的（以上次 fetch 为准）：", code(&upstream)),
                };
                text.push_str(&format!("\n{head}\n\n{rows}"));
            }
        }
        Some(text)
    }

    /// The branches that are merged into one, or are not.
    pub(super) fn branches(&self, merged: bool) -> Option<String> {
        let into = self.reading.things.refs.first().cloned().or_else(|| self.main(""))?;
        let here = self.workspace.git().branch;
        let remote: Vec<String> = self.refs("refs/remotes/");
        let local = self.refs("refs/heads/");
        let bare = |name: &str| name.split_once('/').map_or(name, |(_, rest)| rest).to_owned();
        let only_remote = remote.into_iter().filter(|name| !local.contains(&bare(name)));
        let mut rows = String::new();
        for name in local.iter().cloned().chain(only_remote).take(MAX_BRANCHES) {
            if name == into || bare(&name) == into {
                continue;
            }
            let of = History { many: MAX_COMMITS, since: &into, of: &name, ..History::default() };
            let all = history(self.workspace, &of).unwrap_or_default();
            if all.is_empty() != merged {
                continue;
            }
            let current = if name == here { self.language.pick(", where you are", "（当前）") } else { "" };
            let last = match (all.first(), self.language) {
                (None, _) => String::new(),
                (Some(last), Language::English) => {
                    format!(": {} of its own, the last {} by {}: {}", all.len(), last.date, last.author, last.subject)
                }
                (Some(last), Language::Chinese) => {
                    format!("：{} 个自己的提交，最近 {}，{}：{}", all.len(), last.date, last.author, last.subject)
                }
            };
            rows.push_str(&format!("- {}{current}{last}\n", code(&name)));
        }
        let into = code(&into);
        Some(match (rows.is_empty(), merged, self.language) {
            (true, false, Language::English) => format!("All branches are merged into {into}."),
            (true, false, Language::Chinese) => format!("所有分支都已合并到 {into}。"),
            (true, true, Language::English) => format!("No branch is merged into {into}."),
            (true, true, Language::Chinese) => format!("没有分支已合并到 {into}。"),
            (false, false, Language::English) => format!("Branches with commits that are not in {into}:\n\n{rows}"),
            (false, false, Language::Chinese) => format!("还没合并到 {into} 的分支：\n\n{rows}"),
            (false, true, Language::English) => format!("Branches of which all is in {into}:\n\n{rows}"),
            (false, true, Language::Chinese) => format!("已合并到 {into} 的分支：\n\n{rows}"),
        })
    }

    /// The stashes, with the files and the lines of each.
    pub(super) fn stashes(&self) -> Option<String> {
        let printed = probe(&Probe::Git { root: self.workspace.root(), question: Question::Stashes })?;
        let mut text = String::new();
        for (at, line) in printed.lines().enumerate().take(LAST) {
            let Some((_, message)) = line.split_once('\t') else { continue };
            let name = format!("stash@{{{at}}}");
            text.push_str(&format!("- {} {}\n", code(&name), short(&aside_redact::redact(message), 120)));
            let target = ReviewTarget::Range(format!("{name}^1"), name);
            let Some(diff) = self.workspace.change(&target, &[]).ok().map(|change| change.diff) else { continue };
            for file in review::summarize(&diff).files.iter().take(LAST) {
                text.push_str(&format!("  - {} +{} −{}\n", code(&file.path), file.added, file.removed));
            }
            let is_change =
                |line: &&str| line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---");
            let lines: Vec<&str> = diff.lines().filter(is_change).collect();
            if at == 0 && lines.len() <= MAX_LINES && !lines.is_empty() {
                let body = lines.join("\n");
                let body = aside_redact::redact(&body);
                text.push_str(&format!("\n{}\n", aside_task::run::model_reply::fenced("diff", &body)));
            }
        }
        Some(match text.is_empty() {
            true => self.language.pick("Nothing is stashed.", "没有暂存的工作（stash）。").to_owned(),
            false => format!(
                "{text}\n{}",
                self.language.pick(
                    "`git stash pop` brings the first back, `git stash show -p stash@{N}` shows one whole.",
                    "`git stash pop` 取回第一个，`git stash show -p stash@{N}` 显示全部内容。"
                )
            ),
        })
    }

    /// Who changed a name, a text, or what some words describe, and when.
    pub(super) fn history_of(&self, how: &str) -> Option<String> {
        let things = &self.reading.things;
        if how == "words" {
            return self.described_commits();
        }
        let text = things.names.first().or(things.texts.first())?;
        let all = self.touching(text)?;
        (!all.is_empty()).then_some(())?;
        let head = match self.language {
            Language::English => format!("Commits that changed a line with {}, the newest first:", code(text)),
            Language::Chinese => format!("改动过含有 {} 的行的提交，最新的在前：", code(text)),
        };
        Some(format!("{head}\n\n{}", with_files(&all)))
    }

    fn touching(&self, text: &str) -> Option<Vec<Commit>> {
        let head = Revision::new("HEAD")?;
        let question = Question::Touching { of: &head, many: MAX_ROWS, text };
        Some(fact_answers::commits(&probe(&Probe::Git { root: self.workspace.root(), question })?))
    }

    /// Commits of any branch whose first line has all the words; else those that changed a name made of them.
    fn described_commits(&self) -> Option<String> {
        let words: Vec<String> = self.reading.things.words.iter().flat_map(|word| stems(word)).collect();
        let mut found: Vec<(String, Commit)> = Vec::new();
        let branches =
            std::iter::once("HEAD".to_owned()).chain(self.refs("refs/heads/")).chain(self.refs("refs/remotes/"));
        for name in branches.take(MAX_BRANCHES) {
            let all = history(self.workspace, &History { many: MAX_COMMITS, of: &name, ..History::default() });
            for commit in all.unwrap_or_default() {
                let subject = stems(&commit.subject);
                let is_known = found.iter().any(|(_, known)| known.id == commit.id);
                if !is_known && words.iter().all(|word| subject.contains(word)) {
                    found.push((name.clone(), commit));
                }
            }
        }
        if !found.is_empty() {
            let rows: String = found
                .iter()
                .take(MAX_ROWS)
                .map(|(name, commit)| match name.as_str() {
                    "HEAD" => commit.row(),
                    name => format!("- {} {}", code(name), commit.row().trim_start_matches("- ")),
                })
                .collect();
            let head = self.language.pick("Commits whose first line says so:", "第一行这样写的提交：");
            return Some(format!("{head}\n\n{rows}"));
        }
        let joined = [words.join("_"), words.concat()];
        let all = joined.iter().filter_map(|name| self.touching(name)).find(|all| !all.is_empty())?;
        Some(with_files(&all))
    }

    /// Files by their author, by what changed since a revision, or by their size.
    pub(super) fn files(&self, how: &str) -> Option<RunnerOutcome> {
        match how {
            "author" => {
                let author = self.reading.things.authors.first()?;
                let mut all = history(self.workspace, &History { many: MAX_COMMITS, author, ..History::default() })?;
                for name in self.refs("refs/heads/").into_iter().take(MAX_BRANCHES) {
                    let of = History { many: MAX_ROWS, author, since: "HEAD", of: &name, path: "" };
                    all.extend(history(self.workspace, &of).unwrap_or_default());
                }
                let all = self.within(all)?;
                let mut items: Vec<SearchResult> = Vec::new();
                for commit in &all {
                    for path in &commit.files {
                        if !items.iter().any(|item| item.path == *path) {
                            let preview = Some(format!("{} {} {}", commit.date, commit.author, commit.subject));
                            items.push(SearchResult { path: path.clone(), preview });
                        }
                    }
                }
                Some(listed(items, &format!("files in commits of {author}{}", self.when_told())))
            }
            "period" => {
                let all = history(self.workspace, &History { many: MAX_COMMITS, ..History::default() })?;
                let mut items: Vec<SearchResult> = Vec::new();
                let under = self.reading.things.directories.first().map(|name| format!("{name}/")).unwrap_or_default();
                for commit in self.within(all)? {
                    for path in commit.files.iter().filter(|path| path.starts_with(&under)) {
                        if !items.iter().any(|item| item.path == *path) {
                            let preview = Some(format!("{} {} {}", commit.date, commit.author, commit.subject));
                            items.push(SearchResult { path: path.clone(), preview });
                        }
                    }
                }
                for path in self.workspace.git().changed.iter().filter(|path| path.starts_with(&under)) {
                    if !items.iter().any(|item| item.path == *path) {
                        let preview = Some(self.language.pick("not committed yet", "尚未提交").to_owned());
                        items.push(SearchResult { path: path.clone(), preview });
                    }
                }
                Some(listed(items, &format!("files in commits{}", self.when_told())))
            }
            "between" => {
                let refs = &self.reading.things.refs;
                let here = self.workspace.git().branch;
                let (old, new) = match refs.as_slice() {
                    [old, new] => (old.clone(), new.clone()),
                    [one] if *one == here => (self.main(one)?, one.clone()),
                    [one] => (one.clone(), "HEAD".to_owned()),
                    _ => return None,
                };
                let files = self.diff(&old, &new)?;
                let what = match self.language {
                    Language::English => format!("Files that differ between {} and {}", code(&old), code(&new)),
                    Language::Chinese => format!("{} 和 {} 之间不同的文件", code(&old), code(&new)),
                };
                let is_head = new == "HEAD";
                let changed = self.workspace.git().changed;
                let row = |file: &ReviewedFile| format!("- {} +{} −{}\n", code(&file.path), file.added, file.removed);
                let mut text = format!("{what}:\n\n{}", files.iter().take(MAX_ROWS).map(row).collect::<String>());
                if is_head && !changed.is_empty() {
                    let rows: String =
                        changed.iter().take(MAX_ROWS).map(|path| format!("- {}\n", code(path))).collect();
                    let head = self.language.pick("Not committed yet:", "尚未提交：");
                    text.push_str(&format!("\n{head}\n\n{rows}"));
                }
                Some(told(text))
            }
            _ => self.largest_files(),
        }
    }
}

fn with_files(all: &[Commit]) -> String {
    all.iter()
        .take(MAX_ROWS)
        .map(|commit| {
            let files: String = commit.files.iter().take(5).map(|file| format!("  - {}\n", code(file))).collect();
            format!("{}{files}", commit.row())
        })
        .collect()
}
