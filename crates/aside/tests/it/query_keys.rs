//! The keys of queries next to other bindings: the list, the explanation, vi mode, other plugins, privacy. Each key keeps its
//! earlier meaning while no command is shown.

use std::time::Duration;

use vt100::Color;

use crate::harness::keys::Key;
use crate::harness::query_script::QueryReply;
use crate::harness::scene::Scene;
use crate::harness::scripted_daemon::ScriptedDaemon;
use crate::query_zsh::{BIG, FIND, answered, at, begun, big, follows, remembered, zsh};

const A_WHILE: Duration = Duration::from_millis(150);

const AUTOSUGGESTIONS: &str = "source /usr/share/zsh-autosuggestions/zsh-autosuggestions.zsh";
const HIGHLIGHTING: &str = "source /usr/share/zsh-syntax-highlighting/zsh-syntax-highlighting.zsh";

/// Three commands, the second of them dangerous, and explanations of the first two.
fn three() -> ScriptedDaemon {
    let say =
        QueryReply::done(FIND).means("files over 100 MB").or("rm -f big").warns("deletes files").or("du -ah").closest();
    let lines = &["find: looks for files", "-size +100M: larger than 100 MB"];
    let script = ScriptedDaemon::new().sets("hint", "off").grants(BIG, &[say]);
    script.explains(FIND, lines).explains("rm -f big", &["rm: removes files"])
}

#[test]
fn down_opens_a_list_of_the_others() {
    for down in ["\x1b[B", "\x1bOB", "\x0e"] {
        let script = three();
        let mut scene = answered(&script);
        scene.sends(down).screen_is(
            "
            2> ? find big files▮  → ‹find . -size +100M›
            > ‹find . -size +100M›  files over 100 MB
              ‹rm -f big›           ! deletes files
              ‹du -ah›              closest I know
              explain",
        );
        scene.sends(down).screen_is(
            "
            2> ? find big files▮  → ‹rm -f big›
              ‹find . -size +100M›  files over 100 MB
            > ‹rm -f big›           ! deletes files
              ‹du -ah›              closest I know
              explain",
        );
        scene.presses(Key::Up).shows("\n> find . -size").presses(Key::Up);
        scene.screen_is("2> ? find big files▮  → ‹find . -size +100M›\nfiles over 100 MB");
    }
}

#[test]
fn what_is_chosen_in_the_list_is_taken() {
    for key in [Key::Tab, Key::Enter, Key::Right] {
        let script = three();
        let mut scene = answered(&script);
        scene.presses(Key::Down).presses(Key::Down).shows("> rm -f big").presses(key).shows_line("rm -f big|");
        scene.screen_is("2> rm -f big▮\n! deletes files");
        script.has_heard(&["accept: find big files -> rm -f big"]);
    }
}

#[test]
fn esc_closes_the_list_and_then_the_answer() {
    let script = three();
    let mut scene = answered(&script);
    scene.presses(Key::Down).shows("explain").presses(Key::Esc);
    scene.screen_is("2> ? find big files▮  → ‹find . -size +100M›\nfiles over 100 MB");
    scene.presses(Key::Esc).screen_is("2> ? find big files▮").stays_without_ghost(A_WHILE);
    script.has_heard(&["dismiss: find big files -> find . -size +100M"]);
    // Until the line changes.
    scene.presses(Key::Left).presses(Key::Right).stays_without_ghost(A_WHILE);
    scene.types("x").presses(Key::Backspace).shows("→ find . -size +100M");
}

#[test]
fn the_key_explains_the_row_that_is_chosen() {
    let script = three();
    let mut scene = answered(&script);
    scene.presses(Key::Down).presses(Key::Down).presses(Key::Down).presses(Key::Down).shows("> explain");
    scene.presses(Key::Up).presses(Key::Up).shows("> rm -f").presses(Key::Down).presses(Key::Down).shows("> explain");
    scene.presses(Key::Up).presses(Key::Up).presses(Key::Up).shows("> find").presses(Key::Down).shows("> rm -f");
    assert_eq!(script.told("explain").len(), 0);
    scene.presses(Key::CtrlE).screen_is(
        "
        2> ? find big files▮  → ‹rm -f big›
        ────────────────────────────────────────
        rm: removes files",
    );
}

