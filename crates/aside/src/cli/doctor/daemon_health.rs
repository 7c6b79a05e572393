//! Checks the daemon: whether it replies, how fast, whether it is the right version, and whether only this user can reach it.

use std::path::Path;

use aside_proto::{Notice, Status};

use crate::cli::doctor::complete;
use crate::cli::doctor::facts::{Answer, Daemon, Facts, Kind, Owned, Program, Socket};
use crate::cli::doctor::report::Finding;
use crate::cli::span;
use crate::paths::MAX_SOCKET_PATH;

/// Above this median the grey text may visibly lag.
const SLOW_US: u64 = 10_000;
const RESTART: &str = "`aside daemon stop`; the next prompt starts a new one";

pub fn daemon(facts: &Facts) -> Vec<Finding> {
    let daemon = &facts.daemon;
    let mut findings = match &daemon.answer {
        Answer::Alive(status) => alive(status, &facts.program, daemon.round_trip),
        Answer::Silent => vec![Finding::fix("it is there and does not answer", RESTART)],
        Answer::Foreign => {
            vec![Finding::fix("another user listens on the socket", "set ASIDE_SOCKET to a path of your own")]
        }
        Answer::Impostor => {
            vec![Finding::fix("what listens on the socket was started by a command of a task", RESTART)]
        }
        Answer::Garbled => vec![Finding::fix("it answers, and the answer makes no sense", RESTART)],
        Answer::Absent => vec![absent(daemon)],
    };
    findings.extend(socket(daemon));
    if let Answer::Alive(status) = &daemon.answer {
        findings.extend(status.notices.iter().filter(|notice| !complete::is_told(notice, facts)).map(notice));
    }
    findings
}

fn alive(status: &Status, program: &Program, round_trip: Option<u64>) -> Vec<Finding> {
    let Status { pid, uptime_s, rss_kb, sessions, .. } = status;
    let greeted = match sessions.len() {
        1 => "one shell has".to_owned(),
        many => format!("{many} shells have"),
    };
    let megabytes = *rss_kb as f64 / 1024.0;
    let mut findings = vec![Finding::ok(format!(
        "running for {}, pid {pid}, {megabytes:.1} MB, {greeted} greeted it",
        span(*uptime_s)
    ))];
    findings.push(version(status, program));
    findings.extend(round_trip.map(speed));
    findings
}

fn version(status: &Status, program: &Program) -> Finding {
    let Status { version, executable, .. } = status;
    if *version == program.version {
        return Finding::ok(format!("its version is ours, {version}"));
    }
    if Path::new(executable) == program.path {
        let what = format!("it is still version {version}; this program is {}", program.version);
        return Finding::note(what)
            .advise("it hands over at the next prompt of a zsh; `aside daemon stop` does it now");
    }
    let what =
        format!("it is version {version} of another installation, {executable}; this one is {}", program.version);
    Finding::fix(what, "remove the one you do not want, then `aside daemon stop`")
}

fn speed(round_trip: u64) -> Finding {
    let what = format!("it answers in {round_trip} µs (median)");
    if round_trip < SLOW_US { Finding::ok(what) } else { Finding::note(what).advise("is the machine very busy?") }
}

fn absent(daemon: &Daemon) -> Finding {
    match daemon.lock_holder {
        Some(pid) => Finding::fix(format!("it runs, pid {pid}, but cannot be reached at its socket"), RESTART),
        None => Finding::note("it is not running").advise("a shell with Aside starts it when it needs it"),
    }
}

fn socket(daemon: &Daemon) -> Vec<Finding> {
    let socket = &daemon.socket;
    let path = socket.path.display();
    if socket.path.as_os_str().len() > MAX_SOCKET_PATH {
        let what = format!("the path of the socket is longer than {MAX_SOCKET_PATH} bytes: {path}");
        return vec![Finding::fix(what, "set ASIDE_SOCKET to a shorter one, in the rc file, above Aside's line")];
    }
    let directory = socket.dir.as_ref().and_then(|dir| directory(socket, dir));
    let file = match &socket.file {
        None => Finding::ok(format!("its socket will be {path}")),
        Some(file) if file.kind == Kind::Socket && daemon.serves_nobody() => {
            Finding::note(format!("{path} is left over from a daemon that has gone; the next one replaces it"))
        }
        Some(file) => socket_file(socket, file),
    };
    directory.into_iter().chain([file]).collect()
}

