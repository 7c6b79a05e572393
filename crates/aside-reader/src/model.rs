//! A merged file in memory: mapped, checked as a whole when it is opened, and never written. The pages are shared between processes.
#![expect(unsafe_code, reason = "mapping a file")]

use std::fs::File;
use std::path::Path;

use crate::error::Error;
use crate::file::{HEADER, Header, Place, Shape};
use crate::kernel::Rows;
use crate::tokenizer::Tokenizer;

pub use crate::file::Identity;

pub struct Model {
    bytes: Bytes,
    pub(crate) shape: Shape,
    pub(crate) embedding: Matrix,
    pub(crate) layers: Vec<Layer>,
    pub(crate) norm: Vec<f32>,
    identity: Identity,
    tokenizer: Tokenizer,
}

enum Bytes {
    Mapped(memmap2::Mmap),
    Owned(Vec<u8>),
}

pub(crate) struct Layer {
    pub attention_norm: Vec<f32>,
    pub attention_in: Matrix,
    pub attention_out: Matrix,
    pub inner_norm: Vec<f32>,
    pub inner_in: Matrix,
    pub inner_out: Matrix,
}

/// A matrix whose codes stay in the file.
pub(crate) struct Matrix {
    pub rows: usize,
    pub columns: usize,
    codes: usize,
    pub scales: Vec<f32>,
    sums: Vec<i32>,
}

impl Model {
    /// Maps a file. Another process that shortens the file later ends this one with SIGBUS; `merge` never does, since it replaces files.
    pub fn open(path: &Path) -> Result<Model, Error> {
        let read = |error| Error::Io("open the reader's file", error);
        let file = File::open(path).map_err(read)?;
        if file.metadata().map_err(read)?.len() < HEADER as u64 {
            return Err(Error::Damaged("the reader's file is cut off".to_owned()));
        }
        // SAFETY: the bytes are only read, and as integers, so that no change to them is worse than a wrong answer.
        let mapped = unsafe { memmap2::MmapOptions::new().populate().map(&file) }.map_err(read)?;
        Model::new(Bytes::Mapped(mapped))
    }

    /// Maps a file that must have been made of this base and these weights.
    pub fn open_expecting(path: &Path, expected: &Identity) -> Result<Model, Error> {
        let model = Model::open(path)?;
        let other = |of: &str| Err(Error::OtherModel(format!("the reader's file was made of {of}")));
        match () {
            () if model.identity.base != expected.base => other("another base"),
            () if model.identity.weights != expected.weights => other("other weights"),
            () => Ok(model),
        }
    }

    /// The same from memory.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Model, Error> {
        Model::new(Bytes::Owned(bytes))
    }

    fn new(bytes: Bytes) -> Result<Model, Error> {
        let file = bytes.all();
        let header = Header::read(file)?;
        let places = header.places();
        let width = header.shape.width;
        let layer = |places: &crate::file::LayerPlaces| Layer {
            attention_norm: floats(file, places.attention_norm, width),
            attention_in: Matrix::read(file, places.attention_in),
            attention_out: Matrix::read(file, places.attention_out),
            inner_norm: floats(file, places.inner_norm, width),
            inner_in: Matrix::read(file, places.inner_in),
            inner_out: Matrix::read(file, places.inner_out),
        };
        let tokenizer = Tokenizer::read(&file[HEADER..HEADER + header.tokenizer])?;
        if tokenizer.size() != header.shape.vocabulary {
            return Err(Error::Format("the reader's file has not as many tokens as its shape says".to_owned()));
        }
        Ok(Model {
            shape: header.shape,
            embedding: Matrix::read(file, places.embedding),
            layers: places.layers.iter().map(layer).collect(),
            norm: floats(file, places.norm, width),
            identity: header.identity,
            tokenizer,
            bytes,
        })
    }

    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// Rows of one of this model's matrices.
    pub(crate) fn rows<'a>(&'a self, matrix: &'a Matrix, first: usize, count: usize) -> Rows<'a> {
        let start = matrix.codes + first * matrix.columns;
        let codes = &self.bytes.all()[start..start + count * matrix.columns];
        Rows { codes, sums: &matrix.sums[first..first + count] }
    }

    /// Writes a row of the embedding.
    pub(crate) fn embed(&self, token: u32, out: &mut [f32]) {
        let row = token as usize;
        let scale = self.embedding.scales[row];
        for (value, code) in out.iter_mut().zip(self.rows(&self.embedding, row, 1).codes) {
            *value = f32::from(*code as i8) * scale;
        }
    }
}

impl Bytes {
    fn all(&self) -> &[u8] {
        match self {
            Bytes::Mapped(mapped) => mapped,
            Bytes::Owned(bytes) => bytes,
        }
    }
}

impl Matrix {
    fn read(file: &[u8], place: Place) -> Matrix {
        let numbers = file[place.sums..place.sums + place.rows * 4].as_chunks::<4>().0;
        Matrix {
            rows: place.rows,
            columns: place.columns,
            codes: place.codes,
            scales: floats(file, place.scales, place.rows),
            sums: numbers.iter().map(|bytes| i32::from_le_bytes(*bytes)).collect(),
        }
    }
}

fn floats(file: &[u8], at: usize, count: usize) -> Vec<f32> {
    file[at..at + count * 4].as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}
