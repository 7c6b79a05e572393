//! Messages to a chat and from one, as a user sees them.

use proptest::prelude::*;

use crate::task::event::{Change, Channel, Event, Id, Offered, Outcome, VERSION, What};
use crate::task::proposal::{Confine, FileSummary, Found, Proposal, Source, TaskResult, UserRequest};
use crate::task::remote::asked_by;
use crate::task::remote::command::Command;
use crate::task::remote::report::{MAX_BYTES, Report, cut, whole};
use crate::task::route::intent::{Intent, Kind, Params, Requirement};
use crate::task::state::Name;

fn event(what: What) -> Event {
    Event {
        what,
        thread_id: String::new(),
        task_id: Id::of("t4k2m9").unwrap(),
        attempt: 1,
        seq: 1,
        at: 0,
        cause: None,
        v: VERSION,
    }
}

fn state(state: Name) -> Event {
    event(What::TaskState(Box::new(Change::to(state))))
}

fn proposes(proposal: Proposal) -> Event {
    let intent = Intent { kind: Kind::Change, confidence: 1.0, summary: String::new(), params: Params::default() };
    let summary = "Rename average to mean".to_owned();
    let result =
        TaskResult { task_id: "t4k2m9".into(), intent, proposal, requires: Requirement::None, summary, details: None };
    event(What::TaskProposal(Box::new(Offered { result, step: 1, digest: None })))
}

/// What is told when something was proposed in answer to a request, and the task comes to a state.
fn told(request: &str, proposal: Proposal, end: Name) -> String {
    let mut report = Report::new("dev-machine-1", request);
    let asked = UserRequest { text: request.to_owned(), ..UserRequest::default() };
    let received = Change { request: Some(asked), ..Change::to(Name::Received) };
    assert_eq!(report.hear(&event(What::TaskState(Box::new(received)))), None);
    assert_eq!(report.hear(&proposes(proposal)), None);
    report.hear(&state(end)).unwrap()
}

fn diff(files: usize) -> Proposal {
    let file = |number| FileSummary { path: format!("src/{number}.rs"), additions: 2, deletions: 1 };
    Proposal::Diff {
        diff_id: "d".into(),
        unified_diff: "--- a/src/0.rs\n+++ b/src/0.rs\n@@ -1 +1 @@\n-secret line\n+other line\n".into(),
        files: (0..files).map(file).collect(),
    }
}

#[test]
fn a_proposal_that_waits_is_told_with_its_files_and_what_to_do() {
    assert_eq!(
        told("rename average to mean", diff(2), Name::WaitingApproval),
        "[t4k2m9] Proposal ready; waiting for local approval on dev-machine-1.\n\
         Rename average to mean\n\
         2 files, +4 -2:\n\
         src/0.rs (+2 -1)\n\
         src/1.rs (+2 -1)\n\
         Next: approve it at that machine (aside chat, the page, or `aside task show t4k2m9`). Here: `cancel t4k2m9` stops it."
    );
    let chinese = told("把 average 改名为 mean", diff(20), Name::WaitingApproval);
    assert!(chinese.starts_with("[t4k2m9] 方案已就绪，等待在 dev-machine-1 上本地批准。\n"), "{chinese}");
    assert!(chinese.contains("\n还有 12 个\n"), "{chinese}");
    let command = Proposal::Command { cmd: "cargo test".into(), cwd: None, reason: None, confine: Confine::No };
    assert!(told("run the tests", command, Name::WaitingApproval).contains("\nCommand: cargo test\n"));
}

#[test]
fn no_message_has_a_line_of_a_diff() {
    let answer = "Here it is:\n```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n```\nThat is all.";
    let answer = Proposal::Answer { text: answer.into() };
    for (proposal, state) in [
        (diff(1), Name::WaitingApproval),
        (diff(1), Name::Completed),
        (answer.clone(), Name::Completed),
        (Proposal::Plan { text: "diff --git a/x b/x\n@@ -1 +1 @@\n".into() }, Name::Completed),
    ] {
        let text = told("fix it", proposal, state);
        for line in ["-old", "+new", "@@ -", "+++ b/", "diff --git", "secret line"] {
            assert!(!text.contains(line), "{text}");
        }
    }
    assert!(told("fix it", answer, Name::Completed).contains("\nThat is all.\n"));
}

