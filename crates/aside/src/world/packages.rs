//! Installed packages, from the package manager's files. Empty where those are a database.

use std::path::{Path, PathBuf};

use aside_commands::world::LiveItem;

use crate::world::read::{item, read};

const MAX_FILES: usize = 100_000;

pub fn packages() -> Option<Vec<LiveItem>> {
    let found = debian(Path::new("/var/lib/dpkg/info"))
        .or_else(|| arch(Path::new("/var/lib/pacman/local")))
        .or_else(|| alpine(Path::new("/lib/apk/db/installed")))
        .or_else(|| ["/opt/homebrew/Cellar", "/usr/local/Cellar"].iter().find_map(|cellar| brew(Path::new(cellar))));
    let mut names = found?;
    names.sort();
    names.dedup();
    Some(names.into_iter().map(|name| item(name, "")).collect())
}

/// `NAME.list` or `NAME:ARCHITECTURE.list` for each.
fn debian(directory: &Path) -> Option<Vec<String>> {
    let lists = names(directory)?.into_iter();
    Some(lists.filter_map(|file| Some(file.strip_suffix(".list")?.split(':').next()?.to_owned())).collect())
}

/// `NAME-VERSION-RELEASE`.
fn arch(directory: &Path) -> Option<Vec<String>> {
    Some(names(directory)?.iter().filter_map(|file| Some(file.rsplitn(3, '-').nth(2)?.to_owned())).collect())
}

fn alpine(file: &Path) -> Option<Vec<String>> {
    Some(read(file)?.lines().filter_map(|line| line.strip_prefix("P:")).map(str::to_owned).collect())
}

fn brew(directory: &Path) -> Option<Vec<String>> {
    names(directory)
}

fn names(directory: &Path) -> Option<Vec<String>> {
    let entries = std::fs::read_dir(PathBuf::from(directory)).ok()?.flatten().take(MAX_FILES);
    Some(entries.filter_map(|entry| entry.file_name().into_string().ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_package_manager_has_its_names() {
        let temp = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| std::fs::write(temp.path().join(name), text).unwrap();
        for name in ["bash.list", "libc6:amd64.list", "bash.md5sums"] {
            file(name, "");
        }
        let mut found = debian(temp.path()).unwrap();
        found.sort();
        assert_eq!(found, ["bash", "libc6"]);
        file("installed", "P:busybox\nV:1\n\nP:musl\n");
        assert_eq!(alpine(&temp.path().join("installed")).unwrap(), ["busybox", "musl"]);
        let local = temp.path().join("local");
        std::fs::create_dir_all(local.join("gtk-update-icon-cache-1:4.1-2")).unwrap();
        std::fs::write(local.join("ALPM_DB_VERSION"), "9").unwrap();
        assert_eq!(arch(&local).unwrap(), ["gtk-update-icon-cache"]);
        assert_eq!(debian(Path::new("/missing")), None);
    }
}
