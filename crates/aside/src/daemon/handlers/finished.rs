//! Handles `finished`: a command ended. Replies once it is stored, so that an acknowledged record is never lost.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use aside_core::history::HistoryEntry;
use aside_core::history::filter::NotStored;
use aside_core::history::run_record::RunRecord;
use aside_proto::{Finished, Reply};

use crate::daemon::handover;
use crate::daemon::state::State;
use crate::daemon::tmux_pipes;
use crate::provider::Privacy;

pub async fn handle(state: &Arc<State>, finished: Finished, privacy: Privacy) -> Reply {
    // A shell that was already open may not send `hello` again.
    handover::check(state, "");
    tmux_pipes::reopen_if_needed(state, &finished.session);
    let name = finished.command.split_whitespace().next();
    state.something_ran(&finished.cwd, name.filter(|_| finished.exit == 0));
    let stored = state.filter().and_then(|filter| match filter.stored(&finished.command) {
        Ok(command) => Some(command.into_owned()),
        Err(refusal) => {
            if refusal == NotStored::Secret {
                state.withheld_command();
            }
            None
        }
    });
    if stored.is_some() {
        let Finished { session, seq, command, cwd, exit, shell, .. } = &finished;
        state.ran(session, shell, (*seq, command, cwd, *exit), privacy);
    }
    let Some(command) = stored.filter(|_| state.config().history.record) else { return Reply::Ok };
    let Some(history_writer) = state.history_writer() else {
        return Reply::error("unavailable", "the history is not open");
    };
    let Finished { session, seq, cwd, exit, start_ms, duration_ms, shell, command: _, private: _ } = finished;
    let entry = HistoryEntry {
        command,
        cwd: Some(cwd).filter(|cwd| !cwd.is_empty()),
        exit: Some(exit),
        start_ms: started(start_ms, duration_ms),
        duration_ms: Some(duration_ms).filter(|duration| *duration >= 0),
        session: Some(session).filter(|session| !session.is_empty()),
        shell,
        host: host(),
        private: privacy == Privacy::Private,
    };
    // Sequence numbers detect a command that was sent twice only within a session.
    let seq = entry.session.as_ref().map(|_| seq);
    let learnt = state.learn(RunRecord {
        command: &entry.command,
        cwd: entry.cwd.as_deref(),
        exit: entry.exit,
        session: entry.session.as_deref(),
        private: entry.private,
    });
    match history_writer.append(entry, seq, learnt).await {
        Ok(()) => Reply::Ok,
        Err(error) => Reply::error("unavailable", format!("could not store the command: {error}")),
    }
}

/// A client that does not report a start time sends zero; one without a clock sends -1, and the command has just ended.
fn started(start_ms: i64, duration_ms: i64) -> Option<i64> {
    match start_ms {
        1.. => Some(start_ms),
        0 => None,
        _ => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
            Some(i64::try_from(now.as_millis()).ok()? - duration_ms.max(0))
        }
    }
}

fn host() -> Option<String> {
    rustix::system::uname().nodename().to_str().ok().map(str::to_owned)
}
