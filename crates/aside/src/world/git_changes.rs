//! Which files of a repository changed, according to git.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use aside_commands::world::LiveItem;
use regex::Regex;

use crate::exec::git::{Filters, Question};
use crate::exec::{Probe, probe};
use crate::world::read::{MAX_BYTES, item};
use crate::world::repository::{Repository, repository};

/// The changed files, by what they differ from. Names are relative to the directory.
#[derive(Debug, PartialEq, Eq)]
pub struct Changes {
    /// Differs from the index, or is not in it.
    pub changed: Vec<LiveItem>,
    /// In the index, differs from the last commit.
    pub staged: Vec<LiveItem>,
}

pub fn changes(directory: &Path) -> Option<Changes> {
    // Git resolves links before it looks for the repository, and must find the one whose settings were read.
    let directory = directory.canonicalize().ok()?;
    let repository = repository(&directory)?;
    let question = Question::Status { filters: &filters(&repository) };
    let status = probe(&Probe::Git { root: &repository.root, question })?;
    Some(sorted(&status, directory.strip_prefix(&repository.root).ok()?))
}

/// The filters that the repository's configuration defines, as far as it can be read here: git would run them. This alone would not make it
/// safe to run git, see `exec::git`.
pub fn filters(repository: &Repository) -> Filters {
    let shared = repository.common.join("config");
    let mut filters = Filters { names: Vec::new(), are_all: true };
    for file in [&shared, &repository.git.join("config.worktree")] {
        let settings = match read_whole(file) {
            Ok(Some(settings)) => settings.replace('\0', ""),
            // Git writes one into every repository: without it, git reads another one.
            Ok(None) => {
                filters.are_all &= *file != shared;
                continue;
            }
            Err(_) => {
                filters.are_all = false;
                continue;
            }
        };
        for section in settings.split('[').skip(1) {
            filters.are_all &= add_filters(section, &mut filters.names);
        }
    }
    if !filters.are_all {
        // Git itself reads all of it, and listing runs nothing.
        let listed = probe(&Probe::Git { root: &repository.root, question: Question::Filters });
        filters.names.extend(listed_filters(&listed.unwrap_or_default()));
    }
    filters
}

