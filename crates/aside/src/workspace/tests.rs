//! Tests of listing and reading the files of a workspace.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use aside_task::run::context::{Ignored, MAX_READ, PickReason, PickedFile};

use super::*;
use crate::exec::git_in;

fn write(root: &Path, file: &str, bytes: impl AsRef<[u8]>) {
    std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
    std::fs::write(root.join(file), bytes).unwrap();
}

fn read(workspace: &Workspace, path: &str) -> anyhow::Result<Vec<u8>> {
    read::read(&rooted_fs::Root::open(workspace.root())?, path)
}

fn fifo(path: &Path) {
    rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
}

fn listed(workspace: &Workspace, named: &[&str]) -> String {
    let named: Vec<String> = named.iter().map(|name| (*name).to_owned()).collect();
    let tree = workspace.tree(&named, &AtomicBool::new(false)).unwrap();
    assert_eq!(tree.note, None);
    let told = |path: &str, ignored| match ignored {
        Ignored::No => path.to_owned(),
        Ignored::Yes => format!("!{path}"),
    };
    tree.listed().iter().map(|listed| told(listed.path, listed.ignored)).collect::<Vec<_>>().join(" ")
}

#[test]
fn files_are_listed_as_git_counts_them() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    git_in(root, &["init", "-q"]);
    for file in [
        "a.rs",
        "x.log",
        "logs/keep.log",
        "logs/other.log",
        "build/deep/b.rs",
        "sub/c.rs",
        "sub/gen.rs",
        "local.txt",
        ".github/ci.yml",
        "drafts/d.md",
        "drafts/e.md",
        "sub/only/here.txt",
    ] {
        write(root, file, "");
    }
    write(root, ".gitignore", "\u{feff}# what is built\n*.log\n!logs/keep.log\n/build/\ndrafts/*\n!drafts/d.md\n");
    write(root, "sub/.gitignore", "gen.rs\n/only\n");
    write(root, ".ignore", "drafts/d.md\n");
    write(root, ".git/info/exclude", "local.txt\n");
    let workspace = Workspace::of(&root.join("sub")).unwrap();
    let all = ".github/ci.yml .gitignore .ignore a.rs !drafts/d.md !drafts/e.md !local.txt logs/keep.log !logs/other.log sub/.gitignore sub/c.rs !sub/gen.rs !x.log";
    assert_eq!(listed(&workspace, &[]), all);
    let named = listed(&workspace, &["build/deep/b.rs", "a.rs", "nothing", "../x", "sub/only/here.txt", ".git/config"]);
    assert_eq!(
        named,
        all.replace("!drafts/d.md", "!build/deep/b.rs !drafts/d.md").replace(" !x.log", " !sub/only/here.txt !x.log")
    );
    // Compares with git itself, which does not read .ignore.
    let of_git = git_in(root, &["ls-files", "-co", "--exclude-standard"]);
    let ours: Vec<String> =
        listed(&workspace, &[]).split(' ').filter(|path| !path.starts_with('!')).map(str::to_owned).collect();
    let mut theirs: Vec<&str> = of_git.lines().filter(|path| *path != "drafts/d.md").collect();
    theirs.sort_unstable();
    assert_eq!(ours, theirs);
}

#[test]
fn nothing_in_a_tree_hangs_or_leads_out() {
    let temp = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    let root = temp.path();
    write(outside.path(), "secret", "a secret");
    write(root, "a/b.rs", "inside");
    fifo(&root.join(".gitignore"));
    fifo(&root.join("pipe"));
    std::os::unix::fs::symlink("/dev/zero", root.join(".ignore")).unwrap();
    std::os::unix::fs::symlink(outside.path(), root.join("out")).unwrap();
    std::os::unix::fs::symlink(root, root.join("a/loop")).unwrap();
    std::os::unix::fs::symlink("a", root.join("within")).unwrap();
    write(root, "two\nlines", "");
    write(root, "hid\u{202e}den", "");
    let workspace = Workspace::of(root).unwrap();
    assert_eq!(listed(&workspace, &["out/secret", "within/b.rs"]), "a/b.rs");
    assert_eq!(read(&workspace, "a/b.rs").unwrap(), b"inside");
    for (path, why) in [
        ("pipe", "pipe is a pipe; only files are read"),
        (".gitignore", ".gitignore is a pipe; only files are read"),
        (".ignore", ".ignore is a symbolic link; only files are read"),
        ("a", "a is a directory; only files are read"),
        ("nothing", "nothing is not there"),
        ("no/thing", "no/thing is not there"),
    ] {
        assert_eq!(read(&workspace, path).unwrap_err().to_string(), why);
    }
    for path in ["out/secret", "within/b.rs", "a/loop/a/b.rs"] {
        let error = read(&workspace, path).unwrap_err().to_string();
        assert!(error.contains(" is behind a "), "{error}");
    }
    for path in ["../x", "/etc/passwd", ".env", "a/../../x", ".git/config", "keys/id_rsa", ""] {
        assert!(
            read(&workspace, path).unwrap_err().to_string().starts_with(&format!("could not read {path}: ")),
            "{path}"
        );
    }
}

#[test]
fn a_long_file_is_read_as_far_as_anybody_looks() {
    let temp = tempfile::tempdir().unwrap();
    write(temp.path(), "long", vec![b'x'; MAX_READ * 2]);
    write(temp.path(), "short", "x");
    let workspace = Workspace::of(temp.path()).unwrap();
    assert_eq!(read(&workspace, "long").unwrap().len(), MAX_READ + 1);
    assert_eq!(read(&workspace, "short").unwrap(), b"x");
    let pick =
        |path: &str| PickedFile { path: path.to_owned(), reason: PickReason::Named, line: 0, name: String::new() };
    let all = workspace.read_all(vec![pick("short"), pick("gone")]).unwrap();
    assert_eq!(all, [(pick("short"), Some(b"x".to_vec())), (pick("gone"), None)]);
}

#[test]
fn names_are_as_somebody_in_the_directory_writes_them() {
    let temp = tempfile::tempdir().unwrap();
    std::fs::create_dir(temp.path().join(".git")).unwrap();
    write(temp.path(), "sub/a.rs", "");
    write(temp.path(), "b.rs", "");
    let workspace = Workspace::of(&temp.path().join("sub")).unwrap();
    assert_eq!(workspace.cwd(), workspace.root().join("sub"));
    let whole = workspace.root().join("b.rs");
    for (written, meant) in [
        ("a.rs", "sub/a.rs"),
        ("./a.rs", "sub/a.rs"),
        ("../b.rs", "b.rs"),
        ("b.rs", "b.rs"),
        ("sub/a.rs", "sub/a.rs"),
        ("../../x", "../../x"),
        ("nothing", "nothing"),
        (whole.to_str().unwrap(), "b.rs"),
        ("/etc/passwd", "/etc/passwd"),
    ] {
        assert_eq!(workspace.named(written), meant);
    }
}

#[test]
fn a_tree_that_is_broken_off_says_so() {
    let temp = tempfile::tempdir().unwrap();
    write(temp.path(), "a", "");
    let workspace = Workspace::of(temp.path()).unwrap();
    let tree = workspace.tree(&[], &AtomicBool::new(true)).unwrap();
    assert_eq!((tree.listed().len(), tree.note.as_deref()), (0, Some("the list of files was broken off")));
}
