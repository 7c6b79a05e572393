//! The zsh plugin as the user sees it: ghost text, keys, and everything that must not change.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};
use vt100::Color;

use crate::bash::recorded;
use crate::harness::keys::Key;
use crate::harness::patience;
use crate::harness::scene::Scene;
use crate::harness::scripted_daemon::ScriptedDaemon;
use crate::harness::setup::Setup;

/// Longer than a reply takes, short enough to wait for.
const A_WHILE: Duration = Duration::from_millis(150);

fn zsh() -> Setup {
    Scene::zsh().history(&["git stash pop", "ls -la /usr/share", "git status --short"])
}

fn status(scene: &Scene) -> Value {
    scene.wire().json(json!({"type": "status", "request_id": 1}))
}

pub fn daemon(scene: &Scene) -> rustix::process::Pid {
    let pid = status(scene)["pid"].as_i64().expect("a pid");
    rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap()
}

#[test]
fn the_end_of_a_line_you_ran_before_is_shown_as_ghost_text() {
    let mut scene = zsh().start();
    scene.types("git st").shows_ghost("git st|atus --short");
    scene.types("as").shows_ghost("git stas|h pop");
    scene.presses(Key::Backspace).presses(Key::Backspace).shows_ghost("git st|atus --short");
    scene.types("x").shows_line("git stx|").stays_without_ghost(A_WHILE);
}

#[test]
fn right_and_end_take_all_of_it() {
    for key in [Key::Right, Key::End, Key::CtrlE, Key::Ctrl('f')] {
        let mut scene = zsh().start();
        scene.types("git st").shows_ghost("git st|atus --short");
        scene.presses(key).shows_line("git status --short|");
    }
}

#[test]
fn a_word_at_a_time_is_taken_as_the_shell_counts_words() {
    for key in [Key::AltRight, Key::CtrlRight, Key::AltF] {
        let mut scene = zsh().start();
        scene.types("l").shows_ghost("l|s -la /usr/share");
        scene.presses(key).shows_ghost("ls |-la /usr/share");
        scene.presses(key).shows_ghost("ls -la |/usr/share");
        scene.presses(key).shows_line("ls -la /usr/share|");
    }
}

#[test]
fn the_right_arrow_takes_a_word_when_told_to() {
    let mut scene = zsh().config("complete.right_arrow = 'word'\n").start();
    scene.types("l").shows_ghost("l|s -la /usr/share");
    scene.presses(Key::Right).shows_ghost("ls |-la /usr/share");
    scene.presses(Key::CtrlE).shows_line("ls -la /usr/share|");
}

#[test]
fn undo_gives_back_what_was_typed() {
    let mut scene = zsh().start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Right).shows_line("git status --short|");
    scene.sends("\x1f").shows_ghost("git st|atus --short");
}

#[test]
fn keys_do_what_they_always_did_when_there_is_nothing_to_take() {
    let mut scene = zsh().start();
    scene.types("echo a b").presses(Key::Home).shows_line("|echo a b");
    scene.presses(Key::Right).shows_line("e|cho a b");
    scene.presses(Key::AltF).shows_line("echo |a b");
    scene.presses(Key::End).shows_line("echo a b|").presses(Key::Right).shows_line("echo a b|");
}

#[test]
fn keys_that_build_on_the_last_one_do_not_notice_an_answer() {
    let rc = "autoload -Uz copy-earlier-word; zle -N copy-earlier-word; bindkey '^[m' copy-earlier-word";
    let script = ScriptedDaemon::new().knows("ls|", &["ls -la /usr/share"]).knows("a b c |", &["a b c e"]);
    let script =
        script.knows("one two|", &["one two three"]).knows("one |", &["one x"]).knows("a b c c|", &["a b c c d"]);
    let words = "print -s a b c c d; print -s a b c e";
    let mut scene = Scene::zsh().scripted(&script).rc(&format!("{rc}; {words}")).start();
    // Every ghost text is a reply that arrived after the key.
    scene.types("ls").shows_ghost("ls| -la /usr/share").presses(Key::Ctrl('u')).settles();
    scene.types("one two").shows_ghost("one two| three").presses(Key::Ctrl('w')).shows_ghost("one |x");
    scene.presses(Key::Ctrl('w')).shows_line("|").presses(Key::Ctrl('y')).shows_ghost("one two| three");
    scene.presses(Key::Alt('y')).shows_ghost("ls| -la /usr/share").presses(Key::Ctrl('u'));
    scene.types("a b c ").shows_ghost("a b c |e").presses(Key::Alt('m')).shows_ghost("a b c c| d");
    scene.presses(Key::Alt('m')).shows_line("a b c b|");
}

