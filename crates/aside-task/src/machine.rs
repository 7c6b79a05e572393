//! The task state machine: `step` takes a task and an input and returns the task and the effects to perform. Holds all policy, so that the
//! caller performs effects without deciding. Has no clock and no side effects.
//!
//! Each step emits one or more events, the first of which carries all the data that the others follow from; `log` rebuilds a task by
//! repeating the steps. Effects are ordered: events, then `Save`, then the action, which runs only once the events are on the disk. So a
//! crash can lose an action, but never the record that it was about to run, and no action runs twice.

#[cfg(test)]
pub mod tests;

use crate::effect::{Effect, Order};
use crate::event::{
    ActOutcome, Approval, EndStatus, Event, EventKind, OfferedProposal, OutputChannel, StateChange, TaskId,
    TransitionCause, VERSION,
};
use crate::input::{Input, InputRefusal, MAX_ATTEMPTS, MAX_STEPS, ProposalDraft};
use crate::proposal::{TaskResult, UserRequest};
use crate::route::TaskScope;
use crate::route::intent::{ApprovalAction, ApprovalRequirement, Intent, TaskKind};
use crate::state::{
    Answered, Cancelled, Executing, FinalState, Mismatch, Offer, OpenState, Proposing, Ready, Received, Settled, State,
    StateName, Waiting,
};

/// Bytes of the user's request.
pub const MAX_REQUEST: usize = 64 * 1024;
/// Bytes of one stream event; a longer piece becomes several events.
pub const MAX_CHUNK: usize = 8 * 1024;
/// Bytes streamed in one attempt; the rest is dropped.
pub const MAX_STREAMED: usize = 2 * 1024 * 1024;
/// Stream events of one attempt. Callers batch pieces, since a model streams a word at a time.
pub const MAX_CHUNKS: u32 = 12_000;
/// Bytes of one proposal.
pub const MAX_PROPOSAL: usize = 4 * 1024 * 1024;
/// Bytes of all proposals of a task together.
pub const MAX_PROPOSED: usize = 16 * 1024 * 1024;
/// Events of a task. Far above what the other caps allow, but a proposal may wait through any number of restarts.
pub const MAX_EVENTS: u64 = 200_000;
/// Bytes of a human-readable message.
pub const MAX_MESSAGE: usize = 4 * 1024;
/// File names that a context lists.
const MAX_FILES: usize = 10;
/// Length of the longest UTF-8 character.
const MAX_CHARACTER: usize = 4;

#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    book: Book,
    state: State,
}

/// Data that a task has in every state.
#[derive(Clone, Debug, PartialEq)]
struct Book {
    id: TaskId,
    request: UserRequest,
    attempt: u32,
    /// Number of the last proposal. It grows across attempts, so an approval never fits a second proposal.
    step: u32,
    /// Bytes of all proposals.
    proposed: usize,
    /// Bytes and events streamed in this attempt.
    streamed: usize,
    chunks: u32,
    /// Number of the last event.
    seq: u64,
}

impl Task {
    /// Creates a task from a user's request.
    pub fn received(id: TaskId, request: UserRequest, at: u64) -> Result<(Self, Vec<Effect>), InputRefusal> {
        let bytes = request.bytes();
        if bytes > MAX_REQUEST {
            return Err(InputRefusal::TooLong { bytes, most: MAX_REQUEST });
        }
        let book = Book { id, request, attempt: 1, step: 0, proposed: 0, streamed: 0, chunks: 0, seq: 0 };
        let mut turn = Turn { book, at, cause: Some(TransitionCause::Received), effects: Vec::new() };
        let state = turn.receive(Received::anew());
        Ok((Self { book: turn.book, state }, turn.effects))
    }

    pub fn id(&self) -> &TaskId {
        &self.book.id
    }

    pub fn request(&self) -> &UserRequest {
        &self.book.request
    }

    /// Counts from 1.
    pub fn attempt(&self) -> u32 {
        self.book.attempt
    }

    /// Number of the last proposal, 0 before the first.
    pub fn step(&self) -> u32 {
        self.book.step
    }

    /// Number of the last event.
    pub fn seq(&self) -> u64 {
        self.book.seq
    }

    pub fn state(&self) -> &State {
        &self.state
    }
}

pub fn step(task: Task, at: u64, input: Input) -> (Task, Result<Vec<Effect>, InputRefusal>) {
    let Task { book, state } = task;
    let mut turn = Turn { book, at, cause: input.cause(), effects: Vec::new() };
    let (state, refusal) = match state {
        State::Live(live) => turn.live(live, input),
        State::Ended(ended) => turn.ended(ended, input),
    };
    (Task { book: turn.book, state }, refusal.map_or(Ok(turn.effects), Err))
}

