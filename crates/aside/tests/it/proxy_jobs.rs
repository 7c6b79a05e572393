//! Keys that stop and interrupt, jobs, nested shells: the final screen is the same with the proxy terminal and without.

use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::harness::home::{ASIDE, Home};
use crate::harness::patience;
use crate::harness::pty_recording::PtyRecording;
use crate::harness::screen::GHOST;
use crate::harness::terminal::Terminal;
use crate::proxy::{Around, READY, command, sh};

/// Pairs of what to wait for and what to send then.
pub type Play<'a> = &'a [(&'a str, &'a str)];

const SHELLS: [&[&str]; 3] = [&["sh"], &["bash", "--norc", "--noprofile"], &["zsh", "-f"]];

/// The final screen after everything was sent and the shell has exited, and its exit code.
#[track_caller]
pub fn played(home: &Home, command: Command, play: Play<'_>) -> (Vec<String>, i32) {
    let mut terminal = Terminal::start(command, (24, 80), GHOST, home.daemon_log());
    let mut prompts = 0;
    for (seen, keys) in play {
        prompts += usize::from(*seen == READY);
        // A prompt counts as new when there is one more of it; anything else, when it is in the last line.
        terminal.wait_for(&format!("{seen:?} in the last line, and {prompts} prompts"), |screen| {
            let rows = screen.rendered(GHOST).iter().map(|row| row.replace('▮', "")).collect::<Vec<_>>();
            let last = rows.iter().rev().map(|row| row.trim_end()).find(|row| !row.is_empty()).unwrap_or_default();
            match *seen {
                READY => {
                    let count = rows.iter().filter(|row| row.starts_with(READY.trim_end())).count();
                    count == prompts && last == READY.trim_end()
                }
                seen => last.contains(seen),
            }
        });
        terminal.send(keys.as_bytes());
    }
    let code = terminal.wait_for_end();
    (terminal.screen().rendered(GHOST).iter().map(|row| row.trim_end().to_owned()).collect(), code)
}

#[track_caller]
fn same(words: &[&str], play: Play<'_>) -> (Vec<String>, i32) {
    let home = Home::new();
    let bare = played(&home, command(&home, Around::Nothing, words), play);
    let ours = played(&home, command(&home, Around::Proxy, words), play);
    assert_eq!(ours, bare, "{words:?}");
    bare
}

#[test]
fn ctrl_c_interrupts() {
    for shell in SHELLS {
        let play = [
            (READY, "sh -c \"echo a''b; exec sleep 1000\"\n"),
            ("ab", "\x03"),
            (READY, "echo code $?\n"),
            (READY, "exit 5\n"),
        ];
        let (screen, code) = same(shell, &play);
        assert!(screen.iter().any(|row| row == "code 130") && code == 5, "{screen:?}");
    }
}

#[test]
fn ctrl_backslash_quits() {
    let (screen, _) = same(
        SHELLS[1],
        &[
            (READY, "ulimit -c 0; sh -c \"echo a''b; exec sleep 1000\"\n"),
            ("ab", "\x1c"),
            (READY, "echo code $?\n"),
            (READY, "exit\n"),
        ],
    );
    assert!(screen.iter().any(|row| row == "code 131"), "{screen:?}");
}

#[test]
fn ctrl_z_stops_and_fg_goes_on() {
    for shell in [SHELLS[1], SHELLS[2]] {
        let (screen, _) = same(
            shell,
            &[
                (READY, "(echo a''b; read -r line; echo got $line)\n"),
                ("ab", "\x1a"),
                (READY, "jobs\n"),
                (READY, "fg\n"),
                ("read -r line", "back\n"),
                (READY, "exit\n"),
            ],
        );
        assert!(screen.iter().any(|row| row == "got back"), "{screen:?}");
    }
}

#[test]
fn ctrl_d_ends_the_shell() {
    for shell in SHELLS {
        same(shell, &[(READY, "\x04")]);
    }
}

#[test]
fn ctrl_s_stops_the_output_and_ctrl_q_lets_it_go_on() {
    let home = Home::new();
    let mut tape = sh(&home, Around::Proxy);
    // In its own shell: an interactive one loses an interrupt that arrives between two of its jobs.
    tape.sends("sh -c \"while sleep 0.02; do echo ti''ck; done\"\n").hears("tick").sends("\x13");
    // Output already in flight is still shown, and no more.
    let mut before = tape.written().len();
    let deadline = Instant::now() + patience();
    loop {
        std::thread::sleep(Duration::from_millis(200));
        let now = tape.written().len();
        if now == before {
            break;
        }
        assert!(Instant::now() < deadline, "it never stops");
        before = now;
    }
    tape.sends("\x11").hears("tick").sends("\x03").hears(READY);
}

