//! A moving average of answer times. Takes the time as a value.

use std::time::{Duration, Instant};

/// Weight of the newest value.
const NEWEST: f64 = 0.3;
/// TTL: the network of ten minutes ago may be a different one.
const COUNTS_FOR: Duration = Duration::from_secs(600);

#[derive(Clone, Copy, Debug, Default)]
pub struct Latency {
    average: Option<(Duration, Instant)>,
}

impl Latency {
    pub fn took(&mut self, took: Duration, now: Instant) {
        let average = match self.average(now) {
            Some(average) => average.mul_f64(1.0 - NEWEST) + took.mul_f64(NEWEST),
            None => took,
        };
        self.average = Some((average, now));
    }

    /// Returns `None` without recent requests.
    pub fn average(&self, now: Instant) -> Option<Duration> {
        let (average, when) = self.average?;
        (now.saturating_duration_since(when) < COUNTS_FOR).then_some(average)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_average_moves_and_is_forgotten() {
        let (mut latency, now) = (Latency::default(), Instant::now());
        assert_eq!(latency.average(now), None);
        latency.took(Duration::from_secs(1), now);
        assert_eq!(latency.average(now), Some(Duration::from_secs(1)));
        latency.took(Duration::from_secs(11), now);
        assert_eq!(latency.average(now), Some(Duration::from_secs(4)));
        assert_eq!(latency.average(now + COUNTS_FOR), None);
        latency.took(Duration::from_secs(2), now + COUNTS_FOR);
        assert_eq!(latency.average(now + COUNTS_FOR), Some(Duration::from_secs(2)));
    }
}
