//! Queries over the daemon's socket: whether the engine or the model answers, in which steps, which commands may be shown, and what
//! happens to a query that is no longer wanted.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::home::Home;
use crate::harness::shell_client::ShellClient;
use crate::model::scripted_reply::ScriptedReply;
use crate::model::{Ending, Model};

/// Known to the embedded engine.
const KNOWN: &str = "show the last 5 commits as one-liners";
/// The engine is not certain of this one.
const NEARLY: &str = "show the last 5 quux commits as one-liners";
/// Only a model can answer this.
const UNKNOWN: &str = "frobnicate the quux";

struct Desk {
    model: Model,
    home: Home,
}

impl Desk {
    /// A daemon that uses the stub server, without a debounce delay.
    fn new() -> Self {
        Self::with("", "")
    }

    fn with(llm: &str, rest: &str) -> Self {
        // A loaded machine connects slowly.
        let llm = format!("nl_debounce_ms = 200\ntimeout_connect_ms = 10000\n{llm}");
        let desk = Self { model: Model::start(), home: home() };
        let url = desk.model.base_url();
        let llm = format!("[llm]\nprovider = 'openai'\nbase_url = '{url}'\nmodel = 'scripted'\n{llm}");
        desk.home.write(".config/aside/config.toml", format!("[complete]\nmodel_min_chars = 100\n{llm}\n{rest}"));
        desk.home.aside_does(&["daemon", "start"]);
        desk
    }

    fn shell(&self, session: &str) -> Shell {
        shell(&self.home, session)
    }

    fn ran(&self, seq: u64, command: &str) {
        let ended = json!({
            "type": "finished", "request_id": seq, "session_id": "s", "seq": seq, "cwd": cwd(&self.home),
            "command": command,
        });
        assert_eq!(self.home.wire().json(ended)["type"], "ok");
    }

    fn asked(&self) -> usize {
        self.model.requests().len()
    }
}

/// A home whose programs are fixed, independent of this machine.
fn home() -> Home {
    let mut home = Home::new();
    for program in ["git", "find", "frob", "echo", "ls", "rm"] {
        home.write(&format!("bin/{program}"), "#!/bin/sh\n");
    }
    home.write("here/file", "");
    home.set_env("PATH", &home.path("bin").display().to_string());
    home
}

fn cwd(home: &Home) -> String {
    home.path("here").display().to_string()
}

fn shell(home: &Home, session: &str) -> Shell {
    Shell { caller: ShellClient::new(home, session, cwd(home)) }
}

struct Shell {
    caller: ShellClient,
}

impl Shell {
    fn wishes(&mut self, query: &str) -> &mut Self {
        self.sends(json!({"type": "translate", "query": query, "now": true}))
    }

    fn sends(&mut self, request: Value) -> &mut Self {
        self.caller.sends(request);
        self
    }

    /// The next reply to the last query.
    #[track_caller]
    fn hears(&mut self) -> Value {
        self.caller.hears()
    }

    /// All replies to the last query, as `state` and the texts.
    #[track_caller]
    fn hears_all(&mut self) -> Vec<String> {
        let mut heard = Vec::new();
        loop {
            let answer = self.hears();
            assert_eq!(answer["type"], "suggestion", "{answer}");
            heard.push(format!("{}: {}", text(&answer["state"]), texts(&answer).join(" | ")));
            if answer["state"] == "done" {
                return heard;
            }
        }
    }

