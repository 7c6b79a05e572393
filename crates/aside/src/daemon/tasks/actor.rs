//! Runs one task: handles its messages one after the other and performs the effects of the task machine. Holds no policy: the machine
//! decides what may happen, the gate what may act.

mod agent_follow_up;
pub mod message;
mod telling;

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aside_proto as proto;
use aside_redact::REDACTED;
use aside_task::effect::{Effect, Order};
use aside_task::event::{ActOutcome, Approval, OutputChannel, TaskId};
use aside_task::gate::Decision;
use aside_task::gate::approve::{ApprovalAnswer, Approved};
use aside_task::gate::offer::{GateOffer, OfferStep};
use aside_task::input::{Input, ProposalDraft};
use aside_task::log;
use aside_task::machine::{Task, step};
use aside_task::proposal::{Proposal, RequestSource, TaskResult, UserRequest, WriteConfinement};
use aside_task::redact_log;
use aside_task::route::TaskScope;
use aside_task::route::intent::{ApprovalAction, Intent};
use aside_task::run::{code, short};
use aside_task::state::{OpenState, State as Stage};
use tokio::sync::{mpsc, watch};

use crate::apply::undo_log::Receipt;
use crate::daemon::state::{ActiveRequest, State};
use crate::daemon::tasks::actor::message::{Event, Message, PendingOffer, UserCommand, Vote};
use crate::daemon::tasks::actor::telling::{Pieces, Telling};
use crate::daemon::tasks::attempt::{Attempt, GatheredContext};
use crate::daemon::tasks::execution::{self, ExecutionContext};
use crate::daemon::tasks::offer::{self, OfferBuilder};
use crate::daemon::updates::AbortOnDrop;
use crate::provider::Privacy;
use crate::store::task_logs::TaskLog;
use crate::text_work;
use crate::world::sandbox;

/// Cap on unread messages for a task. A sender of streamed output waits (backpressure).
pub const MAX_INBOX: usize = 32;
/// How long a task that has ended stays in memory.
const LINGER: Duration = Duration::from_secs(2);
/// Characters of a command in the summary of what waits.
const MAX_SUMMARY: usize = 200;

pub struct Actor {
    state: Arc<State>,
    id: TaskId,
    /// Redacted, as is everything that it emits: all of it is written to the log.
    task: Option<Task>,
    /// As it was requested, unredacted; in memory only.
    request: UserRequest,
    /// The last draft as it was proposed, with its step number: what is shown and carried out. In memory only, so that a proposal that
    /// holds a secret does not outlive the daemon.
    draft: Option<(u32, ProposalDraft)>,
    log: Option<TaskLog>,
    inbox: mpsc::Receiver<Message>,
    /// For work in the background, which ends with the actor.
    sender: mpsc::Sender<Message>,
    routed: Option<(Intent, TaskScope)>,
    gathered: Option<Arc<GatheredContext>>,
    /// The proposal to show.
    offer: Option<GateOffer>,
    /// What is shown, with the digest that a decision has to carry.
    shown: Option<proto::task::ApprovalOffer>,
    leave: Option<(Approved, Vec<String>)>,
    /// The work in the background. Aborted when dropped.
    under_way: Option<AbortOnDrop>,
    stop: watch::Sender<bool>,
    /// Keeps the daemon running while work is in progress.
    work: Option<ActiveRequest>,
}

impl Actor {
    pub fn new(state: Arc<State>, task: Task, mut request: UserRequest, log: TaskLog) -> (Self, mpsc::Sender<Message>) {
        // What was private once stays private.
        request.meta.private |= task.request().meta.private;
        let (sender, inbox) = mpsc::channel(MAX_INBOX);
        let actor = Self {
            state,
            id: task.id().clone(),
            task: Some(task),
            request,
            draft: None,
            log: Some(log),
            inbox,
            sender: sender.clone(),
            routed: None,
            gathered: None,
            offer: None,
            shown: None,
            leave: None,
            under_way: None,
            stop: watch::Sender::new(false),
            work: None,
        };
        (actor, sender)
    }

