//! Works out a task: routes the request, gathers context, and makes a proposal. Rules answer where they can, otherwise a model if one is
//! configured and the request is not private; either yields only a proposal. Runs nothing and writes nothing.

mod agent_turn;
mod deferred;
mod exact_change;
mod fact_answers;
mod failure;
mod find_by_kind;
mod grounded;
mod machine_facts;
mod model_context;
mod model_edit;
mod model_stream;
mod piped;
mod project_actions;
mod project_answers;
mod question_answers;
mod question_forms;
mod remote_branch;
mod repository_answers;
mod repository_facts;
mod run_request;
mod tested_code;
mod text_answers;
mod thread;
mod value_answers;
pub mod welcome;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use aside_core::agent;
use aside_core::agent::language::{Language, Message};
use aside_proto::task::TaskBrief;
use aside_task::event::{self, TaskId};
use aside_task::proposal::{Proposal, RequestSource, UserRequest, WriteConfinement};
use aside_task::route::intent::{Intent, IntentParams, TaskKind};
use aside_task::route::literal_command;
use aside_task::route::params::split_piped;
use aside_task::route::{self, Route, RouteOptions, Routed, TaskScope};
use aside_task::run::context::{MAX_TOTAL_BYTES, ModelContext};
use aside_task::run::conversation::{Conversation, EarlierTask};
use aside_task::run::diagnose::{named, quoted};
use aside_task::run::exact_edit::{self, Edit};
use aside_task::run::facts::FactQuestion;
use aside_task::run::find::select::{self, FileSet};
use aside_task::run::find::{self, Find};
use aside_task::run::model_reply::fenced;
use aside_task::run::reader::ReadResult;
use aside_task::run::review::target;
use aside_task::run::script::AS_WRITTEN;
use aside_task::run::{ModelNeed, RunnerOutcome, help_and_status, orders, short, topics, wording};
use aside_text::speech_act::SpeechActs;

use crate::config;
use crate::daemon::model::{self, Purpose};
use crate::daemon::state::State;
use crate::daemon::tasks::attempt::fact_answers::{as_answer, measures};
use crate::daemon::tasks::attempt::machine_facts::MachineFacts;
use crate::daemon::tasks::attempt::piped::{about_piped, to_diagnose};
use crate::daemon::tasks::attempt::project_actions::ProjectCommand;
use crate::daemon::tasks::attempt::question_answers::AnsweredQuestion;
use crate::daemon::tasks::attempt::question_forms::{asks, explains, shows_change};
use crate::daemon::tasks::offer::OfferBuilder;
use crate::daemon::tasks::summary::SearchedWords;
use crate::provider::{Format, Privacy, Question, Selection, Variety};
use crate::workspace::Workspace;
use crate::workspace::masked::Secrets;

/// How long a model may take to route a request; the rules have a fallback already.
const ROUTING: Duration = Duration::from_secs(20);
/// Characters of a request in its summary.
const MAX_SAID: usize = 80;
/// Tasks that are considered for the status: all that are kept.
const MAX_TASKS: usize = usize::MAX;
/// Bytes of every prompt for its fixed part: rules and request.
const OVERHEAD: usize = 2_600;
/// Least bytes of context for a model.
const LEAST: usize = 1_500;

/// Receives the streamed text of a proposal.
pub type TextSink<'a> = &'a (dyn Fn(&str) + Send + Sync);

/// One attempt at a task.
pub struct Attempt {
    state: Arc<State>,
    id: TaskId,
    request: UserRequest,
    /// The request in words that the readers know, where it has others that mean the same.
    plain: Option<String>,
    workspace: Workspace,
    /// A retry asks for variety, since the same answer again would be useless.
    variety: Variety,
    /// The earlier requests of the conversation, and what of them is sent to a model; looked up on first use.
    earlier: tokio::sync::OnceCell<Vec<EarlierTask>>,
    conversation: tokio::sync::OnceCell<Conversation>,
    /// The file of output that the request names, with its path; looked up on first use.
    named_output: tokio::sync::OnceCell<Option<(String, String)>>,
    /// The command that the engine of `? ` is certain of; looked up on first use.
    usual_command: tokio::sync::OnceCell<Option<String>>,
    /// The command that the files of the project have for the words; looked up on first use, which reads many.
    project_command: tokio::sync::OnceCell<Option<ProjectCommand>>,
    /// What the request means by the things that it names; looked up on first use.
    grounded: tokio::sync::OnceCell<ReadResult>,
    /// What the request asks by facet and things, with its answer; looked up on first use.
    question: tokio::sync::OnceCell<Option<AnsweredQuestion>>,
}

