//! `aside translate` and `aside explain` as scripts and users call them.

use std::time::Duration;

use serde_json::Value;

use crate::harness::home::{ASIDE, Home, Said, run};
use crate::model::Model;
use crate::model::scripted_reply::ScriptedReply;

const KNOWN: [&str; 7] = ["show", "the", "last", "5", "commits", "as", "one-liners"];

fn home() -> Home {
    let mut home = Home::new();
    for program in ["git", "find", "frob", "rm", "ls", "kill", "lsof"] {
        home.write(&format!("bin/{program}"), "#!/bin/sh\n");
    }
    home.set_env("PATH", &home.path("bin").display().to_string());
    home
}

fn with_model(home: &Home, settings: &str) -> Model {
    let model = Model::start();
    let url = model.base_url();
    let llm = format!("[llm]\nprovider = 'openai'\nbase_url = '{url}'\nmodel = 'scripted'\n{settings}");
    home.write(".config/aside/config.toml", llm);
    model
}

fn translate(home: &Home, args: &[&str]) -> Said {
    home.aside(&[&["translate"], args].concat())
}

/// A single line that the embedded engine is known to produce. Its exact form is not fixed here.
#[track_caller]
fn is_known(said: &Said) {
    let fits = said.stdout.starts_with("git log --oneline ") && said.stdout.ends_with("5\n");
    assert!(fits && said.stdout.lines().count() == 1 && said.code == 0, "{said:?}");
}

#[track_caller]
fn json(said: &Said) -> Value {
    serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("not JSON ({error}): {said:?}"))
}

#[test]
fn translate_prints_the_command_and_nothing_else() {
    let home = home();
    for verb in ["translate", "ask"] {
        let said = home.aside(&[&[verb], &KNOWN[..]].concat());
        is_known(&said);
        assert_eq!(said.stderr, "");
    }
    let said = home.aside_reads(&["translate"], "show the last 5\n commits as one-liners\n");
    is_known(&said);
    assert!(!home.socket().exists(), "no daemon is needed for this");
}

#[test]
fn a_command_over_many_files_says_what_it_would_touch() {
    let home = Home::new();
    for name in ["a.log", "sub/b.log", ".git/c.log", "d e.log", "f.log", "g.txt"] {
        home.write(&format!("here/{name}"), "0123456789");
    }
    let here = home.path("here").display().to_string();
    let said = home.aside(&["translate", "--cwd", &here, "delete", "all", "log", "files"]);
    assert!(said.stderr.contains("deletes files (4 entries, 40 bytes: "), "{said:?}");
    assert_eq!(said.stderr.matches(".log").count(), 3, "the first three: {said:?}");
    assert!(!said.stderr.contains(".git"), "{said:?}");
    let none = home.aside(&["translate", "--cwd", &here, "delete", "all", "pdf", "files"]);
    assert!(none.stderr.contains("(nothing matches now)"), "{none:?}");
    // The files are still there: only a search has run.
    assert!(home.path("here/a.log").exists() && home.path("here/sub/b.log").exists());
}

#[test]
fn translate_says_why_there_is_no_answer() {
    let home = home();
    let said = translate(&home, &["frobnicate", "the", "quux"]);
    assert_eq!((said.stdout.as_str(), said.code), ("", 1));
    assert_eq!(said.stderr, "aside: no answer; a model would know more: aside model\n");
    for (args, input) in [(&["translate"][..], ""), (&["translate", " "], "")] {
        let said = home.aside_reads(args, input);
        assert_eq!((said.stdout.as_str(), said.code), ("", 2), "{said:?}");
    }
    assert_eq!(translate(&home, &["--provider", "nobody", "x"]).code, 2);
}

#[test]
fn translate_names_the_program_that_is_missing() {
    let home = home();
    for (words, note) in
        [("list containers", "no answer: `docker` is not installed here"), ("list pods", "`kubectl` is not")]
    {
        let said = run(home.command(ASIDE).args(["translate", words]).env("PATH", home.path("nothing")), "");
        assert!(said.code == 1 && said.stderr.contains(note), "{}", said.stderr);
    }
    let said = run(home.command(ASIDE).args(["translate", "列出容器"]).env("PATH", home.path("nothing")), "");
    assert!(!said.stderr.contains("not installed"), "{}", said.stderr);
}

