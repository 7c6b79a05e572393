//! Reads safetensors files: a length, a JSON header, and tensors of int8 and f32.

use std::collections::HashMap;

use serde::Deserialize;

use crate::error::{Error, wrong};

/// Bytes of a header at most.
const HEADER: usize = 4 << 20;

pub struct Tensor<'a> {
    pub rows: usize,
    pub columns: usize,
    pub bytes: &'a [u8],
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    I8,
    F32,
}

/// The tensors of all files together.
#[derive(Default)]
pub struct Safetensors<'a> {
    tensors: HashMap<String, Tensor<'a>>,
    /// The metadata of the last file; equal in all of them.
    pub facts: HashMap<String, String>,
}

#[derive(Deserialize)]
struct Head {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

impl<'a> Safetensors<'a> {
    pub fn add(&mut self, file: &'a [u8]) -> Result<(), Error> {
        let cut = || wrong("the weights end in the middle of their header");
        let length = u64::from_le_bytes(file.get(..8).ok_or_else(cut)?.try_into().expect("eight bytes"));
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if length > HEADER {
            return Err(wrong("the weights are not a safetensors file"));
        }
        let header = file.get(8..8 + length).ok_or_else(cut)?;
        let data = &file[8 + length..];
        let header: HashMap<String, serde_json::Value> =
            serde_json::from_slice(header).map_err(|_| wrong("the header of the weights is not JSON"))?;
        for (name, value) in header {
            let unreadable = |_| wrong(format!("the weights describe {name} in a way that is not read"));
            if name == "__metadata__" {
                let facts = serde_json::from_value(value).map_err(unreadable)?;
                if !self.facts.is_empty() && self.facts != facts {
                    return Err(wrong("the files of the weights do not belong together"));
                }
                self.facts = facts;
                continue;
            }
            let head: Head = serde_json::from_value(value).map_err(unreadable)?;
            let tensor = head.locate(&name, data)?;
            if self.tensors.insert(name.clone(), tensor).is_some() {
                return Err(wrong(format!("the weights have {name} twice")));
            }
        }
        Ok(())
    }

    pub fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// The int8 matrix of this name, and its shape's rows.
    pub fn codes(&self, name: &str) -> Result<&Tensor<'a>, Error> {
        self.of_kind(name, Kind::I8)
    }

    pub fn floats(&self, name: &str, count: usize) -> Result<Vec<f32>, Error> {
        let tensor = self.of_kind(name, Kind::F32)?;
        if tensor.rows * tensor.columns != count {
            return Err(wrong(format!("{name} of the weights has not {count} values")));
        }
        let floats: Vec<f32> = tensor
            .bytes
            .chunks_exact(4)
            .map(|value| f32::from_le_bytes(value.try_into().expect("four bytes")))
            .collect();
        match floats.iter().all(|value| value.is_finite()) {
            true => Ok(floats),
            false => Err(wrong(format!("{name} of the weights is not finite"))),
        }
    }

    fn of_kind(&self, name: &str, kind: Kind) -> Result<&Tensor<'a>, Error> {
        let tensor = self.tensors.get(name).ok_or_else(|| wrong(format!("the weights have no tensor {name}")))?;
        match tensor.kind == kind {
            true => Ok(tensor),
            false => Err(wrong(format!("{name} of the weights has another type"))),
        }
    }
}

impl Head {
    fn locate<'a>(&self, name: &str, data: &'a [u8]) -> Result<Tensor<'a>, Error> {
        let (kind, size) = match self.dtype.as_str() {
            "I8" => (Kind::I8, 1),
            "F32" => (Kind::F32, 4),
            other => return Err(wrong(format!("{name} of the weights has the type {other}, which is not read"))),
        };
        let (rows, columns) = match self.shape[..] {
            [columns] => (1, columns),
            [rows, columns] => (rows, columns),
            _ => return Err(wrong(format!("{name} of the weights is no matrix"))),
        };
        let [start, end] = self.data_offsets;
        let length = rows.checked_mul(columns).and_then(|count| count.checked_mul(size));
        match data.get(start..end) {
            Some(bytes) if Some(bytes.len()) == length => Ok(Tensor { rows, columns, bytes, kind }),
            _ => Err(wrong(format!("the weights end before their tensor {name}"))),
        }
    }
}
