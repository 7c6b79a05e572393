//! Keeps the beginning and the end of an output, in bounded memory.

use super::{MAX_HEAD, MAX_TAIL};

#[derive(Default)]
pub struct HeadAndTail {
    head: Vec<u8>,
    /// The newest bytes after the head. Once it is full, the oldest of them is at `oldest`.
    ring: Vec<u8>,
    oldest: usize,
    bytes: u64,
}

impl HeadAndTail {
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let (head, behind) = bytes.split_at(bytes.len().min(MAX_HEAD - self.head.len()));
        self.head.extend_from_slice(head);
        if !behind.is_empty() {
            self.push_behind(behind);
        }
    }

    fn push_behind(&mut self, bytes: &[u8]) {
        if self.ring.capacity() == 0 {
            self.ring.reserve_exact(MAX_TAIL);
        }
        // Only the end of a long slice would remain afterwards.
        let bytes = &bytes[bytes.len().saturating_sub(MAX_TAIL)..];
        let (fills, bytes) = bytes.split_at(bytes.len().min(MAX_TAIL - self.ring.len()));
        self.ring.extend_from_slice(fills);
        let (up, around) = bytes.split_at(bytes.len().min(MAX_TAIL - self.oldest));
        self.ring[self.oldest..self.oldest + up.len()].copy_from_slice(up);
        self.ring[..around.len()].copy_from_slice(around);
        self.oldest = (self.oldest + bytes.len()) % MAX_TAIL;
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The head, and the tail in order.
    pub fn taken(mut self) -> (Vec<u8>, Vec<u8>) {
        self.ring.rotate_left(self.oldest);
        (self.head, self.ring)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_short_output_has_no_tail() {
        let mut ends = HeadAndTail::default();
        ends.push(b"one ");
        ends.push(b"two");
        assert_eq!(ends.bytes(), 7);
        assert_eq!(ends.taken(), (b"one two".to_vec(), Vec::new()));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn whatever_the_slices_both_ends_are_kept(sizes in prop::collection::vec(0_usize..90_000, 0..8)) {
            let all: Vec<u8> = (0..sizes.iter().sum()).map(|number: usize| (number % 251) as u8).collect();
            let mut ends = HeadAndTail::default();
            let mut rest = all.as_slice();
            for size in sizes {
                let (slice, behind) = rest.split_at(size);
                ends.push(slice);
                rest = behind;
            }
            prop_assert_eq!(ends.bytes(), all.len() as u64);
            let (head, behind) = all.split_at(all.len().min(MAX_HEAD));
            let tail = &behind[behind.len().saturating_sub(MAX_TAIL)..];
            prop_assert_eq!(ends.taken(), (head.to_vec(), tail.to_vec()));
        }
    }
}
