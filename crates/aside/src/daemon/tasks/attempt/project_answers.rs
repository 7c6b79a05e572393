//! Answers about parts of a project: what a directory is for, what CI does, how something is done. Core words them; this file looks them
//! up.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use aside_core::agent::language::Language;
use aside_task::proposal::Proposal;
use aside_task::route::intent::IntentParams;
use aside_task::run::context::Ignored;
use aside_task::run::directory::{self, DirectoryFacts};
use aside_task::run::doc_section::{self, DocSection};
use aside_task::run::documented::{Described, commands, described};
use aside_task::run::find::Kind;
use aside_task::run::model_reply::fenced;
use aside_task::run::project::{Manifest, Project};
use aside_task::run::{RunnerOutcome, ci, code, compose, facts, importers, recipes, short, wording};

use crate::daemon::tasks::attempt::fact_answers::told;
use crate::daemon::tasks::attempt::machine_facts::MachineFacts;
use crate::daemon::tasks::attempt::{Attempt, blocking};
use crate::workspace::Workspace;
use crate::workspace::masked::Secrets;
use crate::workspace::read::read;
use crate::workspace::rooted_fs::Root;
use crate::workspace::texts::TextFilter;

/// Directories that are listed.
const MAX_DIRECTORIES: usize = 30;
/// Manifests that are read.
const MAX_MANIFESTS: usize = 200;

impl Attempt {
    /// How something is done here: with the project's tools, by the usual command, or as its documentation says.
    pub(super) async fn how_to(&self, what: &str, here: &MachineFacts) -> Result<Option<RunnerOutcome>, String> {
        let language = Language::of(self.words());
        let (root, asked) = (self.workspace.root().to_owned(), what.to_owned());
        let recipe = blocking(move |_| recipes::how_to(&asked, &|name| root.join(name).is_file(), language)).await?;
        if let Some(text) = recipe {
            return Ok(Some(told(text)));
        }
        if let Some(outcome) = here.how_to(what, language).await {
            return Ok(Some(outcome));
        }
        let workspace = self.workspace.clone();
        let project = blocking(move |_| workspace.project()).await?;
        let params = IntentParams { query: Some(what.to_owned()), ..IntentParams::default() };
        let test_command = self.state.config().task.default_test_command.clone();
        let of_project = here.command(&params, &test_command, &project, language, None).await;
        if let Some(Proposal::Command { cmd, reason, .. }) = of_project.map(|outcome| outcome.proposal) {
            return Ok(Some(told(format!("{}\n{}\n", fenced("sh", &cmd), reason.unwrap_or_default()))));
        }
        let (workspace, asked) = (self.workspace.clone(), what.to_owned());
        let written = blocking(move |_| described(&asked, &commands(&workspace.project()))).await?;
        if let Some(Described::Whole(command)) = written {
            let from = facts::source(&format!("{}:{}", command.file, command.line), language);
            return Ok(Some(told(format!("{}\n{from}\n", fenced("sh", &command.cmd)))));
        }
        let (workspace, secrets, subject) = (self.workspace.clone(), self.secrets(), doc_section::subject(what));
        blocking(move |cancelled| documented(&workspace, &subject, secrets, language, cancelled)).await
    }

    /// The command for containers of the project's compose file.
    pub(super) async fn of_compose(&self, here: &MachineFacts) -> Result<Option<RunnerOutcome>, String> {
        let (workspace, words) = (self.workspace.clone(), wording::english(self.words()).into_owned());
        let found = blocking(move |_| {
            let root = Root::open(workspace.root()).ok()?;
            let file = compose::FILES.iter().find(|name| workspace.root().join(name).is_file())?;
            let text = String::from_utf8(read(&root, file).ok()?).ok()?;
            Some(((*file).to_owned(), compose::command(&words, &text)?))
        });
        let Some((file, cmd)) = found.await? else { return Ok(None) };
        let Some(cmd) = here.runnable(&[cmd]).await else { return Ok(None) };
        let reason = match Language::of(self.words()) {
            Language::English => format!("{} has these services.", code(&file)),
            Language::Chinese => format!("{} 里有这些服务。", code(&file)),
        };
        Ok(Some(here.proposed(cmd, reason)))
    }
}

/// The best section of all documentation.
fn documented(
    workspace: &Workspace,
    subject: &[String],
    secrets: Secrets,
    language: Language,
    cancelled: &AtomicBool,
) -> Option<RunnerOutcome> {
    let subjects = [subject.to_vec()];
    let (section, path) = sections(workspace, &subjects, secrets, cancelled)?.into_iter().next()??;
    Some(section_told(&section, &path, language))
}

