//! Writes the daemon's log: one file of bounded size, for users and bug reports. Command lines are never logged, and what an error quotes
//! is redacted.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::time::Duration;

use aside_redact::redact;
use tracing_subscriber::fmt::MakeWriter;

use crate::config::LogLevel;
use crate::paths::{self, Paths};

/// At this size the file is renamed to `daemon.log.old` and a new one begins.
const MAX_LOG: u64 = 1024 * 1024;
/// Cap on lines waiting for the disk.
const MAX_WAITING: usize = 1024;
/// How long writing the last lines may take when the daemon ends.
const CLOSE: Duration = Duration::from_millis(500);

/// Without a log the daemon runs all the same: there is no way to report that.
pub fn start(paths: &Paths, level: LogLevel) -> Option<Writing> {
    paths::private_dir(&paths.state_dir).ok()?;
    let (lines, writing) = Writing::start(Log::open(paths.log_file()).ok()?);
    let level = match level {
        LogLevel::Error => tracing::Level::ERROR,
        LogLevel::Warn => tracing::Level::WARN,
        LogLevel::Info => tracing::Level::INFO,
        LogLevel::Debug => tracing::Level::DEBUG,
    };
    let _ = tracing_subscriber::fmt().with_max_level(level).with_ansi(false).with_writer(lines).try_init();
    // Logs only the location: the message of a panic may quote what the user typed.
    std::panic::set_hook(Box::new(|panic| match panic.location() {
        Some(place) => tracing::error!("panic in {}, line {}", place.file(), place.line()),
        None => tracing::error!("panic"),
    }));
    Some(writing)
}

struct Log {
    path: PathBuf,
    file: File,
    size: u64,
}

impl Log {
    fn open(path: PathBuf) -> io::Result<Self> {
        let file = append_to(&path)?;
        let size = file.metadata()?.len();
        Ok(Self { path, file, size })
    }
}

fn append_to(path: &Path) -> io::Result<File> {
    // A FIFO in its place must not block the daemon.
    let flags = rustix::fs::OFlags::NONBLOCK.bits() as i32;
    File::options().append(true).create(true).mode(0o600).custom_flags(flags).open(path)
}

/// Hands lines to the writer thread, since the log's disk may hang. Drops lines that the thread cannot keep up with.
#[derive(Clone)]
struct Lines(SyncSender<Vec<u8>>);

impl<'a> MakeWriter<'a> for Lines {
    type Writer = &'a Lines;

    fn make_writer(&'a self) -> Self::Writer {
        self
    }
}

impl Write for &Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.0.try_send(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Waits for the writer thread when the daemon ends.
pub struct Writing {
    lines: SyncSender<Vec<u8>>,
    ended: Receiver<()>,
}

impl Writing {
    fn start(mut log: Log) -> (Lines, Self) {
        let (lines, queue) = mpsc::sync_channel::<Vec<u8>>(MAX_WAITING);
        let (sender, ended) = mpsc::channel();
        std::thread::spawn(move || {
            let _sender = sender;
            // An empty line marks the end.
            for line in queue.iter().take_while(|line| !line.is_empty()) {
                let _ = log.write(&line);
            }
        });
        (Lines(lines.clone()), Self { lines, ended })
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        if self.lines.try_send(Vec::new()).is_ok() {
            // Fails when the thread has ended, which is fine.
            let _ = self.ended.recv_timeout(CLOSE);
        }
    }
}

impl Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        // Each call writes a whole line.
        let text = String::from_utf8_lossy(bytes);
        let line = redact(&text);
        let bytes = line.as_bytes();
        if self.size + bytes.len() as u64 > MAX_LOG {
            std::fs::rename(&self.path, self.path.with_extension("log.old"))?;
            (self.file, self.size) = (append_to(&self.path)?, 0);
        }
        self.size += bytes.len() as u64;
        self.file.write_all(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_that_an_error_quotes_is_not_written() {
        let temp = tempfile::tempdir().unwrap();
        let mut log = Log::open(temp.path().join("daemon.log")).unwrap();
        log.write(b"WARN could not reach https://me:hunter2@host/v1\n").unwrap();
        let text = std::fs::read_to_string(temp.path().join("daemon.log")).unwrap();
        assert_eq!(text, "WARN could not reach https://me:[redacted]@host/v1\n");
    }

    #[test]
    fn the_log_never_outgrows_two_files() {
        let temp = tempfile::tempdir().unwrap();
        let mut log = Log::open(temp.path().join("daemon.log")).unwrap();
        let line = vec![b'x'; 10_000];
        for _ in 0..350 {
            log.write(&line).unwrap();
        }
        let size = |name: &str| std::fs::metadata(temp.path().join(name)).unwrap().len();
        assert!(size("daemon.log") <= MAX_LOG && size("daemon.log.old") <= MAX_LOG);
        assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 2);
    }
}
