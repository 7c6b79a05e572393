//! Asks git about a workspace: the branch, what has changed, and diffs. Runs nothing that the repository names, and trusts none of its
//! settings about where the files are.

use std::os::unix::fs::MetadataExt;

use anyhow::{Context, bail, ensure};
use aside_core::agent::language::Bilingual;
use aside_task::denied_files::denied;
use aside_task::diff::path::RelativePath;
use aside_task::run::context::{MAX_FILE_BYTES, MAX_FILES, MAX_TOTAL_BYTES};
use aside_task::run::review::denied_files::without_denied;
use aside_task::run::review::target::ReviewTarget;
use aside_task::run::review::untracked::{self, UntrackedFile};
use aside_text as text;

use crate::exec::git::{DiffSides, Filters, Question, Revision};
use crate::exec::{DIFF_BYTES, Probe, probe};
use crate::workspace::rooted_fs::Root;
use crate::workspace::{Workspace, read};
use crate::world::git_changes::filters;
use crate::world::repository::repository;

/// Caps on the changed files listed by name, on untracked files, and on the files of a diff.
const MAX_CHANGED: usize = 500;
const MAX_UNTRACKED: usize = 20;
const MAX_PATHS: usize = 100;
/// Cap on commits that are listed by their first lines.
const MAX_COMMITS: usize = 10;

/// The empty tree, in repositories with SHA-1 ids.
const EMPTY: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
/// Usual names of the main branch, the likeliest first.
const MAIN: &[&str] = &["main", "master", "trunk", "develop", "dev"];

/// The current state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Empty with a detached HEAD.
    pub branch: String,
    /// Paths from the root, tracked files first.
    pub changed: Vec<String>,
    /// Branch and status, for the user and for models.
    pub text: String,
    /// Why this is incomplete: no repository, another user's, a broken one, too much.
    pub note: Option<String>,
}

/// A change to review.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// As `git diff` prints it; without the content of denied files.
    pub diff: String,
    /// What is compared: `the working tree against the last commit`.
    pub of: Bilingual,
    /// What is left out, and other remarks.
    pub notes: Vec<Bilingual>,
}

/// A repository that may be queried, and the filters that its settings define.
struct Asked<'a> {
    workspace: &'a Workspace,
    filters: Filters,
}

impl Workspace {
    pub fn git(&self) -> Facts {
        let asked = match self.asked() {
            Ok(asked) => asked,
            Err(error) => return Facts { note: Some(format!("{error:#}")), ..Facts::default() },
        };
        match asked.state() {
            Some(state) => facts(&state),
            None => Facts { note: Some(asked.trouble("could not look at what has changed")), ..Facts::default() },
        }
    }

    /// Paths are relative to the root; an empty list means all. The error is a sentence for the user.
    pub fn change(&self, what: &ReviewTarget, paths: &[String]) -> anyhow::Result<Change> {
        let asked = self.asked()?;
        let names: Vec<String> = paths
            .iter()
            .take(MAX_PATHS)
            .filter_map(|path| RelativePath::new(path).ok())
            .map(|name| name.to_string())
            .collect();
        ensure!(paths.is_empty() || !names.is_empty(), "none of these files is one that may be looked at");
        let (between, of, mut notes) = asked.between(what)?;
        let question = Question::Diff { filters: &asked.filters, between: &between, paths: &names };
        let diff = probe(&Probe::Git { root: &self.root, question });
        let diff = diff.with_context(|| asked.trouble(&format!("could not compare {}", of.english)))?;
        // The output is cut at the end of a line near the limit.
        if diff.len() + 64 * 1024 > DIFF_BYTES {
            let megabytes = DIFF_BYTES / 1024 / 1024;
            notes.push(Bilingual::new(
                format!("only the first {megabytes} MB of the diff are here"),
                format!("这里只有差异的前 {megabytes} MB"),
            ));
        }
        if paths.len() > MAX_PATHS {
            notes.push(Bilingual::new(
                format!("only the first {MAX_PATHS} of {} files are here", paths.len()),
                format!("{} 个文件中只有前 {MAX_PATHS} 个", paths.len()),
            ));
        }
        let mut diff = diff;
        if let DiffSides::Files(_) = between {
            let (new, told) = asked.untracked(&names);
            diff.push_str(&new);
            notes.extend(told);
        }
        let (diff, left_out) = without_denied(&diff);
        notes.extend(left_out);
        Ok(Change { diff, of, notes })
    }

