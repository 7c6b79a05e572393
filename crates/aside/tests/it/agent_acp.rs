//! Tasks delegated to an agent over the Agent Client Protocol (ACP); the agent is a scripted stub.

use crate::agent_adversarial::{ends, waits_for};
use crate::harness::agents::Agents;
use crate::harness::home::Home;

const GREETS: &str = "change hello.txt so that it greets the world";

#[test]
fn a_change_is_proposed_approved_written_by_us_and_the_agent_goes_on() {
    let does = r#"
case "$opened" in
*session/load*) printf '%s\n' "$asked" > "$own/told"; words 2 'All done.'; done_with end_turn;;
*)
  words 1 'I will greet the world.'
  change "$PWD/hello.txt" '"hello\n"' 'hello world\n'
  printf '%s\n%s\n' "$answer" "$cancel" > "$own/answers"; done_with cancelled;;
esac
read -r _
"#;
    let mut scene = Agents::acp(does, "");
    let (task, rest) = scene.asks(GREETS);
    assert_eq!(rest["state"], "WAITING_APPROVAL", "{rest}");
    let shown = scene.person.sees(&task);
    assert!(shown.text.contains("-hello\n+hello world\n"), "{}", shown.text);
    assert_eq!(scene.file("hello.txt"), "hello\n");
    let answers = scene.home.read(".local/share/scripted/answers");
    assert!(answers.contains(r#""optionId":"r""#) && answers.contains("session/cancel"), "{answers}");
    scene.person.approves(&shown);
    let ended = scene.person.ends(&task);
    assert_eq!(scene.file("hello.txt"), "hello world\n", "{ended}");
    let (_, rest) = scene.goes_on(&ended);
    assert_eq!(rest["state"], "COMPLETED", "{rest}");
    let told = scene.home.read(".local/share/scripted/told");
    assert!(told.contains("It was approved and carried out.") && told.contains("greets the world"), "{told}");
    let journal = scene.home.aside_does(&["privacy", "--json"]).stdout;
    assert!(journal.contains("acp:scripted"), "{journal}");
    scene.leaves_nothing(&scene.home.path("bin"));
}

#[test]
fn what_an_agent_writes_through_us_is_a_proposal_too() {
    let does = r#"writes "$PWD/sub/new.txt" 'brand new\n'; printf '%s\n' "$answer" > "$own/answer"; done_with cancelled; read -r _"#;
    let mut scene = Agents::acp(does, "");
    let (task, _) = scene.asks(GREETS);
    let shown = scene.person.sees(&task);
    assert!(shown.text.contains("+brand new"), "{}", shown.text);
    assert!(scene.home.read(".local/share/scripted/answer").contains("the user is asked"));
    scene.person.rejects(&shown);
    scene.person.ends(&task);
    assert_eq!(scene.file("sub/new.txt"), "");
}

/// Both ways to ask are covered: a permission request and `terminal/create`. Aside runs the command once it is approved and feeds
/// its output back.
#[test]
fn a_command_is_run_by_us_when_it_was_approved_and_its_result_is_fed_back() {
    for asks in [
        r#"run "touch made.txt""#,
        r#"asks terminal/create '"command":"touch","args":["made.txt"]'; read -r cancel"#,
        r#"asks terminal/create '"command":"touch made.txt && echo it-was-made"'; read -r cancel"#,
    ] {
        let does = format!(
            "case \"$opened\" in *session/load*) printf '%s\\n' \"$asked\" > \"$own/told\"; words 2 'Good.'; done_with end_turn;;\n\
             *) {asks}; done_with cancelled;; esac; read -r _"
        );
        let mut scene = Agents::acp(&does, "");
        let (task, rest) = scene.asks("the deployment failed");
        assert_eq!(rest["state"], "WAITING_APPROVAL", "{asks}: {rest}");
        let shown = scene.person.sees(&task);
        assert!(shown.text.contains("touch made.txt"), "{asks}: {}", shown.text);
        assert!(!scene.home.path("project/made.txt").exists(), "{asks}");
        scene.person.approves(&shown);
        let ended = scene.person.ends(&task);
        assert!(scene.home.path("project/made.txt").exists(), "{asks}: {ended}");
        let (_, rest) = scene.goes_on(&ended);
        assert_eq!(rest["state"], "COMPLETED", "{asks}: {rest}");
        let told = scene.home.read(".local/share/scripted/told");
        assert!(told.contains("exit status 0") || told.contains("It was approved"), "{asks}: {told}");
        assert_eq!(told.contains("it-was-made"), asks.contains("it-was-made"), "{asks}: {told}");
    }
}

#[test]
fn files_of_the_workspace_are_read_for_it_and_no_others() {
    let does = r#"
ln -s /etc/hostname "$own/link"
for file in "$PWD/hello.txt" "$PWD/.env" "$PWD/../.ssh/id_rsa" "$HOME/.ssh/id_rsa" /etc/hostname "$PWD/leads-out" "$PWD/nothing" "$PWD/.git/HEAD"; do
  reads "$file"; printf '%s\n' "$answer" >> "$own/answers"
done
words 1 'I have looked.'; done_with end_turn; read -r _
"#;
    let mut scene = Agents::acp(does, "");
    std::os::unix::fs::symlink("/etc/hostname", scene.home.path("project/leads-out")).unwrap();
    let (_, rest) = scene.asks("why does hello.txt greet with this word and no other?");
    assert_eq!(rest["state"], "COMPLETED", "{rest}");
    let answers = scene.home.read(".local/share/scripted/answers");
    let given: Vec<bool> = answers.lines().map(|answer| answer.contains("\"result\"")).collect();
    assert_eq!(given, [true, false, false, false, false, false, false, false], "{answers}");
    assert!(answers.contains("hello") && !answers.contains("unreadable"), "{answers}");
}

#[test]
fn a_conversation_that_cannot_go_on_begins_anew_and_the_agent_is_told_the_request() {
    let script = r#"#!/bin/sh
own=$HOME/.local/share/scripted
say() { printf '%s\n' "$1"; }
read -r _; say '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}'
read -r opened
case "$opened" in *session/load*)
  say '{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no such session"}}'
  read -r opened; say '{"jsonrpc":"2.0","id":3,"result":{"sessionId":"other"}}'; read -r asked; printf '%s\n' "$asked" > "$own/told"
  say '{"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn"}}';;
*)
  say '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"one"}}'; read -r asked
  say "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"fs/write_text_file\",\"params\":{\"sessionId\":\"one\",\"path\":\"$PWD/hello.txt\",\"content\":\"bye\\n\"}}"
  read -r _; read -r _; say '{"jsonrpc":"2.0","id":3,"result":{"stopReason":"cancelled"}}';;
