//! Runs external agents (Codex, ACP) as back ends of tasks. An agent works through a request over several model calls; every write or
//! command that it wants comes back as `AgentAction`, is refused at the agent, and becomes a proposal.

mod acp;
mod codex;
mod json_lines;
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
use json_lines::JsonLines;
use setup::{Kind, Setup};

use crate::exec::presence;

/// Cap on the files of one change.
const MAX_FILES: usize = 200;
/// Bytes of an agent's id for a conversation.
const MAX_NAME: usize = 1024;
/// How often an agent is told why a request cannot be proposed and asked again.
const TRIES: usize = 2;
/// How long an agent may take to end its turn after a cancel; it is killed then.
const ENDS: Duration = Duration::from_secs(5);
/// How long an agent may take to start and open a conversation: some are a hundred megabytes of JavaScript.
const OPENS: Duration = Duration::from_secs(120);

/// A request to an agent.
pub struct AgentRequest<'a> {
    pub prompt: &'a str,
    /// The agent's own id of a conversation to resume.
    pub thread: Option<&'a str>,
    /// The agent's working directory.
    pub cwd: &'a Path,
    pub timeout: Duration,
}

/// Receives an agent's events while it works.
pub trait Listener: Sync {
    /// A piece of the answer's text.
    fn says(&self, text: &str);
    /// A step of the work: a command that reads something, or the plan.
    fn step(&self, text: &str);
    /// Returns the text of a file that the agent wants to read, or why it may not.
    fn reads(&self, path: &str) -> impl Future<Output = Result<String, String>> + Send;
    /// Takes what the agent wants done as a proposal, or says why it cannot be proposed. The agent does nothing in either case.
    fn wants(&self, wants: AgentAction) -> impl Future<Output = Result<(), String>> + Send;
}

/// An action that an agent asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentAction {
    Change(Vec<FileChange>),
    Command { cmd: String, cwd: String, reason: String },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// As the agent spells it; most agents use absolute paths.
    pub path: String,
    pub edit: Edit,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// The whole content of a new or an existing file.
    Whole(String),
    Delete,
    /// Replaces a text, which is the whole file or occurs in it exactly once. `old` is `None` for a new file.
    Replace {
        old: Option<String>,
        new: String,
    },
    /// Hunks of a unified diff without the file headers.
    Hunks {
        diff: String,
        moved_to: Option<String>,
    },
}

/// The result of an agent's turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The agent's id of the conversation, with which it can be resumed.
    pub thread: String,
    pub text: String,
    /// Whether the turn ended at an action that is now a proposal.
    pub wants: bool,
    pub model: String,
    pub tokens_in: Option<u64>,
    pub tokens_out: Option<u64>,
}

/// Why there is no answer. `Display` says what happened and one thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The settings name an unknown agent.
    Unknown(String),
    Missing {
        name: String,
        advice: String,
    },
    NotStarted(String),
    /// A version whose protocol has not been tested.
    Version {
        name: String,
        found: String,
        known: &'static str,
        advice: String,
    },
    /// The agent is not signed in.
    SignIn(String),
    /// The agent does not accept its limits and would act by itself.
    Unsafe(String),
    /// The agent's process ended before its answer did; holds its last line of stderr.
    Died(String),
    TooLate(Duration),
    /// Too much output, or a line that does not end.
    Flood,
    /// A message that breaks the protocol.
    Garbled(String),
    /// The agent reports a failure of its own.
    Failed(String),
    /// The agent kept asking for something that cannot be proposed.
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

/// How one turn ended.
enum Ended {
    Whole,
    Wants(AgentAction),
}

/// Whether an agent saves the conversation to disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    Yes,
    No,
}

/// An open conversation.
enum Session<'a, L> {
    Codex(Codex<'a, L>),
    Acp(Acp<'a, L>),
}

impl<'a, L: Listener> Session<'a, L> {
    async fn open(
        setup: &Setup,
        lines: &'a mut JsonLines,
        brief: &AgentRequest<'_>,
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

    /// Only Codex is asked: an ACP agent reports a missing account when the conversation is opened.
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

/// Starts an agent, checks that it accepts its limits, and ends it. Returns Codex's model, or an ACP agent's title and version. Sends the
/// model no request.
pub async fn greet(setup: &Setup, cwd: &Path) -> Result<String, Failure> {
    presence::prepare().await;
    let mut lines = JsonLines::start(setup, cwd)?;
    let brief = AgentRequest { prompt: "", thread: None, cwd, timeout: OPENS };
    let greeted = async {
        let mut session = Session::open(setup, &mut lines, &brief, Kept::No, &NoListener).await?;
        session.signed_in().await?;
        Ok(session.into_reply().model)
    };
    let outcome = tokio::time::timeout(OPENS, greeted).await.unwrap_or(Err(Failure::TooLate(OPENS)));
    ended(lines, outcome).await
}

/// Starts an agent, asks it, and ends it before returning. Dropping the future kills the agent too.
pub async fn ask(setup: &Setup, brief: &AgentRequest<'_>, listener: &impl Listener) -> Result<Reply, Failure> {
    presence::prepare().await;
    let mut lines = JsonLines::start(setup, brief.cwd)?;
    let asked = tokio::time::timeout(brief.timeout, rounds(setup, &mut lines, brief, listener));
    let outcome = asked.await.unwrap_or(Err(Failure::TooLate(brief.timeout)));
    ended(lines, outcome).await
}

/// Runs a turn, and further turns while what the agent wants cannot be proposed.
async fn rounds(
    setup: &Setup,
    lines: &mut JsonLines,
    brief: &AgentRequest<'_>,
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

/// Checks the id with which the conversation is resumed, since it is stored.
fn named(thread: &str) -> Result<(), Failure> {
    match thread.len() {
        1..=MAX_NAME => Ok(()),
        0 => Err(Failure::Garbled("a conversation without a name".to_owned())),
        _ => Err(Failure::Garbled("a conversation with an endless name".to_owned())),
    }
}

/// Ends the agent. Adds its last line of stderr if it died.
async fn ended<T>(lines: JsonLines, outcome: Result<T, Failure>) -> Result<T, Failure> {
    let outcome = match outcome {
        Err(Failure::Died(_)) => Err(Failure::Died(lines.last_words().await)),
        outcome => outcome,
    };
    lines.end().await;
    outcome
}

/// Ignores all events and refuses all requests.
struct NoListener;

impl Listener for NoListener {
    fn says(&self, _: &str) {}

    fn step(&self, _: &str) {}

    async fn reads(&self, _: &str) -> Result<String, String> {
        Err("nothing was asked for".to_owned())
    }

    async fn wants(&self, _: AgentAction) -> Result<(), String> {
        Err("nothing was asked for".to_owned())
    }
}
