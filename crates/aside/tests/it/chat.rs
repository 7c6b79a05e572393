//! `aside chat` in a real terminal, with the real daemon behind it.

use std::path::PathBuf;
use std::time::Duration;

use rustix::process::{Pid, Signal};

use crate::harness::home::{ASIDE, Home};
use crate::harness::keys::Key;
use crate::harness::screen::{GHOST, Screen};
use crate::harness::terminal::Terminal;
use crate::model::Model;
use crate::model::scripted_reply::ScriptedReply;

/// Far longer than the grace period in which keys are ignored.
const WHILE: Duration = Duration::from_millis(700);

struct Chat {
    terminal: Terminal,
    home: Home,
}

impl Chat {
    fn start() -> Self {
        Self::sized(24, 80, |_| {})
    }

    fn sized(rows: u16, columns: u16, prepare: impl Fn(&mut Home)) -> Self {
        let mut home = Home::new();
        home.write("project/.git/HEAD", "ref: refs/heads/main\n");
        prepare(&mut home);
        let mut command = home.command(ASIDE);
        command.arg("chat").current_dir(home.path("project"));
        let terminal = Terminal::start(command, (rows, columns), GHOST, home.daemon_log());
        let chat = Self { terminal, home };
        chat.sees("Say what you want");
        chat
    }

    #[track_caller]
    fn sees(&self, text: &str) -> Screen {
        self.terminal.wait_for(&format!("{text:?} on the screen"), |screen| screen.contains(text))
    }

    #[track_caller]
    fn asks(&self, text: &str) {
        self.terminal.send(format!("{text}\r").as_bytes());
    }

    /// Focuses what waits for approval, as a user who reads it would.
    #[track_caller]
    fn looks(&self, what: &str) {
        self.terminal.press(Key::Tab);
        self.sees(what);
        self.rests();
    }

    /// Waits until the screen is quiet, and with it the grace period in which keys are ignored.
    #[track_caller]
    fn rests(&self) {
        self.terminal.wait_while_quiet("a screen at rest", WHILE, |_| true);
    }

    fn project(&self, name: &str) -> PathBuf {
        self.home.path(&format!("project/{name}"))
    }
}

#[test]
fn chat_runs_what_was_approved_and_not_before() {
    let chat = Chat::start();
    chat.home.write("project/check", "#!/bin/sh\ntouch made\necho 12 passed\nexit 3\n");
    chat.asks("run `./check`");
    chat.sees("waits for you");
    assert!(!chat.project("made").exists());
    chat.looks("command  ./check");
    chat.sees("all of it");
    chat.terminal.answer(b"y");
    let screen = chat.sees("exit 3");
    assert!(screen.contains("│ 12 passed"), "{}", screen.text());
    assert!(chat.project("made").exists());
}

#[test]
fn chat_does_not_take_what_was_typed_ahead_for_an_answer() {
    let chat = Chat::start();
    // Sends everything at once, before anything could have been read.
    chat.terminal.send(b"run `touch made`\r\tyYyY\r");
    chat.sees("waits for you");
    chat.terminal.press(Key::Ctrl('u'));
    chat.rests();
    chat.terminal.send(b"\tyyyyyyyyyy");
    chat.sees("press y alone");
    chat.rests();
    assert!(!chat.project("made").exists());
    chat.terminal.answer(b"y");
    chat.sees("exit 0");
    assert!(chat.project("made").exists());
}

#[test]
fn chat_rejects_edits_and_confines() {
    let chat = Chat::start();
    chat.asks("run `echo one`");
    chat.sees("waits for you");
    chat.looks("Run this command?");
    chat.terminal.answer(b"e");
    chat.sees("Enter propose this");
    chat.terminal.send(b"\x15echo two\r");
    chat.terminal.wait_for("the new offer", |screen| screen.contains("command  echo two"));
    chat.rests();
    chat.terminal.answer(b"y");
    chat.sees("│ two");
    chat.sees("exit 0");

    chat.asks("run `echo three`");
    chat.sees("waits for you");
    chat.looks("command  echo three");
    chat.terminal.send(b"n");
    chat.sees("– rejected");
}

