//! Routes: answers a request with a file, one reply of the daemon, or a stream of them. The session is checked first; the daemon decides
//! about tasks, and treats the page like any other client.

use std::sync::Arc;
use std::time::Instant;

use aside_proto::task::{TaskOp, TaskParams};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode};
use serde_json::json;
use tokio::time::timeout;

use crate::bridge;
use crate::bridge::daemon_client::DaemonClient;
use crate::bridge::web::Shared;
use crate::bridge::web::daemon_reply::{daemon_reply, no_daemon};
use crate::bridge::web::event_stream;
use crate::bridge::web::request_checks::{self, RequestKind, ServedHosts};
use crate::bridge::web::session::{KeyUse, PageContext, SessionInfo};
use crate::bridge::web::static_files::{self, Content};
use crate::exec::presence::Presence;
use crate::paths;

/// Room for a diff that was edited by hand, or for a log that a question is about.
const MAX_BODY: usize = 1024 * 1024;

/// Cap on what a tab takes along when it moves to another daemon.
const MAX_PARCEL: usize = 512 * 1024;

const AGAIN: &str = "Run <code>aside web</code> in a terminal to open this page.";
const OVER: &str = "the session is over; run `aside web` again";

pub async fn respond(shared: Arc<Shared>, request: Request<Incoming>) -> Response<Content> {
    let (head, body) = request.into_parts();
    let is_api = head.uri.path().starts_with("/api");
    let is_former = |host: &str| shared.kept().is_known(host);
    let admitted = request_checks::check(&head, &ServedHosts { ours: &shared.host, is_former: &is_former });
    match admitted {
        Err(refusal) if is_api => static_files::failure(refusal.status, refusal.code, refusal.message),
        Err(refusal) => static_files::message_page(refusal.status, refusal.message),
        Ok(RequestKind::Open { key, .. }) if !shared.sessions().has_key(&key, Instant::now()) => {
            open(&shared, &head, &key)
        }
        Ok(RequestKind::Open { key, again }) => match is_confirmed(&shared, &again, key.as_bytes().to_vec()).await {
            Ok(Ok(())) => open(&shared, &head, &key),
            Ok(Err(challenge)) => static_files::retry_with_challenge(&key, &challenge),
            // A running command could be first to use the link, so the page does not open now. The link stays valid.
            Err(why) => {
                let text = format!("The page does not open now: {why}. Then load this page again.");
                static_files::message_page(StatusCode::FORBIDDEN, &text)
            }
        },
        Ok(RequestKind::File(path)) => file(&shared, &head, &path),
        Ok(RequestKind::Former) => static_files::expired_tab(StatusCode::UNAUTHORIZED, AGAIN),
        Ok(RequestKind::Seal { host, tab, made_up }) => seal(&shared, &host, &tab, &made_up),
        Ok(RequestKind::Return { host }) => match read(&shared, body).await {
            Ok(bytes) => returns(&shared, &host, &bytes),
            Err(refused) => refused,
        },
        Ok(
            wanted @ (RequestKind::Task
            | RequestKind::Here
            | RequestKind::Watch { .. }
            | RequestKind::Follow { .. }
            | RequestKind::Keep
            | RequestKind::Parcel { .. }
            | RequestKind::SignOut),
        ) => {
            let tokens = request_checks::tokens(&head.headers, &shared.cookie);
            let visitor = shared.sessions().visitor(&tokens, request_checks::proof(&head.headers), Instant::now());
            let Some(visitor) = visitor else {
                return static_files::failure(StatusCode::UNAUTHORIZED, "unauthorized", OVER);
            };
            api(&shared, visitor, wanted, &head, body).await
        }
    }
}

fn open(shared: &Shared, head: &Parts, key: &str) -> Response<Content> {
    let tokens = request_checks::tokens(&head.headers, &shared.cookie);
    let (opened, count) = {
        let mut sessions = shared.sessions();
        (sessions.open(key, &tokens, Instant::now()), sessions.opened())
    };
    let Some(opened) = opened else {
        let late = "This link was used already, or is too old. Run <code>aside web</code> again.";
        return static_files::message_page(StatusCode::FORBIDDEN, late);
    };
    shared.kept().remember(shared.port, count);
    // Removes the file that redirected to this link, if there is one.
    let _ = std::fs::remove_file(paths::page_file(&shared.socket));
    static_files::opened(&shared.cookie, &opened)
}

