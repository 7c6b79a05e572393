//! All kinds of servers over all kinds of networks: which server is asked with which key, what is sent, and that failures never
//! reach the prompt.

use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::home::Home;
use crate::harness::patience;
use crate::model::fixture::{AT_ONCE, ModelFixture, NONE, bare_home};
use crate::model::scripted_reply::ScriptedReply;
use crate::model::{Ending, Model};

const OPENAI: &str = "[llm]\nprovider = 'openai'\nbase_url = 'URL'\nmodel = 'scripted'\n";
const ANTHROPIC: &str = "[llm]\nprovider = 'anthropic'\nbase_url = 'URL'\nmodel = 'scripted'\napi_key_env = 'MY_KEY'\n";

fn openai() -> ModelFixture {
    ModelFixture::set(Model::start(), bare_home(), OPENAI)
}

fn home_with_key() -> Home {
    let mut home = bare_home();
    home.set_env("MY_KEY", "sesame-4711");
    home
}

fn anthropic(more: &str) -> ModelFixture {
    ModelFixture::set(Model::start(), home_with_key(), &format!("{ANTHROPIC}{more}"))
}

/// The source and the text of a reply: `llm frob status`; empty when there is none.
fn told(answer: &Value) -> String {
    format!("{} {}", answer["source"].as_str().unwrap_or_default(), answer["text"].as_str().unwrap_or_default())
        .trim()
        .to_owned()
}

#[track_caller]
fn assert_note(answer: &Value, part: &str) {
    assert!(answer["note"].as_str().unwrap_or_default().contains(part), "no {part:?} in {answer}");
}

// The circuit breaker.

#[test]
fn after_three_failures_nobody_asks_for_a_while() {
    let desk = openai();
    desk.model.next(ScriptedReply::status(500)).next(ScriptedReply::drops()).next(ScriptedReply::raw("<html>"));
    for left in ["frob a", "frob b", "frob c", "frob d", "frob e"] {
        assert_eq!(desk.completes(left), NONE);
    }
    assert_eq!(desk.model.requests().len(), 3);
    assert_eq!(desk.servers(), ["openai resting"]);
    let report = desk.home.aside(&["doctor"]).stdout;
    assert!(report.contains("left alone for another"), "{report}");
    // Completion gets no notice about it.
    let mut shell = desk.shell("a");
    assert_eq!(shell.types("frob f"), NONE);
}

#[test]
fn a_wish_finds_out_whether_it_is_well_and_one_answer_is_enough() {
    let desk = openai();
    for left in ["frob a", "frob b", "frob c"] {
        desk.model.next(ScriptedReply::status(503));
        assert_eq!(desk.completes(left), NONE);
    }
    // Still failing: the query was tried, and retried once.
    desk.model.next(ScriptedReply::status(503)).next(ScriptedReply::status(503));
    let answer = desk.wishes("frobnicate the quux");
    assert_eq!(told(&answer), "");
    assert_note(&answer, "HTTP status 503");
    assert_eq!(desk.model.requests().len(), 5);
    assert_eq!(desk.servers(), ["openai resting"]);
    desk.model.next(ScriptedReply::chat("frob status"));
    assert_eq!(told(&desk.wishes("frobnicate the quux")), "llm frob status");
    assert_eq!(desk.servers(), ["openai well"]);
    desk.model.next(ScriptedReply::chat("frob stop"));
    assert_eq!(desk.completes("frob sto"), ["frob stop  llm"]);
}

#[test]
fn only_one_finds_out_at_a_time() {
    let desk = openai();
    for left in ["frob a", "frob b", "frob c"] {
        desk.model.next(ScriptedReply::status(503));
        assert_eq!(desk.completes(left), NONE);
    }
    desk.model.next(ScriptedReply::hangs());
    let mut first = desk.home.wire();
    first.sends_json(json!({"type": "translate", "query": "frobnicate the quux", "session_id": "a", "now": true}));
    desk.model.wait_for_requests(4);
    assert_note(&desk.wishes("quux the frob"), "left alone");
    assert_eq!(desk.model.requests().len(), 4);
    // A cancelled probe makes room for the next one.
    drop(first);
    assert_eq!(desk.model.wait_for_ending(3), Ending::ClientLeft);
    desk.model.next(ScriptedReply::chat("frob status"));
    let deadline = Instant::now() + patience();
    while told(&desk.wishes("quux the frob")) != "llm frob status" {
        assert!(Instant::now() < deadline, "nobody found out");
    }
}

