//! Combines what the clauses of a request want. An action wins, since it has to be approved; unless it was forbidden, or only considered
//! before a question.

use std::ops::Range;

use crate::route::intent::TaskKind;
use crate::route::mentions::MentionKind;
use crate::route::normalize::NormalizedRequest;
use crate::route::rules::{self, Rule, RuleStrength, RuleVerdict};
use crate::route::word_lists;

/// Confidence from which a report counts as one, and not as a remark before a question.
const SURE: f32 = 0.7;
/// Words of a question, below which it is about the report before it.
const SHORT: usize = 8;

#[derive(Clone, Debug, PartialEq)]
pub struct RouteVerdict {
    pub kind: TaskKind,
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
    kind: TaskKind,
    force: RuleStrength,
}

/// The verdict of the rules, and for each clause the rule that matched.
pub fn combine_clauses(reading: &NormalizedRequest) -> (RouteVerdict, Vec<Option<&'static str>>) {
    let (said, held, heard) = listen(reading);
    (decide(reading, &said, held), heard)
}

fn decide(reading: &NormalizedRequest, said: &[Said], held: bool) -> RouteVerdict {
    let whole = 0..reading.normal().len();
    let verdict = |said: &Said| RouteVerdict {
        kind: said.kind,
        confidence: said.rule.confidence,
        rule: said.rule.name,
        range: said.range.clone(),
        held,
    };
    if is_bug_report(reading.normal()) {
        return RouteVerdict { kind: TaskKind::Diagnose, confidence: 0.85, rule: "bug-report", range: whole, held };
    }
    let first = |fits: &dyn Fn(&Said) -> bool| said.iter().find(|said| fits(said));
    let ordered = [TaskKind::Change, TaskKind::Run]
        .into_iter()
        .find_map(|kind| first(&|said| said.kind == kind && said.force == RuleStrength::Order));
    if let Some(order) = ordered {
        return verdict(order);
    }
    let report = first(&|said| said.kind == TaskKind::Diagnose && said.force == RuleStrength::Report);
    let asks = |said: &Said| !said.kind.acts() && matches!(said.force, RuleStrength::Question | RuleStrength::Order);
    // A user who names an action and then asks how, asks a question.
    let wished = first(&|said| said.kind.acts()).filter(|_| report.is_none() && !said.iter().any(asks));
    if let Some(wish) = wished {
        return verdict(wish);
    }
    let order =
        [TaskKind::Review, TaskKind::Diagnose, TaskKind::Explain, TaskKind::Search, TaskKind::Status, TaskKind::Help];
    let asked = order.into_iter().find_map(|kind| first(&|said| said.kind == kind && asks(said)));
    let pasted = reading.has(MentionKind::Log).then_some("log");
    match (asked, report) {
        (Some(asked), report) if asked.kind == TaskKind::Explain && asked.force == RuleStrength::Question => {
            let short = reading.text(&asked.range).split(' ').count() < SHORT;
            match (pasted, report) {
                // For example "What does it want from me", with a log.
                (Some(rule), _) => RouteVerdict { kind: TaskKind::Diagnose, confidence: 0.75, rule, ..verdict(asked) },
                (None, Some(report)) if short && report.rule.confidence >= SURE => {
                    RouteVerdict { confidence: 0.75, ..verdict(report) }
                }
                (None, _) => verdict(asked),
            }
        }
        (Some(asked), _) => verdict(asked),
        (None, Some(report)) => verdict(report),
        (None, None) if held => {
            RouteVerdict { kind: TaskKind::Explain, confidence: 0.7, rule: "hold", range: whole, held }
        }
        (None, None) => RouteVerdict { range: whole, held, ..nothing_said(reading) },
    }
}

/// Steps, expected and actual result: the imperatives among the steps are not orders.
fn is_bug_report(normal: &str) -> bool {
    let has = |labels: &[&str]| labels.iter().any(|label| normal.contains(label));
    has(&["expected:", "expected behavio", "expected result", "期望", "预期"])
        && has(&["actual:", "actual behavio", "actual result", "actually:", "observed:", "instead:", "实际"])
}

/// What each clause says. A clause joined to a question belongs to it.
fn listen(reading: &NormalizedRequest) -> (Vec<Said>, bool, Vec<Option<&'static str>>) {
    let (mut said, mut held, mut goes_on, mut heard) = (Vec::new(), false, false, Vec::new());
    for clause in &reading.clauses {
        let text = reading.text(&clause.range);
        let found = if clause.minded { rules::of_gerund(text) } else { rules::of(text) };
        heard.push(found.map(|rule| rule.name));
        let Some(rule) = found else {
            goes_on = goes_on && clause.joined;
            continue;
        };
        if clause.joined && goes_on && rule.force != RuleStrength::Question {
            continue;
        }
        goes_on = rule.goes_on || clause.asked && rule.force == RuleStrength::Question;
        match rule.says {
            RuleVerdict::Hold => {
                held = true;
                // "Before I touch anything I'd like to see all callers"
                let start = clause.range.start + rule.end(reading.text(&clause.range));
                let (rest, _) = word_lists::unwrapped(reading.normal(), &(start..clause.range.end));
                if let Some(rule) = rules::of(reading.text(&rest))
                    && let RuleVerdict::Wants(kind) = rule.says
                {
                    said.push(Said { range: rest, rule, kind, force: rule.force });
                }
            }
            RuleVerdict::Nothing => {}
            RuleVerdict::Wants(kind) => {
                let force = if clause.wished && kind.acts() { rule.force.min(RuleStrength::Wish) } else { rule.force };
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
fn nothing_said(reading: &NormalizedRequest) -> RouteVerdict {
    let (kind, confidence, rule) = match () {
        () if reading.has(MentionKind::Log) => (TaskKind::Diagnose, 0.85, "log"),
        () if reading.has(MentionKind::Diff) => (TaskKind::Review, 0.75, "diff"),
        () if reading.objects.is_empty() => (TaskKind::Explain, 0.3, "nothing"),
        () => (TaskKind::Explain, 0.45, "object"),
    };
    RouteVerdict { kind, confidence, rule, range: 0..0, held: false }
}
