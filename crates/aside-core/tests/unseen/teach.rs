//! Trains the weights of `data/redact/classifier.txt` (`make teach-redact`): a logistic regression over the words of the sets, of our
//! own texts, and of texts of this repository without secrets. Deterministic for the same texts. Before that it cross-validates: it
//! trains without each set and measures with that set, next to the rules, to estimate the result on an unseen set.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use aside_redact::classifier::{CandidateShape, STEP, WordTokens};
use aside_redact::secrets;

use crate::secrets::Case;
use crate::sets::{self, Share};

/// How many lessons must show a feature before it counts.
const SHOWN_AT_LEAST: u32 = 3;
/// The weight of a secret that the rules miss: there the judge is needed. Then that of a secret that they find, of a varied note
/// with another value in its place, and of our own texts.
const MISSED_WEIGHS: f32 = 8.0;
const FOUND_WEIGHS: f32 = 0.5;
const VARIED_WEIGHS: f32 = 2.0;
const OWN_WEIGHS: f32 = 2.0;
const ROUNDS: usize = 6;
const RATE: f32 = 0.1;
/// The weight decay.
const DRAWN: f32 = 1e-3;
/// A weight below this, in the file's steps, is not written.
const LEAST: f32 = 5.0;
const THRESHOLDS: [f32; 6] = [0.5, 1.0, 1.5, 2.0, 2.5, 3.0];

/// Features that depend on the words of a text: each lesson is learnt a second time without them, since no word announces a secret
/// that the rules miss.
const LEXICAL: &[&str] = &["word", "near", "stem", "name", "han", "next"];

struct Lesson {
    sort: CandidateShape,
    word: Range<usize>,
    features: Vec<usize>,
    is_secret: bool,
    /// The rules redact it.
    is_found: bool,
    weighs: f32,
}

struct Text {
    lessons: Vec<Lesson>,
    /// Lessons from the same note with other values.
    varied: Vec<Lesson>,
    /// Every occurrence of each secret.
    secrets: Vec<Vec<Range<usize>>>,
    by_rule: Vec<Range<usize>>,
}

/// `ASIDE_REDACT_TEACH` names the output file.
#[test]
fn weights_of_the_judge_are_found_when_asked_for() {
    let Ok(path) = std::env::var("ASIDE_REDACT_TEACH") else { return };
    let mut names = BTreeMap::new();
    let sets: Vec<(String, Vec<Text>)> = sets::load::<Case>("secrets")
        .into_iter()
        .map(|set| (set.name, set.cases.iter().map(|case| read(case, &mut names)).collect()))
        .collect();
    let plain = |text| Case { kind: String::new(), text, secrets: Vec::new() };
    let others: Vec<Case> = ordinary().into_iter().chain(tuned_on()).map(plain).chain(own_cases()).collect();
    let others: Vec<Text> = others.iter().map(|case| read(case, &mut names)).collect();
    measure(&sets, &others, &names);
    let all: Vec<&Text> = sets.iter().flat_map(|(_, texts)| texts).chain(&others).collect();
    std::fs::write(path, written(&learnt(&all, &names), &names)).unwrap();
}

fn measure(sets: &[(String, Vec<Text>)], others: &[Text], names: &BTreeMap<String, usize>) {
    let mut sorts = [[(Share::default(), Share::default()); THRESHOLDS.len()]; CandidateShape::ALL.len()];
    let (mut found, mut wrong) = (Share::default(), Share::default());
    for (name, texts) in sets {
        let taught = sets.iter().filter(|(other, _)| other != name).flat_map(|(_, texts)| texts);
        let weights = learnt(&taught.chain(others).collect::<Vec<_>>(), names);
        let sum = |lesson: &Lesson| lesson.features.iter().map(|feature| weights[*feature]).sum::<f32>();
        let (mut found_here, mut wrong_here) = (Share::default(), Share::default());
        for text in texts {
            let judged = text.lessons.iter().filter(|lesson| sum(lesson) > lesson.sort.threshold());
            let taken: Vec<&Range<usize>> = text.by_rule.iter().chain(judged.map(|lesson| &lesson.word)).collect();
            for places in &text.secrets {
                let covered = |place: &Range<usize>| {
                    taken.iter().any(|taken| taken.start <= place.start && place.end <= taken.end)
                };
                found_here.add(places.iter().all(covered));
                found.add(places.iter().all(covered));
            }
            if text.secrets.is_empty() {
                wrong_here.add(!taken.is_empty());
                wrong.add(!taken.is_empty());
            }
            for (sort, shares) in CandidateShape::ALL.iter().zip(&mut sorts) {
                let open = || text.lessons.iter().filter(|lesson| !lesson.is_found && lesson.sort == *sort);
                for (threshold, (gained, wrong)) in THRESHOLDS.iter().zip(shares) {
                    if text.secrets.is_empty() {
                        wrong.add(open().any(|lesson| sum(lesson) > *threshold));
                    }
                    let secret = open().filter(|lesson| lesson.is_secret);
                    secret.for_each(|lesson| gained.add(sum(lesson) > *threshold));
                }
            }
        }
        println!("left out {name}: {found_here} found; {wrong_here} lookalikes taken out");
    }
    println!("left out, all: {found} found; {wrong} lookalikes taken out");
    for (sort, shares) in CandidateShape::ALL.iter().zip(sorts) {
        for (threshold, (gained, wrong)) in THRESHOLDS.iter().zip(shares) {
            println!("{} above {threshold}: {gained} of what the rules miss; {wrong} lookalikes", sort.name());
        }
    }
}

