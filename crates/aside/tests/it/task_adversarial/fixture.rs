//! Where an attempt is made: a home with a workspace and things outside of it, a daemon, a model that says what the attempt wants, and a look
//! at everything before and after. An attempt has succeeded if anything is other than it was, or if more ran than was approved.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::home::Home;
use crate::harness::patience;
use crate::harness::tasks::{ShownProposal, TaskClient};
use crate::model::Model;
use crate::model::scripted_reply::ScriptedReply;

/// What of a home belongs to the daemon: its logs, its socket, what it writes for a moment.
const OWN: [&str; 4] = ["home/.local", "home/.cache", "run", "tmp"];

const SECRET: &str = "TOKEN=before\n";

/// Every file, with its mode and what is in it.
pub type World = BTreeMap<String, String>;

pub struct Fixture {
    pub home: Home,
    pub model: Model,
    pub ada: TaskClient,
    pub family: &'static str,
    pub attempts: Vec<Attempt>,
    pub twins: usize,
    before: World,
    ran: usize,
    /// Runs that the user approved in this attempt.
    granted: usize,
    /// What the attempt itself changes all the time.
    forgiven: Vec<String>,
}

pub struct Attempt {
    pub family: &'static str,
    pub name: String,
    pub outcome: Outcome,
}

pub enum Outcome {
    /// As it should.
    Failed,
    /// Nothing changed and nothing ran, but it did not go as its scene says: a timeout, or another reply.
    Unexpected(String),
    /// What it has changed.
    Succeeded(String),
}

impl Fixture {
    pub fn open(family: &'static str) -> Self {
        Self::with(family, "", |_| {})
    }

    /// With more settings, and a home that is furnished before the daemon starts.
    pub fn with(family: &'static str, settings: &str, furnish: impl FnOnce(&mut Home)) -> Self {
        let model = Model::start();
        let mut home = Home::new();
        let llm = format!("[llm]\nprovider = 'openai'\nbase_url = '{}'\nmodel = 'scripted'\n", model.base_url());
        home.write(".config/aside/config.toml", format!("{llm}{settings}"));
        furnish(&mut home);
        build(&home);
        home.aside_does(&["daemon", "start"]);
        let ada = TaskClient::at(&home, &home.path("project"));
        let (before, ran) = (World::new(), 0);
        let mut stage = Self {
            home,
            model,
            ada,
            family,
            attempts: Vec::new(),
            twins: 0,
            before,
            ran,
            granted: 0,
            forgiven: Vec::new(),
        };
        stage.mark();
        stage
    }

