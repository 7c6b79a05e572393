//! Prose over the daemon's socket: whether a model or the embedded engine answers, how replies stream, which clients receive them,
//! what is sent to the model, and how a request is cancelled.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::home::Home;
use crate::harness::shell_client::ShellClient;
use crate::model::scripted_reply::ScriptedReply;
use crate::model::{Ending, Model};

/// Only a model can answer this.
const UNKNOWN: &str = "why is the quux slow";
/// The embedded engine can answer this.
const KNOWN: &str = "how do I show the last 5 commits";

struct Desk {
    model: Model,
    home: Home,
}

impl Desk {
    fn new() -> Self {
        Self::with("", "")
    }

    fn with(llm: &str, rest: &str) -> Self {
        let desk = Self { model: Model::start(), home: home() };
        let url = desk.model.base_url();
        // A loaded machine connects slowly.
        let llm = format!(
            "[llm]\nprovider = 'openai'\nbase_url = '{url}'\nmodel = 'scripted'\ntimeout_connect_ms = 10000\n{llm}"
        );
        desk.home.write(".config/aside/config.toml", format!("[complete]\nmodel_min_chars = 100\n{llm}\n{rest}"));
        desk.home.aside_does(&["daemon", "start"]);
        desk
    }

    fn shell(&self, session: &str) -> Shell {
        Shell::new(&self.home, session)
    }

    fn asked(&self) -> usize {
        self.model.requests().len()
    }

    /// What the model received with a request, without the system prompt.
    fn told(&self, number: usize) -> String {
        text(&self.model.requests()[number].body["messages"][1]["content"]).to_owned()
    }

    fn ran(&self, seq: u64, command: &str) {
        let ended = json!({
            "type": "finished", "request_id": seq, "session_id": "s", "seq": seq, "cwd": cwd(&self.home),
            "command": command,
        });
        assert_eq!(self.home.wire().json(ended)["type"], "ok");
    }
}

/// A home whose programs are fixed, independent of this machine.
fn home() -> Home {
    let mut home = Home::new();
    for program in ["git", "find", "frob", "echo", "ls", "rm", "make"] {
        home.write(&format!("bin/{program}"), "#!/bin/sh\n");
    }
    home.write("here/file", "");
    home.set_env("PATH", &home.path("bin").display().to_string());
    home
}

fn cwd(home: &Home) -> String {
    home.path("here").display().to_string()
}

struct Shell {
    caller: ShellClient,
}

impl Shell {
    fn new(home: &Home, session: &str) -> Self {
        Self { caller: ShellClient::new(home, session, cwd(home)) }
    }

    fn asks(&mut self, number: u64, query: &str) -> &mut Self {
        self.sends(json!({"type": "ask", "query": query, "number": number, "width": 80}))
    }

    fn sends(&mut self, request: Value) -> &mut Self {
        self.caller.sends(request);
        self
    }

    /// The next reply to the last request.
    #[track_caller]
    fn hears(&mut self) -> Value {
        self.caller.hears()
    }

    /// All replies until `enough`, checked to be one growing answer.
    #[track_caller]
    fn hears_until(&mut self, enough: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut heard: Vec<Value> = Vec::new();
        loop {
            let said = self.hears();
            assert_eq!(said["type"], "said", "{said}");
            if let Some(before) = heard.last() {
                assert!(rows(&said).starts_with(&rows(before)), "{before}\n{said}");
                assert_ne!(said, *before, "nothing new was said");
            }
            let is_enough = enough(&said);
            heard.push(said);
            if is_enough {
                return heard;
            }
        }
    }

    #[track_caller]
    fn hears_done(&mut self) -> Value {
        self.hears_until(|said| said["state"] == "done").pop().unwrap()
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("not a text: {value}"))
}

fn rows(said: &Value) -> Vec<String> {
    said["rows"].as_array().unwrap().iter().map(|row| plain(text(row))).collect()
}

