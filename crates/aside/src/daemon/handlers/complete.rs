//! Handles `complete`: candidates for the line being typed. Replies at once with what is cached; slow lookups and a model's completion
//! follow as updates.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aside_commands::shell_names::ShellNames;
use aside_core::complete::candidate::{CandidateKind, CandidateSource};
use aside_core::complete::context::CompletionContext;
use aside_core::complete::model::prompt::LineContext;
use aside_core::complete::model::word_end::is_whole;
use aside_core::complete::rank::Ranked;
use aside_core::complete::{complete, ghost};
use aside_proto::{CompleteParams, CompleteResult, Ghost, MissingModel, Reply, WireCandidate};
use aside_redact::secrets;
use shell_line::Dialect;
use tokio::sync::mpsc;

use crate::daemon::candidate_wire::encode;
use crate::daemon::complete_model::{self, CompletionRequest, ModelCompletion, TypedLine};
use crate::daemon::state::{SessionRef, State};
use crate::daemon::updates::{ReplyMode, Updates};
use crate::provider::Privacy;
use crate::text_work;
use crate::world::MachineView;

/// How long a client that reads a single reply may wait for a model. Such a client gives up after ten seconds.
const WAIT: Duration = Duration::from_secs(8);
/// How long it may wait for lookups on this machine.
const LOOK_UP: Duration = Duration::from_millis(300);
/// Lookups that take longer are no longer useful for this line.
const LATE: Duration = Duration::from_secs(2);
/// How often the candidates are computed again: one lookup may lead to the next.
const LOOKS: usize = 3;
/// Candidates of a list that the user asked for, and the cap for a client that asks for more.
const LISTED: usize = 64;
const MOST_LISTED: usize = 500;
/// Cap on candidates, whatever the client asks for; the setting has the same limit.
const MOST: usize = 20;
/// Recent commands for the model; the prompt uses fewer.
const RECENT: usize = 40;

pub async fn handle(state: &Arc<State>, asked: CompleteParams, privacy: Privacy, updates: &Updates) -> Reply {
    // The user types, so a suggestion for the next command is no longer needed.
    state.pending_suggestions().cancel(&asked.session);
    state.readable().await;
    let config = state.config();
    let typed = asked.left.chars().count() + asked.right.chars().count();
    if !config.complete.enabled || typed < config.complete.min_input as usize && !asked.list {
        return Reply::Complete(CompleteResult::default());
    }
    let asker = SessionRef { session: &asked.session, shell: &asked.shell, wait: asked.wait };
    let (names, dialect) = state.shell(asker);
    let view = state.view(&names);
    let limit = match asked.max_candidates {
        0 if asked.list => LISTED,
        wanted if asked.list => wanted.min(MOST_LISTED),
        0 => config.complete.max_candidates,
        wanted => wanted.min(MOST),
    };
    let request = Arc::new(CompleteRequest {
        state: Arc::clone(state),
        asked,
        privacy,
        names,
        dialect,
        view,
        limit,
        board: Mutex::default(),
        turn: Mutex::default(),
    });
    Reply::Complete(request.answer(updates).await)
}

/// A line and its context while its candidates are being found.
struct CompleteRequest {
    state: Arc<State>,
    asked: CompleteParams,
    privacy: Privacy,
    names: Arc<ShellNames>,
    dialect: Dialect,
    view: MachineView,
    limit: usize,
    board: Mutex<CompleteProgress>,
    /// Held while computing and sending candidates, so that an older result is never sent after a newer one.
    turn: Mutex<()>,
}

/// The model's completion so far, and the candidates that were sent.
#[derive(Default)]
struct CompleteProgress {
    /// The model's text for the cursor position.
    idea: Option<String>,
    /// Whether the model has spoken about this line, which makes the cached completion obsolete.
    has_thought: bool,
    /// `None` before the first reply.
    said: Option<Vec<WireCandidate>>,
}

impl CompleteRequest {
    async fn answer(self: &Arc<Self>, updates: &Updates) -> CompleteResult {
        match updates.mode() {
            ReplyMode::Stream => {
                // The first look triggers the lookups. Most finish in a moment, and may lead to the next lookup.
                let mut found = self.find_candidates();
                for _ in 0..LOOKS {
                    if self.view.waits_briefly() {
                        self.view.settled_briefly().await;
                    }
                    if !self.view.take_news() {
                        break;
                    }
                    found = self.find_candidates();
                }
                let known = if self.asked.list { None } else { self.ask_model(updates) };
                let answer = self.begin(found, known);
                if self.view.waits() || self.view.take_news() {
                    let (request, teller) = (Arc::clone(self), updates.clone());
                    text_work::spawn(self.length(), async move {
                        for _ in 0..LOOKS {
                            request.view.settled(LATE).await;
                            request.tell(&teller);
                            if !request.view.take_news() {
                                break;
                            }
                        }
                    });
                }
                answer
            }
            ReplyMode::Single => {
                let mut found = self.find_candidates();
                for _ in 0..LOOKS {
                    self.view.settled(LOOK_UP).await;
                    if !self.view.take_news() {
                        break;
                    }
                    found = self.find_candidates();
                }
                // A client that reads a single reply waits for a model only if nothing else was found.
                if found.is_empty() && !self.asked.list {
                    let (idea, missing) = self.wait_for_idea(updates).await;
                    return CompleteResult { missing, ..self.begin(found, idea) };
                }
                self.send(found)
            }
        }
    }

    /// Asks a model, whose completions arrive as updates. Returns the cached completion for this line.
    fn ask_model(self: &Arc<Self>, updates: &Updates) -> Option<String> {
        let (request, teller) = (Arc::clone(self), updates.clone());
        let asked = complete_model::ask(&self.state, self.question(updates), move |thought| {
            request.think(thought);
            request.tell(&teller);
        });
        updates.hold_request(asked.hold);
        asked.known
    }

