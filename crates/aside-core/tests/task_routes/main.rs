//! Is a request understood? Judges the router by a corpus of requests; see docs/task-routes.md. `make eval-route` prints the
//! figures and what is wrong in the half that is there to learn from.

#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a judge says what it found, and is told how much"
)]

mod corpus;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Instant;

use aside_core::task::route::intent::Kind;
use aside_core::task::route::{By, Options, Route, Routed, Scope, route};

use corpus::{Case, Part};

/// In percent of a part.
const RIGHT_AT_LEAST: f64 = 95.0;
/// The same, of those that were written to be hard.
const ODD_AT_LEAST: f64 = 90.0;
/// Requests that would act, of those that should not.
const ACTING_AT_MOST: f64 = 1.0;

fn routed(request: &str) -> Routed {
    route(request, &Options::default())
}

/// What came of it, in the words of the corpus. A plan is nothing that acts.
fn name(routed: &Routed) -> &'static str {
    match routed {
        Routed::Apply { .. } => "apply",
        Routed::Task(Route { by: By::Shortcut, scope: Scope::Plan, .. }) => "plan",
        Routed::Task(route) => route.intent.kind.name(),
    }
}

fn acts(routed: &Routed) -> bool {
    match routed {
        Routed::Apply { .. } => true,
        Routed::Task(route) => route.intent.kind.acts() && route.scope == Scope::Full,
    }
}

#[derive(Default)]
struct Figures {
    cases: usize,
    right: usize,
    /// Of those in which nothing should act.
    quiet: usize,
    acting: usize,
    unsure: usize,
    /// What was wanted and what it was taken for.
    confused: BTreeMap<(&'static str, &'static str), usize>,
    wrong: String,
}

fn figures(part: &Part) -> Figures {
    let mut figures = Figures::default();
    for Case { kinds, request } in &part.cases {
        let routed = routed(request);
        let name = name(&routed);
        let wanted = kinds[0];
        figures.cases += 1;
        let should_act = kinds.iter().any(|kind| Kind::of(kind).is_none_or(Kind::acts));
        figures.quiet += usize::from(!should_act);
        figures.acting += usize::from(!should_act && acts(&routed));
        figures.unsure +=
            usize::from(matches!(&routed, Routed::Task(Route { scope: Scope::Plan, by: By::Rule(_), .. })));
        if kinds.contains(&name) {
            figures.right += 1;
            *figures.confused.entry((name, name)).or_default() += 1;
        } else {
            *figures.confused.entry((wanted, name)).or_default() += 1;
            let by = match &routed {
                Routed::Task(route) => format!("{:?} {}", route.by, route.intent.confidence),
                Routed::Apply { .. } => String::new(),
            };
            let _ = writeln!(
                figures.wrong,
                "{} taken for {name} ({by}): {}",
                kinds.join("|"),
                request.replace('\n', "\\n")
            );
        }
    }
    figures
}

fn percent(count: usize, of: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "some hundred requests")]
    let percent = count as f64 * 100.0 / of.max(1) as f64;
    percent
}

fn table(figures: &Figures) -> String {
    let mut table = String::from("wanted \\ taken for");
    for kind in Kind::ALL {
        let _ = write!(table, " {:>8}", kind.name());
    }
    for wanted in Kind::ALL {
        let _ = write!(table, "\n{:<18}", wanted.name());
        for taken in Kind::ALL {
            let count = figures.confused.get(&(wanted.name(), taken.name())).copied().unwrap_or(0);
            let _ = write!(table, " {:>8}", if count == 0 { "·".to_owned() } else { count.to_string() });
        }
    }
    table
}

#[test]
fn requests_are_understood() {
    for part in [corpus::dev(), corpus::held(), corpus::late(), corpus::last(), corpus::unseen()] {
        let found = figures(&part);
        let right = percent(found.right, found.cases);
        let at_least = if part.name == "last" { ODD_AT_LEAST } else { RIGHT_AT_LEAST };
        assert!(right >= at_least, "{}: {right:.1} % are right", part.name);
        let acting = percent(found.acting, found.quiet);
        assert!(acting <= ACTING_AT_MOST, "{}: {acting:.1} % would act and should not", part.name);
    }
}

#[test]
fn every_example_of_the_document_is_understood() {
    let found = figures(&corpus::seed());
    assert_eq!(found.wrong, "");
}

/// `ASIDE_ROUTE=dev` lists what is wrong there, `all` everywhere.
#[test]
fn figures_are_printed() {
    let list = std::env::var("ASIDE_ROUTE").unwrap_or_default();
    for part in [corpus::dev(), corpus::held(), corpus::late(), corpus::last(), corpus::unseen(), corpus::seed()] {
        let found = figures(&part);
        println!(
            "{}: {} of {} right ({:.1} %); {} of {} act and should not; {} too unsure for more than a plan",
            part.name,
            found.right,
            found.cases,
            percent(found.right, found.cases),
            found.acting,
            found.quiet,
            found.unsure
        );
        if list == "all" || !list.is_empty() && list == part.name {
            println!("{}\n{}", table(&found), found.wrong);
        }
    }
    let cases: Vec<Case> = [corpus::dev(), corpus::held()].into_iter().flat_map(|part| part.cases).collect();
    let long: String =
        cases.iter().map(|case| case.request.as_str()).collect::<Vec<_>>().join(". ").chars().take(10_000).collect();
    let start = Instant::now();
    for case in &cases {
        std::hint::black_box(routed(&case.request));
    }
    let each = start.elapsed() / u32::try_from(cases.len()).unwrap_or(1);
    let start = Instant::now();
    std::hint::black_box(routed(&long));
    println!("{each:?} for a request, {:?} for one of 10 000 letters", start.elapsed());
}
