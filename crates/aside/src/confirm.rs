//! Questions with a yes or a no for an answer, on the terminal.

use std::io::{BufRead, IsTerminal};

use anyhow::Context;

/// What Enter alone means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Default {
    Yes,
    No,
}

/// None without a terminal: an answer that was piped in was not given to this question.
pub fn confirm(question: &str, default: Default) -> anyhow::Result<Option<bool>> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Ok(None);
    }
    let hint = if default == Default::Yes { "[Y/n]" } else { "[y/N]" };
    Ok(Some(reads_as_yes(&line(&format!("{question} {hint} "))?, default)))
}

/// One line of the user's, after a question.
pub fn line(question: &str) -> anyhow::Result<String> {
    eprint!("{question}");
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).context("could not read the answer")?;
    Ok(answer.trim().to_owned())
}

fn reads_as_yes(answer: &str, default: Default) -> bool {
    match answer.to_lowercase().as_str() {
        "" => default == Default::Yes,
        answer => matches!(answer, "y" | "yes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_is_a_yes_and_enter_is_the_default() {
        for (answer, default, expected) in [
            ("y", Default::No, true),
            ("YES", Default::No, true),
            ("", Default::No, false),
            ("", Default::Yes, true),
            ("n", Default::Yes, false),
            ("what?", Default::Yes, false),
        ] {
            assert_eq!(reads_as_yes(answer, default), expected, "{answer:?} {default:?}");
        }
    }
}
