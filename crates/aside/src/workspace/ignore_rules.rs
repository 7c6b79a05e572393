//! Decides which files are ignored: .gitignore, .ignore, .git/info/exclude and git's global excludes. Reads these files bounded and never
//! through a link, so that a FIFO in their place does not block.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use aside_task::run::context::Ignored;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::workspace::rooted_fs::{Dir, OpenedEntry, Root};
use crate::world::repository::repository;

/// Bytes and lines of one rules file; the rest is not read.
const MAX_BYTES: u64 = 64 * 1024;
const MAX_LINES: usize = 4_000;

/// The rules of one directory, which take precedence over those above it.
pub struct IgnoreRules {
    above: Option<Arc<IgnoreRules>>,
    /// `.ignore` is meant for search tools, and overrides git's rules.
    own: Option<Gitignore>,
    git: Option<Gitignore>,
    /// Whether git's rules of the directories above apply here.
    begins: RepositoryStart,
    /// Rules of the whole workspace, set at the root only.
    exclude: Option<Gitignore>,
    everywhere: Option<Gitignore>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum RepositoryStart {
    No,
    /// It has its own `.git`.
    Repository,
}

impl IgnoreRules {
    /// The rules of the whole workspace; the path is its root.
    pub fn of(root: &Root) -> Arc<Self> {
        let exclude = repository(root.path()).filter(|repository| repository.root == root.path()).and_then(|found| {
            let info = Root::open(&found.common.join("info")).ok()?;
            compiled("", &info.dir(&[]).ok()?, "exclude")
        });
        let (everywhere, _) = GitignoreBuilder::new("").build_global();
        Arc::new(Self {
            above: None,
            own: None,
            git: None,
            begins: RepositoryStart::No,
            exclude,
            everywhere: Some(everywhere).filter(|rules| !rules.is_empty()),
        })
    }

    /// The rules of a directory. The path is relative to the root, without a final `/`; `has` says which rules files it contains.
    pub fn below(self: &Arc<Self>, path: &str, dir: &Dir, has: DirectoryMarkers) -> Arc<Self> {
        let own = has.ignore.then(|| compiled(path, dir, ".ignore")).flatten();
        let git = has.gitignore.then(|| compiled(path, dir, ".gitignore")).flatten();
        if own.is_none() && git.is_none() && has.begins == RepositoryStart::No {
            return Arc::clone(self);
        }
        let above = Some(Arc::clone(self));
        Arc::new(Self { above, own, git, begins: has.begins, exclude: None, everywhere: None })
    }

    pub fn ignored(&self, path: &str, is_dir: bool) -> Ignored {
        let path = Path::new(path);
        let chain = || std::iter::successors(Some(self), |rules| rules.above.as_deref());
        let says = |rules: Option<&Gitignore>| match rules.map(|rules| rules.matched(path, is_dir)) {
            Some(Match::Ignore(_)) => Some(Ignored::Yes),
            Some(Match::Whitelist(_)) => Some(Ignored::No),
            Some(Match::None) | None => None,
        };
        if let Some(said) = chain().find_map(|rules| says(rules.own.as_ref())) {
            return said;
        }
        for rules in chain() {
            if let Some(said) = says(rules.git.as_ref()) {
                return said;
            }
            if rules.begins == RepositoryStart::Repository {
                break;
            }
        }
        let last = chain().last().unwrap_or(self);
        says(last.exclude.as_ref()).or_else(|| says(last.everywhere.as_ref())).unwrap_or(Ignored::No)
    }
}

/// Which of the relevant files a directory contains.
#[derive(Clone, Copy)]
pub struct DirectoryMarkers {
    pub ignore: bool,
    pub gitignore: bool,
    pub begins: RepositoryStart,
}

fn compiled(path: &str, dir: &Dir, name: &str) -> Option<Gitignore> {
    let Ok(OpenedEntry::File(file, _)) = dir.open_file(name) else { return None };
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut builder = GitignoreBuilder::new(path);
    for line in text.trim_start_matches('\u{feff}').lines().take(MAX_LINES) {
        // Skips invalid patterns, as git does.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok().filter(|rules| !rules.is_empty())
}
