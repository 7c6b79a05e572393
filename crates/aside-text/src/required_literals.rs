//! Which literals a text must contain for an expression to match it. A text without them is refused before the expression is compiled:
//! of hundreds of patterns for requests, a request needs a few.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Alternatives in one list; a longer list refuses little.
const MAX_ALTERNATIVES: usize = 48;
const MAX_LISTS: usize = 8;
/// Shorter ones are in almost every text.
const MIN_BYTES: usize = 2;
const MAX_BYTES: usize = 24;

/// Lists of literals: a match contains one of each list, in upper or lower case. Packed, since there are thousands: each list is the
/// number of its literals, then each literal behind its length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequiredLiterals(Box<[u8]>);

impl RequiredLiterals {
    pub fn of(hir: &Hir) -> Self {
        let mut lists = lists(hir);
        lists.retain(|list| shortest(list) >= MIN_BYTES);
        lists.sort_by_key(|list| usize::MAX - shortest(list));
        lists.truncate(MAX_LISTS);
        let mut packed = Vec::new();
        for list in lists {
            // Both fit, by the limits above.
            packed.push(list.len() as u8);
            for literal in list {
                packed.push(literal.len() as u8);
                packed.extend(literal);
            }
        }
        Self(packed.into())
    }

    /// Whether `text` has what a match needs. Never false for a text that matches.
    pub fn are_in(&self, text: &str) -> bool {
        // The only letters outside ASCII that are a spelling of an ASCII letter.
        if !text.is_ascii() && text.contains(['\u{17f}', '\u{212a}']) {
            return true;
        }
        let mut rest = &*self.0;
        while let Some((&count, literals)) = rest.split_first() {
            rest = literals;
            let mut is_in = false;
            for _ in 0..count {
                let Some((&length, behind)) = rest.split_first() else { return true };
                let Some((literal, behind)) = behind.split_at_checked(length.into()) else { return true };
                is_in = is_in || contains(text.as_bytes(), literal);
                rest = behind;
            }
            if !is_in {
                return false;
            }
        }
        true
    }
}

type List = Vec<Vec<u8>>;

/// One of each list is in every match.
fn lists(hir: &Hir) -> Vec<List> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Vec::new(),
        HirKind::Literal(literal) => vec![vec![cut(literal.0.to_ascii_lowercase())]],
        HirKind::Class(class) => letter(class).map(|letter| vec![vec![vec![letter]]]).unwrap_or_default(),
        HirKind::Repetition(repetition) if repetition.min == 0 => Vec::new(),
        HirKind::Repetition(repetition) => lists(&repetition.sub),
        HirKind::Capture(capture) => lists(&capture.sub),
        HirKind::Concat(parts) => sequence(parts),
        HirKind::Alternation(parts) => {
            let mut all = List::new();
            for part in parts {
                match best(lists(part)) {
                    Some(list) if all.len() + list.len() <= MAX_ALTERNATIVES => all.extend(list),
                    _ => return Vec::new(),
                }
            }
            vec![all]
        }
    }
}

/// Joins literals and letters of either case that follow each other.
fn sequence(parts: &[Hir]) -> Vec<List> {
    let (mut found, mut run) = (Vec::new(), Vec::new());
    for part in parts {
        match part.kind() {
            HirKind::Literal(literal) => run.extend(literal.0.to_ascii_lowercase()),
            HirKind::Class(class) if letter(class).is_some() => run.extend(letter(class)),
            // Takes no room.
            HirKind::Empty | HirKind::Look(_) => {}
            _ => {
                found.extend((!run.is_empty()).then(|| vec![cut(std::mem::take(&mut run))]));
                found.extend(lists(part));
            }
        }
    }
    found.extend((!run.is_empty()).then(|| vec![cut(run)]));
    found
}

/// The list that refuses most.
fn best(lists: Vec<List>) -> Option<List> {
    lists.into_iter().max_by_key(|list| (shortest(list), usize::MAX - list.len()))
}

fn shortest(list: &List) -> usize {
    list.iter().map(Vec::len).min().unwrap_or(0)
}

/// A part of what is required is required too.
fn cut(mut literal: Vec<u8>) -> Vec<u8> {
    literal.truncate(MAX_BYTES);
    literal
}

/// A letter of ASCII in both cases, as an expression without case has it; in lower case.
fn letter(class: &Class) -> Option<u8> {
    let Class::Unicode(class) = class else { return None };
    let mut letters = class.iter().flat_map(|range| [range.start(), range.end()]);
    let first = letters.next()?.to_ascii_lowercase();
    let is_one = class.iter().all(|range| range.start() == range.end())
        && letters.all(|letter| {
            letter.to_ascii_lowercase() == first || matches!((first, letter), ('s', 'ſ') | ('k', '\u{212a}'))
        });
    (is_one && first.is_ascii_alphabetic()).then_some(first as u8)
}

/// `literal` is in lower case.
fn contains(text: &[u8], literal: &[u8]) -> bool {
    let Some((first, rest)) = literal.split_first() else { return true };
    let mut at = 0;
    let upper = first.to_ascii_uppercase();
    while let Some(found) = text.get(at..).and_then(|text| memchr::memchr2(*first, upper, text)) {
        at += found + 1;
        match text.get(at..at + rest.len()) {
            Some(behind) if behind.eq_ignore_ascii_case(rest) => return true,
            Some(_) => {}
            None => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(pattern: &str) -> RequiredLiterals {
        RequiredLiterals::of(&regex_syntax::parse(pattern).unwrap())
    }

    #[test]
    fn a_text_without_a_required_literal_is_refused() {
        let required = of(r"(?i)^(?:what|which)\s+.*\b(?:ports?|address)\b");
        assert!(required.are_in("Which PORT is it?") && required.are_in("somewhat of an address"));
        assert!(!required.are_in("which one") && !required.are_in("the port"));
        assert!(!of("改名|重命名").are_in("把它删除") && of("改名|重命名").are_in("把它改名"));
        for all in ["", "^$", r"\w+", "a?", "(?:abc)?", "x|", "[a-c]{3}"] {
            assert!(of(all).are_in(""), "{all}");
        }
    }

    #[test]
    fn other_spellings_of_ascii_letters_are_not_refused() {
        for (pattern, text) in
            [("(?i)task", "ta\u{17f}\u{212a}"), ("(?i)ask", "A\u{17f}K"), ("(?i)kelvin", "\u{212a}elvin")]
        {
            assert!(regex::Regex::new(pattern).unwrap().is_match(text));
            assert!(of(pattern).are_in(text), "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn no_text_that_matches_is_refused(
            parts in proptest::collection::vec(0_usize..16, 1..6),
            text in "[aAbBsSkK ſK改é.]{0,10}",
        ) {
            const PARTS: [&str; 16] = [
                "ab", "(?i)as", "(?i:k|ba)", "(?:ab|ba)?", "[ab]", r"\w", r"\b", "(?i:sk)+", "改", "(?i:é)", "(?:a|b|)", "^", "$",
                "(?:as|ab)", " ", "(?i:sa|ak){2}",
            ];
            let pattern: String = parts.iter().map(|part| PARTS[*part]).collect();
            if regex::Regex::new(&pattern).unwrap().is_match(&text) {
                prop_assert!(of(&pattern).are_in(&text), "{pattern} {text}");
            }
        }
    }
}
