//! The keys and Enter in bash and fish next to the user's own options, traps and plugins, and with a daemon that is killed while
//! the user types.

use rustix::process::{Pid, Signal};

use crate::harness::scene::Scene;
use crate::harness::setup::Setup;
use crate::keys_shells::{SHIFT_DOWN, begun, fish, shells, tab_makes};

const KILL_LINE: &str = "\x15";
const FZF: &str = "/usr/share/doc/fzf/examples/key-bindings";

/// Exercises every behaviour once.
#[track_caller]
fn a_day(name: &str, stage: Setup) -> Scene {
    let mut scene = begun(stage);
    scene.types("frob st").sends(SHIFT_DOWN).shows_line("frob start one|");
    scene.sends("\r").shows("frobbed start one").prompt(2);
    scene.types("frob sto");
    tab_makes(&mut scene, "2> frob stop");
    scene.sends("\r").shows("frobbed stop").prompt(3);
    scene.types("? find files larger than 100MB").sends("\r").shows("> find . -type f -size +100M").sends(KILL_LINE);
    scene.settles();
    assert_eq!(scene.runs("echo on"), "on", "{name}");
    assert!(!scene.screen().text().contains("aside"), "{name} heard of us:\n{}", scene.screen().text());
    scene
}

#[test]
fn every_option_of_bash_is_survived() {
    let options = [
        "set -u",
        "set -e",
        "set -o posix",
        "set -o vi",
        "set -o noclobber",
        "set -a",
        "shopt -s histverify histreedit lithist",
        "shopt -s extglob nullglob",
        "HISTCONTROL=ignoreboth:erasedups",
        "PROMPT_COMMAND=(_scene_prompt true)",
        "IFS=:",
    ];
    for option in options {
        let mut scene = a_day(option, Scene::bash().rc(option));
        scene.runs("false || true");
        assert_eq!(scene.runs("echo $?"), "0", "{option}");
    }
}

#[test]
fn traps_of_yours_hear_of_your_commands_alone() {
    let rc = "trap 'echo heard of $?' ERR; trap 'last=$this this=$BASH_COMMAND' DEBUG; PROMPT_COMMAND=' '; PS1='1> '";
    // The scene's own prompt would fail as well.
    let mut scene = Scene::bash().rc(rc).start();
    scene.types("(exit 3)").sends("\r").shows("heard of 3");
    scene.types("echo was $?").sends("\r").shows("was 3");
    scene.types("trap").sends("\r").shows("DEBUG");
    let text = scene.screen().text();
    assert_eq!(text.matches("heard of 3").count(), 1, "{text}");
}

/// At Enter and before a prompt, as for anything else in PROMPT_COMMAND; their names tell them from the user's.
#[test]
fn a_debug_trap_hears_of_two_commands_of_ours_at_a_line() {
    let rc = r#"trap 'heard+="${BASH_COMMAND%% *} "' DEBUG"#;
    let mut scene = Scene::bash().rc_after(rc).start();
    scene.runs("heard=");
    scene.runs("true");
    let heard = scene.runs("echo $heard");
    let words: Vec<&str> = heard.split_whitespace().filter(|word| !word.starts_with("_scene")).collect();
    // The scene's own key is bound to `printf`.
    let words: Vec<&str> = words.into_iter().filter(|word| *word != "printf").collect();
    assert_eq!(words, ["_aside_prompt", "_aside_enter", "true", "_aside_prompt", "_aside_enter", "echo"], "{heard}");
}

#[test]
fn what_comes_behind_us_sees_the_status_though_there_is_a_trap() {
    let rc = "trap 'failed=1' ERR; PROMPT_COMMAND=\"seen=\\$?; $PROMPT_COMMAND\"";
    let mut scene = Scene::bash().rc_after(rc).start();
    scene.runs("(exit 4)");
    assert_eq!(scene.runs("echo $seen"), "4");
}

#[test]
fn fzf_keeps_its_keys_in_both_orders() {
    for (name, stage, asks) in [
        ("bash", Scene::bash as fn() -> Setup, "bind -X | grep -c fzf"),
        ("fish", fish, "bind | string match '*fzf*' | count"),
    ] {
        let file = format!("{FZF}.{name}");
        if !std::path::Path::new(&file).exists() {
            continue;
        }
        let load = if name == "fish" { format!("source {file}; fzf_key_bindings") } else { format!("source {file}") };
        let bare = stage().without_aside().rc(&load).start().runs(asks);
        assert_ne!(bare, "0", "{name}: it has no keys here");
        for stage in [stage().rc_before(&load), stage().rc_after(&load)] {
            assert_eq!(a_day(name, stage).runs(asks), bare, "{name}");
        }
    }
}