    /// Runs until the task has ended and received no message for a while.
    pub async fn run(mut self, effects: Vec<Effect>, first: Option<Input>) {
        let begun = match self.perform(effects).await {
            Ok(()) => match first {
                Some(input) => self.take(input).await.map(|_| ()),
                None => Ok(()),
            },
            Err(lost) => Err(lost),
        };
        let outcome = match begun {
            Ok(()) => self.listen().await,
            Err(lost) => Err(lost),
        };
        if let Err(Lost(error)) = outcome {
            // A task whose events cannot be logged must stop. The log shows its last state when it is read again.
            self.state.notice(format!("task {} was left: {error:#}", self.id));
        }
        self.state.tasks().gate().forget(self.id.as_str());
        self.inbox.close();
        while let Ok(message) = self.inbox.try_recv() {
            if let Message::Word { reply, .. } = message {
                let _ = reply.send(Err(AGAIN.to_owned()));
            }
        }
        self.state.tasks().on_actor_end(&self.id);
    }

    async fn listen(&mut self) -> Result<(), Lost> {
        loop {
            let ended = matches!(self.stage(), Some(Stage::Ended(_)));
            let message = if ended && self.under_way.is_none() {
                match tokio::time::timeout(LINGER, self.inbox.recv()).await {
                    Ok(Some(message)) => message,
                    Ok(None) | Err(_) => return Ok(()),
                }
            } else {
                // Never `None`: this actor holds a sender itself.
                match self.inbox.recv().await {
                    Some(message) => message,
                    None => return Ok(()),
                }
            };
            match message {
                Message::Came { attempt, came } if self.attempt() == attempt => self.came(came).await?,
                Message::Came { .. } => {}
                Message::Word { word, reply } => {
                    let told = self.word(word).await?;
                    let _ = reply.send(told);
                }
                Message::Ending => {
                    self.stop.send_replace(true);
                    if !matches!(self.stage(), Some(Stage::Live(OpenState::Executing(_)))) {
                        return Ok(());
                    }
                }
            }
        }
    }

    async fn came(&mut self, came: Event) -> Result<(), Lost> {
        match came {
            Event::Input(input) => {
                if let Input::Routed { intent, scope } = &input {
                    self.routed = Some((intent.clone(), *scope));
                }
                let (input, next) = self.with_next(input);
                // An input that is rejected came too late: the task was cancelled meanwhile.
                let taken = self.take(input).await?;
                self.go_on(next.filter(|_| taken.is_ok()));
            }
            Event::Gathered(gathered) => {
                let told = gathered.told.clone();
                self.gathered = Some(Arc::from(gathered));
                self.take(Input::Collected(told)).await?.ok();
            }
            Event::Proposed(proposed) => {
                let (draft, offer) = *proposed;
                self.offer = offer;
                if let Err(refusal) = self.take(Input::Proposed(draft)).await? {
                    self.take(Input::Failed { reason: refusal }).await?.ok();
                }
            }
        }
        Ok(())
    }

    async fn word(&mut self, word: UserCommand) -> Result<Result<PendingOffer, String>, Lost> {
        let done = match word {
            UserCommand::Show => Ok(()),
            UserCommand::Approve { vote, environment } => match self.unchanged(&vote).await {
                Ok(()) => match self.approve(&vote, environment) {
                    Ok(input) => {
                        let taken = self.take(input).await?;
                        // An approval that was not used must not remain for anything else.
                        self.leave = None;
                        taken
                    }
                    Err(refusal) => Err(refusal),
                },
                Err(reason) => {
                    self.take(Input::Failed { reason: reason.clone() }).await?.ok();
                    Err(reason)
                }
            },
            UserCommand::Reject { vote, reason } => match self.answer(&vote) {
                Ok(answer) => {
                    let rejected = self.state.tasks().gate().reject(&answer);
                    match rejected {
                        Ok(()) => self.take(Input::Rejected { reason, by: Some(vote.by.clone()) }).await?,
                        Err(refusal) => Err(refusal.to_string()),
                    }
                }
                Err(refusal) => Err(refusal),
            },
            UserCommand::Edit { vote, text, confine } => match self.edited(&vote, text, confine).await {
                Ok((draft, offer)) => {
                    let before = self.offer.replace(offer);
                    let taken = self.take(Input::Edited(draft)).await?;
                    if taken.is_err() {
                        self.offer = before;
                    }
                    taken
                }
                Err(refusal) => Err(refusal),
            },
            UserCommand::Cancel => self.take(Input::Cancelled).await?,
            UserCommand::Retry { privacy: Privacy::Open } => self.take(Input::Retried).await?,
            UserCommand::Retry { privacy: Privacy::Private } => {
                self.request.meta.private = true;
                self.take(Input::RetriedPrivately).await?
            }
            UserCommand::Undone { by } => self.take(Input::Undone { by }).await?,
        };
        Ok(done.map(|()| PendingOffer { offer: self.shown.clone() }))
    }

