//! Loads the files that say which commands may run unasked and which never may: the user's beside their settings, the repository's in it.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use aside_task::gate::rules::{RuleLayer, Rules, RulesFile};

use crate::paths::Paths;
use crate::trusted_file;

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
    let person = trusted_file::read(&of_person(paths), MAX_BYTES).map_err(|refused| refused.to_string());
    // These can only tighten, so it does not matter who wrote them.
    let repository = read(&of_repository(workspace)).map_err(|error| format!("could not be read: {error}"));
    Rules::new(parsed(person, RuleLayer::Person), parsed(repository, RuleLayer::Repository))
}

fn parsed(read: Result<Option<Vec<u8>>, String>, layer: RuleLayer) -> RulesFile {
    match read.map(|bytes| bytes.map(String::from_utf8).transpose()) {
        Ok(Ok(Some(text))) => RulesFile::read(&text, layer),
        Ok(Ok(None)) => RulesFile::default(),
        // An unreadable file may hold a rule that demands a review, so it counts as a file with errors.
        Ok(Err(_)) => RulesFile::unreadable("is not UTF-8".to_owned()),
        Err(why) => RulesFile::unreadable(why),
    }
}

fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
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
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_file_that_cannot_be_read_allows_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("rules.toml");
        let nowhere = temp.path().join("nowhere");
        let paths = Paths {
            config_file: temp.path().join("config.toml"),
            data_dir: nowhere.clone(),
            state_dir: nowhere.clone(),
            socket: nowhere.clone(),
        };
        let is_broken = || load(&paths, &nowhere).is_broken();
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
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
        assert!(is_broken());
        let listed = load(&paths, &nowhere).listed();
        assert!(
            listed.iter().any(|line| line.starts_with("refused: your rules, the file is not read: other users")),
            "{listed:?}"
        );
    }
}
