//! Descriptions in the bar, and the candidate list that a key opens below the line, as the user sees them. A scripted daemon sends
//! each reply when the scene wants it.

use std::time::Duration;

use vt100::Color;

use crate::harness::keys::Key;
use crate::harness::scene::Scene;
use crate::harness::scripted_daemon::ScriptedDaemon;
use crate::harness::setup::Setup;

/// Longer than a reply takes. Used instead of `settles`, which presses a key and would close the open list.
const A_WHILE: Duration = Duration::from_millis(150);

/// Flags for `git commit --`: more than are shown without asking for the list.
const FLAGS: [&str; 3] = [
    "git commit --amend  # replace the last commit",
    "git commit --all  # stage what changed",
    "git commit --author  # 以他人名义提交",
];

fn git() -> ScriptedDaemon {
    let known = ["git status --short  # show what changed", "git stash pop", "git stage -p  # add in pieces"];
    ScriptedDaemon::new()
        .knows("git st|", &known)
        .knows("git commit --|", &["git commit --amend", "git commit --all"])
        .lists("git commit --|", &FLAGS)
}

fn zsh(script: &ScriptedDaemon) -> Setup {
    Scene::zsh().scripted(script)
}

/// A line `git commit --` with its list open.
fn listing(script: &ScriptedDaemon) -> Scene {
    let mut scene = zsh(script).start();
    script.is_followed(&mut scene);
    scene.types("git commit --").shows("(1/2) git commit --amend").presses(Key::ShiftDown).shows("(1/3)");
    scene
}

// Descriptions.

#[test]
fn the_bar_describes_what_it_shows() {
    let script = git();
    let mut scene = zsh(&script).size(24, 100).start();
    scene.types("git st").shows_ghost("git st|atus --short");
    scene.screen_is(
        "
        1> git st▮‹atus --short›
        (1/3) git status --short   show what changed                         [↹] apply | [⇧]+[←/→] navigate
        ",
    );
    let spans = scene.screen().spans(1);
    let bar = ("(1/3) git status --short", Color::Default);
    let colours: Vec<(&str, Color)> = spans.iter().map(|span| (span.text.trim(), span.style.fg)).collect();
    assert_eq!(colours[0], bar);
    assert!(colours[1..].iter().all(|(_, colour)| *colour == Color::Idx(242)), "{spans:?}");
    // The description belongs to its candidate, and stays with it when others are dropped.
    scene.presses(Key::ShiftRight).screen_is(
        "
        1> git st▮‹ash pop›
        (2/3) git stash pop                                                  [↹] apply | [⇧]+[←/→] navigate
        ",
    );
    scene.types("a").presses(Key::ShiftRight).shows("(3/3) git stage -p   add in pieces");
    scene.types("g").settles();
    scene.screen_is("1> git stag▮‹e -p›");
}

#[test]
fn what_is_not_sure_enough_is_in_the_bar_and_not_grey() {
    let script = git().doubts("git st|").knows("ls|", &["ls -l"]).doubts("ls|");
    let mut scene = zsh(&script).start();
    scene.types("git st").shows("(1/3) git status --short").settles();
    scene.screen_is(
        "
        1> git st▮
        (1/3) git status --short   show what changed                   [⇧]+[←/→] choose
        ",
    );
    // A candidate that the user selects becomes ghost text, and Tab then accepts it.
    scene.presses(Key::ShiftRight).shows_ghost("git st|atus --short").shows("[↹] apply | [⇧]+[←/→] navigate");
    scene.presses(Key::ShiftRight).shows_ghost("git st|ash pop");
    scene
        .presses(Key::ShiftLeft)
        .shows_ghost("git st|atus --short")
        .presses(Key::Tab)
        .shows_line("git status --short|");
    scene.presses(Key::Ctrl('u')).types("ls").shows("(1/1) ls -l").presses(Key::ShiftRight).shows_ghost("ls| -l");
    scene.presses(Key::Tab).shows_line("ls -l|");
}

