//! Reads a GGUF file: its fields, and its tensors in the types of the base, dequantised row by row. Every length comes from the file and is
//! checked against it before use.

use std::collections::HashMap;

use crate::error::{Error, wrong};

/// Tensors or fields of a file at most.
const ENTRIES: u64 = 100_000;
/// Elements of an array at most.
const ELEMENTS: u64 = 10_000_000;

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Integer(i64),
    Float(f64),
    Text(String),
    Texts(Vec<String>),
    /// A value of a type that no field we read has.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    F32,
    Q4_1,
    Q8_0,
}

impl Kind {
    /// How many values a block has, and its bytes.
    fn block(self) -> (usize, usize) {
        match self {
            Kind::F32 => (1, 4),
            Kind::Q4_1 => (32, 20),
            Kind::Q8_0 => (32, 34),
        }
    }
}

pub struct Tensor<'a> {
    pub rows: usize,
    pub columns: usize,
    kind: Kind,
    bytes: &'a [u8],
}

pub struct Gguf<'a> {
    pub fields: HashMap<String, Value>,
    pub tensors: HashMap<String, Tensor<'a>>,
}

impl<'a> Gguf<'a> {
    pub fn parse(bytes: &'a [u8]) -> Result<Gguf<'a>, Error> {
        let mut cursor = Cursor { bytes, at: 0 };
        if cursor.take(4)? != b"GGUF" {
            return Err(wrong("the base is not a GGUF file"));
        }
        let version = cursor.u32()?;
        if !(2..=3).contains(&version) {
            return Err(wrong(format!("the base has version {version} of GGUF, not 3")));
        }
        let (tensors, fields) = (cursor.u64()?, cursor.u64()?);
        if tensors > ENTRIES || fields > ENTRIES {
            return Err(wrong("the base has too many fields or tensors"));
        }
        let mut named = HashMap::new();
        for _ in 0..fields {
            let name = cursor.text()?;
            let kind = cursor.u32()?;
            named.insert(name, cursor.value(kind)?);
        }
        let mut heads = Vec::new();
        for _ in 0..tensors {
            heads.push(cursor.tensor_head()?);
        }
        let data = bytes.get(cursor.at.next_multiple_of(32)..).unwrap_or(&[]);
        let tensors = heads.into_iter().map(|head| head.locate(data)).collect::<Result<_, _>>()?;
        Ok(Gguf { fields: named, tensors })
    }

    pub fn integer(&self, name: &str) -> Result<usize, Error> {
        match self.fields.get(name) {
            Some(Value::Integer(value)) if (0..1 << 31).contains(value) => Ok(*value as usize),
            _ => Err(wrong(format!("the base has no number {name}"))),
        }
    }

    pub fn float(&self, name: &str) -> Result<f32, Error> {
        match self.fields.get(name) {
            Some(Value::Float(value)) if value.is_finite() => Ok(*value as f32),
            _ => Err(wrong(format!("the base has no number {name}"))),
        }
    }

    pub fn texts(&self, name: &str) -> Result<&[String], Error> {
        match self.fields.get(name) {
            Some(Value::Texts(texts)) => Ok(texts),
            _ => Err(wrong(format!("the base has no list {name}"))),
        }
    }

    /// The tensor of this name and shape.
    pub fn tensor(&self, name: &str, rows: usize, columns: usize) -> Result<&Tensor<'a>, Error> {
        let tensor = self.tensors.get(name).ok_or_else(|| wrong(format!("the base has no tensor {name}")))?;
        if (tensor.rows, tensor.columns) != (rows, columns) {
            let shape = format!("{} × {}, not {rows} × {columns}", tensor.rows, tensor.columns);
            return Err(wrong(format!("{name} of the base is {shape}")));
        }
        Ok(tensor)
    }
}

impl Tensor<'_> {
    /// Writes the values of a row.
    pub fn row(&self, row: usize, out: &mut [f32]) {
        let (values, size) = self.kind.block();
        let length = self.columns / values * size;
        let bytes = &self.bytes[row * length..(row + 1) * length];
        for (block, out) in bytes.chunks_exact(size).zip(out.chunks_exact_mut(values)) {
            match self.kind {
                Kind::F32 => out[0] = f32::from_le_bytes([block[0], block[1], block[2], block[3]]),
                Kind::Q8_0 => {
                    let scale = half(block);
                    for (value, code) in out.iter_mut().zip(&block[2..]) {
                        *value = f32::from(*code as i8) * scale;
                    }
                }
                Kind::Q4_1 => {
                    let (scale, least) = (half(block), half(&block[2..]));
                    let (low, high) = out.split_at_mut(16);
                    for ((low, high), code) in low.iter_mut().zip(high).zip(&block[4..]) {
                        *low = f32::from(code & 15) * scale + least;
                        *high = f32::from(code >> 4) * scale + least;
                    }
                }
            }
        }
    }
}

