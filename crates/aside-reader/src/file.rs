//! The merged file: a header, the tokenizer, and the tensors, whose places follow from the shape. Written to a temporary file that replaces
//! the old one, and read only by the version that wrote it.

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use crate::error::{Error, wrong};
use crate::hash::{Hash, hash};
use crate::kernel::{COLUMNS, ROWS, WIDEST};

const MAGIC: &[u8; 8] = b"ASREADER";
/// Changes with the layout, and with what any of its values means.
const VERSION: u32 = 1;
pub const HEADER: usize = 256;
/// Each tensor begins at a multiple of this.
const ALIGNMENT: usize = 64;
/// The header but its last eight bytes, which are the hash.
const HASHED: usize = HEADER - 8;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    pub layers: usize,
    pub width: usize,
    pub heads: usize,
    pub key_heads: usize,
    pub inner: usize,
    pub vocabulary: usize,
    pub rotation: f32,
    pub epsilon: f32,
}

/// Of what a file was made, as SHA-256: the base, and the files of the weights one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    pub base: [u8; 32],
    pub weights: [u8; 32],
}

#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    pub shape: Shape,
    pub identity: Identity,
    pub tokenizer: usize,
}

/// A matrix in the file: int8 codes, then the scale and the sum of each row.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub rows: usize,
    pub columns: usize,
    pub codes: usize,
    pub scales: usize,
    pub sums: usize,
}

pub struct LayerPlaces {
    pub attention_norm: usize,
    /// Queries, keys and values, which have the same input.
    pub attention_in: Place,
    pub attention_out: Place,
    pub inner_norm: usize,
    /// Gate and up.
    pub inner_in: Place,
    pub inner_out: Place,
}

pub struct Places {
    pub embedding: Place,
    pub layers: Vec<LayerPlaces>,
    pub norm: usize,
    pub end: usize,
}

impl Shape {
    pub fn head(&self) -> usize {
        self.width / self.heads
    }

    pub fn keys(&self) -> usize {
        self.key_heads * self.head()
    }

    /// Sizes that the kernels and the arithmetic of places can take.
    pub fn check(&self) -> Result<(), Error> {
        let between = |value: usize, least: usize, most: usize| (least..=most).contains(&value);
        let sound = between(self.layers, 1, 256)
            && between(self.width, COLUMNS, WIDEST)
            && between(self.inner, COLUMNS, WIDEST)
            && between(self.vocabulary, ROWS, 1 << 20)
            && self.width.is_multiple_of(COLUMNS)
            && self.inner.is_multiple_of(COLUMNS)
            && self.vocabulary.is_multiple_of(ROWS)
            && between(self.heads, 1, self.width)
            && self.width.is_multiple_of(self.heads)
            && self.head().is_multiple_of(8)
            && between(self.key_heads, 1, self.heads)
            && self.heads.is_multiple_of(self.key_heads)
            && self.rotation > 1.0
            && self.epsilon > 0.0;
        if sound { Ok(()) } else { Err(wrong(format!("a model of this shape cannot run: {self:?}"))) }
    }
}

impl Header {
    pub fn places(&self) -> Places {
        let mut at = HEADER + self.tokenizer;
        let mut take = |length: usize| {
            let start = at.next_multiple_of(ALIGNMENT);
            at = start + length;
            start
        };
        let mut matrix = |rows: usize, columns: usize| Place {
            rows,
            columns,
            codes: take(rows * columns),
            scales: take(rows * 4),
            sums: take(rows * 4),
        };
        let Shape { width, inner, .. } = self.shape;
        let embedding = matrix(self.shape.vocabulary, width);
        let mut layers = Vec::new();
        for _ in 0..self.shape.layers {
            let attention_in = matrix(width + 2 * self.shape.keys(), width);
            let attention_out = matrix(width, width);
            let inner_in = matrix(2 * inner, width);
            let inner_out = matrix(width, inner);
            layers.push((attention_in, attention_out, inner_in, inner_out));
        }
        let mut norm = || take(width * 4);
        let layers = layers
            .into_iter()
            .map(|(attention_in, attention_out, inner_in, inner_out)| LayerPlaces {
                attention_norm: norm(),
                attention_in,
                attention_out,
                inner_norm: norm(),
                inner_in,
                inner_out,
            })
            .collect();
        Places { embedding, layers, norm: norm(), end: at }
    }

