//! Records of bash and fish, which can open a socket only with another process: each leaves a file in a directory beside the socket, which
//! costs the prompt no fork. The daemon handles a file as soon as it is closed and then removes it; files that an earlier daemon has left
//! are handled at the start.
//!
//! A file is named `SESSION.NUMBER.TIER`: the tier is the one the shell goes by, and if the daemon knows another, the shell is told in its
//! tier file, as `aside call` does. It holds records as they are sent over the socket.
//!
//! Which process has written a file cannot be known. So the inbox is closed while a command of a task may be running: shells then start a
//! process for each record, whose origin the socket tells, and files are discarded. A command waits until what was left before is read. Of files from before the start, which count only if no
//! command was left, ended commands are taken.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use aside_proto::Request;
use tokio::task::JoinHandle;

use crate::daemon::state::State;
use crate::paths;

/// In the directory: the pid of the daemon that reads it.
const READER: &str = "daemon";
/// Text that bash cannot get from its builtins without a fork passes through such a file, which is overwritten with blanks at once.
const SCRATCH: &str = ".text";

/// Backoff after a failure, such as a directory that was removed.
const TRY_AGAIN: Duration = Duration::from_millis(100);
const MAX_TRY_AGAIN: Duration = Duration::from_secs(60);

/// Reads the directory until it is closed.
pub struct Reading {
    task: JoinHandle<()>,
    marker: PathBuf,
}

/// Where files cannot be watched, no marker is written, and the shells start a process for each record.
pub fn start(state: &Arc<State>) -> Reading {
    let marker = state.paths().inbox().join(READER);
    let state = Arc::clone(state);
    let task = tokio::spawn({
        let marker = marker.clone();
        async move {
            let mut pause = TRY_AGAIN;
            loop {
                let began = Instant::now();
                let Err(error) = linux::serve(&state).await;
                tracing::warn!("bash and fish start a process for each command: {error:#}");
                let _ = std::fs::remove_file(&marker);
                if began.elapsed() > MAX_TRY_AGAIN {
                    pause = TRY_AGAIN;
                }
                tokio::time::sleep(pause).await;
                pause = MAX_TRY_AGAIN.min(2 * pause);
            }
        }
    });
    Reading { task, marker }
}

impl Reading {
    /// What shells leave from now on is for the next daemon.
    pub fn close(self) {
        self.task.abort();
        let _ = std::fs::remove_file(&self.marker);
        if let Some(dir) = self.marker.parent() {
            linux::sweep(dir);
        }
    }
}

/// A file of a shell, by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Item {
    name: String,
    pid: i32,
    number: u64,
    tier: String,
}

