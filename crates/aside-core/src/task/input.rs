//! What can happen to a task, and why something cannot happen to it now. Decides nothing: that is the machine's.

use std::fmt;

use crate::task::event::{Approval, Cause, Context, Digest, Outcome};
use crate::task::machine::{MAX_ATTEMPTS, MAX_STEPS};
use crate::task::proposal::Proposal;
use crate::task::route::intent::Intent;
use crate::task::route::{Route, Scope};
use crate::task::state::Name;

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    Routed {
        intent: Intent,
        scope: Scope,
    },
    Collected(Context),
    /// Somebody who proposes said more.
    Piece(String),
    Proposed(Draft),
    Approved(Approval),
    Rejected {
        reason: Option<String>,
        /// As whoever said it calls himself, for the log.
        by: Option<String>,
    },
    /// A person wrote another proposal of the same sort.
    Edited(Draft),
    /// What runs wrote more.
    Output(String),
    /// What ran has ended.
    Finished(Outcome),
    Failed {
        reason: String,
    },
    Cancelled,
    Retried,
    /// Whether the caller is private: the task is private from now on.
    RetriedPrivately,
    /// What it wrote was taken back.
    Undone {
        by: String,
    },
    /// The daemon is back; whatever was under way is not any more.
    Restarted,
}

/// A proposal before it has a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    pub proposal: Proposal,
    pub summary: String,
    pub details: Option<String>,
    /// What acts must have one.
    pub digest: Option<Digest>,
}

/// Why nothing happened. The task is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    NotNow {
        state: Name,
    },
    /// It runs already, and is told to stop.
    Stopping,
    OtherTask,
    /// Something else is proposed by now.
    OtherStep {
        now: u32,
    },
    OtherDigest,
    /// It has written nothing that could be taken back.
    NothingWritten,
    /// That has happened already.
    TakenBack,
    /// A proposal that acts came without one.
    NoDigest,
    /// An edit made something else of it.
    OtherAction,
    TooLong {
        bytes: usize,
        most: usize,
    },
    TooManyAttempts,
    TooManySteps,
}

impl Input {
    /// What a route says. Who asks that nothing be changed gets a plan.
    pub fn routed(route: Route) -> Self {
        let Route { intent, scope, by: _, notes: _, held } = route;
        Self::Routed { intent, scope: if held { Scope::Plan } else { scope } }
    }

    /// As the first event of the step has it; pieces of a stream are events by themselves.
    pub fn cause(&self) -> Option<Cause> {
        match self {
            Self::Piece(_) | Self::Output(_) => None,
            Self::Routed { .. } => Some(Cause::Routed),
            Self::Collected(_) => Some(Cause::Collected),
            Self::Proposed(_) => Some(Cause::Proposed),
            Self::Approved(_) => Some(Cause::Approved),
            Self::Rejected { .. } => Some(Cause::Rejected),
            Self::Edited(_) => Some(Cause::Edited),
            Self::Finished(_) => Some(Cause::Finished),
            Self::Failed { .. } => Some(Cause::Failed),
            Self::Cancelled => Some(Cause::Cancelled),
            Self::Retried | Self::RetriedPrivately => Some(Cause::Retried),
            Self::Undone { .. } => Some(Cause::Undone),
            Self::Restarted => Some(Cause::Restarted),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotNow { state } => {
                let state = match state {
                    Name::Received => "has only been received",
                    Name::Routed => "is gathering what it needs",
                    Name::ContextCollected | Name::Proposing => "has no proposal yet",
                    Name::ProposalReady => "is about to ask",
                    Name::WaitingApproval => "waits for approval",
                    Name::Executing => "is being carried out",
                    Name::Completed => "is completed",
                    Name::Failed => "has failed; retry it",
                    Name::Rejected => "was rejected; retry it",
                };
                write!(out, "the task {state}")
            }
            Self::Stopping => out.write_str("it is told to stop already"),
            Self::OtherTask => out.write_str("that approval is for another task"),
            Self::OtherStep { now } => write!(out, "proposal {now} is shown by now; look at it and approve that"),
            Self::OtherDigest => out.write_str("that is not what is proposed; look at the proposal again"),
            Self::NothingWritten => {
                out.write_str("this task changed no files that could be undone, and what a command did stays")
            }
            Self::TakenBack => out.write_str("what it wrote was undone already"),
            Self::NoDigest => out.write_str("a proposal that acts needs a digest"),
            Self::OtherAction => out.write_str("an edit cannot make something else of a proposal; ask anew"),
            Self::TooLong { bytes, most } => write!(out, "{bytes} bytes are too many, at most {most} are taken"),
            Self::TooManyAttempts => write!(out, "it was tried {MAX_ATTEMPTS} times; ask anew"),
            Self::TooManySteps => write!(out, "there were {MAX_STEPS} proposals already; ask anew"),
        }
    }
}

impl std::error::Error for Refusal {}
