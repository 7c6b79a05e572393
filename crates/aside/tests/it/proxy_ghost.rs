//! Ghost text in bash, drawn by the proxy terminal: where it appears, where it does not, and that the screen is otherwise the one
//! that bash draws without Aside.

use std::time::{Duration, Instant};

use crate::harness::keys::Key;
use crate::harness::patience;
use crate::harness::scene::Scene;
use crate::harness::screen::{GHOST, Screen};
use crate::harness::setup::Setup;

const LINE: &str = r#"eval "$(aside init bash --proxy)""#;
const PAST: [&str; 4] = ["git stash pop", "git status --short", "echo one two three", "ls -la /usr/share"];
/// Turns everything but ghost text off.
const CONFIG: &str = "complete.tab = 'leave'\ndetect.reroute = 'off'\n";
/// Longer than the daemon takes to reply.
const A_WHILE: Duration = Duration::from_millis(300);

fn bash() -> Setup {
    Scene::bash().rc(LINE).history(&PAST)
}

/// With a daemon that has read everything.
#[track_caller]
fn begun(stage: Setup) -> Scene {
    let scene = stage.start();
    assert_eq!(scene.home.aside_does(&["daemon", "start"]).code, 0);
    let knows = || scene.home.aside(&["complete", "--shell", "bash", "--", "git sta"]).stdout;
    let deadline = Instant::now() + patience();
    while !knows().contains("git status --short") {
        assert!(Instant::now() < deadline, "the daemon knows {}", knows());
    }
    scene
}

#[test]
fn the_end_of_a_line_you_ran_before_is_grey_in_bash_too() {
    let mut scene = begun(bash());
    scene.types("git st").shows_ghost("git st|atus --short");
    scene.types("as").shows_ghost("git stas|h pop");
    scene.presses(Key::Backspace).presses(Key::Backspace).shows_ghost("git st|atus --short");
    scene.types("x").shows_line("git stx|").stays_without_ghost(A_WHILE);
    scene.sends("\x15");
    assert_eq!(scene.runs("echo well"), "well");
}

#[test]
fn a_bash_inside_of_it_has_grey_text_too() {
    let mut scene = begun(bash().file("inner/only-here/file", ""));
    scene.types("git st").shows_ghost("git st|atus --short").sends("\x15");
    // It counts its prompts from one.
    scene.types("bash -i").presses(Key::Enter);
    scene.wait_for("a second shell", |screen| screen.text().trim_end().ends_with("\n1>"));
    scene.types("git st").shows_ghost("git st|atus --short");
    scene.presses(Key::Right).shows_line("git status --short|").sends("\x15");
    // Names are those of its own directory.
    scene.types("cd inner").presses(Key::Enter).prompt(2);
    scene.types("cd onl").shows_ghost("cd onl|y-here/").sends("\x15");
    // A shell without the plugin has none, though it inherits the prompt.
    scene.types("export PS1").presses(Key::Enter).prompt(3);
    scene.types("bash --norc -i").presses(Key::Enter);
    scene.wait_for("a third shell", |screen| screen.text().matches("3>").count() == 2);
    scene.types("git st").shows("3> git st").stays_as_it_is("3> git st").sends("\x15\x04");
    scene.prompt(4).sends("\x04");
    scene.wait_for("the first shell", |screen| screen.text().trim_end().ends_with("\n2>"));
    scene.prompt(2).types("git st").shows_ghost("git st|atus --short").sends("\x15");
}

#[test]
fn subcommands_and_directories_are_grey_beside_a_history_of_other_lines() {
    let tool = "#!/bin/sh\n";
    let stage = Scene::bash().rc(LINE).history(&[
        "git status --short",
        "kubectl logs web",
        "kubectl apply -f gone.yml",
        "npm install",
        "npm test",
        "cd elsewhere",
    ]);
    let aside = std::path::Path::new(crate::harness::home::ASIDE).parent().unwrap().display().to_string();
    let path = format!("{}:{aside}:{}", stage.path("bin"), std::env::var("PATH").unwrap_or_default());
    let stage = stage
        .env("PATH", &path)
        .file("bin/kubectl", tool)
        .file("bin/npm", tool)
        .file("package.json", "{\"scripts\": {\"build\": \"true\"}}")
        .file("src/main.rs", "")
        .file("dist/index.html", "");
    let mut scene = begun(stage);
    for (typed, rest) in [("kubectl g", "et"), ("npm ru", "n"), ("cd sr", "c/")] {
        scene.types(typed).shows_ghost(&format!("{typed}|{rest}")).sends("\x15");
    }
    scene.types("./d").shows_line("./d|").stays_without_ghost(A_WHILE).sends("\x15");
}

