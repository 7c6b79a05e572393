//! An incomplete download, and the identity of the file that it is a part of. Kept when a download ends early, and locked by one download
//! at a time.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use rustix::fs::FlockOperation;
use serde::{Deserialize, Serialize};

/// Identifies the file that a part belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    pub url: String,
    pub etag: Option<String>,
    pub modified: Option<String>,
    /// The checksum that the server reports.
    pub sum: Option<String>,
}

impl Stamp {
    /// Whether a changed file would be noticed.
    pub fn says_which(&self) -> bool {
        self.etag.is_some() || self.modified.is_some() || self.sum.is_some()
    }

    /// The validator for a conditional request.
    pub fn validator(&self) -> Option<&str> {
        self.etag.as_deref().or(self.modified.as_deref())
    }

    /// Everything that both know has to agree.
    pub fn is_same_file(&self, other: &Self) -> bool {
        let agree = |a: &Option<String>, b: &Option<String>| a.is_none() || b.is_none() || a == b;
        // The checksum decides: another copy of the same file may have another ETag or date.
        if let (Some(a), Some(b)) = (&self.sum, &other.sum) {
            return a == b;
        }
        agree(&self.etag, &other.etag) && agree(&self.modified, &other.modified)
    }
}

pub struct PartialFile {
    path: PathBuf,
    stamp: PathBuf,
    file: File,
    length: u64,
}

impl PartialFile {
    pub fn open(target: &Path) -> anyhow::Result<Self> {
        let (path, stamp) = (beside(target, ".part"), beside(target, ".part.json"));
        let doing = || format!("could not write {}", path.display());
        let file = File::options().create(true).append(true).mode(0o600).open(&path).with_context(doing)?;
        if rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            bail!("it is being fetched already, by another `aside model pull`");
        }
        let length = file.metadata().with_context(doing)?.len();
        Ok(Self { path, stamp, file, length })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn len(&self) -> u64 {
        self.length
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub fn stamp(&self) -> Option<Stamp> {
        serde_json::from_slice(&std::fs::read(&self.stamp).ok()?).ok()
    }

    /// Records the file's identity before any data is written.
    pub fn begin(&self, stamp: &Stamp) -> anyhow::Result<()> {
        let text = serde_json::to_vec(stamp)?;
        std::fs::write(&self.stamp, text).with_context(|| format!("could not write {}", self.stamp.display()))
    }

    pub fn clear(&mut self) -> anyhow::Result<()> {
        let doing = || format!("could not write {}", self.path.display());
        self.file.set_len(0).with_context(doing)?;
        self.file.seek(SeekFrom::Start(0)).with_context(doing)?;
        self.length = 0;
        let _ = std::fs::remove_file(&self.stamp);
        Ok(())
    }

    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Moves a complete file into place.
    pub fn keep(self, target: &Path) -> anyhow::Result<()> {
        let doing = || format!("could not write {}", target.display());
        self.file.sync_all().with_context(doing)?;
        std::fs::rename(&self.path, target).with_context(doing)?;
        let _ = std::fs::remove_file(&self.stamp);
        Ok(())
    }

    /// Sets a file with a wrong checksum aside, so that it is neither resumed nor deleted.
    pub fn put_aside(self) -> anyhow::Result<PathBuf> {
        let aside = self.path.with_extension("wrong");
        std::fs::rename(&self.path, &aside).with_context(|| format!("could not write {}", aside.display()))?;
        let _ = std::fs::remove_file(&self.stamp);
        Ok(aside)
    }
}

fn beside(target: &Path, ending: &str) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(etag: &str, sum: &str) -> Stamp {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Stamp { url: "u".to_owned(), etag: some(etag), modified: None, sum: some(sum) }
    }

    #[test]
    fn a_part_is_of_one_file_only() {
        assert!(stamp("a", "").is_same_file(&stamp("a", "")));
        assert!(!stamp("a", "").is_same_file(&stamp("b", "")));
        assert!(stamp("a", "1").is_same_file(&stamp("b", "1")), "another copy of the same");
        assert!(!stamp("a", "1").is_same_file(&stamp("a", "2")));
        assert!(stamp("", "").is_same_file(&stamp("b", "")));
        assert!(!stamp("", "").says_which());
    }

    #[test]
    fn two_cannot_fetch_the_same() {
        let temp = tempfile::tempdir().unwrap();
        let target = temp.path().join("m.gguf");
        let first = PartialFile::open(&target).unwrap();
        assert!(PartialFile::open(&target).is_err());
        drop(first);
        let mut part = PartialFile::open(&target).unwrap();
        part.write(b"GGUF").unwrap();
        part.begin(&stamp("a", "")).unwrap();
        drop(part);
        let part = PartialFile::open(&target).unwrap();
        assert_eq!((part.len(), part.stamp()), (4, Some(stamp("a", ""))));
        part.keep(&target).unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"GGUF");
        assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 1);
    }
}
