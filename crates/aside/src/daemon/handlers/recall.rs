//! Handles `recall`: the last commands of a shell.

use std::sync::Arc;

use aside_proto::Reply;
use aside_proto::command_ended::{RecallParams, RecallResult};

use crate::daemon::capture_registry::Tier;
use crate::daemon::state::State;
use crate::text_work;

pub async fn handle(state: &Arc<State>, asked: &RecallParams) -> Reply {
    let session = match asked.session.as_str() {
        "" => state.session_on(&asked.tty).unwrap_or_default(),
        session => session.to_owned(),
    };
    let (reader, of, limit) = (Arc::clone(state), session.clone(), asked.limit);
    let read = text_work::read(text_work::UNKNOWN, move || reader.recent_commands().recall(&of, limit)).await;
    let commands = match read {
        Ok(commands) => commands,
        Err(unread) => return Reply::error("unavailable", unread.to_string()),
    };
    let tier = match state.capture_registry().seen(&session).tier {
        // The settings may have changed since the capture began.
        tier if Tier::of(tier).is_some_and(|tier| !tier.is_wanted(&state.config().suggest)) => "off",
        tier => tier,
    };
    Reply::Recall(Box::new(RecallResult { tier: tier.to_owned(), session, commands }))
}
