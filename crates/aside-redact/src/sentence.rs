//! Secrets in prose: `the password for the printer is value`, `Passwort value`. `sentence_context` judges the words around a
//! value.

use std::ops::Range;

use crate::key_value::{NamedSecret, is_unspaced};
use crate::passphrase;
use crate::scan::{self, line_end};
use crate::secret_strength::{self, SecretClass, SecretStrength};
use crate::sentence_context::{
    ends_sentence, has_digit_or_symbol, is_composed, is_explained, is_followed_by_code, is_for_a_while,
    is_joined_words, is_made, is_noted, is_phrase, is_pin, is_plain, is_purpose, is_reads_as, is_slashed, is_told,
};
use crate::unquoted::is_entity;
use crate::vocabulary::words;

/// Bytes and words between a name and its value.
pub const MAX_BETWEEN: usize = 80;
const MAX_WORDS: usize = 8;

/// Candidates for a link such as `is` behind one name.
const MAX_LINKS: usize = 4;

/// A secret in prose: `password for the wifi is value`, `Passwort value`.
pub fn value(reader: &NamedSecret<'_>) -> Option<Range<usize>> {
    let end =
        line_end(reader.text, reader.name.end).min(reader.text.floor_char_boundary(reader.name.end + MAX_BETWEEN));
    let after = reader.text.get(reader.name.end..end)?;
    adjacent(reader, after).or_else(|| joined(reader, after)).or_else(|| titled_pin(reader, after))
}

/// `PIN administratora 739104`: a PIN, what it opens in a word or two, and the number at the end.
fn titled_pin(reader: &NamedSecret<'_>, after: &str) -> Option<Range<usize>> {
    const COUNTED: &[&str] =
        &["version", "attempts", "retries", "length", "timeout", "expires", "since", "until", "room"];
    if !["PIN", "PUK"].contains(&reader.name()) {
        return None;
    }
    let clause = after.split([',', ';', '(']).next()?.trim_end_matches([' ', '.', '!', '\r']);
    let mut words_behind: Vec<&str> = clause.split_whitespace().collect();
    let number = words_behind.pop()?;
    let noun = |word: &&str| {
        let low = word.to_lowercase();
        word.chars().all(char::is_alphabetic)
            && !words().verbs.contains(&low)
            && !COUNTED.contains(&low.as_str())
            && (word.chars().count() <= 3 || !secret_strength::is_prose(word))
    };
    let year = number.len() == 4 && (number.starts_with("19") || number.starts_with("20"));
    let start = reader.name.end + clause.len() - number.len();
    let digits = (4..=8).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
    ((1..=3).contains(&words_behind.len()) && words_behind.iter().all(noun) && digits && !year)
        .then_some(start..start + number.len())
}

/// The next word, if it can only be a secret: `Passwort Winter2024!`.
fn adjacent(reader: &NamedSecret<'_>, after: &str) -> Option<Range<usize>> {
    let (_, link, from) = none(after)?;
    if !matches!(reader.before(1), Some(b'=' | b':' | b'/' | b',' | b'|'))
        && reader.byte(reader.name.end + from).is_some_and(|byte| byte.is_ascii_uppercase())
        && let Some(range) = passphrase::at(reader, reader.name.end + from)
    {
        return Some(range);
    }
    // `PreferredAuthentications=password host`: the name is itself a value.
    if reader.class == SecretClass::Secret {
        // `secret …;` of a name server.
        let range = word(reader, reader.name.end + from)?;
        return Some(range)
            .filter(|range| secret_strength::is_random(reader.of(range)) && reader.byte(range.end) == Some(b';'));
    }
    if reader.class == SecretClass::Token {
        let range = word(reader, reader.name.end + from)?;
        let value = reader.of(&range);
        return Some(range.clone()).filter(|_| {
            value.len() >= 24
                && secret_strength::is_random(value)
                && !value.trim_end_matches('=').contains('=')
                && (!secret_strength::is_hash(value) || is_made(reader))
                && !secret_strength::is_ordinary(value)
        });
    }
    if reader.class != SecretClass::Password || matches!(reader.before(1), Some(b'=' | b':' | b'/' | b',' | b'|')) {
        return None;
    }
    let range = word(reader, reader.name.end + from)?;
    let value = reader.of(&range);
    let ends = ends_sentence(reader, &range) || reader.text.get(range.end..).is_some_and(|rest| rest.starts_with(" ("));
    if link == NameValueLink::None && (ends || is_told_pin(reader, &range)) && is_told(reader, value) {
        return Some(range);
    }
    let weak = ["pass", "pin", "psk"].contains(&reader.name().to_ascii_lowercase().as_str());
    let least = if weak { SecretStrength::Strong } else { SecretStrength::Chosen };
    let strong = secret_strength::secret_strength(value).is_some_and(|strength| strength >= least)
        || !weak && value.ends_with('!') && is_composed(value);
    (link == NameValueLink::None
        && strong
        && has_digit_or_symbol(value)
        && !is_followed_by_code(reader, &range)
        && is_plain(value))
    .then_some(range)
}

