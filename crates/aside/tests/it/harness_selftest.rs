//! The harness on bare shells: if these fail, no other scene is meaningful.

use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use serde_json::json;
use vt100::Color;

use crate::harness::home::{self, Home, is_running};
use crate::harness::keys::Key;
use crate::harness::patience;
use crate::harness::scene::Scene;
use crate::harness::screen::{GHOST, Span, Style};
use crate::harness::setup::Setup;

/// Suggests `atus --short` after `git st`, as a plugin would, and accepts it with the right arrow.
const FAKE_GHOST: &str = r#"
fake_ghost() {
  POSTDISPLAY= region_highlight=()
  if [[ $BUFFER == 'git st' && $CURSOR == 6 ]]; then
    POSTDISPLAY='atus --short'
    region_highlight=("6 18 fg=8")
  fi
}
fake_accept() { BUFFER+=$POSTDISPLAY; CURSOR=$#BUFFER; }
zle -N zle-line-pre-redraw fake_ghost
zle -N fake_accept
bindkey '^[[C' fake_accept
"#;

const PLAIN: Style = Style { fg: Color::Default, bold: false, dim: false, inverse: false, underline: false };

fn shells() -> [Setup; 3] {
    // fish's own autosuggestions would appear as part of its line.
    let fish = Scene::fish().rc("set -g fish_autosuggestion_enabled 0");
    [Scene::zsh(), Scene::bash(), fish].map(Setup::without_aside)
}

fn failure_of(action: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let panic = std::panic::catch_unwind(action).expect_err("it should have failed");
    panic.downcast_ref::<String>().expect("a panic with a message").clone()
}

fn eventually(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + patience();
    while !condition() {
        assert!(Instant::now() < deadline, "waited until {what}");
        std::thread::yield_now();
    }
}

#[test]
fn a_command_runs_and_its_output_comes_back() {
    for stage in shells() {
        let mut scene = stage.start();
        assert_eq!(scene.runs("echo one"), "one");
        assert_eq!(scene.runs("printf 'a\\nb\\n'"), "a\nb");
        assert_eq!(scene.runs("true"), "");
    }
}

#[test]
fn output_longer_than_the_screen_comes_back_whole() {
    for stage in shells() {
        let mut scene = stage.size(10, 40).start();
        let numbers: Vec<String> = (1..=50).map(|number| number.to_string()).collect();
        assert_eq!(scene.runs("seq 50"), numbers.join("\n"));
        assert_eq!(scene.runs("seq -s, 50"), numbers.join(","));
    }
}

#[test]
fn the_line_shows_what_was_typed_and_where_the_cursor_is() {
    for stage in shells() {
        let mut scene = stage.start();
        scene.types("ech hi").shows_line("ech hi|");
        scene.presses(Key::Left).presses(Key::Left).presses(Key::Left).shows_line("ech| hi");
        scene.types("o").shows_line("echo| hi");
        scene.presses(Key::End).shows_line("echo hi|");
        scene.presses(Key::Home).shows_line("|echo hi");
        scene.presses(Key::CtrlE).shows_line("echo hi|");
        scene.presses(Key::Backspace).shows_line("echo h|");
        scene.types("| x ").shows_line("echo h| x ▮");
    }
}

#[test]
fn other_keys_do_what_they_do() {
    let mut scene = Scene::zsh().without_aside().file("notes.txt", "").start();
    scene.types("cat no").presses(Key::Tab).shows_line("cat notes.txt |");
    scene.presses(Key::Ctrl('u')).shows_line("|");
    scene.types("one two").presses(Key::Alt('b')).shows_line("one |two").presses(Key::AltF).shows_line("one two|");
    // Esc, then b: the escape sequence of Alt-b typed as two keys.
    scene.presses(Key::Esc).sends("b").shows_line("one |two").presses(Key::Delete);
}

#[test]
fn the_configuration_is_where_aside_looks_for_it() {
    let scene = Scene::bash().without_aside().config("[complete]\n").start();
    assert_eq!(scene.home.read(".config/aside/config.toml"), "[complete]\n");
}

#[test]
fn a_line_that_wraps_is_one_line() {
    for stage in shells() {
        let mut scene = stage.size(10, 20).start();
        scene.types("echo 34567890123").shows_line("echo 34567890123|");
        scene.types("4").shows_line("echo 345678901234|");
        scene.types("5").shows_line("echo 3456789012345|");
        scene.types("678 0123456789012345678 日本").shows_line("echo 3456789012345678 0123456789012345678 日本|");
        scene.presses(Key::Home).shows_line("|echo 3456789012345678 0123456789012345678 日本");
    }
}

#[test]
fn a_pasted_line_is_not_run_and_may_have_several_lines() {
    for stage in shells() {
        let mut scene = stage.start();
        scene.pastes("echo a").shows_line("echo a|");
        scene.presses(Key::Enter).prompt(2);
    }
    let mut scene = Scene::zsh().without_aside().start();
    scene.pastes("for x in 1 2\ndo echo $x\ndone").shows_line("for x in 1 2\ndo echo $x\ndone|");
    scene.presses(Key::Enter).prompt(2).screen_is(
        "
        1> for x in 1 2
        do echo $x
        done
        1
        2
        2> ▮
        ",
    );
}

#[test]
fn every_new_prompt_has_a_new_number_and_a_redrawn_one_keeps_its_own() {
    for stage in shells() {
        let mut scene = stage.start();
        scene.presses(Key::Enter).prompt(2);
        scene.types("abc").presses(Key::CtrlC).prompt(3).shows_line("|");
        scene
            .types("echo")
            .presses(Key::Ctrl('l'))
            .wait_for("a clear screen", |screen| screen.row(0).starts_with("3> "));
        scene.shows_line("echo|");
    }
}

#[test]
fn the_shell_s_own_history_is_there() {
    for stage in shells() {
        let mut scene = stage.history(&["echo älter 日本", "echo newer"]).start();
        scene.presses(Key::Up).shows_line("echo newer|");
        scene.presses(Key::Up).shows_line("echo älter 日本|");
        scene.presses(Key::Down).shows_line("echo newer|");
    }
}

#[test]
fn the_shell_sees_only_its_own_home() {
    for stage in shells() {
        let stage = stage.env("COLOUR", "green").file("bin/tool", "#!/bin/sh\necho from the tool\n");
        let mut scene = stage.file("notes.txt", "one\n").start();
        let home = scene.home.path("");
        assert_eq!(scene.runs("pwd -P"), home.canonicalize().unwrap().display().to_string());
        assert_eq!(scene.runs("echo $COLOUR $CARGO_MANIFEST_DIR $TZ"), "green UTC");
        assert_eq!(scene.runs("cat notes.txt; bin/tool"), "one\nfrom the tool");
        assert_eq!(scene.runs("stty size"), "24 80");
        assert_eq!(scene.runs("echo kept > out.txt"), "");
        assert_eq!(scene.home.read("out.txt"), "kept\n");
    }
}

#[test]
fn the_shell_ends_with_its_exit_code() {
    for stage in shells() {
        let mut scene = stage.start();
        scene.types("exit 7").presses(Key::Enter);
        assert_eq!(scene.ends(), 7);
    }
}

#[test]
fn ghost_text_is_told_from_typed_text() {
    let mut scene = Scene::zsh().without_aside().rc_after(FAKE_GHOST).start();
    scene.types("git st").shows_ghost("git st|atus --short").screen_is("1> git st▮‹atus --short›");
    let spans = scene.screen().spans(0);
    let ghost = Style { fg: GHOST, ..PLAIN };
    assert_eq!(
        spans,
        [Span { text: "1> git st".to_owned(), style: PLAIN }, Span { text: "atus --short".to_owned(), style: ghost }]
    );
    scene.types("x").shows_line("git stx|").shows_no_ghost();
    scene.presses(Key::Backspace).shows_ghost("git st|atus --short");
    scene.presses(Key::Right).shows_line("git status --short|").shows_no_ghost();
}

#[test]
fn another_colour_can_be_the_ghost() {
    let stage = Scene::zsh().without_aside().rc(&FAKE_GHOST.replace("fg=8", "fg=244")).ghost(Color::Idx(244));
    stage.start().types("git st").shows_ghost("git st|atus --short");
}

#[test]
fn nothing_happening_can_be_insisted_on() {
    for stage in shells() {
        let mut scene = stage.start();
        scene.types("ec").stays_without_ghost(Duration::ZERO);
        scene.stays("the line", Duration::from_millis(20), |screen| screen.row(0).starts_with("1> ec"));
        scene.shows_line("ec|");
    }
    let failure = failure_of(|| {
        let mut scene = Scene::zsh().without_aside().rc(FAKE_GHOST).start();
        scene.types("git st").stays_without_ghost(Duration::ZERO);
    });
    assert!(failure.starts_with("did not stay: no ghost text\n"), "{failure}");
}

#[test]
fn the_terminal_can_change_its_size() {
    for stage in shells() {
        let mut scene = stage.size(24, 80).start();
        scene.resizes(12, 40).settles();
        assert_eq!(scene.runs("stty size"), "12 40");
        scene.resizes(30, 100).settles();
        assert_eq!(scene.runs("stty size"), "30 100");
        assert_eq!(scene.screen().size(), (30, 100));
        assert_eq!(scene.runs("seq 40").lines().count(), 40);
    }
}

#[test]
fn attributes_are_seen() {
    let mut scene = Scene::bash().without_aside().start();
    scene.runs(r"printf '\e[1mbold\e[0;2mdim\e[0;7minverse\e[0;31mred\e[m\n'");
    let styled = |text: &str, style| Span { text: text.to_owned(), style };
    let spans = scene.screen().spans(1);
    let wanted = [
        styled("bold", Style { bold: true, ..PLAIN }),
        styled("dim", Style { dim: true, ..PLAIN }),
        styled("inverse", Style { inverse: true, ..PLAIN }),
        styled("red", Style { fg: Color::Idx(1), ..PLAIN }),
    ];
    assert_eq!(spans, wanted);
}

#[test]
fn the_terminal_answers_what_programs_ask_it() {
    let mut scene = Scene::bash().without_aside().start();
    // With echo on, the terminal's reply itself would be on the screen.
    let ask = |question: &str, end: &str| {
        format!(r"stty -echo; printf '{question}'; read -rd{end} reply; stty echo; echo ${{reply:1}}")
    };
    assert_eq!(scene.runs(&ask(r"\e[c", "c")), "[?62;22");
    assert_eq!(scene.runs(&ask(r"\e[5n", "n")), "[0");
    assert_eq!(scene.runs(&ask(r"\e[6n", "R")), "[6;1");
}

#[test]
fn a_failure_shows_the_screen_and_what_was_said() {
    let failure = failure_of(|| {
        let mut scene = Scene::zsh().without_aside().rc(FAKE_GHOST).start();
        scene.home.write(".local/state/aside/daemon.log", "the daemon's last words\n");
        scene.types("git st").shows_ghost("git st|atus --short");
        scene.presses(Key::CtrlC).prompt(2).types("exit").presses(Key::Enter);
        scene.shows("never");
    });
    let wanted = [
        "the program ended; waited for \"never\" on the screen\n",
        "screen, 24 rows of 80, cursor ▮ in row ",
        "   0 │1> git st‹atus --short›\n",
        "   1 │2> exit\n",
        "ms  sent      \"\\r\"\n",
        "ms  received  \"e",
        "end of daemon.log:\n     the daemon's last words\n",
    ];
    for part in wanted {
        assert!(failure.contains(part), "{part:?} is missing in:\n{failure}");
    }
}

#[test]
fn programs_run_in_the_home_and_say_how_they_ended() {
    let home = Home::new();
    let help = home.aside(&["--help"]);
    assert_eq!((help.code, help.stderr.as_str()), (0, ""));
    assert!(help.stdout.contains("Usage: aside"), "{}", help.stdout);
    let wrong = home.aside_reads(&["no-such-command"], "ignored");
    assert_eq!((wrong.code, wrong.stdout.as_str()), (2, ""));
    assert!(!home.aside_does(&["--version"]).stdout.is_empty());
    let mut shell = home.command("sh");
    let said = home::run(shell.args(["-c", "cat; echo $HOME >&2; exit 3"]), "fed");
    assert_eq!((said.stdout.as_str(), said.code), ("fed", 3));
    assert_eq!(said.stderr.trim_end(), home.path("").display().to_string().trim_end_matches('/'));
}

#[test]
fn nothing_that_was_started_outlives_the_scene() {
    for stage in shells() {
        let mut scene = stage.start();
        // A background job, and a process that has left the session as a daemon does.
        scene.runs("sleep 1000 & setsid sleep 1000 &");
        eventually("the shell and two sleepers run", || scene.home.processes().len() >= 3);
        let processes = scene.home.processes();
        drop(scene);
        // Killed processes may take a moment to exit.
        eventually("all have gone", || processes.iter().all(|process| !is_running(*process)));
    }
}

#[test]
fn the_wire_speaks_records_and_json() {
    let scene = Scene::bash().without_aside().start();
    let listener = UnixListener::bind(scene.home.socket()).unwrap();
    let daemon = std::thread::spawn(move || {
        use std::io::{BufRead, BufReader, Read, Write};
        let (mut stream, _) = listener.accept().unwrap();
        let mut record = [0; 10];
        stream.read_exact(&mut record).unwrap();
        assert_eq!(&record, b"2\x001\0hello\0");
        stream.write_all(b"1\x1f\x1fhi\x00late\0").unwrap();
        let mut line = String::new();
        BufReader::new(stream.try_clone().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "{\"ask\":1}\n");
        stream.write_all(b"{\"answer\":2}\nbye").unwrap();
    });
    let mut wire = scene.wire();
    assert_eq!(wire.record(&["1", "hello"]), ["1", "", "hi"]);
    assert_eq!(wire.reads_record(), ["late"]);
    assert_eq!(wire.json(json!({"ask": 1})), json!({"answer": 2}));
    assert_eq!(wire.ends(), "bye");
    daemon.join().unwrap();
}

#[test]
fn no_interrupt_is_lost() {
    for stage in shells() {
        let mut scene = stage.start();
        for number in 1..20 {
            scene.prompt(number).types("abc").presses(Key::CtrlC);
        }
        scene.prompt(20).shows_line("|");
    }
}
