//! Tests with ordinary repositories, and with hostile ones that try to run something.

use std::path::Path;

use super::*;
use crate::exec::git_in;

fn write(root: &Path, file: &str, text: &str) {
    std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
    std::fs::write(root.join(file), text).unwrap();
}

fn commit(root: &Path, title: &str) {
    git_in(root, &["add", "-A"]);
    git_in(root, &["commit", "-q", "-m", title]);
}

/// Two commits on main.
fn repository() -> (tempfile::TempDir, Workspace) {
    let temp = tempfile::tempdir().unwrap();
    git_in(temp.path(), &["init", "-q", "-b", "main"]);
    write(temp.path(), "src/a.rs", "one\n");
    write(temp.path(), "b.txt", "b\n");
    commit(temp.path(), "first");
    write(temp.path(), "src/a.rs", "one\ntwo\n");
    commit(temp.path(), "second");
    let workspace = Workspace::of(temp.path()).unwrap();
    (temp, workspace)
}

/// The added and removed lines, and the notes.
fn changed(workspace: &Workspace, what: &ReviewTarget, paths: &[&str]) -> String {
    let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
    let change = match workspace.change(what, &paths) {
        Ok(change) => change,
        Err(error) => return format!("{error:#}"),
    };
    let is_row = |line: &&str| (line.starts_with(['+', '-'])) && !line.starts_with("+++") && !line.starts_with("---");
    let rows: Vec<&str> = change.diff.lines().filter(is_row).collect();
    // The author is fixed but the time is not, so commit ids vary and are removed.
    let notes = change.notes.iter().map(|note| {
        match note.english.strip_prefix("commit ").and_then(|note| note.split_once(": ")) {
            Some((_, title)) => format!("({title})"),
            None => format!("({})", note.english),
        }
    });
    [vec![format!("{}:", change.of.english)], rows.iter().map(|row| (*row).to_owned()).collect(), notes.collect()]
        .concat()
        .join(" ")
}

fn branch(of: Option<&str>, against: Option<&str>) -> ReviewTarget {
    ReviewTarget::Branch { of: of.map(str::to_owned), against: against.map(str::to_owned) }
}

#[test]
fn what_has_changed_is_told() {
    let (temp, workspace) = repository();
    assert_eq!(
        workspace.git(),
        Facts { branch: "main".to_owned(), text: "branch main\n".to_owned(), ..Facts::default() }
    );
    write(temp.path(), "b.txt", "c\n");
    write(temp.path(), "new/x.rs", "x\n");
    write(temp.path(), ".env", "TOKEN=1\n");
    write(temp.path(), "src/a.rs", "two\n");
    git_in(temp.path(), &["add", "src/a.rs"]);
    let facts = workspace.git();
    assert_eq!(facts.changed, ["b.txt", "src/a.rs", "new/x.rs"]);
    assert_eq!(facts.text, "branch main\n M b.txt\nM  src/a.rs\n?? .env\n?? new/x.rs\n");
    git_in(temp.path(), &["checkout", "-q", "--detach"]);
    assert_eq!(workspace.git().branch, "");
}

#[test]
fn every_sort_of_change_can_be_looked_at() {
    let (temp, workspace) = repository();
    let root = temp.path();
    assert_eq!(changed(&workspace, &ReviewTarget::Last(1), &[]), "the last commit: +two (second)");
    assert_eq!(changed(&workspace, &ReviewTarget::Last(9), &[]), "the last 9 commits: +b +one +two (second) (first)");
    assert_eq!(changed(&workspace, &ReviewTarget::Commit("HEAD^".to_owned()), &[]), "commit HEAD^: +b +one (first)");
    git_in(root, &["checkout", "-q", "-b", "fix/it"]);
    write(root, "b.txt", "c\n");
    commit(root, "third");
    git_in(root, &["checkout", "-q", "main"]);
    write(root, "c.txt", "elsewhere\n");
    commit(root, "fourth");
    git_in(root, &["tag", "v1.0"]);
    let fork = "fix/it since it left main: -b +c (third)";
    assert_eq!(changed(&workspace, &branch(Some("fix/it"), None), &[]), fork);
    git_in(root, &["checkout", "-q", "fix/it"]);
    assert_eq!(changed(&workspace, &branch(None, Some("v1.0")), &[]), "this branch since it left v1.0: -b +c (third)");
    let range = ReviewTarget::Range("v1.0".to_owned(), "fix/it".to_owned());
    assert_eq!(changed(&workspace, &range, &[]), "v1.0 to fix/it: -b +c -elsewhere (third)");
    write(root, "b.txt", "d\n");
    write(root, "src/a.rs", "three\n");
    write(root, "src/new.rs", "fresh\n");
    git_in(root, &["add", "b.txt"]);
    assert_eq!(changed(&workspace, &ReviewTarget::Staged, &[]), "what is staged against the last commit: -c +d");
    let new = "+fresh (src/new.rs is new and not tracked; it is looked at as if it were added)";
    let now = "the working tree against the last commit:";
    assert_eq!(changed(&workspace, &ReviewTarget::Now, &[]), format!("{now} -c +d -one -two +three {new}"));
    assert_eq!(changed(&workspace, &ReviewTarget::Now, &["b.txt"]), format!("{now} -c +d"));
    assert_eq!(changed(&workspace, &ReviewTarget::Now, &["src"]), format!("{now} -one -two +three {new}"));
    assert!(changed(&workspace, &branch(None, None), &[]).ends_with("(what is not committed yet is not part of it)"));
}