    /// The final reply to a query.
    #[track_caller]
    fn hears_done(&mut self) -> Value {
        loop {
            let answer = self.hears();
            if answer["state"] == "done" {
                return answer;
            }
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("not a text: {value}"))
}

/// Checks that the embedded engine answered with what it is known to produce. The exact form is not fixed here.
#[track_caller]
fn is_known(answer: &Value) {
    let texts = texts(answer);
    let best = texts.first().map(String::as_str).unwrap_or_default();
    assert!(best.starts_with("git log --oneline ") && best.ends_with("5 (embedded)"), "{answer}");
}

/// The commands, each with its source.
fn texts(answer: &Value) -> Vec<String> {
    let others = answer["alternatives"].as_array().unwrap().iter();
    let all = std::iter::once(answer).filter(|best| best["text"] != "").chain(others);
    all.map(|proposal| format!("{} ({})", text(&proposal["text"]), text(&proposal["source"]))).collect()
}

#[test]
fn wish_without_a_model_is_answered_here_after_a_pause() {
    let home = home();
    home.aside_does(&["daemon", "start"]);
    let mut shell = shell(&home, "a");
    shell.sends(json!({"type": "translate", "query": KNOWN}));
    assert_eq!(shell.hears()["state"], "waiting");
    is_known(&shell.hears_done());
    let done = shell.wishes(KNOWN).hears_done();
    assert_eq!((text(&done["nearness"]), text(&done["note"]), text(&done["warning"])), ("answer", "", ""));
    assert!(done["confidence"].as_f64().unwrap() > 0.5, "{done}");
    assert_ne!(done["description"], "");
    let none = shell.wishes(UNKNOWN).hears_done();
    assert_eq!(texts(&none), [""; 0]);
    assert_eq!(none["note"], "no answer; a model would know more: aside model");
}

#[test]
fn wish_has_an_end_though_the_model_has_none() {
    let desk = Desk::with("timeout_wish_ms = 1500\n", "");
    // Each line is one more command to parse, and the stream never ends.
    desk.model.always(ScriptedReply::streams(["a b c\n"; 10_000]).pace(Duration::from_millis(1)));
    let mut shell = desk.shell("a");
    let done = shell.wishes(UNKNOWN).hears_done();
    assert_eq!(done["note"], "no answer: the model does not answer (it took too long to answer)");
}

#[test]
fn wish_that_is_short_is_thought_about_when_enter_is_pressed() {
    let home = home();
    home.aside_does(&["daemon", "start"]);
    let mut shell = shell(&home, "a");
    let short = shell.sends(json!({"type": "translate", "query": "find"})).hears();
    assert_eq!((text(&short["state"]), text(&short["note"])), ("done", ""), "nothing is meant yet");
    let blank = shell.wishes("  ").hears();
    assert_eq!((text(&blank["state"]), text(&blank["note"])), ("done", ""));
    let finished = shell.wishes("qux").hears_done();
    assert_eq!(finished["note"], "no answer; a model would know more: aside model");
}

#[test]
fn wish_in_records_has_six_fields_for_each_command() {
    let home = home();
    home.aside_does(&["daemon", "start"]);
    let mut wire = home.wire();
    let fields = ["7", "translate", "a", &cwd(&home), KNOWN, "zsh", "1", "0", "0", "", ""];
    let answer = wire.record(&fields);
    assert_eq!(answer[..4], ["7", "translate", "done", ""]);
    let count: usize = answer[4].parse().unwrap();
    assert!(count > 0 && answer.len() == 5 + 6 * count, "{answer:?}");
    assert!(answer[5].starts_with("git log "), "{answer:?}");
    assert_eq!((answer[6].as_str(), answer[10].as_str()), ("embedded", "answer"));
}

#[test]
fn wish_by_the_name_that_others_have_for_it_gets_one_answer() {
    let desk = Desk::new();
    desk.model.always(ScriptedReply::streams(["1. frob ", "--all\n", "2. frob --none\n"]));
    let mut wire = desk.home.wire();
    let answer = wire.json(json!({
        "type": "natural_language", "session_id": "abc", "query": UNKNOWN, "cwd": cwd(&desk.home),
        "recent_commands": ["ls"], "env_hints": {"SHELL": "zsh"},
    }));
    assert_eq!((text(&answer["type"]), text(&answer["state"])), ("suggestion", "done"));
    assert_eq!(texts(&answer), ["frob --all (llm)", "frob --none (llm)"]);
    desk.model.always(ScriptedReply::chat("rm -r quux"));
    let wish = json!({"type": "natural_language", "query": "get rid of the quux", "cwd": cwd(&desk.home)});
    let answer = desk.home.wire().json(wish);
    assert!(text(&answer["description"]).starts_with("deletes files; "), "others know of no warning: {answer}");
}

#[test]
fn wish_is_answered_with_what_the_hints_of_its_client_have() {
    let desk = Desk::new();
    desk.home.write("venv/bin/quuxify", "#!/bin/sh\n");
    desk.model.always(ScriptedReply::chat("1. quuxify --all\n"));
    let venv = desk.home.path("venv").display().to_string();
    let wish = |hints: Value| {
        let wish = json!({"type": "natural_language", "query": UNKNOWN, "cwd": cwd(&desk.home), "env_hints": hints});
        desk.home.wire().json(wish)
    };
    assert_eq!(texts(&wish(json!({}))), [""; 0], "there is no such program");
    assert_eq!(texts(&wish(json!({"VIRTUAL_ENV": venv, "TOKEN": "x"}))), ["quuxify --all (llm)"]);
    assert_eq!(texts(&wish(json!({"PATH": format!("{venv}/bin")}))), ["quuxify --all (llm)"]);
    let requests = desk.model.requests();
    let told = text(&requests[1].body["messages"][1]["content"]);
    assert!(told.contains(&format!("Environment: VIRTUAL_ENV={venv}")) && !told.contains("TOKEN"), "{told}");
}

#[test]
fn wish_for_other_ways_names_those_that_are_shown() {
    let desk = Desk::new();
    desk.model.always(ScriptedReply::chat("1. frob --all\n2. frob --none\n"));
    let mut shell = desk.shell("a");
    shell.sends(json!({"type": "translate", "query": UNKNOWN, "now": true, "besides": "frob --all"}));
    assert_eq!(texts(&shell.hears_done()), ["frob --none (llm)"]);
    let told = text(&desk.model.requests()[0].body["messages"][1]["content"]).to_owned();
    assert!(told.contains("Already shown, do not repeat:\nfrob --all\n"), "{told}");
}

#[test]
fn wish_with_an_address_and_no_provider_says_what_is_missing() {
    let home = home();
    home.write(".config/aside/config.toml", "[llm]\nbase_url = 'http://127.0.0.1:1'\n");
    home.aside_does(&["daemon", "start"]);
    let done = shell(&home, "a").wishes(UNKNOWN).hears_done();
    assert_eq!(done["note"], "no answer: llm.base_url is set, but llm.provider names no model");
}

#[test]
fn wish_whose_command_empties_a_file_keeps_its_sign() {
    let desk = Desk::new();
    desk.model.always(ScriptedReply::chat("> file"));
    let done = desk.shell("a").wishes(UNKNOWN).hears_done();
    assert_eq!((texts(&done)[0].as_str(), text(&done["warning"])), ("> file (llm)", "overwrites a file"));
}

#[test]
fn wish_of_a_model_is_heard_of_in_steps() {
    let desk = Desk::new();
    desk.model
        .next(ScriptedReply::streams(["1. frob --", "all --now\n", "2. frob --none"]).pace(Duration::from_millis(50)));
    let mut shell = desk.shell("a");
    let heard = shell.wishes(UNKNOWN).hears_all();
    assert_eq!(heard.first().unwrap(), "thinking: ");
    assert!(heard.contains(&"partial: frob --all --now (llm)".to_owned()), "{heard:?}");
    assert_eq!(heard.last().unwrap(), "done: frob --all --now (llm) | frob --none (llm)");
}

#[test]
fn wish_that_is_nearly_known_has_the_models_answer_first() {
    let desk = Desk::new();
    desk.model.next(ScriptedReply::chat("git log -5"));
    let done = desk.shell("a").wishes(NEARLY).hears_done();
    let texts = texts(&done);
    assert_eq!(texts[0], "git log -5 (llm)");
    assert!(texts.len() > 1 && texts[1..].iter().all(|text| text.ends_with(" (embedded)")), "{texts:?}");
    assert_eq!(done["note"], "");
}

#[test]
fn wish_that_is_nearly_known_tells_the_model_what_was_found() {
    let desk = Desk::new();
    desk.model.always(ScriptedReply::chat("git log -5"));
    let mut shell = desk.shell("a");
    shell.wishes(NEARLY).hears_done();
    shell.wishes(UNKNOWN).hears_done();
    let requests = desk.model.requests();
    let told = |number: usize| text(&requests[number].body["messages"][1]["content"]);
    let found = "Found by fixed rules, may be wrong or only part of it:\ngit log --oneline ";
    assert!(told(0).contains(found), "{}", told(0));
    assert!(!told(1).contains("Found by fixed rules"), "{}", told(1));
}

#[test]
fn wish_may_change_the_one_that_was_entered_before() {
    let home = home();
    home.write("here/sub/x.py", "");
    home.aside_does(&["daemon", "start"]);
    let mut shell = shell(&home, "a");
    let best = |answer: &Value| text(&answer["text"]).to_owned();
    assert_eq!(best(&shell.wishes("only the ones larger than 1MB").hears_done()), "", "nothing was asked before");
    assert_eq!(best(&shell.wishes("find python files").hears_done()), "find . -type f -name '*.py'");
    assert_eq!(best(&shell.wishes("same but in sub").hears_done()), "find sub -type f -name '*.py'");
    // What is still being typed changes nothing for the next one.
    shell.sends(json!({"type": "translate", "query": "only the ones larger than 2MB"})).hears_done();
    let done = shell.wishes("only the ones larger than 1MB").hears_done();
    assert_eq!(best(&done), "find sub -type f -name '*.py' -size +1M");
    assert_eq!(best(&shell.wishes("only the ones larger than 1MB").hears_done()), best(&done));
    is_known(&shell.wishes(KNOWN).hears_done());
    assert_eq!(best(&shell.wishes("same but in sub").hears_done()), "", "commits have no such form");
    let other = self::shell(&home, "b").wishes("same but in sub").hears_done();
    assert_eq!(best(&other), "", "another shell asked nothing");
}

#[test]
fn wish_that_is_known_is_answered_before_the_model_which_is_heard_when_others_are_wanted() {
    let desk = Desk::new();
    // Another model request would get another reply.
    desk.model
        .next(ScriptedReply::chat("git log -5").delay(Duration::from_millis(300)))
        .next(ScriptedReply::chat("git log -6"));
    let mut shell = desk.shell("a");
    let done = shell.wishes(KNOWN).hears_done();
    is_known(&done);
    assert_eq!(done["note"], "");
    desk.model.wait_for_ending(0);
    std::thread::sleep(Duration::from_millis(300));
    let shown: Vec<String> = texts(&done).iter().map(|text| text.replace(" (embedded)", "")).collect();
    let others = json!({"type": "translate", "query": KNOWN, "now": true, "besides": shown.join("\n")});
    let answer = shell.sends(others).hears_done();
    assert_eq!(texts(&answer), ["git log -5 (llm)"]);
    assert_eq!(desk.model.requests().len(), 1);
}

#[test]
fn wish_that_is_known_is_not_asked_about_where_only_the_others_are() {
    let desk = Desk::with("nl_ask = 'unsure'\n", "");
    desk.model.always(ScriptedReply::chat("git log -5"));
    let mut shell = desk.shell("a");
    is_known(&shell.wishes(KNOWN).hears_done());
    assert_eq!(texts(&shell.wishes(NEARLY).hears_done())[0], "git log -5 (llm)");
    assert_eq!(desk.model.requests().len(), 1);
}

#[test]
fn wish_that_both_answer_alike_is_sure_and_a_model_that_is_often_wrong_stands_behind() {
    let desk = Desk::new();
    desk.model.always(ScriptedReply::chat("git log --oneline -5 --all"));
    let mut shell = desk.shell("a");
    assert_eq!(texts(&shell.wishes(NEARLY).hears_done())[0], "git log --oneline -5 --all (llm)");
    // A source that the user keeps dismissing is no longer ranked first.
    for _ in 0..12 {
        let left = json!({"type": "outcome", "action": "dismiss", "query": NEARLY, "source": "llm",
            "suggestion": "git log --oneline -5 --all"});
        assert_eq!(shell.sends(left).hears()["type"], "ok");
    }
    is_known(&shell.wishes(NEARLY).hears_done());
}

#[test]
fn wish_that_a_model_fails_is_answered_here_with_a_word_about_it() {
    let failures = [
        ScriptedReply::status(500),
        ScriptedReply::status(401),
        ScriptedReply::drops(),
        ScriptedReply::raw("<html>"),
        ScriptedReply::chat(""),
    ];
    for failure in failures {
        let desk = Desk::new();
        desk.model.always(failure.clone());
        let done = desk.shell("a").wishes(NEARLY).hears_done();
        is_known(&done);
        let note = text(&done["note"]);
        assert!(note.starts_with("the model ") && note.ends_with("; from the embedded engine"), "{failure:?}: {note}");
        let none = desk.shell("a").wishes(UNKNOWN).hears_done();
        assert!(text(&none["note"]).starts_with("no answer: the model "), "{none}");
    }
}

#[test]
fn wish_is_given_up_when_another_comes_and_when_the_line_does() {
    let desk = Desk::new();
    desk.model.next(ScriptedReply::hangs()).next(ScriptedReply::hangs()).next(ScriptedReply::chat("frob --all"));
    let mut shell = desk.shell("a");
    assert_eq!(shell.wishes(UNKNOWN).hears()["state"], "thinking");
    desk.model.wait_for_requests(1);
    shell.wishes("frobnicate all of it");
    assert_eq!(desk.model.wait_for_ending(0), Ending::ClientLeft);
    desk.model.wait_for_requests(2);
    shell.sends(json!({"type": "complete", "left": "fr"}));
    assert_eq!(shell.hears()["type"], "complete");
    assert_eq!(desk.model.wait_for_ending(1), Ending::ClientLeft);
    assert_eq!(texts(&shell.wishes("frobnicate it again").hears_done()), ["frob --all (llm)"]);
}

#[test]
fn wish_is_given_up_when_its_client_has_gone() {
    for wait in [false, true] {
        let desk = Desk::new();
        desk.model.next(ScriptedReply::hangs());
        let mut shell = desk.shell("a");
        shell.sends(json!({"type": "translate", "query": UNKNOWN, "now": true, "wait": wait}));
        desk.model.wait_for_requests(1);
        drop(shell);
        assert_eq!(desk.model.wait_for_ending(0), Ending::ClientLeft, "wait: {wait}");
    }
}

#[test]
fn wish_of_a_client_that_only_falls_silent_is_answered() {
    let desk = Desk::new();
    desk.model.next(ScriptedReply::chat("frob --all").delay(Duration::from_millis(100)));
    let mut wire = desk.home.wire();
    wire.sends_json(json!({"type": "natural_language", "query": UNKNOWN, "cwd": cwd(&desk.home)})).falls_silent();
    assert_eq!(texts(&wire.reads_json()), ["frob --all (llm)"]);
}

#[test]
fn wish_of_the_same_shell_on_another_connection_takes_its_place() {
    let desk = Desk::new();
    desk.model.next(ScriptedReply::hangs()).next(ScriptedReply::chat("frob --all"));
    let (mut old, mut new) = (desk.shell("a"), desk.shell("a"));
    old.wishes(UNKNOWN).hears();
    desk.model.wait_for_requests(1);
    let done = new.wishes(UNKNOWN).hears_done();
    assert_eq!(texts(&done), ["frob --all (llm)"], "{done}");
    assert_eq!(desk.model.wait_for_ending(0), Ending::ClientLeft);
}

#[test]
fn wish_of_one_shell_does_not_disturb_another() {
    let desk = Desk::new();
    desk.model
        .next(ScriptedReply::chat("frob --one").delay(Duration::from_millis(300)))
        .next(ScriptedReply::chat("frob --two"));
    let (mut one, mut two) = (desk.shell("one"), desk.shell("two"));
    one.wishes("frobnicate the first");
    desk.model.wait_for_requests(1);
    two.wishes("frobnicate the second");
    assert_eq!(texts(&two.hears_done()), ["frob --two (llm)"]);
    assert_eq!(texts(&one.hears_done()), ["frob --one (llm)"]);
}

#[test]
fn wish_typed_key_by_key_is_asked_for_once() {
    let desk = Desk::new();
    desk.model.always(ScriptedReply::chat("frob --all"));
    let mut shell = desk.shell("a");
    for end in 15..=UNKNOWN.len() {
        shell.sends(json!({"type": "translate", "query": &UNKNOWN[..end]}));
    }
    assert_eq!(texts(&shell.hears_done()), ["frob --all (llm)"]);
    let requests = desk.model.requests();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].body.to_string().contains(UNKNOWN), "{}", requests[0].body);
}

