//! Messages to a chat and from one, as a user sees them.

use proptest::prelude::*;

use crate::event::{ActOutcome, Event, EventKind, OfferedProposal, OutputChannel, StateChange, TaskId, VERSION};
use crate::proposal::{FileSummary, Proposal, RequestSource, SearchResult, TaskResult, UserRequest, WriteConfinement};
use crate::remote::asked_by;
use crate::remote::command::ChatCommand;
use crate::remote::report::{self, ChatReport, MAX_BYTES, Machine, cut, whole};
use crate::route::intent::{ApprovalRequirement, Intent, IntentParams, TaskKind};
use crate::state::StateName;

fn event(what: EventKind) -> Event {
    Event {
        what,
        thread_id: String::new(),
        task_id: TaskId::of("t4k2m9").unwrap(),
        attempt: 1,
        seq: 1,
        at: 0,
        cause: None,
        v: VERSION,
    }
}

fn state(state: StateName) -> Event {
    event(EventKind::TaskState(Box::new(StateChange::to(state))))
}

fn proposes(proposal: Proposal) -> Event {
    let intent =
        Intent { kind: TaskKind::Change, confidence: 1.0, summary: String::new(), params: IntentParams::default() };
    let summary = "Rename average to mean".to_owned();
    let result = TaskResult {
        task_id: "t4k2m9".into(),
        intent,
        proposal,
        requires: ApprovalRequirement::None,
        summary,
        details: None,
    };
    event(EventKind::TaskProposal(Box::new(OfferedProposal { result, step: 1, digest: None })))
}

/// What is told when something was proposed in answer to a request, and the task comes to a state.
fn told(request: &str, proposal: Proposal, end: StateName) -> String {
    let mut report = ChatReport::new(&Machine::alone("dev-machine-1"), request);
    let asked = UserRequest { text: request.to_owned(), ..UserRequest::default() };
    let received = StateChange { request: Some(asked), ..StateChange::to(StateName::Received) };
    assert_eq!(report.hear(&event(EventKind::TaskState(Box::new(received)))), None);
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
        told("rename average to mean", diff(2), StateName::WaitingApproval),
        "[t4k2m9] Proposal ready; waiting for local approval on dev-machine-1.\n\
         Rename average to mean\n\
         2 files, +4 -2:\n\
         src/0.rs (+2 -1)\n\
         src/1.rs (+2 -1)\n\
         Next: approve it at that machine (aside chat, the page, or `aside task show t4k2m9`). Here: `cancel t4k2m9` stops it."
    );
    let chinese = told("把 average 改名为 mean", diff(20), StateName::WaitingApproval);
    assert!(chinese.starts_with("[t4k2m9] 方案已就绪，等待在 dev-machine-1 上本地批准。\n"), "{chinese}");
    assert!(chinese.contains("\n还有 12 个\n"), "{chinese}");
    let command =
        Proposal::Command { cmd: "cargo test".into(), cwd: None, reason: None, confine: WriteConfinement::No };
    assert!(told("run the tests", command, StateName::WaitingApproval).contains("\nCommand: cargo test\n"));
}

#[test]
fn no_message_has_a_line_of_a_diff() {
    let answer = "Here it is:\n```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n```\nThat is all.";
    let answer = Proposal::Answer { text: answer.into() };
    for (proposal, state) in [
        (diff(1), StateName::WaitingApproval),
        (diff(1), StateName::Completed),
        (answer.clone(), StateName::Completed),
        (Proposal::Plan { text: "diff --git a/x b/x\n@@ -1 +1 @@\n".into() }, StateName::Completed),
    ] {
        let text = told("fix it", proposal, state);
        for line in ["-old", "+new", "@@ -", "+++ b/", "diff --git", "secret line"] {
            assert!(!text.contains(line), "{text}");
        }
    }
    assert!(told("fix it", answer, StateName::Completed).contains("\nThat is all.\n"));
}

