//! `aside stats`: what became of suggestions, how fast they came, and what models cost. Adds up local logs; writes nothing.

use std::collections::{BTreeMap, HashMap};

use anyhow::Context;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::cli::{Exit, one_line, print};
use crate::config::Config;
use crate::paths::Paths;
use crate::store::interactions::{Action, Interactions, StoredInteraction};
use crate::store::journal::{Entry, Journal};
use crate::store::reroutes::{self, RerouteOutcome, Reroutes};

/// Show what became of suggestions, their speed, what models cost
#[derive(clap::Args)]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Only the last so many days
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    days: Option<u32>,
}

/// Prices per million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Prices {
    input: f64,
    output: f64,
}

#[derive(Debug, PartialEq, Serialize)]
struct Stats {
    /// RFC 3339; the oldest entry that is counted.
    since: Option<String>,
    /// Suggestions accepted or dismissed, by source.
    sources: BTreeMap<String, Source>,
    /// Requests to models, by purpose, provider and model.
    models: Vec<Model>,
    /// The total, when prices are set.
    cost: Option<f64>,
    sentences: Sentences,
}

/// Lines that were taken for prose, by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
struct Sentences {
    answered: usize,
    offered: usize,
    /// The user marked the line as prose explicitly.
    asked: usize,
}

