//! A sign behind the words of a query while a model is slow. Only bash and fish need it: they wait for this process, and draw nothing
//! meanwhile.

use std::fs::File;
use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// A reply within this time needs no sign.
const SOON: Duration = Duration::from_millis(300);
/// Without line wrap, and with the cursor back behind the words: a shell that redraws its line finds it where it left it.
const SIGN: &str = "\x1b7\x1b[?7l\x1b[2m  thinking…\x1b[0m\x1b[?7h\x1b8";
const ERASE: &str = "\x1b[K";

/// Shows the sign until it is dropped. Ctrl-C ends the process before that; the shell then erases the sign with its line.
pub struct Waiting {
    ended: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Waiting {
    pub fn begin() -> Self {
        let (ended, end) = channel();
        let thread = std::thread::spawn(move || {
            if end.recv_timeout(SOON) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let Ok(mut terminal) = File::options().write(true).open("/dev/tty") else { return };
            let _ = terminal.write_all(SIGN.as_bytes());
            let _ = end.recv();
            let _ = terminal.write_all(ERASE.as_bytes());
        });
        Self { ended: Some(ended), thread: Some(thread) }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        drop(self.ended.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
