//! The logs of tasks on disk: one append-only file of whole lines each. Core defines the lines; this file ensures that a line is complete,
//! that it is synced when required, and that a reader gets every line.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context;
use aside_task::event::TaskId;
use aside_task::log::{self, Replayed};
use aside_task::redact_log;

use crate::paths;

/// Bytes that are read at once for a watcher. A longer line is read completely.
const BLOCK: usize = 64 * 1024;
/// Bytes from the end of a log that show how it ends. The last event of a task is short.
const TAIL: u64 = 4096;

/// The directory of the logs.
#[derive(Clone, Debug)]
pub struct TaskLogs {
    dir: PathBuf,
}

/// The log of a task in progress. Only one may be open per task.
#[derive(Debug)]
pub struct TaskLog {
    file: File,
    /// Bytes of whole lines.
    end: u64,
}

/// Reads the lines of a log in order, as far as they are written.
#[derive(Debug)]
pub struct Reader {
    file: File,
    /// Offset of the next line.
    at: u64,
}

/// An entry of the directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredLog {
    pub id: TaskId,
    pub changed: SystemTime,
}

impl TaskLogs {
    /// Accesses no file yet.
    pub fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    pub fn path(&self, id: &TaskId) -> PathBuf {
        self.dir.join(format!("{id}.jsonl"))
    }

    /// Creates the log of a new task. Fails if the name exists.
    pub fn create(&self, id: &TaskId) -> anyhow::Result<TaskLog> {
        paths::private_dir(&self.dir)?;
        let path = self.path(id);
        let file = options().create_new(true).open(&path);
        let file = file.with_context(|| format!("could not write {}", path.display()))?;
        // Syncs the directory, so that a crash does not lose a log that clients were told of.
        File::open(&self.dir).and_then(|dir| dir.sync_all()).context("could not write to the disk")?;
        Ok(TaskLog { file, end: 0 })
    }

    /// Replays a task from its log and opens the log for appending. Truncates or completes what a crash left unfinished. Returns `None` if
    /// there is no such task.
    pub fn open(&self, id: &TaskId) -> anyhow::Result<Option<(TaskLog, Replayed)>> {
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
        // A copied log would be a second instance of the same task, and act twice.
        anyhow::ensure!(replayed.task.id() == id, "{} is the log of another task", path.display());
        let end = replayed.good as u64;
        file.set_len(end).with_context(|| format!("could not mend {}", path.display()))?;
        let mut log = TaskLog { file, end };
        let missing: String = replayed.missing.iter().map(log::line).collect();
        log.append(missing.as_bytes()).with_context(|| format!("could not mend {}", path.display()))?;
        Ok(Some((log, replayed)))
    }

