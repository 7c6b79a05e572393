//! What git may read: its program, the files of the repository, its git directory, and the user's own settings. An index or a reference of
//! an unpacked archive can name any file of the user, and git would show it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::world::git_config::{self, Setting};
use crate::world::repository::repository;

/// Where programs, libraries and the machine's settings are.
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
/// Caps on nested includes.
const MAX_DEPTH: usize = 4;
const MAX_FILES: usize = 64;
/// Cap on a settings file, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

pub fn paths(program: &Path, root: &Path) -> Vec<PathBuf> {
    let mut places: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
    places.extend(installation(program));
    places.push(root.to_owned());
    places.extend(repository(root).into_iter().flat_map(|repository| [repository.git, repository.common]));
    places.extend(settings());
    places
}

/// Files of git's own installation, such as `~/.linuxbrew/lib` for `~/.linuxbrew/bin/git`, also where the program is a link. Of a home
/// directory, which may have a `bin` too, only what is certainly git's.
fn installation(program: &Path) -> Vec<PathBuf> {
    const OF_GIT: [&str; 4] = ["libexec/git-core", "lib/git-core", "share/git-core", "etc/gitconfig"];
    const OF_ALL: [&str; 6] = ["bin", "lib", "lib64", "libexec", "Cellar", "opt"];
    let home = std::env::home_dir().unwrap_or_default();
    let parts = |prefix: PathBuf| {
        let is_general = home.starts_with(&prefix) || prefix.starts_with(&home) && prefix.ends_with(".local");
        let all = OF_ALL.into_iter().filter(move |_| !is_general);
        OF_GIT.into_iter().chain(all).map(|part| prefix.join(part)).collect::<Vec<_>>()
    };
    let mut places = vec![program.to_owned()];
    places.extend(program.canonicalize());
    places.extend(prefixes(program).into_iter().flat_map(parts));
    places
}

fn prefixes(program: &Path) -> Vec<PathBuf> {
    let real = program.canonicalize().ok();
    let ends = ["bin", "libexec", "lib"];
    let prefix = |program: &Path| {
        let mut above = program.ancestors().skip(1);
        let inner = above.find(|place| place.file_name().is_some_and(|name| ends.iter().any(|end| name == *end)))?;
        inner.parent().map(Path::to_owned)
    };
    [Some(program.to_owned()), real].into_iter().flatten().filter_map(|program| prefix(&program)).collect()
}

/// Whether a setting names a file that these questions need. Others name cookies and keys.
fn names_needed_file(setting: &Setting) -> bool {
    let name = (setting.section.as_str(), setting.key.as_str());
    let needed =
        [("core", "excludesfile"), ("core", "attributesfile"), ("mailmap", "file"), ("blame", "ignorerevsfile")];
    setting.section.starts_with("include") && setting.key == "path" || needed.contains(&name)
}

/// The user's own settings, and the files that they name: included files, ignore lists, and the like. Not the whole directory:
/// `credential-store` keeps passwords there.
fn settings() -> Vec<PathBuf> {
    let Some(home) = std::env::home_dir() else { return Vec::new() };
    let config = std::env::var_os("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from).join("git");
    let mut places = vec![home.join(".gitconfig")];
    places.extend(["config", "attributes", "ignore"].map(|file| config.join(file)));
    let mut unread = vec![(home.join(".gitconfig"), 0), (config.join("config"), 0)];
    while let Some((file, depth)) = unread.pop() {
        let is_small = std::fs::metadata(&file).is_ok_and(|file| file.is_file() && file.len() <= MAX_BYTES);
        let Some(text) = is_small.then(|| std::fs::read(&file).ok()).flatten() else { continue };
        for setting in git_config::settings(&text).into_iter().filter(names_needed_file) {
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
        let of = |program: &str| super::prefixes(Path::new(program));
        assert_eq!(of("/nonexistent/brew/bin/git"), [PathBuf::from("/nonexistent/brew")]);
        assert_eq!(of("/nonexistent/brew/libexec/git-core/git"), [PathBuf::from("/nonexistent/brew")]);
        assert_eq!(of("/nonexistent/git"), Vec::<PathBuf>::new());
        assert!(super::installation(Path::new("/nonexistent/brew/bin/git")).contains(&"/nonexistent/brew/lib".into()));
    }

    /// `/bin/git` and `~/bin/git` must not open the whole system or the home directory.
    #[test]
    fn no_installation_is_the_whole_of_a_home() {
        let home = std::env::home_dir().unwrap();
        for program in ["/bin/git".into(), home.join("bin/git"), home.join(".local/bin/git")] {
            for place in super::installation(&program) {
                let is_git = place.ends_with("git") || place.to_string_lossy().contains("git-core");
                let is_of_home = place.starts_with(&home) && !is_git && !place.ends_with("etc/gitconfig");
                assert!(!is_of_home && !home.starts_with(&place), "{}: {}", program.display(), place.display());
            }
        }
    }

    #[test]
    fn settings_open_the_files_that_are_needed_and_no_cookies() {
        let text = b"[core]\n excludesFile = ~/x\n sshCommand = /k\n[http]\n cookieFile = ~/c\n[includeIf \"gitdir:~/w/\"]\n path = w\n[user]\n signingKey = /k\n";
        let needed: Vec<String> = crate::world::git_config::settings(text)
            .into_iter()
            .filter(super::names_needed_file)
            .map(|setting| format!("{}.{}", setting.section, setting.key))
            .collect();
        assert_eq!(needed, ["core.excludesfile", "includeif.path"]);
    }
}