#[test]
fn down_and_up_are_the_shells_when_no_command_is_shown() {
    let script = three();
    let rc = "up() { LBUFFER+=U }; down() { LBUFFER+=D }; zle -N up; zle -N down\n\
              bindkey '^[[A' up '^[OA' up '^[[B' down '^[OB' down; bindkey '^P' up; bindkey -s '^N' NN";
    let mut scene = begun(&script, zsh(&script).rc(rc));
    // While a command is shown, Up is still the shell's.
    scene.presses(Key::Up).shows_line("? find big filesU|").presses(Key::Down).shows_line("? find big filesUD|");
    scene.presses(Key::Backspace).presses(Key::Backspace).shows("→ find").presses(Key::Down).shows("> find");
    scene.presses(Key::Tab).shows_line("find . -size +100M|").presses(Key::Down).shows_line("find . -size +100MD|");
    scene.presses(Key::Ctrl('u'));
    let keys = scene.runs("for k in '^[[A' '^[OA' '^[[B' '^[OB' '^P' '^N' '^E'; do bindkey $k; done | cut -d' ' -f2");
    assert_eq!(keys, "up\nup\ndown\ndown\nup\n\"NN\"\nend-of-line");
}

#[test]
fn the_explanation_stands_below_until_the_line_changes() {
    let script = three();
    let mut scene = answered(&script);
    let explained = "
        2> ? find big files▮  → ‹find . -size +100M›
        ────────────────────────────────────────
        find: looks for files
        -size +100M: larger than 100 MB";
    scene.presses(Key::CtrlE).screen_is(explained).presses(Key::Left).settles();
    scene.presses(Key::Right).screen_is(explained);
    scene.presses(Key::CtrlE).screen_is("2> ? find big files▮  → ‹find . -size +100M›\nfiles over 100 MB");
    scene.presses(Key::CtrlE).screen_is(explained).presses(Key::Esc);
    scene.screen_is("2> ? find big files▮  → ‹find . -size +100M›\nfiles over 100 MB");
    scene.presses(Key::CtrlE).screen_is(explained).types("x").shows_line("? find big filesx|");
    scene.wait_for("nothing below", |screen| !screen.contains("───"));
}

#[test]
fn what_was_taken_is_explained_too_as_long_as_it_is_not_edited() {
    let script = three();
    let mut scene = answered(&script);
    scene.presses(Key::Tab).shows_line("find . -size +100M|").presses(Key::Home).shows_line("|find . -size +100M");
    scene.presses(Key::CtrlE).screen_is(
        "
        2> ▮find . -size +100M
        ────────────────────────────────────────
        find: looks for files
        -size +100M: larger than 100 MB",
    );
    // Pressed again, it moves to the end of the line.
    scene.presses(Key::CtrlE).shows_line("find . -size +100M|").shows("-size +100M: larger").types(" ");
    scene.screen_is("2> find . -size +100M ▮");
    scene.presses(Key::Home).shows_line("|find . -size +100M ").presses(Key::CtrlE);
    scene.shows_line("find . -size +100M |").settles();
    assert_eq!(at(&scene), "2> find . -size +100M ▮");
}

#[test]
fn the_key_of_the_explanation_is_the_persons_own() {
    for (name, bytes) in
        [("alt-x", "\x1bx"), ("f1", "\x1bOP"), ("ctrl-t", "\x14"), ("ctrl-alt-e", "\x1b\x05"), ("^Xe", "\x18e")]
    {
        let script = three().sets("explain_key", name);
        let mut scene = answered(&script);
        scene.sends(bytes).shows("find: looks for files");
        scene.presses(Key::Esc).shows("files over 100 MB").presses(Key::CtrlE).shows_line("find . -size +100M|");
    }
}

