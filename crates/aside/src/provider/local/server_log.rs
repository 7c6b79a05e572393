//! Logs the output of a model server to a file of bounded size, and keeps its last lines to explain why it ended.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use aside_redact::redact;
use aside_text::clean;
use tokio::sync::Notify;

/// At this size the file is renamed to `model.log.old` and a new one begins.
const MAX_LOG: u64 = 512 * 1024;
/// Bytes of one line.
const MAX_LINE: u64 = 4096;
/// Lines that are kept, and characters of the one that is shown.
const MAX_LAST: usize = 20;
const MAX_TOLD: usize = 160;

/// The last lines, newest last.
#[derive(Clone, Default)]
pub struct ServerLog(Arc<Heard>);

#[derive(Default)]
struct Heard {
    last: Mutex<Vec<String>>,
    ended: Notify,
}

impl ServerLog {
    /// Reads on its own thread until the server closes its output.
    pub fn of(said: impl Read + Send + 'static, log: PathBuf) -> Self {
        let words = Self::default();
        let heard = words.clone();
        std::thread::spawn(move || {
            heard.listen(said, &log);
            heard.0.ended.notify_one();
        });
        words
    }

    fn listen(&self, said: impl Read, log: &Path) {
        // Reads even without a log file: a server whose output is not read blocks.
        let mut file = Capped::open(log).ok();
        let mut said = BufReader::new(said);
        loop {
            let mut line = Vec::new();
            match said.by_ref().take(MAX_LINE).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
            // A verbose server prints the requests.
            let text = String::from_utf8_lossy(&line);
            let text = redact(&text);
            if let Some(open) = &mut file
                && open.write(text.as_bytes()).is_err()
            {
                file = None;
            }
            let text = clean(text.trim()).into_owned();
            if !text.is_empty() {
                let mut last = self.0.last.lock().unwrap_or_else(PoisonError::into_inner);
                if last.len() == MAX_LAST {
                    last.remove(0);
                }
                last.push(text);
            }
        }
    }

    /// Waits until the output closes: the server has ended, or is about to.
    pub async fn ended(&self) {
        self.0.ended.notified().await;
    }

    /// The line that best explains what went wrong.
    pub fn complaint(&self) -> String {
        let last = self.0.last.lock().unwrap_or_else(PoisonError::into_inner);
        let complains = |line: &&String| {
            let line = line.to_lowercase();
            ["error", "fail", "could not", "couldn't", "cannot", "unknown", "invalid"]
                .iter()
                .any(|word| line.contains(word))
        };
        let line = last.iter().rev().find(complains).or(last.last());
        line.map(|line| line.chars().take(MAX_TOLD).collect()).unwrap_or_default()
    }
}

struct Capped {
    path: PathBuf,
    file: File,
    size: u64,
}

impl Capped {
    fn open(path: &Path) -> io::Result<Self> {
        let file = File::options().append(true).create(true).mode(0o600).open(path)?;
        let size = file.metadata()?.len();
        Ok(Self { path: path.to_owned(), file, size })
    }

    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        if self.size + line.len() as u64 > MAX_LOG {
            std::fs::rename(&self.path, self.path.with_extension("log.old"))?;
            *self = Self::open(&self.path)?;
        }
        self.size += line.len() as u64;
        self.file.write_all(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_says_never_outgrows_two_files() {
        let temp = tempfile::tempdir().unwrap();
        let log = temp.path().join("model.log");
        let said = "a line like many others\n".repeat(100_000);
        ServerLog::default().listen(said.as_bytes(), &log);
        let size = |name: &str| std::fs::metadata(temp.path().join(name)).unwrap().len();
        assert!(size("model.log") <= MAX_LOG && size("model.log.old") <= MAX_LOG);
        assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_complaint_is_found_among_the_last_lines() {
        let complaint = |said: &str| {
            let words = ServerLog::default();
            words.listen(said.as_bytes(), Path::new("/nowhere/model.log"));
            words.complaint()
        };
        assert_eq!(complaint("loading\nerror: invalid \u{1b}[31mmagic\nbye\n\n"), "error: invalid [31mmagic");
        assert_eq!(complaint("loading\nbye"), "bye");
        assert_eq!(complaint(""), "");
    }
}
