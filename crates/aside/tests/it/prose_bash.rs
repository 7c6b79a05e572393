//! Prose in bash: which lines are sent to the classifier, and what happens to prose before a line runs and after it has failed.

use crate::harness::home::ASIDE;
use crate::harness::keys::Key;
use crate::harness::scene::Scene;
use crate::harness::screen::GHOST;
use crate::harness::scripted_daemon::ScriptedDaemon;
use crate::harness::setup::Setup;

/// A daemon that wants prose answered.
pub fn listener() -> ScriptedDaemon {
    ScriptedDaemon::new().sets("reroute", "answer")
}

/// A bash with a scripted daemon as the classifier and a stub for `aside answer`, which prints its request and proposes the text of
/// the file `proposal`.
pub fn bash(script: &ScriptedDaemon) -> Setup {
    Scene::bash().scripted(script).file("aside", &stand_in()).rc_after(PATIENT)
}

/// The plugin waits for the daemon as long as a loaded machine may take.
pub const PATIENT: &str = "_aside_bin=~/aside _aside_patience=9000";

pub fn stand_in() -> String {
    format!(
        r#"#!/bin/sh
[ "$1" = answer ] || exec '{ASIDE}' "$@"
while [ $# -gt 0 ]; do
  [ "$1" != --exit ] || code=$2
  [ "$1" != --reason ] || reason=$2
  [ "$1" != --hint ] || hint=$2
  shift
done
words=$(cat)
echo "$words ($code, $reason)"
case $words in *forever) exec sleep 600 ;; esac
[ -f ~/proposal ] || exit 0
cat ~/proposal >&3
echo "  $(cat ~/proposal)${{hint:+  $hint}}"
"#
    )
}

#[test]
fn a_sentence_is_answered_instead_of_run() {
    let script = listener().takes("do we have a way out");
    let mut scene = bash(&script).start();
    scene.runs("(exit 3)");
    scene.types("do we have a way out").presses(Key::Enter).prompt(3);
    scene.screen_is(
        "
        1> (exit 3)
        2> do we have a way out
        do we have a way out (0, it reads like one)
        3> ▮",
    );
    assert_eq!(scene.runs("echo $?"), "3");
    assert_eq!(script.doubted(), ["before do we have a way out"]);
}

#[test]
fn no_sentence_reaches_the_continuation_prompt() {
    let sentences =
        ["what's my ip", "while you are at it fix the tests", "how many files here?", "if you can (really)"];
    let script = sentences.iter().fold(listener(), |script, sentence| script.takes(sentence));
    let mut scene = bash(&script).start();
    for sentence in sentences {
        assert_eq!(scene.runs(sentence), format!("{sentence} (0, it reads like one)"));
    }
}

#[test]
fn plain_commands_are_not_asked_about() {
    let script = listener();
    let mut scene = bash(&script).rc("ll() { :; }; alias really=true; mkdir -p 'not'").start();
    let commands = [
        "true",
        "ll",
        "really",
        "echo one two",
        "true --for=the -- a.txt",
        "./missing the way",
        "A=1 true the",
        "(exit 0)",
        "\\true the way",
        "$SHELL -c 'exit 0' the way",
        "# the way it is",
        "~/missing the way",
        "[ -n the ]",
        ": > out",
    ];
    for command in commands {
        scene.runs(command);
    }
    assert_eq!(script.doubted(), Vec::<String>::new());
}

#[test]
fn what_the_daemon_leaves_to_the_shell_runs_as_typed() {
    let script = listener();
    let mut scene = bash(&script).rc("make() { echo \"made $*\"; }").start();
    assert_eq!(scene.runs("make sure the tests pass"), "made sure the tests pass");
    assert_eq!(scene.runs("for i in 1 2; do echo the $i; done"), "the 1\nthe 2");
    assert_eq!(scene.runs("if true; then echo so it is; fi"), "so it is");
    let asked = ["before make sure the tests pass", "before for i in 1 2; do echo the $i; done"];
    assert_eq!(script.doubted()[..2], asked);
    assert_eq!(script.told("detect")[0][8], "function");
    assert_eq!(script.told("detect")[1][8], "reserved");
}

