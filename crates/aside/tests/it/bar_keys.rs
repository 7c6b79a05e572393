//! The keys of the bar next to other bindings: Tab bindings of other plugins, menus, vi mode, tmux, terminals without grey text. Each
//! key keeps its earlier meaning while nothing is shown.

use std::time::Duration;

use vt100::Color;

use crate::harness::keys::Key;
use crate::harness::scene::Scene;
use crate::harness::scripted_daemon::ScriptedDaemon;
use crate::harness::setup::Setup;

const A_WHILE: Duration = Duration::from_millis(150);

const AUTOSUGGESTIONS: &str = "source /usr/share/zsh-autosuggestions/zsh-autosuggestions.zsh";
const HIGHLIGHTING: &str = "source /usr/share/zsh-syntax-highlighting/zsh-syntax-highlighting.zsh";

/// Like fzf-tab: its own widget on Tab, which relies on the user's options and calls the previous binding.
const TAB_PLUGIN: &str = "setopt extended_glob; _was=${$(bindkey '^I')##* }\n\
     tab-plugin() { [[ ABC == (#i)abc ]] && LBUFFER+=\"<$WIDGET\"; [[ $_was == _aside* ]] && zle $_was; LBUFFER+='>' }\n\
     zle -N tab-plugin; bindkey '^I' tab-plugin";

const COMPLETION: &str =
    "autoload -Uz compinit; compinit -u; mkdir -p ~/d/dirone ~/d/dirtwo; cd ~/d; zstyle ':completion:*' menu no";

fn git() -> ScriptedDaemon {
    ScriptedDaemon::new().knows("git st|", &["git status --short", "git stash pop"])
}

fn zsh(script: &ScriptedDaemon) -> Setup {
    Scene::zsh().scripted(script)
}

#[test]
fn tab_completes_as_ever_when_nothing_is_shown() {
    let script = git();
    let mut scene = zsh(&script).rc(COMPLETION).start();
    scene.types("ls di").presses(Key::Tab).shows_line("ls dir|").presses(Key::Tab).shows("dirone/  dirtwo/");
    scene.types("o").presses(Key::Tab).shows_line("ls dirone/|");
    scene.presses(Key::Ctrl('u')).types("git st").shows_ghost("git st|atus --short");
    scene.presses(Key::Tab).shows_line("git status --short|");
}

#[test]
fn a_menu_goes_on_with_each_tab_and_back_with_shift_tab() {
    let known = &["ls dirone/ -l", "ls dirone/ -a"];
    for style in ["yes", "yes select"] {
        let script = ScriptedDaemon::new().knows("ls dirone/|", known).knows("ls dir|", known);
        let rc = format!(
            "{COMPLETION}; zmodload zsh/complist; zstyle ':completion:*' menu {style}\n\
             bindkey '^[[Z' reverse-menu-complete"
        );
        let mut scene = zsh(&script).rc(&rc).start();
        script.is_followed(&mut scene);
        scene.types("ls di").presses(Key::Tab);
        scene.wait_for("the first", |screen| screen.row(0).contains("ls dirone/"));
        for _ in 0..2 {
            scene.presses(Key::Tab).wait_for("the second", |screen| screen.row(0).contains("ls dirtwo/"));
            scene.presses(Key::ShiftTab).wait_for("the first again", |screen| screen.row(0).contains("ls dirone/"));
        }
        assert!(!scene.screen().contains("(1/2)"), "{style}: {}", scene.screen().text());
    }
}

#[test]
fn a_completion_that_is_done_is_a_line_like_any_other() {
    let script = ScriptedDaemon::new().knows("ls dirone/|", &["ls dirone/ -l", "ls dirone/ -a"]);
    let mut scene = zsh(&script).rc(COMPLETION).start();
    script.is_followed(&mut scene);
    scene.types("ls diro").presses(Key::Tab).shows_ghost("ls dirone/| -l").shows("(1/2) ls dirone/ -l");
}

#[test]
fn a_plugin_on_tab_is_called_with_its_own_options_before_and_after_us() {
    for order in [Setup::rc_before, Setup::rc_after] {
        let script = git();
        let mut scene = order(zsh(&script), TAB_PLUGIN).start();
        script.is_followed(&mut scene);
        scene.types("x").presses(Key::Tab).shows_line("x<tab-plugin>|").presses(Key::Ctrl('u'));
        scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Tab).shows_line("git status --short|");
    }
}

