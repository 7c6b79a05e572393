//! Prose in zsh as the user sees it: which lines are sent to the classifier, which are taken from the shell, and that everything
//! else runs as typed.

use std::time::Duration;

use vt100::Color;

use crate::harness::keys::Key;
use crate::harness::prose_script::ProseReply;
use crate::harness::scene::Scene;
use crate::harness::scripted_daemon::ScriptedDaemon;
use crate::harness::setup::Setup;
use crate::query_zsh::{at, follows, remembered};

pub const IP: &str = "what's my ip";

/// Longer than a reply takes, short enough to wait for.
pub const A_WHILE: Duration = Duration::from_millis(150);

/// Prose is answered, and there are no hints.
pub fn script() -> ScriptedDaemon {
    ScriptedDaemon::new().sets("hint", "off").sets("reroute", "answer")
}

/// A single prose line and its answer.
pub fn ip() -> ScriptedDaemon {
    script().takes(IP).says(IP, &[ProseReply::done(&["Ask your router."])])
}

/// A shell that waits as long as a loaded machine needs.
pub fn zsh(script: &ScriptedDaemon) -> Setup {
    Scene::zsh().scripted(script).ghost(Color::Idx(6)).rc("_aside_patience=20")
}

pub fn begun(script: &ScriptedDaemon) -> Scene {
    begun_on(script, zsh(script))
}

pub fn begun_on(script: &ScriptedDaemon, stage: Setup) -> Scene {
    let mut scene = stage.start();
    follows(script, &mut scene);
    scene
}

#[test]
fn a_sentence_is_not_run_and_what_is_said_to_it_stands_above_the_next_prompt() {
    let script = ip();
    let mut scene = begun(&script);
    scene.types(IP).presses(Key::Enter).prompt(3).screen_is("2> what's my ip\nAsk your router.\n3> ▮");
    script.has_questions(&["1 what's my ip"]);
    let asked = &script.told("ask")[0];
    assert_eq!((&asked[7][..], &asked[9][..], &asked[10][..], &asked[12][..]), ("80", "0", "0", "it reads like one"));
    assert!(script.told("finished").iter().all(|fields| fields[9] == "true"), "{:?}", script.told("finished"));
}

#[test]
fn a_sentence_that_was_pasted_with_the_end_of_its_line_is_one() {
    let script = ip();
    let mut scene = begun(&script);
    scene.pastes("what's my ip\n").presses(Key::Enter).prompt(3).shows("Ask your router.\n3>");
    script.has_questions(&["1 what's my ip"]);
    scene.pastes("echo what\necho my ip\n").presses(Key::Enter).prompt(4).shows("\nwhat\nmy ip\n4>");
}

#[test]
fn words_that_zsh_would_wait_at_or_stumble_over_never_reach_it() {
    let lines = [
        "while you are at it fix the tests",
        "do we already have a way to uninstall?",
        "how many files here?",
        "in the codebase where is auth?",
        "if I remove it, what breaks?",
        "function words are what (exactly)",
        "what does `ls do",
        "日本語で説明してください",
        "почему не работает сборка",
        "hello",
    ];
    let script = lines.iter().fold(script(), |script, line| script.takes(line));
    let mut scene = begun(&script);
    for (line, number) in lines.iter().zip(3..) {
        scene.presses(Key::Ctrl('l')).sends(line).presses(Key::Enter).prompt(number);
        scene.screen_is(&format!("{}> {line}\n{number}> ▮", number - 1));
    }
    script.waits("all of them", |script| script.questions().len() == lines.len());
}

#[test]
fn a_plain_command_is_not_asked_about() {
    let script = script();
    let mut scene = begun_on(&script, zsh(&script).rc("setopt interactive_comments; alias g=true; e() { : }"));
    let lines = [
        "true",
        "true the",
        "g status",
        "e --all --the-thing x",
        "print -r -- x y",
        "FOO=bar true the thing",
        "./missing.sh the file",
        "\\true the thing is",
        "$EMPTY true the thing",
        "~/nowhere the file",
        "(true the thing)",
        "# the comment is here",
        "arr=(the one)",
        "\"true\" the thing",
        "true; echo the thing >/dev/null",
    ];
    for (line, number) in lines.iter().zip(3..) {
        scene.types(line).presses(Key::Enter).prompt(number);
    }
    let doubted: Vec<_> = script.doubted().into_iter().filter(|line| line.starts_with("before")).collect();
    assert_eq!(doubted, ["before true; echo the thing >/dev/null"]);
}

