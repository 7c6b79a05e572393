//! Parses a model's answer to a task: its words, its edits, and a command that it names. Whether the edits fit the files and the command
//! may run is decided elsewhere.

use aside_text as text;
use aside_text::markdown::TextEnd;

use crate::route::command::{self, is_typed};
use crate::run::context::ModelContext;
use crate::run::edits::parse::{self, AnswerPart, AnswerPartKind, Fence};
use crate::run::edits::{Edits, is_file, is_name};
use crate::run::short;

/// Characters of a summary line.
const MAX_SUMMARY: usize = 160;
/// Bytes of words that are kept.
const MAX_WORDS: usize = 24 * 1024;
/// Code spans that are searched for a command.
const MAX_SPANS: usize = 40;

/// An answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskAnswer {
    /// Markdown, without edits and without escape sequences.
    pub words: String,
    pub edits: Edits,
}

impl TaskAnswer {
    /// Parses an answer to a request for a change; `shown` are the files that the model was shown.
    pub fn of(aloud: &str, shown: &ModelContext) -> Self {
        let (edits, words) = Edits::of(aloud, shown);
        Self { words: bounded(&words), edits }
    }

    /// Parses an answer to a request for words. An unrequested diff is shown, but not proposed.
    pub fn told(aloud: &str) -> Self {
        let raw = |piece: AnswerPart| match piece.what {
            AnswerPartKind::Diff { text, bare: true } => fenced("diff", &text),
            AnswerPartKind::Diff { .. }
            | AnswerPartKind::Words
            | AnswerPartKind::Patch(_)
            | AnswerPartKind::Blocks { .. }
            | AnswerPartKind::Fence { .. } => piece.raw,
        };
        let words: String = parse::pieces(aloud).into_iter().map(raw).collect();
        Self::words(bounded(&words))
    }

    pub fn words(words: String) -> Self {
        Self { words, edits: Edits::default() }
    }

    /// Its first sentence; empty when there are no words.
    pub fn summary(&self) -> String {
        let lines = self.words.lines().map(|line| line.trim().trim_start_matches(['#', '-', '*', '>', ' ']).trim());
        let line = lines.into_iter().find(|line| line.chars().any(char::is_alphanumeric)).unwrap_or_default();
        let end = sentence_end(line);
        short(line.get(..end).unwrap_or(line), MAX_SUMMARY)
    }

    /// Commands that the words tell the user to run, in order: in backquotes, or alone in a block. Excludes chained commands, since it
    /// would be unclear which of them was meant.
    pub fn commands(&self) -> Vec<String> {
        let spans = spans(&self.words);
        let mut commands: Vec<String> = Vec::new();
        for (span, before) in spans.into_iter().take(MAX_SPANS) {
            let span = span.trim();
            let span = span.strip_prefix("$ ").unwrap_or(span);
            let whole = command::strip(span).is_some_and(|stripped| stripped.cut.is_empty());
            if whole && is_command(span) && !warns(&before) && !commands.iter().any(|known| known == span) {
                commands.push(span.to_owned());
            }
        }
        commands
    }
}

/// An answer with edits, as shown while it streams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamingAnswer {
    /// Without diffs, blocks, patches and whole files. Only grows while the answer does.
    pub words: String,
    /// An edit is being written at its end.
    pub is_writing: bool,
}

/// Words after which an unfinished line cannot become a file name.
const SENTENCE: usize = 6;

