//! `aside detect` and `aside log` as scripts and users call them, and the daemon's verbs `detect` and `wrong`.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::home::{Home, Said};
use crate::harness::patience;

const LOG: &str = ".local/state/aside/reroutes.jsonl";
const MARKS: &str = ".local/state/aside/wrong.jsonl";
/// Prose that is never a command.
const SENTENCE: &str = "then what should I do next?";

/// A home whose programs are fixed, independent of this machine.
fn home() -> Home {
    let mut home = Home::new();
    for program in ["git", "make", "find", "ls", "grep", "go", "cargo", "test", "npm", "touch", "frob"] {
        home.write(&format!("bin/{program}"), "#!/bin/sh\n");
    }
    home.write("here/Makefile", "all:\n\techo\nsure:\n\techo\n");
    home.set_env("PATH", &home.path("bin").display().to_string());
    home.set_env("SHELL", "/bin/zsh");
    home
}

fn serving() -> Home {
    let home = home();
    home.aside_does(&["daemon", "start"]);
    home
}

fn detects(home: &Home, args: &[&str]) -> Said {
    home.aside(&[&["detect"], args].concat())
}

#[track_caller]
fn verdict(home: &Home, args: &[&str]) -> String {
    let said = detects(home, args);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{said:?}");
    said.stdout
}

/// The daemon's verdict on a line before it runs.
fn before(home: &Home, line: &str) -> Value {
    let here = home.path("here").display().to_string();
    let asked = json!({
        "type": "detect", "request_id": 1, "session_id": "zsh-1-1", "cwd": here, "line": line, "shell": "zsh",
        "phase": "before",
    });
    home.wire().json(asked)
}

/// Sends a line that was classified as prose to the agent, with the reason.
fn asks(home: &Home, session: &str, line: &str, reason: &str) {
    let asked = json!({
        "type": "ask", "request_id": 1, "session_id": session, "cwd": "/", "query": line, "shell": "zsh", "number": 1,
        "exit_status": 2, "reason": reason,
    });
    home.wire().json(asked);
}

