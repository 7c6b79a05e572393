//! Carries out the steps of a record and rolls them back. Reads the current state off the disk each time, so that a repeat, also after a
//! crash, has the same result. Never overwrites a file that another program wrote.

use std::collections::BTreeSet;
use std::io;

use anyhow::{Context, bail};

use crate::apply::failpoint::failpoint;
use crate::apply::file_ops::{PathEntry, Permissions};
use crate::apply::fingerprint::Fingerprint;
use crate::apply::undo_log::{Record, Stage, Step, UndoLogLock};
use crate::workspace::rooted_fs::{Dir, Root};

/// The bytes of a new file, and its permissions.
pub struct NewFile {
    pub bytes: Vec<u8>,
    pub like: Permissions,
}

/// Whether a file could be rolled back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RollbackOutcome {
    /// Nothing of the change is left.
    Whole,
    /// Another program has changed the file since.
    Foreign,
}

/// The temporary name of a step's new file before it is in place, or of the file it replaced. A patch may not use such a name.
fn aside(record: &Record, number: usize) -> String {
    format!(".aside-{}-{number}", record.id.0)
}

fn place<'a>(root: &Root, step: &'a Step) -> anyhow::Result<(io::Result<Dir>, &'a str)> {
    if step.checked().is_none() {
        bail!("{} is no name for a file", step.name);
    }
    let mut parts: Vec<&str> = step.name.split('/').collect();
    let last = parts.pop().unwrap_or_default();
    Ok((root.dir(&parts), last))
}

fn open<'a>(root: &Root, step: &'a Step) -> anyhow::Result<(Dir, &'a str)> {
    let (dir, last) = place(root, step)?;
    Ok((dir.with_context(|| format!("could not reach {}", step.name))?, last))
}

/// Writes all new files under temporary names before it moves the first into place.
pub fn carry_out(root: &Root, record: &Record, new: &[Option<NewFile>]) -> anyhow::Result<()> {
    for dir in &record.dirs {
        let mut parts: Vec<&str> = dir.split('/').collect();
        let last = parts.pop().unwrap_or_default();
        let made = root.dir(&parts).and_then(|parent| parent.make_dir(last));
        made.with_context(|| format!("could not make {dir}"))?;
        failpoint("directory made")?;
    }
    for (number, (step, new)) in record.steps.iter().zip(new).enumerate() {
        let Some(new) = new else { continue };
        let (dir, _) = open(root, step)?;
        let written = failpoint("file begun").and_then(|()| dir.write(&aside(record, number), &new.bytes, new.like));
        written.with_context(|| format!("could not write {}", step.name))?;
        failpoint("file written")?;
    }
    for (number, step) in record.steps.iter().enumerate() {
        let (dir, last) = open(root, step)?;
        switch(&dir, last, &aside(record, number), step).with_context(|| format!("could not replace {}", step.name))?;
        failpoint("file in place")?;
    }
    sync(root, record)?;
    failpoint("all in place")?;
    Ok(())
}

/// Moves a file into place, then checks the file it replaced: if that is not the approved one, another program won the race.
fn switch(dir: &Dir, name: &str, aside: &str, step: &Step) -> anyhow::Result<()> {
    let Some(before) = &step.before else { return Ok(dir.rename_new(aside, name)?) };
    if step.after.is_none() {
        dir.rename_new(name, aside)?;
    } else if let Err(error) = dir.exchange(aside, name) {
        if error.kind() != io::ErrorKind::Unsupported {
            return Err(error.into());
        }
        // Without an atomic exchange, a race remains between this check and the rename.
        check(dir, name, before)?;
        return Ok(dir.rename_over(aside, name)?);
    }
    failpoint("file exchanged")?;
    check(dir, aside, before)
}

fn check(dir: &Dir, name: &str, expected: &Fingerprint) -> anyhow::Result<()> {
    if dir.look(name)?.fingerprint().as_ref() != Some(expected) {
        bail!("it was changed meanwhile");
    }
    Ok(())
}

/// Rolls a record back. Returns the names of files that another program has changed.
pub fn put_back(root: &Root, held: &UndoLogLock<'_>, record: &Record) -> anyhow::Result<Vec<String>> {
    let mut foreign = Vec::new();
    for (number, step) in record.steps.iter().enumerate().rev() {
        let back = put_one_back(root, held, record, number, step);
        if back.with_context(|| format!("could not undo {}", step.name))? == RollbackOutcome::Foreign {
            foreign.push(step.name.clone());
        }
        failpoint("file put back")?;
    }
    remove_dirs(root, &record.dirs)?;
    sync(root, record)?;
    failpoint("all put back")?;
    Ok(foreign)
}

