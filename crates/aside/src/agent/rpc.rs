//! Sends and answers requests over an agent's lines, in both directions. Codex omits the `jsonrpc` member, ACP requires it; the rest is the
//! same. Each direction numbers its requests independently.

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::agent::Failure;
use crate::agent::json_lines::JsonLines;
use crate::agent::text::short;

/// Why a request of the agent is refused; the values are JSON-RPC error codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// Unknown method.
    NotServed = -32601,
    Declined = -32000,
    /// No such file.
    NotFound = -32002,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Unmarked,
    JsonRpc,
}

pub struct Rpc<'a> {
    lines: &'a mut JsonLines,
    dialect: Dialect,
    last: u64,
}

/// An error reply of the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorReply {
    pub code: i64,
    pub message: String,
}

impl<'a> Rpc<'a> {
    pub fn new(lines: &'a mut JsonLines, dialect: Dialect) -> Self {
        Self { lines, dialect, last: 0 }
    }

    pub async fn next(&mut self) -> Result<Value, Failure> {
        self.lines.next().await
    }

    /// Returns `None` at the deadline.
    pub async fn next_before(&mut self, end: Option<Instant>) -> Result<Option<Value>, Failure> {
        match end {
            Some(end) => tokio::time::timeout_at(end, self.next()).await.map_or(Ok(None), |next| next.map(Some)),
            None => self.next().await.map(Some),
        }
    }

    /// Sends a request and waits for its reply. Refuses every request that the agent sends before a turn.
    pub async fn call(&mut self, method: &str, params: Value) -> Result<Result<Value, ErrorReply>, Failure> {
        let id = self.sends(method, params).await?;
        loop {
            let message = self.lines.next().await?;
            if answers(&message, id) {
                return Ok(answered(message));
            }
            self.refuses(&message, Error::NotServed, "not now").await?;
        }
    }

    /// Sends a request and returns the id of its reply.
    pub async fn sends(&mut self, method: &str, params: Value) -> Result<u64, Failure> {
        self.last += 1;
        self.writes(json!({ "id": self.last, "method": method, "params": params })).await?;
        Ok(self.last)
    }

    pub async fn notes(&mut self, method: &str, params: Value) -> Result<(), Failure> {
        let mut message = json!({ "method": method });
        if !params.is_null() {
            message["params"] = params;
        }
        self.writes(message).await
    }

    pub async fn replies(&mut self, request: &Value, result: Value) -> Result<(), Failure> {
        self.writes(json!({ "id": request["id"], "result": result })).await
    }

    /// Replies with an error to a request; ignores messages that are not requests.
    pub async fn refuses(&mut self, message: &Value, error: Error, why: &str) -> Result<(), Failure> {
        if message.get("method").is_none() || message.get("id").is_none() {
            return Ok(());
        }
        let error = json!({ "code": error as i64, "message": why });
        self.writes(json!({ "id": message["id"], "error": error })).await
    }

    async fn writes(&mut self, mut message: Value) -> Result<(), Failure> {
        if self.dialect == Dialect::JsonRpc {
            message["jsonrpc"] = "2.0".into();
        }
        self.lines.send(&message).await
    }
}

pub fn answers(message: &Value, id: u64) -> bool {
    message.get("method").is_none() && message["id"] == id
}

pub fn answered(mut message: Value) -> Result<Value, ErrorReply> {
    match message.get("error").filter(|error| !error.is_null()) {
        Some(error) => Err(ErrorReply {
            code: error["code"].as_i64().unwrap_or_default(),
            message: short(error["message"].as_str().unwrap_or("an error without a word")),
        }),
        None => Ok(message["result"].take()),
    }
}
