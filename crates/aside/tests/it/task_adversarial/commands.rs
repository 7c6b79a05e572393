//! Commands: what changes between the look and the approval, what the approving terminal's environment brings along, and how a
//! disguised command line is shown.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};

use super::fixture::{Attempt, Fixture, waiting};
use crate::harness::tasks::ShownProposal;

pub fn all() -> (Vec<Attempt>, usize) {
    let mut stage = Fixture::open("commands");
    stage.twin("a command in a directory of the workspace", |stage| {
        let shown = in_src(stage, "touch canary");
        stage.ada.approves(&shown);
        assert_eq!(stage.outcome(&shown.task), "COMPLETED");
        assert!(stage.home.path("project/src/canary").exists());
    });
    swapped(&mut stage);
    settings(&mut stage);
    environment(&mut stage);
    disguised(&mut stage);
    stage.done()
}

/// A proposed command whose directory is below the root.
#[track_caller]
fn in_src(stage: &mut Fixture, command: &str) -> ShownProposal {
    let cwd = stage.home.path("project/src");
    let asked = stage.ada.says("ask", json!({ "text": format!("run `{command}`"), "cwd": cwd, "shell": "bash" }));
    let task = asked["tasks"][0]["taskId"].as_str().unwrap_or_else(|| panic!("{asked}")).to_owned();
    stage.settles();
    waiting(stage, &task).unwrap_or_else(|| panic!("{command} does not wait"))
}

/// The directory in which it would run has been replaced by then.
fn swapped(stage: &mut Fixture) {
    type Swap = fn(&Path);
    let cases: [(&str, Swap); 7] = [
        ("the directory becomes a link out", |project| {
            fs::remove_dir_all(project.join("src")).unwrap();
            symlink("../outside", project.join("src")).unwrap();
        }),
        ("the directory becomes a link to another one of the workspace", |project| {
            fs::remove_dir_all(project.join("src")).unwrap();
            symlink("config", project.join("src")).unwrap();
        }),
        ("the directory becomes a link to git's", |project| {
            fs::remove_dir_all(project.join("src")).unwrap();
            symlink(".git", project.join("src")).unwrap();
        }),
        ("the directory is gone", |project| fs::remove_dir_all(project.join("src")).unwrap()),
        ("the directory becomes a file", |project| {
            fs::remove_dir_all(project.join("src")).unwrap();
            fs::write(project.join("src"), "no directory\n").unwrap();
        }),
        ("the workspace becomes a link out", |project| {
            fs::rename(project, project.with_file_name("moved")).unwrap();
            fs::create_dir_all(project.with_file_name("outside").join("src")).unwrap();
            fs::create_dir_all(project.with_file_name("outside").join(".git")).unwrap();
            symlink("outside", project).unwrap();
        }),
        ("the workspace ends further down", |project| fs::create_dir(project.join("src/.git")).unwrap()),
    ];
    for (name, swap) in cases {
        stage.attempt(name, |stage| {
            let shown = in_src(stage, "touch canary");
            swap(&fs::canonicalize(stage.home.path("project")).unwrap());
            stage.mark();
            if stage.ada.approves(&shown)["type"] == "task" {
                stage.granted();
            }
            assert_ne!(stage.outcome(&shown.task), "COMPLETED");
        });
    }
    stage.attempt("the directory is swapped all the time", |stage| {
        stage.forgive("project");
        stage.forgive("moved");
        let src = fs::canonicalize(stage.home.path("project/src")).unwrap();
        for _ in 0..8 {
            let shown = in_src(stage, "touch canary");
            let stop = std::sync::atomic::AtomicBool::new(false);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    let away = src.with_file_name("away");
                    while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                        fs::rename(&src, &away).unwrap();
                        symlink("../outside", &src).unwrap();
                        std::thread::yield_now();
                        fs::remove_file(&src).unwrap();
                        fs::rename(&away, &src).unwrap();
                    }
                });
                if stage.ada.approves(&shown)["type"] == "task" {
                    stage.granted();
                }
                stage.settles();
                stop.store(true, std::sync::atomic::Ordering::Relaxed);
            });
            let _ = fs::remove_file(stage.home.path("project/src/canary"));
        }
    });
}