/// All rows, including those that may still change, without their style markers.
fn words(said: &Value) -> String {
    let tail = said["tail"].as_array().unwrap().iter().map(|row| plain(text(row)));
    let all: Vec<String> = rows(said).into_iter().chain(tail).collect();
    all.join("\n")
}

fn plain(row: &str) -> String {
    let row: String = row.chars().filter(|letter| !('\u{e100}'..='\u{e1ff}').contains(letter)).collect();
    row.trim_end().to_owned()
}

#[test]
fn ask_without_a_model_is_answered_here_at_once() {
    let home = home();
    home.aside_does(&["daemon", "start"]);
    let mut shell = Shell::new(&home, "a");
    let said = shell.asks(1, KNOWN).hears();
    assert_eq!((text(&said["state"]), text(&said["note"])), ("done", ""));
    assert!(text(&said["proposal"]).starts_with("git log "), "{said}");
    assert!(words(&said).contains("git log ") && said["tail"] == json!([]), "{said}");
    let said = shell.asks(2, "what does rm -r do").hears();
    assert!(words(&said).contains("deletes files") && said["proposal"] == "", "{said}");
    let said = shell.asks(3, "@ get rid of the directory junk").hears();
    assert_eq!((text(&said["state"]), text(&said["warning"])), ("done", "deletes files"), "{said}");
    let said = shell.asks(4, UNKNOWN).hears();
    assert!(words(&said).contains("aside model pull") && said["proposal"] == "", "{said}");
    let failed = json!({"type": "ask", "query": "gti status", "number": 5, "exit_status": 127, "shell": "zsh"});
    shell.sends(json!({"type": "hello", "shell": "zsh"})).hears();
    shell.sends(json!({"type": "names", "kind": "builtin", "part": 0, "names": "cd\necho"})).hears();
    assert_eq!(shell.sends(failed).hears_done()["proposal"], "git status");
}

#[test]
fn ask_in_bash_mends_a_slip_though_bash_tells_no_names() {
    let home = home();
    home.aside_does(&["daemon", "start"]);
    for session in ["b", ""] {
        let mut shell = Shell::new(&home, session);
        shell.sends(json!({"type": "hello", "shell": "bash"})).hears();
        for failed in ["gti status", "пше ыефегы"] {
            let asked = json!({"type": "ask", "query": failed, "number": 1, "exit_status": 127, "shell": "bash"});
            assert_eq!(shell.sends(asked).hears_done()["proposal"], "git status", "{failed}");
        }
    }
}

#[test]
fn ask_says_once_how_to_get_a_model() {
    let home = home();
    home.aside_does(&["daemon", "start"]);
    let mut shell = Shell::new(&home, "a");
    assert!(words(&shell.asks(1, UNKNOWN).hears_done()).contains("aside model pull"));
    for number in 2..9 {
        assert_eq!(words(&shell.asks(number, UNKNOWN).hears_done()), "This needs a model, and none is set up.");
    }
    let mut other = Shell::new(&home, "b");
    assert!(words(&other.asks(1, UNKNOWN).hears_done()).contains("aside model pull"));
}

#[test]
fn ask_in_records_has_counts_before_its_rows() {
    let home = home();
    home.aside_does(&["daemon", "start"]);
    let mut wire = home.wire();
    let fields = ["7", "ask", "a", &cwd(&home), KNOWN, "zsh", "1", "80", "0", "0", "0", "", ""];
    let said = wire.record(&fields);
    assert_eq!(said[..4], ["7", "said", "done", ""]);
    assert!(said[4].starts_with("git log "), "{said:?}");
    let count: usize = said[6].parse().unwrap();
    assert!(count > 0 && said.len() == 8 + count && said[7 + count] == "0", "{said:?}");
}

