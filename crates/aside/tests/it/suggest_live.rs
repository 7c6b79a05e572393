//! The reference scenarios of next-command suggestions on a real screen: a real zsh, the real daemon, no model. Output is captured
//! through Aside's proxy terminal, and once through tmux. Scripts stand in for programs that are not installed everywhere and print
//! what the real ones printed; `make soak` runs the real ones.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::keys::Key;
use crate::harness::scene::Scene;
use crate::harness::setup::Setup;
use crate::harness::{has_tools, patience};
use crate::model::Model;
use crate::model::scripted_reply::ScriptedReply;

/// Long enough for a wrong suggestion to appear.
const QUIET: Duration = Duration::from_millis(900);

fn zsh() -> Setup {
    Scene::zsh()
        .config("[suggest]\ncapture = 'pty'\n")
        .env("GIT_AUTHOR_NAME", "ada")
        .env("GIT_AUTHOR_EMAIL", "ada@example.org")
        .env("GIT_COMMITTER_NAME", "ada")
        .env("GIT_COMMITTER_EMAIL", "ada@example.org")
}

/// A script on the user's PATH that prints `output` and exits with `exit`.
fn stands_in(stage: Setup, name: &str, output: &str, exit: i32) -> Setup {
    stage
        .rc("path=(~/bin $path)")
        .file(&format!("bin/{name}"), &format!("#!/bin/sh\ncat <<'END'\n{output}\nEND\nexit {exit}\n"))
}

/// Starts the shell and waits until its output is captured: the first command may finish before the daemon has replied.
fn starts(stage: Setup) -> Scene {
    let mut scene = stage.start();
    let asked = json!({"type": "recall", "session_id": "", "tty": scene.runs("print -r $TTY").trim()});
    let deadline = Instant::now() + patience();
    loop {
        scene.runs("print seen");
        let recalled = scene.wire().json(asked.clone());
        let seen = |past: &Value| past["output"] == "seen";
        if recalled["commands"].as_array().is_some_and(|commands| commands.iter().any(seen)) {
            return scene;
        }
        assert!(Instant::now() < deadline, "nobody sees what is printed: {recalled}");
    }
}

#[test]
fn next_live_an_output_names_the_command() {
    let resume = "copilot --resume=64a11e60-0fe6-4517-9e1b-3675ac2cccf2";
    let output = format!("Total session time:     20s\nResume this session with {resume}");
    let ghost = format!("|{resume}");
    let mut scene = starts(stands_in(zsh(), "copilot", &output, 0));
    scene.runs("copilot");
    scene.shows_ghost(&ghost);
    scene.presses(Key::Tab).shows_line(&format!("{resume}|")).shows_no_ghost();
    // Typing something else removes it at once.
    scene.presses(Key::Ctrl('u')).shows_line("|");
    scene.runs("copilot");
    scene.shows_ghost(&ghost).types("frobn").shows_line("frobn|");
}

/// Before the shell has reported its functions and aliases to the daemon.
#[test]
fn next_live_a_slip_in_the_first_command() {
    let stage = stands_in(Scene::zsh(), "frobnicate", "done", 0);
    let mut scene = stage.rc("for n in {1..3000}; do functions[plugin-function-$n]=:; done").start();
    scene.runs("frobnicaet push");
    scene.shows_ghost("|frobnicate push");
}

#[test]
fn next_live_a_push_without_an_upstream() {
    let mut scene = starts(zsh());
    scene.runs("git init -q --bare remote; git init -q code; cd code; git remote add origin ../remote");
    scene.runs("git commit -q --allow-empty -m one; git checkout -q -b feature/auth");
    scene.runs("git push");
    scene.shows_ghost("|git push --set-upstream origin feature/auth");
    scene.presses(Key::Right).shows_line("git push --set-upstream origin feature/auth|");
    let pushed = scene.runs("");
    assert!(pushed.contains("feature/auth"), "{pushed}");
}

#[test]
fn next_live_the_same_in_tmux() {
    let mut scene = Scene::zsh().start();
    scene.runs("git init -q --bare remote; git init -q code; cd code; git remote add origin ../remote");
    scene.runs("git -c user.name=a -c user.email=a commit -q --allow-empty -m one; git checkout -q -b topic");
    scene.sends("tmux -f /dev/null new-session zsh -d -i\r").shows("[0] 0:zsh");
    scene.wait_for("a prompt in there", |screen| screen.text().contains("1>"));
    // The first commands may finish before the daemon has replied.
    for number in 1..=3 {
        scene.sends("sleep 0.1\r");
        scene.wait_for("the next prompt", |screen| screen.text().contains(&format!("{}>", number + 1)));
        scene.rests("at rest", Duration::from_millis(200), |_| true);
    }
    scene.sends("git push\r").shows("no upstream branch");
    scene.wait_for("it is suggested", |screen| screen.text().matches("push --set-upstream origin topic").count() == 2);
    scene.presses(Key::Tab).types(" --dry-run");
    scene.wait_for("it is taken", |screen| screen.text().contains("git push --set-upstream origin topic --dry-run"));
    scene.presses(Key::Ctrl('u')).sends("exit\r").shows("[exited]");
}

