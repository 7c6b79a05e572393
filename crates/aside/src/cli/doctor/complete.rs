//! Checks the sources of candidates besides the history: the user's own specs, help texts of programs, a model.

use aside_proto::{ModelLatency, ModelStatus, Notice};

use crate::cli::doctor::facts::{Answer, Facts, Specs};
use crate::cli::doctor::report::Finding;
use crate::cli::span;
use crate::daemon::reader::NOTICE;
use crate::provider::local::installed_models::size;
use crate::provider::local::{PROGRAM, Unavailable};

/// The prefix of notices about the model.
const MODEL: &str = "the model: ";
/// Cap on the listed problems of specs.
const MAX_PROBLEMS: usize = 8;

pub fn complete(facts: &Facts) -> Vec<Finding> {
    if !facts.config.values.complete.enabled {
        return vec![Finding::note("off: complete.enabled is false")];
    }
    let mut findings = specs(&facts.specs);
    findings.push(learning(facts));
    findings.extend(model(facts));
    findings.push(reader(facts));
    findings
}

/// The small model that travels with us, and its last trouble.
fn reader(facts: &Facts) -> Finding {
    const BRINGS: &str = "`aside reader get` installs it: requests in other words and other languages are understood";
    if !facts.config.values.llm.reader {
        return Finding::ok("the reader is off (llm.reader)");
    }
    if let Err(why) = &facts.reader {
        return Finding::note(format!("the reader, our small model: {why}")).advise(BRINGS);
    }
    let Answer::Alive(status) = &facts.daemon.answer else { return Finding::ok("the reader is here") };
    match status.notices.iter().rfind(|notice| notice.text.starts_with(NOTICE)) {
        Some(Notice { s_ago, text }) => {
            let what = format!("the reader failed {} ago: {}", span(*s_ago), text.trim_start_matches(NOTICE));
            Finding::note(what).advise("`aside reader` says whether its file is sound; it may be well by now")
        }
        None => Finding::ok("the reader is here: it answers requests that no rule knows, on this machine"),
    }
}

/// Whether this section reports a notice of the daemon, so that it is not listed twice.
pub fn is_told(notice: &Notice, facts: &Facts) -> bool {
    facts.specs.problems.contains(&notice.text) || notice.text.starts_with(MODEL) || notice.text.starts_with(NOTICE)
}

fn specs(Specs { directory, count, problems }: &Specs) -> Vec<Finding> {
    let directory = directory.display();
    let mut findings = match count {
        0 => Vec::new(),
        1 => vec![Finding::ok(format!("one spec of your own in {directory}"))],
        many => vec![Finding::ok(format!("{many} specs of your own in {directory}"))],
    };
    let shown = problems.iter().take(MAX_PROBLEMS);
    findings.extend(shown.map(|problem| Finding::fix(problem, "`aside help specs` says how they are written")));
    let left = problems.len().saturating_sub(MAX_PROBLEMS);
    findings.extend((left > 0).then(|| Finding::note(format!("{left} more problems are in {directory}"))));
    findings
}

fn learning(facts: &Facts) -> Finding {
    match (facts.config.values.complete.learn, &facts.no_sandbox) {
        (false, _) => Finding::ok("no program is asked for its --help (complete.learn is false)"),
        (true, None) => Finding::ok("programs that you run are asked for their --help, in a sandbox"),
        (true, Some(why)) => Finding::note(format!("no program is asked for its --help: {why}"))
            .advise("everything else works; a spec of your own tells what a command takes"),
    }
}

fn model(facts: &Facts) -> Vec<Finding> {
    if let Some(missing) = facts.config.values.llm.unused() {
        return vec![
            Finding::note(format!("{missing} is set, but no model is asked: llm.provider is embedded"))
                .advise("aside config set llm.provider openai, or local for llama.cpp"),
        ];
    }
    if !facts.config.values.llm.asks_somebody() {
        return vec![Finding::ok("no model is asked (llm.provider is embedded): nothing leaves this machine")];
    }
    let mut findings = vec![Finding::ok("a model is asked (llm.provider); `aside help models` says what it is told")];
    if !facts.lacks.is_empty() {
        findings.extend(facts.lacks.iter().map(lack));
        return findings;
    }
    let Answer::Alive(status) = &facts.daemon.answer else { return findings };
    findings.extend(status.models.iter().map(server));
    let last = status.notices.iter().rfind(|notice| notice.text.starts_with(MODEL));
    findings.extend(last.map(|Notice { s_ago, text }| {
        let what = format!("{} ago it failed: {}", span(*s_ago), text.trim_start_matches(MODEL));
        let is_ours = status.models.iter().all(|model| model.provider == "local");
        let advice = if is_ours {
            "see model.log beside the log of the daemon, and [llm.local]; it may be well by now"
        } else {
            "see llm.base_url, llm.model and llm.api_key_env; it may be well by now"
        };
        Finding::note(what).advise(advice)
    }));
    findings
}

/// What the managed model server lacks.
fn lack(lack: &Unavailable) -> Finding {
    match lack {
        Unavailable::Model { name, bytes: Some(bytes) } => Finding::fix(
            format!("the model {name} is not here; what is known here goes on without it"),
            format!("get it ({}) with: aside model pull {name}", size(*bytes)),
        ),
        Unavailable::Model { name, bytes: None } => Finding::fix(
            format!("the model {name} is not here; what is known here goes on without it"),
            "`aside model list` shows which there are, `aside model use` names one",
        ),
        Unavailable::Program { named } if named.is_empty() => Finding::fix(
            format!("{PROGRAM} is not on PATH, so no model answers here"),
            "install llama.cpp, or set llm.local.server to where it is",
        ),
        Unavailable::Program { named } => {
            Finding::fix(format!("llm.local.server: {named} is no program that can be run"), "set it to where it is")
        }
    }
}

