//! How fast messages may leave: a sliding window of a minute and one of an hour for each receiver, and a queue for what has to wait.
//! WeCom drops what is above its limits without a word, so it must not be sent.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
/// Messages that wait for one receiver. A newer one about the same task takes the place of one that waits, so this is hardly reached;
/// then the oldest is dropped.
const MAX_WAITING: usize = 64;
/// Receivers that are kept track of.
const MAX_RECEIVERS: usize = 1024;

/// Messages to one receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub per_minute: usize,
    pub per_hour: usize,
}

/// WeCom's for one member (app) and one chat (robot) are the same.
pub const WECOM: Limits = Limits { per_minute: 30, per_hour: 1000 };

#[derive(Debug)]
pub struct Pace<T> {
    limits: Limits,
    receivers: HashMap<String, Receiver<T>>,
}

#[derive(Debug)]
struct Receiver<T> {
    /// When messages left, the oldest first; at most an hour of them.
    sent: VecDeque<Duration>,
    waiting: VecDeque<(String, T)>,
}

impl<T> Pace<T> {
    pub fn new(limits: Limits) -> Self {
        Self { limits, receivers: HashMap::new() }
    }

    /// Takes a message for a receiver. One about the same topic that still waits is replaced: only the newest state matters. Gives back
    /// what is not sent because of that.
    pub fn put(&mut self, receiver: &str, topic: &str, message: T) -> Option<T> {
        if self.receivers.len() >= MAX_RECEIVERS && !self.receivers.contains_key(receiver) {
            self.receivers.retain(|_, receiver| !receiver.waiting.is_empty());
        }
        let known = self.receivers.entry(receiver.to_owned());
        let known = known.or_insert_with(|| Receiver { sent: VecDeque::new(), waiting: VecDeque::new() });
        if let Some((_, waiting)) = known.waiting.iter_mut().find(|(about, _)| about == topic) {
            return Some(std::mem::replace(waiting, message));
        }
        let is_full = known.waiting.len() == MAX_WAITING;
        let dropped = if is_full { known.waiting.pop_front() } else { None };
        known.waiting.push_back((topic.to_owned(), message));
        dropped.map(|(_, message)| message)
    }

    /// The messages that may leave now, each with its receiver. They count as sent.
    pub fn due(&mut self, now: Duration) -> Vec<(String, T)> {
        let mut due = Vec::new();
        for (name, receiver) in &mut self.receivers {
            while receiver.free_at(self.limits, now) <= now
                && let Some((_, message)) = receiver.waiting.pop_front()
            {
                receiver.sent.push_back(now);
                due.push((name.clone(), message));
            }
        }
        due
    }

    /// When the next message that waits may leave.
    pub fn next(&self, now: Duration) -> Option<Duration> {
        let waiting = self.receivers.values().filter(|receiver| !receiver.waiting.is_empty());
        waiting.map(|receiver| receiver.free_at(self.limits, now)).min()
    }
}

impl<T> Receiver<T> {
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
        free(MINUTE, limits.per_minute).max(free(HOUR, limits.per_hour))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn what_is_above_the_limit_waits_for_its_minute_and_its_hour() {
        let mut pace = Pace::new(Limits { per_minute: 2, per_hour: 3 });
        for number in 0..4 {
            pace.put("li", &format!("t{number}"), number);
        }
        let sent = |due: Vec<(String, i32)>| due.into_iter().map(|(_, message)| message).collect::<Vec<_>>();
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
        let mut pace = Pace::new(Limits { per_minute: 1, per_hour: 100 });
        pace.put("li", "t1", "routed");
        assert_eq!(pace.due(seconds(0)), [("li".to_owned(), "routed")]);
        assert_eq!(pace.put("li", "t1", "waits"), None);
        assert_eq!(pace.put("li", "t1", "done"), Some("waits"));
        pace.put("wang", "t2", "done");
        assert_eq!(pace.due(seconds(1)), [("wang".to_owned(), "done")]);
        assert_eq!(pace.due(seconds(60)), [("li".to_owned(), "done")]);
    }

    #[test]
    fn what_waits_is_bounded() {
        let mut pace = Pace::new(Limits { per_minute: 0, per_hour: 0 });
        for number in 0..10_000 {
            pace.put("li", &number.to_string(), number);
        }
        assert_eq!(pace.receivers["li"].waiting.len(), MAX_WAITING);
    }
}
