//! Every state with every input, and invariants that hold after any sequence of inputs.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::event::{ApprovalDigest, GatheredFiles};
use crate::proposal::{FileSummary, Proposal, RequestMeta, RequestSource, WriteConfinement};
use crate::route::intent::IntentParams;
use crate::route::{self, RouteOptions};

pub fn id() -> TaskId {
    TaskId::of("t1").unwrap()
}

pub fn request() -> UserRequest {
    UserRequest {
        source: RequestSource::LocalUi,
        thread_id: "main".to_owned(),
        from_user: None,
        text: "run the tests".to_owned(),
        meta: RequestMeta::default(),
    }
}

pub fn digest(of: char) -> ApprovalDigest {
    ApprovalDigest::of_hex(&of.to_string().repeat(64)).unwrap()
}

pub fn intent(kind: TaskKind) -> Intent {
    Intent { kind, confidence: 0.75, summary: "Run: the tests".to_owned(), params: IntentParams::default() }
}

pub fn command(cmd: &str, of: char) -> ProposalDraft {
    ProposalDraft {
        proposal: Proposal::Command {
            cmd: cmd.to_owned(),
            cwd: None,
            reason: Some("the project's tests".to_owned()),
            confine: WriteConfinement::No,
        },
        summary: format!("Run {cmd}"),
        details: None,
        digest: Some(digest(of)),
    }
}

pub fn diff(of: char) -> ProposalDraft {
    ProposalDraft {
        proposal: Proposal::Diff {
            diff_id: "d1".to_owned(),
            unified_diff: "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n".to_owned(),
            files: vec![FileSummary { path: "x".to_owned(), additions: 1, deletions: 1 }],
        },
        summary: "1 file".to_owned(),
        details: None,
        digest: Some(digest(of)),
    }
}

pub fn answer(text: &str) -> ProposalDraft {
    let proposal = Proposal::Answer { text: text.to_owned() };
    ProposalDraft { proposal, summary: "An answer".to_owned(), details: None, digest: None }
}

pub fn approval(step: u32, of: char) -> Approval {
    Approval { task_id: id(), step, digest: digest(of), by: "pts/3".to_owned() }
}

pub fn routed(kind: TaskKind) -> Input {
    Input::Routed { intent: intent(kind), scope: TaskScope::Full }
}

pub fn outcome(exit: Option<i32>) -> ActOutcome {
    ActOutcome { summary: "12 tests passed".to_owned(), exit, undo: None, next: None }
}

pub fn new() -> (Task, Vec<Effect>) {
    Task::received(id(), request(), 1).unwrap()
}

fn after(inputs: Vec<Input>) -> Task {
    inputs.into_iter().fold(new().0, |task, input| {
        let (task, done) = step(task, 2, input.clone());
        assert!(done.is_ok(), "{input:?}: {done:?}");
        task
    })
}

fn waiting_for(kind: TaskKind, draft: ProposalDraft) -> Task {
    after(vec![routed(kind), Input::Collected(GatheredFiles::default()), Input::Proposed(draft)])
}

const STATES: [StateName; 10] = [
    StateName::Received,
    StateName::Routed,
    StateName::ContextCollected,
    StateName::Proposing,
    StateName::ProposalReady,
    StateName::WaitingApproval,
    StateName::Executing,
    StateName::Completed,
    StateName::Failed,
    StateName::Rejected,
];

