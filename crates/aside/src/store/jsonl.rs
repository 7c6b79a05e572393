//! An append-only file of JSON lines with rotation: mode 0600, bounded, and intact after a crash during a write. Does not interpret the
//! lines.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::paths;

/// Limits of what is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// A file of this size is rotated before the next write. One line may be longer.
    pub bytes: u64,
    /// The current file and the rotated ones.
    pub files: usize,
}

/// How often to reopen a file that was replaced before it could be locked.
const ATTEMPTS: usize = 16;

#[derive(Clone, Debug)]
pub struct JsonlFile {
    path: PathBuf,
    caps: Caps,
}

impl JsonlFile {
    /// Accesses no file yet.
    pub fn new(path: PathBuf, caps: Caps) -> Self {
        Self { path, caps }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The line is in the file when this returns, but not synced: a power loss may lose it. Opens the file each time, so that a deleted or
    /// moved file is simply started anew.
    pub fn append(&self, value: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(value)?;
        line.push(b'\n');
        let mut file = match self.held() {
            // Created on first use: a user who asks no model never sees it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let dir = self.path.parent().unwrap_or(Path::new("/"));
                paths::private_dir(dir).map_err(|error| io::Error::other(format!("{error:#}")))?;
                self.held()?
            }
            opened => opened?,
        };
        if file.metadata()?.len() >= self.caps.bytes && self.set_aside()? {
            file = self.held()?;
        }
        // A line truncated by a crash must not swallow this one too.
        if !ends_whole(&mut file)? {
            line.insert(0, b'\n');
        }
        file.write_all(&line)
    }

    /// Opens the file with a shared lock, so that it is not rewritten while a line is added.
    fn held(&self) -> io::Result<File> {
        for _ in 0..ATTEMPTS {
            let file = self.open()?;
            file.lock_shared()?;
            if is_at(&file, &self.path) {
                return Ok(file);
            }
        }
        Err(io::Error::other("the file is being replaced again and again"))
    }

    /// Replaces the lines that `change` returns another text for, each file by an atomic rename. Returns their number.
    pub fn rewrite(&self, change: impl Fn(&[u8]) -> Option<Vec<u8>>) -> io::Result<usize> {
        let mut changed = 0;
        // The oldest first: a file that is rotated meanwhile is read twice, not missed.
        for number in (0..self.caps.files).rev() {
            changed += rewrite_file(&self.aside(number), &change)?;
        }
        Ok(changed)
    }

    fn open(&self) -> io::Result<File> {
        // A link in its place would make Aside write to, and later show, an arbitrary file.
        let no_link = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
        let file =
            File::options().read(true).append(true).create(true).mode(0o600).custom_flags(no_link).open(&self.path)?;
        // An existing file may be readable by others.
        if file.metadata()?.mode() & 0o077 != 0 {
            file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        }
        Ok(file)
    }

