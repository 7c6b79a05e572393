//! Agents as back ends of tasks: programs that work through a request by themselves, over several calls of a model. Speaks their protocols
//! and nothing else: whatever an agent wants done comes back as `Wants`, is refused at the agent, and becomes a proposal of ours.

mod acp;
mod codex;
mod lines;
mod rpc;
pub mod setup;
#[cfg(test)]
mod tests;
pub mod text;

use std::fmt;
use std::path::Path;
use std::time::Duration;

use acp::Acp;
use codex::Codex;
use lines::Lines;
use setup::{Kind, Setup};

/// Files of one change.
const MAX_FILES: usize = 200;
/// Bytes of an agent's name for a conversation.
const MAX_NAME: usize = 1024;
/// Times that an agent is told what is wrong with what it wants, and asked again.
const TRIES: usize = 2;
/// How long an agent may take to end its turn when it is told to; it is killed then.
const ENDS: Duration = Duration::from_secs(5);
/// How long it may take to say who it is, and to open a conversation: some are a hundred megabytes of JavaScript.
const OPENS: Duration = Duration::from_secs(120);

/// What an agent is asked.
pub struct Brief<'a> {
    pub prompt: &'a str,
    /// Its own name for a conversation that goes on.
    pub thread: Option<&'a str>,
    /// The directory that it works in.
    pub cwd: &'a Path,
    pub timeout: Duration,
}

/// Hears what an agent does while it does it.
pub trait Listener: Sync {
    /// More of its answer.
    fn says(&self, text: &str);
    /// What it is at: a command that it reads something with, a point of its plan.
    fn step(&self, text: &str);
    /// The text of a file that it wants to read, or why it may not.
    fn reads(&self, path: &str) -> impl Future<Output = Result<String, String>> + Send;
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
    /// One text instead of another, which is all of the file or a part that occurs once; a file that is new has none.
    Replace {
        old: Option<String>,
        new: String,
    },
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
    /// It has no account to work with.
    SignIn(String),
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
            Self::Missing { name, advice } => write!(out, "the agent {name} is not installed; {advice}"),
            Self::NotStarted(why) => {
                write!(out, "the agent could not be started ({why}); `aside agent doctor` says more")
            }
            Self::Version { name, found, known, advice } => {
                write!(out, "{name} {found} speaks a protocol that is not known here (known: {known}); {advice}")
            }
            Self::SignIn(how) => write!(out, "the agent has to be signed in first: {how}"),
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
            Self::Failed(why) => write!(out, "the agent failed: {}; retry it", why.trim_end_matches('.')),
            Self::Refused(why) => write!(out, "what the agent wants cannot be proposed: {why}"),
        }
    }
}

/// How a turn ended.
enum Ended {
    Whole,
    Wants(Wants),
}

/// Whether an agent writes a conversation down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    Yes,
    No,
}

/// A conversation that was opened.
enum Session<'a, L> {
    Codex(Codex<'a, L>),
    Acp(Acp<'a, L>),
}

impl<'a, L: Listener> Session<'a, L> {
    async fn open(
        setup: &Setup,
        lines: &'a mut Lines,
        brief: &Brief<'_>,
        kept: Kept,
        listener: &'a L,
    ) -> Result<Self, Failure> {
        Ok(match &setup.kind {
            Kind::Codex => Self::Codex(Codex::open(lines, brief, kept, listener).await?),
            Kind::Acp => Self::Acp(Acp::open(lines, brief, &setup.name, listener).await?),
        })
    }

    async fn turn(&mut self, prompt: &str) -> Result<Ended, Failure> {
        match self {
            Self::Codex(codex) => codex.turn(prompt).await,
            Self::Acp(acp) => acp.turn(prompt).await,
        }
    }

    /// One that speaks ACP says so when a conversation is opened.
    async fn signed_in(&mut self) -> Result<(), Failure> {
        match self {
            Self::Codex(codex) => codex.signed_in().await,
            Self::Acp(_) => Ok(()),
        }
    }

    fn into_reply(self) -> Reply {
        match self {
            Self::Codex(codex) => codex.told.reply,
            Self::Acp(acp) => acp.told.reply,
        }
    }
}

/// Starts an agent, sees whether it keeps to what it is told, and ends it: the model that it would ask, or who it is. Asks none.
pub async fn greet(setup: &Setup, cwd: &Path) -> Result<String, Failure> {
    let mut lines = Lines::start(setup, cwd)?;
    let brief = Brief { prompt: "", thread: None, cwd, timeout: OPENS };
    let greeted = async {
        let mut session = Session::open(setup, &mut lines, &brief, Kept::No, &NoListener).await?;
        session.signed_in().await?;
        Ok(session.into_reply().model)
    };
    let outcome = tokio::time::timeout(OPENS, greeted).await.unwrap_or(Err(Failure::TooLate(OPENS)));
    ended(lines, outcome).await
}

/// Asks an agent, which is started for it and has ended when this returns. Dropping the future ends it too.
pub async fn ask(setup: &Setup, brief: &Brief<'_>, listener: &impl Listener) -> Result<Reply, Failure> {
    let mut lines = Lines::start(setup, brief.cwd)?;
    let asked = tokio::time::timeout(brief.timeout, rounds(setup, &mut lines, brief, listener));
    let outcome = asked.await.unwrap_or(Err(Failure::TooLate(brief.timeout)));
    ended(lines, outcome).await
}

/// A turn, and another one when what it wants cannot be proposed.
async fn rounds(
    setup: &Setup,
    lines: &mut Lines,
    brief: &Brief<'_>,
    listener: &impl Listener,
) -> Result<Reply, Failure> {
    let mut session = Session::open(setup, lines, brief, Kept::Yes, listener).await?;
    let mut prompt = brief.prompt.to_owned();
    for attempt in 0..=TRIES {
        match session.turn(&prompt).await? {
            Ended::Whole => break,
            Ended::Wants(wants) => match listener.wants(wants).await {
                Ok(()) => return Ok(Reply { wants: true, ..session.into_reply() }),
                Err(why) if attempt == TRIES => return Err(Failure::Refused(why)),
                Err(why) => prompt = format!("That was not done: {why}"),
            },
        }
    }
    Ok(session.into_reply())
}

/// A conversation goes on by its name, which is written down.
fn named(thread: &str) -> Result<(), Failure> {
    match thread.len() {
        1..=MAX_NAME => Ok(()),
        0 => Err(Failure::Garbled("a conversation without a name".to_owned())),
        _ => Err(Failure::Garbled("a conversation with an endless name".to_owned())),
    }
}

/// With its last words, if it died.
async fn ended<T>(lines: Lines, outcome: Result<T, Failure>) -> Result<T, Failure> {
    let outcome = match outcome {
        Err(Failure::Died(_)) => Err(Failure::Died(lines.last_words().await)),
        outcome => outcome,
    };
    lines.end().await;
    outcome
}

/// Hears nothing and takes nothing.
struct NoListener;

impl Listener for NoListener {
    fn says(&self, _: &str) {}

    fn step(&self, _: &str) {}

    async fn reads(&self, _: &str) -> Result<String, String> {
        Err("nothing was asked for".to_owned())
    }

    async fn wants(&self, _: Wants) -> Result<(), String> {
        Err("nothing was asked for".to_owned())
    }
}
