//! Runs an approved command: takes the approval, runs the command once, and streams its output. Core decides what may run; this only how.
//! The command is a child of `supervisor`, a second process of ours, which kills the command's process tree when it is over, times out, or when
//! we are gone.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

use anyhow::{Context, bail};
use aside_task::gate::approve::{Approved, Permission};
use aside_task::gate::offer::OfferedAct;
use aside_task::proposal::WriteConfinement;
use rustix::process::{Pid, Signal};
use shell_line::Dialect;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::exec::command;
use crate::exec::presence::RunningGuard;
use crate::exec::run::output::Output;
use crate::exec::run::supervisor_protocol::{RunRequest, SupervisorReport, WriteScope};
use crate::exec::supervisor::PATIENCE;
use crate::world::sandbox;

pub mod environment;
mod output;
pub mod supervisor_protocol;

/// Bytes per read: as much as a pipe holds.
const BUFFER: usize = 64 * 1024;
/// How long the pipe is read after the command's end, since a leftover process may hold it open.
const DRAIN: Duration = Duration::from_secs(1);
/// Pause after so many reads of output beyond the cap, so that a command that prints without end does not take all of the daemon's time.
const YAWN: Duration = Duration::from_millis(1);
const READS: u32 = 16;
/// Timeout for the supervisor to take its order.
const START: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub timeout: Duration,
    /// Cap on the text that is streamed; what is printed beyond it is read and only counted.
    pub bytes: usize,
}

/// Where and how a command runs.
#[derive(Clone, Copy, Debug)]
pub struct RunContext<'a> {
    /// Absolute, with links resolved.
    pub workspace: &'a Path,
    /// The dialect in which the command was judged.
    pub dialect: Dialect,
    /// The environment of the approving terminal. Our own when empty.
    pub environment: &'a [(OsString, OsString)],
    /// Our own executable.
    pub aside: &'a Path,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunOutcome {
    Exit(i32),
    Signal(i32),
    TimedOut,
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    pub ended: RunOutcome,
    /// Bytes printed, kept or not.
    pub bytes: u64,
    /// Whether some were not kept.
    pub cut: bool,
}

/// Runs it and streams its output in pieces that end at character boundaries. Stops when `stop` becomes true, or when the future is
/// dropped. An error says why nothing was run, unless it says that the command was killed.
pub async fn run(
    approved: Approved,
    ground: RunContext<'_>,
    limits: Limits,
    mut stop: watch::Receiver<bool>,
    mut say: impl FnMut(&str),
) -> anyhow::Result<Finished> {
    // The supervisor removes it; we do, if the supervisor was killed.
    let (order, _temp) = ordered(approved, ground)?;
    if *stop.borrow() {
        return Ok(Finished { ended: RunOutcome::Stopped, bytes: 0, cut: false });
    }
    let mut running = RunningGuard::begin_prepared().await;
    // A supervisor that did not receive the whole order starts nothing.
    let told_all = match start(&order) {
        Ok(Started { supervisor, lifeline, output, report }) => {
            hand_over(lifeline, &order).await.map(|lifeline| (supervisor, lifeline, output, report))
        }
        Err(error) => Err(error),
    };
    let (mut supervisor, lifeline, mut printed, report) = match told_all {
        Ok(started) => started,
        Err(error) => {
            running.ended_with_all();
            return Err(error);
        }
    };
    let mut lifeline = Some(lifeline);
    let mut report = BufReader::new(report).lines();
    let (mut is_kept, mut is_open) = (true, true);
    let mut is_report_over = false;
    let mut group = None;
    let mut told = None;
    let mut is_left = false;
    let mut why = None;
    let mut output = Output::new(limits.bytes);
    let mut buffer = vec![0; BUFFER];
    let mut reads = 0_u32;
    let mut until = later(limits.timeout);
    while is_kept || is_open {
        tokio::select! {
            read = read(&mut printed, &mut buffer, output.is_full() && reads.is_multiple_of(READS)), if is_open => {
                reads = reads.wrapping_add(1);
                match read {
                    Some(bytes) => output.push(bytes),
                    None => is_open = false,
                }
            }
            line = report.next_line(), if is_kept => match heard(line, &mut is_report_over) {
                Some(SupervisorReport::Started(pid)) => group = Some(pid),
                Some(SupervisorReport::Left) => is_left = true,
                Some(SupervisorReport::Note(text)) => output.note(&format!("… {text}\n")),
                Some(end @ (SupervisorReport::Exit(_) | SupervisorReport::Signal(_) | SupervisorReport::Stopped | SupervisorReport::Failed(_))) => told = Some(end),
                None => {
                    is_kept = false;
                    until = later(DRAIN);
                }
            },
            () = tokio::time::sleep_until(until) => {
                // A leftover process holds the pipe, or the supervisor itself hangs.
                if !is_kept || why.is_some() {
                    break;
                }
                why = Some(RunOutcome::TimedOut);
                lifeline = None;
                until = later(PATIENCE);
            }
            () = stopped(&mut stop), if is_kept && why.is_none() => {
                why = Some(RunOutcome::Stopped);
                lifeline = None;
                until = later(PATIENCE);
            }
            () = tokio::time::sleep_until(output.due()), if output.is_waiting() => output.tell(&mut say),
        }
        if output.is_due() {
            output.tell(&mut say);
        }
    }
    drop(lifeline);
    if told.is_none() {
        supervisor.end(group);
    }
    match told {
        // The supervisor is the parent of what is left, and ends with it.
        Some(_) if is_left => {
            running.left();
            supervisor.watch(running);
        }
        Some(_) => {
            supervisor.collect().await;
            running.ended_with_all();
        }
        None => {
            supervisor.collect().await;
            // It reports the start before the shell gets the command, so without that report nothing has run.
            if is_report_over && group.is_none() {
                running.ended_with_all();
            }
        }
    }
    output.finish();
    output.tell(&mut say);
    let ended = outcome(told, why, is_report_over && group.is_none(), &order)?;
    Ok(Finished { ended, bytes: output.printed(), cut: output.lost() > 0 })
}

