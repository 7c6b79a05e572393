//! Speaks to Codex's app-server, one JSON object per line over two pipes. Codex works in its read-only sandbox; every approval request is
//! answered with `cancel`, which ends the turn, and the first becomes a proposal.

use std::collections::HashMap;
use std::path::Path;

use aside_text as text;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::agent::json_lines::JsonLines;
use crate::agent::rpc::{Dialect, Error, Rpc, answered, answers};
use crate::agent::text::{checklist, plain, script, short};
use crate::agent::{
    AgentAction, AgentRequest, ENDS, Edit, Ended, Failure, FileChange, Kept, Listener, MAX_FILES, OPENS, Reply, named,
};

/// The range of versions that this protocol was tested with: `FROM` inclusive, `BEFORE` exclusive.
const FROM: (u64, u64) = (0, 80);
const BEFORE: (u64, u64) = (0, 167);
const KNOWN: &str = "0.80 to 0.166";

/// Cap on items that are remembered until Codex asks approval for one.
const MAX_ITEMS: usize = 256;
const ON_REQUEST: &str = "on-request";
const READ_ONLY: &str = "read-only";

pub struct Codex<'a, L> {
    rpc: Rpc<'a>,
    pub told: TurnState<'a, L>,
}

/// The state of a turn as told by Codex so far.
pub struct TurnState<'a, L> {
    listener: &'a L,
    pub reply: Reply,
    /// Items in progress, by the id that an approval request refers to.
    items: HashMap<String, Value>,
    /// Bytes already passed on of each streamed message, by item id.
    heard: HashMap<String, usize>,
    /// A command that has either begun or awaits approval: only the next message tells which.
    begun: Option<String>,
    /// Token totals before this turn.
    used_before: Option<(Option<u64>, Option<u64>)>,
}

impl<'a, L: Listener> Codex<'a, L> {
    pub async fn open(
        lines: &'a mut JsonLines,
        brief: &AgentRequest<'_>,
        kept: Kept,
        listener: &'a L,
    ) -> Result<Self, Failure> {
        let mut codex = Self { rpc: Rpc::new(lines, Dialect::Unmarked), told: TurnState::new(listener) };
        let opened = tokio::time::timeout(OPENS, codex.opens(brief.cwd, brief.thread, kept)).await;
        opened.unwrap_or(Err(Failure::TooLate(OPENS)))?;
        Ok(codex)
    }

    async fn opens(&mut self, cwd: &Path, thread: Option<&str>, kept: Kept) -> Result<(), Failure> {
        let client = json!({ "name": "aside", "title": "Aside", "version": env!("CARGO_PKG_VERSION") });
        let hello = self.rpc.call("initialize", json!({ "clientInfo": client })).await?;
        let hello = hello.map_err(|why| Failure::Garbled(format!("initialize: {}", why.message)))?;
        check_version(hello["userAgent"].as_str().unwrap_or_default())?;
        self.rpc.notes("initialized", Value::Null).await?;
        let mut place = json!({ "cwd": cwd, "approvalPolicy": ON_REQUEST, "sandbox": READ_ONLY });
        let resumed = match thread {
            Some(thread) => {
                let mut resume = place.clone();
                resume["threadId"] = thread.into();
                self.rpc.call("thread/resume", resume).await?.ok()
            }
            None => None,
        };
        let opened = match resumed {
            Some(opened) => opened,
            None => {
                place["ephemeral"] = (kept == Kept::No).into();
                let opened = self.rpc.call("thread/start", place).await?;
                opened.map_err(|why| Failure::Failed(format!("it opens no conversation: {}", why.message)))?
            }
        };
        is_bounded(&opened)?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        self.told.reply.thread = text(&opened["thread"]["id"]);
        self.told.reply.model = short(&text(&opened["model"]));
        named(&self.told.reply.thread)
    }

