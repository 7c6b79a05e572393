//! What Enter and Tab in bash still do when Enter asks the daemon first: every way to end a line, every option that changes how.

use crate::harness::keys::Key;
use crate::prose_bash::{PATIENT, bash, listener};

#[test]
fn a_prompt_of_two_rows_comes_once() {
    let script = listener().takes("do we know");
    let rc =
        "PROMPT_COMMAND+='; PS1=\"\\[\\e[32m\\]above \\w\\[\\e[0m\\]\\n\\[\\e[1m\\]$_scene_number> \\[\\e[0m\\]\"'";
    let mut scene = bash(&script).rc(rc).start();
    scene.runs("true");
    scene.runs("do we know");
    scene.screen_is(
        "
        above ~
        1> true
        above ~
        2> do we know
        do we know (0, it reads like one)
        above ~
        3> ▮",
    );
}

#[test]
fn a_prompt_that_counts_counts_on() {
    let script = listener().takes("do we know");
    let rc = "n=0; PROMPT_COMMAND+='; PS1=\"$_scene_number> \"; PS1=\"\\$((++n, 0)):\\$? $PS1\"'";
    let mut scene = bash(&script).rc(rc).begins();
    scene.shows("0:0 1>");
    scene.types("(exit 3)").presses(Key::Enter).shows("0:3 2>");
    scene.types("do we know").presses(Key::Enter).shows("0:3 2> do we know\ndo we know (0, it reads like one)\n0:3 3>");
    scene.types("echo $n").presses(Key::Enter).shows("3> echo $n\n3\n");
}

#[test]
fn a_pasted_loop_runs() {
    let script = listener().takes("done for the day");
    let mut scene = bash(&script).start();
    scene.pastes("for i in 1 2; do\n  echo \"the $i\"\ndone").presses(Key::Enter).prompt(2);
    scene.shows("done\nthe 1\nthe 2\n2>");
    assert_eq!(script.doubted(), Vec::<String>::new());
}

#[test]
fn a_sentence_that_was_pasted_with_the_end_of_its_line_is_one() {
    let script = listener().takes("do we know");
    let mut scene = bash(&script).start();
    scene.pastes("do we know\n").presses(Key::Enter).prompt(2).shows("do we know (0, it reads like one)\n2>");
}

#[test]
fn lines_that_go_on_are_not_asked_about() {
    let script = listener().takes("do echo the $i").takes("what is the matter").takes("done for the day");
    let mut scene = bash(&script).start();
    scene.types("for i in 1 2").presses(Key::Enter).shows("\n>");
    scene.types("do echo the $i").presses(Key::Enter).shows("\n> do echo the $i\n>");
    scene.types("done").presses(Key::Enter).prompt(2).shows("the 1\nthe 2\n2>");
    scene.types("cat <<end").presses(Key::Enter).shows("cat <<end\n>");
    scene.types("what is the matter").presses(Key::Enter).shows("matter\n>");
    scene.types("end").presses(Key::Enter).prompt(3).shows("end\nwhat is the matter\n3>");
    assert_eq!(script.doubted(), ["before for i in 1 2"]);
}

#[test]
fn lines_that_a_command_reads_are_the_command_s() {
    let script = listener().takes("what is the matter");
    let key = "ask() { local REPLY; read -e; said=$REPLY; }; bind -x '\"\\C-t\": ask'";
    let mut scene = bash(&script).rc(key).start();
    scene.types("read -e line").presses(Key::Enter);
    scene.types("what is the matter").presses(Key::Enter).prompt(2);
    assert_eq!(scene.runs("echo \"$line\""), "what is the matter");
    // bash itself then treats the line at the prompt as accepted, too.
    scene.sends("\x14").types("what is the matter").presses(Key::Enter).prompt(4);
    assert_eq!(scene.runs("echo \"$said\""), "what is the matter");
    assert_eq!(script.doubted(), Vec::<String>::new());
}

#[test]
fn vi_keys_ask_in_both_modes() {
    let script = listener().takes("do we know").takes("why so slow?");
    let mut scene = bash(&script).rc("set -o vi; bind 'set keyseq-timeout 50'").start();
    assert_eq!(scene.runs("do we know"), "do we know (0, it reads like one)");
    scene.types("why so slow?").presses(Key::Esc).presses(Key::Left).presses(Key::Enter).prompt(3);
    scene.shows("why so slow? (0, it reads like one)\n3>");
    scene.types("cho hi").presses(Key::Esc).types("0").sends("ie").presses(Key::Enter).prompt(4);
    scene.shows("3> echo hi\nhi\n4>");
}

#[test]
fn other_keys_that_end_a_line_do_as_ever() {
    let script = listener().takes("do we know");
    let mut scene = bash(&script).start();
    scene.runs("echo one");
    scene.runs("echo two");
    scene.presses(Key::Up).presses(Key::Up).shows_line("echo one|").presses(Key::Ctrl('o')).prompt(4);
    scene.shows_line("echo two|").presses(Key::CtrlC).prompt(5);
    scene.presses(Key::Ctrl('r')).types("one").shows("`one': echo one").presses(Key::Enter).prompt(6);
    scene.shows("5> echo one\none\n6>");
    scene.types("echo three four").presses(Key::Ctrl('w')).shows_line("echo three |").presses(Key::Ctrl('_'));
    scene.shows_line("echo three four|").presses(Key::Enter).prompt(7).shows("\nthree four\n7>");
    scene.types("do we know").presses(Key::Ctrl('j')).prompt(8).shows("do we know (0, it reads like one)\n8>");
}

