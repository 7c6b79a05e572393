//! Files that are damaged, cut off, swapped, or something else altogether are errors that say so.

use aside_reader::error::Error;
use aside_reader::merge::merge;
use aside_reader::model::{Identity, Model};

use crate::tiny::{Files, Tiny, files, tiny};

fn open(bytes: &[u8]) -> Result<Model, Error> {
    Model::from_bytes(bytes.to_vec())
}

#[test]
fn each_changed_byte_of_a_merged_file_is_noticed() {
    let Tiny { bytes, .. } = tiny();
    let header = 0..256;
    let body = (256..bytes.len()).step_by(97);
    for at in header.chain(body).chain([bytes.len() - 1]) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        let error = open(&damaged).err().unwrap_or_else(|| panic!("byte {at} may change"));
        assert!(matches!(error, Error::Damaged(_) | Error::Format(_)), "{at}: {error}");
    }
}

#[test]
fn a_file_that_was_cut_off_or_grew_is_noticed() {
    let Tiny { bytes, directory, .. } = tiny();
    for length in [0, 1, 255, 256, 1000, bytes.len() / 2, bytes.len() - 1] {
        assert!(matches!(open(&bytes[..length]), Err(Error::Damaged(_))), "{length}");
        let path = directory.path().join("cut");
        std::fs::write(&path, &bytes[..length]).unwrap();
        assert!(matches!(Model::open(&path), Err(Error::Damaged(_))), "{length}");
    }
    let grown = [&bytes[..], &[0]].concat();
    assert_eq!(
        open(&grown).err().unwrap().to_string(),
        format!("the reader's file has {} bytes instead of {}", bytes.len() + 1, bytes.len())
    );
    assert!(matches!(Model::open(&directory.path().join("missing")), Err(Error::Io(..))));
}

#[test]
fn a_file_of_another_model_is_not_taken_for_it() {
    let Tiny { path, .. } = &tiny();
    let identity = *Model::open(path).unwrap().identity();
    assert!(Model::open_expecting(path, &identity).is_ok());
    let swapped = |expected: Identity| Model::open_expecting(path, &expected).err().unwrap().to_string();
    assert_eq!(swapped(Identity { base: [0; 32], ..identity }), "the reader's file was made of another base");
    assert_eq!(swapped(Identity { weights: [0; 32], ..identity }), "the reader's file was made of other weights");
}

#[test]
fn merging_refuses_files_that_are_wrong_and_leaves_the_old_one() {
    let Tiny { path, bytes, directory } = &tiny();
    let Files { base, weights } = files();
    let parts: Vec<&[u8]> = weights.iter().map(Vec::as_slice).collect();
    let refused = |base: &[u8], weights: &[&[u8]]| merge(base, weights, path).expect_err("this must be refused");
    let mut other = base.clone();
    *other.last_mut().unwrap() ^= 1;
    assert_eq!(refused(&other, &parts).to_string(), "the weights belong to another base");
    assert!(matches!(refused(&base, &parts[..1]), Error::Format(_)));
    assert!(matches!(refused(&base, &[parts[0], parts[0]]), Error::Format(_)));
    assert!(matches!(refused(&base, &[]), Error::Format(_)));
    for length in (0..parts[0].len()).step_by(331) {
        refused(&base, &[&parts[0][..length], parts[1]]);
    }
    assert_eq!(&std::fs::read(path).unwrap(), bytes);
    // Nothing is left beside it.
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn no_damage_to_the_base_makes_the_parser_panic() {
    let Files { base, weights } = files();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("reader");
    // The digest is made to fit, so that the damage reaches the parser.
    let merged = |base: &[u8]| {
        let digest = aside_reader::merge::hex(&aside_reader::merge::sha256(&[base]));
        let weights: Vec<Vec<u8>> = weights
            .iter()
            .map(|file| {
                let at = file.windows(14).position(|part| part == b"base_sha256\":\"").unwrap() + 14;
                let mut file = file.clone();
                file[at..at + 64].copy_from_slice(digest.as_bytes());
                file
            })
            .collect();
        merge(base, &weights.iter().map(Vec::as_slice).collect::<Vec<_>>(), &path)
    };
    assert!(merged(&base).is_ok());
    for length in (0..base.len()).step_by(base.len() / 60) {
        assert!(merged(&base[..length]).is_err(), "{length}");
    }
    for at in (0..700).step_by(3) {
        let mut damaged = base.clone();
        damaged[at] ^= 0x80;
        // Some bytes are text or numbers that may be anything.
        merged(&damaged).ok();
    }
}
