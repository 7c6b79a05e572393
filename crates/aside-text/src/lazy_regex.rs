//! A regular expression for patterns of which there are hundreds: `regex::Regex`, compiled when a text may match it and dropped by
//! `rebuilt::release`. Not for patterns of users, which have to be refused at once when they are too large.

use std::borrow::Cow;
use std::sync::Arc;

use regex::{Captures, Match, Replacer};

use crate::rebuilt::Rebuilt;
use crate::required_literals::RequiredLiterals;

/// Longer texts are searched faster by the compiled expression than for its literals.
const MAX_PREFILTERED: usize = 4096;

#[derive(Clone, Debug)]
pub struct Regex {
    pattern: Box<str>,
    required: RequiredLiterals,
    compiled: Rebuilt<regex::Regex>,
}

impl Regex {
    /// The syntax is checked here. An expression that is too large to compile never matches.
    pub fn new(pattern: &str) -> Result<Self, Box<regex_syntax::Error>> {
        let required = RequiredLiterals::of(&regex_syntax::parse(pattern)?);
        Ok(Self { pattern: pattern.into(), required, compiled: Rebuilt::default() })
    }

    pub fn as_str(&self) -> &str {
        &self.pattern
    }

    pub fn is_match(&self, text: &str) -> bool {
        self.matching(text).is_some_and(|regex| regex.is_match(text))
    }

    pub fn find<'a>(&self, text: &'a str) -> Option<Match<'a>> {
        self.matching(text)?.find(text)
    }

    pub fn find_iter<'a>(&self, text: &'a str) -> std::vec::IntoIter<Match<'a>> {
        self.matching(text).map(|regex| regex.find_iter(text).collect::<Vec<_>>()).unwrap_or_default().into_iter()
    }

    pub fn captures<'a>(&self, text: &'a str) -> Option<Captures<'a>> {
        self.matching(text)?.captures(text)
    }

    pub fn captures_iter<'a>(&self, text: &'a str) -> std::vec::IntoIter<Captures<'a>> {
        self.matching(text).map(|regex| regex.captures_iter(text).collect::<Vec<_>>()).unwrap_or_default().into_iter()
    }

    /// The names of its groups.
    pub fn capture_names(&self) -> Vec<String> {
        let names = |regex: Arc<regex::Regex>| regex.capture_names().flatten().map(str::to_owned).collect();
        self.compiled().map(names).unwrap_or_default()
    }

    pub fn replace<'a>(&self, text: &'a str, with: impl Replacer) -> Cow<'a, str> {
        match self.matching(text) {
            Some(regex) => regex.replace(text, with),
            None => Cow::Borrowed(text),
        }
    }

    pub fn replace_all<'a>(&self, text: &'a str, with: impl Replacer) -> Cow<'a, str> {
        match self.matching(text) {
            Some(regex) => regex.replace_all(text, with),
            None => Cow::Borrowed(text),
        }
    }

    pub fn split<'a>(&self, text: &'a str) -> std::vec::IntoIter<&'a str> {
        match self.matching(text) {
            Some(regex) => regex.split(text).collect::<Vec<_>>().into_iter(),
            None => vec![text].into_iter(),
        }
    }

    /// The compiled expression, or nothing when `text` cannot match.
    fn matching(&self, text: &str) -> Option<Arc<regex::Regex>> {
        if let Some(compiled) = self.compiled.get() {
            return Some(compiled);
        }
        if text.len() <= MAX_PREFILTERED && !self.required.are_in(text) {
            return None;
        }
        self.compiled()
    }

    fn compiled(&self) -> Option<Arc<regex::Regex>> {
        self.compiled.get_or_try_make(|| regex::Regex::new(&self.pattern).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_finds_what_a_regex_finds() {
        let text = "find the ä and the find_all in foo.rs, 把它改名";
        for pattern in [
            r"^find\b",
            r"(?P<a>the) (?P<b>ä|find\w+)",
            "[a-z]+$",
            "改|名",
            r"\S+\.rs",
            "",
            "^$",
            "(?i)FOO",
            "not there",
        ] {
            let (ours, other) = (Regex::new(pattern).unwrap(), regex::Regex::new(pattern).unwrap());
            assert_eq!(ours.is_match(text), other.is_match(text), "{pattern}");
            assert_eq!(ours.find(text), other.find(text), "{pattern}");
            assert!(ours.find_iter(text).eq(other.find_iter(text)), "{pattern}");
            let spans =
                |captures: Captures<'_>| captures.iter().map(|part| part.map(|part| part.range())).collect::<Vec<_>>();
            assert_eq!(ours.captures(text).map(spans), other.captures(text).map(spans), "{pattern}");
            assert!(ours.captures_iter(text).map(spans).eq(other.captures_iter(text).map(spans)), "{pattern}");
            assert_eq!(ours.replace(text, "<$0>"), other.replace(text, "<$0>"), "{pattern}");
            assert_eq!(ours.replace_all(text, "<$0>"), other.replace_all(text, "<$0>"), "{pattern}");
            assert!(ours.capture_names().iter().eq(other.capture_names().flatten()), "{pattern}");
            assert!(ours.split(text).eq(other.split(text)), "{pattern}");
        }
        assert!(Regex::new("(").is_err());
    }
}
