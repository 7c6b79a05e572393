//! Where prose is kept: in zsh's own history, as typed, once, or not at all where the user wants that; and other plugins' widgets
//! around Enter.

use crate::harness::keys::Key;
use crate::harness::prose_script::ProseReply;
use crate::harness::setup::Setup;
use crate::prose_zsh::{IP, begun_on, ip, script, zsh};
use crate::query_zsh::remembered;

const AUTOSUGGESTIONS: &str = "source /usr/share/zsh-autosuggestions/zsh-autosuggestions.zsh";
const HIGHLIGHTING: &str = "source /usr/share/zsh-syntax-highlighting/zsh-syntax-highlighting.zsh";

/// What zsh remembers after these lines, of which `sentences` are classified as prose.
#[track_caller]
fn kept(rc: &str, sentences: &[&str], lines: &[&str]) -> (Vec<String>, String) {
    let script = sentences.iter().fold(script(), |script, line| script.takes(line));
    let mut scene = begun_on(&script, zsh(&script).rc(rc));
    for (line, number) in lines.iter().zip(3..) {
        scene.sends(line).presses(Key::Enter).prompt(number).settles();
    }
    script.waits("all sentences", |script| {
        let taken = lines.iter().filter(|line| sentences.contains(line)).count();
        script.questions().iter().filter(|question| !question.ends_with(' ')).count() >= taken
    });
    let remembered = remembered(&mut scene);
    scene.sends("exit\r").ends();
    (remembered, scene.home.read(".zsh_history"))
}

#[test]
fn the_history_has_it_as_it_was_typed_once() {
    let (remembered, file) = kept("", &[IP], &["echo one", IP, "echo two"]);
    assert_eq!(remembered, ["echo one", IP, "echo two"]);
    assert_eq!(file.lines().filter(|line| line.ends_with(IP)).count(), 1, "{file}");
}

#[test]
fn up_brings_it_back() {
    let script = ip();
    let mut scene = begun_on(&script, zsh(&script));
    scene
        .types(IP)
        .presses(Key::Enter)
        .prompt(3)
        .shows("Ask your router.")
        .presses(Key::Up)
        .shows_line("what's my ip|");
    scene.presses(Key::Up).shows_line("true|").presses(Key::Down).shows_line("what's my ip|");
    scene.presses(Key::Enter).prompt(4);
    script.has_questions(&["1 what's my ip", "2 what's my ip"]);
}

#[test]
fn it_is_written_at_once_where_the_person_wants_that() {
    for option in ["inc_append_history", "share_history", "inc_append_history hist_fcntl_lock extended_history"] {
        let script = ip();
        let mut scene = begun_on(&script, zsh(&script).rc(&format!("setopt {option}")));
        scene.types(IP).presses(Key::Enter).prompt(3).shows("Ask your router.");
        let file = scene.home.read(".zsh_history");
        assert_eq!(file.lines().filter(|line| line.ends_with(IP)).count(), 1, "{option}: {file}");
        let stamped = file.lines().filter(|line| line.starts_with(": ")).count();
        assert!(stamped == 0 || stamped == file.lines().count(), "one kind of line: {file}");
    }
}

#[test]
fn a_blank_before_it_keeps_it_out() {
    let secret = " what's my secret";
    let (remembered, file) = kept("setopt hist_ignore_space", &[secret], &[secret, "echo two"]);
    assert_eq!(remembered, ["echo two"]);
    assert!(!file.contains("secret"), "{file}");
    // Nor does it get there by another widget.
    let script = script().takes(secret);
    let rc = "setopt hist_ignore_space; mine() { zle .accept-line }; zle -N mine; bindkey '^Xm' mine";
    let mut scene = begun_on(&script, zsh(&script).rc(rc));
    scene.types(secret).sends("\x18m").prompt(3);
    script.waits("the sentence", |script| !script.questions().is_empty());
    assert_eq!(crate::query_zsh::remembered(&mut scene), Vec::<String>::new());
    let (remembered, _) = kept("", &[secret], &[secret]);
    assert_eq!(remembered, ["what's my secret"]);
}

#[test]
fn twice_the_same_is_kept_as_the_options_say() {
    let lines = [IP, IP, "echo one", IP];
    assert_eq!(kept("", &[IP], &lines).0, [IP, IP, "echo one", IP]);
    assert_eq!(kept("setopt hist_ignore_dups", &[IP], &lines).0, [IP, "echo one", IP]);
    assert_eq!(kept("setopt hist_ignore_all_dups", &[IP], &lines).0, ["echo one", IP]);
    let wide = "how   many   are there";
    assert_eq!(kept("setopt hist_reduce_blanks", &[wide], &[wide]).0, ["how many are there"]);
}

