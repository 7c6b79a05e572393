//! Reads and writes JSON messages, one per line, over an agent's pipes. Fails on an endless line or an endless stream. Knows no protocol.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aside_text as text;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::pipe::{Receiver, Sender};

use crate::agent::Failure;
use crate::agent::setup::Setup;
use crate::exec::agent::{self, Agent};

/// Bytes of one line: large enough for a change to the largest files that Aside proposes.
const MAX_LINE: usize = 8 * 1024 * 1024;
/// Bytes of all output of an agent in one turn.
const MAX_BYTES: usize = 128 * 1024 * 1024;
const MAX_LINES: usize = 400_000;
/// Bytes of stderr that are kept.
const MAX_WORDS: usize = 2 * 1024;
/// Bytes of stderr that are shown to the user.
const TOLD: usize = 300;
/// Timeout for writing a message to the agent.
const HEARS: Duration = Duration::from_secs(20);
/// How long to wait for the last output on stderr.
const LAST: Duration = Duration::from_millis(300);

pub struct JsonLines {
    agent: Agent,
    output: BufReader<Receiver>,
    /// The temporary directory is removed when the agent has ended.
    _temp: tempfile::TempDir,
    words: Arc<Mutex<String>>,
    bytes: usize,
    lines: usize,
}

impl JsonLines {
    pub fn start(setup: &Setup, cwd: &Path) -> Result<Self, Failure> {
        let not_started = |error: anyhow::Error| Failure::NotStarted(format!("{error:#}"));
        let temp = tempfile::Builder::new().prefix("aside-agent-").tempdir();
        let temp = temp.map_err(|error| Failure::NotStarted(format!("no temporary directory: {error}")))?;
        let (spec, environment) = setup.spec(cwd, temp.path()).map_err(not_started)?;
        let mut agent = agent::start(&setup.aside, &spec, &environment).map_err(not_started)?;
        let words = Arc::new(Mutex::new(String::new()));
        let (output, errors) = agent.take_output().ok_or_else(|| Failure::NotStarted("it has no output".to_owned()))?;
        tokio::spawn(listen(errors, Arc::clone(&words)));
        Ok(Self { agent, output: BufReader::new(output), _temp: temp, words, bytes: 0, lines: 0 })
    }

    pub async fn send(&mut self, message: &Value) -> Result<(), Failure> {
        let mut line = message.to_string();
        line.push('\n');
        let input: &mut Sender = self.agent.input.as_mut().ok_or_else(died)?;
        let sent = tokio::time::timeout(HEARS, input.write_all(line.as_bytes())).await;
        match sent {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(died()),
            Err(_) => Err(Failure::TooLate(HEARS)),
        }
    }

    /// Returns the next message. Skips lines that are not JSON objects: agents print such things.
    pub async fn next(&mut self) -> Result<Value, Failure> {
        loop {
            let line = self.line().await?;
            if let Ok(message @ Value::Object(_)) = serde_json::from_slice(&line) {
                return Ok(message);
            }
        }
    }

    async fn line(&mut self) -> Result<Vec<u8>, Failure> {
        let mut line = Vec::new();
        loop {
            let read = self.output.fill_buf().await.map_err(|_| died())?;
            if read.is_empty() {
                return Err(died());
            }
            let end = memchr(read);
            let taken = end.map_or(read.len(), |end| end + 1);
            self.bytes += taken;
            if line.len() + taken > MAX_LINE || self.bytes > MAX_BYTES || self.lines > MAX_LINES {
                return Err(Failure::Flood);
            }
            line.extend_from_slice(&read[..taken]);
            self.output.consume(taken);
            if end.is_some() {
                self.lines += 1;
                // Yields now and then, so that a flood of messages does not starve the daemon.
                if self.lines.is_multiple_of(512) {
                    tokio::task::yield_now().await;
                }
                return Ok(line);
            }
        }
    }

    /// Returns the last line that the agent wrote to stderr.
    pub async fn last_words(&self) -> String {
        tokio::time::sleep(LAST).await;
        let words = self.words.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let last = words.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let last = text::clean(last).into_owned();
        last.get(..last.floor_char_boundary(TOLD)).unwrap_or_default().to_owned()
    }

    pub async fn end(self) {
        self.agent.end().await;
    }
}

fn died() -> Failure {
    Failure::Died(String::new())
}

fn memchr(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| *byte == b'\n')
}

/// Keeps the tail of the agent's stderr.
async fn listen(mut errors: Receiver, words: Arc<Mutex<String>>) {
    let mut buffer = vec![0; 8 * 1024];
    while let Ok(read @ 1..) = errors.read(&mut buffer).await {
        let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
        words.push_str(&String::from_utf8_lossy(buffer.get(..read).unwrap_or_default()));
        if words.len() > MAX_WORDS {
            let cut = words.ceil_char_boundary(words.len() - MAX_WORDS);
            words.drain(..cut);
        }
    }
}
