//! The fish plugin: it records what ran and changes nothing else.

use rustix::process::Signal;
use serde_json::Value;

use crate::bash::recorded;
use crate::harness::prose_cases::{TABLE, knows, with_failing_programs};
use crate::harness::scene::Scene;
use crate::prose_bash::stand_in;
use crate::zsh::daemon;

#[test]
fn commands_are_recorded_with_what_is_known_about_them() {
    let mut scene = Scene::fish().rc("mkdir -p ~/code").start();
    scene.runs("cd ~/code");
    scene.runs(" echo hidden");
    scene.runs("sh -c 'exit 7'");
    assert_eq!(scene.runs("echo $status"), "7");
    let rows = recorded(&scene.home, 3);
    let mut commands: Vec<&str> = rows.iter().map(|row| row["command"].as_str().unwrap()).collect();
    // Sorted, since fish has no clock finer than a second without starting a program.
    commands.sort_unstable();
    assert_eq!(commands, ["cd ~/code", "echo $status", "sh -c 'exit 7'"]);
    let failed = rows.iter().find(|row| row["command"] == "sh -c 'exit 7'").unwrap();
    assert_eq!((&failed["exit"], &failed["shell"]), (&Value::from(7), &Value::from("fish")));
    assert!(failed["cwd"].as_str().unwrap().ends_with("/code"), "{rows:?}");
}

#[test]
fn a_private_fish_and_one_switched_off_record_nothing() {
    let mut scene = Scene::fish().start();
    scene.runs("aside-off");
    scene.runs("echo unseen");
    scene.runs("aside-on");
    scene.runs("set -g fish_private_mode 1");
    scene.runs("echo private");
    scene.runs("set -e fish_private_mode");
    scene.runs("echo seen");
    let rows = recorded(&scene.home, 3);
    let commands: Vec<&str> = rows.iter().map(|row| row["command"].as_str().unwrap()).collect();
    assert!(!commands.contains(&"echo unseen") && !commands.contains(&"echo private"), "{commands:?}");
    assert!(commands.contains(&"echo seen"), "{commands:?}");
}

fn with_programs() -> Scene {
    let scene = with_failing_programs(Scene::fish())
        .file("aside", &stand_in())
        .rc("set -gx PATH ~/bin $PATH")
        .rc_after("set -g _aside_bin ~/aside")
        .start();
    assert_eq!(scene.home.aside_does(&["daemon", "start"]).code, 0);
    scene
}

#[test]
fn every_sentence_of_the_table_is_answered_in_fish() {
    let mut scene = with_programs();
    for line in TABLE {
        knows(&scene, "warm", "fish", line);
        scene.types(line).sends("\r").shows(&format!("{line} ("));
        scene.sends("\x15");
    }
}

#[test]
fn commands_and_ordinary_failures_are_left_to_fish() {
    let mut scene = with_programs();
    assert_eq!(scene.runs("echo what is the matter with you"), "what is the matter with you");
    assert_eq!(scene.runs("make test"), "make: *** No rule to make target 'test'.  Stop.");
    assert_eq!(scene.runs("for i in the words; echo $i; end"), "the\nwords");
    assert_eq!(scene.runs("if test -d /; echo it is there; end"), "it is there");
}

/// Whatever they are called: a function that comes with fish is none of the user's.
#[test]
fn functions_and_aliases_of_the_user_are_never_taken_for_prose() {
    let functions = "function show; echo ran show $argv; end\nfunction todo; echo ran todo $argv; return 1; end\n\
                     alias please 'echo ran please'\nalias how 'echo ran how'\n";
    let autoloaded = "function tell; echo ran tell $argv; end\n";
    let mut scene = Scene::fish()
        .rc(functions)
        .file(".config/fish/functions/tell.fish", autoloaded)
        .rc_after("alias list 'echo ran list'")
        .start();
    assert_eq!(scene.home.aside_does(&["daemon", "start"]).code, 0);
    for line in [
        "show me the files",
        "todo call the bank tomorrow",
        "please tell me what this is",
        "how do I find the largest files",
        "tell me what is in this folder",
        "list all of the files that are here",
    ] {
        assert_eq!(scene.runs(line), format!("ran {line}"), "{line}");
    }
    // A predicate's status is an answer, and a loop is one whatever its variable is called.
    assert_eq!(scene.runs("string match this that"), "");
    assert_eq!(scene.runs("contains me in here"), "");
    assert_eq!(scene.runs("for each in a b; echo $each; end"), "a\nb");
}

#[test]
fn a_daemon_that_hangs_leaves_the_line_to_fish() {
    let mut scene = with_programs();
    scene.runs("set -g _aside_patience 50");
    let pid = daemon(&scene);
    rustix::process::kill_process(pid, Signal::STOP).unwrap();
    let said = scene.runs("how many files are here?");
    rustix::process::kill_process(pid, Signal::CONT).unwrap();
    assert!(said.contains("how") && !said.contains("does not answer"), "{said}");
}

#[test]
fn tab_takes_what_an_answer_proposes_and_else_completes() {
    let mut scene = with_programs();
    scene.home.write("proposal", "echo taken");
    knows(&scene, "warm", "fish", "how many files are here?");
    scene.types("how many files are here?").sends("\r").shows("how many files are here? (").shows("Tab takes it");
    // What was typed before the next prompt is discarded.
    scene.wait_for("an empty line", |screen| screen.text().trim_end().ends_with("1>"));
    scene.sends("\t").shows("> echo taken").sends("\r").shows("\ntaken\n");
    scene.types("echo ~/propo").sends("\t").shows("proposal");
}

#[test]
fn the_shells_own_history_is_imported_when_there_is_none() {
    let history = "- cmd: git status --short\n  when: 1700000000\n";
    for (file, rc) in [("fish_history", ""), ("work_history", "set -g fish_history work")] {
        let scene = Scene::fish().file(&format!(".local/share/fish/{file}"), history).rc_after(rc).start();
        let rows = recorded(&scene.home, 1);
        assert_eq!(rows[0]["command"], "git status --short", "{file}");
    }
}

/// The login shell may be another one.
#[test]
fn aside_fix_tells_fish_its_own_line() {
    let mut scene = Scene::fish().env("SHELL", "/bin/bash").size(24, 240).start();
    scene.home.aside_does(&["daemon", "start"]);
    scene.runs("sh -c 'exit 7'");
    recorded(&scene.home, 1);
    scene.types("aside fix").sends("\r").shows("`aside init fish --proxy | source`");
}
