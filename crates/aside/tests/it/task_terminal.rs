//! `aside task` at a terminal: every key at the question, keys typed before it, content that is too long, hostile or pasted, and
//! the state of the terminal afterwards. A stub daemon lets each scene decide what is proposed and records every message.

mod stub_daemon;

use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use rustix::termios::LocalModes;
use serde_json::{Value, json};
use vt100::Color;

use crate::harness::home::{ASIDE, Home, Said, run};
use crate::harness::keys::Key;
use crate::harness::screen::{GHOST, Screen};
use crate::harness::terminal::Terminal;
use stub_daemon::{StubDaemon, command_offer, diff_offer};

const QUIET: Duration = Duration::from_millis(400);
const SIZE: (u16, u16) = (24, 80);

/// `aside task …` in its own terminal.
fn terminal(home: &Home, args: &[&str], size: (u16, u16)) -> Terminal {
    let mut command = home.command(ASIDE);
    command.arg("task").args(args);
    Terminal::start(command, size, GHOST, home.daemon_log())
}

/// A task that waits with this offer.
fn waiting(home: &Home, offer: Value) -> (StubDaemon, Terminal) {
    let desk = StubDaemon::listens(home);
    desk.proposes(offer);
    let terminal = terminal(home, &["run", "the", "tests"], SIZE);
    terminal.wait_for("a question that takes keys", is_ready);
    (desk, terminal)
}

/// The question is dim until a key counts.
fn is_ready(screen: &Screen) -> bool {
    let row = screen.cursor.0;
    screen.row(row).contains("help") && screen.spans(row).iter().any(|span| span.style.bold)
}

fn ends(mut terminal: Terminal) -> (i32, Vec<String>) {
    let code = terminal.wait_for_end();
    (code, terminal.transcript())
}

#[test]
fn y_approves_what_is_shown_and_its_output_is_live() {
    let mut home = Home::new();
    home.set_env("FROB", "nicate");
    let (desk, terminal) = waiting(&home, command_offer("make test", 1));
    let screen = terminal.screen();
    for row in ["Run: the tests", "command  make test", "in       /w", "danger   it may write", "Run it?  y yes  n no"]
    {
        assert!(screen.contains(row), "{row}: {}", screen.text());
    }
    let danger = (0..24).find(|row| screen.row(*row).contains("danger")).unwrap();
    assert!(screen.spans(danger).iter().any(|span| span.style.fg == Color::Idx(1)), "a danger is red");
    terminal.answer(b"y");
    let said = desk.waits_for("approve");
    assert_eq!((&said["step"], &said["digest"]), (&json!(1), &json!("d1")));
    assert!(said["by"].as_str().is_some_and(|by| by.starts_with("pts/")), "{said}");
    assert!(said["environment"].as_array().is_some_and(|all| all.contains(&json!("FROB=nicate"))));
    desk.executes();
    desk.prints("12 pass");
    terminal.wait_for("a line that has not ended", |screen| screen.contains("12 pass") && screen.contains("running"));
    desk.prints("ed\n\u{1b}[31mred\u{1b}[0m\n");
    terminal.wait_for("the rest of it", |screen| screen.contains("12 passed\nred"));
    desk.completes("exit 0");
    let (code, transcript) = ends(terminal);
    assert_eq!(code, 0, "{transcript:#?}");
    assert!(transcript.contains(&"exit 0".to_owned()), "{transcript:#?}");
    assert!(!transcript.iter().any(|row| row.contains("Run it?")), "the question has gone: {transcript:#?}");
}

#[test]
fn what_was_typed_before_the_question_is_no_answer() {
    let home = Home::new();
    let desk = StubDaemon::listens(&home);
    desk.thinks();
    let terminal = terminal(&home, &["run", "the", "tests"], SIZE);
    terminal.wait_for("a sign of life", |screen| screen.contains("thinking"));
    terminal.send(b"y");
    terminal.send(b"Y\r");
    desk.proposes(command_offer("make test", 1));
    terminal.wait_for("the question", |screen| screen.contains("Run it?"));
    terminal.wait_while_quiet("the question", QUIET, |screen| screen.contains("Run it?"));
    assert!(desk.said("approve").is_empty(), "typed ahead");
    assert!(!terminal.screen().contains("yY"), "nor is it shown");
    terminal.answer(b"y");
    desk.waits_for("approve");
}

