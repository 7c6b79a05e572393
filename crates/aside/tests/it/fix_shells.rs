//! `aside fix` and prose where output is captured: in a real tmux, with the real daemon, in every shell.

use serde_json::json;

use crate::harness::home::Home;
use crate::harness::shell::Shell;
use crate::harness::tmux::{Pane, Tmux, wait_until};

/// A program that prints how to fix it when it fails, as real programs do.
const FROBNICATE: &str = "#!/bin/sh\n\
    if [ \"$1\" = --repair ]; then echo repaired; exit 0; fi\n\
    echo 'frobnicate: the frobs are stale'\n\
    echo 'To fix it, run `frobnicate --repair`'\n\
    exit 3\n";

/// A shell in a tmux pane whose output is captured.
struct Desk {
    tmux: Tmux,
    pane: Pane,
    at: usize,
}

impl Desk {
    fn new(shell: Shell, rc: &str) -> Self {
        Self::with(shell, rc, "")
    }

    fn with(shell: Shell, rc: &str, settings: &str) -> Self {
        let mut home = Home::new();
        home.write("bin/frobnicate", FROBNICATE);
        home.write(".config/aside/config.toml", settings);
        let path = format!("{}:{}", home.path("bin").display(), std::env::var("PATH").unwrap_or_default());
        let own = std::path::Path::new(crate::harness::home::ASIDE).parent().unwrap();
        home.set_env("PATH", &format!("{}:{path}", own.display()));
        shell.prepare(&home);
        let init = shell.init_line();
        home.write(shell.rc_file(), format!("{}\n{init}\n{rc}\n", shell.stage_directions()));
        home.aside_does(&["daemon", "start"]);
        let (tmux, pane) = Tmux::start(home, &format!("{} -i", shell.name()));
        let mut desk = Self { tmux, pane, at: 0 };
        desk.prompt();
        desk
    }

    fn shows(&self) -> String {
        self.tmux.does(&["capture-pane", "-p", "-S", "-", "-t", &self.pane.id])
    }

    #[track_caller]
    fn prompt(&mut self) {
        self.at += 1;
        let prompt = format!("{}>", self.at);
        let is_there = || self.shows().lines().any(|line| line.starts_with(&prompt));
        wait_until(&format!("prompt {prompt} below\n{}", self.shows()), is_there);
    }

    #[track_caller]
    fn runs(&mut self, line: &str) {
        self.tmux.types(&self.pane, line);
        self.prompt();
    }

    fn recalled(&self) -> Vec<(String, String)> {
        let recalled = self.tmux.home.wire().json(json!({"type": "recall", "tty": self.pane.tty}));
        let commands = recalled["commands"].as_array().cloned().unwrap_or_default();
        let text = |value: &serde_json::Value| value.as_str().unwrap_or("(unseen)").to_owned();
        commands.iter().map(|past| (text(&past["command"]), text(&past["output"]))).collect()
    }

    /// Runs commands until the daemon captures one, then runs this one and waits until the daemon has its output.
    #[track_caller]
    fn is_seen(&mut self, line: &str) {
        let told = |desk: &Self| desk.recalled().iter().any(|(_, output)| output == "ready");
        let deadline = std::time::Instant::now() + crate::harness::patience();
        while !told(self) {
            assert!(std::time::Instant::now() < deadline, "nothing is seen: {:?}", self.recalled());
            self.runs("echo ready");
        }
        self.runs(line);
        wait_until(&format!("the output of `{line}`: {:?}", self.recalled()), || {
            self.recalled().iter().any(|(command, output)| command == line && output != "(unseen)")
        });
    }
}

fn fixes(shell: Shell, rc: &str) {
    let mut desk = Desk::new(shell, rc);
    desk.is_seen("frobnicate");
    desk.runs("aside fix");
    let shown = desk.shows();
    let (_, answer) = shown.split_once("aside fix").expect("it was typed");
    assert!(answer.contains("\nfrobnicate --repair\n"), "{shell:?}: {shown}");
    assert!(answer.contains("aside: frobnicate ended with 3"), "{shell:?}: {shown}");
    assert!(answer.contains("aside: frobnicate says: To fix it"), "{shell:?}: {shown}");
    assert!(!answer.contains("did not see what it printed"), "{shell:?}: {shown}");
    // `aside fix` looks at the last command only.
    desk.runs("echo well");
    desk.runs("aside fix");
    let shown = desk.shows();
    let (_, answer) = shown.rsplit_once("\"well\"").or_else(|| shown.rsplit_once("echo well")).expect("it was typed");
    assert!(answer.contains("did not fail"), "{shell:?}: {shown}");
    assert!(!answer.contains("\nfrobnicate --repair\n"), "{shell:?}: {shown}");
}