    /// Rotates the files. Returns `false` if another process does so at this moment.
    fn set_aside(&self) -> io::Result<bool> {
        let dir = File::open(self.path.parent().unwrap_or(Path::new("/")))?;
        if dir.try_lock().is_err() {
            return Ok(false);
        }
        if std::fs::metadata(&self.path)?.len() < self.caps.bytes {
            return Ok(true);
        }
        for number in (1..self.caps.files).rev() {
            match std::fs::rename(self.aside(number - 1), self.aside(number)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(true)
    }

    /// 0 is the current file; greater numbers are older.
    fn aside(&self, number: usize) -> PathBuf {
        if number == 0 {
            return self.path.clone();
        }
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{number}"));
        name.into()
    }

    /// All possible paths, for a caller that removes the files.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        (0..self.caps.files).map(|number| self.aside(number))
    }

    /// Oldest first. Skips truncated and unknown lines.
    pub fn read<T: DeserializeOwned>(&self) -> io::Result<Vec<T>> {
        let mut found = Vec::new();
        for number in (0..self.caps.files).rev() {
            match std::fs::read(self.aside(number)) {
                Ok(bytes) => found.extend(bytes.split(|byte| *byte == b'\n').filter_map(parse)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    /// Follows lines that are written from now on.
    pub fn follow(&self) -> io::Result<JsonlTail> {
        let mut follow = JsonlTail { path: self.path.clone(), file: None, rest: Vec::new() };
        if let Some(mut file) = follow.reopened()? {
            file.seek(SeekFrom::End(0))?;
            follow.file = Some(file);
        }
        Ok(follow)
    }
}

fn rewrite_file(path: &Path, change: &impl Fn(&[u8]) -> Option<Vec<u8>>) -> io::Result<usize> {
    for _ in 0..ATTEMPTS {
        let no_link = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
        let mut file = match File::options().read(true).custom_flags(no_link).open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            opened => opened?,
        };
        // Waits for a line that is being added, and makes the next one wait.
        file.lock()?;
        if !is_at(&file, path) {
            continue;
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let (mut text, mut changed) = (Vec::with_capacity(bytes.len()), 0);
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (body, end) = line.strip_suffix(b"\n").map_or((line, &b""[..]), |body| (body, &b"\n"[..]));
            match change(body) {
                Some(new) => {
                    text.extend(new);
                    changed += 1;
                }
                None => text.extend(body),
            }
            text.extend(end);
        }
        if changed > 0 {
            let dir = path.parent().unwrap_or(Path::new("/"));
            // Temporary files are created with mode 0600.
            let mut new = tempfile::Builder::new().prefix(".aside-").tempfile_in(dir)?;
            new.write_all(&text)?;
            new.as_file().sync_all()?;
            new.persist(path)?;
        }
        return Ok(changed);
    }
    Err(io::Error::other("the file is being replaced again and again"))
}

/// Whether the path still leads to this file.
fn is_at(file: &File, path: &Path) -> bool {
    let identity = |meta: std::fs::Metadata| (meta.dev(), meta.ino());
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(file), Ok(path)) => identity(file) == identity(path),
        _ => false,
    }
}

fn parse<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
    serde_json::from_slice(line).ok()
}

fn ends_whole(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == [b'\n'])
}

/// Follows a file, also when it is rotated or deleted and a new one begins.
pub struct JsonlTail {
    path: PathBuf,
    file: Option<File>,
    /// The beginning of a line whose end is not written yet.
    rest: Vec<u8>,
}

