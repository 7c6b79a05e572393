//! Secrets in URLs and in cookies: `scheme://user:password@host`, `sid=…; theme=dark`.

use std::ops::Range;

use crate::placeholder;
use crate::scan::{line_end, line_start};
use crate::secret_strength::{self, SecretClass, SecretStrength};

/// Bytes before the `@`.
const MAX_USER: usize = 512;

/// Bytes of all cookies together, the limit of browsers.
const MAX_COOKIES: usize = 4096;

/// The password of a URL. `at` is the offset of `://`.
pub fn password(text: &str, at: usize) -> Option<Range<usize>> {
    let start = at + 3;
    let limit = text.floor_char_boundary(start.saturating_add(MAX_USER));
    let rest = text.get(start..limit)?;
    if let Some(found) = spaced_password(text, at, rest) {
        return Some(found);
    }
    let end =
        rest.find(|letter: char| letter.is_whitespace() || "\"'`<>\\,;|()".contains(letter)).unwrap_or(rest.len());
    let rest = rest.get(..end)?;
    let authority = rest.get(..rest.find(['/', '?', '#']).unwrap_or(rest.len()))?;
    let user = match authority.rsplit_once('@') {
        Some((user, _)) => user,
        None => odd_user(rest, authority)?,
    };
    match user.split_once(':') {
        Some((name, password)) => {
            let from = start + name.len() + 1;
            let found = from..from + password.len();
            // `guest:guest` is a server's default.
            let local = ["@localhost", "@127.0.0.1", "@[::1]"].iter().any(|host| rest.contains(host));
            let common = name == password && (local || ["guest", "user", "test", "demo", "foo"].contains(&name));
            // `$HOST:8000@` in a command that replaces text.
            let port = password.bytes().all(|byte| byte.is_ascii_digit()) && name.contains(['$', '.', '{']);
            let none = common || port || placeholder::is_label(password) || placeholder::is_placeholder(password);
            (!password.is_empty() && !none).then_some(found)
        }
        // The address that a browser reports errors to (a Sentry DSN): `https://key@host/1`.
        None if is_hex_key(user) && ends_with_number(rest) => None,
        None => secret_strength::fits(SecretClass::Random, user).then_some(start..start + user.len()),
    }
}

/// `"amqp://user:two words@host"`: a quoted URL with blanks in the password. `rest` follows `://`.
fn spaced_password(text: &str, at: usize, rest: &str) -> Option<Range<usize>> {
    let before = text.get(..at)?.trim_end_matches(|letter: char| letter.is_ascii_alphanumeric() || letter == '+');
    let quote = before.chars().next_back().filter(|last| "\"'".contains(*last))?;
    let inner = rest.get(..rest.find([quote, '\n'])?)?;
    let (user, host) = inner.split('/').next()?.rsplit_once('@')?;
    let (name, password) = user.split_once(':')?;
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-:".contains(&byte));
    let words = password.split(' ').count();
    let from = at + 3 + name.len() + 1;
    ((2..=6).contains(&words)
        && plain(name)
        && plain(host)
        && !host.is_empty()
        && !name.contains('.')
        && !password.starts_with(|first: char| first.is_ascii_digit())
        && password.split(' ').all(|word| !word.is_empty() && !word.contains(['@', ',', ';', '(']))
        && !placeholder::is_placeholder(password)
        && !placeholder::is_label(password))
    .then_some(from..from + password.len())
}

/// The user part before a host, when the password contains a character that would end the authority of a URL.
fn odd_user<'a>(rest: &'a str, authority: &str) -> Option<&'a str> {
    let (name, begin) = authority.split_once(':')?;
    let port = begin.bytes().all(|byte| byte.is_ascii_digit());
    let (user, host) = rest.rsplit_once('@')?;
    let is_host = host.starts_with(|first: char| first.is_ascii_alphanumeric());
    (!port && !name.contains(['.', '[', '$']) && is_host).then_some(user)
}

