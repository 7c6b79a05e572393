//! Words that the tables of operations and facets know.

/// Words that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase(Vec<String>);

impl Phrase {
    pub fn of<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        Self(words.into_iter().map(str::to_lowercase).collect())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// So that no part of a phrase is taken alone.
pub fn longest_first(mut phrases: Vec<Phrase>) -> Vec<Phrase> {
    phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
    phrases
}
