//! Checks `docs/protocol.md` against the code: every example means the same in both encodings and is what the codecs write, every
//! message has an example, every table lists the fields in their order, and every number is the one in the code.

use std::collections::BTreeSet;

use aside_proto::stream::{Frame, Stream, WireFormat, encode};
use aside_proto::task::{TaskOp, TaskParams};
use aside_proto::{Answer, Call, PROTOCOL, Reply, Request, json, record};

const DOCUMENT: &str = include_str!("../../../docs/protocol.md");

/// Where the numbers on the page come from.
const SOURCES: [&str; 6] = [
    include_str!("../src/record.rs"),
    include_str!("../src/stream.rs"),
    include_str!("../../aside-core/src/history/filter.rs"),
    include_str!("../../aside/src/daemon/connection.rs"),
    include_str!("../../aside/src/daemon/dispatch.rs"),
    include_str!("../../aside/src/daemon/state.rs"),
];

#[test]
fn every_example_of_a_request_is_what_both_codecs_read_and_write() {
    let calls: Vec<Call> = pairs("request").iter().map(|pair| call(pair)).collect();
    let verbs: BTreeSet<&str> = calls.iter().map(|call| verb(&call.request)).collect();
    let expected = [
        "ask",
        "capture",
        "captured",
        "complete",
        "detect",
        "explain",
        "finished",
        "hello",
        "names",
        "outcome",
        "recall",
        "reload",
        "status",
        "stop",
        "suggest",
        "task",
        "translate",
        "watching",
        "why",
        "wrong",
    ];
    assert_eq!(verbs, BTreeSet::from(expected));
}

#[test]
fn every_example_of_an_answer_is_what_both_codecs_write() {
    let answers: Vec<Answer> = pairs("answer").iter().map(|pair| answer(pair)).collect();
    let kinds: BTreeSet<&str> = answers.iter().map(|answer| kind(&answer.reply)).collect();
    let expected = [
        "capture",
        "complete",
        "detect",
        "error",
        "explain",
        "hello",
        "next",
        "ok",
        "recall",
        "said",
        "status",
        "task",
        "task_event",
        "translate",
        "update",
        "why",
    ];
    assert_eq!(kinds, BTreeSet::from(expected));
}

#[test]
fn every_table_of_fields_names_them_in_the_order_of_the_message() {
    let mut checked = 0;
    for section in DOCUMENT.split("\n### ").skip(1) {
        let rows: Vec<Vec<&str>> = table(section, &["| # | field |", "| field |"]);
        let Some(example) = examples(section).into_iter().find(|example| example.tag.starts_with("json")) else {
            continue;
        };
        if rows.is_empty() {
            continue;
        }
        let numbered = section.contains("| # | field |");
        let named: Vec<&str> = rows.iter().map(|row| row[usize::from(numbered)].trim_matches('`')).collect();
        assert_eq!(named, keys(&compact(&example.text)), "the table of {}", section.lines().next().unwrap());
        if numbered {
            let places: Vec<usize> = rows.iter().map(|row| row[0].parse().unwrap()).collect();
            assert_eq!(places, (1..=rows.len()).collect::<Vec<_>>());
        }
        checked += 1;
    }
    assert_eq!(checked, 28, "sixteen requests and twelve answers have a table of fields");
}

#[test]
fn every_cap_is_the_one_in_the_code() {
    let rows = table(DOCUMENT, &["| at most |"]);
    let named: BTreeSet<(&str, usize)> =
        rows.iter().map(|row| (row[2].trim_matches('`'), row[1].parse().unwrap())).collect();
    let code: BTreeSet<(&str, usize)> = SOURCES.iter().flat_map(|source| caps(source)).collect();
    assert_eq!(named, code);
}

#[test]
fn the_numbers_in_the_text_are_the_ones_in_the_code() {
    assert!(DOCUMENT.contains(&format!("This is protocol {PROTOCOL}, `PROTOCOL` in the code.")));
    assert_eq!(DOCUMENT.matches(&format!("| `protocol` | {PROTOCOL} |")).count(), 2);
    let plugin = include_str!("../../aside/shell/aside.zsh");
    assert!(DOCUMENT.contains("leave at most 64 messages\nunanswered") && plugin.contains("_aside_out < 64"));
    assert!(DOCUMENT.contains("no more than 4096 characters") && plugin.contains("_aside_chars + $#record < 4096"));
    let daemon = include_str!("../../aside/src/daemon.rs");
    assert!(
        DOCUMENT.contains("for three seconds at most")
            && daemon.contains("const DRAIN: Duration = Duration::from_secs(3);")
    );
    let handover = include_str!("../../aside/src/daemon/handover.rs");
    assert!(
        DOCUMENT.contains("no sooner than five seconds later")
            && handover.contains("const PAUSE: Duration = Duration::from_secs(5);")
    );
}

