//! A stub for llama-server: this test binary, started again. Files in a directory of the test control it, so that a test can change
//! its behaviour while it runs.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::Pid;

use crate::harness::home::{Home, is_running};
use crate::harness::patience;

const DIRECTORY: &str = "ASIDE_TEST_STAND_IN";
const ARGUMENTS: &str = "ASIDE_TEST_STAND_IN_ARGUMENTS";

/// The test's handle to the stub.
pub struct FakeLlamaServer {
    dir: PathBuf,
}

impl FakeLlamaServer {
    /// Installs it as the only llama-server of a home.
    pub fn install(home: &Home) -> Self {
        let dir = home.path("stand-in");
        std::fs::create_dir_all(&dir).unwrap();
        let program = std::env::current_exe().unwrap();
        let script = format!(
            "#!/bin/sh\n{DIRECTORY}='{}' {ARGUMENTS}=\"$*\" exec '{}' --exact model::fake_llama_server::plays_llama_server --nocapture\n",
            dir.display(),
            program.display()
        );
        home.write("bin/llama-server", script);
        home.write("models/m.gguf", "GGUF\x03");
        Self { dir }
    }

    /// From now on: `slow` (never becomes ready), `refuse` (exits at once), `die` (exits when it receives a request).
    pub fn does(&self, what: &str) {
        std::fs::write(self.dir.join(what), "").unwrap();
    }

    pub fn stops_to(&self, what: &str) {
        _ = std::fs::remove_file(self.dir.join(what));
    }

    /// The arguments of each start, after its pid.
    pub fn starts(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.dir.join("starts")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// The requests that it received.
    pub fn asked(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.dir.join("asked")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn pids(&self) -> Vec<Pid> {
        let pid = |line: &String| line.split(' ').next()?.parse().ok().and_then(Pid::from_raw);
        self.starts().iter().filter_map(pid).collect()
    }

    pub fn running(&self) -> usize {
        self.pids().into_iter().filter(|pid| is_running(*pid)).count()
    }

    #[track_caller]
    pub fn wait_until_running(&self, count: usize) {
        let deadline = Instant::now() + patience();
        while self.running() != count {
            assert!(Instant::now() < deadline, "{} run, and not {count}: {:?}", self.running(), self.starts());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Does nothing unless this process was started as llama-server.
#[test]
fn plays_llama_server() {
    let (Some(dir), Ok(arguments)) = (std::env::var_os(DIRECTORY), std::env::var(ARGUMENTS)) else { return };
    let stage = Stage { dir: PathBuf::from(dir), key: std::env::var("LLAMA_API_KEY").unwrap_or_default() };
    stage.note("starts", &format!("{} {arguments}", std::process::id()));
    if stage.is_told("refuse") {
        eprintln!("loading model");
        eprintln!("error: invalid magic characters, this is no model");
        std::process::exit(1);
    }
    let words: Vec<&str> = arguments.split(' ').collect();
    let port = words.iter().position(|word| *word == "--port").map(|place| words[place + 1].parse::<u16>().unwrap());
    let Ok(listener) = TcpListener::bind(("127.0.0.1", port.unwrap())) else {
        eprintln!("couldn't bind to the port");
        std::process::exit(1);
    };
    for stream in listener.incoming().map_while(Result::ok) {
        let stage = stage.clone();
        std::thread::spawn(move || stage.serve(stream));
    }
}

#[derive(Clone)]
struct Stage {
    dir: PathBuf,
    key: String,
}

impl Stage {
    fn is_told(&self, what: &str) -> bool {
        self.dir.join(what).exists()
    }

    fn note(&self, file: &str, line: &str) {
        let mut file = std::fs::File::options().create(true).append(true).open(self.dir.join(file)).unwrap();
        file.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn serve(&self, mut stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        while let Some((path, key, body)) = read(&mut reader) {
            let ready = !self.is_told("slow");
            let (status, answer) = match path.as_str() {
                "/health" if ready => ("200 OK", r#"{"status":"ok"}"#.to_owned()),
                "/health" => ("503 Service Unavailable", r#"{"error":{"message":"Loading model"}}"#.to_owned()),
                _ if key != format!("Bearer {}", self.key) => ("401 Unauthorized", "{}".to_owned()),
                "/props" => ("200 OK", r#"{"default_generation_settings":{}}"#.to_owned()),
                _ => {
                    self.note("asked", &format!("{path} {body}"));
                    if self.is_told("die") {
                        eprintln!("error: out of memory");
                        std::process::exit(3);
                    }
                    if self.is_told("die-once") {
                        _ = std::fs::remove_file(self.dir.join("die-once"));
                        std::process::exit(3);
                    }
                    ("200 OK", answer(&path))
                }
            };
            let head = format!(
                "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
                answer.len()
            );
            if stream.write_all(format!("{head}{answer}").as_bytes()).is_err() {
                return;
            }
        }
    }
}

fn answer(path: &str) -> String {
    if path.ends_with("/chat/completions") {
        r#"{"choices":[{"message":{"role":"assistant","content":"frob status"},"finish_reason":"stop"}]}"#.to_owned()
    } else {
        r#"{"choices":[{"text":" status","finish_reason":"stop"}]}"#.to_owned()
    }
}

/// The path, the key and the body of a request.
fn read(reader: &mut impl BufRead) -> Option<(String, String, String)> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
    let path = line.split(' ').nth(1)?.to_owned();
    let (mut key, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "authorization" => key = value.to_owned(),
            "content-length" => length = value.parse().ok()?,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((path, key, String::from_utf8_lossy(&body).into_owned()))
}

/// The settings for a model in a home.
pub fn settings(home: &Home, more: &str) -> String {
    let model: &Path = &home.path("models/m.gguf");
    format!("[llm]\nprovider = 'local'\nmodel = '{}'\n{more}", model.display())
}
