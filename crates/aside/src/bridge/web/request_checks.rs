//! Which requests are admitted, judged by their head alone. Any web page can make a browser on this machine send us requests; this checks
//! what the browser says of their origin before anything is read or looked up. `session` checks the session.

use hyper::header::{self, HeaderMap, HeaderName};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};

/// Carries the proof of a session. Pages of other origins cannot send it: the browser would send a preflight request, which we refuse.
pub const PROOF: &str = "x-aside";
/// Carries the challenge when a request is sent again.
pub const AGAIN: &str = "x-aside-again";
/// The cookie's value and the proof have 43 letters, a task's name fewer.
const MAX_WORD: usize = 128;

/// What a request asks for.
#[derive(Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// The page, with a key, and with the challenge when it is sent again.
    Open {
        key: String,
        again: String,
    },
    /// A file of the page, by its path.
    File(String),
    /// A message for the daemon.
    Task,
    Here,
    Watch {
        task: String,
        from: u64,
    },
    Follow {
        limit: u32,
    },
    /// A tab registers itself, so that the next daemon recognizes it.
    Keep,
    /// What a tab left for itself before it moved to this daemon.
    Parcel {
        number: u64,
    },
    SignOut,
    /// A tab that was open before asks, under its old name, which daemon this is.
    Seal {
        host: String,
        tab: String,
        made_up: String,
    },
    /// The tab's signed answer.
    Return {
        host: String,
    },
    /// The page, requested under a former name.
    Former,
}

/// The host names that the server answers to, each with its port.
pub struct ServedHosts<'a> {
    pub ours: &'a str,
    /// Whether a tab is still open that an earlier daemon served under this name.
    pub is_former: &'a dyn Fn(&str) -> bool,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Refusal {
    pub status: StatusCode,
    pub code: &'static str,
    pub message: &'static str,
}

const fn refuse(status: StatusCode, code: &'static str, message: &'static str) -> Refusal {
    Refusal { status, code, message }
}

pub fn check(head: &Parts, names: &ServedHosts<'_>) -> Result<RequestKind, Refusal> {
    let headers = &head.headers;
    let host = host(headers, names)?;
    // An absolute URI is meant for a proxy; no browser sends us one.
    if head.uri.scheme().is_some() || head.uri.authority().is_some() {
        return Err(refuse(StatusCode::BAD_REQUEST, "bad_request", "the address must begin with a slash"));
    }
    let path = head.uri.path();
    let is_api = path == "/api" || path.starts_with("/api/");
    if host != names.ours {
        return former(head, &host, is_api);
    }
    match (&head.method, path) {
        (&Method::GET, "/api/again") => who_are_you(head, &host),
        (&Method::POST, "/api/task" | "/api/keep" | "/api/out") => {
            from_our_page(headers, &host)?;
            Ok(match path {
                "/api/keep" => RequestKind::Keep,
                "/api/out" => RequestKind::SignOut,
                _ => RequestKind::Task,
            })
        }
        (&Method::GET, "/api/here" | "/api/watch" | "/api/follow" | "/api/parcel") => {
            read_by_our_page(headers, &host)?;
            stream(path, head.uri.query().unwrap_or_default())
        }
        (&Method::GET, path) if !is_api => {
            no_body(headers)?;
            page(headers, path, head.uri.query())
        }
        (&Method::GET, _) => Err(refuse(StatusCode::NOT_FOUND, "not_found", "there is nothing of that name")),
        _ => Err(refuse(StatusCode::METHOD_NOT_ALLOWED, "bad_request", "this cannot be asked for in that way")),
    }
}

