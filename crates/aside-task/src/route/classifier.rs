//! A linear classifier for the kind of a request, trained on labelled requests. Rules cover usual phrasings; this covers the rest: "tests
//! pls", "dark mode", a misspelt word. Features are words, word pairs, character n-grams, style, and the rules that matched; `make
//! teach-route` trains their weights (docs/task-routes.md). Quoted material (code, logs, quotes) is a single marker here as for the rules,
//! so that pasted text has no influence.

use std::sync::LazyLock;

use aside_core::detect::word_lists::lists;
use aside_text::is_han;

use crate::route::combine_clauses::RouteVerdict;
use crate::route::intent::TaskKind;
use crate::route::normalize::NormalizedRequest;
use crate::route::word_lists;

const WEIGHTS: &str = include_str!("../../data/task/classifier.txt");

/// Value of one unit of an integer weight in the file.
pub const STEP: f32 = 1.0 / 16.0;
/// Words of a request that are used: its beginning.
const MAX_WORDS: usize = 80;
/// Length of the n-grams of a word, and of the shortest word that is split.
const PIECE: usize = 4;

/// Up to this many words, each counts fully.
const FEW_WORDS: f32 = 8.0;
const LENGTHS: [&str; 8] = ["0", "1", "2", "3", "4", "5", "6", "7"];

/// Probability of each kind, in the order of `TaskKind::ALL`; they add up to one.
pub type KindScores = [f32; 8];

/// Features by the hash of their names, sorted: sixteen bytes each, and a lookup copies nothing of the request.
static ALL: LazyLock<Vec<(u64, [i8; 8])>> = LazyLock::new(|| {
    let mut all: Vec<(u64, [i8; 8])> = WEIGHTS.lines().filter_map(row).collect();
    all.sort_unstable_by_key(|(hash, _)| *hash);
    all.shrink_to_fit();
    all
});

/// A feature name, a tab, and eight numbers.
fn row(row: &str) -> Option<(u64, [i8; 8])> {
    let (name, numbers) = row.split_once('\t')?;
    let mut weights = [0; 8];
    let mut numbers = numbers.split(' ');
    for weight in &mut weights {
        *weight = numbers.next()?.parse().ok()?;
    }
    Some((hash(&[name]), weights))
}

