//! An isolated home directory: its environment, its files, and every process started in it.

use std::collections::BTreeMap;
use std::io::{Read, Seek, Write};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::harness::socket_client::SocketClient;
use crate::harness::{patience, programs};

/// The binary under test.
pub const ASIDE: &str = env!("CARGO_BIN_EXE_aside");

/// The kernel's limit for a socket path is 104 bytes on macOS, 108 on Linux.
const LONGEST_SOCKET_PATH: usize = 100;

/// How long a daemon may take to exit.
const STOP_LIMIT: Duration = Duration::from_secs(5);

pub struct Home {
    root: tempfile::TempDir,
    variables: BTreeMap<String, String>,
}

/// A program's output and exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    pub stdout: String,
    pub stderr: String,
    /// The exit code; 128 + the signal if a signal killed it, as shells report it.
    pub code: i32,
}

impl Home {
    pub fn new() -> Self {
        // A short name, because the socket's path is below it.
        let root = tempfile::Builder::new().prefix("as-").rand_bytes(6).tempdir().unwrap();
        let home = root.path().join("home");
        let inside = |path: &str| home.join(path).display().to_string();
        let bin = Path::new(ASIDE).parent().unwrap();
        let variables = BTreeMap::from(
            [
                ("HOME", home.display().to_string()),
                ("XDG_CONFIG_HOME", inside(".config")),
                ("XDG_DATA_HOME", inside(".local/share")),
                ("XDG_STATE_HOME", inside(".local/state")),
                ("XDG_CACHE_HOME", inside(".cache")),
                ("XDG_RUNTIME_DIR", root.path().join("run").display().to_string()),
                ("TMPDIR", root.path().join("tmp").display().to_string()),
                // Otherwise it would be the tmux server of the user who runs the tests.
                ("TMUX_TMPDIR", root.path().join("tmp").display().to_string()),
                ("INPUTRC", inside(".inputrc")),
                ("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display())),
                ("TERM", "xterm-256color".to_owned()),
                ("LANG", "C.UTF-8".to_owned()),
                ("TZ", "UTC".to_owned()),
                ("USER", "somebody".to_owned()),
                // None, even if one is installed here.
                ("ASIDE_READER", String::new()),
            ]
            .map(|(name, value)| (name.to_owned(), value)),
        );
        for dir in ["home", "run", "tmp"] {
            std::fs::DirBuilder::new().mode(0o700).create(root.path().join(dir)).unwrap();
        }
        let home = Self { root, variables };
        // Without it readline reads /etc/inputrc.
        home.write(".inputrc", "");
        let socket = home.socket();
        assert!(socket.as_os_str().len() < LONGEST_SOCKET_PATH, "{} is too long for a socket", socket.display());
        home
    }

    /// A path in the home directory.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.path().join("home").join(relative)
    }

    pub fn socket(&self) -> PathBuf {
        self.root.path().join("run/aside.sock")
    }

    pub fn daemon_log(&self) -> PathBuf {
        self.path(".local/state/aside/daemon.log")
    }

    /// Writes a file below the home directory, with its directories. It is executable if it begins with `#!`.
    pub fn write(&self, relative: &str, contents: impl AsRef<[u8]>) {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        if contents.as_ref().starts_with(b"#!") {
            programs::write(&path, contents.as_ref());
        } else {
            std::fs::write(&path, contents.as_ref()).unwrap();
        }
    }

    pub fn read(&self, relative: &str) -> String {
        let path = self.path(relative);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("could not read {}: {error}", path.display()))
    }

    pub fn set_env(&mut self, name: &str, value: &str) {
        self.variables.insert(name.to_owned(), value.to_owned());
    }

    /// A program in this home: its environment, its directory, nothing inherited.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(&self.variables).current_dir(self.path(""));
        command
    }

    /// Runs `aside` to completion: `home.aside(&["config", "list"]).stdout`
    #[track_caller]
    pub fn aside(&self, args: &[&str]) -> Said {
        self.aside_reads(args, "")
    }

    /// Runs `aside` with `input` on its standard input.
    #[track_caller]
    pub fn aside_reads(&self, args: &[&str], input: &str) -> Said {
        let mut command = self.command(ASIDE);
        run(command.args(args), input)
    }

    /// Runs `aside` and insists that it succeeds.
    #[track_caller]
    pub fn aside_does(&self, args: &[&str]) -> Said {
        let said = self.aside(args);
        assert_eq!(said.code, 0, "`aside {}` failed: {}{}", args.join(" "), said.stdout, said.stderr);
        said
    }

    /// A client of the daemon's socket. Waits until the daemon listens there.
    #[track_caller]
    pub fn wire(&self) -> SocketClient {
        SocketClient::connect(&self.socket())
    }

    /// The processes that run with this home, including the daemon and its subprocesses. Only Linux can tell, and a process that is
    /// just starting may be missing.
    pub fn processes(&self) -> Vec<Pid> {
        let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
        let home = format!("HOME={}", self.path("").display());
        let home = home.trim_end_matches('/').as_bytes();
        let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter(|pid| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == home)
        })
        .filter_map(Pid::from_raw)
        .filter(|pid| is_running(*pid))
        .collect()
    }

    /// Whether the daemon, if there is one, is waiting at this moment.
    pub fn is_daemon_idle(&self) -> bool {
        let pid = std::fs::read_to_string(self.socket().with_extension("sock.lock")).ok();
        pid.and_then(|pid| Pid::from_raw(pid.trim().parse().ok()?)).is_none_or(is_asleep)
    }

    /// The daemons of this home, found by the lock beside each socket (`aside try` has its own).
    fn daemons(&self) -> Vec<Pid> {
        let mut locks = Vec::new();
        find_locks(self.root.path(), &mut locks);
        let pids = locks.iter().filter_map(|lock| std::fs::read_to_string(lock).ok()?.trim().parse().ok());
        pids.filter_map(Pid::from_raw).filter(|pid| is_running(*pid) && is_aside(*pid)).collect()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        for daemon in self.daemons() {
            stop(daemon);
        }
        // Every process that is left was started in this home: a job of a shell that has exited, or a daemon that had not yet
        // written its lock. The check has to pass twice, because a process in the middle of `exec` has no environment to look at.
        let deadline = Instant::now() + STOP_LIMIT;
        let mut seen_empty = 0;
        while seen_empty < 2 && Instant::now() < deadline {
            let left = self.processes();
            seen_empty = if left.is_empty() { seen_empty + 1 } else { 0 };
            for process in left {
                _ = rustix::process::kill_process(process, Signal::KILL);
            }
            std::thread::yield_now();
        }
    }
}

