//! The bar below the line as the user sees it: every state and transition, its invariants, and its rendering. A scripted daemon
//! sends each reply when the scene wants it.

use std::time::Duration;

use vt100::Color;

use crate::harness::keys::Key;
use crate::harness::scene::Scene;
use crate::harness::scripted_daemon::ScriptedDaemon;
use crate::harness::setup::Setup;

/// Longer than a reply takes, short enough to wait for.
const A_WHILE: Duration = Duration::from_millis(150);

const GIT: [&str; 3] = ["git status --short", "git stash pop", "git stage -p"];

/// A daemon that knows three commands for `git st`, and candidates for the line as it grows.
fn git() -> ScriptedDaemon {
    ScriptedDaemon::new().knows("git st|", &GIT).knows("git stx|", &["git stx one", "git stx two"])
}

fn zsh(script: &ScriptedDaemon) -> Setup {
    Scene::zsh().scripted(script)
}

/// A line `git st` with its three candidates shown.
fn showing(script: &ScriptedDaemon) -> Scene {
    let mut scene = zsh(script).start();
    scene.types("git st").shows_ghost("git st|atus --short");
    shows_bar(&mut scene, "(1/3) git status --short");
    scene
}

fn is_bar(row: &str, wanted: &str) -> bool {
    row.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with("  "))
}

/// Waits until the bar says `wanted`, whatever key hint follows.
#[track_caller]
fn shows_bar(scene: &mut Scene, wanted: &str) {
    scene.wait_for(&format!("the bar `{wanted}`"), |screen| {
        (0..screen.size().0).any(|row| is_bar(&screen.row(row), wanted))
    });
}

fn has_bar(screen: &crate::harness::screen::Screen) -> bool {
    (0..screen.size().0).any(|row| screen.row(row).starts_with("(1/") || screen.row(row).starts_with("(2/"))
}

#[track_caller]
fn stays_without_bar(scene: &mut Scene) {
    scene.stays("no bar", A_WHILE, |screen| !has_bar(screen));
}

// State transitions.

#[test]
fn a_change_of_the_line_asks_once_it_is_long_enough() {
    let script = git().sets("min_input", "3");
    let mut scene = zsh(&script).start();
    script.is_followed(&mut scene);
    let before = script.asked().len();
    scene.types("git st");
    script.is_asked("git st|");
    assert_eq!(script.asked()[before..], ["git|", "git |", "git s|", "git st|"]);
}

#[test]
fn a_move_of_the_cursor_asks() {
    let script = git();
    let mut scene = showing(&script);
    scene.presses(Key::Left).shows_line("git s|t");
    script.is_asked("git s|t");
    scene.presses(Key::Home);
    script.is_asked("|git st");
}

#[test]
fn an_answer_is_shown() {
    let script = git();
    script.holds();
    let mut scene = zsh(&script).start();
    scene.types("git st").shows_line("git st|");
    script.is_asked("git st|");
    stays_without_bar(&mut scene);
    script.releases("git st|");
    scene.shows_ghost("git st|atus --short");
    shows_bar(&mut scene, "(1/3) git status --short");
}

#[test]
fn an_answer_to_an_older_question_is_not_shown() {
    let script = git().knows("git s|", &["git send-email", "git show"]);
    script.holds();
    let mut scene = zsh(&script).start();
    scene.types("git st");
    script.is_asked("git st|");
    script.releases("git s|");
    stays_without_bar(&mut scene);
    scene.shows_line("git st|");
    script.releases("git st|");
    shows_bar(&mut scene, "(1/3) git status --short");
}

#[test]
fn an_answer_that_comes_when_the_line_was_cleared_is_not_shown() {
    let script = git();
    script.holds();
    let mut scene = zsh(&script).start();
    scene.types("git st");
    script.is_asked("git st|");
    scene.presses(Key::Ctrl('u')).shows_line("|");
    script.releases("git st|");
    stays_without_bar(&mut scene);
    scene.screen_is("1>");
}

