//! Maps words to meanings: synonyms, phrases, misspellings, other languages, and the weight of each word. Written in
//! data/translate/*.words. A meaning is a number, so that rules compare numbers.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A meaning that words and rules share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Concept(u32);

impl Concept {
    /// Numbers are dense and start at 0.
    pub fn number(self) -> usize {
        self.0 as usize
    }
}

/// Shorter words are never matched as misspellings: they could be anything.
const MIN_MISSPELT: usize = 3;

/// The keys are words of our own data, so collision attacks are no threat; a fast hash keeps the first query quick.
type Map<K, V> = HashMap<K, V, BuildHasherDefault<Quick>>;

/// The words after the first, and the meaning of the whole phrase.
type Phrase = (Box<[Box<str>]>, Concept);

#[derive(Default)]
struct Quick(u64);

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut eight = [0; 8];
            eight[..chunk.len()].copy_from_slice(chunk);
            self.0 = (self.0.rotate_left(5) ^ u64::from_le_bytes(eight)).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
    }

    fn finish(&self) -> u64 {
        // Multiplication carries only upwards, so the best-mixed bits are on top; the rotation moves them to where the
        // table looks.
        self.0.rotate_left(26)
    }
}

#[derive(Debug, Default)]
pub struct Lexicon {
    /// Each known word with its meaning.
    words: Map<Box<str>, Concept>,
    names: Vec<Box<str>>,
    /// Concepts below this number come from the word lists; the others are names that only rules use.
    spoken: u32,
    weights: Map<Concept, f32>,
    /// Phrases by their first word, the longest first.
    phrases: Map<Box<str>, Vec<Phrase>>,
    /// Chinese words by their first character, the longest first.
    han: Map<char, Vec<(Box<str>, Concept)>>,
    /// Words by their first letter, for the misspelling lookup.
    by_letter: Map<char, Vec<(Box<str>, Concept)>>,
}

/// Default weight of a word that means something.
const PLAIN: f32 = 1.0;

impl Lexicon {
    /// Lines of `meaning: word, word, a phrase`. A line `@0.2 word, word` gives weights. `#` begins a comment.
    pub fn parse<'t>(files: impl IntoIterator<Item = &'t str>) -> Self {
        let mut lexicon = Self::default();
        for line in files
            .into_iter()
            .flat_map(str::lines)
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            if let Some((weight, words)) = line.strip_prefix('@').and_then(|rest| rest.split_once(' ')) {
                let weight = weight.parse().unwrap_or(PLAIN);
                for word in words.split(',').map(str::trim) {
                    let concept = lexicon.add(word);
                    lexicon.weights.insert(concept, weight);
                }
            } else if let Some((meaning, words)) = line.split_once(':') {
                let concept = lexicon.add(meaning.trim());
                for word in words.split(',').map(str::trim).filter(|word| !word.is_empty()) {
                    lexicon.name(word, concept);
                }
            }
        }
        lexicon.settle();
        lexicon.spoken = lexicon.names.len() as u32;
        lexicon
    }

    /// Sorts the longest first. Must be called after words were added.
    pub fn settle(&mut self) {
        for list in self.phrases.values_mut() {
            list.sort_by_key(|(rest, _)| std::cmp::Reverse(rest.len()));
        }
        for list in self.han.values_mut() {
            list.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
        }
    }

    /// Whether it is a word of the language, and not only a name that some rule uses.
    pub fn is_spoken(&self, concept: Concept) -> bool {
        concept.0 < self.spoken
    }

    /// The meaning of a word, created if there is none: rules add words of their own.
    pub fn add(&mut self, word: &str) -> Concept {
        if let Some(known) = self.get(word).or_else(|| self.whole_han(word)) {
            return known;
        }
        let concept = Concept(self.names.len() as u32);
        self.names.push(word.into());
        self.name(word, concept);
        concept
    }

    fn name(&mut self, word: &str, concept: Concept) {
        if word.chars().next().is_some_and(is_han) {
            let first = word.chars().next().unwrap_or_default();
            self.han.entry(first).or_default().push((word.into(), concept));
        } else if let Some((first, rest)) = word.split_once(' ') {
            let rest: Box<[Box<str>]> = rest.split_whitespace().map(Box::from).collect();
            self.phrases.entry(first.into()).or_default().push((rest, concept));
        } else if self.words.insert(word.into(), concept).is_none()
            && word.len() > MIN_MISSPELT
            && word.bytes().all(|byte| byte.is_ascii_lowercase())
            && let Some(first) = word.chars().next()
        {
            self.by_letter.entry(first).or_default().push((word.into(), concept));
        }
    }

    pub fn get(&self, word: &str) -> Option<Concept> {
        self.words.get(word).copied()
    }

    /// Every known word, for tests.
    #[cfg(test)]
    pub fn all(&self) -> Vec<&str> {
        let mut words: Vec<&str> = self.words.keys().map(|word| &**word).collect();
        words.extend(self.han.values().flatten().map(|(word, _)| &**word));
        words.sort_unstable();
        words
    }

    pub fn text(&self, concept: Concept) -> &str {
        self.names.get(concept.0 as usize).map_or("", |name| name)
    }

    pub fn weight(&self, concept: Concept) -> f32 {
        self.weights.get(&concept).copied().unwrap_or(PLAIN)
    }

    /// The meaning of a word in any of its forms: `commits`, `copied`, `zipping`.
    pub fn meaning(&self, word: &str) -> Option<Concept> {
        self.get(word).or_else(|| forms(word).iter().find_map(|form| self.get(form)))
    }

    /// A phrase that begins with these words: its meaning, and how many words it takes.
    pub fn phrase<'w>(&self, first: &str, rest: impl Fn(usize) -> Option<&'w str>) -> Option<(Concept, usize)> {
        let list = self.phrases.get(first)?;
        list.iter().find_map(|(words, concept)| {
            let same = |(place, word): (usize, &str)| {
                rest(place).is_some_and(|said| said == word || forms(said).iter().any(|form| form == word))
            };
            words.iter().map(|word| &**word).enumerate().all(same).then_some((*concept, words.len() + 1))
        })
    }

    /// The longest known Chinese word that the text begins with: its meaning and its length in bytes.
    pub fn han(&self, text: &str) -> Option<(Concept, usize)> {
        let list = self.han.get(&text.chars().next()?)?;
        list.iter().find(|(word, _)| text.starts_with(&**word)).map(|(word, concept)| (*concept, word.len()))
    }

    /// The meaning of a whole Chinese word, as rules name it.
    pub fn whole_han(&self, word: &str) -> Option<Concept> {
        let list = self.han.get(&word.chars().next()?)?;
        list.iter().find(|(known, _)| **known == *word).map(|(_, concept)| *concept)
    }

    /// The probable meaning of an unknown word, by edit distance to known ones.
    pub fn misspelt(&self, word: &str) -> Option<Concept> {
        let length = word.len();
        if length < MIN_MISSPELT || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return None;
        }
        let allowed = if length >= 8 { 2 } else { 1 };
        let letters: Vec<char> = word.chars().take(2).collect();
        let near =
            |candidate: &str| {
                if candidate.len().abs_diff(length) > allowed {
                    return None;
                }
                let distance = strsim::osa_distance(word, candidate);
                // In a short word only swapped or missing letters count: `sotr` for `sort` and `comit` for `commit` are
                // likelier than `text` for `test`.
                let letters_same = same_letters(word, candidate);
                (distance <= allowed && (length > 4 || letters_same || length > 3 && candidate.len() > length))
                    .then_some((distance, !letters_same, candidate.len().abs_diff(length)))
            };
        // In most typos the first letter is right, or it stands second.
        let lists = letters.iter().filter_map(|letter| self.by_letter.get(letter)).flatten();
        let found = lists.filter_map(|(candidate, concept)| near(candidate).map(|cost| (cost, candidate, *concept)));
        found.min_by(|one, two| (one.0, one.1).cmp(&(two.0, two.1))).map(|(_, _, concept)| concept)
    }
}

