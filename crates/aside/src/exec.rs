//! The only place that starts a process, through six doors: `probe` asks a program a read-only question and waits a
//! bounded time, on any thread that may block; `own` starts our daemon, or the shell, editor, pager or browser of the person who
//! typed the command; `serve` starts the model server that the settings name, which ends with us; `tap` has tmux start `aside
//! sink`; `enclose` starts the person's shell in a terminal of ours; `run` runs a command that was approved.

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

use crate::capture::tmux::{Opening, Pane};
use crate::exec::run::environment::leads_into;

pub mod keep;
pub mod run;
pub mod serve;

/// What is read of an answer that is one line, and of one that is a list.
const LINE_BYTES: usize = 64 * 1024;
const LIST_BYTES: usize = 1024 * 1024;
/// Of a change; who looks at more than that at once does not look.
pub const DIFF_BYTES: usize = 4 * 1024 * 1024;
const HELP_BYTES: usize = 256 * 1024;
/// Of a page of the manual; the options of longer ones come first or not at all.
const MANUAL_BYTES: usize = 256 * 1024;

const INHERIT: &str = "ASIDE_INHERIT_FDS";

/// The questions we may ask, each harmless by what it runs.
pub enum Probe<'a> {
    /// `PATH --version` of what should be Aside.
    AsideVersion(&'a Path),
    /// `SHELL --version`.
    ShellVersion(&'a str),
    /// The names of references that begin so, one a line.
    GitRefs { root: &'a Path, prefix: &'a str },
    /// What differs in a repository: two letters, a blank, a path from the root, a NUL. The filters are those that its own
    /// settings define, and none of them is run.
    GitStatus { root: &'a Path, without_filters: &'a [String] },
    /// Where git takes the top of the files to be.
    GitTop { root: &'a Path },
    /// Whose settings name a filter, a NUL, the name of the setting, a NUL.
    GitFilters { root: &'a Path },
    /// As GitStatus, with the branch first, for somebody who can wait.
    GitState { root: &'a Path, without_filters: &'a [String] },
    /// What differs between two states, in these files or all.
    GitDiff { root: &'a Path, without_filters: &'a [String], between: &'a Between, paths: &'a [String] },
    /// The short id and the first line of the newest commits of a revision, tab between them.
    GitLog { root: &'a Path, since: Option<&'a Revision>, of: &'a Revision },
    /// Name, tab, something about it, one a line.
    TmuxSessions,
    /// What the keys of a tmux server do, one a line.
    TmuxKeys(&'a Pane),
    /// `PROGRAM --help`, by an Aside that has given up every right to change anything before it becomes the program. It
    /// starts in an empty directory, which is also its home.
    Help { aside: &'a Path, program: &'a Path, path: &'a str, empty: &'a Path },
    /// The page of the manual about a command, as plain text. The name is no path and no option.
    Manual { command: &'a str, path: &'a str },
    /// The command that the person wrote into the settings prints a key. No shell reads it.
    Key(&'a str),
    /// The key that the desktop's keyring has under this name.
    Keyring(&'a str),
}

/// States that git can compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Between {
    /// The files as they are with a commit.
    Files(Revision),
    /// What would be committed with a commit.
    Staged(Revision),
    Commits(Revision, Revision),
    /// The second with the last commit that both have.
    Fork(Revision, Revision),
}

/// The name of a commit or a tree, which git cannot take for an option, a path or a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision(String);

impl Revision {
    /// At most so many letters.
    const MAX: usize = 200;

    pub fn new(text: &str) -> Option<Self> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._/@^~{}+-#".contains(&byte) || !byte.is_ascii();
        let names = !text.is_empty() && text.len() <= Self::MAX && text.bytes().all(plain);
        (names && !text.starts_with(['-', '^', '/', '.']) && !text.contains("..")).then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// How a question is put.
struct Asked {
    command: Command,
    patience: Duration,
    bytes: usize,
    /// What is too long is cut at the last whole line or entry, which ends with this byte; or is no answer at all.
    cut_at: Option<u8>,
    /// Which way of ending makes it an answer.
    counts: Counts,
}

enum Counts {
    Success,
    /// Many a program calls being asked for help a failure.
    Any,
}

impl Probe<'_> {
    fn asked(&self) -> Asked {
        match self {
            Probe::AsideVersion(path) => Asked::line(path.as_os_str()),
            Probe::ShellVersion(shell) => Asked::line(OsStr::new(shell)),
            Probe::GitRefs { root, prefix } => {
                let mut command = git(root);
                command.args(["for-each-ref", "--sort=-committerdate", "--format=%(refname)", prefix]);
                Asked {
                    command,
                    patience: Duration::from_millis(500),
                    bytes: LIST_BYTES,
                    cut_at: Some(b'\n'),
                    counts: Counts::Success,
                }
            }
            Probe::GitStatus { root, without_filters } => {
                let mut command = quiet_git(root, without_filters);
                command.args(["status", "--porcelain=v1", "-z", "--untracked-files=normal", "--no-renames"]);
                command.arg("--ignore-submodules=all");
                Asked {
                    command,
                    patience: Duration::from_millis(500),
                    bytes: LIST_BYTES,
                    cut_at: Some(b'\0'),
                    counts: Counts::Success,
                }
            }
            Probe::GitTop { root } => {
                let mut command = quiet_git(root, &[]);
                command.args(["rev-parse", "--show-toplevel"]);
                Asked::git(command, LINE_BYTES, None)
            }
            Probe::GitFilters { root } => {
                let mut command = quiet_git(root, &[]);
                command.args(["config", "--includes", "--show-scope", "-z", "--name-only", "--get-regexp"]);
                command.arg("^(filter|lfs\\.extension)\\.");
                // Git calls it a failure that there are none.
                Asked { counts: Counts::Any, ..Asked::git(command, LINE_BYTES, None) }
            }
            Probe::GitState { root, without_filters } => {
                let mut command = quiet_git(root, without_filters);
                command.args(["status", "--porcelain=v1", "--branch", "-z", "--untracked-files=all", "--no-renames"]);
                command.arg("--ignore-submodules=all");
                Asked::git(command, LIST_BYTES, Some(b'\0'))
            }
            Probe::GitDiff { root, without_filters, between, paths } => {
                let mut command = quiet_git(root, without_filters);
                // What the settings say about how a diff looks is for people's eyes; ours read the plain form.
                command.args(["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", "--unified=3"]);
                command.args(["--src-prefix=a/", "--dst-prefix=b/", "--no-relative", "--ignore-submodules=all"]);
                command.args(["--submodule=short", "--diff-algorithm=histogram", "--inter-hunk-context=0"]);
                match between {
                    Between::Files(Revision(of)) => command.args(["--end-of-options", of]),
                    Between::Staged(Revision(of)) => command.args(["--cached", "--end-of-options", of]),
                    Between::Commits(Revision(one), Revision(other)) => command.args(["--end-of-options", one, other]),
                    Between::Fork(Revision(one), Revision(other)) => {
                        command.arg("--end-of-options").arg(format!("{one}...{other}"))
                    }
                };
                command.arg("--").args(*paths);
                Asked::git(command, DIFF_BYTES, Some(b'\n'))
            }
            Probe::GitLog { root, since, of: Revision(of) } => {
                let mut command = quiet_git(root, &[]);
                command.args([
                    "log",
                    "--no-show-signature",
                    "--no-color",
                    "--no-decorate",
                    "--no-notes",
                    "--no-mailmap",
                ]);
                command.args(["--max-count=50", "--format=%h%x09%s", "--end-of-options"]);
                match since {
                    Some(Revision(since)) => command.arg(format!("{since}..{of}")),
                    None => command.arg(of),
                };
                command.arg("--");
                Asked::git(command, LINE_BYTES, Some(b'\n'))
            }
            Probe::TmuxSessions => {
                let mut command = command("tmux");
                command.args(["list-sessions", "-F", "#{session_name}\t#{session_windows} windows"]);
                Asked {
                    command,
                    patience: Duration::from_secs(1),
                    bytes: LINE_BYTES,
                    cut_at: Some(b'\n'),
                    counts: Counts::Success,
                }
            }
            Probe::TmuxKeys(pane) => {
                let mut command = command("tmux");
                command.arg("-S").arg(pane.socket()).arg("list-keys");
                Asked {
                    command,
                    patience: Duration::from_secs(1),
                    bytes: LIST_BYTES,
                    cut_at: Some(b'\n'),
                    counts: Counts::Success,
                }
            }
            Probe::Help { aside, program, path, empty } => {
                let mut command = command(aside);
                command.args(["sandbox", "--"]).arg(program).current_dir(empty).env_clear();
                command.env("PATH", path).env("HOME", empty).env("TMPDIR", empty);
                command.env("LC_ALL", "C.UTF-8").env("TERM", "dumb").env("NO_COLOR", "1").env("COLUMNS", "100");
                command.env("PAGER", "cat").env("MANPAGER", "cat").env("GIT_PAGER", "cat");
                Asked {
                    command,
                    patience: Duration::from_secs(3),
                    bytes: HELP_BYTES,
                    cut_at: Some(b'\n'),
                    counts: Counts::Any,
                }
            }
            Probe::Manual { command: name, path } => {
                // Found on the PATH of whoever asks, which also says where the pages are.
                let mut command = command(found("man", path));
                command.args(["-S", "1:8:6", "-P", "cat", name]).env("PATH", path);
                command.env("LC_ALL", "C.UTF-8").env("TERM", "dumb").env("MANWIDTH", "100");
                // What a person sets for reading must not run here.
                command.env("PAGER", "cat").env("MANPAGER", "cat");
                for name in ["MANOPT", "MANROFFOPT", "MANROFFSEQ", "MANLESS", "LESSOPEN", "BROWSER"] {
                    command.env_remove(name);
                }
                Asked {
                    command,
                    patience: Duration::from_secs(3),
                    bytes: MANUAL_BYTES,
                    cut_at: Some(b'\n'),
                    counts: Counts::Success,
                }
            }
            Probe::Key(line) => {
                let words = split(line).unwrap_or_default();
                let mut command = command(words.first().map_or("", String::as_str));
                command.args(words.iter().skip(1));
                Asked::key(command)
            }
            Probe::Keyring(name) if cfg!(target_os = "macos") => {
                let mut command = command("security");
                command.args(["find-generic-password", "-s", "aside", "-a", name, "-w"]);
                Asked::key(command)
            }
            Probe::Keyring(name) => {
                let mut command = command("secret-tool");
                command.args(["lookup", "service", "aside", "username", name]);
                Asked::key(command)
            }
        }
    }
}

impl Asked {
    /// For somebody who can wait, in a repository of any size.
    fn git(command: Command, bytes: usize, cut_at: Option<u8>) -> Self {
        Self { command, patience: Duration::from_secs(10), bytes, cut_at, counts: Counts::Success }
    }

    /// Somebody may have to unlock what has it, with a finger or a word.
    fn key(command: Command) -> Self {
        Self { command, patience: Duration::from_secs(20), bytes: LINE_BYTES, cut_at: None, counts: Counts::Success }
    }

    fn line(program: &OsStr) -> Self {
        let mut command = command(program);
        command.arg("--version");
        Self { command, patience: Duration::from_secs(2), bytes: LINE_BYTES, cut_at: None, counts: Counts::Success }
    }
}

/// The first program of that name in an absolute directory of a PATH.
fn found(name: &str, path: &str) -> PathBuf {
    let places = path.split(':').filter(|place| place.starts_with('/')).map(|place| Path::new(place).join(name));
    places.into_iter().find(|program| program.is_file()).unwrap_or_else(|| PathBuf::from("/nonexistent").join(name))
}

/// Where a program may be that runs in a repository without anybody having typed its name: neither a directory that is meant from there,
/// such as `./node_modules/.bin`, nor one of the repository's own. A home is the person's, also where it is a repository.
fn places_outside(root: &Path, path: &OsStr) -> Vec<PathBuf> {
    let is_home = std::env::home_dir().is_some_and(|home| home.starts_with(root));
    let is_ours = |place: &PathBuf| place.is_absolute() && (is_home || !leads_into(place, root));
    std::env::split_paths(path).filter(is_ours).collect()
}

/// Git as we ask it: of the repository at that place and no other, taking no lock, fetching nothing, waiting for nobody.
fn git(root: &Path) -> Command {
    let places = places_outside(root, &std::env::var_os("PATH").unwrap_or_default());
    let program = places.iter().map(|place| place.join("git")).find(|program| is_executable(program));
    let mut command = command(program.unwrap_or_else(|| PathBuf::from("/nonexistent/git")));
    command.env("PATH", std::env::join_paths(places).unwrap_or_default());
    // We may have been started from a hook, which says of which repository.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"GIT_")) {
        command.env_remove(name);
    }
    command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_NO_LAZY_FETCH", "1").env("GIT_TERMINAL_PROMPT", "0");
    // Versions that know nothing of GIT_NO_LAZY_FETCH would fetch what is missing, by a command that the repository names.
    command.env("GIT_ALLOW_PROTOCOL", "none");
    // Neither one above it, nor files that pose as one.
    command.env("GIT_CEILING_DIRECTORIES", root.parent().unwrap_or(root)).args(["-c", "safe.bareRepository=explicit"]);
    command.env("LC_ALL", "C").arg("--no-optional-locks").current_dir(root);
    command
}

/// Git, for questions about the files themselves: what the repository's settings would have it run is left out. A filter is such
/// a command, and so is a monitor.
fn quiet_git(root: &Path, without_filters: &[String]) -> Command {
    let mut command = git(root);
    command.env("GIT_PAGER", "cat");
    command.args(["--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null"]);
    // Names are told as they are.
    command.args(["-c", "core.quotePath=false"]);
    for name in without_filters {
        for what in ["clean=", "smudge=", "process=", "required=false"] {
            command.args(["-c", &format!("filter.{name}.{what}")]);
        }
    }
    command
}

/// What the program printed, or `None` when it is missing, failed or took too long. Blocks until then.
pub fn probe(probe: &Probe<'_>) -> Option<String> {
    printed(probe.asked())
}

/// Has tmux open the pipe of a pane, and gives what it printed: nothing at all when there is no tmux, or it does not answer.
/// What it starts is its own child, not ours.
pub fn tap(opening: &Opening) -> Option<String> {
    let mut command = command("tmux");
    command.args(opening.arguments());
    let patience = Duration::from_secs(1);
    printed(Asked { command, patience, bytes: LINE_BYTES, cut_at: None, counts: Counts::Any })
}

fn printed(asked: Asked) -> Option<String> {
    let Asked { mut command, patience, bytes, cut_at, counts } = asked;
    let deadline = Instant::now() + patience;
    // A group of its own: what it starts is ended with it.
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
    let mut child = command.spawn().ok()?;
    let stdout = child.stdout.take()?;
    let (sender, answer) = mpsc::channel();
    std::thread::spawn(move || {
        let mut answer = Vec::new();
        let read = stdout.take(bytes as u64 + 1).read_to_end(&mut answer).ok().map(|_| answer);
        sender.send(read)
    });
    let left = || deadline.saturating_duration_since(Instant::now());
    // Something that it started may hold its output open long after it has ended; that is no answer either.
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
            Counts::Success if !status.success() => return None,
            Counts::Success | Counts::Any => {}
        }
    }
    Some(String::from_utf8_lossy(&answer).into_owned())
}

/// Waits for its end, and ends what it started and left behind.
fn wait(child: &mut Child, left: impl Fn() -> Duration) -> Option<ExitStatus> {
    // It stays a zombie until its group has been ended: only so long is the number of the group surely its own.
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

/// What we start on behalf of the person who typed the command.
pub enum Own<'a> {
    /// The daemon, detached from this terminal.
    Daemon,
    /// A shell with these arguments and variables, until it ends.
    Shell { program: &'a OsStr, args: &'a [OsString], env: &'a [(&'static str, OsString)] },
    /// The person's editor on a file, until it ends.
    Editor(&'a Path),
    /// The person's pager on a file with colours in it, until it ends.
    Pager(&'a Path),
    /// The person's browser on the page, which outlives us.
    Browser(Page<'a>),
}

/// Where a browser may be sent.
pub enum Page<'a> {
    /// An address of this machine.
    Address(&'a str),
    /// A file of ours that leads there.
    File(&'a Path),
}

/// Starts it, and waits unless it is the daemon.
pub fn own(own: Own<'_>) -> anyhow::Result<ExitStatus> {
    match own {
        Own::Daemon => {
            let executable = std::env::current_exe().context("could not find the program itself")?;
            let mut daemon = command(executable.as_os_str());
            daemon.args(["daemon", "run", "--detach"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = daemon.spawn().context("could not start the daemon")?;
            // `aside pipe` lives as long as its shell, and would keep each daemon that has gone as a zombie.
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
            // Colours are shown as such by those that read this. Whoever has settings of their own keeps them.
            if std::env::var_os("LESS").is_none() {
                pager.env("LESS", "-R");
            }
            let started = pager.args(arguments).arg(file).status();
            started.with_context(|| format!("could not start {program}; set PAGER to a pager you have"))
        }
        Own::Browser(page) => browse(&page),
    }
}

/// Whether it is an address of this machine, which needs no network to be found.
fn is_here(address: &str) -> bool {
    let host = address.strip_prefix("http://").and_then(|rest| rest.split_once(':')).map(|(host, _)| host);
    let is_plain = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    host.is_some_and(|host| host == "127.0.0.1" || host.strip_suffix(".localhost").is_some_and(is_plain))
}

/// How long a browser that could not be started may take to say so.
const OPENING: Duration = Duration::from_secs(2);

/// Some openers end when they have handed over, others when the browser does: those are left to themselves.
fn browse(page: &Page<'_>) -> anyhow::Result<ExitStatus> {
    let page = match page {
        Page::Address(address) if is_here(address) => OsStr::new(address),
        Page::Address(_) => bail!("this is no page of ours"),
        Page::File(file) => file.as_os_str(),
    };
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut browser = command(opener);
    // A group of its own: what is typed at this terminal is not for it.
    browser.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
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

/// A shell as somebody else started it, or would.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shell {
    pub program: OsString,
    /// What it is told that it is called: `-zsh` makes a login shell.
    pub name: OsString,
    pub arguments: Vec<OsString>,
}

impl Shell {
    fn command(&self, variable: (&str, &OsStr)) -> Command {
        let mut command = command(&self.program);
        command.arg0(&self.name).args(&self.arguments).env(variable.0, variable.1);
        command
    }
}

/// Starts the shell as the leader of a session that this terminal controls.
#[expect(unsafe_code, reason = "a session and its terminal can be made only between fork and exec")]
pub fn enclose(shell: &Shell, variable: (&str, &OsStr), terminal: &OwnedFd) -> anyhow::Result<Pid> {
    let mut command = shell.command(variable);
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

/// Becomes the shell. Returns only when that fails.
pub fn become_shell(shell: &Shell, variable: (&str, &OsStr)) -> anyhow::Error {
    let error = shell.command(variable).exec();
    anyhow::Error::new(error).context(format!("could not start {}", shell.program.display()))
}

/// Starts ourselves once more, to see to the modes of a terminal when we are killed: it hears of that by the end of `told`.
pub fn start_keeper(told: PipeReader, terminal: OwnedFd) -> anyhow::Result<Pid> {
    let executable = std::env::current_exe().context("could not find the program itself")?;
    let mut keeper = command(executable.as_os_str());
    keeper.args(["proxy", "--keep-modes"]).stdin(told).stdout(terminal).stderr(Stdio::null()).current_dir("/");
    let child = keeper.spawn().context("could not start a process")?;
    Ok(Pid::from_child(&child))
}

/// What we were started with beyond the first three descriptors: it is meant for the shell. To be called before anything is
/// opened.
pub fn inherited() -> Vec<RawFd> {
    let Ok(entries) = std::fs::read_dir("/dev/fd") else { return Vec::new() };
    let numbers: Vec<RawFd> = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    // Among them is the one by which they were listed, which is closed by now.
    let is_open = |number: &RawFd| std::fs::symlink_metadata(format!("/dev/fd/{number}")).is_ok();
    numbers.into_iter().filter(|number| *number > 2).filter(is_open).collect()
}

/// Lets go of what only the shell should hold: a pipe whose end somebody waits for must not stay open for our sake.
#[expect(unsafe_code, reason = "nobody owns a descriptor that we were started with")]
pub fn let_go(inherited: Vec<RawFd>) {
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

/// Words as a shell would cut them: blanks separate, quotes and `\` protect. Nothing is expanded and no shell runs, so
/// `~` and `$HOME` in the variable must have been expanded when it was set. Nothing when a quote is left open.
fn split(text: &str) -> Option<Vec<String>> {
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
            // Within double quotes `\` protects only what would mean something there.
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

/// The open socket and lock of a daemon, kept across the start of its new version in the same process.
#[derive(Clone, Copy)]
pub struct Inherited {
    pub listener: RawFd,
    pub lock: RawFd,
}

impl Inherited {
    /// Only what `become_daemon` of this very process left: the pid is part of the value, since a variable may leak
    /// into other processes.
    pub fn from_env() -> Option<Self> {
        let value = std::env::var(INHERIT).ok()?;
        let mut numbers = value.split(',').map(|number| number.parse::<i32>().ok());
        let (pid, listener, lock) = (numbers.next()??, numbers.next()??, numbers.next()??);
        (pid == std::process::id() as i32).then_some(Self { listener, lock })
    }
}

/// Becomes the program at `executable`, as a daemon on the same socket. Returns only when that fails.
pub fn become_daemon(executable: &Path, inherited: &Inherited) -> anyhow::Error {
    let value = format!("{},{},{}", std::process::id(), inherited.listener, inherited.lock);
    let error = command(executable.as_os_str()).args(["daemon", "run"]).env(INHERIT, value).exec();
    anyhow::Error::new(error).context(format!("could not start {}", executable.display()))
}

/// Becomes `PROGRAM --help`, which may complain where it would print. Returns only when that fails.
pub fn become_help(program: &Path) -> anyhow::Error {
    let printed = match std::io::stdout().as_fd().try_clone_to_owned() {
        Ok(printed) => printed,
        Err(error) => return anyhow::Error::new(error).context("could not share the output"),
    };
    let error = command(program).arg("--help").stderr(printed).exec();
    anyhow::Error::new(error).context(format!("could not start {}", program.display()))
}

/// Where a program is, as the shell would find it.
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

/// What a shell that is installed here prints. For the tests of what we print for it.
#[cfg(test)]
pub fn printed_by(shell: &str, args: &[&str]) -> Option<String> {
    let ended = command(shell).args(args).env("ASIDE_DISABLE", "1").stdin(Stdio::null()).output().ok()?;
    Some(String::from_utf8_lossy(&ended.stdout).into_owned())
}

/// Runs git, as nobody in particular at a fixed time, and gives back what it printed. For the tests of what we read.
#[cfg(test)]
pub fn git_in(directory: &Path, args: &[&str]) -> String {
    let mut git = git(directory);
    for who in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{who}_NAME"), "Somebody").env(format!("GIT_{who}_EMAIL"), "somebody@example.invalid");
    }
    git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let ended = git.args(args).stdin(Stdio::null()).output().unwrap();
    assert!(ended.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&ended.stderr));
    String::from_utf8_lossy(&ended.stdout).into_owned()
}

/// Whether a shell that is installed here can parse the script (`-n`: it runs nothing). For the tests of what we print.
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
    fn a_program_of_the_repository_is_not_found_by_a_name() {
        let temp = tempfile::tempdir().unwrap();
        let (root, outside) = (temp.path().join("repository"), temp.path().join("outside"));
        for place in [&root.join("bin"), &outside] {
            std::fs::create_dir_all(place).unwrap();
        }
        std::os::unix::fs::symlink(root.join("bin"), temp.path().join("link")).unwrap();
        let path = format!("node_modules/.bin:.::{0}/repository/bin:{0}/link:{0}/outside", temp.path().display());
        assert_eq!(places_outside(&root, OsStr::new(&path)), [outside]);
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