impl Item {
    /// `bash-PID-START.NUMBER.TIER`
    fn of(name: &str) -> Option<Self> {
        let (session, rest) = name.split_once('.')?;
        let (number, tier) = rest.split_once('.')?;
        let (pid, number) = (paths::shell_of_session(session)?, number.parse().ok()?);
        let is_plain = !tier.is_empty() && tier.bytes().all(|byte| byte.is_ascii_lowercase());
        is_plain.then(|| Self { name: name.to_owned(), pid, number, tier: tier.to_owned() })
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io::Read;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
    use std::time::SystemTime;

    use anyhow::{Context, bail, ensure};
    use aside_proto::command_ended::{CaptureParams, RecallParams};
    use aside_proto::stream::{Frame, MAX_MESSAGE, frames};
    use aside_proto::{Call, Reply};
    use rustix::fs::OFlags;
    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
    use rustix::process::Pid;
    use tokio::io::unix::AsyncFd;

    use super::*;
    use crate::capture::tier_file;
    use crate::daemon::updates::Updates;
    use crate::daemon::{dispatch, handlers};
    use crate::exec::presence::{self, Presence};
    use crate::exec::taint::Caller;

    /// Events that are read at once.
    const EVENT_BYTES: usize = 4096;
    /// Age of a file that no shell is still writing.
    const STALE: Duration = Duration::from_secs(10);
    /// How often to look whether a command of an earlier daemon has left something that runs.
    const LOOK_AGAIN: Duration = Duration::from_secs(3);
    /// When to look whether the directory has room, at the earliest and at the latest: fish tells the user of a write that fails,
    /// whatever is redirected.
    const LOOK_FOR_ROOM: [u64; 2] = [1, 60];
    /// Bytes by which a disk fills in a second, at most as a rule. A directory with much room is looked at as much later.
    const FILLS: u64 = 100_000_000;
    /// How long a command may take to begin once the inbox is read for it.
    const BEGINS: Duration = Duration::from_secs(1);
    /// Files that are handled in one scan.
    const MAX_SCANNED: usize = 10_000;
    /// Scans for one loss of events.
    const MAX_SCANS: usize = 100;

    struct Inbox {
        dir: PathBuf,
        events: AsyncFd<OwnedFd>,
    }

    enum Events {
        /// Files that were closed, and whether the marker was deleted.
        Closed { names: Vec<String>, is_marker_gone: bool },
        /// There were too many to tell.
        Lost,
    }

    /// Makes and watches the directory. No shell uses it until the marker is written.
    fn open(dir: &Path) -> anyhow::Result<OwnedFd> {
        let _ = std::fs::remove_file(dir.join(READER));
        // Making that one is for the socket, which is in it.
        ensure!(dir.parent().is_some_and(Path::exists), "the directory of the socket is gone");
        paths::private_dir(dir)?;
        let events = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).context("could not watch files")?;
        let flags = WatchFlags::CLOSE_WRITE | WatchFlags::DELETE | WatchFlags::MOVED_FROM | WatchFlags::MOVE_SELF;
        inotify::add_watch(&events, dir, flags | WatchFlags::ONLYDIR)
            .with_context(|| format!("could not watch {}", dir.display()))?;
        Ok(events)
    }

    /// Handles what shells leave, in the order in which it was left, until the daemon ends.
    pub async fn serve(state: &Arc<State>) -> anyhow::Result<Infallible> {
        let dir = state.paths().inbox();
        let events = off_the_runtime({
            let dir = dir.clone();
            move || open(&dir)
        })
        .await??;
        let inbox = Inbox { dir, events: watched(events)? };
        // What a command of ours has left where the inbox was removed counts for nothing.
        let mut left = Some(inbox.scanned().await?).filter(|_| presence::begun() == 0);
        loop {
            let begun = presence::begun();
            let presence = match Presence::known() {
                Presence::None => off_the_runtime(Presence::looked_up).await?,
                there => there,
            };
            // From before the start, which this daemon's commands cannot have written.
            let before = left.take().unwrap_or_default();
            if presence != Presence::None {
                tokio::select! {
                    () = presence::changed() => {}
                    // Something that a command of an earlier daemon has left may have ended.
                    () = tokio::time::sleep(LOOK_AGAIN) => {}
                }
                continue;
            }
            for item in before {
                inbox.handle(state, item, Trust::BeforeStart).await?;
            }
            inbox.begin().await?;
            presence::set_reading(true);
            let served = inbox.serve_until_a_command(state, begun).await;
            presence::set_reading(false);
            served?;
        }
    }

