//! What is to be done about a task. Does none of it.

use crate::task::event::{Digest, Event, Id};
use crate::task::proposal::Proposal;
use crate::task::route::intent::Action;
use crate::task::state::Executing;

/// What is to be done, in this order.
#[derive(Debug, PartialEq)]
pub enum Effect {
    /// Append it to the log, then tell it to everybody who watches.
    Emit(Box<Event>),
    /// Wait until all that was emitted is on the disk.
    Save,
    Route,
    Collect,
    Propose,
    /// Show the proposal of this number to a person.
    Ask {
        step: u32,
    },
    Execute(Order),
    /// Give up what is under way.
    Stop,
}

/// To carry out exactly this, once. It cannot be copied and not be read from anywhere.
#[derive(Debug, PartialEq)]
pub struct Order {
    task_id: Id,
    step: u32,
    digest: Digest,
    action: Action,
    proposal: Box<Proposal>,
}

impl Order {
    /// Only what has been approved is `Executing`.
    pub(in crate::task) fn of(task_id: Id, executing: &Executing) -> Self {
        let acting = executing.acting();
        Self {
            task_id,
            step: acting.step(),
            digest: acting.digest().clone(),
            action: acting.action(),
            proposal: Box::new(acting.proposal().clone()),
        }
    }

    pub fn task_id(&self) -> &Id {
        &self.task_id
    }

    pub fn step(&self) -> u32 {
        self.step
    }

    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    pub fn action(&self) -> Action {
        self.action
    }

    pub fn proposal(&self) -> &Proposal {
        &self.proposal
    }
}
