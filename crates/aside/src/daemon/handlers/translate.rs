//! Handles `translate`: finds the command for a query. The embedded engine replies at once where it is sure; otherwise a configured model
//! is asked too, and the likelier answer is ranked first. Runs no command, and never blocks a keystroke.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use aside_commands::shell_names::ShellNames;
use aside_commands::spec::Specs;
use aside_commands::world::World;
use aside_core::agent::language::Language;
use aside_model_output as model_output;
use aside_proto::Reply;
use aside_proto::query::{ReplyStage, TranslateParams, TranslateResult, WireProposal as Offer};
use aside_translate::arbiter;
use aside_translate::facts::{self, PromptFacts};
use aside_translate::offer::{last, missing_program, offers};
use aside_translate::prompt::{self, AnswerFormat};
use aside_translate::reader;
use aside_translate::{Completeness, Proposal, ProposalSource, ToolFlavor, TranslateContext, TranslateQuery, embedded};
use shell_line::Dialect;
use tokio::sync::oneshot;

use crate::config;
use crate::daemon::blocking_io;
use crate::daemon::model::{self, Purpose};
use crate::daemon::pending_queries::{CacheKey, LastAnswer, ModelUsage, NormalizedQuery, PendingQueries};
use crate::daemon::reader::Reader;
use crate::daemon::state::{SessionRef, State};
use crate::daemon::updates::{ReplyMode, Updates};
use crate::provider::http_exchange::FinishReason;
use crate::provider::{Format, ModelReply, Privacy, Question, Selection};
use crate::text_work::{self, Unread};
use crate::touched_files;
use crate::world::system::looked_up;
use crate::world::{Environment, MachineView};

/// Commands that a shell shows.
const SHOWN: usize = 3;
/// Cap on the commands of a reply.
const MAX_LIMIT: usize = 10;
/// How long the lookups that the answer depends on may take.
const LOOK_UP: Duration = Duration::from_millis(300);
/// Recent commands for the model; the prompt uses fewer.
const RECENT: usize = 20;
/// Above `LONG` bytes, a growing answer is parsed only now and then: parsing takes at most one part in `RARELY` of the time.
const LONG: usize = 4096;
const RARELY: u32 = 10;
/// Extra tokens for a model that reasons before it answers.
const THOUGHTS: u32 = 1024;
/// Characters of a query; anything longer was pasted.
const MAX_QUERY: usize = prompt::MAX_WISH;

pub async fn handle(state: &Arc<State>, asked: TranslateParams, privacy: Privacy, updates: &Updates) -> Reply {
    let config = state.config();
    let mode = updates.mode();
    let length = asked.query.trim().chars().count();
    // A client that reads a single reply, or whose user has pressed Enter, has finished the query.
    let is_writing = mode == ReplyMode::Stream && !asked.now;
    if is_writing && config.llm.natural_language {
        Reader::warm(state);
    }
    let is_short = length == 0 || is_writing && length < config.llm.nl_min_query_length;
    if is_short {
        return reply(TranslateResult::none(""));
    }
    if mode == ReplyMode::Stream && !config.llm.natural_language {
        return reply(TranslateResult::none(
            "requests at the prompt are off; aside config set llm.natural_language true",
        ));
    }
    if length > MAX_QUERY {
        return reply(TranslateResult::none(format!("a request may have {MAX_QUERY} characters; shorten it")));
    }
    let pause = match mode {
        ReplyMode::Stream if !asked.now => Duration::from_millis(config.llm.nl_debounce_ms),
        ReplyMode::Stream | ReplyMode::Single => Duration::ZERO,
    };
    let who = if asked.session.is_empty() { updates.who() } else { asked.session.clone() };
    let is_foreign = asked.is_foreign;
    let request = TranslateRequest::new(state, asked, privacy, who.clone());
    let (sender, first) = oneshot::channel();
    let sink = Arc::new(SuggestionSink { mode, first: Mutex::new(Some(sender)), updates: updates.clone() });
    let thinking = async move {
        let given_up = GivenUp(Arc::clone(&sink));
        if text_work::apart(text_work::UNKNOWN, async move { request.think(pause, &sink).await }).await.is_err() {
            given_up.0.send(TranslateResult::none(Unread.to_string()));
        }
    };
    let hold = PendingQueries::think(state, who, thinking);
    updates.hold_work(hold);
    // A cancelled query has no answer, but its request still needs a reply.
    let mut suggestion = first.await.unwrap_or_else(|_| TranslateResult::none(""));
    if is_foreign {
        suggestion.proposals.iter_mut().for_each(describe_harm);
    }
    reply(suggestion)
}

