//! The answer to prose on the screen of a real zsh: above the prompt whatever happens there, rows that are still changing below,
//! and a command to accept.

use crate::harness::keys::Key;
use crate::harness::prose_script::ProseReply;
use crate::harness::scene::Scene;
use crate::harness::scripted_daemon::ScriptedDaemon;
use crate::harness::setup::Setup;
use crate::prose_zsh::{A_WHILE, IP, begun_on, ip, script, zsh};
use crate::query_zsh::{at, remembered};

/// An answer in three pieces, each sent when the test wants it.
fn three() -> ScriptedDaemon {
    let talks = [
        ProseReply::so_far(&["One."]).tail(&["Tw"]),
        ProseReply::so_far(&["One.", "Two."]).tail(&["Thre"]),
        ProseReply::done(&["One.", "Two.", "Three."]),
    ];
    script().takes(IP).says(IP, &talks)
}

/// Prose was entered, and no reply sent yet.
fn asked(script: &ScriptedDaemon) -> Scene {
    asked_on(script, zsh(script))
}

fn asked_on(script: &ScriptedDaemon, stage: Setup) -> Scene {
    let mut scene = begun_on(script, stage);
    script.holds();
    scene.types(IP).presses(Key::Enter).prompt(3).shows("thinking…");
    scene
}

#[test]
fn an_answer_comes_row_by_row_with_its_tail_below() {
    let script = three();
    let mut scene = asked(&script);
    scene.screen_is("2> what's my ip\n3> ▮\nthinking…");
    let spans = scene.screen().spans(2);
    assert_eq!(spans[0].style.fg, vt100::Color::Idx(242), "{spans:?}");
    script.goes_on(IP);
    scene.screen_is("2> what's my ip\nOne.\n3> ▮\nTw");
    script.goes_on(IP);
    scene.screen_is("2> what's my ip\nOne.\nTwo.\n3> ▮\nThre");
    script.goes_on(IP);
    scene.screen_is("2> what's my ip\nOne.\nTwo.\nThree.\n3> ▮");
}

#[test]
fn an_empty_row_stays_where_it_is() {
    let talks = [
        ProseReply::so_far(&["One."]),
        ProseReply::so_far(&["One.", "", "Two."]),
        ProseReply::done(&["One.", "", "Two.", "", "", "3"]),
    ];
    let script = script().takes(IP).says(IP, &talks);
    let mut scene = asked(&script);
    script.goes_on(IP);
    script.goes_on(IP);
    scene.shows("One.\n\nTwo.\n3>");
    script.goes_on(IP);
    scene.screen_is("2> what's my ip\nOne.\n\nTwo.\n\n\n3\n3> ▮");
}

#[test]
fn what_is_typed_meanwhile_stays_with_its_cursor_and_hides_the_tail() {
    let script = three().knows("git st|", &["git status"]);
    let mut scene = asked_on(&script, zsh(&script).ghost(vt100::Color::Idx(8)));
    scene.types("git st").screen_is("2> what's my ip\n3> git st▮");
    script.goes_on(IP);
    scene.screen_is("2> what's my ip\nOne.\n3> git st▮");
    script.releases("git st|");
    scene.screen_is("2> what's my ip\nOne.\n3> git st▮‹atus›");
    script.goes_on(IP);
    scene.screen_is("2> what's my ip\nOne.\nTwo.\n3> git st▮‹atus›");
    scene.presses(Key::Left).presses(Key::Left).shows_line("git |st");
    script.goes_on(IP);
    scene.screen_is("2> what's my ip\nOne.\nTwo.\nThree.\n3> git ▮st");
    scene.types("x").shows_line("git x|st").presses(Key::CtrlE).types("y").shows_line("git xsty|");
}

#[test]
fn the_tail_comes_back_when_the_line_is_empty_again() {
    let script = three();
    let mut scene = asked(&script);
    scene.types("x").screen_is("2> what's my ip\n3> x▮").presses(Key::Backspace);
    script.goes_on(IP);
    scene.screen_is("2> what's my ip\nOne.\n3> ▮\nTw");
    scene.presses(Key::Esc).screen_is("2> what's my ip\nOne.\n3> ▮");
    script.goes_on(IP);
    scene.screen_is("2> what's my ip\nOne.\nTwo.\n3> ▮");
}

