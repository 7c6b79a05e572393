//! Grammar of the words behind a command, whatever the command. Knows no shell and no machine.

use crate::detect::english::{Token, TokenKind};
use crate::detect::word_lists::lists;

/// Words that precede a noun in a sentence, and nothing in a command.
const DETERMINERS: [&str; 12] =
    ["the", "an", "my", "our", "your", "this", "that", "these", "those", "their", "his", "every"];

/// The same, but some targets and files have these names too.
const AMOUNTS: [&str; 3] = ["all", "some", "any"];

/// Words before a singular noun.
const SINGLES: [&str; 3] = ["each", "every", "no"];

/// Objects of a verb in a sentence.
const OBJECTS: [&str; 12] = [
    "it",
    "me",
    "us",
    "them",
    "him",
    "everything",
    "something",
    "anything",
    "nothing",
    "everyone",
    "somebody",
    "someone",
];

/// Those of them that are never names.
const NAMELESS: [&str; 5] = ["everything", "anything", "something", "them", "everyone"];

/// Subjects of a verb.
const SUBJECTS: [&str; 6] = ["it", "i", "we", "you", "they", "that"];

const QUALIFIERS: [&str; 7] = ["only", "instead", "again", "too", "anymore", "yet", "already"];

const POLITE: [&str; 6] = ["please", "pls", "plz", "thanks", "thx", "thank"];

/// Words that join a request. Others, such as `in` and `after`, are sometimes names of files.
const JOINS: [&str; 18] = [
    "with", "by", "only", "but", "and", "for", "like", "of", "from", "to", "about", "into", "without", "except", "as",
    "between", "just", "than",
];

/// Words between two nouns.
const BETWEEN: [&str; 17] = [
    "to", "into", "by", "as", "with", "and", "from", "in", "of", "for", "on", "using", "than", "or", "against",
    "without", "inside",
];

/// Words before one noun, whatever its name.
const TOWARDS: [&str; 5] = ["to", "into", "of", "about", "without"];

/// Whether there is a noun with a determiner: `the tests`, but not `this that other`.
pub fn is_determined(words: &[Token<'_>]) -> bool {
    let is_determiner = |token: &Token<'_>| is_among(token, &DETERMINERS);
    let mut pairs = words.windows(2);
    !words.windows(2).any(|pair| pair.iter().all(is_determiner))
        && pairs.any(|pair| matches!(pair, [one, next] if is_determiner(one) && is_thing(next)))
}

pub fn is_determiner(token: &Token<'_>) -> bool {
    is_among(token, &DETERMINERS)
}

/// Whether there is a content word.
pub fn has_content(words: &[Token<'_>]) -> bool {
    words.iter().any(|token| !token.is_functional())
}

/// `each line`
pub fn is_single(words: &[Token<'_>]) -> bool {
    words.windows(2).any(|pair| matches!(pair, [one, next] if is_among(one, &SINGLES) && is_thing(next)))
}

/// `all files`, `each line`
pub fn is_counted(words: &[Token<'_>]) -> bool {
    let is_many = |token: &Token<'_>| is_thing(token) && (token.plain.ends_with('s') || token.sort == TokenKind::Name);
    let counts = |words: &[Token<'_>]| {
        words.split_first().is_some_and(|(one, rest)| is_amount(one) && rest.iter().take(2).any(is_many))
    };
    is_single(words) || (0..words.len()).any(|at| words.get(at..).is_some_and(counts))
}

/// `a package`, where the letter is not a name.
pub fn is_article(words: &[Token<'_>]) -> bool {
    matches!(words, [one, next, ..] if one.plain == "a"
        && one.sort == TokenKind::Core && is_thing(next) && next.is_english() && !lists().forgotten.contains(next.plain.as_str()))
}

pub fn is_amount(token: &Token<'_>) -> bool {
    is_among(token, &AMOUNTS)
}

fn is_thing(token: &Token<'_>) -> bool {
    token.is_plain() && !token.is_functional() || token.sort == TokenKind::Name
}

/// A predicate about what precedes: `is broken`, `keeps crashing`.
pub fn is_predicate(words: &[Token<'_>]) -> bool {
    let Some((verb, rest)) = words.split_first() else { return false };
    let is_said = lists().predicates.contains(verb.plain.as_str()) || lists().reports.contains(verb.plain.as_str());
    is_said && rest.first().is_some_and(Token::is_plain)
}

/// A predicate after other words: `changes are gone`.
pub fn has_predicate(words: &[Token<'_>]) -> bool {
    let is_said = |token: &Token<'_>| {
        lists().predicates.contains(token.plain.as_str()) || lists().reports.contains(token.plain.as_str())
    };
    let is_done = |token: &Token<'_>| lists().reports.contains(token.plain.as_str());
    words.windows(2).any(|pair| matches!(pair, [one, verb] if is_among(one, &SUBJECTS) && is_done(verb)))
        || words.windows(3).any(|words| {
            matches!(words, [one, verb, next]
                if one.is_plain() && !one.is_functional() && is_said(verb) && next.is_plain())
        })
}

/// `it faster`, `me a list`
pub fn is_object(words: &[Token<'_>]) -> bool {
    words.len() >= 2 && words.first().is_some_and(|first| is_among(first, &OBJECTS))
}

/// `everything` as the last word.
pub fn is_nameless(words: &[Token<'_>]) -> bool {
    words.last().is_some_and(|last| is_among(last, &NAMELESS))
}

/// `lines only`: a word that never ends a command.
pub fn is_qualified(words: &[Token<'_>]) -> bool {
    words.len() >= 2 && words.last().is_some_and(|last| is_among(last, &QUALIFIERS))
}

pub fn is_polite(words: &[Token<'_>]) -> bool {
    words.iter().any(|token| is_among(token, &POLITE))
}

/// The last word has a question mark.
pub fn is_question(words: &[Token<'_>]) -> bool {
    words.last().is_some_and(|last| {
        let bare = last.raw.trim_end_matches(['"', ')', '!']);
        bare.ends_with('?')
            && last.is_plain()
            && (last.sort == TokenKind::Number || last.plain.chars().nth(1).is_some())
    })
}

/// `only directories`, `for next month`
pub fn is_joined(words: &[Token<'_>]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    let is_word = |token: &Token<'_>| matches!(token.sort, TokenKind::Word | TokenKind::Listed) && token.is_english();
    let is_towards =
        is_among(first, &TOWARDS) && rest.iter().all(|token| token.is_plain() || token.sort == TokenKind::Name);
    if is_towards && (has_content(rest) || first.plain == "of" && !rest.is_empty()) {
        return true;
    }
    let is_fit = if rest.len() < 2 {
        rest.iter().all(Token::is_english)
    } else {
        rest.iter().all(|token| token.is_plain() || token.sort == TokenKind::Name)
    };
    is_among(first, &JOINS) && is_fit && rest.iter().any(is_word)
}

/// Two nouns and a word between them: `users.csv by age`.
pub fn has_between(words: &[Token<'_>]) -> bool {
    let is_small = |token: &Token<'_>| is_among(token, &BETWEEN);
    let is_large = |token: &Token<'_>| token.is_plain() || token.sort == TokenKind::Name;
    words.windows(3).any(|words| {
        matches!(words, [one, between, next] if is_large(one) && !is_small(one) && is_small(between) && is_large(next))
    })
}

fn is_among(token: &Token<'_>, words: &[&str]) -> bool {
    token.sort != TokenKind::Quoted && words.contains(&token.plain.as_str())
}
