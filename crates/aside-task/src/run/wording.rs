//! Other words for a request that mean exactly the same, so that the readers of questions and changes parse one wording: English for a
//! Chinese request, the usual order of words for an unusual one. And the Chinese form of sentences that they make. Patterns and examples
//! are in `data/task/wordings.toml`.

use std::borrow::Cow;
use std::sync::LazyLock;

use aside_core::agent::language::Language;
use aside_text::lazy_regex::Regex;

use crate::run::{spelling, toml_lists};

const LIST: &str = include_str!("../../data/task/wordings.toml");
/// Wordings of changes and commands. They come first, since each is about one thing.
const ORDERS: &str = include_str!("../../data/task/wordings_orders.toml");
/// Characters of a request that are matched; a longer one is complete prose.
const MAX_LETTERS: usize = 200;

struct Wording {
    pattern: Regex,
    becomes: String,
}

/// Names and files as a request writes them, in whatever quotes.
const NAME: &str = r"[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*";
const FILE: &str = r"[\w@+-]*[\w./@+-]*\.[\w./@+-]*[\w-]|[\w.@+-]+/[\w./@+-]*|Makefile|Dockerfile|README";

fn patterns(table: &str, whole: &dyn Fn(&str) -> String) -> Vec<Wording> {
    let of = |list: &'static str| {
        toml_lists::tables(list, table, |table| {
            let pattern = toml_lists::text(table, "pattern")?.replace("<NAME>", NAME).replace("<FILE>", FILE);
            // Without a blank between them, a name would go on into the Chinese words behind it.
            let pattern = pattern.replace(r"\w", "[0-9A-Za-z_]");
            Some(Wording { pattern: Regex::new(&whole(&pattern)).ok()?, becomes: toml_lists::text(table, "becomes")? })
        })
    };
    of(ORDERS).into_iter().chain(of(LIST)).collect()
}

static REQUESTS: LazyLock<Vec<Wording>> = LazyLock::new(|| {
    let polite = r"(?:请问?|帮我|帮忙|麻烦你?|能不能|可不可以|可以|告诉我|我想知道|想知道|[\s，,])*";
    patterns("request", &|pattern| {
        format!(r"^\s*{polite}(?:{pattern})(?:一下|谢谢|好吗|可以吗|吗|呢|啊|呀|[\s，,。．.！!？?])*$")
    })
});

static PLAIN: LazyLock<Vec<Wording>> = LazyLock::new(|| {
    let polite = r"(?:(?:please|pls|plz|can you|could you|would you|hey|so|ok|okay|i want to|i need to|i'd like to|we need to|we should|lets|let's|now|just)(?:\s+|\s*,\s*))*(?:to\s+)?";
    patterns("plain", &|pattern| {
        format!(r"(?i)^\s*{polite}(?:{pattern})(?:\s*,?\s*(?:please|pls|plz|thanks|thank you)|\s+for me)*\s*[?.!]*\s*$")
    })
});

static SENTENCES: LazyLock<Vec<Wording>> =
    LazyLock::new(|| patterns("sentence", &|pattern| format!("^(?:{pattern})$")));

/// A Chinese request in English, or the request as it is.
pub fn english(request: &str) -> Cow<'_, str> {
    if Language::of(request) != Language::Chinese || request.chars().nth(MAX_LETTERS).is_some() {
        return Cow::Borrowed(request);
    }
    match changed(&REQUESTS, &squeezed(request.trim())) {
        Some(english) => Cow::Owned(english),
        None => Cow::Borrowed(request),
    }
}

/// A request in the words of its language that its readers know; `None` where it has them already, or others.
pub fn plain(request: &str) -> Option<String> {
    if request.contains('\n') || request.chars().nth(MAX_LETTERS).is_some() {
        return None;
    }
    let request = squeezed(request.trim());
    let spelled = spelling::corrected(&request);
    changed(&PLAIN, spelled.as_deref().unwrap_or(&request)).or(spelled)
}

/// A sentence about a change or a command in the language of the request. Sentences without a translation stay English.
pub fn sentence(text: &str, language: Language) -> String {
    match language {
        Language::English => text.to_owned(),
        Language::Chinese => changed(&SENTENCES, text).unwrap_or_else(|| text.to_owned()),
    }
}

/// Without the blanks beside Chinese letters, which are a matter of taste.
fn squeezed(text: &str) -> String {
    let is_han =
        |letter: Option<&char>| letter.is_some_and(|letter| Language::of(&letter.to_string()) == Language::Chinese);
    let letters: Vec<char> = text.chars().collect();
    let keeps = |at: &usize| {
        let beside = is_han(letters.get(at + 1)) || at.checked_sub(1).is_some_and(|before| is_han(letters.get(before)));
        letters.get(*at).is_none_or(|letter| *letter != ' ') || !beside
    };
    (0..letters.len()).filter(keeps).filter_map(|at| letters.get(at)).collect()
}

fn changed(wordings: &[Wording], text: &str) -> Option<String> {
    wordings.iter().find_map(|wording| {
        let found = wording.pattern.captures(text)?;
        let mut english = wording.becomes.clone();
        for name in wording.pattern.capture_names() {
            let value = found.name(&name).map_or("", |value| value.as_str().trim());
            english = english.replace(&format!("<{name}>"), value);
        }
        Some(english.split_whitespace().collect::<Vec<_>>().join(" "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wording_has_its_hits() {
        assert_eq!(
            REQUESTS.len() + PLAIN.len() + SENTENCES.len(),
            ["request", "plain", "sentence"]
                .iter()
                .map(|table| toml_lists::count(LIST, table) + toml_lists::count(ORDERS, table))
                .sum::<usize>()
        );
        let mut wrong = Vec::new();
        for (table, wordings) in [("request", &REQUESTS), ("plain", &PLAIN), ("sentence", &SENTENCES)] {
            let hits = |list| toml_lists::tables(list, table, |table| Some(toml_lists::texts(table, "hits")));
            for hit in hits(LIST).into_iter().chain(hits(ORDERS)).flatten() {
                let (line, expected) = hit.split_once(" => ").unwrap();
                let told = match table {
                    "request" => english(line).into_owned(),
                    "plain" => plain(line).unwrap_or_default(),
                    _ => changed(wordings, line).unwrap_or_default(),
                };
                if told != expected {
                    wrong.push(format!("{line}: {told}"));
                }
            }
        }
        assert_eq!(wrong, Vec::<String>::new());
    }

    #[test]
    fn other_requests_stay_as_they_are() {
        for request in ["rename a to b", "给登录加上限流", "为什么登录很慢", "把登录页面改成蓝色", "写一个排序函数"]
        {
            assert_eq!(english(request), request);
        }
        for request in [
            "use tabs instead of spaces",
            "use redis instead of postgres",
            "fire up the grill in the README text and rename it",
            "swap a with b",
            "s/a.*b/c/",
            "how works are published",
            "remove the TODO list component",
            "what did we change, and is it fine",
        ] {
            assert_eq!(plain(request), None, "{request}");
        }
    }
}
