//! The acceptance criteria of tasks (table in docs/agents.md) with real agents and a scripted model: `make test-agents`. Each scene
//! runs with two versions of Codex's app-server and with two agents that speak ACP.

mod installed;

use serde_json::{Value, json};

use crate::agent_real::installed::{Real, Speaks, all};
use crate::harness::agents::Agents;
use crate::model::Model;
use crate::model::scripted_reply::ScriptedReply;

const GREETS: &str = "change hello.txt so that it greets the world";
const WHY: &str = "why does hello.txt greet with this word and no other?";

/// Prints which agent a scene runs with, so that a long run can be followed.
fn each(scene: impl Fn(&Real, Agents, Model)) {
    for real in all() {
        eprintln!("   with {}", real.name);
        let model = Model::start();
        let agents = real.scene(&model);
        scene(&real, agents, model);
    }
}

#[test]
fn words_come_back_as_the_answer_and_the_states_are_told() {
    each(|real, mut scene, model| {
        model.next(ScriptedReply::streams(["It ", "greets."]));
        let task = scene.person.asks(WHY);
        let events = scene.person.hears_until(&task, &["COMPLETED", "FAILED"]);
        let all = serde_json::to_string(&events).unwrap();
        assert!(all.contains("It greets."), "{}: {all}", real.name);
        for state in ["ROUTED", "CONTEXT_COLLECTED", "PROPOSING", "PROPOSAL_READY", "COMPLETED"] {
            assert!(all.contains(state), "{}: no {state} in {all}", real.name);
        }
        scene.leaves_nothing(&real.program);
    });
}

#[test]
fn a_change_is_proposed_and_written_only_when_it_was_approved() {
    each(|real, mut scene, model| {
        let name = real.name;
        model.next(real.changes(&scene, "hello.txt", "hello", "hello world"));
        let (task, rest) = scene.asks(GREETS);
        assert_eq!(rest["state"], "WAITING_APPROVAL", "{name}: {rest}");
        assert_eq!(scene.file("hello.txt"), "hello\n", "{name}");
        let shown = scene.person.sees(&task);
        assert!(shown.text.contains("-hello\n+hello world\n"), "{name}: {}", shown.text);
        model.always(ScriptedReply::chat("The file greets the world now."));
        scene.person.approves(&shown);
        let ended = scene.person.ends(&task);
        assert_eq!(scene.file("hello.txt"), "hello world\n", "{name}: {ended}");
        let (_, rest) = scene.goes_on(&ended);
        assert_eq!(rest["state"], "COMPLETED", "{name}: {rest}");
        let told = model.requests().pop().unwrap().text;
        assert!(told.contains("It was approved and carried out."), "{name}: {told}");
        scene.leaves_nothing(&real.program);
    });
}

/// A remote request, as it arrives from WeCom: it is routed like any other, and cannot be approved remotely.
#[test]
fn a_request_from_afar_waits_for_a_local_yes_and_a_no_leaves_everything_as_it_was() {
    each(|real, mut scene, model| {
        let name = real.name;
        model.next(real.changes(&scene, "hello.txt", "hello", "hello world"));
        let cwd = scene.home.path("project").display().to_string();
        let words = format!("@dev {GREETS}");
        let asked = scene
            .person
            .says("ask", json!({ "text": words, "cwd": cwd, "shell": "bash", "source": "wecom", "fromUser": "li" }));
        let task = asked["tasks"][0]["taskId"].as_str().unwrap_or_else(|| panic!("{name}: {asked}")).to_owned();
        scene.person.watches(&task, 0);
        let rest = scene.person.rests(&task);
        assert_eq!(rest["state"], "WAITING_APPROVAL", "{name}: {rest}");
        let listed = scene.person.says("show", json!({ "taskId": task }));
        assert_eq!(
            (&listed["tasks"][0]["kind"], &listed["tasks"][0]["source"]),
            (&json!("change"), &json!("wecom")),
            "{listed}"
        );
        model.always(ScriptedReply::chat("As you like."));
        let shown = scene.person.sees(&task);
        scene.person.rejects(&shown);
        assert_eq!(scene.person.ends(&task)["state"], "REJECTED", "{name}");
        assert_eq!(scene.file("hello.txt"), "hello\n", "{name}");
    });
}