/// The new state; with a refusal, the unchanged old one.
type Moved = (State, Option<InputRefusal>);

/// A step in progress.
struct Turn {
    book: Book,
    at: u64,
    /// Taken by the first event; the others have none.
    cause: Option<TransitionCause>,
    effects: Vec<Effect>,
}

impl Turn {
    fn live(&mut self, live: OpenState, input: Input) -> Moved {
        match (live, input) {
            (OpenState::Received(received), Input::Routed { intent, scope }) => {
                let intent = bounded(intent);
                self.emit(EventKind::TaskStart { intent: intent.clone(), scope });
                self.change(StateChange::to(StateName::Routed));
                self.then(Effect::Collect);
                moved(OpenState::Routed(received.routed(intent, scope)))
            }
            (OpenState::Routed(routed), Input::Collected(mut context)) => {
                context.files.truncate(MAX_FILES);
                context.files = context.files.into_iter().map(clipped).collect();
                let collected = routed.collected(context);
                let context = Some(collected.context().clone());
                self.change(StateChange { context, ..StateChange::to(StateName::ContextCollected) });
                self.change(StateChange::to(StateName::Proposing));
                self.then(Effect::Propose);
                moved(OpenState::Proposing(collected.proposing()))
            }
            (OpenState::Proposing(proposing), Input::Piece(text)) => {
                self.stream(StateName::Proposing, OutputChannel::Answer, &text);
                moved(OpenState::Proposing(proposing))
            }
            (OpenState::Proposing(proposing), Input::Proposed(draft)) => self.propose(proposing, draft),
            (OpenState::WaitingApproval(waiting), Input::Approved(approval)) => self.answer(waiting, approval),
            (OpenState::WaitingApproval(waiting), Input::Edited(draft)) => self.edit(waiting, draft),
            (OpenState::WaitingApproval(waiting), Input::Rejected { reason, by }) => {
                let rejected = waiting.rejected(reason.map(clipped));
                let message = rejected.reason().map(str::to_owned);
                let by = by.map(clipped);
                self.end(
                    FinalState::Rejected(rejected),
                    StateChange { message, by, ..StateChange::to(StateName::Rejected) },
                )
            }
            (OpenState::Executing(executing), Input::Output(text)) => {
                self.stream(StateName::Executing, OutputChannel::Output, &text);
                moved(OpenState::Executing(executing))
            }
            (OpenState::Executing(executing), Input::Finished(outcome)) => self.finish(executing, outcome),
            (OpenState::Executing(executing), Input::Cancelled) if executing.is_stopping() => {
                refused(OpenState::Executing(executing), InputRefusal::Stopping)
            }
            (live, Input::Cancelled) => self.cancel(live),
            (live, Input::Failed { reason }) => self.fail(live, reason),
            (live, Input::Restarted) => self.restart(live),
            (
                live,
                Input::Routed { .. }
                | Input::Collected(_)
                | Input::Piece(_)
                | Input::Proposed(_)
                | Input::Approved(_)
                | Input::Rejected { .. }
                | Input::Edited(_)
                | Input::Output(_)
                | Input::Finished(_)
                | Input::Retried
                | Input::RetriedPrivately
                | Input::Undone { .. },
            ) => {
                let state = live.name();
                refused(live, InputRefusal::NotNow { state })
            }
        }
    }

    fn ended(&mut self, ended: FinalState, input: Input) -> Moved {
        let state = ended.name();
        match input {
            Input::Retried | Input::RetriedPrivately if self.book.attempt < MAX_ATTEMPTS => {
                self.book.attempt += 1;
                self.book.request.meta.private |= input == Input::RetriedPrivately;
                (self.book.streamed, self.book.chunks) = (0, 0);
                (self.receive(ended.retried()), None)
            }
            Input::Retried | Input::RetriedPrivately => (State::Ended(ended), Some(InputRefusal::TooManyAttempts)),
            Input::Undone { by } => self.undo(ended, by),
            Input::Routed { .. }
            | Input::Collected(_)
            | Input::Piece(_)
            | Input::Proposed(_)
            | Input::Approved(_)
            | Input::Rejected { .. }
            | Input::Edited(_)
            | Input::Output(_)
            | Input::Finished(_)
            | Input::Failed { .. }
            | Input::Cancelled
            | Input::Restarted => (State::Ended(ended), Some(InputRefusal::NotNow { state })),
        }
    }