#[test]
fn keys_that_mean_something_already_are_left_alone() {
    let rc = "hello() { BUFFER=hello; CURSOR=5 }; zle -N hello; bindkey '^[[1;5C' hello";
    let mut scene = zsh().rc(rc).start();
    scene.types("git st").shows_ghost("git st|atus --short");
    scene.presses(Key::CtrlRight).shows_line("hello|");
}

#[test]
fn no_key_waits_for_another_that_it_did_not_wait_for_before() {
    // Much longer than a test waits for anything.
    let rc = "KEYTIMEOUT=30000; hello() { BUFFER=hello; CURSOR=5 }; zle -N hello";
    let mut scene = zsh().rc(&format!("{rc}; bindkey '^[^[' hello")).start();
    scene.types("git st").shows_ghost("git st|atus --short");
    scene.sends("\x1b\x1b").shows_line("hello|");
    let mut scene = zsh().rc(&format!("{rc}; bindkey -v; bindkey -rpM viins '^['; bindkey '^[' hello")).start();
    scene.types("git st").shows_ghost("git st|atus --short");
    scene.sends("\x1b").shows_line("hello|");
}

#[test]
fn typing_along_asks_nothing_within_a_word() {
    let script = ScriptedDaemon::new().knows("git st|", &["git status --short"]);
    let mut scene = Scene::zsh().scripted(&script).start();
    scene.types("git st").shows_ghost("git st|atus --short").types("atu").shows_ghost("git statu|s --short").settles();
    assert_eq!(script.asked().last().unwrap(), "git st|");
}

#[test]
fn the_middle_of_a_line_has_no_ghost_and_its_end_has_it_again() {
    let mut scene = zsh().start();
    scene.types("git st").shows_ghost("git st|atus --short");
    scene.presses(Key::Left).shows_line("git s|t").stays_without_ghost(A_WHILE);
    scene.presses(Key::Right).shows_ghost("git st|atus --short");
}

#[test]
fn an_accepted_line_leaves_no_ghost_behind() {
    let mut scene = zsh().start();
    scene.types("ls").shows_ghost("ls| -la /usr/share").presses(Key::Backspace).presses(Key::Backspace);
    scene.types("echo").settles();
    scene.runs(" one");
    scene.types("echo").shows_ghost("echo| one").presses(Key::Enter).prompt(3);
    scene.stays_without_ghost(A_WHILE).shows("2> echo\n");
}

#[test]
fn ctrl_c_leaves_no_ghost_behind() {
    let mut scene = zsh().start();
    scene.types("git st").shows_ghost("git st|atus --short");
    scene.presses(Key::CtrlC).prompt(2).stays_without_ghost(A_WHILE).shows("1> git st\n");
    scene.types("git st").shows_ghost("git st|atus --short");
}

#[test]
fn a_trap_of_yours_on_ctrl_c_still_runs() {
    let mut scene = zsh().rc("TRAPINT() { print caught; return $((128 + $1)) }").start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::CtrlC).shows("caught").prompt(2);
    let mut scene = zsh().rc("trap 'print caught' INT").start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::CtrlC).shows("caught");
}

#[test]
fn ctrl_c_keeps_no_precmd_function_from_running() {
    for rc in ["precmd() { calls+=$?, }", "mine() { calls+=$?, }; precmd_functions=(mine $precmd_functions)"] {
        let mut scene = zsh().rc_after(rc).start();
        scene.types("git st").shows_ghost("git st|atus --short").presses(Key::CtrlC).prompt(2);
        scene.types("git st").shows_ghost("git st|atus --short").presses(Key::CtrlC).prompt(3);
        scene.types("echo '").presses(Key::Enter).shows("quote>").presses(Key::CtrlC).prompt(4);
        scene.runs("true");
        assert_eq!(scene.runs("print $calls $precmd_functions[(I)_aside_again]"), "0,130,130,130,0, 0", "{rc}");
    }
}

