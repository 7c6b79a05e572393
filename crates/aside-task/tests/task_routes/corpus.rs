//! The requests of the corpus, and to which half each belongs. `crates/aside/eval/task/README.md` describes the format.

use std::collections::{BTreeMap, BTreeSet};

const REQUESTS: &str = include_str!("../../../aside/eval/task/requests.txt");
const PAIRS: &str = include_str!("../../../aside/eval/task/pairs.txt");
const SEED: &str = include_str!("../../../aside/eval/task/seed.txt");
const LATE: &str = include_str!("../../../aside/eval/task/late.txt");
const UNSEEN: &str = include_str!("../../../aside/eval/task/unseen.txt");
const LAST: &str = include_str!("../../../aside/eval/task/last.txt");
const VOICES: &str = include_str!("../../../aside/eval/task/voices.txt");
const TAUGHT: [&str; 4] = [
    include_str!("../../../aside/eval/task/taught.txt"),
    include_str!("../../../aside/eval/task/taught-work.txt"),
    include_str!("../../../aside/eval/task/taught-odd.txt"),
    include_str!("../../../aside/eval/task/taught-chinese.txt"),
];
const FRESH: &str = include_str!("../../../aside/eval/task/fresh.txt");
const SECOND: &str = include_str!("../../../aside/eval/task/second.txt");
const STAY: &str = include_str!("../../../aside/eval/task/stay.txt");

pub struct Case {
    /// Any of these is right.
    pub kinds: Vec<&'static str>,
    pub request: String,
}

pub struct Part {
    pub name: &'static str,
    pub cases: Vec<Case>,
}

/// All parts that are measured by their accuracy; the seed examples must be right, each of them.
pub fn measured() -> Vec<Part> {
    learnt_from().into_iter().chain(held_out()).collect()
}

fn learnt_from() -> [Part; 4] {
    [dev(), late(), last(), voices_dev()]
}

/// The held-out parts: nothing is learnt from them.
fn held_out() -> [Part; 7] {
    [held(), unseen(), stay(), voices_held(), fresh(), second_plain(), second_odd()]
}

/// The half for development.
pub fn dev() -> Part {
    Part { name: "dev", cases: half(0) }
}

/// The held-out half: only its figures are looked at.
pub fn held() -> Part {
    Part { name: "held", cases: half(1) }
}

/// Written last of all, and not learnt from.
pub fn unseen() -> Part {
    Part { name: "unseen", cases: UNSEEN.lines().filter_map(case).collect() }
}

/// Written after `late`, and learnt from since.
pub fn last() -> Part {
    Part { name: "last", cases: LAST.lines().filter_map(case).collect() }
}

/// Written when the rules were first made, and learnt from since.
pub fn late() -> Part {
    Part { name: "late", cases: LATE.lines().filter_map(case).collect() }
}

/// Unusual phrasings, the half for development.
pub fn voices_dev() -> Part {
    Part { name: "voices-dev", cases: VOICES.lines().filter_map(case).filter(|case| is_dev(&case.request)).collect() }
}

/// Unusual phrasings, the held-out half: only its figures are looked at.
pub fn voices_held() -> Part {
    Part { name: "voices-held", cases: VOICES.lines().filter_map(case).filter(|case| !is_dev(&case.request)).collect() }
}

/// Written for training only; nothing is measured with them.
pub fn taught() -> Part {
    Part { name: "taught", cases: TAUGHT.iter().flat_map(|text| text.lines()).filter_map(case).collect() }
}

/// Written when everything was done, in phrasings of their own, and measured once.
pub fn fresh() -> Part {
    Part { name: "fresh", cases: FRESH.lines().filter_map(case).collect() }
}

/// By another author, in common phrasings.
pub fn second_plain() -> Part {
    let plain = SECOND.split_once("\n# Odd.").map_or(SECOND, |(plain, _)| plain);
    Part { name: "second-plain", cases: plain.lines().filter_map(case).collect() }
}

