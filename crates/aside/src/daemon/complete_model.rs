//! Asks a model to complete the line being typed: at most one request per shell, sent after a debounce, cancelled when the user types on.
//! No reply waits for it, and failures are shown in `aside doctor` only.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use aside_core::complete::model;
use aside_core::complete::model::prompt::{LineContext, may_leave, prompt};
use aside_core::complete::model::token_healing::{Healed, heal};
use aside_core::complete::model::word_end::LastWord;
use aside_proto::MissingModel;
use aside_translate::check::blocked;
use shell_line::Dialect;
use tokio::task::AbortHandle;

use crate::config::{Complete, Llm};
use crate::daemon::model as door;
use crate::daemon::model::Purpose;
use crate::daemon::state::State;
use crate::provider::http_exchange::FinishReason;
use crate::provider::{self, Failure, ModelReply, Privacy, RawPrompt};
use crate::text_work;

/// A line is short, but some models reason first. The request stops as soon as the line is complete.
const MAX_TOKENS: u32 = 256;
/// A model that directly continues the line does not reason.
const MAX_LINE_TOKENS: u32 = 64;
/// Cap on cached answers, used for the same line or one typed along an answer.
const MAX_REMEMBERED: usize = 128;
/// TTL of the cache: directory, branch and recent commands change soon.
const REMEMBERED_FOR: Duration = Duration::from_secs(60);

/// A line and where it is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedLine {
    pub left: String,
    pub right: String,
    pub cwd: String,
}

/// A request to complete a line. Its context is only looked up after the debounce.
pub struct CompletionRequest {
    /// The session, or the connection of a client without one: a newer request replaces the older one.
    pub who: String,
    pub line: TypedLine,
    pub around: ContextLookup,
    pub knows: WordCheck,
    /// The shell's dialect.
    pub dialect: Dialect,
    pub privacy: Privacy,
}

/// The model's completion at the cursor of the last line asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelCompletion {
    /// More may come.
    Partial(String),
    Whole(String),
    /// Nothing to add: what was shown before is withdrawn.
    Nothing,
    /// The model that would be asked is not installed.
    Missing(MissingModel),
}

/// The cached completion, and a handle that keeps the request alive.
#[derive(Default)]
pub struct CompletionHandle {
    pub known: Option<String>,
    /// `None` if nothing more will come.
    pub hold: Option<CancelOnDrop>,
}

/// Dropping it cancels the request, down to the connection, unless a newer one has replaced it.
pub struct CancelOnDrop {
    state: Arc<State>,
    who: String,
    number: u64,
}

