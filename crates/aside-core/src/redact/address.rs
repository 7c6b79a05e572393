//! Secrets in addresses, and in cookies: `scheme://user:password@host`, `sid=…; theme=dark`.

use std::ops::Range;

use crate::redact::placeholder;
use crate::redact::value::{self, Class};

/// Bytes before the `@`.
const MAX_USER: usize = 512;

/// Bytes of all cookies together, as browsers have it.
const MAX_COOKIES: usize = 4096;

/// `at` is where `://` stands.
pub fn password(text: &str, at: usize) -> Option<Range<usize>> {
    let start = at + 3;
    let limit = text.floor_char_boundary(start.saturating_add(MAX_USER));
    let rest = text.get(start..limit)?;
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
            // `guest:guest` is what a server comes with.
            let common = name == password && ["guest", "user", "test", "demo", "foo"].contains(&name);
            // `$HOST:8000@` in a command that replaces text.
            let port = password.bytes().all(|byte| byte.is_ascii_digit()) && name.contains(['$', '.', '{']);
            let none = common || port || placeholder::is_label(password) || placeholder::is_placeholder(password);
            (!password.is_empty() && !none).then_some(found)
        }
        // The address that a browser reports errors to: `https://key@host/1`.
        None if is_hex_key(user) && ends_with_number(rest) => None,
        None => value::fits(Class::Random, user).then_some(start..start + user.len()),
    }
}

/// The user in front of a host, when the password has a character in it that ends the authority of an address.
fn odd_user<'a>(rest: &'a str, authority: &str) -> Option<&'a str> {
    let (name, begin) = authority.split_once(':')?;
    let port = begin.bytes().all(|byte| byte.is_ascii_digit());
    let (user, host) = rest.rsplit_once('@')?;
    let is_host = host.starts_with(|first: char| first.is_ascii_alphanumeric());
    (!port && !name.contains(['.', '[', '$']) && is_host).then_some(user)
}

/// The values of `a=1; b=2` that tell who somebody is. `range` is all of it, without `Cookie:`.
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
            let named = telling.iter().any(|part| low.contains(part)) && value.len() >= 4;
            let analytics =
                ["_ga", "_gid", "_gcl", "_fbp", "_fbc", "_hj", "_pk_", "ajs_", "amp_", "optimizely", "_clck", "_uet"];
            let attribute = attribute || analytics.iter().any(|start| low.starts_with(start));
            if !attribute && !placeholder::is_placeholder(plain) && (named || value::is_token(plain)) {
                found.push(from..from + value.len());
            }
        }
        start += pair.len() + 1;
    }
    found
}

/// What follows `Cookie:`, up to the end of the line or the quote.
pub fn cookie_header(text: &str, end_of_name: usize) -> Range<usize> {
    let rest =
        text.get(end_of_name..text.floor_char_boundary(end_of_name.saturating_add(MAX_COOKIES))).unwrap_or_default();
    let Some(rest) = rest.strip_prefix(':') else { return end_of_name..end_of_name };
    let end = rest.find(['\n', '\r', '"', '\'', '\\']).unwrap_or(rest.len());
    end_of_name + 1..end_of_name + 1 + end
}

fn is_hex_key(user: &str) -> bool {
    user.len() == 32 && user.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn ends_with_number(address: &str) -> bool {
    address.rsplit('/').next().is_some_and(|last| !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit()))
}
