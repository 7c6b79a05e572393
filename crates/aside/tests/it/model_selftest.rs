//! The stub model server over a plain connection: every reply format and every failure mode.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::patience;
use crate::model::scripted_reply::ScriptedReply;
use crate::model::{Ending, Model};

const CHAT: &str = "/v1/chat/completions";
const COMPLETIONS: &str = "/v1/completions";
const MESSAGES: &str = "/v1/messages";

/// A minimal HTTP client, so that nothing about the server is taken on trust.
struct Client {
    reader: BufReader<TcpStream>,
}

#[derive(Debug, PartialEq, Eq)]
struct Reply {
    status: u16,
    headers: Vec<String>,
    body: String,
}

impl Client {
    fn of(model: &Model) -> Self {
        let stream = TcpStream::connect(model.origin().trim_start_matches("http://")).unwrap();
        stream.set_read_timeout(Some(patience())).unwrap();
        Self { reader: BufReader::new(stream) }
    }

    fn sends(&mut self, method: &str, path: &str, headers: &str, body: &str) -> &mut Self {
        let length = body.len();
        let text = format!("{method} {path} HTTP/1.1\r\nHost: x\r\n{headers}Content-Length: {length}\r\n\r\n{body}");
        self.reader.get_mut().write_all(text.as_bytes()).unwrap();
        self
    }

    fn posts(&mut self, path: &str, body: Value) -> &mut Self {
        self.sends("POST", path, "Content-Type: application/json\r\n", &body.to_string())
    }

    /// Reads a reply to the length that its headers announce; an error when it is shorter.
    fn reads(&mut self) -> std::io::Result<Reply> {
        let first = self.line()?;
        let status = first.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status line");
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            if line.is_empty() {
                break;
            }
            headers.push(line);
        }
        let value = |name: &str| headers.iter().find_map(|header| header.strip_prefix(name));
        let body = match value("content-length: ") {
            Some(length) => self.bytes(length.parse().unwrap())?,
            None => {
                assert_eq!(value("transfer-encoding: "), Some("chunked"));
                self.chunks()?
            }
        };
        Ok(Reply { status, headers, body })
    }

    fn chunks(&mut self) -> std::io::Result<String> {
        let mut body = String::new();
        loop {
            let size = usize::from_str_radix(&self.line()?, 16).expect("a chunk size");
            body.push_str(&self.bytes(size)?);
            assert_eq!(self.line()?, "");
            if size == 0 {
                return Ok(body);
            }
        }
    }

    fn line(&mut self) -> std::io::Result<String> {
        let mut line = String::new();
        match self.reader.read_line(&mut line)? {
            0 => Err(std::io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(line.strip_suffix("\r\n").expect("lines end in CRLF").to_owned()),
        }
    }

    fn bytes(&mut self, count: usize) -> std::io::Result<String> {
        let mut bytes = vec![0; count];
        self.reader.read_exact(&mut bytes)?;
        Ok(String::from_utf8(bytes).unwrap())
    }
}

fn asks(model: &Model, path: &str, body: Value) -> Reply {
    Client::of(model).posts(path, body).reads().unwrap()
}

/// The JSON of each event; `[DONE]` as a string.
fn events(body: &str) -> Vec<Value> {
    let events = body.split_terminator("\n\n").map(|event| event.rsplit("data: ").next().unwrap());
    events.map(|data| serde_json::from_str(data).unwrap_or_else(|_| json!(data))).collect()
}

#[test]
fn a_chat_is_answered_whole() {
    let model = Model::start();
    model.next(ScriptedReply::chat("ls -la"));
    let reply = asks(&model, CHAT, json!({"model": "m", "messages": []}));
    assert_eq!(reply.status, 200);
    assert!(reply.headers.contains(&"content-type: application/json".to_owned()), "{:?}", reply.headers);
    let body: Value = serde_json::from_str(&reply.body).unwrap();
    assert_eq!(
        body,
        json!({
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000, "model": "m",
            "choices": [{
                "index": 0,
                "message": {"role": "assistant", "content": "ls -la", "refusal": null},
                "logprobs": null,
                "finish_reason": "stop",
            }],
            "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
        })
    );
    assert_eq!(model.wait_for_ending(0), Ending::Whole);
}