/// The words around the edits of an answer. Holds back text that may still become part of an edit.
pub fn streaming_answer(aloud: &str, whole: TextEnd) -> StreamingAnswer {
    let mut words: Vec<String> = Vec::new();
    let mut is_writing = false;
    let mut pieces = parse::pieces(aloud).into_iter().peekable();
    while let Some(piece) = pieces.next() {
        let is_open = whole == TextEnd::No && pieces.peek().is_none();
        let above = words.iter().rposition(|line| !line.trim().is_empty());
        let named = above.filter(|at| words.get(*at).is_some_and(|line| is_name(line)));
        let is_change = match &piece.what {
            AnswerPartKind::Words => false,
            AnswerPartKind::Diff { .. } | AnswerPartKind::Patch(_) | AnswerPartKind::Blocks { .. } => true,
            AnswerPartKind::Fence { info, lines, closed } => {
                named.is_some() || is_file(info, lines) || (is_open && !closed)
            }
        };
        is_writing = is_change && is_open;
        match (is_change, named) {
            (true, Some(at)) => words.truncate(at),
            (true, None) => {}
            (false, _) => words.push(piece.raw),
        }
    }
    while whole == TextEnd::No && words.last().is_some_and(|line| may_open(line)) {
        words.pop();
    }
    StreamingAnswer { words: words.concat(), is_writing }
}

/// A second answer without the sentences of the first. Keeps its edits; only grows while the answer does.
pub fn without_repeats(aloud: &str, before: &str) -> String {
    let known = streaming_answer(before, TextEnd::Yes).words;
    let known: Vec<&str> = known.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let is_new = |piece: &AnswerPart| {
        let line = piece.raw.trim();
        let repeats = |known: &&str| *known == line || (!piece.raw.ends_with('\n') && known.starts_with(line));
        piece.what != AnswerPartKind::Words || line.is_empty() || !known.iter().any(repeats)
    };
    parse::pieces(aloud).into_iter().filter(is_new).map(|piece| piece.raw).collect()
}

/// Whether the next line may make this one a part of an edit.
fn may_open(line: &str) -> bool {
    let is_sentence = line.split_whitespace().count() >= SENTENCE && line.starts_with(char::is_alphanumeric);
    let has_end = line.ends_with('\n');
    let begins = ["--- ", "diff ", "*** "].iter().any(|mark| line.starts_with(mark));
    line.trim().is_empty() || begins || is_name(line) || (!has_end && !is_sentence)
}

fn bounded(words: &str) -> String {
    let words = text::clean(words.trim());
    words.get(..words.floor_char_boundary(MAX_WORDS)).unwrap_or_default().trim_end().to_owned()
}

/// Text in a fence that is longer than any in it.
pub fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{newline}{fence}\n")
}

fn sentence_end(line: &str) -> usize {
    let ends = line.char_indices().filter(|(at, letter)| match letter {
        '。' | '！' | '？' => true,
        '.' | '!' | '?' => line.get(at + 1..).is_some_and(|rest| rest.starts_with(' ')),
        _ => false,
    });
    ends.map(|(at, letter)| at + letter.len_utf8()).next().unwrap_or(line.len())
}

/// Code spans, and single-line shell blocks, each with the words before it in its sentence.
fn spans(words: &str) -> Vec<(String, String)> {
    const SHELLS: [&str; 7] = ["", "sh", "bash", "zsh", "shell", "console", "fish"];
    let mut spans = Vec::new();
    let mut lines = words.lines();
    while let Some(line) = lines.next() {
        if let Some(fence) = Fence::opens(line) {
            let block: Vec<&str> = lines.by_ref().take_while(|line| !fence.closes(line)).collect();
            let mut inside = block.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
            if let (Some(only), None) = (inside.next(), inside.next())
                && SHELLS.contains(&fence.info.to_lowercase().as_str())
            {
                spans.push((only.to_owned(), String::new()));
            }
            continue;
        }
        let parts: Vec<&str> = line.split('`').collect();
        for (number, part) in parts.iter().enumerate().skip(1).step_by(2) {
            // The last backquote has no partner.
            if number + 1 < parts.len() {
                let before = parts.get(..number).unwrap_or_default().concat();
                let from = before.rfind(['.', ';', '。', '；']).map_or(0, |end| end + 1);
                let before = before.get(before.ceil_char_boundary(from)..).unwrap_or_default();
                spans.push(((*part).to_owned(), before.to_lowercase()));
            }
        }
    }
    spans
}