/// What was looked up before the proposal is made.
#[derive(Default)]
pub struct GatheredContext {
    pub context: ModelContext,
    /// For the log: file names and bytes.
    pub told: event::GatheredFiles,
}

/// Why no model is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lack {
    /// No model is configured.
    Unset,
    Private,
    /// `history.ignore` matches the request.
    Ignored,
}

impl Attempt {
    pub fn new(state: Arc<State>, id: TaskId, request: UserRequest, workspace: Workspace, attempt: u32) -> Self {
        let (earlier, conversation) = (tokio::sync::OnceCell::new(), tokio::sync::OnceCell::new());
        let variety = if attempt > 1 { Variety::Some } else { Variety::None };
        let (named_output, usual_command) = (tokio::sync::OnceCell::new(), tokio::sync::OnceCell::new());
        let project_command = tokio::sync::OnceCell::new();
        let plain = wording::plain(own_words(&request.text, &state.config().task.prefix));
        let (grounded, question) = (tokio::sync::OnceCell::new(), tokio::sync::OnceCell::new());
        Self {
            state,
            id,
            request,
            plain,
            workspace,
            variety,
            earlier,
            conversation,
            named_output,
            usual_command,
            project_command,
            grounded,
            question,
        }
    }

    /// Determines the intent: by the rules, and by a model if the settings allow that and the rules are not sure.
    pub async fn route(&self) -> Route {
        if let Some(continued) = self.continued().await {
            return continued;
        }
        let settings = self.state.config();
        let threshold = settings.task.confidence_threshold;
        let options = RouteOptions { prefix: &settings.task.prefix, threshold };
        let text = self.plain.clone().unwrap_or_else(|| self.request.text.clone());
        let prefix = settings.task.prefix.clone();
        // On a blocking thread: the first request loads the rules, which takes longer than a keystroke may wait.
        let ours =
            tokio::task::spawn_blocking(move || by_rules(&text, &RouteOptions { prefix: &prefix, threshold })).await;
        let ours = ours.unwrap_or_else(|_| by_rules(&self.request.text, &options));
        let is_command = ours.intent.params.cmd.is_some();
        if !is_command && self.named_output().await.is_some() {
            return to_diagnose(ours, self.words(), self.words());
        }
        let ours = self.about_facts(about_piped(ours, &self.request.text));
        let ours = self.about_project(self.about_what_is_exact(ours).await).await;
        let ours = self.about_question(self.about_grounded(ours).await).await;
        if let Some(followed) = self.followed(&ours, &options).await {
            return followed;
        }
        let asks = settings.task.use_model_router && route::model::is_wanted(&ours) && self.lack().is_none();
        if !asks {
            return ours;
        }
        let route::model::RoutePrompt { system, user, schema } = route::model::prompt(self.words());
        let question = Question {
            max_tokens: route::model::MAX_TOKENS,
            format: Format::Json(schema),
            privacy: self.privacy(),
            session: self.request.meta.session.clone(),
            ..Question::new(system.to_owned(), user)
        };
        let hear = |_: &str| std::ops::ControlFlow::Continue(());
        let asked = model::ask(&self.state, Purpose::Task, &question, hear);
        match tokio::time::timeout(ROUTING, asked).await {
            Ok(Ok(said)) => route::model::apply_reply(self.words(), &ours, &said.text, &options),
            Ok(Err(failure)) => {
                tracing::info!("no model said what a task wants: {failure}");
                ours
            }
            Err(_) => ours,
        }
    }

