//! Base64 decoding.

/// Decodes base64 if the result is text. Accepts both alphabets; padding may be missing.
pub fn decoded(text: &str) -> Option<String> {
    let body = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(body.len());
    let (mut bits, mut count) = (0u32, 0);
    for byte in body.bytes() {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_alphabets_are_read_and_anything_else_is_refused() {
        assert_eq!(decoded("cm0gLXJm").as_deref(), Some("rm -rf"));
        assert_eq!(decoded("YTpiPz4=").as_deref(), Some("a:b?>"));
        assert_eq!(decoded("YTpiPz4").as_deref(), Some("a:b?>"));
        assert_eq!(decoded(""), Some(String::new()));
        assert_eq!(decoded("a b"), None);
        assert_eq!(decoded("/////w=="), None);
    }
}
