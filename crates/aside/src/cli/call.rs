//! `aside call`: sends records for a shell that cannot open a socket. The fields come on standard input, since every user of the machine
//! can read a process's arguments.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use aside_proto::stream::{Frame, MAX_MESSAGE, frames};
use aside_proto::{Call, Request, record};

use crate::cli::{Exit, print};
use crate::client;
use crate::daemon::control;
use crate::paths::Paths;

mod announce_shell;

/// Tries when the daemon closes the connection.
const TRIES: usize = 3;

/// Send one record, read from standard input as NUL-ended fields, to the daemon; used by the plugins
#[derive(clap::Args)]
#[command(hide = true)]
pub struct Args {
    /// For a shell that waits: whole records, each after the number of its fields, whose answers are lines of fields
    /// between 0x1F. No daemon is started, and after so many milliseconds nothing is said
    #[arg(long, value_name = "N")]
    within_ms: Option<u64>,
    /// For a shell that waits for nothing: whole records too, among them where it runs; what the daemon says to that, and the
    /// shell does not know yet, is left in this file
    #[arg(long, value_name = "FILE", conflicts_with = "within_ms")]
    place: Option<PathBuf>,
    /// Which tier the shell goes by
    #[arg(long, value_name = "TIER", default_value = "off", requires = "place")]
    knows: String,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let began = Instant::now();
    let paths = Paths::from_env()?;
    let mut input = Vec::new();
    std::io::stdin().take(MAX_MESSAGE as u64).read_to_end(&mut input)?;
    if client::is_private() {
        input = made_private(input, args.within_ms.is_some() || args.place.is_some());
    }
    if let Some(limit) = args.within_ms {
        let answers = ask_at_once(&paths, &input, began + Duration::from_millis(limit));
        return match answers {
            Some(answers) => print(&answers).map(|()| Exit::Done),
            None => Ok(Exit::Unreachable),
        };
    }
    if let Some(file) = args.place {
        return tell_all(&paths, &input, &file, &args.knows);
    }
    let input = String::from_utf8_lossy(&input);
    let fields: Vec<&str> = input.strip_suffix('\0').unwrap_or(&input).split('\0').collect();
    send(&paths, &record::encode_fields(&fields))
}

/// Marks every record as private, for a private shell. Drops records that cannot be parsed, since they cannot be marked.
fn made_private(input: Vec<u8>, whole_records: bool) -> Vec<u8> {
    if whole_records {
        let calls = frames(&input).into_iter().filter_map(|frame| match frame {
            Frame::Call(mut call) => {
                call.make_private();
                Some(record::encode_call(&call))
            }
            Frame::Foreign(_) | Frame::Bad { .. } | Frame::Lost { .. } => None,
        });
        return calls.flatten().collect();
    }
    let text = String::from_utf8_lossy(&input);
    let fields: Vec<&str> = text.strip_suffix('\0').unwrap_or(&text).split('\0').collect();
    let Ok(mut call) = record::decode(&fields) else { return Vec::new() };
    call.make_private();
    let encoded = record::encode_call(&call);
    // Removes the count in front again: this form came without it.
    let count = encoded.iter().position(|byte| *byte == 0).map_or(0, |end| end + 1);
    encoded.get(count..).unwrap_or_default().to_vec()
}

fn send(paths: &Paths, message: &[u8]) -> anyhow::Result<Exit> {
    // A daemon that hands over or ends closes the connection. A command is stored once, however often it is sent.
    let mut answer = String::new();
    for _ in 0..TRIES {
        answer = match ask(paths, message) {
            Ok(answer) => answer,
            Err(_) => return Ok(Exit::Unreachable),
        };
        if !answer.is_empty() {
            break;
        }
    }
    print(&format!("{}\n", answer.replace('\x1f', "\t")))?;
    Ok(match answer.split('\x1f').nth(1) {
        None => Exit::Unreachable,
        Some("error") => Exit::Failed,
        Some(_) => Exit::Done,
    })
}

/// Sends the shell's location last: the daemon may need a moment for it.
fn tell_all(paths: &Paths, records: &[u8], file: &Path, knows: &str) -> anyhow::Result<Exit> {
    let mut exit = Exit::Done;
    let mut placed = None;
    for frame in frames(records) {
        match frame {
            Frame::Call(Call { request: Request::Capture(asked), .. }) => placed = Some(asked),
            Frame::Call(call) => exit = send(paths, &record::encode_call(&call))?,
            Frame::Foreign(_) | Frame::Bad { .. } | Frame::Lost { .. } => exit = Exit::Failed,
        }
    }
    if let Some(asked) = placed {
        announce_shell::announce(paths, asked, file, knows)?;
    }
    Ok(exit)
}

