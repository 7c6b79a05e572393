//! Which repository a directory is in, and where that keeps its things. Reads no history.

use std::path::{Path, PathBuf};

use crate::world::finding::read;

/// A path deeper than this is no place that a person works in.
const MAX_DEPTH: usize = 128;

/// Where a repository keeps what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The top of the files.
    pub root: PathBuf,
    /// `HEAD` and what else each worktree has for itself.
    pub git: PathBuf,
    /// What all worktrees share: branches, settings.
    pub common: PathBuf,
}

/// Whether a repository begins in this directory. Not where anybody may write, such as `/tmp`, unless it is our own: somebody else could
/// make a workspace of all that is below, with rules and neighbours of theirs.
pub fn begins_in(directory: &Path) -> bool {
    let (Ok(git), Ok(around)) = (rustix::fs::stat(directory.join(".git")), rustix::fs::stat(directory)) else {
        return false;
    };
    let is_ours = git.st_uid == rustix::process::geteuid().as_raw();
    is_ours || around.st_mode & 0o002 == 0
}

/// The nearest directory above with a `.git`. The path as it is written is followed first: a person who came through a
/// link thinks of the place by that name.
pub fn root(directory: &Path) -> Option<PathBuf> {
    let above = |path: &Path| {
        let found = path.ancestors().take(MAX_DEPTH).find(|path| begins_in(path));
        found.map(Path::to_owned)
    };
    above(directory).or_else(|| above(&directory.canonicalize().ok()?))
}

pub fn repository(directory: &Path) -> Option<Repository> {
    let root = root(directory)?;
    let dot_git = root.join(".git");
    let git = if dot_git.is_dir() {
        dot_git
    } else {
        // A worktree or a submodule: the file says where.
        root.join(named(read(&dot_git)?.strip_prefix("gitdir: ")?)?)
    };
    let common = match read(&git.join("commondir")) {
        Some(common) => git.join(named(&common)?),
        None => git.clone(),
    };
    Some(Repository { root, git, common })
}

/// As git reads it, to the letter: a place that we take for another one than git does has other settings, and those would be the ones
/// that we looked at.
fn named(text: &str) -> Option<&str> {
    let name = text.trim_end_matches(['\n', '\r']);
    (!name.is_empty() && !name.contains(['\0', char::REPLACEMENT_CHARACTER])).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, chown};

    #[test]
    fn nobody_else_makes_a_repository_of_a_place_for_all() {
        let temp = tempfile::tempdir().unwrap();
        let place = temp.path().canonicalize().unwrap();
        std::fs::create_dir_all(place.join("mine")).unwrap();
        std::fs::create_dir(place.join(".git")).unwrap();
        std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o1777)).unwrap();
        assert_eq!(root(&place.join("mine")).as_deref(), Some(&*place), "it is our own");
        // Only root can give something away.
        if chown(place.join(".git"), Some(65534), Some(65534)).is_ok() {
            assert_ne!(root(&place.join("mine")).as_deref(), Some(&*place));
            std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o755)).unwrap();
            assert_eq!(root(&place.join("mine")).as_deref(), Some(&*place), "whoever may write there is trusted");
        }
    }
}
