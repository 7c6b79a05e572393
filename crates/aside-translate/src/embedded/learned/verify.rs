//! Probability that a draft is what was asked for: a logistic regression over what the words, the rules and the
//! classifier say about it, fitted on voices and frames that the classifier had not seen (`make teach-understand`).
//! Ranks nothing itself.

use std::sync::LazyLock;

use crate::embedded::analysis::AnalyzedQuery;
use crate::embedded::draft::Draft;
use crate::embedded::learned::{FrameScores, NONE};

const WEIGHTS: &str = include_str!("../../../data/understand/verifier.txt");
/// Tokens up to this rarity are too common to say anything.
const COMMON: f32 = 2.0;
/// Minimum weight of a typed value in a reading.
const VALUE: f32 = 1.2;

/// In the order of `Facts::values`, which is that of the lines in the file.
pub const NAMES: [&str; 16] = [
    "one", "score", "margin", "none", "top", "known", "rarest", "unheard", "share", "doubt", "ruled", "values",
    "guesses", "rival", "agreed", "first",
];

/// The features of a draft.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts {
    pub values: [f32; NAMES.len()],
    /// It comes from a composed domain, which has its own weights.
    pub is_composed: bool,
    /// The classifier was taught its frame, so that its score says something.
    pub is_taught: bool,
}

impl Facts {
    /// The value of a feature by its name in `NAMES`.
    pub fn get(&self, name: &str) -> f32 {
        NAMES.iter().position(|known| *known == name).map_or(0.0, |place| self.values[place])
    }
}

/// What is known of a draft before the classifier is consulted.
#[derive(Clone, Copy, Debug)]
pub struct Ruled {
    /// The share of the query's weight that the draft explains.
    pub share: f32,
    pub doubt: f32,
    /// The best share less doubt among drafts of other rules.
    pub rival: f32,
    /// No other draft of a rule scores better.
    pub is_first: bool,
}

struct Regression {
    rules: [f32; NAMES.len()],
    composed: [f32; NAMES.len()],
}

static FITTED: LazyLock<Regression> = LazyLock::new(|| Regression::parse(WEIGHTS));

impl Regression {
    /// Each line has a name, its weight for rules, and its weight for composed domains.
    fn parse(text: &str) -> Self {
        let mut fitted = Self { rules: [0.0; NAMES.len()], composed: [0.0; NAMES.len()] };
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut parts = line.split_whitespace();
            let place = parts.next().and_then(|name| NAMES.iter().position(|known| *known == name));
            let mut number = || parts.next().and_then(|number| number.parse().ok()).unwrap_or_default();
            if let Some(place) = place {
                (fitted.rules[place], fitted.composed[place]) = (number(), number());
            }
        }
        fitted
    }
}

/// Between 0 and 1.
pub fn confidence(facts: &Facts) -> f32 {
    let weights = if facts.is_composed { &FITTED.composed } else { &FITTED.rules };
    let sum: f32 = weights.iter().zip(&facts.values).map(|(weight, value)| weight * value).sum();
    1.0 / (1.0 + (-sum).exp())
}

/// The frame of the rule or domain that made a draft: a rule is a frame itself, a composed domain is one as a whole.
pub fn frame(heard: &FrameScores<'_>, rule: &str) -> Option<usize> {
    let domain = || heard.weights.frame(if rule.starts_with("files") { "files" } else { "text" });
    heard.weights.frame(rule).or_else(domain)
}

pub fn is_composed(rule: &str) -> bool {
    rule == "text" || rule == "files" || rule.starts_with("files-")
}

pub fn facts(reading: &AnalyzedQuery<'_>, heard: &FrameScores<'_>, draft: &Draft, ruled: Ruled) -> Facts {
    let frame = frame(heard, draft.rule);
    let none = heard.weights.frame(NONE);
    let score = frame.map_or(0.0, |frame| heard.score(frame));
    let others = heard.scores.iter().enumerate().filter(|(other, _)| Some(*other) != frame && Some(*other) != none);
    let other = others.map(|(_, score)| *score).fold(0.0, f32::max);
    let unexplained = unexplained(reading, heard, draft);
    let rarest = unexplained.iter().map(|(_, rarity)| *rarity).fold(0.0, f32::max);
    let missing: f32 = unexplained.iter().map(|(_, rarity)| rarity - COMMON).sum();
    let all: f32 = content(reading, heard).map(|(_, rarity)| rarity - COMMON).sum();
    let is_ruled = draft.specific > 0;
    let is_top = score > other;
    let is_value =
        |place: usize| reading.words.get(place).is_some_and(|word| word.thing.is_some() && word.weight >= VALUE);
    let values = (0..reading.words.len()).filter(|place| is_value(*place) && !draft.used.has(*place)).count();
    let flag = |is: bool| if is { 1.0 } else { 0.0 };
    let Ruled { share, doubt, rival, is_first } = ruled;
    Facts {
        values: [
            1.0,
            score,
            score - other,
            none.map_or(0.0, |none| heard.score(none)),
            flag(is_top),
            if all > 0.0 { 1.0 - missing / all } else { 1.0 },
            rarest / super::UNHEARD,
            flag(rarest >= super::UNHEARD),
            share,
            doubt,
            flag(is_ruled),
            values.min(3) as f32,
            draft.used.guesses().min(3) as f32,
            rival,
            flag(is_ruled && is_top),
            flag(is_first),
        ],
        is_composed: is_composed(draft.rule),
        is_taught: is_composed(draft.rule) || heard.weights.frame(draft.rule).is_some(),
    }
}

/// Indices of the tokens that carry information, with their rarities.
fn content<'h>(
    reading: &'h AnalyzedQuery<'_>,
    heard: &'h FrameScores<'_>,
) -> impl Iterator<Item = (usize, f32)> + use<'h> {
    let tokens = heard.tokens.iter().zip(&heard.rarities).enumerate();
    tokens.filter_map(move |(at, (token, rarity))| {
        let weighs = reading.words.get(token.place).is_some_and(|word| word.weight > 0.0);
        (!token.is_mark && weighs && *rarity > COMMON).then_some((at, *rarity))
    })
}

/// The tokens that carry information and that neither the draft nor requests for its frame account for.
pub fn unexplained(reading: &AnalyzedQuery<'_>, heard: &FrameScores<'_>, draft: &Draft) -> Vec<(usize, f32)> {
    let known = frame(heard, draft.rule).map(|frame| heard.known(frame)).unwrap_or_default();
    let is_known = |at: usize| known.get(at).copied().unwrap_or_default();
    let is_used = |at: usize| heard.tokens.get(at).is_some_and(|token| draft.used.has(token.place));
    content(reading, heard).filter(|(at, _)| !is_known(*at) && !is_used(*at)).collect()
}
