//! What zsh keeps for its user next to Aside: `$?`, IFS, traps, hooks, and what is left after `aside-off`.

use std::time::Duration;

use crate::harness::keys::Key;
use crate::harness::scene::Scene;
use crate::harness::setup::Setup;

/// Longer than a reply takes, short enough to wait for.
const A_WHILE: Duration = Duration::from_millis(150);

fn zsh() -> Setup {
    Scene::zsh().history(&["git stash pop", "git status --short"])
}

/// Shows grey text, and removes it with the line.
#[track_caller]
fn draws(scene: &mut Scene) {
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u')).shows_line("|").settles();
}

#[test]
fn what_is_drawn_leaves_the_status() {
    let mut scene = zsh().start();
    scene.runs("(exit 7)");
    draws(&mut scene);
    assert_eq!(scene.runs("print -r -- $?"), "7");
}

/// `mkdir new; cd $_` over two lines is an everyday idiom.
#[test]
fn what_is_drawn_leaves_the_last_word_and_the_pipeline() {
    let mut scene = zsh().start();
    scene.runs("mkdir -p new/place");
    draws(&mut scene);
    assert_eq!(scene.runs("print -r -- $_ $?"), "new/place 0");
    scene.runs("mkdir -p -- '' 'two  words' 2>/dev/null");
    draws(&mut scene);
    assert_eq!(scene.runs("print -r -- \"$_\" $?"), "two  words 1");
    for (pipeline, told) in [
        ("(exit 3) | true | true", "3 0 0 0"),
        ("(exit 3) | (exit 4) | false", "3 4 1 1"),
        ("true | false", "0 1 1"),
        ("(exit 5)", "5 5"),
    ] {
        scene.runs(pipeline);
        draws(&mut scene);
        assert_eq!(scene.runs("print -r -- $pipestatus $?"), told, "{pipeline}");
    }
    for options in ["setopt ksh_arrays", "setopt sh_word_split ignore_braces", "IFS=0123", "setopt sh_glob ksh_glob"] {
        let mut scene = zsh().start();
        scene.runs(options);
        scene.runs("(exit 3) | true");
        draws(&mut scene);
        assert_eq!(scene.runs("IFS=' '; print -r -- \"${pipestatus[*]}\""), "3 0", "{options}");
    }
}

/// As zsh-autosuggestions does when it is loaded late, and a highlighter after it. We wrap it again.
#[test]
fn what_wrapped_us_finds_what_was_there_before_us_after_aside_off() {
    let wraps = "wrap() { for w in accept-line end-of-line expand-or-complete; do zle -N autosuggest-orig-1-$w ${widgets[$w]#user:}
        eval \"_zsh_autosuggest_bound_1_$w() { (( ++wrapped )); zle autosuggest-orig-1-$w -- \\\"\\$@\\\" }\"
        zle -N $w _zsh_autosuggest_bound_1_$w; zle -A autosuggest-orig-1-$w orig-s1-autosuggest-orig-1-$w; done }";
    let mut scene = zsh().rc(wraps).start();
    draws(&mut scene);
    scene.runs("wrap");
    for _ in 0..2 {
        draws(&mut scene);
        scene.runs("true");
    }
    scene.runs("aside-off");
    scene.runs("wrapped=0");
    assert_eq!(scene.runs("print $wrapped"), "1");
    for name in ["autosuggest-orig-1-", "orig-s1-autosuggest-orig-1-"] {
        assert_eq!(
            scene.runs(&format!("zle -lL {name}accept-line")),
            format!("zle -N {name}accept-line _zsh_autosuggest_orig_accept-line")
        );
    }
    scene.types("true").presses(Key::Ctrl('a')).presses(Key::Ctrl('e')).types(" x").shows_line("true x|");
    assert!(!scene.screen().contains("nested"), "{}", scene.screen().text());
}

#[test]
fn functions_of_yours_with_the_names_of_builtins_are_not_called() {
    let mine = "for name in print shift read kill; do functions[$name]='called+=${(M)funcstack[2]:#*aside*}; builtin '$name' \"$@\"'; done";
    let mut scene = zsh().rc(mine).start();
    draws(&mut scene);
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Right).shows_line("git status --short|");
    scene.presses(Key::Ctrl('u')).shows_line("|");
    assert_eq!(scene.runs("builtin print called=$called"), "called=");
}