/// How it ended: what the supervisor reported, else why we stopped it.
fn outcome(
    told: Option<SupervisorReport>,
    why: Option<RunOutcome>,
    never_began: bool,
    order: &RunRequest,
) -> anyhow::Result<RunOutcome> {
    Ok(match (told, why) {
        (Some(SupervisorReport::Exit(code)), _) => RunOutcome::Exit(code),
        (Some(SupervisorReport::Signal(number)), _) => RunOutcome::Signal(number),
        (Some(SupervisorReport::Failed(text)), _) => bail!(text),
        (_, Some(why)) => why,
        (None, None) if never_began => {
            bail!(
                "what watches over commands could not start, and so nothing was run; is {} as it was?",
                order.aside.display()
            )
        }
        (
            Some(
                SupervisorReport::Stopped
                | SupervisorReport::Started(_)
                | SupervisorReport::Note(_)
                | SupervisorReport::Left,
            )
            | None,
            None,
        ) => {
            bail!("what watched over the command was killed, and so the command was ended; ask again")
        }
    })
}

/// The order, from what was approved.
fn ordered(approved: Approved, ground: RunContext<'_>) -> anyhow::Result<(RunRequest, Option<TempDir>)> {
    let leave = approved.leave();
    let command = match approved.into_act() {
        OfferedAct::Run(command) => command,
        OfferedAct::Apply(_) => bail!("a change to files was approved, and that is not a command"),
    };
    let own: Vec<(OsString, OsString)>;
    let base = match ground.environment {
        [] => {
            own = std::env::vars_os().collect();
            &own
        }
        given => given,
    };
    let shell = environment::shell(ground.dialect, base, ground.workspace)?;
    let bounds = match (leave, command.confine) {
        (Permission::Rules, WriteConfinement::No | WriteConfinement::Workspace) => WriteScope::Unwatched,
        (Permission::Person, WriteConfinement::Workspace) => WriteScope::Workspace(ground.workspace.to_owned()),
        (Permission::Person, WriteConfinement::No) => WriteScope::None,
    };
    match &bounds {
        WriteScope::None => {}
        WriteScope::Workspace(_) => sandbox::check().context(
            "it is to write in the workspace only, which cannot be seen to here; edit the proposal to `confine = no` to run it anyway",
        )?,
        WriteScope::Unwatched => sandbox::check().context(
            "it runs unasked, and here it could not be kept from writing; take the rule that allows it out of rules.toml",
        )?,
    }
    let temp = match &bounds {
        WriteScope::None => None,
        WriteScope::Workspace(_) | WriteScope::Unwatched => Some(environment::temporary(base)?),
    };
    let mut environment = match leave {
        Permission::Person => environment::reviewed(base, &command.environment)?,
        Permission::Rules => environment::unreviewed(base, ground.workspace),
    };
    environment::location(&mut environment, &command.cwd, temp.as_ref().map(|temp| temp.path()));
    let order = RunRequest {
        aside: ground.aside.to_owned(),
        shell,
        dialect: ground.dialect,
        text: command.cmd,
        cwd: PathBuf::from(command.cwd),
        bounds,
        temp: temp.as_ref().map(|temp| temp.path().to_owned()),
        environment: environment.into_iter().collect(),
    };
    Ok((order, temp))
}

