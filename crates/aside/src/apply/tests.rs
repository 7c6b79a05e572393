//! Tests changes against a real disk: interrupted at every failpoint, raced, and attacked with paths that lead out of the workspace.

#![expect(clippy::disallowed_methods, reason = "children that die in the middle of a change")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::apply::failpoint::plan::{self, Fate};

/// How many changes crash at random failpoints; `ASIDE_APPLY_ROUNDS` asks for more.
const ROUNDS: usize = 200;

struct Scene {
    temp: tempfile::TempDir,
}

/// Names and their content: the bytes and permissions of a file, the target of a link, `/` for a directory.
type Tree = BTreeMap<String, (Vec<u8>, u32)>;

impl Scene {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        for dir in ["work/src", "outside"] {
            fs::create_dir_all(temp.path().join(dir)).unwrap();
        }
        let scene = Self { temp };
        scene.put("work/src/a.rs", "one\ntwo\nthree\n");
        scene.put("work/b.txt", "x\r\ny\r\n");
        scene.put("work/gone", "bye\n");
        scene.put("work/old", "name\n");
        scene.put("work/run.sh", "#!/bin/sh\n");
        scene.put("outside/secret", "secret\n");
        scene.put("outside/a.rs", "one\ntwo\nthree\n");
        fs::write(scene.path("work/latin"), b"caf\xe9\nb\n").unwrap();
        fs::set_permissions(scene.path("work/run.sh"), fs::Permissions::from_mode(0o750)).unwrap();
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    fn put(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn undo_log(&self) -> UndoLog {
        UndoLog::new(self.path("state"))
    }

    fn propose(&self, diff: &str) -> anyhow::Result<Proposal> {
        Proposal::new(&self.path("work"), diff.as_bytes())
    }

    /// Proposes, approves and writes a diff.
    fn apply(&self, diff: &str) -> anyhow::Result<Id> {
        let proposal = self.propose(diff)?;
        Ok(apply(&self.undo_log(), &proposal, proposal.digest(), "")?.id)
    }

    /// Undoes a change as a log from before digests names it.
    fn undo(&self, id: Id) -> anyhow::Result<Id> {
        undo(&self.undo_log(), &id.into())?;
        Ok(self.undo_log().records()?.pop().unwrap().0.id)
    }

    fn tree(&self, name: &str) -> Tree {
        tree(&self.path(name))
    }

    fn stages(&self) -> Vec<Stage> {
        self.undo_log().records().unwrap().into_iter().map(|(_, stage)| stage).collect()
    }
}

fn tree(dir: &Path) -> Tree {
    let mut all = Tree::new();
    let mut left = vec![dir.to_owned()];
    while let Some(next) = left.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            let meta = fs::symlink_metadata(&path).unwrap();
            let bytes = if meta.is_symlink() {
                fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
            } else if meta.is_dir() {
                left.push(path.clone());
                b"/".to_vec()
            } else if meta.is_file() {
                fs::read(&path).unwrap_or_default()
            } else {
                Vec::new()
            };
            all.insert(path.strip_prefix(dir).unwrap().display().to_string(), (bytes, meta.mode()));
        }
    }
    all
}

/// A diff with a change of every kind.
const ALL: &str = "\
--- a/src/a.rs
+++ b/src/a.rs
@@ -1,3 +1,3 @@
 one
-two
+TWO
 three
--- a/b.txt
+++ b/b.txt
@@ -1,2 +1,3 @@
 x
+new
 y
--- /dev/null
+++ b/deep/er/new
@@ -0,0 +1 @@
+made
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/old b/src/renamed
rename from old
rename to src/renamed
--- a/old
+++ b/src/renamed
@@ -1 +1 @@
-name
+named
diff --git a/run.sh b/run.sh
old mode 100755
new mode 100644
diff --git a/latin b/latin
--- a/latin
+++ b/latin
@@ -2 +2 @@
-b
+B
";

