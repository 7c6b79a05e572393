//! Checks tasks: whether they are enabled, which wait for the user, and what is wrong with the command rules.

use crate::cli::doctor::facts::{Answer, Facts, Tasks};
use crate::cli::doctor::report::Finding;

/// Cap on the listed rules.
const MAX_REFUSED: usize = 5;

pub fn task(facts: &Facts) -> Vec<Finding> {
    let settings = &facts.config.values.task;
    if !settings.enabled {
        let off = Finding::note("requests in words are not taken: task.enabled is false");
        return vec![off.advise("`aside config set task.enabled true` turns them on")];
    }
    let Tasks { waiting, refused, left } = &facts.tasks;
    let mut findings = vec![match waiting {
        None | Some(0) => Finding::ok("requests in words are taken (aside task, aside chat, aside web)"),
        Some(1) => Finding::note("a task waits for you").advise("`aside task list` shows which"),
        Some(many) => Finding::note(format!("{many} tasks wait for you")).advise("`aside task list` shows which"),
    }];
    if let Some((pid, _)) = left.first() {
        let names: Vec<&str> = left.iter().map(|(_, name)| name.as_str()).collect();
        let there = Finding::note(format!("started by a command of a task, and still running: {}", names.join(", ")));
        findings.push(there.advise(format!("as long as it runs the page approves nothing; `kill {pid}` ends it")));
    }
    for (allowed, what) in [
        (settings.allow_apply_patch, "no change is written: task.allow_apply_patch is false"),
        (settings.allow_run_terminal, "no command is run: task.allow_run_terminal is false"),
    ] {
        findings.extend((!allowed).then(|| Finding::note(what)));
    }
    if !refused.is_empty() {
        let named = refused.iter().take(MAX_REFUSED).map(String::as_str).collect::<Vec<_>>().join("; ");
        let broken = format!("rules that do not count, so nothing goes unasked: {named}");
        findings.push(Finding::fix(broken, "mend them (`aside help rules`); `aside task rules` lists all"));
    }
    match &facts.agent {
        None => {}
        Some((name, Ok(()))) => findings.push(Finding::ok(format!("the agent {name} works through tasks"))),
        Some((name, Err(why))) => {
            findings.push(Finding::fix(
                format!("the agent {name} cannot work: {why}"),
                "`aside agent use none` goes on without it",
            ));
        }
    }
    findings.extend(remote(facts));
    if let Some(why) = &facts.no_sandbox {
        let free = Finding::note(format!("commands cannot be kept in the workspace here: {why}"));
        findings.push(free.advise("leave task.confine at no"));
    }
    findings
}

/// The chat from which tasks can be requested.
fn remote(facts: &Facts) -> Option<Finding> {
    let settings = &facts.config.values.remote;
    if !settings.enabled {
        return None;
    }
    if settings.users.is_empty() {
        return Some(Finding::note("no user of a chat may ask yet").advise("`aside remote pair` lets one in"));
    }
    let Answer::Alive(status) = &facts.daemon.answer else { return None };
    let remote = status.remote.as_ref()?;
    Some(match remote.state.as_str() {
        "connected" => Finding::ok(format!("users of a chat may ask for tasks: {}", settings.users.join(", "))),
        "trouble" => {
            Finding::fix(format!("the chat is not reached: {}", remote.trouble), "`aside remote status` says more")
        }
        _ => Finding::note("the chat is being reached").advise("`aside remote status` says how that goes"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::facts::healthy;

    #[test]
    fn what_waits_and_what_is_wrong_is_said() {
        let mut facts = healthy();
        facts.no_sandbox = None;
        assert_eq!(task(&facts), [Finding::ok("requests in words are taken (aside task, aside chat, aside web)")]);
        facts.tasks = Tasks {
            waiting: Some(2),
            refused: vec!["your rules, line 3: no".to_owned()],
            left: vec![(7, "sleep (pid 7)".to_owned())],
        };
        facts.config.values.task.allow_run_terminal = false;
        facts.no_sandbox = Some("no Landlock".to_owned());
        let said: Vec<String> = task(&facts).into_iter().map(|finding| finding.what).collect();
        assert_eq!(
            said,
            [
                "2 tasks wait for you",
                "started by a command of a task, and still running: sleep (pid 7)",
                "no command is run: task.allow_run_terminal is false",
                "rules that do not count, so nothing goes unasked: your rules, line 3: no",
                "commands cannot be kept in the workspace here: no Landlock",
            ]
        );
        facts.config.values.task.enabled = false;
        assert_eq!(task(&facts).len(), 1);
    }

    #[test]
    fn a_chat_that_is_not_reached_is_to_be_mended() {
        let mut facts = healthy();
        assert_eq!(remote(&facts), None);
        facts.config.values.remote.enabled = true;
        assert_eq!(remote(&facts).unwrap().what, "no user of a chat may ask yet");
        facts.config.values.remote.users = vec!["li".to_owned()];
        assert_eq!(remote(&facts), None, "the daemon does not say");
        for (state, what) in [
            ("connected", "users of a chat may ask for tasks: li"),
            ("connecting", "the chat is being reached"),
            ("trouble", "the chat is not reached: wrong secret"),
        ] {
            let Answer::Alive(status) = &mut facts.daemon.answer else { panic!("it is alive") };
            let (state, trouble) = (state.to_owned(), "wrong secret".to_owned());
            status.remote = Some(aside_proto::RemoteStatus { state, trouble, ..Default::default() });
            assert_eq!(remote(&facts).unwrap().what, what);
        }
    }
}
