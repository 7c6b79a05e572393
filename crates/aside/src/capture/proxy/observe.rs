//! Watches the output between our plugins' marks and delivers what commands printed. Never blocks the relay: a thread of its own renders
//! and delivers, and drops what it cannot keep up with. A panic in it ends the watching, not the shell.

use std::ffi::OsString;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, SyncSender};

use aside_proto::command_ended::WatchParams;
use aside_text::screen::{CommandOutput, OutputWatcher};
use rustix::process::Pid;

use crate::capture::deliver::Delivery;
use crate::capture::proxy::follow_cwd::CwdFollower;

/// Outputs queued for the thread; each has some ten thousand bytes.
const MAX_WAITING: usize = 16;

pub struct Observer {
    watch: Option<OutputWatcher>,
    sender: Option<SyncSender<News>>,
}

enum News {
    Ended(CommandOutput),
    /// The terminal is idle.
    Quiet,
}

impl Observer {
    /// Without a socket it watches nothing, but still follows the shell's directory.
    pub fn start(shell: Pid, socket: Option<PathBuf>, terminal: OsString) -> Self {
        let (sender, receiver) = mpsc::sync_channel(MAX_WAITING);
        let watch = socket.is_some().then(OutputWatcher::default);
        let tty = terminal.to_string_lossy().into_owned();
        let watching = WatchParams { tty, tier: "pty".to_owned(), pid: std::process::id() };
        let delivery = socket.map(|socket| Delivery::new(socket, watching));
        let thread = std::thread::Builder::new().name("observe".to_owned());
        let started = thread.spawn(move || attend(&receiver, delivery, CwdFollower::new(shell)));
        Self { watch, sender: started.is_ok().then_some(sender) }
    }

    pub fn see(&mut self, bytes: &[u8]) {
        if let Some(sender) = &self.sender {
            see(&mut self.watch, bytes, &mut |output| drop(sender.try_send(News::Ended(output))));
        }
    }

    pub fn rest(&self) {
        if let Some(sender) = &self.sender {
            let _ = sender.try_send(News::Quiet);
        }
    }
}

/// Stops watching after a panic.
fn see(watch: &mut Option<OutputWatcher>, bytes: &[u8], ended: &mut dyn FnMut(CommandOutput)) {
    let Some(watching) = watch else { return };
    if std::panic::catch_unwind(AssertUnwindSafe(|| watching.see(bytes, ended))).is_err() {
        *watch = None;
    }
}

fn attend(news: &Receiver<News>, mut delivery: Option<Delivery>, mut follower: CwdFollower) {
    if let Some(delivery) = &mut delivery {
        delivery.keep();
    }
    while let Ok(news) = news.recv() {
        match (news, &mut delivery) {
            (News::Ended(output), Some(delivery)) => delivery.deliver(&output),
            (News::Quiet, Some(delivery)) => delivery.keep(),
            (News::Ended(_) | News::Quiet, None) => {}
        }
        follower.follow();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKED: &[u8] =
        b"\x1b]7133;C;aside=0123456789abcdef.1.80.24\x07text\r\n\x1b]7133;D;0;aside=0123456789abcdef.1\x07";

    #[test]
    fn a_panic_ends_the_looking_and_nothing_else() {
        let mut watch = Some(OutputWatcher::default());
        let mut calls = 0;
        see(&mut watch, MARKED, &mut |_| calls += 1);
        assert!(calls == 1 && watch.is_some());
        see(&mut watch, MARKED, &mut |_| panic!("a mistake"));
        assert!(watch.is_none());
        see(&mut watch, MARKED, &mut |_| calls += 1);
        assert_eq!(calls, 1);
    }

    #[test]
    fn a_thread_that_has_gone_is_not_missed() {
        let (sender, receiver) = mpsc::sync_channel(1);
        drop(receiver);
        let mut observer = Observer { watch: Some(OutputWatcher::default()), sender: Some(sender) };
        observer.see(MARKED);
        observer.rest();
    }
}