    /// Emits the state and `TaskEnd` once more, so that the end of the log still shows that the task has ended.
    fn undo(&mut self, ended: FinalState, by: String) -> Moved {
        match ended {
            FinalState::Completed(completed) if completed.undone_by().is_some() => {
                (State::Ended(FinalState::Completed(completed)), Some(InputRefusal::TakenBack))
            }
            FinalState::Completed(completed) if completed.outcome().is_some_and(|outcome| outcome.undo.is_some()) => {
                let by = clipped(by);
                let message = Some("what it wrote was taken back".to_owned());
                let change = StateChange { message, by: Some(by.clone()), ..StateChange::to(StateName::Completed) };
                self.end(FinalState::Completed(completed.undone(by)), change)
            }
            ended @ (FinalState::Completed(_) | FinalState::Failed(_) | FinalState::Rejected(_)) => {
                (State::Ended(ended), Some(InputRefusal::NothingWritten))
            }
        }
    }

    fn receive(&mut self, received: Received) -> State {
        let request = Some(self.book.request.clone());
        self.change(StateChange { request, ..StateChange::to(StateName::Received) });
        self.then(Effect::Route);
        State::Live(OpenState::Received(received))
    }

    fn propose(&mut self, proposing: Proposing, draft: ProposalDraft) -> Moved {
        if let Err(refusal) = self.room(&draft) {
            return self.fail(OpenState::Proposing(proposing), refusal.to_string());
        }
        let routed = proposing.routed();
        if draft.proposal.action().is_some_and(|action| !may(routed.intent().kind, routed.scope(), action)) {
            let reason = "something was proposed that the request did not ask for; nothing was done".to_owned();
            return self.fail(OpenState::Proposing(proposing), reason);
        }
        match self.offer(routed.intent().clone(), draft) {
            Some(offer) => self.settle(proposing.proposed(offer)),
            None => refused(OpenState::Proposing(proposing), InputRefusal::NoDigest),
        }
    }

    fn edit(&mut self, waiting: Waiting, draft: ProposalDraft) -> Moved {
        let acting = waiting.acting();
        if draft.proposal.action() != Some(acting.action()) {
            return refused(OpenState::WaitingApproval(waiting), InputRefusal::OtherAction);
        }
        if let Err(refusal) = self.room(&draft) {
            return refused(OpenState::WaitingApproval(waiting), refusal);
        }
        match self.offer(acting.result().intent.clone(), draft) {
            Some(Offer::Acts(acting)) => self.settle(waiting.edited(acting)),
            Some(Offer::Says(_)) | None => refused(OpenState::WaitingApproval(waiting), InputRefusal::NoDigest),
        }
    }

    fn room(&self, draft: &ProposalDraft) -> Result<(), InputRefusal> {
        let bytes = size(draft);
        let most = MAX_PROPOSAL.min(MAX_PROPOSED.saturating_sub(self.book.proposed));
        if self.book.step >= MAX_STEPS {
            Err(InputRefusal::TooManySteps)
        } else if bytes > most {
            Err(InputRefusal::TooLong { bytes, most })
        } else {
            Ok(())
        }
    }

    /// Numbers the draft and emits it. Changes nothing if the draft cannot be offered.
    fn offer(&mut self, intent: Intent, draft: ProposalDraft) -> Option<Offer> {
        let bytes = size(&draft);
        let ProposalDraft { proposal, summary, details, digest } = draft;
        let action = proposal.action();
        let requires = action.map_or(ApprovalRequirement::None, |action| ApprovalRequirement::LocalApproval { action });
        // A proposal that does not act is never approved, so it keeps no digest.
        let digest = digest.filter(|_| action.is_some());
        let task_id = self.book.id.to_string();
        let result = TaskResult { task_id, intent, proposal, requires, summary: clipped(summary), details };
        let step = self.book.step + 1;
        let offer = Offer::of(result.clone(), step, digest.clone())?;
        self.book.step = step;
        self.book.proposed += bytes;
        self.emit(EventKind::TaskProposal(Box::new(OfferedProposal { result, step, digest })));
        Some(offer)
    }

    fn settle(&mut self, ready: Ready) -> Moved {
        self.change(StateChange::to(StateName::ProposalReady));
        self.settled(ready)
    }

    fn settled(&mut self, ready: Ready) -> Moved {
        match ready.settled() {
            Settled::Waiting(waiting) => self.wait(waiting, None),
            Settled::Completed(completed) => {
                self.end(FinalState::Completed(completed), StateChange::to(StateName::Completed))
            }
        }
    }