    /// Checks that Codex has an account if its model needs one. Makes no network request.
    pub async fn signed_in(&mut self) -> Result<(), Failure> {
        let told = self.rpc.call("account/read", json!({ "refreshToken": false })).await?.unwrap_or_default();
        let is_needed = told["requiresOpenaiAuth"] == true && told["account"].is_null();
        if is_needed { Err(signed_out()) } else { Ok(()) }
    }

    pub async fn turn(&mut self, prompt: &str) -> Result<Ended, Failure> {
        let input = json!([{ "type": "text", "text": prompt, "text_elements": [] }]);
        let id = self.rpc.sends("turn/start", json!({ "threadId": self.told.reply.thread, "input": input })).await?;
        let (mut wants, mut ends) = (None, None);
        loop {
            let message = match self.rpc.next_before(ends).await {
                Ok(Some(message)) => message,
                // The proposal is already known, so it does not matter how Codex ends.
                Ok(None) | Err(Failure::Died(_)) if wants.is_some() => return ended(&Value::Null, wants),
                Ok(None) => return Err(Failure::TooLate(ENDS)),
                Err(failure) => return Err(failure),
            };
            if answers(&message, id) {
                answered(message).map_err(|why| Failure::Failed(why.message))?;
                continue;
            }
            let params = &message["params"];
            match message["method"].as_str().unwrap_or_default() {
                "item/fileChange/requestApproval" | "item/commandExecution/requestApproval" => {
                    // Only the first request becomes the proposal; its refusal ends the turn.
                    if wants.is_none() {
                        wants = Some(self.told.wanted(params)?);
                        ends = Some(Instant::now() + ENDS);
                    }
                    self.rpc.replies(&message, json!({ "decision": "cancel" })).await?;
                }
                "turn/completed" => {
                    self.told.shows_begun();
                    return ended(&params["turn"], wants);
                }
                method if self.told.on_notification(method, params) => {}
                _ => self.rpc.refuses(&message, Error::NotServed, "Aside serves nothing of this kind").await?,
            }
        }
    }
}

impl<'a, L: Listener> TurnState<'a, L> {
    pub fn new(listener: &'a L) -> Self {
        Self {
            listener,
            reply: Reply::default(),
            items: HashMap::new(),
            heard: HashMap::new(),
            begun: None,
            used_before: None,
        }
    }

    /// Reads a notification. Returns whether it was a known one.
    pub fn on_notification(&mut self, method: &str, params: &Value) -> bool {
        if method.starts_with("item/") {
            self.shows_begun();
        }
        match method {
            "item/started" => self.begins(&params["item"]),
            "item/completed" => self.completes(&params["item"]),
            "item/agentMessage/delta" => {
                let delta = params["delta"].as_str().unwrap_or_default();
                let item = params["itemId"].as_str().unwrap_or_default();
                *self.heard.entry(item.to_owned()).or_default() += delta.len();
                self.says(delta);
            }
            "turn/plan/updated" => self.listener.step(&plan(params)),
            // A retry may take minutes, so the user is told.
            "error" if params["willRetry"] == true => {
                self.listener.step(&short(params["error"]["message"].as_str().unwrap_or("It tries again.")));
            }
            "thread/tokenUsage/updated" => {
                let usage = &params["tokenUsage"];
                let of = |part: &str, name: &str| usage[part][name].as_u64();
                // Totals cover all turns, and some are sent twice. Subtracting the total before this turn's first call leaves this turn's
                // usage.
                let begins = |name: &str| of("total", name)?.checked_sub(of("last", name)?);
                let before = *self.used_before.get_or_insert_with(|| (begins("inputTokens"), begins("outputTokens")));
                let since = |name: &str, before: Option<u64>| of("total", name)?.checked_sub(before?);
                self.reply.tokens_in = since("inputTokens", before.0);
                self.reply.tokens_out = since("outputTokens", before.1);
            }
            _ => return false,
        }
        true
    }

    /// Reports a command that began without asking for approval.
    fn shows_begun(&mut self) {
        if let Some(begun) = self.begun.take() {
            self.listener.step(&begun);
        }
    }

