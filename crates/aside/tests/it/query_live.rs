//! Queries in zsh with the real daemon, and with a model that is slow, fails, or is not waited for.

use std::time::Duration;

use serde_json::json;
use vt100::Color;

use crate::harness::keys::Key;
use crate::harness::scene::Scene;
use crate::harness::setup::Setup;
use crate::model::scripted_reply::ScriptedReply;
use crate::model::{Ending, Model};

/// Only a model can answer this.
const WORDS: &str = "frobnicate the quux";

fn zsh() -> Setup {
    Scene::zsh().ghost(Color::Idx(6))
}

fn with(model: &Model) -> Setup {
    let url = model.base_url();
    let llm = format!("provider = 'openai'\nbase_url = '{url}'\nmodel = 'scripted'\nnl_debounce_ms = 50\n");
    zsh().config(&format!("[complete]\nmodel_min_chars = 100\n[llm]\n{llm}"))
}

#[test]
fn a_wish_becomes_a_command_without_any_model() {
    let mut scene = zsh().start();
    scene.types("? show the last 5 commits as one-liners").shows("→ git log --oneline -n 5");
    scene.presses(Key::CtrlE).shows("────").presses(Key::Down).shows("> git log").shows("explain");
    scene.presses(Key::Enter).shows_line("git log --oneline -n 5|").presses(Key::Enter).prompt(2);
    assert_eq!(scene.runs("fc -ln 1"), "git log --oneline -n 5");
}

#[test]
fn a_slow_model_shows_a_sign_and_then_its_commands_as_they_come() {
    let model = Model::start();
    // Slow enough to observe each step on a busy machine.
    let answer = ScriptedReply::streams(["ls ", "-S ", "-r", "\n"]).delay(Duration::from_millis(1500));
    model.always(answer.pace(Duration::from_millis(700)));
    let mut scene = with(&model).start();
    scene.types(&format!("? {WORDS}")).shows("1> ? frobnicate the quux  …");
    // Shown as it streams, and complete only at the end.
    scene
        .shows("→ ls")
        .presses(Key::Tab)
        .shows_line("ls -S -r|")
        .sends("\x1f")
        .shows("? frobnicate the quux  → ls -S -r");
    scene.presses(Key::Down).shows("> ls -S -r").shows("\n  explain");
}

#[test]
fn a_model_that_nobody_waits_for_is_not_asked_any_further() {
    for leave in [Key::CtrlC, Key::Esc, Key::Ctrl('u'), Key::Backspace] {
        let model = Model::start();
        model.always(ScriptedReply::hangs());
        let mut scene = with(&model).start();
        scene.types(&format!("? {WORDS}")).presses(Key::Enter).shows("…");
        model.wait_for_requests(1);
        scene.presses(leave);
        assert_eq!(model.wait_for_ending(0), Ending::ClientLeft, "{leave:?}");
        if leave != Key::Backspace {
            scene.wait_for("no sign", |screen| !screen.contains("…"));
        }
    }
}

#[test]
fn a_model_that_fails_is_named_in_one_line() {
    let model = Model::start();
    model.always(ScriptedReply::status(401));
    let mut scene = with(&model).start();
    scene.types(&format!("? {WORDS}")).presses(Key::Enter).shows("the model does not answer");
    scene.shows_line("? frobnicate the quux|").types("x").shows_line("? frobnicate the quuxx|");
}

#[test]
fn a_private_shell_asks_no_model() {
    let model = Model::start();
    model.always(ScriptedReply::chat("ls -S"));
    let mut scene = with(&model).env("ASIDE_PRIVATE", "1").start();
    scene.types(&format!("? {WORDS}")).presses(Key::Enter).shows("private, so no model was asked");
    assert_eq!(model.requests().len(), 0);
    scene.presses(Key::Ctrl('u')).runs("aside-private off");
    scene.types(&format!("? {WORDS}")).shows("→ ls -S");
    assert_eq!(model.requests().len(), 1);
}

#[test]
fn two_terminals_wish_at_once_and_each_hears_its_own() {
    let model = Model::start();
    model.always(ScriptedReply::chat("ls -S").delay(Duration::from_millis(400)));
    let mut scene = with(&model).start();
    scene.types(&format!("? {WORDS}")).shows("…");
    let mut other = scene.wire();
    let asked = json!({"type": "translate", "session_id": "other", "query": "another wish", "cwd": "/", "now": true});
    other.sends_json(asked);
    scene.shows("→ ls -S").presses(Key::Enter).shows_line("ls -S|");
    while other.reads_json()["state"] != "done" {}
    // A pause while the query was still being typed may have queried half of it.
    model.wait_for("both answers to be whole", |requests| {
        requests.iter().filter(|request| request.ending == Ending::Whole).count() >= 2
    });
}

#[test]
fn a_hostile_model_reaches_neither_the_screen_nor_the_line() {
    let model = Model::start();
    let mut scene = with(&model).start();
    model.next(ScriptedReply::chat("l\u{200b}s \u{1b}[2J\u{1b}]52;c;aGk=\u{7}-\u{202e}S\0"));
    scene.types(&format!("? {WORDS}")).shows("1> ? frobnicate the quux  → ls -S");
    model.next(ScriptedReply::chat("\u{1b}[2J\u{9b}31mLists\u{202e} files\u{1b}]0;owned\u{7}\r\n\u{1b}[1A-S: by size"));
    scene.presses(Key::CtrlE).shows("Lists files\n-S: by size").shows("1> ? frobnicate the quux  → ls -S");
    scene.presses(Key::Enter).shows_line("ls -S|");
}

#[test]
fn what_a_model_would_destroy_is_said_and_what_it_would_not_is_not() {
    let model = Model::start();
    let mut scene = with(&model).rc("sudo() { : }; perform() { : }").start();
    // Functions are reported from the second line on, a part with each line.
    let knows = |scene: &Scene| scene.home.aside(&["complete", "--", "perfor"]).stdout.contains("perform");
    for _ in 0..20 {
        scene.runs("true");
        if knows(&scene) {
            break;
        }
    }
    assert!(knows(&scene), "nobody told of it");
    for harmless in ["git add .", "grep '>' f", "perform x"] {
        model.next(ScriptedReply::chat(harmless));
        scene.types(&format!("? about {harmless}")).shows(&format!("→ {harmless}\n"));
        scene.wait_for("no warning", |screen| screen.contains("take |") && !screen.contains("\n! "));
        scene.presses(Key::Ctrl('u'));
    }
    model.next(ScriptedReply::chat("sudo sh -c 'rm -rf \"$HOME\"'"));
    scene.types("? tidy up").presses(Key::Enter).shows_line("sudo sh -c 'rm -rf \"$HOME\"'|");
    scene.shows("\n! deletes your home directory");
}
