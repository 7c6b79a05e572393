//! What was written to workspaces, kept so that it can be taken back: after a crash, or when the person wants it. A record is a directory
//! whose ending says how far it came; it changes by one rename. Knows nothing of what is in a workspace.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context;
use aside_core::task::diff::name::Name;
use jiff::Timestamp;
use rustix::fs::{FlockOperation, RawMode};
use serde::{Deserialize, Serialize};

use crate::apply::point::point;
use crate::apply::print::Print;

/// Records that are kept for `undo`, and their bytes together.
const MAX_KEPT: usize = 100;
const MAX_KEPT_BYTES: u64 = 64 * 1024 * 1024;

pub struct Ledger {
    dir: PathBuf,
}

/// While one is held, nobody else writes with this ledger.
pub struct Held<'a> {
    ledger: &'a Ledger,
    _lock: File,
}

/// Microseconds since 1970, or the next number that is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Id(pub u64);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub id: Id,
    /// The workspace.
    pub root: String,
    /// Whose change it is, for whoever wrote it.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub label: String,
    /// What this takes back.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub undoes: Option<Id>,
    /// Directories that were missing, from the outermost.
    pub dirs: Vec<String>,
    pub steps: Vec<Step>,
}

/// One name. A file that gets another name is two of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub name: String,
    /// None: there was none.
    pub before: Option<Print>,
    /// None: there will be none.
    pub after: Option<Print>,
    /// The permissions and owner that it had.
    pub mode: RawMode,
    pub owner: (u32, u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Being written; to be taken back after a crash.
    Open,
    /// Written. What lies about is to be removed.
    Done,
    /// To be had for `undo`.
    Kept,
    Undone,
    /// Somebody else changed its files before it could be taken back. For the person to look at.
    Torn,
}

const STAGES: [(Stage, &str); 5] = [
    (Stage::Open, "open"),
    (Stage::Done, "done"),
    (Stage::Kept, "kept"),
    (Stage::Undone, "undone"),
    (Stage::Torn, "torn"),
];

/// Not a record yet, or none any more.
const RUBBISH: [&str; 2] = ["new", "gone"];

impl Ledger {
    pub fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// Waits for whoever writes just now.
    pub fn hold(&self) -> anyhow::Result<Held<'_>> {
        let context = || format!("could not open {}", self.dir.display());
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.dir).with_context(context)?;
        let lock = fs::OpenOptions::new().create(true).append(true).mode(0o600).open(self.dir.join("lock"));
        let lock = lock.with_context(context)?;
        rustix::fs::flock(&lock, FlockOperation::LockExclusive).with_context(context)?;
        Ok(Held { ledger: self, _lock: lock })
    }

    /// All that are kept, oldest first.
    pub fn records(&self) -> io::Result<Vec<(Record, Stage)>> {
        let mut records = Vec::new();
        for (id, stage) in self.stages()? {
            let path = self.path(id, stage).join("record.json");
            let record = fs::read(&path).and_then(|bytes| Ok(serde_json::from_slice(&bytes)?));
            // One that cannot be read must not keep the others from being taken back.
            match record {
                Ok(record) => records.push((record, stage)),
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
        Ok(names.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect())
    }

    fn path(&self, id: Id, stage: Stage) -> PathBuf {
        let ending = STAGES.iter().find(|(other, _)| *other == stage).map_or("", |(_, ending)| ending);
        self.named(id, ending)
    }

    fn named(&self, id: Id, ending: &str) -> PathBuf {
        self.dir.join(format!("{:020}.{ending}", id.0))
    }
}

fn stage(name: &str) -> Option<(Id, Stage)> {
    let (id, ending) = name.split_once('.')?;
    let (stage, _) = STAGES.iter().find(|(_, other)| *other == ending)?;
    Some((Id(id.parse().ok()?), *stage))
}

impl Held<'_> {
    pub fn records(&self) -> io::Result<Vec<(Record, Stage)>> {
        self.ledger.records()
    }

    pub fn next(&self) -> io::Result<Id> {
        let now = u64::try_from(Timestamp::now().as_microsecond()).unwrap_or(0);
        let last = self.ledger.stages()?.last().map_or(0, |(id, _)| id.0);
        Ok(Id(now.max(last + 1)))
    }

    /// Whole on the disk when this returns: the record, and the bytes that its steps take away.
    pub fn begin(&self, record: &Record, old: &[Option<&[u8]>]) -> io::Result<()> {
        let new = self.ledger.named(record.id, "new");
        fs::DirBuilder::new().mode(0o700).create(&new)?;
        point("record begun")?;
        for (number, bytes) in old.iter().enumerate() {
            if let Some(bytes) = bytes {
                write(&new.join(format!("{number}.old")), bytes)?;
                point("old bytes kept")?;
            }
        }
        write(&new.join("record.json"), &serde_json::to_vec_pretty(record)?)?;
        sync(&new)?;
        point("record written")?;
        fs::rename(&new, self.ledger.path(record.id, Stage::Open))?;
        sync(&self.ledger.dir)
    }

    /// What the person saw before the change, or nothing: bytes that are others by now were shown to nobody.
    pub fn old(&self, id: Id, stage: Stage, number: usize, before: &Print) -> io::Result<Vec<u8>> {
        let bytes = fs::read(self.ledger.path(id, stage).join(format!("{number}.old")))?;
        if Print::of(&bytes, before.executable) != *before {
            return Err(io::Error::other("what was kept of it is damaged"));
        }
        Ok(bytes)
    }

    /// Bytes of somebody else that would be lost.
    pub fn save(&self, id: Id, stage: Stage, number: usize, bytes: &[u8]) -> io::Result<()> {
        write(&self.ledger.path(id, stage).join(format!("{number}.saved")), bytes)
    }

    pub fn turn(&self, id: Id, from: Stage, to: Stage) -> io::Result<()> {
        fs::rename(self.ledger.path(id, from), self.ledger.path(id, to))?;
        // The name has changed, and whoever reads it goes by it: to fail now would be to say what is not so.
        if let Err(error) = sync(&self.ledger.dir) {
            tracing::warn!("could not write {} to the disk: {error}", self.ledger.dir.display());
        }
        Ok(())
    }

    /// As if it had never been.
    pub fn forget(&self, id: Id, stage: Stage) -> io::Result<()> {
        let gone = self.ledger.named(id, "gone");
        fs::rename(self.ledger.path(id, stage), &gone)?;
        sync(&self.ledger.dir)?;
        point("record gone")?;
        fs::remove_dir_all(gone)
    }

    /// Removes what is no record, and the oldest of those that nobody waits for.
    pub fn tidy(&self) -> io::Result<()> {
        for name in self.ledger.names()? {
            let rubbish = name.split_once('.').is_some_and(|(_, ending)| RUBBISH.contains(&ending));
            if rubbish {
                fs::remove_dir_all(self.ledger.dir.join(name))?;
            }
        }
        let mut stages = self.ledger.stages()?;
        stages.retain(|(_, stage)| matches!(stage, Stage::Kept | Stage::Undone | Stage::Torn));
        let mut bytes = 0;
        for (number, (id, stage)) in stages.into_iter().rev().enumerate() {
            bytes += size(&self.ledger.path(id, stage))?;
            // The newest stays, however large it is.
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

impl Step {
    /// None when somebody wrote another name into the record.
    pub fn checked(&self) -> Option<Name> {
        Name::new(&self.name).ok()
    }
}
