//! bash and fish leave what they record in the daemon's inbox, without a process; with a daemon that does not read it, they say it in
//! another way, and lose nothing.

use std::path::PathBuf;
use std::time::Instant;

use rustix::process::{Pid, Signal};

use crate::bash::recorded;
use crate::harness::patience;
use crate::harness::scene::Scene;
use crate::harness::setup::Setup;
use crate::keys_shells::fish;

fn inbox(scene: &Scene) -> PathBuf {
    scene.home.socket().with_extension("sock.inbox")
}

/// Files of shells that the daemon has not handled.
fn left(scene: &Scene) -> Vec<String> {
    let entries = std::fs::read_dir(inbox(scene)).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().into_string().unwrap());
    names.filter(|name| name != "daemon" && !name.ends_with(".text")).collect()
}

#[track_caller]
fn wait_for(what: &str, is_there: impl Fn() -> bool) {
    let deadline = Instant::now() + patience();
    while !is_there() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

fn daemon(scene: &Scene) -> Pid {
    let text = std::fs::read_to_string(inbox(scene).join("daemon")).unwrap();
    Pid::from_raw(text.trim().parse().unwrap()).unwrap()
}

/// At the second prompt of a shell, with a daemon that reads its inbox and has handled the shell's greeting.
fn begun(stage: Setup) -> Scene {
    let scene = stage.start();
    assert_eq!(scene.home.aside_does(&["daemon", "start"]).code, 0);
    wait_for("no inbox", || inbox(&scene).join("daemon").exists() && left(&scene).is_empty());
    scene
}

fn shells() -> [(&'static str, Setup); 3] {
    [("bash", Scene::bash()), ("bash with times", Scene::bash().rc("HISTTIMEFORMAT='%F (%T) '")), ("fish", fish())]
}

#[test]
fn a_daemon_that_pauses_finds_what_was_left_and_the_prompt_does_not_wait() {
    for (shell, stage) in shells() {
        let mut scene = begun(stage);
        scene.runs("echo before");
        recorded(&scene.home, 1);
        wait_for(shell, || left(&scene).is_empty());
        let pid = daemon(&scene);
        rustix::process::kill_process(pid, Signal::STOP).unwrap();
        scene.runs("echo meanwhile");
        wait_for(shell, || left(&scene).len() == 1);
        let name = left(&scene).remove(0);
        let text = std::fs::read_to_string(inbox(&scene).join(&name)).unwrap();
        assert!(text.contains("finished") && text.contains("echo meanwhile"), "{shell}: {text:?}");
        assert!(!text.contains('('), "{shell}: a time of HISTTIMEFORMAT is in {text:?}");
        // It does not read: the next one goes another way.
        assert_eq!(scene.runs("echo later"), "later", "{shell}");
        assert_eq!(left(&scene), [name], "{shell}");
        rustix::process::kill_process(pid, Signal::CONT).unwrap();
        let rows = recorded(&scene.home, 3);
        let mut commands: Vec<&str> = rows.iter().map(|row| row["command"].as_str().unwrap()).collect();
        commands.sort_unstable();
        assert_eq!(commands, ["echo before", "echo later", "echo meanwhile"], "{shell}");
        wait_for(shell, || left(&scene).is_empty());
    }
}

#[test]
fn what_a_killed_daemon_has_not_read_is_read_by_the_next() {
    for (shell, stage) in shells() {
        let mut scene = begun(stage);
        let pid = daemon(&scene);
        rustix::process::kill_process(pid, Signal::STOP).unwrap();
        scene.runs("echo kept");
        wait_for(shell, || left(&scene).len() == 1);
        rustix::process::kill_process(pid, Signal::KILL).unwrap();
        // This one finds no daemon, and starts one.
        scene.runs("echo next");
        let rows = recorded(&scene.home, 2);
        assert!(rows.iter().any(|row| row["command"] == "echo kept"), "{shell}: {rows:?}");
    }
}

#[test]
fn a_private_shell_leaves_nothing() {
    for (shell, stage) in shells() {
        let set = if shell == "fish" { "set -gx ASIDE_PRIVATE 1" } else { "export ASIDE_PRIVATE=1" };
        let mut scene = begun(stage);
        scene.runs(set);
        rustix::process::kill_process(daemon(&scene), Signal::STOP).unwrap();
        let before = left(&scene);
        scene.runs("echo secret");
        assert_eq!(left(&scene), before, "{shell}");
        rustix::process::kill_process(daemon(&scene), Signal::CONT).unwrap();
    }
}

#[test]
fn nothing_but_what_a_shell_records_is_taken_from_a_file() {
    let scene = begun(Scene::bash());
    let stop = b"2\x001\x00stop\x00";
    std::fs::write(inbox(&scene).join("bash-4711-1.1.off"), stop).unwrap();
    std::fs::write(inbox(&scene).join("bash-4711-1.2.off"), b"garbage").unwrap();
    wait_for("it stays", || left(&scene).is_empty());
    assert!(rustix::process::test_kill_process(daemon(&scene)).is_ok(), "a file has stopped the daemon");
}

/// bash writes times into its history only if the user wants them.
#[test]
fn the_history_file_of_bash_stays_as_it_was() {
    let mut scene = begun(Scene::bash().rc("HISTFILE=~/own; unset HISTTIMEFORMAT"));
    scene.runs("echo one");
    scene.runs("history -a; cat ~/own | wc -l");
    let text = scene.home.read("own");
    assert!(text.contains("echo one") && !text.contains('#'), "{text}");
    let is_scratch = |path: &PathBuf| path.to_str().is_some_and(|path| path.ends_with(".text"));
    let files: Vec<PathBuf> = std::fs::read_dir(inbox(&scene)).unwrap().flatten().map(|entry| entry.path()).collect();
    let scratch = files.iter().find(|path| is_scratch(path)).expect("bash reads its history through a file");
    let text = String::from_utf8_lossy(&std::fs::read(scratch).unwrap()).into_owned();
    assert!(!text.contains("echo") && !text.contains("accept-line"), "text stays: {text:?}");
}

/// A shell that writes more than it may is ended by the kernel.
#[test]
fn a_limit_on_the_size_of_files_does_not_end_the_shell() {
    // fish ends by its own history.
    for (shell, stage) in shells().into_iter().filter(|(shell, _)| *shell != "fish") {
        let mut scene = begun(stage);
        scene.runs("ulimit -f 0");
        assert_eq!(scene.runs("echo on"), "on", "{shell}");
        assert_eq!(scene.runs("echo and on"), "and on", "{shell}");
    }
}

#[test]
fn a_pipe_in_place_of_a_file_holds_nothing_up() {
    let mut scene = begun(Scene::bash());
    scene.runs("true");
    let pid = scene.runs("echo $$");
    let scratch = inbox(&scene).join(format!("bash-{pid}-0.text"));
    std::fs::remove_file(&scratch).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &scratch, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    assert_eq!(scene.runs("echo on"), "on");
    let rows = recorded(&scene.home, 3);
    assert!(rows.iter().any(|row| row["command"] == "echo on"), "{rows:?}");
}

#[test]
fn without_the_directory_nothing_is_lost() {
    for (shell, stage) in shells() {
        let mut scene = begun(stage);
        std::fs::remove_dir_all(inbox(&scene)).unwrap();
        scene.runs("echo kept");
        let rows = recorded(&scene.home, 1);
        assert!(rows.iter().any(|row| row["command"] == "echo kept"), "{shell}: {rows:?}");
    }
}