fn same_letters(one: &str, two: &str) -> bool {
    let sorted = |word: &str| {
        let mut letters: Vec<u8> = word.bytes().collect();
        letters.sort_unstable();
        letters
    };
    sorted(one) == sorted(two)
}

/// Candidates for a word without its ending. English only, and only cheap rules: the lexicon decides whether such a
/// word exists.
pub fn forms(word: &str) -> Vec<String> {
    let mut forms = Vec::new();
    if !word.is_ascii() || word.len() < 3 {
        return forms;
    }
    let mut without = |ending: &str, instead: &str| {
        if let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.len() >= 2) {
            forms.push(format!("{stem}{instead}"));
            let bytes = stem.as_bytes();
            if instead.is_empty() && stem.len() > 2 && bytes[stem.len() - 1] == bytes[stem.len() - 2] {
                forms.push(stem[..stem.len() - 1].to_owned());
            }
        }
    };
    without("'s", "");
    without("ies", "y");
    without("es", "");
    without("s", "");
    without("ied", "y");
    without("ed", "");
    without("ed", "e");
    without("ing", "");
    without("ing", "e");
    without("er", "");
    without("ly", "");
    forms
}

pub fn is_han(letter: char) -> bool {
    matches!(letter, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexicon() -> Lexicon {
        Lexicon::parse(["
            # a comment
            @0 the, of
            @0.2 show
            delete: remove, erase, get rid of, 删除
            commit: commits
            larger: bigger than, larger than, 大于
            directory: folder, dir
            "])
    }

    #[test]
    fn synonyms_forms_and_misspellings_mean_the_same() {
        let lexicon = lexicon();
        let delete = lexicon.get("delete").unwrap();
        for word in ["delete", "deletes", "deleted", "deleting", "removing", "erase", "erased"] {
            assert_eq!(lexicon.meaning(word), Some(delete), "{word}");
        }
        assert_eq!(lexicon.meaning("directories"), lexicon.get("directory"));
        assert_eq!(lexicon.misspelt("comit"), lexicon.get("commit"));
        assert_eq!(lexicon.misspelt("dleete"), Some(delete));
        assert_eq!(lexicon.misspelt("direcotry"), lexicon.get("directory"));
        for word in ["xyz", "main", "somewhere"] {
            assert_eq!(lexicon.meaning(word).or_else(|| lexicon.misspelt(word)), None, "{word}");
        }
    }

    #[test]
    fn phrases_and_chinese_are_found_where_they_begin() {
        let lexicon = lexicon();
        let rest = ["rid", "of", "it"];
        assert_eq!(lexicon.phrase("get", |at| rest.get(at).copied()), Some((lexicon.get("delete").unwrap(), 3)));
        assert_eq!(lexicon.han("大于的"), Some((lexicon.get("larger").unwrap(), "大于".len())));
        assert_eq!(lexicon.han("文件"), None);
    }

    #[test]
    fn weights_are_given_and_plain_otherwise() {
        let lexicon = lexicon();
        assert_eq!(lexicon.weight(lexicon.get("the").unwrap()), 0.0);
        assert_eq!(lexicon.weight(lexicon.get("delete").unwrap()), PLAIN);
    }
}
