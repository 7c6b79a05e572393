//! The only outbound connections: requests to a model with a streamed answer, and downloads of models. Does not decide whether to ask, and
//! retries only to leave out a part of the request that the server rejects. Knows nothing of command lines. Dropping a request closes its
//! connection.

mod anthropic;
mod api_key;
pub mod download;
pub mod http_exchange;
pub mod local;
mod openai;
mod sse;
mod unsupported_params;

use std::collections::HashMap;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Client, RequestBuilder, Url};
use serde_json::{Value, json};

use crate::config;
use crate::config::endpoint::Server;
use http_exchange::{ExchangeError, ExchangeResult, FinishReason, RequestClock};

/// Cap on models of one server whose rejected parts are remembered.
const MAX_MODELS: usize = 16;
/// How often a request is repeated without a rejected part.
const MAX_REFUSALS: usize = 5;

/// A server. Shared by all uses, so that they share its connections.
pub struct Provider {
    client: Client,
    base: Url,
    key: Option<(HeaderName, HeaderValue)>,
    provider: config::Provider,
    /// Unknown before the first request.
    kind: Mutex<Option<Kind>>,
    /// The parts that it rejects, by model.
    refused: Mutex<HashMap<String, Vec<unsupported_params::RequestParam>>>,
}

/// What a server can do beyond its protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// llama.cpp's server: supports grammars and plain completion.
    Llama,
    Other,
}

/// A request to a model. Start with `Question::new` and set what differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The part that is identical in every request, byte for byte: servers cache it.
    pub system: String,
    /// The part before `user`, in the same blocks as in the previous request: servers cache these too.
    pub earlier: Vec<String>,
    /// The part that changes.
    pub user: String,
    /// Earlier requests and answers, oldest first: the conversation so far.
    pub exchanges: Vec<(String, String)>,
    /// Token limit of the answer.
    pub max_tokens: u32,
    /// The answer ends before any of these.
    pub stop: Vec<String>,
    /// How many answers are wanted; a server may return fewer.
    pub candidates: u8,
    pub variety: Variety,
    pub format: Format,
    /// Prefill: how the answer begins, if the server supports that. The text that is received then begins with it.
    pub begin: Option<String>,
    /// The same request as plain text to continue, for a server that supports grammars.
    pub raw: Option<RawPrompt>,
    pub privacy: Privacy,
    /// The session it is for. If that becomes private while the request waits, nothing is sent.
    pub session: String,
    pub selection: Selection,
    pub complaint: ServerMessage,
}

/// The server's error message, for the caller to read after a failure.
#[derive(Clone, Debug, Default)]
pub struct ServerMessage(Arc<Mutex<String>>);

impl ServerMessage {
    /// In one line, in the server's own words; empty if there is none.
    pub fn sentence(&self) -> String {
        unsupported_params::error_line(&locked(&self.0))
    }
}

/// Always equal: it is not part of the request.
impl PartialEq for ServerMessage {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Whether a repeated request may be answered differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variety {
    /// Always the likeliest answer.
    None,
    /// For a retry by a user who did not want the previous answer.
    Some,
}

impl Variety {
    /// For servers that support it; 0 always picks the likeliest token.
    fn temperature(self) -> Value {
        match self {
            Variety::None => json!(0),
            Variety::Some => json!(0.7),
        }
    }
}

/// A text that the model continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawPrompt {
    pub prompt: String,
    /// A GBNF grammar for the continuation.
    pub grammar: String,
    pub max_tokens: u32,
    /// Prepended to the continuation, so that the result looks like a chat's.
    pub head: String,
}

/// The format of an answer, where the server can enforce it. Elsewhere only the prompt asks for it.
#[derive(Clone, Debug, PartialEq)]
pub enum Format {
    Free,
    /// A JSON schema.
    Json(Value),
    /// GBNF, as llama.cpp reads it.
    #[allow(dead_code, reason = "the caller chooses the form of an answer; no caller uses this one yet")]
    Grammar(String),
}

/// Whether anything of the asking shell may leave the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privacy {
    Open,
    Private,
}

/// Which provider is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    AsSet,
    Named(config::Provider),
}

/// An answer, and its token usage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelReply {
    pub text: String,
    /// Further answers, if several were wanted and the server supports that.
    pub others: Vec<String>,
    pub end: FinishReason,
    /// As counted by the server, if it does.
    pub tokens_in: Option<u64>,
    pub tokens_out: Option<u64>,
    pub ms: u64,
    /// `openai`, as in the settings.
    pub provider: &'static str,
    pub model: String,
}

