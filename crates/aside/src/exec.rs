//! The only module that starts processes, through eight functions: `probe` asks a program a read-only question with a timeout, on any
//! thread that may block; `own` starts our daemon, or the user's shell, editor, pager or browser; `model_server` starts the model server that the
//! settings name, which ends with us; `open_tmux_pipe` has tmux start `aside sink`; `start_in_terminal` starts the user's shell in a pty of ours; `run` runs an
//! approved command; `agent` starts the agent that the settings name, where it can write nothing but its own state; `reader` starts our
//! small language model, which can only compute.

use std::ffi::{OsStr, OsString};
use std::io::{PipeReader, Read};
use std::os::fd::{AsFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

use crate::capture::tmux::{Pane, PipeRequest};
use crate::exec::git::Question;
use crate::world::sandbox::ReadOnly;

pub mod agent;
pub mod git;
pub mod model_server;
pub mod presence;
pub mod reader;
pub mod run;
pub mod supervisor;
pub mod taint;

/// Caps on a one-line answer, and on a list.
const LINE_BYTES: usize = 64 * 1024;
pub const LIST_BYTES: usize = 1024 * 1024;
/// Cap on a diff; a user cannot review more than that at once.
pub const DIFF_BYTES: usize = 4 * 1024 * 1024;
const HELP_BYTES: usize = 256 * 1024;
/// Cap on a man page; longer pages list their options first or not at all.
const MANUAL_BYTES: usize = 256 * 1024;

const INHERIT: &str = "ASIDE_INHERIT_FDS";

/// The questions that may be asked. Each is harmless by what it runs.
pub enum Probe<'a> {
    /// `PATH --version` of what should be Aside.
    AsideVersion(&'a Path),
    /// `SHELL --version`.
    ShellVersion(&'a str),
    /// Whether a new interactive shell of this name loads Aside: it prints `LOADED` then, and the file that does it if that is known.
    LoadsAside(&'a str),
    /// `PATH --version` of an agent that the user has named.
    AgentVersion(&'a Path),
    /// About the repository at `root`.
    Git { root: &'a Path, question: Question<'a> },
    /// The files that a search finds from a directory, each ended by a zero byte. The search has only tests (`selection::search`).
    Found { search: &'a [String], cwd: &'a str, path: &'a str },
    /// The desktop's name for the default browser.
    DefaultBrowser,
    /// Name, tab, details; one session a line.
    TmuxSessions,
    /// The key bindings of a tmux server, one a line.
    TmuxKeys(&'a Pane),
    /// `PROGRAM --help`, executed by an Aside that first gives up every right to change anything. It starts in an empty directory, which is
    /// also its home.
    Help { aside: &'a Path, program: &'a Path, path: &'a str, empty: &'a Path },
    /// A command's man page as plain text. The name must be no path and no option.
    Manual { command: &'a str, path: &'a str },
    /// The command from the settings that prints an API key. Runs without a shell.
    Key(&'a str),
    /// The API key that the desktop's keyring has under this name.
    Keyring(&'a str),
}

/// What a shell prints that has loaded Aside.
pub const LOADED: &str = "aside-is-loaded";

/// A prepared question.
struct ProbeSpec {
    command: Command,
    timeout: Duration,
    bytes: usize,
    /// The delimiter at which an answer over the cap is cut, so that only whole lines or entries stay; `None` discards such an answer.
    cut_at: Option<u8>,
    /// Which exit statuses make it an answer.
    counts: AcceptedExit,
    sandbox: Sandbox,
}

enum AcceptedExit {
    Success,
    /// Many programs exit with a failure after `--help`.
    Any,
}

/// What a program may do during a probe.
enum Sandbox {
    /// All that the user may.
    None,
    /// The same in a session without a terminal: an interactive shell would stop, or take ours over.
    NoTerminal,
    /// Read files, and start no other program. Not run at all where the kernel has no such sandbox.
    ReadOnly,
    /// The same, but runs without a sandbox where the kernel has none.
    ReadOnlyIfPossible,
}

impl Probe<'_> {
    fn asked(&self) -> ProbeSpec {
        match self {
            Probe::AgentVersion(path) => {
                let asked = ProbeSpec::version(path.as_os_str());
                ProbeSpec { timeout: Duration::from_secs(5), ..asked }
            }
            Probe::LoadsAside(shell) => {
                let test = match *shell {
                    "fish" => format!("functions -q aside-off; and echo {LOADED}; true"),
                    "bash" => format!(
                        "if typeset -f aside-off >/dev/null; then shopt -s extdebug; f=$(declare -F aside-off); \
                         echo \"{LOADED} ${{f#* * }}\"; fi; true"
                    ),
                    _ => format!(
                        "if typeset -f aside-off >/dev/null; then zmodload zsh/parameter; \
                         echo \"{LOADED} ${{functions_source[aside-off]-}}\"; fi; true"
                    ),
                };
                let mut command = command(shell);
                // Defines its functions, and does nothing else.
                command.args(["-i", "-c", &test]).env("ASIDE_DISABLE", "1");
                if std::env::var_os("TMUX").is_none() {
                    // Many rc files begin with `[[ -z $TMUX ]] && exec tmux`, which needs a terminal.
                    command.env("TMUX", "/dev/null,0,0");
                }
                let asked = ProbeSpec::new(command, Duration::from_secs(15), LINE_BYTES);
                ProbeSpec { counts: AcceptedExit::Any, sandbox: Sandbox::NoTerminal, ..asked }
            }
            Probe::AsideVersion(path) => ProbeSpec::version(path.as_os_str()),
            Probe::ShellVersion(shell) => ProbeSpec::version(OsStr::new(shell)),
            Probe::Git { root, question } => question.asked(root),
            Probe::Found { search, cwd, path } => {
                let mut command = command(found("find", path));
                command.args(*search).arg("-print0").current_dir(cwd);
                let asked = ProbeSpec::new(command, Duration::from_millis(300), LIST_BYTES).cut_at(0);
                // A directory that cannot be read is a failure of find, and no reason to show nothing.
                ProbeSpec { counts: AcceptedExit::Any, ..asked }
            }
            Probe::DefaultBrowser => {
                let mut command = command(found_here("xdg-settings"));
                command.args(["get", "default-web-browser"]);
                ProbeSpec::new(command, Duration::from_secs(2), LINE_BYTES)
            }
            Probe::TmuxSessions => {
                let mut command = command(found_here("tmux"));
                command.args(["list-sessions", "-F", "#{session_name}\t#{session_windows} windows"]);
                ProbeSpec::new(command, Duration::from_secs(1), LINE_BYTES).cut_at(b'\n')
            }
            Probe::TmuxKeys(pane) => {
                let mut command = command(found_here("tmux"));
                command.arg("-S").arg(pane.socket()).arg("list-keys");
                ProbeSpec::new(command, Duration::from_secs(1), LIST_BYTES).cut_at(b'\n')
            }
            Probe::Help { aside, program, path, empty } => {
                let mut command = command(aside);
                command.args(["sandbox", "--"]).arg(program).current_dir(empty).env_clear();
                command.env("PATH", path).env("HOME", empty).env("TMPDIR", empty);
                command.env("LC_ALL", "C.UTF-8").env("TERM", "dumb").env("NO_COLOR", "1").env("COLUMNS", "100");
                command.env("PAGER", "cat").env("MANPAGER", "cat").env("GIT_PAGER", "cat");
                ProbeSpec {
                    counts: AcceptedExit::Any,
                    ..ProbeSpec::new(command, Duration::from_secs(3), HELP_BYTES).cut_at(b'\n')
                }
            }
            Probe::Manual { command: name, path } => {
                // Found on the asking shell's PATH, from which man also derives where the pages are.
                let mut command = command(found("man", path));
                command.args(["-S", "1:8:6", "-P", "cat", name]).env("PATH", path);
                command.env("LC_ALL", "C.UTF-8").env("TERM", "dumb").env("MANWIDTH", "100");
                // The user's settings for reading man pages must not run here.
                command.env("PAGER", "cat").env("MANPAGER", "cat");
                for name in ["MANOPT", "MANROFFOPT", "MANROFFSEQ", "MANLESS", "LESSOPEN", "BROWSER"] {
                    command.env_remove(name);
                }
                ProbeSpec::new(command, Duration::from_secs(3), MANUAL_BYTES).cut_at(b'\n')
            }
            Probe::Key(line) => {
                let words = split(line).unwrap_or_default();
                let mut command = command(words.first().map_or("", String::as_str));
                command.args(words.iter().skip(1));
                ProbeSpec::key(command)
            }
            Probe::Keyring(name) if cfg!(target_os = "macos") => {
                let mut command = command(found_here("security"));
                command.args(["find-generic-password", "-s", "aside", "-a", name, "-w"]);
                ProbeSpec::key(command)
            }
            Probe::Keyring(name) => {
                let mut command = command(found_here("secret-tool"));
                command.args(["lookup", "service", "aside", "username", name]);
                ProbeSpec::key(command)
            }
        }
    }
}

impl ProbeSpec {
    fn new(command: Command, timeout: Duration, bytes: usize) -> Self {
        Self { command, timeout, bytes, cut_at: None, counts: AcceptedExit::Success, sandbox: Sandbox::None }
    }

    fn cut_at(self, byte: u8) -> Self {
        Self { cut_at: Some(byte), ..self }
    }

    /// The user may have to unlock the store, by fingerprint or password.
    fn key(command: Command) -> Self {
        Self::new(command, Duration::from_secs(20), LINE_BYTES)
    }

    fn version(program: &OsStr) -> Self {
        let mut command = command(program);
        command.arg("--version");
        Self::new(command, Duration::from_secs(2), LINE_BYTES)
    }
}

/// The first program of that name on a PATH, from absolute directories outside of any project.
fn found(name: &str, path: &str) -> PathBuf {
    let places = path.split(':').map(Path::new).filter(|place| place.is_absolute() && !is_of_a_project(place));
    let program = places.map(|place| place.join(name)).find(|program| is_executable(program));
    program.unwrap_or_else(|| PathBuf::from("/nonexistent").join(name))
}

/// The same on the daemon's PATH.
fn found_here(name: &str) -> PathBuf {
    found(name, &std::env::var_os("PATH").unwrap_or_default().to_string_lossy())
}

/// Whether a directory of programs belongs to a project, as `.venv/bin` and `node_modules/.bin` do: a task's command may write there, and
/// the daemon must not run what it leaves. A home directory is the user's, even if it is a repository.
fn is_of_a_project(place: &Path) -> bool {
    let place = place.canonicalize().unwrap_or_else(|_| place.to_owned());
    let home = std::env::home_dir().unwrap_or_default();
    let is_root = |above: &Path| above.join(".git").exists() && !home.starts_with(above);
    let is_environment = |above: &Path| above.join("pyvenv.cfg").exists() || above.ends_with("node_modules");
    place.ancestors().any(|above| is_root(above) || is_environment(above))
}

/// What the program printed, or `None` when it is missing, failed or timed out. Blocks until then.
pub fn probe(probe: &Probe<'_>) -> Option<String> {
    printed(probe.asked())
}

/// Has tmux open a pane's pipe, and returns what tmux printed; `None` without tmux, or when it does not reply. The sink is tmux's child,
/// not ours.
pub fn open_tmux_pipe(opening: &PipeRequest) -> Option<String> {
    let mut command = command(found_here("tmux"));
    command.args(opening.arguments());
    printed(ProbeSpec { counts: AcceptedExit::Any, ..ProbeSpec::new(command, Duration::from_secs(1), LINE_BYTES) })
}

fn printed(asked: ProbeSpec) -> Option<String> {
    let ProbeSpec { mut command, timeout, bytes, cut_at, counts, sandbox } = asked;
    let deadline = Instant::now() + timeout;
    confine(&mut command, &sandbox)?;
    // A process group of its own, so that its children can be killed with it.
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    // A new session has a process group of its own, and its leader cannot begin a session.
    if !matches!(sandbox, Sandbox::NoTerminal) {
        command.process_group(0);
    }
    let mut child = command.spawn().ok()?;
    let stdout = child.stdout.take()?;
    let (sender, answer) = mpsc::channel();
    std::thread::spawn(move || {
        let mut answer = Vec::new();
        let read = stdout.take(bytes as u64 + 1).read_to_end(&mut answer).ok().map(|_| answer);
        sender.send(read)
    });
    let left = || deadline.saturating_duration_since(Instant::now());
    // A child of the program may hold its output open long after it has ended; that counts as a timeout too.
    let Ok(Some(mut answer)) = answer.recv_timeout(left()) else {
        end(&mut child);
        return None;
    };
    if answer.len() > bytes {
        end(&mut child);
        answer.truncate(bytes);
        let whole = answer.iter().rposition(|byte| Some(*byte) == cut_at)?;
        answer.truncate(whole + 1);
    } else {
        let status = wait(&mut child, left)?;
        match counts {
            AcceptedExit::Success if !status.success() => return None,
            AcceptedExit::Success | AcceptedExit::Any => {}
        }
    }
    Some(String::from_utf8_lossy(&answer).into_owned())
}

/// Makes the program start in its sandbox. `None` when a required sandbox is not available.
#[expect(unsafe_code, reason = "a process can be restricted before its program begins only between fork and exec")]
fn confine(command: &mut Command, sandbox: &Sandbox) -> Option<()> {
    let read_only = || {
        let program = Path::new(command.get_program());
        ReadOnly::running(program, &git::readable_paths::paths(program, command.get_current_dir()?)).ok()
    };
    let mut read_only = match sandbox {
        Sandbox::None => return Some(()),
        Sandbox::NoTerminal => {
            // SAFETY: `setsid` is one system call.
            unsafe { command.pre_exec(|| Ok(rustix::process::setsid().map(drop)?)) };
            return Some(());
        }
        Sandbox::ReadOnly => read_only()?,
        Sandbox::ReadOnlyIfPossible => match read_only() {
            Some(read_only) => read_only,
            None => return Some(()),
        },
    };
    // SAFETY: `enter` makes a few system calls; it allocates nothing and takes no lock.
    unsafe { command.pre_exec(move || read_only.enter()) };
    Some(())
}

/// Waits for its end, and kills the children that it left behind.
fn wait(child: &mut Child, left: impl Fn() -> Duration) -> Option<ExitStatus> {
    // Leaves it a zombie until its group has been killed: only so long is the group's id not reused.
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    loop {
        match rustix::process::waitid(WaitId::Pid(Pid::from_child(child)), options) {
            Ok(Some(_)) => return end(child),
            Ok(None) if !left().is_zero() => std::thread::sleep(Duration::from_millis(1)),
            Ok(None) | Err(_) => {
                end(child);
                return None;
            }
        }
    }
}

fn end(child: &mut Child) -> Option<ExitStatus> {
    let _ = rustix::process::kill_process_group(Pid::from_child(child), Signal::KILL);
    let _ = child.kill();
    child.wait().ok()
}

/// What we start on behalf of the user who typed the command.
pub enum Own<'a> {
    /// The daemon, detached from this terminal.
    Daemon,
    /// A shell with these arguments and variables, until it ends.
    Shell { program: &'a OsStr, args: &'a [OsString], env: &'a [(&'static str, OsString)] },
    /// The user's editor on a file, until it ends.
    Editor(&'a Path),
    /// The user's pager on a file with colours in it, until it ends.
    Pager(&'a Path),
    /// The user's browser on a file of ours; it outlives us.
    Browser(&'a Path),
}

/// Starts it, and waits unless it is the daemon.
pub fn own(own: Own<'_>) -> anyhow::Result<ExitStatus> {
    match own {
        Own::Daemon => {
            let executable = std::env::current_exe().context("could not find the program itself")?;
            let mut daemon = command(executable.as_os_str());
            daemon.args(["daemon", "run", "--detach"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = daemon.spawn().context("could not start the daemon")?;
            // Reaps the daemon: `aside pipe` lives as long as its shell, and would accumulate zombies.
            std::thread::spawn(move || child.wait());
            Ok(ExitStatus::default())
        }
        Own::Shell { program, args, env } => command(program)
            .args(args)
            .envs(env.iter().map(|(name, value)| (name, value)))
            .status()
            .with_context(|| format!("could not start {}", Path::new(program).display())),
        Own::Editor(file) => {
            let words = editor(|name| std::env::var(name).ok())?;
            let [program, arguments @ ..] = words.as_slice() else { bail!("no editor is set; set EDITOR") };
            let started = command(program).args(arguments).arg(file).status();
            started.with_context(|| format!("could not start {program}; set EDITOR to an editor you have"))
        }
        Own::Pager(file) => {
            let words = pager(|name| std::env::var(name).ok())?;
            let [program, arguments @ ..] = words.as_slice() else { bail!("no pager is set; set PAGER") };
            let mut pager = command(program);
            // Makes `less` show colours, unless the user has set LESS.
            if std::env::var_os("LESS").is_none() {
                pager.env("LESS", "-R");
            }
            let started = pager.args(arguments).arg(file).status();
            started.with_context(|| format!("could not start {program}; set PAGER to a pager you have"))
        }
        Own::Browser(file) => browse(file),
    }
}

/// How long a browser may take to report a failed start.
const OPENING: Duration = Duration::from_secs(2);

/// Some openers end once they have handed over, others with the browser: the latter are left running.
fn browse(file: &Path) -> anyhow::Result<ExitStatus> {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut browser = command(opener);
    // A process group of its own: signals of this terminal must not reach it.
    browser.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let mut child = browser.spawn().with_context(|| format!("could not start {opener}"))?;
    let deadline = Instant::now() + OPENING;
    loop {
        match child.try_wait().with_context(|| format!("could not wait for {opener}"))? {
            Some(status) => return Ok(status),
            None if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(10)),
            None => return Ok(ExitStatus::default()),
        }
    }
}

/// How a shell is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shell {
    pub program: OsString,
    /// Its argv[0]: `-zsh` makes a login shell.
    pub name: OsString,
    pub arguments: Vec<OsString>,
}

impl Shell {
    fn command(&self, variables: &[(&str, &OsStr)]) -> Command {
        let mut command = command(&self.program);
        command.arg0(&self.name).args(&self.arguments).envs(variables.iter().copied());
        command
    }
}

/// Starts the shell as a session leader with this controlling terminal.
#[expect(unsafe_code, reason = "a session and its terminal can be made only between fork and exec")]
pub fn start_in_terminal(shell: &Shell, variables: &[(&str, &OsStr)], terminal: &OwnedFd) -> anyhow::Result<Pid> {
    let mut command = shell.command(variables);
    command.stdin(terminal.try_clone()?).stdout(terminal.try_clone()?).stderr(terminal.try_clone()?);
    let controlling = terminal.try_clone()?;
    let lead = move || {
        rustix::process::setsid()?;
        rustix::process::ioctl_tiocsctty(&controlling)?;
        Ok(())
    };
    // SAFETY: `lead` makes two system calls; it allocates nothing and takes no lock.
    unsafe { command.pre_exec(lead) };
    let child = command.spawn().with_context(|| format!("could not start {}", shell.program.display()))?;
    Ok(Pid::from_child(&child))
}

/// Execs the shell. Returns only on failure.
pub fn become_shell(shell: &Shell, variable: (&str, &OsStr)) -> anyhow::Error {
    let error = shell.command(&[variable]).exec();
    anyhow::Error::new(error).context(format!("could not start {}", shell.program.display()))
}

/// Starts the watchdog process, which restores the terminal's modes if we are killed: it notices by EOF on `told`.
pub fn start_modes_watchdog(told: PipeReader, terminal: OwnedFd) -> anyhow::Result<Pid> {
    let executable = std::env::current_exe().context("could not find the program itself")?;
    let mut watchdog = command(executable.as_os_str());
    watchdog.args(["proxy", "--keep-modes"]).stdin(told).stdout(terminal).stderr(Stdio::null()).current_dir("/");
    let child = watchdog.spawn().context("could not start a process")?;
    Ok(Pid::from_child(&child))
}

/// Descriptors inherited beyond the first three: they are meant for the shell. Call this before anything is opened.
pub fn inherited() -> Vec<RawFd> {
    let Ok(entries) = std::fs::read_dir("/dev/fd") else { return Vec::new() };
    let numbers: Vec<RawFd> = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    // The list includes the descriptor of the listing itself, which is closed by now.
    let is_open = |number: &RawFd| std::fs::symlink_metadata(format!("/dev/fd/{number}")).is_ok();
    numbers.into_iter().filter(|number| *number > 2).filter(is_open).collect()
}

/// Closes what only the shell should hold: another process may wait for EOF on such a pipe.
#[expect(unsafe_code, reason = "no code owns a descriptor that we were started with")]
pub fn close_inherited(inherited: Vec<RawFd>) {
    for number in inherited {
        // SAFETY: it was open before anything in this process opened something, so nothing here owns it.
        unsafe { rustix::io::close(number) };
    }
}

/// An empty or blank variable counts as unset, as it does for git.
fn editor(var: impl Fn(&str) -> Option<String>) -> anyhow::Result<Vec<String>> {
    let set = |name| var(name).filter(|value| !value.trim().is_empty()).map(|value| (name, value));
    let Some((name, value)) = set("VISUAL").or_else(|| set("EDITOR")) else { return Ok(vec!["vi".to_owned()]) };
    split(&value).with_context(|| format!("{name} has a quote that is not closed: {value}"))
}

/// Blank is unset here too.
fn pager(var: impl Fn(&str) -> Option<String>) -> anyhow::Result<Vec<String>> {
    match var("PAGER").filter(|value| !value.trim().is_empty()) {
        Some(value) => split(&value).with_context(|| format!("PAGER has a quote that is not closed: {value}")),
        None => Ok(vec![["less", "more"].into_iter().find(|name| find(name).is_some()).unwrap_or("cat").to_owned()]),
    }
}

/// Splits like a shell: blanks separate, quotes and `\` protect. Expands nothing and runs no shell, so `~` and `$HOME` must have been
/// expanded when the variable was set. `None` when a quote is left open.
pub fn split(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match (quote, char) {
            (None, '\'' | '"') => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            (Some(open), _) if open == char => quote = None,
            // Within double quotes `\` protects only characters that are special there.
            (Some('"'), '\\') => {
                let next = chars.next()?;
                let protects = matches!(next, '"' | '\\' | '$' | '`');
                word.get_or_insert_default().extend((!protects).then_some('\\').into_iter().chain([next]));
            }
            (None, '\\') => word.get_or_insert_default().push(chars.next()?),
            (None, _) if char.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// The daemon's open socket and lock, passed across the exec of its new version in the same process.
#[derive(Clone, Copy)]
pub struct Inherited {
    pub listener: RawFd,
    pub lock: RawFd,
}

impl Inherited {
    /// Accepts only what `become_daemon` of this very process left: the value contains the pid, since a variable may leak into other
    /// processes.
    pub fn from_env() -> Option<Self> {
        let value = std::env::var(INHERIT).ok()?;
        let mut numbers = value.split(',').map(|number| number.parse::<i32>().ok());
        let (pid, listener, lock) = (numbers.next()??, numbers.next()??, numbers.next()??);
        (pid == std::process::id() as i32).then_some(Self { listener, lock })
    }
}

/// Execs `executable` as a daemon on the same socket. Returns only on failure.
pub fn become_daemon(executable: &Path, inherited: &Inherited) -> anyhow::Error {
    let value = format!("{},{},{}", std::process::id(), inherited.listener, inherited.lock);
    let error = command(executable.as_os_str()).args(["daemon", "run"]).env(INHERIT, value).exec();
    anyhow::Error::new(error).context(format!("could not start {}", executable.display()))
}

/// Execs `PROGRAM --help`, with stderr on stdout. Returns only on failure.
pub fn become_help(program: &Path) -> anyhow::Error {
    let printed = match std::io::stdout().as_fd().try_clone_to_owned() {
        Ok(printed) => printed,
        Err(error) => return anyhow::Error::new(error).context("could not share the output"),
    };
    let error = command(program).arg("--help").stderr(printed).exec();
    anyhow::Error::new(error).context(format!("could not start {}", program.display()))
}

/// Finds a program on PATH.
pub fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(program)).find(|file| is_executable(file))
}

pub fn is_executable(file: &Path) -> bool {
    file.is_file() && rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok()
}

#[expect(clippy::disallowed_methods, reason = "this is the one place; every caller above is a door")]
fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_remove(INHERIT);
    command
}

/// What an installed shell prints. For tests of the code that we print for it.
#[cfg(test)]
pub fn printed_by(shell: &str, args: &[&str]) -> Option<String> {
    let ended = command(shell).args(args).env("ASIDE_DISABLE", "1").stdin(Stdio::null()).output().ok()?;
    Some(String::from_utf8_lossy(&ended.stdout).into_owned())
}

/// Runs git under a fake name at a fixed time, and returns what it printed. For tests.
#[cfg(test)]
pub fn git_in(directory: &Path, args: &[&str]) -> String {
    let ended = git_may_fail(directory, args);
    assert!(ended.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&ended.stderr));
    String::from_utf8_lossy(&ended.stdout).into_owned()
}

#[cfg(test)]
pub fn git_may_fail(directory: &Path, args: &[&str]) -> std::process::Output {
    let mut git = git::command_in(directory);
    for role in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{role}_NAME"), "Somebody").env(format!("GIT_{role}_EMAIL"), "somebody@example.invalid");
    }
    git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    git.args(args).stdin(Stdio::null()).output().unwrap()
}

/// Whether an installed shell can parse the script (`-n`: it runs nothing). For tests of what we print.
#[cfg(test)]
pub fn parses(shell: &str, script: &str) -> Option<bool> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), script).unwrap();
    let ended = command(shell).arg("-n").arg(file.path()).output().ok()?;
    Some(ended.status.success() && ended.stderr.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn script(dir: &Path, text: &str) -> PathBuf {
        let path = dir.join("script");
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
        path
    }

    #[test]
    fn a_probe_that_hangs_fails_or_is_missing_gives_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let hangs = script(temp.path(), "#!/bin/sh\nexec sleep 60\n");
        assert_eq!(probe(&Probe::AsideVersion(&hangs)), None);
        let fails = script(temp.path(), "#!/bin/sh\necho aside 9; exit 3\n");
        assert_eq!(probe(&Probe::AsideVersion(&fails)), None);
        assert_eq!(probe(&Probe::AsideVersion(&temp.path().join("missing"))), None);
        let lingers = script(temp.path(), "#!/bin/sh\nsleep 5 &\necho aside 9\n");
        let asked = Instant::now();
        assert_eq!(probe(&Probe::AsideVersion(&lingers)), None);
        assert!(asked.elapsed() < Duration::from_secs(4));
        let speaks = script(temp.path(), "#!/bin/sh\necho aside 9\n");
        assert_eq!(probe(&Probe::AsideVersion(&speaks)).as_deref(), Some("aside 9\n"));
    }

    fn chosen(vars: &[(&str, &str)]) -> String {
        let lookup = |name: &str| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        editor(lookup).map_or_else(|error| error.to_string(), |words| words.join("|"))
    }

    #[test]
    fn a_key_is_printed_by_a_command_that_no_shell_reads() {
        assert_eq!(probe(&Probe::Key("echo 'a key' $HOME")).as_deref(), Some("a key $HOME\n"));
        assert_eq!(probe(&Probe::Key("false")), None);
        assert_eq!(probe(&Probe::Key("")), None);
        assert_eq!(probe(&Probe::Key("echo 'open")), None);
    }

    #[test]
    fn visual_wins_over_editor_and_vi_is_always_there() {
        assert_eq!(chosen(&[("VISUAL", "code --wait"), ("EDITOR", "nano")]), "code|--wait");
        assert_eq!(chosen(&[("VISUAL", " "), ("EDITOR", "nano")]), "nano");
        assert_eq!(chosen(&[]), "vi");
        assert_eq!(chosen(&[("EDITOR", "vim '")]), "EDITOR has a quote that is not closed: vim '");
    }

    #[test]
    fn words_are_cut_as_a_shell_would() {
        for (text, words) in [
            ("  vim   -f ", vec!["vim", "-f"]),
            (r#""/opt/My Editor/ed" -c 'set nu'"#, vec!["/opt/My Editor/ed", "-c", "set nu"]),
            (r"/opt/My\ Editor/ed", vec!["/opt/My Editor/ed"]),
            (r#"ed "" 'a'"b"c"#, vec!["ed", "", "abc"]),
            (r#"ed "a\"b\n" 'a\'"#, vec!["ed", r#"a"b\n"#, r"a\"]),
            ("ed $HOME ~", vec!["ed", "$HOME", "~"]),
        ] {
            assert_eq!(split(text).unwrap(), words, "{text}");
        }
        for open in ["'", "a \"b", "a\\", "\"a\\"] {
            assert_eq!(split(open), None, "{open}");
        }
    }
}
