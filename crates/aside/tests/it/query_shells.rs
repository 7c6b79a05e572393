//! Queries with `? words` in bash and fish: the command is put into the line, and runs when the user presses Enter again.

use crate::harness::scene::Scene;
use crate::harness::setup::Setup;

const ENTER: &str = "\r";

fn shells() -> [(&'static str, Setup); 3] {
    [("bash", Scene::bash()), ("bash, vi", Scene::bash().rc("set -o vi")), ("fish", Scene::fish())]
}

#[test]
fn the_command_comes_into_the_line_and_waits_for_another_enter() {
    for (shell, stage) in shells() {
        let mut scene = stage.file("large.bin", "").rc("truncate -s 150M ~/large.bin").start();
        scene.types("? find files larger than 100MB").sends(ENTER).shows("> find . -type f -size +100M");
        assert!(!scene.screen().text().contains("./large.bin"), "{shell} ran it:\n{}", scene.screen().text());
        scene.sends(ENTER).shows("./large.bin").prompt(2);
        // The command ran, so it is in the history; the query is not.
        let known = || scene.home.aside(&["history", "search", "100M"]).stdout;
        let deadline = std::time::Instant::now() + crate::harness::patience();
        while !known().contains("find . -type f -size +100M") {
            assert!(std::time::Instant::now() < deadline, "{shell} has not recorded it: {}", known());
        }
        assert!(!known().contains("larger than"), "{shell}: {}", known());
        // Other lines are unaffected.
        assert_eq!(scene.runs("echo what now"), "what now", "{shell}");
    }
}

#[test]
fn what_destroys_says_so_and_what_is_not_understood_stays() {
    for (shell, stage) in shells() {
        let mut scene = stage.file("a.log", "kept\n").start();
        scene.types("? delete all log files").sends(ENTER).shows("careful, it deletes").shows("or: rm");
        scene.sends("\x15");
        scene.types("? sing me a song about whales").sends(ENTER).shows("> ? sing me a song about whales");
        scene.sends("\x15");
        assert_eq!(scene.runs("cat a.log"), "kept", "{shell}");
    }
}

#[test]
fn a_question_mark_of_the_shells_own_is_left_alone() {
    for (shell, stage) in shells() {
        let mut scene = stage.file("x", "").rc("mkdir -p ~/one; cd ~/one; echo in >a").start();
        let lists = if shell == "fish" { "ls *" } else { "ls ?" };
        assert_eq!(scene.runs(lists), "a", "{shell}");
        assert_eq!(scene.runs("aside-off"), "");
        scene.types("? find files larger than 100MB").sends(ENTER).prompt(4);
        assert!(!scene.screen().text().contains("-size +100M"), "{shell}");
    }
}
