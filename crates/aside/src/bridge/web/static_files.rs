//! Static responses: the page's files, compiled in, and short messages for browsers without a session. Every response carries headers that
//! keep a browser from running foreign scripts, framing, caching or sending a referrer.

use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use tokio::sync::mpsc;

use crate::bridge::web::session::SessionTokens;

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Path, type, content. Paths are looked up in this table only, so no request reaches the disk.
const FILES: &[(&str, &str, &[u8])] = &[
    ("/", "text/html; charset=utf-8", include_bytes!("../../../web/index.html")),
    ("/app.css", "text/css; charset=utf-8", include_bytes!("../../../web/app.css")),
    ("/app.js", SCRIPT, include_bytes!("../../../web/app.js")),
    ("/around.js", SCRIPT, include_bytes!("../../../web/around.js")),
    ("/ask.js", SCRIPT, include_bytes!("../../../web/ask.js")),
    ("/card.js", SCRIPT, include_bytes!("../../../web/card.js")),
    ("/diff.js", SCRIPT, include_bytes!("../../../web/diff.js")),
    ("/help.js", SCRIPT, include_bytes!("../../../web/help.js")),
    ("/highlight.js", SCRIPT, include_bytes!("../../../web/highlight.js")),
    ("/icon.svg", "image/svg+xml", include_bytes!("../../../web/icon.svg")),
    ("/keys.js", SCRIPT, include_bytes!("../../../web/keys.js")),
    ("/labels.js", SCRIPT, include_bytes!("../../../web/labels.js")),
    ("/markdown.js", SCRIPT, include_bytes!("../../../web/markdown.js")),
    ("/output.js", SCRIPT, include_bytes!("../../../web/output.js")),
    ("/meant.js", SCRIPT, include_bytes!("../../../web/meant.js")),
    ("/task.js", SCRIPT, include_bytes!("../../../web/task.js")),
    ("/text.js", SCRIPT, include_bytes!("../../../web/text.js")),
    ("/theme.js", SCRIPT, include_bytes!("../../../web/theme.js")),
    ("/threads.js", SCRIPT, include_bytes!("../../../web/threads.js")),
    ("/watch.js", SCRIPT, include_bytes!("../../../web/watch.js")),
    ("/resume.js", SCRIPT, include_bytes!("../../../web/resume.js")),
    ("/words.js", SCRIPT, include_bytes!("../../../web/words.js")),
    ("/wire.js", SCRIPT, include_bytes!("../../../web/wire.js")),
];

const HEAD: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
    <meta name=\"viewport\" content=\"width=device-width\"><meta name=\"color-scheme\" content=\"light dark\">";

const HEADERS: &[(&str, &str)] = &[
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; worker-src 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "no-store"),
    ("permissions-policy", "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"),
];

/// A response body: whole, or a stream for as long as the browser reads.
pub enum Content {
    Whole(Option<Bytes>),
    Stream(mpsc::Receiver<Bytes>),
}

impl Body for Content {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let next = match self.get_mut() {
            Content::Whole(bytes) => Poll::Ready(bytes.take()),
            Content::Stream(pieces) => pieces.poll_recv(context),
        };
        next.map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Content::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Content::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            Content::Stream(_) => SizeHint::default(),
        }
    }
}

pub fn file(path: &str) -> Option<Response<Content>> {
    let (_, kind, bytes) = FILES.iter().find(|(name, ..)| *name == path)?;
    Some(answer(StatusCode::OK, kind, Content::Whole(Some(Bytes::from_static(bytes)))))
}

/// Redirects by a page, not by status: the link may be opened from a file, which is another site, and browsers do not send a strict cookie
/// along a redirect from another site. The proof stands behind the `#`, which is never sent to a server.
pub fn opened(cookie: &str, opened: &SessionTokens) -> Response<Content> {
    let SessionTokens { token, proof, parcel } = opened;
    let proof = parcel.map_or_else(|| proof.clone(), |parcel| format!("{proof}.{parcel}"));
    let text = format!(
        "<!doctype html><meta charset=\"utf-8\"><title>Aside</title><link rel=\"icon\" href=\"/icon.svg\">\
         <meta http-equiv=\"refresh\" content=\"0;url=/#k={proof}\"><p><a href=\"/#k={proof}\">Open the page</a></p>\n"
    );
    let mut response = html(StatusCode::OK, text);
    let cookie = HeaderValue::try_from(format!("{cookie}={token}; HttpOnly; SameSite=Strict; Path=/"));
    if let Ok(cookie) = cookie {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// Sends the browser to the link once more, with a challenge: see `Challenge`.
pub fn retry_with_challenge(key: &str, challenge: &str) -> Response<Content> {
    let url = format!("/?key={key}&amp;again={challenge}");
    let text = format!(
        "<!doctype html><meta charset=\"utf-8\"><title>Aside</title><link rel=\"icon\" href=\"data:,\">\
         <meta http-equiv=\"refresh\" content=\"0;url={url}\"><p><a href=\"{url}\">Open the page</a></p>\n"
    );
    html(StatusCode::OK, text)
}

/// Asks the page to send its message again with this challenge.
pub fn challenge(challenge: &str) -> Response<Content> {
    json(StatusCode::PRECONDITION_REQUIRED, &serde_json::json!({ "again": challenge }))
}

/// The session has ended; deletes the cookie.
pub fn signed_out(cookie: &str) -> Response<Content> {
    let mut response = json(StatusCode::OK, &serde_json::json!({ "out": true }));
    let cookie = HeaderValue::try_from(format!("{cookie}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0"));
    if let Ok(cookie) = cookie {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// A message for a browser that came too late or is not the user's.
pub fn message_page(status: StatusCode, sentence: &str) -> Response<Content> {
    html(status, format!("{HEAD}<title>Aside</title><h1>Aside</h1><p>{sentence}</p>\n"))
}

/// For a tab that may have had a session: a script keeps what was typed there.
pub fn expired_tab(status: StatusCode, sentence: &str) -> Response<Content> {
    let script = "<script src=\"/words.js\" defer></script>";
    html(status, format!("{HEAD}<title>Aside</title>{script}<h1>Aside</h1><p>{sentence}</p>\n"))
}

pub fn bad_request() -> Response<Content> {
    failure(StatusCode::BAD_REQUEST, "bad_request", "this message cannot be read")
}

pub fn json(status: StatusCode, value: &impl serde::Serialize) -> Response<Content> {
    let bytes = serde_json::to_vec(value).unwrap_or_default();
    answer(status, "application/json", Content::Whole(Some(bytes.into())))
}

/// An error in the daemon's format.
pub fn failure(status: StatusCode, code: &str, message: &str) -> Response<Content> {
    json(status, &aside_proto::Reply::error(code, message))
}

pub fn stream(pieces: mpsc::Receiver<Bytes>) -> Response<Content> {
    answer(StatusCode::OK, "text/event-stream", Content::Stream(pieces))
}

fn html(status: StatusCode, text: String) -> Response<Content> {
    answer(status, "text/html; charset=utf-8", Content::Whole(Some(text.into())))
}

fn answer(status: StatusCode, kind: &'static str, content: Content) -> Response<Content> {
    let mut response = Response::new(content);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    for (name, value) in HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    // A refused client may have sent more than we read; closing keeps the rest from being parsed as another request.
    if status.is_client_error() || status.is_server_error() {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