#[test]
fn failures_with_answers_between_them_do_not_count() {
    let desk = openai();
    for round in 0..3 {
        // Replies are cached, so each line is different.
        desk.model
            .next(ScriptedReply::drops())
            .next(ScriptedReply::status(500))
            .next(ScriptedReply::chat(&format!("frob c{round} x")));
        assert_eq!(desk.completes(&format!("frob a{round}")), NONE);
        assert_eq!(desk.completes(&format!("frob b{round}")), NONE);
        assert_eq!(desk.completes(&format!("frob c{round}")), [format!("frob c{round} x  llm")]);
    }
    assert_eq!(desk.model.requests().len(), 9);
    assert_eq!(desk.servers(), ["openai well"]);
}

#[test]
fn a_server_that_wants_a_rest_gets_it_from_everybody() {
    let desk = openai();
    desk.model.next(ScriptedReply::status(429).retry_after(1));
    let asked = Instant::now();
    assert_eq!(desk.completes("frob st"), NONE);
    assert_eq!(desk.servers(), ["openai resting"]);
    assert_note(&desk.wishes("frobnicate the quux"), "left alone");
    assert_eq!(desk.model.requests().len(), 1);
    desk.model.next(ScriptedReply::chat("frob status"));
    let deadline = Instant::now() + patience();
    while desk.completes("frob st") != ["frob status  llm"] {
        assert!(Instant::now() < deadline, "it is never asked again");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(asked.elapsed() >= Duration::from_secs(1), "{:?}", asked.elapsed());
    assert_eq!(desk.model.requests().len(), 2);
}

#[test]
fn a_rest_may_be_named_as_a_time() {
    let desk = openai();
    let until = jiff::Timestamp::now() + Duration::from_secs(3600);
    let until = until.to_zoned(jiff::tz::TimeZone::UTC).strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
    desk.model.next(ScriptedReply::status(429).retry_at(&until));
    assert_eq!(desk.completes("frob st"), NONE);
    assert_eq!(desk.completes("frob sta"), NONE);
    assert_note(&desk.wishes("frobnicate the quux"), "left alone");
    assert_eq!(desk.model.requests().len(), 1);
}

#[test]
fn other_settings_make_another_server() {
    let desk = openai();
    for left in ["frob a", "frob b", "frob c"] {
        desk.model.next(ScriptedReply::status(503));
        assert_eq!(desk.completes(left), NONE);
    }
    let other = Model::start();
    other.always(ScriptedReply::chat("frob status"));
    desk.settings(AT_ONCE, "openai", &other.base_url(), "");
    let deadline = Instant::now() + patience();
    while desk.completes("frob st") != ["frob status  llm"] {
        assert!(Instant::now() < deadline, "the other one is not asked");
        std::thread::sleep(Duration::from_millis(20));
    }
}

// Retries.

#[test]
fn a_wish_is_tried_once_more_when_the_server_stumbles() {
    for stumbles in
        [ScriptedReply::status(500), ScriptedReply::status(502), ScriptedReply::status(503), ScriptedReply::drops()]
    {
        let desk = openai();
        desk.model.next(stumbles).next(ScriptedReply::chat("frob status"));
        assert_eq!(told(&desk.wishes("frobnicate the quux")), "llm frob status");
        assert_eq!(desk.model.requests().len(), 2);
    }
    let desk = openai();
    desk.model.next(ScriptedReply::streams(["frob sta", "tus"]).drops_after(1)).next(ScriptedReply::chat("frob stop"));
    assert_eq!(told(&desk.wishes("frobnicate the quux")), "llm frob stop");
}

#[test]
fn a_wish_is_not_tried_again_when_that_is_of_no_use() {
    for (refuses, why) in [
        (ScriptedReply::status(400), "HTTP status 400"),
        (ScriptedReply::status(401), "does not accept the key"),
        (ScriptedReply::refuses(404, "the model 'scripted' does not exist"), "no such model"),
        (ScriptedReply::status(429), "asked too often"),
        (ScriptedReply::raw("<html>It works!</html>"), "makes no sense"),
    ] {
        let desk = openai();
        desk.model.next(refuses);
        let answer = desk.wishes("frobnicate the quux");
        assert_eq!(told(&answer), "");
        assert_note(&answer, why);
        assert_eq!(desk.model.requests().len(), 1);
    }
}

#[test]
fn a_line_is_asked_about_once() {
    let desk = openai();
    desk.model.next(ScriptedReply::status(500)).next(ScriptedReply::drops());
    assert_eq!(desk.completes("frob st"), NONE);
    assert_eq!(desk.model.requests().len(), 1);
    assert_eq!(desk.completes("frob st"), NONE);
    assert_eq!(desk.model.requests().len(), 2);
}

// Timeouts.

#[test]
fn a_server_that_takes_no_connection_is_not_waited_for() {
    // A listener with a full backlog does not answer at all, like a dead network.
    let socket = rustix::net::socket(rustix::net::AddressFamily::INET, rustix::net::SocketType::STREAM, None).unwrap();
    rustix::net::bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0)).unwrap();
    rustix::net::listen(&socket, 0).unwrap();
    let address = TcpListener::from(socket.try_clone().unwrap()).local_addr().unwrap();
    let knock = || TcpStream::connect_timeout(&address, Duration::from_millis(200));
    let _full: Vec<TcpStream> = std::iter::from_fn(|| knock().ok()).collect();
    let settings = format!("[llm]\nprovider = 'openai'\nbase_url = 'http://{address}'\ntimeout_connect_ms = 200\n");
    let desk = ModelFixture::set(Model::start(), bare_home(), &settings);
    let asked = Instant::now();
    assert_eq!(desk.completes("frob st"), NONE);
    assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
    desk.waits_for_notice("the model: no server answers at llm.base_url");
}

