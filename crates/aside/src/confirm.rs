//! Yes-or-no questions on the terminal. An answer is a line; a yes has to stand alone, as `LoneKey` decides, and be typed.

use std::io::{BufRead, IsTerminal};
use std::time::Instant;

use anyhow::Context;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::termios::{QueueSelector, tcflush};

use crate::lone_key::{AFTER, LoneKey, Pressed};

/// Bracketed paste, on and off: what is pasted is then no yes. A shell sets it for itself at its next prompt, however this ends.
const PASTES_MARKED: &str = "\x1b[?2004h";
const PASTES_PLAIN: &str = "\x1b[?2004l";

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
    let able = std::env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb");
    let (marked, plain) = if able { (PASTES_MARKED, PASTES_PLAIN) } else { ("", "") };
    loop {
        // What was typed ahead was no answer to this.
        let _ = tcflush(std::io::stdin(), QueueSelector::IFlush);
        let asked = Instant::now();
        let line = answer(&format!("{marked}{question} {hint} "));
        eprint!("{plain}");
        let Some(line) = line? else { return Ok(Some(false)) };
        match read(&line, default) {
            Some(true) if !stands_alone(asked) => eprintln!("That came with other keys, or too soon: press y alone."),
            Some(answer) => return Ok(Some(answer)),
            None => eprintln!("Please answer y or n."),
        }
    }
}

/// Whether the line that has just ended was typed for the question asked then, and nothing follows it.
fn stands_alone(asked: Instant) -> bool {
    let mut keys = LoneKey::default();
    keys.shows((), 0);
    let now = u64::try_from(asked.elapsed().as_millis()).unwrap_or(u64::MAX);
    if keys.answers('y', now) != Pressed::Held {
        return false;
    }
    let input = std::io::stdin();
    let mut polled = [PollFd::new(&input, PollFlags::IN)];
    let patience = Timespec { tv_sec: 0, tv_nsec: i64::try_from(AFTER).unwrap_or(0) * 1_000_000 };
    let followed = rustix::event::poll(&mut polled, Some(&patience)).is_ok_and(|ready| ready > 0);
    !followed && keys.stands(now + AFTER).is_some()
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
