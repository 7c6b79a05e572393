//! The daemon as its clients see it: a single instance, robust against failures, losing nothing that it acknowledged.

use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use serde_json::{Value, json};

use crate::harness::home::{ASIDE, Home, is_running, run};
use crate::harness::{patience, programs};

/// A daemon that runs as a subprocess of the test and is killed with it.
struct Daemon {
    home: Home,
    child: Child,
}

impl Daemon {
    fn start() -> Self {
        Self::start_in(Home::new())
    }

    fn start_in(home: Home) -> Self {
        let daemon = Self { child: spawn(&home, ASIDE), home };
        daemon.status();
        daemon
    }

    fn status(&self) -> Value {
        self.home.wire().json(json!({"type": "status", "request_id": 1}))
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    fn signal(&self, signal: Signal) {
        rustix::process::kill_process(self.pid(), signal).unwrap();
    }

    /// Waits for its end: the exit code, or `None` when a signal killed it.
    fn ends(&mut self) -> Option<i32> {
        let deadline = Instant::now() + patience();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(Instant::now() < deadline, "the daemon does not end");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn commands(&self) -> Vec<String> {
        let found = self.home.aside(&["history", "search", "--json", "--limit", "100000", ""]).stdout;
        let rows: Vec<Value> = serde_json::from_str(&found).unwrap();
        rows.iter().map(|row| row["command"].as_str().unwrap().to_owned()).collect()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(home: &Home, program: &str) -> Child {
    let mut command = home.command(program);
    command.args(["daemon", "run"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

fn finished(seq: usize, command: &str) -> Vec<String> {
    let seq = seq.to_string();
    [&seq, "finished", "s", &seq, "/here", "0", "1700000000000", "5", "zsh", command].map(str::to_owned).to_vec()
}

fn fields(record: &[String]) -> Vec<&str> {
    record.iter().map(String::as_str).collect()
}

#[test]
fn the_socket_is_for_its_owner_only() {
    let daemon = Daemon::start();
    daemon.home.wire().record(&fields(&finished(1, "make")));
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&daemon.home.socket()), 0o600);
    assert_eq!(mode(daemon.home.socket().parent().unwrap()), 0o700);
    assert_eq!(mode(&daemon.home.path(".local/share/aside/history.db")), 0o600);
}

#[test]
fn root_leaves_the_files_of_a_person_alone() {
    // Only root can act as two users.
    if !rustix::process::getuid().is_root() {
        return;
    }
    let mut home = Home::new();
    let belongs = |path: &std::path::Path| std::os::unix::fs::chown(path, Some(65534), None).unwrap();
    let run = home.socket().parent().unwrap().to_owned();
    belongs(&run);
    // As after `su`: the runtime directory still belongs to the first user, so the daemon uses a directory of its own.
    assert!(home.aside_does(&["daemon", "start"]).stdout.starts_with("started"));
    let status: Value = serde_json::from_str(&home.aside_does(&["daemon", "status", "--json"]).stdout).unwrap();
    assert!(status["socket"].as_str().unwrap().ends_with("tmp/aside-0/aside.sock"), "{status}");
    home.aside_does(&["daemon", "stop"]);
    // As in a shell started by `sudo -E`, whose plugin names the socket.
    belongs(&home.path(".local/share/aside"));
    let said = home.aside(&["daemon", "start"]);
    assert!(said.code == 1 && said.stderr.contains("use `sudo -H`"), "{said:?}");
    std::os::unix::fs::chown(home.path(".local/share/aside"), Some(0), None).unwrap();
    home.set_env("ASIDE_SOCKET", home.socket().to_str().unwrap());
    for command in [&["daemon", "run"][..], &["daemon", "start"], &["init", "zsh"]] {
        let said = home.aside(command);
        assert!(said.code == 1 && said.stderr.contains("belongs to another user; set ASIDE_SOCKET"), "{said:?}");
    }
    assert_eq!(std::fs::read_dir(run).unwrap().count(), 0, "nothing of root's in the person's directory");
}

#[test]
fn nothing_is_said_to_a_socket_of_another_user() {
    if !rustix::process::getuid().is_root() {
        return;
    }
    let mut home = Home::new();
    let socket = home.path("trap.sock");
    home.set_env("ASIDE_SOCKET", socket.to_str().unwrap());
    std::fs::set_permissions(home.path("").parent().unwrap(), std::fs::Permissions::from_mode(0o777)).unwrap();
    std::fs::set_permissions(home.path(""), std::fs::Permissions::from_mode(0o777)).unwrap();
    let listens = format!("zmodload zsh/net/socket; zsocket -l {}; sleep 60", socket.display());
    let mut trap = home.command("setpriv");
    let mut trap = trap.args(["--reuid", "65534", "--clear-groups", "zsh", "-fc", &listens]).spawn().unwrap();
    let deadline = Instant::now() + patience();
    while std::os::unix::net::UnixStream::connect(&socket).is_err() {
        assert!(Instant::now() < deadline, "the trap is not set");
        std::thread::sleep(Duration::from_millis(5));
    }
    let said = home.aside(&["complete", "--", "git st"]);
    trap.kill().unwrap();
    trap.wait().unwrap();
    assert_eq!((said.code, said.stdout.as_str()), (3, ""));
    assert!(said.stderr.contains("another user listens on the socket"), "{said:?}");
}

#[test]
fn a_link_in_place_of_the_lock_empties_no_file() {
    let home = Home::new();
    home.write("precious", "precious");
    std::os::unix::fs::symlink(home.path("precious"), home.socket().with_extension("sock.lock")).unwrap();
    let said = home.aside(&["daemon", "run"]);
    assert!(said.stderr.contains("is a link, not a file of Aside's; remove it: rm "), "{said:?}");
    assert_eq!(home.read("precious"), "precious");
}

#[test]
fn a_pipe_or_a_directory_in_place_of_the_lock_is_named_at_once() {
    let home = Home::new();
    let lock = home.socket().with_extension("sock.lock");
    for make in ["mkfifo", "mkdir"] {
        run(home.command(make).arg(&lock), "");
        for command in [&["daemon", "start"][..], &["daemon", "stop"], &["daemon", "run"], &["task", "list"]] {
            let said = home.aside(command);
            assert!(said.code != 0 && said.stderr.contains("; remove it: rm -r "), "{make}: {command:?}: {said:?}");
        }
        home.aside(&["doctor"]);
        run(home.command("rm").arg("-r").arg(&lock), "");
    }
    home.aside_does(&["daemon", "start"]);
    home.aside_does(&["daemon", "stop"]);
}

#[test]
fn another_process_that_holds_the_lock_is_named_and_left_alone() {
    let home = Home::new();
    let lock = home.socket().with_extension("sock.lock");
    let file = std::fs::File::create(&lock).unwrap();
    file.lock().unwrap();
    let own = std::process::id();
    std::fs::write(&lock, format!("{own}\n")).unwrap();
    let said = home.aside(&["daemon", "start"]);
    assert!(said.code == 1 && said.stderr.contains(&format!("process {own} holds the lock")), "{said:?}");
    drop(file);
    home.aside_does(&["daemon", "start"]);
    home.aside_does(&["daemon", "stop"]);
}

#[test]
fn a_relative_socket_is_the_same_for_the_daemon_and_its_clients() {
    let mut home = Home::new();
    home.set_env("ASIDE_SOCKET", "here.sock");
    home.aside_does(&["daemon", "start"]);
    assert!(home.path("here.sock").exists());
    home.aside_does(&["daemon", "stop"]);
}

#[test]
fn a_path_too_long_for_a_socket_is_told_at_once() {
    let mut home = Home::new();
    home.set_env("ASIDE_SOCKET", &format!("/tmp/{}.sock", "x".repeat(200)));
    for command in ["start", "run"] {
        let said = home.aside(&["daemon", command]);
        assert!(said.stderr.contains("set ASIDE_SOCKET to a shorter path"), "{said:?}");
    }
}

#[test]
fn a_daemon_that_hangs_is_named_and_can_be_stopped() {
    let mut daemon = Daemon::start();
    daemon.signal(Signal::STOP);
    let said = daemon.home.aside(&["daemon", "start"]);
    assert!(said.code == 1 && said.stderr.contains("does not answer; `aside daemon stop`"), "{said:?}");
    daemon.signal(Signal::CONT);
    assert_eq!(daemon.home.aside_does(&["daemon", "stop"]).stdout, "stopped\n");
    daemon.ends();
}

#[test]
fn a_daemon_whose_lock_has_no_number_can_be_stopped() {
    let mut daemon = Daemon::start();
    let lock = daemon.home.socket().with_extension("sock.lock");
    for text in ["-1\n", ""] {
        // As on a full disk.
        std::fs::write(&lock, text).unwrap();
        let said = daemon.home.aside(&["daemon", "run"]);
        assert!(said.stderr.contains("already running"), "{said:?}");
    }
    assert_eq!(daemon.home.aside_does(&["daemon", "stop"]).stdout, "stopped\n");
    assert_eq!(daemon.ends(), Some(0));
}

/// Something cleans the directory of the socket, such as a job for temporary files.
#[test]
fn a_daemon_whose_files_are_deleted_makes_them_again() {
    let daemon = Daemon::start();
    let (socket, lock) = (daemon.home.socket(), daemon.home.socket().with_extension("sock.lock"));
    for files in [vec![&socket], vec![&lock], vec![&socket, &lock]] {
        for file in &files {
            std::fs::remove_file(file).unwrap();
        }
        // Waits until it listens.
        assert_eq!(daemon.status()["pid"], daemon.child.id(), "without {files:?}");
        let deadline = Instant::now() + patience();
        while !lock.exists() {
            assert!(Instant::now() < deadline, "there is no lock without {files:?}");
        }
        assert_eq!(std::fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(daemon.home.aside(&["daemon", "run"]).stderr.contains("already running"));
    }
    std::fs::remove_file(&socket).unwrap();
    let said = daemon.home.aside_does(&["daemon", "start"]).stdout;
    assert_eq!(said, format!("already running, pid {}\n", daemon.child.id()));
}

#[test]
fn a_daemon_whose_place_is_taken_ends_and_leaves_the_other_alone() {
    let mut daemon = Daemon::start();
    daemon.signal(Signal::STOP);
    for file in [daemon.home.socket(), daemon.home.socket().with_extension("sock.lock")] {
        std::fs::remove_file(file).unwrap();
    }
    let mut second = spawn(&daemon.home, ASIDE);
    assert_eq!(daemon.status()["pid"], second.id());
    daemon.signal(Signal::CONT);
    assert_eq!(daemon.ends(), Some(0));
    assert_eq!(daemon.status()["pid"], second.id());
    second.kill().unwrap();
    second.wait().unwrap();
}

/// As on a home that is mounted later, or a disk that is read-only for a while.
#[test]
fn commands_wait_while_the_history_cannot_be_opened() {
    let home = Home::new();
    home.write(".local/share/aside", "in the way");
    let daemon = Daemon::start_in(home);
    let mut wire = daemon.home.wire();
    for seq in 1..=3 {
        let told = finished(seq, &format!("echo {seq}"));
        let told: Vec<&str> = told.iter().map(String::as_str).collect();
        assert_eq!(wire.record(&told)[1], "error", "what is not stored is not acknowledged");
    }
    let status = daemon.status();
    assert_eq!(status["history"]["waiting"], 3, "{status}");
    assert_eq!(status["notices"].as_array().unwrap().len(), 1, "{status}");
    let said = daemon.home.aside(&["doctor"]).stdout;
    assert!(said.contains("commands are not stored now") && said.contains("3 commands wait in memory"), "{said}");
    std::fs::remove_file(daemon.home.path(".local/share/aside")).unwrap();
    // By itself: no shell says anything.
    let deadline = Instant::now() + patience();
    while daemon.status()["history"]["waiting"] != 0 {
        assert!(Instant::now() < deadline, "{}", daemon.status());
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut commands = daemon.commands();
    commands.sort_unstable();
    assert_eq!(commands, ["echo 1", "echo 2", "echo 3"]);
    assert_eq!(daemon.status()["history"]["problem"], "");
}

#[test]
fn a_second_daemon_leaves_the_first_alone() {
    let daemon = Daemon::start();
    let second = daemon.home.aside(&["daemon", "run"]);
    assert_eq!(second.code, 1);
    assert!(second.stderr.contains("already running"), "{}", second.stderr);
    assert_eq!(daemon.status()["pid"], daemon.child.id());
}

#[test]
fn many_starts_at_once_make_one_daemon() {
    let home = Home::new();
    let mut children: Vec<Child> = (0..12).map(|_| spawn(&home, ASIDE)).collect();
    let pid = home.wire().json(json!({"type": "status"}))["pid"].as_u64().unwrap();
    let deadline = Instant::now() + patience();
    let running = |children: &mut Vec<Child>| -> Vec<u64> {
        let alive =
            children.iter_mut().filter_map(|child| child.try_wait().unwrap().is_none().then(|| child.id().into()));
        alive.collect()
    };
    while running(&mut children).len() > 1 {
        assert!(Instant::now() < deadline, "more than one daemon stays");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(running(&mut children), [pid]);
    assert_eq!(home.wire().json(json!({"type": "status"}))["pid"], pid);
}

#[test]
fn a_socket_left_behind_is_replaced() {
    let mut first = Daemon::start();
    first.signal(Signal::KILL);
    first.ends();
    assert!(first.home.socket().exists());
    let said = first.home.aside_does(&["daemon", "start"]);
    assert!(said.stdout.starts_with("started, pid "), "{}", said.stdout);
    assert_eq!(first.home.aside_does(&["daemon", "stop"]).stdout, "stopped\n");
    assert!(!first.home.socket().exists());
    assert_eq!(first.home.aside_does(&["daemon", "stop"]).stdout, "the daemon is not running\n");
}

#[test]
fn status_says_so_when_there_is_no_daemon() {
    let home = Home::new();
    let said = home.aside(&["daemon", "status"]);
    assert_eq!((said.code, said.stdout.as_str()), (3, ""));
    assert!(said.stderr.contains("`aside daemon start`"), "{}", said.stderr);
    let said = home.aside(&["daemon", "status", "--json"]);
    assert_eq!(said.code, 3);
    assert_eq!(serde_json::from_str::<Value>(&said.stdout).unwrap()["running"], false);
}

#[test]
fn status_gives_the_numbers_as_json() {
    let daemon = Daemon::start();
    let said = daemon.home.aside_does(&["daemon", "status", "--json"]).stdout;
    let status: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&status["running"], &status["pid"]), (&json!(true), &json!(daemon.child.id())));
    assert_eq!(status["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(status["socket"], daemon.home.socket().display().to_string());
    assert!(status["uptime_s"].is_u64());
}

#[test]
fn nobody_has_to_read_what_a_command_prints() {
    let daemon = Daemon::start();
    daemon.home.wire().record(&fields(&finished(1, "git status")));
    for command in ["daemon status", "daemon status --json", "daemon start", "complete -- git", "config list", "doctor"]
    {
        // The reader closes the pipe before anything is written.
        let script = format!("{{ sleep 0.1; aside {command}; echo $? >&2; }} | true");
        let said = crate::harness::home::run(daemon.home.command("sh").args(["-c", &script]), "");
        assert!(["0\n", "1\n"].contains(&said.stderr.as_str()), "{command}: {}", said.stderr);
    }
}

#[test]
fn a_number_that_is_none_is_no_time_to_wait() {
    let home = Home::new();
    home.aside_does(&["daemon", "start", "--after", "NaN"]);
}

#[test]
fn a_call_survives_a_daemon_that_hangs_up() {
    let daemon = Daemon::start();
    let socket = daemon.home.socket();
    // Moves the socket away, so that the first connection reaches a listener that hangs up; the next one reaches the daemon again, which
    // pauses meanwhile: it would make its socket anew.
    let pid = rustix::process::Pid::from_child(&daemon.child);
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    let moved = socket.with_extension("moved");
    std::fs::rename(&socket, &moved).unwrap();
    let rude = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let back = std::thread::spawn(move || {
        let (stream, _) = rude.accept().unwrap();
        std::fs::rename(&moved, &socket).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::CONT).unwrap();
        drop(stream);
    });
    let said = daemon.home.aside_reads(&["call"], &format!("{}\0", finished(1, "make").join("\0")));
    back.join().unwrap();
    assert_eq!((said.code, said.stdout.as_str()), (0, "1\tok\n"));
    assert_eq!(daemon.commands(), ["make"]);
}

#[test]
fn both_spellings_get_the_same_answer() {
    let daemon = Daemon::start();
    let mut wire = daemon.home.wire();
    assert_eq!(wire.record(&fields(&finished(1, "frob start"))), ["1", "ok"]);
    let answer = wire.record(&["2", "complete", "s", "/here", "frob st", ""]);
    assert_eq!(answer, ["2", "complete", "1", "frob start", "", "history"]);
    let json = daemon.home.wire().json(json!({
        "type": "complete", "request_id": 3, "session_id": "s", "cwd": "/here", "left": "frob st", "right": ""
    }));
    assert_eq!(json["request_id"], 3);
    assert_eq!(json["candidates"].as_array().unwrap().len(), 1);
    assert_eq!(json["candidates"][0]["completion"], "frob start");
    assert_eq!(json["candidates"][0]["source"], "history");
}

#[test]
fn nonsense_is_answered_and_the_next_message_is_heard() {
    let daemon = Daemon::start();
    let mut wire = daemon.home.wire();
    assert_eq!(wire.record(&["7", "dance"])[..3], ["7", "error", "bad_request"]);
    assert_eq!(wire.record(&["8", "finished", "s", "one"])[..3], ["8", "error", "bad_request"]);
    wire.raw(b"6\x009\0complete\0s\0/\0\xff\xfe\0\0");
    assert_eq!(wire.reads_record()[..3], ["9", "error", "bad_request"]);
    assert_eq!(wire.record(&["10", "complete", "s", "/", "x", ""])[..2], ["10", "complete"]);
    let mut wire = daemon.home.wire();
    assert_eq!(wire.json(json!({"request_id": 4, "type": "dance"}))["error"]["code"], "bad_request");
    assert_eq!(wire.sends_json(json!("just text")).reads_json()["type"], "error");
    // Parsing it would keep every shell waiting for seconds.
    let long = "a;".repeat(40_000);
    for (kind, field) in [("complete", "left"), ("detect", "line"), ("ask", "query"), ("translate", "query")] {
        let answer = wire.json(json!({"request_id": 6, "type": kind, "cwd": "/", field: long}));
        assert_eq!(answer["error"]["code"], "bad_request", "{kind}");
    }
    assert_eq!(wire.json(json!({"request_id": 5, "type": "status"}))["request_id"], 5);
}

#[test]
fn a_message_without_end_ends_the_connection_and_nothing_else() {
    let daemon = Daemon::start();
    for (start, bytes) in [("5\0", 70_000), ("{", 1024 * 1024)] {
        let mut wire = daemon.home.wire();
        wire.raw(start.as_bytes()).raw(&vec![b'x'; bytes]);
        assert!(wire.ends().contains("bad_request"));
    }
    assert_eq!(daemon.status()["pid"], daemon.child.id());
}

#[test]
fn a_burst_of_questions_gets_its_last_one_answered() {
    let daemon = Daemon::start();
    let mut wire = daemon.home.wire();
    wire.record(&fields(&finished(1, "frob start")));
    let burst: Vec<u8> =
        (1..=20).flat_map(|id| format!("6\0{id}\0complete\0s\0/here\0frob s\0\0").into_bytes()).collect();
    wire.raw(&burst);
    let answers: Vec<Vec<String>> = (1..=20).map(|_| wire.reads_record()).collect();
    let last = ["20", "complete", "1", "frob start", "", "history"].map(str::to_owned);
    assert!(answers.iter().any(|answer| *answer == last), "{answers:?}");
    let mut ids: Vec<u32> = answers.iter().map(|answer| answer[0].parse().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (1..=20).collect::<Vec<_>>(), "one answer each");
}

#[test]
fn a_client_that_never_reads_holds_nobody_up() {
    let daemon = Daemon::start();
    let mut deaf = std::os::unix::net::UnixStream::connect(daemon.home.socket()).unwrap();
    deaf.set_nonblocking(true).unwrap();
    let message = b"6\x001\0complete\0s\0/\0nothing like it\0\0".repeat(100);
    // Writes until the daemon accepts no more, because both directions are full, or as long as it goes on taking the lines.
    let deadline = Instant::now() + Duration::from_secs(5);
    let mut quiet = Instant::now();
    while quiet.elapsed() < Duration::from_millis(200) && Instant::now() < deadline {
        match std::io::Write::write(&mut deaf, &message) {
            Ok(_) => quiet = Instant::now(),
            Err(_) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
    assert_eq!(daemon.status()["pid"], daemon.child.id());
}

#[test]
fn what_was_acknowledged_survives_a_kill() {
    let mut daemon = Daemon::start();
    let mut wire = daemon.home.wire();
    for seq in 1..=50 {
        assert_eq!(wire.record(&fields(&finished(seq, &format!("echo {seq}"))))[1], "ok");
    }
    daemon.signal(Signal::KILL);
    assert_eq!(daemon.ends(), None);
    assert_eq!(daemon.commands().len(), 50);
}

#[test]
fn a_message_sent_again_is_stored_once() {
    let daemon = Daemon::start();
    let mut wire = daemon.home.wire();
    for _ in 0..3 {
        assert_eq!(wire.record(&fields(&finished(1, "make")))[1], "ok");
    }
    assert_eq!(daemon.commands(), ["make"]);
}

#[test]
fn commands_without_a_session_are_all_stored() {
    let daemon = Daemon::start();
    for command in ["make", "make test"] {
        let answer = daemon.home.wire().json(json!({"type": "finished", "command": command}));
        assert_eq!(answer["type"], "ok");
    }
    let mut commands = daemon.commands();
    commands.sort();
    assert_eq!(commands, ["make", "make test"]);
}

#[test]
fn sigterm_finishes_what_was_asked() {
    let mut daemon = Daemon::start();
    let mut wire = daemon.home.wire();
    wire.record(&["1", "hello", "1"]);
    // Sent in one write, so that the daemon has read the last message when it answers the first.
    let messages = (1..=60).map(|seq| format!("10\0{}\0", finished(seq, &format!("echo {seq}")).join("\0")));
    wire.raw(messages.collect::<String>().as_bytes());
    assert_eq!(wire.reads_record()[1], "ok");
    daemon.signal(Signal::TERM);
    assert_eq!(wire.ends().matches("\x1fok\0").count(), 59, "each is answered");
    assert_eq!(daemon.ends(), Some(0));
    assert!(!daemon.home.socket().exists());
    assert_eq!(daemon.commands().len(), 60);
}

#[test]
fn sigterm_is_obeyed_while_another_process_holds_the_database() {
    let mut daemon = Daemon::start();
    let mut wire = daemon.home.wire();
    assert_eq!(wire.record(&fields(&finished(1, "ls")))[1], "ok");
    let path = daemon.home.path(".local/share/aside/history.db");
    let other = rusqlite::Connection::open(path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for seq in 2..=4 {
        wire.sends_record(&fields(&finished(seq, "make")));
    }
    // A keystroke never waits for the disk; on a loaded machine it takes a moment until the programs are known.
    let deadline = Instant::now() + patience();
    while wire.record(&["9", "complete", "s", "/", "ma", ""]).get(3).map(String::as_str) != Some("make") {
        assert!(Instant::now() < deadline, "a key waits for the disk");
    }
    let asked = Instant::now();
    daemon.signal(Signal::TERM);
    assert_eq!(daemon.ends(), Some(0));
    assert!(asked.elapsed() < Duration::from_secs(8), "{:?}", asked.elapsed());
    assert!(!wire.ends().contains("\x1fok"), "nothing is acknowledged that is not stored");
}

#[test]
fn what_was_asked_before_nonsense_is_still_answered() {
    let daemon = Daemon::start();
    let mut wire = daemon.home.wire();
    wire.raw(format!("10\0{}\0nonsense\0", finished(1, "make").join("\0")).as_bytes());
    let said = wire.ends();
    assert!(said.contains("1\x1fok\0") && said.contains("0\x1ferror\x1fbad_request"), "{said:?}");
}

#[test]
fn a_shell_that_comes_when_it_wants_to_go_is_served() {
    let home = Home::new();
    home.write(".config/aside/config.toml", "daemon.idle_exit_s = 3\n");
    let daemon = Daemon::start_in(home);
    // The daemon does not exit while a client is connected: however slow this test is, it is still there to be stopped.
    let mut wire = daemon.home.wire();
    for _ in 0..3 {
        drop(wire);
        // Gives the daemon time to notice the disconnect.
        std::thread::sleep(Duration::from_millis(200));
        daemon.signal(Signal::STOP);
        wire = daemon.home.wire();
        wire.sends_record(&["1", "hello", "1"]);
        // Longer than the idle timeout: the daemon finds the timeout and the new client at once.
        std::thread::sleep(Duration::from_millis(3500));
        daemon.signal(Signal::CONT);
        assert_eq!(wire.reads_record()[1], "hello");
    }
}

#[test]
fn lines_that_begin_with_a_space_or_carry_a_secret_are_not_stored() {
    let daemon = Daemon::start();
    let mut wire = daemon.home.wire();
    for (seq, command) in
        [" echo hidden", "export AWS_SECRET_ACCESS_KEY=q8Zr4Tn2LwK7vB3xM9pS5dF1gH6jC0yT4aXe7Ub2", "echo shown"]
            .iter()
            .enumerate()
    {
        assert_eq!(wire.record(&fields(&finished(seq + 1, command)))[1], "ok");
    }
    assert_eq!(daemon.commands(), ["echo shown"]);
    assert_eq!(wire.record(&["9", "complete", "s", "/here", "export", ""]), ["9", "complete", "0"]);
}

#[test]
fn it_goes_when_nobody_needs_it() {
    let home = Home::new();
    home.write(".config/aside/config.toml", "daemon.idle_exit_s = 1\n");
    let mut daemon = Daemon::start_in(home);
    assert_eq!(daemon.ends(), Some(0));
    assert!(!daemon.home.socket().exists());
}

#[test]
fn it_stays_while_a_shell_waits_at_its_prompt() {
    let home = Home::new();
    home.write(".config/aside/config.toml", "daemon.idle_exit_s = 1\n");
    let daemon = Daemon::start_in(home);
    let mut wire = daemon.home.wire();
    wire.record(&["1", "hello", "1"]);
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(wire.record(&["2", "complete", "s", "/", "x", ""])[1], "complete");
}

#[test]
fn a_broken_configuration_leaves_the_last_good_one_in_force() {
    let home = Home::new();
    home.write(".config/aside/config.toml", "complete.ghost_style = 'fg=cyan'\n");
    let daemon = Daemon::start_in(home);
    let style = || daemon.home.wire().record(&["1", "hello", "1"])[5].clone();
    assert_eq!(style(), "fg=cyan");
    daemon.home.write(".config/aside/config.toml", "complete.ghost_stile = 'fg=red'\n");
    let deadline = Instant::now() + patience();
    let notices = || daemon.status()["notices"].to_string();
    while !notices().contains("ghost_style") {
        assert!(Instant::now() < deadline, "no notice: {}", notices());
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(style(), "fg=cyan");
    daemon.home.write(".config/aside/config.toml", "complete.ghost_style = 'fg=red'\n");
    while style() != "fg=red" {
        assert!(Instant::now() < deadline, "the mended file is not in force");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_broken_database_is_set_aside_and_the_daemon_goes_on() {
    let home = Home::new();
    home.write(".local/share/aside/history.db", "this is no database, it is a poem\n".repeat(100));
    let daemon = Daemon::start_in(home);
    let mut wire = daemon.home.wire();
    assert_eq!(wire.record(&fields(&finished(1, "make")))[1], "ok");
    assert_eq!(daemon.commands(), ["make"]);
    let notices = daemon.status()["notices"].clone();
    assert_eq!(notices.to_string().matches("corrupt").count(), 1, "told once: {notices}");
    let files = std::fs::read_dir(daemon.home.path(".local/share/aside")).unwrap();
    let kept = files.flatten().find(|file| file.file_name().to_string_lossy().contains("corrupt")).unwrap();
    assert!(std::fs::read_to_string(kept.path()).unwrap().contains("poem"));
}

#[test]
fn a_history_that_could_not_be_opened_is_opened_later() {
    let home = Home::new();
    home.write(".local/share/aside", "in the way");
    let daemon = Daemon::start_in(home);
    let mut wire = daemon.home.wire();
    assert_eq!(wire.record(&fields(&finished(1, "make")))[1..3], ["error", "unavailable"]);
    std::fs::remove_file(daemon.home.path(".local/share/aside")).unwrap();
    let deadline = Instant::now() + patience();
    while wire.record(&fields(&finished(1, "make")))[1] != "ok" {
        assert!(Instant::now() < deadline, "it is not opened");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(daemon.commands(), ["make"]);
}

#[test]
fn a_pipe_for_a_history_file_holds_nobody_up() {
    let daemon = Daemon::start();
    let pipe = daemon.home.path("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
    let mut wire = daemon.home.wire();
    wire.record(&["1", "hello", "1", "0.1.0", "zsh", "5.9", "s", "1", pipe.to_str().unwrap(), ""]);
    assert_eq!(wire.record(&fields(&finished(2, "make")))[1], "ok");
}

#[test]
fn an_import_is_known_to_a_running_daemon() {
    let daemon = Daemon::start();
    daemon.home.write(".zsh_history", ": 1700000000:0;ls -la\n");
    daemon.home.aside_does(&["history", "import", "zsh"]);
    let deadline = Instant::now() + patience();
    while daemon.home.wire().record(&["1", "complete", "s", "/", "ls", ""])[2] == "0" {
        assert!(Instant::now() < deadline, "the import is not known");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_newer_plugin_makes_it_go_and_an_older_one_does_not() {
    let mut daemon = Daemon::start();
    assert_eq!(daemon.home.wire().record(&["1", "hello", "1", "0.0.1", "zsh"])[1], "hello");
    assert_eq!(daemon.status()["pid"], daemon.child.id());
    assert_eq!(daemon.home.wire().record(&["1", "hello", "1", "99.0.0", "zsh"])[1], "hello");
    assert_eq!(daemon.ends(), Some(0));
}

#[test]
fn a_new_program_takes_over_unnoticed() {
    let home = Home::new();
    let program = home.path("bin/aside");
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    programs::copy(ASIDE, &program);
    let child = spawn(&home, program.to_str().unwrap());
    let daemon = Daemon { home, child };
    let mut wire = daemon.home.wire();
    assert_eq!(wire.record(&fields(&finished(1, "frob test")))[1], "ok");

    // A program that does not run is not taken for a new version.
    let new = daemon.home.path("bin/new");
    programs::write(&new, b"#!/bin/sh\nexit 1\n");
    std::fs::rename(&new, &program).unwrap();
    let deadline = Instant::now() + patience();
    while !daemon.status()["notices"].to_string().contains("does not run") {
        daemon.home.wire().record(&["1", "hello", "1", "0.1.0", "zsh"]);
        assert!(Instant::now() < deadline, "the broken program was not noticed");
        std::thread::sleep(Duration::from_millis(20));
    }

    programs::copy(ASIDE, &new);
    std::fs::rename(&new, &program).unwrap();
    let inode = |path: &str| std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(path).unwrap());
    let wanted = inode(program.to_str().unwrap());
    let running = format!("/proc/{}/exe", daemon.child.id());
    while inode(&running) != wanted {
        // Every `hello` is answered, before and after the handover.
        assert_eq!(daemon.home.wire().record(&["1", "hello", "1", "0.1.0", "zsh"])[1], "hello");
        assert!(Instant::now() < deadline, "the new program does not take over");
        std::thread::sleep(Duration::from_millis(20));
    }
    let answer = daemon.home.wire().record(&["2", "complete", "s", "/here", "frob", ""]);
    assert_eq!(answer[3], "frob test");
    assert!(is_running(daemon.pid()));
    assert!(wire.ends().is_empty(), "the old connection ended");
}

#[test]
fn a_stranger_is_refused() {
    // Only root can act as two users.
    if !rustix::process::getuid().is_root() {
        return;
    }
    let daemon = Daemon::start();
    let socket = daemon.home.socket();
    let open = |path: &std::path::Path| std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).unwrap();
    socket.ancestors().take(3).for_each(open);
    let mut stranger = daemon.home.command("setpriv");
    let script =
        format!("zmodload zsh/net/socket zsh/system; zsocket {}; sysread -i $REPLY; print ended $?", socket.display());
    stranger.args(["--reuid", "65534", "--clear-groups", "zsh", "-fc", &script]);
    let said = crate::harness::home::run(&mut stranger, "");
    assert!(said.stdout.contains("ended 5"), "{said:?}");
    assert!(daemon.status()["notices"].to_string().contains("user 65534"));
}

/// An open shell still has the plugin, which starts a daemon when there is none.
#[test]
fn what_was_uninstalled_does_not_come_back() {
    let mut home = Home::new();
    home.aside_does(&["init", "zsh"]);
    home.aside_does(&["daemon", "start"]);
    home.aside_does(&["uninstall", "--yes"]);
    let data = home.path(".local/share/aside");
    // As the plugins name it.
    let socket = home.socket();
    home.set_env("ASIDE_SOCKET", &socket.display().to_string());
    for _ in 0..2 {
        let started = home.aside(&["daemon", "start", "--quiet"]);
        assert!(started.code != 0 && started.stderr.contains("was uninstalled"), "{started:?}");
        assert_eq!(started.stdout, "uninstalled\n");
        let asked = home.aside(&["translate", "list files"]);
        assert!(!data.exists() && !home.path(".local/state/aside").exists(), "{asked:?}");
    }
    let left: Vec<_> = std::fs::read_dir(socket.parent().unwrap()).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    // A new shell or an explicit start brings it back.
    home.aside_does(&["init", "zsh"]);
    home.aside_does(&["daemon", "start", "--quiet"]);
    assert!(data.exists());
    home.aside_does(&["uninstall", "--yes"]);
    home.aside_does(&["daemon", "start"]);
    assert!(data.exists());
}
