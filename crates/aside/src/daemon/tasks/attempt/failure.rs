//! Finds what failed when the user asks why: the text they pasted, or the last failed command of their shell or of a task of the
//! conversation.

use std::sync::Arc;

use aside_core::suggest::resolved::{self, FinishedRun, RunStatus};
use aside_proto::command_ended::RecalledCommand;
use aside_task::run::conversation::EarlierTask;
use aside_task::run::diagnose::own::OwnProject;
use aside_task::run::diagnose::{DiagnosedFailure, mentioned, places};
use aside_task::state::StateName;

use crate::daemon::state::State;
use crate::daemon::tasks::actor;

/// How many commands of the session "that" may refer to.
const LATELY: u32 = 6;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailedCommand {
    pub command: String,
    pub exit: Option<i32>,
    pub output: String,
    /// Where it ran; empty if unknown.
    pub cwd: String,
    pub source: Source,
    /// It ran in a private shell: nothing of it is sent to a model.
    pub is_private: bool,
    /// The names and package managers of the workspace.
    pub project: Option<Arc<OwnProject>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    #[default]
    Pasted,
    Session,
    /// A task of the conversation.
    Task,
    /// A file that the request names.
    File,
}

impl FailedCommand {
    /// Takes the whole request as the failure.
    pub fn pasted(request: &str) -> Self {
        let DiagnosedFailure { command, exit, output, .. } = DiagnosedFailure::pasted(request);
        let (command, output) = (command.to_owned(), output.to_owned());
        Self { command, exit, output, ..Self::default() }
    }

    /// The last failed command that has not succeeded since, of the session or of a task of the conversation: "it" means what the user saw
    /// last.
    pub async fn last(state: &Arc<State>, session: &str, earlier: &[EarlierTask]) -> Option<Self> {
        let typed = if session.is_empty() { Vec::new() } else { state.recent_commands().recall(session, LATELY) };
        let now = actor::now();
        let at = |past: &RecalledCommand| {
            let since = state.recent_commands().since(session, past.seq).unwrap_or_default();
            now.saturating_sub(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
        };
        let of_shell = typed.iter().map(|past| (at(past), of_shell(past), Origin::Shell(past)));
        let of_tasks =
            earlier.iter().filter_map(|earlier| Some((earlier.at, of_task(earlier)?, Origin::Task(earlier))));
        let mut all: Vec<(u64, FinishedRun<'_>, Origin<'_>)> = of_shell.chain(of_tasks).collect();
        all.sort_by_key(|(at, ..)| *at);
        let ran: Vec<FinishedRun<'_>> = all.iter().map(|(_, ran, _)| *ran).collect();
        let (_, _, origin) = &all[resolved::last_failure(&ran)?];
        match origin {
            Origin::Shell(past) => Some(Self {
                output: state.printed(session, past.seq).await.or(past.output.clone()).unwrap_or_default(),
                command: past.command.clone(),
                exit: Some(past.exit),
                cwd: past.cwd.clone(),
                source: Source::Session,
                is_private: state.recent_commands().is_private(session, past.seq),
                project: None,
            }),
            Origin::Task(earlier) => {
                let (command, exit, output) = earlier.failure()?;
                let (command, cwd) = (command.to_owned(), earlier.cwd().to_owned());
                Some(Self { command, exit, output, cwd, source: Source::Task, is_private: false, project: None })
            }
        }
    }

    pub fn failure(&self) -> DiagnosedFailure<'_> {
        DiagnosedFailure {
            command: &self.command,
            exit: self.exit,
            output: &self.output,
            project: self.project.as_deref(),
        }
    }

    /// Files and lines that the output names.
    pub fn places(&self) -> Vec<(String, usize)> {
        mentioned(&self.output)
    }

    /// The parts that may be sent to a model.
    pub fn leaving(&self, state: &State) -> Self {
        if self.is_private || !state.may_leave(&self.command) {
            return Self { output: String::new(), command: String::new(), ..self.clone() };
        }
        let lines = self.output.lines().filter(|line| state.may_leave(line));
        Self { output: lines.collect::<Vec<_>>().join("\n"), ..self.clone() }
    }
}

enum Origin<'a> {
    Shell(&'a RecalledCommand),
    Task(&'a EarlierTask),
}

fn of_shell(past: &RecalledCommand) -> FinishedRun<'_> {
    let is_own = past.command.trim_start().starts_with("aside ");
    let end = if is_own { RunStatus::Other } else { RunStatus::of(past.exit) };
    FinishedRun { command: &past.command, cwd: &past.cwd, end }
}

/// Returns `None` for a task that ran no command.
fn of_task(earlier: &EarlierTask) -> Option<FinishedRun<'_>> {
    let end = match earlier.state {
        StateName::Completed if earlier.began.is_some() => RunStatus::Well,
        _ if earlier.failure().is_some() => RunStatus::Failed,
        _ => return None,
    };
    Some(FinishedRun { command: earlier.command()?, cwd: earlier.cwd(), end })
}

/// Whether a request includes the failure: several lines, or a file with a line number.
pub fn brings_output(request: &str) -> bool {
    request.lines().filter(|line| !line.trim().is_empty()).count() > 1 || !places(request).is_empty()
}
