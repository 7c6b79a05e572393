//! Decides whether a message is marked private. Everything that is not plainly a no counts as a yes, since an unknown spelling must not
//! expose a private shell.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// As a field of a record, or as a text.
pub fn says(text: &str) -> bool {
    !["", "0", "false", "no", "off"].iter().any(|no| text.trim().eq_ignore_ascii_case(no))
}

/// As a field of a JSON object.
pub fn is_said(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(private) => *private,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => says(text),
        Value::Array(_) | Value::Object(_) => true,
    }
}

/// For `deserialize_with`.
pub fn read<'de, D: Deserializer<'de>>(value: D) -> Result<bool, D::Error> {
    Ok(is_said(&Value::deserialize(value)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Request, json, record};

    #[test]
    fn whatever_is_not_a_no_is_private() {
        for no in ["", "0", "false", "no", "off", "OFF", " No "] {
            assert!(!says(no), "{no:?}");
        }
        for yes in ["1", "2", "true", "yes", "on", "True", "-1", "00", "x", "\u{1f}"] {
            assert!(says(yes), "{yes:?}");
        }
        for (value, private) in [
            ("true", true),
            ("1", true),
            ("\"yes\"", true),
            ("\"on\"", true),
            ("[]", true),
            ("{}", true),
            ("2.5", true),
            ("false", false),
            ("0", false),
            ("0.0", false),
            ("null", false),
            ("\"\"", false),
            ("\"off\"", false),
        ] {
            for kind in ["hello", "complete", "translate", "explain", "ask", "suggest", "finished", "status", "task"] {
                let line = format!(r#"{{"type":"{kind}","op":"list","phase":"before","private":{value}}}"#);
                assert_eq!(json::decode(&line).unwrap().private, private, "{line}");
            }
        }
        let hidden = r#"{"type":"complete","priv\u0061te":true}"#;
        assert!(json::decode(hidden).unwrap().private, "spelled with an escape");
        let twice = r#"{"type":"complete","private":true,"private":false}"#;
        assert!(json::decode(twice).is_ok_and(|call| call.private) || json::decode(twice).is_err());
    }

    #[test]
    fn a_record_of_a_shell_says_it_in_any_word() {
        for (word, private) in [("1", true), ("true", true), ("yes", true), ("0", false), ("no", false), ("", false)] {
            let hello = ["1", "hello", "1", "", "zsh", "", "s", "7", "", "", word];
            let call = record::decode(&hello).unwrap();
            assert!(matches!(&call.request, Request::Hello(hello) if hello.private == private), "{word:?}");
            assert_eq!(call.private, private);
            let finished = ["1", "finished", "s", "1", "/", "0", "0", "0", "bash", "ls", word];
            assert_eq!(record::decode(&finished).unwrap().private, private, "{word:?}");
        }
    }
}
