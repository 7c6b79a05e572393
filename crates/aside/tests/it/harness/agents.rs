//! A project, an agent that works in it, and the user who asks. The agent is real, or a script that speaks the protocol of Codex's
//! app-server or ACP and can do what no real agent does.

use std::path::Path;

use serde_json::Value;

use crate::harness::home::Home;
use crate::harness::tasks::TaskClient;

/// The handshake of a scripted agent before it receives a request: who it is, and that it accepts the sandbox it was told to use.
const OPENING: &str = r#"#!/bin/sh
say() { printf '%s\n' "$1"; }
own=$CODEX_HOME
read -r _; say '{"id":1,"result":{"userAgent":"aside/0.166.0 (scripted)"}}'
read -r _
read -r opened; say '{"id":2,"result":{"thread":{"id":"scripted-thread"},"model":"m","approvalPolicy":"on-request","sandbox":{"type":"readOnly","networkAccess":false}}}'
read -r asked; say '{"id":3,"result":{"turn":{"id":"1","status":"inProgress"}}}'
words() { say "{\"method\":\"item/completed\",\"params\":{\"item\":{\"type\":\"agentMessage\",\"id\":\"m$1\",\"text\":\"$2\"}}}"; }
done_with() { say "{\"method\":\"turn/completed\",\"params\":{\"turn\":{\"id\":\"1\",\"status\":\"$1\"}}}"; }
# FILE KIND DIFF: begins a change, and asks leave for it.
change() {
  say "{\"method\":\"item/started\",\"params\":{\"item\":{\"type\":\"fileChange\",\"id\":\"c1\",\"changes\":[{\"path\":\"$1\",\"kind\":{\"type\":\"$2\"},\"diff\":\"$3\"}]}}}"
  say '{"method":"item/fileChange/requestApproval","id":0,"params":{"itemId":"c1"}}'
  read -r answer
}
run() {
  say "{\"method\":\"item/started\",\"params\":{\"item\":{\"type\":\"commandExecution\",\"id\":\"x1\",\"command\":\"$1\",\"cwd\":\"$PWD\"}}}"
  say '{"method":"item/commandExecution/requestApproval","id":0,"params":{"itemId":"x1"}}'
  read -r answer
}
"#;

/// The same in ACP. Aside refuses the agent's request and cancels the turn: `answer` and `cancel` hold the two messages.
const ACP_OPENING: &str = r#"#!/bin/sh
own=$HOME/.local/share/scripted
say() { printf '%s\n' "$1"; }
read -r hello; say '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true},"agentInfo":{"name":"scripted","version":"1.0"}}}'
read -r opened; say '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"scripted-session"}}'
read -r asked; number=3
tell() { say "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"scripted-session\",\"update\":$1}}"; }
words() { tell "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"$2\"}}"; }
done_with() { say "{\"jsonrpc\":\"2.0\",\"id\":$number,\"result\":{\"stopReason\":\"$1\"}}"; number=$((number + 1)); }
# METHOD PARAMETERS: asks something of the client.
asks() { say "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"$1\",\"params\":{\"sessionId\":\"scripted-session\",$2}}"; read -r answer; }
options='"options":[{"optionId":"a","name":"Yes","kind":"allow_once"},{"optionId":"b","name":"Always","kind":"allow_always"},{"optionId":"r","name":"No","kind":"reject_once"}]'
# TOOL: asks leave for it.
leave() { asks session/request_permission "\"toolCall\":$1,$options"; }
# FILE OLD NEW
change() { leave "{\"toolCallId\":\"c1\",\"kind\":\"edit\",\"content\":[{\"type\":\"diff\",\"path\":\"$1\",\"oldText\":$2,\"newText\":\"$3\"}]}"; read -r cancel; }
run() { leave "{\"toolCallId\":\"x1\",\"kind\":\"execute\",\"rawInput\":{\"command\":\"$1\",\"cwd\":\"$PWD\"}}"; read -r cancel; }
writes() { asks fs/write_text_file "\"path\":\"$1\",\"content\":\"$2\""; read -r cancel; }
reads() { asks fs/read_text_file "\"path\":\"$1\""; }
# Until it is not asked again.
again() { done_with cancelled; read -r asked; }
"#;

pub struct Agents {
    pub home: Home,
    pub person: TaskClient,
}

