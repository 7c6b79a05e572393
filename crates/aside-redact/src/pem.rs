//! Private keys as in files: between `BEGIN` and `END`, on many lines or on one, whole or truncated at either end; keys
//! of PuTTY and OpenVPN; a key's bare base64.

use std::ops::Range;

use crate::scan::{line_end, next_line, previous_line};

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";

/// Bytes up to the end of a key, unless all of them look like one; lines of a key that says how many it has.
const MAX_KEY: usize = 64 * 1024;
const MAX_LINES: usize = 10_000;

/// Bytes of a label and its dashes, and of what stands before the first line of a key.
const MAX_LABEL: usize = 64;
const MAX_START: usize = 256;

/// Prefixes of a private key's base64: OpenSSH, PKCS 1, PKCS 8, SEC 1; and of the base64 of `-----BEGIN … PRIVATE KEY`.
pub const BODIES: &[&str] = &[
    "b3BlbnNzaC1rZXktdjE",
    "MIIEpAIBAAKCAQEA",
    "MIIEowIBAAKCAQEA",
    "MIIEogIBAAKCAQEA",
    "MIIEpQIBAAKCAQEA",
    "MIIJKQIBAAKCAgEA",
    "MIIJKAIBAAKCAgEA",
    "MIIJJwIBAAKCAgEA",
    "MIIG5AIBAAKCAYEA",
    "MIICXAIBAAKBgQ",
    "MIICXQIBAAKBgQ",
    "MIIEvQIBADANBgkqhkiG",
    "MIIEvAIBADANBgkqhkiG",
    "MIIEvgIBADANBgkqhkiG",
    "MIIJQgIBADANBgkqhkiG",
    "MIIJQwIBADANBgkqhkiG",
    "MIIG/gIBADANBgkqhkiG",
    "MIGHAgEAMBMGByqGSM49",
    "MIGTAgEAMBMGByqGSM49",
    "MIG2AgEAMBAGByqGSM49",
    "MHcCAQEEI",
    "MIGkAgEBBD",
    "MC4CAQAwBQYDK2Vw",
    "MFMCAQEwBQYDK2Vw",
    "LS0tLS1CRUdJTiBSU0EgUFJJVkFURS",
    "LS0tLS1CRUdJTiBQUklWQVRF",
    "LS0tLS1CRUdJTiBFQyBQUklWQVRF",
    "LS0tLS1CRUdJTiBPUEVOU1NI",
    "LS0tLS1CRUdJTiBFTkNSWVBURUQ",
    "LS0tLS1CRUdJTiBQR1AgUFJJ",
    "LS0tLS1CRUdJTiBEU0EgUFJJ",
];

/// `at` is the offset of `-----BEGIN`. Reads up to the next beginning at most, so all keys of a text are read in linear
/// time.
pub fn key(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?;
    let label = up_to(rest.strip_prefix(BEGIN)?, MAX_LABEL);
    let label_end = label.find("-----")?;
    if !is_private(label.get(..label_end)?) {
        return None;
    }
    let body = BEGIN.len() + label_end + 5;
    let inside = rest.get(body..)?;
    let start = up_to(inside, MAX_START);
    if !is_written(start) || is_constant(start) {
        return None;
    }
    // Another beginning before the end: this key is truncated.
    let next = inside.find(BEGIN).unwrap_or(inside.len());
    let own = inside.get(..next)?;
    let end = match up_to(own, MAX_KEY).find(END) {
        Some(end) => {
            let tail = end + END.len();
            let closing = up_to(inside.get(tail..)?, MAX_LABEL).find("-----");
            let end = tail + closing.map_or_else(|| line_end(inside, tail) - tail, |dashes| dashes + 5);
            // The line break as JSON writes it.
            end + if inside.get(end..)?.starts_with("\\n") { 2 } else { 0 }
        }
        None => cut_off(own),
    };
    Some(at..at + body + end)
}

fn up_to(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or_default()
}

/// Whether something that may be a key follows, not `...` or a comment.
fn is_written(inside: &str) -> bool {
    let rest = inside.strip_prefix("\\n").unwrap_or(inside);
    let comment = rest.trim_start().starts_with('#');
    let first = rest.trim_start_matches([' ', '\n', '\r', '\t', '\\', '#', '"', '\'', '+', '>', '|', ',', '(']);
    let first = first.split([' ', '\n', '\\', '"', '\'']).next().unwrap_or_default();
    let base64 =
        !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=:-".contains(&byte));
    base64 && (first.len() >= 16 || !comment) && !first.eq_ignore_ascii_case("redacted")
}