#[test]
fn a_change_is_written_and_taken_back_and_written_again() {
    let scene = Scene::new();
    let before = scene.tree("work");
    let proposal = scene.propose(ALL).unwrap();
    let rows =
        ["M src/a.rs +1 -1", "M b.txt +1 -0", "A deep/er/new +1 -0", "D gone +0 -1", "R old → src/renamed +1 -1"];
    assert_eq!(proposal.changes().rows()[..5], rows);
    assert_eq!(scene.tree("work"), before);
    let id = apply(&scene.undo_log(), &proposal, proposal.digest(), "").unwrap().id;
    let after = scene.tree("work");
    let bytes = |name: &str| after.get(name).map(|(bytes, _)| String::from_utf8_lossy(bytes).into_owned());
    assert_eq!(bytes("src/a.rs").as_deref(), Some("one\nTWO\nthree\n"));
    assert_eq!(bytes("b.txt").as_deref(), Some("x\r\nnew\r\ny\r\n"));
    assert_eq!(bytes("deep/er/new").as_deref(), Some("made\n"));
    assert_eq!((bytes("gone"), bytes("old")), (None, None));
    assert_eq!(bytes("src/renamed").as_deref(), Some("named\n"));
    assert_eq!(after["run.sh"].1 & 0o777, 0o640);
    assert_eq!(after["latin"].0, b"caf\xe9\nB\n");
    assert_eq!(after.len(), before.len() + 2);
    let again = scene.undo(id).unwrap();
    assert_eq!(scene.tree("work"), before);
    assert_eq!(scene.stages(), [Stage::Undone, Stage::Kept]);
    assert!(scene.undo(id).unwrap_err().to_string().contains("undone already"));
    scene.undo(again).unwrap();
    assert_eq!(scene.tree("work"), after);
    assert_eq!(recover(&scene.undo_log()).unwrap(), []);
}

#[test]
fn what_was_changed_since_is_not_taken_back() {
    for (what, act) in [
        ("src/a.rs", (|scene: &Scene| scene.put("work/src/a.rs", "mine\n")) as fn(&Scene)),
        ("deep/er/new", |scene| scene.put("work/deep/er/new", "mine\n")),
        ("deep/er/new", |scene| fs::remove_file(scene.path("work/deep/er/new")).unwrap()),
        ("gone", |scene| scene.put("work/gone", "mine\n")),
        ("old", |scene| scene.put("work/old", "mine\n")),
        ("run.sh", |scene| fs::set_permissions(scene.path("work/run.sh"), fs::Permissions::from_mode(0o700)).unwrap()),
    ] {
        let scene = Scene::new();
        let id = scene.apply(ALL).unwrap();
        act(&scene);
        let before = scene.tree("work");
        let error = scene.undo(id).unwrap_err().to_string();
        assert_eq!(error, format!("{what} has changed since; it is left as it is"));
        assert_eq!(scene.tree("work"), before);
        assert_eq!(scene.stages(), [Stage::Kept]);
    }
}

#[test]
fn what_was_kept_and_is_another_text_by_now_is_not_put_back() {
    let scene = Scene::new();
    let id = scene.apply(ALL).unwrap();
    let after = scene.tree("work");
    let kept = fs::read_dir(scene.path("state")).unwrap().flatten().find(|entry| entry.path().is_dir()).unwrap().path();
    let old = fs::read_dir(&kept).unwrap().flatten().map(|entry| entry.path());
    for old in old.filter(|path| path.extension().is_some_and(|ending| ending == "old")) {
        let bytes = fs::read(&old).unwrap();
        fs::write(&old, b"#!/bin/sh\nevil\n").unwrap();
        let error = format!("{:#}", scene.undo(id).unwrap_err());
        assert!(error.contains("damaged"), "{error}");
        assert_eq!(scene.tree("work"), after);
        fs::write(&old, bytes).unwrap();
    }
    scene.undo(id).unwrap();
}

#[test]
fn a_directory_that_somebody_uses_by_now_stays() {
    let scene = Scene::new();
    let id = scene.apply(ALL).unwrap();
    scene.put("work/deep/mine", "mine\n");
    scene.undo(id).unwrap();
    assert!(scene.path("work/deep/mine").exists() && !scene.path("work/deep/er").exists());
}

#[test]
fn a_file_with_two_names_is_changed_under_one() {
    let scene = Scene::new();
    fs::hard_link(scene.path("outside/a.rs"), scene.path("work/linked")).unwrap();
    scene.apply("--- a/linked\n+++ b/linked\n@@ -1 +1 @@\n-one\n+evil\n").unwrap();
    assert_eq!(fs::read_to_string(scene.path("outside/a.rs")).unwrap(), "one\ntwo\nthree\n");
    assert_eq!(fs::read_to_string(scene.path("work/linked")).unwrap(), "evil\ntwo\nthree\n");
}

