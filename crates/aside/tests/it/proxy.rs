//! A shell in Aside's proxy terminal, compared with the same shell without it in the same test run: every byte in both directions,
//! and the environment that the shell finds.

use std::process::Command;
use std::time::{Duration, Instant};

use rustix::termios::Winsize;

use crate::harness::home::{ASIDE, Home};
use crate::harness::patience;
use crate::harness::pty_recording::PtyRecording;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Around {
    Nothing,
    Proxy,
}

/// The prompt of `sh`.
pub const READY: &str = "ready$ ";

/// The shell and its arguments, bare or inside the proxy.
pub fn command(home: &Home, around: Around, words: &[&str]) -> Command {
    let mut command = match around {
        Around::Nothing => home.command(words[0]),
        Around::Proxy => {
            let mut command = home.command(ASIDE);
            command.args(["proxy", "--", words[0]]);
            command
        }
    };
    command.args(&words[1..]).env("PS1", READY);
    command
}

/// A plain shell, whose output is fully determined by its input.
pub fn sh(home: &Home, around: Around) -> PtyRecording {
    let mut tape = PtyRecording::start(command(home, around, &["sh"]), 24, 80);
    tape.hears(READY);
    tape
}

/// Sends the same keys with and without the proxy and returns the output, which must be equal.
#[track_caller]
pub fn same(home: &Home, play: impl Fn(&mut PtyRecording)) -> Vec<u8> {
    let [bare, ours] = [Around::Nothing, Around::Proxy].map(|around| {
        let mut tape = sh(home, around);
        play(&mut tape);
        tape.sends("exit 7\n");
        let code = tape.ends();
        // Output of the last program may still be on its way to the reader thread.
        tape.finishes();
        (tape.written(), code)
    });
    assert_eq!(ours.1, bare.1, "exit codes");
    assert!(ours.0 == bare.0, "{} bytes, bare {}: {}", ours.0.len(), bare.0.len(), first_difference(&ours.0, &bare.0));
    assert_eq!(bare.1, 7);
    bare.0
}

fn first_difference(ours: &[u8], bare: &[u8]) -> String {
    let place = ours.iter().zip(bare).position(|(one, other)| one != other).unwrap_or(ours.len().min(bare.len()));
    let around = |bytes: &[u8]| {
        String::from_utf8_lossy(&bytes[place.saturating_sub(60)..bytes.len().min(place + 60)]).into_owned()
    };
    format!("at {place}: {:?}, bare {:?}", around(ours), around(bare))
}

/// Runs a line and waits until the shell is ready again.
#[track_caller]
fn runs(tape: &mut PtyRecording, line: &str) {
    tape.sends(format!("{line}\n")).hears(READY);
}

#[test]
fn long_outputs_arrive_whole() {
    let home = Home::new();
    let written = same(&home, |tape| runs(tape, "seq 1 200000"));
    assert!(written.len() > 1_400_000, "{}", written.len());
}

#[test]
fn a_large_file_arrives_whole_whatever_is_in_it() {
    let home = Home::new();
    // Every byte value, in an order with a long period; nothing in it looks like a prompt.
    let mut state = 1u32;
    let bytes = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    });
    let megabytes = std::env::var("ASIDE_TEST_MEGABYTES").ok().and_then(|count| count.parse().ok()).unwrap_or(8);
    let bytes: Vec<u8> = bytes.take(megabytes * 1024 * 1024).collect();
    home.write("large", &bytes);
    let written = same(&home, |tape| runs(tape, "cat large"));
    assert!(written.len() > bytes.len());
}