#[test]
fn wish_that_was_answered_is_remembered_at_its_place() {
    let desk = Desk::new();
    desk.model.always(ScriptedReply::chat("frob --all"));
    let mut shell = desk.shell("a");
    for same in ["Frobnicate  the quux.", "frobnicate the QUUX", "frobnicate the quux"] {
        assert_eq!(texts(&shell.wishes(same).hears_done()), ["frob --all (llm)"]);
    }
    assert_eq!(desk.asked(), 1);
    assert_eq!(texts(&desk.shell("b").wishes(UNKNOWN).hears_done()), ["frob --all (llm)"]);
    assert_eq!(desk.asked(), 1, "another shell at the same place");
    shell.caller.cwd = desk.home.path("").display().to_string();
    shell.wishes(UNKNOWN).hears_done();
    assert_eq!(desk.asked(), 2, "another place");
    shell.wishes("frobnicate the quuz").hears_done();
    assert_eq!(desk.asked(), 3, "another wish");
}

#[test]
fn wish_that_failed_is_not_remembered() {
    let desk = Desk::new();
    desk.model.next(ScriptedReply::chat("")).always(ScriptedReply::chat("frob --all"));
    let mut shell = desk.shell("a");
    assert_eq!(texts(&shell.wishes(UNKNOWN).hears_done()), [""; 0]);
    assert_eq!(texts(&shell.wishes(UNKNOWN).hears_done()), ["frob --all (llm)"]);
}

