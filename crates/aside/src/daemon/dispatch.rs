//! Which answer belongs to which request: one exhaustive match.

use std::sync::Arc;

use aside_core::proto::{Reply, Request, Why};

use crate::daemon::answer;
use crate::daemon::later::Later;
use crate::daemon::state::{Ending, State};

pub async fn answer(state: Arc<State>, request: Request, later: Later) -> Reply {
    match request {
        Request::Hello(hello) => answer::hello::answer(&state, hello),
        Request::Complete(line) => answer::complete::answer(&state, line, &later).await,
        Request::Translate(wish) => answer::translate::answer(&state, wish, &later).await,
        Request::Explain(asked) => answer::explain::answer(&state, asked, &later).await,
        Request::Outcome(outcome) => answer::outcome::answer(&state, outcome).await,
        Request::Detect(asked) => answer::detect::answer(&state, asked).await,
        Request::Wrong(wrong) => answer::detect::wrong(&state, wrong).await,
        Request::Ask(asked) => answer::ask::answer(&state, asked, &later).await,
        Request::Finished(finished) => answer::finished::answer(&state, finished).await,
        Request::Capture(asked) => answer::capture::answer(&state, asked).await,
        Request::Watching(watching) => answer::capture::watching(&state, watching, &later),
        Request::Captured(captured) => answer::captured::answer(&state, captured),
        Request::Suggest(ended) => answer::suggest::answer(&state, ended, &later).await,
        Request::Recall(asked) => answer::recall::answer(&state, &asked).await,
        Request::Task(asked) => answer::task::answer(&state, *asked, &later).await,
        Request::Names(names) => {
            state.name(names);
            Reply::Ok
        }
        Request::Reload => {
            if let Some(keeper) = state.keeper() {
                keeper.reload();
            }
            Reply::Ok
        }
        Request::Why(Why { session }) => Reply::Why(Box::new(state.offers().last(&session).unwrap_or_default())),
        Request::Status => Reply::Status(Box::new(state.status())),
        Request::Stop => {
            state.end(Ending::Stopped);
            Reply::Ok
        }
    }
}
