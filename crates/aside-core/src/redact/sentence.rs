//! Secrets in prose: `the password for the printer is value`, `Passwort value`. `wording` judges the words around a
//! value.

use std::ops::Range;

use crate::redact::key_value::{Reader, is_unspaced};
use crate::redact::phrase;
use crate::redact::scan::{self, line_end};
use crate::redact::unquoted::is_entity;
use crate::redact::value::{self, Class, Strength};
use crate::redact::vocabulary::words;
use crate::redact::wording::{
    ends_sentence, has_digit_or_symbol, is_composed, is_explained, is_followed_by_code, is_for_a_while,
    is_joined_words, is_made, is_noted, is_phrase, is_pin, is_plain, is_purpose, is_reads_as, is_slashed, is_told,
};

/// Bytes and words between a name and its value.
pub const MAX_BETWEEN: usize = 80;
const MAX_WORDS: usize = 8;

/// Candidates for a link such as `is` behind one name.
const MAX_LINKS: usize = 4;

/// A secret in prose: `password for the wifi is value`, `Passwort value`.
pub fn value(reader: &Reader<'_>) -> Option<Range<usize>> {
    let end =
        line_end(reader.text, reader.name.end).min(reader.text.floor_char_boundary(reader.name.end + MAX_BETWEEN));
    let after = reader.text.get(reader.name.end..end)?;
    adjacent(reader, after).or_else(|| joined(reader, after)).or_else(|| titled_pin(reader, after))
}

/// `PIN administratora 739104`: a PIN, what it opens in a word or two, and the number at the end.
fn titled_pin(reader: &Reader<'_>, after: &str) -> Option<Range<usize>> {
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
            && (word.chars().count() <= 3 || !value::is_prose(word))
    };
    let year = number.len() == 4 && (number.starts_with("19") || number.starts_with("20"));
    let start = reader.name.end + clause.len() - number.len();
    let digits = (4..=8).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
    ((1..=3).contains(&words_behind.len()) && words_behind.iter().all(noun) && digits && !year)
        .then_some(start..start + number.len())
}

