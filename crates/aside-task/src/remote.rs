//! Tasks that are asked for in a chat: what a message means before it is a request (`command`), which
//! task a short one is about (`meant`), and what the chat is told (`report`, in Chinese with the help of `chinese`).
//! Knows no chat by name: every adapter goes through these two.

pub mod command;
pub mod meant;
pub mod report;

mod afar;
mod chinese;

use aside_text::visible;

use crate::proposal::{RequestSource, UserRequest};

/// Who asked for a task from a chat, and in which one, for the user who has to approve it. None for what was asked at this machine.
pub fn asked_by(request: &UserRequest) -> Option<String> {
    let source = match request.source {
        RequestSource::LocalUi => return None,
        RequestSource::Wecom | RequestSource::Webhook | RequestSource::Relay => request.source.name(),
    };
    let user = request.from_user.as_deref().filter(|user| !user.is_empty()).unwrap_or("an unnamed user");
    let behind = |text: &'_ str, before: &str| text.strip_prefix(before)?.strip_prefix(':').map(str::to_owned);
    let chat = behind(&request.thread_id, source).and_then(|rest| behind(&rest, user));
    let user = visible::exact(user);
    Some(match chat {
        Some(chat) => format!("{user} ({source}), in the chat {}", visible::exact(&chat)),
        None => format!("{user} ({source})"),
    })
}

#[cfg(test)]
mod tests;
