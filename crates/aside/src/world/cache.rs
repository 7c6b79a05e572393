//! The cache of lookups, with their times. Decides what is evicted; looks nothing up.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aside_commands::world::{DirEntry, LiveItem, LiveKind};

use crate::world::directory::Listing;

/// Caps on directories, and on names in all of them: some 20 MB at worst.
const MAX_DIRECTORIES: usize = 256;
const MAX_ENTRIES: usize = 400_000;
/// Cap on values of PATH. A user has few; each entered environment adds one.
const MAX_PATHS: usize = 16;
const MAX_REPOSITORIES: usize = 256;
const MAX_LIVE: usize = 256;
const MAX_ITEMS: usize = 200_000;
/// Caps on learnt commands, and on bytes about all of them.
const MAX_LEARNT: usize = 512;
const MAX_TEXT: usize = 4 * 1024 * 1024;
/// Cap on man pages.
const MAX_MANUALS: usize = 64;

/// The programs on one PATH.
#[derive(Clone)]
pub struct Programs {
    pub names: Arc<[Box<str>]>,
    /// The listings that they were taken from.
    pub from: Arc<[Arc<[DirEntry]>]>,
}

pub struct Cache {
    /// How many commands have ended: an answer from before the last one may be outdated.
    pub commands: u64,
    pub entries: LruTable<Arc<str>, Listing>,
    pub programs: LruTable<Arc<str>, Programs>,
    pub repositories: LruTable<Arc<str>, Arc<str>>,
    pub live: LruTable<(LiveKind, Arc<str>), Arc<[LiveItem]>>,
    /// By command and PATH.
    pub learnt: LruTable<(Arc<str>, Arc<str>), Arc<str>>,
    /// By command and PATH.
    pub manuals: LruTable<(Arc<str>, Arc<str>), Arc<str>>,
}

impl Default for Cache {
    fn default() -> Self {
        Self {
            commands: 0,
            entries: LruTable::new(MAX_DIRECTORIES, MAX_ENTRIES, |listing| listing.entries.len()),
            programs: LruTable::new(MAX_PATHS, usize::MAX, |_| 1),
            repositories: LruTable::new(MAX_REPOSITORIES, usize::MAX, |_| 1),
            live: LruTable::new(MAX_LIVE, MAX_ITEMS, |items| items.len()),
            learnt: LruTable::new(MAX_LEARNT, MAX_TEXT, |text| text.len()),
            manuals: LruTable::new(MAX_MANUALS, MAX_TEXT, |text| text.len()),
        }
    }
}

/// How long an answer stays fresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    pub at_most: Duration,
    /// Whether a command of the user may have changed it.
    pub ends_with_a_command: bool,
}

impl Lifetime {
    pub const fn until_a_command(at_most: Duration) -> Self {
        Self { at_most, ends_with_a_command: true }
    }

    pub const fn time(at_most: Duration) -> Self {
        Self { at_most, ends_with_a_command: false }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub enum Cached<V> {
    Fresh(Option<V>),
    /// A stale answer.
    Old(Option<V>),
    Nothing,
}

/// An LRU cache for one kind of answer.
pub struct LruTable<K, V> {
    slots: HashMap<K, Slot<V>>,
    most: usize,
    heaviest: usize,
    weigh: fn(&V) -> usize,
    weight: usize,
    uses: u64,
}

struct Slot<V> {
    /// `None` when there is no such thing.
    value: Option<V>,
    checked: Instant,
    commands: u64,
    used: u64,
}

impl<K: Clone + Eq + Hash, V: Clone> LruTable<K, V> {
    pub fn new(most: usize, heaviest: usize, weigh: fn(&V) -> usize) -> Self {
        Self { slots: HashMap::new(), most, heaviest, weigh, weight: 0, uses: 0 }
    }

    pub fn find<Q>(&mut self, key: &Q, now: Instant, commands: u64, lifetime: Lifetime) -> Cached<V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.uses += 1;
        let Some(slot) = self.slots.get_mut(key) else { return Cached::Nothing };
        slot.used = self.uses;
        let young = now.saturating_duration_since(slot.checked) < lifetime.at_most;
        let undisturbed = !lifetime.ends_with_a_command || slot.commands == commands;
        let value = slot.value.clone();
        if young && undisturbed { Cached::Fresh(value) } else { Cached::Old(value) }
    }

    /// The cached answer, however old.
    pub fn last<Q>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.slots.get(key).and_then(|slot| slot.value.clone())
    }

    /// `commands` is how many had ended when the lookup began.
    pub fn put(&mut self, key: K, value: Option<V>, now: Instant, commands: u64) {
        self.uses += 1;
        self.weight += value.as_ref().map_or(0, self.weigh);
        let slot = Slot { value, checked: now, commands, used: self.uses };
        if let Some(Slot { value: Some(old), .. }) = self.slots.insert(key, slot) {
            self.weight -= (self.weigh)(&old);
        }
        while (self.slots.len() > self.most || self.weight > self.heaviest) && self.slots.len() > 1 {
            let oldest = self.slots.iter().min_by_key(|(_, slot)| slot.used).map(|(key, _)| key.clone());
            let Some(slot) = oldest.and_then(|key| self.slots.remove(&key)) else { break };
            self.weight -= slot.value.as_ref().map_or(0, self.weigh);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_old_after_its_time_or_a_command_and_still_told() {
        let mut table: LruTable<Arc<str>, u8> = LruTable::new(9, 9, |_| 1);
        let now = Instant::now();
        let lifetime = Lifetime::until_a_command(Duration::from_secs(1));
        assert_eq!(table.find("a", now, 0, lifetime), Cached::Nothing);
        table.put("a".into(), Some(1), now, 0);
        table.put("b".into(), None, now, 0);
        assert_eq!(table.find("a", now, 0, lifetime), Cached::Fresh(Some(1)));
        assert_eq!(table.find("b", now, 0, lifetime), Cached::Fresh(None));
        assert_eq!(table.find("a", now, 1, lifetime), Cached::Old(Some(1)));
        assert_eq!(table.find("a", now, 1, Lifetime::time(Duration::from_secs(1))), Cached::Fresh(Some(1)));
        assert_eq!(table.find("a", now + Duration::from_secs(1), 0, lifetime), Cached::Old(Some(1)));
    }

    #[test]
    fn what_was_not_asked_for_longest_is_forgotten() {
        let mut table: LruTable<Arc<str>, usize> = LruTable::new(3, 100, |size| *size);
        let now = Instant::now();
        let life = Lifetime::time(Duration::from_secs(1));
        for name in ["a", "b", "c"] {
            table.put(name.into(), Some(10), now, 0);
        }
        table.find("a", now, 0, life);
        table.put("d".into(), Some(10), now, 0);
        assert_eq!(["a", "b", "c", "d"].map(|name| table.last(name).is_some()), [true, false, true, true]);
        table.put("e".into(), Some(95), now, 0);
        assert_eq!(["a", "c", "d", "e"].map(|name| table.last(name).is_some()), [false, false, false, true]);
        assert_eq!(table.weight, 95);
        table.put("e".into(), Some(500), now, 0);
        assert_eq!((table.slots.len(), table.weight), (1, 500));
    }
}
