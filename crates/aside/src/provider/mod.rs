//! The only outbound connections: a question to a model, its answer as it comes, and what went wrong. Neither asks nor
//! retries by itself, and knows nothing of command lines. Dropping a question ends its connection.

mod openai;
mod sse;

use std::fmt;
use std::ops::ControlFlow;
use std::time::Duration;

use crate::config;

/// Bytes of an answer; a command line has fewer, and thoughts that are longer come too late.
const MAX_ANSWER: usize = 64 * 1024;

/// Whoever answers, as the settings say.
pub struct Provider {
    server: openai::Server,
}

/// What a model is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub system: String,
    pub user: String,
    /// Tokens of the answer.
    pub max_tokens: u32,
}

/// How long each step may take. What is late is worth nothing to somebody who types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    pub connect: Duration,
    /// Between two pieces of the answer, and before the first.
    pub read: Duration,
    pub all: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The settings cannot be followed: which key, and why.
    Settings(String),
    /// Nobody answers there.
    Offline(String),
    HungUp(String),
    TooLate,
    Unauthorized,
    RateLimited {
        retry_after: Option<Duration>,
    },
    Status(u16),
    /// It answered what no such server answers.
    Garbled(String),
}

impl Provider {
    /// `None` when the settings want nobody to be asked.
    pub fn new(settings: &config::Llm, patience: Patience) -> Option<Result<Self, Failure>> {
        match settings.provider {
            config::Provider::None => None,
            config::Provider::Openai => Some(openai::Server::new(settings, patience).map(|server| Self { server })),
        }
    }

    /// The answer, told to `hear` each time that more of it is there, from its beginning, until that says enough.
    pub async fn ask(&self, question: &Question, hear: impl FnMut(&str) -> ControlFlow<()>) -> Result<String, Failure> {
        let late = self.server.patience().all;
        tokio::time::timeout(late, self.server.ask(question, hear)).await.unwrap_or(Err(Failure::TooLate))
    }
}

/// Reads on from "the model: ".
impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Settings(why) => write!(out, "{why}"),
            Failure::Offline(why) => write!(out, "nobody answers at llm.base_url: {why}"),
            Failure::HungUp(why) => write!(out, "it hung up: {why}"),
            Failure::TooLate => write!(out, "it took too long to answer"),
            Failure::Unauthorized => write!(out, "it does not accept the key; see llm.api_key_env"),
            Failure::RateLimited { retry_after: Some(after) } => {
                write!(out, "it was asked too often, and wants {} s of rest", after.as_secs())
            }
            Failure::RateLimited { retry_after: None } => write!(out, "it was asked too often"),
            Failure::Status(404) => write!(out, "it knows no such model or address; see llm.model and llm.base_url"),
            Failure::Status(status) => write!(out, "it answered with HTTP status {status}"),
            Failure::Garbled(why) => write!(out, "its answer makes no sense: {why}"),
        }
    }
}
