//! A daemon of a user who is not root, on a machine with others: who may connect, whose directories it trusts, and what other users put where
//! it writes. Only root can act as several users, so anyone else skips these.

use std::fs::{self, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;

use crate::harness::home::{ASIDE, Home, Said, run};
use crate::harness::programs;

const ANN: u32 = 60_001;
const EVE: u32 = 60_002;

/// A home of Ann's, with a program that she can run, wherever it was built. `None` where only one user can act.
fn anns() -> Option<Home> {
    if !rustix::process::getuid().is_root() {
        eprintln!("skipped: only root can act as several users");
        return None;
    }
    let home = Home::new();
    programs::copy(ASIDE, home.path("aside"));
    home.write("precious", "precious");
    let root = top(&home);
    for place in
        [root.clone(), root.join("run"), root.join("tmp"), home.path(""), home.path("aside"), home.path("precious")]
    {
        chown(place, Some(ANN), Some(ANN)).unwrap();
    }
    Some(home)
}

fn top(home: &Home) -> PathBuf {
    home.path("").parent().unwrap().to_owned()
}

/// Runs a program of that home as this user.
fn becomes(home: &Home, user: u32, words: &[&str]) -> Said {
    let user = user.to_string();
    let mut command = home.command("setpriv");
    command.args(["--reuid", &user, "--regid", &user, "--clear-groups"]).args(words);
    run(&mut command, "")
}

fn ann(home: &Home, args: &[&str]) -> Said {
    let aside = home.path("aside").display().to_string();
    becomes(home, ANN, &[&[aside.as_str()], args].concat())
}

fn eve(home: &Home, line: &str) -> Said {
    becomes(home, EVE, &["sh", "-c", line])
}

fn open(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// What the socket says to this user, who asks for the status and approves a task.
fn said_to(user: u32, socket: &Path) -> String {
    let socket = socket.to_owned();
    let thread = std::thread::spawn(move || {
        let (user, group) = (rustix::process::Uid::from_raw(user), rustix::process::Gid::from_raw(user));
        #[cfg(target_os = "linux")]
        rustix::thread::set_thread_groups(&[]).unwrap();
        rustix::thread::set_thread_res_gid(group, group, group).unwrap();
        rustix::thread::set_thread_res_uid(user, user, user).unwrap();
        let Ok(mut stream) = UnixStream::connect(socket) else { return "(not connected)".to_owned() };
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let _ = stream.write_all(format!("{}\n", json!({ "type": "status", "request_id": 1 })).as_bytes());
        let mut said = vec![0; 4096];
        let count = stream.read(&mut said).unwrap_or_default();
        String::from_utf8_lossy(&said[..count]).into_owned()
    });
    thread.join().unwrap()
}

#[test]
fn the_daemon_of_a_user_speaks_with_nobody_else() {
    let Some(home) = anns() else { return };
    let said = ann(&home, &["daemon", "start"]);
    assert!(said.stdout.starts_with("started"), "{said:?}");
    let socket = home.socket();
    assert_eq!(fs::metadata(&socket).unwrap().uid(), ANN);
    assert_eq!(said_to(EVE, &socket), "(not connected)");
    // Every door is open, and the socket too.
    for door in socket.ancestors().take(3) {
        open(door, 0o777);
    }
    assert!(said_to(ANN, &socket).contains("\"type\":\"status\""));
    for (name, user) in [("another user", EVE), ("nobody", 65_534), ("root", 0)] {
        assert_eq!(said_to(user, &socket), "", "{name} is heard");
    }
    for (name, line) in [
        ("reads the history", "cat .local/share/aside/history.db"),
        ("reads the log", "cat .local/state/aside/daemon.log"),
        ("writes settings", "mkdir -p .config/aside && echo x > .config/aside/config.toml"),
        ("opens the lock", &format!("echo x >> {}.lock", socket.display())),
        ("ends the daemon", &format!("kill -9 $(cat {}.lock)", socket.display())),
    ] {
        open(&home.path(""), 0o755);
        let said = eve(&home, line);
        assert!(said.code != 0 && said.stdout.is_empty(), "{name}: {said:?}");
    }
    // A client of another user takes nothing from it either.
    let aside = home.path("aside").display().to_string();
    open(&home.path("aside"), 0o755);
    let said = becomes(
        &home,
        EVE,
        &["env", &format!("ASIDE_SOCKET={}", socket.display()), &aside, "complete", "--", "git st"],
    );
    assert!(said.code != 0 && said.stdout.is_empty(), "{said:?}");
    // With a directory of her own again, or it would not count as hers.
    open(socket.parent().unwrap(), 0o700);
    let said = ann(&home, &["daemon", "status"]);
    assert_eq!(said.code, 0, "{said:?}");
    ann(&home, &["daemon", "stop"]);
}

/// What Eve does before Ann's daemon starts, in directories that are Eve's or open to all: the daemon does not start there, or elsewhere, and
/// nothing of Ann's is changed.
#[test]
fn what_others_prepare_is_not_walked_into() {
    type Prepare = fn(&Home, &Path);
    // Each with the variable of Ann's that names a directory where all may write.
    let cases: &[(&str, &str, Prepare)] = &[
        ("a directory with our name", "TMPDIR", |_, open| own(&open.join(format!("aside-{ANN}")))),
        ("a link with our name", "TMPDIR", |home, open| {
            eve_links(&home.path("precious"), &open.join(format!("aside-{ANN}")));
        }),
        ("a link with our name to a directory of ours", "TMPDIR", |home, open| {
            eve_links(&home.path(""), &open.join(format!("aside-{ANN}")));
        }),
        ("a file with our name", "TMPDIR", |_, open| {
            fs::write(open.join(format!("aside-{ANN}")), "").unwrap();
            chown(open.join(format!("aside-{ANN}")), Some(EVE), Some(EVE)).unwrap();
        }),
        ("a directory of the runtime", "ASIDE_SOCKET", |_, open| own(&open.join("x"))),
        ("a lock", "ASIDE_SOCKET", |_, open| {
            ours(&open.join("x"));
            fs::write(open.join("x/s.lock"), "1\n").unwrap();
            chown(open.join("x/s.lock"), Some(EVE), Some(EVE)).unwrap();
            self::open(&open.join("x/s.lock"), 0o666);
        }),
        ("a lock that is a link", "ASIDE_SOCKET", |home, open| {
            ours(&open.join("x"));
            eve_links(&home.path("precious"), &open.join("x/s.lock"));
        }),
        ("a lock that is another name of a file", "ASIDE_SOCKET", |home, open| {
            ours(&open.join("x"));
            fs::hard_link(home.path("precious"), open.join("x/s.lock")).unwrap();
        }),
        ("a lock that is a pipe", "ASIDE_SOCKET", |_, open| {
            ours(&open.join("x"));
            let mode = rustix::fs::Mode::from_raw_mode(0o666);
            rustix::fs::mkfifoat(rustix::fs::CWD, open.join("x/s.lock"), mode).unwrap();
        }),
    ];
    for (name, variable, prepare) in cases {
        let Some(mut home) = anns() else { return };
        let everybodys = top(&home).join("all");
        fs::create_dir(&everybodys).unwrap();
        open(&top(&home), 0o755);
        open(&everybodys, 0o1777);
        prepare(&home, &everybodys);
        match *variable {
            "TMPDIR" => {
                home.set_env("XDG_RUNTIME_DIR", everybodys.to_str().unwrap());
                home.set_env("TMPDIR", everybodys.to_str().unwrap());
            }
            _ => home.set_env("ASIDE_SOCKET", everybodys.join("x/s").to_str().unwrap()),
        }
        let said = ann(&home, &["daemon", "start"]);
        assert!(said.code != 0 && !said.stderr.trim().is_empty(), "{name}: {said:?}");
        assert_eq!(home.read("precious"), "precious", "{name}");
        assert!(!home.path("aside.sock").exists(), "{name}");
    }
}

/// A directory of Eve's, open to all.
fn own(dir: &Path) {
    fs::create_dir(dir).unwrap();
    chown(dir, Some(EVE), Some(EVE)).unwrap();
    open(dir, 0o777);
}

/// A directory of Ann's that all may write to, since she was careless.
fn ours(dir: &Path) {
    fs::create_dir(dir).unwrap();
    chown(dir, Some(ANN), Some(ANN)).unwrap();
    open(dir, 0o777);
}

fn eve_links(to: &Path, link: &Path) {
    symlink(to, link).unwrap();
    std::os::unix::fs::lchown(link, Some(EVE), Some(EVE)).unwrap();
}

/// Settings and rules that another user could have written count for nothing, wherever they come from.
#[test]
fn settings_that_others_could_have_written_are_not_read() {
    type Prepare = fn(&Path);
    let cases: &[(&str, Prepare)] = &[
        ("a file of another user", |file| chown(file, Some(EVE), Some(EVE)).unwrap()),
        ("a file that others may write", |file| open(file, 0o666)),
        ("a directory of another user", |file| chown(file.parent().unwrap(), Some(EVE), Some(EVE)).unwrap()),
        ("a directory that others may write", |file| open(file.parent().unwrap(), 0o777)),
        ("a link of another user", |file| {
            let real = file.with_extension("real");
            fs::rename(file, &real).unwrap();
            eve_links(&real, file);
        }),
        ("a file in a directory for all", |file| {
            let everybodys = file.parent().unwrap().join("all");
            fs::create_dir(&everybodys).unwrap();
            open(&everybodys, 0o1777);
            fs::rename(file, everybodys.join("config.toml")).unwrap();
            symlink(everybodys.join("config.toml"), file).unwrap();
            std::os::unix::fs::lchown(file, Some(ANN), Some(ANN)).unwrap();
        }),
    ];
    for (name, prepare) in cases {
        let Some(home) = anns() else { return };
        home.write(".config/aside/config.toml", "[task]\nkeep_days = 77\n");
        for place in [".config", ".config/aside", ".config/aside/config.toml"] {
            chown(home.path(place), Some(ANN), Some(ANN)).unwrap();
        }
        let told = |home: &Home| ann(home, &["config", "get", "task.keep_days"]).stdout;
        assert_eq!(told(&home).trim(), "77", "{name}");
        prepare(&home.path(".config/aside/config.toml"));
        assert_ne!(told(&home).trim(), "77", "{name}");
    }
}
