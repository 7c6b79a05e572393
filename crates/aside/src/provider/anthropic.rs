//! Encodes requests and decodes replies of Anthropic's messages API. Does no I/O.

use reqwest::Url;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::provider::http_exchange::Chunk;
use crate::provider::{Failure, Question, unsupported_params};

pub const VERSION: &str = "2023-06-01";

pub fn messages(model: &str, question: &Question, without: &[unsupported_params::RequestParam]) -> Value {
    let has = |part| !without.contains(&part);
    // The server caches the stable part for some minutes, which makes the next answer faster and cheaper.
    let piece = |text: &str| json!({"type": "text", "text": text});
    let remembered = |mut piece: Value| {
        if has(unsupported_params::RequestParam::Cache) {
            piece["cache_control"] = json!({"type": "ephemeral"});
        }
        piece
    };
    let system = remembered(piece(&question.system));
    // The server caches whole blocks only, so the last cached text has to stay a block of its own.
    let content = match question.earlier.split_last() {
        None => json!(question.user),
        Some((last, before)) => {
            let mut pieces: Vec<Value> = before.iter().map(|text| piece(text)).collect();
            pieces.extend([remembered(piece(last)), piece(&question.user)]);
            json!(pieces)
        }
    };
    let mut said: Vec<Value> = Vec::new();
    for (asked, answered) in &question.exchanges {
        said.push(json!({"role": "user", "content": [remembered(piece(asked))]}));
        // The API rejects an answer that ends with whitespace.
        said.push(json!({"role": "assistant", "content": answered.trim_end()}));
    }
    said.push(json!({"role": "user", "content": content}));
    // The API rejects a prefill that ends with whitespace, or is nothing else.
    let begin = question.begin.as_deref().map(str::trim_end).filter(|begin| !begin.is_empty());
    if let Some(begin) = begin.filter(|_| has(unsupported_params::RequestParam::Begin)) {
        said.push(json!({"role": "assistant", "content": begin}));
    }
    let mut body = json!({
        "model": model,
        "max_tokens": question.max_tokens,
        "messages": said,
        "stream": true,
    });
    if !question.system.is_empty() {
        body["system"] = json!([system]);
    }
    if has(unsupported_params::RequestParam::Temperature) {
        body["temperature"] = question.variety.temperature();
    }
    // The API rejects a stop sequence of only whitespace.
    let stop: Vec<&String> = question.stop.iter().filter(|stop| !stop.trim().is_empty()).collect();
    if !stop.is_empty() && has(unsupported_params::RequestParam::Stop) {
        body["stop_sequences"] = json!(stop);
    }
    body
}

/// Accepts a base with or without `/v1`, since users write both.
pub fn address(base: &Url) -> Url {
    let mut url = base.clone();
    let before = url.path().trim_end_matches('/').trim_end_matches("/v1").to_owned();
    url.set_path(&format!("{before}/v1/messages"));
    url
}

/// An event of a stream, or the whole reply of a server that does not stream. Ignores unknown kinds: new ones may be added.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    MessageStart {
        message: Message,
    },
    ContentBlockDelta {
        delta: Delta,
    },
    MessageDelta {
        delta: Ending,
        usage: Option<Usage>,
    },
    MessageStop,
    Error {
        error: Broken,
    },
    Message(Message),
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
struct Message {
    #[serde(default)]
    content: Vec<Block>,
    stop_reason: Option<String>,
    usage: Option<Usage>,
}

