//! Widgets of zsh and of the user on the keys that Aside takes: they behave, and see the names, that they do without it.

use std::time::Duration;

use rustix::process::Signal;

use crate::harness::keys::Key;
use crate::harness::scene::Scene;
use crate::harness::scripted_daemon::ScriptedDaemon;
use crate::harness::setup::Setup;

/// Longer than a reply takes, short enough to wait for.
const A_WHILE: Duration = Duration::from_millis(150);

fn zsh() -> Setup {
    Scene::zsh().history(&["git stash pop", "git status --short"])
}

/// Records what a widget of the user sees. `^Xp` does so after a key that has a builtin widget.
const SAY: &str = r#"
say() { print -r -- "$WIDGET|$LASTWIDGET|${(V)KEYS}|${NUMERIC-}|$*" >>~/said }
zle -N probe say; bindkey '^Xp' probe; bindkey -a '^Xp' probe
"#;

/// Widgets of the user: some with the name of a builtin one, others on keys that Aside takes.
const THEIRS: &str = r#"
named() { say "$@"; zle .$WIDGET }
for w in end-of-line forward-word bracketed-paste accept-line; do zle -N $w named; done
for w in up down tab right left; do zle -N their-$w say; done
bindkey '^[[A' their-up '^[OA' their-up '^P' their-up '^[[B' their-down '^[OB' their-down '^N' their-down '^I' their-tab
bindkey '^[[1;2C' their-right '^[[1;2D' their-left
outer() { zle their-up; zle end-of-line; zle their-tab }; zle -N outer; bindkey '^Xo' outer
"#;

#[test]
fn a_widget_sees_the_names_keys_and_count_that_it_sees_without_us() {
    let mut keys = vec![
        "\x06",
        "\x05",
        "\x1bf",
        "\x1b[C",
        "\x1b[A",
        "\x1b[B",
        "\x10",
        "\x0e",
        "\t",
        "\x1b[200~a\x1b[201~",
        "\x18o",
    ];
    // Without a binding, zsh inserts a part of these.
    let arrows = ["\x1b[1;2C", "\x1b[1;2D"];
    let said = |stage: Setup, rc: &str, keys: &[&str]| {
        let mut scene = stage.rc(SAY).rc(rc).start();
        scene.types("git st").settles().sends("\x15").settles();
        for count in ["", "\x1b3"] {
            for key in keys {
                scene.settles().sends(&format!("{count}{key}\x18p")).settles();
            }
        }
        scene.sends("\x15true\r").prompt(2);
        scene.home.read("said")
    };
    for rc in ["", THEIRS, "bindkey -v", "bindkey -v\nzle -N vi-forward-char say; zle -N vi-end-of-line say"] {
        if rc == THEIRS {
            keys.extend(arrows);
        }
        assert_eq!(said(zsh(), rc, &keys), said(zsh().without_aside(), rc, &keys), "{rc}");
        keys.retain(|key| !arrows.contains(key));
    }
}

#[test]
fn a_pasted_text_is_not_run_by_a_widget_that_calls_the_builtin_by_its_name() {
    let magic = "autoload -Uz bracketed-paste-url-magic; zle -N bracketed-paste bracketed-paste-url-magic";
    for rc in [magic, "my-paste() { zle .$WIDGET }; zle -N bracketed-paste my-paste"] {
        let mut scene = zsh().rc(rc).start();
        scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
        scene.pastes("true 1\ntrue 2").shows_line("true 1\ntrue 2|").presses(Key::CtrlC).prompt(2);
        assert!(!scene.screen().contains("No such widget"), "{}", scene.screen().text());
    }
}

#[test]
fn a_search_that_follows_itself_goes_on_where_it_was() {
    let rc = "autoload -Uz history-search-end; zle -N history-beginning-search-backward-end history-search-end
              bindkey '^[[A' history-beginning-search-backward-end '^[OA' history-beginning-search-backward-end";
    let mut scene = zsh().rc(rc).start();
    scene.types("git s").shows_ghost("git s|tatus --short").sends("\x1b[A").shows_line("git status --short|");
    scene.sends("\x1b[A").shows_line("git stash pop|");
}

