//! The marks that bash and fish write around commands for the program that captures their output: where they are, where there must
//! be none, and that nothing else can detect them.

use std::fs::File;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

use crate::harness::home::{Home, is_running};
use crate::harness::keys::Key;
use crate::harness::scene::Scene;
use crate::harness::scripted_daemon::ScriptedDaemon;
use crate::harness::setup::Setup;
use crate::harness::suggestion_script::marks;
use crate::harness::{patience, pty};

fn script() -> ScriptedDaemon {
    ScriptedDaemon::new().captures("tmux", "vim less ssh", "python node")
}

/// Makes the shell believe that it is in tmux.
fn inside(stage: Setup, script: &ScriptedDaemon) -> Setup {
    stage.env("TMUX", "/somewhere/else,12,0").env("TMUX_PANE", "%7").scripted(script)
}

/// A shell that has received the capture tier, as its last command shows.
fn begun(script: &ScriptedDaemon, stage: Setup) -> Scene {
    let mut scene = inside(stage, script).start();
    runs_until(&mut scene, "C D0");
    scene
}

/// Runs commands until one leaves these marks: the shell does not wait for the daemon.
#[track_caller]
fn runs_until(scene: &mut Scene, marks: &str) {
    let deadline = Instant::now() + patience();
    while left_by(scene, "true") != marks {
        assert!(Instant::now() < deadline, "waited for marks {marks:?}: {:?}", scene.command_marks());
    }
}

fn tier_files(scene: &Scene) -> Vec<String> {
    let dir = scene.home.socket();
    let entries = std::fs::read_dir(dir.parent().unwrap()).unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    // The lock file and the part of the plugin that bash reads later stay as long as Aside is installed.
    let stays = [".sock", ".lock", ".sock.bash"];
    let is_ours = |name: &String| name.starts_with("aside") && !stays.iter().any(|end| name.ends_with(end));
    names.filter(is_ours).collect()
}

/// Runs a line and returns the marks that it left, without their numbers: `C D0`.
#[track_caller]
fn left_by(scene: &mut Scene, line: &str) -> String {
    let before = marks(scene).len();
    scene.runs(line);
    scene.settles();
    let parts = |mark: String| match mark.split(' ').collect::<Vec<_>>()[..] {
        ["D", _, exit] => format!("D{exit}"),
        [kind, ..] => kind.to_owned(),
        [] => String::new(),
    };
    marks(scene).into_iter().skip(before).map(parts).collect::<Vec<_>>().join(" ")
}

/// The number of the last prompt.
fn prompts(scene: &Scene) -> usize {
    let lines = scene.transcript();
    let numbers = lines.iter().rev().filter_map(|line| line.split_once('>')?.0.parse().ok());
    numbers.max().expect("a prompt")
}

