//! Strings that only a machine can have generated, without a name beside them. Conservative: hashes, digests, ids,
//! blockchain addresses, base64 data and long names look much the same, and a text without them says little.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use aside_text::base64;

use crate::{classifier, secret_strength};

/// Length of a key; longer strings are data.
const SIZES: std::ops::RangeInclusive<usize> = 40..=128;

/// A shorter one consists of letters and digits alone and alternates between them throughout. In 41 MB of manuals,
/// programs and configuration there are eleven of these, nearly all of them tokens in examples.
const SHORT_SIZES: std::ops::Range<usize> = 18..40;

/// Length of a session token. Data of this length has one of the two symbols of base64 in it.
const LONG_SIZES: std::ops::RangeInclusive<usize> = 129..=1024;

/// Length of a password that follows the usual password rules.
const PASSWORD_SIZES: std::ops::RangeInclusive<usize> = 8..=32;

/// Bytes before a string on its line that may explain it.
const MAX_BEFORE: usize = 120;

/// Bytes behind a string in which the next line begins.
const MAX_BEHIND: usize = 1024;

/// Words on a line that explain such strings as harmless.
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
    "pub_key",
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
    "\"id\"",
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
    "\"kid\"",
    "kid:",
    "kty",
    "\"n\":",
    "\"x\":",
    "\"y\":",
    "address",
    "balance",
    "wallet",
    "ipfs",
    "cid",
    "txid",
    "tx ",
    "transaction",
    "mint",
    "account",
    "contract",
    "block",
    "merkle",
    "nonce",
    "cookie consent",
    "recaptcha",
    "sitekey",
    "site-key",
    "data:",
    "<svg",
    "path d=",
    "magnet",
    "torrent",
    "revision",
    "build",
    "version",
    "guid",
    "layer",
    "image",
    "token_type",
    "next",
    "page",
    "ciphertext",
    "encrypted",
    "cipher",
    "sealed",
    "enc[",
    "challenge",
    "verifier",
    "example",
    "trace",
    "request",
    "serial",
    "thumbprint",
    "snapshot",
    "gist",
    "drive.google",
    "gdown",
    "youtube",
    "watch?v",
    "-hex",
    "minisign",
    "age1",
    "pk_",
    "pubkeys",
    "dnskey",
    "rrsig",
    "tlsa",
    "sshfp",
    "dkim",
    "verification",
    "peer",
    "lease",
    "consent",
    "modulus",
    "id: ",
    "id\": ",
];

static EXPLAIN: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| AhoCorasick::new(INNOCENT).ok());

/// Whether a text in lower case has a word that explains a string as harmless.
fn is_innocent(low: &str) -> bool {
    EXPLAIN.as_ref().is_some_and(|words| words.is_match(low))
}

/// All such strings, in order.
pub fn strings(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut start = 0;
    for at in 0..=bytes.len() {
        let inside = bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte));
        if inside {
            continue;
        }
        if SIZES.contains(&(at - start)) && (stands_alone(bytes, start, at) || ends_sentence(bytes, at)) {
            let public = text.get(start..at).is_some_and(crate::placeholder::is_public);
            let drawn = !public && is_drawn(text.get(start..at)) && is_unexplained(text, start, at);
            if drawn || is_recovery_key(text.get(start..at)) {
                found.push(start..at);
            }
        }
        if SHORT_SIZES.contains(&(at - start))
            && stands_apart(bytes, start, at)
            && text.get(start..at).is_some_and(|word| is_drawn_short(word) || is_prefixed(word))
            && !text.get(start..at).and_then(base64::decoded).is_some_and(|text| is_readable(&text))
            && is_unexplained(text, start, at)
        {
            found.push(start..at);
        }
        if LONG_SIZES.contains(&(at - start))
            && stands_apart(bytes, start, at)
            && text.get(start..at).is_some_and(is_session)
            && is_unexplained(text, start, at)
        {
            found.push(start..at);
        }
        if BOT_IDS.contains(&(at - start)) && bytes.get(at) == Some(&b'.') {
            found.extend(bot_token(text, start, at));
        }
        start = at + 1;
    }
    found.extend(grouped_keys(text));
    found.extend(base64_keys(text));
    found.extend(storage_keys(text));
    found.extend(device_keys(text));
    found.extend(passwords(text));
    found
}

