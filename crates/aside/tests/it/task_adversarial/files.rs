//! Symbolic links, hard links and files that are swapped: before a diff is read, after it was shown, while it is written, before it
//! is undone.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use super::fixture::{Attempt, Fixture, HARMLESS, adds, changes};

/// Rounds of each race.
const ROUNDS: usize = 12;

pub fn all() -> (Vec<Attempt>, usize) {
    let mut stage = Fixture::open("files");
    stage.twin("a diff that is approved after a look", |stage| {
        let task = stage.model_changes(HARMLESS);
        assert_eq!(stage.approves_blindly(&task), "COMPLETED");
    });
    before_the_check(&mut stage);
    after_the_look(&mut stage);
    while_it_is_written(&mut stage);
    undone(&mut stage);
    stage.done()
}

fn before_the_check(stage: &mut Fixture) {
    let cases: [(&str, &str, &str, String); 9] = [
        ("a directory that is a link out", "link", "../outside", adds("link/new.txt")),
        ("a file that is a link out", "l.txt", "../outside/secret.txt", changes("l.txt", "TOKEN=before")),
        ("a link to nothing yet, outside", "l.txt", "../outside/new.txt", adds("l.txt")),
        ("a link to git's files", "g", ".git", adds("g/hooks/pre-commit")),
        ("a link to a denied file", "l.txt", ".env", changes("l.txt", "TOKEN=before")),
        ("a link to the place of keys", "k", "config", changes("k/id_rsa", "TOKEN=before")),
        ("a link to itself", "loop", "loop", adds("loop/new.txt")),
        ("a link to the root", "all", "/", adds("all/tmp/aside-escaped.txt")),
        ("a link behind a directory", "src/up", "../../outside", adds("src/up/new.txt")),
    ];
    for (name, link, target, diff) in cases {
        stage.attempt(name, |stage| {
            symlink(target, stage.home.path("project").join(link)).unwrap();
            stage.mark();
            let task = stage.model_changes(&diff);
            stage.approves_blindly(&task);
        });
    }
    stage.attempt("a hard link to a file outside", |stage| {
        fs::hard_link(stage.home.path("outside/secret.txt"), stage.home.path("project/hard.txt")).unwrap();
        stage.mark();
        // The name in the workspace may change; the outside file that shares its inode must not.
        stage.forgive("project/hard.txt");
        let task = stage.model_changes(&changes("hard.txt", "TOKEN=before"));
        if stage.approves_blindly(&task) == "COMPLETED" {
            stage.granted();
        }
    });
    stage.attempt("a pipe in the place of a file", |stage| {
        let pipe = stage.home.path("project/pipe.txt");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
        // Collecting the context must not open it.
        let task = stage.model_changes(&changes("pipe.txt", "x"));
        stage.approves_blindly(&task);
        fs::remove_file(&pipe).unwrap();
    });
    stage.attempt("a diff for a file that can only be read", |stage| {
        let file = stage.home.path("project/b.txt");
        fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o444)).unwrap();
        stage.mark();
        let task = stage.model_changes("--- a/b.txt\n+++ b/b.txt\n@@ -1,2 +1,2 @@\n-un\n+canary\n deux\n");
        stage.approves_blindly(&task);
    });
}

