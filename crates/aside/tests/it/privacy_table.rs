//! What each use of a model may receive, according to docs/privacy.md: a table with a row for each kind of data and a column for
//! each use. A home contains every kind of data, each with a unique canary word; all uses ask a stub model; and the canaries that
//! arrived are compared with the table, in both directions.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::harness::home::{Home, run};
use crate::harness::patience;
use crate::harness::socket_client::SocketClient;
use crate::model::Model;
use crate::model::scripted_reply::ScriptedReply;

const TTY: &str = "/dev/pts/77";
const MARK: &str = "5f1c9a2be07d4413";
const USES: [&str; 6] = ["complete", "suggest", "translate", "explain", "ask", "task"];

/// The rows of the table, each with its canary word.
const THINGS: [(&str, &str); 14] = [
    ("what you typed or asked", "askedcanary"),
    ("the directory", "dircanary"),
    ("names of files in it", "namecanary"),
    ("the git branch", "branchcanary"),
    ("names of changed files", "changedcanary"),
    ("earlier commands", "commandcanary"),
    ("what earlier commands printed", "outputcanary"),
    ("contents of files", "contentcanary"),
    ("changes to files (diffs)", "diffcanary"),
    ("the selection and diagnostics of an editor", "selectioncanary"),
    ("files of the deny list (`.env`, keys …)", "deniedcanary"),
    ("values of variables", "variablecanary"),
    ("lines that `history.ignore` matches, or that begin with a space", "ignoredcanary"),
    ("secrets that redaction finds", "S3cretC4nary99x"),
];

struct Desk {
    model: Model,
    home: Home,
    watcher: SocketClient,
    here: String,
}

impl Desk {
    fn new() -> Self {
        let (model, mut home) = (Model::start(), Home::new());
        home.write("bin/frobnicate", "#!/bin/sh\n");
        home.set_env("PATH", &format!("{}:/usr/bin:/bin", home.path("bin").display()));
        home.set_env("QUUX_VALUE", "variablecanary");
        let llm =
            format!("provider = 'openai'\nbase_url = '{}'\nmodel = 'scripted'\nnl_debounce_ms = 0\n", model.base_url());
        let complete = "[complete]\nmodel_delay_ms = 0\nmodel_delay_short_ms = 0\nmodel_min_chars = 1\n";
        let history = "[history]\nignore = ['ignoredcanary']\n";
        home.write(".config/aside/config.toml", format!("{complete}{history}[llm]\n{llm}"));
        model.always(ScriptedReply::chat("frobnicate --done"));
        let here = home.path("dircanary");
        home.write("dircanary/namecanary.txt", "nothing\n");
        home.write("dircanary/sub/changedcanary.py", "def total():\n    return 1  # contentcanary\n");
        home.write("dircanary/.env", "X=deniedcanary\nPASSWORD=S3cretC4nary99x\n");
        std::os::unix::fs::symlink(".env", here.join("plain.txt")).unwrap();
        for arguments in [
            &["init", "-q", "-b", "branchcanary"][..],
            &["add", "."],
            &["-c", "user.name=a", "-c", "user.email=a@example.invalid", "commit", "-q", "-m", "first"],
        ] {
            let said = run(home.command("git").args(arguments).current_dir(&here), "");
            assert_eq!(said.code, 0, "{said:?}");
        }
        home.write("dircanary/sub/changedcanary.py", "def total():\n    return 2  # contentcanary diffcanary\n");
        home.aside_does(&["daemon", "start"]);
        let mut desk = Self { watcher: home.wire(), model, here: here.display().to_string(), home };
        desk.settles_in();
        desk
    }

    /// A shell with some history.
    fn settles_in(&mut self) {
        let hello = json!({ "type": "hello", "request_id": 1, "protocol": 1, "shell": "zsh", "session_id": "s" });
        self.home.wire().json(hello);
        self.watcher.json(json!({ "type": "watching", "request_id": 1, "tty": TTY, "tier": "pty", "pid": 1 }));
        let proxy = format!("{TTY}:1");
        let place =
            json!({ "type": "capture", "request_id": 1, "session_id": "s", "mark": MARK, "tty": TTY, "proxy": proxy });
        assert_eq!(self.home.wire().json(place)["tier"], "pty");
        for (seq, command, exit, output) in [
            (1, "frobnicate commandcanary", 1, "frobnicate: error: outputcanary is loose"),
            (2, " frobnicate ignoredcanary", 0, ""),
            (3, "frobnicate ignoredcanary", 0, ""),
            (
                4,
                "mysql -uroot -pS3cretC4nary99x shop",
                1,
                "error: could not connect to mysql://root:S3cretC4nary99x@db/shop",
            ),
            (
                5,
                "frobnicate commandcanary again",
                1,
                "frobnicate: error: outputcanary is loose\nfrobnicate: giving up on it",
            ),
        ] {
            self.prints(seq, output);
            self.sends("finished", json!({ "seq": seq, "command": command, "exit_status": exit }));
        }
    }

