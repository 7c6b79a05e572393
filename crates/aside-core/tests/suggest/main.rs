//! Measures the next-command suggestions by a corpus of commands that ended; see docs/suggest-eval.md. `make eval-suggest` prints
//! the figures and the errors in the development half.

#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a judge says what it found, and is told how much"
)]

mod corpus;
mod home;

use std::fmt::Write as _;

use aside_commands::spec::Specs;
use aside_core::suggest::{EarlierRun, EndedRun, Follower, SuggestContext, Suggestion, suggest};
use shell_line::Dialect;

use corpus::{Case, Half, Source};
use home::{CWD, Home};

/// In percent of all cases.
const RIGHT_AT_LEAST: f64 = 80.0;
const WRONG_AT_MOST: f64 = 3.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Right,
    Wrong,
    /// No suggestion where one would have helped.
    Silent,
}

fn answer(case: &Case, specs: &Specs) -> Option<Suggestion> {
    let (home, names) = (Home::new(case), Home::names());
    let past: Vec<EarlierRun<'_>> = case
        .before
        .iter()
        .map(|(command, output)| EarlierRun { command, exit: Some(0), output: Some(output) })
        .collect();
    let next: Vec<Follower<'_>> =
        case.next.iter().map(|&(anywhere, here, command)| Follower { command, here, anywhere }).collect();
    let ended =
        EndedRun { command: case.line, exit: case.exit, output: case.output.as_deref(), previous: &past, next: &next };
    let place = SuggestContext { cwd: CWD, dialect: Dialect::of(case.shell), world: &home, names: &names, specs };
    suggest(&ended, &place)
}

fn verdict(case: &Case, answer: Option<&Suggestion>) -> Verdict {
    match answer {
        Some(answer) if case.want.contains(&answer.command.as_str()) => Verdict::Right,
        Some(_) => Verdict::Wrong,
        None if case.want.contains(&"-") => Verdict::Right,
        None => Verdict::Silent,
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Figures {
    cases: usize,
    right: usize,
    wrong: usize,
    silent: usize,
}

impl Figures {
    fn of<'c>(cases: impl Iterator<Item = &'c Case>, specs: &Specs) -> Self {
        let mut figures = Figures::default();
        for case in cases {
            figures.cases += 1;
            match verdict(case, answer(case, specs).as_ref()) {
                Verdict::Right => figures.right += 1,
                Verdict::Wrong => figures.wrong += 1,
                Verdict::Silent => figures.silent += 1,
            }
        }
        figures
    }

    fn percent(&self, count: usize) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "some hundred cases")]
        let percent = count as f64 * 100.0 / self.cases.max(1) as f64;
        percent
    }
}

fn table(halves: &[Half], specs: &Specs) -> String {
    let mut table = "                      cases            right          wrong         silent\n".to_owned();
    for half in halves {
        let helpful = |case: &&Case| case.want.first() != Some(&"-");
        let rows: [(&str, Figures); 5] = [
            ("all", Figures::of(half.cases.iter(), specs)),
            ("something helps", Figures::of(half.cases.iter().filter(helpful), specs)),
            ("nothing does", Figures::of(half.cases.iter().filter(|case| !helpful(case)), specs)),
            ("ran", Figures::of(half.cases.iter().filter(|case| case.source == Source::Ran), specs)),
            ("by hand", Figures::of(half.cases.iter().filter(|case| case.source == Source::ByHand), specs)),
        ];
        for (name, figures) in rows {
            let share = |count: usize| format!("{count} ({:.1} %)", figures.percent(count));
            let (right, wrong, silent) = (share(figures.right), share(figures.wrong), share(figures.silent));
            let name = format!("{} {name}", half.name);
            let _ = writeln!(table, "{name:<20} {:>6}  {right:>15}  {wrong:>13}  {silent:>13}", figures.cases);
        }
    }
    table
}

/// A row for each case that failed.
fn failures(half: &Half, specs: &Specs) -> String {
    let mut report = String::new();
    for case in &half.cases {
        let answer = answer(case, specs);
        let verdict = verdict(case, answer.as_ref());
        if verdict != Verdict::Right {
            let given = answer.map_or("-".to_owned(), |answer| format!("{}  ({})", answer.command, answer.reason));
            let _ = writeln!(
                report,
                "{verdict:?} {}: {}\n    want {:?}\n    gave {given}",
                case.name, case.line, case.want
            );
        }
    }
    report
}

/// `ASIDE_SUGGEST=dev` lists the errors there, `ASIDE_SUGGEST=all` also those in the held-out half. `ASIDE_SUGGEST_CASES=FILE`
/// judges the cases of that file instead, and lists them with `ASIDE_SUGGEST=own`.
#[test]
fn figures() {
    let specs = Specs::default();
    let halves = match std::env::var("ASIDE_SUGGEST_CASES") {
        Ok(path) if !path.is_empty() => vec![corpus::foreign(&path)],
        Ok(_) | Err(_) => vec![corpus::dev(), corpus::held()],
    };
    println!("{}", table(&halves, &specs));
    let list = std::env::var("ASIDE_SUGGEST").unwrap_or_default();
    for half in halves.iter().filter(|half| list == "all" || list == half.name && half.name != "held") {
        println!("{}:\n{}", half.name, failures(half, &specs));
    }
}

#[test]
fn most_suggestions_are_right_and_few_are_wrong() {
    let specs = Specs::default();
    for half in [corpus::dev(), corpus::held()] {
        let figures = Figures::of(half.cases.iter(), &specs);
        assert!(figures.cases >= 200, "{}: {figures:?}", half.name);
        assert!(figures.percent(figures.right) >= RIGHT_AT_LEAST, "{}: {figures:?}", half.name);
        assert!(figures.percent(figures.wrong) <= WRONG_AT_MOST, "{}: {figures:?}", half.name);
    }
}
