//! Next-command suggestions next to popular plugins and prompts: those that redraw the prompt at any time, and those that use the
//! space after the line.

use crate::harness::keys::Key;
use crate::harness::scene::Scene;
use crate::harness::scripted_daemon::ScriptedDaemon;
use crate::harness::suggestion_script::Suggestion;
use crate::prose_zsh::begun_on;
use crate::suggest_zsh::{A_WHILE, NEXT, script, shown_on, zsh};

const AUTOSUGGESTIONS: &str =
    "source /usr/share/zsh-autosuggestions/zsh-autosuggestions.zsh; bindkey '^ ' autosuggest-accept";
const HIGHLIGHTING: &str = "source /usr/share/zsh-syntax-highlighting/zsh-syntax-highlighting.zsh";

/// With the lines before Aside and after it.
fn both_orders(script: &ScriptedDaemon, lines: &str) -> [Scene; 2] {
    [shown_on(script, zsh(script).rc_before(lines)), shown_on(script, zsh(script).rc_after(lines))]
}

#[test]
fn the_keys_of_zsh_autosuggestions_take_it() {
    for key in ["\0", "\x1b[C", "\x05"] {
        let script = script();
        for mut scene in both_orders(&script, AUTOSUGGESTIONS) {
            scene.sends(key).shows_line(&format!("{NEXT}|")).stays_without_ghost(A_WHILE);
        }
        script.waits("two that were taken", |script| script.told("outcome").len() == 2);
        assert!(script.told("outcome").iter().all(|fields| fields[3] == "accept"), "{:?}", script.told("outcome"));
    }
    let script = script();
    for mut scene in both_orders(&script, AUTOSUGGESTIONS) {
        scene.presses(Key::AltF).shows_ghost("frobnicate |push --all");
        scene.presses(Key::Right).shows_line(&format!("{NEXT}|"));
    }
}

#[test]
fn the_keys_of_zsh_autosuggestions_leave_the_warning_out() {
    let script = ScriptedDaemon::new().suggests("false", &[Suggestion::is("frob").warns("deletes everything")]);
    for stage in [zsh(&script).rc_before(AUTOSUGGESTIONS), zsh(&script).rc_after(AUTOSUGGESTIONS)] {
        let mut scene = begun_on(&script, stage);
        scene.types("false").presses(Key::Enter).prompt(3).shows("! deletes everything");
        scene.sends("\0").shows_line("frob|");
        scene.screen_is("2> false\n3> frob▮");
    }
}

#[test]
fn where_zsh_autosuggestions_has_the_ghost_it_has_the_line_from_the_first_key() {
    let script = script().sets("autosuggestions", "yield");
    for mut scene in both_orders(&script, AUTOSUGGESTIONS) {
        scene.types("f").shows_line("f|").types("a").shows_ghost("fa|lse");
        scene.presses(Key::Ctrl('u')).settles();
        assert_eq!(scene.runs("print ${+_ZSH_AUTOSUGGEST_DISABLED}"), "0");
    }
    let script = self::script().sets("autosuggestions", "yield");
    for mut scene in both_orders(&script, AUTOSUGGESTIONS) {
        scene.presses(Key::Right).shows_line(&format!("{NEXT}|"));
    }
}

#[test]
fn a_highlighter_colours_the_line_and_not_the_ghost() {
    let script = script();
    for mut scene in both_orders(&script, HIGHLIGHTING) {
        scene.types("f").shows_ghost("f|robnicate push --all");
        let typed = scene.screen().spans(1).into_iter().find(|span| span.text.contains('f')).expect("it is there");
        assert_ne!(typed.style.fg, vt100::Color::Default, "{typed:?}");
        scene.presses(Key::Tab).shows_line(&format!("{NEXT}|"));
        scene.presses(Key::Ctrl('u')).shows_line("|");
    }
    for mut scene in both_orders(&script, &format!("{AUTOSUGGESTIONS}\n{HIGHLIGHTING}")) {
        scene.presses(Key::Right).shows_line(&format!("{NEXT}|")).presses(Key::Enter).prompt(4);
    }
}

/// A theme that redraws the prompt with `how` once it knows more.
fn drawn_again(how: &str) -> String {
    format!(
        "theme() {{ local fd; exec {{fd}}< <(sleep 0.1; print git); zle -F $fd theme_knows }}
         theme_knows() {{ local line; read -r -u $1 line; zle -F $1; exec {{1}}<&-; RPS1=[$line]; {how}; print -n x >>~/drawn }}
         again() {{ {how} }}; zle -N again
         precmd_functions+=(theme)"
    )
}

