//! Secrets behind their name without an operator: `bindpw value`, `password "value"`. Flags are read in `flag`, written
//! prose in `sentence`. The weaker the separator, the more the value must look like a secret.

use std::ops::Range;

use crate::key_value::NamedSecret;
use crate::scan::{self, line_end};
use crate::secret_strength::{self, SecretClass, SecretStrength};
use crate::{flag, passphrase, secret_name, sentence};

/// `behind` is the offset after the blanks behind the name.
pub fn value(reader: &NamedSecret<'_>, behind: usize, spaced: bool) -> Option<Range<usize>> {
    if is_lookup(reader) || is_in_path(reader) || is_command_for_user(reader, behind) {
        return None;
    }
    if spaced && reader.is_flag() {
        return flag::value(reader, behind);
    }
    if spaced && flag::follows_command(reader) {
        return flag::next_word(reader, behind);
    }
    if spaced && let Some(range) = literal(reader, behind) {
        return Some(range);
    }
    // `passphrase "three mangos in the yard"`
    if spaced
        && scan::quoted(reader.text, behind).is_some()
        && let Some(range) = passphrase::at(reader, behind)
    {
        return Some(range);
    }
    if let Some(range) = asked(reader) {
        return Some(range);
    }
    if spaced
        && reader.begins_line()
        && let Some(range) = directive(reader, behind)
    {
        return Some(range);
    }
    sentence::value(reader)
}

/// `POST /forgot-password HTTP/1.1`: a component of a URL or a path has no value.
fn is_in_path(reader: &NamedSecret<'_>) -> bool {
    reader.before(1) == Some(b'/') && !reader.is_flag()
        || reader.before(1) == Some(b'/') && reader.byte(reader.name.end) == Some(b'/')
}

/// `bw get password entry`, `lpass show --password entry`: the name of an entry in a password manager follows.
fn is_lookup(reader: &NamedSecret<'_>) -> bool {
    const LOOKUPS: &[&str] = &[
        "bw get ",
        "rbw get ",
        "lpass show ",
        "pass show ",
        "gopass show ",
        "op item get ",
        "op get ",
        "op read ",
        "keepassxc-cli show ",
        "secret-tool lookup ",
        "find-generic-password ",
        "find-internet-password ",
    ];
    let before = reader.of(&(scan::line_start(reader.text, reader.name.start)..reader.name.start));
    LOOKUPS.iter().any(|lookup| {
        before.rfind(lookup).is_some_and(|at| !before.get(at..).is_some_and(|rest| rest.contains(['|', ';', '&'])))
    })
}

/// `password "value"`: in Groovy, in nginx, in fetchmail.
fn literal(reader: &NamedSecret<'_>, at: usize) -> Option<Range<usize>> {
    let range = scan::quoted(reader.text, at)?;
    let rest = reader.of(&(range.end + 1..line_end(reader.text, range.end))).trim();
    // `set system … plain-text-password-value "value"` on a router.
    let start = scan::line_start(reader.text, reader.name.start);
    let set = reader.of(&(start..reader.name.start)).trim_start().starts_with("set ");
    let alone = (reader.begins_line() || set) && matches!(rest, "" | "," | ";" | "\\" | "}" | "};");
    // `#define WIFI_PASS "60812345"`
    let digits = reader.of(&range).bytes().all(|byte| byte.is_ascii_digit());
    if alone && digits && range.len() > 5 && reader.class == SecretClass::Password && reader.fits(&range) {
        return Some(range);
    }
    let strength = secret_strength::secret_strength(reader.of(&range))?;
    let enough = if alone { strength >= SecretStrength::Word } else { strength >= SecretStrength::Chosen };
    let code = reader.of(&range).contains('=') || reader.byte(at) == Some(b'`') && strength < SecretStrength::Strong;
    if code && !alone {
        return None;
    }
    // `secret "db-credentials" not found`
    let object = reader.class == SecretClass::Secret
        && reader.of(&range).bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if object && rest.starts_with(|next: char| next.is_alphabetic()) {
        return None;
    }
    let single = !reader.of(&range).contains(' ') || alone && reader.class == SecretClass::Password;
    (enough && single && reader.fits(&range)).then_some(range)
}

