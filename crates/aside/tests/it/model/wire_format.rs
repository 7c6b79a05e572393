//! The wire formats of OpenAI and Anthropic: whole replies, server-sent events, and errors. Pure: text in, text out.

use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// `POST /v1/chat/completions`
    Chat,
    /// `POST /v1/completions`
    Completions,
    /// `POST /v1/messages`
    Messages,
    /// `POST /v1/responses`
    Responses,
}

const MODEL: &str = "scripted";
const CREATED: u64 = 1_700_000_000;

impl Endpoint {
    pub fn of(path: &str) -> Option<Self> {
        match path {
            "/v1/chat/completions" => Some(Endpoint::Chat),
            "/v1/completions" => Some(Endpoint::Completions),
            "/v1/messages" => Some(Endpoint::Messages),
            "/v1/responses" => Some(Endpoint::Responses),
            _ => None,
        }
    }

    /// The whole reply as one JSON object.
    pub fn whole(self, asked: &Value, text: &str, others: &[String]) -> Value {
        let model = model_of(asked);
        let texts = std::iter::once(text).chain(more(asked, others).map(String::as_str)).enumerate();
        match self {
            Endpoint::Chat => json!({
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "created": CREATED,
                "model": model,
                "choices": texts.map(|(index, text)| json!({
                    "index": index,
                    "message": {"role": "assistant", "content": text, "refusal": null},
                    "logprobs": null,
                    "finish_reason": "stop",
                })).collect::<Vec<_>>(),
                "usage": openai_usage(text),
            }),
            Endpoint::Completions => json!({
                "id": "cmpl-1",
                "object": "text_completion",
                "created": CREATED,
                "model": model,
                "choices": [{"text": text, "index": 0, "logprobs": null, "finish_reason": "stop"}],
                "usage": openai_usage(text),
            }),
            Endpoint::Messages => json!({
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": model,
                "content": [{"type": "text", "text": text}],
                "stop_reason": "end_turn",
                "stop_sequence": null,
                "usage": {"input_tokens": 1, "output_tokens": tokens(text)},
            }),
            Endpoint::Responses => json!({
                "id": "resp_1",
                "object": "response",
                "status": "completed",
                "model": model,
                "output": [response_message(text)],
                "usage": response_usage(text),
            }),
        }
    }

