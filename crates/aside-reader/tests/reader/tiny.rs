//! A model of the same format as the real one, small enough to be made for each test: two layers, random weights, 320 tokens.

use std::path::PathBuf;
use std::sync::Arc;

use aside_reader::merge::{hex, merge, sha256};
use aside_reader::model::Model;
use aside_reader::search::Reader;

pub const LAYERS: usize = 2;
pub const WIDTH: usize = 64;
pub const INNER: usize = 128;
const RANK: usize = 5;

pub struct Files {
    pub base: Vec<u8>,
    pub weights: Vec<Vec<u8>>,
}

pub struct Tiny {
    pub directory: tempfile::TempDir,
    pub path: PathBuf,
    pub bytes: Vec<u8>,
}

/// The merged file.
pub fn tiny() -> Tiny {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("reader");
    let Files { base, weights } = files();
    merge(&base, &weights.iter().map(Vec::as_slice).collect::<Vec<_>>(), &path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    Tiny { directory, path, bytes }
}

pub fn reader(threads: usize) -> Reader {
    Reader::new(Arc::new(Model::from_bytes(tiny().bytes).unwrap()), threads)
}

/// The base as GGUF and the weights as two safetensors files.
pub fn files() -> Files {
    let base = base();
    let digest = hex(&sha256(&[&base]));
    let mut tensors: Vec<(String, &str, [usize; 2], Vec<u8>)> = Vec::new();
    let mut random = Random(7);
    for (name, rows, columns) in matrices() {
        for (factor, rows, columns) in [("A", RANK, columns), ("B", rows, RANK)] {
            let codes = (0..rows * columns).map(|_| random.next() as u8).map(|code| code.max(129)).collect();
            let scales = (0..rows).flat_map(|_| (random.unit() * 0.003 + 0.001).to_le_bytes()).collect();
            tensors.push((format!("{name}.{factor}"), "I8", [rows, columns], codes));
            tensors.push((format!("{name}.{factor}.scale"), "F32", [1, rows], scales));
        }
    }
    let norm = (0..WIDTH).flat_map(|_| 1.5f32.to_le_bytes()).collect();
    tensors.push(("output_norm.weight".to_owned(), "F32", [1, WIDTH], norm));
    let rest = tensors.split_off(tensors.len() / 2);
    Files { base, weights: [tensors, rest].map(|part| safetensors(&part, &digest)).into() }
}

fn matrices() -> Vec<(String, usize, usize)> {
    let mut all = vec![("token_embd.weight".to_owned(), tokens().len(), WIDTH)];
    for layer in 0..LAYERS {
        let parts = [
            ("attn_q", WIDTH, WIDTH),
            ("attn_k", WIDTH / 2, WIDTH),
            ("attn_v", WIDTH / 2, WIDTH),
            ("attn_output", WIDTH, WIDTH),
            ("ffn_gate", INNER, WIDTH),
            ("ffn_up", INNER, WIDTH),
            ("ffn_down", WIDTH, INNER),
        ];
        all.extend(parts.map(|(part, rows, columns)| (format!("blk.{layer}.{part}.weight"), rows, columns)));
    }
    all
}

fn merges() -> Vec<String> {
    ["l s", "Ġ ls", "Ġ -", "- l", "t h", "th e"].map(str::to_owned).into()
}

/// The end, all bytes but the last in GPT-2's alphabet, the merged ones, and some that fill up.
fn tokens() -> Vec<String> {
    let is_printable = |byte: u32| matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
    let mut hidden = 256u32..;
    let letters = (0..256u32).map(|byte| if is_printable(byte) { byte } else { hidden.next().unwrap() });
    let letters = letters.take(255).map(|letter| char::from_u32(letter).unwrap().to_string());
    let merged = merges().into_iter().map(|merge| merge.replace(' ', ""));
    let mut tokens: Vec<String> = std::iter::once("<|endoftext|>".to_owned()).chain(letters).chain(merged).collect();
    tokens.extend((tokens.len()..320).map(|i| format!("<filler{i}>")));
    tokens
}

fn base() -> Vec<u8> {
    let mut fields: Vec<(&str, Vec<u8>)> = Vec::new();
    let numbers = [
        ("llama.block_count", LAYERS),
        ("llama.embedding_length", WIDTH),
        ("llama.feed_forward_length", INNER),
        ("llama.attention.head_count", 4),
        ("llama.attention.head_count_kv", 2),
        ("llama.vocab_size", tokens().len()),
    ];
    for (name, value) in numbers {
        fields.push((name, [4u32.to_le_bytes(), (value as u32).to_le_bytes()].concat()));
    }
    for (name, value) in [("llama.rope.freq_base", 100_000.0f32), ("llama.attention.layer_norm_rms_epsilon", 1e-5)] {
        fields.push((name, [6u32.to_le_bytes(), value.to_le_bytes()].concat()));
    }
    for (name, texts) in [("tokenizer.ggml.tokens", tokens()), ("tokenizer.ggml.merges", merges())] {
        let mut value = [9u32.to_le_bytes(), 8u32.to_le_bytes()].concat();
        value.extend((texts.len() as u64).to_le_bytes());
        texts.iter().for_each(|item| text(item, &mut value));
        fields.push((name, value));
    }
    let mut out = b"GGUF".to_vec();
    out.extend(3u32.to_le_bytes());
    let mut random = Random(1);
    let mut tensors: Vec<(String, [usize; 2], u32, Vec<u8>)> = Vec::new();
    for (name, rows, columns) in matrices() {
        // The embedding is Q8_0 as in the real base, the others Q4_1.
        let (kind, size) = if name.starts_with("token") { (8, 34) } else { (3, 20) };
        let mut data: Vec<u8> = (0..rows * columns / 32 * size).map(|_| random.next() as u8).collect();
        for block in data.chunks_mut(size) {
            block[..2].copy_from_slice(&(if kind == 8 { 0x1400u16 } else { 0x2800 }).to_le_bytes());
            if kind == 3 {
                block[2..4].copy_from_slice(&0xb400u16.to_le_bytes());
            }
        }
        tensors.push((name, [columns, rows], kind, data));
    }
    for layer in 0..LAYERS {
        for norm in ["attn_norm", "ffn_norm"] {
            let data = (0..WIDTH).flat_map(|_| 1f32.to_le_bytes()).collect();
            tensors.push((format!("blk.{layer}.{norm}.weight"), [WIDTH, 1], 0, data));
        }
    }
    out.extend((tensors.len() as u64).to_le_bytes());
    out.extend((fields.len() as u64).to_le_bytes());
    for (name, value) in fields {
        text(name, &mut out);
        out.extend(value);
    }
    let mut data = Vec::new();
    for (name, shape, kind, bytes) in tensors {
        text(&name, &mut out);
        out.extend(2u32.to_le_bytes());
        shape.iter().for_each(|size| out.extend((*size as u64).to_le_bytes()));
        out.extend(kind.to_le_bytes());
        out.extend((data.len() as u64).to_le_bytes());
        data.extend(bytes);
        data.resize(data.len().next_multiple_of(32), 0);
    }
    out.resize(out.len().next_multiple_of(32), 0);
    out.extend(data);
    out
}

fn text(text: &str, out: &mut Vec<u8>) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.as_bytes());
}

fn safetensors(tensors: &[(String, &str, [usize; 2], Vec<u8>)], base: &str) -> Vec<u8> {
    let mut header = serde_json::Map::new();
    header.insert("__metadata__".to_owned(), serde_json::json!({ "format": "aside-reader-1", "base_sha256": base }));
    let mut data = Vec::new();
    for (name, kind, shape, bytes) in tensors {
        let start = data.len();
        data.extend(bytes);
        let head = serde_json::json!({ "dtype": kind, "shape": shape, "data_offsets": [start, data.len()] });
        header.insert(name.clone(), head);
    }
    let header = serde_json::to_vec(&header).unwrap();
    [&(header.len() as u64).to_le_bytes()[..], &header, &data].concat()
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as u32
    }

    fn unit(&mut self) -> f32 {
        self.next() as f32 / (1 << 24) as f32
    }
}
