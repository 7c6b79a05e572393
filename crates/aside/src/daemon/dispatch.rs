//! Routes each request to its handler, decides whether its data may leave the machine, and refuses requests that a task's command may not
//! make.

use std::sync::Arc;

use aside_proto::command_ended::SuggestResult;
use aside_proto::query::{ExplainResult, ReplyStage, TranslateResult};
use aside_proto::task::TaskOp;
use aside_proto::{CompleteResult, Reply, Request, WhyParams};
use aside_translate::ProposalSource;

use crate::daemon::state::{ShutdownReason, State};
use crate::daemon::updates::Updates;
use crate::daemon::{conversations, handlers, routing_overrides};
use crate::exec::presence::Presence;
use crate::exec::taint::Caller;
use crate::provider::Privacy;
use crate::text_work::{self, Unread};

/// Whether anything in the request may leave this machine, decided here for every kind of request. The connection, the request itself or
/// the session that it is about can demand privacy.
pub fn privacy(state: &State, request: &Request, says_private: bool) -> Privacy {
    let is_private = says_private || request.is_private() || state.is_private(request.session());
    if is_private { Privacy::Private } else { Privacy::Open }
}

/// Bytes of a line, a request or a command: more is not a line, and would keep every shell waiting.
const MAX_LENGTH: usize = 32 * 1024;

/// Answers a request, one with a long text where no other waits for it.
pub async fn dispatch(
    state: Arc<State>,
    request: Request,
    caller: Caller,
    privacy: Privacy,
    updates: Updates,
) -> Reply {
    let (length, unread) = (length(&request), unread(&request));
    text_work::apart(length, answer(state, request, caller, privacy, updates)).await.unwrap_or_else(unread)
}

/// Bytes of all texts in it that are read, or are unknown.
fn length(request: &Request) -> usize {
    let all = |texts: &[String]| texts.iter().map(String::len).sum::<usize>();
    match request {
        Request::Complete(asked) => asked.left.len() + asked.right.len() + asked.cwd.len(),
        Request::Translate(asked) => asked.query.len() + asked.cwd.len() + all(&asked.recent_commands),
        Request::Explain(asked) => asked.command.len() + asked.cwd.len(),
        Request::Detect(asked) => asked.line.len() + asked.output.len(),
        Request::Outcome(outcome) => outcome.query.len() + outcome.suggestion.len() + outcome.r#final.len(),
        Request::Wrong(wrong) => wrong.line.len(),
        Request::Finished(finished) => finished.command.len(),
        Request::Captured(captured) => captured.output.len(),
        Request::Suggest(ended) => ended.command.len() + ended.output.as_deref().map_or(0, str::len),
        Request::Task(asked) => {
            let texts = [&asked.text, &asked.selection, &asked.diagnostics, &asked.cwd, &asked.active];
            texts.iter().map(|text| text.len()).sum::<usize>() + all(&asked.open)
        }
        // What the last command printed.
        Request::Ask(_) => text_work::UNKNOWN,
        Request::Recall(_) | Request::Hello(_) | Request::Capture(_) | Request::Watching(_) | Request::Names(_) => 0,
        Request::Reload | Request::Why(_) | Request::Status | Request::Stop => 0,
    }
}

/// The answer to a request whose text takes too long to read: what says nothing about it.
fn unread(request: &Request) -> impl FnOnce(Unread) -> Reply + use<> {
    let empty = match request {
        Request::Complete(_) => Some(Reply::Complete(CompleteResult::default())),
        Request::Translate(_) => Some(Reply::Translate(Box::new(TranslateResult::none(Unread.to_string())))),
        Request::Explain(_) => Some(Reply::Explain(ExplainResult {
            state: ReplyStage::Done,
            source: ProposalSource::Embedded.name().to_owned(),
            lines: Vec::new(),
        })),
        Request::Detect(asked) => Some(Reply::Detect(routing_overrides::shell(asked.phase, Unread.to_string()))),
        Request::Ask(_) => Some(Reply::Said(Box::new(conversations::unread()))),
        Request::Suggest(_) => Some(Reply::Suggest(Box::new(SuggestResult::none(ReplyStage::Done)))),
        Request::Outcome(_) | Request::Wrong(_) | Request::Finished(_) | Request::Captured(_) => None,
        Request::Recall(_) | Request::Task(_) | Request::Hello(_) | Request::Capture(_) | Request::Watching(_) => None,
        Request::Names(_) | Request::Reload | Request::Why(_) | Request::Status | Request::Stop => None,
    };
    |unread| empty.unwrap_or_else(|| Reply::error("unavailable", unread.to_string()))
}

