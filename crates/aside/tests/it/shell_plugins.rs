//! Aside in bash and fish next to prompts, tool managers and other plugins, from a directory of checkouts: `make neighbours PLUGINS=dir`.
//! Each is loaded before Aside and behind it, in bash also in the proxy terminal. Where the program of a prompt is not in the directory, its
//! own script is loaded all the same, and a stand-in prints the prompt.

use std::path::Path;

use crate::bash::recorded;
use crate::harness::home::Home;
use crate::harness::scene::Scene;
use crate::harness::setup::Setup;
use crate::keys_shells::{SHIFT_DOWN, begun, fish};
use crate::plugins::{directory, is_wanted};

const PROXY: &str = r#"eval "$(aside init bash --proxy)""#;
const KILL_LINE: &str = "\x15";

/// Prints the number of the scene's prompt, which has to be exported; and the time for starship and oh-my-posh.
const STAND_IN: &str = r#"#!/bin/sh
case "$1 $2" in
  "time "*) date +%s%3N ;;
  "get millis") date +%s%3N ;;
  "prompt --continuation"* | "print secondary"*) printf '> ' ;;
  *--right* | *" right"* | *" transient"* | *" tooltip"*) ;;
  "prompt "* | "print primary"*) printf '%s> ' "$_scene_number" ;;
  *) exit 1 ;;
esac
"#;

/// A neighbour: its name, the file that has to be there, the lines that load it (`@` is the file), and a check: a line, and what it prints
/// behind a command that failed with 3.
struct Neighbour {
    name: &'static str,
    file: &'static str,
    load: &'static str,
    check: (&'static str, &'static str),
}

const IN_BASH: [Neighbour; 4] = [
    Neighbour {
        name: "starship",
        file: "starship/src/init/starship.bash",
        load: r#"export _scene_number; eval "$(sed 's|::STARSHIP::|starship|g' @)""#,
        check: ("echo $STARSHIP_CMD_STATUS", "3"),
    },
    Neighbour {
        name: "oh-my-posh",
        file: "oh-my-posh/src/shell/scripts/omp.bash",
        load: r#"export _scene_number; eval "$(sed 's|::OMP::|oh-my-posh|g' @)""#,
        check: ("echo $_omp_status", "3"),
    },
    Neighbour {
        name: "bash-preexec",
        file: "bash-preexec/bash-preexec.sh",
        load: r#"source @; preexec() { before=$1; }; precmd() { after=$?; }"#,
        check: ("echo $after, $before", "3, echo $after, $before"),
    },
    Neighbour { name: "mise", file: "mise/bin/mise", load: r#"eval "$(@ activate bash)""#, check: ("cd ~/place", "") },
];

const IN_FISH: [Neighbour; 5] = [
    Neighbour {
        name: "starship",
        file: "starship/src/init/starship.fish",
        load: "set -gx _scene_number $_scene_number; sed 's|::STARSHIP::|starship|g' @ | source",
        check: ("functions fish_prompt | string match -q '*STARSHIP*'; and echo theirs", "theirs"),
    },
    Neighbour {
        name: "oh-my-posh",
        file: "oh-my-posh/src/shell/scripts/omp.fish",
        load: "set -gx _scene_number $_scene_number; sed 's|::OMP::|oh-my-posh|g' @ | source",
        check: ("echo $_omp_status", "3"),
    },
    Neighbour { name: "mise", file: "mise/bin/mise", load: "@ activate fish | source", check: ("cd ~/place", "") },
    Neighbour {
        name: "fzf.fish",
        file: "fzf.fish/conf.d/fzf.fish",
        load: "set -p fish_function_path (path dirname (path dirname @))/functions; source @",
        check: ("bind | string match -q '*_fzf_search_history*'; and echo bound", "bound"),
    },
    Neighbour {
        name: "tide",
        file: "tide/conf.d/_tide_init.fish",
        load: "set -p fish_function_path (path dirname (path dirname @))/functions; source @",
        check: ("functions -q _tide_pwd; and echo there", "there"),
    },
];

/// The neighbours that are in the directory, with the line that loads each.
fn present<'n>(dir: &Path, all: &'n [Neighbour]) -> Vec<(&'n Neighbour, String)> {
    let mut found = Vec::new();
    for neighbour in all.iter().filter(|neighbour| is_wanted(neighbour.name)) {
        match dir.join(neighbour.file).canonicalize() {
            Ok(file) => found.push((neighbour, neighbour.load.replace('@', &file.display().to_string()))),
            Err(_) => eprintln!("skipped: no {} in the directory", neighbour.file),
        }
    }
    found
}

fn furnished(stage: Setup) -> Setup {
    let trusted = stage.path("place");
    stage
        .file("bin/starship", STAND_IN)
        .file("bin/oh-my-posh", STAND_IN)
        .file("place/mise.toml", "[env]\nFROM_MISE = 'read'\n")
        .env("MISE_TRUSTED_CONFIG_PATHS", &trusted)
        .env("MISE_OFFLINE", "1")
}

fn commands(home: &Home, count: usize) -> Vec<String> {
    recorded(home, count).iter().filter_map(|row| row["command"].as_str().map(str::to_owned)).collect()
}

