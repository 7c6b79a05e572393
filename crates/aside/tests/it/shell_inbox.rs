//! bash and fish leave what they record in the daemon's inbox, without a process; with a daemon that does not read it, they say it in
//! another way, and lose nothing.

use std::path::PathBuf;
use std::time::Instant;

use rustix::process::{Pid, Signal};

use crate::bash::recorded;
use crate::harness::home::{Home, is_running, run};
use crate::harness::patience;
use crate::harness::scene::Scene;
use crate::harness::setup::Setup;
use crate::harness::tasks::TaskClient;
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
        let asked_at = std::time::SystemTime::now();
        let text = std::fs::read_to_string(inbox(&scene).join(&name)).unwrap();
        assert!(text.contains("finished") && text.contains("echo meanwhile"), "{shell}: {text:?}");
        assert!(!text.contains('('), "{shell}: a time of HISTTIMEFORMAT is in {text:?}");
        // Others wait behind it, each in its own file.
        for number in 1..=12 {
            assert_eq!(scene.runs(&format!("echo later {number}")), format!("later {number}"), "{shell}");
        }
        wait_for(shell, || left(&scene).len() == 13);
        rustix::process::kill_process(pid, Signal::CONT).unwrap();
        let rows = recorded(&scene.home, 14);
        let commands: Vec<&str> = rows.iter().map(|row| row["command"].as_str().unwrap()).collect();
        for number in 1..=12 {
            assert!(commands.contains(&format!("echo later {number}").as_str()), "{shell}: {commands:?}");
        }
        // Also in fish, which has no clock, it is the time of the command and not of the daemon.
        let meanwhile = rows.iter().find(|row| row["command"] == "echo meanwhile").unwrap();
        let asked_at = asked_at.duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
        assert!(u128::from(meanwhile["start_ms"].as_u64().unwrap()) <= asked_at, "{shell}: {meanwhile}");
        wait_for(shell, || left(&scene).is_empty());
    }
}

#[test]
fn only_so_many_records_wait_for_a_daemon() {
    let mut scene = begun(Scene::bash());
    scene.runs("true");
    wait_for("it stays", || left(&scene).is_empty());
    rustix::process::kill_process(daemon(&scene), Signal::STOP).unwrap();
    scene.runs("for _ in {1..120}; do _aside_leave 2 status; done");
    assert_eq!(left(&scene).len(), 101);
    rustix::process::kill_process(daemon(&scene), Signal::CONT).unwrap();
}

/// The same daemon goes on, and no other is started.
#[test]
fn deleted_files_come_back_and_records_go_on() {
    for (shell, stage) in shells() {
        let mut scene = begun(stage);
        let pid = daemon(&scene);
        let run = scene.home.socket().parent().unwrap().to_owned();
        let is_back = || scene.home.socket().exists() && inbox(&scene).join("daemon").exists();
        let lacks = |what: &str| {
            let entries = std::fs::read_dir(&run).unwrap().flatten().map(|entry| entry.path());
            for path in entries {
                let name = path.file_name().unwrap().to_str().unwrap();
                match what {
                    "marker" if name.ends_with(".inbox") => drop(std::fs::remove_file(path.join("daemon"))),
                    // The daemon may write into it meanwhile.
                    "inbox" if name.ends_with(".inbox") => drop(std::fs::remove_dir_all(path)),
                    "all" if path.is_dir() => drop(std::fs::remove_dir_all(path)),
                    "all" => drop(std::fs::remove_file(path)),
                    _ => {}
                }
            }
        };
        for what in ["marker", "inbox", "all"] {
            lacks(what);
            wait_for(what, is_back);
        }
        scene.runs("echo kept");
        let rows = recorded(&scene.home, 1);
        assert!(rows.iter().any(|row| row["command"] == "echo kept"), "{shell}: {rows:?}");
        assert_eq!(daemon(&scene), pid, "{shell}");
    }
}

