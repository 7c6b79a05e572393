//! Codex's app-server: its messages over two pipes, one JSON object a line. It works in its read-only sandbox, and whatever it asks leave for
//! is refused by `cancel`, which ends its turn: what it wanted is a proposal of ours by then.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use aside_core::text;
use serde_json::{Value, json};

use crate::agent::lines::Lines;
use crate::agent::{Brief, Edit, Failure, FileChange, Listener, MAX_FILES, Reply, TRIES, Wants};
use crate::exec;

/// The versions whose protocol this was tried with: from the first, before the last.
const FROM: (u64, u64) = (0, 80);
const BEFORE: (u64, u64) = (0, 167);
const KNOWN: &str = "0.80 to 0.166";

/// How long it may take to say who it is, and to open a conversation.
const OPENS: Duration = Duration::from_secs(30);
/// Things that it does which are remembered until it asks leave for one.
const MAX_ITEMS: usize = 256;
const ON_REQUEST: &str = "on-request";
const READ_ONLY: &str = "read-only";

struct Codex<'a, L> {
    lines: &'a mut Lines,
    listener: &'a L,
    last: u64,
    reply: Reply,
    /// What it is doing, by the name that a request for leave has.
    items: HashMap<String, Value>,
    /// Texts of which pieces were heard.
    heard: HashMap<String, usize>,
}

/// How a turn ended.
enum Ended {
    Whole,
    Wants(Wants),
}

pub async fn ask(lines: &mut Lines, brief: &Brief<'_>, listener: &impl Listener) -> Result<Reply, Failure> {
    let (items, heard) = (HashMap::new(), HashMap::new());
    let mut codex = Codex { lines, listener, last: 0, reply: Reply::default(), items, heard };
    let opened = tokio::time::timeout(OPENS, codex.opens(brief.cwd, brief.thread, Kept::Yes)).await;
    opened.unwrap_or(Err(Failure::TooLate(OPENS)))?;
    let mut prompt = brief.prompt.to_owned();
    for attempt in 0..=TRIES {
        match codex.turn(&prompt).await? {
            Ended::Whole => return Ok(codex.reply),
            Ended::Wants(wants) => match listener.wants(wants).await {
                Ok(()) => {
                    codex.reply.wants = true;
                    return Ok(codex.reply);
                }
                Err(why) if attempt == TRIES => return Err(Failure::Refused(why)),
                Err(why) => prompt = format!("That was not done: {why}"),
            },
        }
    }
    Ok(codex.reply)
}

/// Opens a conversation that is not kept.
pub async fn greet(lines: &mut Lines, cwd: &Path) -> Result<String, Failure> {
    let (items, heard) = (HashMap::new(), HashMap::new());
    let mut codex = Codex { lines, listener: &NoListener, last: 0, reply: Reply::default(), items, heard };
    let opened = tokio::time::timeout(OPENS, codex.opens(cwd, None, Kept::No)).await;
    opened.unwrap_or(Err(Failure::TooLate(OPENS)))?;
    Ok(codex.reply.model)
}

/// Whether Codex writes a conversation down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    Yes,
    No,
}

/// Hears nothing and takes nothing.
struct NoListener;

impl Listener for NoListener {
    fn says(&self, _: &str) {}

    fn step(&self, _: &str) {}

    async fn wants(&self, _: Wants) -> Result<(), String> {
        Err("nothing was asked for".to_owned())
    }
}