#[test]
fn an_answer_that_is_an_error_shows_nothing_and_ends_nothing() {
    let script = git().refuses("git|");
    let mut scene = zsh(&script).start();
    scene.types("git");
    script.is_asked("git|");
    stays_without_bar(&mut scene);
    scene.screen_is("1> git▮").types(" st").shows_ghost("git st|atus --short");
}

#[test]
fn a_change_takes_away_what_is_shown_and_asks_again() {
    let script = git();
    let mut scene = showing(&script);
    script.holds();
    scene.types("x").shows_line("git stx|");
    stays_without_bar(&mut scene);
    script.releases("git stx|");
    scene.shows_ghost("git stx| one");
    shows_bar(&mut scene, "(1/2) git stx one");
}

#[test]
fn tab_takes_what_is_shown_and_the_new_line_is_asked_about() {
    let script = git().knows("git status --short|", &["git status --short --branch"]);
    let mut scene = showing(&script);
    scene.presses(Key::Tab).shows_ghost("git status --short| --branch");
    script.is_asked("git status --short|");
    stays_without_bar(&mut scene);
    // Undo goes back one step.
    scene.sends("\x1f").shows_ghost("git st|atus --short");
    shows_bar(&mut scene, "(1/3) git status --short");
}

#[test]
fn shift_and_an_arrow_browse_and_go_around() {
    let script = git();
    let mut scene = showing(&script);
    scene.presses(Key::ShiftRight).shows_ghost("git st|ash pop");
    shows_bar(&mut scene, "(2/3) git stash pop");
    scene.presses(Key::ShiftRight).shows_ghost("git st|age -p");
    shows_bar(&mut scene, "(3/3) git stage -p");
    scene.presses(Key::ShiftRight).shows_ghost("git st|atus --short");
    shows_bar(&mut scene, "(1/3) git status --short");
    scene.presses(Key::ShiftLeft).shows_ghost("git st|age -p");
    shows_bar(&mut scene, "(3/3) git stage -p");
    assert_eq!(script.asked().last().unwrap(), "git st|", "browsing asks nothing");
}

#[test]
fn esc_dismisses_until_the_text_changes() {
    let script = git();
    let mut scene = showing(&script);
    scene.presses(Key::Esc).shows_line("git st|");
    stays_without_bar(&mut scene);
    let asked = script.asked().len();
    scene.presses(Key::Left).shows_line("git s|t").presses(Key::Right).shows_line("git st|");
    stays_without_bar(&mut scene);
    assert_eq!(script.asked().len(), asked, "nothing is asked about a line that was dismissed");
    scene.types("x").shows_ghost("git stx| one");
    shows_bar(&mut scene, "(1/2) git stx one");
    // Going back to the dismissed text counts as a change too.
    scene.presses(Key::Backspace).shows_ghost("git st|atus --short");
}

#[test]
fn up_goes_into_the_past_and_down_comes_back_to_the_candidates() {
    for presses in [1, 2] {
        let script = git();
        let mut scene = zsh(&script).file(".zsh_history", ": 1700000000:0;echo one\n").rc("fc -R").start();
        scene.types("git st");
        shows_bar(&mut scene, "(1/3) git status --short");
        // The first round presses Up while the candidates are shown, the second while the user browses them.
        for _ in 1..presses {
            scene.presses(Key::ShiftRight);
            shows_bar(&mut scene, "(2/3) git stash pop");
        }
        let asked = script.asked().len();
        scene.presses(Key::Up).shows_line("echo one|");
        stays_without_bar(&mut scene);
        assert_eq!(script.asked().len(), asked, "the past is not asked about");
        scene.sends("\x1b[B").shows_ghost("git st|atus --short");
        shows_bar(&mut scene, "(1/3) git status --short");
    }
}

#[test]
fn a_past_line_of_the_same_text_has_no_candidates() {
    let script = git();
    let mut scene = zsh(&script).file(".zsh_history", ": 1700000000:0;git st\n").rc("fc -R").start();
    scene.types("git st");
    shows_bar(&mut scene, "(1/3) git status --short");
    scene.presses(Key::Up).shows_line("git st|");
    stays_without_bar(&mut scene);
    scene.presses(Key::Down).shows_ghost("git st|atus --short");
}