#[test]
fn ctrl_c_stops_a_command_as_ever() {
    let mut scene = zsh().start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    // Not before it runs: Enter may have to wait for a verdict about it.
    scene.types("print g''o; while true; do read -t 0.01; done").sends("\r").shows("go");
    scene.presses(Key::CtrlC).prompt(2).types("echo code $?").presses(Key::Enter).shows("code 130");
}

#[test]
fn a_paste_is_one_change() {
    let script = ScriptedDaemon::new().knows("g|", &["git status --short"]).knows("git stash|", &["git stash pop"]);
    let mut scene = Scene::zsh().scripted(&script).start();
    scene.types("g").shows_ghost("g|it status --short").pastes("it stash").shows_ghost("git stash| pop").settles();
    assert_eq!(script.asked(), ["g|", "git stash|"]);
}

#[test]
fn keys_typed_faster_than_they_are_drawn_arrive_whole() {
    let mut scene = zsh().start();
    // With the daemon running: while it is being started, zsh may fail to draw a letter (typed text is not lost) because of the
    // SIGCHLD of a finished child, as with any plugin that starts one.
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u')).shows_line("|");
    let line = format!("echo {}", "abcdefghij ".repeat(40));
    scene.sends(&line).shows_line(&format!("{line}|"));
}

#[test]
fn several_lines_can_be_suggested_and_suggested_for() {
    let mut scene = Scene::zsh().history(&["for f in a b; do\n  echo $f\ndone"]).start();
    scene.types("for").shows_ghost("for| f in a b; do\n  echo $f\ndone");
    scene.presses(Key::Ctrl('u')).shows_line("|");
    scene.pastes("for f in a b; do\n  ec").shows_ghost("for f in a b; do\n  ec|ho $f\ndone");
    scene.presses(Key::Right).shows_line("for f in a b; do\n  echo $f\ndone|");
}

#[test]
fn a_long_ghost_wraps_and_survives_a_resize() {
    let long = format!("echo {}", "0123456789".repeat(12));
    let mut scene = Scene::zsh().history(&[&long]).start();
    scene.types("echo 0").shows_ghost(&format!("echo 0|{}", &long[6..]));
    scene.resizes(24, 50).shows_ghost(&format!("echo 0|{}", &long[6..]));
    scene.resizes(24, 100).presses(Key::Right).shows_line(&format!("{long}|"));
}

#[test]
fn the_last_row_and_a_right_prompt_are_safe() {
    let mut scene = zsh().rc("RPROMPT='[right]'").size(6, 60).start();
    for _ in 0..4 {
        scene.runs("echo filler");
    }
    scene.types("git st").wait_for("ghost beside the right prompt", |screen| {
        screen.text().contains("git status --short") && screen.text().contains("[right]")
    });
    scene.presses(Key::Right).presses(Key::Enter).prompt(6);
}

#[test]
fn wide_characters_are_counted_right() {
    let mut scene = Scene::zsh().history(&["echo 日本語 é ok"]).start();
    scene.types("echo 日").shows_ghost("echo 日|本語 é ok");
    scene.presses(Key::Right).shows_line("echo 日本語 é ok|");
}

#[test]
fn vi_mode_keeps_its_keys() {
    let mut scene = zsh().rc("bindkey -v; KEYTIMEOUT=1").start();
    scene.types("git st").shows_ghost("git st|atus --short");
    scene.presses(Key::Esc).shows_line("git s|t").stays_without_ghost(A_WHILE);
    scene.sends("A").shows_line("git st|").types("a").shows_ghost("git sta|tus --short");
    scene.presses(Key::Right).shows_line("git status --short|");
    scene.presses(Key::Esc).sends("0dwi").shows_line("|status --short");
}

