//! `aside call`: sends records for a shell that cannot open a socket. The fields come on standard input, since the
//! arguments of a process can be read by every user of the machine.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use aside_core::proto::record;
use aside_core::proto::stream::{MAX_MESSAGE, Stream};

use crate::cli::{Exit, print};
use crate::client;
use crate::daemon::control;
use crate::paths::Paths;

/// How often a message is sent to a daemon that hangs up.
const TRIES: usize = 3;

/// Send one record, read from standard input as NUL-ended fields, to the daemon; used by the plugins
#[derive(clap::Args)]
#[command(hide = true)]
pub struct Args {
    /// For a shell that waits: whole records, each after the number of its fields, whose answers are lines of fields
    /// between 0x1F. No daemon is started, and after so many milliseconds nothing is said
    #[arg(long, value_name = "N")]
    within_ms: Option<u64>,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let began = Instant::now();
    let paths = Paths::from_env()?;
    let mut input = Vec::new();
    std::io::stdin().take(MAX_MESSAGE as u64).read_to_end(&mut input)?;
    if let Some(limit) = args.within_ms {
        let answers = ask_at_once(&paths, &input, began + Duration::from_millis(limit));
        return match answers {
            Some(answers) => print(&answers).map(|()| Exit::Done),
            None => Ok(Exit::Unreachable),
        };
    }
    let input = String::from_utf8_lossy(&input);
    let fields: Vec<&str> = input.strip_suffix('\0').unwrap_or(&input).split('\0').collect();
    let message = record::encode_fields(&fields);
    // A daemon that hands over or ends hangs up. A command is stored once, however often it is sent.
    let mut answer = String::new();
    for _ in 0..TRIES {
        answer = match ask(&paths, &message) {
            Ok(answer) => answer,
            Err(_) => return Ok(Exit::Unreachable),
        };
        if !answer.is_empty() {
            break;
        }
    }
    print(&format!("{answer}\n"))?;
    Ok(match answer.split('\t').nth(1) {
        None => Exit::Unreachable,
        Some("error") => Exit::Failed,
        Some(_) => Exit::Done,
    })
}

/// Empty when the daemon hung up. We already run in the background of a shell, so there is time to wait for one.
fn ask(paths: &Paths, message: &[u8]) -> anyhow::Result<String> {
    let connected = client::connect(&paths.socket).or_else(|_| {
        control::start(paths)?;
        Ok::<_, anyhow::Error>(client::connect(&paths.socket)?)
    });
    let mut stream = connected?;
    let mut answer = Vec::new();
    let mut byte = [0];
    if stream.write_all(message).is_ok() {
        while answer.len() < MAX_MESSAGE && matches!(stream.read(&mut byte), Ok(1)) && byte[0] != 0 {
            answer.push(byte[0]);
        }
    }
    Ok(String::from_utf8_lossy(&answer).replace('\x1f', "\t"))
}

/// One answer for each record, in the order of their numbers, or nothing when that takes too long.
fn ask_at_once(paths: &Paths, records: &[u8], deadline: Instant) -> Option<String> {
    let left = || deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero());
    let mut stream = client::connect(&paths.socket).ok()?;
    stream.set_write_timeout(Some(left()?)).ok()?;
    stream.write_all(records).ok()?;
    let wanted = count(records);
    let mut answers = Vec::new();
    let mut bytes = [0; 4096];
    while answers.iter().filter(|byte| **byte == 0).count() < wanted {
        stream.set_read_timeout(Some(left()?)).ok()?;
        let read = stream.read(&mut bytes).ok().filter(|read| *read > 0)?;
        answers.extend_from_slice(bytes.get(..read)?);
        if answers.len() > MAX_MESSAGE {
            return None;
        }
    }
    Some(lines(&String::from_utf8_lossy(&answers)))
}

fn count(records: &[u8]) -> usize {
    let mut stream = Stream::default();
    stream.push(records);
    stream.frames().len()
}

fn lines(answers: &str) -> String {
    let number = |answer: &&str| answer.split('\x1f').next().and_then(|number| number.parse::<u64>().ok());
    let mut answers: Vec<&str> = answers.split_terminator('\0').collect();
    answers.sort_by_key(number);
    answers.iter().map(|answer| answer.replace('\n', " ") + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_lines_in_the_order_of_the_questions() {
        assert_eq!(
            lines("10\x1fdetect\x1fagent\x1ftwo\nlines\u{0}9\x1fhello\0"),
            "9\x1fhello\n10\x1fdetect\x1fagent\x1ftwo lines\n"
        );
        let two = [record::encode_fields(&["1", "status"]), record::encode_fields(&["2", "why", "s"])].concat();
        assert_eq!(count(&two), 2);
        assert_eq!(count(&two[..two.len() - 1]), 1);
    }
}