#[test]
fn a_name_that_means_nothing_is_silent() {
    // Longer than a DNS label may be, so no name server is asked.
    let name = "a".repeat(70);
    let settings = format!("[llm]\nprovider = 'openai'\nbase_url = 'http://{name}.invalid'\n");
    let desk = ModelFixture::set(Model::start(), bare_home(), &settings);
    assert_eq!(desk.completes("frob st"), NONE);
    desk.waits_for_notice("the model: no server answers at llm.base_url");
}

#[test]
fn a_wish_is_waited_for_longer_than_a_line() {
    let desk = ModelFixture::set(
        Model::start(),
        bare_home(),
        &format!("{OPENAI}timeout_read_ms = 50\ntimeout_connect_ms = 50\n"),
    );
    let late = Duration::from_millis(1500);
    desk.model
        .next(ScriptedReply::chat("frob status").delay(late))
        .next(ScriptedReply::chat("frob status").delay(late));
    assert_eq!(desk.completes("frob st"), NONE);
    assert_eq!(desk.model.wait_for_ending(0), Ending::ClientLeft);
    desk.waits_for_notice("the model: it took too long to answer");
    assert_eq!(told(&desk.wishes("frobnicate the quux")), "llm frob status");
}

#[test]
fn a_wish_has_its_limits_too() {
    for (answer, first, all) in [
        (ScriptedReply::hangs(), 300, 60_000),
        // Keep-alive events do not count as output, neither before the first piece nor after it.
        (ScriptedReply::chat("x").pace(Duration::from_millis(20)).drips_after(0), 300, 60_000),
        (ScriptedReply::chat("x").pace(Duration::from_millis(20)).drips_after(1), 300, 60_000),
        // A slow trickle of words does not extend the total timeout.
        (ScriptedReply::streams(["a"; 60]).pace(Duration::from_millis(100)), 20_000, 600),
    ] {
        let limits = format!("timeout_wish_first_ms = {first}\ntimeout_wish_ms = {all}\n");
        let desk = ModelFixture::set(Model::start(), bare_home(), &format!("{OPENAI}{limits}"));
        desk.model.next(answer);
        assert_note(&desk.wishes("frobnicate the quux"), "too long");
        assert_eq!(desk.model.wait_for_ending(0), Ending::ClientLeft);
    }
}

