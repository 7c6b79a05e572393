//! Adversarial ACP agents that lie, swap proposals, flood, hang and leave processes behind. None of it succeeds. Attempts on files
//! and processes are in `agent_adversarial`.

use crate::agent_adversarial::{REQUEST, ends, listed, sleeping, waits_for};
use crate::harness::agents::Agents;

const EVIL: &str = r#"\"type\":\"diff\",\"oldText\":\"hello\\n\",\"newText\":\"evil\\n\""#;

/// What the agent sends once it is asked, and what the task reports then. No file is ever written, and no process of the agent survives.
#[test]
fn whatever_an_agent_says_its_task_ends_with_a_reason_and_nothing_is_done() {
    let thrice = |does: &str| format!("for _ in 1 2 3; do {does}; again; done");
    let cases: Vec<(&str, String, &str)> = vec![
        ("dies", "exit 3".to_owned(), "ended before"),
        ("dies with words", "echo 'no key' >&2; exit 1".to_owned(), "no key"),
        ("hangs", "sleep 600".to_owned(), "took longer"),
        ("closes its mouth", "exec >&-; sleep 60".to_owned(), "ended before"),
        ("half a message", "printf '{\"jsonrpc\":'; exit 0".to_owned(), "ended before"),
        ("lines without end", "yes '{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{}}'".to_owned(), "stopped"),
        ("no JSON without end", "yes nonsense".to_owned(), "stopped"),
        ("a reason that is none", "done_with because; read -r _".to_owned(), "does not keep to its protocol"),
        ("no reason", "say '{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}'; read -r _".to_owned(), "does not keep to its protocol"),
        ("breaks off", "done_with cancelled; read -r _".to_owned(), "broke off"),
        ("refuses", "done_with refusal; read -r _".to_owned(), "refuses"),
        ("out of turns", "done_with max_turn_requests; read -r _".to_owned(), "end of what one turn"),
        ("an error", "say '{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":1,\"message\":\"out of credit\"}}'; read -r _".to_owned(), "out of credit"),
        ("leave for nothing", "leave '{\"toolCallId\":\"t\",\"kind\":\"edit\"}'; read -r _".to_owned(), "does not name"),
        ("leave without a tool", "asks session/request_permission \"$options\"; read -r _".to_owned(), "does not keep"),
        ("a command without words", "leave '{\"toolCallId\":\"t\",\"kind\":\"execute\",\"title\":\"rm -rf .\"}'; read -r _".to_owned(), "does not name"),
        ("a terminal for nothing", "asks terminal/create '\"command\":\"\"'; read -r _".to_owned(), "does not name"),
        ("outside", thrice("change /etc/passwd null x"), "outside of the workspace"),
        ("leads out", thrice("change \"$PWD/../x\" null x"), "cannot be proposed"),
        ("through a link", thrice("change \"$PWD/out/x\" null x"), "cannot be proposed"),
        ("a denied file", thrice("change \"$PWD/.env\" null x"), "cannot be proposed"),
        ("a part of a denied file", thrice("change \"$PWD/.env\" '\"TOKEN\"' x"), "cannot be proposed"),
        ("git's own files", thrice("change \"$PWD/.git/config\" null x"), "cannot be proposed"),
        ("a change that does not fit", thrice("change \"$PWD/hello.txt\" '\"other\\n\"' 'bye\\n'"), "cannot be proposed"),
        ("a part that is there often", thrice("change \"$PWD/hello.txt\" '\"l\"' x"), "cannot be proposed"),
        ("deletes outside", thrice("leave '{\"toolCallId\":\"d\",\"kind\":\"delete\",\"locations\":[{\"path\":\"/etc/passwd\"}]}'; read -r cancel"), "cannot be proposed"),
        ("deletes what is denied", thrice("leave \"{\\\"toolCallId\\\":\\\"d\\\",\\\"kind\\\":\\\"delete\\\",\\\"locations\\\":[{\\\"path\\\":\\\"$PWD/.env\\\"}]}\"; read -r cancel"), "cannot be proposed"),
        ("a command for a change", thrice("run 'rm -rf .'"), "cannot be proposed"),
        ("a terminal for a change", thrice("asks terminal/create '\"command\":\"rm\",\"args\":[\"-rf\",\".\"]'; read -r cancel"), "cannot be proposed"),
        ("writes outside", thrice("writes /etc/passwd x"), "cannot be proposed"),
        ("writes through dots", thrice("writes \"$PWD/sub/../../x\" x"), "cannot be proposed"),
        ("writes what is denied", thrice("writes \"$PWD/.env\" x"), "cannot be proposed"),
        ("writes a hook", thrice("writes \"$PWD/.git/hooks/post-commit\" x"), "cannot be proposed"),
        ("writes a name of two lines", thrice("writes \"$PWD/a\\\\nb\" x"), "cannot be proposed"),
        ("a pipe", thrice("writes \"$PWD/pipe\" x"), "cannot be proposed"),
        ("deletes a pipe", thrice("leave \"{\\\"toolCallId\\\":\\\"d\\\",\\\"kind\\\":\\\"delete\\\",\\\"locations\\\":[{\\\"path\\\":\\\"$PWD/pipe\\\"}]}\"; read -r cancel"), "cannot be proposed"),
        ("what has no end", thrice("writes \"$PWD/zero\" x"), "cannot be proposed"),
        ("deletes what has no end", thrice("leave \"{\\\"toolCallId\\\":\\\"d\\\",\\\"kind\\\":\\\"delete\\\",\\\"locations\\\":[{\\\"path\\\":\\\"$PWD/zero\\\"}]}\"; read -r cancel"), "cannot be proposed"),
        ("deletes through a link", thrice("leave \"{\\\"toolCallId\\\":\\\"d\\\",\\\"kind\\\":\\\"delete\\\",\\\"locations\\\":[{\\\"path\\\":\\\"$PWD/out/x\\\"}]}\"; read -r cancel"), "cannot be proposed"),
        ("writes a name with a tab", thrice("writes \"$PWD/a\\\\tb\" x"), "cannot be proposed"),
        ("writes a name that turns around", thrice("writes \"$PWD/a\\\\u202eb\" x"), "cannot be proposed"),
        ("writes a name in capitals", thrice("writes \"$PWD/.ENV\" x"), "cannot be proposed"),
        ("writes a name with a blank", thrice("writes \"$PWD/.env \" x"), "cannot be proposed"),
        ("writes the rules", thrice("writes \"$PWD/.aside/rules.toml\" x"), "cannot be proposed"),
        ("writes below a repository", thrice("writes \"$PWD/sub/.GIT/config\" x"), "cannot be proposed"),
        ("one file twice", thrice("leave \"{\\\"toolCallId\\\":\\\"c\\\",\\\"kind\\\":\\\"edit\\\",\\\"content\\\":[{\\\"type\\\":\\\"diff\\\",\\\"path\\\":\\\"$PWD/hello.txt\\\",\\\"oldText\\\":\\\"hello\\\\n\\\",\\\"newText\\\":\\\"a\\\\n\\\"},{\\\"type\\\":\\\"diff\\\",\\\"path\\\":\\\"hello.txt\\\",\\\"oldText\\\":\\\"hello\\\\n\\\",\\\"newText\\\":\\\"b\\\\n\\\"}]}\"; read -r cancel"), "cannot be proposed"),
        ("a variable that is an option", "asks terminal/create '\"command\":\"ls\",\"env\":[{\"name\":\"-S sh\",\"value\":\"x\"}]'; read -r _".to_owned(), "no variable"),
        ("asks without end", "while :; do say '{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"terminal/output\",\"params\":{}}'; done & while read -r _; do :; done".to_owned(), "stopped"),
    ];
    for (name, does, says) in cases {
        let mut scene = Agents::acp(&does, "agent_timeout_s = 10");
        std::os::unix::fs::symlink("/tmp", scene.home.path("project/out")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", scene.home.path("project/zero")).unwrap();
        let pipe = scene.home.path("project/pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
        let (_, rest) = scene.asks(REQUEST);
        let message = rest["message"].as_str().unwrap_or_default();
        assert!(rest["state"] == "FAILED" && message.contains(says), "{name}: {rest}");
        assert_eq!((scene.file("hello.txt").as_str(), listed(&scene).len()), ("hello\n", 6), "{name}");
        assert_eq!(scene.home.read("project/.env"), "TOKEN=an-unreadable-word\n", "{name}");
        scene.leaves_nothing(&scene.home.path("bin"));
    }
}

/// The handshake fails, so the agent never receives the request.
#[test]
fn an_agent_that_opens_no_conversation_is_not_asked() {
    let hello = |result: &str| format!("read -r _; echo '{{\"jsonrpc\":\"2.0\",\"id\":1,{result}}}'; ");
    let good = hello(r#""result":{"protocolVersion":1,"authMethods":[{"id":"k","name":"Log in with the key"}]}"#);
    for (name, does, says) in [
        ("another version", hello(r#""result":{"protocolVersion":99}"#), "version 99 of ACP"),
        ("no version", hello(r#""result":{}"#), "does not keep to its protocol"),
        ("an error", hello(r#""error":{"code":-32603,"message":"broken"}"#), "broken"),
        ("nothing", "exit 0; ".to_owned(), "ended before"),
        (
            "signed out",
            format!(
                "{good}read -r _; echo '{{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{{\"code\":-32000,\"message\":\"auth\"}}}}'; "
            ),
            "Log in with the key",
        ),
        (
            "no conversation",
            format!(
                "{good}read -r _; echo '{{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{{\"code\":7,\"message\":\"full\"}}}}'; "
            ),
            "full",
        ),
        (
            "one without a name",
            format!("{good}read -r _; echo '{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{{\"sessionId\":\"\"}}}}'; "),
            "without a name",
        ),
        (
            "one with an endless name",
            format!(
                "{good}read -r _; echo \"{{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":2,\\\"result\\\":{{\\\"sessionId\\\":\\\"$(head -c 5000 /dev/zero | tr '\\0' a)\\\"}}}}\"; "
            ),
            "an endless name",
        ),
        (
            "one of another kind",
            format!("{good}read -r _; echo '{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":[]}}'; "),
            "does not keep to its protocol",
        ),
        (
            "asks before it is asked",
            format!(
                "{good}read -r _; echo '{{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"fs/write_text_file\",\"params\":{{\"sessionId\":\"s\",\"path\":\"/x\",\"content\":\"y\"}}}}'; read -r answer; case \"$answer\" in *error*) exit 0;; esac; sleep 60; "
            ),
            "ended before",
        ),
    ] {
        let script =
            format!("#!/bin/sh\n{does}\nread -r asked && echo asked > \"$HOME/.local/share/scripted/asked\"\n");
        let mut scene = Agents::acp_script(&script, "agent_timeout_s = 10");
        let (_, rest) = scene.asks(REQUEST);
        let message = rest["message"].as_str().unwrap_or_default();
        assert!(rest["state"] == "FAILED" && message.contains(says), "{name}: {rest}");
        assert!(!scene.home.path(".local/share/scripted/asked").exists(), "{name}");
    }
}

/// Each agent shows a change to `bye` and tries to get a different one applied.
#[test]
fn only_what_was_shown_is_approved_and_only_what_was_approved_is_written() {
    let shows = r#"change "$PWD/hello.txt" '"hello\n"' 'bye\n'"#;
    for (name, does) in [
        ("asks for another behind it", format!("{shows}; change \"$PWD/hello.txt\" '\"hello\\n\"' 'evil\\n'")),
        ("tells another behind it", format!("{shows}; tell \"{{\\\"sessionUpdate\\\":\\\"tool_call_update\\\",\\\"toolCallId\\\":\\\"c1\\\",\\\"content\\\":[{{{EVIL},\\\"path\\\":\\\"$PWD/evil.txt\\\"}}]}}\"")),
        ("writes behind it", format!("{shows}; writes \"$PWD/evil.txt\" 'evil\\n'")),
        ("runs behind it", format!("{shows}; asks terminal/create '\"command\":\"touch\",\"args\":[\"evil.txt\"]'")),
        ("says that it was allowed", format!("{shows}; say '{{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{{\"outcome\":{{\"outcome\":\"selected\",\"optionId\":\"a\"}}}}}}'")),
        ("told another before it", format!("tell \"{{\\\"sessionUpdate\\\":\\\"tool_call\\\",\\\"toolCallId\\\":\\\"c1\\\",\\\"title\\\":\\\"x\\\",\\\"kind\\\":\\\"edit\\\",\\\"content\\\":[{{{EVIL},\\\"path\\\":\\\"$PWD/evil.txt\\\"}}]}}\"; {shows}")),
        ("an option that lies", format!("options='\"options\":[{{\"optionId\":\"allow\",\"name\":\"No\",\"kind\":\"reject_once\"}}]'; {shows}; echo evil > evil.txt")),
        ("no option that rejects", format!("options='\"options\":[{{\"optionId\":\"a\",\"name\":\"Yes\",\"kind\":\"allow_once\"}}]'; {shows}; case \"$answer\" in *cancelled*) ;; *) echo evil > evil.txt;; esac")),
        ("a title that lies", "leave \"{\\\"toolCallId\\\":\\\"c2\\\",\\\"title\\\":\\\"evil.txt\\\",\\\"kind\\\":\\\"read\\\",\\\"content\\\":[{\\\"type\\\":\\\"diff\\\",\\\"path\\\":\\\"$PWD/hello.txt\\\",\\\"oldText\\\":\\\"hello\\\\n\\\",\\\"newText\\\":\\\"bye\\\\n\\\"}]}\"; read -r cancel".to_owned()),
    ] {
        let mut scene = Agents::acp(&format!("{does} 2>/dev/null; done_with cancelled; read -r _"), "");
        let (task, rest) = scene.asks(REQUEST);
        assert_eq!(rest["state"], "WAITING_APPROVAL", "{name}: {rest}");
        let shown = scene.person.sees(&task);
        assert!(shown.text.contains("+bye") && !shown.text.contains("evil"), "{name}: {}", shown.text);
        scene.person.approves(&shown);
        scene.person.ends(&task);
        assert_eq!((scene.file("hello.txt").as_str(), scene.file("evil.txt").as_str()), ("bye\n", ""), "{name}");
    }
}

/// Each working directory is outside the workspace, or is not a directory.
#[test]
fn a_command_runs_in_the_workspace_or_is_not_proposed() {
    for place in ["/", "$PWD/..", "..", "$PWD/sub/../..", "$PWD/out", "$HOME/.ssh", "$PWD/nothing", "$PWD/hello.txt"] {
        let run = format!(
            "leave \"{{\\\"toolCallId\\\":\\\"x\\\",\\\"kind\\\":\\\"execute\\\",\\\"rawInput\\\":{{\\\"command\\\":\\\"touch evil\\\",\\\"cwd\\\":\\\"{place}\\\"}}}}\"; read -r cancel"
        );
        let mut scene = Agents::acp(&format!("for _ in 1 2 3; do {run}; again; done"), "agent_timeout_s = 10");
        std::fs::create_dir(scene.home.path("project/sub")).unwrap();
        std::os::unix::fs::symlink("/tmp", scene.home.path("project/out")).unwrap();
        let (_, rest) = scene.asks("the deployment failed");
        let message = rest["message"].as_str().unwrap_or_default();
        assert!(rest["state"] == "FAILED" && message.contains("cannot be proposed"), "{place}: {rest}");
    }
}

/// Malformed JSON, and messages that are not part of the protocol, do not affect the messages after them.
#[test]
fn nonsense_between_messages_is_passed_over() {
    let deep = "[".repeat(400);
    let nonsense = format!(
        r#"
say '{deep}'; say '[{{"jsonrpc":"2.0","id":3,"result":{{"stopReason":"end_turn"}}}}]'; say 'null'; say '3'; say ''; say '{{}}'
printf 'ÿþ
'; say '{{"jsonrpc":"2.0","id":3,"id":99,"result":{{"stopReason":"refusal"}}}}'
say '{{"jsonrpc":"2.0","id":"3","result":{{"stopReason":"refusal"}}}}'; say '{{"jsonrpc":"2.0","id":3.5,"result":{{}}}}'
say '{{"jsonrpc":"2.0","method":7,"params":[]}}'; say '{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"unheard_of"}}}}}}'
say '{{"jsonrpc":"2.0","id":{{"a":1}},"method":"terminal/kill","params":null}}'; read -r answer
say '{{"jsonrpc":"2.0","id":null,"method":"unheard/of"}}'; read -r answer
words 1 'It greets.'; done_with end_turn; read -r _
"#
    );
    let mut scene = Agents::acp(&nonsense, "agent_timeout_s = 20");
    let (task, rest) = scene.asks("why does hello.txt greet with this word and no other?");
    assert_eq!(rest["state"], "COMPLETED", "{rest}");
    let shown = scene.person.says("show", serde_json::json!({ "taskId": task }));
    assert!(shown["tasks"][0]["summary"].as_str().unwrap_or_default().contains("It greets"), "{shown}");
}

/// An agent labels a command as another one: the proposal shows exactly the command that would run.
#[test]
fn a_command_is_shown_as_it_would_run_whatever_it_is_called() {
    for (name, asks, shown_as) in [
        (
            "a title",
            r#"leave '{"toolCallId":"t","kind":"execute","title":"ls","rawInput":{"command":"rm -r sub","description":"list files"}}'"#,
            "rm -r sub",
        ),
        (
            "words",
            r#"leave '{"toolCallId":"t","kind":"execute","title":"ls","rawInput":{"command":["rm","-r","a b"]}}'"#,
            "'a b'",
        ),
        ("a terminal", r#"asks terminal/create '"command":"rm","args":["-r","$(ls)"]'"#, "'$(ls)'"),
        (
            "a variable",
            r#"asks terminal/create '"command":"ls","env":[{"name":"LD_PRELOAD","value":"/tmp/x.so"}]'"#,
            "LD_PRELOAD",
        ),
    ] {
        let mut scene = Agents::acp(&format!("{asks}; read -r cancel; done_with cancelled; read -r _"), "");
        let (task, rest) = scene.asks("the deployment failed");
        assert_eq!(rest["state"], "WAITING_APPROVAL", "{name}: {rest}");
        let shown = scene.person.sees(&task);
        assert!(shown.text.contains(shown_as), "{name}: {}", shown.text);
    }
}

#[test]
fn escape_sequences_reach_no_screen_wherever_they_stand() {
    let escape = "\\u001b[2J\\u001b]0;title\\u0007\\u202e";
    for (name, does) in [
        ("words", format!("words 1 'before{escape}after'")),
        (
            "a plan",
            format!(
                "tell '{{\"sessionUpdate\":\"plan\",\"entries\":[{{\"content\":\"before{escape}after\",\"priority\":\"low\",\"status\":\"pending\"}}]}}'"
            ),
        ),
        (
            "a command",
            format!(
                "tell '{{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"x\",\"title\":\"t\",\"kind\":\"execute\",\"rawInput\":{{\"command\":\"before{escape}after\"}}}}'"
            ),
        ),
    ] {
        let mut scene = Agents::acp(&format!("{does}; done_with end_turn; read -r _"), "");
        let task = scene.person.asks("why does hello.txt greet with this word and no other?");
        let events = scene.person.hears_until(&task, &["COMPLETED", "FAILED"]);
        let all = serde_json::to_string(&events).unwrap();
        assert!(all.contains("before") && !all.contains("\\u001b") && !all.contains('\u{202e}'), "{name}: {all}");
    }
    let mut scene = Agents::acp(
        &format!(
            "say '{{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{{\"code\":1,\"message\":\"a{escape}b\"}}}}'; read -r _"
        ),
        "",
    );
    let (_, rest) = scene.asks(REQUEST);
    assert!(!rest.to_string().contains("\\u001b") && !rest.to_string().contains('\u{202e}'), "{rest}");
}

#[test]
fn what_an_agent_starts_ends_with_its_turn_and_with_the_daemon() {
    let does = r#"
(setsid sleep 4741 &) ; setsid sh -c 'trap "" TERM HUP; sleep 4742 & wait' & sh -c 'sleep 4743 & exec sleep 4744' &
words 1 'Servers run.'; done_with end_turn; read -r _
"#;
    let mut scene = Agents::acp(does, "");
    let (_, rest) = scene.asks(REQUEST);
    assert_eq!((rest["state"].as_str(), sleeping(&scene)), (Some("COMPLETED"), Vec::<String>::new()), "{rest}");
    let mut scene =
        Agents::acp("trap '' TERM; setsid sleep 4745 & touch \"$own/asked\"; while :; do sleep 1; done", "");
    let task = scene.person.asks(REQUEST);
    waits_for(&scene, ".local/share/scripted/asked");
    scene.person.says("cancel", serde_json::json!({ "taskId": task }));
    assert_eq!(scene.person.ends(&task)["state"], "REJECTED");
    ends(&scene);
}

/// The agent makes the daemon read hundreds of files and exhausts its own descriptors; the daemon has as many open as before.
#[test]
fn descriptors_are_not_exhausted() {
    let does = r#"
times=0
while [ $times -lt 80 ]; do reads "$PWD/hello.txt"; reads "$PWD/.env"; reads "$PWD"; times=$((times + 1)); done
bash -c 'while exec {next}< /dev/null; do :; done' 2>/dev/null
words 1 'I have read.'; done_with end_turn; read -r _
"#;
    let mut scene = Agents::acp(does, "");
    let pid = scene.home.aside_does(&["daemon", "status", "--json"]).stdout;
    let pid: serde_json::Value = serde_json::from_str(&pid).unwrap();
    let open = || std::fs::read_dir(format!("/proc/{}/fd", pid["pid"])).unwrap().count();
    let before = open();
    let (_, rest) = scene.asks("why does hello.txt greet with this word and no other?");
    assert_eq!(rest["state"], "COMPLETED", "{rest}");
    let deadline = std::time::Instant::now() + crate::harness::patience();
    while open() > before + 8 {
        assert!(std::time::Instant::now() < deadline, "{} were open, {} are", before, open());
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}
