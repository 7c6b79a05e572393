//! Where candidates come from besides the history: the person's own specs, what programs say about themselves, a model.

use aside_core::proto::Notice;

use crate::cli::doctor::facts::{Answer, Facts, Specs};
use crate::cli::doctor::report::Finding;
use crate::cli::span;
use crate::config::Provider;

/// How a notice about the model begins.
const MODEL: &str = "the model: ";
/// Problems of specs that are listed.
const MAX_PROBLEMS: usize = 8;

pub fn complete(facts: &Facts) -> Vec<Finding> {
    if !facts.config.values.complete.enabled {
        return vec![Finding::note("off: complete.enabled is false")];
    }
    let mut findings = specs(&facts.specs);
    findings.push(learning(facts));
    findings.extend(model(facts));
    findings
}

/// Whether a notice of the daemon is told here, and not among the others.
pub fn is_told(notice: &Notice, facts: &Facts) -> bool {
    facts.specs.problems.contains(&notice.text) || notice.text.starts_with(MODEL)
}

fn specs(Specs { directory, count, problems }: &Specs) -> Vec<Finding> {
    let directory = directory.display();
    let mut findings = match count {
        0 => Vec::new(),
        1 => vec![Finding::ok(format!("one spec of your own in {directory}"))],
        many => vec![Finding::ok(format!("{many} specs of your own in {directory}"))],
    };
    let shown = problems.iter().take(MAX_PROBLEMS);
    findings.extend(shown.map(|problem| Finding::fix(problem, "docs/specs.md says how they are written")));
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
    match facts.config.values.llm.provider {
        Provider::None => vec![Finding::ok("no model is asked (llm.provider is none): nothing leaves this machine")],
        Provider::Openai => {
            let asked = Finding::ok("a model is asked (llm.provider); docs/model.md says what it is told");
            let Answer::Alive(status) = &facts.daemon.answer else { return vec![asked] };
            let last = status.notices.iter().rfind(|notice| notice.text.starts_with(MODEL));
            let trouble = last.map(|Notice { s_ago, text }| {
                let what = format!("{} ago it failed: {}", span(*s_ago), text.trim_start_matches(MODEL));
                Finding::note(what).advise("see llm.base_url, llm.model and llm.api_key_env; it may be well by now")
            });
            [asked].into_iter().chain(trouble).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::facts::healthy;

    #[test]
    fn by_default_programs_are_asked_and_models_are_not() {
        let expected = [
            Finding::ok("programs that you run are asked for their --help, in a sandbox"),
            Finding::ok("no model is asked (llm.provider is none): nothing leaves this machine"),
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
        assert_eq!(found[1], Finding::fix("/specs/frob.toml:3: no", "docs/specs.md says how they are written"));
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
    fn what_is_off_is_said_to_be_off() {
        let mut facts = healthy();
        facts.config.values.complete.enabled = false;
        assert_eq!(complete(&facts), [Finding::note("off: complete.enabled is false")]);
    }
}
