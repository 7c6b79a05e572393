//! `aside keep`: the supervisor between the daemon and an approved command, in a session without a terminal. It starts the shell, reports
//! how it ended, and leaves nothing behind: it kills the whole process tree, however far a process has detached itself. It also does so on
//! EOF of its standard input, which the daemon causes on purpose or by its own end.

use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};

use crate::exec::command;
use crate::exec::run::environment::arguments;
use crate::exec::run::supervisor_protocol::{RunRequest, SupervisorReport, WriteScope};
use crate::exec::supervisor::process_tree::{Member, descendants};
use crate::exec::taint::TrustLevel;
use crate::world::sandbox::{self, WriteAccess};

pub mod agent;
mod hooks;
pub mod process_tree;

/// How long the shell's background processes may go on by themselves, such as the end of a pipeline for its output.
const LINGER: Duration = Duration::from_millis(500);
/// Between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(3);
/// How long to retry SIGKILL: a process may wait for a disk, or be another user's. On a busy machine a killed process takes a moment to
/// die, too.
const KILLING: Duration = Duration::from_secs(5);
/// How long the daemon waits for a supervisor before it kills it. Killing it leaves detached processes running, so this is far more than it
/// needs.
pub const PATIENCE: Duration =
    LINGER.saturating_add(GRACE).saturating_add(KILLING).saturating_add(Duration::from_secs(20));
/// Minimum interval between scans for processes that are left.
const LOOK: Duration = Duration::from_millis(10);

/// Supervises the command that standard input describes, whose output is standard error, and reports on it in `report`.
pub fn supervise(mut report: impl Write) {
    let mut say = |what: SupervisorReport| {
        // The daemon may be gone.
        let _ = report.write_all(what.line().as_bytes());
        let _ = report.flush();
    };
    let ended = kept(&mut say).unwrap_or_else(|error| SupervisorReport::Failed(format!("{error:#}")));
    say(ended);
    drop(report);
    stay();
}

/// Stays while a process of the command is left: orphans become our children, and the daemon sees by us that they exist. No client waits
/// for this.
fn stay() {
    if matches!(rustix::process::wait(WaitOptions::NOHANG), Err(Errno::CHILD)) {
        return;
    }
    if let Ok(nothing) = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()) {
        let _ = rustix::stdio::dup2_stdin(&nothing);
        let _ = rustix::stdio::dup2_stdout(&nothing);
        let _ = rustix::stdio::dup2_stderr(&nothing);
    }
    while !matches!(rustix::process::wait(WaitOptions::empty()), Err(Errno::CHILD)) {}
}

fn kept(say: &mut impl FnMut(SupervisorReport)) -> anyhow::Result<SupervisorReport> {
    // Without a terminal no program can ask for a password, and as the shell is not a session leader it cannot acquire one.
    rustix::process::setsid().context("could not leave the terminal")?;
    // A subreaper: orphans become our children, so that none is lost.
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).context("could not watch over processes")?;
    let order = RunRequest::read(std::io::stdin().lock())?;
    let before = watched_hooks(&order);
    let mut kept = Kept::start(&order, say)?;
    let ended = kept.wait(reach(&order));
    kept.reap();
    if !kept.ended_with_it.is_empty() {
        say(SupervisorReport::Note(format!("it left {} in the background, which ended with it", kept.ended_with_it)));
    }
    if kept.has_children {
        say(SupervisorReport::Left);
        let left = process_tree::names(&descendants(kept.shell));
        if !left.is_empty() {
            say(SupervisorReport::Note(format!(
                "{left} goes on in the background; as long as it does, the page approves nothing"
            )));
        }
    }
    if let Some(temp) = &order.temp {
        remove(temp);
    }
    for note in hooks::report(&before, &watched_hooks(&order)) {
        say(SupervisorReport::Note(note));
    }
    Ok(match ended {
        Some(status) => match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => SupervisorReport::Exit(code),
            (None, Some(number)) => SupervisorReport::Signal(number),
            (None, None) => bail!("it is not known how the command ended"),
        },
        None => SupervisorReport::Stopped,
    })
}

fn watched_hooks(order: &RunRequest) -> hooks::Hooks {
    match &order.bounds {
        WriteScope::Workspace(workspace) => hooks::hooks(workspace, &order.environment),
        WriteScope::None | WriteScope::Unwatched => hooks::Hooks::default(),
    }
}

/// Which processes are killed when the shell has ended by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KillScope {
    /// Those in our session. A process that made its own session is meant to stay, such as a server.
    Session,
    /// All of them.
    All,
}

fn reach(order: &RunRequest) -> KillScope {
    match order.bounds {
        WriteScope::None => KillScope::Session,
        // A server started in the sandbox would stay in it, and serve others from there.
        WriteScope::Workspace(_) | WriteScope::Unwatched => KillScope::All,
    }
}

struct Kept {
    shell: Pid,
    ended: Option<WaitStatus>,
    has_children: bool,
    /// The names of background processes that were killed after the shell.
    ended_with_it: String,
    /// Readable when a child has ended.
    woken: UnixStream,
}

