//! Agents as back ends of tasks: programs that work through a request by themselves, over several calls of a model. Speaks their protocols
//! and nothing else: whatever an agent wants done comes back as `Wants`, is refused at the agent, and becomes a proposal of ours.

pub mod codex;
pub mod lines;
pub mod setup;

use std::fmt;
use std::time::Duration;

use lines::Lines;
use setup::{Kind, Setup};

/// Files of one change.
const MAX_FILES: usize = 200;
/// Times that an agent is told what is wrong with what it wants, and asked again.
const TRIES: usize = 2;

/// What an agent is asked.
pub struct Brief<'a> {
    pub prompt: &'a str,
    /// Its own name for a conversation that goes on.
    pub thread: Option<&'a str>,
    /// The directory that it works in.
    pub cwd: &'a std::path::Path,
    pub timeout: Duration,
}

/// Hears what an agent does while it does it.
pub trait Listener: Sync {
    /// More of its answer.
    fn says(&self, text: &str);
    /// What it is at: a command that it reads something with, a point of its plan.
    fn step(&self, text: &str);
    /// Takes what it wants done, or says why that cannot be proposed. Whichever: the agent does nothing.
    fn wants(&self, wants: Wants) -> impl Future<Output = Result<(), String>> + Send;
}

/// What an agent wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wants {
    Change(Vec<FileChange>),
    Command { cmd: String, cwd: String, reason: String },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// As the agent spells it; absolute for most.
    pub path: String,
    pub edit: Edit,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// A new file, or another content for one that is there.
    Whole(String),
    Delete,
    /// Hunks without the names of files.
    Hunks {
        diff: String,
        moved_to: Option<String>,
    },
}

/// How a turn of an agent ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// By which the conversation goes on.
    pub thread: String,
    pub text: String,
    /// It stopped at something that is proposed now.
    pub wants: bool,
    pub model: String,
    pub tokens_in: Option<u64>,
    pub tokens_out: Option<u64>,
}

/// Why there is no answer. Displayed, it says what happened and one thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The settings name an agent that is none.
    Unknown(String),
    Missing {
        name: String,
        advice: String,
    },
    NotStarted(String),
    /// A version whose protocol is not known.
    Version {
        name: String,
        found: String,
        known: &'static str,
        advice: String,
    },
    /// It does not keep to what it was told: it would act by itself.
    Unsafe(String),
    /// It ended before its answer did, with its last words.
    Died(String),
    TooLate(Duration),
    /// More than anybody reads, or a line that does not end.
    Flood,
    /// What it says is not its protocol.
    Garbled(String),
    /// It says itself that it failed.
    Failed(String),
    /// It wanted something that cannot be proposed, again and again.
    Refused(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => {
                write!(out, "task.agent names `{name}`, which is no agent; `aside agent list` shows which there are")
            }
            Self::Missing { name, advice } => write!(out, "the agent {name} is not here; {advice}"),
            Self::NotStarted(why) => {
                write!(out, "the agent could not be started ({why}); `aside agent doctor` says more")
            }
            Self::Version { name, found, known, advice } => {
                write!(out, "{name} {found} speaks a protocol that is not known here (known: {known}); {advice}")
            }
            Self::Unsafe(why) => {
                write!(out, "the agent was stopped, since {why}; `aside agent use none` goes on without it")
            }
            Self::Died(last) if last.is_empty() => out.write_str("the agent ended before it had answered; retry it"),
            Self::Died(last) => write!(out, "the agent ended before it had answered ({last}); retry it"),
            Self::TooLate(after) => {
                let seconds = after.as_secs();
                write!(out, "the agent took longer than {seconds} s and was stopped; task.agent_timeout_s allows more")
            }
            Self::Flood => out.write_str("the agent said more than can be read and was stopped; retry it"),
            Self::Garbled(what) => {
                write!(out, "the agent does not keep to its protocol ({what}); `aside agent doctor` says more")
            }
            Self::Failed(why) => write!(out, "the agent failed: {why}; retry it"),
            Self::Refused(why) => write!(out, "what the agent wants cannot be proposed: {why}"),
        }
    }
}

/// Starts an agent, sees whether it keeps to what it is told, and ends it: the model that it would ask. Asks none.
pub async fn greet(setup: &Setup, cwd: &std::path::Path) -> Result<String, Failure> {
    let mut lines = Lines::start(setup, cwd)?;
    let outcome = match &setup.kind {
        Kind::Codex => codex::greet(&mut lines, cwd).await,
    };
    let outcome = match outcome {
        Err(Failure::Died(_)) => Err(Failure::Died(lines.last_words().await)),
        outcome => outcome,
    };
    lines.end().await;
    outcome
}

/// Asks an agent, which is started for it and has ended when this returns. Dropping the future ends it too.
pub async fn ask(setup: &Setup, brief: &Brief<'_>, listener: &impl Listener) -> Result<Reply, Failure> {
    let mut lines = Lines::start(setup, brief.cwd)?;
    let asked = tokio::time::timeout(brief.timeout, async {
        match &setup.kind {
            Kind::Codex => codex::ask(&mut lines, brief, listener).await,
        }
    });
    let outcome = asked.await.unwrap_or(Err(Failure::TooLate(brief.timeout)));
    let outcome = match outcome {
        Err(Failure::Died(_)) => Err(Failure::Died(lines.last_words().await)),
        outcome => outcome,
    };
    lines.end().await;
    outcome
}
