//! Which kind a request is most like, judged by requests of which people have said the kind. Rules know the usual sentence;
//! this knows what is left when there is none: "tests pls", "dark mode", a word that is spelt wrong. It looks at words, pairs
//! of words, pieces of long words, at the manner and at what the rules heard, and adds up weights that `make teach-route` has found
//! (docs/task-routes.md). What is spoken of (code, logs, quotes) is a mark here as it is for the rules, so that nothing
//! pasted has a say.

use std::sync::LazyLock;

use crate::detect::lists::lists;
use crate::task::route::intent::Kind;
use crate::task::route::reading::{Reading, is_han};
use crate::task::route::weigh::Verdict;
use crate::task::route::words;

const WEIGHTS: &str = include_str!("../../../data/task/likeness.txt");

/// A weight of one in the file is this much.
pub const STEP: f32 = 1.0 / 16.0;
/// Words of a request that are looked at: its beginning.
const MAX_WORDS: usize = 80;
/// Letters of the pieces of a word, and of a word that is worth taking apart.
const PIECE: usize = 4;

/// Words of which each says what it can.
const FEW_WORDS: f32 = 8.0;
const LENGTHS: [&str; 8] = ["0", "1", "2", "3", "4", "5", "6", "7"];

/// For each kind how likely it is, in the order of `Kind::ALL`; one together.
pub type Likeness = [f32; 8];

/// Traits by the hash of their names, in order: sixteen bytes each, and nothing of a request has to be copied to look one up.
static ALL: LazyLock<Vec<(u64, [i8; 8])>> = LazyLock::new(|| {
    let mut all: Vec<(u64, [i8; 8])> = WEIGHTS.lines().filter_map(row).collect();
    all.sort_unstable_by_key(|(hash, _)| *hash);
    all.shrink_to_fit();
    all
});

/// `trait`, a tab, and eight numbers.
fn row(row: &str) -> Option<(u64, [i8; 8])> {
    let (name, numbers) = row.split_once('\t')?;
    let mut weights = [0; 8];
    let mut numbers = numbers.split(' ');
    for weight in &mut weights {
        *weight = numbers.next()?.parse().ok()?;
    }
    Some((hash(&[name]), weights))
}

/// FNV-1a, of the parts as if they were one.
fn hash(parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// How many traits there are weights for; reads them all, as the first request does.
pub fn known() -> usize {
    ALL.len()
}

/// `heard` are the rules that fitted its clauses.
pub fn of(reading: &Reading, ruled: &Verdict, heard: &[Option<&'static str>]) -> Likeness {
    let mut shown: Vec<(u64, f32)> = Vec::with_capacity(256);
    each(reading, ruled, heard, &mut |parts, much| shown.push((hash(parts), much)));
    // However often it is shown, a trait counts once.
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

pub fn kind_at(place: usize) -> Kind {
    Kind::ALL.get(place).copied().unwrap_or(Kind::Explain)
}

/// Every trait that a request shows, by the parts of its name, some of them more than once, and how much it counts: of many
/// words each says less.
pub fn each(reading: &Reading, ruled: &Verdict, heard: &[Option<&'static str>], put: &mut dyn FnMut(&[&str], f32)) {
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
        for class in words::classes(word) {
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

fn of_shape(reading: &Reading, words: &[&str], shown: &mut dyn FnMut(&[&str])) {
    shown(&["any"]);
    if let (Some(first), Some(last)) = (words.first(), words.last()) {
        shown(&["first ", first]);
        shown(&["last ", last]);
        for class in words::classes(first) {
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

/// What is left of a voice when its words are taken away. What was pasted has no say: only the line above it is looked at.
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

/// Emoji, and the signs that are used like them.
fn is_picture(letter: char) -> bool {
    matches!(letter, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

/// What a slip of the fingers leaves of a word, and what words of one stem share: four letters each, of which the first and
/// the last may be the edges of the word.
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

/// Words, marks of objects, single letters of Chinese, and question marks.
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
            // One number is like another.
            return Some(if word.bytes().all(|byte| byte.is_ascii_digit()) { "#" } else { word });
        }
    })
}

/// Letters and digits, with what an apostrophe or a hyphen ties to them.
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
