//! The features of a request for the learned classifier: its words, their meanings, pairs of both, and character
//! n-grams. A typed value (a path, a number, a quoted text) becomes a mark, since its name says nothing about what is
//! asked.

use crate::embedded::analysis::{AnalyzedQuery, QueryWord};
use crate::embedded::entities::Entity;
use crate::embedded::lexicon::is_han;

/// Only this many words from the beginning are used.
const MAX_WORDS: usize = 60;
/// Lengths of the character n-grams.
const PIECES: std::ops::RangeInclusive<usize> = 3..=5;

/// One word as the classifier sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    /// Index of the word of the reading that it is, or is a part of.
    pub place: usize,
    pub is_mark: bool,
}

pub fn tokens(reading: &AnalyzedQuery<'_>) -> Vec<Token> {
    let mut tokens = Vec::new();
    for (place, word) in reading.words.iter().enumerate() {
        if let Some(mark) = mark(word) {
            tokens.push(Token { text: mark.to_owned(), place, is_mark: true });
            continue;
        }
        let text = word.text.to_lowercase();
        let parts = text.split_whitespace().map(|part| Token { text: part.to_owned(), place, is_mark: false });
        tokens.extend(parts);
    }
    tokens.truncate(MAX_WORDS);
    tokens
}

/// The mark for a word that is a value. Names that only this machine knows (branches, users, files without an ending)
/// stay words, so that a request has the same features everywhere.
fn mark(word: &QueryWord) -> Option<&'static str> {
    Some(match word.thing.as_ref()? {
        Entity::Size(_) => "<size>",
        Entity::Time(_) => "<time>",
        Entity::Number(_) => "<number>",
        Entity::Path(path) if path.contains(['.', '/', '~']) || word.text.contains(' ') => "<path>",
        Entity::Glob(_) => "<glob>",
        Entity::Text(_) => "<text>",
        Entity::Port(_) => "<port>",
        Entity::Mode(_) => "<mode>",
        Entity::Address(_) => "<address>",
        Entity::Url(_) => "<url>",
        Entity::Email(_) => "<email>",
        Entity::Host(_) => "<host>",
        Entity::Elsewhere(_) => "<elsewhere>",
        Entity::Commit(_) => "<commit>",
        Entity::Variable(_) => "<variable>",
        Entity::Kind(_) if word.text.starts_with('.') => "<kind>",
        Entity::Path(_)
        | Entity::Kind(_)
        | Entity::Branch(_)
        | Entity::Remote(_)
        | Entity::Tag(_)
        | Entity::User(_)
        | Entity::Process(_) => return None,
    })
}

/// Calls `put` with every feature of a request, by the parts of its name; some more than once.
pub fn each(reading: &AnalyzedQuery<'_>, tokens: &[Token], put: &mut dyn FnMut(&[&str])) {
    let texts: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    for token in tokens {
        put(&["w ", &token.text]);
        if !token.is_mark {
            pieces(&token.text, put);
        }
    }
    put(&["b ^ ", texts.first().unwrap_or(&"")]);
    put(&["b ", texts.last().unwrap_or(&""), " $"]);
    for pair in texts.windows(2) {
        if let [one, two] = pair {
            put(&["b ", one, " ", two]);
        }
    }
    // `what is wrong with <path>`: the ending tells the kind of file.
    for word in &reading.words {
        if let Some(Entity::Path(path)) = &word.thing
            && let Some((_, ending)) = path.rsplit_once('.').filter(|(_, ending)| (1..=5).contains(&ending.len()))
        {
            put(&["e ", &ending.to_lowercase()]);
        }
    }
    // The meaning of a word, or else the word itself: pairs of these are the strongest features.
    let weighs = |(_, word): &(usize, &QueryWord)| word.weight > 0.0;
    let meant = |(place, word): (usize, &QueryWord)| match (mark(word), reading.meaning(place)) {
        (Some(mark), _) => mark.to_owned(),
        (None, "") => word.low.clone(),
        (None, meaning) => meaning.to_owned(),
    };
    let meant: Vec<String> = reading.words.iter().enumerate().filter(weighs).map(meant).take(MAX_WORDS).collect();
    for meaning in &meant {
        put(&["m ", meaning]);
    }
    for (place, one) in meant.iter().enumerate() {
        for two in meant.iter().skip(place + 1).take(3) {
            let (one, two) = if one < two { (one, two) } else { (two, one) };
            put(&["n ", one, " ", two]);
        }
    }
}

/// Character n-grams, which survive typos and which words of one stem share.
pub fn pieces(word: &str, put: &mut dyn FnMut(&[&str])) {
    if word.chars().any(is_han) {
        return;
    }
    let edged = format!("_{word}_");
    let ends: Vec<usize> = edged.char_indices().map(|(at, _)| at).chain([edged.len()]).collect();
    for length in PIECES {
        for window in ends.windows(length + 1) {
            if let (Some(start), Some(end)) = (window.first(), window.last())
                && let Some(piece) = edged.get(*start..*end)
            {
                put(&["g ", piece]);
            }
        }
    }
}

/// FNV-1a over the concatenated parts.
pub fn hash(parts: &[&str]) -> u32 {
    let bytes = parts.iter().flat_map(|part| part.bytes());
    bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
