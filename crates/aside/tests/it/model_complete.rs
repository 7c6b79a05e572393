//! What a model adds to completion, over the daemon's socket: when it is asked, what it receives, which part of its reply is shown,
//! and how quietly it fails.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::harness::patience;
use crate::model::fixture::{AT_ONCE, ModelFixture, NONE, REST, bare_home};
use crate::model::scripted_reply::ScriptedReply;
use crate::model::{Ending, Model};

fn asked_about(request: &crate::model::Request) -> &str {
    request.body["messages"][1]["content"].as_str().unwrap().trim_end().lines().last().unwrap()
}

#[test]
fn a_model_is_asked_once_the_person_rests() {
    let desk = ModelFixture::with(REST, "openai");
    desk.model.always(ScriptedReply::chat("frob status --short"));
    let mut shell = desk.shell("a");
    for left in ["frob ", "frob s", "frob st", "frob sta", "frob stat"] {
        assert_eq!(shell.types(left), NONE);
    }
    assert_eq!(shell.is_told(), ["frob status --short  llm"]);
    let requests = desk.model.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(asked_about(&requests[0]), "frob stat<cursor>");
    assert_eq!(requests[0].body["stream"], true);
    assert_eq!(requests[0].body["model"], "scripted");
}

#[test]
fn a_model_is_not_asked_about_too_little_or_where_files_know_better() {
    let desk = ModelFixture::new();
    desk.model.always(ScriptedReply::chat("frob status"));
    let mut shell = desk.shell("a");
    for left in ["f", "fr", "cd ~/Docu", "cat ~/Docu", "frob -o ./st", "# gi", "? list files"] {
        let known = shell.types(left);
        assert!(!known.iter().any(|known| known.ends_with("  llm")), "{left}: {known:?}");
    }
    assert_eq!(shell.types("frob"), NONE);
    assert_eq!(shell.is_told(), ["frob status  llm"]);
    assert_eq!(desk.model.requests().len(), 1);
}

#[test]
fn typing_on_ends_the_question_down_to_the_connection() {
    let desk = ModelFixture::new();
    desk.model.next(ScriptedReply::hangs()).next(ScriptedReply::chat("frob push")).next(ScriptedReply::hangs());
    let mut shell = desk.shell("a");
    shell.types("frob st");
    desk.model.wait_for_requests(1);
    shell.types("frob pu");
    assert_eq!(desk.model.wait_for_ending(0), Ending::ClientLeft);
    assert_eq!(shell.is_told(), ["frob push  llm"]);
    // The end of the line cancels the request too: the shell closes its connection then.
    shell.types("frob fe");
    desk.model.wait_for_requests(3);
    drop(shell);
    assert_eq!(desk.model.wait_for_ending(2), Ending::ClientLeft);
}

#[test]
fn a_line_that_needs_no_model_ends_the_question_too() {
    let desk = ModelFixture::new();
    desk.model.next(ScriptedReply::hangs());
    let mut shell = desk.shell("a");
    shell.types("frob st");
    desk.model.wait_for_requests(1);
    shell.types("g");
    assert_eq!(desk.model.wait_for_ending(0), Ending::ClientLeft);
}

#[test]
fn shells_do_not_end_each_others_questions() {
    let desk = ModelFixture::new();
    desk.model
        .next(ScriptedReply::chat("frob status").delay(Duration::from_millis(300)))
        .next(ScriptedReply::chat("frob push"));
    let (mut one, mut two) = (desk.shell("a"), desk.shell("b"));
    one.types("frob st");
    desk.model.wait_for_requests(1);
    two.types("frob pu");
    assert_eq!(two.is_told(), ["frob push  llm"]);
    assert_eq!(one.is_told(), ["frob status  llm"]);
    // Nor do two shells without a session id.
    desk.model.next(ScriptedReply::hangs());
    let mut nameless = desk.shell("");
    nameless.types("frob fe");
    desk.model.wait_for_requests(3);
    two.types("frob pu");
    assert_eq!(desk.model.requests()[2].ending, Ending::Open);
}

