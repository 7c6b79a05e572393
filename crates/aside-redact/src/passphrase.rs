//! Passwords of several words: `the passphrase is "three mangos in the yard"`, `Passphrase: correct pond lantern`.

use std::ops::Range;

use crate::classifier;
use crate::key_value::NamedSecret;
use crate::placeholder::{is_label, is_placeholder};
use crate::scan::{self, line_end};
use crate::secret_strength::{self, SecretClass};

/// Words of a passphrase.
const WORDS: std::ops::RangeInclusive<usize> = 3..=10;

/// The words at `at`, behind the name and its separator. Without quotes, the name must ask for a phrase.
pub fn at(reader: &NamedSecret<'_>, at: usize) -> Option<Range<usize>> {
    if reader.class != SecretClass::Password {
        return None;
    }
    if let Some(range) = scan::quoted(reader.text, at) {
        return Some(range.clone()).filter(|_| is_phrase(reader.of(&range), MAX_PROSE_QUOTED));
    }
    let asks = ["phrase", "fras", "zin", "cümle", "фраза", "フレーズ"]
        .iter()
        .any(|end| reader.name().to_lowercase().contains(end));
    // A line that is nothing but the name and its value may contain words such as `the`, and a comma.
    let assigned = reader.of(&(reader.name.end..at)).trim_end().ends_with([':', '=', '：', '>']);
    let whole = asks && assigned && reader.begins_line();
    let rest = reader.of(&(at..line_end(reader.text, at)));
    let stops = [" — ", " – ", " (", ". ", "; ", ", "];
    let stops = stops.iter().filter(|stop| !(whole && **stop == ", "));
    let end = stops.filter_map(|stop| rest.find(stop)).min();
    let range = scan::trimmed(reader.text, at..at + end.unwrap_or(rest.len()));
    let words = reader.of(&range);
    let titled = words.split_whitespace().all(|word| word.starts_with(|first: char| !first.is_lowercase()))
        && words.bytes().any(|byte| byte.is_ascii_digit());
    let whole = whole && range.end == line_end(reader.text, at);
    let prose = if titled || whole { MAX_PROSE_QUOTED } else { MAX_PROSE };
    ((asks || titled) && is_phrase(words, prose) || is_told(words)).then_some(range)
}

/// `Vier Elche trinken Himbeersaft`: four words or more, none of which occurs in sentences about passwords.
fn is_told(value: &str) -> bool {
    let words: Vec<&str> = value.split_whitespace().collect();
    (4..=7).contains(&words.len())
        && words.iter().all(|word| word.chars().count() > 2 && word.chars().all(char::is_alphabetic))
        && !words.iter().any(|word| secret_strength::is_prose(word) || !classifier::is_neutral(word))
        && !is_placeholder(value)
        && !is_label(value)
}

/// Maximum percentage of words such as `the`.
const MAX_PROSE_QUOTED: usize = 50;
const MAX_PROSE: usize = 25;

fn is_phrase(value: &str, percent: usize) -> bool {
    let words: Vec<&str> = value.split_whitespace().collect();
    let prose = words.iter().filter(|word| secret_strength::is_prose(word)).count();
    let plain = |word: &&str| {
        let stem = word.trim_end_matches(['!', '?', '.', ',']);
        !stem.is_empty() && stem.chars().all(|letter| letter.is_alphanumeric() || "-'.".contains(letter))
    };
    WORDS.contains(&words.len())
        && words.iter().all(plain)
        && prose * 100 <= words.len() * percent
        && !is_placeholder(value)
        && !is_label(value)
}