#[test]
fn ask_of_a_model_is_heard_as_it_is_said() {
    let desk = Desk::new();
    let pieces = ["The quux ", "is slow.\n\n", "Measure it:\n\n```sh\nfrob ", "--time\n```\n\n", "Then ", "look."];
    desk.model.next(ScriptedReply::streams(pieces).pace(Duration::from_millis(150)));
    let mut shell = desk.shell("a");
    let heard = shell.asks(1, UNKNOWN).hears_until(|said| said["state"] == "done");
    assert_eq!(heard[0]["state"], "thinking");
    assert!(heard.len() > 3 && heard[1..heard.len() - 1].iter().all(|said| said["state"] == "partial"), "{heard:?}");
    assert!(heard.iter().any(|said| said["proposal"] == "frob --time" && said["state"] == "partial"), "{heard:?}");
    let done = heard.last().unwrap();
    assert_eq!((text(&done["proposal"]), text(&done["note"])), ("frob --time", ""));
    let said = words(done);
    assert!(said.starts_with("The quux is slow.") && said.ends_with("Then look."), "{said}");
    let request = &desk.model.requests()[0];
    assert_eq!(request.body["stream"], true);
    assert!(text(&request.body["messages"][0]["content"]).contains("```sh"));
}

#[test]
fn ask_that_waits_gets_the_last_word_only() {
    let desk = Desk::new();
    desk.model.next(ScriptedReply::streams(["One. ", "Two."]).pace(Duration::from_millis(100)));
    let mut wire = desk.home.wire();
    let said = wire.json(json!({
        "type": "ask", "request_id": 9, "session_id": "a", "cwd": cwd(&desk.home), "query": UNKNOWN, "wait": true,
    }));
    assert_eq!((text(&said["state"]), words(&said).as_str()), ("done", "One. Two."));
    assert!(wire.polls_json(Duration::from_millis(200)).is_none());
}

#[test]
fn ask_stops_down_to_the_socket_and_tells_what_stands() {
    let desk = Desk::new();
    desk.model.next(ScriptedReply::streams(["It is **slow**", " because"]).hangs_after(2));
    let mut shell = desk.shell("a");
    shell.asks(1, UNKNOWN).hears_until(|said| words(said).contains("because"));
    let stopped = shell.sends(json!({"type": "ask", "query": "", "number": 1})).hears();
    assert_eq!((text(&stopped["state"]), words(&stopped).as_str()), ("done", "It is slow because"), "{stopped}");
    assert_eq!(desk.model.wait_for_ending(0), Ending::ClientLeft);
    let again = shell.asks(1, UNKNOWN).hears();
    assert_eq!(words(&again), "It is slow because", "what was stopped is not asked again");
    assert_eq!(desk.asked(), 1);
    let nothing = desk.shell("other").sends(json!({"type": "ask", "query": " "})).hears();
    assert_eq!((text(&nothing["state"]), &nothing["rows"]), ("done", &json!([])));
}

#[test]
fn ask_goes_on_on_a_new_connection() {
    let desk = Desk::new();
    let pieces = ["One.\n\n", "Two.\n\n", "Three.\n\n", "Four.\n\n", "Five."];
    desk.model.next(ScriptedReply::streams(pieces).pace(Duration::from_millis(200)));
    let mut first = desk.shell("a");
    let before = first.asks(7, UNKNOWN).hears_until(|said| words(said).contains("Two."));
    drop(first);
    let mut second = desk.shell("a");
    let after = second.asks(7, UNKNOWN).hears_until(|said| said["state"] == "done");
    let (printed, all) = (rows(before.last().unwrap()), rows(after.last().unwrap()));
    assert!(rows(&after[0]).starts_with(&printed) && all.starts_with(&printed), "{printed:?} {all:?}");
    let numbers: Vec<&str> = all.iter().map(String::as_str).filter(|row| !row.is_empty()).collect();
    assert_eq!(numbers, ["One.", "Two.", "Three.", "Four.", "Five."]);
    assert_eq!((desk.asked(), desk.model.wait_for_ending(0)), (1, Ending::Whole));
    assert_eq!(
        words(&desk.shell("a").asks(7, UNKNOWN).hears()),
        words(after.last().unwrap()),
        "also when it has ended"
    );
}