#[test]
fn an_answer_is_heard_while_it_comes() {
    let desk = ModelFixture::new();
    desk.model.next(ScriptedReply::streams(["frob st", "atus", " --sh", "ort"]).pace(Duration::from_millis(30)));
    let mut shell = desk.shell("a");
    shell.types("frob s");
    let mut heard = Vec::new();
    while heard.last().is_none_or(|last| last != "frob status --short  llm") {
        heard.extend(shell.is_told());
    }
    let texts: Vec<&str> = heard.iter().map(|heard| heard.strip_suffix("  llm").unwrap()).collect();
    assert!(texts.windows(2).all(|pair| pair[1].starts_with(pair[0]) && pair[1] != pair[0]), "{texts:?}");
    assert!(texts[0].len() < "frob status --short".len(), "{texts:?}");
}

#[test]
fn what_was_shown_of_an_answer_that_broke_off_is_taken_back() {
    let desk = ModelFixture::new();
    desk.ran(1, "frob stash");
    desk.model
        .next(ScriptedReply::streams(["frob status", " --short"]).pace(Duration::from_millis(400)).drops_after(1));
    let mut shell = desk.shell("a");
    assert_eq!(shell.types("frob st"), ["frob stash  history"]);
    assert_eq!(shell.is_told(), ["frob stash  history", "frob status  llm"]);
    assert_eq!(shell.is_told(), ["frob stash  history"]);
    desk.waits_for_notice("the model: it hung up");
}

#[test]
fn typing_what_is_being_answered_asks_nothing_new() {
    let desk = ModelFixture::new();
    desk.model.next(ScriptedReply::streams(["frob stat", "us --short"]).pace(Duration::from_millis(20)).hangs_after(1));
    let mut shell = desk.shell("a");
    shell.types("frob s");
    assert_eq!(shell.is_told(), ["frob stat  llm"]);
    assert_eq!(shell.types("frob sta"), ["frob stat  llm"]);
    let requests = desk.model.requests();
    assert_eq!((requests.len(), requests[0].ending), (1, Ending::Open));
    // Typing something else cancels it.
    desk.model.next(ScriptedReply::chat("frob push"));
    shell.types("frob p");
    assert_eq!(desk.model.wait_for_ending(0), Ending::ClientLeft);
    assert_eq!(shell.is_told(), ["frob push  llm"]);
}

#[test]
fn an_answer_is_remembered_for_the_line_and_for_those_typed_along_it() {
    let desk = ModelFixture::new();
    desk.model.always(ScriptedReply::chat("frob status --short"));
    let (mut one, mut two) = (desk.shell("a"), desk.shell("b"));
    one.types("frob st");
    assert_eq!(one.is_told(), ["frob status --short  llm"]);
    // Another shell in the same directory sends the same request; it gets the cached reply once the model's stream has ended.
    let deadline = Instant::now() + patience();
    let mut asked = 1;
    while two.types("frob st").is_empty() {
        assert!(Instant::now() < deadline, "it is not remembered");
        // The daemon has not seen the end yet, so this request may have reached the model too.
        asked += 1;
    }
    for left in ["frob st", "frob sta", "frob status --sh"] {
        assert_eq!(one.types(left), ["frob status --short  llm"], "{left}");
        assert_eq!(two.types(left), ["frob status --short  llm"], "{left}");
    }
    desk.home.aside_does(&["daemon", "stop"]);
    assert!(desk.model.requests().len() <= asked, "{} questions for {asked}", desk.model.requests().len());
}

#[test]
fn what_is_known_here_is_neither_held_back_nor_pushed_away() {
    let desk = ModelFixture::new();
    desk.ran(1, "frob stash");
    desk.ran(2, "frob start");
    desk.model.next(ScriptedReply::chat("frob status")).next(ScriptedReply::chat("frob start"));
    let mut shell = desk.shell("a");
    assert_eq!(shell.types("frob st"), ["frob start  history", "frob stash  history"]);
    assert_eq!(shell.is_told(), ["frob start  history", "frob stash  history", "frob status  llm"]);
    // A model's candidate that the history already has is not repeated.
    assert_eq!(shell.types("frob star"), ["frob start  history"]);
    desk.model.wait_for_ending(1);
    assert_eq!(shell.types("frob star"), ["frob start  history"]);
}