async fn answer(state: Arc<State>, request: Request, caller: Caller, privacy: Privacy, updates: Updates) -> Reply {
    if is_for_the_user(&request)
        && let Some(why) = refusal(caller, &request)
    {
        return match request {
            // A shell that a task's command has started works without Aside, and need not know why.
            Request::Hello(_) => handlers::hello::welcome(&state, ""),
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
        Request::Hello(hello) => handlers::hello::handle(&state, hello),
        Request::Complete(line) => handlers::complete::handle(&state, line, privacy, &updates).await,
        Request::Translate(query) => handlers::translate::handle(&state, query, privacy, &updates).await,
        Request::Explain(asked) => handlers::explain::handle(&state, asked, privacy, &updates).await,
        Request::Outcome(outcome) => handlers::outcome::handle(&state, outcome, privacy).await,
        Request::Detect(asked) => handlers::detect::handle(&state, asked, privacy).await,
        Request::Wrong(wrong) => handlers::detect::wrong(&state, wrong).await,
        Request::Ask(asked) => {
            let cure = handlers::suggest::cure(&state, &asked, privacy).await;
            handlers::ask::handle(&state, asked, cure, privacy, &updates).await
        }
        Request::Finished(finished) => handlers::finished::handle(&state, finished, privacy).await,
        Request::Capture(asked) => handlers::capture::handle(&state, asked).await,
        Request::Watching(watching) => handlers::capture::watching(&state, watching, &updates),
        Request::Captured(captured) => handlers::captured::handle(&state, captured),
        Request::Suggest(ended) => handlers::suggest::handle(&state, ended, privacy, &updates).await,
        Request::Recall(asked) => handlers::recall::handle(&state, &asked).await,
        Request::Task(asked) => handlers::task::handle(&state, *asked, privacy, &updates).await,
        Request::Names(names) => {
            state.name(names);
            Reply::Ok
        }
        Request::Reload => {
            if let Some(history_writer) = state.history_writer() {
                history_writer.reload();
            }
            Reply::Ok
        }
        Request::Why(WhyParams { session }) => {
            Reply::Why(Box::new(state.last_shown().last(&state.session_called(&session)).unwrap_or_default()))
        }
        Request::Status => Reply::Status(Box::new(state.status())),
        Request::Stop => {
            state.end(ShutdownReason::Stopped);
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
        Request::Task(asked) => handlers::task::is_for_the_user(asked.op),
        Request::Complete(_) | Request::Translate(_) | Request::Explain(_) | Request::Detect(_) => false,
        Request::Ask(_) | Request::Suggest(_) | Request::Recall(_) | Request::Why(_) => false,
        Request::Reload | Request::Status => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aside_proto::query::TranslateParams;
    use aside_proto::task::TaskParams;

    #[test]
    fn every_text_that_is_read_counts() {
        let (long, many) = ("w".repeat(5000), vec!["w".repeat(100); 50]);
        let translate = |asked| length(&Request::Translate(asked));
        let task = |asked| length(&Request::Task(Box::new(asked)));
        assert_eq!(translate(TranslateParams { cwd: long.clone(), ..TranslateParams::default() }), 5000);
        assert_eq!(translate(TranslateParams { recent_commands: many.clone(), ..TranslateParams::default() }), 5000);
        assert_eq!(task(TaskParams { cwd: long.clone(), ..TaskParams::default() }), 5000);
        assert_eq!(task(TaskParams { active: long, open: many, ..TaskParams::default() }), 10_000);
    }
}