#[test]
fn only_the_newest_changes_are_kept() {
    let scene = Scene::new();
    for round in 0..104 {
        let (old, new) = if round % 2 == 0 { ("bye", "hi") } else { ("hi", "bye") };
        scene.apply(&format!("--- a/gone\n+++ b/gone\n@@ -1 +1 @@\n-{old}\n+{new}\n")).unwrap();
    }
    assert_eq!(scene.stages(), [Stage::Kept; 100]);
}

const CHANGE: &str = "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-one\n+evil\n";
const CREATE: &str = "--- /dev/null\n+++ b/src/new\n@@ -0,0 +1 @@\n+evil\n";
const DELETE: &str = "--- a/src/a.rs\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-one\n-two\n-three\n";

/// Attacks, made before the diff is proposed or between proposal and approval. Each must end in a refusal, with the workspace as the attack
/// left it and nothing outside touched.
#[test]
fn nobody_gets_out_of_the_workspace_or_writes_what_was_not_approved() {
    type Act = fn(&Scene);
    let swap_dir: Act = |scene| {
        fs::rename(scene.path("work/src"), scene.path("src")).unwrap();
        symlink(scene.path("outside"), scene.path("work/src")).unwrap();
    };
    let swap_dir_within: Act = |scene| {
        fs::rename(scene.path("work/src"), scene.path("work/real")).unwrap();
        symlink("real", scene.path("work/src")).unwrap();
    };
    let swap_file: Act = |scene| {
        fs::remove_file(scene.path("work/src/a.rs")).unwrap();
        symlink(scene.path("outside/a.rs"), scene.path("work/src/a.rs")).unwrap();
    };
    let dangling: Act = |scene| symlink(scene.path("outside/new"), scene.path("work/src/new")).unwrap();
    let directory: Act = |scene| fs::create_dir(scene.path("work/src/new")).unwrap();
    let pipe: Act = |scene| {
        rustix::fs::mknodat(
            rustix::fs::CWD,
            scene.path("work/src/new"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
    };
    let socket: Act = |scene| drop(std::os::unix::net::UnixListener::bind(scene.path("work/src/new")).unwrap());
    let no_dir: Act = |scene| {
        fs::remove_dir_all(scene.path("work/src")).unwrap();
        scene.put("work/src", "a file\n");
    };
    let no_root: Act = |scene| {
        fs::rename(scene.path("work"), scene.path("moved")).unwrap();
        symlink(scene.path("outside"), scene.path("work")).unwrap();
    };
    let other_root: Act = |scene| {
        fs::rename(scene.path("work"), scene.path("moved")).unwrap();
        fs::create_dir_all(scene.path("work/src")).unwrap();
        scene.put("work/src/a.rs", "one\ntwo\nthree\n");
    };
    let edited: Act = |scene| scene.put("work/src/a.rs", "one\ntwo\nthree\nfour\n");
    let gone: Act = |scene| fs::remove_file(scene.path("work/src/a.rs")).unwrap();
    let executable: Act =
        |scene| fs::set_permissions(scene.path("work/src/a.rs"), fs::Permissions::from_mode(0o755)).unwrap();
    let read_only: Act =
        |scene| fs::set_permissions(scene.path("work/src/a.rs"), fs::Permissions::from_mode(0o444)).unwrap();
    let made: Act = |scene| scene.put("work/src/new", "mine\n");
    let made_same: Act = |scene| scene.put("work/src/new", "evil\n");
    let binary: Act = |scene| scene.put("work/src/a.rs", "one\n\0\n");
    let large: Act = |scene| scene.put("work/src/a.rs", &"one\n".repeat(600_000));
    let many: Act = |scene| scene.put("work/src/a.rs", &"one\n".repeat(100_001));
    let target: Act = |scene| scene.put("work/src/renamed", "mine\n");
    let rename = "diff --git a/old b/src/renamed\nrename from old\nrename to src/renamed\n";
    let below = "--- /dev/null\n+++ b/src/a.rs/x\n@@ -0,0 +1 @@\n+evil\n";
    let nothing: Act = |_| {};
    let attempts: &[(&str, &str, Act, Act)] = &[
        ("a directory that is a link outside", CHANGE, swap_dir, nothing),
        ("a new file below a link outside", CREATE, swap_dir, nothing),
        ("a delete below a link outside", DELETE, swap_dir, nothing),
        ("a directory that is a link within", CHANGE, swap_dir_within, nothing),
        ("a file that is a link outside", CHANGE, swap_file, nothing),
        ("a delete of a link", DELETE, swap_file, nothing),
        ("a new file through a dangling link", CREATE, dangling, nothing),
        ("a new file where a directory is", CREATE, directory, nothing),
        ("a new file where a pipe is", CREATE, pipe, nothing),
        ("a new file where a socket is", CREATE, socket, nothing),
        ("a new file below a file", below, nothing, nothing),
        ("a directory that became a file", CHANGE, no_dir, nothing),
        ("a file that is read-only", CHANGE, read_only, nothing),
        ("a file that is binary", CHANGE, binary, nothing),
        ("a file that is too large", CHANGE, large, nothing),
        ("a file with too many lines", CHANGE, many, nothing),
        ("a rename below a link outside", rename, swap_dir, nothing),
        ("a rename onto a file", rename, target, nothing),
        ("a directory swapped for a link after the look", CHANGE, nothing, swap_dir),
        ("the same, for a new file", CREATE, nothing, swap_dir),
        ("the same, for a delete", DELETE, nothing, swap_dir),
        ("the same, for a rename", rename, nothing, swap_dir),
        ("a directory swapped for a link within", CHANGE, nothing, swap_dir_within),
        ("a file swapped for a link after the look", CHANGE, nothing, swap_file),
        ("a file swapped for a link before its delete", DELETE, nothing, swap_file),
        ("a dangling link put where a file will be", CREATE, nothing, dangling),
        ("a directory put where a file will be", CREATE, nothing, directory),
        ("a pipe put where a file will be", CREATE, nothing, pipe),
        ("a file put where a directory was", CHANGE, nothing, no_dir),
        ("a file put where a new one will be", CREATE, nothing, made),
        ("the same file put where a new one will be", CREATE, nothing, made_same),
        ("the workspace swapped for a link", CHANGE, nothing, no_root),
        ("the workspace swapped for another", CHANGE, nothing, other_root),
        ("a file edited after the look", CHANGE, nothing, edited),
        ("a file edited before its delete", DELETE, nothing, edited),
        ("a file deleted after the look", CHANGE, nothing, gone),
        ("a file deleted before its delete", DELETE, nothing, gone),
        ("a file made executable after the look", CHANGE, nothing, executable),
        ("a file made read-only after the look", CHANGE, nothing, read_only),
        ("a file put where a rename goes", rename, nothing, target),
    ];
    assert!(attempts.len() >= 40);
    for (what, diff, before, between) in attempts {
        let scene = Scene::new();
        before(&scene);
        let tried = scene.propose(diff).and_then(|proposal| {
            between(&scene);
            let trees = (scene.tree("work"), scene.tree("outside"));
            let tried = apply(&scene.undo_log(), &proposal, proposal.digest(), "");
            assert_eq!((scene.tree("work"), scene.tree("outside")), trees, "{what}");
            tried
        });
        assert!(tried.is_err(), "{what}");
        assert_eq!(scene.stages(), [], "{what}");
        assert_eq!(fs::read_to_string(scene.path("outside/a.rs")).unwrap(), "one\ntwo\nthree\n", "{what}");
        assert_eq!(scene.tree("outside").len(), 2, "{what}");
    }
    for diff in [CHANGE, CREATE, DELETE, rename] {
        assert!(Scene::new().apply(diff).is_ok(), "{diff}");
    }
}

#[test]
fn another_digest_approves_nothing() {
    let scene = Scene::new();
    let proposal = scene.propose(CHANGE).unwrap();
    let edited = scene.propose(&CHANGE.replace("evil", "other")).unwrap();
    let elsewhere = Scene::new();
    let same_diff_elsewhere = elsewhere.propose(CHANGE).unwrap();
    let with_another_file = scene.propose(&format!("{CHANGE}{CREATE}")).unwrap();
    let before = scene.tree("work");
    for other in [&edited, &same_diff_elsewhere, &with_another_file] {
        assert!(apply(&scene.undo_log(), &proposal, other.digest(), "").is_err());
        assert!(apply(&scene.undo_log(), other, proposal.digest(), "").is_err());
    }
    assert_eq!(scene.tree("work"), before);
    // A proposal works only once: its file differs afterwards.
    apply(&scene.undo_log(), &proposal, proposal.digest(), "").unwrap();
    assert!(apply(&scene.undo_log(), &proposal, proposal.digest(), "").is_err());
}

#[test]
fn of_many_approvals_at_once_one_counts() {
    let scene = Scene::new();
    let proposals: Vec<Proposal> = (0..8).map(|_| scene.propose(ALL).unwrap()).collect();
    let written = std::thread::scope(|scope| {
        let threads: Vec<_> = proposals
            .iter()
            .map(|proposal| scope.spawn(|| apply(&scene.undo_log(), proposal, proposal.digest(), "").is_ok()))
            .collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).filter(|written| *written).count()
    });
    assert_eq!(written, 1);
    assert_eq!(scene.stages(), [Stage::Kept]);
}

/// With a full disk at any failpoint, either nothing changes or everything does, and the reported result is true.
#[test]
fn a_disk_that_is_full_changes_nothing() {
    for fate in [Fate::Fails, Fate::KeepsFailing] {
        for undoing in [false, true] {
            // A persistent failure hits every kind of failpoint soon enough, so only every fourth is tried.
            let step = if fate == Fate::Fails { 1 } else { 4 };
            for at in (0..).step_by(step) {
                let scene = Scene::new();
                let start = scene.tree("work");
                let id = undoing.then(|| scene.apply(ALL).unwrap());
                let before = scene.tree("work");
                plan::passed();
                plan::plan(at, fate);
                let tried = match id {
                    Some(id) => scene.undo(id),
                    None => scene.apply(ALL),
                };
                let passed = plan::passed();
                if fate == Fate::Fails {
                    assert_eq!(scene.tree("work") == before, tried.is_err(), "{at} {passed:?} {tried:?}");
                }
                recover(&scene.undo_log()).unwrap();
                let ended = scene.tree("work");
                assert_eq!(ended == before, tried.is_err(), "{at} {passed:?} {tried:?}");
                assert!(ended == before || ended == start || !undoing);
                assert!(!ended.keys().any(|name| name.contains(".aside-")), "{ended:?}");
                assert!(!scene.stages().iter().any(|stage| matches!(stage, Stage::Open | Stage::Done | Stage::Torn)));
                if passed.len() <= at {
                    assert!(at > 30, "{passed:?}");
                    break;
                }
            }
        }
    }
}

/// Another program saves a file while it is being changed: its version stays, and everything else is as before.
#[test]
fn what_somebody_saves_meanwhile_is_not_lost() {
    type Act = fn(&Path);
    let replace: Act = |work| {
        fs::write(work.join("mine"), "mine\n").unwrap();
        fs::rename(work.join("mine"), work.join("src/a.rs")).unwrap();
    };
    let write: Act = |work| fs::write(work.join("src/a.rs"), "mine\n").unwrap();
    let dir: Act = |work| {
        fs::remove_file(work.join("src/a.rs")).unwrap();
        fs::create_dir(work.join("src/a.rs")).unwrap();
    };
    let link: Act = |work| {
        fs::remove_file(work.join("src/a.rs")).unwrap();
        symlink("../../outside/a.rs", work.join("src/a.rs")).unwrap();
    };
    let create: Act = |work| fs::write(work.join("deep/er/new"), "mine\n").unwrap();
    let recreate: Act = |work| fs::write(work.join("gone"), "mine\n").unwrap();
    for (at, act) in [
        ("record open", replace),
        ("file begun", write),
        ("file written", replace),
        ("file written", write),
        ("file written", dir),
        ("file written", link),
        ("file written", create),
        ("file written", recreate),
        ("file exchanged", replace),
        ("file in place", write),
        ("all in place", write),
    ] {
        let scene = Scene::new();
        let before = scene.tree("work");
        let outside = scene.tree("outside");
        let work = scene.path("work");
        plan::meanwhile(at, move || act(&work));
        let tried = scene.apply(ALL);
        plan::passed();
        let after = scene.tree("work");
        assert_eq!(scene.tree("outside"), outside, "{at}");
        assert!(!after.keys().any(|name| name.contains(".aside-")), "{at} {after:?}");
        let theirs: Vec<&String> =
            after.iter().filter(|(name, state)| before.get(*name) != Some(state)).map(|(name, _)| name).collect();
        match tried {
            // The change was complete before the other program wrote, as if that had waited.
            Ok(_) => assert_eq!(after["src/a.rs"].0, b"mine\n", "{at}"),
            Err(error) => {
                assert!(
                    theirs
                        .iter()
                        .all(|name| ["src/a.rs", "gone", "deep", "deep/er", "deep/er/new"].contains(&name.as_str())),
                    "{at} {theirs:?}"
                );
                assert!(!theirs.is_empty(), "{at} {error:#}");
                let ours = after.values().any(|(bytes, _)| bytes == b"made\n" || bytes == b"named\n");
                assert!(!ours, "{at}: {error:#}");
            }
        }
    }
}

/// A directory is swapped with a link to the outside as fast as possible while changes are written.
#[test]
fn a_link_that_is_swapped_in_leads_nowhere() {
    let scene = Scene::new();
    let outside = scene.tree("outside");
    symlink(scene.path("outside"), scene.path("work/evil")).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let swapper = std::thread::spawn({
        let (stop, work) = (Arc::clone(&stop), scene.path("work"));
        move || {
            let mut swaps = 0_u64;
            while !stop.load(Ordering::Relaxed) {
                let exchange = rustix::fs::RenameFlags::EXCHANGE;
                let (src, evil) = (work.join("src"), work.join("evil"));
                rustix::fs::renameat_with(rustix::fs::CWD, &src, rustix::fs::CWD, &evil, exchange).unwrap();
                swaps += 1;
                std::thread::yield_now();
            }
            swaps
        }
    });
    let mut written = 0;
    for round in 0..400 {
        let diff = match round % 4 {
            0 => CHANGE.to_owned(),
            1 => CHANGE.replace("-one", "-evil").replace("+evil", "+one"),
            2 => format!("--- /dev/null\n+++ b/src/new{round}\n@@ -0,0 +1 @@\n+evil\n"),
            _ => format!("--- a/src/new{}\n+++ /dev/null\n@@ -1 +0,0 @@\n-evil\n", round - 1),
        };
        written += usize::from(scene.apply(&diff).is_ok());
    }
    stop.store(true, Ordering::Relaxed);
    let swaps = swapper.join().unwrap();
    assert!(swaps > 0);
    assert_eq!(scene.tree("outside"), outside, "{written} written, {swaps} swaps");
    recover(&scene.undo_log()).unwrap();
    assert_eq!(scene.tree("outside"), outside);
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % sides
    }
}

