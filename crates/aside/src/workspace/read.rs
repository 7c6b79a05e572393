//! Reads one file of a workspace, up to a limit. Never opens a denied file, whatever the caller.

use std::io::{Read, Seek, SeekFrom};
use std::sync::atomic::AtomicBool;

use anyhow::{Context, bail};
use aside_task::diff::path::RelativePath;
use aside_task::run::context::{Ignored, MAX_READ, PickedFile};
use aside_task::run::diagnose::named;
use aside_task::run::diagnose::own::OwnProject;
use aside_task::run::project::{FILES, Project, member_directories};

use crate::workspace::Workspace;
use crate::workspace::masked::Secrets;
use crate::workspace::rooted_fs::{OpenedEntry, Root};

/// Manifests of members and files of CI that are read with a project.
const MAX_MORE: usize = 100;

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
        let of = |name: &str| String::from_utf8(read(&root, name).ok()?).ok();
        let (package, pnpm) = (of("package.json").unwrap_or_default(), of("pnpm-workspace.yaml").unwrap_or_default());
        let mut more: Vec<String> = Vec::new();
        for directory in member_directories(&package, &pnpm) {
            more.extend(self.names_in(&directory).into_iter().map(|name| format!("{directory}/{name}/package.json")));
        }
        let workflows = self.names_in(".github/workflows").into_iter();
        more.extend(workflows.map(|name| format!(".github/workflows/{name}")));
        for path in more.into_iter().take(MAX_MORE) {
            if !files.iter().any(|(known, _)| *known == path)
                && let Some(text) = of(&path)
            {
                files.push((path, text));
            }
        }
        Project { files }
    }

    /// The names in a directory, sorted.
    fn names_in(&self, directory: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.root.join(directory)).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).take(MAX_MORE).collect();
        names.sort();
        names
    }
}

impl Workspace {
    /// The names of the project's own modules, and its package managers.
    pub fn own_project(&self, cancelled: &AtomicBool) -> OwnProject {
        let Ok(root) = Root::open(&self.root) else { return OwnProject::default() };
        let tree = self.tree(&[], cancelled).unwrap_or_default();
        let listed = tree.listed();
        let paths = listed.iter().filter(|listed| listed.ignored == Ignored::No).map(|listed| listed.path);
        let text = |path: &str| String::from_utf8(read(&root, path).ok()?).ok();
        OwnProject::of(paths, &text, &|path| self.root.join(path).exists())
    }

    /// The path and the end of the file that words name, or nearly name, if it holds the output of something that failed.
    pub fn named_output(&self, words: &str, secrets: Secrets, cancelled: &AtomicBool) -> Option<(String, String)> {
        let root = Root::open(&self.root).ok()?;
        let output = |path: &str| {
            let text = String::from_utf8_lossy(&tail(&root, path).ok()?).into_owned();
            let text = Some(text).filter(|text| !text.contains('\0')).and_then(|text| secrets.shown(text))?;
            named::is_output(path, &text).then(|| (path.to_owned(), text.to_string()))
        };
        let files = named::files(words);
        if let Some(found) = files.iter().find_map(|file| output(&self.named(file))) {
            return Some(found);
        }
        let tree = self.tree(&[], cancelled).ok()?;
        let listed = tree.listed();
        let below = |file: &&str| {
            let ends = |path: &str| path.strip_suffix(*file).is_some_and(|before| before.ends_with('/'));
            let mut found = listed.iter().filter(|listed| ends(listed.path));
            found.next().filter(|_| found.next().is_none()).and_then(|only| output(only.path))
        };
        let spoken = || output(named::spoken(words, listed.iter().map(|listed| listed.path))?);
        files.iter().find_map(below).or_else(spoken)
    }
}

/// The last `MAX_READ` bytes of a file, from the beginning of a line.
fn tail(root: &Root, path: &str) -> anyhow::Result<Vec<u8>> {
    let name = RelativePath::new(path).map_err(|why| anyhow::anyhow!("could not read {path}: {why}"))?;
    let OpenedEntry::File(mut file, _) = root.open_file(&name)? else { bail!("{path} is not there") };
    let length = file.seek(SeekFrom::End(0))?;
    let most = u64::try_from(MAX_READ).unwrap_or(u64::MAX);
    file.seek(SeekFrom::Start(length.saturating_sub(most)))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    if length > most
        && let Some(line) = bytes.iter().position(|byte| *byte == b'\n')
    {
        bytes.drain(..=line);
    }
    Ok(bytes)
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
