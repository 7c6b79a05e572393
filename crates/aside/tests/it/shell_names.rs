//! What a shell reports about itself: names, in small parts, while it is idle, and never the value of a variable.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::harness::home::Home;
use crate::harness::keys::Key;
use crate::harness::scene::Scene;
use crate::harness::scripted_daemon::ScriptedDaemon;

/// The names of one kind as a daemon assembles them, and the number of parts.
fn told(script: &ScriptedDaemon, kind: &str) -> (BTreeSet<String>, usize) {
    let mut names = BTreeSet::new();
    let mut parts = 0;
    for fields in script.told("names").iter().filter(|fields| fields[3] == kind) {
        let part: usize = fields[4].parse().unwrap();
        if part == 0 {
            names.clear();
            parts = 0;
        }
        assert_eq!(part, parts, "parts come in order");
        assert!(fields[5].chars().count() <= 2000, "{} characters in one part", fields[5].len());
        parts += 1;
        names.extend(fields[5].lines().map(str::to_owned));
    }
    (names, parts)
}

/// Named directories are reported last.
#[track_caller]
fn hears_all(script: &ScriptedDaemon, scene: &mut Scene) {
    script.is_told(scene, "the directories", |script| told(script, "directory").0.contains("proj=/srv/project"));
}

const RC: &str = "alias gst='git status' multi=$'one\\ntwo' -g L='| less'; hash -d proj=/srv/project\n\
                  mkcd() { mkdir $1; cd $1 }; _hidden() { : }; .dotted() { : }; precmd() { : }\n\
                  export SECRET_TOKEN=hunter2; _private=1; for n in {1..300}; do functions[some_function_$n]=:; done";

#[test]
fn a_shell_tells_its_names_where_lines_begin() {
    let script = ScriptedDaemon::new();
    let mut scene = Scene::zsh().scripted(&script).rc(RC).start();
    hears_all(&script, &mut scene);
    let (aliases, _) = told(&script, "alias");
    for alias in ["gst=git status", "multi=one; two", "L=| less"] {
        assert!(aliases.contains(alias), "{alias}: {aliases:?}");
    }
    let (functions, parts) = told(&script, "function");
    assert!(functions.contains("mkcd") && functions.contains("aside-off") && parts > 1, "{parts}: {functions:?}");
    assert_eq!(functions.iter().filter(|name| name.starts_with("some_function_")).count(), 300);
    for hidden in ["_hidden", ".dotted", "precmd", "TRAPINT", "aside-apply"] {
        assert!(!functions.contains(hidden), "{hidden}");
    }
    let (variables, _) = told(&script, "variable");
    assert!(variables.contains("SECRET_TOKEN") && variables.contains("HOME"), "{variables:?}");
    for hidden in ["_private", "field", "record", "names", "kind"] {
        assert!(!variables.contains(hidden), "{hidden}");
    }
    assert!(told(&script, "builtin").0.contains("cd"));
    let all: Vec<String> = script.told("names").concat();
    assert!(!all.iter().any(|field| field.contains("hunter2")), "a value got out");
}

#[test]
fn only_what_changed_is_told_again() {
    let script = ScriptedDaemon::new();
    let mut scene = Scene::zsh().scripted(&script).rc(RC).start();
    hears_all(&script, &mut scene);
    scene.runs("true");
    scene.settles();
    let before = script.told("names").len();
    scene.runs("true");
    scene.settles();
    assert_eq!(script.told("names").len(), before);
    scene.runs("alias new='ls -l'");
    script.is_told(&mut scene, "the new alias", |script| told(script, "alias").0.contains("new=ls -l"));
    scene.settles();
    assert!(script.told("names")[before..].iter().all(|fields| fields[3] == "alias"));
}

#[test]
fn names_never_stand_in_the_way_of_a_question() {
    let script = ScriptedDaemon::new().knows("git st|", &["git status"]);
    let mut scene = Scene::zsh().scripted(&script).rc(RC).start();
    scene.types("git st").shows_ghost("git st|atus").presses(Key::Tab).shows_line("git status|");
    hears_all(&script, &mut scene);
}