/// A rule that the user adds after the look denies the command.
fn settings(stage: &mut Fixture) {
    let rule = "[[deny]]\nprogram = \"touch\"\nwhy = \"no\"\nhits = [\"touch x\"]\nmisses = [\"ls\"]\n";
    for (name, file) in [
        ("a rule of the person's is written after the look", ".config/aside/rules.toml"),
        ("a rule of the repository's is written after the look", "project/.aside/rules.toml"),
    ] {
        stage.attempt(name, |stage| {
            let shown = in_src(stage, "touch canary");
            stage.home.write(file, rule);
            stage.mark();
            if stage.ada.approves(&shown)["type"] == "task" {
                stage.granted();
            }
            assert_ne!(stage.outcome(&shown.task), "COMPLETED");
            fs::remove_file(stage.home.path(file)).unwrap();
            stage.forgive(file);
            stage.forgive("project/.aside");
        });
    }
    let config = stage.home.read(".config/aside/config.toml");
    stage.attempt("commands are turned off after the look", |stage| {
        let shown = in_src(stage, "touch canary");
        stage.home.write(".config/aside/config.toml", format!("{config}[task]\nallow_run_terminal = false\n"));
        let waits = |stage: &mut Fixture| {
            let task = stage.ada.asks("run `true`");
            stage.ada.rests(&task)["state"] == "WAITING_APPROVAL"
        };
        stage.until("commands are off", |stage| !waits(stage));
        let answer = stage.ada.approves(&shown);
        assert_eq!(answer["error"]["code"], "refused", "{answer}");
        stage.home.write(".config/aside/config.toml", &config);
        stage.until("commands are on", waits);
    });
    stage.attempt("tasks are turned off after the look", |stage| {
        let shown = in_src(stage, "touch canary");
        stage.home.write(".config/aside/config.toml", format!("{config}[task]\nenabled = false\n"));
        let is_off = |stage: &mut Fixture| stage.ada.says("list", json!({}))["type"] == "error";
        stage.until("tasks are off", is_off);
        let answer = stage.ada.approves(&shown);
        assert_eq!(answer["error"]["code"], "refused", "{answer}");
        stage.home.write(".config/aside/config.toml", &config);
        stage.until("tasks are on", |stage| !is_off(stage));
    });
}

/// The user approves `echo hi` in a terminal whose environment would make it do more.
fn environment(stage: &mut Fixture) {
    let evil = "touch \"$HOME/outside/canary\"\n";
    stage.home.write("evil.sh", evil);
    stage.home.write("evil/bash", format!("#!/bin/sh\n{evil}exec /bin/bash \"$@\"\n"));
    let path = |stage: &Fixture, path: &str| stage.home.path(path).to_str().unwrap().to_owned();
    stage.twin("the file that such a variable names", |stage| {
        let shown = stage.proposes("sh \"$HOME/evil.sh\"");
        stage.ada.approves(&shown);
        assert_eq!(stage.outcome(&shown.task), "COMPLETED");
        assert!(stage.home.path("outside/canary").exists());
    });
    type Variables = fn(&str) -> Vec<String>;
    let cases: [(&str, Variables); 16] = [
        ("BASH_ENV", |home| vec![format!("BASH_ENV={home}/evil.sh")]),
        ("ENV", |home| vec![format!("ENV={home}/evil.sh"), "POSIXLY_CORRECT=1".to_owned()]),
        ("a function in place of echo", |_| vec!["BASH_FUNC_echo%%=() { touch \"$HOME/outside/canary\"; }".to_owned()]),
        ("a function in place of a shell's own word", |_| {
            vec!["BASH_FUNC_builtin%%=() { touch \"$HOME/outside/canary\"; }".to_owned()]
        }),
        ("a function that ends itself", |_| vec!["BASH_FUNC_x%%=() { :; }; touch \"$HOME/outside/canary\"".to_owned()]),
        ("a function of the old spelling", |_| vec!["echo=() { :; }; touch \"$HOME/outside/canary\"".to_owned()]),
        ("PROMPT_COMMAND", |_| vec!["PROMPT_COMMAND=touch \"$HOME/outside/canary\"".to_owned()]),
        ("PS4 with tracing", |_| {
            vec!["SHELLOPTS=xtrace".to_owned(), "PS4=$(touch \"$HOME/outside/canary\")".to_owned()]
        }),
        ("words that are read first", |home| {
            vec!["BASHOPTS=expand_aliases".to_owned(), format!("BASH_LOADABLES_PATH={home}/evil")]
        }),
        ("a shell in the workspace", |home| {
            vec![format!("SHELL={home}/project/bin/bash"), format!("PATH={home}/project/bin:/usr/bin:/bin")]
        }),
        ("entries that are none", |home| {
            let entries = ["", "=", "=x", "NAME", "A=b\0BASH_ENV=c", "\0"];
            let mut entries = entries.map(str::to_owned).to_vec();
            entries.push(format!("X=1\nBASH_ENV={home}/evil.sh"));
            entries
        }),
        ("BASH_ENV behind a NUL", |home| vec![format!("X=1\0BASH_ENV={home}/evil.sh")]),
        ("BASH_ENV behind a NUL in a name", |home| vec![format!("X\0BASH_ENV={home}/evil.sh"), "Y\0=1".to_owned()]),
        ("the same name twice", |home| vec!["BASH_ENV=".to_owned(), format!("BASH_ENV={home}/evil.sh")]),
        ("more variables than there are", |home| {
            let mut entries: Vec<String> = (0..5000).map(|number| format!("V{number}=1")).collect();
            entries.push(format!("BASH_ENV={home}/evil.sh"));
            entries
        }),
        ("another directory", |home| vec![format!("PWD={home}/outside"), format!("CDPATH={home}/outside")]),
    ];
    for (name, entries) in cases {
        stage.attempt(format!("a terminal that brings {name}"), |stage| {
            let home = path(stage, "");
            stage.home.write("project/bin/bash", format!("#!/bin/sh\n{evil}exec /bin/bash \"$@\"\n"));
            let shown = stage.proposes("echo hi");
            stage.mark();
            let mut answer = shown.answer("a test");
            let home = home.trim_end_matches('/');
            let mut entries = entries(home);
            // The attack needs these variables; without them it would fail for another reason.
            for own in [format!("HOME={home}"), "PATH=/usr/bin:/bin".to_owned()] {
                let name = own.split_inclusive('=').next().unwrap_or_default();
                if !entries.iter().any(|entry| entry.starts_with(name)) {
                    entries.push(own);
                }
            }
            answer["environment"] = json!(entries);
            let answer = stage.ada.says("approve", answer);
            stage.settles();
            if answer["type"] == "task" {
                stage.granted();
            }
        });
    }
}

