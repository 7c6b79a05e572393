//! Strings that nobody can have made but a machine, where nothing tells what they are. With care: hashes, digests, ids,
//! data in base64 and long names look much the same, and a text without them says little.

use std::ops::Range;

use crate::redact::value;

/// A key has at least 32 characters; what is longer than the second is data.
const SIZES: std::ops::RangeInclusive<usize> = 40..=128;

/// What a line says that speaks of such strings without being secret.
const INNOCENT: &[&str] = &[
    "sha1",
    "sha2",
    "sha3",
    "sha5",
    "sha-",
    "md5",
    "hash",
    "integrity",
    "checksum",
    "digest",
    "fingerprint",
    "etag",
    "cert",
    "public",
    "pubkey",
    "commit",
    "ssh-rsa",
    "ssh-ed",
    "ecdsa",
    "h1:",
    "base64",
    "uuid",
    "cursor",
    "id=",
    "-id",
    "_id",
    "resolved",
    "accessor",
    "nix/store",
    "http://",
    "https://",
    ".js",
    ".css",
    ".png",
    ".jpg",
    ".woff",
    "begin ",
    "signature",
];

/// All of them, in their order.
pub fn strings(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut start = 0;
    for at in 0..=bytes.len() {
        let inside = bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte));
        if inside {
            continue;
        }
        if SIZES.contains(&(at - start))
            && stands_alone(bytes, start, at)
            && is_drawn(text.get(start..at))
            && is_unexplained(text, start)
        {
            found.push(start..at);
        }
        start = at + 1;
    }
    found
}

/// Not a part of a path, an address, a sum of base64, or a longer name.
fn stands_alone(bytes: &[u8], start: usize, end: usize) -> bool {
    let before = start.checked_sub(1).and_then(|before| bytes.get(before));
    before.is_none_or(|byte| b" \t\n\r\"'=(>:,[`".contains(byte))
        && bytes.get(end).is_none_or(|byte| b" \t\n\r\"',);<]`".contains(byte))
        || bytes.get(end) == Some(&b'\\') && before == Some(&b'"')
}

fn is_drawn(text: Option<&str>) -> bool {
    let Some(text) = text else { return false };
    let count = |test: fn(&u8) -> bool| text.bytes().filter(test).count();
    let (small, capital, digits) =
        (count(u8::is_ascii_lowercase), count(u8::is_ascii_uppercase), count(u8::is_ascii_digit));
    let share = text.len() / 16;
    let hex = |part: &str| part.len() >= 24 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    if text.contains("0123456789")
        || text.split(['-', '_']).any(hex)
        || text.contains("AAAAAA")
        || text.starts_with("AAEC")
    {
        return false;
    }
    let separators = text.len() - small - capital - digits;
    small > share.max(4)
        && capital > share.max(4)
        && digits > 2
        && separators * 8 <= text.len()
        && value::variety(text) >= 20
        && !value::is_words(text)
}

fn is_unexplained(text: &str, start: usize) -> bool {
    let from = text.floor_char_boundary(start.saturating_sub(120));
    let before = text.get(from..start).unwrap_or_default();
    let (lines, line) = before.rsplit_once('\n').unwrap_or(("", before));
    let line = line.to_ascii_lowercase();
    // Inside of a block of base64, all lines look like this one.
    let block = lines
        .rsplit('\n')
        .next()
        .is_some_and(|above| line.trim().is_empty() && above.len() >= 40 && !above.contains(' '));
    !block && !lines.ends_with("-----") && !INNOCENT.iter().any(|word| line.contains(word))
}
