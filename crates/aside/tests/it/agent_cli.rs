//! `aside agent`, `aside mcp`, and what `aside doctor` and `aside privacy` report about agents.

use serde_json::{Value, json};

use crate::harness::agents::Agents;
use crate::harness::home::Home;

#[test]
fn an_agent_is_listed_chosen_and_left_again() {
    let home = Home::new();
    home.write("bin/codex", "#!/bin/sh\necho codex-cli 0.166.0\n");
    let program = home.path("bin/codex").display().to_string();
    assert!(home.aside_does(&["agent", "list"]).stdout.contains("No agent is in use"));
    home.aside_does(&["agent", "add", "codex", "--", &program]);
    home.aside_does(&["agent", "use", "codex"]);
    let listed = home.aside_does(&["agent", "list"]).stdout;
    assert!(listed.starts_with(&format!("* codex  codex-cli 0.166.0, {program}\n")), "{listed}");
    let listed = home.aside_does(&["agent", "list", "--json"]).stdout;
    let listed: Vec<Value> = listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&listed[0]["in_use"], &listed[0]["program"]), (&json!(true), &json!(program)));
    assert!(listed.iter().any(|agent| agent["name"] == "acp:opencode" && agent["in_use"] == false), "{listed:?}");
    assert!(home.aside(&["doctor"]).stdout.contains("the agent codex works through tasks"));
    assert!(home.aside_does(&["privacy"]).stdout.contains("The agent codex"));
    std::fs::remove_file(&program).unwrap();
    assert!(home.aside(&["doctor"]).stdout.contains("the agent codex cannot work"));
    home.aside_does(&["agent", "use", "none"]);
    assert!(!home.aside(&["doctor"]).stdout.contains("the agent codex"));
    for (name, meant) in [("hal", "agent list"), ("kodex", "`codex` or `acp:codex`"), ("opencode", "`acp:opencode`")] {
        let said = home.aside(&["agent", "use", name]);
        assert!(said.code == 1 && said.stderr.contains(meant), "{said:?}");
    }
    let said = home.aside(&["agent", "add", "goose", "--", "true"]);
    assert!(said.code == 1 && said.stderr.contains("aside agent add acp:goose -- "), "{said:?}");
    assert_eq!(home.aside(&["agent", "add", "acp:../hal", "--", "true"]).code, 1);
}

