//! What is measured: Aside with any provider, a model alone, any program, or the references themselves.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::request::{By, Request};

/// Where the sandbox looks for programs.
pub const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// As many as a user would look through.
pub const CANDIDATES: usize = 5;

pub enum Engine {
    Aside {
        program: PathBuf,
        provider: Option<String>,
        /// Its merged file; without one the rules answer alone.
        reader: Option<PathBuf>,
    },
    /// Gets the words as its only argument; prints what `aside translate --json` prints, or a command per line.
    Program(PathBuf),
    /// The bare words go to the server, and the first line of its reply is taken for a command.
    Model {
        url: String,
        model: String,
        key: Option<String>,
    },
    References,
}

#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Best first.
    pub commands: Vec<String>,
    pub sure: Sure,
    /// The engine's own confidence in the first command.
    pub confidence: Option<f64>,
    pub took: Duration,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sure {
    #[default]
    Silent,
    /// Given as "closest I know".
    Closest,
    Answer,
}

impl Sure {
    pub fn name(self) -> &'static str {
        match self {
            Sure::Silent => "silent",
            Sure::Closest => "closest",
            Sure::Answer => "answer",
        }
    }
}

/// Where the engine runs.
pub struct EngineRequest<'a> {
    pub home: &'a Path,
    pub folder: &'a Path,
    /// For its own settings, socket and cache.
    pub own: &'a Path,
}

impl Engine {
    pub fn ask(&self, request: &Request, asked: &EngineRequest) -> Answer {
        let start = Instant::now();
        let said = match self {
            Engine::Aside { program, provider, reader } => {
                let mut command = aside(program, reader.as_deref(), asked);
                command.args(["translate", "--json", "-n", &CANDIDATES.to_string()]);
                match provider {
                    Some(provider) => command.args(["--provider", provider]),
                    // The installed programs must be those of the sandbox. A provider may need others.
                    None => command.env("PATH", PATH),
                };
                printed(command.arg("--").arg(&request.words))
            }
            Engine::Program(program) => printed(program_in(program, asked).arg(&request.words)),
            Engine::Model { url, model, key } => ask_model(url, model, key.as_deref(), &request.words),
            Engine::References => {
                let reference = request.check.references.first().cloned().unwrap_or_default();
                match request.check.by {
                    By::Nothing => String::new(),
                    By::Command => reference,
                    // Written differently, so that its effect is judged rather than its text.
                    _ => format!("({reference} )"),
                }
            }
        };
        let took = start.elapsed();
        Answer { took, ..understood(&said) }
    }
}

impl Engine {
    /// Starts the daemon, which alone asks the reader.
    pub fn start(&self, asked: &EngineRequest) {
        if let Engine::Aside { program, reader: Some(reader), .. } = self {
            let mut command = aside(program, Some(reader), asked);
            let started = command.env("PATH", PATH).args(["daemon", "start"]).stdout(Stdio::null()).status();
            assert!(started.is_ok_and(|status| status.success()), "the daemon does not start");
        }
    }

    /// Stops a daemon that was started to answer faster.
    pub fn stop(&self, asked: &EngineRequest) {
        if let Engine::Aside { program, .. } = self {
            let mut command = program_in(program, asked);
            let _ = command.args(["daemon", "stop"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
        }
    }
}

fn aside(program: &Path, reader: Option<&Path>, asked: &EngineRequest) -> Command {
    let mut command = program_in(program, asked);
    command.env("ASIDE_READER", reader.unwrap_or(Path::new("")));
    command
}

fn program_in(program: &Path, asked: &EngineRequest) -> Command {
    let mut command = Command::new(program);
    command.current_dir(asked.folder).env("HOME", asked.home).env("PWD", asked.folder).env("LANG", "C.UTF-8");
    for (name, folder) in [
        ("CONFIG_HOME", "config"),
        ("DATA_HOME", "data"),
        ("STATE_HOME", "state"),
        ("CACHE_HOME", "cache"),
        ("RUNTIME_DIR", "run"),
    ] {
        command.env(format!("XDG_{name}"), asked.own.join(folder));
    }
    command
}

fn printed(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output();
    let output = output.unwrap_or_else(|error| panic!("could not run {command:?}: {error}"));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn understood(said: &str) -> Answer {
    let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut answer = Answer::default();
    match serde_json::from_str::<Value>(said) {
        Ok(value) if value.is_object() => {
            let text = |value: &Value| {
                value.get("command").or_else(|| value.get("text")).and_then(Value::as_str).map(str::to_owned)
            };
            answer.confidence = value.get("confidence").and_then(Value::as_f64);
            let others = value.get("alternatives").and_then(Value::as_array).into_iter().flatten();
            answer.commands = std::iter::once(&value).chain(others).filter_map(text).collect();
            let closest = value.get("nearness").and_then(Value::as_str) == Some("closest");
            answer.sure = if closest { Sure::Closest } else { Sure::Answer };
        }
        _ => {
            answer.commands = lines().map(str::to_owned).collect();
            answer.sure = Sure::Answer;
        }
    }
    answer.commands.retain(|command| !command.trim().is_empty());
    let mut seen = Vec::new();
    answer.commands.retain(|command| {
        let new = !seen.contains(command);
        seen.push(command.clone());
        new
    });
    answer.commands.truncate(CANDIDATES);
    if answer.commands.is_empty() {
        answer.sure = Sure::Silent;
    }
    answer
}

/// Through curl, which every machine has; the key goes through its standard input, where no other user sees it.
fn ask_model(url: &str, model: &str, key: Option<&str>, words: &str) -> String {
    let body =
        json!({"model": model, "temperature": 0, "max_tokens": 200, "messages": [{"role": "user", "content": words}]});
    let quoted = Value::from(body.to_string()).to_string();
    let mut settings = format!("data = {quoted}\nheader = \"Content-Type: application/json\"\n");
    if let Some(key) = key {
        settings.push_str(&format!("header = \"Authorization: Bearer {key}\"\n"));
    }
    let address = format!("{}/v1/chat/completions", url.trim_end_matches('/').trim_end_matches("/v1"));
    let mut curl = Command::new("curl");
    curl.args(["-s", "--max-time", "120", "-K", "-", &address]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = curl.spawn().unwrap_or_else(|error| panic!("could not run curl: {error}"));
    child.stdin.take().expect("a pipe").write_all(settings.as_bytes()).expect("curl reads its settings");
    let output = child.wait_with_output().expect("curl ends");
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let content = answer.pointer("/choices/0/message/content").and_then(Value::as_str);
    let Some(content) = content else {
        panic!("the model did not answer: {}", String::from_utf8_lossy(&output.stdout));
    };
    content.trim().lines().next().unwrap_or_default().to_owned()
}
