//! `aside task` with a real daemon: how a request is routed, as scripts see it; and whole tasks at a terminal, from the request to
//! the result.

use serde_json::Value;

use crate::harness::home::{ASIDE, Home, Said, run};
use crate::harness::screen::GHOST;
use crate::harness::tasks::TaskClient;
use crate::harness::terminal::Terminal;
use crate::model::Model;
use crate::model::scripted_reply::ScriptedReply;

fn routed(home: &Home, words: &str) -> Value {
    let said = home.aside_does(&["task", "route", "--json", "--", words]);
    serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}: {}", said.stdout))
}

#[test]
fn task_route_says_what_is_wanted_and_does_nothing() {
    let home = Home::new();
    for (words, kind, mode) in [
        ("why is the build slow", "explain", "none"),
        ("explain how to add a column", "explain", "none"),
        ("remove unused imports", "change", "local_approval"),
        ("run the tests", "run", "local_approval"),
        ("where is parse_line defined", "search", "none"),
        ("运行测试", "run", "local_approval"),
    ] {
        let told = routed(&home, words);
        assert_eq!((&told["kind"], &told["requires"]["mode"]), (&kind.into(), &mode.into()), "{words}: {told}");
        assert!(told["confidence"].as_f64().is_some_and(|sure| sure >= 0.55), "{told}");
        assert!(!told["summary"].as_str().unwrap_or_default().is_empty(), "{told}");
    }
    assert!(!home.path(".local/state/aside").exists(), "nothing was written");
    let said = home.aside_does(&["task", "route", "--", "rename", "foo", "to", "bar"]);
    assert!(said.stdout.starts_with("change "), "{}", said.stdout);
}

#[test]
fn task_route_follows_the_setting() {
    let home = Home::new();
    home.write(".config/aside/config.toml", "[task]\nconfidence_threshold = 1.0\n");
    let told = routed(&home, "remove unused imports");
    assert_eq!((&told["scope"], &told["requires"]["mode"]), (&"plan".into(), &"none".into()), "{told}");
}

const SOURCE: &str = "class User:\n\tdef name(self):\n\t\treturn self.nmae\n";
const FIX: &str = "Fixes the field.\n\n```diff\n--- a/src/user.py\n+++ b/src/user.py\n@@ -1,3 +1,3 @@\n class User:\n \tdef name(self):\n-\t\treturn self.nmae\n+\t\treturn self.name\n```\n";

/// A project whose tests are a script, and a model if there is one.
fn project(tests: &str, model: Option<&Model>) -> Home {
    let mut home = Home::new();
    home.write("bin/frobnicate", format!("#!/bin/sh\n{tests}\n"));
    home.write("project/.git/HEAD", "ref: refs/heads/main\n");
    home.write("project/src/user.py", SOURCE);
    home.set_env("PATH", &format!("{}:/usr/bin:/bin", home.path("bin").display()));
    home.set_env("SHELL", "/bin/bash");
    let llm = model
        .map(|model| format!("[llm]\nprovider = 'openai'\nbase_url = '{}'\nmodel = 'scripted'\n", model.base_url()));
    let task = "[task]\ndefault_test_command = 'frobnicate --all'\n";
    home.write(".config/aside/config.toml", format!("{task}{}", llm.unwrap_or_default()));
    home
}

fn said(home: &Home, args: &[&str]) -> Said {
    let mut command = home.command(ASIDE);
    command.current_dir(home.path("project")).arg("task").args(args);
    run(&mut command, "")
}

fn at_terminal(home: &Home, args: &[&str]) -> Terminal {
    let mut command = home.command(ASIDE);
    command.current_dir(home.path("project")).arg("task").args(args);
    Terminal::start(command, (30, 100), GHOST, home.daemon_log())
}

/// Reads the proposal, approves it, and returns the exit code and everything that was printed.
fn approved(mut terminal: Terminal, question: &str) -> (i32, String) {
    terminal.wait_for("the question", |screen| screen.contains(question));
    terminal.answer(b"y");
    let code = terminal.wait_for_end();
    (code, terminal.transcript().join("\n"))
}