/// The values of `a=1; b=2` that identify a user or a session. `range` covers all of it, without `Cookie:`.
pub fn cookies(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = range.start;
    let all = text.get(range).unwrap_or_default();
    for pair in all.split(';') {
        if let Some((name, value)) = pair.split_once('=') {
            let from = start + name.len() + 1;
            let value = value.trim_end();
            let plain = value.trim_matches('"');
            let telling = ["sess", "sid", "token", "auth", "csrf", "xsrf", "jwt", "login", "remember", "user"];
            let low = name.trim().to_ascii_lowercase();
            let attribute = ["path", "domain", "expires", "max-age", "samesite"].contains(&low.as_str());
            let named = telling.iter().any(|part| low.contains(part)) && value.len() >= 4 && plain != "deleted";
            let analytics =
                ["_ga", "_gid", "_gcl", "_fbp", "_fbc", "_hj", "_pk_", "ajs_", "amp_", "optimizely", "_clck", "_uet"];
            let attribute = attribute || analytics.iter().any(|start| low.starts_with(start));
            if !attribute && !placeholder::is_placeholder(plain) && (named || secret_strength::is_token(plain)) {
                found.push(from..from + value.len());
            }
        }
        start += pair.len() + 1;
    }
    found
}

/// The value of a `Cookie:` header, up to the end of the line or the quote; also `"name": "Cookie", "value": "…"` and
/// `("Cookie", "…")`.
pub fn cookie_header(text: &str, end_of_name: usize) -> Range<usize> {
    let none = end_of_name..end_of_name;
    let limit = text.floor_char_boundary(end_of_name.saturating_add(MAX_COOKIES));
    let rest = text.get(end_of_name..limit).unwrap_or_default();
    let named = rest.trim_start_matches(['"', '\'', '\\']);
    let quoted = named.len() < rest.len();
    let named = named.trim_start_matches(' ');
    let value = match named.chars().next() {
        Some(':') => named.get(1..),
        Some(',') if quoted => named.get(1..),
        Some('=') if quoted => named.strip_prefix("=>"),
        _ => None,
    };
    let Some(value) = value else { return none };
    let field = value.trim_start_matches([' ', '"', '\'', '\\']);
    let field = field.strip_prefix("value").map(|rest| rest.trim_start_matches(['"', '\'', ' ', '\\']));
    let value = field.and_then(|rest| rest.strip_prefix(':')).unwrap_or(value);
    let value = if quoted { value.trim_start_matches([' ', '"', '\'', '\\']) } else { value };
    let start = end_of_name + rest.len() - value.len();
    let end = value.find(['\n', '\r', '"', '\'', '\\']).unwrap_or(value.len());
    start..start + end
}

/// Bytes of `user:password` before an `@`.
const MAX_LOGIN: usize = 80;

/// Words before a colon that are not user names.
const SCHEMES: &[&str] = &[
    "mailto",
    "acct",
    "sip",
    "sips",
    "xmpp",
    "npm",
    "workspace",
    "from",
    "to",
    "cc",
    "bcc",
    "email",
    "mail",
    "author",
    "e-mail",
    "image",
    "docker",
];

/// `user:password@host` without a scheme, and `name@host:password` alone on its line. `at` is the offset of the `@`.
pub fn login(text: &str, at: usize) -> Option<Range<usize>> {
    let stops = |letter: char| letter.is_whitespace() || "\"'`<>(),;|=".contains(letter);
    let from = text.ceil_char_boundary(at.saturating_sub(MAX_LOGIN));
    let user = text.get(from..at)?.rsplit(stops).next()?;
    let after = text.get(at + 1..text.floor_char_boundary(at.saturating_add(1 + MAX_LOGIN)))?;
    let of_host = |letter: char| letter.is_ascii_alphanumeric() || ".-".contains(letter);
    let host = after.get(..after.len() - after.trim_start_matches(of_host).len())?;
    let named = host.bytes().any(|byte| byte.is_ascii_alphabetic());
    if !(host.contains('.') && !host.starts_with('.') && named || host.split('.').count() == 4) {
        return None;
    }
    let strong = |value: &str| {
        value.len() >= 6
            && !value.contains(['/', '{'])
            && secret_strength::secret_strength(value) >= Some(SecretStrength::Strong)
            && !placeholder::is_label(value)
    };
    if let Some((name, password)) = user.split_once(':') {
        let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        let scheme = SCHEMES.contains(&name.to_ascii_lowercase().as_str());
        return (plain && !scheme && strong(password)).then_some(at - password.len()..at);
    }
    let password = after.get(host.len()..)?.strip_prefix(':')?;
    let password = password.split(char::is_whitespace).next()?;
    let start = at + 1 + host.len() + 1;
    let span = start..start + password.len();
    let alone = line_start(text, at) + user.len() == at && line_end(text, span.end) == span.end;
    (alone && named && !user.is_empty() && strong(password)).then_some(span)
}

fn is_hex_key(user: &str) -> bool {
    user.len() == 32 && user.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn ends_with_number(address: &str) -> bool {
    address.rsplit('/').next().is_some_and(|last| !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit()))
}