#[test]
fn the_history_has_the_sentence_once_as_it_was_typed() {
    let script = listener().takes("what's my ip").takes("why so slow?");
    let mut scene = bash(&script).start();
    scene.runs("echo one");
    scene.runs("what's my ip");
    scene.runs("@  and   now?");
    scene.runs("why so slow?");
    scene.types("exit").presses(Key::Enter).ends();
    assert_eq!(scene.home.read(".bash_history"), "echo one\nwhat's my ip\n@  and   now?\nwhy so slow?\nexit\n");
}

#[test]
fn what_the_person_keeps_out_of_the_history_stays_out() {
    let script = listener().takes("why so slow?").takes("do we know this").takes("what's that");
    let mut scene = bash(&script).rc("HISTCONTROL=ignoreboth HISTIGNORE='do we*'").start();
    for line in [" why so slow?", "why so slow?", "why so slow?", "do we know this", "what's that", " true"] {
        scene.runs(line);
    }
    scene.types("exit").presses(Key::Enter).ends();
    assert_eq!(scene.home.read(".bash_history"), "why so slow?\nwhat's that\nexit\n");
    // Prose is not recorded as the command either, when the history ignores the command after it.
    assert_eq!(script.told("finished").len(), 0);
}

#[test]
fn without_a_history_nothing_comes_into_it() {
    let script = listener().takes("why so slow?");
    let mut scene = bash(&script).rc_after("unset HISTFILE; set +o history").start();
    assert_eq!(scene.runs("why so slow?"), "why so slow? (0, it reads like one)");
    assert_eq!(scene.runs("history | wc -l"), "0");
}

#[test]
fn up_brings_a_sentence_back() {
    let script = listener().takes("why so slow?");
    let mut scene = bash(&script).start();
    scene.runs("why so slow?");
    scene.presses(Key::Up).shows_line("why so slow?|");
    scene.presses(Key::Enter).prompt(3);
    scene.presses(Key::Up).presses(Key::Up).shows_line("why so slow?|");
    assert_eq!(script.doubted().len(), 2);
}

#[test]
fn other_alphabets_are_asked_about() {
    let script = listener().takes("磁盘还剩多少空间").takes("покажи файлы").takes("make 一下 这个项目");
    let mut scene = bash(&script).rc("make() { echo made; }").start();
    assert_eq!(scene.runs("磁盘还剩多少空间"), "磁盘还剩多少空间 (0, it reads like one)");
    assert_eq!(scene.runs("покажи файлы"), "покажи файлы (0, it reads like one)");
    assert_eq!(scene.runs("make 一下 这个项目"), "make 一下 这个项目 (0, it reads like one)");
    assert_eq!(scene.runs("echo '日本語 — ça va'"), "日本語 — ça va");
}

#[test]
fn a_long_line_stays_where_it_is() {
    let sentence = "how do ".to_owned() + &"very ".repeat(58) + "long";
    let script = listener().takes(&sentence);
    let mut scene = bash(&script).start();
    assert_eq!(scene.runs(&sentence), format!("{sentence} (0, it reads like one)"));
    let command = "echo ".to_owned() + &"all the ".repeat(37);
    assert_eq!(scene.runs(&command), command[5..].trim_end());
    let rows = scene.screen().rendered(GHOST);
    let prompts: Vec<&str> = rows.iter().filter_map(|row| row.get(..2)).filter(|row| row.ends_with('>')).collect();
    assert_eq!(prompts, ["1>", "2>", "3>"]);
}

#[test]
fn an_answer_can_be_stopped() {
    let script = listener().takes("tell me a story forever");
    let mut scene = bash(&script).start();
    scene.types("tell me a story forever").presses(Key::Enter).shows("forever (0, it reads like one)");
    scene.presses(Key::CtrlC).prompt(2);
    scene.screen_is(
        "
        1> tell me a story forever
        tell me a story forever (0, it reads like one)
        2> ▮",
    );
    assert_eq!(scene.runs("jobs; echo $?"), "0");
}

#[test]
fn at_asks_without_a_question() {
    let script = listener();
    let mut scene = bash(&script).start();
    assert_eq!(scene.runs("@ ls *"), "ls * (0, )");
    assert_eq!(scene.runs("  @ what's \"this"), "what's \"this (0, )");
    assert_eq!(script.doubted(), Vec::<String>::new());
    assert_eq!(scene.runs("@").split(": ").last(), Some("command not found"));
}

