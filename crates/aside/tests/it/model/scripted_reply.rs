//! One scripted reply of the stub server: its content, its pace, and its failure. Knows nothing about endpoints or bytes.

use std::time::Duration;

#[derive(Clone, Debug, PartialEq)]
pub struct ScriptedReply {
    pub what: What,
    /// Before the first byte.
    pub delay: Duration,
    /// Before each piece of a stream.
    pub pace: Duration,
    /// After how many pieces a stream fails, and how.
    pub breaks: Option<(usize, Break)>,
    /// A `Content-Type` that differs from the actual content.
    pub content_type: Option<String>,
    /// The pause between the last piece of a stream and its end.
    pub linger: Duration,
    /// The reply says that it was truncated for length.
    pub cut: bool,
    /// The alternatives, for a client that asked for several.
    pub others: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// The pieces of a stream; joined for a client that does not stream.
    Says(Vec<String>),
    Fails {
        status: u16,
        retry_after: Option<String>,
        message: Option<String>,
    },
    /// Calls one of the client's tools, with arguments as JSON.
    Calls {
        name: String,
        arguments: String,
    },
    /// A body that has none of the expected shapes.
    Raw(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break {
    /// The connection is closed.
    Drop,
    /// Nothing more comes until the client gives up.
    Hang,
    /// Only keep-alive events arrive, at the pace of the stream, until the client gives up.
    Drip,
    /// An error event arrives instead of the rest.
    Error,
}

impl ScriptedReply {
    /// All in one piece.
    pub fn chat(text: &str) -> Self {
        Self::streams([text])
    }

    /// Piece by piece, for a client that asked for a stream.
    pub fn streams<const COUNT: usize>(pieces: [&str; COUNT]) -> Self {
        Self::new(What::Says(pieces.map(str::to_owned).to_vec()))
    }

    /// An error with a body like the real servers'.
    pub fn status(status: u16) -> Self {
        Self::new(What::Fails { status, retry_after: None, message: None })
    }

    /// An error with this message.
    pub fn refuses(status: u16, message: &str) -> Self {
        Self::new(What::Fails { status, retry_after: None, message: Some(message.to_owned()) })
    }

    /// Calls one of the client's tools instead of replying with text.
    pub fn calls(name: &str, arguments: serde_json::Value) -> Self {
        Self::new(What::Calls { name: name.to_owned(), arguments: arguments.to_string() })
    }

    /// Status 200 and this body, whatever the request.
    pub fn raw(body: &str) -> Self {
        Self::new(What::Raw(body.to_owned()))
    }

    /// Closes the connection without a reply.
    pub fn drops() -> Self {
        Self { breaks: Some((0, Break::Drop)), ..Self::streams([]) }
    }

    /// Never replies.
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

    /// The same header with arbitrary text, such as a date.
    pub fn retry_at(mut self, when: &str) -> Self {
        if let What::Fails { retry_after, .. } = &mut self.what {
            *retry_after = Some(when.to_owned());
        }
        self
    }

    /// Sends this `Content-Type` whatever the content.
    pub fn content_type(mut self, kind: &str) -> Self {
        self.content_type = Some(kind.to_owned());
        self
    }

    /// Delays the end of a stream's body after its last piece.
    pub fn lingers(mut self, linger: Duration) -> Self {
        self.linger = linger;
        self
    }

    /// Reports at its end that it was truncated for length.
    pub fn cut(mut self) -> Self {
        self.cut = true;
        self
    }

    /// Alternatives to the same reply.
    pub fn others<const COUNT: usize>(mut self, others: [&str; COUNT]) -> Self {
        self.others = others.map(str::to_owned).to_vec();
        self
    }

    /// Closes the connection within the body: after that many pieces of a stream, or half-way through a whole reply.
    pub fn drops_after(mut self, pieces: usize) -> Self {
        self.breaks = Some((pieces, Break::Drop));
        self
    }

    /// Stops sending within the body.
    pub fn hangs_after(mut self, pieces: usize) -> Self {
        self.breaks = Some((pieces, Break::Hang));
        self
    }

    /// Sends keep-alive events and no more text.
    pub fn drips_after(mut self, pieces: usize) -> Self {
        self.breaks = Some((pieces, Break::Drip));
        self
    }

    /// Breaks off with a server error within the stream.
    pub fn errs_after(mut self, pieces: usize) -> Self {
        self.breaks = Some((pieces, Break::Error));
        self
    }

    fn new(what: What) -> Self {
        let (delay, pace, linger) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
        Self { what, delay, pace, breaks: None, content_type: None, linger, cut: false, others: Vec::new() }
    }
}
