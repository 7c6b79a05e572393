//! A file system that never answers, like a network mount whose server has gone: every kind of message names a directory on it, and
//! the daemon still answers everything else.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::home::Home;
use crate::harness::socket_client::SocketClient;
use crate::harness::tasks::TaskClient;

/// A FUSE mount whose server reads no request. Every access blocks until this is dropped.
struct Hang {
    directory: String,
    server: Child,
}

impl Hang {
    /// `None` where this user may not mount.
    fn at(home: &Home, name: &str) -> Option<Self> {
        std::fs::create_dir_all(home.path(name)).unwrap();
        let directory = home.path(name).display().to_string();
        let script = format!(
            "exec 3<>/dev/fuse && mount -i -t fuse -o fd=3,rootmode=40000,user_id=$(id -u),group_id=$(id -g) hang '{directory}' \
             && echo mounted && exec sleep 3600 <&- >&-"
        );
        let mut server = Command::new("sh");
        let mut server = server.args(["-c", &script]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut said = String::new();
        std::io::Read::read_to_string(server.stdout.as_mut().unwrap(), &mut said).unwrap();
        if said.trim() == "mounted" {
            return Some(Self { directory, server });
        }
        let _ = server.wait();
        None
    }
}

impl Drop for Hang {
    fn drop(&mut self) {
        // When the server ends, every blocked access fails with an error.
        let _ = self.server.kill();
        let _ = self.server.wait();
        let _ = Command::new("umount").args(["-l", &self.directory]).status();
    }
}

/// Every kind of message, with a path on the mount wherever one is possible.
fn messages(there: &str) -> Vec<Value> {
    let file = format!("{there}/file");
    let message = |kind: &str, fields: Value| {
        let mut message = json!({ "type": kind, "session_id": "s", "cwd": there, "shell": "zsh", "wait": true });
        message.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        message
    };
    let task = |op: &str, fields: Value| {
        let mut message = message("task", json!({ "op": op }));
        message.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        message
    };
    vec![
        task("rules", json!({})),
        task("ask", json!({ "text": "run the tests" })),
        task("ask", json!({ "text": "search for frobnicate" })),
        task("ask", json!({ "text": "review my changes", "active": file })),
        task("list", json!({})),
        task("follow", json!({})),
        task("page", json!({})),
        message("complete", json!({ "left": "cat fi" })),
        message("complete", json!({ "left": format!("cat {there}/f") })),
        message("complete", json!({ "left": "git add " })),
        message("complete", json!({ "left": "make t" })),
        message("complete", json!({ "left": format!("{there}/bin/x") })),
        message("translate", json!({ "query": "delete all log files", "now": true })),
        message("translate", json!({ "query": format!("show {file}"), "now": true })),
        message("explain", json!({ "command": format!("rm {file}") })),
        message("ask", json!({ "query": "how many files are here", "number": 1 })),
        message("suggest", json!({ "command": "make", "exit_status": 2, "seq": 1 })),
        message("detect", json!({ "line": "show me the big files", "phase": "before" })),
        message("detect", json!({ "line": format!("{there}/bin/x please"), "phase": "after", "exit_status": 127 })),
        message("outcome", json!({ "action": "run", "query": "q", "suggestion": "s", "final": format!("cat {file}") })),
        message("wrong", json!({ "line": "show me the big files" })),
        message("finished", json!({ "seq": 2, "command": format!("cat {file}"), "exit_status": 1 })),
        message(
            "capture",
            json!({ "mark": "5f1c9a2be07d4413", "tty": file, "tmux": format!("{there}/tmux,1,0"), "pane": "%0" }),
        ),
        message("watching", json!({ "tty": file, "tier": "tmux", "pid": 1 })),
        message("captured", json!({ "tty": file, "mark": "x", "seq": 1, "output": "o", "bytes": 1 })),
        message("recall", json!({ "tty": file })),
        message("names", json!({ "kind": "path", "part": 0, "names": format!("{there}/bin") })),
        message("why", json!({})),
        message("reload", json!({})),
        message("status", json!({})),
        message("hello", json!({ "protocol": 1, "histfile": format!("{there}/history") })),
    ]
}

/// Checks that a user in another directory is served meanwhile, with a reply that needs a lookup.
#[track_caller]
fn is_well(home: &Home, after: &str) {
    let here = home.path("here").display().to_string();
    let asked = json!({ "type": "complete", "request_id": 1, "session_id": "other", "cwd": here, "left": "cat note", "shell": "zsh", "wait": true });
    let answer = home.wire().json(asked);
    assert!(answer.to_string().contains("notes.txt"), "{after}: {answer}");
    let rules = json!({ "type": "task", "request_id": 1, "op": "rules", "cwd": here });
    assert_eq!(home.wire().json(rules)["type"], "task", "{after}");
    assert_eq!(home.wire().json(json!({ "type": "status", "request_id": 1 }))["type"], "status", "{after}");
}

#[test]
fn hang_a_mount_that_never_answers_holds_nothing_up() {
    let home = Home::new();
    home.write("here/notes.txt", "");
    home.aside_does(&["daemon", "start"]);
    is_well(&home, "at the beginning");
    let Some(hang) = Hang::at(&home, "mount") else {
        eprintln!("not tried: this user may not mount a file system");
        return;
    };
    let mut wires: Vec<SocketClient> = Vec::new();
    for round in 0..if std::env::var_os("ASIDE_TEST_HANG").is_some() { 40 } else { 4 } {
        for (number, message) in messages(&hang.directory).into_iter().enumerate() {
            let mut message = message;
            message["request_id"] = json!(number + 1);
            let mut wire = home.wire();
            wire.sends_json(message.clone());
            wires.push(wire);
            is_well(&home, &format!("round {round}: {message}"));
        }
    }
    // The user types a path: each prefix is another directory of the dead mount.
    for number in 0..40 {
        let left = format!("cat {}/{number}/{number}/f", hang.directory);
        let mut wire = home.wire();
        wire.sends_json(
            json!({ "type": "complete", "request_id": 1, "session_id": "s", "cwd": "/", "left": left, "shell": "zsh" }),
        );
        wires.push(wire);
        is_well(&home, &left);
    }
    drop(hang);
    drop(wires);
    is_well(&home, "when the mount has gone");
    let stopped = std::time::Instant::now();
    home.aside_does(&["daemon", "stop"]);
    assert!(stopped.elapsed() < Duration::from_secs(30));
}

/// The mount dies while a proposal in it waits.
#[test]
fn hang_a_task_whose_directory_dies_holds_nothing_up() {
    let home = Home::new();
    home.write("here/notes.txt", "");
    home.write("project/Makefile", "test:\n\ttrue\n");
    home.aside_does(&["daemon", "start"]);
    let mut ada = TaskClient::at(&home, &home.path("project"));
    let task = ada.asks("run `make test`");
    assert_eq!(ada.rests(&task)["state"], "WAITING_APPROVAL");
    let shown = ada.sees(&task);
    let Some(hang) = Hang::at(&home, "project") else {
        eprintln!("not tried: this user may not mount a file system");
        return;
    };
    for op in ["show", "edit", "approve", "retry", "show", "approve", "cancel"] {
        let mut answer = shown.answer("a test");
        answer["text"] = json!("make other");
        let mut someone = TaskClient::at(&home, &home.path("here"));
        someone.sends(op, answer);
        is_well(&home, op);
    }
    drop(hang);
    is_well(&home, "when the mount has gone");
}

/// Linux only; libc has no constant for it.
const F_SETSIG: libc::c_int = 10;

/// A process that opens the file blocks for as long as this is held, or until the kernel breaks the lease after `fs.lease-break-time`.
struct Lease(#[expect(dead_code, reason = "held until it is dropped")] File);

impl Lease {
    #[expect(unsafe_code, reason = "rustix has no call for leases")]
    fn on(path: &Path) -> Self {
        let file = File::open(path).unwrap();
        let fd = file.as_raw_fd();
        // SAFETY: plain integers for an open descriptor. SIGURG announces the break: it is ignored by default, whereas SIGIO would kill.
        let leased = unsafe {
            libc::fcntl(fd, F_SETSIG, libc::SIGURG) == 0 && libc::fcntl(fd, libc::F_SETLEASE, libc::F_WRLCK) == 0
        };
        assert!(leased, "{}: {}", path.display(), std::io::Error::last_os_error());
        Self(file)
    }
}

/// Every file that Aside stores and reads again while it serves.
#[test]
fn hang_a_leased_file_of_its_own_holds_nothing_up() {
    let home = Home::new();
    home.write("here/notes.txt", "");
    let files = [
        (".config/aside/config.toml", "complete.max_candidates = 5\n"),
        (".config/aside/specs/frob.toml", "about = 'x'\n"),
        (".config/aside/rules.toml", "# none\n"),
        (".local/state/aside/wrong.jsonl", "{}\n"),
        (".local/state/aside/privacy.jsonl", "{}\n"),
    ];
    for (file, _) in files {
        home.write(file, "");
    }
    home.aside_does(&["daemon", "start"]);
    is_well(&home, "at the beginning");
    for (file, text) in files {
        home.write(file, text);
        let lease = Lease::on(&home.path(file));
        let began = std::time::Instant::now();
        // Longer than the poll interval between two reads of a file.
        while began.elapsed() < Duration::from_millis(2500) {
            let asked = std::time::Instant::now();
            is_well(&home, file);
            let mut wire = home.wire();
            let here = home.path("here").display().to_string();
            for (number, mut message) in messages(&here).into_iter().enumerate() {
                message["request_id"] = json!(number + 1);
                wire.sends_json(message);
            }
            is_well(&home, file);
            assert!(asked.elapsed() < Duration::from_millis(2000), "{file}: {:?}", asked.elapsed());
        }
        drop(lease);
    }
    is_well(&home, "without a lease");
    home.write(".config/aside/config.toml", "complete.max_candidates = 99\n");
    let deadline = std::time::Instant::now() + crate::harness::patience();
    while !home.aside(&["daemon", "status"]).stdout.contains("must be between 1 and 20") {
        assert!(std::time::Instant::now() < deadline, "a change is seen again");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The home directory is on a network server that goes away.
#[test]
fn hang_directories_of_its_own_that_die_hold_nothing_up() {
    for name in [".config/aside", ".local/share/aside", ".local/state/aside"] {
        let home = Home::new();
        home.write("here/notes.txt", "");
        home.write(".config/aside/config.toml", "complete.max_candidates = 5\n");
        home.aside_does(&["daemon", "start"]);
        is_well(&home, "at the beginning");
        let Some(hang) = Hang::at(&home, name) else {
            eprintln!("not tried: this user may not mount a file system");
            return;
        };
        let here = home.path("here").display().to_string();
        let mut wires: Vec<SocketClient> = Vec::new();
        for (number, mut message) in messages(&here).into_iter().enumerate() {
            message["request_id"] = json!(number + 1);
            let mut wire = home.wire();
            wire.sends_json(message.clone());
            wires.push(wire);
            let complete = json!({ "type": "complete", "request_id": 1, "session_id": "other", "cwd": here, "left": "cat note", "shell": "zsh", "wait": true });
            let answer = home.wire().json(complete);
            assert!(answer.to_string().contains("notes.txt"), "{name}: {message}: {answer}");
        }
        drop(hang);
    }
}