/// Timeouts of each step. A late answer is useless to a user who types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the first token.
    pub first: Duration,
    /// Between two pieces of the answer.
    pub read: Duration,
    pub all: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The shell is private.
    Private,
    /// No provider is configured for this use.
    NoProvider,
    /// Not asked: the circuit breaker is open, or the server asked to wait.
    Resting,
    /// The settings are invalid: which key, and why.
    Settings(String),
    /// No server answers at the address.
    Offline(String),
    HungUp(String),
    TooLate,
    Unauthorized,
    RateLimited {
        retry_after: Option<Duration>,
    },
    /// The server has no such model.
    NoModel,
    /// The model for the server that Aside runs is not installed.
    NotHere {
        name: String,
        bytes: Option<u64>,
    },
    /// There is no server program to run; holds its name in the settings.
    NoServer {
        named: String,
    },
    /// The server that Aside runs is not ready yet.
    Starting,
    /// The server that Aside runs ended.
    ServerDied(String),
    Status(u16),
    /// The reply does not follow the protocol.
    Garbled(String),
    /// An agent was asked instead of a model: what happened, and one thing to do.
    Agent(String),
}

/// Records what leaves the machine.
pub trait RequestRecorder {
    /// The record of one request. Dropping it means that the request was cancelled.
    type Note;

    /// Called before a request is sent; on an error it is not sent.
    fn leaves(&self, leaving: &OutboundRequest<'_>) -> impl Future<Output = Result<Self::Note, Failure>> + Send;

    fn ended(&self, note: Self::Note, ended: &RequestEnd);
}

/// A request that is about to be sent.
pub struct OutboundRequest<'a> {
    /// Without user, password and query, which may be secrets.
    pub address: &'a str,
    pub model: &'a str,
    /// The whole body, byte for byte.
    pub body: &'a str,
}

/// How a request ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestEnd {
    /// The HTTP status, if there was a reply.
    pub status: Option<u16>,
    /// Bytes of the body.
    pub bytes: u64,
    pub tokens_in: Option<u64>,
    pub tokens_out: Option<u64>,
    pub failure: Option<Failure>,
}

impl Provider {
    /// Reads the key and the system's certificates, so it may block for a while.
    pub fn new(server: &Server) -> Result<Self, Failure> {
        let base = base(&server.base_url).map_err(|why| Failure::Settings(format!("llm.base_url: {why}")))?;
        let (name, before) = match server.provider {
            config::Provider::Embedded => return Err(Failure::NoProvider),
            config::Provider::Openai | config::Provider::Local => (AUTHORIZATION, "Bearer "),
            config::Provider::Anthropic => (HeaderName::from_static("x-api-key"), ""),
        };
        let key = api_key::header(&server.key, before)?.map(|key| (name, key));
        let client = http_exchange::client(&base, Duration::from_millis(server.connect_ms))?;
        let kind = match server.provider {
            config::Provider::Local => Some(Kind::Llama),
            // llama.cpp's server behind TLS is always configured as `local`, so only plain HTTP needs a probe.
            config::Provider::Openai if base.scheme() == "http" => None,
            config::Provider::Openai | config::Provider::Anthropic | config::Provider::Embedded => Some(Kind::Other),
        };
        let refused = Mutex::default();
        Ok(Self { client, base, key, provider: server.provider, kind: Mutex::new(kind), refused })
    }

