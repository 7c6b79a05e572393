//! Finds and reads the history files of other programs. Stores nothing.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use aside_core::history::HistoryEntry;
use aside_core::history::filter::{HistoryFilter, NotStored};
use aside_core::history::import::{ImportFormat, ParsedHistory};
use clap::ValueEnum;

use crate::store::atuin;

/// Larger than all rows that would be kept. A million commands of 40 bytes need 280 MB of memory during the import.
const MAX_FILE: u64 = 256 * 1024 * 1024;

/// The program that wrote a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Source {
    Zsh,
    Bash,
    Fish,
    Atuin,
}

impl Source {
    /// atuin's history is not a text file.
    fn format(self) -> Option<ImportFormat> {
        match self {
            Self::Zsh => Some(ImportFormat::Zsh),
            Self::Bash => Some(ImportFormat::Bash),
            Self::Fish => Some(ImportFormat::Fish),
            Self::Atuin => None,
        }
    }

    pub fn read(self, file: &Path) -> anyhow::Result<ParsedHistory> {
        match self.format() {
            Some(format) => read_file(format, file),
            None => atuin::read(file),
        }
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.format().map_or("atuin", ImportFormat::name))
    }
}

pub fn read_file(format: ImportFormat, path: &Path) -> anyhow::Result<ParsedHistory> {
    let bytes = read_capped(path, MAX_FILE).with_context(|| format!("could not read {}", path.display()))?;
    match ImportFormat::guess(&bytes) {
        Some(guess) if guess != format => {
            let (path, guess) = (path.display(), guess.name());
            bail!("{path} looks like the history of {guess}; run `aside history import {guess} {path}`")
        }
        _ => Ok(format.parse(&bytes)),
    }
}

fn read_capped(path: &Path, cap: u64) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(cap + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > cap {
        bail!("it is larger than {} MiB; split it", cap >> 20);
    }
    Ok(bytes)
}

/// All commands of the user, from every history file. Skips unreadable files: for a trial, some are enough.
pub fn everything_found(filter: &HistoryFilter, refused: impl FnMut(NotStored)) -> Vec<HistoryEntry> {
    let mut entries = Vec::new();
    for source in [Source::Bash, Source::Fish, Source::Atuin, Source::Zsh] {
        let parsed = usual_file(source).and_then(|file| source.read(&file));
        entries.extend(parsed.map(|parsed| parsed.entries).unwrap_or_default());
    }
    filter.sift(&mut entries, refused);
    entries
}

/// Where a program keeps its history, according to the environment.
pub fn usual_file(source: Source) -> anyhow::Result<PathBuf> {
    usual_file_in(source, &|name| std::env::var_os(name).filter(|value| !value.is_empty()))
}

/// Where a program keeps its history. Another shell may have exported `$HISTFILE`, so it counts only if it does not look like that shell's.
fn usual_file_in(source: Source, var: &dyn Fn(&str) -> Option<OsString>) -> anyhow::Result<PathBuf> {
    let home = var("HOME").map(PathBuf::from).context("could not find your home directory; set HOME")?;
    let data = var("XDG_DATA_HOME").map_or_else(|| home.join(".local/share"), PathBuf::from);
    let histfile = var("HISTFILE").map(PathBuf::from);
    let candidates = match source {
        Source::Zsh => {
            let zdotdir = var("ZDOTDIR").map(|dir| PathBuf::from(dir).join(".zsh_history"));
            let own = histfile.filter(|file| belongs_to(file, ImportFormat::Zsh));
            let usual = [home.join(".zsh_history"), home.join(".zhistory")];
            own.into_iter().chain(zdotdir).chain(usual).collect()
        }
        Source::Bash => {
            let own = histfile.filter(|file| belongs_to(file, ImportFormat::Bash));
            own.into_iter().chain([home.join(".bash_history")]).collect()
        }
        Source::Fish => vec![data.join("fish/fish_history")],
        Source::Atuin => vec![data.join("atuin/history.db")],
    };
    let Some(file) = candidates.iter().find(|file| file.is_file()) else {
        let tried: Vec<String> = candidates.iter().map(|file| file.display().to_string()).collect();
        bail!("there is no {}; give the file to read: `aside history import {source} FILE`", tried.join(" and no "));
    };
    Ok(file.clone())
}

