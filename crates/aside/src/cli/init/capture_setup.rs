//! What bash and fish need for the capture of their outputs: an unguessable mark, and the name of their terminal, which they cannot find
//! out without a process. The daemon decides whether they are captured, and says so in a file for the shell.

use std::path::Path;

use ring::rand::{SecureRandom, SystemRandom};
use rustix::process::Pid;

use crate::cli::{self, init};
use crate::config::{Capture, Config};
use crate::paths;

/// Bytes of a mark; two hex digits for each.
const MARK: usize = 8;

/// Names and values of the settings. Both are empty where nothing is captured; the shell needs to know no more.
pub fn settings(config: &Config, socket: &Path) -> [(&'static str, String); 2] {
    let (mark, tty) = place(config, socket).unwrap_or_default();
    [("_aside_mark", mark), ("_aside_tty", tty)]
}

fn place(config: &Config, socket: &Path) -> Option<(String, String)> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_wanted = config.suggest.enabled && config.suggest.capture != Capture::Off;
    // The proxy sets the first, a tmux pane the second.
    if !is_wanted || !(is_set("ASIDE_PROXY") || is_set("TMUX")) || !init::is_read_by_a_shell() {
        return None;
    }
    // The shell trusts the daemon's file only in a directory where no other user can write.
    let dir = socket.parent().filter(|dir| paths::is_private(dir))?;
    sweep(dir, socket);
    Some((mark()?, cli::terminal()?))
}

fn mark() -> Option<String> {
    let mut bytes = [0; MARK];
    SystemRandom::new().fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Removes the files of shells that ended before they read them.
fn sweep(dir: &Path, socket: &Path) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let shell = paths::shell_of_tier_file(socket, &entry.path()).and_then(Pid::from_raw);
        if shell.is_some_and(|shell| rustix::process::test_kill_process(shell).is_err()) {
            // Another shell may have removed it already.
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
        // No process has so large a pid.
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
