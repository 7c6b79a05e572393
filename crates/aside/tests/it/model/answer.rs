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
    /// What the answer is said to be, when that is not what it is.
    pub content_type: Option<String>,
    /// Before the last bytes of a stream, after everything has been said.
    pub linger: Duration,
    /// It says that it had no room for more.
    pub cut: bool,
    /// The other answers, for a client that asked for several.
    pub others: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// The pieces in which a stream says it; joined for a client that does not stream.
    Says(Vec<String>),
    Fails {
        status: u16,
        retry_after: Option<String>,
        message: Option<String>,
    },
    /// A tool that the client has, with arguments as JSON.
    Calls {
        name: String,
        arguments: String,
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
    /// Only signs of life come, one for each pace, until the client gives up.
    Drip,
    /// An error comes instead of the rest.
    Error,
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
        Self::new(What::Fails { status, retry_after: None, message: None })
    }

    /// An error in these words.
    pub fn refuses(status: u16, message: &str) -> Self {
        Self::new(What::Fails { status, retry_after: None, message: Some(message.to_owned()) })
    }

    /// Calls a tool of the client's instead of saying something.
    pub fn calls(name: &str, arguments: serde_json::Value) -> Self {
        Self::new(What::Calls { name: name.to_owned(), arguments: arguments.to_string() })
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
    pub fn retry_after(self, seconds: u64) -> Self {
        self.retry_at(&seconds.to_string())
    }

    /// The same header as any text, such as a date.
    pub fn retry_at(mut self, when: &str) -> Self {
        if let What::Fails { retry_after, .. } = &mut self.what {
            *retry_after = Some(when.to_owned());
        }
        self
    }

    /// Calls what it says something else.
    pub fn content_type(mut self, kind: &str) -> Self {
        self.content_type = Some(kind.to_owned());
        self
    }

    /// Ends the body of a stream so much later than the answer.
    pub fn lingers(mut self, linger: Duration) -> Self {
        self.linger = linger;
        self
    }

    /// Says at its end that it had no room for more.
    pub fn cut(mut self) -> Self {
        self.cut = true;
        self
    }

    /// More answers to the same question.
    pub fn others<const COUNT: usize>(mut self, others: [&str; COUNT]) -> Self {
        self.others = others.map(str::to_owned).to_vec();
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

    /// Gives signs of life and no more words.
    pub fn drips_after(mut self, pieces: usize) -> Self {
        self.breaks = Some((pieces, Break::Drip));
        self
    }

    /// Breaks off with an error of the server's, within the stream.
    pub fn errs_after(mut self, pieces: usize) -> Self {
        self.breaks = Some((pieces, Break::Error));
        self
    }

    fn new(what: What) -> Self {
        let (delay, pace, linger) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
        Self { what, delay, pace, breaks: None, content_type: None, linger, cut: false, others: Vec::new() }
    }
}