/// What programs send to terminals: colours, progress, titles, clipboard, images, keyboards, mice, alternate screens, and nonsense.
const SEQUENCES: &[&[u8]] = &[
    b"\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mtrue\x1b[48:5:9mcolon\x1b[m",
    b"10%\r20%\r100%\x1b[K\n",
    b"\x1b]0;title\x07\x1b]2;other\x1b\\",
    b"\x1b]52;c;aGVsbG8=\x07",
    b"\x1bPq#0;2;0;0;0~~@@vv\x1b\\",
    b"\x1b_Gf=24,s=10,v=2;AAAA\x1b\\",
    b"\x1b[>1u\x1b[=5;1u\x1b[<u\x1b[?u",
    b"\x1b[?1000h\x1b[?1006h\x1b[?1004h\x1b[?2004h\x1b[?1000l\x1b[?1006l\x1b[?1004l\x1b[?2004l",
    b"\x1b[?1049h\x1b[2J\x1b[Hother\x1b[?1049l",
    b"\x1b[?2026hat once\x1b[?2026l",
    b"\x1b]8;;http://localhost/\x1b\\link\x1b]8;;\x1b\\",
    b"\x1b]133;A\x07\x1b]133;C\x07\x1b]133;D;0\x07",
    b"\x1b]7133;C;aside=0123456789abcdef.1.80.24\x07marked\x1b]7133;D;0;aside=0123456789abcdef.1\x07",
    b"\x1b]7133;C;aside=\x1b]7133;D;;\x07\x1b]7133",
    b"\x80\xff\xfe\xc3\x28\xed\xa0\x80\xf0\x9f\x98",
    b"\0\x01\x02\x05\x0e\x0f\x18\x1a\x7f\x9b31m",
    "日本語 e\u{301} 👩‍👩‍👧".as_bytes(),
];

#[test]
fn sequences_of_all_kinds_pass_untouched() {
    let home = Home::new();
    let all = SEQUENCES.concat();
    home.write("all", &all);
    let written = same(&home, |tape| runs(tape, "stty -opost; cat all; stty opost"));
    assert!(written.windows(all.len()).any(|window| window == all.as_slice()));
}

#[test]
fn keys_of_all_kinds_pass_untouched() {
    let home = Home::new();
    let mut keys: Vec<u8> = (0..=255).collect();
    keys.extend_from_slice(
        b"\x1b[97;5u\x1b[<0;10;20M\x1b[<0;10;20m\x1b[I\x1b[O\x1b[200~pasted\r\ntext\x1b[201~\x1b[?62;22c",
    );
    same(&home, |tape| {
        tape.sends(format!("stty raw -echo; echo g''o; head -c {} >heard; stty sane\n", keys.len())).hears("go");
        tape.sends(&keys).hears(READY);
        assert_eq!(std::fs::read(home.path("heard")).unwrap(), keys);
    });
}

#[test]
fn a_paste_that_is_faster_than_the_shell_arrives_whole() {
    let home = Home::new();
    let paste: Vec<u8> = (0..10 * 1024 * 1024u32).map(|number| (number % 251) as u8).collect();
    let mut tape = sh(&home, Around::Proxy);
    // Nothing reads for a while, then a slow reader starts.
    let line = format!("stty raw -echo; echo g''o; sleep 0.3; head -c {} >heard; stty sane\n", paste.len());
    tape.sends(line).hears("go").sends(&paste).hears(READY);
    assert!(std::fs::read(home.path("heard")).unwrap() == paste);
}

#[test]
fn a_terminal_that_does_not_read_costs_nothing() {
    let home = Home::new();
    let mut tape = sh(&home, Around::Proxy);
    tape.pauses();
    tape.sends("seq 1 200000\n");
    let proxy = tape.pid();
    // Every buffer is full, and nothing moves.
    let mut switches = waits(proxy);
    let deadline = Instant::now() + patience();
    loop {
        std::thread::sleep(Duration::from_millis(300));
        let now = waits(proxy);
        if now - switches < 20 {
            break;
        }
        assert!(Instant::now() < deadline, "it never rests");
        switches = now;
    }
    tape.resumes();
    tape.hears("\n200000\r\n").hears(READY);
}

/// The number of context switches of a process: a busy loop has thousands of them in a second.
fn waits(pid: rustix::process::Pid) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", pid.as_raw_pid())).unwrap();
    let count =
        |name: &str| status.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok()).unwrap();
    count("voluntary_ctxt_switches:") + count("nonvoluntary_ctxt_switches:")
}

