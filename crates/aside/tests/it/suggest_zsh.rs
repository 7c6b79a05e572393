//! The next command in zsh as the user sees it: ghost text on the empty line when a command has ended, gone with the first key that
//! does not accept it.

use std::time::Duration;

use vt100::Color;

use crate::harness::keys::Key;
use crate::harness::prose_script::ProseReply;
use crate::harness::scene::Scene;
use crate::harness::scripted_daemon::ScriptedDaemon;
use crate::harness::setup::Setup;
use crate::harness::suggestion_script::Suggestion;
use crate::prose_zsh::begun_on;

/// The suggestion after `false`.
pub const NEXT: &str = "frobnicate push --all";

/// Longer than a reply takes, short enough to wait for.
pub const A_WHILE: Duration = Duration::from_millis(150);

pub fn script() -> ScriptedDaemon {
    ScriptedDaemon::new().sets("hint", "off").suggests("false", &[Suggestion::is(NEXT)])
}

pub fn zsh(script: &ScriptedDaemon) -> Setup {
    Scene::zsh().scripted(script).rc("_aside_patience=20")
}

pub fn begun(script: &ScriptedDaemon) -> Scene {
    begun_on(script, zsh(script))
}

/// `false` has ended, and its suggestion is shown at prompt 3.
pub fn shown(script: &ScriptedDaemon) -> Scene {
    shown_on(script, zsh(script))
}

pub fn shown_on(script: &ScriptedDaemon, stage: Setup) -> Scene {
    let mut scene = begun_on(script, stage);
    ends(&mut scene);
    scene.shows_ghost(&format!("|{NEXT}"));
    scene
}

fn ends(scene: &mut Scene) {
    scene.types("false").presses(Key::Enter).prompt(3);
}

/// `false` has ended, and the daemon still thinks about it while the line listens.
fn pondered(script: &ScriptedDaemon) -> Scene {
    pondered_on(script, zsh(script))
}

fn pondered_on(script: &ScriptedDaemon, stage: Setup) -> Scene {
    let mut scene = begun_on(script, stage);
    script.holds();
    ends(&mut scene);
    is_asked(script, "false", 1);
    scene.settles();
    scene
}

fn is_asked(script: &ScriptedDaemon, command: &str, times: usize) {
    let asked = |script: &ScriptedDaemon| script.told("suggest").iter().filter(|fields| fields[4] == command).count();
    script.waits(&format!("{times} questions what follows {command}; there were {:?}", script.ended()), |script| {
        asked(script) == times
    });
}

/// Checks that nothing appears, whatever the daemon said.
fn stays_empty(scene: &mut Scene) {
    scene.stays_without_ghost(A_WHILE).shows_line("|");
}

#[test]
fn what_comes_next_is_grey_on_the_empty_line_and_tab_or_right_takes_it() {
    for key in [Key::Tab, Key::Right, Key::End, Key::CtrlE, Key::Ctrl('f')] {
        let script = script();
        let mut scene = shown(&script);
        scene.screen_is(&format!("2> false\n3> ▮‹{NEXT}›"));
        scene.presses(key).shows_line(&format!("{NEXT}|"));
        // An accepted suggestion is to be read, so it is not completed further.
        scene.stays_without_ghost(Duration::ZERO);
        assert_eq!(script.asked().last().map(String::as_str), Some("false|"));
        scene.presses(Key::Ctrl('_')).shows_line("|");
    }
}

#[test]
fn it_is_asked_for_before_the_prompt_and_with_the_line_as_the_same_command() {
    let script = script();
    let scene = shown(&script);
    let finished = script.told("finished");
    let number = &finished.last().unwrap()[3];
    let cwd = scene.home.path("").display().to_string();
    let wanted = [cwd.trim_end_matches('/'), "false", "1", "zsh", number, "0", "0"];
    for verb in ["prefetch", "suggest"] {
        let told = script.told(verb);
        let asked = told.iter().filter(|fields| fields[4] == "false").map(|fields| &fields[3..]);
        assert_eq!(asked.collect::<Vec<_>>(), [wanted], "{verb}");
    }
}