#[test]
fn chat_edits_in_the_editor_and_has_the_screen_again() {
    let chat = Chat::sized(24, 80, |home| {
        home.write("edit", "#!/bin/sh\necho editing\nsed 's/one/two/' \"$1\" > \"$1.new\" && mv \"$1.new\" \"$1\"\n");
        let editor = home.path("edit").display().to_string();
        home.set_env("EDITOR", &editor);
    });
    chat.asks("run `echo one`");
    chat.sees("waits for you");
    chat.looks("command  echo one");
    chat.terminal.answer(b"E");
    chat.sees("command  echo two");
    assert!(!chat.terminal.screen().contains("editing"));
    chat.rests();
    chat.terminal.answer(b"y");
    chat.sees("│ two");
}

#[test]
fn chat_writes_a_change_that_was_seen_to_its_end_and_takes_it_back() {
    let model = Model::start();
    let chat = Chat::sized(24, 80, |home| {
        home.write("project/src/a.py", "def one():\n\treturn 1\n");
        let url = model.base_url();
        let llm =
            format!("[llm]\nprovider = 'openai'\nbase_url = '{url}'\nmodel = 'scripted'\ntimeout_connect_ms = 10000\n");
        home.write(".config/aside/config.toml", format!("[complete]\nmodel_min_chars = 100\n{llm}"));
    });
    let added: String = (1..=40).map(|line| format!("+\t# line {line}\n")).collect();
    let diff = format!("--- a/src/a.py\n+++ b/src/a.py\n@@ -1,2 +1,42 @@\n def one():\n{added} \treturn 1\n");
    let words = "Adds **comments**.".to_owned();
    model.next(ScriptedReply::streams([&words, &format!("\n\n```diff\n{diff}```\n")]).pace(Duration::from_millis(100)));
    chat.asks("add comments to src/a.py");
    chat.sees("file     M src/a.py +40 -0");
    chat.looks("Write this change?");
    chat.terminal.answer(b"y");
    chat.sees("not seen yet");
    // Jumping past the rows does not count as having seen them.
    chat.terminal.send(b"G");
    chat.sees("⇥   # line 40");
    chat.rests();
    chat.terminal.answer(b"y");
    chat.sees("not seen yet");
    chat.terminal.send(b"g");
    chat.sees("⇥   # line 1");
    for _ in 0..3 {
        chat.terminal.send(b" ");
        chat.rests();
    }
    chat.sees("all of it");
    assert!(!chat.home.read("project/src/a.py").contains('#'));
    chat.terminal.answer(b"y");
    chat.sees("undoes it");
    assert!(chat.home.read("project/src/a.py").contains("# line 40"));

    chat.terminal.press(Key::Esc);
    chat.sees("r retry");
    chat.terminal.send(b"u");
    chat.sees("undo what it wrote?");
    chat.rests();
    chat.terminal.answer(b"y");
    chat.terminal.wait_for("it to be taken back", |_| !chat.home.read("project/src/a.py").contains('#'));
}

#[test]
fn chat_fits_any_window() {
    let chat = Chat::start();
    chat.asks("run `echo one`");
    chat.sees("waits for you");
    chat.terminal.resize(10, 40);
    let small = chat.terminal.wait_for("a small screen", |screen| {
        screen.size() == (10, 40) && screen.contains("waits for you") && screen.row(9).contains("Tab proposal")
    });
    assert!(small.row(8).starts_with('›'), "{}", small.text());
    chat.terminal.resize(60, 200);
    chat.terminal.wait_for("a large screen with the list", |screen| {
        screen.size() == (60, 200) && screen.contains("conversations") && screen.row(59).contains("Tab proposal")
    });
    chat.looks("Run this command?");
    chat.terminal.resize(12, 50);
    chat.terminal.wait_for("the card in a small window", |screen| screen.contains("command  echo one"));
}

#[test]
fn chat_goes_on_with_the_next_daemon() {
    let chat = Chat::start();
    chat.asks("run `echo one`");
    chat.sees("waits for you");
    chat.home.aside_does(&["daemon", "stop"]);
    chat.home.aside_does(&["daemon", "start"]);
    chat.terminal.wait_for("the connection to be back", |screen| {
        screen.contains("waits for you") && !screen.contains("no connection")
    });
    chat.looks("command  echo one");
    chat.terminal.answer(b"y");
    chat.sees("│ one");
}

