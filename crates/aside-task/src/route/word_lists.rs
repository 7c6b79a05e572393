//! The named word lists of the rules, and how they split a sentence: where a request begins, and what is only politeness around it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use aside_core::detect::word_lists::is_one_slip;
use aside_text::is_han;
use aside_text::pattern::Pattern;

const WORDS: &str = include_str!("../../data/task/words.txt");

static LISTS: LazyLock<HashMap<&str, String>> = LazyLock::new(read);

/// Each list as one regular expression.
fn read() -> HashMap<&'static str, String> {
    let mut lists: HashMap<&'static str, String> = HashMap::new();
    for block in WORDS.split("\n[").skip(1) {
        let Some((name, rows)) = block.split_once("]\n") else { continue };
        let rows: Vec<&str> =
            rows.lines().map(str::trim).filter(|row| !row.is_empty() && !row.starts_with('#')).collect();
        let joined = rows.join(" ");
        let items = joined.split(", ").map(|item| item.trim_end_matches(',').trim()).filter(|item| !item.is_empty());
        let mut items: Vec<String> = items.map(|item| expand(item, &lists)).collect();
        // Longest first, since an alternation takes the first match.
        items.sort_by_key(|item| std::cmp::Reverse(item.len()));
        lists.insert(name, format!("(?:{})", items.join("|")));
    }
    lists
}

fn expand(pattern: &str, lists: &HashMap<&'static str, String>) -> String {
    let mut expanded = pattern.to_owned();
    for (name, list) in lists {
        let named = format!("{{{name}}}");
        if expanded.contains(&named) {
            expanded = expanded.replace(&named, list);
        }
    }
    // The lists have ASCII words only; Unicode word boundaries are slow, and Unicode classes large.
    expanded.replace(r"\b", r"(?-u:\b)").replace(r"\w", "[0-9A-Za-z_]").replace(r"\d", "[0-9]")
}

/// Compiles a pattern of the data.
pub fn pattern(text: &str) -> Option<Pattern> {
    Pattern::new(&expand(text, &LISTS))
}

struct Patterns {
    /// Politeness at the beginning.
    polite: Pattern,
    wish: Pattern,
    tail: Pattern,
    /// What may separate two requests.
    between: Pattern,
    /// How a request begins after a comma or a single `and`: a verb and its object.
    strong: Pattern,
    /// How a question or a request begins.
    asks: Pattern,
    /// How any request begins, used where one is known to begin.
    weak: Pattern,
    /// How a subordinate clause begins.
    leads: Pattern,
    parts_chinese: Pattern,
    polite_chinese: Pattern,
}

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    Some(Patterns {
        polite: pattern(r"^(?:{polite})(?:[,:! ]+|$)")?,
        wish: pattern(r"^(?:{wish}) ")?,
        tail: pattern(r"[, ]+(?:{tail})[!. ]*$")?,
        between: pattern(r"(?:[,:] | )(?:and then|then|but|so|and|or|because|please|pls) |[,:] ?| - ")?,
        strong: pattern(
            r"^(?:(?:{polite})[, ]+)*(?:(?:{wish}) )?(?:do ?n['o]t |do not |never |no )?(?:{verb}|code|changes|edits)(?: (?:{det}|how|why|what|where|which|if|whether|for|to|me|us|yet)\b|[?.! ]*$| <)",
        )?,
        asks: pattern(
            r"^(?:(?:{polite})[, ]+)*(?:(?:{asks})\b|(?:do ?n['o]t|do not|never|no need to|please)\b|(?:{wish}) |(?:could|can|would|will) (?:you|u) )",
        )?,
        weak: pattern(
            r"^(?:(?:{asks})\b|(?:do ?n['o]t|do not|never|no need to) (?:{verb})\b|please\b|(?:(?:{polite})[, ]+|(?:{wish}) )*(?:{verb})\b|(?:{wish}) |(?:could|can|would|will) (?:you|u) )",
        )?,
        leads: pattern(
            r"^(?:(?:{polite})[, ]+)*(?:instead of|rather than|if|when|whenever|for|in|on|at|after|before|once|as|since|because|while|currently|to|given|with|until|unless|every time|each time)\b",
        )?,
        parts_chinese: pattern(r"[,:]|然后|接着|之后再|并且|再(?:帮我|把|给|运行|跑|改|提交)|顺便")?,
        polite_chinese: pattern(
            r"^(?:请问|请你|请|帮我|帮忙|帮|麻烦你|麻烦您|麻烦|劳驾|你好|您好|嗨|嘿|那个|那么|那|好的|好|现在|接下来|另外|还有|顺便|然后|接着|先|再|直接|只|就|能不能|能否|可不可以|可以帮我|你能|你可以|能帮我|我想让你|我要你|我希望你|我希望|希望|我想要|我想请你|我要|我想|我们需要|我们要|需要|谢谢|咱们|我们来|来)[, ]*",
        )?,
    })
});

