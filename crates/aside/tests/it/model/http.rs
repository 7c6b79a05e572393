//! A connection of the stub server: reads requests, writes scripted replies as byte-exact HTTP/1.1. Decides nothing about content.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::model::scripted_reply::{Break, ScriptedReply, What};
use crate::model::wire_format::{self, Endpoint};
use crate::model::{Ending, Request, Stage};

/// The poll interval at which a waiting thread checks whether the client or the test has gone.
const GLANCE: Duration = Duration::from_millis(5);

/// What a connection does after a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    Keep,
    Close,
}

pub fn serve(stream: TcpStream, stage: &Stage) {
    let mut connection = Connection { reader: BufReader::new(stream.try_clone().unwrap()), stream, stage };
    let mut is_new = true;
    while let Some((request, after)) = connection.read_request() {
        if std::mem::take(&mut is_new) {
            stage.connected();
        }
        if request.path == "/props" {
            let answered = connection.tell_properties(&request, after);
            stage.told_properties();
            match answered {
                Ok(_) if after == After::Keep => continue,
                Ok(_) | Err(_) => return,
            }
        }
        let number = stage.record(request.clone());
        let ending = connection.answer(&request, after).unwrap_or(Ending::ClientLeft);
        if ending != Ending::Whole && ending != Ending::Unexpected || after == After::Close {
            // Closed before the ending is recorded, so that a test which sees the ending finds the connection closed.
            _ = connection.stream.shutdown(Shutdown::Both);
            stage.end(number, ending);
            return;
        }
        stage.end(number, ending);
    }
}

struct Connection<'a> {
    reader: BufReader<TcpStream>,
    stream: TcpStream,
    stage: &'a Stage,
}

/// Fails when the client has disconnected.
type Written<T> = std::io::Result<T>;