/// Keys, a request, prose and the record of what ran, next to the neighbour, which sees the status and works on.
#[track_caller]
fn lives_with(what: &str, neighbour: &Neighbour, stage: Setup) {
    eprintln!("{what}");
    let mut scene = begun(furnished(stage));
    scene.types("frob st").sends(SHIFT_DOWN).shows_line("frob start one|");
    scene.sends("\r").shows("frobbed start one").prompt(2);
    // oh-my-posh binds Enter in fish, so that is its own; Shift-↓ asks as well.
    let asks = if what.starts_with("fish, oh-my-posh") { SHIFT_DOWN } else { "\r" };
    scene.types("? find files larger than 100MB").sends(asks).shows("> find . -type f -size +100M").sends(KILL_LINE);
    scene.settles();
    scene.runs(if what.contains("fish") { "sh -c 'exit 3'" } else { "(exit 3)" });
    let (line, wanted) = neighbour.check;
    assert_eq!(scene.runs(line), wanted, "{what}");
    if neighbour.name == "mise" {
        assert_eq!(scene.runs("echo $FROM_MISE"), "read", "{what}");
        scene.runs("cd ~");
        assert_eq!(scene.runs("echo \"<$FROM_MISE>\""), "<>", "{what}");
    }
    assert_eq!(scene.runs("echo on"), "on", "{what}");
    let screen = scene.screen().text();
    assert!(!screen.contains("aside"), "{what} heard of us:\n{screen}");
    let wanted = ["frob start one", "echo on"];
    let deadline = std::time::Instant::now() + crate::harness::patience();
    loop {
        let ran = commands(&scene.home, 1);
        if wanted.iter().all(|line| ran.iter().any(|ran| ran == line)) {
            break;
        }
        assert!(std::time::Instant::now() < deadline, "{what}: only {ran:?} came");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn prompts_and_managers_of_bash_work_on_in_both_orders() {
    let Some(dir) = directory() else { return };
    for (neighbour, load) in present(&dir, &IN_BASH) {
        let name = neighbour.name;
        lives_with(&format!("bash, {name} before"), neighbour, Scene::bash().rc_before(&load));
        lives_with(&format!("bash, {name} behind"), neighbour, Scene::bash().rc_after(&load));
        lives_with(&format!("proxy, {name} before"), neighbour, Scene::bash().rc(PROXY).rc_before(&load));
        lives_with(&format!("proxy, {name} behind"), neighbour, Scene::bash().rc(PROXY).rc_after(&load));
    }
}

#[test]
fn prompts_and_managers_of_bash_leave_the_grey_text() {
    let Some(dir) = directory() else { return };
    for (neighbour, load) in present(&dir, &IN_BASH) {
        for (order, stage) in
            [("before", Scene::bash().rc(PROXY).rc_before(&load)), ("behind", Scene::bash().rc(PROXY).rc_after(&load))]
        {
            eprintln!("grey text, {} {order}", neighbour.name);
            let mut scene = begun(furnished(stage));
            // A prompt that has taken over PROMPT_COMMAND, as starship does, has it from the second prompt on.
            assert_eq!(scene.runs("echo first"), "first", "{} {order}", neighbour.name);
            scene.types("frob sta").shows_ghost("frob sta|rt one").sends(KILL_LINE);
            // The rc file is read once more, and the scene counts from one again: the second prompt is the next that it knows.
            scene.types("source ~/.bashrc").sends("\r");
            scene.wait_for("the next prompt", |screen| screen.text().trim_end().ends_with("\n1>"));
            scene.types("echo once more").sends("\r");
            scene.wait_for("the prompt after it", |screen| screen.text().trim_end().ends_with("\n2>"));
            scene.types("frob sta").shows_ghost("frob sta|rt one").sends(KILL_LINE);
        }
    }
}

#[test]
fn prompts_and_managers_of_fish_work_on_in_both_orders() {
    let Some(dir) = directory() else { return };
    for (neighbour, load) in present(&dir, &IN_FISH) {
        let name = neighbour.name;
        lives_with(&format!("fish, {name} before"), neighbour, fish().rc_before(&load));
        lives_with(&format!("fish, {name} behind"), neighbour, fish().rc_after(&load));
    }
}

/// With ble.sh every key is its own: commands are recorded, and prose is answered once it has failed.
#[test]
fn next_to_ble_sh_commands_are_recorded_and_nothing_is_said() {
    let Some(dir) = directory() else { return };
    let Ok(file) = dir.join("ble.sh/out/ble.sh").canonicalize() else {
        return eprintln!("skipped: no ble.sh/out/ble.sh in the directory");
    };
    let load = format!("source {} --noattach --rcfile /dev/null", file.display());
    let attach = "[[ ! ${BLE_VERSION-} ]] || ble-attach";
    for (order, stage) in [
        ("before", Scene::bash().rc_before(&load).rc_after(attach)),
        ("behind", Scene::bash().rc_after(&load).rc_after(attach)),
        ("proxy, before", Scene::bash().rc(PROXY).rc_before(&load).rc_after(attach)),
    ] {
        eprintln!("ble.sh {order}");
        let mut scene = stage.file("kept", "").start();
        scene.wait_for("the first prompt", |screen| screen.text().contains("1>"));
        for (number, line) in [(2, "echo one"), (3, "ls kept"), (4, "echo $BLE_ATTACHED")] {
            scene.sends(line).sends("\r");
            scene.wait_for("the next prompt", |screen| screen.text().contains(&format!("\n{number}>")));
        }
        let screen = scene.screen().text();
        assert!(!screen.contains("aside") && !screen.contains("rror"), "{order}:\n{screen}");
        let ran = commands(&scene.home, 3);
        assert_eq!(ran, ["echo one", "ls kept", "echo $BLE_ATTACHED"], "{order}:\n{screen}");
    }
}