#[test]
fn a_plugin_that_takes_tab_much_later_is_called_too_and_nobody_goes_round_in_circles() {
    let script = git();
    let mut scene = zsh(&script).file("plugin.zsh", TAB_PLUGIN).start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u')).runs("source ~/plugin.zsh");
    let knows = |fields: &Vec<String>| fields[3] == "function" && fields[5].contains("tab-plugin");
    script.is_told(&mut scene, "the plugin", |script| script.told("names").iter().any(knows));
    scene.types("echo x").presses(Key::Tab).shows_line("echo x<tab-plugin>|").presses(Key::Ctrl('u'));
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Tab).shows_line("git status --short|");
}

#[test]
fn tab_is_never_touched_when_told_so() {
    let script = git().sets("tab", "leave");
    let mut scene = zsh(&script).rc(COMPLETION).start();
    scene.types("git st").shows_ghost("git st|atus --short").shows("  [⇧]+[←/→] navigate");
    assert!(!scene.screen().contains("apply"), "{}", scene.screen().text());
    scene.presses(Key::Tab).settles().shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    assert_eq!(
        scene.runs("bindkey '^I'; bindkey -M viins '^I'"),
        "\"^I\" expand-or-complete\n\"^I\" expand-or-complete"
    );
    // Until the setting changes.
    script.clone().sets("tab", "take");
    scene.runs("true");
    scene.types("git st").shows("[↹] apply").presses(Key::Tab).shows_line("git status --short|");
}

#[test]
fn shift_tab_is_the_shells_own_completion() {
    let script = ScriptedDaemon::new().knows("ls di|", &["ls dix", "ls diy"]).knows("ls dir|", &["ls dirx", "ls diry"]);
    let mut scene = zsh(&script).rc(COMPLETION).start();
    scene.types("ls di").shows_ghost("ls di|x").shows("(1/2) ls dix");
    scene.presses(Key::ShiftTab).shows_line("ls dir|").presses(Key::ShiftTab).shows("dirone/  dirtwo/");
    // The completion list keeps the space below the line until the next change.
    scene.stays_without_ghost(A_WHILE).shows("dirone/  dirtwo/");
    assert!(!scene.screen().contains("(1/2)"), "{}", scene.screen().text());
    scene.presses(Key::Backspace).shows("(1/2) ls dix").shows_ghost("ls di|x");
}

#[test]
fn shift_tab_that_means_something_is_left_alone() {
    let script = git();
    let mut scene = zsh(&script).rc("hello() { BUFFER=hello; CURSOR=5 }; zle -N hello; bindkey '^[[Z' hello").start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::ShiftTab).shows_line("hello|");
}

#[test]
fn shift_and_an_arrow_do_what_they_did_when_nothing_is_shown() {
    let script = git();
    let rc = "left() { LBUFFER+=L }; right() { LBUFFER+=R }; zle -N left; zle -N right\n\
              bindkey '^[[1;2D' left; bindkey '^[[1;2C' right";
    let mut scene = zsh(&script).rc(rc).start();
    script.is_followed(&mut scene);
    scene.types("x").presses(Key::ShiftLeft).presses(Key::ShiftRight).shows_line("xLR|");
    scene.presses(Key::Ctrl('u')).types("git st").shows_ghost("git st|atus --short");
    scene.presses(Key::ShiftLeft).shows_ghost("git st|ash pop");
    // Where these keys were unbound, zsh inserted `;2D` into the line; now they do nothing.
    let again = git();
    let mut scene = zsh(&again).start();
    again.is_followed(&mut scene);
    scene.types("x").presses(Key::ShiftLeft).presses(Key::ShiftRight).types("y").shows_line("xy|");
}

#[test]
fn widgets_can_be_put_on_other_keys() {
    let rc = "bindkey '^Xn' aside-next '^Xp' aside-previous '^Xa' aside-apply '^Xd' aside-dismiss";
    for rc in [rc.to_owned(), format!("{rc}\n{AUTOSUGGESTIONS}")] {
        let script = git();
        let mut scene = zsh(&script).rc(&rc).start();
        scene.runs("true");
        scene.types("git st").shows_ghost("git st|atus --short").sends("\x18n").shows_ghost("git st|ash pop");
        scene.sends("\x18n").shows_ghost("git st|atus --short").sends("\x18p").shows_ghost("git st|ash pop");
        scene.sends("\x18d").shows_line("git st|").stays_without_ghost(A_WHILE);
        scene.types(" ").presses(Key::Backspace).shows_ghost("git st|atus --short");
        scene.sends("\x18a").shows_line("git status --short|");
        // The widgets are no-ops while nothing is shown.
        scene.sends("\x18n\x18p\x18a\x18d").settles().shows_line("git status --short|");
    }
}