#[test]
fn what_is_in_new_files_is_looked_at_within_limits_and_never_what_is_denied() {
    let (temp, workspace) = repository();
    let root = temp.path();
    write(root, ".gitignore", "*.log\n");
    commit(root, "ignore");
    write(root, "a.log", "ignored\n");
    write(root, ".env", "TOKEN=hunter2\n");
    write(root, "long.txt", &"a line\n".repeat(5000));
    write(root, "bin.dat", "\0\0");
    std::os::unix::fs::symlink("/etc/passwd", root.join("link")).unwrap();
    for number in 0..15 {
        write(root, &format!("many/{number:02}.txt"), "x\n");
    }
    let change = workspace.change(&ReviewTarget::Now, &[]).unwrap();
    assert!(!change.diff.contains("hunter2") && !change.diff.contains("ignored") && !change.diff.contains("root:"));
    assert!(
        change.diff.contains("+++ b/.env\n") && change.diff.contains("Binary files /dev/null and b/bin.dat differ")
    );
    assert!(change.diff.len() < 20_000, "{}", change.diff.len());
    assert!(change.notes.iter().any(|note| note.english.starts_with("only the first ")
        && note.english.ends_with(" lines of long.txt were looked at")));
    assert!(
        change.notes.iter().any(|note| note.english.starts_with("what is in .env is left out")),
        "{:?}",
        change.notes
    );
    assert!(
        change.notes.iter().any(|note| note.english == "link is new and not tracked, and was not looked at"),
        "{:?}",
        change.notes
    );
    assert_eq!(change.diff.matches("+x\n").count(), 8, "ten files are read");
    // A diff of staged changes does not include them.
    assert_eq!(workspace.change(&ReviewTarget::Staged, &[]).unwrap().diff, "");
}

#[test]
fn before_the_first_commit_everything_is_new() {
    let temp = tempfile::tempdir().unwrap();
    git_in(temp.path(), &["init", "-q", "-b", "main"]);
    write(temp.path(), "a", "one\n");
    git_in(temp.path(), &["add", "a"]);
    let workspace = Workspace::of(temp.path()).unwrap();
    assert_eq!(workspace.git().branch, "main");
    let told = "the working tree against the last commit: +one (nothing has been committed yet)";
    assert_eq!(changed(&workspace, &ReviewTarget::Now, &[]), told);
    assert_eq!(changed(&workspace, &ReviewTarget::Last(1), &[]), "nothing has been committed yet");
}

