//! Requests that are read by the things that they name in the repository: what limits them is obeyed or refused by its name.

use std::process::Command;

use serde_json::Value;

use crate::harness::home::Home;
use crate::harness::tasks::TaskClient;

struct Scene {
    home: Home,
    person: TaskClient,
}

impl Scene {
    fn new() -> Self {
        let mut home = Home::new();
        home.write("project/Makefile", "PORT ?= 1\ntest:\n\ttrue\n\nserve:\n\ttrue --port $(PORT)\n");
        home.write("project/src/fee.py", "READ_TIMEOUT = 5\n\n\ndef late_fee(day):\n    return day\n");
        home.write("project/src/bill.py", "from fee import late_fee\n\nTOTAL = late_fee(1)\n");
        home.write("project/tests/test_fee.py", "from fee import late_fee\n\n\ndef test_fee():\n    late_fee(1)\n");
        home.write("project/run.sh", "#!/bin/sh\n");
        home.set_env("PATH", "/usr/bin:/bin");
        home.write(".config/aside/config.toml", "");
        let scene = |args: &[&str]| {
            let project = home.path("project");
            let mut git = Command::new("git");
            git.current_dir(project).env("HOME", home.path("")).args(["-c", "user.name=A", "-c", "user.email=a@b"]);
            assert!(git.args(args).output().unwrap().status.success(), "{args:?}");
        };
        scene(&["init", "-q", "-b", "main"]);
        scene(&["add", "-A"]);
        scene(&["commit", "-qm", "Begin"]);
        scene(&["branch", "release/1.0"]);
        home.aside_does(&["daemon", "start"]);
        let person = TaskClient::at(&home, &home.path("project"));
        Self { home, person }
    }

    /// The command or the diff that is proposed, else what is said.
    #[track_caller]
    fn asks(&mut self, text: &str) -> String {
        let task = self.person.asks(text);
        let events = self.person.hears_until(&task, &["WAITING_APPROVAL", "COMPLETED", "FAILED", "REJECTED"]);
        let proposed = events.iter().rfind(|event| event["type"] == "task_proposal");
        let proposal = proposed.map_or(Value::Null, |event| event["result"]["proposal"].clone());
        let found = proposal["cmd"].as_str().or_else(|| proposal["unifiedDiff"].as_str());
        found.or_else(|| proposal["text"].as_str()).unwrap_or_default().to_owned()
    }
}

#[test]
fn a_change_is_limited_to_the_files_that_the_request_says() {
    let mut scene = Scene::new();
    let diff = scene.asks("rename late_fee to overdue_fee, but not in the tests");
    assert!(diff.contains("+def overdue_fee(day):") && diff.contains("+TOTAL = overdue_fee(1)"), "{diff}");
    assert!(!diff.contains("tests/test_fee.py"), "{diff}");
    let told = scene.asks("rename late_fee to overdue_fee in bill.py only");
    assert!(told.contains("defines `late_fee`") && !told.contains("+TOTAL"), "{told}");
    let told = scene.asks("rename late_fee to overdue_fee unless it is public");
    assert!(told.contains("unless it is public") && told.contains("says when, not now"), "{told}");
    let told = scene.asks("rename no_such_fee to overdue_fee");
    assert!(told.contains("`no_such_fee`"), "{told}");
}

#[test]
fn a_setting_is_changed_whatever_the_sentence_around_it_is() {
    let mut scene = Scene::new();
    for words in [
        "make READ_TIMEOUT = 15s",
        "ci is slow, so raise the read timeout to 15s",
        "READ_TIMEOUT 5 -> 15 because ci is slow",
        "set READ_TIMEOUT to 15 but don't touch anything else",
        "把 READ_TIMEOUT 改成 15，别的不要动",
    ] {
        let diff = scene.asks(words);
        assert!(diff.contains("-READ_TIMEOUT = 5") && diff.contains("+READ_TIMEOUT = 15"), "{words}: {diff}");
    }
    for words in ["raise READ_TIMEOUT by 15", "set READ_TIMEOUT to 15 unless CI is set", "READ_TIMEOUT must not be 15"]
    {
        let told = scene.asks(words);
        assert!(!told.contains("+READ_TIMEOUT"), "{words}: {told}");
    }
}

#[test]
fn commands_take_what_git_and_the_project_have() {
    let mut scene = Scene::new();
    for (words, command) in [
        ("put away src/fee.py for now, nothing else", "git stash push -- src/fee.py"),
        ("把 src/fee.py 收起来", "git stash push -- src/fee.py"),
        ("make a branch called fees off release/1.0 and go there", "git switch -c fees release/1.0"),
        ("get me back onto release/1.0", "git switch release/1.0"),
        ("make run.sh executable", "chmod +x run.sh"),
        ("commit only src/fee.py, message \"Fees\"", "git add -- src/fee.py && git commit -m Fees -- src/fee.py"),
    ] {
        assert_eq!(scene.asks(words), command, "{words}");
    }
    // A word with an effect that the command does not have is never left out.
    for words in ["run all tests, even the ignored ones", "run the tests in parallel, without test_fee"] {
        let told = scene.asks(words);
        assert_ne!(told, "make test", "{words}");
    }
    assert!(scene.home.path("project/src/fee.py").exists());
}

#[test]
fn an_order_that_is_like_a_question_stays_an_order() {
    let mut scene = Scene::new();
    scene.home.write("project/run.sh", "#!/bin/sh\ntrue\n");
    let cmd = scene.asks("shelve my changes for now");
    assert!(cmd.starts_with("git stash"), "{cmd}");
}
