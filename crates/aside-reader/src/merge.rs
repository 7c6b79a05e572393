//! Merges a base and the update of its weights into the one file that the model maps: dequantises, adds the low-rank product, rounds to int8
//! with a scale for each row. Reads and writes only the files that it is given.

use std::num::NonZero;
use std::path::Path;
use std::thread;

use crate::error::{Error, wrong};
use crate::file::{Header, Identity, Place, Shape, Writer};
use crate::gguf::Gguf;
use crate::kernel::Kernel;
use crate::safetensors::{Safetensors, Tensor};
use crate::tokenizer::Tokenizer;

/// The `format` in the metadata of the weights.
const FORMAT: &str = "aside-reader-1";
/// Rank of an update at most.
const RANK: usize = 4096;
/// Rows that are merged at once.
const BLOCK: usize = 64;

/// Merges the bytes of a GGUF file and of the safetensors files, in the order of their names, into the file at `path`.
pub fn merge(base: &[u8], weights: &[&[u8]], path: &Path) -> Result<Identity, Error> {
    let mut update = Safetensors::default();
    for file in weights {
        update.add(file)?;
    }
    if update.facts.get("format").is_none_or(|format| format != FORMAT) {
        return Err(wrong(format!("the weights are not in the format {FORMAT}")));
    }
    let identity = Identity { base: sha256(&[base]), weights: sha256(weights) };
    if update.facts.get("base_sha256").is_none_or(|digest| *digest != hex(&identity.base)) {
        return Err(Error::OtherModel("the weights belong to another base".to_owned()));
    }
    let gguf = Gguf::parse(base)?;
    let shape = shape(&gguf)?;
    let (tokens, merges) = (gguf.texts("tokenizer.ggml.tokens")?, gguf.texts("tokenizer.ggml.merges")?);
    if tokens.len() != shape.vocabulary {
        return Err(wrong("the base has not as many tokens as rows of its embedding"));
    }
    let mut section = Vec::new();
    Tokenizer::from_gpt2(tokens, merges)?.write(&mut section);
    let header = Header { shape, identity, tokenizer: section.len() };
    let mut merger = Merger { gguf, update, writer: Writer::create(path, header.clone(), &section)? };
    merger.write_all(&header)?;
    merger.writer.finish()?;
    Ok(identity)
}

pub fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut context = ring::digest::Context::new(&ring::digest::SHA256);
    parts.iter().for_each(|part| context.update(part));
    context.finish().as_ref().try_into().expect("SHA-256 has 32 bytes")
}

pub fn hex(digest: &[u8; 32]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn shape(gguf: &Gguf) -> Result<Shape, Error> {
    let field = |name: &str| gguf.integer(&format!("llama.{name}"));
    let shape = Shape {
        layers: field("block_count")?,
        width: field("embedding_length")?,
        heads: field("attention.head_count")?,
        key_heads: field("attention.head_count_kv")?,
        inner: field("feed_forward_length")?,
        vocabulary: field("vocab_size")?,
        rotation: gguf.float("llama.rope.freq_base")?,
        epsilon: gguf.float("llama.attention.layer_norm_rms_epsilon")?,
    };
    shape.check()?;
    Ok(shape)
}

struct Merger<'a> {
    gguf: Gguf<'a>,
    update: Safetensors<'a>,
    writer: Writer<'a>,
}

/// Rows in int8.
struct Rounded {
    codes: Vec<u8>,
    scales: Vec<f32>,
    sums: Vec<i32>,
}

