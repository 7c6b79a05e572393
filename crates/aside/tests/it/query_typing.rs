//! Queries while they are typed: when the debounce delay restarts, what a new shell reports before it, lines that began as
//! something else, and what ↓ requests.

use crate::harness::keys::Key;
use crate::harness::query_script::QueryReply;
use crate::harness::scripted_daemon::ScriptedDaemon;
use crate::query_zsh::{BIG, FIND, answered, big, follows, zsh};

#[test]
fn a_blank_within_the_pause_begins_it_anew() {
    let script = big();
    let mut scene = zsh(&script).start();
    follows(&script, &mut scene);
    script.holds();
    scene.types("? find big");
    script.is_wished("find big");
    let before = script.wished().len();
    scene.types(" ");
    script.waits("another question", |script| script.wished().len() > before);
    script.is_wished("find big");
    // Moving the cursor is not typing.
    let before = script.wished().len();
    scene.presses(Key::Left).settles();
    assert_eq!(script.wished().len(), before);
}

#[test]
fn the_first_wish_of_a_shell_comes_behind_its_functions_and_aliases() {
    let script = big();
    let rc = "deploy() { : }; alias gst='git status'; for n in {1..200}; do eval \"some_function_$n() { : }\"; done";
    let mut scene = zsh(&script).rc(rc).start();
    script.waits("a shell that says hello", |script| !script.told("hello").is_empty());
    scene.settles().types("? find big files");
    script.is_wished(BIG);
    let kinds = |kind: &str, name: &str| {
        let told = script.told("names");
        told.iter().any(|fields| fields[3] == kind && fields[5].lines().any(|line| line.starts_with(name)))
    };
    assert!(kinds("function", "deploy") && kinds("function", "some_function_200") && kinds("alias", "gst="));
}

#[test]
fn a_wish_on_a_line_out_of_the_history_is_asked_once_it_is_edited() {
    let script = big();
    let mut scene = zsh(&script).start();
    follows(&script, &mut scene);
    scene
        .presses(Key::Up)
        .shows_line("true|")
        .presses(Key::Ctrl('u'))
        .types("? find big files")
        .shows("→ find . -size");
}

#[test]
fn down_asks_for_other_ways_once_where_there_are_few() {
    let others = QueryReply::done("du -ah").or("ls -lS");
    let script = big().grants("find big files, besides find . -size +100M", &[others]);
    let mut scene = answered(&script);
    assert_eq!(
        script.wished().iter().filter(|words| *words == "find big files!").count(),
        0,
        "not before it is wanted"
    );
    scene.presses(Key::Down).shows("\n> find . -size").shows("\n  ls -lS").shows("\n  explain");
    scene.presses(Key::Down).shows("\n> du -ah").presses(Key::Esc).presses(Key::Down).shows("> du -ah");
    let asked = script.told("translate").iter().filter(|fields| fields.len() > 11).count();
    assert_eq!(asked, 1);
    scene.presses(Key::Tab).shows_line("du -ah|");
}

#[test]
fn the_last_row_explains_each_command_of_the_list() {
    let say = QueryReply::done(FIND).or("rm -f big").or("du -ah");
    let script = ScriptedDaemon::new().sets("hint", "off").grants(BIG, &[say]).explains(FIND, &["looks for files"]);
    let script = script.explains("rm -f big", &["removes files"]);
    let mut scene = answered(&script);
    scene.presses(Key::Down).presses(Key::Down).presses(Key::Down).presses(Key::Down).shows("> explain");
    scene.presses(Key::Enter).screen_is(
        "
        2> ? find big files▮  → ‹du -ah›
        ────────────────────────────────────────
        find . -size +100M
          looks for files
        rm -f big
          removes files
        du -ah
          nothing is known about this command",
    );
}
