//! A tmux server in its own home, controlled from outside.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use crate::harness::home::{self, Home};
use crate::harness::patience;

pub struct Tmux {
    pub home: Home,
    socket: PathBuf,
}

/// A pane, by its id and its terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pane {
    pub id: String,
    pub tty: String,
}

impl Tmux {
    /// A server with one pane of 80 × 24, in which `command` runs.
    pub fn start(home: Home, command: &str) -> (Self, Pane) {
        let socket = home.path("tmux.sock");
        let tmux = Self { home, socket };
        tmux.does(&["new-session", "-d", "-x", "80", "-y", "24", command]);
        let pane = tmux.pane("%0");
        (tmux, pane)
    }

    /// Runs a tmux command and returns its output.
    #[track_caller]
    pub fn does(&self, arguments: &[&str]) -> String {
        let mut command = self.home.command("tmux");
        command.args(["-f", "/dev/null", "-S"]).arg(&self.socket).args(arguments);
        let said = home::run(&mut command, "");
        assert_eq!(said.code, 0, "tmux {arguments:?}: {}", said.stderr);
        said.stdout.trim_end_matches('\n').to_owned()
    }

    #[track_caller]
    pub fn pane(&self, id: &str) -> Pane {
        Pane { id: id.to_owned(), tty: self.does(&["display-message", "-p", "-t", id, "#{pane_tty}"]) }
    }

    /// Another pane, in its own window.
    #[track_caller]
    pub fn opens(&self, command: &str) -> Pane {
        let id = self.does(&["new-window", "-d", "-P", "-F", "#{pane_id}", command]);
        self.pane(&id)
    }

    /// The value of `$TMUX` in its panes.
    pub fn variable(&self) -> String {
        format!("{},1,0", self.socket.display())
    }

    #[track_caller]
    pub fn types(&self, pane: &Pane, line: &str) {
        self.does(&["send-keys", "-t", &pane.id, "-l", line]);
        self.does(&["send-keys", "-t", &pane.id, "Enter"]);
    }

    /// The text of a pane with its colours, scrollback included.
    #[track_caller]
    pub fn shows(&self, pane: &Pane) -> String {
        self.does(&["capture-pane", "-p", "-e", "-S", "-", "-t", &pane.id])
    }

    #[track_caller]
    pub fn wait_for(&self, pane: &Pane, text: &str) {
        wait_until(&format!("{text:?} in {}", pane.id), || self.shows(pane).contains(text));
    }

    /// Whether the pane's pipe is in use.
    #[track_caller]
    pub fn is_piped(&self, pane: &Pane) -> bool {
        self.does(&["display-message", "-p", "-t", &pane.id, "#{pane_pipe}"]) == "1"
    }

    /// The running sinks.
    pub fn sinks(&self) -> Vec<Pid> {
        let is_sink = |pid: &Pid| {
            let line = std::fs::read(format!("/proc/{}/cmdline", pid.as_raw_pid())).unwrap_or_default();
            line.split(|byte| *byte == 0).nth(1) == Some(b"sink")
        };
        self.home.processes().into_iter().filter(is_sink).collect()
    }
}

#[track_caller]
pub fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + patience();
    while !condition() {
        assert!(Instant::now() < deadline, "waited for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