/// Whether it is neither part of a path, a name or a hash, nor continued.
fn stands_apart(bytes: &[u8], start: usize, end: usize) -> bool {
    let before = start.checked_sub(1).and_then(|before| bytes.get(before));
    before.is_none_or(|byte| !b"_-./+%@$\\".contains(byte))
        && (bytes.get(end).is_none_or(|byte| !b"_-./+=%".contains(byte)) || ends_sentence(bytes, end))
}

/// A full stop that nothing follows.
fn ends_sentence(bytes: &[u8], at: usize) -> bool {
    bytes.get(at) == Some(&b'.') && bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace)
}

/// Length of the first part of a bot token: the account number in base64.
const BOT_IDS: std::ops::RangeInclusive<usize> = 23..=28;

/// `MTE4….GZiwUX.mXdFw…`: the account, the time and the signature. The first part ends at `end`.
fn bot_token(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let of_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let bytes = text.as_bytes();
    let part = |from: usize| Some(bytes.get(from..)?.iter().take(64).take_while(|byte| of_part(byte)).count());
    let first = text.get(start..end).filter(|first| first.starts_with(['M', 'N', 'O']))?;
    let time: usize = part(end + 1).filter(|length| (6..=7).contains(length))?;
    let signature_at = end + 1 + time + 1;
    let signature: usize = part(signature_at).filter(|length| (27..=45).contains(length))?;
    let dotted = bytes.get(end + 1 + time) == Some(&b'.');
    let apart = start.checked_sub(1).and_then(|at| bytes.get(at)).is_none_or(|byte| !b"./".contains(byte));
    let span = start..signature_at + signature;
    let drawn = text.get(signature_at..span.end).is_some_and(|signature| secret_strength::variety(signature) >= 12);
    let mixed = first.bytes().any(|byte| byte.is_ascii_digit()) && first.bytes().any(|byte| byte.is_ascii_lowercase());
    (dotted && apart && drawn && mixed).then_some(span)
}

/// Letters of both cases and digits throughout, which are no text in base64.
fn is_session(text: &str) -> bool {
    const PART: usize = 64;
    let mixed = |part: &[u8]| {
        part.iter().any(u8::is_ascii_digit)
            && part.iter().any(u8::is_ascii_lowercase)
            && part.iter().any(u8::is_ascii_uppercase)
    };
    text.as_bytes().chunks_exact(PART).all(mixed)
        && secret_strength::variety(text) >= 40
        && !base64::decoded(text).is_some_and(|text| is_readable(&text))
        && !crate::placeholder::is_public(text)
}

/// `nk_server_1RYbxMGoHjj7VyHBqB`: words that name the kind, and a generated part behind the last `_`.
fn is_prefixed(text: &str) -> bool {
    const KINDS: &[&str] = &[
        "secret", "server", "token", "key", "sk", "pat", "live", "prod", "access", "auth", "priv", "private", "bot",
        "svc",
    ];
    const PUBLIC: &[&str] = &["pk", "pub", "public", "publishable", "id", "client", "anon", "test"];
    let Some((prefix, drawn)) = text.rsplit_once('_') else { return false };
    let mut parts = prefix.split('_');
    (16..40).contains(&drawn.len())
        && parts.clone().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase()))
        && parts.clone().any(|part| KINDS.contains(&part))
        && !parts.any(|part| PUBLIC.contains(&part))
        && drawn.bytes().filter(u8::is_ascii_digit).count() >= 2
        && drawn.bytes().any(|byte| byte.is_ascii_lowercase())
        && drawn.bytes().any(|byte| byte.is_ascii_uppercase())
        && secret_strength::variety(drawn) >= 11
        && !secret_strength::is_words(drawn)
        && !crate::placeholder::is_placeholder(text)
}