#[test]
fn any_ifs_will_do() {
    for ifs in ["$'\\n'", "", ",", "t"] {
        let mut scene = zsh().rc_before(&format!("IFS={ifs}")).start();
        draws(&mut scene);
        let mut scene = zsh().start();
        scene.runs(&format!("IFS={ifs}"));
        draws(&mut scene);
        scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Right).shows_line("git status --short|");
    }
}

#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let mut scene = zsh().start();
    scene.runs("trap '' INT");
    draws(&mut scene);
    assert_eq!(scene.runs("trap"), "trap -- '' INT");
    scene.runs("aside-off");
    assert_eq!(scene.runs("trap"), "trap -- '' INT");
}

#[test]
fn a_trap_of_yours_sees_the_status() {
    let mut scene = zsh().start();
    scene.runs("trap 'seen=$?' INT");
    draws(&mut scene);
    scene.runs("(exit 7)");
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::CtrlC).settles();
    scene.presses(Key::Ctrl('u'));
    assert_eq!(scene.runs("print $seen"), "7");
}

/// Only `return` says that the line ends.
#[test]
fn a_trap_whose_last_command_fails_keeps_the_line() {
    for body in ["[[ -n $NOPE ]] && print x", "false"] {
        let mut scene = zsh().rc(&format!("TRAPWINCH() {{ {body} }}")).start();
        scene.types("git st").shows_ghost("git st|atus --short").resizes(20, 70).settles();
        scene.shows_ghost("git st|atus --short");
    }
}

#[test]
fn a_restricted_shell_is_left_alone() {
    let quiet = |scene: &mut Scene| {
        scene.types("git st");
        // Without the marks of the scene, which write where such a shell may not.
        std::thread::sleep(A_WHILE);
        let text = scene.screen().text();
        assert!(text.trim_end().ends_with("> git st") && !text.contains("not allowed"), "{text}");
    };
    quiet(&mut zsh().rc("setopt restricted").start());
    let mut scene = zsh().start();
    draws(&mut scene);
    scene.types("setopt restricted").sends("\r").prompt(2);
    quiet(&mut scene);
}

#[test]
fn odd_shells_get_no_errors() {
    for line in ["FUNCNEST=25", "unset COLUMNS", "zmodload -u zsh/system"] {
        let mut scene = zsh().start();
        scene.runs(line);
        scene.types("git st").settles();
        let text = scene.screen().text();
        assert!(!text.contains("_aside") && !text.contains("syswrite"), "{line}: {text}");
    }
    let mut scene = zsh().rc_before("alias -g -- -g='| grep' -ga='| grep'").start();
    draws(&mut scene);
}

/// As fast-syntax-highlighting does when it is read again.
#[test]
fn a_highlighter_that_wraps_our_hook_again_and_again_goes_on_without_us() {
    let wraps = "wrap() { local w=zle-line-init n=orig-$((++round)); zle -l $w || return 0; zle -A $w $n-$w
                 eval \"_zsh_highlight_widget_$n-$w() { zle $n-$w -- \\\"\\$@\\\" }\"; zle -N $w _zsh_highlight_widget_$n-$w }";
    let mine = "zle-line-init() { (( ++inits )) }; zle -N zle-line-init";
    let mut scene = zsh().rc_before(mine).rc(wraps).start();
    draws(&mut scene);
    for _ in 0..3 {
        scene.runs("wrap");
        draws(&mut scene);
    }
    scene.runs("inits=0");
    assert_eq!(scene.runs("print $inits"), "1");
    scene.runs("aside-off");
    scene.runs("inits=0");
    assert_eq!(scene.runs("print $inits"), "1");
    assert!(!scene.screen().contains("nested"), "{}", scene.screen().text());
}