#[test]
fn a_command_runs_when_it_is_approved_and_how_it_ended_is_told() {
    let home = project("echo \"12 passed in $PWD with $1\"; touch ran", None);
    let terminal = at_terminal(&home, &["run", "the", "tests"]);
    let screen = terminal.wait_for("the question", |screen| screen.contains("Run it?"));
    assert!(screen.contains("command  frobnicate --all"), "{}", screen.text());
    assert!(!home.path("project/ran").exists(), "nothing runs before it is approved");
    let (code, transcript) = approved(terminal, "Run it?");
    assert_eq!(code, 0, "{transcript}");
    assert!(transcript.contains("project with --all"), "{transcript}");
    assert!(home.path("project/ran").exists());
    let list: Value = serde_json::from_str(&said(&home, &["list", "--json"]).stdout).unwrap();
    assert_eq!((&list[0]["state"], &list[0]["text"]), (&"COMPLETED".into(), &"run the tests".into()));
}

#[test]
fn a_command_that_fails_fails_the_task() {
    let home = project("echo boom >&2; exit 3", None);
    let (code, transcript) = approved(at_terminal(&home, &["run the tests"]), "Run it?");
    assert_eq!(code, 1, "{transcript}");
    assert!(transcript.contains("boom"), "{transcript}");
    let shown = said(&home, &["show"]);
    assert_eq!(shown.code, 0);
    assert!(shown.stdout.contains("> run the tests") && shown.stdout.contains("boom"), "{}", shown.stdout);
    assert!(shown.stderr.contains("failed: ") && shown.stderr.contains('3'), "{}", shown.stderr);
    // A retry works like the first attempt: proposed, and asked about.
    let (code, transcript) = approved(at_terminal(&home, &["retry"]), "Run it?");
    assert_eq!(code, 1, "{transcript}");
    assert!(transcript.contains("attempt 2"), "{transcript}");
}

#[test]
fn a_change_is_shown_written_and_taken_back() {
    let model = Model::start();
    model.next(ScriptedReply::chat(FIX));
    let home = project("true", Some(&model));
    let terminal = at_terminal(&home, &["fix the misspelled field in src/user.py"]);
    let screen = terminal.wait_for("the question", |screen| screen.contains("Write it?"));
    assert_eq!(screen.text().matches("return self.name").count(), 1, "the change is shown once: {}", screen.text());
    assert!(screen.contains("M src/user.py +1 -1"), "{}", screen.text());
    assert_eq!(home.read("project/src/user.py"), SOURCE);
    let (code, transcript) = approved(terminal, "Write it?");
    assert_eq!(code, 0, "{transcript}");
    assert!(transcript.contains("aside task undo"), "{transcript}");
    assert_eq!(home.read("project/src/user.py"), SOURCE.replace("nmae", "name"));
    assert_eq!(said(&home, &["undo"]).code, 0);
    assert_eq!(home.read("project/src/user.py"), SOURCE);
    assert_eq!(said(&home, &["undo"]).code, 1);
}

#[test]
fn what_waits_is_marked_in_the_list_and_can_be_stopped() {
    let home = project("touch ran", None);
    let waits = said(&home, &["run the tests"]);
    assert_eq!(waits.code, 4, "{}{}", waits.stdout, waits.stderr);
    let list = said(&home, &["list"]).stdout;
    assert!(list.starts_with("* ") && list.contains("waits for you  run the tests"), "{list}");
    let id = list.split_whitespace().nth(1).unwrap().to_owned();
    let shown = said(&home, &["show", &id[..4]]);
    assert_eq!(shown.code, 4, "a name may be shortened: {}", shown.stderr);
    assert!(shown.stdout.contains("command  frobnicate --all"), "{}", shown.stdout);
    assert_eq!(said(&home, &["cancel", "last"]).stdout, format!("{id} was stopped\n"));
    assert_eq!(said(&home, &["watch", &id]).code, 4);
    let events = said(&home, &["watch", &id, "--json", "--from", "2"]);
    let events: Vec<Value> = events.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&events[0]["seq"], &events.last().unwrap()["status"]), (&3.into(), &"rejected".into()));
    assert!(!home.path("project/ran").exists());
    assert_eq!(said(&home, &["list", "--find", "frobnicate", "nowhere"]).stdout, "");
}

