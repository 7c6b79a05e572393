//! Questions about the repository in free words, from `data/task/repository.toml`. A name of a person is only guessed here: the caller
//! checks that it has commits.

use std::sync::LazyLock;

use aside_core::agent::language::Language;
use aside_core::detect::word_lists::lists;
use aside_text::lazy_regex::Regex;
use regex::Captures;

use crate::run::repository::{CommitFilter, MANY, RepositoryQuestion, TIME, timed};
use crate::run::toml_lists;

const LIST: &str = include_str!("../../../data/task/repository.toml");

const WHO: &str = r"\p{L}[\p{L}.-]+(?: \p{L}[\p{L}.-]+){0,2}?";
const FILE: &str = r"[\w@+-]*[\w./@+-]*\.[\w./@+-]*[\w-]|[\w.@+-]+/[\w./@+-]*|Makefile|Dockerfile|README";
const REF: &str = r"\w[\w./-]*";

struct Entry {
    ask: String,
    pattern: Regex,
    not: Option<Regex>,
}

static ALL: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    toml_lists::tables(LIST, "question", |table| {
        let mut pattern = toml_lists::text(table, "pattern")?;
        // A name of a group occurs once in a pattern, and a time has several.
        for (group, suffix) in [("time", ""), ("when", "2"), ("later", "3"), ("last", "4")] {
            let named = renamed(TIME, suffix);
            pattern = pattern.replace(&format!("(?P<{group}><TIME>)"), &format!("(?P<time{suffix}>{named})"));
        }
        let pattern =
            pattern.replace("<ME>", "(?:i|we)").replace("<WHO>", WHO).replace("<FILE>", FILE).replace("<REF>", REF);
        let not = match toml_lists::text(table, "not") {
            Some(not) => Some(Regex::new(&format!("(?i){not}")).ok()?),
            None => None,
        };
        Some(Entry {
            ask: toml_lists::text(table, "ask")?,
            pattern: Regex::new(&format!("(?i)^(?:{pattern})$")).ok()?,
            not,
        })
    })
});

/// The groups of a pattern with a suffix to their names.
fn renamed(pattern: &str, suffix: &str) -> String {
    let mut parts = pattern.split("(?P<");
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once('>').unwrap_or((part, ""));
        all.push_str(&format!("(?P<{name}{suffix}>{rest}"));
    }
    all
}

pub fn read(question: &str) -> Option<RepositoryQuestion> {
    let squeezed: String;
    let question = match Language::of(question) {
        Language::English => question,
        // Blanks beside Chinese letters are a matter of taste.
        Language::Chinese => {
            squeezed = question.chars().filter(|letter| !letter.is_whitespace()).collect();
            squeezed.trim_end_matches(['？', '。', '！', '?', '吗', '呢', '啊'])
        }
    };
    ALL.iter().filter(|entry| !entry.not.as_ref().is_some_and(|not| not.is_match(question))).find_map(|entry| {
        let found = entry.pattern.captures(question)?;
        meant(&entry.ask, &found)
    })
}

