//! Changes that a request states exactly, made without a model: reads the files, builds a diff of the new texts, and has it checked and
//! shown like any other. Writes nothing.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use aside_core::agent::language::Language;
use aside_task::diff::compute::unified_diff;
use aside_task::diff::path::RelativePath;
use aside_task::proposal::Proposal;
use aside_task::route::intent::IntentParams;
use aside_task::run::context::{Ignored, ListedFile, MAX_READ};
use aside_task::run::diagnose::named;
use aside_task::run::exact_edit::cleanup::Cleanup;
use aside_task::run::exact_edit::cleanup::formatter::{FileGoal, FormatFile};
use aside_task::run::exact_edit::manifest::MemberDependency;
use aside_task::run::exact_edit::{self, Edit, EditResult};
use aside_task::run::project::Manifest;
use aside_task::run::search::definitions::is_import;
use aside_task::run::{ModelNeed, RunnerOutcome, code, wording};

use crate::daemon::tasks::attempt::machine_facts::MachineFacts;
use crate::daemon::tasks::attempt::model_edit::{CheckedDiff, checked};
use crate::daemon::tasks::attempt::{Attempt, answer, blocking, project_answers};
use crate::workspace::Workspace;
use crate::workspace::masked::{Masked, Secrets};
use crate::workspace::read::read;
use crate::workspace::rooted_fs::Root;

/// Caps on the files and bytes that are searched for a text.
const MAX_FILES: usize = 20_000;
const MAX_BYTES: usize = 64 * 1024 * 1024;
/// Cap on the files of one change.
const MAX_CHANGED: usize = 200;

/// The texts of files, by their paths from the root.
type Texts = BTreeMap<String, String>;
/// What is masked in them, for a remote user.
type Masks = BTreeMap<String, Masked>;

/// The result for a request.
enum Exact {
    Diff(CheckedDiff, String, String),
    Nothing(String),
    /// The request states no exact change, or one that does not match the files.
    None,
}