/// Letters of both cases and digits that change kind between at least two in five characters.
fn is_drawn_short(text: &str) -> bool {
    let kind = |byte: u8| match byte {
        b'A'..=b'Z' => 0,
        b'a'..=b'z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let mut counts = [0; 4];
    text.bytes().for_each(|byte| counts[kind(byte)] += 1);
    let changes = text.bytes().zip(text.bytes().skip(1)).filter(|(one, two)| kind(*one) != kind(*two)).count();
    let [capital, small, digits, others] = counts;
    others == 0
        && capital >= 4
        && small >= 4
        && (digits >= 2 || digits == 1 && text.len() >= 24 && capital >= 6 && small >= 6)
        && changes * 5 >= text.len() * 2
        && secret_strength::variety(text) >= 14
        && !crate::placeholder::is_placeholder(text)
}

/// `Winter2024!`, `Tr0ub4dor&3`: a capital, a small letter, a digit and a symbol in an order that neither code nor
/// prose has.
fn passwords(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let of_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"!&^_-".contains(byte);
    let mut found = Vec::new();
    let mut last: Option<([&str; 2], bool)> = None;
    for at in memchr::memchr3_iter(b'!', b'&', b'^', bytes) {
        let limit = *PASSWORD_SIZES.end();
        let before =
            bytes.get(..at).unwrap_or_default().iter().rev().take(limit).take_while(|byte| of_word(byte)).count();
        let behind = bytes.get(at..).unwrap_or_default().iter().take(limit).take_while(|byte| of_word(byte)).count();
        let word = at - before..at + behind;
        if found.last().is_some_and(|last: &Range<usize>| last.end > word.start) {
            continue;
        }
        let outside = |place: Option<usize>, marks: &[u8]| {
            place.and_then(|place| bytes.get(place)).is_none_or(|byte| byte.is_ascii() && !marks.contains(byte))
        };
        let apart =
            outside(word.start.checked_sub(1), b"./+@#$%&=~^*!?\\") && outside(Some(word.end), b"./+@#$%&=~^*\\([{<;");
        let chosen = || text.get(word.clone()).is_some_and(is_chosen_password);
        if !PASSWORD_SIZES.contains(&word.len()) || !apart || !chosen() {
            continue;
        }
        // `|2345-7^Glucose|`: components of an HL7 field.
        let start = crate::scan::line_start(text, word.start);
        let before = text.get(start..word.start).unwrap_or_default();
        let field = before.contains("^^")
            || bytes.get(at) == Some(&b'^')
                && [word.start.checked_sub(1), Some(word.end)]
                    .into_iter()
                    .flatten()
                    .any(|at| bytes.get(at) == Some(&b'|'));
        let mut named = || {
            let sides = sides(text, &word);
            // Dense text repeats itself.
            let of_account = last.filter(|(seen, _)| *seen == sides).map_or_else(|| is_of_account(sides), |(_, of)| of);
            last = Some((sides, of_account));
            of_account
        };
        if !field && (!is_name_or_cheer(text.get(word.clone()).unwrap_or_default()) || named()) {
            found.push(word);
        }
    }
    found
}

/// `Expo2025!`, `T14Gen3!`, `FRITZ!Box7590`, `Sales&Marketing2024`, `Main^2`: what a sentence ends with, and names of
/// things of several words and a number, which are passwords only beside an account.
fn is_name_or_cheer(word: &str) -> bool {
    let stem = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let words = stem.split(['!', '&', '-', '_']);
    word.ends_with('!')
        || stem.ends_with('^')
        || stem.len() + MAX_NUMBER >= word.len()
            && words.into_iter().all(|part| part.len() > 2 && part.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

/// Digits of a year or a model.
const MAX_NUMBER: usize = 4;

/// Bytes on either side of a word that may name it.
const MAX_SIDE: usize = 80;

/// The line before and behind a word.
fn sides<'t>(text: &'t str, word: &Range<usize>) -> [&'t str; 2] {
    let from = text.ceil_char_boundary(word.start.saturating_sub(MAX_SIDE));
    let to = text.floor_char_boundary(word.end.saturating_add(MAX_SIDE));
    let before = text.get(from..word.start).unwrap_or_default();
    let behind = text.get(word.end..to).unwrap_or_default();
    [before.rsplit('\n').next().unwrap_or_default(), behind.split('\n').next().unwrap_or_default()]
}

/// Whether a line speaks of passwords or users, or is nothing but the word.
fn is_of_account(sides: [&str; 2]) -> bool {
    sides.iter().all(|side| side.trim().is_empty()) || sides.into_iter().any(classifier::speaks_of_accounts)
}

fn is_chosen_password(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let inner = word.as_bytes().windows(3).any(|three| {
        matches!(three, [one, b'!' | b'&' | b'^', two] if one.is_ascii_alphanumeric() && two.is_ascii_alphanumeric())
    });
    let stem = word.trim_end_matches('!');
    let exclaimed = stem.len() + 1 == word.len() && digits >= 2 && !secret_strength::is_ordinary(stem);
    word.starts_with(|first: char| first.is_ascii_alphanumeric())
        && word.ends_with(|last: char| last.is_ascii_alphanumeric() || last == '!')
        && word.bytes().any(|byte| byte.is_ascii_lowercase())
        && word.bytes().any(|byte| byte.is_ascii_uppercase())
        && digits >= 1
        && (inner || exclaimed)
        && !crate::placeholder::is_placeholder(word)
}

/// `URMN Y6SF 2RJ2 IZKF`, `frok oicm mlzo kxbn`: groups of four, as one-time code keys or app passwords are shown.
/// Letters alone need a line that mentions an account.
fn grouped_keys(text: &str) -> Vec<Range<usize>> {
    const GROUP: usize = 4;
    let mut found = Vec::new();
    let mut groups: Vec<Range<usize>> = Vec::new();
    let of_group = |group: &str| group.bytes().all(|byte| byte.is_ascii_alphabetic() || (b'2'..=b'7').contains(&byte));
    let mut words = crate::scan::words(text).peekable();
    while let Some(word) = words.next() {
        let part = text.get(word.clone()).unwrap_or_default().trim_end_matches(['.', ',', ')', ';']);
        let last_at = groups.last().map(|last| last.end);
        let follows = last_at.is_none_or(|end| text.get(end..word.start) == Some(" "));
        let fits = part.len() == GROUP && of_group(part);
        if fits && follows {
            groups.push(word.start..word.start + part.len());
        }
        if !fits || !follows || part.len() < word.len() || words.peek().is_none() {
            found.extend(key_of_groups(text, &groups));
            groups.clear();
            if fits && !follows {
                groups.push(word.start..word.start + part.len());
            }
        }
    }
    found
}

fn key_of_groups(text: &str, groups: &[Range<usize>]) -> Option<Range<usize>> {
    let span = groups.first()?.start..groups.last()?.end;
    let key = text.get(span.clone())?;
    let one_case =
        !key.bytes().any(|byte| byte.is_ascii_lowercase()) || !key.bytes().any(|byte| byte.is_ascii_uppercase());
    let digits = groups.iter().filter(|group| text.get((*group).clone()).is_some_and(mixes)).count();
    let prose = groups.iter().any(|group| text.get(group.clone()).is_some_and(secret_strength::is_prose));
    let start = crate::scan::line_start(text, span.start);
    let told = || classifier::speaks_of_accounts(text.get(start..span.start).unwrap_or_default());
    let key = groups.len() >= 4 && one_case && !prose && (digits * 3 >= groups.len() || groups.len() == 4 && told());
    key.then_some(span)
}

/// Contains letters and digits.
fn mixes(group: &str) -> bool {
    group.bytes().any(|byte| byte.is_ascii_digit()) && group.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Base64 keys with one of its two symbols that are not part of a path or an address, and base64 of `user:password`.
fn base64_keys(text: &str) -> Vec<Range<usize>> {
    let of_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut start = 0;
    for at in 0..=bytes.len() {
        if bytes.get(at).is_some_and(|byte| of_base64(*byte)) {
            continue;
        }
        let word = start..at;
        start = at + 1;
        if !BASE64_SIZES.contains(&word.len()) || !stands_alone(bytes, word.start, at) {
            continue;
        }
        let Some(value) = text.get(word.clone()).filter(|value| !crate::placeholder::is_public(value)) else {
            continue;
        };
        // Public keys end like this.
        let symbols = value.trim_end_matches('=').contains('+') && !value.ends_with("IDAQAB");
        let key =
            SIZES.contains(&word.len()) && symbols && is_drawn(Some(value)) && is_unexplained(text, word.start, at);
        let pair = value.len() % 4 == 0 && secret_strength::is_basic_pair(value);
        if key || pair {
            found.push(word);
        }
    }
    found
}

const BASE64_SIZES: std::ops::RangeInclusive<usize> = 12..=128;

/// 64 bytes as base64 on their own, as in storage accounts.
fn storage_keys(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let ends = memchr::memmem::find_iter(bytes, b"==");
    ends.filter_map(move |end| {
        let start = end.checked_sub(86)?;
        let body = bytes.get(start..end)?;
        let alone = start
            .checked_sub(1)
            .and_then(|before| bytes.get(before))
            .is_none_or(|byte| b" \t\n\"'=;:>(".contains(byte))
            && bytes.get(end + 2).is_none_or(|byte| b" \t\r\n\"',;<)&".contains(byte));
        let base64 = body.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(byte));
        let key = text.get(start..end + 2)?;
        let published = crate::placeholder::is_placeholder(key);
        (alone && base64 && !published && secret_strength::variety(key) > 30 && !is_sum(text, start))
            .then_some(start..end + 2)
    })
}

/// 32 bytes as base64 behind a word for a key: `--primary-key …=`.
fn device_keys(text: &str) -> impl Iterator<Item = Range<usize>> {
    const NAMES: &[&str] = &[
        "key",
        "secret",
        "psk",
        "schlüssel",
        "clé",
        "clave",
        "chave",
        "chiave",
        "klucz",
        "sleutel",
        "anahtar",
        "ключ",
        "키",
        "キー",
        "密钥",
    ];
    const PUBLIC: &[&str] = &[
        "dkim",
        "pub",
        "peer",
        "host",
        "sha1",
        "sha2",
        "sha5",
        "hash",
        "sum",
        "cert",
        "sign",
        "digest",
        "integrity",
        "finger",
    ];
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'=', bytes).filter_map(move |end| {
        let start = end.checked_sub(43)?;
        let body = bytes.get(start..end)?;
        let apart = start.checked_sub(1).and_then(|at| bytes.get(at)).is_some_and(|byte| b" \t\"'=".contains(byte))
            && bytes.get(end + 1).is_none_or(|byte| b" \t\r\n\"',;)".contains(byte));
        let base64 = body.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(byte));
        if !apart || !base64 || secret_strength::variety(text.get(start..end)?) < 20 {
            return None;
        }
        let from = text.ceil_char_boundary(start.saturating_sub(MAX_NAME_BEFORE));
        // The name may be on the line above: `KEY = new SecretKeySpec(`.
        let before = text.get(from..start)?.rsplit('\n').take(2).collect::<Vec<_>>().concat().to_lowercase();
        let named = NAMES.iter().any(|name| before.contains(name)) && !PUBLIC.iter().any(|word| before.contains(word));
        named.then_some(start..end + 1)
    })
}