/// FNV-1a over the concatenated parts.
fn hash(parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Number of features with weights. Loads the table, as the first request does.
pub fn known() -> usize {
    ALL.len()
}

/// `heard` are the rules that matched the clauses.
pub fn of(reading: &NormalizedRequest, ruled: &RouteVerdict, heard: &[Option<&'static str>]) -> KindScores {
    let mut shown: Vec<(u64, f32)> = Vec::with_capacity(256);
    each(reading, ruled, heard, &mut |parts, much| shown.push((hash(parts), much)));
    // A feature counts once, however often it occurs.
    shown.sort_unstable_by_key(|(hash, _)| *hash);
    shown.dedup_by_key(|(hash, _)| *hash);
    let all = ALL.as_slice();
    let mut sums = [0.0; 8];
    for (hash, much) in shown {
        let found = all.binary_search_by_key(&hash, |(hash, _)| *hash);
        let Some((_, weights)) = found.ok().and_then(|place| all.get(place)) else { continue };
        for (sum, weight) in sums.iter_mut().zip(weights) {
            *sum += f32::from(*weight) * STEP * much;
        }
    }
    let most = sums.iter().copied().fold(f32::MIN, f32::max);
    let powers = sums.map(|sum| (sum - most).exp());
    let whole: f32 = powers.iter().sum();
    powers.map(|power| power / whole)
}

pub fn kind_at(place: usize) -> TaskKind {
    TaskKind::ALL.get(place).copied().unwrap_or(TaskKind::Explain)
}

/// Calls `put` for every feature of a request, by the parts of its name and with its value; some features occur more than once. The more
/// words, the less each counts.
pub fn each(
    reading: &NormalizedRequest,
    ruled: &RouteVerdict,
    heard: &[Option<&'static str>],
    put: &mut dyn FnMut(&[&str], f32),
) {
    let words: Vec<&str> = tokens(reading.normal()).take(MAX_WORDS).collect();
    of_words(&words, put);
    let mut shown = |parts: &[&str]| put(parts, 1.0);
    of_shape(reading, &words, &mut shown);
    of_manner(reading.all(), &mut shown);
    shown(&["rule ", ruled.rule]);
    shown(&["kind ", ruled.kind.name(), if ruled.confidence < 0.7 { " perhaps" } else { " surely" }]);
    for rule in heard {
        shown(&["heard ", rule.unwrap_or("nothing")]);
    }
}

fn of_words(words: &[&str], put: &mut dyn FnMut(&[&str], f32)) {
    #[expect(clippy::cast_precision_loss, reason = "at most eighty")]
    let much = (FEW_WORDS / words.len().max(1) as f32).sqrt().min(1.0);
    let mut shown = |parts: &[&str]| put(parts, much);
    for word in words {
        shown(&["w ", word]);
        for class in word_lists::classes(word) {
            shown(&["c ", class]);
        }
        for (begins, piece, ends) in pieces(word) {
            shown(&["g ", begins, piece, ends]);
        }
    }
    for pair in words.windows(2) {
        if let [one, other] = pair {
            shown(&["p ", one, " ", other]);
        }
    }
    for three in words.windows(3) {
        if let [one, two, three] = three {
            shown(&["s ", one, " ", three]);
            if [one, two, three].iter().all(|word| word.contains(is_han)) {
                shown(&["t ", one, two, three]);
            }
        }
    }
}

fn of_shape(reading: &NormalizedRequest, words: &[&str], shown: &mut dyn FnMut(&[&str])) {
    shown(&["any"]);
    if let (Some(first), Some(last)) = (words.first(), words.last()) {
        shown(&["first ", first]);
        shown(&["last ", last]);
        for class in word_lists::classes(first) {
            shown(&["first-c ", class]);
        }
        if lists().is_command(first) {
            shown(&["first-command"]);
        }
    }
    if let [first, second, ..] = words {
        shown(&["begins ", first, " ", second]);
    }
    shown(&["length ", LENGTHS.get(words.len()).unwrap_or(&"more")]);
    if ["->", "=>", "→"].iter().any(|arrow| reading.all().contains(arrow)) {
        shown(&["arrow"]);
    }
    for object in &reading.objects {
        shown(&["o ", object.sort.mark()]);
    }
}

/// Style features apart from the words. Uses only the first line, so that pasted text has no influence.
fn of_manner(all: &str, shown: &mut dyn FnMut(&[&str])) {
    let line = all.lines().next().unwrap_or_default().trim();
    let letters = |is: fn(char) -> bool| line.chars().any(is);
    if letters(char::is_uppercase) && !letters(char::is_lowercase) {
        shown(&["shouts"]);
    }
    if line.starts_with(char::is_uppercase) {
        shown(&["capital"]);
    }
    if line.ends_with(['?', '？']) {
        shown(&["asks"]);
    }
    if line.contains(['!', '！']) {
        shown(&["exclaims"]);
    }
    if line.contains([':', '：']) {
        shown(&["colon"]);
    }
    if all.contains('\n') {
        shown(&["lines"]);
    }
    for sign in line.chars().filter(|letter| is_picture(*letter)).take(MAX_WORDS) {
        shown(&["e ", sign.encode_utf8(&mut [0; 4])]);
    }
}

/// Emoji, and symbols that are used like them.
fn is_picture(letter: char) -> bool {
    matches!(letter, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

/// Four-letter n-grams, including the edges of the word: they survive a typo and are shared by words of one stem.
fn pieces(word: &str) -> impl Iterator<Item = (&'static str, &str, &'static str)> {
    let is_plain = word.len() >= PIECE && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let word = if is_plain { word } else { "" };
    let inner = (0..(word.len() + 1).saturating_sub(PIECE)).map(move |start| ("", start..start + PIECE, ""));
    let edges = [("^", 0..PIECE - 1, ""), ("", word.len().saturating_sub(PIECE - 1)..word.len(), "$")];
    inner.chain(edges).filter_map(move |(begins, range, ends)| {
        let piece = word.get(range).filter(|piece| !piece.is_empty())?;
        Some((begins, piece, ends))
    })
}

/// Words, object markers, single Chinese characters, and question marks.
fn tokens(normal: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = normal.get(at..).filter(|rest| !rest.is_empty())?;
            let letter = rest.chars().next()?;
            let length = match letter {
                '<' => rest.find('>').map_or(1, |end| end + 1),
                '?' => 1,
                letter if is_han(letter) => letter.len_utf8(),
                letter if letter.is_ascii_alphanumeric() => word_length(rest),
                _ => {
                    at += letter.len_utf8();
                    continue;
                }
            };
            at += length;
            let word = rest.get(..length)?;
            // All numbers are the same token.
            return Some(if word.bytes().all(|byte| byte.is_ascii_digit()) { "#" } else { word });
        }
    })
}

/// Letters and digits, with those joined by an apostrophe or a hyphen.
fn word_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_word = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let ties = |at: usize| matches!(bytes.get(at), Some(b'\'' | b'-')) && is_word(at + 1);
    let mut end = 0;
    while is_word(end) || ties(end) {
        end += 1;
    }
    end.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_weight_can_be_read() {
        let rows = WEIGHTS.lines().filter(|row| !row.starts_with('#')).count();
        assert_eq!(known(), rows);
        assert!(rows > 1000 && WEIGHTS.len() < 420_000, "{rows} in {} bytes", WEIGHTS.len());
        let hashes = ALL.windows(2).filter(|pair| matches!(pair, [one, other] if one.0 == other.0));
        assert_eq!(hashes.count(), 0, "two traits with one hash");
    }

    #[test]
    fn words_are_told_apart() {
        let found: Vec<&str> = tokens("what's wrong in <file>? 跑test, re-run 3x - 80").collect();
        assert_eq!(found, ["what's", "wrong", "in", "<file>", "?", "跑", "test", "re-run", "3x", "#"]);
    }

    #[test]
    fn long_words_are_taken_apart() {
        let found: Vec<String> =
            pieces("tests").map(|(begins, piece, ends)| format!("{begins}{piece}{ends}")).collect();
        assert_eq!(found, ["test", "ests", "^tes", "sts$"]);
        assert_eq!(pieces("the").count() + pieces("<code>").count() + pieces("跑一下测试").count(), 0);
    }

    #[test]
    fn a_voice_is_heard_without_its_words() {
        let manner = |request: &str| {
            let mut found = Vec::new();
            of_manner(request, &mut |parts| found.push(parts.concat()));
            found.join(", ")
        };
        assert_eq!(manner("RUN THEM!!"), "shouts, capital, exclaims");
        assert_eq!(manner("Status: 🔴?"), "capital, asks, colon, e 🔴");
        assert_eq!(manner("搞定了没？"), "asks");
        assert_eq!(manner("look\nERROR: NO!"), "lines");
    }
}