#[test]
fn a_key_that_is_held_down_is_no_answer() {
    // A machine that is too busy to repeat a key in time does not simulate a held key.
    if !(0..5).any(|_| key_is_held_down()) {
        eprintln!("skipped: this machine is too busy to hold a key down");
    }
}

/// Whether the machine was fast enough to simulate it.
fn key_is_held_down() -> bool {
    let home = Home::new();
    let desk = StubDaemon::listens(&home);
    desk.thinks();
    let terminal = terminal(&home, &["run", "the", "tests"], SIZE);
    terminal.wait_for("a sign of life", |screen| screen.contains("thinking"));
    let mut is_held = true;
    let mut repeats = |times: usize| {
        for _ in 0..times {
            let begun = Instant::now();
            terminal.send(b"y");
            std::thread::sleep(Duration::from_millis(20));
            // Far less than the question's grace period for reading.
            is_held &= begun.elapsed() < Duration::from_millis(150);
        }
    };
    repeats(5);
    desk.proposes(command_offer("make test", 1));
    // For several times as long as that grace period.
    repeats(60);
    let approved = desk.said("approve").len();
    if !is_held {
        return false;
    }
    assert_eq!(approved, 0, "held down");
    terminal.wait_for("the question", |screen| screen.contains("Run it?"));
    terminal.answer(b"y");
    desk.waits_for("approve");
    true
}

#[test]
fn a_key_that_does_not_stand_alone_is_no_answer() {
    let home = Home::new();
    let desk = StubDaemon::listens(&home);
    desk.proposes(command_offer("make test", 1));
    let begun = Instant::now();
    let terminal = terminal(&home, &["run", "the", "tests"], SIZE);
    terminal.wait_for("the question", |screen| screen.contains("Run it?"));
    // As soon as it is there.
    terminal.send(b"y");
    let was_soon = begun.elapsed() < Duration::from_millis(500);
    terminal.wait_for("a word about it", |screen| {
        let is_told = screen.contains("press y alone") && screen.row(screen.cursor.0).contains("Run it?");
        is_told || !was_soon && !desk.said("approve").is_empty()
    });
    // On a busy machine the question may have stood for half a second.
    if !was_soon && !desk.said("approve").is_empty() {
        eprintln!("skipped: this machine is too busy to answer at once");
        return;
    }
    terminal.wait_while_quiet("the question", QUIET, |screen| screen.contains("Run it?"));
    for word in ["maybe", "yy", "okay"] {
        let mut slowest = Duration::ZERO;
        for letter in word.bytes() {
            let begun = Instant::now();
            terminal.send(&[letter]);
            // The time between two keys of a fast typist.
            std::thread::sleep(Duration::from_millis(100));
            slowest = slowest.max(begun.elapsed());
        }
        if slowest > Duration::from_millis(200) {
            eprintln!("skipped: this machine is too busy to type a word");
            return;
        }
        terminal.wait_while_quiet("the question", QUIET, |screen| screen.contains("Run it?"));
    }
    assert!(desk.said("approve").is_empty());
    assert!(desk.said("reject").is_empty());
    // The rule wants this pause: a letter that means nothing makes the next one suspect for so long.
    std::thread::sleep(Duration::from_millis(1600));
    terminal.answer(b"y");
    desk.waits_for("approve");
}

