//! Measures what Aside adds to each agent event, beside parsing its line: `make bench-agents`. A normal test run only checks that it still
//! works.

use std::hint::black_box;
use std::time::Instant;

use serde_json::{Value, json};

use crate::agent::{NoListener, acp, codex};

/// Events per measurement, unless the variable asks for more.
const FEW: usize = 200;
const VARIABLE: &str = "ASIDE_TEST_AGENT_EVENTS";

/// Streams of text pieces, commands, changes and plans, in the proportions of real turns.
fn lines(messages: &[(usize, Value)], count: usize) -> Vec<String> {
    let round: Vec<&Value> =
        messages.iter().flat_map(|(times, message)| std::iter::repeat_n(message, *times)).collect();
    round.iter().cycle().take(count).map(|message| message.to_string()).collect()
}

fn of_codex() -> Vec<(usize, Value)> {
    let item = |item: Value| json!({ "threadId": "01a1", "turnId": "7", "item": item });
    let patch =
        json!([{ "path": "/w/src/parser.rs", "kind": { "type": "update" }, "diff": "@@ -1,3 +1,3 @@\n a\n-b\n+c\n" }]);
    vec![
        (
            16,
            json!({ "method": "item/agentMessage/delta", "params": { "threadId": "01a1", "turnId": "7", "itemId": "m", "delta": "the parser " } }),
        ),
        (
            1,
            json!({ "method": "item/started", "params": item(json!({ "type": "commandExecution", "id": "c", "command": "/bin/bash -lc 'rg -n parse src'", "cwd": "/w" })) }),
        ),
        (
            1,
            json!({ "method": "item/completed", "params": item(json!({ "type": "commandExecution", "id": "c", "aggregatedOutput": "src/parser.rs:1: parse\n".repeat(40) })) }),
        ),
        (
            1,
            json!({ "method": "item/started", "params": item(json!({ "type": "fileChange", "id": "f", "changes": patch })) }),
        ),
        (
            1,
            json!({ "method": "turn/plan/updated", "params": { "plan": [{ "step": "look", "status": "completed" }, { "step": "mend", "status": "pending" }] } }),
        ),
    ]
}

fn of_acp() -> Vec<(usize, Value)> {
    let update = |update: Value| json!({ "jsonrpc": "2.0", "method": "session/update", "params": { "sessionId": "01a1", "update": update } });
    let diff = json!([{ "type": "diff", "path": "/w/src/parser.rs", "oldText": "a\nb\n", "newText": "a\nc\n" }]);
    let output =
        json!([{ "type": "content", "content": { "type": "text", "text": "src/parser.rs:1: parse\n".repeat(40) } }]);
    vec![
        (
            16,
            update(
                json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "the parser " } }),
            ),
        ),
        (
            1,
            update(
                json!({ "sessionUpdate": "tool_call", "toolCallId": "c", "title": "rg", "kind": "execute", "status": "pending", "rawInput": { "command": "rg -n parse src", "cwd": "/w" } }),
            ),
        ),
        (
            1,
            update(
                json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed", "content": output }),
            ),
        ),
        (
            1,
            update(
                json!({ "sessionUpdate": "tool_call", "toolCallId": "f", "title": "Edit", "kind": "edit", "content": diff }),
            ),
        ),
        (
            1,
            update(
                json!({ "sessionUpdate": "plan", "entries": [{ "content": "look", "priority": "medium", "status": "completed" }] }),
            ),
        ),
    ]
}

/// Nanoseconds to parse each line, and to handle it after that.
fn measured(lines: &[String], mut hears: impl FnMut(&Value)) -> (Vec<u128>, Vec<u128>) {
    let timed = |line: &String| {
        let begins = Instant::now();
        let message: Value = serde_json::from_str(black_box(line)).unwrap();
        let read = begins.elapsed().as_nanos();
        let begins = Instant::now();
        hears(black_box(&message));
        (read, begins.elapsed().as_nanos())
    };
    let (mut reads, mut hears): (Vec<u128>, Vec<u128>) = lines.iter().map(timed).unzip();
    reads.sort_unstable();
    hears.sort_unstable();
    (reads, hears)
}

#[test]
fn what_aside_adds_to_an_event_of_an_agent() {
    let asked = std::env::var(VARIABLE).ok().and_then(|count| count.parse().ok());
    let count = asked.unwrap_or(FEW);
    let mut of_codex_told = codex::TurnState::new(&NoListener);
    let mut of_acp_told = acp::tool::TurnState::new(&NoListener);
    let codex = measured(&lines(&of_codex(), count), |message| {
        assert!(of_codex_told.on_notification(message["method"].as_str().unwrap_or_default(), &message["params"]));
    });
    let acp = measured(&lines(&of_acp(), count), |message| of_acp_told.on_notification(&message["params"]));
    assert!(of_codex_told.reply.text.starts_with("the parser ") && of_acp_told.reply.text.starts_with("the parser "));
    if asked.is_none() {
        return;
    }
    for (name, (reads, hears)) in [("codex", codex), ("acp", acp)] {
        let at = |times: &[u128], part: usize| times[times.len() * part / 100] as f64 / 1000.0;
        for part in [50, 99] {
            let (read, hear) = (at(&reads, part), at(&hears, part));
            eprintln!(
                "{name} p{part}: reading the line {read:.2} µs, Aside {hear:.2} µs more, {:.2} of it",
                hear / read
            );
        }
    }
}