#[test]
fn tab_takes_what_was_browsed_to() {
    let script = git();
    let mut scene = showing(&script);
    scene.presses(Key::ShiftRight).shows_ghost("git st|ash pop");
    scene.presses(Key::Tab).shows_line("git stash pop|");
    script.is_asked("git stash pop|");
}

#[test]
fn a_change_ends_browsing() {
    let script = git();
    let mut scene = showing(&script);
    scene.presses(Key::ShiftRight).shows_ghost("git st|ash pop");
    scene.types("x").shows_ghost("git stx| one");
    shows_bar(&mut scene, "(1/2) git stx one");
}

#[test]
fn enter_leaves_nothing_of_it_behind() {
    let script = git().knows("true|", &["true 1", "true 2"]);
    let mut scene = zsh(&script).start();
    scene.types("true");
    shows_bar(&mut scene, "(1/2) true 1");
    scene.presses(Key::Enter).prompt(2);
    stays_without_bar(&mut scene);
    scene.screen_is("1> true\n2>");
    // A dismissal lasts for one line only.
    scene.types("true").shows_ghost("true| 1").presses(Key::Esc).shows_line("true|").presses(Key::Enter).prompt(3);
    scene.types("true").shows_ghost("true| 1");
    shows_bar(&mut scene, "(1/2) true 1");
}

#[test]
fn a_line_that_is_given_up_leaves_nothing_of_it_behind() {
    let script = git();
    let mut scene = showing(&script);
    scene.presses(Key::ShiftRight).shows_ghost("git st|ash pop").presses(Key::CtrlC).prompt(2);
    stays_without_bar(&mut scene);
    scene.screen_is("1> git st\n2>");
    scene.types("git st").shows_ghost("git st|atus --short");
    shows_bar(&mut scene, "(1/3) git status --short");
}

// Invariants.

#[test]
fn an_answer_counts_when_it_is_whole() {
    let script = git();
    script.holds();
    let mut scene = zsh(&script).start();
    scene.types("git st");
    script.is_asked("git st|");
    let rest = script.releases_half("git st|", 40);
    stays_without_bar(&mut scene);
    rest();
    shows_bar(&mut scene, "(1/3) git status --short");
    scene.presses(Key::ShiftLeft);
    shows_bar(&mut scene, "(3/3) git stage -p");
}

#[test]
fn an_answer_that_was_overtaken_never_comes_back() {
    let script = git();
    script.holds();
    let mut scene = zsh(&script).start();
    scene.types("git st");
    script.is_asked("git st|");
    scene.types("x");
    script.is_asked("git stx|");
    script.releases("git stx|");
    shows_bar(&mut scene, "(1/2) git stx one");
    script.releases("git st|");
    scene.stays("the newer answer", A_WHILE, |screen| screen.row(1).starts_with("(1/2) git stx one"));
}

#[test]
fn what_is_shown_is_the_candidate_of_its_number() {
    let script = git();
    let mut scene = showing(&script);
    for number in [2, 3, 1, 2, 3] {
        scene.presses(Key::ShiftRight);
        shows_bar(&mut scene, &format!("({number}/3) {}", GIT[number - 1]));
        let (_, rest) = GIT[number - 1].split_at("git st".len());
        scene.shows_ghost(&format!("git st|{rest}"));
    }
}

#[test]
fn tab_applies_exactly_what_is_displayed() {
    let lines = ["git status", "gti st", "git commit -m '▮'", "printf '%s\\n' \"a  b\" | sort", "git st日本"];
    for presses in 0..lines.len() {
        let script = ScriptedDaemon::new().knows("git st|", &lines);
        let mut scene = zsh(&script).start();
        scene.types("git st");
        shows_bar(&mut scene, "(1/5) git status");
        for _ in 0..presses {
            scene.presses(Key::ShiftRight).settles();
        }
        let wanted = lines[presses];
        shows_bar(&mut scene, &format!("({}/5) {}", presses + 1, wanted.replace('▮', "")));
        let line = if wanted.contains('▮') { wanted.to_owned() } else { format!("{wanted}▮") };
        scene.presses(Key::Tab).shows_line(&line);
    }
}