#[test]
fn tab_completes_as_always_where_nothing_is_sure() {
    let script = ScriptedDaemon::new().knows("ls fil|", &["ls file-of-another-sort", "ls filters"]).doubts("ls fil|");
    let mut scene = zsh(&script)
        .rc("zstyle ':completion:*' menu no; autoload -Uz compinit && compinit -u -D; touch filament")
        .start();
    scene.types("ls fil").shows("(1/2) ls file-of-another-sort").presses(Key::Tab).shows_line("ls filament |");
    // Typing along with the selected candidate keeps it, and Tab accepts it.
    scene.presses(Key::Ctrl('u')).types("ls fil").shows("[⇧]+[←/→] choose").presses(Key::ShiftRight);
    scene.shows_ghost("ls fil|e-of-another-sort").types("e").shows_ghost("ls file|-of-another-sort");
    scene.presses(Key::Tab).shows_line("ls file-of-another-sort|");
}

#[test]
fn an_older_daemon_that_says_nothing_about_grey_is_followed() {
    let script = git().doubts("git st|").knows_less();
    let mut scene = zsh(&script).start();
    scene.types("git st").shows_ghost("git st|atus --short");
}

#[test]
fn a_description_gets_the_room_of_the_long_hint_and_is_cut() {
    let known = ["ls --color  # say what is what with colours of all sorts, as far as there are any", "ls -l"];
    let script = ScriptedDaemon::new().knows("ls|", &known);
    let mut scene = zsh(&script).start();
    scene.types("ls").screen_is(
        "
        1> ls▮ ‹--color›
        (1/2) ls --color   say what is what with colours of all sorts…  [↹] | [⇧]+[←/→]
        ",
    );
    scene.resizes(24, 60);
    scene.settles().screen_is(
        "
        1> ls▮ ‹--color›
        (1/2) ls --color   say what is what with …  [↹] | [⇧]+[←/→]
        ",
    );
    scene.resizes(24, 50);
    scene.settles().screen_is(
        "
        1> ls▮ ‹--color›
        (1/2) ls --color   [↹] apply | [⇧]+[←/→] navigate
        ",
    );
}

#[test]
fn in_forty_columns_there_is_no_description() {
    let script = git();
    let mut scene = zsh(&script).size(10, 40).start();
    scene.types("git st").shows_ghost("git st|atus --short");
    scene.screen_is("1> git st▮‹atus --short›\n(1/3) git status --short");
}

#[test]
fn wide_letters_of_a_description_count_twice() {
    let known = ["ls --color  # 用颜色区分文件的种类用颜色区分文件的种类用颜色区分文件", "ls -l"];
    let script = ScriptedDaemon::new().knows("ls|", &known);
    for columns in [60, 61, 62, 63] {
        let mut scene = zsh(&script).size(10, columns).start();
        scene.types("ls").shows("用颜色区分").shows("[↹] | [⇧]+[←/→]").settles();
        assert_eq!(scene.screen().row(2), "", "{}", scene.screen().text());
    }
}

#[test]
fn beside_a_right_prompt_and_below_several_lines_it_stays_in_its_row() {
    let line = "echo one\ngit st";
    let script = ScriptedDaemon::new()
        .knows(&format!("{line}|"), &[&format!("{line}atus  # show what changed"), &format!("{line}ash")]);
    let mut scene = zsh(&script).rc("RPROMPT='[right]'").start();
    scene.pastes(line).shows("(1/2) echo one⏎git status   show what changed");
    scene.settles();
    assert!(scene.screen().row(0).ends_with("[right]"), "{}", scene.screen().text());
    assert!(scene.screen().row(2).starts_with("(1/2)"), "{}", scene.screen().text());
}

#[test]
fn a_daemon_that_knows_no_descriptions_and_lists_is_understood() {
    let script = git().knows_less();
    let mut scene = zsh(&script).start();
    script.is_followed(&mut scene);
    scene.types("git st").shows_ghost("git st|atus --short").shows("(1/3) git status --short  ");
    assert!(!scene.screen().contains("show what"), "{}", scene.screen().text());
    // The list has the same candidates as the bar.
    scene.presses(Key::ShiftDown).shows("> status --short").shows("  stash pop").shows("  stage -p");
    scene.presses(Key::Tab).shows_line("git status --short|");
}

// The list.