#[test]
fn a_word_at_a_time_is_taken_as_of_any_grey_text() {
    let script = script();
    let mut scene = shown(&script);
    scene.presses(Key::AltF).shows_ghost("frobnicate |push --all");
    scene.presses(Key::AltF).shows_ghost("frobnicate push |--all");
    scene.presses(Key::AltF).shows_line("frobnicate push --all|").presses(Key::Enter).prompt(4);
    script.has_heard(&["accept:  -> frobnicate push --all", "run:  -> frobnicate push --all [frobnicate push --all]"]);
}

#[test]
fn escape_sends_it_away() {
    let script = script();
    let mut scene = shown(&script);
    scene.presses(Key::Esc).shows_no_ghost();
    stays_empty(&mut scene);
    script.has_heard(&["dismiss:  -> frobnicate push --all"]);
    script.learns("f|", &["frobnicate"]);
    scene.types("f").shows_ghost("f|robnicate");
}

#[test]
fn any_other_key_clears_it_and_does_what_it_always_does() {
    for key in [Key::Left, Key::Home, Key::Ctrl('u'), Key::Ctrl('k'), Key::Backspace] {
        let script = script();
        let mut scene = shown(&script);
        scene.presses(key).shows_no_ghost();
        stays_empty(&mut scene);
        script.has_heard(&["dismiss:  -> frobnicate push --all"]);
        assert_eq!(scene.runs("echo hi"), "hi");
    }
    let script = script();
    let mut scene = shown(&script);
    scene.types("x").shows_line("x|").presses(Key::Backspace).shows_line("|");
    stays_empty(&mut scene);
    let mut scene = shown(&script);
    scene.presses(Key::Up).shows_line("false|").presses(Key::Down).shows_line("|");
    stays_empty(&mut scene);
}

#[test]
fn a_screen_that_is_cleared_keeps_it() {
    let script = script();
    let mut scene = shown(&script);
    scene.presses(Key::Ctrl('l')).screen_is(&format!("3> ▮‹{NEXT}›"));
    scene.presses(Key::Tab).shows_line(&format!("{NEXT}|"));
}

#[test]
fn enter_on_the_empty_line_runs_nothing() {
    let script = script();
    let mut scene = shown(&script);
    scene.presses(Key::Enter).prompt(4);
    stays_empty(&mut scene);
    scene.screen_is("2> false\n3>\n4> ▮");
    assert_eq!(script.told("finished").len(), 2);
    script.has_heard(&["dismiss:  -> frobnicate push --all"]);
    is_asked(&script, "false", 1);
}

#[test]
fn after_ctrl_c_nothing_is_shown_again() {
    let script = script();
    let mut scene = shown(&script);
    scene.presses(Key::CtrlC).prompt(4);
    stays_empty(&mut scene);
    scene.screen_is("2> false\n3>\n4> ▮");
    script.has_heard(&["dismiss:  -> frobnicate push --all"]);
    let script = self::script();
    let mut scene = pondered(&script);
    scene.presses(Key::CtrlC).prompt(4);
    script.releases("false");
    stays_empty(&mut scene);
    is_asked(&script, "false", 1);
}

#[test]
fn typing_it_keeps_the_rest_of_it_and_the_daemon_may_know_others() {
    let script =
        script().knows("fr|", &["frob", "frobnicate pull", NEXT]).knows("frobnicate pul|", &["frobnicate pull"]);
    let mut scene = shown(&script);
    scene.types("f").shows_ghost("f|robnicate push --all").types("r");
    scene.screen_is(&format!("2> false\n3> fr▮‹obnicate push --all›\n(1/3) {NEXT}"));
    scene.types("obnicate pu").shows_ghost("frobnicate pu|sh --all");
    scene.types("l").shows_ghost("frobnicate pul|l");
    script.has_heard(&["dismiss:  -> frobnicate push --all"]);
    scene.presses(Key::Ctrl('u')).types("fr").shows_ghost("fr|ob").shows("(1/3) frob");
}

