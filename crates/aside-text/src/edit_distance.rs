//! Finds words within a small edit distance of another. Does not know what they mean.

use strsim::osa_distance;

/// The maximum edit distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaxDistance {
    /// One letter in a short word, two in a longer one.
    Usual,
    /// One letter in a word of four or more: for a word that may be right as it is.
    Careful,
}

/// A similar word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearWord<'a> {
    pub word: &'a str,
    pub edits: u8,
    /// The same letters in another order, the most common typo.
    pub swapped: bool,
    /// The same first letter, which is seldom wrong.
    pub begins: bool,
}

impl NearWord<'_> {
    /// Lower is better.
    pub fn cost(&self) -> f32 {
        let yes = |is: bool| f32::from(u8::from(is));
        f32::from(self.edits) - 0.3 * yes(self.swapped) - 0.3 * yes(self.begins)
    }
}

/// Longer words are no names.
const MAX_LETTERS: usize = 64;

/// Similar words, unordered.
pub fn near_words<'a>(typed: &str, words: impl Iterator<Item = &'a str>, reach: MaxDistance) -> Vec<NearWord<'a>> {
    let letters = typed.chars().count();
    let most = match (reach, letters) {
        (_, 0 | 1) | (_, MAX_LETTERS..) | (MaxDistance::Careful, ..4) => return Vec::new(),
        (MaxDistance::Usual, 5..) => 2,
        (MaxDistance::Usual | MaxDistance::Careful, _) => 1,
    };
    let bag = bag(typed);
    let found = words.filter_map(|word| {
        // A cheap lower bound on the distance: one edit changes at most two bits of the bag.
        if word.len().abs_diff(typed.len()) > 4 * most || (self::bag(word) ^ bag).count_ones() as usize > 2 * most {
            return None;
        }
        let edits = osa_distance(typed, word);
        let swapped = is_swapped(typed, word);
        let near = (1..=most).contains(&edits)
            // Nearly everything is near a word of two letters.
            && (letters > 2 || swapped)
            // `web1` and `web2`, `page-3.txt` and `page-4.txt` are not each other's misspelling.
            && digits(typed).eq(digits(word));
        near.then_some(NearWord {
            word,
            edits: edits as u8,
            swapped,
            begins: typed.chars().next() == word.chars().next(),
        })
    });
    found.collect()
}

/// A bit set of the letters, with collisions.
fn bag(word: &str) -> u64 {
    word.chars().fold(0, |bag, letter| bag | 1 << (u32::from(letter) & 63))
}

fn is_swapped(one: &str, other: &str) -> bool {
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    one.len() == other.len() && sorted(one) == sorted(other)
}

fn digits(word: &str) -> impl Iterator<Item = u8> {
    word.bytes().filter(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(typed: &str, words: &[&'static str], reach: MaxDistance) -> Vec<&'static str> {
        near_words(typed, words.iter().copied(), reach).iter().map(|near| near.word).collect()
    }

    #[test]
    fn hits_and_misses() {
        let usual = |typed: &str, word: &'static str| !words(typed, &[word], MaxDistance::Usual).is_empty();
        for (typed, word) in [
            ("gti", "git"),
            ("sl", "ls"),
            ("gi t", "git"),
            ("chekcout", "checkout"),
            ("pyhton3", "python3"),
            ("--verson", "--version"),
            ("日本誤", "日本語"),
            ("grpe", "grep"),
        ] {
            assert!(usual(typed, word), "{typed} {word}");
        }
        for (typed, word) in [
            ("git", "git"),
            ("gt", "git"),
            ("g", "gi"),
            ("", "a"),
            ("gits", "gzip"),
            ("web1", "web2"),
            ("python", "python3"),
            ("status", "stash"),
            ("日本", "本"),
        ] {
            assert!(!usual(typed, word), "{typed} {word}");
        }
    }

    #[test]
    fn careful_is_nearer() {
        let careful = |typed: &str, word: &'static str| !words(typed, &[word], MaxDistance::Careful).is_empty();
        assert!(careful("mian", "main"));
        assert!(!careful("dve", "dev"));
        assert!(!careful("fetaure", "feature/x"));
        assert!(!careful("fetuare", "feature"));
    }

    #[test]
    fn swapped_letters_cost_least() {
        let cost =
            |typed: &str, word: &'static str| near_words(typed, [word].into_iter(), MaxDistance::Usual)[0].cost();
        assert!(cost("gti", "git") < cost("gti", "gtk"));
        assert!(cost("gitt", "git") < cost("fit", "git"));
    }
}