    /// Takes one step of the machine. The inner error says why it was rejected; the task is unchanged then.
    async fn take(&mut self, input: Input) -> Result<Result<(), String>, Lost> {
        let Some(task) = self.task.take() else { return Err(Lost(anyhow::anyhow!("its state is lost"))) };
        let number = task.step();
        let draft = match &input {
            Input::Proposed(draft) | Input::Edited(draft) => Some(draft.clone()),
            _ => None,
        };
        let input = match cleaned(input).await {
            Ok(input) => input,
            Err(refusal) => {
                self.task = Some(task);
                return Ok(Err(refusal));
            }
        };
        let (task, effects) = step(task, now(), input);
        if let Some(draft) = draft.filter(|_| task.step() > number) {
            self.draft = Some((task.step(), draft));
        }
        self.task = Some(task);
        match effects {
            Ok(effects) => {
                self.perform(effects).await?;
                Ok(Ok(()))
            }
            Err(refusal) => Ok(Err(refusal.to_string())),
        }
    }

    /// Performs effects in order. Starts what acts only once all earlier events are synced to disk.
    async fn perform(&mut self, effects: Vec<Effect>) -> Result<(), Lost> {
        let mut events = Vec::new();
        let mut then = Vec::new();
        let mut sync = Sync::Later;
        for effect in effects {
            match effect {
                Effect::Emit(event) => events.push(*event),
                Effect::Save => sync = Sync::Now,
                effect => then.push(effect),
            }
        }
        self.write(&events, sync).await?;
        if matches!(self.stage(), Some(Stage::Ended(_))) {
            self.settle();
        }
        for effect in then {
            self.act(effect).await?;
        }
        Ok(())
    }

    async fn write(&mut self, events: &[aside_task::event::Event], sync: Sync) -> Result<(), Lost> {
        let Some(mut log) = self.log.take() else { return Err(Lost(anyhow::anyhow!("its log is lost"))) };
        let lines: String = events.iter().map(log::line).collect();
        let written = tokio::task::spawn_blocking(move || {
            let written = log.append(lines.as_bytes()).and_then(|end| match sync {
                Sync::Now => log.sync().map(|()| end),
                Sync::Later => Ok(end),
            });
            (log, written)
        });
        let (log, written) = written.await.map_err(|error| Lost(error.into()))?;
        self.log = Some(log);
        let end = written.map_err(|error| Lost(anyhow::Error::from(error).context("could not write its log")))?;
        self.state.tasks().on_events(&self.id, events, end);
        Ok(())
    }

    async fn act(&mut self, effect: Effect) -> Result<(), Lost> {
        match effect {
            Effect::Emit(_) | Effect::Save => {}
            Effect::Route => {
                (self.routed, self.gathered, self.offer, self.shown, self.draft) = (None, None, None, None, None);
                self.stop = watch::Sender::new(false);
                self.begin(|plan, _| async move { Event::Input(Input::routed(plan.route().await)) });
            }
            Effect::Collect => {
                let Some((intent, scope)) = self.routed.clone() else { return Ok(()) };
                self.begin(move |plan, _| async move { Event::Gathered(Box::new(plan.collect(&intent, scope).await)) });
            }
            Effect::Propose => self.propose(),
            Effect::Ask { step } => return Box::pin(self.ask(step)).await,
            Effect::Execute(order) => self.execute(order),
            Effect::Stop => {
                self.stop.send_replace(true);
                if !matches!(self.stage(), Some(Stage::Live(OpenState::Executing(_)))) {
                    self.under_way = None;
                }
            }
        }
        Ok(())
    }

