//! A set of commands sorted by text that answers "the newest ones with this prefix" without a full scan. Holds ids
//! only: the texts live in the index.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Blocks split when they reach this many entries. A query opens a few blocks and skips the others by comparing one
/// number.
const BLOCK_CAP: usize = 512;

#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Id of the command.
    pub id: u32,
    /// Sequence number of its last run: larger is later.
    pub order: u32,
}

#[derive(Debug)]
struct Block {
    entries: Vec<Entry>,
    newest: u32,
}

impl Block {
    fn new(entries: Vec<Entry>) -> Self {
        let newest = entries.iter().map(|entry| entry.order).max().unwrap_or(0);
        Self { entries, newest }
    }
}

/// Never holds an empty block.
#[derive(Debug, Default)]
pub struct PrefixIndex {
    blocks: Vec<Block>,
}

impl PrefixIndex {
    /// `entries` are sorted by their text.
    pub fn from_sorted(entries: impl ExactSizeIterator<Item = Entry>) -> Self {
        // Half-full blocks would waste memory on a history that is mostly read; nearly full ones would split at once.
        let fill = BLOCK_CAP * 3 / 4;
        let mut blocks = Vec::with_capacity(entries.len().div_ceil(fill));
        let mut entries = entries.peekable();
        while entries.peek().is_some() {
            let mut block = Vec::with_capacity(entries.len().min(fill));
            block.extend(entries.by_ref().take(fill));
            blocks.push(Block::new(block));
        }
        Self { blocks }
    }

    /// Adds the command, or records that it ran again. `text` gives the text of a command by its id.
    pub fn put<'a>(&mut self, id: u32, order: u32, text: impl Fn(u32) -> &'a str) {
        let wanted = text(id);
        if self.blocks.is_empty() {
            self.blocks.push(Block::new(Vec::new()));
        }
        // The last block whose first entry is not after the command; the first block takes what sorts before all.
        let after = self.blocks.partition_point(|block| {
            block.entries.first().is_some_and(|entry| text(entry.id).cmp(wanted) != Ordering::Greater)
        });
        let at = after.saturating_sub(1);
        let block = &mut self.blocks[at];
        match block.entries.binary_search_by(|entry| text(entry.id).cmp(wanted)) {
            Ok(found) => block.entries[found].order = order,
            Err(place) => block.entries.insert(place, Entry { id, order }),
        }
        block.newest = block.newest.max(order);
        if block.entries.len() >= BLOCK_CAP {
            let right = block.entries.split_off(BLOCK_CAP / 2);
            let left = std::mem::take(&mut block.entries);
            self.blocks[at] = Block::new(left);
            self.blocks.insert(at + 1, Block::new(right));
        }
    }

    /// The id of the command with exactly this text.
    pub fn find<'a>(&self, wanted: &str, text: impl Fn(u32) -> &'a str) -> Option<u32> {
        self.entry(wanted, text).map(|entry| entry.id)
    }

    fn entry<'a>(&self, wanted: &str, text: impl Fn(u32) -> &'a str) -> Option<Entry> {
        let after =
            self.blocks.partition_point(|block| block.entries.first().is_some_and(|entry| text(entry.id) <= wanted));
        let block = self.blocks.get(after.checked_sub(1)?)?;
        let found = block.entries.binary_search_by(|entry| text(entry.id).cmp(wanted)).ok()?;
        Some(block.entries[found])
    }

    /// The sequence number of the last run of the command with this text.
    pub fn order_of<'a>(&self, wanted: &str, text: impl Fn(u32) -> &'a str) -> Option<u32> {
        self.entry(wanted, text).map(|entry| entry.order)
    }

    /// The newest commands that begin with `prefix` and that `wanted` accepts, newest first.
    pub fn newest<'a>(
        &self,
        prefix: &str,
        limit: usize,
        text: impl Fn(u32) -> &'a str,
        wanted: impl Fn(u32) -> bool,
    ) -> Vec<Entry> {
        let mut best = Best { entries: Vec::with_capacity(limit + 1), limit };
        let begins = |entry: &Entry| text(entry.id).starts_with(prefix);
        let before = |entry: &Entry| text(entry.id) < prefix;

        // After the first block that reaches the prefix, blocks begin with the prefix until one does not.
        let from = self.blocks.partition_point(|block| block.entries.last().is_some_and(before));
        let rest = self.blocks.get(from + 1..).unwrap_or_default();
        let to = from + 1 + rest.partition_point(|block| block.entries.first().is_some_and(begins));
        let to = to.min(self.blocks.len());

        let mut heap: BinaryHeap<(u32, usize)> =
            (from..to).map(|number| (self.blocks[number].newest, number)).collect();
        while let Some((newest, number)) = heap.pop() {
            if best.beats_all(newest) {
                break;
            }
            let entries = &self.blocks[number].entries;
            let first = entries.partition_point(before);
            let matching = &entries[first..];
            let matching = &matching[..matching.partition_point(begins)];
            for entry in matching {
                if !best.beats_all(entry.order) && wanted(entry.id) {
                    best.add(*entry);
                }
            }
        }
        best.entries
    }
}

/// The `limit` newest entries seen so far, newest first.
struct Best {
    entries: Vec<Entry>,
    limit: usize,
}

impl Best {
    fn beats_all(&self, order: u32) -> bool {
        self.entries.len() >= self.limit && self.entries.last().is_none_or(|last| last.order >= order)
    }

    fn add(&mut self, entry: Entry) {
        let place = self.entries.partition_point(|other| other.order > entry.order);
        self.entries.insert(place, entry);
        self.entries.truncate(self.limit);
    }
}