#[test]
fn the_words_of_a_task_need_no_quotes() {
    let mut scene = zsh().rc_after("aside() { print -r -- $#: \"$@\" }").start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    assert_eq!(scene.runs("aside task how many files are here?"), "6: task how many files are here?");
    assert_eq!(scene.runs("aside task what's wrong here"), "4: task what's wrong here");
    assert_eq!(scene.runs("aside task run 'make test' && print two"), "3: task run make test\ntwo");
    assert_eq!(scene.runs("aside config get a?"), "zsh: no matches found: a?");
}

/// zsh reads the search text itself, with the keys of the line.
#[test]
fn vi_mode_searches_its_history() {
    let rc = "bindkey -v; KEYTIMEOUT=1; print -s grep -rn TODO src; print -s print other";
    for (search, enter) in [("/grep", "\r"), ("/TODO", "\n"), ("/other", "\x1b")] {
        let mut scene = zsh().rc(rc).start();
        scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u')).presses(Key::Esc).settles();
        scene.sends(search).shows(&search[1..]).sends(enter);
        let found = if search == "/other" { "print other" } else { "grep -rn TODO src" };
        scene.wait_for(found, |screen| screen.row(0).ends_with(found) && screen.row(1).is_empty());
        // Enter is handled by Aside again.
        scene.sends("ddi").types("? ").presses(Key::Enter).shows("say what you want");
    }
}

#[test]
fn a_history_search_is_not_disturbed() {
    let script = ScriptedDaemon::new().knows("git s|", &["git status --short"]);
    let mut scene = Scene::zsh().scripted(&script).rc("print -s git stash pop; print -s git status --short").start();
    scene.types("git s").shows_ghost("git s|tatus --short").presses(Key::Ctrl('r')).shows("bck-i-search:");
    scene.sends("stash").shows("git stash pop");
    scene.shows("bck-i-search: stash").presses(Key::Enter).prompt(2);
}

#[test]
fn a_list_of_completions_stays_and_the_ghost_stays_grey() {
    let rc = "autoload -Uz compinit; compinit -u; mkdir -p ~/d/dirone ~/d/dirtwo; cd ~/d";
    // Only existing files are offered as files, so the word has to be plain text.
    let mut scene = Scene::zsh().history(&["echo dirx"]).config("complete.tab = 'leave'\n").rc(rc).start();
    scene.types("echo di").shows_ghost("echo di|rx").presses(Key::Tab).shows_ghost("echo dir|x");
    scene.presses(Key::Tab).shows("dirone/  dirtwo/").shows_ghost("echo dir|x");
    scene.settles().shows("dirone/  dirtwo/");
}

#[test]
fn lines_of_the_past_are_shown_as_they_were() {
    let mut scene = Scene::zsh().history(&["git status --short", "git status"]).start();
    scene.presses(Key::Up).shows_line("git status|").stays_without_ghost(A_WHILE);
    scene.presses(Key::Down).shows_line("|");
    scene.types("git status").shows_ghost("git status| --short");
}

#[test]
fn a_widget_that_reads_a_text_of_its_own_gets_no_ghost() {
    let rc = "autoload -Uz read-from-minibuffer; ask() { read-from-minibuffer 'name? '; LBUFFER=\"got $REPLY\" }\n\
              zle -N ask; bindkey '^Xm' ask";
    let mut scene = zsh().rc(rc).start();
    scene.types("zz").sends("\x18m").shows("name?").sends("git st").shows("name? git st").stays_without_ghost(A_WHILE);
    // The widget's result is an ordinary line, so it may have ghost text by now.
    scene.sends("\r").shows("1> got git st");
}

#[test]
fn the_line_below_a_walk_through_the_past_has_its_ghost() {
    let mut scene = zsh().start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    scene.runs("true 1");
    scene.runs("true 2");
    scene
        .presses(Key::Up)
        .presses(Key::Up)
        .shows_line("true 1|")
        .presses(Key::Ctrl('o'))
        .prompt(4)
        .shows_line("true 2|");
    scene.presses(Key::Down).presses(Key::Down).presses(Key::Ctrl('u')).shows_line("|");
    scene.types("git st").shows_ghost("git st|atus --short");
}