impl Connection<'_> {
    /// `None` when the client has no further request, or the test is over.
    fn read_request(&mut self) -> Option<(Request, After)> {
        if self.reader.buffer().is_empty() && self.wait_for_bytes(None) != Waited::Bytes {
            return None;
        }
        self.stream.set_read_timeout(None).ok()?;
        let line = self.read_line()?;
        let mut words = line.split(' ');
        let (method, path, version) = (words.next()?, words.next()?, words.next()?);
        let mut headers = Vec::new();
        loop {
            let line = self.read_line()?;
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut request = Request {
            method: method.to_owned(),
            path: path.to_owned(),
            headers,
            body: Value::Null,
            text: String::new(),
            ending: Ending::Open,
        };
        let body = self.read_body(&request)?;
        request.text = String::from_utf8_lossy(&body).into_owned();
        if !body.is_empty() {
            request.body = serde_json::from_slice(&body).unwrap_or_else(|_| Value::String(request.text.clone()));
        }
        let close = version == "HTTP/1.0" || request.header("connection").is_some_and(|value| value == "close");
        Some((request, if close { After::Close } else { After::Keep }))
    }

    fn read_body(&mut self, request: &Request) -> Option<Vec<u8>> {
        let mut body = Vec::new();
        if request.header("transfer-encoding").is_some_and(|value| value.contains("chunked")) {
            loop {
                let size = usize::from_str_radix(self.read_line()?.split(';').next()?.trim(), 16).ok()?;
                let mut chunk = vec![0; size];
                self.reader.read_exact(&mut chunk).ok()?;
                self.read_line()?;
                if size == 0 {
                    return Some(body);
                }
                body.extend(chunk);
            }
        }
        let length = request.header("content-length").and_then(|value| value.parse().ok()).unwrap_or(0);
        body.resize(length, 0);
        self.reader.read_exact(&mut body).ok()?;
        Some(body)
    }

    fn read_line(&mut self) -> Option<String> {
        let mut line = String::new();
        let count = self.reader.read_line(&mut line).ok()?;
        (count > 0).then(|| line.trim_end().to_owned())
    }

    /// The client asks which server program this is.
    fn tell_properties(&mut self, request: &Request, after: After) -> Written<Ending> {
        match self.stage.is_llama() {
            true => self.write_whole(200, &[], &wire_format::llama_properties().to_string(), None, after),
            false => {
                let body = format!("{{\"error\":{{\"message\":\"no {}\"}}}}", request.path);
                self.write_whole(404, &[], &body, None, after)
            }
        }
    }

    fn answer(&mut self, request: &Request, after: After) -> Written<Ending> {
        let path = request.path.split('?').next().unwrap_or_default();
        if (request.method.as_str(), path) == ("GET", "/v1/models") {
            let anthropic = request.header("anthropic-version").is_some();
            let models = if anthropic { wire_format::anthropic_models() } else { wire_format::openai_models() };
            return self.write_whole(200, &[], &models.to_string(), None, after);
        }
        let endpoint = Endpoint::of(path).filter(|_| request.method == "POST");
        let answer = endpoint.and_then(|_| self.stage.take_answer(&request.body));
        let (Some(endpoint), Some(answer)) = (endpoint, answer) else {
            let body = format!("{{\"error\":{{\"message\":\"no script for {} {}\"}}}}", request.method, request.path);
            self.write_whole(599, &[], &body, None, after)?;
            return Ok(Ending::Unexpected);
        };
        self.pause(answer.delay)?;
        self.play(endpoint, &request.body, &answer, after)
    }

    fn play(&mut self, endpoint: Endpoint, asked: &Value, answer: &ScriptedReply, after: After) -> Written<Ending> {
        match &answer.what {
            What::Says(_) if answer.breaks == Some((0, Break::Drop)) => Ok(Ending::Dropped),
            What::Says(_) if answer.breaks == Some((0, Break::Hang)) => self.hang(),
            What::Says(pieces) if asked["stream"] == true => self.stream_pieces(endpoint, asked, pieces, answer, after),
            What::Says(pieces) => {
                let body = endpoint.whole(asked, &pieces.concat(), &answer.others).to_string();
                let kind = named(answer, "application/json");
                self.write_whole(200, &[kind], &body, answer.breaks.map(|(_, what)| what), after)
            }
            What::Fails { status, retry_after, message } => {
                let retry: Vec<String> = retry_after.iter().map(|when| format!("retry-after: {when}")).collect();
                let scripted = format!("scripted status {status}");
                let error = endpoint.error(*status, message.as_ref().unwrap_or(&scripted));
                self.write_whole(*status, &retry, &error.to_string(), None, after)
            }
            What::Calls { name, arguments } => {
                let body = endpoint.call(asked, name, arguments);
                self.write_whole(200, &[named(answer, "text/event-stream")], &body, None, after)
            }
            What::Raw(body) => self.write_whole(200, &[named(answer, "application/json")], body, None, after),
        }
    }

    fn stream_pieces(
        &mut self,
        endpoint: Endpoint,
        asked: &Value,
        pieces: &[String],
        answer: &ScriptedReply,
        after: After,
    ) -> Written<Ending> {
        let events = endpoint.events(asked, pieces, &answer.others, answer.cut);
        let kind = named(answer, "text/event-stream");
        let headers = [kind, "cache-control: no-cache".to_owned(), "transfer-encoding: chunked".to_owned()];
        self.write(&head(200, &headers, after))?;
        self.write_chunk(&events.opening)?;
        for (number, piece) in events.pieces.iter().enumerate() {
            if let Some((_, what)) = answer.breaks.filter(|(count, _)| *count == number) {
                return self.break_off(what, endpoint, answer.pace);
            }
            self.pause(answer.pace)?;
            self.write_chunk(piece)?;
        }
        if let Some((_, what)) = answer.breaks {
            return self.break_off(what, endpoint, answer.pace);
        }
        self.pause(Duration::ZERO)?;
        self.write_chunk(&events.closing)?;
        self.pause(answer.linger)?;
        self.write("0\r\n\r\n")?;
        Ok(Ending::Whole)
    }

    fn break_off(&mut self, what: Break, endpoint: Endpoint, pace: Duration) -> Written<Ending> {
        match what {
            Break::Drop => Ok(Ending::Dropped),
            Break::Hang => self.hang(),
            Break::Drip => loop {
                if self.stage.is_closing() {
                    return Ok(Ending::Dropped);
                }
                self.pause(pace)?;
                self.write_chunk(endpoint.sign_of_life())?;
            },
            Break::Error => {
                self.write_chunk(&endpoint.error_event())?;
                self.write("0\r\n\r\n")?;
                Ok(Ending::Whole)
            }
        }
    }

    fn write_whole(
        &mut self,
        status: u16,
        headers: &[String],
        body: &str,
        breaks: Option<Break>,
        after: After,
    ) -> Written<Ending> {
        self.pause(Duration::ZERO)?;
        let mut headers = headers.to_vec();
        if !headers.iter().any(|header| header.starts_with("content-type:")) {
            headers.push("content-type: application/json".to_owned());
        }
        headers.push(format!("content-length: {}", body.len()));
        let answer = head(status, &headers, after) + body;
        // The head announces the full length, but only half of the body is sent.
        let cut = answer.floor_char_boundary(answer.len() - body.len() / 2);
        match breaks {
            None => self.write(&answer).map(|()| Ending::Whole),
            Some(Break::Drop) => self.write(&answer[..cut]).map(|()| Ending::Dropped),
            Some(Break::Hang | Break::Drip | Break::Error) => {
                self.write(&answer[..cut])?;
                self.hang()
            }
        }
    }

    fn write(&mut self, text: &str) -> Written<()> {
        self.stream.write_all(text.as_bytes())
    }

    fn write_chunk(&mut self, text: &str) -> Written<()> {
        // An empty chunk would end the body.
        if text.is_empty() { Ok(()) } else { self.write(&format!("{:x}\r\n{text}\r\n", text.len())) }
    }

    /// Sends nothing until the client gives up or the test ends.
    fn hang(&mut self) -> Written<Ending> {
        loop {
            match self.wait_for_bytes(Some(Duration::from_secs(1))) {
                Waited::Gone => return Ok(Ending::ClientLeft),
                Waited::Closing => return Ok(Ending::Dropped),
                Waited::Bytes | Waited::Nothing => {}
            }
        }
    }

    /// Pauses, and fails if the client disconnects meanwhile.
    fn pause(&mut self, duration: Duration) -> Written<()> {
        match self.wait_for_bytes(Some(duration)) {
            Waited::Gone => Err(ErrorKind::ConnectionAborted.into()),
            Waited::Bytes | Waited::Nothing | Waited::Closing => Ok(()),
        }
    }

    /// Watches the connection until `limit` is over; without a limit, waits for the first byte. A client that closes even its write
    /// half counts as gone; no HTTP client does that and stays.
    fn wait_for_bytes(&mut self, limit: Option<Duration>) -> Waited {
        let deadline = limit.map(|limit| Instant::now() + limit);
        loop {
            let left = deadline.map_or(GLANCE, |deadline| deadline.saturating_duration_since(Instant::now()));
            let over = left.is_zero();
            // A timeout of zero would mean none.
            let glance = left.clamp(Duration::from_micros(100), GLANCE);
            _ = self.stream.set_read_timeout(Some(glance));
            match self.stream.peek(&mut [0]) {
                Ok(0) => return Waited::Gone,
                Ok(_) if deadline.is_none() => return Waited::Bytes,
                Ok(_) => std::thread::sleep(if over { Duration::ZERO } else { glance }),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Waited::Gone,
            }
            if self.stage.is_closing() {
                return Waited::Closing;
            }
            if over {
                return Waited::Nothing;
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waited {
    Bytes,
    Nothing,
    Gone,
    Closing,
}

fn named(answer: &ScriptedReply, kind: &str) -> String {
    format!("content-type: {}", answer.content_type.as_deref().unwrap_or(kind))
}

fn head(status: u16, headers: &[String], after: After) -> String {
    let reason = match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        404 => "Not Found",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        529 => "Overloaded",
        599 => "Unscripted",
        _ => "Scripted",
    };
    let connection = match after {
        After::Keep => "keep-alive",
        After::Close => "close",
    };
    let mut text = format!("HTTP/1.1 {status} {reason}\r\nconnection: {connection}\r\n");
    for header in headers {
        text.push_str(header);
        text.push_str("\r\n");
    }
    text + "\r\n"
}
