//! A linear classifier that names the frame (rule or domain) a request asks for, trained on labelled requests in
//! several voices (data/understand). Sums weights over the features of a request; `verify` turns the result into a
//! probability.

pub mod features;
pub mod verify;
mod weights;

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use crate::embedded::analysis::AnalyzedQuery;
use crate::embedded::learned::features::Token;
pub use crate::embedded::learned::weights::Weights;

/// Label of the requests that no frame answers.
pub const NONE: &str = "none";
/// Rarity of a word that was in no training request.
pub const UNHEARD: f32 = 9.0;
/// Character n-grams that a word must have to be recognized by them.
const MIN_PIECES: usize = 9;

static BYTES: &[u8] = include_bytes!("../../data/understand/reader.weights");
static OURS: LazyLock<Weights<'static>> = LazyLock::new(|| Weights::parse(BYTES).unwrap_or_default());

/// The weights that ship with Aside.
pub fn embedded_weights() -> &'static Weights<'static> {
    &OURS
}

/// The classifier's output for one request.
pub struct FrameScores<'w> {
    pub weights: &'w Weights<'w>,
    pub tokens: Vec<Token>,
    /// Rarity of each token.
    pub rarities: Vec<f32>,
    /// Score of each frame.
    pub scores: Vec<f32>,
}

impl<'w> FrameScores<'w> {
    pub fn of(reading: &AnalyzedQuery<'_>, weights: &'w Weights<'w>) -> Self {
        let tokens = features::tokens(reading);
        let mut hashes = Vec::with_capacity(256);
        features::each(reading, &tokens, &mut |parts| hashes.push(features::hash(parts)));
        // A feature counts once, however often it occurs.
        hashes.sort_unstable();
        hashes.dedup();
        let mut scores = vec![0.0; weights.frames().len()];
        let mut squares = 0.0;
        for row in hashes.into_iter().filter_map(|hash| weights.row(hash)) {
            squares += row.rarity * row.rarity;
            for (frame, weight) in weights.entries(&row) {
                if let Some(score) = scores.get_mut(frame) {
                    *score += row.rarity * weight;
                }
            }
        }
        let length = f32::sqrt(squares).max(f32::MIN_POSITIVE);
        scores.iter_mut().for_each(|score| *score /= length);
        let rarity =
            |token: &Token| weights.row(features::hash(&["w ", &token.text])).map_or(UNHEARD, |row| row.rarity);
        let rarities = tokens.iter().map(rarity).collect();
        Self { weights, tokens, rarities, scores }
    }

    pub fn score(&self, frame: usize) -> f32 {
        self.scores.get(frame).copied().unwrap_or_default()
    }

    /// The best frames, the best first.
    pub fn best(&self, count: usize) -> Vec<usize> {
        let mut frames: Vec<usize> = (0..self.scores.len()).collect();
        let count = count.min(frames.len());
        if count == 0 {
            return Vec::new();
        }
        frames.select_nth_unstable_by(count - 1, |one, two| self.score(*two).total_cmp(&self.score(*one)));
        frames.truncate(count);
        frames.sort_by(|one, two| self.score(*two).total_cmp(&self.score(*one)));
        frames
    }

    /// For each token, whether requests for this frame use it.
    pub fn known(&self, frame: usize) -> Vec<bool> {
        let speaks = |parts: &[&str]| {
            let row = self.weights.row(features::hash(parts))?;
            Some(self.weights.weight(&row, frame).is_some_and(|weight| weight > 0.0))
        };
        let is_known = |token: &Token| match speaks(&["w ", &token.text]) {
            Some(is_known) => is_known,
            None if token.is_mark => false,
            // A typo: most of its n-grams are those of words that requests for this frame use.
            None => {
                let (mut like, mut all) = (0, 0);
                features::pieces(&token.text, &mut |parts| {
                    all += 1;
                    like += usize::from(speaks(parts) == Some(true));
                });
                all >= MIN_PIECES && 2 * like >= all
            }
        };
        self.tokens.iter().map(is_known).collect()
    }
}