esac
read -r _
"#;
    let mut scene = Agents::acp_script(script, "");
    let (task, _) = scene.asks(GREETS);
    let shown = scene.person.sees(&task);
    scene.person.approves(&shown);
    let ended = scene.person.ends(&task);
    scene.goes_on(&ended);
    let told = scene.home.read(".local/share/scripted/told");
    assert!(told.contains("It was approved") && told.contains("greets the world"), "{told}");
}

#[test]
fn the_strictest_mode_is_taken_and_an_agent_that_refuses_it_is_stopped() {
    let modes = r#""modes":{"currentModeId":"yolo","availableModes":[{"id":"yolo","name":"Yolo"},{"id":"default","name":"Asks"},{"id":"read-only","name":"Reads"}]}"#;
    for (answer, state) in [(r#""result":{}"#, "COMPLETED"), (r#""error":{"code":-32602,"message":"no"}"#, "FAILED")] {
        let script = format!(
            "#!/bin/sh\nown=$HOME/.local/share/scripted\nread -r _; echo '{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"protocolVersion\":1}}}}'\n\
             read -r _; echo '{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{{\"sessionId\":\"s\",{modes}}}}}'\n\
             read -r mode; printf '%s\\n' \"$mode\" > \"$own/mode\"; echo '{{\"jsonrpc\":\"2.0\",\"id\":3,{answer}}}'\n\
             read -r _ && echo '{{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{{\"sessionId\":\"s\",\"update\":{{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{{\"type\":\"text\",\"text\":\"It greets.\"}}}}}}}}' && echo '{{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{{\"stopReason\":\"end_turn\"}}}}'; read -r _\n"
        );
        let mut scene = Agents::acp_script(&script, "");
        let (_, rest) = scene.asks("why does hello.txt greet with this word and no other?");
        assert_eq!(rest["state"], state, "{rest}");
        assert!(scene.home.read(".local/share/scripted/mode").contains(r#""modeId":"read-only""#));
    }
}

/// The sandbox keeps an agent from writing. If files change during its turn all the same, by whatever process, the task reports it.
#[test]
fn what_changes_while_an_agent_works_is_found_and_told() {
    let does = "touch \"$own/asked\"; while [ ! -e \"$own/go\" ]; do sleep 0.05; done; words 1 'I only looked.'; done_with end_turn; read -r _";
    let mut scene = Agents::acp(does, "");
    let task = scene.person.asks("why does hello.txt greet with this word and no other?");
    waits_for(&scene, ".local/share/scripted/asked");
    scene.home.write("project/hello.txt", "evil\n");
    scene.home.write("project/made.txt", "evil\n");
    scene.home.write(".local/share/scripted/go", "");
    let events = scene.person.hears_until(&task, &["COMPLETED", "FAILED"]);
    let all = serde_json::to_string(&events).unwrap();
    assert!(all.contains("Changed while the agent worked, without an approval: `hello.txt`, `made.txt`."), "{all}");
}

/// Runs in a user namespace that may not create nested ones, as some distributions configure system-wide: Landlock alone has to suffice.
#[test]
fn where_the_kernel_gives_no_namespaces_landlock_encloses_an_agent() {
    for (agent, own) in [("codex", ".codex"), ("acp:scripted", ".local/share/scripted")] {
        let mut home = Home::new();
        let script = match agent {
            "codex" => {
                Agents::codex_script(&format!("{}done_with completed; read -r _", crate::agent_adversarial::TRIES))
            }
            _ => Agents::acp_script_of(&format!("{}done_with end_turn; read -r _", crate::agent_adversarial::TRIES)),
        };
        home.write("bin/agent", script);
        let program = home.path("bin/agent").display().to_string();
        Agents::prepare(&mut home, agent, &program, "");
        let none = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$0\" daemon start";
        let started = crate::harness::home::run(
            home.command("unshare").args(["--user", "--map-root-user", "sh", "-c", none, crate::harness::home::ASIDE]),
            "",
        );
        if started.code != 0 {
            eprintln!("not tried: no user namespace can be made here ({})", started.stderr.trim());
            return;
        }
        crate::agent_adversarial::keeps_to_its_own(Agents::running(home), own);
    }
}

#[test]
fn an_agent_that_runs_on_when_it_is_cancelled_is_ended() {
    let does = "change \"$PWD/hello.txt\" '\"hello\\n\"' 'bye\\n'; trap '' TERM; setsid sleep 4731 & while :; do words 1 more; sleep 1; done";
    let mut scene = Agents::acp(does, "");
    let (task, rest) = scene.asks(GREETS);
    assert_eq!(rest["state"], "WAITING_APPROVAL", "{rest}");
    ends(&scene);
    scene.person.sees(&task);
    assert_eq!(scene.file("hello.txt"), "hello\n");
}
