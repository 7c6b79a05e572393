//! Messages on their way to a chat that is called, one request for each: within the rate limit, written down before they leave, and
//! tried again for a while when the chat cannot be reached.

use std::time::{Duration, Instant};

use aside_relay::outbound_http::DeliveryOutcome;
use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::bridge::remote::paced_outbox::PacedOutbox;
use crate::bridge::remote::status::Condition;
use crate::bridge::remote::{Outgoing, Setup};

const FIRST_DELAY: Duration = Duration::from_secs(1);
const LAST_DELAY: Duration = Duration::from_secs(60);
/// How often a message is tried.
const TRIES: u32 = 8;

/// Whatever takes one message at a time.
pub trait MessageTransport {
    fn deliver(&mut self, message: &Outgoing) -> impl Future<Output = DeliveryOutcome> + Send;
}

/// Delivers what comes, until it is dropped.
pub async fn drain(
    setup: &Setup,
    address: &str,
    mut outgoing: mpsc::Receiver<Outgoing>,
    deliverer: &mut impl MessageTransport,
) {
    let (start, mut paced) = (Instant::now(), PacedOutbox::new());
    loop {
        for message in paced.due(start.elapsed()) {
            if setup.is_noted(address, &message.text).await {
                persist(setup, &message, deliverer).await;
            }
        }
        let now = start.elapsed();
        let wait = paced.next(now).map_or(Duration::from_secs(3600), |next| next.saturating_sub(now));
        tokio::select! {
            message = outgoing.recv() => match message {
                Some(message) => paced.put(message),
                None => return,
            },
            () = sleep(wait) => {}
        }
    }
}

async fn persist(setup: &Setup, message: &Outgoing, deliverer: &mut impl MessageTransport) {
    let mut delay = FIRST_DELAY;
    for _ in 0..TRIES {
        match deliverer.deliver(message).await {
            DeliveryOutcome::Yes => {
                setup.health.sent();
                setup.health.is(Condition::Connected);
                return;
            }
            DeliveryOutcome::No(why) => {
                setup.trouble(why);
                return;
            }
            DeliveryOutcome::Later(why) => {
                setup.trouble(why);
                sleep(delay).await;
                delay = (delay * 2).min(LAST_DELAY);
            }
        }
    }
    tracing::warn!("a message to a chat was given up");
}
