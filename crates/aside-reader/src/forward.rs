//! The forward pass: tokens to logits, with the keys and values of earlier tokens kept. Several continuations of one prompt go through at
//! once, each with the path of the tokens that it sees, so that the weights are read once for all of them and nothing is copied when a
//! continuation splits.

use std::sync::Arc;

use crate::file::Shape;
use crate::model::Model;
use crate::pool::{Pool, Which};

/// Tokens that go through a layer at once; more would fall out of the cache of the processor.
const BATCH: usize = 64;

/// A token to be read.
pub struct Row<'a> {
    pub token: u32,
    /// The slots of the tokens that it sees; the last is its own.
    pub path: &'a [u32],
}

pub struct Forward {
    model: Arc<Model>,
    pool: Pool,
    /// For each layer, for each slot: keys, then values.
    cache: Vec<Vec<f32>>,
    /// For each position: cosine and sine for each pair of a head.
    rotations: Vec<f32>,
    buffers: Buffers,
}

#[derive(Default)]
struct Buffers {
    states: Vec<f32>,
    normed: Vec<f32>,
    mixed: Vec<f32>,
    wide: Vec<f32>,
    added: Vec<f32>,
    scores: Vec<f32>,
}

impl Forward {
    pub fn new(model: Arc<Model>, threads: usize) -> Forward {
        let pool = Pool::new(Arc::clone(&model), threads);
        let cache = vec![Vec::new(); model.shape.layers];
        Forward { model, pool, cache, rotations: Vec::new(), buffers: Buffers::default() }
    }

    /// Forgets all slots and gives their memory back.
    pub fn forget(&mut self) {
        self.cache.iter_mut().for_each(|layer| *layer = Vec::new());
        self.buffers = Buffers::default();
    }

    /// Reads rows, and writes the logits of the last `wanted` of them. A row may see rows before it.
    pub fn read(&mut self, rows: &[Row], wanted: usize, logits: &mut Vec<f32>) {
        logits.clear();
        let width = self.model.shape.width;
        let first_wanted = rows.len() - wanted;
        let mut last = Vec::with_capacity(wanted * width);
        for (batch, start) in rows.chunks(BATCH).zip((0..).step_by(BATCH)) {
            self.layers(batch);
            let skipped = first_wanted.saturating_sub(start).min(batch.len());
            last.extend_from_slice(&self.buffers.states[skipped * width..]);
        }
        if wanted > 0 {
            let model = Arc::clone(&self.model);
            normalize(&last, &model.norm, model.shape.epsilon, &mut self.buffers.normed);
            self.pool.multiply(Which::Embedding, &self.buffers.normed, logits);
        }
    }

    fn layers(&mut self, rows: &[Row]) {
        let model = Arc::clone(&self.model);
        let Shape { width, inner, epsilon, .. } = model.shape;
        let longest = rows.iter().map(|row| row.path.len()).max().unwrap_or(0);
        self.rotate_until(longest);
        let pool = &mut self.pool;
        let Buffers { states, normed, mixed, wide, added, scores } = &mut self.buffers;
        states.resize(rows.len() * width, 0.0);
        for (row, state) in rows.iter().zip(states.chunks_exact_mut(width)) {
            model.embed(row.token, state);
        }
        for (number, layer) in model.layers.iter().enumerate() {
            normalize(states, &layer.attention_norm, epsilon, normed);
            pool.multiply(Which::AttentionIn(number), normed, wide);
            let cache = &mut self.cache[number];
            remember(&model.shape, &self.rotations, rows, wide, cache);
            mixed.resize(rows.len() * width, 0.0);
            let step = width + 2 * model.shape.keys();
            for ((row, queries), out) in rows.iter().zip(wide.chunks_exact(step)).zip(mixed.chunks_exact_mut(width)) {
                attend(&model.shape, row.path, &queries[..width], cache, scores, out);
            }
            pool.multiply(Which::AttentionOut(number), mixed, added);
            states.iter_mut().zip(added.iter()).for_each(|(state, more)| *state += more);

            normalize(states, &layer.inner_norm, epsilon, normed);
            pool.multiply(Which::InnerIn(number), normed, wide);
            mixed.resize(rows.len() * inner, 0.0);
            for (both, out) in wide.chunks_exact(2 * inner).zip(mixed.chunks_exact_mut(inner)) {
                let (gate, up) = both.split_at(inner);
                for ((out, gate), up) in out.iter_mut().zip(gate).zip(up) {
                    *out = gate / (1.0 + exp(-gate)) * up;
                }
            }
            pool.multiply(Which::InnerOut(number), mixed, added);
            states.iter_mut().zip(added.iter()).for_each(|(state, more)| *state += more);
        }
    }

