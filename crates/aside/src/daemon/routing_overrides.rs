//! Decides whether a line is meant for the shell: applies the user's overrides (prefixes, settings, marked lines), then core's classifier.
//! Asks no model and looks nothing up.

use aside_commands::shell_names::ShellNames;
use aside_commands::spec::Specs;
use aside_commands::world::EmptyWorld;
use aside_core::detect::{self, DetectContext, FailureVerdict, FirstWord, PreRunVerdict, RunEnd, has_agent_prefix};
use aside_proto::prose::{DetectParams, DetectPhase, DetectResult};
use shell_line::Dialect;

use crate::config;
use crate::store::marked_commands::MarkedCommands;

/// Used by the daemon and by `aside detect`.
pub fn classify(
    asked: &DetectParams,
    facts: &DetectContext<'_>,
    marks: &MarkedCommands,
    settings: &config::Detect,
) -> DetectResult {
    let line = asked.line.trim();
    if has_agent_prefix(line, &settings.agent_prefix) {
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
    let (names, specs) = (ShellNames::default(), Specs::default());
    let facts = DetectContext {
        cwd: "/",
        dialect: Dialect::default(),
        first: FirstWord::Program,
        world: &EmptyWorld,
        names: &names,
        specs: &specs,
        agent_prefix: "",
    };
    let line = "make sure that it is read";
    detect::before_run(line, &facts);
    detect::after_failure(line, &RunEnd { exit: 2, unreadable: false, output: Some("unknown command") }, &facts);
}

/// The verdict that leaves the line to the shell.
pub fn shell(phase: DetectPhase, reason: String) -> DetectResult {
    let verdict = match phase {
        DetectPhase::Before => PreRunVerdict::Shell.name(),
        DetectPhase::After => FailureVerdict::Nothing.name(),
    };
    DetectResult { verdict: verdict.to_owned(), reason }
}

fn core(asked: &DetectParams, facts: &DetectContext<'_>) -> DetectResult {
    let (verdict, reason) = match asked.phase {
        DetectPhase::Before => {
            let ruling = detect::before_run(&asked.line, facts);
            (ruling.verdict.name(), ruling.reason)
        }
        DetectPhase::After => {
            let output = Some(asked.output.as_str()).filter(|output| !output.is_empty());
            let end = RunEnd { exit: asked.exit, unreadable: asked.unreadable, output };
            let ruling = detect::after_failure(&asked.line, &end, facts);
            (ruling.verdict.name(), ruling.reason)
        }
    };
    DetectResult { verdict: verdict.to_owned(), reason }
}
