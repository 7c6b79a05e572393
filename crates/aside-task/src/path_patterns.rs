//! Lists of files by their names, from `data/task/*.toml`: what is said about them, and patterns that are compared with the components of a
//! path, ignoring case. Everything below a matching name is included.

use aside_core::agent::language::Bilingual;
use toml_edit::{Document, Table};

pub struct PathEntry {
    pub what: Bilingual,
    pub patterns: Vec<Vec<String>>,
    except: Vec<String>,
    #[cfg(test)]
    hits: Vec<String>,
    #[cfg(test)]
    misses: Vec<String>,
}

/// The tables of this name in a list.
pub fn entries(list: &str, name: &str) -> Vec<PathEntry> {
    let Ok(document) = Document::parse(list) else { return Vec::new() };
    let tables = document.get(name).and_then(|tables| tables.as_array_of_tables());
    tables.into_iter().flatten().filter_map(read).collect()
}

/// The first entry that a path matches. Takes a path with `/`, relative or not.
pub fn find<'e>(entries: &'e [PathEntry], path: &str) -> Option<&'e PathEntry> {
    let parts: Vec<String> = path.split('/').map(plain).filter(|part| !part.is_empty()).collect();
    entries.iter().find(|entry| entry.matches(&parts))
}

fn read(table: &Table) -> Option<PathEntry> {
    let list = |key: &str| -> Vec<String> {
        let items = table.get(key).and_then(|list| list.as_array()).into_iter().flatten();
        items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
    };
    Some(PathEntry {
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

impl PathEntry {
    #[cfg(test)]
    pub fn hits(&self) -> &[String] {
        &self.hits
    }

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

/// Asserts that every entry does what its examples say, and every pattern is used by one.
#[cfg(test)]
pub fn check(entries: &[PathEntry]) {
    for (place, entry) in entries.iter().enumerate() {
        let name = &entry.what.english;
        assert!(!entry.hits.is_empty() && !entry.misses.is_empty(), "{name}");
        let is_it =
            |path: &str| find(entries, path).is_some_and(|found| std::ptr::eq(found, &raw const entries[place]));
        for hit in &entry.hits {
            assert!(is_it(hit), "{name}: {hit}");
        }
        for miss in &entry.misses {
            assert!(find(entries, miss).is_none(), "{name}: {miss}");
        }
        for pattern in &entry.patterns {
            let whole = pattern.join("/").replace('*', "x");
            assert!(find(entries, &whole).is_some(), "{name}: {whole}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
