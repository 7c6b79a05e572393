//! How much a value looks like a secret. Values that are clearly none are in `not_secret` (numbers, paths, code) and in
//! `placeholder`.

use crate::not_secret::{is_code, is_host, is_small_path, is_term, is_version};
pub use crate::not_secret::{is_expression, is_file, is_identifier, is_ordinary, is_path, is_type};
use crate::placeholder::{is_label, is_placeholder};
use crate::vocabulary::words;
use aside_text::base64;

/// How much a value must look like a secret, depending on its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretClass {
    /// A password may be any word.
    Password,
    Secret,
    /// Generated: an ordinary word is not one.
    Token,
    /// The name says little, so the value must look like nothing else.
    Random,
}

/// How unlike an ordinary word a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SecretStrength {
    Word,
    /// Joined words, or letters without vowels.
    Soft,
    /// Letters mixed with digits or symbols.
    Chosen,
    /// Letters, digits and more, or generated.
    Strong,
}

/// Bytes of a value that is considered.
const MAX_VALUE: usize = 4096;

pub fn fits(class: SecretClass, value: &str) -> bool {
    if is_placeholder(value) || value.len() > MAX_VALUE {
        return false;
    }
    match class {
        SecretClass::Password => {
            value.chars().nth(1).is_some()
                && !is_version(value)
                && !is_count(value)
                && !is_row(value)
                && !is_assignment(value)
                && !is_type(value)
                && !is_path(value)
                && !is_label(value)
                && !has_ideographs(value)
        }
        SecretClass::Secret => {
            value.len() >= 4
                && !is_type(value)
                && !is_path(value)
                && !is_small_path(value)
                && !is_label(value)
                && !has_ideographs(value)
        }
        SecretClass::Token => is_token(value) && !is_path(value) && !is_host(&value.to_ascii_lowercase()),
        SecretClass::Random => {
            is_random(value) && !is_code(value) && !is_small_path(value) || is_shouted(value) || is_basic_pair(value)
        }
    }
}

/// `180`: a number of days, characters or attempts.
fn is_count(value: &str) -> bool {
    value.len() < 4 && value.bytes().all(|byte| byte.is_ascii_digit())
}

/// `wifi,22000,0.31`: cells of a table, numbers among them.
fn is_row(value: &str) -> bool {
    let number = |cell: &str| !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    value.matches(',').count() > 1 && value.split(',').filter(|cell| number(cell)).count() > 1
}

/// `VOLSER=TOK001`, `user=<kim>`: a setting of its own.
fn is_assignment(value: &str) -> bool {
    value.split_once('=').is_some_and(|(name, set)| {
        let one_case = name.bytes().all(|byte| byte.is_ascii_lowercase())
            || name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'+');
        let symbols = set.contains(['?', '!', '#', '*', '&', '%', '^', '~', '+']);
        name.len() > 2
            && one_case
            && !symbols
            && set.starts_with(|first: char| first.is_ascii_alphanumeric() || "<\"'".contains(first))
    })
}

/// `None` for what is not a value: a placeholder, a number, a date, an address, a file.
pub fn secret_strength(value: &str) -> Option<SecretStrength> {
    let other = |value: &str| is_ordinary(value) || is_row(value) || is_assignment(value);
    if value.len() > MAX_VALUE || is_placeholder(value) || other(value) || has_ideographs(value) {
        return None;
    }
    let letters = value.chars().filter(|letter| letter.is_alphabetic()).count();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let upper = value.chars().any(char::is_uppercase);
    let lower = value.chars().any(char::is_lowercase);
    let symbol = has_symbol(value);
    if letters == 0 || value.chars().count() < 4 {
        return Some(SecretStrength::Word);
    }
    let long = value.len() >= 6;
    Some(match () {
        () if digits > 0 && long && (symbol || upper && lower) || is_random(value) => SecretStrength::Strong,
        () if digits > 0 || symbol => SecretStrength::Chosen,
        () if has_inner_capital(value) || is_compound(value) || is_unpronounceable(value) => SecretStrength::Soft,
        () => SecretStrength::Word,
    })
}

/// A symbol that passwords have and ordinary words do not, not at the end of a sentence.
fn has_symbol(value: &str) -> bool {
    let inner = value.trim_end_matches(['!', '?', '.', ',', ';', ':', ')', '*', '+', '=']);
    inner.contains(['!', '@', '#', '$', '%', '^', '&', '*', '+', '=', '?', '~', '|'])
}

fn has_inner_capital(value: &str) -> bool {
    value.chars().zip(value.chars().skip(1)).any(|(one, two)| one.is_lowercase() && two.is_uppercase())
}

/// `hase-im-feld`, `ambar.sayim`, `martilar_ucar`
fn is_compound(value: &str) -> bool {
    let parts: Vec<&str> = value.split(['-', '_', '.']).collect();
    parts.len() > 1 && parts.iter().all(|part| !part.is_empty() && part.chars().all(char::is_alphanumeric))
}

