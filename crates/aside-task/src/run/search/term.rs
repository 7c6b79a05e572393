//! A search term, and how well a line matches it: exactly, in another spelling, as part of a longer name, or by a synonym.

use regex::{Regex, RegexBuilder};

use crate::run::search::identifiers::{Token, Tokens, parts, stem};
use crate::run::search::lists;

/// Terms of one search.
pub const MAX_TERMS: usize = 6;
/// Bytes of a compiled regular expression.
const MAX_REGEX: usize = 1024 * 1024;
/// Letters from which a word may match as a prefix.
const LONG: usize = 5;

/// Scores of a whole name, and of a part of one.
pub const WHOLE: u8 = 85;
pub const PART: u8 = 50;

#[derive(Clone, Debug)]
pub enum Term {
    /// A text in quotes, with any whitespace between its words.
    Text {
        exact: Regex,
        any_case: Regex,
        pattern: String,
    },
    Pattern {
        regex: Regex,
        text: String,
    },
    /// `parse_config`, with `Config` as the owner in `Config::parse_config`.
    Name {
        written: String,
        parts: Vec<String>,
        owner: Option<String>,
    },
    Word {
        word: String,
        stem: String,
        likes: Vec<String>,
    },
    /// Words of a language without blanks.
    Han {
        text: String,
        likes: Vec<String>,
    },
}

impl Term {
    pub fn text(text: &str) -> Option<Self> {
        let pattern = text.split_whitespace().map(regex::escape).collect::<Vec<_>>().join(r"\s+");
        let exact = compiled(&pattern)?;
        Some(Self::Text { exact, any_case: compiled(&format!("(?i){pattern}"))?, pattern })
    }

    /// Smart case: lower-case patterns match any case.
    pub fn pattern(text: &str) -> Option<Self> {
        let small = !text.chars().any(char::is_uppercase) || text.contains('\\');
        let regex = RegexBuilder::new(text).case_insensitive(small).size_limit(MAX_REGEX).build().ok()?;
        Some(Self::Pattern { regex, text: if small { format!("(?i:{text})") } else { text.to_owned() } })
    }

    pub fn name(written: &str) -> Option<Self> {
        let plain = written
            .trim_end_matches("()")
            .trim_end_matches('!')
            .trim_matches(|letter: char| letter == '.' || letter == ':');
        let at = plain.rfind([':', '.', '#', '>', '/']).map_or(0, |at| at + 1);
        let (before, last) = plain.split_at_checked(at)?;
        let owner = before.trim_end_matches([':', '.', '#', '>', '-', '/']).rsplit([':', '.', '#', '>', '/']).next();
        let parts = parts(last);
        let owner = owner.filter(|owner| !owner.is_empty()).map(str::to_owned);
        (!parts.is_empty()).then(|| Self::Name { written: last.to_owned(), parts, owner })
    }

    pub fn word(word: &str) -> Self {
        let likes = |word: &str| lists::like(word).map(stem).filter(|like| *like != stem(word)).collect();
        match word.is_ascii() {
            true => Self::Word {
                word: word.to_lowercase(),
                stem: stem(&word.to_lowercase()),
                likes: likes(&word.to_lowercase()),
            },
            false => Self::Han { text: word.to_owned(), likes: likes(word) },
        }
    }

    /// Expressions of which every matching line has one; other lines may have one too.
    pub fn sieve(&self) -> Vec<String> {
        let escaped = |texts: &[String]| texts.iter().map(|text| regex::escape(unbent(text))).collect::<Vec<_>>();
        match self {
            Self::Text { pattern, .. } => vec![pattern.clone()],
            Self::Pattern { text, .. } => vec![text.clone()],
            Self::Name { parts, .. } => {
                vec![parts.iter().map(|part| regex::escape(part)).collect::<Vec<_>>().join("[_-]*")]
            }
            Self::Word { stem, likes, .. } => [vec![regex::escape(unbent(stem))], escaped(likes)].concat(),
            Self::Han { text, likes } => {
                [pairs(text).iter().map(|pair| regex::escape(pair)).collect(), escaped(likes)].concat()
            }
        }
    }