/// While no daemon had the port, another program may have served a page under this name, and that page may still be open: serves nothing
/// under it. Only a tab that was open before, and proves it, is told where to go.
fn former(head: &Parts, host: &str, is_api: bool) -> Result<RequestKind, Refusal> {
    let headers = &head.headers;
    match (&head.method, head.uri.path()) {
        (&Method::GET, "/api/again") => who_are_you(head, host),
        (&Method::POST, "/api/again") => {
            from_our_page(headers, host).map(|()| RequestKind::Return { host: host.to_owned() })
        }
        (&Method::GET, path) if !is_api => {
            no_body(headers)?;
            page(headers, path, None).map(|wanted| match wanted {
                RequestKind::File(path) if path == "/words.js" => RequestKind::File(path),
                _ => RequestKind::Former,
            })
        }
        _ => Err(refuse(StatusCode::UNAUTHORIZED, "unauthorized", "the daemon is another one; run `aside web` again")),
    }
}

/// A tab whose connection broke asks this of any program that has the port.
fn who_are_you(head: &Parts, host: &str) -> Result<RequestKind, Refusal> {
    read_by_our_page(&head.headers, host)?;
    let query = head.uri.query().unwrap_or_default();
    let said = |name| Ok(value(query, name)?.unwrap_or_default().to_owned());
    Ok(RequestKind::Seal { host: host.to_owned(), tab: said("tab")?, made_up: said("nonce")? })
}

/// Guards against DNS rebinding: under a foreign name that resolves to us, a foreign page would be of the same origin as ours.
fn host(headers: &HeaderMap, names: &ServedHosts<'_>) -> Result<String, Refusal> {
    let is_ours = |said: &&str| *said == names.ours || (names.is_former)(said);
    only(headers, header::HOST).filter(is_ours).map(str::to_owned).ok_or(refuse(
        StatusCode::MISDIRECTED_REQUEST,
        "misdirected",
        "this is not the address that `aside web` prints; use that one, with the same port",
    ))
}

/// Requests that change something must come from our own page, by the `Origin` header.
fn from_our_page(headers: &HeaderMap, host: &str) -> Result<(), Refusal> {
    let origin = only(headers, header::ORIGIN);
    if origin.and_then(|origin| origin.strip_prefix("http://")) != Some(host) {
        return Err(refuse(StatusCode::FORBIDDEN, "foreign", "this was not sent by the page"));
    }
    same_origin(headers)?;
    let kind = only(headers, header::CONTENT_TYPE).unwrap_or_default();
    let (kind, rest) = kind.split_once(';').unwrap_or((kind, ""));
    let is_json = kind.trim().eq_ignore_ascii_case("application/json")
        && (rest.is_empty() || rest.trim().eq_ignore_ascii_case("charset=utf-8"));
    if !is_json {
        // A form cannot send this type, and a script of another origin only after a preflight.
        return Err(refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "bad_request", "send application/json"));
    }
    // We decode no content encoding.
    if headers.contains_key(header::CONTENT_ENCODING) {
        return Err(refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "bad_request", "send the message as it is, not packed"));
    }
    Ok(())
}

fn read_by_our_page(headers: &HeaderMap, host: &str) -> Result<(), Refusal> {
    no_body(headers)?;
    same_origin(headers)?;
    // Browsers leave out `Origin` when a page reads from its own origin.
    match headers.contains_key(header::ORIGIN) {
        true if only(headers, header::ORIGIN).and_then(|origin| origin.strip_prefix("http://")) != Some(host) => {
            Err(refuse(StatusCode::FORBIDDEN, "foreign", "this was not sent by the page"))
        }
        _ => Ok(()),
    }
}

/// Another port of this machine is the same site, so `same-site` is not enough. Old browsers do not send the header.
fn same_origin(headers: &HeaderMap) -> Result<(), Refusal> {
    match said(headers, "sec-fetch-site") {
        None | Some("same-origin") => Ok(()),
        Some(_) => Err(refuse(StatusCode::FORBIDDEN, "foreign", "this was not sent by the page")),
    }
}

fn no_body(headers: &HeaderMap) -> Result<(), Refusal> {
    let length = headers.get(header::CONTENT_LENGTH).is_some_and(|length| length != "0");
    if length || headers.contains_key(header::TRANSFER_ENCODING) {
        return Err(refuse(StatusCode::BAD_REQUEST, "bad_request", "nothing is to be sent along with this"));
    }
    Ok(())
}

