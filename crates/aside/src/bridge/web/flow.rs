//! What is told as it happens: the events of a task, or the list of them, as server-sent events. One connection to the daemon each; what
//! the browser does not read, the daemon is not asked for.

use std::sync::Arc;
use std::time::Instant;

use aside_core::proto::Reply;
use aside_core::proto::task::Task;
use hyper::body::Bytes;
use hyper::{Response, StatusCode};
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::{MissedTickBehavior, interval_at, timeout};

use crate::bridge::web::Shared;
use crate::bridge::web::answer;
use crate::bridge::web::page::{self, Content};
use crate::bridge::web::session::Visitor;
use crate::bridge::wire::Wire;

/// Pieces that wait for the browser to read on.
const AHEAD: usize = 1;

/// Asks the daemon, and goes on for as long as both ends do. What it refuses at once is an answer like any other.
pub async fn begin(shared: &Arc<Shared>, visitor: Visitor, task: Task) -> Response<Content> {
    let Ok(place) = Arc::clone(&shared.streams).try_acquire_owned() else {
        return page::failure(StatusCode::TOO_MANY_REQUESTS, "busy", "too many pages are open; close one");
    };
    let source = "local_ui".to_owned();
    let task = Task { by: visitor.name(), cwd: visitor.place.cwd.clone(), source, ..task };
    let asked = async {
        let mut wire = Wire::say(&shared.socket, task).await?;
        let first = wire.next().await?;
        Ok::<_, std::io::Error>((wire, first))
    };
    let (wire, first) = match timeout(shared.limits.daemon, asked).await {
        Ok(Ok((wire, Some(first)))) => (wire, first),
        Ok(Ok((_, None))) | Err(_) => return answer::no_daemon(),
        Ok(Err(error)) => {
            tracing::warn!("the daemon's answer did not reach the page: {error}");
            return answer::no_daemon();
        }
    };
    if matches!(first, Reply::Error(_)) {
        return answer::said(&first);
    }
    let (pieces, read) = mpsc::channel(AHEAD);
    tokio::spawn(go_on(Arc::clone(shared), visitor, wire, first, pieces, place));
    page::stream(read)
}

async fn go_on(
    shared: Arc<Shared>,
    visitor: Visitor,
    mut wire: Wire,
    first: Reply,
    pieces: mpsc::Sender<Bytes>,
    _place: OwnedSemaphorePermit,
) {
    if pieces.send(piece(&first)).await.is_err() {
        return;
    }
    let beat = shared.limits.beat;
    let mut beats = interval_at(tokio::time::Instant::now() + beat, beat);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut ended = shared.ended.subscribe();
    loop {
        let next = tokio::select! {
            // Nobody reads any more.
            () = pieces.closed() => return,
            next = wire.next() => match next {
                Ok(Some(reply)) => piece(&reply),
                Ok(None) => return,
                Err(error) => {
                    tracing::warn!("a page could not be told more: {error}");
                    return;
                }
            },
            // Somebody has signed out, perhaps this one.
            changed = ended.changed() => {
                if changed.is_err() || !shared.sessions().is_open(visitor.number) {
                    return;
                }
                continue;
            }
            _ = beats.tick() => {
                if !shared.sessions().lives(visitor.number, Instant::now()) {
                    return;
                }
                // A comment: proxies and browsers see that the connection lives, and we that it does not.
                Bytes::from_static(b":\n\n")
            }
        };
        if pieces.send(next).await.is_err() {
            return;
        }
    }
}

/// JSON has no line breaks outside of its strings, and none in them either, so each is one line of data.
fn piece(reply: &Reply) -> Bytes {
    match reply {
        Reply::TaskEvent(told) => {
            let number = told.event.get("seq").and_then(Value::as_u64).unwrap_or_default();
            format!("id: {number}\ndata: {}\n\n", told.event).into()
        }
        Reply::Error(_) => format!("event: error\ndata: {}\n\n", spelled(reply)).into(),
        _ => format!("event: task\ndata: {}\n\n", spelled(reply)).into(),
    }
}

fn spelled(reply: &Reply) -> String {
    serde_json::to_string(reply).unwrap_or_default()
}