#[test]
fn one_of_the_others_can_be_taken_instead() {
    let script = script().knows("f|", &["frobnicate pull"]);
    let mut scene = shown(&script);
    scene.types("f").shows("(1/2)").presses(Key::ShiftRight).shows_ghost("f|robnicate pull").presses(Key::Tab);
    scene.shows_line("frobnicate pull|");
    script.has_heard(&["dismiss:  -> frobnicate push --all"]);
}

#[test]
fn what_was_typed_to_its_end_was_neither_taken_nor_left() {
    let script = ScriptedDaemon::new().suggests("false", &[Suggestion::is("frob")]).knows("frob|", &["frob it"]);
    let mut scene = begun(&script);
    ends(&mut scene);
    scene.shows_ghost("|frob").types("frob").shows_ghost("frob| it").presses(Key::Ctrl('u')).settles();
    script.has_heard(&[]);
}

#[test]
fn the_daemon_hears_what_became_of_it() {
    let script = script();
    let mut scene = shown(&script);
    scene.presses(Key::Tab).types("x").presses(Key::Enter).prompt(4);
    script
        .has_heard(&["accept:  -> frobnicate push --all", "edit:  -> frobnicate push --all [frobnicate push --allx]"]);
    let told = script.told("outcome");
    assert!(told.iter().all(|fields| (&fields[6][..], &fields[7][..]) == ("rule", "0.75")), "{told:?}");
    // Clearing the line ends the tracking of the suggestion.
    let script = self::script();
    let mut scene = shown(&script);
    scene.presses(Key::Tab).shows_line(&format!("{NEXT}|")).presses(Key::Ctrl('u')).types("true").presses(Key::Enter);
    scene.prompt(4);
    script.has_heard(&["accept:  -> frobnicate push --all"]);
}

#[test]
fn a_later_answer_fills_the_empty_place() {
    let script = ScriptedDaemon::new().suggests("false", &[Suggestion::nothing().so_far(), Suggestion::is(NEXT)]);
    let mut scene = pondered(&script);
    script.releases("false");
    stays_empty(&mut scene);
    script.releases("false");
    scene.shows_ghost(&format!("|{NEXT}")).presses(Key::Right).shows_line(&format!("{NEXT}|"));
}

#[test]
fn what_is_shown_is_not_replaced_by_a_later_answer() {
    let script = ScriptedDaemon::new()
        .suggests("false", &[Suggestion::is(NEXT).so_far(), Suggestion::is("other"), Suggestion::nothing()]);
    let mut scene = pondered(&script);
    script.releases("false");
    scene.shows_ghost(&format!("|{NEXT}"));
    let same = |screen: &crate::harness::screen::Screen| screen.row(1) == format!("3> {NEXT}");
    script.releases("false");
    scene.rests("the first", A_WHILE, same);
    script.releases("false");
    scene.rests("the first", A_WHILE, same).presses(Key::Esc).shows_no_ghost();
    stays_empty(&mut scene);
}

#[test]
fn an_answer_that_comes_after_the_first_key_is_not_shown() {
    let script = script();
    let mut scene = pondered(&script);
    scene.types("x").presses(Key::Backspace).shows_line("|");
    script.releases("false");
    stays_empty(&mut scene);
    let script = self::script();
    let mut scene = pondered(&script);
    scene.types("x").shows_line("x|");
    script.releases("false");
    scene.stays_without_ghost(A_WHILE).shows_line("x|");
    scene.presses(Key::Enter).prompt(4);
    script.has_heard(&[]);
}

#[test]
fn an_answer_about_an_earlier_line_is_not_shown() {
    let script = script();
    let mut scene = pondered(&script);
    scene.presses(Key::Enter).prompt(4);
    script.releases("false");
    stays_empty(&mut scene);
}