#[test]
fn a_slow_answer_is_shown_while_the_line_is_the_same_and_its_time_is_told() {
    let desk = openai();
    desk.model.next(ScriptedReply::chat("frob status").delay(Duration::from_millis(2500)));
    let mut shell = desk.shell("a");
    assert_eq!(shell.types("frob st"), NONE);
    assert_eq!(shell.is_told(), ["frob status  llm"]);
    let status = desk.home.wire().json(json!({"type": "status"}));
    let uses = &status["models"][0]["uses"];
    assert_eq!((&uses[0]["use"], &uses[0]["model"]), (&json!("complete"), &json!("scripted")));
    assert!(uses[0]["average_ms"].as_u64().unwrap() >= 2500, "{uses}");
    assert_eq!(uses[1]["average_ms"], Value::Null);
}

#[test]
fn a_wish_that_was_replaced_is_given_up_down_to_the_connection() {
    let desk = openai();
    desk.model.next(ScriptedReply::streams(["frob ", "status"]).hangs_after(1)).next(ScriptedReply::chat("frob stop"));
    let mut wire = desk.home.wire();
    let wish = |query: &str, id: u64| json!({"type": "translate", "query": query, "session_id": "a", "request_id": id, "now": true, "cwd": desk.cwd()});
    wire.sends_json(wish("frobnicate the quux", 1));
    desk.model.wait_for_requests(1);
    wire.sends_json(wish("stop the quux now", 2));
    assert_eq!(desk.model.wait_for_ending(0), Ending::ClientLeft);
    loop {
        let answer = wire.reads_json();
        if answer["request_id"] == 2 && answer["state"] == "done" {
            assert_eq!(told(&answer), "llm frob stop");
            break;
        }
    }
    // The journal records a cancelled request as such.
    let journal = desk.journal();
    assert!(journal.iter().any(|line| line["answer"]["failure"] == "cancelled"), "{journal:#?}");
}

#[test]
fn all_questions_share_a_connection() {
    let desk = openai();
    // A connection is reusable once its last bytes were read; the daemon has done that once it answers `status`.
    let rests = |number| {
        assert_eq!(desk.model.wait_for_ending(number), Ending::Whole);
        desk.servers();
    };
    for number in 0..4 {
        desk.model.next(ScriptedReply::streams(["frob ", "status"]));
        assert_eq!(told(&desk.wishes(&format!("frobnicate {number} quuxes"))), "llm frob status");
        rests(2 * number);
        desk.model.next(ScriptedReply::chat(&format!("frob s{number} x")));
        assert_eq!(desk.completes(&format!("frob s{number}")), [format!("frob s{number} x  llm")]);
        rests(2 * number + 1);
    }
    assert_eq!(desk.model.requests().len(), 8);
    assert_eq!(desk.model.connections(), 1);
}

#[test]
fn a_connection_is_kept_although_its_last_bytes_are_late() {
    let desk = openai();
    for number in 0..3 {
        desk.model.next(ScriptedReply::chat("frob status").lingers(Duration::from_millis(100)));
        assert_eq!(told(&desk.wishes(&format!("frobnicate {number} quuxes"))), "llm frob status");
        assert_eq!(desk.model.wait_for_ending(number), Ending::Whole);
        // The daemon has handled its connections once it answers this.
        desk.servers();
    }
    assert_eq!(desk.model.connections(), 1);
}

// Reply formats.

#[test]
fn an_answer_is_known_by_what_it_is_and_not_by_what_it_is_called() {
    for kind in ["application/json", "text/plain", "text/event-stream; charset=utf-8", "application/octet-stream"] {
        let desk = openai();
        desk.model.next(ScriptedReply::streams(["frob ", "status"]).content_type(kind));
        assert_eq!(desk.completes("frob st"), ["frob status  llm"], "{kind}");
    }
    let whole = r#"{"choices":[{"message":{"role":"assistant","content":"frob status"},"finish_reason":"stop"}]}"#;
    for kind in ["application/json", "text/event-stream"] {
        let desk = openai();
        desk.model.next(ScriptedReply::raw(whole).content_type(kind));
        assert_eq!(desk.completes("frob st"), ["frob status  llm"], "{kind}");
    }
}

