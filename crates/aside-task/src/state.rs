//! The ten states of a task and the only transitions between them. The fields of a state are private and a transition consumes the state
//! before it, so that no other module can write a transition that is missing here. In particular, only an approval of the very proposal
//! that waits makes an `Executing`. Emits no events.

use serde::{Deserialize, Serialize};

use crate::event::{ActOutcome, Approval, ApprovalDigest, GatheredFiles};
use crate::proposal::{Proposal, TaskResult};
use crate::route::TaskScope;
use crate::route::intent::{ApprovalAction, Intent};

/// Names as docs/task.md and the wire spell them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum StateName {
    Received,
    Routed,
    ContextCollected,
    Proposing,
    ProposalReady,
    WaitingApproval,
    Executing,
    Completed,
    Failed,
    Rejected,
}

#[derive(Clone, Debug, PartialEq)]
pub enum State {
    Live(OpenState),
    Ended(FinalState),
}

/// States from which a task still moves.
#[derive(Clone, Debug, PartialEq)]
pub enum OpenState {
    Received(Received),
    Routed(Routed),
    ContextCollected(Collected),
    Proposing(Proposing),
    ProposalReady(Ready),
    WaitingApproval(Waiting),
    Executing(Executing),
}

#[derive(Clone, Debug, PartialEq)]
pub enum FinalState {
    Completed(Completed),
    Failed(Failed),
    Rejected(Rejected),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Received(());

#[derive(Clone, Debug, PartialEq)]
pub struct Routed {
    intent: Box<Intent>,
    scope: TaskScope,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Collected {
    routed: Routed,
    context: GatheredFiles,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Proposing {
    routed: Routed,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Ready {
    offer: Offer,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    acting: Acting,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Executing {
    acting: Acting,
    going: Going,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Completed {
    result: Box<TaskResult>,
    /// The result of carrying it out; `None` if there was nothing to carry out.
    outcome: Option<ActOutcome>,
    /// Who undid what it wrote.
    undone: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Failed {
    reason: String,
    during: StateName,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Rejected {
    reason: Option<String>,
    during: StateName,
}

/// A proposal, by whether it acts.
#[derive(Clone, Debug, PartialEq)]
pub enum Offer {
    Says(Box<TaskResult>),
    Acts(Acting),
}

/// A proposal that changes something when it is carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct Acting {
    result: Box<TaskResult>,
    action: ApprovalAction,
    /// Number of the proposal in its task, from 1, across attempts.
    step: u32,
    digest: ApprovalDigest,
}

/// Whether the user has asked it to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Going {
    On,
    Stopping,
}

/// The state after a proposal: one that does not act completes the task.
#[derive(Clone, Debug, PartialEq)]
pub enum Settled {
    Completed(Completed),
    Waiting(Waiting),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Answered {
    Executing(Executing),
    Waiting(Waiting, Mismatch),
}

/// Which part of an approval does not match the waiting proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    Task,
    Step,
    Digest,
}

/// The result of a cancellation. A running command has to be stopped first, and reports itself how it ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Cancelled {
    Rejected(Rejected),
    Executing(Executing),
}

impl Received {
    /// The initial state, also of a retry.
    pub fn anew() -> Self {
        Self(())
    }

    pub fn routed(self, intent: Intent, scope: TaskScope) -> Routed {
        let Self(()) = self;
        Routed { intent: Box::new(intent), scope }
    }
}

impl Routed {
    pub fn intent(&self) -> &Intent {
        &self.intent
    }

    pub fn scope(&self) -> TaskScope {
        self.scope
    }

    pub fn collected(self, context: GatheredFiles) -> Collected {
        Collected { routed: self, context }
    }
}

impl Collected {
    pub fn context(&self) -> &GatheredFiles {
        &self.context
    }

    pub fn proposing(self) -> Proposing {
        Proposing { routed: self.routed }
    }
}

impl Proposing {
    pub fn routed(&self) -> &Routed {
        &self.routed
    }

    pub fn proposed(self, offer: Offer) -> Ready {
        Ready { offer }
    }
}

impl Ready {
    pub fn offer(&self) -> &Offer {
        &self.offer
    }

    pub fn settled(self) -> Settled {
        match self.offer {
            Offer::Says(result) => Settled::Completed(Completed { result, outcome: None, undone: None }),
            Offer::Acts(acting) => Settled::Waiting(Waiting { acting }),
        }
    }
}

impl Waiting {
    pub fn acting(&self) -> &Acting {
        &self.acting
    }

    /// The only transition to `Executing`.
    pub fn answered(self, approval: &Approval) -> Answered {
        let Approval { task_id, step, digest, by: _ } = approval;
        if task_id.as_str() != self.acting.result.task_id {
            Answered::Waiting(self, Mismatch::Task)
        } else if *step != self.acting.step {
            Answered::Waiting(self, Mismatch::Step)
        } else if *digest != self.acting.digest {
            Answered::Waiting(self, Mismatch::Digest)
        } else {
            Answered::Executing(Executing { acting: self.acting, going: Going::On })
        }
    }

    /// Replaces the proposal; the task waits for a new approval.
    pub fn edited(self, acting: Acting) -> Ready {
        Ready { offer: Offer::Acts(acting) }
    }

    pub fn rejected(self, reason: Option<String>) -> Rejected {
        Rejected { reason, during: StateName::WaitingApproval }
    }
}

impl Executing {
    pub fn acting(&self) -> &Acting {
        &self.acting
    }

    pub fn is_stopping(&self) -> bool {
        self.going == Going::Stopping
    }

    pub fn stopping(self) -> Self {
        Self { acting: self.acting, going: Going::Stopping }
    }

    pub fn finished(self, outcome: ActOutcome) -> Completed {
        Completed { result: self.acting.result, outcome: Some(outcome), undone: None }
    }
}

impl Completed {
    pub fn result(&self) -> &TaskResult {
        &self.result
    }

    pub fn outcome(&self) -> Option<&ActOutcome> {
        self.outcome.as_ref()
    }

    /// Who undid what it wrote, if it was undone.
    pub fn undone_by(&self) -> Option<&str> {
        self.undone.as_deref()
    }

    /// The task stays completed, since it was carried out.
    pub fn undone(self, by: String) -> Self {
        Self { undone: Some(by), ..self }
    }
}

impl Failed {
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The state in which it failed or was rejected. Only `EXECUTING` can have left partial changes behind.
    pub fn during(&self) -> StateName {
        self.during
    }
}

impl Rejected {
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    pub fn during(&self) -> StateName {
        self.during
    }
}

impl Offer {
    /// `None` for a proposal that acts and has no digest: an approval could not say which bytes it covers.
    pub fn of(result: TaskResult, step: u32, digest: Option<ApprovalDigest>) -> Option<Self> {
        let result = Box::new(result);
        match (result.proposal.action(), digest) {
            (None, _) => Some(Self::Says(result)),
            (Some(action), Some(digest)) => Some(Self::Acts(Acting { result, action, step, digest })),
            (Some(_), None) => None,
        }
    }
}

impl Acting {
    pub fn result(&self) -> &TaskResult {
        &self.result
    }

    pub fn proposal(&self) -> &Proposal {
        &self.result.proposal
    }

    pub fn action(&self) -> ApprovalAction {
        self.action
    }

    pub fn step(&self) -> u32 {
        self.step
    }

    pub fn digest(&self) -> &ApprovalDigest {
        &self.digest
    }
}

impl OpenState {
    pub fn name(&self) -> StateName {
        match self {
            Self::Received(_) => StateName::Received,
            Self::Routed(_) => StateName::Routed,
            Self::ContextCollected(_) => StateName::ContextCollected,
            Self::Proposing(_) => StateName::Proposing,
            Self::ProposalReady(_) => StateName::ProposalReady,
            Self::WaitingApproval(_) => StateName::WaitingApproval,
            Self::Executing(_) => StateName::Executing,
        }
    }

    pub fn failed(self, reason: String) -> Failed {
        Failed { reason, during: self.name() }
    }

    pub fn cancelled(self, reason: String) -> Cancelled {
        let during = self.name();
        match self {
            Self::Executing(executing) => Cancelled::Executing(executing.stopping()),
            Self::Received(_)
            | Self::Routed(_)
            | Self::ContextCollected(_)
            | Self::Proposing(_)
            | Self::ProposalReady(_)
            | Self::WaitingApproval(_) => Cancelled::Rejected(Rejected { reason: Some(reason), during }),
        }
    }
}

impl FinalState {
    pub fn name(&self) -> StateName {
        match self {
            Self::Completed(_) => StateName::Completed,
            Self::Failed(_) => StateName::Failed,
            Self::Rejected(_) => StateName::Rejected,
        }
    }

    pub fn retried(self) -> Received {
        Received::anew()
    }
}

impl State {
    pub fn name(&self) -> StateName {
        match self {
            Self::Live(live) => live.name(),
            Self::Ended(ended) => ended.name(),
        }
    }
}