fn file(shared: &Shared, head: &Parts, path: &str) -> Response<Content> {
    let tokens = request_checks::tokens(&head.headers, &shared.cookie);
    // `words.js` is served without a session: the error page needs it.
    if path != "/words.js" && !shared.sessions().knows(&tokens, Instant::now()) {
        return static_files::expired_tab(StatusCode::UNAUTHORIZED, AGAIN);
    }
    static_files::file(path)
        .unwrap_or_else(|| static_files::message_page(StatusCode::NOT_FOUND, "There is nothing of that name."))
}

async fn api(
    shared: &Arc<Shared>,
    visitor: SessionInfo,
    wanted: RequestKind,
    head: &Parts,
    body: Incoming,
) -> Response<Content> {
    match wanted {
        RequestKind::Open { .. }
        | RequestKind::File(_)
        | RequestKind::Former
        | RequestKind::Seal { .. }
        | RequestKind::Return { .. } => static_files::message_page(StatusCode::NOT_FOUND, AGAIN),
        RequestKind::Keep => match read(shared, body).await {
            Ok(bytes) => keep(shared, visitor, &bytes),
            Err(refused) => refused,
        },
        RequestKind::Parcel { number } => {
            let parcel = shared.sessions().parcel(visitor.number, number);
            static_files::json(StatusCode::OK, &json!({ "parcel": parcel }))
        }
        RequestKind::SignOut => match read(shared, body).await {
            Ok(bytes) => sign_out(shared, &visitor, &bytes),
            Err(refused) => refused,
        },
        RequestKind::Here => {
            let version = env!("CARGO_PKG_VERSION");
            static_files::json(
                StatusCode::OK,
                &json!({ "cwd": visitor.place.cwd, "by": visitor.name(), "version": version }),
            )
        }
        RequestKind::Task => match read(shared, body).await {
            Ok(bytes) => ask(shared, &visitor, request_checks::challenge_of(&head.headers), &bytes).await,
            Err(refused) => refused,
        },
        RequestKind::Watch { task, from } => {
            let from = request_checks::last_event(&head.headers).unwrap_or(from);
            event_stream::begin(shared, visitor, TaskParams { op: TaskOp::Watch, task, from, ..TaskParams::default() })
                .await
        }
        RequestKind::Follow { limit } => {
            event_stream::begin(shared, visitor, TaskParams { op: TaskOp::Follow, limit, ..TaskParams::default() })
                .await
        }
    }
}

/// Stores the public key of a tab, and returns the secret by which the tab recognizes the next daemon.
fn keep(shared: &Shared, visitor: SessionInfo, bytes: &[u8]) -> Response<Content> {
    #[derive(serde::Deserialize)]
    struct Said {
        key: String,
        #[serde(default)]
        tab: String,
    }
    let Ok(said) = serde_json::from_slice::<Said>(bytes) else { return static_files::bad_request() };
    let SessionInfo { number, place } = visitor;
    let ticket = shared.kept().keep(&shared.host, number, place, &said.key, &said.tab, bridge::seconds());
    ticket.map_or_else(static_files::bad_request, |ticket| static_files::json(StatusCode::OK, &ticket))
}

fn seal(shared: &Shared, host: &str, tab: &str, made_up: &str) -> Response<Content> {
    let seal = shared.kept().seal(&shared.host, host, tab, made_up, (bridge::seconds(), Instant::now()));
    seal.map_or_else(
        || static_files::failure(StatusCode::NOT_FOUND, "not_found", OVER),
        |seal| static_files::json(StatusCode::OK, &seal),
    )
}