fn put_one_back(
    root: &Root,
    held: &UndoLogLock<'_>,
    record: &Record,
    number: usize,
    step: &Step,
) -> anyhow::Result<RollbackOutcome> {
    let (dir, last) = place(root, step)?;
    let dir = match dir {
        // Without its directory there is no file, so nothing of the change is left.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(if step.before.is_none() { RollbackOutcome::Whole } else { RollbackOutcome::Foreign });
        }
        other => other?,
    };
    let aside = aside(record, number);
    let target = dir.look(last)?;
    let away = dir.look(&aside)?;
    let (fingerprint, away_print) = (target.fingerprint(), away.fingerprint());
    let is_there = !matches!(target, PathEntry::Nothing);
    let has_away = !matches!(away, PathEntry::Nothing);
    // Another program may have written to the replaced file while it was exchanged.
    let drop_away = || -> io::Result<()> {
        if let PathEntry::File(file) = &away
            && away_print != step.before
            && away_print != step.after
            && is_there
        {
            held.save(record.id, Stage::Open, number, &file.bytes)?;
        }
        if has_away { dir.remove(&aside) } else { Ok(()) }
    };
    match (&step.before, &step.after) {
        (None, after) => {
            // While the new file still has its temporary name, the target belongs to another program, unless both names are the same inode.
            let same =
                matches!((&target, &away), (PathEntry::File(one), PathEntry::File(other)) if one.inode == other.inode);
            drop_away()?;
            if fingerprint.is_some() && fingerprint == *after && (same || !has_away) {
                return take_away(&dir, last, &aside, after);
            }
            Ok(if is_there && !has_away { RollbackOutcome::Foreign } else { RollbackOutcome::Whole })
        }
        (Some(_), None) => {
            if is_there {
                let same = fingerprint == step.before && away_print == step.before;
                let back = if same || !has_away { RollbackOutcome::Whole } else { RollbackOutcome::Foreign };
                drop_away()?;
                return Ok(back);
            }
            if has_away {
                dir.rename_new(&aside, last)?;
                return Ok(RollbackOutcome::Whole);
            }
            Ok(RollbackOutcome::Foreign)
        }
        (Some(before), after) => {
            if fingerprint == *after && away_print != *after {
                if !has_away {
                    let like = Permissions::Old { mode: step.mode & 0o777, owner: Some(step.owner) };
                    dir.write(&aside, &held.old(record.id, Stage::Open, number, before)?, like)?;
                }
                let save = |bytes: &[u8]| held.save(record.id, Stage::Open, number, bytes);
                return restore(&dir, last, &aside, after, &save);
            }
            // The new file is still at its temporary name or incomplete, so it was never in place, whatever is there now.
            let never = fingerprint.as_ref() == Some(before) || away_print == *after;
            drop_away()?;
            Ok(if never { RollbackOutcome::Whole } else { RollbackOutcome::Foreign })
        }
    }
}

/// Moves the replaced file, or whatever else was there, back into place. Checks the file that it displaces once more.
fn restore(
    dir: &Dir,
    name: &str,
    aside: &str,
    ours: &Option<Fingerprint>,
    save: &dyn Fn(&[u8]) -> io::Result<()>,
) -> anyhow::Result<RollbackOutcome> {
    match dir.exchange(aside, name) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {
            dir.rename_over(aside, name)?;
            return Ok(RollbackOutcome::Whole);
        }
        other => other?,
    }
    failpoint("file exchanged back")?;
    let found = dir.look(aside)?;
    let is_ours = found.fingerprint() == *ours;
    if let (PathEntry::File(file), false) = (&found, is_ours) {
        save(&file.bytes)?;
    }
    dir.remove(aside)?;
    Ok(if is_ours { RollbackOutcome::Whole } else { RollbackOutcome::Foreign })
}

/// Removes a file of the change. Checks it once more after the rename, when no other program can reach it by its name.
fn take_away(dir: &Dir, name: &str, aside: &str, ours: &Option<Fingerprint>) -> anyhow::Result<RollbackOutcome> {
    dir.rename_new(name, aside)?;
    if dir.look(aside)?.fingerprint() != *ours {
        dir.rename_new(aside, name)?;
        return Ok(RollbackOutcome::Foreign);
    }
    failpoint("file taken away")?;
    dir.remove(aside)?;
    Ok(RollbackOutcome::Whole)
}

/// Removes the replaced files once all is written. Saves bytes that another program wrote to them meanwhile.
pub fn clear(root: &Root, held: &UndoLogLock<'_>, record: &Record) -> anyhow::Result<()> {
    for (number, step) in record.steps.iter().enumerate() {
        let Ok(dir) = place(root, step)?.0 else { continue };
        let aside = aside(record, number);
        match dir.look(&aside)? {
            PathEntry::Nothing | PathEntry::Other(_) => continue,
            found @ PathEntry::File(_) => {
                let late = found.fingerprint() != step.before;
                if let PathEntry::File(file) = found
                    && late
                {
                    held.save(record.id, Stage::Done, number, &file.bytes)?;
                }
            }
        }
        dir.remove(&aside)?;
        failpoint("cleared")?;
    }
    Ok(())
}

/// Removes the empty ones among these directories.
pub fn remove_dirs(root: &Root, dirs: &[String]) -> anyhow::Result<()> {
    for dir in dirs.iter().rev() {
        let mut parts: Vec<&str> = dir.split('/').collect();
        let last = parts.pop().unwrap_or_default();
        if let Ok(parent) = root.dir(&parts) {
            parent.remove_dir(last).with_context(|| format!("could not remove {dir}"))?;
        }
    }
    Ok(())
}

fn sync(root: &Root, record: &Record) -> anyhow::Result<()> {
    let dirs: BTreeSet<Vec<&str>> = record
        .steps
        .iter()
        .map(|step| step.name.as_str())
        .chain(record.dirs.iter().map(String::as_str))
        .map(|name| {
            let mut parts: Vec<&str> = name.split('/').collect();
            parts.pop();
            parts
        })
        .collect();
    for parts in dirs {
        match root.dir(&parts) {
            Ok(dir) => dir.sync().context("could not write a directory to the disk")?,
            // The directory belonged to the change and has been removed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).context("could not reach a directory"),
        }
    }
    Ok(())
}