/// The proposal shows exactly what is there: nothing hidden, nothing that looks like something else.
fn disguised(stage: &mut Fixture) {
    stage.attempt("a command with a NUL", |stage| {
        let (_, answer) = stage.edits_to("echo hi\0; touch canary");
        assert_eq!(answer["error"]["code"], "refused", "{answer}");
    });
    for (name, command) in [
        ("a return that hides the beginning", "touch canary #\recho harmless"),
        ("a bidirectional override", "echo \u{202e}yranac hcuot\u{202c}; touch canary"),
        ("an isolate", "echo \u{2066}x\u{2069}; touch canary"),
        ("an escape that clears the line", "touch canary #\u{1b}[2K\u{1b}[1Gecho harmless"),
        ("a backspace for each letter", "touch canary\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}ls"),
        ("letters without width", "to\u{200b}uch canary"),
        ("a homoglyph", "есho harmless"),
        ("a newline", "echo harmless\ntouch canary"),
        ("many newlines", "echo harmless\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\ntouch canary"),
        ("many blanks", &format!("echo harmless{}; touch canary", " ".repeat(3000))),
        ("a no-break space", "echo\u{a0}harmless; touch canary"),
        ("a tag", "echo \u{e0061}\u{e0062}; touch canary"),
        ("a line separator", "echo harmless\u{2028}touch canary"),
        ("a vertical tab", "echo harmless\u{b}; touch canary"),
        ("a soft hyphen", "ec\u{ad}ho harmless; touch canary"),
        ("a C1 control", "echo \u{9b}2K; touch canary"),
    ] {
        stage.attempt(format!("a command with {name}"), |stage| {
            let (task, answer) = stage.edits_to(command);
            if answer["type"] == "task" {
                let shown = stage.ada.sees(&task);
                let rows = shown.row("command").join("\n");
                // All of it is readable, and a terminal obeys none of it.
                assert_eq!(shown.text, command);
                let hidden = |letter: char| {
                    letter.is_control() && letter != '\n'
                        || "\u{202e}\u{202c}\u{2066}\u{2069}\u{200b}\u{e0061}\u{2028}\u{ad}\u{a0}".contains(letter)
                };
                assert_eq!(rows.chars().filter(|letter| hidden(*letter)).collect::<String>(), "", "{rows}");
                assert!(
                    rows.contains("canary") || !command.contains("canary") || command.contains('\u{202e}'),
                    "{rows}"
                );
                assert_eq!(rows.lines().count(), command.split('\n').count(), "{rows}");
            }
        });
    }
    stage.attempt("a command that is longer than anybody reads", |stage| {
        let (_, answer) = stage.edits_to(&format!("echo {}; touch canary", "x".repeat(9000)));
        assert_eq!(answer["error"]["code"], "refused", "{answer}");
    });
    stage.attempt("a command of blanks", |stage| {
        let (_, answer) = stage.edits_to(" \t\n ");
        assert_eq!(answer["error"]["code"], "refused", "{answer}");
    });
    stage.attempt("what is to write in the workspace alone writes outside", |stage| {
        let shown = stage.proposes("true");
        let mut edit = shown.answer("a test");
        edit["text"] = json!(
            "echo canary > ../outside/canary; ln -s ../outside out; echo canary > out/canary2; cp /bin/true ~/canary3"
        );
        edit["confine"] = json!("workspace");
        let edited: Value = stage.ada.says("edit", edit);
        assert_eq!(edited["offer"]["confine"], "workspace", "{edited}");
        stage.forgive("project/out");
        stage.ada.approves(&stage_shown(&edited));
        stage.settles();
        stage.granted();
    });
}

fn stage_shown(answer: &Value) -> ShownProposal {
    ShownProposal::of(&answer["offer"]).unwrap_or_else(|| panic!("nothing is shown: {answer}"))
}
