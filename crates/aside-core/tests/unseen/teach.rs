//! Finds the weights of `data/redact/judge.txt` (`make teach-redact`): a logistic regression over the words of the sets, and of
//! texts of this repository in which there is no secret. The same texts give the same weights. Before that it learns once
//! without each set and measures with that set: what a stranger's set may be expected to say.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use aside_core::redact::judge::{Page, STEP};
use aside_core::redact::secrets;

use crate::secrets::Case;
use crate::sets::{self, Share};

/// Lessons that have to show a feature before it counts.
const SHOWN_AT_LEAST: u32 = 4;
/// How much a secret counts that the rules miss: there the judge is needed.
const MISSED_WEIGHS: f32 = 8.0;
const ROUNDS: usize = 12;
const RATE: f32 = 0.1;
/// What draws a weight to nothing.
const DRAWN: f32 = 1e-3;
/// Of a weight below this, in steps of the file, nothing is written.
const LEAST: f32 = 5.0;
const THRESHOLDS: [f32; 6] = [0.5, 1.0, 1.5, 2.0, 2.5, 3.0];

/// Features that a text shows by its words: each lesson is learnt a second time without them, since a secret that the rules
/// miss is announced by no word.
const LEXICAL: &[&str] = &["word", "near", "stem", "name", "user", "han", "next"];

struct Lesson {
    features: Vec<usize>,
    is_secret: bool,
    /// The rules take it out.
    is_found: bool,
}

struct Text {
    lessons: Vec<Lesson>,
    is_lookalike: bool,
}

/// `ASIDE_REDACT_TEACH` is the file that is written.
#[test]
fn weights_of_the_judge_are_found_when_asked_for() {
    let Ok(path) = std::env::var("ASIDE_REDACT_TEACH") else { return };
    let mut names = BTreeMap::new();
    let sets: Vec<(String, Vec<Text>)> = sets::load::<Case>("secrets")
        .into_iter()
        .map(|set| (set.name, set.cases.iter().map(|case| read(case, &mut names)).collect()))
        .collect();
    let plain = |text| read(&Case { text, secrets: Vec::new() }, &mut names);
    let ordinary: Vec<Text> = ordinary().into_iter().map(plain).collect();
    measure(&sets, &ordinary, &names);
    let all: Vec<&Text> = sets.iter().flat_map(|(_, texts)| texts).chain(&ordinary).collect();
    std::fs::write(path, written(&learnt(&all, &names), &names)).unwrap();
}

fn measure(sets: &[(String, Vec<Text>)], ordinary: &[Text], names: &BTreeMap<String, usize>) {
    let mut all = [(Share::default(), Share::default()); THRESHOLDS.len()];
    for (name, texts) in sets {
        let others = sets.iter().filter(|(other, _)| other != name).flat_map(|(_, texts)| texts);
        let weights = learnt(&others.chain(ordinary).collect::<Vec<_>>(), names);
        let sum = |lesson: &Lesson| lesson.features.iter().map(|feature| weights[*feature]).sum::<f32>();
        for (threshold, (gained, wrong)) in THRESHOLDS.iter().zip(&mut all) {
            for text in texts {
                let mut unfound = text.lessons.iter().filter(|lesson| !lesson.is_found);
                if text.is_lookalike {
                    wrong.add(unfound.any(|lesson| sum(lesson) > *threshold));
                } else {
                    unfound.filter(|lesson| lesson.is_secret).for_each(|lesson| gained.add(sum(lesson) > *threshold));
                }
            }
        }
    }
    for (threshold, (gained, wrong)) in THRESHOLDS.iter().zip(all) {
        println!("left out, above {threshold}: {gained} of what the rules miss; {wrong} lookalikes");
    }
}

