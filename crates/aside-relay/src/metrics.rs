//! What a relay counts, in the text format of Prometheus. No name of a user and no text of a message is a label.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Upper bounds in milliseconds.
const BOUNDS: [u64; 10] = [5, 10, 25, 50, 100, 250, 1000, 5000, 60_000, 3_600_000];

#[derive(Default)]
pub struct Metrics {
    counters: Mutex<BTreeMap<(&'static str, &'static str), u64>>,
    connected: AtomicU64,
    messages_waiting: AtomicU64,
    replies_waiting: AtomicU64,
    delivery: Mutex<Histogram>,
}

#[derive(Default)]
struct Histogram {
    counts: [u64; BOUNDS.len()],
    count: u64,
    sum: u64,
}

/// Name, label and what it means. All of them are shown from the beginning, so that a rate is right from the first event on.
const COUNTERS: [(&str, &str, &[&str], &str); 7] = [
    (
        "messages_total",
        "result",
        &["accepted", "duplicate", "unrouted", "misaddressed", "full", "refused", "failed"],
        "Messages of users, by what became of them",
    ),
    ("deliveries_total", "result", &["sent", "taken", "expired"], "Messages handed to machines"),
    (
        "replies_total",
        "result",
        &["stored", "duplicate", "rejected", "sent", "left_out", "given_up"],
        "Replies to chats",
    ),
    ("machine_connections_total", "result", &["welcome", "refused", "replaced"], "Connections of machines"),
    ("enrolments_total", "result", &["done", "refused"], "One-time codes that were brought"),
    ("admin_calls_total", "result", &["done", "refused"], "Calls of the admin endpoints"),
    ("store_errors_total", "kind", &["write"], "Calls that failed because the store did"),
];

impl Metrics {
    pub fn count(&self, name: &'static str, label: &'static str) {
        let mut counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        *counters.entry((name, label)).or_default() += 1;
    }

    pub fn connected(&self, machines: usize) {
        self.connected.store(u64::try_from(machines).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    pub fn waiting(&self, messages: u64, replies: u64) {
        self.messages_waiting.store(messages, Ordering::Relaxed);
        self.replies_waiting.store(replies, Ordering::Relaxed);
    }

    /// From accepting a message to its machine having taken it.
    pub fn delivered(&self, milliseconds: u64) {
        let mut delivery = self.delivery.lock().unwrap_or_else(PoisonError::into_inner);
        delivery.count += 1;
        delivery.sum += milliseconds;
        for (at, bound) in BOUNDS.iter().enumerate() {
            delivery.counts[at] += u64::from(milliseconds <= *bound);
        }
    }

    pub fn text(&self) -> String {
        let mut text = String::new();
        let counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for (name, label, values, help) in COUNTERS {
            let _ = writeln!(text, "# HELP aside_relay_{name} {help}\n# TYPE aside_relay_{name} counter");
            for value in values {
                let count = counters.get(&(name, *value)).copied().unwrap_or_default();
                let _ = writeln!(text, "aside_relay_{name}{{{label}=\"{value}\"}} {count}");
            }
        }
        for (name, value, help) in [
            ("machines_connected", &self.connected, "Machines that are connected to this copy"),
            ("messages_waiting", &self.messages_waiting, "Messages that no machine has taken yet, of all copies"),
            ("replies_waiting", &self.replies_waiting, "Replies that were not sent yet, of all copies"),
        ] {
            let value = value.load(Ordering::Relaxed);
            let _ = writeln!(
                text,
                "# HELP aside_relay_{name} {help}\n# TYPE aside_relay_{name} gauge\naside_relay_{name} {value}"
            );
        }
        let delivery = self.delivery.lock().unwrap_or_else(PoisonError::into_inner);
        let name = "aside_relay_delivery_milliseconds";
        let _ =
            writeln!(text, "# HELP {name} From accepting a message to its machine having it\n# TYPE {name} histogram");
        for (bound, count) in BOUNDS.iter().zip(delivery.counts) {
            let _ = writeln!(text, "{name}_bucket{{le=\"{bound}\"}} {count}");
        }
        let Histogram { count, sum, .. } = *delivery;
        let _ = writeln!(text, "{name}_bucket{{le=\"+Inf\"}} {count}\n{name}_sum {sum}\n{name}_count {count}");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_is_told_and_the_rest_is_zero() {
        let metrics = Metrics::default();
        metrics.count("messages_total", "accepted");
        metrics.connected(3);
        metrics.delivered(7);
        metrics.delivered(70);
        let text = metrics.text();
        for line in [
            "aside_relay_messages_total{result=\"accepted\"} 1\n",
            "aside_relay_messages_total{result=\"full\"} 0\n",
            "aside_relay_machines_connected 3\n",
            "aside_relay_delivery_milliseconds_bucket{le=\"10\"} 1\n",
            "aside_relay_delivery_milliseconds_bucket{le=\"100\"} 2\n",
            "aside_relay_delivery_milliseconds_sum 77\n",
        ] {
            assert!(text.contains(line), "{line}{text}");
        }
    }
}
