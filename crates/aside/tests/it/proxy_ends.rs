//! However the proxy, its mode watchdog, its shell or the terminal ends: no process is left behind, and the outer terminal's modes
//! are restored.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use rustix::termios::LocalModes;

use crate::harness::home::{ASIDE, Home, is_running};
use crate::harness::patience;
use crate::harness::pty_recording::PtyRecording;
use crate::proxy::{Around, READY, command, sh};

#[track_caller]
fn waits_until(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + patience();
    while !condition() {
        assert!(Instant::now() < deadline, "waited for {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Starts the proxy by hand in a shell that sets no modes itself, and finds the pids of all processes.
struct Cast {
    tape: PtyRecording,
    home: Home,
    proxy: Pid,
    keeper: Pid,
    shell: Pid,
}

impl Cast {
    fn new() -> Self {
        let home = Home::new();
        let mut tape = PtyRecording::start(command(&home, Around::Nothing, &["sh"]), 24, 80);
        tape.hears(READY).sends(format!("PS1='out''side$ '; PS1='re''ady$ ' {ASIDE} proxy -- sh\n")).hears(READY);
        let outside = tape.pid();
        let proxy = child(outside, "proxy -- sh");
        let (keeper, shell) = (child(proxy, "--keep-modes"), child(proxy, ""));
        assert!(!is_cooked(&tape));
        Self { tape, home, proxy, keeper, shell }
    }

    /// Checks that only the outer shell is left, in a usable terminal.
    #[track_caller]
    fn ends_clean(mut self) {
        for pid in [self.proxy, self.keeper, self.shell] {
            waits_until("everybody to go", || !is_running(pid));
        }
        waits_until("the modes of the terminal", || is_cooked(&self.tape));
        // The two-character line ending shows that both input and output modes are restored.
        self.tape.hears("outside$ ").sends("echo o''k\n").hears("echo o''k\r\nok\r\n");
        let outside = self.tape.pid();
        waits_until("nobody else to be there", || self.home.processes() == [outside]);
    }
}

fn is_cooked(tape: &PtyRecording) -> bool {
    tape.modes().local_modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
}

/// The child of a process whose command line ends with `end`; if `end` is empty, the child that is not the mode watchdog.
#[track_caller]
fn child(parent: Pid, end: &str) -> Pid {
    let path = format!("/proc/{0}/task/{0}/children", parent.as_raw_pid());
    let children = std::fs::read_to_string(path).unwrap();
    let line = |pid: &str| {
        let bytes = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).replace('\0', " ").trim_end().to_owned()
    };
    let mut found = children.split_whitespace().filter(|pid| match end {
        "" => !line(pid).ends_with("--keep-modes"),
        end => line(pid).ends_with(end),
    });
    let pid = found.next().unwrap_or_else(|| panic!("no {end:?} in {children:?}"));
    Pid::from_raw(pid.parse().unwrap()).unwrap()
}

fn kill(pid: Pid, signal: Signal) {
    rustix::process::kill_process(pid, signal).unwrap();
}

#[test]
fn killing_the_proxy_leaves_nobody_and_the_modes_as_they_were() {
    let cast = Cast::new();
    kill(cast.proxy, Signal::KILL);
    cast.ends_clean();
}

#[test]
fn killing_the_proxy_takes_the_jobs_of_its_shell_along() {
    let mut cast = Cast::new();
    cast.tape.sends("sleep 1000 | sleep 1001\n").hears("1001\r\n");
    waits_until("the jobs", || cast.home.processes().len() == 6);
    kill(cast.proxy, Signal::KILL);
    cast.ends_clean();
}

#[test]
fn modes_that_somebody_else_has_set_since_are_theirs() {
    let cast = Cast::new();
    // Modes set by another program after the proxy take precedence.
    let terminal = cast.tape.pid();
    let path = format!("/proc/{}/fd/0", terminal.as_raw_pid());
    let slave = std::fs::File::options().read(true).write(true).open(path).unwrap();
    let mut modes = rustix::termios::tcgetattr(&slave).unwrap();
    modes.local_modes |= LocalModes::ECHO;
    rustix::termios::tcsetattr(&slave, rustix::termios::OptionalActions::Now, &modes).unwrap();
    let wanted = modes.local_modes;
    kill(cast.proxy, Signal::KILL);
    waits_until("the keeper to go", || !is_running(cast.keeper));
    assert_eq!(rustix::termios::tcgetattr(&slave).unwrap().local_modes, wanted);
}

#[test]
fn killing_the_shell_ends_the_proxy_the_same_way() {
    let cast = Cast::new();
    kill(cast.shell, Signal::KILL);
    cast.ends_clean();
    let home = Home::new();
    for (signal, code) in [("KILL", 137), ("SEGV", 139), ("USR1", 138), ("TERM", 143)] {
        let line = format!("ulimit -c 0; kill -{signal} $$");
        let [bare, ours] = [Around::Nothing, Around::Proxy]
            .map(|around| PtyRecording::start(command(&home, around, &["sh", "-c", &line]), 24, 80).ends());
        assert_eq!((bare, ours), (code, code), "{signal}");
    }
}

#[test]
fn killing_the_keeper_changes_nothing() {
    let mut cast = Cast::new();
    kill(cast.keeper, Signal::KILL);
    waits_until("the keeper to go", || !is_running(cast.keeper));
    cast.tape.sends("echo st''ill\n").hears("still").hears(READY).sends("exit\n");
    cast.ends_clean();
}

#[test]
fn the_end_of_the_shell_is_the_end_of_all() {
    let mut cast = Cast::new();
    cast.tape.sends("exit\n");
    cast.ends_clean();
}

#[test]
fn signals_reach_the_shell() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT, Signal::USR1, Signal::USR2] {
        let home = Home::new();
        let script = "for s in TERM HUP INT QUIT USR1 USR2; do trap \"echo go''t $s; exit 4\" $s; done; echo rea''dy; \
                      while :; do sleep 0.01; done";
        let mut tape = PtyRecording::start(command(&home, Around::Proxy, &["sh", "-c", script]), 24, 80);
        tape.hears("ready");
        kill(tape.pid(), signal);
        tape.hears("got");
        assert_eq!(tape.ends(), 4, "{signal:?}");
    }
}