    fn propose(&mut self) {
        let (Some((intent, scope)), Some(gathered)) = (self.routed.clone(), self.gathered.clone()) else { return };
        let number = self.task.as_ref().map_or(1, |task| task.step() + 1);
        self.begin(move |plan, pieces| async move {
            let maker = plan.maker();
            let say = |text: &str| pieces.send_modify(|so_far| so_far.push_str(text));
            let outcome = match plan.propose(&intent, scope, &gathered, &say).await {
                Ok(outcome) => outcome,
                Err(reason) => return Event::Input(Input::Failed { reason }),
            };
            let details = Some(outcome.details).filter(|details| !details.is_empty());
            let draft = ProposalDraft { proposal: outcome.proposal, summary: outcome.summary, details, digest: None };
            match made(maker, draft, number).await {
                Ok(proposed) => Event::Proposed(Box::new(proposed)),
                Err(reason) => Event::Input(Input::Failed { reason }),
            }
        });
    }

    /// Starts work in the background. Its pieces and its end arrive as messages; a panic counts as a failure.
    fn begin<F>(&mut self, think: impl FnOnce(Attempt, Pieces) -> F + Send + 'static)
    where
        F: Future<Output = Event> + Send + 'static,
    {
        let Some(task) = &self.task else { return };
        let (state, id, request) = (Arc::clone(&self.state), self.id.clone(), self.request.clone());
        let (attempt, sender) = (task.attempt(), self.sender.clone());
        self.work = Some(self.state.working());
        let pieces = Arc::new(watch::Sender::new(String::new()));
        let so_far = Arc::clone(&pieces);
        let thinking = text_work::spawn(text_work::UNKNOWN, async move {
            match offer::workspace(&request).await {
                Ok(workspace) => think(Attempt::new(state, id, request, workspace, attempt), so_far).await,
                Err(error) => Event::Input(Input::Failed { reason: format!("{error:#}") }),
            }
        });
        let given_up = AbortOnDrop(thinking.abort_handle());
        let task = text_work::spawn(text_work::NO_TEXT, async move {
            let _given_up = given_up;
            let mut told = Telling::new(attempt, sender, pieces, OutputChannel::Answer);
            let reason = match told.until(thinking).await {
                Ok(Ok(last)) => return told.send(last).await,
                Ok(Err(unread)) => unread.to_string(),
                Err(_) => "a fault of ours; `aside doctor` says more, retry it".to_owned(),
            };
            told.send(Event::Input(Input::Failed { reason })).await;
        });
        self.under_way = Some(AbortOnDrop(task.abort_handle()));
    }

    fn fail(&mut self, reason: impl Into<String>) {
        let (attempt, sender, reason) = (self.attempt(), self.sender.clone(), reason.into());
        text_work::spawn(text_work::NO_TEXT, async move {
            let came = Event::Input(Input::Failed { reason });
            let _ = sender.send(Message::Came { attempt, came }).await;
        });
    }

    /// Shows the proposal, or approves it automatically if the user's rules say that no review is needed.
    async fn ask(&mut self, number: u32) -> Result<(), Lost> {
        self.under_way = None;
        self.work = None;
        let offer = match self.offer.clone().filter(|offer| offer.step().number == number) {
            Some(offer) => Ok(offer),
            // After a restart of the daemon the offer is made again, and must be the same.
            None => self.remade(number).await,
        };
        let shown = offer.and_then(|offer| {
            let allowed = offer.verdict().decision() == Decision::Allow;
            let digest = self.state.tasks().gate().show(offer.clone()).map_err(|refusal| refusal.to_string())?;
            let proposal = self.waiting().map(|(proposal, _)| proposal).ok_or("nothing waits")?;
            Ok((offer::to_wire(&offer, &digest, &proposal, &self.request), offer, allowed))
        });
        let (shown, offer, allowed) = match shown {
            Ok(shown) => shown,
            Err(reason) => {
                self.take(Input::Failed { reason }).await?.ok();
                return Ok(());
            }
        };
        self.shown = Some(shown);
        self.offer = Some(offer);
        if allowed {
            self.pass(number).await?;
        }
        Ok(())
    }

    async fn pass(&mut self, number: u32) -> Result<(), Lost> {
        let by = match self.offer.as_ref().and_then(|offer| offer.verdict().rule()) {
            Some(rule) => rule.to_string(),
            None => return Ok(()),
        };
        let Some((_, Some(digest))) = self.waiting() else { return Ok(()) };
        // A command without review runs in the sandbox; where that is unavailable, the user has to review it.
        if self.is_allowed(ApprovalAction::RunCommand).is_err() || sandbox::check().is_err() {
            return Ok(());
        }
        let passed = self.state.tasks().gate().pass(&OfferStep { task: self.id.to_string(), number });
        if let Ok(approved) = passed {
            self.leave = Some((approved, Vec::new()));
            let approval = Approval { task_id: self.id.clone(), step: number, digest, by };
            self.take(Input::Approved(approval)).await?.ok();
            self.leave = None;
        }
        Ok(())
    }

    async fn remade(&mut self, number: u32) -> Result<GateOffer, String> {
        let result = self.result().ok_or(GONE)?;
        let maker = self.maker().await?;
        let digest = self.waiting().and_then(|(_, digest)| digest);
        let TaskResult { proposal, summary, details, .. } = result;
        let draft = ProposalDraft { proposal, summary, details, digest: None };
        let (draft, offer) = made(maker, draft, number).await?;
        if draft.digest != digest && is_redacted(&draft.proposal) {
            return Err("it had a secret in it, which is not kept on disk; retry it".to_owned());
        }
        if draft.digest != digest {
            return Err("what it is about has changed since it was proposed; retry it".to_owned());
        }
        offer.ok_or_else(|| "there is nothing to approve".to_owned())
    }

    /// Judges a command once more when it is approved: a rule may have been added since, or a directory replaced. Files to be changed are
    /// compared when they are written. What the gate refuses anyway is left to it.
    async fn unchanged(&mut self, vote: &Vote) -> Result<(), String> {
        let is_meant = self.shown.as_ref().is_some_and(|shown| {
            shown.action == "run_command" && (shown.step, &shown.digest) == (vote.step, &vote.digest)
        });
        match vote.from {
            RequestSource::LocalUi if is_meant => self.remade(vote.step).await.map(|_| ()),
            RequestSource::LocalUi | RequestSource::Wecom | RequestSource::Webhook | RequestSource::Relay => Ok(()),
        }
    }

    fn answer(&self, vote: &Vote) -> Result<ApprovalAnswer, String> {
        let Vote { step, digest, from, by } = vote;
        let digest = offer::parse_digest(digest).ok_or("that is no digest; look at the proposal first")?;
        let step = OfferStep { task: self.id.to_string(), number: *step };
        Ok(ApprovalAnswer { step, digest, from: *from, by: by.clone() })
    }

    fn approve(&mut self, vote: &Vote, environment: Vec<String>) -> Result<Input, String> {
        let (proposal, digest) = self.waiting().ok_or("nothing of this task waits for approval")?;
        let digest = digest.ok_or("nothing of this task waits for approval")?;
        self.is_allowed(proposal.action().unwrap_or(ApprovalAction::RunCommand))?;
        let answer = self.answer(vote)?;
        let approved = self.state.tasks().gate().approve(&answer).map_err(|refusal| refusal.to_string())?;
        self.leave = Some((approved, environment));
        Ok(Input::Approved(Approval { task_id: self.id.clone(), step: vote.step, digest, by: vote.by.clone() }))
    }

    fn is_allowed(&self, action: ApprovalAction) -> Result<(), String> {
        let settings = &self.state.config().task;
        match action {
            ApprovalAction::ApplyDiff if !settings.allow_apply_patch => {
                Err("task.allow_apply_patch is off, so no change is written".to_owned())
            }
            ApprovalAction::RunCommand if !settings.allow_run_terminal => {
                Err("task.allow_run_terminal is off, so no command is run".to_owned())
            }
            ApprovalAction::ApplyDiff | ApprovalAction::RunCommand => Ok(()),
        }
    }

    /// Checks the user's edit of a proposal as if a model had written it. The user must have seen the proposal that they edit.
    async fn edited(
        &mut self,
        vote: &Vote,
        text: String,
        confined: Option<WriteConfinement>,
    ) -> Result<(ProposalDraft, GateOffer), String> {
        let shown = self.shown.as_ref().ok_or("nothing of this task waits for approval")?;
        if vote.from != RequestSource::LocalUi {
            return Err("it can be edited at this machine only".to_owned());
        }
        if (shown.step, &shown.digest) != (vote.step, &vote.digest) {
            return Err("something else is proposed by now; look at it again".to_owned());
        }
        let result = self.result().ok_or("nothing of this task waits for approval")?;
        let (proposal, summary) = match result.proposal {
            Proposal::Command { cmd: before, cwd, reason, confine } => {
                let cmd = text.trim_end_matches('\n').to_owned();
                // The reason for the original command does not apply to an edited one.
                let (summary, reason) = match cmd == before {
                    true => (result.summary, reason),
                    false => {
                        (format!("Run {}", code(&short(&cmd, MAX_SUMMARY))), Some("It is what you wrote.".to_owned()))
                    }
                };
                (Proposal::Command { cmd, cwd, reason, confine: confined.unwrap_or(confine) }, summary)
            }
            Proposal::Diff { diff_id, .. } => {
                (Proposal::Diff { diff_id, unified_diff: text, files: Vec::new() }, result.summary)
            }
            Proposal::Plan { .. } | Proposal::Answer { .. } | Proposal::SearchResults { .. } => {
                return Err("there is nothing to edit".to_owned());
            }
        };
        let draft = ProposalDraft { proposal, summary, details: result.details, digest: None };
        let maker = self.maker().await?;
        let number = self.task.as_ref().map_or(1, |task| task.step() + 1);
        let (draft, offer) = made(maker, draft, number).await?;
        Ok((draft, offer.ok_or("there is nothing to approve")?))
    }

    fn execute(&mut self, order: Order) {
        let Some((approved, environment)) = self.leave.take() else {
            return self.fail("it was not approved; retry it");
        };
        if approved.step().task != self.id.as_str() || approved.step().number != order.step() {
            return self.fail("something else was approved; retry it");
        }
        let (state, id, request) = (Arc::clone(&self.state), self.id.clone(), self.request.clone());
        let proposal = self.as_proposed(order.step(), order.proposal());
        let ground = async move {
            let maker = OfferBuilder::of(state, id, request).await?;
            let settings = maker.state.config();
            Ok::<_, String>(ExecutionContext {
                workspace: maker.workspace.clone(),
                dialect: maker.dialect(),
                environment,
                aside: maker.state.program().to_owned(),
                undo_log: maker.state.tasks().undo_log(),
                timeout: Duration::from_secs(settings.task.timeout_s),
                bytes: settings.task.output_kb * 1024,
                label: format!("{}.{}", maker.id, approved.step().number),
                approved,
            })
        };
        let (attempt, sender) = (self.attempt(), self.sender.clone());
        self.work = Some(self.state.working());
        self.shown = None;
        let stop = self.stop.subscribe();
        let task = text_work::spawn(text_work::NO_TEXT, async move {
            let pieces = Arc::new(watch::Sender::new(String::new()));
            let say = Arc::clone(&pieces);
            let acting = async {
                let ground = ground.await?;
                execution::perform(order.action(), proposal, ground, stop, move |text: &str| {
                    say.send_modify(|so_far| so_far.push_str(text))
                })
                .await
            };
            let mut told = Telling::new(attempt, sender, pieces, OutputChannel::Output);
            let ended = match told.until(acting).await {
                Ok(outcome) => Input::Finished(outcome),
                Err(reason) => Input::Failed { reason },
            };
            told.send(Event::Input(ended)).await;
        });
        self.under_way = Some(AbortOnDrop(task.abort_handle()));
    }

    /// The task has ended: drops its proposal and lets the daemon exit.
    fn settle(&mut self) {
        (self.offer, self.shown, self.leave) = (None, None, None);
        self.under_way = None;
        self.work = None;
        self.state.tasks().gate().forget(self.id.as_str());
    }

    async fn maker(&self) -> Result<OfferBuilder, String> {
        OfferBuilder::of(Arc::clone(&self.state), self.id.clone(), self.request.clone()).await
    }

    fn stage(&self) -> Option<&Stage> {
        self.task.as_ref().map(Task::state)
    }

    fn attempt(&self) -> u32 {
        self.task.as_ref().map_or(0, Task::attempt)
    }

    /// The waiting proposal, with the digest under which it is logged.
    fn waiting(&self) -> Option<(Proposal, Option<aside_task::event::ApprovalDigest>)> {
        match self.stage()? {
            Stage::Live(OpenState::WaitingApproval(waiting)) => {
                let acting = waiting.acting();
                Some((self.as_proposed(acting.step(), acting.proposal()), Some(acting.digest().clone())))
            }
            _ => None,
        }
    }

    fn result(&self) -> Option<TaskResult> {
        match self.stage()? {
            Stage::Live(OpenState::WaitingApproval(waiting)) => {
                let result = waiting.acting().result().clone();
                Some(match self.draft_of(waiting.acting().step()).cloned() {
                    Some(ProposalDraft { proposal, summary, details, digest: _ }) => {
                        TaskResult { proposal, summary, details, ..result }
                    }
                    None => result,
                })
            }
            _ => None,
        }
    }

    /// The proposal of a step as it was made, if this daemon made it; else as logged.
    fn as_proposed(&self, step: u32, logged: &Proposal) -> Proposal {
        self.draft_of(step).map_or(logged, |draft| &draft.proposal).clone()
    }

    fn draft_of(&self, step: u32) -> Option<&ProposalDraft> {
        self.draft.as_ref().filter(|(number, _)| *number == step).map(|(_, draft)| draft)
    }
}

/// Makes the offer where a long command or change keeps no other request waiting.
async fn made(
    maker: OfferBuilder,
    draft: ProposalDraft,
    number: u32,
) -> Result<(ProposalDraft, Option<GateOffer>), String> {
    text_work::read(text_work::UNKNOWN, move || maker.make(draft, number)).await.map_err(|unread| unread.to_string())?
}

/// The input as the log may have it. Where that takes too long to find out, the text is withheld: what the user has written is refused,
/// and of everything else only the failure is logged.
async fn cleaned(input: Input) -> Result<Input, String> {
    let is_written = match &input {
        Input::Edited(_) | Input::Rejected { .. } => true,
        Input::Routed { .. } | Input::Proposed(_) | Input::Finished(_) | Input::Failed { .. } => false,
        // The log has nothing of them that is a text, or they are streams, which `Telling` has redacted.
        Input::Piece(_)
        | Input::Output(_)
        | Input::Collected(_)
        | Input::Approved(_)
        | Input::Cancelled
        | Input::Retried
        | Input::RetriedPrivately
        | Input::Undone { .. }
        | Input::Restarted => return Ok(input),
    };
    match text_work::read(text_work::UNKNOWN, move || redact_log::input(input)).await {
        Ok(input) => Ok(input),
        Err(unread) if is_written => Err(unread.to_string()),
        Err(unread) => Ok(Input::Failed { reason: unread.to_string() }),
    }
}

fn is_redacted(proposal: &Proposal) -> bool {
    match proposal {
        Proposal::Command { cmd: text, reason, .. } => {
            [text].into_iter().chain(reason).any(|text| text.contains(REDACTED))
        }
        Proposal::Diff { unified_diff: text, .. } => text.contains(REDACTED),
        Proposal::Plan { .. } | Proposal::Answer { .. } | Proposal::SearchResults { .. } => false,
    }
}

const GONE: &str = "the task is gone; ask anew";

/// The reply to a request that arrives just as the task is removed from memory.
pub const AGAIN: &str = "the task is being put away; ask again";

/// Whether events must be synced to disk before anything else happens.
#[derive(Clone, Copy)]
enum Sync {
    Now,
    Later,
}

/// The task cannot continue in this daemon.
struct Lost(anyhow::Error);

pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The outcome of a change that was written right before a crash, according to the undo log.
pub fn written(receipt: &Receipt) -> Input {
    Input::Finished(ActOutcome {
        summary: "the change was written; the daemon ended right after it".to_owned(),
        undo: Some(receipt.to_string()),
        ..ActOutcome::default()
    })
}
