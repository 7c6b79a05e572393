//! One HTTP exchange with a server: sends a request and streams the answer, within timeouts. Knows no protocol: the caller's reader parses
//! the events. Dropping the exchange closes the connection.

use std::ops::ControlFlow;
use std::time::{Duration, Instant, SystemTime};

use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url, redirect};

use crate::provider::sse::Decoder;
use crate::provider::{Failure, RequestEnd, Timeouts};

/// Cap on the bytes of an answer; a command line is shorter, and longer reasoning would come too late.
const MAX_ANSWER: usize = 64 * 1024;
/// Caps on the bytes of a whole body and of an error message.
const MAX_BODY: usize = 1024 * 1024;
const MAX_COMPLAINT: usize = 8 * 1024;
/// Cap on the answers to one request.
const MAX_CANDIDATES: usize = 8;
/// Cap on a server's retry delay.
const MAX_REST: Duration = Duration::from_secs(24 * 60 * 60);
/// How long the end of a body may take once the answer is known, so that the connection can be reused.
const LAST_BYTES: Duration = Duration::from_millis(500);

/// The content of an event, or of a whole reply.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    /// Pieces of text, each with the index of its answer.
    pub pieces: Vec<(usize, String)>,
    /// The answer is complete.
    pub is_over: bool,
    /// Nothing follows this event.
    pub is_last: bool,
    /// The token limit was reached.
    pub is_cut: bool,
    pub tokens_in: Option<u64>,
    pub tokens_out: Option<u64>,
}

/// Everything that was received.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ExchangeResult {
    pub texts: Vec<String>,
    pub end: FinishReason,
    pub tokens_in: Option<u64>,
    pub tokens_out: Option<u64>,
}

/// Whether an answer is complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FinishReason {
    #[default]
    Whole,
    /// The token limit was reached. Half a command would be a different command.
    Cut,
}

/// A failure, and the server's error message apart from it: the message may quote the request.
#[derive(Debug, PartialEq, Eq)]
pub struct ExchangeError {
    pub failure: Failure,
    pub complaint: String,
}

/// Parses an event of one protocol.
pub type EventParser = fn(&str) -> Result<Chunk, Failure>;

/// Measures time since the request began.
pub struct RequestClock {
    start: Instant,
    patience: Timeouts,
    /// When the last text arrived. A keep-alive does not count.
    heard: Option<Instant>,
}

impl RequestClock {
    pub fn start(patience: Timeouts) -> Self {
        Self { start: Instant::now(), patience, heard: None }
    }

    /// Waits for the future until the timeout that applies now.
    pub async fn wait<T>(&self, future: impl Future<Output = T>) -> Result<T, Failure> {
        let Timeouts { first, read, all } = self.patience;
        let next = match self.heard {
            Some(heard) => read.saturating_sub(heard.elapsed()),
            None => first.saturating_sub(self.start.elapsed()),
        };
        let left = all.saturating_sub(self.start.elapsed());
        // A future that is always ready would never let the timer fire.
        if left.is_zero() {
            return Err(Failure::TooLate);
        }
        tokio::time::timeout(next.min(left), future).await.map_err(|_| Failure::TooLate)
    }
}

pub fn client(address: &Url, connect: Duration) -> Result<Client, Failure> {
    // Fails if a default is already installed, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .connect_timeout(connect)
        // A redirect must not send the key to another server.
        .redirect(redirect::Policy::none())
        .user_agent(concat!("aside/", env!("CARGO_PKG_VERSION")));
    if is_loopback(address) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| Failure::Settings(innermost_cause(&error)))
}

/// Sends a request and passes the growing first answer to `hear` until that has enough.
pub async fn exchange(
    request: RequestBuilder,
    clock: &mut RequestClock,
    read: EventParser,
    ended: &mut RequestEnd,
    mut hear: impl FnMut(&str) -> ControlFlow<()>,
) -> Result<ExchangeResult, ExchangeError> {
    let response = clock.wait(request.send()).await?.map_err(failed)?;
    ended.status = Some(response.status().as_u16());
    if !response.status().is_success() {
        return Err(refused(response, clock, ended).await);
    }
    let mut stream = Stream { response, seen: Vec::new(), ended };
    match stream.form(clock).await? {
        Form::Events => stream.events(clock, read, &mut hear).await.map_err(ExchangeError::from),
        Form::Whole => {
            let heard = stream.whole(clock, read).await?;
            let _ = hear(heard.texts.first().map_or("", String::as_str));
            Ok(heard)
        }
    }
}

