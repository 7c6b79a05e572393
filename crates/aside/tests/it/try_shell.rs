//! `aside try`: a shell with Aside on that leaves no trace.

use std::collections::BTreeMap;
use std::path::Path;

use crate::harness::scene::Scene;

/// Every file below a directory with its bytes.
fn snapshot(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(&dir).unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                dirs.push(entry.path());
            }
            files.insert(entry.path().display().to_string(), std::fs::read(entry.path()).unwrap_or_default());
        }
    }
    files
}

#[test]
fn a_trial_reads_the_rc_file_and_writes_nothing() {
    let mut scene = Scene::zsh()
        .without_aside()
        .file(".bash_history", "git status --short\n")
        .file(".git/HEAD", "ref: refs/heads/main\n")
        .rc("HISTFILE=~/.zsh_history HISTSIZE=100 SAVEHIST=100; setopt inc_append_history\n\
             alias mine='echo from the rc file'; autoload -Uz compinit; compinit")
        .history(&["ls -la /usr/share"])
        .start();
    // The outer shell has written its own files before the trial begins.
    scene.runs("true");
    let before = snapshot(&scene.home.path(""));
    scene.types("aside try zsh; echo back $?").sends("\r");
    // The trial numbers its own prompts, from 1 again.
    scene.shows("Aside is on in this zsh").shows("? find files larger than 100MB").prompt(1);
    scene.types("mine").sends("\r").prompt(2).shows("from the rc file");
    scene.types("git st").shows_ghost("git st|atus --short").sends("\x15");
    scene.types("echo new command").sends("\r").prompt(3);
    scene.types("echo n").shows_ghost("echo n|ew command").sends("\x15");
    scene.types("aside config set complete.max_candidates 7").sends("\r").prompt(4);
    scene.types("aside config get complete.max_candidates").sends("\r").prompt(5).shows("\n7\n");
    scene.types("exit").sends("\r").shows("back 0");
    let after = snapshot(&scene.home.path(""));
    let changed: Vec<&String> = after
        .iter()
        .filter(|(path, bytes)| before.get(*path) != Some(*bytes))
        .map(|(path, _)| path)
        // Written by the outer shell itself.
        .filter(|path| !path.ends_with(".zsh_history"))
        .collect();
    assert_eq!(changed, Vec::<&String>::new());
    let outer = scene.home.read(".zsh_history");
    assert!(!outer.contains("new command"), "{outer}");
}

#[test]
fn bash_and_fish_can_be_tried_too() {
    for shell in ["bash", "fish"] {
        let mut scene = Scene::zsh().without_aside().start();
        scene.types(&format!("aside try {shell}")).sends("\r").shows(&format!("Aside is on in this {shell}"));
        scene.sends("echo in $_aside_version\r").shows("in 0.").sends("exit\r").prompt(2);
    }
}

#[test]
fn without_a_terminal_no_shell_is_opened() {
    let home = crate::harness::home::Home::new();
    for args in [&["try"][..], &["try", "bash"], &["tutor"]] {
        let said = home.aside(args);
        assert_eq!((said.code, said.stdout.as_str()), (1, ""), "{args:?}");
        assert!(said.stderr.contains("run it in a terminal"), "{}", said.stderr);
    }
}

#[test]
fn a_shell_that_is_not_there_is_named() {
    let home = crate::harness::home::Home::new();
    let said = home.aside(&["try", "tcsh"]);
    assert_eq!(said.code, 2);
    assert!(said.stderr.contains("zsh, bash, fish"), "{}", said.stderr);
}
