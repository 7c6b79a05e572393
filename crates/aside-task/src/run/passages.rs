//! The passage of a project's texts that has most of the words of a question, the rare ones counting more. For a question that no reader
//! understands: a passage with its place is an answer that the user can judge.

use crate::run::search::identifiers::{parts, stem};

/// Words of a question that count.
const MAX_WORDS: usize = 12;
/// Lines of a passage.
const MAX_LINES: usize = 14;
/// Share of the weight of all words that a passage has to have.
const LEAST: f64 = 0.62;
/// Candidates that are kept.
const MAX_KEPT: usize = 4_000;

/// A passage with the words that it has and those that it lacks.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    pub path: String,
    /// The first line, from 1.
    pub line: usize,
    pub text: String,
    pub has: Vec<String>,
    pub lacks: Vec<String>,
}

/// A candidate: the words that it has as bits, its path, its first line, and its text.
type Kept = (u32, String, usize, String);

/// Collects candidates text by text.
pub struct Passages {
    words: Vec<(String, String)>,
    /// Lines that have each word.
    counts: Vec<usize>,
    lines: usize,
    kept: Vec<Kept>,
}

impl Passages {
    /// `None` where one word or none is left to look for.
    pub fn new(words: &[String]) -> Option<Self> {
        let mut all: Vec<(String, String)> = Vec::new();
        let split = |word: &String| {
            let parts = word.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
            parts.filter(|part| !part.is_empty()).map(str::to_owned).collect::<Vec<String>>()
        };
        for word in words.iter().flat_map(split) {
            let stem = stem(&word.to_lowercase());
            if !all.iter().any(|(_, known)| *known == stem) && word.chars().any(char::is_alphanumeric) {
                all.push((word, stem));
            }
        }
        let counts = vec![0; all.len()];
        ((2..=MAX_WORDS).contains(&all.len())).then_some(Self { words: all, counts, lines: 0, kept: Vec::new() })
    }

    /// Looks through a text: blocks between blank lines, cut where they are long.
    pub fn take(&mut self, path: &str, text: &str) {
        let lines: Vec<&str> = text.lines().collect();
        let mut start = 0;
        let mut mask = 0;
        let name = self.mask(&path.replace(['/', '.'], " "));
        for (at, line) in lines.iter().enumerate() {
            let own = self.mask(line);
            self.lines += 1;
            for (word, count) in self.counts.iter_mut().enumerate() {
                *count += usize::from(own & (1 << word) != 0);
            }
            let ends = line.trim().is_empty() || at - start >= MAX_LINES;
            if ends {
                self.keep(mask, name, path, &lines, start, at);
                start = if line.trim().is_empty() { at + 1 } else { at };
                mask = 0;
            }
            mask |= own;
        }
        self.keep(mask, name, path, &lines, start, lines.len());
    }

    fn keep(&mut self, mask: u32, name: u32, path: &str, lines: &[&str], start: usize, end: usize) {
        // The path alone says nothing about a passage of it, but for the first.
        let says = mask != 0 || start == 0;
        if (mask | name).count_ones() < 2 || !says || self.kept.len() >= MAX_KEPT {
            return;
        }
        // What a file is for is said by more than its imports.
        let end = if mask == 0 { lines.len().min(MAX_LINES) } else { end };
        let text = lines.get(start..end).unwrap_or_default().join("\n");
        self.kept.push((mask | name, path.to_owned(), start + 1, text));
    }

    /// The words that a line has. Stems are only made where a line has the begin of one: most lines have none.
    fn mask(&self, line: &str) -> u32 {
        let lower = line.to_lowercase();
        // A stem is the begin of its word but for a last `y` or `i`.
        let begins = |stem: &str| lower.contains(stem.strip_suffix(['y', 'i']).unwrap_or(stem));
        if !self.words.iter().any(|(_, stem)| begins(stem)) {
            return 0;
        }
        let mut mask = 0;
        for token in line.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')) {
            if token.is_empty() {
                continue;
            }
            let whole = token.to_lowercase();
            let pieces: Vec<String> = parts(token).iter().map(|part| stem(part)).collect();
            for (at, (word, stemmed)) in self.words.iter().enumerate() {
                if whole == *word || pieces.iter().any(|part| part == stemmed) {
                    mask |= 1 << at;
                }
            }
        }
        mask
    }

    /// The best passages, the nearest first; none where too much of the question is missing in all.
    pub fn best(&self, many: usize) -> Vec<Passage> {
        let weight = |at: usize| {
            let count = self.counts.get(at).copied().unwrap_or(0);
            (1.0 + (self.lines as f64 + 1.0) / (count as f64 + 1.0)).ln()
        };
        let total: f64 = (0..self.words.len()).map(weight).sum();
        let score = |mask: u32| (0..self.words.len()).filter(|at| mask & (1 << at) != 0).map(weight).sum::<f64>();
        let prose = |path: &str| [".md", ".rst", ".txt", ".adoc"].iter().any(|ending| path.ends_with(ending));
        let is_test = |path: &str| path.split(['/', '_', '.']).any(|part| ["test", "tests", "spec"].contains(&part));
        let mut ranked: Vec<(f64, &Kept)> = self
            .kept
            .iter()
            .map(|kept| {
                let (mask, path, _, text) = kept;
                // Shorter passages of code say the same with less; tests only show it.
                let malus = text.lines().count() as f64 * 0.01
                    + f64::from(u8::from(is_test(path)))
                    + f64::from(u8::from(prose(path))) * 0.05;
                (score(*mask) - malus, kept)
            })
            .filter(|(_, (mask, ..))| score(*mask) >= LEAST * total && mask.count_ones() >= 2)
            .collect();
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.1.cmp(&other.1.1)));
        let of = |mask: u32, has: bool| {
            let fits = |at: &usize| (mask & (1 << at) != 0) == has;
            (0..self.words.len()).filter(fits).filter_map(|at| Some(self.words.get(at)?.0.clone())).collect()
        };
        let passage = |(_, (mask, path, line, text)): &(f64, &Kept)| Passage {
            path: path.clone(),
            line: *line,
            text: text.clone(),
            has: of(*mask, true),
            lacks: of(*mask, false),
        };
        let first = ranked.first().map_or(0.0, |(score, _)| *score);
        ranked.iter().take_while(|(score, _)| *score >= first - 0.6).take(many).map(passage).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(question: &str) -> String {
        let words: Vec<String> = question.split_whitespace().map(str::to_owned).collect();
        let Some(mut passages) = Passages::new(&words) else { return String::new() };
        passages.take(
            "src/oven.rs",
            "// The oven needs ten minutes to warm up.\nconst WARM_UP: u32 = 10;\n\nfn bake() {}\n",
        );
        passages.take("docs/bread.md", "# Bread\n\nBread rests for an hour.\n");
        passages
            .best(1)
            .first()
            .map(|found| format!("{}:{} without {:?}", found.path, found.line, found.lacks))
            .unwrap_or_default()
    }

    #[test]
    fn the_passage_with_most_words_is_found_or_none() {
        assert_eq!(best("warm oven"), "src/oven.rs:1 without []");
        assert_eq!(best("oven ten minutes temperature"), "src/oven.rs:1 without [\"temperature\"]");
        assert_eq!(best("bread rest hour"), "docs/bread.md:3 without []");
        assert_eq!(best("bread temperature salt"), "");
        assert_eq!(best("oven"), "");
    }
}
