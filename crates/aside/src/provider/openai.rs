//! Encodes requests and decodes replies of OpenAI's chat completions, which most other servers speak too; and llama.cpp's plain
//! completions, which support grammars. Does no I/O.

use reqwest::Url;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::provider::http_exchange::Chunk;
use crate::provider::unsupported_params;
use crate::provider::{Failure, Format, Kind, Question, RawPrompt, Variety};

pub fn chat(model: &str, question: &Question, kind: Kind, without: &[unsupported_params::RequestParam]) -> Value {
    let has = |part| !without.contains(&part);
    // These servers cache common prefixes by themselves, independent of blocks.
    let user = format!("{}{}", question.earlier.concat(), question.user);
    let mut messages: Vec<Value> = Vec::new();
    for (asked, answered) in &question.exchanges {
        messages.push(json!({"role": "user", "content": asked}));
        messages.push(json!({"role": "assistant", "content": answered}));
    }
    messages.push(json!({"role": "user", "content": user}));
    if has(unsupported_params::RequestParam::System) {
        messages.insert(0, json!({"role": "system", "content": question.system}));
    } else {
        let first = format!("{}\n\n{}", question.system, messages[0]["content"].as_str().unwrap_or_default());
        messages[0]["content"] = json!(first);
    }
    if let Some(begin) = &question.begin
        && kind == Kind::Llama
        && has(unsupported_params::RequestParam::Begin)
    {
        messages.push(json!({"role": "assistant", "content": begin}));
    }
    let mut body = json!({"messages": messages, "stream": true});
    if has(unsupported_params::RequestParam::MaxTokens) {
        body["max_tokens"] = question.max_tokens.into();
    } else {
        body["max_completion_tokens"] = question.max_tokens.into();
    }
    if !question.stop.is_empty() && has(unsupported_params::RequestParam::Stop) {
        body["stop"] = json!(question.stop);
    }
    let mut variety = question.variety;
    if question.candidates > 1 && has(unsupported_params::RequestParam::Candidates) {
        body["n"] = question.candidates.into();
        // Several answers differ only with a temperature above 0.
        variety = Variety::Some;
    }
    if has(unsupported_params::RequestParam::Temperature) {
        body["temperature"] = variety.temperature();
    }
    match &question.format {
        Format::Json(schema) if has(unsupported_params::RequestParam::Format) => {
            let schema = json!({"name": "answer", "strict": true, "schema": schema});
            body["response_format"] = json!({"type": "json_schema", "json_schema": schema});
        }
        Format::Grammar(grammar) if kind == Kind::Llama && has(unsupported_params::RequestParam::Format) => {
            body["grammar"] = json!(grammar);
        }
        Format::Free | Format::Json(_) | Format::Grammar(_) => {}
    }
    named(model, counted(body, without))
}

/// A plain completion of a line, constrained to what is already typed.
pub fn completion(model: &str, raw: &RawPrompt, without: &[unsupported_params::RequestParam]) -> Value {
    let body = json!({
        "prompt": raw.prompt,
        "grammar": raw.grammar,
        "max_tokens": raw.max_tokens,
        "temperature": 0,
        "stop": ["\n"],
        "stream": true,
        "cache_prompt": true,
    });
    named(model, counted(body, without))
}

fn counted(mut body: Value, without: &[unsupported_params::RequestParam]) -> Value {
    if !without.contains(&unsupported_params::RequestParam::Usage) {
        body["stream_options"] = json!({"include_usage": true});
    }
    body
}

/// A server with a single model needs no model name.
fn named(model: &str, mut body: Value) -> Value {
    if !model.is_empty() {
        body["model"] = model.into();
    }
    body
}

/// Treats `http://host:1234` and `http://host:1234/v1` as the same server.
pub fn address(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    let before = match url.path().trim_end_matches('/') {
        "" => "/v1",
        before => before,
    };
    url.set_path(&format!("{before}/{path}"));
    url
}

/// The address of llama.cpp's properties.
pub fn properties(base: &Url) -> Url {
    let mut url = base.clone();
    let before = url.path().trim_end_matches('/').trim_end_matches("/v1").to_owned();
    url.set_path(&format!("{before}/props"));
    url
}