#[test]
fn where_it_looks_for_programs_is_told_first_and_again_when_it_changes() {
    let script = ScriptedDaemon::new();
    let mut scene = Scene::zsh().scripted(&script).rc("path+=(/opt/one)").start();
    script.is_told(&mut scene, "its PATH", |script| !script.told("names").is_empty());
    assert_eq!(script.told("names")[0][3], "path");
    let last =
        |script: &ScriptedDaemon| script.told("names").iter().rfind(|fields| fields[3] == "path").unwrap()[5].clone();
    assert!(last(&script).ends_with("\n/opt/one"), "{}", last(&script));
    scene.runs("path=(/opt/two $path)");
    script.waits("the new one, before anything is typed", |script| last(script).starts_with("/opt/two\n"));
}

#[test]
fn a_program_that_only_this_shell_can_find_is_offered() {
    let make =
        "mkdir ~/tools; print '#!/bin/sh' >~/tools/frobnicate-it; chmod +x ~/tools/frobnicate-it; path+=(~/tools)";
    let mut scene = Scene::zsh().rc_after(make).start();
    scene.types("frob").shows_ghost("frob|nicate-it");
}

/// `gs` is also how `gsettings` begins, which a machine may have.
#[test]
fn names_of_the_shell_are_known_at_the_first_prompt() {
    let make = "mkdir ~/tools; for name in gstreamer-run frobber-tool; do print '#!/bin/sh' >~/tools/$name; \
                chmod +x ~/tools/$name; done; path+=(~/tools); alias gstr='git status -sb'; frobber() { : }
                for n in {1..300}; do alias some_alias_$n='echo of some length'; functions[some_function_$n]=:; done";
    for name in ["gstr", "frobber"] {
        let mut scene = Scene::zsh().rc_after(make).start();
        scene.types(name).stays_without_ghost(Duration::from_millis(700));
        scene.types("-r").presses(Key::Backspace).presses(Key::Backspace).shows_line(&format!("{name}|"));
    }
    let mut scene = Scene::zsh().rc_after(make).start();
    scene.types("gstre").shows_ghost("gstre|amer-run");
}

#[test]
fn names_are_told_before_the_first_question() {
    let script = ScriptedDaemon::new().knows("mk|", &["mkfs"]);
    let mut scene = Scene::zsh().scripted(&script).rc(RC).start();
    scene.types("mk").shows_ghost("mk|fs");
    assert!(told(&script, "alias").0.contains("gst=git status"));
    let (functions, _) = told(&script, "function");
    assert_eq!(functions.iter().filter(|name| name.starts_with("some_function_")).count(), 300);
}

/// The daemon sometimes checks the settings before it replies; a message sent later must not overtake an earlier one.
#[test]
fn what_a_shell_tells_is_heard_in_its_order() {
    let home = Home::new();
    home.aside_does(&["daemon", "start"]);
    for number in 0..24 {
        let (session, mut wire) = (format!("zsh-1-{number}"), home.wire());
        wire.sends_record(&["1", "hello", "1", env!("CARGO_PKG_VERSION"), "zsh", "5.9", &session, "1", "", "", "0"]);
        wire.sends_record(&["2", "names", &session, "builtin", "0", "cd"]);
        wire.sends_record(&["3", "names", &session, "function", "0", "other"]);
        wire.sends_record(&["4", "names", &session, "function", "1", "frobnicate"]);
        for _ in 0..4 {
            wire.reads_record();
        }
        let found = wire.record(&["5", "complete", &session, "/", "frobn", "", "", "0", "1", "0", "0", "1"]);
        assert!(found.contains(&"frobnicate".to_owned()), "{number}: {found:?}");
        std::thread::sleep(Duration::from_millis(100));
    }
}
