//! What a request in plain words wants: one of eight kinds, how sure that is, and what belongs to it. Words go through three
//! gates: shortcuts, rules about the shape of each clause, and, where the settings say so, a model whose word is checked. Does
//! nothing, and proposes nothing: that what acts needs a person's approval follows from the kind, never from the words.

pub mod command;
pub mod intent;
pub mod likeness;
pub mod literal;
pub mod model;
pub mod object;
pub mod params;
mod reading;
mod rule;
mod shortcut;
mod weigh;
mod words;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::agent::sentence;
use crate::agent::tongue::Phrase;
use crate::mood::Mood;
use intent::{Intent, Kind, Params, Requirement, Written};
use likeness::Likeness;
use literal::Literal;
use reading::Reading;
use shortcut::Shortcut;
use weigh::{Verdict, weigh};

/// What a rule that is sure weighs against what the request is like, which weighs one. Found with the requests that are
/// there to learn from, and the least with which plain ones are read as well as by the rules alone.
const RULES_WEIGH: f32 = 0.25;
const SURE_RULE: f32 = 0.9;
/// The word of a rule that is no surer than this has no weight of its own.
const UNSURE_RULE: f32 = 0.6;

/// What is left of the confidence that something is to act when no rule is sure of it.
const ACTS_BY_LIKENESS: f32 = 0.8;

/// Words are never surer than this: of those that are as sure as can be, so many are right.
const SUREST: f32 = 0.97;

/// What the settings say.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// What a message to the assistant begins with, where others read along; nothing else has the shortcuts.
    pub prefix: &'a str,
    /// From here on a guess is acted upon.
    pub threshold: f32,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { prefix: "@dev", threshold: 0.55 }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Routed {
    Task(Route),
    /// `@dev apply ID`: a proposal that is there already, for the gate.
    Apply {
        id: String,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    pub intent: Intent,
    pub scope: Scope,
    pub by: By,
    /// What was found wrong with it, for people.
    pub notes: Vec<String>,
    /// The person said that nothing is to be changed or run.
    pub held: bool,
}

/// How far a task may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// As far as its kind goes.
    Full,
    /// A plan in words: no diff, no command.
    Plan,
}

/// Who said so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Shortcut,
    /// The rule by this name.
    Rule(&'static str),
    Model,
}

impl Route {
    /// What has to happen before anything is carried out.
    pub fn requires(&self) -> Requirement {
        match self.scope {
            Scope::Full => self.intent.kind.requires(),
            Scope::Plan => Requirement::None,
        }
    }
}

pub fn route(request: &str, options: &Options<'_>) -> Routed {
    match shortcut::read(request, options.prefix) {
        Shortcut::Words(words) => Routed::Task(words_route(words, options)),
        Shortcut::Apply(id) => Routed::Apply { id: id.to_owned() },
        Shortcut::Help => Routed::Task(short(Kind::Help, "", Params::default(), Scope::Full)),
        Shortcut::Status => Routed::Task(short(Kind::Status, "", Params::default(), Scope::Full)),
        Shortcut::Plan(words) => Routed::Task(short(Kind::Change, words, asked_change(words), Scope::Plan)),
        Shortcut::Patch(words) => Routed::Task(short(Kind::Change, words, asked_change(words), Scope::Full)),
        Shortcut::Test(cmd) => {
            let query = cmd.is_none().then(|| "tests".to_owned());
            let params = Params { cmd, query, ..Params::default() };
            Routed::Task(checked(short(Kind::Run, "the tests", params, Scope::Full), options))
        }
    }
}

/// The task that `@dev apply ID` names; known without a look at any rule.
pub fn applies<'a>(request: &'a str, options: &Options<'_>) -> Option<&'a str> {
    match shortcut::read(request, options.prefix) {
        Shortcut::Apply(id) => Some(id),
        _ => None,
    }
}

fn asked_change(words: &str) -> Params {
    let reading = Reading::of(words);
    let change_request = Some(params::cut(reading.all(), params::MAX_WORDS));
    Params { files: params::files(&reading), change_request, ..Params::default() }
}

fn short(kind: Kind, words: &str, params: Params, scope: Scope) -> Route {
    let summary = params::summary(kind, &params, words);
    let intent = Intent { kind, confidence: 1.0, summary, params };
    Route { intent, scope, by: By::Shortcut, notes: Vec::new(), held: false }
}

fn words_route(request: &str, options: &Options<'_>) -> Route {
    let reading = Reading::of(request);
    let mut verdict = verdict(&reading);
    if is_only_told(request, &verdict) {
        verdict = Verdict { kind: Kind::Explain, rule: "told", ..verdict };
    }
    // Of a guess only the words are kept, whatever it was that was guessed.
    if verdict.confidence < options.threshold && verdict.kind != Kind::Change {
        verdict.kind = Kind::Explain;
    }
    let params = match verdict.rule {
        "command" => params::line(&reading),
        _ => params::params(&reading, &verdict),
    };
    let Verdict { kind, confidence, rule, range, held } = verdict;
    let words = Some(reading.raw(&range).trim()).filter(|words| !words.is_empty()).unwrap_or(reading.all());
    let summary = params::summary(kind, &params, words);
    let intent = Intent { kind, confidence, summary, params };
    checked(Route { intent, scope: Scope::Full, by: By::Rule(rule), notes: Vec::new(), held }, options)
}

