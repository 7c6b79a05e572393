//! Manages the installed models: one file each, in one directory, under a name that cannot lead out of it. Downloads nothing and runs
//! nothing.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::paths::Paths;
use crate::provider::local::catalogue;

/// Characters of a name.
const MAX_NAME: usize = 96;
/// Cap on the models that are listed.
const MAX_LISTED: usize = 1000;
const ENDING: &str = ".gguf";
const MAGIC: &[u8; 4] = b"GGUF";

/// A model's name: letters, digits, dots, dashes and underscores.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name(String);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    pub name: String,
    pub path: PathBuf,
    /// `None` for a dangling link.
    pub bytes: Option<u64>,
}

/// The model that a setting means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResolvedModel {
    Here {
        name: String,
        path: PathBuf,
    },
    /// With its size, if known.
    Missing {
        name: String,
        bytes: Option<u64>,
    },
}

pub struct InstalledModels {
    dir: PathBuf,
}

impl Name {
    /// Validates a name; the error says what is wrong with it.
    pub fn new(text: &str) -> Result<Self, String> {
        let text = text.strip_suffix(ENDING).unwrap_or(text);
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        if text.is_empty() || text.len() > MAX_NAME || text.starts_with(['.', '-']) || !text.bytes().all(fits) {
            return Err(format!("{text:?} is no name for a model: letters, digits, dots and dashes make one"));
        }
        Ok(Self(text.to_owned()))
    }

    /// Makes a name from a foreign file name, if enough of it is usable.
    pub fn from_file(file: &str) -> Option<Self> {
        let file = file.rsplit('/').next().unwrap_or_default();
        let stem = file.strip_suffix(ENDING).or_else(|| file.strip_suffix(".GGUF")).unwrap_or(file);
        let fits = |char: char| if char.is_ascii_alphanumeric() || "._-".contains(char) { char } else { '-' };
        let name: String = stem.chars().map(fits).take(MAX_NAME).collect();
        Self::new(name.trim_matches(['.', '-'])).ok()
    }
}

impl fmt::Display for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl InstalledModels {
    pub fn new(paths: &Paths) -> Self {
        Self { dir: paths.models_dir() }
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn prepare(&self) -> std::io::Result<()> {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.dir)
    }

    pub fn path(&self, name: &Name) -> PathBuf {
        self.dir.join(format!("{name}{ENDING}"))
    }

    pub fn list(&self) -> Vec<Model> {
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let mut models: Vec<Model> = entries
            .filter_map(|entry| {
                let file = entry.file_name().into_string().ok()?;
                let name = Name::new(file.strip_suffix(ENDING)?).ok()?.to_string();
                let path = entry.path();
                let bytes = std::fs::metadata(&path).ok().filter(std::fs::Metadata::is_file).map(|meta| meta.len());
                Some(Model { name, path, bytes })
            })
            .take(MAX_LISTED)
            .collect();
        models.sort_by(|a, b| a.name.cmp(&b.name));
        models
    }

    pub fn find(&self, name: &str) -> Option<Model> {
        let name = name.strip_suffix(ENDING).unwrap_or(name);
        self.list().into_iter().find(|model| model.name.eq_ignore_ascii_case(name))
    }

    /// The model of `llm.model`: an installed one, any file, or the only installed one if the setting is empty.
    pub fn chosen(&self, named: &str) -> ResolvedModel {
        let here = |model: &Model| model.bytes.is_some();
        let named = named.trim();
        if named.is_empty() {
            let mut models = self.list().into_iter().filter(here);
            return match (models.next(), models.next()) {
                (Some(Model { name, path, .. }), None) => ResolvedModel::Here { name, path },
                _ => missing(catalogue::USUAL),
            };
        }
        if let Some(path) = elsewhere(named) {
            let name = Name::from_file(named).map_or_else(|| "model".to_owned(), |name| name.to_string());
            return if path.is_file() { ResolvedModel::Here { name, path } } else { missing(named) };
        }
        match self.find(named).filter(here) {
            Some(Model { name, path, .. }) => ResolvedModel::Here { name, path },
            None => missing(named),
        }
    }
}

