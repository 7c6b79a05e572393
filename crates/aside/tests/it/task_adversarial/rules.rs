//! The user allows read-only commands without asking. A command that pretends to be read-only still asks, and a denied command is
//! denied in every disguise.

use serde_json::json;

use super::fixture::{Attempt, Fixture, waiting};

/// Allows everything that may be allowed of these, and denies `frobnicate`.
const RULES: &str = r#"
[[allow]]
program = "ls"
why = "it only reads"
hits = ["ls -la"]
misses = ["rm x"]

[[allow]]
program = ["cat", "echo", "grep", "find", "head", "sort", "wc"]
why = "they only read"
hits = ["cat x", "wc -l x"]
misses = ["rm x"]

[[allow]]
program = "git"
sub = ["status", "log", "diff"]
why = "it only reads"
hits = ["git status"]
misses = ["git commit"]

[[deny]]
program = "frobnicate"
why = "not here"
hits = ["frobnicate"]
misses = ["ls"]
"#;

pub fn all() -> (Vec<Attempt>, usize) {
    let mut stage = Fixture::with("rules", "", |home| {
        home.write(".config/aside/rules.toml", RULES);
        home.write("bin/frobnicate", "#!/bin/sh\necho ran > \"$HOME/outside/canary\"\n");
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", home.path("bin").display());
        home.set_env("PATH", &path);
    });
    stage.twin("what is allowed goes unasked", |stage| {
        let task = stage.ada.asks("run `ls -la`");
        stage.settles();
        let brief = stage.ada.brief(&task);
        assert_ne!(brief["state"], "WAITING_APPROVAL", "{brief}");
    });
    stage.twin("what asks is run once it is approved", |stage| {
        let shown = stage.proposes("ls $(touch canary)");
        stage.ada.approves(&shown);
        assert_eq!(stage.outcome(&shown.task), "COMPLETED");
        assert!(stage.home.path("project/canary").exists());
    });
    for line in ASKED {
        stage.attempt(format!("unasked: {line}"), |stage| {
            stage.edits_to(line);
        });
    }
    for line in DENIED {
        stage.attempt(format!("denied: {line}"), |stage| {
            let (task, answer) = stage.edits_to(line);
            assert_eq!(answer["error"]["code"], "refused", "{line}: {answer}");
            assert_eq!(stage.ada.brief(&task)["state"], "WAITING_APPROVAL");
        });
    }
    stage.attempt("a request from afar for what is allowed here", |stage| {
        let cwd = stage.home.path("project");
        let asked = stage.ada.says("ask", json!({ "text": "@dev run `ls -la`", "cwd": cwd, "source": "wecom" }));
        assert_eq!(asked["type"], "task", "{asked}");
        stage.settles();
        let task = asked["tasks"][0]["taskId"].as_str().unwrap().to_owned();
        assert_eq!(stage.ada.brief(&task)["state"], "WAITING_APPROVAL");
    });
    stage.attempt("a retry from afar of what was allowed here", |stage| {
        let task = stage.ada.asks("run `ls -la`");
        stage.settles();
        stage.mark();
        stage.ada.says("retry", json!({ "taskId": task, "source": "wecom", "fromUser": "eve" }));
    });
    stage.attempt("git below the root, where somebody else may have put a repository", |stage| {
        let cwd = stage.home.path("project/src");
        let asked = stage.ada.says("ask", json!({ "text": "run `git status`", "cwd": cwd, "shell": "bash" }));
        let task = asked["tasks"][0]["taskId"].as_str().unwrap().to_owned();
        stage.settles();
        assert!(waiting(stage, &task).is_some());
    });
    loosened(&mut stage);
    stage.done()
}