#[test]
fn a_job_in_the_background_is_heard() {
    let (screen, _) = same(SHELLS[1], &[(READY, "( (sleep 0.1; echo la''te) & sleep 0.5 )\n"), (READY, "exit\n")]);
    assert!(screen.iter().any(|row| row.contains("late")), "{screen:?}");
}

#[test]
fn shells_in_shells_are_as_ever() {
    for shell in SHELLS {
        let (screen, code) = same(
            shell,
            &[
                (READY, "bash --norc\n"),
                (READY, "sh\n"),
                (READY, "exit 3\n"),
                (READY, "echo code $?; exit 4\n"),
                (READY, "exit $?\n"),
            ],
        );
        assert!(screen.iter().any(|row| row == "code 3") && code == 4, "{screen:?}");
    }
}

#[test]
fn programs_that_draw_are_as_ever() {
    for (program, words, play) in [
        ("vi", "vi -u NONE -N -c 'set ruler' file", &[("1,1", "ione\x1b"), ("1,3", ":wq\r")][..]),
        ("less", "less -M file", &[("1-23/199", " "), ("24-46/199", "G"), ("(END)", "q")][..]),
    ] {
        let home = Home::new();
        if home.command(program).arg("--version").stdout(std::process::Stdio::null()).status().is_err() {
            eprintln!("skipped: no {program}");
            continue;
        }
        let numbers: String = (1..200).map(|number| format!("line {number}\n")).collect();
        let mut seen = Vec::new();
        for around in [Around::Nothing, Around::Proxy] {
            home.write("file", &numbers);
            let line = format!("{words}; echo do''ne\n");
            let play = [&[(READY, line.as_str())], play, &[(READY, "exit\n")]].concat();
            seen.push((played(&home, command(&home, around, &["bash", "--norc"]), &play), home.read("file")));
        }
        assert_eq!(seen[1], seen[0], "{program}");
    }
}

#[test]
fn a_shell_that_suspends_itself_stops_us_and_goes_on_with_us() {
    let home = Home::new();
    let mut outside = PtyRecording::start(command(&home, Around::Nothing, &["bash", "--norc"]), 24, 80);
    outside
        .hears(READY)
        .sends(format!("PS1='out''side$ '; PS1='re''ady$ ' {ASIDE} proxy -- bash --norc\n"))
        .hears(READY);
    outside.sends("suspend\n").hears("Stopped").hears("outside$ ");
    outside.sends("echo he''re; fg\n").hears("here").sends("echo a''gain\n").hears("again").hears(READY);
    outside.sends("exit 3\n").hears("outside$ ").sends("exit $?\n");
    assert_eq!(outside.ends(), 3);
}

#[test]
fn tmux_runs_inside_and_outside() {
    let home = Home::new();
    let tmux = |words: &[&str]| {
        let mut tmux = home.command("tmux");
        tmux.args(["-S", &home.path("tmux.sock").display().to_string(), "-f", "/dev/null"]).args(words);
        tmux
    };
    // Inside: the shell in the proxy starts tmux.
    let mut tape = sh(&home, Around::Proxy);
    let words = format!("tmux -S {} -f /dev/null new-session 'echo in''side; read x'\n", home.path("t").display());
    tape.sends(words).hears("inside").sends("\n").hears("[exited]").hears(READY);

    // Outside: the directory of a pane is that of the shell in the proxy.
    let mut outer = tmux(&["new-session", "-x", "80", "-y", "24"]);
    outer.arg(format!("exec env PS1='{READY}' {ASIDE} proxy -- sh"));
    let mut tape = PtyRecording::start(outer, 24, 80);
    std::fs::create_dir_all(home.path("deep/er")).unwrap();
    tape.hears("ready$").sends("cd deep/er\n").hears("ready$");
    let wanted = home.path("deep/er").canonicalize().unwrap().display().to_string();
    let deadline = Instant::now() + patience();
    loop {
        let said = tmux(&["display-message", "-p", "#{pane_current_path}"]).output().unwrap();
        if String::from_utf8_lossy(&said.stdout).trim() == wanted {
            break;
        }
        assert!(Instant::now() < deadline, "{said:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
    tape.sends("exit\n").ends();
}

#[test]
fn what_is_no_terminal_gets_the_shell_itself() {
    let home = Home::new();
    let mut command = command(&home, Around::Proxy, &["sh", "-c", "echo $ASIDE_PROXY $0; exit 9"]);
    command.process_group(0);
    let said = crate::harness::home::run(&mut command, "");
    assert_eq!((said.stdout.as_str(), said.code), ("off sh\n", 9));
}