#[test]
fn a_signal_that_a_shell_ignores_ends_nobody() {
    let home = Home::new();
    let mut tape = PtyRecording::start(command(&home, Around::Proxy, &["bash", "--norc"]), 24, 80);
    tape.hears(READY);
    kill(tape.pid(), Signal::TERM);
    tape.sends("echo st''ill\n").hears("still").hears(READY).sends("exit 2\n");
    assert_eq!(tape.ends(), 2);
}

#[test]
fn a_proxy_that_was_stopped_goes_on() {
    let home = Home::new();
    let mut tape = PtyRecording::start(command(&home, Around::Nothing, &["bash", "--norc"]), 24, 80);
    tape.hears(READY).sends(format!("PS1='out''side$ '; PS1='re''ady$ ' {ASIDE} proxy -- sh\n")).hears(READY);
    let raw = tape.modes().local_modes;
    kill(child(tape.pid(), "proxy -- sh"), Signal::STOP);
    tape.hears("Stopped").hears("outside$ ").sends("fg\n").hears("proxy -- sh");
    waits_until("the modes of a proxy", || tape.modes().local_modes == raw);
    tape.sends("echo st''ill\n").hears("still").hears(READY).sends("exit 3\n").hears("outside$ ").sends("exit $?\n");
    assert_eq!(tape.ends(), 3);
}

#[test]
fn closing_the_terminal_hangs_up_on_the_shell_and_leaves_nobody() {
    for busy in ["", "sleep 1000\n", "sleep 1000 &\n", "seq 1 100000000\n"] {
        let home = Home::new();
        let mut tape = PtyRecording::start(command(&home, Around::Proxy, &["bash", "--norc"]), 24, 80);
        tape.hears(READY).sends("trap 'echo up >hung' EXIT; echo se''t\n").hears("set").hears(READY).sends(busy);
        // A shell that is just handing over the terminal does not notice that it is gone, with or without the proxy.
        match busy {
            "sleep 1000\n" => waits_until("the command to have the terminal", || has_the_terminal(&home, "sleep")),
            "sleep 1000 &\n" => drop(tape.hears(READY)),
            "seq 1 100000000\n" => drop(tape.hears("\n5000\r")),
            _ => {}
        }
        tape.closes();
        tape.ends();
        waits_until("nobody to be left", || home.processes().is_empty());
        assert_eq!(home.read("hung"), "up\n", "{busy:?}");
    }
    let home = Home::new();
    let script = "trap 'echo up >hung; exit' HUP; echo rea''dy; while :; do sleep 0.01; done";
    let mut tape = PtyRecording::start(command(&home, Around::Proxy, &["sh", "-c", script]), 24, 80);
    tape.hears("ready").closes();
    tape.ends();
    assert_eq!(home.read("hung"), "up\n");
}

/// Whether a program of that name is in the foreground of its terminal.
fn has_the_terminal(home: &Home, name: &str) -> bool {
    home.processes().iter().any(|pid| {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid())).unwrap_or_default();
        let Some((head, rest)) = stat.rsplit_once(") ") else { return false };
        // State, parent, group, session, terminal, and the terminal's foreground group.
        let fields: Vec<&str> = rest.split(' ').collect();
        head.ends_with(&format!("({name}")) && fields.get(2).is_some_and(|group| fields.get(5) == Some(group))
    })
}

#[test]
fn a_job_that_keeps_the_terminal_keeps_nobody() {
    let home = Home::new();
    let mut tape = sh(&home, Around::Proxy);
    // The process ignores the end of its shell and prints for ever.
    tape.sends("(trap '' HUP; exec yes) & seq 1 20000; echo la''st; exit 6\n");
    assert_eq!(tape.ends(), 6);
    // What the shell wrote before its end is shown; it may be read from the terminal a moment later.
    tape.hears("last");
    waits_until("nobody to be left", || home.processes().is_empty());
}

#[test]
fn the_last_words_of_a_shell_are_shown() {
    let home = Home::new();
    for _ in 0..20 {
        let words = ["sh", "-c", "sleep 1000 & seq 1 3000; printf END; kill -9 $$"];
        let mut tape = PtyRecording::start(command(&home, Around::Proxy, &words), 24, 80);
        assert_eq!(tape.ends(), 137);
        tape.hears("3000\r\nEND");
    }
}