#[test]
fn esc_before_a_letter_is_alt_as_ever() {
    let script = git();
    let mut scene = zsh(&script).start();
    scene.types("git st").shows_ghost("git st|atus --short").sends("\x1bf").shows_ghost("git status |--short");
}

#[test]
fn esc_alone_is_only_taken_while_something_is_shown() {
    let script = git();
    let mut scene = zsh(&script).start();
    scene.types("git st").shows_ghost("git st|atus --short");
    scene.sends("\x1b").shows_line("git st|").presses(Key::Ctrl('u')).types("one two").presses(Key::Home).settles();
    // With nothing to dismiss, Esc is a key prefix, however late the next key arrives.
    scene.sends("\x1b");
    std::thread::sleep(Duration::from_millis(600));
    scene.sends("f").shows_line("one |two");
    assert_eq!(scene.presses(Key::Ctrl('e')).presses(Key::Ctrl('u')).runs("bindkey '^['"), "\"^[\" undefined-key");
}

#[test]
fn esc_before_an_answer_is_a_prefix_as_ever() {
    let script = git();
    let mut scene = zsh(&script).start();
    scene.types("git st").shows_ghost("git st|atus --short");
    script.holds();
    scene.presses(Key::Backspace).presses(Key::Backspace).shows_line("git |").sends("\x1b");
    std::thread::sleep(Duration::from_millis(600));
    scene.sends("b").shows_line("|git ");
}

#[test]
fn esc_of_yours_dismisses_and_still_does_what_it_did() {
    let script = git();
    let rc = "mine() { zle -M called }; zle -N mine; bindkey '^[' mine";
    let mut scene = zsh(&script).rc(rc).start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Esc).shows("called").shows_line("git st|");
    scene.stays_without_ghost(A_WHILE);
}

#[test]
fn esc_dismisses_where_zsh_hardly_waits_for_the_rest_of_a_key() {
    let script = git();
    let mut scene = zsh(&script).rc("KEYTIMEOUT=1").start();
    scene.types("git st").shows_ghost("git st|atus --short");
    // The escape sequence of an arrow key arrives in two pieces.
    scene.sends("\x1b");
    std::thread::sleep(Duration::from_millis(60));
    scene.sends("[C").shows_line("git status --short|");
    scene.presses(Key::Ctrl('u')).types("git st").shows_ghost("git st|atus --short");
    scene.sends("\x1b").shows_line("git st|").stays_without_ghost(A_WHILE);
}

#[test]
fn in_vi_mode_esc_dismisses_and_leaves_insert_mode() {
    let script = git();
    let mut scene = zsh(&script).rc("bindkey -v; KEYTIMEOUT=1").start();
    scene.types("git st").shows_ghost("git st|atus --short").shows("(1/2)");
    scene.presses(Key::Esc).shows_line("git s|t").stays_without_ghost(A_WHILE);
    let asked = script.asked().len();
    scene.sends("0").shows_line("|git st").sends("w").shows_line("git |st").sends("A").shows_line("git st|");
    scene.stays_without_ghost(A_WHILE);
    assert_eq!(script.asked().len(), asked, "moving about in command mode asks nothing");
    scene.types("x").presses(Key::Backspace).shows_ghost("git st|atus --short");
    scene.presses(Key::ShiftRight).shows_ghost("git st|ash pop").presses(Key::Tab).shows_line("git stash pop|");
    // vi's repeat and undo still work.
    scene.presses(Key::Esc).sends("0dw").shows_line("|stash pop").sends(".").shows_line("|pop");
    scene.sends("u").shows_line("|stash pop");
}

#[test]
fn zsh_autosuggestions_never_takes_the_bar() {
    let rc = format!("{AUTOSUGGESTIONS}\nbindkey '^ ' autosuggest-accept '^Xx' autosuggest-execute");
    for order in [Setup::rc_before, Setup::rc_after] {
        let script = git().knows("gti|", &["git", "gti x"]);
        let mut scene = order(zsh(&script), &rc).start();
        scene.runs("true");
        for key in ["\0", "\x05", "\x1b[C"] {
            scene.types("git st").shows_ghost("git st|atus --short").shows("(1/2) git status --short");
            scene.sends(key).shows_line("git status --short|").presses(Key::Ctrl('u')).shows_line("|");
        }
        scene.types("git st").shows_ghost("git st|atus --short").presses(Key::AltF);
        scene.shows_ghost("git status |--short").presses(Key::Ctrl('u')).shows_line("|");
        // A candidate that is only in the bar, without ghost text, is not accepted by Ctrl-E.
        scene.types("gti").shows("(1/2) git").sends("\x05").settles().shows_line("gti|");
        scene.presses(Key::Tab).shows_line("git|").presses(Key::Ctrl('u'));
        scene.types("git st").shows_ghost("git st|atus --short");
        let spans = scene.screen().spans(scene.screen().cursor.0 + 1);
        assert_eq!(spans[0].style.fg, Color::Default, "{spans:?}");
        scene.types("a").shows_ghost("git sta|tus --short").settles();
        let spans = scene.screen().spans(scene.screen().cursor.0 + 1);
        assert_eq!(spans[0].style.fg, Color::Default, "{spans:?}");
    }
}

