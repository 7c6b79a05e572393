//! The daemon's replies as HTTP responses.

use aside_proto::Reply;
use hyper::{Response, StatusCode};

use crate::bridge::web::static_files::{self, Content};

/// The daemon's reply with the HTTP status that fits.
pub fn daemon_reply(reply: &Reply) -> Response<Content> {
    let Reply::Error(failure) = reply else { return static_files::json(StatusCode::OK, reply) };
    let status = match failure.error.code.as_str() {
        "bad_request" => StatusCode::BAD_REQUEST,
        "not_found" => StatusCode::NOT_FOUND,
        "not_wanted" => StatusCode::FORBIDDEN,
        "unavailable" | "busy" => StatusCode::SERVICE_UNAVAILABLE,
        "internal" => StatusCode::INTERNAL_SERVER_ERROR,
        // The state has changed since the page was shown: another page or a terminal was faster.
        _ => StatusCode::CONFLICT,
    };
    static_files::json(status, reply)
}

pub fn no_daemon() -> Response<Content> {
    static_files::failure(StatusCode::BAD_GATEWAY, "no_daemon", "the daemon does not answer; run `aside web` again")
}
