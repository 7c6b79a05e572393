//! Queries in zsh as the user sees them: the words, the command shown after them, and how it gets into the line without anything being run.

use std::time::Duration;

use vt100::Color;

use crate::harness::keys::Key;
use crate::harness::query_script::QueryReply;
use crate::harness::scene::Scene;
use crate::harness::scripted_daemon::ScriptedDaemon;
use crate::harness::setup::Setup;

/// Longer than a reply takes, short enough to wait for.
const A_WHILE: Duration = Duration::from_millis(150);

pub const BIG: &str = "find big files";
pub const FIND: &str = "find . -size +100M";

/// A single result, with nothing below it.
pub fn big() -> ScriptedDaemon {
    ScriptedDaemon::new().sets("hint", "off").grants(BIG, &[QueryReply::done(FIND)])
}

pub fn zsh(script: &ScriptedDaemon) -> Setup {
    Scene::zsh().scripted(script).ghost(Color::Idx(6))
}

/// A shell at its second prompt, where it has received the settings, with a query and its result on the screen.
pub fn answered(script: &ScriptedDaemon) -> Scene {
    begun(script, zsh(script))
}

pub fn begun(script: &ScriptedDaemon, stage: Setup) -> Scene {
    let mut scene = stage.start();
    follows(script, &mut scene);
    scene.types(&format!("? {BIG}")).shows("→ find . -size +100M");
    scene
}

/// Goes to the second prompt, where a shell has received the settings and bound its keys.
pub fn follows(script: &ScriptedDaemon, scene: &mut Scene) {
    for number in [1, 2] {
        script.waits("a shell that says hello", |script| script.told("hello").len() >= number);
        scene.settles();
        if number == 1 {
            scene.runs("true");
        }
    }
    scene.presses(Key::Ctrl('l')).settles();
}

pub fn at(scene: &Scene) -> String {
    let screen = scene.screen();
    let rows = screen.rendered(Color::Idx(6));
    rows.join("\n")
}

/// zsh's own history, oldest first, without what the harness ran.
pub fn remembered(scene: &mut Scene) -> Vec<String> {
    let lines = scene.runs("fc -ln 1");
    lines.lines().map(str::trim).filter(|line| *line != "true").map(str::to_owned).collect()
}

#[test]
fn a_wish_is_answered_with_a_cyan_command_behind_the_words() {
    let script = ScriptedDaemon::new().grants(BIG, &[QueryReply::done(FIND).means("files larger than 100 MB")]);
    let mut scene = zsh(&script).start();
    follows(&script, &mut scene);
    scene.types("? find big files").screen_is(
        "
         2> ? find big files▮  → ‹find . -size +100M›
         files larger than 100 MB                 [↹] take | [↓] more | [ctrl-e] explain",
    );
    let spans = scene.screen().spans(1);
    assert_eq!(spans[0].style.fg, Color::Idx(242), "{spans:?}");
    // No completion request about the words.
    assert!(script.asked().iter().all(|line| !line.starts_with("? ")), "{:?}", script.asked());
    scene.types("s").shows_line("? find big filess|");
}

#[test]
fn what_is_shown_is_taken_into_the_line_and_not_run() {
    for key in [Key::Tab, Key::Right, Key::End, Key::Enter, Key::Ctrl('j'), Key::Ctrl('f'), Key::Ctrl('o')] {
        let script = big();
        let mut scene = answered(&script);
        scene.presses(key).shows_line("find . -size +100M|").stays_without_ghost(A_WHILE);
        assert_eq!(at(&scene), "2> find . -size +100M▮", "{key:?}");
        script.has_heard(&["accept: find big files -> find . -size +100M"]);
    }
}

#[test]
fn enter_before_the_answer_asks_at_once_and_takes_what_comes() {
    let script = ScriptedDaemon::new().grants(
        BIG,
        &[QueryReply::thinking(), QueryReply::partial("find"), QueryReply::done(FIND).means("what it does")],
    );
    let mut scene = zsh(&script).start();
    follows(&script, &mut scene);
    script.holds();
    scene.types("? find big files");
    script.is_wished("find big files");
    scene.presses(Key::Enter);
    script.is_wished("find big files!");
    scene.screen_is("2> ? find big files▮  …");
    script.releases(BIG);
    scene.settles().screen_is("2> ? find big files▮  …");
    script.releases(BIG);
    scene.screen_is("2> ? find big files▮  → ‹find›");
    script.releases(BIG);
    scene.screen_is("2> find . -size +100M▮\nwhat it does");
    // Undo brings back the words, which can be queried again.
    scene.sends("\x1f").shows_line("? find big files|");
    script.is_wished("find big files");
}