#[test]
fn what_the_first_word_is_gets_told() {
    let script = script();
    let rc = "alias al=true; fu() { : }; alias -s txt=true; path+=(~/bin); setopt auto_cd; alias -g GL=true";
    let stage = zsh(&script).rc(rc).file("bin/prog", "#!/bin/sh\n").file("here/x", "");
    let mut scene = begun_on(&script, stage);
    let words = [
        ("al", "alias"),
        ("GL", "alias"),
        ("a.txt", "alias"),
        ("fu", "function"),
        ("print", "builtin"),
        ("prog", "program"),
        ("nocorrect", "reserved"),
        ("fi", "reserved"),
        ("frobnicate", "none"),
    ];
    for (word, kind) in words {
        scene.sends(&format!("{word} x the y")).presses(Key::Enter).settles();
        let told = script.told("detect").into_iter().rfind(|fields| fields[6] == "before").unwrap();
        assert_eq!((&told[4], &told[8][..]), (&format!("{word} x the y"), kind));
    }
    // A directory name changes into it (autocd), so it is not prose of one word.
    let before = || script.doubted().into_iter().filter(|line| line.starts_with("before")).count();
    let doubted = before();
    scene.types("here").presses(Key::Enter).settles();
    assert_eq!(before(), doubted);
    // A program installed after zsh built its command table.
    scene.types("true ${#commands}").presses(Key::Enter).settles();
    scene.home.write("bin/late", "#!/bin/sh\n");
    scene.types("late for the x").presses(Key::Enter).settles();
    let told = script.told("detect").into_iter().rfind(|fields| fields[6] == "before").unwrap();
    assert_eq!(told[8], "program");
}

#[test]
fn what_is_not_answered_in_time_runs_as_it_was_typed_and_nothing_is_asked_again() {
    let script = script().takes("echo all the words").takes("echo more of it").ponders("before echo all the words");
    let mut scene = begun_on(&script, zsh(&script).rc_after("_aside_patience=0.03"));
    assert_eq!(scene.runs("echo all the words"), "all the words");
    assert_eq!(script.doubted(), ["before echo all the words"]);
    assert_eq!(script.questions(), Vec::<String>::new());
    // The shell sent `hello` at the next line, so it still works.
    script.waits("another hello", |script| script.told("hello").len() >= 3);
    scene.settles().runs("_aside_patience=20");
    scene.settles().types("echo more of it").presses(Key::Enter).prompt(5);
    scene.screen_is("2> echo all the words\nall the words\n3> _aside_patience=20\n4> echo more of it\n5> ▮");
}

#[test]
fn a_daemon_that_has_stopped_costs_one_moment() {
    let script = script().takes("echo all the words");
    let mut scene = begun_on(&script, zsh(&script).rc_after("_aside_patience=0.03"));
    script.falls_silent();
    assert_eq!(scene.runs("echo all the words"), "all the words");
    assert_eq!(scene.runs("print $_aside_slow"), "1");
    for _ in 0..3 {
        assert_eq!(scene.runs("echo all the words"), "all the words");
    }
    assert_eq!(scene.runs("print $_aside_seq; _aside_on=0").lines().count(), 1);
}

#[test]
fn without_a_daemon_everything_runs() {
    let rc = "_aside_bin=/nowhere _aside_socket=/nowhere/at/all; _aside_reroute=answer";
    let mut scene = Scene::zsh().rc_after(rc).start();
    assert_eq!(scene.runs("echo all the words"), "all the words");
    scene.runs("_aside_reroute=answer");
    assert_eq!(scene.runs("echo all the words"), "all the words");
    assert!(scene.runs("frobnicate the quux").contains("command not found"));
    scene.types("@ explain this").presses(Key::Enter).shows("aside is not running").shows_line("@ explain this|");
    scene.presses(Key::Left).wait_for("no note", |screen| !screen.contains("not running"));
}