#[test]
fn translate_in_json_has_everything() {
    let said = translate(&home(), &[&["--json"], &KNOWN[..]].concat());
    let answer = json(&said);
    assert!(answer["command"].as_str().unwrap().starts_with("git log --oneline "), "{answer}");
    assert_eq!(answer["text"], answer["command"]);
    for (name, value) in [("source", "embedded"), ("nearness", "answer")] {
        assert_eq!(answer[name], value, "{name}");
    }
    for empty in ["warning", "note"] {
        assert_eq!(answer[empty], "", "{empty}");
    }
    assert!(answer["confidence"].as_f64().unwrap() > 0.5 && answer["alternatives"].is_array(), "{answer}");
    let none = translate(&home(), &["--json", "frobnicate", "the", "quux"]);
    assert_eq!((json(&none)["command"].as_str(), none.code), (Some(""), 1));
}

#[test]
fn translate_asks_the_model_that_the_settings_name() {
    let home = home();
    let model = with_model(&home, "");
    model.next(ScriptedReply::chat("1. rm -r quux\n2. frob --all"));
    let said = translate(&home, &["-n", "3", "frobnicate", "the", "quux"]);
    assert_eq!((said.stdout.as_str(), said.code), ("rm -r quux\nfrob --all\n", 0), "{said:?}");
    assert_eq!(said.stderr, "aside: rm -r quux: careful, it deletes files\n");
    let said = translate(&home, &["frobnicate", "the", "quux"]);
    assert_eq!(said.stdout, "rm -r quux\n", "it was remembered");
    assert_eq!(model.requests().len(), 1);
}

#[test]
fn translate_answers_here_when_the_model_fails() {
    let home = home();
    let model = with_model(&home, "timeout_wish_first_ms = 300\ntimeout_wish_ms = 600\n");
    for failure in [ScriptedReply::status(503), ScriptedReply::hangs()] {
        model.always(failure.clone());
        let said = translate(&home, &["show", "the", "last", "5", "quux", "commits", "as", "one-liners"]);
        is_known(&said);
        assert!(said.stderr.contains("aside: the model does not answer ("), "{said:?}");
        assert!(said.stderr.contains("; from the embedded engine\n"), "{said:?}");
    }
    // What the embedded engine is certain of needs no model.
    let asked = model.requests().len();
    let said = translate(&home, &KNOWN);
    is_known(&said);
    assert_eq!((said.stderr.as_str(), model.requests().len()), ("", asked));
}

#[test]
fn translate_answers_here_when_no_daemon_can_be_had() {
    let mut home = home();
    let model = with_model(&home, "");
    home.write("file", "");
    home.set_env("ASIDE_SOCKET", &home.path("file/aside.sock").display().to_string());
    let said = translate(&home, &KNOWN);
    is_known(&said);
    assert_eq!(said.stderr, "aside: the daemon does not answer; from the embedded engine\n");
    assert_eq!(model.requests(), []);
}

#[test]
fn translate_in_private_asks_nobody() {
    let mut home = home();
    let model = with_model(&home, "");
    home.set_env("ASIDE_PRIVATE", "1");
    let said = translate(&home, &KNOWN);
    is_known(&said);
    assert_eq!(said.stderr, "aside: private, so no model was asked; from the embedded engine\n");
    home.set_env("ASIDE_PRIVATE", "0");
    let said = translate(&home, &[&["--provider", "embedded"], &KNOWN[..]].concat());
    is_known(&said);
    assert_eq!(said.stderr, "");
    assert_eq!(model.requests(), []);
    assert!(!home.socket().exists());
}

#[test]
fn translate_leaves_the_prompt_alone_while_a_model_thinks() {
    // The daemon still answers other clients meanwhile.
    let home = home();
    let model = with_model(&home, "");
    home.aside_does(&["daemon", "start"]);
    model.next(ScriptedReply::chat("frob --all").delay(Duration::from_millis(400)));
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| translate(&home, &["frobnicate", "the", "quux"]));
        model.wait_for_requests(1);
        assert_eq!(home.wire().json(serde_json::json!({"type": "status"}))["type"], "status");
        assert_eq!(model.requests()[0].ending, crate::model::Ending::Open, "and it is still thinking");
        assert_eq!(asked.join().unwrap().stdout, "frob --all\n");
    });
}