    /// A llama-server on this machine whose key Aside generated.
    fn with_key_of_ours(base: Url, key: &str) -> Result<Self, Failure> {
        let mut key = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| Failure::Unauthorized)?;
        key.set_sensitive(true);
        Ok(Self {
            client: local::client(&base)?,
            base,
            key: Some((AUTHORIZATION, key)),
            provider: config::Provider::Local,
            kind: Mutex::new(Some(Kind::Llama)),
            refused: Mutex::default(),
        })
    }

    /// Sends a request and passes the growing answer, from its beginning, to `hear` until that has enough. The witness sees everything
    /// before it is sent.
    pub async fn ask(
        &self,
        model: &str,
        question: &Question,
        patience: Timeouts,
        witness: &impl RequestRecorder,
        mut hear: impl FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Answer, Failure> {
        let mut clock = RequestClock::start(patience);
        let kind = self.kind(&clock, question, witness).await?;
        for _ in 0..MAX_REFUSALS {
            let without = locked(&self.refused).get(model).cloned().unwrap_or_default();
            let put = self.put(model, question, kind, &without);
            let ExchangeError { failure, complaint } =
                match self.send(model, &put, &mut clock, witness, &mut hear).await {
                    Ok(heard) => return Ok(Answer::new(heard, &put.head)),
                    Err(trouble) => trouble,
                };
            let may_lack = matches!(failure, Failure::Status(400 | 422 | 500 | 501));
            let part = unsupported_params::rejected_param(&complaint, &put.body, &without).filter(|_| may_lack);
            match part {
                Some(part) => self.leave_out(model, part),
                None => {
                    *locked(&question.complaint.0) = complaint;
                    return Err(failure);
                }
            }
        }
        Err(Failure::Status(400))
    }

    async fn send(
        &self,
        model: &str,
        put: &Put,
        clock: &mut RequestClock,
        witness: &impl RequestRecorder,
        hear: &mut impl FnMut(&str) -> ControlFlow<()>,
    ) -> Result<ExchangeResult, ExchangeError> {
        let body = put.body.to_string();
        let note =
            witness.leaves(&OutboundRequest { address: &displayed_address(&put.address), model, body: &body }).await?;
        let mut request = self.client.post(put.address.clone()).header(CONTENT_TYPE, "application/json").body(body);
        if self.provider == config::Provider::Anthropic {
            request = request.header("anthropic-version", anthropic::VERSION);
        }
        let request = self.with_key(request);
        let mut ended = RequestEnd::default();
        let outcome =
            http_exchange::exchange(request, clock, put.read, &mut ended, |said| hear(&joined(&put.head, said))).await;
        match &outcome {
            Ok(ExchangeResult { tokens_in, tokens_out, .. }) => {
                (ended.tokens_in, ended.tokens_out) = (*tokens_in, *tokens_out)
            }
            Err(trouble) => ended.failure = Some(trouble.failure.clone()),
        }
        witness.ended(note, &ended);
        outcome
    }

    fn with_key(&self, request: RequestBuilder) -> RequestBuilder {
        match &self.key {
            Some((name, key)) => request.header(name, key.clone()),
            None => request,
        }
    }

    fn put(&self, model: &str, question: &Question, kind: Kind, without: &[unsupported_params::RequestParam]) -> Put {
        let begin = |body: &Value| {
            let said =
                body["messages"].as_array().and_then(|all| all.last()).filter(|last| last["role"] == "assistant");
            said.and_then(|said| said["content"].as_str()).unwrap_or_default().to_owned()
        };
        if self.provider == config::Provider::Anthropic {
            let body = anthropic::messages(model, question, without);
            return Put { address: anthropic::address(&self.base), head: begin(&body), body, read: anthropic::read };
        }
        match &question.raw {
            Some(raw) if kind == Kind::Llama && !without.contains(&unsupported_params::RequestParam::Format) => Put {
                address: openai::address(&self.base, "completions"),
                body: openai::completion(model, raw, without),
                head: raw.head.clone(),
                read: openai::read,
            },
            Some(_) | None => {
                let body = openai::chat(model, question, kind, without);
                let address = openai::address(&self.base, "chat/completions");
                Put { address, head: begin(&body), body, read: openai::read }
            }
        }
    }

    /// Probes the server once, and only if the request could use the result.
    async fn kind(
        &self,
        clock: &RequestClock,
        question: &Question,
        witness: &impl RequestRecorder,
    ) -> Result<Kind, Failure> {
        if let Some(kind) = *locked(&self.kind) {
            return Ok(kind);
        }
        let has_use =
            question.raw.is_some() || question.begin.is_some() || matches!(question.format, Format::Grammar(_));
        if !has_use {
            return Ok(Kind::Other);
        }
        let address = openai::properties(&self.base);
        let note =
            witness.leaves(&OutboundRequest { address: &displayed_address(&address), model: "", body: "" }).await?;
        let mut ended = RequestEnd::default();
        let told = http_exchange::get(self.with_key(self.client.get(address)), clock, &mut ended).await;
        ended.failure = told.as_ref().err().cloned();
        witness.ended(note, &ended);
        let kind = match told {
            Ok((status, body)) if status.is_success() && openai::is_llama(&body) => Kind::Llama,
            // An unreachable server is not remembered: another one may answer there later.
            Err(failure @ (Failure::Offline(_) | Failure::TooLate)) => return Err(failure),
            Ok(_) | Err(_) => Kind::Other,
        };
        *locked(&self.kind) = Some(kind);
        Ok(kind)
    }

    fn leave_out(&self, model: &str, part: unsupported_params::RequestParam) {
        let mut refused = locked(&self.refused);
        if refused.len() >= MAX_MODELS && !refused.contains_key(model) {
            refused.clear();
        }
        refused.entry(model.to_owned()).or_default().push(part);
    }
}

/// A request as it is sent.
struct Put {
    address: Url,
    body: Value,
    /// The prefill, prepended to the answer.
    head: String,
    read: http_exchange::EventParser,
}

/// The received answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub text: String,
    pub others: Vec<String>,
    pub end: FinishReason,
    pub tokens_in: Option<u64>,
    pub tokens_out: Option<u64>,
}