#[test]
fn whatever_changes_text_or_cursor_asks() {
    let script = git();
    let mut scene = zsh(&script).start();
    scene.types("a b");
    let steps = [
        ("\x1b[D", "a |b"),
        ("\x01", "|a b"),
        ("\x1bf", "a |b"),
        ("\x05", "a b|"),
        ("\x7f", "a |"),
        ("\x17", "|"),
        ("\x19", "a |"),
        ("\x1f", "|"),
        ("\x1f", "a |"),
    ];
    for (keys, line) in steps {
        scene.sends(keys);
        if line != "|" {
            script.is_asked(line);
        }
        scene.settles();
    }
}

#[test]
fn the_same_text_with_another_cursor_is_another_line() {
    let script = ScriptedDaemon::new().knows("git st|", &GIT).knows("git s|t", &["git show st▮", "git send st▮"]);
    script.holds();
    let mut scene = zsh(&script).start();
    scene.types("git st");
    script.is_asked("git st|");
    scene.presses(Key::Left);
    script.is_asked("git s|t");
    script.releases("git st|");
    stays_without_bar(&mut scene);
    script.releases("git s|t");
    shows_bar(&mut scene, "(1/2) git show st");
    scene.shows_line("git s|t");
}

// Candidates that arrive later.

#[test]
fn better_candidates_take_the_place_of_those_shown() {
    let script = git();
    let mut scene = showing(&script);
    script.updates("git st|", &["git stripspace", "git status --short"]);
    scene.shows_ghost("git st|ripspace");
    shows_bar(&mut scene, "(1/2) git stripspace");
    script.updates("git st|", &["git stripspace"]);
    scene.wait_for("no bar", |screen| !has_bar(screen));
    scene.shows_ghost("git st|ripspace");
    script.updates("git st|", &[]);
    scene.shows_line("git st|");
}

#[test]
fn better_candidates_for_a_line_that_had_none_are_shown() {
    let script = ScriptedDaemon::new();
    let mut scene = zsh(&script).start();
    scene.types("git st");
    script.is_asked("git st|");
    scene.settles();
    script.updates("git st|", &GIT);
    shows_bar(&mut scene, "(1/3) git status --short");
}

#[test]
fn better_candidates_wait_while_somebody_browses_and_never_undo_a_dismissal() {
    let script = git();
    let mut scene = showing(&script);
    scene.presses(Key::ShiftRight).shows_ghost("git st|ash pop");
    script.updates("git st|", &["git stripspace"]);
    scene.stays("what was browsed to", A_WHILE, |screen| is_bar(&screen.row(1), "(2/3) git stash pop"));
    scene.presses(Key::Esc).shows_line("git st|");
    script.updates("git st|", &["git stripspace"]);
    stays_without_bar(&mut scene);
    scene.shows_line("git st|");
}

#[test]
fn better_candidates_for_another_line_are_dropped() {
    let script = git();
    let mut scene = showing(&script);
    scene.types("a").shows_ghost("git sta|tus --short");
    script.updates("git st|", &["git stripspace"]);
    scene.stays("the candidates of before", A_WHILE, |screen| is_bar(&screen.row(1), "(1/3) git status --short"));
}

#[test]
fn better_candidates_are_not_counted_as_answers() {
    let script = git();
    let rc = "look() { zle -M \"$_aside_out unanswered\" }; zle -N look; bindkey '^Xo' look";
    let mut scene = zsh(&script).rc(rc).start();
    scene.types("git st").shows_ghost("git st|atus --short");
    script.holds();
    scene.types("x");
    script.is_asked("git stx|");
    script.updates("git stx|", &["git stx three"]);
    scene.shows_ghost("git stx| three").sends("\x18o").shows("1 unanswered");
    script.releases("git stx|");
    scene.shows_ghost("git stx| one").sends("\x18o").shows("0 unanswered");
}

// Typing along with a candidate.

