//! A project, an agent that works in it, and the user who asks. The agent is real, or a script that speaks the protocol of Codex's app-server:
//! such a script does what no real agent does.

use std::path::Path;

use serde_json::Value;

use crate::harness::home::Home;
use crate::harness::tasks::Person;

/// What a scripted agent says before it is asked anything: who it is, and that it takes the sandbox it was told to take.
const OPENING: &str = r#"#!/bin/sh
say() { printf '%s\n' "$1"; }
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

pub struct Agents {
    pub home: Home,
    pub person: Person,
}

impl Agents {
    /// With an agent that does this once it is asked. `settings` are of `[task]`.
    pub fn scripted(does: &str, settings: &str) -> Self {
        Self::script(&format!("{OPENING}{does}\n"), settings)
    }

    /// With an agent that is this script, from its first line on.
    pub fn script(script: &str, settings: &str) -> Self {
        let home = Home::new();
        home.write("bin/agent", script);
        let program = home.path("bin/agent").display().to_string();
        Self::with(home, &program, settings)
    }

    /// With this program, which is said to be Codex.
    pub fn with(mut home: Home, program: &str, settings: &str) -> Self {
        home.write("project/.git/HEAD", "ref: refs/heads/main\n");
        home.write("project/hello.txt", "hello\n");
        home.write("project/.env", "TOKEN=an-unreadable-word\n");
        home.write(".ssh/id_rsa", "an-unreadable-key\n");
        // Beside the temporary directories, where Codex does not want it.
        home.set_env("CODEX_HOME", &home.path(".codex").display().to_string());
        let config = format!("[task]\nagent = 'codex'\nagents = ['codex = {program}']\n{settings}\n");
        home.write(".config/aside/config.toml", config);
        home.aside_does(&["daemon", "start"]);
        let person = Person::at(&home, &home.path("project"));
        Self { home, person }
    }

    /// Asks, and waits until the task rests: its name, and where it stands.
    #[track_caller]
    pub fn asks(&mut self, text: &str) -> (String, Value) {
        let task = self.person.asks(text);
        let rest = self.person.rests(&task);
        (task, rest)
    }

    /// The task in which the agent goes on, once this one has ended.
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

    /// Processes whose program is below this directory.
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

    /// Waits until nothing of the agent is left.
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
