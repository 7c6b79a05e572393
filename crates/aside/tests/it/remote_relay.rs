//! A machine behind a relay: two commands to the first message, and what its user sees when something is wrong. What a relay itself
//! does is tested in its crate.

use std::time::Instant;

use serde_json::{Value, json};

use crate::harness::home::Home;
use crate::harness::http::Server;
use crate::harness::patience;
use crate::harness::relay::{KEY, Relay};
use crate::harness::tasks::TaskClient;

fn machine() -> Home {
    let home = Home::new();
    home.write("project/.git/HEAD", "ref: refs/heads/main\n");
    home.write("project/make.sh", "echo made >> made.txt\n");
    home
}

fn webhook(replies: &Server) -> String {
    format!("[webhook]\nkey = '{KEY}'\nreply_url = '{}/reply'\n", replies.address)
}

/// The next answer in the chat that has these words.
fn told(replies: &Server, words: &str) -> String {
    loop {
        let reply: Value = serde_json::from_str(&replies.hears("/reply").body).unwrap();
        let text = reply["text"].as_str().unwrap().to_owned();
        if text.contains(words) {
            return text;
        }
    }
}

#[test]
fn two_commands_and_a_first_message_through_a_relay() {
    let (home, replies) = (machine(), Server::start(|_| (204, String::new())));
    let (relay, code) = Relay::start(&home, &webhook(&replies));
    let said = relay.enrols(&home, &code);
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(
        said.stdout, "The relay knows this machine as dev-1.\nConnected. Requests are about ~/project.\n",
        "{said:?}"
    );
    let machines = relay.operates(&home, &["machines"]).stdout;
    assert!(
        machines.starts_with("dev-1 ") && machines.contains("connected for") && machines.contains(" li"),
        "{machines}"
    );
    let said = relay.operates(&home, &["say", "li", "@dev run `sh make.sh`"]);
    assert_eq!(said.code, 0, "{said:?}");
    // By the relay's name for the machine, not by its own.
    let waits = told(&replies, "waiting for local approval on dev-1.");
    let task = waits.strip_prefix('[').unwrap().split_once(']').unwrap().0.to_owned();
    let mut ada = TaskClient::at(&home, &home.path("project"));
    let brief = ada.brief(&task);
    assert_eq!((&brief["source"], &brief["fromUser"]), (&json!("relay"), &json!("li")));
    assert!(!home.path("project/made.txt").exists());
    // No words approve it, and what says of itself that it comes through the relay does not either.
    relay.operates(&home, &["say", "li", "yes"]);
    told(&replies, "is done on dev-1 only");
    relay.operates(&home, &["say", "li", "on dev-9: @dev run `sh make.sh`"]);
    told(&replies, "You have no machine dev-9. Yours: dev-1.");
    let shown = ada.sees(&task);
    let mut answer = shown.answer("eve");
    answer["source"] = json!("relay");
    assert_eq!(ada.says("approve", answer)["error"]["code"], "refused");
    ada.approves(&shown);
    told(&replies, "Done.");
    assert_eq!(home.read("project/made.txt"), "made\n");
    // A stranger gets nothing, and neither the key nor a text is in the audit log.
    relay.operates(&home, &["say", "eve", "@dev run `sh make.sh`"]);
    let audit = relay.operates(&home, &["audit"]).stdout;
    assert!(audit.contains("unrouted") && audit.contains("\"user\":\"eve\"") && !audit.contains("make.sh"), "{audit}");
    let left = home.aside(&["privacy", "--full", "--json"]).stdout;
    assert!(left.contains("\"use\":\"remote\"") && left.contains("relay"), "{left}");
    // Revoked: the machine's user is told, with what to do.
    assert_eq!(relay.operates(&home, &["revoke", "dev-1"]).code, 0);
    let begun = Instant::now();
    let status = loop {
        let status = home.aside(&["remote", "status"]);
        if status.code == 1 || begun.elapsed() > patience() {
            break status;
        }
    };
    assert!(
        status.stdout.contains("the relay refused this machine") && status.stdout.contains("new code"),
        "{status:?}"
    );
}

#[test]
fn a_code_that_is_not_good_and_a_relay_that_is_not_there_are_said() {
    let (home, replies) = (machine(), Server::start(|_| (204, String::new())));
    let (relay, code) = Relay::start(&home, &webhook(&replies));
    let said = relay.enrols(&home, "AAAAA-AAAAA-AAAAA-AAAAA");
    assert!(said.code == 1 && said.stderr.contains("the code is wrong, used or expired"), "{said:?}");
    assert_eq!(relay.enrols(&home, &code).code, 0);
    let said = relay.enrols(&home, &code);
    assert!(said.code == 1 && said.stderr.contains("the code is wrong, used or expired"), "{said:?}");
    assert!(!format!("{said:?}").contains(&code));
    for (server, words) in [
        ("ws://127.0.0.1:1", "cannot be reached"),
        ("ws://relay.example.org", "must begin with https://"),
        ("relay.example.org", "must begin with wss://"),
    ] {
        let said = home.aside_reads(&["remote", "setup", "--chat", "relay", "--server", server], "AAAAA\n");
        assert!(said.code != 0 && said.stderr.contains(words), "{server}: {said:?}");
    }
    let said = relay.operates(&home, &["revoke", "dev-9"]);
    assert!(said.code == 1 && said.stderr.contains("no such machine"), "{said:?}");
    drop(relay);
    let empty = home.path("nothing").display().to_string();
    let said = home.aside(&["relay", "--dir", &empty, "machines"]);
    assert!(said.code == 2 && said.stderr.contains("`aside relay serve` makes one"), "{said:?}");
}

