//! What is sent to a model, seen from both ends: what the stub server received is what `aside privacy` shows, without secrets; and
//! `aside stats` adds up what became of suggestions.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::harness::home::{ASIDE, Home};
use crate::model::Model;
use crate::model::scripted_reply::ScriptedReply;

const JOURNAL: &str = ".local/state/aside/privacy.jsonl";
const WISH: &str = "frobnicate the quux";

fn desk() -> (Model, Home) {
    let (model, home) = (Model::start(), Home::new());
    let url = model.base_url();
    let llm = format!("provider = 'openai'\nbase_url = '{url}'\nmodel = 'scripted'\nnl_debounce_ms = 0\n");
    home.write(".config/aside/config.toml", format!("[complete]\nmodel_min_chars = 100\n[llm]\n{llm}"));
    model.always(ScriptedReply::chat("ls"));
    home.aside_does(&["daemon", "start"]);
    (model, home)
}

fn wish(home: &Home, query: &str) -> Value {
    let here = home.path("").display().to_string();
    let wish = json!({"type": "translate", "request_id": 1, "session_id": "s", "cwd": here, "query": query, "wait": true, "now": true});
    home.wire().json(wish)
}

fn ran(home: &Home, seq: u64, command: &str) {
    let here = home.path("").display().to_string();
    let ended =
        json!({"type": "finished", "request_id": seq, "session_id": "s", "seq": seq, "cwd": here, "command": command});
    assert_eq!(home.wire().json(ended)["type"], "ok");
}

/// Without the request that identifies the server program, which carries no content.
fn rows(said: &str) -> Vec<Value> {
    let rows = said.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.filter(|row| row["body"] != "").collect()
}

/// In parts, so that secret scanners do not take it for a real token.
fn token() -> String {
    ["gh", "p_", "0a1B2c3D4e5F6g7H8i9J", "0k1L2m3N4o5P6q7R"].concat()
}

#[test]
fn privacy_says_plainly_that_nothing_has_left() {
    let home = Home::new();
    let said = home.aside_does(&["privacy"]);
    assert!(said.stdout.starts_with("Nothing has left this machine: "), "{said:?}");
    assert!(said.stdout.contains("Nothing will: the settings name no model"), "{said:?}");
    assert_eq!(home.aside_does(&["privacy", "--json"]).stdout, "");
    assert_eq!(home.aside_does(&["privacy", "--body"]).stdout, "");
    assert!(!home.path(".local/state/aside").exists(), "asking leaves no trace");
}