impl Kept {
    fn start(order: &RunRequest, say: &mut impl FnMut(SupervisorReport)) -> anyhow::Result<Self> {
        let (woken, wake) = UnixStream::pair().context("could not make a socket")?;
        woken.set_nonblocking(true).context("could not make a socket")?;
        signal_hook::low_level::pipe::register(signal_hook::consts::SIGCHLD, wake)
            .context("could not watch over processes")?;
        let pipe = || std::io::pipe().context("could not make a pipe");
        let ((told, mut tell), (mut complaint, complains)) = (pipe()?, pipe()?);
        let printed = std::io::stderr().as_fd().try_clone_to_owned().context("could not share the output")?;
        let mut entering = command(&order.aside);
        entering.args(["keep", "--enter", &std::process::id().to_string()]).env_clear();
        entering.stdin(told).stdout(complains).stderr(printed).process_group(0);
        let child = entering.spawn().with_context(|| format!("could not start {}", order.aside.display()))?;
        drop(entering);
        // Before it is told what to execute: the command might kill us, and its group would then be lost.
        say(SupervisorReport::Started(Pid::from_child(&child)));
        // If the child has ended, it says why.
        let _ = tell.write_all(&order.bytes());
        drop(tell);
        // Reads until EOF, which the exec causes.
        let mut why = String::new();
        complaint.read_to_string(&mut why).context("could not hear whether the command was started")?;
        if !why.is_empty() {
            bail!(why);
        }
        Ok(Self {
            shell: Pid::from_child(&child),
            ended: None,
            has_children: true,
            ended_with_it: String::new(),
            woken,
        })
    }

    /// Waits until it is over. Returns the shell's status, or `None` if it was stopped.
    fn wait(&mut self, reach: KillScope) -> Option<WaitStatus> {
        loop {
            self.reap();
            if self.ended.is_some() {
                break;
            }
            if self.pause(None) == Life::Over {
                self.end(KillScope::All);
                return None;
            }
        }
        let until = Instant::now() + LINGER;
        while self.is_left(reach) && Instant::now() < until && self.pause(Some(LOOK)) == Life::Goes {}
        let status = self.ended;
        if self.is_left(reach) {
            let within: Vec<Member> =
                descendants(self.shell).into_iter().filter(|member| member.is_within(reach)).collect();
            self.ended_with_it = process_tree::names(&within);
        }
        self.end(reach);
        status
    }

    /// SIGTERM first, then SIGKILL.
    fn end(&mut self, reach: KillScope) {
        if !self.is_left(reach) {
            return;
        }
        self.signal(reach, Signal::TERM);
        // A stopped process does not handle signals.
        self.signal(reach, Signal::CONT);
        let until = Instant::now() + GRACE;
        while self.is_left(reach) && Instant::now() < until {
            self.rest();
        }
        // A full period from now, however late it is: a machine may stand still for longer than that.
        let until = Instant::now() + KILLING;
        while self.is_left(reach) {
            self.signal(reach, Signal::KILL);
            self.rest();
            if Instant::now() >= until {
                return;
            }
        }
    }

    fn signal(&self, reach: KillScope, signal: Signal) {
        // Signals the whole group at once, so that none of it can fork meanwhile. The group's id cannot be reused as long as the shell was
        // not reaped.
        if self.ended.is_none() {
            let _ = rustix::process::kill_process_group(self.shell, signal);
        }
        for Member { pid, group, .. } in descendants(self.shell).into_iter().filter(|member| member.is_within(reach)) {
            if self.ended.is_some() || group != self.shell {
                let _ = rustix::process::kill_process(pid, signal);
            }
        }
    }

    fn is_left(&mut self, reach: KillScope) -> bool {
        self.reap();
        let is_seen = || descendants(self.shell).iter().any(|member| member.is_within(reach));
        // Scans twice: /proc is read in the order of pids. When these wrap around, one scan may miss both a parent that ends and its child,
        // but the next does not.
        self.has_children && (self.ended.is_none() || is_seen() || is_seen())
    }

    /// Reaps ended children.
    fn reap(&mut self) {
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.shell => self.ended = Some(status),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return,
                Err(_) => {
                    // On Linux the whole process tree would be our children by now.
                    self.has_children = !cfg!(target_os = "linux");
                    return;
                }
            }
        }
    }

    /// Waits until a child ends, standard input closes, or the timeout.
    fn pause(&mut self, most: Option<Duration>) -> Life {
        let input = std::io::stdin();
        let mut seen = [PollFd::new(&input, PollFlags::IN), PollFd::new(&self.woken, PollFlags::IN)];
        let most = most.map(|most| Timespec { tv_sec: 0, tv_nsec: i64::from(most.subsec_nanos()) });
        let _ = poll(&mut seen, most.as_ref());
        let [told, _] = seen.map(|seen| !seen.revents().is_empty());
        self.forget_wakes();
        // Nothing follows the order on standard input, so it can only be EOF.
        let is_over = told && !matches!(rustix::io::read(&input, &mut [0; 64]), Ok(1..) | Err(Errno::INTR));
        if is_over { Life::Over } else { Life::Goes }
    }

    /// The same after EOF of standard input.
    fn rest(&mut self) {
        let most = Timespec { tv_sec: 0, tv_nsec: i64::from(LOOK.subsec_nanos()) };
        let _ = poll(&mut [PollFd::new(&self.woken, PollFlags::IN)], Some(&most));
        self.forget_wakes();
    }

    fn forget_wakes(&mut self) {
        while matches!(self.woken.read(&mut [0; 64]), Ok(1..)) {}
    }
}