#[test]
fn vared_and_continuation_lines_get_no_ghost() {
    let mut scene = zsh().start();
    scene.types("x=; vared x").presses(Key::Enter).sends("git st").settles();
    scene.stays_without_ghost(A_WHILE).sends("\r").prompt(2);
    scene.types("echo '").presses(Key::Enter).shows("quote>").sends("git st").stays_without_ghost(A_WHILE);
    scene.sends("'\r").prompt(3);
}

#[test]
fn reading_the_rc_file_again_changes_nothing() {
    let mut scene = zsh().start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    scene.runs(r#"for i in 1 2; do eval "$(aside init zsh)"; done"#);
    assert_eq!(scene.runs("print ${(M)#precmd_functions:#_aside*} ${(M)#preexec_functions:#_aside*}"), "1 1");
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Right).shows_line("git status --short|");
}

#[test]
fn what_is_read_after_the_first_prompt_is_found_whatever_became_of_its_file() {
    let spoilt = [
        "rm $_aside_file",
        "print -n half >$_aside_file",
        "print -rn -- ${${$(<$_aside_file)}[1,-9]} >$_aside_file",
        // As in a stale copy of what an older version printed.
        "_aside_mark='aside 0.0.1 0123456789abcdef'",
        "_aside_file=/nowhere/at/all",
        "setopt no_unset err_return ksh_arrays sh_word_split noclobber; rm $_aside_file",
        // Then `init` prints all of it.
        "chmod 755 $_aside_socket:h; eval \"$(aside init zsh)\"; [[ -z $_aside_file ]] || print -u2 lies in an open place",
    ];
    for line in spoilt {
        let mut scene = zsh().rc_after(line).start();
        scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Right).shows_line("git status --short|");
        assert!(!scene.screen().contains("aside"), "{line}: {}", scene.screen().text());
        scene.presses(Key::Ctrl('u'));
        assert_eq!(scene.runs("print \"<$_aside_file>\""), "<>", "{line}: it is read once");
    }
}

#[test]
fn where_it_cannot_be_found_at_all_the_shell_is_as_without_us() {
    let mut scene = zsh().rc_after("_aside_file=/nowhere/at/all _aside_bin=/nowhere/aside").start();
    scene.types("git st").shows_line("git st|").stays_without_ghost(A_WHILE).presses(Key::Ctrl('u'));
    assert_eq!(scene.runs("print one"), "one");
    // Nor does it keep trying.
    assert_eq!(scene.runs("print two $_aside_gone"), "two 1");
    assert!(!scene.screen().contains("aside:"), "{}", scene.screen().text());
}

#[test]
fn a_trap_of_yours_that_is_read_again_leaves_no_ghost_behind() {
    let mut scene = zsh().rc("TRAPINT() { print caught; return $((128 + $1)) }").start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    scene.runs(r#"TRAPINT() { print again; return $((128 + $1)) }; eval "$(aside init zsh)""#);
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::CtrlC).shows("again").prompt(3);
    scene.stays_without_ghost(A_WHILE);
}

/// A line or two may pass without Aside, since it notices only then; and the other plugin's hook still runs.
#[track_caller]
fn survives(stage: Setup, hook: &str) {
    let mut scene = stage.start();
    scene.runs("true");
    scene.runs("true");
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Right).shows_line("git status --short|");
    scene.presses(Key::Ctrl('u'));
    assert_eq!(scene.runs("print $called; ls -l /proc/self/fd | grep -c socket"), "yes\n0", "{hook}");
}

#[test]
fn a_widget_put_in_the_place_of_our_hooks_does_not_end_us() {
    for hook in ["line-init", "line-pre-redraw", "line-finish"] {
        survives(zsh().rc_after(&format!("mine() {{ called=yes }}; zle -N zle-{hook} mine")), hook);
    }
}