    /// How well a line matches, from 0 to 100.
    pub fn strength(&self, line: &Tokens<'_>) -> u8 {
        let best = |strength: &dyn Fn(&Token<'_>) -> u8| line.names.iter().map(strength).max().unwrap_or(0);
        match self {
            Self::Text { exact, .. } if exact.is_match(line.text) => 100,
            Self::Text { any_case, .. } if any_case.is_match(line.text) => WHOLE,
            Self::Text { .. } => 0,
            Self::Pattern { regex, .. } => {
                if regex.is_match(line.text) {
                    100
                } else {
                    0
                }
            }
            Self::Name { written, parts, owner } => {
                let named = best(&|token| name_strength(token, written, parts));
                // Probably something else of that name, unless its owner is on the line too; a definition may not name the owner.
                let owned = owner.as_ref().is_none_or(|owner| line.names.iter().any(|token| token.text == owner));
                if owned || named == 0 { named } else { named.min(WHOLE).saturating_sub(15) }
            }
            Self::Word { word, stem, likes } => best(&|token| word_strength(token, word, stem, likes)),
            Self::Han { text, likes } => {
                let pairs = pairs(text);
                let there = pairs.iter().filter(|pair| line.text.contains(pair.as_str())).count();
                let written = match () {
                    () if line.text.contains(text.as_str()) => 90,
                    () if there * 2 > pairs.len() => 60,
                    () => 0,
                };
                written.max(best(&|token| match like_strength(token, likes) {
                    0 => 0,
                    // A synonym in code for a word of another language.
                    like => like + 25,
                }))
            }
        }
    }

    /// How well it matches the name that a line defines.
    pub fn names(&self, name: &str) -> u8 {
        match self {
            Self::Text { .. } | Self::Pattern { .. } => 0,
            // A definition names its owner elsewhere.
            Self::Name { written, parts, owner: _ } => {
                let tokens = Tokens::of(name);
                tokens.names.iter().map(|token| name_strength(token, written, parts)).max().unwrap_or(0)
            }
            Self::Word { .. } | Self::Han { .. } => self.strength(&Tokens::of(name)),
        }
    }

    /// Texts of which every name that it matches has one, in lower case and without separators. `None` if it matches no name.
    pub fn in_names(&self) -> Option<Vec<String>> {
        match self {
            Self::Text { .. } | Self::Pattern { .. } => None,
            Self::Name { parts, .. } => Some(vec![joined(&parts.concat())]),
            Self::Word { word, stem, likes } => {
                let stems = std::iter::once(stem).chain(likes).map(|stem| joined(unbent(stem).trim_end_matches('y')));
                Some(std::iter::once(joined(word)).chain(stems).collect())
            }
            Self::Han { text, likes } => {
                let stems = likes.iter().map(|stem| joined(unbent(stem).trim_end_matches('y')));
                Some(pairs(text).iter().map(|pair| joined(pair)).chain(stems).collect())
            }
        }
    }

    /// Whether both are forms of one word.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Word { stem: one, .. }, Self::Word { stem: other, .. }) => one == other,
            (Self::Han { text: one, .. }, Self::Han { text: other, .. }) => one == other,
            _ => false,
        }
    }

    /// Whether it asks for configuration.
    pub fn is_setting(&self) -> bool {
        match self {
            Self::Word { likes, stem, .. } => stem == "config" || likes.iter().any(|like| like == "config"),
            Self::Han { likes, .. } => likes.iter().any(|like| like == "config"),
            Self::Text { .. } | Self::Pattern { .. } | Self::Name { .. } => false,
        }
    }

    /// Whether it is a name or a text, and not a descriptive word.
    pub fn is_exact(&self) -> bool {
        match self {
            Self::Text { .. } | Self::Pattern { .. } | Self::Name { .. } => true,
            Self::Word { .. } | Self::Han { .. } => false,
        }
    }
}

/// A name in lower case, without separators.
pub fn joined(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn compiled(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern).size_limit(MAX_REGEX).build().ok()
}

/// The common prefix of all forms of the word: `retri` stands for `retry` as well.
fn unbent(stem: &str) -> &str {
    stem.strip_suffix('i').filter(|short| short.len() >= 3).unwrap_or(stem)
}

/// Bigrams, since most Chinese words have two characters.
fn pairs(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() < 3 {
        return vec![text.to_owned()];
    }
    letters.windows(2).map(|pair| pair.iter().collect()).collect()
}

fn name_strength(token: &Token<'_>, written: &str, parts: &[String]) -> u8 {
    if token.text == written {
        return 100;
    }
    if token.parts == parts || token.parts.concat() == parts.concat() {
        return WHOLE;
    }
    if token.parts.windows(parts.len()).any(|window| window == parts) { PART } else { 0 }
}

fn word_strength(token: &Token<'_>, word: &str, own: &str, likes: &[String]) -> u8 {
    if token.text.eq_ignore_ascii_case(word) {
        return 90;
    }
    // `sign_in` matches `signin`, and `dockerfile` may be written as two words.
    if token.parts.len() > 1 && token.parts.concat() == word {
        return WHOLE;
    }
    let part = |part: &String| match () {
        () if part == word => 80,
        () if stem(part) == own => 65,
        () if own.len() >= LONG && part.starts_with(own) => 40,
        () => 0,
    };
    let written = token.parts.iter().map(part).max().unwrap_or(0);
    written.max(like_strength(token, likes))
}

fn like_strength(token: &Token<'_>, likes: &[String]) -> u8 {
    let is_like = |part: &String| likes.contains(&stem(part));
    if token.parts.iter().any(is_like) || likes.contains(&token.parts.concat()) { 45 } else { 0 }
}