    /// Whether there is a repository to compare with.
    pub fn has_repository(&self) -> bool {
        self.root.join(".git").exists()
    }

    fn asked(&self) -> anyhow::Result<Asked<'_>> {
        let root = &self.root;
        if !self.has_repository() {
            bail!("{} is no git repository", root.display());
        }
        let asked = Asked { workspace: self, filters: Filters::default() };
        let Some(top) = probe(&Probe::Git { root, question: Question::Top }) else {
            bail!(asked.trouble("could not ask git"))
        };
        let top = top.trim_end_matches('\n');
        // A setting can name any directory, whose files would then be shown.
        let same = std::fs::canonicalize(top).is_ok_and(|top| top == *root);
        ensure!(
            same,
            "git takes {} for the top of these files: core.worktree is set, and is not followed",
            text::clean(top)
        );
        let repository = repository(root).with_context(|| {
            format!(
                "the git directory of {} is elsewhere, and does not name these files in core.worktree",
                root.display()
            )
        })?;
        let filters = filters(&repository);
        Ok(Asked { workspace: self, filters })
    }
}

impl Asked<'_> {
    fn state(&self) -> Option<String> {
        probe(&Probe::Git { root: &self.workspace.root, question: Question::State { filters: &self.filters } })
    }

    /// The most likely reason why git failed, since its error output is not available here.
    fn trouble(&self, what: &str) -> String {
        let root = &self.workspace.root;
        let ours = rustix::process::geteuid().as_raw();
        let foreign = |path: &std::path::Path| std::fs::symlink_metadata(path).is_ok_and(|meta| meta.uid() != ours);
        if foreign(root) || foreign(&root.join(".git")) {
            let root = root.display();
            return format!(
                "{what}: {root} belongs to another user; `git config --global --add safe.directory {root}` trusts it"
            );
        }
        format!("{what}: git did not answer; `git status` in {} says why", root.display())
    }

    fn is_there(&self, revision: &Revision) -> bool {
        probe(&Probe::Git { root: &self.workspace.root, question: Question::Log { since: None, of: revision } })
            .is_some()
    }

    fn head(&self) -> Option<Revision> {
        Revision::new("HEAD").filter(|head| self.is_there(head))
    }

    /// Resolves a name: a local branch, a remote branch, a tag or an id.
    fn revision(&self, text: &str) -> anyhow::Result<Revision> {
        let revision = Revision::new(text).filter(|revision| self.is_there(revision));
        let remote = || Revision::new(&format!("origin/{text}")).filter(|revision| self.is_there(revision));
        revision.or_else(remote).with_context(|| format!("there is no branch, tag or commit {}", text::clean(text)))
    }

    /// The main branch.
    fn main(&self) -> anyhow::Result<Revision> {
        let root = &self.workspace.root;
        let listed = |prefix| probe(&Probe::Git { root, question: Question::Refs { prefix } }).unwrap_or_default();
        let (heads, remotes) = (listed("refs/heads"), listed("refs/remotes/origin"));
        let has = |refs: &str, name: &str| refs.lines().any(|line| line == name);
        if has(&remotes, "refs/remotes/origin/HEAD") {
            return Revision::new("origin/HEAD").context("there is no main branch");
        }
        let found = MAIN.iter().find_map(|name| {
            let ours = has(&heads, &format!("refs/heads/{name}")).then(|| (*name).to_owned());
            ours.or_else(|| has(&remotes, &format!("refs/remotes/origin/{name}")).then(|| format!("origin/{name}")))
        });
        let found = found.context("which branch is the main one cannot be told; say against which one")?;
        Revision::new(&found).context("there is no main branch")
    }

    /// What to compare, its description, and remarks about it.
    fn between(&self, what: &ReviewTarget) -> anyhow::Result<(DiffSides, Bilingual, Vec<Bilingual>)> {
        let empty = || Revision::new(EMPTY).context("there is no empty tree");
        let head = self.head();
        let none = Bilingual::new("nothing has been committed yet", "还没有任何提交");
        let unborn = if head.is_none() { vec![none] } else { Vec::new() };
        Ok(match what {
            ReviewTarget::Now => {
                let head = head.map_or_else(empty, Ok)?;
                let of = Bilingual::new("the working tree against the last commit", "工作区与最近一次提交");
                (DiffSides::Files(head), of, unborn)
            }
            ReviewTarget::Staged => {
                let head = head.map_or_else(empty, Ok)?;
                let of = Bilingual::new("what is staged against the last commit", "暂存区与最近一次提交");
                (DiffSides::Staged(head), of, unborn)
            }
            ReviewTarget::Last(count) => {
                let head = head.context("nothing has been committed yet")?;
                let back = Revision::new(&format!("HEAD~{count}")).filter(|back| self.is_there(back));
                let of = match count {
                    1 => Bilingual::new("the last commit", "最近一次提交"),
                    count => Bilingual::new(format!("the last {count} commits"), format!("最近 {count} 次提交")),
                };
                let notes = self.commits(back.as_ref(), &head);
                (DiffSides::Commits(back.map_or_else(empty, Ok)?, head), of, notes)
            }
            ReviewTarget::Commit(name) => {
                let commit = self.revision(name)?;
                let parent = Revision::new(&format!("{}^", commit.as_str())).filter(|parent| self.is_there(parent));
                let notes = self.commits(parent.as_ref(), &commit);
                let of = Bilingual::new(format!("commit {}", commit.as_str()), format!("提交 {}", commit.as_str()));
                (DiffSides::Commits(parent.map_or_else(empty, Ok)?, commit), of, notes)
            }
            ReviewTarget::Branch { of, against } => {
                let branch = match of {
                    Some(name) => self.revision(name)?,
                    None => head.context("nothing has been committed yet")?,
                };
                let base = against.as_ref().map_or_else(|| self.main(), |name| self.revision(name))?;
                let (called, main) = (of.as_deref(), base.as_str());
                let told = Bilingual::new(
                    format!("{} since it left {main}", called.unwrap_or("this branch")),
                    format!("{} 从 {main} 分出以来的改动", called.unwrap_or("当前分支")),
                );
                let mut notes = self.commits(Some(&base), &branch);
                if of.is_none() && self.state().is_some_and(|state| !facts(&state).changed.is_empty()) {
                    notes.push(Bilingual::new(
                        "what is not committed yet is not part of it",
                        "还没有提交的改动不在其中",
                    ));
                }
                (DiffSides::Fork(base, branch), told, notes)
            }
            ReviewTarget::Unpushed => {
                let head = head.context("nothing has been committed yet")?;
                let upstream = Revision::new("@{upstream}").filter(|upstream| self.is_there(upstream));
                let upstream = upstream.context(
                    "the branch follows none of a remote, so which commits are not pushed cannot be told; `review the last 3 commits` names them",
                )?;
                let mut notes = self.commits(Some(&upstream), &head);
                if self.state().is_some_and(|state| !facts(&state).changed.is_empty()) {
                    notes.push(Bilingual::new(
                        "what is not committed yet is not part of it: `review my changes`",
                        "还没有提交的改动不在其中：`看一下我的改动`",
                    ));
                }
                let told = Bilingual::new("the commits that are not pushed", "还没有推送的提交");
                (DiffSides::Fork(upstream, head), told, notes)
            }
            ReviewTarget::Range(one, other) => {
                let (one, other) = (self.revision(one)?, self.revision(other)?);
                let notes = self.commits(Some(&one), &other);
                let (from, to) = (one.as_str(), other.as_str());
                let told = Bilingual::new(format!("{from} to {to}"), format!("{from} 到 {to}"));
                (DiffSides::Commits(one, other), told, notes)
            }
        })
    }

    /// The first lines of the commits, newest first.
    fn commits(&self, since: Option<&Revision>, of: &Revision) -> Vec<Bilingual> {
        let log = probe(&Probe::Git { root: &self.workspace.root, question: Question::Log { since, of } })
            .unwrap_or_default();
        // The first commit has no predecessor, and its log is the commit itself.
        let count = log.lines().count();
        let told = log.lines().filter_map(|line| line.split_once('\t'));
        let row = |(id, title): (&str, &str)| {
            let title = text::clean(title);
            Bilingual::new(format!("commit {id}: {title}"), format!("提交 {id}：{title}"))
        };
        let mut told: Vec<Bilingual> = told.take(MAX_COMMITS).map(row).collect();
        if count > MAX_COMMITS {
            let more = count - MAX_COMMITS;
            told.push(match count {
                50.. => Bilingual::new("and many more commits", "还有很多提交"),
                _ => Bilingual::new(format!("and {more} more commits"), format!("还有 {more} 次提交")),
            });
        }
        told
    }

    /// Renders untracked files as additions, up to the limits for a model's context, with remarks. They are in none of git's diffs, and
    /// hold most of what is committed by accident.
    fn untracked(&self, paths: &[String]) -> (String, Vec<Bilingual>) {
        let state = self.state().unwrap_or_default();
        let inside = |file: &str| {
            paths.is_empty() || paths.iter().any(|path| file == path || file.starts_with(&format!("{path}/")))
        };
        let files: Vec<String> = state
            .split_terminator('\0')
            .filter_map(|entry| entry.strip_prefix("?? "))
            .filter(|file| inside(file))
            .map(str::to_owned)
            .collect();
        let (mut diff, mut notes) = (String::new(), Vec::new());
        let root = Root::open(&self.workspace.root);
        let mut room = MAX_TOTAL_BYTES;
        let mut read = 0;
        for file in files.iter().take(MAX_UNTRACKED) {
            let name = text::clean(file).replace('\n', " ");
            // A denied file is mentioned, but its content is not shown.
            if denied(file).is_some() {
                diff.push_str(&untracked::header(file).unwrap_or_default());
                notes.push(Bilingual::new(
                    format!("{name} is new and not tracked"),
                    format!("{name} 是新文件，没有被跟踪"),
                ));
                continue;
            }
            let most = MAX_FILE_BYTES.min(room);
            let contents = root.as_ref().ok().filter(|_| read < MAX_FILES && most > 0);
            let contents = contents.and_then(|root| read::read(root, file).ok());
            match contents.and_then(|contents| untracked::added(file, &contents, most)) {
                Some(UntrackedFile { diff: new, note }) => {
                    read += 1;
                    room = room.saturating_sub(new.len());
                    diff.push_str(&new);
                    notes.push(Bilingual::new(
                        format!("{name} is new and not tracked; it is looked at as if it were added"),
                        format!("{name} 是新文件，没有被跟踪；按新增的文件来看"),
                    ));
                    notes.extend(note);
                }
                None => notes.push(Bilingual::new(
                    format!("{name} is new and not tracked, and was not looked at"),
                    format!("{name} 是新文件，没有被跟踪，也没有看"),
                )),
            }
        }
        if files.len() > MAX_UNTRACKED {
            let more = files.len() - MAX_UNTRACKED;
            notes.push(Bilingual::new(
                format!("{more} more files are not tracked"),
                format!("还有 {more} 个文件没有被跟踪"),
            ));
        }
        (diff, notes)
    }
}

