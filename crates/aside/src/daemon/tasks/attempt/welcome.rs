//! The greeting before the first request: which model answers, and example requests that work in this directory. Tries each example like a
//! real request, but proposes nothing.

use std::sync::Arc;

use aside_proto::task::TaskWelcome;
use aside_task::event::TaskId;
use aside_task::proposal::{Proposal, RequestMeta, RequestSource, UserRequest};

use crate::daemon::model::{self, Purpose};
use crate::daemon::state::State;
use crate::daemon::tasks::attempt::{Attempt, blocking};
use crate::provider::Selection;
use crate::workspace::Workspace;

/// The first of these that the project has a command for is shown.
const RUNS: [&str; 3] = ["run the tests", "build the project", "start the dev server"];
/// Extensions of files that are worth an explanation.
const CODE: [&str; 20] = [
    "rs", "py", "ts", "tsx", "js", "go", "java", "kt", "rb", "c", "cpp", "h", "cs", "php", "swift", "sh", "scala",
    "ex", "lua", "zig",
];
/// Usual names of a project's main file.
const MAIN: [&str; 6] = ["main", "app", "index", "lib", "server", "cli"];

pub async fn welcome(state: &Arc<State>, workspace: Workspace, shell: &str) -> TaskWelcome {
    let endpoint = model::endpoint(&state.config().llm, Purpose::Task, Selection::AsSet);
    let model = endpoint.map(|endpoint| {
        if endpoint.model.is_empty() { endpoint.server.provider.name().to_owned() } else { endpoint.model }
    });
    let mut examples = Vec::new();
    for words in RUNS {
        if runs(state, &workspace, shell, words).await {
            examples.push(words.to_owned());
            break;
        }
    }
    examples.extend(blocking(move |cancelled| about_files(&workspace, cancelled)).await.unwrap_or_default());
    TaskWelcome { model: model.unwrap_or_default(), editor: state.config().task.editor_url.clone(), examples }
}

/// Whether a request results in a command here.
async fn runs(state: &Arc<State>, workspace: &Workspace, shell: &str, words: &str) -> bool {
    let Some(id) = TaskId::of("welcome") else { return false };
    let path = |path: &std::path::Path| path.to_string_lossy().into_owned();
    let meta = RequestMeta {
        cwd: path(workspace.cwd()),
        workspace: path(workspace.root()),
        shell: shell.to_owned(),
        private: true,
        ..RequestMeta::default()
    };
    let request = UserRequest {
        source: RequestSource::LocalUi,
        thread_id: String::new(),
        from_user: None,
        text: words.to_owned(),
        meta,
    };
    let attempt = Attempt::new(Arc::clone(state), id, request, workspace.clone(), 1);
    let route = attempt.route().await;
    attempt.run(&route.intent).await.is_ok_and(|outcome| matches!(outcome.proposal, Proposal::Command { .. }))
}

/// Examples about the files of the directory and its repository.
fn about_files(workspace: &Workspace, cancelled: &std::sync::atomic::AtomicBool) -> Vec<String> {
    let tree = workspace.tree(&[], cancelled).unwrap_or_default();
    let listed = tree.listed();
    let paths: Vec<&str> = listed.iter().map(|file| file.path).collect();
    let mut examples = Vec::new();
    if !workspace.git().changed.is_empty() {
        examples.push("review my changes".to_owned());
    }
    if let Some(file) = main_file(&paths) {
        examples.push(format!("explain {file}"));
    }
    if paths.iter().any(|path| path.to_lowercase().starts_with("readme")) {
        examples.push("what does this project do?".to_owned());
    }
    examples
}

/// A source file: usual main files first, then those nearest to the root.
fn main_file<'a>(paths: &[&'a str]) -> Option<&'a str> {
    let code = paths.iter().filter(|path| path.rsplit_once('.').is_some_and(|(_, ending)| CODE.contains(&ending)));
    let rank = |path: &&&str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.split('.').next().unwrap_or(name);
        let place = MAIN.iter().position(|main| *main == stem).unwrap_or(MAIN.len());
        (place, path.matches('/').count(), path.len())
    };
    code.min_by_key(rank).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_that_is_named_is_where_a_project_begins() {
        for (paths, expected) in [
            (&["README.md", "src/deep/util.rs", "src/main.rs"][..], Some("src/main.rs")),
            (&["shop/cart.py", "tests/test_cart.py"][..], Some("shop/cart.py")),
            (&["a.txt", "Makefile"][..], None),
            (&[][..], None),
        ] {
            assert_eq!(main_file(paths), expected, "{paths:?}");
        }
    }
}
