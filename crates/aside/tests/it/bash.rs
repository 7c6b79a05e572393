//! The bash plugin: it records what ran and changes nothing else.

use serde_json::Value;

use crate::harness::home::Home;
use crate::harness::keys::Key;
use crate::harness::scene::Scene;
use crate::keys_shells::SHIFT_DOWN;

/// Recording is asynchronous: waits until that many commands are stored.
pub fn recorded(home: &Home, count: usize) -> Vec<Value> {
    let deadline = std::time::Instant::now() + crate::harness::patience();
    loop {
        let said = home.aside(&["history", "search", "--json", ""]).stdout;
        let mut rows: Vec<Value> = serde_json::from_str(&said).unwrap_or_default();
        if rows.len() >= count {
            rows.sort_by_key(|row| row["start_ms"].as_i64());
            return rows;
        }
        assert!(std::time::Instant::now() < deadline, "only {} of {count} commands came: {said}", rows.len());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn commands_are_recorded_with_what_is_known_about_them() {
    let mut scene = Scene::bash().rc("HISTCONTROL=ignorespace; mkdir -p ~/code").start();
    scene.runs("cd ~/code");
    scene.runs(" echo hidden");
    scene.runs("(exit 7)");
    assert_eq!(scene.runs("echo $?"), "7");
    scene.runs("export API_TOKEN=abcdef123456");
    let rows = recorded(&scene.home, 3);
    let commands: Vec<&str> = rows.iter().map(|row| row["command"].as_str().unwrap()).collect();
    assert_eq!(commands, ["cd ~/code", "(exit 7)", "echo $?"]);
    assert_eq!((&rows[1]["exit"], &rows[1]["shell"]), (&Value::from(7), &Value::from("bash")));
    assert!(rows[1]["cwd"].as_str().unwrap().ends_with("/code"), "{rows:?}");
    assert!(rows[0]["cwd"].as_str().unwrap().ends_with("home"), "{rows:?}");
    assert!(rows[0]["start_ms"].as_i64().unwrap() > 1_700_000_000_000, "{rows:?}");
}

#[test]
fn prompt_commands_of_yours_go_on_and_see_the_status() {
    let rc = "PROMPT_COMMAND=\"last=\\$?; $PROMPT_COMMAND\"; set -u";
    let mut scene = Scene::bash().rc(rc).start();
    scene.runs("(exit 3)");
    assert_eq!(scene.runs("echo was $last"), "was 3");
    scene.runs(r#"eval "$(aside init bash)"; eval "$(aside init bash)""#);
    assert_eq!(scene.runs("grep -o _aside_prompt <<<\"${PROMPT_COMMAND[*]}\" | wc -l"), "1");
}

#[test]
fn an_rc_file_that_is_read_again_runs_your_prompt_command_once() {
    for first in ["PROMPT_COMMAND=", "PROMPT_COMMAND=(_scene_prompt true)", "PROMPT_COMMAND=([2]=true)"] {
        let rc = format!("{first}; count=0; counts() {{ count=$((count + 1)); }}; PROMPT_COMMAND=counts; PS1='1> '");
        let mut scene = Scene::bash().rc_before(&rc).start();
        for round in 0..3 {
            scene.types("source ~/.bashrc").sends("\r").types("echo count $count").sends("\r");
            scene.shows("count 1").types("clear").sends("\r");
            scene.wait_for("an empty screen", |screen| screen.text().trim() == "1>");
            assert!(!scene.screen().text().contains("count 2"), "{first}, round {round}");
        }
    }
}

/// Most of the plugin is in a file that bash reads at the first Enter.
#[test]
fn the_part_that_is_read_later_is_found_or_missed_in_silence() {
    let late = |scene: &Scene| scene.home.socket().with_extension("sock.bash");
    let mut scene = Scene::bash().start();
    // As after the next login, with what `aside init` printed in a file of the user's.
    std::fs::remove_file(late(&scene)).unwrap();
    scene.types("? find files larger than 100MB").sends("\r").shows("> find . -type f -size +100M");
    // An upgrade in which it became another.
    let mut scene = Scene::bash().rc_after("_aside_bin=/bin/false").start();
    std::fs::write(late(&scene), "# of another version\necho heard\n").unwrap();
    scene.sends(SHIFT_DOWN).settles();
    assert_eq!(scene.runs("echo on"), "on");
    assert!(!scene.screen().text().contains("heard"), "{}", scene.screen().text());
    assert_eq!(recorded(&scene.home, 1)[0]["command"], "echo on");
}

#[test]
fn aside_off_and_on() {
    let mut scene = Scene::bash().start();
    scene.runs("aside-off");
    scene.runs("echo unseen");
    scene.runs("aside-on");
    scene.runs("echo seen");
    let rows = recorded(&scene.home, 2);
    let commands: Vec<&str> = rows.iter().map(|row| row["command"].as_str().unwrap()).collect();
    assert_eq!(commands, ["aside-on", "echo seen"]);
}

#[test]
fn starting_prints_nothing_and_no_job_is_announced() {
    let mut scene = Scene::bash().start();
    scene.runs("true");
    scene.presses(Key::Enter).prompt(3);
    scene.screen_is("1> true\n2>\n3>");
}

/// The same in every shell, with a line in the rc file and no `aside setup`.
#[test]
fn the_shells_own_history_is_imported_when_there_is_none() {
    // Set behind our line: it counts all the same.
    let mut scene =
        Scene::bash().file("own_history", "git status --short\nls -la\n").rc_after("HISTFILE=~/own_history").start();
    let rows = recorded(&scene.home, 2);
    let commands: Vec<&str> = rows.iter().map(|row| row["command"].as_str().unwrap()).collect();
    assert!(commands.contains(&"git status --short") && commands.contains(&"ls -la"), "{commands:?}");
    assert_eq!(scene.runs("echo fine"), "fine");
    recorded(&scene.home, 3);
}
