//! Routes a request in plain words: one of eight kinds, with a confidence and parameters. Three stages: shortcuts, rules about the shape of
//! each clause combined with a classifier, and, if configured, a model whose reply is validated. Executes and proposes nothing; that an
//! action needs approval follows from the kind, never from the words.

pub mod classifier;
mod combine_clauses;
pub mod command;
pub mod intent;
pub mod literal_command;
pub mod mentions;
pub mod model;
pub(crate) mod normalize;
pub mod params;
mod rules;
mod shortcut;
pub(crate) mod word_lists;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use aside_core::agent::language::Message;
use aside_core::agent::phrasing;
use aside_text::speech_act::SpeechActs;
use serde::{Deserialize, Serialize};

use classifier::KindScores;
use combine_clauses::{RouteVerdict, combine_clauses};
use intent::{ApprovalRequirement, Intent, IntentParams, TaskKind, UnparsedCommand};
use literal_command::Literal;
use normalize::NormalizedRequest;
use shortcut::Shortcut;

/// Weight of a confident rule, relative to the classifier's weight of one. Tuned on the training requests: the smallest value with which
/// plain requests are classified as well as by the rules alone.
const RULES_WEIGH: f32 = 0.25;
const SURE_RULE: f32 = 0.9;
/// A rule with at most this confidence has no weight.
const UNSURE_RULE: f32 = 0.6;

/// Factor on the confidence of an acting kind that no confident rule supports.
const ACTS_BY_LIKENESS: f32 = 0.8;

/// Cap on the confidence of the classifier: its precision at the top.
const SUREST: f32 = 0.97;

/// Settings.
#[derive(Clone, Copy, Debug)]
pub struct RouteOptions<'a> {
    /// The prefix of a message to the assistant in a shared chat. Shortcuts need it.
    pub prefix: &'a str,
    /// Minimum confidence to act upon a guess.
    pub threshold: f32,
}

