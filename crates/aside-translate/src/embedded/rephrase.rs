//! Rewrites requests to forms that the engine understands (`data/translate/rephrase.txt`): a request that fits a form
//! from its first word to its last becomes the sentence beside it, with the typed values carried over. Interprets
//! nothing; mood and names are left to `analysis`.

use std::sync::LazyLock;

use crate::embedded::entities;
use crate::embedded::lexicon::is_han;

const FORMS: &str = include_str!("../../data/translate/rephrase.txt");
/// Longer requests are not matched.
const MAX_TOKENS: usize = 40;
const QUOTES: &[(char, char)] = &[('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”')];
/// Polite openings.
const LEADS: &[&[&str]] =
    &[&["please"], &["pls"], &["hey"], &["ok"], &["can", "you"], &["could", "you"], &["would", "you"]];
const TAILS: &[&str] = &["please", "pls", "thanks"];
const NUMBERS: &[(&str, &str)] = &[
    ("一", "1"),
    ("二", "2"),
    ("两", "2"),
    ("三", "3"),
    ("四", "4"),
    ("五", "5"),
    ("六", "6"),
    ("七", "7"),
    ("八", "8"),
    ("九", "9"),
    ("十", "10"),
    ("one", "1"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
];

static BOOK: LazyLock<Vec<Form>> = LazyLock::new(|| FORMS.lines().filter_map(Form::parse).collect());

struct Form {
    items: Vec<Item>,
    says: &'static str,
}

struct Item {
    part: Part,
    is_optional: bool,
}

enum Part {
    /// Alternatives, each a sequence of words.
    Words(Vec<Vec<&'static str>>),
    Slot(&'static str),
}

impl Form {
    fn parse(line: &'static str) -> Option<Self> {
        let (form, says) = line.split_once(" => ").filter(|_| !line.starts_with('#'))?;
        Some(Self { items: form.split_whitespace().map(Item::parse).collect(), says })
    }

    /// The sentence, with the values of this request in its slots.
    fn fill(&self, tokens: &[&str]) -> Option<String> {
        let mut bound = Vec::new();
        fits(&self.items, tokens, &mut bound).then(|| {
            bound.iter().fold(self.says.to_owned(), |says, (slot, text)| says.replace(&format!("<{slot}>"), text))
        })
    }
}

impl Item {
    fn parse(word: &'static str) -> Self {
        let (word, is_optional) = word.strip_suffix('?').map_or((word, false), |word| (word, true));
        let part = match word.strip_prefix('<').and_then(|slot| slot.strip_suffix('>')) {
            Some(slot) => Part::Slot(slot),
            None => Part::Words(word.split('|').map(|words| words.split('_').flat_map(tokens).collect()).collect()),
        };
        Self { part, is_optional }
    }
}

/// The rephrased request, if it matches a form.
pub fn rephrase(request: &str) -> Option<String> {
    let tokens = tokens(request);
    let mut tokens = tokens.as_slice();
    if tokens.len() > MAX_TOKENS {
        return None;
    }
    let begins = |tokens: &[&str], lead: &[&str]| {
        tokens.len() > lead.len() && lead.iter().zip(tokens).all(|(word, token)| token.eq_ignore_ascii_case(word))
    };
    while let Some(lead) = LEADS.iter().find(|lead| begins(tokens, lead)) {
        tokens = tokens.get(lead.len()..)?;
    }
    while let Some((last, rest)) = tokens.split_last()
        && TAILS.iter().any(|tail| last.eq_ignore_ascii_case(tail))
    {
        tokens = rest;
    }
    BOOK.iter().find_map(|form| form.fill(tokens))
}

fn fits(items: &[Item], tokens: &[&str], bound: &mut Vec<(&'static str, String)>) -> bool {
    let Some((item, rest)) = items.split_first() else { return tokens.is_empty() };
    match &item.part {
        Part::Slot(slot) => {
            if let Some((token, after)) = tokens.split_first()
                && let Some(text) = slot_text(slot, token)
            {
                bound.push((slot, text));
                if fits(rest, after, bound) {
                    return true;
                }
                bound.pop();
            }
        }
        Part::Words(choices) => {
            for words in choices {
                let is_there = words.iter().zip(tokens).all(|(word, token)| token.to_lowercase() == *word);
                if is_there
                    && words.len() <= tokens.len()
                    && fits(rest, tokens.get(words.len()..).unwrap_or_default(), bound)
                {
                    return true;
                }
            }
        }
    }
    item.is_optional && fits(rest, tokens, bound)
}

/// The value of a token for a slot of this kind. A second slot of a kind ends with 2, a third with 3.
fn slot_text(slot: &str, token: &str) -> Option<String> {
    const ARCHIVES: &[&str] = &[".tar", ".gz", ".tgz", ".zip", ".bz2", ".xz", ".7z", ".rar", ".zst", ".tbz", ".txz"];
    let low = token.to_lowercase();
    let is_quoted = QUOTES.iter().any(|(open, close)| {
        token.strip_prefix(*open).and_then(|rest| rest.strip_suffix(*close)).is_some_and(|inner| !inner.is_empty())
    });
    let is_plain = |more: &str| token.chars().all(|letter| letter.is_ascii_alphanumeric() || more.contains(letter));
    let is_packed = ARCHIVES.iter().any(|ending| low.ends_with(ending));
    let is_file = is_plain("._-/~") && entities::is_file_name(&low);
    match slot.trim_end_matches(|letter: char| letter.is_ascii_digit()) {
        "file" => (is_quoted || is_file && !is_packed).then(|| token.to_owned()),
        "archive" => (is_plain("._-/~") && is_packed).then(|| token.to_owned()),
        "kind" => (is_plain("") && entities::kind(&low).is_some()).then(|| token.to_owned()),
        "name" => (is_quoted || is_plain("._-/~@")).then(|| token.to_owned()),
        "text" if is_quoted => Some(token.to_owned()),
        "text" => is_plain("._-/:").then(|| format!("'{token}'")),
        "number" if token.bytes().all(|byte| byte.is_ascii_digit()) => Some(token.to_owned()),
        "number" => NUMBERS.iter().find(|(word, _)| *word == low).map(|(_, number)| (*number).to_owned()),
        "sum" => {
            let is_sum = is_plain(".+-*/^") && token.contains(['+', '-', '*', '/', '^']);
            (is_sum
                && token.starts_with(|letter: char| letter.is_ascii_digit())
                && token.ends_with(|letter: char| letter.is_ascii_digit()))
            .then(|| token.to_owned())
        }
        _ => None,
    }
}

/// Words and quoted texts; each Chinese character is a word of its own.
fn tokens(request: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = request.trim_start();
    while let Some(first) = rest.chars().next() {
        let quoted = QUOTES.iter().find(|(open, _)| *open == first).and_then(|(open, close)| {
            let inner = rest.get(open.len_utf8()..)?;
            inner.find(*close).map(|at| open.len_utf8() + at + close.len_utf8())
        });
        let is_end = |letter: char| letter.is_whitespace() || is_han(letter) || "，。？！：".contains(letter);
        let end = match quoted {
            Some(end) => end,
            None if is_han(first) => first.len_utf8(),
            None => rest.find(is_end).unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(end);
        let token = if quoted.is_some() { token } else { token.trim_end_matches([',', ';', ':', '?', '!', '.']) };
        if !token.is_empty() {
            tokens.push(token);
        }
        rest = after.trim_start_matches(|letter: char| letter.is_whitespace() || "，。？！：".contains(letter));
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_of_a_sentence_stands_in_its_form() {
        for form in BOOK.iter() {
            let mut rest = form.says;
            while let Some((_, after)) = rest.split_once('<') {
                let (slot, after) = after.split_once('>').expect(form.says);
                let stands = |item: &Item| matches!(item.part, Part::Slot(known) if known == slot);
                assert!(form.items.iter().any(stands), "{}", form.says);
                rest = after;
            }
        }
    }

    #[test]
    fn a_request_that_is_a_form_from_end_to_end_is_said_in_other_words() {
        let pairs = [
            ("whats in notes/todo.md?", "show the content of notes/todo.md"),
            ("please put a.txt in old", "move a.txt to old"),
            ("b.txt 有几行", "count lines in b.txt"),
            ("大家 a.txt", ""),
            ("12*7 等于多少", "calculate 12*7"),
            ("foo_bar usages", "search for 'foo_bar' in all files"),
            ("whats in a.tar.gz", ""),
            ("whats in notes/todo.md and why", ""),
            ("put", ""),
            ("", ""),
        ];
        for (request, says) in pairs {
            assert_eq!(rephrase(request).unwrap_or_default(), says, "{request}");
        }
    }
}