#[test]
fn a_paste_and_several_keys_at_once_approve_nothing() {
    let home = Home::new();
    let (desk, terminal) = waiting(&home, command_offer("make test", 1));
    terminal.paste("y\n");
    // The note is painted before the question below it.
    let is_told = |screen: &Screen, times: usize| {
        screen.text().matches("several keys came at once").count() == times && screen.contains("Run it?")
    };
    terminal.wait_for("a word about it", |screen| is_told(screen, 1));
    terminal.send(b"yes\r");
    terminal.wait_for("another word about it", |screen| is_told(screen, 2));
    terminal.wait_while_quiet("the question", QUIET, |screen| screen.contains("Run it?"));
    assert!(desk.said("approve").is_empty());
    terminal.press(Key::Up);
    terminal.press(Key::Enter);
    terminal.press(Key::Alt('y'));
    terminal.wait_while_quiet("the question", QUIET, |screen| screen.contains("Run it?"));
    assert_eq!((desk.said("approve").len(), desk.said("reject").len()), (0, 0));
}

#[test]
fn n_and_escape_reject() {
    for key in [&b"n"[..], b"\x1b"] {
        let home = Home::new();
        let (desk, terminal) = waiting(&home, command_offer("make test", 1));
        terminal.send(key);
        assert_eq!(desk.waits_for("reject")["digest"], "d1");
        desk.rejects();
        let (code, transcript) = ends(terminal);
        assert_eq!(code, 4, "{transcript:#?}");
        assert!(transcript.iter().any(|row| row.contains("nothing was done")), "{transcript:#?}");
        assert!(desk.said("approve").is_empty());
    }
}

#[test]
fn q_and_interrupt_leave_it_waiting_and_say_how_to_come_back() {
    for key in [&b"q"[..], b"\x03", b"\x04"] {
        let home = Home::new();
        let (desk, terminal) = waiting(&home, command_offer("make test", 1));
        // Without NOFLSH the terminal would discard output when Ctrl-C is pressed, including the closing message.
        assert!(terminal.modes().local_modes.contains(LocalModes::ISIG | LocalModes::NOFLSH));
        terminal.send(key);
        let (code, transcript) = ends(terminal);
        assert_eq!(code, 4, "{transcript:#?}");
        assert!(transcript.iter().any(|row| row.contains("aside task show tabc")), "{transcript:#?}");
        for op in ["approve", "reject", "cancel"] {
            assert!(desk.said(op).is_empty(), "{op}");
        }
    }
}

#[test]
fn an_edited_proposal_is_shown_whole_and_asked_about_again() {
    let mut home = Home::new();
    home.write("bin/ed", "#!/bin/sh\ncp \"$1\" \"$HOME/edited\"\nprintf 'make check\\n' > \"$1\"\n");
    home.set_env("EDITOR", &home.path("bin/ed").display().to_string());
    let (desk, terminal) = waiting(&home, command_offer("make test", 1));
    terminal.answer(b"e");
    let said = desk.waits_for("edit");
    assert_eq!((&said["text"], &said["digest"], &said["step"]), (&json!("make check\n"), &json!("d1"), &json!(1)));
    assert_eq!(home.read("edited"), "make test\n");
    desk.proposes(command_offer("make check", 2));
    terminal
        .wait_for("the new question", |screen| screen.contains("command  make check") && screen.contains("Run it?"));
    terminal.answer(b"y");
    let said = desk.waits_for("approve");
    assert_eq!((&said["step"], &said["digest"]), (&json!(2), &json!("d2")));
}

#[test]
fn what_the_daemon_does_not_take_is_not_lost() {
    let mut home = Home::new();
    home.write("bin/ed", "#!/bin/sh\necho \"$1\" >> \"$HOME/names\"\necho more >> \"$1\"\n");
    home.set_env("VISUAL", &home.path("bin/ed").display().to_string());
    let desk = StubDaemon::listens(&home);
    desk.refuses("edit", "hunk 1 does not fit; correct it");
    desk.proposes(diff_offer(3, 1));
    let terminal = terminal(&home, &["fix", "it"], SIZE);
    terminal.wait_for("the question", |screen| screen.contains("Write it?"));
    terminal.answer(b"e");
    terminal.wait_for("why it was not taken", |screen| screen.contains("hunk 1 does not fit"));
    terminal.wait_for("the question again", |screen| screen.contains("Write it?"));
    terminal.answer(b"e");
    let all = desk.waits_for_all("edit", 2);
    assert!(all[1]["text"].as_str().unwrap().ends_with("more\nmore\n"), "{}", all[1]["text"]);
    assert!(home.read("names").lines().all(|name| name.ends_with(".diff")), "an editor knows what it is");
}