#[test]
fn what_makes_no_sense_is_silent() {
    for garbage in
        ["<html>It works!</html>", "", "{}", "null", "data: {\n\n", "{\"choices\":[{\"delta\":5}]}", "\u{0}\u{1}"]
    {
        let desk = openai();
        desk.model.next(ScriptedReply::raw(garbage));
        assert_eq!(desk.completes("frob st"), NONE, "{garbage:?}");
        desk.waits_for_notice("the model: ");
    }
}

#[test]
fn half_an_answer_is_none() {
    let desk = openai();
    desk.model
        .next(ScriptedReply::chat("frob remove old").cut())
        .next(ScriptedReply::chat("frob reset\nfrob re").cut());
    assert_eq!(desk.completes("frob rem"), NONE);
    assert_eq!(desk.completes("frob res"), ["frob reset  llm"], "a line that is whole is one");
    let desk = anthropic("");
    desk.model.next(ScriptedReply::chat("frob remove old").cut());
    assert_eq!(desk.completes("frob rem"), NONE);
}

#[test]
fn an_error_within_the_stream_is_a_failure() {
    let desk = openai();
    desk.model.next(ScriptedReply::streams(["frob status", " --short"]).errs_after(1));
    assert_eq!(desk.completes("frob st"), NONE);
    desk.waits_for_notice("the model: it answered with HTTP status 500");
    // A query is retried.
    desk.model.next(ScriptedReply::streams(["frob a", "b"]).errs_after(1)).next(ScriptedReply::chat("frob status"));
    assert_eq!(told(&desk.wishes("frobnicate the quux")), "llm frob status");
}

#[test]
fn a_part_that_the_server_does_not_take_is_left_out_from_then_on() {
    let desk = openai();
    desk.model
        .next(ScriptedReply::refuses(400, "Unsupported parameter: 'max_tokens' is not supported with this model."))
        .next(ScriptedReply::refuses(400, "Unsupported value: 'temperature' does not support 0 with this model."))
        .next(ScriptedReply::refuses(422, "extra inputs are not permitted: stream_options"))
        .always(ScriptedReply::chat("frob status"));
    assert_eq!(desk.completes("frob st"), ["frob status  llm"]);
    desk.completes("frob x");
    let requests = desk.model.requests();
    assert_eq!(requests.len(), 5);
    let has = |number: usize, name: &str| requests[number].body.get(name).is_some();
    for number in [3, 4] {
        assert!(!has(number, "max_tokens") && has(number, "max_completion_tokens"), "{}", requests[number].body);
        assert!(!has(number, "temperature") && !has(number, "stream_options"), "{}", requests[number].body);
    }
    assert!(has(0, "max_tokens") && has(0, "temperature") && has(0, "stream_options"));
    assert_eq!(desk.servers(), ["openai well"]);
}

// Anthropic.

#[test]
fn anthropic_is_spoken_to_in_its_own_words() {
    let desk = anthropic("");
    desk.model.next(ScriptedReply::streams(["frob ", "sta", "tus"])).next(ScriptedReply::chat("frob stop"));
    assert_eq!(desk.completes("frob st"), ["frob status  llm"]);
    assert_eq!(told(&desk.wishes("frobnicate the quux")), "llm frob stop");
    for request in desk.model.requests() {
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/v1/messages"));
        assert_eq!(request.header("x-api-key"), Some("sesame-4711"));
        assert_eq!(request.header("anthropic-version"), Some("2023-06-01"));
        assert_eq!(request.header("authorization"), None);
        assert_eq!(request.body["model"], "scripted");
        assert_eq!(request.body["stream"], true);
        assert_eq!(request.body["messages"][0]["role"], "user");
    }
    let rules = &desk.model.requests()[0].body["system"][0];
    assert_eq!((&rules["type"], &rules["cache_control"]), (&json!("text"), &json!({"type": "ephemeral"})));
    assert!(rules["text"].as_str().unwrap().starts_with("You finish command lines"), "{rules}");
    let counted: Vec<Value> = desk.journal().into_iter().filter_map(|line| line.get("answer").cloned()).collect();
    let counted: Vec<(&Value, &Value)> =
        counted.iter().map(|answer| (&answer["input_tokens"], &answer["output_tokens"])).collect();
    assert_eq!(counted, [(&json!(1), &json!(2)), (&json!(1), &json!(2))]);
}

