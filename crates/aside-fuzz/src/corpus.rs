//! The inputs of a target: its seeds, the small set that is committed in `corpus/NAME.txt`, and what earlier runs found, in
//! `target/fuzz/NAME.txt`. A line of such a file is one input, escaped as in a byte string literal.

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;

use crate::coverage::Coverage;

/// Inputs that are kept while a target runs.
const MAX_KEPT: usize = 4000;
/// Of the committed set: inputs, and bytes of each.
const MAX_COMMITTED: usize = 40;
const MAX_COMMITTED_BYTES: usize = 120;

pub struct Corpus {
    pub inputs: Vec<Vec<u8>>,
    /// The first ones, which are tried unchanged.
    pub given: usize,
}

impl Corpus {
    pub fn load(name: &str, mut seeds: Vec<Vec<u8>>) -> Self {
        let found = found(name).and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default();
        let committed = fs::read_to_string(committed(name)).unwrap_or_default();
        for line in committed.lines().chain(found.lines()) {
            seeds.extend(unescaped(line).filter(|input| !seeds.contains(input)));
        }
        let given = seeds.len();
        Self { inputs: seeds, given }
    }

    pub fn add(&mut self, input: Vec<u8>) {
        if self.inputs.len() < MAX_KEPT {
            self.inputs.push(input);
        }
    }

    /// Writes what this run found, reduced to inputs that still reach a new place when the shortest are tried first. With
    /// `ASIDE_FUZZ_COMMIT` also the first short ones of them, as the committed set.
    pub fn save(&mut self, name: &str, check: fn(&[u8]), coverage: &mut Coverage, begin: &dyn Fn(&[u8])) {
        let Some(file) = found(name) else { return };
        let mut inputs = self.inputs.clone();
        inputs.sort_by_key(Vec::len);
        coverage.forget();
        inputs.retain(|input| {
            begin(input);
            coverage.clear();
            panic::catch_unwind(AssertUnwindSafe(|| check(input))).is_ok() && coverage.is_new()
        });
        let lines =
            |inputs: &[&Vec<u8>]| inputs.iter().map(|input| format!("{}\n", input.escape_ascii())).collect::<String>();
        let _ = fs::create_dir_all(file.parent().unwrap_or(&file));
        let _ = fs::write(&file, lines(&inputs.iter().collect::<Vec<_>>()));
        if std::env::var_os("ASIDE_FUZZ_COMMIT").is_some() {
            let short: Vec<&Vec<u8>> = inputs.iter().filter(|input| input.len() <= MAX_COMMITTED_BYTES).collect();
            // Evenly over the lengths: the shortest alone say little.
            let step = short.len().div_ceil(MAX_COMMITTED).max(1);
            let some: Vec<&Vec<u8>> = short.into_iter().step_by(step).collect();
            let _ = fs::write(committed(name), lines(&some));
        }
    }
}

pub fn keep_failure(name: &str, input: &[u8]) -> Option<PathBuf> {
    let file = found(name)?.with_extension("failure");
    fs::create_dir_all(file.parent()?).ok()?;
    fs::write(&file, input).ok()?;
    Some(file)
}

fn committed(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus")).join(name).with_extension("txt")
}

/// `make fuzz` names the directory; `make test` keeps nothing.
fn found(name: &str) -> Option<PathBuf> {
    std::env::var_os("ASIDE_FUZZ_FOUND").map(|dir| PathBuf::from(dir).join(name).with_extension("txt"))
}

/// `None` for a line that is not escaped correctly.
fn unescaped(line: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = line.as_bytes();
    while let [byte, behind @ ..] = rest {
        rest = behind;
        if *byte != b'\\' {
            bytes.push(*byte);
            continue;
        }
        let [kind, behind @ ..] = rest else { return None };
        rest = behind;
        bytes.push(match kind {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'\\' | b'\'' | b'"' => *kind,
            b'x' => {
                let (digits, behind) = rest.split_at_checked(2)?;
                rest = behind;
                u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?
            }
            _ => return None,
        });
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_read_back_from_its_line() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(unescaped(&all.escape_ascii().to_string()), Some(all));
        assert_eq!([unescaped("\\q"), unescaped("\\x1"), unescaped("\\")], [None, None, None]);
    }
}
