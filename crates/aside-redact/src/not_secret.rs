//! Values that are no secrets: numbers, dates, versions, addresses, paths, types or expressions in code.

use crate::secret_strength::is_random;
use crate::vocabulary::words;

/// A number, a date, a version, an address, a file, the name of an algorithm.
pub fn is_ordinary(value: &str) -> bool {
    let plain = value.trim_matches(|letter: char| "\"'`()[]{}.,;:*_<>‘’“”".contains(letter));
    let bytes = plain.as_bytes();
    let low = plain.to_ascii_lowercase();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    // `8-20`, `2024-01-01`, `10:15`, `+4.5%`, `10.0.0.1:80`
    let number = letters == 0 && bytes.iter().all(|byte| byte.is_ascii_digit() || b"-.:,/+%()~xX ".contains(byte));
    // `12ch`, `30min`, `1st`, `64-bit`, `2x`
    let unit = bytes.first().is_some_and(u8::is_ascii_digit) && letters <= 5 && {
        let rest = low.trim_start_matches(|letter: char| letter.is_ascii_digit() || ".,-+".contains(letter));
        [
            "s", "ms", "m", "h", "d", "w", "y", "kb", "mb", "gb", "tb", "k", "g", "b", "bit", "bits", "byte", "bytes",
            "char", "chars", "st", "nd", "rd", "th", "x", "px", "min", "sec", "days", "day", "hrs", "fa", "gib", "mib",
            "kib", "am", "pm", "utc",
        ]
        .contains(&rest)
    };
    number
        || unit
        || is_version(&low)
        || is_term(&low, digits)
        || is_email(plain)
        || is_host(&low)
        || is_path(plain)
        || is_file(plain)
        || is_code(value)
        || plain.contains('/') && (!is_random(plain) || is_small_path(plain))
        || is_pairs_of_hex(plain)
        || is_day(bytes)
        || low.starts_with("--")
        || low.starts_with("0x") && plain.len() < 12
        || plain.starts_with("S-1-5-")
        || is_mac(bytes)
}

/// `2024-01-01T10:00:00Z`
fn is_day(bytes: &[u8]) -> bool {
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    (0..4).all(digit)
        && bytes.get(4) == Some(&b'-')
        && digit(5)
        && digit(6)
        && bytes.get(7) == Some(&b'-')
        && digit(8)
        && digit(9)
}

/// `keyid:06:B5:A4:…`: a fingerprint.
fn is_pairs_of_hex(value: &str) -> bool {
    let pairs = value
        .split(':')
        .rev()
        .take_while(|pair| pair.len() == 2 && pair.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .count();
    pairs >= 6
}

fn is_mac(bytes: &[u8]) -> bool {
    bytes.len() >= 17
        && bytes.chunks(3).all(|three| {
            three.iter().take(2).all(u8::is_ascii_hexdigit) && three.get(2).is_none_or(|byte| b":-".contains(byte))
        })
}

pub fn is_version(low: &str) -> bool {
    let rest = low.strip_prefix('v').unwrap_or(low);
    let rest = rest.trim_start_matches("rc").trim_start_matches("release-");
    let head: &str = rest.split(['-', '+', 'a', 'b', 'r']).next().unwrap_or_default();
    !head.is_empty() && head.contains('.') && head.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        || low.starts_with('v') && rest.len() <= 3 && rest.bytes().all(|byte| byte.is_ascii_digit()) && !rest.is_empty()
}

/// `sha-256`, `rs256`, `utf8`, `oauth2`, `python3`, `x509`: a technical term with a number.
pub fn is_term(low: &str, digits: usize) -> bool {
    let head = low.trim_end_matches(|letter: char| letter.is_ascii_digit() || "-_.".contains(letter));
    digits > 0 && digits <= 4 && words().terms.contains(head)
}

fn is_email(value: &str) -> bool {
    let Some((local, domain)) = value.rsplit_once('@') else { return false };
    let domain = domain.trim_end_matches(|letter: char| !letter.is_ascii_alphanumeric());
    local.len() > 1
        && !local.contains(['@', ':', '/', '!', '#', '$', '%', '^', '&', '*'])
        && is_host(&domain.to_ascii_lowercase())
}

pub fn is_host(low: &str) -> bool {
    let host = low.split([':', '/']).next().unwrap_or_default();
    let Some((stem, end)) = host.rsplit_once('.') else { return false };
    words().host_endings.contains(end)
        && !stem.is_empty()
        && stem.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte))
}

