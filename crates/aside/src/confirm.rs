//! Yes-or-no questions on the terminal.

use std::io::{BufRead, IsTerminal};

use anyhow::Context;

/// What Enter alone means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Default {
    Yes,
    No,
}

/// `None` without a terminal: piped input was not meant as an answer to this question.
pub fn confirm(question: &str, default: Default) -> anyhow::Result<Option<bool>> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Ok(None);
    }
    let hint = if default == Default::Yes { "[Y/n]" } else { "[y/N]" };
    loop {
        let Some(answer) = answer(&format!("{question} {hint} "))? else { return Ok(Some(false)) };
        match read(&answer, default) {
            Some(answer) => return Ok(Some(answer)),
            None => eprintln!("Please answer y or n."),
        }
    }
}

/// Asks for one line of text.
pub fn line(question: &str) -> anyhow::Result<String> {
    Ok(answer(question)?.unwrap_or_default())
}

/// `None` at the end of input: Ctrl-D is not Enter.
fn answer(question: &str) -> anyhow::Result<Option<String>> {
    eprint!("{question}");
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer).context("could not read the answer")?;
    Ok((read > 0).then(|| answer.trim().to_owned()))
}

/// `None` if it is neither yes nor no.
fn read(answer: &str, default: Default) -> Option<bool> {
    match answer.to_lowercase().as_str() {
        "" => Some(default == Default::Yes),
        "y" | "yes" | "是" => Some(true),
        "n" | "no" | "否" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_is_a_yes_and_enter_is_the_default_and_anything_else_is_asked_again() {
        for (answer, default, expected) in [
            ("y", Default::No, Some(true)),
            ("YES", Default::No, Some(true)),
            ("", Default::No, Some(false)),
            ("", Default::Yes, Some(true)),
            ("n", Default::Yes, Some(false)),
            ("what?", Default::Yes, None),
            ("what?", Default::No, None),
        ] {
            assert_eq!(read(answer, default), expected, "{answer:?} {default:?}");
        }
    }
}
