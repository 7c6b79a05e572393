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

/// The nearest directory above with a `.git`. The path as it is written is followed first: a person who came through a
/// link thinks of the place by that name.
pub fn root(directory: &Path) -> Option<PathBuf> {
    let above = |path: &Path| {
        let found = path.ancestors().take(MAX_DEPTH).find(|path| rustix::fs::stat(path.join(".git")).is_ok());
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
        root.join(read(&dot_git)?.strip_prefix("gitdir:")?.trim())
    };
    let common = match read(&git.join("commondir")) {
        Some(common) => git.join(common.trim()),
        None => git.clone(),
    };
    Some(Repository { root, git, common })
}