#[test]
fn a_long_explanation_is_cut_after_a_dozen_rows() {
    let lines: Vec<String> = (1..=30).map(|number| format!("line {number}")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let script = big().explains(FIND, &lines);
    let mut scene = answered(&script);
    scene.presses(Key::CtrlE).shows("line 12 …").settles();
    assert!(!scene.screen().contains("line 13"), "{}", at(&scene));
    // Fewer rows on a low screen.
    let script = big().explains(FIND, &lines);
    let mut scene = begun(&script, zsh(&script).size(8, 60));
    scene.presses(Key::CtrlE).shows("line 3 …").presses(Key::Tab).shows_line("find . -size +100M|");
    scene.screen_is("2> find . -size +100M▮");
}

#[test]
fn in_vi_mode_it_is_the_same() {
    let script = three();
    let mut scene = begun(&script, zsh(&script).rc("bindkey -v; KEYTIMEOUT=1"));
    scene.presses(Key::Down).shows("> find").presses(Key::Down).presses(Key::Enter).shows_line("rm -f big|");
    // Undo restores the words in one step.
    scene.presses(Key::Esc).shows_line("rm -f bi|g").sends("u").shows_line("? find big file|s").sends("A");
    scene.shows_line("? find big files|").types("x").presses(Key::Backspace).shows("→ find . -size");
    scene.presses(Key::Esc).shows_line("? find big file|s").stays_without_ghost(A_WHILE);
    // In command mode Enter does not run the words either; it queries.
    scene.presses(Key::Enter).shows_line("find . -size +100M|").sends("u").shows_line("? find big file|s");
    scene.sends("cc").shows_line("|").types("echo hi").presses(Key::Enter).prompt(3).shows("\nhi\n");
    assert_eq!(remembered(&mut scene), ["echo hi"]);
}

#[test]
fn undo_after_typing_on_gives_back_first_the_command_and_then_the_words() {
    let script = big();
    let mut scene = answered(&script);
    scene.presses(Key::Enter).shows_line("find . -size +100M|").types(" x").shows_line("find . -size +100M x|");
    for wanted in ["find . -size +100M |", "find . -size +100M|", "? find big files|"] {
        scene.sends("\x1f");
        scene.wait_for(wanted, |screen| {
            screen.row(0).starts_with(&format!("2> {}", wanted.replace('|', "").trim_end()))
        });
    }
}

#[test]
fn accept_and_hold_takes_and_holds_nothing() {
    let script = big();
    let mut scene = answered(&script);
    scene.sends("\x1ba").shows_line("find . -size +100M|").presses(Key::Ctrl('u'));
    assert_eq!(scene.runs("echo hi"), "hi");
}

#[test]
fn zsh_autosuggestions_takes_it_into_the_line_too() {
    let rc = format!("{AUTOSUGGESTIONS}\nbindkey '^ ' autosuggest-accept '^Xx' autosuggest-execute");
    for mode in ["replace", "yield"] {
        let script = three().sets("autosuggestions", mode);
        let mut scene = zsh(&script).rc(&rc).start();
        scene.runs("true");
        scene.runs("true");
        for key in ["\0", "\x1b[C", "\x1b[F", "\t", "\r", "\x18x"] {
            scene.types("? find big files").shows("→ find . -size +100M").sends(key);
            scene.shows_line("find . -size +100M|").presses(Key::Ctrl('u')).shows_line("|");
        }
        scene.types("? find big files").shows("→ find").presses(Key::AltF).settles();
        assert_eq!(scene.screen().row(scene.screen().cursor.0), "3> ? find big files  → find . -size +100M");
        scene.presses(Key::CtrlE).shows("find: looks for files").presses(Key::Down).shows("> find");
        scene.presses(Key::CtrlC).prompt(4);
        assert!(remembered(&mut scene).iter().all(|line| !line.contains("big files")));
    }
}

#[test]
fn a_highlighter_leaves_the_command_its_colour() {
    for order in [crate::harness::setup::Setup::rc_before, crate::harness::setup::Setup::rc_after] {
        let script = three();
        let mut scene = begun(&script, order(zsh(&script), HIGHLIGHTING));
        scene.presses(Key::Left).presses(Key::Right).settles();
        assert_eq!(at(&scene), "2> ? find big files▮  → ‹find . -size +100M›\nfiles over 100 MB");
        let spans = scene.screen().spans(0);
        assert!(spans.iter().all(|span| span.style.fg != Color::Idx(1)), "an error it is not: {spans:?}");
        scene.presses(Key::Enter).shows_line("find . -size +100M|").settles();
        let spans = scene.screen().spans(0);
        assert!(spans.iter().any(|span| span.style.fg == Color::Idx(2)), "coloured as ever: {spans:?}");
        scene.presses(Key::Ctrl('u')).runs("true");
    }
}

#[test]
fn read_twice_it_works_once() {
    let script = three();
    let mut scene = zsh(&script).rc(AUTOSUGGESTIONS).start();
    follows(&script, &mut scene);
    scene.runs("eval \"$(aside init zsh)\"");
    scene.runs("true");
    scene.types("? find big files").shows("→ find . -size +100M").presses(Key::Down).shows("> find");
    scene.presses(Key::Enter).shows_line("find . -size +100M|").presses(Key::Ctrl('u'));
    assert_eq!(scene.runs("echo hi"), "hi");
}

#[test]
fn a_search_through_the_past_begins_with_a_clean_line() {
    let script = three();
    let mut scene = answered(&script);
    scene.presses(Key::Ctrl('r')).shows("bck-i-search:").sends("true");
    scene.wait_for("the search alone", |screen| screen.contains("bck-i-search: true") && !screen.contains("100 MB"));
    scene.presses(Key::CtrlC).shows_line("? find big files|").presses(Key::CtrlC).prompt(3);
    assert_eq!(scene.runs("bindkey '^E'"), "\"^E\" end-of-line");
}

#[test]
fn a_daemon_that_stops_reading_never_blocks_a_wish() {
    let script = big();
    let mut scene = zsh(&script).start();
    follows(&script, &mut scene);
    script.falls_silent();
    scene.sends(&format!("? {}", "many words ".repeat(400))).settles();
    for _ in 0..100 {
        scene.sends("x").settles();
    }
    scene.presses(Key::Enter).settles().presses(Key::CtrlC).prompt(3);
}

#[test]
fn a_private_shell_says_so_to_the_daemon() {
    let script = three().sets("private_key", "alt-p");
    let mut scene = zsh(&script).start();
    follows(&script, &mut scene);
    let hellos =
        |script: &ScriptedDaemon| script.told("hello").iter().map(|fields| fields[10].clone()).collect::<Vec<_>>();
    assert!(hellos(&script).iter().all(|private| private == "0"));
    let said = scene.runs("aside-private");
    assert_eq!(said, "aside: private: nothing of this shell leaves this machine");
    scene.types("? find big files").shows("→ find");
    assert_eq!(hellos(&script).last().unwrap(), "1");
    assert_eq!(script.told("translate").last().unwrap()[8], "1");
    scene.presses(Key::CtrlE).shows("find: looks");
    assert_eq!(script.told("explain").last().unwrap()[7], "1");
    // The key works in the middle of a line.
    scene.sends("\x1bp").shows("no longer private").shows_line("? find big files|");
    script.waits("another hello", |script| hellos(script).last().unwrap() == "0");
    scene.types("x").presses(Key::Backspace).shows("→ find").presses(Key::Ctrl('u'));
    assert_eq!(script.told("translate").last().unwrap()[8], "0");
    assert_eq!(
        scene
            .runs("aside-private on; echo $ASIDE_PRIVATE; aside-private off; echo ${ASIDE_PRIVATE-unset}")
            .lines()
            .nth(1),
        Some("1")
    );
    assert_eq!(scene.runs("ASIDE_PRIVATE=1"), "");
    scene.types("ls").settles();
    script.waits("a private hello", |script| hellos(script).last().unwrap() == "1");
}

#[test]
fn a_shell_that_begins_private_is_private_from_its_first_word() {
    let script = ScriptedDaemon::new();
    let mut scene = zsh(&script).env("ASIDE_PRIVATE", "1").start();
    follows(&script, &mut scene);
    assert!(script.told("hello").iter().all(|fields| fields[10] == "1"));
    let script = ScriptedDaemon::new();
    let mut scene = zsh(&script).rc_after("aside-private on").start();
    follows(&script, &mut scene);
    assert!(script.told("hello").iter().all(|fields| fields[10] == "1"));
}

#[test]
fn inside_tmux_it_is_the_same() {
    let script = three();
    let mut scene = zsh(&script).env("TMUX_TMPDIR", "/tmp").rc("export TMUX_TMPDIR=$TMPDIR").start();
    scene.sends("tmux -f /dev/null new-session zsh -d -i\r").shows("[0] 0:zsh");
    scene.wait_for("the prompt in it", |screen| screen.row(0) == "1>");
    scene.types("? find big files").shows("→ find . -size +100M").presses(Key::Down).shows("> find");
    scene.presses(Key::Down).shows("> rm -f big").presses(Key::Esc);
    scene.wait_for("no list", |screen| screen.row(0).ends_with("→ rm -f big") && !screen.contains("explain"));
    scene.presses(Key::Enter).wait_for("the command", |screen| screen.row(0) == "1> rm -f big");
    scene.presses(Key::Ctrl('u')).sends("exit\r").shows("[exited]");
}

#[test]
fn keys_typed_before_the_first_prompt_run_no_words() {
    for _ in 0..3 {
        let script = big();
        // The line is typed while zsh still reads the rc file.
        let mut scene = zsh(&script).rc("alias '?'='echo ran'; print -n ready; sleep 0.3").begins();
        scene.shows("ready").sends("? find big files\r");
        scene.prompt(1);
        scene.wait_for("the answer", |screen| screen.contains("find . -size +100M"));
        assert!(!scene.screen().contains("\nran"), "{}", at(&scene));
    }
}

/// The words and Enter arrive in one write.
#[test]
fn a_wish_sent_in_one_go_is_answered() {
    let script = big();
    let mut scene = Scene::zsh().scripted(&script).ghost(Color::Idx(6)).start();
    follows(&script, &mut scene);
    scene.sends("? find big files\r").shows_line("find . -size +100M|");
}

#[test]
fn any_options_will_do() {
    let options = "ksh_arrays sh_word_split glob_subst null_glob no_unset warn_create_global typeset_silent \
                   no_multibyte rc_quotes ksh_glob sh_glob posix_identifiers no_short_loops csh_junkie_quotes xtrace";
    for option in options.split_whitespace() {
        let script = three();
        let mut scene = zsh(&script).start();
        follows(&script, &mut scene);
        // Hides the trace output, which is not under test.
        let quiet = if option == "xtrace" { "exec 2>/dev/null; " } else { "" };
        scene.sends(&format!("{quiet}setopt {option}\r")).prompt(3).settles().presses(Key::Ctrl('l')).settles();
        scene.types("? find big files").shows("find . -size +100M").presses(Key::Down).shows("> find");
        scene.presses(Key::CtrlE).shows("find: looks for files").presses(Key::Enter);
        // A Ctrl-C that arrives while zsh is in a function ends only that function.
        scene.shows_line("find . -size +100M|").settles().presses(Key::CtrlC).prompt(4);
        assert_eq!(scene.runs("print -r -- as ever"), "as ever", "{option}");
    }
}

#[test]
fn a_wish_that_was_put_aside_comes_back_and_stays_out_of_the_history() {
    let script = three();
    let mut scene = answered(&script);
    scene.sends("\x1bq").shows_line("|").types("echo first").presses(Key::Enter).prompt(3);
    scene.shows("3> ? find big files  → find . -size +100M").presses(Key::Ctrl('u')).settles();
    assert_eq!(remembered(&mut scene), ["echo first"]);
}

#[test]
fn a_blank_more_changes_nothing() {
    let script = three();
    let mut scene = answered(&script);
    scene.types("  ").screen_is("2> ? find big files  ▮  → ‹find . -size +100M›\nfiles over 100 MB");
    assert_eq!(script.wished().len(), script.wished().iter().filter(|words| *words != BIG).count() + 1, "asked once");
    scene.presses(Key::Enter).shows_line("find . -size +100M|");
}

#[test]
fn completion_of_a_file_name_within_a_wish_is_the_shells() {
    let script = three();
    let rc = "autoload -Uz compinit; compinit -u; mkdir -p ~/d/dirone; cd ~/d";
    let mut scene = zsh(&script).rc(rc).start();
    follows(&script, &mut scene);
    script.holds();
    scene.types("? pack diro").presses(Key::Tab).shows_line("? pack dirone/|");
    script.is_wished("pack dirone/");
}

#[test]
fn on_a_low_screen_nothing_scrolls_away() {
    for rows in [4, 5, 7] {
        let script = three();
        let mut scene = begun(&script, zsh(&script).size(rows, 60));
        for key in [Key::Down, Key::Down, Key::Down, Key::Down, Key::CtrlE, Key::Esc] {
            scene.presses(key).settles();
            assert!(
                scene.screen().row(0).starts_with("2> ? find big files  → "),
                "{rows} rows, {key:?}: {}",
                at(&scene)
            );
        }
        scene.presses(Key::Enter).wait_for("the command", |screen| screen.row(0).starts_with("2> du -ah"));
    }
}