#[test]
fn privacy_shows_exactly_what_the_server_received() {
    let (model, home) = desk();
    assert_eq!(wish(&home, WISH)["state"], "done");
    wish(&home, "frobnicate the other quux");
    let received = model.wait_for_requests(2);
    let rows = rows(&home.aside_does(&["privacy", "--json"]).stdout);
    assert_eq!(rows.len(), 2, "{rows:?}");
    for (row, request) in rows.iter().zip(&received) {
        let body = row["body"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(body).unwrap(), request.body);
        assert_eq!(request.header("content-length"), Some(body.len().to_string().as_str()));
        assert_eq!(row["bytes"], body.len());
        assert_eq!(
            (&row["use"], &row["provider"], &row["model"]),
            (&"translate".into(), &"openai".into(), &"scripted".into())
        );
        assert!(row["address"].as_str().unwrap().starts_with(&model.base_url()), "{row}");
        assert_eq!(row["answer"]["status"], 200, "{row}");
    }
    let newest = rows[1]["body"].as_str().unwrap();
    assert_eq!(home.aside_does(&["privacy", "--body"]).stdout, newest);
    let last = home.aside_does(&["privacy", "--last"]).stdout;
    assert!(last.contains(newest) && last.contains("(this machine)") && last.contains("status 200"), "{last}");
    let list = home.aside_does(&["privacy"]).stdout;
    assert!(list.contains("3 requests, ") && !list.contains(newest), "{list}");
    let mode = std::fs::metadata(home.path(JOURNAL)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn privacy_lets_no_secret_out_of_a_wish_or_the_history() {
    let (model, home) = desk();
    // None of these matches history.ignore: only the shell grammar or entropy reveals them.
    let secrets = ["authpass77", "d3pl0yKeyValue", "nestedPw2", "my wifi phrase"];
    ran(&home, 1, "snmpwalk -v3 -A authpass77 10.0.0.1");
    ran(&home, 2, "gh secret set DEPLOY --body d3pl0yKeyValue");
    ran(&home, 3, "wpa_passphrase HomeNet 'my wifi phrase'");
    let token = token();
    wish(&home, &format!("frobnicate with {token} and mysql -pnestedPw2 shop"));
    let received = model.wait_for_requests(1);
    let sent = received[0].body.to_string();
    assert!(sent.contains("frobnicate with [redacted] and mysql -p[redacted] shop"), "{sent}");
    for secret in secrets.iter().copied().chain([token.as_str()]) {
        assert!(!sent.contains(secret), "{secret} in {sent}");
        assert!(!home.read(JOURNAL).contains(secret), "{secret}");
    }
    assert!(home.aside_does(&["privacy"]).stdout.contains("taken out before"));
}

#[test]
fn privacy_nothing_leaves_that_cannot_be_noted() {
    let (model, home) = desk();
    std::fs::create_dir_all(home.path(JOURNAL)).unwrap();
    let answer = wish(&home, WISH);
    assert_eq!(answer["state"], "done", "{answer}");
    assert_eq!(model.requests().len(), 0);
    std::fs::remove_dir(home.path(JOURNAL)).unwrap();
}

#[test]
fn privacy_follow_shows_a_request_as_it_leaves() {
    let (_model, home) = desk();
    let mut follow = home.command(ASIDE);
    let follow = follow
        .args(["privacy", "--follow", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .stdin(Stdio::null());
    let mut follow = follow.spawn().unwrap();
    let mut lines = BufReader::new(follow.stdout.take().unwrap()).lines();
    // The follower may not be watching yet and shows only later requests, so they are repeated until one appears.
    let (done, stop) = std::sync::mpsc::channel::<()>();
    let first = std::thread::scope(|scope| {
        let home = &home;
        scope.spawn(move || {
            let mut number = 0;
            while stop.try_recv().is_err() {
                number += 1;
                wish(home, &format!("{WISH} {number}"));
            }
        });
        let first = lines.by_ref().map(Result::unwrap).find(|line| !line.contains("/props\"")).unwrap();
        done.send(()).unwrap();
        first
    });
    follow.kill().unwrap();
    follow.wait().unwrap();
    let first: Value = serde_json::from_str(&first).unwrap();
    assert!(first["body"].as_str().is_some_and(|body| body.contains(WISH)) || first["answer"].is_object(), "{first}");
}

#[test]
fn privacy_test_shows_what_would_be_taken_out() {
    let home = Home::new();
    let token = token();
    home.write("notes", format!("ok\nexport DB_PASSWORD='hunter2'\n{token}\n"));
    let said = home.aside_does(&["privacy", "test", "notes"]);
    assert_eq!(said.stdout, "ok\nexport DB_PASSWORD='[redacted]'\n[redacted]\n");
    assert_eq!(
        said.stderr,
        "line 2, column 21: password  … (7 characters)\n\
         line 3, column 1: github token  ghp_… (40 characters)\n\
         aside: 2 secrets would be taken out\n"
    );
    let said = home.aside_reads(&["privacy", "test", "-"], "git status\n");
    assert_eq!(
        (said.code, said.stdout.as_str(), said.stderr.as_str()),
        (0, "git status\n", "aside: nothing would be taken out\n")
    );
    let said = home.aside_reads(&["privacy", "test", "--json", "-"], "PASSWORD=hunter2");
    let said: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!((&said["text"], &said["secrets"][0]["kind"]), (&"PASSWORD=[redacted]".into(), &"password".into()));
    assert_eq!(home.aside(&["privacy", "test", "missing"]).code, 1);
}

#[test]
fn privacy_tells_how_to_keep_a_shell_private() {
    let mut home = Home::new();
    let said = home.aside_does(&["privacy", "on"]).stdout;
    for way in ["aside-private", "ASIDE_PRIVATE=1", "llm.private_key", "llm.provider embedded"] {
        assert!(said.contains(way), "{said}");
    }
    home.set_env("ASIDE_PRIVATE", "1");
    assert!(home.aside_does(&["privacy"]).stdout.contains("This shell is private"));
    assert!(home.aside_does(&["privacy", "off"]).stdout.contains("unset ASIDE_PRIVATE"));
}

#[test]
fn stats_add_up_what_became_of_suggestions() {
    let home = Home::new();
    let nothing = home.aside_does(&["stats"]).stdout;
    assert_eq!(nothing, "nothing noted: no suggestion was taken or left, and no model was asked\n");
    home.aside_does(&["daemon", "start"]);
    let mut wire = home.wire();
    for (action, suggestion, last) in [("accept", "du -sh", ""), ("run", "du -sh", "du -sh"), ("dismiss", "df", "")] {
        let fields = ["1", "outcome", "s", action, "how big is it", suggestion, "embedded", "0.9", "/", last];
        assert_eq!(wire.record(&fields)[1], "ok");
    }
    let stats: Value = serde_json::from_str(&home.aside_does(&["stats", "--json", "--days", "1"]).stdout).unwrap();
    let source = &stats["sources"]["embedded"];
    assert_eq!(
        (&source["accepted"], &source["run"], &source["dismissed"]),
        (&1.into(), &1.into(), &1.into()),
        "{stats}"
    );
    assert!(home.aside_does(&["stats"]).stdout.contains("embedded"));
    let noted = home.read(".local/state/aside/interactions.jsonl");
    let first: Value = serde_json::from_str(noted.lines().next().unwrap()).unwrap();
    for (field, value) in [
        ("session", "s"),
        ("action", "accept"),
        ("suggestion", "du -sh"),
        ("source", "embedded"),
        ("cwd", "/"),
        ("nl_query", "how big is it"),
    ] {
        assert_eq!(first[field], value, "{field}");
    }
    let mode = std::fs::metadata(home.path(".local/state/aside/interactions.jsonl")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn stats_keep_no_secret() {
    let home = Home::new();
    home.aside_does(&["daemon", "start"]);
    let line = "mysql -u root -phunter2 shop";
    let fields = ["1", "outcome", "s", "run", "log in", line, "embedded", "0.9", "/", line];
    assert_eq!(home.wire().record(&fields)[1], "ok");
    let noted = home.read(".local/state/aside/interactions.jsonl");
    assert!(noted.contains("-p[redacted]") && !noted.contains("hunter2"), "{noted}");
}
