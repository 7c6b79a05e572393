//! A snapshot of files and directories. The inside of a `.git` directory is skipped: `git` is asked about that.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A larger file is compared by its size only.
const READ: u64 = 1 << 20;

/// By path, relative to the root.
pub type Tree = BTreeMap<String, Entry>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// File type and permissions.
    pub mode: u32,
    pub content: Content,
    /// The modification time in seconds.
    pub changed: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    Folder,
    Link(String),
    File {
        size: u64,
        hash: u64,
    },
    /// A pipe or the like, or an unreadable entry.
    Other,
}

impl Entry {
    pub fn size(&self) -> u64 {
        match self.content {
            Content::File { size, .. } => size,
            Content::Folder | Content::Link(_) | Content::Other => 0,
        }
    }

    /// Equal except for the modification time.
    pub fn same(&self, other: &Entry) -> bool {
        self.mode == other.mode && self.content == other.content
    }
}

pub fn read(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut left = vec![String::new()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(root.join(&folder)).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            let Ok(facts) = entry.metadata() else { continue };
            let content = if facts.is_dir() {
                if name != ".git" && name != "repo.git" {
                    left.push(path.clone());
                }
                Content::Folder
            } else if facts.is_symlink() {
                let target = fs::read_link(entry.path()).unwrap_or_default();
                let target = target.to_string_lossy();
                Content::Link(target.strip_prefix("./").unwrap_or(&target).to_owned())
            } else if facts.is_file() {
                let mut hasher = DefaultHasher::new();
                if facts.len() <= READ {
                    fs::read(entry.path()).unwrap_or_default().hash(&mut hasher);
                }
                Content::File { size: facts.len(), hash: hasher.finish() }
            } else {
                Content::Other
            };
            tree.insert(path, Entry { mode: facts.mode(), content, changed: facts.mtime() });
        }
    }
    tree
}

/// Whether nothing was added, removed or changed.
pub fn same(one: &Tree, other: &Tree) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|((path, entry), (other_path, other))| path == other_path && entry.same(other))
}

/// What was there before and has been removed or changed.
pub fn lost(before: &Tree, after: &Tree) -> Vec<String> {
    let kept = |path: &String, entry: &Entry| after.get(path).is_some_and(|now| now.same(entry));
    before.iter().filter(|(path, entry)| !kept(path, entry)).map(|(path, _)| path.clone()).collect()
}

/// What was added, removed or changed, times included: the first component of each path.
pub fn changed(before: &Tree, after: &Tree) -> BTreeSet<String> {
    let differs =
        |(path, entry): &(&String, &Entry)| before.get(*path) != Some(*entry) || after.get(*path) != Some(*entry);
    let paths = before.iter().chain(after).filter(differs).map(|(path, _)| path);
    paths.map(|path| path.split('/').next().unwrap_or(path).to_owned()).collect()
}
