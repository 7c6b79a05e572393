//! A model's answer: few commands, each one printable line; and what is shown while it streams is never taken back.

use aside_fuzz::random::Random;
use aside_fuzz::{Target, fuzz};
use aside_model_output::{commands, explanation, partial, repetition, without_reasoning, without_reasoning_exact};

use crate::lines::DIALECTS;

const WORDS: &[&str] = &[
    "```bash\n",
    "```\n",
    "~~~\n",
    "<think>",
    "</think>",
    "<|im_end|>",
    "1. ",
    "- ",
    "or\n",
    "$ ",
    "% ",
    "`ls -l`",
    "**",
    "Here is the command:\n",
    "You can use ",
    " && ",
    "# comment\n",
    "{\"command\": \"ls\"}",
    "{\"commands\": [\"ls\", \"pwd\"]}",
    "[\"ls\"]",
    "\\n",
    "\\u001b",
    "cat <<EOF\n",
    "EOF\n",
    "I'm sorry",
    "\n\n",
    "find . -name '*.rs'",
    "echo \"a b\"",
    "\x1b[31m",
    "é",
    "\u{202e}",
];

#[test]
fn fuzz_replies() {
    let seeds = [
        "<think>the user wants files</think>\n```bash\nls -l\n```\n",
        "1. `ls -l` lists files\n2. `du -sh` shows sizes\n",
        "{\"command\": \"find . -name '*.rs' | wc -l\"}",
        "Here is the command:\n\n$ cd src\n$ make\n\nIt builds.\n",
        "tar czf a.tgz dir # packs it",
    ];
    let seeds = seeds.map(|seed| seed.as_bytes().to_vec()).to_vec();
    fuzz(Target { name: "replies", seeds, words: WORDS, longest: 24 * 1024, check });
}

fn check(input: &[u8]) {
    let said = String::from_utf8_lossy(input);
    let mut random = Random::of(input);
    for dialect in DIALECTS {
        let all = commands(&said, dialect);
        assert!(all.len() <= 8);
        for command in &all {
            assert!(!command.is_empty() && command.len() <= 4096 && !command.contains(char::is_control), "{command:?}");
            assert!(!command.contains(['\u{202e}', '\u{200b}']), "{command:?}");
        }
        let end = said.floor_char_boundary(random.below(said.len() + 1));
        if let Some(partial) = partial(&said[..end], dialect) {
            assert!(!partial.is_empty() && partial.len() <= 4096 && !partial.contains(char::is_control), "{partial:?}");
        }
    }
    let _ = without_reasoning(&said);
    let exact = without_reasoning_exact(&said).unwrap_or_default();
    assert!(exact.len() <= said.len());
    if let Some(start) = repetition::repetition_start(&said) {
        assert!(said.is_char_boundary(start), "{start}");
    }
    for line in explanation::explanation(&said) {
        assert!(!line.contains(|letter: char| letter.is_control()), "{line:?}");
    }
}
