//! Tasks from a chat: a stand-in of WeCom's server hands out what users write, and hears what this machine says to it.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Instant;

use serde_json::{Value, json};

use crate::harness::home::Home;
use crate::harness::patience;
use crate::harness::tasks::TaskClient;
use crate::harness::wecom::Wecom;

const SECRET: &str = "sesame-of-the-robot";

/// A machine that is connected to a robot, with li as its user.
fn connected() -> (Home, Wecom) {
    connected_for("'li'")
}

fn connected_for(users: &str) -> (Home, Wecom) {
    let wecom = Wecom::start("bot-1", SECRET);
    let home = Home::new();
    let other = home.path("other").display().to_string();
    home.write(".config/aside/config.toml", format!("[remote]\nusers = [{users}]\nworkspaces = ['{other}']\n"));
    home.write("project/.git/HEAD", "ref: refs/heads/main\n");
    home.write("project/make.sh", "echo made >> made.txt; echo done\n");
    home.write("other/.git/HEAD", "ref: refs/heads/main\n");
    let project = home.path("project").display().to_string();
    let args = ["remote", "setup", "--bot-id", "bot-1", "--server", wecom.address(), "--workspace", &project];
    let said = home.aside_reads(&args, &format!("{SECRET}\n"));
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stdout.starts_with("Connected. Requests are about ~/project.\n"), "{}", said.stdout);
    (home, wecom)
}

/// The name in brackets.
fn named(text: &str) -> String {
    text.strip_prefix('[').and_then(|rest| rest.split_once(']')).unwrap_or_else(|| panic!("{text}")).0.to_owned()
}

fn person(home: &Home) -> TaskClient {
    TaskClient::at(home, &home.path("project"))
}

#[test]
fn a_user_asks_from_a_chat_and_the_machine_approves() {
    let (home, mut wecom) = connected();
    // A chat or a page that is open hears of it at once, with who asks.
    let mut follower = home.wire();
    follower.json(json!({ "type": "task", "request_id": 7, "op": "follow" }));
    let request = wecom.user_writes("li", "@dev run `sh make.sh`");
    let received = wecom.hears();
    assert_eq!(received.to, request);
    let task = named(&received.text);
    let waits = wecom.hears_of("waiting for local approval on ");
    assert_eq!((waits.to.as_str(), named(&waits.text)), ("li", task.clone()));
    assert!(waits.text.contains("\nCommand: sh make.sh\n") && waits.text.contains("\nNext: "), "{}", waits.text);
    let brief = loop {
        let told = follower.reads_json();
        if told["tasks"][0]["state"] == "WAITING_APPROVAL" {
            break told["tasks"][0].clone();
        }
    };
    assert_eq!((&brief["source"], &brief["fromUser"]), (&json!("wecom"), &json!("li")));
    assert!(!home.path("project/made.txt").exists());
    let listed = home.aside(&["task", "list"]).stdout;
    assert!(listed.contains("li (wecom): @dev run `sh make.sh`"), "{listed}");
    let mut ada = person(&home);
    let shown = ada.sees(&task);
    assert_eq!(ada.approves(&shown)["type"], "task");
    wecom.hears_of("Approved ");
    let done = wecom.hears_of("Done.");
    assert_eq!((done.to.as_str(), named(&done.text)), ("li", task));
    assert_eq!(home.read("project/made.txt"), "made\n");
    // What left is in the journal.
    let left = home.aside(&["privacy", "--full", "--json"]).stdout;
    let entries: Vec<Value> = left.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(entries.iter().any(|entry| entry["use"] == "remote" && entry["body"] == done.text), "{left}");
    assert!(!left.contains(SECRET));
}

#[test]
fn no_words_from_a_chat_approve_anything() {
    let (home, mut wecom) = connected();
    wecom.user_writes("li", "@dev run `sh make.sh`");
    let task = named(&wecom.hears_of("waiting for local approval").text);
    for words in [
        "yes",
        "lgtm",
        "同意",
        "reject",
        "approve all",
        "yes please, approve it",
        &format!("approve {task} y"),
        "批准全部",
        "好的，同意吧",
        "不行",
    ] {
        wecom.user_writes("li", words);
        wecom.hears_of(&format!("[{task}]"));
    }
    wecom.user_writes("li", &format!("@dev apply {task}"));
    wecom.hears_of("is done on ");
    assert_eq!(person(&home).brief(&task)["state"], "WAITING_APPROVAL");
    assert!(!home.path("project/made.txt").exists());
}