/// The parts of a sentence that each want something, and whether only `and` or `or` separates one from the next.
pub fn pieces(normal: &str, sentence: &Range<usize>) -> Vec<(Range<usize>, bool)> {
    let Some(patterns) = PATTERNS.as_ref() else { return vec![(sentence.clone(), false)] };
    let text = normal.get(sentence.clone()).unwrap_or_default();
    let mut found = Vec::new();
    let mut start = sentence.start;
    let mut put = |end: usize, next: usize, joined: bool| {
        found.push((start..end, joined));
        start = next;
    };
    if text.contains(is_han) {
        for part in patterns.parts_chinese.find_iter(text) {
            let keeps = part.as_str().starts_with([',', ':']);
            let next = if keeps { part.end() } else { part.start() };
            put(sentence.start + part.start(), sentence.start + next, false);
        }
    } else {
        let (mut at, mut last) = (0, 0);
        let left = |last: usize, from: usize| text.get(last..from).unwrap_or_default();
        while let Some(part) = text.get(at..).and_then(|rest| patterns.between.find(rest)) {
            let (from, to) = (at + part.start(), at + part.end());
            let rest = text.get(to..).unwrap_or_default();
            let word = part.as_str().trim_matches([' ', ',', ':']);
            let bare = matches!(word, "and" | "or") && !part.as_str().starts_with([',', ':']);
            let begins = match word {
                "because" => false,
                "then" | "and then" | "so" => patterns.weak.is_match(rest),
                // "Could you please" is one request, "I have an exam tomorrow please explain" is two.
                "please" | "pls" => patterns.weak.is_match(rest) && left(last, from).split(' ').count() > 3,
                "" | "and" | "or" | "but" => {
                    let led = word.is_empty() && patterns.leads.is_match(left(last, from));
                    led && patterns.weak.is_match(rest)
                        || patterns.strong.is_match(rest)
                        || patterns.asks.is_match(rest) && (!bare || is_why(rest))
                }
                _ => false,
            };
            if begins {
                put(sentence.start + from, sentence.start + to, bare);
                last = to;
            }
            at = if part.as_str().ends_with(' ') && !begins && word.is_empty() {
                to
            } else {
                to.saturating_sub(1).max(from + 1)
            };
            at = text.ceil_char_boundary(at);
        }
    }
    put(sentence.end, sentence.end, false);
    found
}

fn is_why(rest: &str) -> bool {
    ["how ", "why ", "what ", "where ", "what's "].iter().any(|word| rest.starts_with(word))
}

/// Removes the politeness around a range, and tells whether it is phrased as "I want to".
pub fn unwrapped(normal: &str, range: &Range<usize>) -> (Range<usize>, bool) {
    let Some(patterns) = PATTERNS.as_ref() else { return (range.clone(), false) };
    let (mut start, mut end, mut wished) = (range.start, range.end, false);
    let slice = |start: usize, end: usize| normal.get(start..end).unwrap_or_default();
    loop {
        let text = slice(start, end);
        let trimmed = text.trim_start_matches([' ', ',', ':', '\n', '.', '!', '?', ';', '\'']);
        start += text.len() - trimmed.len();
        let trimmed = slice(start, end).trim_end_matches([' ', ',', ':', '\n', '.', '!', ';']);
        end = start + trimmed.len();
        let text = slice(start, end);
        let polite = patterns.polite.find(text).or_else(|| patterns.polite_chinese.find(text));
        let wish = patterns.wish.find(text);
        // Keeps politeness that stands alone.
        if let Some(found) = wish.filter(|found| found.end() < text.len()) {
            start += found.end();
            wished = true;
        } else if let Some(found) = polite.filter(|found| found.end() < text.len()) {
            start += found.end();
        } else if let Some(found) = patterns.tail.find(text).filter(|found| found.start() > 0) {
            end = start + found.start();
        } else {
            return (start..end, wished);
        }
    }
}

/// Lists of words that say what is wanted.
const SORTS: [&str; 10] =
    ["edits", "runs", "searches", "explains", "diagnoses", "reviews", "asks", "fails", "changes", "runnable"];

/// Whether typos in the words of a list are corrected.
fn is_spelled(name: &str) -> bool {
    SORTS.contains(&name) || name == "spelled"
}

/// Whether a list is a class of words for the classifier.
fn is_class(name: &str) -> bool {
    SORTS.contains(&name) || ["trouble", "branches"].contains(&name)
}

