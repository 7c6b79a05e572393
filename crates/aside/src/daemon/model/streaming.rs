//! Streams a model's answer to a reader at a fixed pace, and keeps the partial text if it breaks off.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::MissedTickBehavior;

use crate::daemon::model::{Purpose, ask};
use crate::daemon::state::State;
use crate::provider::{Failure, ModelReply, Question};

/// How the answer is read.
pub struct StreamReader<E, T> {
    /// Interval between two updates.
    pub pace: Duration,
    /// Whether the text so far is enough.
    pub enough: E,
    /// Receives the whole text so far, whenever it has grown.
    pub tell: T,
}

/// Returns the outcome, and the text received until then.
pub async fn read_stream<E, T>(
    state: &Arc<State>,
    usage: Purpose,
    question: &Question,
    StreamReader { pace, enough, tell }: StreamReader<E, T>,
) -> (Result<ModelReply, Failure>, String)
where
    E: Fn(&str) -> bool,
    T: Fn(&str),
{
    let heard = Mutex::new(String::new());
    let so_far = || heard.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let hear = |text: &str| {
        text.clone_into(&mut heard.lock().unwrap_or_else(PoisonError::into_inner));
        if enough(text) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let asking = ask(state, usage, question, hear);
    tokio::pin!(asking);
    let mut ticks = tokio::time::interval(pace);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut told = 0;
    let outcome = loop {
        tokio::select! {
            outcome = &mut asking => break outcome,
            _ = ticks.tick() => {
                let text = so_far();
                if text.len() != told {
                    told = text.len();
                    tell(&text);
                }
            }
        }
    };
    (outcome, so_far())
}
