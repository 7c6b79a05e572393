//! Tests of what is reported about a command's changes in a workspace.

use rustix::time::{ClockId, clock_gettime};

use super::*;
use crate::exec::git_in;

struct Scene {
    temp: tempfile::TempDir,
}

impl Scene {
    /// A repository, and a home directory beside it.
    fn new() -> Self {
        let scene = Self { temp: tempfile::tempdir().unwrap() };
        for directory in ["home", "outside", "checkout"] {
            std::fs::create_dir(scene.temp.path().join(directory)).unwrap();
        }
        git_in(&scene.at(""), &["init", "-q", "-b", "main"]);
        scene
    }

    fn at(&self, name: &str) -> PathBuf {
        self.temp.path().canonicalize().unwrap().join("checkout").join(name)
    }

    /// Appends to the file.
    fn write(&self, name: &str, text: &str) {
        use std::io::Write;
        let path = self.at(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    /// A minimal git directory.
    fn git_directory(&self, name: &str) {
        self.write(&format!("{name}/HEAD"), "ref: refs/heads/main\n");
        self.write(&format!("{name}/config"), "");
        for directory in ["objects", "refs", "hooks"] {
            std::fs::create_dir_all(self.at(name).join(directory)).unwrap();
        }
    }

    fn look(&self) -> Hooks {
        let home = self.at("../home").into_os_string();
        hooks(&self.at(""), &[("HOME".into(), home)])
    }

    /// What is reported about this command.
    fn told(&self, command: impl FnOnce(&Self)) -> Vec<String> {
        let before = self.look();
        command(self);
        let told = report(&before, &self.look());
        let name = |told: &String| {
            let name = told
                .strip_prefix("it changed ")
                .and_then(|told| told.strip_suffix(", by which git may run commands later"));
            name.unwrap_or(told).to_owned()
        };
        told.iter().map(name).collect()
    }
}

/// Name, files that exist before, and the file that the command changes.
type Case = (&'static str, &'static [(&'static str, &'static str)], &'static str);

const TOLD: &[Case] = &[
    ("a hook", &[], ".git/hooks/pre-commit"),
    ("a hook that was there", &[(".git/hooks/pre-commit", "")], ".git/hooks/pre-commit"),
    ("the configuration", &[], ".git/config"),
    ("that of the worktree", &[], ".git/config.worktree"),
    ("attributes", &[], ".git/info/attributes"),
    ("a file that is not known", &[], ".git/new"),
    ("an include above", &[(".git/config", "[include]\npath = ../.gitconfig\n"), (".gitconfig", "")], ".gitconfig"),
    ("an include that was not there", &[(".git/config", "[include]\npath = ../.gitconfig\n")], ".gitconfig"),
    (
        "an include of an include",
        &[(".git/config", "[include]\npath = ../a/one\n"), ("a/one", "[include]\npath=two\n"), ("a/two", "")],
        "a/two",
    ),
    ("an include on one line", &[(".git/config", "[include] path = ../inc\n")], "inc"),
    ("an include with a comment", &[(".git/config", "[include]\npath = ../inc ; mine\n")], "inc"),
    ("an include in quotes", &[(".git/config", "[include]\npath = \"../a b#c\" # mine\n")], "a b#c"),
    ("an include on a condition", &[(".git/config", "[includeIf \"onbranch:x\"]\npath = ../inc\n")], "inc"),
    ("an include over two lines", &[(".git/config", "[include]\npath = ../i\\\nnc\n")], "inc"),
    ("an include of the user", &[("../home/.gitconfig", "[include]\npath = ../checkout/inc\n")], "inc"),
    ("an include from home", &[(".git/config", "[include]\npath = ~/../checkout/inc\n")], "inc"),
    ("hooks elsewhere", &[(".git/config", "[core] hooksPath = .hooks\n")], ".hooks/pre-commit"),
    (
        "hooks by the user's configuration",
        &[("../home/.gitconfig", "[core]\nhooksPath = tools/h\n")],
        "tools/h/pre-push",
    ),
    (
        "hooks by the user's other one",
        &[("../home/.config/git/config", "[core]\nhooksPath=x\n"), ("x/y", "")],
        "x/pre-push",
    ),
    (
        "what husky's hooks call",
        &[
            (".git/config", "[core]\nhooksPath = web/.husky/_\n"),
            ("web/.husky/_/h", ". \"$0\""),
            ("web/.husky/pre-commit", ""),
        ],
        "web/.husky/pre-commit",
    ),
    ("husky", &[(".husky/_/h", "")], ".husky/pre-commit"),
    (
        "what a hook calls",
        &[(".git/hooks/pre-commit", "exec ./tools/lint.sh --all\n"), ("tools/lint.sh", "")],
        "tools/lint.sh",
    ),
    (
        "what a hook calls from the top",
        &[(".git/hooks/pre-commit", "\"$(git rev-parse --show-toplevel)/tools/lint.sh\"\n")],
        "tools/lint.sh",
    ),
    (
        "what a hook reads",
        &[(".git/config", "[core]\nhooksPath=h\n"), ("h/pre-commit", ". $(dirname \"$0\")/../lib/common.sh\n")],
        "lib/common.sh",
    ),
    ("a manager of hooks", &[], "lefthook.yml"),
    ("a monitor", &[(".git/config", "[core]\nfsmonitor = ./tools/fsm\n"), ("tools/fsm", "")], "tools/fsm"),
    ("a monitor whose name has a blank", &[(".git/config", "[core]\nfsmonitor = \"a b\"\n"), ("a b", "")], "a b"),
    ("a filter", &[(".git/config", "[filter \"x\"]\nclean = node tools/clean.js %f\n")], "tools/clean.js"),
    ("an alias", &[(".git/config", "[alias]\nx = !sh -c 'tools/x.sh \"$@\"'\n"), ("tools/x.sh", "")], "tools/x.sh"),
    ("a setting of no known program", &[(".git/config", "[frob \"a\"]\nrun = tools/f\n"), ("tools/f", "")], "tools/f"),
    ("a rebase", &[(".git/rebase-merge/git-rebase-todo", "pick")], ".git/rebase-merge/git-rebase-todo"),
    ("another worktree's", &[(".git/worktrees/w/HEAD", "x")], ".git/worktrees/w/config.worktree"),
];

#[test]
fn what_git_may_run_commands_by_is_told() {
    for (name, before, changed) in TOLD {
        let scene = Scene::new();
        for (file, text) in *before {
            scene.write(file, text);
        }
        let told = scene.told(|scene| scene.write(changed, "#"));
        // For a new directory, only that is reported.
        let is_told = |told: &String| Path::new(changed).starts_with(told);
        assert!(told.len() == 1 && told.iter().all(is_told), "{name}: {told:?}");
    }
}

#[test]
fn what_git_stores_is_not_told() {
    let scene = Scene::new();
    scene.write("a", "1\n");
    git_in(&scene.at(""), &["add", "."]);
    git_in(&scene.at(""), &["commit", "-q", "-m", "one"]);
    let told = scene.told(|scene| {
        let root = scene.at("");
        scene.write("a", "2\n");
        scene.write("src/main.rs", "fn main() {}\n");
        for args in [
            &["add", "."][..],
            &["commit", "-q", "-m", "two"],
            &["switch", "-q", "-c", "topic"],
            &["tag", "v1"],
            &["commit", "-q", "--allow-empty", "-m", "three"],
            &["switch", "-q", "main"],
            &["merge", "-q", "--no-ff", "--no-edit", "topic"],
            &["reset", "-q", "--hard", "HEAD~1"],
            &["cherry-pick", "--allow-empty", "topic"],
            &["rebase", "-q", "topic"],
            &["gc", "-q"],
            &["pack-refs", "--all"],
            &["notes", "add", "-m", "x"],
            &["update-index", "--split-index"],
        ] {
            git_in(&root, args);
        }
        scene.write("a", "4\n");
        git_in(&root, &["stash"]);
    });
    assert_eq!(told, Vec::<String>::new());
}

#[test]
fn git_directories_are_found_wherever_they_are() {
    type Place<'a> = (&'a str, &'a dyn Fn(&Scene));
    let places: [Place<'_>; 8] = [
        (".git/modules/libs/foo", &|_| {}),
        (".git/modules/a/modules/objects/b", &|scene| scene.git_directory(".git/modules/a")),
        (".git/worktrees/w", &|_| {}),
        ("sub/deep/er/.git", &|_| {}),
        ("store/project", &|_| {}),
        (".bare", &|scene| {
            std::fs::remove_dir_all(scene.at(".git")).unwrap();
            scene.write(".git", "gitdir: ./.bare\n");
        }),
        ("deep/a/b/c/d/e/f/g/bare", &|scene| scene.write("x/.git", "gitdir: ../deep/a/b/c/d/e/f/g/bare\n")),
        ("deep/a/b/c/d/e/f/g/common", &|scene| {
            scene.git_directory("linked");
            scene.write("linked/commondir", "../deep/a/b/c/d/e/f/g/common\n");
        }),
    ];
    for (place, before) in places {
        let scene = Scene::new();
        before(&scene);
        assert_eq!(scene.told(|scene| scene.git_directory(place)).len(), 1, "it is new: {place}");
        for file in ["hooks/post-commit", "config"] {
            let file = format!("{place}/{file}");
            assert_eq!(scene.told(|scene| scene.write(&file, "#")), std::slice::from_ref(&file));
        }
        let hook = format!("{place}/hooks/post-commit");
        scene.write(&hook, "sh run.sh");
        assert_eq!(scene.told(|scene| scene.write(&format!("{place}/run.sh"), "#")), [format!("{place}/run.sh")]);
        for file in ["HEAD", "index", "objects/aa", "refs/heads/x"] {
            let told = scene.told(|scene| scene.write(&format!("{place}/{file}"), "#"));
            assert_eq!(told, Vec::<String>::new(), "{place}/{file}");
        }
    }
}

#[test]
fn links_are_followed_and_a_new_target_is_told() {
    use std::os::unix::fs::symlink;
    let scene = Scene::new();
    scene.write("tools/hook", "");
    scene.write("../outside/evil", "");
    scene.write("hooks/pre-push", "sh scripts/run");
    scene.write("scripts/run", "");
    symlink("../../tools/hook", scene.at(".git/hooks/pre-commit")).unwrap();
    std::fs::remove_dir_all(scene.at(".git/info")).unwrap();
    symlink("../infos", scene.at(".git/info")).unwrap();
    std::fs::create_dir(scene.at("infos")).unwrap();
    scene.write(".git/config", "[core]\nhooksPath = hooks\n");
    assert_eq!(scene.told(|scene| scene.write("tools/hook", "#")), [".git/hooks/pre-commit"]);
    assert_eq!(scene.told(|scene| scene.write("infos/attributes", "#")), ["infos/attributes"]);
    // The hook now calls another file by the same name.
    let told = scene.told(|scene| {
        std::fs::rename(scene.at("scripts"), scene.at("old")).unwrap();
        symlink("../outside", scene.at("scripts")).unwrap();
        scene.write("../outside/run", "#");
    });
    assert_eq!(told, ["scripts/run"]);
    // The user's configuration is a link into the workspace.
    scene.write("dotfiles/gitconfig", "");
    symlink(scene.at("dotfiles/gitconfig"), scene.at("../home/.gitconfig")).unwrap();
    let told = scene.told(|scene| scene.write("dotfiles/gitconfig", "#"));
    assert!(told.len() == 1 && told[0].ends_with("home/.gitconfig"), "{told:?}");
}

#[test]
fn names_of_any_kind_are_told_and_spelled_out() {
    use std::os::unix::ffi::OsStrExt;
    let scene = Scene::new();
    let told = scene.told(|scene| {
        let name = std::ffi::OsStr::from_bytes(b"pre\xff\nexit 0\x1b[2J");
        std::fs::write(scene.at(".git/hooks").join(name), "").unwrap();
    });
    assert!(told.len() == 1 && !told[0].contains(['\n', '\x1b']), "{told:?}");
}

#[test]
fn many_changes_are_counted_and_what_is_beyond_the_bounds_is_told() {
    let scene = Scene::new();
    let told = scene.told(|scene| (0..9).for_each(|number| scene.write(&format!(".git/hooks/{number}"), "")));
    assert_eq!(told.len(), 6);
    assert_eq!(told[5], "4 other files");
    let cut = "not all files by which git may run commands later could be looked at; some may have changed";
    let told = scene.told(|scene| {
        (0..MAX_WATCHED)
            .for_each(|number| std::fs::write(scene.at(".git/hooks").join(format!("x{number}")), "").unwrap());
    });
    assert_eq!(told.last().map(String::as_str), Some(cut));
    std::fs::remove_dir_all(scene.at(".git/hooks")).unwrap();
    assert_eq!(scene.told(|scene| scene.write(".git/long", "")), [".git/long"]);
    scene.write(".git/config", &format!("#{}\n", "x".repeat(2_000_000)));
    assert_eq!(scene.told(|_| {}), [cut]);
}

/// Compared to the CPU time of a plain walk over the same files in the same run, since machines and builds differ.
#[test]
fn it_takes_little_time() {
    let scene = Scene::new();
    for number in 0..2_000 {
        scene.write(&format!("src/{}/{number}.rs", number % 200), "");
    }
    let now = || std::time::Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap();
    let least = |work: &dyn Fn()| {
        let time = || {
            let start = now();
            work();
            now() - start
        };
        (0..5).map(|_| time()).min().unwrap()
    };
    let look = least(&|| drop(scene.look()));
    let walk = least(&|| assert!(walked(&scene.at("")) > 2_000));
    assert!(look < walk * 5, "{look:?}, and a walk {walk:?}");
}

/// How many entries there are under this directory.
fn walked(directory: &Path) -> usize {
    let entries = std::fs::read_dir(directory).unwrap().map(Result::unwrap);
    entries.map(|entry| 1 + if entry.metadata().unwrap().is_dir() { walked(&entry.path()) } else { 0 }).sum()
}
