//! The only place that makes an `Approved`: from an offer that was shown, and a local user's answer that carries the digest of exactly that
//! offer. Keeps nothing across a restart of the daemon: a new daemon asks again.

use std::collections::BTreeMap;
use std::fmt;

use crate::gate::Decision;
use crate::gate::offer::{GateOffer, OfferStep, OfferedAct};
use crate::proposal::RequestSource;

/// Tasks with offers on display; `show` refuses more.
pub const MAX_TASKS: usize = 1000;
/// Offers of one task.
pub const MAX_STEPS: usize = 200;

pub type DigestBytes = [u8; 32];

/// Permission to do one thing once. The executor takes it by value.
///
/// No other module can make one:
/// ```compile_fail,E0451
/// use aside_task::gate::{approve::{Approved, Permission}, offer::{OfferedAct, OfferedRun, OfferStep}};
/// let step = OfferStep { task: "t".to_owned(), number: 1 };
/// let forged = Approved { step, digest: [0; 32], act: OfferedAct::Run(OfferedRun::default()), leave: Permission::Person };
/// ```
/// copy one:
/// ```compile_fail,E0599
/// fn twice(approved: aside_task::gate::approve::Approved) {
///     let _again = approved.clone();
/// }
/// ```
/// or use one twice:
/// ```compile_fail,E0382
/// fn twice(approved: aside_task::gate::approve::Approved) {
///     let _once = approved.into_act();
///     let _again = approved.into_act();
/// }
/// ```
/// Once is fine:
/// ```
/// fn once(approved: aside_task::gate::approve::Approved) {
///     let _act = approved.into_act();
/// }
/// ```
#[must_use]
#[derive(Debug)]
pub struct Approved {
    step: OfferStep,
    digest: DigestBytes,
    act: OfferedAct,
    leave: Permission,
}

/// Who gave permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    Person,
    /// No user was asked: the user's own rules allow the command.
    Rules,
}

/// Environment of a command that runs without approval: no pager, no prompts, no locks, and no file watcher started by git.
pub const UNWATCHED: [(&str, &str); 7] = [
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_CONFIG_COUNT", "1"),
    ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
    ("GIT_CONFIG_VALUE_0", "false"),
];

impl Approved {
    pub fn step(&self) -> &OfferStep {
        &self.step
    }

    pub fn digest(&self) -> &DigestBytes {
        &self.digest
    }

    pub fn leave(&self) -> Permission {
        self.leave
    }

    /// Gives up the permission in exchange for the action.
    pub fn into_act(self) -> OfferedAct {
        self.act
    }
}

/// A client's answer to an offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalAnswer {
    pub step: OfferStep,
    /// The digest of what the user saw.
    pub digest: DigestBytes,
    pub from: RequestSource,
    /// The connection or session of the answer. Tells a repeated answer from a second approver.
    pub by: String,
}

/// Why nothing was approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalRefusal {
    /// Only a user at this machine can approve.
    Remote,
    /// No offer of this task was shown.
    NotShown,
    /// This step was not shown, or is not the newest.
    OtherStep,
    /// The user saw something else.
    OtherDigest,
    /// The user saw it before it was edited; the edited proposal is a new offer.
    Edited,
    /// The same answer came before; an approval is good for one run.
    Replayed,
    /// Another user approved first.
    SecondApprover,
    Rejected,
    /// A rule denies it, so the user is not asked.
    Denied,
    /// No rule of the user allows it without approval.
    NeedsPerson,
    /// Too many offers are waiting.
    Full,
}

impl fmt::Display for ApprovalRefusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            ApprovalRefusal::Remote => "only a user at this machine can approve",
            ApprovalRefusal::NotShown => "nothing of this task was shown yet",
            ApprovalRefusal::OtherStep => "this step is not the one that waits",
            ApprovalRefusal::OtherDigest => "what you saw is not what would be done",
            ApprovalRefusal::Edited => "the proposal was edited meanwhile; look at it again",
            ApprovalRefusal::Replayed => "you have approved this already, and once is once",
            ApprovalRefusal::SecondApprover => "another client has approved this already",
            ApprovalRefusal::Rejected => "it was rejected",
            ApprovalRefusal::Denied => "a rule denies it",
            ApprovalRefusal::NeedsPerson => "a user at this machine has to approve it",
            ApprovalRefusal::Full => "too much is waiting for approval already",
        })
    }
}

/// The offers on display, and what became of each.
pub struct ApprovalGate {
    digest: fn(&[u8]) -> DigestBytes,
    /// Random for each daemon, so that an answer to a previous daemon matches nothing.
    salt: [u8; 32],
    /// Number of offers shown so far. Part of the digest, so that showing the same offer again gives a new digest.
    count: u64,
    tasks: BTreeMap<String, Vec<Shown>>,
}

struct Shown {
    number: u32,
    digest: DigestBytes,
    /// Digest of the offer without salt, to recognise the same offer.
    plain: DigestBytes,
    decision: Decision,
    source: RequestSource,
    /// Taken when it is approved.
    act: Option<OfferedAct>,
    fate: Fate,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Fate {
    Waiting,
    Approved {
        by: String,
    },
    Rejected,
    /// A later step replaced it.
    Replaced,
}

impl ApprovalGate {
    /// The caller passes a cryptographic hash, which this crate does not have, and a random salt.
    pub fn new(digest: fn(&[u8]) -> DigestBytes, salt: [u8; 32]) -> Self {
        ApprovalGate { digest, salt, count: 0, tasks: BTreeMap::new() }
    }

