//! The path to agents: what Aside sends to an agent is redacted, recorded before it is sent, and never sent from a private shell. What the
//! agent reads by itself does not pass through here; docs/agents.md says so.

use std::sync::Arc;
use std::time::Instant;

use aside_redact::redact;

use crate::agent::{Failure as AgentFailure, Reply};
use crate::daemon::blocking_io;
use crate::daemon::model::{OpenRequest, Purpose, ms};
use crate::daemon::state::State;
use crate::store::journal::{Answer, OutboundRecord};

/// A request that was sent to an agent, and whose end is not recorded yet.
pub struct Handed {
    note: OpenRequest,
    /// As the agent receives it.
    pub text: String,
}

/// Records a request before it is sent. The error says what happened and one thing to do.
pub async fn record_request(state: &State, session: &str, agent: &str, text: &str) -> Result<Handed, String> {
    let private = || "Nothing is told to an agent, since this is private. Ask again where it is not.".to_owned();
    if state.is_private(session) {
        return Err(private());
    }
    let text = redact(text).into_owned();
    let (name, body, journal) = (agent.to_owned(), text.clone(), Arc::clone(state.journal()));
    let written = blocking_io::run_at_file(state.journal().lines().path(), move || {
        let address = format!("the agent {name}, on this machine");
        journal.leaves(&OutboundRecord {
            purpose: Purpose::Task.name(),
            provider: &name,
            model: "",
            address: &address,
            body: &body,
        })
    });
    let id = written.await.and_then(|written| Ok(written?)).map_err(|error| {
        format!("Nothing is told to the agent, since it cannot be written down ({error}). Free some space; then retry.")
    })?;
    let note = OpenRequest { journal: Arc::clone(state.journal()), id: Some(id), left: Instant::now() };
    // The last check: the shell may have become private meanwhile.
    if state.is_private(session) { Err(private()) } else { Ok(Handed { note, text }) }
}

impl Handed {
    pub fn ended(mut self, outcome: &Result<Reply, AgentFailure>) {
        let ms = ms(self.note.left.elapsed());
        let answer = match outcome {
            Ok(reply) => Answer {
                bytes: reply.text.len() as u64,
                input_tokens: reply.tokens_in,
                output_tokens: reply.tokens_out,
                ..Answer::default()
            },
            Err(failure) => Answer { failure: failure.to_string(), ..Answer::default() },
        };
        self.note.close(Answer { ms, ..answer });
    }
}