fn missing(name: &str) -> ResolvedModel {
    ResolvedModel::Missing { name: name.to_owned(), bytes: catalogue::entry(name).map(|entry| entry.bytes) }
}

/// Resolves a path from the settings.
fn elsewhere(named: &str) -> Option<PathBuf> {
    match named.strip_prefix("~/") {
        Some(rest) => std::env::var_os("HOME").map(|home| Path::new(&home).join(rest)),
        None => named.starts_with('/').then(|| PathBuf::from(named)),
    }
}

/// Whether a file is a model.
pub fn is_model(path: &Path) -> std::io::Result<bool> {
    let mut start = [0; 4];
    let mut file = File::open(path)?;
    match file.read_exact(&mut start) {
        Ok(()) => Ok(&start == MAGIC),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether these first bytes can be those of a model.
pub fn begins_as_model(start: &[u8]) -> bool {
    start.iter().zip(MAGIC).all(|(byte, magic)| byte == magic)
}

/// `1.1 GB`, in decimal units like the hubs.
pub fn size(bytes: u64) -> String {
    match bytes {
        1_000_000_000.. => format!("{:.1} GB", bytes as f64 / 1e9),
        1_000_000.. => format!("{} MB", bytes / 1_000_000),
        1_000.. => format!("{} kB", bytes / 1_000),
        bytes => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_lead_anywhere() {
        for bad in ["", ".", "..", "../x", "a/b", "-rf", ".hidden", "a b", "a\n", "é", &"x".repeat(97)] {
            assert!(Name::new(bad).is_err(), "{bad}");
        }
        for (file, name) in [
            ("Model-Q4.gguf", Some("Model-Q4")),
            ("/a/b/c.gguf", Some("c")),
            ("a b\u{202e}c.gguf", Some("a-b-c")),
            ("../../.gguf", None),
            ("..%2f..%2fetc", Some("2f..-2fetc")),
            ("$(reboot).gguf", Some("reboot")),
            ("", None),
        ] {
            assert_eq!(Name::from_file(file).map(|name| name.0).as_deref(), name, "{file}");
        }
    }

    #[test]
    fn a_setting_means_one_of_ours_a_file_or_the_only_one() {
        let temp = tempfile::tempdir().unwrap();
        let installed_models = InstalledModels { dir: temp.path().join("models") };
        let missing = |name: &str, bytes| ResolvedModel::Missing { name: name.to_owned(), bytes };
        let here = |name: &str| ResolvedModel::Here {
            name: name.to_owned(),
            path: installed_models.dir.join(format!("{name}.gguf")),
        };
        assert_eq!(installed_models.chosen(""), missing(catalogue::USUAL, Some(1_117_320_768)));
        installed_models.prepare().unwrap();
        std::fs::write(installed_models.dir.join("One.gguf"), "GGUF").unwrap();
        std::fs::write(installed_models.dir.join("two.gguf.part"), "GG").unwrap();
        std::os::unix::fs::symlink("/nowhere", installed_models.dir.join("gone.gguf")).unwrap();
        assert_eq!(installed_models.chosen(""), here("One"));
        assert_eq!(installed_models.chosen("one.gguf"), here("One"));
        assert_eq!(installed_models.chosen("gone"), missing("gone", None));
        assert_eq!(installed_models.chosen("../models/One"), missing("../models/One", None));
        let path = installed_models.dir.join("One.gguf");
        assert_eq!(installed_models.chosen(&path.display().to_string()), here("One"));
        assert_eq!(installed_models.chosen("/nowhere.gguf"), missing("/nowhere.gguf", None));
    }

    #[test]
    fn a_model_is_known_by_its_first_bytes() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("x");
        for (content, expected) in [("GGUF\u{3}", true), ("GGUF", true), ("GG", false), ("<html>", false), ("", false)]
        {
            std::fs::write(&file, content).unwrap();
            assert_eq!(is_model(&file).unwrap(), expected, "{content}");
        }
        assert!(begins_as_model(b"GG") && begins_as_model(b"GGUFx") && !begins_as_model(b"<htm"));
    }
}