/// The body of a short reply that is not a stream.
pub async fn get(
    request: RequestBuilder,
    clock: &RequestClock,
    ended: &mut RequestEnd,
) -> Result<(StatusCode, Vec<u8>), Failure> {
    let mut response = clock.wait(request.send()).await?.map_err(failed)?;
    ended.status = Some(response.status().as_u16());
    let mut body = Vec::new();
    while let Some(bytes) = clock.wait(response.chunk()).await?.map_err(failed)? {
        ended.bytes += bytes.len() as u64;
        body.extend_from_slice(&bytes);
        if body.len() > MAX_BODY {
            return Err(Failure::Garbled("it does not end".to_owned()));
        }
    }
    Ok((response.status(), body))
}

struct Stream<'a> {
    response: Response,
    /// The first bytes, inspected but not yet consumed.
    seen: Vec<u8>,
    ended: &'a mut RequestEnd,
}

enum Form {
    Events,
    Whole,
}

impl Stream<'_> {
    /// Detected from the content, not the header: some servers label a stream as JSON, or an error as a stream.
    async fn form(&mut self, clock: &RequestClock) -> Result<Form, Failure> {
        let header = self.response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let is_named_stream = header.is_some_and(|kind| kind.starts_with("text/event-stream"));
        while self.seen.trim_ascii_start().len() < 6 {
            match self.chunk(clock).await? {
                Some(bytes) => self.seen.extend_from_slice(&bytes),
                None => break,
            }
            if self.seen.len() > MAX_BODY {
                return Err(Failure::Garbled("it does not end".to_owned()));
            }
        }
        let start = self.seen.trim_ascii_start();
        let looks_like_events = [&b"data:"[..], b"event:", b"id:", b":"].iter().any(|name| start.starts_with(name));
        Ok(if looks_like_events || is_named_stream && !start.starts_with(b"{") { Form::Events } else { Form::Whole })
    }

    async fn next(&mut self, clock: &RequestClock) -> Result<Option<Vec<u8>>, Failure> {
        if !self.seen.is_empty() {
            return Ok(Some(std::mem::take(&mut self.seen)));
        }
        self.chunk(clock).await
    }

    async fn chunk(&mut self, clock: &RequestClock) -> Result<Option<Vec<u8>>, Failure> {
        let bytes = clock.wait(self.response.chunk()).await?.map_err(failed)?;
        self.ended.bytes += bytes.as_ref().map_or(0, |bytes| bytes.len() as u64);
        Ok(bytes.map(|bytes| bytes.to_vec()))
    }

    async fn events(
        mut self,
        clock: &mut RequestClock,
        read: EventParser,
        hear: &mut impl FnMut(&str) -> ControlFlow<()>,
    ) -> Result<ExchangeResult, Failure> {
        let mut decoder = Decoder::default();
        let mut heard = ExchangeResult::default();
        let mut is_over = false;
        while let Some(bytes) = self.next(clock).await? {
            let events = decoder.push(&bytes).map_err(|_| Failure::Garbled("an event has no end".to_owned()))?;
            let before = heard.first().len();
            for event in events {
                let part = read(&event)?;
                is_over |= part.is_over;
                let is_last = part.is_last;
                heard.add(part)?;
                if is_last {
                    if heard.first().len() > before {
                        let _ = hear(heard.first());
                    }
                    self.release();
                    return Ok(heard);
                }
            }
            if heard.first().len() > before {
                clock.heard = Some(Instant::now());
                if hear(heard.first()).is_break() {
                    return Ok(heard);
                }
            }
        }
        // Half a command would be a different command.
        if is_over { Ok(heard) } else { Err(Failure::HungUp("the answer has no end".to_owned())) }
    }

    async fn whole(mut self, clock: &RequestClock, read: EventParser) -> Result<ExchangeResult, Failure> {
        let mut body = Vec::new();
        while let Some(bytes) = self.next(clock).await? {
            body.extend_from_slice(&bytes);
            if body.len() > MAX_BODY {
                return Err(Failure::Garbled("it does not end".to_owned()));
            }
        }
        let part = read(&String::from_utf8_lossy(&body))?;
        // A stream may have events without text, a whole reply may not.
        if !part.is_over {
            return Err(Failure::Garbled("there is no answer in it".to_owned()));
        }
        let mut heard = ExchangeResult::default();
        heard.add(part)?;
        Ok(heard)
    }

    /// Reads the last bytes in the background: an unread body would cost a new connection.
    fn release(self) {
        let mut response = self.response;
        tokio::spawn(async move {
            let rest = async { while let Ok(Some(_)) = response.chunk().await {} };
            let _ = tokio::time::timeout(LAST_BYTES, rest).await;
        });
    }
}

impl ExchangeResult {
    fn first(&self) -> &str {
        self.texts.first().map_or("", String::as_str)
    }