/// `PIN 56994989 held by Ops`: a number that is not a quantity, however the sentence continues.
fn is_told_pin(reader: &NamedSecret<'_>, range: &Range<usize>) -> bool {
    const MEASURES: &[&str] = &["digit", "char", "attempt", "tries", "times", "retries", "day", "zeichen", "stellen"];
    let rest = reader.of(&(range.end..line_end(reader.text, range.end)));
    let next = rest.split_whitespace().next().unwrap_or_default().to_lowercase();
    is_pin(reader.name(), reader.of(range))
        && rest.starts_with([' ', '.', ',', ';', ')'])
        && !MEASURES.iter().any(|measure| next.starts_with(measure))
}

/// Behind a colon or a word such as `is`: the first link that has a secret behind it.
fn joined(reader: &NamedSecret<'_>, after: &str) -> Option<Range<usize>> {
    links(after).into_iter().find_map(|(between, link, from)| behind(reader, between, link, from))
}

/// `Auth Token ID: …`, `Password HMAC: …`: something else about it.
const ABOUT: &[&str] = &[
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
    "primaria",
    "foránea",
    "foranea",
    "pública",
    "publica",
    "única",
    "principal",
    "externa",
];

fn behind(reader: &NamedSecret<'_>, between: &str, link: NameValueLink, from: usize) -> Option<Range<usize>> {
    let at = scan::blank(reader.text, reader.name.end + from);
    let joins = link == NameValueLink::Copula || link == NameValueLink::Colon && is_purpose(between);
    if joins
        && (between.trim().is_empty() || is_purpose(between) || is_titled(between))
        && let Some(range) = passphrase::at(reader, at)
    {
        return Some(range);
    }
    let quoted = scan::quoted(reader.text, at);
    let in_quotes = quoted.is_some();
    let range = quoted.or_else(|| word(reader, at))?;
    let value = reader.of(&range);
    let direct = between.trim().is_empty();
    if between.split_whitespace().next().is_some_and(|word| ABOUT.contains(&word.to_ascii_lowercase().as_str())) {
        return None;
    }
    // `PIN do alarmu: 4821`
    let near = between.split_whitespace().count() <= 3 && ends_sentence(reader, &range);
    // `pin the version to 4711`
    let object = between.split_whitespace().next().is_some_and(|first| ["the", "a", "this", "it"].contains(&first));
    let verb =
        reader.name() == "pin" && object && reader.of(&(reader.name.end..reader.name.end + from)).ends_with(" to ");
    if (direct || near) && !verb && link != NameValueLink::None && is_pin(reader.name(), value) {
        return Some(range);
    }
    if link == NameValueLink::Copula && direct && reader.class == SecretClass::Password && is_slashed(value) {
        return Some(range).filter(|range| ends_sentence(reader, range));
    }
    let strength = secret_strength::secret_strength(value)?;
    // A verb more often than a name.
    if ["pass", "passes", "pin", "key"].contains(&reader.name().to_ascii_lowercase().as_str())
        && (strength < SecretStrength::Strong || !direct)
    {
        return None;
    }
    let join = Joined { between, link, from, in_quotes, near };
    let enough = is_enough(reader, &join, &range, strength);
    let fits = match reader.class {
        SecretClass::Password => true,
        SecretClass::Secret | SecretClass::Token => {
            secret_strength::is_token(value) && !secret_strength::is_expression(value)
        }
        SecretClass::Random => secret_strength::is_random(value) && direct && !secret_strength::is_hash(value),
    };
    (enough && fits && is_plain(value)).then_some(range)
}

/// How a value is joined to its name.
struct Joined<'j> {
    /// The text before the link.
    between: &'j str,
    link: NameValueLink,
    /// The offset of the value from the end of the name.
    from: usize,
    in_quotes: bool,
    /// The value is the end of a sentence, and few words are between.
    near: bool,
}