#[test]
fn ask_goes_on_while_other_lines_are_typed() {
    let desk = Desk::new();
    desk.model.next(ScriptedReply::streams(["One. ", "Two."]).pace(Duration::from_millis(300)));
    let mut shell = desk.shell("a");
    shell.asks(1, UNKNOWN);
    let asked = shell.caller.id;
    desk.model.wait_for_requests(1);
    for line in ["l", "ls"] {
        shell.sends(json!({"type": "complete", "left": line}));
    }
    let done = loop {
        let answer = shell.caller.wire.reads_json();
        if answer["request_id"] == asked && answer["state"] == "done" {
            break answer;
        }
    };
    assert_eq!(words(&done), "One. Two.");
}

#[test]
fn ask_with_another_number_takes_its_place() {
    let desk = Desk::new();
    desk.model.next(ScriptedReply::streams(["One."]).hangs_after(1)).next(ScriptedReply::chat("Two."));
    let (mut old, mut new) = (desk.shell("a"), desk.shell("a"));
    old.asks(1, UNKNOWN).hears_until(|said| words(said) == "One.");
    assert_eq!(words(&new.asks(2, "why is the frob slow").hears_done()), "Two.");
    assert_eq!(desk.model.wait_for_ending(0), Ending::ClientLeft);
    assert_eq!(words(&old.hears_done()), "One.", "whoever listened hears the end");
}

#[test]
fn ask_of_a_client_that_nobody_knows_ends_with_it() {
    for wait in [false, true] {
        let desk = Desk::new();
        desk.model.next(ScriptedReply::hangs());
        let mut wire = desk.home.wire();
        wire.sends_json(json!({"type": "ask", "query": UNKNOWN, "number": 1, "cwd": cwd(&desk.home), "wait": wait}));
        desk.model.wait_for_requests(1);
        drop(wire);
        assert_eq!(desk.model.wait_for_ending(0), Ending::ClientLeft, "wait: {wait}");
    }
}

#[test]
fn ask_of_one_shell_is_not_heard_in_another() {
    let desk = Desk::new();
    desk.model
        .next(ScriptedReply::streams(["One ", "first."]).pace(Duration::from_millis(150)))
        .next(ScriptedReply::chat("Second."));
    let (mut one, mut two) = (desk.shell("one"), desk.shell("two"));
    one.asks(1, UNKNOWN);
    desk.model.wait_for_requests(1);
    assert_eq!(words(&two.asks(1, UNKNOWN).hears_done()), "Second.");
    two.sends(json!({"type": "ask", "query": ""})).hears();
    assert_eq!(words(&one.hears_done()), "One first.");
    desk.model.next(ScriptedReply::chat("Third."));
    two.asks(2, "and the frob?").hears_done();
    assert!(!desk.told(2).contains("One first.") && desk.told(2).contains("Second."), "{}", desk.told(2));
}

#[test]
fn ask_that_a_model_fails_is_answered_here_with_a_word_about_it() {
    for failure in [
        ScriptedReply::status(500),
        ScriptedReply::status(401),
        ScriptedReply::drops(),
        ScriptedReply::raw("<html>"),
        ScriptedReply::chat(""),
    ] {
        let desk = Desk::new();
        desk.model.always(failure.clone());
        let done = desk.shell("a").asks(1, KNOWN).hears_done();
        let note = text(&done["note"]);
        assert!(note.starts_with("the model ") && note.ends_with("; from the embedded engine"), "{failure:?}: {note}");
        assert!(text(&done["proposal"]).starts_with("git log "), "{done}");
        let beyond = desk.shell("a").asks(2, UNKNOWN).hears_done();
        assert!(text(&beyond["note"]).starts_with("the model "), "{beyond}");
        assert!(words(&beyond).contains("Only a model") && !words(&beyond).contains("aside model"), "{beyond}");
    }
}

