//! What a machine and the relay say to each other: JSON texts over one WebSocket that the machine opens. There is no frame that approves,
//! shows a file or runs anything: that a request from a chat waits for its machine's user does not depend on what the relay does.

use serde::{Deserialize, Serialize};

/// Where machines connect, and where a code becomes a key.
pub const MACHINE_PATH: &str = "/machine";
pub const ENROL_PATH: &str = "/enroll";
/// Bytes of a frame.
pub const MAX_FRAME: usize = 64 * 1024;
/// Bytes of a reply: what one message of WeCom holds.
pub const MAX_REPLY: usize = 2048;
/// Bytes of a request.
pub const MAX_TEXT: usize = 8 * 1024;
/// Bytes of a name that a chat gives, and of the id of a message.
pub const MAX_NAME: usize = 128;
pub const MAX_ID: usize = 256;
/// Other machines of a user that a machine is told of.
pub const MAX_OTHERS: usize = 8;

/// From the relay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToMachine {
    /// The first frame: what the machine has to sign.
    Challenge { nonce: String },
    /// The signature was right.
    Welcome { machine: String },
    /// The connection ends, and trying again does not help.
    Refused { why: String },
    /// A message of a user. Comes again until it was taken, so it may come twice.
    Deliver(Message),
    /// A reply is stored, and the relay sees to it from here on.
    Stored { id: String },
    /// A reply is not taken, and never will be.
    Rejected { id: String, why: String },
}

/// From a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToRelay {
    Hello {
        machine: String,
        signature: String,
    },
    /// A message was acted upon, or need not be.
    Taken {
        id: String,
    },
    /// To a chat that has written to this machine. A second one with the same id is the first.
    Reply {
        id: String,
        chat: String,
        topic: String,
        text: String,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The relay's own; the same for every delivery.
    pub id: String,
    pub user: String,
    /// A handle for replies: the source and the chat there.
    pub chat: String,
    pub text: String,
    /// The user's other machines, some of them, if the message named none: it may be about one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// The message before it in this chat was refused by the relay: it may be about that one.
    #[serde(default)]
    pub after_refusal: bool,
}

/// What a machine sends to become known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enrol {
    pub code: String,
    pub public_key: String,
}

/// What it is called from then on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enrolled {
    pub machine: String,
}
