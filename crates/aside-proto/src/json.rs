//! The JSON encoding: one object a line, with the field names of the systems we replace.

use crate::{Answer, Call, Request, privacy};

/// The name of a translate request in other daemons. Their clients read a single reply.
const NATURAL_LANGUAGE: &str = "natural_language";

pub fn decode(line: &str) -> Result<Call, String> {
    let mut call: Call = serde_json::from_str(line).map_err(|error| format!("not a request: {error}"))?;
    if let Request::Translate(wish) = &mut call.request {
        wish.is_foreign = is_natural_language(line);
        wish.wait |= wish.is_foreign;
    }
    call.private = call.request.is_private() || says_private(line);
    Ok(call)
}

/// Whether any message sets `private`, even one whose kind has no such field.
fn says_private(line: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct Said {
        #[serde(default, deserialize_with = "privacy::read")]
        private: bool,
    }
    // Most messages do not, and are not parsed twice. The name may be spelled with escapes.
    let may_say = line.contains("\"private\"") || line.contains("\\u");
    // What cannot be parsed, e.g. a duplicate field, counts as private.
    may_say && serde_json::from_str::<Said>(line).map_or(true, |said| said.private)
}

fn is_natural_language(line: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct Typed {
        r#type: String,
    }
    serde_json::from_str::<Typed>(line).is_ok_and(|typed| typed.r#type == NATURAL_LANGUAGE)
}

/// The number of a request that could not be parsed otherwise, so that the error names it.
pub fn id_of(line: &str) -> u64 {
    #[derive(serde::Deserialize)]
    struct Numbered {
        request_id: u64,
    }
    serde_json::from_str::<Numbered>(line).map_or(0, |numbered| numbered.request_id)
}

pub fn encode_call(call: &Call) -> Vec<u8> {
    if !call.private || call.request.is_private() {
        return line(serde_json::to_vec(call));
    }
    let mut message = serde_json::to_value(call).unwrap_or_default();
    if let Some(fields) = message.as_object_mut() {
        fields.insert("private".to_owned(), true.into());
    }
    line(serde_json::to_vec(&message))
}

pub fn encode(answer: &Answer) -> Vec<u8> {
    line(serde_json::to_vec(answer))
}

fn line(json: serde_json::Result<Vec<u8>>) -> Vec<u8> {
    // Our own types have string keys and no failing `Serialize`, so serialization cannot fail.
    let mut bytes = json.unwrap_or_default();
    bytes.push(b'\n');
    bytes
}
