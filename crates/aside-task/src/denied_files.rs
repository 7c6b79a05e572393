//! Decides which files a task neither reads nor writes because they hold secrets, from the list in `data/task/deny.toml`. No setting and no
//! argument overrides it.

use std::sync::LazyLock;

use aside_core::agent::language::Bilingual;
use aside_text::lazy_regex::Regex;
use toml_edit::{Document, Table};

const LIST: &str = include_str!("../data/task/deny.toml");

struct Deny {
    what: Bilingual,
    patterns: Vec<Vec<String>>,
    except: Vec<String>,
    #[cfg(test)]
    hits: Vec<String>,
    #[cfg(test)]
    misses: Vec<String>,
}

/// What kind of secret file the path names, e.g. `a private key`; `None` if a task may touch it. Takes a path with `/`, relative or not.
pub fn denied(path: &str) -> Option<&'static str> {
    denial(path).map(|what| what.english.as_str())
}

/// Like `denied`, with the text in both languages.
pub fn denial(path: &str) -> Option<&'static Bilingual> {
    // A search asks for every file of a repository: one pass over the path rules nearly all of them out. It knows ASCII only.
    if path.is_ascii() && SIEVE.as_ref().is_some_and(|sieve| !sieve.is_match(path)) {
        return None;
    }
    let parts: Vec<String> = path.split('/').map(plain).filter(|part| !part.is_empty()).collect();
    ALL.iter().find(|deny| deny.matches(&parts)).map(|deny| &deny.what)
}

static ALL: LazyLock<Vec<Deny>> = LazyLock::new(|| {
    let Ok(document) = Document::parse(LIST) else { return Vec::new() };
    let tables = document.get("deny").and_then(|denies| denies.as_array_of_tables());
    tables.into_iter().flatten().filter_map(read).collect()
});

/// Matches every ASCII path that has the last part of a pattern, and so every one that is denied.
static SIEVE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let last = |pattern: &Vec<String>| Some(regex::escape(pattern.last()?).replace(r"\*", "[^/]*"));
    let all: Vec<String> = ALL.iter().flat_map(|deny| &deny.patterns).filter_map(last).collect();
    Regex::new(&format!(r"(?i)(?:^|/)(?:{})[. ]*(?:/|$)", all.join("|"))).ok()
});

fn read(table: &Table) -> Option<Deny> {
    let list = |key: &str| -> Vec<String> {
        let items = table.get(key).and_then(|list| list.as_array()).into_iter().flatten();
        items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
    };
    Some(Deny {
        what: Bilingual::new(table.get("what")?.as_str()?, table.get("chinese")?.as_str()?),
        patterns: list("patterns").iter().map(|pattern| pattern.split('/').map(plain).collect()).collect(),
        except: list("except"),
        #[cfg(test)]
        hits: list("hits"),
        #[cfg(test)]
        misses: list("misses"),
    })
}

/// Normalises a path component as file systems do that ignore case, or dots and blanks at the end of a name.
fn plain(part: &str) -> String {
    part.trim_end_matches(['.', ' ']).to_lowercase()
}

impl Deny {
    fn matches(&self, parts: &[String]) -> bool {
        self.patterns.iter().any(|pattern| {
            parts.windows(pattern.len()).any(|window| {
                let fits = window.iter().zip(pattern).all(|(part, pattern)| is_like(part, pattern));
                fits && !window.last().is_some_and(|part| self.except.contains(part))
            })
        })
    }
}

/// Matches the text against a pattern in which `*` stands for any text.
fn is_like(text: &str, pattern: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return text == pattern };
    let Some(text) = text.strip_prefix(start) else { return false };
    match rest.rsplit_once('*') {
        None => text.ends_with(rest),
        Some(_) => (0..=text.len()).any(|at| text.get(at..).is_some_and(|text| is_like(text, rest))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_does_what_its_examples_say() {
        assert!(ALL.len() >= 7);
        for deny in ALL.iter() {
            assert!(!deny.hits.is_empty() && !deny.misses.is_empty(), "{}", deny.what.english);
            for hit in &deny.hits {
                assert_eq!(denied(hit), Some(deny.what.english.as_str()), "{hit}");
                assert!(SIEVE.as_ref().unwrap().is_match(hit), "{hit}");
            }
            for miss in &deny.misses {
                assert_eq!(denied(miss), None, "{miss}");
            }
            for pattern in &deny.patterns {
                let used = deny.hits.iter().any(|hit| {
                    let parts: Vec<String> = hit.split('/').map(plain).collect();
                    parts.windows(pattern.len()).any(|window| window.iter().zip(pattern).all(|(p, q)| is_like(p, q)))
                });
                let whole: String = pattern.join("/").replace('*', "x");
                assert!(used || denied(&whole).is_some(), "{whole}");
            }
        }
    }

    #[test]
    fn a_star_is_any_text() {
        let all = [("a", "*", true), ("", "*", true), ("x.pem", "*.pem", true), ("pem", "*.pem", false)];
        let more =
            [("client_secret_1.json", "client_secret*.json", true), ("abc", "a*b*c", true), ("ac", "a*b*c", false)];
        for (text, pattern, expected) in all.into_iter().chain(more) {
            assert_eq!(is_like(text, pattern), expected, "{text} {pattern}");
        }
    }
}
