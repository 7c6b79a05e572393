//! Which files of a repository changed. Only git knows, and git runs what the settings of a repository say: a
//! repository that came out of an archive must not run anything because a person typed `git add`.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use aside_core::world::Item;
use regex::Regex;

use crate::exec::{Probe, probe};
use crate::world::finding::{MAX_BYTES, item, read};
use crate::world::repository::{Repository, repository};

/// The files that differ, by what they differ from. Names are as seen from the directory.
#[derive(Debug, PartialEq, Eq)]
pub struct Changes {
    /// From the index, or not in it.
    pub changed: Vec<Item>,
    /// In the index, from the last commit.
    pub staged: Vec<Item>,
}

pub fn changes(directory: &Path) -> Option<Changes> {
    // Git follows links before it looks for the repository, and must find the one whose settings were read.
    let directory = directory.canonicalize().ok()?;
    let repository = repository(&directory)?;
    let filters = filters(&repository)?;
    let status = probe(&Probe::GitStatus { root: &repository.root, without_filters: &filters })?;
    Some(sorted(&status, directory.strip_prefix(&repository.root).ok()?))
}

/// The filters that the repository itself defines, which are to be left out: they are commands. Nothing when its settings
/// say more than we can tell.
pub fn filters(repository: &Repository) -> Option<Vec<String>> {
    static NAMED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#"^(?i:filter)(?:[ \t]+"([\w-]+)"|\.([\w-]+))\]"#).unwrap());
    let shared = repository.common.join("config");
    let mut names = Vec::new();
    for file in [&shared, &repository.git.join("config.worktree")] {
        let settings = match std::fs::symlink_metadata(file) {
            Ok(meta) if meta.len() >= MAX_BYTES => return None,
            Ok(_) => read(file)?.replace('\0', ""),
            // Git writes one into every repository: the one that it reads is elsewhere.
            Err(_) if *file == shared => return None,
            Err(_) => continue,
        };
        // A section may begin anywhere in a line, and `[include]` brings in what we have not read.
        for section in settings.split('[').skip(1) {
            let begins = |word: &str| section.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
            if begins("include") {
                return None;
            }
            if begins("filter") {
                let named = NAMED.captures(section)?;
                // Within quotes capitals count; behind a dot git makes them small.
                let quoted = named.get(1).map(|name| name.as_str().to_owned());
                names.push(quoted.or_else(|| Some(named.get(2)?.as_str().to_ascii_lowercase()))?);
            }
            // The person's own Git LFS has commands of the repository's run when it is told of them here.
            if begins("lfs") && section.to_ascii_lowercase().contains("extension") {
                names.push("lfs".to_owned());
            }
        }
    }
    Some(names)
}

/// From entries of two letters, a blank and a path from the root, each ended by a NUL.
fn sorted(status: &str, here: &Path) -> Changes {
    let (mut changed, mut staged) = (Vec::new(), Vec::new());
    for entry in status.split_terminator('\0') {
        let (Some(letters), Some(path)) = (entry.get(..2), entry.get(3..)) else { continue };
        let name = seen_from(here, path);
        let (index, tree) = (letters.as_bytes()[0], letters.as_bytes()[1]);
        if index == b'U' || tree == b'U' || matches!(letters, "AA" | "DD") {
            changed.push((0, item(name, "conflict")));
            continue;
        }
        if let Some(about) = word(tree) {
            changed.push((if tree == b'?' { 2 } else { 1 }, item(&*name, about)));
        }
        if let Some(about) = word(index).filter(|_| index != b'?') {
            staged.push((1, item(name, about)));
        }
    }
    // What is here comes before what is elsewhere, a file that is tracked before one that is not.
    let order = |mut items: Vec<(u8, Item)>| {
        items.sort_by_key(|(weight, item)| (*weight != 0, item.name.starts_with("../"), *weight));
        items.into_iter().map(|(_, item)| item).collect()
    };
    Changes { changed: order(changed), staged: order(staged) }
}

