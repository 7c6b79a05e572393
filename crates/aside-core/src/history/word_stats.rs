//! Statistics of which words the user puts where: after a given word of a subcommand, anywhere in that subcommand,
//! anywhere in that command. Guesses the next word of a line that never ran. Knows nothing about files or which flags
//! take a value; the caller says how far a guess may reach and which flags take none.

use std::collections::HashMap;

use crate::history::hash;

/// Runs at the end of the history that words are learnt from.
pub const MAX_LEARNT: usize = 50_000;
/// Distinct words.
const MAX_WORDS: usize = 200_000;
/// A longer word is free text, which is not typed again.
const MAX_WORD: usize = 120;
/// Contexts in which words are counted.
const MAX_PLACES: usize = 200_000;
/// Words of one context; the least used are dropped first.
const MAX_PER_PLACE: usize = 512;
/// Decay factor of every word's weight per use of its context, for the contexts of `keys`: in a specific context, old
/// uses still count.
const KEPT: [f32; 4] = [0.97, 0.95, 0.95, 0.95];
/// Weight reserved for words never seen in a context: a base, plus this much times the square root of the words seen.
const NOVEL: f32 = 1.0;
const NOVEL_EACH: f32 = 0.4;

/// The decay factor where weights are added up.
const LEARNT: f32 = 0.92;
/// No flag.
const ALONE: u32 = u32::MAX;
/// The contexts of `keys` from this index on do not include the previous word.
const FAR: usize = 2;

#[derive(Debug, Default)]
pub struct WordStats {
    numbers: HashMap<Box<str>, u32>,
    texts: Vec<Box<str>>,
    places: HashMap<u32, Place>,
}

/// The words seen in one context.
#[derive(Debug, Default)]
struct Place {
    uses: u32,
    seen: Vec<Seen>,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    word: u32,
    /// The flag that it followed, whose value it may have been; `ALONE` if there was none, or if the context itself
    /// includes it.
    behind: u32,
    /// As of the use with the number `last`.
    weight: f32,
    last: u32,
    /// Its first bytes, to reject most words without a lookup.
    begins: [u8; 4],
}

/// A word that may come, and its probability, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WordGuess<'a> {
    pub word: &'a str,
    pub chance: f32,
}

/// The context at the cursor.
#[derive(Clone, Copy, Debug)]
pub struct WordPosition<'a> {
    /// The words of the command before the one being typed, its name first, as spelled.
    pub before: &'a [&'a str],
    /// The last command, or the one before the pipe: the context for a command name.
    pub after: &'a str,
    /// The typed part of the word.
    pub typed: &'a str,
    pub reach: Locality,
    pub stdin: Stdin,
}

/// Where a command reads from if it names no file: after a pipe it takes other words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stdin {
    Inherited,
    Pipe,
}

/// From how far away a word may be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locality {
    /// After the same word of the same subcommand; once a letter is typed, in the same subcommand.
    Slot,
    /// Anywhere in the same subcommand.
    Subcommand,
    /// Anywhere in the same command.
    Command,
}

impl WordStats {
    /// Records one command: its words, and what came before it.
    pub fn learn(&mut self, words: &[&str], after: &str, stdin: Stdin) {
        let ends = [END];
        for (number, word) in words.iter().chain(&ends).enumerate() {
            if word.len() > MAX_WORD {
                continue;
            }
            let Some(id) = self.number(word) else { continue };
            let flag = number.checked_sub(1).map(|last| words[last]).filter(|last| may_take_value(last));
            let behind = match flag.map(|flag| self.number(flag)) {
                Some(Some(flag)) => Some(flag),
                // There is no room for the flag, and the word may be its value.
                Some(None) => None,
                None => Some(ALONE),
            };
            for (place, key) in keys(&words[..number], after, stdin).into_iter().enumerate() {
                let behind = if place < FAR { Some(ALONE) } else { behind };
                let (Some(key), Some(behind)) = (key, behind) else { continue };
                if self.places.len() < MAX_PLACES || self.places.contains_key(&key) {
                    self.places.entry(key).or_default().note(id, behind, word);
                }
            }
        }
    }

    /// Whether a command of this name followed that command, or that operator.
    pub fn follows(&self, name: &str, after: &str) -> bool {
        let [_, key, ..] = keys(&[], after, Stdin::Inherited);
        let place = key.and_then(|key| self.places.get(&key));
        let id = self.numbers.get(name);
        place.zip(id).is_some_and(|(place, id)| place.seen.iter().any(|seen| seen.word == *id))
    }

