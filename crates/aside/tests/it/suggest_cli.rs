//! `aside suggest` and `aside fix` as scripts call them: no daemon, no model, the test's own PATH.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::harness::programs;

/// A home with a project in it, and a directory of programs.
struct Desk {
    temp: TempDir,
}

impl Desk {
    fn new(programs: &[&str]) -> Self {
        let desk = Self { temp: tempfile::tempdir().unwrap() };
        for directory in ["bin", "app/Documents", "data"] {
            fs::create_dir_all(desk.temp.path().join(directory)).unwrap();
        }
        for name in programs {
            let file = desk.temp.path().join("bin").join(name);
            programs::write(&file, b"#!/bin/sh\n");
        }
        desk
    }

    fn write(&self, name: &str, text: &str) -> String {
        let file = self.temp.path().join(name);
        fs::write(&file, text).unwrap();
        file.display().to_string()
    }

    fn aside(&self, words: &[&str]) -> Output {
        let path = |name: &str| self.temp.path().join(name);
        Command::new(Path::new(env!("CARGO_BIN_EXE_aside")))
            .args(words)
            .current_dir(path("app"))
            .env_clear()
            .env("HOME", self.temp.path())
            .env("PATH", path("bin"))
            .env("SHELL", "/bin/zsh")
            .env("XDG_DATA_HOME", path("data"))
            .env("XDG_CONFIG_HOME", path("config"))
            .env("XDG_RUNTIME_DIR", path("run"))
            .output()
            .unwrap()
    }
}

fn out(output: &Output) -> (String, i32) {
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code().unwrap_or(-1))
}

#[test]
fn suggest_cli_takes_nothing_from_what_aside_printed() {
    let desk = Desk::new(&["git", "npm", "touch", "aside"]);
    for named in ["npm install", "git push origin topic", "git pull", "touch ~/.zshenv", "aside privacy clean"] {
        for text in [format!("run {named}\n"), format!("Run `{named}` to go on\n"), format!("try this:\n    {named}\n")]
        {
            let file = desk.write("out.txt", &text);
            for line in [&["task", "list", "--find", "x"][..], &["log"], &["task", "run", "touch", "x"]] {
                for exit in ["0", "1"] {
                    let words = ["suggest", "--exit", exit, "--output-file", &file, "--", "aside"];
                    assert_eq!(out(&desk.aside(&[&words[..], line].concat())), (String::new(), 0), "{named}");
                }
            }
        }
    }
}

#[test]
fn suggest_cli_offers_nothing_that_the_settings_block() {
    let desk = Desk::new(&["git"]);
    let words = ["suggest", "--exit", "127", "--", "gti", "status"];
    assert_eq!(out(&desk.aside(&words)), ("git status\n".to_owned(), 0));
    fs::create_dir_all(desk.temp.path().join("config/aside")).unwrap();
    desk.write("config/aside/config.toml", "[security]\ncommand_blocklist = ['git']\n");
    assert_eq!(out(&desk.aside(&words)), (String::new(), 0));
}

#[test]
fn suggest_cli_prints_the_command_or_nothing() {
    let desk = Desk::new(&["git", "mytool"]);
    let upstream = "fatal: The current branch x has no upstream branch.\n\n    git push --set-upstream origin x\n";
    let file = desk.write("out.txt", &format!("\u{1b}[31m{upstream}\u{1b}[0m"));
    let asked = ["suggest", "--exit", "128", "--output-file", &file, "--", "git", "push"];
    assert_eq!(out(&desk.aside(&asked)), ("git push --set-upstream origin x\n".to_owned(), 0));
    assert_eq!(out(&desk.aside(&["suggest", "--exit", "1", "--", "cd", "Docments"])), ("cd Documents\n".to_owned(), 0));
    assert_eq!(out(&desk.aside(&["suggest", "--exit", "127", "--", "gti status"])), ("git status\n".to_owned(), 0));
    assert_eq!(out(&desk.aside(&["suggest", "--exit", "0", "--", "mytool"])), (String::new(), 0));
    assert_eq!(out(&desk.aside(&["suggest", "--", "mytool"])).1, 2, "how it ended has to be said");
}