/// fish tells the user of a write that fails, whatever is redirected.
#[test]
fn the_inbox_is_closed_while_its_disk_is_full() {
    const SCRIPT: &str = r#"
        mount -t tmpfs -o size=1m,mode=700 none "$XDG_RUNTIME_DIR" || exit 77
        inbox=$XDG_RUNTIME_DIR/aside.sock.inbox
        comes() { for _ in $(seq 600); do eval "$1" && return; sleep 0.1; done; echo "never: $1"; aside daemon stop; exit 1; }
        aside daemon start
        comes 'test -e $inbox/daemon'
        dd if=/dev/zero of="$XDG_RUNTIME_DIR/fill" bs=1k
        comes '! test -e $inbox/daemon'
        rm "$XDG_RUNTIME_DIR/fill"
        comes 'test -e $inbox/daemon'
        aside daemon stop
    "#;
    let home = Home::new();
    let said = run(home.command("unshare").args(["-rm", "sh", "-c", SCRIPT]), "");
    if said.code == 77 || said.stderr.contains("unshare") {
        return eprintln!("skipped: nothing can be mounted here");
    }
    assert_eq!(said.code, 0, "{said:?}");
}

/// Afterwards it could not be told who has written them.
#[test]
fn what_was_left_before_a_command_of_a_task_begins_is_read_first() {
    let scene = begun(Scene::bash());
    scene.home.write("project/.git/HEAD", "ref: refs/heads/main\n");
    let mut ada = TaskClient::at(&scene.home, &scene.home.path("project"));
    let task = ada.asks("run `true`");
    assert_eq!(ada.rests(&task)["state"], "WAITING_APPROVAL");
    let shown = ada.sees(&task);
    let pid = daemon(&scene);
    rustix::process::kill_process(pid, Signal::STOP).unwrap();
    ada.sends("approve", shown.answer("a test"));
    for seq in 1..=5 {
        let record =
            format!("10\x003\x00finished\x00bash-4711-1\x00{seq}\x00/\x000\x001\x000\x00bash\x00echo left {seq}\x00");
        std::fs::write(inbox(&scene).join(format!("bash-4711-1.{seq}.off")), record).unwrap();
    }
    rustix::process::kill_process(pid, Signal::CONT).unwrap();
    assert_eq!(ada.ends(&task)["state"], "COMPLETED");
    let rows = recorded(&scene.home, 5);
    assert!(rows.iter().all(|row| row["command"].as_str().unwrap().starts_with("echo left")), "{rows:?}");
}

/// bash runs each line of a paste as a command, without a prompt between them.
#[test]
fn every_command_of_a_paste_is_recorded() {
    let mut scene = begun(Scene::bash().rc("HISTCONTROL=ignorespace; mkdir -p sub"));
    scene.runs("true");
    scene
        .sends("\x1b[200~echo one\n(exit 7)\nfor x in a; do\n  echo $x\ndone\necho three\x1b[201~")
        .sends("\r")
        .shows("\nthree");
    scene.prompt(3);
    let rows = recorded(&scene.home, 5);
    let row = |command: &str| {
        let row = rows.iter().find(|row| row["command"].as_str().unwrap().starts_with(command));
        row.unwrap_or_else(|| panic!("no {command} in {rows:?}"))
    };
    assert_eq!((&row("echo one")["exit"], &row("(exit 7)")["exit"]), (&0.into(), &7.into()));
    assert_eq!(row("for x")["exit"], 0);
    assert_eq!(rows.last().unwrap()["command"], "echo three");
    // Where one is kept out of the history, only the last is certain.
    scene.sends("\x1b[200~echo four\n echo hidden\necho five\x1b[201~").sends("\r").shows("\nfive");
    scene.prompt(4);
    let rows = recorded(&scene.home, 6);
    assert!(rows.iter().all(|row| row["command"] != "echo hidden"), "{rows:?}");
    assert_eq!(rows.last().unwrap()["command"], "echo five");
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
        wait_for("it does not end", || !is_running(pid));
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
        // The daemon makes a new one at once, maybe while its files are being deleted.
        while std::fs::remove_dir_all(inbox(&scene))
            .is_err_and(|error| error.kind() == std::io::ErrorKind::DirectoryNotEmpty)
        {}
        scene.runs("echo kept");
        let rows = recorded(&scene.home, 1);
        assert!(rows.iter().any(|row| row["command"] == "echo kept"), "{shell}: {rows:?}");
    }
}