#[test]
fn a_chat_is_streamed() {
    let model = Model::start();
    model.next(ScriptedReply::streams(["git ", "status"]).pace(Duration::from_millis(1)));
    let asked = json!({"model": "m", "stream": true, "stream_options": {"include_usage": true}});
    let reply = asks(&model, CHAT, asked);
    assert!(reply.headers.contains(&"content-type: text/event-stream".to_owned()), "{:?}", reply.headers);
    let events = events(&reply.body);
    let deltas: Vec<&Value> = events[..4].iter().map(|event| &event["choices"][0]["delta"]).collect();
    let wanted = [
        json!({"role": "assistant", "content": "", "refusal": null}),
        json!({"content": "git "}),
        json!({"content": "status"}),
        json!({}),
    ];
    assert_eq!(deltas, wanted.iter().collect::<Vec<_>>());
    assert_eq!(events[2]["object"], "chat.completion.chunk");
    assert_eq!(events[2]["choices"][0]["finish_reason"], Value::Null);
    assert_eq!(events[3]["choices"][0]["finish_reason"], "stop");
    assert_eq!((&events[4]["choices"], &events[4]["usage"]["completion_tokens"]), (&json!([]), &json!(2)));
    assert_eq!(events[5..], [json!("[DONE]")]);
}

#[test]
fn a_completion_is_answered_whole_and_streamed() {
    let model = Model::start();
    model.next(ScriptedReply::chat("atus")).next(ScriptedReply::streams(["at", "us"]));
    let whole: Value = serde_json::from_str(&asks(&model, COMPLETIONS, json!({"prompt": "git st"})).body).unwrap();
    assert_eq!(whole["object"], "text_completion");
    let choice = json!({"text": "atus", "index": 0, "logprobs": null, "finish_reason": "stop"});
    assert_eq!(whole["choices"], json!([choice]));
    let streamed = events(&asks(&model, COMPLETIONS, json!({"prompt": "git st", "stream": true})).body);
    let texts: Vec<&Value> = streamed.iter().map(|event| &event["choices"][0]["text"]).collect();
    assert_eq!(texts, [&json!("at"), &json!("us"), &json!(""), &Value::Null]);
    assert_eq!(streamed[3], "[DONE]");
}

#[test]
fn a_message_is_answered_whole_and_streamed() {
    let model = Model::start();
    model.next(ScriptedReply::chat("ls")).next(ScriptedReply::streams(["l", "s"]));
    let whole: Value = serde_json::from_str(&asks(&model, MESSAGES, json!({"model": "c"})).body).unwrap();
    assert_eq!(whole["content"], json!([{"type": "text", "text": "ls"}]));
    assert_eq!((&whole["type"], &whole["stop_reason"]), (&json!("message"), &json!("end_turn")));
    let body = asks(&model, MESSAGES, json!({"model": "c", "stream": true})).body;
    let names: Vec<&str> = body.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    let wanted = [
        "message_start",
        "content_block_start",
        "ping",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ];
    assert_eq!(names, wanted);
    let events = events(&body);
    assert_eq!(events.iter().map(|event| event["type"].as_str().unwrap()).collect::<Vec<_>>(), wanted);
    assert_eq!((&events[0]["message"]["content"], &events[0]["message"]["model"]), (&json!([]), &json!("c")));
    assert_eq!(events[4]["delta"], json!({"type": "text_delta", "text": "s"}));
    assert_eq!(events[6]["delta"], json!({"stop_reason": "end_turn", "stop_sequence": null}));
}

#[test]
fn errors_come_in_the_server_s_own_shape() {
    let model = Model::start();
    model
        .next(ScriptedReply::status(429).retry_after(2))
        .next(ScriptedReply::status(500))
        .next(ScriptedReply::status(429));
    let limited = asks(&model, CHAT, json!({}));
    assert_eq!(limited.status, 429);
    assert!(limited.headers.contains(&"retry-after: 2".to_owned()), "{:?}", limited.headers);
    let body: Value = serde_json::from_str(&limited.body).unwrap();
    assert_eq!(body["error"]["code"], "rate_limit_exceeded");
    assert_eq!(asks(&model, COMPLETIONS, json!({"stream": true})).status, 500);
    let body: Value = serde_json::from_str(&asks(&model, MESSAGES, json!({})).body).unwrap();
    assert_eq!((&body["type"], &body["error"]["type"]), (&json!("error"), &json!("rate_limit_error")));
}

#[test]
fn a_garbled_body_can_be_sent() {
    let model = Model::start();
    model.next(ScriptedReply::raw("<html>"));
    assert_eq!(asks(&model, CHAT, json!({})).body, "<html>");
}

#[test]
fn the_models_are_listed_for_either_kind_of_client() {
    let model = Model::start();
    let list = |headers: &str| {
        let reply = Client::of(&model).sends("GET", "/v1/models", headers, "").reads().unwrap();
        serde_json::from_str::<Value>(&reply.body).unwrap()
    };
    assert_eq!(list("")["data"][0]["object"], "model");
    assert_eq!(list("anthropic-version: 2023-06-01\r\n")["data"][0]["type"], "model");
    assert_eq!(model.requests().len(), 2);
}