impl Merger<'_> {
    fn write_all(&mut self, header: &Header) -> Result<(), Error> {
        let places = header.places();
        let Shape { width, inner, .. } = header.shape;
        let keys = header.shape.keys();
        self.matrix(places.embedding, &[("token_embd.weight".to_owned(), header.shape.vocabulary)])?;
        for (layer, places) in places.layers.iter().enumerate() {
            let named = |name: &str, rows| (format!("blk.{layer}.{name}.weight"), rows);
            let attention_in = [named("attn_q", width), named("attn_k", keys), named("attn_v", keys)];
            self.matrix(places.attention_in, &attention_in)?;
            self.matrix(places.attention_out, &[named("attn_output", width)])?;
            self.matrix(places.inner_in, &[named("ffn_gate", inner), named("ffn_up", inner)])?;
            self.matrix(places.inner_out, &[named("ffn_down", width)])?;
        }
        for (layer, places) in places.layers.iter().enumerate() {
            self.norm(places.attention_norm, &format!("blk.{layer}.attn_norm.weight"), width)?;
            self.norm(places.inner_norm, &format!("blk.{layer}.ffn_norm.weight"), width)?;
        }
        self.norm(places.norm, "output_norm.weight", width)
    }

    fn norm(&mut self, place: usize, name: &str, width: usize) -> Result<(), Error> {
        let mut values = vec![0.0; width];
        if self.update.has(name) {
            values = self.update.floats(name, width)?;
        } else {
            self.gguf.tensor(name, 1, width)?.row(0, &mut values);
        }
        self.writer.put(place, &bytes_of(&values))
    }

    /// The matrices of these names and rows, one below the other.
    fn matrix(&mut self, place: Place, parts: &[(String, usize)]) -> Result<(), Error> {
        let mut all = Rounded { codes: Vec::new(), scales: Vec::new(), sums: Vec::new() };
        for (name, rows) in parts {
            let part = self.merged(name, *rows, place.columns)?;
            all.codes.extend(part.codes);
            all.scales.extend(part.scales);
            all.sums.extend(part.sums);
        }
        self.writer.put(place.codes, &all.codes)?;
        self.writer.put(place.scales, &bytes_of(&all.scales))?;
        let sums: Vec<u8> = all.sums.iter().flat_map(|sum| sum.to_le_bytes()).collect();
        self.writer.put(place.sums, &sums)
    }

    fn merged(&self, name: &str, rows: usize, columns: usize) -> Result<Rounded, Error> {
        let base = self.gguf.tensor(name, rows, columns)?;
        let (left, right) = (self.factor(name, "B")?, self.factor(name, "A")?);
        let rank = right.rank;
        if (left.tensor.rows, left.tensor.columns, right.tensor.rows, right.tensor.columns)
            != (rows, rank, rank, columns)
            || rank > RANK
        {
            return Err(wrong(format!("the factors of {name} do not fit it")));
        }
        let (left, right) = (left.floats(), right.floats());
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let share = rows.div_ceil(threads).next_multiple_of(4);
        let kernel = Kernel::best();
        let merge_rows = |start: usize| {
            let mut part = Rounded { codes: Vec::new(), scales: Vec::new(), sums: Vec::new() };
            let mut values = vec![0.0; BLOCK * columns];
            let end = (start + share).min(rows);
            for first in (start..end).step_by(BLOCK) {
                let count = (end - first).min(BLOCK);
                let values = &mut values[..count * columns];
                for (row, values) in values.chunks_exact_mut(columns).enumerate() {
                    base.row(first + row, values);
                }
                kernel.add_products(&left[first * rank..(first + count) * rank], &right, columns, values);
                values.chunks_exact(columns).for_each(|row| part.add(row));
            }
            part
        };
        let mut all = Rounded { codes: Vec::with_capacity(rows * columns), scales: Vec::new(), sums: Vec::new() };
        thread::scope(|scope| {
            let merge_rows = &merge_rows;
            let parts: Vec<_> = (0..rows).step_by(share).map(|start| scope.spawn(move || merge_rows(start))).collect();
            for part in parts {
                let part = part.join().expect("merging rows does not panic");
                all.codes.extend(part.codes);
                all.scales.extend(part.scales);
                all.sums.extend(part.sums);
            }
        });
        match all.scales.iter().all(|scale| scale.is_finite()) {
            true => Ok(all),
            false => Err(wrong(format!("{name} is not finite"))),
        }
    }

    fn factor(&self, name: &str, factor: &str) -> Result<Factor<'_, '_>, Error> {
        let tensor = self.update.codes(&format!("{name}.{factor}"))?;
        let scales = self.update.floats(&format!("{name}.{factor}.scale"), tensor.rows)?;
        Ok(Factor { rank: tensor.rows, tensor, scales })
    }
}

struct Factor<'a, 'b> {
    tensor: &'a Tensor<'b>,
    scales: Vec<f32>,
    rank: usize,
}

impl Factor<'_, '_> {
    fn floats(&self) -> Vec<f32> {
        let rows = self.tensor.bytes.chunks_exact(self.tensor.columns.max(1)).zip(&self.scales);
        rows.flat_map(|(row, scale)| row.iter().map(move |code| f32::from(*code as i8) * scale)).collect()
    }
}

impl Rounded {
    fn add(&mut self, row: &[f32]) {
        let largest = row.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
        // A value that is no number would be lost in the maximum, and become 0.
        let is_sound = row.iter().all(|value| value.is_finite());
        let scale = if is_sound { (largest / 127.0).max(1e-12) } else { f32::NAN };
        let start = self.codes.len();
        self.codes.extend(row.iter().map(|value| (value / scale).round_ties_even() as i8 as u8));
        self.sums.push(self.codes[start..].iter().map(|code| i32::from(*code as i8)).sum());
        self.scales.push(scale);
    }
}

fn bytes_of(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}