/// The next word, if it can only be a secret: `Passwort Winter2024!`.
fn adjacent(reader: &Reader<'_>, after: &str) -> Option<Range<usize>> {
    let (_, link, from) = none(after)?;
    if !matches!(reader.before(1), Some(b'=' | b':' | b'/' | b',' | b'|'))
        && reader.byte(reader.name.end + from).is_some_and(|byte| byte.is_ascii_uppercase())
        && let Some(range) = phrase::at(reader, reader.name.end + from)
    {
        return Some(range);
    }
    // `PreferredAuthentications=password host`: the name is itself a value.
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
    let ends = ends_sentence(reader, &range) || reader.text.get(range.end..).is_some_and(|rest| rest.starts_with(" ("));
    if link == Link::None && (ends || is_told_pin(reader, &range)) && is_told(reader, value) {
        return Some(range);
    }
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

/// `PIN 56994989 held by Ops`: a number that is not a quantity, however the sentence continues.
fn is_told_pin(reader: &Reader<'_>, range: &Range<usize>) -> bool {
    const MEASURES: &[&str] = &["digit", "char", "attempt", "tries", "times", "retries", "day", "zeichen", "stellen"];
    let rest = reader.of(&(range.end..line_end(reader.text, range.end)));
    let next = rest.split_whitespace().next().unwrap_or_default().to_lowercase();
    is_pin(reader.name(), reader.of(range))
        && rest.starts_with([' ', '.', ',', ';', ')'])
        && !MEASURES.iter().any(|measure| next.starts_with(measure))
}

/// Behind a colon or a word such as `is`: the first link that has a secret behind it.
fn joined(reader: &Reader<'_>, after: &str) -> Option<Range<usize>> {
    links(after).into_iter().find_map(|(between, link, from)| behind(reader, between, link, from))
}

fn behind(reader: &Reader<'_>, between: &str, link: Link, from: usize) -> Option<Range<usize>> {
    let at = scan::blank(reader.text, reader.name.end + from);
    let joins = link == Link::Copula || link == Link::Colon && is_purpose(between);
    if joins
        && (between.trim().is_empty() || is_purpose(between) || is_titled(between))
        && let Some(range) = phrase::at(reader, at)
    {
        return Some(range);
    }
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
        "primaria",
        "foránea",
        "foranea",
        "pública",
        "publica",
        "única",
        "principal",
        "externa",
    ];
    if between.split_whitespace().next().is_some_and(|word| about.contains(&word.to_ascii_lowercase().as_str())) {
        return None;
    }
    // `PIN do alarmu: 4821`
    let near = between.split_whitespace().count() <= 3 && ends_sentence(reader, &range);
    // `pin the version to 4711`
    let object = between.split_whitespace().next().is_some_and(|first| ["the", "a", "this", "it"].contains(&first));
    let verb =
        reader.name() == "pin" && object && reader.of(&(reader.name.end..reader.name.end + from)).ends_with(" to ");
    if (direct || near) && !verb && link != Link::None && is_pin(reader.name(), value) {
        return Some(range);
    }
    if link == Link::Copula && direct && reader.class == Class::Password && is_slashed(value) {
        return Some(range).filter(|range| ends_sentence(reader, range));
    }
    let strength = value::strength(value)?;
    // A verb more often than a name.
    if ["pass", "passes", "pin", "key"].contains(&reader.name().to_ascii_lowercase().as_str())
        && (strength < Strength::Strong || !direct)
    {
        return None;
    }
    let enough = match link {
        // A quoted word behind `is`.
        Link::Copula if direct && in_quotes => strength >= Strength::Word && !value.contains(' ') && value.len() > 3,
        // `is correct-horse-battery.`
        Link::Copula
            if direct && is_phrase(value) && (ends_sentence(reader, &range) || is_for_a_while(reader, &range)) =>
        {
            true
        }
        Link::Copula if direct && reader.class == Class::Password && is_composed(value) => true,
        _ if reader.class == Class::Password && is_explained(reader, between, link, from, &range) => true,
        Link::Copula if is_phrase(value) && is_purpose(between) && ends_sentence(reader, &range) => true,
        // `le mot de passe root de la baie est chaussette-verte`
        Link::Copula
            if reader.class == Class::Password
                && (direct || is_titled(between))
                && is_joined_words(value)
                && ends_sentence(reader, &range) =>
        {
            true
        }
        Link::Colon if near && reader.class == Class::Password && reader.begins_line() && is_composed(value) => true,
        // `Kennwort für den PC: Wort`
        Link::Colon if reader.class == Class::Password && is_noted(reader, between, &range) => true,
        // `lautet` and similar verbs only join a name and its value.
        Link::Copula
            if (direct || is_purpose(between))
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    Copula,
    Colon,
    /// The value is the next word.
    None,
}

/// Possible links between a name and its value: the text before the link, its kind, and the offset of the value from
/// the end of the name.
fn links(after: &str) -> Vec<(&str, Link, usize)> {
    // The end of a sentence, a question or a list ends the search.
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

/// ` da chave ssh do bastion`: a few words that say which one is meant.
fn is_titled(between: &str) -> bool {
    between.split_whitespace().count() <= 6 && !between.contains([',', ':', '(', '"'])
}

fn none(after: &str) -> Option<(&str, Link, usize)> {
    let unspaced = after.starts_with(|first: char| first.is_ascii_graphic() && !first.is_ascii_punctuation());
    let blank = after.len() - after.trim_start_matches([' ', '\t', '\u{3000}']).len();
    (unspaced || blank > 0 && blank < 4).then_some(("", Link::None, blank))
}

/// The word at `at`, without punctuation around it.
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