#[test]
fn chat_shows_nothing_that_moves_the_cursor() {
    let chat = Chat::start();
    chat.asks("run `printf 'a\\033[2J\\033[1;1Hb\\033]0;title\\007c\\n'`");
    chat.sees("waits for you");
    chat.looks("Run this command?");
    chat.terminal.answer(b"y");
    let screen = chat.sees("exit 0");
    assert!(screen.contains("› run `printf"), "{}", screen.text());
}

#[test]
fn chat_cancels_what_runs_and_leaves_when_told_twice() {
    let mut chat = Chat::start();
    chat.home.write("project/slow", "#!/bin/sh\necho begun\nsleep 1000\n");
    chat.asks("run `./slow`");
    chat.sees("waits for you");
    chat.looks("Run this command?");
    chat.terminal.answer(b"y");
    chat.sees("│ begun");
    chat.terminal.press(Key::CtrlC);
    chat.sees("✗");
    chat.rests();
    chat.terminal.send(b"\x03\x03");
    assert_eq!(chat.terminal.wait_for_end(), 0);
}

/// Runs it in a shell that prints the terminal's settings before and after.
fn in_a_shell(home: &Home) -> Terminal {
    home.write("project/.git/HEAD", "ref: refs/heads/main\n");
    let mut command = home.command("/bin/sh");
    command.arg("-c").arg("stty -g > before; echo begun; aside chat; echo ended $?; stty -g > after");
    command.current_dir(home.path("project"));
    let terminal = Terminal::start(command, (24, 80), GHOST, home.daemon_log());
    terminal.wait_for("the conversation", |screen| screen.contains("Say what you want"));
    terminal
}

fn chat_in(home: &Home) -> Pid {
    let is_chat = |pid: &Pid| {
        let line = std::fs::read(format!("/proc/{}/cmdline", pid.as_raw_nonzero())).unwrap_or_default();
        line.ends_with(b"\0chat\0")
    };
    home.processes().into_iter().find(is_chat).expect("the conversation runs")
}

#[cfg(target_os = "linux")]
#[test]
fn chat_gives_the_terminal_back_however_it_ends() {
    for (signal, code) in [(Some(Signal::TERM), 143), (Some(Signal::HUP), 129), (None, 0)] {
        let home = Home::new();
        let terminal = in_a_shell(&home);
        match signal {
            Some(signal) => rustix::process::kill_process(chat_in(&home), signal).unwrap(),
            None => terminal.send(b"\x04"),
        }
        let screen = terminal.wait_for("the end", |screen| screen.contains(&format!("ended {code}")));
        assert!(screen.contains("begun") && !screen.contains("Say what"), "{}", screen.text());
        let mut terminal = terminal;
        terminal.wait_for_end();
        assert_eq!(home.read("project/before"), home.read("project/after"));
    }
}

#[test]
fn chat_stops_for_the_shell_and_comes_back() {
    let home = Home::new();
    home.write("project/.git/HEAD", "ref: refs/heads/main\n");
    let mut command = home.command("bash");
    command.args(["--norc", "--noprofile", "-i"]).env("PS1", "prompt> ").current_dir(home.path("project"));
    let terminal = Terminal::start(command, (24, 80), GHOST, home.daemon_log());
    terminal.wait_for("a prompt", |screen| screen.contains("prompt>"));
    terminal.send(b"aside chat\r");
    terminal.wait_for("the conversation", |screen| screen.contains("Say what you want"));
    terminal.send(b"half a thought");
    terminal.wait_for("what is typed", |screen| screen.contains("half a thought"));
    terminal.press(Key::Ctrl('z'));
    terminal.wait_for("the shell", |screen| screen.contains("Stopped") && !screen.contains("Say what"));
    terminal.send(b"echo here\r");
    terminal.wait_for("the shell to work", |screen| screen.contains("\nhere\n"));
    terminal.send(b"fg\r");
    terminal.wait_for("the conversation again", |screen| {
        screen.contains("Say what you want") && screen.contains("half a thought") && !screen.contains("Stopped")
    });
}

#[test]
fn chat_needs_a_terminal() {
    let home = Home::new();
    let said = home.aside(&["chat"]);
    assert_eq!(said.code, 2);
    assert!(said.stderr.contains("needs a terminal"), "{}", said.stderr);
    assert!(!home.socket().exists(), "no daemon was started for it");
}
