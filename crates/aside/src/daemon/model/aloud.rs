//! An answer that somebody reads while it comes: told at a pace, and kept as far as it was heard when it breaks off.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::MissedTickBehavior;

use crate::daemon::model::{Use, ask};
use crate::daemon::state::State;
use crate::provider::{Failure, Question, Said};

/// How somebody listens.
pub struct Listener<E, T> {
    /// Between two pieces that are told.
    pub pace: Duration,
    /// Whether what was said so far is all that is wanted.
    pub enough: E,
    /// Is told all of it so far, whenever there is more.
    pub tell: T,
}

/// How it ended, and what was heard until then.
pub async fn listen<E, T>(
    state: &Arc<State>,
    usage: Use,
    question: &Question,
    Listener { pace, enough, tell }: Listener<E, T>,
) -> (Result<Said, Failure>, String)
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
