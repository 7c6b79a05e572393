//! Which words a person puts where: after this word of that command, anywhere in that command, anywhere at all. Guesses the
//! next word of a line that never ran. Knows nothing about files or flags.

use std::collections::HashMap;

use crate::history::hash;

/// Runs at the end of the history that words are learnt from.
pub const MAX_LEARNT: usize = 50_000;
/// Different words.
const MAX_WORDS: usize = 200_000;
/// A longer one is a text, which nobody types again.
const MAX_WORD: usize = 120;
/// Places in which words are counted.
const MAX_PLACES: usize = 200_000;
/// Words of one place; the ones used least go first.
const MAX_PER_PLACE: usize = 512;
/// What one more use of a place leaves of the weight of each word in it, for the places of `keys`: in a place that tells
/// much, what was used long ago still counts.
const KEPT: [f32; 4] = [0.97, 0.95, 0.95, 0.9];
/// How much of the weight in a place belongs to words never seen there: this, and so much for each that was.
const NOVEL: f32 = 1.0;
const NOVEL_EACH: f32 = 0.4;

/// The same, where weights are added up.
const LEARNT: f32 = 0.92;

#[derive(Debug, Default)]
pub struct Words {
    numbers: HashMap<Box<str>, u32>,
    texts: Vec<Box<str>>,
    places: HashMap<u32, Place>,
}

/// The words seen in one place.
#[derive(Debug, Default)]
struct Place {
    uses: u32,
    seen: Vec<Seen>,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    word: u32,
    /// As of the use with the number `last`.
    weight: f32,
    last: u32,
    /// Its first bytes, to pass over most words without looking at them.
    begins: [u8; 4],
}

/// A word that may come, and how likely it is, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guess<'a> {
    pub word: &'a str,
    pub chance: f32,
}

/// The place at the cursor.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// The words of the command before the one that is typed, its name first, as they are spelled.
    pub before: &'a [&'a str],
    /// What ran last, or the command before the pipe: what a name is expected after.
    pub after: &'a str,
    /// What is typed of the word.
    pub typed: &'a str,
}

impl Words {
    /// Takes note of one command: its words, and what came before it.
    pub fn learn(&mut self, words: &[&str], after: &str) {
        let ends = [END];
        for (number, word) in words.iter().chain(&ends).enumerate() {
            if word.len() > MAX_WORD {
                continue;
            }
            let Some(id) = self.number(word) else { continue };
            for key in keys(&words[..number], after).into_iter().flatten() {
                if self.places.len() < MAX_PLACES || self.places.contains_key(&key) {
                    self.places.entry(key).or_default().note(id, word);
                }
            }
        }
    }

