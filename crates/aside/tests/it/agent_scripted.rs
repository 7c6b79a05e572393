//! Tasks delegated to an agent, which is a scripted stub: its prompt, what happens to its proposals, and how a conversation continues.

use serde_json::json;

use crate::harness::agents::Agents;

#[test]
fn a_change_is_proposed_approved_written_by_us_and_the_agent_goes_on() {
    let does = r#"
case "$opened" in
*thread/resume*)
  printf '%s\n' "$asked" > "$CODEX_HOME/told"
  words 2 'All done.'; done_with completed;;
*)
  words 1 'I will greet the world.'
  change "$PWD/hello.txt" update '@@ -1 +1 @@\n-hello\n+hello world\n'
  case "$answer" in *cancel*) done_with interrupted;; *) done_with completed;; esac;;
esac
read -r _
"#;
    let mut scene = Agents::scripted(does, "");
    let (task, rest) = scene.asks("change hello.txt so that it greets the world");
    assert_eq!(rest["state"], "WAITING_APPROVAL", "{rest}");
    assert_eq!(scene.file("hello.txt"), "hello\n");
    let shown = scene.person.sees(&task);
    assert!(shown.text.contains("-hello\n+hello world\n"), "{}", shown.text);
    let answer = scene.person.approves(&shown);
    assert_eq!(answer["type"], "task", "{answer}");
    let ended = scene.person.ends(&task);
    assert_eq!(
        (ended["state"].as_str(), scene.file("hello.txt").as_str()),
        (Some("COMPLETED"), "hello world\n"),
        "{ended}"
    );
    let (next, rest) = scene.goes_on(&ended);
    assert_eq!(rest["state"], "COMPLETED", "{rest}");
    assert!(
        scene.home.read(".codex/told").contains("It was approved and carried out."),
        "{}",
        scene.home.read(".codex/told")
    );
    // The change can be undone, even though the agent has continued since.
    let undone = scene.person.says("undo", json!({ "taskId": task, "by": "a test" }));
    assert_eq!((undone["type"].as_str(), scene.file("hello.txt").as_str()), (Some("task"), "hello\n"), "{undone}");
    scene.person.brief(&next);
    let journal = scene.home.aside_does(&["privacy", "--json"]).stdout;
    assert!(journal.contains("codex") && journal.contains("greets the world"), "{journal}");
    scene.leaves_nothing(&scene.home.path("bin"));
}

#[test]
fn a_rejected_change_leaves_everything_as_it_was() {
    let does = "change \"$PWD/hello.txt\" update '@@ -1 +1 @@\\n-hello\\n+bye\\n'; done_with interrupted; read -r _";
    let mut scene = Agents::scripted(does, "");
    let (task, _) = scene.asks("change hello.txt so that it says bye");
    let shown = scene.person.sees(&task);
    scene.person.rejects(&shown);
    let ended = scene.person.ends(&task);
    assert_eq!((ended["state"].as_str(), ended["outcome"]["next"].is_null()), (Some("REJECTED"), true), "{ended}");
    assert_eq!(scene.file("hello.txt"), "hello\n");
}

#[test]
fn a_question_is_answered_in_words_and_nothing_can_come_of_it() {
    let does = "words 1 'It greets.'; done_with completed; read -r _";
    let mut scene = Agents::scripted(does, "");
    let (task, rest) = scene.asks("why does hello.txt greet with this word and no other?");
    assert_eq!(rest["state"], "COMPLETED", "{rest}");
    let events = scene.person.says("show", json!({ "taskId": task }));
    assert!(events["tasks"][0]["summary"].as_str().unwrap_or_default().contains("It greets"), "{events}");
}

#[test]
fn an_unknown_version_is_refused_with_one_thing_to_do() {
    let script = "#!/bin/sh\nread -r _; echo '{\"id\":1,\"result\":{\"userAgent\":\"aside/7.0.0 (x)\"}}'; read -r _; read -r _\n";
    let mut scene = Agents::script(script, "");
    let (_, rest) = scene.asks("change hello.txt so that it says bye");
    assert_eq!(rest["state"], "FAILED", "{rest}");
    let message = rest["message"].as_str().unwrap_or_default();
    assert!(message.contains("7.0.0") && message.contains("npm install -g @openai/codex@"), "{message}");
}

#[test]
fn an_agent_that_is_not_signed_in_says_so_and_what_it_tries_again_is_told() {
    let does = r#"
case "$asked" in *account/read*) say '{"id":3,"result":{"account":null,"requiresOpenaiAuth":true}}'; read -r _; exit;; esac
say '{"method":"error","params":{"willRetry":true,"error":{"message":"Reconnecting 1 of 5"}}}'
say '{"method":"turn/completed","params":{"turn":{"status":"failed","error":{"message":"401","codexErrorInfo":"unauthorized"}}}}'
read -r _
"#;
    let opening =
        Agents::codex_script("").replace(r#"say '{"id":3,"result":{"turn":{"id":"1","status":"inProgress"}}}'"#, "");
    let mut scene = Agents::script(&format!("{opening}{does}"), "");
    let said = scene.home.aside(&["agent", "doctor"]);
    assert!(said.code == 1 && said.stderr.contains("run `codex login` in a terminal"), "{said:?}");
    let task = scene.person.asks("why does hello.txt greet with this word and no other?");
    let events = scene.person.hears_until(&task, &["COMPLETED", "FAILED"]);
    let all = serde_json::to_string(&events).unwrap();
    assert!(all.contains("Reconnecting 1 of 5") && all.contains("run `codex login` in a terminal"), "{all}");
}

#[test]
fn an_agent_that_is_not_there_fails_the_task_and_says_what_to_do() {
    let mut scene = Agents::scripted("", "");
    std::fs::remove_file(scene.home.path("bin/agent")).unwrap();
    let (_, rest) = scene.asks("change hello.txt so that it says bye");
    let message = rest["message"].as_str().unwrap_or_default();
    assert!(message.contains("is not installed") && message.contains("npm install"), "{rest}");
}

#[test]
fn a_private_task_reaches_no_agent() {
    let mut scene = Agents::scripted("touch \"$CODEX_HOME/asked\"", "");
    let cwd = scene.home.path("project").display().to_string();
    let asked = scene.person.says(
        "ask",
        json!({ "text": "change hello.txt so that it says bye", "cwd": cwd, "shell": "bash", "private": true }),
    );
    let task = asked["tasks"][0]["taskId"].as_str().unwrap().to_owned();
    scene.person.watches(&task, 0);
    let rest = scene.person.rests(&task);
    assert_eq!(rest["state"], "FAILED", "{rest}");
    assert!(rest["message"].as_str().is_some_and(|message| message.contains("private")), "{rest}");
    assert!(!scene.home.path(".codex").exists(), "no agent was started");
}

#[test]
fn secrets_are_taken_out_of_what_an_agent_is_told() {
    let does = "printf '%s\\n' \"$asked\" > \"$CODEX_HOME/told\"; words 1 ok; done_with completed; read -r _";
    let mut scene = Agents::scripted(does, "");
    scene.asks("change hello.txt so that it has password=hunter2hunter2 in it");
    let told = scene.home.read(".codex/told");
    assert!(told.contains("[redacted]") && !told.contains("hunter2"), "{told}");
    let journal = scene.home.aside_does(&["privacy", "--json"]).stdout;
    assert!(!journal.contains("hunter2"), "{journal}");
}
