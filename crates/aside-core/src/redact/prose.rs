//! Secrets behind their name without an operator: `--password value`, `bindpw value`, `password "value"`, and what people
//! write to each other: `the password for the printer is value`. The less stands between, the more the value has to look
//! like a secret.

use std::ops::Range;

use crate::redact::key_value::{Reader, is_entity, is_unspaced};
use crate::redact::placeholder::{is_label, is_placeholder, is_secret_name};
use crate::redact::scan::{self, line_end};
use crate::redact::value::{self, Class, Strength};
use crate::redact::vocabulary::words;
use crate::redact::{name, placeholder};

/// Bytes and words between a name and its value in a sentence.
const MAX_BETWEEN: usize = 80;
const MAX_WORDS: usize = 8;

/// Words such as `is` behind one name.
const MAX_LINKS: usize = 4;

/// Bytes before a name in which a command is looked for that takes the name and its value as two words.
const MAX_COMMAND: usize = 60;

/// `behind` is where the blanks end behind the name.
pub fn value(reader: &Reader<'_>, behind: usize, spaced: bool) -> Option<Range<usize>> {
    if spaced && reader.is_flag() {
        return flag(reader, behind);
    }
    if spaced && follows_command(reader) {
        return next_word(reader, behind);
    }
    if spaced && let Some(range) = literal(reader, behind) {
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
    sentence(reader)
}

/// `--password value`, `-storepass value`. In a page of help the same words stand before a description.
fn flag(reader: &Reader<'_>, at: usize) -> Option<Range<usize>> {
    let name = reader.name();
    let flag = name.trim_start_matches('-');
    let dashes = name.len() - flag.len();
    // `-pmypassword` is `-p` and its value.
    let glued = dashes == 1
        && flag.starts_with('p')
        && !["pass", "pwd", "psk", "pw"].iter().any(|start| flag.to_ascii_lowercase().starts_with(start));
    if flag.len() < 2 || glued || dashes > 2 {
        return None;
    }
    let range = next_word(reader, at)?;
    let word = reader.of(&range);
    let rest = reader.of(&(range.end..line_end(reader.text, range.end)));
    let help = reader.begins_line()
        && rest.split_whitespace().count() > 1
        && !rest.trim_end().ends_with('\\')
        && !rest.contains(" -");
    let strength = value::strength(word);
    let metavariable =
        word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_') && name::class(word).is_some();
    (!(metavariable || help && strength < Some(Strength::Chosen))).then_some(range)
}

/// `set -x NAME value`, `setx NAME value`, `ENV NAME value`, `config set name value`
fn follows_command(reader: &Reader<'_>) -> bool {
    let from = reader.text.ceil_char_boundary(reader.name.start.saturating_sub(MAX_COMMAND));
    let before = reader.of(&(from..reader.name.start));
    let before = before.rsplit(['\n', ';', '|']).next().unwrap_or_default();
    if !before.ends_with([' ', '\t', ':', '"', '\'']) {
        return false;
    }
    let mut words = before.split_whitespace().rev().peekable();
    let mut flags = 0;
    while words.next_if(|word| word.starts_with('-') || word.contains("//")).is_some() {
        flags += 1;
    }
    // `set app:NAME value`
    let scoped = words.next_if(|word| word.ends_with(':')).is_some();
    let Some(word) = words.next() else { return false };
    match word {
        "set" if scoped => true,
        "setx" | "ENV" | "setenv" => words.next().is_none_or(|before| before.ends_with(['$', '#', '>', '+', '%'])),
        "env:set" | "set-env" => true,
        "set" => {
            flags > 0
                || words.next().is_some_and(|before| {
                    [
                        "config",
                        "configure",
                        "secrets",
                        "secret",
                        "variable",
                        "variables",
                        "user-secrets",
                        "env",
                        "configuration",
                    ]
                    .contains(&before)
                })
        }
        // `cf set-env app NAME value`
        _ => words.next() == Some("set-env"),
    }
}

/// The next word, as an argument of a program.
fn next_word(reader: &Reader<'_>, at: usize) -> Option<Range<usize>> {
    let range = match scan::quoted(reader.text, at) {
        Some(range) => range,
        None => {
            let line = reader.of(&(at..line_end(reader.text, at)));
            let stops = |letter: char| letter.is_whitespace() || "\"'`;|<>)]".contains(letter);
            let mut end = line.find(stops).unwrap_or(line.len());
            // `a&b` is a word of cmd.exe, `a &` the end of a command of a shell.
            if line.get(..end).is_some_and(|word| word.ends_with('&')) {
                end -= 1;
            }
            at..at + end
        }
    };
    let word = reader.of(&range);
    // `--passphrase "several words of any script"`
    if range.start > at && reader.is_flag() && reader.class == Class::Password && value::is_passphrase(word) {
        return Some(range);
    }
    let number = word.bytes().all(|byte| byte.is_ascii_digit()) && word.len() < 4;
    let other = word.starts_with("--")
        || word.starts_with('-') && reader.byte(at) == Some(b'-')
        || number
        // `/v Password /t REG_SZ`
        || word.starts_with('/') && word.len() < 4
        || value::is_prose(word)
        || value::is_path(word)
        || word.starts_with("pass:")
        || name::is_action(reader.name().trim_start_matches('-')) && value::strength(word) < Some(Strength::Chosen);
    // `--secret id=npmrc,src=…`
    let parts =
        word.split_once('=').is_some_and(|(name, _)| ["id", "type", "source", "src", "name", "env"].contains(&name));
    let fits = match reader.class {
        Class::Password => value::fits(Class::Password, word),
        Class::Secret => {
            value::fits(Class::Secret, word) && value::strength(word) >= Some(Strength::Soft) && !is_secret_name(word)
        }
        Class::Token => {
            value::fits(Class::Token, word) || value::strength(word) >= Some(Strength::Soft) && !is_secret_name(word)
        }
        Class::Random => value::fits(Class::Random, word),
    };
    (!other && !parts && fits && !is_label(word)).then_some(range)
}

/// `password "value"`: in Groovy, in nginx, in fetchmail.
fn literal(reader: &Reader<'_>, at: usize) -> Option<Range<usize>> {
    let range = scan::quoted(reader.text, at)?;
    let rest = reader.of(&(range.end + 1..line_end(reader.text, range.end))).trim();
    let alone = reader.begins_line() && matches!(rest, "" | "," | ";" | "\\" | "}" | "};");
    // `#define WIFI_PASS "60812345"`
    let digits = reader.of(&range).bytes().all(|byte| byte.is_ascii_digit());
    if alone && digits && range.len() > 5 && reader.class == Class::Password && reader.fits(&range) {
        return Some(range);
    }
    let strength = value::strength(reader.of(&range))?;
    let enough = if alone { strength >= Strength::Word } else { strength >= Strength::Chosen };
    let code = reader.of(&range).contains('=') || reader.byte(at) == Some(b'`') && strength < Strength::Strong;
    if code && !alone {
        return None;
    }
    // `secret "db-credentials" not found`
    let object = reader.class == Class::Secret
        && reader.of(&range).bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if object && rest.starts_with(|next: char| next.is_alphabetic()) {
        return None;
    }
    let single = !reader.of(&range).contains(' ') || alone && reader.class == Class::Password;
    (enough && single && reader.fits(&range)).then_some(range)
}

/// `Passphrase? value`: what was typed behind a question.
fn asked(reader: &Reader<'_>) -> Option<Range<usize>> {
    let rest = reader.of(&(reader.name.end..line_end(reader.text, reader.name.end)));
    let answer = rest.strip_prefix("? ")?.trim();
    let start = reader.name.end + rest.find(answer)?;
    let range = start..start + answer.len();
    let one = !answer.is_empty() && !answer.contains(char::is_whitespace);
    (one && value::strength(answer) >= Some(Strength::Chosen) && reader.fits(&range)).then_some(range)
}

/// A line of a configuration file: `bindpw value`, `auth_pass value`, `password   value`.
fn directive(reader: &Reader<'_>, at: usize) -> Option<Range<usize>> {
    let line = reader.of(&(at..line_end(reader.text, at)));
    let line = line.find(" #").map_or(line, |comment| line.get(..comment).unwrap_or(line)).trim_end();
    let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let range = at..at + word.trim_end_matches(';').len();
    let word = reader.of(&range);
    let strength = value::strength(word)?;
    let definite = name::count(reader.name()) > 1
        || reader.name().chars().all(|letter| letter.is_ascii_lowercase()) && reader.name().len() > 4;
    let shell =
        ["pass", "passwd", "auth", "token", "secret", "credentials", "creds", "access"].contains(&reader.name());
    let column = rest.is_empty() || rest.starts_with([' ', '\t', '|']);
    let enough = match () {
        () if !column => return None,
        () if rest.is_empty() && definite && !shell => {
            strength >= Strength::Soft || strength == Strength::Word && is_below_user(reader)
        }
        () if rest.is_empty() && shell => {
            strength >= Strength::Soft && (is_below_user(reader) || strength >= Strength::Chosen)
                || strength >= Strength::Strong
        }
        () => strength >= Strength::Chosen,
    };
    let named = name::class(word).is_some() && strength < Strength::Strong;
    (enough && reader.fits(&range) && !word.ends_with([':', '=', '{', '(', ',']) && !named).then_some(range)
}

/// The line above names a user or a host, in the same way.
fn is_below_user(reader: &Reader<'_>) -> bool {
    let Some(above) = scan::previous_line(reader.text, reader.name.start) else { return false };
    // `line vty 0 4` of a router.
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

/// What people write: `password for the wifi is value`, `Passwort value`.
fn sentence(reader: &Reader<'_>) -> Option<Range<usize>> {
    let end =
        line_end(reader.text, reader.name.end).min(reader.text.floor_char_boundary(reader.name.end + MAX_BETWEEN));
    let after = reader.text.get(reader.name.end..end)?;
    adjacent(reader, after).or_else(|| joined(reader, after))
}

/// The next word, if it can be nothing else: `Passwort Winter2024!`.
fn adjacent(reader: &Reader<'_>, after: &str) -> Option<Range<usize>> {
    let (_, link, from) = none(after)?;
    // `PreferredAuthentications=password host`: the name is a value itself.
    if reader.class == Class::Secret {
        // `secret …;` of a name server.
        let range = word(reader, reader.name.end + from)?;
        return Some(range).filter(|range| value::is_random(reader.of(range)) && reader.byte(range.end) == Some(b';'));
    }
    if reader.class == Class::Token {
        let range = word(reader, reader.name.end + from)?;
        let value = reader.of(&range);
        return Some(range.clone()).filter(|_| {
            value.len() >= 24
                && value::is_random(value)
                && !value.trim_end_matches('=').contains('=')
                && (!value::is_hash(value) || is_made(reader))
                && !value::is_ordinary(value)
        });
    }
    if reader.class != Class::Password || matches!(reader.before(1), Some(b'=' | b':' | b'/' | b',' | b'|')) {
        return None;
    }
    let range = word(reader, reader.name.end + from)?;
    let value = reader.of(&range);
    let weak = ["pass", "pin", "psk"].contains(&reader.name().to_ascii_lowercase().as_str());
    let least = if weak { Strength::Strong } else { Strength::Chosen };
    let strong = value::strength(value).is_some_and(|strength| strength >= least)
        || !weak && value.ends_with('!') && is_composed(value);
    (link == Link::None
        && strong
        && has_digit_or_symbol(value)
        && !is_followed_by_code(reader, &range)
        && is_plain(value))
    .then_some(range)
}

/// `created token …`, `your token …`: what follows is one, even if it looks like a hash.
fn is_made(reader: &Reader<'_>) -> bool {
    const MADE: &[&str] =
        &["new", "created", "generated", "issued", "your", "received", "got", "obtained", "using", "with"];
    let from = reader.text.ceil_char_boundary(reader.name.start.saturating_sub(MAX_BETWEEN));
    let before = reader.of(&(from..reader.name.start));
    before.split_whitespace().next_back().is_some_and(|word| MADE.contains(&word.to_ascii_lowercase().as_str()))
}

/// Nothing that says that it is none.
fn is_plain(value: &str) -> bool {
    // `spec=True`, `call(`
    !value.contains('=')
        && !value.ends_with('(')
        && !value.contains("](")
        && !value.starts_with('-')
        && !is_placeholder(value)
        && !is_label(value)
        && !value::is_prose(value)
        && !is_secret_name(value)
        && (name::class(value).is_none() || value::strength(value) == Some(Strength::Strong))
        && !placeholder::is_crypt_hash(value)
}

/// Behind a colon or a word such as `is`: the first of them that has a secret behind it.
fn joined(reader: &Reader<'_>, after: &str) -> Option<Range<usize>> {
    links(after).into_iter().find_map(|(between, link, from)| behind(reader, between, link, from))
}

fn behind(reader: &Reader<'_>, between: &str, link: Link, from: usize) -> Option<Range<usize>> {
    let at = scan::blank(reader.text, reader.name.end + from);
    let quoted = scan::quoted(reader.text, at);
    let in_quotes = quoted.is_some();
    let range = quoted.or_else(|| word(reader, at))?;
    let value = reader.of(&range);
    let direct = between.trim().is_empty();
    // `Auth Token ID: …`, `Password HMAC: …`: something else about it.
    let about = [
        "id",
        "hmac",
        "hash",
        "accessor",
        "type",
        "ttl",
        "expiration",
        "expires",
        "policies",
        "length",
        "name",
        "file",
        "path",
        "count",
        "date",
        "age",
        "url",
        "host",
        "user",
        "username",
        "status",
        "fingerprint",
        "digest",
        "version",
        "ids",
        "field",
        "format",
        "checksum",
        "sha256",
        "prefix",
        "scope",
        "scopes",
    ];
    if between.split_whitespace().next().is_some_and(|word| about.contains(&word.to_ascii_lowercase().as_str())) {
        return None;
    }
    // `PIN do alarmu: 4821`
    let near = link == Link::Colon && between.split_whitespace().count() <= 3 && ends_sentence(reader, &range);
    if (direct || near) && link != Link::None && is_pin(reader.name(), value) {
        return Some(range);
    }
    let strength = value::strength(value)?;
    // A verb more often than a name.
    if ["pass", "passes", "pin", "key"].contains(&reader.name().to_ascii_lowercase().as_str())
        && (strength < Strength::Strong || !direct)
    {
        return None;
    }
    let enough = match link {
        // A word in quotes behind `is`.
        Link::Copula if direct && in_quotes => strength >= Strength::Word && !value.contains(' ') && value.len() > 3,
        // `is correct-horse-battery.`
        Link::Copula if direct && is_phrase(value) && ends_sentence(reader, &range) => true,
        Link::Copula if direct && reader.class == Class::Password && is_composed(value) => true,
        Link::Colon if near && reader.class == Class::Password && reader.begins_line() && is_composed(value) => true,
        // `lautet` and its like join nothing but a name and its value.
        Link::Copula
            if direct
                && reader.class == Class::Password
                && ends_sentence(reader, &range)
                && is_reads_as(reader, from) =>
        {
            !value::is_prose(value)
        }
        Link::Copula | Link::Colon => strength >= Strength::Chosen,
        Link::None => false,
    };
    let fits = match reader.class {
        Class::Password => true,
        Class::Secret | Class::Token => value::is_token(value) && !value::is_expression(value),
        Class::Random => value::is_random(value) && direct && !value::is_hash(value),
    };
    (enough && fits && is_plain(value)).then_some(range)
}

/// Three or more words as one, none of which belongs to an adjective such as `up-to-date`.
fn is_phrase(value: &str) -> bool {
    const GLUE: &[&str] = &[
        "to", "of", "the", "up", "in", "on", "by", "end", "date", "time", "non", "and", "or", "a", "for", "per", "well",
    ];
    let words: Vec<&str> = value.trim_end_matches(['.', ',', '!']).split(['-', '_', '.']).collect();
    words.len() > 2
        && words.iter().all(|word| word.len() > 1 && word.chars().all(char::is_alphabetic))
        && !words.iter().any(|word| GLUE.contains(word))
}

/// `GießkanneRot!`, `Blaue_Blume`, `Zielony.Kot`: words as one that no sentence writes so.
fn is_composed(value: &str) -> bool {
    let parts: Vec<&str> = value.trim_end_matches(['!', '?']).split(['-', '_', '.']).collect();
    let capital = |part: &&str| part.chars().next().is_some_and(char::is_uppercase);
    const ADJECTIVES: &[&str] =
        &["case", "sensitive", "self", "multi", "only", "auto", "read", "single", "two", "basic"];
    if parts.iter().any(|part| ADJECTIVES.contains(&part.to_lowercase().as_str())) {
        return false;
    }
    let words = parts.iter().all(|part| part.chars().count() > 1 && part.chars().all(char::is_alphabetic));
    let inner = value.chars().zip(value.chars().skip(1)).any(|(one, two)| one.is_lowercase() && two.is_uppercase());
    words
        && (parts.len() > 1 && (value.contains('_') || parts.iter().filter(|part| capital(part)).count() > 1)
            || inner && value.ends_with('!'))
}

/// The verb before the value is one that only quotes: `lautet`, `brzmi`.
fn is_reads_as(reader: &Reader<'_>, from: usize) -> bool {
    let link = reader.of(&(reader.name.end..reader.name.end + from));
    ["lautet ", "brzmi ", "luidt ", "lyder ", "jetzt ", "teraz "].iter().any(|verb| link.ends_with(verb))
        && !link.ends_with(" ist jetzt ")
        && !link.ends_with(" jest teraz ")
}

fn ends_sentence(reader: &Reader<'_>, range: &Range<usize>) -> bool {
    let rest = reader.of(&(range.end..line_end(reader.text, range.end)));
    // Behind a name in a script without blanks the verb follows: `パスワードは … です`.
    rest.trim_start().starts_with(is_unspaced)
        || rest.trim_matches(['.', ',', '!', ';', ')', '"', '\'', '`', ' ']).is_empty()
        || rest.starts_with([',', ';', '.'])
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    Copula,
    Colon,
    /// The value is the next word.
    None,
}

/// What may join a name and its value: what stands before it, what it is, and where the value begins, from the end of the
/// name.
fn links(after: &str) -> Vec<(&str, Link, usize)> {
    // A sentence, a question or a list ends the search.
    let stop = after.find(['?', ';', '"', '{', '(', '<', '|', '\n', ']', ')', '}', '`']).unwrap_or(after.len());
    let stop = after.find(". ").map_or(stop, |dot| dot.min(stop));
    let searched = after.get(..stop).unwrap_or_default();
    let copulas = words().copulas.all(searched).into_iter().map(|found| (found.start, found.len(), Link::Copula));
    let colons = searched.match_indices(": ").map(|(at, _)| (at, 2, Link::Colon));
    let mut links: Vec<(usize, usize, Link)> = copulas.chain(colons).collect();
    links.sort_by_key(|(at, length, _)| (*at, usize::MAX - length));
    let near = |(at, length, link): (usize, usize, Link)| {
        let between = after.get(..at)?;
        let far = between.split_whitespace().count() > MAX_WORDS || between.contains(", ") && between.len() > 20;
        (!far).then_some((between, link, at + length))
    };
    links.into_iter().filter_map(near).take(MAX_LINKS).collect()
}

fn none(after: &str) -> Option<(&str, Link, usize)> {
    let unspaced = after.starts_with(|first: char| first.is_ascii_graphic() && !first.is_ascii_punctuation());
    let blank = after.len() - after.trim_start_matches([' ', '\t', '\u{3000}']).len();
    (unspaced || blank > 0 && blank < 4).then_some(("", Link::None, blank))
}

/// The word at `at`, without the marks of a sentence around it.
fn word(reader: &Reader<'_>, at: usize) -> Option<Range<usize>> {
    let rest = reader.of(&(at..line_end(reader.text, at)));
    let opening = rest.len() - rest.trim_start_matches(['(', '[', '*', '"', '\'', '`', '<', '_']).len();
    let inner = rest.get(opening..)?;
    let stops =
        |letter: char| letter.is_whitespace() || is_unspaced(letter) || "，。、；（）「」\"`<>".contains(letter);
    let mut end = inner.find(stops).unwrap_or(inner.len());
    for stop in ["\\n", "\\r"] {
        end = inner.get(..end)?.find(stop).unwrap_or(end);
    }
    if let Some(entity) =
        inner.get(..end)?.match_indices('&').map(|(at, _)| at).find(|at| inner.get(at + 1..).is_some_and(is_entity))
    {
        end = entity;
    }
    let word = inner.get(..end)?.trim_end_matches(['.', ',', ';', ':', ')', ']', '\'', '*', '_', '}']);
    let start = at + opening;
    (!word.is_empty()).then_some(start..start + word.len())
}

/// `PIN is 4711`
fn is_pin(name: &str, value: &str) -> bool {
    let named = name.eq_ignore_ascii_case("pin")
        || name.eq_ignore_ascii_case("puk")
        || name.to_ascii_lowercase().ends_with("code")
        || name.ends_with("暗証番号");
    named && (4..=8).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit())
}

fn has_digit_or_symbol(value: &str) -> bool {
    let digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let name = value.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte));
    // `password field2`, `password step_3`: a name with a number behind it.
    let numbered = name
        && value.trim_end_matches(|letter: char| letter.is_ascii_digit()).bytes().all(|byte| !byte.is_ascii_digit())
        && value.bytes().filter(u8::is_ascii_digit).count() == 1;
    // `fs-ist01`: a host.
    let host = name
        && value.contains('-')
        && value.trim_end_matches(|letter: char| letter.is_ascii_digit()).bytes().all(|byte| !byte.is_ascii_digit());
    (digit && !numbered && !host) || value.contains(['!', '@', '#', '$', '%', '^', '&', '*'])
}

fn is_followed_by_code(reader: &Reader<'_>, range: &Range<usize>) -> bool {
    matches!(reader.byte(range.end), Some(b':' | b'=' | b'(' | b'[' | b'{' | b'>'))
}