impl<L: Listener> Codex<'_, L> {
    async fn opens(&mut self, cwd: &Path, thread: Option<&str>, kept: Kept) -> Result<(), Failure> {
        let client = json!({ "name": "aside", "title": "Aside", "version": env!("CARGO_PKG_VERSION") });
        let hello = self.call("initialize", json!({ "clientInfo": client })).await?;
        let hello = hello.map_err(|why| Failure::Garbled(format!("initialize: {why}")))?;
        check_version(hello["userAgent"].as_str().unwrap_or_default())?;
        self.lines.send(&json!({ "method": "initialized" })).await?;
        let mut place = json!({ "cwd": cwd, "approvalPolicy": ON_REQUEST, "sandbox": READ_ONLY });
        let resumed = match thread {
            Some(thread) => {
                let mut resume = place.clone();
                resume["threadId"] = thread.into();
                self.call("thread/resume", resume).await?.ok()
            }
            None => None,
        };
        let opened = match resumed {
            Some(opened) => opened,
            None => {
                place["ephemeral"] = (kept == Kept::No).into();
                let opened = self.call("thread/start", place).await?;
                opened.map_err(|why| Failure::Failed(format!("it opens no conversation: {why}")))?
            }
        };
        is_bounded(&opened)?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        self.reply.thread = text(&opened["thread"]["id"]);
        self.reply.model = text(&opened["model"]);
        if self.reply.thread.is_empty() {
            return Err(Failure::Garbled("a conversation without a name".to_owned()));
        }
        Ok(())
    }

    /// Asks, and waits for the answer. The inner error is the agent's own.
    async fn call(&mut self, method: &str, params: Value) -> Result<Result<Value, String>, Failure> {
        let id = self.sends(method, params).await?;
        loop {
            let message = self.lines.next().await?;
            if message.get("method").is_none() && message["id"] == id {
                return Ok(answered(message));
            }
            // Nothing is asked of us before there is a turn, and nothing is given.
            self.refuses(&message, "not now").await?;
        }
    }

    async fn sends(&mut self, method: &str, params: Value) -> Result<u64, Failure> {
        self.last += 1;
        self.lines.send(&json!({ "id": self.last, "method": method, "params": params })).await?;
        Ok(self.last)
    }

    /// Answers a request that is not served; what is no request needs none.
    async fn refuses(&mut self, message: &Value, why: &str) -> Result<(), Failure> {
        if message.get("method").is_none() || message.get("id").is_none() {
            return Ok(());
        }
        let error = json!({ "code": -32601, "message": why });
        self.lines.send(&json!({ "id": message["id"], "error": error })).await
    }

    async fn turn(&mut self, prompt: &str) -> Result<Ended, Failure> {
        let input = json!([{ "type": "text", "text": prompt, "text_elements": [] }]);
        let id = self.sends("turn/start", json!({ "threadId": self.reply.thread, "input": input })).await?;
        let mut wants = None;
        loop {
            let message = self.lines.next().await?;
            let Some(method) = message["method"].as_str().map(str::to_owned) else {
                if message["id"] == id {
                    answered(message).map_err(Failure::Failed)?;
                }
                continue;
            };
            let params = &message["params"];
            match method.as_str() {
                "item/fileChange/requestApproval" | "item/commandExecution/requestApproval" => {
                    // The first counts: its refusal ends the turn.
                    if wants.is_none() {
                        wants = Some(self.wanted(params)?);
                    }
                    self.lines.send(&json!({ "id": message["id"], "result": { "decision": "cancel" } })).await?;
                }
                "item/started" => self.begins(&params["item"]),
                "item/completed" => self.completes(&params["item"]),
                "item/agentMessage/delta" => {
                    let delta = params["delta"].as_str().unwrap_or_default();
                    let item = params["itemId"].as_str().unwrap_or_default();
                    *self.heard.entry(item.to_owned()).or_default() += delta.len();
                    self.says(delta);
                }
                "turn/plan/updated" => self.listener.step(&plan(params)),
                "thread/tokenUsage/updated" => {
                    let total = &params["tokenUsage"]["total"];
                    self.reply.tokens_in = total["inputTokens"].as_u64();
                    self.reply.tokens_out = total["outputTokens"].as_u64();
                }
                "turn/completed" => return self.ended(&params["turn"], wants),
                _ => self.refuses(&message, "Aside serves nothing of this kind").await?,
            }
        }
    }

    fn ended(&self, turn: &Value, wants: Option<Wants>) -> Result<Ended, Failure> {
        match (turn["status"].as_str().unwrap_or_default(), wants) {
            (_, Some(wants)) => Ok(Ended::Wants(wants)),
            ("completed", None) => Ok(Ended::Whole),
            ("interrupted", None) => Err(Failure::Failed("it broke off its turn".to_owned())),
            (_, None) => {
                let why = turn["error"]["message"].as_str().unwrap_or("it does not say why");
                Err(Failure::Failed(short(why)))
            }
        }
    }

    fn begins(&mut self, item: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match item["type"].as_str().unwrap_or_default() {
            "commandExecution" => {
                self.listener.step(&format!("$ {}", short(&script(&text(&item["command"])).0)));
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

    /// Older versions name only the item, newer ones repeat what it is: the item counts, since that is what would be done.
    fn wanted(&self, params: &Value) -> Result<Wants, Failure> {
        let id = params["itemId"].as_str().unwrap_or_default();
        let item = self.items.get(id).unwrap_or(params);
        let text = |name: &str| item[name].as_str().or(params[name].as_str()).unwrap_or_default().to_owned();
        if let Some(changes) = item["changes"].as_array() {
            if changes.is_empty() || changes.len() > MAX_FILES {
                return Err(Failure::Garbled(format!("a change of {} files", changes.len())));
            }
            return Ok(Wants::Change(changes.iter().map(change).collect::<Option<_>>().ok_or_else(no_change)?));
        }
        let command = text("command");
        if command.trim().is_empty() {
            return Err(Failure::Garbled("it asks leave for what it does not name".to_owned()));
        }
        Ok(Wants::Command { cmd: plain(&command), cwd: text("cwd"), reason: short(&text("reason")) })
    }
}

fn no_change() -> Failure {
    Failure::Garbled("a change without a file".to_owned())
}

fn answered(mut message: Value) -> Result<Value, String> {
    match message.get("error") {
        Some(error) => Err(short(error["message"].as_str().unwrap_or("an error without a word"))),
        None => Ok(message["result"].take()),
    }
}

/// `aside/0.166.0 (Debian …)`.
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

/// What was asked for is what it says that it does.
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

/// The script of `/bin/bash -lc 'SCRIPT'`, and whether there is a shell around it.
fn script(command: &str) -> (String, bool) {
    let words = exec::split(command).unwrap_or_default();
    match words.as_slice() {
        [shell, flag, script] if shell.ends_with("sh") && matches!(flag.as_str(), "-c" | "-lc") => {
            (script.clone(), true)
        }
        _ => (command.to_owned(), false),
    }
}

/// A command that reads the same in every shell stands alone; any other keeps the shell that it was written for.
fn plain(command: &str) -> String {
    let is_plain = |text: &str| {
        text.chars().all(|letter| letter.is_ascii_alphanumeric() || " _./:,@%+-=".contains(letter))
            && !text.split(' ').next().unwrap_or_default().contains('=')
    };
    match script(command) {
        (script, true) if is_plain(&script) => script,
        _ => command.replacen(" -lc ", " -c ", 1),
    }
}

fn plan(params: &Value) -> String {
    let steps = params["plan"].as_array().into_iter().flatten();
    let row = |step: &Value| {
        let mark = match step["status"].as_str().unwrap_or_default() {
            "completed" => "[x]",
            _ => "[ ]",
        };
        format!("- {mark} {}", short(step["step"].as_str().unwrap_or_default()))
    };
    steps.take(20).map(row).collect::<Vec<_>>().join("\n")
}

/// A line of it, without what a terminal would obey.
fn short(said: &str) -> String {
    let line = said.trim().lines().next().unwrap_or_default();
    let clean = text::clean(line).into_owned();
    clean.get(..clean.floor_char_boundary(300)).unwrap_or_default().to_owned()
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

    #[test]
    fn a_command_keeps_its_shell_unless_any_shell_reads_it_alike() {
        assert_eq!(plain("/bin/bash -lc 'cargo test --all'"), "cargo test --all");
        assert_eq!(plain("/bin/bash -lc 'cargo test | tail'"), "/bin/bash -c 'cargo test | tail'");
        assert_eq!(plain("/bin/bash -lc 'A=1 make'"), "/bin/bash -c 'A=1 make'");
        assert_eq!(plain("make all"), "make all");
    }

    #[test]
    fn what_goes_to_the_screen_has_no_escape_sequence() {
        assert_eq!(short("a\u{1b}[31mb\u{7}\nnext"), text::clean("a\u{1b}[31mb\u{7}"));
        let steps =
            json!({ "plan": [{ "step": "look", "status": "completed" }, { "step": "mend", "status": "pending" }] });
        assert_eq!(plan(&steps), "- [x] look\n- [ ] mend");
    }
}
