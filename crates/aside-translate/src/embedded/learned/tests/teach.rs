//! For `make teach-understand`: writes the features of requests, and the facts about each draft for any given weights.

use std::fmt::Write as _;

use crate::embedded::fake::Fake;
use crate::embedded::learned::{FrameScores, Weights, features, verify};
use crate::embedded::rank;
use crate::embedded::{BOOK, candidates};

/// `ASIDE_UNDERSTAND_REQUESTS` is a file with a name, a tab and a request on each line; `ASIDE_UNDERSTAND_TRAITS` gets
/// the name and the features of each. With `ASIDE_UNDERSTAND_WEIGHTS`, `ASIDE_UNDERSTAND_FACTS` gets the facts of each
/// candidate, except for the rules in `ASIDE_UNDERSTAND_WITHOUT`.
#[test]
#[expect(clippy::disallowed_methods, reason = "training asks for files by name")]
fn teach() {
    let name = |name: &str| std::env::var(name).ok();
    let Some(requests) = name("ASIDE_UNDERSTAND_REQUESTS") else { return };
    let requests = std::fs::read_to_string(requests).expect("requests");
    let rows = requests.lines().filter_map(|line| line.split_once('\t'));
    if let Some(out) = name("ASIDE_UNDERSTAND_TRAITS") {
        let hits = BOOK.rules.iter().flat_map(|rule| {
            let hits = rule.body(&BOOK.lexicon).hits.iter();
            hits.map(|hit| (format!("hit:{}", rule.name), hit.split("=>").next().unwrap_or_default().trim()))
        });
        let rows = rows.clone().map(|(name, request)| (name.to_owned(), request)).chain(hits);
        std::fs::write(out, rows.map(|(name, request)| shown(&name, request)).collect::<String>()).expect("written");
    }
    if let (Some(weights), Some(out)) = (name("ASIDE_UNDERSTAND_WEIGHTS"), name("ASIDE_UNDERSTAND_FACTS")) {
        let bytes = std::fs::read(weights).expect("weights");
        let weights = Weights::parse(&bytes).expect("weights in the right form");
        let without = std::env::var("ASIDE_UNDERSTAND_WITHOUT").map(std::fs::read_to_string);
        let without = without.map(|text| text.expect("names of rules")).unwrap_or_default();
        let without: Vec<&str> = without.lines().collect();
        std::fs::write(out, rows.map(|(name, request)| told(name, request, &weights, &without)).collect::<String>())
            .expect("written");
    }
}

fn shown(name: &str, request: &str) -> String {
    let mut line = format!("{name}\t{request}");
    Fake::default().with_reading(request, |reading| {
        let tokens = features::tokens(reading);
        features::each(reading, &tokens, &mut |parts| {
            line.push('\t');
            parts.iter().for_each(|part| line.push_str(part));
        });
    });
    line.push('\n');
    line
}

/// Name, rule, whether it may be shown, whether it is composed, the facts, the command.
fn told(name: &str, request: &str, weights: &Weights<'_>, without: &[&str]) -> String {
    let mut lines = format!("{name}\t?\n");
    Fake::default().with_reading(request, |reading| {
        let heard = FrameScores::of(reading, weights);
        let best: Vec<String> = heard
            .best(5)
            .into_iter()
            .map(|frame| format!("{} {:.4}", weights.frames()[frame], heard.score(frame)))
            .collect();
        let _ = writeln!(lines, "{name}\t^\t{}", best.join("\t"));
        if reading.speech_acts.only_forbids() {
            return;
        }
        let mut drafts = candidates(reading, &heard);
        drafts.retain(|draft| !without.contains(&draft.rule));
        for weighed in rank::weigh(reading, drafts, &heard) {
            let values: Vec<String> = weighed.facts.values.iter().map(|value| format!("{value:.4}")).collect();
            let is_composed = verify::is_composed(weighed.draft.rule);
            let _ = writeln!(
                lines,
                "{name}\t{}\t{}\t{}\t{}\t{}",
                weighed.draft.rule,
                u8::from(rank::permitted(reading, &weighed)),
                u8::from(is_composed),
                values.join(" "),
                weighed.draft.command
            );
        }
    });
    lines
}
