//! Asks a model for the next command after one has ended: whether to ask, what to send, and a cache of recent answers. No prompt waits for
//! it, and failures are shown in `aside doctor` only. Whether an idea may be shown is checked each time.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use aside_commands::shell_names::ShellNames;
use aside_commands::spec::Specs;
use aside_commands::world::{LiveKind, World};
use aside_core::suggest::prompt::{
    MAX_TOKENS, NumberedRun, PromptBudget, STOPS, SuggestPrompt, SuggestPromptInput, is_worth_asking, prompt,
};
use aside_core::suggest::{EarlierRun, EndedRun, SuggestContext, Suggestion, model_reply, worth_asking};
use aside_proto::command_ended;
use aside_translate::check::blocked;
use shell_line::Dialect;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::config::{Llm, Provider};
use crate::daemon::model::{self as door, Purpose};
use crate::daemon::state::{SessionRef, State};
use crate::daemon::ttl_cache::TtlCache;
use crate::provider::http_exchange::FinishReason;
use crate::provider::{self, Privacy, Selection};
use crate::text_work;
use crate::world::MachineView;

/// How long the lookups that check an idea may take.
const LOOK_UP: Duration = Duration::from_millis(300);
/// Cap on the bytes of an answer including its reasoning; a longer answer holds no command.
const MAX_HEARD: usize = 8 * 1024;
/// Size and TTL (in seconds) of the cache: the session's context changes soon.
const MAX_REMEMBERED: usize = 64;
const REMEMBERED_FOR: u64 = 60;
/// Cap on requests in progress. Shells with an equal `Key` share one.
const MAX_UNDER_WAY: usize = 64;

/// A command that has ended, and the shell that it ran in.
pub struct EndedCommand {
    pub session: String,
    /// The dialect for an unknown session.
    pub shell: String,
    /// Where the next command would run.
    pub cwd: String,
    pub command: String,
    pub exit: i32,
    /// As it was on the screen; `None` if it was not captured.
    pub output: Option<String>,
    /// The session's earlier commands outside private mode, oldest first, without this one.
    pub previous: Vec<command_ended::RecalledCommand>,
    /// The commands that are sent to a model, numbered among such commands of the session.
    pub worth: Vec<(i64, command_ended::RecalledCommand)>,
    pub privacy: Privacy,
}

#[derive(Default)]
pub struct SuggestModel {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    under_way: HashMap<Key, UnderWay>,
    /// The raw answers, before they are checked.
    remembered: TtlCache<Key, Arc<str>, MAX_REMEMBERED, REMEMBERED_FOR>,
    /// The settings under which the answers were given.
    settings: Option<Llm>,
    number: u64,
}

/// Identifies equal requests. Earlier commands are sent but not compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    command: String,
    exit: i32,
    cwd: String,
    shell: &'static str,
    output: u64,
}

struct UnderWay {
    number: u64,
    said: watch::Receiver<Heard>,
    waiting: usize,
    task: AbortHandle,
}

#[derive(Clone, Debug, Default)]
enum Heard {
    #[default]
    NotYet,
    /// `None` if the request failed.
    All(Option<Arc<str>>),
}

/// A caller waiting for an answer. When the last is dropped, the request is cancelled.
struct Waiting {
    state: Arc<State>,
    key: Key,
    number: u64,
}

/// Returns a command to review, if a model may be asked and gives one that may be shown. Dropping the future cancels the request, down to
/// the connection, unless another caller waits for the same.
pub async fn suggest(state: &Arc<State>, question: EndedCommand) -> Option<Suggestion> {
    let config = state.config();
    let may_ask = config.suggest.model
        && question.privacy == Privacy::Open
        && !state.is_private(&question.session)
        && door::endpoint(&config.llm, Purpose::Suggest, Selection::AsSet).is_some()
        && state.models().is_quick()
        && may_be_told(state, &question.command);
    if !may_ask {
        return None;
    }
    let request = Arc::new(ModelRequest::new(state, question));
    if !request.is_worth_asking() {
        return None;
    }
    let said = request.said().await?;
    request.idea(&said).await
}

/// Commands that the settings keep out of the history, or that begin with a blank, are not sent to a model.
fn may_be_told(state: &State, command: &str) -> bool {
    !command.starts_with(char::is_whitespace) && state.may_leave(command)
}