#[test]
fn in_its_yielding_mode_there_is_no_bar() {
    let script = git().sets("autosuggestions", "yield");
    let mut scene = zsh(&script).rc(AUTOSUGGESTIONS).start();
    scene.runs("true");
    scene.types("git st").stays("no bar", A_WHILE, |screen| !screen.contains("(1/2)"));
    scene.presses(Key::Tab).settles().shows_line("git st|");
}

#[test]
fn a_highlighter_leaves_the_bar_its_colours() {
    let script = git();
    let mut scene = zsh(&script).rc_after(HIGHLIGHTING).start();
    scene.types("git st").shows_ghost("git st|atus --short").shows("navigate");
    for key in [Key::ShiftRight, Key::ShiftLeft] {
        scene.presses(key).settles();
        let spans = scene.screen().spans(1);
        assert_eq!(spans.last().unwrap().style.fg, Color::Idx(242), "{spans:?}");
    }
    scene.presses(Key::Tab).shows_line("git status --short|");
}

#[test]
fn a_search_through_the_past_begins_with_a_clean_line() {
    let script = git();
    let mut scene = zsh(&script).file(".zsh_history", ": 1700000000:0;echo one\n").rc("fc -R").start();
    scene
        .types("git st")
        .shows_ghost("git st|atus --short")
        .presses(Key::Ctrl('r'))
        .shows("bck-i-search:")
        .sends("one");
    scene.wait_for("the search without a bar", |screen| {
        screen.contains("echo one") && screen.contains("bck-i-search: one") && !screen.contains("(1/2)")
    });
}

#[test]
fn terminals_without_grey_underline_it() {
    for (name, value) in [("TERM", "linux"), ("TERM", "vt100"), ("NO_COLOR", "1")] {
        let script = git();
        let mut scene = zsh(&script).env(name, value).start();
        scene.types("git st").shows("(1/2) git status --short").settles();
        let spans = scene.screen().spans(0);
        let ghost = spans.last().unwrap();
        assert_eq!((ghost.text.as_str(), ghost.style.underline), ("atus --short", true), "{name}={value}: {spans:?}");
        let bar = scene.screen().spans(1);
        assert!(bar.iter().all(|span| span.style.fg == Color::Default), "{name}={value}: {bar:?}");
    }
    // A colour that the terminal supports is kept.
    let script = git().sets("ghost_style", "fg=cyan");
    let mut scene = zsh(&script).env("TERM", "linux").ghost(Color::Idx(6)).start();
    scene.types("git st").shows_ghost("git st|atus --short");
}

#[test]
fn where_letters_are_bytes_the_bar_is_written_in_ascii() {
    let script = git();
    let mut scene = zsh(&script).env("LANG", "C").start();
    scene.types("git st").shows("(1/2) git status --short").shows("[Tab] apply | [Shift]+[</>] navigate");
}

#[test]
fn inside_tmux_it_is_the_same() {
    let script = git();
    let mut scene = zsh(&script).env("TMUX_TMPDIR", "/tmp").rc("export TMUX_TMPDIR=$TMPDIR").start();
    scene.sends("tmux -f /dev/null new-session zsh -d -i\r").shows("[0] 0:zsh");
    scene.wait_for("the prompt in it", |screen| screen.row(0) == "1>");
    scene.types("git st").shows("git status --short").shows("(1/2) git status --short");
    scene.presses(Key::ShiftRight).shows("(2/2) git stash pop").presses(Key::Esc);
    scene.wait_for("nothing", |screen| screen.row(0) == "1> git st" && !screen.contains("(2/2)"));
    scene.types("x").presses(Key::Backspace).shows("(1/2) git status --short").presses(Key::Tab);
    scene.wait_for("the candidate", |screen| screen.row(0) == "1> git status --short" && !screen.contains("(1/2)"));
    scene.presses(Key::Ctrl('u')).sends("exit\r").shows("[exited]");
}