#[test]
fn wish_in_private_leaves_nothing() {
    let desk = Desk::new();
    let mut shell = desk.shell("a");
    shell.sends(json!({"type": "translate", "query": KNOWN, "now": true, "private": true}));
    let done = shell.hears_done();
    is_known(&done);
    assert_eq!(done["note"], "private, so no model was asked; from the embedded engine");
    shell.sends(json!({"type": "hello", "private": true})).hears();
    is_known(&shell.wishes(KNOWN).hears_done());
    shell.sends(json!({"type": "translate", "query": KNOWN, "now": true, "provider": "embedded"}));
    assert_eq!(shell.hears_done()["note"], "", "nobody else was wanted");
    assert_eq!(desk.asked(), 0);
    desk.model.next(ScriptedReply::chat("frob --all"));
    shell.sends(json!({"type": "hello", "private": false})).hears();
    assert_eq!(texts(&shell.wishes(UNKNOWN).hears_done()), ["frob --all (llm)"]);
}

#[test]
fn wish_answered_by_a_hostile_model_reaches_nobody_as_it_is() {
    let hostile = [
        "frob \u{1b}[2J\u{1b}]0;owned\u{7}",
        "frob \u{202e}txt.exe",
        "frob a\u{0}b",
        "fr\u{200b}ob x",
        "frob \u{9b}31m",
        "frob a\rls",
    ];
    for said in hostile {
        let desk = Desk::new();
        desk.model.next(ScriptedReply::chat(said));
        let mut shell = desk.shell("a");
        shell.wishes(UNKNOWN);
        loop {
            let answer = shell.hears();
            let line = answer.to_string();
            let bad = ["\\u001b", "\u{202e}", "\\u0000", "\u{200b}", "\u{9b}", "\\u0007", "\\r"];
            assert!(!bad.iter().any(|bad| line.contains(bad)), "{said:?}: {line}");
            if answer["state"] == "done" {
                break;
            }
        }
    }
}