/// A command and its context while the next one is being found.
struct ModelRequest {
    state: Arc<State>,
    question: EndedCommand,
    names: Arc<ShellNames>,
    dialect: Dialect,
    view: MachineView,
}

impl ModelRequest {
    fn new(state: &Arc<State>, question: EndedCommand) -> Self {
        let EndedCommand { session, shell, .. } = &question;
        let (names, dialect) = state.shell(SessionRef { session, shell, wait: session.is_empty() });
        let view = state.view(&names);
        Self { state: Arc::clone(state), question, names, dialect, view }
    }

    fn is_worth_asking(&self) -> bool {
        let specs = self.state.specs();
        self.with_ended(|ended| is_worth_asking(ended, &self.place(&specs)))
    }

    /// The model's answer: from the cache, from a request in progress, or from a new one.
    async fn said(self: &Arc<Self>) -> Option<Arc<str>> {
        let key = self.key();
        let (mut said, _waiting) = {
            let mut inner = self.state.suggest_model().lock();
            inner.follow(&self.state.config().llm);
            if let Some(said) = inner.remembered.recall(&key, Instant::now()) {
                return Some(said);
            }
            inner.attend(self, key)?
        };
        let heard = said.wait_for(|heard| matches!(heard, Heard::All(_))).await.ok()?;
        match &*heard {
            Heard::All(said) => said.clone(),
            Heard::NotYet => None,
        }
    }