/// `Passphrase? value`: typed behind a question.
fn asked(reader: &NamedSecret<'_>) -> Option<Range<usize>> {
    let rest = reader.of(&(reader.name.end..line_end(reader.text, reader.name.end)));
    let answer = rest.strip_prefix("? ")?.trim();
    let start = reader.name.end + rest.find(answer)?;
    let range = start..start + answer.len();
    let one = !answer.is_empty() && !answer.contains(char::is_whitespace);
    (one && secret_strength::secret_strength(answer) >= Some(SecretStrength::Chosen) && reader.fits(&range))
        .then_some(range)
}

/// A line of a configuration file: `bindpw value`, `auth_pass value`, `password   value`.
fn directive(reader: &NamedSecret<'_>, at: usize) -> Option<Range<usize>> {
    let line = reader.of(&(at..line_end(reader.text, at)));
    let line = line.find(" #").map_or(line, |comment| line.get(..comment).unwrap_or(line)).trim_end();
    let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let range = at..at + word.trim_end_matches(';').len();
    let word = reader.of(&range);
    let strength = secret_strength::secret_strength(word)?;
    let definite = secret_name::count(reader.name()) > 1
        || reader.name().chars().all(|letter| letter.is_ascii_lowercase()) && reader.name().len() > 4;
    let shell =
        ["pass", "passwd", "auth", "token", "secret", "credentials", "creds", "access"].contains(&reader.name());
    let column = rest.is_empty() || rest.starts_with([' ', '\t', '|']);
    let enough = match () {
        () if !column => return None,
        () if rest.is_empty() && definite && !shell => {
            strength >= SecretStrength::Soft || strength == SecretStrength::Word && is_below_user(reader)
        }
        () if rest.is_empty() && shell => {
            strength >= SecretStrength::Soft && (is_below_user(reader) || strength >= SecretStrength::Chosen)
                || strength >= SecretStrength::Strong
        }
        () => strength >= SecretStrength::Chosen,
    };
    let named = secret_name::class(word).is_some() && strength < SecretStrength::Strong;
    (enough && reader.fits(&range) && !word.ends_with([':', '=', '{', '(', ',']) && !named).then_some(range)
}

/// `passwd kim99`
fn is_command_for_user(reader: &NamedSecret<'_>, behind: usize) -> bool {
    let rest = reader.of(&(behind..line_end(reader.text, behind)));
    reader.name() == "passwd" && is_user_name(rest.trim_end()) && !is_below_user(reader)
}

/// Small letters, and perhaps a number behind them.
fn is_user_name(word: &str) -> bool {
    let stem = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
    word.len() <= 32
        && word.len() - stem.len() <= 4
        && !stem.is_empty()
        && stem.bytes().all(|byte| byte.is_ascii_lowercase() || b"_-".contains(&byte))
}

/// Whether the line above names a user or a host in the same form.
fn is_below_user(reader: &NamedSecret<'_>) -> bool {
    let Some(above) = scan::previous_line(reader.text, reader.name.start) else { return false };
    // `line vty 0 4` on a router.
    if reader.of(&above).trim_start().starts_with("line ") {
        return true;
    }
    let mut words = reader.of(&above).split_whitespace();
    let first = words.next().unwrap_or_default().to_ascii_lowercase();
    let named = [
        "user", "username", "login", "account", "host", "server", "machine", "port", "binddn", "rootdn", "email",
        "uri", "name", "hostname", "from",
    ];
    (named.iter().any(|name| first == *name) || first.contains("user") || first.ends_with("dn")) && words.count() == 1
}