#[test]
fn after_aside_off_nothing_of_yours_is_removed_and_no_function_of_ours_stays() {
    let mut scene = Scene::zsh().history(&["git status --short"]).start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    scene.runs("aside-off");
    scene.runs("mine() { (( ++ends )) }; zle -N zle-line-finish mine");
    // What is left to be removed is removed a second later, at the prompt.
    let deadline = std::time::Instant::now() + crate::harness::patience();
    while scene.runs("print $+functions[_aside_end]") != "0" {
        assert!(std::time::Instant::now() < deadline, "it stays");
        std::thread::sleep(Duration::from_millis(1200));
    }
    assert_eq!(scene.runs("zle -lL zle-line-finish"), "zle -N zle-line-finish mine");
    assert_eq!(scene.runs("print -r -- ${(ko)functions[(I)*aside*]}"), "aside-off aside-on");
    scene.runs("aside-off");
    assert_eq!(scene.runs("print -r -- ${(ko)functions[(I)*aside*]} $+preexec_functions"), "aside-off aside-on 0");
    scene.runs("aside-on");
    scene.types("git st").shows_ghost("git st|atus --short");
}

/// What is drawn after a command that failed is no failure of its own.
#[test]
fn options_and_traps_for_failures_hear_only_of_commands_of_yours() {
    let mut scene = zsh().rc("failures=(); TRAPZERR() { failures+=($?) }").start();
    scene.runs("(exit 3)");
    draws(&mut scene);
    scene.runs("true | false");
    draws(&mut scene);
    assert_eq!(scene.runs("print -r -- $failures"), "3 1");
    for option in ["err_return", "err_exit"] {
        let mut scene = zsh().start();
        scene.runs(&format!("setopt {option}"));
        // While keys are bound, at the first reply, zsh ignores Ctrl-C.
        draws(&mut scene);
        scene.types("abc").presses(Key::CtrlC).prompt(3);
        draws(&mut scene);
        assert_eq!(scene.runs("print -r -- still $?"), "still 130", "{option}");
        // Keys with nothing to do: zsh beeps.
        scene
            .types("zzqq")
            .presses(Key::Tab)
            .presses(Key::Right)
            .presses(Key::ShiftTab)
            .settles()
            .presses(Key::Ctrl('u'));
        scene.runs("! true");
        draws(&mut scene);
        assert_eq!(scene.runs("print -r -- still here"), "still here", "{option}");
    }
}

#[test]
fn a_daemon_that_cannot_be_reached_is_no_failure_of_yours() {
    let mut scene = zsh().rc("failures=(); TRAPZERR() { failures+=($? $funcstack) }").start();
    draws(&mut scene);
    scene.runs("_aside_socket=~/none _aside_bin=~/none");
    for _ in 0..2 {
        scene.types("git st").settles().presses(Key::Ctrl('u'));
        scene.runs("(exit 3)");
    }
    assert_eq!(scene.runs("print -r -- failures $failures"), "failures 3 TRAPZERR 3 TRAPZERR");
}

#[test]
fn a_widget_that_got_its_name_at_the_prompt_is_called_behind_a_late_wrapper() {
    let wraps = "wrap() { zle -N autosuggest-orig-1-accept-line ${widgets[accept-line]#user:}
        _zsh_autosuggest_bound_1_accept-line() { zle autosuggest-orig-1-accept-line -- \"$@\" }
        zle -N accept-line _zsh_autosuggest_bound_1_accept-line }";
    let mut scene = zsh().rc(wraps).start();
    scene.runs("mine() { (( ++entered )); zle .accept-line }; zle -N accept-line mine");
    draws(&mut scene);
    scene.runs("wrap");
    draws(&mut scene);
    scene.runs("true");
    for _ in 0..2 {
        scene.runs("entered=0");
        assert_eq!(scene.runs("print $entered"), "1");
        scene.runs("aside-off");
    }
}

#[test]
fn escape_that_you_bind_at_the_prompt_stays_bound() {
    let mut scene = zsh().start();
    draws(&mut scene);
    scene.runs("bindkey '^[' beginning-of-line");
    for _ in 0..2 {
        draws(&mut scene);
        assert_eq!(scene.runs("bindkey '^['"), "\"^[\" beginning-of-line");
    }
}

