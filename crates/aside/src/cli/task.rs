//! `aside task`: what becomes of a request in plain words. Today only what is wanted is said; nothing is done.

use aside_core::task::route::{Options, Route, Routed, Scope, route};
use clap::Subcommand;
use serde::Serialize;

use crate::cli::{Exit, one_line, print};
use crate::config::Config;
use crate::paths::Paths;

/// Say what a request in plain words wants
///
/// Nothing is done and nobody is asked.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  aside task route -- why is the build slow
  aside task route --json -- remove unused imports in src/main.rs")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Say what a request wants, and do nothing
    Route {
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// The request
        #[arg(required = true, trailing_var_arg = true, value_name = "WORDS")]
        words: Vec<String>,
    },
}

/// The intent as the document spells it, and what has to happen before anything is carried out.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    intent: &'a aside_core::task::route::intent::Intent,
    requires: aside_core::task::route::intent::Requirement,
    /// `full`, or `plan`: too unsure for more than words.
    scope: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let Command::Route { json, words } = args.command;
    // What is wrong with the file, `aside doctor` tells.
    let config = Config::load(&Paths::from_env()?.config_file).unwrap_or_default();
    let options = Options { threshold: config.task.confidence_threshold, ..Options::default() };
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
    Ok(serde_json::to_string(&told)? + "\n")
}

fn said(route: &Route) -> String {
    let intent = &route.intent;
    let mut text = format!("{} {:.2}  {}\n", intent.kind.name(), intent.confidence, one_line(&intent.summary));
    if route.scope == Scope::Plan {
        text.push_str("not sure enough for more than a plan\n");
    }
    for note in &route.notes {
        text.push_str(&format!("{}\n", one_line(note)));
    }
    text
}

fn name(scope: Scope) -> &'static str {
    match scope {
        Scope::Full => "full",
        Scope::Plan => "plan",
    }
}
