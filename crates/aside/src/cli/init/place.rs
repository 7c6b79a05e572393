//! What bash and fish need so that their outputs can be seen: a mark that nobody can guess, and the name of their terminal,
//! which they cannot find out without a process. Whether somebody sees it the daemon decides, and says in a file of the shell.

use std::path::Path;

use ring::rand::{SecureRandom, SystemRandom};
use rustix::process::Pid;

use crate::cli::{self, init};
use crate::config::{Capture, Config};
use crate::paths;

/// Bytes of a mark; two letters for each.
const MARK: usize = 8;

/// Names and values of the settings. Both are empty where nobody will look, which is all that the shell has to know.
pub fn settings(config: &Config, socket: &Path) -> [(&'static str, String); 2] {
    let (mark, tty) = place(config, socket).unwrap_or_default();
    [("_aside_mark", mark), ("_aside_tty", tty)]
}

fn place(config: &Config, socket: &Path) -> Option<(String, String)> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_wanted = config.suggest.enabled && config.suggest.capture != Capture::Off;
    // A terminal of ours has the one, a pane of tmux the other.
    if !is_wanted || !(is_set("ASIDE_PROXY") || is_set("TMUX")) || !init::is_read_by_a_shell() {
        return None;
    }
    // What the daemon says is believed only where nobody else can write.
    let dir = socket.parent().filter(|dir| paths::is_private(dir))?;
    sweep(dir, socket);
    Some((mark()?, cli::terminal()?))
}

fn mark() -> Option<String> {
    let mut bytes = [0; MARK];
    SystemRandom::new().fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Removes what shells have left that ended before they read it.
fn sweep(dir: &Path, socket: &Path) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let shell = paths::shell_of_tier_file(socket, &entry.path()).and_then(Pid::from_raw);
        if shell.is_some_and(|shell| rustix::process::test_kill_process(shell).is_err()) {
            // Another shell may have been faster.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_of_hexadecimal_digits_and_differ() {
        let (one, other) = (mark().unwrap(), mark().unwrap());
        assert_eq!((one.len(), one.bytes().all(|byte| byte.is_ascii_hexdigit())), (16, true), "{one}");
        assert_ne!(one, other);
    }

    #[test]
    fn what_ended_shells_left_is_removed() {
        let temp = tempfile::tempdir().unwrap();
        let socket = temp.path().join("a.sock");
        let ours = std::process::id();
        // No process has a number as large as that.
        for name in [format!("a.sock.{ours}.tier"), "a.sock.2147483647.tier".into(), "a.sock.x.tier".into()] {
            std::fs::write(temp.path().join(name), "").unwrap();
        }
        sweep(temp.path(), &socket);
        let mut left: Vec<_> =
            std::fs::read_dir(temp.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
        left.sort();
        assert_eq!(left, [format!("a.sock.{ours}.tier").as_str(), "a.sock.x.tier"]);
    }
}