#[test]
fn c_asks_for_another_place_to_write() {
    let home = Home::new();
    let (desk, terminal) = waiting(&home, command_offer("make test", 1));
    terminal.answer(b"c");
    let said = desk.waits_for("edit");
    assert_eq!((&said["confine"], &said["text"]), (&json!("workspace"), &json!("make test")));
    let mut offer = command_offer("make test", 2);
    offer["confine"] = "workspace".into();
    desk.proposes(offer);
    terminal.wait_for("the way back", |screen| screen.contains("c unconfine"));
    terminal.answer(b"c");
    assert_eq!(desk.waits_for_all("edit", 2)[1]["confine"], "no");
}

/// A pause after which a key is no part of the word before it.
const WORD: Duration = Duration::from_millis(1600);

/// `cycle` and `hydrate` have keys of the question before their `y`.
#[test]
fn a_word_that_is_typed_slowly_approves_nothing_whatever_its_letters_do() {
    let home = Home::new();
    let (desk, terminal) = waiting(&home, command_offer("make test", 1));
    terminal.answer(b"h");
    terminal.wait_for("the help", |screen| screen.contains("exactly as it is shown"));
    terminal.answer(b"y");
    terminal.wait_for("a remark", |screen| screen.contains("press y alone"));
    terminal.wait_while_quiet("the end of the word", WORD, |_| true);
    terminal.answer(b"c");
    desk.waits_for("edit");
    let mut offer = command_offer("make test", 2);
    offer["confine"] = "workspace".into();
    desk.proposes(offer);
    terminal.wait_for("the way back", |screen| screen.contains("c unconfine"));
    terminal.answer(b"y");
    terminal.wait_for("a remark", |screen| screen.contains("press y alone"));
    assert!(desk.said("approve").is_empty());
    terminal.wait_while_quiet("the end of the word", WORD, |_| true);
    terminal.answer(b"y");
    desk.waits_for("approve");
}

#[test]
fn what_was_not_on_the_screen_is_not_approved_by_y() {
    let mut home = Home::new();
    home.write("bin/pager", "#!/bin/sh\ncp \"$1\" \"$HOME/viewed\"; echo paged\n");
    home.set_env("PAGER", &home.path("bin/pager").display().to_string());
    let desk = StubDaemon::listens(&home);
    desk.proposes(diff_offer(100, 1));
    let terminal = terminal(&home, &["fix", "it"], SIZE);
    let screen = terminal.wait_for("the question", |screen| screen.contains("Write it?"));
    assert!(screen.contains("M x +100 -0") && screen.contains("because"), "{}", screen.text());
    let left = screen.text().lines().find_map(|row| row.strip_prefix("… ").map(str::to_owned)).expect("a count");
    let left: usize = left.split(' ').next().unwrap().parse().unwrap();
    terminal.answer(b"y");
    terminal.wait_for("a word about it", |screen| screen.contains(&format!("{left} lines were not shown")));
    assert!(desk.said("approve").is_empty());
    terminal.answer(b"v");
    terminal.wait_for("the pager, and the question again", |screen| {
        screen.contains("paged") && screen.row(screen.cursor.0).contains("Write it?")
    });
    assert!(home.read("viewed").contains("+line 99"));
    terminal.wait_while_quiet("the question", QUIET, |screen| screen.contains("Write it?"));
    terminal.answer(b"y");
    desk.waits_for("approve");
}

#[test]
fn whoever_wants_to_approve_what_they_did_not_see_says_so() {
    let home = Home::new();
    let desk = StubDaemon::listens(&home);
    desk.proposes(diff_offer(100, 1));
    let terminal = terminal(&home, &["fix", "it"], SIZE);
    terminal.wait_for("the question", |screen| screen.contains("Write it?"));
    terminal.answer(b"Y");
    desk.waits_for("approve");
    desk.executes();
    desk.writes("changed 1 file");
    let (code, transcript) = ends(terminal);
    assert_eq!(code, 0);
    let last = "changed 1 file; undo with: aside task undo tabc".to_owned();
    assert!(transcript.contains(&last), "{transcript:#?}");
}