#[test]
fn each_state_is_told_once_and_what_streams_is_not() {
    let mut report = ChatReport::new(&Machine::alone("dev"), "run the tests");
    let chunk =
        EventKind::TaskStreamChunk { message_id: "m".into(), channel: OutputChannel::Output, chunk: "x".into() };
    assert_eq!(report.hear(&event(chunk)), None);
    for quiet in [
        StateName::Received,
        StateName::Routed,
        StateName::ContextCollected,
        StateName::Proposing,
        StateName::ProposalReady,
    ] {
        assert_eq!(report.hear(&state(quiet)), None);
    }
    assert!(report.hear(&state(StateName::Executing)).is_some());
    assert_eq!(report.hear(&state(StateName::Executing)), None);
    let outcome = ActOutcome { summary: "2 of 9 tests failed".into(), exit: Some(101), ..ActOutcome::default() };
    let done = StateChange { outcome: Some(outcome), ..StateChange::to(StateName::Completed) };
    assert_eq!(
        report.hear(&event(EventKind::TaskState(Box::new(done)))).unwrap(),
        "[t4k2m9] Done; the command ended with 101.\n2 of 9 tests failed\nNext: ask on, or look at t4k2m9 on dev."
    );
}

#[test]
fn secrets_and_control_characters_do_not_leave() {
    let found = SearchResult { path: "a\u{1b}[2J\u{202e}b".into(), preview: None };
    let text = told("find it", Proposal::SearchResults { items: vec![found] }, StateName::Completed);
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
    let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let text = told("what is it", Proposal::Answer { text: format!("the token is {token}") }, StateName::Completed);
    assert!(!text.contains(token), "{text}");
}

#[test]
fn a_text_is_cut_between_characters_and_its_head_and_next_step_stay() {
    assert_eq!(cut("方案已就绪", 10), "方案…");
    assert_eq!(cut("方案已就绪", 15), "方案已就绪");
    assert_eq!(cut("ae\u{301}xyz", 5), "a…");
    assert_eq!(cut("abc", 2), "");
    let text = told("explain it", Proposal::Answer { text: "解".repeat(5000) }, StateName::Completed);
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
    let by = |source: RequestSource, user: &str, thread: &str| {
        let (from_user, thread_id) = (Some(user.to_owned()), thread.to_owned());
        asked_by(&UserRequest { source, from_user, thread_id, ..UserRequest::default() })
    };
    assert_eq!(by(RequestSource::LocalUi, "", "x"), None);
    assert_eq!(by(RequestSource::Wecom, "li", "wecom:li").as_deref(), Some("li (wecom)"));
    assert_eq!(
        by(RequestSource::Relay, "li", "relay:li:wecom/g7").as_deref(),
        Some("li (relay), in the chat wecom/g7")
    );
    assert_eq!(by(RequestSource::Webhook, "li\u{1b}[2J", "webhook:x").as_deref(), Some("li⟨escape⟩[2J (webhook)"));
}

