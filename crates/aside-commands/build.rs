//! Packs the built-in specs: compressed, they are a quarter as large, and the table of names comes from the directory itself. What a
//! lookup needs without the whole spec stays in the table: its name, its aliases and the line about it.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a build script reads the data files and writes what it made of them"
)]

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The best that deflate does; it costs the build a second.
const LEVEL: u8 = 9;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("data/spec");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", data.display());

    let mut files = std::fs::read_dir(&data)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "toml"));
    let mut specs = Vec::new();
    for file in files {
        let name = file.file_stem().and_then(|name| name.to_str()).ok_or("the name of a spec is not UTF-8")?;
        specs.push((name.to_owned(), std::fs::read_to_string(&file)?));
    }
    // The table is searched by name.
    specs.sort();

    let mut packed = Vec::new();
    let mut table = format!("static BUILT_IN: [BuiltIn; {}] = [\n", specs.len());
    for (name, text) in &specs {
        let start = packed.len();
        packed.extend(miniz_oxide::deflate::compress_to_vec(text.as_bytes(), LEVEL));
        let (end, about) = (packed.len(), about(text).unwrap_or_default());
        let aliases: Vec<&str> = aliases(text).collect();
        writeln!(table, "    BuiltIn::new({name:?}, {about:?}, &{aliases:?}, {start}, {end}),")?;
    }
    table.push_str("];\n");
    std::fs::write(out.join("specs.bin"), packed)?;
    std::fs::write(out.join("specs.rs"), table)?;
    Ok(())
}

/// The keys of the command itself, before its first table.
fn head(text: &str) -> impl Iterator<Item = &str> {
    text.lines().take_while(|line| !line.starts_with('['))
}

/// `None` when it is written in a form that needs the full parser.
fn about(text: &str) -> Option<&str> {
    let value = head(text).find_map(|line| line.strip_prefix("about")?.trim_start().strip_prefix('='))?;
    let (about, rest) = value.trim_start().strip_prefix('"')?.split_once('"')?;
    (!about.contains('\\') && rest.trim().is_empty()).then_some(about)
}

fn aliases(text: &str) -> impl Iterator<Item = &str> {
    let line = head(text).find_map(|line| line.strip_prefix("aliases")).unwrap_or_default();
    line.split('"').skip(1).step_by(2)
}
