//! Writes an approved change to a workspace, all files or none even after a crash, and undoes it on request. Approval is decided elsewhere;
//! this module requires that the approved digest equals that of the change.

pub mod fingerprint;
pub mod undo_log;

mod failpoint;
mod file_ops;
mod write;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, bail, ensure};
use aside_task::diff::DiffRefusal;
use aside_task::diff::parse::parse_patch;
use aside_task::diff::path::RelativePath;
use aside_task::diff::resolve::{FileState, ResolvedChanges, resolve};

use crate::apply::file_ops::{PathEntry, Permissions, RegularFile};
use crate::apply::fingerprint::{Digest, Fingerprint};
use crate::apply::undo_log::{Id, Receipt, Record, Stage, Step, UndoLog, UndoLogLock};
use crate::apply::write::NewFile;
use crate::workspace::rooted_fs::Root;

/// A change that is ready to be written. Keeps the workspace directory open, so that a directory that replaces it is noticed.
#[derive(Debug)]
pub struct Proposal {
    root: Root,
    changes: ResolvedChanges,
    digest: Digest,
}

impl Proposal {
    /// Parses a diff and reads the files that it changes. An error is one sentence for the user or the model.
    pub fn new(root: &Path, diff: &[u8]) -> anyhow::Result<Self> {
        let patch = parse_patch(diff)?;
        let root = Root::open(root)?;
        let found = found(&root, patch.names())?;
        let changes = resolve(&patch, &found)?;
        let digest = digest(&root, &changes);
        Ok(Self { root, changes, digest })
    }

    pub fn changes(&self) -> &ResolvedChanges {
        &self.changes
    }

    /// Covers everything that is shown: the workspace, the names, the files before and after, the diff.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }
}

/// The outcome for a record that a crash left open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecoveryOutcome {
    /// It was completely written, so it was finished.
    Finished(Id),
    TakenBack(Id),
    /// Another program changed these files meanwhile, so they were left alone; the others were rolled back.
    Torn(Id, Vec<String>),
    /// It cannot be rolled back yet, with the reason.
    Stuck(Id, String),
}

/// Writes an approved change; `label` identifies it later. On an error nothing has changed, unless the error says otherwise.
pub fn apply(undo_log: &UndoLog, proposal: &Proposal, approved: &Digest, label: &str) -> anyhow::Result<Receipt> {
    ensure!(proposal.digest == *approved, "this is not what was approved; ask again");
    let held = undo_log.hold()?;
    ready(&held, &proposal.root)?;
    let mut works = Vec::new();
    for change in proposal.changes.files() {
        let fingerprint = |state: &FileState| Fingerprint::of(&state.bytes, state.executable);
        let (before, after) = (change.before(), change.after());
        let from = change.from().unwrap_or(change.name());
        let old = before.is_some().then(|| file(&proposal.root, from)).transpose()?.flatten();
        let new = after.map(|after| NewFile {
            bytes: after.bytes.clone(),
            like: match &old {
                None => Permissions::New { executable: after.executable },
                Some(old) => Permissions::Old { mode: with_mode(old.mode, after.executable), owner: Some(old.owner) },
            },
        });
        match change.from() {
            None => works.push(Work::new(change.name(), before.map(fingerprint), after.map(fingerprint), new)),
            Some(from) => {
                works.push(Work::new(change.name(), None, after.map(fingerprint), new));
                works.push(Work::new(from, before.map(fingerprint), None, None));
            }
        }
    }
    run(&held, &proposal.root, works, None, label)
}

