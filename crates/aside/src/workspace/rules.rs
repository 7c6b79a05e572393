//! Which files the person does not count as part of the project: .gitignore, .ignore, .git/info/exclude and the excludes of all
//! repositories. The files with these rules are read like any other here, bounded and never through a link: one that is a pipe hangs nobody.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use aside_core::task::run::context::Ignored;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::workspace::beneath::{Dir, Opened, Root};
use crate::world::repository::repository;

/// Bytes and lines of one file with rules; what is behind them is not read.
const MAX_BYTES: u64 = 64 * 1024;
const MAX_LINES: usize = 4_000;

/// Those of one directory, which come before those above it.
pub struct Rules {
    above: Option<Arc<Rules>>,
    /// `.ignore` is meant for tools that search, and overrules all of git's.
    own: Option<Gitignore>,
    git: Option<Gitignore>,
    /// Whether git's rules of the directories above count here.
    begins: Begins,
    /// Of the whole workspace, in the first of them.
    exclude: Option<Gitignore>,
    everywhere: Option<Gitignore>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Begins {
    No,
    /// It has a `.git` of its own.
    Repository,
}

impl Rules {
    /// Those that hold in the whole workspace; the path is that of its top.
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
            begins: Begins::No,
            exclude,
            everywhere: Some(everywhere).filter(|rules| !rules.is_empty()),
        })
    }

    /// Those of a directory. The path is from the top, without `/` at its end; the names are those of its entries that could be
    /// files with rules.
    pub fn below(self: &Arc<Self>, path: &str, dir: &Dir, has: Has) -> Arc<Self> {
        let own = has.ignore.then(|| compiled(path, dir, ".ignore")).flatten();
        let git = has.gitignore.then(|| compiled(path, dir, ".gitignore")).flatten();
        if own.is_none() && git.is_none() && has.begins == Begins::No {
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
            if rules.begins == Begins::Repository {
                break;
            }
        }
        let last = chain().last().unwrap_or(self);
        says(last.exclude.as_ref()).or_else(|| says(last.everywhere.as_ref())).unwrap_or(Ignored::No)
    }
}

/// Which files that matter here a directory has.
#[derive(Clone, Copy)]
pub struct Has {
    pub ignore: bool,
    pub gitignore: bool,
    pub begins: Begins,
}

fn compiled(path: &str, dir: &Dir, name: &str) -> Option<Gitignore> {
    let Ok(Opened::File(file, _)) = dir.open_file(name) else { return None };
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut builder = GitignoreBuilder::new(path);
    for line in text.trim_start_matches('\u{feff}').lines().take(MAX_LINES) {
        // What is no pattern, git passes over as well.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok().filter(|rules| !rules.is_empty())
}
