//! The daemon's log: one file of bounded size, for people and bug reports. No command line is ever written to it, and what an
//! error quotes is redacted.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use aside_core::redact::redact;
use tracing_subscriber::fmt::MakeWriter;

use crate::config::LogLevel;
use crate::paths::{self, Paths};

/// At this size the file becomes `daemon.log.old` and a new one begins.
const MAX_LOG: u64 = 1024 * 1024;

/// Without a log the daemon goes on: there is nobody to tell.
pub fn start(paths: &Paths, level: LogLevel) {
    let Ok(()) = paths::private_dir(&paths.state_dir) else { return };
    let Ok(file) = Log::open(paths.log_file()) else { return };
    let level = match level {
        LogLevel::Error => tracing::Level::ERROR,
        LogLevel::Warn => tracing::Level::WARN,
        LogLevel::Info => tracing::Level::INFO,
        LogLevel::Debug => tracing::Level::DEBUG,
    };
    let _ = tracing_subscriber::fmt().with_max_level(level).with_ansi(false).with_writer(file).try_init();
    // Where, but not what: the message of a panic may quote what somebody typed.
    std::panic::set_hook(Box::new(|panic| match panic.location() {
        Some(place) => tracing::error!("panic in {}, line {}", place.file(), place.line()),
        None => tracing::error!("panic"),
    }));
}

struct Log {
    path: PathBuf,
    open: Mutex<(File, u64)>,
}

impl Log {
    fn open(path: PathBuf) -> io::Result<Self> {
        let file = append_to(&path)?;
        let size = file.metadata()?.len();
        Ok(Self { path, open: Mutex::new((file, size)) })
    }
}

fn append_to(path: &Path) -> io::Result<File> {
    File::options().append(true).create(true).mode(0o600).open(path)
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = &'a Log;

    fn make_writer(&'a self) -> Self::Writer {
        self
    }
}

impl Write for &Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A line comes whole.
        let text = String::from_utf8_lossy(bytes);
        let line = redact(&text);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.1 + line.len() as u64 > MAX_LOG {
            std::fs::rename(&self.path, self.path.with_extension("log.old"))?;
            *open = (append_to(&self.path)?, 0);
        }
        open.1 += line.len() as u64;
        open.0.write_all(line.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_that_an_error_quotes_is_not_written() {
        let temp = tempfile::tempdir().unwrap();
        let log = Log::open(temp.path().join("daemon.log")).unwrap();
        (&log).write_all(b"WARN could not reach https://me:hunter2@host/v1\n").unwrap();
        let text = std::fs::read_to_string(temp.path().join("daemon.log")).unwrap();
        assert_eq!(text, "WARN could not reach https://me:[redacted]@host/v1\n");
    }

    #[test]
    fn the_log_never_outgrows_two_files() {
        let temp = tempfile::tempdir().unwrap();
        let log = Log::open(temp.path().join("daemon.log")).unwrap();
        let line = vec![b'x'; 10_000];
        for _ in 0..350 {
            (&log).write_all(&line).unwrap();
        }
        let size = |name: &str| std::fs::metadata(temp.path().join(name)).unwrap().len();
        assert!(size("daemon.log") <= MAX_LOG && size("daemon.log.old") <= MAX_LOG);
        assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 2);
    }
}