/// Restores the files that a record changed, if they are still as it left them, and the record is still the one that was written. Returns
/// that record. The undo is itself a record that can be undone.
pub fn undo(undo_log: &UndoLog, receipt: &Receipt) -> anyhow::Result<Record> {
    let (id, held) = (receipt.id, undo_log.hold()?);
    recover_held(&held)?;
    let records = held.records().context("could not read what was changed before")?;
    let record = match records.into_iter().find(|(record, _)| record.id == id) {
        Some((record, Stage::Kept)) => record,
        Some((_, Stage::Undone)) => bail!("{} was undone already", id.0),
        Some((_, Stage::Torn)) => bail!("{} was not written whole; look at its files yourself", id.0),
        Some((_, Stage::Open | Stage::Done)) => bail!("{} is not finished; ask again later", id.0),
        None => bail!("there is no change {} that could be read; only the newest are kept", id.0),
    };
    ensure!(
        receipt.is_of(&record),
        "what was kept of change {} is not what was written then; nothing was changed",
        id.0
    );
    let root = workspace(&record)?;
    ready(&held, &root)?;
    let mut works = Vec::new();
    for (number, step) in record.steps.iter().enumerate() {
        let name = step.checked().with_context(|| format!("{} is no name for a file", step.name))?;
        let new = match &step.before {
            None => None,
            Some(before) => Some(NewFile {
                bytes: held.old(id, Stage::Kept, number, before).context("could not read what was there before")?,
                like: Permissions::Old { mode: step.mode & 0o777, owner: Some(step.owner) },
            }),
        };
        works.push(Work::new(&name, step.after.clone(), step.before.clone(), new));
    }
    run(&held, &root, works, Some(id), "")?;
    Ok(record)
}

/// Finishes what a crash left open. A change that was not completely written is rolled back, since its success was never reported.
pub fn recover(undo_log: &UndoLog) -> anyhow::Result<Vec<RecoveryOutcome>> {
    recover_held(&undo_log.hold()?)
}

/// A name and its change.
struct Work {
    name: RelativePath,
    before: Option<Fingerprint>,
    after: Option<Fingerprint>,
    new: Option<NewFile>,
}

impl Work {
    fn new(name: &RelativePath, before: Option<Fingerprint>, after: Option<Fingerprint>, new: Option<NewFile>) -> Self {
        Self { name: name.clone(), before, after, new }
    }
}

/// Recovers open records first; fails if one of this workspace is stuck.
fn ready(held: &UndoLogLock<'_>, root: &Root) -> anyhow::Result<()> {
    root.check()?;
    for recovered in recover_held(held)? {
        if let RecoveryOutcome::Stuck(id, why) = recovered {
            let records = held.records()?;
            let same = records.iter().any(|(record, _)| record.id == id && Path::new(&record.root) == root.path());
            ensure!(!same, "an earlier change to this workspace could not be undone yet: {why}");
        }
    }
    Ok(())
}

fn run(
    held: &UndoLogLock<'_>,
    root: &Root,
    works: Vec<Work>,
    undoes: Option<Id>,
    label: &str,
) -> anyhow::Result<Receipt> {
    let path = root.path().to_str().context("the path of the workspace is not UTF-8")?;
    let mut old = Vec::new();
    for work in &works {
        let found = file(root, &work.name)?;
        let fingerprint = found.as_ref().map(|file| Fingerprint::of(&file.bytes, file.executable()));
        let (name, is_undo) = (&work.name, undoes.is_some());
        ensure!(fingerprint == work.before || !is_undo, "{name} has changed since; it is left as it is");
        ensure!(fingerprint == work.before, "{name} has changed since this was proposed; ask again");
        old.push(found);
    }
    let id = held.next().context("could not read what was changed before")?;
    let steps = works.iter().zip(&old).map(|(work, old)| Step {
        name: work.name.to_string(),
        before: work.before.clone(),
        after: work.after.clone(),
        mode: old.as_ref().map_or(0o644, |old| old.mode),
        owner: old.as_ref().map_or((0, 0), |old| old.owner),
    });
    let (steps, dirs) = (steps.collect(), missing(root, &works)?);
    let record = Record { id, root: path.to_owned(), label: label.to_owned(), undoes, dirs, steps };
    let bytes: Vec<Option<&[u8]>> = old.iter().map(|file| file.as_ref().map(|file| file.bytes.as_slice())).collect();
    let new: Vec<Option<NewFile>> = works.into_iter().map(|work| work.new).collect();
    held.begin(&record, &bytes).context("could not keep what is there now, so nothing was changed")?;
    let carried = failpoint::failpoint("record open")
        .map_err(anyhow::Error::from)
        .and_then(|()| write::carry_out(root, &record, &new))
        .and_then(|()| held.turn(id, Stage::Open, Stage::Done).context("could not finish"));
    if let Err(error) = carried {
        return Err(match take_back(root, held, &record) {
            Ok(foreign) if foreign.is_empty() => error.context("nothing was changed"),
            Ok(foreign) => {
                error.context(format!("another program changed {}; the rest is as it was", foreign.join(", ")))
            }
            Err(second) => {
                error.context(format!("not all of it could be undone yet ({second:#}); it is tried again later"))
            }
        });
    }
    // The change is written: cleanup that fails here is retried later.
    if let Err(error) = finish(root, held, &record) {
        tracing::warn!("could not tidy up after change {}: {error:#}", id.0);
    }
    Ok(record.receipt())
}