    fn wait(&mut self, waiting: Waiting, message: Option<String>) -> Moved {
        let acting = waiting.acting();
        let step = acting.step();
        let digest = Some(acting.digest().clone());
        self.change(StateChange { message, step: Some(step), digest, ..StateChange::to(StateName::WaitingApproval) });
        self.then(Effect::Ask { step });
        moved(OpenState::WaitingApproval(waiting))
    }

    fn answer(&mut self, waiting: Waiting, approval: Approval) -> Moved {
        let now = waiting.acting().step();
        match waiting.answered(&approval) {
            Answered::Executing(executing) => {
                let order = Order::of(self.book.id.clone(), &executing);
                let (step, digest) = (Some(order.step()), Some(order.digest().clone()));
                let by = Some(clipped(approval.by));
                self.change(StateChange { step, digest, by, ..StateChange::to(StateName::Executing) });
                self.then(Effect::Execute(order));
                moved(OpenState::Executing(executing))
            }
            Answered::Waiting(waiting, mismatch) => {
                let refusal = match mismatch {
                    Mismatch::Task => InputRefusal::OtherTask,
                    Mismatch::Step => InputRefusal::OtherStep { now },
                    Mismatch::Digest => InputRefusal::OtherDigest,
                };
                refused(OpenState::WaitingApproval(waiting), refusal)
            }
        }
    }

    fn finish(&mut self, executing: Executing, outcome: ActOutcome) -> Moved {
        let ActOutcome { summary, exit, undo, next } = outcome;
        let outcome = ActOutcome { summary: clipped(summary), exit, undo: undo.map(clipped), next };
        let told = Some(outcome.clone());
        match exit {
            None | Some(0) => {
                let completed = executing.finished(outcome);
                self.end(
                    FinalState::Completed(completed),
                    StateChange { outcome: told, ..StateChange::to(StateName::Completed) },
                )
            }
            Some(exit) => {
                let reason = format!("the command ended with exit status {exit}");
                let failed = OpenState::Executing(executing).failed(reason.clone());
                let change = StateChange { message: Some(reason), outcome: told, ..StateChange::to(StateName::Failed) };
                self.end(FinalState::Failed(failed), change)
            }
        }
    }

    fn fail(&mut self, live: OpenState, reason: String) -> Moved {
        // The log records a proposal that was not accepted as an ordinary failure.
        self.cause = Some(TransitionCause::Failed);
        self.fail_because(live, reason)
    }

    fn fail_because(&mut self, live: OpenState, reason: String) -> Moved {
        let failed = live.failed(clipped(reason));
        let message = Some(failed.reason().to_owned());
        self.end(FinalState::Failed(failed), StateChange { message, ..StateChange::to(StateName::Failed) })
    }

    fn cancel(&mut self, live: OpenState) -> Moved {
        let under_way = match live.name() {
            StateName::Received | StateName::Routed | StateName::ContextCollected | StateName::Proposing => true,
            StateName::ProposalReady | StateName::WaitingApproval => false,
            StateName::Executing | StateName::Completed | StateName::Failed | StateName::Rejected => false,
        };
        match live.cancelled("cancelled".to_owned()) {
            Cancelled::Executing(executing) => {
                let message = Some("stopping".to_owned());
                self.change(StateChange { message, ..StateChange::to(StateName::Executing) });
                self.then(Effect::Stop);
                moved(OpenState::Executing(executing))
            }
            Cancelled::Rejected(rejected) => {
                let message = rejected.reason().map(str::to_owned);
                let after = self.end(
                    FinalState::Rejected(rejected),
                    StateChange { message, ..StateChange::to(StateName::Rejected) },
                );
                if under_way {
                    self.effects.push(Effect::Stop);
                }
                after
            }
        }
    }

    fn restart(&mut self, live: OpenState) -> Moved {
        match live {
            OpenState::Received(_)
            | OpenState::Routed(_)
            | OpenState::ContextCollected(_)
            | OpenState::Proposing(_) => {
                self.fail_because(live, "the daemon ended before there was a proposal; retry it".to_owned())
            }
            OpenState::ProposalReady(ready) => self.settled(ready),
            OpenState::WaitingApproval(waiting) if self.book.seq < MAX_EVENTS => {
                self.wait(waiting, Some("the daemon was started again and asks again".to_owned()))
            }
            OpenState::WaitingApproval(waiting) => {
                self.effects.push(Effect::Ask { step: waiting.acting().step() });
                moved(OpenState::WaitingApproval(waiting))
            }
            // How far the command got is unknown, so the machine never reruns it by itself.
            OpenState::Executing(_) => self.fail_because(live, "the daemon ended while it ran".to_owned()),
        }
    }