#[test]
fn ask_that_breaks_off_keeps_what_was_read() {
    let desk = Desk::new();
    desk.model.always(ScriptedReply::streams(["It is slow because", " never said"]).drops_after(1));
    let done = desk.shell("a").asks(1, UNKNOWN).hears_done();
    assert_eq!(words(&done), "It is slow because");
    assert!(text(&done["note"]).starts_with("the model broke off ("), "{done}");
    assert_eq!(desk.asked(), 1, "another answer would be said after the first");
}

#[test]
fn ask_shows_no_thoughts_and_nothing_that_a_terminal_obeys() {
    let desk = Desk::new();
    let pieces =
        ["<think>rm -rf", " everything</think>", "\u{1b}[2JFine\u{202e}.\n\n```sh\nrm -r quux\n```\n", "\u{e101}x"];
    desk.model.next(ScriptedReply::streams(pieces).pace(Duration::from_millis(100)));
    let heard = desk.shell("a").asks(1, UNKNOWN).hears_until(|said| said["state"] == "done");
    for said in &heard {
        let line = said.to_string();
        assert!(!["\\u001b", "\u{202e}", "everything", "think>"].iter().any(|bad| line.contains(bad)), "{line}");
    }
    let done = heard.last().unwrap();
    assert_eq!((text(&done["proposal"]), text(&done["warning"])), ("rm -r quux", "deletes files"));
}

#[test]
fn ask_proposes_nothing_that_is_blocked_or_not_here() {
    let desk = Desk::with("", "[security]\ncommand_blocklist = ['frob --evil']\n");
    for said in ["```sh\nfrob --evil x\n```", "```sh\nnosuchprogram\n```", "```sh\nls\nls\n```", "`ls`"] {
        desk.model.next(ScriptedReply::chat(said));
        assert_eq!(desk.shell("a").asks(0, UNKNOWN).hears_done()["proposal"], "", "{said}");
    }
}

#[test]
fn ask_in_private_leaves_nothing() {
    let desk = Desk::new();
    let mut shell = desk.shell("a");
    let done = shell.sends(json!({"type": "ask", "query": KNOWN, "number": 1, "private": true})).hears_done();
    assert_eq!(done["note"], "private, so no model was asked; from the embedded engine");
    assert!(text(&done["proposal"]).starts_with("git log "), "{done}");
    shell.sends(json!({"type": "hello", "private": true})).hears();
    let done = shell.asks(2, "why is my acme quux slow").hears_done();
    assert_eq!(done["note"], "private, so no model was asked");
    assert_eq!(desk.asked(), 0);
    shell.sends(json!({"type": "hello", "private": false})).hears();
    desk.model.next(ScriptedReply::chat("So."));
    assert_eq!(words(&shell.asks(3, "and the frob?").hears_done()), "So.");
    assert!(!desk.told(0).contains("acme") && !desk.told(0).contains("commits"), "{}", desk.told(0));
}

#[test]
fn ask_that_the_history_would_not_have_is_told_to_nobody() {
    let desk = Desk::with("", "[history]\nignore = ['acme']\n");
    let mut shell = desk.shell("a");
    let done = shell.asks(1, "why is the acme quux slow").hears_done();
    assert_eq!(done["note"], "history.ignore matches, so no model was asked");
    assert_eq!(desk.asked(), 0);
    desk.model.next(ScriptedReply::chat("So."));
    let output = "error: one\nerror: acme two\nerror: three";
    let failed = json!({"type": "ask", "query": UNKNOWN, "number": 2, "exit_status": 1, "output": output});
    shell.sends(failed).hears_done();
    let told = desk.told(0);
    assert!(told.contains("error: three") && !told.contains("acme"), "{told}");
}