#[test]
fn a_daemon_that_goes_away_while_enter_waits_runs_the_line() {
    let script = script().takes("echo all the words").ponders("before echo all the words");
    let mut scene = begun_on(&script, zsh(&script).rc_after("_aside_bin=/nowhere"));
    scene.types("echo all the words").presses(Key::Enter);
    script.waits("the question", |script| !script.doubted().is_empty());
    script.hangs_up();
    scene.prompt(3).shows("\nall the words\n3>");
    assert_eq!(scene.runs("echo hi"), "hi");
}

#[test]
fn what_else_is_said_while_enter_waits_is_heard_and_not_painted() {
    let script = ip().knows("what's my ip|", &["what's my ip address"]).ponders("before what's my ip");
    let mut scene = begun(&script);
    script.holds();
    scene.types(IP);
    script.is_asked("what's my ip|");
    scene.presses(Key::Enter);
    script.waits("the question", |script| !script.doubted().is_empty());
    script.releases("what's my ip|");
    let rest = script.releases_half("before what's my ip", 5);
    rest();
    scene.prompt(3);
    script.goes_on(IP);
    scene.screen_is("2> what's my ip\nAsk your router.\n3> ▮");
    // Every reply was counted, or there would be no room for further requests by now.
    for _ in 0..3 {
        scene.types("x").settles().presses(Key::Backspace).settles();
    }
    assert!(script.asked().last().unwrap().starts_with('x'), "{:?}", script.asked());
}

#[test]
fn what_the_daemon_leaves_to_the_shell_runs() {
    let script = script();
    let mut scene = begun(&script);
    assert_eq!(scene.runs("echo the words are here"), "the words are here");
    assert!(scene.runs("frobnicate the quux").contains("command not found: frobnicate"));
    assert_eq!(scene.runs("print $?"), "127");
    assert_eq!(remembered(&mut scene)[..2], ["echo the words are here", "frobnicate the quux"]);
    assert_eq!(script.questions(), Vec::<String>::new());
}

#[test]
fn words_behind_the_prefix_go_to_the_agent_without_a_question() {
    for mode in ["answer", "offer", "off"] {
        let script = script().sets("reroute", mode).says("ls -la", &[ProseReply::done(&["It lists."])]);
        let mut scene = begun(&script);
        scene.types("@ ls -la").presses(Key::Enter).prompt(3).screen_is("2> @ ls -la\nIt lists.\n3> ▮");
        assert_eq!(script.doubted(), Vec::<String>::new());
        assert_eq!(remembered(&mut scene), ["@ ls -la"]);
        scene
            .presses(Key::Ctrl('l'))
            .types("@ ")
            .presses(Key::Enter)
            .shows("4> @\nsay what you want, like this: @ why");
    }
}

#[test]
fn an_answer_that_comes_after_a_note_leaves_it_on_the_screen() {
    let script = script();
    let mut scene = begun(&script);
    script.holds();
    scene.types("@ ");
    script.is_asked("@ |");
    scene.presses(Key::Enter).shows("2> @\nsay what you want, like this: @ why");
    script.releases("@ |");
    scene.rests("the note", A_WHILE, |screen| screen.text().contains("say what you want"));
    assert!(scene.screen().text().contains("say what you want"), "{}", at(&scene));
}

#[test]
fn the_prefixes_are_the_persons_own() {
    let script = script().sets("agent_prefix", "ai").sets("shell_prefix", ",").takes("echo all the words");
    let mut scene = begun(&script);
    scene.types("ai explain").presses(Key::Enter).prompt(3);
    script.has_questions(&["1 explain"]);
    scene.types(",echo all the words").presses(Key::Enter).prompt(4);
    scene.screen_is("2> ai explain\n3> echo all the words\nall the words\n4> ▮");
    scene.types(",frobnicate the quux").presses(Key::Enter).prompt(5).settles();
    assert_eq!(script.doubted(), Vec::<String>::new());
    assert!(scene.runs("@ words").contains("command not found: @"));
}

#[test]
fn typed_before_the_first_prompt_words_behind_the_prefix_do_not_run() {
    let script = script().says("find big files", &[ProseReply::done(&["Here."])]);
    let mut scene = zsh(&script).rc("alias '@'='echo ran'; print -n ready; sleep 0.3").begins();
    scene.shows("ready").sends("@ find big files\r").prompt(2).shows("Here.\n2>");
    assert!(!scene.screen().contains("\nran"), "{}", at(&scene));
}