#[test]
fn a_bar_that_is_full_has_a_place_for_the_idea() {
    let desk = ModelFixture::new();
    for (seq, command) in ["frob sa", "frob se", "frob si", "frob so", "frob su"].into_iter().enumerate() {
        desk.ran(seq as u64, command);
    }
    desk.model.next(ScriptedReply::chat("frob status --short"));
    let mut shell = desk.shell("a");
    let known = shell.types("frob s");
    assert_eq!(known.len(), 4, "{known:?}");
    let told = shell.is_told();
    assert_eq!(told[..3], known[..3]);
    assert_eq!(told[3..], ["frob status --short  llm"]);
}

#[test]
fn half_a_word_is_not_put_before_the_word_that_is_known() {
    let desk = ModelFixture::new();
    desk.model.next(ScriptedReply::streams(["systemctl stat", "us --al", "l"]).pace(Duration::from_millis(30)));
    let mut shell = desk.shell("a");
    let known = shell.types("systemctl s");
    assert!(known.contains(&"systemctl status  spec".to_owned()), "{known:?}");
    let mut told = Vec::new();
    while !told.contains(&"systemctl status --all  llm".to_owned()) {
        told = shell.is_told();
        assert!(!told.contains(&"systemctl stat  llm".to_owned()), "{told:?}");
    }
}

#[test]
fn a_blank_that_was_forgotten_is_put_back() {
    let desk = ModelFixture::new();
    desk.ran(1, "frob add");
    desk.model.next(ScriptedReply::chat("status")).next(ScriptedReply::chat("st --all"));
    let mut shell = desk.shell("a");
    shell.types("frob");
    assert_eq!(shell.is_told(), ["frob add  history", "frob status  llm"]);
    shell.types("frob te");
    assert_eq!(shell.is_told(), ["frob test --all  llm"]);
}

#[test]
fn the_model_is_told_what_ran_but_no_secret() {
    let desk = ModelFixture::with(AT_ONCE, "none");
    // As if the pattern had been added after the command ran.
    desk.settings(AT_ONCE, "none", "http://127.0.0.1:9/v1", "[history]\nignore = []\n");
    desk.home.aside_does(&["daemon", "stop"]);
    desk.home.aside_does(&["daemon", "start"]);
    desk.ran(1, "deploy --token hunter2");
    desk.ran(2, "frob test");
    desk.home.aside_does(&["daemon", "stop"]);
    desk.settings(AT_ONCE, "openai", &desk.model.base_url(), "");
    desk.home.aside_does(&["daemon", "start"]);
    desk.model.always(ScriptedReply::chat("frob install"));
    let mut shell = desk.shell("a");
    for left in ["curl -u me:hunter2 htt", " frob sta", "export API_KEY=hunter2"] {
        assert_eq!(shell.types(left), NONE);
    }
    shell.types("frob in");
    assert_eq!(shell.is_told(), ["frob install  llm"]);
    let requests = desk.model.requests();
    assert_eq!(requests.len(), 1);
    let told = requests[0].body.to_string();
    assert!(told.contains("frob test") && !told.contains("hunter2"), "{told}");
}

