//! Combines what the clauses of a request want. An action wins, since it has to be approved; unless it was forbidden, or only considered
//! before a question.

use std::ops::Range;

use crate::task::route::intent::Kind;
use crate::task::route::object::Sort;
use crate::task::route::reading::Reading;
use crate::task::route::rule::{self, Force, Rule, Says};
use crate::task::route::words;

/// Confidence from which a report counts as one, and not as a remark before a question.
const SURE: f32 = 0.7;
/// Words of a question, below which it is about the report before it.
const SHORT: usize = 8;

#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub kind: Kind,
    pub confidence: f32,
    /// The name of the rule that decided.
    pub rule: &'static str,
    /// The clause that decided, in the normalised text; all of it when none did.
    pub range: Range<usize>,
    /// The user said not to change or run anything.
    pub held: bool,
}

struct Said {
    range: Range<usize>,
    rule: &'static Rule,
    kind: Kind,
    force: Force,
}

/// The verdict of the rules, and for each clause the rule that matched.
pub fn weigh(reading: &Reading) -> (Verdict, Vec<Option<&'static str>>) {
    let (said, held, heard) = listen(reading);
    (decide(reading, &said, held), heard)
}

fn decide(reading: &Reading, said: &[Said], held: bool) -> Verdict {
    let whole = 0..reading.normal().len();
    let verdict = |said: &Said| Verdict {
        kind: said.kind,
        confidence: said.rule.confidence,
        rule: said.rule.name,
        range: said.range.clone(),
        held,
    };
    if is_bug_report(reading.normal()) {
        return Verdict { kind: Kind::Diagnose, confidence: 0.85, rule: "bug-report", range: whole, held };
    }
    let first = |fits: &dyn Fn(&Said) -> bool| said.iter().find(|said| fits(said));
    let ordered = [Kind::Change, Kind::Run]
        .into_iter()
        .find_map(|kind| first(&|said| said.kind == kind && said.force == Force::Order));
    if let Some(order) = ordered {
        return verdict(order);
    }
    let report = first(&|said| said.kind == Kind::Diagnose && said.force == Force::Report);
    let asks = |said: &Said| !said.kind.acts() && matches!(said.force, Force::Question | Force::Order);
    // A user who names an action and then asks how, asks a question.
    let wished = first(&|said| said.kind.acts()).filter(|_| report.is_none() && !said.iter().any(asks));
    if let Some(wish) = wished {
        return verdict(wish);
    }
    let order = [Kind::Review, Kind::Diagnose, Kind::Explain, Kind::Search, Kind::Status, Kind::Help];
    let asked = order.into_iter().find_map(|kind| first(&|said| said.kind == kind && asks(said)));
    let pasted = reading.has(Sort::Log).then_some("log");
    match (asked, report) {
        (Some(asked), report) if asked.kind == Kind::Explain && asked.force == Force::Question => {
            let short = reading.text(&asked.range).split(' ').count() < SHORT;
            match (pasted, report) {
                // For example "What does it want from me", with a log.
                (Some(rule), _) => Verdict { kind: Kind::Diagnose, confidence: 0.75, rule, ..verdict(asked) },
                (None, Some(report)) if short && report.rule.confidence >= SURE => {
                    Verdict { confidence: 0.75, ..verdict(report) }
                }
                (None, _) => verdict(asked),
            }
        }
        (Some(asked), _) => verdict(asked),
        (None, Some(report)) => verdict(report),
        (None, None) if held => Verdict { kind: Kind::Explain, confidence: 0.7, rule: "hold", range: whole, held },
        (None, None) => Verdict { range: whole, held, ..nothing_said(reading) },
    }
}

/// Steps, expected and actual result: the imperatives among the steps are not orders.
fn is_bug_report(normal: &str) -> bool {
    let has = |labels: &[&str]| labels.iter().any(|label| normal.contains(label));
    has(&["expected:", "expected behavio", "expected result", "期望", "预期"])
        && has(&["actual:", "actual behavio", "actual result", "actually:", "observed:", "instead:", "实际"])
}

/// What each clause says. A clause joined to a question belongs to it.
fn listen(reading: &Reading) -> (Vec<Said>, bool, Vec<Option<&'static str>>) {
    let (mut said, mut held, mut goes_on, mut heard) = (Vec::new(), false, false, Vec::new());
    for clause in &reading.clauses {
        let text = reading.text(&clause.range);
        let found = if clause.minded { rule::of_gerund(text) } else { rule::of(text) };
        heard.push(found.map(|rule| rule.name));
        let Some(rule) = found else {
            goes_on = goes_on && clause.joined;
            continue;
        };
        if clause.joined && goes_on && rule.force != Force::Question {
            continue;
        }
        goes_on = rule.goes_on || clause.asked && rule.force == Force::Question;
        match rule.says {
            Says::Hold => {
                held = true;
                // "Before I touch anything I'd like to see all callers"
                let start = clause.range.start + rule.end(reading.text(&clause.range));
                let (rest, _) = words::unwrapped(reading.normal(), &(start..clause.range.end));
                if let Some(rule) = rule::of(reading.text(&rest))
                    && let Says::Wants(kind) = rule.says
                {
                    said.push(Said { range: rest, rule, kind, force: rule.force });
                }
            }
            Says::Nothing => {}
            Says::Wants(kind) => {
                let force = if clause.wished && kind.acts() { rule.force.min(Force::Wish) } else { rule.force };
                said.push(Said { range: clause.range.clone(), rule, kind, force });
            }
        }
    }
    if held {
        said.retain(|said| !said.kind.acts());
    }
    (said, held, heard)
}

/// No clause matches a rule: pasted material may still decide.
fn nothing_said(reading: &Reading) -> Verdict {
    let (kind, confidence, rule) = match () {
        () if reading.has(Sort::Log) => (Kind::Diagnose, 0.85, "log"),
        () if reading.has(Sort::Diff) => (Kind::Review, 0.75, "diff"),
        () if reading.objects.is_empty() => (Kind::Explain, 0.3, "nothing"),
        () => (Kind::Explain, 0.45, "object"),
    };
    Verdict { kind, confidence, rule, range: 0..0, held: false }
}
