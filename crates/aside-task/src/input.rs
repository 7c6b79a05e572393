//! The inputs of the task machine, and the reasons for which it refuses one. Decides nothing itself; `machine` does.

use std::fmt;

use crate::event::{ActOutcome, Approval, ApprovalDigest, GatheredFiles, TransitionCause};
use crate::proposal::Proposal;
use crate::route::intent::Intent;
use crate::route::{Route, TaskScope};
use crate::state::StateName;

/// Proposals of a task, edits included.
pub const MAX_STEPS: u32 = 50;
pub const MAX_ATTEMPTS: u32 = 10;

/// An input of the machine.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    Routed {
        intent: Intent,
        scope: TaskScope,
    },
    Collected(GatheredFiles),
    /// The model or agent streamed more text.
    Piece(String),
    Proposed(ProposalDraft),
    Approved(Approval),
    Rejected {
        reason: Option<String>,
        /// The user's name as the client gave it, for the log.
        by: Option<String>,
    },
    /// The user replaced the proposal with another one of the same action.
    Edited(ProposalDraft),
    /// The running command printed more.
    Output(String),
    /// The running command or change has ended.
    Finished(ActOutcome),
    Failed {
        reason: String,
    },
    Cancelled,
    Retried,
    /// A retry by a private client: the task is private from now on.
    RetriedPrivately,
    /// The user undid what the task wrote.
    Undone {
        by: String,
    },
    /// The daemon has restarted; work that was under way is lost.
    Restarted,
}

/// A proposal that has no number yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposalDraft {
    pub proposal: Proposal,
    pub summary: String,
    pub details: Option<String>,
    /// Required for a proposal that acts.
    pub digest: Option<ApprovalDigest>,
}

/// Why the machine refused an input. The task is unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputRefusal {
    NotNow {
        state: StateName,
    },
    /// It is running and has already been told to stop.
    Stopping,
    OtherTask,
    /// A newer proposal has replaced it.
    OtherStep {
        now: u32,
    },
    OtherDigest,
    /// The task wrote nothing that can be undone.
    NothingWritten,
    /// It has been undone already.
    TakenBack,
    /// A proposal that acts came without a digest.
    NoDigest,
    /// The edit has another action than the proposal it replaces.
    OtherAction,
    TooLong {
        bytes: usize,
        most: usize,
    },
    TooManyAttempts,
    TooManySteps,
}

impl Input {
    /// The input for a route. A request that says to change nothing gets the scope `SearchPlan`.
    pub fn routed(route: Route) -> Self {
        let Route { intent, scope, by: _, notes: _, held } = route;
        Self::Routed { intent, scope: if held { TaskScope::Plan } else { scope } }
    }

    /// The cause that the first event of the step records. Stream pieces have none: each chunk event describes itself.
    pub fn cause(&self) -> Option<TransitionCause> {
        match self {
            Self::Piece(_) | Self::Output(_) => None,
            Self::Routed { .. } => Some(TransitionCause::Routed),
            Self::Collected(_) => Some(TransitionCause::Collected),
            Self::Proposed(_) => Some(TransitionCause::Proposed),
            Self::Approved(_) => Some(TransitionCause::Approved),
            Self::Rejected { .. } => Some(TransitionCause::Rejected),
            Self::Edited(_) => Some(TransitionCause::Edited),
            Self::Finished(_) => Some(TransitionCause::Finished),
            Self::Failed { .. } => Some(TransitionCause::Failed),
            Self::Cancelled => Some(TransitionCause::Cancelled),
            Self::Retried | Self::RetriedPrivately => Some(TransitionCause::Retried),
            Self::Undone { .. } => Some(TransitionCause::Undone),
            Self::Restarted => Some(TransitionCause::Restarted),
        }
    }
}

impl fmt::Display for InputRefusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotNow { state } => {
                let state = match state {
                    StateName::Received => "has only been received",
                    StateName::Routed => "is gathering what it needs",
                    StateName::ContextCollected | StateName::Proposing => "has no proposal yet",
                    StateName::ProposalReady => "is about to ask",
                    StateName::WaitingApproval => "waits for approval",
                    StateName::Executing => "is being carried out",
                    StateName::Completed => "is completed",
                    StateName::Failed => "has failed; retry it",
                    StateName::Rejected => "was rejected; retry it",
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

impl std::error::Error for InputRefusal {}
