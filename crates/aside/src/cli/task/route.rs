//! `aside task route`: prints how a request is classified. Does nothing and asks no model.

use aside_task::route::{Route, RouteOptions, Routed, TaskScope, route};
use serde::Serialize;

use crate::cli::{Exit, one_line, print};
use crate::config::Config;
use crate::paths::Paths;

/// The intent in its wire spelling, and what is required before anything runs.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    intent: &'a aside_task::route::intent::Intent,
    requires: aside_task::route::intent::ApprovalRequirement,
    /// `full`, or `plan`: too uncertain for more than an answer in words.
    scope: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
}

pub fn run(words: &[String], json: bool) -> anyhow::Result<Exit> {
    // Ignores errors in the file: `aside doctor` reports them.
    let config = Config::load(&Paths::from_env()?.config_file).unwrap_or_default();
    let options = RouteOptions { threshold: config.task.confidence_threshold, ..RouteOptions::default() };
    match route(&words.join(" "), &options) {
        Routed::Task(route) => print(&if json { told(&route)? } else { said(&route) })?,
        Routed::Apply { id } if json => print(&format!("{}\n", serde_json::json!({ "apply": id })))?,
        Routed::Apply { id } => print(&format!("apply {}\n", one_line(&id)))?,
    }
    Ok(Exit::Done)
}

fn told(route: &Route) -> anyhow::Result<String> {
    let Route { intent, scope, notes, .. } = route;
    let told = Told { intent, requires: route.requires(), scope: name(*scope), notes };
    crate::cli::json_line(&told)
}

fn said(route: &Route) -> String {
    let intent = &route.intent;
    let mut text = format!("{} {:.2}  {}\n", intent.kind.name(), intent.confidence, one_line(&intent.summary));
    if route.scope == TaskScope::Plan {
        text.push_str("a plan only: it is not clear what is wanted\n");
    }
    for note in &route.notes {
        text.push_str(&format!("{}\n", one_line(note)));
    }
    text
}

fn name(scope: TaskScope) -> &'static str {
    match scope {
        TaskScope::Full => "full",
        TaskScope::Plan => "plan",
    }
}