#[test]
fn right_end_and_ctrl_e_take_all_of_it_in_bash() {
    let mut scene = begun(bash());
    for (number, key) in [Key::Right, Key::End, Key::CtrlE].into_iter().enumerate() {
        scene.types("echo o").shows_ghost("echo o|ne two three");
        scene.presses(key).shows_line("echo one two three|");
        scene.presses(Key::Enter).shows("\none two three").prompt(number + 2);
    }
    // Elsewhere the keys keep their meaning.
    scene.types("cho").presses(Key::Ctrl('a')).types("e").presses(Key::CtrlE).types(" hi").shows_line("echo hi|");
}

#[test]
fn a_word_is_taken_at_a_time_in_bash() {
    for key in [Key::AltRight, Key::CtrlRight, Key::AltF] {
        let mut scene = begun(bash());
        scene.types("echo o").shows_ghost("echo o|ne two three");
        scene.presses(key).shows_ghost("echo one| two three");
        scene.presses(key).shows_ghost("echo one two| three");
        scene.presses(key).shows_line("echo one two three|");
    }
    let mut scene = begun(bash().config("complete.right_arrow = 'word'\n"));
    scene.types("echo o").shows_ghost("echo o|ne two three");
    scene.presses(Key::Right).shows_ghost("echo one| two three");
}

#[test]
fn no_grey_text_is_left_behind() {
    let mut scene = begun(bash().size(10, 60));
    for (number, key) in [Key::Enter, Key::CtrlC].into_iter().enumerate() {
        scene.types("echo o").shows_ghost("echo o|ne two three");
        scene.presses(key).prompt(number + 2);
    }
    scene.types("echo o").shows_ghost("echo o|ne two three");
    scene.resizes(12, 50).shows_no_ghost();
    scene.stays_without_ghost(A_WHILE);
    scene.presses(Key::Enter).prompt(4);
    let text = scene.transcript().join("\n");
    assert!(!text.contains("ne two"), "{text}");
    // Not while a program has the terminal.
    scene.types("sh -c 'echo rea\"\"dy; exec cat'").presses(Key::Enter).shows("\nready");
    scene.types("echo o").stays_as_it_is("echo o");
    scene.sends("\x03").prompt(5);
    scene.types("echo o").shows_ghost("echo o|ne two three");
}

impl Scene {
    /// Checks, without pressing a key, that no ghost text appears for a while.
    #[track_caller]
    fn stays_as_it_is(&mut self, last: &str) -> &mut Self {
        let last = last.to_owned();
        self.rests("no grey text", A_WHILE, |screen| {
            (0..screen.size().0).all(|row| !screen.has_ghost(row, GHOST)) && screen.text().ends_with(&last)
        })
    }
}

#[test]
fn where_it_is_not_certain_there_is_none() {
    let mut scene = begun(bash());
    // Not in the middle of the line, in a history search, in a numeric argument, or on a continuation line.
    scene.types("echo o").shows_ghost("echo o|ne two three");
    scene.presses(Key::Left).shows_line("echo |o").stays_without_ghost(A_WHILE);
    scene
        .sends("\x15\x0b")
        .types("x")
        .sends("\x15\x12")
        .shows("reverse-i-search")
        .types("echo o")
        .stays_as_it_is("echo one two three");
    scene.sends("\x07").sends("\x1b3").shows("arg: 3");
    scene
        .sends("\x07")
        .types("echo 'echo o")
        .presses(Key::Enter)
        .wait_for("the second row", |screen| screen.text().ends_with("\n>"));
    scene.types("echo o").stays_as_it_is("> echo o");
    scene.sends("\x03").prompt(2);
    // Nor after output of another process on the line.
    scene.types("(until [ -e go ]; do sleep .05; done; echo -n hello) & :").presses(Key::Enter).prompt(3);
    scene.types("git st").shows_ghost("git st|atus --short");
    scene.home.write("go", "");
    scene.shows("git sthello").shows_no_ghost();
    let mut scene = begun(bash().rc("set -o vi"));
    scene.types("echo o").shows_ghost("echo o|ne two three");
    scene.presses(Key::Esc).shows_line("echo |o").stays_without_ghost(A_WHILE);
    scene.types("a").shows_ghost("echo o|ne two three");
    scene.presses(Key::Right).shows_line("echo one two three|");
}

