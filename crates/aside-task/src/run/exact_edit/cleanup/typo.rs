//! Corrects a misspelt word. The right word is the request's, or one that is known or that the files have, where only one is near enough;
//! otherwise the candidates are named and nothing is changed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use aside_core::detect::word_lists::{is_one_slip, lists};
use aside_text::lazy_regex::Regex;

use crate::run::code;
use crate::run::exact_edit::{EditResult, text};

const LIST: &str = include_str!("../../../../data/task/misspellings.txt");
/// Words that are listed where it cannot be told which one is meant.
const MAX_LISTED: usize = 6;

static KNOWN: LazyLock<BTreeMap<&'static str, &'static str>> = LazyLock::new(|| {
    LIST.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' ')).collect()
});

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typo {
    /// As the request has it; any misspelt word of the file where there is none.
    wrong: Option<String>,
    right: Option<String>,
    pub file: Option<String>,
}

impl Typo {
    /// `None` where neither a word nor a file is named, or where the word is right: `the misspelled field` names another one.
    pub fn new(wrong: Option<String>, right: Option<String>, file: Option<String>) -> Option<Self> {
        let is_filler = |word: &String| ["in", "the", "a", "this", "it", "of"].contains(&word.to_lowercase().as_str());
        let wrong = wrong.filter(|wrong| !is_filler(wrong));
        let same = wrong.is_some() && wrong == right;
        let lower = wrong.as_ref().map(|wrong| wrong.to_lowercase()).unwrap_or_default();
        if right.is_none() && !KNOWN.contains_key(lower.as_str()) && lists().is_word(&lower) {
            return None;
        }
        (!same && (wrong.is_some() || right.is_none() && file.is_some())).then_some(Self { wrong, right, file })
    }

    pub fn needle(&self) -> Option<&str> {
        self.wrong.as_deref().filter(|_| self.file.is_none())
    }

    pub fn fix(&self, files: &BTreeMap<String, String>) -> EditResult {
        let Some(wrong) = &self.wrong else { return self.fix_any(files) };
        let right = match &self.right {
            Some(right) => right.clone(),
            None => match candidates(wrong, files).as_slice() {
                [] => {
                    return EditResult::Nothing(format!(
                        "How {} is spelled right is not known here. Say it, as in: replace \"{wrong}\" with \"…\"{}.",
                        code(wrong),
                        self.file.as_ref().map(|file| format!(" in {file}")).unwrap_or_default()
                    ));
                }
                [only] => only.clone(),
                several => {
                    let all: Vec<String> = several.iter().take(MAX_LISTED).map(|word| code(word)).collect();
                    return EditResult::Nothing(format!(
                        "{} may be {}. Say which one, as in: replace \"{wrong}\" with \"{}\".",
                        code(wrong),
                        all.join(" or "),
                        several.first().cloned().unwrap_or_default()
                    ));
                }
            },
        };
        replaced(&[(wrong.clone(), right)], files)
    }

    /// The words of a file that are on the list.
    fn fix_any(&self, files: &BTreeMap<String, String>) -> EditResult {
        let Some((path, text)) = files.first_key_value() else { return EditResult::Nothing(String::new()) };
        let found: BTreeSet<(String, String)> = words(text)
            .filter_map(|word| Some((word.to_owned(), KNOWN.get(word.to_lowercase().as_str())?.to_string())))
            .collect();
        if found.is_empty() {
            return EditResult::Nothing(format!(
                "No word of {} is known to be misspelt. Say which one is meant, as in: fix the typo WORD in {path}.",
                code(path)
            ));
        }
        replaced(&found.into_iter().collect::<Vec<_>>(), files)
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphabetic() && letter != '\'').filter(|word| word.len() > 1)
}

