//! What WeCom sends and expects: the encryption of its callbacks (`crypto`), the messages inside of them (`callback`), the frames of
//! the long connection of an intelligent robot (`frame`), and what keeps a sender within limits: `seen` drops what is delivered twice,
//! `pace` holds back what would exceed a rate limit. No I/O, no clock: bytes and times in, values out.

pub mod callback;
pub mod crypto;
pub mod frame;
pub mod pace;
pub mod seen;