#[test]
fn a_request_may_begin_like_a_command() {
    let home = project("true", None);
    home.write("project/src/parser.py", "def parse_line(line):\n\treturn line\n");
    for words in [&["list", "the", "files", "that", "mention", "parse_line"][..], &["show", "me", "parse_line"]] {
        let asked = said(&home, &[&["--json"], words].concat());
        assert!(asked.stdout.contains(&format!(r#""text":"{}""#, words.join(" "))), "{words:?}: {}", asked.stdout);
    }
    let listed = said(&home, &["list", "--find", "parse_line"]);
    assert_eq!(listed.stdout.lines().count(), 2, "they are tasks now: {}", listed.stdout);
}

#[test]
fn a_word_in_the_place_of_an_id_is_no_request() {
    let home = project("true", None);
    for words in [["show", "zzz"], ["retry", "zzz"], ["undo", "zzz-9"], ["show", "diff"], ["watch", "nosuch"]] {
        let asked = said(&home, &words);
        assert_eq!((asked.code, asked.stdout.as_str()), (2, ""), "{words:?}: {}", asked.stderr);
    }
    assert!(said(&home, &["show", "diff"]).stderr.contains("aside task -- show diff"));
    assert_eq!(said(&home, &["list"]).stdout, "", "nothing was asked");
}

#[test]
fn a_search_says_what_it_left_out() {
    let home = project("true", None);
    home.write("project/.env", "FROB_KEY=1\n");
    let found = said(&home, &["where is FROB_KEY used"]);
    assert!(found.stdout.contains("1 file was not searched"), "{}", found.stdout);
    let found = said(&home, &["where is User defined"]);
    assert!(!found.stdout.contains("not searched"), "what was found is enough: {}", found.stdout);
    let lines = |file: usize| (0..9).map(|line| format!("frob_line({file}, {line})\n")).collect::<String>();
    for file in 0..5 {
        home.write(&format!("project/src/f{file}.py"), lines(file));
    }
    let found = said(&home, &["find all uses of frob_line"]).stdout;
    assert_eq!(found.lines().filter(|line| line.contains("frob_line(")).count(), 25, "{found}");
    assert!(found.contains("20 more places are not shown."), "{found}");
    // At a terminal the best results stay visible.
    let mut terminal = at_terminal(&home, &["find all uses of frob_line"]);
    assert_eq!(terminal.wait_for_end(), 0);
    let screen = terminal.transcript().join("\n");
    assert!(screen.contains("… 1 more: aside task show t"), "{screen}");
}

#[test]
fn what_is_kept_about_the_person_is_not_searched() {
    let home = project("true", None);
    let words = "find frob_secret_words";
    let mut command = home.command(ASIDE);
    command.current_dir(home.path("")).args(["task", words]);
    for _ in 0..2 {
        let found = run(&mut command, "");
        assert!(!found.stdout.contains("jsonl"), "the tasks themselves are no place to look: {}", found.stdout);
    }
}

#[test]
fn without_a_model_a_question_about_code_gets_its_place() {
    let home = project("true", None);
    let told = said(&home, &["explain what User does"]).stdout;
    assert!(told.contains("src/user.py:1") && told.contains("class User"), "{told}");
    assert!(!told.contains("model"), "the definition is the answer: {told}");
    let told = said(&home, &["what does src/user.py do"]).stdout;
    assert!(told.contains("`src/user.py` has 3 lines") && told.contains("def name(self)"), "{told}");
    home.write("project/.env", "FROB_KEY=1\n");
    let told = said(&home, &["what does .env do"]).stdout;
    assert!(!told.contains("FROB_KEY"), "{told}");
    let status = said(&home, &["status"]).stdout;
    assert!(status.contains("explain what User does"), "a task is known by what was asked: {status}");
}

#[test]
fn what_no_script_does_may_be_what_a_known_command_does() {
    let home = project("true", None);
    home.write("project/Makefile", "test:\n\ttrue\n");
    home.write("bin/git", "#!/bin/sh\n");
    let told = said(&home, &["undo my last commit"]);
    assert!(told.stdout.contains("command  git reset --soft HEAD~1"), "{}{}", told.stdout, told.stderr);
    assert_eq!(told.code, 4, "and is only proposed");
}

#[test]
fn an_edited_command_is_the_persons_own() {
    let mut home = project("echo \"frob $*\"", None);
    home.write("bin/edit", "#!/bin/sh\necho 'frobnicate --one' > \"$1\"\n");
    let edit = home.path("bin/edit").display().to_string();
    home.set_env("VISUAL", &edit);
    let terminal = at_terminal(&home, &["run the tests"]);
    terminal.wait_for("the question", |screen| screen.contains("Run it?"));
    terminal.answer(b"e");
    terminal.wait_for("the new proposal", |screen| {
        screen.contains("Run `frobnicate --one`")
            && screen.contains("It is what you wrote.")
            && screen.contains("Run it?")
    });
    let (code, transcript) = approved(terminal, "Run it?");
    assert_eq!(code, 0, "{transcript}");
    assert!(transcript.contains("frob --one"), "{transcript}");
}

#[test]
fn a_program_that_wants_a_terminal_is_proposed_with_a_word_about_it() {
    let home = project("true", None);
    let told = said(&home, &["run vi README"]);
    assert!(told.stdout.contains("note     vi wants a terminal"), "{}{}", told.stdout, told.stderr);
}

#[test]
fn what_cannot_be_is_told_by_the_exit_code() {
    let home = project("true", None);
    assert_eq!(said(&home, &[]).code, 2);
    assert_eq!(said(&home, &["show", "--frob"]).code, 2);
    let unknown = ["show", "cancel", "undo", "watch", "retry"].map(|command| (vec![command, "tnosuch"], 2));
    for (args, code) in [(vec!["cancel"], 1), (vec!["undo"], 1)].into_iter().chain(unknown) {
        let said = said(&home, &args);
        assert_eq!((said.code, said.stdout.as_str()), (code, ""), "{args:?}");
        assert!(said.stderr.starts_with("aside: "), "{args:?}: {}", said.stderr);
    }
    let rules = said(&home, &["rules", "--json"]);
    let rules: Vec<String> = serde_json::from_str(&rules.stdout).unwrap();
    assert!(rules.len() > 2 && rules[0].starts_with("yours: "), "{rules:?}");
    let show = said(&home, &["show", "tests"]);
    assert!(show.stderr.contains("aside task -- show tests"), "it may have been meant in words: {}", show.stderr);
    // After `--` nothing is a subcommand.
    let asked = said(&home, &["--json", "--", "list", "the", "rules"]);
    assert!(asked.stdout.contains(r#""text":"list the rules""#), "{}", asked.stdout);
    home.write(".config/aside/config.toml", "[task]\nenabled = false\n");
    home.aside_does(&["daemon", "stop"]);
    let off = said(&home, &["run the tests"]);
    assert_eq!(off.code, 1);
    assert!(off.stderr.contains("task.enabled"), "{}", off.stderr);
}

#[test]
fn a_list_that_stops_says_so() {
    let home = project("", None);
    home.aside_does(&["daemon", "start"]);
    let mut ada = TaskClient::at(&home, &home.path("project"));
    for number in 0..51 {
        let task = ada.asks(&format!("help {number}"));
        ada.ends(&task);
    }
    let listed = said(&home, &["list"]);
    assert_eq!(listed.stdout.lines().count(), 50);
    assert!(listed.stderr.contains("the newest, 50 in all; `aside task list --all` shows the others"), "{listed:?}");
    let listed = said(&home, &["list", "--all"]);
    assert_eq!((listed.stdout.lines().count(), listed.stderr.as_str()), (51, ""));
}
