//! The logs of tasks on disk: one file each, of whole lines, only ever appended to. What a line says is core's; here it is seen to that a
//! line is whole, that it is on the disk when somebody waits for that, and that whoever reads gets every one of them.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context;
use aside_core::task::clean;
use aside_core::task::event::Id;
use aside_core::task::log::{self, Replayed};

use crate::paths;

/// Of what is read at once for somebody who watches. A longer line is read whole.
const BLOCK: usize = 64 * 1024;
/// From the end of a log, to see how it ends. The last event of a task is short.
const TAIL: u64 = 4096;

/// The directory of them.
#[derive(Clone, Debug)]
pub struct Events {
    dir: PathBuf,
}

/// The log of a task that is under way. One at a time.
#[derive(Debug)]
pub struct Log {
    file: File,
    /// Bytes of whole lines.
    end: u64,
}

/// Gives the lines of a log in their order, as far as they are written.
#[derive(Debug)]
pub struct Reader {
    file: File,
    /// Of the next line.
    at: u64,
}

/// What is in the directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    pub id: Id,
    pub changed: SystemTime,
}

impl Events {
    /// Touches nothing yet.
    pub fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    pub fn path(&self, id: &Id) -> PathBuf {
        self.dir.join(format!("{id}.jsonl"))
    }

    /// For a new task. Fails if there is one of that name.
    pub fn create(&self, id: &Id) -> anyhow::Result<Log> {
        paths::private_dir(&self.dir)?;
        let path = self.path(id);
        let file = options().create_new(true).open(&path);
        let file = file.with_context(|| format!("could not write {}", path.display()))?;
        // A file that a crash takes away would take along what was said of it.
        File::open(&self.dir).and_then(|dir| dir.sync_all()).context("could not write to the disk")?;
        Ok(Log { file, end: 0 })
    }

    /// A task as its log has it, and the log ready for more. What a crash left unfinished is cut off or finished. Nothing if there is
    /// no such task.
    pub fn open(&self, id: &Id) -> anyhow::Result<Option<(Log, Replayed)>> {
        let path = self.path(id);
        let read = || format!("could not read {}", path.display());
        let mut file = match options().open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other.with_context(read)?,
        };
        let mut bytes = Vec::new();
        (&mut file).take(log::MAX_BYTES as u64 + 1).read_to_end(&mut bytes).with_context(read)?;
        let replayed = log::replay(&bytes).with_context(|| format!("{} is damaged", path.display()))?;
        let Some(replayed) = replayed else { return Ok(None) };
        // A copy would be a second one of the same task, and act twice.
        anyhow::ensure!(replayed.task.id() == id, "{} is the log of another task", path.display());
        let end = replayed.good as u64;
        file.set_len(end).with_context(|| format!("could not mend {}", path.display()))?;
        let mut log = Log { file, end };
        let missing: String = replayed.missing.iter().map(log::line).collect();
        log.append(missing.as_bytes()).with_context(|| format!("could not mend {}", path.display()))?;
        Ok(Some((log, replayed)))
    }

    /// Of every task, in no order. What is not ours is left alone.
    pub fn kept(&self) -> io::Result<Vec<Kept>> {
        let entries = match fs::read_dir(&self.dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        let kept = entries.filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            let id = Id::of(name.strip_suffix(".jsonl")?)?;
            Some(Kept { id, changed: entry.metadata().ok()?.modified().ok()? })
        });
        Ok(kept.collect())
    }

    /// Whether a task has ended, by the last line of its log.
    pub fn has_ended(&self, id: &Id) -> io::Result<bool> {
        let mut file = File::open(self.path(id))?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        let mut tail = Vec::new();
        file.take(TAIL).read_to_end(&mut tail)?;
        let Some(tail) = tail.strip_suffix(b"\n") else { return Ok(false) };
        let last = tail.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        Ok(last.starts_with(br#"{"type":"task_end""#))
    }

    pub fn read(&self, id: &Id) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(self.path(id))?.take(log::MAX_BYTES as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    pub fn remove(&self, id: &Id) -> io::Result<()> {
        fs::remove_file(self.path(id))
    }

    /// One that cannot be read is kept for the person to look at, under another name.
    pub fn set_aside(&self, id: &Id) -> io::Result<PathBuf> {
        let aside = self.dir.join(format!("{id}.damaged"));
        fs::rename(self.path(id), &aside)?;
        Ok(aside)
    }

    fn changed(&self, id: &Id) -> io::Result<SystemTime> {
        fs::metadata(self.path(id))?.modified()
    }

    /// Those that were set aside.
    pub fn damaged(&self) -> Vec<PathBuf> {
        let paths = fs::read_dir(&self.dir).into_iter().flatten().flatten().map(|entry| entry.path());
        paths.filter(|path| path.extension().is_some_and(|end| end == "damaged")).collect()
    }

    /// Bytes of a log that are there.
    pub fn length(&self, id: &Id) -> io::Result<u64> {
        Ok(fs::metadata(self.path(id))?.len())
    }

    /// The lines behind this number.
    pub fn reader(&self, id: &Id, from: u64) -> io::Result<Reader> {
        let mut reader = Reader { file: File::open(self.path(id))?, at: 0 };
        let mut left = from;
        let end = reader.file.metadata()?.len();
        while left > 0 {
            let block = reader.next(end)?;
            if block.is_empty() {
                break;
            }
            let lines = block.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::len);
            let skipped: Vec<usize> = lines.take(usize::try_from(left).unwrap_or(usize::MAX)).collect();
            let bytes: usize = skipped.iter().sum();
            reader.at -= (block.len() - bytes) as u64;
            left -= skipped.len() as u64;
        }
        Ok(reader)
    }
}

/// What became of the logs that held secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cleaned {
    pub redacted: Vec<Id>,
    /// They could not be read any more once redacted.
    pub removed: Vec<Id>,
    /// Of tasks that have not ended: another process may be writing to them.
    pub left: usize,
}