#[test]
fn anthropic_fails_as_quietly_as_others() {
    let quick = "timeout_read_ms = 300\ntimeout_connect_ms = 200\n";
    for (answer, notice) in [
        (ScriptedReply::status(529), "HTTP status 529"),
        (ScriptedReply::status(401), "does not accept the key"),
        (ScriptedReply::status(429), "asked too often"),
        (ScriptedReply::streams(["frob st", "atus"]).errs_after(1), "HTTP status 529"),
        (ScriptedReply::streams(["frob st", "atus"]).drops_after(1), "it hung up"),
        (ScriptedReply::streams(["frob st", "atus"]).hangs_after(1), "too long"),
        (ScriptedReply::streams(["frob st"]).pace(Duration::from_millis(20)).drips_after(0), "too long"),
        (ScriptedReply::raw("<html>"), "makes no sense"),
    ] {
        let desk = anthropic(quick);
        desk.model.next(answer.clone());
        assert_eq!(desk.completes("frob st"), NONE, "{answer:?}");
        desk.waits_for_notice(notice);
    }
    let desk = anthropic("");
    desk.model.next(ScriptedReply::status(529)).next(ScriptedReply::chat("frob stop"));
    assert_eq!(told(&desk.wishes("frobnicate the quux")), "llm frob stop");
}

// Servers and keys.

#[test]
fn each_use_may_have_a_server_and_a_key_of_its_own() {
    let wishes = Model::start();
    wishes.always(ScriptedReply::chat("frob stop"));
    let mut home = home_with_key();
    home.write("bin/keys", "#!/bin/sh\nprintf '%s\\n' \"sesame-$1\" 'user: me'\n");
    home.set_env("OTHER", "unused");
    let settings = format!(
        "{OPENAI}api_key_env = 'MY_KEY'\n\
         [llm.translate]\nprovider = 'anthropic'\nbase_url = '{}'\nmodel = 'wise'\napi_key_cmd = \"keys 'of mine'\"\n\
         [daemon]\nlog = 'debug'\n",
        wishes.origin()
    );
    let desk = ModelFixture::set(Model::start(), home, &settings);
    desk.model.next(ScriptedReply::chat("frob status"));
    assert_eq!(desk.completes("frob st"), ["frob status  llm"]);
    assert_eq!(told(&desk.wishes("frobnicate the quux")), "llm frob stop");
    let request = &desk.model.requests()[0];
    assert_eq!((request.header("authorization"), request.header("x-api-key")), (Some("Bearer sesame-4711"), None));
    let request = &wishes.requests()[0];
    assert_eq!((request.header("authorization"), request.header("x-api-key")), (None, Some("sesame-of mine")));
    assert_eq!(request.body["model"], "wise");
    assert_eq!(desk.servers(), ["openai well", "anthropic well"]);
    let status = desk.home.wire().json(json!({"type": "status"})).to_string();
    let log = std::fs::read_to_string(desk.home.daemon_log()).unwrap_or_default();
    let journal = format!("{:?}", desk.journal());
    for (name, text) in [("status", status), ("log", log), ("journal", journal)] {
        assert!(!text.contains("sesame"), "{name}: {text}");
    }
}

#[test]
fn a_key_does_not_follow_to_another_server() {
    let other = Model::start();
    other.always(ScriptedReply::chat("frob stop"));
    let settings = format!("{OPENAI}api_key_env = 'MY_KEY'\n[llm.translate]\nbase_url = '{}'\n", other.base_url());
    let desk = ModelFixture::set(Model::start(), home_with_key(), &settings);
    assert_eq!(told(&desk.wishes("frobnicate the quux")), "llm frob stop");
    assert_eq!(other.requests()[0].header("authorization"), None);
    assert_eq!(other.requests()[0].body.get("model"), None, "that is the name of another server's model");
}