/// Bytes before a key that are searched for its name.
const MAX_NAME_BEFORE: usize = 90;

/// Whether it is not part of a path, an address, a base64 digest, or a longer name.
fn stands_alone(bytes: &[u8], start: usize, end: usize) -> bool {
    let before = start.checked_sub(1).and_then(|before| bytes.get(before));
    before.is_none_or(|byte| b" \t\n\r\"'=(>:,[`".contains(byte))
        && bytes.get(end).is_none_or(|byte| b" \t\n\r\"',);<]`".contains(byte))
        || bytes.get(end) == Some(&b'\\') && before == Some(&b'"')
}

/// Whether the line mentions a checksum or a signature.
fn is_sum(text: &str, start: usize) -> bool {
    let from = text.floor_char_boundary(start.saturating_sub(MAX_BEFORE));
    let before = text.get(from..start).unwrap_or_default().rsplit('\n').next().unwrap_or_default().to_ascii_lowercase();
    ["sha", "integrity", "digest", "hash", "sum", "sign", "cert", "public", "enc", "cipher", "{ss", "dnskey", "rrsig"]
        .iter()
        .any(|word| before.contains(word))
}

/// Eight groups of six digits: a disk recovery key.
fn is_recovery_key(text: Option<&str>) -> bool {
    text.is_some_and(|text| {
        text.len() == 55
            && text.split('-').count() == 8
            && text.split('-').all(|group| group.len() == 6 && group.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

fn is_drawn(text: Option<&str>) -> bool {
    let Some(text) = text else { return false };
    let count = |test: fn(&u8) -> bool| text.bytes().filter(test).count();
    let (small, capital, digits) =
        (count(u8::is_ascii_lowercase), count(u8::is_ascii_uppercase), count(u8::is_ascii_digit));
    let share = text.len() / 16;
    let hex = |part: &str| part.len() >= 24 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    if text.contains("0123456789")
        || ["abcdefgh", "ABCDEFGH", "qrstuv", "23456789"].iter().any(|run| text.contains(run))
        || text.split(['-', '_']).any(hex)
        || text.contains("AAAAAA")
        || text.starts_with("AAEC")
        || text.starts_with("AAAA")
        || text.starts_with("_Z")
        || is_address(text)
    {
        return false;
    }
    if base64::decoded(text).is_some_and(|text| is_readable(&text)) {
        return false;
    }
    let separators = text.len() - small - capital - digits;
    small > share.max(4)
        && capital > share.max(4)
        && digits > 2
        && separators * 8 <= text.len()
        && secret_strength::variety(text) >= 20
        && !secret_strength::is_words(text)
}

/// Whether decoded text is words with blanks, which no key decodes to.
fn is_readable(text: &str) -> bool {
    let plain = text.chars().all(|letter| letter.is_ascii_lowercase() || "-_./".contains(letter));
    plain
        || (text.contains(' ') || text.contains("://") && !text.contains('@'))
            && text.chars().all(|letter| !letter.is_control() || letter == '\n')
}

/// Base58 of the length of a public key or an address: IPFS, Solana.
fn is_address(text: &str) -> bool {
    let base58 = text.bytes().all(|byte| byte.is_ascii_alphanumeric() && !b"0OIl".contains(&byte));
    base58 && (43..=52).contains(&text.len()) && !text.starts_with(['5', 'K', 'L'])
}

pub fn is_unexplained(text: &str, start: usize, end: usize) -> bool {
    let from = text.floor_char_boundary(start.saturating_sub(MAX_BEFORE));
    let before = text.get(from..start).unwrap_or_default();
    let (lines, line) = before.rsplit_once('\n').unwrap_or(("", before));
    let low = line.to_ascii_lowercase();
    // Inside a block of base64 all lines look like this one.
    let data = |line: &str| {
        let line = line.trim_matches([' ', '\t', '"', '\'', '\\', ',', '+', '\r', '>', '#', '*', '/', '!']);
        line.len() >= 40 && !line.contains(' ') && line.contains(char::is_alphanumeric)
    };
    let above = lines.rsplit('\n').next().is_some_and(data);
    let rest = text.get(end..text.floor_char_boundary(end.saturating_add(MAX_BEHIND))).unwrap_or_default();
    let below =
        rest.split('\n').nth(1).is_some_and(|line| data(line.get(..line.floor_char_boundary(200)).unwrap_or_default()));
    // `Public Key:` on a line of its own.
    let title = lines.rsplit('\n').next().unwrap_or_default().to_ascii_lowercase();
    let titled = title.trim_end().ends_with(':') && is_innocent(&title);
    let alone = line.trim_matches([' ', '\t', '"', '\'', '>', '#', '*', '+', '/', '!', '\\', ',']).is_empty();
    // `echo … | base64 -d`: the user is shown what it decodes to.
    let decoded = rest.trim_start_matches(['"', '\'', ' ', '|']).starts_with("base64 ");
    !(alone && (above || below || titled))
        && !decoded
        && !lines.ends_with("-----")
        && !is_innocent(&low)
        && !is_in_signature_header(text, start)
}

/// Bytes of a folded message header.
const MAX_HEADER: usize = 2048;

/// `DKIM-Signature: …; b=…`: the signature of a message, with folded lines.
fn is_in_signature_header(text: &str, at: usize) -> bool {
    let from = text.ceil_char_boundary(at.saturating_sub(MAX_HEADER));
    let lines = text.get(from..at).unwrap_or_default().rsplit('\n');
    let head = lines.into_iter().find(|line| !line.starts_with([' ', '\t']));
    let head = head.unwrap_or_default().trim_start_matches(['>', ' ']).to_ascii_lowercase();
    ["dkim-signature:", "arc-seal:", "arc-message-signature:", "x-google-dkim-signature:", "domainkey-signature:"]
        .iter()
        .any(|name| head.starts_with(name))
}