#[test]
fn every_error_code_is_listed() {
    let listed: BTreeSet<&str> = table(DOCUMENT, &["| code |"]).iter().map(|row| row[0].trim_matches('`')).collect();
    let sources = [
        include_str!("../../aside/src/daemon/connection.rs"),
        include_str!("../../aside/src/daemon/handlers/finished.rs"),
        include_str!("../../aside/src/daemon/capture_registry.rs"),
        include_str!("../../aside/src/daemon/handlers/task.rs"),
    ];
    let used = sources.iter().flat_map(|source| source.split("Reply::error(\"").skip(1));
    let used: BTreeSet<&str> = used.map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(listed, used);
}

#[test]
fn every_link_leads_somewhere() {
    let headings: Vec<String> = DOCUMENT
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| anchor(line.trim_start_matches('#')))
        .collect();
    for link in DOCUMENT.split("](#").skip(1).map(|rest| rest.split(')').next().unwrap()) {
        // The second heading of the same name gets a number.
        let (name, count) = link.strip_suffix("-1").map_or((link, 1), |name| (name, 2));
        assert!(headings.iter().filter(|heading| *heading == name).count() >= count, "#{link}");
    }
}

#[test]
fn every_field_of_a_message_about_tasks_is_told() {
    let text = || "x".to_owned();
    let task = TaskParams {
        op: TaskOp::Ask,
        task: text(),
        thread: text(),
        text: text(),
        source: text(),
        from_user: text(),
        by: text(),
        step: 1,
        digest: text(),
        confine: text(),
        from: 1,
        limit: 1,
        cwd: text(),
        session: text(),
        shell: text(),
        goes_on: true,
        private: true,
        untrusted: true,
        active: text(),
        active_line: 1,
        open: vec![text()],
        selection: text(),
        diagnostics: text(),
        environment: vec![text()],
    };
    let section = DOCUMENT.split("\n### ").find(|section| section.starts_with("task\n")).unwrap();
    let json = serde_json::to_value(task).unwrap();
    for field in json.as_object().unwrap().keys() {
        let named =
            section.lines().filter(|line| line.starts_with('|')).any(|line| line.contains(&format!("`{field}`")));
        assert!(named, "`{field}` is in no table");
    }
}

#[derive(Debug)]
struct Example {
    /// The fence's tag: `record request`.
    tag: String,
    text: String,
}

/// A message in both encodings.
struct Pair {
    record: Vec<u8>,
    json: String,
}

fn examples(document: &str) -> Vec<Example> {
    let mut parts = document.split("```");
    parts.next();
    // Every second part is inside a fence.
    let fenced = parts.step_by(2).filter_map(|part| part.split_once('\n'));
    fenced
        .map(|(tag, text)| Example { tag: tag.to_owned(), text: text.to_owned() })
        .filter(|example| example.tag.contains(' '))
        .collect()
}

/// The examples of a direction; each record is followed by the same message in JSON.
fn pairs(direction: &str) -> Vec<Pair> {
    let all = examples(DOCUMENT);
    let known = ["record request", "json request", "record answer", "json answer"];
    assert!(all.iter().all(|example| known.contains(&example.tag.as_str())), "{all:#?}");
    let ours: Vec<Example> = all.into_iter().filter(|example| example.tag.ends_with(direction)).collect();
    ours.chunks(2)
        .map(|pair| {
            let [record, json] = pair else { panic!("an example without its other spelling: {pair:?}") };
            assert!(record.tag.starts_with("record") && json.tag.starts_with("json"), "{record:?} {json:?}");
            Pair { record: bytes(&record.text), json: compact(&json.text) }
        })
        .collect()
}

/// The bytes on the wire: replaces the visible marks, and drops line breaks that are not marked.
fn bytes(example: &str) -> Vec<u8> {
    example.replace('\n', "").replace('␊', "\n").replace('␀', "\0").replace('␟', "\x1f").into_bytes()
}

/// A single line of JSON, without blanks outside of strings.
fn compact(example: &str) -> String {
    let (mut quoted, mut escaped) = (false, false);
    let mut line: String = example
        .chars()
        .filter(|&char| {
            quoted ^= char == '"' && !escaped;
            escaped = char == '\\' && !escaped;
            quoted || !char.is_whitespace()
        })
        .collect();
    line.push('\n');
    line
}

/// The keys of the outermost object, in their order.
fn keys(json: &str) -> Vec<&str> {
    let (mut depth, mut keys) = (0, Vec::new());
    // Every second part is inside quotes; no example has a quote within a string, except for the error's message.
    for (number, part) in json.split('"').enumerate() {
        if number % 2 == 1 {
            keys.push((depth, part));
        } else {
            depth += part.matches(['{', '[']).count();
            depth -= part.matches(['}', ']']).count();
            // A string that is not followed by a colon was a value.
            if number > 0 && !part.starts_with(':') {
                keys.pop();
            }
        }
    }
    keys.into_iter().filter(|(depth, _)| *depth == 1).map(|(_, key)| key).collect()
}