#[test]
fn a_command_is_run_by_us_when_it_was_approved_and_its_result_is_fed_back() {
    each(|real, mut scene, model| {
        let name = real.name;
        let Some(asks) = real.asks_to_run("echo it-was-made > made.txt; cat made.txt") else { return };
        model.next(asks);
        model.always(ScriptedReply::chat("It is done."));
        let (task, rest) = scene.asks("the deployment failed");
        assert!(!scene.home.path("project/made.txt").exists(), "{name}");
        // Measured: Codex 0.80 does not ask for approval here; it runs the command in its read-only sandbox, where it fails.
        if real.speaks == Speaks::OldCodex && rest["state"] == "COMPLETED" {
            return;
        }
        assert_eq!(rest["state"], "WAITING_APPROVAL", "{name}: {rest}");
        let shown = scene.person.sees(&task);
        assert!(shown.text.contains("made.txt"), "{name}: {}", shown.text);
        scene.person.approves(&shown);
        let ended = scene.person.ends(&task);
        assert_eq!(scene.file("made.txt"), "it-was-made\n", "{name}: {ended}");
        let (_, rest) = scene.goes_on(&ended);
        assert_eq!(rest["state"], "COMPLETED", "{name}: {rest}");
        let told = model.requests().pop().unwrap().text;
        assert!(told.contains("It was approved") && told.contains("it-was-made"), "{name}: {told}");
    });
}

#[test]
fn what_an_agent_does_by_itself_reads_and_cannot_write() {
    each(|real, mut scene, model| {
        let name = real.name;
        // As after a reboot: Codex creates this directory in a place where it may write.
        let _ = std::fs::remove_dir(format!("/tmp/codex-daemon-{}", rustix::process::geteuid().as_raw()));
        model.next(real.looks(&scene, "hello.txt"));
        // Opencode asks for permission before it reads such a file.
        let (tries, state) = match real.speaks {
            Speaks::Opencode => (real.looks(&scene, ".env"), "FAILED"),
            _ => (real.runs("echo x > made.txt; cat .env; cat ~/.ssh/id_rsa; echo end"), "COMPLETED"),
        };
        model.next(tries);
        model.always(ScriptedReply::chat("It says hello."));
        let (_, rest) = scene.asks(WHY);
        assert_eq!(rest["state"], state, "{name}: {rest}");
        let message = rest["message"].as_str().unwrap_or_default();
        assert!(state == "COMPLETED" || message.contains("which is not given"), "{name}: {rest}");
        let printed = model.requests().pop().unwrap().text;
        assert!(printed.contains("hello") && !printed.contains("an-unreadable"), "{name}: {printed}");
        assert_eq!(scene.file("made.txt"), "", "{name}");
    });
}

#[test]
fn a_model_that_fails_fails_the_task_with_a_reason_and_a_retry_works() {
    each(|real, mut scene, model| {
        let name = real.name;
        // Opencode retries transient errors for minutes; codex-acp reports most server errors as its answer, but not this one.
        let status = match real.speaks {
            Speaks::Codex | Speaks::OldCodex => 500,
            Speaks::CodexAcp => 401,
            Speaks::Opencode => 400,
        };
        model.always(ScriptedReply::status(status));
        let (task, rest) = scene.asks(GREETS);
        assert_eq!(rest["state"], "FAILED", "{name}: {rest}");
        assert!(rest["message"].as_str().is_some_and(|message| message.len() > 20), "{name}: {rest}");
        model.always(real.changes(&scene, "hello.txt", "hello", "hello world"));
        let retried = scene.person.says("retry", json!({ "taskId": task }));
        assert_eq!(retried["type"], "task", "{name}: {retried}");
        let rest = scene.person.rests(&task);
        assert_eq!(rest["state"], "WAITING_APPROVAL", "{name}: {rest}");
    });
}

