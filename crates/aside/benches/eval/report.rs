//! The figures: overall and by domain, for each half.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::engine::Sure;
use super::request::{By, Half, Request};

const BINS: usize = 10;
/// How many destructive answers are listed.
const HARM: usize = 6;

/// The result of a request.
#[derive(Clone, Debug)]
pub struct Result {
    pub request: Request,
    pub commands: Vec<String>,
    pub sure: Sure,
    /// The engine's own confidence in the first command.
    pub confidence: Option<f64>,
    /// The index of the right command, if there is one.
    pub right: Option<usize>,
    pub harm: Vec<String>,
    pub took: Duration,
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    asked: usize,
    first: usize,
    any: usize,
    answered: usize,
    answered_right: usize,
    closest: usize,
    silent: usize,
    harm: usize,
}

impl Tally {
    fn add(&mut self, result: &Result) {
        self.asked += 1;
        self.first += usize::from(result.right == Some(0));
        self.any += usize::from(result.right.is_some());
        self.harm += usize::from(!result.harm.is_empty());
        match result.sure {
            Sure::Answer => {
                self.answered += 1;
                self.answered_right += usize::from(result.right == Some(0));
            }
            Sure::Closest => self.closest += 1,
            Sure::Silent => self.silent += 1,
        }
    }

    fn line(&self, name: &str) -> String {
        let Tally { asked, first, any, answered, answered_right, closest, silent, harm } = *self;
        format!(
            "{name:<12} {asked:>5} {:>7} {:>7} {:>10} {:>9} {:>8} {:>7} {harm:>5}",
            percent(first, asked),
            percent(any, asked),
            percent(answered_right, answered),
            percent(answered, asked),
            percent(closest, asked),
            percent(silent, asked),
        )
    }

    fn json(&self) -> Value {
        let Tally { asked, first, any, answered, answered_right, closest, silent, harm } = *self;
        json!({
            "requests": asked, "right_at_1": first, "right_at_5": any, "answered": answered,
            "answered_and_right": answered_right, "closest": closest, "silent": silent, "harm": harm,
        })
    }
}

fn percent(part: usize, all: usize) -> String {
    if all == 0 { "-".to_owned() } else { format!("{:.1}", 100.0 * part as f64 / all as f64) }
}

/// Of the process that answers, and of a process that does nothing.
#[derive(Clone, Debug, Default)]
pub struct Latency {
    pub answer: Vec<Duration>,
    pub nothing: Vec<Duration>,
}

pub fn quantile(times: &[Duration], share: f64) -> f64 {
    let mut times: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1e3).collect();
    times.sort_by(f64::total_cmp);
    let last = times.len().saturating_sub(1);
    times.get((last as f64 * share).round() as usize).copied().unwrap_or(0.0)
}

pub fn print(results: &[Result], latency: &Latency) {
    for half in HALVES {
        let name = half_name(half);
        let Tallies { wishes, all, domains } = tallies(results, half);
        if all.asked == 0 {
            continue;
        }
        println!(
            "\n{name:<12} {:>5} {:>7} {:>7} {:>10} {:>9} {:>8} {:>7} {:>5}",
            "asked", "at 1 %", "at 5 %", "precise %", "answers %", "closest%", "silent%", "harm"
        );
        domains.iter().for_each(|(domain, tally)| println!("{}", tally.line(domain)));
        println!("{}", wishes.line("wishes"));
        println!("{}", all.line("all"));
        let (bins, error) = reliability(results, half);
        let shown = bins.iter().filter(|bin| bin.count > 0).map(|bin| {
            let count = bin.count as f64;
            format!("{:.2} said, {:.2} right ({})", bin.said / count, bin.right as f64 / count, bin.count)
        });
        println!("confidence   {}; calibration error {error:.3}", shown.collect::<Vec<_>>().join("; "));
    }
    let [p50, p90] = [0.5, 0.9].map(|share| quantile(&latency.answer, share));
    let nothing = quantile(&latency.nothing, 0.5);
    println!(
        "\none answer: median {p50:.1} ms, p90 {p90:.1} ms; a process that does nothing: {nothing:.1} ms ({:.1} times that)",
        p50 / nothing
    );
}

const HALVES: [Half; 3] = [Half::Dev, Half::Held, Half::Extra];

fn half_name(half: Half) -> &'static str {
    match half {
        Half::Dev => "dev",
        Half::Held => "held",
        Half::Extra => "extra",
    }
}

fn is_shown(result: &Result, show_held: bool) -> bool {
    match result.request.half {
        Half::Dev => true,
        Half::Held => show_held,
        Half::Extra => false,
    }
}