/// What answers a code is shown at the terminal and kept, so it has to be a name.
#[test]
fn a_relay_gives_a_machine_no_other_name_than_a_name() {
    let long = "m".repeat(10_000);
    for name in ["\u{1b}[2Jdev-1", "dev 1", "", "DEV-1", "../dev", "dev-1\ndev-2", "dev-1`; touch canary`", &long] {
        let home = machine();
        let body = json!({ "machine": name }).to_string();
        let relay = Server::start(move |_| (200, body.clone()));
        let args = ["remote", "setup", "--chat", "relay", "--server", &relay.address, "--user", "li"];
        let said = home.aside_reads(&args, "AAAAA-AAAAA-AAAAA-AAAAA\n");
        assert!(said.code == 1 && said.stderr.contains("is no relay"), "{name:?}: {said:?}");
        assert!(!said.stderr.contains('\u{1b}') && !home.path(".local/share/aside/remote.json").exists(), "{said:?}");
    }
}

#[test]
fn a_message_waits_for_its_machine_and_is_acted_upon_once() {
    let (home, replies) = (machine(), Server::start(|_| (204, String::new())));
    let (relay, code) = Relay::start(&home, &webhook(&replies));
    assert_eq!(relay.enrols(&home, &code).code, 0);
    home.aside_does(&["daemon", "stop"]);
    relay.operates(&home, &["say", "li", "@dev run `sh make.sh`"]);
    assert!(told(&replies, "dev-1 is not connected").contains("at most 1440 minutes"));
    home.aside_does(&["daemon", "start"]);
    told(&replies, "waiting for local approval");
    home.aside_does(&["daemon", "stop"]);
    home.aside_does(&["daemon", "start"]);
    relay.operates(&home, &["say", "li", "status"]);
    told(&replies, "waits for local approval");
    let mut ada = TaskClient::at(&home, &home.path("project"));
    let tasks = ada.says("list", json!({}));
    assert_eq!(tasks["tasks"].as_array().unwrap().len(), 1, "{tasks}");
}

#[test]
fn the_operator_sees_a_long_log_and_codes_and_makes_them_void() {
    let (home, replies) = (machine(), Server::start(|_| (204, String::new())));
    let (relay, _) = Relay::start(&home, &webhook(&replies));
    let users: Vec<String> = (0..64).map(|number| format!("{number:0>120}")).collect();
    let flags: Vec<&str> = users.iter().flat_map(|user| ["--user", user.as_str()]).collect();
    for number in 0..12 {
        let said = relay.operates(&home, &[&["enroll", &format!("m-{number}")], &flags[..]].concat());
        assert_eq!(said.code, 0, "{said:?}");
    }
    let audit = relay.operates(&home, &["audit"]);
    assert!(audit.stdout.len() > 64 * 1024, "{} bytes", audit.stdout.len());
    // One for dev-1, which the relay has printed when it began.
    assert_eq!(audit.stdout.lines().count(), 13, "{:?}", audit.stderr);
    assert_eq!(relay.operates(&home, &["audit", "--last", "2"]).stdout.lines().count(), 2);
    let said = relay.operates(&home, &["enroll", "dev-2", "--minutes", "10081"]);
    assert!(said.code == 2 && said.stderr.contains("10080"), "{said:?}");
    let machines = relay.operates(&home, &["machines"]).stdout;
    assert!(machines.contains("dev-1                a code, good for 1"), "{machines}");
    let said = relay.operates(&home, &["revoke", "dev-1"]);
    assert_eq!((said.code, said.stdout.as_str()), (0, "A code for dev-1 that was not used is void.\n"), "{said:?}");
    assert!(!relay.operates(&home, &["machines"]).stdout.contains("dev-1"));
}

/// What a reply says that can be sent, as it stands.
fn advised(told: &str) -> String {
    told.split_once("Here: `").unwrap_or_else(|| panic!("{told}")).1.split_once('`').unwrap().0.to_owned()
}

