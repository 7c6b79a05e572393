//! The only place that makes an `Approved`: from an offer that was shown, and a local user's answer that carries the digest of exactly that
//! offer. Keeps nothing across a restart of the daemon: a new daemon asks again.

use std::collections::BTreeMap;
use std::fmt;

use crate::task::gate::Decision;
use crate::task::gate::offer::{Act, Offer, Step};
use crate::task::proposal::Source;

/// Tasks with offers on display; `show` refuses more.
pub const MAX_TASKS: usize = 1000;
/// Offers of one task.
pub const MAX_STEPS: usize = 200;

pub type Digest = [u8; 32];

/// Permission to do one thing once. The executor takes it by value.
///
/// No other module can make one:
/// ```compile_fail,E0451
/// use aside_core::task::gate::{approve::{Approved, Leave}, offer::{Act, Command, Step}};
/// let step = Step { task: "t".to_owned(), number: 1 };
/// let forged = Approved { step, digest: [0; 32], act: Act::Run(Command::default()), leave: Leave::Person };
/// ```
/// copy one:
/// ```compile_fail,E0599
/// fn twice(approved: aside_core::task::gate::approve::Approved) {
///     let _again = approved.clone();
/// }
/// ```
/// or use one twice:
/// ```compile_fail,E0382
/// fn twice(approved: aside_core::task::gate::approve::Approved) {
///     let _once = approved.into_act();
///     let _again = approved.into_act();
/// }
/// ```
/// Once is fine:
/// ```
/// fn once(approved: aside_core::task::gate::approve::Approved) {
///     let _act = approved.into_act();
/// }
/// ```
#[must_use]
#[derive(Debug)]
pub struct Approved {
    step: Step,
    digest: Digest,
    act: Act,
    leave: Leave,
}

/// Who gave permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
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
    pub fn step(&self) -> &Step {
        &self.step
    }

    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    pub fn leave(&self) -> Leave {
        self.leave
    }

    /// Gives up the permission in exchange for the action.
    pub fn into_act(self) -> Act {
        self.act
    }
}

/// A client's answer to an offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub step: Step,
    /// The digest of what the user saw.
    pub digest: Digest,
    pub from: Source,
    /// The connection or session of the answer. Tells a repeated answer from a second approver.
    pub by: String,
}

/// Why nothing was approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
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

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Refusal::Remote => "only somebody at this machine can approve",
            Refusal::NotShown => "nothing of this task was shown yet",
            Refusal::OtherStep => "this step is not the one that waits",
            Refusal::OtherDigest => "what you saw is not what would be done",
            Refusal::Edited => "the proposal was edited meanwhile; look at it again",
            Refusal::Replayed => "you have approved this already, and once is once",
            Refusal::SecondApprover => "somebody else has approved this already",
            Refusal::Rejected => "it was rejected",
            Refusal::Denied => "a rule denies it",
            Refusal::NeedsPerson => "somebody at this machine has to approve it",
            Refusal::Full => "too much is waiting for approval already",
        })
    }
}

/// The offers on display, and what became of each.
pub struct Gate {
    digest: fn(&[u8]) -> Digest,
    /// Random for each daemon, so that an answer to a previous daemon matches nothing.
    salt: [u8; 32],
    /// Number of offers shown so far. Part of the digest, so that showing the same offer again gives a new digest.
    count: u64,
    tasks: BTreeMap<String, Vec<Shown>>,
}

struct Shown {
    number: u32,
    digest: Digest,
    /// Digest of the offer without salt, to recognise the same offer.
    plain: Digest,
    decision: Decision,
    source: Source,
    /// Taken when it is approved.
    act: Option<Act>,
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

impl Gate {
    /// The caller passes a cryptographic hash, which this crate does not have, and a random salt.
    pub fn new(digest: fn(&[u8]) -> Digest, salt: [u8; 32]) -> Self {
        Gate { digest, salt, count: 0, tasks: BTreeMap::new() }
    }