    fn end(&mut self, ended: FinalState, change: StateChange) -> Moved {
        let status = match ended {
            FinalState::Completed(_) => EndStatus::Ok,
            FinalState::Failed(_) => EndStatus::Error,
            FinalState::Rejected(_) => EndStatus::Rejected,
        };
        self.change(change);
        self.emit(EventKind::TaskEnd { status });
        self.effects.push(Effect::Save);
        (State::Ended(ended), None)
    }

    /// Emits streamed text in chunks. What is kept depends only on what was kept before, so that a replay of the log gives the same.
    fn stream(&mut self, state: StateName, channel: OutputChannel, text: &str) {
        let name = match channel {
            OutputChannel::Answer => "answer",
            OutputChannel::Output => "output",
        };
        let mut rest = text;
        while !rest.is_empty() && !self.book.is_full() {
            let most = MAX_CHUNK.min(MAX_STREAMED.saturating_sub(self.book.streamed));
            let (chunk, after) = rest.split_at(rest.floor_char_boundary(most));
            rest = after;
            self.book.streamed += chunk.len();
            self.book.chunks += 1;
            let message_id = format!("{}.{}.{name}", self.book.id, self.book.attempt);
            self.cause = None;
            self.emit(EventKind::TaskStreamChunk { message_id, channel, chunk: chunk.to_owned() });
            if self.book.is_full() {
                let message = Some("no more text of this attempt is kept".to_owned());
                self.change(StateChange { message, ..StateChange::to(state) });
            }
        }
    }

    fn change(&mut self, change: StateChange) {
        self.emit(EventKind::TaskState(Box::new(change)));
    }

    fn emit(&mut self, what: EventKind) {
        self.book.seq += 1;
        let event = Event {
            what,
            thread_id: self.book.request.thread_id.clone(),
            task_id: self.book.id.clone(),
            attempt: self.book.attempt,
            seq: self.book.seq,
            at: self.at,
            cause: self.cause.take(),
            v: VERSION,
        };
        self.effects.push(Effect::Emit(Box::new(event)));
    }

    /// Performs the effect once all events are saved.
    fn then(&mut self, act: Effect) {
        self.effects.extend([Effect::Save, act]);
    }
}

fn moved(live: OpenState) -> Moved {
    (State::Live(live), None)
}

fn refused(live: OpenState, refusal: InputRefusal) -> Moved {
    (State::Live(live), Some(refusal))
}

/// Whether a request of this kind may lead to this action at all. Every action still needs approval.
pub fn may(kind: TaskKind, scope: TaskScope, action: ApprovalAction) -> bool {
    match (scope, kind) {
        (TaskScope::Plan, _) => false,
        // A rename comes as a diff; a dependency is added by running the package manager.
        (TaskScope::Full, TaskKind::Change) => true,
        (TaskScope::Full, TaskKind::Run) => action == ApprovalAction::RunCommand,
        // The fix may be an edit or a command.
        (TaskScope::Full, TaskKind::Diagnose) => true,
        (
            TaskScope::Full,
            TaskKind::Help | TaskKind::Status | TaskKind::Explain | TaskKind::Search | TaskKind::Review,
        ) => false,
    }
}

fn size(draft: &ProposalDraft) -> usize {
    draft.proposal.bytes() + draft.details.as_ref().map_or(0, String::len)
}

/// Clamps the confidence: JSON has no NaN or infinity, and one would make the log unreadable.
fn bounded(mut intent: Intent) -> Intent {
    let confidence = if intent.confidence.is_finite() { intent.confidence } else { 0.0 };
    intent.confidence = confidence.clamp(0.0, 1.0);
    intent.summary = clipped(intent.summary);
    intent
}

/// Truncates a message. Idempotent, since a replay clips text from the log again.
pub(crate) fn clipped(mut text: String) -> String {
    if text.len() > MAX_MESSAGE {
        text.truncate(text.floor_char_boundary(MAX_MESSAGE - '…'.len_utf8()));
        text.push('…');
    }
    text
}

impl Book {
    fn is_full(&self) -> bool {
        // Chunks end at character boundaries, so the last few bytes may stay unused.
        MAX_STREAMED.saturating_sub(self.streamed) < MAX_CHARACTER || self.chunks >= MAX_CHUNKS
    }
}
