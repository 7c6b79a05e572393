//! bash and fish in other environments: in tmux and screen, in an empty environment as `docker exec` and `sudo -s` create one, and
//! over ssh, with a daemon on the remote host, with the local one, and with none.

use std::path::Path;

use crate::harness::has_tools;
use crate::harness::home::{ASIDE, Home};
use crate::harness::scene::Scene;
use crate::harness::setup::Setup;
use crate::keys_shells::{SHIFT_DOWN, begun, fish};
use crate::proxy_tools::Server;

fn both() -> [(&'static str, Setup); 2] {
    [("bash", Scene::bash()), ("fish", fish())]
}

/// Waits for the first prompt of a new shell: earlier prompts may have had the same number.
#[track_caller]
fn begins(scene: &mut Scene) {
    scene.wait_for("a shell that is new", |screen| screen.row(screen.cursor.0) == "1>");
    scene.prompt(1);
}

#[test]
fn in_tmux_and_in_screen_everything_is_there() {
    for (program, line) in [("/usr/bin/tmux", "tmux -f /dev/null new"), ("/usr/bin/screen", "screen -q -c /dev/null")] {
        if !Path::new(program).exists() {
            eprintln!("skipped: no {program}");
            continue;
        }
        for (shell, stage) in both() {
            let mut scene = begun(stage);
            // Below the home, where no other process finds it.
            let dir = scene.home.path("screens").display().to_string();
            scene.runs("echo outside");
            scene.types(&format!("env SCREENDIR={dir} {line} {shell}")).sends("\r");
            begins(&mut scene);
            scene.types("frob st").sends(SHIFT_DOWN).shows_line("frob start one|");
            scene.sends("\r").shows("frobbed start one").prompt(2);
            scene.types("? find files larger than 100MB").sends("\r").shows("> find . -type f -size +100M");
        }
    }
}

#[test]
fn an_environment_with_nothing_in_it_is_enough() {
    for (shell, stage) in both() {
        let mut scene = begun(stage);
        scene.runs("echo outside");
        let tmp = scene.home.path("tmp");
        std::fs::create_dir_all(&tmp).unwrap();
        // Another socket, so another daemon, with the same files.
        let line =
            format!("env -i HOME=$HOME TERM=$TERM PATH=\"$PATH\" LANG=$LANG TMPDIR={} {shell} -i", tmp.display());
        scene.types(&line).sends("\r");
        begins(&mut scene);
        scene.types("? find files larger than 100MB").sends("\r").shows("> find . -type f -size +100M").sends("\x15");
        scene.settles();
        scene.types("aside daemon stop; echo inside").sends("\r").shows("\nstopped").shows("\ninside");
        assert!(
            tmp.join(format!("aside-{}", rustix::process::getuid().as_raw())).exists(),
            "{shell} has a place of its own"
        );
    }
}

/// A remote home, whose bash reads these lines, and a script `there` that connects to it.
fn far(home: &Home, options: &str, rc: &str) {
    let there = home.path("away").display().to_string();
    let bin = Path::new(ASIDE).parent().unwrap().display();
    home.write("away/.bashrc", format!("PROMPT_COMMAND='PS1=\"far> \"'\n{rc}\n"));
    home.write(
        "far",
        format!("cd {there} && exec env -i HOME={there} PATH={bin}:/usr/bin:/bin TERM=$TERM LANG=C.UTF-8 bash -i\n"),
    );
    home.write("there", format!("#!/bin/sh\nexec ssh {options} -F {} there\n", home.path("ssh_config").display()));
}

const ASKS: &str = "? find files larger than 100MB";
const ANSWER: &str = "far> find . -type f -size +100M";

#[test]
fn behind_ssh_there_is_a_daemon_of_its_own_or_this_one_or_none() {
    if !has_tools() {
        return;
    }
    // With a daemon on the remote host: nothing of it is recorded locally.
    let mut scene = begun(Scene::bash());
    let Some(_server) = Server::start(&scene.home) else { return };
    far(&scene.home, "", "export XDG_RUNTIME_DIR=~/run; mkdir -p -m 700 ~/run; eval \"$(aside init bash)\"");
    scene.types("./there").sends("\r").shows("\nfar>");
    scene.types(ASKS).sends("\r").shows(ANSWER).sends("\x15");
    scene.types("echo only-there").sends("\r").shows("\nonly-there");
    scene.types("until aside history search only-there | sed s/^/found:/ | grep only-there; do sleep .1; done");
    scene.sends("\r").shows("\nfound:");
    scene.types("aside daemon stop; exit").sends("\r").prompt(2);
    assert!(!scene.home.aside(&["history", "search", "only-there"]).stdout.contains("only-there"));

    // With the local daemon, through a socket that ssh forwards: what runs remotely is recorded here.
    let mut scene = begun(Scene::bash());
    let Some(_server) = Server::start(&scene.home) else { return };
    let forwarded = scene.home.path("away/run/here.sock");
    std::fs::create_dir_all(forwarded.parent().unwrap()).unwrap();
    std::fs::set_permissions(forwarded.parent().unwrap(), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let options = format!("-R {}:{}", forwarded.display(), scene.home.socket().display());
    far(&scene.home, &options, "export ASIDE_SOCKET=~/run/here.sock; eval \"$(aside init bash)\"");
    scene.types("./there").sends("\r").shows("\nfar>");
    scene.types(ASKS).sends("\r").shows(ANSWER).sends("\x15");
    scene.types("echo also-here").sends("\r").shows("\nalso-here");
    let deadline = std::time::Instant::now() + crate::harness::patience();
    while !scene.home.aside(&["history", "search", "also-here"]).stdout.contains("echo also-here") {
        assert!(std::time::Instant::now() < deadline, "what ran there is not known here");
    }
    scene.types("exit").sends("\r").prompt(2);

    // With no daemon: the shell prints nothing about it.
    far(&scene.home, "", "PATH=/usr/bin:/bin; command -v aside >/dev/null && eval \"$(aside init bash)\"");
    scene.types("./there").sends("\r").shows("\nfar>");
    scene.types("echo quite $((40 + 2)) alone").sends("\r").shows("quite 42 alone");
    let text = scene.screen().text();
    assert!(!text.contains("command not found") && !text.contains("rror"), "{text}");
}