#[test]
fn strange_options_and_aliases_do_not_get_in() {
    let rc = "setopt ksh_arrays sh_word_split glob_subst no_unset no_clobber null_glob ignore_braces \
              no_multibyte rc_quotes bsd_echo\n\
              alias print='echo hacked' zle='echo hacked' exec='echo hacked' local='echo hacked' typeset='echo hacked' \
              builtin='echo hacked' emulate='echo hacked' unset='echo hacked' add-zle-hook-widget='echo hacked'\n\
              alias -g '||'='echo' ; unsetopt multibyte; setopt multibyte";
    let mut scene = zsh().rc(rc).start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Right).shows_line("git status --short|");
    scene.presses(Key::Ctrl('u')).runs("true");
    assert!(!scene.screen().contains("hacked"), "{}", scene.screen().text());
    scene.types("git st").shows_ghost("git st|atus --short");
}

#[test]
fn a_hook_of_yours_that_fails_does_not_end_us() {
    for hook in ["line-init", "line-pre-redraw", "line-finish"] {
        survives(zsh().rc(&format!("mine() {{ called=yes; return 1 }}; zle -N zle-{hook} mine")), hook);
    }
}

#[test]
fn widgets_of_yours_keep_your_options() {
    let rc = "setopt extended_glob; look() { [[ ABC == (#i)abc ]] && saw+=\"$1 \" }; name=mine how=mine widget=mine\n\
              zle-line-init() { look init }; zle -N zle-line-init\n\
              forward-word() { look word; name+=1; how+=1; widget+=1; zle .forward-word }; zle -N forward-word\n\
              TRAPINT() { look int; return 130 }";
    let mut scene = zsh().rc(rc).start();
    scene.types("ls").shows_ghost("ls| -la /usr/share").presses(Key::AltF).shows_ghost("ls |-la /usr/share");
    scene.presses(Key::CtrlC).prompt(2);
    assert_eq!(scene.runs("print -r - $=saw $name $how $widget"), "init word int init mine1 mine1 mine1");
}

#[test]
fn a_trap_on_failure_and_a_trace_show_nothing_of_ours() {
    let mut scene = zsh().rc("TRAPZERR() { print failed }").start();
    scene.types("git st").shows_ghost("git st|atus --short").types("x").stays_without_ghost(A_WHILE);
    scene.presses(Key::Backspace).shows_ghost("git st|atus --short").presses(Key::Right).presses(Key::Right);
    scene.presses(Key::CtrlE).presses(Key::AltF).presses(Key::Ctrl('u')).shows_line("|");
    scene.runs("aside-off");
    scene.runs("aside-on");
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u')).runs("true");
    assert!(!scene.screen().contains("failed"), "{}", scene.screen().text());
    let mut scene = zsh().start();
    scene.runs("set -x");
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u')).runs("true");
    assert!(!scene.screen().contains("_aside"), "{}", scene.screen().text());
}

#[test]
fn starting_prints_nothing_and_leaves_the_status_alone() {
    let home = crate::harness::home::Home::new();
    home.write(".zshrc", "true\neval \"$(aside init zsh)\"\nprint status $?\n");
    for args in [["-ic", "exit"], ["-c", "source ~/.zshrc; exit"]] {
        let mut command = home.command("zsh");
        command.args(args);
        let said = crate::harness::home::run(&mut command, "");
        assert_eq!((said.stdout.as_str(), said.stderr.as_str(), said.code), ("status 0\n", "", 0), "{args:?}");
    }
}

#[test]
fn a_dumb_terminal_and_a_switched_off_aside_are_left_alone() {
    for (name, value) in [("TERM", "dumb"), ("ASIDE_DISABLE", "1")] {
        let mut scene = zsh().env(name, value).start();
        assert_eq!(scene.runs("print $+functions[TRAPINT] $precmd_functions[(I)_aside*]"), "0 0", "{name}");
    }
}

#[test]
fn aside_off_and_on() {
    let mut scene = zsh().start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    scene.runs("aside-off");
    scene.types("git st").shows_line("git st|").stays_without_ghost(A_WHILE).presses(Key::Ctrl('u'));
    scene.runs("aside-on");
    scene.types("git st").shows_ghost("git st|atus --short");
}

