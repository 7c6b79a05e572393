//! Answers questions that were read by facet and things (`aside_task::run::question`): looks up what the repository has, and gives each facet
//! to the code that knows it. A near reading, and the nearest passage of the files, come only where the other readers have nothing, and say
//! so. Asked only without a model.

mod code_facts;
mod git_history;
mod project_ways;

use std::sync::atomic::AtomicBool;

use aside_core::agent::language::{Language, needs_model};
use aside_task::proposal::Proposal;
use aside_task::route::intent::{IntentParams, TaskKind};
use aside_task::route::params::split_piped;
use aside_task::route::{Route, TaskScope};
use aside_task::run::context::Ignored;
use aside_task::run::model_reply::fenced;
use aside_task::run::passages::{Passage, Passages};
use aside_task::run::question::{self, QuestionFacts, QuestionReading, way};
use aside_task::run::repository::RepositoryQuestion;
use aside_task::run::{ModelNeed, RunnerOutcome, code, short, topics};

use crate::daemon::tasks::attempt::fact_answers::{self, History, told};
use crate::daemon::tasks::attempt::machine_facts::MachineFacts;
use crate::daemon::tasks::attempt::{Attempt, MAX_SAID, blocking, repository_answers};
use crate::exec::git::Question;
use crate::exec::{Probe, probe};
use crate::workspace::Workspace;
use crate::workspace::masked::Secrets;
use crate::workspace::texts::TextFilter;

/// Commits in which authors are looked up, and in whose first lines passages are.
const MAX_COMMITS: usize = 1_000;
/// Characters of the name of an author.
const MAX_AUTHOR: usize = 60;
/// Bytes of texts in which passages are looked up.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// A question as it was read, with its answer.
pub(super) struct AnsweredQuestion {
    kind: TaskKind,
    is_certain: bool,
    outcome: RunnerOutcome,
}

/// What an answer needs.
struct Inquiry<'a> {
    workspace: &'a Workspace,
    secrets: Secrets,
    language: Language,
    cancelled: &'a AtomicBool,
    reading: &'a QuestionReading,
    /// The request, in small letters.
    words: &'a str,
}

impl Attempt {
    /// The question and its answer; looked up on first use.
    async fn answered_question(&self) -> Option<&AnsweredQuestion> {
        let look_up = || async {
            let words = super::own_words(&self.request.text, &self.state.config().task.prefix).to_owned();
            if self.lack().is_none() || split_piped(&self.request.text).1.is_some() || !question::may_mean(&words) {
                return None;
            }
            let here = MachineFacts::of(&self.state, &self.request.meta, self.workspace.cwd()).await;
            let (workspace, secrets, language) = (self.workspace.clone(), self.secrets(), Language::of(&words));
            let answered = blocking(move |cancelled| {
                let reading = read(&words, &workspace, secrets, cancelled)?;
                let lower = words.to_lowercase();
                let workspace = &workspace;
                let inquiry = Inquiry { workspace, secrets, language, cancelled, reading: &reading, words: &lower };
                let outcome = inquiry.answer(&here)?;
                let kind = match reading.facet.kind.as_str() {
                    "status" => TaskKind::Status,
                    "search" => TaskKind::Search,
                    "explain" => TaskKind::Explain,
                    _ => TaskKind::Help,
                };
                Some(AnsweredQuestion { kind, is_certain: reading.is_certain(), outcome: inquiry.labelled(outcome) })
            });
            answered.await.ok().flatten()
        };
        self.question.get_or_init(look_up).await.as_ref()
    }

    /// A question whose every word has a meaning is routed as that, whatever the other readers make of it.
    pub(super) async fn about_question(&self, mut route: Route) -> Route {
        let is_order = route.intent.params.cmd.is_some() || self.is_grounded_order(&route).await;
        if is_order && !question::is_question(self.words()) || self.is_known_from_before() {
            return route;
        }
        let Some(answered) = self.answered_question().await.filter(|answered| answered.is_certain) else {
            return route;
        };
        let kind = answered.kind;
        route.intent.summary = format!("{}: {}", kind.label(), short(self.words(), MAX_SAID));
        route.intent.kind = kind;
        route.intent.params = IntentParams { question: Some(self.words().to_owned()), ..IntentParams::default() };
        route.scope = TaskScope::Full;
        route
    }