/// Whether these are the properties of llama.cpp's server.
pub fn is_llama(properties: &[u8]) -> bool {
    serde_json::from_slice::<Value>(properties).is_ok_and(|told| told.get("default_generation_settings").is_some())
}

/// An event of a stream, or the whole reply of a server that does not stream.
#[derive(Debug, Deserialize)]
struct Answer {
    #[serde(default)]
    choices: Vec<Choice>,
    error: Option<Value>,
    usage: Option<Usage>,
}

#[derive(Debug, Deserialize)]
struct Choice {
    #[serde(default)]
    index: usize,
    #[serde(alias = "message")]
    delta: Option<Said>,
    /// Set in a plain completion.
    text: Option<String>,
    /// Set once the answer is over.
    finish_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Said {
    content: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Usage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}

pub fn read(json: &str) -> Result<Chunk, Failure> {
    if json.trim() == "[DONE]" {
        return Ok(Chunk { is_over: true, is_last: true, ..Chunk::default() });
    }
    // The parser's message may quote what it read.
    let answer: Answer =
        serde_json::from_str(json).map_err(|_| Failure::Garbled("it is not what such a server says".to_owned()))?;
    if let Some(error) = answer.error.filter(|error| !error.is_null()) {
        return Err(broken(&error));
    }
    let is_over = answer.choices.iter().any(|choice| choice.finish_reason.is_some());
    let is_cut = answer.choices.iter().any(|choice| choice.finish_reason.as_deref() == Some("length"));
    let pieces = answer.choices.into_iter().filter_map(|choice| {
        let text = choice.delta.and_then(|said| said.content).or(choice.text)?;
        (!text.is_empty()).then_some((choice.index, text))
    });
    let (tokens_in, tokens_out) =
        answer.usage.map_or((None, None), |usage| (usage.prompt_tokens, usage.completion_tokens));
    Ok(Chunk { pieces: pieces.collect(), is_over, is_last: false, is_cut, tokens_in, tokens_out })
}

/// Maps an error within the reply by its code: its message may quote the request.
fn broken(error: &Value) -> Failure {
    let code = error["code"].as_u64().and_then(|code| u16::try_from(code).ok());
    match (code, error["type"].as_str().unwrap_or_default()) {
        (Some(401 | 403), _) => Failure::Unauthorized,
        (Some(429), _) | (None, "rate_limit_exceeded" | "requests" | "tokens") => {
            Failure::RateLimited { retry_after: None }
        }
        (Some(code), _) => Failure::Status(code),
        (None, "server_error") => Failure::Status(500),
        (None, _) => Failure::Garbled("it broke off with an error".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(base: &str) -> Url {
        Url::parse(base).unwrap()
    }

    #[test]
    fn a_conversation_comes_before_the_question() {
        let question = Question {
            exchanges: vec![("one".to_owned(), "answer".to_owned())],
            ..Question::new("rules".to_owned(), "two".to_owned())
        };
        let said = |role: &str, content: &str| json!({"role": role, "content": content});
        let messages = |without: &[unsupported_params::RequestParam]| {
            chat("m", &question, Kind::Other, without)["messages"].clone()
        };
        let all = [said("system", "rules"), said("user", "one"), said("assistant", "answer"), said("user", "two")];
        assert_eq!(messages(&[]), json!(all));
        let without = [said("user", "rules\n\none"), said("assistant", "answer"), said("user", "two")];
        assert_eq!(messages(&[unsupported_params::RequestParam::System]), json!(without));
    }

    #[test]
    fn an_address_is_taken_as_people_write_it() {
        for (base, expected, properties_at) in [
            ("http://127.0.0.1:1234", "http://127.0.0.1:1234/v1/chat/completions", "http://127.0.0.1:1234/props"),
            ("http://127.0.0.1:1234/", "http://127.0.0.1:1234/v1/chat/completions", "http://127.0.0.1:1234/props"),
            ("https://host/v1", "https://host/v1/chat/completions", "https://host/props"),
            ("https://host/v1/", "https://host/v1/chat/completions", "https://host/props"),
            ("https://host/api/v1", "https://host/api/v1/chat/completions", "https://host/api/props"),
        ] {
            assert_eq!(address(&at(base), "chat/completions").as_str(), expected);
            assert_eq!(properties(&at(base)).as_str(), properties_at);
        }
    }

    #[test]
    fn what_was_said_is_found_in_an_event_and_in_a_whole_answer() {
        let part = |text: &str, is_over| {
            let pieces = if text.is_empty() { vec![] } else { vec![(0, text.to_owned())] };
            Ok(Chunk { pieces, is_over, ..Chunk::default() })
        };
        assert_eq!(read(r#"{"choices":[{"delta":{"content":"a"}}]}"#), part("a", false));
        assert_eq!(read(r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#), part("", true));
        assert_eq!(read(r#"{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}"#), part("a", true));
        assert_eq!(read(r#"{"choices":[{"delta":{"content":null},"finish_reason":null}]}"#), part("", false));
        assert_eq!(read(r#"{"choices":[{"delta":{"reasoning_content":"hm"}}]}"#), part("", false));
        assert_eq!(read(r#"{"choices":[{"text":"a","finish_reason":null}]}"#), part("a", false));
        assert_eq!(read(r#"{"choices":[],"usage":{}}"#), part("", false));
        assert_eq!(read(r#"{"hello":"world"}"#), part("", false));
        let two = read(r#"{"choices":[{"index":1,"delta":{"content":"b"}}],"error":null}"#).unwrap();
        assert_eq!(two.pieces, [(1, "b".to_owned())]);
        let counted = read(r#"{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}"#).unwrap();
        assert_eq!((counted.tokens_in, counted.tokens_out), (Some(7), Some(2)));
        assert!(read("[DONE]").unwrap().is_last);
        assert!(read(r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"#).unwrap().is_cut);
        assert!(matches!(read("<html>"), Err(Failure::Garbled(_))));
        assert!(matches!(read("[]"), Err(Failure::Garbled(_))));
    }

    #[test]
    fn an_error_within_an_answer_says_nothing_of_what_was_asked() {
        let said = |json: &str| read(json).unwrap_err();
        assert_eq!(said(r#"{"error":{"message":"git sta","code":503}}"#), Failure::Status(503));
        assert_eq!(said(r#"{"error":{"message":"git sta","type":"server_error"}}"#), Failure::Status(500));
        assert_eq!(said(r#"{"error":{"code":429}}"#), Failure::RateLimited { retry_after: None });
        for json in [r#"{"error":{"message":"git sta"}}"#, r#"{"error":"git sta"}"#, r#"{"choices": "git sta"}"#] {
            assert!(!said(json).to_string().contains("git sta"), "{json}");
        }
    }

    #[test]
    fn a_refused_part_is_left_out_or_said_otherwise() {
        let mut question = Question::new("rules".to_owned(), "line".to_owned());
        question.stop = vec!["\n".to_owned()];
        question.candidates = 3;
        question.format = Format::Json(json!({"type": "object"}));
        question.begin = Some("{".to_owned());
        let all = chat("m", &question, Kind::Other, &[]);
        assert_eq!(
            all,
            json!({
                "model": "m",
                "messages": [{"role": "system", "content": "rules"}, {"role": "user", "content": "line"}],
                "stream": true,
                "stream_options": {"include_usage": true},
                "max_tokens": 256,
                "stop": ["\n"],
                "n": 3,
                "temperature": 0.7,
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "answer", "strict": true, "schema": {"type": "object"}},
                },
            })
        );
        let none = {
            use unsupported_params::RequestParam::*;
            [Usage, Format, MaxTokens, Temperature, Stop, Candidates, Begin, System]
        };
        assert_eq!(
            chat("", &question, Kind::Llama, &none),
            json!({
                "messages": [{"role": "user", "content": "rules\n\nline"}],
                "stream": true,
                "max_completion_tokens": 256,
            })
        );
        let llama = chat("", &question, Kind::Llama, &[]);
        assert_eq!(llama["messages"][2], json!({"role": "assistant", "content": "{"}));
    }

    #[test]
    fn llama_cpp_is_known_by_what_it_tells() {
        assert!(is_llama(br#"{"default_generation_settings":{},"total_slots":1}"#));
        for other in ["", "{}", "[]", "<html>", r#"{"error":"not found"}"#] {
            assert!(!is_llama(other.as_bytes()), "{other}");
        }
    }
}