#[derive(Debug, Default, PartialEq, Serialize)]
struct Source {
    /// Taken into the line, or run.
    accepted: usize,
    /// Of those, edited before they ran.
    edited: usize,
    /// Of those, run unchanged.
    run: usize,
    dismissed: usize,
    /// Accepted, out of those accepted or dismissed.
    rate: f64,
    latency: Option<Latency>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Latency {
    median_ms: u64,
    p90_ms: u64,
}

#[derive(Debug, PartialEq, Serialize)]
struct Model {
    #[serde(rename = "use")]
    purpose: String,
    provider: String,
    model: String,
    requests: usize,
    /// Without a reply, or with an error.
    failed: usize,
    bytes_sent: u64,
    input_tokens: u64,
    output_tokens: u64,
    latency: Option<Latency>,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let paths = Paths::from_env()?;
    let prices = match Config::load(&paths.config_file) {
        Ok(config) => Prices { input: config.llm.input_price, output: config.llm.output_price },
        Err(problems) => {
            complain!("{problems}");
            return Ok(Exit::Usage);
        }
    };
    let noted = Interactions::new(&paths).read().context("could not read what was noted of suggestions")?;
    let entries = Journal::new(&paths).read().context("could not read what was noted of requests")?;
    let span = args.days.map(|days| SignedDuration::from_hours(24 * i64::from(days)));
    let since = span.and_then(|span| Timestamp::now().checked_sub(span).ok());
    let reroutes = Reroutes::new(&paths).read().context("could not read which lines were taken for sentences")?;
    let stats = add_up(&noted, &entries, &reroutes, since, prices);
    if args.json {
        print(&crate::cli::json_lines(&stats)?)?;
    } else {
        print(&report(&stats, args.days, &TimeZone::system()))?;
    }
    Ok(Exit::Done)
}

fn add_up(
    noted: &[StoredInteraction],
    entries: &[Entry],
    reroutes: &[reroutes::StoredReroute],
    since: Option<Timestamp>,
    prices: Prices,
) -> Stats {
    let counts = |ts: &str| ts.parse::<Timestamp>().is_ok_and(|ts| since.is_none_or(|since| ts >= since));
    let noted: Vec<&StoredInteraction> = noted.iter().filter(|noted| counts(&noted.ts)).collect();
    let entries: Vec<&Entry> = entries.iter().filter(|entry| counts(&entry.ts)).collect();
    let reroutes: Vec<&reroutes::StoredReroute> = reroutes.iter().filter(|noted| counts(&noted.ts)).collect();
    let first = noted.iter().map(|noted| &noted.ts).chain(entries.iter().map(|entry| &entry.ts));
    let first = first.chain(reroutes.iter().map(|noted| &noted.ts));
    let first = first.min_by_key(|ts| ts.parse::<Timestamp>().ok()).cloned();
    let models = models(&entries);
    let paid = |model: &Model| model.input_tokens as f64 * prices.input + model.output_tokens as f64 * prices.output;
    let cost = (prices != Prices::default()).then(|| models.iter().map(paid).sum::<f64>() / 1_000_000.0);
    Stats { since: first, sources: sources(&noted), models, cost, sentences: sentences(&reroutes) }
}

fn sentences(reroutes: &[&reroutes::StoredReroute]) -> Sentences {
    let mut sentences = Sentences::default();
    for noted in reroutes {
        match noted.rerouted.became {
            RerouteOutcome::Answered => sentences.answered += 1,
            RerouteOutcome::Offered => sentences.offered += 1,
            RerouteOutcome::Asked => sentences.asked += 1,
        }
    }
    sentences
}

/// What happened to one suggestion, from its first to its last log entry.
#[derive(Clone, Copy, Default)]
struct Offer {
    accepted: bool,
    edited: bool,
    run: bool,
}

fn sources(noted: &[&StoredInteraction]) -> BTreeMap<String, Source> {
    let mut sources: BTreeMap<String, (Source, Vec<u64>)> = BTreeMap::new();
    let mut offers: Vec<(&str, Offer)> = Vec::new();
    // Accepting, editing and running the same suggestion are three entries about one suggestion.
    let mut open: HashMap<(&str, &str, &str), usize> = HashMap::new();
    for StoredInteraction { interaction, .. } in noted {
        let source = interaction.source.as_str();
        let key = (interaction.session.as_str(), interaction.buffer.as_str(), interaction.suggestion.as_str());
        let ended = matches!(interaction.action, Action::Edit | Action::Run);
        let known = if ended { open.remove(&key) } else { None };
        let number = known.unwrap_or_else(|| {
            offers.push((source, Offer::default()));
            if let Some(ms) = interaction.ms {
                sources.entry(source.to_owned()).or_default().1.push(ms);
            }
            offers.len() - 1
        });
        let offer = &mut offers[number].1;
        match interaction.action {
            Action::Accept => {
                offer.accepted = true;
                open.insert(key, number);
            }
            Action::Edit => (offer.accepted, offer.edited) = (true, true),
            Action::Run => (offer.accepted, offer.run) = (true, true),
            Action::Dismiss => {}
        }
    }
    for (source, offer) in offers {
        let (source, _) = sources.entry(source.to_owned()).or_default();
        source.accepted += usize::from(offer.accepted);
        source.edited += usize::from(offer.edited);
        source.run += usize::from(offer.run);
        source.dismissed += usize::from(!offer.accepted);
    }
    let finish = |(name, (source, times)): (String, (Source, Vec<u64>))| {
        let all = (source.accepted + source.dismissed).max(1);
        (name, Source { rate: source.accepted as f64 / all as f64, latency: latency(times), ..source })
    };
    sources.into_iter().map(finish).collect()
}

fn models(entries: &[&Entry]) -> Vec<Model> {
    let mut models: BTreeMap<(&str, &str, &str), (Model, Vec<u64>)> = BTreeMap::new();
    // The probe for the kind of server has no body, and no model answers it.
    for entry in entries.iter().filter(|entry| entry.bytes > 0) {
        let new = || {
            let (purpose, provider, model) = (entry.purpose.clone(), entry.provider.clone(), entry.model.clone());
            let model = Model {
                purpose,
                provider,
                model,
                requests: 0,
                failed: 0,
                bytes_sent: 0,
                input_tokens: 0,
                output_tokens: 0,
                latency: None,
            };
            (model, Vec::new())
        };
        let key = (entry.purpose.as_str(), entry.provider.as_str(), entry.model.as_str());
        let (model, times) = models.entry(key).or_insert_with(new);
        model.requests += 1;
        model.bytes_sent += entry.bytes;
        let Some(answer) = &entry.answer else { continue };
        model.input_tokens += answer.input_tokens.unwrap_or(0);
        model.output_tokens += answer.output_tokens.unwrap_or(0);
        let ok = answer.failure.is_empty() && answer.status.is_some_and(|status| (200..300).contains(&status));
        // A request that was cancelled because the user typed on is no failure.
        model.failed += usize::from(!ok && answer.failure != "cancelled");
        if ok {
            times.push(answer.ms);
        }
    }
    models.into_values().map(|(model, times)| Model { latency: latency(times), ..model }).collect()
}

fn latency(mut times: Vec<u64>) -> Option<Latency> {
    times.sort_unstable();
    let at = |percent: usize| times.get((times.len() * percent).div_ceil(100).saturating_sub(1)).copied();
    Some(Latency { median_ms: at(50)?, p90_ms: at(90)? })
}

fn report(stats: &Stats, days: Option<u32>, zone: &TimeZone) -> String {
    let Stats { since, sources, models, cost, sentences } = stats;
    let Some(since) = since else {
        let when = days.map(|days| format!(" in the last {days} days")).unwrap_or_default();
        return format!("nothing noted{when}: no suggestion was taken or left, and no model was asked\n");
    };
    let since = since.parse::<Timestamp>().map(|ts| ts.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string());
    let mut text = format!("since {}\n", since.unwrap_or_default());
    if !sources.is_empty() {
        let mut rows =
            vec![["", "accepted", "edited", "run as is", "dismissed", "rate", "median", "p90"].map(str::to_owned)];
        for (name, source) in sources {
            let Source { accepted, edited, run, dismissed, rate, latency } = source;
            let [median, p90] = times(*latency);
            let counts = [accepted, edited, run, dismissed].map(usize::to_string);
            let [accepted, edited, run, dismissed] = counts;
            rows.push([
                one_line(name),
                accepted,
                edited,
                run,
                dismissed,
                format!("{:.0} %", rate * 100.0),
                median,
                p90,
            ]);
        }
        text.push_str(&format!("\nwhat became of suggestions\n{}", table(&rows)));
    }
    if *sentences != Sentences::default() {
        let Sentences { answered, offered, asked } = sentences;
        text.push_str(&format!(
            "\nlines that were sentences\n  {answered} answered, {offered} offered an answer, {asked} asked by you\n"
        ));
    }
    if !models.is_empty() {
        let mut rows = vec![
            ["", "requests", "failed", "bytes sent", "tokens in", "tokens out", "median", "p90"].map(str::to_owned),
        ];
        for model in models {
            let [median, p90] = times(model.latency);
            let name = one_line(format!("{} {} {}", model.purpose, model.provider, model.model).trim_end());
            let (requests, failed) = (model.requests.to_string(), model.failed.to_string());
            let numbers = [model.bytes_sent, model.input_tokens, model.output_tokens].map(|number| number.to_string());
            let [bytes, input, output] = numbers;
            rows.push([name, requests, failed, bytes, input, output, median, p90]);
        }
        text.push_str(&format!("\nwhat models were asked\n{}", table(&rows)));
        text.push_str(&match cost {
            Some(cost) => format!("\ncost: {cost:.4}, by llm.input_price and llm.output_price\n"),
            None => {
                "\nset llm.input_price and llm.output_price (per million tokens) to see what that costs\n".to_owned()
            }
        });
    }
    text
}

fn times(latency: Option<Latency>) -> [String; 2] {
    latency
        .map_or_else(Default::default, |Latency { median_ms, p90_ms }| [median_ms, p90_ms].map(|ms| format!("{ms} ms")))
}

/// The first column left-aligned, numbers right-aligned. Leaves out empty columns.
fn table<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> String {
    let widths: Vec<usize> =
        (0..COLUMNS).map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)).collect();
    let filled = |column: usize| column == 0 || rows.iter().skip(1).any(|row| !row[column].is_empty());
    let mut text = String::new();
    for row in rows {
        let cells = (0..COLUMNS).filter(|column| filled(*column)).map(|column| {
            let width = widths[column];
            if column == 0 { format!("  {:width$}", row[column]) } else { format!("  {:>width$}", row[column]) }
        });
        text.push_str(&format!("{}\n", cells.collect::<String>()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::interactions::Interaction;

    fn noted(minute: u32, source: &str, action: &str, suggestion: &str, ms: Option<u64>) -> StoredInteraction {
        let interaction = Interaction {
            session: "s".to_owned(),
            action: Action::named(action).unwrap(),
            buffer: "? x".to_owned(),
            suggestion: suggestion.to_owned(),
            source: source.to_owned(),
            confidence: 0.9,
            cwd: "/".to_owned(),
            nl_query: None,
            ran: None,
            ms,
            provider: None,
            model: None,
            input_tokens: None,
            output_tokens: None,
        };
        StoredInteraction { ts: format!("2026-01-01T00:{minute:02}:00Z"), interaction }
    }

    fn entry(model: &str, answer: &str) -> Entry {
        let entry = serde_json::json!({
            "id": 1, "ts": "2026-01-01T00:30:00Z", "use": "translate", "provider": "openai", "model": model,
            "address": "http://x", "bytes": 100, "redacted": 0, "body": "",
            "answer": serde_json::from_str::<serde_json::Value>(answer).unwrap(),
        });
        serde_json::from_value(entry).unwrap()
    }

    #[test]
    fn taking_and_running_one_suggestion_counts_once() {
        let notes = [
            noted(0, "llm", "accept", "a", Some(100)),
            noted(1, "llm", "run", "a", Some(100)),
            noted(2, "llm", "accept", "a", Some(300)),
            noted(3, "llm", "edit", "a", Some(300)),
            noted(4, "llm", "run", "b", Some(200)),
            noted(5, "llm", "dismiss", "c", None),
            noted(6, "history", "accept", "a", None),
            noted(7, "history", "dismiss", "a", None),
        ];
        let stats = add_up(&notes, &[], &[], None, Prices::default());
        let latency = Some(Latency { median_ms: 200, p90_ms: 300 });
        let llm = Source { accepted: 3, edited: 1, run: 2, dismissed: 1, rate: 0.75, latency };
        let history = Source { accepted: 1, dismissed: 1, rate: 0.5, ..Source::default() };
        assert_eq!(stats.sources, [("history".to_owned(), history), ("llm".to_owned(), llm)].into());
    }

    #[test]
    fn the_report_says_what_there_is() {
        let notes = [noted(0, "embedded", "run", "a", Some(2)), noted(1, "embedded", "dismiss", "b", Some(4))];
        let entries = [
            entry("m", r#"{"status": 200, "bytes": 9, "ms": 840, "input_tokens": 1000, "output_tokens": 50}"#),
            entry("m", r#"{"status": 500, "bytes": 9, "ms": 10}"#),
            entry("m", r#"{"bytes": 0, "ms": 10, "failure": "cancelled"}"#),
            Entry { bytes: 0, ..entry("", r#"{"status": 404, "bytes": 0, "ms": 1}"#) },
        ];
        let taken = serde_json::json!({
            "ts": "2026-01-01T00:10:00Z", "session": "s", "cwd": "/", "shell": "zsh", "phase": "after", "exit": 2,
            "line": "make sure", "reason": "", "became": "answered",
        });
        let taken = serde_json::from_value(taken).unwrap();
        let prices = Prices { input: 2.0, output: 10.0 };
        let stats = add_up(&notes, &entries, &[taken], None, prices);
        assert_eq!(
            report(&stats, None, &TimeZone::UTC),
            "since 2026-01-01 00:00\n\
             \n\
             what became of suggestions\n\
             \x20           accepted  edited  run as is  dismissed  rate  median   p90\n\
             \x20 embedded         1       0          1          1  50 %    2 ms  4 ms\n\
             \n\
             lines that were sentences\n\
             \x20 1 answered, 0 offered an answer, 0 asked by you\n\
             \n\
             what models were asked\n\
             \x20                     requests  failed  bytes sent  tokens in  tokens out  median     p90\n\
             \x20 translate openai m         3       1         300       1000          50  840 ms  840 ms\n\
             \n\
             cost: 0.0025, by llm.input_price and llm.output_price\n"
        );
    }

    #[test]
    fn only_the_days_that_were_asked_for_count() {
        let notes = [noted(0, "llm", "run", "a", None), noted(9, "llm", "run", "b", None)];
        let since = "2026-01-01T00:05:00Z".parse().ok();
        let stats = add_up(&notes, &[], &[], since, Prices::default());
        assert_eq!((stats.sources["llm"].accepted, stats.since.as_deref()), (1, Some("2026-01-01T00:09:00Z")));
        let late = "2026-02-01T00:00:00Z".parse().ok();
        let stats = add_up(&notes, &[], &[], late, Prices::default());
        assert!(report(&stats, Some(7), &TimeZone::UTC).starts_with("nothing noted in the last 7 days: "));
    }
}
