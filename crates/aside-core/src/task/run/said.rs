//! What a model answered to a task, taken apart: its words, the diff among them, and a command that the words name. Whether the diff fits
//! the files and whether the command may be run is decided elsewhere.

use crate::task::route::command::{self, is_typed};
use crate::task::run::short;
use crate::text;

/// Letters of a line that sums an answer up.
const MAX_SUMMARY: usize = 160;
/// Bytes of words that anybody reads.
const MAX_WORDS: usize = 24 * 1024;
/// Spans of code that are looked at for a command.
const MAX_SPANS: usize = 40;

/// An answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Markdown, without the diff and without what a terminal would obey.
    pub words: String,
    /// All that stands in blocks for diffs, or that looks like one. To the byte.
    pub diff: Option<String>,
}

impl Said {
    /// From what was said aloud.
    pub fn of(aloud: &str) -> Self {
        let lines: Vec<&str> = aloud.split_inclusive('\n').collect();
        let mut words = String::new();
        let mut diff = String::new();
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            let rest = lines.get(at..).unwrap_or_default();
            if let Some((fence, info)) = opening(line) {
                let inside = rest.get(1..).unwrap_or_default();
                let length = inside.iter().position(|line| closes(line, &fence)).unwrap_or(inside.len());
                let block = inside.get(..length).unwrap_or_default();
                let behind = rest.len().min(length + 2);
                match is_diff(&info, block) {
                    true => diff.push_str(&block.concat()),
                    false => words.push_str(&rest.get(..behind).unwrap_or_default().concat()),
                }
                at += behind;
            } else if begins_diff(rest) {
                // Nobody says where it ends: whoever reads it passes over what is none.
                let length = rest.iter().position(|line| opening(line).is_some()).unwrap_or(rest.len());
                diff.push_str(&rest.get(..length).unwrap_or_default().concat());
                at += length.max(1);
            } else {
                words.push_str(line);
                at += 1;
            }
        }
        let words = text::clean(words.trim()).into_owned();
        let words = words.get(..words.floor_char_boundary(MAX_WORDS)).unwrap_or_default().to_owned();
        Self { words, diff: Some(diff).filter(|diff| !diff.trim().is_empty()) }
    }

    /// Its first sentence; empty when there are no words.
    pub fn summary(&self) -> String {
        let lines = self.words.lines().map(|line| line.trim().trim_start_matches(['#', '-', '*', '>', ' ']).trim());
        let line = lines.into_iter().find(|line| line.chars().any(char::is_alphanumeric)).unwrap_or_default();
        let end = sentence_end(line);
        short(line.get(..end).unwrap_or(line), MAX_SUMMARY)
    }

    /// Commands that the words tell the person to run, the first one first: in backquotes, or alone in a block. What has another
    /// command chained to it is none, since nobody would know which of them was meant.
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

fn opening(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let info = line.trim_start_matches(mark);
    let length = line.len() - info.len();
    (length >= 3 && !info.contains(mark)).then(|| (mark.to_string().repeat(length), info.trim().to_lowercase()))
}

/// A line of a diff begins with a blank, + or -, so that a fence in a file that is changed closes nothing.
fn closes(line: &str, fence: &str) -> bool {
    let line = line.trim_end();
    line.starts_with(fence) && line.trim_matches(['`', '~']).is_empty()
}

fn is_diff(info: &str, block: &[&str]) -> bool {
    let language = info.split_whitespace().next().unwrap_or_default();
    let told = ["diff", "patch", "udiff", "git-diff"].contains(&language);
    told || (0..block.len()).any(|at| block.get(at..).is_some_and(begins_diff))
}

fn begins_diff(lines: &[&str]) -> bool {
    let line = |at: usize| lines.get(at).copied().unwrap_or_default();
    line(0).starts_with("diff --git ")
        || line(0).starts_with("--- ") && line(1).starts_with("+++ ")
        || line(0).trim_end() == "*** Begin Patch"
}