impl Answer {
    fn new(heard: ExchangeResult, head: &str) -> Self {
        let ExchangeResult { texts, end, tokens_in, tokens_out } = heard;
        let mut texts = texts.into_iter().map(|text| joined(head, &text));
        let text = texts.next().unwrap_or_else(|| head.to_owned());
        Self { text, others: texts.filter(|text| !text.is_empty()).collect(), end, tokens_in, tokens_out }
    }
}

/// Prepends the prefill, which some servers repeat.
fn joined(head: &str, said: &str) -> String {
    if said.starts_with(head) { said.to_owned() } else { format!("{head}{said}") }
}

/// An address that is safe to show: all removed parts can hold a key.
pub fn displayed_address(address: &Url) -> String {
    let mut address = address.clone();
    let _ = address.set_username("");
    let _ = address.set_password(None);
    address.set_query(None);
    address.set_fragment(None);
    address.to_string()
}

/// The configured address in a form that is safe to show.
pub fn shown_base(base_url: &str) -> String {
    base(base_url).map_or_else(|_| String::new(), |url| displayed_address(&url))
}

fn base(text: &str) -> Result<Url, String> {
    let url = Url::parse(text.trim()).map_err(|error| format!("it is no address: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err("it is no address of a web server".to_owned());
    }
    Ok(url)
}

impl Question {
    pub fn new(system: String, user: String) -> Self {
        Self {
            system,
            earlier: Vec::new(),
            user,
            exchanges: Vec::new(),
            max_tokens: 256,
            stop: Vec::new(),
            candidates: 1,
            variety: Variety::None,
            format: Format::Free,
            begin: None,
            raw: None,
            privacy: Privacy::Open,
            session: String::new(),
            selection: Selection::AsSet,
            complaint: ServerMessage::default(),
        }
    }
}

/// Reads on from "the model: ".
impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Private => write!(out, "this shell is private, nothing leaves it"),
            Failure::NoProvider => write!(out, "the settings name none; see llm.provider"),
            Failure::Resting => write!(out, "it has failed often of late and is left alone for a while"),
            Failure::Settings(why) => write!(out, "{why}"),
            Failure::Offline(why) => write!(out, "no server answers at llm.base_url: {why}"),
            Failure::HungUp(why) => write!(out, "it hung up: {why}"),
            Failure::TooLate => write!(out, "it took too long to answer"),
            Failure::Unauthorized => write!(out, "it does not accept the key; see llm.api_key_env"),
            Failure::RateLimited { retry_after: Some(after) } => {
                write!(out, "it was asked too often, and wants {} s of rest", after.as_secs())
            }
            Failure::RateLimited { retry_after: None } => write!(out, "it was asked too often"),
            Failure::NoModel => write!(out, "it has no such model; see llm.model"),
            Failure::NotHere { name, bytes: Some(bytes) } => {
                write!(
                    out,
                    "{name} is not here; get it ({}) with: aside model pull {name}",
                    local::installed_models::size(*bytes)
                )
            }
            Failure::NotHere { name, bytes: None } => {
                write!(out, "{name} is not here; `aside model list` shows which there are")
            }
            Failure::NoServer { named } if named.is_empty() => {
                write!(out, "no {} is on PATH; install llama.cpp, or set llm.local.server", local::PROGRAM)
            }
            Failure::NoServer { named } => write!(out, "llm.local.server: {named} is no program that can be run"),
            Failure::Starting => write!(out, "it is still starting"),
            Failure::Agent(what) => out.write_str(what),
            Failure::ServerDied(how) => write!(out, "its server ended: {how}; more is in model.log"),
            Failure::Status(404) => write!(out, "it knows no such address; see llm.base_url"),
            Failure::Status(status) => write!(out, "it answered with HTTP status {status}"),
            Failure::Garbled(why) => write!(out, "its answer makes no sense: {why}"),
        }
    }
}

/// A panic while it was held lost one request; the remaining state is valid.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_one_of_a_web_server() {
        for good in ["http://127.0.0.1:1234", " https://host/v1 "] {
            assert!(base(good).is_ok(), "{good}");
        }
        for bad in ["", "host", "127.0.0.1:80", "ftp://host/v1", "file:///etc/passwd"] {
            assert!(base(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_may_be_a_key_is_not_shown() {
        let address = Url::parse("https://me:sesame@host/v1/x?key=sesame#sesame").unwrap();
        assert_eq!(displayed_address(&address), "https://host/v1/x");
    }

    #[test]
    fn what_was_said_for_the_model_is_heard_once() {
        assert_eq!(joined("{", "\"a\":1}"), "{\"a\":1}");
        assert_eq!(joined("{", "{\"a\":1}"), "{\"a\":1}");
        assert_eq!(joined("", "x"), "x");
    }
}
