//! The fish plugin: records what ran, changes nothing else.

use serde_json::Value;

use crate::bash::recorded;
use crate::harness::scene::Scene;

#[test]
fn commands_are_recorded_with_what_is_known_about_them() {
    let mut scene = Scene::fish().rc("mkdir -p ~/code").start();
    scene.runs("cd ~/code");
    scene.runs(" echo hidden");
    scene.runs("sh -c 'exit 7'");
    assert_eq!(scene.runs("echo $status"), "7");
    let rows = recorded(&scene.home, 3);
    let mut commands: Vec<&str> = rows.iter().map(|row| row["command"].as_str().unwrap()).collect();
    // fish has no clock finer than a second without starting a program.
    commands.sort_unstable();
    assert_eq!(commands, ["cd ~/code", "echo $status", "sh -c 'exit 7'"]);
    let failed = rows.iter().find(|row| row["command"] == "sh -c 'exit 7'").unwrap();
    assert_eq!((&failed["exit"], &failed["shell"]), (&Value::from(7), &Value::from("fish")));
    assert!(failed["cwd"].as_str().unwrap().ends_with("/code"), "{rows:?}");
}

#[test]
fn a_private_fish_and_one_switched_off_record_nothing() {
    let mut scene = Scene::fish().start();
    scene.runs("aside-off");
    scene.runs("echo unseen");
    scene.runs("aside-on");
    scene.runs("set -g fish_private_mode 1");
    scene.runs("echo private");
    scene.runs("set -e fish_private_mode");
    scene.runs("echo seen");
    let rows = recorded(&scene.home, 3);
    let commands: Vec<&str> = rows.iter().map(|row| row["command"].as_str().unwrap()).collect();
    assert!(!commands.contains(&"echo unseen") && !commands.contains(&"echo private"), "{commands:?}");
    assert!(commands.contains(&"echo seen"), "{commands:?}");
}