    /// All logs, in no order. Ignores other files.
    pub fn kept(&self) -> io::Result<Vec<StoredLog>> {
        let entries = match fs::read_dir(&self.dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        let kept = entries.filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            let id = TaskId::of(name.strip_suffix(".jsonl")?)?;
            Some(StoredLog { id, changed: entry.metadata().ok()?.modified().ok()? })
        });
        Ok(kept.collect())
    }

    /// Whether a task has ended, by the last line of its log.
    pub fn has_ended(&self, id: &TaskId) -> io::Result<bool> {
        let mut file = File::open(self.path(id))?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        let mut tail = Vec::new();
        file.take(TAIL).read_to_end(&mut tail)?;
        let Some(tail) = tail.strip_suffix(b"\n") else { return Ok(false) };
        let last = tail.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        Ok(last.starts_with(br#"{"type":"task_end""#))
    }

    pub fn read(&self, id: &TaskId) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(self.path(id))?.take(log::MAX_BYTES as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    pub fn remove(&self, id: &TaskId) -> io::Result<()> {
        fs::remove_file(self.path(id))
    }

    /// Renames an unreadable log, for the user to look at.
    pub fn set_aside(&self, id: &TaskId) -> io::Result<PathBuf> {
        let aside = self.dir.join(format!("{id}.damaged"));
        fs::rename(self.path(id), &aside)?;
        Ok(aside)
    }

    fn changed(&self, id: &TaskId) -> io::Result<SystemTime> {
        fs::metadata(self.path(id))?.modified()
    }

    /// Logs that were set aside.
    pub fn damaged(&self) -> Vec<PathBuf> {
        let paths = fs::read_dir(&self.dir).into_iter().flatten().flatten().map(|entry| entry.path());
        paths.filter(|path| path.extension().is_some_and(|end| end == "damaged")).collect()
    }

    /// The length of a log in bytes.
    pub fn length(&self, id: &TaskId) -> io::Result<u64> {
        Ok(fs::metadata(self.path(id))?.len())
    }

    /// Reads the lines after this number.
    pub fn reader(&self, id: &TaskId, from: u64) -> io::Result<Reader> {
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

/// What happened to the logs that held secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cleaned {
    pub redacted: Vec<TaskId>,
    /// Removed, since they were unreadable once redacted.
    pub removed: Vec<TaskId>,
    /// Skipped, since their tasks have not ended: another process may be writing to them.
    pub left: usize,
}

impl Cleaned {
    /// For the user; empty if there was nothing to do.
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

/// Redacts the logs of ended tasks, each by an atomic rename, except for tasks in memory.
pub fn clean(events: &TaskLogs, at_hand: &[TaskId]) -> io::Result<Cleaned> {
    let mut cleaned = Cleaned::default();
    for StoredLog { id, changed: _ } in events.kept()? {
        let Some(without) = events.read(&id).ok().and_then(|bytes| redact_log::log(&bytes)) else { continue };
        if at_hand.contains(&id) || !events.has_ended(&id).unwrap_or(false) {
            cleaned.left += 1;
        } else if matches!(log::replay(&without.bytes), Ok(Some(_))) {
            // Temporary files are created with mode 0600.
            let mut new = tempfile::Builder::new().prefix(".aside-").tempfile_in(&events.dir)?;
            new.write_all(&without.bytes)?;
            new.as_file().sync_all()?;
            // The modification time decides when a log is deleted.
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

impl TaskLog {
    /// Appends whole lines, all of them or none. Readers see them at once.
    pub fn append(&mut self, lines: &[u8]) -> io::Result<u64> {
        if let Err(error) = self.file.write_all(lines) {
            // Half a line would make the rest unreadable. A full disk still lets a file shrink.
            let _ = self.file.set_len(self.end);
            return Err(error);
        }
        self.end += lines.len() as u64;
        Ok(self.end)
    }

    /// Syncs the data to disk.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    pub fn end(&self) -> u64 {
        self.end
    }
}

impl Reader {
    /// Returns the next whole lines before `end`; empty if there are none yet. At most one block, or one longer line.
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
    // A link in its place would make the daemon write to an arbitrary file.
    options.read(true).append(true).mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32);
    options
}

/// Deletes the logs of ended tasks that are too old or too many, except for tasks in memory.
pub fn tidy(events: &TaskLogs, keep: usize, since: SystemTime, at_hand: &[TaskId]) -> io::Result<Vec<TaskId>> {
    let mut kept = events.kept()?;
    kept.sort_by_key(|kept| std::cmp::Reverse(kept.changed));
    let mut removed = Vec::new();
    for (place, StoredLog { id, changed }) in kept.into_iter().enumerate() {
        let goes = (place >= keep || changed < since) && !at_hand.contains(&id);
        if goes && events.has_ended(&id).unwrap_or(false) {
            events.remove(&id)?;
            removed.push(id);
        }
    }
    Ok(removed)
}

/// The directory of the logs.
pub fn dir(state_dir: &Path) -> PathBuf {
    state_dir.join("tasks")
}

#[cfg(test)]
mod tests {
    use super::*;
    use aside_task::effect::Effect;
    use aside_task::input::Input;
    use aside_task::machine::{Task, step};
    use aside_task::proposal::UserRequest;

    fn id(name: &str) -> TaskId {
        TaskId::of(name).unwrap()
    }

    fn told(effects: Vec<Effect>) -> String {
        let events = effects.iter().filter_map(|effect| match effect {
            Effect::Emit(event) => Some(log::line(event)),
            _ => None,
        });
        events.collect()
    }

    /// A task that failed at once: four lines.
    fn failed(events: &TaskLogs, name: &str) -> TaskLog {
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
        let events = TaskLogs::new(temp.path().join("tasks"));
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
        // An incomplete line is not returned.
        let mut reader = events.reader(&id("t1"), 0).unwrap();
        assert_eq!(reader.next(lines[0].len() as u64 - 1).unwrap(), b"");
        assert_eq!(reader.next(lines[0].len() as u64 + 5).unwrap(), lines[0]);
    }

    #[test]
    fn a_torn_line_is_cut_off_and_a_torn_step_is_finished() {
        let temp = tempfile::tempdir().unwrap();
        let events = TaskLogs::new(temp.path().join("tasks"));
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
        let events = TaskLogs::new(temp.path().join("tasks"));
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
        let events = TaskLogs::new(temp.path().join("tasks"));
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
        let events = TaskLogs::new(temp.path().join("tasks"));
        failed(&events, "t1");
        fs::rename(events.path(&id("t1")), temp.path().join("elsewhere")).unwrap();
        std::os::unix::fs::symlink(temp.path().join("elsewhere"), events.path(&id("t1"))).unwrap();
        assert!(events.open(&id("t1")).is_err());
        assert!(events.create(&id("t1")).is_err());
    }
}
