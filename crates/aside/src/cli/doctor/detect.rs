//! Checks prose typed as commands: what becomes of it, how many lines there were, and whether the shell asks before it runs a line.

use crate::cli::doctor::facts::{Detect, Facts};
use crate::cli::doctor::report::Finding;
use crate::config::Reroute;

pub fn detect(facts: &Facts) -> Vec<Finding> {
    let mut findings = vec![mode(facts)];
    findings.push(noted(&facts.detect, facts.config.values.detect.log));
    if facts.config.values.detect.reroute != Reroute::Off {
        findings.extend(enter(facts));
    }
    findings
}

fn mode(facts: &Facts) -> Finding {
    match facts.config.values.detect.reroute {
        Reroute::Answer => Finding::ok("a sentence that is typed as a command is answered (detect.reroute)"),
        Reroute::Offer => {
            Finding::ok("for a sentence that is typed as a command an answer is offered (detect.reroute)")
        }
        Reroute::Off => {
            Finding::note("a sentence that is typed as a command is left to the shell: detect.reroute is off")
        }
    }
}

fn noted(Detect { rerouted, marked, problem }: &Detect, log: bool) -> Finding {
    if let Some(why) = problem {
        return Finding::note(format!("what was noted of sentences cannot be read: {why}"));
    }
    let lines = |number: usize| match number {
        0 => "no line".to_owned(),
        1 => "one line".to_owned(),
        _ => format!("{number} lines"),
    };
    let was = |number: usize| if number > 1 { "were" } else { "was" };
    let mut what = format!(
        "{} {} taken for a sentence, {} {} marked as none",
        lines(*rerouted),
        was(*rerouted),
        lines(*marked),
        was(*marked)
    );
    if !log {
        what.push_str("; none is noted any more (detect.log is false)");
    }
    Finding::ok(what)
}

/// `None` where the plugin does not report it. `bypassed` in zsh is reported with the shell: prose is recognized there all the same.
fn enter(facts: &Facts) -> Option<Finding> {
    let session = facts.session()?;
    let whose = match session.facts.lines().find_map(|line| line.strip_prefix("enter="))? {
        "" | "bypassed" => return None,
        "wrapped" | "ours" => {
            return Some(Finding::ok("Enter goes through Aside, so a sentence is known before it runs"));
        }
        "theirs" => "something else",
        other => other,
    };
    let what = format!("Enter goes to {whose}, so a sentence is known only when it has failed");
    Some(
        Finding::note(what)
            .advise(format!("load Aside last in {}'s rc file, after whatever binds Enter", session.shell)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::facts::{Answer, healthy};

    fn whats(facts: &Facts) -> Vec<String> {
        detect(facts).into_iter().map(|finding| finding.what).collect()
    }

    #[test]
    fn what_becomes_of_sentences_is_told_with_their_number() {
        let mut facts = healthy();
        facts.detect = Detect { rerouted: 1, marked: 0, problem: None };
        let expected = [
            "a sentence that is typed as a command is answered (detect.reroute)",
            "one line was taken for a sentence, no line was marked as none",
        ];
        assert_eq!(whats(&facts), expected);
        facts.config.values.detect.reroute = Reroute::Off;
        facts.config.values.detect.log = false;
        facts.detect = Detect { rerouted: 30, marked: 2, problem: None };
        let expected = [
            "a sentence that is typed as a command is left to the shell: detect.reroute is off",
            "30 lines were taken for a sentence, 2 lines were marked as none; none is noted any more (detect.log is false)",
        ];
        assert_eq!(whats(&facts), expected);
        facts.detect.problem = Some("no".to_owned());
        assert_eq!(whats(&facts)[1], "what was noted of sentences cannot be read: no");
    }

    #[test]
    fn whose_enter_it_is_is_told_where_the_shell_says_so() {
        let enter = |said: &str| {
            let mut facts = healthy();
            let Answer::Alive(status) = &mut facts.daemon.answer else { unreachable!("healthy") };
            status.sessions[0].facts = format!("keys=emacs\n{said}\nloaded after=");
            whats(&facts).get(2).cloned()
        };
        assert_eq!(enter("x=y"), None);
        let ours = "Enter goes through Aside, so a sentence is known before it runs";
        for said in ["enter=ours", "enter=wrapped"] {
            assert_eq!(enter(said).as_deref(), Some(ours), "{said}");
        }
        for (said, whose) in [("enter=ble.sh", "ble.sh"), ("enter=theirs", "something else")] {
            let what = format!("Enter goes to {whose}, so a sentence is known only when it has failed");
            assert_eq!(enter(said), Some(what));
        }
        assert_eq!(enter("enter=bypassed"), None, "the section about the shell tells it");
    }
}
