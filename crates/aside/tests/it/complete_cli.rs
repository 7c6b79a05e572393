//! `aside complete` and `aside why` as scripts and users call them, and specs that the user adds.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::home::{self, Home, Said};
use crate::harness::patience;
use crate::harness::scene::Scene;

fn started() -> Home {
    let home = Home::new();
    home.aside_does(&["daemon", "start"]);
    home
}

fn ran(home: &Home, seq: &str, command: &str) {
    let here = home.path("").display().to_string();
    let record = [seq, "finished", "s", seq, here.trim_end_matches('/'), "0", "1700000000000", "5", "zsh", command];
    assert_eq!(home.wire().record(&record)[1], "ok");
}

#[track_caller]
fn json(said: &Said) -> Value {
    serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("not JSON ({error}): {said:?}"))
}

fn offered(home: &Home, args: &[&str]) -> Vec<String> {
    let args = [&["complete", "--json"], args].concat();
    let said = json(&home.aside(&args));
    let found = said["candidates"].as_array().unwrap().iter();
    found.map(|candidate| candidate["completion"].as_str().unwrap().to_owned()).collect()
}

/// Retries until it is offered: a busy machine is slow to look things up.
#[track_caller]
fn offers(home: &Home, args: &[&str], wanted: &str) {
    let deadline = Instant::now() + patience();
    loop {
        let offered = offered(home, args);
        if offered.iter().any(|line| line == wanted) {
            return;
        }
        assert!(Instant::now() < deadline, "no {wanted:?} in {offered:?}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn help_is_given_by_name_too() {
    let home = Home::new();
    assert_eq!(home.aside_does(&["help"]).stdout, home.aside_does(&["--help"]).stdout);
    let said = home.aside_does(&["help", "translate"]).stdout;
    assert_eq!(said, home.aside_does(&["translate", "--help"]).stdout);
    assert!(said.starts_with("Print the command for a request"), "{said}");
}

#[test]
fn complete_prints_fields_with_tabs_for_a_program() {
    let home = started();
    ran(&home, "1", "frob --all\nfrob --none");
    let said = home.aside_does(&["complete", "--", "frob --a"]);
    let rows: Vec<Vec<&str>> = said.stdout.lines().map(|row| row.split('\t').collect()).collect();
    let row = rows.iter().find(|row| row[0] == "frob --all\\nfrob --none").unwrap_or_else(|| panic!("{said:?}"));
    assert_eq!((row.len(), row[2]), (5, "history"));
    assert!((0.0..=1.0).contains(&row[1].parse::<f32>().unwrap()) && row[1].len() == 4, "{row:?}");
    assert!(row[3].contains("ran here"), "{row:?}");
    assert_eq!(home.aside(&["complete", "--", "qqjjzzxx"]).code, 1);
}

#[test]
fn complete_prints_what_was_asked_with_the_answer_as_json() {
    let home = started();
    ran(&home, "1", "frob --all");
    let said = json(&home.aside(&["complete", "--json", "--cursor", "6", "--", "frob", "--;", "ls"]));
    assert_eq!((&said["line"], &said["cursor"]), (&"frob --; ls".into(), &6.into()));
    let said = json(&home.aside_does(&["complete", "--json", "--", "frob", "--"]));
    assert_eq!((&said["line"], &said["cursor"]), (&"frob --".into(), &7.into()));
    let mut found = said["candidates"].as_array().unwrap().iter();
    let found = found.find(|found| found["completion"] == "frob --all").unwrap_or_else(|| panic!("{said}"));
    assert!(found["confidence"].is_f64() && found["facts"].as_str().is_some_and(|facts| !facts.is_empty()), "{said}");
    assert_eq!(found["source"], "history");
}

#[test]
fn complete_waits_for_what_has_to_be_looked_up() {
    let home = started();
    home.write("project/.git/HEAD", "ref: refs/heads/main\n");
    home.write("project/.git/config", "");
    let (hash, main) = ("1234567890123456789012345678901234567890\n", "project/.git/refs/heads/main");
    home.write(main, hash);
    home.write("project/.git/refs/heads/feature-frob", hash);
    home.write("project/.git/objects/info/packs", "");
    offers(&home, &["--cwd", "project", "--", "git switch feat"], "git switch feature-frob");
}

#[test]
fn complete_reads_the_line_as_the_shell_that_is_named() {
    let home = started();
    home.write("bin/frobnicate", "#!/bin/sh\n");
    // In fish this is the beginning of a command, in zsh a glob pattern.
    offers(&home, &["--shell", "fish", "--", "echo (./bin/fr"], "echo (./bin/frobnicate");
    assert_eq!(offered(&home, &["--shell", "zsh", "--", "echo (./bin/fr"]), Vec::<String>::new());
    assert_eq!(home.aside(&["complete", "--shell", "tcsh", "--", "ls"]).code, 2);
}

#[test]
fn complete_mends_a_slip_and_knows_the_names_of_the_shell_heard_from_last() {
    let home = started();
    offers(&home, &["--", "mkdri new"], "mkdir new");
    let mut wire = home.wire();
    wire.record(&["1", "hello", "1", env!("CARGO_PKG_VERSION"), "zsh", "5.9", "zsh-1"]);
    wire.record(&["2", "names", "zsh-1", "builtin", "0", "cd"]);
    wire.record(&["3", "names", "zsh-1", "alias", "0", "mkdri=mkdir -p"]);
    assert_eq!(offered(&home, &["--", "mkdri new"]), Vec::<String>::new());
    assert_eq!(offered(&home, &["--shell", "bash", "--", "mkdri new"]), ["mkdir new"]);
}

#[test]
fn complete_is_aligned_on_a_terminal_and_coloured_where_colour_is_wanted() {
    let shown = |stage: crate::harness::setup::Setup| {
        let mut scene = stage.history(&["print --all", "print --another-one"]).without_aside().start();
        scene.home.write(".zsh_history", ": 1700000000:0;print --all\n: 1700000001:0;print --another-one\n");
        scene.home.aside_does(&["history", "import", "zsh"]);
        scene.home.aside_does(&["daemon", "start"]);
        scene.runs("aside complete -- 'print --a'");
        let screen = scene.screen();
        let bold = (0..screen.size().0).flat_map(|row| screen.spans(row)).any(|span| span.style.bold);
        (screen.text(), bold)
    };
    let (text, bold) = shown(Scene::zsh());
    let columns: Vec<usize> = text.lines().filter_map(|line| line.find("  history")).collect();
    assert!(columns.len() == 2 && columns[0] == columns[1], "{text}");
    assert!(bold, "{text}");
    assert!(!shown(Scene::zsh().env("NO_COLOR", "1")).1);
}

#[test]
fn why_tells_of_the_line_before_the_question() {
    let mut scene = Scene::zsh().history(&["git stash pop", "git status --short"]).start();
    scene.types("git st").wait_for("something in grey", |screen| screen.contains("git sta"));
    scene.sends("\x15");
    scene.runs("aside why --json > why.json; aside why > why.txt");
    let why: Value = serde_json::from_str(&scene.home.read("why.json")).unwrap();
    let left = why["left"].as_str().unwrap();
    // While the user types along, the suggestion stays the one offered for an earlier prefix.
    assert!(!left.is_empty() && "git st".starts_with(left), "{why}");
    let (told, first) = (scene.home.read("why.txt"), why["candidates"][0]["completion"].as_str().unwrap());
    assert!(told.contains(&format!("\n   {left}|\n\n1. {first}\n   0.")), "{told}");
    let session = why["session_id"].as_str().unwrap();
    scene.home.aside_does(&["why", "--session", session]);
    assert_eq!(scene.home.aside(&["why", "--session", "another"]).code, 1);
    // Another shell was offered something since: here the question is about this one.
    let mut wire = scene.home.wire();
    let asked = json!({"type": "complete", "session_id": "zsh-1-1", "cwd": "/", "left": "ls --al", "wait": true});
    assert_eq!(wire.json(asked)["candidates"][0]["completion"], "ls --all");
    scene.runs("aside why --json > why.json");
    let here: Value = serde_json::from_str(&scene.home.read("why.json")).unwrap();
    assert_eq!((here["session_id"].as_str(), &here["left"]), (Some(session), &why["left"]), "{here}");
    let anywhere: Value = serde_json::from_str(&scene.home.aside_does(&["why", "--json"]).stdout).unwrap();
    assert_eq!(anywhere["left"], "ls --al", "{anywhere}");
}

#[test]
fn why_says_so_when_nothing_was_offered_or_nobody_answers() {
    let home = Home::new();
    assert_eq!(home.aside(&["why"]).code, 3);
    home.aside_does(&["daemon", "start"]);
    let said = home.aside(&["why"]);
    assert_eq!((said.code, said.stdout.as_str()), (1, ""));
    assert!(said.stderr.contains("nothing was offered yet"), "{said:?}");
}

#[test]
fn a_spec_of_your_own_is_known_at_once_and_a_broken_one_is_named_with_its_line() {
    let home = started();
    assert_eq!(offered(&home, &["--", "frob st"]), Vec::<String>::new());
    home.write(".config/aside/specs/frob.toml", "[sub.start]\nabout = \"begin\"\n[sub.stop]\n");
    offers(&home, &["--", "frob st"], "frob start");
    home.write(".config/aside/specs/broken.toml", "about = \"fine\"\n\ncolour = \"red\"\n");
    for running in [true, false] {
        if !running {
            home.aside_does(&["daemon", "stop"]);
        }
        let report = json(&home.aside(&["doctor", "--json"])).to_string();
        assert_eq!(report.matches("~/.config/aside/specs/broken.toml:3: ").count(), 1, "{report}");
        assert!(report.contains("2 specs of your own in ~/.config/aside/specs"), "{report}");
    }
}

/// Errors and JSON echo words of the command line: neither may move the cursor, retitle the window or reverse the text direction.
#[test]
fn what_is_repeated_holds_no_escape_sequence() {
    let home = Home::new();
    let evil = "\u{1b}]0;pwned\u{7}\u{1b}[31m\u{9b}31m\u{202e}";
    let with = |words: &[&str]| -> Vec<String> { words.iter().map(|word| word.replace("EVIL", evil)).collect() };
    let is_plain = |text: &str| {
        !text.chars().any(|letter| {
            letter.is_control() && letter != '\n' && letter != '\t' || matches!(letter, '\u{202a}'..='\u{202e}')
        })
    };
    for words in [
        &["EVIL"][..],
        &["config", "get", "EVIL"],
        &["config", "set", "EVIL", "1"],
        &["config", "set", "complete.bar", "EVIL"],
        &["config", "unset", "EVIL"],
        &["complete", "--EVIL"],
        &["complete", "--json", "--", "cat EVIL"],
        &["explain", "--json", "--", "ls EVIL"],
        &["explain", "--", "ls EVIL"],
        &["translate", "EVILshow files"],
        &["translate", "--json", "EVILshow files"],
        &["translate", "--provider", "EVIL", "x"],
        &["detect", "before", "--json", "--", "EVILls"],
        &["suggest", "--json", "--exit", "127", "--", "EVILls"],
        &["fix", "--", "EVIL"],
        &["answer", "EVIL"],
        &["task", "show", "EVIL"],
        &["task", "--json", "EVIL show"],
        &["history", "search", "--json", "EVIL"],
        &["history", "import", "EVIL"],
        &["model", "use", "EVIL"],
        &["model", "pull", "EVIL"],
        &["model", "remove", "EVIL"],
        &["privacy", "test", "EVIL"],
        &["stats", "--days", "EVIL"],
        &["init", "EVIL"],
        &["web", "EVIL"],
        &["daemon", "EVIL"],
    ] {
        let arguments = with(words);
        let said = home::run(home.command(home::ASIDE).args(&arguments), "");
        assert!(is_plain(&said.stdout) && is_plain(&said.stderr), "{words:?}: {said:?}");
    }
}

/// A notice quotes an unknown settings key.
#[test]
fn the_status_of_the_daemon_holds_no_escape_sequence() {
    let home = Home::new();
    home.write(".config/aside/config.toml", "\"x\\u001b]0;pwned\\u0007\\u009b31m\\u202e\" = 1\n");
    home.aside_does(&["daemon", "start"]);
    let said = home.aside_does(&["daemon", "status"]);
    assert!(said.stdout.contains("the configuration is not in force"), "{said:?}");
    let is_obeyed = |letter: char| letter.is_control() && letter != '\n' || letter == '\u{202e}';
    assert!(!said.stdout.contains(is_obeyed), "{said:?}");
}