impl Cleaned {
    /// For the user; nothing when there was nothing to do.
    pub fn told(&self) -> Vec<String> {
        let many = |count: usize| if count == 1 { "1 task log".to_owned() } else { format!("{count} task logs") };
        let mut told = Vec::new();
        if !self.redacted.is_empty() {
            told.push(format!("{}: secrets taken out", many(self.redacted.len())));
        }
        if !self.removed.is_empty() {
            told.push(format!("{}: removed, since nothing could be taken out", many(self.removed.len())));
        }
        if self.left > 0 {
            told.push(format!("{}: left, since the task has not ended; run it again then", many(self.left)));
        }
        told
    }
}

/// Takes secrets out of the logs of tasks that have ended, each by one rename, but for those that are at hand.
pub fn clean(events: &Events, at_hand: &[Id]) -> io::Result<Cleaned> {
    let mut cleaned = Cleaned::default();
    for Kept { id, changed: _ } in events.kept()? {
        let Some(without) = events.read(&id).ok().and_then(|bytes| clean::log(&bytes)) else { continue };
        if at_hand.contains(&id) || !events.has_ended(&id).unwrap_or(false) {
            cleaned.left += 1;
        } else if matches!(log::replay(&without.bytes), Ok(Some(_))) {
            // 0600, as such files are made.
            let mut new = tempfile::Builder::new().prefix(".aside-").tempfile_in(&events.dir)?;
            new.write_all(&without.bytes)?;
            new.as_file().sync_all()?;
            // Its age says when it is deleted.
            let _ = events.changed(&id).and_then(|changed| new.as_file().set_modified(changed));
            new.persist(events.path(&id))?;
            cleaned.redacted.push(id);
        } else {
            events.remove(&id)?;
            cleaned.removed.push(id);
        }
    }
    Ok(cleaned)
}

impl Log {
    /// Whole lines, all of them or none. They are seen by whoever reads from now on.
    pub fn append(&mut self, lines: &[u8]) -> io::Result<u64> {
        if let Err(error) = self.file.write_all(lines) {
            // Half a line would make the rest unreadable. A disk that is full still lets a file shrink.
            let _ = self.file.set_len(self.end);
            return Err(error);
        }
        self.end += lines.len() as u64;
        Ok(self.end)
    }

    /// Waits for the disk.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    pub fn end(&self) -> u64 {
        self.end
    }
}