/// Each wrong word as a whole word, in whichever letters, also as a part of a name that is written in camel case.
fn replaced(pairs: &[(String, String)], files: &BTreeMap<String, String>) -> EditResult {
    let mut made = BTreeMap::new();
    let mut count = 0;
    for (path, old) in files {
        let mut new = old.clone();
        for (wrong, right) in pairs {
            let Ok(word) = Regex::new(&format!(r"(?i)\b{}\b", regex::escape(wrong))) else { continue };
            count += word.find_iter(&new).count();
            new = word.replace_all(&new, |found: &regex::Captures<'_>| cased(&found[0], right)).into_owned();
        }
        if new != *old {
            made.insert(path.clone(), new);
        }
    }
    let shown = |(wrong, right): &(String, String)| format!("{} becomes {}", code(wrong), code(&cased(wrong, right)));
    let Some((wrong, _)) = pairs.first() else { return EditResult::Nothing(String::new()) };
    if made.is_empty() {
        let place = match files.len() {
            1 => files.keys().next().map(|path| code(path)).unwrap_or_default(),
            _ => "the files of the project".to_owned(),
        };
        return EditResult::Nothing(format!("{} is not in {place} as a word, so nothing is changed.", code(wrong)));
    }
    let pairs: Vec<String> = pairs.iter().map(shown).collect();
    let summary = format!("{}, {} in {}", pairs.join(", "), text::times(count), text::counted(made.len()));
    EditResult::Texts { files: made, summary, note: String::new() }
}

/// A word in the letters of another one: `Receive` for `Recieve`.
fn cased(like: &str, word: &str) -> String {
    let mut letters = like.chars();
    match letters.next() {
        Some(first) if first.is_uppercase() && like.len() > 1 && letters.all(char::is_uppercase) => word.to_uppercase(),
        Some(first) if first.is_uppercase() => {
            let mut rest = word.chars();
            rest.next().map(|first| first.to_uppercase().collect::<String>() + rest.as_str()).unwrap_or_default()
        }
        _ => word.to_owned(),
    }
}

/// Words that a misspelt one may be: the list's, else those that differ by one slip and are known, those of the files first.
fn candidates(wrong: &str, files: &BTreeMap<String, String>) -> Vec<String> {
    let lower = wrong.to_lowercase();
    if let Some(right) = KNOWN.get(lower.as_str()) {
        return vec![(*right).to_owned()];
    }
    if lower.len() < 4 || !lower.is_ascii() {
        return Vec::new();
    }
    let known: BTreeSet<String> = slips(&lower).into_iter().filter(|word| lists().is_word(word)).collect();
    let mut own: BTreeMap<String, usize> = BTreeMap::new();
    for word in files.values().flat_map(|text| words(text)).map(str::to_lowercase) {
        if is_one_slip(&word, &lower) {
            *own.entry(word).or_default() += 1;
        }
    }
    let both: Vec<String> = known.iter().filter(|word| own.contains_key(*word)).cloned().collect();
    match (both.len(), known.len()) {
        (1, _) => both,
        (_, 0) => own.into_keys().collect(),
        _ => known.into_iter().collect(),
    }
}

/// All words that differ by one letter, or by two swapped ones.
fn slips(word: &str) -> Vec<String> {
    let mut all = Vec::new();
    for at in 0..=word.len() {
        let (head, tail) = word.split_at(at);
        let rest = tail.get(1..);
        for letter in 'a'..='z' {
            all.push(format!("{head}{letter}{tail}"));
            all.extend(rest.map(|rest| format!("{head}{letter}{rest}")));
        }
        all.extend(rest.map(|rest| format!("{head}{rest}")));
        if let (Some(first), Some(second), Some(rest)) = (tail.get(..1), tail.get(1..2), tail.get(2..)) {
            all.push(format!("{head}{second}{first}{rest}"));
        }
    }
    all.retain(|other| other != word);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(wrong: Option<&str>, right: Option<&str>, text: &str) -> String {
        let files = BTreeMap::from([("a.md".to_owned(), text.to_owned())]);
        let owned = |word: Option<&str>| word.map(str::to_owned);
        match Typo::new(owned(wrong), owned(right), Some("a.md".to_owned())).unwrap().fix(&files) {
            EditResult::Texts { files, .. } => files.into_values().next().unwrap(),
            EditResult::Nothing(why) => format!("? {why}"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_word_that_is_right_is_not_the_one() {
        let named = |word: &str| Typo::new(Some(word.to_owned()), None, Some("a.md".to_owned()));
        assert_eq!((named("field"), named("sentence"), named("recieve").is_some()), (None, None, true));
    }

    #[test]
    fn a_misspelt_word_is_corrected_in_its_letters() {
        assert_eq!(told(Some("Recieve"), None, "Recieve it, RECIEVE it\n"), "Receive it, RECEIVE it\n");
        assert_eq!(told(Some("Retuns"), Some("Returns"), "Retuns x\n"), "Returns x\n");
        assert_eq!(told(None, None, "the servr and teh rest\n"), "the server and the rest\n");
        assert_eq!(told(Some("boardd"), None, "a boardd, a board\n"), "a board, a board\n");
        assert!(told(Some("xqzzt"), None, "xqzzt\n").starts_with("? How"));
        assert!(told(None, None, "all is fine\n").starts_with("? No word"));
        assert!(told(Some("recieve"), None, "receiver\n").contains("is not in"));
    }

    #[test]
    fn the_list_has_pairs_of_different_words() {
        assert!(
            LIST.lines()
                .all(|line| line.starts_with('#') || line.split_once(' ').is_some_and(|(wrong, right)| wrong != right))
        );
    }
}