/// Filter names from git's list of scope and setting, as far as they can be spelled in an argument.
fn listed_filters(listed: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut entries = listed.split_terminator('\0');
    while let (Some(_scope), Some(setting)) = (entries.next(), entries.next()) {
        let Some((name, _)) = setting.strip_prefix("filter.").and_then(|rest| rest.rsplit_once('.')) else { continue };
        let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        if is_plain && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Adds the filters of a section, which may begin anywhere in a line. Returns whether all of it was understood.
fn add_filters(section: &str, names: &mut Vec<String>) -> bool {
    static NAMED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#"^(?i:filter)(?:[ \t]+"([\w-]+)"|\.([\w-]+))\]"#).unwrap());
    let begins = |word: &str| section.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    if begins("include") {
        return false;
    }
    if begins("filter") {
        let Some(named) = NAMED.captures(section) else { return false };
        // Quoted names are case-sensitive; git lower-cases those behind a dot.
        let quoted = named.get(1).map(|name| name.as_str().to_owned());
        names.extend(quoted.or_else(|| named.get(2).map(|name| name.as_str().to_ascii_lowercase())));
    }
    true
}

/// `None` when there is no such file; an error when it exceeds the cap, or is no regular file.
fn read_whole(file: &Path) -> std::io::Result<Option<String>> {
    use std::io::{Error, ErrorKind, Read};
    use std::os::unix::fs::OpenOptionsExt;
    // A FIFO in its place must not block. Follows a link, as git does.
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let opened = match std::fs::File::options().read(true).custom_flags(flags).open(file) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        opened => opened?,
    };
    if !opened.metadata()?.is_file() {
        return Err(Error::other("it is no file"));
    }
    let mut bytes = Vec::new();
    opened.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Error::other("it is too long"));
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Parses entries of two letters, a blank and a path from the root, each ended by a NUL.
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
    // Files here before those elsewhere, tracked before untracked.
    let order = |mut items: Vec<(u8, LiveItem)>| {
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

/// A path from the root, relative to the directory `here` below the root.
fn seen_from(here: &Path, path: &str) -> String {
    let target = Path::new(path);
    let shared = here.components().zip(target.components()).take_while(|(one, other)| one == other).count();
    let up = here.components().count() - shared;
    let mut seen: PathBuf = std::iter::repeat_n("..", up).collect();
    seen.extend(target.components().skip(shared));
    let mut seen = seen.into_os_string().into_string().unwrap_or_default();
    // A directory without tracked files.
    if path.ends_with('/') && !seen.is_empty() {
        seen.push('/');
    }
    // The current directory itself, when it has no tracked files.
    if seen.is_empty() { "./".to_owned() } else { seen }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::{git_in, git_may_fail};

    fn names(items: &[LiveItem]) -> Vec<String> {
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
            // As long as before, so that only the content differs.
            write(root, "file", "2\n");
            assert!(names(&changes(root).unwrap().changed).contains(&"file modified".to_owned()));
            assert!(!sprung.exists(), "{text}");
            git_in(root, &["status"]);
            assert!(sprung.exists(), "git itself springs the trap: {text}");
            std::fs::remove_file(&sprung).unwrap();
        }
    }

    /// The sandbox lets git start, under any name.
    #[test]
    fn a_filter_that_is_git_under_another_name_is_not_run() {
        let temp = repository_with(&["file", ".gitattributes"]);
        let root = temp.path();
        let git = crate::exec::find("git").unwrap().canonicalize().unwrap();
        let filter = root.join(".git/git-stripspace");
        std::os::unix::fs::symlink(git, &filter).unwrap();
        write(root, ".gitattributes", "file filter=tr=ap\n");
        let settings = root.join(".git/config");
        let plain = std::fs::read_to_string(&settings).unwrap();
        std::fs::write(&settings, format!("{plain}[filter \"tr=ap\"]\n clean = {}\n", filter.display())).unwrap();
        // The filter turns it into what was committed.
        write(root, "file", "1 ");
        assert!(names(&changes(root).unwrap().changed).contains(&"file modified".to_owned()));
        assert!(!git_in(root, &["status", "--porcelain"]).contains(" file"), "git itself runs it");
    }

    /// The section that defines the trap is where a quick scan does not see it.
    #[test]
    fn a_filter_is_not_run_wherever_the_configuration_hides_it() {
        let temp = repository_with(&["file", ".gitattributes"]);
        let root = temp.path();
        write(root, ".gitattributes", "* filter=trap filter=tr=ap\n");
        let settings = root.join(".git/config");
        let plain = std::fs::read_to_string(&settings).unwrap();
        let sprung = root.join(".git/sprung");
        let trap = |name: &str| {
            // In the sandbox it could not write; but the file would then appear unchanged if the filter had run.
            let run = format!("\"touch {}; echo 1\"", sprung.display());
            format!("[filter \"{name}\"]\n clean = {run}\n process = {run}\n smudge = {run}\n required = true\n")
        };
        let long = format!("{plain}{}{}", "# nothing\n".repeat(200_000), trap("trap"));
        let hides: [(&str, &dyn Fn()); 8] = [
            ("behind a megabyte", &|| std::fs::write(&settings, &long).unwrap()),
            ("behind a link to a long file", &|| {
                write(root, "long", &long);
                std::os::unix::fs::symlink("../long", &settings).unwrap();
            }),
            ("in a file that it includes", &|| {
                write(root, ".git/more", &trap("trap"));
                std::fs::write(&settings, format!("{plain}[include]\n path = more\n")).unwrap();
            }),
            ("in a file that it includes if", &|| {
                write(root, ".git/more", &trap("trap"));
                std::fs::write(&settings, format!("{plain}[includeIf \"gitdir:**\"]\n path = more\n")).unwrap();
            }),
            ("under a name that cannot be switched off", &|| {
                write(root, ".gitattributes", "* filter=tr=ap\n");
                std::fs::write(&settings, format!("{plain}{}", trap("tr=ap"))).unwrap();
            }),
            ("in the configuration of the worktree", &|| {
                write(root, ".git/config.worktree", &trap("trap"));
                std::fs::write(&settings, format!("{plain}[extensions]\n worktreeConfig = true\n")).unwrap();
            }),
            ("behind a continued line", &|| {
                let text = trap("trap").replace("clean =", "clean =\\\n");
                std::fs::write(&settings, format!("{plain}{text}")).unwrap();
            }),
            ("as a program without arguments", &|| {
                let program = root.join("spring");
                write(root, "spring", &format!("#!/bin/sh\ntouch {}\necho 1\n", sprung.display()));
                std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
                let text = trap("trap")
                    .replace(&format!("\"touch {}; echo 1\"", sprung.display()), &program.display().to_string());
                std::fs::write(&settings, format!("{plain}{text}")).unwrap();
            }),
        ];
        for (way, hide) in hides {
            let _ = std::fs::remove_file(&settings);
            let _ = std::fs::remove_file(root.join(".git/config.worktree"));
            write(root, ".gitattributes", "* filter=trap\n");
            std::fs::write(&settings, &plain).unwrap();
            if way.contains("link") {
                std::fs::remove_file(&settings).unwrap();
            }
            hide();
            write(root, "file", "2\n");
            // On a busy machine git sometimes exceeds the timeout.
            let found = (0..5).find_map(|_| changes(root));
            let workspace = crate::workspace::Workspace::of(root).unwrap();
            let facts = workspace.git();
            let change = workspace.change(&aside_task::run::review::target::ReviewTarget::Now, &[]);
            assert!(!sprung.exists(), "{way}: {found:?} {facts:?} {change:?}");
            let is_seen = |found: &Changes| names(&found.changed).contains(&"file modified".to_owned());
            assert!(found.as_ref().is_none_or(is_seen), "{way}: {found:?}");
            assert!(found.is_some() || way.contains("cannot be switched off"), "{way}");
            let _ = git_may_fail(root, &["status"]);
            assert!(sprung.exists(), "git itself springs the trap: {way}");
            std::fs::remove_file(&sprung).unwrap();
        }
    }

    #[test]
    fn filters_are_read_out_of_what_git_lists() {
        let listed = "local\0filter.trap.clean\0worktree\0filter.trap.smudge\0global\0filter.own.clean\0command\0filter.b.process\0";
        assert_eq!(listed_filters(listed), ["trap", "own", "b"]);
        assert_eq!(listed_filters("local\0lfs.extension.x.clean\0local\0filter.a=b.clean\0local\0"), [""; 0]);
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
            // What it could be mistaken for.
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
    fn filters_are_found_and_what_cannot_be_read_is_noted() {
        let temp = repository_with(&["file"]);
        let settings = temp.path().join(".git/config");
        let plain = std::fs::read_to_string(&settings).unwrap();
        let left_out = |text: &str| {
            std::fs::write(&settings, format!("{plain}{text}")).unwrap();
            filters(&repository(temp.path()).unwrap())
        };
        let known =
            |names: &[&str]| Filters { names: names.iter().map(|name| (*name).to_owned()).collect(), are_all: true };
        assert_eq!(left_out("[lfs]\n\trepositoryformatversion = 0\n"), known(&[]));
        assert_eq!(left_out("[filter \"a\"]\n clean = x\n[core] [filter.B]\n clean = y\n"), known(&["a", "b"]));
        for unclear in ["[include]\n path = x\n", "[core] [Include] path = x\n", "[filter \"a=b\"]\n clean = x\n"] {
            assert!(!left_out(unclear).are_all, "{unclear}");
        }
        std::fs::remove_file(&settings).unwrap();
        assert!(!filters(&repository(temp.path()).unwrap()).are_all, "git would read others");
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
