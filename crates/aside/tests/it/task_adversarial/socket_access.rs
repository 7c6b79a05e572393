//! The socket and the files behind it: which users may connect, which may read, and what happens to a client that sends too much.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::fixture::{Attempt, Fixture};
use crate::harness::tasks::ShownProposal;

/// The uid of the user `nobody`.
const FOREIGN: u32 = 65534;

pub fn all() -> (Vec<Attempt>, usize) {
    let mut stage = Fixture::open("socket_access");
    stage.twin("the person at the socket", |stage| {
        let shown = waits(stage);
        assert_eq!(said_by_us(stage, &shown)["type"], "task");
        assert_eq!(stage.outcome(&shown.task), "COMPLETED");
    });
    for (name, path) in [
        ("others may use the socket", "run/aside.sock"),
        ("others may enter where the socket is", "run"),
        ("others may read the logs", "home/.local/state/aside/tasks"),
        ("others may read a log", "home/.local/state/aside/tasks/"),
    ] {
        stage.attempt(name, |stage| {
            let shown = waits(stage);
            let root = stage.home.path("").parent().unwrap().to_owned();
            let path = if path.ends_with('/') { stage.log(&shown.task) } else { root.join(path) };
            let mode = fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "{} is {mode:o}", path.display());
        });
    }
    foreign(&mut stage);
    loud(&mut stage);
    stage.done()
}

#[track_caller]
fn waits(stage: &mut Fixture) -> ShownProposal {
    let task = stage.ada.asks("run `touch canary`");
    assert_eq!(stage.ada.rests(&task)["state"], "WAITING_APPROVAL");
    stage.ada.sees(&task)
}

fn said_by_us(stage: &mut Fixture, shown: &ShownProposal) -> serde_json::Value {
    stage.ada.approves(shown)
}

fn line(shown: &ShownProposal) -> String {
    let mut answer = shown.answer("ada");
    answer["type"] = json!("task");
    answer["request_id"] = json!(1);
    answer["op"] = json!("approve");
    format!("{answer}\n")
}

/// Another user of the machine. Only root can switch users.
fn foreign(stage: &mut Fixture) {
    if !rustix::process::getuid().is_root() {
        eprintln!("skipped: only root can try the socket as another user");
        return;
    }
    stage.attempt("another user, as things are", |stage| {
        let shown = waits(stage);
        let socket = stage.home.socket();
        assert!(as_foreign(&socket, &line(&shown)).is_err());
    });
    stage.attempt("another user where every door stands open", |stage| {
        let shown = waits(stage);
        let socket = stage.home.socket();
        let doors: Vec<_> = socket.ancestors().take(3).map(Path::to_owned).collect();
        let modes: Vec<_> = doors.iter().map(|door| fs::metadata(door).unwrap().permissions()).collect();
        for door in &doors {
            fs::set_permissions(door, fs::Permissions::from_mode(0o777)).unwrap();
        }
        let said = as_foreign(&socket, &line(&shown));
        for (door, mode) in doors.iter().zip(modes) {
            fs::set_permissions(door, mode).unwrap();
        }
        assert_eq!(said.unwrap_or_default(), "", "the daemon speaks with another user");
    });
    stage.attempt("another user who reads and writes a log", |stage| {
        let shown = waits(stage);
        let log = stage.log(&shown.task);
        let done = elsewhere(move || (fs::read(&log).is_ok(), fs::OpenOptions::new().append(true).open(&log).is_ok()));
        assert_eq!(done, (false, false));
    });
}

/// The daemon's reply to another user.
fn as_foreign(socket: &Path, line: &str) -> std::io::Result<String> {
    let (socket, line) = (socket.to_owned(), line.to_owned());
    elsewhere(move || {
        let mut stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        let _ = stream.write_all(line.as_bytes());
        let mut said = String::new();
        let _ = stream.read_to_string(&mut said);
        Ok(said)
    })
}

/// On a thread that runs as another user from its first step to its end.
fn elsewhere<T: Send + 'static>(act: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::spawn(move || {
        let (user, group) = (rustix::process::Uid::from_raw(FOREIGN), rustix::process::Gid::from_raw(FOREIGN));
        #[cfg(target_os = "linux")]
        rustix::thread::set_thread_groups(&[]).unwrap();
        rustix::thread::set_thread_res_gid(group, group, group).unwrap();
        rustix::thread::set_thread_res_uid(user, user, user).unwrap();
        act()
    });
    thread.join().unwrap()
}

/// An oversized message is rejected, and other clients are not affected.
fn loud(stage: &mut Fixture) {
    type Bytes = fn(&ShownProposal) -> Vec<u8>;
    let cases: [(&str, Bytes); 6] = [
        ("an approval behind eight megabytes", |shown| {
            let mut bytes = vec![b'x'; 8 << 20];
            bytes.extend(line(shown).bytes());
            bytes
        }),
        ("an approval with eight megabytes in it", |shown| {
            line(shown)
                .replace("\"ada\"", &format!("\"{}\"", "x".repeat(8 << 20)))
                .replace(&shown.digest, &"0".repeat(64))
                .into_bytes()
        }),
        ("an approval that is nested too deeply", |shown| {
            line(shown).replace("\"ada\"", &"[".repeat(100_000)).into_bytes()
        }),
        ("an approval in other bytes", |shown| {
            let mut bytes = line(shown).into_bytes();
            bytes.insert(20, 0xff);
            bytes
        }),
        ("an approval with a NUL", |shown| line(shown).replace("approve", "appro\u{0}ve").into_bytes()),
        ("a thousand approvals that are wrong", |shown| {
            line(shown).replace(&shown.digest, &"1".repeat(64)).repeat(1000).into_bytes()
        }),
    ];
    for (name, bytes) in cases {
        stage.attempt(name, |stage| {
            let shown = waits(stage);
            let mut stream = UnixStream::connect(stage.home.socket()).unwrap();
            stream.set_read_timeout(Some(crate::harness::patience())).unwrap();
            let mut reading = stream.try_clone().unwrap();
            let reader = std::thread::spawn(move || {
                let mut said = Vec::new();
                let _ = reading.read_to_end(&mut said);
                String::from_utf8_lossy(&said).into_owned()
            });
            // The daemon may hang up once it has received enough.
            let _ = stream.write_all(&bytes(&shown));
            let _ = stream.shutdown(std::net::Shutdown::Write);
            let said = reader.join().unwrap();
            assert!(!said.contains("\"type\":\"task\""), "{said:.300}");
            assert_eq!(stage.ada.brief(&shown.task)["state"], "WAITING_APPROVAL");
        });
    }
}
