//! What happened at a gate, one line each.

use std::fs::File;
use std::io::Write;

pub struct Journal {
    file: File,
}

impl Journal {
    pub fn open(path: &str) -> Self {
        let file = File::create(path).unwrap_or_else(|error| panic!("could not open the journal: {error}"));
        Self { file }
    }

    pub fn append(&mut self, line: &str) {
        let _ = writeln!(self.file, "{line}");
    }
}