fn word(letter: u8) -> Option<&'static str> {
    match letter {
        b'M' => Some("modified"),
        b'T' => Some("type changed"),
        b'A' => Some("added"),
        b'D' => Some("deleted"),
        b'R' => Some("renamed"),
        b'C' => Some("copied"),
        b'?' => Some("not tracked"),
        _ => None,
    }
}

/// A path from the root, as one writes it in the directory `here` below the root.
fn seen_from(here: &Path, path: &str) -> String {
    let target = Path::new(path);
    let shared = here.components().zip(target.components()).take_while(|(one, other)| one == other).count();
    let up = here.components().count() - shared;
    let mut seen: PathBuf = std::iter::repeat_n("..", up).collect();
    seen.extend(target.components().skip(shared));
    let mut seen = seen.into_os_string().into_string().unwrap_or_default();
    // A directory of which nothing is tracked.
    if path.ends_with('/') && !seen.is_empty() {
        seen.push('/');
    }
    // The directory itself, when we are in one of which nothing is tracked.
    if seen.is_empty() { "./".to_owned() } else { seen }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::git_in;

    fn names(items: &[Item]) -> Vec<String> {
        items.iter().map(|item| format!("{} {}", item.name, item.about)).collect()
    }

    fn repository_with(files: &[&str]) -> tempfile::TempDir {
        let temp = tempfile::tempdir().unwrap();
        git_in(temp.path(), &["init", "-q", "-b", "main"]);
        for file in files {
            write(temp.path(), file, "1\n");
        }
        git_in(temp.path(), &["add", "."]);
        git_in(temp.path(), &["commit", "-q", "-m", "first"]);
        temp
    }

    fn write(root: &Path, file: &str, text: &str) {
        std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        std::fs::write(root.join(file), text).unwrap();
    }

    #[test]
    fn files_are_named_as_seen_from_here() {
        let temp = repository_with(&["top", "sub/a b", "sub/gone", "sub/staged"]);
        let root = temp.path();
        for file in ["top", "sub/a b", "sub/staged", "sub/é", "sub/new/x", "other/y"] {
            write(root, file, "2\n");
        }
        std::fs::remove_file(root.join("sub/gone")).unwrap();
        git_in(root, &["add", "sub/staged"]);
        write(root, "sub/staged", "3\n");
        let found = changes(&root.join("sub")).unwrap();
        let expected = [
            "a b modified",
            "gone deleted",
            "staged modified",
            "new/ not tracked",
            "é not tracked",
            "../top modified",
            "../other/ not tracked",
        ];
        assert_eq!(names(&found.changed), expected);
        assert_eq!(names(&found.staged), ["staged modified"]);
        let found = changes(&root.join("sub/new")).unwrap();
        assert!(names(&found.changed).contains(&"./ not tracked".to_owned()));
        assert_eq!(changes(Path::new("/")), None);
    }

    #[test]
    fn nothing_that_a_repository_names_is_run() {
        let temp = repository_with(&["file", ".gitattributes"]);
        let root = temp.path();
        write(root, ".gitattributes", "* filter=trap\n");
        let settings = root.join(".git/config");
        let plain = std::fs::read_to_string(&settings).unwrap();
        let sprung = root.join(".git/sprung");
        let trap = format!("\"touch {}; cat\"", sprung.display());
        for text in [
            format!("[filter \"trap\"]\n clean = {trap}\n required = true\n"),
            format!("[core][FILTER \"trap\"] clean = {trap}\n"),
            format!("[filter.TRAP]\n clean = {trap}\n"),
            format!("[core]\n fsmonitor = {trap}\n"),
        ] {
            std::fs::write(&settings, format!("{plain}{text}")).unwrap();
            // As long as before, so that only its content tells.
            write(root, "file", "2\n");
            assert!(names(&changes(root).unwrap().changed).contains(&"file modified".to_owned()));
            assert!(!sprung.exists(), "{text}");
            git_in(root, &["status"]);
            assert!(sprung.exists(), "git itself springs the trap: {text}");
            std::fs::remove_file(&sprung).unwrap();
        }
        for text in ["[include]\n path = x\n", "[core] [Include] path = x\n", "[filter \"a=b\"]\n clean = x\n"] {
            std::fs::write(&settings, format!("{plain}{text}")).unwrap();
            assert_eq!(changes(root), None, "{text}");
        }
    }

    #[test]
    fn capitals_hide_no_filter() {
        let temp = repository_with(&["file", ".gitattributes"]);
        let root = temp.path();
        write(root, ".gitattributes", "* filter=Trap\n");
        let sprung = root.join(".git/sprung");
        let settings = root.join(".git/config");
        let plain = std::fs::read_to_string(&settings).unwrap();
        let text = format!("{plain}[Filter \"Trap\"]\n clean = \"touch {}; cat\"\n", sprung.display());
        std::fs::write(&settings, text).unwrap();
        write(root, "file", "2\n");
        assert!(names(&changes(root).unwrap().changed).contains(&"file modified".to_owned()));
        assert!(!sprung.exists());
        git_in(root, &["status"]);
        assert!(sprung.exists(), "git itself springs the trap");
    }

    #[test]
    fn the_settings_that_are_looked_at_are_those_that_git_reads() {
        for (named, real) in
            [("gitdir: real \n", "real "), ("gitdir: re\u{fffd}al\n", "re\u{fffd}al"), ("gitdir: \treal\n", "\treal")]
        {
            let temp = repository_with(&["file", ".gitattributes"]);
            let root = temp.path();
            write(root, ".gitattributes", "* filter=trap\n");
            let sprung = root.join("sprung");
            std::fs::rename(root.join(".git"), root.join(real)).unwrap();
            // What it would be taken for.
            write(root, "real/config", "[core]\n bare = false\n");
            write(root, ".git", named);
            let settings = root.join(real).join("config");
            let plain = std::fs::read_to_string(&settings).unwrap();
            let trap = format!("[filter \"trap\"]\n clean = \"touch {}; cat\"\n", sprung.display());
            std::fs::write(&settings, format!("{plain}{trap}")).unwrap();
            write(root, "file", "2\n");
            let found = changes(root);
            assert!(!sprung.exists(), "{named:?}: {found:?}");
            git_in(root, &["status"]);
            assert!(sprung.exists(), "git itself springs the trap: {named:?}");
        }
    }

    #[test]
    fn the_persons_own_filters_stay_unless_the_repository_steers_them() {
        let temp = repository_with(&["file"]);
        let settings = temp.path().join(".git/config");
        let plain = std::fs::read_to_string(&settings).unwrap();
        let left_out = |text: &str| {
            std::fs::write(&settings, format!("{plain}{text}")).unwrap();
            filters(&repository(temp.path()).unwrap())
        };
        assert_eq!(left_out("[lfs]\n\trepositoryformatversion = 0\n"), Some(Vec::new()));
        let steered = "[LFS \"Extension.evil\"]\n clean = evil\n priority = 0\n";
        assert_eq!(left_out(steered), Some(vec!["lfs".to_owned()]));
        std::fs::remove_file(&settings).unwrap();
        assert_eq!(filters(&repository(temp.path()).unwrap()), None, "git would read others");
    }

    #[test]
    fn a_directory_that_poses_as_a_repository_is_not_asked() {
        let temp = repository_with(&["file"]);
        let root = temp.path();
        let sprung = root.join("sprung");
        let bare = root.join("bare");
        std::fs::create_dir(&bare).unwrap();
        git_in(&bare, &["init", "-q", "--bare", "."]);
        let settings = format!("[core]\n bare = false\n worktree = ..\n fsmonitor = touch {}\n", sprung.display());
        std::fs::write(bare.join("config"), settings).unwrap();
        assert_eq!(names(&changes(&bare).unwrap().changed), ["./ not tracked"]);
        assert!(!sprung.exists());
    }
}