/// A random change to some of the existing files, perhaps with new ones. Their content does not matter.
fn random_diff(tree: &Tree, dice: &mut Dice) -> String {
    let mut diff = String::new();
    for (name, (bytes, mode)) in tree {
        let text = String::from_utf8_lossy(bytes);
        let regular = mode & 0o170_000 == 0o100_000;
        if !regular || text.is_empty() || text.contains(['\u{fffd}', '\r']) || dice.roll(3) == 0 {
            continue;
        }
        let old: String = text.lines().map(|line| format!("-{line}\n")).collect();
        let new: String = (0..=dice.roll(4)).map(|_| format!("+{}\n", dice.roll(1000))).collect();
        match dice.roll(4) {
            0 => diff += &format!("diff --git a/{name} b/{name}\n--- a/{name}\n+++ /dev/null\n@@ -1 +0,0 @@\n{old}"),
            1 => {
                let to = format!("to{}/{}", dice.roll(3), dice.roll(1 << 30));
                diff += &format!("diff --git a/{name} b/{to}\nrename from {name}\nrename to {to}\n");
            }
            _ => diff += &format!("diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n{old}{new}"),
        }
    }
    for _ in 0..1 + dice.roll(2) {
        let (dir, number) = (dice.roll(4), dice.roll(1 << 30));
        diff += &format!(
            "diff --git a/n{dir}/m{dir}/{number} b/n{dir}/m{dir}/{number}\n--- /dev/null\n+++ b/n{dir}/m{dir}/{number}\n@@ -0,0 +1 @@\n+{number}\n"
        );
    }
    diff
}

