//! A client of the daemon's socket for the bridges: sends one request and reads its replies on demand. A browser that does not read holds
//! up nothing but its own connection.

use std::io;
use std::path::Path;

use aside_proto::task::TaskParams;
use aside_proto::{Answer, Call, Reply, Request, json};
use aside_task::log;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;

use crate::client;

/// Cap on a reply: the longest event that a log holds, and its envelope.
const MAX_ANSWER: usize = log::MAX_LINE + 64 * 1024;

pub struct DaemonClient {
    stream: BufReader<UnixStream>,
    /// The bytes received of the next reply.
    part: Vec<u8>,
}

impl DaemonClient {
    /// Sends the request. `next` gives its replies.
    pub async fn say(socket: &Path, task: TaskParams) -> io::Result<Self> {
        let stream = client::connect(socket).map_err(io::Error::other)?;
        stream.set_nonblocking(true)?;
        let mut stream = BufReader::new(UnixStream::from_std(stream)?);
        let call = Call::new(1, Request::Task(Box::new(task)));
        stream.write_all(&json::encode_call(&call)).await?;
        Ok(Self { stream, part: Vec::new() })
    }

    /// The next reply, or `None` at the end. Cancel-safe: bytes received so far are kept.
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