    /// Registers an offer that is being shown and returns the digest that an answer has to carry. The same offer may be shown to several
    /// clients; another offer of the same task replaces it, and must have a higher step number.
    pub fn show(&mut self, offer: GateOffer) -> Result<DigestBytes, ApprovalRefusal> {
        if offer.verdict.decision() == Decision::Deny {
            return Err(ApprovalRefusal::Denied);
        }
        let bytes = offer.bytes();
        let plain = (self.digest)(&bytes);
        let full = self.tasks.len() >= MAX_TASKS && !self.tasks.contains_key(&offer.step.task);
        let shown = self.tasks.get(&offer.step.task).map(Vec::as_slice).unwrap_or_default();
        if full || shown.len() >= MAX_STEPS {
            return Err(ApprovalRefusal::Full);
        }
        if let Some(same) = shown.iter().find(|shown| shown.number == offer.step.number) {
            return match &same.fate {
                _ if same.plain != plain => Err(ApprovalRefusal::Edited),
                Fate::Waiting => Ok(same.digest),
                Fate::Approved { .. } => Err(ApprovalRefusal::Replayed),
                Fate::Rejected => Err(ApprovalRefusal::Rejected),
                Fate::Replaced => Err(ApprovalRefusal::OtherStep),
            };
        }
        if shown.iter().any(|shown| shown.number > offer.step.number) {
            return Err(ApprovalRefusal::OtherStep);
        }
        self.count += 1;
        let salted = [&self.salt[..], &self.count.to_be_bytes(), &bytes].concat();
        let digest = (self.digest)(&salted);
        let shown = self.tasks.entry(offer.step.task).or_default();
        for before in shown.iter_mut().filter(|before| before.fate == Fate::Waiting) {
            before.fate = Fate::Replaced;
            before.act = None;
        }
        shown.push(Shown {
            number: offer.step.number,
            digest,
            plain,
            decision: offer.verdict.decision(),
            source: offer.source,
            act: Some(offer.act),
            fate: Fate::Waiting,
        });
        Ok(digest)
    }

    /// A local user approves what was shown.
    pub fn approve(&mut self, answer: &ApprovalAnswer) -> Result<Approved, ApprovalRefusal> {
        let shown = self.answered(answer)?;
        shown.take(&answer.step, Permission::Person, &answer.by)
    }

    /// A local user rejects what was shown.
    pub fn reject(&mut self, answer: &ApprovalAnswer) -> Result<(), ApprovalRefusal> {
        let shown = self.answered(answer)?;
        shown.fate = Fate::Rejected;
        shown.act = None;
        Ok(())
    }

    /// Approves without asking what the user's own rules allow: local requests, for commands that only read.
    pub fn pass(&mut self, step: &OfferStep) -> Result<Approved, ApprovalRefusal> {
        let shown = self.tasks.get_mut(&step.task).ok_or(ApprovalRefusal::NotShown)?;
        let shown = shown.iter_mut().find(|shown| shown.number == step.number).ok_or(ApprovalRefusal::OtherStep)?;
        match shown.source {
            RequestSource::LocalUi => {}
            RequestSource::Wecom | RequestSource::Webhook | RequestSource::Relay => {
                return Err(ApprovalRefusal::Remote);
            }
        }
        match shown.decision {
            Decision::Allow => {}
            Decision::Ask => return Err(ApprovalRefusal::NeedsPerson),
            Decision::Deny => return Err(ApprovalRefusal::Denied),
        }
        shown.waits("")?;
        shown.take(step, Permission::Rules, "")
    }

    /// Drops the offers of a task that has ended.
    pub fn forget(&mut self, task: &str) {
        self.tasks.remove(task);
    }

    fn answered(&mut self, answer: &ApprovalAnswer) -> Result<&mut Shown, ApprovalRefusal> {
        match answer.from {
            RequestSource::LocalUi => {}
            RequestSource::Wecom | RequestSource::Webhook | RequestSource::Relay => {
                return Err(ApprovalRefusal::Remote);
            }
        }
        let shown = self.tasks.get_mut(&answer.step.task).ok_or(ApprovalRefusal::NotShown)?;
        let elsewhere = shown.iter().any(|shown| shown.number != answer.step.number && shown.digest == answer.digest);
        let shown =
            shown.iter_mut().find(|shown| shown.number == answer.step.number).ok_or(ApprovalRefusal::OtherStep)?;
        if shown.digest != answer.digest {
            return Err(if elsewhere { ApprovalRefusal::Edited } else { ApprovalRefusal::OtherDigest });
        }
        shown.waits(&answer.by)?;
        Ok(shown)
    }
}

impl Shown {
    fn waits(&self, by: &str) -> Result<(), ApprovalRefusal> {
        match &self.fate {
            Fate::Waiting => Ok(()),
            Fate::Approved { by: first } if first == by => Err(ApprovalRefusal::Replayed),
            Fate::Approved { .. } => Err(ApprovalRefusal::SecondApprover),
            Fate::Rejected => Err(ApprovalRefusal::Rejected),
            Fate::Replaced => Err(ApprovalRefusal::Edited),
        }
    }

    fn take(&mut self, step: &OfferStep, leave: Permission, by: &str) -> Result<Approved, ApprovalRefusal> {
        let act = self.act.take().ok_or(ApprovalRefusal::Replayed)?;
        self.fate = Fate::Approved { by: by.to_owned() };
        Ok(Approved { step: step.clone(), digest: self.digest, act, leave })
    }
}
