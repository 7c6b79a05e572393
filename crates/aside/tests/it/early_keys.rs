//! Keys that are typed before a command is on the screen: they never approve it, in any shell, however fast or slow the answer is.

use std::time::{Duration, Instant};

use crate::harness::keys::Key;
use crate::harness::patience;
use crate::harness::scene::Scene;
use crate::harness::setup::Setup;
use crate::keys_shells::fish;
use crate::model::Model;
use crate::model::scripted_reply::ScriptedReply;
use crate::prose_bash::PATIENT;

const PROXY: &str = r#"eval "$(aside init bash --proxy)""#;
const DELETE: &str = "? delete files named \"*.tmp\"";
/// Only a model can answer this.
const WORDS: &str = "? frobnicate the quux";

fn shells() -> [(&'static str, Setup); 5] {
    [
        ("zsh", Scene::zsh()),
        ("bash", Scene::bash()),
        ("bash, vi", Scene::bash().rc("set -o vi")),
        ("bash, proxy", Scene::bash().rc(PROXY)),
        ("fish", fish()),
    ]
}

fn with_model(stage: Setup, model: &Model) -> Setup {
    let url = model.base_url();
    let llm = format!("provider = 'openai'\nbase_url = '{url}'\nmodel = 'scripted'\nnl_debounce_ms = 50\n");
    stage.config(&format!("[complete]\nmodel_min_chars = 100\n[llm]\n{llm}"))
}

#[track_caller]
fn appears(scene: &Scene, file: &str) {
    let deadline = Instant::now() + patience();
    while !scene.home.path(file).exists() {
        assert!(Instant::now() < deadline, "no {file}:\n{}", scene.screen().text());
    }
}

#[test]
fn an_enter_in_the_same_burst_approves_nothing() {
    for (shell, stage) in shells() {
        let mut scene = stage.file("a.tmp", "").file("b.tmp", "").start();
        // zsh reads the rest of its plugin at the first prompt.
        scene.settles().sends(&format!("{DELETE}\r\r")).shows("-delete").settles();
        assert!(scene.home.path("a.tmp").exists(), "{shell} ran it:\n{}", scene.screen().text());
        scene.presses(Key::Enter).prompt(2);
        assert!(!scene.home.path("a.tmp").exists(), "{shell} did not run it:\n{}", scene.screen().text());
    }
}

#[test]
fn an_enter_during_a_slow_answer_approves_nothing() {
    for (shell, stage) in shells() {
        let model = Model::start();
        model.always(ScriptedReply::chat("touch ran").delay(Duration::from_millis(2500)));
        let mut scene = with_model(stage, &model).start();
        let sign = if shell == "zsh" { "…" } else { "thinking…" };
        scene.types(WORDS).sends("\r").shows(&format!("1> {WORDS}")).shows(sign);
        scene.sends("\r").shows_line("touch ran|").settles();
        assert!(!scene.home.path("ran").exists(), "{shell} ran it:\n{}", scene.screen().text());
        assert!(!scene.screen().contains("thinking"), "{shell}:\n{}", scene.screen().text());
        scene.presses(Key::Enter).prompt(2);
        appears(&scene, "ran");
    }
}

#[test]
fn a_paste_that_is_not_bracketed_runs_no_answer() {
    // In zsh the rest of the paste becomes words of the request.
    for (shell, stage) in shells().into_iter().skip(1) {
        let mut scene = stage.start();
        scene.sends(&format!("{DELETE}\recho three\r")).shows("-delete").settles();
        let text = scene.screen().text();
        assert!(!text.contains("2> ") && !text.contains("\nthree"), "{shell} ran something:\n{text}");
    }
}

#[test]
fn tab_and_enter_before_a_proposal_take_nothing() {
    for (shell, stage) in [("bash", Scene::bash().rc_after("_aside_patience=9000")), ("fish", fish())] {
        let mut scene = stage.file("a.tmp", "").start();
        assert_eq!(scene.home.aside_does(&["daemon", "start"]).code, 0);
        scene.sends("I want to delete all .tmp files\r\t\r").shows("Tab takes it");
        scene.wait_for("an empty line", |screen| screen.text().trim_end().ends_with('>'));
        scene.settles();
        assert!(scene.home.path("a.tmp").exists(), "{shell} ran it:\n{}", scene.screen().text());
    }
}

/// They may be the next command, and only what the answer proposes waits for a key.
#[test]
fn lines_behind_prose_are_not_lost() {
    for (shell, stage) in [
        ("bash", Scene::bash().rc_after("_aside_patience=9000")),
        ("bash, proxy", Scene::bash().rc(PROXY).rc_after("_aside_patience=9000")),
        ("fish", fish()),
    ] {
        let mut scene = stage.start();
        assert_eq!(scene.home.aside_does(&["daemon", "start"]).code, 0);
        scene.settles().sends("how many files are here?\recho three\r");
        scene.wait_for(&format!("the line behind it in {shell}"), |screen| screen.text().contains("\nthree\n"));
    }
}

#[test]
fn tab_and_enter_at_once_run_no_next_command() {
    for (shell, stage) in [("bash", Scene::bash()), ("fish", fish())] {
        let mut scene = crate::keys_shells::begun(stage);
        scene.runs("frob strat one");
        scene.sends("\t\r").shows_line("frob start one|").settles();
        let text = scene.screen().text();
        assert!(!text.contains("frobbed start"), "{shell} ran it:\n{text}");
    }
}

#[test]
fn ctrl_c_during_the_wait_leaves_an_empty_line_and_the_words_behind_the_arrow() {
    for (shell, stage) in [("bash", Scene::bash()), ("fish", fish())] {
        let model = Model::start();
        model.always(ScriptedReply::hangs());
        let mut scene = with_model(stage.history(&["echo before"]), &model).start();
        scene.types(WORDS).sends("\r").shows("thinking…");
        scene.presses(Key::CtrlC);
        scene.wait_for(&format!("an empty line in {shell}"), |screen| {
            let text = screen.text();
            text.trim_end().ends_with('>') && !text.contains("thinking")
        });
        scene.presses(Key::Up).shows_line(&format!("{WORDS}|"));
        scene.sends("\x15");
        scene.settles();
        assert!(scene.runs("echo on").ends_with("on"), "{shell}");
    }
}

#[test]
fn ctrl_c_during_prose_leaves_an_empty_line() {
    for (shell, stage) in [("bash", Scene::bash().rc_after(PATIENT.split(' ').next_back().unwrap())), ("fish", fish())]
    {
        let model = Model::start();
        model.always(ScriptedReply::hangs());
        let mut scene = with_model(stage.history(&["echo before"]), &model).start();
        assert_eq!(scene.home.aside_does(&["daemon", "start"]).code, 0);
        let words = "why is the sky so blue today?";
        scene.types(words).sends("\r").shows("thinking…").presses(Key::CtrlC);
        scene.wait_for(&format!("an empty line in {shell}"), |screen| screen.text().trim_end().ends_with('>'));
        scene.prompt(if shell == "bash" { 2 } else { 1 }).presses(Key::Up).shows_line(&format!("{words}|"));
    }
}