/// Whether the value is strong enough for the way in which it is joined to its name.
fn is_enough(reader: &NamedSecret<'_>, join: &Joined<'_>, range: &Range<usize>, strength: SecretStrength) -> bool {
    let Joined { between, link, from, in_quotes, near } = *join;
    let (value, direct) = (reader.of(range), between.trim().is_empty());
    match link {
        // A quoted word behind `is`.
        NameValueLink::Copula if direct && in_quotes => {
            strength >= SecretStrength::Word && !value.contains(' ') && value.len() > 3
        }
        // `is correct-horse-battery.`
        NameValueLink::Copula
            if direct && is_phrase(value) && (ends_sentence(reader, range) || is_for_a_while(reader, range)) =>
        {
            true
        }
        NameValueLink::Copula if direct && reader.class == SecretClass::Password && is_composed(value) => true,
        _ if reader.class == SecretClass::Password && is_explained(reader, between, link, from, range) => true,
        NameValueLink::Copula if is_phrase(value) && is_purpose(between) && ends_sentence(reader, range) => true,
        // `le mot de passe root de la baie est chaussette-verte`
        NameValueLink::Copula
            if reader.class == SecretClass::Password
                && (direct || is_titled(between))
                && is_joined_words(value)
                && ends_sentence(reader, range) =>
        {
            true
        }
        NameValueLink::Colon
            if near && reader.class == SecretClass::Password && reader.begins_line() && is_composed(value) =>
        {
            true
        }
        // `我的密码是rosebud`: letters of another script are the value.
        NameValueLink::Copula | NameValueLink::Colon
            if direct
                && reader.class == SecretClass::Password
                && reader.name().starts_with(is_unspaced)
                && value.len() >= 5
                && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
                && ends_sentence(reader, range) =>
        {
            !secret_strength::is_prose(value)
        }
        // `Kennwort für den PC: Wort`
        NameValueLink::Colon if reader.class == SecretClass::Password && is_noted(reader, between, range) => true,
        // `lautet` and similar verbs only join a name and its value.
        NameValueLink::Copula
            if (direct || is_purpose(between))
                && reader.class == SecretClass::Password
                && ends_sentence(reader, range)
                && is_reads_as(reader, from) =>
        {
            !secret_strength::is_prose(value)
        }
        NameValueLink::Copula | NameValueLink::Colon => strength >= SecretStrength::Chosen,
        NameValueLink::None => false,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameValueLink {
    Copula,
    Colon,
    /// The value is the next word.
    None,
}

/// Possible links between a name and its value: the text before the link, its kind, and the offset of the value from
/// the end of the name.
fn links(after: &str) -> Vec<(&str, NameValueLink, usize)> {
    // The end of a sentence, a question or a list ends the search.
    let stop = after.find(['?', ';', '"', '{', '(', '<', '|', '\n', ']', ')', '}', '`']).unwrap_or(after.len());
    let stop = after.find(". ").map_or(stop, |dot| dot.min(stop));
    let searched = after.get(..stop).unwrap_or_default();
    let copulas =
        words().copulas.all(searched).into_iter().map(|found| (found.start, found.len(), NameValueLink::Copula));
    let colons = searched.match_indices(": ").map(|(at, _)| (at, 2, NameValueLink::Colon));
    let mut links: Vec<(usize, usize, NameValueLink)> = copulas.chain(colons).collect();
    links.sort_by_key(|(at, length, _)| (*at, usize::MAX - length));
    let near = |(at, length, link): (usize, usize, NameValueLink)| {
        let between = after.get(..at)?;
        let far = between.split_whitespace().count() > MAX_WORDS || between.contains(", ") && between.len() > 20;
        (!far).then_some((between, link, at + length))
    };
    links.into_iter().filter_map(near).take(MAX_LINKS).collect()
}

/// ` da chave ssh do bastion`: a few words that say which one is meant.
fn is_titled(between: &str) -> bool {
    between.split_whitespace().count() <= 6 && !between.contains([',', ':', '(', '"'])
}

fn none(after: &str) -> Option<(&str, NameValueLink, usize)> {
    let unspaced = after.starts_with(|first: char| first.is_ascii_graphic() && !first.is_ascii_punctuation());
    let blank = after.len() - after.trim_start_matches([' ', '\t', '\u{3000}']).len();
    (unspaced || blank > 0 && blank < 4).then_some(("", NameValueLink::None, blank))
}

/// The word at `at`, without punctuation around it.
fn word(reader: &NamedSecret<'_>, at: usize) -> Option<Range<usize>> {
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
