//! Search over the tiny model: what the beams are, what a callback forbids, when it stops.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use aside_reader::search::{END, Found, Next, Reader, Search, Step, Stopped};

use crate::tiny::reader;

fn search(beams: usize, tokens: usize) -> Search<'static> {
    Search { beams, answers: beams, tokens, deadline: None, cancel: None }
}

fn run(reader: &mut Reader, beams: usize, tokens: usize) -> Found {
    reader.search("# list files\n$", &search(beams, tokens), &mut |_| true).unwrap()
}

fn close(one: f32, other: f32) -> bool {
    (one - other).abs() < 1e-3
}

#[test]
fn a_batch_gives_the_logits_of_single_steps_on_any_number_of_threads() {
    let whole = reader(1).logits("# the ls\n$ ls -l").unwrap();
    let mut other = reader(3);
    assert_eq!(whole, other.logits("# the ls\n$ ls -l").unwrap());
    for text in ["#", "# the", "# the ls\n$"] {
        let part = other.logits(text).unwrap();
        assert_eq!(part[..], whole[..part.len()], "{text}");
    }
}

#[test]
fn the_scores_are_those_of_the_logits() {
    let mut reader = reader(2);
    let found = run(&mut reader, 4, 24);
    for answer in &found.answers {
        assert!(close(answer.score, answer.log_probabilities.iter().sum()));
        assert_eq!(answer.log_probabilities.len(), answer.tokens.len() + 1);
        assert_eq!(answer.text, reader.model().tokenizer().decode(&answer.tokens));
    }
    assert!(found.answers.is_sorted_by(|one, other| one.score >= other.score));
    // The steps of the search, redone as one prompt.
    let mut five_printable = |step: &Step| match step.next {
        Next::Token { bytes, .. } => step.tokens.len() < 5 && bytes.len() == 1 && bytes[0].is_ascii_punctuation(),
        Next::End => step.tokens.len() == 5,
    };
    let found = reader.search("#", &search(1, 8), &mut five_printable);
    let answer = found.unwrap().answers.remove(0);
    let mut text = "#".to_owned();
    for (token, expected) in answer.tokens.iter().chain(&[END]).zip(&answer.log_probabilities) {
        let logits = reader.logits(&text).unwrap().pop().unwrap();
        let sum: f32 = logits.iter().map(|logit| logit.exp()).sum();
        assert!(close(logits[*token as usize] - sum.ln(), *expected));
        text += &reader.model().tokenizer().decode(&[*token]);
    }
}

#[test]
fn more_beams_find_nothing_worse() {
    let mut reader = reader(2);
    let score = |found: &Found| found.answers.first().map_or(f32::NEG_INFINITY, |answer| answer.score);
    let one = run(&mut reader, 1, 64);
    let eight = run(&mut reader, 8, 64);
    assert!(score(&eight) >= score(&one));
    assert!(eight.answers.len() <= 8);
    assert_eq!(run(&mut reader, 8, 64), eight);
}

#[test]
fn a_search_for_fewer_answers_finds_none_worse() {
    let mut reader = reader(2);
    // The end is not likely to random weights.
    let mut short = |step: &Step| step.tokens.len() < 6 || step.next == Next::End;
    let all = reader.search("# list", &search(6, 20), &mut short).unwrap();
    assert_eq!(all.answers.len(), 6);
    for answers in 1..6 {
        let fewer = reader.search("# list", &Search { answers, ..search(6, 20) }, &mut short).unwrap();
        assert_eq!(fewer.answers.len(), answers);
        assert!(fewer.answers.iter().zip(&all.answers).all(|(one, other)| one.score >= other.score));
    }
}

#[test]
fn what_the_callback_forbids_is_not_in_an_answer() {
    let mut reader = reader(2);
    let mut allows = |step: &Step| match step.next {
        Next::Token { bytes, .. } => {
            let mut text = step.text.to_vec();
            text.extend(bytes);
            b" ls -l".starts_with(&text)
        }
        Next::End => step.text == b" ls -l",
    };
    let found = reader.search("#", &search(8, 16), &mut allows).unwrap();
    assert!(found.answers.iter().all(|answer| answer.text == " ls -l"), "{found:?}");
    let found = reader.search("#", &search(4, 16), &mut |_| false).unwrap();
    assert_eq!((found.answers.len(), found.stopped), (0, Stopped::Complete));
}

#[test]
fn a_search_stops_when_it_is_told_to() {
    let mut reader = reader(2);
    let cancel = AtomicBool::new(false);
    let cancelled = Search { cancel: Some(&cancel), ..search(4, 100) };
    let mut steps = 0;
    let mut allows = |step: &Step| {
        steps = steps.max(step.tokens.len());
        cancel.store(step.tokens.len() == 3, Ordering::Relaxed);
        step.next != Next::End
    };
    let found = reader.search("# a", &cancelled, &mut allows).unwrap();
    assert_eq!((found.stopped, steps), (Stopped::Cancelled, 3));
    let late = Search { deadline: Some(Instant::now()), ..search(4, 100) };
    assert_eq!(reader.search("# a", &late, &mut |_| true).unwrap().stopped, Stopped::Deadline);
    let endless = reader.search("# a", &search(4, 9), &mut |step| step.next != Next::End).unwrap();
    assert_eq!((endless.stopped, endless.answers.len()), (Stopped::TooLong, 0));
}