    fn begins(&mut self, item: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match item["type"].as_str().unwrap_or_default() {
            "commandExecution" => {
                self.begun = Some(format!("$ {}", short(&script(&text(&item["command"])).0)));
            }
            "fileChange" => {}
            _ => return,
        }
        if self.items.len() < MAX_ITEMS {
            self.items.insert(text(&item["id"]), item.clone());
        }
    }

    fn completes(&mut self, item: &Value) {
        let id = item["id"].as_str().unwrap_or_default();
        match item["type"].as_str().unwrap_or_default() {
            "agentMessage" if !self.heard.contains_key(id) => {
                let text = item["text"].as_str().unwrap_or_default().to_owned();
                self.says(&text);
            }
            "agentMessage" => self.says("\n\n"),
            _ => drop(self.items.remove(id)),
        }
    }

    fn says(&mut self, said: &str) {
        let said = text::clean(said);
        self.reply.text.push_str(&said);
        self.listener.says(&said);
    }

    /// Older versions send only the item's id, newer ones repeat its content. The item wins, since that is what Codex would do.
    fn wanted(&mut self, params: &Value) -> Result<AgentAction, Failure> {
        self.begun = None;
        let id = params["itemId"].as_str().unwrap_or_default();
        let item = self.items.get(id).unwrap_or(params);
        let text = |name: &str| item[name].as_str().or(params[name].as_str()).unwrap_or_default().to_owned();
        if let Some(changes) = item["changes"].as_array() {
            if changes.is_empty() || changes.len() > MAX_FILES {
                return Err(Failure::Garbled(format!("a change of {} files", changes.len())));
            }
            return Ok(AgentAction::Change(changes.iter().map(change).collect::<Option<_>>().ok_or_else(no_change)?));
        }
        let command = text("command");
        if command.trim().is_empty() {
            return Err(Failure::Garbled("it asks leave for what it does not name".to_owned()));
        }
        Ok(AgentAction::Command { cmd: plain(&command), cwd: text("cwd"), reason: short(&text("reason")) })
    }
}

fn ended(turn: &Value, wants: Option<AgentAction>) -> Result<Ended, Failure> {
    match (turn["status"].as_str().unwrap_or_default(), wants) {
        (_, Some(wants)) => Ok(Ended::Wants(wants)),
        ("completed", None) => Ok(Ended::Whole),
        ("interrupted", None) => Err(Failure::Failed("it broke off its turn".to_owned())),
        (_, None) if turn["error"]["codexErrorInfo"] == "unauthorized" => Err(signed_out()),
        (_, None) => {
            let why = turn["error"]["message"].as_str().unwrap_or("it does not say why");
            Err(Failure::Failed(short(why)))
        }
    }
}

fn signed_out() -> Failure {
    Failure::SignIn("run `codex login` in a terminal".to_owned())
}

fn no_change() -> Failure {
    Failure::Garbled("a change without a file".to_owned())
}

/// Reads the version from a user agent like `aside/0.166.0 (Debian …)`.
fn check_version(agent: &str) -> Result<(), Failure> {
    let version = agent.split_once('/').map_or("", |(_, rest)| rest.split(' ').next().unwrap_or_default());
    let mut parts = version.split('.').map(|part| part.parse::<u64>().ok());
    let number = (parts.next().flatten(), parts.next().flatten());
    match number {
        (Some(major), Some(minor)) if (FROM..BEFORE).contains(&(major, minor)) => Ok(()),
        _ => Err(Failure::Version {
            name: "codex".to_owned(),
            found: if version.is_empty() { "of an unknown version".to_owned() } else { short(version) },
            known: KNOWN,
            advice: "install one that is: `npm install -g @openai/codex@0.166.0`".to_owned(),
        }),
    }
}

/// Checks that Codex confirms the sandbox and approval policy that it was started with.
fn is_bounded(opened: &Value) -> Result<(), Failure> {
    let sandbox = opened["sandbox"]["type"].as_str().unwrap_or_default();
    let policy = opened["approvalPolicy"].as_str().unwrap_or_default();
    if sandbox != "readOnly" || policy != ON_REQUEST {
        return Err(Failure::Unsafe("it does not take the read-only sandbox in which it would have to ask".to_owned()));
    }
    Ok(())
}

