//! How fast messages may leave: a sliding window of a minute and one of an hour for each receiver, and a queue for what has to wait.
//! WeCom drops what is above its limits without a word, so it must not be sent. What the queue leaves out is given back, so that the
//! caller can count it and say so.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
/// Messages of one origin that wait for one receiver: two minutes of what may leave. Then the oldest of this origin is left out.
pub const MAX_WAITING: usize = 64;
/// Origins that have a queue of their own for one receiver; those beyond share one.
const MAX_ORIGINS: usize = 64;
const SHARED: &str = "\n";
/// Receivers without a message that waits whose windows are remembered.
const MAX_IDLE: usize = 1024;

/// Messages to one receiver within each of two spans, the shorter one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits(pub [(Duration, usize); 2]);

/// WeCom's for one member (app) and one chat (robot) are the same.
pub const WECOM: Limits = Limits([(MINUTE, 30), (HOUR, 1000)]);

/// Where a message waits.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a> {
    pub receiver: &'a str,
    /// What sends it. Origins have a share each, and take turns: none pushes out or holds up what another one says.
    pub origin: &'a str,
    /// A newer message of the same topic takes the place of one that still waits: only the newest state matters. Empty for a message that
    /// none replaces.
    pub topic: &'a str,
}

/// What became of a message that was put.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placed<T> {
    Waits,
    /// This one waited, and is replaced by it.
    Replaced(T),
    /// This one waited, and is left out: too many do.
    LeftOut(T),
}

#[derive(Debug)]
pub struct Pace<T> {
    limits: Limits,
    receivers: HashMap<String, Receiver<T>>,
}

#[derive(Debug)]
struct Receiver<T> {
    /// When messages left, the oldest first, for as long as they count.
    sent: VecDeque<Duration>,
    /// Those of an origin that have something waiting; the one at the front is next.
    origins: VecDeque<Origin<T>>,
}

#[derive(Debug)]
struct Origin<T> {
    name: String,
    waiting: VecDeque<(String, T)>,
}

impl<T> Pace<T> {
    pub fn new(limits: Limits) -> Self {
        Self { limits, receivers: HashMap::new() }
    }

    /// Takes a message behind those that wait.
    pub fn put(&mut self, slot: Slot<'_>, message: T) -> Placed<T> {
        let origin = self.origin(slot);
        if let Some(waiting) = origin.of_topic(slot.topic) {
            return Placed::Replaced(std::mem::replace(waiting, message));
        }
        let left_out = if origin.waiting.len() >= MAX_WAITING { origin.waiting.pop_front() } else { None };
        origin.waiting.push_back((slot.topic.to_owned(), message));
        left_out.map_or(Placed::Waits, |(_, message)| Placed::LeftOut(message))
    }

    /// Takes a message back that was due and could not be sent: it is the next one. Gives it back if a newer one of its topic waits.
    pub fn put_back(&mut self, slot: Slot<'_>, message: T) -> Option<T> {
        let origin = self.origin(slot);
        if origin.of_topic(slot.topic).is_some() {
            return Some(message);
        }
        origin.waiting.push_front((slot.topic.to_owned(), message));
        None
    }

    fn origin(&mut self, slot: Slot<'_>) -> &mut Origin<T> {
        if !self.receivers.contains_key(slot.receiver) {
            self.forget_idle();
        }
        let receiver = self.receivers.entry(slot.receiver.to_owned());
        let receiver = receiver.or_insert_with(|| Receiver { sent: VecDeque::new(), origins: VecDeque::new() });
        let at = |receiver: &Receiver<T>, name: &str| receiver.origins.iter().position(|origin| origin.name == name);
        let is_full = receiver.origins.len() >= MAX_ORIGINS;
        let name = if is_full && at(receiver, slot.origin).is_none() { SHARED } else { slot.origin };
        let at = at(receiver, name).unwrap_or_else(|| {
            receiver.origins.push_back(Origin { name: name.to_owned(), waiting: VecDeque::new() });
            receiver.origins.len() - 1
        });
        &mut receiver.origins[at]
    }