    fn write(&self, length: u64, body: u64) -> [u8; HEADER] {
        let Shape { layers, width, heads, key_heads, inner, vocabulary, rotation, epsilon } = self.shape;
        let mut out = Vec::with_capacity(HEADER);
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        for size in [layers, width, heads, key_heads, inner, vocabulary, self.tokenizer] {
            out.extend((size as u32).to_le_bytes());
        }
        out.extend(rotation.to_le_bytes());
        out.extend(epsilon.to_le_bytes());
        out.extend(length.to_le_bytes());
        out.extend(self.identity.base);
        out.extend(self.identity.weights);
        out.extend(body.to_le_bytes());
        out.resize(HASHED, 0);
        out.extend(hash(&[&out]).to_le_bytes());
        out.try_into().expect("the header is that long")
    }

    /// Reads and checks a whole file: nothing else looks at it before.
    pub fn read(file: &[u8]) -> Result<Header, Error> {
        let damaged = |what: &str| Error::Damaged(format!("the reader's file {what}"));
        let Some((header, body)) = file.split_at_checked(HEADER) else { return Err(damaged("is cut off")) };
        let mut at = 0;
        let mut take = |length: usize| {
            at += length;
            &header[at - length..at]
        };
        if take(8) != MAGIC {
            return Err(wrong("this is no file of the reader"));
        }
        let mut number = || u32::from_le_bytes(take(4).try_into().expect("four bytes"));
        let version = number();
        if version != VERSION {
            return Err(wrong(format!("the reader's file has version {version}, not {VERSION}")));
        }
        let [layers, width, heads, key_heads, inner, vocabulary, tokenizer] =
            std::array::from_fn(|_| number() as usize);
        let [rotation, epsilon] = std::array::from_fn(|_| f32::from_bits(number()));
        let long = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        let length = long(take(8));
        let identity =
            Identity { base: take(32).try_into().expect("32 bytes"), weights: take(32).try_into().expect("32 bytes") };
        let expected = long(take(8));
        if hash(&[&header[..HASHED]]) != long(&header[HASHED..]) {
            return Err(damaged("has a damaged header"));
        }
        if length != file.len() as u64 {
            return Err(damaged(&format!("has {} bytes instead of {length}", file.len())));
        }
        if hash(&[body]) != expected {
            return Err(damaged("has changed since it was written"));
        }
        let shape = Shape { layers, width, heads, key_heads, inner, vocabulary, rotation, epsilon };
        shape.check()?;
        let header = Header { shape, identity, tokenizer };
        match header.places().end == file.len() {
            true => Ok(header),
            false => Err(wrong("the reader's file does not fit its shape")),
        }
    }
}

/// Writes a file in the order of its places; it appears under its name only when it is whole.
pub struct Writer<'a> {
    path: &'a Path,
    out: BufWriter<tempfile::NamedTempFile>,
    header: Header,
    hash: Hash,
    at: usize,
}

impl<'a> Writer<'a> {
    pub fn create(path: &'a Path, header: Header, tokenizer: &[u8]) -> Result<Writer<'a>, Error> {
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = tempfile::NamedTempFile::new_in(directory).map_err(|error| Error::Io("create the file", error))?;
        let mut out = BufWriter::with_capacity(1 << 20, file);
        out.write_all(&[0; HEADER]).map_err(written)?;
        let mut writer = Writer { path, out, header, hash: Hash::new(), at: HEADER };
        writer.put(HEADER, tokenizer)?;
        Ok(writer)
    }

    /// Writes bytes at their place, which lies behind all that was written.
    pub fn put(&mut self, place: usize, bytes: &[u8]) -> Result<(), Error> {
        assert!(place >= self.at && place - self.at < ALIGNMENT, "places are written in their order");
        let gap = [0; ALIGNMENT];
        for part in [&gap[..place - self.at], bytes] {
            self.hash.add(part);
            self.out.write_all(part).map_err(written)?;
            self.at += part.len();
        }
        Ok(())
    }

    pub fn finish(mut self) -> Result<(), Error> {
        assert_eq!(self.at, self.header.places().end);
        let header = self.header.write(self.at as u64, self.hash.finish());
        self.out.seek(SeekFrom::Start(0)).map_err(written)?;
        self.out.write_all(&header).map_err(written)?;
        let file = self.out.into_inner().map_err(|error| written(error.into_error()))?;
        file.as_file().sync_all().map_err(written)?;
        file.persist(self.path).map_err(|error| Error::Io("put the file in its place", error.error))?;
        // The rename is on disk only with the directory; where directories cannot be opened, the old file may come back, whole.
        if let Some(Ok(directory)) = self.path.parent().map(File::open) {
            directory.sync_all().ok();
        }
        Ok(())
    }
}

fn written(error: std::io::Error) -> Error {
    Error::Io("write the file", error)
}
