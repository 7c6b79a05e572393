//! Where versions are written, in build files of any kind: those of dependencies, images and tools, and that of the project. One reader for
//! questions about a version and for changes of it; the patterns are in `data/task/versions.toml`. Reads no files itself.

use std::ops::Range;
use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;
use regex::Captures;

use crate::run::search::identifiers::parts;
use crate::run::toml_lists;

const LIST: &str = include_str!("../../data/task/versions.toml");

struct Entry {
    files: Vec<String>,
    pattern: Regex,
    is_project: bool,
    /// The name, where the text does not say it.
    called: Option<String>,
    pin: String,
    insert: Option<String>,
    after: Option<String>,
    /// A variant behind the version belongs to the name: `3.19-slim`.
    has_variants: bool,
}

static ALL: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    toml_lists::tables(LIST, "version", |table| {
        let files = toml_lists::texts(table, "files");
        (!files.is_empty()).then_some(())?;
        Some(Entry {
            files,
            pattern: toml_lists::pattern(table, "pattern")?,
            is_project: toml_lists::text(table, "of").as_deref() == Some("project"),
            called: toml_lists::text(table, "called"),
            pin: toml_lists::text(table, "pin").unwrap_or_default(),
            insert: toml_lists::text(table, "insert"),
            after: toml_lists::text(table, "after"),
            has_variants: toml_lists::text(table, "variants").is_some(),
        })
    })
});

/// A version in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenVersion {
    pub name: String,
    /// Empty where the file names no version.
    pub version: String,
    /// The operator before it, as written.
    pub sign: String,
    /// From 1.
    pub line: usize,
    /// The version in the text; empty at the place where one would be inserted.
    pub range: Range<usize>,
    /// The whole requirement, with its operators.
    pub all: Range<usize>,
    pub has_bounds: bool,
    has_variants: bool,
    pin: &'static str,
    insert: Option<&'static str>,
    pub after: Option<&'static str>,
}

impl WrittenVersion {
    /// The text that replaces a range of the file, so that it says the new version.
    pub fn replaced(&self, to: &str, pinned: bool) -> Option<(Range<usize>, String)> {
        let to = if self.version.starts_with('v') && to.starts_with(|letter: char| letter.is_ascii_digit()) {
            format!("v{to}")
        } else if self.version.starts_with(|letter: char| letter.is_ascii_digit()) {
            to.strip_prefix('v').unwrap_or(to).to_owned()
        } else {
            to.to_owned()
        };
        // An image keeps its variant: `python:3.11-slim` becomes `python:3.12-slim`.
        let variant = self.version.split_once('-').map(|(_, variant)| variant);
        let variant = variant.filter(|variant| {
            self.has_variants && !to.contains('-') && variant.starts_with(|letter: char| letter.is_ascii_alphabetic())
        });
        let to = variant.map_or(to.clone(), |variant| format!("{to}-{variant}"));
        match () {
            () if self.version.is_empty() => Some((self.range.clone(), self.insert?.replace("{}", &to))),
            () if pinned => Some((self.all.clone(), format!("{}{to}", self.pin))),
            () => Some((self.range.clone(), to)),
        }
    }
}

fn fits(file: &str, path: &str) -> bool {
    let of = |pattern: &str, name: &str| match (pattern.strip_prefix('*'), pattern.split_once('*')) {
        (Some(ending), _) => name.len() > ending.len() && name.ends_with(ending),
        (None, Some((start, ending))) => {
            name.len() >= start.len() + ending.len() && name.starts_with(start) && name.ends_with(ending)
        }
        (None, None) => name == pattern,
    };
    let mut names = path.rsplit('/');
    let name = names.next().unwrap_or(path);
    match file.split_once('/') {
        Some((directory, file)) => names.next() == Some(directory) && of(file, name),
        None => of(file, name),
    }
}

impl Entry {
    fn applies(&self, path: &str) -> bool {
        self.files.iter().any(|file| fits(file, path))
    }
}

/// Whether a file at this path may write a version.
pub fn reads(path: &str) -> bool {
    ALL.iter().any(|entry| entry.applies(path))
}

/// The versions that a file writes, but for the project's own.
pub fn written(path: &str, text: &str) -> Vec<WrittenVersion> {
    let mut all: Vec<WrittenVersion> = Vec::new();
    for entry in ALL.iter().filter(|entry| !entry.is_project && entry.applies(path)) {
        let found = entry.pattern.captures_iter(text).filter_map(|found| of_match(entry, &found, text));
        all.extend(found.filter(|one| !NO_NAMES.contains(&one.name.as_str())).collect::<Vec<_>>());
    }
    all.sort_by_key(|one| one.range.start);
    all.dedup_by(|one, other| one.range == other.range);
    all
}

/// Keys that have the version of the project or of a format.
const NO_NAMES: [&str; 6] = ["version", "edition", "name", "lockfileVersion", "resolver", "manifest_version"];

fn of_match(entry: &'static Entry, found: &Captures<'_>, text: &str) -> Option<WrittenVersion> {
    let of = |group: &str| found.name(group);
    let name = of("name").or_else(|| of("kotlin")).map(|name| name.as_str().to_owned());
    let name = name.or_else(|| entry.called.clone())?;
    let version = of("version");
    let gap = of("gap").map(|gap| gap.range());
    let range = version.map(|version| version.range()).or(gap.filter(|_| entry.insert.is_some()))?;
    let all = of("all").map(|all| all.range()).unwrap_or_else(|| range.clone());
    let written = text.get(all.clone()).unwrap_or_default();
    Some(WrittenVersion {
        name,
        version: version.map(|version| version.as_str().to_owned()).unwrap_or_default(),
        sign: of("sign").map(|sign| sign.as_str().to_owned()).unwrap_or_default(),
        line: text.get(..range.start)?.matches('\n').count() + 1,
        has_bounds: written.contains(',') || written.contains(" <") || written.contains("||"),
        range,
        all,
        has_variants: entry.has_variants,
        pin: &entry.pin,
        insert: entry.insert.as_deref(),
        after: entry.after.as_deref(),
    })
}