#[test]
fn another_prefix_runs_whatever_follows() {
    let script = listener().sets("agent_prefix", "hey").sets("shell_prefix", "!").takes("what is this");
    let mut scene = bash(&script).rc("what() { echo \"$# words\"; }").start();
    // The plugin learns the settings with the first reply.
    scene.runs("what is this");
    scene.types("!what is this").presses(Key::Enter).prompt(3).shows("2> what is this\n2 words\n3>");
    assert_eq!(scene.runs("hey what is this"), "what is this (0, )");
}

#[test]
fn off_leaves_everything_to_the_shell_but_at() {
    let script = ScriptedDaemon::new().sets("reroute", "off").takes("frob the thing").takes_failed("frob the thing");
    let mut scene = bash(&script).config("[detect]\nreroute = \"off\"\n").rc("frob() { echo ran; false; }").start();
    assert_eq!(scene.runs("frob the thing"), "ran");
    assert_eq!(scene.runs("@ frob"), "frob (0, )");
    assert_eq!(script.doubted(), Vec::<String>::new());
    // A shell that started with rerouting on learns with its first reply that it is off, and stops asking for a while.
    let script = ScriptedDaemon::new().sets("reroute", "off").takes("frob the thing").takes_failed("frob the thing");
    let mut scene = bash(&script).rc("frob() { echo ran; false; }").start();
    assert_eq!(scene.runs("frob the thing"), "ran");
    assert_eq!(scene.runs("frob the thing"), "ran");
    assert_eq!(script.doubted().len(), 1);
}

#[test]
fn offer_says_so_and_runs_at_the_second_enter() {
    let script = listener().sets("reroute", "offer").takes("frob the thing").takes_failed("frob the thing");
    let mut scene = bash(&script).rc("frob() { echo ran; false; }").start();
    scene.types("frob the thing").presses(Key::Enter);
    scene.screen_is(
        "
        reads like a sentence: Enter again runs it, @ in front of it asks
        1> frob the thing▮",
    );
    scene.presses(Key::Enter).prompt(2);
    scene.screen_is(
        "
        reads like a sentence: Enter again runs it, @ in front of it asks
        1> frob the thing
        ran
        2> ▮",
    );
    scene.types("frob the thing").presses(Key::Enter).shows("sentence: Enter again runs it, @ in front of it asks\n2>");
    scene.presses(Key::Home).types("@ ").presses(Key::Enter).prompt(3);
    scene.shows("frob the thing (0, )");
    assert_eq!(scene.runs("echo then $?"), "then 1");
}

#[test]
fn offer_after_a_failure_waits_for_at() {
    let script = listener().sets("reroute", "offer").takes_failed("frob the thing");
    let mut scene = bash(&script).rc("frob() { return 4; }").start();
    assert_eq!(scene.runs("frob the thing"), "reads like a sentence: @ asks");
    assert_eq!(scene.runs("@"), "frob the thing (4, )");
    assert_eq!(scene.runs("echo $?"), "4");
}

#[test]
fn a_command_that_failed_may_have_been_a_sentence() {
    let script = listener().takes_failed("frob the thing").takes_failed("frobnicate it all");
    let rc = "frob() { echo tried; return 5; }; PROMPT_COMMAND=\"$PROMPT_COMMAND; last=\\$?\"";
    let mut scene = bash(&script).rc(rc).start();
    assert_eq!(scene.runs("frob the thing"), "tried\nfrob the thing (5, it reads like one)");
    assert_eq!(scene.runs("echo $? $last"), "5 5");
    let shown = scene.runs("frobnicate it all");
    assert!(shown.ends_with("not found\nfrobnicate it all (127, it reads like one)"), "{shown}");
    let asked =
        ["before frob the thing", "after 5 frob the thing", "before frobnicate it all", "after 127 frobnicate it all"];
    assert_eq!(script.doubted(), asked);
}

