//! Streams the events of a task, or the task list, as server-sent events. Each stream has its own connection to the daemon, and
//! backpressure reaches it: what the browser does not read is not read from the daemon.

use std::sync::Arc;
use std::time::Instant;

use aside_proto::Reply;
use aside_proto::task::TaskParams;
use hyper::body::Bytes;
use hyper::{Response, StatusCode};
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::{MissedTickBehavior, interval_at, timeout};

use crate::bridge::daemon_client::DaemonClient;
use crate::bridge::web::Shared;
use crate::bridge::web::daemon_reply;
use crate::bridge::web::session::SessionInfo;
use crate::bridge::web::static_files::{self, Content};

/// Events buffered for the browser.
const AHEAD: usize = 1;

/// Sends the request to the daemon and streams its replies until one end closes. An immediate refusal becomes a plain response.
pub async fn begin(shared: &Arc<Shared>, visitor: SessionInfo, task: TaskParams) -> Response<Content> {
    let Ok(place) = Arc::clone(&shared.streams).try_acquire_owned() else {
        return static_files::failure(StatusCode::TOO_MANY_REQUESTS, "busy", "too many pages are open; close one");
    };
    let source = "local_ui".to_owned();
    let task = TaskParams { by: visitor.name(), cwd: visitor.place.cwd.clone(), source, ..task };
    let asked = async {
        let mut wire = DaemonClient::say(&shared.socket, task).await?;
        let first = wire.next().await?;
        Ok::<_, std::io::Error>((wire, first))
    };
    let (wire, first) = match timeout(shared.limits.daemon, asked).await {
        Ok(Ok((wire, Some(first)))) => (wire, first),
        Ok(Ok((_, None))) | Err(_) => return daemon_reply::no_daemon(),
        Ok(Err(error)) => {
            tracing::warn!("the daemon's answer did not reach the page: {error}");
            return daemon_reply::no_daemon();
        }
    };
    if matches!(first, Reply::Error(_)) {
        return daemon_reply::daemon_reply(&first);
    }
    let (pieces, read) = mpsc::channel(AHEAD);
    tokio::spawn(go_on(Arc::clone(shared), visitor, wire, first, pieces, place));
    static_files::stream(read)
}

async fn go_on(
    shared: Arc<Shared>,
    visitor: SessionInfo,
    mut wire: DaemonClient,
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
            // The browser has closed the stream.
            () = pieces.closed() => return,
            next = wire.next() => match next {
                Ok(Some(reply)) => piece(&reply),
                Ok(None) => return,
                Err(error) => {
                    tracing::warn!("a page could not be told more: {error}");
                    return;
                }
            },
            // A session has signed out, perhaps this one.
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
                // An SSE comment as keep-alive: proxies and browsers see that the connection lives, and a failed write tells us that it
                // does not.
                Bytes::from_static(b":\n\n")
            }
        };
        if pieces.send(next).await.is_err() {
            return;
        }
    }
}

/// JSON escapes line breaks in strings and is written without others, so each event is one line of data.
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
