//! The end of a tmux pane's pipe: reads as fast as the pane prints, since tmux buffers in memory what is not read yet, and delivers from a
//! thread of its own. Knows nothing of tmux, and writes only to the daemon.

use std::io::{ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};
use std::time::{Duration, Instant};

use anyhow::Context;
use aside_proto::command_ended::WatchParams;
use aside_text::screen::{CommandOutput, OutputWatcher};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::capture::deliver::{Delivery, Listener};
use crate::paths;

/// Outputs that wait to be rendered and delivered. A user does not run commands faster than that; if the daemon hangs, the newest outputs
/// are dropped.
const MAX_WAITING: usize = 16;
/// Bytes per read.
const CHUNK: usize = 256 * 1024;
/// How long to look for a daemon when there is none, and how often. The next prompt opens another pipe.
const GRACE: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(200);

/// Why the sink ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The pane is gone, or its pipe was closed.
    Closed,
    /// No daemon is there, or it refused.
    Unheard,
}

/// Reads until the pipe closes or no daemon listens. The process must end then: a thread of it may still be blocked in a read.
pub fn run(tty: &str, socket: PathBuf) -> anyhow::Result<()> {
    let watching = WatchParams { tty: tty.to_owned(), tier: "tmux".to_owned(), pid: std::process::id() };
    let (sender, receiver) = mpsc::sync_channel(MAX_WAITING);
    let (bell, ring) = std::io::pipe().context("could not make a pipe")?;
    std::thread::spawn(move || read(sender, ring));
    let lock = paths::lock_file(&socket);
    let mut delivery = Delivery::new(socket, watching);
    if tell(&mut delivery, &receiver, bell, &lock) == End::Closed {
        delivery.says_goodbye();
    }
    Ok(())
}

fn read(sender: SyncSender<CommandOutput>, mut ring: PipeWriter) {
    let mut pane = std::io::stdin().lock();
    let mut watch = OutputWatcher::default();
    let mut chunk = vec![0; CHUNK];
    loop {
        let length = match pane.read(&mut chunk) {
            Ok(0) => return,
            Ok(length) => length,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        watch.see(&chunk[..length], &mut |output| {
            if sender.try_send(output).is_ok() {
                // Does not block: the pipe has room for one byte per waiting output.
                let _ = ring.write_all(&[0]);
            }
        });
    }
}

fn tell(delivery: &mut Delivery, outputs: &Receiver<CommandOutput>, mut bell: PipeReader, lock: &Path) -> End {
    let mut heard = Instant::now();
    loop {
        delivery.keep();
        match delivery.listener() {
            Listener::There => heard = Instant::now(),
            Listener::Refuses => return End::Unheard,
            // Only `aside uninstall` deletes the lock: no other daemon will come.
            Listener::Absent if heard.elapsed() > GRACE || !lock.exists() => return End::Unheard,
            Listener::Absent => {}
        }
        match outputs.try_recv() {
            Ok(output) => {
                delivery.deliver(&output);
                continue;
            }
            Err(TryRecvError::Disconnected) => return End::Closed,
            Err(TryRecvError::Empty) => {}
        }
        if rests(delivery, &bell) == Rung::Yes {
            let mut rings = [0; MAX_WAITING];
            // EOF means that the reading thread has ended, which the channel reports too.
            let _ = bell.read(&mut rings);
        }
    }
}

#[derive(PartialEq, Eq)]
enum Rung {
    Yes,
    No,
}

/// Waits for something to do. With a daemon, only an output or the daemon itself ends the wait.
fn rests(delivery: &Delivery, bell: &PipeReader) -> Rung {
    let (ear, limit) = match delivery.readable_fd() {
        Some(ear) => (Some(ear), None),
        None => (None, Timespec::try_from(LOOK).ok()),
    };
    let mut awaited = vec![PollFd::new(bell, PollFlags::IN)];
    awaited.extend(ear.as_ref().map(|ear| PollFd::new(ear, PollFlags::IN)));
    match poll(&mut awaited, limit.as_ref()) {
        Ok(_) if !awaited[0].revents().is_empty() => Rung::Yes,
        Ok(_) | Err(_) => Rung::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_daemon_and_its_lock_it_ends_at_once() {
        let temp = tempfile::tempdir().unwrap();
        let socket = temp.path().join("aside.sock");
        let watching = WatchParams { tty: "/dev/pts/3".to_owned(), tier: "tmux".to_owned(), pid: 1 };
        let (sender, receiver) = mpsc::sync_channel(1);
        let (bell, _ring) = std::io::pipe().unwrap();
        let began = Instant::now();
        let mut delivery = Delivery::new(socket.clone(), watching);
        assert_eq!(tell(&mut delivery, &receiver, bell, &paths::lock_file(&socket)), End::Unheard);
        assert!(began.elapsed() < GRACE, "it waited for another daemon");
        drop(sender);
    }
}
