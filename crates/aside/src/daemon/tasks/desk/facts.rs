//! Answers questions from files, git and the machine, without a model. Core parses the question and renders the answer; this file looks it
//! up.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

use aside_core::agent::tongue::Tongue;
use aside_core::task::proposal::{Found, Proposal};
use aside_core::task::route::intent::{Intent, Params};
use aside_core::task::run::context::Ignored;
use aside_core::task::run::facts::{self, Ask, Filter};
use aside_core::task::run::project::Project;
use aside_core::task::run::said::fenced;
use aside_core::task::run::search::definitions::defines;
use aside_core::task::run::{Model, Outcome, code, short};

use crate::daemon::tasks::desk::here::Here;
use crate::daemon::tasks::desk::{Desk, answer, blocking};
use crate::exec::git::{Question, Revision};
use crate::exec::{Probe, probe};
use crate::workspace::Workspace;
use crate::workspace::beneath::Root;
use crate::workspace::masked::{self, Masked, Secrets};
use crate::workspace::read::read;

/// Caps on rows of a list, definitions of a name, and its uses.
const MAX_ROWS: usize = 30;
const MAX_DEFINITIONS: usize = 3;
const MAX_USES: usize = 8;
/// Bytes that are searched for a name.
const MAX_BYTES: usize = 64 * 1024 * 1024;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

impl Desk {
    /// The question, if facts can answer it.
    pub(super) fn asked(&self, params: &Params) -> Option<Ask> {
        facts::read(self.words(), params.files.first().map(String::as_str))
    }

    /// The answer; `None` if a model has to give it.
    pub(super) async fn known(&self, intent: &Intent) -> Result<Option<Outcome>, String> {
        let Some(ask) = self.asked(&intent.params) else {
            return self.of_file(intent).await;
        };
        let here = Here::of(&self.state, &self.request.meta, self.workspace.cwd()).await;
        let workspace = self.workspace.clone();
        let project = blocking(move |_| workspace.project()).await?;
        Ok(match &ask {
            Ask::RunIt(what) => self.how_to_run(what, &here, &project).await,
            Ask::HowTo(what) => here.how_to(what).await,
            Ask::Commits(_) | Ask::Authors(_) | Ask::Files(_) | Ask::Name(_) => {
                let (workspace, asked, secrets) = (self.workspace.clone(), ask.clone(), self.secrets());
                blocking(move |cancelled| looked_up(&workspace, &asked, secrets, cancelled)).await?
            }
            Ask::Project | Ask::Install | Ask::Version | Ask::Dependencies | Ask::Target(_) => {
                facts::of_project(&ask, &project).map(told)
            }
        })
    }

    /// Describes a named file by what it defines.
    async fn of_file(&self, intent: &Intent) -> Result<Option<Outcome>, String> {
        let [file] = intent.params.files.as_slice() else { return Ok(None) };
        let words = self.words().split_whitespace().count();
        // An outline does not answer a question about something in the file.
        let about =
            ["what", "explain", "describe", "summarize", "summarise", "show", "outline", "解释", "说明", "介绍"];
        let lower = self.words().to_lowercase();
        if words > 9 || !about.iter().any(|word| lower.contains(word)) {
            return Ok(None);
        }
        let (workspace, file) = (self.workspace.clone(), file.clone());
        blocking(move |cancelled| {
            let path = workspace.named(&file);
            let root = Root::open(workspace.root()).ok()?;
            let listed = workspace.tree(&[], cancelled).unwrap_or_default();
            let ends = |path: &str| path.strip_suffix(file.as_str()).is_some_and(|before| before.ends_with('/'));
            let below = listed.listed().iter().find(|listed| ends(listed.path)).map(|listed| listed.path.to_owned());
            let (path, bytes) = match (read(&root, &path), below) {
                (Ok(bytes), _) => (path, bytes),
                (Err(_), Some(below)) => (below.clone(), read(&root, &below).ok()?),
                (Err(_), None) => return None,
            };
            let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))?;
            Some(told(facts::outline(&path, &text)))
        })
        .await
    }

    /// The command that would be proposed, in words; else what the README says.
    async fn how_to_run(&self, what: &str, here: &Here, project: &Project) -> Option<Outcome> {
        let it = ["this", "it", "project", "the project", "the app", "this project"].contains(&what);
        let query = if it { "start".to_owned() } else { what.to_owned() };
        let params = Params { query: Some(query), ..Params::default() };
        let test_command = self.state.config().task.default_test_command.clone();
        let command = here.command(&params, &test_command, project, Tongue::of(self.words()), None).await;
        let section = project.section(&["run", "running", "usage", "use", "start", "started", "quickstart"]);
        let section = section.filter(|_| it).map(|(file, text)| format!("{text}\n\n(from {})\n", code(file)));
        match command.map(|outcome| outcome.proposal) {
            Some(Proposal::Command { cmd, reason, .. }) => {
                let section = section.map(|section| format!("\n{section}")).unwrap_or_default();
                Some(told(format!("{}\n{}{section}", fenced("sh", &cmd), reason.unwrap_or_default())))
            }
            _ => section.map(told),
        }
    }
}

