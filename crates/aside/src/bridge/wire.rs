//! The daemon's socket, spoken to as any client does: one message, and its answers one by one. Reads only as fast as they are
//! asked for, so a browser that does not read holds nothing but its own connection.

use std::io;
use std::path::Path;

use aside_core::proto::task::Task;
use aside_core::proto::{Answer, Call, Reply, Request, json};
use aside_core::task::log;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;

use crate::client;

/// One answer: the longest event that a log holds, and what is around it.
const MAX_ANSWER: usize = log::MAX_LINE + 64 * 1024;

pub struct Wire {
    stream: BufReader<UnixStream>,
    /// What has come of the next answer.
    part: Vec<u8>,
}

impl Wire {
    /// Says the message. Its answers are what `next` gives.
    pub async fn say(socket: &Path, task: Task) -> io::Result<Self> {
        let stream = client::connect(socket).map_err(io::Error::other)?;
        stream.set_nonblocking(true)?;
        let mut stream = BufReader::new(UnixStream::from_std(stream)?);
        let call = Call::new(1, Request::Task(Box::new(task)));
        stream.write_all(&json::encode_call(&call)).await?;
        Ok(Self { stream, part: Vec::new() })
    }

    /// The next answer, or nothing when there are no more. May be given up and asked again: what has come is kept.
    pub async fn next(&mut self) -> io::Result<Option<Reply>> {
        loop {
            let read = self.stream.fill_buf().await?;
            if read.is_empty() {
                return Ok(None);
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let length = end.map_or(read.len(), |end| end + 1);
            if self.part.len() + length > MAX_ANSWER {
                return Err(io::Error::other("an answer of the daemon has no end"));
            }
            self.part.extend_from_slice(&read[..length]);
            self.stream.consume(length);
            if end.is_some() {
                let line = std::mem::take(&mut self.part);
                let answer: Answer = serde_json::from_slice(&line).map_err(io::Error::other)?;
                return Ok(Some(answer.reply));
            }
        }
    }
}
