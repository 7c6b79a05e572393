//! Reads an agent's notifications: text, plan entries and tool calls. Merges what the agent told about a tool call into the permission
//! request for it, which yields the proposal. Sends nothing.

use std::collections::HashMap;

use agent_client_protocol_schema::v1::{
    ContentBlock, CreateTerminalRequest, Diff, PlanEntryStatus, SessionNotification, SessionUpdate, ToolCallContent,
    ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use serde::Deserialize;
use serde_json::Value;

use crate::agent::acp::Asked;
use crate::agent::text::{checklist, in_bash, quoted, short};
use crate::agent::{AgentAction, Edit, Failure, FileChange, Listener, MAX_FILES, Reply};

/// Cap on tool calls that are remembered until the agent asks permission for one.
const MAX_TOOLS: usize = 256;

/// The state of a turn as told by the agent so far.
pub struct TurnState<'a, L> {
    pub listener: &'a L,
    pub reply: Reply,
    tools: HashMap<String, Tool>,
    /// Title of the last refused request that could not become a proposal.
    pub refused: Option<String>,
    /// A command that has either begun or awaits permission: only the next message tells which.
    begun: Option<String>,
}

#[derive(Clone, Debug, Default)]
struct Tool {
    kind: ToolKind,
    title: String,
    diffs: Vec<Diff>,
    places: Vec<String>,
    input: Value,
    /// Whether the listener has seen this tool call.
    is_shown: bool,
}

impl<'a, L: Listener> TurnState<'a, L> {
    pub fn new(listener: &'a L) -> Self {
        Self { listener, reply: Reply::default(), tools: HashMap::new(), refused: None, begun: None }
    }

    /// Reads a notification; skips unknown ones.
    pub fn on_notification(&mut self, params: &Value) {
        let Ok(told) = SessionNotification::deserialize(params) else { return };
        self.shows_begun();
        match told.update {
            SessionUpdate::AgentMessageChunk(chunk) => {
                if let ContentBlock::Text(text) = &chunk.content {
                    self.says(&text.text);
                }
            }
            SessionUpdate::ToolCall(call) => self.uses(ToolCallUpdate::from(call)),
            SessionUpdate::ToolCallUpdate(update) => self.uses(update),
            SessionUpdate::Plan(plan) => {
                let points = plan.entries.iter();
                let points = points.map(|point| (point.content.as_str(), point.status == PlanEntryStatus::Completed));
                self.listener.step(&checklist(points));
            }
            _ => {}
        }
    }

    /// Reports a command that began without asking for permission.
    pub fn shows_begun(&mut self) {
        if let Some(begun) = self.begun.take() {
            self.listener.step(&begun);
        }
    }

    fn says(&mut self, said: &str) {
        let said = aside_text::clean(said);
        self.reply.text.push_str(&said);
        self.listener.says(&said);
    }

    fn uses(&mut self, update: ToolCallUpdate) {
        let id = update.tool_call_id.to_string();
        if self.tools.len() >= MAX_TOOLS && !self.tools.contains_key(&id) {
            return;
        }
        let tool = self.tools.entry(id).or_default();
        tool.learns(update.fields);
        if !tool.is_shown
            && tool.kind == ToolKind::Execute
            && let Some(command) = tool.command()
        {
            tool.is_shown = true;
            self.begun = Some(format!("$ {}", short(&command)));
        }
    }

    /// Builds the request from what the agent said earlier about this tool call and from the permission request itself.
    pub(super) fn wanted(&mut self, asked: ToolCallUpdate) -> Result<Asked, Failure> {
        self.begun = None;
        let mut tool = self.tools.get(&asked.tool_call_id.to_string()).cloned().unwrap_or_default();
        tool.learns(asked.fields);
        let place = tool.places.first().filter(|place| !tool.title.contains(*place));
        let title = short(&format!("{} {}", tool.title, place.map_or("", |place| place.as_str())));
        let asked = tool.wanted()?;
        if matches!(asked, Asked::Else) {
            self.listener.step(&format!("It asked leave for this, which is not given: {title}"));
            self.refused = Some(title);
        }
        Ok(asked)
    }
}

impl Tool {
    fn learns(&mut self, fields: ToolCallUpdateFields) {
        if let Some(kind) = fields.kind {
            self.kind = kind;
        }
        if let Some(title) = fields.title {
            self.title = title;
        }
        if let Some(input) = fields.raw_input {
            self.input = input;
        }
        if let Some(places) = fields.locations {
            self.places = places.iter().map(|place| place.path.display().to_string()).collect();
        }
        let diffs: Vec<Diff> = fields
            .content
            .into_iter()
            .flatten()
            .filter_map(|content| match content {
                ToolCallContent::Diff(diff) => Some(diff),
                _ => None,
            })
            .collect();
        if !diffs.is_empty() {
            self.diffs = diffs;
        }
    }