#[test]
fn what_a_reply_advises_can_be_sent_as_it_stands() {
    let (home, replies) = (machine(), Server::start(|_| (204, String::new())));
    let (relay, code) = Relay::start(&home, &webhook(&replies));
    assert_eq!(relay.enrols(&home, &code).code, 0);
    // A machine that comes first for this user, and is not there.
    relay.operates(&home, &["say", "li", "@dev run `sh make.sh`"]);
    let waits = told(&replies, "waiting for local approval");
    let other = Home::new();
    let enroll = relay.operates(&home, &["enroll", "dev-2", "--user", "li"]).stdout;
    let code = enroll.lines().map(str::trim).find(|line| line.split('-').all(|part| part.len() == 5)).unwrap();
    let server = format!("ws://{}", relay.listen);
    let args = ["remote", "setup", "--chat", "relay", "--server", &server, "--user", "li"];
    assert_eq!(other.aside_reads(&args, &format!("{code}\n")).code, 0);
    assert_eq!(relay.operates(&home, &["route", "li", "dev-2"]).code, 0);
    // A word alone goes to dev-2, which asks back and names the other machine.
    relay.operates(&home, &["say", "li", "cancel"]);
    let asks = told(&replies, "Nothing of yours is under way");
    assert!(asks.contains("`on dev-1: status`"), "{asks}");
    let words = advised(&waits);
    assert!(words.starts_with("on dev-1: cancel t"), "{words}");
    relay.operates(&home, &["say", "li", &words]);
    told(&replies, "Not carried out.");
    // Off this machine again: its requests go to the other one alone.
    let said = relay.operates(&home, &["unroute", "li", "dev-2"]);
    assert_eq!((said.code, said.stdout.as_str()), (0, "Requests of li go to dev-2 no more.\n"), "{said:?}");
    relay.operates(&home, &["say", "li", "status"]);
    told(&replies, "not carried out");
}

#[test]
fn a_setup_that_cannot_work_uses_no_code_up() {
    let (home, replies) = (machine(), Server::start(|_| (204, String::new())));
    let (relay, code) = Relay::start(&home, &webhook(&replies));
    let server = format!("ws://{}", relay.listen);
    let project = home.path("project").display().to_string();
    let setup = |change: &dyn Fn(&mut std::process::Command)| {
        let mut command = home.command("aside");
        command.args(["remote", "setup", "--chat", "relay", "--server", &server, "--user", "li"]);
        change(&mut command);
        home.write("code", format!("{code}\n"));
        command.stdin(std::fs::File::open(home.path("code")).unwrap()).output().unwrap()
    };
    // A socket that is named, in a home where no daemon has been.
    let socket = home.path("run/other.sock");
    let said = setup(&|command| {
        command.env("ASIDE_SOCKET", &socket).args(["--workspace", &project]);
    });
    assert!(
        !said.status.success() && String::from_utf8_lossy(&said.stderr).contains("`aside daemon start`"),
        "{said:?}"
    );
    let said = setup(&|command| {
        command.args(["--workspace", "/nowhere/at/all"]);
    });
    assert!(!said.status.success() && String::from_utf8_lossy(&said.stderr).contains("no directory"), "{said:?}");
    home.write(".config/aside/config.toml", "[task]\nenabled = false\n");
    let said = setup(&|command| {
        command.args(["--workspace", &project]);
    });
    assert!(
        !said.status.success() && String::from_utf8_lossy(&said.stderr).contains("tasks are turned off"),
        "{said:?}"
    );
    home.write(".config/aside/config.toml", "");
    let said = relay.enrols(&home, &code);
    assert_eq!(said.code, 0, "{said:?}");
}

#[test]
fn a_user_of_a_relay_is_paired_and_is_told_how() {
    let (home, replies) = (machine(), Server::start(|_| (204, String::new())));
    let (relay, code) = Relay::start(&home, &webhook(&replies));
    assert_eq!(relay.enrols(&home, &code).code, 0);
    let mut pair = home.command("aside");
    let pair = pair.args(["remote", "pair", "--yes"]).stdin(std::process::Stdio::null());
    let mut pair = pair.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut said = std::io::BufRead::lines(std::io::BufReader::new(pair.stdout.take().unwrap())).map(Result::unwrap);
    let words = said.find(|line| line.contains("pair ")).unwrap().trim().to_owned();
    assert!(words.starts_with("on dev-1: pair "), "{words}");
    let route = said.find(|line| line.contains("aside relay route USER dev-1"));
    assert!(route.is_some());
    // Not before the relay passes it on.
    relay.operates(&home, &["say", "wang", &words]);
    assert_eq!(relay.operates(&home, &["route", "wang", "dev-1"]).code, 0);
    relay.operates(&home, &["say", "wang", &words]);
    told(&replies, "The code is right.");
    assert!(said.any(|line| line.starts_with("wang may ask.")));
    assert!(pair.wait().unwrap().success());
    told(&replies, "You may ask for tasks on dev-1 now.");
    // With the key that is stored: no new code is needed.
    home.aside_does(&["remote", "off"]);
    let said = home.aside(&["remote", "on"]);
    assert!(said.code == 0 && said.stdout.starts_with("Connected. "), "{said:?}");
    relay.operates(&home, &["say", "wang", "status"]);
    told(&replies, "You have asked for nothing yet.");
}