/// Sends the tab on to this daemon's own name, under which no other server can have been.
fn returns(shared: &Shared, host: &str, bytes: &[u8]) -> Response<Content> {
    #[derive(serde::Deserialize)]
    struct Said {
        tab: String,
        nonce: String,
        signature: String,
        #[serde(default)]
        parcel: String,
    }
    let Ok(said) = serde_json::from_slice::<Said>(bytes) else { return static_files::bad_request() };
    let now = (bridge::seconds(), Instant::now());
    let returned = shared.kept().returns(host, &said.tab, &said.nonce, &said.signature, now);
    let Some(returned) = returned else {
        return static_files::failure(StatusCode::UNAUTHORIZED, "unauthorized", OVER);
    };
    let parcel = if said.parcel.len() <= MAX_PARCEL { said.parcel } else { String::new() };
    let comes = KeyUse::Back { session: returned.session, parcel };
    static_files::json(StatusCode::OK, &json!({ "link": shared.link(returned.place, comes) }))
}

/// Signs out this browser, or all of them. Its streams end, and none of its tabs may return.
fn sign_out(shared: &Shared, visitor: &SessionInfo, bytes: &[u8]) -> Response<Content> {
    #[derive(serde::Deserialize)]
    struct Said {
        #[serde(default)]
        all: bool,
    }
    let Ok(said) = serde_json::from_slice::<Said>(bytes) else { return static_files::bad_request() };
    if said.all {
        shared.sign_all_out();
    } else {
        shared.sessions().end(visitor.number);
        shared.kept().drop_tabs(|session| session == visitor.number);
        shared.ended.send_modify(|ended| *ended += 1);
    }
    static_files::signed_out(&shared.cookie)
}

async fn read(shared: &Shared, body: Incoming) -> Result<Bytes, Response<Content>> {
    const LONG: &str = "the message is longer than 1 MiB";
    // Rejects by the announced length, before anything is read.
    if body.size_hint().lower() > MAX_BODY as u64 {
        return Err(static_files::failure(StatusCode::PAYLOAD_TOO_LARGE, "bad_request", LONG));
    }
    match timeout(shared.limits.body, Limited::new(body, MAX_BODY).collect()).await {
        Ok(Ok(whole)) => Ok(whole.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            Err(static_files::failure(StatusCode::PAYLOAD_TOO_LARGE, "bad_request", LONG))
        }
        Ok(Err(_)) => Err(static_files::failure(StatusCode::BAD_REQUEST, "bad_request", "the message broke off")),
        Err(_) => Err(static_files::failure(StatusCode::REQUEST_TIMEOUT, "bad_request", "the message took too long")),
    }
}

async fn ask(shared: &Shared, visitor: &SessionInfo, again: &str, bytes: &[u8]) -> Response<Content> {
    let task = match understood(visitor, bytes) {
        Ok(task) => task,
        Err(why) => return static_files::failure(StatusCode::BAD_REQUEST, "bad_request", &why),
    };
    if is_for_the_user_alone(task.op) {
        let about = [&visitor.number.to_le_bytes(), bytes].concat();
        match is_confirmed(shared, again, about).await {
            Ok(Ok(())) => {}
            Ok(Err(challenge)) => return static_files::challenge(&challenge),
            Err(why) => return static_files::failure(StatusCode::CONFLICT, "refused", &why),
        }
    }
    let Ok(_place) = shared.asking.try_acquire() else {
        return static_files::failure(StatusCode::SERVICE_UNAVAILABLE, "busy", "too much is asked at once; try again");
    };
    let answered = async {
        let mut wire = DaemonClient::say(&shared.socket, task).await?;
        wire.next().await
    };
    match timeout(shared.limits.daemon, answered).await {
        Ok(Ok(Some(reply))) => daemon_reply(&reply),
        Ok(Ok(None)) => no_daemon(),
        Ok(Err(error)) => {
            tracing::warn!("the daemon's answer did not reach the page: {error}");
            no_daemon()
        }
        Err(_) => {
            static_files::failure(StatusCode::GATEWAY_TIMEOUT, "no_daemon", "the daemon takes too long to answer")
        }
    }
}

