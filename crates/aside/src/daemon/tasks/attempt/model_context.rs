//! Reads the parts of the workspace that a model is shown: files that a request, an error or an editor names, the names of the others, and
//! what git says. Removes what may not leave the machine; core decides how much is shown.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use aside_redact::REDACTED;
use aside_task::proposal::RequestMeta;
use aside_task::route::intent::{Intent, TaskKind};
use aside_task::run::context::gather::{Facts, gather};
use aside_task::run::context::index::{Hit, Index};
use aside_task::run::context::plan::plan;
use aside_task::run::context::{ContextRequest, ListedFile, ModelContext};
use aside_task::run::diagnose::mentioned;

use crate::daemon::state::State;
use crate::daemon::tasks::attempt::{Attempt, blocking};
use crate::workspace::Workspace;
use crate::workspace::masked::Secrets;

/// What decides which files are read.
struct Wanted {
    words: String,
    files: Vec<String>,
    places: Vec<(String, usize)>,
    /// The directory of the failed command.
    cwd: String,
    meta: RequestMeta,
    secrets: Secrets,
}

impl Attempt {
    /// Never fails: what could not be read is listed in the notes.
    pub(super) async fn gather_context(&self, intent: &Intent) -> ModelContext {
        let mut wanted = Wanted {
            words: self.words().to_owned(),
            files: intent.params.files.clone(),
            places: mentioned(&self.request.text),
            cwd: String::new(),
            meta: self.request.meta.clone(),
            secrets: self.secrets(),
        };
        if intent.kind == TaskKind::Diagnose {
            let failed = self.what_failed().await;
            wanted.places = failed.places();
            wanted.cwd = failed.cwd;
        }
        if wanted.files.is_empty() {
            wanted.files = self.spoken_of().await;
        }
        let (state, workspace, room) = (self.state.clone(), self.workspace.clone(), self.room().await);
        let looked = blocking(move |cancelled| {
            let mut context = read(&workspace, &wanted, cancelled).unwrap_or_else(|error| ModelContext {
                notes: vec![format!("the workspace could not be read: {error:#}")],
                ..ModelContext::default()
            });
            hide(&mut context, &state);
            context.within(room)
        });
        looked.await.unwrap_or_else(|note| ModelContext { notes: vec![note], ..ModelContext::default() })
    }
}

fn read(workspace: &Workspace, wanted: &Wanted, cancelled: &AtomicBool) -> anyhow::Result<ModelContext> {
    let Wanted { words, files, places, cwd, meta, secrets } = wanted;
    // An error names files relative to the directory where it occurred.
    let there = Workspace::of(std::path::Path::new(cwd)).ok().filter(|there| there.root() == workspace.root());
    let there = there.as_ref().unwrap_or(workspace);
    let files: Vec<String> = files.iter().map(|file| workspace.named(file)).collect();
    let places: Vec<(String, usize)> = places.iter().map(|(file, line)| (there.named(file), *line)).collect();
    let active = Some(&meta.active).filter(|active| !active.is_empty()).map(|active| workspace.named(active));
    let open: Vec<String> = meta.open.iter().map(|file| workspace.named(file)).collect();
    let named: Vec<String> = files
        .iter()
        .chain(places.iter().map(|(file, _)| file))
        .cloned()
        .chain(active.clone())
        .chain(open.iter().cloned())
        .collect();
    // git looks at every file by itself, which takes as long as everything else here.
    let (git, looked) = std::thread::scope(|scope| {
        let git = scope.spawn(|| workspace.git());
        let looked = workspace.tree(&named, cancelled).map(|tree| {
            let hits = hits(workspace, words, &tree.listed(), *secrets, cancelled);
            (tree, hits)
        });
        (git.join().unwrap_or_default(), looked)
    });
    let (tree, hits) = looked?;
    let listed = tree.listed();
    let project: Vec<String> =
        workspace.project().files.into_iter().map(|(path, _)| path).filter(|path| is_about(path)).collect();
    let request = ContextRequest {
        words,
        files: &files,
        places: &places,
        active: active.as_deref().map(|active| (active, usize::try_from(meta.active_line).unwrap_or(0))),
        open: &open,
        tree: &listed,
        changed: &git.changed,
        hits: &hits,
        project: &project,
    };
    let (picks, mut notes) = plan(&request);
    let read = workspace.read_all(picks)?;
    let facts = Facts {
        read: &read,
        selection: &meta.selection,
        tree: &listed,
        git: &git.text,
        diagnostics: &meta.diagnostics,
    };
    let mut context = gather(&facts);
    notes.append(&mut context.notes);
    notes.extend(tree.note.clone());
    context.notes = notes;
    Ok(context)
}

/// README and manifests describe a project; build files do not.
fn is_about(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.starts_with("README")
        || ["package.json", "pyproject.toml", "Cargo.toml", "go.mod", "composer.json", "pom.xml"].contains(&name)
}

/// The timeout of the search for definitions.
const TIME: Duration = Duration::from_secs(2);

fn hits(
    workspace: &Workspace,
    words: &str,
    listed: &[ListedFile<'_>],
    secrets: Secrets,
    cancelled: &AtomicBool,
) -> Vec<Hit> {
    let mut index = Index::new(words);
    if index.is_empty() {
        return Vec::new();
    }
    let of_threads = workspace.fold_texts(listed, secrets, (TIME, cancelled), || index.clone(), Index::look);
    for other in of_threads {
        index.merge(other);
    }
    index.done()
}

/// Removes lines that the settings keep out of the history, wherever they occur.
fn hide(context: &mut ModelContext, state: &State) {
    let ModelContext { files, selection, tree, git, diagnostics, notes } = context;
    for file in files.iter_mut() {
        if let Some(hidden) = hidden(&file.text, state) {
            notes.push(format!("{}: lines that history.ignore matches were taken out", file.path));
            file.text = hidden;
        }
    }
    files.retain(|file| state.may_leave(&file.path));
    for text in [selection, tree, git, diagnostics] {
        if let Some(hidden) = hidden(text, state) {
            *text = hidden;
        }
    }
}

/// Replaces each line that must not leave by a mark; `None` if all may.
pub fn hidden(text: &str, state: &State) -> Option<String> {
    if text.lines().all(|line| state.may_leave(line)) {
        return None;
    }
    let lines = text.lines().map(|line| if state.may_leave(line) { line } else { REDACTED });
    Some(lines.map(|line| format!("{line}\n")).collect())
}
