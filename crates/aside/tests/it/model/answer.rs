//! One answer of the script: what is said, how fast, and what goes wrong. Knows nothing of endpoints or bytes.

use std::time::Duration;

#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub what: What,
    /// Before the first byte.
    pub delay: Duration,
    /// Before each piece of a stream.
    pub pace: Duration,
    /// How many pieces of a stream come before something happens to it.
    pub breaks: Option<(usize, Break)>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// The pieces in which a stream says it; joined for a client that does not stream.
    Says(Vec<String>),
    Fails {
        status: u16,
        retry_after: Option<u64>,
    },
    /// A body that is none of the shapes a client expects.
    Raw(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break {
    /// The connection is closed.
    Drop,
    /// Nothing more comes until the client gives up.
    Hang,
}

impl Answer {
    /// All in one piece.
    pub fn chat(text: &str) -> Self {
        Self::streams([text])
    }

    /// Piece by piece, for a client that asked for a stream.
    pub fn streams<const COUNT: usize>(pieces: [&str; COUNT]) -> Self {
        Self::new(What::Says(pieces.map(str::to_owned).to_vec()))
    }

    /// An error with a body as the real servers write it.
    pub fn status(status: u16) -> Self {
        Self::new(What::Fails { status, retry_after: None })
    }

    /// Status 200 and this body, whatever was asked.
    pub fn raw(body: &str) -> Self {
        Self::new(What::Raw(body.to_owned()))
    }

    /// Closes the connection without a word.
    pub fn drops() -> Self {
        Self { breaks: Some((0, Break::Drop)), ..Self::streams([]) }
    }

    /// Never says a word.
    pub fn hangs() -> Self {
        Self { breaks: Some((0, Break::Hang)), ..Self::streams([]) }
    }

    /// Waits before the first byte.
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Waits before each piece.
    pub fn pace(mut self, pace: Duration) -> Self {
        self.pace = pace;
        self
    }

    /// The `retry-after` header of an error, in seconds.
    pub fn retry_after(mut self, seconds: u64) -> Self {
        if let What::Fails { retry_after, .. } = &mut self.what {
            *retry_after = Some(seconds);
        }
        self
    }

    /// Closes the connection within the body: after so many pieces of a stream, or half-way through a whole answer.
    pub fn drops_after(mut self, pieces: usize) -> Self {
        self.breaks = Some((pieces, Break::Drop));
        self
    }

    /// Falls silent within the body.
    pub fn hangs_after(mut self, pieces: usize) -> Self {
        self.breaks = Some((pieces, Break::Hang));
        self
    }

    fn new(what: What) -> Self {
        Self { what, delay: Duration::ZERO, pace: Duration::ZERO, breaks: None }
    }
}