/// Runs to completion in its own process group, and kills that group on timeout.
#[track_caller]
pub fn run(command: &mut Command, input: &str) -> Said {
    // Files rather than pipes: a daemon that keeps the test's stdout open must not block it.
    let [mut stdin, mut stdout, mut stderr] = [(); 3].map(|()| tempfile::tempfile().unwrap());
    stdin.write_all(input.as_bytes()).unwrap();
    stdin.rewind().unwrap();
    let what = format!("{command:?}");
    command.process_group(0).stdin(stdin);
    command.stdout(stdout.try_clone().unwrap()).stderr(stderr.try_clone().unwrap());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("could not start {what}: {error}"));
    let group = Pid::from_child(&child);
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait()));
    let ended = receiver.recv_timeout(patience());
    if ended.is_err() {
        _ = rustix::process::kill_process_group(group, Signal::KILL);
    }
    let read = |file: &mut std::fs::File| {
        let mut bytes = Vec::new();
        file.rewind().unwrap();
        file.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let (stdout, stderr) = (read(&mut stdout), read(&mut stderr));
    match ended {
        Ok(status) => Said { stdout, stderr, code: code(status.unwrap()) },
        Err(_) => panic!("{what} did not end in {:?}\nstdout: {stdout}\nstderr: {stderr}", patience()),
    }
}

pub fn code(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

/// Sends SIGTERM, waits for the exit, then kills.
fn stop(pid: Pid) {
    _ = rustix::process::kill_process(pid, Signal::TERM);
    let deadline = Instant::now() + STOP_LIMIT;
    while is_running(pid) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(2));
    }
    if is_running(pid) {
        _ = rustix::process::kill_process(pid, Signal::KILL);
    }
}

/// A zombie does not count as running, once its last thread has released its open files.
pub fn is_running(pid: Pid) -> bool {
    let threads = || std::fs::read_dir(format!("/proc/{}/task", pid.as_raw_pid())).map_or(0, Iterator::count);
    match state(pid) {
        Some(state) => !matches!(state, 'Z' | 'X') || threads() > 1,
        None => !has_proc() && rustix::process::test_kill_process(pid).is_ok(),
    }
}

/// Whether all its threads are waiting. Where that cannot be determined, they are assumed to be.
pub fn is_asleep(pid: Pid) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{}/task", pid.as_raw_pid())).into_iter().flatten().flatten();
    let mut states = threads.filter_map(|thread| state_in(&thread.path()));
    states.all(|state| state == 'S')
}

/// Whether neither it nor a process that it started, directly or not, has anything to do at this moment.
pub fn is_tree_idle(pid: Pid) -> bool {
    let dir = PathBuf::from(format!("/proc/{}", pid.as_raw_pid()));
    if matches!(state_in(&dir), Some('R' | 'D')) {
        return false;
    }
    let threads = std::fs::read_dir(dir.join("task")).into_iter().flatten().flatten();
    let children = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    children.flat_map(|list| pids(&list)).all(is_tree_idle)
}

fn pids(list: &str) -> Vec<Pid> {
    list.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect()
}

fn state(pid: Pid) -> Option<char> {
    state_in(Path::new(&format!("/proc/{}", pid.as_raw_pid())))
}

fn state_in(dir: &Path) -> Option<char> {
    let stat = std::fs::read_to_string(dir.join("stat")).ok()?;
    stat.rsplit(") ").next()?.chars().next()
}

/// macOS has no `/proc`.
fn has_proc() -> bool {
    Path::new("/proc/self").exists()
}

/// A lock file outlives its daemon, and its pid may have been reused since.
fn is_aside(pid: Pid) -> bool {
    match std::fs::read_link(format!("/proc/{}/exe", pid.as_raw_pid())) {
        Ok(program) => std::fs::canonicalize(ASIDE).is_ok_and(|aside| aside == program),
        Err(_) => !has_proc(),
    }
}

fn find_locks(dir: &Path, locks: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            find_locks(&path, locks);
        } else if path.to_string_lossy().ends_with(".sock.lock") {
            locks.push(path);
        }
    }
}