#[test]
fn typing_on_takes_back_what_enter_asked_for() {
    let script = ScriptedDaemon::new()
        .grants(BIG, &[QueryReply::done(FIND)])
        .grants("find big filesx", &[QueryReply::done("echo x")]);
    let mut scene = zsh(&script).start();
    follows(&script, &mut scene);
    script.holds();
    scene.types("? find big files").presses(Key::Enter).shows("…");
    scene.types("x").shows_line("? find big filesx|");
    script.releases("find big filesx");
    scene.screen_is("2> ? find big filesx▮  → ‹echo x›\n                                         [↹] take | [↓] more | [ctrl-e] explain");
}

#[test]
fn esc_and_control_c_take_it_back_too() {
    let script = ScriptedDaemon::new().grants(BIG, &[QueryReply::done(FIND)]);
    let mut scene = zsh(&script).start();
    follows(&script, &mut scene);
    script.holds();
    scene.types("? find big files").presses(Key::Enter).shows("…").presses(Key::Esc).shows_line("? find big files|");
    scene.settles();
    assert_eq!(at(&scene), "2> ? find big files▮");
    // The daemon is told: any request cancels the previous one.
    script.is_asked("|");
    script.releases(BIG);
    scene.stays("nothing", A_WHILE, |screen| !screen.contains("find ."));
    // While the screen is being drawn, zsh delivers an interrupt to the drawing function, and keeps the line.
    scene.presses(Key::Enter).shows("…").settles().presses(Key::CtrlC).prompt(3).shows_line("|");
    scene.wait_for("no sign left", |screen| screen.row(0) == "2> ? find big files");
    assert_eq!(remembered(&mut scene), Vec::<String>::new());
}

#[test]
fn without_a_daemon_the_words_are_not_run_either() {
    let mut scene = Scene::zsh().rc_after("_aside_bin=/nowhere _aside_socket=/nowhere/at/all").start();
    scene.types("? rm -rf everything").presses(Key::Enter);
    scene.screen_is("1> ? rm -rf everything▮\naside is not running");
    scene.presses(Key::Left).shows_line("? rm -rf everythin|g");
    scene.wait_for("no note", |screen| !screen.contains("not running"));
    scene.presses(Key::CtrlC).prompt(2);
    assert_eq!(scene.runs("echo as ever"), "as ever");
    assert_eq!(scene.runs("fc -ln 1"), "echo as ever");
}

#[test]
fn a_daemon_that_comes_later_answers_what_enter_asked() {
    let script = big();
    let rc = "_aside_bin=~/slow _aside_socket=~/other.sock";
    let slow = "#!/bin/sh\nwhile [ ! -e ~/go ]; do sleep 0.02; done\n";
    let mut scene = Scene::zsh().ghost(Color::Idx(6)).file("slow", slow).rc_after(rc).start();
    let socket = scene.home.path("other.sock");
    scene.types("? find big files").presses(Key::Enter).shows("aside is not running");
    script.listens(&socket);
    scene.home.write("go", "");
    scene.shows_line("find . -size +100M|");
}

#[test]
fn a_daemon_that_goes_away_leaves_no_sign_behind() {
    let script = ScriptedDaemon::new().grants(BIG, &[QueryReply::thinking(), QueryReply::done(FIND)]);
    let mut scene = zsh(&script).rc_after("_aside_bin=/nowhere").start();
    follows(&script, &mut scene);
    script.holds();
    scene.types("? find big files");
    script.releases(BIG);
    scene.screen_is("2> ? find big files▮  …");
    std::fs::remove_file(scene.home.socket()).unwrap();
    script.hangs_up();
    scene.screen_is("2> ? find big files▮");
}

#[test]
fn a_wish_never_gets_into_the_history_and_the_command_does() {
    let script = ScriptedDaemon::new().sets("hint", "off").grants(BIG, &[QueryReply::done("echo found")]);
    let mut scene = zsh(&script).rc("setopt inc_append_history").start();
    follows(&script, &mut scene);
    scene.types("? find big files").shows("→ echo found").presses(Key::CtrlC).prompt(3);
    scene.types("? find big files").shows("→ echo found").presses(Key::Enter).shows_line("echo found|");
    scene.presses(Key::Enter).prompt(4);
    scene.types("? find big files").shows("→ echo found").presses(Key::Esc).settles().presses(Key::Ctrl('u')).settles();
    assert_eq!(remembered(&mut scene), ["echo found"]);
    assert!(!scene.home.read(".zsh_history").contains("find big"), "{}", scene.home.read(".zsh_history"));
    let dismiss = "dismiss: find big files -> echo found";
    let run = "run: find big files -> echo found [echo found]";
    script.has_heard(&[dismiss, "accept: find big files -> echo found", run, dismiss]);
    assert!(script.told("finished").iter().all(|fields| !fields.join(" ").contains("big files")));
}