#[test]
fn ask_that_follows_carries_what_was_said() {
    let desk = Desk::new();
    desk.model.next(ScriptedReply::chat("Use `du -sh src`.")).next(ScriptedReply::chat("Use `du -sh docs`."));
    let mut shell = desk.shell("a");
    shell.asks(1, "why is src so frobbed").hears_done();
    shell.asks(2, "and for the other folder?").hears_done();
    assert!(!desk.told(0).contains("Earlier"), "{}", desk.told(0));
    let told = desk.told(1);
    for part in ["why is src so frobbed", "Use `du -sh src`."] {
        assert!(told.contains(part), "{told}");
    }
    assert!(told.trim_end().ends_with("Question: and for the other folder?"), "{told}");
}

#[test]
fn ask_tells_a_model_the_place_and_what_failed_and_no_secret() {
    let desk = Desk::new();
    desk.model.next(ScriptedReply::chat("So."));
    desk.home.write("here/Cargo.toml", "");
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    desk.ran(1, "frob --first");
    desk.ran(2, &format!("curl -H 'Authorization: Bearer {secret}' https://example.com"));
    let output = format!("make: *** No rule to make target 'sure'.  Stop.\nTOKEN={secret}\n");
    let failed = json!({
        "type": "ask", "query": format!("make sure that {secret} works"), "number": 1, "exit_status": 2, "output": output,
    });
    desk.shell("a").sends(failed).hears_done();
    let told = desk.told(0);
    let facts = ["Shell: zsh", "Project: Rust (Cargo)", "frob --first", "status 2", "No rule to make target 'sure'"];
    for fact in facts {
        assert!(told.contains(fact), "no {fact:?} in {told}");
    }
    assert!(!desk.model.requests()[0].text.contains(secret), "{told}");
}

#[test]
fn ask_is_in_the_journal_to_the_byte() {
    let desk = Desk::new();
    desk.model.next(ScriptedReply::chat("So."));
    desk.shell("a").asks(1, UNKNOWN).hears_done();
    desk.model.wait_for_ending(0);
    let journal = desk.home.read(".local/state/aside/privacy.jsonl");
    let leaving: Value = serde_json::from_str(journal.lines().next().unwrap()).unwrap();
    assert!(leaving.to_string().contains("\"ask\""), "{leaving}");
    assert!(journal.contains(UNKNOWN), "{journal}");
    let shown = desk.home.aside_does(&["privacy"]).stdout;
    assert!(shown.contains("ask"), "{shown}");
}

#[test]
fn ask_goes_to_whom_the_settings_name_for_tasks() {
    let other = Model::start();
    let url = other.base_url();
    let desk = Desk::with("", &format!("[llm.task]\nprovider = 'openai'\nbase_url = '{url}'\nmodel = 'larger'\n"));
    other.next(ScriptedReply::chat("So."));
    assert_eq!(words(&desk.shell("a").asks(1, UNKNOWN).hears_done()), "So.");
    assert_eq!((desk.asked(), text(&other.requests()[0].body["model"])), (0, "larger"));
}

#[test]
fn ask_is_noted_among_what_was_taken_for_a_sentence() {
    let home = home();
    home.aside_does(&["daemon", "start"]);
    let mut shell = Shell::new(&home, "a");
    let asked = json!({"type": "ask", "query": KNOWN, "number": 1, "reason": "it reads as a sentence"});
    for _ in 0..2 {
        shell.sends(asked.clone()).hears_done();
    }
    let deadline = std::time::Instant::now() + crate::harness::patience();
    let log = loop {
        let log = home.aside_does(&["log"]).stdout;
        if log.contains(KNOWN) || std::time::Instant::now() > deadline {
            break log;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    assert_eq!(log.matches(KNOWN).count(), 1, "listening again is no new question: {log}");
}