fn in_state(name: StateName) -> Task {
    let collected = || Input::Collected(GatheredFiles::default());
    let proposed = || Input::Proposed(command("make", 'a'));
    let proposing = || after(vec![routed(TaskKind::Run), collected()]);
    let task = match name {
        StateName::Received => after(vec![]),
        StateName::Routed => after(vec![routed(TaskKind::Run)]),
        StateName::Proposing => proposing(),
        // No task rests in these two states: a step passes through them. The table covers them all the same.
        StateName::ContextCollected => {
            let state =
                Received::anew().routed(intent(TaskKind::Run), TaskScope::Full).collected(GatheredFiles::default());
            Task { state: State::Live(OpenState::ContextCollected(state)), ..after(vec![routed(TaskKind::Run)]) }
        }
        StateName::ProposalReady => {
            let task = proposing();
            let State::Live(OpenState::Proposing(state)) = task.state.clone() else { panic!("{task:?}") };
            let mut turn = Turn { book: task.book, at: 2, cause: None, effects: Vec::new() };
            let offer = turn.offer(intent(TaskKind::Run), command("make", 'a')).unwrap();
            Task { book: turn.book, state: State::Live(OpenState::ProposalReady(state.proposed(offer))) }
        }
        StateName::WaitingApproval => waiting_for(TaskKind::Run, command("make", 'a')),
        StateName::Executing => {
            after(vec![routed(TaskKind::Run), collected(), proposed(), Input::Approved(approval(1, 'a'))])
        }
        StateName::Completed => {
            let (approved, finished) = (Input::Approved(approval(1, 'a')), Input::Finished(outcome(Some(0))));
            after(vec![routed(TaskKind::Run), collected(), proposed(), approved, finished])
        }
        StateName::Failed => after(vec![Input::Failed { reason: "no".to_owned() }]),
        StateName::Rejected => after(vec![Input::Cancelled]),
    };
    assert_eq!(task.state().name(), name);
    task
}

fn inputs() -> Vec<(&'static str, Input)> {
    vec![
        ("routed", routed(TaskKind::Run)),
        ("collected", Input::Collected(GatheredFiles::default())),
        ("piece", Input::Piece("word".to_owned())),
        ("proposed", Input::Proposed(command("make", 'a'))),
        ("approved", Input::Approved(approval(1, 'a'))),
        ("rejected", Input::Rejected { reason: None, by: None }),
        ("edited", Input::Edited(command("make test", 'b'))),
        ("output", Input::Output("line\n".to_owned())),
        ("finished", Input::Finished(outcome(Some(0)))),
        ("failed", Input::Failed { reason: "no".to_owned() }),
        ("cancelled", Input::Cancelled),
        ("retried", Input::Retried),
        ("retried privately", Input::RetriedPrivately),
        ("undone", Input::Undone { by: "pts/3".to_owned() }),
        ("restarted", Input::Restarted),
    ]
}