#[test]
fn a_key_lists_what_may_come_here() {
    let script = git();
    let mut scene = listing(&script);
    scene.screen_is(
        "
        2> git commit --▮‹amend›
        > --amend   replace the last commit
          --all     stage what changed
          --author  以他人名义提交
        (1/3)                                                [↹] apply | [↑/↓] navigate
        ",
    );
    let spans = scene.screen().spans(1);
    assert!(spans[0].style.bold, "{spans:?}");
    let spans = scene.screen().spans(2);
    let colours: Vec<(&str, Color)> = spans.iter().map(|span| (span.text.trim(), span.style.fg)).collect();
    assert_eq!(colours, [("--all", Color::Default), ("stage what changed", Color::Idx(242))]);
    // The same key closes the list, and the bar is back.
    scene.presses(Key::ShiftDown).shows("(1/2) git commit --amend").settles();
    scene.screen_is(
        "
        2> git commit --▮‹amend›
        (1/2) git commit --amend                         [↹] apply | [⇧]+[←/→] navigate
        ",
    );
    assert_eq!(scene.presses(Key::Ctrl('u')).runs("bindkey '^[[B'"), "\"^[[B\" down-line-or-history");
}

#[test]
fn arrows_move_in_the_list_and_tab_applies() {
    for (down, up) in [(Key::Down, Key::Up), (Key::ShiftRight, Key::ShiftLeft)] {
        let script = git();
        let mut scene = listing(&script);
        scene.presses(down).shows("> --all").shows_ghost("git commit --|all");
        scene.presses(down).shows("> --author").presses(down).shows("> --amend");
        scene.presses(up).shows("> --author").presses(up).shows("> --all");
        // An update does not change a list that is open.
        script.updates("git commit --|", &["git commit --quiet"]);
        std::thread::sleep(A_WHILE);
        scene.shows("> --all").shows("  --amend");
        scene.presses(Key::Tab).shows_line("git commit --all|").settles();
        scene.screen_is("2> git commit --all▮");
    }
}

#[test]
fn typing_along_narrows_the_list_and_typing_something_else_closes_it() {
    let script = git().knows("git commit --x|", &["git commit --xyz", "git commit --xzy"]);
    let mut scene = listing(&script);
    let asked = script.asked().len();
    scene.types("a").shows("(1/3)").shows_ghost("git commit --a|mend");
    scene.types("u").shows("> --author  以他人名义提交").shows("(1/1)").shows_ghost("git commit --au|thor");
    assert_eq!(script.asked().len(), asked, "{:?}", script.asked());
    scene.types("x").shows_line("git commit --aux|").settles();
    scene.screen_is("2> git commit --aux▮");
    scene.presses(Key::Ctrl('w')).types("--").shows("(1/2) git commit --amend").presses(Key::ShiftDown).shows("(1/3)");
    scene.types("x").shows("(1/2) git commit --xyz");
    scene.wait_for("no list", |screen| !screen.contains("> --"));
}

#[test]
fn esc_and_other_keys_close_the_list() {
    let script = git();
    let mut scene = listing(&script);
    scene.presses(Key::Esc).shows_line("git commit --|").settles();
    scene.screen_is("2> git commit --▮");
    // The list was asked for explicitly, so it opens after a dismissal too.
    scene.presses(Key::ShiftDown).shows("> --amend").presses(Key::Left).shows_line("git commit -|-").settles();
    scene.screen_is("2> git commit -▮-");
    scene.presses(Key::Right).shows("(1/2) git commit --amend").presses(Key::ShiftDown).shows("> --amend");
    // An edit that leaves the line unchanged closes the list as well.
    scene.presses(Key::Ctrl('k')).shows("(1/2) git commit --amend");
    scene.wait_for("no list", |screen| !screen.contains("> --"));
    scene.presses(Key::ShiftDown).shows("> --amend").presses(Key::CtrlC).prompt(3);
    scene.settles();
    assert!(!scene.screen().contains("--all"), "{}", scene.screen().text());
    assert_eq!(scene.runs("bindkey '^[[B'"), "\"^[[B\" down-line-or-history");
}

