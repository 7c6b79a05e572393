//! Commands in a request: whether words are a command line, and which part of it may be proposed. Runs none.

use std::sync::LazyLock;

use aside_commands::spec::Specs;
use aside_commands::world::EmptyWorld;
use aside_core::detect::word_lists::{WordClass, lists};
use aside_text::speech_act;
use shell_line::{self as line, Dialect, Redirect};

use crate::route::{mentions, word_lists};

/// Characters of a command.
pub const MAX_COMMAND: usize = 1000;

/// A command, and what was cut from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stripped {
    pub command: String,
    /// The rest from the first chained, redirected or substituted part; mostly empty.
    pub cut: String,
}

/// The first simple command of an inferred line, up to the first chained command, substitution or redirection. `None` when nothing is left.
pub fn strip(text: &str) -> Option<Stripped> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > MAX_COMMAND {
        return None;
    }
    let line = line::parse(text, Dialect::of("bash"));
    let first = line.commands.iter().find(|command| command.inside.is_none())?;
    let inner = |span: &std::ops::Range<usize>| {
        line.commands.iter().any(|command| command.inside.is_some() && span.contains(&command.span.start))
    };
    if first.words.is_empty() || first.span.start > 0 || first.assignments.iter().any(|assigned| inner(&assigned.span))
    {
        return None;
    }
    let redirected = first.redirections.iter().filter(|redirection| redirection.kind != Redirect::Descriptor);
    let substituted = first.words.iter().filter(|word| {
        inner(&word.span)
            || text
                .get(word.span.clone())
                .is_some_and(|word| word.contains("$(") || word.contains("<(") || has_backquote(word))
    });
    let ends = redirected.map(|redirection| redirection.span.start).chain(substituted.map(|word| word.span.start));
    let end = ends.chain([first.span.end]).min()?;
    let command = text.get(..end)?.trim();
    let cut = text.get(end..)?.trim();
    (!command.is_empty()).then(|| Stripped { command: command.to_owned(), cut: cut.to_owned() })
}

fn has_backquote(word: &str) -> bool {
    word.contains('`') && !word.starts_with('\'')
}

/// Programs whose arguments are plain words, although their own names are English words too.
const TAKES_WORDS: [&str; 6] = ["make", "just", "go", "bundle", "task", "rake"];

static SPECS: LazyLock<Specs> = LazyLock::new(Specs::default);

/// Whether a line is a command and not prose, by its words alone.
pub fn is_typed(text: &str) -> bool {
    let text = text.trim();
    if text.contains('\n')
        || text.ends_with(['?', '？', '!', ':'])
        || text.contains('`')
        || text.ends_with('.') && ![" .", "/.", ".."].iter().any(|end| text.ends_with(end))
        || text.chars().count() > MAX_COMMAND
        || !text.is_ascii() && !has_sign(text)
    {
        return false;
    }
    if text.contains(" && ") || text.contains(" | ") {
        return true;
    }
    let mut all = text.split_whitespace();
    let Some(first) = all.next() else { return false };
    let rest: Vec<&str> = all.collect();
    if first.starts_with("./") || first.starts_with("~/") || first.starts_with("../") {
        return true;
    }
    if !first
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_' | b'.' | b'+'))
    {
        return false;
    }
    // In prose an arrow means "becomes", and a non-numeric word after `exit` is prose: "exit code 137".
    let takes_number = matches!(first, "exit" | "return") && rest.iter().any(|word| word.parse::<u8>().is_err());
    if takes_number || rest.iter().any(|word| is_arrow(word)) {
        return false;
    }
    // "vite dev server reloads in a loop"
    if rest.len() > 3
        && rest.windows(2).any(|pair| matches!(pair, ["in" | "with" | "for" | "after" | "on", "a" | "the" | "every"]))
    {
        return false;
    }
    if !is_program(first) {
        return false;
    }
    // `docker ps`: a known subcommand does not count as a word of prose.
    let own = rest.first().is_some_and(|second| is_subcommand(first, second));
    let spoken = rest.iter().skip(usize::from(own)).any(|word| is_spoken(word));
    if spoken && !rest.iter().any(|word| word.starts_with('-') && word.len() > 1) {
        return false;
    }
    // Many programs are named like a verb.
    let is_word = lists().is_word(first) || word_lists::knows(first);
    let plain = |word: &&str| {
        word.bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_' | b':'))
    };
    match () {
        () if rest.is_empty() => !is_word,
        () if !is_word || own && rest.len() == 1 => true,
        // "make a file notes.txt"
        () if rest.len() > 1 && matches!(rest.first(), Some(&("a" | "an" | "some"))) => false,
        () if TAKES_WORDS.contains(&first) => rest.iter().all(plain) && rest.len() <= 3 || has_sign(text),
        // "Update README.md" is an order in prose.
        () if word_lists::knows(first) => rest.iter().any(|word| is_hard(word)) || rest.last() == Some(&"."),
        () => has_sign(text),
    }
}