fn spelled(effects: &[Effect]) -> String {
    let words = effects.iter().map(|effect| match effect {
        Effect::Emit(event) => match &event.what {
            EventKind::TaskStart { .. } => "start".to_owned(),
            EventKind::TaskState(change) => wire(&change.state),
            EventKind::TaskStreamChunk { .. } => "chunk".to_owned(),
            EventKind::TaskProposal(_) => "proposal".to_owned(),
            EventKind::TaskEnd { status } => format!("end-{}", wire(status)),
        },
        Effect::Save => "save".to_owned(),
        Effect::Route => "route".to_owned(),
        Effect::Collect => "collect".to_owned(),
        Effect::Propose => "propose".to_owned(),
        Effect::Ask { step } => format!("ask-{step}"),
        Effect::Execute(order) => format!("execute-{}", order.step()),
        Effect::Stop => "stop".to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn wire(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).unwrap().as_str().unwrap().to_owned()
}

/// State, input, next state: effects. The machine refuses every pair that is not listed.
const TABLE: &str = "
    RECEIVED routed ROUTED: start ROUTED save collect
    RECEIVED failed FAILED: FAILED end-error save
    RECEIVED cancelled REJECTED: REJECTED end-rejected save stop
    RECEIVED restarted FAILED: FAILED end-error save
    ROUTED collected PROPOSING: CONTEXT_COLLECTED PROPOSING save propose
    ROUTED failed FAILED: FAILED end-error save
    ROUTED cancelled REJECTED: REJECTED end-rejected save stop
    ROUTED restarted FAILED: FAILED end-error save
    CONTEXT_COLLECTED failed FAILED: FAILED end-error save
    CONTEXT_COLLECTED cancelled REJECTED: REJECTED end-rejected save stop
    CONTEXT_COLLECTED restarted FAILED: FAILED end-error save
    PROPOSING piece PROPOSING: chunk
    PROPOSING proposed WAITING_APPROVAL: proposal PROPOSAL_READY WAITING_APPROVAL save ask-1
    PROPOSING failed FAILED: FAILED end-error save
    PROPOSING cancelled REJECTED: REJECTED end-rejected save stop
    PROPOSING restarted FAILED: FAILED end-error save
    PROPOSAL_READY failed FAILED: FAILED end-error save
    PROPOSAL_READY cancelled REJECTED: REJECTED end-rejected save
    PROPOSAL_READY restarted WAITING_APPROVAL: WAITING_APPROVAL save ask-1
    WAITING_APPROVAL approved EXECUTING: EXECUTING save execute-1
    WAITING_APPROVAL rejected REJECTED: REJECTED end-rejected save
    WAITING_APPROVAL edited WAITING_APPROVAL: proposal PROPOSAL_READY WAITING_APPROVAL save ask-2
    WAITING_APPROVAL failed FAILED: FAILED end-error save
    WAITING_APPROVAL cancelled REJECTED: REJECTED end-rejected save
    WAITING_APPROVAL restarted WAITING_APPROVAL: WAITING_APPROVAL save ask-1
    EXECUTING output EXECUTING: chunk
    EXECUTING finished COMPLETED: COMPLETED end-ok save
    EXECUTING failed FAILED: FAILED end-error save
    EXECUTING cancelled EXECUTING: EXECUTING save stop
    EXECUTING restarted FAILED: FAILED end-error save
    COMPLETED retried RECEIVED: RECEIVED save route
    COMPLETED retried privately RECEIVED: RECEIVED save route
    FAILED retried RECEIVED: RECEIVED save route
    FAILED retried privately RECEIVED: RECEIVED save route
    REJECTED retried RECEIVED: RECEIVED save route
    REJECTED retried privately RECEIVED: RECEIVED save route
";

#[test]
fn every_state_says_what_every_input_does() {
    assert_eq!(spelled(&new().1), "RECEIVED save route");
    let mut found = Vec::new();
    for name in STATES {
        for (word, input) in inputs() {
            let before = in_state(name);
            let (task, done) = step(before.clone(), 3, input);
            match done {
                Ok(effects) => {
                    let (from, to) = (wire(&name), wire(&task.state().name()));
                    found.push(format!("{from} {word} {to}: {}", spelled(&effects)));
                }
                Err(refusal) => {
                    let expected = match (word, before.state()) {
                        ("undone", State::Ended(_)) => InputRefusal::NothingWritten,
                        _ => InputRefusal::NotNow { state: name },
                    };
                    assert_eq!(refusal, expected, "{word}");
                    assert_eq!(task, before, "{word}");
                }
            }
        }
    }
    let expected: Vec<&str> = TABLE.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(found, expected);
}

#[test]
fn what_only_says_something_is_completed_at_once() {
    for kind in TaskKind::ALL {
        let task = after(vec![routed(kind), Input::Collected(GatheredFiles::default())]);
        let (task, done) = step(task, 3, Input::Proposed(answer("it is so")));
        assert_eq!(spelled(&done.unwrap()), "proposal PROPOSAL_READY COMPLETED end-ok save");
        assert_eq!(task.state().name(), StateName::Completed);
    }
}

#[test]
fn a_request_that_asks_for_no_act_gets_none_proposed() {
    let acts = |kind, scope, draft| {
        let routed = Input::Routed { intent: intent(kind), scope };
        let task = after(vec![routed, Input::Collected(GatheredFiles::default())]);
        step(task, 3, Input::Proposed(draft)).0.state().name() == StateName::WaitingApproval
    };
    for kind in TaskKind::ALL {
        assert!(!acts(kind, TaskScope::Plan, command("make", 'a')));
        assert!(!acts(kind, TaskScope::Plan, diff('a')));
        let (runs, changes) = (TaskKind::Run == kind, TaskKind::Change == kind);
        let both = kind == TaskKind::Diagnose;
        assert_eq!(acts(kind, TaskScope::Full, command("make", 'a')), runs || changes || both);
        assert_eq!(acts(kind, TaskScope::Full, diff('a')), changes || both);
    }
}

#[test]
fn whoever_asks_that_nothing_be_changed_gets_a_plan() {
    let words = "how would you add a column, don't change anything";
    let route::Routed::Task(mut route) = route::route(words, &RouteOptions::default()) else { panic!() };
    (route.scope, route.held) = (TaskScope::Full, true);
    assert!(matches!(Input::routed(route), Input::Routed { scope: TaskScope::Plan, .. }));
}

#[test]
fn an_approval_fits_one_proposal_of_one_task() {
    let task = waiting_for(TaskKind::Run, command("make", 'a'));
    let refused = |task: &Task, approval: Approval| {
        let (same, done) = step(task.clone(), 3, Input::Approved(approval));
        assert_eq!(&same, task);
        done.unwrap_err()
    };
    let other = Approval { task_id: TaskId::of("t2").unwrap(), ..approval(1, 'a') };
    assert_eq!(refused(&task, other), InputRefusal::OtherTask);
    assert_eq!(refused(&task, approval(2, 'a')), InputRefusal::OtherStep { now: 1 });
    assert_eq!(refused(&task, approval(1, 'b')), InputRefusal::OtherDigest);

    let (edited, _) = step(task, 4, Input::Edited(command("make test", 'b')));
    assert_eq!(refused(&edited, approval(1, 'a')), InputRefusal::OtherStep { now: 2 });
    assert_eq!(refused(&edited, approval(2, 'a')), InputRefusal::OtherDigest);
    let (running, done) = step(edited, 5, Input::Approved(approval(2, 'b')));
    let effects = done.unwrap();
    let Some(Effect::Execute(order)) = effects.last() else { panic!("{effects:?}") };
    assert_eq!(order.proposal(), &command("make test", 'b').proposal);
    assert_eq!(refused(&running, approval(2, 'b')), InputRefusal::NotNow { state: StateName::Executing });
}

#[test]
fn the_same_proposal_of_a_retry_needs_an_approval_of_its_own() {
    let task = waiting_for(TaskKind::Run, command("make", 'a'));
    let inputs = [
        Input::Approved(approval(1, 'a')),
        Input::Restarted,
        Input::Retried,
        routed(TaskKind::Run),
        Input::Collected(GatheredFiles::default()),
        Input::Proposed(command("make", 'a')),
    ];
    let task = inputs.into_iter().fold(task, |task, input| {
        let (task, done) = step(task, 3, input);
        done.unwrap();
        task
    });
    assert_eq!((task.id(), task.attempt(), task.state().name()), (&id(), 2, StateName::WaitingApproval));
    let (task, done) = step(task, 4, Input::Approved(approval(1, 'a')));
    assert_eq!(done.unwrap_err(), InputRefusal::OtherStep { now: 2 });
    assert!(step(task, 5, Input::Approved(approval(2, 'a'))).1.is_ok());
}

#[test]
fn what_cannot_be_approved_is_not_offered() {
    let bare = ProposalDraft { digest: None, ..command("make", 'a') };
    let proposing = in_state(StateName::Proposing);
    let (task, done) = step(proposing.clone(), 3, Input::Proposed(bare.clone()));
    assert_eq!((task, done.unwrap_err()), (proposing, InputRefusal::NoDigest));
    let waiting = in_state(StateName::WaitingApproval);
    for (draft, refusal) in [
        (bare, InputRefusal::NoDigest),
        (diff('b'), InputRefusal::OtherAction),
        (answer("no"), InputRefusal::OtherAction),
    ] {
        let (task, done) = step(waiting.clone(), 3, Input::Edited(draft));
        assert_eq!((&task, done.unwrap_err()), (&waiting, refusal));
    }
}

#[test]
fn a_command_that_fails_is_a_task_that_failed() {
    let (task, done) = step(in_state(StateName::Executing), 3, Input::Finished(outcome(Some(2))));
    assert_eq!(spelled(&done.unwrap()), "FAILED end-error save");
    let State::Ended(FinalState::Failed(failed)) = task.state() else { panic!() };
    assert_eq!((failed.reason(), failed.during()), ("the command ended with exit status 2", StateName::Executing));
    let (task, _) = step(in_state(StateName::Executing), 3, Input::Finished(outcome(None)));
    assert_eq!(task.state().name(), StateName::Completed);
}

#[test]
fn what_was_taken_back_stays_completed_and_says_who_did_it() {
    let written = ActOutcome { undo: Some("7".to_owned()), ..outcome(None) };
    let task = step(waiting_for(TaskKind::Change, diff('a')), 3, Input::Approved(approval(1, 'a'))).0;
    let task = step(task, 4, Input::Finished(written)).0;
    let (task, done) = step(task, 5, Input::Undone { by: "pts/3".to_owned() });
    let effects = done.unwrap();
    assert_eq!(spelled(&effects), "COMPLETED end-ok save");
    let first = events(&effects)[0];
    let EventKind::TaskState(change) = &first.what else { panic!("{first:?}") };
    assert_eq!((first.cause, change.by.as_deref()), (Some(TransitionCause::Undone), Some("pts/3")));
    let State::Ended(FinalState::Completed(completed)) = task.state() else { panic!("{task:?}") };
    assert_eq!(completed.undone_by(), Some("pts/3"));
    let (same, done) = step(task.clone(), 6, Input::Undone { by: "page".to_owned() });
    assert_eq!((same, done.unwrap_err()), (task.clone(), InputRefusal::TakenBack));
    assert!(step(task, 6, Input::Retried).1.is_ok());
}

#[test]
fn what_runs_is_stopped_once_and_says_itself_how_it_ended() {
    let (task, _) = step(in_state(StateName::Executing), 3, Input::Cancelled);
    let (task, done) = step(task, 4, Input::Cancelled);
    assert_eq!(done.unwrap_err(), InputRefusal::Stopping);
    let (task, _) = step(task, 5, Input::Finished(outcome(Some(0))));
    assert_eq!(task.state().name(), StateName::Completed);
}

#[test]
fn everything_that_grows_has_an_end() {
    let long = UserRequest { text: "x".repeat(MAX_REQUEST), ..request() };
    assert!(matches!(Task::received(id(), long, 1), Err(InputRefusal::TooLong { .. })));

    let (task, done) = step(in_state(StateName::Proposing), 3, Input::Proposed(answer(&"x".repeat(MAX_PROPOSAL + 1))));
    assert_eq!(spelled(&done.unwrap()), "FAILED end-error save");
    assert_eq!(task.state().name(), StateName::Failed);

    let mut task = in_state(StateName::Failed);
    for _ in 1..MAX_ATTEMPTS {
        task = step(step(task, 3, Input::Retried).0, 3, Input::Cancelled).0;
    }
    assert_eq!(step(task, 3, Input::Retried).1.unwrap_err(), InputRefusal::TooManyAttempts);

    let mut task = in_state(StateName::WaitingApproval);
    for _ in 1..MAX_STEPS {
        let (next, done) = step(task, 3, Input::Edited(command("make", 'b')));
        done.unwrap();
        task = next;
    }
    assert_eq!(step(task, 3, Input::Edited(command("make", 'b'))).1.unwrap_err(), InputRefusal::TooManySteps);

    let reason = "ä".repeat(MAX_MESSAGE);
    let (task, _) = step(in_state(StateName::Routed), 3, Input::Failed { reason });
    let State::Ended(FinalState::Failed(failed)) = task.state() else { panic!() };
    assert!(failed.reason().len() <= MAX_MESSAGE && failed.reason().ends_with("ä…"));
}

#[test]
fn a_stream_is_cut_where_it_gets_too_long_and_says_so() {
    let task = in_state(StateName::Executing);
    // One odd byte first, so that no two-byte letter ends exactly at the cap.
    let text = format!("x{}", "é".repeat(MAX_STREAMED));
    let (task, done) = step(task, 3, Input::Output(text.clone()));
    let effects = done.unwrap();
    let chunks: String = effects.iter().filter_map(chunk).collect();
    assert!(text.starts_with(&chunks) && chunks.len() > MAX_STREAMED - 4 && chunks.len() <= MAX_STREAMED);
    assert!(effects.iter().filter_map(chunk).all(|chunk| chunk.len() <= MAX_CHUNK));
    assert!(spelled(&effects).ends_with("chunk chunk EXECUTING"));
    let (task, done) = step(task, 4, Input::Output("more".to_owned()));
    assert_eq!(done.unwrap(), []);
    let (task, _) = step(task, 4, Input::Finished(outcome(Some(0))));
    assert_eq!(task.state().name(), StateName::Completed);

    let mut task = in_state(StateName::Executing);
    let first = task.seq();
    for _ in 0..=MAX_CHUNKS {
        task = step(task, 3, Input::Output(".".to_owned())).0;
    }
    assert_eq!(task.seq(), first + u64::from(MAX_CHUNKS) + 1);
}

fn chunk(effect: &Effect) -> Option<&str> {
    match effect {
        Effect::Emit(event) => match &event.what {
            EventKind::TaskStreamChunk { chunk, .. } => Some(chunk),
            _ => None,
        },
        _ => None,
    }
}

/// What a test does to a task: an input that fits the state, or any input.
#[derive(Clone, Debug)]
pub enum Move {
    Fits(u8),
    Is(Input),
}

fn fitting(task: &Task, choice: u8) -> Input {
    match task.state() {
        State::Live(OpenState::Received(_)) => {
            let kinds = [TaskKind::Run, TaskKind::Change, TaskKind::Diagnose, TaskKind::Explain];
            routed(kinds[usize::from(choice) % kinds.len()])
        }
        State::Live(OpenState::Routed(_)) => Input::Collected(GatheredFiles { files: vec!["x".to_owned()], bytes: 3 }),
        State::Live(OpenState::Proposing(_)) => match choice % 5 {
            0 => Input::Piece("some words".to_owned()),
            1 => Input::Proposed(answer("so it is")),
            2 => Input::Proposed(diff('b')),
            _ => Input::Proposed(command("make", 'a')),
        },
        State::Live(OpenState::WaitingApproval(waiting)) => {
            let (step, digest) = (waiting.acting().step(), waiting.acting().digest().clone());
            let other = self::digest('c');
            let fits = Approval { task_id: id(), step, digest, by: "pts/3".to_owned() };
            match choice % 8 {
                0 => Input::Edited(command("make test", 'b')),
                1 => Input::Restarted,
                // One of the three fields is wrong.
                2 => Input::Approved(Approval { task_id: TaskId::of("t2").unwrap(), ..fits }),
                3 => Input::Approved(Approval { step: step - 1, ..fits }),
                4 => Input::Approved(Approval { digest: other, ..fits }),
                _ => Input::Approved(fits),
            }
        }
        State::Live(OpenState::Executing(_)) => match choice % 3 {
            0 => Input::Output("a line\n".to_owned()),
            1 => Input::Finished(outcome(Some(i32::from(choice % 2)))),
            _ => Input::Restarted,
        },
        State::Live(OpenState::ContextCollected(_) | OpenState::ProposalReady(_)) => panic!("no task rests there"),
        State::Ended(_) if choice.is_multiple_of(3) => Input::Undone { by: "pts/3".to_owned() },
        State::Ended(_) => Input::Retried,
    }
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![".{0,12}", any::<String>(), Just("é".repeat(MAX_CHUNK))]
}

fn any_draft() -> impl Strategy<Value = ProposalDraft> {
    let digest = prop::option::of(prop::sample::select(vec!['a', 'b', 'c']).prop_map(digest));
    let proposal = prop_oneof![
        any_text().prop_map(|text| Proposal::Answer { text }),
        any_text().prop_map(|text| Proposal::Plan { text }),
        any_text().prop_map(|cmd| Proposal::Command { cmd, cwd: None, reason: None, confine: WriteConfinement::No }),
        Just(diff('a').proposal),
    ];
    (proposal, any_text(), prop::option::of(any_text()), digest)
        .prop_map(|(proposal, summary, details, digest)| ProposalDraft { proposal, summary, details, digest })
}

fn any_input() -> impl Strategy<Value = Input> {
    let approval = (prop::sample::select(vec!["t1", "t2"]), 0..4u32, prop::sample::select(vec!['a', 'b', 'c']))
        .prop_map(|(task, step, of)| Approval { task_id: TaskId::of(task).unwrap(), ..approval(step, of) });
    prop_oneof![
        (prop::sample::select(TaskKind::ALL.to_vec()), any::<f32>(), any_text(), any::<bool>()).prop_map(
            |(kind, confidence, summary, plan)| Input::Routed {
                intent: Intent { kind, confidence, summary, params: IntentParams::default() },
                scope: if plan { TaskScope::Plan } else { TaskScope::Full },
            }
        ),
        prop::collection::vec(any_text(), 0..12)
            .prop_map(|files| Input::Collected(GatheredFiles { bytes: files.len(), files })),
        any_text().prop_map(Input::Piece),
        any_draft().prop_map(Input::Proposed),
        approval.prop_map(Input::Approved),
        prop::option::of(any_text()).prop_map(|reason| Input::Rejected { by: reason.clone(), reason }),
        any_draft().prop_map(Input::Edited),
        any_text().prop_map(Input::Output),
        (any_text(), any::<Option<i32>>(), prop::option::of(any_text()))
            .prop_map(|(summary, exit, undo)| Input::Finished(ActOutcome { summary, exit, undo, next: None })),
        any_text().prop_map(|reason| Input::Failed { reason }),
        Just(Input::Cancelled),
        Just(Input::Retried),
        Just(Input::RetriedPrivately),
        any_text().prop_map(|by| Input::Undone { by }),
        Just(Input::Restarted),
    ]
}

pub fn any_moves() -> impl Strategy<Value = Vec<Move>> {
    let fits = any::<u8>().prop_map(Move::Fits);
    prop::collection::vec(prop_oneof![3 => fits, 2 => any_input().prop_map(Move::Is)], 0..40)
}

impl Move {
    pub fn input(self, task: &Task) -> Input {
        match self {
            Self::Fits(choice) => fitting(task, choice),
            Self::Is(input) => input,
        }
    }
}

pub fn events(effects: &[Effect]) -> Vec<&Event> {
    let told = effects.iter().filter_map(|effect| match effect {
        Effect::Emit(event) => Some(&**event),
        _ => None,
    });
    told.collect()
}

/// Invariants of every step: event numbers have no gaps, and an action comes only after a `Save`.
fn assert_in_order(before: u64, after: &Task, effects: &[Effect]) -> Result<(), TestCaseError> {
    let numbers: Vec<u64> = events(effects).iter().map(|event| event.seq).collect();
    prop_assert_eq!(&numbers, &(before + 1..=after.seq()).collect::<Vec<_>>());
    prop_assert!(events(effects).iter().skip(1).all(|event| event.cause.is_none()));
    let acts = effects.iter().position(|effect| !matches!(effect, Effect::Emit(_) | Effect::Save));
    if let Some(acts) = acts {
        let (told, act) = effects.split_at(acts);
        prop_assert!(matches!(told.last(), Some(Effect::Save)), "{:?}", effects);
        prop_assert_eq!(act.len(), 1);
    }
    Ok(())
}

proptest! {
    #[test]
    fn nothing_runs_without_an_approval_of_exactly_that(moves in any_moves()) {
        let (mut task, _) = new();
        // The last proposal, and the steps that ran, each with its digest.
        let mut offered: Option<(u32, Option<ApprovalDigest>, Proposal)> = None;
        let mut ran = BTreeSet::new();
        for next in moves {
            let input = next.input(&task);
            let before = task.clone();
            let (after, done) = step(task, 3, input.clone());
            task = after;
            let effects = match done {
                Ok(effects) => effects,
                Err(_) => {
                    prop_assert_eq!(&task, &before);
                    continue;
                }
            };
            assert_in_order(before.seq(), &task, &effects)?;
            if let State::Ended(_) = before.state() {
                let undone = matches!(&input, Input::Undone { .. });
                prop_assert!(undone || matches!(input, Input::Retried | Input::RetriedPrivately), "{:?}", input);
                prop_assert_eq!(task.attempt(), before.attempt() + u32::from(!undone));
            } else {
                prop_assert_eq!(task.attempt(), before.attempt());
            }
            for event in events(&effects) {
                if let EventKind::TaskProposal(told) = &event.what {
                    offered = Some((told.step, told.digest.clone(), told.result.proposal.clone()));
                }
            }
            let orders: Vec<&Order> = effects.iter().filter_map(|effect| match effect {
                Effect::Execute(order) => Some(order),
                _ => None,
            }).collect();
            prop_assert!(orders.len() <= 1);
            for order in orders {
                let Input::Approved(approval) = &input else { panic!("{input:?} ran {order:?}") };
                prop_assert_eq!(&approval.task_id, order.task_id());
                prop_assert_eq!(&approval.task_id, before.id());
                prop_assert_eq!(approval.step, order.step());
                prop_assert_eq!(&approval.digest, order.digest());
                prop_assert_eq!(before.state().name(), StateName::WaitingApproval);
                let shown = Some((order.step(), Some(order.digest().clone()), order.proposal().clone()));
                prop_assert_eq!(&shown, &offered);
                prop_assert!(ran.insert(order.step()), "{} ran twice", order.step());
            }
        }
    }
}