/// Where a file says the version of the project.
pub fn of_project(path: &str, text: &str) -> Option<Range<usize>> {
    let mut found = ALL.iter().filter(|entry| entry.is_project && entry.applies(path));
    found.find_map(|entry| entry.pattern.captures(text)?.name("version").map(|version| version.range()))
}

/// The usual one of several names for the same: images and version managers call Go and Node otherwise.
pub fn canonical(name: &str) -> &str {
    match name {
        "golang" => "go",
        "nodejs" => "node",
        "postgresql" => "postgres",
        other => other,
    }
}

/// How well a written name is the one that the request has: 0 is the same, `None` another one.
pub fn likeness(written: &str, asked: &str) -> Option<u8> {
    let plain = |name: &str| canonical(&name.to_lowercase()).replace(['_', ' ', '.'], "-");
    let (name, asked) = (plain(written), plain(asked.trim()));
    if name == asked {
        return Some(0);
    }
    // `github.com/go-chi/chi/v5` is called chi, `@types/node` types/node or node.
    let is_number =
        |part: &str| part.strip_prefix('v').is_some_and(|rest| rest.chars().all(|one| one.is_ascii_digit()));
    let last = name.rsplit('/').find(|part| !is_number(part)).unwrap_or(&name);
    if last == asked || name.trim_start_matches('@') == asked {
        return Some(1);
    }
    let words = parts(&asked);
    let known = parts(&name);
    let covers =
        |word: &String| known.iter().any(|part| part == word || word.len() > 3 && part.starts_with(word.as_str()));
    (!words.is_empty() && words.iter().all(covers)).then_some(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_has_its_hits_and_misses() {
        assert_eq!(ALL.len(), toml_lists::count(LIST, "version"));
        let examples = toml_lists::tables(LIST, "version", |table| {
            Some((toml_lists::texts(table, "hits"), toml_lists::texts(table, "misses")))
        });
        let mut wrong = Vec::new();
        for (entry, (hits, misses)) in ALL.iter().zip(examples) {
            assert!(!hits.is_empty() && !misses.is_empty(), "{}", entry.pattern.as_str());
            for hit in hits {
                let (text, expected) = hit.rsplit_once(" => ").unwrap();
                let found = entry.pattern.captures(text);
                let told = found.map(|found| {
                    let of = |group: &str| found.name(group).map_or("", |one| one.as_str());
                    let name = [of("name"), of("kotlin"), entry.called.as_deref().unwrap_or_default()].concat();
                    format!("{name} {}", of("version"))
                });
                if told.as_deref() != Some(expected) {
                    wrong.push(format!("{hit}: {told:?}"));
                }
            }
            let hit = |miss: &&String| {
                entry
                    .pattern
                    .captures(miss)
                    .is_some_and(|found| found.name("version").is_some() || entry.insert.is_some())
            };
            wrong.extend(misses.iter().filter(hit).map(|miss| format!("miss {miss}")));
        }
        assert_eq!(wrong, Vec::<String>::new());
    }

    #[test]
    fn a_name_is_found_as_people_say_it() {
        assert_eq!(likeness("github.com/go-chi/chi/v5", "chi"), Some(1));
        assert_eq!(likeness("scikit-learn", "scikit_learn"), Some(0));
        assert_eq!(likeness("org.springframework.boot", "spring boot"), Some(2));
        assert_eq!(likeness("pytest-cov", "cov"), Some(2));
        assert_eq!(likeness("numpy", "num"), None);
        assert_eq!(likeness("express", "react"), None);
    }

    #[test]
    fn a_version_is_replaced_as_its_file_writes_it() {
        let of = |path: &str, text: &str, to: &str, pinned: bool| {
            let found = written(path, text);
            let (range, new) = found.first().unwrap().replaced(to, pinned).unwrap();
            let mut made = text.to_owned();
            made.replace_range(range, &new);
            made
        };
        assert_eq!(of("requirements.txt", "numpy>=1.24,<2\n", "1.26.4", true), "numpy==1.26.4\n");
        assert_eq!(of("requirements.txt", "numpy>=1.24\n", "1.26", false), "numpy>=1.26\n");
        assert_eq!(of("requirements.txt", "matplotlib\n", "3.8.2", true), "matplotlib==3.8.2\n");
        assert_eq!(of("Gemfile", "gem \"puma\", \"~> 6.4\"\n", "6.4.2", true), "gem \"puma\", \"6.4.2\"\n");
        assert_eq!(of("Gemfile", "gem 'rubocop'\n", "1.60", true), "gem 'rubocop', \"1.60\"\n");
        assert_eq!(of("go.mod", "\tgithub.com/lib/pq v1.10.9\n", "1.11.0", false), "\tgithub.com/lib/pq v1.11.0\n");
        assert_eq!(of("a/Dockerfile", "FROM alpine:3.19\n", "3.20", false), "FROM alpine:3.20\n");
        assert_eq!(of("Cargo.toml", "regex = \"1.10\"\n", "1.11", true), "regex = \"=1.11\"\n");
        assert!(written("README.md", "numpy==1").is_empty());
    }
}