    /// At most `limit` words that continue what is typed, the likeliest first. If nothing is typed, the end of the
    /// command is one of them. A word that followed a flag is only guessed after that flag: it may have been its value.
    pub fn next(&self, at: WordPosition<'_>, limit: usize) -> Vec<WordGuess<'_>> {
        self.next_with(at, limit, |_| false)
    }

    /// The same, if it is known which flags take no value.
    pub fn next_with(
        &self,
        at: WordPosition<'_>,
        limit: usize,
        is_switch: impl Fn(&str) -> bool,
    ) -> Vec<WordGuess<'_>> {
        let mut chances: Vec<(u32, f32)> = Vec::new();
        let mut left = 1.0;
        let mut keys = keys(at.before, at.after, at.stdin);
        let mut switches: HashMap<u32, bool> = HashMap::new();
        let mut is_free = |seen: &Seen| {
            seen.behind == ALONE
                || *switches.entry(seen.behind).or_insert_with(|| is_switch(&self.texts[seen.behind as usize]))
        };
        if !at.before.is_empty() {
            // A word after a flag is that flag's value.
            let is_begun = !at.typed.is_empty() && at.before.last().is_some_and(|last| !last.starts_with('-'));
            let near = match at.reach {
                Locality::Slot if is_begun => 3,
                Locality::Slot => 2,
                Locality::Subcommand => 3,
                Locality::Command => 4,
            };
            keys[near..].fill(None);
        }
        for (key, kept) in keys.into_iter().zip(KEPT) {
            let Some(place) = key.and_then(|key| self.places.get(&key)) else { continue };
            let from = chances.len();
            let fits = place.seen.iter().filter(|seen| self.goes_on(seen, at.typed) && is_free(seen));
            chances.extend(fits.map(|seen| (seen.word, seen.now(place.uses, kept))));
            let fitting = &mut chances[from..];
            let total: f32 = fitting.iter().map(|(_, weight)| weight).sum();
            // The more distinct words there were, the likelier is a new one: that share goes to the weaker contexts.
            let novelty = NOVEL + NOVEL_EACH * (fitting.len() as f32).sqrt();
            for (_, weight) in fitting {
                *weight *= left / (total + novelty);
            }
            if total > 0.0 {
                left *= novelty / (total + novelty);
            }
        }
        // A word from several contexts gets the sum of their probabilities.
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
        chances.into_iter().map(|(word, chance)| WordGuess { word: &self.texts[word as usize], chance }).collect()
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
    fn note(&mut self, word: u32, behind: u32, text: &str) {
        self.uses += 1;
        let uses = self.uses;
        match self.seen.iter_mut().find(|seen| seen.word == word && seen.behind == behind) {
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
                self.seen.push(Seen { word, behind, weight: 1.0, last: uses, begins });
            }
        }
    }
}

impl Seen {
    fn now(&self, uses: u32, kept: f32) -> f32 {
        // A word that was used once, long ago, is still better than nothing.
        (self.weight * kept.powi((uses - self.last).min(200) as i32)).max(0.02)
    }
}

/// One command of a line.
#[derive(Debug, Default)]
pub struct Pieces<'l> {
    /// The words between blanks, and where each begins.
    pub words: Vec<(usize, &'l str)>,
    /// The operator before it; empty for the first.
    pub operator: &'l str,
}

impl Pieces<'_> {
    pub fn stdin(&self) -> Stdin {
        if matches!(self.operator, "|" | "|&") { Stdin::Pipe } else { Stdin::Inherited }
    }

    /// The context for its name; `last` is the command that ran before the line.
    pub fn after<'a>(&self, last: &'a str) -> &'a str {
        match (self.operator, self.stdin()) {
            ("", _) => last,
            (_, Stdin::Pipe) => PIPED,
            (_, Stdin::Inherited) => CHAINED,
        }
    }
}

/// The commands of a line. A quoted word keeps its quotes; an unclosed quote extends to the end of the line.
pub fn pieces(line: &str) -> Vec<Pieces<'_>> {
    let mut commands = vec![Pieces::default()];
    let mut from = None;
    let mut quote = None;
    let mut is_escaped = false;
    let mut end = |from: Option<usize>, at: usize| {
        let Some(start) = from else { return };
        match &line[start..at] {
            operator @ ("|" | "|&" | "||" | "&&" | ";") => commands.push(Pieces { words: Vec::new(), operator }),
            piece => commands.last_mut().into_iter().for_each(|command| command.words.push((start, piece))),
        }
    };
    let mut letters = line.char_indices().peekable();
    while let Some((at, char)) = letters.next() {
        if is_escaped {
            is_escaped = false;
        } else if quote == Some(char) {
            quote = None;
        } else if quote.is_none() && char.is_whitespace() {
            end(from.take(), at);
            continue;
        } else if quote.is_none() && is_operator(&line[at..]) && !is_in_redirection(&line[..at]) {
            // `make&& ls`: an operator without a blank before it separates as well.
            end(from.take(), at);
            let goes_on = |next: char| next == char && char != ';' || char == '|' && next == '&';
            let is_double = letters.next_if(|(_, next)| goes_on(*next)).is_some();
            end(Some(at), at + 1 + usize::from(is_double));
            continue;
        } else if char == '\\' && quote != Some('\'') {
            is_escaped = true;
        } else if quote.is_none() && matches!(char, '\'' | '"') {
            quote = Some(char);
        }
        from = from.or(Some(at));
    }
    end(from, line.len());
    commands
}

