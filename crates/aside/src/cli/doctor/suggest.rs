//! Checks next-command suggestions: whether outputs are captured, in this shell and in others, and what to do if not.

use aside_proto::SessionStatus;

use crate::cli::doctor::facts::{Answer, Facts};
use crate::cli::doctor::report::Finding;
use crate::config::Capture;

const OUTPUTS: &str = "outputs";

pub fn suggest(facts: &Facts) -> Vec<Finding> {
    let suggest = &facts.config.values.suggest;
    if !suggest.enabled {
        let off = Finding::note("the next command is not suggested: suggest.enabled is false");
        return vec![off.advise("`aside config set suggest.enabled true` turns it on")];
    }
    let mut findings = vec![Finding::ok(match suggest.model {
        true => "the next command is suggested, with a model where one is set and quick",
        false => "the next command is suggested, without a model (suggest.model)",
    })];
    let here = facts.session();
    findings.extend(here.and_then(|session| of_this(session, suggest.capture)));
    let Answer::Alive(status) = &facts.daemon.answer else { return findings };
    let is_other = |session: &&SessionStatus| here.is_none_or(|here| here.session != session.session);
    findings.extend(of_others(status.sessions.iter().filter(is_other)));
    findings
}

/// `None` for a shell that did not ask, since it could not be captured anyway, and for one in which Aside is off.
fn of_this(session: &SessionStatus, capture: Capture) -> Option<Finding> {
    let SessionStatus { shell, tier, tier_reason: reason, watched, .. } = session;
    Some(match (tier.as_str(), watched) {
        ("", _) => return None,
        ("off", _) if session.facts.lines().any(|fact| fact == "switched=off") => return None,
        ("tmux", true) => Finding::ok(format!("{OUTPUTS}: seen through tmux ({reason})")),
        ("pty", true) => Finding::ok(format!("{OUTPUTS}: seen through {reason}")),
        ("off", _) if capture == Capture::Off => Finding::ok(format!("{OUTPUTS}: not seen (suggest.capture is off)")),
        ("off", _) => Finding::note(format!("{OUTPUTS}: not seen ({reason})")).advise(advice(capture, shell)),
        (_, true) => Finding::note(format!("{OUTPUTS}: seen in a way that this version does not know ({tier})")),
        (_, false) => Finding::note(format!("{OUTPUTS}: not seen at the moment ({reason})"))
            .advise("the next command has the daemon look for it again; a new shell begins afresh"),
    })
}

fn advice(capture: Capture, shell: &str) -> String {
    let sees = match capture {
        Capture::Auto | Capture::Pty => format!("; `aside init {shell} --proxy` sees more"),
        Capture::Tmux | Capture::Off => String::new(),
    };
    format!("suggestions work from the line and the exit code{sees} (`aside help capture`)")
}

fn of_others<'a>(sessions: impl Iterator<Item = &'a SessionStatus>) -> Option<Finding> {
    let mut ways = [("through tmux", 0), ("through a terminal of ours", 0), ("not seen", 0)];
    for session in sessions.filter(|session| !session.tier.is_empty()) {
        let way = match (session.tier.as_str(), session.watched) {
            ("tmux", true) => 0,
            ("pty", true) => 1,
            (_, _) => 2,
        };
        ways[way].1 += 1;
    }
    let ways: Vec<String> =
        ways.iter().filter(|(_, count)| *count > 0).map(|(way, count)| format!("{count} {way}")).collect();
    (!ways.is_empty()).then(|| Finding::ok(format!("{OUTPUTS} of the other shells: {}", ways.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::facts::healthy;

    fn with(tier: &str, reason: &str, watched: bool) -> Facts {
        let mut facts = healthy();
        let Answer::Alive(status) = &mut facts.daemon.answer else { unreachable!("healthy") };
        let session = &mut status.sessions[0];
        (session.tier, session.tier_reason, session.watched) = (tier.to_owned(), reason.to_owned(), watched);
        facts
    }

    #[test]
    fn it_is_said_how_outputs_are_seen_and_why_not() {
        let outputs = |facts: &Facts| suggest(facts).get(1).cloned();
        assert_eq!(outputs(&healthy()), Some(Finding::ok("outputs: seen through tmux (the pipe of pane %3)")));
        let ours = with("pty", "a terminal of ours around this shell", true);
        assert_eq!(outputs(&ours), Some(Finding::ok("outputs: seen through a terminal of ours around this shell")));
        let mut off = with("off", "neither in tmux nor in a terminal of ours", false);
        let advice = "suggestions work from the line and the exit code; `aside init zsh --proxy` sees more (`aside help capture`)";
        let what = "outputs: not seen (neither in tmux nor in a terminal of ours)";
        assert_eq!(outputs(&off), Some(Finding::note(what).advise(advice)));
        off.config.values.suggest.capture = Capture::Off;
        assert_eq!(outputs(&off), Some(Finding::ok("outputs: not seen (suggest.capture is off)")));
        let ended = outputs(&with("tmux", "the pipe of pane %3", false)).unwrap();
        assert_eq!(ended.what, "outputs: not seen at the moment (the pipe of pane %3)");
        assert_eq!(outputs(&with("", "", false)), None);
    }

    #[test]
    fn the_other_shells_are_counted() {
        let mut facts = healthy();
        let Answer::Alive(status) = &mut facts.daemon.answer else { unreachable!("healthy") };
        for (number, (tier, watched)) in
            [("tmux", true), ("tmux", true), ("tmux", false), ("off", false), ("", false)].into_iter().enumerate()
        {
            let session = format!("zsh-{number}");
            status.sessions.push(SessionStatus { session, tier: tier.into(), watched, ..SessionStatus::default() });
        }
        let last = suggest(&facts).pop();
        assert_eq!(last, Some(Finding::ok("outputs of the other shells: 2 through tmux, 2 not seen")));
    }

    #[test]
    fn nothing_else_is_said_when_it_is_off() {
        let mut facts = healthy();
        facts.config.values.suggest.enabled = false;
        let off = Finding::note("the next command is not suggested: suggest.enabled is false");
        assert_eq!(suggest(&facts), [off.advise("`aside config set suggest.enabled true` turns it on")]);
    }
}