#[test]
fn nothing_is_sent_unless_somebody_is_named() {
    let desk = ModelFixture::with(AT_ONCE, "none");
    let mut shell = desk.shell("a");
    for left in ["frob st", "frob sta", "frob run "] {
        assert_eq!(shell.types(left), NONE);
    }
    desk.home.aside_does(&["daemon", "stop"]);
    assert_eq!(desk.model.requests(), []);
    // The daemon picks up a saved change of the settings.
    desk.home.aside_does(&["daemon", "start"]);
    desk.model.always(ScriptedReply::chat("frob status"));
    desk.home.aside_does(&["config", "set", "llm.provider", "openai"]);
    let mut shell = desk.shell("a");
    let deadline = Instant::now() + patience();
    while desk.model.requests().is_empty() {
        assert!(Instant::now() < deadline, "nobody was asked");
        shell.types("frob st");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_key_comes_from_the_environment_and_stays_out_of_sight() {
    let model = Model::start();
    let mut home = bare_home();
    home.set_env("MY_KEY", "sesame-4711");
    let desk = ModelFixture { model, home };
    let key = "api_key_env = 'MY_KEY'\n[daemon]\nlog = 'debug'\n";
    desk.settings(AT_ONCE, "openai", &desk.model.base_url(), key);
    desk.home.aside_does(&["daemon", "start"]);
    desk.model.next(ScriptedReply::chat("frob status")).next(ScriptedReply::status(401));
    let mut shell = desk.shell("a");
    shell.types("frob st");
    assert_eq!(shell.is_told(), ["frob status  llm"]);
    assert_eq!(desk.model.requests()[0].header("authorization"), Some("Bearer sesame-4711"));
    shell.types("frob pu");
    desk.waits_for_notice("the model: it does not accept the key; see llm.api_key_env");
    let status = desk.home.wire().json(json!({"type": "status"})).to_string();
    let log = std::fs::read_to_string(desk.home.daemon_log()).unwrap_or_default();
    assert!(!format!("{status}{log}").contains("sesame"), "{status}\n{log}");
}

#[test]
fn a_missing_key_is_named() {
    let desk = ModelFixture::with(AT_ONCE, "none");
    desk.home.aside_does(&["daemon", "stop"]);
    desk.settings(AT_ONCE, "openai", &desk.model.base_url(), "api_key_env = 'NO_SUCH_KEY'\n");
    desk.home.aside_does(&["daemon", "start"]);
    desk.shell("a").types("frob st");
    let mut shell = desk.shell("a");
    shell.types("frob st");
    desk.waits_for_notice("NO_SUCH_KEY");
    assert_eq!(desk.model.requests(), []);
}

/// Provokes a failure twice: nothing of it appears at the prompt, and the user gets a single notice.
#[track_caller]
fn fails_quietly(answer: ScriptedReply, notice: &str) {
    let desk = ModelFixture::new();
    desk.ran(1, "frob status");
    desk.model.next(answer.clone()).next(answer).next(ScriptedReply::chat("frob stash"));
    let mut shell = desk.shell("a");
    assert_eq!(shell.types("frob st"), ["frob status  history"]);
    desk.waits_for_notice(notice);
    assert_eq!(shell.types("frob sta"), ["frob status  history"]);
    desk.model.wait_for_ending(1);
    // The first update that arrives belongs to the request that succeeded.
    shell.types("frob stas");
    assert_eq!(shell.is_told(), ["frob stash  llm"]);
    let about: Vec<String> = desk.notices().into_iter().filter(|notice| notice.starts_with("the model: ")).collect();
    assert_eq!(about.len(), 1, "{about:?}");
    let report = desk.home.aside(&["doctor"]).stdout;
    let told = format!("it failed: {}", notice.strip_prefix("the model: ").unwrap());
    assert_eq!(report.matches(&told).count(), 1, "{report}");
}

#[test]
fn a_server_error_is_silent() {
    fails_quietly(ScriptedReply::status(500), "the model: it answered with HTTP status 500");
}

#[test]
fn a_rate_limit_is_silent() {
    fails_quietly(ScriptedReply::status(429), "the model: it was asked too often");
}

#[test]
fn garbage_is_silent() {
    fails_quietly(ScriptedReply::raw("<html>It works!</html>"), "the model: its answer makes no sense");
}

#[test]
fn a_lost_connection_is_silent() {
    fails_quietly(ScriptedReply::drops(), "the model: it hung up");
}

#[test]
fn a_server_that_says_nothing_is_not_waited_for() {
    let desk = ModelFixture::new();
    desk.model.next(ScriptedReply::hangs());
    let mut shell = desk.shell("a");
    shell.types("frob st");
    desk.waits_for_notice("the model: it took too long to answer");
    assert_eq!(desk.model.wait_for_ending(0), Ending::ClientLeft);
}

#[test]
fn a_server_that_is_not_there_is_silent() {
    let desk = ModelFixture::with(AT_ONCE, "none");
    desk.home.aside_does(&["daemon", "stop"]);
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    desk.settings(AT_ONCE, "openai", &format!("http://{nobody}/v1"), "");
    desk.home.aside_does(&["daemon", "start"]);
    let mut shell = desk.shell("a");
    assert_eq!(shell.types("frob st"), NONE);
    desk.waits_for_notice("the model: no server answers at llm.base_url");
}
