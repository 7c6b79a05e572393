//! Handles `recall`: the last commands of a shell.

use std::sync::Arc;

use aside_proto::Reply;
use aside_proto::command_ended::{RecallParams, RecallResult};

use crate::daemon::capture_registry::Tier;
use crate::daemon::state::State;

pub async fn handle(state: &Arc<State>, asked: &RecallParams) -> Reply {
    let session = match asked.session.as_str() {
        "" => state.session_on(&asked.tty).unwrap_or_default(),
        session => session.to_owned(),
    };
    let commands = state.recent_commands().recall(&session, asked.limit);
    let tier = match state.capture_registry().seen(&session).tier {
        // The settings may have changed since the capture began.
        tier if Tier::of(tier).is_some_and(|tier| !tier.is_wanted(&state.config().suggest)) => "off",
        tier => tier,
    };
    Reply::Recall(Box::new(RecallResult { tier: tier.to_owned(), session, commands }))
}
