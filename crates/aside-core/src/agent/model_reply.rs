//! Parses a model's answer to prose: its text without its reasoning, and the command that it proposes. Works on every prefix of an answer.
//! Does not lay the text out.

use aside_model_output::without_reasoning;
use aside_translate::TranslateContext;
use aside_translate::check::check;

use crate::agent::OfferedCommand;

/// Bytes of an answer that are kept.
pub const MAX_SAID: usize = 8 * 1024;

const SHELLS: [&str; 9] = ["sh", "bash", "zsh", "fish", "shell", "console", "terminal", "shell-session", "shellscript"];

/// Whether the answer is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyCompleteness {
    Part,
    All,
}

/// Empty while the model only reasons.
pub fn markdown(said: &str) -> String {
    let words = without_reasoning(said).unwrap_or_default();
    let words = words.trim_start_matches(['\n', ' ']);
    words.get(..words.floor_char_boundary(MAX_SAID)).unwrap_or_default().to_owned()
}

/// The one command that an answer proposes: the first block that is marked as shell and has one command. A command that may not be shown is
/// not replaced by another, which would do something else.
pub fn proposal(
    markdown: &str,
    heard: ReplyCompleteness,
    place: &TranslateContext<'_>,
    blocklist: &[String],
) -> Option<OfferedCommand> {
    let blocks = blocks(markdown, heard);
    let is_shell = |block: &&Block<'_>| SHELLS.contains(&block.language.as_str());
    let mut named = blocks.iter().filter(is_shell);
    let command = match named.find_map(Block::command) {
        Some(command) => command,
        // Small models forget the language of the block; with other blocks around, it may be output.
        None if heard == ReplyCompleteness::All => match blocks.as_slice() {
            [only] if only.language.is_empty() => only.command()?,
            _ => return None,
        },
        None => return None,
    };
    let checked = check(&command, place, blocklist).ok()?;
    Some(OfferedCommand { command: checked.command, warning: checked.warning })
}

/// A closed fence, and its contents.
struct Block<'a> {
    language: String,
    lines: Vec<&'a str>,
}

impl Block<'_> {
    /// Its only line, without the prompt; ignores comments and empty lines.
    fn command(&self) -> Option<String> {
        let lines = self.lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut lines = lines.map(|line| line.strip_prefix("$ ").or(line.strip_prefix("% ")).unwrap_or(line));
        let mut command = lines.next()?.to_owned();
        // One command on several lines.
        while let Some(begun) = command.strip_suffix('\\') {
            command = format!("{} {}", begun.trim_end(), lines.next()?);
        }
        lines.next().is_none().then_some(command)
    }
}

