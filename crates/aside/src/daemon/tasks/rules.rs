//! Loads the files that say which commands may run unasked and which never may: the user's beside their settings, the repository's in it.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use aside_task::gate::rules::{self, RuleLayer, Rules};

use crate::paths::Paths;

/// Bytes of a rules file. A longer one is rejected as a whole, so that no rule is missed.
const MAX_BYTES: u64 = 256 * 1024;

pub fn of_person(paths: &Paths) -> PathBuf {
    paths.config_file.with_file_name("rules.toml")
}

pub fn of_repository(workspace: &Path) -> PathBuf {
    workspace.join(".aside/rules.toml")
}

/// Read on every call, so that a new rule counts at once.
pub fn load(paths: &Paths, workspace: &Path) -> Rules {
    let person = file(&of_person(paths), RuleLayer::Person);
    let repository = file(&of_repository(workspace), RuleLayer::Repository);
    Rules::new(person, repository)
}

fn file(path: &Path, layer: RuleLayer) -> rules::RulesFile {
    match read(path) {
        Ok(Some(text)) => rules::RulesFile::read(&text, layer),
        Ok(None) => rules::RulesFile::default(),
        // An unreadable file may hold a rule that demands a review, so it counts as a file with errors.
        Err(error) => rules::RulesFile::read(&format!("the file could not be read: {error}"), layer),
    }
}

fn read(path: &Path) -> io::Result<Option<String>> {
    // A FIFO in its place must not block.
    let flags = rustix::fs::OFlags::NONBLOCK.bits() as i32;
    let file = match File::options().read(true).custom_flags(flags).open(path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        other => other?,
    };
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!("it has more than {MAX_BYTES} bytes")));
    }
    String::from_utf8(bytes).map(Some).map_err(|_| io::Error::other("it is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_read_allows_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("rules.toml");
        let is_broken = || Rules::new(file(&path, RuleLayer::Person), rules::RulesFile::default()).is_broken();
        assert!(!is_broken(), "there is none");
        std::fs::write(&path, b"\xff").unwrap();
        assert!(is_broken());
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert!(is_broken());
        std::fs::remove_dir(&path).unwrap();
        std::fs::write(&path, vec![b'#'; MAX_BYTES as usize + 1]).unwrap();
        assert!(is_broken());
        std::fs::write(&path, "# nothing\n").unwrap();
        assert!(!is_broken());
    }
}
