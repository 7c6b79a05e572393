//! Tasks: whether they are taken, which wait for a person, and what is wrong with the rules about commands.

use crate::cli::doctor::facts::{Facts, Tasks};
use crate::cli::doctor::report::Finding;

/// Rules that are named; one is enough to begin with.
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
    if let Some(why) = &facts.no_sandbox {
        let free = Finding::note(format!("commands cannot be kept in the workspace here: {why}"));
        findings.push(free.advise("leave task.confine at no"));
    }
    findings
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
}
