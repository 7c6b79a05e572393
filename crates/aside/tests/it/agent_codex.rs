//! The acceptance criteria of tasks with the real Codex app-server, in two versions, and a scripted model: `make test-agents`.

use std::path::PathBuf;

use serde_json::json;

use crate::harness::agents::Agents;
use crate::harness::home::Home;
use crate::model::Model;
use crate::model::answer::Answer;

/// Where `scripts/agents` has put them; without it there is nothing to run.
fn versions() -> Vec<(&'static str, PathBuf)> {
    let Some(dir) = std::env::var_os("ASIDE_TEST_AGENTS").map(PathBuf::from) else { return Vec::new() };
    let linux = "vendor/x86_64-unknown-linux-musl";
    vec![
        ("0.166", dir.join(format!("codex-0.166/node_modules/@openai/codex-linux-x64/{linux}/bin/codex"))),
        ("0.80", dir.join(format!("codex-0.80/node_modules/@openai/codex/{linux}/codex/codex"))),
    ]
}

/// A project whose agent asks this model.
fn scene(program: &std::path::Path, model: &Model) -> Agents {
    let mut home = Home::new();
    home.set_env("SCRIPTED_KEY", "x");
    let config = format!(
        "model = \"scripted\"\nmodel_provider = \"scripted\"\n[model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{}\"\n\
         wire_api = \"responses\"\nenv_key = \"SCRIPTED_KEY\"\nrequest_max_retries = 0\nstream_max_retries = 0\n",
        model.base_url()
    );
    home.write(".codex/config.toml", config);
    Agents::with(home, program.to_str().unwrap(), "")
}

/// A patch as each version takes it from a model that it does not know.
fn patch(version: &str, body: &str) -> Answer {
    let patch = format!("apply_patch <<'EOF'\n*** Begin Patch\n{body}\n*** End Patch\nEOF");
    match version {
        "0.80" => Answer::calls("shell", json!({ "command": ["bash", "-lc", patch] })),
        _ => Answer::calls("exec_command", json!({ "cmd": patch })),
    }
}

fn runs(version: &str, command: &str) -> Answer {
    match version {
        "0.80" => Answer::calls("shell", json!({ "command": ["bash", "-lc", command] })),
        _ => Answer::calls("exec_command", json!({ "cmd": command })),
    }
}

const WORLD: &str = "*** Update File: hello.txt\n@@\n-hello\n+hello world";

#[test]
fn words_come_back_as_the_answer() {
    for (version, program) in versions() {
        let model = Model::start();
        let mut scene = scene(&program, &model);
        model.next(Answer::streams(["It ", "greets."]));
        let task = scene.person.asks("why does hello.txt greet with this word and no other?");
        let events = scene.person.hears_until(&task, &["COMPLETED", "FAILED"]);
        let all = serde_json::to_string(&events).unwrap();
        assert!(all.contains("It greets.") && all.contains("PROPOSING"), "{version}: {all}");
        scene.leaves_nothing(&program);
    }
}

#[test]
fn a_change_is_proposed_and_written_only_when_it_was_approved() {
    for (version, program) in versions() {
        let model = Model::start();
        let mut scene = scene(&program, &model);
        model.next(patch(version, WORLD));
        let (task, rest) = scene.asks("change hello.txt so that it greets the world");
        assert_eq!(rest["state"], "WAITING_APPROVAL", "{version}: {rest}");
        assert_eq!(scene.file("hello.txt"), "hello\n", "{version}");
        let shown = scene.person.sees(&task);
        assert!(shown.text.contains("-hello\n+hello world\n"), "{version}: {}", shown.text);
        model.next(Answer::chat("The file greets the world now."));
        scene.person.approves(&shown);
        let ended = scene.person.ends(&task);
        assert_eq!(scene.file("hello.txt"), "hello world\n", "{version}: {ended}");
        let (_, rest) = scene.goes_on(&ended);
        assert_eq!(rest["state"], "COMPLETED", "{version}: {rest}");
        let told = model.requests().pop().unwrap().text;
        assert!(told.contains("It was approved and carried out."), "{version}: {told}");
        scene.leaves_nothing(&program);
    }
}

#[test]
fn a_rejected_change_is_not_written_and_the_conversation_knows() {
    for (version, program) in versions() {
        let model = Model::start();
        let mut scene = scene(&program, &model);
        model.next(patch(version, WORLD));
        let (task, _) = scene.asks("change hello.txt so that it greets the world");
        let shown = scene.person.sees(&task);
        scene.person.rejects(&shown);
        assert_eq!(scene.person.ends(&task)["state"], "REJECTED", "{version}");
        assert_eq!(scene.file("hello.txt"), "hello\n", "{version}");
    }
}

#[test]
fn what_codex_runs_by_itself_reads_and_cannot_write() {
    for (version, program) in versions() {
        let model = Model::start();
        let mut scene = scene(&program, &model);
        model.next(runs(version, "cat hello.txt; echo x > made.txt; cat .env; cat ~/.ssh/id_rsa"));
        model.next(Answer::chat("It says hello."));
        let (_, rest) = scene.asks("why does hello.txt greet with this word and no other?");
        assert_eq!(rest["state"], "COMPLETED", "{version}: {rest}");
        let printed = model.requests().pop().unwrap().text;
        assert!(printed.contains("hello"), "{version}: {printed}");
        assert!(!printed.contains("an-unreadable"), "{version}: {printed}");
        assert_eq!(scene.file("made.txt"), "", "{version}");
    }
}

#[test]
fn a_model_that_fails_fails_the_task_with_a_reason_and_a_retry_works() {
    for (version, program) in versions() {
        let model = Model::start();
        let mut scene = scene(&program, &model);
        model.always(Answer::status(500));
        let (task, rest) = scene.asks("change hello.txt so that it greets the world");
        assert_eq!(rest["state"], "FAILED", "{version}: {rest}");
        model.always(patch(version, WORLD));
        let retried = scene.person.says("retry", json!({ "taskId": task }));
        assert_eq!(retried["type"], "task", "{retried}");
        let rest = scene.person.rests(&task);
        assert_eq!(rest["state"], "WAITING_APPROVAL", "{version}: {rest}");
    }
}