/// Empty when the daemon closed the connection. May wait for a daemon to start, since it runs in the background of the shell.
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
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// One reply for each question, in the order of their numbers, or `None` after the deadline.
fn ask_at_once(paths: &Paths, records: &[u8], deadline: Instant) -> Option<String> {
    let left = || deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero());
    let mut stream = client::connect(&paths.socket).ok()?;
    stream.set_write_timeout(Some(left()?)).ok()?;
    stream.write_all(records).ok()?;
    let asked = Asked::of(records);
    let mut answers = Vec::new();
    let mut bytes = [0; 4096];
    while asked.answers(&answers).len() < asked.questions {
        stream.set_read_timeout(Some(left()?)).ok()?;
        let read = stream.read(&mut bytes).ok().filter(|read| *read > 0)?;
        answers.extend_from_slice(bytes.get(..read)?);
        if answers.len() > MAX_MESSAGE {
            return None;
        }
    }
    Some(lines(asked.answers(&answers)))
}

/// The replies that the shell waits for. A finished command is only announced, because the question behind it depends on it; a call that
/// can wait until it is stored sends it again.
struct Asked {
    questions: usize,
    told: Vec<u64>,
}

impl Asked {
    fn of(records: &[u8]) -> Self {
        let frames = frames(records);
        let told = frames.iter().filter_map(|frame| match frame {
            Frame::Call(Call { id, request: Request::Finished(_), .. }) => Some(*id),
            _ => None,
        });
        let told: Vec<u64> = told.collect();
        Self { questions: frames.len() - told.len(), told }
    }

    /// Each complete reply, with its number.
    fn answers(&self, bytes: &[u8]) -> Vec<(Option<u64>, String)> {
        let whole = bytes.iter().rposition(|byte| *byte == 0).map_or(&[][..], |end| &bytes[..end]);
        let answers = whole.split(|byte| *byte == 0).filter(|answer| !answer.is_empty());
        let numbered = answers.map(|answer| {
            let answer = String::from_utf8_lossy(answer).into_owned();
            (answer.split('\x1f').next().and_then(|number| number.parse().ok()), answer)
        });
        numbered.filter(|(number, _)| !number.is_some_and(|number| self.told.contains(&number))).collect()
    }
}

fn lines(mut answers: Vec<(Option<u64>, String)>) -> String {
    answers.sort_by_key(|(number, _)| *number);
    answers.iter().map(|(_, answer)| answer.replace('\n', " ") + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_of_a_private_shell_says_so() {
        let fields = ["3", "finished", "s", "1", "/", "0", "0", "0", "bash", "ls"];
        let one = made_private(fields.map(|field| format!("{field}\0")).concat().into_bytes(), false);
        let text = String::from_utf8(one).unwrap();
        let told = record::decode(&text.strip_suffix('\0').unwrap().split('\0').collect::<Vec<_>>()).unwrap();
        assert!(told.private && matches!(&told.request, Request::Finished(told) if told.command == "ls"), "{told:?}");
        let asks = ["4", "ask", "s", "/", "why is it so", "bash", "1", "80", "1", "0"];
        let both = [record::encode_fields(&fields), record::encode_fields(&asks)].concat();
        let is_private = |frame: &Frame| matches!(frame, Frame::Call(call) if call.private);
        assert_eq!(frames(&made_private(both, true)).iter().filter(|frame| is_private(frame)).count(), 2);
    }

    #[test]
    fn answers_are_lines_in_the_order_of_the_questions() {
        let ended = record::encode_fields(&["3", "finished", "s", "1", "/", "0", "0", "0", "bash", "true"]);
        let two = [record::encode_fields(&["9", "status"]), record::encode_fields(&["10", "why", "s"])].concat();
        assert_eq!(Asked::of(&two[..two.len() - 1]).questions, 1);
        let asked = Asked::of(&[ended, two].concat());
        assert_eq!(asked.questions, 2);
        let answers = b"10\x1fdetect\x1fagent\x1ftwo\nlines\x003\x1fok\x009\x1fhello\0";
        assert_eq!(lines(asked.answers(answers)), "9\x1fhello\n10\x1fdetect\x1fagent\x1ftwo lines\n");
        assert_eq!(asked.answers(&answers[..answers.len() - 1]).len(), 1, "one is not whole, and one is no answer");
    }
}
