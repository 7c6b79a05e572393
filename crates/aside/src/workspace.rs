//! The directory that a task is about: its files (tree), their content (read, texts), searches (search), git's view (git), changes since a point
//! in time (snapshot). Read-only, bounded, and never through a link that leads out. Blocks: call it on a blocking thread.

pub mod git;
pub mod masked;
pub mod read;
pub mod rooted_fs;
pub mod search;
pub mod snapshot;
pub mod texts;
pub mod tree;

mod ignore_rules;
mod scan;
mod walk;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::world::repository::begins_in;

/// Both absolute, with links resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    root: PathBuf,
    cwd: PathBuf,
}

impl Workspace {
    /// The repository around a directory, or the directory itself.
    pub fn of(cwd: &Path) -> anyhow::Result<Self> {
        let cwd = cwd.canonicalize().with_context(|| format!("could not open {}", cwd.display()))?;
        anyhow::ensure!(cwd.is_dir(), "{} is no directory", cwd.display());
        let root = cwd.ancestors().find(|dir| begins_in(dir)).unwrap_or(&cwd).to_owned();
        Ok(Self { root, cwd })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Converts a path relative to `cwd` into one relative to the root; returns it unchanged if no such file exists.
    pub fn named(&self, text: &str) -> String {
        let meant = self.cwd.join(text.trim_end_matches('/'));
        let mut parts: Vec<&std::ffi::OsStr> = Vec::new();
        for part in meant.components() {
            match part {
                std::path::Component::ParentDir => drop(parts.pop()),
                std::path::Component::Normal(part) => parts.push(part),
                _ => {}
            }
        }
        let whole: PathBuf = Path::new("/").join(parts.iter().collect::<PathBuf>());
        let inside = whole.strip_prefix(&self.root).ok().and_then(Path::to_str).filter(|path| !path.is_empty());
        // A path that does not exist from here may be relative to the root already: tools print such paths.
        let there = inside.filter(|path| std::fs::symlink_metadata(self.root.join(path)).is_ok());
        there.map_or_else(|| text.to_owned(), str::to_owned)
    }
}
