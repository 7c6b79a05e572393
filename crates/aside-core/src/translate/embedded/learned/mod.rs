//! Which frame a request asks for, learnt from requests in several voices whose frame is known (data/understand). Adds up weights
//! over the traits of a request; `verify` says what the result is worth.

pub mod traits;
pub mod verify;
mod weights;

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use crate::translate::embedded::learned::traits::Token;
pub use crate::translate::embedded::learned::weights::Weights;
use crate::translate::embedded::reading::Reading;

/// The requests that no frame answers.
pub const NONE: &str = "none";
/// How rare a word counts that no request had.
pub const UNHEARD: f32 = 9.0;
/// Pieces of a word that is long enough to be told by them.
const MIN_PIECES: usize = 9;

static BYTES: &[u8] = include_bytes!("../../../../data/understand/reader.weights");
static OURS: LazyLock<Weights<'static>> = LazyLock::new(|| Weights::parse(BYTES).unwrap_or_default());

/// The weights that come with Aside.
pub fn ours() -> &'static Weights<'static> {
    &OURS
}

/// What the weights make of one request.
pub struct Heard<'w> {
    pub weights: &'w Weights<'w>,
    pub tokens: Vec<Token>,
    /// How rare each token is.
    pub rarities: Vec<f32>,
    /// By frame.
    pub scores: Vec<f32>,
}

impl<'w> Heard<'w> {
    pub fn of(reading: &Reading<'_>, weights: &'w Weights<'w>) -> Self {
        let tokens = traits::tokens(reading);
        let mut hashes = Vec::with_capacity(256);
        traits::each(reading, &tokens, &mut |parts| hashes.push(traits::hash(parts)));
        // However often it is shown, a trait counts once.
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
        let rarity = |token: &Token| weights.row(traits::hash(&["w ", &token.text])).map_or(UNHEARD, |row| row.rarity);
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

    /// Of each token, whether requests for this frame use it.
    pub fn known(&self, frame: usize) -> Vec<bool> {
        let speaks = |parts: &[&str]| {
            let row = self.weights.row(traits::hash(parts))?;
            Some(self.weights.weight(&row, frame).is_some_and(|weight| weight > 0.0))
        };
        let is_known = |token: &Token| match speaks(&["w ", &token.text]) {
            Some(is_known) => is_known,
            None if token.is_mark => false,
            // A slip of the fingers: most of its pieces are those of words that requests for this frame use.
            None => {
                let (mut like, mut all) = (0, 0);
                traits::pieces(&token.text, &mut |parts| {
                    all += 1;
                    like += usize::from(speaks(parts) == Some(true));
                });
                all >= MIN_PIECES && 2 * like >= all
            }
        };
        self.tokens.iter().map(is_known).collect()
    }
}
