//! Prose in zsh with the real daemon.

use std::time::Duration;

use rustix::process::Signal;
use vt100::Color;

use crate::harness::keys::Key;
use crate::harness::prose_cases::{TABLE, knows};
use crate::harness::scene::Scene;
use crate::harness::setup::Setup;
use crate::zsh::daemon;

/// A scene at a prompt where the shell has received the settings, and the number of that prompt.
fn begun(stage: Setup) -> (Scene, usize) {
    let mut scene = stage.ghost(Color::Idx(6)).rc("_aside_patience=20").start();
    let mut number = 2;
    while scene.runs("print $_aside_reroute") != "answer" {
        number += 1;
    }
    (scene, number)
}

/// A stopped daemon neither blocks the shell nor loses typed text.
#[test]
fn a_daemon_that_is_stopped_stops_nobody() {
    let mut scene = Scene::zsh().start();
    scene.runs("true");
    scene.settles();
    let pid = daemon(&scene);
    rustix::process::kill_process(pid, Signal::STOP).unwrap();
    assert_eq!(scene.runs("echo all the words are here"), "all the words are here");
    assert_eq!(scene.runs("echo all the words are here"), "all the words are here");
    rustix::process::kill_process(pid, Signal::CONT).unwrap();
    scene.runs("true");
    assert_eq!(scene.runs("echo hi"), "hi");
}

#[test]
fn what_a_person_means_for_the_shell_runs() {
    let (mut scene, _) = begun(Scene::zsh());
    assert_eq!(scene.runs("echo what is the matter with you"), "what is the matter with you");
    assert_eq!(scene.runs("for i in the words; do echo $i; done"), "the\nwords");
    assert_eq!(scene.runs("[[ -d / ]] && echo it is there"), "it is there");
    assert_eq!(scene.runs("{ echo to be or not to be; }"), "to be or not to be");
    assert_eq!(scene.runs("! false && echo so it is"), "so it is");
}

/// Nothing runs, the shell waits for nothing, and the history has the line.
#[test]
fn sentences_of_the_table_that_are_caught_before_they_run() {
    let lines = [
        "do We already have a way to uninstall?",
        "in the codebase where is auth?",
        "while you are at it fix the tests",
        "what's my ip",
        "how many files here?",
    ];
    let (mut scene, begun) = begun(Scene::zsh());
    let session = scene.runs("print $_aside_session");
    for (line, number) in lines.iter().zip(begun + 2..) {
        knows(&scene, &session, "zsh", line);
        scene.presses(Key::Ctrl('l')).settles().types(line).presses(Key::Enter).prompt(number).settles();
        let screen = scene.screen();
        for sign in ["while>", "quote>", "parse error", "not found", "no matches"] {
            assert!(!screen.contains(sign), "{line}: {}", screen.text());
        }
    }
    let kept = scene.runs("fc -ln 1");
    assert_eq!(kept.lines().filter(|line| lines.contains(&line.trim())).count(), lines.len(), "{kept}");
}

/// Programs that fail as the real ones do, whatever this machine has.
fn with_programs() -> Setup {
    let says = |status: u8, text: &str| format!("#!/bin/sh\necho \"{text}\" >&2\nexit {status}\n");
    Scene::zsh()
        .rc("path=(~/bin $path)")
        .file("bin/find", &says(1, "find: 'out': No such file or directory"))
        .file("bin/make", &says(2, "make: *** No rule to make target 'sure'.  Stop."))
        .file("bin/git", &says(1, "git: 'me' is not a git command. See 'git --help'."))
        .file("bin/go", &says(2, "go: unknown command"))
        .file("bin/cargo", &says(101, "error: no such command: 'ahead'"))
        .file("bin/grep", &says(1, ""))
}

#[test]
fn every_sentence_of_the_table_is_answered_before_it_runs_or_after() {
    let (mut scene, begun) = begun(with_programs());
    let session = scene.runs("print $_aside_session");
    for (line, number) in TABLE.iter().zip(begun + 2..) {
        knows(&scene, &session, "zsh", line);
        scene.presses(Key::Ctrl('l')).settles().types(line).presses(Key::Enter).prompt(number);
        // One of them is answered without a model.
        let answers = ["needs a model", "grep -rn 'auth' ."];
        scene.wait_for("an answer", |screen| answers.iter().any(|answer| screen.contains(answer)));
    }
    let after = begun + 2 + TABLE.len();
    for (line, number) in ["ls -la", "grep -r foo"].iter().zip(after..) {
        scene.presses(Key::Ctrl('l')).settles().types(line).presses(Key::Enter).prompt(number);
        scene.stays("no answer", Duration::from_millis(300), |screen| !screen.contains("model"));
    }
    let kept = scene.runs("fc -ln 1");
    for line in TABLE {
        assert_eq!(kept.lines().filter(|kept| kept.trim() == line).count(), 1, "{kept}");
    }
}

#[test]
fn a_wish_without_its_prefix_is_answered_with_a_command_to_take() {
    let (mut scene, begun) = begun(Scene::zsh());
    scene.types("show me the last 5 commits as one-liners please").presses(Key::Enter).prompt(begun + 1);
    scene.shows_ghost("|git log --oneline -n 5").presses(Key::Tab).shows_line("git log --oneline -n 5|");
}
