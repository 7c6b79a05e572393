//! A regular expression for patterns of which there are hundreds, each matched rarely and against short text. Takes a third of the memory
//! of `regex::Regex`, since it builds no lazy DFA; slower on long text. Compiled when a text may match it, and dropped by
//! `rebuilt::release`.

use std::ops::Range;
use std::sync::Arc;

use regex_automata::Input;
use regex_automata::meta::{self, Config};
use regex_automata::nfa::thompson::WhichCaptures;

use crate::rebuilt::Rebuilt;
use crate::required_literals::RequiredLiterals;

#[derive(Clone, Debug)]
pub struct Pattern {
    pattern: Box<str>,
    required: RequiredLiterals,
    compiled: Rebuilt<meta::Regex>,
}

/// A match, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternMatch<'a> {
    text: &'a str,
    range: Range<usize>,
}

impl Pattern {
    /// `None` when the pattern is invalid. One that is too large to compile never matches.
    pub fn new(pattern: &str) -> Option<Self> {
        let required = RequiredLiterals::of(&regex_syntax::parse(pattern).ok()?);
        Some(Self { pattern: pattern.into(), required, compiled: Rebuilt::default() })
    }

    pub fn is_match(&self, text: &str) -> bool {
        self.matching(text).is_some_and(|regex| regex.is_match(Input::new(text).earliest(true)))
    }

    pub fn find<'a>(&self, text: &'a str) -> Option<PatternMatch<'a>> {
        let found = self.matching(text)?.find(text)?;
        Some(PatternMatch { text, range: found.range() })
    }

    pub fn find_iter<'a>(&self, text: &'a str) -> std::vec::IntoIter<PatternMatch<'a>> {
        let Some(regex) = self.matching(text) else { return Vec::new().into_iter() };
        let found = regex.find_iter(text).map(|found| PatternMatch { text, range: found.range() });
        found.collect::<Vec<_>>().into_iter()
    }

    /// The compiled expression, or nothing when `text` cannot match.
    fn matching(&self, text: &str) -> Option<Arc<meta::Regex>> {
        if let Some(compiled) = self.compiled.get() {
            return Some(compiled);
        }
        if !self.required.are_in(text) {
            return None;
        }
        self.compiled()
    }

    fn compiled(&self) -> Option<Arc<meta::Regex>> {
        self.compiled.get_or_try_make(|| {
            let config = Config::new().which_captures(WhichCaptures::Implicit).hybrid(false);
            meta::Regex::builder().configure(config).build(&self.pattern).ok()
        })
    }
}

impl<'a> PatternMatch<'a> {
    pub fn start(&self) -> usize {
        self.range.start
    }

    pub fn end(&self) -> usize {
        self.range.end
    }

    pub fn as_str(&self) -> &'a str {
        self.text.get(self.range.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_finds_what_a_regex_finds() {
        let text = "find the ä and the find_all in foo.rs, 把它改名";
        for pattern in [r"^find\b", r"(?-u:\b)the (?:ä|find\w+)", "[a-z]+$", "改|名", r"\S+\.rs", "", "^$", "(?i)FOO"]
        {
            let (ours, other) = (Pattern::new(pattern).unwrap(), regex::Regex::new(pattern).unwrap());
            assert_eq!(ours.is_match(text), other.is_match(text), "{pattern}");
            let all = |found: Option<PatternMatch<'_>>| {
                found.map(|found| (found.start(), found.end(), found.as_str().to_owned()))
            };
            let theirs = |found: regex::Match<'_>| (found.start(), found.end(), found.as_str().to_owned());
            assert_eq!(all(ours.find(text)), other.find(text).map(theirs), "{pattern}");
            let every: Vec<_> = ours.find_iter(text).filter_map(|found| all(Some(found))).collect();
            assert_eq!(every, other.find_iter(text).map(theirs).collect::<Vec<_>>(), "{pattern}");
        }
        assert!(Pattern::new("(").is_none());
    }
}