/// Text, or reasoning and the like, which have none.
#[derive(Debug, Deserialize)]
struct Block {
    text: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Delta {
    text: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Ending {
    stop_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Broken {
    #[serde(rename = "type", default)]
    kind: String,
}

#[derive(Debug, Default, Deserialize)]
struct Usage {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl Usage {
    /// Tokens read from the cache were sent as well.
    fn sent(&self) -> Option<u64> {
        let more = self.cache_creation_input_tokens.unwrap_or(0) + self.cache_read_input_tokens.unwrap_or(0);
        self.input_tokens.map(|tokens| tokens + more)
    }
}

pub fn read(json: &str) -> Result<Chunk, Failure> {
    // The parser's message may quote what it read.
    let event =
        serde_json::from_str(json).map_err(|_| Failure::Garbled("it is not what such a server says".to_owned()))?;
    let pieces =
        |text: Option<String>| text.filter(|text| !text.is_empty()).map(|text| (0, text)).into_iter().collect();
    Ok(match event {
        Event::MessageStart { message } => {
            Chunk { tokens_in: message.usage.and_then(|usage| usage.sent()), ..Chunk::default() }
        }
        Event::ContentBlockDelta { delta } => Chunk { pieces: pieces(delta.text), ..Chunk::default() },
        Event::MessageDelta { delta, usage } => {
            let usage = usage.unwrap_or_default();
            Chunk {
                is_over: delta.stop_reason.is_some(),
                is_cut: is_cut(delta.stop_reason.as_deref()),
                tokens_in: usage.sent(),
                tokens_out: usage.output_tokens,
                ..Chunk::default()
            }
        }
        Event::MessageStop => Chunk { is_over: true, is_last: true, ..Chunk::default() },
        Event::Error { error } => return Err(broken(&error.kind)),
        Event::Message(message) => {
            let usage = message.usage.unwrap_or_default();
            let text: String = message.content.into_iter().filter_map(|block| block.text).collect();
            Chunk {
                pieces: pieces(Some(text)),
                is_over: message.stop_reason.is_some(),
                is_last: true,
                is_cut: is_cut(message.stop_reason.as_deref()),
                tokens_in: usage.sent(),
                tokens_out: usage.output_tokens,
            }
        }
        Event::Other => Chunk::default(),
    })
}

fn is_cut(reason: Option<&str>) -> bool {
    matches!(reason, Some("max_tokens" | "model_context_window_exceeded"))
}

/// Maps an error by its kind: its message may quote the request.
fn broken(kind: &str) -> Failure {
    match kind {
        "authentication_error" | "permission_error" => Failure::Unauthorized,
        "rate_limit_error" => Failure::RateLimited { retry_after: None },
        "not_found_error" => Failure::NoModel,
        "overloaded_error" => Failure::Status(529),
        "api_error" | "timeout_error" => Failure::Status(500),
        _ => Failure::Garbled("it broke off with an error".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Variety;

    #[test]
    fn what_stays_the_same_is_marked_to_be_remembered() {
        let mut question = Question::new("rules".to_owned(), "line".to_owned());
        question.stop = vec!["\n".to_owned(), "END".to_owned()];
        question.begin = Some("{ ".to_owned());
        assert_eq!(
            messages("m", &question, &[]),
            json!({
                "model": "m",
                "max_tokens": 256,
                "system": [{"type": "text", "text": "rules", "cache_control": {"type": "ephemeral"}}],
                "messages": [{"role": "user", "content": "line"}, {"role": "assistant", "content": "{"}],
                "stream": true,
                "temperature": 0,
                "stop_sequences": ["END"],
            })
        );
        question.variety = Variety::Some;
        assert_eq!(messages("m", &question, &[])["temperature"], 0.7);
        use unsupported_params::RequestParam::*;
        assert_eq!(
            messages("m", &question, &[Cache, Begin, Temperature, Stop]),
            json!({
                "model": "m",
                "max_tokens": 256,
                "system": [{"type": "text", "text": "rules"}],
                "messages": [{"role": "user", "content": "line"}],
                "stream": true,
            })
        );
    }

    #[test]
    fn a_conversation_comes_before_the_question() {
        let question = Question {
            exchanges: vec![("one".to_owned(), "answer\n".to_owned())],
            ..Question::new(String::new(), "two".to_owned())
        };
        let told = messages("m", &question, &[])["messages"].clone();
        let roles: Vec<&str> = told.as_array().unwrap().iter().map(|said| said["role"].as_str().unwrap()).collect();
        assert_eq!(roles, ["user", "assistant", "user"]);
        assert_eq!((&told[0]["content"][0]["text"], &told[1]["content"]), (&json!("one"), &json!("answer")));
        assert_eq!(told[2]["content"], "two");
    }

    #[test]
    fn what_a_question_goes_on_from_is_remembered_up_to_its_last_piece() {
        let question = Question {
            earlier: vec!["one".to_owned(), "two".to_owned()],
            ..Question::new(String::new(), "now".to_owned())
        };
        let text = |text| json!({"type": "text", "text": text});
        let remembered = json!({"type": "text", "text": "two", "cache_control": {"type": "ephemeral"}});
        assert_eq!(
            messages("m", &question, &[])["messages"][0]["content"],
            json!([text("one"), remembered, text("now")])
        );
        assert_eq!(
            messages("m", &question, &[unsupported_params::RequestParam::Cache])["messages"][0]["content"],
            json!([text("one"), text("two"), text("now")])
        );
    }

    #[test]
    fn an_address_is_taken_as_people_write_it() {
        for base in ["https://host", "https://host/", "https://host/v1", "https://host/v1/"] {
            assert_eq!(address(&Url::parse(base).unwrap()).as_str(), "https://host/v1/messages");
        }
        assert_eq!(address(&Url::parse("https://host/x").unwrap()).as_str(), "https://host/x/v1/messages");
    }

    #[test]
    fn events_say_what_the_documentation_says() {
        let part = |json: &str| read(json).unwrap();
        let started = part(
            r#"{"type":"message_start","message":{"content":[],"stop_reason":null,"usage":{"input_tokens":3,"cache_read_input_tokens":40,"output_tokens":1}}}"#,
        );
        assert_eq!(started, Chunk { tokens_in: Some(43), ..Chunk::default() });
        assert_eq!(part(r#"{"type":"ping"}"#), Chunk::default());
        assert_eq!(part(r#"{"type":"something_new","x":1}"#), Chunk::default());
        let text = part(r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ls"}}"#);
        assert_eq!(text.pieces, [(0, "ls".to_owned())]);
        let thought =
            part(r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#);
        assert_eq!(thought, Chunk::default());
        let ended = part(
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":9}}"#,
        );
        assert_eq!(ended, Chunk { is_over: true, tokens_out: Some(9), ..Chunk::default() });
        assert!(part(r#"{"type":"message_stop"}"#).is_last);
        let whole = part(
            r#"{"type":"message","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"ls"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2}}"#,
        );
        assert_eq!(whole.pieces, [(0, "ls".to_owned())]);
        assert_eq!((whole.tokens_in, whole.tokens_out, whole.is_over), (Some(1), Some(2), true));
    }

    #[test]
    fn an_error_within_an_answer_is_known_by_its_kind() {
        let said = |kind: &str| {
            read(&format!(r#"{{"type":"error","error":{{"type":"{kind}","message":"git sta"}}}}"#)).unwrap_err()
        };
        assert_eq!(said("overloaded_error"), Failure::Status(529));
        assert_eq!(said("rate_limit_error"), Failure::RateLimited { retry_after: None });
        assert_eq!(said("authentication_error"), Failure::Unauthorized);
        assert!(matches!(said("invalid_request_error"), Failure::Garbled(_)));
        assert!(matches!(read("<html>"), Err(Failure::Garbled(_))));
    }
}
