//! The specs in the source tree, by name and alias.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aside_commands::spec::format::{self, Spec};

pub struct Library {
    specs: BTreeMap<String, Arc<Spec>>,
    aliases: BTreeMap<String, String>,
}

impl Library {
    pub fn load() -> Self {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../aside-commands/data/spec");
        let files = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path());
        let specs: BTreeMap<String, Arc<Spec>> = files.map(read).collect();
        let alias =
            |(name, spec): (&String, &Arc<Spec>)| spec.aliases.iter().map(|a| (a.to_string(), name.clone())).collect();
        let aliases = specs.iter().flat_map(|entry| -> Vec<(String, String)> { alias(entry) }).collect();
        Self { specs, aliases }
    }

    /// The spec's own name for a command that it knows under an alias.
    pub fn name<'a>(&'a self, command: &'a str) -> &'a str {
        if self.specs.contains_key(command) { command } else { self.aliases.get(command).map_or(command, |name| name) }
    }

    pub fn find(&self, command: &str) -> Option<&Arc<Spec>> {
        self.specs.get(self.name(command))
    }

    pub fn iter(&self) -> impl Iterator<Item = (&String, &Arc<Spec>)> {
        self.specs.iter()
    }
}

fn read(file: PathBuf) -> (String, Arc<Spec>) {
    let name = file.file_stem().unwrap().to_string_lossy().into_owned();
    let text = std::fs::read_to_string(&file).unwrap();
    let (spec, problems) = format::parse(&name, &text);
    assert!(problems.is_empty(), "{problems:?}");
    (name, Arc::new(spec.unwrap()))
}
