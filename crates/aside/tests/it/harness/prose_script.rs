//! The scripted daemon's replies to prose: `Talk::so_far(&["One.", "Two."]).tail(&["Thr"])`. Each reply repeats the whole answer
//! from the beginning.

use std::io::Write;
use std::os::unix::net::UnixStream;

#[derive(Clone, Default)]
pub struct ProseReply {
    state: &'static str,
    note: String,
    proposal: String,
    warning: String,
    rows: Vec<String>,
    tail: Vec<String>,
}

/// The answer to a piece of prose, while it is being sent.
pub struct ProseStream {
    talks: Vec<ProseReply>,
    said: usize,
    listener: Option<(String, UnixStream)>,
}

impl ProseReply {
    pub fn thinking() -> Self {
        Self { state: "thinking", ..Self::default() }
    }

    pub fn so_far(rows: &[&str]) -> Self {
        Self { state: "partial", rows: owned(rows), ..Self::default() }
    }

    pub fn done(rows: &[&str]) -> Self {
        Self { state: "done", rows: owned(rows), ..Self::default() }
    }

    /// Rows that may still change.
    pub fn tail(mut self, tail: &[&str]) -> Self {
        self.tail = owned(tail);
        self
    }

    pub fn proposes(mut self, command: &str) -> Self {
        command.clone_into(&mut self.proposal);
        self
    }

    pub fn warns(mut self, warning: &str) -> Self {
        warning.clone_into(&mut self.warning);
        self
    }

    pub fn notes(mut self, note: &str) -> Self {
        note.clone_into(&mut self.note);
        self
    }

    fn record(&self, number: &str) -> Vec<u8> {
        let Self { state, note, proposal, warning, rows, tail } = self;
        let fields: Vec<&str> = [number, "said", state, note, proposal, warning].into();
        let (row_count, tail_count) = (rows.len().to_string(), tail.len().to_string());
        let rows = std::iter::once(&row_count).chain(rows);
        let tail = std::iter::once(&tail_count).chain(tail);
        let fields: Vec<&str> = fields.into_iter().chain(rows.chain(tail).map(String::as_str)).collect();
        (fields.join("\x1f") + "\0").into_bytes()
    }
}

impl ProseStream {
    pub fn new(talks: &[ProseReply]) -> Self {
        Self { talks: talks.to_vec(), said: 0, listener: None }
    }

    /// A client listens, perhaps again: returns everything sent so far in one reply.
    pub fn is_asked(&mut self, number: &str, stream: &UnixStream) -> Vec<u8> {
        self.listener = Some((number.to_owned(), stream.try_clone().unwrap()));
        match self.said {
            0 => ProseReply::thinking().record(number),
            said => self.talks[said - 1].record(number),
        }
    }

    pub fn is_heard(&self) -> bool {
        self.listener.is_some()
    }

    /// Sends the next reply to the current listener. False at the end.
    pub fn goes_on(&mut self) -> bool {
        let Some(talk) = self.talks.get(self.said) else { return false };
        self.said += 1;
        if let Some((number, stream)) = &mut self.listener {
            // The shell may have disconnected by now.
            _ = stream.write_all(&talk.record(number));
        }
        true
    }
}

fn owned(rows: &[&str]) -> Vec<String> {
    rows.iter().map(|row| (*row).to_owned()).collect()
}