#[test]
fn an_offer_is_a_note_and_enter_again_runs_the_line() {
    let script = script().sets("reroute", "offer").takes("echo all the words").takes(IP);
    let mut scene = begun(&script);
    scene.types("echo all the words").presses(Key::Enter);
    scene.screen_is("2> echo all the words▮\nreads like a sentence: Enter runs it, [↹] asks");
    scene.presses(Key::Enter).prompt(3).screen_is("2> echo all the words\nall the words\n3> ▮");
    assert_eq!(script.questions(), Vec::<String>::new());
    // Any other key removes the note; Tab asks.
    scene.types(IP).presses(Key::Enter).shows("reads like").presses(Key::Left).shows_line("what's my i|p");
    scene.wait_for("no note", |screen| !screen.contains("reads like"));
    scene.presses(Key::CtrlC).prompt(4);
    scene.types(IP).presses(Key::Enter).shows("reads like").presses(Key::Tab).prompt(5);
    script.has_questions(&["1 what's my ip"]);
    assert_eq!(remembered(&mut scene), ["echo all the words", IP]);
}

#[test]
fn an_offer_after_a_failure_is_taken_into_the_line() {
    let script = script().sets("reroute", "offer").takes_failed("frobnicate the quux");
    let script = script.says("frobnicate the quux", &[ProseReply::done(&["It is no command."])]);
    let mut scene = begun(&script);
    scene.types("frobnicate the quux").presses(Key::Enter).prompt(3);
    scene.screen_is("2> frobnicate the quux\nzsh: command not found: frobnicate\n3> ▮‹@ frobnicate the quux›");
    assert_eq!(script.questions(), Vec::<String>::new());
    scene
        .presses(Key::Tab)
        .shows_line("@ frobnicate the quux|")
        .presses(Key::Enter)
        .prompt(4)
        .shows("It is no command.");
    assert_eq!(script.told("ask")[0][10], "127");
}

#[test]
fn a_line_that_failed_is_asked_about_after_it() {
    let script = script().takes_failed("false thing");
    let script = script.says("false thing", &[ProseReply::done(&["It is never true."])]);
    let mut scene = begun(&script);
    scene.types("false thing").presses(Key::Enter).prompt(3);
    scene.screen_is("2> false thing\nIt is never true.\n3> ▮");
    assert_eq!(script.doubted(), ["after 1 false thing"]);
    assert_eq!(script.told("ask")[0][10], "1");
    assert_eq!(script.told("detect")[0][8..11], ["builtin", "0", ""]);
}

#[test]
fn only_what_a_sentence_could_be_is_asked_about_after_it_failed() {
    let script = script();
    let mut scene = begun_on(&script, zsh(&script).rc("setopt interactive_comments; st() { return $1 }"));
    let lines =
        ["true x", "false", "st 130", "st 127", "# the comment is here", "", "frobnicate", " st 4 it", "st 3 the"];
    for line in lines {
        scene.types(line).presses(Key::Enter).settles();
    }
    // A line that zsh could not parse never started, so there is no preexec.
    scene.types("echo the ) thing").presses(Key::Enter).settles();
    let after = || script.doubted().into_iter().filter(|line| line.starts_with("after")).collect::<Vec<_>>();
    scene.wait_for("the last question", |_| after().len() > 2);
    assert_eq!(after(), ["after 127 st 127", "after 3 st 3 the", "after 1 echo the ) thing"]);
    assert_eq!(script.told("detect").last().unwrap()[9], "1");
}

#[test]
fn the_persons_own_handler_is_called_as_ever() {
    let script = script().takes_failed("frobnicate the quux");
    let script = script.says("frobnicate the quux", &[ProseReply::done(&["No."])]);
    let rc = "command_not_found_handler() { print -r -- \"mine: $*\"; return 127 }";
    let mut scene = begun_on(&script, zsh(&script).rc(rc));
    scene.types("frobnicate the quux").presses(Key::Enter).prompt(3);
    scene.screen_is("2> frobnicate the quux\nmine: frobnicate the quux\nNo.\n3> ▮");
}

