//! Programs that `make soak` installs, in the proxy terminal and without: a remote shell over ssh, htop, and password prompts.
//! Touches no system file: this sshd has its own keys, and sudo only prompts.

use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::harness::home::{Home, run};
use crate::harness::screen::GHOST;
use crate::harness::terminal::Terminal;
use crate::harness::{has_tools, patience};
use crate::proxy::{Around, READY, command, same, sh};
use crate::proxy_capture::{Listener, marked};
use crate::proxy_jobs::played;

const SSHD: &str = "/usr/sbin/sshd";
const BASH: &[&str] = &["bash", "--norc", "--noprofile"];
/// Typed where nothing is echoed.
const SECRET: &str = "frobnicate";
/// The same, erased again, then end of input. An interrupt between sudo's prompt and its read would be lost.
const UNSAID: &str = "frobnicate\x15\x04";

/// Whether a program is installed; prints a note if it is not.
fn has(home: &Home, program: &str) -> bool {
    let found = run(home.command("sh").args(["-c", &format!("command -v {program}")]), "").code == 0;
    if !found {
        eprintln!("skipped: no {program}");
    }
    found
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// An sshd on loopback, and `./there`, which connects to it: to a bash that prints the same as the local one.
pub struct Server {
    child: Child,
}

impl Server {
    /// `None`, with a note, where it cannot run.
    #[track_caller]
    pub fn start(home: &Home) -> Option<Self> {
        if !has(home, SSHD) || !has(home, "ssh") {
            return None;
        }
        // As root, sshd needs a directory below /run and logs to /var/log: it gets private mounts of both.
        let own =
            "mount -t tmpfs none /run && mount -t tmpfs none /var/log && mkdir -m 755 /run/sshd && : >/var/log/lastlog";
        let enclosed = |line: &str| match is_root() {
            true => vec![
                "unshare".to_owned(),
                "-m".to_owned(),
                "sh".to_owned(),
                "-c".to_owned(),
                format!("{own} && {line}"),
            ],
            false => vec!["sh".to_owned(), "-c".to_owned(), line.to_owned()],
        };
        let start = |line: &str| {
            let words = enclosed(line);
            let mut command = home.command(&words[0]);
            command.args(&words[1..]).env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
            command
        };
        if run(&mut start("true"), "").code != 0 {
            eprintln!("skipped: root may not mount here, and without that sshd would write to the system's files");
            return None;
        }

        for key in ["host", "key"] {
            let said = run(home.command("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f", key]), "");
            assert_eq!(said.code, 0, "{said:?}");
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let path = |name: &str| home.path(name).display().to_string();
        home.write("known", format!("[127.0.0.1]:{port} {}", home.read("host.pub")));
        home.write("authorized", home.read("key.pub"));
        home.write(
            "far",
            format!(
                "exec env -i PATH=/usr/bin:/bin TERM=$TERM FAR=${{SSH_TTY:+away}} PS1='{READY}' INPUTRC=/dev/null {}\n",
                BASH.join(" ")
            ),
        );
        home.write(
            "sshd_config",
            format!(
                "ListenAddress 127.0.0.1\nPort {port}\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\nUsePAM no\n\
                 StrictModes no\nPermitRootLogin prohibit-password\nPasswordAuthentication no\n\
                 KbdInteractiveAuthentication no\nPrintMotd no\nPrintLastLog no\n",
                path("host"),
                path("authorized")
            ),
        );
        home.write(
            "ssh_config",
            format!(
                "Host there\nHostName 127.0.0.1\nPort {port}\nIdentityFile {}\nIdentitiesOnly yes\nIdentityAgent none\n\
                 UserKnownHostsFile {}\nGlobalKnownHostsFile /dev/null\nStrictHostKeyChecking yes\nBatchMode yes\n\
                 RequestTTY force\nRemoteCommand sh {}\n",
                path("key"),
                path("known"),
                path("far")
            ),
        );
        home.write("there", format!("#!/bin/sh\nexec ssh -F {} there\n", path("ssh_config")));

        let log = std::fs::File::create(home.path("sshd.log")).unwrap();
        let mut sshd = start(&format!("exec {SSHD} -D -e -f {}", path("sshd_config")));
        sshd.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).process_group(0);
        let server = Self { child: sshd.spawn().unwrap() };
        let deadline = Instant::now() + patience();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < deadline, "sshd does not listen: {}", home.read("sshd.log"));
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

fn has_row(screen: &[String], row: &str) -> bool {
    screen.iter().any(|shown| shown == row)
}

#[test]
fn a_shell_behind_ssh_is_as_ever() {
    let home = Home::new();
    let Some(_server) = has_tools().then(|| Server::start(&home)).flatten() else { return };
    let play = [
        (READY, "./there\n"),
        (READY, "test -t 1 && stty size; echo \"<$FAR$ASIDE_PROXY>\"\n"),
        (READY, "sh -c \"echo a''b; exec sleep 1000\"\n"),
        ("ab", "\x03"),
        (READY, "echo far $?\n"),
        (READY, "read -rsp 'p''w: ' word; echo; echo got ${#word}\n"),
        ("pw:", "frobnicate\n"),
        (READY, "exit 6\n"),
        (READY, "echo near $?\n"),
        (READY, "exit 3\n"),
    ];
    let [bare, ours] =
        [Around::Nothing, Around::Proxy].map(|around| played(&home, command(&home, around, BASH), &play));
    assert_eq!(ours, bare);
    let (screen, code) = ours;
    for row in ["24 80", "<away>", "far 130", "got 10", "near 6"] {
        assert!(has_row(&screen, row), "{row:?} in {screen:#?}");
    }
    assert!(code == 3 && !screen.iter().any(|row| row.contains(SECRET)), "{screen:#?}");
}

#[test]
fn a_size_reaches_the_far_side_of_ssh() {
    let home = Home::new();
    let Some(_server) = has_tools().then(|| Server::start(&home)).flatten() else { return };
    let mut tape = sh(&home, Around::Proxy);
    tape.sends("./there\n").hears(READY).sends("stty size\n").hears("24 80\r\n").hears(READY);
    tape.sends("until [ \"$(stty size)\" = '12 40' ]; do sleep 0.05; done; echo ar''rived\n");
    tape.resizes(rustix::termios::Winsize { ws_row: 12, ws_col: 40, ws_xpixel: 0, ws_ypixel: 0 }).hears("arrived");
    tape.hears(READY).sends("exit\n").hears(READY).sends("exit 3\n");
    assert_eq!(tape.ends(), 3);
}

#[test]
fn what_is_typed_unseen_behind_ssh_is_not_captured() {
    let home = Home::new();
    let Some(_server) = has_tools().then(|| Server::start(&home)).flatten() else { return };
    let daemon = Listener::new(&home);
    let mut tape = sh(&home, Around::Proxy);
    let mut heard = daemon.accepts();
    tape.sends(marked(1, "./there")).hears(READY);
    tape.sends("read -rsp 'p''w: ' word; echo; echo got ${#word}\n").hears("pw: ").sends(format!("{SECRET}\n"));
    tape.hears("got 10").hears(READY).sends("exit\n").hears(READY);
    let captured = heard.record();
    assert!(captured[4] == "1" && captured[5].contains("\npw:\ngot 10\n"), "{captured:?}");
    assert!(!captured.concat().contains(SECRET), "{captured:?}");
    assert!(!String::from_utf8_lossy(&tape.written()).contains(SECRET));
}

/// htop lists its keys in the last row of the screen.
fn shows_htop(terminal: &Terminal, rows: usize) {
    terminal.wait_for(&format!("the keys of htop in row {rows}"), |screen| {
        screen.size().0 == rows && screen.row(rows - 1).contains("F1Help")
    });
}

#[test]
fn htop_comes_and_goes_as_ever() {
    let home = Home::new();
    if !has_tools() || !has(&home, "htop") {
        return;
    }
    let [bare, ours] = [Around::Nothing, Around::Proxy].map(|around| {
        let mut terminal = Terminal::start(command(&home, around, BASH), (24, 80), GHOST, home.daemon_log());
        let prompts = |count: usize| {
            terminal.wait_for(&format!("{count} prompts"), |screen| {
                let (rows, _) = screen.size();
                (0..rows).filter(|row| screen.row(*row).starts_with(READY.trim_end())).count() == count
            });
        };
        prompts(1);
        terminal.send(b"seq 5; htop; echo code $?\n");
        shows_htop(&terminal, 24);
        terminal.resize(30, 100);
        shows_htop(&terminal, 30);
        terminal.send(b"q");
        prompts(2);
        terminal.send(b"stty size; exit 3\n");
        let code = terminal.wait_for_end();
        (terminal.screen().rendered(GHOST).iter().map(|row| row.trim_end().to_owned()).collect::<Vec<_>>(), code)
    });
    assert_eq!(ours, bare);
    let (screen, code) = ours;
    assert!(code == 3 && has_row(&screen, "code 0") && has_row(&screen, "30 100"), "{screen:#?}");
}

#[test]
fn htop_is_not_captured() {
    let home = Home::new();
    if !has_tools() || !has(&home, "htop") {
        return;
    }
    let daemon = Listener::new(&home);
    let mut tape = sh(&home, Around::Proxy);
    let mut heard = daemon.accepts();
    tape.sends(marked(1, "echo be''fore; htop; echo af''ter")).hears("before").hears("Help").sends("q");
    tape.hears("after").hears(READY);
    let captured = heard.record();
    assert_eq!((captured[4].as_str(), captured[5].as_str()), ("1", "before\nafter"));
}

/// Writes `./asks`, which makes sudo prompt on the terminal whatever this user may do without a password. The user `nobody` has no
/// valid password, so root runs it as that user.
fn can_be_asked(home: &Home) -> bool {
    if !has(home, "sudo") || (is_root() && !has(home, "setpriv")) {
        return false;
    }
    let before = if is_root() { "setpriv --reuid nobody --regid nogroup --clear-groups " } else { "" };
    home.write("asks", format!("#!/bin/sh\ncd /\nexec {before}sudo -k -p 'password, please: ' true\n"));
    let said = run(home.command("sh").args(["-c", &format!("cd /; {before}sudo -k -n true")]), "");
    let asks = said.stderr.contains("password is required");
    if !asks {
        eprintln!("skipped: sudo would not ask here: {said:?}");
    }
    asks
}

#[test]
fn sudo_asks_as_ever() {
    let home = Home::new();
    if !has_tools() || !can_be_asked(&home) {
        return;
    }
    let written = same(&home, |tape| {
        tape.sends("./asks; echo co''de $?\n").hears("please: ").sends(UNSAID).hears("code 1").hears(READY);
        tape.sends("stty -a | grep -o ' echo '\n").hears("\n echo ").hears(READY);
        // A wrong password could lock a real account, so this runs as root only.
        if is_root() {
            tape.sends("./asks; echo co''de $?\n").hears("please: ").sends(format!("{SECRET}\n"));
            tape.hears("again").hears("please: ").sends("\x04").hears("code 1").hears(READY);
        }
    });
    assert!(!String::from_utf8_lossy(&written).contains(SECRET));
}

#[test]
fn what_sudo_is_told_is_not_captured() {
    let home = Home::new();
    if !has_tools() || !can_be_asked(&home) {
        return;
    }
    let daemon = Listener::new(&home);
    let mut tape = sh(&home, Around::Proxy);
    let mut heard = daemon.accepts();
    tape.sends(marked(1, "./asks; echo co''de $?")).hears("please: ");
    if is_root() {
        tape.sends(format!("{SECRET}\n")).hears("again").hears("please: ");
    }
    tape.sends(UNSAID).hears("code 1").hears(READY);
    let captured = heard.record();
    assert!(
        captured[4] == "1" && captured[5].starts_with("password, please:") && captured[5].ends_with("code 1"),
        "{captured:?}"
    );
    assert!(!captured.concat().contains(SECRET), "{captured:?}");
    assert!(!String::from_utf8_lossy(&tape.written()).contains(SECRET));
}