fn take_back(root: &Root, held: &UndoLogLock<'_>, record: &Record) -> anyhow::Result<Vec<String>> {
    let foreign = write::put_back(root, held, record)?;
    if foreign.is_empty() {
        held.forget(record.id, Stage::Open)?;
    } else {
        held.turn(record.id, Stage::Open, Stage::Torn)?;
    }
    Ok(foreign)
}

fn finish(root: &Root, held: &UndoLogLock<'_>, record: &Record) -> anyhow::Result<()> {
    failpoint::failpoint("done")?;
    write::clear(root, held, record)?;
    if let Some(undone) = record.undoes {
        let records = held.records()?;
        if let Some((undone, stage)) = records.iter().find(|(other, _)| other.id == undone) {
            write::remove_dirs(root, &undone.dirs)?;
            failpoint::failpoint("directories removed")?;
            if *stage == Stage::Kept {
                held.turn(undone.id, Stage::Kept, Stage::Undone)?;
            }
        }
    }
    failpoint::failpoint("cleared all")?;
    held.turn(record.id, Stage::Done, Stage::Kept)?;
    held.tidy()?;
    Ok(())
}

fn recover_held(held: &UndoLogLock<'_>) -> anyhow::Result<Vec<RecoveryOutcome>> {
    held.tidy().context("could not tidy up what was changed before")?;
    let mut all = Vec::new();
    for (record, stage) in held.records().context("could not read what was changed before")? {
        let id = record.id;
        let recovered = match stage {
            Stage::Kept | Stage::Undone | Stage::Torn => continue,
            Stage::Open => recover_open(held, &record),
            Stage::Done => {
                workspace(&record).and_then(|root| finish(&root, held, &record)).map(|()| RecoveryOutcome::Finished(id))
            }
        };
        all.push(recovered.unwrap_or_else(|error| RecoveryOutcome::Stuck(id, format!("{error:#}"))));
    }
    Ok(all)
}

fn recover_open(held: &UndoLogLock<'_>, record: &Record) -> anyhow::Result<RecoveryOutcome> {
    let id = record.id;
    let path = Path::new(&record.root);
    if !path.exists() {
        held.turn(id, Stage::Open, Stage::Torn)?;
        return Ok(RecoveryOutcome::Torn(id, vec![record.root.clone()]));
    }
    let root = workspace(record)?;
    let foreign = take_back(&root, held, record)?;
    Ok(if foreign.is_empty() { RecoveryOutcome::TakenBack(id) } else { RecoveryOutcome::Torn(id, foreign) })
}

/// Opens the record's workspace. Fails if its path now leads through a link to another directory.
fn workspace(record: &Record) -> anyhow::Result<Root> {
    let path = Path::new(&record.root);
    let root = Root::open(path)?;
    ensure!(root.path() == path, "{} leads elsewhere now", path.display());
    Ok(root)
}

