//! Proposals by the grounded reader: looks up what the repository has, and gives what the request then means to the same code that makes
//! exact changes and checks commands. Rejects a command of the readers of whole sentences that leaves out what the request says.

use std::sync::atomic::AtomicBool;

use aside_core::agent::language::Language;
use aside_task::proposal::Proposal;
use aside_task::route::intent::{Intent, IntentParams, TaskKind};
use aside_task::route::params::split_piped;
use aside_task::route::{Route, RoutedBy, TaskScope};
use aside_task::run::reader::unmet::{no_target, unmet};
use aside_task::run::reader::{self, ReadMiss, ReadResult, Reading, Understood};
use aside_task::run::script::AS_WRITTEN;
use aside_task::run::{ModelNeed, RunnerOutcome, code, short};

use crate::daemon::tasks::attempt::machine_facts::MachineFacts;
use crate::daemon::tasks::attempt::{Attempt, MAX_SAID, answer, blocking, repository_facts, value_answers};

/// Words that are named as not understood; more of them are no near miss.
const MAX_WORDS: usize = 2;

impl Attempt {
    /// What the request means by the things that it names; looked up on first use.
    async fn grounded(&self) -> &ReadResult {
        let look_up = || async {
            let words = own_text(self);
            // With a model, the exact readers and the model share the work as before.
            if self.lack().is_none() || split_piped(&words).1.is_some() || self.workspace.cwd() != self.workspace.root()
            {
                return Err(ReadMiss::Unknown);
            }
            let (workspace, secrets) = (self.workspace.clone(), self.secrets());
            let read = blocking(move |cancelled| {
                let Some(needs) = reader::needs(&words) else { return Err(ReadMiss::Unknown) };
                match repository_facts::facts(&workspace, needs, &words, secrets, cancelled) {
                    Some(facts) => reader::read(&words, &facts),
                    None => Err(ReadMiss::Unknown),
                }
            });
            read.await.unwrap_or(Err(ReadMiss::Unknown))
        };
        self.grounded.get_or_init(look_up).await
    }

    /// What the request means, unless it is a command as written, or forbids something that the reader did not see.
    async fn understood(&self, is_held: bool, cmd: Option<&str>) -> Option<&Understood> {
        let understood = self.grounded().await.as_ref().ok()?;
        if is_held && !understood.forbids {
            return None;
        }
        match (cmd, &understood.reading) {
            (None, _) | (Some(_), Reading::Change(_)) => Some(understood),
            (Some(_), Reading::Command(_)) if understood.is_prose => Some(understood),
            // "make backup.sh executable" is prose where no target is called so.
            (Some(cmd), Reading::Command(_)) => {
                let (workspace, cmd) = (self.workspace.clone(), cmd.to_owned());
                let is_prose = blocking(move |_| no_target(&cmd, &repository_facts::of_targets(&workspace)).is_some());
                is_prose.await.unwrap_or(false).then_some(understood)
            }
        }
    }

    /// A request of which every word is explained is routed as what it means here, whatever the rules take it for.
    pub(super) async fn about_grounded(&self, mut route: Route) -> Route {
        // `@dev plan` asks for a plan.
        if route.by == RoutedBy::Shortcut {
            return route;
        }
        let cmd = route.intent.params.cmd.clone();
        let Some(understood) = self.understood(route.held, cmd.as_deref()).await else { return route };
        let kind = match understood.reading {
            Reading::Change(_) => TaskKind::Change,
            Reading::Command(_) => TaskKind::Run,
        };
        // What the request forbids is kept by the reading, so the rest of it may be done.
        route.held = false;
        if route.intent.kind == kind && route.scope == TaskScope::Full && cmd.is_none() {
            return route;
        }
        route.intent.summary = format!("{}: {}", kind.label(), short(self.words(), MAX_SAID));
        route.intent.kind = kind;
        let words = Some(self.words().to_owned());
        route.intent.params = match kind {
            TaskKind::Change => IntentParams { change_request: words, ..IntentParams::default() },
            _ => IntentParams { query: words, ..IntentParams::default() },
        };
        route.scope = TaskScope::Full;
        route
    }