    /// The command of a tool call, given either as a shell line or as a list of words.
    fn command(&self) -> Option<String> {
        let named = ["command", "cmd", "script"].iter().map(|name| &self.input[name]).find(|value| !value.is_null())?;
        match named {
            Value::String(command) => Some(command.clone()),
            Value::Array(words) => {
                let words = words.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?;
                Some(line(words.into_iter()))
            }
            _ => None,
        }
        .filter(|command| !command.trim().is_empty())
    }

    fn wanted(self) -> Result<Asked, Failure> {
        if !self.diffs.is_empty() {
            return Ok(Asked::Wants(AgentAction::Change(few(self.diffs)?.into_iter().map(change).collect())));
        }
        match self.kind {
            ToolKind::Delete if !self.places.is_empty() => {
                let gone = |path: String| FileChange { path, edit: Edit::Delete };
                Ok(Asked::Wants(AgentAction::Change(few(self.places)?.into_iter().map(gone).collect())))
            }
            ToolKind::Execute | ToolKind::Other if self.command().is_some() => {
                let text = |name: &str| self.input[name].as_str().unwrap_or_default().to_owned();
                let cwd = [text("cwd"), text("workdir")].into_iter().find(|cwd| !cwd.is_empty()).unwrap_or_default();
                let reason = [text("description"), text("justification")].into_iter().find(|why| !why.is_empty());
                let cmd = in_bash(&self.command().unwrap_or_default());
                Ok(Asked::Wants(AgentAction::Command { cmd, cwd, reason: short(&reason.unwrap_or_default()) }))
            }
            ToolKind::Edit | ToolKind::Delete | ToolKind::Move | ToolKind::Execute => {
                Err(Failure::Garbled("it asks leave for what it does not name".to_owned()))
            }
            _ => Ok(Asked::Else),
        }
    }
}

fn few<T>(files: Vec<T>) -> Result<Vec<T>, Failure> {
    match files.len() {
        1..=MAX_FILES => Ok(files),
        many => Err(Failure::Garbled(format!("a change of {many} files"))),
    }
}

/// Some agents mark a deletion in `meta`; an empty new text without that mark is an empty file.
fn change(diff: Diff) -> FileChange {
    let is_gone = diff.meta.as_ref().is_some_and(|meta| meta.get("kind").is_some_and(|kind| kind == "delete"));
    let edit = match is_gone && diff.new_text.is_empty() {
        true => Edit::Delete,
        false => Edit::Replace { old: diff.old_text, new: diff.new_text },
    };
    FileChange { path: diff.path.display().to_string(), edit }
}

/// Turns a request for a terminal into a proposed command. Its program and arguments are words, not a shell line.
pub(super) fn terminal(asked: CreateTerminalRequest) -> Result<AgentAction, Failure> {
    if asked.command.trim().is_empty() {
        return Err(Failure::Garbled("it asks leave for what it does not name".to_owned()));
    }
    if asked.env.iter().any(|set| !is_variable(&set.name)) {
        return Err(Failure::Garbled("it sets what is no variable".to_owned()));
    }
    let set = asked.env.iter().map(|set| quoted(&format!("{}={}", set.name, set.value)));
    let set: Vec<String> =
        if asked.env.is_empty() { Vec::new() } else { ["env".to_owned()].into_iter().chain(set).collect() };
    // Some agents put a whole shell line where the program belongs.
    let cmd = match asked.args.is_empty() && set.is_empty() {
        true => in_bash(&asked.command),
        false => {
            let words = line(std::iter::once(&asked.command).chain(&asked.args).map(String::as_str));
            set.into_iter().chain([words]).collect::<Vec<_>>().join(" ")
        }
    };
    let cwd = asked.cwd.map(|cwd| cwd.display().to_string()).unwrap_or_default();
    Ok(AgentAction::Command { cmd, cwd, reason: String::new() })
}

/// Quotes words into a shell line. The first word is a program even if it looks like an assignment.
fn line<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let quoted = |(place, word): (usize, &str)| match place == 0 && word.contains('=') {
        true => format!("''{}", quoted(word)),
        false => quoted(word),
    };
    words.enumerate().map(quoted).collect::<Vec<_>>().join(" ")
}