    fn add(&mut self, part: Chunk) -> Result<(), Failure> {
        let Chunk { pieces, is_over: _, is_last: _, is_cut, tokens_in, tokens_out } = part;
        if is_cut {
            self.end = FinishReason::Cut;
        }
        for (number, piece) in pieces {
            if number >= MAX_CANDIDATES {
                continue;
            }
            if self.texts.len() <= number {
                self.texts.resize(number + 1, String::new());
            }
            self.texts[number].push_str(&piece);
        }
        self.tokens_in = tokens_in.or(self.tokens_in);
        self.tokens_out = tokens_out.or(self.tokens_out);
        let is_endless = self.texts.iter().map(String::len).sum::<usize>() > MAX_ANSWER;
        if is_endless { Err(Failure::Garbled("it does not end".to_owned())) } else { Ok(()) }
    }
}

async fn refused(mut response: Response, clock: &RequestClock, ended: &mut RequestEnd) -> ExchangeError {
    let status = response.status();
    let after = response.headers().get(RETRY_AFTER).and_then(|after| after.to_str().ok());
    let retry_after = after.and_then(|after| rest(after, SystemTime::now()));
    let mut complaint = Vec::new();
    while complaint.len() < MAX_COMPLAINT {
        match clock.wait(response.chunk()).await {
            Ok(Ok(Some(bytes))) => {
                ended.bytes += bytes.len() as u64;
                complaint.extend_from_slice(&bytes);
            }
            Ok(Ok(None) | Err(_)) | Err(_) => break,
        }
    }
    complaint.truncate(MAX_COMPLAINT);
    let complaint = String::from_utf8_lossy(&complaint).into_owned();
    let failure = match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Failure::Unauthorized,
        StatusCode::TOO_MANY_REQUESTS => Failure::RateLimited { retry_after },
        StatusCode::NOT_FOUND if complaint.to_lowercase().contains("model") => Failure::NoModel,
        status => Failure::Status(status.as_u16()),
    };
    ExchangeError { failure, complaint }
}

/// `retry-after` holds seconds or a date.
fn rest(after: &str, now: SystemTime) -> Option<Duration> {
    let after = after.trim();
    if let Ok(seconds) = after.parse::<u64>() {
        return Some(Duration::from_secs(seconds).min(MAX_REST));
    }
    let until = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(after).ok()?;
    let until = SystemTime::from(until);
    Some(until.duration_since(now).unwrap_or_default().min(MAX_REST))
}

fn failed(error: reqwest::Error) -> Failure {
    if error.is_connect() {
        Failure::Offline(innermost_cause(&error.without_url()))
    } else if error.is_timeout() {
        Failure::TooLate
    } else {
        Failure::HungUp(innermost_cause(&error.without_url()))
    }
}

/// The innermost cause says more: "connection refused" rather than "error sending request".
pub fn innermost_cause(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    last.to_string()
}

pub fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl From<Failure> for ExchangeError {
    fn from(failure: Failure) -> Self {
        Self { failure, complaint: String::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_known() {
        for (base, here) in [
            ("http://localhost:1/v1", true),
            ("http://127.0.0.2", true),
            ("http://[::1]:1", true),
            ("http://localhost.example.org", false),
            ("http://10.0.0.1", false),
        ] {
            assert_eq!(is_loopback(&Url::parse(base).unwrap()), here, "{base}");
        }
    }

    #[test]
    fn a_rest_is_given_in_seconds_or_as_a_time() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        for (after, expected) in [
            ("7", Some(7)),
            (" 0 ", Some(0)),
            ("Tue, 14 Nov 2023 22:13:50 GMT", Some(30)),
            ("Tue, 14 Nov 2023 22:13:00 GMT", Some(0)),
            ("Fri, 14 Nov 2053 22:13:00 GMT", Some(24 * 60 * 60)),
            ("999999999999", Some(24 * 60 * 60)),
            ("soon", None),
            ("-3", None),
            ("", None),
        ] {
            assert_eq!(rest(after, now), expected.map(Duration::from_secs), "{after}");
        }
    }

    #[test]
    fn an_answer_has_a_bound() {
        let piece = |number, text: &str| Chunk { pieces: vec![(number, text.to_owned())], ..Chunk::default() };
        let mut heard = ExchangeResult::default();
        heard.add(piece(1, "b")).unwrap();
        heard.add(piece(0, "a")).unwrap();
        heard.add(piece(1_000_000, "x")).unwrap();
        assert_eq!(heard.texts, ["a", "b"]);
        assert!(heard.add(piece(0, &"x".repeat(MAX_ANSWER))).is_err());
    }
}
