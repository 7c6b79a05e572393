//! Lists the files of a workspace for callers that pick some of them. Reads none.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aside_task::denied_files;
use aside_task::diff::path::RelativePath;
use aside_task::run::context::{Ignored, ListedFile};

use crate::workspace::Workspace;
use crate::workspace::rooted_fs::{OpenedEntry, Root};
use crate::workspace::scan::{ScannedFile, Visitor, scan};
use crate::workspace::walk::{IgnoredDirs, WalkDeadline, WalkEnd, is_ignored, walk};

/// Cap on directory entries, and the timeout.
const MAX_ENTRIES: usize = 200_000;
const TIME: Duration = Duration::from_secs(3);

#[derive(Debug, Default)]
pub struct Tree {
    /// Paths relative to the root, sorted.
    files: Vec<(String, Ignored)>,
    /// Why some files are missing.
    pub note: Option<String>,
}

impl Tree {
    pub fn listed(&self) -> Vec<ListedFile<'_>> {
        self.files.iter().map(|(path, ignored)| ListedFile { path, ignored: *ignored }).collect()
    }
}

#[derive(Default)]
struct Listing(Mutex<Vec<(String, Ignored)>>);

impl Visitor for Listing {
    type Tools = ();

    fn tools(&self) {}

    fn visit(&self, _: &mut (), file: &ScannedFile<'_>) -> ControlFlow<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((file.path.to_owned(), file.ignored));
        ControlFlow::Continue(())
    }
}

impl Workspace {
    /// Denied files, wherever they are: below ignored directories, too.
    pub fn denied(&self, cancelled: &AtomicBool) -> anyhow::Result<Vec<String>> {
        let root = Root::open(&self.root)?;
        let mut files = Vec::new();
        walk(&root, IgnoredDirs::Ignored, MAX_ENTRIES, &WalkDeadline::new(TIME, cancelled), &mut |path, _| {
            if denied_files::denied(path).is_some() {
                files.push(path.to_owned());
            }
            ControlFlow::Continue(())
        });
        Ok(files)
    }

    /// All files except those in ignored directories; of these, only the named ones (paths from the root).
    pub fn tree(&self, named: &[String], cancelled: &AtomicBool) -> anyhow::Result<Tree> {
        let listing = Arc::new(Listing::default());
        let until = WalkDeadline::new(TIME, cancelled);
        let ended = scan(Root::open(&self.root)?, MAX_ENTRIES, &until, &listing)?;
        let mut files = std::mem::take(&mut *listing.0.lock().unwrap_or_else(PoisonError::into_inner));
        let root = Root::open(&self.root)?;
        files.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        for name in named.iter().filter_map(|name| RelativePath::new(name).ok()) {
            let Err(place) = files.binary_search_by(|(path, _)| path.as_str().cmp(name.as_str())) else { continue };
            if matches!(root.open_file(&name), Ok(OpenedEntry::File(..))) {
                files.insert(place, (name.to_string(), is_ignored(&root, name.as_str())));
            }
        }
        let note = match ended {
            WalkEnd::Whole => None,
            WalkEnd::Many => Some(format!("only the first {MAX_ENTRIES} entries of the workspace were looked at")),
            WalkEnd::Late => Some(format!("the workspace was looked at for {} seconds only", TIME.as_secs())),
            WalkEnd::Cancelled => Some("the list of files was broken off".to_owned()),
        };
        Ok(Tree { files, note })
    }
}