#[test]
fn the_shell_finds_the_same_around_it() {
    let home = Home::new();
    let around = "umask; ulimit -a; stty -a; pwd; nice; env -0 | sort -z | tr '\\0' '\\n' | grep -v '^ASIDE_PROXY=\\|^_=\\|^PS1='; \
                  grep -E '^Sig[BI]' /proc/self/status; \
                  grep -E '^(Sig[IC]|Groups|Cap|Seccomp|NoNewPrivs)' /proc/$$/status; ls /proc/$$/fd; \
                  test -t 0 && test -t 1 && test -t 2 && echo terminals; tr '\\0' ' ' </proc/$$/cmdline; echo";
    home.write("around", around);
    same(&home, |tape| runs(tape, "umask 027; umask 022; . ./around"));
    let mut tape = sh(&home, Around::Proxy);
    runs(&mut tape, "[ \"$ASIDE_PROXY\" = \"$(tty):$PPID\" ] && echo na'med'");
    assert!(String::from_utf8_lossy(&tape.written()).contains("\nnamed"));
}

#[test]
fn the_window_has_the_same_size_in_characters_and_pixels() {
    let home = Home::new();
    let size = |rows, columns| Winsize { ws_row: rows, ws_col: columns, ws_xpixel: columns * 9, ws_ypixel: rows * 18 };
    let mut tape = PtyRecording::start_sized(command(&home, Around::Proxy, &["sh"]), size(30, 100));
    tape.hears(READY);
    runs(&mut tape, "trap 'echo resi''zed' WINCH; stty size; echo \"<$(tty)>\"");
    let said = String::from_utf8_lossy(&tape.written()).into_owned();
    let (_, name) = said.split_once("30 100\r\n<").unwrap_or_else(|| panic!("{said:?}"));
    let inner = std::fs::File::open(name.split('>').next().unwrap()).unwrap();
    let seen = || rustix::termios::tcgetwinsize(&inner).unwrap();
    assert_eq!((seen().ws_xpixel, seen().ws_ypixel), (900, 540));
    tape.resizes(size(12, 40));
    let deadline = Instant::now() + patience();
    while seen().ws_row != 12 {
        assert!(Instant::now() < deadline, "{:?}", seen());
        std::thread::sleep(Duration::from_millis(5));
    }
    // The shell handles the signal when a line ends.
    tape.sends("\n").hears("resized");
    assert_eq!((seen().ws_row, seen().ws_col, seen().ws_xpixel, seen().ws_ypixel), (12, 40, 360, 216));
}

#[test]
fn what_the_shell_was_given_is_held_by_nobody_else() {
    let home = Home::new();
    home.write("given", "");
    let line = format!("exec 7<given; exec {ASIDE} proxy -- sh");
    let mut tape = PtyRecording::start(command(&home, Around::Nothing, &["sh", "-c", &line]), 24, 80);
    tape.hears(READY).sends("ls -l /proc/$$/fd | grep -c giv''en; exec 7<&-\n").hears("\n1\r").hears(READY);
    // Neither the proxy nor its mode watchdog, which may still be starting.
    let given = home.path("given");
    let is_held = || {
        home.processes().iter().any(|pid| {
            let open = std::fs::read_dir(format!("/proc/{}/fd", pid.as_raw_pid())).into_iter().flatten().flatten();
            open.filter_map(|entry| std::fs::read_link(entry.path()).ok()).any(|path| path == given)
        })
    };
    let deadline = Instant::now() + patience();
    while is_held() {
        assert!(Instant::now() < deadline, "somebody holds it");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn names_and_arguments_of_the_shell_are_its_own() {
    let home = Home::new();
    let mut command = home.command(ASIDE);
    command.args([
        "proxy",
        "--name",
        "-login me",
        "--",
        "/bin/sh",
        "-c",
        "tr '\\0' ' ' </proc/$$/cmdline; echo; echo \"$0\" \"$@\"; exit 3",
    ]);
    command.args(["--", "a b", "--name", ""]);
    let mut tape = PtyRecording::start(command, 24, 80);
    tape.hears("-login me -c tr").hears("-- a b --name \r\n");
    assert_eq!(tape.ends(), 3);
}
