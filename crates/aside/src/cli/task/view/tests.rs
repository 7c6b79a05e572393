//! Tests of what is written for a task's events, without a terminal.

use aside_task::log;

use super::*;
use crate::cli::Paint;

const SIZE: Size = Size { columns: 40, rows: 12 };
const PLAIN: Style = Style { paint: Paint::Plain, letters: Charset::All };

/// Events from their JSON, with the common fields added.
fn events(lines: &[&str]) -> Vec<Event> {
    let one = |(place, line): (usize, &&str)| {
        let rest = format!(r#","threadId":"t","taskId":"t1","attempt":1,"seq":{},"at":1,"v":1}}"#, place + 1);
        let line = format!("{}{rest}", line.strip_suffix('}').unwrap());
        log::read(line.as_bytes()).unwrap_or_else(|error| panic!("{error:?}: {line}"))
    };
    lines.iter().enumerate().map(one).collect()
}

fn view(surface: Surface) -> View {
    View::new(PLAIN, surface, Request::Shown, "t1", "pts/3")
}

/// The final output.
fn paper(lines: &[&str]) -> (String, Vec<String>) {
    let mut view = view(Surface::Paper);
    events(lines).iter().for_each(|event| view.take(event, SIZE));
    (view.draws(None, Duration::ZERO, SIZE), view.remarks())
}

const ANSWER: &str =
    r#"{"type":"task_stream_chunk","messageId":"m","channel":"answer","chunk":"It is **slow**\n\n- one"}"#;

fn proposal(proposal: &str, details: &str) -> String {
    let details = if details.is_empty() { String::new() } else { format!(r#","details":"{details}""#) };
    format!(
        r#"{{"type":"task_proposal","result":{{"taskId":"t1","intent":{{"kind":"run","confidence":0.75,"summary":"Run: it"}},"proposal":{proposal},"requires":{{"mode":"none"}},"summary":"In short"{details}}},"step":1}}"#
    )
}

#[test]
fn an_answer_that_was_told_between_steps_is_not_told_again() {
    let told = "I look.\n\n$ cat a\n\nIt is fine.\nReally.";
    assert!(has_lines(told, "I look.\n\nIt is fine.\nReally.\n"));
    assert!(!has_lines(told, "It is fine.\nI look."));
    assert!(!has_lines(told, "It is fine. Really.") && !has_lines(told, ""));
}

#[test]
fn what_is_said_is_shown_once_however_it_comes() {
    let whole = proposal(r#"{"type":"answer","text":"It is **slow**\n\n- one\n- two"}"#, "");
    assert_eq!(paper(&[ANSWER, &whole]).0, "It is slow\n\n  • one\n  • two\n".replace("  •", "•"));
    assert_eq!(paper(&[&whole]).0, paper(&[ANSWER, &whole]).0);
    let noted = proposal(r#"{"type":"answer","text":"Yes"}"#, "No model was asked.");
    assert_eq!(paper(&[&noted]).0, "Yes\nNo model was asked.\n");
}

#[test]
fn an_answer_grows_on_a_terminal_with_a_row_below_it_that_says_so() {
    let mut view = view(Surface::Terminal);
    let proposing = r#"{"type":"task_state","state":"PROPOSING"}"#;
    let all = events(&[proposing, ANSWER]);
    view.take(&all[0], SIZE);
    assert_eq!(view.draws(None, Duration::from_secs(2), SIZE), "⠦ thinking; Ctrl-C stops · 2 s");
    view.take(&all[1], SIZE);
    let drawn = view.draws(None, Duration::from_secs(3), SIZE);
    assert!(drawn.starts_with("\r\x1b[2K\x1b[JIt is slow\n"), "{drawn:?}");
    assert!(drawn.ends_with("· 3 s"), "{drawn:?}");
}

#[test]
fn a_proposal_that_somebody_else_answered_is_shown_all_the_same() {
    let command = proposal(r#"{"type":"command","cmd":"make\u001b[2J","reason":"the tests"}"#, "");
    let executing = r#"{"type":"task_state","state":"EXECUTING","step":1,"by":"pts/9"}"#;
    let output =
        r#"{"type":"task_stream_chunk","messageId":"o","channel":"output","chunk":"\u001b[31mred\u001b[0m\nhalf"}"#;
    let failed = r#"{"type":"task_state","state":"FAILED","message":"it ended with 2"}"#;
    let end = r#"{"type":"task_end","status":"error"}"#;
    let (shown, remarks) = paper(&[&command, executing, output, failed, end]);
    assert_eq!(shown, "\nIn short\n  command  make⟨escape⟩[2J\n  because  the tests\nred\nhalf\n");
    assert_eq!(remarks, ["failed: it ended with 2"]);
}

#[test]
fn a_proposal_that_was_offered_is_not_shown_again() {
    let mut view = view(Surface::Terminal);
    let command = proposal(r#"{"type":"command","cmd":"make"}"#, "");
    let waiting = r#"{"type":"task_state","state":"WAITING_APPROVAL","step":1}"#;
    let executing = r#"{"type":"task_state","state":"EXECUTING","step":1,"by":"pts/3"}"#;
    let done = r#"{"type":"task_state","state":"COMPLETED","outcome":{"summary":"changed 1 file","undo":"7"}}"#;
    let all = events(&[&command, waiting, executing, done]);
    all[..2].iter().for_each(|event| view.take(event, SIZE));
    assert_eq!((view.step(), view.summary().as_str()), (Some(1), "In short"));
    view.offered();
    all[2..].iter().for_each(|event| view.take(event, SIZE));
    assert_eq!(view.step(), None);
    assert_eq!(view.draws(None, Duration::ZERO, SIZE), "changed 1 file; undo with: aside task undo t1\n");
}

#[test]
fn nothing_that_a_task_says_reaches_the_terminal_as_a_command() {
    let hostile = r#"\u001b[2J\u0007\u202eevil"#;
    let start = format!(
        r#"{{"type":"task_start","intent":{{"kind":"run","confidence":0.7,"summary":"{hostile}"}},"scope":"full"}}"#
    );
    let received = format!(
        r#"{{"type":"task_state","state":"RECEIVED","request":{{"source":"local_ui","threadId":"t","text":"{hostile}"}}}}"#
    );
    let said = proposal(&format!(r#"{{"type":"answer","text":"{hostile}"}}"#), hostile);
    let failed = format!(r#"{{"type":"task_state","state":"FAILED","message":"{hostile}"}}"#);
    let mut view = view(Surface::Terminal);
    for event in events(&[&received, &start, &said, &failed]) {
        view.take(&event, SIZE);
    }
    let drawn = view.draws(None, Duration::ZERO, SIZE);
    assert!(drawn.contains("evil"), "{drawn:?}");
    assert!(!drawn.contains(['\x1b', '\x07', '\u{202e}']), "{drawn:?}");
}

#[test]
fn a_change_is_not_shown_while_it_is_being_written() {
    let start =
        r#"{"type":"task_start","intent":{"kind":"change","confidence":0.7,"summary":"Change: x"},"scope":"full"}"#;
    let said = r#"{"type":"task_stream_chunk","messageId":"m","channel":"answer","chunk":"Fixes it.\n\n```diff\n--- a/x\n+++ b/x\n```\n"}"#;
    let offered = proposal(
        r#"{"type":"diff","diffId":"x","unifiedDiff":"--- a/x\n+++ b/x\n","files":[]}"#,
        "Fixes it.\\n\\nOne file was not read.",
    );
    assert_eq!(paper(&[start, said, &offered]).0, "Fixes it.\nOne file was not read.\n");
    let answered = proposal(r#"{"type":"answer","text":"Do:\n```diff\n+x\n```"}"#, "");
    assert!(paper(&[start, said, &answered]).0.contains("+x"), "an answer is shown whole");
}

#[test]
fn a_block_of_a_change_never_reaches_the_terminal() {
    let start =
        r#"{"type":"task_start","intent":{"kind":"change","confidence":0.7,"summary":"Change: x"},"scope":"full"}"#;
    let block = "Fixes it.\n\nsrc/user.py\n<<<<<<< SEARCH\nnmae\n=======\nname\n>>>>>>> REPLACE\n";
    let mut view = view(Surface::Terminal);
    let proposing = r#"{"type":"task_state","state":"PROPOSING"}"#;
    events(&[start, proposing]).iter().for_each(|event| view.take(event, SIZE));
    let mut drawn = String::new();
    for end in 1..block.len() {
        let chunk = serde_json::Value::from(&block[end - 1..end]);
        let said = format!(r#"{{"type":"task_stream_chunk","messageId":"m","channel":"answer","chunk":{chunk}}}"#);
        events(&[&said]).iter().for_each(|event| view.take(event, SIZE));
        drawn += &view.draws(None, Duration::from_secs(3), SIZE);
    }
    assert!(drawn.contains("Fixes it.") && drawn.contains("writing the change"), "{drawn}");
    assert!(!["<<<<", "====", ">>>>", "nmae", "user.py"].iter().any(|raw| drawn.contains(raw)), "{drawn}");
}

#[test]
fn a_model_that_says_nothing_any_more_is_told_and_can_be_given_up() {
    let mut view = view(Surface::Terminal);
    let all = events(&[r#"{"type":"task_state","state":"PROPOSING"}"#, ANSWER]);
    let wide = Size { columns: 80, rows: 12 };
    view.take(&all[0], wide);
    view.draws(None, Duration::from_secs(1), wide);
    assert!(view.draws(None, Duration::from_secs(20), wide).contains("thinking"));
    assert!(
        view.draws(None, Duration::from_secs(22), wide).contains("nothing from the model for 21 s; Ctrl-C gives up")
    );
    view.take(&all[1], wide);
    assert!(view.draws(None, Duration::from_secs(23), wide).contains("thinking"));
}

#[test]
fn what_was_found_is_shown_once() {
    let found = proposal(
        r#"{"type":"search_results","items":[{"path":"a.rs:1","preview":"x"}]}"#,
        r"- `a.rs`\n  - 1: `x`\n\n3 more were left out.",
    );
    assert_eq!(paper(&[&found]).0, "a.rs:1  x\n3 more were left out.\n");
}

#[test]
fn that_it_was_rejected_is_said_where_nothing_moves_too() {
    let rejected = r#"{"type":"task_state","state":"REJECTED"}"#;
    assert_eq!(paper(&[rejected]).1, ["rejected; nothing was done"]);
    let why = r#"{"type":"task_state","state":"REJECTED","message":"not today"}"#;
    assert_eq!(paper(&[why]).1, ["rejected: not today; nothing was done"]);
}