#[test]
fn wish_with_others_right_behind_it_is_answered_with_nothing() {
    let home = home();
    home.aside_does(&["daemon", "start"]);
    let mut wire = home.wire();
    let wish = |id: u64, query: &str| {
        json!({"type": "translate", "request_id": id, "query": query, "cwd": cwd(&home), "now": true}).to_string()
    };
    wire.raw(format!("{}\n{}\n", wish(1, "list the files"), wish(2, KNOWN)).as_bytes());
    let mut done = Vec::new();
    while done.len() < 2 {
        let answer = wire.reads_json();
        if answer["state"] == "done" {
            done.push((answer["request_id"].as_u64().unwrap(), answer["text"] != ""));
        }
    }
    assert_eq!(done, [(1, false), (2, true)]);
}

#[test]
fn outcome_is_noted_on_this_machine() {
    let home = home();
    home.aside_does(&["daemon", "start"]);
    let mut shell = shell(&home, "a");
    let outcome = json!({
        "type": "outcome", "action": "run", "query": "find large files", "suggestion": "find . -size +100M",
        "source": "embedded", "confidence": 0.5, "final": "find . -size +200M",
    });
    assert_eq!(shell.sends(outcome).hears()["type"], "ok");
    assert_eq!(shell.sends(json!({"type": "outcome", "action": "peek"})).hears()["type"], "error");
    let noted = home.read(".local/state/aside/interactions.jsonl");
    let noted: Value = serde_json::from_str(noted.trim()).unwrap();
    for (name, value) in [
        ("action", "run"),
        ("buffer", "? find large files"),
        ("nl_query", "find large files"),
        ("suggestion", "find . -size +100M"),
        ("final", "find . -size +200M"),
        ("session", "a"),
        ("cwd", &cwd(&home)),
    ] {
        assert_eq!(noted[name], value, "{name}");
    }
}