/// Whether it looks like a command: a known one, or any with a flag. Does not check whether the program exists.
fn is_command(span: &str) -> bool {
    let flagged =
        span.is_ascii() && span.split_whitespace().skip(1).any(|word| word.starts_with('-') && word.len() > 1);
    is_typed(span) || flagged
}

/// Whether the sentence says not to run the command, or that it failed.
fn warns(before: &str) -> bool {
    const WARNINGS: [&str; 16] = [
        " not ",
        "n't ",
        "never ",
        "avoid ",
        "instead of ",
        "rather than ",
        "without ",
        " failed",
        " fails",
        "不要",
        "不能",
        "别",
        "而不是",
        "失败",
        "避免",
        "无法",
    ];
    let before = format!(" {before}");
    WARNINGS.iter().any(|warning| before.contains(warning))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_second_answer_does_not_say_the_same_sentences_again() {
        let block = "a.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n";
        let first = format!("Sets x to y.\n\n{block}\nRun the tests.\n");
        let second = format!("Sets x to y.\n\nThe line was another one.\n\n{block}\nRun the tests.");
        assert_eq!(without_repeats(&second, &first), format!("\nThe line was another one.\n\n{block}\n"));
        let mut before = String::new();
        for end in 0..=second.len() {
            let said = without_repeats(&second[..end], &first);
            assert!(said.starts_with(&before), "{before:?} became {said:?}");
            before = said;
        }
    }

    #[test]
    fn changes_are_never_shown_while_they_are_written() {
        let block =
            "src/user.py\n<<<<<<< SEARCH\n    return self.nmae\n=======\n    return self.name\n>>>>>>> REPLACE\n";
        for (answer, expected) in [
            (
                format!("The field is misspelled.\n\n{block}\nThat is all."),
                "The field is misspelled.\n\n\nThat is all.",
            ),
            (format!("Fixes it.\n\n```python\n{block}```\n"), "Fixes it.\n\n"),
            (format!("**src/user.py**\n```\n{}```\nDone.\n", block.split_once('\n').unwrap().1), "Done.\n"),
            (
                "So:\n\n```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n```\nThen run `make`.\n".to_owned(),
                "So:\n\nThen run `make`.\n",
            ),
            ("So:\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n".to_owned(), "So:\n"),
            ("*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch\nMade it.\n".to_owned(), "Made it.\n"),
            ("Here it is.\n\n### src/a.py\n\n```python\nx = 1\n```\n".to_owned(), "Here it is.\n\n"),
            ("Run this:\n\n```sh\nmake\n```\nand look.\n".to_owned(), "Run this:\n\n```sh\nmake\n```\nand look.\n"),
            ("一个字段拼错了。\n\n改好了。\n".to_owned(), "一个字段拼错了。\n\n改好了。\n"),
        ] {
            assert_eq!(streaming_answer(&answer, TextEnd::Yes).words, expected, "{answer}");
            let mut before = String::new();
            for end in (0..=answer.len()).filter(|end| answer.is_char_boundary(*end)) {
                let StreamingAnswer { words, .. } = streaming_answer(&answer[..end], TextEnd::No);
                assert!(words.starts_with(&before), "{before:?} became {words:?} at {:?}", &answer[..end]);
                assert!(
                    !["<<<<", "@@", "+++", "self.name", "x = 1", "*** Add"].iter().any(|raw| words.contains(raw)),
                    "{words}"
                );
                before = words;
            }
            assert!(expected.starts_with(&before), "{before:?}");
        }
        assert!(streaming_answer(&block[..40], TextEnd::No).is_writing);
        assert!(!streaming_answer("It is a long sentence about nothing", TextEnd::No).is_writing);
    }

    const DIFF: &str = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-\ta\n+\tb\n";

    fn of(answer: &str) -> TaskAnswer {
        TaskAnswer::of(answer, &ModelContext::default())
    }

    /// The resulting diff, if no file is needed for it.
    fn diff(said: &TaskAnswer) -> Option<String> {
        said.edits
            .diff(&BTreeMap::new(), &ModelContext::default())
            .unwrap()
            .map(|diff| String::from_utf8(diff).unwrap())
    }

    #[test]
    fn words_and_diff_are_told_apart() {
        let fenced = format!("Renames it. Tests stay.\n\n```diff\n{DIFF}```\nThat is all.\n");
        for answer in [
            fenced.clone(),
            fenced.replace("```diff", "```"),
            fenced.replace("```diff", "~~~ patch").replace("```", "~~~"),
        ] {
            let said = of(&answer);
            assert_eq!(diff(&said).as_deref(), Some(DIFF), "{answer}");
            assert_eq!(said.words, "Renames it. Tests stay.\n\nThat is all.");
            assert_eq!(said.summary(), "Renames it.");
        }
        let bare = of(&format!("So:\n{DIFF}"));
        assert_eq!((bare.words.as_str(), diff(&bare).as_deref()), ("So:", Some(DIFF)));
        let two = of(&format!("```diff\n{DIFF}```\nand\n```diff\n{}```\n", DIFF.replace('x', "y")));
        assert_eq!(diff(&two).unwrap(), format!("{DIFF}{}", DIFF.replace('x', "y")));
        let open = of(&format!("```diff\n{DIFF}"));
        assert_eq!(diff(&open).as_deref(), Some(DIFF));
    }

    #[test]
    fn a_fence_in_a_changed_file_ends_nothing() {
        let changed = "--- a/README.md\n+++ b/README.md\n@@ -1,3 +1,3 @@\n ```sh\n-ls\n+ls -l\n ```\n";
        let said = of(&format!("One flag more.\n```diff\n{changed}```\n"));
        assert_eq!(diff(&said).as_deref(), Some(changed));
    }

    #[test]
    fn what_has_no_diff_is_words() {
        for answer in ["I need src/a.rs first.", "```rust\nfn main() {}\n```", "--- \nx", ""] {
            let said = of(answer);
            assert!(said.edits.is_empty(), "{answer}");
            assert_eq!(said.words, answer.trim());
        }
        assert_eq!(of("\u{1b}[31mred\u{202e}").words, "[31mred");
        assert_eq!(of("### 把字段改名。其余不变。").summary(), "把字段改名。");
    }

    #[test]
    fn somebody_who_wanted_words_gets_words() {
        let blocks = "x.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n\nx.py\n```\nb\n```";
        assert_eq!(TaskAnswer::told(blocks), TaskAnswer::words(blocks.to_owned()));
        let bare = format!("So:\n{DIFF}");
        assert_eq!(TaskAnswer::told(&bare).words, format!("So:\n```diff\n{DIFF}```"));
    }

    #[test]
    fn the_command_that_mends_it_is_found() {
        let commands = |words: &str| of(words).commands();
        assert_eq!(commands("`src/a.rs:4` needs `serde`. Run `cargo add serde`."), ["cargo add serde"]);
        assert_eq!(commands("Install it:\n```sh\n$ npm install left-pad\n```\n"), ["npm install left-pad"]);
        assert_eq!(commands("Then `frobnicate prepare --all`."), ["frobnicate prepare --all"]);
        assert_eq!(commands("运行 `npm install` 就好了。"), ["npm install"]);
        for none in [
            "Do not run `git push --force`.",
            "This failed: `cargo test --all`",
            "Use `curl https://example.com/x | sh`.",
            "Use `rm -rf node_modules && npm install`.",
            "The field `name` is missing",
            "一定不要 `git push --force`",
            "`git push",
        ] {
            assert_eq!(commands(none), Vec::<String>::new(), "{none}");
        }
    }
}
