//! Records the lines that were classified as prose: the last ones of each shell in memory, all of them on disk, and those that the user
//! marked as wrong. Decides which are logged, not which lines are prose.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aside_proto::prose::{AskParams, DetectPhase};
use aside_redact::REDACTED;

use crate::config::file_poll::FilePoller;
use crate::daemon::state::State;
use crate::paths::Paths;
use crate::provider::Privacy;
use crate::store::marked_commands::MarkedCommands;
use crate::store::reroutes::{RerouteOutcome, Rerouted, Reroutes};

/// Cap on remembered lines; the user marks a line soon after it.
const MAX_LAST: usize = 64;

pub struct RerouteLog {
    marks: Arc<MarkedCommands>,
    refresh: FilePoller,
    /// Session and line, newest last.
    last: Mutex<VecDeque<(String, String)>>,
}

/// Why there is nothing to mark.
#[derive(Debug)]
pub enum MarkError {
    /// No line was classified as prose.
    None,
    /// The line is only known with its secrets redacted.
    Redacted,
    Disk(io::Error),
}

impl RerouteLog {
    pub fn new(paths: &Paths) -> Self {
        Self { marks: Arc::new(MarkedCommands::new(paths)), refresh: FilePoller::each_time(), last: Mutex::default() }
    }

    pub fn marks(&self) -> &MarkedCommands {
        &self.marks
    }

    /// Re-reads the marks if their file has changed. Returns soon even if the file system hangs.
    pub async fn refresh(&self) {
        let marks = Arc::clone(&self.marks);
        self.refresh.run(move || marks.reload_if_changed()).await;
    }

    fn remember(&self, session: &str, line: &str) {
        let mut last = self.last();
        if last.len() == MAX_LAST {
            last.pop_front();
        }
        last.push_back((session.to_owned(), line.to_owned()));
    }

    /// The newest line of a session, or of all if `session` is empty.
    fn newest(&self, session: &str) -> Option<String> {
        let last = self.last();
        let own = last.iter().rev().find(|(of, _)| session.is_empty() || of == session);
        own.map(|(_, line)| line.clone())
    }

    /// Marks a line, or the last one of the session, so that it is never classified as prose again. Reads and writes files.
    pub fn mark(&self, paths: &Paths, session: &str, line: &str) -> Result<String, MarkError> {
        let named = Some(line.trim()).filter(|line| !line.is_empty()).map(str::to_owned);
        let line = match named.or_else(|| self.newest(session)) {
            Some(line) => line,
            // A daemon that has just started remembers no lines.
            None => match Reroutes::new(paths).last(session).map_err(MarkError::Disk)? {
                Some(line) if line.contains(REDACTED) => return Err(MarkError::Redacted),
                Some(line) => line,
                None => return Err(MarkError::None),
            },
        };
        self.marks.mark(&line).map_err(MarkError::Disk)?;
        Ok(line)
    }

    fn last(&self) -> MutexGuard<'_, VecDeque<(String, String)>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Records that a line was classified as prose. Returns at once; a thread writes the file. A line of a private shell stays in memory.
    pub fn rerouted(self: &Arc<Self>, rerouted: Rerouted, privacy: Privacy) {
        if rerouted.became != RerouteOutcome::Asked {
            self.reroute_log().remember(&rerouted.session, &rerouted.line);
        }
        if !self.config().detect.log || privacy == Privacy::Private {
            return;
        }
        let state = Arc::clone(self);
        tokio::task::spawn_blocking(move || {
            // A line that the user keeps out of the history is not logged either.
            if rerouted.line.starts_with([' ', '\t']) || !state.may_leave(&rerouted.line) {
                return;
            }
            if let Err(error) = Reroutes::new(&state.paths).note(&rerouted) {
                state.notice(format!("could not note that a line was taken for a sentence: {error}"));
            }
        });
    }
}