impl Default for RouteOptions<'_> {
    fn default() -> Self {
        Self { prefix: "@dev", threshold: 0.55 }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Routed {
    Task(Route),
    /// `@dev apply ID`: an existing proposal to carry out, for the gate to decide.
    Apply {
        id: String,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    pub intent: Intent,
    pub scope: TaskScope,
    pub by: RoutedBy,
    /// Human-readable notes about what was wrong with it.
    pub notes: Vec<String>,
    /// The user said not to change or run anything.
    pub held: bool,
}

/// How far a task may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskScope {
    /// As far as its kind allows.
    Full,
    /// A plan in words: no diff, no command.
    Plan,
}

/// What decided the route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoutedBy {
    Shortcut,
    /// The rule by this name.
    Rule(&'static str),
    Model,
}

impl Route {
    /// What has to happen before anything is carried out.
    pub fn requires(&self) -> ApprovalRequirement {
        match self.scope {
            TaskScope::Full => self.intent.kind.requires(),
            TaskScope::Plan => ApprovalRequirement::None,
        }
    }
}

pub fn route(request: &str, options: &RouteOptions<'_>) -> Routed {
    match shortcut::read(request, options.prefix) {
        Shortcut::Words(words) => Routed::Task(words_route(words, options)),
        Shortcut::Apply(id) => Routed::Apply { id: id.to_owned() },
        Shortcut::Help => Routed::Task(short(TaskKind::Help, "", IntentParams::default(), TaskScope::Full)),
        Shortcut::Status => Routed::Task(short(TaskKind::Status, "", IntentParams::default(), TaskScope::Full)),
        Shortcut::Plan(words) => Routed::Task(short(TaskKind::Change, words, asked_change(words), TaskScope::Plan)),
        Shortcut::Patch(words) => Routed::Task(short(TaskKind::Change, words, asked_change(words), TaskScope::Full)),
        Shortcut::Test(cmd) => {
            let query = cmd.is_none().then(|| "tests".to_owned());
            let params = IntentParams { cmd, query, ..IntentParams::default() };
            Routed::Task(checked(short(TaskKind::Run, "the tests", params, TaskScope::Full), options))
        }
    }
}

/// The task that `@dev apply ID` names. Does not evaluate any rules.
pub fn applies<'a>(request: &'a str, options: &RouteOptions<'_>) -> Option<&'a str> {
    match shortcut::read(request, options.prefix) {
        Shortcut::Apply(id) => Some(id),
        _ => None,
    }
}

fn asked_change(words: &str) -> IntentParams {
    let reading = NormalizedRequest::of(words);
    let change_request = Some(params::cut(reading.all(), params::MAX_WORDS));
    IntentParams { files: params::files(&reading), change_request, ..IntentParams::default() }
}

fn short(kind: TaskKind, words: &str, params: IntentParams, scope: TaskScope) -> Route {
    let summary = params::summary(kind, &params, words);
    let intent = Intent { kind, confidence: 1.0, summary, params };
    Route { intent, scope, by: RoutedBy::Shortcut, notes: Vec::new(), held: false }
}

fn words_route(request: &str, options: &RouteOptions<'_>) -> Route {
    let reading = NormalizedRequest::of(request);
    let mut verdict = verdict(&reading);
    if is_only_told(request, &verdict) {
        verdict = RouteVerdict { kind: TaskKind::Explain, rule: "told", ..verdict };
    }
    // Below the threshold, all but changes become an explanation.
    if verdict.confidence < options.threshold && verdict.kind != TaskKind::Change {
        verdict.kind = TaskKind::Explain;
    }
    let params = match verdict.rule {
        "command" => params::line(&reading),
        _ => params::params(&reading, &verdict),
    };
    let RouteVerdict { kind, confidence, rule, range, held } = verdict;
    let words = Some(reading.raw(&range).trim()).filter(|words| !words.is_empty()).unwrap_or(reading.all());
    let summary = params::summary(kind, &params, words);
    let intent = Intent { kind, confidence, summary, params };
    checked(Route { intent, scope: TaskScope::Full, by: RoutedBy::Rule(rule), notes: Vec::new(), held }, options)
}

/// Whether a `Run` or `Change` was only mentioned, not requested: `did the deploy script run`, `don't run the tests`, `git reset is what?`.
/// A command line may read like prose, but has operators that prose does not have.
fn is_only_told(request: &str, verdict: &RouteVerdict) -> bool {
    let is_line = verdict.rule == "command";
    // For changes, only those that no rule matched: `who deleted the login form`.
    if verdict.kind == TaskKind::Change {
        return verdict.rule == "likeness" && SpeechActs::of(request).is_past();
    }
    if verdict.kind != TaskKind::Run || is_line && request.contains(['|', '&', ';', '>', '<', '$']) {
        return false;
    }
    let speech_acts = SpeechActs::of(request);
    speech_acts.denies() || is_line && speech_acts.asks_or_jests()
}

fn verdict(reading: &NormalizedRequest) -> RouteVerdict {
    let all = reading.all();
    let whole = 0..reading.normal().len();
    let said = |kind, confidence, rule| RouteVerdict { kind, confidence, rule, range: whole.clone(), held: false };
    match phrasing::small_talk(all) {
        _ if !all.contains(char::is_alphanumeric) => return said(TaskKind::Help, 1.0, "nothing"),
        Some(Message::Greeting | Message::Thanks | Message::Farewell | Message::Help) => {
            return said(TaskKind::Help, 0.95, "talk");
        }
        Some(Message::Assent | Message::Dissent) => return said(TaskKind::Help, 0.6, "talk"),
        _ => {}
    }
    let (ruled, heard) = ruled(reading);
    // The classifier was trained on prose, not on command lines.
    if ruled.rule == "command" {
        return ruled;
    }
    // Vague words occur in many requests, and together they would make the classifier too confident.
    if ruled.rule == "nothing" && word_lists::are_vague(reading.normal()) {
        return ruled;
    }
    let likeness = classifier::of(reading, &ruled, &heard);
    together(ruled, &likeness, reading)
}

fn ruled(reading: &NormalizedRequest) -> (RouteVerdict, Vec<Option<&'static str>>) {
    let is_line = || matches!(literal_command::order(reading.all(), &|_| false), Literal::Line(_));
    if command::is_typed(reading.all()) || is_line() {
        let range = 0..reading.normal().len();
        return (
            RouteVerdict { kind: TaskKind::Run, confidence: 0.9, rule: "command", range, held: false },
            Vec::new(),
        );
    }
    combine_clauses(reading)
}

/// Averages the rules, weighted by their confidence, with the classifier.
fn together(ruled: RouteVerdict, likeness: &KindScores, reading: &NormalizedRequest) -> RouteVerdict {
    let weight = RULES_WEIGH * ((ruled.confidence - UNSURE_RULE) / (SURE_RULE - UNSURE_RULE)).clamp(0.0, 1.0);
    let share = |place: usize, likely: f32| {
        let by_rule = if classifier::kind_at(place) == ruled.kind { weight } else { 0.0 };
        (likely + by_rule) / (1.0 + weight)
    };
    let shares = likeness.iter().enumerate().map(|(place, likely)| (classifier::kind_at(place), share(place, *likely)));
    let allowed = shares.filter(|(kind, _)| !(ruled.held && kind.acts()));
    let Some((kind, confidence)) = allowed.max_by(|one, other| one.1.total_cmp(&other.1)) else { return ruled };
    let confidence = confidence.min(SUREST);
    // A wrong action costs more than a wrong explanation.
    let confidence =
        if kind.acts() && (kind != ruled.kind || weight == 0.0) { confidence * ACTS_BY_LIKENESS } else { confidence };
    if kind == ruled.kind {
        return RouteVerdict { confidence, ..ruled };
    }
    // The clause that the rules chose means another kind.
    let range = match reading.clauses.as_slice() {
        [only] => only.range.clone(),
        _ => 0..reading.normal().len(),
    };
    RouteVerdict { kind, confidence, rule: "likeness", range, held: ruled.held }
}

/// The features of a request and their values, for training.
pub fn traits(request: &str) -> BTreeMap<String, f32> {
    let reading = NormalizedRequest::of(request);
    let (ruled, heard) = ruled(&reading);
    let mut traits = BTreeMap::new();
    classifier::each(&reading, &ruled, &heard, &mut |parts, much| {
        traits.insert(parts.concat(), much);
    });
    traits
}

/// Turns a guess below the threshold into a plan, and drops a command that cannot be proposed as written.
fn checked(mut route: Route, options: &RouteOptions<'_>) -> Route {
    let Route { intent, scope, notes, .. } = &mut route;
    intent.params.files.truncate(params::MAX_FILES);
    if let Some(cmd) = intent.params.cmd.take_if(|cmd| !literal_command::is_whole(cmd)) {
        notes.push("not a command that could be proposed".to_owned());
        intent.params.written = params::unclear(&cmd);
    }
    if intent.confidence < options.threshold {
        *scope = TaskScope::Plan;
        // A plan can describe a change; anything else is only explained.
        if intent.kind != TaskKind::Change {
            let question = intent.params.question.take().or(intent.params.change_request.take());
            let question = question.or(intent.params.query.take()).or(intent.params.cmd.take());
            let question = question.or_else(|| match intent.params.written.take().map(|written| *written) {
                Some(UnparsedCommand::Unclear(words)) => Some(words),
                Some(UnparsedCommand::Rest(_) | UnparsedCommand::Piped) | None => None,
            });
            intent.params =
                IntentParams { files: std::mem::take(&mut intent.params.files), question, ..IntentParams::default() };
            intent.kind = TaskKind::Explain;
        }
    }
    route
}