#[test]
fn lines_that_were_typed_ahead_show_nothing_in_between() {
    let script = script().suggests("echo hi", &[Suggestion::is("frob")]);
    let mut scene = begun(&script);
    scene.sends("sleep 0.3; false\rfalse\recho hi\r").prompt(5).shows_ghost("|frob");
    scene.screen_is("2> sleep 0.3; false\n3> false\n4> echo hi\nhi\n5> ▮‹frob›");
    let lines = scene.transcript();
    assert!(lines.iter().all(|line| !line.contains(NEXT)), "{lines:?}");
    script.has_heard(&[]);
}

#[test]
fn what_it_may_destroy_stands_below_it() {
    let script =
        ScriptedDaemon::new().suggests("false", &[Suggestion::is("frobnicate --wipe").warns("deletes everything")]);
    let mut scene = begun(&script);
    ends(&mut scene);
    scene.screen_is("2> false\n3> ▮‹frobnicate --wipe›\n! deletes everything");
    assert_eq!(scene.screen().spans(2)[0].style.fg, Color::Idx(1));
    scene.types("f").screen_is("2> false\n3> f▮‹robnicate --wipe›\n! deletes everything");
    script.learns("fr|", &["frob"]);
    scene.types("r").settles().screen_is("2> false\n3> fr▮‹obnicate --wipe›\n! deletes everything");
    scene.presses(Key::Right).shows_line("frobnicate --wipe|").screen_is("2> false\n3> frobnicate --wipe▮");
}

#[test]
fn several_lines_are_shown_as_candidates_are() {
    let script = ScriptedDaemon::new().suggests("false", &[Suggestion::is("for f in *; do\n  frob $f\ndone")]);
    let mut scene = begun(&script);
    ends(&mut scene);
    scene
        .shows_ghost("|for f in *; do\n  frob $f\ndone")
        .presses(Key::Tab)
        .shows_line("for f in *; do\n  frob $f\ndone|");
}

#[test]
fn a_line_that_was_a_sentence_has_no_next_command() {
    let line = "false for the win";
    let script = || {
        ScriptedDaemon::new()
            .sets("hint", "off")
            .suggests(line, &[Suggestion::is(NEXT)])
            .ponders(&format!("after {line}"))
    };
    let enter = |scene: &mut Scene| {
        scene.types(line).presses(Key::Enter).prompt(3);
    };
    // The line that was typed is sent as prose.
    let script_answer = script().sets("reroute", "answer").takes_failed(line).says(line, &[ProseReply::done(&["No."])]);
    let mut scene = begun(&script_answer);
    enter(&mut scene);
    is_asked(&script_answer, line, 1);
    stays_empty(&mut scene);
    script_answer.releases(&format!("after {line}"));
    scene.screen_is(&format!("2> {line}\nNo.\n3> ▮"));
    stays_empty(&mut scene);
    // Or the shell offers to send it.
    let script_offer = script().sets("reroute", "offer").takes_failed(line);
    let mut scene = begun(&script_offer);
    enter(&mut scene);
    is_asked(&script_offer, line, 1);
    stays_empty(&mut scene);
    script_offer.releases(&format!("after {line}"));
    scene.screen_is(&format!("2> {line}\n3> ▮@ {line}"));
    assert!(!scene.screen().contains(NEXT));
    script_offer.has_heard(&[]);
    // Or it was not prose.
    for reroute in ["answer", "offer"] {
        let script_none = script().sets("reroute", reroute);
        let mut scene = begun(&script_none);
        enter(&mut scene);
        is_asked(&script_none, line, 1);
        stays_empty(&mut scene);
        script_none.releases(&format!("after {line}"));
        scene.shows_ghost(&format!("|{NEXT}")).presses(Key::Tab).shows_line(&format!("{NEXT}|"));
    }
}