impl Here {
    /// The usual command for something, as an answer.
    pub async fn how_to(&self, what: &str) -> Option<Outcome> {
        let (cmd, about) = self.usual(what).await?;
        let about = if about.is_empty() { String::new() } else { format!("\nIt {about}.\n") };
        Some(told(format!("{}{about}", fenced("sh", &cmd))))
    }
}

pub(super) fn told(text: String) -> Outcome {
    let first = text.lines().find(|line| line.contains(char::is_alphanumeric) && !line.starts_with("```"));
    let summary = short(first.unwrap_or_default(), 160);
    let text = if text.ends_with('\n') { text } else { format!("{text}\n") };
    answer(text, summary, String::new(), Model::Better)
}

fn looked_up(workspace: &Workspace, ask: &Ask, secrets: Secrets, cancelled: &AtomicBool) -> Option<Outcome> {
    match ask {
        Ask::Commits(many) => {
            let rows = history(workspace, &History { many: *many, ..History::default() })?;
            Some(told(rows.iter().map(Commit::row).collect()))
        }
        Ask::Authors(file) => authors(workspace, file),
        Ask::Files(filter) => files(workspace, filter, cancelled),
        Ask::Name(name) => named(workspace, name, secrets, cancelled),
        _ => None,
    }
}

#[derive(Default)]
pub(super) struct History<'a> {
    pub many: usize,
    pub path: &'a str,
    pub author: &'a str,
}

pub(super) struct Commit {
    pub id: String,
    pub author: String,
    pub date: String,
    pub subject: String,
    pub files: Vec<String>,
}

impl Commit {
    pub fn row(&self) -> String {
        format!("- {} {}, {}: {}\n", code(&self.id), self.date, self.author, self.subject)
    }
}

/// Returns `None` outside a repository, or before the first commit.
pub(super) fn history(workspace: &Workspace, history: &History<'_>) -> Option<Vec<Commit>> {
    if !workspace.has_repository() {
        return None;
    }
    let head = Revision::new("HEAD")?;
    let question = Question::History { of: &head, many: history.many, path: history.path, author: history.author };
    let printed = probe(&Probe::Git { root: workspace.root(), question })?;
    let mut commits: Vec<Commit> = Vec::new();
    for line in printed.lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        match parts.as_slice() {
            [id, author, date, subject @ ..] if !subject.is_empty() => {
                let subject = short(&aside_core::redact::redact(&subject.join(" ")), 120);
                let (id, author, date) = ((*id).to_owned(), short(author, 60), (*date).to_owned());
                commits.push(Commit { id, author, date, subject, files: Vec::new() });
            }
            [path] if !path.is_empty() => {
                if let Some(last) = commits.last_mut() {
                    last.files.push((*path).to_owned());
                }
            }
            _ => {}
        }
    }
    Some(commits)
}

pub(super) fn authors(workspace: &Workspace, file: &str) -> Option<Outcome> {
    let path = workspace.named(file);
    let commits = history(workspace, &History { many: MAX_ROWS, path: &path, author: "" })?;
    let Some(last) = commits.first() else {
        return Some(told(format!("No commit has {}.", code(&path))));
    };
    let mut people: Vec<(&str, usize)> = Vec::new();
    for commit in &commits {
        match people.iter_mut().find(|(name, _)| *name == commit.author) {
            Some((_, count)) => *count += 1,
            None => people.push((&commit.author, 1)),
        }
    }
    let people: Vec<String> = people.iter().map(|(name, count)| format!("{name} ({count})")).collect();
    let rows: String = commits.iter().take(10).map(Commit::row).collect();
    let changed = workspace.git().changed.contains(&path);
    let now = if changed { " It has changes that are not committed." } else { "" };
    Some(told(format!(
        "{} was last changed by {} on {}. Commits: {}.{now}\n\n{rows}",
        code(&path),
        last.author,
        last.date,
        people.join(", ")
    )))
}

