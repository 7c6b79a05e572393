//! Tests that the weights are the trained ones, and what the engine makes of them.

mod teach;

use super::*;
use crate::Completeness;
use crate::embedded::fake::Fake;

/// `request`, tab, frame and score of the best three, as the training computed them.
const EXPECTED: &str = include_str!("../../../data/understand/expected.tsv");

#[test]
fn scores_are_those_of_the_training() {
    let weights = embedded_weights();
    let mut rows = 0;
    for line in EXPECTED.lines().filter(|line| !line.starts_with('#')) {
        let mut parts = line.split('\t');
        let request = parts.next().unwrap_or_default();
        let scores = Fake::default().with_reading(request, |reading| {
            let heard = FrameScores::of(reading, weights);
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
    let weights = embedded_weights();
    let rules: Vec<&str> = crate::embedded::BOOK.rules.iter().map(|rule| rule.name).collect();
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
fn a_pronoun_or_a_letter_that_asks_is_no_pattern() {
    let machine = Fake::default();
    for words in [
        "i need all the png and jpg files listed, including the ones in subfolders",
        "count the lines in main.py, without those in docs",
        "images 文件夹里有几张图片",
        "logs 目录里有几份日志",
    ] {
        let found = machine.answers(words);
        let invented = |text: &str| ["'ones'", "'those'", "几"].iter().any(|word| text.contains(word));
        assert!(!found.iter().any(|answer| invented(&answer.command)), "{words}: {found:?}");
    }
}

#[test]
fn a_guess_at_a_name_and_a_forgotten_exception_are_no_answers() {
    let machine = Fake::default();
    for words in [
        "show the leaf directories",
        "list files with sizes in megabytes",
        "crlf files",
        "list all regular/normal files",
    ] {
        let best = machine.answers(words).into_iter().next();
        assert_ne!(best.as_ref().map(|best| best.nearness), Some(Completeness::Answer), "{words}: {best:?}");
    }
    let best = machine.best("find all files under the current directory excluding hidden directories");
    assert!(best.contains("-not"), "{best}");
    for words in ["list the 5 largest files", "find directories named leaf", "show files in src except main.py"] {
        assert_eq!(machine.answers(words).first().map(|best| best.nearness), Some(Completeness::Answer), "{words}");
    }
}

#[test]
fn a_story_around_a_request_is_no_part_of_it() {
    let machine = Fake::default();
    for (words, command) in [
        ("ok so this folder got huge, can you list the five biggest files?", "head -n 5"),
        ("hmm, is there perhaps a broken symlink somewhere", "find . -xtype l"),
        ("my laptop feels slow today. which processes use the most memory?", "--sort=-%mem"),
    ] {
        assert!(machine.best(words).contains(command), "{words}: {}", machine.best(words));
    }
    for words in ["a.txt is old, delete whatever is like that", "i deleted a.txt, how do i do that again"] {
        assert!(!machine.best(words).contains("rm "), "{words}: {}", machine.best(words));
    }
}

#[test]
fn a_file_where_something_is_does_not_go_with_it() {
    let machine = Fake::default();
    for words in [
        "throw away what i did in main.py",
        "delete what we wrote to a.txt",
        "remove everything i put in notes.md",
        "get rid of what is inside the file b.txt",
    ] {
        let found = machine.answers(words);
        assert!(!found.iter().any(|answer| answer.command.starts_with("rm ")), "{words}: {found:?}");
    }
    assert_eq!(machine.best("get rid of a.txt"), "rm a.txt");
}

#[test]
fn what_was_only_learnt_destroys_nothing() {
    let machine = Fake::default();
    for words in ["show untracked files", "tag this commit", "nuke it", "reset", "don't prune the docker images"] {
        for answer in machine.answers(words) {
            let destroys = !aside_commands::safety::dangers(&answer.command, shell_line::Dialect::Zsh).is_empty();
            assert!(!destroys, "{words}: {}", answer.command);
        }
    }
}

#[test]
fn a_rule_whose_words_are_all_there_is_an_answer_and_a_name_of_unknown_letters_is_none() {
    let machine = Fake::default();
    let nearness = |words: &str| machine.answers(words).first().map(|answer| answer.nearness);
    for words in ["list all processes", "show the current branch", "show environment variables"] {
        assert_eq!(nearness(words), Some(Completeness::Answer), "{words}");
    }
    assert_ne!(nearness("文件名里有空格的文件"), Some(Completeness::Answer));
}

#[test]
fn other_words_for_the_same_are_answered_the_same() {
    let machine = Fake::default();
    for (words, command) in [
        ("whats in a.txt", "cat a.txt"),
        ("a.txt 有几行", "wc -l a.txt"),
        ("put a.txt in docs", "mv a.txt docs/"),
        ("make a folder old and put a.txt in it", "mkdir -p old && mv a.txt old/"),
        ("max of a.txt", "awk '(m==\"\" || $1+0>m) {m=$1+0} END {print m}' a.txt"),
    ] {
        assert_eq!(machine.best(words), command, "{words}");
    }
    // A question is not an order, however it is worded.
    assert!(!machine.best("is a.txt put in docs").contains("mv"));
    assert!(!machine.best("create folder old and move a.txt into it").contains(" it"));
}
