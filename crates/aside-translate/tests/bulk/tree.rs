//! A directory like a home after some years, and what is in it.

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

const DAY: u64 = 24 * 60 * 60;

/// Path, bytes, age in days, mode.
const FILES: &[(&str, usize, u64, u32)] = &[
    ("notes.txt", 400, 1, 0o644),
    ("report.pdf", 5_000, 100, 0o644),
    ("a file.txt", 20, 200, 0o600),
    ("photo.jpg", 3_000, 10, 0o644),
    ("Photo.JPG", 3_001, 400, 0o644),
    ("empty.txt", 0, 50, 0o644),
    ("run.sh", 90, 60, 0o755),
    ("old.bak", 1_500, 90, 0o644),
    ("README.md", 700, 2, 0o644),
    ("big.bin", 1_200_000, 45, 0o644),
    (".env", 60, 300, 0o600),
    (".config/app/settings.ini", 80, 300, 0o600),
    (".cache/x.log", 1_100, 80, 0o644),
    (".git/HEAD", 21, 500, 0o644),
    (".git/config", 120, 500, 0o644),
    (".git/objects/aa/1234", 2_000, 400, 0o444),
    (".git/refs/heads/build", 41, 1, 0o644),
    ("docs/guide.md", 900, 3, 0o644),
    ("docs/notes.txt", 410, 70, 0o644),
    ("docs/img/figure.png", 2_100, 65, 0o644),
    ("logs/app.log", 9_000, 1, 0o644),
    ("logs/app-old.log", 9_001, 120, 0o644),
    ("logs/archive/2020.log", 300, 900, 0o644),
    ("logs/readme.txt", 30, 900, 0o644),
    ("src/main.rs", 1_300, 1, 0o644),
    ("src/lib/old.rs", 1_301, 700, 0o644),
    ("src/lib/data.txt", 15, 31, 0o644),
    ("src/build/out.o", 50_000, 5, 0o644),
    ("old/young.txt", 33, 0, 0o644),
    ("old/deep/young.log", 34, 1, 0o644),
    ("old/ancient.txt", 35, 800, 0o644),
    ("vendor/lib/.git/HEAD", 22, 600, 0o644),
    ("vendor/lib/code.rs", 640, 600, 0o644),
    ("pictures.jpg/inside.txt", 44, 20, 0o644),
    ("build/app", 4_000, 4, 0o755),
];
/// Old directories, some with young files in them.
const OLD: &[&str] = &["old", "old/deep", "docs", "docs/img", "logs", ".git", "empty", "pictures.jpg"];

/// A temporary directory with `work` and, beside it, `outside`.
pub struct Tree(TempDir);

/// A file or directory of the tree.
pub struct Entry {
    /// Below `work`, or from `outside/`.
    pub path: String,
    pub is_outside: bool,
    pub is_directory: bool,
    pub size: u64,
    pub days: f64,
    pub content: String,
    mode: u32,
}

impl Tree {
    pub fn new() -> Self {
        let tree = Self(TempDir::new().unwrap_or_else(|error| panic!("a temporary directory: {error}")));
        let work = tree.work();
        for (path, bytes, days, mode) in FILES {
            write(&work.join(path), path, *bytes, *days, *mode);
        }
        make(&work.join("empty"));
        make(&work.join("archive"));
        write(&tree.root().join("outside/kept.txt"), "outside", 500, 300, 0o644);
        write(&tree.root().join("outside/kept.log"), "outside log", 2_500, 300, 0o644);
        for (target, name) in [
            ("../outside/kept.txt", "linked.txt"),
            ("../outside", "linked"),
            ("../../outside/kept.log", "logs/linked.log"),
            ("nowhere", "dangling.txt"),
        ] {
            done(symlink(target, work.join(name)));
        }
        for path in OLD {
            age(&work.join(path), 730);
        }
        tree
    }

    pub fn root(&self) -> &Path {
        self.0.path()
    }

    pub fn work(&self) -> PathBuf {
        self.0.path().join("work")
    }

    pub fn entries(&self) -> Vec<Entry> {
        let mut entries = Vec::new();
        walk(&self.work(), "", false, &mut entries);
        walk(&self.root().join("outside"), "outside/", true, &mut entries);
        entries
    }
}

impl Entry {
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Whether it is a file with one of these endings.
    pub fn ends(&self, endings: &[&str]) -> bool {
        let (_, ending) = self.name().rsplit_once('.').unwrap_or_default();
        endings.contains(&ending.to_lowercase().as_str())
    }

    pub fn is_below(&self, directory: &str) -> bool {
        self.path.split('/').any(|part| part == directory)
    }

    pub fn is_hidden(&self) -> bool {
        self.path.split('/').any(|part| part.starts_with('.'))
    }

    pub fn is_versioned(&self) -> bool {
        self.is_below(".git")
    }

    pub fn is_same(&self, other: &Self) -> bool {
        // The time of a directory tells what happened in it, not to it.
        self.content == other.content && self.mode == other.mode && self.is_directory == other.is_directory
    }
}

fn done(result: std::io::Result<()>) {
    result.unwrap_or_else(|error| panic!("the tree: {error}"));
}

fn make(directory: &Path) {
    done(fs::create_dir_all(directory));
}

fn write(path: &Path, name: &str, bytes: usize, days: u64, mode: u32) {
    if let Some(directory) = path.parent() {
        make(directory);
    }
    let text = format!("alpha {name} \n").repeat(bytes / (name.len() + 8) + 1);
    done(fs::write(path, &text.as_bytes()[..bytes]));
    age(path, days);
    done(fs::set_permissions(path, fs::Permissions::from_mode(mode)));
}

fn age(path: &Path, days: u64) {
    let time = SystemTime::now() - Duration::from_secs(days * DAY + 3_600);
    done(File::open(path).and_then(|file| file.set_modified(time)));
}

fn walk(directory: &Path, prefix: &str, is_outside: bool, entries: &mut Vec<Entry>) {
    let Ok(found) = fs::read_dir(directory) else { return };
    for entry in found.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        let Ok(meta) = entry.path().symlink_metadata() else { continue };
        let content = if meta.is_symlink() {
            fs::read_link(entry.path()).map(|target| format!("-> {}", target.display())).unwrap_or_default()
        } else if meta.is_file() {
            fs::read(entry.path()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
        } else {
            format!("directory {path}")
        };
        let days =
            meta.modified().ok().and_then(|time| time.elapsed().ok()).map_or(0.0, |age| age.as_secs_f64() / DAY as f64);
        let size = if meta.is_file() { meta.len() } else { 0 };
        if meta.is_dir() {
            walk(&entry.path(), &format!("{path}/"), is_outside, entries);
        }
        entries.push(Entry { path, is_outside, is_directory: meta.is_dir(), size, days, content, mode: meta.mode() });
    }
}
