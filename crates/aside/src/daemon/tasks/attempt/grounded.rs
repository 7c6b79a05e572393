//! Proposals by the grounded reader, where the readers of whole sentences find nothing: looks up what the repository has, and gives what
//! the request then means to the same code that makes exact changes and checks commands. Asked only without a model.

use std::sync::atomic::AtomicBool;

use aside_core::agent::language::Language;
use aside_task::proposal::Proposal;
use aside_task::route::Route;
use aside_task::route::TaskScope;
use aside_task::route::intent::{Intent, IntentParams, TaskKind};
use aside_task::route::params::split_piped;
use aside_task::run::context::Ignored;
use aside_task::run::reader::ground::{RepositoryFacts, Target};
use aside_task::run::reader::{self, ReadResult, Reading};
use aside_task::run::{ModelNeed, RunnerOutcome, code, compose, short};

use crate::daemon::tasks::attempt::machine_facts::MachineFacts;
use crate::daemon::tasks::attempt::{Attempt, MAX_SAID, answer, blocking, project_answers, value_answers};
use crate::workspace::Workspace;
use crate::workspace::masked::Secrets;

/// Bytes of texts in which names are looked up. Names of a larger project are not known to be unique, so nothing is read there.
const MAX_BYTES: usize = 16 * 1024 * 1024;

impl Attempt {
    /// What the request means by the things that it names; looked up on first use.
    async fn grounded(&self) -> &ReadResult {
        let look_up = || async {
            let words = own_text(self);
            if self.lack().is_none() || split_piped(&words).1.is_some() || self.workspace.cwd() != self.workspace.root()
            {
                return Err(None);
            }
            let (workspace, secrets) = (self.workspace.clone(), self.secrets());
            let read = blocking(move |cancelled| {
                if !reader::may_mean(&words) {
                    return Err(None);
                }
                match facts(&workspace, secrets, cancelled) {
                    Some(facts) => reader::read(&words, &facts),
                    None => Err(None),
                }
            });
            read.await.unwrap_or(Err(None))
        };
        self.grounded.get_or_init(look_up).await
    }

    /// A request that the rules are unsure about is routed by what it means here. What it forbids is part of an operation, or not understood.
    pub(super) async fn about_grounded(&self, mut route: Route) -> Route {
        let threshold = self.state.config().task.confidence_threshold;
        if route.scope != TaskScope::Plan || route.intent.confidence >= threshold {
            return route;
        }
        let kind = match self.grounded().await {
            Ok(Reading::Change(_)) => TaskKind::Change,
            Ok(Reading::Command(_)) => TaskKind::Run,
            Err(_) => return route,
        };
        route.intent.summary = format!("{}: {}", kind.label(), short(self.words(), MAX_SAID));
        route.intent.kind = kind;
        // Without words for the other readers: they were not sure of them.
        route.intent.params = IntentParams::default();
        route.scope = TaskScope::Full;
        route
    }

    /// The outcome for a request that was routed by `about_grounded`.
    pub(super) async fn only_grounded(&self, intent: &Intent) -> Result<Option<RunnerOutcome>, String> {
        let is_unsure = intent.confidence < self.state.config().task.confidence_threshold;
        let acts = matches!(intent.kind, TaskKind::Change | TaskKind::Run);
        if !is_unsure || !acts || intent.params != IntentParams::default() {
            return Ok(None);
        }
        let language = Language::of(self.words());
        if let Ok(reading) = self.grounded().await {
            let here = MachineFacts::of(&self.state, &self.request.meta, self.workspace.cwd()).await;
            if let Some(outcome) = self.grounded_outcome(reading, &here, language).await? {
                return Ok(Some(outcome));
            }
        }
        // The other readers have no words for it, and would take that for their default.
        let text =
            language.pick("That cannot be done here, so nothing is proposed.", "这里做不到，所以没有提出任何内容。");
        Ok(Some(answer(format!("{text}\n"), text, String::new(), ModelNeed::Needed)))
    }

    /// The outcome of the other readers if they propose something, else the one of the grounded reader.
    pub(super) async fn or_grounded(&self, outcome: Result<RunnerOutcome, String>) -> Result<RunnerOutcome, String> {
        let is_settled = match &outcome {
            Ok(outcome) => {
                value_answers::acts(outcome)
                    || matches!(outcome.proposal, Proposal::Diff { .. })
                    || outcome.model == ModelNeed::Unneeded && !self.is_refusal(outcome)
            }
            Err(_) => false,
        };
        if is_settled {
            return outcome;
        }
        let language = Language::of(self.words());
        match self.grounded().await {
            Ok(reading) => {
                let here = MachineFacts::of(&self.state, &self.request.meta, self.workspace.cwd()).await;
                match self.grounded_outcome(reading, &here, language).await? {
                    Some(grounded) => Ok(grounded),
                    None => outcome,
                }
            }
            Err(Some(word)) => outcome.map_err(|why| match language {
                Language::English => format!("{} was not understood. {why}", code(word)),
                Language::Chinese => format!("没有看懂 {}。{why}", code(word)),
            }),
            Err(None) => outcome,
        }
    }