/// Looks up the context of the line, once.
pub type ContextLookup = Box<dyn FnOnce(&State) -> LineContext + Send>;
/// Whether a word is known to be complete.
pub type WordCheck = Box<dyn Fn(LastWord<'_>) -> bool + Send + Sync>;
type Hear = Box<dyn Fn(ModelCompletion) + Send>;

#[derive(Default)]
pub struct CompleteModel {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    under_way: HashMap<String, UnderWay>,
    remembered: Memory,
    /// The settings under which the answers were given.
    settings: Option<Llm>,
    number: u64,
}

struct UnderWay {
    number: u64,
    line: TypedLine,
    talk: Arc<Mutex<Talk>>,
    task: AbortHandle,
}

/// The listener of a request in progress.
struct Talk {
    /// The line as it is now: the one asked about, or one typed along the answer.
    left: String,
    /// What may be shown so far, relative to the line asked about.
    so_far: Option<String>,
    hear: Hear,
}

/// Starts a request, unless the answer is cached, no model may be asked, or nothing could come of it. Passes completions to `hear`.
pub fn ask(
    state: &Arc<State>,
    question: CompletionRequest,
    hear: impl Fn(ModelCompletion) + Send + 'static,
) -> CompletionHandle {
    let config = state.config();
    let complete_model = state.complete_model();
    let CompletionRequest { who, line, around, knows, dialect, privacy } = question;
    let is_wanted = privacy == Privacy::Open
        && line.left.len() + line.right.len() <= text_work::SHORT
        && door::endpoint(&config.llm, Purpose::Complete, provider::Selection::AsSet).is_some()
        && model::is_worth_asking(&line.left, &line.right, config.complete.model_min_chars)
        && state.filter().is_some_and(|filter| may_leave(&line.left, &line.right, &filter));
    let mut inner = complete_model.lock();
    inner.follow(&config.llm);
    if !is_wanted {
        inner.give_up(&who);
        return CompletionHandle::default();
    }
    if let Some(known) = inner.remembered.recall(&line, Instant::now()) {
        inner.give_up(&who);
        return CompletionHandle { known, hold: None };
    }
    inner.number += 1;
    let number = inner.number;
    let hold = Some(CancelOnDrop { state: Arc::clone(state), who: who.clone(), number });
    let mut hear: Hear = Box::new(hear);
    if let Some(under_way) = inner.under_way.get_mut(&who) {
        match under_way.typed_along(&line, number, hear) {
            Ok(known) => return CompletionHandle { known: Some(known), hold },
            Err(back) => hear = back,
        }
    }
    inner.give_up(&who);
    let talk = Arc::new(Mutex::new(Talk { left: line.left.clone(), so_far: None, hear }));
    let delay = delay(&config.complete, &line.left);
    let allows = Allows { state: Arc::clone(state), dialect };
    let thinking = think(allows, who.clone(), line.clone(), Arc::clone(&talk), around, knows);
    let task = text_work::spawn(text_work::NO_TEXT, async move {
        tokio::time::sleep(delay).await;
        // An answer that is given up is none.
        let _ = text_work::apart(text_work::UNKNOWN, thinking).await;
    })
    .abort_handle();
    inner.under_way.insert(who, UnderWay { number, line, talk, task });
    CompletionHandle { known: None, hold }
}

fn delay(settings: &Complete, left: &str) -> Duration {
    let is_long = left.chars().count() >= settings.model_delay_threshold;
    Duration::from_millis(if is_long { settings.model_delay_short_ms } else { settings.model_delay_ms })
}

async fn think(
    allows: Allows,
    who: String,
    line: TypedLine,
    talk: Arc<Mutex<Talk>>,
    around: ContextLookup,
    knows: WordCheck,
) {
    let state = Arc::clone(&allows.state);
    let TypedLine { left, right, .. } = &line;
    // Without a filter, nothing can be sent.
    let said = match state.filter() {
        Some(filter) => {
            let around = around(&state);
            let prompt = prompt(left, right, &around, &filter);
            let mut question = provider::Question::new(prompt.system, prompt.user);
            question.max_tokens = MAX_TOKENS;
            question.session.clone_from(&who);
            question.raw = heal(left, right, &around, &filter).map(|Healed { prompt, grammar, head }| RawPrompt {
                prompt,
                grammar,
                max_tokens: MAX_LINE_TOKENS,
                head,
            });
            let heard = |said: &str| {
                // No line is as long, and keystrokes wait for what is done with it.
                if said.len() > text_work::SHORT {
                    return ControlFlow::Break(());
                }
                let shown = allows.only(left, model::partial_ending(left, right, said, &knows));
                locked(&talk).show(left, shown);
                if model::is_settled(left, said) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            match door::ask(&state, Purpose::Complete, &question, heard).await {
                Ok(said) => Some(said),
                Err(Failure::NotHere { name, bytes }) => {
                    (locked(&talk).hear)(ModelCompletion::Missing(MissingModel { name, bytes }));
                    None
                }
                Err(_) => None,
            }
        }
        None => None,
    };
    let ending = said.map(|ModelReply { text, end, .. }| {
        // A truncated line would mean something else, unless a complete one precedes it.
        let is_short = text.len() <= text_work::SHORT;
        let is_whole = is_short && (end == FinishReason::Whole || model::is_settled(left, &text));
        allows.only(left, model::ending(left, right, &text, &knows).filter(|_| is_whole))
    });
    // No text is read under this lock: keystrokes take it.
    let mut inner = state.complete_model().lock();
    inner.under_way.retain(|key, under_way| *key != who || !Arc::ptr_eq(&under_way.talk, &talk));
    if let Some(ending) = &ending {
        inner.remembered.put(line.clone(), ending.clone(), Instant::now());
    }
    drop(inner);
    locked(&talk).end(left, ending.flatten());
}

/// Filters what may be proposed at all.
struct Allows {
    state: Arc<State>,
    dialect: Dialect,
}

impl Allows {
    /// Drops a completion that the user's blocklist forbids.
    fn only(&self, left: &str, ending: Option<String>) -> Option<String> {
        let config = self.state.config();
        ending.filter(|ending| {
            let line = format!("{left}{ending}");
            blocked(&line, self.dialect, &config.security.command_blocklist).is_none()
        })
    }
}

impl CompleteModel {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        locked(&self.inner)
    }
}

impl Inner {
    /// Drops the answers and requests of other settings.
    fn follow(&mut self, settings: &Llm) {
        if self.settings.as_ref() != Some(settings) {
            for (_, under_way) in self.under_way.drain() {
                under_way.task.abort();
            }
            self.remembered = Memory::default();
            self.settings = Some(settings.clone());
        }
    }

    fn give_up(&mut self, who: &str) {
        if let Some(under_way) = self.under_way.remove(who) {
            under_way.task.abort();
        }
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let mut inner = self.state.complete_model().lock();
        if inner.under_way.get(&self.who).is_some_and(|under_way| under_way.number == self.number) {
            inner.give_up(&self.who);
        }
    }
}

impl UnderWay {
    /// Continues the request if the user types along its answer. Returns what is still to come, or gives `hear` back if the line differs.
    fn typed_along(&mut self, line: &TypedLine, number: u64, hear: Hear) -> Result<String, Hear> {
        let mut talk = locked(&self.talk);
        let same_place = self.line.right == line.right && self.line.cwd == line.cwd;
        match talk.so_far.as_ref().filter(|_| same_place).and_then(|so_far| rest(&self.line.left, so_far, &line.left)) {
            Some(known) => {
                self.number = number;
                talk.left.clone_from(&line.left);
                talk.hear = hear;
                Ok(known)
            }
            None => Err(hear),
        }
    }
}

impl Talk {
    fn show(&mut self, asked: &str, so_far: Option<String>) {
        if so_far.is_none() || so_far == self.so_far {
            return;
        }
        self.so_far = so_far;
        if let Some(rest) = self.so_far.as_ref().and_then(|so_far| rest(asked, so_far, &self.left)) {
            (self.hear)(ModelCompletion::Partial(rest));
        }
    }

    fn end(&self, asked: &str, ending: Option<String>) {
        match ending.and_then(|ending| rest(asked, &ending, &self.left)) {
            Some(rest) => (self.hear)(ModelCompletion::Whole(rest)),
            None => (self.hear)(ModelCompletion::Nothing),
        }
    }
}

/// What an answer to `asked` adds to `now`, a line typed along it.
fn rest(asked: &str, ending: &str, now: &str) -> Option<String> {
    let typed = now.strip_prefix(asked)?;
    ending.strip_prefix(typed).filter(|rest| !rest.is_empty()).map(str::to_owned)
}

/// A cache of recent answers, newest last; also of empty ones.
#[derive(Default)]
struct Memory {
    answers: VecDeque<(Instant, TypedLine, Option<String>)>,
}

impl Memory {
    fn put(&mut self, line: TypedLine, ending: Option<String>, now: Instant) {
        self.answers.retain(|(_, known, _)| *known != line);
        if self.answers.len() == MAX_REMEMBERED {
            self.answers.pop_front();
        }
        self.answers.push_back((now, line, ending));
    }

    /// Returns `None` if unknown, `Some(None)` if there is nothing to add.
    fn recall(&mut self, line: &TypedLine, now: Instant) -> Option<Option<String>> {
        self.answers.retain(|(when, _, _)| now.saturating_duration_since(*when) < REMEMBERED_FOR);
        self.answers.iter().rev().find_map(|(_, known, ending)| {
            let same_place = known.right == line.right && known.cwd == line.cwd;
            match ending {
                _ if !same_place => None,
                None => (known.left == line.left).then_some(None),
                Some(ending) => rest(&known.left, ending, &line.left).map(Some),
            }
        })
    }
}

/// A panic while it was held lost one completion; the remaining state is valid.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(left: &str) -> TypedLine {
        TypedLine { left: left.to_owned(), right: String::new(), cwd: "/".to_owned() }
    }

    fn text(text: &str) -> Option<Option<String>> {
        Some(Some(text.to_owned()))
    }

    #[test]
    fn an_answer_is_good_for_every_line_typed_along_it() {
        let (mut memory, now) = (Memory::default(), Instant::now());
        memory.put(line("git st"), Some("atus --short".to_owned()), now);
        assert_eq!(memory.recall(&line("git st"), now), text("atus --short"));
        assert_eq!(memory.recall(&line("git sta"), now), text("tus --short"));
        assert_eq!(memory.recall(&line("git status --shor"), now), text("t"));
        for other in ["git s", "git sto", "git status --short", "git status --short x"] {
            assert_eq!(memory.recall(&line(other), now), None, "{other}");
        }
        let elsewhere = TypedLine { cwd: "/tmp".to_owned(), ..line("git st") };
        assert_eq!(memory.recall(&elsewhere, now), None);
        let before = TypedLine { right: "x".to_owned(), ..line("git st") };
        assert_eq!(memory.recall(&before, now), None);
    }

    #[test]
    fn that_there_is_nothing_to_add_is_remembered_for_that_line_only() {
        let (mut memory, now) = (Memory::default(), Instant::now());
        memory.put(line("ls"), None, now);
        assert_eq!(memory.recall(&line("ls"), now), Some(None));
        assert_eq!(memory.recall(&line("ls "), now), None);
    }

    #[test]
    fn answers_are_forgotten_after_a_minute_or_when_there_are_many() {
        let (mut memory, now) = (Memory::default(), Instant::now());
        memory.put(line("old"), Some("er".to_owned()), now);
        assert_eq!(memory.recall(&line("old"), now + REMEMBERED_FOR), None);
        for number in 0..=MAX_REMEMBERED {
            memory.put(line(&format!("{number} ")), Some("x".to_owned()), now);
        }
        assert_eq!(memory.recall(&line("0 "), now), None);
        assert_eq!(memory.recall(&line("1 "), now), text("x"));
        assert_eq!(memory.answers.len(), MAX_REMEMBERED);
    }

    #[test]
    fn a_long_line_says_sooner_what_is_meant() {
        let settings = crate::config::Config::default().complete;
        assert_eq!(delay(&settings, "git sta"), Duration::from_millis(200));
        assert_eq!(delay(&settings, "git stat"), Duration::from_millis(100));
    }
}
