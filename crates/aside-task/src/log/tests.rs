//! A replay rebuilds the task wherever the log ends, and reports what is wrong with a damaged log.

use proptest::prelude::*;

use super::*;
use crate::event::{ApprovalDigest, GatheredFiles};
use crate::input::{MAX_ATTEMPTS, MAX_STEPS};
use crate::machine::tests::{any_moves, approval, command, diff, digest, events, intent, new, outcome, routed};
use crate::machine::{
    MAX_CHUNK, MAX_CHUNKS, MAX_EVENTS, MAX_MESSAGE, MAX_PROPOSAL, MAX_PROPOSED, MAX_REQUEST, MAX_STREAMED,
};
use crate::proposal::Proposal;
use crate::route::TaskScope;
use crate::route::intent::TaskKind;
use crate::state::StateName;

const DOCUMENT: &str = include_str!("../../../../docs/task.md");

/// A recorded task: the log after each step, and the task at that point.
struct Life {
    log: String,
    moments: Vec<(usize, Task)>,
}

impl Life {
    fn begin() -> Self {
        let (task, effects) = new();
        let log = written(&effects);
        Self { moments: vec![(log.len(), task)], log }
    }

    fn task(&self) -> &Task {
        &self.moments.last().unwrap().1
    }

    fn take(&mut self, at: u64, input: Input) {
        let (task, done) = step(self.task().clone(), at, input);
        if let Ok(effects) = done {
            self.log.push_str(&written(&effects));
        }
        self.moments.push((self.log.len(), task));
    }

    fn of(inputs: Vec<Input>) -> Self {
        let mut life = Self::begin();
        for (at, input) in (2..).zip(inputs) {
            life.take(at, input);
        }
        life
    }
}

fn written(effects: &[Effect]) -> String {
    events(effects).into_iter().map(line).collect()
}

/// A task that is edited once, approved and run.
fn long() -> Life {
    Life::of(vec![
        routed(TaskKind::Run),
        Input::Collected(GatheredFiles { files: vec!["Makefile".to_owned()], bytes: 812 }),
        Input::Piece("The Makefile has ".to_owned()),
        Input::Piece("a target for that.".to_owned()),
        Input::Proposed(command("make", 'a')),
        Input::Edited(command("make test", 'b')),
        Input::Approved(approval(2, 'b')),
        Input::Output("12 passed\n".to_owned()),
        Input::Finished(outcome(Some(0))),
    ])
}

/// A task that wrote something and was undone.
fn undone() -> Life {
    Life::of(vec![
        routed(TaskKind::Change),
        Input::Collected(GatheredFiles::default()),
        Input::Proposed(diff('a')),
        Input::Approved(approval(1, 'a')),
        Input::Finished(crate::event::ActOutcome { undo: Some("7".to_owned()), ..outcome(None) }),
        Input::Undone { by: "pts/3".to_owned() },
    ])
}

