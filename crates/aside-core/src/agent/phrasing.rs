//! Classifies prose: a polite phrase, a request in a polite frame, or prose at all. Does not answer it.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::agent::language::Message;

const DATA: &str = include_str!("../../data/agent/phrasing.words");

static WORDS: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| read(DATA));

/// The names of the lists, and the reply to each.
const TALK: [(&str, Message); 7] = [
    ("greeting", Message::Greeting),
    ("thanks", Message::Thanks),
    ("assent", Message::Assent),
    ("dissent", Message::Dissent),
    ("farewell", Message::Farewell),
    ("help", Message::Help),
    ("about-what", Message::AboutWhat),
];

fn read(data: &'static str) -> HashMap<&'static str, Vec<&'static str>> {
    let mut lists: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut current = "";
    for row in data.lines().filter(|row| !row.trim().is_empty() && !row.starts_with('#')) {
        let rest = match row.split_once(' ') {
            Some(("", rest)) => rest,
            Some((name, rest)) => {
                current = name;
                rest
            }
            None => continue,
        };
        let items = rest.split(',').map(str::trim).filter(|item| !item.is_empty());
        lists.entry(current).or_default().extend(items);
    }
    lists
}

fn list(name: &str) -> &'static [&'static str] {
    WORDS.get(name).map(Vec::as_slice).unwrap_or_default()
}

/// The reply to a polite phrase.
pub fn small_talk(words: &str) -> Option<Message> {
    let lower = words.to_lowercase();
    let plain: String = lower.chars().filter(|letter| !is_mark(*letter)).collect();
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    TALK.iter().find(|(name, _)| list(name).contains(&plain.as_str())).map(|(_, phrase)| *phrase)
}

fn is_mark(letter: char) -> bool {
    matches!(letter, '?' | '!' | '.' | ',' | ';' | ':' | '…' | '。' | '，' | '？' | '！' | '、')
}

/// Removes the polite frame.
pub fn without_frame(words: &str) -> &str {
    let mut bare = words.trim();
    while let Some(rest) = before(bare).or_else(|| after(bare)) {
        bare = rest;
    }
    bare
}

fn before(words: &str) -> Option<&str> {
    let fits = |frame: &&&str| strip_frame(words, frame).is_some();
    let frame = list("before").iter().filter(fits).max_by_key(|frame| frame.len())?;
    let rest = strip_frame(words, frame)?.trim_start_matches([',', ':', '，', '：']).trim_start();
    // A frame around nothing is kept as it is.
    (!rest.is_empty()).then_some(rest)
}

/// The text after the frame, which needs a blank or punctuation in languages that separate words.
pub fn strip_frame<'a>(words: &'a str, frame: &str) -> Option<&'a str> {
    let head = words.get(..frame.len())?;
    let rest = words.get(frame.len()..)?;
    let parted = rest.starts_with([' ', ',', ':', '，', '：']) || frame.chars().any(|letter| letter > '\u{2e80}');
    (head.eq_ignore_ascii_case(frame) && parted).then(|| rest.trim_start())
}

fn after(words: &str) -> Option<&str> {
    list("after").iter().find_map(|frame| {
        let rest = words.len().checked_sub(frame.len())?;
        let (rest, tail) = (words.get(..rest)?, words.get(rest..)?);
        let parted = rest.ends_with([' ', ',', '，']) || frame.chars().any(|letter| letter > '\u{2e80}');
        let kept = rest.trim_end_matches([' ', ',', '，']);
        (tail.eq_ignore_ascii_case(frame) && parted && !kept.is_empty()).then_some(kept)
    })
}

/// Whether it reads as prose rather than as a mistyped command.
pub fn is_prose(words: &str) -> bool {
    // Scripts that have no blanks between words.
    let is_unspaced = |letter: char| matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
    let is_shell =
        |word: &str| word.starts_with(['-', '$', '~', '/', '>', '<', '|', '&']) || word.contains(['=', '|', ';']);
    let all: Vec<&str> = words.split(' ').collect();
    if all.iter().skip(1).any(|word| is_shell(word)) {
        return false;
    }
    let prose = |word: &&str| {
        let word = word.trim_matches(is_mark).to_ascii_lowercase();
        list("prose").contains(&word.as_str())
    };
    words.chars().any(is_unspaced)
        || all.len() >= 2 && words.ends_with(['?', '？'])
        || all.len() >= 3 && all.iter().any(prose)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_is_there() {
        let names = TALK.iter().map(|(name, _)| *name).chain(["before", "after", "prose"]);
        for name in names {
            assert!(!list(name).is_empty(), "{name}");
            assert!(list(name).iter().all(|item| *item == item.to_lowercase()), "{name}");
        }
        assert_eq!(WORDS.len(), TALK.len() + 3);
    }

    #[test]
    fn a_frame_adds_nothing() {
        for (words, expected) in [
            ("please list the files", "list the files"),
            ("How do I list hidden files", "list hidden files"),
            ("hey, can you please count the lines for me, thanks", "count the lines"),
            ("what is the command to show disk usage", "show disk usage"),
            ("请帮我列出最大的文件", "列出最大的文件"),
            ("android devices", "android devices"),
            ("please", "please"),
            ("", ""),
            ("so", "so"),
        ] {
            assert_eq!(without_frame(words), expected, "{words}");
        }
    }

    #[test]
    fn prose_and_commands() {
        for prose in ["make sure the tests pass", "where is auth?", "列出文件", "top 5 processes by memory"] {
            assert!(is_prose(prose), "{prose}");
        }
        for command in ["gti status", "git comit -m for the best", "cat READEM.md", "ls /the/a b", "grpe foo README.md"]
        {
            assert!(!is_prose(command), "{command}");
        }
    }
}
