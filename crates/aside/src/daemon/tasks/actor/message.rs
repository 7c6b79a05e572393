//! What a task is sent: requests of users, and the progress of its own work in the background.

use aside_proto as proto;
use aside_task::gate::offer::GateOffer;
use aside_task::input::{Input, ProposalDraft};
use aside_task::proposal::{RequestSource, WriteConfinement};
use tokio::sync::oneshot;

use crate::daemon::tasks::attempt::GatheredContext;
use crate::provider::Privacy;

/// A message to a task.
pub enum Message {
    /// Progress of the work in the background. Ignored if it belongs to an earlier attempt.
    Came {
        attempt: u32,
        came: Event,
    },
    Word {
        word: UserCommand,
        reply: oneshot::Sender<Result<PendingOffer, String>>,
    },
    /// The daemon is ending.
    Ending,
}

/// A result of work in the background.
pub enum Event {
    Input(Input),
    Gathered(Box<GatheredContext>),
    /// With the offer, if the proposal acts.
    Proposed(Box<(ProposalDraft, Option<GateOffer>)>),
}

/// A request of the user.
pub enum UserCommand {
    Show,
    Approve {
        vote: Vote,
        environment: Vec<String>,
    },
    Reject {
        vote: Vote,
        reason: Option<String>,
    },
    Edit {
        vote: Vote,
        text: String,
        confine: Option<WriteConfinement>,
    },
    Cancel,
    /// With the caller's privacy.
    Retry {
        privacy: Privacy,
    },
    /// The change of this task was undone.
    Undone {
        by: String,
    },
}

/// The proposal that a decision is about, and who decided.
#[derive(Clone, Debug)]
pub struct Vote {
    pub step: u32,
    pub digest: String,
    pub from: RequestSource,
    pub by: String,
}

/// The offer to show, if a proposal waits.
#[derive(Debug)]
pub struct PendingOffer {
    pub offer: Option<proto::task::ApprovalOffer>,
}