#[track_caller]
fn call(pair: &Pair) -> Call {
    let read = |bytes: &[u8], spelling| {
        let mut stream = Stream::default();
        stream.push(bytes);
        let mut frames = stream.frames();
        let frame = frames.pop();
        assert_eq!((stream.spelling(), frames), (spelling, Vec::new()), "more than one message");
        match frame {
            Some(Frame::Call(call)) => call,
            other => panic!("{other:?} is not a request: {}", String::from_utf8_lossy(bytes)),
        }
    };
    let call = read(&pair.record, WireFormat::Record);
    assert_eq!(read(pair.json.as_bytes(), WireFormat::Json), call, "both spellings say the same");
    assert_same(&record::encode_call(&call), &pair.record);
    assert_same(&json::encode_call(&call), pair.json.as_bytes());
    call
}

#[track_caller]
fn answer(pair: &Pair) -> Answer {
    let answer: Answer = serde_json::from_str(&pair.json).unwrap_or_else(|error| panic!("{error}: {}", pair.json));
    assert_same(&encode(WireFormat::Json, &answer), pair.json.as_bytes());
    assert_same(&encode(WireFormat::Record, &answer), &pair.record);
    answer
}

#[track_caller]
fn assert_same(ours: &[u8], documented: &[u8]) {
    assert_eq!(String::from_utf8_lossy(ours), String::from_utf8_lossy(documented), "ours, and the document's");
}

/// Exhaustive on purpose: a new request must be named here, in the test above, and in docs/protocol.md.
fn verb(request: &Request) -> &'static str {
    match request {
        Request::Hello(_) => "hello",
        Request::Complete(_) => "complete",
        Request::Translate(_) => "translate",
        Request::Explain(_) => "explain",
        Request::Detect(_) => "detect",
        Request::Wrong(_) => "wrong",
        Request::Ask(_) => "ask",
        Request::Outcome(_) => "outcome",
        Request::Finished(_) => "finished",
        Request::Capture(_) => "capture",
        Request::Watching(_) => "watching",
        Request::Captured(_) => "captured",
        Request::Suggest(_) => "suggest",
        Request::Recall(_) => "recall",
        Request::Task(_) => "task",
        Request::Names(_) => "names",
        Request::Reload => "reload",
        Request::Why(_) => "why",
        Request::Status => "status",
        Request::Stop => "stop",
    }
}

fn kind(reply: &Reply) -> &'static str {
    match reply {
        Reply::Hello(_) => "hello",
        Reply::Complete(_) => "complete",
        Reply::Update(_) => "update",
        Reply::Translate(_) => "translate",
        Reply::Explain(_) => "explain",
        Reply::Detect(_) => "detect",
        Reply::Said(_) => "said",
        Reply::Capture(_) => "capture",
        Reply::Suggest(_) => "next",
        Reply::Recall(_) => "recall",
        Reply::Task(_) => "task",
        Reply::TaskEvent(_) => "task_event",
        Reply::Ok => "ok",
        Reply::Why(_) => "why",
        Reply::Status(_) => "status",
        Reply::Error(_) => "error",
    }
}

/// The cells of the first table that begins with one of these headers.
fn table<'a>(text: &'a str, headers: &[&str]) -> Vec<Vec<&'a str>> {
    let rows = text.lines().skip_while(|line| !headers.iter().any(|header| line.starts_with(header)));
    let rows = rows.take_while(|line| line.starts_with('|')).skip(2);
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// `const MAX_…: usize = 64 * 1024;`
fn caps(source: &str) -> Vec<(&str, usize)> {
    let lines = source.lines().filter_map(|line| line.trim_start_matches("pub ").strip_prefix("const "));
    let caps = lines.filter(|line| line.starts_with("MAX_")).map(|line| {
        let (name, rest) = line.split_once(": usize = ").unwrap_or_else(|| panic!("not a cap: {line}"));
        let factors = rest.trim_end_matches(';').split(" * ").map(|factor| factor.parse::<usize>().unwrap());
        (name, factors.product())
    });
    caps.collect()
}

fn anchor(heading: &str) -> String {
    heading.trim().to_lowercase().replace(' ', "-")
}

#[test]
fn the_keys_of_an_object_are_its_own() {
    assert_eq!(keys(r#"{"a":"b","c":[{"d":1}],"e":{"f":"g"},"h":2}"#), ["a", "c", "e", "h"]);
}

#[test]
fn blanks_in_strings_stay() {
    assert_eq!(compact("{\n  \"a b\": \"c \\\" d\"\n}"), "{\"a b\":\"c \\\" d\"}\n");
}
