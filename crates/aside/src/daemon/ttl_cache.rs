//! A small cache with a TTL and a size limit. Takes the time as a value.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Holds at most `MOST` entries, the newest last, each for `SECONDS`.
pub struct TtlCache<Key, Value, const MOST: usize, const SECONDS: u64> {
    answers: VecDeque<(Instant, Key, Value)>,
}

impl<Key: PartialEq, Value: Clone, const MOST: usize, const SECONDS: u64> TtlCache<Key, Value, MOST, SECONDS> {
    pub fn put(&mut self, key: Key, value: Value, now: Instant) {
        self.answers.retain(|(_, known, _)| *known != key);
        if self.answers.len() == MOST {
            self.answers.pop_front();
        }
        self.answers.push_back((now, key, value));
    }

    pub fn recall(&mut self, key: &Key, now: Instant) -> Option<Value> {
        let lasts = Duration::from_secs(SECONDS);
        self.answers.retain(|(when, _, _)| now.saturating_duration_since(*when) < lasts);
        self.answers.iter().find(|(_, known, _)| known == key).map(|(_, _, value)| value.clone())
    }
}

impl<Key, Value, const MOST: usize, const SECONDS: u64> Default for TtlCache<Key, Value, MOST, SECONDS> {
    fn default() -> Self {
        Self { answers: VecDeque::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_forgotten_in_time_and_when_there_are_many() {
        let (mut cache, now) = (TtlCache::<u32, u32, 3, 60>::default(), Instant::now());
        for key in 0..4 {
            cache.put(key, key, now);
        }
        cache.put(3, 30, now);
        let known: Vec<Option<u32>> = (0..4).map(|key| cache.recall(&key, now)).collect();
        assert_eq!(known, [None, Some(1), Some(2), Some(30)]);
        assert_eq!(cache.recall(&3, now + Duration::from_secs(59)), Some(30));
        assert_eq!(cache.recall(&3, now + Duration::from_secs(60)), None);
        assert_eq!(cache.answers.len(), 0);
    }
}