    fn rotate_until(&mut self, positions: usize) {
        let pairs = self.model.shape.head() / 2;
        for position in self.rotations.len() / (2 * pairs)..positions {
            for pair in 0..pairs {
                let turn = f64::from(self.model.shape.rotation).powf(-(pair as f64) / pairs as f64);
                let (sine, cosine) = (position as f64 * turn).sin_cos();
                self.rotations.extend([cosine as f32, sine as f32]);
            }
        }
    }
}

/// Rotates the queries and keys of rows by their position, and stores keys and values in their slots.
fn remember(shape: &Shape, rotations: &[f32], rows: &[Row], wide: &mut [f32], cache: &mut Vec<f32>) {
    let (head, keys) = (shape.head(), shape.keys());
    for (row, values) in rows.iter().zip(wide.chunks_exact_mut(shape.width + 2 * keys)) {
        let turns = &rotations[(row.path.len() - 1) * head..row.path.len() * head];
        for vector in values[..shape.width + keys].chunks_exact_mut(head) {
            for (pair, turn) in vector.as_chunks_mut::<2>().0.iter_mut().zip(turns.as_chunks::<2>().0) {
                let ([x, y], [cosine, sine]) = (*pair, *turn);
                *pair = [x * cosine - y * sine, x * sine + y * cosine];
            }
        }
        let slot = row.path[row.path.len() - 1] as usize * 2 * keys;
        if cache.len() < slot + 2 * keys {
            cache.resize(slot + 2 * keys, 0.0);
        }
        cache[slot..slot + 2 * keys].copy_from_slice(&values[shape.width..]);
    }
}

fn attend(shape: &Shape, path: &[u32], queries: &[f32], cache: &[f32], scores: &mut Vec<f32>, out: &mut [f32]) {
    let (head, keys) = (shape.head(), shape.keys());
    let group = shape.heads / shape.key_heads;
    let scale = 1.0 / (head as f32).sqrt();
    for (number, (query, out)) in queries.chunks_exact(head).zip(out.chunks_exact_mut(head)).enumerate() {
        let at = number / group * head;
        scores.clear();
        scores.extend(path.iter().map(|slot| dot(query, &cache[*slot as usize * 2 * keys + at..][..head]) * scale));
        let largest = scores.iter().copied().fold(f32::MIN, f32::max);
        let mut sum = 0.0;
        for score in scores.iter_mut() {
            *score = exp(*score - largest);
            sum += *score;
        }
        out.fill(0.0);
        for (score, slot) in scores.iter().zip(path) {
            let value = &cache[*slot as usize * 2 * keys + keys + at..][..head];
            let share = score / sum;
            out.iter_mut().zip(value).for_each(|(out, value)| *out += share * value);
        }
    }
}

/// RMS norm of each row.
fn normalize(states: &[f32], norm: &[f32], epsilon: f32, out: &mut Vec<f32>) {
    out.clear();
    for row in states.chunks_exact(norm.len()) {
        let scale = 1.0 / (dot(row, row) / norm.len() as f32 + epsilon).sqrt();
        out.extend(row.iter().zip(norm).map(|(value, norm)| value * scale * norm));
    }
}

/// Lengths are a multiple of eight. Eight sums, since the compiler may not reorder one.
fn dot(one: &[f32], other: &[f32]) -> f32 {
    let mut sums = [0.0f32; 8];
    for (one, other) in one.as_chunks::<8>().0.iter().zip(other.as_chunks::<8>().0) {
        for (sum, (one, other)) in sums.iter_mut().zip(one.iter().zip(other)) {
            *sum += one * other;
        }
    }
    sums.iter().sum()
}

/// e to the x without a branch or a call, so that loops over it become vector instructions; right to six digits.
pub fn exp(x: f32) -> f32 {
    const WHOLE: f32 = 12_582_912.0;
    let x = x.clamp(-87.0, 88.0);
    let whole = x * std::f32::consts::LOG2_E + WHOLE;
    let power = whole - WHOLE;
    let rest = (x - power * 0.693_359_4) + power * 2.121_944_4e-4;
    let series = 1.0 / 120.0 + rest * (1.0 / 720.0);
    let series = 1.0 + rest * (1.0 + rest * (0.5 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0 + rest * series))));
    // The bits of `whole` end in the exponent.
    let exponent = (whole.to_bits() << 23).wrapping_add(127 << 23);
    series * f32::from_bits(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_right_to_six_digits() {
        for i in -8700..=8800 {
            let x = i as f32 / 100.0;
            let expected = f64::from(x).exp();
            assert!((f64::from(exp(x)) / expected - 1.0).abs() < 1e-6, "{x}: {} is not {expected}", exp(x));
        }
        assert!(exp(-1000.0) < 1e-37 && exp(f32::MIN) < 1e-37);
    }
}
