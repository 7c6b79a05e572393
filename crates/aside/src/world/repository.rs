//! Finds the repository of a directory, and its git directories. Reads no history.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::world::git_config;
use crate::world::read::read;

/// Cap on the depth: users do not work in deeper paths.
const MAX_DEPTH: usize = 128;
/// What we read in a git directory, any of which could be a link into another repository.
const READ: [&str; 14] = [
    "HEAD",
    "config",
    "config.worktree",
    "packed-refs",
    "refs",
    "refs/heads",
    "refs/tags",
    "refs/remotes",
    "logs",
    "logs/HEAD",
    "logs/refs",
    "logs/refs/stash",
    "reftable",
    "index",
];

/// The directories of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The top of the working tree.
    pub root: PathBuf,
    /// The git directory of this worktree, with `HEAD`.
    pub git: PathBuf,
    /// What all worktrees share: branches, settings.
    pub common: PathBuf,
}

/// Whether a repository begins in this directory. Ignores one in a directory where every user may write, such as `/tmp`, unless it is our
/// own: another user could turn all that is below into a workspace with their rules.
pub fn begins_in(directory: &Path) -> bool {
    let (Ok(git), Ok(around)) = (rustix::fs::stat(directory.join(".git")), rustix::fs::stat(directory)) else {
        return false;
    };
    let is_ours = git.st_uid == rustix::process::geteuid().as_raw();
    is_ours || around.st_mode & 0o002 == 0
}

/// The nearest directory above with a `.git`. Follows the path as written first: a user who came through a link knows the place by that
/// name.
pub fn root(directory: &Path) -> Option<PathBuf> {
    let above = |path: &Path| {
        let found = path.ancestors().take(MAX_DEPTH).find(|path| begins_in(path));
        found.map(Path::to_owned)
    };
    above(directory).or_else(|| above(&directory.canonicalize().ok()?))
}

/// The limit for files that a file in this directory may name: its repository, or the directory itself.
pub fn base_of(directory: &Path) -> PathBuf {
    root(directory).unwrap_or_else(|| directory.to_owned())
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
    let repository = Repository { root, git, common };
    repository.is_of_its_files().then_some(repository)
}

impl Repository {
    /// Whether the git directory belongs to this working tree. An unpacked archive can name the git directory of any repository of the
    /// user, whose branches and files would then be shown here. A git directory elsewhere has to name this working tree, as those of
    /// worktrees and submodules do. Objects may be elsewhere.
    fn is_of_its_files(&self) -> bool {
        let resolved = [&self.root, &self.git, &self.common].map(|place| place.canonicalize());
        let [Ok(root), Ok(git), Ok(common)] = resolved else { return false };
        let is_inside = |place: &Path| place.starts_with(&root) || is_checked_out_by_repo(place, &root);
        let is_worktree = git.parent().is_some_and(|around| around == common.join("worktrees"));
        let is_own = (is_inside(&git) || names(&git, &root))
            && (is_inside(&common) || common.starts_with(&git) || (is_worktree && names(&git, &root)));
        let leads_away = |path: PathBuf| {
            let is_link = std::fs::symlink_metadata(&path).is_ok_and(|file| file.is_symlink());
            // Older versions made HEAD a link to a branch, which need not exist yet.
            let there = is_link.then(|| path.canonicalize().ok()).flatten();
            there.is_some_and(|there| !is_inside(&there) && !there.starts_with(&git) && !there.starts_with(&common))
        };
        is_own && !READ.iter().any(|name| leads_away(git.join(name)) || leads_away(common.join(name)))
    }
}

/// Whether a git directory names this working tree: in `gitdir` for a worktree, in `core.worktree` for a submodule.
fn names(git: &Path, root: &Path) -> bool {
    let is_worktree = read(&git.join("gitdir")).is_some_and(|file| {
        let file = named(&file).and_then(|file| git.join(file).canonicalize().ok());
        file.is_some() && file == root.join(".git").canonicalize().ok()
    });
    let settings = || {
        let texts = ["config.worktree", "config"].into_iter().filter_map(|name| read(&git.join(name)));
        texts.flat_map(|text| git_config::settings(text.as_bytes()))
    };
    is_worktree || {
        let mut trees = settings().filter(|setting| setting.section == "core" && setting.key == "worktree");
        trees.any(|tree| git.join(OsStr::from_bytes(&tree.value)).canonicalize().is_ok_and(|tree| tree == root))
    }
}

/// The tool `repo` keeps the git directories of all its checkouts in one `.repo` above, which names no working trees.
fn is_checked_out_by_repo(place: &Path, root: &Path) -> bool {
    let kept = place.ancestors().find(|above| above.file_name() == Some(OsStr::new(".repo")));
    kept.and_then(Path::parent).is_some_and(|above| root.starts_with(above))
}

/// Parses exactly as git does: if we resolved another directory than git, we would check the settings of the wrong one.
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
        // Only root can change owners.
        if chown(place.join(".git"), Some(65534), Some(65534)).is_ok() {
            assert_ne!(root(&place.join("mine")).as_deref(), Some(&*place));
            std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o755)).unwrap();
            assert_eq!(root(&place.join("mine")).as_deref(), Some(&*place), "whoever may write there is trusted");
        }
    }
}