/// Whether the request makes something happen on this machine. Any holder of the session may show, ask, reject or end.
fn is_for_the_user_alone(op: TaskOp) -> bool {
    match op {
        TaskOp::Approve | TaskOp::Edit | TaskOp::Undo => true,
        TaskOp::Ask | TaskOp::Retry | TaskOp::Reject | TaskOp::Cancel => false,
        TaskOp::List | TaskOp::Show | TaskOp::Watch | TaskOp::Follow | TaskOp::Rules | TaskOp::Welcome => false,
        TaskOp::Page | TaskOp::SignOut | TaskOp::Pair | TaskOp::Clean => false,
    }
}

/// Whether only the user can have sent this: no command is running, and the request was answered with a challenge and sent again, so it did
/// not wait in a connection since a command ran. The inner error is the new challenge; the outer one says why the request is refused.
async fn is_confirmed(shared: &Shared, again: &str, about: Vec<u8>) -> Result<Result<(), String>, String> {
    refuse_commands(shared).await?;
    let mut sessions = shared.sessions();
    let now = Instant::now();
    if !again.is_empty() && sessions.is_answer(again, &about, now) {
        return Ok(Ok(()));
    }
    Ok(Err(sessions.challenge(about, now)))
}

/// An error while a command is running: it may be at the far end of any connection.
async fn refuse_commands(shared: &Shared) -> Result<(), String> {
    let _turn = shared.looking.lock().await;
    let looked = tokio::task::spawn_blocking(|| match Presence::looked_up() {
        Presence::None => Ok(()),
        there => Err(there.told()),
    });
    looked.await.unwrap_or_else(|_| Err(Presence::Unknown.why().to_owned()))
}

fn understood(visitor: &SessionInfo, bytes: &[u8]) -> Result<TaskParams, String> {
    /// Without an `op` it would be a question.
    #[derive(serde::Deserialize)]
    struct Named {
        #[serde(rename = "op")]
        _op: TaskOp,
    }
    let task = serde_json::from_slice::<Named>(bytes).and_then(|_| serde_json::from_slice::<TaskParams>(bytes));
    let task = task.map_err(|error| format!("not a message: {error}"))?;
    Ok(as_said_by(visitor, task)?)
}

/// What a page may say, as this session. Handles each field explicitly: the page cannot claim a source or a sender, and variables for a
/// command come from a terminal only.
fn as_said_by(visitor: &SessionInfo, said: TaskParams) -> Result<TaskParams, &'static str> {
    let TaskParams {
        op,
        task,
        thread,
        text,
        source: _,
        from_user: _,
        by: _,
        step,
        digest,
        confine,
        from: _,
        limit,
        ..
    } = said;
    let TaskParams {
        cwd,
        session: _,
        shell: _,
        private,
        active,
        active_line,
        open,
        selection,
        diagnostics,
        environment: _,
        ..
    } = said;
    match op {
        TaskOp::Watch | TaskOp::Follow => return Err("this is read from /api/watch or /api/follow"),
        TaskOp::Page | TaskOp::SignOut => return Err("only `aside web` gives out links to the page"),
        TaskOp::Clean => return Err("`aside privacy clean` does that"),
        TaskOp::Pair => return Err("`aside remote pair` does that, at a terminal"),
        TaskOp::Ask | TaskOp::List | TaskOp::Show | TaskOp::Approve | TaskOp::Reject | TaskOp::Edit => {}
        TaskOp::Cancel | TaskOp::Retry | TaskOp::Undo | TaskOp::Rules | TaskOp::Welcome => {}
    }
    let PageContext { cwd: asked_in, shell } = visitor.place.clone();
    let cwd = if cwd.is_empty() { asked_in } else { cwd };
    let kept = TaskParams {
        op,
        task,
        thread,
        text,
        step,
        digest,
        confine,
        limit,
        cwd,
        shell,
        private,
        ..TaskParams::default()
    };
    let source = "local_ui".to_owned();
    Ok(TaskParams { source, by: visitor.name(), active, active_line, open, selection, diagnostics, ..kept })
}