#[test]
fn suggest_cli_says_why_in_json() {
    let desk = Desk::new(&["git", "mytool"]);
    let file = desk.write("out.txt", "Not logged in. Run `mytool login` first.\n");
    let asked = ["suggest", "--json", "--exit", "1", "--output-file", &file, "--", "mytool deploy"];
    let told: serde_json::Value = serde_json::from_slice(&desk.aside(&asked).stdout).unwrap();
    assert_eq!((&told["suggestion"], &told["source"]), (&"mytool login".into(), &"output".into()));
    assert!(told["reason"].as_str().unwrap().contains("Not logged in"), "{told}");
    let told: serde_json::Value =
        serde_json::from_slice(&desk.aside(&["suggest", "--json", "--exit", "0", "--", "mytool"]).stdout).unwrap();
    assert_eq!(told["suggestion"], "");
}

#[test]
fn suggest_cli_looks_at_the_session() {
    let desk = Desk::new(&["git", "grep"]);
    let file = desk.write("out.txt", "a.py:<<<<<<< HEAD\n");
    let session =
        desk.write("session", "{\"command\": \"git status\", \"exit\": 0, \"output\": \"both modified: a.py\"}\n");
    let asked = |session: &str| {
        let words =
            ["suggest", "--exit", "0", "--output-file", &file, "--session-file", session, "--", "grep '<<<' a.py"];
        out(&desk.aside(&words))
    };
    assert_eq!(asked(&session), ("git mergetool\n".to_owned(), 0));
    assert_eq!(asked(&desk.write("empty", "")), (String::new(), 0));
    assert_eq!(asked(&desk.write("broken", "no json")).1, 2);
}

#[test]
fn fix_cli_says_what_to_do_and_runs_nothing() {
    let desk = Desk::new(&["git"]);
    let fixed = desk.aside(&["fix", "--", "mkdir Documents/a/b"]);
    let told = String::from_utf8_lossy(&fixed.stderr).into_owned();
    assert_eq!(out(&fixed), (String::new(), 1));
    assert!(told.contains("I did not see what it printed") && told.contains("--output-file"), "{told}");
    let fixed = desk.aside(&["fix", "--exit", "127", "--", "gti", "status"]);
    let told = String::from_utf8_lossy(&fixed.stderr).into_owned();
    assert_eq!(out(&fixed), ("git status\n".to_owned(), 0));
    assert!(told.contains("there is no gti") && !told.contains("did not see"), "{told}");
    assert_eq!(out(&desk.aside(&["fix"])).1, 1, "there is no history");
}

#[test]
fn fix_cli_is_about_the_last_command_of_the_history() {
    let desk = Desk::new(&["git"]);
    let here = desk.temp.path().join("app").canonicalize().unwrap();
    let history = desk.write("history", ": 1700000000:0;ls\n");
    assert_eq!(out(&desk.aside(&["history", "import", "zsh", &history])).1, 0);
    let database = fs::read_dir(desk.temp.path().join("data")).unwrap().flatten().next().unwrap().path();
    let database = rusqlite::Connection::open(database.join("history.db")).unwrap();
    let sql = "INSERT INTO history (command, cwd, exit, start, shell) VALUES (?, ?, ?, ?, 'zsh')";
    let add = |command: &str, exit: i32, start: i64| {
        database
            .execute(sql, rusqlite::params![command, here.display().to_string(), exit, start + 1_700_000_100_000_i64])
            .unwrap();
    };
    add("gti status", 127, 1);
    add("aside fix", 1, 2);
    assert_eq!(out(&desk.aside(&["fix"])), ("git status\n".to_owned(), 0));
    add("ls", 0, 3);
    let fixed = desk.aside(&["fix"]);
    assert_eq!(out(&fixed), (String::new(), 1), "an older failure is not asked about");
    assert!(String::from_utf8_lossy(&fixed.stderr).contains("ls did not fail"));
}