/// A long line at the end of a full screen, and a prompt of two rows with a right prompt.
#[test]
fn prompts_of_several_rows_and_wrapped_lines_move_as_one() {
    let script = three();
    let rc = "setopt prompt_subst; _scene_prompt() { (( ++_scene_number )); RPS1='[r]'; \
              PS1=$'%F{green}top ~%f\\n'\"$_scene_number> \" }";
    let mut scene = begun_on(&script, zsh(&script).rc(rc).size(12, 30));
    script.holds();
    scene.types("print -l {1..20}").presses(Key::Enter).prompt(3).settles();
    scene.types(IP).presses(Key::Enter).prompt(4).shows("thinking…");
    let long = "echo aaaaaaaaaa bbbbbbbbbb cccccccccc dddddddddd";
    scene.types(long).settles();
    for _ in 0..3 {
        script.goes_on(IP);
        scene.settles();
    }
    scene.screen_is(
        "
         17
         18
         19
         20
         top ~
         3> what's my ip           [r]
         One.
         Two.
         Three.
         top ~
         4> echo aaaaaaaaaa bbbbbbbbbb
         cccccccccc dddddddddd▮",
    );
    for _ in 0..30 {
        scene.presses(Key::Left);
    }
    scene.types("X").settles().presses(Key::CtrlE).types("!").presses(Key::CtrlC).prompt(5);
    assert_eq!(scene.screen().row(10), "top ~", "{}", at(&scene));
}

#[test]
fn more_rows_than_the_screen_has_scroll_away_in_their_order() {
    let rows: Vec<String> = (1..=40).map(|number| format!("row {number}")).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let script = script().takes(IP).says(IP, &[ProseReply::done(&rows)]);
    let mut scene = asked_on(&script, zsh(&script).size(10, 40));
    scene.types("echo hi");
    script.goes_on(IP);
    scene.shows("row 40\n3> echo hi").settles();
    let lines = scene.transcript();
    let printed: Vec<&str> = lines.iter().map(String::as_str).filter(|line| line.starts_with("row ")).collect();
    assert_eq!(printed, rows);
    scene.presses(Key::Enter).prompt(4).shows("3> echo hi\nhi\n4>");
}