#[test]
fn a_menu_of_the_shell_knows_the_motions() {
    let rc = "autoload -Uz compinit; compinit -D; zmodload zsh/complist; zstyle ':completion:*' menu select";
    let line = |stage: Setup, key: &str| {
        let stage = ["aa1", "aa2", "aa3", "aa4"].iter().fold(stage, |stage, name| stage.file(name, ""));
        let mut scene = stage.rc(rc).start();
        scene.types("git st").settles().presses(Key::Ctrl('u')).types("cat aa").settles();
        scene.sends("\t").shows("aa4").sends("\t").settles().sends(key).settles().sends(key).settles();
        scene.screen().text()
    };
    for key in ["\x06", "\x05", "\x1b[C", "\x1bf"] {
        assert_eq!(line(zsh(), key), line(zsh().without_aside(), key), "{key:?}");
    }
}

#[test]
fn keys_next_to_each_other_with_the_same_widget_keep_it() {
    let rc = "bindkey '^T' forward-char '^U' forward-char";
    let keys = |stage: Setup| {
        let mut scene = stage.rc(rc).start();
        scene.types("git st").settles().presses(Key::CtrlC).prompt(2);
        scene.runs("bindkey | grep -e '\\^T' -e forward-char")
    };
    assert_eq!(keys(zsh()), keys(zsh().without_aside()));
}

#[test]
fn aside_off_leaves_copies_of_a_keymap_and_later_keys_alone() {
    let mut scene = zsh().start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    scene.runs("bindkey -N mine emacs; bindkey '^[[F' end-of-line; bindkey '^[[1;5C' forward-word");
    scene.runs("aside-off");
    assert_eq!(scene.runs("for m in ${(f)\"$(bindkey -l)\"}; do bindkey -M $m; done | grep -c aside"), "0");
    assert_eq!(scene.runs("bindkey '^[[F'; bindkey '^[[1;5C'"), "\"^[[F\" end-of-line\n\"^[[1;5C\" forward-word");
    scene.runs("bindkey -A mine main");
    assert_eq!(scene.runs("print alive"), "alive");
}

#[test]
fn a_key_that_breaks_the_line_off_leaves_nothing_of_ours() {
    for (rc, key) in [("", "\x07"), ("stty intr undef; bindkey '^C' send-break", "\x03")] {
        let script = ScriptedDaemon::new().knows("git st|", &["git status --short", "git stash pop"]);
        let mut scene = Scene::zsh().scripted(&script).rc(rc).start();
        scene.types("git st").shows("navigate").sends(key).prompt(2).screen_is("1> git st\n2>");
        assert_eq!(scene.runs("print alive"), "alive");
    }
}

#[test]
fn a_line_that_a_widget_reads_within_the_line_has_no_ghost_of_the_other() {
    let rc = "ask() { local BUFFER_WAS=$BUFFER; BUFFER=; zle recursive-edit; BUFFER=$BUFFER_WAS }; zle -N ask; bindkey '^Xa' ask";
    let mut scene = zsh().rc(rc).start();
    scene.types("git st").shows_ghost("git st|atus --short").sends("\x18a").settles();
    scene.sends("zz").shows("1> zz").stays_without_ghost(A_WHILE);
    assert!(!scene.screen().contains("atus"), "{}", scene.screen().text());
}

#[test]
fn keys_that_were_bound_anew_at_the_prompt_are_ours_at_the_next() {
    for line in ["bindkey -d; bindkey -e", "for w in accept-line forward-char expand-or-complete; zle -A .$w $w"] {
        let script = ScriptedDaemon::new().knows("git st|", &["git status --short", "git stash pop"]);
        let mut scene = Scene::zsh().scripted(&script).start();
        scene.types("git st").shows("apply").presses(Key::Ctrl('u'));
        scene.runs(line);
        scene.types("git st").shows("apply").presses(Key::ShiftRight).shows("(2/2)").presses(Key::Tab);
        scene.shows_line("git stash pop|").presses(Key::Ctrl('u'));
    }
}

#[test]
fn a_tab_that_is_not_ours_is_not_promised() {
    for line in ["bindkey -s '^I' T", "bindkey '^I' mine"] {
        let script = ScriptedDaemon::new().knows("git st|", &["git status --short", "git stash pop"]);
        let mut scene = Scene::zsh().scripted(&script).rc("mine() { LBUFFER+=M }; zle -N mine").start();
        scene.types("git st").shows("apply").presses(Key::Ctrl('u'));
        scene.runs(line);
        scene.types("git st").shows("navigate");
        let text = scene.screen().text();
        assert!(!text.contains("apply"), "{text}");
    }
}

