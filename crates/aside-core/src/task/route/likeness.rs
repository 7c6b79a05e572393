//! Which kind a request is most like, judged by requests of which people have said the kind. Rules know the usual sentence;
//! this knows what is left when there is none: "tests pls", "dark mode", a word that is spelt wrong. It looks at words, pairs
//! of words, pieces of long words and at what the rules heard, and adds up weights that `make teach-route` has found
//! (docs/task-routes.md). What is spoken of (code, logs, quotes) is a mark here as it is for the rules, so that nothing
//! pasted has a say.

use std::collections::HashMap;
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

static ALL: LazyLock<HashMap<&'static str, [i8; 8]>> = LazyLock::new(|| WEIGHTS.lines().filter_map(row).collect());

/// `trait`, a tab, and eight numbers.
fn row(row: &'static str) -> Option<(&'static str, [i8; 8])> {
    let (name, numbers) = row.split_once('\t')?;
    let mut weights = [0; 8];
    let mut numbers = numbers.split(' ');
    for weight in &mut weights {
        *weight = numbers.next()?.parse().ok()?;
    }
    Some((name, weights))
}

/// `heard` are the rules that fitted its clauses.
pub fn of(reading: &Reading, ruled: &Verdict, heard: &[Option<&'static str>]) -> Likeness {
    let mut known: Vec<(&'static str, &'static [i8; 8], f32)> = Vec::new();
    each(reading, ruled, heard, &mut |name, much| {
        known.extend(ALL.get_key_value(name).map(|(name, weights)| (*name, weights, much)));
    });
    // However often it is shown, a trait counts once.
    known.sort_unstable_by_key(|(name, ..)| *name);
    known.dedup_by_key(|(name, ..)| *name);
    let mut sums = [0.0; 8];
    for (_, weights, much) in known {
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

/// Every trait that a request shows, some of them more than once, and how much it counts: of many words each says less.
pub fn each(reading: &Reading, ruled: &Verdict, heard: &[Option<&'static str>], put: &mut dyn FnMut(&str, f32)) {
    let words: Vec<&str> = tokens(reading.normal()).take(MAX_WORDS).collect();
    of_words(&words, put);
    of_shape(reading, &words, &mut |parts| put(&parts.concat(), 1.0));
    put(&format!("rule {}", ruled.rule), 1.0);
    let how = if ruled.confidence < 0.7 { "perhaps" } else { "surely" };
    put(&format!("kind {} {how}", ruled.kind.name()), 1.0);
    for rule in heard {
        put(&format!("heard {}", rule.unwrap_or("nothing")), 1.0);
    }
}

fn of_words(words: &[&str], put: &mut dyn FnMut(&str, f32)) {
    #[expect(clippy::cast_precision_loss, reason = "at most eighty")]
    let much = (FEW_WORDS / words.len().max(1) as f32).sqrt().min(1.0);
    let mut text = String::new();
    let mut shown = |parts: &[&str]| {
        text.clear();
        text.extend(parts.iter().copied());
        put(&text, much);
    };
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
        if let [one, two, three] = three
            && [one, two, three].iter().all(|word| word.contains(is_han))
        {
            shown(&["t ", one, two, three]);
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
        assert_eq!(ALL.len(), rows);
        assert!(rows > 1000 && WEIGHTS.len() < 300_000, "{rows} in {} bytes", WEIGHTS.len());
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
}
