//! Shift-↓, Shift-↑, Alt-I and Tab in bash and fish, against the real daemon: what they put into the line, what appears above it,
//! and that nothing runs before Enter.

use crate::harness::keys::Key;
use crate::harness::scene::Scene;
use crate::harness::setup::Setup;

pub const SHIFT_DOWN: &str = "\x1b[1;2B";
const SHIFT_UP: &str = "\x1b[1;2A";
const ALT_I: &str = "\x1bi";

/// A program that only the test's spec describes. It prints its arguments.
const FROB: &str = "#!/bin/sh\necho \"frobbed $*\"\n[ \"$1\" != strat ]\n";
const SPEC: &str = "about = 'frobs'\n[sub.start]\nabout = 'begins it'\n[sub.stop]\nabout = 'ends it'\n\
                    [sub.restart]\nabout = 'both'\n";
const PAST: [&str; 2] = ["ls -l", "frob start one"];

pub fn shells() -> [(&'static str, Setup); 3] {
    [("bash", Scene::bash()), ("bash, vi", Scene::bash().rc("set -o vi")), ("fish", fish())]
}

/// Without fish's own autosuggestions, which would be read as part of the line.
pub fn fish() -> Setup {
    Scene::fish().rc("set -g fish_autosuggestion_enabled 0")
}

fn prepared(stage: Setup) -> Setup {
    let own = stage.path("bin");
    let path = format!("{own}:{}", std::env::var("PATH").unwrap_or_default());
    let aside = std::path::Path::new(crate::harness::home::ASIDE).parent().unwrap().display().to_string();
    stage
        .env("PATH", &format!("{aside}:{path}"))
        .file("bin/frob", FROB)
        .file(".config/aside/specs/frob.toml", SPEC)
        .history(&PAST)
}

/// With a daemon that has read everything.
#[track_caller]
pub fn begun(stage: Setup) -> Scene {
    let scene = prepared(stage).start();
    assert_eq!(scene.home.aside_does(&["daemon", "start"]).code, 0);
    let knows = || scene.home.aside(&["complete", "--shell", "bash", "--", "frob star"]).stdout;
    let deadline = std::time::Instant::now() + crate::harness::patience();
    while !knows().contains("frob start one") {
        assert!(std::time::Instant::now() < deadline, "the daemon knows {}", knows());
    }
    scene
}

/// Presses Tab until the daemon replies in time: a shell does not wait for a slow daemon, and on a loaded machine it is slow.
#[track_caller]
pub fn tab_makes(scene: &mut Scene, wanted: &str) {
    let deadline = std::time::Instant::now() + crate::harness::patience();
    while !scene.sends("\t").settles().screen().text().contains(wanted) {
        assert!(std::time::Instant::now() < deadline, "Tab makes no {wanted}:\n{}", scene.screen().text());
    }
}

#[test]
fn lines_come_one_after_the_other_and_what_was_typed_comes_back() {
    for (shell, stage) in shells() {
        let mut scene = begun(stage);
        scene.types("frob st").sends(SHIFT_DOWN).shows("ends it").shows_line("frob start one|");
        scene.settles();
        let screen = scene.screen().text();
        assert!(!screen.contains("frobbed"), "{shell} ran it:\n{screen}");
        scene.sends(SHIFT_DOWN).shows_line("frob stop|");
        scene.sends(SHIFT_UP).shows_line("frob start one|");
        scene.sends(SHIFT_UP).shows_line("frob st|");
        // Browsing wraps around, and the result is an ordinary line.
        scene.sends(SHIFT_UP).shows_line("frob stop|");
        scene.sends(SHIFT_DOWN).shows_line("frob st|");
        scene
            .sends(SHIFT_DOWN)
            .shows_line("frob start one|")
            .types("!")
            .sends("\r")
            .shows("frobbed start one!")
            .prompt(2);
        assert_eq!(scene.runs("echo what now"), "what now", "{shell}");
    }
}

#[test]
fn the_next_command_comes_into_the_empty_line() {
    for key in [SHIFT_DOWN, "\t"] {
        for (shell, stage) in shells() {
            let mut scene = begun(stage);
            scene.runs("frob strat one");
            scene.sends(key).shows_line("frob start one|");
            scene.settles();
            assert!(!scene.screen().text().contains("frobbed start"), "{shell} ran it");
            scene.sends("\r").shows("frobbed start one").prompt(3);
        }
    }
}

#[test]
fn other_commands_for_a_request_are_a_key_away() {
    for (shell, stage) in shells() {
        let mut scene = stage.file("a.log", "kept\n").start();
        scene.types("? delete all log files").sends("\r").shows("careful, it deletes").shows("or: rm");
        scene.settles();
        let text = scene.screen().text();
        let other = text.lines().find_map(|line| line.strip_prefix("or: ")).unwrap();
        let other = other.split("   (").next().unwrap().trim_end().to_owned();
        scene.sends(SHIFT_DOWN).shows_line(&format!("{other}|"));
        scene.sends(SHIFT_UP).sends(SHIFT_UP).shows_line("? delete all log files|");
        scene.sends("\x15");
        // The key triggers a query too.
        scene.types("? find files larger than 100MB").sends(SHIFT_DOWN).shows("> find . -type f -size +100M");
        scene.sends("\x15");
        assert_eq!(scene.runs("cat a.log"), "kept", "{shell}");
    }
}

#[test]
fn a_line_is_explained_and_stays() {
    for (shell, stage) in [("bash", Scene::bash()), ("fish", Scene::fish())] {
        let mut scene = stage.start();
        scene.types("tar -czf src.tar.gz src").sends(ALT_I).shows("-czf").shows("> tar -czf src.tar.gz src");
        scene.settles();
        assert!(scene.screen().text().contains("archive"), "{shell}: {}", scene.screen().text());
        scene.sends("\x15");
        assert_eq!(scene.runs("echo well"), "well", "{shell}");
    }
}

#[test]
fn tab_completes_what_nothing_else_completes() {
    for (shell, stage) in shells() {
        let mut scene = begun(stage);
        // In fish a second Tab would already select.
        scene.types("frob st").sends(if shell == "fish" { "\t" } else { "\t\t" }).shows("start").shows("stop");
        scene.types("o").sends("\t").shows_line("frob stop |");
        scene.types("now").sends("\r").shows("frobbed stop now").prompt(2);
        // Files are completed as usual.
        scene.runs("touch unusual-name");
        scene.types("cat unus").sends("\t").shows("cat unusual-name");
        scene.sends("\x15");
        assert_eq!(scene.runs("echo what now"), "what now", "{shell}");
    }
}

#[test]
fn tab_completes_a_name_that_ran_before() {
    for (shell, stage) in shells() {
        let mut scene = begun(stage);
        scene.runs("frob stop");
        crate::bash::recorded(&scene.home, 1);
        scene.types("frob sto");
        tab_makes(&mut scene, "frob stop");
        assert!(!scene.screen().text().contains("frobbed stop\nfrobbed"), "{shell} ran it");
    }
}

#[test]
fn completions_of_yours_come_first() {
    let mut scene = begun(Scene::bash().rc("complete -W 'mine only' frob"));
    scene.types("frob o").sends("\t").shows_line("frob only |");
    scene.sends("\x15");
    let mut scene = begun(fish().rc("complete -c frob -f -a 'mine only'"));
    scene.types("frob o").sends("\t").shows_line("frob only |").sends("\x15");
    scene.types("frob r").sends("\t").settles();
    scene.shows_line("frob r|");
}

#[test]
fn whoever_loads_completions_when_they_are_needed_is_asked_first() {
    let rc = "loads() { [[ $1 == frob ]] && return 1; complete -W 'loaded later' -- \"$1\" && return 124; }\n\
              complete -D -F loads -o bashdefault -o default";
    let mut scene = begun(Scene::bash().rc(rc));
    scene.types("other load").sends("\t").shows_line("other loaded |").sends("\x15");
    scene.types("frob sto").sends("\t").shows_line("frob stop |").sends("\x15");
    scene.types("cat bi").sends("\t").shows("cat bi");
}

#[test]
fn bash_completion_keeps_what_it_knows() {
    const FILE: &str = "/usr/share/bash-completion/bash_completion";
    if !std::path::Path::new(FILE).exists() {
        return;
    }
    for after in [false, true] {
        let load = format!("source {FILE}");
        let stage = if after { Scene::bash().rc_after(&load) } else { Scene::bash().rc(&load) };
        let mut scene = begun(stage);
        scene.types("frob sto").sends("\t").shows_line("frob stop |").sends("\x15");
        scene.types("frob unus").sends("\t").shows_line("frob unus|").sends("\x15");
        scene.runs("touch unusual-name");
        scene.types("frob unus").sends("\t").shows_line("frob unusual-name |").sends("\x15");
        scene.types("kill -KI").sends("\t").shows("kill -KILL");
    }
}

#[test]
fn keys_of_yours_stay_yours() {
    let rc = r#"bind '"\e[1;2B": "mine"'; bind '"\ei": "too"'; bind -x '"\e[1;2A": echo up'"#;
    let mut scene = begun(Scene::bash().rc_after(rc));
    scene.types("frob sta").sends(SHIFT_DOWN).shows_line("frob stamine|").sends(ALT_I).shows_line("frob staminetoo|");
    scene.sends(SHIFT_UP).shows("up\n");
    let rc = r"bind \e\[1\;2B 'commandline -i mine'; bind \ei 'commandline -i too'";
    let mut scene = begun(fish().rc_after(rc));
    scene.types("frob sta").sends(SHIFT_DOWN).shows_line("frob stamine|").sends(ALT_I).shows_line("frob staminetoo|");
}

#[test]
fn without_a_daemon_the_keys_are_silent() {
    for (shell, stage) in shells() {
        let mut scene = begun(stage);
        scene.home.aside_does(&["daemon", "stop"]);
        scene.types("frob sta").sends(SHIFT_DOWN).sends(SHIFT_UP).types("y").shows_line("frob stay|");
        scene.sends("\t").types("s").sends("\r").shows("frobbed stays").prompt(2);
        assert!(!scene.screen().text().contains("aside"), "{shell}: {}", scene.screen().text());
    }
}

#[test]
fn lines_of_other_letters_are_not_torn() {
    for (shell, stage) in shells() {
        let mut scene = begun(stage);
        scene.types("frob größe").presses(Key::Left).presses(Key::Left).sends(SHIFT_DOWN);
        scene.settles();
        scene.shows_line("frob grö|ße").types("x");
        scene.shows_line("frob gröx|ße").sends("\r").shows("frobbed gröxße").prompt(2);
        assert_eq!(scene.runs("echo on"), "on", "{shell}");
    }
}

#[test]
fn what_stands_above_the_line_leaves_a_prompt_of_two_rows_alone() {
    let bash = "PROMPT_COMMAND+='; PS1=\"above\\n$_scene_number> \"'";
    let rows = "function fish_prompt; echo above; echo -n \"$_scene_number> \"; end";
    for (shell, stage) in [("bash", Scene::bash().rc(bash)), ("fish", fish().rc_after(rows))] {
        let mut scene = begun(stage);
        scene.types("frob st").sends(SHIFT_DOWN).shows_line("frob start one|").shows("frob stop       ends it");
        scene.settles();
        scene.sends(SHIFT_DOWN).shows_line("frob stop|").sends("\r").shows("frobbed stop").prompt(2);
        let text = scene.screen().text();
        let last = text.trim_end().lines().rev().take(2).collect::<Vec<_>>();
        assert_eq!((last[0].trim_end(), last[1].trim_end()), ("2>", "above"), "{shell}:\n{text}");
        assert!(text.contains("ends it"), "{shell}:\n{text}");
    }
}

#[test]
fn fishs_own_grey_text_does_not_stay_on_the_screen() {
    let mut scene = Scene::fish().history(&["echo one two three"]).start();
    scene.types("echo one").shows("echo one two three").sends(ALT_I).shows("echo").settles();
    scene.wait_for("the line above the note, without the grey text", |screen| {
        let text = screen.text();
        let first = text.lines().next().unwrap_or_default();
        text.lines().count() > 1 && first.trim_end() == "1> echo one"
    });
}

#[test]
fn keys_of_vi_in_a_running_fish_keep_ours() {
    let mut scene = fish().rc("function fish_mode_prompt; end").start();
    scene.runs("fish_vi_key_bindings");
    scene.types("? find files larger than 100MB").sends("\r").shows("> find . -type f -size +100M").sends("\x15");
    scene.types("frob st").sends(SHIFT_DOWN).settles();
}

#[test]
fn a_socket_below_a_file_is_silent() {
    for (shell, stage) in shells() {
        let socket = format!("{}/socket", stage.path("file"));
        let mut scene = stage.file("file", "").env("ASIDE_SOCKET", &socket).start();
        scene.runs("echo one");
        scene.types("? find files larger than 100MB").sends("\r").settles().sends("\x15");
        scene.sends(SHIFT_DOWN).settles();
        let text = scene.screen().text();
        assert!(!text.contains("Not a directory") && !text.contains("not a directory"), "{shell}:\n{text}");
        assert_eq!(scene.runs("echo on"), "on", "{shell}");
    }
}

#[test]
fn keys_of_bash_follow_a_change_to_vi_and_back() {
    let mut scene = begun(Scene::bash());
    scene.runs("set -o vi");
    scene.types("frob st").sends(SHIFT_DOWN).shows_line("frob start one|");
    scene.sends("\x15").settles();
    scene.runs("set -o emacs");
    scene.types("frob st").sends(SHIFT_DOWN).shows_line("frob start one|");
}