/// Whether the quote behind the label closes and no quoted base64 follows: code that writes or searches for keys.
fn is_constant(inside: &str) -> bool {
    let quoted = inside.starts_with(['"', '\'', '`', ')', ']', '/', '|', ',', '.']);
    let rest = inside.trim_start_matches(['"', '\'', '`', '+', ' ', '\n', '\r', '\t', '\\', ',', '(', '.']);
    let body = rest
        .strip_prefix('n')
        .unwrap_or(rest)
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte))
        .count();
    (quoted && body < 16) || rest.is_empty()
}

fn is_private(label: &str) -> bool {
    label.ends_with("PRIVATE KEY")
        || label == "PGP PRIVATE KEY BLOCK"
        || label.ends_with("Static key V1")
        || label.ends_with("tls-crypt-v2 client key")
        || label.ends_with("tls-crypt-v2 server key")
}

/// The length of what looks like the inside of a key.
fn cut_off(inside: &str) -> usize {
    let mut end = 0;
    for line in inside.split_inclusive('\n') {
        let inner = line.trim().trim_matches(['"', '\'', '+', '\\', ' ']);
        let header = inner.contains(": ") && inner.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ');
        if !(is_base64(inner) && (inner.is_empty() || inner.len() >= 16 || end > 0) || header && end < 200) {
            break;
        }
        end += line.len();
    }
    inside.get(..end).unwrap_or_default().trim_end().len()
}

fn is_base64(line: &str) -> bool {
    line.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=\\".contains(&byte))
}

/// The lines above `-----END … PRIVATE KEY` when the beginning is cut off. `at` is the offset of `-----END`.
pub fn beheaded(text: &str, at: usize) -> Option<Range<usize>> {
    let label = up_to(text.get(at..)?.strip_prefix(END)?, MAX_LABEL);
    let label = label.get(..label.find("-----")?)?;
    if !is_private(label) {
        return None;
    }
    let mut start = None;
    let mut longest = 0;
    let mut line = previous_line(text, at)?;
    while at - line.start < MAX_KEY {
        let content = text.get(line.clone())?.trim().trim_matches(['"', '\'', '+', ',', '>', '|', ' ']);
        let content = content.strip_suffix("\\n").unwrap_or(content);
        if content.len() < 4 || !is_base64(content) {
            break;
        }
        longest = longest.max(content.len());
        start = Some(line.start);
        let Some(above) = previous_line(text, line.start) else { break };
        line = above;
    }
    start.filter(|_| longest >= 40).map(|start| start..at)
}

/// The lines behind `Private-Lines: 14` in a PuTTY key.
pub fn putty(text: &str, at: usize) -> Option<Range<usize>> {
    let head = line_end(text, at);
    let lines: usize = up_to(text.get(at..head)?, MAX_LABEL)
        .rsplit(' ')
        .next()?
        .trim()
        .parse()
        .ok()
        .filter(|lines| *lines < MAX_LINES)?;
    let first = next_line(text, head)?;
    let mut last = first.clone();
    for _ in 1..lines {
        let Some(next) = next_line(text, last.end) else { break };
        if text.get(next.clone())?.contains(':') {
            break;
        }
        last = next;
    }
    Some(first.start..last.end)
}

/// All base64 that begins at `at`, on this line and the next ones.
pub fn body(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let of_body = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    if at > 0
        && bytes.get(at - 1).is_some_and(of_body)
        && !text.get(..at)?.ends_with("\\n")
        && bytes.get(at - 1) != Some(&b'=')
    {
        return None;
    }
    let mut end = at;
    loop {
        while bytes.get(end).is_some_and(of_body) {
            end += 1;
        }
        // The next line of the same key, or `\n` as JSON writes it.
        let rest = text.get(end..text.floor_char_boundary(end.saturating_add(200)))?;
        let break_end =
            rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', '\\', '"', '\'', '+', '>', '|', ',']).len();
        let between = rest.get(..break_end)?;
        let breaks = between.contains('\n') || between.starts_with("\\");
        let skip = break_end + usize::from(between.ends_with('\\') && rest.get(break_end..)?.starts_with('n'));
        let next = rest.get(skip..)?.bytes().take_while(|byte| of_body(byte)).count();
        if !breaks || next < 40 && !(next >= 4 && end - at > 200) {
            break;
        }
        end += skip;
    }
    (end - at >= 40).then_some(at..end)
}
