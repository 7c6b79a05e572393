//! What the words around a value, and the value itself, say in a sentence: whether it is given as a password,
//! explained, or part of the sentence.

use std::ops::Range;

use crate::key_value::{NamedSecret, is_unspaced};
use crate::placeholder::{is_label, is_placeholder, is_secret_name};
use crate::scan::{self, line_end};
use crate::secret_strength::{self, SecretClass, SecretStrength};
use crate::sentence::{MAX_BETWEEN, NameValueLink};
use crate::vocabulary::words;
use crate::{classifier, placeholder, secret_name};

/// `Alarm PIN 6612`, `user bob, password value`, `smtp pw value`: the words before the name leave no doubt.
pub fn is_told(reader: &NamedSecret<'_>, value: &str) -> bool {
    // Words about passwords in general.
    const ABOUT: &[&str] = &[
        "link", "page", "form", "screen", "dialog", "box", "hint", "hashes", "reset", "expiry", "managers", "rotation",
    ];
    let name = reader.name().to_lowercase();
    let number = value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    if number {
        let shouted = !reader.name().bytes().any(|byte| byte.is_ascii_lowercase());
        return is_pin(reader.name(), value)
            && (shouted || name == "passcode" || name.contains([' ', '-']) || !name.is_ascii());
    }
    let word = value.chars().count() >= 4
        && secret_strength::fits(SecretClass::Password, value)
        && !secret_strength::is_prose(value)
        && !ABOUT.contains(&value.to_lowercase().as_str())
        && is_plain(value);
    let before = before(reader);
    let last = before.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let short = ["pw", "pwd", "mdp"].contains(&name.as_str())
        && before.ends_with(' ')
        && !last.is_empty()
        && last.chars().all(|letter| letter.is_alphanumeric() || "-_.".contains(letter))
        && value.chars().all(char::is_alphanumeric)
        && !secret_strength::is_prose(&last)
        && !words().verbs.contains(&last);
    word && (short || is_beside_user(before))
}

/// The text before the name on its line.
fn before<'a>(reader: &'a NamedSecret<'_>) -> &'a str {
    let from = reader.text.ceil_char_boundary(reader.name.start.saturating_sub(MAX_BETWEEN));
    reader.of(&(from..reader.name.start)).rsplit('\n').next().unwrap_or_default()
}

/// `user bob, `, `login: bob / `, `with bob@x.example and `: ends with a user and a continuation.
fn is_beside_user(before: &str) -> bool {
    const AND: &[&str] =
        &["and", "und", "et", "y", "e", "en", "i", "ve", "with", "mit", "avec", "con", "com", "и", "the", "das"];
    let mut rest = before.trim_end();
    let mut goes_on = false;
    loop {
        let cut = rest.trim_end_matches([',', ';', '/', '|', '，', '、', ' ', '-']);
        let last = cut.rsplit(' ').next().unwrap_or_default();
        let and = AND.contains(&last);
        goes_on |= and || cut.len() < rest.trim_end().len();
        rest = if and { cut.get(..cut.len() - last.len()).unwrap_or_default() } else { cut };
        if !and {
            break;
        }
    }
    let mut words_before = rest.split([' ', ':', '=', '：']).rev().filter(|word| !word.is_empty());
    let (Some(user), title) = (words_before.next(), words_before.next()) else { return false };
    let title = title.map(|title| title.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase());
    let named =
        title.is_some_and(|title| words().user_titles.contains(title.as_str()) || title == "als" || title == "as");
    let address = user.split_once('@').is_some_and(|(local, host)| !local.is_empty() && host.contains('.'));
    goes_on && (named || address) && !secret_strength::is_prose(user)
}

/// `created token …`, `your token …`: a token follows, even if it looks like a hash.
pub fn is_made(reader: &NamedSecret<'_>) -> bool {
    const MADE: &[&str] =
        &["new", "created", "generated", "issued", "your", "received", "got", "obtained", "using", "with"];
    let from = reader.text.ceil_char_boundary(reader.name.start.saturating_sub(MAX_BETWEEN));
    let before = reader.of(&(from..reader.name.start));
    before.split_whitespace().next_back().is_some_and(|word| MADE.contains(&word.to_ascii_lowercase().as_str()))
}

/// Whether nothing rules it out as a secret.
pub fn is_plain(value: &str) -> bool {
    // `spec=True`, `call(`
    let assigns = value.split_once('=').is_some_and(|(name, _)| {
        name.len() > 1 && name.chars().all(|letter| letter.is_alphanumeric() || "_.-+".contains(letter))
    });
    !assigns
        && !value.ends_with('(')
        && !value.contains("](")
        && !value.starts_with('-')
        && !is_placeholder(value)
        && !is_label(value)
        && !secret_strength::is_prose(value)
        && !is_secret_name(value)
        && (secret_name::class(value).is_none()
            || secret_strength::secret_strength(value) == Some(SecretStrength::Strong))
        && !placeholder::is_crypt_hash(value)
}

