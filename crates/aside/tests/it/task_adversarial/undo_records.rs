//! Records of changes that are tampered with before `aside task undo`: another place, other bytes, other names, a record that was used up, or
//! none at all. Nothing is undone that the task's log does not tell, and the answer says so.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::fixture::{Attempt, Fixture, HARMLESS};

const BEFORE: &str = "one\ntwo\nthree\n";
const AFTER: &str = "one\nzwei\nthree\n";
/// The same bytes as those that the change wrote, where nothing may be undone.
const TWINS: [&str; 4] = ["outside/a.txt", "project/twin.txt", "project/.git/a.txt", "project/sub/a.txt"];

pub fn all() -> (Vec<Attempt>, usize) {
    let mut stage = Fixture::open("undo_records");
    stage.twin("a record that nobody touched", |stage| {
        let (task, _) = applied(stage);
        assert_eq!(stage.ada.says("undo", json!({ "taskId": task }))["type"], "task");
    });
    words(&mut stage);
    files(&mut stage);
    replays(&mut stage);
    stage.done()
}

/// A change that was written, and where its record is.
#[track_caller]
fn applied(stage: &mut Fixture) -> (String, PathBuf) {
    let applies = stage.home.path(".local/state/aside/applies");
    for record in records(&applies) {
        fs::remove_dir_all(&record).or_else(|_| fs::remove_file(&record)).unwrap();
    }
    for name in TWINS {
        stage.home.write(name, AFTER);
    }
    fs::create_dir_all(stage.home.path("project/.git/refs/empty")).unwrap();
    fs::create_dir_all(stage.home.path("outside/empty")).unwrap();
    let task = stage.model_changes(HARMLESS);
    assert_eq!(stage.approves_blindly(&task), "COMPLETED");
    let record = records(&applies).pop().unwrap();
    stage.mark();
    (task, record)
}

fn records(applies: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(applies).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut records: Vec<PathBuf> = entries.filter(|path| !path.ends_with("lock")).collect();
    records.sort();
    records
}

#[track_caller]
fn is_refused(stage: &mut Fixture, task: &str) {
    let answer = stage.ada.says("undo", json!({ "taskId": task }));
    assert_eq!(answer["error"]["code"], "refused", "{answer}");
    assert!(!answer["error"]["message"].as_str().unwrap_or_default().is_empty(), "{answer}");
}

/// Other words in the record.
fn words(stage: &mut Fixture) {
    type Tamper = fn(&mut Value, &Path);
    let cases: &[(&str, Tamper)] = &[
        ("another workspace", |record, home| record["root"] = at(home, "outside")),
        ("a workspace above", |record, home| {
            record["root"] = at(home, "");
            record["steps"][0]["name"] = json!("outside/a.txt");
        }),
        ("a workspace below", |record, home| record["root"] = at(home, "project/sub")),
        ("a workspace through dots", |record, home| record["root"] = at(home, "project/../outside")),
        ("a workspace that is nowhere", |record, home| record["root"] = at(home, "nowhere")),
        ("a workspace without a name", |record, _| record["root"] = json!("")),
        ("another file", |record, _| record["steps"][0]["name"] = json!("twin.txt")),
        ("a file below", |record, _| record["steps"][0]["name"] = json!("sub/a.txt")),
        ("a file outside", |record, _| record["steps"][0]["name"] = json!("../outside/a.txt")),
        ("a file by its whole path", |record, home| record["steps"][0]["name"] = at(home, "outside/a.txt")),
        ("one of git's files", |record, _| record["steps"][0]["name"] = json!(".git/a.txt")),
        ("a name with a NUL", |record, _| record["steps"][0]["name"] = json!("a.txt\0")),
        ("no name", |record, _| record["steps"][0]["name"] = json!("")),
        ("a file that would be removed", |record, _| record["steps"][0]["before"] = Value::Null),
        ("another file besides", |record, _| {
            let mut step = record["steps"][0].clone();
            step["name"] = json!("twin.txt");
            step["before"] = Value::Null;
            record["steps"].as_array_mut().unwrap().push(step);
        }),
        ("the same file twice", |record, _| {
            let step = record["steps"][0].clone();
            record["steps"].as_array_mut().unwrap().push(step);
        }),
        ("no files", |record, _| record["steps"] = json!([])),
        ("a file that can be run", |record, _| record["steps"][0]["before"]["executable"] = json!(true)),
        ("a file that all may write", |record, _| record["steps"][0]["mode"] = json!(0o100_777)),
        ("a file with the rights of its owner", |record, _| record["steps"][0]["mode"] = json!(0o104_755)),
        ("a file of another user", |record, _| record["steps"][0]["owner"] = json!([65534, 65534])),
        ("a directory of git's", |record, _| record["dirs"] = json!([".git/refs/empty"])),
        ("a directory outside", |record, _| record["dirs"] = json!(["../outside/empty"])),
        ("a directory through dots", |record, _| record["dirs"] = json!(["sub/../../outside/empty"])),
        ("a directory by its whole path", |record, home| record["dirs"] = json!([at(home, "outside/empty")])),
        ("another number", |record, _| record["id"] = json!(7)),
        ("the number of nothing", |record, _| record["id"] = json!(u64::MAX)),
        ("an undo of another", |record, _| record["undoes"] = json!(7)),
        ("the label of another task", |record, _| record["label"] = json!("tanother.1")),
        ("words of another kind", |record, _| record["steps"] = json!("all")),
        ("nothing", |record, _| *record = Value::Null),
    ];
    for (name, tamper) in cases {
        stage.attempt(format!("a record with {name}"), |stage| {
            let (task, record) = applied(stage);
            let file = record.join("record.json");
            let mut words = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
            tamper(&mut words, &stage.home.path(""));
            fs::write(&file, words.to_string()).unwrap();
            is_refused(stage, &task);
        });
    }
}

