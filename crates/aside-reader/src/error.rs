//! What can be wrong with a model's files and with a request.

use std::fmt;
use std::io;

#[derive(Debug)]
pub enum Error {
    /// A file could not be read or written; the text reads on from "could not".
    Io(&'static str, io::Error),
    /// Not a file of the expected kind, or one that contradicts itself.
    Format(String),
    /// A file of the right kind that has changed since it was written.
    Damaged(String),
    /// A sound file, but of another base or with other weights than were asked for.
    OtherModel(String),
    /// The prompt has more tokens than the reader accepts.
    PromptTooLong { tokens: usize, at_most: usize },
    /// A prompt without tokens has no continuation.
    EmptyPrompt,
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io(what, error) => write!(out, "could not {what}: {error}"),
            Error::Format(what) | Error::Damaged(what) | Error::OtherModel(what) => out.write_str(what),
            Error::PromptTooLong { tokens, at_most } => {
                write!(out, "the prompt has {tokens} tokens, more than {at_most}")
            }
            Error::EmptyPrompt => out.write_str("the prompt is empty"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io(_, error) => Some(error),
            Error::Format(_)
            | Error::Damaged(_)
            | Error::OtherModel(_)
            | Error::PromptTooLong { .. }
            | Error::EmptyPrompt => None,
        }
    }
}

/// `Error::Format` with the name of the file's kind before it.
pub(crate) fn wrong(what: impl Into<String>) -> Error {
    Error::Format(what.into())
}