/// A word that only a password can be: it is spelled out, follows an arrow, or opens a wireless network.
pub fn is_explained(
    reader: &NamedSecret<'_>,
    between: &str,
    link: NameValueLink,
    from: usize,
    range: &Range<usize>,
) -> bool {
    const SPELLED: &[&str] = &[
        " all lower",
        " all small",
        " (all lower",
        " all one word",
        " no spaces",
        " in lower",
        " alles klein",
        " (alles klein",
        " kleingeschrieben",
        " tout en minuscules",
        " (tout en",
        " en minuscules",
        " todo en min",
        " en minúsculas",
        " tutto minuscolo",
        " tudo minúsculo",
        " (capital",
        " with a capital",
    ];
    let value = reader.of(range);
    let direct = between.trim().is_empty();
    let behind = reader.of(&(range.end..line_end(reader.text, range.end))).to_lowercase();
    let joint = reader.of(&(reader.name.end..reader.name.end + from));
    let plain =
        value.len() > 3 && !secret_strength::is_prose(value) && secret_strength::fits(SecretClass::Password, value);
    if !plain {
        return false;
    }
    if link == NameValueLink::Copula && direct && SPELLED.iter().any(|spelled| behind.starts_with(spelled)) {
        return true;
    }
    let ends = ends_sentence(reader, range);
    let arrow = ["-> ", "→ ", "=> "].iter().any(|arrow| joint.ends_with(arrow));
    if arrow && direct && ends {
        return secret_strength::secret_strength(value) >= Some(SecretStrength::Soft)
            && !secret_strength::is_expression(value)
            || value.contains('.') && !value.contains('(');
    }
    // A WPA key has at least eight letters; a sentence would continue with an adjective or a participle.
    let wireless = |text: &str| {
        let low = text.to_lowercase();
        ["wifi", "wi-fi", "wlan", "wireless"].iter().any(|name| low.contains(name))
    };
    let adjective = [
        "ed", "ing", "able", "ible", "ly", "ous", "ive", "ent", "ant", "al", "ful", "less", "ert", "tet", "lich",
        "bar", "ato", "ada", "ado", "ata", "é", "ée", "neath", "where",
    ]
    .iter()
    .any(|end| value.to_lowercase().ends_with(end));
    let line = before(reader).to_lowercase();
    let changed = ["changed the ", "changed my ", "set the ", "updated the "].iter().any(|verb| line.contains(verb));
    if changed && direct && joint.ends_with(" to ") && value.chars().count() >= 8 && !adjective {
        return !["something", "anything", "whatever", "continue", "everything", "production"]
            .contains(&value.to_lowercase().as_str());
    }
    let last = line.split_whitespace().next_back().unwrap_or_default();
    let near = wireless(last) && (direct || is_purpose(between)) || !direct && wireless(between);
    link != NameValueLink::None
        && ends
        && near
        && value.chars().count() >= 8
        && !adjective
        && value.chars().all(|letter| letter.is_alphanumeric() || letter == '-')
}

/// A line of a note with only what a password opens, and the password.
pub fn is_noted(reader: &NamedSecret<'_>, between: &str, range: &Range<usize>) -> bool {
    let value = reader.of(range);
    reader.begins_line()
        && is_purpose(between)
        && between.split_whitespace().count() <= 4
        && !between.contains(['\'', '/', '['])
        && scan::blank(reader.text, range.end) == line_end(reader.text, range.end)
        && value.chars().count() >= 4
        && value.chars().all(char::is_alphanumeric)
        && !secret_strength::is_prose(value)
        && secret_strength::fits(SecretClass::Password, value)
}

/// ` for the staff network`: what the password opens.
pub fn is_purpose(between: &str) -> bool {
    const FOR: &[&str] = &[
        "for", "of", "on", "für", "vom", "zum", "pour", "du", "para", "de", "del", "do", "da", "per", "voor", "van",
        "do", "dla", "för", "til",
    ];
    between.split_whitespace().next().is_some_and(|first| FOR.contains(&first)) && !between.contains([',', ':'])
}

/// Three or more joined words, none of which belongs to an adjective such as `up-to-date`.
pub fn is_phrase(value: &str) -> bool {
    const GLUE: &[&str] = &[
        "to", "of", "the", "up", "in", "on", "by", "end", "date", "time", "non", "and", "or", "a", "for", "per", "well",
    ];
    let words: Vec<&str> = value.trim_end_matches(['.', ',', '!']).split(['-', '_', '.']).collect();
    words.len() > 2
        && words.iter().all(|word| word.len() > 1 && word.chars().all(char::is_alphabetic))
        && !words.iter().any(|word| GLUE.contains(word))
}