impl Reader {
    /// The next whole lines, none of them behind `end`; empty when there are none yet. Never more than one line or a block.
    pub fn next(&mut self, end: u64) -> io::Result<Vec<u8>> {
        let room = end.saturating_sub(self.at);
        if room == 0 {
            return Ok(Vec::new());
        }
        let mut size = BLOCK;
        loop {
            let wanted = room.min(size as u64);
            self.file.seek(SeekFrom::Start(self.at))?;
            let mut block = Vec::new();
            (&self.file).take(wanted).read_to_end(&mut block)?;
            if let Some(last) = block.iter().rposition(|byte| *byte == b'\n') {
                block.truncate(last + 1);
                self.at += block.len() as u64;
                return Ok(block);
            }
            if (block.len() as u64) < wanted || wanted == room || size >= log::MAX_LINE {
                return Ok(Vec::new());
            }
            size *= 4;
        }
    }
}

fn options() -> fs::OpenOptions {
    let mut options = File::options();
    // A link in its place would have us write into a file of somebody's choice.
    options.read(true).append(true).mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32);
    options
}

/// Deletes what is older than this, and what is more than so many; only what has ended, and not what somebody has at hand.
pub fn tidy(events: &Events, keep: usize, since: SystemTime, at_hand: &[Id]) -> io::Result<Vec<Id>> {
    let mut kept = events.kept()?;
    kept.sort_by_key(|kept| std::cmp::Reverse(kept.changed));
    let mut removed = Vec::new();
    for (place, Kept { id, changed }) in kept.into_iter().enumerate() {
        let goes = (place >= keep || changed < since) && !at_hand.contains(&id);
        if goes && events.has_ended(&id).unwrap_or(false) {
            events.remove(&id)?;
            removed.push(id);
        }
    }
    Ok(removed)
}

/// Where they are kept.
pub fn dir(state_dir: &Path) -> PathBuf {
    state_dir.join("tasks")
}

#[cfg(test)]
mod tests {
    use super::*;
    use aside_core::task::effect::Effect;
    use aside_core::task::input::Input;
    use aside_core::task::machine::{Task, step};
    use aside_core::task::proposal::UserRequest;

    fn id(name: &str) -> Id {
        Id::of(name).unwrap()
    }

    fn told(effects: Vec<Effect>) -> String {
        let events = effects.iter().filter_map(|effect| match effect {
            Effect::Emit(event) => Some(log::line(event)),
            _ => None,
        });
        events.collect()
    }

    /// A task that has failed at once: four lines.
    fn failed(events: &Events, name: &str) -> Log {
        let request = UserRequest { text: "x".repeat(100_000 / 2), ..UserRequest::default() };
        let (task, effects) = Task::received(id(name), request, 1).unwrap();
        let mut log = events.create(&id(name)).unwrap();
        log.append(told(effects).as_bytes()).unwrap();
        let (_, effects) = step(task, 2, Input::Failed { reason: "no".to_owned() });
        log.append(told(effects.unwrap()).as_bytes()).unwrap();
        log.sync().unwrap();
        log
    }

    #[test]
    fn what_was_written_is_read_line_by_line_from_any_number() {
        let temp = tempfile::tempdir().unwrap();
        let events = Events::new(temp.path().join("tasks"));
        let log = failed(&events, "t1");
        let bytes = events.read(&id("t1")).unwrap();
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        assert_eq!(lines.len(), 3);
        for from in 0..5 {
            let mut reader = events.reader(&id("t1"), from as u64).unwrap();
            let mut read = Vec::new();
            loop {
                let block = reader.next(log.end()).unwrap();
                if block.is_empty() {
                    break;
                }
                read.extend(block);
            }
            assert_eq!(read, lines.iter().skip(from).copied().collect::<Vec<_>>().concat(), "{from}");
        }
        // Half a line is none yet.
        let mut reader = events.reader(&id("t1"), 0).unwrap();
        assert_eq!(reader.next(lines[0].len() as u64 - 1).unwrap(), b"");
        assert_eq!(reader.next(lines[0].len() as u64 + 5).unwrap(), lines[0]);
    }