#[test]
fn typing_along_narrows_the_candidates_and_asks_nothing() {
    let script = git();
    let mut scene = showing(&script);
    let asked = script.asked().len();
    scene.types("a").shows_ghost("git sta|tus --short");
    shows_bar(&mut scene, "(1/3) git status --short");
    scene.types("t").shows_ghost("git stat|us --short");
    stays_without_bar(&mut scene);
    assert_eq!(script.asked().len(), asked);
    scene.presses(Key::Tab).shows_line("git status --short|");
}

#[test]
fn typing_along_what_was_browsed_to_keeps_those_that_go_on_like_it() {
    let script = ScriptedDaemon::new().knows("git st|", &["git status", "git stash pop", "git stash list", "gti"]);
    let mut scene = zsh(&script).start();
    scene.types("git st");
    shows_bar(&mut scene, "(1/4) git status");
    scene.presses(Key::ShiftRight).presses(Key::ShiftRight).shows_ghost("git st|ash list");
    scene.types("as").shows_ghost("git stas|h list");
    shows_bar(&mut scene, "(2/2) git stash list");
    scene.presses(Key::ShiftLeft).shows_ghost("git stas|h pop");
    scene.presses(Key::Right).shows_line("git stash pop|");
}

#[test]
fn a_word_that_is_taken_narrows_the_candidates_too() {
    let script = ScriptedDaemon::new().knows("git st|", &["git stash pop -q", "git stash list", "git status"]);
    let mut scene = zsh(&script).start();
    scene.types("git st");
    shows_bar(&mut scene, "(1/3) git stash pop -q");
    scene.presses(Key::AltF).shows_ghost("git stash |pop -q");
    shows_bar(&mut scene, "(1/2) git stash pop -q");
    scene.presses(Key::AltF).shows_ghost("git stash pop |-q");
    stays_without_bar(&mut scene);
    // The completed line is a new request.
    scene.presses(Key::AltF).shows_line("git stash pop -q|");
    script.is_asked("git stash pop -q|");
}

// Rendering.

#[test]
fn one_candidate_that_goes_on_needs_no_bar() {
    let script = ScriptedDaemon::new().knows("git st|", &["git status"]);
    let mut scene = zsh(&script).start();
    scene.types("git st").shows_ghost("git st|atus");
    stays_without_bar(&mut scene);
}

#[test]
fn a_candidate_that_rewrites_the_line_is_in_the_bar_alone() {
    let script = ScriptedDaemon::new().knows("gti st|", &["git status"]);
    let mut scene = zsh(&script).start();
    scene.types("gti st").shows_line("gti st|");
    scene.screen_is(
        "
        1> gti st▮
        (1/1) git status                                                      [↹] apply
        ",
    );
    scene.presses(Key::Right).presses(Key::End).shows_line("gti st|");
    scene.presses(Key::Tab).shows_line("git status|");
}

#[test]
fn a_candidate_may_place_the_cursor() {
    let script = ScriptedDaemon::new().knows("git c|", &["git commit -m '▮'"]).knows("git |x", &["git checkout▮ x"]);
    let mut scene = zsh(&script).start();
    scene.types("git c").shows_ghost("git c|ommit -m ''");
    shows_bar(&mut scene, "(1/1) git commit -m ''");
    // The cursor position in the candidate is drawn in inverse video, since any letter could be part of the command.
    scene.wait_for("the place of the cursor", |screen| {
        let marks = |row| screen.spans(row).iter().any(|span| span.style.inverse && span.text == "'");
        (0..screen.size().0).any(|row| screen.row(row).starts_with("(1/1)") && marks(row))
    });
    scene.presses(Key::Tab).shows_line("git commit -m '|'");
    scene.presses(Key::CtrlE).presses(Key::Ctrl('u')).types("git x").presses(Key::Left).shows_line("git |x");
    shows_bar(&mut scene, "(1/1) git checkout x");
    scene.presses(Key::Tab).shows_line("git checkout| x");
}

#[test]
fn behind_a_blank_the_line_is_asked_about_again() {
    let script = ScriptedDaemon::new()
        .knows("git|", &["git commit --amend", "git commit -a"])
        .knows("git |", &["git status"])
        .knows("make|", &["make test"]);
    let mut scene = zsh(&script).start();
    scene.types("git").shows_ghost("git| commit --amend").types(" ").shows_ghost("git |status");
    scene.presses(Key::Ctrl('u')).types("make").shows_ghost("make| test").types(" ").stays_without_ghost(A_WHILE);
}