    /// The answer to a question that was routed by `about_question`.
    pub(super) async fn certain_answer(&self, kind: TaskKind) -> Option<RunnerOutcome> {
        let is_asked = matches!(kind, TaskKind::Status | TaskKind::Search | TaskKind::Explain | TaskKind::Help);
        if !is_asked || self.is_known_from_before() {
            return None;
        }
        let answered = self.answered_question().await.filter(|answered| answered.is_certain)?;
        Some(answered.outcome.clone())
    }

    /// The outcome of the other readers; where they only say that they have none, a near reading or the nearest passage.
    pub(super) async fn or_nearest(
        &self,
        kind: TaskKind,
        outcome: Result<RunnerOutcome, String>,
    ) -> Result<RunnerOutcome, String> {
        let asks = question::is_question(self.words())
            || matches!(kind, TaskKind::Explain | TaskKind::Status | TaskKind::Help | TaskKind::Search);
        // What only names things may be taken for a report of an error.
        let may_be = (asks || kind == TaskKind::Diagnose)
            && self.lack().is_some()
            && split_piped(&self.request.text).1.is_none();
        // The state of the repository is no answer to "how long may a gate stay open".
        let is_other = kind == TaskKind::Status && !question::is_about_state(self.words());
        if may_be && is_other {
            return match self.nearest_passage().await? {
                Some(found) => Ok(found),
                None => outcome,
            };
        }
        let is_empty = found_nothing(&outcome);
        if !may_be || !is_empty && !is_refusal(&outcome) {
            return outcome;
        }
        if let Some(near) = self.answered_question().await {
            return Ok(near.outcome.clone());
        }
        // That a text was not found is an answer already.
        if !asks || is_empty || question::asks_how(self.words()) {
            return outcome;
        }
        if let Some(known) = self.named_thing().await? {
            return Ok(known);
        }
        match self.nearest_passage().await? {
            Some(found) => Ok(found),
            None => outcome,
        }
    }

    /// What a question is about by a name that only one thing has: a key of a configuration, a name of the code, a command.
    async fn named_thing(&self) -> Result<Option<RunnerOutcome>, String> {
        if let Some(known) = self.config_key().await? {
            return Ok(Some(known));
        }
        let words = super::own_words(&self.request.text, &self.state.config().task.prefix).to_owned();
        let (workspace, secrets, language) = (self.workspace.clone(), self.secrets(), Language::of(&words));
        let asked = words.clone();
        let defined = blocking(move |cancelled| {
            let names = question::code_names(&asked);
            names.iter().find_map(|name| fact_answers::defined(&workspace, name, secrets, language, cancelled))
        });
        if let Some(text) = defined.await? {
            return Ok(Some(told(text)));
        }
        let here = MachineFacts::of(&self.state, &self.request.meta, self.workspace.cwd()).await;
        let mut text = String::new();
        for command in question::commands(&words, &|word| aside_task::route::command::is_program(word)) {
            let asked = format!("what does `{command}` do");
            let known = here.explain(&asked, &[], aside_core::agent::ModelAbsence::Silent).await;
            if let Proposal::Answer { text: about } = known.proposal
                && known.model != ModelNeed::Needed
            {
                text.push_str(&format!("{}\n\n", about.trim_end()));
            }
        }
        Ok((!text.is_empty()).then(|| told(text)))
    }