/// The shown state is no longer there when it is approved.
fn after_the_look(stage: &mut Fixture) {
    type Swap = fn(&Path);
    let in_src = || adds("src/new.txt");
    let cases: [(&str, String, Swap); 13] = [
        ("a directory becomes a link out", in_src(), |project| {
            fs::remove_dir_all(project.join("src")).unwrap();
            symlink("../outside", project.join("src")).unwrap();
        }),
        ("a directory becomes a link to git's files", in_src(), |project| {
            fs::remove_dir_all(project.join("src")).unwrap();
            symlink(".git", project.join("src")).unwrap();
        }),
        ("a directory becomes a link to itself elsewhere", in_src(), |project| {
            fs::rename(project.join("src"), project.join("../outside/src")).unwrap();
            symlink("../outside/src", project.join("src")).unwrap();
        }),
        ("a file becomes a link to the same bytes", HARMLESS.to_owned(), |project| {
            fs::rename(project.join("a.txt"), project.join("../outside/a.txt")).unwrap();
            symlink("../outside/a.txt", project.join("a.txt")).unwrap();
        }),
        ("a file becomes a directory", HARMLESS.to_owned(), |project| {
            fs::remove_file(project.join("a.txt")).unwrap();
            fs::create_dir(project.join("a.txt")).unwrap();
        }),
        ("somebody saves the file", HARMLESS.to_owned(), |project| {
            fs::write(project.join("a.txt"), "one\ntwo\nthree\nfour\n").unwrap();
        }),
        ("somebody saves other bytes of the same length", HARMLESS.to_owned(), |project| {
            fs::write(project.join("a.txt"), "one\ntwo\nTHREE\n").unwrap();
        }),
        ("somebody lets the file be run", HARMLESS.to_owned(), |project| {
            fs::set_permissions(project.join("a.txt"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }),
        ("somebody removes the file", HARMLESS.to_owned(), |project| fs::remove_file(project.join("a.txt")).unwrap()),
        ("somebody makes the new file first", in_src(), |project| {
            fs::write(project.join("src/new.txt"), "mine\n").unwrap();
        }),
        ("a link is put where the new file goes", in_src(), |project| {
            symlink("../../outside/new.txt", project.join("src/new.txt")).unwrap();
        }),
        ("the workspace becomes a link to another place", HARMLESS.to_owned(), |project| {
            fs::rename(project, project.with_file_name("moved")).unwrap();
            fs::copy(project.with_file_name("moved").join("a.txt"), project.with_file_name("outside").join("a.txt"))
                .unwrap();
            fs::create_dir(project.with_file_name("outside").join(".git")).unwrap();
            symlink("outside", project).unwrap();
        }),
        ("the workspace ends further up", HARMLESS.to_owned(), |project| {
            fs::rename(project.join(".git"), project.join("../.git")).unwrap();
        }),
    ];
    for (name, diff, swap) in cases {
        stage.attempt(name, |stage| {
            let task = stage.model_changes(&diff);
            let shown = stage.ada.sees(&task);
            let project = fs::canonicalize(stage.home.path("project")).unwrap();
            swap(&project);
            stage.mark();
            let answer = stage.ada.approves(&shown);
            let state = stage.outcome(&task);
            assert_ne!(state, "COMPLETED", "{name}: {answer}");
            if answer["type"] == "task" {
                // It was started, and failed.
                stage.granted();
            }
            let _ = fs::remove_dir_all(project.join("../.git"));
            stage.forgive(".git");
        });
    }
}

/// A thread keeps swapping a directory for a symbolic link and back.
fn while_it_is_written(stage: &mut Fixture) {
    type Swap = fn(&Path, &str);
    let cases: [(&str, &str, Swap); 3] = [
        ("a directory is swapped while a file is made in it", "src/new", swapped),
        ("a directory is swapped and has the file in both places", "src/x", swapped),
        ("the workspace is swapped while a file is made", "new", swapped),
    ];
    for (name, file, swap) in cases {
        stage.attempt(name, |stage| {
            let project = fs::canonicalize(stage.home.path("project")).unwrap();
            let what = if file.contains('/') { project.join("src") } else { project.clone() };
            stage.forgive("project");
            stage.forgive("moved");
            for round in 0..ROUNDS {
                let task = stage.model_changes(&adds(&format!("{file}{round}.txt")));
                let Some(shown) = super::fixture::waiting(stage, &task) else { continue };
                let (stop, begun) = (AtomicBool::new(false), AtomicBool::new(false));
                std::thread::scope(|scope| {
                    scope.spawn(|| {
                        while !stop.load(Ordering::Relaxed) {
                            swap(&what, "outside");
                            begun.store(true, Ordering::Relaxed);
                        }
                    });
                    while !begun.load(Ordering::Relaxed) {
                        std::thread::yield_now();
                    }
                    let answer = stage.ada.approves(&shown);
                    if answer["type"] == "task" {
                        stage.granted();
                    }
                    stage.settles();
                    stop.store(true, Ordering::Relaxed);
                });
            }
        });
    }
}

/// Moves it away, puts a link in its place, and moves it back.
fn swapped(what: &Path, target: &str) {
    let away = what.with_file_name("moved");
    let target =
        what.ancestors().find_map(|dir| dir.parent().map(|up| up.join(target)).filter(|path| path.is_dir())).unwrap();
    fs::rename(what, &away).unwrap();
    // In the gap without either, the change may create a directory of that name: it is the workspace's own, and is removed.
    if symlink(&target, what).is_ok() {
        std::thread::yield_now();
        fs::remove_file(what).unwrap();
    }
    while fs::rename(&away, what).is_err() {
        let _ = fs::remove_dir_all(what);
    }
}

/// Undo restores what was written, but neither over later work nor elsewhere.
fn undone(stage: &mut Fixture) {
    stage.twin("what was written is taken back", |stage| {
        let task = stage.model_changes(HARMLESS);
        stage.approves_blindly(&task);
        stage.mark();
        let undone = stage.ada.says("undo", json!({ "taskId": task }));
        assert_eq!(undone["type"], "task", "{undone}");
        assert_eq!(stage.home.read("project/a.txt"), "one\ntwo\nthree\n");
    });
    type Swap = fn(&Path);
    let cases: [(&str, Swap); 4] = [
        ("an undo over what somebody has saved since", |project| {
            fs::write(project.join("a.txt"), "mine\n").unwrap();
        }),
        ("an undo through a link to the same bytes", |project| {
            fs::rename(project.join("a.txt"), project.join("../outside/a.txt")).unwrap();
            symlink("../outside/a.txt", project.join("a.txt")).unwrap();
        }),
        ("an undo of a file that is gone", |project| fs::remove_file(project.join("a.txt")).unwrap()),
        ("an undo in a workspace that is a link now", |project| {
            fs::rename(project, project.with_file_name("moved")).unwrap();
            fs::copy(project.with_file_name("moved").join("a.txt"), project.with_file_name("outside").join("a.txt"))
                .unwrap();
            symlink("outside", project).unwrap();
        }),
    ];
    for (name, swap) in cases {
        stage.attempt(name, |stage| {
            let task = stage.model_changes(HARMLESS);
            assert_eq!(stage.approves_blindly(&task), "COMPLETED");
            swap(&fs::canonicalize(stage.home.path("project")).unwrap());
            stage.mark();
            let answer = stage.ada.says("undo", json!({ "taskId": task }));
            assert_eq!(answer["error"]["code"], "refused", "{name}: {answer}");
        });
    }
    stage.attempt("an undo that puts back what nobody has seen", |stage| {
        let task = stage.model_changes(HARMLESS);
        assert_eq!(stage.approves_blindly(&task), "COMPLETED");
        let records = fs::read_dir(stage.home.path(".local/state/aside/applies")).unwrap().flatten();
        let newest = records.map(|entry| entry.path()).filter(|path| path.is_dir()).max().unwrap();
        fs::write(newest.join("0.old"), "one\ncanary\nthree\n").unwrap();
        stage.mark();
        let answer = stage.ada.says("undo", json!({ "taskId": task }));
        assert_eq!(answer["error"]["code"], "refused", "{answer}");
    });
    stage.attempt("an undo from afar", |stage| {
        let task = stage.model_changes(HARMLESS);
        assert_eq!(stage.approves_blindly(&task), "COMPLETED");
        stage.mark();
        let answer = stage.ada.says("undo", json!({ "taskId": task, "source": "wecom" }));
        assert_eq!(answer["error"]["code"], "refused", "{answer}");
    });
    stage.attempt("an undo that is said twice", |stage| {
        let task = stage.model_changes(HARMLESS);
        assert_eq!(stage.approves_blindly(&task), "COMPLETED");
        assert_eq!(stage.ada.says("undo", json!({ "taskId": task }))["type"], "task");
        stage.mark();
        let answer = stage.ada.says("undo", json!({ "taskId": task }));
        assert_eq!(answer["error"]["code"], "refused", "{answer}");
    });
}
