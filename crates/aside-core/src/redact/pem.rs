//! Private keys as they stand in files: from `-----BEGIN` to `-----END`, on many lines or on one, whole or cut off.

use std::ops::Range;

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";

/// Bytes of a key.
const MAX_KEY: usize = 64 * 1024;

/// `at` is where `-----BEGIN` stands.
pub fn key(text: &str, at: usize) -> Option<Range<usize>> {
    let limit = text.floor_char_boundary(at.saturating_add(MAX_KEY));
    let rest = text.get(at..limit)?;
    let label = rest.strip_prefix(BEGIN)?;
    let label_end = label.find("-----").filter(|end| *end < 60)?;
    let label = label.get(..label_end)?;
    if !label.ends_with("PRIVATE KEY") && label != "PGP PRIVATE KEY BLOCK" {
        return None;
    }
    let body = BEGIN.len() + label_end + 5;
    let inside = rest.get(body..)?;
    // Another beginning before the end: this one was cut off.
    let next = inside.find(BEGIN).unwrap_or(inside.len());
    let end = match inside.get(..next)?.find(END) {
        Some(end) => {
            let tail = end + END.len();
            let closing = inside.get(tail..)?.find("-----").filter(|dashes| *dashes < 60);
            closing.map_or(inside.len(), |dashes| tail + dashes + 5)
        }
        None => cut_off(inside.get(..next)?),
    };
    Some(at..at + body + end)
}

/// As far as it looks like the inside of a key.
fn cut_off(inside: &str) -> usize {
    let mut end = 0;
    for line in inside.split_inclusive('\n') {
        let inner = line.trim().trim_matches(['"', '\'', '+', '\\', ' ']);
        let base64 = inner.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=\\".contains(&byte));
        let header = inner.contains(": ") && inner.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ');
        if !(base64 && (inner.is_empty() || inner.len() >= 16 || end > 0) || header && end < 200) {
            break;
        }
        end += line.len();
    }
    inside.get(..end).unwrap_or_default().trim_end().len()
}
