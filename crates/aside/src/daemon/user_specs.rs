//! Loads the user's own specs from their directory, and again when a file there changes. The check runs on its own thread.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use aside_commands::spec;

use crate::config::file_poll::FilePoller;
use crate::trusted_file;

/// Cap on files, in the order of their names.
const MAX_FILES: usize = 1000;
/// Bytes of one file. A longer one is not a spec.
const MAX_FILE: u64 = 1024 * 1024;

pub struct UserSpecs {
    directory: Arc<Directory>,
    refresh: FilePoller,
}

struct Directory {
    path: PathBuf,
    read: Mutex<Read>,
}

#[derive(Default)]
struct Read {
    /// Each file with its modification time and length.
    files: Vec<(PathBuf, SystemTime, u64)>,
    specs: Arc<spec::Specs>,
    problems: Vec<String>,
}

impl UserSpecs {
    /// Holds the built-in specs only until the first refresh.
    pub fn new(path: PathBuf) -> Self {
        Self { directory: Arc::new(Directory { path, read: Mutex::default() }), refresh: FilePoller::default() }
    }

    /// Reads the files at once, for a command that runs without the daemon.
    pub fn read(path: PathBuf) -> Self {
        let specs = Self::new(path);
        specs.directory.reload_if_changed();
        specs
    }

    /// Accesses no file.
    pub fn current(&self) -> Arc<spec::Specs> {
        Arc::clone(&self.directory.lock().specs)
    }

    /// Problems in the files, one sentence each.
    pub fn problems(&self) -> Vec<String> {
        self.directory.lock().problems.clone()
    }

    /// The number of files.
    pub fn count(&self) -> usize {
        self.directory.lock().files.len()
    }

    /// Checks the directory if that is due. Returns soon even if the file system hangs.
    pub async fn refresh(&self) {
        let directory = Arc::clone(&self.directory);
        self.refresh.run(move || directory.reload_if_changed()).await;
    }
}

impl Directory {
    /// Holds no lock while it accesses the file system.
    fn reload_if_changed(&self) {
        let files = files(&self.path);
        if files != self.lock().files {
            let read = read_all(&self.path, files);
            *self.lock() = read;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Read> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn files(directory: &Path) -> Vec<(PathBuf, SystemTime, u64)> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let specs = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|ext| ext == "toml"));
    let mut files: Vec<_> = specs
        .take(MAX_FILES)
        .filter_map(|path| {
            let meta = std::fs::metadata(&path).ok()?;
            Some((path, meta.modified().ok()?, meta.len()))
        })
        .collect();
    files.sort();
    files
}

fn read_all(directory: &Path, files: Vec<(PathBuf, SystemTime, u64)>) -> Read {
    let mut own = Vec::new();
    let mut problems = Vec::new();
    for (path, ..) in &files {
        match (path.file_stem().and_then(|name| name.to_str()), read(path)) {
            (Some(name), Ok(text)) => own.push((name.to_owned(), text)),
            (None, Ok(_)) => problems.push(format!("could not use the spec {}: its name is not UTF-8", path.display())),
            (_, Err(why)) => problems.push(format!("the spec {} {why}", path.display())),
        }
    }
    let (specs, wrong) = spec::Specs::with(own);
    problems.extend(wrong.iter().map(|problem| format!("{}/{problem}", directory.display())));
    Read { files, specs: Arc::new(specs), problems }
}

fn read(path: &Path) -> Result<String, String> {
    let bytes = trusted_file::read(path, MAX_FILE).map_err(|refused| refused.to_string())?.unwrap_or_default();
    String::from_utf8(bytes).map_err(|_| "is not UTF-8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_is_read_again_and_a_bad_one_is_told() {
        let temp = tempfile::tempdir().unwrap();
        let specs = UserSpecs::new(temp.path().to_owned());
        assert!(!specs.current().has("frob"));
        std::fs::write(temp.path().join("frob.toml"), "about = \"does things\"").unwrap();
        std::fs::write(temp.path().join("bad.toml"), "about = 3").unwrap();
        specs.directory.reload_if_changed();
        assert!(specs.current().has("frob"));
        let problems = specs.problems();
        assert!(problems.len() == 1 && problems[0].contains("/bad.toml:1: "), "{problems:?}");
    }
}
