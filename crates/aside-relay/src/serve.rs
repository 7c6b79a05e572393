//! A relay that runs: the store that the settings name, two listeners, and what goes on beside them.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use hyper::{Method, StatusCode};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::chat::{Call, Received, webhook, wecom};
use crate::http::{self, HttpRequest, HttpResponse};
use crate::machine::{self, ConnectionSlots};
use crate::protocol::{ENROL_PATH, Enrol, Enrolled, MACHINE_PATH, MAX_ID, MAX_NAME, MAX_TEXT};
use crate::relay::{Accepted, Relay};
use crate::settings::Settings;
use crate::store::Store;
use crate::store::sqlite::Sqlite;
use crate::{admin, reply_sender, seconds};

pub const DATABASE: &str = "relay.db";
/// Between two looks at what waits, and before notes are listened to again.
const LOOK: Duration = Duration::from_secs(15);
const RETRY: Duration = Duration::from_secs(1);

/// What chats and machines reach.
struct Front {
    relay: Arc<Relay>,
    places: Arc<ConnectionSlots>,
    wecom: Option<wecom::Receiver>,
    webhook: Option<webhook::Receiver>,
}

pub async fn store(settings: &Settings, dir: &Path) -> anyhow::Result<Arc<dyn Store>> {
    if settings.nats.is_empty() {
        return Ok(Arc::new(Sqlite::open(&dir.join(DATABASE), settings.expire)?));
    }
    #[cfg(feature = "nats")]
    {
        use crate::store::nats::Nats;
        Ok(Arc::new(Nats::connect(&settings.nats, settings.replicas, settings.expire).await?))
    }
    #[cfg(not(feature = "nats"))]
    anyhow::bail!("this program was built without NATS; build it with `--features nats`, or leave nats.url empty")
}

/// Serves until it is dropped, or cannot any more. `ready` is told where it listens: for the public, and for the operator.
pub async fn run(relay: Arc<Relay>, ready: impl FnOnce(&TcpListener, &TcpListener)) -> anyhow::Result<()> {
    let settings = &relay.settings;
    let front = Front {
        relay: Arc::clone(&relay),
        places: Arc::default(),
        wecom: settings.wecom.as_ref().map(wecom::Receiver::new).transpose()?,
        webhook: (!settings.webhook_key.is_empty()).then(|| webhook::Receiver::new(&settings.webhook_key)),
    };
    let public = http::bind(&settings.listen).await.context("listen")?;
    let operator = http::bind(&settings.admin_listen).await.context("admin_listen")?;
    ready(&public, &operator);
    let front = Arc::new(front);
    let mut parts = JoinSet::new();
    parts.spawn(http::serve(public, move |asked| {
        let front = Arc::clone(&front);
        async move { front.answer(asked).await }
    }));
    let admin_relay = Arc::clone(&relay);
    parts.spawn(http::serve(operator, move |asked| {
        let relay = Arc::clone(&admin_relay);
        async move { admin::answer(&relay, asked).await }
    }));
    parts.spawn(reply_sender::run(Arc::clone(&relay)));
    let listening = Arc::clone(&relay);
    parts.spawn(async move {
        loop {
            if let Err(error) = listening.listen().await {
                tracing::warn!("other copies cannot be heard now: {error:#}");
            }
            tokio::time::sleep(RETRY).await;
        }
    });
    parts.spawn(async move {
        loop {
            admin::health(&relay).await;
            tokio::time::sleep(LOOK).await;
        }
    });
    match parts.join_next().await {
        Some(Err(error)) => Err(error).context("a part of the relay has failed"),
        Some(Ok(())) | None => anyhow::bail!("a part of the relay has ended"),
    }
}

