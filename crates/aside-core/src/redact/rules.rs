//! Secrets known by their shape or their surroundings, as `data/redact/rules.toml` describes them. A rule is compiled
//! when its keyword first turns up.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex::bytes::{Captures, Regex, RegexBuilder};
use toml_edit::{Document, Table};

use crate::redact::value::{self, Class};

const RULES: &str = include_str!("../../data/redact/rules.toml");

/// Bytes behind a keyword that a pattern may see.
const REACH: usize = 16 * 1024;

/// The same for one that is looked for around its keyword.
const REACH_AROUND: usize = 1024;

/// Of a pattern that may begin before its keyword, how many matches are looked at to find the one about the keyword.
const MAX_TRIES: usize = 4;

pub struct Rule {
    pub kind: String,
    pub keywords: Vec<String>,
    pattern: String,
    back: usize,
    judge: Judge,
    compiled: OnceLock<Option<Regex>>,
    #[cfg(test)]
    pub hits: Vec<String>,
    #[cfg(test)]
    pub misses: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judge {
    /// No placeholder.
    Any,
    Token,
    Random,
    /// A word that nobody would say there.
    Chosen,
    /// Any word that goes on with the sentence.
    Noun,
}

pub fn all() -> &'static [Rule] {
    static ALL: LazyLock<Vec<Rule>> = LazyLock::new(|| read(RULES));
    &ALL
}

fn read(text: &str) -> Vec<Rule> {
    let Ok(document) = Document::parse(text) else { return Vec::new() };
    let tables = document.get("rule").and_then(|rules| rules.as_array_of_tables());
    tables.into_iter().flatten().filter_map(rule).collect()
}

fn rule(table: &Table) -> Option<Rule> {
    let judge = match table.get("judge").and_then(|judge| judge.as_str()) {
        None => Judge::Any,
        Some("token") => Judge::Token,
        Some("random") => Judge::Random,
        Some("password") => Judge::Chosen,
        Some("noun") => Judge::Noun,
        Some(_) => return None,
    };
    Some(Rule {
        kind: table.get("kind")?.as_str()?.to_owned(),
        keywords: list(table, "keywords"),
        pattern: table.get("pattern")?.as_str()?.to_owned(),
        back: table.get("back").and_then(|back| usize::try_from(back.as_integer()?).ok()).unwrap_or(0),
        judge,
        compiled: OnceLock::new(),
        #[cfg(test)]
        hits: list(table, "hits"),
        #[cfg(test)]
        misses: list(table, "misses"),
    })
}

pub fn list(table: &Table, key: &str) -> Vec<String> {
    let items = table.get(key).and_then(|list| list.as_array()).into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

impl Rule {
    pub fn compiled(&self) -> Option<&Regex> {
        let compile = || {
            let anchored = if self.back == 0 { format!(r"\A(?:{})", self.pattern) } else { self.pattern.clone() };
            RegexBuilder::new(&anchored).unicode(false).build().ok()
        };
        self.compiled.get_or_init(compile).as_ref()
    }

    /// The secret where a keyword stands at `at`.
    pub fn find(&self, text: &str, at: usize) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        // A key does not begin in the middle of a word.
        let within = |at: usize| at > 0 && bytes.get(at - 1).is_some_and(u8::is_ascii_alphanumeric);
        let starts_word = bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
        if self.back == 0 && starts_word && within(at) {
            return None;
        }
        let from = text.floor_char_boundary(at.saturating_sub(self.back));
        let reach = if self.back == 0 { REACH } else { REACH_AROUND };
        let window = bytes.get(from..text.floor_char_boundary(at.saturating_add(reach)))?;
        let about = |captures: &Captures<'_>| {
            captures.get(0).is_some_and(|all| (all.start()..all.end()).contains(&(at - from)))
        };
        let captures = self.compiled()?.captures_iter(window).take(MAX_TRIES).find(about)?;
        let found = captures.get(1).or_else(|| captures.get(0))?;
        let found = from + found.start()..from + found.end();
        // Patterns see bytes: one that ends within a letter takes all of it.
        let found = text.floor_char_boundary(found.start)..text.ceil_char_boundary(found.end);
        let secret = text.get(found.clone())?;
        let fits = match self.judge {
            Judge::Any => !value::is_placeholder(secret),
            Judge::Token => value::fits(Class::Token, secret) && (!value::is_words(secret)),
            Judge::Random => value::is_random(secret),
            Judge::Chosen => value::is_chosen(secret) && !value::is_path(secret),
            Judge::Noun => !value::is_placeholder(secret) && !value::is_prose(secret),
        };
        (fits && !found.is_empty()).then_some(found)
    }
}