#[test]
fn any_agent_that_speaks_acp_can_be_added() {
    let home = Home::new();
    home.write("bin/goose", "#!/bin/sh\n");
    let program = home.path("bin/goose").display().to_string();
    let used = home.aside(&["agent", "use", "acp:goose"]);
    let says = "is not installed; say where it is: `aside agent add acp:goose -- PROGRAM`";
    assert!(used.code == 1 && used.stderr.contains(says), "{used:?}");
    // An agent that cannot work is not selected.
    assert!(home.aside_does(&["agent", "list"]).stdout.contains("No agent is in use"));
    home.aside_does(&["agent", "add", "acp:goose", "--", &program, "acp"]);
    home.aside_does(&["agent", "use", "acp:goose"]);
    let listed = home.aside_does(&["agent", "list"]).stdout;
    assert!(listed.contains(&format!("* acp:goose  {program}\n")), "{listed}");
    assert!(home.aside(&["doctor"]).stdout.contains("the agent acp:goose works through tasks"));
    // For an agent installed as an npm package, the version comes from its package.json.
    home.write("packages/opencode-ai/package.json", r#"{"name":"opencode-ai","version":"1.2.3"}"#);
    home.write("packages/opencode-ai/bin/opencode", "#!/bin/sh\n");
    let program = home.path("packages/opencode-ai/bin/opencode").display().to_string();
    home.aside_does(&["agent", "add", "acp:opencode", "--", &program, "acp"]);
    let listed = home.aside_does(&["agent", "list"]).stdout;
    assert!(listed.contains(&format!("acp:opencode  1.2.3, {program}\n")), "{listed}");
}

#[test]
fn the_doctor_of_agents_starts_one_and_says_whether_it_keeps_to_what_it_is_told() {
    let scene = Agents::scripted("", "");
    let said = scene.home.aside(&["agent", "doctor"]);
    assert!(said.code == 0 && said.stdout.contains("in its read-only sandbox"), "{said:?}");
    scene.leaves_nothing(&scene.home.path("bin"));
    let scene = Agents::acp("", "");
    let said = scene.home.aside(&["agent", "doctor"]);
    assert!(said.code == 0 && said.stdout.contains("opens a conversation: scripted 1.0"), "{said:?}");
    let old = "#!/bin/sh\nread -r _; echo '{\"id\":1,\"result\":{\"userAgent\":\"aside/0.9.0\"}}'; read -r _\n";
    let said = Agents::script(old, "").home.aside(&["agent", "doctor"]);
    assert!(said.code == 1 && said.stderr.contains("protocol"), "{said:?}");
}

fn mcp(home: &Home, messages: &[Value]) -> Vec<Value> {
    let input: String = messages.iter().map(|message| format!("{message}\n")).collect();
    let said = home.aside_reads(&["mcp"], &input);
    assert_eq!(said.code, 0, "{said:?}");
    said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn call(id: u64, tool: &str, arguments: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

#[test]
fn mcp_is_off_until_it_is_switched_on() {
    let home = Home::new();
    let said = home.aside_reads(&["mcp"], "{}\n");
    assert!(said.code == 1 && said.stderr.contains("mcp.enabled"), "{said:?}");
}

#[test]
fn mcp_answers_from_what_aside_knows_without_secrets() {
    let home = Home::new();
    home.aside_does(&["config", "set", "mcp.enabled", "true"]);
    home.write(".zsh_history", ": 1700000000:0;git rebase --onto main topic\n: 1700000001:0;cargo test -p aside\n");
    home.aside_does(&["history", "import", "zsh", home.path(".zsh_history").to_str().unwrap()]);
    let hello =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": "2025-06-18" } });
    let answers = mcp(
        &home,
        &[
            hello,
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
            json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
            call(3, "search_history", json!({ "text": "rebase" })),
            call(4, "explain_command", json!({ "command": "tar -czf a.tar.gz src" })),
            call(5, "translate_request", json!({ "request": "find files larger than 100MB" })),
            call(6, "describe_directory", json!({})),
            call(7, "explain_command", json!({})),
            call(8, "run_command", json!({ "command": "ls" })),
            call(9, "search_history", json!({ "text": 5 })),
        ],
    );
    let text = |number: usize| answers[number]["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned();
    assert_eq!(answers.len(), 9);
    assert_eq!(answers[1]["result"]["tools"].as_array().unwrap().len(), 6);
    assert_eq!(text(2), "git rebase --onto main topic");
    assert!(text(3).contains("archive"), "{}", text(3));
    assert!(text(4).contains("find"), "{}", text(4));
    assert!(text(5).contains("files"), "{}", text(5));
    assert_eq!(answers[6]["result"]["isError"], true);
    assert!(answers[7]["error"]["code"].is_i64());
    assert_eq!((&answers[8]["result"]["isError"], text(8).as_str()), (&json!(true), "text is no text"));
}

/// What a client says, line by line, and the code of the error; `None`: no answer at all. Nothing is done, and the next line is answered.
#[test]
fn whatever_a_client_of_mcp_says_nothing_is_done() {
    let home = Home::new();
    home.aside_does(&["config", "set", "mcp.enabled", "true"]);
    home.write("project/a.txt", "one\n");
    let before = home.aside_does(&["task", "list", "--json"]).stdout;
    let method = |method: &str| json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": { "taskId": "t", "step": 1, "name": "approve" } });
    let (invalid, unknown, bad) = (Some(-32600), Some(-32601), Some(-32602));
    let parse = Some(-32700);
    let mut cases: Vec<(String, Option<i64>)> = Vec::new();
    for name in [
        "approve",
        "task_approve",
        "run",
        "run_command",
        "apply",
        "undo",
        "write_file",
        "SEARCH_HISTORY",
        "search_history\0",
        "../search_history",
        "",
    ] {
        cases.push((call(1, name, json!({ "command": "touch evil", "approve": true })).to_string(), bad));
    }
    for name in [
        "task/approve",
        "approve",
        "tools/run",
        "TOOLS/CALL",
        "tools/call ",
        "sampling/createMessage",
        "elicitation/create",
        "completion/complete",
        "resources/read",
        "prompts/get",
        "logging/setLevel",
        "roots/list",
        "\u{1b}[2J",
        "",
    ] {
        cases.push((method(name).to_string(), unknown));
    }
    for params in [
        json!(null),
        json!([]),
        json!("approve"),
        json!({ "name": ["search_history"] }),
        json!({ "name": { "a": 1 } }),
        json!(1),
    ] {
        cases.push((json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string(), bad));
    }
    let one = call(1, "explain_command", json!({ "command": "ls" }));
    cases.extend([
        // Batches ended with a version of the protocol, and none is done in part.
        (json!([one, one]).to_string(), invalid),
        ("[]".to_owned(), invalid),
        ("7".to_owned(), invalid),
        ("null".to_owned(), invalid),
        (json!({ "jsonrpc": "2.0", "id": 1 }).to_string(), None),
        (json!({ "jsonrpc": "2.0", "id": 1, "method": 7 }).to_string(), invalid),
        (json!({ "jsonrpc": "2.0", "id": 1, "method": ["tools/call"] }).to_string(), invalid),
        // An answer to what was never asked, and a notification that would call a tool.
        (json!({ "jsonrpc": "2.0", "id": 99, "result": { "action": "accept" } }).to_string(), None),
        (json!({ "jsonrpc": "2.0", "id": 99, "error": { "code": 1, "message": "x" } }).to_string(), None),
        (json!({ "jsonrpc": "2.0", "method": "tools/call", "params": { "name": "run_command" } }).to_string(), None),
        (
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }).to_string(),
            None,
        ),
        ("[".repeat(100_000), parse),
        ("{\"jsonrpc\":".to_owned(), parse),
        ("nonsense".to_owned(), parse),
    ]);
    for (line, code) in cases {
        let ping = json!({ "jsonrpc": "2.0", "id": "after", "method": "ping" });
        let said = home.aside_reads(&["mcp"], &format!("{line}\n{ping}\n"));
        let answers: Vec<Value> = said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let shown = line.get(..line.len().min(120)).unwrap_or_default();
        assert_eq!(answers.last().map(|last| &last["id"]), Some(&json!("after")), "{shown}: {said:?}");
        let codes: Vec<Option<i64>> =
            answers.iter().rev().skip(1).map(|answer| answer["error"]["code"].as_i64()).collect();
        assert_eq!(codes, code.map(Some).into_iter().collect::<Vec<_>>(), "{shown}: {said:?}");
        assert!(!said.stdout.contains('\u{1b}'), "{shown}: {said:?}");
    }
    assert_eq!(home.aside_does(&["task", "list", "--json"]).stdout, before);
    assert!(!home.path("project/evil").exists() && !home.path("evil").exists());
}

#[test]
fn a_message_of_mcp_without_end_ends_the_server() {
    let home = Home::new();
    home.aside_does(&["config", "set", "mcp.enabled", "true"]);
    let said = home.aside_reads(&["mcp"], &"x".repeat(3 << 20));
    assert!(said.code == 1 && said.stdout.is_empty() && said.stderr.contains("bytes"), "{said:?}");
}

#[test]
fn the_official_client_of_mcp_lists_and_calls_the_tools() {
    let Some(agents) = std::env::var_os("ASIDE_TEST_AGENTS").map(std::path::PathBuf::from) else { return };
    let home = Home::new();
    home.aside_does(&["config", "set", "mcp.enabled", "true"]);
    let script = r#"
import asyncio, os, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
async def main():
    server = StdioServerParameters(command=sys.argv[1], args=["mcp"], env=dict(os.environ))
    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write) as session:
            hello = await session.initialize()
            tools = await session.list_tools()
            said = await session.call_tool("explain_command", {"command": "rm -rf build"})
            print(hello.serverInfo.name, len(tools.tools), said.isError, said.content[0].text)
asyncio.run(main())
"#;
    home.write("client.py", script);
    let python = agents.join("mcp/bin/python").display().to_string();
    let mut command = home.command(&python);
    let said = crate::harness::home::run(command.arg(home.path("client.py")).arg(crate::harness::home::ASIDE), "");
    assert!(said.code == 0 && said.stdout.starts_with("aside 6 False"), "{said:?}");
}