struct Started {
    supervisor: Supervisor,
    /// The supervisor kills the command when this end is closed, by us or by our own end.
    lifeline: Sender,
    output: Receiver,
    report: Receiver,
}

/// Starts the supervisor without the command's variables: one that loads a library would load it there too, outside of the sandbox.
fn start(order: &RunRequest) -> anyhow::Result<Started> {
    let pipe = || std::io::pipe().context("could not make a pipe");
    let ((heard, lifeline), (output, prints), (report, reports)) = (pipe()?, pipe()?, pipe()?);
    let mut supervisor = command(&order.aside);
    supervisor.arg("keep").env_clear().current_dir("/").stdin(heard).stdout(reports).stderr(prints);
    let failed = "could not listen to the command";
    let lifeline = Sender::from_owned_fd(lifeline.into()).context(failed)?;
    let output = Receiver::from_owned_fd(output.into()).context(failed)?;
    let report = Receiver::from_owned_fd(report.into()).context(failed)?;
    // Last, so that an error means that no process was started.
    let child = supervisor.spawn().with_context(|| format!("could not start {}", order.aside.display()))?;
    Ok(Started { supervisor: Supervisor { child: Some(child) }, lifeline, output, report })
}

/// A supervisor that has ended says why in its report, or not at all.
async fn hand_over(mut lifeline: Sender, order: &RunRequest) -> anyhow::Result<Sender> {
    let bytes = order.bytes();
    let _ = tokio::time::timeout(START, lifeline.write_all(&bytes)).await.context("the keeper does not listen")?;
    Ok(lifeline)
}

fn heard(line: std::io::Result<Option<String>>, is_report_over: &mut bool) -> Option<SupervisorReport> {
    let line = line.ok()?;
    *is_report_over = line.is_none();
    SupervisorReport::read(&line?)
}

async fn read<'b>(printed: &mut Receiver, buffer: &'b mut [u8], is_tired: bool) -> Option<&'b [u8]> {
    if is_tired {
        tokio::time::sleep(YAWN).await;
    }
    let read = printed.read(buffer).await.ok().filter(|read| *read > 0)?;
    buffer.get(..read)
}

/// Never returns once the sender is dropped.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        std::future::pending().await
    }
}

fn later(span: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(span).unwrap_or(now + Duration::from_secs(365 * 24 * 3600))
}

/// The supervisor process. When dropped, it ends by itself, since its lifeline is closed, and is reaped then.
struct Supervisor {
    child: Option<Child>,
}

impl Supervisor {
    /// It did not report how the command ended: it was killed, or hangs. The shell dies with it; the shell's children might not.
    fn end(&mut self, group: Option<Pid>) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
        }
        if let Some(group) = group {
            let _ = rustix::process::kill_process_group(group, Signal::KILL);
        }
    }

    /// Waits in a thread until all leftovers have ended.
    fn watch(&mut self, running: RunningGuard) {
        if let Some(mut child) = self.child.take() {
            std::thread::spawn(move || {
                if child.wait().is_ok_and(|status| status.success()) {
                    running.ended_with_all();
                }
            });
        }
    }

    async fn collect(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = tokio::task::spawn_blocking(move || child.wait()).await;
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            std::thread::spawn(move || child.wait());
        }
    }
}

#[cfg(test)]
mod tests;