    fn prints(&mut self, seq: i64, output: &str) {
        self.watcher.json(
            json!({ "type": "captured", "request_id": 9, "tty": TTY, "mark": MARK, "seq": seq, "output": output }),
        );
    }

    fn sends(&self, kind: &str, fields: Value) -> Value {
        let mut message =
            json!({ "type": kind, "request_id": 3, "session_id": "s", "cwd": self.here, "shell": "zsh", "wait": true });
        message.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let answer = self.home.wire().json(message);
        assert_ne!(answer["type"], "error", "{fields}: {answer}");
        answer
    }

    fn asks_everything(&mut self) {
        for number in 0..3 {
            // Data that has to be looked up is available by the second request.
            self.sends("complete", json!({ "left": format!("frobnicate askedcanary --x{number}") }));
            self.sends("translate", json!({ "query": format!("frobnicate the askedcanary {number}"), "now": true }));
        }
        self.sends("explain", json!({ "command": "frobnicate askedcanary --quux 7" }));
        self.sends("ask", json!({ "query": "why is the askedcanary so odd", "number": 1 }));
        // A line that ran, failed and was prose: its output is part of the request.
        let failed = json!({ "query": "frobnicate the askedcanary nicely please", "number": 2, "exit_status": 1, "output": "error: outputcanary" });
        self.sends("ask", failed);
        self.prints(6, "frobnicate: error: outputcanary is loose\nfrobnicate: giving up on it");
        self.sends("suggest", json!({ "command": "frobnicate askedcanary commandcanary", "exit_status": 1, "seq": 6 }));
        for (text, fields) in [
            ("explain how the askedcanary in sub/changedcanary.py works", json!({})),
            ("fix the askedcanary in sub/changedcanary.py", json!({})),
            (
                "explain this askedcanary",
                json!({ "active": "sub/changedcanary.py", "selection": "selectioncanary", "diagnostics": "selectioncanary" }),
            ),
            ("why did the last command fail, askedcanary", json!({})),
            ("review my askedcanary changes", json!({})),
            (
                "explain the askedcanary in .env",
                json!({ "active": ".env", "open": [".env"], "selection": "X=deniedcanary", "diagnostics": "deniedcanary" }),
            ),
            (
                "explain this askedcanary too",
                json!({ "active": "plain.txt", "open": ["plain.txt"], "selection": "X=deniedcanary", "diagnostics": "deniedcanary" }),
            ),
        ] {
            let mut fields = fields;
            fields["op"] = json!("ask");
            fields["text"] = json!(text);
            self.sends("task", fields);
        }
        let deadline = std::time::Instant::now() + patience();
        loop {
            let list = self.home.wire().json(json!({ "type": "task", "request_id": 1, "op": "list" }));
            let rests = |task: &Value| {
                matches!(task["state"].as_str(), Some("COMPLETED" | "FAILED" | "REJECTED" | "WAITING_APPROVAL"))
            };
            if list["tasks"].as_array().unwrap().iter().all(rests) {
                return;
            }
            assert!(std::time::Instant::now() < deadline, "{list}");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    /// What was sent, by use.
    fn sent(&self) -> BTreeMap<String, String> {
        let mut sent: BTreeMap<String, String> = BTreeMap::new();
        for line in self.home.read(".local/state/aside/privacy.jsonl").lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            if let (Some(usage), Some(body)) = (row["use"].as_str(), row["body"].as_str()) {
                sent.entry(usage.to_owned()).or_default().push_str(body);
            }
        }
        sent
    }
}

/// The table of the page: the kind of data, then yes or no for each use.
fn table() -> BTreeMap<String, Vec<bool>> {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/privacy.md")).unwrap();
    let (_, rest) = page.split_once("| may be told |").expect("docs/privacy.md has no table of what may be told");
    let rows = rest.lines().skip(2).take_while(|row| row.starts_with('|'));
    rows.map(|row| {
        let mut cells = row.trim_matches('|').split('|').map(str::trim);
        let thing = cells.next().unwrap().to_owned();
        let told = cells.map(|cell| match cell {
            "yes" => true,
            "–" => false,
            other => panic!("{thing}: {other:?} is neither yes nor –"),
        });
        (thing.clone(), told.collect())
    })
    .collect()
}

#[test]
fn privacy_table_every_use_is_told_what_the_page_says_and_nothing_else() {
    let mut desk = Desk::new();
    desk.asks_everything();
    let sent = desk.sent();
    let table = table();
    assert_eq!(table.len(), THINGS.len(), "{:?}", table.keys());
    let mut wrong = Vec::new();
    for (thing, canary) in THINGS {
        let row = table.get(thing).unwrap_or_else(|| panic!("the page has no row for {thing:?}"));
        assert_eq!(row.len(), USES.len(), "{thing}");
        for (usage, may) in USES.iter().zip(row) {
            let body = sent.get(*usage).unwrap_or_else(|| panic!("no model was asked to {usage}"));
            let is_told = body.contains(canary);
            if is_told != *may {
                wrong.push(format!("{usage} is {} {thing}", if is_told { "told" } else { "never told" }));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
    assert!(desk.model.requests().len() >= USES.len());
}