    /// Registers an offer that is being shown and returns the digest that an answer has to carry. The same offer may be shown to several
    /// clients; another offer of the same task replaces it, and must have a higher step number.
    pub fn show(&mut self, offer: Offer) -> Result<Digest, Refusal> {
        if offer.verdict.decision() == Decision::Deny {
            return Err(Refusal::Denied);
        }
        let bytes = offer.bytes();
        let plain = (self.digest)(&bytes);
        let full = self.tasks.len() >= MAX_TASKS && !self.tasks.contains_key(&offer.step.task);
        let shown = self.tasks.get(&offer.step.task).map(Vec::as_slice).unwrap_or_default();
        if full || shown.len() >= MAX_STEPS {
            return Err(Refusal::Full);
        }
        if let Some(same) = shown.iter().find(|shown| shown.number == offer.step.number) {
            return match &same.fate {
                _ if same.plain != plain => Err(Refusal::Edited),
                Fate::Waiting => Ok(same.digest),
                Fate::Approved { .. } => Err(Refusal::Replayed),
                Fate::Rejected => Err(Refusal::Rejected),
                Fate::Replaced => Err(Refusal::OtherStep),
            };
        }
        if shown.iter().any(|shown| shown.number > offer.step.number) {
            return Err(Refusal::OtherStep);
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
    pub fn approve(&mut self, answer: &Answer) -> Result<Approved, Refusal> {
        let shown = self.answered(answer)?;
        shown.take(&answer.step, Leave::Person, &answer.by)
    }

    /// A local user rejects what was shown.
    pub fn reject(&mut self, answer: &Answer) -> Result<(), Refusal> {
        let shown = self.answered(answer)?;
        shown.fate = Fate::Rejected;
        shown.act = None;
        Ok(())
    }

    /// Approves without asking what the user's own rules allow: local requests, for commands that only read.
    pub fn pass(&mut self, step: &Step) -> Result<Approved, Refusal> {
        let shown = self.tasks.get_mut(&step.task).ok_or(Refusal::NotShown)?;
        let shown = shown.iter_mut().find(|shown| shown.number == step.number).ok_or(Refusal::OtherStep)?;
        match shown.source {
            Source::LocalUi => {}
            Source::Wecom | Source::Webhook | Source::Relay => return Err(Refusal::Remote),
        }
        match shown.decision {
            Decision::Allow => {}
            Decision::Ask => return Err(Refusal::NeedsPerson),
            Decision::Deny => return Err(Refusal::Denied),
        }
        shown.waits("")?;
        shown.take(step, Leave::Rules, "")
    }

    /// Drops the offers of a task that has ended.
    pub fn forget(&mut self, task: &str) {
        self.tasks.remove(task);
    }

    fn answered(&mut self, answer: &Answer) -> Result<&mut Shown, Refusal> {
        match answer.from {
            Source::LocalUi => {}
            Source::Wecom | Source::Webhook | Source::Relay => return Err(Refusal::Remote),
        }
        let shown = self.tasks.get_mut(&answer.step.task).ok_or(Refusal::NotShown)?;
        let elsewhere = shown.iter().any(|shown| shown.number != answer.step.number && shown.digest == answer.digest);
        let shown = shown.iter_mut().find(|shown| shown.number == answer.step.number).ok_or(Refusal::OtherStep)?;
        if shown.digest != answer.digest {
            return Err(if elsewhere { Refusal::Edited } else { Refusal::OtherDigest });
        }
        shown.waits(&answer.by)?;
        Ok(shown)
    }
}

impl Shown {
    fn waits(&self, by: &str) -> Result<(), Refusal> {
        match &self.fate {
            Fate::Waiting => Ok(()),
            Fate::Approved { by: first } if first == by => Err(Refusal::Replayed),
            Fate::Approved { .. } => Err(Refusal::SecondApprover),
            Fate::Rejected => Err(Refusal::Rejected),
            Fate::Replaced => Err(Refusal::Edited),
        }
    }

    fn take(&mut self, step: &Step, leave: Leave, by: &str) -> Result<Approved, Refusal> {
        let act = self.act.take().ok_or(Refusal::Replayed)?;
        self.fate = Fate::Approved { by: by.to_owned() };
        Ok(Approved { step: step.clone(), digest: self.digest, act, leave })
    }
}