#[test]
fn a_line_that_went_to_the_agent_has_no_next_command() {
    let script = script().sets("reroute", "answer").says("why", &[ProseReply::done(&["Because."]).proposes("frob it")]);
    let mut scene = shown(&script);
    scene.types("@ why").presses(Key::Enter).prompt(4).shows("Because.\n4> frob it");
    is_asked(&script, "false", 1);
    let ended = script.ended();
    assert!(ended.iter().all(|ended| ended.starts_with("true ") || ended.starts_with("false ")), "{ended:?}");
}

#[test]
fn a_search_a_second_prompt_and_a_variable_are_left_alone() {
    let script = script();
    let mut scene = pondered(&script);
    scene.presses(Key::Ctrl('r')).shows("bck-i-search:");
    script.releases("false");
    scene.rests("the search", A_WHILE, |screen| screen.row(2).starts_with("bck-i-search: _") && screen.row(1) == "3>");
    scene.presses(Key::CtrlC).wait_for("the end of the search", |screen| !screen.contains("bck"));
    scene.rests("no ghost text", A_WHILE, |screen| screen.row(1) == "3>");
    let script = self::script();
    let mut scene = pondered(&script);
    scene.types("x=$(").presses(Key::Enter).shows("subst>");
    script.releases("false");
    scene.stays_without_ghost(A_WHILE).presses(Key::CtrlC).prompt(4);
    let script = self::script();
    let mut scene = pondered(&script);
    scene.types("y=; vared y").presses(Key::Enter).settles();
    script.releases("false");
    scene.stays_without_ghost(A_WHILE).presses(Key::Enter).prompt(4);
}

#[test]
fn the_menu_of_completions_is_left_alone() {
    let script = script();
    let rc = "autoload -Uz compinit; compinit -u; zstyle ':completion:*' menu select; setopt menu_complete; c() { : }; \
              compdef '_values x one two' c; _empty() { compadd frobA frobB }; compdef _empty -command-";
    let mut scene = pondered_on(&script, zsh(&script).rc(rc));
    scene.presses(Key::Tab).settles();
    script.releases("false");
    scene.stays_without_ghost(A_WHILE).presses(Key::CtrlC).prompt(4);
}

#[test]
fn in_vi_mode_insert_takes_and_command_sends_away() {
    let script = script();
    let stage = || zsh(&script).rc("bindkey -v");
    for key in [Key::Tab, Key::Right] {
        let mut scene = shown_on(&script, stage());
        scene.presses(key).shows_line(&format!("{NEXT}|"));
    }
    let mut scene = shown_on(&script, stage());
    scene.presses(Key::Esc).shows_no_ghost();
    stays_empty(&mut scene);
    scene.sends("iecho hi").presses(Key::Enter).prompt(4).shows("hi\n4>");
    let script = self::script();
    let mut scene = pondered_on(&script, zsh(&script).rc("bindkey -v"));
    scene.presses(Key::Esc).settles();
    script.releases("false");
    stays_empty(&mut scene);
}

#[test]
fn a_line_that_is_not_to_be_remembered_is_not_asked_about() {
    let script = script().suggests(" false", &[Suggestion::is(NEXT)]).suggests("secret", &[Suggestion::is(NEXT)]);
    let mut scene = begun_on(&script, zsh(&script).rc("HISTORY_IGNORE='sec*'"));
    for (line, number) in [(" false", 3), ("secret", 4)] {
        scene.types(line).presses(Key::Enter).prompt(number);
        stays_empty(&mut scene);
    }
    assert!(script.ended().iter().all(|ended| ended.starts_with("true ")), "{:?}", script.ended());
}

#[test]
fn a_line_with_text_in_it_from_the_start_shows_nothing() {
    let script = script().suggests("print -z frob", &[Suggestion::is(NEXT)]);
    let mut scene = begun(&script);
    scene.types("print -z frob").presses(Key::Enter).prompt(3).shows_line("frob|");
    scene.presses(Key::Ctrl('u')).stays_without_ghost(A_WHILE);
    is_asked(&script, "print -z frob", 0);
}