    /// Of receivers for which nothing waits, those that were sent something last are remembered: a window that is forgotten too early would
    /// let too many messages leave.
    fn forget_idle(&mut self) {
        let idle = |receiver: &Receiver<T>| receiver.origins.is_empty();
        if self.receivers.values().filter(|receiver| idle(receiver)).count() < MAX_IDLE {
            return;
        }
        let oldest = self.receivers.iter().filter(|(_, receiver)| idle(receiver));
        let oldest = oldest.min_by_key(|(_, receiver)| receiver.sent.back().copied()).map(|(name, _)| name.clone());
        if let Some(oldest) = oldest {
            self.receivers.remove(&oldest);
        }
    }

    /// The messages that may leave now, each with its receiver. They count as sent.
    pub fn due(&mut self, now: Duration) -> Vec<(String, T)> {
        let mut due = Vec::new();
        for (name, receiver) in &mut self.receivers {
            let Limits([_, (longest, _)]) = self.limits;
            let old = receiver.sent.iter().take_while(|sent| **sent + longest <= now).count();
            receiver.sent.drain(..old);
            while receiver.free_at(self.limits, now) <= now
                && let Some(message) = receiver.pop()
            {
                receiver.sent.push_back(now);
                due.push((name.clone(), message));
            }
        }
        due
    }

    /// When the next message that waits may leave.
    pub fn next(&self, now: Duration) -> Option<Duration> {
        let waiting = self.receivers.values().filter(|receiver| !receiver.origins.is_empty());
        waiting.map(|receiver| receiver.free_at(self.limits, now)).min()
    }
}

impl<T> Origin<T> {
    fn of_topic(&mut self, topic: &str) -> Option<&mut T> {
        let mut waiting = self.waiting.iter_mut().filter(|_| !topic.is_empty());
        waiting.find(|(about, _)| about == topic).map(|(_, message)| message)
    }
}

impl<T> Receiver<T> {
    /// The oldest message of the origin whose turn it is.
    fn pop(&mut self) -> Option<T> {
        let mut origin = self.origins.pop_front()?;
        let message = origin.waiting.pop_front();
        if !origin.waiting.is_empty() {
            self.origins.push_back(origin);
        }
        message.map(|(_, message)| message)
    }

