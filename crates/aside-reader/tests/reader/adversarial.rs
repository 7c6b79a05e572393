//! Prompts that are too long, strange or empty take bounded time and break nothing.

use aside_reader::error::Error;
use aside_reader::search::{PROMPT, Search};

use crate::tiny::reader;

const SEARCH: Search = Search { beams: 3, answers: 3, tokens: 8, deadline: None, cancel: None };

#[test]
fn a_prompt_of_ten_thousand_characters_is_refused() {
    let mut reader = reader(2);
    for long in ["list the files ".repeat(700), "a".repeat(10_000), "文".repeat(10_000), " ".repeat(10_000)] {
        match reader.search(&long, &SEARCH, &mut |_| true) {
            Err(Error::PromptTooLong { tokens, at_most }) => assert!(tokens > PROMPT && at_most == PROMPT),
            other => panic!("{other:?}"),
        }
    }
    assert!(matches!(reader.search("", &SEARCH, &mut |_| true), Err(Error::EmptyPrompt)));
    let longest = "1".repeat(PROMPT);
    assert!(reader.search(&longest, &SEARCH, &mut |_| true).is_ok());
}

#[test]
fn control_characters_and_other_scripts_are_text_like_any_other() {
    let mut reader = reader(2);
    for text in [
        "\0\u{1}\u{1b}[2J\u{7f}",
        "\u{202e}abc\u{200b}",
        "中文 한국어 عربى",
        "👩‍👩‍👧 🇩🇪",
        "\r\n\t  \n",
        "<|endoftext|>",
        "\u{10ffff}",
    ] {
        assert!(reader.search(text, &SEARCH, &mut |_| true).is_ok(), "{text:?}");
        let tokenizer = reader.model().tokenizer();
        assert_eq!(tokenizer.decode(&tokenizer.encode(text)), text);
        // A special token is never made of text.
        assert!(!tokenizer.encode(text).contains(&0));
    }
}
