//! Aside next to popular plugins: one ghost text, no flicker, every plugin keeps its keys.

use std::time::Duration;

use rustix::process::Signal;

use crate::harness::keys::Key;
use crate::harness::scene::Scene;
use crate::harness::setup::Setup;
use crate::zsh::daemon;

const AUTOSUGGESTIONS: &str = "source /usr/share/zsh-autosuggestions/zsh-autosuggestions.zsh";
const HIGHLIGHTING: &str = "source /usr/share/zsh-syntax-highlighting/zsh-syntax-highlighting.zsh";
const FZF: &str = "source /usr/share/doc/fzf/examples/key-bindings.zsh";
const A_WHILE: Duration = Duration::from_millis(150);

/// The same stage with the lines before Aside and after it.
fn both_orders(lines: &str) -> [Setup; 2] {
    let history = &["git stash pop", "git status --short"];
    let rc = format!("HISTFILE=~/.zsh_history HISTSIZE=100 SAVEHIST=100\n{lines}");
    [Scene::zsh().history(history).rc_before(&rc), Scene::zsh().history(history).rc_after(&rc)]
}

#[test]
fn the_neighbours_are_installed() {
    for lines in [AUTOSUGGESTIONS, HIGHLIGHTING, FZF] {
        let file = lines.split_whitespace().nth(1).unwrap();
        assert!(std::path::Path::new(file).exists(), "{file} is missing; `make test` installs it");
    }
}

#[test]
fn with_zsh_autosuggestions_there_is_one_ghost_and_both_know_their_keys() {
    for stage in both_orders(&format!("{AUTOSUGGESTIONS}\nbindkey '^ ' autosuggest-accept")) {
        let mut scene = stage.start();
        // On the first line zsh-autosuggestions may still be active: the daemon is only starting.
        scene.runs("true");
        scene.types("git st").shows_ghost("git st|atus --short");
        scene.types("at").shows_ghost("git stat|us --short");
        scene.presses(Key::Right).shows_line("git status --short|");
        scene.presses(Key::Ctrl('u')).types("git stas").shows_ghost("git stas|h pop");
        scene.sends("\0").shows_line("git stash pop|").stays_without_ghost(A_WHILE);
        scene.presses(Key::Ctrl('u')).types("git st").shows_ghost("git st|atus --short");
        scene.presses(Key::AltF).shows_ghost("git status |--short");
        scene.presses(Key::AltF).shows_line("git status --short|");
        scene.presses(Key::Ctrl('u')).types("zzz").stays_without_ghost(A_WHILE).shows_line("zzz|");
    }
}

#[test]
fn zsh_autosuggestions_works_as_before_when_we_cannot() {
    for stage in both_orders(AUTOSUGGESTIONS) {
        let mut scene = stage.start();
        scene.runs("true");
        scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
        let pid = daemon(&scene);
        scene.runs("_aside_bin=/nowhere; aside-on");
        rustix::process::kill_process(pid, Signal::KILL).unwrap();
        // It may take a few lines until the killed process is gone.
        assert!((0..20).any(|_| scene.runs("print ${+_ZSH_AUTOSUGGEST_DISABLED}") == "0"));
        scene.types("git sta").shows_ghost("git sta|tus --short");
        scene.presses(Key::Right).shows_line("git status --short|");
    }
}

#[test]
fn zsh_autosuggestions_may_keep_the_ghost() {
    for stage in both_orders(AUTOSUGGESTIONS) {
        let mut scene = stage.config("complete.autosuggestions = 'yield'\n").start();
        scene.runs("true");
        assert_eq!(scene.runs("print ${+_ZSH_AUTOSUGGEST_DISABLED}"), "0");
        scene.types("git st").shows_ghost("git st|atus --short");
        scene.presses(Key::Right).shows_line("git status --short|");
    }
}

#[test]
fn aside_off_gives_zsh_autosuggestions_its_place_back() {
    for stage in both_orders(AUTOSUGGESTIONS) {
        let mut scene = stage.start();
        scene.runs("true");
        scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
        scene.runs("aside-off");
        assert_eq!(scene.runs("print ${+_ZSH_AUTOSUGGEST_DISABLED}"), "0");
        scene.types("git sta").shows_ghost("git sta|tus --short");
    }
}

#[test]
fn a_highlighter_colours_the_line_and_not_the_ghost() {
    for stage in both_orders(HIGHLIGHTING) {
        let mut scene = stage.start();
        scene.types("git st").shows_ghost("git st|atus --short");
        let spans = scene.screen().spans(0);
        let git = spans.iter().find(|span| span.text.contains("git")).expect("the command is there");
        // Green, or red where git is not installed.
        assert!([vt100::Color::Idx(2), vt100::Color::Idx(1)].contains(&git.style.fg), "{spans:?}");
        scene.types("at").shows_ghost("git stat|us --short");
        scene.presses(Key::Left).shows_line("git sta|t").presses(Key::Right).shows_ghost("git stat|us --short");
        scene.presses(Key::Right).shows_line("git status --short|");
        scene.presses(Key::Enter).prompt(2);
    }
}

#[test]
fn all_of_them_together() {
    for stage in both_orders(&format!("{FZF}\n{AUTOSUGGESTIONS}\n{HIGHLIGHTING}")) {
        let mut scene = stage.start();
        scene.runs("true");
        scene.types("git st").shows_ghost("git st|atus --short");
        scene.presses(Key::Right).shows_line("git status --short|").presses(Key::Ctrl('u'));
        let keys = scene.runs("for k in '^R' '^T' '^[c'; do bindkey $k; done | cut -d' ' -f2");
        assert_eq!(keys, "fzf-history-widget\nfzf-file-widget\nfzf-cd-widget");
        scene.types("git sta").shows_ghost("git sta|tus --short").presses(Key::CtrlC).prompt(4);
        scene.types("git st").shows_ghost("git st|atus --short");
    }
}

/// add-zle-hook-widget, which a highlighter calls, gives our hook a name that zsh-autosuggestions does not leave alone: it would put back
/// what was there before the hook drew.
#[test]
fn a_hook_that_another_plugin_renamed_is_not_wrapped_by_zsh_autosuggestions() {
    let mut scene = Scene::zsh().history(&["git show HEAD", "git stash pop", "git status --short"]).start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    scene.runs(&format!(
        "{AUTOSUGGESTIONS}; autoload -Uz add-zle-hook-widget; theirs() {{ : }}; add-zle-hook-widget line-pre-redraw theirs"
    ));
    scene.runs("true");
    for prompt in [4, 5] {
        scene.types("git s").shows("(1/").settles().types("t").shows_ghost("git st|atus --short").settles();
        scene.presses(Key::CtrlC).prompt(prompt);
        scene.wait_for("nothing left", |screen| !screen.contains("(1/") && !screen.contains("atus --short"));
    }
    scene.runs("aside-off");
    assert_eq!(scene.runs("print -r -- ${(M)ZSH_AUTOSUGGEST_IGNORE_WIDGETS:#*aside*}"), "");
}