#[test]
fn requests_are_remembered_over_one_kept_connection() {
    let model = Model::start();
    model.next(ScriptedReply::streams(["a", "b"])).always(ScriptedReply::chat("c"));
    let mut client = Client::of(&model);
    client.sends("POST", CHAT, "Authorization: Bearer key\r\n", r#"{"stream":true}"#).reads().unwrap();
    client.posts(CHAT, json!({"messages": [{"role": "user", "content": "é"}]})).reads().unwrap();
    client.sends("POST", CHAT, "Connection: close\r\n", "{}").reads().unwrap();
    assert_eq!(client.reads().unwrap_err().kind(), std::io::ErrorKind::UnexpectedEof);
    assert_eq!(model.wait_for_ending(2), Ending::Whole);
    let requests = model.requests();
    assert_eq!(requests[0].header("authorization"), Some("Bearer key"));
    assert_eq!((requests[1].method.as_str(), requests[1].path.as_str()), ("POST", CHAT));
    assert_eq!(requests[1].body["messages"][0]["content"], "é");
    assert_eq!(requests.iter().map(|request| request.ending).collect::<Vec<_>>(), [Ending::Whole; 3]);
}

#[test]
fn a_chunked_request_is_read_too() {
    let model = Model::start();
    model.next(ScriptedReply::chat("ok"));
    let mut client = Client::of(&model);
    let request =
        format!("POST {CHAT} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{{\"a\"\r\n3\r\n:1}}\r\n0\r\n\r\n");
    client.reader.get_mut().write_all(request.as_bytes()).unwrap();
    assert_eq!(client.reads().unwrap().status, 200);
    assert_eq!(model.requests()[0].body, json!({"a": 1}));
}

#[test]
fn a_connection_can_be_dropped_before_and_within_the_answer() {
    let cases = [
        (ScriptedReply::drops(), false),
        (ScriptedReply::drops(), true),
        (ScriptedReply::chat("half of this").drops_after(1), false),
        (ScriptedReply::streams(["a", "b"]).drops_after(1), true),
        (ScriptedReply::streams(["a", "b"]).drops_after(2), true),
    ];
    for (answer, stream) in cases {
        let model = Model::start();
        model.next(answer.clone());
        let outcome = Client::of(&model).posts(CHAT, json!({"stream": stream})).reads();
        assert!(outcome.is_err(), "{answer:?} came through: {outcome:?}");
        assert_eq!(model.wait_for_ending(0), Ending::Dropped);
    }
}

#[test]
fn what_came_before_the_drop_is_there() {
    let model = Model::start();
    model.next(ScriptedReply::streams(["first", "second"]).drops_after(1));
    let mut client = Client::of(&model);
    let mut text = String::new();
    _ = client.posts(CHAT, json!({"stream": true})).reader.read_to_string(&mut text);
    assert!(text.contains("first") && !text.contains("second") && !text.ends_with("0\r\n\r\n"), "{text}");
}

#[test]
fn a_client_that_gives_up_is_noticed() {
    let hour = Duration::from_secs(3600);
    let cases = [
        (ScriptedReply::hangs(), false),
        (ScriptedReply::chat("late").delay(hour), false),
        (ScriptedReply::streams(["a", "b"]).pace(hour), true),
        (ScriptedReply::streams(["a", "b"]).hangs_after(1), true),
        (ScriptedReply::chat("whole").hangs_after(1), false),
    ];
    for (answer, stream) in cases {
        let model = Model::start();
        model.next(answer);
        let mut client = Client::of(&model);
        client.posts(CHAT, json!({"stream": stream}));
        assert_eq!(model.wait_for_requests(1)[0].ending, Ending::Open);
        drop(client);
        assert_eq!(model.wait_for_ending(0), Ending::ClientLeft);
    }
}

#[test]
fn what_nobody_scripted_is_refused_loudly() {
    let model = Model::start();
    assert_eq!(asks(&model, CHAT, json!({"n": 1})).status, 599);
    let reply = Client::of(&model).sends("GET", "/v2/other", "", "").reads().unwrap();
    assert_eq!(reply.status, 599);
    assert!(reply.body.contains("no script for GET /v2/other"), "{}", reply.body);
    model.wait_for("both to end", |requests| requests.iter().all(|request| request.ending == Ending::Unexpected));
    let paths: Vec<String> = model.unexpected().into_iter().map(|request| request.path).collect();
    assert_eq!(paths, [CHAT, "/v2/other"]);
    let failure = std::panic::catch_unwind(|| {
        let model = Model::start();
        asks(&model, CHAT, json!({}));
        model.wait_for_ending(0);
    });
    let failure = failure.unwrap_err().downcast::<String>().unwrap();
    assert!(failure.starts_with("the model server was asked what no script answers"), "{failure}");
}

#[test]
fn both_kinds_of_base_address_are_known() {
    let model = Model::start();
    assert_eq!(model.base_url(), format!("{}/v1", model.origin()));
    assert!(model.origin().starts_with("http://127.0.0.1:"));
}
