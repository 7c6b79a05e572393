//! `captured`: what a command printed. Believed when it carries the mark of a shell that told us, and kept unless the
//! person does not want to have that program looked at.

use std::sync::Arc;

use aside_core::proto::Reply;
use aside_core::proto::ended::Captured;

use crate::daemon::state::State;

pub fn answer(state: &Arc<State>, captured: Captured) -> Reply {
    let Captured { tty, mark, seq, output, bytes: _ } = captured;
    let session =
        state.session_of_mark(&mark).filter(|session| state.tty_of(session).is_some_and(|known| known == tty));
    if let Some(session) = session {
        state.memory().printed(&session, seq, &output);
    }
    Reply::Ok
}
