//! A model as a completion source: when to ask, what to ask, and what the reply adds to the line. Does no networking:
//! text in, text out.

mod overlap;
pub mod prompt;
mod reply;
pub mod token_healing;
pub mod word_end;

use reply::ReplyCompleteness;
use word_end::IsWholeWord;

/// Commands whose argument is a directory: listing the directory is better than asking a model.
const DIRECTORY_COMMANDS: [&str; 4] = ["cd", "pushd", "rmdir", "z"];

/// Bytes of prose, or of one line, after which no command is expected any more.
const MAX_TALK: usize = 600;

/// Whether a model could add something here that no other source can. Does not check for secrets: callers ask the
/// filter first.
pub fn is_worth_asking(left: &str, right: &str, min_chars: usize) -> bool {
    let typed = left.trim();
    if typed.chars().count() < min_chars || typed.starts_with(['#', '!', '?']) || left.ends_with('\\') {
        return false;
    }
    // In the middle of a word its rest is already there.
    if right.starts_with(|next: char| !next.is_whitespace() && !matches!(next, '"' | '\'' | ')' | ';' | '|')) {
        return false;
    }
    let command = left.rsplit(['|', ';', '&', '(', '\n']).next().unwrap_or(left).trim_start();
    let mut words = command.split_whitespace();
    let name = words.next().unwrap_or_default();
    !(DIRECTORY_COMMANDS.contains(&name) && words.next().is_some() || is_in_path(left))
}

/// Whether a path is being typed at the cursor: the directory can be listed, and a model could only guess.
fn is_in_path(left: &str) -> bool {
    let word = left.rsplit([' ', '\t', '\n', '|', ';', '&', '(', '<', '>', '=', '"', '\'']).next().unwrap_or_default();
    let is_below = |word: &str| !word.ends_with('/') && !word.contains("://") && !word.contains(['@', ':']);
    word.starts_with(['/', '~', '.']) && word.contains(['/', '~']) || word.contains('/') && is_below(word)
}

/// What the complete reply adds at the cursor; `None` when it adds nothing or makes no sense there.
pub fn ending(left: &str, right: &str, said: &str, knows: IsWholeWord<'_>) -> Option<String> {
    let meant = reply::command(left, said, ReplyCompleteness::All)?;
    overlap::ending(left, right, &meant.text, knows)
}

/// What may be shown of a reply that is still streaming.
pub fn partial_ending(left: &str, right: &str, said: &str, knows: IsWholeWord<'_>) -> Option<String> {
    let meant = reply::command(left, said, ReplyCompleteness::Part)?;
    if meant.settled {
        return overlap::ending(left, right, &meant.text, knows);
    }
    // The reply may be about to repeat the text after the cursor, which would then be shown twice.
    if !right.trim().is_empty() {
        return None;
    }
    overlap::beginning(left, &meant.text, knows)
}

/// Whether the rest of the stream cannot change the result, or is not worth waiting for.
pub fn is_settled(left: &str, said: &str) -> bool {
    match reply::command(left, said, ReplyCompleteness::Part) {
        Some(meant) => meant.settled || meant.text.len() > MAX_TALK,
        None => reply::talk(said) > MAX_TALK,
    }
}

