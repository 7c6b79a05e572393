//! A chat of any kind, through a webhook: messages come signed to this machine, and answers go out signed with the same key.

use std::sync::Arc;

use anyhow::ensure;
use aside_relay::chat::webhook;
use aside_relay::outbound_http::DeliveryOutcome;
use tokio::sync::mpsc;

use crate::bridge::remote::chat::Chat;
use crate::bridge::remote::outbox::{self, MessageTransport};
use crate::bridge::remote::secrets::Secrets;
use crate::bridge::remote::status::Condition;
use crate::bridge::remote::{Outgoing, Setup, callbacks};

pub async fn run(
    setup: &Setup,
    chat: &Chat,
    secrets: &Secrets,
    outgoing: mpsc::Receiver<Outgoing>,
) -> anyhow::Result<()> {
    let key = &secrets.webhook;
    ensure!(key.len() >= webhook::MIN_KEY, "the webhook has no key; run `aside remote setup --chat webhook`");
    let receiver = Arc::new(webhook::Receiver::new(key));
    let mut sender = Sender(webhook::Sender::new(&setup.settings.reply_url, "remote.reply_url", key)?);
    let address = sender.0.address().to_owned();
    let listener = callbacks::bind(&setup.settings.listen).await?;
    setup.health.is(Condition::Connected);
    tokio::select! {
        () = callbacks::serve(listener, chat, callbacks::AckStatus::Accepted, move |call, now| receiver.receive(call, now)) => {}
        () = outbox::drain(setup, &address, outgoing, &mut sender) => {}
    }
    Ok(())
}

struct Sender(webhook::Sender);

impl MessageTransport for Sender {
    async fn deliver(&mut self, message: &Outgoing) -> DeliveryOutcome {
        self.0.deliver(&message.chat, &message.topic, &message.text).await
    }
}