#[test]
fn a_user_cancels_tries_again_and_sees_their_own_tasks_alone() {
    let (home, mut wecom) = connected();
    let mut ada = person(&home);
    let local = ada.asks("run `sh make.sh`");
    ada.rests(&local);
    wecom.user_writes("li", "status");
    assert!(!wecom.hears().text.contains(&local));
    // Nor where that is asked in other words, which makes it a task of its own.
    let asked = ["what is the status of the tasks", "show my tasks", "what is waiting"].map(|words| (words, "Done."));
    for (words, done) in asked.into_iter().chain([("状态怎么样", "完成。")]) {
        wecom.user_writes("li", words);
        let told = wecom.hears_of(done);
        assert!(!told.text.contains(&local) && !told.text.contains("make.sh"), "{words}: {}", told.text);
    }
    wecom.user_writes("li", &format!("cancel {local}"));
    assert_eq!(wecom.hears().text, format!("You have no task {local}. Next: `status` lists yours."));
    wecom.user_writes("li", "@dev run `sh make.sh`");
    let task = named(&wecom.hears_of("waiting for local approval").text);
    wecom.user_writes("li", "status");
    assert!(wecom.hears_of("waits for local approval").text.starts_with(&format!("[{task}] ")));
    wecom.user_writes("li", "取消");
    wecom.hears_of("Not carried out.");
    wecom.user_writes("li", &format!("retry {}", &task[..5]));
    wecom.hears_of("waiting for local approval");
    assert_eq!(ada.brief(&local)["state"], "WAITING_APPROVAL");
    assert_eq!(ada.brief(&task)["attempt"], 2);
}

#[test]
fn a_stranger_gets_nothing_and_is_named_at_the_machine() {
    let (home, mut wecom) = connected();
    for text in ["@dev run `sh make.sh`", "status", "help", "pair AAAAAAAA", "yes"] {
        wecom.user_writes("eve\u{1b}[2J", text);
    }
    wecom.user_writes("li", "status");
    assert!(wecom.hears().text.starts_with("You have asked for nothing yet."));
    assert_eq!(wecom.heard(), []);
    let status = home.aside(&["remote", "status"]);
    assert!(status.stdout.contains("may ask    li\n") && status.stdout.contains("turned away  eve"), "{status:?}");
    assert!(!status.stdout.contains('\u{1b}'));
    assert_eq!(home.aside(&["task", "list"]).stdout, "");
    until("it is in the log", || home.read(".local/state/aside/daemon.log").contains("is not among remote.users"));
}

#[test]
fn what_is_delivered_twice_happens_once_and_a_lost_connection_is_opened_again() {
    let (home, mut wecom) = connected();
    for _ in 0..3 {
        wecom.delivers("M-same", "li", "group-1", "group", "@Aside run `sh make.sh`");
    }
    let waits = wecom.hears_of("waiting for local approval");
    assert_eq!(waits.to, "group-1");
    let task = named(&waits.text);
    wecom.cuts();
    let mut ada = person(&home);
    let shown = ada.sees(&task);
    ada.approves(&shown);
    // WeCom hears of it over the next connection.
    assert_eq!(wecom.hears_of("Done.").to, "group-1");
    assert_eq!(home.read("project/made.txt"), "made\n");
    let tasks = ada.says("list", json!({}));
    assert_eq!(tasks["tasks"].as_array().unwrap().len(), 1, "{tasks}");
}

#[test]
fn an_answer_that_comes_too_late_is_sent_as_a_message_of_its_own() {
    let (_home, mut wecom) = connected();
    wecom.refuses_next(846_608);
    let request = wecom.user_writes("li", "status");
    assert_eq!(wecom.hears().to, request);
    assert_eq!(wecom.hears().to, "li");
}