#[test]
fn a_private_shell_says_so() {
    let script = script();
    let mut scene = begun(&script);
    scene.types("aside-private on").presses(Key::Enter).prompt(3).settles();
    scene.types("false").presses(Key::Enter).prompt(4).shows_ghost(&format!("|{NEXT}"));
    let asked = script.told("suggest");
    assert!(asked.iter().filter(|fields| fields[4] == "false").all(|fields| fields[8] == "1"), "{asked:?}");
}

#[test]
fn switched_off_nothing_is_asked() {
    let script = script().sets("suggest", "off");
    let mut scene = begun(&script);
    ends(&mut scene);
    stays_empty(&mut scene);
    assert_eq!((script.ended(), script.told("prefetch").len()), (vec![], 0));
}

#[test]
fn it_is_there_without_completions_and_without_a_bar() {
    let warned = Suggestion::is("frob").warns("deletes everything");
    let script = ScriptedDaemon::new().sets("complete", "off").sets("bar", "off").suggests("false", &[warned]);
    let mut scene = begun(&script);
    ends(&mut scene);
    scene.screen_is("2> false\n3> ▮‹frob›\n! deletes everything").presses(Key::Tab).shows_line("frob|");
    let mut scene = shown(&self::script().sets("complete", "off"));
    scene.types("f").shows_line("f|").stays_without_ghost(A_WHILE);
}

#[test]
fn a_daemon_that_falls_silent_is_not_asked_before_a_prompt_again() {
    let script = script();
    let mut scene = shown(&script);
    script.falls_silent();
    for number in 4..30 {
        scene.sends("false\r").prompt(number);
    }
    let asked = scene.runs("print $_aside_mute $(( _aside_retry_at > EPOCHREALTIME ))");
    assert_eq!(asked.split(' ').next_back(), Some("1"), "{asked}");
}

#[test]
fn a_daemon_that_comes_back_is_asked_again() {
    let script = script();
    let mut scene = pondered(&script);
    script.hangs_up();
    is_asked(&script, "false", 2);
    script.releases("false");
    scene.shows_ghost(&format!("|{NEXT}"));
    // A suggestion that is shown stays, and is not requested again.
    script.is_replaced();
    scene.rests("it", A_WHILE, |screen| screen.row(1) == format!("3> {NEXT}"));
    scene.presses(Key::Tab).shows_line(&format!("{NEXT}|"));
    is_asked(&script, "false", 2);
}

#[test]
fn a_long_line_is_asked_about_when_there_is_room() {
    let long = format!("false {}", "x".repeat(2500));
    let longer = format!("false {}", "x".repeat(4090));
    let script = script().suggests(&long, &[Suggestion::is(NEXT)]).suggests(&longer, &[Suggestion::is(NEXT)]);
    let mut scene = begun(&script);
    scene.pastes(&long).presses(Key::Enter).prompt(3).shows_ghost(&format!("|{NEXT}"));
    is_asked(&script, &long, 1);
    scene.pastes(&longer).presses(Key::Enter).prompt(4).shows_ghost(&format!("|{NEXT}"));
    // Not sent before the prompt: a prompt must not wait for a blocking write.
    is_asked(&script, &longer, 1);
}

#[test]
fn programs_that_a_prompt_starts_inherit_nothing() {
    let script = script();
    let rc = "fds() { sleep 0.01; print -r -- ${(M)$(command ls /proc/self/fd):#<60-99>} >>~/open }; precmd_functions+=(fds)";
    let mut scene = shown_on(&script, zsh(&script).rc(rc));
    scene.presses(Key::Tab).presses(Key::Enter).prompt(4);
    assert_eq!(std::fs::read_to_string(scene.home.path("open")).unwrap().trim(), "");
}
