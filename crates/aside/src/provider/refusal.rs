//! Which parts of a request a server does not take. Servers that speak alike differ in the parameters they know, and most
//! say which one they stumbled over: it is left out from then on.

use serde_json::Value;

/// What can be left out of a request, or said in another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Usage,
    Format,
    /// Models that reason call it otherwise.
    MaxTokens,
    Temperature,
    Stop,
    Candidates,
    /// The beginning of the answer, said for the model.
    Begin,
    Cache,
    /// Rules of their own; they are said with the question instead.
    System,
}

/// How a part is called in a request, and what a complaint about it says.
const NAMES: [(Part, &str, &[&str]); 11] = [
    (Part::Usage, "/stream_options", &["stream_options"]),
    (Part::Format, "/response_format", &["response_format", "json_schema", "json schema", "structured output"]),
    (Part::Format, "/grammar", &["grammar"]),
    (Part::MaxTokens, "/max_tokens", &["max_tokens"]),
    (Part::Temperature, "/temperature", &["temperature"]),
    (Part::Stop, "/stop", &["'stop'", "\"stop\"", "`stop`", "stop sequence", "stop parameter", "parameter: stop"]),
    (Part::Stop, "/stop_sequences", &["stop_sequences"]),
    (Part::Candidates, "/n", &["'n'", "\"n\"", "`n`", "parameter: n", "only one completion choice"]),
    (Part::Cache, "/system/0/cache_control", &["cache_control"]),
    (Part::Begin, "/messages/1/role", &["prefill", "last message", "final message", "end with a user", "must be user"]),
    (Part::System, "/messages/0/role", &["system role", "role system", "role: system", "'system'", "only user and"]),
];

/// The part that a complaint is about, if the request had it.
pub fn complained_about(complaint: &str, request: &Value, known: &[Part]) -> Option<Part> {
    let complaint = complaint.to_lowercase();
    let names = NAMES.iter().filter(|(part, pointer, _)| {
        // The same list of messages has both.
        let fits = match part {
            Part::Begin => request["messages"]
                .as_array()
                .is_some_and(|all| all.last().is_some_and(|last| last["role"] == "assistant")),
            Part::System => request["messages"][0]["role"] == "system",
            _ => request.pointer(pointer).is_some(),
        };
        fits && !known.contains(part)
    });
    names.into_iter().find(|(_, _, words)| words.iter().any(|word| complaint.contains(word))).map(|(part, ..)| *part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_part_is_found_that_a_server_stumbled_over() {
        let request = json!({
            "messages": [{"role": "system", "content": "a"}, {"role": "user", "content": "b"}],
            "stream_options": {}, "max_tokens": 1, "temperature": 0, "response_format": {}, "stop": ["x"], "n": 3,
        });
        for (complaint, part) in [
            (
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
                Some(Part::MaxTokens),
            ),
            ("Unsupported value: 'temperature' does not support 0 with this model.", Some(Part::Temperature)),
            (r#"{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"]}]}"#, Some(Part::Usage)),
            ("response_format type is unavailable now", Some(Part::Format)),
            ("Unsupported parameter: 'stop' is not supported with this model.", Some(Part::Stop)),
            ("Only one completion choice is allowed", Some(Part::Candidates)),
            ("System role not supported", Some(Part::System)),
            ("grammar is not known here", None),
            ("prefill is not supported", None),
            ("the context is too long", None),
            ("", None),
        ] {
            assert_eq!(complained_about(complaint, &request, &[]), part, "{complaint}");
        }
        assert_eq!(complained_about("no max_tokens", &request, &[Part::MaxTokens]), None, "it was left out already");
    }
}
