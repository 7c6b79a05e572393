//! A stub model server on loopback that sends scripted replies and records every request. It notices when the client disconnects
//! before the reply ended.
//!
//! ```ignore
//! let model = Model::start();
//! model.next(Answer::streams(["git ", "status"]).pace(Duration::from_millis(5)));
//! // … `model.base_url()` into the configuration, something is asked …
//! assert_eq!(model.wait_for_requests(1)[0].body["stream"], true);
//! ```

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::patience;
use crate::model::scripted_reply::ScriptedReply;

pub mod fake_llama_server;
pub mod files;
pub mod fixture;
mod http;
pub mod scripted_reply;
mod wire_format;

pub struct Model {
    address: SocketAddr,
    stage: Arc<Stage>,
}

/// A request as received, and how its reply ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub method: String,
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// Null when there was none.
    pub body: Value,
    /// The same body, byte for byte.
    pub text: String,
    pub ending: Ending,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The reply is still being sent.
    Open,
    /// The client received everything that the script has for it, including errors.
    Whole,
    /// The script closed the connection.
    Dropped,
    /// The client closed the connection first: the request was cancelled.
    ClientLeft,
    /// No scripted reply: the client got status 599.
    Unexpected,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// State shared by the server's threads.
#[derive(Default)]
struct Stage {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    script: VecDeque<ScriptedReply>,
    always: Option<ScriptedReply>,
    /// The reply to requests without tools, such as those for a conversation's title.
    asides: Option<ScriptedReply>,
    requests: Vec<Request>,
    forgiven: usize,
    closing: bool,
    /// Connections that carried a request.
    connections: usize,
    /// Identifies itself as llama.cpp's server.
    llama: bool,
    properties_told: usize,
}

impl Model {
    pub fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let model = Self { address, stage: Arc::default() };
        let stage = Arc::clone(&model.stage);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if stage.is_closing() {
                    return;
                }
                let stage = Arc::clone(&stage);
                std::thread::spawn(move || http::serve(stream, &stage));
            }
        });
        model
    }

    /// A server that identifies itself as llama.cpp's: it accepts grammars.
    pub fn start_llama() -> Self {
        let model = Self::start();
        model.stage.lock().llama = true;
        model
    }

    /// `http://127.0.0.1:PORT/v1`, the form for OpenAI clients.
    pub fn base_url(&self) -> String {
        format!("{}/v1", self.origin())
    }

    /// `http://127.0.0.1:PORT`, the form for Anthropic clients.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Appends to the script: the next unanswered request gets this reply.
    pub fn next(&self, answer: ScriptedReply) -> &Self {
        self.stage.lock().script.push_back(answer);
        self
    }

    /// The reply to every request once the script is used up.
    pub fn always(&self, answer: ScriptedReply) -> &Self {
        self.stage.lock().always = Some(answer);
        self
    }

    /// The reply to an agent's side requests, which carry no tools.
    pub fn without_tools(&self, answer: ScriptedReply) -> &Self {
        self.stage.lock().asides = Some(answer);
        self
    }

    /// How many connections were used for the requests so far.
    pub fn connections(&self) -> usize {
        self.stage.lock().connections
    }

    /// How often a client asked which server program this is. Those requests are not recorded with the others.
    pub fn properties_told(&self) -> usize {
        self.stage.lock().properties_told
    }

    /// All requests so far, in order of arrival.
    pub fn requests(&self) -> Vec<Request> {
        self.stage.lock().requests.clone()
    }

    /// Waits until at least `count` requests have come in.
    #[track_caller]
    pub fn wait_for_requests(&self, count: usize) -> Vec<Request> {
        self.wait_for(&format!("{count} requests"), |requests| requests.len() >= count)
    }

    /// Waits until the reply to request `number` (from zero) has ended, one way or another.
    #[track_caller]
    pub fn wait_for_ending(&self, number: usize) -> Ending {
        let ended = |request: &Request| request.ending != Ending::Open;
        let requests =
            self.wait_for(&format!("the end of request {number}"), |requests| requests.get(number).is_some_and(ended));
        requests[number].ending
    }

    #[track_caller]
    pub fn wait_for(&self, what: &str, condition: impl Fn(&[Request]) -> bool) -> Vec<Request> {
        let deadline = Instant::now() + patience();
        let mut state = self.stage.lock();
        while !condition(&state.requests) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let requests = std::mem::take(&mut state.requests);
                drop(state);
                panic!("waited for {what} at the model server; it had seen {requests:#?}");
            }
            state = self.stage.wait(state, left);
        }
        state.requests.clone()
    }

    /// The requests that had no scripted reply. Unless the test asks for them, the server panics when it is dropped.
    pub fn unexpected(&self) -> Vec<Request> {
        let mut state = self.stage.lock();
        let unexpected = state.unexpected();
        state.forgiven = unexpected.len();
        unexpected
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let unexpected = {
            let mut state = self.stage.lock();
            state.closing = true;
            state.unexpected().split_off(state.forgiven)
        };
        self.stage.changed.notify_all();
        // Wakes the listener, so that it sees the end.
        _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
        if !unexpected.is_empty() && !std::thread::panicking() {
            panic!("the model server was asked what no script answers: {unexpected:#?}");
        }
    }
}

impl Stage {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>, limit: Duration) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, limit).unwrap_or_else(|poisoned| poisoned.into_inner()).0
    }

    fn is_closing(&self) -> bool {
        self.lock().closing
    }

    fn is_llama(&self) -> bool {
        self.lock().llama
    }

    fn connected(&self) {
        self.lock().connections += 1;
    }

    fn told_properties(&self) {
        self.lock().properties_told += 1;
    }

    /// Records a request and returns its number.
    fn record(&self, request: Request) -> usize {
        let mut state = self.lock();
        state.requests.push(request);
        self.changed.notify_all();
        state.requests.len() - 1
    }

    fn take_answer(&self, asked: &Value) -> Option<ScriptedReply> {
        let mut state = self.lock();
        if state.asides.is_some() && asked["tools"].as_array().is_none_or(Vec::is_empty) {
            return state.asides.clone();
        }
        state.script.pop_front().or_else(|| state.always.clone())
    }

    fn end(&self, number: usize, ending: Ending) {
        self.lock().requests[number].ending = ending;
        self.changed.notify_all();
    }
}

impl State {
    fn unexpected(&self) -> Vec<Request> {
        self.requests.iter().filter(|request| request.ending == Ending::Unexpected).cloned().collect()
    }
}