#[test]
fn prompts_of_every_kind_have_it() {
    for prompt in [
        r"PS1='\[\e[1;32m\]~/work\[\e[0m\]\n'$_scene_number'> '",
        r"PS1='\[\e]0;title\a\e[33m\]'$_scene_number'> '",
        r"PS1='\n\n'$_scene_number'> '",
    ] {
        let mut scene =
            begun(bash().rc_after(&format!("_scene_prompt() {{ _scene_number=$((_scene_number + 1)); {prompt}; }}")));
        scene.types("echo o").shows_ghost("echo o|ne two three");
        scene
            .presses(Key::Right)
            .shows_line("echo one two three|")
            .presses(Key::Enter)
            .shows("\none two three")
            .prompt(2);
        scene.types("echo o").shows_ghost("echo o|ne two three");
    }
    // A prompt with text on the right gets no ghost text, and keeps that text.
    let right = r"PS1='\[\e7\e[70Cdone\e8\]'$_scene_number'> '";
    let mut scene =
        begun(bash().rc_after(&format!("_scene_prompt() {{ _scene_number=$((_scene_number + 1)); {right}; }}")));
    scene.types("echo o").stays_without_ghost(A_WHILE).shows("done");
}

#[test]
fn options_and_commands_before_the_prompt_are_survived_by_the_marks_in_it() {
    for rc in [
        "set -u",
        "set -e",
        "set -o posix",
        "PROMPT_COMMAND=(_scene_prompt 'true;')",
        "PROMPT_COMMAND='_scene_prompt; true;'",
        "PROMPT_COMMAND='_scene_prompt # a comment'",
        "shopt -u promptvars",
        "trap 'failed=1' ERR",
    ] {
        let mut scene = begun(bash().rc(rc));
        scene.types("echo o").shows_ghost("echo o|ne two three");
        scene
            .presses(Key::Right)
            .shows_line("echo one two three|")
            .presses(Key::Enter)
            .shows("\none two three")
            .prompt(2);
        assert_eq!(scene.runs("echo [$failed]".replace("$failed", "${failed-}").as_str()), "[]", "{rc}");
        scene.types("echo o").shows_ghost("echo o|ne two three");
    }
    // A prompt put around Aside's, as virtual environments do; and Aside turned off.
    let mut scene = begun(bash().rc("PROMPT_COMMAND=; PS1='1> '"));
    scene.types("PS1=\"(v) $PS1\"").presses(Key::Enter).shows("\n(v) 1>");
    scene.types("echo o").wait_for("grey text", |screen| (0..24).any(|row| screen.has_ghost(row, GHOST)));
    scene
        .sends("\x15")
        .types("aside-off")
        .presses(Key::Enter)
        .wait_for("a prompt", |screen| screen.text().ends_with("aside-off\n(v) 1>"));
    scene.types("echo o").stays_as_it_is("echo o");
    scene.sends("\x15").types("echo \"${PS1@Q}\"").presses(Key::Enter).shows("'(v) 1> '");
}

#[test]
fn without_a_daemon_there_is_no_grey_text_and_no_word_about_it() {
    let mut scene = begun(bash());
    scene.types("echo o").shows_ghost("echo o|ne two three").sends("\x15");
    scene.home.aside_does(&["daemon", "stop"]);
    scene.types("echo o").stays_without_ghost(A_WHILE);
    scene.sends("\x15");
    assert_eq!(scene.runs("echo well"), "well");
}

/// Reproducible for a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// Everything but the keys that accept ghost text.
const KEYS: [&str; 46] = [
    "git st",
    "g",
    "echo o",
    "echo one t",
    "l",
    "ls",
    "x",
    " ",
    "a",
    "'",
    "\\",
    "|",
    "\u{fc}",
    "\u{65e5}",
    "e\u{301}",
    "\x7f",
    "\x7f",
    "\x1b[D",
    "\x1b[D",
    "\x01",
    "\x17",
    "\x15",
    "\x0b",
    "\x19",
    "\x1b[A",
    "\x1b[A",
    "\x1b[B",
    "\x12gi",
    "\x12",
    "\x07",
    "\t",
    "\x1bb",
    "\x1bd",
    "\x14",
    "\x1f",
    "\r",
    "\r",
    "\r",
    "\x03",
    "\x0c",
    "\x1b.",
    "\x16\t",
    "\x1b3",
    "\x1b[200~pa st\x1b[201~",
    "echo 0123456789 0123456789 0123456789 01234567",
    "\x1b[3~",
];

