//! A WeCom app that is called back: WeCom calls this machine (through a proxy with TLS), and the answers go to its API.

use std::sync::Arc;

use aside_relay::chat::wecom;
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
    let settings = &setup.settings;
    let app = wecom::App {
        corp_id: settings.corp_id.clone(),
        agent_id: settings.agent_id,
        token: secrets.token.clone(),
        aes_key: secrets.aes_key.clone(),
        secret: secrets.corp_secret.clone(),
        api: settings.api.clone(),
    };
    let receiver = wecom::Receiver::new(&app)
        .map_err(|error| anyhow::anyhow!("{error:#}; run `aside remote setup --chat app`"))?;
    let receiver = Arc::new(receiver);
    let mut sender = Sender(wecom::Sender::new(&app, "remote.api")?);
    let address = sender.0.address().to_owned();
    let listener = callbacks::bind(&settings.listen).await?;
    setup.health.is(Condition::Connected);
    tokio::select! {
        () = callbacks::serve(listener, chat, callbacks::AckStatus::Ok, move |call, now| receiver.receive(call, now)) => {}
        () = outbox::drain(setup, &address, outgoing, &mut sender) => {}
    }
    Ok(())
}

struct Sender(wecom::Sender);

impl MessageTransport for Sender {
    async fn deliver(&mut self, message: &Outgoing) -> DeliveryOutcome {
        self.0.deliver(&message.chat, &message.text).await
    }
}