#[cfg(target_os = "linux")]
#[test]
fn a_key_comes_from_the_keyring() {
    let home = bare_home();
    home.write(
        "bin/secret-tool",
        "#!/bin/sh\n[ \"$*\" = 'lookup service aside username work' ] && printf sesame-ring\n",
    );
    let desk = ModelFixture::set(Model::start(), home, &format!("{OPENAI}api_key_keyring = 'work'\n"));
    desk.model.next(ScriptedReply::chat("frob status"));
    assert_eq!(desk.completes("frob st"), ["frob status  llm"]);
    assert_eq!(desk.model.requests()[0].header("authorization"), Some("Bearer sesame-ring"));
}

#[test]
fn a_key_that_was_changed_is_read_again() {
    let home = bare_home();
    home.write("bin/keys", "#!/bin/sh\nread key < \"$HOME/key\"; echo \"$key\"\n");
    home.write("key", "old\n");
    let desk = ModelFixture::set(Model::start(), home, &format!("{OPENAI}api_key_cmd = 'keys'\n"));
    desk.model.next(ScriptedReply::status(401)).next(ScriptedReply::chat("frob status"));
    assert_eq!(desk.completes("frob st"), NONE);
    desk.home.write("key", "new\n");
    assert_eq!(desk.completes("frob st"), ["frob status  llm"]);
    let keys: Vec<Option<String>> =
        desk.model.requests().iter().map(|request| request.header("authorization").map(str::to_owned)).collect();
    assert_eq!(keys, [Some("Bearer old".to_owned()), Some("Bearer new".to_owned())]);
}

#[test]
fn a_command_that_prints_no_key_is_told_and_nothing_is_sent() {
    let home = bare_home();
    home.write("bin/keys", "#!/bin/sh\necho sesame-4711; exit 1\n");
    let desk = ModelFixture::set(Model::start(), home, &format!("{OPENAI}api_key_cmd = 'keys'\n"));
    assert_eq!(desk.completes("frob st"), NONE);
    desk.waits_for_notice("the model: llm.api_key_cmd: the command failed, or took too long");
    assert_eq!(desk.model.requests(), []);
    assert!(!desk.notices().concat().contains("sesame"));
}

#[test]
fn somebody_may_be_named_for_one_wish() {
    let desk = ModelFixture::set(Model::start(), bare_home(), "[llm.task]\nprovider = 'openai'\nbase_url = 'URL'\n");
    desk.model.next(ScriptedReply::chat("frob status"));
    let answer = desk.wishes_with(json!({"query": "frobnicate the quux", "provider": "openai"}));
    assert_eq!(told(&answer), "llm frob status");
    desk.wishes("frobnicate the quux");
    desk.completes("frob st");
    assert_eq!(desk.model.requests().len(), 1, "nobody else was to be asked");
}

// What is sent.

#[test]
fn what_leaves_is_written_down_to_the_byte_before_it_does() {
    let desk = openai();
    desk.model.next(ScriptedReply::chat("frob status")).next(ScriptedReply::status(400));
    desk.completes("frob st");
    desk.wishes("frobnicate the quux");
    let answered = |journal: &[Value]| journal.iter().filter(|line| line.get("body").is_none()).count();
    let deadline = std::time::Instant::now() + patience();
    while answered(&desk.journal()) < 3 && std::time::Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    let journal = desk.journal();
    let bodies: Vec<&str> = journal.iter().filter_map(|line| line["body"].as_str()).collect();
    let sent: Vec<String> = desk.model.requests().into_iter().map(|request| request.text).collect();
    // The first request asked which server program this is, and carried no content.
    assert_eq!(bodies, ["", &sent[0], &sent[1]]);
    let uses: Vec<&str> = journal.iter().filter_map(|line| line["use"].as_str()).collect();
    assert_eq!(uses, ["complete", "complete", "translate"]);
    assert_eq!(journal[2]["address"], format!("{}/chat/completions", desk.model.base_url()));
    assert_eq!(journal[2]["model"], "scripted");
    let answers: Vec<&Value> = journal.iter().filter(|line| line.get("body").is_none()).collect();
    assert_eq!(answers[1]["answer"]["output_tokens"], 2, "{answers:?}");
    assert_eq!(answers[2]["answer"]["status"], 400, "{answers:?}");
}