#[test]
fn a_completion_widget_knows_its_style_and_function() {
    let mine = "_mine() { told=\"$WIDGET $WIDGETFUNC $WIDGETSTYLE\"; compadd wordy }; zle -C my-comp complete-word _mine; bindkey '^I' my-comp";
    let mut scene = zsh().rc(mine).start();
    draws(&mut scene);
    for _ in 0..2 {
        scene.types(": wor\t").shows_line(": wordy |").presses(Key::Ctrl('u')).shows_line("|");
        assert_eq!(scene.runs("print -r -- $told"), "my-comp _mine complete-word");
    }
    scene.runs("aside-off");
    assert_eq!(scene.runs("zle -lL my-comp"), "zle -C my-comp complete-word _mine");
}

/// zsh joins the texts that builtins kill one after the other, and not those that functions kill.
#[test]
fn what_a_function_kills_is_not_joined_to_what_it_killed_before() {
    let mine = "my-kill-word() { zle backward-kill-word }; zle -N my-kill-word; bindkey '^W' my-kill-word";
    let mut scene = zsh().rc(mine).start();
    draws(&mut scene);
    scene.types("git st foo bar").presses(Key::Ctrl('w')).shows_line("git st foo |").settles();
    scene.presses(Key::Ctrl('w')).shows_line("git st |").settles();
    scene.presses(Key::Ctrl('y')).shows_line("git st foo |");
}

#[test]
fn a_list_of_hooks_that_you_empty_calls_yours_once() {
    let mut scene = zsh().start();
    draws(&mut scene);
    scene.runs("precmd_functions=(${precmd_functions:#_aside_precmd}); precmd() { (( ++calls )) }");
    for next in 3..6 {
        scene.types("git st").shows_ghost("git st|atus --short").presses(Key::CtrlC).prompt(next);
    }
    scene.runs("calls=0");
    assert_eq!(scene.runs("print $calls"), "1");
}

#[test]
fn a_text_that_your_hook_puts_behind_the_line_stays() {
    let mine = "mine() { if [[ $BUFFER == mine* ]]; then POSTDISPLAY='<kept>'; fi }; autoload -Uz add-zle-hook-widget; add-zle-hook-widget line-pre-redraw mine";
    let mut scene = zsh().rc(mine).start();
    draws(&mut scene);
    scene.types("mine").shows("mine<kept>").types(" too").shows("mine too<kept>").settles();
    scene.shows("mine too<kept>");
}

/// As zsh-syntax-highlighting and fast-syntax-highlighting do, which wrap all widgets again when they are read again.
#[test]
fn a_highlighter_finds_no_builtin_by_another_name_after_aside_off() {
    let wraps = "wrap() { local w n=orig-s$((++round))-r1; for w in ${(k)widgets[(I)*accept-line]}; do [[ $w == .* ]] && continue
        case $widgets[$w] in
          builtin) eval \"_zsh_highlight_widget_$n-$w() { zle .$w -- \\\"\\$@\\\" }\" ;;
          *) zle -A $w $n-$w; eval \"_zsh_highlight_widget_$n-$w() { zle $n-$w -- \\\"\\$@\\\" }\" ;;
        esac; zle -N $w _zsh_highlight_widget_$n-$w; done }";
    let mut scene = zsh().rc(wraps).start();
    draws(&mut scene);
    scene.runs("wrap");
    draws(&mut scene);
    scene.runs("aside-off");
    scene.runs("wrap");
    assert_eq!(scene.runs("print still here"), "still here");
    assert!(!scene.screen().contains("No such widget"), "{}", scene.screen().text());
}

/// The rest of the plugin is read again when the keys that came early have been handled, and in between the old one draws.
#[test]
fn no_trap_of_ours_stays_when_the_rc_file_is_read_again() {
    let mut scene = zsh().start();
    for round in 1..5 {
        scene
            .sends("eval \"$(aside init zsh)\"\rgit st")
            .prompt(2 * round)
            .shows_ghost("git st|atus --short")
            .presses(Key::Ctrl('u'))
            .shows_line("|");
        scene.settles();
        assert_eq!(scene.runs("print -r -- $+functions[TRAPINT] $+functions[TRAPWINCH]"), "0 0");
    }
    // As where that came in between.
    scene.runs("functions[TRAPINT]=$functions[_aside_on_INT]");
    draws(&mut scene);
    assert_eq!(scene.runs("print -r -- $+functions[TRAPINT]"), "0");
}