    /// At most `limit` words that go on after what is typed, the likeliest first. Where nothing is typed, the end of the
    /// command is one of them.
    pub fn next(&self, at: At<'_>, limit: usize) -> Vec<Guess<'_>> {
        let mut chances: Vec<(u32, f32)> = Vec::new();
        let mut left = 1.0;
        let mut keys = keys(at.before, at.after);
        if at.typed.is_empty() {
            keys[3] = None;
        }
        for (key, kept) in keys.into_iter().zip(KEPT) {
            let Some(place) = key.and_then(|key| self.places.get(&key)) else { continue };
            let from = chances.len();
            let fits = place.seen.iter().filter(|seen| self.goes_on(seen, at.typed));
            chances.extend(fits.map(|seen| (seen.word, seen.now(place.uses, kept))));
            let fitting = &mut chances[from..];
            let total: f32 = fitting.iter().map(|(_, weight)| weight).sum();
            // The more different words there were, the likelier comes another one: what is left for the weaker places.
            let novelty = NOVEL + NOVEL_EACH * (fitting.len() as f32).sqrt();
            for (_, weight) in fitting {
                *weight *= left / (total + novelty);
            }
            if total > 0.0 {
                left *= novelty / (total + novelty);
            }
        }
        // A word that is known from several places counts for all of them.
        chances.sort_unstable_by_key(|(word, _)| *word);
        chances.dedup_by(|later, first| {
            let same = later.0 == first.0;
            if same {
                first.1 += later.1;
            }
            same
        });
        chances.sort_unstable_by(|a, b| b.1.total_cmp(&a.1));
        chances.truncate(limit);
        chances.into_iter().map(|(word, chance)| Guess { word: &self.texts[word as usize], chance }).collect()
    }

    fn goes_on(&self, seen: &Seen, typed: &str) -> bool {
        let known = typed.len().min(seen.begins.len());
        if seen.begins[..known] != typed.as_bytes()[..known] {
            return false;
        }
        let text = &self.texts[seen.word as usize];
        typed.is_empty() || (text.len() > typed.len() && text.starts_with(typed))
    }

    fn number(&mut self, word: &str) -> Option<u32> {
        if let Some(number) = self.numbers.get(word) {
            return Some(*number);
        }
        if self.texts.len() >= MAX_WORDS {
            return None;
        }
        let number = self.texts.len() as u32;
        self.texts.push(word.into());
        self.numbers.insert(word.into(), number);
        Some(number)
    }
}

impl Place {
    fn note(&mut self, word: u32, text: &str) {
        self.uses += 1;
        let uses = self.uses;
        match self.seen.iter_mut().find(|seen| seen.word == word) {
            Some(seen) => {
                seen.weight = seen.now(uses, LEARNT) + 1.0;
                seen.last = uses;
            }
            None => {
                if self.seen.len() >= MAX_PER_PLACE {
                    self.seen.sort_by(|a, b| b.now(uses, LEARNT).total_cmp(&a.now(uses, LEARNT)));
                    self.seen.truncate(MAX_PER_PLACE / 2);
                }
                let mut begins = [0; 4];
                for (to, from) in begins.iter_mut().zip(text.bytes()) {
                    *to = from;
                }
                self.seen.push(Seen { word, weight: 1.0, last: uses, begins });
            }
        }
    }
}

impl Seen {
    fn now(&self, uses: u32, kept: f32) -> f32 {
        // What was used once, long ago, is still better than nothing.
        (self.weight * kept.powi((uses - self.last).min(200) as i32)).max(0.02)
    }
}

/// The commands of a line, each as the pieces between its blanks, and where each piece begins. Quotes are not looked at:
/// the words of a sentence come again just as those of a command do.
pub fn pieces(line: &str) -> Vec<Vec<(usize, &str)>> {
    let mut commands = vec![Vec::new()];
    let mut from = None;
    for (at, char) in line.char_indices().chain([(line.len(), ' ')]) {
        match (char.is_whitespace(), from) {
            (false, None) => from = Some(at),
            (true, Some(start)) => {
                from = None;
                match &line[start..at] {
                    "|" | "||" | "&&" | ";" => commands.push(Vec::new()),
                    piece => commands.last_mut().into_iter().for_each(|command| command.push((start, piece))),
                }
            }
            (false, Some(_)) | (true, None) => {}
        }
    }
    commands
}

/// Stands for a command before it in the same line.
pub const PIPED: &str = "|";
/// Stands for the end of a command.
pub const END: &str = "";

/// The places a word stands in, the most telling first. Where nothing is typed, that a word was used in another command
/// tells nothing.
fn keys(before: &[&str], after: &str) -> [Option<u32>; 4] {
    let key = |kind: &str, parts: &[&str]| {
        Some(parts.iter().fold(hash(kind), |sum, part| sum.rotate_left(9).wrapping_mul(31) ^ hash(part)))
    };
    match before {
        [] => [None, key("name", &[after]), key("name", &[]), None],
        [name] => [None, key("first", &[name]), key("any", &[name]), key("all", &[])],
        [name, last] => [None, key("next", &[name, last]), key("any", &[name]), key("all", &[])],
        [name, .., one, last] => {
            [key("two", &[name, one, last]), key("next", &[name, last]), key("any", &[name]), key("all", &[])]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(commands: &[&str]) -> Words {
        let mut words = Words::default();
        let mut after = "";
        for command in commands {
            let split: Vec<&str> = command.split(' ').collect();
            words.learn(&split, after);
            after = split[0];
        }
        words
    }

    fn best<'a>(words: &'a Words, before: &[&str], typed: &str) -> Vec<&'a str> {
        words.next(At { before, after: "", typed }, 3).iter().map(|guess| guess.word).collect()
    }

    #[test]
    fn the_word_that_came_here_most_lately_and_most_often_wins() {
        let words = words(&["git add src/a.rs", "git add src/b.rs", "git add src/a.rs", "vim src/c.rs"]);
        assert_eq!(best(&words, &["git", "add"], "src/")[..2], ["src/a.rs", "src/b.rs"]);
        assert_eq!(best(&words, &["git", "add"], "src/c"), ["src/c.rs"]);
        assert_eq!(best(&words, &["git", "add"], "nothing"), [""; 0]);
    }

    #[test]
    fn a_word_of_another_command_is_better_than_none() {
        let words = words(&["mkdir build", "ls"]);
        assert_eq!(best(&words, &["cd"], "bu"), ["build"]);
    }

    #[test]
    fn chances_add_up_to_less_than_one_and_grow_with_use() {
        let words = words(&["make test", "make test", "make test", "make all"]);
        let guesses = words.next(At { before: &["make"], after: "", typed: "" }, 9);
        let sum: f32 = guesses.iter().map(|guess| guess.chance).sum();
        assert!(sum < 1.0, "{guesses:?}");
        assert!(guesses[0].word == "test" && guesses[0].chance > 0.4, "{guesses:?}");
    }

    #[test]
    fn what_comes_after_what_ran_last() {
        let mut words = Words::default();
        words.learn(&["make"], "vim");
        words.learn(&["man"], "ls");
        let after = |after| words.next(At { before: &[], after, typed: "m" }, 1)[0].word;
        assert_eq!((after("vim"), after("ls")), ("make", "man"));
    }

    #[test]
    fn a_place_has_a_cap_and_the_newest_stay() {
        let mut words = Words::default();
        for number in 0..3 * MAX_PER_PLACE {
            words.learn(&["x", &format!("w{number}")], "");
        }
        assert!(words.places.values().all(|place| place.seen.len() <= MAX_PER_PLACE));
        assert_eq!(best(&words, &["x"], &format!("w{}", 3 * MAX_PER_PLACE - 1)), [""; 0]);
        assert_eq!(best(&words, &["x"], &format!("w{}", 3 * MAX_PER_PLACE - 10).as_str()[..4]).len(), 3);
    }
}