    /// A question that facts answer is routed as one, even if the rules prefer another intent. An order stays an order.
    fn about_facts(&self, mut route: Route) -> Route {
        let unsure = route.scope == TaskScope::Plan;
        if split_piped(&self.request.text).1.is_none() {
            if topics::topic(self.words()).is_some() {
                route.intent.kind = TaskKind::Help;
                route.intent.summary = format!("Help: {}", short(self.words(), MAX_SAID));
                route.scope = TaskScope::Full;
                return route;
            }
            let asks = matches!(route.intent.kind, TaskKind::Explain | TaskKind::Search | TaskKind::Help) || unsure;
            if asks && quoted(self.words()).is_some() {
                return to_diagnose(route, self.words(), self.words());
            }
        }
        let Some(ask) = self.fact_question(&route.intent.params) else { return route };
        let settled = match route.intent.kind {
            TaskKind::Explain => unsure,
            // "What is X and where is it used" wants the definition too.
            TaskKind::Search if matches!(ask, FactQuestion::Uses(_)) => self.words().to_lowercase().starts_with("what"),
            TaskKind::Status | TaskKind::Search | TaskKind::Diagnose | TaskKind::Help => ask.is_certain(),
            TaskKind::Run | TaskKind::Change => {
                unsure && ask.is_certain() || matches!(ask, FactQuestion::Repository(_)) && asks(self.words())
            }
            TaskKind::Review => matches!(ask, FactQuestion::Repository(_)) && !shows_change(self.words()),
        };
        // "How do I undo my last commit" asks for a command, whatever the rest of it is like; it is no order.
        let settled = settled
            || matches!(ask, FactQuestion::HowTo(_))
            || route.intent.kind == TaskKind::Explain && matches!(ask, FactQuestion::Waiting | FactQuestion::Machine);
        if ask == FactQuestion::Waiting && settled {
            route.intent.kind = TaskKind::Status;
            route.scope = TaskScope::Full;
            return route;
        }
        // A command answers it, and a command needs approval.
        if ask == FactQuestion::Machine && settled {
            let query = Some(self.words().to_owned());
            route.intent.params = IntentParams { query, ..IntentParams::default() };
            route.intent.kind = TaskKind::Run;
            route.intent.summary = format!("Run: {}", short(self.words(), MAX_SAID));
            route.scope = TaskScope::Full;
            return route;
        }
        if settled {
            let question = Some(self.words().to_owned());
            route.intent.params = IntentParams {
                question,
                files: std::mem::take(&mut route.intent.params.files),
                ..IntentParams::default()
            };
            route.intent.kind = TaskKind::Explain;
            route.intent.summary = format!("Explain: {}", short(self.words(), MAX_SAID));
            route.scope = TaskScope::Full;
        }
        route
    }

    /// A request whose shape says exactly what is wanted is routed as that, even if the rules are unsure or prefer another intent. Nothing
    /// that the user forbade is made an act.
    async fn about_what_is_exact(&self, mut route: Route) -> Route {
        let words = self.words();
        let is_how_to = matches!(self.fact_question(&route.intent.params), Some(FactQuestion::HowTo(_)));
        // "Show me some examples" asks about Aside, whatever is called so here.
        if route.intent.kind == TaskKind::Help && topics::topic(words).is_some() {
            return route;
        }
        if route.held || is_how_to || split_piped(words).1.is_some() || words.contains('\n') {
            return route;
        }
        let files = std::mem::take(&mut route.intent.params.files);
        let unsure =
            route.scope == TaskScope::Plan && route.intent.confidence < self.state.config().task.confidence_threshold;
        let reads = !matches!(route.intent.kind, TaskKind::Change | TaskKind::Run) || unsure;
        // "Sort the lines of notes.txt" is a change, whichever command sorts lines.
        let is_run = route.intent.kind == TaskKind::Run && route.intent.params.cmd.is_none();
        let is_exact = |edit: &Edit| edit.is_certain() && !matches!(edit, Edit::RemoveDependency(_));
        let (kind, params) = match () {
            // "Describe deploy/a.service" names a file that has a word for a run in its path.
            () if is_run && explains(words) && !(files.is_empty() && named::files(words).is_empty()) => {
                let named = || named::files(words).into_iter().map(str::to_owned).collect();
                let files = if files.is_empty() { named() } else { files };
                (TaskKind::Explain, IntentParams { question: Some(words.to_owned()), files, ..IntentParams::default() })
            }
            () if is_run && exact_edit::readings(&wording::english(words)).iter().any(is_exact) => (
                TaskKind::Change,
                IntentParams { change_request: Some(words.to_owned()), files, ..IntentParams::default() },
            ),
            () if is_run && self.is_exact_here().await => (
                TaskKind::Change,
                IntentParams { change_request: Some(words.to_owned()), files, ..IntentParams::default() },
            ),
            // "Switch to main", "discard my changes in a.py": commands, though the words are like a change or a review.
            () if (matches!(route.intent.kind, TaskKind::Change | TaskKind::Review | TaskKind::Diagnose) || unsure)
                && exact_edit::readings(&wording::english(words)).iter().all(Edit::is_guess)
                && !self.is_exact_here().await
                && !orders::is_restricted(words)
                && self.usual_command().await.is_some_and(orders::acts) =>
            {
                (TaskKind::Run, IntentParams { query: Some(words.to_owned()), files, ..IntentParams::default() })
            }
            () if reads && help_and_status::is_asked(words) => (TaskKind::Status, IntentParams::default()),
            () if reads && self.is_find(words) => {
                (TaskKind::Search, IntentParams { query: Some(words.to_owned()), files, ..IntentParams::default() })
            }
            () if (reads || asks(words)) && target::is_asked(words) => {
                (TaskKind::Review, IntentParams { files, ..IntentParams::default() })
            }
            // "Show the first 5 rows of FILE": what the engine of `? ` answers for certain is a command.
            () if reads
                && value_answers::shows(words)
                && (!matches!(route.intent.kind, TaskKind::Search | TaskKind::Review)
                    || self.usual_command().await.is_some_and(value_answers::prints))
                && !self
                    .fact_question(&IntentParams { files: files.clone(), ..IntentParams::default() })
                    .is_some_and(|ask| ask.is_certain())
                && self.is_usual().await =>
            {
                (TaskKind::Run, IntentParams { query: Some(words.to_owned()), files, ..IntentParams::default() })
            }
            // "Which files are biggest": a command counts or compares, and no text search does.
            () if matches!(route.intent.kind, TaskKind::Search | TaskKind::Status)
                && self.usual_command().await.is_some_and(measures) =>
            {
                (TaskKind::Run, IntentParams { query: Some(words.to_owned()), files, ..IntentParams::default() })
            }
            () if reads && let Some(cmd) = literal_command::asked_output(words) => {
                (TaskKind::Run, IntentParams { cmd: Some(cmd), files, ..IntentParams::default() })
            }
            // A question for a value that a name of the project has, whatever else its words are like.
            () if (unsure && reads
                || route.intent.kind == TaskKind::Status && words.to_lowercase().starts_with("how "))
                && self.fact_question(&IntentParams::default()).is_none()
                && self.value_answer().await.is_ok_and(|found| found.is_some()) =>
            {
                (TaskKind::Explain, IntentParams { question: Some(words.to_owned()), files, ..IntentParams::default() })
            }
            () if unsure && exact_edit::parse(words).is_some() => (
                TaskKind::Change,
                IntentParams { change_request: Some(words.to_owned()), files, ..IntentParams::default() },
            ),
            () if unsure && SpeechActs::of(words).asks_to_act() && self.is_usual().await => {
                (TaskKind::Run, IntentParams { query: Some(words.to_owned()), files, ..IntentParams::default() })
            }
            () => {
                route.intent.params.files = files;
                return route;
            }
        };
        route.intent.summary = format!("{}: {}", kind.label(), short(words, MAX_SAID));
        route.intent.kind = kind;
        route.intent.params = params;
        route.scope = TaskScope::Full;
        route
    }