/// Puts the warning into the description, for clients that do not show it elsewhere.
fn describe_harm(offer: &mut Offer) {
    let Offer { warning, description, .. } = offer;
    if !warning.is_empty() {
        *description = if description.is_empty() { warning.clone() } else { format!("{warning}; {description}") };
    }
}

fn reply(suggestion: TranslateResult) -> Reply {
    Reply::Translate(Box::new(suggestion))
}

/// Sends suggestions, as often as the client accepts updates.
struct SuggestionSink {
    mode: ReplyMode,
    first: Mutex<Option<oneshot::Sender<TranslateResult>>>,
    updates: Updates,
}

/// Ends the wait for a first reply that will not be sent any more, even if the thread that reads the query still holds the sink.
struct GivenUp(Arc<SuggestionSink>);

impl Drop for GivenUp {
    fn drop(&mut self) {
        drop(self.0.first.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

impl SuggestionSink {
    fn send(&self, suggestion: TranslateResult) {
        if self.mode == ReplyMode::Single && suggestion.state != ReplyStage::Done {
            return;
        }
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner).take();
        match first {
            Some(first) => drop(first.send(suggestion)),
            None => self.updates.send(reply(suggestion)),
        }
    }
}

/// A query and its context while the answer is being found.
struct TranslateRequest {
    state: Arc<State>,
    asked: TranslateParams,
    privacy: Privacy,
    who: String,
    names: Arc<ShellNames>,
    dialect: Dialect,
    view: MachineView,
    /// Whether the tools are GNU, BSD or BusyBox, and the name of the operating system.
    looked_up: OnceLock<(ToolFlavor, &'static str)>,
    limit: usize,
    /// When the work began, without the debounce delay.
    since: OnceLock<Instant>,
    /// The requests that this one changes, once that is known.
    changes: OnceLock<Vec<String>>,
}

impl TranslateRequest {
    fn new(state: &Arc<State>, asked: TranslateParams, privacy: Privacy, who: String) -> Self {
        let asker = SessionRef { session: &asked.session, shell: &asked.shell, wait: asked.wait };
        let (mut names, dialect) = state.shell(asker);
        if !asked.env_hints.is_empty() {
            // The client's own environment takes precedence over what another shell reported.
            let path = names.path.as_deref().map_or_else(|| Environment::own().path.to_string(), str::to_owned);
            Arc::make_mut(&mut names).path = Some(facts::search_path(&asked.env_hints, &path).into());
        }
        let view = state.view(&names);
        let limit = match asked.limit {
            0 => SHOWN,
            limit => usize::try_from(limit).map_or(MAX_LIMIT, |limit| limit.min(MAX_LIMIT)),
        };
        let (looked_up, since, changes) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let state = Arc::clone(state);
        Self { state, asked, privacy, who, names, dialect, view, looked_up, limit, since, changes }
    }

    async fn think(&self, pause: Duration, sink: &SuggestionSink) {
        self.look_around();
        if !pause.is_zero() {
            sink.send(TranslateResult::sign(ReplyStage::Waiting));
            tokio::time::sleep(pause).await;
        }
        let _ = self.since.set(Instant::now());
        let _ = self.looked_up.set(looked_up(self.view.path()).await);
        match self.endpoint() {
            Some(_) if !self.state.may_leave(&self.asked.query) => {
                sink.send(self.known(sink, "history.ignore matches, so no model was asked").await);
            }
            Some(_) if self.is_private() => {
                sink.send(self.known(sink, "private, so no model was asked").await);
            }
            Some(model) => self.ask(&model, sink).await,
            // A user who configured an address expects answers from there.
            None => {
                let excuse = self.state.config().llm.unused_excuse(&self.asked.provider);
                sink.send(self.known(sink, &excuse).await);
            }
        }
    }

    /// Starts the lookups that will be needed, while the user may still be typing.
    fn look_around(&self) {
        let cwd = &self.asked.cwd;
        self.view.entries(cwd);
        self.view.programs();
        self.view.repository(cwd);
    }

    /// Says beside each command over many files what it would touch now.
    async fn counted(&self, mut result: TranslateResult) -> TranslateResult {
        let language = Language::of(&self.asked.query);
        let (cwd, path, home) = (self.asked.cwd.clone(), self.view.path().to_owned(), self.view.home().to_owned());
        let (dialect, mut proposals) = (self.dialect, result.proposals.clone());
        let look = move || {
            touched_files::describe(
                &mut proposals,
                dialect,
                &touched_files::Place { cwd: &cwd, path: &path, home: &home },
                language,
            );
            proposals
        };
        if result.proposals.iter().any(|offer| touched_files::is_of_many(offer, self.dialect))
            && let Ok(described) = blocking_io::run(&self.asked.cwd, look).await
        {
            result.proposals = described;
        }
        result
    }

    /// Gives the embedded answer, after the lookups that it depends on.
    async fn known(&self, sink: &SuggestionSink, excuse: &str) -> TranslateResult {
        let mut known = self.embedded();
        self.settle(sink, ReplyStage::Waiting).await;
        if self.view.take_news() {
            known = self.embedded();
        }
        let known = self.with_reader(known, sink).await;
        self.note(None);
        self.counted(self.last(&known, excuse)).await
    }

    /// The answers of the rules where they have one, otherwise those of the reader before what the rules think is close.
    async fn with_reader(&self, known: Vec<Proposal>, sink: &SuggestionSink) -> Vec<Proposal> {
        let is_known = known.first().is_some_and(|best| best.nearness == Completeness::Answer);
        if is_known || !self.state.config().llm.reader {
            return known;
        }
        let Some(prompt) = reader::prompt(&self.asked.query) else {
            return known;
        };
        let key = self.key_of("reader");
        let proposals = match self.state.pending_queries().recall(&key) {
            Some(proposals) => proposals,
            None => {
                sink.send(TranslateResult::sign(ReplyStage::Thinking));
                let answers = Reader::ask(&self.state, &prompt).await;
                let specs = self.state.specs();
                let query = TranslateQuery { words: &self.asked.query, place: self.place(&specs), limit: self.limit };
                let proposals: Arc<[Proposal]> = reader::proposals(&query, &answers).into();
                if !answers.is_empty() {
                    self.state.pending_queries().remember(key, Arc::clone(&proposals));
                }
                proposals
            }
        };
        match proposals.first().map(|best| best.nearness) {
            Some(Completeness::Answer) => [proposals.as_ref(), &known].concat(),
            Some(Completeness::Closest) | None => [&known, proposals.as_ref()].concat(),
        }
    }

    /// Waits for the lookups, and sends a progress reply if they take more than a moment.
    async fn settle(&self, sink: &SuggestionSink, sign: ReplyStage) {
        self.view.settled_briefly().await;
        if self.view.waits() {
            sink.send(TranslateResult::sign(sign));
            self.view.settled(LOOK_UP).await;
        }
    }

    /// Gives the embedded answer at once if it is sure, otherwise the likelier of that and the model's answer.
    async fn ask(&self, model: &config::endpoint::Endpoint, sink: &SuggestionSink) {
        self.embedded();
        self.settle(sink, ReplyStage::Thinking).await;
        let known = self.embedded();
        let name = ModelUsage::remembered(model).name();
        self.state.pending_queries().begin(&self.state, &name);
        let is_sure = self.asked.besides.is_empty()
            && self.asked.provider.is_empty()
            && arbiter::is_sure(&known, self.state.pending_queries().trust(&name));
        // A client that reads a single reply and wants several commands waits for the model too.
        let says_now = is_sure && (sink.mode == ReplyMode::Stream || self.limit == 1);
        if says_now {
            self.note(None);
            sink.send(self.counted(self.last(&known, "")).await);
            if sink.mode == ReplyMode::Single || self.state.config().llm.nl_ask == config::Ask::Unsure {
                return;
            }
        }
        let key = self.key(model);
        // Commands that the model gave earlier but that were never shown are used when the user wants others.
        let unseen = || {
            let first = self.state.pending_queries().recall(&CacheKey { besides: String::new(), ..key.clone() })?;
            (!self.offers(&first).is_empty()).then_some(first)
        };
        if let Some(thoughts) = self.state.pending_queries().recall(&key).or_else(unseen) {
            if !says_now {
                self.note(Some(ModelUsage::remembered(model)));
                sink.send(self.counted(self.judged(&thoughts, &known, &name)).await);
            }
            return;
        }
        if !says_now {
            sink.send(TranslateResult::sign(ReplyStage::Thinking));
        }
        let heard =
            model::ask(&self.state, Purpose::Translate, &self.question(&known), self.hear(sink, says_now)).await;
        let known = self.embedded();
        let excuse = match heard {
            Ok(said) => {
                let thoughts = self.thoughts(&said);
                // Unusable answers are not cached: the next attempt may be usable.
                if !self.offers(&thoughts).is_empty() {
                    if !says_now {
                        self.note(Some(ModelUsage::now(said)));
                        sink.send(self.counted(self.judged(&thoughts, &known, &name)).await);
                    }
                    self.state.pending_queries().learn(&name, |trust| trust.compare(&known, &thoughts, self.dialect));
                    return self.state.pending_queries().remember(key, thoughts.into());
                }
                "the model has no usable answer".to_owned()
            }
            Err(failure) => self.state.pending_queries().excuse(&self.who, &failure),
        };
        if !says_now {
            let known = self.with_reader(known, sink).await;
            self.note(None);
            sink.send(self.counted(self.last(&known, &excuse)).await);
        }
    }

    /// Ranks the likelier answers first; a model that was named in the request itself always comes first.
    fn judged(&self, thoughts: &[Proposal], known: &[Proposal], name: &str) -> TranslateResult {
        let ranked = match self.asked.provider.as_str() {
            "" => arbiter::rank(known, thoughts, self.state.pending_queries().trust(name), self.dialect),
            _ => [thoughts, known].concat(),
        };
        self.last(&ranked, "")
    }

    /// Shows the streamed answer as soon as it is a command that would do no harm if the stream ended here.
    fn hear<'a>(&'a self, sink: &'a SuggestionSink, is_answered: bool) -> impl FnMut(&str) -> ControlFlow<()> + 'a {
        let (mut shown, mut looked, mut rest) = (String::new(), Instant::now(), Duration::ZERO);
        move |text| {
            // The whole text is parsed again each time, so a model that streams a long text slowly must not use up the CPU.
            if text.len() > LONG && looked.elapsed() < rest {
                return ControlFlow::Continue(());
            }
            let begin = Instant::now();
            let partial = model_output::partial(text, self.dialect).filter(|command| !is_answered && *command != shown);
            if let Some(command) = partial {
                let offers = self.offers(&[thought(command.clone(), 0)]);
                if offers.iter().any(|offer| offer.warning.is_empty()) {
                    sink.send(TranslateResult { state: ReplyStage::Partial, note: String::new(), proposals: offers });
                    shown = command;
                }
            }
            // Some models do not stop.
            let is_enough = model_output::commands(text, self.dialect).len() > self.limit;
            rest = begin.elapsed() * RARELY;
            looked = Instant::now();
            if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }

    /// The commands of all its answers, without duplicates.
    fn thoughts(&self, said: &ModelReply) -> Vec<Proposal> {
        let mut commands: Vec<String> = Vec::new();
        // A truncated command would mean something else.
        let whole = match said.end {
            FinishReason::Whole => said.text.as_str(),
            FinishReason::Cut => said.text.rsplit_once('\n').map_or("", |(whole, _)| whole),
        };
        for text in std::iter::once(whole).chain(said.others.iter().map(String::as_str)) {
            // The last of too many commands is truncated as well, since the stream was cut off.
            for command in model_output::commands(text, self.dialect).into_iter().take(self.limit) {
                if !commands.contains(&command) {
                    commands.push(command);
                }
            }
        }
        commands.into_iter().enumerate().map(|(place, command)| thought(command, place)).collect()
    }

    /// Records the answer, for a later `outcome`.
    fn note(&self, model: Option<ModelUsage>) {
        let took = self.since.get().map(Instant::elapsed).unwrap_or_default();
        let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let changes = self.changes.get().cloned().unwrap_or_default();
        let answer = LastAnswer { query: self.asked.query.clone(), ms, model, changes };
        self.state.pending_queries().answered(&self.who, answer);
    }

    fn question(&self, known: &[Proposal]) -> Question {
        let specs = self.state.specs();
        let (_, os) = self.looked_up.get().copied().unwrap_or_default();
        let facts = PromptFacts {
            environment: facts::activated(&self.asked.env_hints),
            ..PromptFacts::of(&self.place(&specs), os, &self.recent())
        };
        let prompt = match self.besides().as_slice() {
            [] => {
                let hints = arbiter::hints(known);
                prompt::hinted(&self.asked.query, &hints, &facts, self.limit, AnswerFormat::List)
            }
            shown => prompt::alternatives(&self.asked.query, shown, &facts, self.limit, AnswerFormat::List),
        };
        Question {
            max_tokens: prompt::most_tokens(self.limit) + THOUGHTS,
            stop: prompt::STOPS.map(str::to_owned).to_vec(),
            format: Format::Grammar(prompt::grammar(self.limit)),
            privacy: self.privacy,
            session: self.asked.session.clone(),
            selection: self.provider().unwrap_or(Selection::AsSet),
            ..Question::new(prompt.system.to_owned(), prompt.user())
        }
    }

    /// Recent commands that may be sent to a model, oldest first.
    fn recent(&self) -> Vec<String> {
        let Some(filter) = self.state.filter() else { return Vec::new() };
        let mut recent = match self.asked.recent_commands.as_slice() {
            [] => self.state.recent(&self.asked.cwd, RECENT),
            told => told.to_vec(),
        };
        recent.retain(|command| filter.keeps(command));
        recent
    }

    fn is_private(&self) -> bool {
        self.privacy == Privacy::Private
    }

    /// The model to ask; `None` when the embedded engine answers.
    fn endpoint(&self) -> Option<config::endpoint::Endpoint> {
        model::endpoint(&self.state.config().llm, Purpose::Translate, self.provider()?)
    }

    /// The provider named in the request, else the configured one; `None` if the name is unknown.
    fn provider(&self) -> Option<Selection> {
        match self.asked.provider.as_str() {
            "" => Some(Selection::AsSet),
            name => config::Provider::named(name).map(Selection::Named),
        }
    }

    fn key(&self, model: &config::endpoint::Endpoint) -> CacheKey {
        let config::endpoint::Endpoint { server, model } = model;
        self.key_of(&format!("{} {} {model}", server.provider.name(), server.base_url))
    }

    fn key_of(&self, model: &str) -> CacheKey {
        CacheKey {
            query: NormalizedQuery::of(&self.asked.query),
            cwd: self.asked.cwd.clone(),
            system: self.system(),
            dialect: self.dialect,
            path: self.view.path().to_owned(),
            model: model.to_owned(),
            project: facts::project(&self.place(&self.state.specs())),
            environment: facts::activated(&self.asked.env_hints),
            besides: self.asked.besides.clone(),
        }
    }

    fn embedded(&self) -> Vec<Proposal> {
        let specs = self.state.specs();
        let place = self.place(&specs);
        let query = TranslateQuery { words: &self.asked.query, place, limit: self.limit };
        let before = self.state.pending_queries().entered(&self.who, &self.asked.query);
        let followed = embedded::follow_up(&query, &before);
        let changes = if followed.is_some() { before } else { Vec::new() };
        if self.asked.now {
            self.state.pending_queries().enter(&self.who, &self.asked.query, changes.clone());
        }
        let _ = self.changes.set(changes);
        followed.unwrap_or_else(|| embedded::answer(&query))
    }

    fn not_understood(&self) -> Option<String> {
        let specs = self.state.specs();
        embedded::not_understood(&TranslateQuery {
            words: &self.asked.query,
            place: self.place(&specs),
            limit: self.limit,
        })
    }

    fn missing_program(&self) -> Option<String> {
        // Where there were others before, it is no program that lacks.
        if !self.asked.besides.is_empty() {
            return None;
        }
        let specs = self.state.specs();
        let query = TranslateQuery { words: &self.asked.query, place: self.place(&specs), limit: self.limit };
        missing_program(&query, &self.state.config().security.command_blocklist)
    }

    fn offers(&self, ranked: &[Proposal]) -> Vec<Offer> {
        let specs = self.state.specs();
        let blocklist = &self.state.config().security.command_blocklist;
        let besides = self.besides();
        let is_other = |proposal: &&Proposal| !besides.contains(&proposal.command);
        let mut offers = offers(ranked.iter().filter(is_other), &self.place(&specs), blocklist, self.limit);
        Language::of(&self.asked.query).speak(&mut offers);
        offers
    }

    fn last(&self, ranked: &[Proposal], excuse: &str) -> TranslateResult {
        let unknown = if ranked.is_empty() { self.not_understood() } else { None };
        let offers = self.offers(ranked);
        let missing = if offers.is_empty() && excuse.is_empty() { self.missing_program() } else { None };
        let suggestion = last(offers, missing.as_deref().unwrap_or(excuse), &self.asked.query, unknown.as_deref());
        TranslateResult { note: Language::of(&self.asked.query).notes(&suggestion.note), ..suggestion }
    }

    /// The commands that are shown already, when the user asks for others.
    fn besides(&self) -> Vec<String> {
        self.asked.besides.lines().map(str::to_owned).collect()
    }

    fn system(&self) -> ToolFlavor {
        self.looked_up.get().copied().unwrap_or_default().0
    }

    fn place<'a>(&'a self, specs: &'a Specs) -> TranslateContext<'a> {
        TranslateContext {
            cwd: &self.asked.cwd,
            dialect: self.dialect,
            system: self.system(),
            world: &self.view,
            names: &self.names,
            specs,
        }
    }
}

/// Models list the best command first, so the confidence falls with the position.
fn thought(command: String, place: usize) -> Proposal {
    let confidence = (0.9 - 0.1 * f32::from(u8::try_from(place).unwrap_or(u8::MAX))).max(0.1);
    Proposal { command, source: ProposalSource::Llm, confidence, about: String::new(), nearness: Completeness::Answer }
}

impl ModelUsage {
    fn now(said: ModelReply) -> Self {
        let ModelReply { text: _, others: _, end: _, tokens_in, tokens_out, ms: _, provider, model } = said;
        Self { provider: provider.to_owned(), model, tokens_in, tokens_out }
    }

    /// A cached answer costs no tokens.
    fn remembered(model: &config::endpoint::Endpoint) -> Self {
        let config::endpoint::Endpoint { server, model } = model;
        Self { provider: server.provider.name().to_owned(), model: model.clone(), tokens_in: None, tokens_out: None }
    }
}
