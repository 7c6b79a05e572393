//! The chats that call a server of ours, and are called with the answers: an app of WeCom, and any other chat through a signed webhook.
//! Each is a receiver (a call in, a value out; no I/O) and a sender.

pub mod webhook;
pub mod wecom;

/// A call from a chat, as a receiver needs it.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    pub is_post: bool,
    pub query: &'a str,
    pub body: &'a [u8],
    /// Of the webhook's headers.
    pub timestamp: &'a str,
    pub signature: &'a str,
}

/// A message from a chat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChatMessage {
    /// By which a second delivery is known.
    pub id: String,
    pub user: String,
    /// Where the answer goes: a group, or the user.
    pub chat: String,
    pub text: String,
}

/// What a call says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Received {
    Message(ChatMessage),
    /// The chat checks our address, and expects this.
    Echo(String),
    /// A picture, an event: it asks for nothing.
    Nothing,
    /// Not signed, old, or for another; this is why, for the log.
    Refused(String),
    /// Signed, and no message all the same.
    Malformed,
}

/// A call that was signed longer ago, or is to be signed yet, is a replay or comes from a clock that is off.
pub const WINDOW: u64 = 300;
