//! Handles `captured`: stores what a command printed. Requires the mark of a known session on the same terminal, and skips programs that
//! the settings exclude from capture.

use std::sync::Arc;

use aside_proto::Reply;
use aside_proto::command_ended::CapturedParams;

use crate::daemon::state::State;

pub fn handle(state: &Arc<State>, captured: CapturedParams) -> Reply {
    let CapturedParams { tty, mark, seq, output, bytes: _ } = captured;
    let session =
        state.session_of_mark(&mark).filter(|session| state.tty_of(session).is_some_and(|known| known == tty));
    if let Some(session) = session {
        state.recent_commands().printed(&session, seq, &output);
    }
    Reply::Ok
}
