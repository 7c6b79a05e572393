//! The marks that zsh writes around commands for the program that captures their output: where they are, where there must be none,
//! and that nothing else can detect them.

use crate::harness::keys::Key;
use crate::harness::scene::Scene;
use crate::harness::scripted_daemon::ScriptedDaemon;
use crate::harness::suggestion_script::marks;
use crate::prose_zsh::begun_on;
use crate::suggest_zsh::{begun, zsh};

fn script() -> ScriptedDaemon {
    ScriptedDaemon::new().captures("tmux", "vim less ssh", "python node")
}

/// Types a line and returns the marks that it left: `C`, then `D` and the status.
fn left_by(scene: &mut Scene, line: &str, prompt: usize) -> String {
    let before = marks(scene).len();
    scene.sends(line).presses(Key::Enter).prompt(prompt);
    scene.settles();
    let parts = |mark: String| match mark.split(' ').collect::<Vec<_>>()[..] {
        ["D", _, exit] => format!("D{exit}"),
        [kind, ..] => kind.to_owned(),
        [] => String::new(),
    };
    marks(scene).into_iter().skip(before).map(parts).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_daemon_hears_once_where_the_shell_is() {
    let script = script();
    let stage = zsh(&script).rc("export TMUX=/tmp/somewhere,12,0 TMUX_PANE=%7 ASIDE_PROXY=/dev/pts/99");
    let mut scene = begun_on(&script, stage);
    let tty = scene.runs("print $TTY");
    let told = script.told("capture");
    assert_eq!(told.len(), 1, "{told:?}");
    let mark = &told[0][3];
    assert!(mark.len() == 16 && mark.chars().all(|digit| "0123456789abcdef".contains(digit)), "{mark}");
    assert_eq!(told[0][4..], [tty.as_str(), "/tmp/somewhere,12,0", "%7", "/dev/pts/99"]);
    assert_eq!(told[0][2], script.told("hello")[0][6]);
    // A new daemon is told too.
    script.waits("the third line", |script| script.told("hello").len() == 3);
    scene.settles();
    script.is_replaced();
    script.waits("the same again", |script| script.told("capture").len() == 2);
    assert_eq!(script.told("capture")[1][2..], told[0][2..]);
    // And a daemon with new settings.
    let script = script.sets("suggest", "on");
    scene.runs("true");
    script.waits("the same again", |script| script.told("capture").len() == 3);
    assert_eq!(scene.runs("env | grep -c $_aside_nonce"), "0");
}

#[test]
fn a_daemon_that_knows_nothing_of_it_hears_nothing() {
    let script = ScriptedDaemon::new();
    let mut scene = begun(&script);
    scene.runs("true");
    assert_eq!((script.told("capture").len(), marks(&scene).len()), (0, 0));
}

#[test]
fn every_command_stands_between_its_marks_with_its_own_number() {
    let script = script();
    let mut scene = begun(&script);
    let before = marks(&scene).len();
    scene.types("print -l one two").presses(Key::Enter).prompt(3).settles();
    scene.types("false").presses(Key::Enter).prompt(4).settles();
    script.waits("both of them", |script| script.told("finished").len() == 3);
    let numbers: Vec<String> = script.told("finished").iter().map(|fields| fields[3].clone()).collect();
    let [_, printed, failed] = &numbers[..] else { panic!("{numbers:?}") };
    let expected =
        [format!("C {printed} 80x24"), format!("D {printed} 0"), format!("C {failed} 80x24"), format!("D {failed} 1")];
    assert_eq!(marks(&scene)[before..], expected);
    // Below the input line, and before the next prompt.
    let places: Vec<(u16, u16)> = scene.command_marks()[before..].iter().map(|(_, place)| *place).collect();
    assert_eq!(places, [(1, 0), (3, 0), (4, 0), (4, 0)]);
    scene.screen_is("2> print -l one two\none\ntwo\n3> false\n4> ▮");
    let secret = &script.told("capture")[0][3];
    assert!(scene.command_marks().iter().all(|(mark, _)| mark.starts_with("133;") && mark.contains(secret)));
}

#[test]
fn a_terminal_of_ours_gets_marks_of_its_own() {
    let script = ScriptedDaemon::new().captures("pty", "", "");
    let mut scene = begun(&script);
    scene.runs("true");
    let marks = scene.command_marks();
    assert!(!marks.is_empty() && marks.iter().all(|(mark, _)| mark.starts_with("7133;")), "{marks:?}");
}

#[test]
fn where_nobody_looks_there_are_none() {
    for tier in ["off", "", "something new"] {
        let script = ScriptedDaemon::new().captures(tier, "", "");
        let mut scene = begun(&script);
        scene.runs("print hi");
        assert_eq!(script.told("capture").len(), 1);
        assert_eq!(scene.command_marks(), []);
    }
}

#[test]
fn the_first_prompt_and_empty_lines_have_none() {
    let script = script();
    let mut scene = zsh(&script).start();
    script.waits("a shell that tells", |script| script.told("capture").len() == 1);
    scene.settles().presses(Key::Enter).prompt(2).presses(Key::CtrlC).prompt(3).settles();
    assert_eq!(scene.command_marks(), []);
}

#[test]
fn lines_that_are_not_remembered_and_programs_that_take_over_have_none() {
    let script = script();
    let programs = "vim() { : }; less() { : }; env() { : }; ssh() { : }; python() { : }; node() { : }; sudo() { : }; doas() { : }; x() { : }";
    let rc = format!(
        "{programs}; HISTORY_IGNORE='secret*'; secret() {{ : }}; alias v='vim -R' e='true'; setopt interactive_comments"
    );
    let mut scene = begun_on(&script, zsh(&script).rc(&rc));
    let none = [
        " true",
        "secret word",
        "vim",
        "vim a b",
        "v a",
        "'vim' a",
        "\\vim",
        "FOO=1 BAR=2 vim x",
        "sudo vim /etc/hosts",
        "sudo -E vim /etc/hosts",
        "sudo -u ada vim x",
        "env A=1 less x",
        "command -p x; vim",
        "time vim",
        "noglob vim *",
        "x | less",
        "x && x || ssh there",
        "x; vim",
        "if x; then vim; fi",
        "( vim )",
        "python",
        "python -q",
        "x | python",
        "python; x",
        "python 2>/dev/null",
        "python 2>&1 >x",
    ];
    let mut prompt = 2;
    for line in none {
        prompt += 1;
        assert_eq!(left_by(&mut scene, line, prompt), "", "{line}");
    }
    let some = [
        ("true", "C D0"),
        ("e vim", "C D0"),
        ("x vim less", "C D0"),
        ("print -r vim >/dev/null", "C D0"),
        ("vimdiff() { : }; x", "C D0"),
        ("python x.py", "C D0"),
        ("python >x x.py", "C D0"),
        ("python </dev/null", "C D0"),
        ("python -c 'x'", "C D0"),
        ("x; node y", "C D0"),
        ("(exit 7)", "C D7"),
        ("x 'unfinished; vim'", "C D0"),
    ];
    for (line, left) in some {
        prompt += 1;
        assert_eq!(left_by(&mut scene, line, prompt), left, "{line}");
    }
    // A long line is scanned only as far as that is fast.
    prompt += 1;
    assert_eq!(left_by(&mut scene, &format!("x {}; vim", "y ".repeat(600)), prompt), "C D0");
}

#[test]
fn what_can_be_asked_about_the_last_command_is_what_it_was() {
    let heard = |mut scene: Scene| {
        let asked = [
            ("(exit 42)", "print $?"),
            ("true | (exit 3) | true", "print $pipestatus"),
            ("print the last word", "print $_"),
            ("sleep 0 & last=$!", "print $(( $! == last ))"),
            ("nothing-like-this", "print $?"),
            ("zsh -fc 'kill -TERM $$'", "print $?"),
        ];
        let mut heard = Vec::new();
        for ((line, question), prompt) in asked.into_iter().zip((3..).step_by(2)) {
            scene.sends(line).presses(Key::Enter).prompt(prompt).settles();
            heard.push(scene.runs(question));
        }
        heard
    };
    let mut bare = Scene::zsh().without_aside().start();
    bare.runs("true");
    let bare = heard(bare);
    assert_eq!(bare, ["42", "0 3 0", "word", "1", "127", "143"]);
    let script = script();
    let scene = begun(&script);
    assert_eq!(heard(scene), bare);
}

#[test]
fn every_precmd_function_sees_the_status() {
    let script = script();
    let rc = "seen() { print -r -- $? $pipestatus >>~/seen }; precmd_functions+=(seen); precmd() { seen }";
    let mut scene = begun_on(&script, zsh(&script).rc(rc));
    scene.sends("true | (exit 5)").presses(Key::Enter).prompt(3).settles();
    let seen = std::fs::read_to_string(scene.home.path("seen")).unwrap();
    assert_eq!(seen.lines().rev().take(2).collect::<Vec<_>>(), ["5 0 5", "5 0 5"]);
}

#[test]
fn a_line_without_an_end_shows_the_sign_that_zsh_has_for_it() {
    for stage in [Scene::zsh().without_aside(), zsh(&script()), zsh(&ScriptedDaemon::new())] {
        let mut scene = stage.rc("PROMPT_EOL_MARK=EOL").start();
        scene.runs("sleep 0.1");
        scene
            .sends("print -n foo")
            .presses(Key::Enter)
            .prompt(3)
            .screen_is("1> sleep 0.1\n2> print -n foo\nfooEOL\n3> ▮");
    }
}

#[test]
fn a_command_finds_its_terminal_as_ever() {
    let script = script();
    let mut scene = begun(&script);
    assert_eq!(scene.runs("test -t 0 && test -t 1 && test -t 2 && print yes"), "yes");
    assert_eq!(scene.runs("zsh -fc 'print -r -- $TTY' | grep -c dev"), "1");
}

#[test]
fn what_goes_elsewhere_is_not_marked() {
    let script = script();
    let mut scene = begun(&script);
    let before = marks(&scene).len();
    scene.types("exec 3>&1 >~/file").presses(Key::Enter).prompt(3).settles();
    scene.types("print hi").presses(Key::Enter).prompt(4).settles();
    scene.types("exec >&3 3>&-").presses(Key::Enter).prompt(5).settles();
    assert_eq!(std::fs::read_to_string(scene.home.path("file")).unwrap(), "hi\n");
    assert_eq!(marks(&scene).len(), before + 1, "{:?}", marks(&scene));
    assert_eq!(left_by(&mut scene, "true", 6), "C D0");
}

#[test]
fn subshells_and_background_jobs_mark_nothing_of_their_own() {
    let script = script();
    let mut scene = begun(&script);
    assert_eq!(left_by(&mut scene, "(true; false); x=$(print hi; false); { true } | cat", 3), "C D0");
    assert_eq!(left_by(&mut scene, "(sleep 0.05; print late) & wait; true", 4), "C D0");
    assert_eq!(left_by(&mut scene, "zsh -fic true", 5), "C D0");
    assert_eq!(left_by(&mut scene, "(_aside_preexec a a a; _aside_precmd) | cat -v", 6), "C D0");
    scene.wait_for("no mark in what was printed", |screen| !screen.contains("133;"));
}

#[test]
fn a_command_that_is_interrupted_or_stopped_ends_with_its_status() {
    let script = script();
    let mut scene = begun(&script);
    scene
        .types("sh -c 'echo up; exec sleep 100'")
        .presses(Key::Enter)
        .shows("\nup")
        .presses(Key::CtrlC)
        .prompt(3)
        .settles();
    assert!(marks(&scene).last().unwrap().ends_with(" 130"), "{:?}", marks(&scene));
    scene.presses(Key::Ctrl('l')).settles().types("sh -c 'echo up; exec sleep 100'").presses(Key::Enter).shows("\nup");
    scene.presses(Key::Ctrl('z')).prompt(4).settles();
    assert!(marks(&scene).last().unwrap().ends_with(" 148"), "{:?}", marks(&scene));
    scene.runs("kill %1");
}

#[test]
fn a_shell_in_the_place_of_this_one_or_inside_it_has_a_secret_of_its_own() {
    let script = script();
    let mut scene = begun(&script);
    scene.sends("exec zsh -d -i\r").prompt(1);
    script.waits("the new shell", |script| script.told("capture").len() == 2);
    scene.settles().sends("true\r").prompt(2).settles().sends("clear; zsh -d -i\r").prompt(1);
    script.waits("the one inside", |script| script.told("capture").len() == 3);
    scene.settles().sends("true\r").prompt(2).settles();
    let secrets: std::collections::HashSet<String> =
        script.told("capture").iter().map(|fields| fields[3].clone()).collect();
    assert_eq!(secrets.len(), 3);
    let last = scene.command_marks().pop().unwrap().0;
    assert!(last.contains(&script.told("capture")[2][3]), "{last}");
}

#[test]
fn reading_the_rc_file_again_keeps_the_secret_and_the_marks() {
    let script = script();
    let mut scene = begun_on(&script, zsh(&script).rc("less() { : }"));
    scene.sends("eval \"$(aside init zsh)\"\r").prompt(3).settles();
    assert_eq!(left_by(&mut scene, "true", 4), "C D0");
    assert_eq!(left_by(&mut scene, "less", 5), "");
    let told = script.told("capture");
    assert!(told.iter().all(|fields| fields[3] == told[0][3]), "{told:?}");
}

#[test]
fn strange_options_do_not_get_in() {
    let script = script();
    let rc = "setopt ksh_arrays sh_word_split glob_subst no_multibyte all_export no_unset \
              bsd_echo; alias print=false; alias -g C=x";
    let mut scene = begun_on(&script, zsh(&script).rc_after(rc));
    assert_eq!(left_by(&mut scene, "true", 3), "C D0");
    assert_eq!(left_by(&mut scene, "sudo -u x vim", 4), "");
    assert_eq!(scene.runs("env | grep -c aside_nonce"), "0");
}

#[test]
fn after_aside_off_there_are_none() {
    let script = script();
    let mut scene = begun(&script);
    scene.sends("aside-off\r").prompt(3).settles();
    assert_eq!(left_by(&mut scene, "true", 4), "");
    scene.sends("aside-on\r").prompt(5).settles();
    assert_eq!(left_by(&mut scene, "true", 6), "C D0");
}