fn read(case: &Case, names: &mut BTreeMap<String, usize>) -> Text {
    let page = Page::of(&case.text);
    let found = secrets(&case.text);
    let places =
        |secret: &String| case.text.match_indices(secret).map(|(at, _)| at..at + secret.len()).collect::<Vec<_>>();
    let spans: Vec<_> = case.secrets.iter().flat_map(places).collect();
    let mut lessons = Vec::new();
    for at in (0..page.words.len()).filter(|at| page.is_candidate(*at)) {
        let word = &page.words[at];
        let is_secret = spans.iter().any(|span| span.start <= word.start && word.end <= span.end);
        // A word that is a part of a secret and more is neither.
        if !is_secret && spans.iter().any(|span| span.start < word.end && word.start < span.end) {
            continue;
        }
        let by_rule = |span: &std::ops::Range<usize>| span.start < word.end && word.start < span.end;
        let is_found = found.iter().any(|found| found.kind != "chosen password" && by_rule(&found.span));
        let mut features = Vec::new();
        page.features(at, &mut |parts| {
            let next = names.len();
            features.push(*names.entry(parts.concat()).or_insert(next));
        });
        features.sort_unstable();
        features.dedup();
        lessons.push(Lesson { features, is_secret, is_found });
    }
    Text { lessons, is_lookalike: case.secrets.is_empty() }
}

/// Requests, command lines and paragraphs of the manual, in which no secret is to be expected.
fn ordinary() -> Vec<String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    for (directory, field) in [("eval/unseen/lines", "line"), ("eval/unseen/requests", "request")] {
        for cases in files(root.join(directory)) {
            let cases = cases.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
            texts.extend(cases.filter_map(|case| Some(case.get(field)?.as_str()?.to_owned())));
        }
    }
    // The page about secrets has some.
    let pages = files(root.join("../../docs")).into_iter().filter(|page| !page.starts_with("# Privacy"));
    texts.extend(pages.flat_map(|page| page.split("\n\n").map(str::to_owned).collect::<Vec<_>>()));
    texts
}

fn files(directory: PathBuf) -> Vec<String> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory).unwrap().flatten().map(|entry| entry.path()).collect();
    files.sort();
    files.into_iter().filter_map(|file| std::fs::read_to_string(file).ok()).collect()
}

/// Goes down the slope of the loss lesson by lesson, by steps that are the smaller the more a weight has been pulled about.
fn learnt(texts: &[&Text], names: &BTreeMap<String, usize>) -> Vec<f32> {
    let mut shown = vec![0_u32; names.len()];
    let mut lexical = vec![false; names.len()];
    for (name, place) in names {
        lexical[*place] = LEXICAL.iter().any(|start| name.starts_with(start)) && !name.starts_with("names ");
    }
    let taught = || texts.iter().flat_map(|text| &text.lessons);
    taught().flat_map(|lesson| &lesson.features).for_each(|feature| shown[*feature] += 1);
    let mut lessons: Vec<(Vec<usize>, f32, f32)> = Vec::new();
    for lesson in taught() {
        let features: Vec<usize> =
            lesson.features.iter().copied().filter(|feature| shown[*feature] >= SHOWN_AT_LEAST).collect();
        let blind = features.iter().copied().filter(|feature| !lexical[*feature]).collect();
        let right = f32::from(u8::from(lesson.is_secret));
        let weighs = if lesson.is_secret && !lesson.is_found { MISSED_WEIGHS } else { 1.0 };
        lessons.extend([(features, right, weighs), (blind, right, weighs)]);
    }
    let mut weights = vec![0.0_f32; names.len()];
    let mut spread = vec![1e-6_f32; names.len()];
    let mut state = 88_172_645_463_325_252_u64;
    for _ in 0..ROUNDS {
        // In another order each time, the same in each run.
        for at in (1..lessons.len()).rev() {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            lessons.swap(at, usize::try_from(state >> 1).unwrap_or_default() % (at + 1));
        }
        for (features, right, weighs) in &lessons {
            let sum: f32 = features.iter().map(|feature| weights[*feature]).sum();
            let pull = (1.0 / (1.0 + (-sum).exp()) - right) * weighs;
            for feature in features {
                let slope = pull + DRAWN * weights[*feature];
                spread[*feature] += slope * slope;
                weights[*feature] -= RATE * slope / spread[*feature].sqrt();
            }
        }
    }
    weights
}

fn written(weights: &[f32], names: &BTreeMap<String, usize>) -> String {
    let mut text = String::from(
        "# What speaks for a secret that no name announces, and against it, in sixteenths. Made by `make teach-redact`.\n",
    );
    for (name, place) in names {
        let rounded = (weights[*place] / STEP).round().clamp(-127.0, 127.0);
        if rounded.abs() >= LEAST && !name.contains(['\t', '\n']) {
            let _ = writeln!(text, "{name}\t{rounded}");
        }
    }
    text
}