/// The screen as it would be without ghost text.
fn plain(screen: &Screen) -> Vec<String> {
    let mut rows: Vec<String> = screen.rendered(GHOST);
    for row in &mut rows {
        while let Some((begin, end)) = row.find('‹').zip(row.find('›')) {
            row.replace_range(begin..end + '›'.len_utf8(), "");
        }
        *row = row.trim_end().to_owned();
    }
    while rows.last().is_some_and(String::is_empty) {
        rows.pop();
    }
    rows
}

/// `make soak` runs more of them: ASIDE_TEST_GHOSTS, starting at ASIDE_TEST_SEED.
#[test]
fn the_screen_is_the_one_of_a_shell_without_us() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let (count, seed) = (number("ASIDE_TEST_GHOSTS").unwrap_or(6), number("ASIDE_TEST_SEED").unwrap_or(1));
    let prompts = [
        "",
        "set -o vi",
        r"_scene_prompt() { _scene_number=$((_scene_number + 1)); PS1='\[\e[32m\]up\[\e[0m\]\n'$_scene_number'> '; }",
    ];
    let mut seen = 0;
    for seed in seed..seed + count {
        let rc = format!("{}\nmkdir -p ~/work; cd ~/work; touch gigantic gift", prompts[seed as usize % prompts.len()]);
        let stage = |stage: Setup| stage.history(&PAST).config(CONFIG).size(12, 50).rc_after(&rc);
        let mut ours = begun(stage(Scene::bash().rc(LINE)));
        let mut bare = begun(stage(Scene::bash()));
        let mut dice = Dice(seed);
        let mut pressed = Vec::new();
        for _ in 0..25 {
            let key = KEYS[dice.roll(KEYS.len())];
            pressed.push(key);
            // An interrupt would overtake the keys before it.
            if key == "\x03" {
                ours.rests("", Duration::from_millis(100), |_| true);
                bare.rests("", Duration::from_millis(100), |_| true);
            }
            let lines = [ours.lines_begun(), bare.lines_begun()];
            ours.sends(key);
            bare.sends(key);
            // Whether the kernel echoes keys that arrive before the next line is read is a race, so wait. readline's own questions
            // begin no line.
            let deadline = Instant::now() + Duration::from_secs(2);
            while ["\r", "\x03"].contains(&key) && Instant::now() < deadline {
                if ours.lines_begun() > lines[0] && bare.lines_begun() > lines[1] {
                    break;
                }
                std::thread::sleep(Duration::from_millis(2));
            }
            // Sometimes leaves the daemon time to reply.
            if dice.roll(2) == 0 {
                ours.rests("", Duration::from_millis(60), |_| true);
            }
            let deadline = Instant::now() + patience();
            while plain(&ours.screen()) != plain(&bare.screen()) {
                assert!(
                    Instant::now() < deadline,
                    "SEED={seed}, after {pressed:?}:\n{}\n--- and without us:\n{}",
                    ours.screen().rendered(GHOST).join("\n"),
                    bare.screen().rendered(GHOST).join("\n")
                );
                std::thread::sleep(Duration::from_millis(2));
            }
            seen += usize::from((0..12).any(|row| ours.screen().has_ghost(row, GHOST)));
        }
        // The scrollback is the same, too; only the last line can have ghost text.
        let lines = |scene: &Scene| {
            let mut lines = scene.transcript();
            while lines.last().is_some_and(String::is_empty) {
                lines.pop();
            }
            lines.pop();
            lines.join("\n")
        };
        let deadline = Instant::now() + patience();
        while lines(&ours) != lines(&bare) {
            assert!(Instant::now() < deadline, "SEED={seed}, {pressed:?}:\n{}\n---\n{}", lines(&ours), lines(&bare));
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    eprintln!("{count} sequences of 25 keys, grey text behind {seen} of them");
    assert!(seen > 0, "no grey text was ever shown");
}

#[test]
fn what_is_cut_is_marked_and_what_was_not_seen_is_not_taken_in_bash() {
    let past = "echo alpha beta gamma delta epsilon zeta eta theta";
    let mut scene = begun(bash().history(&[past]).size(24, 40));
    scene.types("echo al").shows("echo alpha beta gamma delta epsil...");
    scene.presses(Key::Right).shows("echo alpha beta gamma delta epsil").settles();
    scene.wait_for("no more than was shown", |screen| screen.row(0) == "1> echo alpha beta gamma delta epsil");
    scene.sends("\x15");
}
