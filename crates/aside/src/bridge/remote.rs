//! Chats from which tasks can be asked for: `chat` is what every one of them does with a message; `wecom_robot` and `wecom_app` are WeCom's two ways in,
//! `webhook` is that of any other chat, `relay` that of a team with several machines. Each is a client of the daemon's socket that says of
//! itself that it is remote, so the gate takes no approval from it, whatever a message says.

mod callbacks;
mod chat;
mod dedup;
mod outbox;
mod paced_outbox;
pub mod pairing;
mod relay;
pub mod secrets;
pub mod status;
mod webhook;
mod websocket;
mod wecom_app;
mod wecom_robot;

use std::path::PathBuf;
use std::sync::Arc;

use aside_task::remote::report::Machine;
use tokio::sync::mpsc;

use crate::config;
use crate::store::journal::{Journal, OutboundRecord};
use chat::Chat;
use dedup::SeenMessages;
use pairing::Pairing;
use secrets::Secrets;
use status::{Condition, Health};

/// Messages on their way out that an adapter has not taken yet.
const MAX_OUTBOX: usize = 256;

pub struct Setup {
    /// The daemon's.
    pub socket: PathBuf,
    pub secrets: PathBuf,
    /// Where messages that were acted upon are listed.
    pub seen: PathBuf,
    pub settings: config::Remote,
    /// Of the short forms.
    pub prefix: String,
    pub journal: Arc<Journal>,
    pub health: Arc<Health>,
    pub pairing: Arc<Pairing>,
}

/// A message from a chat, whichever it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Incoming {
    /// By which a second delivery is known.
    pub id: String,
    pub user: String,
    /// Where the answer goes: a group, or the user.
    pub chat: String,
    pub text: String,
    /// What an answer to this very message has to carry.
    pub reply_to: Option<String>,
    /// Other machines of the user that the message may be about, since it names none.
    pub others: Vec<String>,
    /// The message before it in this chat was refused on its way: it may be about that one.
    pub after_refusal: bool,
}

/// A message to a chat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outgoing {
    pub chat: String,
    /// The task that it is about: a newer message takes the place of one that still waits. Empty for what none replaces.
    pub topic: String,
    pub text: String,
    pub reply_to: Option<String>,
}

/// Reaches the chat that the settings name, until it is dropped.
pub async fn connect(setup: Setup) {
    let (secrets, seen) = (setup.secrets.clone(), setup.seen.clone());
    let read = move || anyhow::Ok((Secrets::read(&secrets)?, SeenMessages::read(&seen)?));
    let (secrets, seen) = match tokio::task::spawn_blocking(read).await {
        Ok(Ok(read)) => read,
        Ok(Err(error)) => return setup.rest(format!("{error:#}")).await,
        Err(_) => return,
    };
    let (outbox, outgoing) = mpsc::channel(MAX_OUTBOX);
    // A relay has a name for this machine, by which its users know it.
    let machine = match setup.settings.chat {
        config::Chat::Relay if !secrets.relay_machine.is_empty() => Machine::one_of_several(&secrets.relay_machine),
        _ => Machine::alone(&rustix::system::uname().nodename().to_string_lossy()),
    };
    let chat = Chat::new(&setup, machine, seen, outbox);
    chat.resume().await;
    let ended = match setup.settings.chat {
        config::Chat::Robot => return wecom_robot::run(&setup, &chat, &secrets, outgoing).await,
        config::Chat::App => wecom_app::run(&setup, &chat, &secrets, outgoing).await,
        config::Chat::Webhook => webhook::run(&setup, &chat, &secrets, outgoing).await,
        config::Chat::Relay => relay::run(&setup, &chat, &secrets, outgoing).await,
    };
    if let Err(error) = ended {
        setup.rest(format!("{error:#}")).await;
    }
}

impl Setup {
    /// As the journal and the tasks name where a message comes from and goes to.
    fn source(&self) -> &'static str {
        match self.settings.chat {
            config::Chat::Robot | config::Chat::App => "wecom",
            config::Chat::Webhook => "webhook",
            config::Chat::Relay => "relay",
        }
    }

    fn trouble(&self, what: String) {
        if self.health.is(Condition::Trouble(what.clone())) {
            tracing::warn!("{}: {what}", self.source());
        }
    }

    /// It cannot work as it is set up; this says why.
    async fn rest(&self, why: String) {
        self.trouble(why);
        // A change of the settings begins anew.
        std::future::pending::<()>().await;
    }

    /// What leaves is written down first, as everything that does.
    async fn is_noted(&self, address: &str, text: &str) -> bool {
        let (journal, provider) = (Arc::clone(&self.journal), self.source());
        let (address, text) = (address.to_owned(), text.to_owned());
        let noted = tokio::task::spawn_blocking(move || {
            journal.leaves(&OutboundRecord { purpose: "remote", provider, model: "", address: &address, body: &text })
        });
        match noted.await {
            Ok(Ok(_)) => true,
            Ok(Err(error)) => {
                tracing::warn!("a message to a chat could not be noted and is not sent: {error}");
                false
            }
            Err(_) => false,
        }
    }
}