#[test]
fn settings_change_without_a_new_shell() {
    let mut scene = zsh().ghost(Color::Idx(6)).config("complete.ghost_style = 'fg=cyan'\n").start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    scene.home.write(".config/aside/config.toml", "complete.enabled = false\n");
    // The file is checked once a second; a prompt after that sees the change.
    let mut number = 1;
    loop {
        scene.runs("sleep 0.2");
        number += 1;
        let welcome = scene.wire().record(&["1", "hello", "1"]);
        if welcome[4] == "off" || number > 40 {
            break;
        }
    }
    scene.runs("true");
    scene.types("git st").shows_line("git st|").stays_without_ghost(A_WHILE);
}

#[test]
fn children_inherit_nothing() {
    let mut scene = zsh().start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    assert_eq!(scene.runs("ls -l /proc/self/fd | grep -c socket"), "0");
    assert_eq!(scene.runs("echo to-stderr >&2"), "to-stderr");
}

#[test]
fn what_a_prompt_starts_inherits_nothing_after_ctrl_c_either() {
    let rc = "look() { open=$(ls -l /proc/self/fd | grep -c socket) }; precmd_functions+=(look)";
    let mut scene = zsh().rc(rc).start();
    // zsh may lose a signal that arrives while it reads a reply; no user is that quick.
    scene.types("git st").shows_ghost("git st|atus --short").settles().presses(Key::CtrlC).prompt(2);
    assert_eq!(scene.runs("print $open"), "0", "after Ctrl-C");
    scene.types("git st").shows_ghost("git st|atus --short").settles().presses(Key::Ctrl('g')).prompt(4);
    assert_eq!(scene.runs("print $open"), "0", "after Ctrl-G");
}

#[test]
fn commands_are_recorded_with_what_is_known_about_them() {
    let mut scene = Scene::zsh().rc("mkdir -p ~/code; HISTORY_IGNORE='pwd*'; setopt hist_ignore_space").start();
    scene.runs("cd ~/code");
    scene.runs("sh -c 'exit 7'");
    scene.runs(" echo hidden");
    scene.runs("pwd");
    scene.runs("export API_TOKEN=abcdef123456");
    scene.runs("echo last");
    let rows = recorded(&scene.home, 3);
    let commands: Vec<&str> = rows.iter().map(|row| row["command"].as_str().unwrap()).collect();
    assert_eq!(commands, ["cd ~/code", "sh -c 'exit 7'", "echo last"]);
    assert_eq!(rows[1]["exit"], 7);
    assert_eq!(rows[1]["shell"], "zsh");
    assert!(rows[1]["cwd"].as_str().unwrap().ends_with("/code"), "{rows:?}");
    assert!(rows[0]["cwd"].as_str().unwrap().ends_with("home"), "{rows:?}");
    assert!(rows[1]["start_ms"].as_i64().unwrap() > 1_700_000_000_000, "{rows:?}");
}

#[test]
fn the_shells_own_history_is_imported_when_there_is_none() {
    let mut scene = Scene::zsh()
        .file(".zsh_history", ": 1700000000:0;git status --short\n")
        .file(".git/HEAD", "ref: refs/heads/main\n")
        .rc("HISTFILE=~/.zsh_history HISTSIZE=100 SAVEHIST=100")
        .start();
    scene.wait_for("a first line", |_| true);
    // The import runs in the background; a line typed before it has ended asks too early.
    while status(&scene)["history"]["commands"] == 0 {}
    scene.types("git st").shows_ghost("git st|atus --short");
}

#[test]
fn without_the_program_it_is_as_if_we_were_not_there() {
    let mut scene = zsh().rc_after("_aside_bin=/nowhere/aside; _aside_socket=/nowhere/aside.sock").start();
    scene.types("git st").shows_line("git st|").stays_without_ghost(A_WHILE);
    scene.presses(Key::Right).shows_line("git st|").presses(Key::Ctrl('u'));
    assert_eq!(scene.runs("echo fine"), "fine");
    scene.screen_is("1> echo fine\nfine\n2>");
}