    async fn nearest_passage(&self) -> Result<Option<RunnerOutcome>, String> {
        let words = super::own_words(&self.request.text, &self.state.config().task.prefix).to_owned();
        let (workspace, secrets, language) = (self.workspace.clone(), self.secrets(), Language::of(&words));
        blocking(move |cancelled| {
            let content = question::content_words(&words);
            let mut passages = Passages::new(&content)?;
            let mut bytes = 0;
            workspace.each_text(secrets, cancelled, |path, text| {
                bytes += text.len();
                if bytes <= MAX_BYTES {
                    passages.take(path, text);
                }
            })?;
            let commits = fact_answers::history(&workspace, &History { many: MAX_COMMITS, ..History::default() });
            for commit in commits.unwrap_or_default() {
                passages.take(&format!("commit {} ({}, {})", commit.id, commit.author, commit.date), &commit.subject);
            }
            let found = passages.best(3);
            (!found.is_empty()).then(|| told(passages_told(&found, language)))
        })
        .await
    }
}

fn passages_told(found: &[Passage], language: Language) -> String {
    let list = |words: &[String]| words.iter().map(|word| code(word)).collect::<Vec<_>>().join(", ");
    let mut text = String::new();
    if let Some(first) = found.first() {
        let lacks = match (first.lacks.is_empty(), language) {
            (true, _) => String::new(),
            (false, Language::English) => format!("; without {}", list(&first.lacks)),
            (false, Language::Chinese) => format!("；没有 {}", list(&first.lacks)),
        };
        text.push_str(&match language {
            Language::English => format!(
                "Without a model the question is not understood as a whole. The nearest that is written here, by {}{lacks}:\n\n",
                list(&first.has)
            ),
            Language::Chinese => {
                format!("没有模型时无法完全理解这个问题。这里写着的最接近的内容（按 {}{lacks}）：\n\n", list(&first.has))
            }
        });
    }
    for passage in found {
        let ending = passage.path.rsplit_once('.').map_or("", |(_, ending)| ending);
        let body = aside_redact::redact(&passage.text);
        match passage.path.strip_prefix("commit ") {
            Some(commit) => text.push_str(&format!("- {commit}: {}\n\n", short(&body, 160))),
            None => {
                let place = format!("{}:{}", passage.path, passage.line);
                text.push_str(&format!("{}:\n\n{}\n", code(&place), fenced(ending, &body)));
            }
        }
    }
    text
}

/// Whether an outcome only says that there is none.
fn is_refusal(outcome: &Result<RunnerOutcome, String>) -> bool {
    const SAYS: [&str; 14] = [
        "I could not tell what you want",
        "I see no error",
        "Nothing was found for",
        "Nothing here is called",
        "is not clear, so nothing is",
        "is\nproposed",
        "nothing is proposed",
        "There is no command here",
        "没能明白你想要什么",
        "没有看到错误",
        "没有找到",
        "没有说明怎样运行",
        "没有叫",
        "没有提出",
    ];
    match outcome {
        Err(sentence) => needs_model(sentence),
        Ok(outcome) if outcome.model == ModelNeed::Needed => true,
        Ok(outcome) => match &outcome.proposal {
            Proposal::Answer { text } | Proposal::Plan { text } => SAYS.iter().any(|head| text.contains(head)),
            Proposal::Diff { .. } | Proposal::Command { .. } | Proposal::SearchResults { .. } => false,
        },
    }
}

/// Whether a search has no results.
fn found_nothing(outcome: &Result<RunnerOutcome, String>) -> bool {
    let Ok(RunnerOutcome { proposal: Proposal::SearchResults { items }, .. }) = outcome else { return false };
    items.is_empty()
}