#[test]
fn outcome_counts_what_we_took_and_not_the_pause() {
    const PAUSE: u64 = 4000;
    let home = home();
    home.write(".config/aside/config.toml", format!("[llm]\nnl_debounce_ms = {PAUSE}\n"));
    home.aside_does(&["daemon", "start"]);
    let mut shell = shell(&home, "a");
    is_known(&shell.sends(json!({"type": "translate", "query": KNOWN})).hears_done());
    let outcome =
        json!({"type": "outcome", "action": "accept", "query": KNOWN, "suggestion": "x", "source": "embedded"});
    assert_eq!(shell.sends(outcome).hears()["type"], "ok");
    let noted: Value = serde_json::from_str(home.read(".local/state/aside/interactions.jsonl").trim()).unwrap();
    assert!(noted["ms"].as_u64().is_some_and(|ms| ms < PAUSE), "{noted}");
}

#[test]
fn wish_that_is_being_said_shows_nothing_that_would_destroy_more_than_all_of_it() {
    let desk = Desk::new();
    desk.model.next(ScriptedReply::streams(["rm ", "-rf ", "/ ", "tmp ", "quux"]).pace(Duration::from_millis(30)));
    let heard = desk.shell("a").wishes(UNKNOWN).hears_all();
    assert!(heard.iter().all(|said| !said.starts_with("partial: rm")), "{heard:?}");
    desk.model.next(ScriptedReply::streams(["ls ", "-l ", "here"]).pace(Duration::from_millis(30)));
    let heard = desk.shell("a").wishes("frobnicate it slowly").hears_all();
    assert!(heard.iter().any(|said| said.starts_with("partial: ls")), "{heard:?}");
}

