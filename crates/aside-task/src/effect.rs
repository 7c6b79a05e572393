//! What the caller of the task machine has to do after a step. Performs none of it.

use crate::event::{ApprovalDigest, Event, TaskId};
use crate::proposal::Proposal;
use crate::route::intent::ApprovalAction;
use crate::state::Executing;

/// Effects are performed in the order in which the machine lists them.
#[derive(Debug, PartialEq)]
pub enum Effect {
    /// Appends the event to the log, then sends it to every subscriber.
    Emit(Box<Event>),
    /// Waits until everything emitted so far is on the disk.
    Save,
    Route,
    Collect,
    Propose,
    /// Shows the proposal with this number to the user.
    Ask {
        step: u32,
    },
    Execute(Order),
    /// Stops what is under way.
    Stop,
}

/// Permission to carry out exactly this action, once. It is neither `Clone` nor deserializable, so it cannot be duplicated or forged.
#[derive(Debug, PartialEq)]
pub struct Order {
    task_id: TaskId,
    step: u32,
    digest: ApprovalDigest,
    action: ApprovalAction,
    proposal: Box<Proposal>,
}

impl Order {
    /// Takes an `Executing`, which exists only after an approval.
    pub(crate) fn of(task_id: TaskId, executing: &Executing) -> Self {
        let acting = executing.acting();
        Self {
            task_id,
            step: acting.step(),
            digest: acting.digest().clone(),
            action: acting.action(),
            proposal: Box::new(acting.proposal().clone()),
        }
    }

    pub fn task_id(&self) -> &TaskId {
        &self.task_id
    }

    pub fn step(&self) -> u32 {
        self.step
    }

    pub fn digest(&self) -> &ApprovalDigest {
        &self.digest
    }

    pub fn action(&self) -> ApprovalAction {
        self.action
    }

    pub fn proposal(&self) -> &Proposal {
        &self.proposal
    }
}
