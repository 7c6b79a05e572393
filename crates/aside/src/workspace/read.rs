//! Reads one file of a workspace, up to a limit. Never opens a denied file, whatever the caller.

use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail};
use aside_task::diff::path::RelativePath;
use aside_task::run::context::{Ignored, MAX_READ, PickedFile};
use aside_task::run::project::{FILES, Project};

use crate::workspace::Workspace;
use crate::workspace::masked::Secrets;
use crate::workspace::rooted_fs::{OpenedEntry, Root};

/// Cap on the bytes of a look through all files.
const MAX_TEXTS: usize = 64 * 1024 * 1024;

impl Workspace {
    /// Reads the picked files; `None` for those that cannot be read.
    pub fn read_all(&self, picks: Vec<PickedFile>) -> anyhow::Result<Vec<(PickedFile, Option<Vec<u8>>)>> {
        let root = Root::open(&self.root)?;
        Ok(picks
            .into_iter()
            .map(|pick| (read(&root, &pick.path).ok(), pick))
            .map(|(bytes, pick)| (pick, bytes))
            .collect())
    }
}

impl Workspace {
    /// Reads the project's files: those of the current directory first, then those at the root.
    pub fn project(&self) -> Project {
        let Ok(root) = Root::open(&self.root) else { return Project::default() };
        let below = self.cwd.strip_prefix(&self.root).ok().and_then(|path| path.to_str()).unwrap_or_default();
        let mut files: Vec<(String, String)> = Vec::new();
        for directory in [below, ""] {
            for name in FILES {
                let path = if directory.is_empty() { (*name).to_owned() } else { format!("{directory}/{name}") };
                let known = files.iter().any(|(known, _)| known.rsplit('/').next() == Some(name));
                if let Some(bytes) = Some(&path).filter(|_| !known).and_then(|path| read(&root, path).ok()) {
                    files.push((path, String::from_utf8_lossy(&bytes).into_owned()));
                }
            }
        }
        Project { files }
    }
}

impl Workspace {
    /// Passes every text file that git does not ignore, as it may be shown. Leaves out files that are larger than `MAX_READ`: a cut could
    /// lie inside of a secret. Returns `None` if it was cancelled.
    pub fn each_text(&self, secrets: Secrets, cancelled: &AtomicBool, mut take: impl FnMut(&str, &str)) -> Option<()> {
        let root = Root::open(&self.root).ok()?;
        let tree = self.tree(&[], cancelled).ok()?;
        let mut total = 0;
        for listed in tree.listed().iter().filter(|listed| listed.ignored == Ignored::No) {
            if cancelled.load(Ordering::Relaxed) {
                return None;
            }
            if total > MAX_TEXTS {
                break;
            }
            let bytes = read(&root, listed.path).ok().filter(|bytes| bytes.len() <= MAX_READ);
            let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok()).filter(|text| !text.contains('\0'));
            let Some(text) = text else { continue };
            total += text.len();
            if let Some(text) = secrets.shown(text) {
                take(listed.path, &text);
            }
        }
        Some(())
    }
}

/// Reads at most one byte more than `MAX_READ`, which shows that there are more. The path is relative to the root.
pub fn read(root: &Root, path: &str) -> anyhow::Result<Vec<u8>> {
    // Also rejects denied names.
    let name = RelativePath::new(path).map_err(|why| anyhow::anyhow!("could not read {path}: {why}"))?;
    let file = match root.open_file(&name).with_context(|| format!("could not read {path}"))? {
        OpenedEntry::File(file, _) => file,
        OpenedEntry::Nothing => bail!("{path} is not there"),
        OpenedEntry::Other(what) => bail!("{path} is {what}; only files are read"),
    };
    let mut bytes = Vec::new();
    let most = u64::try_from(MAX_READ).unwrap_or(u64::MAX).saturating_add(1);
    file.take(most).read_to_end(&mut bytes).with_context(|| format!("could not read {path}"))?;
    Ok(bytes)
}