struct Head {
    name: String,
    shape: Vec<u64>,
    kind: u32,
    at: u64,
}

impl Head {
    fn locate(self, data: &[u8]) -> Result<(String, Tensor<'_>), Error> {
        let kind = match self.kind {
            0 => Kind::F32,
            3 => Kind::Q4_1,
            8 => Kind::Q8_0,
            other => return Err(wrong(format!("{} of the base has the type {other}, which is not read", self.name))),
        };
        let (values, size) = kind.block();
        let tensor = || {
            let columns = usize::try_from(*self.shape.first()?).ok()?;
            let rows =
                self.shape[1..].iter().try_fold(1usize, |rows, more| rows.checked_mul(usize::try_from(*more).ok()?))?;
            if columns % values != 0 {
                return None;
            }
            let length = rows.checked_mul(columns / values)?.checked_mul(size)?;
            let at = usize::try_from(self.at).ok()?;
            let bytes = data.get(at..at.checked_add(length)?)?;
            Some(Tensor { rows, columns, kind, bytes })
        };
        match tensor() {
            Some(tensor) => Ok((self.name, tensor)),
            None => Err(wrong(format!("the base ends before its tensor {}", self.name))),
        }
    }
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], Error> {
        let end = self.at.checked_add(length).filter(|end| *end <= self.bytes.len());
        let Some(end) = end else { return Err(wrong("the base ends in the middle of its header")) };
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        Ok(self.take(N)?.try_into().expect("as many bytes as were taken"))
    }

    fn u32(&mut self) -> Result<u32, Error> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64, Error> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn text(&mut self) -> Result<String, Error> {
        let length = self.u64()?;
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let text = self.take(length)?.to_vec();
        String::from_utf8(text).map_err(|_| wrong("the base has a name that is not text"))
    }

    fn value(&mut self, kind: u32) -> Result<Value, Error> {
        Ok(match kind {
            0 | 7 => Value::Integer(i64::from(self.array::<1>()?[0])),
            1 => Value::Integer(i64::from(self.array::<1>()?[0] as i8)),
            2 => Value::Integer(i64::from(u16::from_le_bytes(self.array()?))),
            3 => Value::Integer(i64::from(i16::from_le_bytes(self.array()?))),
            4 => Value::Integer(i64::from(self.u32()?)),
            5 => Value::Integer(i64::from(i32::from_le_bytes(self.array()?))),
            6 => Value::Float(f64::from(f32::from_le_bytes(self.array()?))),
            8 => Value::Text(self.text()?),
            9 => self.list()?,
            10 | 11 => Value::Integer(i64::from_le_bytes(self.array()?)),
            12 => Value::Float(f64::from_le_bytes(self.array()?)),
            other => return Err(wrong(format!("the base has a field of the unknown type {other}"))),
        })
    }

    fn list(&mut self) -> Result<Value, Error> {
        let (kind, count) = (self.u32()?, self.u64()?);
        if count > ELEMENTS {
            return Err(wrong("the base has a list that is too long"));
        }
        // No list of lists, so the depth is bounded.
        let size = match kind {
            0 | 1 | 7 => 1,
            2 | 3 => 2,
            4..=6 => 4,
            10..=12 => 8,
            8 => {
                let texts: Result<_, _> = (0..count).map(|_| self.text()).collect();
                return Ok(Value::Texts(texts?));
            }
            other => return Err(wrong(format!("the base has a list of the unknown type {other}"))),
        };
        self.take(count as usize * size)?;
        Ok(Value::Other)
    }

    fn tensor_head(&mut self) -> Result<Head, Error> {
        let name = self.text()?;
        let dimensions = self.u32()?;
        if !(1..=4).contains(&dimensions) {
            return Err(wrong(format!("{name} of the base has {dimensions} dimensions")));
        }
        let shape = (0..dimensions).map(|_| self.u64()).collect::<Result<_, _>>()?;
        Ok(Head { name, shape, kind: self.u32()?, at: self.u64()? })
    }
}

/// The first two bytes as a half-precision number.
fn half(bytes: &[u8]) -> f32 {
    let bits = u16::from_le_bytes([bytes[0], bytes[1]]);
    let (exponent, fraction) = (u32::from(bits >> 10 & 31), u32::from(bits & 1023));
    let size = match exponent {
        0 => fraction as f32 / 16_777_216.0,
        31 => f32::from_bits(0x7f80_0000 | fraction << 13),
        _ => f32::from_bits((exponent + 112) << 23 | fraction << 13),
    };
    if bits >> 15 == 1 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_read() {
        let read = |bits: u16| half(&bits.to_le_bytes());
        assert_eq!([read(0x3c00), read(0xc000), read(0x0001), read(0x7bff)], [1.0, -2.0, 5.960_464_5e-8, 65504.0]);
        assert_eq!(read(0x3555), 0.333_251_95);
        assert!(read(0x7c00).is_infinite());
    }
}