#[test]
fn translate_says_what_is_wrong_around_it() {
    let mut home = home();
    let model = with_model(&home, "nl_prefixx = '?'\n");
    let said = translate(&home, &KNOWN);
    is_known(&said);
    let wrong = "aside: the settings make no sense, `aside doctor` says where; no model was asked";
    assert_eq!(said.stderr, format!("{wrong}; from the embedded engine\n"));
    assert_eq!(model.requests(), []);
    home.write(".config/aside/config.toml", "");
    home.write("gone/file", "");
    let gone = home.path("gone").display().to_string();
    for what in ["translate list files", "explain -- ls"] {
        let script = format!("cd '{gone}' && /bin/rm -rf '{gone}' && {} {what}; /bin/mkdir '{gone}'", ASIDE);
        let said = run(home.command("/bin/sh").args(["-c", &script]), "");
        assert!(
            said.stderr.starts_with("aside: this directory cannot be found any more; go to another one"),
            "{said:?}"
        );
        assert_eq!(said.stdout, "");
    }
    home.set_env("PATH", "");
    let said = translate(&home, &KNOWN);
    assert_eq!((said.stdout.as_str(), said.code), ("", 1));
    assert_eq!(said.stderr, "aside: no answer: PATH is empty, so no program is known\n");
}

#[test]
fn explain_says_what_each_part_does_and_destroys() {
    let home = home();
    let said = home.aside_does(&["explain", "--", "rm -rf build"]);
    let told = "Deletes build and everything in it without asking\n\n  rm     remove files  ! deletes files\n  \
                -r     directories with everything in them\n  \
                -f     without asking, and without complaint about what is missing\n  build  what to delete\n";
    assert_eq!(said.stdout, told);
    let said = home.aside_does(&["explain", "--json", "--", "rm", "-rf", "build"]);
    let parts = json(&said)["parts"].clone();
    assert_eq!((parts[0]["text"].as_str(), parts[0]["warning"].as_str()), (Some("rm"), Some("deletes files")));
    for harmless in ["git add .", "grep '>' f", "perform x"] {
        assert!(!home.aside(&["explain", "--", harmless]).stdout.contains("! "), "{harmless}");
    }
    let said = home.aside_does(&["explain", "--", "sudo sh -c 'rm -rf \"$HOME\"'"]);
    assert!(said.stdout.contains("! deletes your home directory"), "{said:?}");
    let said = home.aside(&["explain", "--", "qqjjzzxx --frob"]);
    assert_eq!((said.code, said.stderr.as_str()), (1, "aside: nothing is known about this command\n"));
    assert!(!home.socket().exists());
}

#[test]
fn an_option_that_does_not_exist_is_a_wrong_command_line() {
    let home = home();
    for args in [&["explain", "--bogus"][..], &["explain", "-x", "ls"], &["proxy", "--bogus"], &["proxy", "-x", "zsh"]]
    {
        let said = home.aside(args);
        assert_eq!((said.code, said.stdout.as_str()), (2, ""), "{args:?}: {}", said.stderr);
        assert!(said.stderr.contains(&format!("has no option {}", args[1])), "{}", said.stderr);
    }
}

#[test]
fn explain_has_a_models_words_first() {
    let home = home();
    let model = with_model(&home, "");
    model.next(ScriptedReply::chat("Frobs \u{1b}[31meverything.\n- `--all`: all of it\n"));
    let said = home.aside_does(&["explain", "--short", "--", "frob --all"]);
    assert_eq!(said.stdout, "Frobs everything.\n--all: all of it\n");
    let mut private = home;
    private.set_env("ASIDE_PRIVATE", "1");
    assert_eq!(private.aside(&["explain", "--", "frob --all"]).code, 1);
    assert_eq!(model.requests().len(), 1);
}

#[test]
fn translate_says_that_an_address_alone_names_no_model() {
    let home = Home::new();
    home.write(".config/aside/config.toml", "[llm]\nbase_url = 'http://127.0.0.1:9'\n");
    let said = home.aside(&["translate", "frobnicate the zork quux"]);
    assert_eq!(said.code, 1);
    assert!(said.stderr.contains("llm.base_url is set, but llm.provider names no model"), "{}", said.stderr);
}