/// Runs in the child process of the next test: applies or recovers a change until it crashes.
#[test]
fn works_until_it_dies() {
    let Ok(dir) = std::env::var("ASIDE_TEST_APPLY_IN") else { return };
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let dir = PathBuf::from(dir);
    let undo_log = UndoLog::new(dir.join("state"));
    let proposal = fs::read(dir.join("diff")).ok().and_then(|diff| Proposal::new(&dir.join("work"), &diff).ok());
    plan::plan(usize::try_from(number("ASIDE_TEST_APPLY_AT").unwrap()).unwrap(), Fate::Dies);
    match (number("ASIDE_TEST_APPLY_UNDO"), proposal) {
        (Some(0), _) => drop(recover(&undo_log).unwrap()),
        (Some(id), _) => drop(undo(&undo_log, &Id(id).into()).unwrap()),
        (None, Some(proposal)) => drop(apply(&undo_log, &proposal, proposal.digest(), "").unwrap()),
        (None, None) => panic!("no proposal"),
    }
}

/// Runs the child; returns whether it reached its end.
fn child(scene: &Scene, at: usize, undo: Option<Id>) -> bool {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "apply::tests::works_until_it_dies", "--nocapture"]);
    command.env("ASIDE_TEST_APPLY_IN", scene.temp.path()).env("ASIDE_TEST_APPLY_AT", at.to_string());
    command.stdout(Stdio::null()).stderr(Stdio::null()).env_remove("ASIDE_TEST_APPLY_UNDO");
    if let Some(id) = undo {
        command.env("ASIDE_TEST_APPLY_UNDO", id.0.to_string());
    }
    let status = command.status().unwrap();
    assert!(status.success() || status.code().is_none(), "it failed instead of dying: {status}");
    status.success()
}

