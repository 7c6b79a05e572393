//! Handles `recall`: the last commands of a shell.

use std::sync::Arc;

use aside_core::proto::Reply;
use aside_core::proto::command_ended::{RecallParams, RecallResult};

use crate::daemon::state::State;
use crate::daemon::watchers::Tier;

pub async fn answer(state: &Arc<State>, asked: &RecallParams) -> Reply {
    let session = match asked.session.as_str() {
        "" => state.session_on(&asked.tty).unwrap_or_default(),
        session => session.to_owned(),
    };
    let commands = state.memory().recall(&session, asked.limit);
    let tier = match state.watchers().seen(&session).tier {
        // The settings may have changed since the capture began.
        tier if Tier::of(tier).is_some_and(|tier| !tier.is_wanted(&state.config().suggest)) => "off",
        tier => tier,
    };
    Reply::Recall(Box::new(RecallResult { tier: tier.to_owned(), session, commands }))
}
