//! `aside agent`, and what `aside doctor` and `aside privacy` know of agents.

use serde_json::{Value, json};

use crate::harness::agents::Agents;
use crate::harness::home::Home;

#[test]
fn an_agent_is_listed_chosen_and_left_again() {
    let home = Home::new();
    home.write("bin/codex", "#!/bin/sh\necho codex-cli 0.166.0\n");
    let program = home.path("bin/codex").display().to_string();
    assert!(home.aside_does(&["agent", "list"]).stdout.contains("No agent is in use"));
    home.aside_does(&["agent", "add", "codex", "--", &program]);
    home.aside_does(&["agent", "use", "codex"]);
    let listed = home.aside_does(&["agent", "list"]).stdout;
    assert!(listed.starts_with(&format!("* codex  codex-cli 0.166.0, {program}\n")), "{listed}");
    let listed: Value = serde_json::from_str(&home.aside_does(&["agent", "list", "--json"]).stdout).unwrap();
    assert_eq!((&listed["in_use"], &listed["program"]), (&json!(true), &json!(program)));
    assert!(home.aside(&["doctor"]).stdout.contains("the agent codex works through tasks"));
    assert!(home.aside_does(&["privacy"]).stdout.contains("The agent codex"));
    std::fs::remove_file(&program).unwrap();
    assert!(home.aside(&["doctor"]).stdout.contains("the agent codex cannot work"));
    home.aside_does(&["agent", "use", "none"]);
    assert!(!home.aside(&["doctor"]).stdout.contains("the agent codex"));
    assert_eq!(home.aside(&["agent", "use", "hal"]).code, 1);
}

#[test]
fn the_doctor_of_agents_starts_one_and_says_whether_it_keeps_to_what_it_is_told() {
    let scene = Agents::scripted("", "");
    let said = scene.home.aside(&["agent", "doctor"]);
    assert!(said.code == 0 && said.stdout.contains("in its read-only sandbox"), "{said:?}");
    scene.leaves_nothing(&scene.home.path("bin"));
    let old = "#!/bin/sh\nread -r _; echo '{\"id\":1,\"result\":{\"userAgent\":\"aside/0.9.0\"}}'; read -r _\n";
    let said = Agents::script(old, "").home.aside(&["agent", "doctor"]);
    assert!(said.code == 1 && said.stderr.contains("protocol"), "{said:?}");
}