#[test]
fn what_bash_could_not_read_is_asked_about_as_such() {
    let script = listener().takes_failed("echo (who are you");
    let mut scene = bash(&script).start();
    let shown = scene.runs("true; ) so what");
    assert!(shown.contains("syntax error"), "{shown}");
    let asked = script.told("detect").pop().unwrap();
    assert_eq!((&asked[6], &asked[7], &asked[9]), (&"after".to_owned(), &"2".to_owned(), &"1".to_owned()));
    let shown = scene.runs("echo (who are you");
    assert!(shown.ends_with("echo (who are you (2, it reads like one)"), "{shown}");
    // An empty Enter leaves the status alone and does not report the line again.
    scene.presses(Key::Enter).prompt(4);
    scene.runs("true");
    // The line is reported as the last one, for `aside fix`; prose is not.
    let told = || script.told("finished").iter().map(|fields| fields[9].clone()).collect::<Vec<_>>();
    script.waits("the command that ran", |_| told().len() > 1);
    assert_eq!(told(), ["true; ) so what", "true"]);
}

/// Without it the plugin cannot tell a command that began from a line that bash could not parse, and it records nothing either.
#[test]
fn without_our_part_of_ps0_a_failure_is_no_syntax_error() {
    let script = listener().takes_failed("frob the thing");
    let mut scene = bash(&script).rc_after("frob() { return 2; }").start();
    scene.runs("PS0=");
    assert_eq!(scene.runs("frob the thing"), "");
    assert_eq!(script.doubted(), ["before frob the thing"]);
}

/// As oh-my-posh sets it, whatever is in it.
#[test]
fn a_ps0_that_is_set_behind_us_gets_our_part_at_the_first_prompt() {
    let script = listener().takes_failed("frob the thing");
    let mut scene = bash(&script).rc_after("PS0='(begins) '; frob() { return 2; }").start();
    assert_eq!(scene.runs("frob the thing"), "(begins) frob the thing (2, it reads like one)");
    assert_eq!(scene.runs("echo on"), "(begins) on");
}

#[test]
fn failures_of_plain_commands_are_nobody_s_question() {
    let script = listener();
    let mut scene = bash(&script).rc("frob() { return \"${1:-1}\"; }").start();
    for line in ["frob", "frob 1", "frob 130 of the", "frob 3 --all ./x a.txt", "frob 0 of"] {
        scene.runs(line);
    }
    let after: Vec<String> = script.doubted().into_iter().filter(|line| line.starts_with("after")).collect();
    assert_eq!(after, Vec::<String>::new());
}

#[test]
fn the_handler_of_yours_for_unknown_commands_stays() {
    let script = listener().takes_failed("frobnicate it all");
    let rc = "command_not_found_handle() { echo \"mine: $*\"; return 9; }";
    let mut scene = bash(&script).rc(rc).start();
    assert_eq!(scene.runs("frobnicate it all"), "mine: frobnicate it all\nfrobnicate it all (9, it reads like one)");
}

#[test]
fn a_daemon_that_is_gone_costs_nothing() {
    let script = listener().takes("do we know");
    let rc_after = "_aside_socket=~/nobody; _aside_bin=~/never";
    let mut scene = bash(&script).file("never", "#!/bin/sh\necho \"$@\" >>~/started\n").rc_after(rc_after).start();
    let shown = scene.runs("frob the thing");
    assert!(shown.ends_with("command not found"), "{shown}");
    scene.settles();
    assert!(!std::fs::read_to_string(scene.home.path("started")).unwrap_or_default().contains("within"));
}

#[test]
fn a_daemon_that_does_not_answer_is_waited_for_once() {
    let script = listener().takes("frob the thing");
    script.falls_silent();
    let mut scene = bash(&script).rc("frob() { echo ran; }").rc_after("_aside_patience=30").start();
    assert_eq!(scene.runs("frob the thing"), "ran");
    assert_eq!(scene.runs("(( _aside_rest > 0 )) && echo resting"), "resting");
    assert_eq!(scene.runs("_aside_bin=/nobody; frob the thing"), "ran");
}

#[test]
fn aside_off_is_off_for_sentences_too() {
    let script = listener().takes("frob the thing").takes_failed("frob the thing");
    let mut scene = bash(&script).rc("frob() { echo ran; false; }").start();
    scene.runs("aside-off");
    assert_eq!(scene.runs("frob the thing"), "ran");
    assert!(scene.runs("@ hello").ends_with("not found"));
    scene.runs("aside-on");
    assert_eq!(scene.runs("frob the thing"), "frob the thing (0, it reads like one)");
}