/// Neither a repository nor an invalid rules file can allow anything.
fn loosened(stage: &mut Fixture) {
    let allow = "[[allow]]\nprogram = \"touch\"\nwhy = \"trust me\"\nhits = [\"touch x\"]\nmisses = [\"rm x\"]\n";
    let ls = "[[allow]]\nprogram = \"ls\"\nwhy = \"trust me\"\nhits = [\"ls\"]\nmisses = [\"rm x\"]\n";
    for (name, text, line) in [
        ("a repository that allows touch", allow.to_owned(), "touch canary"),
        ("a repository that allows ls takes all leave away", ls.to_owned(), "ls -la"),
        ("a repository whose rules make no sense", "[[allow]\n".to_owned(), "ls -la"),
        ("a repository whose rule has another key", format!("{ls}decision = \"allow\"\n"), "ls -la"),
        ("a repository whose rules are too long", "#".repeat(300_000), "ls -la"),
    ] {
        stage.attempt(name, |stage| {
            stage.home.write("project/.aside/rules.toml", &text);
            stage.mark();
            let task = stage.ada.asks(&format!("run `{line}`"));
            stage.settles();
            assert_eq!(stage.ada.brief(&task)["state"], "WAITING_APPROVAL");
        });
    }
    stage.attempt("a repository whose rules are a link to the person's", |stage| {
        std::fs::create_dir(stage.home.path("project/.aside")).unwrap();
        std::os::unix::fs::symlink(
            stage.home.path(".config/aside/rules.toml"),
            stage.home.path("project/.aside/rules.toml"),
        )
        .unwrap();
        stage.mark();
        stage.edits_to("ls -la");
    });
    for (name, text) in [
        ("a person who allows what writes", allow.to_owned()),
        ("a person whose other rule is broken", format!("{RULES}\n[[ask]]\nprogram = 3\n")),
        (
            "a person who allows everything",
            "[[allow]]\nprogram = \"*\"\nwhy = \"x\"\nhits = [\"touch x\"]\nmisses = [\"rm x\"]\n".to_owned(),
        ),
    ] {
        stage.attempt(name, |stage| {
            stage.home.write(".config/aside/rules.toml", &text);
            stage.mark();
            stage.edits_to("touch canary");
            stage.settles();
            stage.edits_to("ls -la");
            stage.settles();
            assert_eq!(stage.came_to(), None);
            stage.home.write(".config/aside/rules.toml", RULES);
            stage.mark();
        });
    }
    stage.attempt("ls in the workspace, first in PATH", |stage| {
        stage.home.write("project/bin/ls", "#!/bin/sh\ntouch \"$HOME/outside/canary\"\n");
        let path = format!("{}:/usr/bin:/bin", stage.home.path("project/bin").display());
        stage.home.set_env("PATH", &path);
        stage.restarts(|_| {});
        stage.mark();
        let task = stage.ada.asks("run `ls`");
        stage.settles();
        if stage.ada.brief(&task)["state"] != "WAITING_APPROVAL" {
            stage.granted();
        }
    });
}

/// Each of them asks.
const ASKED: [&str; 58] = [
    "ls; touch canary",
    "ls && touch canary",
    "ls || touch canary",
    "ls | tee canary",
    "ls & touch canary",
    "ls\ntouch canary",
    "ls $(touch canary)",
    "ls `touch canary`",
    "ls \"$(touch canary)\"",
    "ls <(touch canary)",
    "ls > canary",
    "ls >> canary",
    "ls >| canary",
    "ls &> canary",
    "ls 2> canary",
    "ls > ../outside/canary",
    "cat << EOF\n$(touch canary)\nEOF",
    "cat <<< $(touch canary)",
    "echo ${x:=$(touch canary)}",
    "echo $((a[$(touch canary)]))",
    "echo $[a[$(touch canary)]]",
    "echo \\\n; touch canary",
    "ls #\ntouch canary",
    "(ls; touch canary)",
    "{ ls; touch canary; }",
    "if ls; then touch canary; fi",
    "for x in 1; do touch canary; done",
    "ls() { touch canary; }; ls",
    "alias ls='touch canary'; ls",
    "function ls { touch canary; }; ls",
    "trap 'touch canary' EXIT; ls",
    "eval ls\\;touch canary",
    "command touch canary",
    "env ls",
    "env -S 'touch canary'",
    "sudo ls",
    "nice ls",
    "sh -c 'touch canary'",
    "bash -c ls",
    "xargs touch < a.txt",
    "ls | xargs touch",
    "find . -exec touch canary ';'",
    "find . -delete",
    "find . -fprint canary",
    "sort -o canary a.txt",
    "sort --compress-program=./tool.sh a.txt",
    "git -c core.pager='touch canary' log",
    "git -c alias.status='!touch canary' status",
    "git --exec-path=. status",
    "git -C ../outside status",
    "git diff --ext-diff",
    "git diff --output=canary",
    "git log --format=%x -O canary --output=canary",
    "BASH_ENV=./tool.sh ls",
    "LD_PRELOAD=./x.so ls",
    "PATH=. ls",
    "./ls",
    "cat .env",
];

/// Each is denied without even asking.
const DENIED: [&str; 26] = [
    "frobnicate",
    "frobnicate --help",
    "fr\"obn\"icate",
    "fr\\obnicate",
    "'frobnicate'",
    "../../bin/frobnicate",
    "env frobnicate",
    "env A=b frobnicate",
    "sudo frobnicate",
    "nohup frobnicate",
    "timeout 5 frobnicate",
    "command frobnicate",
    "exec frobnicate",
    "sh -c frobnicate",
    "bash -lc 'true; frobnicate'",
    "eval frobnicate",
    "true && frobnicate",
    "true; frobnicate",
    "true | frobnicate",
    "true\nfrobnicate",
    "echo $(frobnicate)",
    "echo `frobnicate`",
    "echo a.txt | xargs frobnicate",
    "find . -exec frobnicate {} +",
    "if true; then frobnicate; fi",
    "aside config set task.enabled false",
];
