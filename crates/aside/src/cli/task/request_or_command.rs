//! Decides whether the words behind `aside task` are a request or a subcommand: both may begin with `list`, `show` or `undo`. They are a
//! subcommand if everything that follows fits its arguments, else a request, so that prose needs no quotes.

use std::ffi::OsString;

use aside_task::event::TaskId;

/// Tells clap that nothing behind it is a subcommand.
const WORDS: &str = "--";

/// Words that refer back, as in `aside task undo that`; they are no abbreviated ids.
const POINTING: [&str; 6] = ["that", "this", "these", "those", "them", "the"];

/// `aside task list all files` becomes `aside task -- list all files`; `aside task list --json` stays.
pub fn mark_request(mut given: Vec<OsString>) -> Vec<OsString> {
    if given.get(1).is_some_and(|word| word == "task") {
        let options = given.iter().skip(2).take_while(|word| is_option(word)).count();
        let rest: Vec<&str> = given.iter().skip(2 + options).map(|word| word.to_str().unwrap_or_default()).collect();
        if is_request(&rest) {
            given.insert(2 + options, WORDS.into());
        }
    }
    given
}

/// An option of `aside task` itself, none of which takes a value.
fn is_option(word: &OsString) -> bool {
    word.to_str().is_some_and(|word| word.starts_with("--") && word != WORDS)
}

fn is_request(words: &[&str]) -> bool {
    let Some((name, rest)) = words.split_first() else { return false };
    match *name {
        "list" | "rules" => rest.first().is_some_and(|word| !word.starts_with('-')),
        // A single word cannot say what to stop, to take back or to follow: it is a name, if a wrong one.
        "undo" | "cancel" => !is_one_name(rest) && !is_one_word(rest),
        // Their options may stand on either side of the id.
        "show" | "watch" | "retry" => {
            let from = rest.iter().position(|word| *word == "--from").map_or(usize::MAX, |place| place + 1);
            let names = rest.iter().enumerate().filter(|(place, word)| !word.starts_with('-') && *place != from);
            let names: Vec<&str> = names.map(|(_, word)| *word).collect();
            !is_one_name(&names) && !is_one_word(&names)
        }
        // `route` takes any words, and does nothing with them; clap handles unknown subcommands.
        _ => false,
    }
}

/// One word that refers to nothing that was said before.
fn is_one_word(words: &[&str]) -> bool {
    matches!(words, [word] if !POINTING.contains(word) && !["it", "all", "everything"].contains(word))
}

/// At most one word, which must be a possible id, or an option in its place.
fn is_one_name(words: &[&str]) -> bool {
    match words {
        [] => true,
        [word] => word.is_empty() || word.starts_with('-') || *word == "last" || is_name(word),
        [first, ..] => first.starts_with('-'),
    }
}

/// Whether it has the form of a task id: a `t`, and a few letters and digits. A word such as `tests` may be the beginning of an id and is
/// taken for it; see `did_you_mean`.
fn is_name(word: &str) -> bool {
    let may_be = word.starts_with('t') || word.bytes().any(|byte| byte.is_ascii_digit());
    may_be && !POINTING.contains(&word) && TaskId::of(word).is_some()
}

/// What to type instead when no task has an id that is also a word, as in `aside task show tests`.
pub fn did_you_mean(command: &str, name: &str) -> Option<String> {
    let is_word = name.len() > 2 && name != "last" && name.bytes().all(|byte| byte.is_ascii_lowercase());
    is_word.then(|| format!("aside task -- {command} {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_a_request_and_a_command_is_a_command() {
        for command in [
            "list",
            "list --json",
            "list --find parser",
            "list -h",
            "show",
            "show t4k2fp",
            "show last",
            "show --help",
            "show last --json",
            "show --json t4k2fp",
            "watch t4k2fp --from 12 --json",
            "watch --from 12",
            "watch --json t4k2fp",
            "retry t4 --json",
            "cancel",
            "cancel t",
            "cancel nosuch",
            "cancel zzz-9",
            "watch nosuch --json",
            "undo t4k2fp",
            "undo 4k2fp",
            "undo zzz",
            "show zzz",
            "show diff",
            "retry zzz-9 --json",
            "rules --json",
            "route run the tests",
            "route --json -- list the files",
            "run the tests",
            "-- list the files",
        ] {
            assert!(!is_request(&command.split(' ').collect::<Vec<&str>>()), "{command}");
        }
        for request in [
            "list all files",
            "list files",
            "show me parse_line",
            "show the tests",
            "watch the log",
            "cancel the deploy",
            "cancel that",
            "cancel everything",
            "retry the build",
            "undo my last commit",
            "undo everything",
            "undo that",
            "undo it",
            "retry that",
            "show this",
            "rules of this project",
        ] {
            assert!(is_request(&request.split(' ').collect::<Vec<&str>>()), "{request}");
        }
    }

    #[test]
    fn a_request_is_marked_behind_the_options() {
        let marked = |line: &str| {
            let words = super::mark_request(line.split(' ').map(OsString::from).collect());
            words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<String>>().join(" ")
        };
        assert_eq!(marked("aside task --json list all files"), "aside task --json -- list all files");
        assert_eq!(marked("aside task show me x"), "aside task -- show me x");
        assert_eq!(marked("aside task undo"), "aside task undo");
        assert_eq!(marked("aside history list all"), "aside history list all");
    }

    #[test]
    fn a_name_that_is_a_word_may_have_been_meant_as_one() {
        assert_eq!(did_you_mean("show", "tests").as_deref(), Some("aside task -- show tests"));
        assert_eq!(["t4k2fp", "last", "t", ""].map(|name| did_you_mean("show", name)), [None, None, None, None]);
    }
}