fn meant(ask: &str, found: &Captures<'_>) -> Option<RepositoryQuestion> {
    let any =
        |groups: &[&str]| groups.iter().find_map(|group| found.name(group)).map(|value| value.as_str().to_owned());
    Some(match ask {
        "lines" => RepositoryQuestion::ChangedLines,
        "since-tag" => RepositoryQuestion::SinceRelease,
        "tag" => RepositoryQuestion::LastRelease,
        "unstaged" => RepositoryQuestion::Unstaged,
        "staged" => RepositoryQuestion::Staged,
        "remote" => RepositoryQuestion::Remote,
        "clean" => RepositoryQuestion::Clean,
        "overview" => RepositoryQuestion::Overview,
        "contributors" => RepositoryQuestion::Contributors,
        "first" => RepositoryQuestion::FirstCommit,
        "merged" => RepositoryQuestion::LastMerge,
        "newest-branch" => RepositoryQuestion::BranchesByAge,
        "hot" => RepositoryQuestion::MostChanged,
        "of-file" => RepositoryQuestion::OfFile(any(&["file", "other"])?),
        "on-branch" => {
            let name = any(&["ref", "second", "third", "fourth", "fifth"])?;
            RepositoryQuestion::Compare(name, String::new())
        }
        "person" | "person-count" => {
            let by = any(&["who", "second", "third", "fourth"]).filter(|name| is_person(name))?;
            let (when, many) = match ["", "2", "3", "4"].iter().find(|end| found.name(&format!("time{end}")).is_some())
            {
                Some(end) => timed(found, end)?,
                None => (None, None),
            };
            let counted = ask == "person-count";
            let many = many.map(|_| MANY);
            RepositoryQuestion::Commits(CommitFilter { by: Some(by), when, many, counted, ..CommitFilter::default() })
        }
        _ => return None,
    })
}

/// Whether a word may be a name: no pronoun, no word of a dictionary in small letters.
fn is_person(name: &str) -> bool {
    const NO_NAMES: &[&str] = &[
        "i",
        "we",
        "you",
        "they",
        "he",
        "she",
        "it",
        "this",
        "that",
        "the",
        "my",
        "our",
        "main",
        "master",
        "head",
        "ci",
        "git",
        "readme",
        "all",
        "date",
        "author",
        "everyone",
        "everybody",
        "people",
        "anyone",
        "someone",
        "last",
        "me",
        "everything",
        "changed",
        "been",
        "npm",
        "docker",
        "make",
        "cargo",
        "pytest",
        "there",
        "not",
    ];
    let words: Vec<&str> = name.split(' ').collect();
    let is_name = |word: &&str| {
        let lower = word.to_lowercase();
        let is_capital = word.starts_with(char::is_uppercase);
        !NO_NAMES.contains(&lower.as_str()) && (is_capital || !lists().is_word(&lower))
    };
    words.iter().all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_has_its_hits_and_misses() {
        assert_eq!(ALL.len(), toml_lists::count(LIST, "question"));
        let examples = toml_lists::tables(LIST, "question", |table| {
            Some((toml_lists::texts(table, "hits"), toml_lists::texts(table, "misses")))
        });
        let mut wrong = Vec::new();
        for (entry, (hits, misses)) in ALL.iter().zip(examples) {
            assert!(hits.len() >= 3 && misses.len() >= 2, "{}", entry.ask);
            let first = |question: &String| {
                ALL.iter().find(|entry| {
                    !entry.not.as_ref().is_some_and(|not| not.is_match(question))
                        && entry.pattern.captures(question).is_some_and(|found| meant(&entry.ask, &found).is_some())
                })
            };
            let is_it = |question: &String| first(question).is_some_and(|found| std::ptr::eq(found, entry));
            wrong.extend(hits.iter().filter(|hit| !is_it(hit)).map(|hit| format!("{}: {hit}", entry.ask)));
            wrong.extend(misses.iter().filter(|miss| is_it(miss)).map(|miss| format!("{}: miss {miss}", entry.ask)));
        }
        assert_eq!(wrong, Vec::<String>::new());
    }

    #[test]
    fn a_person_is_asked_about_by_any_letters_and_with_a_time() {
        let of = |question: &str| match read(question) {
            Some(RepositoryQuestion::Commits(CommitFilter { by: Some(by), when, many, counted, .. })) => {
                format!("{by} {when:?} {many:?} {counted}")
            }
            other => format!("{other:?}"),
        };
        assert_eq!(of("what has tess been doing lately"), "tess None Some(10) false");
        assert_eq!(of("commits by jun dela cruz this month"), "jun dela cruz Some(ThisMonth) None false");
        assert_eq!(of("how many commits has Ana made"), "Ana None None true");
        assert_eq!(of("what did the server do"), "None");
    }
}