/// Sixteen letters without a vowel among any six: an app password.
fn is_unpronounceable(value: &str) -> bool {
    let mut longest = 0;
    let mut run = 0;
    for letter in value.bytes() {
        run = if letter.is_ascii_alphabetic() && !b"aeiouyAEIOUY".contains(&letter) { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest >= 6 || value.len() >= 12 && longest >= 5
}

/// Chinese, Japanese and Korean characters: users of these languages type passwords in ASCII.
pub fn has_ideographs(value: &str) -> bool {
    if !value.is_empty() && value.chars().all(|letter| letter.is_alphabetic() && !letter.is_ascii() || letter == ' ') {
        return true;
    }
    value
        .chars()
        .any(|letter| matches!(letter, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{ff00}'..='\u{ffef}'))
}

pub fn is_prose(word: &str) -> bool {
    let word = word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
    let known = |word: &str| words().prose.contains(word) || words().placeholders.contains(word);
    // `base64-encoded`, `SHA-256-hashed`, `safe-and-sound`
    const DESCRIBES: &[&str] = &[
        "encoded",
        "scoped",
        "sensitive",
        "protected",
        "hashed",
        "encrypted",
        "only",
        "based",
        "generated",
        "managed",
        "specific",
        "wide",
        "ok",
        "changed",
        "date",
    ];
    let described = word.rsplit_once('-').is_some_and(|(head, last)| {
        let first = head.split('-').next().unwrap_or_default();
        let plain = |part: &str| part.chars().all(char::is_alphabetic);
        plain(last)
            && (last.len() > 3 || last == "ok")
            && (words().prose.contains(first) && head.split('-').skip(1).any(known)
                || is_technical(head)
                || DESCRIBES.contains(&last) && is_describable(head)
                || ["case", "read", "write"].contains(&head))
    });
    described || known(&word)
}

/// Words or a number before a participle. `w0rker-only` is a password.
fn is_describable(head: &str) -> bool {
    let letters = head.chars().all(|letter| letter.is_alphabetic() || letter == '-');
    letters || head.starts_with(|first: char| first.is_ascii_digit()) || head.starts_with("base64")
}

/// An algorithm, an encoding or a size: `base64`, `sha-256`, `utf8`, `128-bit`.
fn is_technical(low: &str) -> bool {
    let digits = low.bytes().filter(u8::is_ascii_digit).count();
    digits > 0 && (words().placeholders.contains(low) || is_term(low, digits) || low.ends_with("bit"))
}

/// `SECRET_KEY` as the value of `secret_key`.
pub fn is_identifier_of(value: &str, name: &str) -> bool {
    let bare = |text: &str| text.chars().filter(|letter| letter.is_alphanumeric()).collect::<String>().to_lowercase();
    let (value, name) = (bare(value), bare(name));
    name.ends_with(&value) || value.ends_with(&name)
}

/// Quoted words with blanks in place of a password: no code, no label, no list of options.
pub fn is_passphrase(value: &str) -> bool {
    let words = value.split_whitespace().count();
    (2..=12).contains(&words)
        && value.len() <= 200
        && value.chars().any(char::is_alphabetic)
        && !value.contains(['$', '(', '{', '<', '=', '"', '`', '|', '/'])
        && !value.starts_with('-')
        && !value.contains(" -")
        && !is_placeholder(value)
        && !is_label(value)
}

/// Not an ordinary word or a number: chosen to be hard to guess.
pub fn is_chosen(value: &str) -> bool {
    let letters = value.chars().any(char::is_alphabetic);
    let inner = value.get(..value.floor_char_boundary(value.len().saturating_sub(1))).unwrap_or(value);
    let symbol = inner.contains(['!', '@', '#', '$', '%', '^', '&', '*', '+', '=']);
    value.len() >= 4
        && letters
        && !is_placeholder(value)
        && (value.bytes().any(|byte| byte.is_ascii_digit()) || symbol || has_inner_capital(value) || is_mixed(value))
}

/// Capitals after the first letter, and small letters.
fn is_mixed(value: &str) -> bool {
    value.chars().skip(1).any(|letter| letter.is_ascii_uppercase())
        && value.chars().any(|letter| letter.is_ascii_lowercase())
}

/// Long enough, and more than one ordinary word.
pub fn is_token(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let lower = value.bytes().any(|byte| byte.is_ascii_lowercase());
    let upper = value.bytes().any(|byte| byte.is_ascii_uppercase());
    let one_piece = value.chars().all(|letter| letter.is_ascii_graphic() || letter.is_alphabetic());
    // `refresh_token:user:88120:count`
    let key = value.split(':').count() > 2
        && value
            .split(':')
            .all(|part| part.bytes().all(|b| b.is_ascii_lowercase()) || part.bytes().all(|b| b.is_ascii_digit()));
    one_piece
        && !key
        && !has_ideographs(value)
        && value.len() >= 8
        && !is_placeholder(value)
        && !is_dated(value)
        && (digits > 0 && letters > 0 || value.len() >= 16 && lower && upper && !is_words(value) || is_shouted(value))
}

/// Twenty capitals or more without a separator: no language has such a word.
fn is_shouted(value: &str) -> bool {
    value.len() >= 20 && value.bytes().all(|byte| byte.is_ascii_uppercase()) && variety(value) >= 9
}

/// `backfill-2024-05-13`, `nightly_20240513`: words and a date.
pub fn is_dated(value: &str) -> bool {
    let stem = value.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '-');
    let date = value.get(stem.len()..).unwrap_or_default();
    let digits: String = date.chars().filter(char::is_ascii_digit).collect();
    let year = digits.starts_with("19") || digits.starts_with("20");
    let words = stem.split(['-', '_', '.']).all(|part| part.chars().all(char::is_alphabetic));
    digits.len() == 8 && year && words && (date.starts_with('-') || stem.ends_with(['_', '.']))
}

/// `Sommer2025`, `Server2019`, `tulip77`: one word and a short number.
pub fn is_numbered_word(value: &str) -> bool {
    let stem = value.trim_end_matches(|letter: char| letter.is_ascii_digit());
    (1..=4).contains(&(value.len() - stem.len()))
        && stem.chars().count() > 2
        && stem.chars().all(char::is_alphabetic)
        && !stem.chars().skip(1).any(char::is_uppercase)
}

/// Whether the value looks generated.
pub fn is_random(value: &str) -> bool {
    let value = value.trim_end_matches('=');
    let body = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/_-.%".contains(&byte));
    let graphic = value.len() >= 24
        && variety(value) >= 16
        && value.bytes().all(|byte| byte.is_ascii_graphic())
        && !value.contains([',', ';', '(']);
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    (body || graphic)
        && value.len() >= 16
        && digits > 0
        && variety(value) >= 8
        && !is_words(value)
        && !is_placeholder(value)
}

/// Twelve hexadecimal digits or more, with letters among them.
pub fn is_short_key(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    (12..16).contains(&value.len())
        && value.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
        && digits > 2
        && digits + 2 < value.len()
}

/// Only hexadecimal digits, of the length of a hash.
pub fn is_hash(value: &str) -> bool {
    [32, 40, 56, 64, 96, 128].contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Base64 of `user:password`, and not of a URL, a time, `host:port` or `note: a sentence`.
pub fn is_basic_pair(value: &str) -> bool {
    (8..=400).contains(&value.len())
        && base64::decoded(value).is_some_and(|text| {
            let of_user = |letter: char| letter.is_alphanumeric() || "._-@+\\ ".contains(letter);
            let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
            text.split_once(':').is_some_and(|(user, password)| {
                let port = number(password) && (number(user) || user.contains('.') || user == "localhost");
                !user.is_empty()
                    && user.chars().all(of_user)
                    && !password.is_empty()
                    && !password.starts_with([' ', '/'])
                    && !port
            }) && text.chars().all(|letter| !letter.is_control())
        })
}

/// Number of distinct characters.
pub fn variety(value: &str) -> usize {
    let mut seen = [false; 256];
    value.bytes().for_each(|byte| seen[usize::from(byte)] = true);
    seen.iter().filter(|seen| **seen).count()
}

/// `ThisIsAnIdentifier2`, `left-pad-1-3-0`: pieces that are long enough to be words and have vowels.
pub fn is_words(value: &str) -> bool {
    let bytes = value.as_bytes();
    let (mut pieces, mut numbers, mut letters, mut vowels) = (0, 0, 0, 0);
    let mut before = b'_';
    // Two capitals or more directly before a small letter: rare in names, common in generated strings.
    let clusters = bytes.windows(3).filter(|three| {
        matches!(three, [one, two, three] if one.is_ascii_uppercase() && two.is_ascii_uppercase() && three.is_ascii_lowercase())
    });
    if bytes.len() >= 24 && clusters.count() >= 4 {
        return false;
    }
    for &byte in bytes {
        let begins = match byte {
            // A capital and the small letters behind it are one piece, and so is a run of capitals.
            b'a'..=b'z' => !before.is_ascii_alphabetic(),
            b'A'..=b'Z' => !before.is_ascii_uppercase(),
            b'0'..=b'9' => !before.is_ascii_digit(),
            _ => false,
        };
        let letter = byte.is_ascii_alphabetic();
        pieces += usize::from(begins && letter);
        numbers += usize::from(begins && !letter);
        letters += usize::from(letter);
        vowels += usize::from(b"aeiouyAEIOUY".contains(&byte));
        before = byte;
    }
    pieces > 0 && letters >= 4 * pieces && numbers <= 1 + pieces / 2 && vowels * 5 >= letters
}

/// Letters with vowels, and a year or a small number behind them: not a generated code.
pub fn is_ordinary_word(value: &str) -> bool {
    let stem = value.trim_end_matches(|letter: char| letter.is_ascii_digit());
    stem.len() >= 4 && is_words(stem) && stem.bytes().all(|byte| byte.is_ascii_alphabetic())
}