#[test]
fn a_task_that_waited_is_told_about_by_the_next_daemon() {
    let (home, mut wecom) = connected();
    wecom.user_writes("li", "@dev run `sh make.sh`");
    let task = named(&wecom.hears_of("waiting for local approval").text);
    home.aside_does(&["daemon", "stop"]);
    home.aside_does(&["daemon", "start"]);
    let mut ada = person(&home);
    let shown = ada.sees(&task);
    ada.approves(&shown);
    assert_eq!(wecom.hears_of("Done.").to, "li");
}

#[test]
fn another_directory_is_named_before_a_colon() {
    let (home, mut wecom) = connected();
    wecom.user_writes("li", "other: @dev run `sh make.sh`");
    let task = named(&wecom.hears_of("waiting for local approval").text);
    assert_eq!(person(&home).brief(&task)["workspace"], home.path("other").to_str().unwrap());
    wecom.user_writes("li", "nowhere: @dev status");
    let task = named(&wecom.hears_of("Received.").text);
    assert_eq!(person(&home).brief(&task)["workspace"], home.path("project").to_str().unwrap());
}

#[test]
fn a_wrong_secret_is_said_with_what_to_do() {
    let wecom = Wecom::start("bot-1", "another secret");
    let home = Home::new();
    let args = ["remote", "setup", "--bot-id", "bot-1", "--server", wecom.address()];
    let said = home.aside_reads(&args, &format!("{SECRET}\n"));
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.stderr.contains("WeCom does not know this bot id and secret"), "{said:?}");
    assert!(!format!("{said:?}").contains(SECRET));
    let status = home.aside(&["remote", "status"]);
    assert_eq!(status.code, 1, "{status:?}");
    let doctor = home.aside(&["doctor"]).stdout;
    assert!(doctor.contains("no user of a chat may ask yet"), "{doctor}");
    assert!(!home.read(".local/state/aside/daemon.log").contains(SECRET));
}

#[test]
fn a_server_that_is_not_there_and_one_without_tls_are_said() {
    let home = Home::new();
    for (server, words) in [
        ("ws://127.0.0.1:1/", "cannot be used"),
        ("ws://example.org/", "must begin with wss://"),
        ("http://127.0.0.1:1/", "must begin with wss://"),
    ] {
        let said = home.aside_reads(&["remote", "setup", "--bot-id", "b", "--server", server], "secret\n");
        assert!(said.code == 1 && said.stderr.contains(words), "{server}: {said:?}");
    }
}

/// Shows a code, which a user sends: what `aside remote pair` says in the end, and its exit code.
fn pairs(home: &Home, wecom: &mut Wecom, user: &str, args: &[&str]) -> (String, Option<i32>) {
    let mut pair = home.command("aside");
    let mut pair =
        pair.args(["remote", "pair"]).args(args).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(pair.stdout.take().unwrap()).lines().map(Result::unwrap);
    let code = said.find_map(|line| line.trim().strip_prefix("pair ").map(str::to_owned)).unwrap();
    wecom.user_writes("eve", "pair AAAA-AAAA");
    wecom.user_writes(user, &format!("Pair {}-{}", &code[..4], code[4..].to_lowercase()));
    assert!(wecom.hears().text.starts_with("The code is right. Next: it has to be confirmed on "));
    wecom.user_writes("eve", &format!("pair {code}"));
    let rest: Vec<String> = said.collect();
    (rest.join("\n").trim().to_owned(), pair.wait().unwrap().code())
}

#[test]
fn a_user_is_paired_by_a_code_that_is_confirmed_here_and_revoked_again() {
    let (home, mut wecom) = connected();
    // Without a terminal there is no one to confirm it.
    assert_eq!(pairs(&home, &mut wecom, "wang", &[]), ("Not let in.".to_owned(), Some(1)));
    let may = "wang may ask. `aside remote revoke wang` takes that back.";
    assert_eq!(pairs(&home, &mut wecom, "wang", &["--yes"]), (may.to_owned(), Some(0)));
    let users = || home.aside(&["config", "get", "remote.users"]).stdout;
    assert_eq!(users(), "li\nwang\n");
    // Both are in force once they say so, and the user is told.
    let told = wecom.hears();
    assert!(told.to == "wang" && told.text.starts_with("You may ask for tasks on "), "{}", told.text);
    wecom.user_writes("wang", "status");
    assert!(wecom.hears().text.starts_with("You have asked for nothing yet."));
    home.aside_does(&["remote", "revoke", "wang"]);
    wecom.user_writes("wang", "status");
    wecom.user_writes("li", "hello there, status of wang?");
    assert_eq!(home.aside(&["remote", "revoke", "wang"]).code, 1);
    until("wang is turned away", || home.aside(&["remote", "status"]).stdout.contains("turned away  wang"));
    assert!(wecom.heard().iter().all(|said| !said.text.contains("asked for nothing")));
}

