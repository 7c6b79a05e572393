//! The person's own specs: read from their directory, and read again when a file there changes.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use aside_core::spec;

/// How often the directory is looked at.
const LOOK: Duration = Duration::from_secs(1);
/// Files that are read, in the order of their names.
const MAX_FILES: usize = 1000;
/// Bytes of one file. A longer one is not a spec.
const MAX_FILE: u64 = 1024 * 1024;

pub struct Specs {
    directory: PathBuf,
    read: Mutex<Read>,
}

#[derive(Default)]
struct Read {
    looked: Option<Instant>,
    /// Every file with its time and length.
    files: Vec<(PathBuf, SystemTime, u64)>,
    specs: Arc<spec::Specs>,
    problems: Vec<String>,
}

impl Specs {
    pub fn new(directory: PathBuf) -> Self {
        Self { directory, read: Mutex::default() }
    }

    pub fn current(&self) -> Arc<spec::Specs> {
        let mut read = self.lock();
        if read.looked.is_none_or(|looked| looked.elapsed() >= LOOK) {
            read.looked = Some(Instant::now());
            let files = files(&self.directory);
            if files != read.files {
                *read = Read { looked: read.looked, ..read_all(&self.directory, files) };
            }
        }
        Arc::clone(&read.specs)
    }

    /// What is wrong with them, a sentence each.
    pub fn problems(&self) -> Vec<String> {
        self.current();
        self.lock().problems.clone()
    }

    /// How many files there are.
    pub fn count(&self) -> usize {
        self.current();
        self.lock().files.len()
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
    for (path, _, length) in &files {
        let text = if *length > MAX_FILE { Err("it is too long".to_owned()) } else { read(path) };
        match (path.file_stem().and_then(|name| name.to_str()), text) {
            (Some(name), Ok(text)) => own.push((name.to_owned(), text)),
            (None, Ok(_)) => problems.push(format!("could not use the spec {}: its name is not UTF-8", path.display())),
            (_, Err(why)) => problems.push(format!("could not read the spec {}: {why}", path.display())),
        }
    }
    let (specs, wrong) = spec::Specs::with(own);
    problems.extend(wrong.iter().map(|problem| format!("{}/{problem}", directory.display())));
    Read { looked: None, files, specs: Arc::new(specs), problems }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_is_read_again_and_a_bad_one_is_told() {
        let temp = tempfile::tempdir().unwrap();
        let specs = Specs::new(temp.path().to_owned());
        assert!(!specs.current().has("frob"));
        std::fs::write(temp.path().join("frob.toml"), "about = \"does things\"").unwrap();
        std::fs::write(temp.path().join("bad.toml"), "about = 3").unwrap();
        specs.lock().looked = None;
        assert!(specs.current().has("frob"));
        let problems = specs.problems();
        assert!(problems.len() == 1 && problems[0].contains("/bad.toml:1: "), "{problems:?}");
    }
}