fn change(change: &Value) -> Option<FileChange> {
    let path = change["path"].as_str()?.to_owned();
    let diff = change["diff"].as_str()?.to_owned();
    let edit = match change["kind"]["type"].as_str()? {
        "add" => Edit::Whole(diff),
        "delete" => Edit::Delete,
        "update" => {
            let moved_to = change["kind"]["move_path"].as_str().map(str::to_owned);
            let diff = match &moved_to {
                Some(to) => diff.strip_suffix(&format!("\n\nMoved to: {to}")).map(str::to_owned).unwrap_or(diff),
                None => diff,
            };
            Edit::Hunks { diff, moved_to }
        }
        _ => return None,
    };
    Some(FileChange { path, edit })
}

fn plan(params: &Value) -> String {
    let points = params["plan"].as_array().into_iter().flatten();
    checklist(points.map(|point| (point["step"].as_str().unwrap_or_default(), point["status"] == "completed")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_versions_are_talked_to() {
        for good in ["aside/0.80.0 (Debian 12)", "aside/0.166.3", "x/0.101.0-alpha (y)"] {
            assert_eq!(check_version(good), Ok(()), "{good}");
        }
        for bad in ["", "aside", "aside/0.79.9 (x)", "aside/0.167.0", "aside/1.0.0", "aside/x.y", "aside/0"] {
            let said = check_version(bad).unwrap_err().to_string();
            assert!(said.contains("npm install -g @openai/codex@0.166.0"), "{bad}: {said}");
        }
    }

    #[test]
    fn a_sandbox_that_is_not_the_one_asked_for_is_refused() {
        let opened = |sandbox: &str, policy: &str| json!({ "sandbox": { "type": sandbox }, "approvalPolicy": policy });
        assert_eq!(is_bounded(&opened("readOnly", "on-request")), Ok(()));
        for (sandbox, policy) in
            [("workspaceWrite", "on-request"), ("readOnly", "never"), ("dangerFullAccess", "never"), ("", "")]
        {
            assert!(is_bounded(&opened(sandbox, policy)).is_err(), "{sandbox} {policy}");
        }
    }

    #[test]
    fn tokens_are_those_of_this_turn_though_they_are_told_twice() {
        let mut told = TurnState::new(&crate::agent::NoListener);
        for (total, last) in [(105, 5), (105, 5), (112, 7)] {
            let of = |tokens: u64| json!({ "inputTokens": tokens, "outputTokens": 2 * tokens });
            told.on_notification(
                "thread/tokenUsage/updated",
                &json!({ "tokenUsage": { "total": of(total), "last": of(last) } }),
            );
        }
        assert_eq!((told.reply.tokens_in, told.reply.tokens_out), (Some(12), Some(24)));
    }

    #[test]
    fn a_change_is_read_in_each_of_its_forms() {
        let read = |kind: Value, diff: &str| {
            change(&json!({ "path": "/ws/a", "kind": kind, "diff": diff })).map(|change| change.edit)
        };
        assert_eq!(read(json!({"type": "add"}), "new\n"), Some(Edit::Whole("new\n".to_owned())));
        assert_eq!(read(json!({"type": "delete"}), "old\n"), Some(Edit::Delete));
        let hunks =
            |diff: &str, to: Option<&str>| Edit::Hunks { diff: diff.to_owned(), moved_to: to.map(str::to_owned) };
        let update = json!({"type": "update", "move_path": null});
        assert_eq!(read(update, "@@ -1 +1 @@\n-a\n+b\n"), Some(hunks("@@ -1 +1 @@\n-a\n+b\n", None)));
        let moved = json!({"type": "update", "move_path": "/ws/b"});
        assert_eq!(read(moved, "@@\n-a\n+b\n\n\nMoved to: /ws/b"), Some(hunks("@@\n-a\n+b\n", Some("/ws/b"))));
        assert_eq!(read(json!({"type": "chmod"}), ""), None);
    }
}
