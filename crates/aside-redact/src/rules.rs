//! Secrets known by their shape or context, described in `data/redact/rules`. A rule is compiled when its keyword first
//! occurs.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};
use toml_edit::{Document, Table};

use crate::placeholder;
use crate::scan::line_start;
use crate::secret_strength::{self, SecretClass, SecretStrength};

const TABLES: &[&str] = &[
    include_str!("../data/redact/rules/code.toml"),
    include_str!("../data/redact/rules/configuration.toml"),
    include_str!("../data/redact/rules/text.toml"),
    include_str!("../data/redact/rules/vendors.toml"),
    include_str!("../data/redact/rules/web.toml"),
];

/// Bytes behind a keyword that a pattern may match.
const REACH: usize = 16 * 1024;

/// The same for a pattern that is matched around its keyword.
const REACH_AROUND: usize = 1024;

/// Bytes below a keyword, and matches in them, for a rule that finds several.
const REACH_BELOW: usize = 4 * 1024;
const MAX_BELOW: usize = 64;

/// For a pattern that may begin before its keyword: how many matches are tried to find the one that contains the
/// keyword.
const MAX_TRIES: usize = 4;

pub struct Rule {
    pub kind: String,
    pub keywords: Vec<String>,
    pattern: String,
    back: usize,
    /// Words that must not be on the line before the secret. One with a blank is matched as a substring.
    unless: Vec<String>,
    /// Values that are no secret, in lower case.
    never: Vec<String>,
    judge: Judge,
    /// The keyword announces lines: each match behind it is a secret.
    below: bool,
    compiled: OnceLock<Option<Regex>>,
    #[cfg(test)]
    pub hits: Vec<String>,
    #[cfg(test)]
    pub misses: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judge {
    /// Not a placeholder.
    Any,
    /// The pattern is sufficient.
    Shape,
    Token,
    Random,
    /// Not an ordinary word.
    Chosen,
    /// Not an ordinary word, or several joined.
    Soft,
    /// A string literal that is not an ordinary word: a symbol at its end counts.
    Literal,
    /// Letters, digits and more.
    Strong,
    /// Any word that does not continue the sentence.
    Noun,
    /// Generated from letters, digits and any symbols.
    Drawn,
    /// Generated from the base32 alphabet.
    Base32,
    /// `user:password` in base64.
    Pair,
    /// A whole URL without a placeholder.
    Address,
}

pub fn all() -> &'static [Rule] {
    static ALL: LazyLock<Vec<Rule>> = LazyLock::new(|| TABLES.iter().flat_map(|text| read(text)).collect());
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
        Some("shape") => Judge::Shape,
        Some("token") => Judge::Token,
        Some("random") => Judge::Random,
        Some("password") => Judge::Chosen,
        Some("soft") => Judge::Soft,
        Some("literal") => Judge::Literal,
        Some("strong") => Judge::Strong,
        Some("drawn") => Judge::Drawn,
        Some("drawn32") => Judge::Base32,
        Some("pair") => Judge::Pair,
        Some("noun") => Judge::Noun,
        Some("address") => Judge::Address,
        Some(_) => return None,
    };
    Some(Rule {
        kind: table.get("kind")?.as_str()?.to_owned(),
        keywords: list(table, "keywords"),
        pattern: table.get("pattern")?.as_str()?.to_owned(),
        back: table.get("back").and_then(|back| usize::try_from(back.as_integer()?).ok()).unwrap_or(0),
        unless: list(table, "unless"),
        never: list(table, "never"),
        judge,
        below: table.get("below").and_then(|below| below.as_bool()).unwrap_or(false),
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
        let syntax = syntax::Config::new().unicode(false).utf8(false);
        let compile = || Regex::builder().syntax(syntax).build(&self.pattern).ok();
        self.compiled.get_or_init(compile).as_ref()
    }

    /// The secrets at a keyword.
    pub fn find(&self, text: &str, keyword: Range<usize>) -> Vec<Range<usize>> {
        let bytes = text.as_bytes();
        let at = keyword.start;
        // A key does not begin in the middle of a word.
        let letter = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
        let within = |at: usize| {
            let dash = at > 0 && bytes.get(at - 1).is_some_and(|byte| b"-_".contains(byte));
            // `xyz-fw_…` is one run of URL-safe base64.
            let prefix = bytes.get(keyword.end - 1).is_some_and(|byte| b"_-.".contains(byte));
            letter(at.checked_sub(1)) || prefix && dash && letter(at.checked_sub(2))
        };
        let starts_word = bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
        if self.back == 0 && starts_word && within(at) {
            return Vec::new();
        }
        let from = text.floor_char_boundary(at.saturating_sub(self.back));
        let reach = match (self.below, self.back) {
            (true, _) => REACH_BELOW,
            (false, 0) => REACH,
            (false, _) => REACH_AROUND,
        };
        let Some(pattern) = self.compiled() else { return Vec::new() };
        // `^`, `$` and `\b` see the text around the window.
        let window = from..text.floor_char_boundary(at.saturating_add(reach));
        let anchored = if self.back == 0 && !self.below { Anchored::Yes } else { Anchored::No };
        let matches = pattern.captures_iter(Input::new(text).span(window).anchored(anchored));
        if self.below {
            return matches.take(MAX_BELOW).filter_map(|captures| self.secret(text, &captures)).collect();
        }
        let about =
            |captures: &Captures| captures.get_match().is_some_and(|all| all.start() < keyword.end && at < all.end());
        let captures = matches.take(MAX_TRIES).find(about);
        captures.and_then(|captures| self.secret(text, &captures)).into_iter().collect()
    }

    /// The secret of a match, if it is one.
    fn secret(&self, text: &str, captures: &Captures) -> Option<Range<usize>> {
        let found = captures.iter().skip(1).flatten().next().or_else(|| captures.get_group(0))?;
        let found = found.start..found.end;
        // Patterns match bytes: widens a match that ends within a character.
        let found = text.floor_char_boundary(found.start)..text.ceil_char_boundary(found.end);
        let secret = text.get(found.clone())?;
        let before = text.get(line_start(text, found.start)..found.start)?;
        let before = before.get(before.ceil_char_boundary(before.len().saturating_sub(REACH_AROUND))..)?;
        let mut words = before.split(|letter: char| letter.is_whitespace() || "\"'/=".contains(letter));
        let phrase = |unless: &String| unless.contains(' ') && before.contains(unless.as_str());
        let excluded = !self.unless.is_empty()
            && (words.any(|word| self.unless.iter().any(|unless| unless == word)) || self.unless.iter().any(phrase));
        if excluded || self.never.iter().any(|never| never.eq_ignore_ascii_case(secret)) {
            return None;
        }
        let strength = secret_strength::secret_strength(secret);
        let fits = match self.judge {
            Judge::Any => !placeholder::is_placeholder(secret),
            Judge::Shape => true,
            Judge::Token => secret_strength::fits(SecretClass::Token, secret) && (!secret_strength::is_words(secret)),
            Judge::Random => secret_strength::is_random(secret),
            Judge::Chosen => strength >= Some(SecretStrength::Chosen) && !placeholder::is_label(secret),
            Judge::Soft => strength >= Some(SecretStrength::Soft) && !placeholder::is_label(secret),
            Judge::Literal => {
                let symbol = strength.is_some()
                    && secret.len() > 5
                    && secret.contains(['!', '@', '#', '$', '%', '^', '&', '*', '?']);
                (strength >= Some(SecretStrength::Soft) || symbol) && !placeholder::is_label(secret)
            }
            Judge::Strong => strength >= Some(SecretStrength::Strong) && !placeholder::is_label(secret),
            Judge::Address => !placeholder::is_placeholder_address(secret),
            Judge::Drawn => secret_strength::variety(secret) >= 20,
            Judge::Pair => secret_strength::is_basic_pair(secret),
            Judge::Base32 => {
                let digit = secret.bytes().any(|byte| byte.is_ascii_digit());
                let known = placeholder::is_placeholder(&secret.replace(' ', ""));
                secret_strength::variety(secret) >= 8
                    && (digit || !secret.contains(' ') && secret.len() >= 24)
                    && !known
            }
            Judge::Noun => {
                !placeholder::is_placeholder(secret)
                    && !secret_strength::is_prose(secret)
                    && !placeholder::is_label(secret)
            }
        };
        let described = secret.contains('-') && self.judge != Judge::Address && secret_strength::is_prose(secret);
        (fits && !described && !found.is_empty()).then_some(found)
    }
}