/// First answers of similar confidence.
#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    count: usize,
    right: usize,
    said: f64,
}

/// The calibration of the first command's confidence: by bins, and the expected calibration error over them.
fn reliability(results: &[Result], half: Half) -> ([Bin; BINS], f64) {
    let mut bins = [Bin::default(); BINS];
    let mut all = 0;
    for result in results.iter().filter(|result| result.request.half == half && !result.commands.is_empty()) {
        let Some(said) = result.confidence else { continue };
        let bin = &mut bins[((said * BINS as f64) as usize).min(BINS - 1)];
        // A guess for words that ask for nothing is tolerated elsewhere; here it counts as wrong.
        let is_right = result.right == Some(0) && result.request.check.by != By::Nothing;
        bin.count += 1;
        bin.right += usize::from(is_right);
        bin.said += said;
        all += 1;
    }
    let error: f64 = bins.iter().map(|bin| (bin.said - bin.right as f64).abs()).sum();
    (bins, if all == 0 { 0.0 } else { error / f64::from(all) })
}

#[derive(Default)]
struct Tallies {
    /// Requests for a command: the accuracy is counted here. For the others silence would be right.
    wishes: Tally,
    /// Including words that ask for no command: the precision is counted here.
    all: Tally,
    domains: BTreeMap<String, Tally>,
}

fn tallies(results: &[Result], half: Half) -> Tallies {
    let Tallies { mut wishes, mut all, mut domains } = Tallies::default();
    for result in results.iter().filter(|result| result.request.half == half) {
        all.add(result);
        if result.request.check.by != By::Nothing {
            wishes.add(result);
        }
        domains.entry(result.request.domain.clone()).or_default().add(result);
        if half == Half::Extra {
            domains.entry(format!("({})", result.request.writer())).or_default().add(result);
        }
        if result.request.is_chinese() {
            domains.entry("(chinese)".to_owned()).or_default().add(result);
        }
    }
    Tallies { wishes, all, domains }
}

pub fn json(results: &[Result], latency: &Latency, show_held: bool) -> Value {
    let half = |half: Half| {
        let Tallies { wishes, all, domains } = tallies(results, half);
        let domains: BTreeMap<String, Value> = domains.into_iter().map(|(name, tally)| (name, tally.json())).collect();
        let (bins, error) = reliability(results, half);
        let bins: Vec<Value> =
            bins.iter().map(|bin| json!({"count": bin.count, "right": bin.right, "said": bin.said})).collect();
        json!({
            "wishes": wishes.json(), "all": all.json(), "domains": domains, "reliability": bins,
            "calibration_error": error,
        })
    };
    let shown = results.iter().filter(|result| is_shown(result, show_held));
    let requests: Vec<Value> = shown
        .map(|result| {
            json!({
                "at": result.request.at, "words": result.request.words, "commands": result.commands,
                "nearness": result.sure.name(), "confidence": result.confidence,
                "right": result.right.map(|at| at + 1), "harm": result.harm,
            })
        })
        .collect();
    json!({
        "dev": half(Half::Dev), "held": half(Half::Held), "extra": half(Half::Extra), "requests": requests,
        "latency_ms": {
            "median": quantile(&latency.answer, 0.5), "p90": quantile(&latency.answer, 0.9),
            "process_start": quantile(&latency.nothing, 0.5),
        },
    })
}

/// The requests whose first answer was wrong, for a human reader.
pub fn failures(results: &[Result], show_held: bool) -> String {
    let mut text = String::new();
    let shown = results.iter().filter(|result| is_shown(result, show_held));
    for result in shown.filter(|result| result.right != Some(0) || !result.harm.is_empty()) {
        let request = &result.request;
        let fate = match result.right {
            Some(at) => format!("right at {}", at + 1),
            None => result.sure.name().to_owned(),
        };
        text.push_str(&format!(
            "{}  [{} in {}] {fate}\n  ? {}\n",
            request.at, request.domain, request.place.folder, request.words
        ));
        for command in &result.commands {
            text.push_str(&format!("  - {command}\n"));
        }
        let wanted = request.check.references.first();
        wanted.iter().for_each(|wanted| text.push_str(&format!("  = {wanted}\n")));
        if !result.harm.is_empty() {
            let shown: Vec<&str> = result.harm.iter().take(HARM).map(String::as_str).collect();
            text.push_str(&format!("  HARM {} in all: {}\n", result.harm.len(), shown.join(", ")));
        }
        text.push('\n');
    }
    text
}