impl JsonlTail {
    /// Returns what was written since the last call.
    pub fn more<T: DeserializeOwned>(&mut self) -> io::Result<Vec<T>> {
        let mut found = Vec::new();
        loop {
            // Reopened before reading to the end, so that what is written to the old file before its rotation is read too.
            let next = self.reopened()?;
            if let Some(file) = &mut self.file {
                file.read_to_end(&mut self.rest)?;
            }
            while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                found.extend(parse(&line));
            }
            let Some(next) = next else { return Ok(found) };
            self.file = Some(next);
            self.rest.clear();
        }
    }

    /// The file at the path, if it is not the one that is open.
    fn reopened(&self) -> io::Result<Option<File>> {
        let file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let identity = |file: &File| file.metadata().map(|meta| (meta.dev(), meta.ino()));
        let new = identity(&file)?;
        Ok(match &self.file {
            Some(old) if identity(old)? == new => None,
            _ => Some(file),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn lines(dir: &Path) -> JsonlFile {
        JsonlFile::new(dir.join("state/x.jsonl"), Caps { bytes: 100, files: 3 })
    }

    #[test]
    fn what_was_written_is_read_in_its_order_and_private() {
        let temp = tempfile::tempdir().unwrap();
        let lines = lines(temp.path());
        assert_eq!(lines.read::<u32>().unwrap(), [0; 0]);
        for number in 0..30 {
            lines.append(&number).unwrap();
        }
        assert_eq!(lines.read::<u32>().unwrap(), (0..30).collect::<Vec<_>>());
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(lines.path()), mode(lines.path().parent().unwrap())), (0o600, 0o700));
    }

    #[test]
    fn a_file_that_others_could_read_is_closed() {
        let temp = tempfile::tempdir().unwrap();
        let lines = lines(temp.path());
        lines.append(&1).unwrap();
        std::fs::set_permissions(lines.path(), std::fs::Permissions::from_mode(0o644)).unwrap();
        lines.append(&2).unwrap();
        assert_eq!(std::fs::metadata(lines.path()).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn never_outgrows_its_caps_and_loses_the_oldest_first() {
        let temp = tempfile::tempdir().unwrap();
        let lines = lines(temp.path());
        for number in 1000..1200 {
            lines.append(&number).unwrap();
        }
        let kept = lines.read::<u32>().unwrap();
        assert_eq!(kept, (1200 - kept.len() as u32..1200).collect::<Vec<_>>());
        assert!(kept.len() >= 40, "{kept:?}");
        let dir = std::fs::read_dir(lines.path().parent().unwrap()).unwrap();
        let sizes: Vec<u64> = dir.map(|entry| entry.unwrap().metadata().unwrap().len()).collect();
        assert!(sizes.len() == 3 && sizes.iter().all(|size| *size <= 105), "{sizes:?}");
    }

    #[test]
    fn a_line_that_was_torn_off_is_skipped_and_harms_no_other() {
        let temp = tempfile::tempdir().unwrap();
        let lines = lines(temp.path());
        lines.append(&"one").unwrap();
        let mut file = File::options().append(true).open(lines.path()).unwrap();
        file.write_all(b"\"to").unwrap();
        assert_eq!(lines.read::<String>().unwrap(), ["one"]);
        lines.append(&"three").unwrap();
        assert_eq!(lines.read::<String>().unwrap(), ["one", "three"]);
    }

    #[test]
    fn a_file_that_was_deleted_is_begun_anew() {
        let temp = tempfile::tempdir().unwrap();
        let lines = lines(temp.path());
        lines.append(&1).unwrap();
        std::fs::remove_dir_all(lines.path().parent().unwrap()).unwrap();
        lines.append(&2).unwrap();
        assert_eq!(lines.read::<u32>().unwrap(), [2]);
    }

    #[test]
    fn what_cannot_be_written_is_an_error() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::write(temp.path().join("state"), "in the way").unwrap();
        assert!(lines(temp.path()).append(&1).is_err());
        let linked = JsonlFile::new(temp.path().join("link"), Caps { bytes: 100, files: 2 });
        std::os::unix::fs::symlink(temp.path().join("state"), linked.path()).unwrap();
        assert!(linked.append(&1).is_err());
        assert_eq!(std::fs::read_to_string(temp.path().join("state")).unwrap(), "in the way");
    }

    #[test]
    fn lines_are_rewritten_in_every_file_and_none_that_is_added_meanwhile_is_lost() {
        let temp = tempfile::tempdir().unwrap();
        let lines = JsonlFile::new(temp.path().join("state/x.jsonl"), Caps { bytes: 40_000, files: 3 });
        let double = |line: &[u8]| {
            let number: u32 = serde_json::from_slice(line).ok()?;
            (number < 10_000).then(|| (number + 10_000).to_string().into_bytes())
        };
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| (0..2000).for_each(|number| lines.append(&number).unwrap()));
            while !writer.is_finished() {
                lines.rewrite(double).unwrap();
            }
        });
        lines.rewrite(double).unwrap();
        assert_eq!(lines.rewrite(double).unwrap(), 0, "once is enough");
        assert_eq!(lines.read::<u32>().unwrap(), (10_000..12_000).collect::<Vec<_>>());
        for file in lines.files().filter(|file| file.exists()) {
            assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn following_sees_each_line_once_across_files() {
        let temp = tempfile::tempdir().unwrap();
        let lines = lines(temp.path());
        lines.append(&0).unwrap();
        let mut follow = lines.follow().unwrap();
        let mut seen = Vec::new();
        for number in 1..100 {
            lines.append(&number).unwrap();
            if number % 7 == 0 {
                seen.extend(follow.more::<u32>().unwrap());
            }
        }
        seen.extend(follow.more::<u32>().unwrap());
        assert_eq!(seen, (1..100).collect::<Vec<_>>());
        assert_eq!(follow.more::<u32>().unwrap(), [0; 0]);
    }

    #[test]
    fn following_waits_for_the_end_of_a_line_and_for_the_first_file() {
        let temp = tempfile::tempdir().unwrap();
        let lines = lines(temp.path());
        let mut follow = lines.follow().unwrap();
        assert_eq!(follow.more::<u32>().unwrap(), [0; 0]);
        lines.append(&1).unwrap();
        let mut file = File::options().append(true).open(lines.path()).unwrap();
        file.write_all(b"2").unwrap();
        assert_eq!(follow.more::<u32>().unwrap(), [1]);
        file.write_all(b"3\n").unwrap();
        assert_eq!(follow.more::<u32>().unwrap(), [23]);
    }
}
