//! Records what was written to workspaces, so that a crash or the user can undo it. A record is a directory whose extension is its stage;
//! the stage changes by one atomic rename. Knows nothing of a workspace's content.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context;
use aside_task::diff::MAX_FILE_BYTES;
use aside_task::diff::path::RelativePath;
use jiff::Timestamp;
use rustix::fs::{FlockOperation, RawMode};
use serde::{Deserialize, Serialize};

use crate::apply::failpoint::failpoint;
use crate::apply::fingerprint::{Digest, Fingerprint};
use crate::trusted_file;

/// Caps on the records that are kept for `undo`: their number and their bytes together.
const MAX_KEPT: usize = 100;
const MAX_KEPT_BYTES: u64 = 64 * 1024 * 1024;
/// Cap on the text of one record. The longest names that a change may have fit ten times.
const MAX_RECORD: u64 = 4 * 1024 * 1024;

pub struct UndoLog {
    dir: PathBuf,
}

/// Holds the undo log's lock: no other process writes while it lives.
pub struct UndoLogLock<'a> {
    undo_log: &'a UndoLog,
    _lock: File,
}

/// Microseconds since 1970, or the next free number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Id(pub u64);

/// Names a record and what is in it, for the log of a task: only the record as it was written is undone. Older logs name it only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    pub id: Id,
    digest: Option<Digest>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub id: Id,
    /// The path of the workspace.
    pub root: String,
    /// Names the origin of the change; set by the caller.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub label: String,
    /// The record that this one undoes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub undoes: Option<Id>,
    /// Directories to create, outermost first.
    pub dirs: Vec<String>,
    pub steps: Vec<Step>,
}

/// The change to one name. Renaming a file takes two steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub name: String,
    /// `None` if the file did not exist.
    pub before: Option<Fingerprint>,
    /// `None` if the file is removed.
    pub after: Option<Fingerprint>,
    /// The previous permissions and owner.
    pub mode: RawMode,
    pub owner: (u32, u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// In progress; rolled back after a crash.
    Open,
    /// Written; leftover temporary files still have to be removed.
    Done,
    /// Complete, and available to `undo`.
    Kept,
    Undone,
    /// Another program changed its files before it could be rolled back. The user has to look at it.
    Torn,
}

const STAGES: [(Stage, &str); 5] = [
    (Stage::Open, "open"),
    (Stage::Done, "done"),
    (Stage::Kept, "kept"),
    (Stage::Undone, "undone"),
    (Stage::Torn, "torn"),
];

/// Extensions of incomplete and deleted records.
const RUBBISH: [&str; 2] = ["new", "gone"];

impl UndoLog {
    pub fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// Takes the lock; blocks while another process holds it.
    pub fn hold(&self) -> anyhow::Result<UndoLogLock<'_>> {
        let context = || format!("could not open {}", self.dir.display());
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.dir).with_context(context)?;
        let lock = fs::OpenOptions::new().create(true).append(true).mode(0o600).open(self.dir.join("lock"));
        let lock = lock.with_context(context)?;
        rustix::fs::flock(&lock, FlockOperation::LockExclusive).with_context(context)?;
        Ok(UndoLogLock { undo_log: self, _lock: lock })
    }

    /// All records, oldest first.
    pub fn records(&self) -> io::Result<Vec<(Record, Stage)>> {
        let mut records = Vec::new();
        for (id, stage) in self.stages()? {
            let path = self.path(id, stage).join("record.json");
            let record = read(&path, MAX_RECORD).and_then(|bytes| Ok(serde_json::from_slice::<Record>(&bytes)?));
            // An unreadable record must not block the rollback of the others.
            match record {
                Ok(record) if record.id == id && record.is_sound() => records.push((record, stage)),
                Ok(_) => tracing::warn!("{} is not what was written there", path.display()),
                Err(error) => tracing::warn!("could not read {}: {error}", path.display()),
            }
        }
        Ok(records)
    }

    fn stages(&self) -> io::Result<Vec<(Id, Stage)>> {
        let mut stages: Vec<(Id, Stage)> = self.names()?.iter().filter_map(|name| stage(name)).collect();
        stages.sort_by_key(|(id, _)| *id);
        Ok(stages)
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let names = match fs::read_dir(&self.dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        // A record is a directory. What else is there, such as a link to one, is not ours.
        let directories = names.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        Ok(directories.filter_map(|entry| entry.file_name().into_string().ok()).collect())
    }

    fn path(&self, id: Id, stage: Stage) -> PathBuf {
        let ending = STAGES.iter().find(|(other, _)| *other == stage).map_or("", |(_, ending)| ending);
        self.named(id, ending)
    }

    fn named(&self, id: Id, ending: &str) -> PathBuf {
        self.dir.join(format!("{:020}.{ending}", id.0))
    }
}

/// What another user has put there is not written back.
fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    trusted_file::read(path, most)?.ok_or_else(|| io::ErrorKind::NotFound.into())
}

fn stage(name: &str) -> Option<(Id, Stage)> {
    let (id, ending) = name.split_once('.')?;
    let (stage, _) = STAGES.iter().find(|(_, other)| *other == ending)?;
    Some((Id(id.parse().ok()?), *stage))
}