#[test]
fn what_became_of_it_is_told_with_the_line_that_ran() {
    let script = ScriptedDaemon::new().grants(BIG, &[QueryReply::done("echo found")]);
    let mut scene = zsh(&script).start();
    follows(&script, &mut scene);
    scene.types("? find big files").shows("→ echo found").presses(Key::Tab).shows_line("echo found|");
    scene.types(" it").presses(Key::Enter).prompt(3);
    scene.types("? find big files").shows("→ echo found").presses(Key::Tab).shows_line("echo found|");
    scene.presses(Key::Ctrl('u')).runs("true");
    let accept = "accept: find big files -> echo found";
    let edit = "edit: find big files -> echo found [echo found it]";
    script.has_heard(&[accept, edit, accept]);
}

#[test]
fn a_widget_that_accepts_the_line_behind_our_back_does_not_run_the_words() {
    let script =
        ScriptedDaemon::new().sets("hint", "off").grants("echo ran by accident", &[QueryReply::done("echo no")]);
    let rc = "mine() { zle .accept-line }; zle -N mine; bindkey '^Xm' mine; alias '?'=''";
    let mut scene = zsh(&script).rc(rc).start();
    follows(&script, &mut scene);
    scene.types("? echo ran by accident").shows("→ echo no").sends("\x18m").prompt(3);
    // The query is back.
    scene.screen_is("2>\n3> ? echo ran by accident▮  → ‹echo no›");
    scene.presses(Key::Ctrl('u')).settles();
    assert_eq!(remembered(&mut scene), Vec::<String>::new());
}

#[test]
fn enter_is_what_it_was_for_every_other_line() {
    let script = big();
    let rc = "accept() { BUFFER=${BUFFER/one/two}; zle .accept-line }; zle -N accept-line accept";
    for stage in [zsh(&script).rc(rc), zsh(&script).rc_after(rc)] {
        let mut scene = stage.start();
        assert_eq!(scene.runs("echo one"), "two");
        scene.types("echo a; ?").presses(Key::Ctrl('u'));
        assert_eq!(scene.runs("print -r '? ' one"), "?  two");
        scene.runs("aside-off");
        scene.types("? one words").presses(Key::Enter).prompt(5).shows("no matches found");
        scene.runs("aside-on");
        scene.home.aside(&["daemon", "stop"]);
    }
}

#[test]
fn enter_is_as_ever_when_wishes_are_off() {
    let script = big().sets("wish", "off");
    let mut scene = zsh(&script).rc("alias '?'='echo asked'").start();
    follows(&script, &mut scene);
    assert_eq!(scene.runs("? find big files"), "asked find big files");
    assert_eq!(script.wished(), Vec::<String>::new());
}

#[test]
fn the_prefix_is_the_persons_own() {
    for prefix in ["#", "??", "ask:", "*", "[", "~"] {
        let script = big().sets("wish_prefix", prefix);
        let mut scene = zsh(&script).rc("setopt interactive_comments no_bad_pattern").start();
        follows(&script, &mut scene);
        scene.types(&format!("{prefix} find big files")).shows("→ find . -size +100M");
        scene.presses(Key::Enter).shows_line("find . -size +100M|").presses(Key::Ctrl('u'));
        assert_eq!(script.wished().last().unwrap(), "find big files", "{prefix}");
    }
}

#[test]
fn too_few_words_are_not_asked_about_until_enter() {
    let script = ScriptedDaemon::new()
        .sets("hint", "off")
        .grants("大文件", &[QueryReply::done("ls -S")])
        .grants("找出大文件", &[QueryReply::done(FIND)]);
    let mut scene = zsh(&script).start();
    follows(&script, &mut scene);
    // Three characters, though nine bytes.
    scene.types("? 大文件").stays("nothing", A_WHILE, |screen| !screen.contains("→"));
    assert_eq!(script.wished(), Vec::<String>::new());
    scene.presses(Key::Enter).shows_line("ls -S|").presses(Key::Ctrl('u'));
    scene.types("? 找出大文件").screen_is("2> ? 找出大文件▮  → ‹find . -size +100M›");
    scene.presses(Key::Ctrl('u')).types("? ").presses(Key::Enter).shows("say what you want, like this: ? find files");
    scene.types("x").shows_line("? x|");
}

