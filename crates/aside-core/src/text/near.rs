//! Which of some words are spelled nearly like another one. Knows nothing about what they mean.

use strsim::osa_distance;

/// How far a word may be from what is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// One letter in a short word, two in a longer one.
    Usual,
    /// One letter in a word of four or more: for what may be right as it is.
    Careful,
}

/// A word that is near.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Near<'a> {
    pub word: &'a str,
    pub edits: u8,
    /// The same letters in another order, which is how most slips come about.
    pub swapped: bool,
    /// It begins as what is typed does: the first letter is seldom wrong.
    pub begins: bool,
}

impl Near<'_> {
    /// Less is better.
    pub fn cost(&self) -> f32 {
        let yes = |is: bool| f32::from(u8::from(is));
        f32::from(self.edits) - 0.3 * yes(self.swapped) - 0.3 * yes(self.begins)
    }
}

/// Longer words are no names.
const MAX_LETTERS: usize = 64;

/// Those that are near, in no order.
pub fn near<'a>(typed: &str, words: impl Iterator<Item = &'a str>, reach: Reach) -> Vec<Near<'a>> {
    let letters = typed.chars().count();
    let most = match (reach, letters) {
        (_, 0 | 1) | (_, MAX_LETTERS..) | (Reach::Careful, ..4) => return Vec::new(),
        (Reach::Usual, 5..) => 2,
        (Reach::Usual | Reach::Careful, _) => 1,
    };
    let bag = bag(typed);
    let found = words.filter_map(|word| {
        // What is far is told without comparing letter by letter: one change makes at most two differences.
        if word.len().abs_diff(typed.len()) > 4 * most || (self::bag(word) ^ bag).count_ones() as usize > 2 * most {
            return None;
        }
        let edits = osa_distance(typed, word);
        let swapped = is_swapped(typed, word);
        let near = (1..=most).contains(&edits)
            // Of two letters, nearly everything is near.
            && (letters > 2 || swapped)
            // `web1` and `web2`, `page-3.txt` and `page-4.txt` are not each other's misspelling.
            && digits(typed).eq(digits(word));
        near.then_some(Near { word, edits: edits as u8, swapped, begins: typed.chars().next() == word.chars().next() })
    });
    found.collect()
}

/// Which letters are in it, of which some count as the same.
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

    fn words(typed: &str, words: &[&'static str], reach: Reach) -> Vec<&'static str> {
        near(typed, words.iter().copied(), reach).iter().map(|near| near.word).collect()
    }

    #[test]
    fn hits_and_misses() {
        let usual = |typed: &str, word: &'static str| !words(typed, &[word], Reach::Usual).is_empty();
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
        let careful = |typed: &str, word: &'static str| !words(typed, &[word], Reach::Careful).is_empty();
        assert!(careful("mian", "main"));
        assert!(!careful("dve", "dev"));
        assert!(!careful("fetaure", "feature/x"));
        assert!(!careful("fetuare", "feature"));
    }

    #[test]
    fn swapped_letters_cost_least() {
        let cost = |typed: &str, word: &'static str| near(typed, [word].into_iter(), Reach::Usual)[0].cost();
        assert!(cost("gti", "git") < cost("gti", "gtk"));
        assert!(cost("gitt", "git") < cost("fit", "git"));
    }
}