#[test]
fn bash_is_told_what_to_do_and_why() {
    fixes(Shell::Bash, "");
}

#[test]
fn bash_with_the_keys_of_vi_and_strict_is_too() {
    fixes(Shell::Bash, "set -o vi; set -u");
}

#[test]
fn fish_is_told_what_to_do_and_why() {
    fixes(Shell::Fish, "");
}

#[test]
fn fish_with_the_keys_of_vi_is_too() {
    // fish starts in insert mode and shows it; hiding the mode keeps the prompt unchanged.
    fixes(Shell::Fish, "fish_vi_key_bindings; function fish_mode_prompt; end");
}

#[test]
fn zsh_is_told_what_to_do_and_why() {
    fixes(Shell::Zsh, "");
}

#[test]
fn zsh_with_the_keys_of_vi_is_too() {
    fixes(Shell::Zsh, "bindkey -v");
}

#[test]
fn a_daemon_that_comes_later_hears_where_bash_and_fish_are() {
    for shell in [Shell::Bash, Shell::Fish] {
        let mut desk = Desk::new(shell, "");
        desk.is_seen("frobnicate");
        desk.tmux.home.aside_does(&["daemon", "stop"]);
        desk.tmux.home.aside_does(&["daemon", "start"]);
        assert_eq!(desk.recalled(), [], "{shell:?}: it remembers nothing");
        desk.is_seen("frobnicate");
    }
}

#[test]
fn what_the_settings_do_not_want_any_more_ends_without_a_new_shell() {
    let mut desk = Desk::new(Shell::Bash, "");
    desk.is_seen("echo one");
    desk.tmux.home.aside_does(&["config", "set", "suggest.capture", "off"]);
    let unseen = |desk: &Desk| desk.recalled().last().is_some_and(|(_, output)| output == "(unseen)");
    let deadline = std::time::Instant::now() + crate::harness::patience();
    while !unseen(&desk) {
        assert!(std::time::Instant::now() < deadline, "{:?}", desk.recalled());
        desk.runs("echo two");
    }
    wait_until("the sink to end", || desk.tmux.sinks().is_empty());
}

#[test]
fn what_a_command_said_to_a_sentence_tells_that_it_was_one() {
    let line = "deploy please make sure that the tests pass";
    // A function of the user's: only its output tells that it did not understand the words.
    let rc = "deploy() { echo \"deploy: unknown command '$1'\"; return 2; }";
    let answered = "This needs a model";
    let mut desk = Desk::with(Shell::Bash, rc, "[suggest]\ncapture = 'off'\n");
    desk.runs("echo one");
    desk.runs(line);
    assert!(!desk.shows().contains(answered), "{}", desk.shows());
    let mut desk = Desk::new(Shell::Bash, rc);
    desk.is_seen("echo one");
    // bash does not wait for a reply that takes longer than a prompt may, as on a busy machine.
    let heard = (0..6).any(|_| {
        desk.runs(line);
        desk.shows().contains(answered)
    });
    assert!(heard, "{}", desk.shows());
    desk.runs("echo was $?");
    desk.tmux.wait_for(&desk.pane, "was 2");
}

#[test]
fn a_line_that_did_not_parse_is_the_last_one() {
    for (shell, line) in [(Shell::Bash, "echo )"), (Shell::Fish, "echo )")] {
        let mut desk = Desk::new(shell, "");
        desk.is_seen("frobnicate");
        desk.tmux.types(&desk.pane, line);
        wait_until(&format!("the error of {shell:?}"), || desk.recalled().iter().any(|(command, _)| command == line));
        // fish keeps such a line for the user to mend.
        desk.tmux.does(&["send-keys", "-t", &desk.pane.id, "C-c"]);
        desk.tmux.types(&desk.pane, "aside fix");
        wait_until(&format!("the reply in {shell:?}, not below\n{}", desk.shows()), || {
            desk.shows().contains("did not parse")
        });
        let shown = desk.shows();
        let (_, answer) = shown.split_once("aside fix").expect("it was typed");
        assert!(!answer.contains("frobnicate"), "{shell:?}: {shown}");
    }
}

#[test]
fn why_did_that_fail_has_the_answer_of_fix() {
    for (shell, rc) in [(Shell::Bash, "_aside_patience=9000"), (Shell::Fish, "")] {
        let mut desk = Desk::new(shell, rc);
        desk.is_seen("frobnicate");
        desk.tmux.types(&desk.pane, "why did that fail?");
        desk.tmux.wait_for(&desk.pane, "frobnicate says: To fix it");
        desk.tmux.wait_for(&desk.pane, "Tab takes it");
    }
}