#[test]
fn a_chat_that_is_turned_off_is_closed_once_that_is_said() {
    let (home, mut wecom) = connected();
    let said = home.aside(&["remote", "off"]);
    let closed = "No chat is reached any more; `aside remote on` opens it again.\n";
    assert_eq!((said.code, said.stdout.as_str()), (0, closed));
    assert_eq!(home.aside(&["remote"]).stdout, "The chat is turned off; `aside remote on` opens it again.\n");
    let status: Value = serde_json::from_str(&home.aside(&["daemon", "status", "--json"]).stdout).unwrap();
    assert!(status["pid"].is_number() && status["remote"].is_null(), "{status}");
    wecom.user_writes("li", "@dev run `sh make.sh`");
    assert_eq!(home.aside(&["task", "list"]).stdout, "");
    assert_eq!(wecom.heard(), []);
    let said = home.aside(&["remote", "on"]);
    assert_eq!((said.code, said.stdout.as_str()), (0, "Connected. Requests are about ~/project.\n"), "{said:?}");
    let fresh = Home::new().aside(&["remote", "on"]);
    assert!(fresh.code == 1 && fresh.stderr.contains("no chat is set up; `aside remote setup` does that"), "{fresh:?}");
}

/// What has waited at a relay comes all at once. No scene sends more than a chat may be told within a minute.
#[test]
fn reads_that_come_together_are_all_answered() {
    let (_home, mut wecom) = connected();
    for number in 0..10 {
        wecom.delivers(&format!("M-read-{number}"), "li", "li", "single", "@dev search for done");
    }
    let mut answered = 0;
    while answered < 10 {
        let told = wecom.hears().text;
        assert!(!told.starts_with("Not taken"), "{told}");
        answered += usize::from(told.contains("] Done."));
    }
}

#[test]
fn tasks_that_wait_keep_no_read_away_and_are_listed_first() {
    let (home, mut wecom) = connected();
    for number in 0..9 {
        wecom.delivers(&format!("M-run-{number}"), "li", "li", "single", "@dev run `sh make.sh`");
    }
    wecom.hears_of("8 of your tasks are still open");
    for number in 0..2 {
        wecom.delivers(&format!("M-more-{number}"), "li", "li", "single", "@dev search for echo");
        wecom.hears_of("] Done.");
    }
    wecom.user_writes("li", "status");
    let status = wecom.hears_of("\nand 2 more").text;
    assert_eq!(status.matches("waits for local approval").count(), 8, "{status}");
    let listed = home.aside(&["task", "list"]).stdout;
    assert!(listed.lines().take(8).all(|row| row.starts_with('*')), "{listed}");
}

#[test]
fn a_file_that_is_not_read_is_said_to_be_so() {
    let (home, mut wecom) = connected();
    home.write("project/.env", "TOKEN=1\n");
    home.write("x", "1\n");
    for (request, expected) in [
        ("explain .env", "`.env` is never read: "),
        ("explain /etc/passwd", "`/etc/passwd` is not in the workspace"),
        ("explain ../x", "`../x` is not in the workspace"),
        ("explain nothere.py", "There is no file `nothere.py` here."),
        ("解释 nothere.py", "这里没有文件 `nothere.py`。"),
    ] {
        wecom.user_writes("li", request);
        let told = loop {
            let told = wecom.hears().text;
            if !told.contains("Received.") && !told.contains("已收到") {
                break told;
            }
        };
        assert!(told.contains(expected), "{request}: {told}");
    }
}