    /// Whether a route is that of `about_grounded`.
    pub(super) async fn is_grounded_order(&self, route: &Route) -> bool {
        let acts = matches!(route.intent.kind, TaskKind::Change | TaskKind::Run) && route.scope == TaskScope::Full;
        acts && !route.held && self.grounded().await.is_ok()
    }

    /// The outcome for a request of which every word is explained. `None` if it cannot be carried out here.
    pub(super) async fn by_grounded(&self, intent: &Intent) -> Result<Option<RunnerOutcome>, String> {
        if !matches!(intent.kind, TaskKind::Change | TaskKind::Run) || intent.params.cmd.is_some() {
            return Ok(None);
        }
        let Some(understood) = self.understood(false, None).await else { return Ok(None) };
        let here = MachineFacts::of(&self.state, &self.request.meta, self.workspace.cwd()).await;
        self.grounded_outcome(&understood.reading, &here, Language::of(self.words())).await
    }

    /// The outcome of the other readers, if it leaves nothing out that the request says; else what was not understood.
    pub(super) async fn or_grounded(&self, outcome: Result<RunnerOutcome, String>) -> Result<RunnerOutcome, String> {
        let language = Language::of(self.words());
        if let Ok(RunnerOutcome { proposal: Proposal::Command { cmd, reason, .. }, .. }) = &outcome {
            let (workspace, cmd, words) = (self.workspace.clone(), cmd.clone(), own_text(self));
            let is_written = reason.as_deref().is_some_and(|reason| AS_WRITTEN.contains(&reason));
            let left_out = blocking(move |_| {
                let facts = repository_facts::of_targets(&workspace);
                if is_written { no_target(&cmd, &facts) } else { unmet(&words, &cmd, &facts) }
            });
            return match left_out.await? {
                Some(word) => Ok(refusal(&not_understood(&[word], language))),
                None => outcome,
            };
        }
        let is_settled = match &outcome {
            Ok(outcome) => value_answers::acts(outcome) || outcome.model == ModelNeed::Unneeded,
            Err(_) => false,
        };
        if is_settled || self.lack().is_none() {
            return outcome;
        }
        let text = match self.grounded().await {
            Err(ReadMiss::NotUnderstood(words)) if words.len() <= MAX_WORDS => not_understood(words, language),
            Err(ReadMiss::NotThere(name)) => match language {
                Language::English => {
                    format!("{} is not in this project, so nothing is proposed. Check its spelling.", code(name))
                }
                Language::Chinese => format!("这个项目里没有 {}，所以没有提出任何内容。请检查写法。", code(name)),
            },
            Ok(_) | Err(_) => return outcome,
        };
        Ok(refusal(&text))
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
            Reading::Command(commands) => {
                let reason = match language {
                    Language::English => "This is the command for that here.",
                    Language::Chinese => "这是这里做这件事的命令。",
                };
                let cmd = here.runnable(commands).await;
                Ok(cmd.map(|cmd| here.proposed(cmd, reason.to_owned())))
            }
        }
    }
}

/// The request as the user wrote it: its tokens are read without a change of words before.
fn own_text(attempt: &Attempt) -> String {
    super::own_words(&attempt.request.text, &attempt.state.config().task.prefix).to_owned()
}

fn refusal(text: &str) -> RunnerOutcome {
    answer(format!("{text}\n"), text, String::new(), ModelNeed::Needed)
}

fn not_understood(words: &[String], language: Language) -> String {
    let named = words.iter().map(|word| code(word)).collect::<Vec<_>>();
    match language {
        Language::English => format!(
            "{} was not understood, so nothing is proposed. Say it in other words, or write the command itself.",
            named.join(" and ")
        ),
        Language::Chinese => {
            format!("没有看懂 {}，所以没有提出任何内容。请换一种说法，或者直接写出命令。", named.join("、"))
        }
    }
}