static VOCABULARY: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let lists = WORDS.split("\n[").filter_map(|block| block.split_once("]\n"));
    let rows = lists.filter(|(name, _)| is_spelled(name)).flat_map(|(_, rows)| rows.lines());
    let rows = rows.filter(|row| !row.starts_with('#'));
    let words = rows.flat_map(|row| row.split([' ', ',', '|', '(', ')', '?', ':']));
    let is_plain = |word: &&str| word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    words.filter(is_plain).collect()
});

static CLASSED: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let mut classed: HashMap<&'static str, Vec<&'static str>> = HashMap::new();
    let lists = WORDS.split("\n[").filter_map(|block| block.split_once("]\n"));
    for (name, rows) in lists.filter(|(name, _)| is_class(name)) {
        for item in rows.lines().filter(|row| !row.starts_with('#')).flat_map(|row| row.split(',')).map(str::trim) {
            let bare = item.strip_suffix("s?");
            for word in [bare.unwrap_or(item)].into_iter().chain(bare.and_then(|_| item.strip_suffix('?'))) {
                if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase()) {
                    classed.entry(word).or_default().push(name);
                }
            }
        }
    }
    classed
});

/// The lists that contain the word as an entry of its own.
pub fn classes(word: &str) -> &'static [&'static str] {
    CLASSED.get(word).map_or(&[], Vec::as_slice)
}

static VAGUE: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let lists = WORDS.split("\n[").filter_map(|block| block.split_once("]\n"));
    let rows = lists.filter(|(name, _)| *name == "vague").flat_map(|(_, rows)| rows.lines());
    rows.flat_map(|row| row.split(',')).map(str::trim).filter(|word| !word.is_empty()).collect()
});

/// Whether none of its words names anything: "the thing with the stuff".
pub fn are_vague(normal: &str) -> bool {
    let mut words = normal.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.all(|word| VAGUE.contains(word))
}

pub fn knows(word: &str) -> bool {
    VOCABULARY.contains(word)
}

/// The known word at one typo's distance.
pub fn near(word: &str) -> Option<&'static str> {
    // With four letters, one substitution turns most words into another; with three, even an omission does.
    let is_short = |known: &str| word.len() < 4 && !is_swap(known, word);
    let is_other = |known: &str| word.len() < 5 && known.len() == word.len() && !is_swap(known, word);
    let fits = |known: &&str| is_one_slip(known, word) && !is_other(known) && !is_short(known);
    let mut near: Vec<&'static str> = VOCABULARY.iter().copied().filter(fits).collect();
    // Ties are broken by the first letter, then the length, then the alphabet, so that the result is stable.
    near.sort_by_key(|known| (known.as_bytes().first() != word.as_bytes().first(), known.len() != word.len(), *known));
    near.first().copied()
}

/// The same letters in another order.
fn is_swap(one: &str, other: &str) -> bool {
    let sorted = |word: &str| {
        let mut letters: Vec<u8> = word.bytes().collect();
        letters.sort_unstable();
        letters
    };
    sorted(one) == sorted(other)
}

/// The verb of a word that ends in `-ing`.
pub fn stem(word: &str) -> Option<String> {
    let stem = word.strip_suffix("ing").filter(|stem| stem.is_ascii() && stem.len() > 1)?;
    let (short, last) = stem.split_at(stem.len() - 1);
    let doubled = short.ends_with(last).then(|| short.to_owned());
    let forms = [Some(format!("{stem}e")), Some(stem.to_owned()), doubled];
    forms.into_iter().flatten().find(|form| knows(form))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_can_be_read() {
        assert!(PATTERNS.is_some());
        assert!(LISTS.len() > 15, "{:?}", LISTS.keys());
        for (name, list) in LISTS.iter() {
            assert!(Pattern::new(list).is_some(), "{name}");
            assert!(!list.contains('{') || list.contains("{2"), "{name} names a list that does not stand before it");
        }
    }

    #[test]
    fn words_that_name_nothing_are_known() {
        for (request, expected) in
            [("the thing with the stuff", true), ("that one?", true), ("the thing is slow", false), ("那个", false)]
        {
            assert_eq!(are_vague(request), expected, "{request}");
        }
    }

    #[test]
    fn slips_are_understood() {
        for (typed, meant) in [
            ("explian", "explain"),
            ("serach", "search"),
            ("reveiw", "review"),
            ("faling", "failing"),
            ("teh", "the"),
            ("waht", "what"),
            ("chekc", "check"),
        ] {
            assert_eq!(near(typed).unwrap_or_default(), meant, "{typed}");
        }
    }
}