fn both() -> [(&'static str, Setup); 2] {
    [("bash", Scene::bash()), ("fish", Scene::fish())]
}

#[test]
fn the_daemon_hears_where_the_shell_is_and_no_file_is_left() {
    for (shell, stage) in both() {
        let script = script();
        let mut scene = begun(&script, stage.env("ASIDE_PROXY", "/dev/pts/99:1"));
        let tty = scene.runs("tty");
        let told = script.told("capture");
        let mark = &told[0][3];
        assert!(mark.len() == 16 && mark.chars().all(|digit| "0123456789abcdef".contains(digit)), "{shell}: {mark}");
        assert_eq!(told[0][4..], [tty.as_str(), "/somewhere/else,12,0", "%7", "/dev/pts/99:1"], "{shell}");
        script.waits("a command", |script| !script.told("finished").is_empty());
        assert_eq!(told[0][2], script.told("finished")[0][2], "{shell}: the same session");
        assert_eq!(tier_files(&scene), [""; 0], "{shell}: it was read");
        let environment = scene.runs(&format!("env | grep -c {mark}"));
        assert_eq!(environment, "0", "{shell}: nobody inherits it");
    }
}

#[test]
fn every_command_stands_between_its_marks_with_its_own_number() {
    for (shell, stage) in both() {
        let script = script();
        let mut scene = begun(&script, stage);
        let before = marks(&scene).len();
        // The row below the one with the prompt.
        let first = u16::try_from(prompts(&scene)).unwrap();
        scene.runs("printf 'one\\ntwo\\n'");
        scene.runs("false");
        scene.settles();
        let numbers = |script: &ScriptedDaemon, line: &str| {
            let told = script.told("finished");
            told.iter().find(|fields| fields[9].starts_with(line)).map(|fields| fields[3].clone())
        };
        script
            .waits("both of them", |script| numbers(script, "printf").is_some() && numbers(script, "false").is_some());
        let (printed, failed) = (numbers(&script, "printf").unwrap(), numbers(&script, "false").unwrap());
        let expected = [
            format!("C {printed} 80x24"),
            format!("D {printed} 0"),
            format!("C {failed} 80x24"),
            format!("D {failed} 1"),
        ];
        assert_eq!(marks(&scene)[before..], expected, "{shell}");
        // Below the input line, and before the next prompt.
        let places: Vec<(u16, u16)> = scene.command_marks()[before..].iter().map(|(_, place)| *place).collect();
        assert_eq!(places, [(first, 0), (first + 2, 0), (first + 3, 0), (first + 3, 0)], "{shell}");
        let secret = &script.told("capture")[0][3];
        let marks = scene.command_marks();
        assert!(marks.iter().all(|(mark, _)| mark.starts_with("133;") && mark.contains(secret)), "{shell}: {marks:?}");
    }
}

#[test]
fn a_terminal_of_ours_gets_marks_of_its_own() {
    for (shell, stage) in both() {
        let script = ScriptedDaemon::new().captures("pty", "", "");
        let scene = begun(&script, stage);
        let marks = scene.command_marks();
        assert!(marks.len() == 2 && marks.iter().all(|(mark, _)| mark.starts_with("7133;")), "{shell}: {marks:?}");
    }
}

#[test]
fn where_nobody_looks_there_are_none() {
    for tier in ["off", "something new"] {
        for (shell, stage) in both() {
            let script = ScriptedDaemon::new().captures(tier, "", "");
            let mut scene = inside(stage, &script).start();
            script.waits("a shell that tells where it is", |script| !script.told("capture").is_empty());
            scene.runs("true");
            script.waits("a command", |script| script.told("finished").len() == 1);
            scene.runs("true");
            assert_eq!(scene.command_marks(), [], "{shell}, {tier}");
        }
    }
}

#[test]
fn what_the_daemon_says_later_counts_from_then_on() {
    for (_, stage) in both() {
        let script = script();
        let mut scene = begun(&script, stage);
        let script = script.captures("off", "", "");
        runs_until(&mut scene, "");
        let _script = script.captures("tmux", "", "");
        runs_until(&mut scene, "C D0");
        assert_eq!(left_by(&mut scene, "false"), "C D1");
    }
}

#[test]
fn without_tmux_and_with_the_settings_off_nobody_is_told() {
    for (shell, stage) in both() {
        let script = script();
        let mut scene = stage.scripted(&script).start();
        scene.runs("true");
        script.waits("a command", |script| script.told("finished").len() == 1);
        assert_eq!((script.told("capture").len(), scene.command_marks().len()), (0, 0), "{shell}");
    }
    for settings in ["[suggest]\ncapture = 'off'\n", "[suggest]\nenabled = false\n"] {
        for (shell, stage) in both() {
            let script = script();
            let mut scene = inside(stage.config(settings), &script).start();
            scene.runs("true");
            script.waits("a command", |script| script.told("finished").len() == 1);
            assert_eq!((script.told("capture").len(), scene.command_marks().len()), (0, 0), "{shell}, {settings}");
        }
    }
}

#[test]
fn lines_that_bash_does_not_keep_and_programs_that_take_over_have_no_end() {
    let script = script();
    let programs = "vim() { :; }; less() { :; }; python() { :; }; sudo() { :; }; secret() { :; }; alias v='vim -R'";
    let rc = format!("{programs}; HISTCONTROL=ignorespace HISTIGNORE='secret*'");
    let mut scene = begun(&script, Scene::bash().rc(&rc));
    // Whether the history keeps a line is known only after it has ended.
    for line in [" true", "secret word"] {
        assert_eq!(left_by(&mut scene, line), "C", "{line}");
    }
    for line in ["vim a", "v a", "'vim' a", "python", "true | less", "X=1 vim", "sudo -E vim a", "true; python -i"] {
        assert_eq!(left_by(&mut scene, line), "", "{line}");
    }
    for line in ["python a.py", "echo vim", "true && false", ": x"] {
        let exit = if line.ends_with("false") { "1" } else { "0" };
        assert_eq!(left_by(&mut scene, line), format!("C D{exit}"), "{line}");
    }
    // No number of a mark that began with a secret line is reused for another command.
    let marks = marks(&scene);
    let number = |mark: &String| mark.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut begun: Vec<String> = marks.iter().filter(|mark| mark.starts_with('C')).map(number).collect();
    let count = begun.len();
    begun.dedup();
    assert_eq!(begun.len(), count, "{marks:?}");
    for end in marks.iter().filter(|mark| mark.starts_with('D')).map(number) {
        script.waits(&format!("command {end}"), |script| script.told("finished").iter().any(|fields| fields[3] == end));
    }
}

#[test]
fn what_fish_does_not_keep_and_programs_that_take_over_have_none() {
    let script = script();
    let rc = "function vim; end; function less; cat >/dev/null; end; function python; end; function sudo; end";
    let mut scene = begun(&script, Scene::fish().rc(rc));
    for line in [" true", "vim a", "python", "true | less", "sudo vim a", "true; and vim"] {
        assert_eq!(left_by(&mut scene, line), "", "{line}");
    }
    for line in ["python a.py", "echo vim", "false"] {
        let exit = if line == "false" { "1" } else { "0" };
        assert_eq!(left_by(&mut scene, line), format!("C D{exit}"), "{line}");
    }
    assert_eq!(left_by(&mut scene, "set -g fish_private_mode 1"), "C", "it ends in private");
    assert_eq!(left_by(&mut scene, "echo private"), "");
    assert_eq!(left_by(&mut scene, "set -e fish_private_mode"), "");
    assert_eq!(left_by(&mut scene, "aside-off"), "C");
    assert_eq!(left_by(&mut scene, "true"), "");
}

#[test]
fn commands_of_several_lines_and_every_kind_of_prompt_command_have_one_pair() {
    let others = "PS0='<$((1+1))>\\n'";
    for rc in [
        others,
        "PROMPT_COMMAND=(\"${PROMPT_COMMAND[@]}\" 'last=$?' true)",
        "PROMPT_COMMAND=\"$PROMPT_COMMAND; last=\\$?\"",
        "set -o vi",
        "set -eu",
        "set -o posix",
    ] {
        let script = script();
        let stage = if rc == others { Scene::bash().rc_before(rc) } else { Scene::bash().rc_after(rc) };
        let mut scene = begun(&script, stage);
        let before = marks(&scene).len();
        let at = prompts(&scene);
        scene.sends("for i in a b; do\r").shows("\n>").sends("echo $i\rdone\r").prompt(at + 1).settles();
        assert_eq!(marks(&scene).len() - before, 2, "{rc}: {:?}", marks(&scene));
        assert_eq!(left_by(&mut scene, "true"), "C D0", "{rc}");
        scene.presses(Key::Enter).prompt(at + 3).settles();
        assert_eq!(marks(&scene).len() - before, 4, "{rc}: an empty line");
        if rc != "set -eu" {
            assert_eq!(left_by(&mut scene, "(exit 7)"), "C D7", "{rc}");
        }
    }
}

#[test]
fn what_a_person_can_look_at_is_as_it_was() {
    let script = script();
    let mut scene = begun(&script, Scene::bash());
    scene.runs("(exit 3)");
    assert_eq!(scene.runs("echo $?"), "3");
    scene.runs("false | true | (exit 4)");
    assert_eq!(scene.runs("echo ${PIPESTATUS[@]}"), "1 0 4");
    scene.runs("true first last");
    assert_eq!(scene.runs("echo $_"), "last");
    scene.runs("sleep 0 & wait $!");
    let script = self::script();
    let mut scene = begun(&script, Scene::fish());
    scene.runs("sh -c 'exit 3'");
    assert_eq!(scene.runs("echo $status"), "3");
    scene.runs("false | true | sh -c 'exit 4'");
    assert_eq!(scene.runs("echo $pipestatus"), "1 0 4");
}

#[test]
fn shells_inside_write_their_own_marks_or_none() {
    let script = script();
    let mut scene = begun(&script, Scene::bash());
    // Everything is exported, and the nested shell reads none of Aside's files.
    scene.runs("set -a; PS0=$PS0; _aside_mark=$_aside_mark; set +a");
    let before = scene.command_marks().len();
    scene.types("PS1='inner> ' bash --norc").presses(Key::Enter).shows("inner>");
    let at = prompts(&scene);
    scene.sends("true; echo done-$((1+1))\r").shows("done-2").sends("exit\r").prompt(at + 1).settles();
    assert_eq!(scene.command_marks().len() - before, 2, "those around the shell inside: {:?}", scene.command_marks());
    let outer = script.told("capture")[0].clone();
    scene.sends("bash\r").prompt(1).settles();
    script.waits("the shell inside", |script| script.told("capture").iter().any(|told| told[2] != outer[2]));
    let inner = script.told("capture").into_iter().find(|told| told[2] != outer[2]).unwrap();
    assert_ne!(inner[3], outer[3], "a mark of its own");
    scene.sends("exec bash\r").prompt(1).settles();
    script.waits("the one in its place", |script| {
        script.told("capture").iter().any(|told| told[3] != outer[3] && told[3] != inner[3])
    });
}

#[test]
fn what_ended_shells_left_goes_with_the_next() {
    let script = script();
    let mut scene = begun(&script, Scene::bash());
    let left = scene.home.socket().with_file_name("aside.sock.2147483647.tier");
    std::fs::write(&left, "tmux\n").unwrap();
    scene.runs("bash -ic true");
    assert!(!left.exists());
}

/// A short session as bytes: all output while these lines are typed at numbered prompts, and `exit`.
fn session(mut command: std::process::Command, lines: &[&str]) -> Vec<u8> {
    let (master, slave) = pty::open();
    pty::set_size(&master, 24, 80);
    command.stdin(slave.try_clone().unwrap()).stdout(slave.try_clone().unwrap()).stderr(slave.try_clone().unwrap());
    pty::lead_a_session(&mut command, slave.try_clone().unwrap());
    let mut child = command.spawn().unwrap();
    drop((command, slave));
    let mut master = File::from(master);
    let mut came = Vec::new();
    let mut waiting = lines.iter().enumerate();
    let mut next = waiting.next();
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = master.read(&mut bytes) {
        came.extend_from_slice(&bytes[..count]);
        if let Some((at, line)) = next
            && came.ends_with(format!("{}> ", at + 1).as_bytes())
        {
            master.write_all(line.as_bytes()).unwrap();
            master.write_all(b"\r").unwrap();
            next = waiting.next();
        }
    }
    child.wait().unwrap();
    came
}

/// The output with Aside's marks removed.
fn without_marks(bytes: &[u8]) -> Vec<u8> {
    let mark = regex::bytes::Regex::new("\x1b\\]133;[^\x07]*;?aside=[^\x07]*\x07").unwrap();
    mark.replace_all(bytes, &b""[..]).into_owned()
}

#[test]
fn nothing_but_the_marks_is_printed_and_where_nobody_looks_not_even_they() {
    let lines = [
        "echo one",
        "printf 'no newline'",
        "false",
        " true",
        "echo $? ${PIPESTATUS[@]}",
        "for i in 1 2; do echo $i; done",
        "",
        "exit 3",
    ];
    let printed = |tier: Option<&str>, wait: bool| {
        let home = Home::new();
        let script = ScriptedDaemon::new().captures(tier.unwrap_or("tmux"), "vim", "");
        script.listens(&home.socket());
        let stage = crate::harness::shell::Shell::Bash;
        let wait = if wait { "until [[ -f $_aside_socket.$$.tier ]]; do :; done" } else { "" };
        let rc = format!("{}\nHISTCONTROL=ignorespace\n{}\n{wait}\n", stage.stage_directions(), stage.init_line());
        home.write(".bashrc", rc);
        let mut command = stage.command(&home);
        // Without these variables the output is what it was before marks existed.
        if tier.is_some() {
            command.env("TMUX", "/somewhere/else,12,0").env("TMUX_PANE", "%7");
        }
        session(command, &lines)
    };
    let before = printed(None, false);
    assert!(before.ends_with(b"exit\r\n"), "{}", String::from_utf8_lossy(&before));
    let off = printed(Some("off"), false);
    assert_eq!(String::from_utf8_lossy(&off), String::from_utf8_lossy(&before));
    let seen = printed(Some("tmux"), true);
    assert!(seen.len() > before.len() + 8 * 40, "{}", String::from_utf8_lossy(&seen));
    assert_eq!(String::from_utf8_lossy(&without_marks(&seen)), String::from_utf8_lossy(&before));
}

#[test]
fn no_process_of_ours_outlives_the_shell() {
    let script = script();
    let mut scene = begun(&script, Scene::bash());
    scene.runs("true");
    scene.sends("exit\r").ends();
    let deadline = Instant::now() + patience();
    while scene.home.processes().iter().any(|pid| is_running(*pid)) {
        assert!(Instant::now() < deadline, "{:?}", scene.home.processes());
        std::thread::sleep(Duration::from_millis(10));
    }
}