fn page(headers: &HeaderMap, path: &str, query: Option<&str>) -> Result<RequestKind, Refusal> {
    if path != "/" {
        // The page's files hold no secret, but other origins have no reason to embed them.
        return same_origin(headers).map(|()| RequestKind::File(path.to_owned()));
    }
    // The page must not be framed.
    if said(headers, "sec-fetch-dest").is_some_and(|place| place != "document") {
        return Err(refuse(StatusCode::FORBIDDEN, "foreign", "this is a page of its own"));
    }
    let Some(key) = value(query.unwrap_or_default(), "key")? else { return Ok(RequestKind::File("/".into())) };
    // A prefetch would use up the key.
    if said(headers, "sec-purpose").is_some() || said(headers, "purpose").is_some() {
        return Err(refuse(StatusCode::SERVICE_UNAVAILABLE, "unavailable", "not before somebody looks"));
    }
    let again = value(query.unwrap_or_default(), "again")?.unwrap_or_default();
    Ok(RequestKind::Open { key: key.to_owned(), again: again.to_owned() })
}

fn stream(path: &str, query: &str) -> Result<RequestKind, Refusal> {
    const UNCLEAR: Refusal = refuse(StatusCode::BAD_REQUEST, "bad_request", "it is not said which task, or from where");
    let number = |name| match value(query, name) {
        Ok(Some(number)) => number.parse::<u64>().map_err(|_| UNCLEAR),
        Ok(None) => Ok(0),
        Err(refusal) => Err(refusal),
    };
    match path {
        "/api/here" => Ok(RequestKind::Here),
        "/api/parcel" => Ok(RequestKind::Parcel { number: number("number")? }),
        "/api/follow" => Ok(RequestKind::Follow { limit: u32::try_from(number("limit")?).map_err(|_| UNCLEAR)? }),
        _ => {
            let task = value(query, "task")?.filter(|task| !task.is_empty()).ok_or(UNCLEAR)?;
            Ok(RequestKind::Watch { task: task.to_owned(), from: number("from")? })
        }
    }
}

/// No value that we accept needs percent encoding.
fn value<'a>(query: &'a str, name: &str) -> Result<Option<&'a str>, Refusal> {
    let mut values = query.split('&').filter_map(|pair| pair.split_once('=')).filter(|pair| pair.0 == name);
    let Some((_, value)) = values.next() else { return Ok(None) };
    let is_word = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if values.next().is_some() || !is_word || value.len() > MAX_WORD {
        return Err(refuse(StatusCode::BAD_REQUEST, "bad_request", "the address makes no sense"));
    }
    Ok(Some(value))
}

/// The last event that the page had when its connection broke.
pub fn last_event(headers: &HeaderMap) -> Option<u64> {
    said(headers, "last-event-id")?.parse().ok()
}

/// The challenge that a request is sent again with; empty the first time.
pub fn challenge_of(headers: &HeaderMap) -> &str {
    only(headers, HeaderName::from_static(AGAIN)).unwrap_or_default()
}

pub fn proof(headers: &HeaderMap) -> &str {
    only(headers, HeaderName::from_static(PROOF)).unwrap_or_default()
}

/// The name contains the port: cookies belong to a host, not to a port, and each user of this machine may have a daemon.
pub fn cookie_name(port: u16) -> String {
    format!("aside-{port}")
}

/// All cookie values under our name.
pub fn tokens<'a>(headers: &'a HeaderMap, name: &str) -> Vec<&'a str> {
    let lines = headers.get_all(header::COOKIE).into_iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(|pair| pair.0 == name).map(|pair| pair.1).collect()
}

/// A header that occurs twice counts as absent: parsers disagree on whether the first or the last is valid.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut all = headers.get_all(name).into_iter();
    match (all.next(), all.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

/// `None` only when the header is absent; a duplicate or unreadable header gives `?`, which matches nothing.
fn said<'a>(headers: &'a HeaderMap, name: &'static str) -> Option<&'a str> {
    let name = HeaderName::from_static(name);
    headers.contains_key(&name).then(|| only(headers, name).unwrap_or("?"))
}