impl Daemon {
    /// The lock decides, as it does for the daemon itself.
    fn serves_nobody(&self) -> bool {
        matches!(self.answer, Answer::Absent) && self.lock_holder.is_none()
    }
}

fn socket_file(Socket { path, our_uid, .. }: &Socket, file: &Owned) -> Finding {
    let path = path.display();
    if file.kind != Kind::Socket {
        Finding::fix(format!("{path} is not a socket"), "move it away")
    } else if file.uid != *our_uid {
        Finding::fix(format!("{path} belongs to user {}", file.uid), "set ASIDE_SOCKET to a path of your own")
    } else if file.mode & 0o077 != 0 {
        Finding::fix(format!("others can open {path} (mode {:04o}, not 0600)", file.mode), RESTART)
    } else {
        Finding::ok(format!("its socket is {path}, mode {:04o}, yours", file.mode))
    }
}

/// Reports only problems: the socket itself is listed anyway.
fn directory(Socket { path, our_uid, chosen, .. }: &Socket, dir: &Owned) -> Option<Finding> {
    let parent = path.parent().unwrap_or(path).display();
    if *chosen {
        let shared = dir.uid != *our_uid || dir.mode & 0o077 != 0;
        return shared.then(|| {
            Finding::note(format!("others can enter {parent}, where ASIDE_SOCKET puts the socket"))
                .advise("the socket itself lets no other user in; a directory of your own hides it too")
        });
    }
    if dir.uid != *our_uid {
        let what = format!("{parent}, the directory of the socket, belongs to user {}", dir.uid);
        return Some(Finding::fix(what, "set ASIDE_SOCKET to a path of your own"));
    }
    let open = dir.mode & 0o077 != 0;
    open.then(|| {
        let what = format!("others can enter {parent}, the directory of the socket (mode {:04o}, not 0700)", dir.mode);
        Finding::fix(what, format!("chmod 700 {parent}"))
    })
}

/// What follows these prefixes may contain the user's text, or a setting's value.
const CUT: [&str; 3] = ["an answer was lost", "the configuration is not in force", "history.ignore"];