/// Waits for log entries: they are written after the reply has been sent.
#[track_caller]
fn logged(home: &Home, count: usize) -> Vec<Value> {
    let deadline = Instant::now() + patience();
    loop {
        let said = home.aside_does(&["log", "--json", "--all"]).stdout;
        let rows: Vec<Value> = said.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
        if rows.len() >= count || Instant::now() > deadline {
            assert_eq!(rows.len(), count, "{said}");
            return rows;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn detect_prints_the_verdict_alone_and_the_reason_when_asked() {
    let home = home();
    assert_eq!(verdict(&home, &["before", "--", "ls -la"]), "shell\n");
    assert_eq!(verdict(&home, &["before", "ls", "-la", "--json"]), "shell\n", "a line may be written as it is");
    assert_eq!(verdict(&home, &["after", "--exit", "1", "--", "grep", "-r", "foo"]), "nothing\n");
    let explained = verdict(&home, &["before", "--explain", "--", "ls -la"]);
    assert!(explained.starts_with("shell\n") && explained.lines().count() == 2, "{explained}");
    let told: Value = serde_json::from_str(&verdict(&home, &["before", "--json", "--", "ls", "-la"])).unwrap();
    assert_eq!((&told["verdict"], &told["line"]), (&"shell".into(), &"ls -la".into()));
    assert!(told["reason"].is_string() && told.as_object().unwrap().len() == 3, "{told}");
    assert!(!home.socket().exists(), "no daemon is needed for this");
    assert!(!home.path(".local/state/aside").exists(), "asking leaves no trace");
}

#[test]
fn detect_reads_lines_and_what_they_printed() {
    let home = home();
    let lines = "ls\n\ngit status\n";
    let said = home.aside_reads(&["detect", "before", "-"], lines);
    assert_eq!((said.stdout.as_str(), said.code), ("shell\nshell\nshell\n", 0), "{said:?}");
    let said = home.aside_reads(&["detect", "before", "--json", "-"], lines);
    let told: Vec<Value> = said.stdout.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    assert_eq!(told.iter().map(|told| told["line"].as_str().unwrap()).collect::<Vec<_>>(), ["ls", "", "git status"]);
    let said = home.aside_reads(&["detect", "before", "--explain", "-"], lines);
    assert!(said.stdout.lines().all(|row| row.starts_with("shell\t")), "{said:?}");
    let said = home.aside_reads(&["detect", "before", "-"], &"frob --all \u{ff}\n".repeat(10_000));
    assert_eq!(said.stdout.lines().count(), 10_000);
    home.write("output", "no such thing\n");
    let file = home.path("output").display().to_string();
    for output in [file.as_str(), "-"] {
        let args = ["detect", "after", "--exit", "1", "--output-file", output, "--", "frob", "all"];
        assert_eq!(home.aside_reads(&args, "no such thing\n").stdout, "nothing\n");
    }
}

/// The reference table of the classifier's requirements.
#[test]
fn detect_knows_every_row_of_the_table() {
    let home = home();
    for line in [
        "do We already have a way to uninstall?",
        "in the codebase where is auth?",
        "while you are at it fix the tests",
        "@ ls",
    ] {
        for shell in ["zsh", "bash"] {
            let said = verdict(&home, &["before", "--shell", shell, "--explain", "--", line]);
            assert!(said.starts_with("agent\n") && said.lines().count() == 2, "{shell} {line}: {said}");
        }
    }
    for (line, exit, output) in [
        ("find out how the auth system works", "1", "find: out: unknown primary or operator"),
        ("make sure the tests pass", "2", "make: *** No rule to make target 'sure'.  Stop."),
        ("git me the latest changes", "1", "git: 'me' is not a git command. See 'git --help'."),
        ("while you are at it fix the tests", "2", "bash: syntax error near unexpected token `fi'"),
        ("test the login flow works", "2", "test: too many arguments"),
        ("go ahead and fix the tests", "2", "go ahead: unknown command"),
        ("go for it and deploy", "2", "go for: unknown command"),
        ("cargo ahead with the release", "101", "error: no such command: `ahead`"),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let args = ["detect", "after", "--exit", exit, "--output-file", "-", "--"];
        let said = home.aside_reads(&[&args[..], &words].concat(), output);
        assert_eq!((said.stdout.as_str(), said.code), ("agent\n", 0), "{line}: {said:?}");
        let before = verdict(&home, &["before", "--", line]);
        assert!(["agent\n", "unsure\n"].contains(&before.as_str()), "{line}: {before}");
        for exit in ["0", "130", "137"] {
            let args = ["detect", "after", "--exit", exit, "--output-file", "-", "--", line];
            assert_eq!(home.aside_reads(&args, output).stdout, "nothing\n", "{line} {exit}");
        }
    }
    assert_eq!(verdict(&home, &["before", "--", "ls -la"]), "shell\n");
    let args = ["detect", "after", "--exit", "1", "--output-file", "-", "--", "grep -r foo"];
    assert_eq!(home.aside_reads(&args, "grep: foo: No such file or directory").stdout, "nothing\n");
}

#[test]
fn detect_knows_what_is_here() {
    let home = home();
    let makes = |place: &str| {
        let cwd = home.path(place).display().to_string();
        let args = ["detect", "after", "--exit", "2", "--output-file", "-", "--cwd", &cwd, "--", "make sure it works"];
        home.aside_reads(&args, "make: *** No rule to make target 'it'.  Stop.").stdout
    };
    home.write("elsewhere/x", "");
    assert_eq!((makes("here").as_str(), makes("elsewhere").as_str()), ("nothing\n", "agent\n"));
}

#[test]
fn detect_in_the_daemon_takes_no_line_before_it_knows_what_is_here() {
    let home = serving();
    // A directory that has not been read yet may contain the name.
    home.write("here/base", "");
    assert_ne!(before(&home, "touch base with me about the plan")["verdict"], "agent");
    let home = serving();
    let deadline = Instant::now() + patience();
    loop {
        let said = before(&home, "touch base with me about the plan");
        if said["verdict"] == "agent" {
            break;
        }
        assert!(Instant::now() < deadline, "{said}");
    }
    assert_eq!(before(&home, "make sure of it")["verdict"], "unsure", "there is such a target");
}

#[test]
fn detect_says_what_is_wrong_with_its_arguments() {
    let home = home();
    for (args, complaint) in [
        (&["before"][..], "<LINE>"),
        (&["after", "--", "x"], "--exit"),
        (&["after", "--exit", "many", "--", "x"], "many"),
        (&["after", "--exit", "-1", "--", "x"], "-1"),
        (&["before", "--shell", "tcsh", "--", "x"], "tcsh"),
        (&["after", "--exit", "1", "--output-file", "-", "-"], "both"),
        (&["during", "--", "x"], "during"),
        (&["wrong", "--", " "], "LINE"),
    ] {
        let said = detects(&home, args);
        assert_eq!((said.stdout.as_str(), said.code), ("", 2), "{args:?}: {said:?}");
        assert!(said.stderr.contains(complaint), "{args:?}: {said:?}");
    }
    let said = detects(&home, &["after", "--exit", "1", "--output-file", "missing", "--", "x"]);
    assert_eq!((said.stdout.as_str(), said.code), ("", 1));
    assert!(said.stderr.starts_with("aside: could not read missing: "), "{said:?}");
}

#[test]
fn detect_wrong_is_kept_and_taken_back_without_a_daemon() {
    let home = home();
    let said = detects(&home, &["wrong"]);
    assert_eq!((said.stderr.as_str(), said.code), ("aside: no line was taken for a sentence yet\n", 1));
    assert_eq!(verdict(&home, &["before", "--", SENTENCE]), "agent\n");
    verdict(&home, &["wrong", "--", SENTENCE]);
    assert_eq!(verdict(&home, &["before", "--", SENTENCE]), "shell\n");
    verdict(&home, &["wrong", "--undo"]);
    assert_eq!(verdict(&home, &["before", "--", SENTENCE]), "agent\n");
    let marked = verdict(&home, &["wrong", "--", " make", "sure "]);
    assert_eq!(marked, "marked: make sure\nIt goes to the shell from now on; --undo takes that back.\n");
    let why = "you said that it is no sentence (aside detect wrong)\n";
    assert_eq!(verdict(&home, &["before", "--explain", "--", "make sure"]), format!("shell\n{why}"));
    let after = ["after", "--exit", "2", "--explain", "--", "make sure "];
    assert_eq!(verdict(&home, &after), format!("nothing\n{why}"));
    let mode = std::fs::metadata(home.path(MARKS)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    verdict(&home, &["wrong", "--", "then", "what"]);
    let listed = verdict(&home, &["wrong", "--list"]);
    let listed: Vec<&str> = listed.lines().map(|row| row.split_once("  ").unwrap().1).collect();
    assert_eq!(listed, ["make sure", "then what"]);
    let undone = verdict(&home, &["wrong", "--undo"]);
    assert_eq!(undone, "no longer marked: then what\nIt may be taken for a sentence again.\n");
    verdict(&home, &["wrong", "--undo", "--", "make", "sure"]);
    assert!(!verdict(&home, &["before", "--explain", "--", "make sure"]).contains("you said"));
    assert_eq!(verdict(&home, &["wrong", "--list"]), "No line is marked.\n");
    assert_eq!(detects(&home, &["wrong", "--undo"]).code, 1);
    let said = detects(&home, &["wrong", "--", "@ hello"]);
    assert_eq!((said.code, said.stdout.as_str()), (1, ""));
}

#[test]
fn detect_wrong_marks_the_last_line_of_the_shell_that_says_so() {
    let mut home = serving();
    asks(&home, "zsh-1-1", "make sure of it", "a reason");
    asks(&home, "zsh-2-1", SENTENCE, "another");
    asks(&home, "zsh-2-1", "who are you", "");
    let mut wire = home.wire();
    assert_eq!(wire.record(&["1", "wrong", "zsh-3-1", ""])[..2], ["1", "error"]);
    assert_eq!(wire.record(&["2", "wrong", "zsh-1-1", ""]), ["2", "ok"]);
    assert_eq!(before(&home, " make sure of it ")["verdict"], "shell");
    assert!(before(&home, "make sure of it")["reason"].as_str().unwrap().starts_with("you said"));
    home.set_env("ASIDE_SESSION", "zsh-2-1");
    assert!(verdict(&home, &["wrong"]).starts_with(&format!("marked: {SENTENCE}\n")));
    assert!(before(&home, SENTENCE)["reason"].as_str().unwrap().starts_with("you said"));
    // The daemon notices changes made without it, and keeps them across a restart.
    verdict(&home, &["wrong", "--undo"]);
    assert!(!before(&home, SENTENCE)["reason"].as_str().unwrap().starts_with("you said"));
    home.aside_does(&["daemon", "stop"]);
    home.aside_does(&["daemon", "start"]);
    assert!(before(&home, "make sure of it")["reason"].as_str().unwrap().starts_with("you said"));
    logged(&home, 3);
    assert_eq!(home.wire().record(&["3", "wrong", "zsh-2-1", ""]), ["3", "ok"], "what was noted is read");
    assert!(before(&home, SENTENCE)["reason"].as_str().unwrap().starts_with("you said"));
}

#[test]
fn detect_notes_what_was_taken_for_a_sentence_without_its_secrets() {
    let home = serving();
    assert!(home.aside_does(&["log"]).stdout.starts_with("No line was taken for a sentence: "));
    asks(&home, "zsh-1-1", "make sure mysql -phunter2 works", "“sure” is no target here");
    logged(&home, 1);
    asks(&home, "zsh-1-1", " hide this from everybody", "a reason");
    asks(&home, "zsh-1-1", "who are you", "");
    let rows = logged(&home, 2);
    assert_eq!(rows[0]["line"], "make sure mysql -p[redacted] works");
    assert_eq!((&rows[0]["phase"], &rows[0]["exit"]), (&"after".into(), &2.into()));
    assert_eq!((&rows[0]["became"], &rows[1]["became"]), (&"answered".into(), &"asked".into()));
    let text = home.aside_does(&["log", "-n", "2"]).stdout;
    let told: Vec<&str> = text.lines().collect();
    assert!(told[0].ends_with("  make sure mysql -p[redacted] works"), "{text}");
    assert_eq!(told[1], "    → “sure” is no target here (answered, after it ended with 2)");
    assert!(told[2].ends_with("  who are you"), "{text}");
    assert_eq!(home.aside_does(&["log", "-n", "1"]).stdout.lines().count(), 2);
    let mode = std::fs::metadata(home.path(LOG)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(!home.read(LOG).contains("hunter2"));
}

#[test]
fn detect_notes_nothing_when_it_is_told_not_to() {
    let home = home();
    home.write(".config/aside/config.toml", "[detect]\nlog = false\n");
    home.aside_does(&["daemon", "start"]);
    asks(&home, "zsh-1-1", "make sure of it", "a reason");
    assert_eq!(home.wire().record(&["1", "wrong", "zsh-1-1", ""]), ["1", "ok"], "it is remembered all the same");
    home.aside_does(&["daemon", "stop"]);
    assert!(!home.path(LOG).exists() && home.path(MARKS).exists());
    assert!(home.aside_does(&["log"]).stdout.ends_with("at the moment: detect.log is false.\n"));
}

#[test]
fn detect_leaves_everything_to_the_shell_when_it_is_off() {
    let home = home();
    home.write(".config/aside/config.toml", "[detect]\nreroute = 'off'\n");
    home.aside_does(&["daemon", "start"]);
    let said = before(&home, SENTENCE);
    assert_eq!((&said["verdict"], &said["reason"]), (&"shell".into(), &"detect.reroute is off".into()));
    assert_eq!(before(&home, "@ ls")["verdict"], "agent", "the person said so");
}

#[test]
fn detect_notes_an_offer_and_that_it_was_taken() {
    let home = home();
    home.write(".config/aside/config.toml", "[detect]\nreroute = 'offer'\n");
    home.aside_does(&["daemon", "start"]);
    let said = before(&home, SENTENCE);
    assert_eq!(said["verdict"], "agent", "{said}");
    let rows = logged(&home, 1);
    assert_eq!((&rows[0]["became"], &rows[0]["line"]), (&"offered".into(), &SENTENCE.into()));
    assert_eq!((&rows[0]["phase"], &rows[0]["reason"]), (&"before".into(), &said["reason"]));
    asks(&home, "zsh-1-1", SENTENCE, "a reason");
    let deadline = Instant::now() + patience();
    while logged(&home, 1)[0]["became"] != "answered" {
        assert!(Instant::now() < deadline, "it is still an offer");
    }
    assert_eq!(home.wire().record(&["1", "wrong", "zsh-1-1", ""]), ["1", "ok"]);
    assert_eq!(before(&home, SENTENCE)["verdict"], "shell");
}

#[test]
fn detect_takes_the_prefix_of_a_command_at_its_word() {
    let home = home();
    home.write(".config/aside/config.toml", "[detect]\nshell_prefix = '!'\n");
    let said = verdict(&home, &["before", "--explain", "--", "!then what"]);
    assert_eq!(said, "shell\nit begins with ! (detect.shell_prefix)\n");
}

#[test]
fn detect_is_part_of_what_the_doctor_says() {
    let home = serving();
    asks(&home, "zsh-1-1", "make sure of it", "a reason");
    logged(&home, 1);
    verdict(&home, &["wrong"]);
    let said = home.aside(&["doctor"]).stdout;
    assert!(said.contains("one line was taken for a sentence, one line was marked as none"), "{said}");
}