#[test]
fn a_blank_alone_is_no_ghost() {
    let script = ScriptedDaemon::new().knows("frob|", &["frob "]).knows("git com|", &["git commit "]);
    let mut scene = zsh(&script).start();
    scene
        .types("git com")
        .shows_ghost("git com|mit")
        .types("mit")
        .shows_line("git commit|")
        .stays_without_ghost(A_WHILE);
    scene.presses(Key::Ctrl('u')).types("frob").shows_line("frob|").stays_without_ghost(A_WHILE);
}

#[test]
fn end_takes_the_grey_text_and_goes_to_its_end() {
    let script = ScriptedDaemon::new().knows("git c|", &["git commit -m '▮'"]);
    let mut scene = zsh(&script).start();
    scene.types("git c").shows_ghost("git c|ommit -m ''");
    scene.presses(Key::End).shows_line("git commit -m ''|");
    scene.presses(Key::Ctrl('u')).types("git c").shows_ghost("git c|ommit -m ''");
    scene.presses(Key::Right).shows_line("git commit -m '|'");
}

#[test]
fn the_whole_of_it_looks_like_this() {
    let script = git();
    let mut scene = showing(&script);
    scene.screen_is(
        "
        1> git st▮‹atus --short›
        (1/3) git status --short                         [↹] apply | [⇧]+[←/→] navigate
        ",
    );
    let spans = scene.screen().spans(1);
    let colours: Vec<(&str, Color)> = spans.iter().map(|span| (span.text.trim(), span.style.fg)).collect();
    let hint = ("[↹] apply | [⇧]+[←/→] navigate", Color::Idx(242));
    assert_eq!(colours, [("(1/3) git status --short", Color::Default), hint]);
}

#[test]
fn in_forty_columns_the_hint_gives_way() {
    let script =
        ScriptedDaemon::new().knows("l|", &["ls", "ls --all --color=auto", "ls --all --color=auto --human-readable"]);
    let mut scene = zsh(&script).size(10, 40).start();
    scene.types("l").shows_ghost("l|s");
    scene.screen_is("1> l▮‹s›\n(1/3) ls                [↹] | [⇧]+[←/→]");
    scene.presses(Key::ShiftRight).screen_is("1> l▮‹s --all --color=auto›\n(2/3) ls --all --color=auto");
    scene.presses(Key::ShiftRight);
    shows_bar(&mut scene, "(3/3) ls --all --color=auto --human-re…");
    scene.presses(Key::Tab).shows_line("ls --all --color=auto --human-readable|");
}

#[test]
fn wide_letters_are_cut_whole() {
    let script = ScriptedDaemon::new().knows("echo|", &["echo 日本語日本", "echo", "x日本語日本語日本語日本語"]);
    let mut scene = zsh(&script).size(10, 20).start();
    scene.types("echo").screen_is("1> echo▮ ‹日本語日本›\n(1/2) echo 日本語…");
    scene.presses(Key::ShiftRight).screen_is("1> echo▮\n(2/2) x日本語日本…");
    scene.presses(Key::Tab).shows_line("x日本語日本語日本語日本語|");
}

#[test]
fn of_a_long_line_the_bar_shows_where_it_goes_on() {
    let line = format!("grep -r {}", "abcdefghij".repeat(4));
    let [one, two] = [format!("{line} src"), format!("{line} tests")];
    let script = ScriptedDaemon::new().knows(&format!("{line}|"), &[&one, &two]);
    let mut scene = zsh(&script).size(10, 40).start();
    scene.types(&line);
    shows_bar(&mut scene, "(1/2) …ijabcdefghij src");
    scene.presses(Key::ShiftRight);
    shows_bar(&mut scene, "(2/2) …ijabcdefghij tests");
}