#[test]
fn after_rows_below_have_gone_the_next_command_prints_below_the_line() {
    let script = three();
    let mut scene = asked_on(&script, zsh(&script).size(5, 40));
    scene
        .types("echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
        .settles()
        .presses(Key::Ctrl('u'))
        .settles();
    for _ in 0..3 {
        script.goes_on(IP);
        scene.settles();
    }
    scene.types("echo hi").presses(Key::Enter).prompt(4).screen_is("Two.\nThree.\n3> echo hi\nhi\n4> ▮");
}

#[test]
fn a_screen_that_is_too_low_for_both_waits_for_a_better_time() {
    let script = three();
    let mut scene = begun_on(&script, zsh(&script).size(4, 20));
    script.holds();
    // There is no row for the progress sign either.
    scene.types(IP).presses(Key::Enter).prompt(3);
    script.waits("the question", |script| script.questions().len() == 1);
    let long = "echo aaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbb ccccccccccccccccccc";
    scene.types(long).settles();
    for _ in 0..3 {
        script.goes_on(IP);
        scene.settles();
    }
    scene.stays("nothing", A_WHILE, |screen| !screen.contains("One."));
    scene.presses(Key::Ctrl('u')).wait_for("all of it", |screen| screen.text() == "One.\nTwo.\nThree.\n3>");
    scene.presses(Key::CtrlC).prompt(4);
    assert_eq!(scene.runs("echo hi"), "hi");
}

#[test]
fn a_screen_that_becomes_narrow_keeps_rows_and_line_apart() {
    let wide = "This row was made for a screen of eighty columns, so it is longer than forty.";
    let script =
        script().takes(IP).says(IP, &[ProseReply::so_far(&["One."]), ProseReply::done(&["One.", wide, "Three."])]);
    let mut scene = asked_on(&script, zsh(&script).size(12, 80));
    script.goes_on(IP);
    scene.shows("One.\n3>").resizes(12, 40).settles();
    scene.types("echo hi");
    script.goes_on(IP);
    scene.shows("Three.\n3> echo hi").settles();
    let text = at(&scene);
    assert!(text.contains("One.\nThis row was made for a screen of eighty\n columns, so"), "{text}");
    assert_eq!(text.matches("3>").count(), 1, "{text}");
    scene.presses(Key::Enter).prompt(4).shows("3> echo hi\nhi\n4>");
}

#[test]
fn a_prompt_that_starts_programs_is_asked_once() {
    let script = three();
    let rc = "setopt prompt_subst; _scene_prompt() { (( ++_scene_number )); \
              PS1='$(print x >>~/made; print -n \"top\\n\")'$'\\n'\"$_scene_number> \" }";
    let mut scene = asked_on(&script, zsh(&script).rc(rc));
    let made = |scene: &Scene| scene.home.read("made").lines().count();
    let before = made(&scene);
    for _ in 0..3 {
        script.goes_on(IP);
        scene.settles();
    }
    scene.screen_is("top\n2> what's my ip\nOne.\nTwo.\nThree.\ntop\n3> ▮");
    assert_eq!(made(&scene), before + 1);
}

#[test]
fn a_prompt_that_moves_the_cursor_is_left_where_it_is() {
    let script = ip();
    let rc = "_scene_prompt() { (( ++_scene_number )); PS1=$'%{\\e[3C\\e[3D%}'\"$_scene_number> \" }";
    let mut scene = begun_on(&script, zsh(&script).rc(rc));
    scene.types(IP).presses(Key::Enter).prompt(3).shows("Ask your router.\n3>");
    scene.types("echo hi").shows("\n3> echo hi").presses(Key::Enter).prompt(4).shows("\nhi\n4>");
}

#[test]
fn looks_become_those_of_the_terminal_and_none_where_none_are_wanted() {
    let rows = &["\u{e101}bold\u{e100} and \u{e105}code\u{e100} and \u{e107}quote\u{e100}", "\u{e106}Heading\u{e100}"];
    let script = || script().takes(IP).says(IP, &[ProseReply::done(rows).notes("no model")]);
    let told = script();
    let mut scene = begun_on(&told, zsh(&told));
    scene.types(IP).presses(Key::Enter).prompt(3).shows("bold and code and quote\nHeading\nno model\n3>");
    let spans = scene.screen().spans(1);
    let spans: Vec<_> =
        spans.iter().map(|span| (&span.text[..], span.style.bold, span.style.fg, span.style.dim)).collect();
    let (plain, cyan) = (vt100::Color::Default, vt100::Color::Idx(6));
    let wanted = [("bold", true, plain), (" and ", false, plain), ("code", false, cyan), (" and ", false, plain)];
    let wanted = wanted.map(|(text, bold, fg)| (text, bold, fg, false));
    assert_eq!(spans[..4], wanted);
    assert_eq!(spans[4], ("quote", false, plain, true));
    assert!(scene.screen().spans(3)[0].style.dim);
    for (name, value) in [("NO_COLOR", "1"), ("LC_ALL", "C")] {
        let told = script();
        let mut scene = begun_on(&told, zsh(&told).env(name, value));
        scene.types(IP).presses(Key::Enter).prompt(3).shows("bold and code and quote\nHeading\nno model\n3>");
        let bold = scene.screen().spans(1)[0].style.bold;
        assert_eq!(bold, name == "LC_ALL", "{name}");
    }
}

#[test]
fn a_command_is_proposed_on_the_empty_line_and_taken_but_not_run() {
    for key in [Key::Tab, Key::Right, Key::End, Key::Ctrl('f'), Key::CtrlE] {
        let script = script().takes(IP);
        let script = script.says(IP, &[ProseReply::done(&["This:"]).proposes("rm -r x").warns("deletes files")]);
        let mut scene = begun_on(&script, zsh(&script));
        scene.types(IP).presses(Key::Enter).prompt(3);
        scene.screen_is("2> what's my ip\nThis:\n3> ▮‹rm -r x›\n! deletes files");
        scene.presses(key).shows_line("rm -r x|").stays_without_ghost(A_WHILE);
        assert!(!scene.screen().contains("deletes"), "{}", at(&scene));
        scene.sends("\x1f").shows_line("|");
        assert_eq!(remembered(&mut scene), [IP]);
    }
}

#[test]
fn any_other_key_clears_what_is_proposed_and_enter_does_not_take_it() {
    for key in [Key::Left, Key::Esc, Key::Ctrl('a'), Key::Up] {
        let script = script().takes(IP).says(IP, &[ProseReply::done(&["This:"]).proposes("echo x")]);
        let mut scene = begun_on(&script, zsh(&script));
        scene.types(IP).presses(Key::Enter).prompt(3).shows_ghost("|echo x").presses(key);
        scene.wait_for("no proposal", |screen| !screen.contains("echo x"));
        scene.presses(Key::Ctrl('u')).settles().presses(Key::Tab).stays_without_ghost(A_WHILE);
    }
    let script = script().takes(IP).says(IP, &[ProseReply::done(&["This:"]).proposes("echo x")]);
    let mut scene = begun_on(&script, zsh(&script));
    scene.types(IP).presses(Key::Enter).prompt(3).shows_ghost("|echo x").presses(Key::Enter).prompt(4);
    scene.screen_is("2> what's my ip\nThis:\n3>\n4> ▮");
    assert_eq!(remembered(&mut scene), [IP]);
}

#[test]
fn what_is_proposed_while_something_is_typed_waits_for_an_empty_line() {
    let script = script().takes(IP).says(IP, &[ProseReply::done(&["This:"]).proposes("echo x")]);
    let mut scene = asked(&script);
    scene.types("true");
    script.goes_on(IP);
    scene.screen_is("2> what's my ip\nThis:\n3> true▮").presses(Key::Enter).prompt(4).shows_ghost("|echo x");
    scene.presses(Key::Tab).shows_line("echo x|");
}

#[test]
fn control_c_stops_it_and_leaves_what_was_printed() {
    let script = three();
    let mut scene = asked(&script);
    script.goes_on(IP);
    scene.screen_is("2> what's my ip\nOne.\n3> ▮\nTw").presses(Key::CtrlC).prompt(4);
    scene.screen_is("2> what's my ip\nOne.\n3>\n4> ▮");
    script.has_questions(&["1 what's my ip", "1 "]);
    script.goes_on(IP);
    scene.stays("nothing more", A_WHILE, |screen| !screen.contains("Two."));
    assert_eq!(scene.runs("echo hi"), "hi");
}

#[test]
fn the_next_command_runs_while_the_answer_comes_and_the_rest_follows_it() {
    let script = three();
    let mut scene = asked(&script);
    script.goes_on(IP);
    scene.shows("One.\n3>");
    assert_eq!(scene.runs("echo hi"), "hi");
    script.has_questions(&["1 what's my ip", "1 what's my ip"]);
    scene.screen_is("2> what's my ip\nOne.\n3> echo hi\nhi\n4> ▮\nTw");
    // Sent while no client listens.
    scene.types("sleep 0.3; cat ~/.zshrc | head -0").presses(Key::Enter);
    script.goes_on(IP);
    script.goes_on(IP);
    scene.prompt(5).shows("Two.\nThree.\n5>");
    assert_eq!(scene.runs("echo bye"), "bye");
    assert_eq!(script.questions().len(), 3, "it has been answered");
}

#[test]
fn a_new_sentence_takes_the_place_of_the_last() {
    let script = three().takes("where is it").says("where is it", &[ProseReply::done(&["Here."])]);
    let mut scene = asked(&script);
    script.goes_on(IP);
    scene.shows("One.\n3>").types("where is it").presses(Key::Enter).prompt(4);
    script.goes_on("where is it");
    scene.screen_is("2> what's my ip\nOne.\n3> where is it\nHere.\n4> ▮");
    script.has_questions(&["1 what's my ip", "2 where is it"]);
}

#[test]
fn a_connection_that_breaks_is_made_again_and_heard_on() {
    let script = three();
    let mut scene = asked(&script);
    script.goes_on(IP);
    scene.shows("One.\n3>");
    script.hangs_up();
    script.has_questions(&["1 what's my ip", "1 what's my ip"]);
    script.goes_on(IP);
    script.goes_on(IP);
    scene.screen_is("2> what's my ip\nOne.\nTwo.\nThree.\n3> ▮");
}

#[test]
fn a_daemon_that_begins_anew_repeats_nothing_that_it_says_again() {
    let talks = [
        ProseReply::so_far(&["One.", "Two."]),
        ProseReply::so_far(&[]).tail(&["On"]),
        ProseReply::so_far(&["One."]).tail(&["Tw"]),
        ProseReply::so_far(&["One.", "Two.", "Three."]),
        ProseReply::done(&["No.", "Two.", "Three.", "Four."]),
    ];
    let script = script().takes(IP).says(IP, &talks);
    let mut scene = asked(&script);
    script.goes_on(IP);
    scene.shows("One.\nTwo.\n3>");
    for _ in 0..3 {
        script.goes_on(IP);
    }
    scene.screen_is("2> what's my ip\nOne.\nTwo.\nThree.\n3> ▮\nthinking…");
    script.goes_on(IP);
    scene.screen_is("2> what's my ip\nOne.\nTwo.\nThree.\nNo.\nTwo.\nThree.\nFour.\n3> ▮");
}

#[test]
fn a_search_and_a_list_of_completions_are_not_disturbed() {
    let script = three();
    let rc = "autoload -Uz compinit; compinit -u; mkdir -p ~/d/dirone ~/d/dirtwo; cd ~/d; LISTMAX=0";
    let mut scene = asked_on(&script, zsh(&script).rc(rc));
    scene.presses(Key::Ctrl('r')).shows("bck-i-search:").sends("tru").shows("bck-i-search: tru");
    script.goes_on(IP);
    scene.wait_for("nothing yet", |screen| !screen.contains("One."));
    scene.presses(Key::Ctrl('g')).shows("One.\n3>").presses(Key::Ctrl('u'));
    scene.types("ls dir").presses(Key::Tab).shows("dirone/").shows("dirtwo/");
    script.goes_on(IP);
    script.goes_on(IP);
    scene.settles();
    assert!(!scene.screen().contains("Two."), "{}", at(&scene));
    scene.types("o").shows("One.\nTwo.\nThree.\n3> ls diro");
}

#[test]
fn where_letters_are_bytes_the_sign_is_ascii() {
    let script = three();
    let mut scene = begun_on(&script, zsh(&script).env("LC_ALL", "C"));
    script.holds();
    scene.types(IP).presses(Key::Enter).prompt(3).screen_is("2> what's my ip\n3> ▮\nthinking...");
}

#[test]
fn inside_tmux_an_answer_is_the_same() {
    let script = ip();
    let mut scene = zsh(&script).env("TMUX_TMPDIR", "/tmp").rc("export TMUX_TMPDIR=$TMPDIR").size(10, 60).start();
    scene.sends("tmux -f /dev/null new-session zsh -d -i\r").shows("[0] 0:zsh");
    scene.wait_for("the prompt in it", |screen| screen.row(0) == "1>");
    scene.types("true").presses(Key::Enter).wait_for("the next", |screen| screen.row(1) == "2>");
    scene.types("print -l {1..9}").presses(Key::Enter).wait_for("the next", |screen| screen.row(8) == "3>");
    scene.types(IP).presses(Key::Enter);
    scene.wait_for("the answer", |screen| screen.row(7) == "Ask your router." && screen.row(8) == "4>");
    scene.sends("exit\r").shows("[exited]");
}