    /// Whether words ask for things by what they are. A noun alone is weaker than a question that facts answer for certain.
    fn is_find(&self, words: &str) -> bool {
        let is_fact = || self.fact_question(&IntentParams::default()).is_some_and(|ask| ask.is_certain());
        match find::read(words) {
            Some(Find::Select(select::Selection { what: FileSet::Noun(_), .. })) => !is_fact(),
            Some(_) => true,
            None => false,
        }
    }

    /// Whether the words mean the same command on any machine.
    async fn is_usual(&self) -> bool {
        self.usual_command().await.is_some()
    }

    async fn usual_command(&self) -> Option<&str> {
        let look_up = || async {
            let here = MachineFacts::of(&self.state, &self.request.meta, self.workspace.cwd()).await;
            here.usual(self.words()).await.map(|(cmd, _)| cmd)
        };
        self.usual_command.get_or_init(look_up).await.as_deref()
    }

    /// Gathers the context for a model; empty if no model will be asked.
    pub async fn collect(&self, intent: &Intent, scope: TaskScope) -> GatheredContext {
        // An agent reads what it needs by itself.
        if self.agent().is_some() || self.lack().is_some() || !self.needs_files(intent, scope).await {
            return GatheredContext::default();
        }
        let context = self.gather_context(intent).await;
        let files = context.files.iter().map(|file| file.path.clone()).collect();
        let told = event::GatheredFiles { files, bytes: context.bytes() };
        GatheredContext { context, told }
    }

