//! An approved command cannot change Aside's settings, history or models through `aside` itself, not even from a script.

use serde_json::json;

use crate::harness::home::{ASIDE, Home};
use crate::harness::tasks::TaskClient;

#[test]
fn task_settings_what_the_blocklist_names_is_refused_with_the_reason() {
    let home = Home::new();
    home.write(".config/aside/config.toml", "[security]\ncommand_blocklist = ['find']\n");
    home.aside_does(&["daemon", "start"]);
    for words in [&["run", "find", "."][..], &["run", "sudo", "find", "/", "-name", "x"]] {
        let said = home.aside(&[&["task", "--new"][..], words].concat());
        let all = format!("{}{}", said.stdout, said.stderr);
        assert!(all.contains("it is in your security.command_blocklist as `find`"), "{words:?}: {all}");
        assert_ne!(said.code, 0, "{all}");
    }
    let mut ada = TaskClient::at(&home, &home.path(""));
    let task = ada.asks("run `find .`");
    assert_eq!(ada.rests(&task)["state"], "FAILED");
    let task = ada.asks("run `ls`");
    assert_eq!(ada.rests(&task)["state"], "WAITING_APPROVAL");
}

#[test]
fn task_settings_an_approved_script_changes_nothing_of_asides() {
    let home = Home::new();
    home.write(".config/aside/config.toml", "complete.max_candidates = 5\n");
    home.write("commands.txt", "ls -l\n");
    home.write("model.gguf", "GGUF");
    let model = home.path("model.gguf").display().to_string();
    let commands: &[&[&str]] = &[
        &["config", "set", "llm.base_url", "http://127.0.0.1:1/v1"],
        &["config", "unset", "complete.max_candidates"],
        &["config", "edit"],
        &["uninstall", "--yes"],
        &["history", "import", "bash", "commands.txt"],
        &["detect", "wrong", "--", "show me the files"],
        &["detect", "wrong", "--undo"],
        &["model", "use", "embedded"],
        &["model", "remove", "--yes", "x"],
        &["model", "pull", &model],
        &["daemon", "stop"],
    ];
    let lines: String = commands
        .iter()
        .map(|words| format!("{ASIDE} '{}' </dev/null >>out.txt 2>&1; echo $? >>codes.txt\n", words.join("' '")))
        .collect();
    home.write("script.sh", format!("cd '{}'\nexport EDITOR=true\n{lines}", home.path("").display()));
    home.aside_does(&["daemon", "start"]);
    let mut ada = TaskClient::at(&home, &home.path(""));
    let task = ada.asks("run `sh script.sh`");
    assert_eq!(ada.rests(&task)["state"], "WAITING_APPROVAL");
    let shown = ada.sees(&task);
    ada.approves(&shown);
    ada.ends(&task);
    let out = home.read("out.txt");
    assert_eq!(out.matches("a command of a task cannot ").count(), commands.len(), "{out}");
    assert_eq!(home.read("codes.txt"), "1\n".repeat(commands.len()), "{out}");
    assert_eq!(home.read(".config/aside/config.toml"), "complete.max_candidates = 5\n");
    assert_eq!(home.wire().json(json!({ "type": "status", "request_id": 1 }))["type"], "status");
    // The user can.
    home.aside_does(&["config", "set", "complete.max_candidates", "6"]);
    assert!(home.aside_does(&["config", "get", "complete.max_candidates"]).stdout.contains('6'));
}
