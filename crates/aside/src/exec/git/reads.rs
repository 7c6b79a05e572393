//! What git may read: its program, the files of the repository, where that keeps its things, and the user's own settings. An index or a
//! reference of an unpacked archive can name any file of the user, and git would show it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::world::git_config;
use crate::world::repository::repository;

/// Where programs, their libraries and the settings of the machine are.
const SYSTEM: [&str; 12] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/etc/gitconfig",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/snap",
];
/// Settings that settings include.
const MAX_DEPTH: usize = 4;
const MAX_FILES: usize = 64;
/// Bytes of a file of settings that is read.
const MAX_BYTES: u64 = 1024 * 1024;

pub fn places(program: &Path, root: &Path) -> Vec<PathBuf> {
    let mut places: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
    places.extend(prefix(program));
    places.push(root.to_owned());
    places.extend(repository(root).into_iter().flat_map(|repository| [repository.git, repository.common]));
    places.extend(settings());
    places
}

/// `~/.linuxbrew` of `~/.linuxbrew/bin/git`, and the same where the program is a link.
fn prefix(program: &Path) -> Vec<PathBuf> {
    let real = program.canonicalize().ok();
    let ends = ["bin", "libexec", "lib"];
    let prefix = |program: &Path| {
        let mut above = program.ancestors().skip(1);
        let inner = above.find(|place| place.file_name().is_some_and(|name| ends.iter().any(|end| name == *end)))?;
        inner.parent().map(Path::to_owned)
    };
    [Some(program.to_owned()), real].into_iter().flatten().filter_map(|program| prefix(&program)).collect()
}

/// The user's own settings, and the files that those name: what is included, ignored, and the like.
fn settings() -> Vec<PathBuf> {
    let Some(home) = std::env::home_dir() else { return Vec::new() };
    let config = std::env::var_os("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from).join("git");
    let mut places = vec![home.join(".gitconfig"), config.clone()];
    let mut unread = vec![(home.join(".gitconfig"), 0), (config.join("config"), 0)];
    while let Some((file, depth)) = unread.pop() {
        let is_small = std::fs::metadata(&file).is_ok_and(|file| file.is_file() && file.len() <= MAX_BYTES);
        let Some(text) = is_small.then(|| std::fs::read(&file).ok()).flatten() else { continue };
        for setting in git_config::settings(&text) {
            let includes = setting.section.starts_with("include") && setting.key == "path";
            let value = Path::new(OsStr::from_bytes(&setting.value));
            let named = match value.strip_prefix("~") {
                Ok(rest) => home.join(rest),
                Err(_) if includes => file.parent().unwrap_or(&home).join(value),
                Err(_) => value.to_owned(),
            };
            if !named.is_absolute() || places.len() >= MAX_FILES || !named.is_file() {
                continue;
            }
            if includes && depth < MAX_DEPTH {
                unread.push((named.clone(), depth + 1));
            }
            places.push(named);
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    #[test]
    fn a_program_of_the_user_may_read_what_belongs_to_it() {
        let of = |program: &str| super::prefix(Path::new(program));
        assert_eq!(of("/nonexistent/brew/bin/git"), [PathBuf::from("/nonexistent/brew")]);
        assert_eq!(of("/nonexistent/brew/libexec/git-core/git"), [PathBuf::from("/nonexistent/brew")]);
        assert_eq!(of("/nonexistent/git"), Vec::<PathBuf>::new());
    }
}