#[test]
fn a_negative_count_moves_back_and_takes_nothing() {
    let mut scene = zsh().start();
    scene
        .types("git st")
        .shows_ghost("git st|atus --short")
        .sends("\x1b-\x06")
        .settles()
        .types("x")
        .shows_line("git sx|t");
}

#[test]
fn a_prompt_that_is_drawn_again_where_a_line_begins_says_what_is_open() {
    let rc = "PS2='%_> '; again() { zle reset-prompt }; zle -N zle-line-init again";
    for order in [Setup::rc_before, Setup::rc_after] {
        let mut scene = order(zsh(), rc).start();
        scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
        scene.types("for i in 1").presses(Key::Enter).shows("for>");
        scene.sends("do\r").wait_for("the second", |screen| screen.text().matches("for>").count() == 2);
    }
}

#[test]
fn a_trap_that_goes_on_with_the_line_leaves_no_ghost_behind() {
    for trap in ["trap 'print -n caught' INT", "TRAPINT() { print -n caught; return 0 }", "trap 'print caught' INT"] {
        let screen = |stage: Setup| {
            let mut scene = stage.rc(trap).start();
            scene.types("git st").settles();
            std::thread::sleep(A_WHILE);
            scene.sends("\x03").shows("caught").settles().types("x").settles().types("y").settles();
            scene.screen().text()
        };
        assert_eq!(screen(zsh()), screen(zsh().without_aside()), "{trap}");
    }
}

/// zsh that is about to read a reply when Ctrl-C comes watches what the trap has closed, without end: so the trap closes nothing.
#[test]
fn a_trap_that_goes_on_with_the_line_keeps_the_connection() {
    let rc = "TRAPINT() { print -n caught; return 0 }; look() { zle -M \"open $(( ${_aside_fd:-0} > 0 ))\" }; zle -N look; bindkey '^Xl' look";
    let mut scene = zsh().rc(rc).start();
    scene.types("git st").shows_ghost("git st|atus --short").settles();
    scene.sends("\x03").shows("caught").settles();
    scene.sends("\x18l").shows("open 1");
}

/// zsh asks whether to list all, and Ctrl-C says no. The line stays, also where something was drawn before.
#[test]
fn ctrl_c_at_a_question_of_the_shell_keeps_the_line() {
    let rc = "autoload -Uz compinit; compinit -u; LISTMAX=3; mkdir -p ~/many; touch ~/many/f{1..40}; git() { print $# }; compdef _files git";
    for prefix in ["cat many/", "git many/"] {
        let mut scene = zsh().rc(rc).start();
        scene.runs("cd ~");
        scene.types("git st").shows_ghost("git st|atus --short").settles();
        scene.presses(Key::Ctrl('u')).types(prefix).settles();
        scene.presses(Key::Tab).shows_line(&format!("{prefix}f|")).presses(Key::Tab).shows("do you wish to see");
        std::thread::sleep(A_WHILE);
        scene.sends("\x03").shows_line(&format!("{prefix}f|"));
        std::thread::sleep(A_WHILE);
        scene.types("7").settles().presses(Key::Enter).settles();
        let screen = scene.screen().text();
        assert!(screen.contains(&format!("{prefix}f7")), "{screen}");
    }
}

/// Nothing is drawn while an answer is on its way, so there is no trap that Ctrl-C could reach.
#[test]
fn ctrl_c_drops_an_answer_that_is_on_its_way() {
    let mut scene = zsh().start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    let daemon = crate::zsh::daemon(&scene);
    rustix::process::kill_process(daemon, Signal::STOP).unwrap();
    scene.runs("_aside_question 'how do I show the disk usage' ''");
    scene.sends("\x03").prompt(3);
    let kept = scene.runs("print -r -- \"[$_aside_query]\"");
    rustix::process::kill_process(daemon, Signal::CONT).unwrap();
    assert_eq!(kept, "[]");
    std::thread::sleep(A_WHILE);
    assert!(!scene.screen().contains("take"), "{}", scene.screen().text());
}
