//! Which deliveries are known. WeCom sends a callback again that was not answered in time, and a relay delivers at least once; what is
//! done for a message must happen once.

use std::collections::{HashSet, VecDeque};

/// Keys that are remembered; the oldest is forgotten first.
const MAX_KEYS: usize = 4096;
/// Characters of a key: what is longer is no id of a message.
const MAX_KEY: usize = 512;

#[derive(Debug, Default)]
pub struct Seen {
    keys: HashSet<String>,
    order: VecDeque<String>,
}

impl Seen {
    pub fn knows(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    /// Whether this is the first time. A key that is too long never is.
    pub fn is_first(&mut self, key: &str) -> bool {
        if key.len() > MAX_KEY || !self.keys.insert(key.to_owned()) {
            return false;
        }
        self.order.push_back(key.to_owned());
        if self.order.len() > MAX_KEYS
            && let Some(oldest) = self.order.pop_front()
        {
            self.keys.remove(&oldest);
        }
        true
    }
}