#[test]
fn the_status_stays_and_nobodys_hooks_hear_of_it() {
    let script = ip();
    let rc = "preexec() { print -r -- \"pre:$1\" >>~/heard }; precmd() { print -r -- \"cmd:$?\" >>~/heard }";
    let mut scene = begun_on(&script, zsh(&script).rc(rc));
    scene.types("false").presses(Key::Enter).prompt(3);
    scene.types(IP).presses(Key::Enter).prompt(4).shows("Ask your router.");
    assert_eq!(scene.runs("print $?"), "1");
    assert_eq!(scene.home.read("heard"), "cmd:0\npre:true\ncmd:0\npre:false\ncmd:1\ncmd:1\npre:print $?\ncmd:0\n");
}

#[test]
fn switched_off_nothing_is_asked() {
    let script = script().sets("reroute", "off").takes("echo all the words").takes_failed("false the thing");
    let mut scene = begun(&script);
    assert_eq!(scene.runs("echo all the words"), "all the words");
    scene.runs("false the thing");
    assert_eq!(script.doubted(), Vec::<String>::new());
    let script = ip().takes("echo all the words");
    let mut scene = begun(&script);
    scene.runs("aside-off");
    assert_eq!(scene.runs("echo all the words"), "all the words");
    assert_eq!(script.doubted(), Vec::<String>::new());
    scene.runs("aside-on");
    scene.types(IP).presses(Key::Enter).shows("Ask your router.");
}

#[test]
fn a_line_of_several_lines_is_the_shells() {
    let script = script().takes("echo all the words");
    let mut scene = begun(&script);
    scene.sends("echo all the words\x1b\recho and these").presses(Key::Enter).prompt(3);
    scene.screen_is("2> echo all the words\necho and these\nall the words\nand these\n3> ▮");
    scene.sends("for i in the\rdo echo all the words\rdone\r").prompt(4).shows("all the words");
    let doubted = script.doubted();
    assert_eq!(doubted, ["before for i in the"]);
}

#[test]
fn a_private_shell_asks_in_private() {
    let script = ip();
    let mut scene = begun_on(&script, zsh(&script).env("ASIDE_PRIVATE", "1"));
    scene.types(IP).presses(Key::Enter).prompt(3).shows("Ask your router.");
    assert_eq!(script.told("ask")[0][9], "1");
}

#[test]
fn a_mistake_is_marked_with_a_key() {
    let script = ip().sets("wrong_key", "alt-w");
    let mut scene = begun(&script);
    scene.types(IP).presses(Key::Enter).prompt(3).shows("Ask your router.").sends("\x1bw");
    scene.screen_is("2> what's my ip\nAsk your router.\n3> ▮\nnoted: that line will not be taken for a sentence again");
    assert_eq!(script.told("wrong")[0][3], "");
    scene.types("x").wait_for("no note", |screen| !screen.contains("noted"));
}

#[test]
fn a_shell_without_sockets_does_it_through_a_pipe() {
    let script = ip();
    let mut scene =
        zsh(&script).rc_before("_aside_transport=pipe _aside_session=s-1; zmodload zsh/datetime zsh/system").start();
    scene.runs("true");
    script.waits("a shell that says hello", |script| script.told("hello").len() >= 2);
    scene.settles().types(IP).presses(Key::Enter).prompt(3).shows("2> what's my ip\nAsk your router.\n3>");
    assert_eq!(scene.runs("echo as ever"), "as ever");
}

#[test]
fn any_options_will_do_for_sentences() {
    let options = "ksh_arrays sh_word_split glob_subst null_glob no_unset warn_create_global typeset_silent no_multibyte \
                   rc_quotes ksh_glob sh_glob posix_identifiers no_short_loops csh_junkie_quotes xtrace no_hash_cmds \
                   no_prompt_percent prompt_bang hist_reduce_blanks hist_ignore_all_dups";
    for option in options.split_whitespace() {
        let script = ip();
        let mut scene = begun(&script);
        let quiet = if option == "xtrace" { "exec 2>/dev/null; " } else { "" };
        scene.sends(&format!("{quiet}setopt {option}\r")).prompt(3).settles().presses(Key::Ctrl('l')).settles();
        scene.types(IP).presses(Key::Enter).prompt(4).screen_is("3> what's my ip\nAsk your router.\n4> ▮");
        assert_eq!(scene.runs("print -r -- as ever"), "as ever", "{option}");
        assert!(scene.runs("fc -ln 1").contains(IP), "{option}");
    }
}
