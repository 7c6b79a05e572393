//! Tasks that are asked for in a chat: what a message means before it is a request (`command`), and what the chat is told (`report`).
//! Knows no chat by name: every adapter goes through these two.

pub mod command;
pub mod report;

#[cfg(test)]
mod tests;
