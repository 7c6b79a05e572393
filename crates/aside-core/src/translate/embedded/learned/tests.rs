//! Whether the weights are those that were taught, and what is made of them.

mod teach;

use super::*;
use crate::translate::embedded::fake::Fake;

/// `request`, tab, frame and score of the best three, as the training computed them.
const EXPECTED: &str = include_str!("../../../../data/understand/expected.tsv");

#[test]
fn scores_are_those_of_the_training() {
    let weights = ours();
    let mut rows = 0;
    for line in EXPECTED.lines().filter(|line| !line.starts_with('#')) {
        let mut parts = line.split('\t');
        let request = parts.next().unwrap_or_default();
        let scores = Fake::default().with_reading(request, |reading| {
            let heard = Heard::of(reading, weights);
            heard.scores
        });
        for best in parts {
            let (name, score) = best.split_once(' ').expect("a frame and its score");
            let (frame, score) = (weights.frame(name).expect("a frame"), score.parse::<f32>().expect("a score"));
            assert!((scores[frame] - score).abs() < 2e-3, "{request}: {name} {} instead of {score}", scores[frame]);
        }
        rows += 1;
    }
    assert!(rows >= 40, "{rows}");
}

#[test]
fn weights_that_are_cut_off_are_none() {
    for end in [0, 7, 8, 20, 200, BYTES.len() / 2, BYTES.len() - 1] {
        assert!(Weights::parse(&BYTES[..end]).is_none(), "{end}");
    }
}

#[test]
fn every_rule_has_a_frame_and_every_frame_a_rule() {
    let weights = ours();
    let rules: Vec<&str> = crate::translate::embedded::BOOK.rules.iter().map(|rule| rule.name).collect();
    let others = [NONE, "files", "text"];
    let unknown: Vec<_> =
        weights.frames().iter().filter(|frame| !rules.contains(frame) && !others.contains(frame)).collect();
    assert!(unknown.is_empty(), "run make teach-understand: {unknown:?}");
}

#[test]
fn what_the_rules_have_no_words_for_is_read_by_likeness() {
    let machine = Fake::default();
    for (words, command) in [
        ("which programs are eating all my ram", "--sort=-%mem"),
        ("did any services fail?", "systemctl --failed"),
        ("i'm curious, how long has this box been up for", "uptime"),
    ] {
        let found = machine.answers(words);
        assert!(found.iter().any(|answer| answer.command.contains(command)), "{words}: {found:?}");
    }
}

#[test]
fn a_word_that_is_left_over_is_no_pattern() {
    let machine = Fake::default();
    for words in ["show the garbled rows of a.txt", "list the wobbly lines in b.txt"] {
        let found = machine.answers(words);
        let invented = |text: &str| ["garbled", "wobbly"].iter().any(|word| text.contains(word));
        assert!(!found.iter().any(|answer| invented(&answer.command)), "{words}: {found:?}");
    }
}

#[test]
fn what_was_only_learnt_destroys_nothing() {
    let machine = Fake::default();
    for words in ["show untracked files", "tag this commit", "nuke it", "reset", "don't prune the docker images"] {
        for answer in machine.answers(words) {
            let destroys = !crate::safety::dangers(&answer.command, crate::line::Dialect::Zsh).is_empty();
            assert!(!destroys, "{words}: {}", answer.command);
        }
    }
}
