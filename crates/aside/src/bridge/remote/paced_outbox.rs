//! Messages that wait until the rate limit of their chat lets them leave. What has to be left out is counted, logged and told in the chat.

use std::collections::HashMap;
use std::time::Duration;

use aside_task::remote::report;
use aside_wecom::pace::{self, Pace, Placed, Slot};

use crate::bridge::remote::Outgoing;

/// Of the message that says how many were left out. It has a place of its own, so it is never left out itself.
const LEFT_OUT: &str = "left out";

pub struct PacedOutbox {
    pace: Pace<Outgoing>,
    /// For each chat, those that it was not told of yet.
    left_out: HashMap<String, usize>,
}

impl PacedOutbox {
    pub fn new() -> Self {
        Self { pace: Pace::new(pace::WECOM), left_out: HashMap::new() }
    }

    pub fn put(&mut self, outgoing: Outgoing) {
        let (chat, topic) = (outgoing.chat.clone(), outgoing.topic.clone());
        let Placed::LeftOut(lost) = self.pace.put(slot(&chat, &topic), outgoing) else { return };
        let count = self.left_out.entry(chat.clone()).or_default();
        *count += 1;
        tracing::warn!("a message to {chat:?} is left out, the {count}th: too many wait for the rate limit");
        let text = report::left_out(*count, &lost.text);
        let told = Outgoing { chat: chat.clone(), topic: LEFT_OUT.to_owned(), text, reply_to: None };
        self.pace.put(slot(&chat, LEFT_OUT), told);
    }

    /// One that was due and was not taken: it is the next of its chat, unless there is a newer state of its task.
    pub fn put_back(&mut self, outgoing: Outgoing) {
        let (chat, topic) = (outgoing.chat.clone(), outgoing.topic.clone());
        let _outdated = self.pace.put_back(slot(&chat, &topic), outgoing);
    }

    pub fn due(&mut self, now: Duration) -> Vec<Outgoing> {
        let due: Vec<Outgoing> = self.pace.due(now).into_iter().map(|(_, outgoing)| outgoing).collect();
        for told in due.iter().filter(|outgoing| outgoing.topic == LEFT_OUT) {
            self.left_out.remove(&told.chat);
        }
        due
    }

    pub fn next(&self, now: Duration) -> Option<Duration> {
        self.pace.next(now)
    }
}

fn slot<'a>(receiver: &'a str, topic: &'a str) -> Slot<'a> {
    Slot { receiver, origin: if topic == LEFT_OUT { LEFT_OUT } else { "" }, topic }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(chat: &str, topic: &str, text: &str) -> Outgoing {
        Outgoing { chat: chat.into(), topic: topic.into(), text: text.into(), reply_to: None }
    }

    #[test]
    fn what_is_left_out_is_told_in_its_chat_with_how_many() {
        let mut outbox = PacedOutbox::new();
        for number in 0..100 {
            outbox.put(message("li", &format!("t{number}"), "完成"));
            outbox.put(message("wang", "", "refused"));
        }
        outbox.put(message("zhao", "t1", "Done."));
        let (mut told, mut left_out) = (HashMap::<String, usize>::new(), Vec::new());
        for minute in 0..10 {
            for outgoing in outbox.due(Duration::from_secs(60 * minute)) {
                if outgoing.topic == LEFT_OUT {
                    left_out.push((outgoing.chat, outgoing.text));
                } else {
                    *told.entry(outgoing.chat).or_default() += 1;
                }
            }
        }
        left_out.sort();
        let count = 100 - pace::MAX_WAITING;
        assert_eq!(told, [("li", 64), ("wang", 64), ("zhao", 1)].map(|(chat, n)| (chat.to_owned(), n)).into());
        assert_eq!(
            left_out,
            [("li", report::left_out(count, "完成")), ("wang", report::left_out(count, "refused"))]
                .map(|(chat, text)| (chat.to_owned(), text))
        );
        assert!(left_out[1].1.starts_with("36 messages were left out"), "{left_out:?}");
        // What was told is not told again.
        outbox.put(message("li", "t", "完成"));
        assert_eq!(outbox.due(Duration::from_secs(3600)).len(), 1);
    }

    #[test]
    fn an_older_state_that_is_sent_again_does_not_take_the_place_of_a_newer_one() {
        let mut outbox = PacedOutbox::new();
        outbox.put(message("li", "t1", "Done."));
        outbox.put_back(message("li", "t1", "Approved."));
        let texts: Vec<String> = outbox.due(Duration::ZERO).into_iter().map(|outgoing| outgoing.text).collect();
        assert_eq!(texts, ["Done."]);
    }
}
