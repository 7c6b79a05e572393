//! The lists of `data/task/search.toml`: definition patterns, synonyms in code, and file extensions by language.

use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;

use crate::run::toml_lists;

const LIST: &str = include_str!("../../../data/task/search.toml");

struct Define {
    pattern: Regex,
    not: Option<Regex>,
}

struct Like {
    of: Vec<String>,
    like: Vec<String>,
}

static DEFINES: LazyLock<Vec<Define>> = LazyLock::new(|| {
    toml_lists::tables(LIST, "define", |table| {
        Some(Define { pattern: toml_lists::pattern(table, "pattern")?, not: toml_lists::pattern(table, "not") })
    })
});

static IMPORTS: LazyLock<Vec<Regex>> = LazyLock::new(|| patterns("import"));
static COMMENTS: LazyLock<Vec<Regex>> = LazyLock::new(|| patterns("comment"));

static LIKES: LazyLock<Vec<Like>> = LazyLock::new(|| {
    toml_lists::tables(LIST, "like", |table| {
        Some(Like { of: toml_lists::texts(table, "of"), like: toml_lists::texts(table, "like") })
    })
});

static LANGUAGES: LazyLock<Vec<(Vec<String>, Vec<String>)>> = LazyLock::new(|| {
    toml_lists::tables(LIST, "language", |table| {
        Some((toml_lists::texts(table, "names"), toml_lists::texts(table, "endings")))
    })
});

fn patterns(name: &str) -> Vec<Regex> {
    toml_lists::tables(LIST, name, |table| toml_lists::pattern(table, "pattern"))
}

/// The name that a line defines.
pub fn defined(line: &str) -> Option<&str> {
    let fits = |define: &&Define| !define.not.as_ref().is_some_and(|not| not.is_match(line));
    let found = DEFINES.iter().filter(fits).find_map(|define| define.pattern.captures(line)?.get(1));
    let found = found?;
    // A qualifier is not what is defined: `std::string Cart::name() const {` defines `name`.
    if line.get(found.end()..)?.starts_with("::") || found.as_str().ends_with("::") {
        let head = line.split_once('(').map(|(head, _)| head.trim_end());
        let name = head.and_then(|head| head.rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_').next());
        return name
            .filter(|name| name.starts_with(|letter: char| letter.is_alphabetic() || letter == '_'))
            .or_else(|| Some(found.as_str().trim_end_matches(':')).filter(|name| *name != "std"));
    }
    Some(found.as_str().trim_end_matches([':', '.', '-', '!', '?']))
}

/// Whether a keyword of the language makes the line a definition: the first pattern of the list.
pub fn defined_by_keyword(line: &str) -> bool {
    DEFINES.first().is_some_and(|define| define.pattern.is_match(line))
}

pub fn is_import(line: &str) -> bool {
    IMPORTS.iter().any(|pattern| pattern.is_match(line))
}

pub fn is_comment(line: &str) -> bool {
    COMMENTS.iter().any(|pattern| pattern.is_match(line))
}

/// Synonyms that code uses.
pub fn like(word: &str) -> impl Iterator<Item = &'static str> {
    let fitting = LIKES.iter().filter(move |like| like.of.iter().any(|of| of == word));
    fitting.flat_map(|like| like.like.iter().map(String::as_str))
}

/// The longest known word at the beginning of a text without blanks.
pub fn known_start(text: &str) -> Option<&'static str> {
    let known =
        LIKES.iter().flat_map(|like| like.of.iter()).filter(|of| !of.is_ascii() && text.starts_with(of.as_str()));
    known.max_by_key(|of| of.len()).map(String::as_str)
}

/// File extensions of a language.
pub fn endings(language: &str) -> Option<&'static [String]> {
    let fits = |(names, _): &&(Vec<String>, Vec<String>)| names.iter().any(|name| name == language);
    LANGUAGES.iter().find(fits).map(|(_, endings)| endings.as_slice())
}

/// Whether it is a known file extension.
pub fn is_ending(ending: &str) -> bool {
    LANGUAGES.iter().any(|(_, endings)| endings.iter().any(|known| known == ending))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::search::identifiers::Tokens;
    use crate::run::search::term::Term;

    fn examples(name: &str, key: &str) -> Vec<(String, Vec<String>)> {
        toml_lists::tables(LIST, name, |table| {
            Some((toml_lists::texts(table, "of").join(" "), toml_lists::texts(table, key)))
        })
    }

    #[test]
    fn the_lists_are_read_whole() {
        assert_eq!(DEFINES.len(), toml_lists::count(LIST, "define"));
        assert_eq!(IMPORTS.len(), toml_lists::count(LIST, "import"));
        assert_eq!(COMMENTS.len(), toml_lists::count(LIST, "comment"));
        assert_eq!(LIKES.len(), toml_lists::count(LIST, "like"));
        assert_eq!(LANGUAGES.len(), toml_lists::count(LIST, "language"));
    }

    #[test]
    fn every_way_to_define_has_its_hits_and_misses() {
        let tables = toml_lists::tables(LIST, "define", |table| {
            let (pattern, not) = (toml_lists::pattern(table, "pattern")?, toml_lists::pattern(table, "not"));
            Some((
                toml_lists::text(table, "name")?,
                pattern,
                not,
                toml_lists::texts(table, "hits"),
                toml_lists::texts(table, "misses"),
            ))
        });
        for (name, pattern, not, hits, misses) in tables {
            assert!(hits.len() >= 2 && misses.len() >= 2, "{name}");
            let fits = |line: &str| pattern.is_match(line) && !not.as_ref().is_some_and(|not| not.is_match(line));
            for hit in hits {
                let (line, expected) = hit.rsplit_once(" => ").unwrap();
                assert!(fits(line), "{name}: {line}");
                assert_eq!(defined(line), Some(expected), "{name}: {line}");
            }
            for miss in misses {
                assert!(!fits(&miss), "{name}: {miss}");
            }
        }
        for (name, holds) in [("import", is_import as fn(&str) -> bool), ("comment", is_comment)] {
            for (key, expected) in [("hits", true), ("misses", false)] {
                for line in examples(name, key).iter().flat_map(|(_, lines)| lines) {
                    assert_eq!(holds(line), expected, "{name}: {line}");
                }
            }
        }
    }

    #[test]
    fn every_likeness_has_its_hits_and_misses() {
        for (key, expected) in [("hits", true), ("misses", false)] {
            for (of, list) in examples("like", key) {
                assert!(!list.is_empty(), "{of}");
                for example in list {
                    let (word, part) = example.split_once(" => ").unwrap();
                    let tokens = Tokens::of(part);
                    assert_eq!(Term::word(word).strength(&tokens) > 0, expected, "{example}");
                }
            }
        }
    }
}