#[test]
fn the_doctor_greets_each_of_them() {
    each(|real, scene, _| {
        let said = scene.home.aside(&["agent", "doctor"]);
        assert!(said.code == 0 && said.stdout.contains("it answers"), "{}: {said:?}", real.name);
        scene.leaves_nothing(&real.program);
    });
}

/// The fields that Aside relies on in Codex's protocol are in the schema that each version generates of itself.
#[test]
fn the_schemas_of_the_installed_versions_have_what_is_relied_upon() {
    for real in all().into_iter().filter(|real| matches!(real.speaks, Speaks::Codex | Speaks::OldCodex)) {
        let model = Model::start();
        let scene = real.scene(&model);
        let out = scene.home.path("schema").display().to_string();
        let program = real.program.to_str().unwrap();
        let said = crate::harness::home::run(
            scene.home.command(program).args(["app-server", "generate-json-schema", "--out", &out]),
            "",
        );
        assert_eq!(said.code, 0, "{}: {said:?}", real.name);
        let read =
            |file: &str| -> Value { serde_json::from_str(&scene.home.read(&format!("schema/{file}.json"))).unwrap() };
        for (file, methods) in [
            ("ClientRequest", ["initialize", "thread/start", "thread/resume", "turn/start"].as_slice()),
            ("ServerRequest", ["item/fileChange/requestApproval", "item/commandExecution/requestApproval"].as_slice()),
            (
                "ServerNotification",
                [
                    "item/started",
                    "item/completed",
                    "item/agentMessage/delta",
                    "turn/plan/updated",
                    "thread/tokenUsage/updated",
                    "turn/completed",
                ]
                .as_slice(),
            ),
        ] {
            let schema = read(file);
            let known: Vec<&Value> =
                schema["oneOf"].as_array().unwrap().iter().map(|one| &one["properties"]["method"]["enum"][0]).collect();
            let missing: Vec<_> = methods.iter().filter(|method| !known.contains(&&json!(method))).collect();
            assert!(missing.is_empty(), "{}: {file} has no {missing:?}", real.name);
        }
        for (file, kind, fields) in [
            ("ClientRequest", "ThreadStartParams", ["cwd", "approvalPolicy", "sandbox"].as_slice()),
            ("ClientRequest", "ThreadResumeParams", ["threadId", "cwd", "approvalPolicy", "sandbox"].as_slice()),
            ("ClientRequest", "TurnStartParams", ["threadId", "input"].as_slice()),
            ("ServerNotification", "FileUpdateChange", ["path", "kind", "diff"].as_slice()),
            ("ServerNotification", "AgentMessageDeltaNotification", ["itemId", "delta"].as_slice()),
            ("ServerNotification", "TurnPlanStep", ["step", "status"].as_slice()),
            ("ServerNotification", "ThreadTokenUsage", ["last"].as_slice()),
            ("ServerNotification", "TokenUsageBreakdown", ["inputTokens", "outputTokens"].as_slice()),
        ] {
            let schema = read(file);
            let missing: Vec<_> =
                fields.iter().filter(|field| schema["definitions"][kind]["properties"][**field].is_null()).collect();
            assert!(missing.is_empty(), "{}: {kind} has no {missing:?}", real.name);
        }
        for (file, words) in [
            ("ClientRequest", ["\"read-only\"", "\"on-request\""].as_slice()),
            ("FileChangeRequestApprovalResponse", ["\"cancel\""].as_slice()),
            ("CommandExecutionRequestApprovalResponse", ["\"cancel\""].as_slice()),
            (
                "ServerNotification",
                [
                    "\"agentMessage\"",
                    "\"commandExecution\"",
                    "\"fileChange\"",
                    "\"interrupted\"",
                    "\"move_path\"",
                    "\"add\"",
                    "\"delete\"",
                    "\"update\"",
                ]
                .as_slice(),
            ),
        ] {
            let text = read(file).to_string();
            let missing: Vec<_> = words.iter().filter(|word| !text.contains(**word)).collect();
            assert!(missing.is_empty(), "{}: {file} has no {missing:?}", real.name);
        }
    }
}