    /// A stream without text that calls a tool.
    pub fn call(self, asked: &Value, name: &str, arguments: &str) -> String {
        match self {
            Endpoint::Responses => {
                let item = json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": name, "arguments": arguments});
                response_events(&[json!({"type": "response.output_item.done", "output_index": 0, "item": item})], "")
            }
            Endpoint::Chat => {
                let call = json!([{"index": 0, "id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}]);
                let chunk = |delta: Value, reason: Value| {
                    let choices = json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": reason}]);
                    data(&openai_chunk(asked, "chatcmpl-1", "chat.completion.chunk", choices))
                };
                chunk(json!({"role": "assistant", "content": null, "tool_calls": call}), Value::Null)
                    + &chunk(json!({}), json!("tool_calls"))
                    + &usage_event(asked, "chatcmpl-1", "chat.completion.chunk", "")
                    + DONE
            }
            Endpoint::Completions | Endpoint::Messages => panic!("no scene has needed this yet"),
        }
    }

    /// The events before the first piece, one for each piece, and those after the last.
    pub fn events(self, asked: &Value, pieces: &[String], others: &[String], cut: bool) -> Events {
        let reasons = if cut { ("length", "max_tokens") } else { ("stop", "end_turn") };
        let each = |event: &dyn Fn(&str) -> String| pieces.iter().map(|piece| event(piece)).collect();
        let said = pieces.concat();
        match self {
            Endpoint::Chat => {
                let at = |index: usize, delta: Value, reason: Value| {
                    data(&openai_chunk(
                        asked,
                        "chatcmpl-1",
                        "chat.completion.chunk",
                        json!([{"index": index, "delta": delta, "logprobs": null, "finish_reason": reason}]),
                    ))
                };
                let chunk = |delta, reason| at(0, delta, reason);
                let others: String = more(asked, others)
                    .enumerate()
                    .map(|(number, text)| {
                        at(number + 1, json!({"content": text}), Value::Null)
                            + &at(number + 1, json!({}), json!("stop"))
                    })
                    .collect();
                Events {
                    opening: chunk(json!({"role": "assistant", "content": "", "refusal": null}), Value::Null) + &others,
                    pieces: each(&|piece| chunk(json!({"content": piece}), Value::Null)),
                    closing: chunk(json!({}), json!(reasons.0))
                        + &usage_event(asked, "chatcmpl-1", "chat.completion.chunk", &said)
                        + DONE,
                }
            }
            Endpoint::Completions => {
                let chunk = |text: &str, reason: Value| {
                    let choices = json!([{"text": text, "index": 0, "logprobs": null, "finish_reason": reason}]);
                    data(&openai_chunk(asked, "cmpl-1", "text_completion", choices))
                };
                Events {
                    opening: String::new(),
                    pieces: each(&|piece| chunk(piece, Value::Null)),
                    closing: chunk("", json!(reasons.0))
                        + &usage_event(asked, "cmpl-1", "text_completion", &said)
                        + DONE,
                }
            }
            Endpoint::Messages => Events {
                opening: message_start(asked)
                    + &event(json!({
                        "type": "content_block_start",
                        "index": 0,
                        "content_block": {"type": "text", "text": ""},
                    }))
                    + &event(json!({"type": "ping"})),
                pieces: each(&|piece| {
                    let delta = json!({"type": "text_delta", "text": piece});
                    event(json!({"type": "content_block_delta", "index": 0, "delta": delta}))
                }),
                closing: event(json!({"type": "content_block_stop", "index": 0}))
                    + &event(json!({
                        "type": "message_delta",
                        "delta": {"stop_reason": reasons.1, "stop_sequence": null},
                        "usage": {"output_tokens": tokens(&said)},
                    }))
                    + &event(json!({"type": "message_stop"})),
            },
            Endpoint::Responses => {
                let item = json!({"type": "message", "id": "msg_1", "role": "assistant", "content": []});
                let done =
                    json!({"type": "response.output_item.done", "output_index": 0, "item": response_message(&said)});
                Events {
                    opening: event(json!({"type": "response.created", "response": {"id": "resp_1"}}))
                        + &event(json!({"type": "response.output_item.added", "output_index": 0, "item": item})),
                    pieces: each(&|piece| {
                        let place = json!({"item_id": "msg_1", "output_index": 0, "content_index": 0});
                        let mut delta = json!({"type": "response.output_text.delta", "delta": piece});
                        delta.as_object_mut().unwrap().extend(place.as_object().unwrap().clone());
                        event(delta)
                    }),
                    closing: event(done) + &response_completed(&said),
                }
            }
        }
    }

    /// A keep-alive event without content.
    pub fn sign_of_life(self) -> &'static str {
        match self {
            Endpoint::Chat | Endpoint::Completions | Endpoint::Responses => ": waiting\n\n",
            Endpoint::Messages => "event: ping\ndata: {\"type\":\"ping\"}\n\n",
        }
    }

    /// An error within a stream.
    pub fn error_event(self) -> String {
        match self {
            Endpoint::Chat | Endpoint::Completions | Endpoint::Responses => data(&json!({
                "error": {"message": "scripted error", "type": "server_error", "param": null, "code": null},
            })),
            Endpoint::Messages => {
                let error = json!({"type": "overloaded_error", "message": "scripted error"});
                event(json!({"type": "error", "error": error}))
            }
        }
    }

    pub fn error(self, status: u16, message: &str) -> Value {
        match self {
            Endpoint::Chat | Endpoint::Completions | Endpoint::Responses => {
                let (kind, code) = match status {
                    401 => ("invalid_request_error", json!("invalid_api_key")),
                    404 => ("invalid_request_error", json!("model_not_found")),
                    429 => ("requests", json!("rate_limit_exceeded")),
                    400..=499 => ("invalid_request_error", Value::Null),
                    _ => ("server_error", Value::Null),
                };
                json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
            }
            Endpoint::Messages => {
                let kind = match status {
                    401 => "authentication_error",
                    403 => "permission_error",
                    404 => "not_found_error",
                    413 => "request_too_large",
                    429 => "rate_limit_error",
                    529 => "overloaded_error",
                    400..=499 => "invalid_request_error",
                    _ => "api_error",
                };
                json!({"type": "error", "error": {"type": kind, "message": message}})
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Events {
    pub opening: String,
    pub pieces: Vec<String>,
    pub closing: String,
}

/// As many of the alternatives as the client asked for.
fn more<'a>(asked: &Value, others: &'a [String]) -> impl Iterator<Item = &'a String> {
    let wanted = asked["n"].as_u64().unwrap_or(1).saturating_sub(1);
    others.iter().take(usize::try_from(wanted).unwrap_or(0))
}

/// `GET /props`, as llama.cpp's server describes itself.
pub fn llama_properties() -> Value {
    json!({
        "default_generation_settings": {"n_ctx": 2048, "params": {"temperature": 0.8}},
        "total_slots": 1,
        "model_path": "scripted.gguf",
        "chat_template": "",
        "build_info": "b1-scripted",
    })
}

const DONE: &str = "data: [DONE]\n\n";

/// `GET /v1/models`, as OpenAI and compatible servers list them.
pub fn openai_models() -> Value {
    json!({
        "object": "list",
        "data": [{"id": MODEL, "object": "model", "created": CREATED, "owned_by": "tests"}],
    })
}

/// `GET /v1/models`, as Anthropic lists them.
pub fn anthropic_models() -> Value {
    json!({
        "data": [{"type": "model", "id": MODEL, "display_name": "Scripted", "created_at": "2023-11-14T22:13:20Z"}],
        "has_more": false,
        "first_id": MODEL,
        "last_id": MODEL,
    })
}

fn openai_chunk(asked: &Value, id: &str, object: &str, choices: Value) -> Value {
    json!({"id": id, "object": object, "created": CREATED, "model": model_of(asked), "choices": choices})
}

/// Only sent to a client that asked for it.
fn usage_event(asked: &Value, id: &str, object: &str, said: &str) -> String {
    if asked["stream_options"]["include_usage"] != true {
        return String::new();
    }
    let mut chunk = openai_chunk(asked, id, object, json!([]));
    chunk["usage"] = openai_usage(said);
    data(&chunk)
}

fn message_start(asked: &Value) -> String {
    let mut message = Endpoint::Messages.whole(asked, "", &[]);
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    event(json!({"type": "message_start", "message": message}))
}

fn response_message(text: &str) -> Value {
    json!({"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": text}]})
}

fn response_usage(text: &str) -> Value {
    json!({
        "input_tokens": 5,
        "input_tokens_details": null,
        "output_tokens": tokens(text),
        "output_tokens_details": null,
        "total_tokens": 5 + tokens(text),
    })
}

fn response_completed(text: &str) -> String {
    let response = json!({"id": "resp_1", "usage": response_usage(text)});
    event(json!({"type": "response.completed", "response": response}))
}

fn response_events(events: &[Value], said: &str) -> String {
    let created = event(json!({"type": "response.created", "response": {"id": "resp_1"}}));
    events.iter().fold(created, |so_far, next| so_far + &event(next.clone())) + &response_completed(said)
}

fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// Anthropic names an event by its type.
fn event(value: Value) -> String {
    format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap_or_default())
}

fn model_of(asked: &Value) -> &str {
    asked["model"].as_str().unwrap_or(MODEL)
}

fn openai_usage(text: &str) -> Value {
    json!({"prompt_tokens": 1, "completion_tokens": tokens(text), "total_tokens": 1 + tokens(text)})
}

/// An estimate that suffices for a test: counts words.
fn tokens(text: &str) -> usize {
    text.split_whitespace().count()
}