/// Brackets of a call, an arrow, a path of names: not a password.
pub fn is_code(value: &str) -> bool {
    value.contains("()")
        || value.contains("->")
        || value.contains("::")
        || value.contains("=>")
        || value.contains("</")
        || has_operator(value, "&&")
        || has_operator(value, "||")
        || value.trim_end_matches('=').contains("==")
        || value.contains("!=")
        || value.starts_with(['<', '{', '|', '\\']) && !value.bytes().any(|byte| byte.is_ascii_digit())
        || value
            .find('(')
            .is_some_and(|open| open > 0 && value.get(..open).is_some_and(|head| head.split('.').all(is_identifier)))
}

/// `a.b&&c()`, `&&name`: between plain words it may be part of a password.
fn has_operator(value: &str, operator: &str) -> bool {
    value.contains(operator)
        && (value.starts_with(operator)
            || value.ends_with(operator)
            || value.contains(['(', ')', '.', '!', '$', '=', '[', '{', ' ', '/', '"', '\'']))
}

/// `pki/issue/consul-dc1`: base64 would have capitals too.
pub fn is_small_path(value: &str) -> bool {
    value.contains('/')
        && value.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"/_-.:".contains(&byte))
}

pub fn is_path(value: &str) -> bool {
    // Base64 may begin with a slash.
    if value.ends_with('=') && is_random(value) {
        return false;
    }
    let rooted =
        ["/", "./", "../", "~/", "C:\\", "D:\\", "\\\\", "${", "c:/"].iter().any(|root| value.starts_with(root));
    let inner = value.trim_start_matches(['.', '~', '/']);
    rooted && value.len() > 1 && (inner.contains(['/', '.', '\\']) || inner.len() < 16) || is_file(value)
}

pub fn is_file(value: &str) -> bool {
    value.rsplit_once('.').is_some_and(|(stem, found)| {
        words().extensions.contains(found)
            && !stem.is_empty()
            && stem.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-*\\:~$".contains(&byte))
    })
}

/// `Option<String>`, `&str`, `number[]`: the type in a declaration.
pub fn is_type(value: &str) -> bool {
    let name = value.trim_start_matches(['&', '*', '?']).trim_end_matches(['?', ';', ',', ')', '{', ']', '[']);
    let generic = name.split_once('<').is_some_and(|(outer, inner)| is_identifier(outer) && inner.ends_with('>'));
    generic
        || value.starts_with('&') && is_identifier(name)
        || words().placeholders.contains(name.to_ascii_lowercase().as_str())
}

/// Code that yields a value: `getToken(user)`, `settings.API_KEY`, `environ["X"]`, `Read-Host`.
pub fn is_expression(value: &str) -> bool {
    let value = value.trim_end_matches([';', ',']);
    let end =
        value.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_' && letter != '.' && letter != ':');
    let (head, rest) = value.split_at(end.unwrap_or(value.len()));
    let dotted = head.contains(['.', ':']) && head.split(['.', ':']).all(|part| part.is_empty() || is_identifier(part));
    is_identifier(head) && rest.starts_with(['(', '['])
        || dotted && (rest.is_empty() || rest.starts_with(['(', '[', ')', '?', '!', ' ']))
        || is_cmdlet(value)
}

/// `Get-Secret -Name X`: a PowerShell verb and noun, with arguments.
fn is_cmdlet(value: &str) -> bool {
    const VERBS: &[&str] =
        &["Get", "Read", "ConvertTo", "ConvertFrom", "New", "Import", "Invoke", "Select", "Unprotect", "Set"];
    let first = value.split_whitespace().next().unwrap_or_default();
    first.split_once('-').is_some_and(|(verb, noun)| {
        VERBS.contains(&verb)
            && noun.bytes().next().is_some_and(|byte| byte.is_ascii_uppercase())
            && noun.bytes().all(|byte| byte.is_ascii_alphabetic())
    })
}

pub fn is_identifier(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_' || first == '$')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}
