//! Parses help texts for `scripts/specs`: with `ASIDE_SPECS_TEXTS` naming a directory, every `NAME.txt` in it becomes `NAME.toml`,
//! by the same parser that learns a spec at the prompt.

use std::path::PathBuf;

use aside_core::complete::spec_from_help;

#[test]
fn help_texts_become_specs() {
    let Some(directory) = std::env::var_os("ASIDE_SPECS_TEXTS") else { return };
    let files = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let texts: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|end| end == "txt")).collect();
    for file in texts {
        let text = std::fs::read(&file).unwrap();
        if let Some(spec) = spec_from_help::spec(&String::from_utf8_lossy(&text)) {
            std::fs::write(file.with_extension("toml"), spec).unwrap();
        }
    }
}