#[test]
fn wish_that_needs_a_program_which_is_not_here_is_not_shown() {
    let desk = Desk::new();
    desk.model.next(ScriptedReply::chat("nosuchprogram --all"));
    let done = desk.shell("a").wishes(UNKNOWN).hears_done();
    assert_eq!(texts(&done), [""; 0]);
    assert_eq!(done["note"], "no answer: the model has no usable answer");
    desk.model.next(ScriptedReply::chat("1. ls | nosuchprogram\n2. ls -l"));
    let done = desk.shell("a").wishes("frobnicate it again").hears_done();
    assert_eq!(texts(&done), ["ls -l (llm)"]);
}

#[test]
fn wish_on_the_blocklist_is_not_shown() {
    let desk = Desk::with("", "[security]\ncommand_blocklist = ['frob --evil']\n");
    desk.model.next(ScriptedReply::chat("1. frob --evil x\n2. ls && frob --evil\n3. frob --good"));
    let done = desk.shell("a").wishes(UNKNOWN).hears_done();
    assert_eq!(texts(&done), ["frob --good (llm)"]);
}

#[test]
fn wish_that_destroys_says_so() {
    let desk = Desk::new();
    for program in ["sudo", "sh", "grep", "perform"] {
        desk.home.write(&format!("bin/{program}"), "#!/bin/sh\n");
    }
    desk.model.next(ScriptedReply::chat("sudo rm -r quux"));
    let done = desk.shell("a").wishes(UNKNOWN).hears_done();
    assert_eq!((text(&done["text"]), text(&done["warning"])), ("sudo rm -r quux", "deletes files"));
    let home_goes = "deletes your home directory; deletes files";
    for (command, warning) in
        [("git add .", ""), ("grep '>' f", ""), ("perform x", ""), ("sudo sh -c 'rm -rf \"$HOME\"'", home_goes)]
    {
        desk.model.next(ScriptedReply::chat(command));
        let done = desk.shell("a").wishes(&format!("{UNKNOWN} with {command}")).hears_done();
        assert_eq!((text(&done["text"]), text(&done["warning"])), (command, warning));
    }
}

#[test]
fn wish_tells_a_model_no_secret() {
    let desk = Desk::new();
    desk.model.always(ScriptedReply::chat("frob --all"));
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    desk.ran(1, "frob --first");
    desk.ran(2, &format!("curl -H 'Authorization: Bearer {secret}' https://example.com"));
    desk.ran(3, "mysql -u root -psesame-open-1 shop");
    desk.shell("a").wishes(&format!("log in with {secret}")).hears_done();
    let mut wire = desk.home.wire();
    wire.json(json!({
        "type": "natural_language", "query": UNKNOWN, "cwd": cwd(&desk.home),
        "recent_commands": [format!("export TOKEN={secret}")],
    }));
    desk.shell("a")
        .sends(json!({"type": "explain", "command": format!("frob --token {secret}"), "wait": true}))
        .hears();
    let requests = desk.model.requests();
    assert_eq!(requests.len(), 3);
    for request in requests {
        let body = request.body.to_string();
        assert!(!body.contains(secret) && !body.contains("sesame-open-1"), "{body}");
    }
}

#[test]
fn wish_that_the_history_would_not_have_is_told_to_nobody() {
    let desk = Desk::with("", "[history]\nignore = ['acme']\n");
    let mut shell = desk.shell("a");
    let done = shell.wishes("frobnicate the acme quux").hears_done();
    assert_eq!(done["note"], "no answer: history.ignore matches, so no model was asked");
    let explained = shell.sends(json!({"type": "explain", "command": "rm -r acme"})).hears();
    assert_eq!((text(&explained["state"]), text(&explained["source"])), ("done", "embedded"));
    assert_eq!(desk.asked(), 0);
}

#[test]
fn wish_tells_a_model_where_it_is_and_what_ran() {
    let desk = Desk::new();
    desk.model.always(ScriptedReply::chat("frob --all"));
    desk.home.write("here/Cargo.toml", "");
    desk.home.write("bin/jq", "#!/bin/sh\n");
    desk.ran(1, "frob --first");
    desk.ran(2, " frob --hidden");
    desk.shell("a").wishes(UNKNOWN).hears_done();
    let request = &desk.model.requests()[0];
    let told = text(&request.body["messages"][1]["content"]);
    for fact in ["Shell: zsh", "Project: Rust (Cargo)", "Files here: Cargo.toml, file", "frob --first", UNKNOWN] {
        assert!(told.contains(fact), "no {fact:?} in {told}");
    }
    assert!(told.contains(&format!("Working directory: {}", cwd(&desk.home))), "{told}");
    assert!(told.contains("git, jq") && !told.contains("--hidden"), "{told}");
    desk.home.write("here/go.mod", "");
    desk.ran(3, "frob --second");
    desk.shell("a").wishes(UNKNOWN).hears_done();
    assert_eq!(desk.asked(), 2, "another project is another question");
}