/// The state of a model server, and its response times.
fn server(ModelStatus { provider, address, state, rests_s, uses }: &ModelStatus) -> Finding {
    let uses: Vec<String> = uses
        .iter()
        .map(|ModelLatency { usage, model, average_ms }| {
            let model = if model.is_empty() { String::new() } else { format!(" by {model}") };
            let average = average_ms.map(|ms| format!(" in {ms} ms on average")).unwrap_or_default();
            format!("{usage}{model}{average}")
        })
        .collect();
    let who = format!("{provider} at {address}: {}", uses.join(", "));
    match state.as_str() {
        "resting" => Finding::note(format!("{who}; left alone for another {}", span(*rests_s)))
            .advise("it failed too often, or wants to be left alone; what is known here goes on without it"),
        "doubtful" => Finding::note(format!("{who}; it failed, and the next question finds out")),
        _ => Finding::ok(who),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::facts::healthy;
    use crate::config::Provider;

    #[test]
    fn by_default_programs_are_asked_and_models_are_not() {
        let expected = [
            Finding::ok("programs that you run are asked for their --help, in a sandbox"),
            Finding::ok("no model is asked (llm.provider is embedded): nothing leaves this machine"),
            Finding::ok("the reader is here: it answers requests that no rule knows, on this machine"),
        ];
        assert_eq!(complete(&healthy()), expected);
    }

    #[test]
    fn without_a_sandbox_nothing_is_learnt_and_it_is_said_why() {
        let mut facts = healthy();
        facts.no_sandbox = Some("the kernel is old".into());
        assert_eq!(complete(&facts)[0].what, "no program is asked for its --help: the kernel is old");
        facts.config.values.complete.learn = false;
        assert_eq!(learning(&facts), Finding::ok("no program is asked for its --help (complete.learn is false)"));
    }

    #[test]
    fn specs_are_counted_and_their_problems_listed() {
        let mut facts = healthy();
        facts.specs.count = 2;
        facts.specs.problems = vec!["/specs/frob.toml:3: no".into(); 10];
        let found = complete(&facts);
        assert_eq!(found[0], Finding::ok("2 specs of your own in /home/me/.config/aside/specs"));
        assert_eq!(found[1], Finding::fix("/specs/frob.toml:3: no", "`aside help specs` says how they are written"));
        assert_eq!(found[9], Finding::note("2 more problems are in /home/me/.config/aside/specs"));
    }

    #[test]
    fn the_last_trouble_of_a_model_is_told_once() {
        let mut facts = healthy();
        let Answer::Alive(status) = &mut facts.daemon.answer else { unreachable!("healthy") };
        let notice = |text: &str| Notice { s_ago: 5, text: text.into() };
        status.notices = vec![notice("the model: it hung up"), notice("the model: too slow"), notice("else")];
        let told: Vec<bool> = status.notices.clone().iter().map(|notice| is_told(notice, &facts)).collect();
        assert_eq!(told, [true, true, false]);
        facts.config.values.llm.provider = Provider::Openai;
        assert_eq!(model(&facts)[1].what, "5 s ago it failed: too slow");
    }

    #[test]
    fn how_a_server_is_can_be_read() {
        let one = ModelLatency { usage: "complete".into(), model: "small".into(), average_ms: Some(320) };
        let two = ModelLatency { usage: "translate".into(), ..ModelLatency::default() };
        let told = |state: &str| {
            let (provider, address) = ("openai".into(), "http://127.0.0.1:1/v1".into());
            let uses = vec![one.clone(), two.clone()];
            server(&ModelStatus { provider, address, state: state.into(), rests_s: 22, uses }).what
        };
        let who = "openai at http://127.0.0.1:1/v1: complete by small in 320 ms on average, translate";
        assert_eq!(told("well"), who);
        assert_eq!(told("resting"), format!("{who}; left alone for another 22 s"));
        assert_eq!(told("doubtful"), format!("{who}; it failed, and the next question finds out"));
    }

    #[test]
    fn what_a_model_of_our_own_lacks_is_told_with_one_thing_to_do() {
        let mut facts = healthy();
        facts.config.values.llm.provider = Provider::Local;
        let told = |facts: &Facts| {
            let found = model(facts).pop().unwrap();
            format!("{}: {}", found.what, found.advice.unwrap_or_default())
        };
        facts.lacks = vec![Unavailable::Model { name: "m".into(), bytes: Some(429_000_000) }];
        assert!(told(&facts).ends_with(": get it (429 MB) with: aside model pull m"), "{}", told(&facts));
        facts.lacks = vec![Unavailable::Program { named: String::new() }];
        assert!(told(&facts).starts_with("llama-server is not on PATH"), "{}", told(&facts));
        facts.lacks = vec![Unavailable::Program { named: "/x".into() }];
        assert!(told(&facts).starts_with("llm.local.server: /x is no program"), "{}", told(&facts));
    }

    #[test]
    fn what_is_off_is_said_to_be_off() {
        let mut facts = healthy();
        facts.config.values.complete.enabled = false;
        assert_eq!(complete(&facts), [Finding::note("off: complete.enabled is false")]);
    }
}