/// What replaces a secret when a note is learnt again.
const VALUES: [&str; 12] = [
    "sommerregen",
    "Haselnuss",
    "casa-azul",
    "luna.llena",
    "Kiesel47",
    "bleu_canard",
    "perro2019",
    "orzechowa",
    "Regen*Tag",
    "mavi-balik8",
    "tigerLilie",
    "vert3bouteille",
];
const NUMBERS: [&str; 4] = ["4093", "715528", "6814#", "20576318"];

fn read(case: &Case, names: &mut BTreeMap<String, usize>) -> Text {
    let found = secrets(&case.text).into_iter().filter(|found| found.kind != "chosen password");
    let by_rule: Vec<Range<usize>> = found.map(|found| found.span).collect();
    let places = |secret: &String| case.text.match_indices(secret).map(|(at, _)| at..at + secret.len()).collect();
    let secrets: Vec<Vec<Range<usize>>> = case.secrets.iter().map(places).collect();
    let lessons = lessons(case, &by_rule, names);
    let is_note = ["note", "chat", "mail", "lesson"].iter().any(|kind| case.kind.starts_with(kind));
    let varied = if is_note { varied(case, names) } else { Vec::new() };
    Text { lessons, varied, secrets, by_rule }
}

/// The words around a secret apply to a secret of another shape too.
fn varied(case: &Case, names: &mut BTreeMap<String, usize>) -> Vec<Lesson> {
    let mut lessons = Vec::new();
    for (place, secret) in case.secrets.iter().enumerate().filter(|(_, secret)| !secret.contains(' ')) {
        let digits = secret.bytes().all(|byte| byte.is_ascii_digit() || b"#*-".contains(&byte));
        if secret.len() > 24 {
            continue;
        }
        let values = if digits { NUMBERS.iter() } else { VALUES.iter() };
        for value in values.cycle().skip((case.text.len() + place) % VALUES.len()).step_by(5).take(2) {
            let text = case.text.replace(secret.as_str(), value);
            let secrets =
                case.secrets.iter().map(|own| if own == secret { (*value).to_owned() } else { own.clone() }).collect();
            let varied = self::lessons(&Case { kind: String::new(), text, secrets }, &[], names);
            let secret = varied.into_iter().filter(|lesson| lesson.is_secret);
            lessons.extend(secret.map(|lesson| Lesson { weighs: VARIED_WEIGHS, ..lesson }));
        }
    }
    lessons
}

fn lessons(case: &Case, by_rule: &[Range<usize>], names: &mut BTreeMap<String, usize>) -> Vec<Lesson> {
    let page = WordTokens::of(&case.text);
    let places =
        |secret: &String| case.text.match_indices(secret).map(|(at, _)| at..at + secret.len()).collect::<Vec<_>>();
    let spans: Vec<_> = case.secrets.iter().flat_map(places).collect();
    let mut lessons = Vec::new();
    for (at, sort) in (0..page.words.len()).filter_map(|at| Some((at, page.sort(at)?))) {
        let word = page.words[at].clone();
        // A secret with a mark or two around it, as in `4471#`, counts as well.
        let around = |span: &Range<usize>| {
            word.start <= span.start && span.end <= word.end && word.len() <= span.len() + MOST_MARKS
        };
        let is_secret = spans.iter().any(|span| span.start <= word.start && word.end <= span.end || around(span));
        // A word that overlaps a secret partly is neither.
        if !is_secret && spans.iter().any(|span| span.start < word.end && word.start < span.end) {
            continue;
        }
        let is_found = by_rule.iter().any(|span| span.start < word.end && word.start < span.end);
        let mut features = Vec::new();
        page.features(at, sort, &mut |parts| {
            let next = names.len();
            features.push(*names.entry(parts.concat()).or_insert(next));
        });
        features.sort_unstable();
        features.dedup();
        let weighs = match (is_secret, is_found) {
            (true, _) if case.kind == OWN => OWN_WEIGHS,
            (true, true) => FOUND_WEIGHS,
            (true, false) => MISSED_WEIGHS,
            (false, _) => 1.0,
        };
        lessons.push(Lesson { sort, word, features, is_secret, is_found, weighs });
    }
    lessons
}

/// How many bytes a word may have besides the secret in it.
const MOST_MARKS: usize = 2;