/// Reads a question with what the repository has.
fn read(words: &str, workspace: &Workspace, secrets: Secrets, cancelled: &AtomicBool) -> Option<QuestionReading> {
    let tree = workspace.tree(&[], cancelled).ok()?;
    let listed = tree.listed();
    let files: Vec<String> =
        listed.iter().filter(|listed| listed.ignored == Ignored::No).map(|listed| listed.path.to_owned()).collect();
    let (mut refs, mut authors) = (Vec::new(), Vec::new());
    if workspace.has_repository() {
        refs = repository_answers::names(workspace);
        let asked = Probe::Git { root: workspace.root(), question: Question::Authors { many: MAX_COMMITS } };
        for author in probe(&asked).unwrap_or_default().lines().map(|name| short(name, MAX_AUTHOR)) {
            if !authors.contains(&author) {
                authors.push(author);
            }
        }
    }
    let project = workspace.project();
    let scripts = project.all_scripts();
    let targets: Vec<String> = scripts.into_iter().flat_map(|(_, all)| all).map(|(name, _)| name).collect();
    let has_name = |name: &str| {
        let mut found = false;
        let filter = TextFilter { text: &|_: &str, text: &str| text.contains(name), ..TextFilter::ALL };
        let _ = workspace.each_text_of(&filter, secrets, cancelled, |_, text| {
            found |= fact_answers::has_word(text, name);
        });
        found
    };
    let has_root_file = |file: &str| workspace.root().join(file).is_file();
    let facts = QuestionFacts {
        files: &files,
        refs: &refs,
        authors: &authors,
        targets: &targets,
        has_name: &has_name,
        has_root_file: &has_root_file,
    };
    question::read(words, &facts)
}

impl Inquiry<'_> {
    fn answer(&self, here: &MachineFacts) -> Option<RunnerOutcome> {
        let (what, how) = self.reading.facet.answer.split_once(' ').unwrap_or((&self.reading.facet.answer, ""));
        let asks_git = ["commits", "compare", "position", "branches", "stash", "repository", "history"].contains(&what);
        if asks_git && !self.workspace.has_repository() {
            return Some(told(self.language.pick("This is no git repository.", "这里不是 git 仓库。").to_owned()));
        }
        match what {
            "" => way::told(self.reading, &self.way_context(), self.language).map(told),
            "commits" => self.commits(how),
            "compare" => self.compared().map(told),
            "position" => self.position().map(told),
            "branches" => self.branches(how == "merged").map(told),
            "stash" => self.stashes().map(told),
            "history" => self.history_of(how).map(told),
            "repository" => {
                let asked = match how {
                    "branches-age" => RepositoryQuestion::BranchesByAge,
                    _ => RepositoryQuestion::LastRelease,
                };
                repository_answers::answer(self.workspace, &asked, self.language, self.cancelled)
            }
            "files" => self.files(how),
            "target" => self.target(here).map(told),
            "exit-code" => self.exit_code().map(told),
            "project" => self.project().map(told),
            "declarations" => self.declarations(),
            "text" => self.text_lines(),
            "lines" => self.scanned_lines(how == "todo"),
            "dependency" => self.dependency().map(told),
            "remove-dependency" => self.remove_dependency().map(told),
            "upgrade-dependency" => self.upgrade_dependency().map(told),
            "add-dependency" => self.add_dependency().map(told),
            "script" => self.script(how).map(told),
            "compose" => self.compose(how).map(told),
            "cmake-options" => self.cmake_options().map(told),
            "topic" => topics::named(how, self.language).map(told),
            _ => None,
        }
    }

    /// An answer to a near reading names the words that it leaves out.
    fn labelled(&self, outcome: RunnerOutcome) -> RunnerOutcome {
        if self.reading.is_certain() {
            return RunnerOutcome { model: ModelNeed::Unneeded, ..outcome };
        }
        let left = self.reading.left.iter().map(|word| code(word)).collect::<Vec<_>>().join(", ");
        let label = match self.language {
            Language::English => format!("{left} was not understood; without it, this is the nearest answer:"),
            Language::Chinese => format!("没有看懂 {left}；不考虑它，最接近的回答是："),
        };
        match outcome.proposal {
            Proposal::Answer { text } => {
                RunnerOutcome { proposal: Proposal::Answer { text: format!("{label}\n\n{text}") }, ..outcome }
            }
            _ => RunnerOutcome { details: format!("{label}\n{}", outcome.details), ..outcome },
        }
    }
}
