//! `aside call`: sends one record for a shell that cannot open a socket. The fields come on standard input, since the
//! arguments of a process can be read by every user of the machine.

use std::io::{Read, Write};

use aside_core::proto::record;
use aside_core::proto::stream::MAX_MESSAGE;

use crate::cli::{Exit, print};
use crate::client;
use crate::daemon::control;
use crate::paths::Paths;

/// How often a message is sent to a daemon that hangs up.
const TRIES: usize = 3;

/// Send one record, read from standard input as NUL-ended fields, to the daemon; used by the plugins
#[derive(clap::Args)]
#[command(hide = true)]
pub struct Args {}

pub fn run(_args: Args) -> anyhow::Result<Exit> {
    let paths = Paths::from_env()?;
    let mut input = Vec::new();
    std::io::stdin().take(MAX_MESSAGE as u64).read_to_end(&mut input)?;
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