    /// Makes the proposal. The error is a sentence for the user, with one thing to do.
    pub async fn propose(
        &self,
        intent: &Intent,
        scope: TaskScope,
        gathered: &GatheredContext,
        say: TextSink<'_>,
    ) -> Result<RunnerOutcome, String> {
        if self.is_continued() {
            let outcome = self.by_agent(intent, "", say).await?;
            return Ok(self.allowed(outcome, scope));
        }
        // An unsure route would end in a plan, and one without a model says only that it did not understand.
        let unsure = scope == TaskScope::Plan && intent.confidence < 1.0 && self.lack().is_some();
        if (unsure || scope == TaskScope::Full && intent.kind.acts())
            && let Some(outcome) = self.deferred(intent.kind)
        {
            return Ok(outcome);
        }
        if let Some(outcome) = self.follow_up(intent.kind).await {
            return Ok(self.allowed(outcome, scope));
        }
        if scope == TaskScope::Full
            && let Some(outcome) = self.by_grounded(intent).await?
        {
            return Ok(self.allowed(outcome, scope));
        }
        if let Some(outcome) = self.certain_answer(intent.kind).await {
            return Ok(self.allowed(outcome, scope));
        }
        let outcome = self.outcome(intent, scope, gathered, say).await;
        let outcome = self.or_nearest(intent.kind, outcome).await?;
        Ok(self.allowed(as_answer(outcome, intent.kind), scope))
    }

    async fn outcome(
        &self,
        intent: &Intent,
        scope: TaskScope,
        gathered: &GatheredContext,
        say: TextSink<'_>,
    ) -> Result<RunnerOutcome, String> {
        Ok(match (scope, intent.kind) {
            (_, TaskKind::Help) => topics::topic(self.words())
                .unwrap_or_else(|| help_and_status::help(self.words(), &self.state.config().task.prefix)),
            (_, TaskKind::Status) => self.status().await?,
            (TaskScope::Plan, _) => self.plan(intent, gathered, say).await?,
            (TaskScope::Full, TaskKind::Explain) => self.explain(intent, gathered, say).await?,
            (TaskScope::Full, TaskKind::Change) => self.or_grounded(self.change(intent, gathered, say).await).await?,
            (TaskScope::Full, TaskKind::Run) => self.or_grounded(self.run(intent).await).await?,
            (TaskScope::Full, TaskKind::Diagnose) => self.diagnose(intent, gathered, say).await?,
            (TaskScope::Full, TaskKind::Search) => self.search(intent, say).await?,
            (TaskScope::Full, TaskKind::Review) => self.review(intent, gathered, say).await?,
        })
    }

    /// The request without the prefix that addresses Aside.
    fn words(&self) -> &str {
        self.plain.as_deref().unwrap_or_else(|| own_words(&self.request.text, &self.state.config().task.prefix))
    }

    pub fn maker(&self) -> OfferBuilder {
        let (state, request) = (Arc::clone(&self.state), self.request.clone());
        OfferBuilder { state, id: self.id.clone(), request, workspace: self.workspace.clone() }
    }

    fn is_private(&self) -> bool {
        self.request.meta.private || self.state.is_private(&self.request.meta.session)
    }

    /// What a remote user asks for is looked up in texts without their secrets, so that no answer says whether a guess was right.
    fn secrets(&self) -> Secrets {
        match self.request.source {
            RequestSource::LocalUi => Secrets::Included,
            RequestSource::Wecom | RequestSource::Webhook | RequestSource::Relay => Secrets::Masked,
        }
    }

    fn privacy(&self) -> Privacy {
        if self.is_private() { Privacy::Private } else { Privacy::Open }
    }

    /// Why no model is asked; `None` if one is.
    fn lack(&self) -> Option<Lack> {
        let model = model::endpoint(&self.state.config().llm, Purpose::Task, Selection::AsSet);
        match model.map(|_| ()).or(self.agent().map(|_| ())) {
            None => Some(Lack::Unset),
            Some(_) if self.is_private() => Some(Lack::Private),
            Some(_) if !self.request.text.lines().all(|line| self.state.may_leave(line)) => Some(Lack::Ignored),
            Some(_) => None,
        }
    }

    /// Bytes of context that fit beside the conversation.
    async fn room(&self) -> usize {
        self.all_room().saturating_sub(self.conversation().await.bytes()).max(LEAST)
    }

    /// Bytes that the model can read in all. The context size of a server that Aside runs is known; half of it is reserved for the answer.
    fn all_room(&self) -> usize {
        let settings = self.state.config().llm.clone();
        match model::endpoint(&settings, Purpose::Task, Selection::AsSet) {
            Some(endpoint) if endpoint.server.is_kept() => {
                let bytes = usize::try_from(settings.local.context).unwrap_or(usize::MAX).saturating_mul(2);
                bytes.saturating_sub(OVERHEAD).clamp(LEAST, MAX_TOTAL_BYTES)
            }
            Some(_) | None => MAX_TOTAL_BYTES,
        }
    }