impl Front {
    async fn answer(&self, asked: HttpRequest) -> HttpResponse {
        match asked.path.as_str() {
            "/wecom" => match &self.wecom {
                Some(receiver) if [Method::GET, Method::POST].contains(&asked.method) => {
                    let received = receiver.receive(call(&asked), seconds());
                    self.heard("wecom", received, StatusCode::OK).await
                }
                Some(_) => HttpResponse::of(StatusCode::METHOD_NOT_ALLOWED, ""),
                None => HttpResponse::of(StatusCode::NOT_FOUND, ""),
            },
            "/webhook" => match &self.webhook {
                Some(receiver) if asked.method == Method::POST => {
                    let received = receiver.receive(call(&asked), seconds());
                    self.heard("webhook", received, StatusCode::ACCEPTED).await
                }
                Some(_) => HttpResponse::of(StatusCode::METHOD_NOT_ALLOWED, ""),
                None => HttpResponse::of(StatusCode::NOT_FOUND, ""),
            },
            ENROL_PATH if asked.method == Method::POST => self.enrol(&asked).await,
            MACHINE_PATH => match asked.into_websocket() {
                Ok((upgrade, answered)) => {
                    tokio::spawn(machine::serve(Arc::clone(&self.relay), Arc::clone(&self.places), upgrade));
                    answered
                }
                Err(answered) => answered,
            },
            "/healthz" => admin::health(&self.relay).await,
            _ => HttpResponse::of(StatusCode::NOT_FOUND, ""),
        }
    }

    async fn heard(&self, source: &'static str, received: Received, taken: StatusCode) -> HttpResponse {
        let metrics = &self.relay.metrics;
        match received {
            Received::Message(heard) => match self.relay.accept(source, heard).await {
                // An unknown user gets nothing, not even a different answer.
                Ok(
                    Accepted::New
                    | Accepted::Duplicate
                    | Accepted::Unrouted
                    | Accepted::Misaddressed
                    | Accepted::Full
                    | Accepted::FullForUser,
                ) => HttpResponse::of(taken, ""),
                // The user is told. A chat that calls again after an error would not get further.
                Ok(Accepted::TooLong) if source == "wecom" => HttpResponse::of(taken, ""),
                Ok(Accepted::TooLong) => {
                    let told = format!("a text has at most {MAX_TEXT} bytes\n");
                    HttpResponse::of(StatusCode::PAYLOAD_TOO_LARGE, &told)
                }
                Ok(Accepted::Invalid) => {
                    let told = format!("user and chat have 1 to {MAX_NAME} bytes each, id 1 to {MAX_ID}\n");
                    HttpResponse::of(StatusCode::BAD_REQUEST, &told)
                }
                Err(error) => {
                    metrics.count("messages_total", "failed");
                    metrics.count("store_errors_total", "write");
                    tracing::error!("a message was not taken: {error:#}");
                    // The chat delivers it again.
                    HttpResponse::of(StatusCode::SERVICE_UNAVAILABLE, "")
                }
            },
            Received::Echo(text) => HttpResponse::of(StatusCode::OK, &text),
            Received::Nothing => HttpResponse::of(StatusCode::OK, ""),
            Received::Malformed => {
                metrics.count("messages_total", "refused");
                HttpResponse::of(StatusCode::BAD_REQUEST, "id, user and text are needed\n")
            }
            Received::Refused(why) => {
                metrics.count("messages_total", "refused");
                tracing::warn!("a call of {source} was refused: {why}");
                HttpResponse::of(StatusCode::FORBIDDEN, "")
            }
        }
    }

    async fn enrol(&self, asked: &HttpRequest) -> HttpResponse {
        let Ok(Enrol { code, public_key }) = serde_json::from_slice(&asked.body) else {
            return HttpResponse::of(StatusCode::BAD_REQUEST, "");
        };
        match self.relay.enrol(&code, &public_key).await {
            Ok(Some(machine)) => HttpResponse::json(StatusCode::OK, &json!(Enrolled { machine })),
            Ok(None) => {
                tracing::warn!("a code was brought that is not good");
                HttpResponse::of(StatusCode::FORBIDDEN, "")
            }
            Err(error) => {
                tracing::error!("a machine was not enrolled: {error:#}");
                HttpResponse::of(StatusCode::SERVICE_UNAVAILABLE, "")
            }
        }
    }
}

fn call(asked: &HttpRequest) -> Call<'_> {
    Call {
        is_post: asked.method == Method::POST,
        query: &asked.query,
        body: &asked.body,
        timestamp: asked.header(webhook::TIMESTAMP),
        signature: asked.header(webhook::SIGNATURE),
    }
}
