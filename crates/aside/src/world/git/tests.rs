//! Tests against real repositories made with git.

use super::*;
use crate::exec::git_in;

fn names(items: Option<Vec<LiveItem>>) -> Vec<String> {
    let with_about = |item: LiveItem| match &*item.about {
        "" => item.name.into_string(),
        about => format!("{} ({about})", item.name),
    };
    items.unwrap().into_iter().map(with_about).collect()
}

/// A repository with one commit on `main`; dropping the first value removes it.
fn repository(init: &[&str]) -> (tempfile::TempDir, std::path::PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let work = temp.path().join("work");
    std::fs::create_dir(&work).unwrap();
    git_in(&work, &[&["init", "-q", "-b", "main"], init].concat());
    commit(&work, "first");
    (temp, work)
}

fn commit(work: &Path, subject: &str) {
    git_in(work, &["commit", "-q", "--allow-empty", "-m", subject]);
}

#[test]
fn the_branch_to_go_back_to_comes_first_and_remote_ones_last() {
    let (_temp, work) = repository(&[]);
    for name in ["a", "feature/deep/b", "c"] {
        git_in(&work, &["branch", name]);
    }
    git_in(&work, &["switch", "-q", "a"]);
    git_in(&work, &["switch", "-q", "feature/deep/b"]);
    git_in(&work, &["update-ref", "refs/remotes/origin/far", "HEAD"]);
    git_in(&work, &["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/far"]);
    let expected = ["a", "feature/deep/b (current)", "main", "c", "origin/far (remote)"];
    assert_eq!(names(branches(&work)), expected);
    // Packing changes neither the names nor, for visited ones, the order.
    git_in(&work, &["pack-refs", "--all"]);
    assert_eq!(names(branches(&work)), expected);
    git_in(&work, &["branch", "-q", "-D", "a"]);
    assert_eq!(names(branches(&work)), ["main", "feature/deep/b (current)", "c", "origin/far (remote)"]);
    git_in(&work, &["switch", "-q", "--detach"]);
    assert_eq!(names(branches(&work)), ["feature/deep/b", "main", "c", "origin/far (remote)"]);
}

#[test]
fn a_worktree_has_its_own_head_and_the_branches_of_all() {
    let (temp, work) = repository(&[]);
    let other = temp.path().join("other");
    git_in(&work, &["worktree", "add", "-q", "-b", "topic", other.to_str().unwrap()]);
    std::fs::create_dir(other.join("sub")).unwrap();
    assert_eq!(names(branches(&other.join("sub"))), ["topic (current)", "main"]);
    assert_eq!(names(branches(&work)), ["main (current)", "topic"]);
}

#[test]
fn the_branches_of_another_repository_are_not_shown() {
    let (temp, private) = repository(&[]);
    git_in(&private, &["branch", "secret"]);
    git_in(&private, &["worktree", "add", "-q", "-b", "topic", temp.path().join("tree").to_str().unwrap()]);
    let of = |name: &str| private.join(".git").join(name).display().to_string();
    let link = |place: &Path, name: &str| {
        let _ = std::fs::remove_dir_all(place.join(name)).or_else(|_| std::fs::remove_file(place.join(name)));
        std::os::unix::fs::symlink(of(name), place.join(name)).unwrap();
    };
    type Attack<'a> = (&'a str, &'a dyn Fn(&Path));
    let attacks: [Attack<'_>; 10] = [
        ("a file", &|git| {
            std::fs::remove_dir_all(git).unwrap();
            std::fs::write(git, format!("gitdir: {}\n", of(""))).unwrap();
        }),
        ("a file that names a worktree's", &|git| {
            std::fs::remove_dir_all(git).unwrap();
            std::fs::write(git, format!("gitdir: {}\n", of("worktrees/tree"))).unwrap();
        }),
        ("a link", &|git| {
            std::fs::remove_dir_all(git).unwrap();
            std::os::unix::fs::symlink(of(""), git).unwrap();
        }),
        ("commondir", &|git| std::fs::write(git.join("commondir"), of("")).unwrap()),
        ("commondir and gitdir", &|git| {
            std::fs::write(git.join("commondir"), of("")).unwrap();
            std::fs::write(git.join("gitdir"), git.display().to_string()).unwrap();
        }),
        ("commondir through a git directory beside it", &|git| {
            let beside = git.with_file_name("../beside");
            std::fs::rename(git, &beside).unwrap();
            std::fs::write(git, "gitdir: ../beside").unwrap();
            std::fs::write(beside.join("commondir"), of("")).unwrap();
            git_in(&beside, &["config", "--file", "config", "core.worktree", "../hostile"]);
        }),
        ("HEAD", &|git| link(git, "HEAD")),
        ("refs", &|git| link(git, "refs")),
        ("refs/heads", &|git| link(git, "refs/heads")),
        ("logs", &|git| link(git, "logs")),
    ];
    for (name, attack) in attacks {
        let hostile = temp.path().join("hostile");
        std::fs::create_dir(&hostile).unwrap();
        git_in(&hostile, &["init", "-q", "-b", "own"]);
        commit(&hostile, "first");
        assert_eq!(names(branches(&hostile)), ["own (current)"]);
        attack(&hostile.join(".git"));
        assert_eq!(branches(&hostile), None, "{name}");
        let _ = std::fs::remove_dir_all(temp.path().join("beside"));
        std::fs::remove_dir_all(&hostile).unwrap();
    }
}

