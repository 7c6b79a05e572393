//! A circuit breaker per server: after three failures in a row it rejects requests for half a minute, then lets a single probe through.
//! Also honours a server's rate limit. Takes the time as a value.

use std::time::{Duration, Instant};

/// Failures in a row that trip the breaker.
const LIMIT: u32 = 3;
/// How long requests are rejected then.
const REST: Duration = Duration::from_secs(30);

#[derive(Debug, Default)]
pub struct CircuitBreaker {
    /// Consecutive failures.
    failures: u32,
    /// Until then, only requests that a user waits for are sent.
    until: Option<Instant>,
    /// The server's own rate limit, which applies to all requests.
    not_before: Option<Instant>,
    /// The probe in progress that tests whether the server works.
    probe: Option<u64>,
    number: u64,
}

/// Who waits for the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requester {
    /// No user waits for it.
    Aside,
    /// A user waits: such a request is sent even while the breaker is tripped, one at a time.
    Person,
}

/// The right to send one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permit {
    number: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Answered,
    Failed,
    /// The server asked to wait for so long.
    Busy(Duration),
    /// The request was cancelled, which says nothing about the server.
    GivenUp,
}

/// For `aside doctor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    Well,
    /// Requests are rejected for so long.
    Resting(Duration),
    /// The next request is the probe.
    Doubtful,
}

impl CircuitBreaker {
    /// Returns `None` when no request may be sent.
    pub fn admit(&mut self, asker: Requester, now: Instant) -> Option<Permit> {
        if self.not_before.is_some_and(|then| now < then) {
            return None;
        }
        if let Some(until) = self.until {
            let is_over = now >= until;
            if self.probe.is_some() || !is_over && asker == Requester::Aside {
                return None;
            }
        }
        self.number += 1;
        if self.until.is_some() {
            self.probe = Some(self.number);
        }
        Some(Permit { number: self.number })
    }

    pub fn ended(&mut self, pass: Permit, outcome: Outcome, now: Instant) {
        if self.probe == Some(pass.number) {
            self.probe = None;
        }
        match outcome {
            Outcome::GivenUp => return,
            Outcome::Answered => {
                self.failures = 0;
                self.until = None;
                return;
            }
            Outcome::Failed => {}
            Outcome::Busy(rest) => self.not_before = Some(now + rest),
        }
        self.failures = self.failures.saturating_add(1);
        // A failed request of the user does not extend the pause for completion.
        if self.failures >= LIMIT && self.until.is_none_or(|until| now >= until) {
            self.until = Some(now + REST);
        }
    }

