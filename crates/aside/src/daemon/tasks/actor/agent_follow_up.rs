//! Continues an agent's work: the outcome of its proposal starts the next task. Does not decide what is proposed there.

use std::sync::Arc;

use aside_task::event::{ActOutcome, TaskId};
use aside_task::input::Input;

use crate::daemon::tasks;
use crate::daemon::tasks::actor::Actor;
use crate::text_work;

impl Actor {
    /// An agent whose proposal was carried out learns the outcome in a new task: each task has one proposal and one approval.
    pub(super) fn with_next(&self, input: Input) -> (Input, Option<TaskId>) {
        match input {
            Input::Finished(outcome) if self.state.tasks().agent_goes_on(&self.state, &self.id, &self.request) => {
                let next = tasks::name();
                (Input::Finished(ActOutcome { next: Some(next.clone()), ..outcome }), Some(next))
            }
            input => (input, None),
        }
    }

    pub(super) fn go_on(&self, next: Option<TaskId>) {
        let Some(next) = next else { return };
        let (state, mut request) = (Arc::clone(&self.state), self.request.clone());
        request.meta.continues = self.id.to_string();
        text_work::spawn(text_work::UNKNOWN, async move {
            if let Err(trouble) = state.tasks().ask_as(&state, next, request).await {
                state.notice(format!("the agent could not go on: {trouble:?}"));
            }
        });
    }
}