#[test]
fn what_cannot_be_compared_is_said() {
    let (temp, workspace) = repository();
    let root = temp.path();
    for name in
        ["nowhere", "--output=x", "-S", ":/first", "HEAD:b.txt", "a b", "", "main..fix", "^main", "$(touch x)", "`x`"]
    {
        let said = changed(&workspace, &ReviewTarget::Commit(name.to_owned()), &[]);
        assert_eq!(said, format!("there is no branch, tag or commit {name}"));
    }
    assert!(!root.join("x").exists());
    git_in(root, &["branch", "-m", "main", "odd"]);
    assert_eq!(
        changed(&workspace, &branch(None, None), &[]),
        "which branch is the main one cannot be told; say against which one"
    );
    for path in ["../x", "/etc/passwd", ".env", ":(top)b.txt/..", ".git/config"] {
        let said = changed(&workspace, &ReviewTarget::Now, &[path]);
        assert_eq!(said, "none of these files is one that may be looked at", "{path}");
    }
    // Names that look like a pattern or an option to git are only names.
    write(root, "b.txt", "c\n");
    for path in ["*", ":!src", "--output=x"] {
        assert_eq!(
            changed(&workspace, &ReviewTarget::Now, &[path]),
            "the working tree against the last commit:",
            "{path}"
        );
    }
    std::fs::write(root.join(".git/HEAD"), "broken").unwrap();
    assert!(
        changed(&workspace, &ReviewTarget::Now, &[])
            .starts_with("could not ask git: git did not answer; `git status` in ")
    );
    assert!(workspace.git().note.is_some());
    let none = tempfile::tempdir().unwrap();
    let outside = Workspace::of(none.path()).unwrap();
    assert!(outside.git().note.unwrap().contains("is no git repository"));
}

#[test]
fn the_contents_of_denied_files_are_in_no_diff() {
    let (temp, workspace) = repository();
    write(temp.path(), "config/.env", "TOKEN=one\n");
    write(temp.path(), "keys/id_rsa", "secret\n");
    commit(temp.path(), "third");
    let change = workspace.change(&ReviewTarget::Last(1), &[]).unwrap();
    assert!(!change.diff.contains("TOKEN") && !change.diff.contains("secret"), "{}", change.diff);
    assert!(
        change.notes.iter().any(|note| note.english.starts_with("what is in config/.env is left out")),
        "{:?}",
        change.notes
    );
    write(temp.path(), "config/.env", "TOKEN=two\n");
    assert!(!workspace.change(&ReviewTarget::Now, &[]).unwrap().diff.contains("TOKEN"));
}

#[test]
fn nothing_that_a_repository_names_is_run() {
    let (temp, workspace) = repository();
    let root = temp.path();
    write(root, ".gitattributes", "* filter=trap diff=trap\n");
    commit(root, "attributes");
    let settings = root.join(".git/config");
    let plain = std::fs::read_to_string(&settings).unwrap();
    let sprung = root.join(".git/sprung");
    let trap = format!("\"touch {}; cat #\"", sprung.display());
    let hook = root.join(".git/hooks/post-index-change");
    write(root, ".git/hooks/post-index-change", &format!("#!/bin/sh\ntouch {}\n", sprung.display()));
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    write(root, ".git/more", &format!("[filter \"trap\"]\n clean = {trap}\n process = {trap}\n"));
    let all = [
        format!("[filter \"trap\"]\n clean = {trap}\n smudge = {trap}\n required = true\n"),
        format!("[filter \"trap\"]\n process = {trap}\n"),
        format!("[diff]\n external = {trap}\n"),
        format!("[diff \"trap\"]\n command = {trap}\n textconv = {trap}\n"),
        format!("[core]\n fsmonitor = {trap}\n pager = {trap}\n"),
        format!("[pager]\n diff = {trap}\n status = {trap}\n[core]\n editor = {trap}\n sshCommand = {trap}\n"),
        format!("[alias]\n diff = !{trap}\n status = !{trap}\n"),
        "[include]\n path = more\n".to_owned(),
        format!("[log]\n showSignature = true\n[gpg]\n program = {trap}\n"),
        format!(
            "[remote \"o\"]\n promisor = true\n url = \"ext::sh -c {}\"\n[extensions]\n partialClone = o\n",
            trap.trim_matches('"')
        ),
        format!("[core]\n hooksPath = {}\n", root.join(".git/hooks").display()),
    ];
    let mut works = 0;
    for text in all {
        std::fs::write(&settings, format!("{plain}{text}")).unwrap();
        write(root, "src/a.rs", "six\n");
        for what in [
            ReviewTarget::Now,
            ReviewTarget::Staged,
            ReviewTarget::Last(1),
            ReviewTarget::Last(2),
            branch(None, Some("main")),
        ] {
            let said = changed(&workspace, &what, &[]);
            assert!(!sprung.exists(), "{text}: {said}");
            works += usize::from(said.contains("-one"));
        }
        assert!(workspace.git().changed.contains(&"src/a.rs".to_owned()), "{text}: {:?}", workspace.git());
        assert!(!sprung.exists(), "{text}");
    }
    assert!(works >= 11, "the change is seen all the same");
    std::fs::write(&settings, format!("{plain}[diff]\n external = {trap}\n")).unwrap();
    let _ = git_in(root, &["diff"]);
    assert!(sprung.exists(), "git itself springs the trap");
}