#[test]
fn a_second_setup_says_whether_it_is_connected_by_its_own_settings() {
    let (home, wecom) = connected();
    let project = home.path("project").display().to_string();
    let args = ["remote", "setup", "--bot-id", "bot-1", "--server", wecom.address(), "--workspace", &project];
    let said = home.aside_reads(&args, "not the secret\n");
    assert!(said.code == 1 && said.stderr.contains("WeCom does not know this bot id and secret"), "{said:?}");
    let said = home.aside_reads(&args, &format!("{SECRET}\n"));
    assert!(said.code == 0 && said.stdout.starts_with("Connected."), "{said:?}");
}

#[test]
fn messages_of_a_chat_are_acted_upon_in_their_order() {
    let (home, mut wecom) = connected();
    for _ in 0..5 {
        wecom.user_writes("li", "@dev run `sh make.sh`");
        wecom.user_writes("li", "cancel");
        let told = wecom.hears_of("] Stop");
        assert!(named(&told.text).starts_with('t'));
    }
    let tasks = person(&home).says("list", json!({}));
    let states: Vec<&str> =
        tasks["tasks"].as_array().unwrap().iter().filter_map(|task| task["state"].as_str()).collect();
    assert_eq!(states.len(), 5, "{tasks}");
    assert!(!states.contains(&"WAITING_APPROVAL"), "a cancel has overtaken its request: {tasks}");
}

/// One user who asks in many chats has as many open tasks as one who asks in one, and is told why there are no more.
#[test]
fn a_user_with_many_chats_leaves_room_for_the_others() {
    let (_home, mut wecom) = connected_for("'li', 'wang'");
    for number in 0..12 {
        let group = format!("group-{number}");
        wecom.delivers(&format!("M-many-{number}"), "li", &group, "group", "@Aside run `sh make.sh`");
    }
    let told = wecom.hears_of("of your tasks are still open");
    assert!(
        told.text.starts_with("Not taken: “run `sh make.sh`”.\n8 of your tasks are still open, in all of your chats."),
        "{}",
        told.text
    );
    wecom.user_writes("wang", "@dev run `sh make.sh`");
    until("wang is served", || wecom.hears_of("waiting for local approval").to == "wang");
}

#[test]
fn the_user_who_approves_sees_who_asked_and_where() {
    let (home, mut wecom) = connected();
    wecom.delivers("M-group", "li", "group-7", "group", "@Aside run `sh make.sh`");
    let task = named(&wecom.hears_of("waiting for local approval").text);
    let shown = home.aside(&["task", "show", &task]).stdout;
    assert!(shown.contains("asked by li (wecom), in the chat group-7\n"), "{shown}");
    assert!(shown.contains("It is what li wrote."), "{shown}");
    assert!(!shown.contains("what you wrote"), "{shown}");
    let rows = person(&home).says("show", json!({ "taskId": task }))["offer"]["rows"].clone();
    assert_eq!(rows[0], json!({ "label": "from", "text": "li (wecom), in the chat group-7" }), "{rows}");
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + patience();
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}: not in time");
    }
}

#[test]
fn secrets_of_a_file_do_not_leave_through_an_answer() {
    let (home, mut wecom) = connected();
    home.write("project/notes.txt", "deploy with ghp_16C7e42F292c6912E7710c838347Ae178B4a\n");
    wecom.user_writes("li", "find ghp_ in notes.txt");
    wecom.hears_of("Done.");
    assert!(!home.aside(&["privacy", "--full", "--json"]).stdout.contains("16C7e42F292c6912"));
}

/// Otherwise a secret could be guessed from a chat, one letter after the other.
#[test]
fn a_guess_from_a_chat_is_answered_the_same_whether_it_is_right_or_wrong() {
    let (home, mut wecom) = connected();
    home.write("project/notes.txt", "deploy with sk-ab12cd34ef56gh78ij90kl12mn34op56qr78st90uv12wx34\n");
    home.write("project/.env", "ADDRESS=hidden-place\n");
    let mut asks = |words: &str, part: &str| {
        wecom.user_writes("li", &words.replace("PART", part));
        let told = loop {
            let said = wecom.hears().text;
            if !said.contains("Received.") {
                break said;
            }
        };
        told.replace(part, "PART").replace(&named(&told), "ID")
    };
    for words in [
        "search for PART",
        "find the text PART",
        "find PART in notes.txt",
        "where is PART defined",
        "replace PART with xyz",
    ] {
        let (right, wrong) = (asks(words, "sk-ab12"), asks(words, "sk-ab13"));
        assert_eq!(right, wrong, "{words}");
    }
    assert_eq!(asks("search for PART", "hidden-place"), asks("search for PART", "hidden-plate"));
    wecom.user_writes("li", "search for deploy");
    let told = wecom.hears_of("Done.").text;
    assert!(told.contains("notes.txt:1"), "{told}");
}