/// Parses the branch, and entries of two letters, a blank and a path, each ended by a NUL.
fn facts(state: &str) -> Facts {
    let mut branch = String::new();
    let mut told = String::new();
    let (mut tracked, mut new) = (Vec::new(), Vec::new());
    for entry in state.split_terminator('\0') {
        let (Some(letters), Some(path)) = (entry.get(..2), entry.get(3..)) else { continue };
        if letters == "##" {
            let name = path.strip_prefix("No commits yet on ").unwrap_or(path);
            let name = name.split("...").next().unwrap_or_default();
            branch = if name.starts_with("HEAD (") { String::new() } else { text::clean(name).into_owned() };
            told = format!("branch {}\n", text::clean(path));
            continue;
        }
        let list = if letters == "??" { &mut new } else { &mut tracked };
        list.push((letters, path));
    }
    let all = tracked.len() + new.len();
    for (letters, path) in tracked.iter().chain(&new).take(MAX_CHANGED) {
        told.push_str(&format!("{letters} {}\n", text::clean(path).replace('\n', " ")));
    }
    let note = (all > MAX_CHANGED).then(|| format!("{all} files have changed; {MAX_CHANGED} of them are told"));
    let usable = tracked.iter().chain(&new).map(|(_, path)| *path).filter(|path| denied(path).is_none());
    Facts { branch, changed: usable.take(MAX_CHANGED).map(str::to_owned).collect(), text: told, note }
}

#[cfg(test)]
mod tests;