    async fn ask(self: Arc<Self>) -> Option<Arc<str>> {
        // On a blocking thread, since scanning many lines for secrets must not delay keystrokes.
        let request = Arc::clone(&self);
        let SuggestPrompt { system, earlier, ask } =
            tokio::task::spawn_blocking(move || request.prompt()).await.ok()?;
        let question = provider::Question {
            earlier,
            max_tokens: MAX_TOKENS,
            stop: STOPS.map(str::to_owned).to_vec(),
            session: self.question.session.clone(),
            ..provider::Question::new(system.to_owned(), ask)
        };
        let hear = |said: &str| if said.len() > MAX_HEARD { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let said = door::ask(&self.state, Purpose::Suggest, &question, hear).await.ok()?;
        // A truncated command would mean something else.
        (said.end == FinishReason::Whole).then(|| said.text.into())
    }

    fn prompt(&self) -> SuggestPrompt {
        let EndedCommand { cwd, command, exit, output, worth, .. } = &self.question;
        let output = output.as_deref().map(|output| self.may_leave_of(output));
        let outputs: Vec<Option<String>> =
            worth.iter().map(|(_, past)| past.output.as_deref().map(|output| self.may_leave_of(output))).collect();
        let earlier: Vec<NumberedRun<'_>> = worth
            .iter()
            .zip(&outputs)
            .filter(|((_, past), _)| may_be_told(&self.state, &past.command))
            .map(|((number, command_ended::RecalledCommand { command, exit, .. }), output)| NumberedRun {
                number: *number,
                past: EarlierRun { command, exit: Some(*exit), output: output.as_deref() },
            })
            .collect();
        let branches = self.view.live(LiveKind::GitBranch, cwd).yes();
        let mut branches = branches.iter().flat_map(|branches| branches.iter());
        prompt(&SuggestPromptInput {
            command,
            exit: *exit,
            output: output.as_deref(),
            cwd,
            shell: self.dialect.name(),
            branch: branches.find(|branch| &*branch.about == "current").map(|branch| &*branch.name),
            earlier: &earlier,
            room: self.room(),
        })
    }

    /// The local server is started with a context of a few thousand tokens.
    fn room(&self) -> PromptBudget {
        let endpoint = door::endpoint(&self.state.config().llm, Purpose::Suggest, Selection::AsSet);
        if endpoint.is_some_and(|endpoint| endpoint.server.provider == Provider::Local) {
            PromptBudget::Small
        } else {
            PromptBudget::Large
        }
    }

    /// The lines of an output that may be sent to a model, up to the prompt's limit.
    fn may_leave_of(&self, output: &str) -> String {
        let lines = output.lines().rev().take(worth_asking::LINES).collect::<Vec<_>>().into_iter().rev();
        lines.filter(|line| self.state.may_leave(line)).collect::<Vec<_>>().join("\n")
    }

    /// The command in an answer, if it may be shown on this machine.
    async fn idea(&self, said: &str) -> Option<Suggestion> {
        let mut idea = self.checked(said);
        if self.view.settled(LOOK_UP).await && self.view.take_news() {
            idea = self.checked(said);
        }
        idea
    }

    fn checked(&self, said: &str) -> Option<Suggestion> {
        let (specs, config) = (self.state.specs(), self.state.config());
        let idea = self.with_ended(|ended| model_reply::suggestion(said, ended, &self.place(&specs)))?;
        blocked(&idea.command, self.dialect, &config.security.command_blocklist).is_none().then_some(idea)
    }

    fn with_ended<T>(&self, look: impl FnOnce(&EndedRun<'_>) -> T) -> T {
        let EndedCommand { command, exit, output, previous, .. } = &self.question;
        let previous: Vec<EarlierRun<'_>> = previous
            .iter()
            .map(|command_ended::RecalledCommand { command, exit, output, .. }| EarlierRun {
                command,
                exit: Some(*exit),
                output: output.as_deref(),
            })
            .collect();
        look(&EndedRun { command, exit: *exit, output: output.as_deref(), previous: &previous, next: &[] })
    }

    fn place<'a>(&'a self, specs: &'a Specs) -> SuggestContext<'a> {
        let (cwd, names) = (&self.question.cwd, &self.names);
        SuggestContext { cwd, dialect: self.dialect, world: &self.view, names, specs }
    }

    fn key(&self) -> Key {
        let EndedCommand { command, exit, cwd, output, .. } = &self.question;
        let mut hasher = DefaultHasher::new();
        output.hash(&mut hasher);
        let (command, cwd) = (command.clone(), cwd.clone());
        Key { command, exit: *exit, cwd, shell: self.dialect.name(), output: hasher.finish() }
    }
}

impl SuggestModel {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic while it was held lost one idea; the remaining state is valid.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Drops the answers of other settings.
    fn follow(&mut self, settings: &Llm) {
        if self.settings.as_ref() != Some(settings) {
            for (_, under_way) in self.under_way.drain() {
                under_way.task.abort();
            }
            self.remembered = TtlCache::default();
            self.settings = Some(settings.clone());
        }
    }

    /// Joins a request in progress, or starts one; `None` if too many are in progress.
    fn attend(&mut self, request: &Arc<ModelRequest>, key: Key) -> Option<(watch::Receiver<Heard>, Waiting)> {
        let state = Arc::clone(&request.state);
        if let Some(under_way) = self.under_way.get_mut(&key) {
            under_way.waiting += 1;
            return Some((under_way.said.clone(), Waiting { state, key, number: under_way.number }));
        }
        if self.under_way.len() == MAX_UNDER_WAY {
            return None;
        }
        self.number += 1;
        let number = self.number;
        let (sender, said) = watch::channel(Heard::NotYet);
        let (asker, asked) = (Arc::clone(request), key.clone());
        let task = text_work::spawn(text_work::NO_TEXT, async move {
            let state = Arc::clone(&asker.state);
            let asking = async move { asker.ask().await };
            let said = text_work::apart(text_work::UNKNOWN, asking).await.ok().flatten();
            state.suggest_model().lock().ended(asked, number, said.clone());
            sender.send_replace(Heard::All(said));
        });
        let under_way = UnderWay { number, said: said.clone(), waiting: 1, task: task.abort_handle() };
        self.under_way.insert(key.clone(), under_way);
        Some((said, Waiting { state, key, number }))
    }

    fn ended(&mut self, key: Key, number: u64, said: Option<Arc<str>>) {
        let is_ours = self.under_way.get(&key).is_some_and(|under_way| under_way.number == number);
        if is_ours {
            self.under_way.remove(&key);
            if let Some(said) = said {
                self.remembered.put(key, said, Instant::now());
            }
        }
    }

    fn leave(&mut self, key: &Key, number: u64) {
        let Some(under_way) = self.under_way.get_mut(key).filter(|under_way| under_way.number == number) else {
            return;
        };
        under_way.waiting -= 1;
        if under_way.waiting == 0 {
            under_way.task.abort();
            self.under_way.remove(key);
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.state.suggest_model().lock().leave(&self.key, self.number);
    }
}