/// Reads the files that a change is about; skips missing files and refuses files that may not be changed.
pub fn before<'a>(
    root: &Path,
    names: impl Iterator<Item = &'a RelativePath>,
) -> anyhow::Result<BTreeMap<RelativePath, Vec<u8>>> {
    let found = found(&Root::open(root)?, names)?;
    Ok(found.into_iter().map(|(name, state)| (name, state.bytes)).collect())
}

fn found<'a>(
    root: &Root,
    names: impl Iterator<Item = &'a RelativePath>,
) -> anyhow::Result<BTreeMap<RelativePath, FileState>> {
    let mut found = BTreeMap::new();
    for name in names {
        if let Some(file) = file(root, name)? {
            let executable = file.executable();
            found.insert(name.clone(), FileState { bytes: file.bytes, executable });
        }
    }
    Ok(found)
}

/// Reads a file that may be changed; `None` if it does not exist.
fn file(root: &Root, name: &RelativePath) -> anyhow::Result<Option<RegularFile>> {
    let refuse = |sentence: String| Err(DiffRefusal::of(name.as_str(), sentence).into());
    match root.look(name) {
        Ok(PathEntry::Nothing) => Ok(None),
        Ok(PathEntry::File(file)) if file.mode & 0o200 == 0 => {
            refuse("it is read-only; make it writable first, with chmod u+w".to_owned())
        }
        Ok(PathEntry::File(file)) => Ok(Some(file)),
        Ok(PathEntry::Other(what)) => refuse(format!("it is {what}; only files are changed")),
        Err(error) => match error.raw_os_error().map(rustix::io::Errno::from_raw_os_error) {
            Some(rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR | rustix::io::Errno::XDEV) => {
                refuse("a part of its name is no directory, or a symbolic link; name the real place".to_owned())
            }
            _ => refuse(format!("it cannot be read: {error}")),
        },
    }
}

/// The directories that new files need, outermost first.
fn missing(root: &Root, works: &[Work]) -> anyhow::Result<Vec<String>> {
    let mut missing = BTreeSet::new();
    for work in works.iter().filter(|work| work.after.is_some()) {
        let (parents, _) = work.name.split();
        for length in 1..=parents.len() {
            let parts = parents.get(..length).unwrap_or_default();
            match root.dir(parts) {
                Ok(_) => {}
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    missing.insert(parts.join("/"));
                }
                Err(error) => return Err(error).with_context(|| format!("could not reach {}", parts.join("/"))),
            }
        }
    }
    Ok(missing.into_iter().collect())
}

/// Makes a file executable for all who may read it, or for none at all.
fn with_mode(mode: rustix::fs::RawMode, executable: bool) -> rustix::fs::RawMode {
    match (mode & 0o100 != 0, executable) {
        (false, true) => mode | ((mode & 0o444) >> 2),
        (true, false) => mode & !0o111,
        (true, true) | (false, false) => mode,
    }
}

fn digest(root: &Root, changes: &ResolvedChanges) -> Digest {
    let mut parts: Vec<Vec<u8>> = vec![b"aside change 1".to_vec(), root.path().as_os_str().as_encoded_bytes().to_vec()];
    for change in changes.files() {
        let fingerprint = |state: Option<&FileState>| match state {
            None => Vec::new(),
            Some(state) => {
                let fingerprint = Fingerprint::of(&state.bytes, state.executable);
                format!("{} {}", fingerprint.digest, fingerprint.executable).into_bytes()
            }
        };
        parts.push(change.name().as_str().as_bytes().to_vec());
        parts.push(change.from().map(|from| from.as_str().as_bytes().to_vec()).unwrap_or_default());
        parts.push(fingerprint(change.before()));
        parts.push(fingerprint(change.after()));
    }
    parts.push(changes.diff());
    let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
    Digest::of_all(&parts)
}