/// For each subject the best section of all documentation, with its file. Reads each document once.
fn sections(
    workspace: &Workspace,
    subjects: &[Vec<String>],
    secrets: Secrets,
    cancelled: &AtomicBool,
) -> Option<Vec<Option<(DocSection, String)>>> {
    let mut all: Vec<Option<(DocSection, String)>> = subjects.iter().map(|_| None).collect();
    let documents = TextFilter { path: &doc_section::is_document, ..TextFilter::ALL };
    workspace.each_text_of(&documents, secrets, cancelled, |path, text| {
        for (subject, best) in subjects.iter().zip(&mut all) {
            if let Some(found) = doc_section::section(subject, path, text)
                && best.as_ref().is_none_or(|(known, _)| known.score < found.score)
            {
                *best = Some((found, path.to_owned()));
            }
        }
    })?;
    Some(all)
}

fn section_told(section: &DocSection, path: &str, language: Language) -> RunnerOutcome {
    let from = facts::source(&format!("{path}:{}", section.line), language);
    told(format!("{}\n\n{from}\n", aside_redact::redact(&section.text)))
}

/// All manifests of the workspace, also those of its members.
pub(super) fn manifests(workspace: &Workspace, cancelled: &AtomicBool) -> Vec<Manifest> {
    const NAMES: [&str; 5] = ["package.json", "Cargo.toml", "pyproject.toml", "go.mod", "requirements.txt"];
    let (Ok(root), Ok(tree)) = (Root::open(workspace.root()), workspace.tree(&[], cancelled)) else {
        return Vec::new();
    };
    let listed = tree.listed();
    let is_one = |path: &str| NAMES.contains(&path.rsplit('/').next().unwrap_or(path));
    let paths = listed.iter().filter(|listed| listed.ignored == Ignored::No && is_one(listed.path)).take(MAX_MANIFESTS);
    let files = paths
        .filter_map(|listed| Some((listed.path.to_owned(), String::from_utf8(read(&root, listed.path).ok()?).ok()?)));
    Project { files: files.collect() }.manifests()
}

/// The dependencies of the member that a question names, else of all manifests.
pub(super) fn dependencies(
    workspace: &Workspace,
    question: &str,
    language: Language,
    cancelled: &AtomicBool,
) -> Option<RunnerOutcome> {
    let all = manifests(workspace, cancelled);
    let words: Vec<&str> =
        question.split_whitespace().map(|word| word.trim_matches(['`', '"', '?', ',', '.', '!'])).collect();
    let is_named = |manifest: &&Manifest| {
        let directory = manifest.file.rsplit_once('/').map_or("", |(directory, _)| directory);
        let last = directory.rsplit('/').next().unwrap_or_default();
        !directory.is_empty() && [manifest.name.as_str(), directory, last].iter().any(|name| words.contains(name))
    };
    let named: Vec<Manifest> = all.iter().filter(is_named).cloned().collect();
    facts::dependencies(if named.is_empty() { &all } else { &named }, language).map(told)
}

/// How the project is laid out: what its documentation says, else its directories with what each is.
pub(super) fn layout(
    workspace: &Workspace,
    secrets: Secrets,
    language: Language,
    cancelled: &AtomicBool,
) -> Option<RunnerOutcome> {
    let titles = doc_section::LAYOUT.map(|title| vec![title.to_owned()]);
    let of_titles = sections(workspace, &titles, secrets, cancelled)?;
    if let Some((section, path)) = of_titles.into_iter().flatten().next() {
        return Some(section_told(&section, &path, language));
    }
    let mut found: BTreeMap<String, (usize, String)> = BTreeMap::new();
    workspace.each_text(secrets, cancelled, |path, text| {
        let parts: Vec<&str> = path.split('/').collect();
        // Members of a workspace are a level further down.
        let depth = match parts.first() {
            Some(&("crates" | "packages" | "apps" | "services" | "libs" | "modules" | "internal" | "pkg" | "cmd")) => 2,
            _ => 1,
        };
        if parts.len() <= depth {
            return;
        }
        let (count, about) = found.entry(parts.get(..depth).unwrap_or_default().join("/")).or_default();
        *count += 1;
        let name = parts.last().copied().unwrap_or_default();
        let says = ["lib.rs", "main.rs", "__init__.py", "doc.go", "index.ts", "README.md"].contains(&name);
        // Most files begin with no such comment, and need not be redacted.
        if (says || about.is_empty())
            && directory::header(text).is_some()
            && let Some(head) = directory::header(&aside_redact::redact(text))
        {
            *about = head;
        }
    })?;
    let row = |(path, (count, about)): (&String, &(usize, String))| {
        let about = if about.is_empty() {
            String::new()
        } else {
            format!("{}{}", language.pick(": ", "："), short(about, 120))
        };
        match language {
            Language::English if *count == 1 => format!("- {} (1 file){about}\n", code(path)),
            Language::English => format!("- {} ({count} files){about}\n", code(path)),
            Language::Chinese => format!("- {}（{count} 个文件）{about}\n", code(path)),
        }
    };
    let rows: String = found.iter().take(MAX_DIRECTORIES).map(row).collect();
    (!rows.is_empty()).then(|| told(rows))
}