/// Decides by the file's name; if that names no shell, by its first line.
fn belongs_to(file: &Path, format: ImportFormat) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let shells = [
        ("bash", ImportFormat::Bash),
        ("fish", ImportFormat::Fish),
        ("zsh", ImportFormat::Zsh),
        ("zhist", ImportFormat::Zsh),
    ];
    if let Some((_, owner)) = shells.iter().find(|(part, _)| name.contains(part)) {
        return *owner == format;
    }
    let mut start = Vec::new();
    let read = File::open(file).and_then(|file| file.take(4096).read_to_end(&mut start));
    // zsh rarely exports it, bash never: without a hint it is more likely zsh's.
    read.is_ok() && ImportFormat::guess(&start).unwrap_or(ImportFormat::Zsh) == format
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Home(tempfile::TempDir);

    impl Home {
        fn with(files: &[(&str, &str)]) -> Self {
            let home = Self(tempfile::tempdir().unwrap());
            for (name, text) in files {
                let path = home.0.path().join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            home
        }

        /// The file that is read, relative to home. A variable's value is relative to home, too.
        fn usual(&self, source: Source, vars: &[(&str, &str)]) -> String {
            let home = self.0.path();
            let var = |name: &str| match name {
                "HOME" => Some(home.into()),
                _ => vars.iter().find(|(key, _)| *key == name).map(|(_, value)| home.join(value).into_os_string()),
            };
            match usual_file_in(source, &var) {
                Ok(file) => file.strip_prefix(home).unwrap().display().to_string(),
                Err(error) => format!("{error:#}").replace(&format!("{}/", home.display()), ""),
            }
        }
    }

    #[test]
    fn finds_the_file_of_each_program() {
        let home = Home::with(&[
            (".zhistory", ""),
            (".bash_history", ""),
            (".local/share/fish/fish_history", ""),
            ("data/atuin/history.db", ""),
        ]);
        assert_eq!(home.usual(Source::Zsh, &[]), ".zhistory");
        assert_eq!(home.usual(Source::Bash, &[]), ".bash_history");
        assert_eq!(home.usual(Source::Fish, &[]), ".local/share/fish/fish_history");
        assert_eq!(home.usual(Source::Atuin, &[("XDG_DATA_HOME", "data")]), "data/atuin/history.db");
    }

    #[test]
    fn prefers_zdotdir_and_histfile_to_home() {
        let home = Home::with(&[(".zsh_history", ""), ("z/.zsh_history", ""), ("mine", "ls\n")]);
        assert_eq!(home.usual(Source::Zsh, &[("ZDOTDIR", "z")]), "z/.zsh_history");
        assert_eq!(home.usual(Source::Zsh, &[("ZDOTDIR", "z"), ("HISTFILE", "mine")]), "mine");
    }

    #[test]
    fn does_not_take_the_histfile_of_another_shell() {
        let home = Home::with(&[
            (".zsh_history", ""),
            (".bash_history", ""),
            ("a", ": 1700000000:0;ls\n"),
            ("b", "#1700000000\nls\n"),
            ("c", "ls\n"),
        ]);
        let usual = |source, histfile| home.usual(source, &[("HISTFILE", histfile)]);
        assert_eq!(usual(Source::Bash, ".zsh_history"), ".bash_history");
        assert_eq!(usual(Source::Bash, "a"), ".bash_history");
        assert_eq!(usual(Source::Bash, "b"), "b");
        assert_eq!(usual(Source::Bash, "c"), ".bash_history");
        assert_eq!(usual(Source::Zsh, ".bash_history"), ".zsh_history");
        assert_eq!(usual(Source::Zsh, "b"), ".zsh_history");
        assert_eq!(usual(Source::Zsh, "a"), "a");
    }

    #[test]
    fn says_where_it_looked() {
        let home = Home::with(&[]);
        assert_eq!(
            home.usual(Source::Zsh, &[]),
            "there is no .zsh_history and no .zhistory; give the file to read: `aside history import zsh FILE`"
        );
    }

    #[test]
    fn a_file_of_another_shell_is_refused() {
        let home = Home::with(&[("h", "- cmd: ls\n")]);
        let path = home.0.path().join("h");
        let error = read_file(ImportFormat::Zsh, &path).unwrap_err().to_string();
        assert!(error.contains("looks like the history of fish; run `aside history import fish "), "{error}");
    }

    #[test]
    fn a_file_beyond_the_cap_is_refused() {
        let home = Home::with(&[("h", "12345")]);
        let path = home.0.path().join("h");
        assert_eq!(read_capped(&path, 5).unwrap(), b"12345");
        assert!(read_capped(&path, 4).is_err());
    }
}
