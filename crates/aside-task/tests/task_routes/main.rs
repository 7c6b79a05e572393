//! Measures the router by a corpus of requests; see docs/task-routes.md. `make eval-route` prints the figures and the errors in the
//! development half.

#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a judge says what it found, and is told how much"
)]

mod corpus;
mod teach;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Instant;

use aside_task::route::intent::TaskKind;
use aside_task::route::{Route, RouteOptions, Routed, RoutedBy, TaskScope, route};

use corpus::{Case, Part};

/// For a part, in percent: the minimum share that is right, and of the requests that should not act the maximum share that would.
fn limits(part: &str) -> (f64, f64) {
    match part {
        "held" => (98.0, 1.0),
        "last" | "voices-dev" => (90.0, 1.0),
        // Unusual, and not learnt from.
        "stay" => (88.0, 3.0),
        "voices-held" => (88.0, 4.0),
        "fresh" => (75.0, 8.5),
        "second-plain" => (96.0, 2.0),
        "second-odd" => (75.0, 6.0),
        _ => (95.0, 1.0),
    }
}

fn routed(request: &str) -> Routed {
    route(request, &RouteOptions::default())
}

/// The result in the corpus's terms. A plan does not act.
fn name(routed: &Routed) -> &'static str {
    match routed {
        Routed::Apply { .. } => "apply",
        Routed::Task(Route { by: RoutedBy::Shortcut, scope: TaskScope::Plan, .. }) => "plan",
        Routed::Task(route) => route.intent.kind.name(),
    }
}

fn acts(routed: &Routed) -> bool {
    match routed {
        Routed::Apply { .. } => true,
        Routed::Task(route) => route.intent.kind.acts() && route.scope == TaskScope::Full,
    }
}

#[derive(Default)]
struct Figures {
    cases: usize,
    right: usize,
    /// Requests in which nothing should act.
    quiet: usize,
    acting: usize,
    unsure: usize,
    /// The expected and the actual kind.
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
        let should_act = kinds.iter().any(|kind| TaskKind::of(kind).is_none_or(TaskKind::acts));
        figures.quiet += usize::from(!should_act);
        figures.acting += usize::from(!should_act && acts(&routed));
        figures.unsure +=
            usize::from(matches!(&routed, Routed::Task(Route { scope: TaskScope::Plan, by: RoutedBy::Rule(_), .. })));
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
    for kind in TaskKind::ALL {
        let _ = write!(table, " {:>8}", kind.name());
    }
    for wanted in TaskKind::ALL {
        let _ = write!(table, "\n{:<18}", wanted.name());
        for taken in TaskKind::ALL {
            let count = figures.confused.get(&(wanted.name(), taken.name())).copied().unwrap_or(0);
            let _ = write!(table, " {:>8}", if count == 0 { "·".to_owned() } else { count.to_string() });
        }
    }
    table
}

/// How often a route of a given confidence is right, and how many are too uncertain to act on.
fn calibration(parts: &[Part]) -> String {
    let mut tenths = [(0, 0); 10];
    for Case { kinds, request } in parts.iter().flat_map(|part| &part.cases) {
        let Routed::Task(route) = routed(request) else { continue };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 1")]
        let tenth = ((route.intent.confidence * 10.0) as usize).min(9);
        tenths[tenth].0 += usize::from(kinds.contains(&name(&Routed::Task(route))));
        tenths[tenth].1 += 1;
    }
    let mut text = parts.iter().map(|part| part.name).collect::<Vec<_>>().join(" and ") + ", right by confidence:";
    for (tenth, (right, cases)) in tenths.iter().enumerate().filter(|(_, (_, cases))| *cases > 0) {
        let _ = write!(text, " 0.{tenth}: {right} of {cases} ({:.0} %);", percent(*right, *cases));
    }
    text
}

#[test]
fn requests_are_understood() {
    for part in corpus::measured() {
        let found = figures(&part);
        let right = percent(found.right, found.cases);
        let (at_least, at_most) = limits(part.name);
        assert!(right >= at_least, "{}: {right:.1} % are right", part.name);
        let acting = percent(found.acting, found.quiet);
        assert!(acting <= at_most, "{}: {acting:.1} % would act and should not", part.name);
    }
}

#[test]
fn every_example_of_the_document_is_understood() {
    let found = figures(&corpus::seed());
    assert_eq!(found.wrong, "");
}

/// `ASIDE_ROUTE=dev` lists the errors there, `all` everywhere.
#[test]
fn figures_are_printed() {
    let list = std::env::var("ASIDE_ROUTE").unwrap_or_default();
    for part in corpus::measured().into_iter().chain([corpus::seed()]) {
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
    let plain = [corpus::held(), corpus::unseen(), corpus::second_plain()];
    let odd = [corpus::voices_held(), corpus::fresh(), corpus::second_odd()];
    for parts in [plain, odd] {
        println!("{}", calibration(&parts));
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
    let longest = start.elapsed();
    // What happens at every keystroke, for comparison.
    let start = Instant::now();
    for case in &cases {
        std::hint::black_box(shell_line::parse(&case.request, shell_line::Dialect::of("bash")));
    }
    let parsed = start.elapsed() / u32::try_from(cases.len()).unwrap_or(1);
    println!("{each:?} for a request ({parsed:?} to parse it as a line), {longest:?} for one of 10 000 letters");
}