#[test]
fn a_file_that_is_explained_shows_no_part_of_a_secret() {
    let (home, mut wecom) = connected();
    // One of them is cut within the key, wherever rows are cut.
    let constants = (40..110)
        .step_by(7)
        .map(|width| format!("pub const K{width}: &str = \"{} AKIAQ7XW2PLM4KD8ZT5R\";\n", "b".repeat(width)));
    home.write("project/cut.rs", constants.collect::<String>());
    home.write("project/list.json", "{\n  \"secret\": [\"ostrich-H\"]\n}\n");
    for request in ["explain cut.rs", "what is in cut.rs", "explain list.json", "what is K61"] {
        let id = wecom.user_writes("li", request);
        let received = std::iter::repeat_with(|| wecom.hears()).find(|said| said.to == id).unwrap().text;
        let told = wecom.hears_of(&named(&received)).text;
        assert!(!told.contains("AKIAQ7") && !told.contains("ostrich"), "{request}: {told}");
    }
}

/// Until a task is said to be stopped, and how it ended; neither takes the place of the other.
fn stops(wecom: &Wecom, task: &str) {
    let (mut is_stopped, mut has_ended) = (false, false);
    while !is_stopped || !has_ended {
        let told = wecom.hears().text;
        assert!(told.starts_with(&format!("[{task}] ")), "{told}");
        is_stopped |= told.ends_with("] Stopped.") || told.ends_with("] Stopping it.");
        has_ended |= told.contains("Not carried out.");
        assert!(!has_ended || !told.contains("Stopping it."), "it has ended");
    }
}

/// The id of a task that waits for approval.
fn waits(wecom: &mut Wecom, request: &str) -> String {
    wecom.user_writes("li", request);
    named(&wecom.hears_of("waiting for local approval").text)
}

#[test]
fn a_word_after_a_refused_request_stops_no_other_task() {
    let (home, mut wecom) = connected();
    let task = waits(&mut wecom, "@dev run `sh make.sh`");
    // Two that are refused, each of them told.
    for words in ["first ", "second "] {
        wecom.user_writes("li", &words.repeat(2000));
    }
    for words in ["first", "second"] {
        let told = wecom.hears_of("A request has at most 8192 bytes.").text;
        assert!(told.starts_with(&format!("Not taken: “{words}")), "{told}");
    }
    for (words, told) in [("cancel", "Your last request was not taken"), ("取消", "你的上一个请求没有受理")]
    {
        wecom.user_writes("li", words);
        let said = wecom.hears_of(told).text;
        assert!(said.contains(&format!("[{task}] ")), "{said}");
    }
    let mut ada = person(&home);
    assert_eq!(ada.brief(&task)["state"], "WAITING_APPROVAL");
    wecom.user_writes("li", &format!("cancel {task}"));
    stops(&wecom, &task);
    wecom.user_writes("li", &format!("cancel {task}"));
    assert!(wecom.hears().text.starts_with(&format!("[{task}] It has ended already: not carried out. ")));
}