fn blocks(markdown: &str, heard: ReplyCompleteness) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<(char, usize, Block<'_>)> = None;
    for line in markdown.split_inclusive('\n') {
        let is_whole = line.ends_with('\n') || heard == ReplyCompleteness::All;
        let trimmed = line.trim();
        let mark = trimmed.chars().next().filter(|mark| matches!(mark, '`' | '~'));
        let length = mark.map_or(0, |mark| trimmed.len() - trimmed.trim_start_matches(mark).len());
        open = match open.take() {
            Some((fence, count, block)) if mark == Some(fence) && length >= count && trimmed.len() == length => {
                if is_whole {
                    blocks.push(block);
                }
                None
            }
            Some((fence, count, mut block)) => {
                block.lines.push(line.trim_end_matches('\n'));
                Some((fence, count, block))
            }
            None => mark.filter(|_| length >= 3).and_then(|fence| {
                let language = trimmed.trim_start_matches(fence).trim();
                // A fence that opens and closes on the same line is no block.
                let opens = !language.contains(fence);
                let language = language.split(' ').next().unwrap_or_default().to_ascii_lowercase();
                opens.then(|| (fence, length, Block { language, lines: Vec::new() }))
            }),
        };
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use aside_commands::shell_names::ShellNames;
    use aside_commands::spec::Specs;
    use aside_commands::world::EmptyWorld;
    use aside_translate::ToolFlavor;
    use shell_line::Dialect;

    fn offered(markdown: &str, heard: ReplyCompleteness) -> Option<(String, String)> {
        let (names, specs) = (ShellNames::default(), Specs::default());
        let (dialect, system) = (Dialect::Zsh, ToolFlavor::Gnu);
        let place = TranslateContext { cwd: "/", dialect, system, world: &EmptyWorld, names: &names, specs: &specs };
        let blocklist = ["forbidden".to_owned()];
        proposal(markdown, heard, &place, &blocklist).map(|offered| (offered.command, offered.warning))
    }

    #[track_caller]
    fn finds(markdown: &str, expected: Option<&str>) {
        assert_eq!(
            offered(markdown, ReplyCompleteness::All).map(|(command, _)| command).as_deref(),
            expected,
            "{markdown}"
        );
    }

    #[test]
    fn the_first_block_for_a_shell_is_proposed() {
        finds("Run them:\n\n```sh\ncargo test\n```\nThen:\n```sh\nls\n```\n", Some("cargo test"));
        finds("```bash\n# all of them\n$ cargo test\n```", Some("cargo test"));
        finds("~~~ sh\nls -l\n~~~", Some("ls -l"));
        finds("1. so:\n   ```sh\n   ls -l\n   ```", Some("ls -l"));
        finds("```sh\ntar -c \\\n  src\n```", Some("tar -c src"));
        finds("```rust\nfn main() {}\n```\n```zsh\nls\n```", Some("ls"));
        finds("```\nls -l\n```", Some("ls -l"));
        finds("```sh\nls\n```\n```\na.txt\n```", Some("ls"));
    }

    #[test]
    fn what_is_no_single_command_is_not() {
        for none in [
            "Use `ls -l`.",
            "```rust\nfn main() {}\n```",
            "```\nls\n```\n```\na.txt\n```",
            "```sh\nls",
            "```sh\n```",
            "```sh\n# nothing\n```",
            "```sh\nforbidden x\n```\n```sh\nls\n```",
            "```sh\necho 'a\n```",
            "",
            "```sh\nls \\\n```",
        ] {
            finds(none, None);
        }
        finds("```sh\nfor x in a b\ndo echo $x\ndone\n```", None);
        let script = "```sh\ncd x\nmake\n```\nor, in one:\n```sh\nmake -C x\n```";
        finds(script, Some("make -C x"));
    }

    #[test]
    fn what_it_destroys_is_said() {
        let (command, warning) = offered("```sh\nrm -rf build\n```\n", ReplyCompleteness::Part).unwrap();
        assert_eq!((command.as_str(), warning.as_str()), ("rm -rf build", "deletes files"));
    }

    #[test]
    fn every_beginning_proposes_the_same_or_nothing() {
        let said =
            "<think>```sh\nrm -rf /\n```</think>Do this:\n```sh\ngit stash pop --index\n```\nor\n```sh\ngit stash\n```";
        let mut shown: Option<(String, String)> = None;
        for end in (0..=said.len()).filter(|end| said.is_char_boundary(*end)) {
            let markdown = markdown(&said[..end]);
            assert!(!markdown.contains("rm -rf") && !markdown.contains("think"), "{markdown}");
            let now = offered(&markdown, ReplyCompleteness::Part);
            assert!(shown.is_none() || now == shown, "{end}: {now:?}");
            assert!(now.as_ref().is_none_or(|(command, _)| command == "git stash pop --index"), "{now:?}");
            shown = now;
        }
        assert!(shown.is_some());
    }

    #[test]
    fn an_answer_has_an_end() {
        assert!(markdown(&"wörter ".repeat(9000)).len() <= MAX_SAID);
        assert_eq!(markdown("\u{1b}[2Jred\u{202e}"), "red");
    }
}
