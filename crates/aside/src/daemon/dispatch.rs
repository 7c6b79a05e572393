//! Routes each request to its handler, decides whether its data may leave the machine, and refuses requests that a task's command may not
//! make.

use std::sync::Arc;

use aside_core::proto::task::TaskOp;
use aside_core::proto::{Reply, Request, WhyParams};

use crate::daemon::answer;
use crate::daemon::later::Later;
use crate::daemon::state::{Ending, State};
use crate::exec::presence::Presence;
use crate::exec::taint::Caller;
use crate::provider::Privacy;

/// Whether anything in the request may leave this machine, decided here for every kind of request. The connection, the request itself or
/// the session that it is about can demand privacy.
pub fn privacy(state: &State, request: &Request, says_private: bool) -> Privacy {
    let is_private = says_private || request.is_private() || state.is_private(request.session());
    if is_private { Privacy::Private } else { Privacy::Open }
}

/// Bytes of a line, a request or a command: more is not a line, and would keep every shell waiting.
const MAX_LENGTH: usize = 32 * 1024;

pub async fn answer(state: Arc<State>, request: Request, caller: Caller, privacy: Privacy, later: Later) -> Reply {
    if is_for_the_user(&request)
        && let Some(why) = refusal(caller, &request)
    {
        return match request {
            // A shell that a task's command has started works without Aside, and need not know why.
            Request::Hello(_) => answer::hello::welcome(&state),
            _ => Reply::error("refused", why),
        };
    }
    if request.length() > MAX_LENGTH {
        return Reply::error("bad_request", format!("at most {} KiB are read", MAX_LENGTH / 1024));
    }
    if matches!(request, Request::Hello(_)) {
        state.hurry();
    }
    state.refresh().await;
    match request {
        Request::Hello(hello) => answer::hello::answer(&state, hello),
        Request::Complete(line) => answer::complete::answer(&state, line, privacy, &later).await,
        Request::Translate(wish) => answer::translate::answer(&state, wish, privacy, &later).await,
        Request::Explain(asked) => answer::explain::answer(&state, asked, privacy, &later).await,
        Request::Outcome(outcome) => answer::outcome::answer(&state, outcome).await,
        Request::Detect(asked) => answer::detect::answer(&state, asked).await,
        Request::Wrong(wrong) => answer::detect::wrong(&state, wrong).await,
        Request::Ask(asked) => {
            let cure = answer::suggest::cure(&state, &asked, privacy).await;
            answer::ask::answer(&state, asked, cure, privacy, &later).await
        }
        Request::Finished(finished) => answer::finished::answer(&state, finished, privacy).await,
        Request::Capture(asked) => answer::capture::answer(&state, asked).await,
        Request::Watching(watching) => answer::capture::watching(&state, watching, &later),
        Request::Captured(captured) => answer::captured::answer(&state, captured),
        Request::Suggest(ended) => answer::suggest::answer(&state, ended, privacy, &later).await,
        Request::Recall(asked) => answer::recall::answer(&state, &asked).await,
        Request::Task(asked) => answer::task::answer(&state, *asked, privacy, &later).await,
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
        Request::Why(WhyParams { session }) => Reply::Why(Box::new(state.offers().last(&session).unwrap_or_default())),
        Request::Status => Reply::Status(Box::new(state.status())),
        Request::Stop => {
            state.end(Ending::Stopped);
            Reply::Ok
        }
    }
}

fn refusal(caller: Caller, request: &Request) -> Option<&'static str> {
    match caller {
        Caller::User => None,
        // The page has checked its requests itself. Approve, edit and undo are checked again, in case a task's process has taken over its
        // connection.
        Caller::Page => match request {
            Request::Task(asked) if !matches!(asked.op, TaskOp::Approve | TaskOp::Edit | TaskOp::Undo) => None,
            Request::Task(_) => Some(Presence::known().why()).filter(|why| !why.is_empty()),
            _ => Some("the page speaks of tasks only"),
        },
        Caller::Command => Some(
            "a command of a task cannot speak for the user, nor can a terminal that it has started; use another terminal",
        ),
        Caller::Unknown => Some(
            "Aside cannot tell which process this is, and a command of a task cannot speak for the user; try again",
        ),
    }
}

/// Whether only the user and their shells may send it. A command must not speak for the user, nor make the daemon do outside the sandbox
/// what the command cannot do itself: the daemon writes what is recorded here, and uses programs and sockets that are named here. Read-only
/// queries are answered: the command could read the same files.
fn is_for_the_user(request: &Request) -> bool {
    match request {
        // The session's identity, history, privacy and PATH.
        Request::Hello(_) | Request::Names(_) => true,
        // The user's tmux, and what was printed there.
        Request::Capture(_) | Request::Watching(_) | Request::Captured(_) => true,
        // What the user did.
        Request::Finished(_) | Request::Outcome(_) | Request::Wrong(_) => true,
        Request::Stop => true,
        Request::Task(asked) => answer::task::is_for_the_user(asked.op),
        Request::Complete(_) | Request::Translate(_) | Request::Explain(_) | Request::Detect(_) => false,
        Request::Ask(_) | Request::Suggest(_) | Request::Recall(_) | Request::Why(_) => false,
        Request::Reload | Request::Status => false,
    }
}