/// Changes crash anywhere, and so do their recoveries: each is written completely or not at all, and undone completely or not at all.
#[test]
fn a_crash_leaves_no_half_of_a_change() {
    let rounds = std::env::var("ASIDE_APPLY_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(ROUNDS);
    let mut dice = Dice(0x5eed);
    let (mut whole, mut none) = (0, 0);
    let mut scene = Scene::new();
    for round in 0..rounds {
        if round % 10 == 0 {
            scene = Scene::new();
        }
        let before = scene.tree("work");
        let kept = scene.undo_log().records().unwrap();
        let undone = kept.last().filter(|_| dice.roll(3) == 0).map(|(record, _)| record.id);
        let expected = match undone {
            Some(_) => None,
            None => {
                let diff = random_diff(&before, &mut dice);
                scene.put("diff", &diff);
                let proposal = scene.propose(&diff).unwrap();
                Some(after(&before, &proposal))
            }
        };
        let finished = child(&scene, dice.roll(70), undone);
        while dice.roll(2) == 0 && !child(&scene, dice.roll(12), Some(Id(0))) {}
        let recovered = recover(&scene.undo_log()).unwrap();
        let ended = scene.tree("work");
        let files = |tree: &Tree| -> Tree {
            tree.iter()
                .filter(|(_, (bytes, _))| bytes != b"/")
                .map(|(name, state)| (name.clone(), state.clone()))
                .collect()
        };
        assert!(!ended.keys().any(|name| name.contains(".aside-")), "{round} {ended:?}");
        let stages = scene.stages();
        assert!(stages.iter().all(|stage| matches!(stage, Stage::Kept | Stage::Undone)), "{round} {stages:?}");
        let written = stages.len() > kept.len();
        assert!(written || !finished, "{round}");
        if !written {
            none += 1;
            assert_eq!(ended, before, "{round} {recovered:?}");
        } else {
            whole += 1;
            if let Some(expected) = expected {
                assert_eq!(files(&ended), expected, "{round} {recovered:?}");
            } else {
                // An undone change can be redone, byte for byte.
                let last = scene.undo_log().records().unwrap().pop().unwrap().0.id;
                scene.undo(last).unwrap();
                assert_eq!(files(&scene.tree("work")), files(&before), "{round} {recovered:?}");
            }
        }
    }
    assert!(whole > rounds / 10 && none > rounds / 10, "{whole} whole, {none} none");
}

/// The files as the proposal describes them.
fn after(before: &Tree, proposal: &Proposal) -> Tree {
    let mut tree: Tree = before
        .iter()
        .filter(|(_, (bytes, _))| bytes != b"/")
        .map(|(name, state)| (name.clone(), state.clone()))
        .collect();
    for change in proposal.changes().files() {
        let old = tree.remove(change.from().unwrap_or(change.name()).as_str());
        if let Some(state) = change.after() {
            // New files follow the umask of the test process.
            let mode = old.map_or_else(fresh_mode, |(_, mode)| mode);
            tree.insert(change.name().to_string(), (state.bytes.clone(), mode));
        }
    }
    tree
}

fn fresh_mode() -> u32 {
    let temp = tempfile::tempdir().unwrap();
    fs::write(temp.path().join("x"), "").unwrap();
    fs::metadata(temp.path().join("x")).unwrap().mode()
}