#[test]
fn an_empty_list_says_nothing() {
    let script = ScriptedDaemon::new().knows("git st|", &["git status", "git stash"]);
    let mut scene = zsh(&script).start();
    script.is_followed(&mut scene);
    scene.presses(Key::ShiftDown).types("x").presses(Key::ShiftDown).settles();
    assert_eq!(scene.screen().row(1), "", "{}", scene.screen().text());
    scene.shows_line("x|");
    scene.presses(Key::Backspace).types("git st").shows("(1/2) git status").presses(Key::ShiftDown).settles();
    scene.shows("(1/2) git status").shows_ghost("git st|atus");
    // An update that arrives later still opens as a list.
    script
        .waits("the question for a list", |script| script.told("complete").last().is_some_and(|asked| asked[9] == "1"));
    script.updates("git st|", &["git status", "git stage", "git stash"]);
    scene.shows("> status").shows("  stage").shows("(1/3)");
    assert_eq!(script.told("complete").last().unwrap()[8..], ["1", "1", "0", "1"]);
}

#[test]
fn a_long_list_has_pages_and_fits_on_the_screen() {
    let files: Vec<String> = (1..=20).map(|number| format!("cat src/file{number:02}")).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let script = ScriptedDaemon::new().lists("cat src/|", &files);
    let mut scene = zsh(&script).start();
    script.is_followed(&mut scene);
    scene.types("cat src/").presses(Key::ShiftDown).shows("> src/file01").shows("  src/file08").shows("(1/20)");
    assert!(!scene.screen().contains("file09"), "{}", scene.screen().text());
    scene.presses(Key::Up).shows("> src/file20").shows("  src/file17").shows("(20/20)");
    scene.resizes(8, 40);
    scene.presses(Key::Up).shows("> src/file19").shows("(19/20)");
    assert!(scene.screen().row(0).contains("cat src/"), "{}", scene.screen().text());
    // Without room for the list, the bar takes its place.
    scene.resizes(4, 40);
    scene.presses(Key::Down).shows("(20/20) cat src/file20");
    scene.presses(Key::Tab).shows_line("cat src/file20|");
}

#[test]
fn in_forty_columns_the_list_has_no_descriptions() {
    let script = git();
    let mut scene = zsh(&script).size(12, 40).start();
    script.is_followed(&mut scene);
    scene.types("git commit --").shows("(1/2)").presses(Key::ShiftDown).shows("(1/3)");
    scene.wait_for("the list", |screen| screen.row(1) == "> --amend" && screen.row(3) == "  --author");
}

#[test]
fn in_vi_mode_the_list_works_and_leaves_with_insert_mode() {
    let script = git();
    let mut scene = zsh(&script).rc("bindkey -v; KEYTIMEOUT=1").start();
    script.is_followed(&mut scene);
    scene.types("git commit --").shows("(1/2)").presses(Key::ShiftDown).shows("> --amend");
    scene.presses(Key::Down).shows("> --all").presses(Key::Esc).shows_line("git commit -|-").settles();
    assert!(!scene.screen().contains("> --"), "{}", scene.screen().text());
    assert_eq!(scene.sends("ddi").runs("bindkey '^[[B'"), "\"^[[B\" down-line-or-history");
}

#[test]
fn a_key_of_yours_is_left_alone_and_the_list_goes_on_another() {
    let script = git();
    let rc = "mine() { LBUFFER+=mine }; zle -N mine; bindkey '^[[1;2B' mine; bindkey '^Xm' aside-menu";
    let mut scene = zsh(&script).rc(rc).start();
    script.is_followed(&mut scene);
    scene.types("x").presses(Key::ShiftDown).shows_line("xmine|").presses(Key::Ctrl('u'));
    scene.types("git commit --").shows("(1/2)").sends("\x18m").shows("> --amend").presses(Key::Down).shows("> --all");
    scene.sends("\x18m").shows("(1/2) git commit --amend");
    scene.wait_for("no list", |screen| !screen.contains("> --"));
}

#[test]
fn with_the_bar_turned_off_the_key_lists_all_the_same() {
    let script = git().sets("bar", "off");
    let mut scene = zsh(&script).start();
    script.is_followed(&mut scene);
    scene.types("git commit --").shows_ghost("git commit --|amend").presses(Key::ShiftDown).shows("> --amend");
    scene.presses(Key::ShiftDown).settles().shows_ghost("git commit --|amend");
    assert!(!scene.screen().contains("> --"), "{}", scene.screen().text());
}