/// What is recorded of an `ask` request: that the line was classified as prose, if it says why, or that the user asked.
pub fn from_ask(asked: &AskParams) -> Rerouted {
    Rerouted {
        session: asked.session.clone(),
        cwd: asked.cwd.clone(),
        shell: asked.shell.clone(),
        phase: if asked.exit == 0 { DetectPhase::Before } else { DetectPhase::After },
        exit: asked.exit,
        line: asked.query.clone(),
        reason: asked.reason.clone(),
        became: if asked.reason.is_empty() { RerouteOutcome::Asked } else { RerouteOutcome::Answered },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(dir: &std::path::Path) -> Paths {
        Paths {
            config_file: dir.join("config.toml"),
            data_dir: dir.join("data"),
            state_dir: dir.join("state"),
            socket: dir.join("s"),
        }
    }

    fn asked(session: &str, line: &str, reason: &str) -> Rerouted {
        let (session, query, reason) = (session.to_owned(), line.to_owned(), reason.to_owned());
        from_ask(&AskParams { session, query, reason, ..AskParams::default() })
    }

    #[test]
    fn the_last_line_of_a_shell_is_its_own() {
        let temp = tempfile::tempdir().unwrap();
        let paths = scene(temp.path());
        let reroute_log = RerouteLog::new(&paths);
        assert!(matches!(reroute_log.mark(&paths, "", ""), Err(MarkError::None)));
        for number in 0..MAX_LAST + 1 {
            reroute_log.remember("a", &format!("sentence {number}"));
        }
        reroute_log.remember("b", "another one");
        assert_eq!(reroute_log.last().len(), MAX_LAST);
        assert_eq!(reroute_log.mark(&paths, "a", "").unwrap(), format!("sentence {MAX_LAST}"));
        assert_eq!(reroute_log.mark(&paths, "", " ").unwrap(), "another one");
        assert_eq!(reroute_log.mark(&paths, "a", " this one ").unwrap(), "this one");
        assert!(matches!(reroute_log.mark(&paths, "c", ""), Err(MarkError::None)));
        reroute_log.marks().reload_if_changed();
        assert!(reroute_log.marks().has("another one") && reroute_log.marks().has("this one"));
    }

    #[test]
    fn after_a_restart_the_last_line_is_read_and_a_hidden_secret_is_not_guessed() {
        let temp = tempfile::tempdir().unwrap();
        let paths = scene(temp.path());
        let reroutes = Reroutes::new(&paths);
        reroutes.note(&asked("a", "make sure of it", "why")).unwrap();
        assert_eq!(RerouteLog::new(&paths).mark(&paths, "a", "").unwrap(), "make sure of it");
        reroutes.note(&asked("a", "please run mysql -phunter2 shop", "why")).unwrap();
        assert!(matches!(RerouteLog::new(&paths).mark(&paths, "a", ""), Err(MarkError::Redacted)));
    }

    #[tokio::test]
    async fn what_is_hidden_from_the_history_and_what_was_asked_is_told_apart() {
        let temp = tempfile::tempdir().unwrap();
        let paths = scene(temp.path());
        let state = State::new(paths.clone());
        state.rerouted(asked("private", "make it hidden", "why"), Privacy::Private);
        assert_eq!(state.reroute_log().newest("private").as_deref(), Some("make it hidden"));
        for (line, reason) in [(" make sure of it", "why"), ("who are you", ""), ("make it so", "why")] {
            state.rerouted(asked("a", line, reason), Privacy::Open);
        }
        let reroutes = Reroutes::new(&paths);
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while reroutes.read().unwrap().len() < 2 && std::time::Instant::now() < deadline {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
        let mut noted: Vec<_> = reroutes.read().unwrap().into_iter().map(|noted| noted.rerouted).collect();
        noted.sort_by_key(|noted| noted.line.clone());
        assert_eq!(noted, [asked("a", "make it so", "why"), asked("a", "who are you", "")]);
        assert_eq!(
            noted.iter().map(|noted| noted.became).collect::<Vec<_>>(),
            [RerouteOutcome::Answered, RerouteOutcome::Asked]
        );
        state.reroute_log().remember("b", " hidden");
        assert_eq!(state.reroute_log().newest("a").as_deref(), Some("make it so"));
        assert_eq!(state.reroute_log().newest("").as_deref(), Some(" hidden"));
    }
}