/// Programs that hook into every prompt and every directory: (program, line that loads it in bash, in fish).
const HOOKS: [(&str, &str, &str); 2] = [
    ("direnv", r#"eval "$(direnv hook bash)""#, "direnv hook fish | source"),
    ("zoxide", r#"eval "$(zoxide init bash)""#, "zoxide init fish | source"),
];

#[test]
fn direnv_and_zoxide_work_on_in_both_orders() {
    for (program, bash, in_fish) in HOOKS {
        if !std::path::Path::new("/usr/bin").join(program).exists() {
            eprintln!("skipped: no {program}");
            continue;
        }
        for (shell, stage, load) in [("bash", Scene::bash as fn() -> Setup, bash), ("fish", fish, in_fish)] {
            for stage in [stage().rc_before(load), stage().rc_after(load)] {
                let stage = stage.file("place/.envrc", "export FROM_ENVRC=read\n").file("place/deep/kept", "");
                let mut scene = a_day(&format!("{program} in {shell}"), stage);
                match program {
                    "direnv" => {
                        scene.runs("direnv allow ~/place");
                        scene.runs("cd ~/place");
                        assert_eq!(scene.runs("echo $FROM_ENVRC"), "read", "{shell}");
                        scene.runs("cd ~");
                        assert_eq!(scene.runs("echo \"<$FROM_ENVRC>\""), "<>", "{shell}");
                    }
                    _ => {
                        scene.runs("cd ~/place/deep");
                        scene.runs("cd ~");
                        scene.runs("z deep");
                        assert!(scene.runs("pwd").ends_with("/place/deep"), "{shell}");
                    }
                }
            }
        }
    }
}

#[test]
fn keys_of_vi_and_abbreviations_of_fish_are_survived() {
    a_day("vi", fish().rc("fish_vi_key_bindings; function fish_mode_prompt; end"));
    let mut scene = a_day("abbreviations", fish().rc("abbr -a zz echo expanded"));
    scene.types("zz why is it so slow").sends("\r").shows("\nexpanded why is it so slow").prompt(5);
    scene.types("zz ").shows_line("echo expanded |");
}

#[test]
fn functions_of_yours_are_not_overwritten_in_fish() {
    let theirs = "function fish_command_not_found; echo mine $argv[1]; end\n\
                  function fish_user_key_bindings; bind \\cg 'commandline -i bound'; end";
    let mut scene = a_day("functions", fish().rc(theirs));
    assert_eq!(scene.runs("qqzz"), "mine qqzz");
    scene.types("x").sends("\x07").shows_line("xbound|");
}

#[test]
fn a_task_is_shown_and_waits_for_a_yes_in_every_shell() {
    for (shell, stage) in [("zsh", Scene::zsh()), ("bash", Scene::bash()), ("fish", fish())] {
        let mut scene = stage.file("work/Makefile", "test:\n\t@echo all is $$((40 + 2))\n").rc("cd ~/work").start();
        scene.types("aside task run the tests").sends("\r").shows("Run it?");
        assert!(!scene.screen().text().contains("all is 42"), "{shell} ran it");
        scene.answers("y").shows("all is 42").prompt(2);
    }
}

/// `make soak` kills it a hundred times.
#[test]
fn killing_the_daemon_while_keys_are_typed_loses_none() {
    let rounds: usize = std::env::var("ASIDE_TEST_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(4);
    for (shell, stage) in shells() {
        let mut scene = begun(stage);
        for round in 1..=rounds {
            scene.types("frob one");
            let lock = scene.home.socket().with_extension("sock.lock");
            let pid =
                std::fs::read_to_string(lock).ok().and_then(|text| text.trim().parse().ok()).and_then(Pid::from_raw);
            scene.sends(" t");
            if let Some(pid) = pid {
                let _ = rustix::process::kill_process(pid, Signal::KILL);
            }
            scene.sends("wo").types(" three").sends(SHIFT_DOWN);
            scene.types("!");
            scene.sends("\r").prompt(round + 1);
        }
        let text = scene.transcript().join("\n");
        assert_eq!(text.matches("\nfrobbed one two three").count(), rounds, "{shell}:\n{text}");
        for word in ["rror", "aside", "such file", "onnection", "Killed", "ipe"] {
            assert!(!text.contains(word), "{shell} says {word}:\n{text}");
        }
    }
}

/// What a command reads is the command's, and may be a password.
#[test]
fn what_a_command_reads_in_fish_is_left_to_it() {
    let mut scene = Scene::fish().start();
    scene.types("read -P 'name? ' v; echo \"[$v]\"").sends("\r").shows("name? ");
    scene.sends("what is this?\r").shows("[what is this?]").prompt(2);
    scene.types("read -P 'name? ' v; echo \"[$v]\"").sends("\r").shows("name? ");
    scene.sends("? count files\r").shows("[? count files]").prompt(3);
    scene.types("? find files larger than 100MB").sends("\r").shows("> find . -type f -size +100M");
}

#[test]
fn a_trace_is_of_what_you_run() {
    let mut scene = Scene::bash().start();
    scene.runs("true");
    scene.types("set -x").sends("\r").prompt(3);
    scene.types("echo traced").sends("\r").prompt(4);
    let text = scene.screen().text();
    assert!(text.contains("\n+ echo traced\n"), "{text}");
    assert!(text.matches("_aside").count() < 14, "{text}");
}