    fn free_at(&self, limits: Limits, now: Duration) -> Duration {
        let recent = |window: Duration| {
            let old = self.sent.iter().take_while(|sent| **sent + window <= now).count();
            (old, self.sent.len() - old)
        };
        let free = |window: Duration, limit: usize| {
            let (old, count) = recent(window);
            match count.checked_sub(limit) {
                None => now,
                // The one whose leaving makes room.
                Some(above) => self.sent.get(old + above).map_or(now, |sent| *sent + window),
            }
        };
        let Limits([short, long]) = limits;
        free(short.0, short.1).max(free(long.0, long.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn limits(per_minute: usize, per_hour: usize) -> Limits {
        Limits([(MINUTE, per_minute), (HOUR, per_hour)])
    }

    fn slot<'a>(receiver: &'a str, origin: &'a str, topic: &'a str) -> Slot<'a> {
        Slot { receiver, origin, topic }
    }

    fn sent<T>(due: Vec<(String, T)>) -> Vec<T> {
        due.into_iter().map(|(_, message)| message).collect()
    }

    #[test]
    fn what_is_above_the_limit_waits_for_its_minute_and_its_hour() {
        let mut pace = Pace::new(limits(2, 3));
        for number in 0..4 {
            pace.put(slot("li", "", &format!("t{number}")), number);
        }
        assert_eq!(sent(pace.due(seconds(10))), [0, 1]);
        assert_eq!(pace.next(seconds(20)), Some(seconds(70)));
        assert_eq!(sent(pace.due(seconds(69))), [0; 0]);
        assert_eq!(sent(pace.due(seconds(70))), [2]);
        assert_eq!(pace.next(seconds(140)), Some(seconds(3610)));
        assert_eq!(sent(pace.due(seconds(3610))), [3]);
        assert_eq!(pace.next(seconds(3610)), None);
    }

    #[test]
    fn one_receiver_does_not_hold_up_another_and_only_the_newest_state_is_told() {
        let mut pace = Pace::new(limits(1, 100));
        pace.put(slot("li", "", "t1"), "routed");
        assert_eq!(pace.due(seconds(0)), [("li".to_owned(), "routed")]);
        assert_eq!(pace.put(slot("li", "", "t1"), "waits"), Placed::Waits);
        assert_eq!(pace.put(slot("li", "", "t1"), "done"), Placed::Replaced("waits"));
        pace.put(slot("wang", "", "t2"), "done");
        assert_eq!(pace.due(seconds(1)), [("wang".to_owned(), "done")]);
        assert_eq!(pace.due(seconds(60)), [("li".to_owned(), "done")]);
    }

    #[test]
    fn a_message_without_a_topic_is_replaced_by_none() {
        let mut pace = Pace::new(WECOM);
        for refusal in ["the first", "the second"] {
            assert_eq!(pace.put(slot("li", "", ""), refusal), Placed::Waits);
        }
        assert_eq!(sent(pace.due(seconds(0))), ["the first", "the second"]);
    }

    #[test]
    fn what_waits_is_bounded_and_what_is_left_out_is_given_back() {
        let mut pace = Pace::new(limits(0, 0));
        let mut left_out = Vec::new();
        for number in 0..1000 {
            match pace.put(slot("li", "dev-1", &number.to_string()), number) {
                Placed::Waits => {}
                Placed::LeftOut(message) => left_out.push(message),
                Placed::Replaced(message) => panic!("{message} had another topic"),
            }
        }
        assert_eq!(left_out, (0..1000 - MAX_WAITING).collect::<Vec<_>>());
    }

    #[test]
    fn no_origin_pushes_out_or_holds_up_what_another_one_says() {
        let mut pace = Pace::new(limits(4, 1000));
        pace.put(slot("li", "dev-1", "t1"), "one".to_owned());
        for number in 0..500 {
            pace.put(slot("li", "dev-2", &format!("t{number}")), format!("flood {number}"));
        }
        // The same topic of another machine is another task.
        assert_eq!(pace.put(slot("li", "dev-3", "t1"), "three".to_owned()), Placed::Waits);
        assert_eq!(sent(pace.due(seconds(0))), ["one", "flood 436", "three", "flood 437"]);
        for origin in 0..10 * MAX_ORIGINS {
            pace.put(slot("li", &origin.to_string(), "t1"), "x".to_owned());
        }
        assert!(pace.receivers["li"].origins.len() <= MAX_ORIGINS + 1);
    }

    #[test]
    fn what_could_not_be_sent_is_next_unless_there_is_a_newer_state() {
        let mut pace = Pace::new(WECOM);
        pace.put(slot("li", "", "t2"), "other");
        assert_eq!(pace.put_back(slot("li", "", "t1"), "approved"), None);
        assert_eq!(sent(pace.due(seconds(0))), ["approved", "other"]);
        pace.put(slot("li", "", "t1"), "done");
        assert_eq!(pace.put_back(slot("li", "", "t1"), "approved"), Some("approved"));
        assert_eq!(sent(pace.due(seconds(1))), ["done"]);
    }

    #[test]
    fn the_windows_of_receivers_that_were_sent_something_last_are_remembered() {
        let mut pace = Pace::new(limits(1, 100));
        for number in 0..2 * MAX_IDLE {
            pace.put(slot(&number.to_string(), "", "t"), number);
            assert_eq!(pace.due(seconds(1) + Duration::from_millis(number as u64)).len(), 1);
        }
        assert_eq!(pace.receivers.len(), MAX_IDLE);
        let last = (2 * MAX_IDLE - 1).to_string();
        pace.put(slot(&last, "", "t"), 0);
        assert_eq!(pace.due(seconds(5)), [], "its minute is not over");
    }
}
