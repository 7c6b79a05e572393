//! `aside pipe`: relays standard input and output to the daemon, for a zsh without `zsh/net/socket`. Ends with the connection, as a socket
//! would; the shell starts another. Drops requests about tasks, since other programs can write into a shell's pipe.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use anyhow::Context;
use aside_proto::stream::{Frame, Stream};
use aside_proto::{Call, Request, record};

use crate::cli::Exit;
use crate::client;
use crate::daemon::control;
use crate::paths::Paths;

/// Poll interval for the shell's end: a program that it started may hold our input open.
const LOOK: Duration = Duration::from_secs(2);

/// Relay standard input and output to the daemon; used by a zsh without zsh/net/socket
#[derive(clap::Args)]
#[command(hide = true)]
pub struct Args {}

pub fn run(_args: Args) -> anyhow::Result<Exit> {
    let paths = Paths::from_env()?;
    let mut stream = match client::connect(&paths.socket) {
        Ok(stream) => stream,
        // Runs in the background, so it may wait for a daemon to start.
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
    let mut calls = Stream::default();
    let is_private = client::is_private();
    while let Ok(length @ 1..) = input.read(&mut chunk) {
        calls.push(&chunk[..length]);
        if stream.write_all(&passed_on(&mut calls, is_private)).is_err() {
            break;
        }
    }
    Ok(Exit::Done)
}

fn passed_on(calls: &mut Stream, is_private: bool) -> Vec<u8> {
    let call = |frame| match frame {
        Frame::Call(Call { request: Request::Task(_), .. }) => None,
        Frame::Call(mut call) => {
            if is_private {
                call.make_private();
            }
            Some(record::encode_call(&call))
        }
        Frame::Foreign(_) | Frame::Bad { .. } | Frame::Lost { .. } => None,
    };
    calls.frames().into_iter().filter_map(call).flatten().collect()
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
        // The daemon or the shell is gone; exiting closes the connection to the other.
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

#[cfg(test)]
mod tests {
    use aside_proto::stream::Stream;
    use aside_proto::{Call, Request, json, record};

    #[test]
    fn what_a_shell_asks_is_passed_on_and_a_task_is_not() {
        let task = |op: &str| -> Call {
            json::decode(&format!(r#"{{"type":"task","request_id":7,"op":"{op}","taskId":"t-1"}}"#)).unwrap()
        };
        let status = Call::new(8, Request::Status);
        for op in ["approve", "ask", "list"] {
            let mut calls = Stream::default();
            calls.push(&record::encode_call(&task(op)));
            calls.push(&record::encode_call(&status));
            assert_eq!(super::passed_on(&mut calls, false), record::encode_call(&status), "{op}");
            let mut calls = Stream::default();
            calls.push(&json::encode_call(&task(op)));
            assert_eq!(super::passed_on(&mut calls, false), Vec::<u8>::new(), "{op} in JSON");
        }
    }
    #[test]
    fn a_private_shell_says_so_in_every_line() {
        let line = r#"{"type":"complete","cwd":"/","left":"git st"}"#;
        let says = |line: &str, is_private: bool| {
            let mut calls = Stream::default();
            calls.push(format!("{line}\n").as_bytes());
            let mut passed = Stream::default();
            passed.push(&super::passed_on(&mut calls, is_private));
            matches!(passed.frames().as_slice(), [aside_proto::stream::Frame::Call(Call { private: true, .. })])
        };
        assert!(says(line, true) && !says(line, false));
        assert!(says(&line.replace("}", r#","private":true}"#), false), "what a line says of itself is kept");
    }
}
