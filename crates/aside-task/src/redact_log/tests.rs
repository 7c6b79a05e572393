//! Streams, inputs and rewritten logs hold no secret, and a rewritten log still replays.

use super::*;
use crate::effect::Effect;
use crate::event::{ApprovalDigest, GatheredFiles, TaskId};
use crate::machine::{Task, step};
use crate::proposal::RequestMeta;
use crate::route::TaskScope;
use crate::route::intent::TaskKind;

const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

fn streamed(hold: Hold, pieces: &[&str]) -> String {
    let mut stream = Stream::new(hold);
    let mut out: String = pieces.iter().map(|piece| stream.push(piece)).collect();
    out.push_str(&stream.rest());
    out
}

#[test]
fn a_stream_without_secrets_comes_out_as_it_went_in() {
    let text = "Compiling a v1\r 10%\r100%\n\nüñí ok\nno newline at the end";
    for hold in [Hold::Line, Hold::Word] {
        for size in 1..9 {
            let chars: Vec<char> = text.chars().collect();
            let pieces: Vec<String> = chars.chunks(size).map(|piece| piece.iter().collect()).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            assert_eq!(streamed(hold, &pieces), text);
        }
    }
}

#[test]
fn a_secret_is_found_wherever_the_pieces_are_cut() {
    let key = format!(
        "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n",
        "MIIEvQIBADANBgkqhkiG9w0B\n".repeat(20)
    );
    let text = format!("one\nDB_PASSWORD=hunter2-and-more\ntoken {TOKEN} here\n{key}last\n");
    for hold in [Hold::Line, Hold::Word] {
        for size in [1, 2, 3, 7, 40, 4000] {
            let pieces: Vec<&str> =
                text.as_bytes().chunks(size).map(|piece| std::str::from_utf8(piece).unwrap()).collect();
            let out = streamed(hold, &pieces);
            for secret in ["hunter2", "ghp_0123", "MIIEvQ"] {
                assert!(!out.contains(secret), "{hold:?} {size}: {out}");
            }
            assert!(
                out.starts_with("one\nDB_PASSWORD=[redacted]") && out.ends_with("last\n"),
                "{hold:?} {size}: {out}"
            );
        }
    }
}

#[test]
fn a_line_that_never_ends_is_given_out_at_last() {
    let mut stream = Stream::new(Hold::Line);
    let mut given = 0;
    for _ in 0..100 {
        given += stream.push(&"x ".repeat(1024)).len();
        assert!(stream.held.len() <= MAX_HELD + 2048 && stream.before.len() <= CONTEXT + MAX_HELD + 2048);
    }
    assert!(given > 0);
}

/// A complete task, with a secret in every text field.
fn events(clean: bool) -> (String, Task) {
    let secret = |what: &str| format!("{what} {TOKEN}");
    let meta = RequestMeta { selection: secret("sel"), diagnostics: secret("dia"), ..RequestMeta::default() };
    let raw = UserRequest { text: secret("do"), meta, ..UserRequest::default() };
    let raw = if clean { request(raw) } else { raw };
    let (mut task, mut told) = Task::received(TaskId::of("t1").unwrap(), raw, 1).unwrap();
    let params = IntentParams { cmd: Some(secret("echo")), ..IntentParams::default() };
    let digest = ApprovalDigest::of_hex(&"a".repeat(64)).unwrap();
    let approval = crate::event::Approval {
        task_id: TaskId::of("t1").unwrap(),
        step: 1,
        digest: digest.clone(),
        by: "me".to_owned(),
    };
    let proposal =
        Proposal::Command { cmd: secret("echo"), cwd: None, reason: Some(secret("as")), confine: Default::default() };
    let (first, second) = TOKEN.split_at(10);
    for given in [
        Input::Routed {
            intent: Intent { kind: TaskKind::Run, confidence: 1.0, summary: secret("run"), params },
            scope: TaskScope::Full,
        },
        Input::Collected(GatheredFiles::default()),
        Input::Piece(secret("so")),
        Input::Proposed(ProposalDraft {
            proposal,
            summary: secret("s"),
            details: Some(secret("d")),
            digest: Some(digest),
        }),
        Input::Approved(approval),
        Input::Output(format!("one {first}")),
        Input::Output(format!("{second}\ntwo\n")),
        Input::Finished(ActOutcome { summary: secret("ended"), exit: Some(1), undo: None, next: None }),
    ] {
        let (next, effects) = step(task, 2, if clean { input(given) } else { given });
        task = next;
        told.extend(effects.unwrap());
    }
    let lines = told.iter().filter_map(|effect| match effect {
        Effect::Emit(event) => Some(log::line(event)),
        _ => None,
    });
    (lines.collect(), task)
}

#[test]
fn no_input_brings_a_secret_into_the_log() {
    let (log, _) = events(true);
    let rest: Vec<&str> = log.lines().filter(|line| line.contains("ghp_")).collect();
    // A `Stream` redacts streamed text before it becomes an input.
    assert!(rest.iter().all(|line| line.contains("task_stream_chunk")), "{rest:#?}");
}

#[test]
fn an_old_log_is_cleaned_and_still_replays_to_the_same_state() {
    let (old, task) = events(false);
    let cleaned = super::log(old.as_bytes()).unwrap();
    let text = String::from_utf8(cleaned.bytes.clone()).unwrap();
    assert!(!text.contains(&TOKEN[10..]) && !text.contains("ghp_"), "{text}");
    assert!(cleaned.lines >= 7, "{}", cleaned.lines);
    let replayed = log::replay(&cleaned.bytes).unwrap().unwrap();
    assert_eq!((replayed.task.seq(), replayed.task.step()), (task.seq(), task.step()));
    assert_eq!(replayed.missing, []);
    assert_eq!(super::log(&cleaned.bytes), None, "cleaning again changes nothing");
}
