//! A 64-bit hash at the speed of memory, against damage and truncation. Not against an adversary: who can write the file can write its hash.

const PRIMES: [u64; 4] = [0x9e37_79b1_85eb_ca87, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9, 0x27d4_eb2f_1656_67c5];
const LANES: usize = 8;
const BLOCK: usize = LANES * 8;

/// Takes bytes in pieces. Each step of a lane is a bijection, so that a single changed word always changes the result.
pub struct Hash {
    lanes: [u64; LANES],
    pending: Vec<u8>,
    length: u64,
}

impl Hash {
    pub fn new() -> Hash {
        let lanes = std::array::from_fn(|i| PRIMES[i % 4].rotate_left(i as u32 * 7));
        Hash { lanes, pending: Vec::with_capacity(BLOCK), length: 0 }
    }

    pub fn add(&mut self, mut bytes: &[u8]) {
        self.length += bytes.len() as u64;
        if !self.pending.is_empty() {
            let taken = bytes.len().min(BLOCK - self.pending.len());
            self.pending.extend_from_slice(&bytes[..taken]);
            bytes = &bytes[taken..];
            if self.pending.len() < BLOCK {
                return;
            }
            let block = std::mem::take(&mut self.pending);
            mix(&mut self.lanes, &block);
        }
        let whole = bytes.len() / BLOCK * BLOCK;
        mix(&mut self.lanes, &bytes[..whole]);
        self.pending.extend_from_slice(&bytes[whole..]);
    }

    pub fn finish(mut self) -> u64 {
        self.pending.resize(BLOCK, 0);
        mix(&mut self.lanes, &self.pending);
        let mut sum = self.length.wrapping_mul(PRIMES[0]);
        for lane in self.lanes {
            sum = (sum ^ lane).wrapping_mul(PRIMES[1]);
            sum ^= sum >> 29;
        }
        sum
    }
}

pub fn hash(parts: &[&[u8]]) -> u64 {
    let mut hash = Hash::new();
    for part in parts {
        hash.add(part);
    }
    hash.finish()
}

fn mix(lanes: &mut [u64; LANES], bytes: &[u8]) {
    let mut state = *lanes;
    for block in bytes.chunks_exact(BLOCK) {
        for (lane, word) in state.iter_mut().zip(block.chunks_exact(8)) {
            let word = u64::from_le_bytes(word.try_into().expect("a chunk has eight bytes"));
            *lane = (*lane ^ word).wrapping_mul(PRIMES[0]).rotate_left(31);
        }
    }
    *lanes = state;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_do_not_matter_and_each_bit_does() {
        let bytes: Vec<u8> = (0..1000u32).map(|i| (i * 7 % 251) as u8).collect();
        let whole = hash(&[&bytes]);
        for cut in [0, 1, 63, 64, 65, 500, 1000] {
            assert_eq!(hash(&[&bytes[..cut], &bytes[cut..]]), whole);
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            assert_ne!(hash(&[&changed]), whole);
        }
        assert_ne!(hash(&[&bytes[..999]]), whole);
        let zeros = [0; 128];
        assert_ne!(hash(&[&zeros]), hash(&[&zeros[..127]]));
    }
}
