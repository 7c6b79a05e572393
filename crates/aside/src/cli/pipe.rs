//! `aside pipe`: relays standard input and output to the daemon, for a zsh without `zsh/net/socket`. Ends with the
//! connection, as a socket would; the shell starts another.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use anyhow::Context;

use crate::cli::Exit;
use crate::client;
use crate::daemon::control;
use crate::paths::Paths;

/// How often to look whether the shell is still there: a program that it started may hold our input open.
const LOOK: Duration = Duration::from_secs(2);

/// Relay standard input and output to the daemon; used by a zsh without zsh/net/socket
#[derive(clap::Args)]
#[command(hide = true)]
pub struct Args {}

pub fn run(_args: Args) -> anyhow::Result<Exit> {
    let paths = Paths::from_env()?;
    let mut stream = match client::connect(&paths.socket) {
        Ok(stream) => stream,
        // Nobody waits for this process, so it may wait for the daemon.
        Err(_) => {
            control::start(&paths)?;
            client::connect(&paths.socket)?
        }
    };
    stream.set_read_timeout(None).context("could not wait for the daemon")?;
    leave_with_the_shell();
    answer_back(stream.try_clone().context("could not share the connection")?);
    let mut input = std::io::stdin().lock();
    let mut chunk = [0; 8192];
    while let Ok(length @ 1..) = input.read(&mut chunk) {
        if stream.write_all(&chunk[..length]).is_err() {
            break;
        }
    }
    Ok(Exit::Done)
}

fn answer_back(mut stream: UnixStream) {
    std::thread::spawn(move || {
        let mut chunk = [0; 8192];
        let mut output = std::io::stdout();
        while let Ok(length @ 1..) = stream.read(&mut chunk) {
            if output.write_all(&chunk[..length]).and_then(|()| output.flush()).is_err() {
                break;
            }
        }
        // The daemon or the shell is gone, and the other one should hear of it.
        std::process::exit(0);
    });
}

fn leave_with_the_shell() {
    let shell = rustix::process::getppid();
    std::thread::spawn(move || {
        while rustix::process::getppid() == shell {
            std::thread::sleep(LOOK);
        }
        std::process::exit(0);
    });
}
