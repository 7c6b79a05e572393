//! Units of systemd, from the files that define them: asks no process.

use std::path::{Path, PathBuf};

use aside_commands::world::LiveItem;

use crate::world::read::item;

const KINDS: &[&str] = &["service", "timer", "socket", "target", "path", "mount", "slice"];
/// Cap on the files of one directory.
const MAX_FILES: usize = 5_000;

/// The administrator's and the user's own come first.
pub fn units(home: &Path) -> Option<Vec<LiveItem>> {
    let own = home.join(".config/systemd/user");
    let all: [(PathBuf, &str); 6] = [
        ("/etc/systemd/system".into(), ""),
        (own, "user"),
        ("/run/systemd/system".into(), ""),
        ("/usr/local/lib/systemd/system".into(), ""),
        ("/usr/lib/systemd/system".into(), ""),
        ("/lib/systemd/system".into(), ""),
    ];
    let units: Vec<LiveItem> = all.iter().flat_map(|(directory, about)| units_in(directory, about)).collect();
    (!units.is_empty()).then_some(units)
}

fn units_in(directory: &Path, about: &str) -> Vec<LiveItem> {
    let mut names = Vec::new();
    for name in files(directory) {
        // `.wants` directories may name instances, as in getty@tty1.service.
        if name.ends_with(".wants") || name.ends_with(".requires") {
            names.extend(files(&directory.join(name)).into_iter().filter(|name| name.contains('@')));
        } else {
            names.push(name);
        }
    }
    names.retain(|name| {
        let kind = name.rsplit_once('.').map(|(_, kind)| kind);
        // With nothing behind its `@` it is a template, and no unit.
        kind.is_some_and(|kind| KINDS.contains(&kind)) && !name.contains("@.")
    });
    names.sort_by_cached_key(|name| (!name.ends_with(".service"), name.clone()));
    names.dedup();
    names.into_iter().map(|name| item(name, about)).collect()
}

fn files(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten().take(MAX_FILES);
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_and_misses() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir(temp.path().join("multi-user.target.wants")).unwrap();
        for name in [
            "web.service",
            "backup.timer",
            "app.service",
            "getty@.service",
            "notes.txt",
            "multi-user.target.wants/getty@tty1.service",
            "multi-user.target.wants/web.service",
        ] {
            std::fs::write(temp.path().join(name), "").unwrap();
        }
        let found: Vec<_> = units_in(temp.path(), "user").into_iter().map(|item| item.name.into_string()).collect();
        assert_eq!(found, ["app.service", "getty@tty1.service", "web.service", "backup.timer"]);
        assert_eq!(units_in(Path::new("/missing"), ""), []);
    }
}