#[test]
fn a_wish_without_an_answer_says_why_until_the_next_key() {
    let script = ScriptedDaemon::new()
        .grants("who am I really", &[QueryReply::nothing("no answer; a model would know more: aside model")]);
    let mut scene = zsh(&script).start();
    follows(&script, &mut scene);
    let screen = "2> ? who am I really▮\nno answer; a model would know more: aside model";
    scene.types("? who am I really").screen_is(screen);
    scene.presses(Key::Left).shows_line("? who am I reall|y").screen_is("2> ? who am I reall▮y");
    scene.presses(Key::Left).settles().screen_is("2> ? who am I real▮ly");
    scene
        .presses(Key::Enter)
        .shows("no answer; a model")
        .screen_is("2> ? who am I real▮ly\nno answer; a model would know more: aside model");
}

#[test]
fn a_warning_and_a_note_stand_below() {
    let say = QueryReply::done("rm -r old").warns("deletes files").means("removes a directory").closest().notes(
        "the model does not answer; this is from the embedded engine, and what it knows may not be what you meant",
    );
    let script = ScriptedDaemon::new().sets("hint", "off").grants("remove the old one", &[say]);
    let mut scene = zsh(&script).start();
    follows(&script, &mut scene);
    scene.types("? remove the old one").screen_is(
        "
         2> ? remove the old one▮  → ‹rm -r old›
         ! deletes files · closest I know · removes a directory
         the model does not answer; this is from the embedded engine, and what it knows
         may not be what you meant",
    );
    assert_eq!(scene.screen().spans(1)[0].style.fg, Color::Idx(1));
    // The warning stays when the command is accepted.
    scene.presses(Key::Tab).shows_line("rm -r old|").shows("! deletes files").types(" ");
    scene.screen_is("2> rm -r old ▮");
}

#[test]
fn enter_does_not_take_the_closest_command_unseen() {
    let script = ScriptedDaemon::new().sets("hint", "off").grants(BIG, &[QueryReply::done(FIND).closest()]);
    let mut scene = zsh(&script).start();
    follows(&script, &mut scene);
    script.holds();
    scene.types("? find big files").presses(Key::Enter).shows("…");
    script.is_wished("find big files!");
    script.releases(BIG);
    scene.screen_is("2> ? find big files▮  → ‹find . -size +100M›\nclosest I know");
    scene.presses(Key::Enter).shows_line("find . -size +100M|");
}

#[test]
fn half_a_command_is_shown_and_not_taken() {
    for key in [Key::Tab, Key::Right, Key::Enter] {
        let says = [
            QueryReply::partial("rm -rf"),
            QueryReply::partial("rm -rf /tmp"),
            QueryReply::done("rm -rf /tmp/old").or("ls"),
        ];
        let script = ScriptedDaemon::new().sets("hint", "off").grants(BIG, &says);
        let mut scene = zsh(&script).start();
        follows(&script, &mut scene);
        script.holds();
        scene.types("? find big files");
        script.releases(BIG);
        // Nothing to choose from, and nothing to explain yet.
        scene.shows("→ rm -rf").presses(Key::Down).presses(Key::CtrlE).presses(key).settles();
        assert_eq!(at(&scene), "2> ? find big files▮  → ‹rm -rf›");
        script.releases(BIG);
        scene.screen_is("2> ? find big files▮  → ‹rm -rf /tmp›");
        script.releases(BIG);
        scene.screen_is("2> rm -rf /tmp/old▮");
        script.has_heard(&["accept: find big files -> rm -rf /tmp/old"]);
    }
}

#[test]
fn an_answer_that_comes_too_late_is_dropped() {
    let script =
        ScriptedDaemon::new().sets("hint", "off").grants(BIG, &[QueryReply::done(FIND)]).knows("ls|", &["ls -l"]);
    let mut scene = zsh(&script).start();
    follows(&script, &mut scene);
    script.holds();
    scene.types("? find big files");
    script.is_wished("find big files");
    scene.presses(Key::Ctrl('u')).shows_line("|");
    script.is_asked("|");
    scene.types("ls").shows_line("ls|");
    script.releases("ls|");
    scene.wait_for("completion again", |screen| screen.row(0) == "2> ls -l");
}