    #[test]
    fn a_torn_line_is_cut_off_and_a_torn_step_is_finished() {
        let temp = tempfile::tempdir().unwrap();
        let events = Events::new(temp.path().join("tasks"));
        failed(&events, "t1");
        let path = events.path(&id("t1"));
        let whole = fs::read(&path).unwrap();
        assert!(events.has_ended(&id("t1")).unwrap());
        for cut in [1, 10, 200] {
            fs::write(&path, &whole[..whole.len() - cut]).unwrap();
            assert!(!events.has_ended(&id("t1")).unwrap());
            let (log, _) = events.open(&id("t1")).unwrap().unwrap();
            let mended = fs::read(&path).unwrap();
            assert_eq!(log.end(), mended.len() as u64);
            assert!(mended == whole || whole.starts_with(&mended), "{cut}");
        }
        for bytes in [&b""[..], &whole[..whole.len() / 2]] {
            fs::write(&path, bytes).unwrap();
            assert!(events.open(&id("t1")).unwrap().is_none(), "nobody was told that it was asked for");
        }
        fs::write(&path, b"").unwrap();
        assert!(events.open(&id("t1")).unwrap().is_none());
        fs::write(&path, b"{}\n").unwrap();
        assert!(events.open(&id("t1")).is_err());
        assert!(events.open(&id("t2")).unwrap().is_none());
    }

    #[test]
    fn only_what_has_ended_is_tidied_away() {
        let temp = tempfile::tempdir().unwrap();
        let events = Events::new(temp.path().join("tasks"));
        failed(&events, "t1");
        failed(&events, "t2");
        let (_, effects) = Task::received(id("t3"), UserRequest::default(), 1).unwrap();
        events.create(&id("t3")).unwrap().append(told(effects).as_bytes()).unwrap();
        fs::write(temp.path().join("tasks/notes.txt"), "mine").unwrap();
        assert_eq!(tidy(&events, 10, SystemTime::UNIX_EPOCH, &[]).unwrap(), []);
        assert_eq!(tidy(&events, 0, SystemTime::UNIX_EPOCH, &[id("t1"), id("t2")]).unwrap(), []);
        let mut removed = tidy(&events, 0, SystemTime::UNIX_EPOCH, &[]).unwrap();
        removed.sort();
        assert_eq!(removed, [id("t1"), id("t2")]);
        assert_eq!(events.kept().unwrap().len(), 1);
        assert!(temp.path().join("tasks/notes.txt").exists());
    }

    #[test]
    fn secrets_are_taken_out_of_the_logs_of_tasks_that_have_ended() {
        use std::os::unix::fs::PermissionsExt;

        let temp = tempfile::tempdir().unwrap();
        let events = Events::new(temp.path().join("tasks"));
        let request = UserRequest { text: "log in with mysql -phunter2 shop".to_owned(), ..UserRequest::default() };
        for (name, ends) in [("t1", true), ("t2", true), ("t3", false)] {
            let (task, effects) = Task::received(id(name), request.clone(), 1).unwrap();
            let mut log = events.create(&id(name)).unwrap();
            log.append(told(effects).as_bytes()).unwrap();
            if ends {
                let (_, effects) = step(task, 2, Input::Failed { reason: "-phunter2 mysql -phunter2".to_owned() });
                log.append(told(effects.unwrap()).as_bytes()).unwrap();
            }
        }
        let cleaned = clean(&events, &[id("t2")]).unwrap();
        assert_eq!(cleaned, Cleaned { redacted: vec![id("t1")], removed: vec![], left: 2 });
        let log = fs::read_to_string(events.path(&id("t1"))).unwrap();
        assert!(log.contains("mysql -p[redacted] shop") && !log.contains("mysql -phunter2"), "{log}");
        assert!(events.has_ended(&id("t1")).unwrap() && events.open(&id("t1")).unwrap().is_some());
        let mode = fs::metadata(events.path(&id("t1"))).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(clean(&events, &[id("t2")]).unwrap(), Cleaned { left: 2, ..Cleaned::default() });
    }

    #[test]
    fn a_link_is_not_written_through() {
        let temp = tempfile::tempdir().unwrap();
        let events = Events::new(temp.path().join("tasks"));
        failed(&events, "t1");
        fs::rename(events.path(&id("t1")), temp.path().join("elsewhere")).unwrap();
        std::os::unix::fs::symlink(temp.path().join("elsewhere"), events.path(&id("t1"))).unwrap();
        assert!(events.open(&id("t1")).is_err());
        assert!(events.create(&id("t1")).is_err());
    }
}