#[test]
fn each_state_is_told_once_and_what_streams_is_not() {
    let mut report = Report::new("dev", "run the tests");
    let chunk = What::TaskStreamChunk { message_id: "m".into(), channel: Channel::Output, chunk: "x".into() };
    assert_eq!(report.hear(&event(chunk)), None);
    for quiet in [Name::Received, Name::Routed, Name::ContextCollected, Name::Proposing, Name::ProposalReady] {
        assert_eq!(report.hear(&state(quiet)), None);
    }
    assert!(report.hear(&state(Name::Executing)).is_some());
    assert_eq!(report.hear(&state(Name::Executing)), None);
    let outcome = Outcome { summary: "2 of 9 tests failed".into(), exit: Some(101), ..Outcome::default() };
    let done = Change { outcome: Some(outcome), ..Change::to(Name::Completed) };
    assert_eq!(
        report.hear(&event(What::TaskState(Box::new(done)))).unwrap(),
        "[t4k2m9] Done; the command ended with 101.\n2 of 9 tests failed\nNext: ask on, or look at t4k2m9 on dev."
    );
}

#[test]
fn secrets_and_control_characters_do_not_leave() {
    let found = Found { path: "a\u{1b}[2J\u{202e}b".into(), preview: None };
    let text = told("find it", Proposal::SearchResults { items: vec![found] }, Name::Completed);
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
    let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let text = told("what is it", Proposal::Answer { text: format!("the token is {token}") }, Name::Completed);
    assert!(!text.contains(token), "{text}");
}

#[test]
fn a_text_is_cut_between_characters_and_its_head_and_next_step_stay() {
    assert_eq!(cut("方案已就绪", 10), "方案…");
    assert_eq!(cut("方案已就绪", 15), "方案已就绪");
    assert_eq!(cut("ae\u{301}xyz", 5), "a…");
    assert_eq!(cut("abc", 2), "");
    let text = told("explain it", Proposal::Answer { text: "解".repeat(5000) }, Name::Completed);
    assert!(text.len() <= MAX_BYTES && text.len() > MAX_BYTES - 8, "{}", text.len());
    assert!(text.starts_with("[t4k2m9] Done.\n解") && text.ends_with("look at t4k2m9 on dev-machine-1."), "{text}");
}

proptest! {
    #[test]
    fn no_message_is_longer_than_wecom_takes(head in ".{0,80}", body in ".{0,3000}", next in ".{0,80}", bytes in 0..100_usize) {
        prop_assert!(whole(&head, &body, &next).len() <= MAX_BYTES);
        prop_assert!(cut(&body, bytes).len() <= bytes);
    }
}

#[test]
fn the_user_of_a_request_is_named_with_the_chat() {
    let by = |source: Source, user: &str, thread: &str| {
        let (from_user, thread_id) = (Some(user.to_owned()), thread.to_owned());
        asked_by(&UserRequest { source, from_user, thread_id, ..UserRequest::default() })
    };
    assert_eq!(by(Source::LocalUi, "", "x"), None);
    assert_eq!(by(Source::Wecom, "li", "wecom:li").as_deref(), Some("li (wecom)"));
    assert_eq!(by(Source::Relay, "li", "relay:li:wecom/g7").as_deref(), Some("li (relay), in the chat wecom/g7"));
    assert_eq!(by(Source::Webhook, "li\u{1b}[2J", "webhook:x").as_deref(), Some("li⟨escape⟩[2J (webhook)"));
}

#[test]
fn a_message_is_a_request_unless_it_is_about_a_task() {
    for (text, expected) in [
        ("run the tests", Command::Ask("run the tests")),
        ("@dev run the tests", Command::Ask("@dev run the tests")),
        ("@Aside run the tests", Command::Ask("run the tests")),
        ("@机器人\u{2005}运行测试", Command::Ask("运行测试")),
        ("cancel", Command::Cancel("")),
        ("Cancel t4k2m9.", Command::Cancel("t4k2m9")),
        ("@dev cancel t4k2m9", Command::Cancel("t4k2m9")),
        ("取消 t4k2m9", Command::Cancel("t4k2m9")),
        ("取消t4k2m9", Command::Cancel("t4k2m9")),
        ("cancel the upload when the token expires", Command::Ask("cancel the upload when the token expires")),
        ("cancellation is broken", Command::Ask("cancellation is broken")),
        ("again", Command::Retry("")),
        ("重试 t4k2m9", Command::Retry("t4k2m9")),
        ("approve t4k2m9", Command::Answer("t4k2m9")),
        ("yes", Command::Answer("")),
        ("同意", Command::Answer("")),
        ("@dev apply t4k2m9", Command::Answer("t4k2m9")),
        ("apply the patch in fix.diff", Command::Ask("apply the patch in fix.diff")),
        ("status", Command::Status),
        ("@dev status", Command::Status),
        ("进度", Command::Status),
        ("pair K7QM-2XHD", Command::Pair("K7QM-2XHD")),
        ("配对 K7QM2XHD", Command::Pair("K7QM2XHD")),
        ("pair", Command::Ask("pair")),
        ("", Command::Nothing),
        ("@dev", Command::Nothing),
        ("@Aside", Command::Nothing),
    ] {
        assert_eq!(Command::of(text, "@dev"), expected, "{text}");
    }
}