#[test]
fn the_last_argument_stays() {
    let script = listener().takes("do we know");
    let mut scene = bash(&script).start();
    scene.runs("true first");
    assert_eq!(scene.runs("echo $_ ${PIPESTATUS[@]}"), "first 0");
    scene.runs("true second | false");
    scene.runs("do we know");
    assert_eq!(scene.runs("echo $?"), "1");
}

#[test]
fn tab_takes_what_was_proposed_and_is_yours_again() {
    let script = listener().takes("do we know");
    let rc = "_frob() { COMPREPLY=(thing); }; complete -F _frob frob; bind 'set bell-style none'";
    let mut scene = bash(&script).rc(rc).file("proposal", "echo known\n").start();
    assert_eq!(scene.runs("do we know"), "do we know (0, it reads like one)\n  echo known  Tab takes it");
    scene.presses(Key::Tab).shows_line("echo known|").presses(Key::Enter).prompt(3).shows("\nknown\n3>");
    scene.types("frob th").presses(Key::Tab).shows_line("frob thing |").presses(Key::CtrlC).prompt(4);
    assert_eq!(scene.runs("bind -q complete | grep -c 'C-i'"), "1");
}

#[test]
fn tab_on_a_line_completes_it_though_something_is_proposed() {
    let script = listener().takes("do we know");
    let rc = "_frob() { COMPREPLY=(alpha beta); }; complete -F _frob frob; bind 'set bell-style none'";
    let mut scene = bash(&script).rc(rc).file("proposal", "echo known\n").start();
    scene.runs("do we know");
    // Pressing Tab twice lists the matches, as in plain bash.
    scene.types("frob ").presses(Key::Tab).presses(Key::Tab).shows("alpha  beta").shows_line("frob |");
    scene.presses(Key::CtrlC).prompt(3);
    scene.runs("do we know");
    scene.presses(Key::CtrlC).prompt(5);
    assert_eq!(scene.runs("bind -q complete | grep -c 'C-i'"), "1");
}

#[test]
fn a_tab_of_yours_is_never_taken() {
    let script = listener().takes("do we know");
    let rc = "bind -x '\"\\C-i\": READLINE_LINE+=mine READLINE_POINT=99'";
    let mut scene = bash(&script).rc(rc).file("proposal", "echo known\n").start();
    assert_eq!(scene.runs("do we know"), "do we know (0, it reads like one)\n  echo known");
    scene.presses(Key::Tab).shows_line("mine|");
}

#[test]
fn an_enter_of_yours_stays_and_failures_are_still_noticed() {
    let script = listener().takes("frob the thing").takes_failed("frob the thing");
    let rc = "frob() { return 6; }; bind '\"\\C-m\": \"\\C-e # mine\\C-j\"'";
    let mut scene = bash(&script).rc(rc).rc_after("bind '\"\\C-j\": accept-line'").start();
    scene.types("frob the thing").presses(Key::Enter).prompt(2);
    scene.shows("1> frob the thing # mine\n2>");
    // The user's own accept-line binding asks the daemon; Enter goes through it.
    assert_eq!(script.doubted(), ["before frob the thing # mine", "after 6 frob the thing # mine"]);
    assert_eq!(script.told("hello").pop().unwrap()[9], "keys=emacs\nenter=theirs");
}

#[test]
fn where_ble_sh_reads_the_line_only_failures_are_noticed() {
    let script = listener().takes("frob the thing").takes_failed("frob the thing");
    let mut scene = bash(&script).rc_after("frob() { return 6; }; BLE_VERSION=0.4").start();
    assert_eq!(scene.runs("frob the thing"), "frob the thing (6, it reads like one)");
    assert_eq!(script.doubted(), ["after 6 frob the thing"]);
    assert_eq!(scene.runs("bind -X | grep -c aside"), "0");
}

#[test]
fn strict_options_break_nothing() {
    for options in
        ["set -u", "set -e", "set -o posix", "set -f; IFS=aei", "shopt -s extdebug nocasematch extglob; trap : DEBUG"]
    {
        let script = listener().takes("do we know").takes("why so slow?");
        let mut scene = bash(&script).rc_after(options).start();
        assert_eq!(scene.runs("do we know"), "do we know (0, it reads like one)", "{options}");
        assert_eq!(scene.runs("echo one   two"), "one two", "{options}");
        assert_eq!(scene.runs("why so slow?"), "why so slow? (0, it reads like one)", "{options}");
        assert_eq!(scene.runs("type -t echo"), "builtin", "{options}");
        scene.types("half").presses(Key::CtrlC).prompt(6);
    }
}

#[test]
fn prompt_commands_in_an_array_go_on() {
    let script = listener().takes("do we know").takes_failed("frob the thing");
    let rc = "frob() { return 7; }; PROMPT_COMMAND=(_scene_prompt 'last=$?')";
    let mut scene = bash(&script).rc(rc).start();
    assert_eq!(scene.runs("frob the thing"), "frob the thing (7, it reads like one)");
    scene.runs("do we know");
    assert_eq!(scene.runs("echo $last"), "7");
}

#[test]
fn read_twice_it_is_there_once() {
    let script = listener().takes("do we know");
    let mut scene = bash(&script).start();
    scene.runs(&format!("eval \"$(aside init bash)\"; {PATIENT}"));
    assert_eq!(scene.runs("do we know"), "do we know (0, it reads like one)");
    assert_eq!(scene.runs("echo still"), "still");
}

#[test]
fn no_job_is_announced_and_none_is_left() {
    let script = listener().takes("do we know");
    let mut scene = bash(&script).start();
    scene.runs("set -b; sleep 300 &");
    scene.runs("do we know");
    assert_eq!(scene.runs("jobs | wc -l; kill %1; wait").lines().next(), Some("1"));
}