#[test]
fn a_prompt_that_is_drawn_again_keeps_it_once() {
    for how in ["zle reset-prompt", "zle .reset-prompt; zle -R", "zle -I; zle reset-prompt", "zle -R", "zle redisplay"]
    {
        let script = script();
        let mut scene = begun_on(&script, zsh(&script).rc(&drawn_again(how)));
        scene.types("false").presses(Key::Enter).prompt(3).shows(&format!("3> {NEXT}"));
        let drawn = scene.home.path("drawn");
        let deadline = std::time::Instant::now() + crate::harness::patience();
        while std::fs::read_to_string(&drawn).unwrap_or_default().len() < 3 {
            assert!(std::time::Instant::now() < deadline, "the theme never drew: {how}");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        scene.wait_for("it, and the prompt on the right", |screen| {
            let rows: Vec<String> = (0..6).map(|row| screen.row(row)).collect();
            rows.iter().any(|row| row.starts_with(&format!("3> {NEXT}")))
        });
        // zsh draws the prompt and the text after it in two steps.
        scene.rests("no more than once", A_WHILE, |screen| screen.text().matches(NEXT).count() <= 1);
        scene.wait_for("it", |screen| screen.text().matches(NEXT).count() == 1);
        scene.presses(Key::Tab).rests("taken", A_WHILE, |screen| screen.text().matches(NEXT).count() == 1);
        scene.presses(Key::Enter).prompt(4);
    }
}

#[test]
fn a_clock_in_the_prompt_keeps_it() {
    let script = script();
    let rc = "TMOUT=1; TRAPALRM() { print -n x >>~/ticks; zle reset-prompt }";
    let mut scene = shown_on(&script, zsh(&script).rc(rc));
    let ticks = scene.home.path("ticks");
    let deadline = std::time::Instant::now() + crate::harness::patience();
    while std::fs::read_to_string(&ticks).unwrap_or_default().is_empty() {
        assert!(std::time::Instant::now() < deadline, "the clock never ticked");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    scene.rests("it", A_WHILE, |screen| screen.text().matches(NEXT).count() == 1);
    scene.shows_ghost(&format!("|{NEXT}")).presses(Key::Right).shows_line(&format!("{NEXT}|"));
}

#[test]
fn a_prompt_that_shrinks_when_its_line_ends_leaves_nothing_of_it() {
    let rc = "_scene_prompt() { (( ++_scene_number )); PS1=$'top\\n'\"$_scene_number> \" }; autoload -Uz add-zle-hook-widget; \
              transient() { PS1=\"$_scene_number> \"; zle reset-prompt }; add-zle-hook-widget line-finish transient";
    for stage in [
        |script: &ScriptedDaemon, rc: &str| zsh(script).rc_before(rc),
        |script: &ScriptedDaemon, rc: &str| zsh(script).rc_after(rc),
    ] {
        let script = script();
        let mut scene = shown_on(&script, stage(&script, rc));
        scene.presses(Key::Enter).prompt(4).screen_is("2> false\n3>\ntop\n4> ▮");
    }
}

#[test]
fn a_prompt_on_the_right_and_one_of_two_rows_stay_where_they_are() {
    let script = script();
    let rc = "setopt prompt_subst; _scene_prompt() { (( ++_scene_number )); RPS1='[right]'; PS1=$'top\\n'\"$_scene_number> \" }";
    let mut scene = begun_on(&script, zsh(&script).rc(rc));
    scene.types("false").presses(Key::Enter).prompt(3);
    scene.wait_for("both", |screen| {
        screen.row(3).starts_with(&format!("3> {NEXT}")) && screen.row(3).ends_with("[right]")
    });
    scene
        .types("x")
        .wait_for("the key", |screen| screen.row(3).starts_with("3> x ") && screen.row(3).ends_with("[right]"));
}

/// The screen is full, and the suggestion is longer than a row.
#[test]
fn at_the_end_of_the_screen_it_wraps_and_can_be_resized() {
    let long = format!("frobnicate {}", "abcdefghi ".repeat(6)).trim_end().to_owned();
    let script = ScriptedDaemon::new().suggests("false", &[Suggestion::is(&long)]);
    let mut scene = begun_on(&script, zsh(&script).size(6, 40));
    scene.types("print -l {1..9}; false").presses(Key::Enter).prompt(3).settles();
    scene.types("false").presses(Key::Enter).prompt(4).shows_ghost(&format!("|{long}"));
    scene.resizes(8, 60).shows_ghost(&format!("|{long}"));
    scene.types("x").shows_line("x|").presses(Key::Enter).prompt(5);
}

/// As instant prompts do: output before the first prompt is caught and reported.
#[test]
fn nothing_is_printed_before_the_first_prompt() {
    let script = script().captures("tmux", "", "");
    let rc = "exec {out}>&1 >~/early; late() { exec >&$out; precmd_functions=(${precmd_functions:#late}) }";
    let mut scene = begun_on(&script, zsh(&script).rc_before(rc).rc_after("precmd_functions+=(late)"));
    assert_eq!(std::fs::read_to_string(scene.home.path("early")).unwrap(), "");
    scene.types("false").presses(Key::Enter).prompt(3).shows_ghost(&format!("|{NEXT}"));
}