/// Whether an operator that ends a command begins here; a single `&` may be part of `2>&1`.
fn is_operator(rest: &str) -> bool {
    rest.starts_with([';', '|']) || rest.starts_with("&&")
}

/// `>|` is a redirection.
fn is_in_redirection(before: &str) -> bool {
    before.ends_with('>')
}

/// Whether the next word may belong to this one: a flag without its value, a redirection without its file.
fn may_take_value(word: &str) -> bool {
    let is_flag = word.len() > 1 && word.starts_with('-') && word != "--" && !word.contains('=');
    let is_number = word.chars().nth(1).is_some_and(|first| first.is_ascii_digit());
    is_flag && !is_number || word.ends_with(['>', '<'])
}

/// Context of a command after a pipe.
pub const PIPED: &str = "|";
/// Context of a command after another one on the same line that ends first.
const CHAINED: &str = "&&";
/// Marks the end of a command.
pub const END: &str = "";

/// The contexts of a word, the most specific first: after the last two words, after the last one, in the subcommand, in
/// the command. The first word that is no flag counts as the subcommand, even if the command has none.
fn keys(before: &[&str], after: &str, stdin: Stdin) -> [Option<u32>; 4] {
    let key = |kind: &str, parts: &[&str]| {
        let piped: &[&str] = if stdin == Stdin::Pipe && !before.is_empty() { &[PIPED] } else { &[] };
        let parts = piped.iter().chain(parts);
        Some(parts.fold(hash(kind), |sum, part| sum.rotate_left(9).wrapping_mul(31) ^ hash(part)))
    };
    let [name, rest @ ..] = before else { return [None, key("name", &[after]), key("name", &[]), None] };
    let sub = rest.iter().find(|word| !word.starts_with('-')).copied().unwrap_or_default();
    let last = rest.last().copied().unwrap_or_default();
    let two = match rest {
        [.., one, last] => key("two", &[name, sub, one, last]),
        _ => None,
    };
    [two, key("next", &[name, sub, last]), key("sub", &[name, sub]), key("any", &[name])]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(commands: &[&str]) -> WordStats {
        let mut words = WordStats::default();
        let mut after = "";
        for command in commands {
            let split: Vec<&str> = command.split(' ').collect();
            words.learn(&split, after, Stdin::Inherited);
            after = split[0];
        }
        words
    }

    fn best<'a>(words: &'a WordStats, before: &[&str], typed: &str) -> Vec<&'a str> {
        let at = WordPosition { before, after: "", typed, reach: Locality::Command, stdin: Stdin::Inherited };
        words.next(at, 3).iter().map(|guess| guess.word).collect()
    }

    #[test]
    fn the_word_that_came_here_most_lately_and_most_often_wins() {
        let words = words(&["git add src/a.rs", "git add src/b.rs", "git add src/a.rs", "vim src/c.rs"]);
        assert_eq!(best(&words, &["git", "add"], "src/")[..2], ["src/a.rs", "src/b.rs"]);
        assert_eq!(best(&words, &["git", "add"], "src/c"), [""; 0], "a word of another command");
        assert_eq!(best(&words, &["git", "add"], "nothing"), [""; 0]);
    }

    #[test]
    fn a_word_comes_from_no_further_than_is_allowed() {
        let words = words(&["mkdir build", "git status --short", "git commit -m x", "git checkout main"]);
        assert_eq!(best(&words, &["cd"], "bu"), [""; 0], "another command");
        let from = |before: &[&str], reach| {
            let at = WordPosition { before, after: "", typed: "", reach, stdin: Stdin::Inherited };
            words.next(at, 9).iter().map(|guess| guess.word).filter(|word| *word != END).collect::<Vec<_>>()
        };
        assert_eq!(from(&["git", "checkout"], Locality::Slot), ["main"]);
        assert_eq!(from(&["git", "checkout"], Locality::Subcommand), ["main"]);
        assert!(from(&["git", "checkout"], Locality::Command).contains(&"--short"));
        assert_eq!(from(&["git", "commit", "-m"], Locality::Slot), ["x"]);
        assert_eq!(from(&["git", "commit", "-a"], Locality::Slot), [""; 0]);
        assert_eq!(from(&["git"], Locality::Subcommand), ["checkout", "commit", "status"]);
    }

    #[test]
    fn what_stood_behind_a_flag_may_be_its_value() {
        let words = words(&["psql -h localhost shop", "kubectl get -n web pods", "head -5 notes", "make > out.txt"]);
        let from = |before: &[&str], typed, is_switch: fn(&str) -> bool| {
            let at = WordPosition { before, after: "", typed, reach: Locality::Command, stdin: Stdin::Inherited };
            let guesses = words.next_with(at, 9, is_switch).into_iter().map(|guess| guess.word);
            guesses.filter(|word| *word != END).collect::<Vec<_>>()
        };
        assert_eq!(from(&["psql"], "", |_| false), ["-h", "shop"]);
        assert_eq!(from(&["psql"], "l", |flag| flag == "-h"), ["localhost"]);
        assert_eq!(from(&["psql", "-h"], "l", |_| false), ["localhost"], "behind the flag itself");
        assert_eq!(from(&["kubectl", "get"], "w", |_| false), [""; 0]);
        assert_eq!(from(&["head"], "n", |_| false), ["notes"], "a number takes nothing");
        assert_eq!(from(&["make"], "o", |_| true), ["out.txt"], "a redirection is the caller's to know");
        assert_eq!(from(&["make"], "o", |_| false), [""; 0]);
    }

    #[test]
    fn behind_a_pipe_come_words_that_came_behind_one() {
        let mut words = WordStats::default();
        for line in ["grep -rn TODO src", "ps aux | grep nginx", "make && cd build", "ls |& less"] {
            for command in pieces(line) {
                let split: Vec<&str> = command.words.iter().map(|(_, word)| *word).collect();
                words.learn(&split, command.after(""), command.stdin());
            }
        }
        let from = |stdin| {
            let at = WordPosition { before: &["grep"], after: "", typed: "", reach: Locality::Slot, stdin };
            words.next(at, 9).iter().map(|guess| guess.word).filter(|word| *word != END).collect::<Vec<_>>()
        };
        assert_eq!((from(Stdin::Pipe), from(Stdin::Inherited)), (vec!["nginx"], vec!["-rn"]));
        assert!(words.follows("grep", PIPED) && words.follows("less", PIPED) && !words.follows("cd", PIPED));
    }

    #[test]
    fn a_word_in_quotes_is_one() {
        let words = |line| {
            pieces(line)
                .into_iter()
                .map(|command| command.words.into_iter().map(|(_, word)| word).collect())
                .collect::<Vec<Vec<_>>>()
        };
        assert_eq!(words("git commit -m 'a b'  c"), [["git", "commit", "-m", "'a b'", "c"]]);
        assert_eq!(words("a \"b | c\" | d 'e"), [vec!["a", "\"b | c\""], vec!["d", "'e"]]);
        assert_eq!(words(r"a b\ c 'd\' e"), [["a", r"b\ c", r"'d\'", "e"]]);
        assert_eq!(words("kubectl get -o jsonpath='{range .items[*]}{\"\\t\"}{end}'").concat().len(), 4);
    }

    #[test]
    fn chances_add_up_to_less_than_one_and_grow_with_use() {
        let words = words(&["make test", "make test", "make test", "make all"]);
        let at =
            WordPosition { before: &["make"], after: "", typed: "", reach: Locality::Command, stdin: Stdin::Inherited };
        let guesses = words.next(at, 9);
        let sum: f32 = guesses.iter().map(|guess| guess.chance).sum();
        assert!(sum < 1.0, "{guesses:?}");
        assert!(guesses[0].word == "test" && guesses[0].chance > 0.4, "{guesses:?}");
    }

    #[test]
    fn what_comes_after_what_ran_last() {
        let mut words = WordStats::default();
        words.learn(&["make"], "vim", Stdin::Inherited);
        words.learn(&["man"], "ls", Stdin::Inherited);
        let at =
            |after| WordPosition { before: &[], after, typed: "m", reach: Locality::Slot, stdin: Stdin::Inherited };
        let after = |after| words.next(at(after), 1)[0].word;
        assert_eq!((after("vim"), after("ls")), ("make", "man"));
    }

    #[test]
    fn a_place_has_a_cap_and_the_newest_stay() {
        let mut words = WordStats::default();
        for number in 0..3 * MAX_PER_PLACE {
            words.learn(&["x", &format!("w{number}")], "", Stdin::Inherited);
        }
        assert!(words.places.values().all(|place| place.seen.len() <= MAX_PER_PLACE));
        assert_eq!(best(&words, &["x"], &format!("w{}", 3 * MAX_PER_PLACE - 1)), [""; 0]);
        assert_eq!(best(&words, &["x"], &format!("w{}", 3 * MAX_PER_PLACE - 10).as_str()[..4]).len(), 3);
    }
}
