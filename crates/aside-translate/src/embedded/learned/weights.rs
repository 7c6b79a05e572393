//! Reads the classifier's weights, as `make teach-understand` wrote them: for each feature of a request its rarity and
//! its weight for each frame. Read in place, without copying.

use std::ops::Range;

const MAGIC: &[u8] = b"ASIDEWT1";
/// Rarity is stored in sixteenths.
const RARITY_STEP: f32 = 1.0 / 16.0;

/// File format, little-endian: magic; number of features and of entries; bytes of the names; scale of the weights
/// (f32); the names, one a line; hashes (u32, ascending); the first entry of each feature (u32, one more than
/// features); rarities (u8); the frames (u16) and the weights (i8) of the entries.
#[derive(Default)]
pub struct Weights<'d> {
    frames: Vec<&'d str>,
    step: f32,
    hashes: &'d [u8],
    starts: &'d [u8],
    rarities: &'d [u8],
    entry_frames: &'d [u8],
    entry_weights: &'d [u8],
}

/// A feature that has weights.
#[derive(Clone, Debug)]
pub struct Row {
    /// How rare it is among requests; a natural logarithm.
    pub rarity: f32,
    entries: Range<usize>,
}

impl<'d> Weights<'d> {
    pub fn parse(bytes: &'d [u8]) -> Option<Self> {
        let mut rest = bytes.strip_prefix(MAGIC)?;
        let mut take = |length: usize| {
            let (taken, more) = rest.split_at_checked(length)?;
            rest = more;
            Some(taken)
        };
        let traits = usize::try_from(u32_at(take(4)?, 0)?).ok()?;
        let entries = usize::try_from(u32_at(take(4)?, 0)?).ok()?;
        let names = usize::try_from(u32_at(take(4)?, 0)?).ok()?;
        let step = f32::from_bits(u32_at(take(4)?, 0)?);
        let frames = std::str::from_utf8(take(names)?).ok()?.lines().collect();
        let hashes = take(4 * traits)?;
        let starts = take(4 * (traits + 1))?;
        let rarities = take(traits)?;
        let entry_frames = take(2 * entries)?;
        let entry_weights = take(entries)?;
        rest.is_empty().then_some(Self { frames, step, hashes, starts, rarities, entry_frames, entry_weights })
    }

    /// The names of the frames, by their numbers.
    pub fn frames(&self) -> &[&'d str] {
        &self.frames
    }

    pub fn frame(&self, name: &str) -> Option<usize> {
        self.frames.iter().position(|frame| *frame == name)
    }

    pub fn row(&self, hash: u32) -> Option<Row> {
        let (mut low, mut high) = (0, self.rarities.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if u32_at(self.hashes, middle)? < hash { low = middle + 1 } else { high = middle }
        }
        (u32_at(self.hashes, low)? == hash).then_some(())?;
        let start = |place| u32_at(self.starts, place).and_then(|start| usize::try_from(start).ok());
        let rarity = f32::from(*self.rarities.get(low)?) * RARITY_STEP;
        Some(Row { rarity, entries: start(low)?..start(low + 1)? })
    }

    /// The weight of a feature for one frame.
    pub fn weight(&self, row: &Row, frame: usize) -> Option<f32> {
        let number = |entry: usize| {
            let bytes = self.entry_frames.get(2 * entry..2 * entry + 2)?;
            Some(usize::from(u16::from_le_bytes(bytes.try_into().ok()?)))
        };
        let (mut low, mut high) = (row.entries.start, row.entries.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if number(middle)? < frame { low = middle + 1 } else { high = middle }
        }
        let is_there = low < row.entries.end && number(low) == Some(frame);
        is_there.then(|| self.entry_weights.get(low).map(|weight| f32::from(weight.cast_signed()) * self.step))?
    }

    /// The frames that a feature has a weight for, with the weights.
    pub fn entries(&self, row: &Row) -> impl Iterator<Item = (usize, f32)> {
        let frames = self.entry_frames.get(2 * row.entries.start..2 * row.entries.end).unwrap_or_default();
        let weights = self.entry_weights.get(row.entries.clone()).unwrap_or_default();
        frames.chunks_exact(2).zip(weights).map(|(frame, weight)| {
            let number = frame.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte));
            (number, f32::from(weight.cast_signed()) * self.step)
        })
    }
}

fn u32_at(bytes: &[u8], place: usize) -> Option<u32> {
    let four = bytes.get(4 * place..4 * place + 4)?;
    Some(u32::from_le_bytes(four.try_into().ok()?))
}