    /// Whether files are worth reading for the request. A question about a command needs none.
    async fn needs_files(&self, intent: &Intent, scope: TaskScope) -> bool {
        match intent.kind {
            _ if self.is_known_from_before() => false,
            TaskKind::Help | TaskKind::Status => false,
            TaskKind::Change => true,
            _ if scope == TaskScope::Plan => true,
            TaskKind::Run | TaskKind::Search => false,
            TaskKind::Review => !intent.params.files.is_empty(),
            TaskKind::Diagnose => true,
            TaskKind::Explain => self.explained(intent, agent::ModelAbsence::Silent).await.is_none(),
        }
    }

    /// Finds the command to run, from the project's own files.
    async fn run(&self, intent: &Intent) -> Result<RunnerOutcome, String> {
        let here = MachineFacts::of(&self.state, &self.request.meta, self.workspace.cwd()).await;
        let test_command = self.state.config().task.default_test_command.clone();
        let language = Language::of(self.words());
        if self.fact_question(&intent.params) == Some(FactQuestion::Machine)
            && let Some(outcome) = here.of_machine(&wording::english(self.words()), language).await
        {
            return Ok(outcome);
        }
        let workspace = self.workspace.clone();
        if let Some(outcome) = self.undoes_nothing().await {
            return Ok(outcome);
        }
        if let Some(outcome) = self.is_gone().await? {
            return Ok(outcome);
        }
        if let Some(outcome) = self.project_action(&intent.params, &here).await? {
            return Ok(outcome);
        }
        let asked = self.in_english(&intent.params);
        let params = IntentParams { files: self.files_meant(&asked.files).await?, ..asked };
        let part = self.part_meant().await?;
        let project = blocking(move |_| workspace.project()).await?;
        let of_project = here.command(&params, &test_command, &project, language, part.as_deref()).await.ok_or_else(|| {
            let late = language.pick(
                "The files of the project could not be read in time. Retry, or write the command itself, as in `run make test`.",
                "没能及时读完项目的文件。请重试，或者直接写出命令，例如 `运行 make test`。",
            );
            late.to_owned()
        })?;
        if value_answers::acts(&of_project) {
            return Ok(of_project);
        }
        if intent.params.cmd.is_none()
            && let Some(outcome) = self.of_compose(&here).await?
        {
            return Ok(outcome);
        }
        if let Some(outcome) = self.on_port(&here).await? {
            return Ok(outcome);
        }
        // No target of the project is called so; a file of it may write the command down.
        let documented = if intent.params.cmd.is_none() { self.documented(&here).await? } else { None };
        if let Some(outcome) =
            documented.as_ref().filter(|outcome| value_answers::acts(outcome) || outcome.model == ModelNeed::Unneeded)
        {
            return Ok(outcome.clone());
        }
        // The project has no such command; it may be one that every machine has. A named file to run is not.
        let is_run_of_file = !intent.params.files.is_empty() && literal_command::rest(self.words()).is_some();
        let may_be_usual = of_project.model == ModelNeed::Better && !orders::is_restricted(self.words())
            || value_answers::shows(self.words());
        let located = with_paths(self.words(), &intent.params.files, &params.files);
        if may_be_usual
            && !is_run_of_file
            && let Some(usual) = here.certain_command(&located, language).await
        {
            return Ok(usual);
        }
        // That a program is missing says more than a list of commands that nearly fit.
        Ok(documented.filter(|_| of_project.model == ModelNeed::Better).unwrap_or(of_project))
    }