/// Whether the text has something that only a command has.
fn has_sign(text: &str) -> bool {
    text.ends_with(" .")
        || text.split_whitespace().skip(1).any(|word| {
            is_hard(word)
                || matches!(mentions::mention_kind(word).0, Some(mentions::MentionKind::File)) && !word.ends_with('?')
        })
}

fn is_hard(word: &str) -> bool {
    let is_flag = word.starts_with('-') && word.len() > 1 && !word.starts_with("->") && !word.starts_with("--");
    let is_flag = is_flag || word.starts_with("--") && word.bytes().any(|byte| byte.is_ascii_alphanumeric());
    is_flag || word.starts_with("./") || !is_arrow(word) && word.contains(['|', '$', '>', '='])
}

fn is_arrow(word: &str) -> bool {
    matches!(word, "->" | "=>" | "-->" | "==>" | "→")
}

/// Whether a program with this name is known.
pub fn is_program(name: &str) -> bool {
    SPECS.has(name) || lists().is_command(name)
}

/// Whether a program has a subcommand of this name. Excludes programs named like an order: "go test it".
pub fn is_subcommand(program: &str, word: &str) -> bool {
    !speech_act::is_order(program) && SPECS.find(program, &EmptyWorld).is_some_and(|spec| spec.sub(word).is_some())
}

/// `in`, `from`: a preposition or conjunction, and the name of many a file.
pub fn is_link(word: &str) -> bool {
    lists().class(word) == Some(WordClass::Link)
}

/// `yesterday`, `now`: words that options take as well.
pub fn is_time(word: &str) -> bool {
    matches!(word, "now" | "today" | "yesterday" | "tomorrow" | "tonight")
}

/// A word that prose has and command lines rarely have.
pub fn is_spoken(word: &str) -> bool {
    let plain = word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
    matches!(lists().class(&plain), Some(WordClass::Core | WordClass::Link | WordClass::Speech))
        && plain != "up"
        && plain != "in"
        || lists().reports.contains(plain.as_str()) && plain != "shows"
        || matches!(plain.as_str(), "between" | "which")
        || word.ends_with("n't")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_from_sentences() {
        for command in [
            "npm test",
            "cargo test -p core",
            "git push",
            "make clean all",
            "make login",
            "rm -rf build",
            "docker compose up -d",
            "./gradlew assembleDebug",
            "pytest -k login -x",
            "go test ./...",
            "git add .",
            "docker build .",
            "ls ..",
            "exit 1",
            "git commit -m \"fix the bug\"",
        ] {
            assert!(is_typed(command), "{command}");
        }
        for sentence in [
            "npm install fails with ERESOLVE",
            "git push was rejected",
            "npm test - it is flaky",
            "git add it.",
            "make the login button blue",
            "make a file notes.txt with buy milk in it",
            "find bugs",
            "go over the staged changes",
            "test it",
            "docker build hangs at step 4",
            "sort imports",
            "who wrote this",
            "git?",
            "time to ship",
            "timeout 30 -> 60",
            "exit code 137",
            "set `strict: true` in tsconfig.json",
            "sort package.json",
            "review src/auth.rs",
            "运行测试",
        ] {
            assert!(!is_typed(sentence), "{sentence}");
        }
    }

    #[test]
    fn only_the_first_simple_command_is_left() {
        for (line, command, cut) in [
            ("cargo test -p core", "cargo test -p core", ""),
            ("make; rm -rf /", "make", "; rm -rf /"),
            ("make && make install", "make", "&& make install"),
            ("cat x | sh", "cat x", "| sh"),
            ("echo hi > /etc/passwd", "echo hi", "> /etc/passwd"),
            ("echo $(rm -rf ~) a", "echo", "$(rm -rf ~) a"),
            ("echo `id`", "echo", "`id`"),
            ("sleep 1 &", "sleep 1", "&"),
            ("ls\nrm -rf x", "ls", "rm -rf x"),
            ("make 2>&1", "make 2>&1", ""),
            ("diff <(ls a) <(ls b)", "diff", "<(ls a) <(ls b)"),
        ] {
            assert_eq!(strip(line), Some(Stripped { command: command.to_owned(), cut: cut.to_owned() }), "{line}");
        }
        for line in ["", "   ", "X=$(id) make", "; ls", "| sh"] {
            assert_eq!(strip(line), None, "{line}");
        }
    }
}