impl Agents {
    /// With an agent that runs these shell lines once it receives a request. `settings` belong to `[task]`.
    pub fn scripted(does: &str, settings: &str) -> Self {
        Self::script(&Self::codex_script(does), settings)
    }

    /// With an agent that is this whole script, handshake included.
    pub fn script(script: &str, settings: &str) -> Self {
        Self::script_of("codex", script, settings)
    }

    /// Like `scripted`, with an agent that speaks ACP. `$own`, which is `~/.local/share/scripted`, is its private directory.
    pub fn acp(does: &str, settings: &str) -> Self {
        Self::acp_script(&Self::acp_script_of(does), settings)
    }

    pub fn acp_script_of(does: &str) -> String {
        format!("{ACP_OPENING}{does}\n")
    }

    pub fn codex_script(does: &str) -> String {
        format!("{OPENING}{does}\n")
    }

    pub fn acp_script(script: &str, settings: &str) -> Self {
        Self::script_of("acp:scripted", script, settings)
    }

    fn script_of(agent: &str, script: &str, settings: &str) -> Self {
        let home = Home::new();
        home.write("bin/agent", script);
        let program = home.path("bin/agent").display().to_string();
        Self::named(home, agent, &program, settings)
    }

    /// With this program as the agent of that name.
    pub fn named(mut home: Home, agent: &str, program: &str, settings: &str) -> Self {
        Self::prepare(&mut home, agent, program, settings);
        home.aside_does(&["daemon", "start"]);
        Self::running(home)
    }

    /// The daemon is already running.
    pub fn running(home: Home) -> Self {
        let person = TaskClient::at(&home, &home.path("project"));
        Self { home, person }
    }

    pub fn prepare(home: &mut Home, agent: &str, program: &str, settings: &str) {
        home.write("project/.git/HEAD", "ref: refs/heads/main\n");
        home.write("project/hello.txt", "hello\n");
        home.write("project/.env", "TOKEN=an-unreadable-word\n");
        home.write(".ssh/id_rsa", "an-unreadable-key\n");
        // Beside `TMPDIR`: Codex refuses a home inside a temporary directory.
        home.set_env("CODEX_HOME", &home.path(".codex").display().to_string());
        let config = format!("[task]\nagent = '{agent}'\nagents = ['{agent} = {program}']\n{settings}\n");
        home.write(".config/aside/config.toml", config);
    }

    /// Sends a request and waits until the task rests: its id, and its state.
    #[track_caller]
    pub fn asks(&mut self, text: &str) -> (String, Value) {
        let task = self.person.asks(text);
        let rest = self.person.rests(&task);
        (task, rest)
    }

    /// The follow-up task in which the agent continues after `ended`.
    #[track_caller]
    pub fn goes_on(&mut self, ended: &Value) -> (String, Value) {
        let next =
            ended["outcome"]["next"].as_str().unwrap_or_else(|| panic!("the agent does not go on: {ended}")).to_owned();
        let deadline = std::time::Instant::now() + crate::harness::patience();
        loop {
            let watched = self.person.says("watch", serde_json::json!({ "taskId": next, "from": 0 }));
            if watched["type"] == "task" {
                break;
            }
            assert!(std::time::Instant::now() < deadline, "{watched}");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let rest = self.person.rests(&next);
        (next, rest)
    }

    pub fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.home.path("project").join(name)).unwrap_or_default()
    }

    /// Processes whose executable is below this directory.
    pub fn processes_of(&self, directory: &Path) -> Vec<String> {
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let lines = entries.filter_map(|entry| {
            entry.file_name().to_str()?.parse::<u32>().ok()?;
            let line = std::fs::read(entry.path().join("cmdline")).ok()?;
            Some(String::from_utf8_lossy(&line).replace('\0', " "))
        });
        let directory = directory.display().to_string();
        lines.filter(|line| line.contains(&directory)).collect()
    }

    /// Waits until no process of the agent is left.
    #[track_caller]
    pub fn leaves_nothing(&self, directory: &Path) {
        let deadline = std::time::Instant::now() + crate::harness::patience();
        loop {
            let left = self.processes_of(directory);
            if left.is_empty() {
                return;
            }
            assert!(std::time::Instant::now() < deadline, "left running: {left:#?}");
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }
}