#[test]
fn wish_whose_answer_is_cut_off_is_not_shown_in_half() {
    let desk = Desk::new();
    desk.model.next(ScriptedReply::chat("1. frob --all\n2. frob --every").cut());
    let done = desk.shell("a").wishes(UNKNOWN).hears_done();
    assert_eq!(texts(&done), ["frob --all (llm)"]);
}

#[test]
fn wish_for_a_model_that_is_not_there_offers_one_once() {
    let desk = Desk::new();
    desk.model.always(ScriptedReply::status(404));
    let mut shell = desk.shell("a");
    let first = shell.wishes(NEARLY).hears_done();
    assert!(text(&first["note"]).contains("`aside model pull`"), "{first}");
    is_known(&first);
    let second = shell.wishes(NEARLY).hears_done();
    assert!(!text(&second["note"]).contains("aside model"), "{second}");
    let other = desk.shell("b").wishes(NEARLY).hears_done();
    assert!(text(&other["note"]).contains("`aside model pull`"), "{other}");
}

#[test]
fn wish_that_takes_too_long_is_answered_here() {
    let desk = Desk::with("timeout_wish_first_ms = 200\ntimeout_wish_ms = 400\n", "");
    desk.model.next(ScriptedReply::hangs());
    let done = desk.shell("a").wishes(NEARLY).hears_done();
    is_known(&done);
    assert!(text(&done["note"]).contains("too long"), "{done}");
}

#[test]
fn wish_shell_hears_its_settings_with_hello() {
    let desk = Desk::with("nl_prefix = ','\nnl_style = 'fg=5'\nnl_min_query_length = 7\nprivate_key = 'alt-p'\n", "");
    let hello = desk.shell("a").sends(json!({"type": "hello"})).hears();
    for (name, value) in [("wish", "on"), ("wish_prefix", ","), ("wish_style", "fg=5"), ("private_key", "alt-p")] {
        assert_eq!(hello[name], value, "{name}");
    }
    assert_eq!((&hello["wish_min"], &hello["explain_key"]), (&json!(7), &json!("ctrl-e")));
    let desk = Desk::with("natural_language = false\n", "");
    assert_eq!(desk.shell("a").sends(json!({"type": "hello"})).hears()["wish"], "off");
    assert_eq!(desk.shell("a").wishes(KNOWN).hears_done()["text"], "");
    assert_eq!(desk.asked(), 0);
}

#[test]
fn explain_says_what_is_known_at_once_and_what_a_model_says_after() {
    let desk = Desk::new();
    desk.model.next(ScriptedReply::streams(["Removes quux.\n", "All of it.\n"]).delay(Duration::from_millis(100)));
    let mut shell = desk.shell("a");
    let first = shell.sends(json!({"type": "explain", "command": "rm -r quux"})).hears();
    assert_eq!(
        (text(&first["type"]), text(&first["state"]), text(&first["source"])),
        ("explain", "partial", "embedded")
    );
    assert!(first["lines"][0].as_str().unwrap().contains("deletes files"), "{first}");
    let last = loop {
        let next = shell.hears();
        if next["state"] == "done" {
            break next;
        }
    };
    assert_eq!((text(&last["source"]), &last["lines"]), ("llm", &json!(["Removes quux.", "All of it."])));
}

#[test]
fn explain_does_not_end_a_wish_but_a_new_line_ends_both() {
    let desk = Desk::new();
    desk.model.next(ScriptedReply::hangs()).next(ScriptedReply::hangs());
    let mut shell = desk.shell("a");
    shell.wishes(UNKNOWN).hears();
    desk.model.wait_for_requests(1);
    shell.sends(json!({"type": "explain", "command": "frob"})).hears();
    let requests = desk.model.wait_for_requests(2);
    assert_eq!(requests[0].ending, Ending::Open);
    shell.sends(json!({"type": "complete", "left": "l"})).hears();
    assert_eq!([desk.model.wait_for_ending(0), desk.model.wait_for_ending(1)], [Ending::ClientLeft; 2]);
}

#[test]
fn explain_of_a_model_that_fails_or_in_private_is_what_is_known() {
    let desk = Desk::new();
    desk.model.always(ScriptedReply::status(400));
    let mut shell = desk.shell("a");
    let asked = json!({"type": "explain", "command": "rm -r quux", "wait": true});
    let answer = shell.sends(asked.clone()).hears();
    assert_eq!((text(&answer["state"]), text(&answer["source"])), ("done", "embedded"));
    let before = desk.asked();
    let mut private = asked;
    private["private"] = true.into();
    assert_eq!(shell.sends(private).hears()["source"], "embedded");
    assert_eq!(desk.asked(), before);
}