    /// The first reply, with what the model has said in the meantime.
    fn begin(&self, mut found: Vec<Ranked>, known: Option<String>) -> CompleteResult {
        let _turn = self.turn();
        let mut board = self.board();
        if !board.has_thought {
            board.idea = known;
        }
        let has_idea = board.idea.is_some();
        drop(board);
        if has_idea {
            found = self.find_candidates();
        }
        self.send(found)
    }

    fn length(&self) -> usize {
        self.asked.left.len() + self.asked.right.len()
    }

    fn find_candidates(&self) -> Vec<Ranked> {
        let CompleteParams {
            session,
            cwd,
            left,
            right,
            shell: _,
            wait: _,
            describe: _,
            list,
            max_candidates: _,
            ghost: _,
        } = &self.asked;
        let idea = self.board().idea.clone();
        let specs = self.state.specs();
        self.state.with_history(self.length(), |history| {
            complete(&CompletionContext {
                left,
                right,
                cwd,
                dialect: self.dialect,
                names: &self.names,
                history,
                session,
                world: &self.view,
                specs: &specs,
                idea: idea.as_deref(),
                limit: self.limit,
                list: *list,
            })
        })
    }

    /// Records the candidates that are sent.
    fn send(&self, found: Vec<Ranked>) -> CompleteResult {
        self.state.last_shown().note(&self.asked, &found);
        let described = self.asked.describe;
        let threshold = self.state.config().complete.ghost_threshold;
        let needs = ghost::GhostRequirements { threshold, commands: self.state.index().len() };
        let is_unsure = |first: &Ranked| !ghost::is_fit(&self.asked.left, first, needs);
        let ghost = if found.first().is_some_and(is_unsure) { Ghost::Unsure } else { Ghost::Fit };
        let hides: Vec<bool> = found.iter().map(|ranked| described && tells_secret(ranked)).collect();
        let mut candidates = encode(found);
        for (candidate, _) in candidates.iter_mut().zip(hides).filter(|(_, hides)| *hides) {
            candidate.description.clear();
        }
        self.board().said = Some(candidates.clone());
        CompleteResult { candidates, described, asks_ghost: self.asked.ghost, ghost, missing: None }
    }

    /// Sends an update if the candidates have changed. Does nothing before the first reply, which computes them itself.
    fn tell(&self, updates: &Updates) {
        let _turn = self.turn();
        if self.board().said.is_none() {
            return;
        }
        let found = self.find_candidates();
        let texts = found.iter().map(|ranked| ranked.candidate.text.as_str());
        let is_same = self.board().said.iter().flatten().map(|said| said.completion.as_str()).eq(texts);
        if !is_same {
            updates.send(Reply::Update(self.send(found)));
        }
    }

    fn think(&self, thought: ModelCompletion) {
        let mut board = self.board();
        board.has_thought = true;
        board.idea = match thought {
            ModelCompletion::Partial(ending) | ModelCompletion::Whole(ending) => Some(ending),
            ModelCompletion::Nothing | ModelCompletion::Missing(_) => None,
        };
    }

    fn question(self: &Arc<Self>, updates: &Updates) -> CompletionRequest {
        let CompleteParams {
            session,
            cwd,
            left,
            right,
            shell: _,
            wait: _,
            describe: _,
            list: _,
            max_candidates: _,
            ghost: _,
        } = self.asked.clone();
        let (around, knows) = (Arc::clone(self), Arc::clone(self));
        CompletionRequest {
            who: if session.is_empty() { updates.who() } else { session },
            line: TypedLine { left, right, cwd },
            around: Box::new(move |state| {
                let cwd = &around.asked.cwd;
                LineContext::of(&around.view, cwd, around.dialect.name(), state.recent(cwd, RECENT))
            }),
            knows: Box::new(move |word| {
                is_whole(word, &knows.state.index(), &knows.names, &knows.view, &knows.asked.cwd)
            }),
            dialect: self.dialect,
            privacy: self.privacy,
        }
    }

    /// Waits for the model's completion, or reports which model is missing.
    async fn wait_for_idea(self: &Arc<Self>, updates: &Updates) -> (Option<String>, Option<MissingModel>) {
        let (sender, mut complete_model) = mpsc::unbounded_channel();
        let asked = complete_model::ask(&self.state, self.question(updates), move |thought| {
            let _ = sender.send(thought);
        });
        let whole = async {
            loop {
                match complete_model.recv().await {
                    Some(ModelCompletion::Partial(_)) => {}
                    Some(ModelCompletion::Whole(ending)) => return (Some(ending), None),
                    Some(ModelCompletion::Missing(missing)) => return (None, Some(missing)),
                    Some(ModelCompletion::Nothing) | None => return (None, None),
                }
            }
        };
        match &asked.hold {
            Some(_) => tokio::time::timeout(WAIT, whole).await.unwrap_or_default(),
            None => (asked.known, None),
        }
    }

    fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn board(&self) -> MutexGuard<'_, CompleteProgress> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the description may hold a secret and must not be shown unasked. Texts of a spec are public; other descriptions may be the
/// arguments of a process or the content of a script.
fn tells_secret(ranked: &Ranked) -> bool {
    let candidate = &ranked.candidate;
    let is_of_spec = candidate.source == CandidateSource::Spec
        && matches!(candidate.facts.kind, CandidateKind::Flag | CandidateKind::Subcommand | CandidateKind::Value);
    !candidate.about.is_empty() && !is_of_spec && !secrets(&candidate.about).is_empty()
}