#[test]
fn a_word_is_about_the_task_that_waits_and_is_asked_back_where_there_are_several() {
    let (home, mut wecom) = connected();
    wecom.user_writes("li", "cancel");
    assert!(wecom.hears().text.starts_with("Nothing of yours is under way in this chat."));
    let first = waits(&mut wecom, "@dev run `sh make.sh`");
    // The newest one is done: neither word is about it.
    wecom.user_writes("li", "explain make.sh");
    wecom.hears_of("Done.");
    wecom.user_writes("li", "yes");
    assert!(wecom.hears().text.starts_with(&format!("[{first}] Approving and rejecting is done on ")));
    let second = waits(&mut wecom, "@dev run `sh make.sh`");
    for (words, told) in [("cancel", "Which one? Name it."), ("好的", "是哪一个？")] {
        wecom.user_writes("li", words);
        let said = wecom.hears_of(told).text;
        assert!(said.contains(&format!("[{first}] ")) && said.contains(&format!("[{second}] ")), "{said}");
    }
    let mut ada = person(&home);
    for task in [&first, &second] {
        assert_eq!(ada.brief(task)["state"], "WAITING_APPROVAL");
    }
    wecom.user_writes("li", &format!("cancel {second}"));
    stops(&wecom, &second);
    wecom.user_writes("li", "cancel");
    stops(&wecom, &first);
}

#[test]
fn no_words_show_a_task_of_another_user() {
    let (home, mut wecom) = connected_for("'li', 'wang'");
    let mut ada = person(&home);
    let local = ada.asks("run `sh make.sh secret-of-ada`");
    ada.rests(&local);
    wecom.user_writes("wang", "@dev run `sh make.sh secret-of-wang`");
    let hers = named(&wecom.hears_of("waiting for local approval").text);
    for name in [&local, &hers] {
        for words in [format!("@dev apply {}", &name[..3]), format!("@dev apply {name}"), format!("@dev: apply {name}")]
        {
            wecom.user_writes("li", &words);
            let told = wecom.hears();
            assert!(
                told.to != "wang" && !told.text.contains("secret-of") && !told.text.contains("waiting"),
                "{told:?}"
            );
            assert!(!told.text.contains("Received."), "{told:?}");
        }
    }
    // Nor does the socket show it to a client that says that it is remote.
    for op in ["show", "watch", "cancel", "retry"] {
        for task in [&local, &hers] {
            let told = ada.says(op, json!({ "taskId": task, "source": "wecom", "fromUser": "li" }));
            assert_eq!(told["error"]["code"], "not_found", "{op}: {told}");
        }
    }
    assert_eq!(ada.brief(&hers)["state"], "WAITING_APPROVAL");
}

/// Each line has Chinese in it, or hardly any word: a path, a command, a name.
fn is_chinese(text: &str) -> bool {
    let is_han = |letter: char| ('\u{4e00}'..='\u{9fff}').contains(&letter);
    let words =
        |line: &str| line.split(' ').filter(|word| word.chars().all(|letter| letter.is_ascii_lowercase())).count();
    text.lines().all(|line| line.chars().any(is_han) || words(line) < 3)
}

#[test]
fn every_reply_to_a_chinese_message_is_chinese() {
    let (home, mut wecom) = connected();
    home.write("project/src/user.rs", "pub fn average() -> u32 { 1 }\n");
    home.write("project/big.txt", "port = 1\n".repeat(300_000));
    for (request, end) in [
        ("状态", "还没有提出过任务"),
        ("取消", "没有进行中的任务"),
        ("同意", "没有等待批准的任务"),
        ("重试 tzzzz", "你没有任务 tzzzz"),
        ("解释 make.sh", "完成。"),
        ("解释", "下一步：发送“重试"),
        ("端口在哪里设置", "完成。"),
        // There is no git repository to look into; what git says stays as it is.
        ("审查我的改动", "下一步：发送“重试"),
        ("诊断", "完成。"),
        ("帮助", "完成。"),
        ("把 average 改名为 mean", "等待在"),
        ("取消", "停止。"),
        ("重试", "等待在"),
        ("运行 `sh make.sh`", "等待在"),
        ("取消", "是哪一个"),
    ] {
        wecom.user_writes("li", request);
        loop {
            let told = wecom.hears().text;
            assert!(is_chinese(&told), "{request}: {told}");
            if told.contains(end) {
                break;
            }
        }
    }
    wecom.user_writes("li", &"说".repeat(3000));
    assert!(wecom.hears_of("未受理").text.contains("最多 8192 字节"));
    wecom.user_writes("li", "搜索 zzqq");
    assert!(wecom.hears_of("zzqq").text.contains("有 1 个文件没有搜索：大于 2 MB"));
}