#[test]
fn settings_do_not_lead_out_of_the_workspace() {
    let (temp, workspace) = repository();
    let elsewhere = tempfile::tempdir().unwrap();
    write(elsewhere.path(), "b.txt", "a secret\n");
    git_in(temp.path(), &["config", "core.worktree", elsewhere.path().to_str().unwrap()]);
    let said = changed(&workspace, &ReviewTarget::Now, &[]);
    assert!(said.contains("core.worktree is set, and is not followed"), "{said}");
    assert!(workspace.git().note.is_some());
}

#[test]
fn a_worktree_is_a_repository_too() {
    let (temp, _) = repository();
    let other = tempfile::tempdir().unwrap();
    let path = other.path().join("tree");
    git_in(temp.path(), &["worktree", "add", "-q", "-b", "side", path.to_str().unwrap()]);
    write(&path, "b.txt", "c\n");
    let workspace = Workspace::of(&path).unwrap();
    assert_eq!(workspace.git().branch, "side");
    assert_eq!(changed(&workspace, &ReviewTarget::Now, &[]), "the working tree against the last commit: -b +c");
}

/// A directory with a repository in it and a private file beside that, as in a home.
fn beside_a_diary() -> (tempfile::TempDir, Workspace) {
    let temp = tempfile::tempdir().unwrap();
    write(temp.path(), "notes.txt", "a diary\n");
    let root = temp.path().join("unpacked");
    std::fs::create_dir(&root).unwrap();
    git_in(&root, &["init", "-q", "-b", "main"]);
    write(&root, "ab/notes.txt", "b\n");
    commit(&root, "first");
    let workspace = Workspace::of(&root).unwrap();
    (temp, workspace)
}

#[test]
fn an_index_that_names_files_elsewhere_shows_nothing_of_them() {
    let (temp, workspace) = beside_a_diary();
    let root = temp.path().join("unpacked");
    let index = std::fs::read(root.join(".git/index")).unwrap();
    let name = b"ab/notes.txt";
    let at = index.windows(name.len()).position(|bytes| bytes == name).unwrap();
    let forged = [&index[..at], b"../notes.txt", &index[at + name.len()..]].concat();
    std::fs::write(root.join(".git/index"), forged).unwrap();
    assert!(git_in(&root, &["diff"]).contains("+a diary"), "git itself shows it");
    for what in [ReviewTarget::Now, ReviewTarget::Staged, ReviewTarget::Last(1)] {
        assert!(!changed(&workspace, &what, &[]).contains("diary"));
    }
}

#[test]
fn a_branch_that_is_a_link_shows_nothing_of_another_repository() {
    let (temp, workspace) = beside_a_diary();
    let (root, other) = (temp.path().join("unpacked"), temp.path().join("other"));
    std::fs::create_dir(&other).unwrap();
    git_in(&other, &["init", "-q", "-b", "main"]);
    write(&other, "notes.txt", "a diary\n");
    commit(&other, "first");
    write(&root, ".git/objects/info/alternates", &format!("{}\n", other.join(".git/objects").display()));
    std::fs::remove_file(root.join(".git/refs/heads/main")).unwrap();
    std::os::unix::fs::symlink(other.join(".git/refs/heads/main"), root.join(".git/refs/heads/main")).unwrap();
    assert!(git_in(&root, &["show"]).contains("+a diary"), "git itself shows it");
    for what in [ReviewTarget::Now, ReviewTarget::Staged, ReviewTarget::Last(1), branch(None, Some("main"))] {
        assert!(!changed(&workspace, &what, &[]).contains("diary"));
    }
}

#[test]
fn settings_that_name_a_device_read_nothing_of_it() {
    for key in ["diff.orderFile", "core.attributesFile", "core.excludesFile"] {
        let (temp, workspace) = repository();
        git_in(temp.path(), &["config", key, "/dev/zero"]);
        write(temp.path(), "b.txt", "c\n");
        let said = changed(&workspace, &ReviewTarget::Now, &[]);
        assert!(!said.contains("took too long"), "{key}: {said}");
    }
}