#[test]
fn a_daemon_that_hangs_is_not_felt() {
    let mut scene = zsh().start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    let pid = daemon(&scene);
    rustix::process::kill_process(pid, Signal::STOP).unwrap();
    let line = format!("echo {}", "0123456789".repeat(60));
    scene.types(&line).shows_line(&format!("{line}|")).presses(Key::Ctrl('u'));
    for _ in 0..30 {
        assert_eq!(scene.runs("echo fine"), "fine");
    }
    assert_eq!(scene.runs("print $_aside_silent"), "the daemon does not answer");
    rustix::process::kill_process(pid, Signal::CONT).unwrap();
    // The plugin had stopped trying for a while; the user turns it on explicitly.
    scene.runs("aside-on");
    scene.types("git st").shows_ghost("git st|atus --short");
    // Nothing was lost: the imported three, thirty times `echo fine`, the question and `aside-on`.
    recorded(&scene.home, 3 + 30 + 2);
}

#[test]
fn lines_that_end_before_the_daemon_can_answer_are_not_held_against_it() {
    let mut scene = zsh().start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    let pid = daemon(&scene);
    rustix::process::kill_process(pid, Signal::STOP).unwrap();
    for _ in 0..8 {
        assert_eq!(scene.runs("echo fine"), "fine");
    }
    rustix::process::kill_process(pid, Signal::CONT).unwrap();
    scene.types("git st").shows_ghost("git st|atus --short");
    recorded(&scene.home, 3 + 8);
}

#[test]
fn killing_the_daemon_while_typing_is_not_noticed() {
    // A single word, so that every source offers the same.
    let mut scene = Scene::zsh().history(&["frobnicate"]).rc("frobnicate() { : }").start();
    scene.types("frob").shows_ghost("frob|nicate").presses(Key::Ctrl('u'));
    let rounds: usize = std::env::var("ASIDE_TEST_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(25);
    for round in 1..=rounds {
        scene.types("ec");
        rustix::process::kill_process(daemon(&scene), Signal::KILL).unwrap();
        scene.types("ho ").types(&format!("r{round}"));
        scene.wait_for("every key", |screen| screen.contains(&format!("{round}> echo r{round}")));
        scene.presses(Key::Enter).prompt(round + 1);
        scene.types("frob").shows_ghost("frob|nicate").presses(Key::Ctrl('u')).shows_line("|");
    }
    let screen = scene.screen();
    let strange: Vec<String> = (0..screen.size().0)
        .map(|row| screen.row(row))
        .filter(|row| !row.is_empty() && !row.contains("> echo r") && !row.starts_with('r') && !row.ends_with('>'))
        .collect();
    assert_eq!(strange, Vec::<String>::new());
}

#[test]
fn a_zsh_without_sockets_talks_through_a_pipe() {
    // A directory with all modules but one; zsh looks only there.
    let rc = "mods=($module_path[1]); mkdir -p ~/modules/zsh/net; \
              for f in $mods/zsh/*(N); do [[ $f:t == net ]] || ln -sf $f ~/modules/zsh/; done; \
              module_path=(~/modules)";
    let mut scene = zsh().rc(rc).start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Right).shows_line("git status --short|");
    scene.presses(Key::Ctrl('u')).settles();
    assert_eq!(scene.runs("print $_aside_transport; jobs"), "pipe");
    rustix::process::kill_process(daemon(&scene), Signal::KILL).unwrap();
    scene.runs("true");
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u'));
    scene.runs("true");
    scene.settles();
    let deadline = Instant::now() + patience();
    while !status(&scene)["sessions"].to_string().contains("transport=pipe") {
        assert!(Instant::now() < deadline, "{}", status(&scene)["sessions"]);
    }
}

#[test]
fn a_line_with_a_nul_in_it_is_nobodys_business() {
    let mut scene = zsh().start();
    scene.types("git st").shows_ghost("git st|atus --short").presses(Key::Ctrl('u')).settles();
    let before = status(&scene)["answered"].as_u64().unwrap();
    scene.types("echo a").sends("\x16\0").types("b").shows_line("echo a^@b|").stays_without_ghost(A_WHILE);
    scene.presses(Key::Enter).prompt(2).settles();
    let after = status(&scene)["answered"].as_u64().unwrap();
    assert!(after - before < 20, "{} questions for seven keys and a command", after - before - 1);
    scene.types("git st").shows_ghost("git st|atus --short");
}
