//! Chats that call this machine: each call is answered at once, and what it says is handed to the chat behind that.

use std::sync::Arc;

use anyhow::Context;
use aside_relay::chat::{Call, ChatMessage, Received, webhook};
use aside_relay::http::{self, HttpRequest, HttpResponse};
use aside_relay::protocol::{MAX_ID, MAX_NAME, MAX_TEXT};
use hyper::{Method, StatusCode};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::bridge;
use crate::bridge::remote::Incoming;
use crate::bridge::remote::chat::Chat;

/// Where it listens when the settings do not say.
const LISTEN: &str = "127.0.0.1:8017";
/// Messages that the chat has not taken yet.
const MAX_HEARD: usize = 64;

/// How a chat wants to be told that a message was taken.
#[derive(Clone, Copy)]
pub enum AckStatus {
    Ok,
    Accepted,
}

pub async fn bind(address: &str) -> anyhow::Result<TcpListener> {
    http::bind(if address.is_empty() { LISTEN } else { address }).await.context("remote.listen")
}

/// Serves until it is dropped.
pub async fn serve<F>(listener: TcpListener, chat: &Chat, taken: AckStatus, receive: F)
where
    F: Fn(Call<'_>, u64) -> Received + Send + Sync + 'static,
{
    let (heard, mut messages) = mpsc::channel(MAX_HEARD);
    let receive = Arc::new(receive);
    let answer = move |asked: HttpRequest| {
        let (heard, receive) = (heard.clone(), Arc::clone(&receive));
        async move { answer(&asked, taken, &*receive, &heard) }
    };
    tokio::select! {
        () = http::serve(listener, answer) => {}
        () = async { while let Some(ChatMessage { id, user, chat: to, text }) = messages.recv().await {
            chat.hear(Incoming { id, user, chat: to, text, ..Incoming::default() });
        } } => {}
    }
}

fn answer(
    asked: &HttpRequest,
    taken: AckStatus,
    receive: &impl Fn(Call<'_>, u64) -> Received,
    heard: &mpsc::Sender<ChatMessage>,
) -> HttpResponse {
    let is_post = asked.method == Method::POST;
    let may_get = match taken {
        AckStatus::Ok => asked.method == Method::GET,
        AckStatus::Accepted => false,
    };
    if !is_post && !may_get {
        return HttpResponse::of(StatusCode::METHOD_NOT_ALLOWED, "");
    }
    let call = Call {
        is_post,
        query: &asked.query,
        body: &asked.body,
        timestamp: asked.header(webhook::TIMESTAMP),
        signature: asked.header(webhook::SIGNATURE),
    };
    let taken = match taken {
        AckStatus::Ok => StatusCode::OK,
        AckStatus::Accepted => StatusCode::ACCEPTED,
    };
    match receive(call, bridge::seconds()) {
        Received::Message(message) if taken == StatusCode::ACCEPTED && !is_named(&message) => {
            let told = format!("user and chat have 1 to {MAX_NAME} bytes each, id 1 to {MAX_ID}\n");
            HttpResponse::of(StatusCode::BAD_REQUEST, &told)
        }
        // Its user is told, and so is the caller, as by a relay.
        Received::Message(message) if taken == StatusCode::ACCEPTED && message.text.len() > MAX_TEXT => {
            let _ = heard.try_send(message);
            HttpResponse::of(StatusCode::PAYLOAD_TOO_LARGE, &format!("a text has at most {MAX_TEXT} bytes\n"))
        }
        // What does not fit any more, the chat delivers again.
        Received::Message(message) => match heard.try_send(message) {
            Ok(()) => HttpResponse::of(taken, ""),
            Err(_) => HttpResponse::of(StatusCode::SERVICE_UNAVAILABLE, ""),
        },
        Received::Echo(text) => HttpResponse::of(StatusCode::OK, &text),
        Received::Nothing => HttpResponse::of(StatusCode::OK, ""),
        Received::Malformed => HttpResponse::of(StatusCode::BAD_REQUEST, "id, user and text are needed\n"),
        Received::Refused(why) => {
            tracing::warn!("a callback was refused: {why}");
            HttpResponse::of(StatusCode::FORBIDDEN, "")
        }
    }
}

fn is_named(message: &ChatMessage) -> bool {
    let fits = |name: &str, most: usize| (1..=most).contains(&name.len());
    fits(&message.user, MAX_NAME) && fits(&message.chat, MAX_NAME) && fits(&message.id, MAX_ID)
}