fn at(home: &Path, place: &str) -> Value {
    json!(fs::canonicalize(home).unwrap().join(place))
}

/// Other files in the record.
fn files(stage: &mut Fixture) {
    type Tamper = fn(&Path, &Path);
    let cases: &[(&str, Tamper)] = &[
        ("other bytes, and a digest that fits them", |record, _| {
            fs::write(record.join("0.old"), "evil\n").unwrap();
            let file = record.join("record.json");
            let mut words: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
            // SHA-256 of what is there now.
            let digest = "886b67480dbe73b406ad83a1dd6d9596f93089d90c220ccfc91944c95f1c68c4";
            words["steps"][0]["before"]["digest"] = json!(digest);
            fs::write(file, words.to_string()).unwrap();
        }),
        ("bytes that are cut off", |record, _| fs::write(record.join("0.old"), "one\n").unwrap()),
        ("no bytes", |record, _| fs::remove_file(record.join("0.old")).unwrap()),
        ("bytes without end", |record, _| sparse(&record.join("0.old"))),
        ("bytes of a device", |record, _| link("/dev/zero", &record.join("0.old"))),
        ("bytes of a secret", |record, home| link(home.join("outside/secret.txt"), &record.join("0.old"))),
        ("words that are cut off", |record, _| {
            let words = fs::read(record.join("record.json")).unwrap();
            fs::write(record.join("record.json"), &words[..words.len() / 2]).unwrap();
        }),
        ("words without end", |record, _| sparse(&record.join("record.json"))),
        ("words within words", |record, _| fs::write(record.join("record.json"), "[".repeat(200_000)).unwrap()),
        ("no words", |record, _| fs::remove_file(record.join("record.json")).unwrap()),
        ("words of a device", |record, _| link("/dev/zero", &record.join("record.json"))),
        ("words of a pipe", |record, _| {
            let file = record.join("record.json");
            fs::remove_file(&file).unwrap();
            rustix::fs::mkfifoat(rustix::fs::CWD, &file, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
        }),
        ("a link in its place", |record, home| {
            fs::rename(record, home.join(".local/state/elsewhere")).unwrap();
            symlink(home.join(".local/state/elsewhere"), record).unwrap();
        }),
        ("a file in its place", |record, _| {
            fs::remove_dir_all(record).unwrap();
            fs::write(record, "{}").unwrap();
        }),
        ("a number that ends all numbers beside it", |record, _| {
            copy(record, &record.with_file_name(format!("{}.kept", u64::MAX)));
            fs::remove_dir_all(record).unwrap();
        }),
    ];
    for (name, tamper) in cases {
        stage.attempt(format!("a record with {name}"), |stage| {
            let elsewhere = stage.home.path(".local/state/elsewhere");
            let _ = fs::remove_dir_all(elsewhere);
            let (task, record) = applied(stage);
            tamper(&record, &stage.home.path(""));
            is_refused(stage, &task);
        });
    }
}

/// A gigabyte that takes no place.
fn sparse(file: &Path) {
    fs::OpenOptions::new().write(true).open(file).unwrap().set_len(1 << 30).unwrap();
}

fn link(to: impl AsRef<Path>, file: &Path) {
    fs::remove_file(file).unwrap();
    symlink(to, file).unwrap();
}

fn copy(record: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(record).unwrap().flatten() {
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// Records that were true once, or are true elsewhere.
fn replays(stage: &mut Fixture) {
    stage.attempt("a record that was used up", |stage| {
        let (task, record) = applied(stage);
        let kept = record.with_extension("saved");
        copy(&record, &kept);
        assert_eq!(stage.ada.says("undo", json!({ "taskId": task }))["type"], "task");
        assert_eq!(stage.home.read("project/a.txt"), BEFORE);
        fs::remove_dir_all(record.with_extension("undone")).unwrap();
        fs::rename(kept, &record).unwrap();
        stage.home.write("project/a.txt", AFTER);
        stage.mark();
        is_refused(stage, &task);
    });
    stage.attempt("the record of another task", |stage| {
        let (task, record) = applied(stage);
        let next = stage.model_changes("--- a/b.txt\n+++ b/b.txt\n@@ -1,2 +1,2 @@\n-un\n+canary\n deux\n");
        assert_eq!(stage.approves_blindly(&next), "COMPLETED");
        let other = records(record.parent().unwrap()).pop().unwrap();
        fs::remove_dir_all(&record).unwrap();
        copy(&other, &record);
        stage.mark();
        is_refused(stage, &task);
    });
    stage.attempt("the record of another task under its number", |stage| {
        let (task, record) = applied(stage);
        let next = stage.model_changes("--- a/b.txt\n+++ b/b.txt\n@@ -1,2 +1,2 @@\n-un\n+canary\n deux\n");
        assert_eq!(stage.approves_blindly(&next), "COMPLETED");
        let other = records(record.parent().unwrap()).pop().unwrap();
        let number = |path: &Path| path.file_stem().unwrap().to_string_lossy().trim_start_matches('0').to_owned();
        let words = fs::read_to_string(other.join("record.json")).unwrap();
        fs::remove_dir_all(&record).unwrap();
        copy(&other, &record);
        fs::write(record.join("record.json"), words.replace(&number(&other), &number(&record))).unwrap();
        stage.mark();
        is_refused(stage, &task);
    });
    stage.attempt("a record after a restart", |stage| {
        let (task, record) = applied(stage);
        let file = record.join("record.json");
        stage.restarts(|_| {
            let words = fs::read_to_string(&file).unwrap();
            fs::write(&file, words.replace("a.txt", "twin.txt")).unwrap();
        });
        stage.mark();
        is_refused(stage, &task);
    });
}