/// What the workflows of the project do; `None` where there are none.
pub(super) fn workflows(
    workspace: &Workspace,
    secrets: Secrets,
    language: Language,
    cancelled: &AtomicBool,
) -> Option<RunnerOutcome> {
    let mut text = String::new();
    let workflows = TextFilter { path: &ci::is_workflow, ..TextFilter::ALL };
    workspace.each_text_of(&workflows, secrets, cancelled, |path, file| {
        if let Some(described) = ci::described(path, &aside_redact::redact(file), language) {
            text.push_str(&format!("{described}\n"));
        }
    })?;
    (!text.is_empty()).then(|| told(text))
}

/// What a directory is for.
pub(super) fn directory(
    workspace: &Workspace,
    asked: &str,
    secrets: Secrets,
    language: Language,
    cancelled: &AtomicBool,
) -> Option<RunnerOutcome> {
    let tree = workspace.tree(&[], cancelled).ok()?;
    let listed = tree.listed();
    let paths = || listed.iter().filter(|listed| listed.ignored == Ignored::No).map(|listed| listed.path);
    let path = directory::located(asked, paths())?;
    let below = format!("{path}/");
    let mut found = DirectoryFacts { path: path.clone(), ..DirectoryFacts::default() };
    let root = Root::open(workspace.root()).ok()?;
    let of = |name: &&str| {
        let text = String::from_utf8(read(&root, &format!("{below}{name}")).ok()?).ok()?;
        Some(((*name).to_owned(), aside_redact::redact(&secrets.shown(text)?).into_owned()))
    };
    let files = ["package.json", "pyproject.toml", "Cargo.toml", "README.md"].iter().filter_map(of).collect();
    let project = Project { files };
    if let Some(manifest) = project.manifests().into_iter().find(|manifest| !manifest.name.is_empty()) {
        (found.package, found.version, found.about) = (manifest.name, manifest.version, manifest.description);
    }
    if let Some((_, about)) = project.about() {
        found.about = about;
    }
    // One scan finds what the files of the directory are, and who uses them.
    let users = Users::of(&path, &found.package);
    let mut abouts: BTreeMap<String, String> = BTreeMap::new();
    let wanted = TextFilter {
        text: &|file: &str, text: &str| file.starts_with(&below) || users.has(file, text),
        ..TextFilter::ALL
    };
    workspace.each_text_of(&wanted, secrets, cancelled, |file, text| match file.starts_with(&below) {
        true => drop(abouts.insert(file.to_owned(), directory::file_about(&aside_redact::redact(text)))),
        false => found.users.push(file.to_owned()),
    })?;
    tests_last(&mut found.users);
    for file in paths().filter(|file| file.starts_with(&below)) {
        found.files.push((file.to_owned(), abouts.remove(file).unwrap_or_default()));
    }
    Some(told(directory::described(&found, language)))
}

/// The files that import a file or a directory, or whose manifest names its package; tests last.
pub(super) fn users(
    workspace: &Workspace,
    target: &str,
    package: &str,
    secrets: Secrets,
    cancelled: &AtomicBool,
) -> Vec<String> {
    let users = Users::of(target, package);
    let wanted = TextFilter { text: &|path: &str, text: &str| users.has(path, text), ..TextFilter::ALL };
    let mut found: Vec<String> = Vec::new();
    let _ = workspace.each_text_of(&wanted, secrets, cancelled, |path, _| found.push(path.to_owned()));
    tests_last(&mut found);
    found
}

fn tests_last(paths: &mut [String]) {
    paths.sort_by_key(|path| (Kind::Tests.has(path), path.clone()));
}

/// Tells the files that use a target, a file or a directory.
struct Users<'a> {
    target: &'a str,
    below: String,
    package: &'a str,
    quoted: String,
}

impl<'a> Users<'a> {
    fn of(target: &'a str, package: &'a str) -> Self {
        Self { target, below: format!("{target}/"), package, quoted: format!("\"{package}\"") }
    }

    fn has(&self, path: &str, text: &str) -> bool {
        if path == self.target || path.starts_with(&self.below) {
            return false;
        }
        let is_cargo = path.ends_with("Cargo.toml");
        let names_package = !self.package.is_empty()
            && (text.contains(&self.quoted)
                || is_cargo && text.lines().any(|line| line.split([' ', '=', '.']).next() == Some(self.package)));
        names_package || importers::is_importer(self.target, path, text)
    }
}

#[cfg(test)]
mod tests;