    /// Which files can have been written by the shells alone.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Trust {
        /// Those that were there at the start.
        BeforeStart,
        /// Those that came while no other command of a task has begun.
        Since { begun: u64 },
    }

    impl Trust {
        fn covers(self, request: &Request) -> bool {
            match (self, request) {
                (Trust::BeforeStart, Request::Finished(_)) => true,
                (Trust::Since { begun }, Request::Hello(_) | Request::Capture(_) | Request::Finished(_)) => {
                    begun == presence::begun()
                }
                _ => false,
            }
        }
    }

    #[expect(unsafe_code, reason = "tokio cannot tell that a descriptor stays open while it is registered")]
    fn watched(events: OwnedFd) -> anyhow::Result<AsyncFd<OwnedFd>> {
        // SAFETY: an `OwnedFd` gives the same open descriptor for as long as it lives, and `AsyncFd` owns it.
        unsafe { AsyncFd::register(events) }.context("could not watch files")
    }

    async fn off_the_runtime<T: Send + 'static>(act: impl FnOnce() -> T + Send + 'static) -> anyhow::Result<T> {
        tokio::task::spawn_blocking(act).await.context("the daemon is ending")
    }

    impl Inbox {
        /// Discards what a command may have left, and tells the shells that files are read.
        async fn begin(&self) -> anyhow::Result<()> {
            let dir = self.dir.clone();
            off_the_runtime(move || {
                for entry in std::fs::read_dir(&dir)?.flatten() {
                    if entry.file_name().to_str().is_some_and(|name| Item::of(name).is_some()) {
                        tracing::debug!("a file in the inbox was discarded: a command of a task may have written it");
                        let _ = std::fs::remove_file(entry.path());
                    }
                }
                std::io::Result::Ok(())
            })
            .await?
            .context("could not look into the inbox")?;
            self.mark().await
        }

        async fn serve_until_a_command(&self, state: &Arc<State>, begun: u64) -> anyhow::Result<()> {
            let mut has_room = true;
            let [soon, _] = LOOK_FOR_ROOM;
            let (mut soonest, mut next_look) = (tokio::time::Instant::now(), tokio::time::Instant::now());
            loop {
                let events = tokio::select! {
                    events = self.closed() => events?,
                    () = presence::changed() => return self.unmark().await,
                    () = presence::asked() => {
                        // What is there was written before the command.
                        self.unmark().await?;
                        self.handle_all(state, begun).await?;
                        presence::set_reading(false);
                        // It begins now, or never.
                        let _ = tokio::time::timeout(BEGINS, presence::changed()).await;
                        return Ok(());
                    }
                    () = tokio::time::sleep_until(next_look) => {
                        let dir = self.dir.clone();
                        let room = off_the_runtime(move || paths::room(&dir)).await?;
                        let is_full = room == 0;
                        let now = tokio::time::Instant::now();
                        (soonest, next_look) = (now + Duration::from_secs(soon), now + until_next_look(room));
                        match (has_room, is_full) {
                            (true, true) => self.unmark().await?,
                            (false, false) => self.mark().await?,
                            (true, false) | (false, true) => {}
                        }
                        has_room = !is_full;
                        continue;
                    }
                };
                match events {
                    Events::Closed { names, is_marker_gone } => {
                        for item in names.iter().filter_map(|name| Item::of(name)) {
                            self.handle(state, item, Trust::Since { begun }).await?;
                            // The shell may have had no room for all of it.
                            next_look = next_look.min(soonest);
                        }
                        if is_marker_gone && has_room {
                            self.mark().await?;
                        }
                    }
                    Events::Lost => self.handle_all(state, begun).await?,
                }
            }
        }

        /// Has the shells start a process for each record.
        async fn unmark(&self) -> anyhow::Result<()> {
            let marker = self.dir.join(READER);
            let _ = off_the_runtime(move || std::fs::remove_file(marker)).await?;
            Ok(())
        }

        /// Tells the shells that files are read. Does not make the directory again: it would not be watched.
        async fn mark(&self) -> anyhow::Result<()> {
            let marker = self.dir.join(READER);
            off_the_runtime(move || std::fs::write(marker, format!("{}\n", std::process::id())))
                .await?
                .context("could not say that the inbox is read")
        }

        /// After events were lost.
        async fn handle_all(&self, state: &Arc<State>, begun: u64) -> anyhow::Result<()> {
            for _ in 0..MAX_SCANS {
                let items = self.scanned().await?;
                if items.is_empty() {
                    break;
                }
                for item in items {
                    self.handle(state, item, Trust::Since { begun }).await?;
                }
            }
            Ok(())
        }

        async fn scanned(&self) -> anyhow::Result<Vec<Item>> {
            let dir = self.dir.clone();
            off_the_runtime(move || scan(&dir)).await
        }

        /// What happened in the directory.
        async fn closed(&self) -> anyhow::Result<Events> {
            let mut ready = self.events.readable().await?;
            let mut room = [MaybeUninit::uninit(); EVENT_BYTES];
            let mut reader = inotify::Reader::new(self.events.get_ref(), &mut room);
            let (mut names, mut is_marker_gone) = (Vec::new(), false);
            loop {
                match reader.next() {
                    Ok(event) if event.events().contains(ReadFlags::QUEUE_OVERFLOW) => return Ok(Events::Lost),
                    Ok(event) if event.events().intersects(ReadFlags::IGNORED | ReadFlags::MOVE_SELF) => {
                        bail!("the inbox was removed")
                    }
                    Ok(event) => {
                        let name = event.file_name().and_then(|name| name.to_str().ok());
                        if event.events().contains(ReadFlags::CLOSE_WRITE) {
                            names.extend(name.map(str::to_owned));
                        } else {
                            is_marker_gone |= name == Some(READER);
                        }
                    }
                    Err(rustix::io::Errno::AGAIN) => {
                        ready.clear_ready();
                        return Ok(Events::Closed { names, is_marker_gone });
                    }
                    Err(rustix::io::Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }

        async fn handle(&self, state: &Arc<State>, item: Item, trust: Trust) -> anyhow::Result<()> {
            state.touch();
            let _work = state.working();
            let file = self.dir.join(&item.name);
            let content = off_the_runtime({
                let file = file.clone();
                move || read(&file)
            });
            let mut capture = None;
            if let Some((bytes, written)) = content.await? {
                for mut frame in frames(&bytes) {
                    // A shell without a clock writes the file when the command ends; it may have waited here.
                    if let Frame::Call(Call { request: Request::Finished(finished), .. }) = &mut frame
                        && finished.start_ms < 0
                    {
                        finished.start_ms = (written - finished.duration_ms.max(0)).max(1);
                    }
                    match frame {
                        Frame::Call(Call { request, .. }) if !trust.covers(&request) => {}
                        Frame::Call(Call { request: Request::Capture(asked), .. }) => capture = Some(asked),
                        Frame::Call(Call { request, private, .. }) => {
                            let privacy = dispatch::privacy(state, &request, private);
                            let user = Caller::User;
                            dispatch::dispatch(Arc::clone(state), request, user, privacy, Updates::never()).await;
                        }
                        Frame::Foreign(_) | Frame::Bad { .. } | Frame::Lost { .. } => {}
                    }
                }
            }
            if let Some(asked) = capture {
                let told = announce(state, asked, &item).await;
                told.unwrap_or_else(|error| tracing::debug!("a shell is not told what is captured: {error:#}"));
            }
            // Stored by now. A daemon that ends before this handles it again, and a command is stored once.
            let (dir, is_new) = (self.dir.clone(), item.number <= 1);
            off_the_runtime(move || {
                let _ = std::fs::remove_file(file);
                if is_new {
                    sweep(&dir);
                }
            })
            .await
        }
    }

    fn until_next_look(room: u64) -> Duration {
        let [earliest, latest] = LOOK_FOR_ROOM;
        Duration::from_secs((room / FILLS).clamp(earliest, latest))
    }

    /// Tells a shell which tier it has, if it goes by another.
    async fn announce(state: &Arc<State>, asked: CaptureParams, item: &Item) -> anyhow::Result<()> {
        let recall = RecallParams { session: asked.session.clone(), limit: 1, ..RecallParams::default() };
        if let Reply::Recall(known) = handlers::recall::handle(state, &recall).await
            && known.tier == item.tier
        {
            return Ok(());
        }
        let Reply::Capture(told) = handlers::capture::handle(state, asked).await else { return Ok(()) };
        if told.tier == item.tier {
            return Ok(());
        }
        let file = paths::tier_file(&state.paths().socket, item.pid);
        off_the_runtime(move || tier_file::leave(&file, &[&told.tier, &told.skip, &told.skip_bare])).await?
    }

    /// Removes the scratch files of shells that have ended.
    pub fn sweep(dir: &Path) {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten().take(MAX_SCANNED) {
            let name = entry.file_name();
            let Some(session) = name.to_str().and_then(|name| name.strip_suffix(SCRATCH)) else { continue };
            let pid = paths::shell_of_session(session).and_then(Pid::from_raw);
            if pid.is_none_or(|pid| rustix::process::test_kill_process(pid).is_err()) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    /// Files that were left, oldest first. Removes incomplete ones that no shell is still writing.
    fn scan(dir: &Path) -> Vec<Item> {
        sweep(dir);
        let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
        let mut items = Vec::new();
        for entry in entries.flatten().take(MAX_SCANNED) {
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
            let Ok(meta) = entry.metadata() else { continue };
            let Some(item) = Item::of(&name) else { continue };
            let modified = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let is_stale = modified.elapsed().is_ok_and(|age| age > STALE);
            match read(&entry.path()).map(|(bytes, _)| is_whole(&bytes)) {
                Some(true) => items.push((modified, item)),
                // A shell may be writing it; then an event follows.
                Some(false) | None if !is_stale => {}
                Some(false) | None => {
                    let _ = std::fs::remove_file(entry.path());
                }
            }
        }
        items.sort_by_key(|(modified, _)| *modified);
        items.into_iter().map(|(_, item)| item).collect()
    }

    /// Only a regular file of this user, of the size of a message. With the time at which it was written, in milliseconds.
    fn read(file: &Path) -> Option<(Vec<u8>, i64)> {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = File::options().read(true).custom_flags(flags.bits().cast_signed()).open(file).ok()?;
        let meta = file.metadata().ok()?;
        let is_ours = meta.is_file() && meta.uid() == rustix::process::getuid().as_raw();
        let mut bytes = Vec::new();
        (is_ours && meta.len() <= MAX_MESSAGE as u64).then_some(())?;
        file.take(MAX_MESSAGE as u64).read_to_end(&mut bytes).ok()?;
        let written = meta.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        Some((bytes, i64::try_from(written.as_millis()).ok()?))
    }

    fn is_whole(bytes: &[u8]) -> bool {
        bytes.last() == Some(&0) && frames(bytes).iter().all(|frame| matches!(frame, Frame::Call(_)))
    }

    #[cfg(test)]
    mod tests {
        use aside_proto::record;

        use super::*;

        #[test]
        fn a_disk_with_much_room_is_looked_at_rarely() {
            let seconds = [0, FILLS, 5 * FILLS, u64::MAX].map(|room| until_next_look(room).as_secs());
            assert_eq!(seconds, [1, 1, 5, 60]);
        }

        #[test]
        fn what_is_left_is_found_in_its_order_and_what_is_not_whole_waits() {
            let temp = tempfile::tempdir().unwrap();
            let put = |name: &str, bytes: &[u8]| std::fs::write(temp.path().join(name), bytes).unwrap();
            let record = record::encode_fields(&["3", "finished", "s", "1", "/", "0", "0", "0", "bash", "ls"]);
            put("bash-4711-1.2.off", &record);
            put("bash-4711-1.1.off", &record);
            std::fs::File::options()
                .write(true)
                .open(temp.path().join("bash-4711-1.1.off"))
                .unwrap()
                .set_modified(SystemTime::now() - Duration::from_secs(60))
                .unwrap();
            put("bash-4711-1.3.off", &record[..record.len() - 2]);
            put("daemon", b"4711\n");
            std::os::unix::fs::symlink("/etc/passwd", temp.path().join("bash-4711-1.4.off")).unwrap();
            put(&format!("bash-{}-1.text", std::process::id()), b"");
            put("bash-999999999-1.text", b"secret");
            let found: Vec<String> = scan(temp.path()).into_iter().map(|item| item.name).collect();
            assert_eq!(found, ["bash-4711-1.1.off", "bash-4711-1.2.off"]);
            let stays = |name: &str| temp.path().join(name).symlink_metadata().is_ok();
            assert!(stays("bash-4711-1.3.off"), "a shell may still write it");
            assert!(stays("daemon") && stays(&format!("bash-{}-1.text", std::process::id())));
            assert!(!stays("bash-999999999-1.text"), "its shell has ended");
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod linux {
    use super::*;

    pub async fn serve(_: &Arc<State>) -> anyhow::Result<Infallible> {
        anyhow::bail!("this system does not tell which files change")
    }

    pub fn sweep(_: &Path) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_tells_the_shell_and_what_it_knows() {
        let item = Item::of("fish-4711-1700000000.12.pty").unwrap();
        assert_eq!((item.pid, item.tier.as_str()), (4711, "pty"));
        for name in [
            "daemon",
            "bash-4711-1.text",
            "bash-x-1.1.off",
            "bash-0-1.1.off",
            "bash-4711-1.1.",
            "bash-4711-1.x.off",
            ".1.off",
        ] {
            assert_eq!(Item::of(name), None, "{name}");
        }
    }
}