#[test]
fn a_hook_and_a_pattern_of_the_persons_own_decide() {
    let hook = "zshaddhistory() { print -rn -- \"$1\" >>~/hooked; [[ $1 != *ip* ]] }";
    let (remembered, file) = kept(hook, &[IP, "where is it"], &[IP, "where is it"]);
    assert_eq!(remembered, ["where is it"]);
    assert!(!file.contains(IP), "{file}");
    let hooks = "mine() { [[ $1 != *ip* ]] || return 2 }; zshaddhistory_functions=(mine)";
    let (_, file) = kept(hooks, &[IP, "where is it"], &[IP, "where is it"]);
    assert!(file.contains("where is it") && !file.contains(IP), "{file}");
    let (remembered, file) = kept("HISTORY_IGNORE='*my ip*'", &[IP], &[IP]);
    assert_eq!(remembered, [IP], "zsh keeps it until it writes");
    assert!(!file.contains(IP), "{file}");
}

#[test]
fn accept_and_hold_brings_it_back_and_the_others_accept() {
    for (keys, comes_back) in [("\x1ba", true), ("\x18n", false), ("\x18o", false)] {
        let script = ip();
        let rc = "bindkey '^Xn' accept-and-infer-next-history '^Xo' accept-line-and-down-history";
        let mut scene = begun_on(&script, zsh(&script).rc(rc));
        scene.types(IP).sends(keys).prompt(3).shows("Ask your router.");
        scene.shows_line(if comes_back { "what's my ip|" } else { "|" });
        scene.presses(Key::Ctrl('u')).settles();
        assert_eq!(remembered(&mut scene), [IP]);
    }
}

#[test]
fn a_widget_of_somebody_elses_around_enter_changes_nothing() {
    // The wrapper runs a command for an empty line; prose must not look like one.
    let wrapper = "magic() { [[ -n $BUFFER ]] || BUFFER='echo magic'; zle .accept-line }; zle -N accept-line magic";
    let outer = "magic() { [[ -n $BUFFER ]] || BUFFER='echo magic'; zle old-accept }; zle -A accept-line old-accept; \
                 zle -N accept-line magic";
    for stage in [Setup::rc_before as fn(Setup, &str) -> Setup, Setup::rc_after] {
        let script = ip();
        let mut scene = begun_on(&script, stage(zsh(&script), wrapper));
        scene.types(IP).presses(Key::Enter).prompt(3).screen_is("2> what's my ip\nAsk your router.\n3> ▮");
        scene.presses(Key::Enter).prompt(4).shows("\nmagic\n");
    }
    let script = ip();
    let mut scene = begun_on(&script, zsh(&script));
    scene.sends(&format!("{outer}\r")).prompt(3).settles().presses(Key::Ctrl('l')).settles();
    scene.types(IP).presses(Key::Enter).prompt(4).screen_is("3> what's my ip\nAsk your router.\n4> ▮");
}

#[test]
fn a_widget_that_goes_around_us_is_noticed_at_the_end_of_the_line() {
    let script = ip();
    let rc = "mine() { zle .accept-line }; zle -N mine; bindkey '^Xm' mine";
    let mut scene = begun_on(&script, zsh(&script).rc(rc));
    let told = |script: &crate::harness::scripted_daemon::ScriptedDaemon| {
        script
            .told("hello")
            .iter()
            .rev()
            .find_map(|fields| fields[9].lines().find_map(|fact| fact.strip_prefix("enter=").map(str::to_owned)))
    };
    assert_eq!(told(&script).as_deref(), Some("wrapped"));
    scene.types(IP).sends("\x18m").prompt(3).screen_is("2> what's my ip\nAsk your router.\n3> ▮");
    script.waits("the fact", |script| told(script).as_deref() == Some("bypassed"));
    assert_eq!(remembered(&mut scene), [IP]);
    script.waits("the fact", |script| told(script).as_deref() == Some("wrapped"));
}

#[test]
fn beside_zsh_autosuggestions_and_a_highlighter() {
    for rc in [AUTOSUGGESTIONS, HIGHLIGHTING] {
        for stage in [Setup::rc_before as fn(Setup, &str) -> Setup, Setup::rc_after] {
            for mode in ["replace", "yield"] {
                let script = script().sets("autosuggestions", mode).takes(IP);
                let script = script.says(IP, &[ProseReply::done(&["Ask your router."]).proposes("echo router")]);
                let mut scene = begun_on(&script, stage(zsh(&script), rc));
                scene.runs("true");
                scene.presses(Key::Ctrl('l')).settles();
                scene.types(IP).presses(Key::Enter).prompt(4);
                scene.screen_is("3> what's my ip\nAsk your router.\n4> ▮‹echo router›");
                let spans = scene.screen().spans(0);
                assert!(spans.iter().all(|span| span.style.fg == vt100::Color::Default), "{spans:?}");
                scene.presses(Key::Right).shows_line("echo router|").presses(Key::Enter).prompt(5).shows("\nrouter");
                assert_eq!(remembered(&mut scene), [IP, "echo router"]);
            }
        }
    }
}

#[test]
fn in_vi_mode_sentences_are_the_same() {
    let script = script().takes(IP).says(IP, &[ProseReply::done(&["Ask your router."]).proposes("echo router")]);
    let mut scene = begun_on(&script, zsh(&script).rc("bindkey -v"));
    scene.types(IP).presses(Key::Esc).settles().presses(Key::Enter).prompt(3);
    scene.screen_is("2> what's my ip\nAsk your router.\n3> ▮‹echo router›");
    scene.presses(Key::Tab).shows_line("echo router|");
}