#[test]
fn next_live_npm_names_what_mends() {
    let output = "\nadded 57 packages, and audited 58 packages in 2s\n\nfound 3 vulnerabilities (1 moderate, 2 high)\n  \
                  run `npm audit fix` to fix them, or `npm audit` for details";
    let mut scene = starts(stands_in(zsh(), "npm", output, 0).file("package.json", "{}\n"));
    scene.runs("npm install");
    scene.shows_ghost("|npm audit fix");
}

#[test]
fn next_live_a_failed_test_is_run_alone() {
    let output = "============================= test session starts ==============================\n\
        collected 2 items\n\ntests/test_auth.py F.                                                    [100%]\n\n\
        =========================== short test summary info ============================\n\
        FAILED tests/test_auth.py::test_login - AssertionError: assert 1 == 2\n\
        ========================= 1 failed, 1 passed in 0.02s ==========================";
    let mut scene = starts(stands_in(zsh(), "pytest", output, 1));
    scene.runs("pytest");
    scene.shows_ghost("|pytest tests/test_auth.py::test_login -x");
}

/// A merge with conflicts in two files.
const CONFLICT: &str = "#!/bin/sh
git init -q -b main code; cd code; mkdir src
write() { for f in main auth; do echo $1 > src/$f.py; done; git add .; git commit -qm $1; }
write a; git checkout -q -b feature/auth; write b; git checkout -q main; write c; git merge feature/auth
exit 0
";

#[test]
fn next_live_conflicts_are_seen_in_the_status_and_in_the_session() {
    let mut scene = starts(zsh().file("conflict", CONFLICT));
    scene.runs("./conflict; cd code");
    scene.runs("git status");
    scene.shows_ghost("|git mergetool");
    // The output of the last command says little by itself.
    scene.runs("cat src/main.py");
    scene.runs("grep '<<<' src/*.py");
    scene.shows_ghost("|git mergetool");
}

#[test]
fn next_live_routine_is_left_alone() {
    let readme = "# App\n\nTo install it, run `make install`.\n\n    $ make install\n";
    let builds = stands_in(zsh(), "build", "compiling 12 files\nBUILD SUCCESSFUL in 3s", 0);
    let mut scene = starts(builds.file("README.md", readme));
    for line in ["ls", "cat README.md", "build", "true"] {
        scene.runs(line);
        scene.stays_without_ghost(QUIET);
    }
}

#[test]
fn next_live_cargo_names_the_command_that_was_meant() {
    let bin = Path::new(env!("CARGO")).parent().unwrap().display();
    let mut scene = starts(zsh().rc(&format!("path=('{bin}' $path)")));
    scene.runs("cargo new --quiet --vcs none app; cd app");
    scene.runs("cargo buld");
    scene.shows_ghost("|cargo build");
}

#[test]
fn next_live_tools_a_real_pytest() {
    if !has_tools() {
        return;
    }
    let failing = "def test_login():\n    assert 1 == 2\n\ndef test_logout():\n    pass\n";
    let mut scene = starts(zsh().rc("path+=(/usr/bin)").file("tests/test_auth.py", failing));
    scene.runs("pytest -p no:cacheprovider tests");
    scene.shows_ghost("|pytest tests/test_auth.py::test_login -x");
}

#[test]
fn next_live_tools_a_real_npm() {
    if !has_tools() {
        return;
    }
    let package = r#"{"name": "app", "version": "1.0.0", "scripts": {"test": "true", "build": "true"}}"#;
    let mut scene = starts(zsh().rc("path+=(/usr/bin)").file("package.json", package));
    scene.runs("npm run biuld");
    scene.shows_ghost("|npm run build");
}

/// Routine commands are not sent, and completion requests for typed keys do not change what was sent before.
#[test]
fn next_live_a_model_is_told_the_session_and_it_only_grows() {
    let model = Model::start();
    model.always(ScriptedReply::chat("none"));
    let config = format!(
        "[suggest]\ncapture = 'pty'\n[complete]\nmodel_min_chars = 100\n[llm]\nprovider = 'openai'\nbase_url = '{}'\n\
         model = 'scripted'\ntimeout_connect_ms = 10000\ntimeout_read_ms = 10000\n",
        model.base_url()
    );
    let frob =
        "#!/bin/sh\nfor line in $(seq 30); do echo \"spindle $1, line $line of what is wrong with it\"; done\nexit 3\n";
    let stage = zsh().config(&config).rc("path=(~/bin $path)").file("bin/frob", frob);
    let mut scene = starts(stage);
    let mut earlier: Vec<String> = Vec::new();
    for number in 1..=10 {
        scene.runs(&format!("frob {number}"));
        model.wait_for_requests(number);
        model.wait_for_ending(number - 1);
        let told = model.requests().last().unwrap().body["messages"][1]["content"].as_str().unwrap().to_owned();
        earlier.push(told.split_once("Now:\n").unwrap().0.to_owned());
        scene.runs("ls; print all built");
    }
    for (number, pair) in (1..).zip(earlier.windows(2)) {
        assert!(pair[1].starts_with(&pair[0]) && pair[1] != pair[0], "{number}: {pair:?}");
    }
    let all = earlier.last().unwrap();
    assert_eq!(all.matches("Command: frob ").count(), 9, "{all}");
    assert_eq!(all.matches(", line ").count(), 9 * 20, "{all}");
    assert!(!all.contains("all built"), "{all}");
}