fn sentence_end(line: &str) -> usize {
    let ends = line.char_indices().filter(|(at, letter)| match letter {
        '。' | '！' | '？' => true,
        '.' | '!' | '?' => line.get(at + 1..).is_some_and(|rest| rest.starts_with(' ')),
        _ => false,
    });
    ends.map(|(at, letter)| at + letter.len_utf8()).next().unwrap_or(line.len())
}

/// What stands in backquotes or as the only line of a block for a shell, each with the words before it in its sentence.
fn spans(words: &str) -> Vec<(String, String)> {
    const SHELLS: [&str; 7] = ["", "sh", "bash", "zsh", "shell", "console", "fish"];
    let mut spans = Vec::new();
    let mut lines = words.lines();
    while let Some(line) = lines.next() {
        if let Some((fence, info)) = opening(line) {
            let block: Vec<&str> = lines.by_ref().take_while(|line| !closes(line, &fence)).collect();
            let mut inside = block.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
            if let (Some(only), None) = (inside.next(), inside.next())
                && SHELLS.contains(&info.as_str())
            {
                spans.push((only.to_owned(), String::new()));
            }
            continue;
        }
        let parts: Vec<&str> = line.split('`').collect();
        for (number, part) in parts.iter().enumerate().skip(1).step_by(2) {
            // The last one was opened and not closed.
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

/// By its words: one that is known, or any that has a flag. Whether there is such a program, somebody else knows.
fn is_command(span: &str) -> bool {
    let flagged =
        span.is_ascii() && span.split_whitespace().skip(1).any(|word| word.starts_with('-') && word.len() > 1);
    is_typed(span) || flagged
}

/// Whether the sentence says of a command that it is not to be run, or that it is what failed.
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
    use super::*;

    const DIFF: &str = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-\ta\n+\tb\n";

    #[test]
    fn words_and_diff_are_told_apart() {
        let fenced = format!("Renames it. Tests stay.\n\n```diff\n{DIFF}```\nThat is all.\n");
        for answer in [
            fenced.clone(),
            fenced.replace("```diff", "```"),
            fenced.replace("```diff", "~~~ patch").replace("```", "~~~"),
        ] {
            let said = Said::of(&answer);
            assert_eq!(said.diff.as_deref(), Some(DIFF), "{answer}");
            assert_eq!(said.words, "Renames it. Tests stay.\n\nThat is all.");
            assert_eq!(said.summary(), "Renames it.");
        }
        let bare = Said::of(&format!("So:\n{DIFF}"));
        assert_eq!((bare.words.as_str(), bare.diff.as_deref()), ("So:", Some(DIFF)));
        let two = Said::of(&format!("```diff\n{DIFF}```\nand\n```diff\n{}```\n", DIFF.replace('x', "y")));
        assert_eq!(two.diff.unwrap(), format!("{DIFF}{}", DIFF.replace('x', "y")));
        let open = Said::of(&format!("```diff\n{DIFF}"));
        assert_eq!(open.diff.as_deref(), Some(DIFF));
    }

    #[test]
    fn a_fence_in_a_changed_file_ends_nothing() {
        let diff = "--- a/README.md\n+++ b/README.md\n@@ -1,3 +1,3 @@\n ```sh\n-ls\n+ls -l\n ```\n";
        let said = Said::of(&format!("One flag more.\n```diff\n{diff}```\n"));
        assert_eq!(said.diff.as_deref(), Some(diff));
    }

    #[test]
    fn what_has_no_diff_is_words() {
        for answer in ["I need src/a.rs first.", "```rust\nfn main() {}\n```", "--- \nx", ""] {
            let said = Said::of(answer);
            assert_eq!(said.diff, None, "{answer}");
            assert_eq!(said.words, answer.trim());
        }
        assert_eq!(Said::of("\u{1b}[31mred\u{202e}").words, "[31mred");
        assert_eq!(Said::of("### 把字段改名。其余不变。").summary(), "把字段改名。");
    }

    #[test]
    fn the_command_that_mends_it_is_found() {
        let commands = |words: &str| Said::of(words).commands();
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
