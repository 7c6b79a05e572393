//! Reads which loader (ELF interpreter) a program names: the kernel starts it together with the program.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Bytes of a program that are read; they contain the loader's name.
const HEAD: u64 = 64 * 1024;
const NAMES_LOADER: u64 = 3;

/// `None` for a static program, and for a file that is no program of this machine.
pub fn interpreter(program: &Path) -> Option<PathBuf> {
    let mut head = Vec::new();
    File::open(program).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    named(&head).map(|name| PathBuf::from(OsStr::from_bytes(name)))
}

fn named(head: &[u8]) -> Option<&[u8]> {
    let (&class, &order) = (head.get(4)?, head.get(5)?);
    if head.get(..4)? != b"\x7fELF" {
        return None;
    }
    let number = |at: usize, length: usize| -> Option<u64> {
        let bytes = head.get(at..at.checked_add(length)?)?;
        let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        Some(if order == 1 { bytes.iter().rev().fold(0, add) } else { bytes.iter().fold(0, add) })
    };
    // Field offsets in 32-bit and 64-bit files: the program headers, the size of an entry, their number; in an entry, the segment's offset
    // and size.
    let (table, row, rows, at, length, word) = match class {
        1 => (0x1c, 0x2a, 0x2c, 0x04, 0x10, 4),
        2 => (0x20, 0x36, 0x38, 0x08, 0x20, 8),
        _ => return None,
    };
    let (table, row, rows) = (number(table, word)?, number(row, 2)?, number(rows, 2)?);
    let begins = |index: u64| usize::try_from(table.checked_add(index.checked_mul(row)?)?).ok();
    let found = (0..rows).filter_map(begins).find(|begin| number(*begin, 4) == Some(NAMES_LOADER))?;
    let from = usize::try_from(number(found.checked_add(at)?, word)?).ok()?;
    let length = usize::try_from(number(found.checked_add(length)?, word)?).ok()?;
    let name = head.get(from..from.checked_add(length)?)?;
    name.strip_suffix(b"\0").filter(|name| name.starts_with(b"/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loader_of_a_program_is_found_and_nothing_else_is_taken_for_one() {
        let own = std::env::current_exe().unwrap();
        // Test binaries are linked dynamically, wherever the C library is.
        if let Some(loader) = interpreter(&own) {
            assert!(loader.is_file(), "{}", loader.display());
        }
        for head in [&b""[..], b"#!/bin/sh\n", b"\x7fELF", b"\x7fELF\x02\x01\x01", &[0xff; 200]] {
            assert_eq!(named(head), None);
        }
        let mut hostile = std::fs::read(&own).unwrap();
        hostile.truncate(4096);
        for at in 0..hostile.len().min(600) {
            let before = std::mem::replace(&mut hostile[at], 0xff);
            let _ = named(&hostile);
            hostile[at] = before;
        }
    }
}