/// The kind of our own texts.
const OWN: &str = "lesson";

/// The texts of `data/redact/lessons.txt`.
fn own_cases() -> Vec<Case> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../aside-redact/data/redact/lessons.txt");
    let lessons = std::fs::read_to_string(path).unwrap();
    let case = |line: &str| {
        let marked = line.strip_prefix("+ ").or_else(|| line.strip_prefix("- "))?.replace("\\n", "\n");
        let secrets = marked.split('⟦').skip(1).filter_map(|rest| Some(rest.split_once('⟧')?.0.to_owned())).collect();
        Some(Case { kind: OWN.to_owned(), text: marked.replace(['⟦', '⟧'], ""), secrets })
    };
    lessons.lines().filter_map(case).collect()
}

/// The texts without a secret from `data/redact/corpus.txt`, except for the held-out ones and those with random characters.
fn tuned_on() -> Vec<String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../aside-redact/data/redact/corpus.txt");
    let mut texts: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in std::fs::read_to_string(path).unwrap().lines() {
        match (line.strip_prefix("- "), line.strip_prefix("  ")) {
            (Some(text), _) => texts.push(text.to_owned()),
            (None, Some(rest)) if goes_on => texts.last_mut().unwrap().push_str(&format!("\n{rest}")),
            (None, _) => {}
        }
        goes_on = line.starts_with("- ") || goes_on && line.starts_with("  ");
    }
    texts.into_iter().step_by(2).filter(|text| !text.contains('‹')).collect()
}

/// Requests, command lines, paragraphs of the manual, of source files and of specs, in which no secret is expected.
fn ordinary() -> Vec<String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    for (directory, field) in [("eval/unseen/lines", "line"), ("eval/unseen/requests", "request")] {
        for cases in files(root.join(directory)) {
            let cases = cases.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
            texts.extend(cases.filter_map(|case| Some(case.get(field)?.as_str()?.to_owned())));
        }
    }
    // The page about secrets contains some.
    let pages = files(root.join("../../docs")).into_iter().filter(|page| !page.starts_with("# Privacy"));
    texts.extend(pages.flat_map(|page| page.split("\n\n").map(str::to_owned).collect::<Vec<_>>()));
    let mut sources = Vec::new();
    below(&root.join("../aside/src"), &mut sources);
    below(&root.join("../aside-commands/data/spec"), &mut sources);
    below(&root.join("../aside-commands/data/safety"), &mut sources);
    let paragraphs = sources.iter().filter_map(|source| std::fs::read_to_string(source).ok());
    let paragraphs: Vec<String> =
        paragraphs.flat_map(|text| text.split("\n\n").map(str::to_owned).collect::<Vec<_>>()).collect();
    let short = |text: &&String| text.len() < MAX_PARAGRAPH;
    texts.extend(paragraphs.iter().filter(short).step_by(paragraphs.len() / MOST_PARAGRAPHS + 1).cloned());
    texts
}

/// How many paragraphs of source files and specs are learnt from, and the maximum bytes of each.
const MOST_PARAGRAPHS: usize = 4000;
const MAX_PARAGRAPH: usize = 1500;

/// All files below a directory, in order.
fn below(directory: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            below(&entry, found);
        } else {
            found.push(entry);
        }
    }
}

fn files(directory: PathBuf) -> Vec<String> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory).unwrap().flatten().map(|entry| entry.path()).collect();
    files.sort();
    files.into_iter().filter_map(|file| std::fs::read_to_string(file).ok()).collect()
}

/// Stochastic gradient descent with a step size that shrinks the more a weight has moved (AdaGrad).
fn learnt(texts: &[&Text], names: &BTreeMap<String, usize>) -> Vec<f32> {
    let mut shown = vec![0_u32; names.len()];
    let mut lexical = vec![false; names.len()];
    for (name, place) in names {
        lexical[*place] = LEXICAL.iter().any(|start| name.starts_with(start)) && !name.starts_with("names ");
    }
    let taught = || texts.iter().flat_map(|text| text.lessons.iter().chain(&text.varied));
    taught().flat_map(|lesson| &lesson.features).for_each(|feature| shown[*feature] += 1);
    let mut lessons: Vec<(Vec<usize>, f32, f32)> = Vec::new();
    for lesson in taught() {
        let features: Vec<usize> =
            lesson.features.iter().copied().filter(|feature| shown[*feature] >= SHOWN_AT_LEAST).collect();
        let blind = features.iter().copied().filter(|feature| !lexical[*feature]).collect();
        let right = f32::from(u8::from(lesson.is_secret));
        lessons.extend([(features, right, lesson.weighs), (blind, right, lesson.weighs)]);
    }
    let mut weights = vec![0.0_f32; names.len()];
    let mut spread = vec![1e-6_f32; names.len()];
    let mut state = 88_172_645_463_325_252_u64;
    for _ in 0..ROUNDS {
        // A different order in each round, the same in each run.
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
