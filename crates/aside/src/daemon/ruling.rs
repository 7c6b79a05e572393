//! Decides whether a line is meant for the shell: applies the user's overrides (prefixes, settings, marked lines), then core's classifier.
//! Asks no model and looks nothing up.

use aside_core::detect::{self, After, Before, End, Facts, First, forced};
use aside_core::line::Dialect;
use aside_core::names::Names;
use aside_core::proto::talk::{Detect, Phase, Ruling};
use aside_core::spec::Specs;
use aside_core::world::Nothing;

use crate::config;
use crate::store::marks::Marks;

/// Used by the daemon and by `aside detect`.
pub fn rule(asked: &Detect, facts: &Facts<'_>, marks: &Marks, settings: &config::Detect) -> Ruling {
    let line = asked.line.trim();
    if forced(line, &settings.agent_prefix) {
        return core(asked, facts);
    }
    let prefix = &settings.shell_prefix;
    if !prefix.is_empty() && line.starts_with(prefix.as_str()) {
        return shell(asked.phase, format!("it begins with {prefix} (detect.shell_prefix)"));
    }
    if marks.has(&asked.line) {
        return shell(asked.phase, "you said that it is no sentence (aside detect wrong)".to_owned());
    }
    core(asked, facts)
}

/// Loads the classifier's word lists in advance, which takes as long as a thousand lines.
pub fn prepare() {
    let (names, specs) = (Names::default(), Specs::default());
    let facts = Facts {
        cwd: "/",
        dialect: Dialect::default(),
        first: First::Program,
        world: &Nothing,
        names: &names,
        specs: &specs,
        agent_prefix: "",
    };
    let line = "make sure that it is read";
    detect::before(line, &facts);
    detect::after(line, &End { exit: 2, unreadable: false, output: Some("unknown command") }, &facts);
}

/// The verdict that leaves the line to the shell.
pub fn shell(phase: Phase, reason: String) -> Ruling {
    let verdict = match phase {
        Phase::Before => Before::Shell.name(),
        Phase::After => After::Nothing.name(),
    };
    Ruling { verdict: verdict.to_owned(), reason }
}

fn core(asked: &Detect, facts: &Facts<'_>) -> Ruling {
    let (verdict, reason) = match asked.phase {
        Phase::Before => {
            let ruling = detect::before(&asked.line, facts);
            (ruling.verdict.name(), ruling.reason)
        }
        Phase::After => {
            let output = Some(asked.output.as_str()).filter(|output| !output.is_empty());
            let end = End { exit: asked.exit, unreadable: asked.unreadable, output };
            let ruling = detect::after(&asked.line, &end, facts);
            (ruling.verdict.name(), ruling.reason)
        }
    };
    Ruling { verdict: verdict.to_owned(), reason }
}