/// `chaussette-verte`: two or more joined words, none of which describes the state of a password.
pub fn is_joined_words(value: &str) -> bool {
    const OTHERS: &[&str] = &[
        "case",
        "sensitive",
        "self",
        "multi",
        "only",
        "auto",
        "read",
        "single",
        "two",
        "basic",
        "non",
        "per",
        "the",
        "on",
        "one",
        "time",
        "well",
        "known",
        "out",
        "off",
        "up",
        "in",
        "re",
        "pre",
        "post",
        "co",
        "long",
        "short",
        "lived",
    ];
    let parts: Vec<&str> = value.trim_end_matches(['.', ',', '!']).split(['-', '_']).collect();
    let is_word = |part: &&str| {
        let low = part.to_lowercase();
        part.chars().count() > 2
            && part.chars().all(char::is_alphabetic)
            && !OTHERS.contains(&low.as_str())
            && !secret_strength::is_prose(part)
            && classifier::is_neutral(part)
    };
    (2..=4).contains(&parts.len()) && parts.iter().all(is_word) && !secret_strength::is_prose(value)
}

/// `Lantern/Cobalt/Ferry/52`: words and a number, joined unlike a path.
pub fn is_slashed(value: &str) -> bool {
    let parts: Vec<&str> = value.split('/').collect();
    let titled =
        |part: &&str| part.chars().next().is_some_and(char::is_uppercase) && part.chars().all(char::is_alphabetic);
    matches!(parts.as_slice(), [words @ .., last] if words.len() > 1 && words.iter().all(titled)
        && last.bytes().any(|byte| byte.is_ascii_digit()) && last.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// `GießkanneRot!`, `Blaue_Blume`, `Zielony.Kot`: joined words in a form that prose does not use.
pub fn is_composed(value: &str) -> bool {
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

/// Whether the verb before the value is one that only quotes: `lautet`, `brzmi`.
pub fn is_reads_as(reader: &NamedSecret<'_>, from: usize) -> bool {
    let link = reader.of(&(reader.name.end..reader.name.end + from));
    ["lautet ", "brzmi ", "luidt ", "lyder ", "jetzt ", "teraz "].iter().any(|verb| link.ends_with(verb))
        && !link.ends_with(" ist jetzt ")
        && !link.ends_with(" jest teraz ")
}

/// `… until Monday`: the sentence continues with how long the value is valid.
pub fn is_for_a_while(reader: &NamedSecret<'_>, range: &Range<usize>) -> bool {
    let rest = reader.of(&(range.end..line_end(reader.text, range.end)));
    [" until ", " till ", " for now", " bis ", " jusqu", " hasta ", " fino a", " até "]
        .iter()
        .any(|while_| rest.starts_with(while_))
}

pub fn ends_sentence(reader: &NamedSecret<'_>, range: &Range<usize>) -> bool {
    let rest = reader.of(&(range.end..line_end(reader.text, range.end)));
    // In a script without blanks the verb follows the value: `パスワードは … です`.
    rest.trim_start().starts_with(is_unspaced)
        || rest.trim_matches(['.', ',', '!', ';', ')', '"', '\'', '`', ' ']).is_empty()
        || rest.starts_with([',', ';', '.'])
        || rest.starts_with(" (")
        || rest.starts_with(" ,")
}

/// `PIN is 4711`, `door code 4711`, `safe combination 14-32-07`
pub fn is_pin(name: &str, value: &str) -> bool {
    const CODES: &[&str] = &[
        "code",
        "kod",
        "pin",
        "código",
        "codice",
        "clave de la puerta",
        "clave de la alarma",
        "暗証",
        "番号",
        "门禁",
        "код",
        "mã ",
    ];
    let low = name.to_lowercase();
    let last = low.rsplit(['-', '_', ' ']).next().unwrap_or_default();
    // `PIN1`
    let last = last.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let phrase = low.contains([' ', '-']) || !low.is_ascii();
    let first = low.split(['.', '_', ' ']).next().unwrap_or_default();
    let named = ["pin", "puk"].contains(&last)
        || ["pin", "puk"].contains(&first) && value.len() < 9
        || low.ends_with("code")
        || phrase && CODES.iter().any(|code| low.contains(code));
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let combination = low.contains("ombin")
        && digits >= 4
        && value.len() <= 14
        && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    // `8841-2067-5593`
    let groups = || value.split('-').all(|group| group.len() == 4 && group.bytes().all(|byte| byte.is_ascii_digit()));
    let grouped = ["pin", "puk"].contains(&last) && digits <= 16 && groups();
    combination || grouped || named && (4..=8).contains(&digits) && digits == value.len()
}

pub fn has_digit_or_symbol(value: &str) -> bool {
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

pub fn is_followed_by_code(reader: &NamedSecret<'_>, range: &Range<usize>) -> bool {
    matches!(reader.byte(range.end), Some(b':' | b'=' | b'(' | b'[' | b'{' | b'>'))
}