impl Attempt {
    /// Returns `None` if the request states no exact change.
    pub(super) async fn exact(&self, here: &MachineFacts) -> Result<Option<RunnerOutcome>, String> {
        for edit in exact_edit::readings(&wording::english(self.words())) {
            if let Some(outcome) = self.exact_edit(edit, here).await? {
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    /// Whether the files have what the words would change, where the words alone may also mean a command: `update actions/checkout to v4`.
    pub(super) async fn is_exact_here(&self) -> bool {
        let readings = exact_edit::readings(&wording::english(self.words()));
        let guesses: Vec<Edit> = readings
            .into_iter()
            .filter(|edit| {
                matches!(edit, Edit::Depend(_) | Edit::Set(_) | Edit::RemoveDependency(_)) || edit.is_guess()
            })
            .collect();
        let (workspace, secrets) = (self.workspace.clone(), self.secrets());
        let makes = move |cancelled: &AtomicBool| {
            guesses.iter().any(|edit| match edit {
                // "Uninstall axios" is about the project where a manifest of it has axios.
                Edit::RemoveDependency(name) => project_answers::manifests(&workspace, cancelled)
                    .iter()
                    .any(|manifest| manifest.dependencies.iter().any(|(known, _)| known == name)),
                edit => matches!(made(&workspace, edit, secrets, cancelled), Exact::Diff(..)),
            })
        };
        blocking(makes).await.unwrap_or(false)
    }

    /// The change of one reading; `None` if the files say that it is not meant.
    async fn exact_edit(&self, edit: Edit, here: &MachineFacts) -> Result<Option<RunnerOutcome>, String> {
        let language = Language::of(self.words());
        if edit == Edit::Format {
            let params = IntentParams { query: Some("format".to_owned()), ..IntentParams::default() };
            let workspace = self.workspace.clone();
            let project = blocking(move |_| workspace.project()).await?;
            return Ok(here.command(&params, "", &project, language, None).await);
        }
        if let Edit::Cleanup(Cleanup::Format(format)) = &edit {
            return self.formatted(format, here).await;
        }
        if let Edit::MemberDependency(wanted) = &edit {
            let (workspace, wanted) = (self.workspace.clone(), wanted.clone());
            let command = blocking(move |cancelled| {
                let manifests = project_answers::manifests(&workspace, cancelled);
                let named: Vec<(String, String)> =
                    manifests.into_iter().map(|manifest| (manifest.file, manifest.name)).collect();
                wanted.command(&named, &|name| workspace.root().join(name).is_file())
            });
            return match command.await? {
                Some(command) => Ok(self.by_manager(&edit, command, here).await),
                None => Ok(None),
            };
        }
        if let Edit::RemoveDependency(name) = &edit
            && let Some(command) = self.of_member(name).await?
        {
            return Ok(self.by_manager(&Edit::Format, command, here).await);
        }
        let root = self.workspace.root().to_owned();
        let wanted = edit.clone();
        let of_manager = blocking(move |_| exact_edit::command(&wanted, &|name| root.join(name).is_file())).await?;
        if let Some(command) = of_manager {
            return Ok(self.by_manager(&edit, command, here).await);
        }
        let (workspace, secrets) = (self.workspace.clone(), self.secrets());
        let made = blocking(move |cancelled| made(&workspace, &edit, secrets, cancelled)).await?;
        Ok(outcome(made, language))
    }

    /// Exact changes, one per line, as one diff; for one, also why it is not made. `None` if it is no change of these files.
    pub(super) async fn exact_changes(
        &self,
        lines: &str,
        here: &MachineFacts,
    ) -> Result<Option<RunnerOutcome>, String> {
        let all: Vec<Vec<Edit>> = lines.lines().map(exact_edit::readings).collect();
        if let [readings] = all.as_slice() {
            let mut why = None;
            for edit in readings {
                match self.exact_edit(edit.clone(), here).await? {
                    Some(outcome) if matches!(outcome.proposal, Proposal::Answer { .. }) => why = why.or(Some(outcome)),
                    Some(outcome) => return Ok(Some(outcome)),
                    None => {}
                }
            }
            return Ok(why);
        }
        let (workspace, secrets) = (self.workspace.clone(), self.secrets());
        if secrets != Secrets::Included {
            return Ok(None);
        }
        let made = blocking(move |cancelled| made_all(&workspace, &all, secrets, cancelled)).await?;
        Ok(outcome(made, Language::of(self.words())))
    }

    /// The command that lays out one file, with the formatter that the project uses.
    async fn formatted(&self, format: &FormatFile, here: &MachineFacts) -> Result<Option<RunnerOutcome>, String> {
        let language = Language::of(self.words());
        let paths = self.files_meant(std::slice::from_ref(&format.file)).await?;
        let path = paths.first().cloned().unwrap_or_else(|| format.file.clone());
        let (workspace, wanted, file) = (self.workspace.clone(), format.clone(), path.clone());
        let found = blocking(move |_| {
            if !workspace.cwd().join(&file).exists() && !workspace.root().join(&file).exists() {
                return None;
            }
            let has = |name: &str| workspace.root().join(name).exists() || workspace.cwd().join(name).exists();
            Some(wanted.command(&file, &workspace.project(), &has))
        });
        let told = |text: String| Some(answer(format!("{text}\n"), text, String::new(), ModelNeed::Unneeded));
        let (command, sign) = match found.await? {
            None => return Ok(None),
            Some(Ok(found)) => found,
            Some(Err(_)) => {
                return Ok(told(match language {
                    Language::English if format.goal != FileGoal::Format => {
                        format!(
                            "No tool that checks {} is set up in this project, so nothing is proposed.",
                            code(&path)
                        )
                    }
                    Language::English => format!(
                        "No formatter for {} is set up in this project, so nothing is proposed. Name one, as in: format {} with NAME.",
                        code(&path),
                        path
                    ),
                    Language::Chinese => format!("这个项目没有设置 {} 的格式化工具，所以没有提出命令。", code(&path)),
                }));
            }
        };
        let reason = match (sign.as_str(), language) {
            _ if format.goal != FileGoal::Format => match language {
                Language::English => "It checks the file, and changes nothing.".to_owned(),
                Language::Chinese => "只检查这个文件，不修改。".to_owned(),
            },
            ("", Language::English) => "It formats the file in place.".to_owned(),
            ("", Language::Chinese) => "直接格式化这个文件。".to_owned(),
            (sign, Language::English) => {
                format!("It formats the file in place; {} says that the project uses it.", code(sign))
            }
            (sign, Language::Chinese) => format!("直接格式化这个文件；{} 说明项目使用它。", code(sign)),
        };
        Ok(match here.runnable(std::slice::from_ref(&command)).await {
            Some(command) => {
                let outcome = here.proposed(command, reason);
                Some(RunnerOutcome { summary: wording::sentence(&outcome.summary, language), ..outcome })
            }
            None => {
                let program = command.split(' ').next().unwrap_or_default();
                let text = format!("{} would do that, and {} is not installed here.", code(&command), code(program));
                told(wording::sentence(&text, language))
            }
        })
    }

    /// The command that removes a dependency which only one member of a workspace has.
    async fn of_member(&self, name: &str) -> Result<Option<String>, String> {
        let (workspace, name) = (self.workspace.clone(), name.to_owned());
        blocking(move |cancelled| {
            let manifests = project_answers::manifests(&workspace, cancelled);
            let has = |manifest: &&Manifest| manifest.dependencies.iter().any(|(known, _)| *known == name);
            let mut having = manifests.iter().filter(has);
            let only = having.next().filter(|_| having.next().is_none()).filter(|only| only.file.contains('/'))?;
            let named: Vec<(String, String)> =
                manifests.iter().map(|manifest| (manifest.file.clone(), manifest.name.clone())).collect();
            let wanted = MemberDependency {
                name: name.clone(),
                version: None,
                features: None,
                member: only.name.clone(),
                dev: false,
                remove: true,
            };
            wanted.command(&named, &|name| workspace.root().join(name).is_file())
        })
        .await
    }

    /// Adds or removes a dependency with the project's package manager, if that is installed.
    async fn by_manager(&self, edit: &Edit, command: String, here: &MachineFacts) -> Option<RunnerOutcome> {
        let workspace = self.workspace.clone();
        let project = blocking(move |_| workspace.project()).await.ok()?;
        if let Edit::RemoveDependency(name) = edit {
            // "Remove lodash" may mean anything; it is a dependency only if a manifest lists it.
            let mut all = project.manifests().into_iter().flat_map(|manifest| manifest.dependencies);
            if !all.any(|(known, _)| known == *name) {
                return None;
            }
        }
        let mut reason = "The project's package manager keeps the list of dependencies, and its lock file.".to_owned();
        if let Edit::RemoveDependency(name) = edit {
            let (workspace, name, secrets) = (self.workspace.clone(), name.clone(), self.secrets());
            let used = blocking(move |cancelled| importers_of(&workspace, &name, secrets, cancelled)).await.ok()?;
            if !used.is_empty() {
                reason = format!("{reason} It is still imported: {}.", used.join(", "));
            }
        }
        match here.runnable(std::slice::from_ref(&command)).await {
            Some(command) => {
                let language = Language::of(self.words());
                let outcome = here.proposed(command, wording::sentence(&reason, language));
                Some(RunnerOutcome { summary: wording::sentence(&outcome.summary, language), ..outcome })
            }
            None => {
                let program = command.split(' ').next().unwrap_or_default();
                let text = format!("{} would do that, and {} is not installed here.", code(&command), code(program));
                let text = wording::sentence(&text, Language::of(self.words()));
                Some(answer(format!("{text}\n"), text, String::new(), ModelNeed::Better))
            }
        }
    }
}

/// Lines that import a package, as `path:line`.
fn importers_of(workspace: &Workspace, name: &str, secrets: Secrets, cancelled: &AtomicBool) -> Vec<String> {
    let module = name.replace('-', "_");
    let search = Edit::Replace { from: name.to_owned(), to: String::new(), file: None };
    let Ok((files, _)) = gathered(workspace, &search, secrets, cancelled) else { return Vec::new() };
    let imports = |line: &str| {
        let is_word = |name: &str| {
            line.split(|letter: char| letter.is_whitespace() || "\"'();:,{}".contains(letter)).any(|word| {
                word == name || word.starts_with(&format!("{name}/")) || word.starts_with(&format!("{name}."))
            })
        };
        is_import(line) && (is_word(name) || is_word(&module))
    };
    let places = files.iter().flat_map(|(path, text)| {
        text.lines().enumerate().filter(|(_, line)| imports(line)).map(move |(at, _)| format!("`{path}:{}`", at + 1))
    });
    places.take(3).collect()
}

fn made(workspace: &Workspace, edit: &Edit, secrets: Secrets, cancelled: &AtomicBool) -> Exact {
    let (files, masks) = match gathered(workspace, edit, secrets, cancelled) {
        Ok(gathered) => gathered,
        Err(why) => return Exact::Nothing(why),
    };
    if files.is_empty()
        && !matches!(
            edit,
            Edit::Ignore(_) | Edit::Replace { .. } | Edit::Rename { .. } | Edit::Move { .. } | Edit::Set(_)
        )
    {
        return Exact::None;
    }
    // A word that no file lists as a dependency was not meant as one.
    let (texts, summary, note) = match exact_edit::apply(edit, &files) {
        EditResult::Nothing(_) if matches!(edit, Edit::RemoveDependency(_)) => return Exact::None,
        EditResult::Nothing(why) if why.is_empty() => return Exact::None,
        EditResult::Nothing(why) => return Exact::Nothing(why),
        EditResult::Move { from, to } => return moved(workspace, &from, &to, &files),
        EditResult::Texts { files, summary, note } => (files, summary, note),
    };
    if texts.len() > MAX_CHANGED {
        return Exact::Nothing(format!(
            "That would change {} files, more than {MAX_CHANGED}; name a file.",
            texts.len()
        ));
    }
    let moves = match edit {
        Edit::Rename { from, to, file: None } => namesakes(workspace, from, to, &files, cancelled),
        _ => BTreeMap::new(),
    };
    let note = match moves.is_empty() {
        true => note,
        false => format!("{note} Files that are called so get the new name as well."),
    };
    let mut diff = Vec::new();
    for (old, new) in moves.iter().filter(|(old, _)| !texts.contains_key(*old)) {
        diff.extend(moved_diff(old, new, "", ""));
    }
    for (path, text) in &texts {
        let Ok(name) = RelativePath::new(path) else { return Exact::None };
        // A masked text gets its secrets back, so that the change is one of the file as it is.
        let whole = |text: &str| match masks.get(path) {
            Some(masked) => masked.restored(text),
            None => Some(text.to_owned()),
        };
        let (Some(old), Some(new)) = (whole(files.get(path).map_or("", String::as_str)), whole(text)) else {
            return Exact::Nothing(format!("The change to {} cannot be made from a chat.", code(path)));
        };
        match moves.get(path) {
            Some(to) => diff.extend(moved_diff(path, to, &old, &new)),
            None => diff.extend(unified_diff(&name, files.get(path).map(|_| old.as_bytes()), new.as_bytes())),
        }
    }
    settled(workspace, &diff, summary, note)
}

/// The proposal of a change that was made, or why it was not.
fn outcome(made: Exact, language: Language) -> Option<RunnerOutcome> {
    match made {
        Exact::Diff(CheckedDiff { unified_diff, files }, summary, note) => {
            let proposal = Proposal::Diff { diff_id: String::new(), unified_diff, files };
            let summary = wording::sentence(&summary, language);
            Some(RunnerOutcome { proposal, summary, details: note, model: ModelNeed::Unneeded })
        }
        Exact::Nothing(why) => {
            let why = wording::sentence(&why, language);
            let summary = why.lines().next().unwrap_or_default().to_owned();
            Some(answer(format!("{why}\n"), summary, String::new(), ModelNeed::Better))
        }
        Exact::None => None,
    }
}

/// Several changes of texts, each made in what the one before it left. Of the readings of each, the first that changes a text is meant.
fn made_all(workspace: &Workspace, changes: &[Vec<Edit>], secrets: Secrets, cancelled: &AtomicBool) -> Exact {
    if let Some(renamed) = renamed_in(workspace, changes, secrets, cancelled) {
        return renamed;
    }
    let (mut before, mut after) = (Texts::new(), Texts::new());
    let (mut summaries, mut notes) = (Vec::new(), Vec::new());
    for readings in changes {
        let made = readings.iter().find_map(|edit| {
            let (mut files, _) = gathered(workspace, edit, secrets, cancelled).ok()?;
            let old = files.clone();
            for (path, text) in files.iter_mut() {
                if let Some(changed) = after.get(path) {
                    text.clone_from(changed);
                }
            }
            match exact_edit::apply(edit, &files) {
                EditResult::Texts { files, summary, note } => Some((old, files, summary, note)),
                EditResult::Move { .. } | EditResult::Nothing(_) => None,
            }
        });
        let Some((old, files, summary, note)) = made else { return Exact::None };
        for (path, text) in old {
            before.entry(path).or_insert(text);
        }
        after.extend(files);
        summaries.push(summary);
        notes.extend(Some(note).filter(|note| !note.is_empty()));
    }
    let mut diff = Vec::new();
    for (path, text) in &after {
        let Ok(name) = RelativePath::new(path) else { return Exact::None };
        diff.extend(unified_diff(&name, before.get(path).map(|old| old.as_bytes()), text.as_bytes()));
    }
    settled(workspace, &diff, summaries.join("; "), notes.join("\n"))
}

/// One identifier that is renamed in several files: its definition is in one of them. `None` if the changes are others.
fn renamed_in(workspace: &Workspace, changes: &[Vec<Edit>], secrets: Secrets, cancelled: &AtomicBool) -> Option<Exact> {
    let renames: Vec<&Edit> = changes
        .iter()
        .map(|readings| readings.iter().find(|edit| matches!(edit, Edit::Rename { file: Some(_), .. })))
        .collect::<Option<_>>()?;
    let Some(Edit::Rename { from, to, .. }) = renames.first() else { return None };
    let same = |edit: &&Edit| matches!(edit, Edit::Rename { from: one, to: other, .. } if one == from && other == to);
    renames.iter().all(same).then_some(())?;
    let mut files = Texts::new();
    for edit in renames {
        files.extend(gathered(workspace, edit, secrets, cancelled).ok()?.0);
    }
    let all = Edit::Rename { from: from.clone(), to: to.clone(), file: None };
    let (texts, summary, note) = match exact_edit::apply(&all, &files) {
        EditResult::Texts { files, summary, note } => (files, summary, note),
        EditResult::Nothing(why) => return Some(Exact::Nothing(why)),
        EditResult::Move { .. } => return None,
    };
    let mut diff = Vec::new();
    for (path, text) in &texts {
        let name = RelativePath::new(path).ok()?;
        diff.extend(unified_diff(&name, files.get(path).map(|old| old.as_bytes()), text.as_bytes()));
    }
    Some(settled(workspace, &diff, summary, note))
}

/// Files that a class or a component takes along, by their paths now.
fn namesakes(
    workspace: &Workspace,
    from: &str,
    to: &str,
    files: &Texts,
    cancelled: &AtomicBool,
) -> BTreeMap<String, String> {
    let tree = workspace.tree(&[], cancelled).unwrap_or_default();
    let listed = tree.listed();
    let paths = listed.iter().filter(|listed| listed.ignored == Ignored::No).map(|listed| listed.path);
    exact_edit::moved::namesakes(from, to, files, paths)
}

/// The diff of a file that moves, with what changes in it.
fn moved_diff(from: &str, to: &str, old: &str, new: &str) -> Vec<u8> {
    let mut diff = format!("diff --git a/{from} b/{to}\nrename from {from}\nrename to {to}\n").into_bytes();
    let Ok(name) = RelativePath::new(to) else { return diff };
    if old != new {
        let changed = unified_diff(&name, Some(old.as_bytes()), new.as_bytes());
        let text = String::from_utf8_lossy(&changed).into_owned();
        let hunks = text.find("\n@@").and_then(|at| text.get(at + 1..)).unwrap_or_default();
        diff.extend(format!("--- a/{from}\n+++ b/{to}\n{hunks}").into_bytes());
    }
    diff
}

fn settled(workspace: &Workspace, diff: &[u8], summary: String, note: String) -> Exact {
    match checked(workspace.root(), diff) {
        Ok(checked) => Exact::Diff(checked, summary, note),
        Err(error) => Exact::Nothing(format!("The change cannot be made: {error:#}.")),
    }
}

/// Both paths from the root. A bare name is the only file that is called so further down, and stays in its directory.
fn located(workspace: &Workspace, from: &str, to: &str) -> (String, String) {
    let below = workspace.cwd().strip_prefix(workspace.root()).ok().and_then(|path| path.to_str()).unwrap_or_default();
    let here = if below.is_empty() { to.to_owned() } else { format!("{below}/{to}") };
    let named = workspace.named(from);
    if from.contains('/') || to.contains('/') || workspace.root().join(&named).exists() {
        return (named, here);
    }
    let tree = workspace.tree(&[], &AtomicBool::new(false)).unwrap_or_default();
    let ends = |path: &str| path.strip_suffix(from).is_some_and(|before| before.ends_with('/'));
    let listed = tree.listed();
    let mut below = listed.iter().filter(|listed| ends(listed.path));
    match (below.next(), below.next()) {
        (Some(only), None) => {
            let directory = only.path.strip_suffix(from).unwrap_or_default();
            (only.path.to_owned(), format!("{directory}{to}"))
        }
        _ => (named, here),
    }
}

fn moved(workspace: &Workspace, from: &str, to: &str, files: &BTreeMap<String, String>) -> Exact {
    let (from, to) = located(workspace, from, to);
    // A class of Java has the name of its file.
    if let Some((old, new)) = exact_edit::moved::class_of(&from, &to, files) {
        let rename = Edit::Rename { from: old, to: new, file: None };
        return made(workspace, &rename, Secrets::Included, &AtomicBool::new(false));
    }
    let (Ok(old), Ok(new)) = (RelativePath::new(&from), RelativePath::new(&to)) else {
        return Exact::Nothing(format!("{} or {} is no file that a task may touch.", code(&from), code(&to)));
    };
    if workspace.root().join(new.as_str()).exists() {
        return Exact::Nothing(format!("{} is there already.", code(&to)));
    }
    if !workspace.root().join(old.as_str()).is_file() {
        return Exact::None;
    }
    let references = exact_edit::moved::references(&from, &to, files);
    let own = files.get(&from).map_or("", String::as_str);
    let mut diff = moved_diff(&from, &to, own, references.files.get(&from).map_or(own, String::as_str));
    for (path, text) in references.files.iter().filter(|(path, _)| **path != from).take(MAX_CHANGED) {
        let Ok(name) = RelativePath::new(path) else { return Exact::None };
        diff.extend(unified_diff(&name, files.get(path).map(|old| old.as_bytes()), text.as_bytes()));
    }
    settled(workspace, &diff, format!("Rename {} to {}", code(&from), code(&to)), references.note())
}

/// The files that the change is about, by their paths from the root. The error is a sentence for the user.
fn gathered(
    workspace: &Workspace,
    edit: &Edit,
    secrets: Secrets,
    cancelled: &AtomicBool,
) -> Result<(Texts, Masks), String> {
    let root = Root::open(workspace.root()).map_err(|error| format!("{error:#}."))?;
    let text = |path: &str| -> Option<(String, Option<Masked>)> {
        let bytes = read(&root, path).ok().filter(|bytes| bytes.len() <= MAX_READ)?;
        let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))?;
        match secrets {
            Secrets::Included => Some((text, None)),
            Secrets::Masked => Masked::new(&text).map(|masked| (masked.text.clone(), Some(masked))),
        }
    };
    let (mut files, mut masks) = (BTreeMap::new(), BTreeMap::new());
    let mut keep = |path: &str, (text, masked): (String, Option<Masked>)| {
        files.insert(path.to_owned(), text);
        masks.extend(masked.map(|masked| (path.to_owned(), masked)));
    };
    for path in edit.manifests() {
        if let Some(read) = text(path) {
            keep(path, read);
        }
    }
    let named = edit.files();
    let needle = edit.needle();
    if named.is_empty() && needle.is_none() && !edit.concerns_some() {
        return Ok((files, masks));
    }
    let tree = workspace.tree(&[], cancelled).map_err(|error| format!("{error:#}."))?;
    let listed = tree.listed();
    for listed in listed.iter().filter(|listed| listed.ignored == Ignored::No && edit.concerns(listed.path)) {
        if let Some(read) = text(listed.path) {
            keep(listed.path, read);
        }
    }
    // A file that moves need not be text.
    if let Edit::Move { from, to } = edit {
        let (from, _) = located(workspace, from, to);
        if let Some(read) = text(&from) {
            keep(&from, read);
        }
    }
    let named = if matches!(edit, Edit::Move { .. }) { Vec::new() } else { named };
    for file in named {
        let path = workspace.named(file);
        // Prints and texts are looked for in all files of a directory.
        if workspace.root().join(&path).is_dir() && edit.may_name_directory() {
            let below = format!("{}/", path.trim_end_matches('/'));
            let is_in = |listed: &&ListedFile<'_>| listed.ignored == Ignored::No && listed.path.starts_with(&below);
            for listed in listed.iter().filter(is_in).take(MAX_FILES) {
                if let Some(read) = text(listed.path) {
                    keep(listed.path, read);
                }
            }
            continue;
        }
        let ends = |path: &str| path.strip_suffix(file).is_some_and(|before| before.ends_with('/'));
        let mut below = listed.iter().filter(|listed| ends(listed.path));
        let path = match (text(&path), below.next(), below.next()) {
            (Some(_), ..) => path,
            (None, Some(only), None) => only.path.to_owned(),
            (None, None, _) if let Some(only) = called(&listed, file) => only,
            (None, Some(_), Some(_)) => {
                return Err(format!("There are several files called {}; write its path.", code(file)));
            }
            (None, None, _) => return Err(format!("There is no file {} here that could be changed.", code(file))),
        };
        if let Some(read) = text(&path) {
            keep(&path, read);
        }
    }
    let Some(needle) = needle else { return Ok((files, masks)) };
    let mut bytes = 0;
    for listed in listed.iter().filter(|listed| listed.ignored == Ignored::No).take(MAX_FILES) {
        if cancelled.load(Ordering::Relaxed) || bytes > MAX_BYTES {
            return Err("The project is too large to look through all of it; name a file.".to_owned());
        }
        if let Some(read) = text(listed.path) {
            bytes += read.0.len();
            // A log says what was; where a value is set, and what is to be changed, is elsewhere.
            if named::is_log(listed.path) || named::is_output(listed.path, &read.0) {
                continue;
            }
            if read.0.contains(needle) || read.0.to_lowercase().contains(&needle.to_lowercase()) {
                keep(listed.path, read);
            }
        }
    }
    Ok((files, masks))
}

/// The only file whose name differs from the one of the request in its letters or its ending: `dockerfile`, `.eslintrc`.
fn called(listed: &[ListedFile<'_>], file: &str) -> Option<String> {
    let wanted = file.to_lowercase();
    let is_called = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        path.to_lowercase() == wanted
            || name == wanted
            || !wanted.contains('/') && name.strip_prefix(&wanted).is_some_and(|rest| rest.starts_with('.'))
    };
    let mut found = listed.iter().filter(|listed| listed.ignored == Ignored::No && is_called(listed.path));
    match (found.next(), found.next()) {
        (Some(only), None) => Some(only.path.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() -> (tempfile::TempDir, Workspace) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("shop")).unwrap();
        for (path, text) in [
            ("shop/cart.py", "LIMIT = 30\n\ndef average(cart):\n    return 1\n"),
            ("main.py", "from shop.cart import average\naverage(1)\n"),
            (".env", "average=1\n"),
            ("notes.txt", "x\n"),
            ("deploy.txt", "use ghp_16C7e42F292c6912E7710c838347Ae178B4a\n"),
        ] {
            std::fs::write(dir.path().join(path), text).unwrap();
        }
        let workspace = Workspace::of(dir.path()).unwrap();
        (dir, workspace)
    }

    fn told(request: &str) -> String {
        told_with(request, Secrets::Included)
    }

    fn told_with(request: &str, secrets: Secrets) -> String {
        let (_dir, workspace) = workspace();
        let readings = exact_edit::readings(request);
        let made = readings.iter().map(|edit| made(&workspace, edit, secrets, &AtomicBool::new(false)));
        match made.into_iter().find(|made| !matches!(made, Exact::None)).unwrap_or(Exact::None) {
            Exact::Diff(checked, summary, _) => {
                let files: Vec<&str> = checked.files.iter().map(|file| file.path.as_str()).collect();
                format!("{summary}: {}", files.join(" "))
            }
            Exact::Nothing(why) => format!("? {why}"),
            Exact::None => "none".to_owned(),
        }
    }

    #[test]
    fn exact_changes_become_checked_diffs() {
        assert_eq!(
            told("rename average to mean"),
            "Rename `average` to `mean`, 3 times in 2 files: main.py shop/cart.py"
        );
        assert_eq!(
            told("replace LIMIT = 30 with LIMIT = 60"),
            "Replace `LIMIT = 30` with `LIMIT = 60`, once in 1 file: shop/cart.py"
        );
        assert_eq!(told("rename notes.txt to todo.txt"), "Rename `notes.txt` to `todo.txt`: todo.txt");
        assert_eq!(told("ignore *.log files"), "Ignore `*.log` in git: .gitignore");
        assert_eq!(told("add import sys to cart.py"), "Add `import sys` to `shop/cart.py`: shop/cart.py");
        assert_eq!(told("change LIMIT to 60"), "Set `LIMIT` to `60` in `shop/cart.py`: shop/cart.py");
        assert_eq!(
            told("rename shop/cart.py to shop/basket.py"),
            "Rename `shop/cart.py` to `shop/basket.py`: shop/basket.py main.py"
        );
        assert!(told("change NO_SUCH to 5").contains("is not given a value"));
        assert!(told("rename notes.txt to main.py").contains("there already"));
        assert!(told("replace \"average\" with \"x\" in .env").starts_with("? "));
        assert!(told("rename notes.txt to ../x.txt").starts_with("? "));
        assert!(told("sort gone.txt").starts_with("? There is no file"));
    }

    /// Otherwise a remote user could guess a secret, one letter after the other, by what can be replaced.
    #[test]
    fn a_remote_user_changes_no_part_of_a_secret_and_is_told_the_same_for_a_wrong_guess() {
        let guess =
            |part: &str| told_with(&format!("replace \"{part}\" with \"x\""), Secrets::Masked).replace(part, "…");
        assert_eq!(guess("ghp_16C7"), guess("ghp_9999"));
        assert!(guess("ghp_16C7").starts_with("? "), "{}", guess("ghp_16C7"));
        assert!(told("replace \"ghp_16C7\" with \"x\"").contains("deploy.txt"));
        let around = told_with("replace \"use\" with \"take\"", Secrets::Masked);
        assert!(around.ends_with("once in 1 file: deploy.txt"), "{around}");
    }
}