/// Whether something would be run that was not asked for: `did the deploy script run`, `don't run the tests`, `git reset is what?`. A
/// line for the shell may have words like a sentence, and has signs that no sentence has.
fn is_only_told(request: &str, verdict: &Verdict) -> bool {
    let is_line = verdict.rule == "command";
    // Of changes only those that no rule has heard: `who deleted the login form`.
    if verdict.kind == Kind::Change {
        return verdict.rule == "likeness" && Mood::of(request).is_past();
    }
    if verdict.kind != Kind::Run || is_line && request.contains(['|', '&', ';', '>', '<', '$']) {
        return false;
    }
    let mood = Mood::of(request);
    mood.denies() || is_line && mood.asks_or_jests()
}

fn verdict(reading: &Reading) -> Verdict {
    let all = reading.all();
    let whole = 0..reading.normal().len();
    let said = |kind, confidence, rule| Verdict { kind, confidence, rule, range: whole.clone(), held: false };
    match sentence::talk(all) {
        _ if !all.contains(char::is_alphanumeric) => return said(Kind::Help, 1.0, "nothing"),
        Some(Phrase::Greeting | Phrase::Thanks | Phrase::Farewell | Phrase::Help) => {
            return said(Kind::Help, 0.95, "talk");
        }
        Some(Phrase::Assent | Phrase::Dissent) => return said(Kind::Help, 0.6, "talk"),
        _ => {}
    }
    let (ruled, heard) = ruled(reading);
    // What is a line for the shell as it stands is like nothing that people say.
    if ruled.rule == "command" {
        return ruled;
    }
    // Small words are like those of many requests, and together they would be sure of something.
    if ruled.rule == "nothing" && words::are_vague(reading.normal()) {
        return ruled;
    }
    let likeness = likeness::of(reading, &ruled, &heard);
    together(ruled, &likeness, reading)
}

fn ruled(reading: &Reading) -> (Verdict, Vec<Option<&'static str>>) {
    let is_line = || matches!(literal::order(reading.all(), &|_| false), Literal::Line(_));
    if command::is_typed(reading.all()) || is_line() {
        let range = 0..reading.normal().len();
        return (Verdict { kind: Kind::Run, confidence: 0.9, rule: "command", range, held: false }, Vec::new());
    }
    weigh(reading)
}

/// What the rules say has a weight by how sure they are, and what the request is like has one of its own.
fn together(ruled: Verdict, likeness: &Likeness, reading: &Reading) -> Verdict {
    let weight = RULES_WEIGH * ((ruled.confidence - UNSURE_RULE) / (SURE_RULE - UNSURE_RULE)).clamp(0.0, 1.0);
    let share = |place: usize, likely: f32| {
        let by_rule = if likeness::kind_at(place) == ruled.kind { weight } else { 0.0 };
        (likely + by_rule) / (1.0 + weight)
    };
    let shares = likeness.iter().enumerate().map(|(place, likely)| (likeness::kind_at(place), share(place, *likely)));
    let allowed = shares.filter(|(kind, _)| !(ruled.held && kind.acts()));
    let Some((kind, confidence)) = allowed.max_by(|one, other| one.1.total_cmp(&other.1)) else { return ruled };
    let confidence = confidence.min(SUREST);
    // What would act is the dearer mistake.
    let confidence =
        if kind.acts() && (kind != ruled.kind || weight == 0.0) { confidence * ACTS_BY_LIKENESS } else { confidence };
    if kind == ruled.kind {
        return Verdict { confidence, ..ruled };
    }
    // The clause on which the rules went is one that says something else.
    let range = match reading.clauses.as_slice() {
        [only] => only.range.clone(),
        _ => 0..reading.normal().len(),
    };
    Verdict { kind, confidence, rule: "likeness", range, held: ruled.held }
}

/// What a request shows, and how much each counts: for who learns from requests of which the kind is told.
pub fn traits(request: &str) -> BTreeMap<String, f32> {
    let reading = Reading::of(request);
    let (ruled, heard) = ruled(&reading);
    let mut traits = BTreeMap::new();
    likeness::each(&reading, &ruled, &heard, &mut |parts, much| {
        traits.insert(parts.concat(), much);
    });
    traits
}

/// A guess below the threshold becomes a plan, and a command that could not be proposed as it was written is none.
fn checked(mut route: Route, options: &Options<'_>) -> Route {
    let Route { intent, scope, notes, .. } = &mut route;
    intent.params.files.truncate(params::MAX_FILES);
    if let Some(cmd) = intent.params.cmd.take_if(|cmd| !literal::is_whole(cmd)) {
        notes.push("not a command that could be proposed".to_owned());
        intent.params.written = params::unclear(&cmd);
    }
    if intent.confidence < options.threshold {
        *scope = Scope::Plan;
        // What would be changed can be told in a plan; anything else is at best explained.
        if intent.kind != Kind::Change {
            let question = intent.params.question.take().or(intent.params.change_request.take());
            let question = question.or(intent.params.query.take()).or(intent.params.cmd.take());
            let question = question.or_else(|| match intent.params.written.take().map(|written| *written) {
                Some(Written::Unclear(words)) => Some(words),
                Some(Written::Rest(_) | Written::Piped) | None => None,
            });
            intent.params = Params { files: std::mem::take(&mut intent.params.files), question, ..Params::default() };
            intent.kind = Kind::Explain;
        }
    }
    route
}