    pub fn health(&self, now: Instant) -> Health {
        let left = |then: Option<Instant>| then.map(|then| then.saturating_duration_since(now)).unwrap_or_default();
        let rest = left(self.until).max(left(self.not_before));
        match (rest.is_zero(), self.until) {
            (false, _) => Health::Resting(rest),
            (true, Some(_)) => Health::Doubtful,
            (true, None) => Health::Well,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// A breaker that has just tripped, and when.
    fn tripped() -> (CircuitBreaker, Instant) {
        let (mut breaker, now) = (CircuitBreaker::default(), Instant::now());
        for _ in 0..3 {
            let pass = breaker.admit(Requester::Aside, now).unwrap();
            breaker.ended(pass, Outcome::Failed, now);
        }
        (breaker, now)
    }

    #[test]
    fn three_failures_in_a_row_are_enough() {
        let (mut breaker, now) = tripped();
        assert_eq!(breaker.admit(Requester::Aside, now), None);
        assert_eq!(breaker.admit(Requester::Aside, now + 29 * SECOND), None);
        assert_eq!(breaker.health(now + 10 * SECOND), Health::Resting(20 * SECOND));
    }

    #[test]
    fn failures_with_answers_between_them_are_not() {
        let (mut breaker, now) = (CircuitBreaker::default(), Instant::now());
        for outcome in [Outcome::Failed, Outcome::Failed, Outcome::Answered].repeat(5) {
            let pass = breaker.admit(Requester::Aside, now).unwrap();
            breaker.ended(pass, outcome, now);
        }
        assert_eq!(breaker.health(now), Health::Well);
    }

    #[test]
    fn after_the_rest_one_finds_out() {
        let (mut breaker, now) = tripped();
        let later = now + 30 * SECOND;
        assert_eq!(breaker.health(later), Health::Doubtful);
        let probe = breaker.admit(Requester::Aside, later).unwrap();
        assert_eq!(breaker.admit(Requester::Aside, later), None);
        assert_eq!(breaker.admit(Requester::Person, later), None);
        breaker.ended(probe, Outcome::Failed, later);
        assert_eq!(breaker.admit(Requester::Aside, later + 29 * SECOND), None);
        let again = later + 30 * SECOND;
        let probe = breaker.admit(Requester::Aside, again).unwrap();
        breaker.ended(probe, Outcome::Answered, again);
        assert_eq!(breaker.health(again), Health::Well);
        assert!(breaker.admit(Requester::Aside, again).is_some());
        assert!(breaker.admit(Requester::Aside, again).is_some());
    }

    #[test]
    fn a_person_who_waits_may_find_out_at_once_but_one_at_a_time() {
        let (mut breaker, now) = tripped();
        let probe = breaker.admit(Requester::Person, now).unwrap();
        assert_eq!(breaker.admit(Requester::Person, now), None);
        breaker.ended(probe, Outcome::Answered, now);
        assert!(breaker.admit(Requester::Aside, now).is_some());
    }

    #[test]
    fn a_failed_query_does_not_prolong_the_rest() {
        let (mut breaker, now) = tripped();
        for second in [5, 15, 29] {
            let then = now + second * SECOND;
            let probe = breaker.admit(Requester::Person, then).unwrap();
            breaker.ended(probe, Outcome::Failed, then);
        }
        assert_eq!(breaker.admit(Requester::Aside, now + 29 * SECOND), None);
        let over = now + 30 * SECOND;
        let probe = breaker.admit(Requester::Aside, over).unwrap();
        breaker.ended(probe, Outcome::Failed, over);
        assert_eq!(breaker.health(over), Health::Resting(30 * SECOND));
    }

    #[test]
    fn a_probe_that_was_given_up_leaves_its_place_to_the_next() {
        let (mut breaker, now) = tripped();
        let later = now + 30 * SECOND;
        let probe = breaker.admit(Requester::Aside, later).unwrap();
        breaker.ended(probe, Outcome::GivenUp, later);
        assert!(breaker.admit(Requester::Aside, later).is_some());
    }

    #[test]
    fn an_old_question_does_not_end_the_probe() {
        let (mut breaker, now) = (CircuitBreaker::default(), Instant::now());
        let old = breaker.admit(Requester::Aside, now).unwrap();
        for _ in 0..3 {
            let pass = breaker.admit(Requester::Aside, now).unwrap();
            breaker.ended(pass, Outcome::Failed, now);
        }
        let later = now + 30 * SECOND;
        breaker.admit(Requester::Aside, later).unwrap();
        breaker.ended(old, Outcome::GivenUp, later);
        assert_eq!(breaker.admit(Requester::Aside, later), None);
    }

    #[test]
    fn a_server_that_wants_a_rest_gets_it_from_everybody() {
        let (mut breaker, now) = (CircuitBreaker::default(), Instant::now());
        let pass = breaker.admit(Requester::Person, now).unwrap();
        breaker.ended(pass, Outcome::Busy(7 * SECOND), now);
        assert_eq!(breaker.admit(Requester::Person, now + 6 * SECOND), None);
        assert_eq!(breaker.health(now + 6 * SECOND), Health::Resting(SECOND));
        assert!(breaker.admit(Requester::Aside, now + 7 * SECOND).is_some());
        // A rate limit counts as a failure too.
        let (mut breaker, now) = (CircuitBreaker::default(), Instant::now());
        for _ in 0..3 {
            let pass = breaker.admit(Requester::Aside, now).unwrap();
            breaker.ended(pass, Outcome::Busy(Duration::ZERO), now);
        }
        assert_eq!(breaker.admit(Requester::Aside, now), None);
    }
}