    /// Whether an answer only says that nothing is proposed.
    fn is_refusal(&self, outcome: &RunnerOutcome) -> bool {
        match &outcome.proposal {
            Proposal::Answer { text } | Proposal::Plan { text } => {
                text.contains("nothing is\nproposed")
                    || text.contains("nothing is proposed")
                    || text.contains("没有提出")
            }
            Proposal::Diff { .. } | Proposal::Command { .. } | Proposal::SearchResults { .. } => false,
        }
    }

    /// Whether a file that moves is named nowhere but in the files that change with it.
    fn changes_all_mentions(&self, text: &str, outcome: &RunnerOutcome) -> bool {
        let (Some((from, _)), Proposal::Diff { files, .. }) =
            (text.strip_prefix("move ").and_then(|rest| rest.split_once(" to ")), &outcome.proposal)
        else {
            return true;
        };
        let mut all = true;
        let read = self.workspace.each_text(self.secrets(), &AtomicBool::new(false), |path, text| {
            all &= !text.contains(from) || files.iter().any(|file| file.path.as_str() == path);
        });
        all && read.is_some()
    }

    async fn grounded_outcome(
        &self,
        reading: &Reading,
        here: &MachineFacts,
        language: Language,
    ) -> Result<Option<RunnerOutcome>, String> {
        match reading {
            Reading::Change(text) => {
                let outcome = self.exact_changes(text, here).await?;
                Ok(outcome.filter(|outcome| self.changes_all_mentions(text, outcome)))
            }
            Reading::Command(cmd) => {
                let reason = match language {
                    Language::English => "This is the command for that here.",
                    Language::Chinese => "这是这里做这件事的命令。",
                };
                let cmd = here.runnable(std::slice::from_ref(cmd)).await;
                Ok(cmd.map(|cmd| here.proposed(cmd, reason.to_owned())))
            }
        }
    }
}

/// The request as the user wrote it: its tokens are read without a change of words before.
fn own_text(attempt: &Attempt) -> String {
    super::own_words(&attempt.request.text, &attempt.state.config().task.prefix).to_owned()
}

/// `None` where the project is too large, or was not read in time.
fn facts(workspace: &Workspace, secrets: Secrets, cancelled: &AtomicBool) -> Option<RepositoryFacts> {
    let tree = workspace.tree(&[], cancelled).ok()?;
    let listed = tree.listed();
    let files =
        listed.iter().filter(|listed| listed.ignored == Ignored::No).map(|listed| listed.path.to_owned()).collect();
    let (mut texts, mut bytes) = (Vec::new(), 0);
    workspace.each_text(secrets, cancelled, |path, text| {
        bytes += text.len();
        if bytes <= MAX_BYTES {
            texts.push((path.to_owned(), text.to_owned()));
        }
    })?;
    (bytes <= MAX_BYTES).then_some(())?;
    let manifests = project_answers::manifests(workspace, cancelled);
    let is_cargo = |file: &str| file.ends_with("Cargo.toml");
    let members = manifests.iter().filter(|manifest| is_cargo(&manifest.file) && manifest.file.contains('/'));
    Some(RepositoryFacts {
        files,
        texts,
        members: members.map(|manifest| manifest.name.clone()).collect(),
        dependencies: manifests
            .iter()
            .flat_map(|manifest| &manifest.dependencies)
            .map(|(name, _)| name.clone())
            .collect(),
        targets: targets(workspace),
        has_compose: compose::FILES.iter().any(|file| workspace.root().join(file).is_file()),
    })
}

/// The targets and scripts of the root.
fn targets(workspace: &Workspace) -> Vec<Target> {
    let has = |file: &str| workspace.root().join(file).is_file();
    let manager = match () {
        () if has("pnpm-lock.yaml") => "pnpm run",
        () if has("yarn.lock") => "yarn run",
        () if has("bun.lockb") || has("bun.lock") => "bun run",
        () => "npm run",
    };
    let project = workspace.project();
    let variables: Vec<(&str, &str)> = ["Makefile", "makefile", "GNUmakefile"]
        .into_iter()
        .filter_map(|file| project.text(file))
        .flat_map(str::lines)
        .filter_map(|line| line.split_once("?=").or_else(|| line.split_once(":=")).or_else(|| line.split_once('=')))
        .map(|(name, value)| (name.trim(), value.trim()))
        .filter(|(name, _)| !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_'))
        .collect();
    // What a target runs is looked up by its variables and by their values.
    let spelled_out = |recipe: String| {
        let values =
            variables.iter().fold(recipe.clone(), |text, (name, value)| text.replace(&format!("$({name})"), value));
        if values == recipe { recipe } else { format!("{recipe} {values}") }
    };
    let of = |(file, scripts): (&str, Vec<(String, String)>)| {
        let program = match file {
            "package.json" => Some(manager),
            "justfile" | "Justfile" => Some("just"),
            "Makefile" | "makefile" | "GNUmakefile" => Some("make"),
            _ => None,
        };
        let targets = scripts.into_iter().filter_map(|(name, recipe)| {
            Some(Target { command: format!("{} {name}", program?), name, recipe: spelled_out(recipe) })
        });
        targets.collect::<Vec<_>>()
    };
    project.all_scripts().into_iter().flat_map(of).collect()
}