fn files(workspace: &Workspace, filter: &Filter, cancelled: &AtomicBool) -> Option<Outcome> {
    if let Filter::Author(name) = filter {
        let commits = history(workspace, &History { many: 200, path: "", author: name })?;
        let mut items: Vec<Found> = Vec::new();
        for commit in &commits {
            for path in &commit.files {
                if !items.iter().any(|item| item.path == *path) {
                    items.push(Found {
                        path: path.clone(),
                        preview: Some(format!("{} {}", commit.date, commit.subject)),
                    });
                }
            }
        }
        return Some(listed(items, &format!("files in commits of {name}")));
    }
    let tree = workspace.tree(&[], cancelled).ok()?;
    let listing = tree.listed();
    let mut rows: Vec<(u64, SystemTime, &str)> = listing
        .iter()
        .filter(|listed| listed.ignored == Ignored::No)
        .filter_map(|listed| {
            let meta =
                std::fs::symlink_metadata(workspace.root().join(listed.path)).ok().filter(|meta| meta.is_file())?;
            Some((meta.len(), meta.modified().ok()?, listed.path))
        })
        .collect();
    let now = SystemTime::now();
    let age = |time: &SystemTime| now.duration_since(*time).unwrap_or_default();
    match filter {
        Filter::Larger(bytes) => rows.retain(|(size, ..)| size > bytes),
        Filter::Smaller(bytes) => rows.retain(|(size, ..)| size < bytes),
        Filter::Empty => rows.retain(|(size, ..)| *size == 0),
        Filter::Days(days) => rows.retain(|(_, time, _)| age(time) <= DAY * u32::try_from(*days).unwrap_or(u32::MAX)),
        Filter::Largest(_) | Filter::Newest(_) | Filter::Author(_) => {}
    }
    match filter {
        Filter::Days(_) | Filter::Newest(_) => rows.sort_by_key(|(_, time, path)| (age(time), *path)),
        _ => rows.sort_by_key(|(size, _, path)| (std::cmp::Reverse(*size), *path)),
    }
    if let Filter::Largest(many) | Filter::Newest(many) = filter {
        rows.truncate(*many);
    }
    let row = |(size, time, path): &(u64, SystemTime, &str)| Found {
        path: (*path).to_owned(),
        preview: Some(format!("{}, changed {} ago", bytes(*size), ago(age(time)))),
    };
    Some(listed(rows.iter().map(row).collect(), "files"))
}

pub(super) fn listed(items: Vec<Found>, what: &str) -> Outcome {
    let count = items.len();
    let summary = match count {
        0 => format!("There are no such {what}"),
        many => format!("{many} {what}"),
    };
    if items.is_empty() {
        return told(format!("{summary}; what git ignores is not looked at."));
    }
    let details = if count > MAX_ROWS { format!("{} more are not shown.\n", count - MAX_ROWS) } else { String::new() };
    let items = items.into_iter().take(MAX_ROWS).collect();
    Outcome { proposal: Proposal::SearchResults { items }, summary, details, model: Model::Unneeded }
}

fn bytes(size: u64) -> String {
    match size {
        0..1024 => format!("{size} bytes"),
        1024..1_048_576 => format!("{:.1} KB", size as f64 / 1024.0),
        _ => format!("{:.1} MB", size as f64 / 1_048_576.0),
    }
}

fn ago(age: Duration) -> String {
    match age.as_secs() / 60 {
        0 => "a moment".to_owned(),
        minutes @ 1..60 => format!("{minutes} min"),
        minutes @ 60..2880 => format!("{} h", minutes / 60),
        minutes => format!("{} days", minutes / 1440),
    }
}

/// Where a name is defined, with its text, and where it is used.
fn named(workspace: &Workspace, name: &str, secrets: Secrets, cancelled: &AtomicBool) -> Option<Outcome> {
    let last = name.rsplit(['.', ':']).next().unwrap_or(name);
    let root = Root::open(workspace.root()).ok()?;
    let tree = workspace.tree(&[], cancelled).ok()?;
    let (mut definitions, mut uses) = (Vec::new(), Vec::new());
    let mut bytes = 0;
    for listed in tree.listed().iter().filter(|listed| listed.ignored == Ignored::No) {
        if cancelled.load(std::sync::atomic::Ordering::Relaxed) || bytes > MAX_BYTES {
            break;
        }
        let Some(text) = read(&root, listed.path).ok().and_then(|bytes| String::from_utf8(bytes).ok()) else {
            continue;
        };
        bytes += text.len();
        let text = match secrets {
            Secrets::Included => text,
            Secrets::Masked => match Masked::new(&text) {
                Some(masked) => masked::shown(&masked.text),
                None => continue,
            },
        };
        if !text.contains(last) {
            continue;
        }
        for (at, line) in text.lines().enumerate().filter(|(_, line)| has_word(line, last)) {
            match defines(line, last) {
                true if definitions.len() < MAX_DEFINITIONS => {
                    definitions.push((listed.path.to_owned(), at + 1, facts::definition(&text, at + 1)));
                }
                true => {}
                false => uses.push(format!("`{}:{}`", listed.path, at + 1)),
            }
        }
    }
    if definitions.is_empty() {
        return None;
    }
    let mut text = String::new();
    for (path, line, body) in &definitions {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        let body = aside_core::redact::redact(body);
        text.push_str(&format!("{} is defined in `{path}:{line}`:\n\n{}\n", code(last), fenced(ending, &body)));
    }
    if !uses.is_empty() {
        let more = uses.len().saturating_sub(MAX_USES);
        let rest = if more > 0 { format!(" and {more} more places") } else { String::new() };
        text.push_str(&format!(
            "Used in {}{rest}.\n",
            uses.iter().take(MAX_USES).cloned().collect::<Vec<_>>().join(", ")
        ));
    }
    Some(told(text))
}

fn has_word(line: &str, name: &str) -> bool {
    let edge = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_');
    line.match_indices(name).any(|(at, found)| {
        edge(line.get(..at).and_then(|before| before.chars().next_back()))
            && edge(line.get(at + found.len()..).and_then(|behind| behind.chars().next()))
    })
}