#[test]
fn a_message_is_a_request_unless_it_is_about_a_task() {
    for (text, expected) in [
        ("run the tests", ChatCommand::Ask("run the tests")),
        ("@dev run the tests", ChatCommand::Ask("@dev run the tests")),
        ("@Aside run the tests", ChatCommand::Ask("run the tests")),
        ("@机器人\u{2005}运行测试", ChatCommand::Ask("运行测试")),
        ("cancel", ChatCommand::Cancel("")),
        ("Cancel t4k2m9.", ChatCommand::Cancel("t4k2m9")),
        ("@dev cancel t4k2m9", ChatCommand::Cancel("t4k2m9")),
        ("取消 t4k2m9", ChatCommand::Cancel("t4k2m9")),
        ("取消t4k2m9", ChatCommand::Cancel("t4k2m9")),
        ("cancel the upload when the token expires", ChatCommand::Ask("cancel the upload when the token expires")),
        ("cancellation is broken", ChatCommand::Ask("cancellation is broken")),
        ("again", ChatCommand::Retry("")),
        ("重试 t4k2m9", ChatCommand::Retry("t4k2m9")),
        ("approve t4k2m9", ChatCommand::Answer("t4k2m9")),
        ("yes", ChatCommand::Answer("")),
        ("同意", ChatCommand::Answer("")),
        ("@dev apply t4k2m9", ChatCommand::Answer("t4k2m9")),
        ("apply the patch in fix.diff", ChatCommand::Ask("apply the patch in fix.diff")),
        ("approve all", ChatCommand::Answer("")),
        ("Yes please, approve it!", ChatCommand::Answer("")),
        ("approve t4k2m9 y", ChatCommand::Answer("t4k2m9")),
        ("ok, go ahead", ChatCommand::Answer("")),
        ("go ahead", ChatCommand::Answer("")),
        ("I approve all of these changes", ChatCommand::Answer("")),
        ("批准全部", ChatCommand::Answer("")),
        ("好的，同意吧", ChatCommand::Answer("")),
        ("批准 t4k2m9", ChatCommand::Answer("t4k2m9")),
        ("同意t4k2m9", ChatCommand::Answer("t4k2m9")),
        ("不行", ChatCommand::Reject("")),
        ("我不同意", ChatCommand::Reject("")),
        ("no", ChatCommand::Reject("")),
        ("no, reject t4k2m9 please", ChatCommand::Reject("t4k2m9")),
        ("拒绝 t4k2m9", ChatCommand::Reject("t4k2m9")),
        ("yes, run the tests", ChatCommand::Ask("yes, run the tests")),
        ("ok now explain main.rs", ChatCommand::Ask("ok now explain main.rs")),
        ("好的，运行测试", ChatCommand::Ask("好的，运行测试")),
        ("可以运行测试吗", ChatCommand::Ask("可以运行测试吗")),
        ("go on", ChatCommand::Ask("go on")),
        ("no tests are run, why", ChatCommand::Ask("no tests are run, why")),
        ("执行", ChatCommand::Ask("执行")),
        ("status", ChatCommand::Status),
        ("@dev status", ChatCommand::Status),
        ("进度", ChatCommand::Status),
        ("pair K7QM-2XHD", ChatCommand::Pair("K7QM-2XHD")),
        ("配对 K7QM2XHD", ChatCommand::Pair("K7QM2XHD")),
        ("pair", ChatCommand::Ask("pair")),
        ("", ChatCommand::Nothing),
        ("@dev", ChatCommand::Nothing),
        ("@Aside", ChatCommand::Nothing),
    ] {
        assert_eq!(ChatCommand::of(text, "@dev"), expected, "{text}");
    }
}

#[test]
fn what_one_of_several_machines_advises_begins_with_its_name() {
    let (machine, other) = (Machine::one_of_several("dev-2"), ["dev-1".to_owned()]);
    let report = |request: &str, end: StateName| {
        let mut report = ChatReport::new(&machine, request);
        report.hear(&state(end)).unwrap()
    };
    for (text, english, chinese) in [
        (report("run it", StateName::WaitingApproval), "`on dev-2: cancel t4k2m9`", ""),
        (report("运行", StateName::WaitingApproval), "", "“在 dev-2 上：取消 t4k2m9”"),
        (report("run it", StateName::Failed), "`on dev-2: retry t4k2m9`", ""),
        (report("运行", StateName::Rejected), "", "“在 dev-2 上：重试 t4k2m9”"),
        (report::received("t4k2m9", &machine, "run it"), "`on dev-2: cancel t4k2m9`", ""),
        (report::no_such("t1", &machine, &other, "cancel t1"), "`on dev-2: status` or `on dev-1: status`", ""),
        (report::too_many(8, "t1", &machine, "运行"), "", "“在 dev-2 上：取消 t1”"),
        (report::hint(&machine, "hello"), "`on dev-2: status`", ""),
    ] {
        assert!(text.contains(english) && text.contains(chinese), "{text}");
    }
}

#[test]
fn a_search_that_was_cut_off_says_so_in_the_chat() {
    let told = |request: &str| {
        let mut report = ChatReport::new(&Machine::alone("dev"), request);
        let mut offered = proposes(Proposal::SearchResults { items: Vec::new() });
        let note = "not everything was looked at: it took longer than 15 seconds";
        if let EventKind::TaskProposal(offered) = &mut offered.what {
            offered.result.details = Some(format!("Nothing was found.\n\n- {note}\n- `src/a.rs`\n"));
        }
        report.hear(&offered);
        report.hear(&state(StateName::Completed)).unwrap()
    };
    let english = told("find it");
    assert!(english.contains("it took longer than 15 seconds") && !english.contains("src/a.rs"), "{english}");
    assert!(told("搜索它").contains("没有查看全部内容：已超过 15 秒的限制"));
}