#[test]
fn a_paste_is_one_wish() {
    let script = ScriptedDaemon::new().sets("hint", "off").grants("find big\nfiles", &[QueryReply::done(FIND)]);
    let mut scene = zsh(&script).start();
    follows(&script, &mut scene);
    scene.pastes("? find big\nfiles").screen_is("2> ? find big\nfiles▮  → ‹find . -size +100M›");
    assert_eq!(script.wished(), ["find big\nfiles"]);
    scene.presses(Key::Tab).shows_line("find . -size +100M|").sends("\x1f");
    scene.screen_is("2> ? find big\nfiles▮  → ‹find . -size +100M›");
}

#[test]
fn on_a_narrow_screen_everything_still_fits() {
    let say = QueryReply::done("find . -type f -size +100M -printf '%s %p\\n'")
        .means("every file larger than 100 MB, with its size");
    let script = ScriptedDaemon::new().grants(BIG, &[say]).explains(
        "find . -type f -size +100M -printf '%s %p\\n'",
        &[
            "find: walks through directories and prints what it finds",
            "每个大于一百兆的文件都会和它的大小一起打印出来一行一个",
        ],
    );
    let mut scene = zsh(&script).size(24, 40).start();
    follows(&script, &mut scene);
    scene.types("? find big files").screen_is(
        "
         2> ? find big files▮  → ‹find . -type f -s›
         ‹ize +100M -printf '%s %p\\n'›
         every file larger than 100 MB, with it…",
    );
    scene.presses(Key::CtrlE).screen_is(
        "
         2> ? find big files▮  → ‹find . -type f -s›
         ‹ize +100M -printf '%s %p\\n'›
         ───────────────────────────────────────
         find: walks through directories and
         prints what it finds
         每个大于一百兆的文件都会和它的大小一起
         打印出来一行一个",
    );
    scene.resizes(24, 80).presses(Key::Tab).shows_line("find . -type f -size +100M -printf '%s %p\\n'|");
}

#[test]
fn a_prompt_on_the_right_gives_way() {
    let script = big();
    let mut scene = zsh(&script).rc("RPROMPT='[right]'").start();
    follows(&script, &mut scene);
    scene.types("? find big files").shows("→ find . -size +100M").presses(Key::Tab).shows("[right]");
    scene.wait_for("the line", |screen| screen.row(0).starts_with("2> find . -size +100M  "));
}

#[test]
fn terminals_without_colours_underline_the_command() {
    for (name, value) in [("TERM", "vt100"), ("NO_COLOR", "1")] {
        let script = ScriptedDaemon::new().grants(BIG, &[QueryReply::done(FIND).warns("deletes files")]);
        let mut scene = zsh(&script).env(name, value).start();
        follows(&script, &mut scene);
        scene.types("? find big files").shows("! deletes files").settles();
        let spans = scene.screen().spans(0);
        let command = spans.last().unwrap();
        assert_eq!((command.text.as_str(), command.style.underline), (FIND, true), "{name}={value}: {spans:?}");
        let below = scene.screen().spans(1);
        assert!(below[0].style.bold && below.iter().all(|span| span.style.fg == Color::Default), "{below:?}");
    }
    // A terminal with eight colours has cyan and red.
    let script =
        ScriptedDaemon::new().sets("hint", "off").grants(BIG, &[QueryReply::done(FIND).warns("deletes files")]);
    let mut scene = zsh(&script).env("TERM", "linux").start();
    follows(&script, &mut scene);
    scene.types("? find big files").screen_is("2> ? find big files▮  → ‹find . -size +100M›\n! deletes files");
    assert_eq!(scene.screen().spans(1)[0].style.fg, Color::Idx(1));
}

#[test]
fn where_letters_are_bytes_it_is_written_in_ascii() {
    let script = ScriptedDaemon::new()
        .grants(BIG, &[QueryReply::thinking(), QueryReply::done(FIND).means("a").closest()])
        .explains(FIND, &["finds"]);
    let mut scene = zsh(&script).env("LANG", "C").start();
    follows(&script, &mut scene);
    script.holds();
    scene.types("? find big files");
    script.releases(BIG);
    scene.screen_is("2> ? find big files▮  ...");
    script.releases(BIG);
    scene.screen_is(
        "
         2> ? find big files▮  -> ‹find . -size +100M›
         closest I know - a                  [Tab] take | [Down] more | [ctrl-e] explain",
    );
    scene.presses(Key::CtrlE).shows("\n----------------------------------------\nfinds");
}