#[test]
fn what_cannot_be_written_down_is_not_sent() {
    let home = bare_home();
    std::fs::create_dir_all(home.path(".local/state/aside/privacy.jsonl")).unwrap();
    let desk = ModelFixture::set(Model::start(), home, OPENAI);
    assert_eq!(desk.completes("frob st"), NONE);
    assert_eq!(told(&desk.wishes("frobnicate the quux")), "");
    desk.waits_for_notice("nothing is sent, since what leaves cannot be written down");
    assert_eq!((desk.model.requests(), desk.model.connections()), (vec![], 0));
}

#[test]
fn nothing_of_a_private_shell_leaves() {
    let desk = openai();
    let mut shell = desk.shell("secret");
    shell.wire.json(json!({
        "type": "hello", "protocol": 1, "shell": "zsh", "session_id": "secret", "pid": 1, "private": true,
    }));
    assert_eq!(shell.types("frob st"), NONE);
    let answer = desk.wishes_with(json!({"query": "frobnicate the quux", "session_id": "secret"}));
    assert_eq!(told(&answer), "");
    desk.model.next(ScriptedReply::chat("frob stop"));
    assert_eq!(desk.completes("frob sto"), ["frob stop  llm"], "another shell is not");
    assert_eq!(desk.model.requests().len(), 1);
}

#[test]
fn what_is_blocked_is_not_completed() {
    let desk = ModelFixture::set(
        Model::start(),
        bare_home(),
        &format!("{OPENAI}[security]\ncommand_blocklist = ['frob burn']\n"),
    );
    desk.model.next(ScriptedReply::chat("frob burn everything")).next(ScriptedReply::chat("sudo frob burn it"));
    assert_eq!(desk.completes("frob bu"), NONE);
    assert_eq!(desk.completes("sudo frob b"), NONE, "nor behind sudo");
    desk.model.next(ScriptedReply::chat("frob bury"));
    assert_eq!(desk.completes("frob bur"), ["frob bury  llm"]);
}

// Servers that accept a grammar.

#[test]
fn a_line_is_gone_on_with_from_where_its_word_begins() {
    let desk = ModelFixture::set(Model::start_llama(), bare_home(), OPENAI);
    desk.ran(1, "frob --all");
    desk.model.next(ScriptedReply::streams([" st", "atus", " --short"]).pace(Duration::from_millis(30)));
    let mut shell = desk.shell("a");
    assert_eq!(shell.types("frob st"), NONE);
    let mut heard = Vec::new();
    while heard.last().is_none_or(|last| last != "frob status --short  llm") {
        heard.extend(shell.is_told());
    }
    let request = &desk.model.requests()[0];
    assert_eq!(request.path, "/v1/completions");
    assert_eq!(request.body["grammar"], "root ::= \" st\" [^\\n]* \"\\n\"");
    let prompt = request.body["prompt"].as_str().unwrap();
    assert!(prompt.ends_with("$ frob --all\n$ frob"), "{prompt}");
    assert_eq!(request.body["cache_prompt"], true);
    // Queries are asked in plain text, without a grammar.
    desk.model.next(ScriptedReply::chat("frob stop"));
    assert_eq!(told(&desk.wishes("frobnicate the quux")), "llm frob stop");
    assert_eq!(desk.model.requests()[1].path, "/v1/chat/completions");
    assert_eq!(desk.model.properties_told(), 1, "it is asked once which program it is");
}

#[test]
fn a_server_that_is_called_local_is_not_asked_what_it_is() {
    let local = OPENAI.replace("openai", "local");
    let desk = ModelFixture::set(Model::start(), bare_home(), &local);
    desk.model.next(ScriptedReply::refuses(400, "unknown field grammar")).next(ScriptedReply::chat("frob status"));
    assert_eq!(desk.completes("frob st"), ["frob status  llm"]);
    assert_eq!(desk.model.properties_told(), 0);
    let paths: Vec<String> = desk.model.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths, ["/v1/completions", "/v1/chat/completions"], "without a grammar it is asked in words");
}
