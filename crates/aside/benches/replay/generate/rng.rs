//! A small deterministic random number generator with a seed.

pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// SplitMix64: every seed is a good one, zero included.
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.roll() % limit.max(1) as u64) as usize
    }

    pub fn between(&mut self, from: usize, to: usize) -> usize {
        from + self.below(to + 1 - from)
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// A word of a list, all equally likely.
    pub fn word<'a>(&mut self, words: &'a str) -> &'a str {
        let count = words.split_whitespace().count();
        words.split_whitespace().nth(self.below(count)).unwrap_or_default()
    }

    /// A part between `|`, the first twice as likely as the second, three times as likely as the third.
    pub fn usual<'a>(&mut self, parts: &'a str) -> &'a str {
        let count = parts.split('|').count();
        parts.split('|').nth(self.zipf(count)).unwrap_or_default().trim()
    }

    pub fn zipf(&mut self, length: usize) -> usize {
        let uniform = (self.roll() >> 11) as f64 / (1u64 << 53) as f64;
        (((length + 1) as f64).powf(uniform) as usize).saturating_sub(1).min(length.saturating_sub(1))
    }

    pub fn hex(&mut self, digits: usize) -> String {
        (0..digits).map(|_| char::from(b"0123456789abcdef"[self.below(16)])).collect()
    }
}