#[test]
fn a_diff_has_its_colours() {
    let home = Home::new();
    let desk = StubDaemon::listens(&home);
    desk.proposes(diff_offer(3, 1));
    let terminal = terminal(&home, &["fix", "it"], SIZE);
    let screen = terminal.wait_for("the question", |screen| screen.contains("Write it?"));
    let colour = |text: &str| {
        let row = (0..24).find(|row| screen.row(*row).starts_with(text)).unwrap_or_else(|| panic!("{}", screen.text()));
        screen.spans(row)[0].style.fg
    };
    assert_eq!((colour("+line 1"), colour("@@")), (Color::Idx(2), Color::Idx(6)));
    assert!(screen.contains("+\u{65e5}\u{672c}"), "wide letters: {}", screen.text());
}

#[test]
fn a_hostile_proposal_cannot_write_on_the_terminal() {
    let home = Home::new();
    let desk = StubDaemon::listens(&home);
    let mut offer = diff_offer(1, 1);
    offer["text"] = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,3 @@\n+\u{1b}[2J\u{1b}[Hgone\n+a\u{202e}b\u{200b}c\r\n+\u{9b}31mx\n".into();
    desk.proposes(offer);
    let terminal = terminal(&home, &["fix", "it"], SIZE);
    let screen = terminal.wait_for("the question", |screen| screen.contains("Write it?"));
    for row in ["+⟨escape⟩[2J⟨escape⟩[Hgone", "+a⟨U+202E⟩b⟨U+200B⟩c⟨return⟩", "+⟨U+009B⟩31mx"] {
        assert!(screen.contains(row), "{row}: {}", screen.text());
    }
    assert!(screen.contains("Change x"), "what was above is still there: {}", screen.text());
}

#[test]
fn a_narrow_terminal_has_a_short_question() {
    let home = Home::new();
    let desk = StubDaemon::listens(&home);
    desk.proposes(command_offer("frobnicate 日本語日本語日本語日本語", 1));
    let terminal = terminal(&home, &["run", "it"], (16, 24));
    let screen = terminal.wait_for("the question", |screen| screen.contains("Run it? y/n/e/v/c/q/?"));
    assert_eq!(screen.row(screen.cursor.0), "Run it? y/n/e/v/c/q/?");
    terminal.resize(30, 100);
    terminal.wait_for("a long one", |screen| screen.contains("q later"));
    terminal.send(b"n");
    desk.waits_for("reject");
}

#[test]
fn what_somebody_else_approved_is_not_asked_about_any_more() {
    let home = Home::new();
    let (desk, terminal) = waiting(&home, command_offer("make test", 1));
    desk.executes();
    terminal.wait_for("who it was", |screen| {
        screen.contains("approved at the terminal pts/99") && !screen.contains("Run it?")
    });
    terminal.send(b"n");
    desk.completes("exit 0");
    assert_eq!(ends(terminal).0, 0);
    assert!(desk.said("reject").is_empty());
}

#[test]
fn a_daemon_that_comes_back_shows_its_own_offer() {
    let home = Home::new();
    let (desk, terminal) = waiting(&home, command_offer("make test", 1));
    let mut offer = command_offer("make test", 1);
    offer["digest"] = "other".into();
    desk.replaces_offer(offer);
    desk.hangs_up();
    desk.waits_for_all("watch", 2);
    terminal.wait_for("the question again", |screen| {
        screen.text().matches("command  make test").count() == 2 && screen.contains("Run it?")
    });
    terminal.answer(b"y");
    assert_eq!(desk.waits_for("approve")["digest"], "other");
    assert_eq!(desk.said("ask").len(), 1, "it is not asked for again");
}

#[test]
fn interrupt_while_it_thinks_cancels_it() {
    let home = Home::new();
    let desk = StubDaemon::listens(&home);
    desk.thinks();
    let terminal = terminal(&home, &["run", "the", "tests"], SIZE);
    terminal.wait_for("a sign of life", |screen| screen.contains("thinking"));
    terminal.press(Key::CtrlC);
    desk.waits_for("cancel");
    terminal.wait_for("that it was heard", |screen| screen.contains("stopping"));
    desk.rejects();
    assert_eq!(ends(terminal).0, 130);
}

#[test]
fn interrupt_while_it_runs_stops_it_and_the_second_one_leaves() {
    let home = Home::new();
    let (desk, terminal) = waiting(&home, command_offer("sleep 60", 1));
    terminal.answer(b"y");
    desk.waits_for("approve");
    desk.executes();
    terminal.wait_for("that it runs", |screen| screen.contains("running; Ctrl-C stops"));
    terminal.press(Key::CtrlC);
    desk.waits_for("cancel");
    terminal.wait_for("that it was heard", |screen| screen.contains("stopping"));
    terminal.press(Key::CtrlC);
    let (code, transcript) = ends(terminal);
    assert_eq!((code, desk.said("cancel").len()), (130, 1));
    assert!(transcript.iter().any(|row| row.contains("aside task watch tabc")), "{transcript:#?}");
}

/// In a shell, whose terminal modes must be restored.
fn in_shell(home: &Home) -> Terminal {
    let mut command = home.command("bash");
    command.args(["--norc", "--noprofile", "-i"]);
    let terminal = Terminal::start(command, SIZE, GHOST, home.daemon_log());
    terminal.wait_for("the prompt", |screen| screen.contains("bash-"));
    terminal
}

fn pid_of_aside(home: &Home) -> rustix::process::Pid {
    let is_it = |pid: &rustix::process::Pid| {
        std::fs::read_to_string(format!("/proc/{}/comm", pid.as_raw_pid())).is_ok_and(|name| name.trim() == "aside")
    };
    home.processes().into_iter().find(is_it).expect("it runs")
}

#[test]
fn the_terminal_is_as_it_was_however_we_end() {
    let home = Home::new();
    let desk = StubDaemon::listens(&home);
    desk.proposes(command_offer("make test", 1));
    let terminal = in_shell(&home);
    terminal.send(b"stty -g > modes; aside task run it; stty -g > after-$?\r");
    terminal.wait_for("the question", |screen| screen.contains("Run it?"));
    rustix::process::kill_process(pid_of_aside(&home), Signal::TERM).unwrap();
    // The question must be gone too: the next one looks the same.
    terminal.wait_for("that it has gone", |screen| home.path("after-143").exists() && !screen.contains("Run it?"));
    terminal.send(b"clear; aside task show; stty -g > after-$?\r");
    terminal.wait_for("the question", |screen| screen.contains("Run it?"));
    terminal.answer(b"q");
    terminal.wait_for("that it has gone", |_| home.path("after-4").exists());
    terminal.send(b"echo all is w''ell\r");
    terminal.wait_for("an echo", |screen| screen.contains("all is well"));
    assert_eq!([home.read("after-143"), home.read("after-4")], [home.read("modes"), home.read("modes")]);
}

#[test]
fn it_can_be_stopped_and_continued() {
    let home = Home::new();
    let desk = StubDaemon::listens(&home);
    desk.proposes(command_offer("make test", 1));
    let terminal = in_shell(&home);
    terminal.send(b"stty -g > modes; aside task run it\r");
    terminal.wait_for("the question", |screen| screen.contains("Run it?"));
    terminal.press(Key::Ctrl('z'));
    terminal.wait_for("the shell", |screen| screen.contains("Stopped"));
    terminal.send(b"stty -g > stopped\r");
    terminal.wait_for("its modes", |_| home.path("stopped").exists());
    terminal.send(b"clear; fg\r");
    terminal.wait_for("the question again", |screen| screen.contains("Run it?"));
    terminal.wait_while_quiet("the question", QUIET, |screen| screen.contains("Run it?"));
    terminal.answer(b"y");
    desk.waits_for("approve");
    assert_eq!(home.read("stopped"), home.read("modes"));
}

#[test]
fn a_terminal_that_can_do_nothing_is_asked_all_the_same() {
    let mut home = Home::new();
    home.set_env("TERM", "dumb");
    let desk = StubDaemon::listens(&home);
    desk.proposes(command_offer("make test", 1));
    let terminal = terminal(&home, &["run", "it"], SIZE);
    let screen = terminal.wait_for("the question", |screen| screen.contains("Run it?"));
    assert!(
        (0..24).all(|row| screen.spans(row).iter().all(|span| span.style.fg == Color::Default && !span.style.bold))
    );
    terminal.answer(b"y\n");
    desk.waits_for("approve");
}

#[test]
fn a_locale_without_utf8_gets_ascii() {
    let mut home = Home::new();
    home.set_env("LANG", "C");
    let desk = StubDaemon::listens(&home);
    desk.proposes(diff_offer(3, 1));
    let terminal = terminal(&home, &["fix", "it"], SIZE);
    let screen = terminal.wait_for("the question", |screen| screen.contains("Write it?"));
    assert!(screen.text().is_ascii(), "{}", screen.text());
    assert!(screen.contains("+<U+65E5><U+672C>"), "{}", screen.text());
}

fn piped(home: &Home, args: &[&str], input: &str) -> Said {
    let mut command: Command = home.command(ASIDE);
    run(command.arg("task").args(args), input)
}

#[test]
fn in_a_pipe_it_prints_what_is_proposed_and_approves_nothing() {
    let home = Home::new();
    let desk = StubDaemon::listens(&home);
    desk.proposes(command_offer("make test", 1));
    let said = piped(&home, &["run", "the", "tests"], "y\ny\ny\n");
    assert_eq!(said.code, 4, "{}", said.stderr);
    assert!(said.stdout.contains("  command  make test\n"), "{}", said.stdout);
    assert!(!said.stdout.contains('\x1b'), "{:?}", said.stdout);
    assert_eq!(said.stderr, "aside: tabc waits for you: aside task show tabc at a terminal asks\n");
    assert_eq!(desk.said("ask")[0]["text"], "run the tests\n\n```stdin\ny\ny\ny\n```");
    for op in ["approve", "reject", "edit", "cancel"] {
        assert!(desk.said(op).is_empty(), "{op}");
    }
}

#[test]
fn with_json_every_event_is_a_line_and_nothing_else_is_printed() {
    let home = Home::new();
    let desk = StubDaemon::listens(&home);
    desk.proposes(command_offer("make test", 1));
    let said = piped(&home, &["--json", "run", "the", "tests"], "");
    assert_eq!((said.code, said.stderr.as_str()), (4, ""));
    let events: Vec<Value> = said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let numbers: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<u64>>());
    assert_eq!(events.last().unwrap()["state"], "WAITING_APPROVAL");
    // Nor at a terminal.
    let terminal = terminal(&home, &["--json", "run", "the", "tests"], SIZE);
    terminal.send(b"y");
    assert_eq!(ends(terminal).0, 4);
    assert!(desk.said("approve").is_empty() && desk.said("show").is_empty());
}

#[test]
fn keys_are_read_only_where_the_proposal_is_shown() {
    let home = Home::new();
    let desk = StubDaemon::listens(&home);
    desk.proposes(command_offer("make test", 1));
    // With the output in a file and keys from a terminal; and the other way round.
    for line in ["aside task run it > shown", "echo x | aside task run it"] {
        let mut command = home.command("bash");
        command.args(["--norc", "--noprofile", "-c", line]);
        let terminal = Terminal::start(command, SIZE, GHOST, home.daemon_log());
        terminal.send(b"y");
        assert_eq!(ends(terminal).0, 4, "{line}");
    }
    assert!(desk.said("approve").is_empty());
    assert!(home.read("shown").contains("command  make test"));
}
