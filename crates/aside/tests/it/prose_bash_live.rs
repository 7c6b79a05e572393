//! Prose in bash with the real daemon: the rows of the reference table, and lines that must stay commands.

use rustix::process::Signal;

use crate::harness::prose_cases::{TABLE, knows, with_failing_programs};
use crate::harness::scene::Scene;
use crate::prose_bash::{PATIENT, stand_in};
use crate::zsh::daemon;

fn bash() -> Scene {
    let scene = with_failing_programs(Scene::bash())
        .file("aside", &stand_in())
        .rc("PATH=~/bin:$PATH; ls() { echo listed; }")
        .rc_after(PATIENT)
        .start();
    // Waits until the daemon listens.
    drop(scene.wire());
    scene
}

#[test]
fn every_sentence_of_the_table_is_answered() {
    let mut scene = bash();
    let more = ["what's my ip", "how many files here?", "then what should I do next?"];
    for line in TABLE.into_iter().chain(more) {
        knows(&scene, "warm", "bash", line);
        let shown = scene.runs(line);
        let last = shown.lines().last().unwrap_or_default();
        assert!(last.starts_with(&format!("{line} (")), "{line}: {shown}");
    }
}

#[test]
fn what_failed_without_a_marker_is_answered_as_in_zsh() {
    let mut scene = bash();
    for line in ["go ahead", "find every broken test", "make everything faster"] {
        knows(&scene, "warm", "bash", line);
        let shown = scene.runs(line);
        let last = shown.lines().last().unwrap_or_default();
        assert!(last.starts_with(&format!("{line} (")), "{line}: {shown}");
    }
}

#[test]
fn every_command_of_the_table_is_left_alone() {
    let mut scene = bash();
    assert_eq!(scene.runs("ls -la"), "listed");
    assert_eq!(scene.runs("grep -r foo"), "grep: foo: binary file matches");
    assert_eq!(scene.runs("make test"), "make: *** No rule to make target 'test'.  Stop.");
    assert_eq!(scene.runs("echo what is the matter with you"), "what is the matter with you");
    assert_eq!(scene.runs("for i in the words; do echo $i; done"), "the\nwords");
    assert_eq!(scene.runs("[[ -d / ]] && echo it is there"), "it is there");
    assert_eq!(scene.runs("{ echo to be or not to be; }"), "to be or not to be");
    assert_eq!(scene.runs("! false && echo so it is"), "so it is");
    assert_eq!(scene.runs("function the { echo \"$*\"; }; the way it is"), "way it is");
}

#[test]
fn a_daemon_that_is_stopped_stops_nobody() {
    let mut scene = bash();
    scene.runs("_aside_patience=30");
    let pid = daemon(&scene);
    rustix::process::kill_process(pid, Signal::STOP).unwrap();
    assert_eq!(scene.runs("echo all the words are here"), "all the words are here");
    assert!(scene.runs("do we have it all").contains("syntax error"));
    rustix::process::kill_process(pid, Signal::CONT).unwrap();
    scene.runs("_aside_patience=9000 _aside_rest=0");
    knows(&scene, "warm", "bash", "do we have it all");
    assert_eq!(scene.runs("do we have it all").split(" (").next(), Some("do we have it all"));
}

#[test]
fn settings_are_followed_by_a_shell_that_runs() {
    let mut scene = bash();
    let line = "do we have it all";
    knows(&scene, "warm", "bash", line);
    assert!(scene.runs(line).starts_with(line));
    scene.home.aside_does(&["config", "set", "detect.reroute", "off"]);
    let deadline = std::time::Instant::now() + crate::harness::patience();
    while !scene.runs(line).contains("syntax error") {
        assert!(std::time::Instant::now() < deadline, "the daemon has not read its settings");
    }
    scene.home.aside_does(&["config", "set", "detect.reroute", "answer"]);
    loop {
        // As if a minute had passed.
        scene.runs("_aside_rest=0 _aside_reroute=answer");
        if scene.runs(line).starts_with(line) {
            break;
        }
        assert!(std::time::Instant::now() < deadline, "the daemon has not read its settings");
    }
}