#[test]
fn that_something_was_taken_back_is_in_the_log() {
    let life = undone();
    let last: Vec<&str> = life.log.lines().rev().take(2).collect();
    assert!(
        last[1].contains(r#""state":"COMPLETED","message":"what it wrote was taken back","by":"pts/3""#),
        "{last:?}"
    );
    assert!(last[1].contains(r#""cause":"undone""#) && last[0].starts_with(r#"{"type":"task_end""#), "{last:?}");
    assert_eq!(&replay(life.log.as_bytes()).unwrap().unwrap().task, life.task());
    // A log from before this event existed still replays.
    let before = life.log.lines().count() - 2;
    let old: String = life.log.split_inclusive('\n').take(before).collect();
    assert!(replay(old.as_bytes()).unwrap().is_some());
}

#[test]
fn a_log_ends_anywhere_and_is_still_read() {
    let life = long();
    for end in 0..=life.log.len() {
        let log = &life.log.as_bytes()[..end];
        let whole = log.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        let replayed = replay(log).unwrap();
        let Some(Replayed { task, good, missing }) = replayed else {
            assert_eq!(whole, 0);
            continue;
        };
        assert_eq!(good, whole);
        // Replay completes the step that was cut off, and returns its missing events for the caller to append.
        let (until, lived) = life.moments.iter().find(|(until, _)| *until >= whole).unwrap();
        assert_eq!(&task, lived);
        let rest: String = missing.iter().map(line).collect();
        assert_eq!(rest, life.log[whole..*until]);
    }
}

#[test]
fn blocks_of_zeros_at_the_end_were_never_written() {
    let life = long();
    let log = [life.log.as_bytes(), &[0; 4096]].concat();
    let replayed = replay(&log).unwrap().unwrap();
    assert_eq!((&replayed.task, replayed.good), (life.task(), life.log.len()));
    assert_eq!(replay(&[0; 512]), Ok(None));
}

/// What replay reports after the lines of `long` were changed, and how many lines it keeps.
fn told(change: impl FnOnce(&mut Vec<String>)) -> String {
    let life = long();
    let mut lines: Vec<String> = life.log.lines().map(str::to_owned).collect();
    change(&mut lines);
    let log = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let damage = replay(log.as_bytes()).unwrap_err();
    let good = lines[..damage.line - 1].iter().map(|line| format!("{line}\n")).collect::<String>();
    assert_eq!(damage.kept.as_deref(), replay(good.as_bytes()).unwrap().as_ref());
    damage.to_string()
}

#[test]
fn what_is_wrong_with_a_log_is_told_and_its_good_beginning_kept() {
    insta::assert_snapshot!(told(|lines| drop(lines.remove(0))), @"line 1: event 2 is where 1 has to be");
    insta::assert_snapshot!(told(|lines| drop(lines.remove(3))), @"line 4: event 5 is where 4 has to be");
    insta::assert_snapshot!(told(|lines| lines.insert(5, lines[4].clone())), @"line 6: event 5 is where 6 has to be");
    insta::assert_snapshot!(told(|lines| lines.swap(1, 2)), @"line 2: event 3 is where 2 has to be");
    insta::assert_snapshot!(told(|lines| lines[6].truncate(40)), @"line 7: not an event: EOF while parsing a value at line 1 column 40");
    insta::assert_snapshot!(told(|lines| lines[2] = String::new()), @"line 3: not an event: EOF while parsing a value at line 1 column 0");
    insta::assert_snapshot!(told(|lines| lines[0] = lines[0].replace("\"v\":1", "\"v\":2")), @"line 1: it has format 2, this aside reads 1");
    // An approval of another digest, or of another step.
    insta::assert_snapshot!(told(|lines| replace(lines, "approved", &"b".repeat(64), &"a".repeat(64))), @"line 14: event 14 cannot happen: that is not what is proposed; look at the proposal again");
    insta::assert_snapshot!(told(|lines| replace(lines, "approved", "\"step\":2", "\"step\":1")), @"line 14: event 14 cannot happen: proposal 2 is shown by now; look at it and approve that");
    insta::assert_snapshot!(told(|lines| replace(lines, "approved", "\"taskId\":\"t1\"", "\"taskId\":\"t2\"")), @"line 14: event 14 cannot happen: that approval is for another task");
    insta::assert_snapshot!(told(|lines| replace(lines, "task_end", "\"ok\"", "\"rejected\"")), @"line 17: event 17 does not follow from those before it");
    insta::assert_snapshot!(told(|lines| replace(lines, "cause\":\"proposed", "\"step\":1", "\"step\":7")), @"line 8: event 8 does not follow from those before it");
    insta::assert_snapshot!(told(|lines| replace(lines, "cause\":\"proposed", "local_approval", "none")), @"line 8: event 8 does not follow from those before it");
    insta::assert_snapshot!(told(|lines| replace(lines, "cause\":\"finished", "finished", "received")), @"line 16: event 16 is not the first of any step");
    insta::assert_snapshot!(told(|lines| replace(lines, "cause\":\"finished", "finished", "retried")), @"line 16: event 16 cannot happen: the task is being carried out");
}

fn replace(lines: &mut [String], having: &str, from: &str, to: &str) {
    let line = lines.iter_mut().find(|line| line.contains(having)).unwrap();
    assert!(line.contains(from), "{line}");
    *line = line.replace(from, to);
}

#[test]
fn whoever_comes_late_gets_the_rest() {
    let life = long();
    let all: Vec<&str> = life.log.lines().collect();
    let torn = format!("{}{{\"type\":\"task_sta", life.log);
    for seen in 0..=all.len() + 1 {
        let rest: Vec<&[u8]> = since(torn.as_bytes(), seen as u64).collect();
        let expected: Vec<&[u8]> = all.iter().skip(seen).map(|line| line.as_bytes()).collect();
        assert_eq!(rest, expected);
        assert!(rest.first().is_none_or(|line| read(line).unwrap().seq == seen as u64 + 1));
    }
}

#[test]
fn a_daemon_that_died_asks_again_and_runs_nothing_again() {
    let began = || {
        vec![routed(TaskKind::Run), Input::Collected(GatheredFiles::default()), Input::Proposed(command("make", 'a'))]
    };
    let restarted = |inputs: Vec<Input>| {
        let life = Life::of(inputs);
        let task = replay(life.log.as_bytes()).unwrap().unwrap().task;
        let (task, done) = step(task, 9, Input::Restarted);
        let acts = done.unwrap().into_iter().filter(|effect| !matches!(effect, Effect::Emit(_) | Effect::Save));
        (task.state().name(), acts.collect::<Vec<_>>())
    };
    assert_eq!(restarted(began()), (StateName::WaitingApproval, vec![Effect::Ask { step: 1 }]));
    let ran = [began(), vec![Input::Approved(approval(1, 'a'))]].concat();
    assert_eq!(restarted(ran), (StateName::Failed, vec![]));
    assert_eq!(restarted(began()[..2].to_vec()), (StateName::Failed, vec![]));
}

#[test]
fn a_stream_to_its_end_is_read_again() {
    let mut life = Life::of(vec![
        Input::Routed { intent: intent(TaskKind::Diagnose), scope: TaskScope::Full },
        Input::Collected(GatheredFiles::default()),
    ]);
    life.take(3, Input::Piece(format!("x{}", "é".repeat(MAX_STREAMED))));
    life.take(4, Input::Piece("more".to_owned()));
    life.take(5, Input::Proposed(diff('c')));
    let replayed = replay(life.log.as_bytes()).unwrap().unwrap();
    assert_eq!((&replayed.task, replayed.good), (life.task(), life.log.len()));
    assert_eq!(replayed.task.state().name(), StateName::WaitingApproval);
}

#[test]
fn as_many_chunks_as_there_can_be_are_read_again() {
    let mut life = Life::of(vec![routed(TaskKind::Explain), Input::Collected(GatheredFiles::default())]);
    for at in 0..=u64::from(MAX_CHUNKS) {
        life.take(at, Input::Piece("word ".to_owned()));
    }
    assert_eq!(life.task().seq(), 5 + u64::from(MAX_CHUNKS) + 1);
    let replayed = replay(life.log.as_bytes()).unwrap().unwrap();
    assert_eq!((&replayed.task, replayed.good), (life.task(), life.log.len()));
}

#[test]
fn any_bytes_are_an_event_or_told() {
    for strange in ["", "{}", "[]", "null", "{\"v\":1}", "{\"v\":1,\"type\":\"task_end\",\"status\":\"ok\"}", "\u{0}"] {
        assert!(read(strange.as_bytes()).is_err());
    }
    assert!(ApprovalDigest::of_hex(&"A".repeat(64)).is_none() && ApprovalDigest::of_hex("ab").is_none());
    assert_eq!(digest('a').as_str(), "a".repeat(64));
}

proptest! {
    #[test]
    fn a_log_gives_the_task_back_as_it_lived(moves in any_moves()) {
        let mut life = Life::begin();
        for (at, next) in (2..).zip(moves) {
            let input = next.input(life.task());
            life.take(at, input);
        }
        for (until, lived) in &life.moments {
            let replayed = replay(&life.log.as_bytes()[..*until]).unwrap().unwrap();
            prop_assert_eq!(&replayed.task, lived);
            prop_assert_eq!((replayed.good, replayed.missing), (*until, vec![]));
        }
        let numbers: Vec<u64> = life.log.lines().map(|line| read(line.as_bytes()).unwrap().seq).collect();
        prop_assert_eq!(numbers, (1..=life.task().seq()).collect::<Vec<_>>());
    }

    #[test]
    fn no_bytes_make_reading_panic(bytes in any::<Vec<u8>>(), at in any::<prop::sample::Index>(), flip in 1..=255u8) {
        let _ = replay(&bytes);
        let mut log = long().log.into_bytes();
        let index = at.index(log.len());
        log[index] ^= flip;
        // A replay does not notice changed words in a text, but it loses nothing before them.
        let kept = match replay(&log) {
            Ok(replayed) => replayed,
            Err(damage) => damage.kept.map(|kept| *kept),
        };
        let whole = log[..index].iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        prop_assert!(kept.map_or(0, |kept| kept.good) >= whole);
    }
}

#[test]
fn the_document_shows_a_real_log() {
    let block = DOCUMENT.split("```jsonl\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let log: String = block.lines().filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect();
    assert_eq!(log, long().log, "write this into docs/task.md:\n{}", long().log);
    let shown: Vec<&str> = DOCUMENT.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let kinds: Vec<&str> = shown
        .iter()
        .map(|example| {
            let event = read(example.as_bytes()).unwrap();
            let again = serde_json::to_value(&event).unwrap();
            assert_eq!(again, serde_json::from_str::<serde_json::Value>(example).unwrap());
            match event.what {
                EventKind::TaskStart { .. } => "task_start",
                EventKind::TaskState(_) => "task_state",
                EventKind::TaskStreamChunk { .. } => "task_stream_chunk",
                EventKind::TaskProposal(_) => "task_proposal",
                EventKind::TaskEnd { .. } => "task_end",
            }
        })
        .collect();
    assert_eq!(kinds, ["task_start", "task_state", "task_stream_chunk", "task_proposal", "task_end"]);
}

#[test]
fn the_document_has_every_shape_of_a_proposal() {
    let block = DOCUMENT.split("```json proposal\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let proposals: Vec<Proposal> = block.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (line, proposal) in block.lines().zip(&proposals) {
        assert_eq!(serde_json::to_string(proposal).unwrap(), line);
    }
    let kinds = proposals.iter().map(|proposal| match proposal {
        Proposal::Plan { .. } => "plan",
        Proposal::Answer { .. } => "answer",
        Proposal::SearchResults { .. } => "search_results",
        Proposal::Diff { .. } => "diff",
        Proposal::Command { .. } => "command",
    });
    assert_eq!(kinds.collect::<Vec<_>>(), ["plan", "answer", "search_results", "diff", "command"]);
}

#[test]
fn the_document_has_the_caps_of_the_code() {
    let caps = [
        ("MAX_REQUEST", MAX_REQUEST as u64),
        ("MAX_CHUNK", MAX_CHUNK as u64),
        ("MAX_STREAMED", MAX_STREAMED as u64),
        ("MAX_CHUNKS", u64::from(MAX_CHUNKS)),
        ("MAX_PROPOSAL", MAX_PROPOSAL as u64),
        ("MAX_PROPOSED", MAX_PROPOSED as u64),
        ("MAX_STEPS", u64::from(MAX_STEPS)),
        ("MAX_ATTEMPTS", u64::from(MAX_ATTEMPTS)),
        ("MAX_EVENTS", MAX_EVENTS),
        ("MAX_MESSAGE", MAX_MESSAGE as u64),
        ("MAX_LINE", MAX_LINE as u64),
        ("MAX_BYTES", MAX_BYTES as u64),
    ];
    for (name, value) in caps {
        let row = format!("| `{name}` | {value} |");
        assert!(DOCUMENT.contains(&row), "docs/task.md lacks {row}");
    }
}