fn notice(Notice { s_ago, text }: &Notice) -> Finding {
    let cut = CUT.iter().find(|start| text.starts_with(*start));
    let text = cut.map_or(text.as_str(), |start| start);
    Finding::note(format!("{} ago: {text}", span(*s_ago)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::facts::healthy;

    fn spoilt(spoil: impl FnOnce(&mut Facts)) -> Vec<Finding> {
        let mut facts = healthy();
        spoil(&mut facts);
        daemon(&facts)
    }

    fn status(facts: &mut Facts) -> &mut Status {
        let Answer::Alive(status) = &mut facts.daemon.answer else { unreachable!("healthy") };
        status
    }

    #[test]
    fn a_daemon_that_is_well_says_so() {
        assert_eq!(
            daemon(&healthy()),
            [
                Finding::ok("running for 1 h 1 min, pid 7, 10.0 MB, one shell has greeted it"),
                Finding::ok("its version is ours, 1.2.3"),
                Finding::ok("it answers in 60 µs (median)"),
                Finding::ok("its socket is /run/user/1000/aside.sock, mode 0600, yours"),
            ]
        );
    }

    #[test]
    fn another_version_hands_over_or_has_to_be_removed() {
        let updated = spoilt(|facts| facts.program.version = "1.3.0".into());
        let advice = "it hands over at the next prompt of a zsh; `aside daemon stop` does it now";
        assert_eq!(updated[1], Finding::note("it is still version 1.2.3; this program is 1.3.0").advise(advice));
        let other = spoilt(|facts| {
            facts.program.version = "1.3.0".into();
            status(facts).executable = "/usr/bin/aside".into();
        });
        let what = "it is version 1.2.3 of another installation, /usr/bin/aside; this one is 1.3.0";
        assert_eq!(other[1], Finding::fix(what, "remove the one you do not want, then `aside daemon stop`"));
    }

    #[test]
    fn a_daemon_that_hangs_babbles_or_hides_has_to_be_restarted() {
        let answer = |answer| spoilt(|facts| facts.daemon.answer = answer).remove(0);
        assert_eq!(answer(Answer::Silent), Finding::fix("it is there and does not answer", RESTART));
        assert_eq!(answer(Answer::Garbled), Finding::fix("it answers, and the answer makes no sense", RESTART));
        let hidden = Finding::fix("it runs, pid 7, but cannot be reached at its socket", RESTART);
        assert_eq!(answer(Answer::Absent), hidden);
    }

    #[test]
    fn no_daemon_is_no_fault_and_its_socket_is_left_over() {
        let gone = spoilt(|facts| {
            facts.daemon.answer = Answer::Absent;
            facts.daemon.lock_holder = None;
        });
        assert_eq!(
            gone,
            [
                Finding::note("it is not running").advise("a shell with Aside starts it when it needs it"),
                Finding::note(
                    "/run/user/1000/aside.sock is left over from a daemon that has gone; the next one replaces it"
                ),
            ]
        );
    }

    #[test]
    fn a_slow_answer_is_noted() {
        assert_eq!(speed(9_999), Finding::ok("it answers in 9999 µs (median)"));
        let slow = Finding::note("it answers in 10000 µs (median)").advise("is the machine very busy?");
        assert_eq!(speed(10_000), slow);
    }

    #[test]
    fn whoever_could_listen_in_is_named() {
        let what = |spoil: fn(&mut Socket)| spoilt(|facts| spoil(&mut facts.daemon.socket))[3].clone();
        let path = "/run/user/1000/aside.sock";
        assert_eq!(
            what(|socket| socket.file.as_mut().unwrap().mode = 0o666),
            Finding::fix(format!("others can open {path} (mode 0666, not 0600)"), RESTART)
        );
        assert_eq!(
            what(|socket| socket.file.as_mut().unwrap().uid = 0),
            Finding::fix(format!("{path} belongs to user 0"), "set ASIDE_SOCKET to a path of your own")
        );
        assert_eq!(
            what(|socket| socket.file.as_mut().unwrap().kind = Kind::Other),
            Finding::fix(format!("{path} is not a socket"), "move it away")
        );
        assert_eq!(
            what(|socket| socket.dir.as_mut().unwrap().mode = 0o755),
            Finding::fix(
                "others can enter /run/user/1000, the directory of the socket (mode 0755, not 0700)",
                "chmod 700 /run/user/1000"
            )
        );
        assert_eq!(
            what(|socket| socket.dir.as_mut().unwrap().uid = 0),
            Finding::fix(
                "/run/user/1000, the directory of the socket, belongs to user 0",
                "set ASIDE_SOCKET to a path of your own"
            )
        );
        let chosen = what(|socket| {
            socket.chosen = true;
            socket.dir.as_mut().unwrap().mode = 0o1777;
        });
        assert_eq!(chosen.what, "others can enter /run/user/1000, where ASIDE_SOCKET puts the socket");
        let long = what(|socket| socket.path = format!("/{}", "x".repeat(MAX_SOCKET_PATH)).into());
        assert!(long.what.starts_with("the path of the socket is longer than"), "{}", long.what);
    }

    #[test]
    fn notices_never_carry_what_was_typed() {
        let told = spoilt(|facts| {
            let text = |text: &str| Notice { s_ago: 5, text: text.to_owned() };
            status(facts).notices = vec![
                text("refused a connection from user 33"),
                text("an answer was lost: task 7 panicked with message \"`rm hunter2`\""),
                text("the configuration is not in force: c.toml:1: x must be y, not \"hunter2\""),
            ];
        });
        assert_eq!(
            told[4..],
            [
                Finding::note("5 s ago: refused a connection from user 33"),
                Finding::note("5 s ago: an answer was lost"),
                Finding::note("5 s ago: the configuration is not in force"),
            ]
        );
    }
}