    /// Makes an attempt, and looks whether it came to anything. The other attempts are made whatever becomes of it.
    #[track_caller]
    pub fn attempt(&mut self, name: impl Into<String>, act: impl FnOnce(&mut Self)) {
        self.begin();
        let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| act(self)));
        let unexpected = made.err().map(|panic| {
            self.ada = self.another_person();
            text(&panic).to_owned()
        });
        let outcome = match unexpected {
            None => self.came_to().map_or(Outcome::Failed, Outcome::Succeeded),
            // It may not have come to count what it approved itself.
            Some(unexpected) => self.changes().map_or(Outcome::Unexpected(unexpected), Outcome::Succeeded),
        };
        self.attempts.push(Attempt { family: self.family, name: name.into(), outcome });
        self.clear();
    }

    /// The same way, with approval: this one has to change something, or no attempt could be seen to succeed.
    #[track_caller]
    pub fn twin(&mut self, name: &str, act: impl FnOnce(&mut Self)) {
        self.begin();
        act(self);
        assert!(
            self.came_to().is_some(),
            "{}: {name} changed nothing, so the attempts beside it show nothing",
            self.family
        );
        self.twins += 1;
        self.clear();
    }

    /// For what is shown beside the attempts.
    pub fn begin_uncounted(&mut self) {
        self.begin();
    }

    pub fn done(self) -> (Vec<Attempt>, usize) {
        (self.attempts, self.twins)
    }

    fn begin(&mut self) {
        (self.granted, self.forgiven) = (0, Vec::new());
        self.mark();
    }

    /// What is there now is what the attempt itself has done.
    pub fn mark(&mut self) {
        self.settles();
        self.before = self.world();
        self.ran = self.runs();
    }

    /// What the logs tell now is what was written into them.
    pub fn mark_runs(&mut self) {
        self.ran = self.runs();
    }

    /// Counts a run that the user approved.
    pub fn granted(&mut self) {
        self.granted += 1;
    }

    /// Changes there are the attempt's own.
    pub fn forgive(&mut self, path: &str) {
        self.forgiven.push(format!("home/{path}"));
    }

    /// What has changed since the beginning of the attempt, or ran without approval, if anything has.
    pub fn came_to(&mut self) -> Option<String> {
        self.changes().or_else(|| {
            let (ran, wanted) = (self.runs(), self.ran + self.granted);
            (ran != wanted).then(|| format!("{ran} have run, {wanted} were approved"))
        })
    }

    fn changes(&mut self) -> Option<String> {
        self.settles();
        let after = self.world();
        let is_forgiven = |path: &str| self.forgiven.iter().any(|forgiven| path.starts_with(forgiven.as_str()));
        let changed = self.before.iter().filter(|(path, what)| after.get(*path) != Some(*what)).map(|(path, _)| path);
        let new = after.keys().filter(|path| !self.before.contains_key(*path));
        let changed: Vec<&str> = changed.chain(new).map(String::as_str).filter(|path| !is_forgiven(path)).collect();
        (!changed.is_empty()).then(|| format!("changed {}", changed.join(", ")))
    }

    /// Whatever waits is given up, and the workspace is as at the beginning.
    fn clear(&mut self) {
        for task in self.tasks() {
            if !is_over(&task["state"]) {
                let cancelled = self.ada.says("cancel", json!({ "taskId": task["taskId"] }));
                assert_eq!(cancelled["type"], "task", "{cancelled}");
            }
        }
        self.settles();
        for dir in ["project", "moved", "outside"] {
            let path = self.home.path(dir);
            let _ = std::fs::remove_file(&path);
            let _ = std::fs::remove_dir_all(&path);
        }
        build(&self.home);
    }

    pub fn tasks(&mut self) -> Vec<Value> {
        self.ada.says("list", json!({ "limit": 5000 }))["tasks"].as_array().unwrap().clone()
    }

    /// Waits until every task waits for approval or is over.
    pub fn settles(&mut self) {
        let deadline = Instant::now() + patience();
        loop {
            let tasks = self.tasks();
            let busy: Vec<&Value> =
                tasks.iter().filter(|task| !is_over(&task["state"]) && task["state"] != "WAITING_APPROVAL").collect();
            if busy.is_empty() {
                return;
            }
            assert!(Instant::now() < deadline, "these do not come to rest: {busy:#?}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    #[track_caller]
    pub fn until(&mut self, what: &str, is_so: impl Fn(&mut Self) -> bool) {
        let deadline = Instant::now() + patience();
        while !is_so(self) {
            assert!(Instant::now() < deadline, "waited until {what}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// How often something was carried out, as the logs have it.
    pub fn runs(&self) -> usize {
        let logs = std::fs::read_dir(self.home.path(".local/state/aside/tasks")).into_iter().flatten().flatten();
        let texts = logs.map(|log| std::fs::read_to_string(log.path()).unwrap_or_default());
        let is_run = |line: &&str| line.contains("\"state\":\"EXECUTING\"") && line.contains("\"cause\":\"approved\"");
        texts.map(|text| text.lines().filter(is_run).count()).sum()
    }

    fn world(&self) -> World {
        let mut world = World::new();
        let root = self.home.path("").parent().unwrap().to_owned();
        look(&root, &root, &mut world);
        world
    }

    /// A proposal for exactly this command, whatever a router would make of it.
    #[track_caller]
    pub fn proposes(&mut self, command: &str) -> ShownProposal {
        let (_, answer) = self.edits_to(command);
        ShownProposal::of(&answer["offer"]).unwrap_or_else(|| panic!("{command:?} is not shown: {answer}"))
    }

    /// Puts this in the place of a harmless command; what the daemon says to that, and the task.
    #[track_caller]
    pub fn edits_to(&mut self, command: &str) -> (String, Value) {
        let task = self.ada.asks("run `true harmless`");
        assert_eq!(self.ada.rests(&task)["state"], "WAITING_APPROVAL");
        let shown = self.ada.sees(&task);
        let mut edit = shown.answer("an attempt");
        edit["text"] = json!(command);
        let answer = self.ada.says("edit", edit);
        (task, answer)
    }

    /// The model will say this, however often it is asked.
    pub fn model_says(&mut self, text: &str) {
        self.model.always(ScriptedReply::chat(text));
    }

    /// Asks for a change; the model's answer has this diff.
    #[track_caller]
    pub fn model_changes(&mut self, diff: &str) -> String {
        self.model_says(&format!("This mends it.\n\n```diff\n{diff}```\n"));
        let task = self.ada.asks("fix the typo in a.txt");
        self.ada.rests(&task);
        task
    }

    /// Approves what waits without reading it. Returns the state of the task afterwards.
    pub fn approves_blindly(&mut self, task: &str) -> String {
        let answer = self.ada.says("show", json!({ "taskId": task }));
        let Some(shown) = ShownProposal::of(&answer["offer"]) else { return answer["tasks"][0]["state"].to_string() };
        self.ada.approves(&shown);
        self.settles();
        self.ada.brief(task)["state"].as_str().unwrap().to_owned()
    }

    /// Waits for the end of a task that runs.
    pub fn outcome(&mut self, task: &str) -> String {
        self.settles();
        self.ada.brief(task)["state"].as_str().unwrap().to_owned()
    }

    pub fn another_person(&self) -> TaskClient {
        TaskClient::at(&self.home, &self.home.path("project"))
    }

    /// The daemon ends, something happens, and another one begins.
    pub fn restarts(&mut self, meanwhile: impl FnOnce(&Home)) {
        self.home.aside_does(&["daemon", "stop"]);
        meanwhile(&self.home);
        self.home.aside_does(&["daemon", "start"]);
        self.ada = TaskClient::at(&self.home, &self.home.path("project"));
    }

    pub fn log(&self, task: &str) -> PathBuf {
        self.home.path(&format!(".local/state/aside/tasks/{task}.jsonl"))
    }
}

pub fn is_over(state: &Value) -> bool {
    matches!(state.as_str(), Some("COMPLETED" | "FAILED" | "REJECTED"))
}

/// The workspace and what is around it.
fn build(home: &Home) {
    home.write("project/.git/HEAD", "ref: refs/heads/main\n");
    home.write("project/.git/config", "[core]\n\tbare = false\n");
    home.write("project/.git/hooks/README", "none\n");
    home.write("project/a.txt", "one\ntwo\nthree\n");
    home.write("project/b.txt", "un\ndeux\n");
    home.write("project/src/x.rs", "fn x() {}\n");
    home.write("project/tool.sh", "#!/bin/sh\nexit 0\n");
    home.write("project/mark.sh", "echo ran >> ran.txt\n");
    home.write("project/.env", SECRET);
    home.write("project/config/id_rsa", SECRET);
    home.write("outside/secret.txt", SECRET);
    home.write("outside/dir/inner.txt", SECRET);
}

fn look(root: &Path, dir: &Path, world: &mut World) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(meta) = std::fs::symlink_metadata(&path) else { continue };
        let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
        if OWN.contains(&name.as_str()) {
            continue;
        }
        let what = if meta.is_symlink() {
            format!("link to {}", std::fs::read_link(&path).unwrap_or_default().display())
        } else if meta.is_dir() {
            look(root, &path, world);
            "directory".to_owned()
        } else if !meta.is_file() {
            "no file".to_owned()
        } else {
            let bytes = std::fs::read(&path).unwrap_or_default();
            format!("{:o} {}", meta.permissions().mode(), String::from_utf8_lossy(&bytes))
        };
        world.insert(name, what);
    }
}

/// A diff that makes a file.
pub fn adds(path: &str) -> String {
    format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+canary\n")
}

/// A diff of a file with one line.
pub fn changes(path: &str, before: &str) -> String {
    format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{before}\n+canary\n")
}

/// A harmless one.
pub const HARMLESS: &str = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n";

/// What waits of a task, if something does.
pub fn waiting(stage: &mut Fixture, task: &str) -> Option<ShownProposal> {
    ShownProposal::of(&stage.ada.says("show", json!({ "taskId": task }))["offer"])
}

pub fn text(panic: &(dyn std::any::Any + Send)) -> &str {
    panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref().copied()).unwrap_or_default()
}