/// The quote that the text leaves open.
fn open_quote(text: &str) -> Option<char> {
    let mut open = None;
    let mut escaped = false;
    for character in text.chars() {
        match (open, character) {
            _ if escaped => escaped = false,
            (None | Some('"' | '`'), '\\') => escaped = true,
            (None, '"' | '\'' | '`') => open = Some(character),
            (Some(quote), _) if quote == character => open = None,
            (None | Some(_), _) => {}
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complete::model::word_end::{LastWord, WordRole};
    use proptest::prelude::*;

    /// A machine with a few programs, and a git with a few subcommands.
    fn knows(word: LastWord<'_>) -> bool {
        let LastWord { place, word, line: _ } = word;
        match place {
            WordRole::Command => {
                ["git", "ls", "lsof", "cd", "apt", "apt-get", "echo", "cargo", "cat", "docker"].contains(&word)
            }
            WordRole::Argument => ["status", "add", "cherry-pick", "commit"].contains(&word),
        }
    }

    /// The line with the cursor as `|`, and the reply; returns the resulting line, or `-`.
    fn line(line: &str, said: &str) -> String {
        let (left, right) = line.rsplit_once('|').expect("the line has a cursor");
        match ending(left, right, said, &knows) {
            Some(ending) => format!("{left}{ending}{right}"),
            None => "-".to_owned(),
        }
    }

    #[test]
    fn a_blank_is_put_where_it_was_forgotten_and_nowhere_else() {
        let table = [
            ("git|", "status", "git status"),
            ("git|", " status", "git status"),
            ("git |", "status", "git status"),
            ("git |", " status", "git status"),
            ("git |", "  status", "git status"),
            ("git sta|", "tus", "git status"),
            ("git status|", "--short", "git status --short"),
            ("git add|", ".", "git add ."),
            ("git add|", "src/main.rs", "git add src/main.rs"),
            ("git cherry|", "-pick main", "git cherry-pick main"),
            ("ls|", "-la", "ls -la"),
            ("ls|", "of -i :80", "lsof -i :80"),
            ("ls -l|", "a", "ls -la"),
            ("ls -la|", "| wc -l", "ls -la | wc -l"),
            ("ls|", "| wc -l", "ls | wc -l"),
            ("ls ||", "wc -l", "ls | wc -l"),
            ("ls &&|", "cd x", "ls && cd x"),
            ("ls|", "&& cd x", "ls && cd x"),
            ("ls|", "> files", "ls > files"),
            ("make 2|", ">&1", "make 2>&1"),
            ("cd|", "..", "cd .."),
            ("cd|", "/tmp", "cd /tmp"),
            ("cat src/|", "main.rs", "cat src/main.rs"),
            ("cat src|", "/main.rs", "cat src/main.rs"),
            ("cat main|", ".rs", "cat main.rs"),
            ("git add|", "/tmp/x", "git add/tmp/x"),
            ("cat ~|", "/notes", "cat ~/notes"),
            ("apt|", "-get update", "apt-get update"),
            ("apt|", "update", "apt update"),
            ("echo|", "\"hi\"", "echo \"hi\""),
            ("echo|", "$HOME", "echo $HOME"),
            ("echo $HO|", "ME", "echo $HOME"),
            ("git commit -m|", "\"a b\"", "git commit -m \"a b\""),
            ("git commit -m \"|", "a b\"", "git commit -m \"a b\""),
            ("git commit -m \"a|", "dd x\"", "git commit -m \"add x\""),
            ("FOO=|", "bar make", "FOO=bar make"),
            ("docker run --name=|", "web nginx", "docker run --name=web nginx"),
            ("docker run -|", "it ubuntu", "docker run -it ubuntu"),
            ("sudo git|", "status", "sudo git status"),
            ("X=1 git|", "status", "X=1 git status"),
            ("ls; git|", "status", "ls; git status"),
            ("echo git|", "status", "echo gitstatus"),
            ("nosuch|", "thing", "nosuchthing"),
            ("nosuch|", " thing", "nosuch thing"),
            ("nosuch|", "-x", "nosuch -x"),
            ("nosuch|", "--all", "nosuch --all"),
        ];
        for (typed, said, expected) in table {
            assert_eq!(line(typed, said), expected, "{typed} + {said}");
        }
    }

    #[test]
    fn a_line_that_is_repeated_is_not_said_twice() {
        let table = [
            ("git sta|", "git status --short", "git status --short"),
            ("git sta|", "status --short", "git status --short"),
            ("git |", "git status", "git status"),
            ("git  |", "git status", "git  status"),
            ("git|", "git status", "git status"),
            ("cat log | grep 404 | |", "awk '{print $7}' | sort", "cat log | grep 404 | awk '{print $7}' | sort"),
            ("cat log | gr|", "grep 404", "cat log | grep 404"),
            ("cat log | gr|", "cat log | grep 404", "cat log | grep 404"),
            ("cp a.txt |", "a.txt.bak", "cp a.txt a.txt.bak"),
            ("docker run -it |", "-it ubuntu", "docker run -it ubuntu"),
            ("git commit -m \"fix|", "git commit -m \"fix the build\"", "git commit -m \"fix the build\""),
            // With text after the cursor.
            ("git commit -m \"|\"", "fix\"", "git commit -m \"fix\""),
            ("git commit | src", "git commit --amend src", "git commit --amend src"),
        ];
        for (typed, said, expected) in table {
            assert_eq!(line(typed, said), expected, "{typed} + {said}");
        }
    }

    #[test]
    fn nothing_is_added_when_there_is_nothing_to_add() {
        let table = [
            ("git status|", "git status"),
            ("git status|", "status"),
            ("git status |", "git status"),
            ("git status|", ""),
            ("git status|", " \n\n"),
            ("git status|", "(nothing to add)"),
            ("git status|", "<empty>"),
            ("git status|", "None"),
            ("git status|", "\"\""),
            ("git status|", "N/A."),
            ("git status|", "I cannot help with that."),
            ("git status|", "Sorry, I do not know."),
            // A different line is not an ending; corrections are the job of `correct`.
            ("gti sta|", "git status"),
            ("git comit -m|", "git commit -m 'x'"),
        ];
        for (typed, said) in table {
            assert_eq!(line(typed, said), "-", "{typed} + {said:?}");
        }
    }

    #[test]
    fn the_command_is_found_in_what_surrounds_it() {
        let table = [
            "git status --short",
            "  git status --short  ",
            "\n\ngit status --short\n",
            "```\ngit status --short\n```",
            "```bash\ngit status --short\n```\nThis shows the status.",
            "```git status --short```",
            "Here is the command:\n\n```sh\n$ git status --short\n```",
            "Sure! Here's the finished line:\ngit status --short",
            "`git status --short`",
            "\"git status --short\"",
            "'git status --short'",
            "$ git status --short",
            "Command: git status --short",
            "completion: `git status --short`",
            "git status --short  # only what changed",
            "<think>\nThe person types `git sta`.\n</think>\n\ngit status --short",
            "The person types git sta, so…\n</think>\ngit status --short",
            "<thinking>a</thinking>git status --short",
            "git status --short\ngit stash pop\ngit switch main",
            "git status --short\n\nThis shows the short status.",
            "git sta<cursor>tus --short",
            "1. `git status --short`\n2. `git stash`",
            "- git status --short\n- git stash",
            "git status --short<cursor>",
        ];
        for said in table {
            assert_eq!(line("git sta|", said), "git status --short", "{said:?}");
        }
        assert_eq!(line("curl -I|", " https://example.org"), "curl -I https://example.org");
        assert_eq!(line("git commit -m \"|", "Sorry, I forgot this\""), "git commit -m \"Sorry, I forgot this\"");
        assert_eq!(line("git commit -m \"|", "`fix the build`"), "git commit -m \"fix the build");
        assert_eq!(line("find |", ". -name x"), "find . -name x");
        assert_eq!(line("echo |", "\"two words\""), "echo \"two words\"");
        assert_eq!(line("find . -name |", "'*.rs'"), "find . -name '*.rs'");
        assert_eq!(line("echo a#b |", "c#d"), "echo a#b c#d");
    }

    #[test]
    fn only_the_first_command_unless_it_goes_on() {
        assert_eq!(line("docker run |", "docker run \\\n  -it ubuntu\nls"), "docker run \\\n  -it ubuntu");
        assert_eq!(line("cat x |", "cat x |\n  sort\nls"), "cat x |\n  sort");
        assert_eq!(line("cd x &|", "cd x &&\nmake"), "cd x &&\nmake");
        assert_eq!(line("ls |", "-l\nls -a"), "ls -l");
        assert_eq!(line("ls |", "-l \\"), "-", "half a command");
        let endless = "docker run \\\n".repeat(50);
        assert_eq!(line("docker |", &endless), "-");
        assert_eq!(line("echo |", &"x".repeat(5000)), "-", "nobody can read that");
    }

    #[test]
    fn what_must_not_reach_a_terminal_does_not() {
        assert_eq!(line("echo |", "a\u{1b}b\u{202e}c\u{200b}d"), "echo abcd");
        // The remains of an escape sequence are not an ending of this line.
        assert_eq!(line("git sta|", "git \u{1b}[31mstatus"), "-");
    }

    /// Every state of the ghost text while the reply streams letter by letter, and the end.
    fn streamed(left: &str, said: &str) -> Vec<String> {
        let mut shown: Vec<String> = Vec::new();
        for (end, _) in said.char_indices().skip(1) {
            if let Some(now) = partial_ending(left, "", &said[..end], &knows)
                && shown.last() != Some(&now)
            {
                shown.push(now);
            }
        }
        let last = ending(left, "", said, &knows).unwrap_or_else(|| "-".to_owned());
        if shown.last() != Some(&last) {
            shown.push(last);
        }
        shown
    }

    #[test]
    fn an_answer_is_shown_while_it_comes() {
        assert_eq!(streamed("git sta", "git status")[..], ["t", "tu", "tus"].map(str::to_owned));
        assert_eq!(streamed("ls", "of -i"), ["of", "of -", "of -i"]);
        assert_eq!(streamed("git ", "```\ngit log\n```"), ["l", "lo", "log"]);
        assert_eq!(streamed("git ", "`log`"), ["l", "lo", "log"]);
        assert_eq!(streamed("git ", "Sure! Here it is:\ngit log"), ["l", "lo", "log"]);
        assert_eq!(streamed("git ", "<think>git status</think>git log"), ["l", "lo", "log"]);
        assert_eq!(streamed("git ", "I cannot tell what you want"), ["-"]);
        assert_eq!(streamed("git status", "git status"), ["-"]);
        assert_eq!(streamed("ls ", "-l # all"), ["-", "-l"]);
        assert_eq!(streamed("ls ", "a\\ b"), ["a", "a\\ b"]);
        assert_eq!(streamed("git ", "log\nThis shows…"), ["l", "lo", "log"]);
        assert_eq!(streamed("git ", "lo<cursor>g"), ["l", "lo", "log"]);
    }

    #[test]
    fn the_rest_is_not_waited_for_once_the_command_is_there() {
        let chatter = "The command you want is one that I will explain now. ".repeat(20);
        for said in [&chatter, &"x".repeat(700), "git log\n", "```\ngit log\n", "`log` shows", "<think>x</think>log\nx"]
        {
            assert!(is_settled("git ", said), "{said:?}");
        }
        let thoughts = format!("<think>{chatter}");
        for said in
            [&thoughts, "", "git log", "```\ngit log", "<think>a\nb\n", "docker \\\n", "Sure! Here it is:\n", "`log"]
        {
            assert!(!is_settled("git ", said), "{said:?}");
        }
    }

    #[test]
    fn a_model_is_asked_only_where_it_can_help() {
        for line in
            ["git |", "git|", "git commit -m \"|\"", "cat a | gr|", "cd|", "python src/|", "ls && ec|", "a b| c"]
        {
            let (left, right) = line.rsplit_once('|').unwrap();
            assert!(is_worth_asking(left, right, 2), "{line}");
        }
        for line in [
            "g|",
            " |",
            "|",
            "cd ~/Docu|",
            "cat ~/Docu|",
            "ls -l /etc/ho|",
            "tar -C ../pro|",
            "./scr|",
            "ls src/ma|",
            "python3 tools/bu|",
            "make >/tm|",
            "dd if=/de|",
            "vim \"~/a|",
            "ls; cd sr|",
            "# note|",
            "? list files|",
            "!gi|",
            "gi|t",
            "ls \\|",
        ] {
            let (left, right) = line.rsplit_once('|').unwrap();
            assert!(!is_worth_asking(left, right, 2), "{line}");
        }
        assert!(!is_worth_asking("äö", "", 3), "characters count, not bytes");
    }

    proptest! {
        #[test]
        fn any_answer_to_any_line_is_taken(left in "\\PC{0,30}", right in "\\PC{0,8}", said in "[\\PC\\n`<>\"']{0,80}") {
            is_worth_asking(&left, &right, 3);
            for end in (0..=said.len()).filter(|end| said.is_char_boundary(*end)) {
                partial_ending(&left, &right, &said[..end], &knows);
                is_settled(&left, &said[..end]);
            }
            if let Some(ending) = ending(&left, &right, &said, &knows) {
                prop_assert!(!ending.trim().is_empty());
                prop_assert!(aside_text::is_clean(&ending));
            }
        }
    }
}
