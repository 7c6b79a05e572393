//! What a request to run something means here: in English words, with the files and the part of the project that it names. Reads names of
//! files only.

use aside_task::route::RouteOptions;
use aside_task::route::intent::{IntentParams, TaskKind};
use aside_task::run::{ModelNeed, RunnerOutcome, code, documented, script, wording};

use crate::daemon::tasks::attempt::machine_facts::MachineFacts;
use crate::daemon::tasks::attempt::{Attempt, answer, blocking, by_rules};

impl Attempt {
    /// What a request in Chinese asks to run, in the English words that mean the same where they are known.
    pub(super) fn in_english(&self, params: &IntentParams) -> IntentParams {
        let english = wording::english(self.words());
        if english == self.words() || params.cmd.is_some() {
            return params.clone();
        }
        let routed = by_rules(&english, &RouteOptions::default());
        match routed.intent.kind {
            TaskKind::Run => routed.intent.params,
            _ => params.clone(),
        }
    }

    /// "Delete the target directory", where there is none.
    pub(super) async fn is_gone(&self) -> Result<Option<RunnerOutcome>, String> {
        let lower = self.words().trim().trim_end_matches(['.', '!']);
        let words: Vec<&str> = lower.split_whitespace().collect();
        let name = match words.as_slice() {
            ["delete" | "remove" | "Delete" | "Remove", "the", name, "directory" | "folder" | "file"] => *name,
            _ => return Ok(None),
        };
        let places = [self.workspace.cwd().join(name), self.workspace.root().join(name)];
        if name.contains("..") || blocking(move |_| places.iter().any(|place| place.exists())).await? {
            return Ok(None);
        }
        let text = match words.last() {
            Some(&"file") => format!("There is no file {} here, so there is nothing to delete.", code(name)),
            _ => format!("There is no directory {} here, so there is nothing to delete.", code(name)),
        };
        Ok(Some(answer(format!("{text}\n"), text, String::new(), ModelNeed::Unneeded)))
    }

    /// The package, module or file of the project that "the tests of NAME" names, by its path.
    pub(super) async fn part_meant(&self) -> Result<Option<String>, String> {
        let Some(name) = script::part::named(self.words()) else { return Ok(None) };
        let workspace = self.workspace.clone();
        blocking(move |cancelled| {
            let tree = workspace.tree(&[], cancelled).unwrap_or_default();
            script::part::path(&name, tree.listed().iter().map(|listed| listed.path))
        })
        .await
    }

    /// Resolves file names from the current directory: a missing file may be the only one of its name further down.
    pub(super) async fn files_meant(&self, files: &[String]) -> Result<Vec<String>, String> {
        let (workspace, files) = (self.workspace.clone(), files.to_vec());
        if files.iter().all(|file| workspace.cwd().join(file).exists()) {
            return Ok(files);
        }
        blocking(move |cancelled| {
            let tree = workspace.tree(&[], cancelled).unwrap_or_default();
            let listed = tree.listed();
            let meant = |file: &String| {
                let ends = |path: &str| path.strip_suffix(file.as_str()).is_some_and(|before| before.ends_with('/'));
                let mut found = listed.iter().filter(|listed| ends(listed.path));
                match (found.next(), found.next()) {
                    (Some(only), None)
                        if !workspace.cwd().join(file).exists() && workspace.cwd() == workspace.root() =>
                    {
                        only.path.to_owned()
                    }
                    _ => file.clone(),
                }
            };
            files.iter().map(meant).collect()
        })
        .await
    }

    /// A server that only the documentation starts, on the port of the request: "start the dev server on port 9001".
    pub(super) async fn on_port(&self, here: &MachineFacts) -> Result<Option<RunnerOutcome>, String> {
        let words = wording::english(self.words()).into_owned();
        let workspace = self.workspace.clone();
        let found = blocking(move |_| {
            let project = workspace.project();
            let commands = documented::commands(&project);
            commands
                .iter()
                .find_map(|command| Some((script::call::on_port(&words, &command.cmd)?, command.file.clone())))
        });
        let Some((cmd, file)) = found.await? else { return Ok(None) };
        Ok(here.runnable(&[cmd]).await.map(|cmd| here.proposed(cmd, format!("{} has the command.", code(&file)))))
    }
}