    async fn status(&self) -> Result<RunnerOutcome, String> {
        let workspace = self.workspace.clone();
        let git = blocking(move |_| workspace.git()).await?;
        let told = git.text.clone();
        let settings = self.state.config();
        let model = model::endpoint(&settings.llm, Purpose::Task, Selection::AsSet);
        let model = model.map(|endpoint| {
            if endpoint.model.is_empty() { endpoint.server.provider.name().to_owned() } else { endpoint.model }
        });
        let servers = self.state.models().status(&settings.llm);
        let serves = |server: &&aside_proto::ModelStatus| server.uses.iter().any(|usage| usage.usage == "task");
        let trouble = servers.iter().find(serves).filter(|server| server.state == "resting");
        // A chat sees only the tasks that its own user requested there.
        let thread = if self.request.source == RequestSource::LocalUi { "" } else { self.request.thread_id.as_str() };
        let mut tasks = self.state.tasks().list(&self.state, &SearchedWords::default(), thread, MAX_TASKS).await;
        if self.request.source != RequestSource::LocalUi {
            let user = self.request.from_user.as_deref().unwrap_or_default();
            tasks.retain(|brief| brief.source == self.request.source.name() && brief.from_user == user);
        }
        let language = Language::of(self.words());
        // A chat has no directory of its own, and a question about tasks means all of them.
        let asks_for_tasks = fact_answers::is_about_tasks(self.words());
        let is_here = |brief: &TaskBrief| {
            asks_for_tasks
                || self.request.source != RequestSource::LocalUi
                || brief.workspace.is_empty()
                || std::path::Path::new(&brief.workspace).starts_with(self.workspace.root())
        };
        // Requests for the status are not listed themselves.
        let of = |states: &[&str]| -> Vec<(String, String)> {
            tasks
                .iter()
                .filter(|brief| states.contains(&brief.state.as_str()) && brief.kind != "status" && is_here(brief))
                .map(|brief| (brief.task_id.clone(), text_answers::about(brief, self.workspace.root(), language)))
                .collect()
        };
        let open = |brief: &&TaskBrief| {
            !["COMPLETED", "FAILED", "REJECTED"].contains(&brief.state.as_str()) && brief.kind != "status"
        };
        let elsewhere = tasks.iter().filter(open).filter(|brief| !is_here(brief)).count();
        let rests = |seconds: u64| match language {
            Language::English => format!("it is left alone for {seconds} s"),
            Language::Chinese => format!("{seconds} 秒内不再询问"),
        };
        let workspace = self.workspace.clone();
        let repository = match self.workspace.has_repository() {
            true => blocking(move |_| repository_answers::summary(&workspace, language)).await?,
            false => Vec::new(),
        };
        let status = help_and_status::WorkspaceStatus {
            workspace: self.workspace.root().display().to_string(),
            branch: git.branch,
            changed: git.changed.iter().map(|path| help_and_status::changed(path, &told)).collect(),
            remote: help_and_status::remote(&told, language),
            repository,
            model: model.unwrap_or_default(),
            trouble: trouble.map(|server| rests(server.rests_s)).unwrap_or_default(),
            waiting: of(&["WAITING_APPROVAL"]),
            running: of(&["RECEIVED", "ROUTED", "CONTEXT_COLLECTED", "PROPOSING", "PROPOSAL_READY", "EXECUTING"]),
            ended: of(&["COMPLETED", "FAILED", "REJECTED"]),
            elsewhere,
        };
        if remote_branch::is_asked(self.words()) {
            let workspace = self.workspace.clone();
            return blocking(move |_| remote_branch::compared(&workspace, &told, language)).await;
        }
        if asks_for_tasks {
            return Ok(help_and_status::waiting(self.words(), &status));
        }
        Ok(help_and_status::status(self.words(), &status))
    }

    /// Applies the settings and the scope to a proposal: one that may not be carried out is described in words instead.
    fn allowed(&self, outcome: RunnerOutcome, scope: TaskScope) -> RunnerOutcome {
        let mut outcome = self.not_yet(outcome);
        let settings = self.state.config();
        let language = Language::of(self.words());
        // A command of ours for other words is not what the user wrote.
        if let Proposal::Command { reason: Some(reason), .. } = &mut outcome.proposal
            && self.plain.is_some()
            && AS_WRITTEN.contains(&reason.as_str())
        {
            *reason = language.pick("This is the command for that.", "这是做这件事的命令。").to_owned();
        }
        // The user who approves has not written it.
        if let Proposal::Command { reason: Some(reason), .. } = &mut outcome.proposal
            && self.request.source != RequestSource::LocalUi
            && AS_WRITTEN.contains(&reason.as_str())
        {
            let by = self.request.from_user.as_deref().unwrap_or("a remote user");
            *reason = match language {
                Language::English => format!("It is what {by} wrote."),
                Language::Chinese => format!("这是 {by} 写的命令。"),
            };
        }
        let note = match &outcome.proposal {
            Proposal::Plan { .. } | Proposal::Answer { .. } | Proposal::SearchResults { .. } => return outcome,
            Proposal::Diff { .. } | Proposal::Command { .. } if scope == TaskScope::Plan => {
                language.pick("Only a plan was wanted.", "只要求了计划。")
            }
            Proposal::Diff { .. } if !settings.task.allow_apply_patch => language.pick(
                "Nothing can be written: the settings say task.allow_apply_patch = false.",
                "不能写入：设置里是 task.allow_apply_patch = false。",
            ),
            Proposal::Command { .. } if !settings.task.allow_run_terminal => language.pick(
                "Nothing can be run: the settings say task.allow_run_terminal = false.",
                "不能运行：设置里是 task.allow_run_terminal = false。",
            ),
            Proposal::Diff { .. } | Proposal::Command { .. } => "",
        };
        if let Proposal::Command { confine, .. } = &mut outcome.proposal
            && settings.task.confine == config::Confine::Workspace
        {
            *confine = WriteConfinement::Workspace;
        }
        if note.is_empty() {
            return outcome;
        }
        let told = match &outcome.proposal {
            Proposal::Diff { unified_diff, .. } => fenced("diff", unified_diff),
            Proposal::Command { cmd, reason, .. } => {
                format!("{}\n{}", reason.as_deref().unwrap_or_default(), fenced("sh", cmd))
            }
            Proposal::Plan { .. } | Proposal::Answer { .. } | Proposal::SearchResults { .. } => String::new(),
        };
        let words = if outcome.details.is_empty() { String::new() } else { format!("{}\n\n", outcome.details) };
        outcome.proposal = Proposal::Plan { text: format!("{words}{told}\n{note}\n") };
        outcome.details = String::new();
        outcome
    }
}