fn is_variable(name: &str) -> bool {
    let is_fit = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    name.chars().all(is_fit) && name.chars().next().is_some_and(|first| !first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::agent::NoListener;
    use crate::agent::acp::read;

    fn wants(updates: &[Value], asked: Value) -> Result<Option<AgentAction>, Failure> {
        let mut told = TurnState::new(&NoListener);
        for update in updates {
            told.on_notification(&json!({ "sessionId": "s", "update": update }));
        }
        match told.wanted(read(asked)?)? {
            Asked::Wants(wants) => Ok(Some(wants)),
            Asked::Else => Ok(None),
        }
    }

    fn replace(path: &str, old: Option<&str>, new: &str) -> FileChange {
        let edit = Edit::Replace { old: old.map(str::to_owned), new: new.to_owned() };
        FileChange { path: path.to_owned(), edit }
    }

    /// Some agents put the diff into the permission request, others send it before.
    #[test]
    fn a_change_is_what_the_request_shows_or_what_was_shown_before_it() {
        let diff = json!({ "type": "diff", "path": "/w/a", "oldText": "a\n", "newText": "b\n" });
        let before = json!({ "sessionUpdate": "tool_call", "toolCallId": "1", "title": "Edit", "kind": "edit", "content": [diff] });
        let bare =
            json!({ "toolCallId": "1", "title": "Edit files", "kind": "edit", "locations": [{ "path": "/w/a" }] });
        let change = AgentAction::Change(vec![replace("/w/a", Some("a\n"), "b\n")]);
        assert_eq!(wants(&[before], bare.clone()), Ok(Some(change.clone())));
        let with = json!({ "toolCallId": "1", "kind": "edit", "content": [diff] });
        assert_eq!(wants(&[], with), Ok(Some(change)));
        assert!(wants(&[], bare).is_err());
        let gone =
            json!({ "type": "diff", "path": "/w/a", "oldText": "a\n", "newText": "", "_meta": { "kind": "delete" } });
        let gone = wants(&[], json!({ "toolCallId": "1", "kind": "edit", "content": [gone] }));
        assert_eq!(
            gone,
            Ok(Some(AgentAction::Change(vec![FileChange { path: "/w/a".to_owned(), edit: Edit::Delete }])))
        );
    }

    #[test]
    fn a_command_is_the_one_that_would_run_and_not_its_title() {
        let command = |cmd: &str, cwd: &str| AgentAction::Command {
            cmd: cmd.to_owned(),
            cwd: cwd.to_owned(),
            reason: String::new(),
        };
        let asked = json!({ "toolCallId": "1", "kind": "execute", "title": "ls", "rawInput": { "command": "rm -rf x", "cwd": "/w" } });
        assert_eq!(wants(&[], asked), Ok(Some(command("rm -rf x", "/w"))));
        let words =
            json!({ "toolCallId": "1", "kind": "execute", "rawInput": { "command": ["bash", "-lc", "a | b"] } });
        assert_eq!(wants(&[], words), Ok(Some(command("bash -c 'a | b'", ""))));
        assert!(wants(&[], json!({ "toolCallId": "1", "kind": "execute", "title": "ls" })).is_err());
        let looks = json!({ "toolCallId": "1", "kind": "fetch", "title": "a page" });
        assert_eq!(wants(&[], looks), Ok(None));
    }

    #[test]
    fn a_terminal_is_a_command_with_its_words_kept_apart() {
        let asked = |value: Value| terminal(read(value).unwrap()).unwrap();
        let command =
            |cmd: &str| AgentAction::Command { cmd: cmd.to_owned(), cwd: String::new(), reason: String::new() };
        let words = json!({ "sessionId": "s", "command": "git", "args": ["commit", "-m", "it's $HOME; x"] });
        assert_eq!(asked(words), command(r"git commit -m 'it'\''s $HOME; x'"));
        let set = json!({ "sessionId": "s", "command": "make", "env": [{ "name": "A", "value": "b c" }] });
        assert_eq!(asked(set), command("env 'A=b c' make"));
        assert_eq!(asked(json!({ "sessionId": "s", "command": "a && b" })), command("bash -c 'a && b'"));
        let program = json!({ "sessionId": "s", "command": "PATH=./x", "args": ["ls"] });
        assert_eq!(asked(program), command("''PATH=./x ls"));
        for name in ["-S sh", "A=B", "1A", ""] {
            let set = json!({ "sessionId": "s", "command": "ls", "env": [{ "name": name, "value": "x" }] });
            assert!(terminal(read(set).unwrap()).is_err(), "{name}");
        }
    }
}