/// By the same author, in unusual phrasings.
pub fn second_odd() -> Part {
    let odd = SECOND.split_once("\n# Odd.").map_or("", |(_, odd)| odd);
    Part { name: "second-odd", cases: odd.lines().filter_map(case).collect() }
}

/// Neighbours of common requests, which unusual phrasings must not disturb. Only the figures are looked at.
pub fn stay() -> Part {
    Part { name: "stay", cases: STAY.lines().filter_map(case).collect() }
}

pub fn seed() -> Part {
    Part { name: "seed", cases: SEED.lines().filter_map(case).collect() }
}

fn is_dev(request: &str) -> bool {
    hash(request).is_multiple_of(2)
}

fn half(which: u64) -> Vec<Case> {
    let single = REQUESTS.lines().filter_map(case).filter(|case| hash(&case.request) % 2 == which);
    let paired = pairs().into_iter().filter(|[first, _]| hash(&first.request) % 2 == which).flatten();
    single.chain(paired).collect()
}

pub fn pairs() -> Vec<[Case; 2]> {
    let blocks = PAIRS.split("\n\n").map(|block| block.lines().filter_map(case).collect::<Vec<Case>>());
    let pairs = blocks.filter(|cases| !cases.is_empty());
    pairs
        .map(|cases| <[Case; 2]>::try_from(cases).unwrap_or_else(|cases| panic!("no pair: {}", cases[0].request)))
        .collect()
}

fn case(row: &'static str) -> Option<Case> {
    if row.trim().is_empty() || row.starts_with('#') {
        return None;
    }
    let (kinds, request) = row.split_once('\t').unwrap_or_else(|| panic!("no tab: {row}"));
    let request = request.replace("\\\\", "\u{0}").replace("\\n", "\n").replace("\\t", "\t").replace('\u{0}', "\\");
    Some(Case { kinds: kinds.split('|').collect(), request })
}

/// FNV-1a: the same on every machine.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn the_corpus_is_large_and_nothing_is_in_it_twice() {
    let all: Vec<Case> = measured().into_iter().chain([taught()]).flat_map(|part| part.cases).collect();
    let is_chinese = |case: &&Case| case.request.chars().any(|letter| matches!(letter, '\u{4e00}'..='\u{9fff}'));
    assert!(all.len() >= 400, "{}", all.len());
    assert!(all.iter().filter(is_chinese).count() >= 100);
    assert!(pairs().len() >= 60, "{}", pairs().len());
    let mut seen = BTreeSet::new();
    for case in &all {
        assert!(seen.insert(case.request.to_lowercase()), "twice: {}", case.request);
    }
}

/// Otherwise the router would memorise rather than learn.
#[test]
fn nothing_is_taught_that_is_nearly_measured() {
    let measured: Vec<Case> = held_out().into_iter().flat_map(|part| part.cases).collect();
    let sizes: Vec<usize> = measured.iter().map(|case| pieces(&case.request).len()).collect();
    let mut having: BTreeMap<[char; 3], Vec<usize>> = BTreeMap::new();
    for (place, case) in measured.iter().enumerate() {
        for piece in pieces(&case.request) {
            having.entry(piece).or_default().push(place);
        }
    }
    let is_near = |request: &str| {
        let own = pieces(request);
        let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
        for place in own.iter().filter_map(|piece| having.get(piece)).flatten() {
            *shared.entry(*place).or_default() += 1;
        }
        // Near: they share more than six tenths of their combined trigrams.
        shared.iter().any(|(place, shared)| shared * 10 > (own.len() + sizes[*place] - shared) * 6)
    };
    let near = taught().cases.into_iter().map(|case| case.request).filter(|request| is_near(request));
    assert_eq!(near.collect::<Vec<_>>(), Vec::<String>::new());
}

/// The trigrams, with a blank at both ends.
fn pieces(request: &str) -> BTreeSet<[char; 3]> {
    let words = request.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    let letters: Vec<char> = format!(" {words} ").chars().collect();
    letters.windows(3).filter_map(|piece| piece.try_into().ok()).collect()
}
