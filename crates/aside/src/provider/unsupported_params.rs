//! Finds out which parts of a request a server rejects. Servers of the same protocol differ in the parameters they support, and most name
//! the one at fault: it is left out from then on.

use aside_task::run::short;
use serde_json::Value;

/// A part of a request that can be left out or expressed differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestParam {
    Usage,
    Format,
    /// Reasoning models use another name for it.
    MaxTokens,
    Temperature,
    Stop,
    Candidates,
    /// The prefill of the answer.
    Begin,
    Cache,
    /// The system message; its text is sent with the user's message instead.
    System,
}

/// The names of a part in a request, and the words that an error about it contains.
const NAMES: [(RequestParam, &str, &[&str]); 11] = [
    (RequestParam::Usage, "/stream_options", &["stream_options"]),
    (RequestParam::Format, "/response_format", &["response_format", "json_schema", "json schema", "structured output"]),
    (RequestParam::Format, "/grammar", &["grammar"]),
    (RequestParam::MaxTokens, "/max_tokens", &["max_tokens"]),
    (RequestParam::Temperature, "/temperature", &["temperature"]),
    (
        RequestParam::Stop,
        "/stop",
        &["'stop'", "\"stop\"", "`stop`", "stop sequence", "stop parameter", "parameter: stop"],
    ),
    (RequestParam::Stop, "/stop_sequences", &["stop_sequences"]),
    (RequestParam::Candidates, "/n", &["'n'", "\"n\"", "`n`", "parameter: n", "only one completion choice"]),
    (RequestParam::Cache, "/system/0/cache_control", &["cache_control"]),
    (
        RequestParam::Begin,
        "/messages/1/role",
        &["prefill", "last message", "final message", "end with a user", "must be user"],
    ),
    (
        RequestParam::System,
        "/messages/0/role",
        &["system role", "role system", "role: system", "'system'", "only user and"],
    ),
];

/// The part that an error is about, if the request had it.
pub fn rejected_param(complaint: &str, request: &Value, known: &[RequestParam]) -> Option<RequestParam> {
    let complaint = complaint.to_lowercase();
    let names = NAMES.iter().filter(|(part, pointer, _)| {
        // Both are entries of the same list of messages.
        let fits = match part {
            RequestParam::Begin => request["messages"]
                .as_array()
                .is_some_and(|all| all.last().is_some_and(|last| last["role"] == "assistant")),
            RequestParam::System => request["messages"][0]["role"] == "system",
            _ => request.pointer(pointer).is_some(),
        };
        fits && !known.contains(part)
    });
    names.into_iter().find(|(_, _, words)| words.iter().any(|word| complaint.contains(word))).map(|(part, ..)| *part)
}

/// Where servers put the error message.
const SENTENCES: [&str; 7] =
    ["/error/message", "/0/error/message", "/message", "/detail", "/detail/0/msg", "/error", "/title"];
/// Characters of the message.
const MAX_SENTENCE: usize = 240;

/// The server's error message in one line; empty for an HTML page or an empty body.
pub fn error_line(complaint: &str) -> String {
    let said = match serde_json::from_str::<Value>(complaint) {
        Ok(told) => SENTENCES.iter().find_map(|at| told.pointer(at)?.as_str().map(str::to_owned)),
        Err(_) => Some(complaint.to_owned()).filter(|text| !text.trim_start().starts_with(['<', '{', '['])),
    };
    let words = said.unwrap_or_default();
    let line = words.split_whitespace().collect::<Vec<&str>>().join(" ");
    short(&aside_text::clean(&line), MAX_SENTENCE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_server_is_quoted_in_its_own_words() {
        for (complaint, expected) in [
            (
                r#"{"error":{"message":"The engine is\n overloaded.","type":"server_error"}}"#,
                "The engine is overloaded.",
            ),
            (r#"[{"error":{"message":"no quota"}}]"#, "no quota"),
            (r#"{"detail":"Not Found"}"#, "Not Found"),
            (r#"{"detail":[{"msg":"field required"}]}"#, "field required"),
            (r#"{"error":"model is loading"}"#, "model is loading"),
            ("upstream connect error", "upstream connect error"),
            ("<html><body>502 Bad Gateway</body></html>", ""),
            ("{}", ""),
            ("", ""),
        ] {
            assert_eq!(error_line(complaint), expected, "{complaint}");
        }
        assert!(!error_line("a\u{1b}[2Jb").contains('\u{1b}'));
        assert!(error_line(&"x".repeat(5000)).len() < 300);
    }

    #[test]
    fn the_part_is_found_that_a_server_stumbled_over() {
        let request = json!({
            "messages": [{"role": "system", "content": "a"}, {"role": "user", "content": "b"}],
            "stream_options": {}, "max_tokens": 1, "temperature": 0, "response_format": {}, "stop": ["x"], "n": 3,
        });
        for (complaint, part) in [
            (
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
                Some(RequestParam::MaxTokens),
            ),
            ("Unsupported value: 'temperature' does not support 0 with this model.", Some(RequestParam::Temperature)),
            (r#"{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"]}]}"#, Some(RequestParam::Usage)),
            ("response_format type is unavailable now", Some(RequestParam::Format)),
            ("Unsupported parameter: 'stop' is not supported with this model.", Some(RequestParam::Stop)),
            ("Only one completion choice is allowed", Some(RequestParam::Candidates)),
            ("System role not supported", Some(RequestParam::System)),
            ("grammar is not known here", None),
            ("prefill is not supported", None),
            ("the context is too long", None),
            ("", None),
        ] {
            assert_eq!(rejected_param(complaint, &request, &[]), part, "{complaint}");
        }
        assert_eq!(
            rejected_param("no max_tokens", &request, &[RequestParam::MaxTokens]),
            None,
            "it was left out already"
        );
    }
}
