//! A stub model with a configurable accuracy: a loopback server that knows the references. A wrong answer is the right one of
//! another request, so that it can be run and looks like an answer.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use serde_json::{Value, json};

use super::request::Request;

/// The words of a request, and the model's reply.
type Said = (String, String);

/// The settings with which Aside uses it. It serves until the measurement ends.
pub fn serve(requests: &[Request], percent: u64) -> String {
    let references: Vec<&String> = requests.iter().filter_map(|request| request.check.references.first()).collect();
    let said = requests.iter().enumerate().map(|(at, request)| {
        let right = request.check.references.first().filter(|_| draw(&request.words) < percent);
        // Far enough away to be about something else.
        let wrong = references.get((at * 7 + references.len() / 2) % references.len().max(1));
        (request.words.clone(), right.or(wrong.copied()).cloned().unwrap_or_default())
    });
    let mut said: Vec<Said> = said.collect();
    // If two requests occur in a prompt, the longer one is meant.
    said.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
    let said = Arc::new(said);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let said = Arc::clone(&said);
            std::thread::spawn(move || answer(&stream, &said));
        }
    });
    format!("[llm]\nprovider = 'openai'\nbase_url = 'http://{address}/v1'\nmodel = 'scripted-{percent}'\n")
}

/// 0 to 99, deterministic for the words.
fn draw(words: &str) -> u64 {
    let hash = words
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    ((hash ^ (hash >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) % 100
}

fn answer(stream: &TcpStream, said: &[Said]) {
    let mut reader = BufReader::new(stream);
    loop {
        let (mut line, mut length) = (String::new(), 0);
        while reader.read_line(&mut line).is_ok_and(|read| read > 0) && !line.ends_with("\r\n\r\n") {
            let last = line.lines().last().unwrap_or_default().to_lowercase();
            if let Some(value) = last.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        if line.is_empty() {
            return;
        }
        let mut body = vec![0; length];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
        let asked = asked["messages"].as_array().and_then(|all| all.last()).and_then(|last| last["content"].as_str());
        let known = said.iter().find(|(words, _)| asked.is_some_and(|asked| asked.contains(words.as_str())));
        let content = known.map_or("", |(_, command)| command.as_str());
        let piece = json!({"choices": [{"index": 0, "delta": {"content": content}, "finish_reason": "stop"}]});
        let body = format!("data: {piece}\n\ndata: [DONE]\n\n");
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: {}\r\n\r\n", body.len());
        if (&*stream).write_all(format!("{head}{body}").as_bytes()).is_err() {
            return;
        }
    }
}