/// A request with the paths of its files: a command takes `src/api/client.ts`, where the user says `client.ts`.
fn with_paths(words: &str, named: &[String], meant: &[String]) -> String {
    let path = |word: &str| named.iter().zip(meant).find(|(name, _)| *name == word).map(|(_, path)| path.as_str());
    words.split(' ').map(|word| path(word).unwrap_or(word)).collect::<Vec<_>>().join(" ")
}

/// A request without the prefix that addresses Aside.
fn own_words<'a>(text: &'a str, prefix: &str) -> &'a str {
    let text = text.trim();
    let behind = text.get(..prefix.len()).filter(|head| !prefix.is_empty() && head.eq_ignore_ascii_case(prefix));
    let rest =
        behind.and_then(|_| text.get(prefix.len()..)).map(|rest| rest.trim_start_matches([':', ',', '，', '：']));
    rest.filter(|rest| rest.starts_with(char::is_whitespace)).map_or(text, str::trim)
}

/// Joins a text into one line, for a place that has room for only one.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

impl Lack {
    /// What happened and one thing to do, in the language of the request.
    fn told(self, request: &str) -> String {
        let language = Language::of(request);
        match (self, language) {
            (Lack::Unset, language) => language.says(Message::Beyond(agent::ModelAbsence::Unset)),
            (Lack::Private, Language::English) => {
                "This needs a model, and none was asked, since this is private. Ask again where it is not.".to_owned()
            }
            (Lack::Private, Language::Chinese) => {
                "这需要模型，但这里是私密的，所以没有询问。请在非私密的地方再问一次。".to_owned()
            }
            (Lack::Ignored, Language::English) => {
                "This needs a model, and none was asked, since history.ignore matches the request. Ask in other words."
                    .to_owned()
            }
            (Lack::Ignored, Language::Chinese) => {
                "这需要模型，但请求符合 history.ignore，所以没有询问。请换一种说法。".to_owned()
            }
        }
    }

    fn model(self) -> agent::ModelAbsence {
        match self {
            Lack::Unset => agent::ModelAbsence::Unset,
            Lack::Private | Lack::Ignored => agent::ModelAbsence::Silent,
        }
    }
}

fn by_rules(text: &str, options: &RouteOptions<'_>) -> Route {
    match route::route(text, options) {
        Routed::Task(route) => route,
        // A request to apply an existing proposal was answered before the task was created.
        Routed::Apply { .. } => match route::route(&format!("{} status", options.prefix), options) {
            Routed::Task(route) => route,
            Routed::Apply { .. } => unreachable!("that is the status"),
        },
    }
}

fn answer(text: String, summary: impl Into<String>, details: String, model: ModelNeed) -> RunnerOutcome {
    RunnerOutcome { proposal: Proposal::Answer { text }, summary: summary.into(), details, model }
}

/// Runs work on a blocking thread. Dropping the future sets its cancellation flag.
async fn blocking<T: Send + 'static>(work: impl FnOnce(&AtomicBool) -> T + Send + 'static) -> Result<T, String> {
    struct Stop(Arc<AtomicBool>);
    impl Drop for Stop {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let cancelled = Arc::new(AtomicBool::new(false));
    let _stop = Stop(Arc::clone(&cancelled));
    let done = tokio::task::spawn_blocking(move || work(&cancelled)).await;
    done.map_err(|error| format!("Looking at the workspace went wrong ({error}). Retry it."))
}
