//! The cursor and the line: what is shown while the user recalls a line, edits its middle, continues or replaces it.

use std::time::Duration;

use vt100::Color;

use crate::harness::home::ASIDE;
use crate::harness::keys::Key;
use crate::harness::scene::Scene;
use crate::harness::setup::Setup;

/// Longer than a reply takes, short enough to wait for.
const A_WHILE: Duration = Duration::from_millis(150);

fn zsh() -> Setup {
    Scene::zsh().history(&["git stash pop", "docker compose up -d", "git status --short"]).rc("docker() { : }")
}

#[test]
fn in_the_middle_of_a_word_nothing_is_inserted_twice() {
    for (typed, moves) in [("git status", 1), ("git status", 3), ("docker compose upp -d", 4)] {
        for key in [Key::Right, Key::End, Key::AltF, Key::Tab] {
            let mut scene = zsh().start();
            scene.types(typed);
            for _ in 0..moves {
                scene.presses(Key::Left);
            }
            scene.settles().presses(key).settles();
            let text = scene.screen().text();
            let twice = ["statuss", "statuus", "statustatus", "uppp", "-d -d", "--short --short"];
            assert!(!twice.iter().any(|twice| text.contains(twice)), "{typed} {key:?}: {text}");
        }
    }
}

#[test]
fn after_a_past_command_that_was_cleared_there_are_ghosts_again() {
    let mut scene = zsh().start();
    scene.presses(Key::Up).shows_line("git status --short|").stays_without_ghost(A_WHILE);
    scene.presses(Key::Ctrl('u')).types("git sta").shows_ghost("git sta|tus --short");
    let mut scene = zsh().rc("bindkey -v; KEYTIMEOUT=1").start();
    scene.presses(Key::Esc).settles().sends("kddi").settles().types("git sta").shows_ghost("git sta|tus --short");
}

#[test]
fn a_past_command_that_is_changed_is_a_line_like_any_other() {
    let mut scene = zsh().start();
    scene.presses(Key::Up).shows_line("git status --short|");
    for _ in 0.." --short".len() {
        scene.presses(Key::Backspace);
    }
    scene.shows_ghost("git status| --short").presses(Key::Right).shows_line("git status --short|");
}

#[test]
fn a_continued_line_gets_candidates_for_what_it_adds() {
    let mut scene = zsh().start();
    scene.types("true &&").presses(Key::Enter).shows("cmdand>").types("git sta");
    scene.shows("cmdand> git status --short").presses(Key::Right).settles();
    assert!(scene.screen().text().ends_with("cmdand> git status --short"), "{}", scene.screen().text());
    scene.presses(Key::Ctrl('u')).types("print done").presses(Key::Enter).prompt(2).shows("done");
    // The query prefix has no meaning on a continuation line.
    scene.types("print 'a").presses(Key::Enter).shows("quote>").types("? list files'").presses(Key::Enter).prompt(3);
    scene.shows("? list files");
}

#[test]
fn a_newline_in_the_line_is_a_newline() {
    let mut scene = zsh().start();
    scene.types("print one").sends("\x16\n").types("git sta").shows("git status");
    scene.presses(Key::Right).settles().presses(Key::Ctrl('u')).types("print two").presses(Key::Enter).prompt(2);
    let lines: Vec<String> = scene.screen().text().lines().map(str::to_owned).collect();
    assert!(lines.contains(&"one".to_owned()) && lines.contains(&"two".to_owned()), "{lines:?}");
}

/// Like fast-syntax-highlighting, which wraps only the widgets that exist when it is loaded.
#[test]
fn a_highlighter_that_wraps_widgets_colours_what_one_of_ours_puts_there() {
    let rc = "_zsh_highlight() { region_highlight=(\"0 $#BUFFER fg=green\") }
              coloured() { zle .self-insert; _zsh_highlight }; zle -N self-insert coloured";
    for key in [Key::Tab, Key::Right, Key::End] {
        let mut scene = zsh().rc(rc).start();
        scene.types("git st").shows_ghost("git st|atus --short").presses(key).shows_line("git status --short|");
        scene.settles();
        let spans = scene.screen().spans(0);
        let line = spans.last().unwrap();
        assert!(line.text == "git status --short" && line.style.fg == Color::Idx(2), "{key:?}: {spans:?}");
    }
}

/// Like bracketed-paste-magic: it draws, then waits for a key.
#[test]
fn a_paste_that_waits_shows_no_old_ghost() {
    let rc = "slowly() { zle .bracketed-paste; zle -R; read -t 2 -k 1 }; zle -N bracketed-paste slowly";
    let mut scene = zsh().rc(rc).start();
    scene.types("git st").shows_ghost("git st|atus --short").pastes("ream").shows("git stream");
    assert!(!scene.screen().contains("atus"), "{}", scene.screen().text());
}

#[test]
fn the_bar_is_gone_from_the_next_prompt_when_it_is_turned_off() {
    let mut scene = zsh().start();
    scene.types("git st").shows("navigate").presses(Key::Ctrl('u'));
    scene.runs("aside config set complete.bar off");
    scene.types("git st").shows_ghost("git st|atus --short");
    scene.stays("no bar", A_WHILE, |screen| !screen.contains("navigate"));
}

/// Like zsh-vi-mode, which wraps the hook that it finds when the first prompt is due.
#[test]
fn a_plugin_that_wraps_the_hooks_it_finds_finds_none_of_ours() {
    let rc = "mine() { : }; wrap() { precmd_functions=(${precmd_functions:#wrap})
              if zle -l zle-line-init; then zle -N zle-line-init wrapped; else zle -N zle-line-init mine; fi }
              precmd_functions+=(wrap)";
    for stage in [zsh().rc_before(rc), zsh().rc_after(rc)] {
        let mut scene = stage.start();
        scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
        scene.runs("aside-off");
        assert_eq!(scene.runs("zle -lL zle-line-init"), "zle -N zle-line-init mine");
    }
}

#[test]
fn doctor_says_whether_this_shell_has_aside_on() {
    let mut scene = zsh().start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    let doctor = "aside doctor | grep 'in this zsh' | sed 's/.*Aside/Aside/; s/ in this.*//'";
    assert_eq!(scene.runs(doctor), "Aside 0.1.0 is on");
    scene.runs("aside-off");
    assert_eq!(scene.runs(doctor), "Aside is off");
    scene.runs("aside-on");
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    assert_eq!(scene.runs(doctor), "Aside 0.1.0 is on");
}

#[test]
fn an_open_shell_goes_when_aside_is_uninstalled() {
    let mut scene = zsh().start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    scene.runs(&format!("{ASIDE} uninstall --yes >/dev/null"));
    // The first line tries to start a daemon, and learns why there is none.
    let deadline = std::time::Instant::now() + crate::harness::patience();
    while scene.runs("print $+functions[_aside_edit]") == "1" {
        assert!(std::time::Instant::now() < deadline, "{}", scene.screen().text());
        scene.types("git").settles().presses(Key::Ctrl('u'));
    }
    assert_eq!(scene.runs("? list files"), "zsh: no matches found: ?");
    assert!(!scene.home.socket().exists() && !scene.home.path(".local/share/aside").exists());
}