/// Whether the daemon lives and wants the command to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Goes,
    Over,
}

impl Member {
    fn is_within(&self, reach: KillScope) -> bool {
        match reach {
            KillScope::Session => self.is_in_session,
            KillScope::All => true,
        }
    }
}

/// Removes the directory, also when the command made parts of it read-only, as Go does with its module cache.
fn remove(temp: &Path) {
    if std::fs::remove_dir_all(temp).is_ok() {
        return;
    }
    let mut places = vec![temp.to_owned()];
    while let Some(place) = places.pop() {
        let _ = rustix::fs::chmod(&place, Mode::RWXU);
        let entries = std::fs::read_dir(&place).into_iter().flatten().flatten();
        // Does not follow links.
        places.extend(
            entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path()),
        );
    }
    let _ = std::fs::remove_dir_all(temp);
}

/// Execs the shell with the command that standard input describes, in its sandbox, and dies with `parent`. Reports in `report` why it did
/// not.
pub fn exec_shell(parent: u32, mut report: impl Write) {
    let error = entered(parent);
    let _ = report.write_all(format!("{error:#}").as_bytes());
    let _ = report.flush();
}

fn entered(parent: u32) -> anyhow::Error {
    let ready = || {
        #[cfg(target_os = "linux")]
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
            .context("could not tie it to the daemon")?;
        // The parent may have ended before the death signal was set.
        let is_there = rustix::process::getppid().is_some_and(|pid| pid.as_raw_pid().unsigned_abs() == parent);
        anyhow::ensure!(is_there, "what would watch over it has gone");
        let order = RunRequest::read(std::io::stdin().lock())?;
        let printed = std::io::stderr().as_fd().try_clone_to_owned().context("could not share the output")?;
        let cwd = the_very(&order.cwd)?;
        rustix::process::fchdir(&cwd).with_context(|| format!("could not go to {}", order.cwd.display()))?;
        TrustLevel::Command.take()?;
        confine(&order)?;
        Ok((order, printed))
    };
    let (order, printed) = match ready() {
        Ok(ready) => ready,
        Err(error) => return error,
    };
    let mut shell = command(&order.shell);
    shell.args(arguments(order.dialect)).arg(&order.text).env_clear().envs(order.environment);
    let error = shell.stdin(Stdio::null()).stdout(printed).exec();
    anyhow::Error::new(error).context(format!("could not start {}", order.shell.display()))
}

fn confine(order: &RunRequest) -> anyhow::Result<()> {
    let temp = match &order.temp {
        Some(temp) => Some(the_very(temp)?),
        None => None,
    };
    let temp = || temp.as_ref().context("it has no directory for temporary files");
    match &order.bounds {
        WriteScope::None => Ok(()),
        WriteScope::Workspace(workspace) => {
            sandbox::confine(&WriteAccess::Beneath { places: &[&the_very(workspace)?, temp()?], hidden: &[] })
                .context("it cannot be kept in the workspace; edit the proposal to `confine = no` to run it anyway")
        }
        WriteScope::Unwatched => sandbox::confine(&WriteAccess::Nothing { temp: temp()? })
            .context("it cannot be kept from writing; take the rule that allows it out of rules.toml"),
    }
}

/// Opens the directory without following links: the approved path has none, so a link that is there now was put there since.
fn the_very(directory: &Path) -> anyhow::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let opened = without_links(directory, flags);
    opened.map_err(|error| match error {
        Errno::LOOP => {
            anyhow::anyhow!(
                "{} is or is behind a link now, and may be another directory; ask again",
                directory.display()
            )
        }
        Errno::NOENT | Errno::NOTDIR => {
            anyhow::anyhow!("{} is no directory any more; ask again from one that is", directory.display())
        }
        error => anyhow::Error::new(error).context(format!("could not go to {}", directory.display())),
    })
}

#[cfg(target_os = "linux")]
fn without_links(directory: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    use rustix::fs::{CWD, ResolveFlags};
    match rustix::fs::openat2(CWD, directory, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        // A kernel or a container may lack openat2.
        Err(Errno::NOSYS | Errno::PERM) => compared(directory, flags),
        opened => opened,
    }
}

#[cfg(not(target_os = "linux"))]
fn without_links(directory: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    compared(directory, flags)
}

fn compared(directory: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    let opened = rustix::fs::open(directory, flags, Mode::empty())?;
    let resolved = std::fs::canonicalize(directory).map_err(|_| Errno::NOENT)?;
    let (there, own) = (rustix::fs::lstat(&resolved)?, rustix::fs::fstat(&opened)?);
    let is_same = resolved == directory && (there.st_dev, there.st_ino) == (own.st_dev, own.st_ino);
    if is_same { Ok(opened) } else { Err(Errno::LOOP) }
}