#[test]
fn a_git_directory_elsewhere_that_names_these_files_is_read() {
    let (temp, work) = repository(&[]);
    let apart = |name: &str, git: &str| {
        let files = work.join(name);
        std::fs::create_dir_all(&files).unwrap();
        std::fs::create_dir_all(work.join(git).parent().unwrap()).unwrap();
        git_in(&files, &["init", "-q", "-b", "main", "--separate-git-dir", work.join(git).to_str().unwrap()]);
        commit(&files, "first");
        files
    };
    // Like a submodule.
    let submodule = apart("libs/one", ".git/modules/libs-one");
    assert_eq!(branches(&submodule), None);
    git_in(&submodule, &["config", "core.worktree", "../../../libs/one"]);
    assert_eq!(names(branches(&submodule)), ["main (current)"]);
    let link = temp.path().join("link");
    std::os::unix::fs::symlink(&submodule, &link).unwrap();
    assert_eq!(names(branches(&link))[0], "main (current)");
    // A checkout of the tool `repo`.
    let project = temp.path().join("tree/project");
    std::fs::create_dir_all(temp.path().join("tree/.repo/projects")).unwrap();
    std::fs::create_dir(&project).unwrap();
    std::fs::rename(work.join(".git"), temp.path().join("tree/.repo/projects/project.git")).unwrap();
    std::os::unix::fs::symlink("../.repo/projects/project.git", project.join(".git")).unwrap();
    assert_eq!(names(branches(&project))[0], "main (current)");
}

#[test]
fn a_repository_whose_references_are_a_table_is_asked_through_git() {
    let temp = tempfile::tempdir().unwrap();
    let version = git_in(temp.path(), &["--version"]);
    let numbers: Vec<u32> =
        version.split(|letter: char| !letter.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect();
    if numbers < vec![2, 45] {
        return;
    }
    let (_temp, work) = repository(&["--ref-format=reftable"]);
    git_in(&work, &["branch", "topic"]);
    git_in(&work, &["tag", "v1"]);
    let mut found = names(branches(&work));
    found.sort();
    assert_eq!(found, ["main", "topic"]);
    assert_eq!(names(tags(&work)), ["v1"]);
}

#[test]
fn tags_have_the_highest_version_first() {
    let (_temp, work) = repository(&[]);
    for name in ["v1.9.0", "v1.10.0", "v2.0.0-rc1", "v2.0.0", "nightly/3"] {
        git_in(&work, &["tag", name]);
    }
    assert_eq!(names(tags(&work)), ["v2.0.0", "v2.0.0-rc1", "v1.10.0", "v1.9.0", "nightly/3"]);
}

#[test]
fn remotes_are_shown_without_credentials() {
    let (_temp, work) = repository(&[]);
    for (name, url) in [
        ("fork", "https://me:hunter2@example.invalid/fork.git?token=abc"),
        ("origin", "git@example.invalid:a/b.git"),
        ("token", "https://abc@example.invalid/x"),
        ("local", "../b"),
    ] {
        git_in(&work, &["remote", "add", name, url]);
    }
    let expected = [
        "origin (git@example.invalid:a/b.git)",
        "fork (https://example.invalid/fork.git)",
        "token (https://example.invalid/x)",
        "local (../b)",
    ];
    assert_eq!(names(remotes(&work)), expected);
}

#[test]
fn stashes_and_commits_come_newest_first_with_what_they_say() {
    let (_temp, work) = repository(&[]);
    std::fs::write(work.join("file"), "1").unwrap();
    git_in(&work, &["add", "file"]);
    commit(&work, "second");
    git_in(&work, &["commit", "-q", "--amend", "-m", "second, better"]);
    git_in(&work, &["switch", "-q", "-c", "topic"]);
    for text in ["2", "3"] {
        std::fs::write(work.join("file"), text).unwrap();
        git_in(&work, &["stash", "push", "-q", "-m", text]);
    }
    assert_eq!(names(stashes(&work)), ["stash@{0} (On topic: 3)", "stash@{1} (On topic: 2)"]);
    let log = git_in(&work, &["log", "--format=%H %s"]);
    let expected: Vec<String> = log.lines().map(|line| format!("{} ({})", &line[..SHORT], &line[41..])).collect();
    assert_eq!(names(commits(&work)), expected);
    assert_eq!(expected.len(), 2);
}

#[test]
fn what_has_begun_is_told_until_it_ends() {
    let (_temp, work) = repository(&[]);
    std::fs::write(work.join("file"), "1").unwrap();
    git_in(&work, &["add", "file"]);
    commit(&work, "second");
    git_in(&work, &["switch", "-q", "-c", "topic"]);
    assert_eq!(names(state(&work)), ["commits (2)"]);
    std::fs::write(work.join(".git/CHERRY_PICK_HEAD"), "").unwrap();
    assert_eq!(names(state(&work)), ["cherry-pick", "commits (2)"]);
    std::fs::remove_file(work.join(".git/CHERRY_PICK_HEAD")).unwrap();
    std::fs::create_dir(work.join(".git/rebase-merge")).unwrap();
    git_in(&work, &["commit", "-q", "--amend", "-m", "better"]);
    assert_eq!(names(state(&work)), ["rebase", "commits (2)"]);
    // A log that does not begin with the first commit does not tell how many came before.
    let log = std::fs::read_to_string(work.join(".git/logs/HEAD")).unwrap();
    std::fs::write(work.join(".git/logs/HEAD"), log.split_once('\n').unwrap().1).unwrap();
    assert_eq!(names(state(&work)), ["rebase"]);
}

#[test]
fn outside_of_a_repository_there_is_nothing() {
    let temp = tempfile::tempdir().unwrap();
    assert_eq!(branches(temp.path()), None);
    std::fs::write(temp.path().join(".git"), "gitdir: gone\n").unwrap();
    assert_eq!(branches(temp.path()), None);
    std::fs::write(temp.path().join(".git"), "rubbish").unwrap();
    assert_eq!(branches(temp.path()), None);
}
