//! What failed, when somebody asks why: what they pasted, or the last command that did, of their shell or of a task of the conversation.

use std::sync::Arc;

use aside_core::task::run::diagnose::{Failure, mentioned, places};
use aside_core::task::run::thread::Earlier;

use crate::daemon::state::State;
use crate::daemon::tasks::actor;

/// Commands of the session that "that" may mean.
const LATELY: u32 = 6;
/// Ended by Ctrl-C, which nobody asks about.
const INTERRUPTED: i32 = 130;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failed {
    pub command: String,
    pub exit: Option<i32>,
    pub output: String,
    /// Where it ran; empty when nobody knows.
    pub cwd: String,
    pub source: Source,
    /// When it ended, in milliseconds since 1970.
    pub at: u64,
    /// It ran in a private shell: no model is told of it.
    pub is_private: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    #[default]
    Pasted,
    Session,
    /// A task of the conversation.
    Task,
}

impl Failed {
    /// The request itself, all of which is looked at.
    pub fn pasted(request: &str) -> Self {
        let Failure { command, exit, output } = Failure::pasted(request);
        let (command, output) = (command.to_owned(), output.to_owned());
        Self { command, exit, output, ..Self::default() }
    }

    /// The last one of a session that failed; none when all went well, or nobody is known by that name.
    pub async fn of_session(state: &Arc<State>, session: &str) -> Option<Self> {
        if session.is_empty() {
            return None;
        }
        let past = state.memory().recall(session, LATELY);
        let own = |command: &str| command.trim_start().starts_with("aside ");
        let failed =
            past.into_iter().rev().find(|past| past.exit != 0 && past.exit != INTERRUPTED && !own(&past.command))?;
        let since = state.memory().since(session, failed.seq).unwrap_or_default();
        let at = actor::now().saturating_sub(u64::try_from(since.as_millis()).unwrap_or(u64::MAX));
        let output = state.printed(session, failed.seq).await.or(failed.output).unwrap_or_default();
        Some(Self {
            command: failed.command,
            exit: Some(failed.exit),
            output,
            cwd: failed.cwd,
            source: Source::Session,
            at,
            is_private: state.memory().is_private(session, failed.seq),
        })
    }

    /// The last command that a task of the conversation ran and that failed.
    pub fn of_thread(earlier: &[Earlier]) -> Option<Self> {
        earlier.iter().rev().find_map(|earlier| {
            let (command, exit, output) = earlier.failure()?;
            let (command, cwd) = (command.to_owned(), earlier.cwd().to_owned());
            Some(Self { command, exit, output, cwd, source: Source::Task, at: earlier.at, is_private: false })
        })
    }

    pub fn failure(&self) -> Failure<'_> {
        Failure { command: &self.command, exit: self.exit, output: &self.output }
    }

    /// Files and lines that it names.
    pub fn places(&self) -> Vec<(String, usize)> {
        mentioned(&self.output)
    }

    /// What of it may be told to a model.
    pub fn leaving(&self, state: &State) -> Self {
        if self.is_private || !state.may_leave(&self.command) {
            return Self { output: String::new(), command: String::new(), ..self.clone() };
        }
        let lines = self.output.lines().filter(|line| state.may_leave(line));
        Self { output: lines.collect::<Vec<_>>().join("\n"), ..self.clone() }
    }
}

/// Whether a request brings what failed along: several lines, or a place.
pub fn brings_output(request: &str) -> bool {
    request.lines().filter(|line| !line.trim().is_empty()).count() > 1 || !places(request).is_empty()
}