impl UndoLogLock<'_> {
    pub fn records(&self) -> io::Result<Vec<(Record, Stage)>> {
        self.undo_log.records()
    }

    pub fn next(&self) -> io::Result<Id> {
        let now = u64::try_from(Timestamp::now().as_microsecond()).unwrap_or(0);
        let last = self.undo_log.stages()?.last().map_or(0, |(id, _)| id.0);
        let next = last.checked_add(1).ok_or_else(|| io::Error::other("no number is left for another change"))?;
        Ok(Id(now.max(next)))
    }

    /// Writes the record and the bytes that its steps replace, synced to disk when this returns.
    pub fn begin(&self, record: &Record, old: &[Option<&[u8]>]) -> io::Result<()> {
        let new = self.undo_log.named(record.id, "new");
        fs::DirBuilder::new().mode(0o700).create(&new)?;
        failpoint("record begun")?;
        for (number, bytes) in old.iter().enumerate() {
            if let Some(bytes) = bytes {
                write(&new.join(format!("{number}.old")), bytes)?;
                failpoint("old bytes kept")?;
            }
        }
        write(&new.join("record.json"), &serde_json::to_vec_pretty(record)?)?;
        sync(&new)?;
        failpoint("record written")?;
        fs::rename(&new, self.undo_log.path(record.id, Stage::Open))?;
        sync(&self.undo_log.dir)
    }

    /// Returns the replaced bytes of a step. Fails if they no longer match `before`: the user never saw such bytes.
    pub fn old(&self, id: Id, stage: Stage, number: usize, before: &Fingerprint) -> io::Result<Vec<u8>> {
        let most = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX);
        let bytes = read(&self.undo_log.path(id, stage).join(format!("{number}.old")), most)?;
        if Fingerprint::of(&bytes, before.executable) != *before {
            return Err(io::Error::other("what was kept of it is damaged"));
        }
        Ok(bytes)
    }

    /// Saves bytes that another program wrote and that would be lost otherwise.
    pub fn save(&self, id: Id, stage: Stage, number: usize, bytes: &[u8]) -> io::Result<()> {
        write(&self.undo_log.path(id, stage).join(format!("{number}.saved")), bytes)
    }

    pub fn turn(&self, id: Id, from: Stage, to: Stage) -> io::Result<()> {
        fs::rename(self.undo_log.path(id, from), self.undo_log.path(id, to))?;
        // The rename has happened and decides the stage, so a failed sync must not be reported as a failed change.
        if let Err(error) = sync(&self.undo_log.dir) {
            tracing::warn!("could not write {} to the disk: {error}", self.undo_log.dir.display());
        }
        Ok(())
    }

    /// Removes a record entirely.
    pub fn forget(&self, id: Id, stage: Stage) -> io::Result<()> {
        let gone = self.undo_log.named(id, "gone");
        fs::rename(self.undo_log.path(id, stage), &gone)?;
        sync(&self.undo_log.dir)?;
        failpoint("record gone")?;
        fs::remove_dir_all(gone)
    }

    /// Removes incomplete and deleted records, and the oldest complete ones above the caps.
    pub fn tidy(&self) -> io::Result<()> {
        for name in self.undo_log.names()? {
            let rubbish = name.split_once('.').is_some_and(|(_, ending)| RUBBISH.contains(&ending));
            if rubbish {
                fs::remove_dir_all(self.undo_log.dir.join(name))?;
            }
        }
        let mut stages = self.undo_log.stages()?;
        stages.retain(|(_, stage)| matches!(stage, Stage::Kept | Stage::Undone | Stage::Torn));
        let mut bytes = 0;
        for (number, (id, stage)) in stages.into_iter().rev().enumerate() {
            bytes += size(&self.undo_log.path(id, stage))?;
            // The newest record stays, however large it is.
            if number > 0 && (number >= MAX_KEPT || bytes > MAX_KEPT_BYTES) {
                self.forget(id, stage)?;
            }
        }
        Ok(())
    }
}

fn size(dir: &Path) -> io::Result<u64> {
    fs::read_dir(dir)?.map(|entry| Ok(entry?.metadata()?.len())).sum()
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn sync(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

impl Record {
    pub fn receipt(&self) -> Receipt {
        Receipt { id: self.id, digest: self.digest() }
    }

    /// Of what it says, so that a record written by an older version keeps its digest as long as new fields are left out where empty.
    fn digest(&self) -> Option<Digest> {
        serde_json::to_vec(self).ok().map(|text| Digest::of_all(&[&text]))
    }

    /// Whether its directories are those of its files, which a rollback may remove.
    fn is_sound(&self) -> bool {
        let is_above = |dir: &str, name: &RelativePath| {
            name.as_str().strip_prefix(dir).is_some_and(|rest| !dir.is_empty() && rest.starts_with('/'))
        };
        let names: Vec<RelativePath> = self.steps.iter().filter_map(Step::checked).collect();
        self.dirs.iter().all(|dir| names.iter().any(|name| is_above(dir, name)))
    }
}

impl Receipt {
    pub fn read(text: &str) -> Option<Self> {
        let (id, digest) = text.split_once(' ').map_or((text, None), |(id, digest)| (id, Some(digest)));
        let digest = digest.map(|digest| Digest::read(digest).ok_or(())).transpose().ok()?;
        Some(Self { id: Id(id.parse().ok()?), digest })
    }

    pub fn is_of(&self, record: &Record) -> bool {
        self.id == record.id && (self.digest.is_none() || self.digest == record.digest())
    }
}

impl fmt::Display for Receipt {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.id.0)?;
        self.digest.as_ref().map_or(Ok(()), |digest| write!(out, " {digest}"))
    }
}

impl From<Id> for Receipt {
    fn from(id: Id) -> Self {
        Self { id, digest: None }
    }
}

impl Step {
    /// `None` if the record holds an invalid name, for example because its file was tampered with.
    pub fn checked(&self) -> Option<RelativePath> {
        RelativePath::new(&self.name).ok()
    }
}