#[test]
fn a_line_that_fills_the_screen_keeps_all_of_it() {
    let text = (1..8).map(|number| format!("echo {number}\n")).collect::<String>() + "echo";
    for columns in [40, 80] {
        let script = ScriptedDaemon::new().knows(&format!("{text}|"), &[&format!("{text} 8"), &format!("{text} 9")]);
        let mut scene = zsh(&script).size(9, columns).start();
        scene.pastes(&text).shows_ghost(&format!("{text}| 8"));
        stays_without_bar(&mut scene);
    }
}

#[test]
fn tabs_and_other_odd_things_stay_on_one_line() {
    let script = ScriptedDaemon::new().knows("e|", &["echo a\tb", "echo one\ntwo"]);
    let mut scene = zsh(&script).start();
    scene.types("e");
    shows_bar(&mut scene, "(1/2) echo a b");
    scene.presses(Key::ShiftRight);
    shows_bar(&mut scene, "(2/2) echo one⏎two");
    scene.presses(Key::Tab).shows_line("echo one\ntwo|");
}

#[test]
fn the_bar_stands_below_all_lines_and_only_their_end_has_grey_text() {
    let lines = ["for f in a; do\n  echo $f\ndone", "for f in a; do\n  exit\ndone"];
    let script = ScriptedDaemon::new().knows("for f in a; do\n  e|", &lines).knows("for f in a; do\n  |e", &lines);
    let mut scene = zsh(&script).start();
    scene.pastes("for f in a; do\n  e");
    scene.screen_is(
        "
        1> for f in a; do
          e▮‹cho $f›
        ‹done›
        (1/2) for f in a; do⏎  echo $f⏎done              [↹] apply | [⇧]+[←/→] navigate
        ",
    );
    scene.presses(Key::Left);
    scene.screen_is(
        "
        1> for f in a; do
          ▮e
        (1/2) for f in a; do⏎  echo $f⏎done              [↹] apply | [⇧]+[←/→] navigate
        ",
    );
    scene.presses(Key::ShiftRight).presses(Key::Tab).shows_line("for f in a; do\n  exit\ndone|");
}

#[test]
fn in_the_last_row_the_screen_moves_up_once() {
    let script = git();
    let mut scene = zsh(&script).size(4, 80).start();
    for _ in 0..3 {
        scene.runs("true");
    }
    scene.types("git st");
    shows_bar(&mut scene, "(1/3) git status --short");
    let screen = "
        2> true
        3> true
        4> git stx▮ ‹one›
        (1/2) git stx one                                [↹] apply | [⇧]+[←/→] navigate
        ";
    scene.types("x").screen_is(screen);
    scene.presses(Key::Backspace).shows_ghost("git st|atus --short").types("x").screen_is(screen);
    scene.presses(Key::Esc).screen_is("2> true\n3> true\n4> git stx▮");
    scene.presses(Key::Enter).prompt(5);
}

#[test]
fn a_terminal_that_gets_narrower_gets_a_narrower_bar() {
    let script = git();
    let mut scene = showing(&script);
    scene.resizes(24, 60);
    scene.settles();
    scene.screen_is(
        "
        1> git st▮‹atus --short›
        (1/3) git status --short     [↹] apply | [⇧]+[←/→] navigate
        ",
    );
}

#[test]
fn settings_say_how_it_looks_and_whether_it_is_there() {
    let script = git().sets("hint", "off").sets("bar_style", "fg=cyan").sets("ghost_style", "fg=yellow");
    let mut scene = zsh(&script).ghost(Color::Idx(3)).start();
    scene.types("git st").shows_ghost("git st|atus --short");
    shows_bar(&mut scene, "(1/3) git status --short");
    let spans = scene.screen().spans(1);
    assert_eq!((spans[0].text.as_str(), spans[0].style.fg), ("(1/3) git status --short", Color::Idx(6)));
    let script = git().sets("bar", "off").knows("gti|", &["git"]);
    let mut scene = zsh(&script).start();
    scene.types("git st").shows_ghost("git st|atus --short");
    stays_without_bar(&mut scene);
    scene.presses(Key::ShiftRight).shows_ghost("git st|ash pop").presses(Key::Tab).shows_line("git stash pop|");
    scene.presses(Key::Ctrl('u')).types("gti").shows_line("gti|").presses(Key::Tab).shows_line("gti|");
}
