//! A request to print a text: one in quotes, or one that begins with a greeting, which cannot name anything in a program.

use shell_line::quote::{self, WordEnd};
use shell_line::{Dialect, Quote};

const VERBS: [&str; 5] = ["print", "echo", "say", "打印", "输出"];
const GREETINGS: [&str; 10] = ["hello", "hi", "hey", "goodbye", "bye", "welcome", "greetings", "good", "你好", "您好"];
const QUOTES: [(char, char); 4] = [('"', '"'), ('\'', '\''), ('“', '”'), ('`', '`')];
/// With one of these words it says where or when, and so is about a program.
const ABOUT: [&str; 9] = ["to", "in", "from", "for", "when", "if", "on", "at", "before"];
/// Characters of a text; a longer one is not a text to print.
const MAX_TEXT: usize = 120;

/// The command that prints it.
pub fn command(words: &str, dialect: Dialect) -> Option<String> {
    // `echo` would take it for an option, even in quotes.
    let text = text(words).filter(|text| !text.starts_with('-'))?;
    Some(format!("echo '{}", quote::rest(text, Quote::Single, dialect, WordEnd::End)))
}

fn text(words: &str) -> Option<&str> {
    let words = words.trim().trim_end_matches('.');
    let verb = VERBS.iter().find(|verb| words.get(..verb.len()).is_some_and(|head| head.eq_ignore_ascii_case(verb)))?;
    let rest = words.get(verb.len()..)?.trim_start();
    let rest = rest.strip_prefix("out ").unwrap_or(rest).trim();
    let unquoted = QUOTES.iter().find_map(|(open, close)| {
        let inside = rest.strip_prefix(*open)?.strip_suffix(*close)?;
        (!inside.contains([*open, *close])).then_some(inside)
    });
    let is_plain = rest.chars().all(|letter| letter.is_alphabetic() || " ,!'".contains(letter))
        && !rest.split(' ').any(|word| ABOUT.contains(&word));
    let first = rest.split([' ', ',', '!']).next().unwrap_or_default().to_lowercase();
    let greets = is_plain
        && GREETINGS.iter().any(|greeting| *greeting == first || (!greeting.is_ascii() && first.starts_with(greeting)));
    let text = unquoted.or(greets.then_some(rest))?;
    (!text.is_empty() && text.len() <= MAX_TEXT && !text.contains(['\n', '\0'])).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_text_is_printed() {
        for (words, expected) in [
            ("print hello world", Some("echo 'hello world'")),
            ("print \"3 passed; $HOME\"", Some("echo '3 passed; $HOME'")),
            ("echo 'a b'", Some("echo 'a b'")),
            ("打印 你好世界", Some("echo '你好世界'")),
            ("say hi", Some("echo 'hi'")),
            ("print \"-n\"", None),
            ("print debug info", None),
            ("print the totals", None),
            ("print hello to the user", None),
            ("say hello in main.rs", None),
            ("print all lines with \"error\"", None),
            ("print", None),
        ] {
            assert_eq!(command(words, Dialect::Zsh).as_deref(), expected, "{words}");
        }
    }
}
